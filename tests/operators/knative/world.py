# SPDX-License-Identifier: Apache-2.0
"""A shop's web services: Knative Serving without a network layer, whose Ingresses this world answers."""

import contextlib
import socket
import threading

from lab import ApiError, go, source

TITLE = "Knative Serving 1.21"
SERVING = "knative.dev/serving"
SUM = "h1:1I5WVW6fPvzMVtAouaWFrRjRpSBAyfzSx4vZRjJtrm4="
BUILD = [go(SERVING, "v0.48.0", "./cmd/controller", sum=SUM), go(SERVING, "v0.48.0", "./cmd/autoscaler", sum=SUM),
         source("knative.dev/networking", "v0.0.0-20260120131110-a7cdca238a0d"), source("knative.dev/caching", "v0.0.0-20260120130310-f1fc03b7f5ee")]
CRDS = ["config/core/300-resources", "knative.dev/networking:config", "knative.dev/caching:config"]
SECONDS = 180
NS, SYSTEM = "web", "knative-serving"
SERVE = "serving.knative.dev/v1"
SERVICES, ROUTES, CONFIGURATIONS = "services.serving.knative.dev", "routes.serving.knative.dev", "configurations.serving.knative.dev"
INGRESSES = "ingresses.networking.internal.knative.dev"

# No registry is asked for these images; one that must be asked does not answer.
SETTINGS = {
    "config-autoscaler": {"stable-window": "60s", "enable-scale-to-zero": "false"},
    "config-defaults": {}, "config-domain": {"example.org": ""}, "config-features": {}, "config-gc": {}, "config-logging": {},
    "config-leader-election": {}, "config-observability": {}, "config-tracing": {}, "config-certmanager": {},
    "config-deployment": {"queue-sidecar-image": "registry.example/queue:1", "registries-skipping-tag-resolving": "registry.example",
                          "progress-deadline": "20s"},
    "config-network": {"ingress-class": "example.org/gateway"},
}


def template(image="shop:1", registry="registry.example", annotations=None, **spec):
    container = {"name": "user-container", "image": f"{registry}/{image}", "resources": {},
                 "readinessProbe": {"successThreshold": 1, "tcpSocket": {"port": 0}}, **spec.pop("container", {})}
    return {"metadata": {"annotations": {"autoscaling.knative.dev/min-scale": "1", **(annotations or {})}},
            "spec": {"containerConcurrency": 0, "timeoutSeconds": 300, "enableServiceLinks": False, "containers": [container], **spec}}


def thing(kind, name, spec, api=SERVE, **metadata):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": NS, **metadata}, "spec": spec}


def service(name, image="shop:1", traffic=None, metadata=None, **options):
    return thing("Service", name, {"template": template(image, **options), "traffic": traffic or [{"latestRevision": True, "percent": 100}]},
                 **(metadata or {}))


def route(name, *traffic):
    return thing("Route", name, {"traffic": list(traffic)})


def ready(lab, resource, name, status="True"):
    return lab.condition(resource, NS, name, "Ready", status)


def gateway(lab, done):
    """What a network layer would write: every Ingress is served, but those of "dark", and those of "walled" cannot be."""
    known = {}
    while not done.wait(0.2):
        for ingress in lab.get(INGRESSES, NS):
            meta = ingress["metadata"]
            if meta["name"] == "dark" or known.get(meta["uid"]) == meta["generation"]:
                continue
            with contextlib.suppress(ApiError):
                lab.status(INGRESSES, NS, meta["name"], ingress_status(meta, "False" if meta["name"] == "walled" else "True"))
                known[meta["uid"]] = meta["generation"]


def ingress_status(meta, status):
    conditions = [{"type": t, "status": status if t != "NetworkConfigured" else "True", "lastTransitionTime": meta["creationTimestamp"],
                   **({"reason": "ListenerConflict", "message": "Port 80 is taken by another gateway"} if status == "False" and t != "NetworkConfigured" else {})}
                  for t in ("LoadBalancerReady", "NetworkConfigured", "Ready")]
    balancer = {"ingress": [{"domainInternal": "gateway.example-gateway.svc.cluster.local"}]}
    return {"observedGeneration": meta["generation"], "conditions": conditions, "publicLoadBalancer": balancer, "privateLoadBalancer": balancer}


def is_free(port):
    with contextlib.closing(socket.socket()) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("", port))
            return True
        except OSError:
            return False


def start_knative(lab):
    lab.apply([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": SYSTEM}, "data": data}
               for name, data in SETTINGS.items()])
    lab.apply([
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "activator-service", "namespace": SYSTEM}, "spec": {
            "ports": [{"name": "http", "port": 80, "targetPort": 8012}]}},
        {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "activator-service", "namespace": SYSTEM}, "subsets": [
            {"addresses": [{"ip": "192.0.2.200"}], "ports": [{"name": "http", "port": 8012}]}]}])
    lab.wait("the autoscaler's port 8080, which cannot be chosen, is free", lambda: is_free(8080), 60)
    for name in ("controller", "autoscaler"):
        lab.start(name, env={"SYSTEM_NAMESPACE": SYSTEM, "POD_NAME": f"{name}-0", "POD_IP": "192.0.2.201", "CONFIG_LOGGING_NAME": "config-logging",
                             "CONFIG_OBSERVABILITY_NAME": "config-observability", "METRICS_DOMAIN": "knative.dev/serving",
                             "PROFILING_PORT": str(lab.port()), "KNATIVE_HEALTH_PROBES_PORT": str(lab.port())})


def play(lab):
    lab.nodes(3)
    start_knative(lab)
    done = threading.Event()
    helper = threading.Thread(target=gateway, args=(lab, done))
    helper.start()
    try:
        story(lab)
    finally:
        done.set()
        helper.join()


def story(lab):
    lab.apply([
        service("shop"), service("upgraded"), service("bad-upgrade"), service("split"), service("leaving", metadata={"finalizers": ["example.org/dns"]}),
        service("no-image", "missing-shop:1"), service("restless", "crash-shop:1"), service("no-registry", registry="127.0.0.1:1/web"),
        service("no-secret", "unconfigured-shop:1", container={"envFrom": [{"secretRef": {"name": "shop-database"}}]}),
        service("no-config", "unconfigured-shop:1", container={"envFrom": [{"configMapRef": {"name": "shop-settings"}}]}),
        service("oversized", container={"resources": {"requests": {"cpu": "64"}}}),
        service("no-revision", traffic=[{"revisionName": "no-revision-00009", "percent": 100}]),
        service("dark"), service("walled"),
        route("nowhere", {"configurationName": "no-such-configuration", "latestRevision": True, "percent": 100}),
        route("late", {"configurationName": "late", "latestRevision": True, "percent": 100}),
        thing("DomainMapping", "shop.example.com", {"ref": {"apiVersion": SERVE, "kind": "Service", "name": "shop", "namespace": NS}}, api="serving.knative.dev/v1beta1"),
        thing("DomainMapping", "old.example.com", {"ref": {"apiVersion": SERVE, "kind": "Service", "name": "no-such-shop", "namespace": NS}}, api="serving.knative.dev/v1beta1"),
        *[{"apiVersion": "networking.internal.knative.dev/v1alpha1", "kind": "ClusterDomainClaim", "metadata": {"name": n}, "spec": {"namespace": w}}
          for n, w in (("shop.example.com", NS), ("old.example.com", NS), ("taken.example.com", "elsewhere"))],
        thing("DomainMapping", "taken.example.com", {"ref": {"apiVersion": SERVE, "kind": "Service", "name": "shop", "namespace": NS}}, api="serving.knative.dev/v1beta1"),
    ])
    lab.mark("created")
    for name in ("shop", "upgraded", "bad-upgrade", "split", "leaving"):
        lab.wait(f"{name} is ready", lambda name=name: ready(lab, SERVICES, name), 90)
    lab.wait("no-image fails", lambda: ready(lab, SERVICES, "no-image", "False"), 60)
    lab.sleep(1)
    lab.mark("running")
    lab.sleep(0.5)
    change(lab)
    lab.sleep(10)
    lab.mark("settled")
    lab.apply([service("fresh")])
    lab.sleep(1)


def change(lab):
    """New images, a wrong one too; traffic to a revision that is not there; what was waited for comes; one goes."""
    lab.patch(SERVICES, NS, "upgraded", {"spec": {"template": template("shop:2")}})
    lab.patch(SERVICES, NS, "bad-upgrade", {"spec": {"template": template("missing-shop:3")}})
    lab.patch(SERVICES, NS, "split", {"spec": {"traffic": [{"latestRevision": True, "percent": 90}, {"revisionName": "split-00007", "percent": 10}]}})
    lab.apply([thing("Configuration", "late", {"template": template()})])
    lab.delete(SERVICES, NS, "leaving")
    lab.wait("the new revision is ready", lambda: (lab.get(SERVICES, NS, "upgraded")["status"].get("latestReadyRevisionName") == "upgraded-00002")
             and ready(lab, SERVICES, "upgraded"), 60)
    lab.wait("late is ready", lambda: ready(lab, ROUTES, "late"), 60)
    lab.wait("bad-upgrade is refused", lambda: ready(lab, CONFIGURATIONS, "bad-upgrade", "False"), 60)
    lab.mark("changed")
