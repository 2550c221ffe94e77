"""Many pods, fast: written into etcd behind the API server's back.

Through the API every pod takes two requests and a load of 20,000 takes minutes.
The API server reads JSON from etcd as well as its own protobuf, and etcd takes
JSON requests, many keys in each.
"""

import base64
import concurrent.futures
import json
import uuid

from controlplane import wait_until
from shapes import HOUR, ago

PODS_PER_SET = 50
SETS_PER_NAMESPACE = 10
PODS_PER_NODE = 100
TEMPLATE_HASH = "7c9f5d6b84"             # the same for all, as nobody computes it again
KEYS_PER_TXN = 100                      # etcd takes 128 operations and 1.5 MB


def make_pods(cp, count, prefix="load"):
    """Add `count` Running and Ready pods; returns their namespaces.

    50 pods for each Deployment and its ReplicaSet, ten of these in a namespace,
    100 pods on a Node.  The controllers are stopped meanwhile: they would see
    pods without owners, or owners without pods, and act on it.  A second load
    needs another prefix.
    """
    cp.stop_controllers()
    before = _count_pods(cp)
    batch = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        writes = []
        for key, value in objects(count, prefix):
            batch.append(_put(key, value))
            if len(batch) == KEYS_PER_TXN:
                writes.append(pool.submit(_commit, cp, batch))
                batch = []
        writes.append(pool.submit(_commit, cp, batch))
        for write in writes:
            write.result()
    wait_until("the new pods", lambda: _count_pods(cp) == before + count, 60, 0.1)
    cp.start_controllers()
    sets = -(-count // PODS_PER_SET)
    return [_namespace(prefix, number) for number in range(-(-sets // SETS_PER_NAMESPACE))]


def _count_pods(cp):
    page = cp.get("/api/v1/pods?limit=1")
    return len(page["items"]) + page["metadata"].get("remainingItemCount", 0)


def _commit(cp, batch):
    if batch:
        cp.etcd.request("POST", "/v3/kv/txn", {"success": batch})


def _put(key, value):
    return {"requestPut": {"key": base64.b64encode(key.encode()).decode(),
                           "value": base64.b64encode(value.encode()).decode()}}


# -- the objects ----------------------------------------------------------------

def objects(count, prefix):
    """(etcd key, JSON) of everything, owners before owned."""
    for number in range(-(-count // PODS_PER_NODE)):
        node = _node(f"{prefix}-node-{number}")
        yield f"/registry/minions/{node['metadata']['name']}", json.dumps(node)
    for number in range(-(-count // PODS_PER_SET)):
        namespace = _namespace(prefix, number // SETS_PER_NAMESPACE)
        if number % SETS_PER_NAMESPACE == 0:
            yield f"/registry/namespaces/{namespace}", json.dumps(_namespace_object(namespace))
        pods = min(PODS_PER_SET, count - number * PODS_PER_SET)
        yield from _workload(namespace, f"api-{number}", pods, number * PODS_PER_SET, prefix)


def _workload(namespace, app, pods, first, prefix):
    """A Deployment, its ReplicaSet and the pods."""
    labels = {"app.kubernetes.io/name": app, "app.kubernetes.io/part-of": "shop"}
    deployment = {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": _meta(app, namespace, labels, generation=1,
                          annotations={"deployment.kubernetes.io/revision": "1"}),
        "spec": {"replicas": pods, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels}, "spec": _pod_spec(app)}},
        "status": {"observedGeneration": 1, "replicas": pods, "updatedReplicas": pods,
                   "readyReplicas": pods, "availableReplicas": pods,
                   "conditions": [_true("Available", "MinimumReplicasAvailable"),
                                  _true("Progressing", "NewReplicaSetAvailable")]}}
    labels = labels | {"pod-template-hash": TEMPLATE_HASH}
    replicaset = {
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": _meta(f"{app}-{TEMPLATE_HASH}", namespace, labels, deployment, generation=1,
                          annotations={"deployment.kubernetes.io/desired-replicas": str(pods),
                                       "deployment.kubernetes.io/max-replicas": str(pods + 13),
                                       "deployment.kubernetes.io/revision": "1"}),
        "spec": {"replicas": pods, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels}, "spec": _pod_spec(app)}},
        "status": {"observedGeneration": 1, "replicas": pods, "fullyLabeledReplicas": pods,
                   "readyReplicas": pods, "availableReplicas": pods}}
    for resource, made in (("deployments", deployment), ("replicasets", replicaset)):
        yield f"/registry/{resource}/{namespace}/{made['metadata']['name']}", json.dumps(made)
    template = json.dumps(_pod(replicaset))
    for number in range(first, first + pods):
        name = f"{app}-{TEMPLATE_HASH}-{number % PODS_PER_SET:05d}"
        pod = template
        for placeholder, value in (
                ("@NAME@", name), ("@UID@", str(uuid.uuid4())),
                ("@NODE@", f"{prefix}-node-{number // PODS_PER_NODE}"),
                ("@IP@", f"10.{2 + number // 62500}.{number // 250 % 250}.{number % 250 + 1}"),
                ("@CONTAINER@", f"{number:064x}")):
            pod = pod.replace(placeholder, value)
        yield f"/registry/pods/{namespace}/{name}", pod


def _namespace(prefix, number):
    return f"{prefix}-{number}"


def _meta(name, namespace, labels, owner=None, **more):
    meta = {"name": name, "uid": str(uuid.uuid4()), "labels": labels,
            "creationTimestamp": ago(3 * HOUR), **more}
    if namespace:
        meta["namespace"] = namespace
    if owner:
        meta["ownerReferences"] = [{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
            "blockOwnerDeletion": True,
            **{k: owner["metadata"][k] for k in ("name", "uid")}}]
    return meta


def _true(type, reason=None):
    made = {"type": type, "status": "True", "lastTransitionTime": ago(3 * HOUR)}
    return made | {"reason": reason} if reason else made


def _namespace_object(name):
    return {"apiVersion": "v1", "kind": "Namespace",
            "metadata": _meta(name, None, {"kubernetes.io/metadata.name": name}),
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def _node(name):
    room = {"cpu": "32", "memory": "128Gi", "pods": "250"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": _meta(name, None, {"kubernetes.io/hostname": name}), "spec": {},
            "status": {"capacity": room, "allocatable": room,
                       "conditions": [_true("Ready", "KubeletReady")]}}


def _pod(replicaset):
    """A pod with placeholders for what differs, and managedFields as the API
    server would have added them for controller and kubelet."""
    app = replicaset["spec"]["template"]["spec"]["containers"][0]["name"]
    started = ago(3 * HOUR)
    meta = _meta("@NAME@", replicaset["metadata"]["namespace"],
                 replicaset["spec"]["template"]["metadata"]["labels"], owner=replicaset,
                 generateName=replicaset["metadata"]["name"] + "-") | {"uid": "@UID@"}
    status = {
        "phase": "Running", "qosClass": "Burstable", "startTime": started,
        "hostIP": "192.0.2.9", "hostIPs": [{"ip": "192.0.2.9"}],
        "podIP": "@IP@", "podIPs": [{"ip": "@IP@"}],
        "conditions": [_true(type) for type in (
            "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady",
            "PodScheduled")],
        "containerStatuses": [{
            "name": app, "image": f"shop/{app}:2.7.1", "imageID": f"shop/{app}@sha256:{'5e' * 32}",
            "containerID": "containerd://@CONTAINER@", "ready": True, "started": True,
            "restartCount": 0, "lastState": {}, "state": {"running": {"startedAt": started}}}]}
    spec = _pod_spec(app)
    written = {"metadata": {k: meta[k] for k in ("generateName", "labels")}}
    meta["managedFields"] = [
        _managed("kube-controller-manager", written | {"spec": spec}, started),
        _managed("kubelet", {"status": status}, started, subresource="status")]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta,
            "spec": spec | {"nodeName": "@NODE@"}, "status": status}


def _pod_spec(app):
    """With every default filled in, as the API server stores it."""
    probe = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1,
             "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}}
    return {
        "containers": [{
            "name": app, "image": f"shop/{app}:2.7.1", "imagePullPolicy": "IfNotPresent",
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "env": [{"name": "LOG_LEVEL", "value": "info"}],
            "readinessProbe": probe,
            "resources": {"limits": {"memory": "256Mi"},
                          "requests": {"cpu": "100m", "memory": "256Mi"}},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}],
        "dnsPolicy": "ClusterFirst", "restartPolicy": "Always",
        "schedulerName": "default-scheduler", "securityContext": {},
        "terminationGracePeriodSeconds": 30}


def _managed(manager, written, time, **more):
    return {"manager": manager, "operation": "Update", "apiVersion": "v1", "time": time,
            "fieldsType": "FieldsV1", "fieldsV1": _fields(written), **more}


def _fields(value):
    """The fieldsV1 of what was written: f: for a field, k: for a keyed item."""
    fields = {}
    for name, child in value.items():
        if isinstance(child, dict):
            fields["f:" + name] = _fields(child)
        elif isinstance(child, list) and isinstance(child[0], dict):
            fields["f:" + name] = {".": {}} | {_key(item): {".": {}} | _fields(item)
                                               for item in child}
        else:
            fields["f:" + name] = {}
    return fields


def _key(item):
    """The key of a list item, by the field that such lists are keyed by."""
    key = next(k for k in ("type", "ip", "containerPort", "name") if k in item)
    return "k:" + json.dumps({key: item[key]}, separators=(",", ":"))
