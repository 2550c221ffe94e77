# SPDX-License-Identifier: Apache-2.0
"""kro: ResourceGraphDefinitions that are good and bad, and instances of those that are served."""

from lab import go

TITLE = "kro 0.9.4"
BUILD = [go("github.com/kubernetes-sigs/kro", "v0.9.4", "./cmd/controller", name="kro",
            sum="h1:gynhldCLYW5x+M0c2Bf1ihoQTpNE68SKiXl1f6aX1kk=")]
CRDS = ["helm/crds"]
SECONDS = 150

RGD = "resourcegraphdefinitions.kro.run"
SITES = "sites.kro.run"
BOXES = "boxes.kro.run"
NAMESPACE = "shop"


def rgd(name, kind, spec, resources, status=None):
    schema = {"apiVersion": "v1alpha1", "kind": kind, "spec": spec}
    if status:
        schema["status"] = status
    return {"apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition",
            "metadata": {"name": name}, "spec": {"schema": schema, "resources": resources}}


def instance(kind, name, spec, **metadata):
    return {"apiVersion": "kro.run/v1alpha1", "kind": kind,
            "metadata": {"name": name, "namespace": NAMESPACE, **metadata}, "spec": spec}


def config_map(name, data, id="config"):
    return {"id": id, "template": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}}


def site_resources():
    """A Deployment that is ready when all replicas are available, and its Service."""
    labels = {"site": "${schema.metadata.name}"}
    return [
        {"id": "deployment",
         "readyWhen": ["${deployment.status.availableReplicas == deployment.spec.replicas}"],
         "template": {
             "apiVersion": "apps/v1", "kind": "Deployment",
             "metadata": {"name": "${schema.metadata.name}"},
             "spec": {"replicas": "${schema.spec.replicas}", "selector": {"matchLabels": labels},
                      "template": {"metadata": {"labels": labels},
                                   "spec": {"containers": [{"name": "web",
                                                            "image": "${schema.spec.image}"}]}}}}},
        {"id": "service",
         "template": {
             "apiVersion": "v1", "kind": "Service",
             "metadata": {"name": "${deployment.metadata.name}"},
             "spec": {"selector": labels,
                      "ports": [{"port": "${schema.spec.port}", "targetPort": 8080}]}}},
    ]


SITE_SPEC = {"image": "string", "replicas": "integer | default=2", "port": "integer | default=80"}


def resource_graphs():
    box = [{"id": "settings", "externalRef": {
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": "${schema.spec.settings}"}}},
           config_map("${schema.metadata.name}-copy", {"level": "${settings.data.?level.orValue('none')}"})]
    stack = [{"id": "site",
              "readyWhen": ["${site.status.?state.orValue('') == 'ACTIVE'}"],
              "template": {"apiVersion": "kro.run/v1alpha1", "kind": "Site",
                           "metadata": {"name": "${schema.metadata.name}"},
                           "spec": {"image": "${schema.spec.image}", "replicas": 1}}},
             config_map("${site.metadata.name}-stack", {"ready": "${string(site.status.available)}"})]
    return [
        rgd("sites", "Site", SITE_SPEC, site_resources(),
            {"available": "${deployment.status.availableReplicas}"}),
        rgd("boxes", "Box", {"settings": "string"}, box),
        rgd("shelves", "Shelf", {"label": "string"},
            [config_map("${schema.metadata.name}", {"label": "${schema.spec.label}"})]),
        rgd("relics", "Relic", {"age": "string"},
            [config_map("${schema.metadata.name}", {"age": "${schema.spec.age}"})]),
        rgd("stacks", "Stack", {"image": "string"}, stack),
        rgd("typos", "Typo", {"size": "string"},
            [config_map("${schema.metadata.name}", {"size": "${schema.spec.sise}"})]),
        rgd("strangers", "Stranger", {"size": "string"},
            [config_map("${schema.metadata.name}", {"owner": "${nobody.metadata.name}"})]),
        rgd("untyped", "Untyped", {"size": "strin"},
            [config_map("${schema.metadata.name}", {"size": "${schema.spec.size}"})]),
        rgd("circles", "Circle", {"size": "string"},
            [config_map("${schema.metadata.name}-a", {"other": "${second.metadata.name}"}, "first"),
             config_map("${schema.metadata.name}-b", {"other": "${first.metadata.name}"}, "second")]),
        rgd("ghosts", "Ghost", {"size": "string"},
            [{"id": "part", "template": {"apiVersion": "example.org/v1", "kind": "Phantom",
                                         "metadata": {"name": "${schema.metadata.name}"},
                                         "spec": {"size": "${schema.spec.size}"}}}]),
        rgd("latecomers", "Latecomer", {"size": "string"},
            [{"id": "part", "template": {"apiVersion": "example.org/v1", "kind": "Lamp",
                                         "metadata": {"name": "${schema.metadata.name}"},
                                         "spec": {"size": "${schema.spec.size}"}}}]),
        rgd("taken", "Gadget", {"size": "string"},
            [config_map("${schema.metadata.name}", {"size": "${schema.spec.size}"})]),
    ]


def definition_of(kind, plural, group="example.org", version="v1"):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower(),
                               "listKind": kind + "List"},
                     "versions": [{"name": version, "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object", "properties": {"spec": {
                                           "type": "object",
                                           "properties": {"size": {"type": "string"}}}}}}}]}}


def instances():
    good = "example.org/web:1"
    return [
        instance("Site", "plain", {"image": good}),
        instance("Site", "moving", {"image": good}),
        instance("Site", "spoiled", {"image": good}),
        instance("Site", "pausing", {"image": good}),
        instance("Site", "leaving", {"image": good}),
        instance("Site", "clinging", {"image": good}, finalizers=["example.org/archive"]),
        instance("Site", "unpulled", {"image": "example.org/missing:1"}),
        instance("Site", "falling", {"image": "example.org/crash:1"}),
        instance("Site", "refused", {"image": good, "port": 70000}),
        instance("Site", "halted", {"image": good}, annotations={"kro.run/reconcile": "suspended"}),
        instance("Box", "open", {"settings": "defaults"}),
        instance("Box", "empty", {"settings": "absent"}),
        instance("Box", "patient", {"settings": "later"}),
        instance("Shelf", "oak", {"label": "first"}),
        instance("Relic", "old", {"age": "ancient"}),
        instance("Stack", "sound", {"image": good}),
        instance("Stack", "shaky", {"image": "example.org/missing:2"}),
    ]


def state(lab, plural, name, namespace=NAMESPACE):
    found = lab.get(plural, namespace, name) or {}
    return found.get("status", {}).get("state")


def play(lab):
    lab.nodes(3)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
               {"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": "defaults", "namespace": NAMESPACE}, "data": {"level": "high"}},
               definition_of("Gadget", "gadgets", "kro.run", "v1alpha1")])
    lab.apply(resource_graphs())
    lab.mark("before the controller")
    lab.sleep(4)
    lab.start("kro", "--metrics-bind-address", "0", "--health-probe-bind-address", "0")
    for name in ("sites", "boxes", "shelves", "relics", "stacks"):
        lab.wait(f"{name} is served", lambda: state(lab, RGD, name, None) == "Active", 60)
    lab.apply(instances())
    lab.mark("instances")
    for name in ("plain", "moving", "spoiled", "pausing", "leaving", "clinging"):
        lab.wait(f"{name} is active", lambda: state(lab, SITES, name) == "ACTIVE", 60)
    lab.sleep(10)
    change(lab)
    lab.sleep(40)
    lab.apply([instance("Site", "fresh", {"image": "example.org/web:1"})])
    lab.mark("fresh")
    lab.sleep(6)


def change(lab):
    lab.mark("changes")
    lab.patch(SITES, NAMESPACE, "moving", {"spec": {"image": "example.org/web:2", "replicas": 3}})
    lab.patch(SITES, NAMESPACE, "spoiled", {"spec": {"port": 70000}})
    lab.patch(SITES, NAMESPACE, "pausing",
              {"metadata": {"annotations": {"kro.run/reconcile": "suspended"}}})
    lab.patch("services", NAMESPACE, "leaving", {"metadata": {"finalizers": ["example.org/drain"]}})
    lab.delete(SITES, NAMESPACE, "leaving")
    lab.delete(SITES, NAMESPACE, "clinging")
    lab.apply([{"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": "later", "namespace": NAMESPACE}, "data": {"level": "low"}},
               definition_of("Lamp", "lamps")])
    lab.patch(RGD, None, "shelves", {"spec": {"resources": [
        config_map("${schema.metadata.name}", {"label": "${schema.spec.lable}"})]}})
    lab.patch(RGD, None, "relics", {"metadata": {"finalizers": ["example.org/museum"]}})
    lab.delete(RGD, None, "relics")
