# SPDX-License-Identifier: Apache-2.0
"""A bad line to a busy cluster, and a credential plugin that hangs now and then: whatever happens in
between, what the program holds in the end is what the server holds.

KUBECTL_STATUS_SOAK: seconds of it (`make soak`: 600).  KUBECTL_STATUS_SEED: repeats
the choices of a run.
"""
import base64
import collections
import json
import os
import random
import sys
import threading
import time

import pytest
import yaml

from controlplane import ApiError, wait_until
from faults import Chaos, Proxy
from program import Run
from shapes import orc_ready, orc_terminal
from watcher import Watcher

SECONDS = float(os.environ.get("KUBECTL_STATUS_SOAK", "15"))
SEED = int(os.environ.get("KUBECTL_STATUS_SEED") or time.time())
LONGEST = 1.5 if SECONDS < 60 else 10 # of a fault, in seconds
RECOVERY = 90                           # the longest wait between two tries, and some
NAMESPACES = ("soak-0", "soak-1")
KINDS = {"Network": "networks", "Subnet": "subnets", "Router": "routers"}
API = "openstack.k-orc.cloud/v1alpha1"
OBJECTS = 60                            # about so many at a time


class Load:
    """Creates, changes, deletes and re-creates objects, all the time."""

    def __init__(self, cp, seed):
        self.cp, self.random = cp, random.Random(seed)
        self.done = collections.Counter()
        self.there, self.number = [], 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.error = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        if self.error:
            raise self.error

    def _run(self):
        try:
            while not self._stop.wait(self.random.uniform(0, 0.06)):
                self._step()
        except (ApiError, OSError) as error:
            self.error = error

    def _step(self):
        what = self.random.choices(("create", "change", "delete", "recreate"), (3, 10, 1, 1))[0]
        if what == "create" and len(self.there) >= OBJECTS:
            what = "delete"
        if not self.there:
            what = "create"
        self.done[what] += 1
        self.number += 1
        if what == "create":
            self._create(self.random.choice(NAMESPACES), self.random.choice(list(KINDS)),
                         f"o{self.number}")
            return
        key = self.random.choice(self.there)
        if what == "change":
            self._change(key)
            return
        self.there.remove(key)
        self.cp.delete(path_of(*key))
        if what == "recreate":
            self._create(*key)

    def _create(self, namespace, kind, name):
        self.cp.post(path_of(namespace, kind), {
            "apiVersion": API, "kind": kind, "metadata": {"name": name},
            "spec": {"cloudCredentialsRef": {"secretName": "c", "cloudName": "c"},
                     "managementPolicy": "managed", "resource": {}}})
        self.there.append((namespace, kind, name))

    def _change(self, key):
        """Its message tells which change was the last."""
        if self.random.random() < 0.5:
            status = orc_terminal("InvalidConfiguration", f"change {self.number}")
        else:
            status = orc_ready(f"id-{self.number}")
        self.cp.patch(path_of(*key) + "/status", {"status": status})


def path_of(namespace, kind, name=None):
    path = f"/apis/{API}/namespaces/{namespace}/{KINDS[kind]}"
    return f"{path}/{name}" if name else path


def on_server(cp):
    """{uid: (kind, namespace, name, the reason and message of Available)}"""
    held = {}
    for namespace in NAMESPACES:
        for kind in KINDS:
            for item in cp.get(path_of(namespace, kind))["items"]:
                meta = item["metadata"]
                held[meta["uid"]] = (kind, namespace, meta["name"],
                                     available(item.get("status", {}).get("conditions", ())))
    return held


def in_program(items):
    return {item["uid"]: (item["kind"], item["namespace"], item["name"],
                          available(item.get("conditions", ())))
            for item in items if item["namespace"] in NAMESPACES}


def available(conditions):
    return next(((c["status"], c["reason"], c.get("message"))
                 for c in conditions if c["type"] == "Available"), None)


def difference(ours, theirs):
    both = ours.keys() & theirs.keys()
    return {"only in the program": [ours[k] for k in ours.keys() - theirs.keys()],
            "only on the server": [theirs[k] for k in theirs.keys() - ours.keys()],
            "not the same": [(ours[k], theirs[k]) for k in both if ours[k] != theirs[k]]}


@pytest.fixture
def namespaces(cp, crds):
    for name in NAMESPACES:
        cp.post("/api/v1/namespaces", {"metadata": {"name": name}})
    yield
    for name in NAMESPACES:
        cp.delete(f"/api/v1/namespaces/{name}")


PLUGIN = """#!{python}
import json, random, time
open({runs!r}, "a").write("run\\n")
if random.random() < 0.3:
    time.sleep(random.uniform(0, {longest}))
status = {status!r} | {{"expirationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + random.uniform(3, 15)))}}
print(json.dumps({{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}}))
"""


def with_plugin(config, folder):
    """The certificate comes from a plugin that hangs now and then, and is asked again every few seconds."""
    with open(config, encoding="utf-8") as text:
        doc = yaml.safe_load(text)
    user = doc["users"][0]["user"]
    status = {key: base64.b64decode(user["client-%s-data" % name]).decode()
              for key, name in (("clientCertificateData", "certificate"), ("clientKeyData", "key"))}
    script = folder / "plugin"
    script.write_text(PLUGIN.format(python=sys.executable, runs=str(folder / "runs"), longest=LONGEST, status=status))
    script.chmod(0o700)
    doc["users"][0]["user"] = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}}
    path = folder / "config-with-plugin"
    path.write_text(yaml.safe_dump(doc))
    path.chmod(0o600)
    return path


def test_soak(cp, namespaces, tmp_path):
    print(f"KUBECTL_STATUS_SEED={SEED}")
    cp.grant_oncall()
    recording = tmp_path / "soak.jsonl.gz"
    with Proxy(cp.port) as proxy:
        config = with_plugin(cp.kubeconfig("soak", groups=("oncall",), server=proxy.url), tmp_path)
        types = ",".join(f"{plural}.openstack.k-orc.cloud" for plural in KINDS.values())
        since = time.time()
        with Watcher(Run(tmp_path, config), "-A", types, "--record", recording) as watcher:
            with Load(cp, SEED) as load:
                wait_until("first events", lambda: watcher.events, 30)
                memory, start = watcher.memory(), time.monotonic()
                with Chaos(proxy, SEED, LONGEST) as chaos:
                    while time.monotonic() - start < SECONDS:
                        time.sleep(0.5)
                        assert watcher.child.poll() is None, watcher.errors.decode()
            theirs, settled = on_server(cp), time.monotonic()
            recover(watcher, theirs)
            report(load, chaos, proxy, watcher, cp.audit("soak", since), memory, settled)
            check_costs(watcher, cp.audit("soak", since), memory)
            logins = len((tmp_path / "runs").read_text().split())
            assert SECONDS / 30 < logins < 5 + SECONDS, logins
            print("logins:", logins)
            watcher.end()
    document = Run(tmp_path).json("--replay", recording, "-A", types)
    assert in_program(document["items"]) == theirs, difference(
        in_program(document["items"]), theirs)


def recover(watcher, theirs):
    try:
        wait_until("the server's state", lambda: in_program(list(watcher.items.values())) == theirs,
                   RECOVERY, 0.1)
    except TimeoutError as error:
        raise AssertionError(f"seed {SEED}: "
                             f"{difference(in_program(watcher.items.values()), theirs)}\n"
                             + watcher.errors.decode()[-3000:]) from error


def report(load, chaos, proxy, watcher, requests, memory, settled):
    verbs = collections.Counter(r["verb"] for r in requests)
    codes = collections.Counter(r.get("responseStatus", {}).get("code") for r in requests)
    print(json.dumps({
        "seconds": SECONDS, "faults": dict(chaos.faults), "changes": dict(load.done),
        "connections": proxy.accepted, "events": len(watcher.events), "requests": dict(verbs),
        "answers": {str(k): v for k, v in codes.items()},
        "memory KiB": [memory, watcher.memory()], "cpu s": watcher.cpu(),
        "settled after s": round(time.monotonic() - settled, 1)}))


def check_costs(watcher, requests, memory):
    elapsed = time.monotonic() - watcher.times[0]
    assert {r["verb"] for r in requests} <= {"get", "list", "watch"}
    # some ten faults and some five logins, each with a watch of three kinds and perhaps a list before it
    assert len(requests) < 100 + 3 * elapsed, "it hammers a server in trouble"
    assert watcher.cpu() < 1 + elapsed / 5, "a busy loop"
    assert watcher.memory() < memory + 8192, "memory grows"
