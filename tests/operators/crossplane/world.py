# SPDX-License-Identifier: Apache-2.0
"""Crossplane with provider-nop, whose managed resources say of themselves what their spec tells them to, and a registry
of packages (registry.py) whose deployments kwok pretends to run."""

import shutil
import socket

from lab import go

TITLE = "Crossplane 1.20 and provider-nop"
CORE, NOP = "github.com/crossplane/crossplane", "github.com/crossplane-contrib/provider-nop"
BUILD = [
    go(CORE, "v1.20.3", "./cmd/crossplane", sum="h1:86OuqXKTE1Dw2/UVXrDxUIJ/bQzNuBHgEKEg9NjbocY="),
    go(NOP, "v0.5.0", "./cmd/provider", name="provider-nop", sum="h1:sVznckclJL1Uh9FgitrI9+HrljPQGIo1M8IaIfo6KrI="),
]
CRDS = [f"{CORE}:cluster/crds", f"{NOP}:package/crds"]
SECONDS = 260

API = "apiextensions.crossplane.io/v1"
SYSTEM = "crossplane-system"


def thing(api, kind, name, namespace=None, annotations=None, labels=None, finalizers=None, **body):
    metadata = {
        "name": name,
        "namespace": namespace,
        "annotations": annotations,
        "labels": labels,
        "finalizers": finalizers,
    }
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {key: value for key, value in metadata.items() if value},
        **body,
    }


def definition(kind, claim):
    """A composite kind and its claim."""
    plural = kind.lower() + "s"
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "string"}, "team": {"type": "string"}}},
            "status": {"type": "object", "properties": {"address": {"type": "string"}}},
        },
    }
    return thing(
        API,
        "CompositeResourceDefinition",
        f"{plural}.shop.example.org",
        spec={
            "group": "shop.example.org",
            "names": {"kind": kind, "plural": plural},
            "claimNames": {"kind": claim, "plural": claim.lower() + "s"},
            "versions": [
                {"name": "v1alpha1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}
            ],
        },
    )


def after(*changes):
    """What a managed resource says of itself: "5s Ready", "5s !Ready"."""
    told = []
    for change in changes:
        time, _, word = change.partition(" ")
        told.append(
            {"time": time, "conditionType": word.strip("!"), "conditionStatus": "False" if word[0] == "!" else "True"}
        )
    return {"forProvider": {"conditionAfter": told}}


def part(name, *changes, patches=None, kind="ClusterNopResource", api="nop.crossplane.io/v1alpha1", **metadata):
    """A part of a composition."""
    spec = after(*changes) if changes else {}
    base = {"apiVersion": api, "kind": kind, "spec": spec, **({"metadata": metadata} if metadata else {})}
    return {"name": name, "base": base, **({"patches": patches} if patches else {})}


def composition(name, *parts, kind="XDatabase", functions=()):
    spec = {"compositeTypeRef": {"apiVersion": "shop.example.org/v1alpha1", "kind": kind}}
    if functions:
        spec |= {
            "mode": "Pipeline",
            "pipeline": [{"step": f"step-{i}", "functionRef": {"name": f}} for i, f in enumerate(functions)],
        }
    else:
        spec |= {"mode": "Resources", "resources": list(parts)}
    return thing(API, "Composition", name, labels={"tier": name}, spec=spec)


def claim(name, by=None, tier=None, kind="Database", annotations=None, **spec):
    if by:
        spec["compositionRef"] = {"name": by}
    if tier:
        spec["compositionSelector"] = {"matchLabels": {"tier": tier}}
    return thing("shop.example.org/v1alpha1", kind, name, "orders", annotations, spec=spec)


def managed(name, *changes, annotations=None, kind="ClusterNopResource", namespace=None, **spec):
    return thing("nop.crossplane.io/v1alpha1", kind, name, namespace, annotations, spec={**after(*changes), **spec})


def package(kind, name, source, annotations=None, **spec):
    return thing("pkg.crossplane.io/v1", kind, name, annotations=annotations, spec={"package": source, **spec})


READY = "4s Ready"


def taken(owner):
    """The definition of a composite that exists already, and that somebody else controls."""
    one = thing(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "xtakens.shop.example.org",
        spec={
            "group": "shop.example.org",
            "scope": "Cluster",
            "names": {"plural": "xtakens", "singular": "xtaken", "kind": "XTaken", "listKind": "XTakenList"},
            "versions": [
                {
                    "name": "v1alpha1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                }
            ],
        },
    )
    one["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "Namespace", "name": SYSTEM, "uid": owner["metadata"]["uid"], "controller": True}
    ]
    return one


def kinds():
    return [
        definition("XDatabase", "Database"),
        definition("XCache", "Cache"),
        definition("XTaken", "Taken"),
        composition("standard", part("disk", READY), part("engine", "12s Ready")),
        composition("endless", part("disk", READY), part("engine", "3h Ready")),
        composition("refused", part("disk", READY), part("engine", "2s !Ready", "2s !Synced")),
        composition("fading", part("disk", READY), part("engine", "6s Ready", "90s !Ready")),
        composition(
            "sized",
            part(
                "disk",
                READY,
                patches=[
                    {
                        "type": "FromCompositeFieldPath",
                        "fromFieldPath": "spec.size",
                        "toFieldPath": "metadata.annotations[size]",
                        "policy": {"fromFieldPath": "Required"},
                    }
                ],
            ),
        ),
        composition("unknown-part", part("disk", READY), part("bucket", kind="Bucket", api="storage.example.org/v1")),
        composition("piped", functions=["function-sorting"]),
        composition("unpiped", functions=["function-nowhere"]),
        composition("growing", part("disk", READY)),
        composition("nested", part("cache", kind="XCache", api="shop.example.org/v1alpha1")),
        composition("cache", part("node", READY, kind="ClusterNopResource"), part("gone", "3s !Ready"), kind="XCache"),
    ]


def claims():
    return [
        thing("v1", "Namespace", "orders"),
        claim("main", "standard"),
        claim("endless", "endless"),
        claim("refused", "refused"),
        claim("fading", "fading"),
        claim("sized-late", "sized"),
        claim("sized", "sized", size="large"),
        claim("unknown-part", "unknown-part"),
        claim("piped", "piped"),
        claim("unpiped", "unpiped"),
        claim("nested", "nested"),
        claim("growing", "growing"),
        claim("no-composition", "absent"),
        claim("no-match", tier="absent"),
        claim("late", "late"),
        claim("paused", "standard", annotations={"crossplane.io/paused": "true"}),
        claim("pausing", "standard"),
        claim("leaving", "standard"),
        claim("stuck", "standard", compositeDeletePolicy="Foreground"),
        claim("moved", "standard"),
        managed("disk-ready", READY),
        managed("disk-unready", "3s !Ready"),
        managed("disk-fading", READY, "60s !Ready"),
        managed("disk-unsynced", READY, "25s !Synced"),
        managed("disk-never"),
        managed("disk-paused", READY, annotations={"crossplane.io/paused": "true"}),
        managed("disk-observed", READY, managementPolicies=["Observe"]),
        managed("disk-unconfigured", READY, providerConfigRef={"name": "absent"}),
        thing(
            "apiextensions.crossplane.io/v1beta1",
            "Usage",
            "keeps-disk",
            spec={
                "of": {
                    "apiVersion": "nop.crossplane.io/v1alpha1",
                    "kind": "ClusterNopResource",
                    "resourceRef": {"name": "disk-ready"},
                },
                "reason": "in use",
            },
        ),
        thing(
            "apiextensions.crossplane.io/v1beta1",
            "Usage",
            "keeps-nothing",
            spec={
                "of": {
                    "apiVersion": "nop.crossplane.io/v1alpha1",
                    "kind": "ClusterNopResource",
                    "resourceRef": {"name": "disk-absent"},
                },
                "reason": "in use",
            },
        ),
    ]


def packages(host):
    def shop(name, version="v1.0.0"):
        return f"{host}/shop/{name}:{version}"

    return [
        package("Provider", "provider-shelf", shop("provider-shelf")),
        package("Provider", "provider-rack", shop("provider-rack")),
        package("Provider", "provider-missing", shop("provider-missing")),
        package("Provider", "provider-crash", shop("provider-crash")),
        package("Provider", "provider-clashing", shop("provider-clashing")),
        package("Provider", "provider-manual", shop("provider-manual"), revisionActivationPolicy="Manual"),
        package("Provider", "provider-unknown", shop("provider-unknown")),
        package("Provider", "provider-closed", shop("provider-closed")),
        package("Provider", "provider-unreachable", "127.0.0.1:1/shop/provider:v1"),
        package("Provider", "provider-misspelt", "SHOP//provider?:v1"),
        package("Provider", "provider-paused", shop("provider-paused"), annotations={"crossplane.io/paused": "true"}),
        package("Function", "function-sorting", shop("function-sorting")),
        package("Function", "function-missing", shop("function-missing")),
        package("Configuration", "configuration-store", shop("configuration-store")),
        package("Configuration", "configuration-orphan", shop("configuration-orphan")),
        package("Configuration", "configuration-old", shop("configuration-old")),
        package("Configuration", "configuration-torn", shop("configuration-torn")),
    ]


def beginnings():
    """What `crossplane core init` makes."""
    return [
        thing("v1", "Namespace", SYSTEM),
        thing("v1", "ServiceAccount", "crossplane", SYSTEM),
        thing("v1", "Secret", "crossplane-root-ca", SYSTEM),
        thing("v1", "Secret", "crossplane-tls-client", SYSTEM),
        thing("pkg.crossplane.io/v1beta1", "Lock", "lock"),
        thing("pkg.crossplane.io/v1beta1", "DeploymentRuntimeConfig", "default", spec={}),
    ]


def ready(lab, resource, namespace, name, kind="Ready"):
    return lambda: lab.condition(resource, namespace, name, kind)


def play(lab):
    registry = lab.port()
    host = f"127.0.0.1:{registry}"
    lab.nodes(2)
    lab.start("registry.py", registry)
    lab.apply(beginnings())
    certificates(lab)
    (lab.folder / "xpkg").mkdir()
    # It has no flags for its ports.
    lab.wait("the ports 8080 and 9443 are free", lambda: free(8080) and free(9443), 120)
    lab.start("provider-nop", "--poll", "5s", "--max-reconcile-rate", "10", env={"TLS_SERVER_CERTS_DIR": str(lab.folder)})
    lab.start(
        "crossplane",
        "core",
        "start",
        "--enable-webhooks=false",
        "--registry",
        host,
        "--poll-interval",
        "15s",
        "--cache-dir",
        lab.folder / "xpkg",
        f"--metrics-port={lab.port()}",
        f"--health-probe-port={lab.port()}",
        f"--webhook-port={lab.port()}",
        f"--tls-client-certs-dir={lab.folder}",
    )
    lab.mark("defined")
    lab.apply([taken(lab.get("namespaces", None, SYSTEM)), *kinds()])
    for claims_of in ("databases", "caches"):
        lab.wait(
            f"{claims_of} are served",
            lambda name=claims_of: lab.condition(
                "customresourcedefinitions.apiextensions.k8s.io", None, f"{name}.shop.example.org", "Established"
            ),
            60,
        )
    lab.mark("claimed")
    lab.apply(claims())
    lab.mark("packaged")
    # What needs provider-shelf comes when that is there: else Crossplane installs it a second time, and then nothing more.
    # So does provider-clashing: the first of both owns their kind.
    everything = packages(host)
    later = [p for p in everything if p["kind"] == "Configuration" or p["metadata"]["name"] == "provider-clashing"]
    lab.apply([p for p in everything if p not in later])
    lab.wait("main is ready", ready(lab, "databases.shop.example.org", "orders", "main"), 90)
    lab.wait("stuck is ready", ready(lab, "databases.shop.example.org", "orders", "stuck"), 90)
    lab.wait("growing is ready", ready(lab, "databases.shop.example.org", "orders", "growing"), 90)
    lab.wait(
        "provider-shelf is healthy", ready(lab, "providers.pkg.crossplane.io", None, "provider-shelf", "Healthy"), 90
    )
    lab.wait("provider-rack is healthy", ready(lab, "providers.pkg.crossplane.io", None, "provider-rack", "Healthy"), 90)
    lab.mark("configured")
    lab.apply(later)
    lab.wait(
        "configuration-store is healthy",
        ready(lab, "configurations.pkg.crossplane.io", None, "configuration-store", "Healthy"),
        60,
    )
    lab.sleep(10)

    lab.mark("changed")
    lab.patch("databases.shop.example.org", "orders", "sized-late", {"spec": {"size": "small"}})
    lab.apply(
        [
            composition("late", part("disk", READY)),
            composition("growing", part("disk", READY), part("replica", "3h Ready")),
        ]
    )
    lab.patch(
        "databases.shop.example.org",
        "orders",
        "pausing",
        {"metadata": {"annotations": {"crossplane.io/paused": "true"}}},
    )
    lab.patch(
        "databases.shop.example.org",
        "orders",
        "moved",
        {"spec": {"compositionRef": {"name": "unknown-part"}, "compositionRevisionRef": None}},
    )
    lab.patch(
        "providers.pkg.crossplane.io",
        None,
        "provider-rack",
        {"spec": {"package": f"{host}/shop/provider-rack:v1.1.0"}},
    )
    hold(lab, "stuck")
    lab.mark("deleted")
    for name in ("leaving", "stuck"):
        lab.delete("databases.shop.example.org", "orders", name)
    lab.wait("late is ready", ready(lab, "databases.shop.example.org", "orders", "late"), 90)
    lab.sleep(75)
    lab.mark("fresh")
    lab.apply([claim("fresh", "standard"), managed("disk-fresh", "20s Ready")])
    lab.sleep(3)


def free(port):
    """Whether nobody listens there."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) != 0


def certificates(lab):
    """Both insist on a certificate, for functions that are called and for webhooks: the control plane's will do."""
    for source, target in (("ca.crt", "ca.crt"), ("server.crt", "tls.crt"), ("server.key", "tls.key")):
        shutil.copyfile(lab.cp.dir / source, lab.folder / target)


def hold(lab, name):
    """Somebody else's finalizer on one managed resource of a claim."""
    composite = lab.get("databases.shop.example.org", "orders", name)["spec"]["resourceRef"]["name"]
    for one in lab.get("clusternopresources.nop.crossplane.io"):
        if one["metadata"].get("labels", {}).get("crossplane.io/composite") == composite:
            lab.patch(
                "clusternopresources.nop.crossplane.io",
                None,
                one["metadata"]["name"],
                {"metadata": {"finalizers": one["metadata"].get("finalizers", []) + ["audit.example.org/keep"]}},
            )
            return
