#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays stories: what operators write over time, and what must be concluded at each moment.

    run_stories.py [-v] [PATH...]      files or folders, tests/stories by default

A story is a file of YAML documents.  "# at: 09:05" begins a moment; the documents after it are
what changed then: an object is written once and merged with what comes later (maps are merged, lists
replaced, null deletes), "# delete: Kind/name" removes one, a moment without documents only lets time
pass.  "# expect:" is as in a case, with times of day ("since=09:05"); "# roots: failed:Kind/name ..."
names all root causes, "# roots: none" says that there is none.  "# began: Kind/name: pod/x Ready → Failed" is the
change that came first of those that -o why names before the trouble of that object ("spec changed": whichever
fields it names); "none": it has to name none
(tests/e2e/test_changes_before.py counts these).  Beside that it holds at every moment:
while an object keeps its phase its since stays, and no since is earlier than the one before.
"""
import concurrent.futures
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

import run_cases
import unsaid

HERE = os.path.dirname(os.path.abspath(__file__))
DAY = "2026-11-20T"
MARK = re.compile(r"^#\s*(at|delete|expect|roots|began):\s*(.*)$")


def moment(text):
    """09:05 or 09:05:30, of the day of all stories; a date before it counts as it stands."""
    text = text if "T" in text else DAY + text
    return text + (":00Z" if text.count(":") == 1 else "" if text.endswith("Z") else "Z")


def times_in(value):
    """Times of day in an object are those of the story."""
    if isinstance(value, dict):
        return {k: times_in(v) for k, v in value.items()}
    if isinstance(value, list):
        return [times_in(v) for v in value]
    if isinstance(value, str) and re.fullmatch(r"@\d\d:\d\d(:\d\d)?", value):
        return moment(value[1:])
    return value


def merged(old, new):
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    out = dict(old)
    for key, value in new.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merged(old.get(key), value)
    return out


def without_nulls(value):
    if not isinstance(value, dict):
        return value
    return {k: without_nulls(v) for k, v in value.items() if v is not None}


def read_story(path):
    """[{at, documents, delete, expect, began, roots}]"""
    moments, text = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            m = MARK.match(line)
            if m and m.group(1) == "at":
                moments.append({"at": moment(m.group(2).strip()), "text": [], "delete": [], "expect": [], "began": [], "roots": None})
            elif m and m.group(1) == "roots":
                moments[-1]["roots"] = [] if m.group(2).strip() == "none" else m.group(2).split()
            elif m:
                moments[-1][m.group(1)].append(m.group(2).strip())
            elif moments:
                moments[-1]["text"].append(line)
    for m in moments:
        m["documents"] = [times_in(d) for d in yaml.load_all("".join(m["text"]), Loader=Loader) if d]
    return moments


class Loader(yaml.SafeLoader):
    """Times stay text."""


Loader.yaml_implicit_resolvers = {
    k: [(tag, rx) for tag, rx in v if tag != "tag:yaml.org,2002:timestamp"] for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def record(moments):
    """The lines of a recording; each moment's "world" is what is there then."""
    lines = [json.dumps({"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": moments[0]["at"], "kinds": []})]
    world = {}
    for m in moments:
        for doc in m["documents"]:
            key = "%s/%s" % (doc["kind"], doc["metadata"]["name"])
            known = key in world
            world[key] = merged(world[key], doc) if known else without_nulls(doc)
            lines.append(json.dumps({"t": m["at"], "type": "MODIFIED" if known else "ADDED", "object": copy.deepcopy(world[key])}))
        for key in m["delete"]:
            lines.append(json.dumps({"t": m["at"], "type": "DELETED", "object": world.pop(key)}))
        lines.append(json.dumps({"t": m["at"], "type": "BOOKMARK", "object": {}}))
        m["world"] = list(world.values())
    return "\n".join(lines) + "\n"


def check_dates(doc, before):
    """Since stays while the phase does, and never goes back."""
    for item in doc["items"]:
        name, phase, since = run_cases.label(item), item["phase"], item.get("since")
        was_phase, was_since = before.get(name, (None, None))
        if since and was_since and since < was_since and phase != "Deleting":
            yield "since of %s goes back from %s to %s" % (name, was_since, since)
        elif phase == was_phase and since != was_since:
            yield "since of %s moves from %s to %s within %s" % (name, was_since, since, phase)
        before[name] = (phase, since)


def check_roots(doc, wanted):
    got = sorted("%s:%s" % (r["cause"], run_cases.label(r["resource"])) for r in doc["rootCauses"])
    if got != sorted(wanted):
        yield "root causes are %s, not %s" % (got, sorted(wanted))


def check_moment(doc, m, before):
    for line in m["expect"]:
        try:
            run_cases.check("expect", re.sub(r"since=(\d\d:[0-9:]+)", lambda x: "since=" + moment(x.group(1)), line), doc)
        except run_cases.Failure as e:
            yield "%s\n      %s" % (line, e)
    if m["roots"] is not None:
        yield from check_roots(doc, m["roots"])
    yield from check_dates(doc, before)


def replay(moments):
    """What the program concludes of their recording, a document for each moment."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as f:
        f.write(record(moments))
        f.flush()
        for m in moments:
            done = subprocess.run([run_cases.PROGRAM, "--replay", f.name, "-A", "--as-of", m["at"], "-o", "json"],
                                  capture_output=True, timeout=300, check=False)
            if done.returncode != 0:
                raise run_cases.Failure("%s: exit status %d: %s" % (m["at"], done.returncode, done.stderr.decode("utf-8", "replace")))
            yield json.loads(done.stdout)


def run_story(path):
    moments, problems, before = read_story(path), [], {}
    try:
        for m, doc in zip(moments, replay(moments)):
            found = [*check_moment(doc, m, before), *unsaid.problems(doc, lambda m=m: m["world"], path)]
            problems += ["%s %s" % (m["at"][11:19], p) for p in found]
    except run_cases.Failure as e:
        return [str(e)]
    return problems


def main():
    argv = sys.argv[1:]
    stories = list(run_cases.find_cases([a for a in argv if a != "-v"] or [os.path.join(HERE, "stories")]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda path: run_cases.timed(path, run_story), stories))
    for path, problems in zip(stories, found):
        if problems:
            print("FAILED %s\n  %s" % (os.path.relpath(path), "\n  ".join(problems)))
        elif "-v" in argv:
            print("ok     %s" % os.path.relpath(path))
    failed = sum(1 for problems in found if problems)
    print("%d stories hold, %d do not" % (len(stories) - failed, failed))
    return 1 if failed or not stories else 0


if __name__ == "__main__":
    sys.exit(main())
