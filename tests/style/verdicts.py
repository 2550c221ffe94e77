#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a phase or severity is set anywhere but in the files that may: families decide by rows of tables (kube/evidence/decision_table.h)."""
import glob
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CALL = re.compile(r"\b(verdict_set|verdict_set_phase|assess_set)\(")
# kube/status and kube/graph define them; the engine judges what no family can read.
ALLOWED = {"kube/evidence/outcome.c", "kube/evidence/row_outcome.c", "kube/status/family.h", "kube/status/verdict.c", "kube/status/engine.c", "kube/graph/assess.c",
           "kube/graph/assessment.c"}


def main():
    wrong = []
    for path in glob.glob(os.path.join(ROOT, "kube", "**", "*.[ch]"), recursive=True):
        name = os.path.relpath(path, ROOT)
        with open(path, encoding="utf-8") as f:
            wrong += ["%s:%d: %s" % (name, i, line.strip()) for i, line in enumerate(f, 1) if name not in ALLOWED and CALL.search(line)]
    if wrong:
        sys.exit("verdicts: a row of a table ought to decide\n" + "\n".join(wrong))
    print("verdicts: rows decide")


if __name__ == "__main__":
    main()
