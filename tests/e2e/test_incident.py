# SPDX-License-Identifier: Apache-2.0
"""docs/incident.md on the demo's recording: its keys are pressed, its pictures are on the screen."""
import base64
import json
import pathlib
import re

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from fakeapi import answer
from program import wait_for

TOP = pathlib.Path(__file__).resolve().parents[2]
KEYS = {"Space": " ", "Enter": "\r", "Esc": "\x1b"}


def keys_of(sentence):
    for verb, key, times in re.findall(r"(type )?`([^`]+)`( twice| three times)?", sentence):
        for _ in range({" twice": 2, " three times": 3}.get(times, 1)):
            yield key if verb else KEYS.get(key, key)


def steps(text):
    """Sentences that press something, and pictures, in their order."""
    for paragraph in re.split(r"\n\n", text):
        if paragraph.startswith("```text"):
            yield "picture", paragraph.split("\n")[1:-1]
        elif not paragraph.startswith("```"):
            for sentence in re.findall(r"Press `.*?(?:\.(?=\s|$)|:$|$)", paragraph.strip(), re.S):
                yield "keys", list(keys_of(sentence))


def test_transcript(run):  # noqa: F811
    text = (TOP / "docs/incident.md").read_text()
    shown = 0
    with run.screen("--replay", TOP / "demo/incident.jsonl.gz", "--as-of", "2026-11-21T05:03:19Z", rows=30, cols=100) as screen:
        screen.wait("paused 05:03:19")
        for what, content in steps(text):
            if what == "keys":
                for key in content:
                    before = screen.text()
                    screen.keys(key)
                    screen.wait(lambda now, before=before: now != before)
                continue
            for line in content:
                screen.wait(lambda now, line=line: line.rstrip() in now.split("\n"))
                shown += 1
    assert shown > 15


CRASHING = {"spec": {"containers": [{"name": "app"}]}, "status": {"phase": "Running", "containerStatuses": [
    {"name": "app", "restartCount": 9, "ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
     "lastState": {"terminated": {"exitCode": 2, "reason": "Error"}}}]}}


def crash_log(request, stream):
    text = "panic: no route to database" if request.query.get("previous") == "true" else "starting"
    answer(b"2026-11-20T08:30:00Z %s\n" % text.encode(), headers={"content-type": "text/plain"})(request, stream)


def test_a_shift_on_a_cluster(fake, run, tmp_path):  # noqa: F811
    """From the page to the post-mortem, all with keys: another namespace, the next step, the crash log, the chat, before and after, the files."""
    fake.on("*", crash_log, when=lambda r: r.path.endswith("/log"), times=0)
    fake.put("pods", "web", **{"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
    fake.put("pods", "cart", ns="shop", **CRASHING)
    fake.put("widgets", "w", ns="shop", **READY)
    kubectl = tmp_path / "kubectl"
    kubectl.write_text('#!/bin/sh\necho "ran: $*"\n')
    kubectl.chmod(0o755)
    with run.screen("pods,widgets", "--record", tmp_path / "r.jsonl", cols=120, PATH="%s:%s" % (tmp_path, run.env["PATH"])) as term:
        term.wait(lambda text: "pod/web" in text and "live" in text)
        term.keys(":ns shop\r")
        term.wait(lambda text: "▸ shop" in text and re.search("✖ Failed +pod/cart", text) and "live" in text)
        term.keys("!")
        term.wait("ran: logs cart -n shop --all-containers --previous")
        term.keys("\x1b")
        term.wait("RESOURCE")
        term.keys("\r8")
        term.wait("panic: no route to database")
        term.keys("\x1b")
        term.wait("RESOURCE")
        term.keys("M")
        wait_for(lambda: term.read() and b"*`pod/cart`*" in base64.b64decode((re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", term.raw) or [b""])[-1]))
        fake.put("widgets", "w", ns="shop", spec={"size": 7}, status={"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full"}]})
        term.wait("disk is full")
        term.keys("C")
        term.wait(lambda text: re.search("widget/w.*Ready → Failed", text))
        term.keys("/widget\r\r")
        term.wait(lambda text: re.search(r"spec  \+ .*size.:7", text))
        term.keys("qP[")
        term.wait(lambda text: "paused" in text and "disk is full" in text)
        term.keys("{")
        term.wait(lambda text: "paused" in text and "disk is full" not in text)
        term.keys("P")
        term.wait(lambda text: "live" in text and "disk is full" in text)
        term.keys("Te")
        term.wait("write to: ")
        term.keys("\x15%s\r" % (tmp_path / "incident.md"))
        term.wait("entries written to")
        term.keys("qq")
        term.end()
    assert "disk is full" in (tmp_path / "incident.md").read_text()
    changes = json.loads(run("--replay", tmp_path / "r.jsonl", "-A", "-o", "json").stdout)
    at = {i["name"]: i["phase"] for i in changes["items"]}
    assert at["w"] == "Failed" and at["cart"] == "Failed"
    times = [json.loads(line)["t"] for line in (tmp_path / "r.jsonl").read_text().splitlines() if '"t":' in line]
    seen = run("--replay", tmp_path / "r.jsonl", "-A", "--diff", "%s,%s" % (times[-1], times[-1]))
    assert seen.returncode == 0, seen.stderr
    before = [t for t in times if t < next(json.loads(line)["t"] for line in (tmp_path / "r.jsonl").read_text().splitlines() if "disk is full" in line)]
    seen = run.text("--replay", tmp_path / "r.jsonl", "-A", "--diff", "%s,%s" % (before[-1], times[-1]))
    assert re.search("widget/w.*Ready → Failed.*spec", seen)
    assert "widget/w" not in run.text("--replay", tmp_path / "r.jsonl", "-A", "--as-of", before[-1], "--problems")
