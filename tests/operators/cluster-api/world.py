# SPDX-License-Identifier: Apache-2.0
"""Cluster API: the core controllers and those of kubeadm, with a small provider of infrastructure.

The workload cluster of each Cluster is the same API server.
"""

import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import provider                                                                 # noqa: E402
from lab import go_here                                                         # noqa: E402
from provider import CLUSTERS, GROUP, MACHINES, Provider                        # noqa: E402

TITLE = "Cluster API 1.14"
MODULE = "sigs.k8s.io/cluster-api"
BUILD = [go_here(".", f"{MODULE}/core", "capi-core"),
         go_here(".", f"{MODULE}/bootstrap/kubeadm", "capi-bootstrap"),
         go_here(".", f"{MODULE}/controlplane/kubeadm", "capi-controlplane")]
CRDS = [f"{MODULE}:{part}/config/crd/bases" for part in ("core", "bootstrap/kubeadm", "controlplane/kubeadm")]
SECONDS = 240

NAMESPACE = "fleet"
VERSION = "v1.36.3"
CLUSTER = "clusters.cluster.x-k8s.io"
MACHINE = "machines.cluster.x-k8s.io"
ROLLOUT = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
DEPLOYMENT = "machinedeployments.cluster.x-k8s.io"


def thing(api, kind, name, spec=None, **metadata):
    made = {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE, **metadata}}
    return made if spec is None else {**made, "spec": spec}


def core(kind, name, spec, **metadata):
    return thing("cluster.x-k8s.io/v1beta2", kind, name, spec, **metadata)


def fake(kind, name, spec=None, **metadata):
    return thing(f"{GROUP}/v1beta2", kind, name, spec or {}, **metadata)


def reference(kind, name, group=GROUP):
    return {"apiGroup": group, "kind": kind, "name": name}


def cluster(name, mood="good", control_plane="good", made=("infra", "plane"), **spec):
    """A Cluster with its infrastructure and its control plane; made: which of these exist."""
    metadata = spec.pop("metadata", {})
    found = [core("Cluster", name, {
        "clusterNetwork": {"pods": {"cidrBlocks": ["10.40.0.0/16"]}},
        "infrastructureRef": reference("FakeCluster", name),
        "controlPlaneRef": reference("FakeControlPlane", name), **spec}, **metadata)]
    if "infra" in made:
        found.append(fake("FakeCluster", name, {"mood": mood}))
    if "plane" in made:
        found.append(fake("FakeControlPlane", name, {"mood": control_plane, "version": VERSION}))
    return found


def with_kubeadm(name, template):
    """A Cluster whose control plane is kubeadm's."""
    plane = thing("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", name, {
        "replicas": 1, "version": VERSION, "rollout": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}},
        "kubeadmConfigSpec": {"preKubeadmCommands": ["true"]},
        "machineTemplate": {"spec": {"infrastructureRef": reference("FakeMachineTemplate", template)}}})
    return [*cluster(name, made=("infra",), controlPlaneRef=reference("KubeadmControlPlane", name, "controlplane.cluster.x-k8s.io")),
            plane]


def machine_spec(cluster_name, template, bootstrap=None):
    return {"clusterName": cluster_name, "version": VERSION, "bootstrap": bootstrap or {"dataSecretName": "bootstrap"},
            "infrastructureRef": reference("FakeMachineTemplate", template)}


def workers(name, template, cluster_name="alpha", replicas=1, bootstrap=None, **spec):
    """A MachineDeployment as the admission webhook would complete it."""
    labels = {"cluster.x-k8s.io/cluster-name": cluster_name, "cluster.x-k8s.io/deployment-name": name}
    metadata = spec.pop("metadata", {})
    return core("MachineDeployment", name, {
        "clusterName": cluster_name, "replicas": replicas, "selector": {"matchLabels": labels},
        "rollout": ROLLOUT, "template": {"metadata": {"labels": labels}, "spec": machine_spec(cluster_name, template, bootstrap)}, **spec},
        labels={"cluster.x-k8s.io/cluster-name": cluster_name}, **metadata)


def machine_template(name, mood="good"):
    return fake("FakeMachineTemplate", name, {"template": {"spec": {"mood": mood}}})


def health_check(name, deployment, cluster_name="alpha", most=None, **checks):
    spec = {"clusterName": cluster_name, "selector": {"matchLabels": {"cluster.x-k8s.io/deployment-name": deployment}},
            "checks": {"nodeStartupTimeoutSeconds": 600, **checks}}
    if most is not None:
        spec["remediation"] = {"triggerIf": {"unhealthyLessThanOrEqualTo": most}}
    return core("MachineHealthCheck", name, spec, labels={"cluster.x-k8s.io/cluster-name": cluster_name})


def class_of(name, cluster_template="good"):
    return core("ClusterClass", name, {
        "infrastructure": {"templateRef": template_reference("FakeClusterTemplate", cluster_template)},
        "controlPlane": {"templateRef": template_reference("FakeControlPlaneTemplate", "good")},
        "workers": {"machineDeployments": [{
            "class": "worker", "rollout": ROLLOUT, "infrastructure": {"templateRef": template_reference("FakeMachineTemplate", "good")},
            "bootstrap": {"templateRef": {"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta2",
                                          "kind": "KubeadmConfigTemplate", "name": "plain"}}}]}})


def template_reference(kind, name):
    return {"apiVersion": f"{GROUP}/v1beta2", "kind": kind, "name": name}


def topology(name, class_name):
    return core("Cluster", name, {"topology": {
        "classRef": {"name": class_name}, "version": VERSION,
        "workers": {"machineDeployments": [{"class": "worker", "name": "pool", "replicas": 1}]}}})


def lone_machine(name, infrastructure=True):
    labels = {"cluster.x-k8s.io/cluster-name": "beta"}
    found = [core("Machine", name, {"clusterName": "beta", "version": VERSION, "bootstrap": {"dataSecretName": "bootstrap"},
                                    "infrastructureRef": reference("FakeMachine", name)}, labels=labels)]
    if infrastructure:
        found.append(fake("FakeMachine", name, {"mood": "good"}, labels=labels))
    return found


def secrets(lab, names):
    """How controllers reach the workload clusters, and bootstrap data."""
    found = [thing("v1", "Secret", "bootstrap", None)]
    found[0]["stringData"] = {"value": "#cloud-config", "format": "cloud-config"}
    config = pathlib.Path(lab.kubeconfig).read_bytes()
    for name in ("alpha", "hotel"):
        authority = thing("v1", "Secret", f"{name}-ca", None, labels={"cluster.x-k8s.io/cluster-name": name})
        authority |= {"type": "cluster.x-k8s.io/secret", "stringData": {
            f"tls.{suffix}": (lab.cp.dir / f"ca.{suffix}").read_text() for suffix in ("crt", "key")}}
        found.append(authority)
    for name in names:
        secret = thing("v1", "Secret", f"{name}-kubeconfig", None, labels={"cluster.x-k8s.io/cluster-name": name})
        secret |= {"type": "cluster.x-k8s.io/secret", "data": {"value": base64.b64encode(config).decode()}}
        found.append(secret)
    return found


def clusters():
    made = []
    for name in ("alpha", "beta", "golf", "lima"):
        made += cluster(name)
    made += cluster("bravo", made=("plane",))
    made += cluster("charlie", mood="stuck")
    made += cluster("delta", mood="error")
    made += cluster("echo", paused=True)
    made += cluster("juliet")
    made += cluster("kilo", made=("infra",))
    made += cluster("mike", control_plane="stuck")
    made += with_kubeadm("november", "good") + with_kubeadm("oscar", "absent")
    made += [topology("foxtrot", "absent"), topology("hotel", "standard"), topology("india", "hollow"),
             class_of("standard"), class_of("hollow", "absent"),
             fake("FakeClusterTemplate", "good", {"template": {"spec": {}}}),
             fake("FakeControlPlaneTemplate", "good", {"template": {"spec": {}}}),
             thing("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfigTemplate", "plain",
                   {"template": {"spec": {"preKubeadmCommands": ["true"]}}})]
    return made


def machines():
    ready_for = [{"type": "Ready", "status": "False", "timeoutSeconds": 5}]
    made = [machine_template(mood, mood) for mood in ("good", "stuck", "error", "nodeless", "sick")]
    made += [workers("web", "good", replicas=2), workers("batch", "good"), workers("rolling", "good"),
             workers("joining", "good", bootstrap={"configRef": reference(
                 "KubeadmConfigTemplate", "plain", "bootstrap.cluster.x-k8s.io")}),
             health_check("web", "web", unhealthyNodeConditions=ready_for),
             workers("lost", "good", cluster_name="absent"), workers("early", "good", cluster_name="charlie"),
             health_check("lost", "web", cluster_name="absent", unhealthyNodeConditions=ready_for)]
    made += [workers("spoiled", "good", "beta"), workers("leaving", "good", "beta"), workers("sick", "sick", "beta"),
             workers("still", "good", "beta", metadata={"annotations": {"cluster.x-k8s.io/paused": ""}}),
             workers("untemplated", "absent", "beta"), workers("stuck", "stuck", "beta"), workers("refused", "error", "beta"),
             workers("nodeless", "nodeless", "beta"),
             workers("unbooted", "good", "beta", bootstrap={"configRef": reference(
                 "KubeadmConfigTemplate", "absent", "bootstrap.cluster.x-k8s.io")}),
             health_check("sick", "sick", "beta", most=0, unhealthyNodeConditions=ready_for)]
    for name in ("lone", "vanished", "clinging"):
        made += lone_machine(name)
    made += lone_machine("bare", infrastructure=False)
    made.append(thing("addons.cluster.x-k8s.io/v1beta2", "ClusterResourceSet", "addons", {
        "strategy": "ApplyOnce", "clusterSelector": {"matchLabels": {"fleet": "yes"}}, "resources": [{"kind": "ConfigMap", "name": "addons"}]}))
    made.append(thing("addons.cluster.x-k8s.io/v1beta2", "ClusterResourceSet", "nothing", {
        "strategy": "ApplyOnce", "clusterSelector": {"matchLabels": {"fleet": "yes"}}, "resources": [{"kind": "ConfigMap", "name": "absent"}]}))
    config = thing("v1", "ConfigMap", "addons")
    config["data"] = {"one.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-addons, namespace: default}\n"}
    return made + [config]


def has(lab, resource, name, kind, status="True"):
    found = lab.get(resource, NAMESPACE, name) or {}
    return any(c["type"] == kind and c["status"] == status for c in found.get("status", {}).get("conditions", ()))


def play(lab):
    lab.nodes(1)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
    lab.definitions(provider.definitions())
    for kind in ("kubeadmconfigs.bootstrap", "kubeadmconfigtemplates.bootstrap", "kubeadmcontrolplanes.controlplane"):
        lab.patch("customresourcedefinitions.apiextensions.k8s.io", None, f"{kind}.cluster.x-k8s.io",
                  {"metadata": {"labels": provider.CONTRACT}})
    lab.apply(secrets(lab, ("alpha", "beta", "golf", "juliet", "mike", "hotel")))
    lab.apply(clusters())
    lab.mark("before the controllers")
    lab.sleep(4)
    for name in ("capi-core", "capi-bootstrap", "capi-controlplane"):
        lab.start(name, "--leader-elect=false", "--health-addr=0", "--diagnostics-address=0", "--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields",
                  "--feature-gates=ClusterTopology=true", f"--webhook-port={lab.port()}", f"--webhook-cert-dir={lab.cp.dir}",
                  "--webhook-cert-name=server.crt", "--webhook-key-name=server.key")
    with Provider(lab, lab.cp.port) as made:
        stories(lab, made)


def stories(lab, made):
    lab.mark("controllers")
    for name in ("alpha", "beta", "golf", "juliet"):
        lab.wait(f"{name} is available", lambda: has(lab, CLUSTER, name, "Available"), 90)
    lab.patch(CLUSTER, NAMESPACE, "alpha", {"metadata": {"labels": {"fleet": "yes"}}})
    lab.apply(machines())
    lab.mark("machines")
    for name in ("web", "batch", "rolling", "spoiled", "leaving", "sick"):
        lab.wait(f"{name} is available", lambda: has(lab, DEPLOYMENT, name, "Available"), 90)
    for name in ("lone", "vanished", "clinging"):
        lab.wait(f"{name} is available", lambda: has(lab, MACHINE, name, "Available"), 60)
    lab.sleep(5)
    change(lab, made)
    lab.sleep(50)
    lab.apply([workers("fresh", "good")])
    lab.mark("fresh")
    lab.sleep(8)


def machine_of(lab, deployment):
    return next(m["metadata"]["name"] for m in lab.get(MACHINE, NAMESPACE)
                if m["metadata"].get("labels", {}).get("cluster.x-k8s.io/deployment-name") == deployment)


def change(lab, made):
    lab.mark("changes")
    new = {"spec": {"template": {"spec": {"infrastructureRef": {"name": "next"}}}}}
    lab.apply([machine_template("next", "good")])
    lab.patch(DEPLOYMENT, NAMESPACE, "batch", {"spec": {"replicas": 3}})
    lab.patch(DEPLOYMENT, NAMESPACE, "rolling", new)
    new["spec"]["template"]["spec"]["infrastructureRef"]["name"] = "stuck"
    lab.patch(DEPLOYMENT, NAMESPACE, "spoiled", new)
    lab.patch(CLUSTER, NAMESPACE, "golf", {"spec": {"paused": True}})
    made.node_ready(machine_of(lab, "sick"), False)
    lab.patch(MACHINES, NAMESPACE, machine_of(lab, "leaving"), {"metadata": {"finalizers": ["example.org/audit", provider.FINALIZER]}})
    lab.delete(DEPLOYMENT, NAMESPACE, "leaving")
    lab.patch(MACHINE, NAMESPACE, "clinging", {"metadata": {"finalizers": ["machine.cluster.x-k8s.io", "example.org/archive"]}})
    lab.delete(MACHINE, NAMESPACE, "clinging")
    lab.patch(CLUSTERS, NAMESPACE, "juliet", {"metadata": {"finalizers": ["example.org/bill"]}})
    lab.delete(CLUSTER, NAMESPACE, "juliet")
    lab.patch(MACHINES, NAMESPACE, "vanished", {"metadata": {"finalizers": []}})
    lab.delete(MACHINES, NAMESPACE, "vanished")
