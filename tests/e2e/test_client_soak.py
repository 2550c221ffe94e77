# SPDX-License-Identifier: Apache-2.0
"""Logins that hang now and then, while watches end and objects change: in the end the program holds what the server holds.

KUBECTL_STATUS_SOAK: seconds of it; KUBECTL_STATUS_SEED: repeats the choices of a run.
"""
import os
import random
import time

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import READY
from fakeapi import END, HANG_UP, RESET, status
from program import wait_for

SECONDS = float(os.environ.get("KUBECTL_STATUS_SOAK", "12"))
SEED = int(os.environ.get("KUBECTL_STATUS_SEED") or time.time())
PLURALS = ("widgets", "gadgets", "pods")
PLUGIN = """#!/bin/sh
echo $$ >> {folder}/pids
n=$(wc -l < {folder}/pids)
test -f {folder}/hang && sleep "$(cat {folder}/hang)"
expiry=$(date -u -d "+3 seconds" +%Y-%m-%dT%H:%M:%SZ)
printf '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"run-%d","expirationTimestamp":"%s"}}}}' "$n" "$expiry"
"""


def hanging_plugin(folder):
    script = folder / "plugin"
    script.write_text(PLUGIN.format(folder=folder))
    script.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}}


def held(watcher):
    items = {}
    for e in list(watcher.events):
        key = e["kind"].lower() + "s", e["name"]
        items[key] = e.get("phase")
        if e["event"] == "DELETED":
            del items[key]
    return items


def step(fake, choose, folder, number):
    """Something happens: to an object, to a watch, to the tokens, or to the plugin."""
    plural = choose.choice(PLURALS)
    what = choose.choices(("put", "delete", "end", "refuse", "hang", "go on"), (12, 3, 4, 1, 1, 2))[0]
    name = "o%d" % choose.randrange(8)
    if what == "put":
        fake.put(plural, name, **(READY if number % 2 else {}))
    elif what == "delete" and (plural, "default", name) in fake.objects:
        fake.delete(plural, name)
    elif what == "end":
        fake.inject(plural, choose.choice((END, RESET, HANG_UP)))
    elif what == "refuse":
        fake.on("*", status(401, "Unauthorized", "Unauthorized"), lambda r: r.watch)
    elif what == "hang":
        (folder / "hang").write_text(str(choose.choice((0.5, 2, 4))))
    elif (folder / "hang").exists():
        (folder / "hang").unlink()


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_soak_with_logins_that_hang(fake, client, watching, tmp_path):
    print("KUBECTL_STATUS_SEED=%d" % SEED)
    choose = random.Random(SEED)
    w = watching(client(fake, hanging_plugin(tmp_path)), ",".join(PLURALS))
    fake.await_requests(3, watch=True)
    end, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        number += 1
        step(fake, choose, tmp_path, number)
        time.sleep(choose.uniform(0, 0.08))
        assert w.child.poll() is None
    (tmp_path / "hang").unlink(missing_ok=True)
    for plural in PLURALS:
        fake.put(plural, "last", **READY)
    there = {(plural, name) for plural, _, name in fake.objects}
    try:
        wait_for(lambda: set(held(w)) == there, 60)
    except AssertionError as error:
        raise AssertionError("seed %d: only the program has %r, only the server %r" % (
            SEED, set(held(w)) - there, there - set(held(w)))) from error
    runs = [int(p) for p in (tmp_path / "pids").read_text().split()]
    assert len(runs) >= SECONDS / 8, "the tokens expire every three seconds"
    assert len(fake.seen()) < 100 + 12 * SECONDS, "it hammers"
    cpu = w.finish()
    assert cpu < 1 + SECONDS / 5, "a busy loop"
    wait_for(lambda: not any(is_alive(p) for p in runs), 5)
