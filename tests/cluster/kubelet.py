"""Stands in for scheduler and kubelet: binds pods to Nodes that exist only as
objects, and writes the status that a kubelet would write."""

import itertools

from controlplane import ApiError
from shapes import ago, condition, now

NODES = ("worker-1", "worker-2")


def add_nodes(cp, names=NODES):
    """Create the Nodes, Ready, with room for everything."""
    for number, name in enumerate(names, 1):
        cp.post("/api/v1/nodes", {"metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64"}}})
        room = {"cpu": "16", "memory": "64Gi", "pods": "250", "ephemeral-storage": "200Gi"}
        cp.patch(f"/api/v1/nodes/{name}/status", {"status": {
            "capacity": room, "allocatable": room,
            "addresses": [{"type": "InternalIP", "address": f"192.0.2.{number}"},
                          {"type": "Hostname", "address": name}],
            "conditions": [condition("Ready", "True", "KubeletReady",
                                     "kubelet is posting ready status",
                                     lastHeartbeatTime=now())]}})


def run_pods(cp, namespaces, missing_images=(), age=0):
    """One round: start what is pending, finish what is being deleted.

    Pods of Jobs complete at once; containers whose image is among
    missing_images end in ImagePullBackOff; all others become Ready.  A pod that
    has a status already keeps it.  age: seconds for which new pods claim to have
    run.  Returns how many pods were changed.
    """
    changed = 0
    for namespace in namespaces:
        for pod in cp.get(f"/api/v1/namespaces/{namespace}/pods")["items"]:
            try:
                changed += _tend(cp, pod, missing_images, age)
            except ApiError as error:
                if error.status not in (404, 409):      # changed since the list was read
                    raise
    return changed


def _tend(cp, pod, missing_images, age):
    """Do what is due for one pod; whether there was anything."""
    meta = pod["metadata"]
    path = pod_path(meta["namespace"], meta["name"])
    if meta.get("deletionTimestamp"):
        if meta.get("finalizers"):
            return False
        cp.delete(path, {"gracePeriodSeconds": 0})
        return True
    if pod["status"].get("containerStatuses"):
        return False
    if not pod["spec"].get("nodeName"):
        cp.post(f"{path}/binding", {"metadata": {"name": meta["name"]}, "target": {
            "kind": "Node", "name": NODES[next(_turn) % len(NODES)]}})
    cp.patch(f"{path}/status", {"status": _first_status(pod, missing_images, ago(age))})
    return True


def crash_pod(cp, namespace, name, restarts, log):
    """Let the only container of a pod fail, again: CrashLoopBackOff."""
    path = pod_path(namespace, name)
    status = cp.get(path)["status"]
    container, time = status["containerStatuses"][0], now()
    container |= {
        "ready": False, "started": False, "restartCount": restarts,
        "state": {"waiting": {
            "reason": "CrashLoopBackOff",
            "message": f"back-off 2m40s restarting failed container={container['name']} "
                       f"pod={name}_{namespace}"}},
        "lastState": {"terminated": {
            "exitCode": 1, "reason": "Error", "message": log, "startedAt": time,
            "finishedAt": time, "containerID": container["containerID"]}}}
    conditions = _conditions(time, "ContainersNotReady", [container["name"]])
    before = {(c["type"], c["status"]): c["lastTransitionTime"] for c in status["conditions"]}
    for c in conditions:
        c["lastTransitionTime"] = before.get((c["type"], c["status"]), time)
    cp.patch(f"{path}/status", {"status": {
        "containerStatuses": [container], "conditions": conditions}})


def pod_path(namespace, name):
    return f"/api/v1/namespaces/{namespace}/pods/{name}"


_turn = itertools.count()


def _first_status(pod, missing_images, time):
    names = [c["name"] for c in pod["spec"]["containers"]]
    bad = [c["name"] for c in pod["spec"]["containers"] if c["image"] in missing_images]
    owners = pod["metadata"].get("ownerReferences", ())
    number = next(_turn)
    address = f"10.1.{number // 250}.{number % 250 + 1}"
    status = {"startTime": time, "hostIP": "192.0.2.1", "podIP": address,
              "podIPs": [{"ip": address}], "phase": "Running", "conditions": _conditions(time)}
    if bad:
        status |= {"phase": "Pending", "conditions": _conditions(time, "ContainersNotReady", bad)}
    elif any(owner["kind"] == "Job" for owner in owners):
        status |= {"phase": "Succeeded", "conditions": _conditions(time, "PodCompleted", names)}
    status["containerStatuses"] = [
        _container(c, number, time, c["name"] in bad, status["phase"] == "Succeeded")
        for c in pod["spec"]["containers"]]
    return status


def _container(container, number, time, missing, done):
    image = container["image"]
    status = {"name": container["name"], "image": image, "imageID": "", "restartCount": 0,
              "ready": False, "started": False}
    if missing:
        status["state"] = {"waiting": {
            "reason": "ImagePullBackOff",
            "message": f'Back-off pulling image "{image}": not found'}}
        return status
    status |= {"imageID": f"sha256:{number:064x}", "containerID": f"containerd://{number:064x}"}
    if done:
        status["state"] = {"terminated": {
            "exitCode": 0, "reason": "Completed", "startedAt": time, "finishedAt": time}}
    else:
        status |= {"ready": True, "started": True, "state": {"running": {"startedAt": time}}}
    return status


def _conditions(time, trouble=None, containers=()):
    """A pod's conditions; trouble: why its containers are not ready."""
    bad = {}
    if trouble:
        bad = {"reason": trouble,
               "message": f"containers with unready status: [{' '.join(containers)}]"}
    return ([{"type": kind, "status": "True", "lastTransitionTime": time}
             for kind in ("PodReadyToStartContainers", "Initialized", "PodScheduled")]
            + [{"type": kind, "status": "False" if trouble else "True",
                "lastTransitionTime": time, **bad} for kind in ("ContainersReady", "Ready")])
