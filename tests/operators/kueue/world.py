# SPDX-License-Identifier: Apache-2.0
"""A shared cluster of a film studio: queues, quotas and Jobs that Kueue admits, or does not."""

import base64

from lab import go

TITLE = "Kueue 0.14"
BUILD = [go("sigs.k8s.io/kueue", "v0.14.0", "./cmd/kueue", sum="h1:lDR34L42/k17opLfkZbZ+taymLaPpryj3ZBbvKqs/N4=")]
CRDS = ["config/components/crd/bases"]
SECONDS = 200
API = "kueue.x-k8s.io/v1beta1"
NS, SYSTEM = "studio", "kueue-system"

CONFIGURATION = """
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
health: {healthProbeBindAddress: "127.0.0.1:%(health)d"}
metrics: {bindAddress: "0"}
webhook: {host: 127.0.0.1, port: %(webhook)d, certDir: %(certificates)s}
leaderElection: {leaderElect: false}
clientConnection: {qps: 200, burst: 400}
internalCertManagement: {enable: true, webhookServiceName: kueue-webhook-service, webhookSecretName: kueue-webhook-server-cert}
waitForPodsReady: {enable: true, timeout: 25s, blockAdmission: false, requeuingStrategy: {timestamp: Eviction, backoffLimitCount: 1, backoffBaseSeconds: 5, backoffMaxSeconds: 10}}
integrations: {frameworks: [batch/job]}
"""


def start_kueue(lab):
    """Kueue makes its own certificates, into a Secret that would be mounted; and wants to see its webhooks, which do nothing here."""
    webhooks = [{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": f"kueue-{which}-webhook-configuration"}, "webhooks": []}
                for kind, which in (("ValidatingWebhookConfiguration", "validating"), ("MutatingWebhookConfiguration", "mutating"))]
    lab.apply([*webhooks, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "kueue-webhook-server-cert", "namespace": SYSTEM}}])
    certificates = lab.folder / "certificates"
    certificates.mkdir()
    configuration = lab.folder / "kueue.yaml"
    configuration.write_text(CONFIGURATION % {"health": lab.port(), "webhook": lab.port(), "certificates": certificates})
    lab.start("kueue", f"--config={configuration}", "--feature-gates=VisibilityOnDemand=false")
    made = lab.wait("certificates", lambda: lab.get("secrets", SYSTEM, "kueue-webhook-server-cert").get("data"), 60)
    for name in ("tls.key", "tls.crt"):
        (certificates / name).write_bytes(base64.b64decode(made[name]))
    lab.wait("controllers", lambda: lab.log("kueue").count("Starting workers") >= 8, 60)


def thing(kind, name, spec=None, namespaced=False, api=API, **metadata):
    where = {"namespace": NS} if namespaced else {}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **where, **metadata}} | ({} if spec is None else {"spec": spec})


def queue(name, cpu, flavor="on-demand", **spec):
    """A ClusterQueue with that many CPUs, and the LocalQueue of the same name."""
    return [thing("ClusterQueue", name, {
        "namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO",
        "preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Never", "borrowWithinCohort": {"policy": "Never"}},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": flavor, "resources": [{"name": "cpu", "nominalQuota": cpu}]}]}],
        **spec}), local(name, name)]


def local(name, cluster_queue, **spec):
    return thing("LocalQueue", name, {"clusterQueue": cluster_queue, **spec}, namespaced=True)


def job(name, queue_name, cpu="1", image="forever-render:1", priority=None, **spec):
    labels = {"kueue.x-k8s.io/queue-name": queue_name} | ({"kueue.x-k8s.io/priority-class": priority} if priority else {})
    return thing("Job", name, {
        "suspend": True, "backoffLimit": 0, **spec,
        "template": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "render", "image": f"registry.example/{image}", "resources": {"requests": {"cpu": cpu}}}]}}},
        namespaced=True, api="batch/v1", labels=labels)


def workload_of(lab, name):
    """The Workload that Kueue made of a Job."""
    for w in lab.get("workloads.kueue.x-k8s.io", NS):
        if any(o["kind"] == "Job" and o["name"] == name for o in w["metadata"].get("ownerReferences", ())):
            return w
    return None


def has(lab, name, kind, status="True"):
    """The condition of a Job's Workload."""
    return next((c for c in (workload_of(lab, name) or {}).get("status", {}).get("conditions", ())
                 if c["type"] == kind and c["status"] == status), None)


def answer(lab, name, state, message):
    """What the controller of the admission check would write into the Job's Workload."""
    workload = workload_of(lab, name)
    checks = [{**c, "state": state, "message": message, "lastTransitionTime": workload["metadata"]["creationTimestamp"]}
              for c in workload["status"]["admissionChecks"]]
    lab.status("workloads.kueue.x-k8s.io", NS, workload["metadata"]["name"], {"admissionChecks": checks})


def definitions_of_the_studio():
    """What the administrator sets up."""
    return [
        thing("ResourceFlavor", "on-demand", {}), thing("ResourceFlavor", "retired", {}),
        thing("ResourceFlavor", "racks", {"nodeLabels": {"kubernetes.io/os": "linux"}, "topologyName": "machine-rooms"}),
        thing("WorkloadPriorityClass", "premiere", api=API) | {"value": 1000},
        thing("WorkloadPriorityClass", "someday", api=API) | {"value": 10},
        thing("AdmissionCheck", "budget", {"controllerName": "example.org/budget"}),
        thing("AdmissionCheck", "silent", {"controllerName": "example.org/silent"}),
        thing("AdmissionCheck", "overseas", {"controllerName": "kueue.x-k8s.io/multikueue", "parameters": {
            "apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "overseas"}}),
        thing("MultiKueueConfig", "overseas", {"clusters": ["tokyo"]}),
        thing("MultiKueueCluster", "tokyo", {"kubeConfig": {"locationType": "Secret", "location": "tokyo-access"}}),
        thing("MultiKueueCluster", "paris", {"kubeConfig": {"locationType": "Secret", "location": "paris-access"}}),
        thing("Cohort", "east", {"parentName": "west"}), thing("Cohort", "west", {"parentName": "east"}),
        *queue("film", "6"), *queue("trailers", "2"), *queue("frozen", "4"), *queue("small", "1"),
        *queue("quantum", "4", flavor="qpu"), *queue("late", "4", flavor="arm"), *queue("old", "4", flavor="retired"),
        *queue("checked", "4", admissionChecks=["budget"]), *queue("mute", "4", admissionChecks=["silent"]),
        *queue("unchecked", "4", admissionChecks=["legal"]), *queue("abroad", "4", admissionChecks=["overseas"]),
        *queue("circle", "4", cohort="east"), *queue("placed", "4", flavor="racks"), *queue("closing", "4"),
        *queue("stopped", "4", stopPolicy="Hold"),
        local("astray", "nowhere"), local("held", "film", stopPolicy="Hold"),
    ]


def jobs():
    return [
        job("render", "film"), job("encode", "film", image="encode:1"), job("broken-scene", "film", image="crash:1"),
        job("typo", "film", image="missing-render:1"), job("whale", "film", cpu="90"), job("nobody", "elsewhere"),
        job("astray", "astray"), job("held", "held"), job("trailer-1", "trailers"), job("trailer-2", "trailers"),
        job("trailer-3", "trailers"), job("thaw", "frozen"), job("draft", "small", priority="someday"),
        job("on-quantum", "quantum"), job("on-late", "late"), job("on-old", "old"), job("approved", "checked"),
        job("rejected", "checked"), job("undecided", "checked"), job("on-mute", "mute"), job("on-unchecked", "unchecked"),
        job("on-abroad", "abroad"), job("on-circle", "circle"), job("on-placed", "placed"), job("on-closing", "closing"),
        job("on-stopped", "stopped"), job("parked", "film"),
    ]


def play(lab):
    lab.nodes(3)
    start_kueue(lab)
    lab.apply(definitions_of_the_studio())
    lab.wait("film is active", lambda: lab.condition("clusterqueues.kueue.x-k8s.io", None, "film", "Active"), 30)
    lab.status("admissionchecks.kueue.x-k8s.io", None, "budget", {"conditions": [{
        "type": "Active", "status": "True", "reason": "Active", "message": "budget is answering", "observedGeneration": 1,
        "lastTransitionTime": lab.get("admissionchecks.kueue.x-k8s.io", None, "budget")["metadata"]["creationTimestamp"]}]})
    lab.wait("checked is active", lambda: lab.condition("clusterqueues.kueue.x-k8s.io", None, "checked", "Active"), 30)
    lab.apply(jobs())
    lab.mark("submitted")
    lab.wait("render runs", lambda: has(lab, "render", "PodsReady"), 30)
    lab.wait("the draft runs", lambda: has(lab, "draft", "PodsReady"), 30)
    lab.wait("thaw runs", lambda: has(lab, "thaw", "PodsReady"), 30)
    lab.wait("the old flavor is used", lambda: has(lab, "on-old", "Admitted"), 30)
    lab.wait("closing is used", lambda: has(lab, "on-closing", "Admitted"), 30)
    lab.wait("trailers run", lambda: sum(bool(has(lab, f"trailer-{n}", "Admitted")) for n in (1, 2, 3)) == 2, 30)
    lab.wait("encode has ended", lambda: has(lab, "encode", "Finished"), 30)
    lab.wait("checks are asked", lambda: all(has(lab, n, "QuotaReserved") for n in ("approved", "rejected", "undecided")), 30)
    lab.sleep(3)
    lab.mark("running")
    lab.sleep(0.5)
    change(lab)
    lab.wait("typo was given up", lambda: has(lab, "typo", "Evicted"), 60)
    lab.wait("typo was deactivated", lambda: not (workload_of(lab, "typo") or {}).get("spec", {}).get("active", True), 90)
    lab.sleep(3)
    lab.mark("settled")
    lab.apply([job("fresh", "film", cpu="100m")])
    lab.sleep(1)


def change(lab):
    """A quota is raised, a check answers, a more urgent Job comes, a flavor arrives, and much is stopped or deleted."""
    queues = "clusterqueues.kueue.x-k8s.io"
    answer(lab, "approved", "Ready", "within the budget")
    answer(lab, "rejected", "Rejected", "over the budget of this month")
    lab.apply([job("premiere", "small", priority="premiere"), thing("ResourceFlavor", "arm", {})])
    film = lab.get(queues, None, "trailers")["spec"]["resourceGroups"]
    film[0]["flavors"][0]["resources"][0]["nominalQuota"] = "3"
    lab.patch(queues, None, "trailers", {"spec": {"resourceGroups": film}})
    lab.patch(queues, None, "frozen", {"spec": {"stopPolicy": "HoldAndDrain"}})
    parked = workload_of(lab, "parked")["metadata"]["name"]
    lab.patch("workloads.kueue.x-k8s.io", NS, parked, {"spec": {"active": False}})
    lab.delete("resourceflavors.kueue.x-k8s.io", None, "retired")
    lab.delete(queues, None, "closing")
    lab.wait("the premiere runs", lambda: has(lab, "premiere", "PodsReady"), 30)
    lab.wait("all trailers run", lambda: all(has(lab, f"trailer-{n}", "Admitted") for n in (1, 2, 3)), 30)
    lab.wait("late runs", lambda: has(lab, "on-late", "PodsReady"), 30)
    lab.wait("thaw was drained", lambda: has(lab, "thaw", "Evicted"), 30)
    lab.mark("changed")
