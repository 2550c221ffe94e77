# SPDX-License-Identifier: Apache-2.0
"""A small infrastructure and control plane provider: it writes what Cluster API's contract asks of one.

What it makes of an object stands in spec.mood: good (the default), stuck (nothing is ever said), error
(it cannot be made), nodeless (a machine whose node never joins), sick (a machine whose node stops being ready).
The nodes of all clusters are nodes of the one API server that there is.
"""

import datetime
import threading
import time

GROUP = "infrastructure.cluster.x-k8s.io"
CLUSTERS, MACHINES = f"fakeclusters.{GROUP}", f"fakemachines.{GROUP}"
CONTROL_PLANES = f"fakecontrolplanes.{GROUP}"
FINALIZER = f"fakemachine.{GROUP}"
CONTRACT = {"cluster.x-k8s.io/v1beta2": "v1beta2"}
LOOSE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def definitions():
    """The provider's kinds, and their templates, which have no status."""
    kinds = [(kind, True) for kind in ("FakeCluster", "FakeMachine", "FakeControlPlane")]
    kinds += [(kind + "Template", False) for kind, _ in kinds]
    return [definition(kind, has_status) for kind, has_status in kinds]


def definition(kind, has_status):
    plural = kind.lower() + "s"
    version = {"name": "v1beta2", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {"spec": LOOSE, **({"status": LOOSE} if has_status else {})}}}}
    if has_status:
        version["subresources"] = {"status": {}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}", "labels": CONTRACT},
            "spec": {"group": GROUP, "scope": "Namespaced", "versions": [version],
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": kind + "List"}}}


def condition(ok, reason, message=""):
    return [{"type": "Ready", "status": "True" if ok else "False", "reason": reason, "message": message,
             "lastTransitionTime": now()}]


class Provider:
    """The provider's controller: looks at everything each half second until it is stopped."""

    def __init__(self, lab, port):
        self.lab, self.port = lab, port
        self.told = set()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join(10)

    def _run(self):
        while not self.ended.wait(0.5):
            for resource, tend in ((CLUSTERS, self.cluster), (CONTROL_PLANES, self.control_plane), (MACHINES, self.machine)):
                for thing in self.lab.get(resource):
                    try:
                        tend(resource, thing)
                    except Exception as error:      # a conflict, or gone meanwhile: the next round sees it
                        print("provider:", error, flush=True)

    def _first(self, thing, what="seen"):
        key = thing["metadata"]["uid"], what
        new = key not in self.told
        self.told.add(key)
        return new

    def _say(self, resource, thing, status):
        m = thing["metadata"]
        self.lab.status(resource, m["namespace"], m["name"], status)

    def cluster(self, resource, thing):
        mood = thing.get("spec", {}).get("mood", "good")
        if not thing["metadata"].get("ownerReferences") or not self._first(thing):
            return
        if mood == "error":
            self._say(resource, thing, {"conditions": condition(
                False, "NetworkQuotaExceeded", "cannot create network: quota of 5 networks is used up")})
        elif mood == "good":
            m = thing["metadata"]
            self.lab.patch(resource, m["namespace"], m["name"],
                           {"spec": {"controlPlaneEndpoint": {"host": "127.0.0.1", "port": self.port}}})
            self._say(resource, thing, {"initialization": {"provisioned": True},
                                        "conditions": condition(True, "Provisioned")})

    def control_plane(self, resource, thing):
        if thing.get("spec", {}).get("mood") == "stuck" or not thing["metadata"].get("ownerReferences"):
            return
        version = thing["spec"]["version"]
        if thing.get("status", {}).get("version") != version:
            one = {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "upToDateReplicas": 1}
            available = [{**c, "type": kind} for kind in ("Ready", "Available") for c in condition(True, "Available")]
            self._say(resource, thing, {"initialization": {"controlPlaneInitialized": True}, "version": version,
                                        "externalManagedControlPlane": True, "selector": "role=control-plane",
                                        **one, "conditions": available})

    def machine(self, resource, thing):
        m, mood = thing["metadata"], thing.get("spec", {}).get("mood", "good")
        if m.get("deletionTimestamp"):
            rest = [f for f in m.get("finalizers", ()) if f != FINALIZER]
            self.lab.patch(resource, m["namespace"], m["name"], {"metadata": {"finalizers": rest}})
            return
        owners = [o for o in m.get("ownerReferences", ()) if o["kind"] == "Machine"]
        if mood == "stuck" or not owners:
            return
        if not self._ready_to_begin(m["namespace"], owners[0]["name"]):
            return
        if mood == "error":
            if self._first(thing):
                self._say(resource, thing, {"conditions": condition(
                    False, "InstanceTypeNotOffered", "instance type x9.huge is not offered in zone b")})
            return
        if not self._first(thing, "began"):
            self._provisioned(resource, thing, mood)

    def _ready_to_begin(self, namespace, machine):
        """A provider waits for the cluster's infrastructure and for bootstrap data."""
        owner = self.lab.get("machines.cluster.x-k8s.io", namespace, machine)
        if not owner or not owner["spec"].get("bootstrap", {}).get("dataSecretName"):
            return False
        cluster = self.lab.get("clusters.cluster.x-k8s.io", namespace, owner["spec"]["clusterName"]) or {}
        return cluster.get("status", {}).get("initialization", {}).get("infrastructureProvisioned")

    def _provisioned(self, resource, thing, mood):
        m = thing["metadata"]
        provider_id = f"fake://{m['name']}"
        if self._first(thing, "provisioned"):
            if mood in ("good", "sick"):
                self._node(m["name"], provider_id)
            self.lab.patch(resource, m["namespace"], m["name"], {
                "metadata": {"finalizers": sorted({*m.get("finalizers", ()), FINALIZER})}, "spec": {"providerID": provider_id}})
            self._say(resource, thing, {"initialization": {"provisioned": True}, "conditions": condition(True, "Provisioned"),
                                        "addresses": [{"type": "InternalIP", "address": "192.0.2.7"}]})

    def _node(self, name, provider_id):
        self.lab.apply([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"fleet": "fake"}},
                         "spec": {"providerID": provider_id,
                                  "taints": [{"key": "fleet", "value": "fake", "effect": "NoSchedule"}]}}])
        self.node_ready(name, True)

    def node_ready(self, name, ready):
        conditions = [{"type": kind, "status": "False", "reason": "Fine", "message": "", "lastHeartbeatTime": now(),
                       "lastTransitionTime": now()} for kind in ("MemoryPressure", "DiskPressure", "PIDPressure")]
        conditions.append({"type": "Ready", "status": "True" if ready else "False", "lastHeartbeatTime": now(),
                           "reason": "KubeletReady" if ready else "KubeletNotReady", "lastTransitionTime": now(),
                           "message": "kubelet is posting ready status" if ready else "container runtime is down"})
        self.lab.status("nodes", None, name, {
            "conditions": conditions, "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "nodeInfo": {k: "x" for k in ("architecture", "bootID", "containerRuntimeVersion", "kernelVersion", "kubeProxyVersion",
                                          "machineID", "operatingSystem", "osImage", "systemUUID")} | {"kubeletVersion": "v1.36.3"}})
