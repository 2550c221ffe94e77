#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks the tables of words: tests/family/FAMILY/reasons.tsv.

What an operator can write, one row each, columns between tabs: the words, then what they mean.
Comments say the rest, and hold for the rows after them:

    # source:   where upstream defines the words
    # columns:  Ready, reason -> phase, severity, waits, rule
    # object:   the object in YAML on one line; the words go to {0}, {1} ..., "-" is the empty one
    # beside:   another object of the same world; none after the next "# object:"

phase, severity   of the item
waits             "state:Kind/name", several with a comma; "-" for none; {name} is the object's own
rule              "-"        a row of the family decided
                  general    no row knows a word of it: the rule says so, and it is never Ready
                  any words  a row of the family decided: its name, or words of what decided
"""
import concurrent.futures
import functools
import glob
import json
import os
import subprocess
import sys
import tempfile

import run_cases

HERE = os.path.dirname(os.path.abspath(__file__))
NOW = "2026-11-20T09:00:00Z"
MEANING = ["phase", "severity", "waits", "rule"]
GENERAL = "is not known here"


class Row:
    """One row, with the world that its words make."""

    def __init__(self, number, values, nwords, template, beside):
        self.number = number
        self.name = "row-%d" % number
        words, self.meaning = values[:nwords], dict(zip(MEANING, [v.replace("{name}", self.name) for v in values[nwords:]]))
        self.world = "".join("---\n%s\n" % fill(text, self.name, words) for text in [template] + beside)


def fill(template, name, words):
    text = template.replace("{name}", name)
    for i, word in enumerate(words):
        text = text.replace("{%d}" % i, "" if word == "-" else word)
    return text


def read_table(path):
    rows, columns, template, beside = [], [], None, []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            key, _, rest = line.rstrip("\n").partition(":")
            if key == "# object":
                template, beside = rest.strip(), []
            elif key == "# beside":
                beside = beside + [rest.strip()]
            elif key == "# columns":
                columns, _, meaning = rest.partition("->")
                columns = columns.split(",")
                if [m.strip() for m in meaning.split(",")] != MEANING:
                    sys.exit("%s:%d: after -> there must be %s" % (path, number, ", ".join(MEANING)))
            elif line.strip() and not line.startswith("#"):
                values = line.rstrip("\n").split("\t")
                if len(values) != len(columns) + len(MEANING):
                    sys.exit("%s:%d: %d columns, not %d" % (path, number, len(values), len(columns) + len(MEANING)))
                rows.append(Row(number, values, len(columns), template, beside))
    return rows


def waits_of(item):
    return ",".join(sorted("%s:%s" % (w["state"], run_cases.label(w["on"])) for w in item.get("waits", []))) or "-"


def differences(row, item):
    """What does not hold, none when the row does."""
    rule, wanted = run_cases.decided_by(item) or "", row.meaning["rule"]
    actual = {"phase": item["phase"], "severity": item["severity"], "waits": waits_of(item)}
    expected = dict(row.meaning, waits=",".join(sorted(row.meaning["waits"].split(","))))
    for key, value in actual.items():
        if value != expected[key]:
            yield "%s %s (%s), not %s" % (key, value, rule, expected[key])
    if (GENERAL in rule) != (wanted == "general"):
        yield "the rule is %r" % rule
    if wanted == "general" and item["phase"] == "Ready":
        yield "Ready by default"
    if wanted not in ("-", "general") and wanted not in rule and wanted != item.get("rule"):
        yield "%r decided, and the rule is %r; none is %r" % (rule, item.get("rule"), wanted)
    if item["phase"] != "Unknown" and not item.get("reason") and not item.get("operatorPhase") and not item.get("message"):
        yield "nothing says why"


def walk(path, row):
    """What does not hold of a row of that table."""
    return run_cases.timed(path, lambda _: conclude(row), "%s:%d" % (os.path.relpath(path), row.number))


def conclude(row):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as f:
        f.write(row.world)
        f.flush()
        done = subprocess.run([run_cases.PROGRAM, "-f", f.name, "-A", "--as-of", NOW, "-o", "json"],
                              capture_output=True, timeout=300, check=False)
    if done.returncode != 0:
        return [done.stderr.decode("utf-8", "replace").strip()]
    items = [i for i in json.loads(done.stdout)["items"] if i["name"] == row.name]
    return list(differences(row, items[0])) if items else ["there is no item"]


def main():
    paths = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "family", "*", "reasons.tsv")))
    known, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path in paths:
            rows = read_table(path)
            for row, problems in zip(rows, pool.map(functools.partial(walk, path), rows)):
                known, failed = known + 1, failed + bool(problems)
                for problem in problems:
                    print("FAILED %s:%d: %s" % (os.path.relpath(path), row.number, problem))
    print("%d rows of words hold, %d do not" % (known - failed, failed))
    return 1 if failed or not known else 0


if __name__ == "__main__":
    sys.exit(main())
