#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs case files: worlds in YAML with what is expected of them in comments.

    run_cases.py [-v] [PATH...]      files or folders, tests/family by default

A case is an ordinary file for -f; the comments at its top say what the program
must conclude (see CONTRIBUTING.md).  Only what is named is checked.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import time

import yaml

import results
import schema
import unsaid

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("KUBECTL_STATUS", os.path.join(HERE, "..", "kubectl-status"))
os.environ["KUBECTL_STATUS_CONFIG"] = os.devnull  # cases hold for the default thresholds
DIRECTIVE = re.compile(r"^#\s*(now|expect|expect-root|expect-roots|expect-no-root|expect-text|expect-no-text|args):\s*(.*)$")


class Failure(Exception):
    """One expectation that does not hold."""


def read_case(path):
    now, args, expectations = None, [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            m = DIRECTIVE.match(line.rstrip("\n"))
            if not m:
                continue
            word, rest = m.groups()
            if word == "now":
                now = rest.strip()
            elif word == "args":
                args = shlex.split(rest)
            else:
                expectations.append((word, rest))
    return now, args, expectations


def words(text):
    """Splits at blanks, but not within double quotes."""
    return [w for w in re.findall(r'(?:[^\s"]|"(?:\\.|[^"\\])*")+', text)]


def unquote(value):
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return json.loads(value)
    return value


def label(ref):
    return "%s/%s" % (ref.get("kind", ""), ref.get("name", ""))


def same_ref(ref, text):
    ns, sep, rest = text.partition(":")
    if sep and "/" in rest and "/" not in ns:
        if ref.get("namespace", "") != ns:
            return False
        text = rest
    kind, _, name = text.partition("/")
    kind, _, group = kind.partition(".")
    return (ref.get("kind") == kind and ref.get("name") == name and
            (not group or ref.get("group", ref.get("apiVersion", "").rpartition("/")[0]) == group))


def find_item(doc, text):
    short = {"CSV": "ClusterServiceVersion"}
    kind, _, name = text.partition("/")
    text = "%s/%s" % (short.get(kind, kind), name)
    hits = [i for i in doc["items"] if same_ref(i, text)]
    if len(hits) != 1:
        raise Failure("%d items match %s; there are %s" % (len(hits), text, ", ".join(map(label, doc["items"]))))
    return hits[0]


def dig(item, path):
    for part in path.split("."):
        if not isinstance(item, dict):
            return None
        item = item.get(part)
    return item


def has(what, found, text):
    if not found:
        raise Failure("no %s" % text)


def check_wait(item, value, _):
    state, _, ref = value.partition(":")
    waits = item.get("waits", [])
    if not any(w["state"] == state and same_ref(w["on"], ref) for w in waits):
        raise Failure("wait=%s, but waits are %s" % (value, ["%s:%s" % (w["state"], label(w["on"])) for w in waits] or "none"))


def check_waits(item, value, _):
    waits = item.get("waits", [])
    if len(waits) != int(value):
        raise Failure("waits=%s, but waits are %s" % (value, ["%s:%s" % (w["state"], label(w["on"])) for w in waits]))


# Of the member found: absent is not there or not known, missing and unknown say which.
FOUND = {"found": (True,), "missing": (False,), "unknown": (None,), "absent": (False, None)}


def check_dep(item, value, _):
    relation, _, rest = value.partition(":")
    ref, sep, found = rest.rpartition(":")
    if not sep or found not in FOUND:
        ref, found = rest, None
    deps = item.get("dependencies", [])
    for d in deps:
        if d["relation"] == relation and same_ref(d["on"], ref) and (found is None or d.get("found") in FOUND[found]):
            return
    raise Failure("dep=%s, but dependencies are %s" % (value, ["%s:%s:%s" % (d["relation"], label(d["on"]), next(word for word in FOUND if d.get("found") in FOUND[word])) for d in deps]))


def check_via(item, value, _):
    ref, _, path = value.partition(":")
    vias = [d["via"] for d in item.get("dependencies", []) if same_ref(d["on"], ref)]
    if path not in vias:
        raise Failure("via=%s, but it is referred to by %s" % (value, vias))


def check_nodep(item, value, _):
    relation, _, ref = value.partition(":")
    for d in item.get("dependencies", []):
        if d["relation"] == relation and same_ref(d["on"], ref):
            raise Failure("nodep=%s, but it is there" % value)


def check_flag(item, value, _):
    if value not in item.get("flags", []):
        raise Failure("flag=%s, but flags are %s" % (value, item.get("flags", [])))


def check_noflag(item, value, _):
    if value in item.get("flags", []):
        raise Failure("flag %s is set" % value)


def decided_by(item):
    return next((b["what"] for b in item.get("because", []) if b["role"] == "decides"), None)


def because_problems(item):
    """What a verdict rests on: one fact decides, it stands first, and there are at most eight."""
    roles = [b["role"] for b in item.get("because", [])]
    if ("rule" in item or "cause" in item) and (roles[:1] != ["decides"] or roles.count("decides") != 1 or len(roles) > 8):
        yield "%s: because has the roles %s" % (label(item.get("resource", item)), roles)


def check_because(item, value, _):
    """What decided; "agrees:WHAT" and "overruled:WHAT" are looked for behind it."""
    role, sep, what = value.partition(":")
    if sep and role in ("agrees", "overruled"):
        if {"role": role, "what": what} not in [{"role": b["role"], "what": b["what"]} for b in item.get("because", [])]:
            raise Failure("because=%s, but it is %s" % (value, item.get("because")))
    elif decided_by(item) != value:
        raise Failure("because=%s, but %r decided" % (value, decided_by(item)))


def check_because_contains(item, value, _):
    if value not in (decided_by(item) or ""):
        raise Failure("because~=%s, but %r decided" % (value, decided_by(item)))


def check_root(item, value, doc):
    cause, _, ref = value.partition(":")
    if not any(same_ref(r, ref) for r in item.get("rootCauses", [])):
        raise Failure("root=%s, but root causes are %s" % (value, [label(r) for r in item.get("rootCauses", [])]))
    if not any(r["cause"] == cause and same_ref(r["resource"], ref) for r in doc["rootCauses"]):
        raise Failure("root=%s, but the document says %s" % (value, [(r["cause"], label(r["resource"])) for r in doc["rootCauses"]]))


def check_roots(item, value, _):
    if len(item.get("rootCauses", [])) != int(value):
        raise Failure("roots=%s, but root causes are %s" % (value, [label(r) for r in item.get("rootCauses", [])]))


def check_finalizer(item, value, _):
    name, _, state = value.rpartition(":")
    held = dig(item, "deletion.finalizers") or []
    if not any(f["name"] == name and f["state"] == state for f in held):
        raise Failure("finalizer=%s, but there are %s" % (value, held))


def check_blocked_by(item, value, _):
    blocked = dig(item, "deletion.blockedBy") or []
    if not any(same_ref(b, value) for b in blocked):
        raise Failure("blockedBy=%s, but it is %s" % (value, [label(b) for b in blocked]))


def check_version(item, value, _):
    v = item.get("version", {})
    shown = "%s -> %s" % (v["from"], v.get("to", "")) if v.get("from") else v.get("to", "")
    if shown != value:
        raise Failure("version=%r, but it is %r" % (value, shown))


def check_history(item, value, _):
    shown = [h["what"] for h in item.get("history", [])]
    if shown != value.split(","):
        raise Failure("history=%s, but it is %s" % (value, shown))


def check_shared(cause, value, _):
    """THING:BROKEN/OF:HEALTHY/OF, where the thing is Kind/name, or an image or label as it is."""
    found = ["%s:%d/%d:%d/%d" % (s.get("image") or s.get("label") or label(s["on"]), s["broken"], s["of"], s["healthy"], s["ofHealthy"])
             for s in cause.get("shared", [])]
    if value not in found and (value, found) != ("none", []):
        raise Failure("shared=%s, but it is %s" % (value, found))


def check_changed(cause, value, _):
    """Kind/name:WHAT:BY:PATH,PATH of all changes in their order, with ; between them; who and which may be empty."""
    found = ";".join("%s:%s:%s:%s" % (label(c["resource"]), c["what"], c.get("by", ""), ",".join(f["path"] for f in c.get("fields", [])))
                     for c in cause.get("changed", [])) or "none"
    if value != found:
        raise Failure("changed=%s, but it is %s" % (value, found))


ROOT_SPECIAL = {"shared": check_shared, "changed": check_changed}
SPECIAL = {"wait": check_wait, "waits": check_waits, "dep": check_dep, "via": check_via, "nodep": check_nodep, "flag": check_flag,
           "noflag": check_noflag, "root": check_root, "roots": check_roots, "finalizer": check_finalizer,
           "blockedBy": check_blocked_by, "version": check_version, "history": check_history, "because": check_because, "because~": check_because_contains}


def check_plain(where, key, value):
    contains = key.endswith("~")
    actual = dig(where, key.rstrip("~"))
    text = "" if actual is None else ("true" if actual else "false") if isinstance(actual, bool) else str(actual)
    if contains and value not in text or not contains and text != value:
        raise Failure("%s%s%s, but it is %r" % (key.rstrip("~"), " contains " if contains else "=", value, text))


def check_pairs(where, doc, pairs):
    for pair in pairs:
        key, sep, value = pair.partition("=")
        if not sep:
            raise Failure("not key=value: %s" % pair)
        value = unquote(value)
        special = SPECIAL if "apiVersion" in where else ROOT_SPECIAL
        if key in special:
            special[key](where, value, doc)
        else:
            check_plain(where, key, value)


def check(word, rest, doc):
    parts = words(rest)
    if word == "expect":
        check_pairs(find_item(doc, parts[0]), doc, parts[1:])
    elif word == "expect-roots":
        if len(doc["rootCauses"]) != int(parts[0]):
            raise Failure("%s root causes expected, there are %s" % (parts[0], [(r["cause"], label(r["resource"])) for r in doc["rootCauses"]]))
    else:
        cause, _, ref = parts[0].partition(":")
        hits = [r for r in doc["rootCauses"] if r["cause"] == cause and same_ref(r["resource"], ref)]
        if word == "expect-no-root":
            if hits:
                raise Failure("root cause %s is there" % parts[0])
            return
        if len(hits) != 1:
            raise Failure("%d root causes match %s; there are %s" % (len(hits), parts[0], [(r["cause"], label(r["resource"])) for r in doc["rootCauses"]]))
        check_pairs(hits[0], doc, parts[1:])


def check_text(command, word, rest):
    """expect-text: FORMAT "words": in what -o FORMAT (or --problems) prints, blanks counted as one."""
    form, wanted = words(rest)[0], unquote(rest.split(None, 1)[1].strip())
    how = ["--problems"] if form == "problems" else ["-o", *form.split(",")]
    done = subprocess.run(command + how, capture_output=True, timeout=300, check=False)
    text = " ".join(done.stdout.decode("utf-8", "replace").split())
    if (" ".join(wanted.split()) in text) != (word == "expect-text"):
        raise Failure("%s says: %s" % (form, text[:3000]))


def run_case(path):
    """The problems of a case, none when it passes."""
    now, args, expectations = read_case(path)
    if not expectations:
        return ["expects nothing"]
    world = [PROGRAM, "-f", path] + (["--as-of", now] if now else []) + args
    command = world + ["-o", "json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return ["hangs"]
    if done.returncode != 0:
        return ["exit status %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace").strip()[:2000])]
    try:
        doc = json.loads(done.stdout)
        wrong = ["docs/status.schema.json: " + w for w in schema.problems(doc)] + [w for item in doc["items"] + doc["rootCauses"] for w in because_problems(item)]
        wrong += unsaid.problems(doc, lambda: documents(path), path)
        if wrong:
            return wrong
    except ValueError as e:
        return ["prints no JSON: %s" % e]
    problems = []
    for word, rest in expectations:
        try:
            if word.endswith("-text"):
                check_text(world, word, rest)
            else:
                check(word, rest, doc)
        except Failure as e:
            problems.append("%s: %s\n    %s" % (word, rest, e))
    return problems


def timed(path, run, name=None):
    """The problems that run(path) finds, which are a result of the test run."""
    began = time.monotonic()
    problems = run(path)
    results.add(name or os.path.relpath(path), "failed" if problems else "passed", time.monotonic() - began)
    return problems


def documents(path):
    """What is in a case."""
    with open(path, encoding="utf-8") as f:
        return list(yaml.load_all(f, unsaid.LOADER))


def find_cases(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith((".yaml", ".json")))


def main():
    argv = sys.argv[1:]
    verbose = "-v" in argv
    cases = list(find_cases([a for a in argv if a != "-v"] or [os.path.join(HERE, "family")]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda path: timed(path, run_case), cases))
    failed = 0
    for path, problems in zip(cases, found):
        if problems:
            failed += 1
            print("FAILED %s" % os.path.relpath(path))
            for p in problems:
                print("  " + p)
        elif verbose:
            print("ok     %s" % os.path.relpath(path))
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
