# SPDX-License-Identifier: Apache-2.0
"""API servers that go away and come back, seen by a program that watches ninety kinds."""
import socket
import time

import pytest

from controlplane import wait_until
from faults import Proxy
from program import Run
from shapes import orc_ready
from watcher import Watcher

API = "openstack.k-orc.cloud/v1alpha1"
KINDS = {"Network": "networks", "Subnet": "subnets", "Router": "routers", "Port": "ports",
         "SecurityGroup": "securitygroups", "Image": "images", "Flavor": "flavors", "Server": "servers"}
AWAY = 45                               # seconds
FRESH = 5                               # after the return


@pytest.fixture(scope="module", autouse=True)
def controllers(cp):
    """After a long outage they would wait for half a minute, and the tests behind these with them."""
    yield
    cp.stop_controllers()
    cp.start_controllers()


def make(cp, namespace, name):
    for kind, plural in KINDS.items():
        path = f"/apis/{API}/namespaces/{namespace}/{plural}"
        cp.post(path, {"apiVersion": API, "kind": kind, "metadata": {"name": name},
                       "spec": {"managementPolicy": "unmanaged", "import": {"filter": {"name": name}},
                                "cloudCredentialsRef": {"secretName": "c", "cloudName": "c"}}})
        cp.patch(f"{path}/{name}/status", {"status": orc_ready(name)})


def has_all(watcher, name):
    return all(watcher.named(kind, name) for kind in KINDS)


def is_listening(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def watched(cp, tmp_path, namespace, proxy=None):
    cp.grant_oncall()
    cp.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    server = {"server": proxy.url} if proxy else {}
    return Run(tmp_path, cp.kubeconfig(namespace, groups=("oncall",), namespace=namespace, **server))


def test_all_kinds_are_fresh_soon_after_an_outage(cp, crds, tmp_path):
    with Watcher(watched(cp, tmp_path, "outage")) as watcher:
        make(cp, "outage", "before")
        wait_until("all kinds", lambda: has_all(watcher, "before"), 60)
        cp.stop_apiserver()
        try:
            cp.start_apiserver(hidden=True)
            make(cp, "outage", "meanwhile")
            time.sleep(AWAY)
            assert not watcher.named("Network", "meanwhile")
        finally:
            cp.stop_apiserver()
            cp.start_apiserver()
        began = time.monotonic()
        wait_until("all kinds", lambda: has_all(watcher, "meanwhile"), 60)
        took = time.monotonic() - began
        print("fresh %.1f s after the return" % took)
        assert took <= FRESH
        watcher.end()


def test_rolling_restart_of_two_api_servers(cp, crds, tmp_path):
    """Behind one address: one is always there, and nothing is told twice."""
    second = cp.start_second_apiserver()
    try:
        wait_until("the second API server", lambda: is_listening(second), 60)
        with Proxy(cp.port) as proxy, Watcher(watched(cp, tmp_path, "rolling", proxy)) as watcher:
            make(cp, "rolling", "first")
            wait_until("all kinds", lambda: has_all(watcher, "first"), 60)
            proxy.target = second
            cp.stop_apiserver(kill=False)
            cp.start_apiserver()
            make(cp, "rolling", "second")
            wait_until("all kinds", lambda: has_all(watcher, "second"), 15)
            proxy.target = cp.port
            cp.stop_second_apiserver()
            make(cp, "rolling", "third")
            wait_until("all kinds", lambda: has_all(watcher, "third"), 15)
            added = [(e["kind"], e["name"]) for e in watcher.events if e["event"] == "ADDED"]
            assert len(added) == len(set(added)), "told twice"
            assert not any(e["event"] == "DELETED" for e in watcher.events)
            watcher.end()
    finally:
        cp.stop_second_apiserver()
