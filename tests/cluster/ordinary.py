# SPDX-License-Identifier: Apache-2.0
"""The ordinary incidents on a real API server: what an administrator is paged for, each in a namespace of its own.

An incident is a generator.  It goes on once for each of MOMENTS and yields when all that is known then is
written: what kubelets, the scheduler and storage drivers write comes from here, all else from the real controllers.

The story's time is the program's (--as-of): nobody sleeps.  It begins when the objects are made, or, for what has
worked before (`old`), an hour later.  Only what the servers write has the real time.
"""

import concurrent.futures
import contextlib
import time

from cases import discover
from controlplane import ApiError, wait_until
from incident import CORE_KINDS
from kubelet import Recorder, backs_off, ended, pod_path, running, waiting, write_pod
from shapes import HOUR

MOMENTS = {"soon": 5, "2m": 120, "15m": 900, "healed": 4 * HOUR}     # seconds after the beginning
HEALS = 1200                                                        # s: what heals does so then
PATIENCE = 180                                                      # s: for the real controllers

INCIDENTS = {}          # name: (generator function, whether it had worked before)


def incident(old=False):
    def register(play):
        INCIDENTS[play.__name__.replace("_", "-")] = play, old
        return play
    return register


@contextlib.contextmanager
def gone_is_fine():
    """A controller may have removed the object meanwhile."""
    try:
        yield
    except ApiError as error:
        if error.status != 404:
            raise


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


class Scene:
    """One incident in its namespace; begins: the story's beginning, in seconds since 1970."""

    def __init__(self, cp, kinds, name, begins):
        self.cp, self.kinds, self.name, self.begins = cp, kinds, "in-" + name, begins
        self.others = []        # paths of what is in no namespace
        self.recorders = {}
        self.names = {}         # app: its first pod; rs_app: that pod's ReplicaSet

    def at(self, seconds):
        return stamp(self.begins + seconds)

    # -- objects -----------------------------------------------------------------

    def path(self, api, kind, name=None, namespace=None):
        base, plural, namespaced = self.kinds[api, kind]
        where = f"/namespaces/{namespace or self.name}" if namespaced else ""
        return f"{base}{where}/{plural}" + (f"/{name}" if name else "")

    def put(self, api, kind, name, spec=None, status=None, **more):
        meta = {"name": name, **{k: more.pop(k) for k in ("labels", "annotations", "finalizers") if k in more}}
        made = self.cp.post(self.path(api, kind), {
            "apiVersion": api, "kind": kind, "metadata": meta, **({} if spec is None else {"spec": spec}), **more})
        path = self.path(api, kind, name)
        if not self.kinds[api, kind][2]:
            self.others.append(path)
        if status is not None:
            made = self.cp.patch(f"{path}/status", {"status": status})
        return made

    def change(self, api, kind, name, patch, sub=""):
        return self.cp.patch(self.path(api, kind, name) + sub, patch)

    def get(self, api, kind, name):
        return self.cp.get(self.path(api, kind, name))

    def until(self, what, condition):
        return wait_until(f"{self.name}: {what}", condition, PATIENCE, 0.05)

    def until_condition(self, api, kind, name, **wanted):
        """Until an object has a condition with these fields."""
        def there():
            return any(wanted.items() <= c.items() for c in self.get(api, kind, name).get("status", {}).get("conditions", ()))
        self.until(f"{kind}/{name} {wanted}", there)

    def until_refused(self, app):
        """Until the Deployment says that pods of it are refused."""
        self.until_condition("apps/v1", "Deployment", app, type="ReplicaFailure")

    def tell(self, component, involved, at, reason, message, **more):
        if component not in self.recorders:
            host = "worker-1" if component == "kubelet" else ""
            self.recorders[component] = Recorder(self.cp, component, host)
        return self.recorders[component].tell(involved, self.at(at), reason, message, **more)

    def told(self, kind, name, reason):
        """Whether a real controller has written such an Event."""
        return any(e["reason"] == reason and e["involvedObject"]["kind"] == kind and e["involvedObject"]["name"] == name
                   for e in self.cp.get(f"/api/v1/namespaces/{self.name}/events")["items"])

    # -- workloads ---------------------------------------------------------------

    def deployment(self, app, replicas=1, template=None, **container):
        pod = template or {}
        return self.put("apps/v1", "Deployment", app, {
            "replicas": replicas, "selector": {"matchLabels": {"app": app}},
            "template": {"metadata": {"labels": {"app": app}}, "spec": {**pod, "containers": [
                {"name": app, "image": f"registry.example.test/{app}:1.0", **container}]}}})

    def service(self, name, selector=None, port=80, target=8080, **spec):
        return self.put("v1", "Service", name, {
            "selector": selector or {"app": name}, "ports": [{"port": port, "targetPort": target}], **spec})

    def listed(self, app):
        return self.cp.get(f"/api/v1/namespaces/{self.name}/pods?labelSelector=app={app}")["items"]

    def pods(self, app, count=1):
        """The pods that the controllers made, at least so many, oldest first."""
        def there():
            found = [{"apiVersion": "v1", "kind": "Pod", **p} for p in self.listed(app)
                     if "deletionTimestamp" not in p["metadata"]]
            return len(found) >= count and sorted(found, key=lambda p: p["metadata"]["name"])
        pods = self.until(f"{count} pods of {app}", there)
        self.names.setdefault(app, pods[0]["metadata"]["name"])
        self.names.setdefault("rs_" + app, next((o["name"] for o in pods[0]["metadata"].get("ownerReferences", ())), None))
        return pods

    def run(self, pods, at=0):
        for pod in pods:
            write_pod(self.cp, pod, self.at(at), running(self.at(at)), ready=True)

    def settled(self, app, ready):
        """Until the Deployment's own status says so."""
        def done():
            d = self.get("apps/v1", "Deployment", app)
            return (d["status"].get("observedGeneration") == d["metadata"]["generation"]
                    and d["status"].get("readyReplicas", 0) == ready)
        self.until(f"{app} has {ready} ready", done)

    def serving(self, name, count):
        """Until the Service's EndpointSlices have so many ready addresses."""
        def done():
            slices = self.cp.get(f"/apis/discovery.k8s.io/v1/namespaces/{self.name}/endpointslices?"
                                 f"labelSelector=kubernetes.io/service-name={name}")["items"]
            return slices and count == sum(1 for s in slices for e in s.get("endpoints") or () if e["conditions"]["ready"])
        self.until(f"{name} has {count} endpoints", done)

    def remove(self):
        for path in self.others:
            with contextlib.suppress(ApiError):
                self.cp.patch(path, {"metadata": {"finalizers": None}})
                self.cp.delete(path)
        with contextlib.suppress(ApiError):
            self.cp.delete(f"/api/v1/namespaces/{self.name}")


# -- a Service and what it leads to ---------------------------------------------------

@incident()
def selector(s):
    s.deployment("search", 2)
    s.service("search", {"app": "serach"})
    s.run(s.pods("search", 2))
    s.settled("search", 2)
    yield
    yield
    yield
    s.change("v1", "Service", "search", {"spec": {"selector": {"app": "search"}}})
    s.serving("search", 2)
    yield


@incident(old=True)
def selector_of_old(s):
    """It served before somebody changed the selector."""
    s.deployment("find", 2)
    s.service("find")
    s.run(s.pods("find", 2), -3000)
    s.serving("find", 2)
    s.change("v1", "Service", "find", {"spec": {"selector": {"app": "fnid"}}})
    s.serving("find", 0)
    yield
    yield
    yield
    s.change("v1", "Service", "find", {"spec": {"selector": {"app": "find"}}})
    s.serving("find", 2)
    yield


@incident()
def port(s):
    s.deployment("shop", 2, ports=[{"name": "http", "containerPort": 8080}])
    s.service("shop", target="htpp")
    s.run(s.pods("shop", 2))
    s.settled("shop", 2)
    yield
    yield
    yield
    s.change("v1", "Service", "shop", {"spec": {"ports": [{"port": 80, "targetPort": "http"}]}})
    s.serving("shop", 2)
    yield


@incident(old=True)
def zero(s):
    s.deployment("api", 2)
    s.service("api")
    s.deployment("front", env=[{"name": "API_URL", "value": f"http://api.{s.name}.svc:80/v1"}])
    s.run(s.pods("api", 2) + s.pods("front"), -3000)
    s.serving("api", 2)
    s.change("apps/v1", "Deployment", "api", {"spec": {"replicas": 0}})
    s.until("no pod", lambda: not _tend(s, "api"))
    s.serving("api", 0)
    s.settled("api", 0)
    yield
    yield
    yield
    s.change("apps/v1", "Deployment", "api", {"spec": {"replicas": 2}})
    s.run(s.pods("api", 2), HEALS)
    s.serving("api", 2)
    s.settled("api", 2)
    yield


def _tend(s, app):
    """Removes what is being deleted, as its kubelet does; the pods that are left."""
    pods = s.listed(app)
    for pod in pods:
        if "deletionTimestamp" in pod["metadata"]:
            with gone_is_fine():
                s.cp.delete(pod_path(s.name, pod["metadata"]["name"]), {"gracePeriodSeconds": 0})
    return pods


# -- containers -----------------------------------------------------------------------

def _loops(s, pod, at, last, restarts, first, runs=None, delay="10s"):
    """A container that ended `restarts` times by `at`; runs: it was started again then, else it is held back.

    Event and message: doBackOff() in pkg/kubelet/kuberuntime/kuberuntime_manager.go.
    """
    name = pod["spec"]["containers"][0]["name"]
    state = running(s.at(runs)) if runs is not None else backs_off(pod, name, delay)
    write_pod(s.cp, pod, s.at(at), state, ready=runs is not None, restartCount=restarts, lastState=last)
    if restarts > 1 or runs is None:
        meta = pod["metadata"]
        s.tell("kubelet", pod, at, "BackOff", f"Back-off restarting failed container {name} in pod "
               f"{meta['name']}_{meta['namespace']}({meta['uid']})", count=4 * restarts, container=name, first=s.at(first))


@incident(old=True)
def out_of_memory(s):
    s.deployment("cache", resources={"limits": {"memory": "64Mi"}})
    s.service("cache")
    [pod] = s.pods("cache")
    s.run([pod], -3000)
    s.settled("cache", 1)

    def killed(begun, at):
        return ended(137, "OOMKilled", s.at(begun), s.at(at))
    _loops(s, pod, 1, killed(-3000, 0), 1, 0, runs=1)
    yield
    _loops(s, pod, 118, killed(71, 90), 3, 20, delay="40s")
    s.settled("cache", 0)
    yield
    _loops(s, pod, 898, killed(731, 750), 7, 20, delay="5m0s")
    yield
    _loops(s, pod, HEALS, killed(731, 750), 8, 20, runs=HEALS)
    s.settled("cache", 1)
    yield


@incident(old=True)
def liveness(s):
    s.deployment("web", livenessProbe={"httpGet": {"path": "/healthz", "port": 8080}})
    [pod] = s.pods("web")
    s.run([pod], -3000)
    s.settled("web", 1)

    def probe(at, count):
        # pkg/kubelet/prober/prober.go, pkg/kubelet/kuberuntime/kuberuntime_container.go
        s.tell("kubelet", pod, at, "Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 500",
               count=count, container="web", first=s.at(-20))
        s.tell("kubelet", pod, at, "Killing", "Container web failed liveness probe, will be restarted",
               count=max(1, count // 3), container="web", type="Normal", first=s.at(0))
    probe(0, 3)
    _loops(s, pod, 2, ended(0, "Completed", s.at(-3000), s.at(1)), 1, 0, runs=2)
    yield
    probe(100, 9)
    _loops(s, pod, 102, ended(0, "Completed", s.at(41), s.at(71)), 3, 31, runs=91)
    yield
    probe(821, 24)
    _loops(s, pod, 880, ended(0, "Completed", s.at(791), s.at(821)), 7, 31, delay="5m0s")
    s.settled("web", 0)
    yield
    _loops(s, pod, HEALS, ended(0, "Completed", s.at(791), s.at(821)), 8, 31, runs=HEALS)
    s.settled("web", 1)
    yield


@incident(old=True)
def readiness(s):
    s.deployment("books", readinessProbe={"httpGet": {"path": "/ready", "port": 8080}})
    s.service("books")
    [pod] = s.pods("books")
    s.run([pod], -3000)
    s.serving("books", 1)

    def fails(at, count):
        write_pod(s.cp, pod, s.at(0), running(s.at(-3000)), ready=False)
        s.tell("kubelet", pod, at, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503",
               count=count, container="books", first=s.at(-20))
    fails(0, 3)
    s.serving("books", 0)
    s.settled("books", 0)
    yield
    fails(115, 15)
    yield
    fails(895, 93)
    yield
    write_pod(s.cp, pod, s.at(HEALS), running(s.at(-3000)), ready=True)
    s.serving("books", 1)
    s.settled("books", 1)
    yield


@incident()
def never_ready(s):
    """Its readiness probe has failed since it was made."""
    s.deployment("ledger", readinessProbe={"tcpSocket": {"port": 5432}})
    [pod] = s.pods("ledger")

    def fails(at, count):
        write_pod(s.cp, pod, s.at(0), running(s.at(0)), ready=False)
        s.tell("kubelet", pod, at, "Unhealthy", "Readiness probe failed: dial tcp 10.1.0.9:5432: connect: connection refused",
               count=count, container="ledger", first=s.at(3))
    fails(4, 1)
    yield
    fails(118, 12)
    yield
    fails(895, 88)
    _deadline(s, "ledger")
    yield
    write_pod(s.cp, pod, s.at(HEALS), running(s.at(0)), ready=True)
    s.settled("ledger", 1)
    yield


def _deadline(s, app):
    """The Deployment's controller finds that the rollout takes too long: the real one would do so after ten minutes."""
    s.change("apps/v1", "Deployment", app, {"spec": {"progressDeadlineSeconds": 1}})
    s.until_condition("apps/v1", "Deployment", app, reason="ProgressDeadlineExceeded")


@incident()
def image(s):
    s.deployment("pages")
    [pod] = s.pods("pages")
    name = "registry.example.test/pages:1.0"
    why = (f'failed to pull and unpack image "{name}": failed to resolve reference "{name}": '
           f'{name}: not found')

    def fails(at, count, state):
        # pkg/kubelet/images/image_manager.go
        write_pod(s.cp, pod, s.at(0), state, phase="Pending")
        s.tell("kubelet", pod, at, "Failed", f'Failed to pull image "{name}": rpc error: code = NotFound desc = {why}',
               count=count, container="pages", first=s.at(2))
        s.tell("kubelet", pod, at, "Failed", "Error: ErrImagePull", count=count, container="pages", first=s.at(2))
    fails(2, 1, waiting("ErrImagePull", f"rpc error: code = NotFound desc = {why}"))
    yield
    held = waiting("ImagePullBackOff", f'Back-off pulling image "{name}": ErrImagePull: rpc error: code = NotFound desc = {why}')
    fails(100, 4, held)
    s.tell("kubelet", pod, 118, "Failed", "Error: ImagePullBackOff", count=6, container="pages", first=s.at(3))
    s.tell("kubelet", pod, 118, "BackOff", f'Back-off pulling image "{name}"', count=6, container="pages", type="Normal",
           first=s.at(3))
    yield
    fails(840, 7, held)
    s.tell("kubelet", pod, 895, "Failed", "Error: ImagePullBackOff", count=60, container="pages", first=s.at(3))
    _deadline(s, "pages")
    yield
    s.run([pod], HEALS)
    s.settled("pages", 1)
    yield


@incident()
def sandbox(s):
    s.deployment("mail")
    [pod] = s.pods("mail")

    def fails(at, count):
        # pkg/kubelet/kuberuntime/kuberuntime_manager.go, the reason of pkg/kubelet/events
        write_pod(s.cp, pod, s.at(0), waiting("ContainerCreating"), phase="Pending")
        s.tell("kubelet", pod, at, "FailedCreatePodSandBox", "Failed to create pod sandbox: rpc error: code = Unknown "
               'desc = failed to setup network for sandbox "8f1c": plugin type="host-local" failed (add): failed to allocate '
               "for range 0: no IP addresses available in range set: 10.1.4.1-10.1.4.254", count=count, first=s.at(2))
    fails(3, 1)
    yield
    fails(110, 9)
    yield
    fails(890, 70)
    _deadline(s, "mail")
    yield
    s.run([pod], HEALS)
    s.settled("mail", 1)
    yield


@incident()
def mount(s):
    s.deployment("files", template={"volumes": [{"name": "keys", "secret": {"secretName": "files-keys"}}]},
                 volumeMounts=[{"name": "keys", "mountPath": "/keys"}])
    [pod] = s.pods("files")

    def fails(at, count):
        # pkg/kubelet/volumemanager, pkg/volume/secret/secret.go
        write_pod(s.cp, pod, s.at(0), waiting("ContainerCreating"), phase="Pending")
        s.tell("kubelet", pod, at, "FailedMount", 'MountVolume.SetUp failed for volume "keys" : secret "files-keys" not found',
               count=count, first=s.at(1))
    fails(3, 3)
    yield
    fails(110, 8)
    yield
    fails(800, 14)
    s.tell("kubelet", pod, 860, "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[keys], unattached "
           "volumes=[], failed to process volumes=[]: timed out waiting for the condition", count=6, first=s.at(124))
    yield
    s.put("v1", "Secret", "files-keys", stringData={"key": "none"})
    s.run([pod], HEALS)
    s.settled("files", 1)
    yield


@incident()
def host_path(s):
    s.deployment("probe", template={"volumes": [{"name": "sock", "hostPath": {"path": "/run/probe.sock", "type": "Socket"}}]},
                 volumeMounts=[{"name": "sock", "mountPath": "/sock"}])
    [pod] = s.pods("probe")

    def fails(at, count):
        # pkg/volume/hostpath/host_path.go
        write_pod(s.cp, pod, s.at(0), waiting("ContainerCreating"), phase="Pending")
        s.tell("kubelet", pod, at, "FailedMount", 'MountVolume.SetUp failed for volume "sock" : hostPath type check failed: '
               "/run/probe.sock is not a socket file", count=count, first=s.at(1))
    fails(3, 3)
    yield
    fails(110, 8)
    yield
    fails(890, 14)
    yield
    s.run([pod], HEALS)
    s.settled("probe", 1)
    yield


@incident()
def config(s):
    """A key of a ConfigMap that is not there."""
    s.put("v1", "ConfigMap", "settings", data={"colour": "red"})
    s.deployment("paint", env=[{"name": "SHAPE", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "shape"}}}])
    [pod] = s.pods("paint")
    why = f"couldn't find key shape in ConfigMap {s.name}/settings"     # pkg/kubelet/kubelet_pods.go

    def fails(at, count):
        write_pod(s.cp, pod, s.at(0), waiting("CreateContainerConfigError", why), phase="Pending")
        s.tell("kubelet", pod, at, "Failed", f"Error: {why}", count=count, container="paint", first=s.at(1))
    fails(3, 1)
    yield
    fails(110, 9)
    yield
    fails(890, 70)
    yield
    s.change("v1", "ConfigMap", "settings", {"data": {"shape": "round"}})
    s.run([pod], HEALS)
    s.settled("paint", 1)
    yield


# -- quotas ---------------------------------------------------------------------------

def _refused(s, hard, **container):
    s.put("v1", "ResourceQuota", "team", {"hard": hard})
    s.until("the quota's status", lambda: s.get("v1", "ResourceQuota", "team").get("status", {}).get("hard"))
    s.deployment("batch", 2, resources={"requests": {"cpu": "200m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}}, **container)


def _quota(s, hard, enough, running_pods):
    _refused(s, hard)
    s.until_refused("batch")
    if running_pods:
        s.run(s.pods("batch", running_pods))
    s.settled("batch", running_pods)
    yield
    yield
    yield
    s.change("v1", "ResourceQuota", "team", {"spec": {"hard": enough}})
    _make_again(s, "batch", 2)
    yield


def _make_again(s, app, count):
    """The ReplicaSet's controller tries again only after a while: it is told to look."""
    [made] = [r for r in s.cp.get(s.path("apps/v1", "ReplicaSet"))["items"]
              if r["metadata"]["ownerReferences"][0]["name"] == app]
    number = iter(range(10000))

    def nudged():
        s.change("apps/v1", "ReplicaSet", made["metadata"]["name"], {"metadata": {"annotations": {"look": str(next(number))}}})
        return len(s.listed(app)) >= count
    s.until("pods again", nudged)
    s.run(s.pods(app, count), HEALS)
    s.settled(app, count)


@incident()
def quota_cpu(s):
    yield from _quota(s, {"requests.cpu": "300m"}, {"requests.cpu": "2"}, 1)


@incident()
def quota_memory(s):
    yield from _quota(s, {"limits.memory": "32Mi"}, {"limits.memory": "1Gi"}, 0)


@incident()
def quota_pods(s):
    yield from _quota(s, {"pods": "1"}, {"pods": "9"}, 1)


@incident()
def quota_services(s):
    """An operator's object wants a Service; the refusal is the API server's own."""
    s.put("v1", "ResourceQuota", "team", {"hard": {"services": "1"}})
    s.until("the quota's status", lambda: s.get("v1", "ResourceQuota", "team").get("status", {}).get("hard"))
    s.service("first")
    s.deployment("first")
    s.run(s.pods("first"))
    s.serving("first", 1)
    try:
        s.service("second")
        raise AssertionError("the quota of Services did not refuse")
    except ApiError as error:
        assert "exceeded quota: team, requested: services=1, used: services=1, limited: services=1" in str(error)
    wanted = {"forProvider": {"manifest": {"apiVersion": "v1", "kind": "Service", "metadata": {
        "name": "second", "namespace": s.name}}}}
    api = "kubernetes.crossplane.io/v1alpha2"
    why = ('create failed: cannot create object: cannot apply object: services "second" is forbidden: exceeded quota: team, '
           "requested: services=1, used: services=1, limited: services=1")

    def fails(at):
        s.change(api, "Object", s.name + "-second", {"status": {"conditions": [
            {"type": "Synced", "status": "False", "reason": "ReconcileError", "message": why, "lastTransitionTime": s.at(1)},
            {"type": "Ready", "status": "False", "reason": "Creating", "lastTransitionTime": s.at(0)}]}}, "/status")
    made = s.put(api, "Object", s.name + "-second", wanted)
    fails(1)
    s.tell("managed/object.kubernetes.crossplane.io", made, 2, "CannotCreateExternalResource", why.partition(": ")[2], count=2)
    yield
    yield
    yield
    s.change("v1", "ResourceQuota", "team", {"spec": {"hard": {"services": "3"}}})

    def admitted():
        # The server's admission has a copy of the quota of its own, which may be older than the quota that it answers with.
        try:
            return s.put("v1", "Service", "second", {"clusterIP": "None", "ports": [{"port": 80}]})
        except ApiError as error:
            if error.status != 403:
                raise
    s.until("room", admitted)
    s.change(api, "Object", s.name + "-second", {"status": {"conditions": [
        {"type": "Synced", "status": "True", "reason": "ReconcileSuccess", "lastTransitionTime": s.at(HEALS)},
        {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": s.at(HEALS)}]}}, "/status")
    yield


@incident()
def limit_range(s):
    s.put("v1", "LimitRange", "sizes", {"limits": [{"type": "Container", "max": {"memory": "32Mi"}}]})
    s.deployment("batch", resources={"requests": {"memory": "64Mi"}, "limits": {"memory": "64Mi"}})
    s.until_refused("batch")
    yield
    yield
    yield
    s.cp.delete(s.path("v1", "LimitRange", "sizes"))
    _make_again(s, "batch", 1)
    yield


# -- storage --------------------------------------------------------------------------

def _claim(s, name="data", size="10Gi", pod=True, **spec):
    s.put("v1", "PersistentVolumeClaim", name, {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec})
    if not pod:
        return None
    s.put("v1", "Pod", "db", {"containers": [{"name": "db", "image": "registry.example.test/db:1.0"}],
                              "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}, labels={"app": "db"})
    [made] = s.pods("db")
    why = ("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. "
           "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.")
    # pkg/scheduler/schedule_one.go, pkg/scheduler/framework/plugins/volumebinding
    s.cp.patch(pod_path(s.name, "db") + "/status", {"status": {"conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": why, "lastTransitionTime": s.at(0)}]}})
    s.tell("default-scheduler", made, 1, "FailedScheduling", why)
    return made


def _volume(s, name, size="10Gi", **spec):
    return s.put("v1", "PersistentVolume", name, {
        "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
        "hostPath": {"path": "/data/" + name}, **spec})


def _bound(s, pod, volume, class_name=""):
    """A volume that fits, for that claim; the real controller binds both."""
    _volume(s, volume, claimRef={"namespace": s.name, "name": "data"}, storageClassName=class_name)
    s.until("the claim is bound", lambda: s.get("v1", "PersistentVolumeClaim", "data")["status"]["phase"] == "Bound")
    if pod:
        _scheduled(s, pod)


def _scheduled(s, pod):
    s.cp.patch(pod_path(s.name, "db") + "/status", {"status": {"conditions": [
        {"type": "PodScheduled", "status": "True", "reason": None, "message": None, "lastTransitionTime": s.at(HEALS)}]}})
    s.run([pod], HEALS)


def _claims(s, name, reason, volume=None, class_name=None):
    pod = _claim(s, **({} if class_name is None else {"storageClassName": class_name}))
    s.until(reason, lambda: s.told("PersistentVolumeClaim", name, reason))
    yield
    yield
    yield
    _bound(s, pod, volume or s.name + "-made", class_name or "")
    yield


@incident()
def claim_no_class(s):
    yield from _claims(s, "data", "FailedBinding")


@incident()
def claim_class_missing(s):
    yield from _claims(s, "data", "ProvisioningFailed", class_name="fast")


@incident()
def claim_provisioner_silent(s):
    s.put("storage.k8s.io/v1", "StorageClass", s.name, provisioner="block.csi.example.test")
    yield from _claims(s, "data", "ExternalProvisioning", class_name=s.name)


@incident()
def claim_does_not_fit(s):
    """Too small, another mode, another label; the class has no provisioner."""
    s.put("storage.k8s.io/v1", "StorageClass", s.name, provisioner="kubernetes.io/no-provisioner")
    _volume(s, s.name + "-small", "1Gi", storageClassName=s.name)
    _claim(s, "size", storageClassName=s.name, pod=False)
    _claim(s, "mode", "1Gi", storageClassName=s.name, pod=False, volumeMode="Block")
    _claim(s, "label", "1Gi", storageClassName=s.name, pod=False, selector={"matchLabels": {"disk": "ssd"}})
    for name in ("size", "mode", "label"):
        s.until(name, lambda name=name: s.told("PersistentVolumeClaim", name, "ProvisioningFailed"))
    yield
    yield
    yield
    _volume(s, s.name + "-big", storageClassName=s.name, claimRef={"namespace": s.name, "name": "size"})
    _volume(s, s.name + "-block", "1Gi", storageClassName=s.name, volumeMode="Block")
    s.change("v1", "PersistentVolume", s.name + "-small", {"metadata": {"labels": {"disk": "ssd"}}})
    for name in ("size", "mode", "label"):
        s.until(f"{name} is bound", lambda name=name: s.get("v1", "PersistentVolumeClaim", name)["status"]["phase"] == "Bound")
    yield


@incident()
def claim_taken(s):
    """The volume that it asks for has somebody else's name."""
    _volume(s, s.name + "-one", claimRef={"namespace": s.name, "name": "first"})
    _claim(s, "first", pod=False, storageClassName="", volumeName=s.name + "-one")
    s.until("the first is bound", lambda: s.get("v1", "PersistentVolumeClaim", "first")["status"]["phase"] == "Bound")
    pod = _claim(s, "data", storageClassName="", volumeName=s.name + "-one")
    s.until("the refusal", lambda: s.told("PersistentVolumeClaim", "data", "FailedBinding"))
    yield
    yield
    yield
    s.cp.delete(s.path("v1", "PersistentVolumeClaim", "data"))
    with gone_is_fine():
        s.change("v1", "PersistentVolumeClaim", "data", {"metadata": {"finalizers": None}})
    s.put("v1", "PersistentVolumeClaim", "data", {"accessModes": ["ReadWriteOnce"], "storageClassName": "",
                                                  "resources": {"requests": {"storage": "10Gi"}}})
    _bound(s, pod, s.name + "-two")
    yield


# -- nodes ----------------------------------------------------------------------------

def _node(s, name):
    node = s.put("v1", "Node", name, {}, labels={"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"})
    room = {"cpu": "16", "memory": "64Gi", "pods": "250"}
    _node_status(s, name, {"Ready": ("True", "KubeletReady", "kubelet is posting ready status")}, -3000, -10,
                 capacity=room, allocatable=room, addresses=[{"type": "InternalIP", "address": "192.0.2.9"}])
    return node


def _node_status(s, name, conditions, since, beat, **more):
    s.change("v1", "Node", name, {"status": {"conditions": [
        {"type": type, "status": status, "reason": reason, "message": message,
         "lastTransitionTime": s.at(since), "lastHeartbeatTime": s.at(beat)}
        for type, (status, reason, message) in conditions.items()], **more}}, "/status")


def _on(s, node, app, count):
    """A Deployment of `count` pods, all of which run on that node."""
    s.deployment(app, count, template={"nodeName": node})
    pods = s.pods(app, count)
    s.run(pods, -3000)
    s.settled(app, count)
    return pods


@incident(old=True)
def node_lost(s):
    """pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/util/node."""
    name = s.name + "-rack"
    node = _node(s, name)
    pods = _on(s, name, "desk", 2)
    s.service("desk")
    s.serving("desk", 2)
    gone = {type: ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
            for type in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")}
    _node_status(s, name, gone, 0, -50)
    s.change("v1", "Node", name, {"spec": {"taints": [
        {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule", "timeAdded": s.at(0)}]}})
    s.tell("node-controller", node, 0, "NodeNotReady", f"Node {name} status is now: NodeNotReady", type="Normal")
    for pod in pods:
        write_pod(s.cp, pod, s.at(0), running(s.at(-3000)), ready=False)
        s.tell("node-controller", pod, 1, "NodeNotReady", "Node is not ready")
    s.serving("desk", 0)
    yield
    yield
    for pod in pods:            # pkg/controller/tainteviction: after tolerationSeconds, 300 by default
        s.cp.delete(pod_path(s.name, pod["metadata"]["name"]))
    yield
    _node_status(s, name, {"Ready": ("True", "KubeletReady", "kubelet is posting ready status")}, HEALS, 14380)
    s.change("v1", "Node", name, {"spec": {"taints": None}})
    s.until("no old pod", lambda: not {p["metadata"]["uid"] for p in _tend(s, "desk")} & {p["metadata"]["uid"] for p in pods})
    s.run(s.pods("desk", 2), HEALS)
    s.serving("desk", 2)
    s.settled("desk", 2)
    yield


@incident(old=True)
def drain(s):
    """kubectl drain waits: a budget allows no eviction, as the API server's own answer says."""
    name = s.name + "-rack"
    _node(s, name)
    [pod] = _on(s, name, "one", 1)
    s.put("policy/v1", "PodDisruptionBudget", "one", {"minAvailable": 1, "selector": {"matchLabels": {"app": "one"}}})
    s.until("the budget's status",
            lambda: s.get("policy/v1", "PodDisruptionBudget", "one").get("status", {}).get("currentHealthy") == 1)
    s.change("v1", "Node", name, {"spec": {"unschedulable": True}})
    try:
        s.cp.post(pod_path(s.name, pod["metadata"]["name"]) + "/eviction", {
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod["metadata"]["name"]}})
        raise AssertionError("the budget allowed it")
    except ApiError as error:
        assert error.status == 429, error
    yield
    yield
    yield
    s.cp.delete(s.path("policy/v1", "PodDisruptionBudget", "one"))
    s.change("v1", "Node", name, {"spec": {"unschedulable": None}})
    yield


# -- Jobs -----------------------------------------------------------------------------

def _job_spec(app, **spec):
    return {"template": {"metadata": {"labels": {"app": app}}, "spec": {"restartPolicy": "Never", "containers": [
        {"name": app, "image": f"registry.example.test/{app}:1.0"}]}}, **spec}


def _job_ended(s, name):
    def done():
        conditions = s.get("batch/v1", "Job", name).get("status", {}).get("conditions", ())
        return any(c["status"] == "True" and c["type"] in ("Failed", "Complete") for c in conditions)
    s.until(f"the end of {name}", done)


@incident()
def job_over_its_limit(s):
    s.put("batch/v1", "Job", "migrate", _job_spec("migrate", backoffLimit=0))
    [pod] = s.pods("migrate")
    write_pod(s.cp, pod, s.at(3), ended(3, "Error", s.at(1), s.at(3), "table orders is locked"), phase="Failed")
    _job_ended(s, "migrate")
    yield
    yield
    yield
    s.cp.delete(s.path("batch/v1", "Job", "migrate"), {"propagationPolicy": "Background"})
    s.until("no pod", lambda: not _tend(s, "migrate"))
    s.put("batch/v1", "Job", "migrate-again", _job_spec("again"))
    [pod] = s.pods("again")
    write_pod(s.cp, pod, s.at(HEALS), ended(0, "Completed", s.at(HEALS), s.at(HEALS + 5)), phase="Succeeded")
    _job_ended(s, "migrate-again")
    yield


@incident()
def job_past_its_deadline(s):
    s.put("batch/v1", "Job", "export", _job_spec("export", activeDeadlineSeconds=1))
    s.run(s.pods("export"))
    s.until("the deadline", lambda: not _tend(s, "export"))
    _job_ended(s, "export")
    yield
    yield
    yield
    s.cp.delete(s.path("batch/v1", "Job", "export"), {"propagationPolicy": "Background"})
    yield


@incident()
def cron_late(s):
    """The next runs are in some minutes, of which the real controller sees nothing."""
    minutes = sorted((time.gmtime(s.begins).tm_min + m) % 60 for m in (6, 8, 10))
    s.put("batch/v1", "CronJob", "report", {"schedule": ",".join(map(str, minutes)) + " * * * *", "timeZone": "Etc/UTC",
                                           "jobTemplate": {"spec": _job_spec("report")}})
    yield
    yield
    yield
    s.change("batch/v1", "CronJob", "report", {"status": {"lastScheduleTime": s.at(MOMENTS["healed"] - 120),
                                                         "lastSuccessfulTime": s.at(MOMENTS["healed"] - 60)}}, "/status")
    yield


@incident()
def cron_run_failed(s):
    cron = s.put("batch/v1", "CronJob", "backup", {
        "schedule": "0 3 1 1 *", "jobTemplate": {"spec": _job_spec("backup", backoffLimit=0)}})

    def run(name, code):
        made = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "CronJob", "name": "backup", "uid": cron["metadata"]["uid"], "controller": True}]},
            "spec": _job_spec(name, backoffLimit=0)}
        s.cp.post(s.path("batch/v1", "Job"), made)
        [pod] = s.pods(name)
        at = 3 if code else HEALS
        write_pod(s.cp, pod, s.at(at), ended(code, "Error" if code else "Completed", s.at(at - 2), s.at(at)),
                  phase="Failed" if code else "Succeeded")
        _job_ended(s, name)
    run("backup-1", 2)
    s.change("batch/v1", "CronJob", "backup", {"status": {"lastScheduleTime": s.at(0)}}, "/status")
    yield
    yield
    yield
    run("backup-2", 0)
    s.change("batch/v1", "CronJob", "backup", {"status": {
        "lastScheduleTime": s.at(HEALS), "lastSuccessfulTime": s.at(HEALS)}}, "/status")
    yield


# -- what looks after others ------------------------------------------------------------

def _autoscaler(s, since, able=None, active=None, limited=None, **status):
    """pkg/controller/podautoscaler/horizontal.go"""
    conditions = [{"type": type, "status": told[0], "reason": told[1], "message": told[2], "lastTransitionTime": s.at(since)}
                  for type, told in (("AbleToScale", able), ("ScalingActive", active), ("ScalingLimited", limited)) if told]
    s.change("autoscaling/v2", "HorizontalPodAutoscaler", "shop", {"status": {
        "currentMetrics": None, "desiredReplicas": 2, "currentReplicas": 2, **status, "conditions": conditions}}, "/status")


def _scaled(s):
    s.deployment("shop", 2, resources={"requests": {"cpu": "100m"}})
    s.put("autoscaling/v2", "HorizontalPodAutoscaler", "shop", {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop"}, "minReplicas": 1, "maxReplicas": 2,
        "metrics": [{"type": "Resource", "resource": {
            "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]})
    s.run(s.pods("shop", 2), -3000)
    s.settled("shop", 2)
    return s.get("autoscaling/v2", "HorizontalPodAutoscaler", "shop")


FINE = ("True", "ReadyForNewScale", "recommended size matches current size")
COUNTED = ("True", "ValidMetricFound", "the HPA was able to successfully calculate a replica count from cpu resource utilization "
           "(percentage of request)")
WITHIN = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
USE = [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 40, "averageValue": "40m"}}}]


@incident(old=True)
def autoscaler_without_metrics(s):
    hpa = _scaled(s)
    why = ("the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource "
           "cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get "
           "pods.metrics.k8s.io)")

    def fails(at, count):
        _autoscaler(s, 0, ("True", "SucceededGetScale", "the HPA controller was able to get the target's current scale"),
                    ("False", "FailedGetResourceMetric", why), desiredReplicas=0)
        for reason, before in (("FailedGetResourceMetric", ""),
                               ("FailedComputeMetricsReplicas", "invalid metrics (1 invalid out of 1), first error is: ")):
            s.tell("horizontal-pod-autoscaler", hpa, at, reason, before + why.partition(": ")[2], count=count, first=s.at(0))
    fails(0, 1)
    yield
    fails(105, 8)
    yield
    fails(890, 60)
    yield
    _autoscaler(s, HEALS, FINE, COUNTED, WITHIN, currentMetrics=USE)
    yield


@incident(old=True)
def autoscaler_at_its_maximum(s):
    _scaled(s)
    too_many = "True", "TooManyReplicas", "the desired replica count is more than the maximum replica count"
    _autoscaler(s, 0, FINE, COUNTED, too_many, currentMetrics=[{"type": "Resource", "resource": {
        "name": "cpu", "current": {"averageUtilization": 190, "averageValue": "190m"}}}])
    yield
    yield
    yield
    _autoscaler(s, HEALS, FINE, COUNTED, WITHIN, currentMetrics=USE)
    yield


def _certificate(secret):
    """What a pod that mounts a Secret has."""
    return {"template": {"volumes": [{"name": "cert", "secret": {"secretName": secret}}]},
            "volumeMounts": [{"name": "cert", "mountPath": "/cert"}]}


def _webhook(s, policy):
    """A webhook whose Service has no ready pod; it concerns the pods of this namespace."""
    s.deployment("gate", **_certificate("gate-cert"))
    s.service("gate", port=443)
    [pod] = s.pods("gate")
    write_pod(s.cp, pod, s.at(0), waiting("ContainerCreating"), phase="Pending")
    why = ('MountVolume.SetUp failed for volume "cert" : secret "gate-cert" not found')
    s.tell("kubelet", pod, 3, "FailedMount", why, count=3, first=s.at(1))
    s.serving("gate", 0)
    s.put("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", s.name, webhooks=[{
        "name": "gate.example.test", "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": policy,
        "timeoutSeconds": 1,
        "clientConfig": {"service": {"namespace": s.name, "name": "gate", "path": "/"}},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": s.name}},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}]}])
    return pod, why


@incident()
def webhook_fail(s):
    pod, why = _webhook(s, "Fail")
    s.deployment("shop")
    s.until_refused("shop")
    yield
    s.tell("kubelet", pod, 110, "FailedMount", why, count=8)
    yield
    s.tell("kubelet", pod, 890, "FailedMount", why, count=14)
    yield
    s.put("v1", "Secret", "gate-cert", stringData={"tls.crt": "none"})
    s.run([pod], HEALS)
    s.serving("gate", 1)
    s.cp.delete(s.path("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", s.name))
    _make_again(s, "shop", 1)
    s.settled("gate", 1)
    yield


@incident()
def webhook_ignore(s):
    pod, why = _webhook(s, "Ignore")
    s.deployment("shop")
    s.run(s.pods("shop"))
    s.settled("shop", 1)
    yield
    s.tell("kubelet", pod, 110, "FailedMount", why, count=8)
    yield
    s.tell("kubelet", pod, 890, "FailedMount", why, count=14)
    yield
    s.put("v1", "Secret", "gate-cert", stringData={"tls.crt": "none"})
    s.run([pod], HEALS)
    s.serving("gate", 1)
    s.settled("gate", 1)
    yield


@incident()
def namespace_held(s):
    """What is in it has a finalizer that nobody removes; the real controller writes the namespace's conditions."""
    s.put("v1", "ConfigMap", "ledger", finalizers=["keep.example.test/ledger"], data={})
    s.cp.delete(f"/api/v1/namespaces/{s.name}")
    s.until_condition("v1", "Namespace", s.name, type="NamespaceFinalizersRemaining", status="True")
    yield
    yield
    yield
    s.change("v1", "ConfigMap", "ledger", {"metadata": {"finalizers": None}})
    s.cp.patch(f"/api/v1/namespaces/{s.name}", {"metadata": {"annotations": {"look": "again"}}})    # else later
    s.until("its end", lambda: not s.cp.exists(f"/api/v1/namespaces/{s.name}"))
    yield


@incident()
def api_service(s):
    """An extension API server whose pod does not come up.  Last: while it is so, no namespace can be deleted."""
    s.deployment("meter", **_certificate("meter-cert"))
    [pod] = s.pods("meter")
    why = 'MountVolume.SetUp failed for volume "cert" : secret "meter-cert" not found'
    write_pod(s.cp, pod, s.at(0), waiting("ContainerCreating"), phase="Pending")
    s.tell("kubelet", pod, 3, "FailedMount", why, count=3, first=s.at(1))
    s.service("meter", port=443)
    s.serving("meter", 0)
    s.put("apiregistration.k8s.io/v1", "APIService", "v1.meter.example.test", {
        "group": "meter.example.test", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100,
        "insecureSkipTLSVerify": True, "service": {"namespace": s.name, "name": "meter"}})
    s.until_condition("apiregistration.k8s.io/v1", "APIService", "v1.meter.example.test", reason="MissingEndpoints")
    yield
    s.tell("kubelet", pod, 110, "FailedMount", why, count=8)
    yield
    s.tell("kubelet", pod, 890, "FailedMount", why, count=14)
    yield
    s.cp.delete(s.path("apiregistration.k8s.io/v1", "APIService", "v1.meter.example.test"))
    s.put("v1", "Secret", "meter-cert", stringData={"tls.crt": "none"})
    s.run([pod], HEALS)
    s.serving("meter", 1)
    s.settled("meter", 1)
    yield


# -- all of them ------------------------------------------------------------------------

class Play:
    """Some incidents at once; a context manager that removes them again."""

    def __init__(self, cp, names):
        self.cp, self.names = cp, list(names)
        self.kinds = discover(cp)
        self.began = int(time.time())
        self.scenes = {name: Scene(cp, self.kinds, name, self.began + HOUR * INCIDENTS[name][1]) for name in self.names}
        self.plays = {name: INCIDENTS[name][0](scene) for name, scene in self.scenes.items()}

    def __enter__(self):
        for scene in self.scenes.values():
            self.cp.post("/api/v1/namespaces", {"metadata": {"name": scene.name}})
        return self

    def __exit__(self, *_):
        for scene in self.scenes.values():
            scene.remove()

    def step(self):
        """To the next moment."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            going_on = {name: pool.submit(next, play) for name, play in self.plays.items()}
        failed = {name: step.exception() for name, step in going_on.items() if step.exception()}
        if failed:
            raise ExceptionGroup("these incidents cannot be played: " + ", ".join(failed), list(failed.values()))

    def time(self, name, moment):
        """What is then the time, RFC 3339: at the first moment at least as late as it really is."""
        scene = self.scenes[name]
        at = scene.begins + MOMENTS[moment]
        return stamp(max(at, int(time.time()) + scene.begins - self.began) if moment == "soon" else at)
