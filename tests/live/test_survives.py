# SPDX-License-Identifier: Apache-2.0
"""What a real API server does to a program that watches for long: it restarts, forgets
old versions, refuses tokens, and gives back what it took."""
import collections
import contextlib
import pathlib
import stat
import time

import pytest

from controlplane import wait_until
from faults import Proxy
from losses import COMES_BACK, Kind, make_namespace
from program import Run
from shapes import orc_ready, orc_terminal
from watcher import Watcher

API = "openstack.k-orc.cloud/v1alpha1"
NETWORKS = f"/apis/{API}/namespaces/survives/networks"
TYPE = "networks.openstack.k-orc.cloud"
STREAMS = 100  # of a connection, as kube-apiserver allows by default


@pytest.fixture(scope="module", autouse=True)
def namespace(cp, crds):
    cp.grant_oncall()
    cp.post("/api/v1/namespaces", {"metadata": {"name": "survives"}})


@pytest.fixture
def networks(cp):
    """Three of them, alone in the namespace."""
    for name in ("kept", "changed", "deleted"):
        make(cp, name)
    yield
    cp.delete(NETWORKS)


def make(cp, name):
    cp.post(NETWORKS, {"apiVersion": API, "kind": "Network", "metadata": {"name": name},
                       "spec": {"managementPolicy": "managed", "resource": {}}})
    set_status(cp, name, orc_ready(name))


def set_status(cp, name, status):
    cp.patch(f"{NETWORKS}/{name}/status", {"status": status})


def phases(watcher):
    return {i["name"]: i["phase"] for i in list(watcher.items.values())
            if i.get("namespace") == "survives"}


BEFORE = {"kept": "Ready", "changed": "Ready", "deleted": "Ready"}
AFTER = {"kept": "Ready", "changed": "Failed", "created": "Ready", "deleted": "Ready"}


def change_much(cp):
    """A change, a birth, a death, and a death with a new life under the same name."""
    set_status(cp, "changed", orc_terminal("InvalidConfiguration", "while nobody saw it"))
    cp.delete(f"{NETWORKS}/deleted")
    make(cp, "created")
    make(cp, "deleted")


def assert_told_once(watcher):
    """What was there all the time is not told again, what was born and died is."""
    events = collections.Counter((e["event"], e["name"]) for e in watcher.events)
    assert events["ADDED", "kept"] == 1 and ("DELETED", "kept") not in events
    assert events["ADDED", "created"] == 1
    assert events["ADDED", "deleted"] == 2 and events["DELETED", "deleted"] == 1
    uids = [e["uid"] for e in watcher.events if e["name"] == "deleted"]
    assert len(set(uids)) == 2, "another object of the same name"


# -- tokens ------------------------------------------------------------------------

PLUGIN = """#!/bin/sh
echo ran >> {folder}/runs
printf '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",'
printf '"status":{{"token":"%s"}}}}' "$(cat {folder}/token)"
"""


@pytest.fixture
def plugin(tmp_path):
    """A credential plugin that hands out the token of the file beside it."""
    path = tmp_path / "plugin"
    path.write_text(PLUGIN.format(folder=tmp_path))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def with_plugin(config, plugin, folder):
    """The kubeconfig with the plugin in the token file's place."""
    path = folder / "config-exec"
    path.write_text(pathlib.Path(config).read_text().replace(
        f"tokenFile: {folder}/token",
        "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
        f"command: {plugin}}}"))
    assert "exec" in path.read_text()
    return path


def is_refused(cp, user):
    with contextlib.suppress(Exception):
        cp.kubectl("get", "--raw", "/api", user=user)
        return False
    return True


def test_tokens_that_expire(cp, networks, plugin, tmp_path):
    """The token of a file and of a plugin: refused, fetched anew, and on it goes.  One
    that nobody renews: it says so, and shows what it knew."""
    user = "system:serviceaccount:survives:bot"
    cp.grant_oncall(user=user)
    token = tmp_path / "token"
    token.write_text(cp.service_account_token("survives", "bot", 3))
    cp.kubeconfig(user, token=token.read_text())        # for kubectl
    with Proxy(cp.port) as proxy:
        config = cp.kubeconfig("bot", token_file=token, server=proxy.url)
        runs = [Run(tmp_path, config), Run(tmp_path, with_plugin(config, plugin, tmp_path))]
        with contextlib.ExitStack() as stack:
            watchers = [stack.enter_context(Watcher(run, "-n", "survives", TYPE)) for run in runs]
            old = Run(tmp_path, cp.kubeconfig("old", token=token.read_text(), server=proxy.url))
            screen = stack.enter_context(old.screen("-n", "survives", TYPE))
            screen.wait(lambda text: "3 ready" in text and "live" in text)
            for watcher in watchers:
                wait_until("the objects", lambda w=watcher: phases(w) == BEFORE, 20)
            wait_until("expiry", lambda: is_refused(cp, user), 30, 0.5)
            token.write_text(cp.service_account_token("survives", "bot", 300))
            proxy.reset_all()
            change_much(cp)
            for watcher in watchers:
                wait_until("the change", lambda w=watcher: phases(w) == AFTER, 20)
                assert_told_once(watcher)
            screen.wait(lambda text: "not logged in" in text and "3 ready" in text)
    assert (tmp_path / "runs").read_text().count("ran") == 2, "once for each token"


# -- given back --------------------------------------------------------------------

def test_right_given_back(right):
    if not right.taken:                 # this test runs alone
        right.take()
        right.screen.wait("1 kind forbidden", 30)
        right.give()
    right.set_status("networks", "net", orc_terminal("InvalidConfiguration", "seen again"))
    wait_until("the network", lambda: right.watcher.phase("Network", "net") == "Failed",
               COMES_BACK)
    right.screen.wait(lambda text: "forbidden" not in text and "seen again" in text, COMES_BACK)
    assert ("DELETED", "net") not in [(e["event"], e["name"]) for e in right.watcher.events]


def test_kind_comes_back(cp, kind):
    if not kind.taken_at:
        kind.take()
        kind.define()
        kind.make("two")
    wait_until("its new object", lambda: kind.watcher.phase("Widget", "two") == "Ready", COMES_BACK)
    cp.delete(f"{kind.path}/two")
    wait_until("it is watched", lambda: not kind.watcher.named("Widget", "two"), 20)
    asked = [r for r in cp.audit("kindly", kind.taken_at)
             if r.get("objectRef", {}).get("resource") == "widgets"]
    minutes = 1 + (time.time() - kind.taken_at) / 60
    assert len(asked) <= 8 + 2 * minutes, "asked again and again for what is gone"


def test_kind_that_is_new(cp, networks, oncall):
    """Who looks at everything sees a kind that did not exist when the look began."""
    with Watcher(oncall, "-A") as watcher:
        wait_until("the objects", lambda: phases(watcher) == BEFORE, 30)
        gadgets = Kind(cp, oncall, "Gadget")
        make_namespace(cp, gadgets.namespace)
        gadgets.define()
        gadgets.make("one")
        wait_until("its object", lambda: watcher.phase("Gadget", "one") == "Ready", 60)


# -- restarts ----------------------------------------------------------------------

def test_server_away_while_much_changes(cp, networks, oncall):
    """Through another server over the same data, that the program cannot reach; what
    was watched is too old for the server that comes back."""
    since = time.time()
    with Watcher(oncall, "-A") as watcher:
        wait_until("the objects", lambda: phases(watcher).items() >= BEFORE.items(), 30)
        wait_until("the watches", lambda: len(watching(cp, since)) >= 50, 30)
        streams = len(watching(cp, since))
        cp.stop_apiserver()
        cp.start_apiserver(hidden=True)
        change_much(cp)
        cp.compact()
        cp.stop_apiserver()
        back = time.time()
        cp.start_apiserver()
        wait_until("what changed", lambda: phases(watcher).items() >= AFTER.items(), COMES_BACK)
        wait_until("the watches", lambda: len(watching(cp, back)) >= streams, COMES_BACK)
        set_status(cp, "kept", orc_terminal("InvalidConfiguration", "all is watched again"))
        wait_until("the last change", lambda: phases(watcher)["kept"] == "Failed", 20)
        assert_told_once(watcher)
        # All old ones are dead.  Watches share connections, each as full as the server allows (kube-apiserver: 100
        # streams).  Whether it is back was asked on a fresh one, which watches then use too, unless one of them tried at
        # the same moment and made its own: so one more, and no other, since requests wait for a connection that is made.
        assert watcher.connections() <= -(-streams // STREAMS) + 1
        requests = cp.audit("oncall", back)
    # a watch that is too old, a list, a watch; what a server refuses while it starts is counted by path
    accepted = [r for r in requests if r.get("responseStatus", {}).get("code") == 200]
    assert len(accepted) <= 4 * streams, collections.Counter(r["verb"] for r in accepted)
    paths = collections.Counter((r["verb"], r["requestURI"].partition("?")[0]) for r in requests)
    assert max(paths.values()) <= 5, paths


def watching(cp, since):
    return [r for r in cp.audit("oncall", since) if r["verb"] == "watch"
            and r.get("responseStatus", {}).get("code") == 200]


def test_version_that_was_compacted(cp, networks, tmp_path):
    """Without a watch cache etcd itself refuses versions that it has compacted."""
    cp.restart_apiserver(["--watch-cache=false"])
    try:
        with Proxy(cp.port) as proxy:
            run = Run(tmp_path, cp.kubeconfig("cut", groups=("oncall",), server=proxy.url))
            with Watcher(run, "-n", "survives", TYPE, "-v", "6") as watcher:
                wait_until("the objects", lambda: phases(watcher) == BEFORE, 20)
                proxy.refuse()
                proxy.reset_all()
                change_much(cp)
                cp.compact()
                proxy.listen()
                wait_until("the change", lambda: phases(watcher) == AFTER, COMES_BACK)
                assert_told_once(watcher)
                set_status(cp, "kept", orc_terminal("InvalidConfiguration", "watched again"))
                wait_until("the last change", lambda: phases(watcher)["kept"] == "Failed", 20)
        asked = [r for r in cp.audit("cut")
                 if r.get("objectRef", {}).get("resource") == "networks"]
        assert len(asked) <= 8, "a list and a watch before, 410, a list and a watch after"
    finally:
        cp.restart_apiserver()
