# SPDX-License-Identifier: Apache-2.0
"""Dask clusters and jobs, by an operator in Python (kopf) that says little: a phase of one word, and nothing of its pods."""

import copy
import pathlib

import yaml

from lab import pip

TITLE = "Dask Kubernetes operator 2026.3 (kopf 1.45)"
BUILD = [pip(["dask-kubernetes==2026.3.0", "kopf==1.45.2", "kr8s==0.20.15"], name="dask-operator")]
SECONDS = 180
GROUP = "kubernetes.dask.org"
NS = "research"


def definitions(lab):
    """The package's own definitions, their references resolved; what the package does not have (PodSpec, ServiceSpec) is left open."""
    told = pathlib.Path(lab.binary("dask-operator")).parent.parent
    folder = next(told.glob("lib/python*/site-packages/dask_kubernetes/operator/customresources"))
    templates = yaml.safe_load((folder / "templates.yaml").read_text())["definitions"]

    def resolved(node):
        if isinstance(node, list):
            return [resolved(n) for n in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            name = node["$ref"].rpartition("/")[2]
            return resolved(copy.deepcopy(templates[name])) if name in templates else {
                "type": "object", "x-kubernetes-preserve-unknown-fields": True}
        return {k: resolved(v) for k, v in node.items()}

    names = ("daskcluster", "daskworkergroup", "daskjob", "daskautoscaler")
    return [resolved(yaml.safe_load((folder / f"{n}.yaml").read_text())) for n in names]


def pod(image, **more):
    return {"containers": [{"name": "main", "image": f"registry.example/{image}", "resources": {"requests": {"cpu": more.pop("cpu", "100m")}}}], **more}


def cluster_spec(scheduler="dask:1", worker="dask:1", workers=2, service="ClusterIP", cpu="100m", scheduler_pod=None):
    name = scheduler_pod or {}
    return {
        "scheduler": {
            "spec": pod(scheduler) | name,
            "service": {"type": service, "selector": {"dask.org/component": "scheduler"}, "ports": [
                {"name": "tcp-comm", "protocol": "TCP", "port": 8786, "targetPort": 8786},
                {"name": "http-dashboard", "protocol": "TCP", "port": 8787, "targetPort": 8787}]}},
        "worker": {"replicas": workers, "spec": pod(worker, cpu=cpu)}}


def thing(kind, name, spec, **metadata):
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name, "namespace": NS, **metadata}, "spec": spec}


def cluster(name, metadata=None, **options):
    spec = cluster_spec(**options)
    spec["scheduler"]["service"]["selector"]["dask.org/cluster-name"] = name
    return thing("DaskCluster", name, spec, **(metadata or {}))


def job(name, image, **options):
    return thing("DaskJob", name, {
        "cluster": {"spec": cluster_spec(workers=1, **options)},
        "job": {"spec": pod(image, restartPolicy="Never")}})


def phase(lab, name, *phases):
    found = lab.get(f"daskclusters.{GROUP}", NS, name)
    return (found or {}).get("status", {}).get("phase") in phases


def job_status(lab, name, status):
    found = lab.get(f"daskjobs.{GROUP}", NS, name)
    return (found or {}).get("status", {}).get("jobStatus") == status


def play(lab):
    lab.nodes(3)
    lab.start("dask-operator", "-m", "kopf", "run", "--standalone", "--all-namespaces", "-m", "dask_kubernetes.operator.controller")
    lab.wait("the operator watches", lambda: "Activity 'startup' succeeded" in lab.log("dask-operator"), 60)
    lab.sleep(3)
    lab.apply([
        cluster("weather"),
        cluster("typo", scheduler="missing-dask:1"),
        cluster("half", worker="missing-dask:1"),
        cluster("restless", worker="crash:1"),
        cluster("public", service="LoadBalancer", workers=1),
        cluster("exposed", service="LoadBalancer", workers=1),
        cluster("oversized", workers=1, cpu="200"),
        cluster("idle", workers=0),
        cluster("refused", scheduler_pod={"restartPolicy": "Sometimes"}, workers=1),
        cluster("far-too-long-a-name-for-a-cluster-of-this-kind-which-may-have-53-characters", workers=1),
        cluster("leaving", metadata={"finalizers": ["example.org/billing"]}, workers=1),
        thing("DaskWorkerGroup", "weather-big", {"cluster": "weather", "worker": {"replicas": 1, "spec": pod("dask:1")}}),
        thing("DaskWorkerGroup", "lost", {"cluster": "nowhere", "worker": {"replicas": 1, "spec": pod("dask:1")}}),
        thing("DaskWorkerGroup", "early", {"cluster": "tides", "worker": {"replicas": 1, "spec": pod("dask:1")}}),
        thing("DaskAutoscaler", "lost", {"cluster": "nowhere", "minimum": 1, "maximum": 4}),
        job("nightly", "etl:1"),
        job("broken", "crash-etl:1"),
        job("stuck", "missing-etl:1"),
        job("training", "forever-etl:1"),
    ])
    lab.mark("created")
    lab.wait("weather runs", lambda: phase(lab, "weather", "Running"), 60)
    lab.wait("public has a service", lambda: lab.get("services", NS, "exposed-scheduler"), 60)
    lab.wait("jobs have ended", lambda: job_status(lab, "nightly", "Successful") and job_status(lab, "broken", "Failed"), 90)
    lab.sleep(1)
    lab.mark("running")
    lab.sleep(0.5)
    lab.status("services", NS, "exposed-scheduler", {"loadBalancer": {"ingress": [{"ip": "192.0.2.80"}]}})
    lab.patch(f"daskclusters.{GROUP}", NS, "weather", {"spec": {"worker": {"replicas": 3}}})
    lab.delete(f"daskclusters.{GROUP}", NS, "leaving")
    lab.wait("exposed runs", lambda: phase(lab, "exposed", "Running"), 60)
    lab.wait("weather has three workers", lambda: len([
        d for d in lab.get("deployments.apps", NS) if d["metadata"]["labels"].get("dask.org/workergroup-name") == "weather-default"
        and d["status"].get("readyReplicas") == 1]) == 3, 60)
    lab.mark("changed")
    lab.apply([cluster("tides", workers=1)])
    lab.wait("the early group has found its cluster", lambda: lab.get("deployments.apps", NS) and any(
        d["metadata"]["labels"].get("dask.org/workergroup-name") == "early" for d in lab.get("deployments.apps", NS)), 120)
    lab.sleep(5)
    lab.mark("settled")
    lab.apply([cluster("fresh", workers=1)])
    lab.wait("fresh is seen", lambda: phase(lab, "fresh", "Created", "Pending", "Running"), 30)
