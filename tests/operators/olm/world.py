# SPDX-License-Identifier: Apache-2.0
"""The Operator Lifecycle Manager with a catalog of its own (catalog.go); one namespace for each story, named by its package."""

import json

from lab import go, go_here

TITLE = "Operator Lifecycle Manager 0.38"
MODULE = "github.com/operator-framework/operator-lifecycle-manager"
SUM = "h1:X/aXZq/yby3LWIKrK7K4hUv0RK8Wo33wOgKnCH3nTMg="
BUILD = [
    go(MODULE, "v0.38.0", "./cmd/olm", sum=SUM),
    go(MODULE, "v0.38.0", "./cmd/catalog", name="catalog-operator", sum=SUM),
    go_here(".", ".", "catalog"),
]
CRDS = ["deploy/chart/crds"]
SECONDS = 330

API = "operators.coreos.com/v1alpha1"
GROUP = "fleet.example.org"
MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


# -- the catalog ----------------------------------------------------------------


def csv(
    package,
    version="1.0.0",
    image="quay.io/fleet/operator:1",
    replaces=None,
    modes=MODES,
    requires=(),
    account="default",
    rules=False,
    **spec,
):
    """A ClusterServiceVersion with one Deployment."""
    pod = {"serviceAccountName": account, "containers": [{"name": "manager", "image": image}]}
    deployment = {
        "name": f"{package}-operator",
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": package}},
            "template": {"metadata": {"labels": {"app": package}}, "spec": pod},
        },
    }
    install = {"deployments": [deployment]}
    if rules:
        install["clusterPermissions"] = [
            {
                "serviceAccountName": account,
                "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
            }
        ]
    kinds = [
        {
            "name": f"{plural}.{group}",
            "version": "v1",
            "kind": plural[:-1].capitalize(),
            "displayName": plural,
            "description": plural,
        }
        for plural, group in ((r, "elsewhere.example.org") for r in requires)
    ]
    owned = [
        {
            "name": f"{package}s.{GROUP}",
            "version": "v1",
            "kind": package.capitalize(),
            "displayName": package,
            "description": package,
        }
    ]
    return {
        "apiVersion": API,
        "kind": "ClusterServiceVersion",
        "metadata": {"name": f"{package}.v{version}"},
        "spec": {
            "displayName": package,
            "version": version,
            "description": package,
            "provider": {"name": "fleet"},
            "installModes": [{"type": mode, "supported": mode in modes} for mode in MODES],
            "install": {"strategy": "deployment", "spec": install},
            "customresourcedefinitions": {"owned": owned, "required": kinds},
            **({"replaces": replaces} if replaces else {}),
            **spec,
        },
    }


def definition(package):
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{package}s.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "plural": f"{package}s",
                "singular": package,
                "kind": package.capitalize(),
                "listKind": f"{package.capitalize()}List",
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                }
            ],
        },
    }


def bundle(one, image=None, more=(), needs=None):
    """What the catalog serves of a version; image: its content would have to be unpacked from there."""
    package, version, replaces = one["spec"]["displayName"], one["spec"]["version"], one["spec"].get("replaces")
    kind = {"group": GROUP, "version": "v1", "kind": package.capitalize()}
    properties = [("olm.package", {"packageName": package, "version": version}), ("olm.gvk", kind)]
    if needs:
        properties.append(("olm.gvk.required", {"group": GROUP, "version": "v1", "kind": needs.capitalize()}))
    told = {
        "csvName": one["metadata"]["name"],
        "packageName": package,
        "channelName": "stable",
        "version": version,
        "providedApis": [{**kind, "plural": f"{package}s"}],
        "properties": [{"type": type_, "value": json.dumps(value)} for type_, value in properties],
    }
    if needs:
        told["requiredApis"] = [{"group": GROUP, "version": "v1", "kind": needs.capitalize(), "plural": f"{needs}s"}]
    if replaces:
        told["replaces"] = replaces
    if image:
        return {**told, "bundlePath": image}
    return {**told, "csvJson": json.dumps(one), "object": [json.dumps(o) for o in (one, definition(package), *more)]}


def catalog(later=False):
    """Everything that can be installed; later: with the versions that appear in the middle of the story."""
    invalid = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "Not_A_Name"},
        "spec": {"ports": [{"port": 80}]},
    }
    bundles = [
        bundle(csv("atlas")),
        bundle(csv("borealis")),
        bundle(csv("comet", image="quay.io/fleet/missing:1")),
        bundle(csv("dust", requires=["motes"])),
        bundle(csv("ember", account="ember-runner", rules=True)),
        bundle(csv("flint", minKubeVersion="1.99.0")),
        bundle(csv("gale", modes=["AllNamespaces"])),
        bundle(csv("halo"), more=[invalid]),
        bundle(csv("iris"), image="quay.io/fleet/iris-bundle:1"),
        bundle(csv("jade")),
        bundle(csv("kelp"), needs="atlas"),
        bundle(csv("moss"), needs="moonstone"),
        bundle(csv("nova")),
        bundle(csv("onyx")),
        bundle(csv("pearl")),
        bundle(csv("quartz")),
        bundle(csv("reed")),
        bundle(csv("sable")),
    ]
    if later:
        bundles += [
            bundle(csv("atlas", "1.1.0", replaces="atlas.v1.0.0")),
            bundle(csv("borealis", "2.0.0", replaces="borealis.v1.0.0")),
            bundle(csv("jade", "2.0.0", image="quay.io/fleet/missing:2", replaces="jade.v1.0.0")),
            bundle(csv("tundra")),
        ]
    heads = {one["packageName"]: one["csvName"] for one in bundles}
    return {
        "packages": [
            {"name": name, "defaultChannelName": "stable", "channels": [{"name": "stable", "csvName": head}]}
            for name, head in heads.items()
        ],
        "bundles": bundles,
    }


# -- the objects ----------------------------------------------------------------


def place(name, groups=1, everywhere=False):
    """A namespace with what an operator needs there."""
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    for number in range(groups):
        yield {
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": f"group-{number + 1}", "namespace": name},
            "spec": {} if everywhere else {"targetNamespaces": [name], "upgradeStrategy": "Default"},
        }


def subscription(
    package,
    namespace=None,
    source="fleet",
    source_namespace="olm",
    approval="Automatic",
    channel="stable",
    name=None,
    **spec,
):
    return {
        "apiVersion": API,
        "kind": "Subscription",
        "metadata": {"name": name or package, "namespace": namespace or package},
        "spec": {
            "name": package,
            "channel": channel,
            "source": source,
            "sourceNamespace": source_namespace,
            "installPlanApproval": approval,
            **spec,
        },
    }


def source(name, namespace="olm", **spec):
    return {
        "apiVersion": API,
        "kind": "CatalogSource",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"sourceType": "grpc", "displayName": name, "publisher": "fleet", **spec},
    }


def by_hand(namespace, one):
    """A ClusterServiceVersion that nobody subscribed to."""
    one["metadata"]["namespace"] = namespace
    one["spec"]["customresourcedefinitions"]["owned"] = []
    return one


def objects(address):
    told = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "olm"}}, source("fleet", address=address)]
    # One namespace for each package, with a Subscription.
    for package in (
        "atlas",
        "comet",
        "dust",
        "ember",
        "flint",
        "gale",
        "halo",
        "iris",
        "jade",
        "kelp",
        "moss",
        "onyx",
    ):
        told += [*place(package), subscription(package)]
    told += [*place("borealis"), subscription("borealis", approval="Manual")]
    # Catalogs that do not answer, each with its own namespace.
    for name, spec in (
        ("silent", {"address": "127.0.0.1:1"}),
        ("unpulled", {"image": "quay.io/fleet/missing-catalog:1"}),
        ("unmapped", {"sourceType": "configmap", "configMap": "absent"}),
    ):
        told += [
            *place(name),
            source(name, name, **spec),
            subscription("nova", name, source=name, source_namespace=name),
        ]
    told += [*place("unspecified"), source("unspecified", "unspecified")]
    # Subscriptions that cannot be resolved.
    told += [
        *place("uncatalogued"),
        subscription("nova", "uncatalogued", source="absent"),
        *place("unpackaged"),
        subscription("nothing", "unpackaged"),
        *place("unchannelled"),
        subscription("reed", "unchannelled", channel="candidate"),
        *place("unversioned"),
        subscription("quartz", "unversioned", startingCSV="quartz.v9.9.9"),
        *place("neighbours"),
        subscription("nova", "neighbours"),
        subscription("nothing", "neighbours"),
        *place("twins"),
        subscription("pearl", "twins", name="pearl-a"),
        subscription("pearl", "twins", name="pearl-b"),
        *place("ungrouped", 0),
        subscription("nova", "ungrouped"),
        *place("overgrouped", 2),
        subscription("nova", "overgrouped"),
        *place("tundra"),
        subscription("tundra"),
    ]
    # An operator for all namespaces, and so with a copy of its CSV in each.
    told += [*place("everywhere", everywhere=True), subscription("sable", "everywhere")]
    # By hand.
    told += [
        *place("byhand"),
        by_hand("byhand", csv("plain")),
        by_hand("byhand", csv("accountless", account="absent", rules=True)),
        *place("byhand-ungrouped", 0),
        by_hand("byhand-ungrouped", csv("loose")),
        *place("byhand-overgrouped", 2),
        by_hand("byhand-overgrouped", csv("torn")),
    ]
    return told


def phase(lab, namespace, name):
    return ((lab.get("clusterserviceversions.v1alpha1.operators.coreos.com", namespace, name) or {}).get("status") or {}).get(
        "phase"
    )


def succeeded(lab, namespace, name):
    return lambda: phase(lab, namespace, name) == "Succeeded"


def state(lab, name):
    return lab.get("subscriptions.v1alpha1.operators.coreos.com", name, name).get("status", {}).get("state")


def at_latest(lab, name):
    """A Subscription follows its CSV by up to half a minute."""
    return lambda: state(lab, name) == "AtLatestKnown"


def approve(lab, namespace):
    """Approve the one InstallPlan of a namespace that waits for it."""

    def plan():
        # There may be another one that the Subscription has no use for, without a status.
        waiting = [
            p
            for p in lab.get("installplans.v1alpha1.operators.coreos.com", namespace)
            if p.get("status", {}).get("phase") == "RequiresApproval"
        ]
        return waiting and waiting[0]["metadata"]["name"]

    lab.patch(
        "installplans.v1alpha1.operators.coreos.com",
        namespace,
        lab.wait("a plan waits for approval", plan, 90),
        {"spec": {"approved": True}},
    )


def serve(lab, address, later=False):
    file = lab.folder / "catalog.json"
    file.write_text(json.dumps(catalog(later)))
    lab.start("catalog", address, file)


def play(lab):
    address = f"127.0.0.1:{lab.port()}"
    lab.nodes(2)
    serve(lab, address)
    lab.start(
        "catalog-operator",
        "--namespace",
        "olm",
        "--writeStatusName=",
        "--interval",
        "20s",
        "--bundle-unpack-timeout",
        "60s",
        "--configmapServerImage",
        "quay.io/fleet/configmap-server:1",
        "--opmImage",
        "quay.io/fleet/missing-opm:1",
        "--util-image",
        "quay.io/fleet/util:1",
    )
    lab.start("olm", "--namespace", "olm", "--writeStatusName=", "--writePackageServerStatusName=")
    lab.mark("created")
    lab.apply(objects(address))
    approve(lab, "borealis")
    for name in ("atlas", "jade", "onyx", "borealis", "kelp"):
        lab.wait(f"{name} has succeeded", succeeded(lab, name, f"{name}.v1.0.0"), 150)
    for name in ("atlas", "jade", "borealis"):
        lab.wait(f"{name} is at its latest version", at_latest(lab, name), 90)
    lab.wait("plain has succeeded", succeeded(lab, "byhand", "plain.v1.0.0"), 60)
    lab.sleep(15)

    lab.mark("upgraded")
    lab.stop("catalog")
    serve(lab, address, later=True)
    hold = {"metadata": {"finalizers": ["audit.example.org/keep"]}}
    lab.patch("clusterserviceversions.v1alpha1.operators.coreos.com", "onyx", "onyx.v1.0.0", hold)
    lab.mark("deleted")
    lab.delete("subscriptions.v1alpha1.operators.coreos.com", "onyx", "onyx")
    lab.delete("clusterserviceversions.v1alpha1.operators.coreos.com", "onyx", "onyx.v1.0.0")
    lab.delete("clusterserviceversions.v1alpha1.operators.coreos.com", "byhand", "plain.v1.0.0")
    lab.wait("atlas is upgraded", succeeded(lab, "atlas", "atlas.v1.1.0"), 150)
    lab.wait("tundra has succeeded", succeeded(lab, "tundra", "tundra.v1.0.0"), 150)
    for name in ("atlas", "tundra"):
        lab.wait(f"{name} is at its latest version", at_latest(lab, name), 90)
    lab.wait("the upgrade of borealis waits for approval", lambda: state(lab, "borealis") == "UpgradePending", 90)
    lab.wait(
        "iris' bundle is given up",
        lambda: any(
            c["type"] == "BundleUnpackFailed" and c["status"] == "True"
            for c in lab.get("subscriptions.v1alpha1.operators.coreos.com", "iris", "iris")["status"].get("conditions", ())
        ),
        150,
    )
    lab.sleep(15)
    lab.mark("fresh")
    lab.apply([*place("fresh"), subscription("nova", "fresh")])
    lab.sleep(2)
