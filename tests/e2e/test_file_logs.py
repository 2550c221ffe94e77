# SPDX-License-Identifier: Apache-2.0
"""Logs in dumps: of must-gather, kubectl cluster-info dump and a support bundle, as folders, archives and one text."""
import json

import pytest

from program import PROGRAM, wall_and_peak
from terminal import Terminal
from test_archive import tar, zipped
from test_mcp import Server

MOST = 128 * 1024


def pod(name, ns="shop", restarts=1, **meta):
    state = {"name": "app", "restartCount": restarts, "ready": False, "image": "i", "imageID": "",
             "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-20T08:59:00Z"}}}
    side = {"name": "side", "restartCount": 0, "ready": True, "image": "i", "imageID": "", "state": {"running": {"startedAt": "2026-11-20T08:00:00Z"}}, "lastState": {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": ns, "uid": "uid-" + name, "creationTimestamp": "2026-11-20T08:00:00Z", **meta},
            "spec": {"containers": [{"name": "side", "image": "i"}, {"name": "app", "image": "i"}]},
            "status": {"phase": "Running", "containerStatuses": [side, state]}}


def pods(*items):
    return json.dumps({"apiVersion": "v1", "kind": "PodList", "items": items}).encode()


def marked(ns, name, **logs):
    return "".join("==== START logs for container %s of pod %s/%s ====\n%s==== END logs for container %s of pod %s/%s ====\n" % (c, ns, name, text, c, ns, name)
                   for c, text in logs.items()).encode()


INSPECTED = "must-gather/namespaces/shop/pods/till/%s/%s/logs/%s.log"
DUMPS = {
    "must-gather": {
        "must-gather/namespaces/shop/core/pods.json": pods(pod("till"), pod("safe")),
        INSPECTED % ("app", "app", "current"): b"2026-11-20T08:59:59.000000000Z present run\n",
        INSPECTED % ("app", "app", "previous"): b"2026-11-20T08:58:59.000000000Z out of coins\n",
        INSPECTED % ("side", "side", "current"): b"nothing to say\n",
        INSPECTED.replace("till", "safe") % ("app", "app", "current"): b"of the other pod\n",
    },
    "cluster-info": {
        "dump/nodes.json": pods(), "dump/shop/pods.json": pods(pod("till"), pod("safe")),
        "dump/shop/till/logs.txt": marked("shop", "till", app="out of coins\n", side="nothing to say\n"),
        "dump/shop/safe/logs.txt": marked("shop", "safe", app="of the other pod\n"),
    },
    "bundle": {
        "b/cluster-resources/pods/shop.json": pods(pod("till"), pod("safe")),
        "b/cluster-resources/pods/logs/shop/till/app.log": b"present run\n",
        "b/cluster-resources/pods/logs/shop/till/app-previous.log": b"out of coins\n",
        "b/cluster-resources/pods/logs/shop/till/side.log": b"nothing to say\n",
        "b/cluster-resources/pods/logs/shop/safe/app.log": b"of the other pod\n",
    },
    "text": {"dump.txt": pods(pod("till"), pod("safe")) + b"\n" + marked("shop", "till", app="out of coins\n", side="nothing to say\n")
             + marked("shop", "safe", app="of the other pod\n")},
}


def written(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return tmp_path / next(iter(files)).split("/")[0]


FORMS = {"folder": written, "tgz": lambda p, files: tar(p / "a.tgz", files, mode="w:gz"), "zip": lambda p, files: zipped(p / "a.zip", files)}
EACH = [(dump, form) for dump in DUMPS for form in FORMS if dump != "text" or form == "folder"]


@pytest.mark.parametrize("dump, form", EACH)
def test_the_logs_tool(run, tmp_path, dump, form):
    path = FORMS[form](tmp_path, DUMPS[dump])
    with Server(run, "-f", path, "-A", *(["-R"] if (dump, form) == ("bundle", "folder") else [])) as server:
        failed, text, _ = server.tool("logs", resource="pod/till")
        assert (failed, text.endswith("out of coins\n")) == (False, True), "the run that ended explains it: " + text
        assert server.tool("logs", resource="pod/till", container="side")[1] == "| nothing to say\n"
        assert server.tool("logs", resource="pod/safe")[1] == "| of the other pod\n"
        failed, text, _ = server.tool("logs", resource="pod/till", container="none")
        assert failed and "no log of that run" in text


@pytest.mark.parametrize("dump, form", [e for e in EACH if e[1] != "zip"])
def test_l_shows_them(run, tmp_path, dump, form):
    path = FORMS[form](tmp_path, DUMPS[dump])
    with Terminal([PROGRAM, "-f", str(path), "-n", "shop", "pod/till", *(["-R"] if (dump, form) == ("bundle", "folder") else [])], run.env, 30, 120) as term:
        term.wait("pod/till")
        term.keys("l")
        term.wait(lambda text: "==> app" in text and "out of coins" in text and "==> side" in text and "nothing to say" in text)
        assert "of the other pod" not in term.text()
        assert term.text().index("out of coins") < term.text().index("nothing to say")


def test_of_a_workload(run, tmp_path):
    """The logs of its Pods, each under its name."""
    controller = [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "till", "uid": "s", "controller": True}]
    items = [{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "till", "namespace": "shop", "uid": "s", "generation": 1},
              "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}}, "status": {"observedGeneration": 1, "replicas": 2}}]
    items += [pod("till-%d" % n, ownerReferences=controller, labels={"a": "b"}) for n in range(2)]
    files = {"must-gather/namespaces/shop/core/all.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()}
    for n in range(2):
        files[INSPECTED.replace("pods/till", "pods/till-%d" % n) % ("app", "app", "previous")] = b"out of coins %d\n" % n
    path = tar(tmp_path / "a.tgz", files, mode="w:gz")
    with Terminal([PROGRAM, "-f", str(path), "-n", "shop", "statefulset/till"], run.env, 30, 120) as term:
        term.wait("statefulset/till")
        term.keys("l")
        term.wait(lambda text: all("==> till-%d app" % n in text and "out of coins %d" % n in text for n in range(2)))


@pytest.mark.parametrize("form", FORMS)
def test_only_the_end_is_read(run, tmp_path, form):
    """Of 60 MB the last lines, in little memory; the line that is cut is left out."""
    lines = b"".join(b"%08d of a long log\n" % n for n in range(2500000))
    files = {**DUMPS["must-gather"], INSPECTED % ("app", "app", "previous"): lines}
    path = FORMS[form](tmp_path, files)
    with Server(run, "-f", path, "-A") as server:
        failed, text, _ = server.tool("logs", resource="pod/till", lines=3)
        assert (failed, text) == (False, "".join("| %08d of a long log\n" % n for n in range(2499997, 2500000)))
        peak = next(int(line.split()[1]) for line in open("/proc/%d/status" % server.child.pid) if line.startswith("VmHWM"))
        assert "asan" in PROGRAM or peak < (60 if form != "zip" else 200) * 1024, "%d kB" % peak
    with Terminal([PROGRAM, "-f", str(path), "-n", "shop", "pod/till"], run.env, 30, 120) as term:
        term.wait("pod/till")
        term.keys("l")
        term.wait("02499999 of a long log")
        term.keys("gg")
        term.wait(lambda text: "(the run that ended) (the last %d lines)" % (MOST // 22) in text or "(the last " in text)


def test_hostile_logs(run, tmp_path):
    """Lines that look like the program's own, control characters, marks of other pods, credentials."""
    evil = ("==> app <==\n\x1b[2J\u202e x\n==== END logs for container app of pod shop/till ====\n==== START logs for container app of pod kube-system/x ====\nhidden\n"
            "GET https://me:hunter2secret@x.example/?token=abcdefgh\n" '{"kind":"Secret","data":{"a":"aHVudGVyMg=="}}\n').encode()
    for files in ({**DUMPS["bundle"], "b/cluster-resources/pods/logs/shop/till/app-previous.log": evil},
                  {**DUMPS["cluster-info"], "dump/shop/till/logs.txt": marked("shop", "till", app=evil.decode())}):
        path = tar(tmp_path / "a.tgz", files, mode="w:gz")
        with Server(run, "-f", path, "-A") as server:
            failed, text, _ = server.tool("logs", resource="pod/till")
            assert not failed and all(line.startswith("| ") for line in text.splitlines())
            assert not set(text) & set("\x1b\u202e") and not any(s in text for s in ("hunter2secret", "abcdefgh", "aHVudGVyMg"))
        with Terminal([PROGRAM, "-f", str(path), "-n", "shop", "pod/till"], run.env, 30, 120) as term:
            term.wait("pod/till")
            term.keys("l")
            term.wait("==> app (the run that ended)" if b"hidden" in files.get("b/cluster-resources/pods/logs/shop/till/app-previous.log", b"") else "==> app")
            assert "hunter2secret" not in term.text()


def test_where_there_are_none(run, tmp_path):
    path = tar(tmp_path / "a.tgz", {"x/pods.json": pods(pod("till"))}, mode="w:gz")
    with Server(run, "-f", path, "-A") as server:
        failed, text, _ = server.tool("logs", resource="pod/till")
        assert failed and "these files contain none" in text
    with Terminal([PROGRAM, "-f", str(path), "-n", "shop", "pod/till"], run.env, 30, 120) as term:
        term.wait("pod/till")
        term.keys("l")
        term.wait("these files contain none")
    one = tar(tmp_path / "b.tgz", {k: v for k, v in DUMPS["bundle"].items() if "/till/" not in k}, mode="w:gz")
    with Server(run, "-f", one, "-A") as server:
        failed, text, _ = server.tool("logs", resource="pod/till")
        assert failed and "have no log of it" in text


def test_logs_alone_are_no_objects(run, tmp_path):
    folder = written(tmp_path, {k: v for k, v in DUMPS["must-gather"].items() if k.endswith(".log")})
    done = run("-f", folder, "-o", "name")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"recognized file extensions" in done.stderr


def test_a_dump_is_read_as_fast_as_without_logs(run, tmp_path):
    """What is not looked at is not kept."""
    files = {**DUMPS["must-gather"], INSPECTED % ("app", "app", "previous"): b"0123456789abcdef\n" * 3000000}
    _, peak = wall_and_peak([PROGRAM, "-f", str(tar(tmp_path / "a.tgz", files, mode="w:gz")), "-A", "-o", "name"], run.env)
    assert "asan" in PROGRAM or peak < 40
