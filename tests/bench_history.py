#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The history of a day before a dashboard: how soon it opens, and how soon yesterday is shown.  Prints figures; judges nothing.

    bench_history.py [--size MB] [--pods N]

A flight of 24 hours in eight segments is made of changes of pods, and a server that has the same pods; both are removed.
The flight is read from its directory, and behind a service, through the server's proxy.  --keep FOLDER keeps the flight
there, or takes the one that is there.
"""
import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "e2e")]

import bench_recording  # noqa: E402
from bench_dashboard import lists  # noqa: E402
from bench_recording import moment, pod, say, write_recording  # noqa: E402
from fakeapi import FakeApi, answer, make_certificates  # noqa: E402
from program import PROGRAM, Run, wall_and_peak  # noqa: E402

DAY, SEGMENTS = 24 * 3600, 8
MARK = b"\x1b\x00KS\x17\x00kubectl-status/keyframe"  # the extra field of a gzip member with a keyframe, 10 bytes into it
PIECE = 1 << 20  # the bytes between two times of the index
PROXY = "/api/v1/namespaces/ops/services/flight/proxy/"


THEN = "23h40m"


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


def first_line(data):
    return json.loads(zlib.decompressobj(31).decompress(data, 4096).split(b"\n")[0])


def last_time(text):
    found = re.findall(rb'^\{"t":"([^"]{24})"', text[:text.rfind(b"\n")], re.M)
    return found[-1].decode() if found else None


def describe(path):
    """What a recorder's index says of a segment."""
    with open(path, "rb") as f:
        data = f.read()
    keyframes = [{"time": line["t"], "at": at, "line": line["keyframe"]["line"]}
                 for at in (found.start() - 10 for found in re.finditer(re.escape(MARK), data)) for line in [first_line(data[at:at + 4096])]]
    times, text, reader = [], b"", zlib.decompressobj(31)
    for at in range(0, len(data), PIECE):
        rest = data[at:at + PIECE]
        while rest:
            text = text[-65536:] + reader.decompress(rest)
            rest = reader.unused_data
            if reader.eof:
                reader = zlib.decompressobj(31)
        if last_time(text):
            times.append({"time": last_time(text), "at": min(at + PIECE, len(data))})
    first = json.loads(zlib.decompressobj(31).decompress(data, 65536).split(b"\n")[0])["startedAt"]
    return {"name": os.path.basename(path), "first": first, "last": times[-1]["time"], "size": len(data), "keyframes": keyframes, "times": times}


def write_index(folder):
    segments = [describe(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.startswith("flight-")]
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as f:
        json.dump({"kind": "FlightIndex", "apiVersion": "kubectl-status/v1", "segments": segments}, f)


def serve_flight(fake, folder):
    """A web server behind the API server's proxy.  Returns the list to which each answer's size is added."""
    sent = []

    def reply(request, stream):
        with open(os.path.join(folder, os.path.basename(request.path)), "rb") as f:
            data, status = f.read(), 200
        headers = {"content-type": "application/octet-stream"}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers.get("range") or "")
        if wanted:
            first, total = int(wanted.group(1)), len(data)
            data, status = data[first:int(wanted.group(2)) + 1], 206
            headers["content-range"] = "bytes %d-%d/%d" % (first, first + len(data) - 1, total)
        sent.append(len(data))
        answer(data, status if data else 416, headers)(request, stream)
    fake.on("*", reply, when=lambda r: r.path.startswith(PROXY), times=0)
    return sent


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
    parser.add_argument("--keep", metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        make_certificates(home)
        plain = Run(home)
        folder = options.keep or os.path.join(home, "flight")
        began = time.monotonic()
        if not os.path.isdir(folder):
            make_flight(plain, folder, options.size * 1000000, options.pods)
        write_index(folder)
        size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
        say("a flight of %d MB, compressed; made in %d s" % (size // 1000000, time.monotonic() - began), "")
        fake = FakeApi(home)
        pods = [json.dumps(pod(i, i, False)).encode() for i in range(options.pods)]
        fake.on("/api/v1/pods", lists(pods, "Pod"), when=lambda request: not request.watch, times=0)
        run = Run(home, kubeconfig(fake, home))
        sent = serve_flight(fake, folder)
        took = {"without": [], "with": [], "then": [], "proxied": []}
        for _ in range(3):
            took["without"].append(opened(run))
            took["with"].append(opened(run, "--history", folder))
            took["then"].append(opened(run, "--history", folder, "--as-of", THEN))
            del sent[:]
            took["proxied"].append(opened(run, "--history", "ops/flight", "--as-of", THEN))
        for name, index in (("first picture (s; with it at most 0.1 more)", 0), ("live (s)", 1)):
            say("without and with a history: %s" % name, "%.2f, %.2f" % tuple(statistics.median(t[index] for t in took[k]) for k in ("without", "with")))
        say("the header tells of the history, s after the start", "%.2f" % statistics.median(t[2] for t in took["with"]))
        for name, kind in (("yesterday's same minute in the dashboard, s after the start (1 more)", "then"), ("the same through the proxy (2 more)", "proxied")):
            say(name, "%.2f" % statistics.median(t[2] for t in took[kind]))
        say("MB that were read for that, in requests", "%.1f, %d" % (sum(sent) / 1e6, len(sent)))
        look = [PROGRAM, "pods", "-A", "--history", folder, "-o", "name", "--as-of"]
        each = [wall_and_peak([*look, back], run.env) for back in (THEN, "20h30m", "12h", "1h")]
        say("a moment of the history with -o name: median, worst, s", "%.2f, %.2f" % (statistics.median(w for w, _ in each), max(w for w, _ in each)))
        say("memory for that, MB", "%d" % max(peak for _, peak in each))
        for name, args in (("-o json", ["-o", "json"]), ("--report", ["--report", os.path.join(home, "report.html")])):
            each = [wall_and_peak([PROGRAM, "pods", "-A", *args, *more], run.env) for more in ([], ["--history", folder])]
            say("%s of the present, without and with a history, s; MB" % name, "%.2f, %.2f; %d, %d" % tuple(t[k] for k in (0, 1) for t in each))
        fake.stop()


if __name__ == "__main__":
    main()
