# SPDX-License-Identifier: Apache-2.0
"""Zalando's Postgres operator: clusters that run, cannot start, are changed, and are named wrongly.

Patroni, which runs in the pods, is played: it gives a pod its role, and answers at the pod's address.  The
operator is told that it has no access to the databases themselves.
"""
import http.server
import json
import threading

import yaml

from controlplane import ApiError
from lab import go

TITLE = "Zalando's Postgres operator 1.15.1"
BUILD = [go("github.com/zalando/postgres-operator", "v1.15.1", "./cmd", name="postgres-operator",
            sum="h1:WjZA6KySmDw4bpY77lk/5P+vYCAf2xMCmVl/EOyu7Ww=")]
CRDS = ["manifests/postgresql.crd.yaml"]
SECONDS = 240
PODS = "127.2.0.0/16"           # Patroni answers at the pods' addresses

HOME, OPERATOR = "data", "postgres-operator"
CLUSTERS = "postgresqls.acid.zalan.do"
IMAGE = "registry.example.org/spilo:17"

# The module's own settings, but for times that are shorter and for what is outside of the cluster.
SETTINGS = {
    "docker_image": IMAGE,
    "enable_crd_registration": "false",
    "enable_owner_references": "true",
    "enable_finalizers": "true",
    "enable_team_id_clustername_prefix": "true",
    "enable_shm_volume": "false",
    "resource_check_interval": "1s", "resource_check_timeout": "30s",
    "pod_label_wait_timeout": "30s", "pod_deletion_wait_timeout": "30s",
    "patroni_api_check_interval": "1s", "patroni_api_check_timeout": "2s",
    "ready_wait_interval": "1s", "ready_wait_timeout": "10s",
    "repair_period": "60s", "resync_period": "80s",
}


def cluster(name, instances=1, size="1Gi", team="shop", **spec):
    return {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {
        "name": name, "namespace": HOME, "labels": {"team": team}}, "spec": {
        "teamId": team, "numberOfInstances": instances, "volume": {"size": size}, "postgresql": {"version": "17"},
        "users": {"web": ["createdb"]}, "databases": {"web": "web"}, **spec}}


def resources(request, limit):
    return {"requests": {"cpu": request, "memory": "256Mi"}, "limits": {"cpu": limit, "memory": "512Mi"}}


def with_meta(document, **meta):
    document["metadata"].update(meta)
    return document


CLUSTERS_AT_FIRST = [
    cluster("shop-orders", instances=2),
    cluster("shop-stock"),
    cluster("shop-grows", instances=1),
    cluster("shop-newimage"),
    cluster("shop-breaks"),
    cluster("shop-loses"),
    cluster("shop-nopull", dockerImage="registry.example.org/missing/spilo:17"),
    cluster("shop-crashes", dockerImage="registry.example.org/crash/spilo:17"),
    cluster("shop-huge", size="900Ti"),
    cluster("shop-nocpu", resources=resources("900", "901")),
    cluster("shop-refused", sidecars=[{"name": "Not_A_Name", "image": "registry.example.org/exporter:1"}]),
    cluster("books-orders"),
    with_meta(cluster("shop-others"), annotations={"acid.zalan.do/controller": "second-operator"}),
    with_meta(cluster("shop-held"), finalizers=["backup.example.org/keep"]),
]


def volumes(count):
    """Volumes that somebody has made by hand."""
    return [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"disk-{n}"}, "spec": {
        "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
        "hostPath": {"path": f"/disks/{n}"}}} for n in range(count)]


class Answers(http.server.BaseHTTPRequestHandler):
    """Patroni's REST interface, as far as the operator asks: all is well."""

    def do_GET(self):
        self.answer({
            "/config": {"ttl": 30, "loop_wait": 10, "retry_timeout": 10, "maximum_lag_on_failover": 33554432,
                        "postgresql": {"parameters": {"max_connections": "100"}}},
            "/patroni": {"state": "running", "role": self.server.role, "server_version": 170000,
                         "patroni": {"version": "4.0.4", "scope": self.server.pod}},
            "/cluster": {"members": [{"name": self.server.pod, "role": self.server.role, "state": "running", "timeline": 1}]},
        }.get(self.path, {}))

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer({})

    do_PATCH = do_POST

    def answer(self, document):
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Patroni(threading.Thread):
    """Gives running pods of a cluster their role, the first one is the master, and answers for them."""

    def __init__(self, lab):
        super().__init__(daemon=True)
        self.lab, self.over, self.servers = lab, threading.Event(), {}

    def run(self):
        while not self.over.wait(0.5):
            for pod in self.lab.get("pods", HOME):
                labels = pod["metadata"].get("labels", {})
                ready = any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", ()))
                if labels.get("application") == "spilo" and "spilo-role" not in labels and ready:
                    self.give(pod["metadata"]["name"], pod["status"]["podIP"])

    def give(self, name, address):
        role = "master" if name.endswith("-0") else "replica"
        if address not in self.servers:
            self.servers[address] = http.server.ThreadingHTTPServer((address, 8008), Answers)
            threading.Thread(target=self.servers[address].serve_forever, daemon=True).start()
        self.servers[address].pod, self.servers[address].role = name, role
        try:
            self.lab.patch("pods", HOME, name, {"metadata": {"labels": {"spilo-role": role}}})
        except ApiError:
            pass                # deleted meanwhile

    def end(self):
        self.over.set()
        for server in self.servers.values():
            server.shutdown()
            server.server_close()


def word(lab, name):
    """What the operator says of a cluster."""
    return (lab.get(CLUSTERS, HOME, name) or {}).get("status", {}).get("PostgresClusterStatus")


def wait_for(lab, name, *words, seconds=90):
    lab.wait(f"{name} is {' or '.join(words)}", lambda: word(lab, name) in words, seconds)


def settings(lab):
    """The module's ConfigMap with SETTINGS over it."""
    text = (lab.module("github.com/zalando/postgres-operator") / "manifests/configmap.yaml").read_text()
    return {**yaml.safe_load(text)["data"], **SETTINGS, "api_port": str(lab.port())}


def play(lab):
    lab.nodes(3)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in (OPERATOR, HOME)])
    lab.apply(volumes(14))
    lab.apply([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": OPERATOR}, "data": settings(lab)},
               {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "postgres-pod", "namespace": OPERATOR}}])
    patroni = Patroni(lab)
    patroni.start()
    lab.start("postgres-operator", "--outofcluster", "--kubeconfig={kubeconfig}", "--nodatabaseaccess", "--noteamsapi",
              "--kubeqps=50", "--kubeburst=100",
              env={"CONFIG_MAP_NAME": f"{OPERATOR}/settings", "OPERATOR_NAMESPACE": OPERATOR})
    lab.sleep(5)
    lab.mark("created")
    lab.apply(CLUSTERS_AT_FIRST)
    for name in ("shop-orders", "shop-stock", "shop-grows", "shop-newimage", "shop-breaks", "shop-loses", "shop-held"):
        wait_for(lab, name, "Running")
    lab.mark("settled")
    for name in ("shop-nopull", "shop-huge", "shop-nocpu"):
        wait_for(lab, name, "CreateFailed", "SyncFailed")
    lab.mark("failed")

    lab.mark("changed")
    lab.patch(CLUSTERS, HOME, "shop-grows", {"spec": {"numberOfInstances": 2}})
    lab.patch(CLUSTERS, HOME, "shop-newimage", {"spec": {"dockerImage": "registry.example.org/spilo:17.1"}})
    lab.patch(CLUSTERS, HOME, "shop-breaks", {"spec": {"dockerImage": "registry.example.org/missing/spilo:17.1"}})
    lab.delete("services", HOME, "shop-loses")
    lab.delete("statefulsets.apps", HOME, "shop-loses")
    lab.delete(CLUSTERS, HOME, "shop-held")
    wait_for(lab, "shop-newimage", "Running")
    lab.sleep(100)
    lab.mark("fresh")
    lab.apply([cluster("shop-fresh", dockerImage="registry.example.org/missing/spilo:17")])
    lab.sleep(8)
    patroni.end()
