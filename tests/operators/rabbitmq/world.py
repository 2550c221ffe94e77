# SPDX-License-Identifier: Apache-2.0
"""Message brokers of a shop: several replicas, TLS, storage, and requests that the operator refuses."""

import base64
import contextlib
import threading

from lab import ApiError, go

TITLE = "RabbitMQ cluster operator 2.16"
BUILD = [go("github.com/rabbitmq/cluster-operator/v2", "v2.16.0", ".", name="rabbitmq-cluster-operator",
            sum="h1:oYJm+1tXIatGHtiUWyN9hGdO+0eWsXA/j1b81wh0IqI=")]
CRDS = ["config/crd/bases"]
SECONDS = 180
NS = "brokers"
CLUSTERS = "rabbitmqclusters.rabbitmq.com"
FRESH = "rabbitmq.com/createdAt"        # the operator runs a command in the first pod while its StatefulSet has this annotation


def broker(name, replicas=1, image="rabbitmq:4", storage="0", metadata=None, memory="64Mi", **spec):
    return {"apiVersion": "rabbitmq.com/v1beta1", "kind": "RabbitmqCluster",
            "metadata": {"name": name, "namespace": NS, **(metadata or {})},
            "spec": {"replicas": replicas, "image": f"registry.example/{image}", "skipPostDeploySteps": True,
                     "persistence": {"storage": storage} if isinstance(storage, str) else storage,
                     "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"cpu": "50m", "memory": memory}}, **spec}}


def ready(lab, name):
    return lab.condition(CLUSTERS, NS, name, "AllReplicasReady") and lab.condition(CLUSTERS, NS, name, "ReconcileSuccess")


def failed(lab, name, reason):
    found = lab.condition(CLUSTERS, NS, name, "ReconcileSuccess", "False")
    return found and found["reason"] == reason


def first_start(lab, done, started):
    """What the operator's first command in a broker's pod would lead to, as no command can be run in pods that kwok plays."""
    while not done.wait(0.1):
        for s in lab.get("statefulsets.apps", NS):
            if FRESH in s["metadata"].get("annotations", {}):
                started.add(s["metadata"]["name"])
                with contextlib.suppress(ApiError):      # changed or deleted meanwhile
                    lab.patch("statefulsets.apps", NS, s["metadata"]["name"], {"metadata": {"annotations": {FRESH: None}}})


def volumes(count):
    """Storage of the class "disks"; nobody provides any of another class."""
    return [{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disks"}, "provisioner": "kubernetes.io/no-provisioner"}] + [
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"disk-{n}"}, "spec": {
            "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "disks", "hostPath": {"path": f"/disks/{n}"}}}
        for n in range(count)]


def play(lab):
    lab.nodes(3)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in (NS, "rabbitmq-system")])
    lab.start("rabbitmq-cluster-operator", f"--metrics-bind-address=127.0.0.1:{lab.port()}", env={"OPERATOR_NAMESPACE": "rabbitmq-system"})
    done, started = threading.Event(), set()
    helper = threading.Thread(target=first_start, args=(lab, done, started))
    helper.start()
    try:
        story(lab)
        lab.wait("the fresh one starts", lambda: "fresh-server" in started, 20)
    finally:
        done.set()
        helper.join()


def story(lab):
    lab.apply([
        *volumes(2),
        broker("orders", replicas=3),
        broker("stored", replicas=1, storage={"storageClassName": "disks", "storage": "5Gi"}),
        broker("growing", replicas=1),
        broker("upgraded", replicas=3),
        broker("bad-upgrade", replicas=3),
        broker("shrinking", replicas=3),
        broker("parked", replicas=1, metadata={"labels": {"rabbitmq.com/pauseReconciliation": "true"}}),
        broker("stopped", replicas=1),
        broker("off", replicas=1),
        broker("no-image", image="missing-rabbitmq:4"),
        broker("restless", image="crash-rabbitmq:4"),
        broker("no-secret", tls={"secretName": "no-such-certificate"}),
        broker("late-secret", tls={"secretName": "late-certificate"}),
        broker("half-secret", tls={"secretName": "half-certificate"}),
        broker("plain", tls={"disableNonTLSListeners": True}),
        broker("no-class", storage={"storageClassName": "gold", "storage": "5Gi"}),
        broker("smaller-disk", storage={"storageClassName": "disks", "storage": "5Gi"}),
        broker("oversized", override={"statefulSet": {"spec": {"template": {"spec": {"containers": [
            {"name": "rabbitmq", "resources": {"requests": {"cpu": "64"}, "limits": {"cpu": "64"}}}]}}}}}),
        broker("wrong-override", override={"service": {"spec": {"type": "Somewhere"}}}),
        broker("wasteful", memory="128Mi"),
        broker("leaving", metadata={"finalizers": ["example.org/audit"]}),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "half-certificate", "namespace": NS}, "data": {
            "tls.crt": base64.b64encode(b"certificate").decode()}},
    ])
    lab.mark("created")
    for name in ("orders", "growing", "upgraded", "bad-upgrade", "shrinking", "stopped", "off", "stored", "smaller-disk", "leaving"):
        lab.wait(f"{name} is ready", lambda name=name: ready(lab, name), 90)
    lab.wait("plain is refused", lambda: failed(lab, "plain", "TLSError"), 30)
    lab.sleep(1)
    lab.mark("running")
    lab.sleep(0.5)
    change(lab)
    lab.sleep(8)
    lab.mark("settled")
    lab.apply([broker("fresh")])


def change(lab):
    """Sizes, images, certificates and labels change; one broker goes."""
    lab.patch(CLUSTERS, NS, "growing", {"spec": {"replicas": 3}})
    lab.patch(CLUSTERS, NS, "shrinking", {"spec": {"replicas": 1}})
    lab.patch(CLUSTERS, NS, "off", {"spec": {"replicas": 0}})
    lab.patch(CLUSTERS, NS, "upgraded", {"spec": {"image": "registry.example/rabbitmq:5"}})
    lab.patch(CLUSTERS, NS, "bad-upgrade", {"spec": {"image": "registry.example/missing-rabbitmq:5"}})
    lab.patch(CLUSTERS, NS, "smaller-disk", {"spec": {"persistence": {"storage": "1Gi"}}})
    lab.patch(CLUSTERS, NS, "stopped", {"metadata": {"labels": {"rabbitmq.com/pauseReconciliation": "true"}}})
    lab.delete(CLUSTERS, NS, "leaving")
    lab.apply([{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "late-certificate", "namespace": NS}, "data": {
        name: base64.b64encode(name.encode()).decode() for name in ("tls.crt", "tls.key")}}])
    lab.wait("growing has three", lambda: lab.get("statefulsets.apps", NS, "growing-server")["status"].get("readyReplicas") == 3, 60)
    lab.wait("shrinking is refused", lambda: failed(lab, "shrinking", "UnsupportedOperation"), 30)
    lab.wait("upgraded is ready", lambda: lab.get("statefulsets.apps", NS, "upgraded-server")["status"].get("updatedReplicas") == 3
             and ready(lab, "upgraded"), 90)
    lab.wait("the smaller disk is refused", lambda: failed(lab, "smaller-disk", "FailedReconcilePVC"), 30)
    lab.wait("the late certificate is used", lambda: ready(lab, "late-secret"), 120)
    lab.mark("changed")
