#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What "make test" does: says what it needs, runs every part, and tells what was skipped, what was slow and what failed.

    run.py [PART...]        all parts by default

A part is a target of the Makefile. One that fails stops no other. The control plane of the part "live" is built from its sources once,
with the lowest priority, while the other parts run. The last line is "N passed, N failed, N skipped" of all parts together; the exit
status is 0 only when nothing failed.

Each part's tests add what they came to to a file in build/test (results.py); a part without such a file counts as one test.
"""
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

import optional
import results

TOP = pathlib.Path(__file__).resolve().parent.parent
FOLDER = TOP / os.environ.get("B", "build") / "test"
# The scripts that build what the tests use; with --ready they only tell whether it is there.
CONTROL_PLANE = (str(TOP / "tests/cluster/build.sh"),)
KREW = (str(TOP / "tests/tools/build.sh"), "krew")
# In this order. Those that compute on one processor alone run beside the others.
PARTS = {"unit": "functions of the program, called from C", "cases": "files of objects, and what is concluded of them",
         "worlds": "recordings of real controllers", "e2e": "the program before a fake API server and in a terminal",
         "live": "the program before a real API server"}
BESIDE = {"steps": "twice the input takes about twice the steps"}
COMPILED = ("unit", "steps")
SLOWEST = 20


@dataclasses.dataclass
class Outcome:
    """What a part came to."""
    part: str
    rows: list          # of results.py
    seconds: float
    cpu: float

    def count(self, outcome):
        return sum(row["outcome"] == outcome for row in self.rows)


# -- what the parts need ---------------------------------------------------------


def asks(*command):
    """The exit status is 0."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def said_by(*command):
    """What it printed; its complaints are printed, too."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


class Background:
    """The control plane, and krew where archives are there to be tried with it, as they are built beside the tests."""

    def __init__(self, parts):
        self.scripts, self.child, self.log = [], None, FOLDER / "control-plane.log"
        if shutil.which("go"):
            if "e2e" in parts and asks(TOP / "packaging/static.sh", "--ready", "amd64") and not asks(*KREW, "--ready"):
                self.scripts.append(KREW)
            if "live" in parts and not asks(*CONTROL_PLANE, "--ready"):
                self.scripts.append(CONTROL_PLANE)

    def about(self, parts):
        if "live" not in parts:
            return "not needed"
        if CONTROL_PLANE in self.scripts:
            return ("kube-apiserver, kube-controller-manager, kubectl and etcd are built from Go modules beside the tests, once: "
                    "6 to 14 minutes, 3 GB in the caches of Go and in ~/.cache/kubectl-status")
        return "is there" if asks(*CONTROL_PLANE, "--ready") else "no Go on this machine: the tests with a real API server are skipped"

    def start(self):
        if self.scripts:
            # In a session of its own: an interrupt ends it by end(), with all that it started.
            with open(self.log, "wb") as log:
                self.child = subprocess.Popen(
                    ["nice", "-n", "19", "sh", "-c", " && ".join(shlex.join(s) for s in self.scripts)],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def wait(self):
        if not self.child:
            return
        if self.child.poll() is None:
            print("== live waits for the control plane, which is still being built (%s)" % self.log, flush=True)
        if self.child.wait():
            print("== the control plane was not built:\n" + "".join(self.log.read_text(errors="replace").splitlines(True)[-20:]), flush=True)

    def end(self):
        if self.child and self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGTERM)
            self.child.wait()


def tell_not_tested(parts):
    """First of all: what is skipped here, by what is not installed.  Whoever wants it tested need not wait for the end to learn that."""
    if "e2e" not in parts:
        return
    for tool in optional.missing():
        print("  NOT TESTED     %s (%s is not installed)" % (optional.TOOLS[tool], tool))
    if not asks(TOP / "packaging/static.sh", "--ready", "amd64"):
        print("  NOT TESTED     the archives of a release (the static libraries are not built: make dist ARCHS=amd64)")


def tell_beginning(parts, background):
    print("make test runs %s." % ", ".join(parts))
    tell_not_tested(parts)
    print("  time           about 10 minutes on two processors when everything below is there, 20 from nothing")
    print("  packages       of the system: packages.sh says what is missing, and installs it")
    print("  python         %s" % said_by(TOP / "tests/python.sh", "--about"))
    print("  control plane  %s" % background.about(parts))
    print(flush=True)


# -- parts ------------------------------------------------------------------------


def make(*targets, env=None, **kw):
    """What the make above has to say of its jobs is not for one that it does not know of."""
    env = dict(os.environ if env is None else env)
    env["MAKEFLAGS"] = " ".join(w for w in env.get("MAKEFLAGS", "").split() if not w.startswith(("-j", "--jobserver", "-n")))
    return subprocess.Popen([os.environ.get("MAKE", "make"), "--no-print-directory", *targets], cwd=TOP, env=env,
                            stdin=subprocess.DEVNULL, **kw)


def build(parts):
    """What the parts run is compiled at once; one failed test where that fails."""
    jobs = "-j%d" % (os.cpu_count() or 2)
    began = time.monotonic()
    child = make(jobs, "kubectl-status", *(p + "-built" for p in parts if p in COMPILED))
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    rows = [{"test": "the program and its tests are built", "outcome": "failed", "seconds": 0, "cpu": None, "reason": ""}]
    return Outcome("build", rows if status else [], time.monotonic() - began, usage.ru_utime + usage.ru_stime)


def read_rows(path):
    with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
    return []


def run_part(part, **kw):
    """Output goes to where kw says."""
    path = FOLDER / (part + ".jsonl")
    path.unlink(missing_ok=True)
    began = time.monotonic()
    child = make(part, env={**os.environ, results.FILE: str(path)}, **kw)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds, cpu = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    rows = read_rows(path)
    if not rows or child.returncode and not any(row["outcome"] == "failed" for row in rows):
        rows.append({"test": "make %s" % part, "outcome": "failed" if child.returncode else "passed", "seconds": seconds, "cpu": cpu,
                     "reason": ""})
    return Outcome(part, rows, seconds, cpu)


def tell(outcome):
    print("== %s: %d passed, %d failed, %d skipped in %.0f s, %.0f s of the processors\n" % (
        outcome.part, *map(outcome.count, ("passed", "failed", "skipped")), outcome.seconds, outcome.cpu), flush=True)


class Beside(threading.Thread):
    """Parts that run beside the others; what they print comes when they have ended."""

    def __init__(self, parts):
        super().__init__(daemon=True)
        self.parts, self.outcomes = parts, []

    def run(self):
        for part in self.parts:
            with open(FOLDER / (part + ".log"), "wb") as log:
                self.outcomes.append(run_part(part, stdout=log, stderr=log))

    def end(self):
        self.join()
        for outcome in self.outcomes:
            print("== %s: %s" % (outcome.part, BESIDE[outcome.part]))
            print((FOLDER / (outcome.part + ".log")).read_text(errors="replace"), end="")
            tell(outcome)
        return self.outcomes


def run_all(parts, background):
    built = build(parts)
    if built.rows:
        return [built]
    beside, outcomes = Beside([p for p in parts if p in BESIDE]), []
    beside.start()
    for part in (p for p in parts if p not in BESIDE):
        if part == "live":
            outcomes += beside.end()    # it has limits of time: nothing else runs meanwhile
            beside = None
            background.wait()
        print("== %s: %s" % (part, PARTS[part]), flush=True)
        outcomes.append(run_part(part))
        tell(outcomes[-1])
    return outcomes + (beside.end() if beside else [])


# -- the end ----------------------------------------------------------------------


def in_order(outcomes, key):
    return sorted(((o.part, row) for o in outcomes for row in o.rows), key=key)


def tell_skipped(outcomes):
    reasons = collections.Counter(row["reason"] for o in outcomes for row in o.rows if row["outcome"] == "skipped")
    if reasons:
        print("Skipped:\n  how many  why")
    for reason, n in reasons.most_common():
        print("  %8d  %s" % (n, " ".join(reason.split())))
    if reasons:
        print()


def tell_again(outcomes):
    """What did not pass the first time is not passed over in silence."""
    again = [(part, row) for part, row in in_order(outcomes, lambda x: 0) if row["outcome"] == "passed" and row["reason"]]
    for part, row in again:
        print("Unsteady: %s: %s %s" % (part, row["test"], row["reason"]))
    if again:
        print()


def tell_slowest(outcomes):
    print("The slowest %d tests:\n   seconds  on a processor  test" % SLOWEST)
    for part, row in in_order(outcomes, lambda x: -x[1]["seconds"])[:SLOWEST]:
        print("  %8.1f  %14s  %s: %s" % (row["seconds"], "-" if row["cpu"] is None else "%.1f" % row["cpu"], part, row["test"]))
    print()


def tell_parts(outcomes):
    print("%-8s  %7s  %7s  %7s  %8s  %s" % ("part", "passed", "failed", "skipped", "seconds", "seconds on the processors"))
    for o in outcomes:
        print("%-8s  %7d  %7d  %7d  %8.0f  %.0f" % (o.part, *map(o.count, ("passed", "failed", "skipped")), o.seconds, o.cpu))
    print()


def tell_end(outcomes):
    tell_slowest(outcomes)
    tell_skipped(outcomes)
    tell_again(outcomes)
    tell_parts(outcomes)
    failed = [(part, row) for part, row in in_order(outcomes, lambda x: 0) if row["outcome"] == "failed"]
    if failed:
        print("Failed:")
    for part, row in failed:
        print("  %s: %s" % (part, row["test"]))
    # The line that programs read.
    print("%d passed, %d failed, %d skipped" % tuple(sum(o.count(x) for o in outcomes) for x in ("passed", "failed", "skipped")), flush=True)
    return 1 if failed or not outcomes else 0


def main():
    known = {**PARTS, **BESIDE}
    parts = sys.argv[1:] or list(known)
    if unknown := [p for p in parts if p not in known]:
        sys.exit("there is no part %s; the parts are %s" % (" ".join(unknown), " ".join(known)))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    FOLDER.mkdir(parents=True, exist_ok=True)
    background = Background(parts)
    tell_beginning(parts, background)
    background.start()
    try:
        if subprocess.run([TOP / "packages.sh", "test"], stdin=subprocess.DEVNULL, check=False).returncode or said_by(
                TOP / "tests/python.sh") == "false":
            return tell_end([Outcome("packages", [{"test": "what the tests need is installed", "outcome": "failed", "seconds": 0,
                                                   "cpu": None, "reason": ""}], 0, 0)])
        return tell_end(run_all(parts, background))
    finally:
        background.end()


if __name__ == "__main__":
    sys.exit(main())
