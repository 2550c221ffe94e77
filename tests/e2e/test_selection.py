# SPDX-License-Identifier: Apache-2.0
"""The same answer for every selection: what an object concludes does not depend on what else was asked for."""
import pathlib
import sys

import pytest
import yaml

from client_world import certificates, client, serve  # noqa: F401 (fixtures)
from program import HERE, Run

sys.path.insert(0, str(pathlib.Path(HERE).parent))
import run_cases  # noqa: E402

CASES = pathlib.Path(HERE).parent / "family" / "core"
OF_SERVICES = [p for pattern in ("service-*", "ingress-*", "workload-calls-*", "webhook*") for p in sorted(CASES.glob(pattern + ".yaml"))]
CLUSTER = {"Namespace", "Node", "IngressClass", "PersistentVolume", "StorageClass", "ValidatingWebhookConfiguration",
           "MutatingWebhookConfiguration", "CustomResourceDefinition", "APIService"}
USUAL = (("v1", "Service"), ("v1", "Pod"), ("v1", "Secret"), ("v1", "Namespace"), ("v1", "Event"), ("apps/v1", "Deployment"), ("apps/v1", "ReplicaSet"),
         ("apps/v1", "StatefulSet"), ("apps/v1", "DaemonSet"), ("batch/v1", "Job"), ("networking.k8s.io/v1", "Ingress"),
         ("networking.k8s.io/v1", "IngressClass"), ("discovery.k8s.io/v1", "EndpointSlice"),
         ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
         ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"))


def world(path):
    """The moment, and the objects."""
    now, args, _ = run_cases.read_case(path)
    objects = [o for o in yaml.load_all(path.read_text(), Loader=yaml.SafeLoader) if o]
    return now, args, [i for o in objects for i in ((o["items"] or []) if o["kind"] == "List" else [o])]


def plural(kind):
    word = kind.lower()
    if word.endswith("s"):
        return word if word == "endpoints" else word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"


def concluded(item):
    return item["phase"], item["severity"], item["recovery"], sorted(
        (r["kind"], r.get("namespace", ""), r["name"]) for r in item.get("rootCauses", []))


def named(item):
    group, slash, _ = item["apiVersion"].rpartition("/")
    return "%s%s/%s" % (plural(item["kind"]), "." + group if slash else "", item["name"])


def differences(ask, now, items):
    """Asks for each object alone."""
    for item in items:
        where = ["-n", item["namespace"]] if item.get("namespace") else []
        alone = ask(named(item), *where, "--as-of", now)["items"]
        if [concluded(i) for i in alone] != [concluded(item)]:
            yield named(item), concluded(item), [concluded(i) for i in alone]


@pytest.mark.parametrize("path", sorted(CASES.glob("*.yaml"))[::3] + OF_SERVICES, ids=lambda p: p.stem)
def test_of_files(tmp_path, path):
    run = Run(tmp_path)
    now, args, _ = world(path)
    if args:
        pytest.skip("the case selects")
    items = run.json("-f", path, "-A", "--as-of", now)["items"]
    assert not list(differences(lambda *what: run.json("-f", path, *what), now, items))


def served(serve, objects, cluster=CLUSTER, more=()):  # noqa: F811
    """A server that has these objects, and more kinds."""
    kinds = {(o["apiVersion"], o["kind"]) for o in objects} | {*USUAL, *more}
    fake = serve(types=tuple((v.rpartition("/")[0], v.rpartition("/")[2], plural(k), k, k not in cluster) for v, k in sorted(kinds)))
    for i, o in enumerate(objects):
        meta = {"resourceVersion": "1", "uid": "uid-%d" % i, **o["metadata"]}
        if o["kind"] not in cluster:
            meta.setdefault("namespace", "default")
        fields = {k: v for k, v in o.items() if k not in ("apiVersion", "kind", "metadata")}
        fake.put(plural(o["kind"]), meta["name"], ns=meta.get("namespace", "default"), metadata=meta, **fields)
    return fake


@pytest.mark.parametrize("path", OF_SERVICES, ids=lambda p: p.stem)
def test_of_a_server(serve, client, path):  # noqa: F811
    now, args, objects = world(path)
    if args:
        pytest.skip("the case selects")
    run = client(served(serve, objects))
    items = [i for i in run.json("-A", "--as-of", now)["items"] if i["kind"] != "Pod"]
    # "depot.annex" alone may be anything, and is compared with Services of that namespace only where they are read anyway
    items = [item for item in items if item["name"] != "by-namespace"]
    assert not list(differences(run.json, now, items))


COMPOSED = (("apiextensions.crossplane.io/v1", "Composition"), ("apiextensions.crossplane.io/v1", "CompositionRevision"),
            ("pkg.crossplane.io/v1", "Function"), ("batch/v1", "CronJob"), ("managedupgrade.appuio.io/v1beta1", "UpgradeJob"))


@pytest.mark.parametrize("case", ["appcat/row13-maintenance", "appcat/row08-never-ready-for-long", "appcat/missing-composite",
                                  "crossplane/claim-waits-for-failed-part", "crossplane/composite-composition-missing"])
def test_only_names_that_somebody_wrote_are_looked_up(serve, client, case):  # noqa: F811
    """No Composition, Job or CronJob by a name that is only what it might be called: the server would answer 404."""
    path = CASES.parent / (case + ".yaml")
    now, _, objects = world(path)
    cluster = CLUSTER | {o["kind"] for o in objects if "namespace" not in o["metadata"]} | {"Composition", "CompositionRevision", "Function"}
    fake = served(serve, objects, cluster, COMPOSED)
    client(fake).json("%s.%s" % (plural(objects[0]["kind"]), objects[0]["apiVersion"].partition("/")[0]), "-A", "--as-of", now)
    selected = [r.query.get("fieldSelector", "").partition("metadata.name=")[2] for r in fake.seen()]
    assert any(selected) and not [name for name in selected if name not in path.read_text()]
