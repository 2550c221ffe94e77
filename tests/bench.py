#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed and memory, on a control plane of its own.  Prints figures, and goals where there are; judges nothing.

    bench.py [--pods N]
"""
import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "e2e"), os.path.join(HERE, "cluster")]

from program import PROGRAM, Run, wall_and_peak  # noqa: E402
from controlplane import ControlPlane, find_assets, wait_until  # noqa: E402
from crds import CRDS, apply_crds, can_list, definition  # noqa: E402
from incident import World  # noqa: E402
from load import make_pods  # noqa: E402


def pairs(ours, theirs, env, times):
    """Both in turn, so that a drift of the machine hits both: medians, and the ratio."""
    a, b, peak = [], [], 0
    for i in range(times + 1):
        wall, mem = wall_and_peak(ours, env)
        other, _ = wall_and_peak(theirs, env)
        if i:
            a.append(wall)
            b.append(other)
            peak = max(peak, mem)
    ratio = statistics.median(x / y for x, y in zip(a, b))
    return statistics.median(a), statistics.median(b), ratio, peak


def say(figure, value):
    print("%-62s %s" % (figure, value), flush=True)


def first_paint(run, times=20):
    """From exec to the first picture with the head line in it."""
    took = []
    for _ in range(times):
        start = time.monotonic()
        with run.screen("-n", "edge") as term:
            while b"status" not in term.raw:
                assert term.read(5)
            took.append(time.monotonic() - start)
            term.keys("q")
            term.end()
    return statistics.median(took) * 1000


def change_to_screen(cp, run, times=30):
    """From the answer of the PATCH to the new text on the screen."""
    path = "/apis/openstack.k-orc.cloud/v1alpha1/namespaces/edge/projects/edge/status"
    took = []
    with run.screen("-n", "edge", "projects.openstack.k-orc.cloud") as term:
        term.wait("project")
        for i in range(times):
            word = "change-%d" % i
            cp.patch(path, {"status": {"conditions": [{"type": t, "status": "False", "reason": "InvalidConfiguration",
                     "message": word, "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
                     for t in ("Available", "Progressing")]}})
            start = time.monotonic()
            term.wait(word, whole=False)
            took.append(time.monotonic() - start)
    return statistics.median(took) * 1000


def requests_of_a_look(cp, run, *args):
    start = time.time()
    run("-o", "name", *args)
    return len(cp.audit("oncall", start))


def add_kinds(cp, count=60):
    """So many more, of which no object exists: with those of the operators more than a hundred."""
    for i in range(count):
        cp.post(CRDS, definition("Filler%d" % i))
    for i in range(count):
        wait_until("the kinds are served", lambda i=i: can_list(cp, "/apis/fresh.example.org/v1/filler%ds" % i), 60, 0.1)
    cp.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fresh"}})


def lists_beside_curl(cp, run, curl, server):
    """The whole answer of -A, and curl's of the same lists, all at once."""
    start = time.time()
    run("-A", "-o", "name")
    lists = sorted({e["requestURI"] for e in cp.audit("oncall", start) if e["verb"] == "list"})
    theirs = curl + ["--parallel", "--parallel-max", "100"] + [server + uri for uri in lists]
    a, b, ratio, _ = pairs([PROGRAM, "-A", "-o", "name"], theirs, run.env, 9)
    say("%d lists, -A: ours %.2f s, curl --parallel %.2f s; ratio (at most 2.5)" % (len(lists), a, b), "%.1f" % ratio)


def first_object(cp, run, kinds=(7, 17, 27, 37, 47)):
    """From the answer of the POST until it is on the screen: each is the first of its kind."""
    took = []
    with run.screen("-n", "fresh", rows=40, cols=120) as term:
        term.wait("live ●", 60)
        time.sleep(3)
        for i in kinds:
            path = "/apis/fresh.example.org/v1/namespaces/fresh/filler%ds" % i
            cp.post(path, {"apiVersion": "fresh.example.org/v1", "kind": "Filler%d" % i, "metadata": {"name": "first-%d" % i}})
            start = time.monotonic()
            term.wait("first-%d" % i, 30)
            took.append(time.monotonic() - start)
        term.keys("q")
        term.end()
    return statistics.median(took), max(took)


def why_of_a_chain(run, owners=4000):
    """Each waits for the next one, and has a part that failed: seconds of CPU."""
    def thing(kind, name, owner):
        owners = [{"apiVersion": "example.com/v1", "kind": "Thing", "name": owner, "uid": owner, "controller": True}] if owner else []
        return {"apiVersion": "example.com/v1", "kind": kind, "metadata": {
            "name": name, "namespace": "a", "uid": name, "creationTimestamp": "2026-11-20T08:00:00Z", "ownerReferences": owners},
            "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Failed" if kind == "Leaf" else "Waiting",
                                       "message": "it failed", "lastTransitionTime": "2026-11-20T08:01:00Z"}]}}

    path = os.path.join(run.home, "chain.json")
    with open(path, "w", encoding="utf-8") as f:
        for i in range(owners):
            print(json.dumps(thing("Thing", "o%d" % i, "o%d" % (i - 1) if i else None)), file=f)
            print(json.dumps(thing("Leaf", "l%d" % i, "o%d" % i)), file=f)
    took = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run("-f", path, "-o", "why")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pods", type=int, default=20000)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with ControlPlane() as cp, tempfile.TemporaryDirectory() as home:
        apply_crds(cp)
        world = World(cp)
        world.create()
        world.finish()
        cp.grant_oncall()
        config = cp.kubeconfig("oncall", groups=("oncall",), namespace="edge")
        run = Run(home, config)
        kubectl = str(find_assets() / "kubectl")
        run("-n", "edge", "-o", "name")

        say("load of the machine (1, 5, 15 min), its processors", "%.1f, %.1f, %.1f; %d" % (*os.getloadavg(), os.cpu_count()))
        say("-o why of a chain of 4,000, CPU (s, at most 0.5)", "%.2f" % why_of_a_chain(run))
        say("requests of one look, whole namespace, warm discovery", requests_of_a_look(cp, run))
        say("requests of one look, all namespaces (46 CRDs)", requests_of_a_look(cp, run, "-A"))
        say("first paint, warm discovery cache, median of 20 (ms)", "%.1f" % first_paint(run))
        say("change to screen, median of 30 (ms, at most 100)", "%.1f" % change_to_screen(cp, run))
        ours = [PROGRAM, "-n", "edge", "network.openstack.k-orc.cloud/lan", "-o", "name"]
        theirs = [kubectl, "-n", "edge", "get", "network.openstack.k-orc.cloud/lan", "-o", "name"]
        run.env["KUBECONFIG"] = config
        a, b, ratio, _ = pairs(ours, theirs, run.env, 15)
        say("one object -o name: ours %.1f ms, kubectl get %.1f ms; ratio (at most 0.29)" % (a * 1000, b * 1000), "%.2f" % ratio)

        with open(cp.kubeconfig("oncall", groups=("oncall",), files=True), encoding="utf-8") as f:
            config = yaml.safe_load(f)
        user, cluster = config["users"][0]["user"], config["clusters"][0]["cluster"]
        curl = ["/usr/bin/curl", "-sf", "--compressed", "--cacert", cluster["certificate-authority"],
                "--cert", user["client-certificate"], "--key", user["client-key"], "-A", "bench"]

        add_kinds(cp)
        shutil.rmtree(os.path.join(home, ".kube", "cache"), ignore_errors=True)  # it does not have them yet
        lists_beside_curl(cp, run, curl, cluster["server"])
        say("first object of a kind that had none, 106 CRDs: median, worst (s, at most 1)", "%.2f, %.2f" % first_object(cp, run))

        make_pods(cp, options.pods)
        theirs = curl + [cluster["server"] + "/api/v1/pods"]
        ours = [PROGRAM, "-A", "pods", "-o", "name"]
        a, b, ratio, peak = pairs(ours, theirs, run.env, 3)
        say("%d pods -A -o name: ours %.2f s, curl %.2f s; ratio (at most 1.08)" % (options.pods, a, b), "%.2f" % ratio)
        say("the same: peak memory (MB)", "%.1f" % peak)
        wall, peak = wall_and_peak([kubectl, "get", "pods", "-A", "-o", "name"], run.env)
        say("kubectl get of the same: seconds, peak memory (MB)", "%.2f, %.1f" % (wall, peak))
        wall, peak = wall_and_peak([PROGRAM, "-A", "pods", "-o", "json"], run.env)
        say("the same with -o json: seconds, peak memory (MB)", "%.2f, %.1f" % (wall, peak))


if __name__ == "__main__":
    main()
