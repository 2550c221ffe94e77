# SPDX-License-Identifier: Apache-2.0
"""What the program asks of a real API server, told by the server's audit log."""
import collections
import time

import pytest

from controlplane import wait_until
from program import Run
from shapes import orc_ready, orc_waiting
from watcher import Watcher

NETWORKS = "networks.openstack.k-orc.cloud"
ORC = "/apis/openstack.k-orc.cloud/v1alpha1/namespaces/requests/"


@pytest.fixture(scope="module")
def few(cp, crds):
    """A namespace with a handful of objects, some of which wait for others."""
    cp.post("/api/v1/namespaces", {"metadata": {"name": "requests"}})
    for kind, plural, name, resource, status in (
            ("Network", "networks", "net", {}, orc_waiting("Resource status will be refreshed")),
            ("Subnet", "subnets", "a", {"networkRef": "net"},
             orc_waiting("Waiting for Network/net to be ready")),
            ("Router", "routers", "gw", {}, orc_ready("r"))):
        cp.post(ORC + plural, {
            "apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": kind, "metadata": {"name": name},
            "spec": {"managementPolicy": "managed", "resource": resource,
                     "cloudCredentialsRef": {"secretName": "clouds", "cloudName": "c"}}})
        cp.patch(f"{ORC}{plural}/{name}/status", {"status": status})
    cp.post("/api/v1/namespaces/requests/configmaps", {"metadata": {"name": "settings"}})


class Asked:
    """The program as a user of its own, and what it asked for since the last look."""

    def __init__(self, cp, folder):
        cp.grant_oncall()
        self.cp, self.since = cp, time.time()
        self.run = Run(folder, cp.kubeconfig("asker", groups=("oncall",), namespace="requests"))

    def requests(self):
        """With the checks that hold for all: only reads, and none of them twice."""
        since, self.since = self.since, time.time()
        found = self.cp.audit("asker", since)
        uris = collections.Counter(r["requestURI"] for r in found)
        assert {r["verb"] for r in found} <= {"get", "list", "watch"}
        assert not [uri for uri, n in uris.items() if n > 1]
        return found

    def verbs(self):
        return collections.Counter(r["verb"] for r in self.requests())


@pytest.fixture
def asked(cp, few, tmp_path):
    return Asked(cp, tmp_path)


def resources(requests):
    return [(r["objectRef"].get("apiGroup", ""), r["objectRef"]["resource"])
            for r in requests if "objectRef" in r]


def named(requests):
    """Those that look up one object."""
    return [r for r in requests if "metadata.name" in r["requestURI"]]


def listable(cp):
    """How many resources can be listed and watched."""
    return len(cp.kubectl("api-resources", "--verbs=list,watch", "--no-headers", "-o",
                          "name").split())


@pytest.mark.parametrize("scope", [(), ("-A",)])
def test_look_at_everything(cp, asked, scope):
    """Discovery in two requests, one list of each kind, and a few by name."""
    document = asked.run.json(*scope)
    assert {("Network", "net"), ("Subnet", "a"), ("Router", "gw")} <= {
        (i["kind"], i["name"]) for i in document["items"]}
    first = asked.requests()
    gets = [r["requestURI"].partition("?")[0] for r in first if r["verb"] == "get"]
    assert sorted(gets) == ["/api", "/apis"]
    assert len(first) <= 2 + listable(cp) and len(named(first)) <= 3
    kinds = collections.Counter(resources(r for r in first if r not in named(first)))
    assert max(kinds.values()) == 1, kinds
    print("requests:", len(first), "kinds that can be listed:", listable(cp))
    asked.run.json(*scope)
    second = asked.verbs()
    assert second["get"] == 0 and second["list"] == len(first) - 2, "discovery comes from the cache"


@pytest.mark.parametrize("args, expected", [
    (("routers.openstack.k-orc.cloud",), ["routers", "secrets"]),
    (("router.openstack.k-orc.cloud/gw",), ["routers", "secrets"]),
    (("configmaps",), ["configmaps"]),
    # there are none: whether the namespace exists; Services, because their addresses stand in variables
    (("deployments",), ["deployments", "namespaces", "pods", "replicasets", "services"]),
])
def test_look_at_little(asked, args, expected):
    """Neighbours are looked up where a verdict needs them."""
    asked.run.json("configmaps")            # discovery
    asked.requests()
    asked.run.json(*args)
    requests = asked.requests()
    assert sorted(resource for _, resource in resources(requests)) == expected


def test_chain_of_waits(asked):
    """One object by name, what it waits for, and perhaps whose work that is."""
    asked.run.json("configmaps")            # discovery
    asked.requests()
    asked.run.json("subnet.openstack.k-orc.cloud/a")
    requests = asked.requests()
    assert named(requests) == requests, "nothing is listed"
    assert {"networks", "secrets", "subnets"} <= {r for _, r in resources(requests)} <= {
        "networks", "secrets", "subnets", "deployments"}
    assert len(requests) <= 4


def test_names_only(asked):
    asked.run.text("configmaps")
    asked.requests()
    asked.run.text("subnets.openstack.k-orc.cloud", "-o", "name")
    assert asked.verbs() == {"list": 1}, "a name needs no neighbours"


def test_contents_of_secrets_stay_where_they_are(asked):
    """That a Secret exists is asked for as metadata; its list, too."""
    asked.run.json("subnets.openstack.k-orc.cloud")
    secrets = [r["requestURI"] for r in asked.requests()
               if r.get("objectRef", {}).get("resource") == "secrets"]
    assert len(secrets) == 1 and "metadata.name" in secrets[0]


def test_watching_everything_asks_twice_for_a_kind(asked):
    """What there is, and what changes; then nothing more."""
    with Watcher(asked.run, "-A") as watcher:
        wait_until("the objects", lambda: watcher.named("Router", "gw"), 30)
        wait_until("the watches", lambda: watches(asked) >= 50, 30)
        time.sleep(2)                       # nothing more must come
        requests = asked.requests()
        assert watcher.connections() == 1
    kinds = collections.Counter(resources(
        r for r in requests if r not in named(requests) and r["responseStatus"]["code"] == 200))
    assert max(kinds.values()) <= 2, kinds


def watches(asked):
    return sum(r["verb"] == "watch" for r in asked.cp.audit("asker", asked.since))


def types(cp, count):
    """So many kinds, as arguments."""
    names = cp.kubectl("api-resources", "--verbs=list,watch", "--no-headers", "-o", "name").split()
    names.sort(key=lambda name: name != NETWORKS)
    assert len(names) >= count
    return ",".join(names[:count])


def test_fifty_watches_share_a_connection(cp, asked):
    with Watcher(asked.run, "-A", types(cp, 50), watch=("-w", "-o", "name")) as watcher:
        assert_watched(cp, asked, watcher, 50)
        assert watcher.connections() == 1


def test_more_watches_than_fit_on_a_connection(cp, asked):
    """The server takes 100 streams on each; what finds no room opens one more."""
    with Watcher(asked.run, "-A", types(cp, 105), watch=("-w", "-o", "name")) as watcher:
        assert_watched(cp, asked, watcher, 105)
        assert 2 <= watcher.connections() <= 3


def assert_watched(cp, asked, watcher, count):
    wait_until("the watches", lambda: watches(asked) >= count, 30)
    told = watcher.lines.count(b"network.openstack.k-orc.cloud/net")
    change(cp)
    wait_until("the change", lambda: watcher.lines.count(
        b"network.openstack.k-orc.cloud/net") > told, 10)


def change(cp):
    cp.patch(f"{ORC}networks/net/status", {"status": orc_waiting(f"At {time.time()}")})


def test_per_namespace_where_not_everywhere(cp, few, tmp_path):
    """Who may read one namespace only sees that one."""
    cp.grant([{"apiGroups": ["openstack.k-orc.cloud"], "resources": ["*"],
               "verbs": ["get", "list", "watch"]}], "narrow", user="narrow", namespace="requests")
    run = Run(tmp_path, cp.kubeconfig("narrow", namespace="requests"))
    since = time.time()
    document = run.json("-A", "openstack")
    assert {(i["kind"], i["name"]) for i in document["items"]} == {
        ("Network", "net"), ("Subnet", "a"), ("Router", "gw")}
    assert {n["kind"] for n in document["notices"]} == {"forbidden"}
    assert not any(c["cause"] == "missing" for c in document["rootCauses"]), "nobody knows"
    codes = collections.Counter(r["responseStatus"]["code"] for r in cp.audit("narrow", since))
    assert codes[200] and codes[403] and codes.keys() == {200, 403}
    assert codes[403] <= codes[200] + 2, "each kind is refused once"
