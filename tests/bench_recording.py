#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Long recordings: how soon any moment of one is shown.  Prints figures; judges nothing.

    bench_recording.py [--size MB] [--pods N]

A recording is made in a directory of its own, played and removed: changes of pods, one in ten of which breaks
or heals one.  It is played once to write its keyframes; then moments at random are asked for.
"""
import argparse
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "e2e")]

from program import PROGRAM, Run, wall_and_peak  # noqa: E402

START = 1763715600  # 2025-11-21T09:00:00Z
STEP = 0.05  # seconds between two changes
BACK_OFF = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}


def moment(seconds):
    whole, ms = divmod(round(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START + whole)) + ".%03dZ" % ms


def pod(number, change, broken):
    name = "pod-%05d" % number
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "team-%d" % (number % 20), "uid": "%08x-0000-4000-8000-000000000000" % number,
                     "resourceVersion": str(change), "creationTimestamp": "2026-11-20T09:00:00Z", "generation": 1,
                     "labels": {"app": "app-%d" % (number % 200), "team": "t%d" % (number % 20)},
                     "annotations": {"example.org/checksum": "%064x" % (change * 7919)}},
        "spec": {"nodeName": "node-%d" % (number % 50),
                 "containers": [{"name": "c%d" % i, "image": "registry.example.org/app:%d" % i,
                                 "env": [{"name": "SETTING_%d" % k, "value": "value %d of this setting" % k} for k in range(6)]}
                                for i in range(2)]},
        "status": {"phase": "Running", "startTime": "2026-11-20T09:00:00Z",
                   "conditions": [{"type": t, "status": "False" if broken else "True", "lastTransitionTime": "2026-11-20T09:00:00Z"}
                                  for t in ("Ready", "ContainersReady")],
                   "containerStatuses": [{"name": "c0", "ready": not broken, "restartCount": change % 100 if broken else 0,
                                          "state": BACK_OFF if broken else {"running": {"startedAt": "2026-11-20T09:00:00Z"}}}]}}


def write_recording(path, size, pods):
    """Returns how many seconds it lasts."""
    rng, broken, written, change, seconds = random.Random(1), set(), 0, 0, 0.0
    head = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": moment(0), "context": "bench", "kinds": []}
    with open(path, "w", encoding="utf-8", buffering=1 << 20) as f:
        written += f.write(json.dumps(head, separators=(",", ":")) + "\n")
        while written < size:
            number = change if change < pods else rng.randrange(pods)
            seconds += STEP * (change >= pods)
            if change >= pods and rng.random() < 0.1:
                broken ^= {number}
            record = {"t": moment(seconds), "type": "ADDED" if change < pods else "MODIFIED", "object": pod(number, change, number in broken)}
            written += f.write(json.dumps(record, separators=(",", ":")) + "\n")
            change += 1
    os.utime(path, (START, START))
    return seconds


def say(figure, value):
    print("%-66s %s" % (figure, value), flush=True)


def spread(took):
    return "%.2f, %.2f" % (statistics.median(took), max(took))


def seconds_of(run, *args):
    return wall_and_peak([PROGRAM] + [str(a) for a in args], run.env)


def first_screen(run, path, then):
    """From exec until the dashboard stands at that moment."""
    start = time.monotonic()
    with run.screen("--replay", str(path), "-A", "--as-of", then, rows=40, cols=140) as term:
        term.wait("paused " + then[11:19], seconds=600)
        took = time.monotonic() - start
        term.keys("q")
        term.end()
    return took


def step_back(run, path, then, keys):
    with run.screen("--replay", str(path), "-A", "--as-of", then, rows=40, cols=140) as term:
        before = term.wait("paused " + then[11:19], seconds=600)
        start = time.monotonic()
        term.keys(keys)
        term.wait(lambda text: "paused " in text and text != before, seconds=600)  # or within that second
        took = time.monotonic() - start
        term.keys("q")
        term.end()
    return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=1000, help="MB")
    parser.add_argument("--pods", type=int, default=2000)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the recording is removed then, too
    with tempfile.TemporaryDirectory() as home:
        run, old, path, rng = Run(home), os.path.join(home, "old.jsonl"), os.path.join(home, "long.jsonl"), random.Random(2)
        lasts = write_recording(old, options.size << 20, options.pods)
        moments = [moment(rng.uniform(0, lasts)) for _ in range(8)]
        wall, peak = seconds_of(run, "--replay", old, "-A", "-o", "json", "--as-of", moments[0])
        say("%d MB of %d pods, without keyframes: a moment (s, MB)" % (options.size, options.pods), "%.1f, %.0f" % (wall, peak))
        wall, peak = seconds_of(run, "--replay", old, "-A", "--from", moment(0), "--record", path)
        say("played and written with keyframes (s, MB)", "%.1f, %.0f" % (wall, peak))
        say("what keyframes add to the file (%)", "%.1f" % (100 * os.path.getsize(path) / os.path.getsize(old) - 100))
        look = ["--replay", path, "-A", "-o", "json"]
        say("any moment as -o json: median, worst (s)", spread([seconds_of(run, *look, "--as-of", t)[0] for t in moments]))
        say("dashboard --as-of: median, worst (s)", spread([first_screen(run, path, t) for t in moments[:5]]))
        # the first [ stands at the change that led to what is shown
        say("then { and [[ (s)", "%.2f, %.2f" % (step_back(run, path, moments[1], "{"), step_back(run, path, moments[2], "[[")))
        a, b = rng.uniform(0, lasts - 300), rng.uniform(60, 300)
        say("--diff of some minutes (s)", "%.2f" % seconds_of(run, "--replay", path, "--diff", moment(a) + "," + moment(a + b))[0])
        say("--from, --to of some minutes (s)", "%.2f" % seconds_of(run, "--replay", path, "--from", moment(a), "--to", moment(a + b))[0])
        part = os.path.join(home, "part.jsonl.gz")
        say("the same with --record (s)", "%.2f" % seconds_of(run, "--replay", path, "--from", moment(a), "--to", moment(a + b), "--record", part)[0])


if __name__ == "__main__":
    main()
