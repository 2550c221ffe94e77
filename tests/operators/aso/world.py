# SPDX-License-Identifier: Apache-2.0
"""The Azure service operator with an Azure Resource Manager in memory (arm.py, which says what the words in names do)."""

import json
import subprocess
import urllib.parse
import urllib.request

from lab import go_here

TITLE = "Azure service operator 2.13"
BUILD = [go_here(".", ".", "aso")]
SECONDS = 240

SUBSCRIPTION = "00000000-0000-4000-8000-000000000000"
VERSIONS = {
    "resources": "v1api20200601",
    "managedidentity": "v1api20230131",
    "storage": "v1api20230101",
    "network": "v1api20240601",
    "dbforpostgresql": "v1api20240801",
}


def definitions(lab):
    return json.loads(subprocess.run([lab.binary("aso"), "crds"], check=True, capture_output=True).stdout)["items"]


def azure(group, kind, name, /, owner=None, annotations=None, namespace="shop", azure_name=None, **spec):
    """An object as the operator's webhooks would have completed it: they are left out here."""
    version = VERSIONS[group]
    spec = {"originalVersion": version, **spec}
    if kind != "StorageAccountsBlobService":  # of which there is one, "default"
        spec["azureName"] = name if azure_name is None else azure_name
    if owner:
        spec["owner"] = {"armId": owner} if owner.startswith("/") else {"name": owner}
    metadata = {"name": name, "namespace": namespace}
    if annotations:
        metadata["annotations"] = {f"serviceoperator.azure.com/{key}": value for key, value in annotations.items()}
    return {"apiVersion": f"{group}.azure.com/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def group(name, location="westeurope", **more):
    return azure("resources", "ResourceGroup", name, location=location, **more)


def account(name, owner="rg-shop", **more):
    return azure(
        "storage",
        "StorageAccount",
        name,
        owner,
        location="westeurope",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        **more,
    )


def container(name, owner, **more):
    return azure("storage", "StorageAccountsBlobServicesContainer", name, owner, **more)


def server(name, owner="rg-shop", secret="pg-admin", key="password", **more):
    return azure(
        "dbforpostgresql",
        "FlexibleServer",
        name,
        owner,
        location="westeurope",
        version="16",
        administratorLogin="chief",
        administratorLoginPassword={"name": secret, "key": key},
        storage={"storageSizeGB": 32},
        sku={"name": "Standard_B1ms", "tier": "Burstable"},
        **more,
    )


def database(name, owner, **more):
    return azure("dbforpostgresql", "FlexibleServersDatabase", name, owner, charset="UTF8", **more)


def zone(name, owner="rg-shop", **more):
    return azure("network", "PrivateDnsZone", name, owner, location="global", **more)


def identity(name, owner="rg-shop", **more):
    return azure("managedidentity", "UserAssignedIdentity", name, owner, location="westeurope", **more)


def secret(name, namespace="shop", **data):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "stringData": data,
    }


def objects():
    network = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-net/providers/Microsoft.Network/virtualNetworks/hub"
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}},
        secret("pg-admin", password="long-enough"),
        secret("pg-nokey", user="chief"),
        # What goes well.
        group("rg-shop"),
        account("stshop", operatorSpec={"secrets": {"key1": {"name": "stshop-keys", "key": "key1"}}}),
        azure("storage", "StorageAccountsBlobService", "stshop-blobs", "stshop"),
        container("images", "stshop-blobs"),
        server("pg-shop"),
        database("orders", "pg-shop"),
        azure(
            "dbforpostgresql",
            "FlexibleServersFirewallRule",
            "office",
            "pg-shop",
            startIpAddress="192.0.2.1",
            endIpAddress="192.0.2.9",
        ),
        zone("shop.internal"),
        azure(
            "network", "PrivateDnsZonesARecord", "www", "shop.internal", ttl=300, aRecords=[{"ipv4Address": "10.0.0.4"}]
        ),
        azure(
            "network",
            "PrivateDnsZonesVirtualNetworkLink",
            "to-hub",
            "shop.internal",
            location="global",
            registrationEnabled=False,
            virtualNetwork={"reference": {"armId": network}},
        ),
        identity("app-identity"),
        azure(
            "managedidentity",
            "FederatedIdentityCredential",
            "app-login",
            "app-identity",
            audiences=["api://exchange"],
            issuer="https://issuer.example.org/",
            subject="system:serviceaccount:shop:app",
        ),
        # What Azure refuses.
        group("rg-atlantis", location="atlantis"),
        group("rg-forbidden"),
        group("rg-policy"),
        account("staken"),
        zone("bad.internal"),
        zone("boom.internal"),
        zone("throttled.internal"),
        server("pg-collapse"),
        # What takes its time.
        zone("busy.internal"),
        server("pg-sluggish"),
        server("pg-slow"),
        database("slow-orders", "pg-slow"),
        # What refers to something that is not there.
        container("orphans", "nowhere"),
        account("sthomeless", owner="rg-nowhere"),
        account("stbelow", owner="rg-atlantis"),
        account("stlate", owner="rg-late"),
        zone("armless.internal", owner=f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-unknown"),
        server("pg-nosecret", secret="pg-absent"),
        server("pg-nokey", secret="pg-nokey"),
        server("pg-latesecret", secret="pg-late"),
        server(
            "pg-noidentity",
            identity={
                "type": "UserAssigned",
                "userAssignedIdentities": [
                    {
                        "reference": {
                            "group": "managedidentity.azure.com",
                            "kind": "UserAssignedIdentity",
                            "name": "nobody",
                        }
                    }
                ],
            },
        ),
        azure(
            "managedidentity",
            "FederatedIdentityCredential",
            "no-config",
            "app-identity",
            audiences=["api://exchange"],
            issuerFromConfig={"name": "cluster-facts", "key": "issuer"},
            subject="system:serviceaccount:shop:app",
        ),
        identity("no-credential", annotations={"credential-from": "team-credential"}),
        # What is not to be touched, or cannot be.
        group("rg-adopted", annotations={"reconcile-policy": "skip"}),
        identity("unmanaged-gone", annotations={"reconcile-policy": "skip"}),
        group("rg-detached", annotations={"reconcile-policy": "detach-on-delete"}),
        group("rg-unnamed", azure_name=""),
        # What will be deleted or changed.
        group("rg-locked"),
        group("rg-held"),
        zone("lingering.internal"),
        group("rg-brief"),
        account("stmoved"),
        zone("edited.internal"),
        server("pg-halted"),
        server("pg-resized"),
    ]


def path_of(name):
    return f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-shop/providers/Microsoft.DBforPostgreSQL/flexibleServers/{name}"


def is_ready(lab, kind, name):
    conditions = (lab.get(kind, "shop", name) or {}).get("status", {}).get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def play(lab):
    port = lab.port()
    lab.start("arm.py", port)
    lab.start(
        "aso",
        "run",
        env={
            "POD_NAMESPACE": "azureserviceoperator-system",
            "AZURE_OPERATOR_MODE": "watchers",
            "AZURE_SUBSCRIPTION_ID": SUBSCRIPTION,
            "AZURE_TENANT_ID": SUBSCRIPTION,
            "AZURE_CLIENT_ID": SUBSCRIPTION,
            "AZURE_SYNC_PERIOD": "30s",
            "AZURE_RESOURCE_MANAGER_ENDPOINT": f"https://127.0.0.1:{port}",
            "AZURE_RESOURCE_MANAGER_AUDIENCE": f"https://127.0.0.1:{port}",
            "MAX_CONCURRENT_RECONCILES": "4",
        },
    )
    lab.mark("created")
    lab.apply(objects())
    for name in ("pg-shop", "pg-halted", "pg-resized", "pg-sluggish"):
        lab.wait(
            f"{name} is ready", lambda name=name: is_ready(lab, "flexibleservers.dbforpostgresql.azure.com", name), 90
        )
    lab.sleep(10)

    lab.mark("late")
    lab.apply([secret("pg-late", password="long-enough"), group("rg-late"), group("rg-fresh")])
    lab.mark("halted")
    asked = urllib.parse.urlencode({"path": path_of("pg-halted"), "state": "Stopped"})
    urllib.request.urlopen(
        urllib.request.Request(f"http://127.0.0.1:{port}/set?{asked}", method="POST"), timeout=10
    ).read()
    lab.patch("storageaccounts.storage.azure.com", "shop", "stmoved", {"spec": {"location": "atlantis"}})
    lab.patch("privatednszones.network.azure.com", "shop", "edited.internal", {"spec": {"tags": {"team": "web"}}})
    lab.patch(
        "flexibleservers.dbforpostgresql.azure.com", "shop", "pg-resized", {"spec": {"storage": {"storageSizeGB": 64}}}
    )
    lab.patch(
        "resourcegroups.resources.azure.com",
        "shop",
        "rg-held",
        {"metadata": {"finalizers": ["serviceoperator.azure.com/finalizer", "audit.example.org/keep"]}},
    )
    lab.mark("deleted")
    for name in ("rg-locked", "rg-held", "rg-detached", "rg-brief"):
        lab.delete("resourcegroups.resources.azure.com", "shop", name)
    lab.delete("privatednszones.network.azure.com", "shop", "lingering.internal")
    lab.wait(
        "pg-latesecret is ready",
        lambda: is_ready(lab, "flexibleservers.dbforpostgresql.azure.com", "pg-latesecret"),
        90,
    )
    lab.wait("stlate is ready", lambda: is_ready(lab, "storageaccounts.storage.azure.com", "stlate"), 90)
    lab.apply([database("ledger", "pg-halted")])
    lab.sleep(45)  # the next look at what has not changed
    lab.mark("fresh")
    lab.apply([server("pg-fresh")])
    lab.sleep(3)
