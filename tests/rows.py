#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Leaves out each row of the general rules and of the families' tables in turn: one without which no case, example or story fails
decides nothing.

    rows.py PROGRAM [NAME...]      PROGRAM: build/rows/kubectl-status, which reads RULES_OFF and RULES_SEEN; NAME: only these rows,
or those of that family (general: the general rules)

Every test is run once to see which rows hold in it; a row is then left out in these alone until one fails.  Prints which one misses
it, and the rows that nothing misses; the exit status is 1 when there is one.
"""
import glob
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
PROGRAM = os.path.abspath(sys.argv[1])
os.environ["KUBECTL_STATUS"] = PROGRAM
# What no file can show, and which end-to-end test misses it.
LIVE = {"its EndpointSlices were not read yet": "tests/e2e/test_client.py: test_a_service_is_not_ready_before_its_endpoints_are_read"}

import run_cases  # it reads the environment
import run_reasons
import run_stories


def general():
    """The rows of both tables in rules.c: a row begins with its name."""
    with open(os.path.join(TOP, "kube", "evidence", "rules.c"), encoding="utf-8") as f:
        return re.findall(r'^\t\{ "([^"]+)"', f.read().partition("nothing_known[]")[0], re.M)


def of_families():
    """[(the folder of the family, the name of a row)] of all tables of struct row."""
    found = []
    for path in sorted(glob.glob(os.path.join(TOP, "kube", "family", "*", "*.c")) + glob.glob(os.path.join(TOP, "kube", "evidence", "*.c"))):
        family = os.path.basename(os.path.dirname(path))
        with open(path, encoding="utf-8") as f:
            for body in re.findall(r"^static const struct row \w+\[\] = \{(.*?)(?:\n\}| \});$", f.read(), re.M | re.S):
                found += [("generic" if family == "evidence" else family, name) for name in re.findall(r'\{ "([^"]+)"', body)]
    return found


def check_examples(path):
    done = subprocess.run([PROGRAM, "rules", "check", path], capture_output=True, check=False)
    return [done.stdout.decode("utf-8", "replace")] if done.returncode != 0 else []


def run(test):
    """The problems of a test, none when it holds."""
    how, what = test
    return {"words": run_reasons.conclude, "case": run_cases.run_case, "rules": check_examples, "story": run_stories.run_story}[how](what)


def name_of(test):
    how, what = test
    return "%s:%d" % (how, what.number) if how == "words" else os.path.relpath(what, TOP)


def all_tests():
    """The cheapest first: a row needs to be missed only once."""
    for path in sorted(glob.glob(os.path.join(HERE, "family", "*", "reasons.tsv"))):
        yield from (("words", row) for row in run_reasons.read_table(path))
    yield from (("case", path) for path in run_cases.find_cases([os.path.join(HERE, "family")]))
    yield from (("rules", path) for path in sorted(glob.glob(os.path.join(TOP, "kube", "rules", "*.yaml"))))
    yield from (("story", path) for path in run_cases.find_cases([os.path.join(HERE, "stories")]))


def rows_seen(test):
    """(whether it holds while no row is left out, the names of the rows that held in it)"""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as seen:
        os.environ["RULES_SEEN"] = seen.name
        problems = run(test)
        del os.environ["RULES_SEEN"]
        return not problems, set(seen.read().splitlines())


def missed_by(work):
    """The first of these tests that fails without the row."""
    _, name, tests = work
    os.environ["RULES_OFF"] = name
    return next((name_of(test) for test in tests if run(test)), None)


def main():
    wanted = sys.argv[2:]
    tests = list(all_tests())
    rows = [(family, name) for family, name in [("general", name) for name in general()] + sorted(set(of_families()))
            if not wanted or name in wanted or family in wanted]
    unmissed = 0
    with multiprocessing.Pool() as pool:
        seen = pool.map(rows_seen, tests, chunksize=16)
        failing = [name_of(test) for test, (holds, _) in zip(tests, seen) if not holds]
        if failing:
            sys.exit("rows.py: these fail although no row is left out: " + ", ".join(failing))
        work = [(family, name, [test for test, (_, names) in zip(tests, seen) if name in names]) for family, name in rows]
        for (family, name, reached), by in zip(work, pool.imap(missed_by, work)):
            by = by or LIVE.get(name)
            unmissed += by is None
            print("%-10s %-70s %s" % (family, name, by or "NOTHING MISSES IT (%d tests reach it)" % len(reached)), flush=True)
    return 1 if unmissed else 0


if __name__ == "__main__":
    sys.exit(main())
