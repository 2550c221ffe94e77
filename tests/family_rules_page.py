#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/rules-families.md from the tables of struct row in kube/family and kube/evidence; --check: fails when it is not up to date."""
import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TOP, "docs", "rules-families.md")
INTRO = """# The rules of the families

Made from the tables in `kube/family` and `kube/evidence` by `make generated`.

An object of an operator that this program knows well is judged by the tables of its family. The first row of a table that holds decides;
its name is `rule` in the JSON, and stands behind "decided by" with `-o why`. What makes the others of a table decide is what the
row before them does not hold for. Tables that are about neighbours hold where the program has found what their name says; they come after those
about the object itself. Objects of all other operators: [the general rules](rules-general.md).

*Failed or Degraded*: Degraded where the object, or what it made, serves or has served before. *Provisioning or Updating*: Updating where it
was made before. "Failed" and "Degraded" are warnings, errors where a row says that nobody tries again; what goes on is info.
"""
THEN = {"TROUBLE": "Failed or Degraded", "MOVEMENT": "Provisioning or Updating", "PAUSE": "Suspended", "READY": "Ready", "READY_BUT": "Ready, with a warning",
        "SILENCE": "Provisioning, a warning when it is not young", "UNKNOWN": "Unknown", "DELETION": "Deleting", "WAIT": "Waiting"}
FLAGS = {"FINAL": "error", "FINAL_IF_DOWN": "error when Failed", "RETRIED": "warning", "QUIET": "severity none", "STAYS": "the phase stays"}


def text_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def meanings(source):
    """{"GOES": "it is being deleted"} of the comments behind the members of enums."""
    found = {}
    for name, comment in re.findall(r"^\t([A-Z_]+) = 1(?: << \d+)?,?\s*/\* (.*?) \*/", source, re.M | re.S):
        found[name] = re.sub(r"\s+", " ", comment).rstrip(",").replace("|", "/")
    return found


def bits(expression, words):
    return [words.get(name, name.lower().replace("_", " ")) for name in re.findall(r"[A-Z_]+", expression or "")]


def holds(row, words):
    """When the row holds, in words."""
    m = dict(re.findall(r'\.(kind|type|status|reason|word) = ("[^"]*"|[A-Z_]+)', row))
    m = {key: value.strip('"') for key, value in m.items()}
    out = ["of the kind %s" % m["kind"]] if "kind" in m else []
    if "type" in m:
        out.append("condition `%s%s%s`" % (m["type"], "=" + m["status"] if "status" in m else "", " " + " or ".join(m["reason"].split()) if "reason" in m else ""))
    if "word" in m:
        out.append("its word is %s" % " or ".join("`%s`" % w for w in m["word"].split()))
    out += bits((re.search(r"\.is = ([A-Z_ |]+)", row) or [None, ""])[1], words)
    out += ["not: " + w for w in bits((re.search(r"\.not = ([A-Z_ |]+)", row) or [None, ""])[1], words)]
    return "; ".join(out)


def then(row):
    outcome = re.search(r"\.then = OUTCOME_(\w+)", row).group(1)
    phase = re.search(r"\.phase = PHASE_(\w+)", row)
    flags = re.findall(r"[A-Z_]+", (re.search(r"\.flags = ([A-Z_ |]+)", row) or [None, ""])[1])
    said = [FLAGS[flag] for flag in flags if flag in FLAGS]
    if "STAYS" in flags:
        return ", ".join(said)
    return ", ".join([phase.group(1).capitalize() if phase else THEN[outcome]] + said)


def tables(path):
    """(the name of a table, its rows as lines of the page)"""
    source = text_of(path)
    words = meanings(source)
    literals = dict(re.findall(r'^#define (\w+) ("[^"]*")$', source, re.M))
    for name, body in re.findall(r"^static const struct row (\w+)\[\] = \{(.*?)(?:\n\}| \});$", source, re.M | re.S):
        body = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", body, flags=re.S))
        for define, literal in literals.items():
            body = re.sub(r"\b%s\b" % define, literal, body)
        rows = re.findall(r'\{ "([^"]+)"(.*?) \}', body)
        yield name, ["| %s | %s | %s |" % (row, holds(rest, words), then(rest)) for row, rest in rows]


def titles():
    """{"core": "Kubernetes", ...}: the folder and the title of each family."""
    found = {}
    for path in sorted(glob.glob(os.path.join(TOP, "kube", "family", "*", "*.c"))):
        for title in re.findall(r'\.title = "([^"]+)"', text_of(path)):
            found.setdefault(os.path.basename(os.path.dirname(path)), title)
    return found


def page():
    out, names = INTRO, titles()
    for folder in sorted(glob.glob(os.path.join(TOP, "kube", "family", "*", ""))) + [os.path.join(TOP, "kube", "evidence", "")]:
        family = os.path.basename(os.path.dirname(folder))
        parts = [(path, name, rows) for path in sorted(glob.glob(folder + "*.c")) for name, rows in tables(path)]
        if parts:
            out += "\n## %s\n" % ("Objects of every operator" if family == "evidence" else names.get(family, family))
        for path, name, rows in parts:
            what = os.path.basename(path)[:-2].replace("_", " ") + ("" if name == "rows" else ": " + name.replace("_rows", "").replace("_", " "))
            out += "\n### %s\n\n| rule | it holds for | then |\n|---|---|---|\n%s\n" % (what, "\n".join(rows))
    return out


def main():
    text = page()
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text)
    elif text_of(PAGE) != text:
        sys.exit("docs/rules-families.md is not what the tables of kube/family say: make generated")


if __name__ == "__main__":
    main()
