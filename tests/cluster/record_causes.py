#!/usr/bin/env python3
"""Records tests/recordings/causes.jsonl.gz: ten incidents on a real control plane, one after the other, whose first
change is known.  tests/e2e/test_changes_before.py says for each what has to be found.

    record_causes.py [FILE]
"""
import os
import signal
import subprocess
import sys
import time

from controlplane import ApiError, ControlPlane, wait_until
from crds import apply_crds
from incident import APPCAT, ORC, RELEASE, World, make
from kubelet import add_nodes, pod_path
from shapes import HOUR, condition, crossplane_ready, now, orc_ready, orc_terminal, orc_waiting

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RACK = "rack-7"
APART = 3               # s: between a change and what fails by it
KEYS = {"containers": [{"name": "app", "image": "shop/app:1", "envFrom": [{"configMapRef": {"name": "settings"}}],
                        "volumeMounts": [{"name": "db", "mountPath": "/db"}]}],
        "volumes": [{"name": "db", "secret": {"secretName": "db"}}]}


class Causes(World):
    """Every incident has a namespace of its own, with a Deployment that is changed and has nothing to do with it."""

    incidents = ("image", "stateful", "node", "secret", "config", "quota", "webhook", "network", "claim", "operator")

    def create(self):
        self._pod_age = HOUR
        add_nodes(self.cp)
        add_nodes(self.cp, [RACK])
        self._put(make("v1", "Namespace", "", name) for name in (*self.incidents, "orc-system"))
        self._put(self._parts())
        self._put(self._owned_parts())
        self._until("workloads", lambda: all(
            self._ready(kind, namespace, name) for kind, namespace, name in self._made if kind in ("Deployment", "StatefulSet")))
        self._pod_age = 0

    def play_all(self):
        for name in self.incidents:
            before, after = getattr(self, f"_{name}_changes"), getattr(self, f"_{name}_fails")
            print(time.strftime("%H:%M:%S"), name, flush=True)
            before()
            self._rest(APART / 2)
            self._patch("Deployment", name, "other", {"spec": {"template": self._template("other", "shop/other:2")}})
            self._rest(APART / 2)
            after()
            self._rest(APART)

    # -- the quiet day -----------------------------------------------------------

    def _parts(self):
        for name in self.incidents:
            yield self._deployment(name, "other", "shop/other:1", 1)
        for name in ("image", "quota", "webhook"):
            yield self._running(name)
        yield self._running("node", nodeName=RACK)
        for name in ("secret", "config"):
            yield make("v1", "ConfigMap", name, "settings") | {"data": {"url": "db:5432"}}
            yield make("v1", "Secret", name, "db") | {"stringData": {"password": "not-a-secret"}}
            yield self._running(name, **KEYS)
        yield make("v1", "ResourceQuota", "quota", "team", {"hard": {"pods": "10"}})
        yield make("apps/v1", "StatefulSet", "stateful", "db", {
            "replicas": 2, "serviceName": "db", "podManagementPolicy": "Parallel", "selector": {"matchLabels": {"app": "db"}},
            "template": self._template("db", "shop/db:1")})
        yield self._deployment("orc-system", "orc-controller-manager", "orc/manager:v2.0.0", 1,
                               labels={"control-plane": "controller-manager"})
        for namespace in ("network", "operator"):
            yield make("v1", "Secret", namespace, "clouds") | {"stringData": {"clouds.yaml": "{}"}}
            yield self._orc_of("Network", namespace, "net", {}, orc_ready("1", status="ACTIVE"))
        yield self._orc_of("Subnet", "network", "a", {"networkRef": "net", "ipVersion": 4, "cidr": "10.0.0.0/24"}, orc_ready("2"))
        yield make(APPCAT, "VSHNRedis", "claim", "cache", {
            "parameters": {"size": {"plan": "standard-4"}}, "compositionRef": {"name": "redis"},
            "resourceRef": {"apiVersion": APPCAT, "kind": "XVSHNRedis", "name": "cache-x1"}},
            {"conditions": crossplane_ready(), "instanceNamespace": "claim"})
        yield make(APPCAT, "XVSHNRedis", "", "cache-x1", {
            "parameters": {"size": {"plan": "standard-4"}}, "compositionRef": {"name": "redis"},
            "claimRef": {"apiVersion": APPCAT, "kind": "VSHNRedis", "namespace": "claim", "name": "cache"},
            "resourceRefs": [{"apiVersion": RELEASE, "kind": "Release", "name": "cache-x1"}]},
            {"conditions": crossplane_ready(), "instanceNamespace": "claim"}, labels=self._labels())

    def _owned_parts(self):
        yield make(RELEASE, "Release", "", "cache-x1", {
            "forProvider": {"namespace": "claim", "chart": {"name": "redis", "version": "1"}}, "providerConfigRef": {"name": "helm"}},
            {"conditions": crossplane_ready(), "atProvider": {"state": "deployed", "revision": 1}, "synced": True},
            ownerReferences=self._owner("XVSHNRedis", "", "cache-x1"), labels=self._labels())

    @staticmethod
    def _labels():
        return {"crossplane.io/claim-namespace": "claim", "crossplane.io/claim-name": "cache", "crossplane.io/composite": "cache-x1"}

    def _running(self, namespace, **spec):
        made = self._deployment(namespace, "app", "shop/app:1", 2)
        made["spec"]["template"]["spec"].update(spec)
        return made

    @staticmethod
    def _orc_of(kind, namespace, name, resource, status=None):
        return make(ORC, kind, namespace, name, {
            "managementPolicy": "managed", "resource": resource, "cloudCredentialsRef": {"secretName": "clouds", "cloudName": "c"}}, status)

    # -- tools ---------------------------------------------------------------------

    def tend(self):
        """A pod of a namespace in which nothing can be made any more is no reason to end."""
        try:
            return super().tend()
        except ApiError:
            return 0

    def _rest(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.tend()
            time.sleep(0.2)

    def _patch(self, kind, namespace, name, body):
        self.cp.patch(self._made[kind, namespace, name][0], body)

    def _delete(self, kind, namespace, name):
        self.cp.delete(self._made[kind, namespace, name][0])

    def _image(self, kind, namespace, name, image):
        self._patch(kind, namespace, name, {"spec": {"template": self._template(name, image)}})

    def _pods(self, namespace, app):
        return [p["metadata"]["name"] for p in self.cp.get(f"/api/v1/namespaces/{namespace}/pods")["items"]
                if p["metadata"]["labels"].get("app") == app and not p["metadata"].get("deletionTimestamp")]

    def _fails(self, namespace, pod, reason, message):
        """A container that does not run, as a kubelet writes it."""
        path, time_ = pod_path(namespace, pod), now()
        status = self.cp.get(path)["status"]
        container = status["containerStatuses"][0] | {
            "ready": False, "started": False, "state": {"waiting": {"reason": reason, "message": message}}}
        if reason == "CrashLoopBackOff":
            container["restartCount"] = 3
            container["lastState"] = {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": time_, "finishedAt": time_}}
        conditions = [c | ({"status": "False", "lastTransitionTime": time_, "reason": "ContainersNotReady"}
                           if c["type"] in ("Ready", "ContainersReady") else {}) for c in status["conditions"]]
        self.cp.patch(f"{path}/status", {"status": {"containerStatuses": [container], "conditions": conditions}})

    # -- the incidents: what changes, what fails by it -------------------------------

    def _image_changes(self):
        self._image("Deployment", "image", "app", "shop/app:2")

    def _image_fails(self):
        for pod in self._pods("image", "app"):
            if self.cp.get(pod_path("image", pod))["spec"]["containers"][0]["image"] == "shop/app:2":
                self._fails("image", pod, "CrashLoopBackOff", "back-off 40s restarting failed container=app")

    def _stateful_changes(self):
        self._image("StatefulSet", "stateful", "db", "shop/db:2")

    def _stateful_fails(self):
        self._fails("stateful", "db-1", "ImagePullBackOff", 'Back-off pulling image "shop/db:2"')

    def _node_changes(self):
        self.cp.patch(f"/api/v1/nodes/{RACK}/status", {"status": {"conditions": [condition(
            "Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")]}})

    def _node_fails(self):
        """As the node lifecycle controller does, which needs kubelets to run."""
        for pod in self._pods("node", "app"):
            path = pod_path("node", pod)
            conditions = [c | ({"status": "False", "lastTransitionTime": now()} if c["type"] == "Ready" else {})
                          for c in self.cp.get(path)["status"]["conditions"]]
            self.cp.patch(f"{path}/status", {"status": {"conditions": conditions}})

    def _secret_changes(self):
        self._delete("Secret", "secret", "db")

    def _secret_fails(self):
        self._fails("secret", self._pods("secret", "app")[0], "CreateContainerConfigError", 'secret "db" not found')

    def _config_changes(self):
        self._patch("ConfigMap", "config", "settings", {"data": {"url": "db:5433"}})

    def _config_fails(self):
        for pod in self._pods("config", "app"):
            self._fails("config", pod, "CrashLoopBackOff", "back-off 40s restarting failed container=app")

    def _quota_changes(self):
        self._patch("ResourceQuota", "quota", "team", {"spec": {"hard": {"pods": "3"}}})

    def _quota_fails(self):
        self._patch("Deployment", "quota", "app", {"spec": {"replicas": 5}})

    def _webhook_changes(self):
        self.cp.post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
            "metadata": {"name": "policy"}, "webhooks": [{
                "name": "policy.example.org", "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "webhook"}},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
                "clientConfig": {"service": {"namespace": "policy-system", "name": "policy"}}}]})

    def _webhook_fails(self):
        for pod in self._pods("webhook", "app"):
            self.cp.delete(pod_path("webhook", pod), {"gracePeriodSeconds": 0})

    def _network_changes(self):
        self._patch("Network", "network", "net", {"spec": {"resource": {"description": "of the web shop"}}})

    def _network_fails(self):
        failed = orc_terminal("InvalidConfiguration", "invalid configuration updating resource: description is too long")
        for c in failed["conditions"]:
            c["observedGeneration"] = 2
        self._set_status("Network", "network", "net", failed)
        self._set_status("Subnet", "network", "a", orc_waiting("Waiting for Network/net to be ready"))

    def _claim_changes(self):
        plan = {"spec": {"parameters": {"size": {"plan": "enormous-64"}}}}
        self._patch("VSHNRedis", "claim", "cache", plan)
        self._patch("XVSHNRedis", "", "cache-x1", plan)

    def _claim_fails(self):
        self._patch("Release", "", "cache-x1", {"spec": {"forProvider": {"values": {"memory": "64Gi"}}}})
        self._set_status("Release", "", "cache-x1", {"atProvider": {"state": "failed", "revision": 2}, "conditions": [
            condition("Synced", "False", "ReconcileError", "cannot upgrade release: exceeded quota"),
            condition("Ready", "False", "Unavailable")]})

    def _operator_changes(self):
        self._patch("Deployment", "orc-system", "orc-controller-manager", {"spec": {"replicas": 0}})

    def _operator_fails(self):
        self._put([self._orc_of("Subnet", "operator", "late", {"networkRef": "net", "ipVersion": 4, "cidr": "10.1.0.0/24"})])


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "tests", "recordings", "causes.jsonl.gz")
    with ControlPlane() as cp:
        apply_crds(cp)
        world = Causes(cp)
        world.create()
        cp.grant_oncall()
        config = cp.kubeconfig("oncall", groups=("oncall",), namespace="image", context="prod-eu")
        program = subprocess.Popen([os.path.join(ROOT, "kubectl-status"), "-A", "-w", "-o", "json", "--record", path],
                                   stdout=subprocess.DEVNULL, env={**os.environ, "KUBECONFIG": config})
        wait_until("the recording to begin", lambda: os.path.exists(path), 20)
        world._rest(APART)
        world.play_all()
        program.send_signal(signal.SIGINT)
        program.wait(20)
    print("%s: %d bytes" % (path, os.path.getsize(path)))


if __name__ == "__main__":
    main()
