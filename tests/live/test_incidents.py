# SPDX-License-Identifier: Apache-2.0
"""The ordinary incidents (tests/cluster/ordinary.py) on a real API server: what is said of each soon, after 2 and
15 minutes, and after it healed; of its namespace, and of each object alone.

The world is played once, and looked at whenever a moment is reached; the tests compare.
"""
import concurrent.futures
import json
import pathlib
import sys

import pytest

from controlplane import ControlPlane, or_skip
from ordinary import INCIDENTS, MOMENTS, Play

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import run_cases  # noqa: E402

BROKEN = [moment for moment in MOMENTS if moment != "healed"]
ALONE = ("15m",)        # moments at which objects are asked for one by one
LAST = "api-service"    # while it is so nothing can be deleted, and no list of kinds is complete
SAME = ("phase", "severity", "reason", "message", "recovery", "operatorPhase", "since")

# What is said.  A line is for the moments before its colon, otherwise for all while it is broken; {app} is the pod of an
# app and {rs_app} its ReplicaSet.  Behind "why" and "no root" stands a text of -o why, and a root cause that must not be there.
SAID = {
    "selector": """
        Service/search phase=Failed severity=warning recovery=person message~="the pods of deployment/search have app=search, the selector asks app=serach"
        root failed:Service/search
        why "no pod has the labels app=serach"
    """,
    "selector-of-old": """
        Service/find phase=Degraded severity=warning recovery=person message~="the selector asks app=fnid"
        root not-ready:Service/find
    """,
    "port": """
        Service/shop phase=Degraded severity=warning recovery=person message~="no container of deployment/shop has a port of that name (they have http 8080/TCP)"
        root not-ready:Service/shop
    """,
    "zero": """
        Service/api phase=Degraded severity=warning root=not-ready:Deployment/api message~="deployment/front calls service/api"
        Deployment/api phase=Ready severity=none
        root not-ready:Deployment/api recovery=person
        why "a person must scale deployment/api up"
    """,
    "out-of-memory": """
        soon: Pod/{cache} phase=Degraded severity=warning reason=OOMKilled recovery=retried message="OOMKilled (limit 64Mi), exit 137, 1 restart"
        2m 15m: Pod/{cache} phase=Failed reason=OOMKilled recovery=retried operatorPhase=CrashLoopBackOff message~="OOMKilled (limit 64Mi), exit 137, "
        2m: Pod/{cache} severity=warning message~="3 restarts"
        15m: Pod/{cache} severity=error message~="7 restarts"
        2m 15m: Deployment/cache phase=Failed recovery=other root=failed:Pod/{cache} reason=OOMKilled
        2m 15m: ReplicaSet/{rs_cache} phase=Failed recovery=other root=failed:Pod/{cache}
        2m 15m: Service/cache phase=Degraded recovery=other root=failed:Pod/{cache}
        2m 15m: why "retried: the kubelet starts it again"
    """,
    "liveness": """
        soon 2m: Pod/{web} phase=Degraded severity=warning reason=Unhealthy recovery=retried message~="Liveness probe failed"
        soon 2m: Deployment/web phase=Degraded root=not-ready:Pod/{web}
        15m: Pod/{web} phase=Failed severity=error reason=Unhealthy recovery=retried message~="Liveness probe failed: HTTP probe failed with statuscode: 500"
        15m: Deployment/web phase=Failed root=failed:Pod/{web} reason=Unhealthy
    """,
    "readiness": """
        Pod/{books} phase=Failed severity=warning reason=Unhealthy message~="Readiness probe failed: HTTP probe failed with statuscode: 503"
        Deployment/books phase=Failed root=failed:Pod/{books} message~="Readiness probe failed"
        Service/books phase=Degraded severity=warning recovery=other root=failed:Pod/{books}
        root failed:Pod/{books} blocks=3
    """,
    "never-ready": """
        soon 2m: Pod/{ledger} phase=Provisioning severity=info reason=Unhealthy message~="dial tcp 10.1.0.9:5432: connect: connection refused"
        15m: Pod/{ledger} phase=Failed severity=warning reason=Unhealthy message~="dial tcp 10.1.0.9:5432: connect: connection refused"
        15m: Deployment/ledger phase=Failed operatorPhase=ProgressDeadlineExceeded root=failed:Pod/{ledger} message~="Readiness probe failed"
        no root failed:Deployment/ledger
    """,
    "image": """
        Pod/{pages} phase=Failed recovery=person message~="registry.example.test/pages:1.0: not found"
        Deployment/pages phase=Failed recovery=other root=failed:Pod/{pages} message~="not found"
        soon 2m: Pod/{pages} severity=warning
        15m: Pod/{pages} severity=error
        no root failed:Deployment/pages
    """,
    "sandbox": """
        soon 2m: Pod/{mail} phase=Provisioning severity=warning recovery=retried message~="no IP addresses available in range set"
        soon 2m: Deployment/mail recovery=other message~="no IP addresses available"
        15m: Pod/{mail} phase=Failed severity=warning reason=FailedCreatePodSandBox recovery=retried message~="no IP addresses available in range set"
        15m: Deployment/mail phase=Failed root=failed:Pod/{mail} message~="no IP addresses available"
        no root failed:Deployment/mail
    """,
    "mount": """
        Pod/{files} phase=Waiting recovery=other root=missing:Secret/files-keys wait=missing:Secret/files-keys
        2m 15m: Deployment/files recovery=other root=missing:Secret/files-keys
        Pod/{files} severity=warning reason=FailedMount message~="secret \\"files-keys\\" not found"
        root missing:Secret/files-keys recovery=person
    """,
    "host-path": """
        soon 2m: Pod/{probe} phase=Provisioning severity=warning recovery=retried message~="hostPath type check failed"
        15m: Pod/{probe} phase=Failed severity=warning reason=FailedMount message~="hostPath type check failed: /run/probe.sock is not a socket file"
        15m: Deployment/probe root=failed:Pod/{probe} message~="hostPath type check failed"
    """,
    "config": """
        Pod/{paint} phase=Failed reason=CreateContainerConfigError message~="couldn't find key shape in ConfigMap in-config/settings"
        Deployment/paint phase=Failed root=failed:Pod/{paint} message~="couldn't find key shape"
        15m: Pod/{paint} severity=error recovery=person
    """,
    "quota-cpu": """
        Deployment/batch phase=Degraded severity=warning reason=FailedCreate recovery=other root=not-ready:ResourceQuota/team message~="exceeded quota: team, requested: requests.cpu=200m"
        ReplicaSet/{rs_batch} phase=Degraded recovery=other root=not-ready:ResourceQuota/team
        root not-ready:ResourceQuota/team recovery=person
    """,
    "quota-memory": """
        Deployment/batch phase=Failed severity=warning recovery=other root=not-ready:ResourceQuota/team message~="requested: limits.memory=64Mi"
        root not-ready:ResourceQuota/team recovery=person
    """,
    "quota-pods": """
        Deployment/batch phase=Degraded severity=warning recovery=other root=not-ready:ResourceQuota/team message~="requested: pods=1, used: pods=1, limited: pods=1"
        root not-ready:ResourceQuota/team recovery=person
    """,
    "quota-services": """
        ResourceQuota/team phase=Ready severity=none
        Service/first phase=Ready severity=none
        soon 2m: Object/in-quota-services-second severity=warning reason=ReconcileError message~="exceeded quota: team, requested: services=1"
        15m: Object/in-quota-services-second phase=Failed reason=ReconcileError message~="exceeded quota: team, requested: services=1"
    """,
    "limit-range": """
        Deployment/batch phase=Failed severity=warning recovery=other root=not-ready:LimitRange/sizes message~="maximum memory usage per Container is 32Mi, but limit is 64Mi"
        root not-ready:LimitRange/sizes recovery=person
    """,
    "claim-no-class": """
        PersistentVolumeClaim/data recovery=person message~="no persistent volumes available"
        soon 2m: PersistentVolumeClaim/data severity=warning
        15m: PersistentVolumeClaim/data phase=Failed severity=error recovery=person message~="no persistent volumes available for this claim and no storage class is set"
        15m: Pod/db phase=Waiting severity=warning recovery=other root=failed:PersistentVolumeClaim/data
    """,
    "claim-class-missing": """
        PersistentVolumeClaim/data phase=Waiting recovery=other root=missing:StorageClass/fast
        Pod/db phase=Waiting recovery=other root=missing:StorageClass/fast
        root missing:StorageClass/fast recovery=person
    """,
    "claim-provisioner-silent": """
        soon: PersistentVolumeClaim/data phase=Provisioning severity=info
        15m: PersistentVolumeClaim/data phase=Waiting severity=warning recovery=other wait=external:Provisioner/block.csi.example.test message~="has not answered yet"
        15m: Pod/db phase=Waiting severity=warning root=external:PersistentVolumeClaim/data
    """,
    "claim-does-not-fit": """
        soon: PersistentVolumeClaim/size phase=Provisioning severity=warning reason=ProvisioningFailed
        15m: PersistentVolumeClaim/size phase=Failed recovery=person message~="it asks 10Gi, persistentvolume/in-claim-does-not-fit-small has 1Gi"
        15m: PersistentVolumeClaim/mode phase=Failed recovery=person message~="it asks Block, persistentvolume/in-claim-does-not-fit-small has Filesystem"
        15m: PersistentVolumeClaim/label phase=Failed recovery=person message~="it asks disk=ssd, persistentvolume/in-claim-does-not-fit-small has no label disk"
    """,
    "claim-taken": """
        soon: PersistentVolumeClaim/data severity=warning message~="already bound to a different claim"
        15m: PersistentVolumeClaim/data phase=Failed recovery=person message~="is taken by persistentvolumeclaim/first of namespace in-claim-taken"
        15m: Pod/db phase=Waiting root=failed:PersistentVolumeClaim/data
    """,
    "node-lost": """
        Node/in-node-lost-rack phase=Failed reason=NodeStatusUnknown message="Kubelet stopped posting node status."
        soon 2m: Pod/{desk} phase=Failed severity=warning recovery=other root=failed:Node/in-node-lost-rack
        15m: Pod/{desk} phase=Deleting severity=warning recovery=other root=failed:Node/in-node-lost-rack
        Deployment/desk phase=Failed recovery=other root=failed:Node/in-node-lost-rack
        Service/desk phase=Degraded recovery=other root=failed:Node/in-node-lost-rack
    """,
    "drain": """
        Node/in-drain-rack phase=Suspended severity=info
        root not-ready:PodDisruptionBudget/one blocks=1 recovery=person
    """,
    "job-over-its-limit": """
        Job/migrate phase=Failed severity=error reason=BackoffLimitExceeded recovery=person root=failed:Pod/{migrate} message~="Error, exit 3: table orders is locked"
        Pod/{migrate} phase=Failed recovery=person message~="table orders is locked"
    """,
    "job-past-its-deadline": """
        Job/export phase=Failed severity=error reason=DeadlineExceeded recovery=person message="Job was active longer than specified deadline"
    """,
    "cron-late": """
        soon 2m: CronJob/report phase=Ready severity=none
        15m: CronJob/report phase=Degraded severity=warning message~="nothing was scheduled"
    """,
    "cron-run-failed": """
        CronJob/backup phase=Degraded severity=warning recovery=other root=failed:Pod/{backup-1} reason=BackoffLimitExceeded
        Job/backup-1 phase=Failed severity=error recovery=person root=failed:Pod/{backup-1}
    """,
    "autoscaler-without-metrics": """
        HorizontalPodAutoscaler/shop phase=Degraded severity=warning reason=FailedGetResourceMetric recovery=other root=missing:APIService/v1beta1.metrics.k8s.io
        Deployment/shop phase=Ready severity=none
        root missing:APIService/v1beta1.metrics.k8s.io recovery=person
    """,
    "autoscaler-at-its-maximum": """
        soon 2m: HorizontalPodAutoscaler/shop phase=Ready severity=none
        15m: HorizontalPodAutoscaler/shop phase=Degraded severity=warning reason=TooManyReplicas recovery=person message~="more than the maximum replica count"
    """,
    "webhook-fail": """
        soon: Deployment/shop phase=Failed severity=warning reason=FailedCreate message~="failed calling webhook \\"gate.example.test\\""
        2m 15m: ValidatingWebhookConfiguration/in-webhook-fail phase=Failed root=missing:Secret/gate-cert
        2m 15m: Deployment/shop root=missing:Secret/gate-cert recovery=other
        2m 15m: Service/gate root=missing:Secret/gate-cert
        2m 15m: root missing:Secret/gate-cert recovery=person
    """,
    "webhook-ignore": """
        2m 15m: ValidatingWebhookConfiguration/in-webhook-ignore phase=Degraded root=missing:Secret/gate-cert
        Deployment/shop phase=Ready severity=none
        2m 15m: root missing:Secret/gate-cert recovery=person
    """,
    "namespace-held": """
        Namespace/in-namespace-held phase=Deleting blockedBy=ConfigMap/ledger message~="keep.example.test/ledger in 1 resource instances"
    """,
    "api-service": """
        APIService/v1.meter.example.test phase=Waiting message~="have no addresses"
        2m 15m: APIService/v1.meter.example.test root=missing:Secret/meter-cert
        2m 15m: root missing:Secret/meter-cert recovery=person
    """,
}

# Of the objects that are in no namespace.
CLUSTER = {"node-lost": "nodes", "drain": "nodes", "webhook-fail": "validatingwebhookconfigurations",
           "webhook-ignore": "validatingwebhookconfigurations", "namespace-held": "namespaces",
           "quota-services": "objects.kubernetes.crossplane.io", "api-service": "apiservices"}


class Looks:
    """What the program said: of each incident at each moment."""

    def __init__(self, run, play):
        self.run, self.play = run, play
        self.said, self.why, self.alone = {}, {}, {}

    def at(self, moment):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda name: self._look(name, moment), self.play.names))

    def _ask(self, *args):
        """A document; what is not complete because an API is down, or not there any more, is no fault of the look."""
        done = self.run(*args, "-o", "json")
        return json.loads(done.stdout) if done.stdout else {"items": [], "rootCauses": []}

    def _look(self, name, moment):
        scene = self.play.scenes[name]
        when = ("--as-of", self.play.time(name, moment))
        found = self._ask("-n", scene.name, *when)
        if name in CLUSTER:
            more = self._ask(CLUSTER[name], *when)
            found["items"] += [i for i in more["items"] if i["name"].startswith(scene.name) or name == LAST]
            known = {run_cases.label(c["resource"]) for c in found["rootCauses"]}
            found["rootCauses"] += [c for c in more["rootCauses"] if run_cases.label(c["resource"]) not in known]
        self.said[name, moment] = found
        if moment in ALONE:
            self.why[name, moment] = self.run("-n", scene.name, "-o", "why", *when).stdout.decode()
            for item in found["items"]:
                if item["phase"] != "Ready" and "namespace" in item:
                    one = self._ask("%s/%s" % (item["kind"].lower(), item["name"]), "-n", scene.name, *when)
                    self.alone[name, moment, run_cases.label(item)] = item, next(iter(one["items"]), None)


@pytest.fixture(scope="module")
def looks(tmp_path_factory):
    """On a control plane of their own: what is broken here is no business of other tests."""
    with or_skip():
        cp = ControlPlane().start()
    try:
        yield play_all(cp, tmp_path_factory)
    finally:
        cp.close()


def play_all(cp, tmp_path_factory):
    from crds import apply_crds
    from kubelet import add_nodes
    from program import Run
    apply_crds(cp)
    add_nodes(cp)
    cp.grant_oncall()
    run = Run(tmp_path_factory.mktemp("incidents"), cp.kubeconfig("oncall", groups=("oncall",)))
    told = {}
    for names in ([n for n in INCIDENTS if n != LAST], [LAST]):
        with Play(cp, names) as play:
            looks = Looks(run, play)
            for moment in MOMENTS:
                play.step()
                looks.at(moment)
        told.update({n: looks for n in names})
    return told


def lines_for(name, moment, names):
    for line in SAID[name].strip().splitlines():
        words, _, rest = line.strip().partition(": ")
        moments, rest = (words.split(), rest) if all(w in MOMENTS for w in words.split()) else (BROKEN, line.strip())
        if moment in moments:
            yield rest.format(**names)


def problems(line, said, why):
    word, _, rest = line.partition(" ")
    if word == "why":
        if run_cases.unquote(rest) not in " ".join(why.split()) and why:
            yield f"{line}\n    -o why says: {why[:1500]}"
        return
    if word in ("root", "no"):
        word, rest = ("expect-no-root", rest.partition(" ")[2]) if word == "no" else ("expect-root", rest)
    else:
        word, rest = "expect", line
    try:
        run_cases.check(word, rest, said)
    except run_cases.Failure as failure:
        yield f"{line}\n    {failure}"


@pytest.mark.parametrize("moment", BROKEN)
@pytest.mark.parametrize("name", INCIDENTS)
def test_said(looks, name, moment):
    scene = looks[name].play.scenes[name]
    said, why = looks[name].said[name, moment], looks[name].why.get((name, moment), "")
    wrong = [p for line in lines_for(name, moment, scene.names) for p in problems(line, said, why)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", INCIDENTS)
def test_nothing_is_left_when_it_healed(looks, name):
    said = looks[name].said[name, "healed"]
    left = [(run_cases.label(i), i["phase"], i.get("message")) for i in said["items"] if i["severity"] != "none"]
    assert not left and not said["rootCauses"], (left, said["rootCauses"])


@pytest.mark.parametrize("name", INCIDENTS)
def test_an_object_alone_says_the_same(looks, name):
    """Each object that is not Ready, asked for by its name: the object itself, its parts and its owner."""
    wrong = []
    for (incident, moment, who), (item, one) in looks[name].alone.items():
        if incident != name:
            continue
        told = {k: one and one.get(k) for k in SAME}
        roots = [sorted(map(run_cases.label, i.get("rootCauses", ()))) for i in (item, one or {})]
        if told != {k: item.get(k) for k in SAME} or roots[0] != roots[1]:
            wrong.append(f"{moment} {who}: {({k: item.get(k) for k in SAME}, roots[0])}\n  alone {(told, roots[1])}")
    assert not wrong, "\n".join(wrong)


def test_every_incident_is_described():
    assert SAID.keys() == INCIDENTS.keys()
