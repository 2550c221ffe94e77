# SPDX-License-Identifier: Apache-2.0
"""CloudNativePG: clusters of PostgreSQL with what belongs to them.

kwok plays the pods, instances.py the instance managers in them.
"""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import instances                                                                # noqa: E402
from instances import CLUSTERS, GROUP, Instances                                # noqa: E402
from lab import go                                                              # noqa: E402

TITLE = "CloudNativePG 1.28"
BUILD = [go("github.com/cloudnative-pg/cloudnative-pg", "v1.28.0", "./cmd/manager", name="cnpg",
            sum="h1:vkv0a0ewDSfJOPJrsyUr4uczsxheReAWf/k171V0Dm0=",
            edits=[f"k8s.io/{part}@v0.34.8" for part in
                   ("api", "apiextensions-apiserver", "apimachinery", "cli-runtime", "client-go")]
            + ["sigs.k8s.io/controller-runtime@v0.22.5"])]
CRDS = ["config/crd/bases"]
SECONDS = 300
PODS = "127.31.0.0/16"                  # addresses at which the operator finds instances.py

NAMESPACE = "data"
OLD, NEW = "example.org/postgresql:17.1", "example.org/postgresql:17.2"


def thing(kind, name, spec, api=f"{GROUP}/v1", **metadata):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE, **metadata}, "spec": spec}


def cluster(name, number=1, image=OLD, annotations=None, **spec):
    spec = {"instances": number, "storage": {"size": "1Gi"}, **spec}
    if image:
        spec["imageName"] = image
    return thing("Cluster", name, spec, annotations=annotations or {})


def catalog(name, major, image=OLD):
    return thing("ImageCatalog", name, {"images": [{"major": major, "image": image}]})


def of_catalog(name, major=17):
    return {"imageCatalogRef": {"apiGroup": GROUP, "kind": "ImageCatalog", "name": name, "major": major}}


def clusters():
    return [
        cluster("solo"), cluster("trio", 3), cluster("limping", 3), cluster("growing"), cluster("renewed"),
        cluster("asleep"), cluster("leaving"), cluster("silent"),
        cluster("hushed", annotations={"cnpg.io/reconciliationLoop": "disabled"}),
        cluster("unsigned", certificates={"serverCASecret": "absent", "serverTLSSecret": "absent-too"}),
        cluster("uncatalogued", image=None, **of_catalog("absent")),
        cluster("wrongmajor", image=None, **of_catalog("stock", 14)),
        cluster("patient", image=None, **of_catalog("later")),
        cluster("unpulled", image="example.org/missing-postgresql:17.1"),
        cluster("unplugged", plugins=[{"name": "backup.example.org"}]),
        cluster("unrecovered", bootstrap={"recovery": {"backup": {"name": "absent"}}}),
        cluster("homeless", affinity={"nodeSelector": {"disk": "absent"}}),
        catalog("stock", 17),
    ]


def pooler(name, cluster_name, image="example.org/pgbouncer:1", paused=False):
    return thing("Pooler", name, {
        "cluster": {"name": cluster_name}, "instances": 2, "type": "rw", "pgbouncer": {"poolMode": "session", "paused": paused},
        "template": {"metadata": {}, "spec": {"containers": [{"name": "pgbouncer", "image": image}]}}})


def scheduled(name, cluster_name, schedule="0 0 3 * * *", **spec):
    return thing("ScheduledBackup", name, {
        "cluster": {"name": cluster_name}, "schedule": schedule, "backupOwnerReference": "self", **spec})


def database(name, cluster_name):
    return thing("Database", name, {"cluster": {"name": cluster_name}, "name": name, "owner": "app"})


def others():
    return [
        pooler("pool", "solo"), pooler("pool-lost", "absent"), pooler("pool-unpulled", "solo", "example.org/missing-pgbouncer:1"),
        pooler("pool-paused", "solo", paused=True),
        scheduled("nightly", "solo"), scheduled("idle", "solo", suspend=True), scheduled("wrong", "solo", schedule="at night"),
        scheduled("orphan", "absent", immediate=True),
        thing("Backup", "of-absent", {"cluster": {"name": "absent"}}), thing("Backup", "of-solo", {"cluster": {"name": "solo"}}),
        thing("Backup", "by-plugin", {"cluster": {"name": "solo"}, "method": "plugin",
                                      "pluginConfiguration": {"name": "backup.example.org"}}),
        database("shop", "solo"), database("clash", "solo"), database("lost", "absent"),
    ]


def phase(lab, name):
    found = lab.get(CLUSTERS, NAMESPACE, name) or {}
    return found.get("status", {}).get("phase")


def is_healthy(lab, name):
    return phase(lab, name) == "Cluster in healthy state"


def play(lab):
    lab.nodes(3)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (NAMESPACE, "cnpg-system")])
    lab.apply(clusters())
    lab.mark("before the controller")
    lab.sleep(4)
    certificates, program = lab.folder / "webhook", lab.folder / "operator" / "manager_amd64"
    for folder in (certificates, program.parent):
        folder.mkdir()
    program.write_bytes(instances.PROGRAM)
    for suffix in ("crt", "key"):
        shutil.copy(lab.cp.dir / f"server.{suffix}", certificates / f"apiserver.{suffix}")
    lab.start("cnpg", "controller", "--metrics-bind-address=0", f"--webhook-port={lab.port()}", env={
        "OPERATOR_NAMESPACE": "cnpg-system", "WEBHOOK_CERT_DIR": str(certificates),
        "OPERATOR_IMAGE_NAME": "example.org/cnpg:1.28.0"})
    lab.mark("controller")
    with Instances(lab):
        stories(lab)


def stories(lab):
    for name in ("solo", "trio", "limping", "growing", "renewed", "asleep", "leaving"):
        lab.wait(f"{name} is healthy", lambda: is_healthy(lab, name), 120)
    lab.mark("healthy")
    lab.apply(others())
    lab.sleep(12)
    change(lab)
    lab.wait("renewed is healthy again", lambda: is_healthy(lab, "renewed"), 60)
    for name in ("patient", "growing"):
        lab.wait(f"{name} is healthy", lambda: is_healthy(lab, name), 60)
    lab.sleep(30)
    lab.apply([cluster("fresh")])
    lab.mark("fresh")
    lab.sleep(4)


def change(lab):
    lab.mark("changes")
    lab.patch(CLUSTERS, NAMESPACE, "growing", {"spec": {"instances": 2}})
    lab.patch(CLUSTERS, NAMESPACE, "renewed", {"spec": {"imageName": NEW}})
    lab.patch(CLUSTERS, NAMESPACE, "asleep", {"metadata": {"annotations": {"cnpg.io/hibernation": "on"}}})
    lab.apply([catalog("later", 17)])
    lab.patch(CLUSTERS, NAMESPACE, "leaving", {"metadata": {"finalizers": ["example.org/archive"]}})
    lab.delete(CLUSTERS, NAMESPACE, "leaving")
    weaken(lab, "limping-3")


def weaken(lab, pod):
    """Its readiness probe fails."""
    status = lab.get("pods", NAMESPACE, pod)["status"]
    for condition in status["conditions"]:
        if condition["type"] in ("Ready", "ContainersReady"):
            condition |= {"status": "False", "reason": "ContainersNotReady",
                          "message": "containers with unready status: [postgres]"}
    for container in status["containerStatuses"]:
        container["ready"] = False
    lab.status("pods", NAMESPACE, pod, {k: status[k] for k in ("conditions", "containerStatuses")})
