#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The history of a day before a dashboard: how soon it opens, and how soon yesterday is shown.  Prints figures; judges nothing.

    bench_history.py [--size MB] [--pods N]

A flight of 24 hours in eight segments is made of changes of pods, and a server that has the same pods; both are removed.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "e2e")]

import bench_recording  # noqa: E402
from bench_recording import moment, pod, say, write_recording  # noqa: E402
from fakeapi import FakeApi, make_certificates  # noqa: E402
from program import PROGRAM, Run, wall_and_peak  # noqa: E402

DAY, SEGMENTS = 24 * 3600, 8


def make_flight(run, folder, size, pods):
    """Returns the bytes of the flight."""
    plain, long = (os.path.join(os.path.dirname(folder), name) for name in ("plain.jsonl", "long.jsonl"))
    changes = max(size // len(str(pod(0, 0, False))) - pods, 1)
    bench_recording.START, bench_recording.STEP = int(time.time()) - DAY, DAY / changes
    lasts = write_recording(plain, size, pods)
    assert run("--replay", plain, "-A", "--from", moment(0), "--record", long, timeout=3600).returncode == 0  # it has keyframes
    os.unlink(plain)
    os.makedirs(folder)
    for i in range(SEGMENTS):
        first, last = (moment(lasts * k / SEGMENTS) for k in (i, i + 1))
        name = "flight-%s-%06d.jsonl.gz" % (first[:19].replace(":", "-") + "Z", i + 1)
        done = run("--replay", long, "-A", "--from", first, "--to", last, "--record", os.path.join(folder, name), timeout=900)
        assert done.returncode == 0, done.stderr
    os.unlink(long)
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))


def kubeconfig(fake, home):
    path = os.path.join(home, "config.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "bench",
                   "contexts": [{"name": "bench", "context": {"cluster": "c", "user": "u"}}],
                   "clusters": [{"name": "c", "cluster": {"server": fake.url, "certificate-authority": os.path.join(home, "ca.crt")}}],
                   "users": [{"name": "u", "user": {"token": "t0ken"}}]}, f)
    return path


def until(term, began, what):
    term.wait(what, seconds=120, quiet=0)
    return time.monotonic() - began


def opened(run, *args):
    """Seconds until the first picture, until it is live, and until the history is there (or the moment of --as-of)."""
    began = time.monotonic()
    with run.screen("pods", "-A", *args, rows=40, cols=160) as term:
        took = [until(term, began, "status"), until(term, began, "live ●") if "--as-of" not in args else 0]
        took.append(until(term, began, "paused" if "--as-of" in args else "history") if args else 0)
        return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=1000, help="MB of the recording, before it is compressed")
    parser.add_argument("--pods", type=int, default=20000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        make_certificates(home)
        plain = Run(home)
        folder = os.path.join(home, "flight")
        began = time.monotonic()
        size = make_flight(plain, folder, options.size * 1000000, options.pods)
        say("a flight of %d MB, compressed; made in %d s" % (size // 1000000, time.monotonic() - began), "")
        fake = FakeApi(home)
        for i in range(options.pods):
            o = pod(i, i, False)
            fake.put("pods", o["metadata"]["name"], ns=o["metadata"]["namespace"], labels=o["metadata"]["labels"], uid=o["metadata"]["uid"],
                     created=o["metadata"]["creationTimestamp"], spec=o["spec"], status=o["status"])
        run = Run(home, kubeconfig(fake, home))
        took = {"without": [], "with": [], "then": []}
        for _ in range(3):
            took["without"].append(opened(run))
            took["with"].append(opened(run, "--history", folder))
            took["then"].append(opened(run, "--history", folder, "--as-of", "23h59m"))
        for name, index in (("first picture", 0), ("live", 1)):
            say("%s, without and with a history, s" % name, "%.2f, %.2f" % tuple(statistics.median(t[index] for t in took[k]) for k in ("without", "with")))
        say("the header tells of the history, s after the start", "%.2f" % statistics.median(t[2] for t in took["with"]))
        say("yesterday's same minute in the dashboard, s after the start", "%.2f" % statistics.median(t[2] for t in took["then"]))
        look = [PROGRAM, "pods", "-A", "--history", folder, "-o", "name", "--as-of"]
        each = [wall_and_peak([*look, back], run.env) for back in ("23h59m", "20h30m", "12h", "1h")]
        say("a moment of the history with -o name: median, worst, s", "%.2f, %.2f" % (statistics.median(w for w, _ in each), max(w for w, _ in each)))
        say("memory for that, MB", "%d" % max(peak for _, peak in each))
        for name, args in (("-o json", ["-o", "json"]), ("--report", ["--report", os.path.join(home, "report.html")])):
            each = [wall_and_peak([PROGRAM, "pods", "-A", *args, *more], run.env) for more in ([], ["--history", folder])]
            say("%s of the present, without and with a history, s; MB" % name, "%.2f, %.2f; %d, %d" % tuple(t[k] for k in (0, 1) for t in each))
        fake.stop()


if __name__ == "__main__":
    main()
