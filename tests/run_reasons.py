#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks the tables of words: tests/family/FAMILY/reasons.tsv.

What an operator can write, one row each: the words, then the phase and the severity that they
mean.  "# source:" names where upstream defines them; "# object:" is the object in YAML that the
rows after it are put into, at {0}, {1} ...; "# columns:" only explains.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

import run_cases

HERE = os.path.dirname(os.path.abspath(__file__))
NOW = "2026-11-20T09:00:00Z"


def read_table(path):
    """[(number of the line, object in YAML, phase, severity)]"""
    rows, template = [], None
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if line.startswith("# object:"):
                template = line.partition(":")[2].strip()
            elif line and not line.startswith("#"):
                *words, phase, severity = line.split("\t")
                text = template.replace("{name}", "row-%d" % number)
                for i, word in enumerate(words):
                    text = text.replace("{%d}" % i, "" if word == "-" else word)
                rows.append((number, text, phase, severity))
    return rows


def walk(path):
    rows, problems = read_table(path), []
    for number, text, phase, severity in rows:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as f:
            f.write("---\n" + text)  # what begins with a brace would be JSON
            f.flush()
            done = subprocess.run([run_cases.PROGRAM, "-f", f.name, "-A", "--as-of", NOW, "-o", "json"],
                                  capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            problems.append("line %d: %s" % (number, done.stderr.decode("utf-8", "replace").strip()))
            continue
        item = json.loads(done.stdout)["items"][0]
        if (item["phase"], item["severity"]) != (phase, severity):
            problems.append("line %d: %s %s (%s), not %s %s" % (number, item["phase"], item["severity"], item.get("rule"), phase, severity))
        if item["phase"] != "Unknown" and not item.get("reason") and not item.get("operatorPhase") and not item.get("message"):
            problems.append("line %d: nothing says why" % number)
    return len(rows), problems


def main():
    paths = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "family", "*", "reasons.tsv")))
    known, failed = 0, 0
    for path in paths:
        n, problems = walk(path)
        known, failed = known + n, failed + len(problems)
        if problems:
            print("FAILED %s\n  %s" % (os.path.relpath(path), "\n  ".join(problems)))
    print("%d rows of words hold, %d do not" % (known - failed, failed))
    return 1 if failed or not known else 0


if __name__ == "__main__":
    sys.exit(main())
