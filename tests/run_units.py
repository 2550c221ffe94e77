#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_units.py PROGRAM...: runs unit tests, twice as many programs at a time as there are processors, since some of them wait.

What a program prints is shown when one of its tests fails.
"""
import concurrent.futures
import contextlib
import os
import re
import resource
import subprocess
import sys
import threading
import time

import results

# As cmocka prints them, at once.
STATE = re.compile(r"^\[ +(RUN|OK|FAILED|SKIPPED) +\] (\S+)$")
OUTCOME = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
SECONDS = 3600      # a program takes at most, also with sanitizers beside twenty others


@contextlib.contextmanager
def ended(child):
    """It is killed when it does not end in time."""
    timer = threading.Timer(SECONDS, child.kill)
    timer.start()
    yield
    child.wait()
    timer.cancel()


def run(program):
    """(outcomes of its tests, what it printed) of one program."""
    name, outcomes, said, began = os.path.basename(program), [], [], {}
    with subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as child, \
            ended(child):
        for line in child.stdout:
            said.append(line)
            state = STATE.match(line)
            if state and state[1] == "RUN":
                began[state[2]] = time.monotonic()
            elif state and state[2] in began:       # the list of failures at the end names them once more
                outcomes.append(OUTCOME[state[1]])
                results.add("%s: %s" % (name, state[2]), outcomes[-1], time.monotonic() - began.pop(state[2]))
    for test, at in began.items():
        outcomes.append("failed")
        results.add("%s: %s" % (name, test), "failed", time.monotonic() - at)
    if child.returncode and "failed" not in outcomes:
        outcomes.append("failed")
        results.add(name, "failed", 0)
        said.append("ended with status %d\n" % child.returncode)
    return outcomes, "".join(said)


def main():
    all_outcomes = []
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        for program, (outcomes, said) in zip(sys.argv[1:], pool.map(run, sys.argv[1:])):
            all_outcomes += outcomes
            if "failed" in outcomes or not outcomes:
                print("== %s\n%s" % (program, said))
    failed = all_outcomes.count("failed")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("%d unit tests hold, %d do not (%.0f s of the processors)" % (
        all_outcomes.count("passed"), failed, usage.ru_utime + usage.ru_stime))
    return 1 if failed or not all_outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
