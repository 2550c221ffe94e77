# SPDX-License-Identifier: Apache-2.0
"""Flux: sources of every kind, and Kustomizations that succeed, fail, wait and try again every 20 s."""
import hashlib
import io
import json
import os
import subprocess
import tarfile

import yaml

from lab import go

TITLE = "Flux: source-controller 1.7.0 and kustomize-controller 1.6.0"
BUILD = [
    go("github.com/fluxcd/source-controller", "v1.7.0", ".", name="source-controller",
       sum="h1:/fBgS4CSmT5Jj/fjQDF92y+pC3gst1GJjgNSzY8Ff9I="),
    go("github.com/fluxcd/kustomize-controller", "v1.6.0", ".", name="kustomize-controller",
       sum="h1:13S+wqCQ44njSg59DNgm1qMqVkK6+0eoZs+jv4+EWCs="),
]
CRDS = ["config/crd/bases", "github.com/fluxcd/kustomize-controller:config/crd/bases"]
SECONDS = 240

HOME = "delivery"
SOURCE = "source.toolkit.fluxcd.io/v1"
GIT, KUSTOMIZATIONS = "gitrepositories.source.toolkit.fluxcd.io", "kustomizations.kustomize.toolkit.fluxcd.io"


# -- what is fetched -----------------------------------------------------------------------

def configmap(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": data}


def deployment(name, image="registry.example.org/shop/web:1", selector=None):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop"},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": selector or name}},
                     "template": {"metadata": {"labels": {"app": name}},
                                  "spec": {"containers": [{"name": "web", "image": image}]}}}}


def endless_job(name):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "shop"},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [
                {"name": "migrate", "image": "registry.example.org/shop/forever:1"}]}}}}


TREE = {
    "web/web.yaml": [deployment("web"), configmap("web", colour="green")],
    "cart/cart.yaml": [deployment("cart")],
    "till/till.yaml": [deployment("till")],
    "nopull/nopull.yaml": [deployment("nopull", image="registry.example.org/shop/missing:1")],
    "garbled/garbled.yaml": "apiVersion: v1\nkind: [ConfigMap\n",
    "badpatch/kustomization.yaml": [{"resources": ["absent.yaml"]}],
    "badkind/badkind.yaml": [{"apiVersion": "gadgets.example.org/v1", "kind": "Gadget",
                              "metadata": {"name": "gadget", "namespace": "shop"}}],
    "refused/refused.yaml": [deployment("refused", selector="somebody-else")],
    "migrate/migrate.yaml": [endless_job("migrate")],
    "small/small.yaml": [configmap("small", size="1")],
    "oci/oci.yaml": [configmap("from-oci", a="1")],
    "values/values.yaml": [configmap("values", region="${REGION}")],
}
NEWS = {
    "price/price.yaml": [configmap("price", value="1")],
    "turns-bad/turns-bad.yaml": [configmap("turns-bad", value="1")],
    "turns-sick/turns-sick.yaml": [deployment("turns-sick")],
}


def text_of(content):
    return content if isinstance(content, str) else yaml.safe_dump_all(content)


def tarball(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in files.items():
            data = text_of(content).encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


class Places:
    """The folder that sources.py serves."""

    def __init__(self, top):
        self.top = top
        self.commit("shop", TREE)
        self.commit("news", NEWS)
        self.charts()
        layer = top / "oci/shop/1.0.0/layer.tar.gz"
        layer.parent.mkdir(parents=True)
        layer.write_bytes(tarball({"oci.yaml": TREE["oci/oci.yaml"]}))
        (top / "buckets/shop-manifests").mkdir(parents=True)
        (top / "buckets/shop-manifests/bucket.yaml").write_text(text_of([configmap("from-bucket", a="1")]))

    def commit(self, repository, files):
        """One commit to main."""
        folder = self.top / "git" / repository
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text_of(content))
        environment = {**os.environ, "HOME": str(self.top), "GIT_CONFIG_NOSYSTEM": "1"}
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
        for command in (["init", "-q", "-b", "main"], ["add", "-A"], [*who, "commit", "-q", "-m", "change"]):
            subprocess.run(["git", *command], cwd=folder, env=environment, check=True)

    def charts(self):
        folder = self.top / "charts"
        folder.mkdir()
        chart = {"apiVersion": "v2", "name": "shelf", "version": "0.3.1"}
        data = tarball({"shelf/Chart.yaml": [chart], "shelf/values.yaml": "{}\n", "shelf/templates/cm.yaml": [configmap("shelf")]})
        (folder / "shelf-0.3.1.tgz").write_bytes(data)
        entry = {**chart, "urls": ["shelf-0.3.1.tgz"], "digest": hashlib.sha256(data).hexdigest(), "created": "2026-01-01T00:00:00Z"}
        (folder / "index.yaml").write_text(json.dumps({"apiVersion": "v1", "entries": {"shelf": [entry]}}))
        (folder / "garbled").mkdir()
        (folder / "garbled/index.yaml").write_text("entries: [what is this\n")


# -- objects -------------------------------------------------------------------------------

def a_source(kind, name, **spec):
    return {"apiVersion": SOURCE, "kind": kind, "metadata": {"name": name, "namespace": HOME},
            "spec": {"interval": "20s", **({} if kind == "HelmChart" else {"timeout": "10s"}), **spec}}


def git(name, url, branch="main", **spec):
    return a_source("GitRepository", name, url=url, ref={"branch": branch}, **spec)


def chart(name, repository, chart="shelf", version="*"):
    return a_source("HelmChart", name, chart=chart, version=version, sourceRef={"kind": "HelmRepository", "name": repository})


def kustomization(name, path, source="shop", kind="GitRepository", after=(), **spec):
    return {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": name, "namespace": HOME},
            "spec": {"interval": "20s", "timeout": "8s", "path": path, "prune": True, "sourceRef": {"kind": kind, "name": source},
                     **({"dependsOn": [{"name": a} for a in after]} if after else {}), **spec}}


def held(document):
    """With a finalizer of somebody who will never remove it."""
    document["metadata"]["finalizers"] = ["backup.example.org/keep"]
    return document


def sources(served, refused):
    return [
        git("shop", f"http://{served}/git/shop.git"),
        git("news", f"http://{served}/git/news.git"),
        git("nobranch", f"http://{served}/git/shop.git", branch="release-9"),
        git("vanished", f"http://{served}/git/vanished.git"),
        git("unreachable", f"http://{refused}/git/shop.git"),
        git("nokey", f"http://{served}/git/shop.git", secretRef={"name": "git-login"}),
        git("latekey", f"http://{served}/git/shop.git", secretRef={"name": "late-login"}),
        git("frozen", f"http://{served}/git/shop.git", suspend=True),
        git("goes-astray", f"http://{served}/git/shop.git"),
        held(git("held", f"http://{served}/git/shop.git")),
        git("includes", f"http://{served}/git/shop.git", include=[{"repository": {"name": "nowhere"}}]),
        a_source("HelmRepository", "charts", url=f"http://{served}/charts"),
        a_source("HelmRepository", "charts-refused", url=f"http://{refused}/charts"),
        a_source("HelmRepository", "charts-gone", url=f"http://{served}/charts/gone"),
        a_source("HelmRepository", "charts-garbled", url=f"http://{served}/charts/garbled"),
        chart("shelf", "charts"),
        chart("shelf-newer", "charts", version="9.x"),
        chart("shelf-unknown", "charts", chart="cupboard"),
        chart("shelf-orphan", "nowhere"),
        chart("shelf-refused", "charts-refused"),
        a_source("OCIRepository", "artifact", url=f"oci://{served}/shop", ref={"tag": "1.0.0"}, insecure=True),
        a_source("OCIRepository", "artifact-notag", url=f"oci://{served}/shop", ref={"tag": "2.0.0"}, insecure=True),
        a_source("OCIRepository", "artifact-refused", url=f"oci://{refused}/shop", ref={"tag": "1.0.0"}, insecure=True),
        a_source("Bucket", "manifests", endpoint=served, bucketName="shop-manifests", insecure=True, secretRef={"name": "s3"}),
        a_source("Bucket", "manifests-gone", endpoint=served, bucketName="other-manifests", insecure=True, secretRef={"name": "s3"}),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s3", "namespace": HOME},
         "stringData": {"accesskey": "reader", "secretkey": "reader-secret"}},
    ]


def kustomizations():
    missing = [{"kind": "ConfigMap", "name": "region"}]
    return [
        kustomization("web", "./web", wait=True),
        kustomization("cart", "./cart", after=["web"], wait=True),
        kustomization("till", "./till", after=["cart"], wait=True),
        kustomization("small", "./small"),
        kustomization("nopull", "./nopull", wait=True),
        kustomization("garbled", "./garbled"),
        kustomization("badpatch", "./badpatch"),
        kustomization("badkind", "./badkind"),
        kustomization("refused", "./refused"),
        kustomization("nopath", "./not/there"),
        kustomization("migrate", "./migrate", wait=True, timeout="10m"),
        kustomization("after-garbled", "./small", after=["garbled"]),
        kustomization("after-that", "./small", after=["after-garbled"]),
        kustomization("after-nobody", "./small", after=["nobody"]),
        kustomization("ring-a", "./small", after=["ring-c"]),
        kustomization("ring-b", "./small", after=["ring-a"]),
        kustomization("ring-c", "./small", after=["ring-b"]),
        kustomization("nosource", "./small", source="nowhere"),
        kustomization("badsource", "./small", source="vanished"),
        kustomization("late", "./small", source="comes-late"),
        kustomization("paused", "./small", suspend=True),
        kustomization("noaccount", "./small", serviceAccountName="deployer"),
        kustomization("sealed", "./small", decryption={"provider": "sops", "secretRef": {"name": "age-key"}}),
        kustomization("novalues", "./values", postBuild={"substituteFrom": missing}),
        kustomization("nocheck", "./small", healthChecks=[
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "elsewhere", "namespace": "shop"}]),
        held(kustomization("held", "./small")),
        kustomization("oci", "./", source="artifact", kind="OCIRepository"),
        kustomization("bucket", "./", source="manifests", kind="Bucket"),
        kustomization("price", "./price", source="news"),
        kustomization("turns-bad", "./turns-bad", source="news"),
        kustomization("turns-sick", "./turns-sick", source="news", wait=True),
    ]


# -- the story -----------------------------------------------------------------------------

def start_kustomize_controller(lab):
    lab.start("kustomize-controller", "--metrics-addr=0", f"--health-addr=127.0.0.1:{lab.port()}", "--events-addr=",
              "--requeue-dependency=10s", "--http-retry=1", env={"RUNTIME_NAMESPACE": "flux-system"})


def play(lab):
    served, refused, storage = (f"127.0.0.1:{lab.port()}" for _ in range(3))
    places = Places(lab.folder / "places")
    lab.start("sources.py", places.top, served.rpartition(":")[2])
    lab.nodes(2)
    (lab.folder / "artifacts").mkdir()
    lab.start("source-controller", "--metrics-addr=0", f"--health-addr=127.0.0.1:{lab.port()}", "--events-addr=",
              f"--storage-path={lab.folder / 'artifacts'}", f"--storage-addr={storage}", f"--storage-adv-addr={storage}",
              "--requeue-dependency=10s", env={"RUNTIME_NAMESPACE": "flux-system"})
    start_kustomize_controller(lab)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in (HOME, "shop", "flux-system")])
    lab.mark("created")
    lab.apply(sources(served, refused))
    lab.apply(kustomizations())
    for name in ("web", "cart", "till", "turns-bad", "turns-sick", "oci", "bucket"):
        lab.wait(f"Kustomization {name} is ready", lambda name=name: lab.condition(KUSTOMIZATIONS, HOME, name, "Ready"), 90)
    lab.mark("settled")
    lab.sleep(30)

    lab.mark("changed")
    places.commit("news", {"price/price.yaml": [configmap("price", value="2")], "turns-bad/turns-bad.yaml": "kind: {\n",
                           "turns-sick/turns-sick.yaml": [deployment("turns-sick", image="registry.example.org/shop/missing:2")]})
    lab.patch(GIT, HOME, "goes-astray", {"spec": {"ref": {"branch": "gone"}}})
    lab.apply([git("comes-late", f"http://{served}/git/shop.git"),
               {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "late-login", "namespace": HOME},
                "stringData": {"username": "reader", "password": "reader-secret"}}])
    for resource in (GIT, KUSTOMIZATIONS):
        lab.delete(resource, HOME, "held")
    lab.wait("the late one is ready", lambda: lab.condition(KUSTOMIZATIONS, HOME, "late", "Ready"), 90)
    lab.sleep(50)

    lab.mark("restarted")
    lab.stop("kustomize-controller")
    start_kustomize_controller(lab)
    lab.sleep(45)
