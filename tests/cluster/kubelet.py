"""Stands in for scheduler and kubelet: binds pods to Nodes that exist only as
objects, and writes the status that a kubelet would write."""

import contextlib
import http.server
import itertools
import json
import ssl
import threading

from controlplane import TO_KUBELETS, ApiError
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


# -- what a kubelet writes when a pod does not work --------------------------------

def running(at):
    return {"running": {"startedAt": at}}


def waiting(reason, message=""):
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


def ended(code, reason, begun, at, message=""):
    return {"terminated": {"exitCode": code, "reason": reason, "startedAt": begun, "finishedAt": at,
                           "containerID": f"containerd://{next(_turn):064x}",
                           **({"message": message} if message else {})}}


def backs_off(pod, container, delay="40s"):
    """As doBackOff() in pkg/kubelet/kuberuntime/kuberuntime_manager.go writes it."""
    meta = pod["metadata"]
    return waiting("CrashLoopBackOff", f"back-off {delay} restarting failed container={container} "
                                       f"pod={meta['name']}_{meta['namespace']}({meta['uid']})")


def write_pod(cp, pod, at, state, phase="Running", ready=False, **container):
    """The status of a pod whose containers are all in one state since `at`: bound to a node first where it is not.

    container: further fields of each container's status, such as restartCount and lastState.
    """
    meta, spec = pod["metadata"], pod["spec"]
    path = pod_path(meta["namespace"], meta["name"])
    before = cp.get(path)
    if not before["spec"].get("nodeName"):
        cp.post(f"{path}/binding", {"metadata": {"name": meta["name"]}, "target": {
            "kind": "Node", "name": NODES[next(_turn) % len(NODES)]}})
    names = [c["name"] for c in spec["containers"]]
    trouble = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(phase, "ContainersNotReady")
    conditions = _conditions(at, None if ready else trouble, names)
    if "waiting" in state and phase == "Pending" and state["waiting"]["reason"] == "ContainerCreating":
        conditions[0] |= {"status": "False"}
    known = {(c["type"], c["status"]): c["lastTransitionTime"] for c in before["status"].get("conditions", ())}
    for c in conditions:
        c["lastTransitionTime"] = known.get((c["type"], c["status"]), at)
    statuses = [{"name": c["name"], "image": c["image"], "imageID": "", "restartCount": 0, "ready": ready,
                 "started": "running" in state, "state": state, **container} for c in spec["containers"]]
    return cp.patch(f"{path}/status", {"status": {
        "phase": phase, "startTime": before["status"].get("startTime", at), "hostIP": "192.0.2.1",
        "conditions": conditions, "containerStatuses": statuses,
        **({} if "waiting" in state else _address(before))}})


def _address(pod):
    """The pod's address, one for its life."""
    number = next(_turn)
    address = pod["status"].get("podIP") or f"10.1.{number // 250}.{number % 250 + 1}"
    return {"podIP": address, "podIPs": [{"ip": address}]}


class Recorder:
    """Writes Events as client-go's tools/record does: what is said again is counted in the Event that is there."""

    def __init__(self, cp, component, host=""):
        self.cp, self.source = cp, {"component": component, **({"host": host} if host else {})}
        self._known = {}

    def tell(self, involved, at, reason, message, *, count=1, type="Warning", container=None, first=None):
        """One Event about an object, said `count` times until `at`, first at `first`."""
        meta = involved["metadata"]
        namespace = meta.get("namespace", "default")
        key = involved["kind"], namespace, meta["name"], reason, message
        if key in self._known:
            path = f"/api/v1/namespaces/{namespace}/events/{self._known[key]}"
            return self.cp.patch(path, {"count": count, "lastTimestamp": at})
        about = {"apiVersion": involved.get("apiVersion", "v1"), "kind": involved["kind"], "name": meta["name"],
                 "uid": meta["uid"], **({"namespace": meta["namespace"]} if "namespace" in meta else {})}
        if container:
            about["fieldPath"] = f"spec.containers{{{container}}}"
        made = self.cp.post(f"/api/v1/namespaces/{namespace}/events", {
            "metadata": {"generateName": f"{meta['name']}."}, "type": type, "reason": reason, "message": message,
            "source": self.source, "reportingComponent": self.source["component"],
            "count": count, "firstTimestamp": first or at, "lastTimestamp": at, "involvedObject": about})
        self._known[key] = made["metadata"]["name"]
        return made


# -- a kubelet's own port ------------------------------------------------------------

class _Port(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        subject = dict(pair for rdn in self.connection.getpeercert()["subject"] for pair in rdn)
        answer = self.server.answers.get(self.path) if subject.get("commonName") == TO_KUBELETS else None
        self.server.asked.append(self.path)
        body = json.dumps(answer).encode() if answer is not None else b"404 page not found\n"
        self.send_response(404 if answer is None else 200)
        self.send_header("Content-Type", "text/plain" if answer is None else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def listening(cp, node, address, answers):
    """A Node whose kubelet listens with TLS, lets in the API server alone, and answers its paths.

    address: of this host, and not loopback, which the API server does not proxy to.  Yields the paths that were asked.
    After it nobody listens there, and the Node stays.
    """
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=cp.dir / "ca.crt")
    tls.load_cert_chain(cp.dir / "server.crt", cp.dir / "server.key")
    tls.verify_mode = ssl.CERT_REQUIRED
    with http.server.ThreadingHTTPServer((address, 0), _Port) as port:
        port.socket = tls.wrap_socket(port.socket, server_side=True)
        port.answers, port.asked = answers, []
        thread = threading.Thread(target=port.serve_forever, daemon=True)
        thread.start()
        cp.post("/api/v1/nodes", {"metadata": {"name": node}})
        cp.patch(f"/api/v1/nodes/{node}/status", {"status": {
            "addresses": [{"type": "InternalIP", "address": address}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": port.server_port}},
            "conditions": [condition("Ready", "True", "KubeletReady", "kubelet is posting ready status", lastHeartbeatTime=now())]}})
        try:
            yield port.asked
        finally:
            port.shutdown()
            thread.join()
