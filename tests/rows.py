#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Leaves out each row of the general rules and of the families' tables in turn: one without which no case, example or story fails
decides nothing.

    rows.py PROGRAM [NAME...]      PROGRAM: build/rows/kubectl-status, which reads RULES_OFF; NAME: only these rows, or those
of that family (general: the general rules)

Prints what each row is missed by, and those that nothing misses; the exit status is 1 when there is one.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
# The cheapest first: a row needs to be missed only once.  FAMILY: the cases of the family whose row it is.
FAMILY = [sys.executable, os.path.join(HERE, "run_cases.py"), os.path.join(HERE, "family", "FAMILY")]
GENERAL = (["PROGRAM", "rules", "check", os.path.join(TOP, "kube", "rules")],
           [sys.executable, os.path.join(HERE, "run_cases.py"), os.path.join(HERE, "family", "generic")])
ALL = ([sys.executable, os.path.join(HERE, "run_cases.py")],
       [sys.executable, os.path.join(HERE, "run_reasons.py")],
       [sys.executable, os.path.join(HERE, "run_stories.py")])


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


def missed_by(program, name, family=None):
    env = dict(os.environ, KUBECTL_STATUS=program, RULES_OFF=name)
    tests = (GENERAL if family is None else ([word.replace("FAMILY", family) for word in FAMILY],)) + ALL
    for test in tests:
        command = [program if word == "PROGRAM" else word for word in test]
        if subprocess.run(command, env=env, capture_output=True, check=False).returncode != 0:
            return os.path.basename(command[-1])
    return None


def main():
    program, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if missed_by(program, ""):
        sys.exit("rows.py: the tests fail although no row is left out")
    unmissed = 0
    rows = [(None, name) for name in general()] + sorted(set(of_families()))
    for family, name in rows:
        if wanted and name not in wanted and (family or "general") not in wanted:
            continue
        by = missed_by(program, name, family)
        unmissed += by is None
        print("%-10s %-70s %s" % (family or "general", name, by or "NOTHING MISSES IT"), flush=True)
    return 1 if unmissed else 0


if __name__ == "__main__":
    sys.exit(main())
