# SPDX-License-Identifier: Apache-2.0
"""Every kind is watched, also one without objects, with the kinds of all operators served:
first objects, kinds that come, go and come back, an outage."""
import time

import pytest

from controlplane import wait_until
from crds import CRDS, can_list, definition
from watcher import Watcher

ORC = "openstack.k-orc.cloud/v1alpha1"
CREDENTIALS = {"secretName": "c", "cloudName": "c"}
FIRSTS = [  # apiVersion, plural, kind, what else it must have
    ("apps/v1", "daemonsets", "DaemonSet", {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
        "metadata": {"labels": {"a": "b"}}, "spec": {"nodeSelector": {"no": "where"}, "containers": [{"name": "c", "image": "i"}]}}}}),
    ("v1", "resourcequotas", "ResourceQuota", {"spec": {"hard": {"pods": "10"}}}),
    ("fresh.example.org/v1", "filler7s", "Filler7", {"spec": {}}),
    ("fresh.example.org/v1", "filler41s", "Filler41", {"spec": {}}),
    (ORC, "keypairs", "KeyPair", {"spec": {"cloudCredentialsRef": CREDENTIALS, "resource": {"publicKey": "ssh-ed25519 A"}}}),
    (ORC, "images", "Image", {"spec": {"cloudCredentialsRef": CREDENTIALS, "managementPolicy": "unmanaged",
                                       "import": {"filter": {"name": "i"}}}}),
    ("batch/v1", "cronjobs", "CronJob", {"spec": {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": {
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}}}),
]
MANY = 60  # beside those of the operators: more streams than one connection has


@pytest.fixture(scope="module", autouse=True)
def controllers(cp):
    """After a long outage they would wait for half a minute, and the tests behind these with them."""
    yield
    cp.stop_controllers()
    cp.start_controllers()


COMETS = "/apis/fresh.example.org/v1/namespaces/fresh/comets"


def make(cp, row, name, ns="fresh"):
    version, plural, kind, more = row
    root = "/apis/" + version if "/" in version else "/api/" + version
    cp.post(f"{root}/namespaces/{ns}/{plural}", {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more})


@pytest.fixture(scope="module")
def namespace(cp, crds):
    for i in range(MANY):
        cp.post(CRDS, definition("Filler%d" % i))
    for i in range(MANY):
        wait_until("the kinds are served", lambda i=i: can_list(cp, "/apis/fresh.example.org/v1/filler%ds" % i), 30, 0.1)
    cp.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fresh"}})
    yield "fresh"
    cp.delete("/api/v1/namespaces/fresh")
    for i in range(MANY):
        cp.delete(CRDS + "/filler%ds.fresh.example.org" % i)


@pytest.fixture
def watcher(cp, oncall, namespace):
    """All there is to see, and every watch is open."""
    began = time.time()
    cp.get("/api/v1/namespaces")

    def watches():
        return {e["requestURI"].partition("?")[0] for e in cp.audit("oncall", began) if e["verb"] == "watch"}
    with Watcher(oncall, "-n", namespace) as w:
        wait_until("a hundred watches", lambda: len(watches()) >= 115, 30, 0.2)
        seen, since = watches(), time.monotonic()
        while time.monotonic() - since < 1.5:
            if watches() != seen:
                seen, since = watches(), time.monotonic()
            time.sleep(0.2)
        yield w


def took(watcher, what, limit):
    """Seconds until that is so."""
    began = time.monotonic()
    wait_until("within %s s" % limit, what, limit, 0.01)
    return time.monotonic() - began


def test_the_first_object_of_a_kind(cp, watcher):
    for row in FIRSTS:
        make(cp, row, "first")
        print(row[2], "%.3f" % took(watcher, lambda row=row: watcher.named(row[2], "first"), 1))


def test_a_kind_comes_goes_and_comes_back(cp, watcher):
    for name in ("one", "two"):
        began = time.monotonic()
        cp.post(CRDS, definition("Comet"))
        wait_until("the kind is served", lambda: can_list(cp, COMETS), 20, 0.1)
        cp.post(COMETS, {"apiVersion": "fresh.example.org/v1", "kind": "Comet", "metadata": {"name": name}})
        took(watcher, lambda name=name: watcher.named("Comet", name), 10)
        print("from its definition: %.1f s" % (time.monotonic() - began))
        began = time.monotonic()
        cp.post(COMETS, {"apiVersion": "fresh.example.org/v1", "kind": "Comet", "metadata": {"name": name + "-more"}})
        took(watcher, lambda name=name: watcher.named("Comet", name + "-more"), 1)
        cp.delete(CRDS + "/comets.fresh.example.org")
        wait_until("it is gone", lambda: not cp.exists(CRDS + "/comets.fresh.example.org"), 20, 0.1)
        took(watcher, lambda name=name: not watcher.named("Comet", name) and not watcher.named("Comet", name + "-more"), 10)


def test_an_outage(cp, watcher):
    """What changed meanwhile is told within 5 s of the server's return; test_outages.py has a long one."""
    cp.stop_apiserver()
    try:
        wait_until("it is told", lambda: b"Warning: no connection" in watcher.errors, 30)
        cp.start_apiserver(hidden=True)
        for row in FIRSTS:
            make(cp, row, "meanwhile")
    finally:
        cp.stop_apiserver()
        cp.start_apiserver()
    took_all = took(watcher, lambda: all(watcher.named(row[2], "meanwhile") for row in FIRSTS), 5)
    print("all told after %.1f s" % took_all)
    for row in FIRSTS[:4]:
        make(cp, row, "afterwards")
    took(watcher, lambda: all(watcher.named(row[2], "afterwards") for row in FIRSTS[:4]), 5)
    wait_until("it says that all is well", lambda: b"are watched again" in watcher.errors, 30)
    lines = watcher.errors.decode().splitlines()
    assert len([line for line in lines if "Warning: no connection" in line]) == 1, lines
    assert len([line for line in lines if "are watched again" in line]) == 1, lines
