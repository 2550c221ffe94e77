#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes down what the program concludes of every object that the tests have, and shows what two such files say differently.

    verdicts.py [--corpus DIR] [PATH...]        prints the table; a summary goes to the standard error
    verdicts.py --diff OLD NEW [--without COLUMN,COLUMN]

The table has a line for every object of
  cases         tests/family/**/*.yaml, each with its "# now:" and "# args:"
  words         the rows of tests/family/*/reasons.tsv
  examples      those of kube/rules/*.yaml, each alone
  stories       tests/stories/**/*.yaml, at each of their moments
  recordings    *.jsonl.gz of tests/operators, tests/recordings and demo, at each moment at which something was written
  a corpus      the folder that --corpus or VERDICTS_CORPUS names: the same by the ending, and *.jsonl with an object in each line:
                {"id", "object", "asOf", and what is expected: "expected" (as in score.py) or "phases", and perhaps "severity"}
PATH...: only what these files and folders hold.

Columns are between tabs and the lines are sorted, so that two tables can be compared by any tool. Of a story or a recording an object
has a line for each moment from which on something else was concluded of it; "gone" is the phase of one that was deleted.  What is
expected of an object, where that is known, stands in the last two columns.

--diff compares at each moment what held then. It groups what changed by the rule that decided in NEW (numbers in it are one group),
and its exit status is 1 when something changed.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import datetime
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

import run_cases
import run_reasons
import run_stories
import score

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
sys.path.append(os.path.join(HERE, "operators"))
import judge  # noqa: E402

NOW = run_reasons.NOW
VERDICT = ("phase", "severity", "since", "operatorPhase", "reason", "message", "rule", "waits", "causes", "recovery")
COLUMNS = ("source", "moment", "kind", "name", *VERDICT, "expectedPhase", "expectedSeverity")
Row = collections.namedtuple("Row", COLUMNS)
GONE, NOT_SHOWN, NO_ANSWER = "gone", "not shown", "no answer"     # in the place of a phase
Expected = collections.namedtuple("Expected", "phase severity", defaults=("", ""))     # alternatives between |; "~x": contains x
LONGEST = 200   # characters of a cell that --diff prints


def cell(value):
    """The text of a cell: without tabs, ends of lines and control characters."""
    text = "" if value is None else str(value)
    return "".join(c if c.isprintable() and c != "\\" else c.encode("unicode_escape").decode() for c in text)


def kind_of(thing, group):
    return thing["kind"] + ("." + group if group else "")


def name_of(thing):
    name = "%s/%s" % (thing["namespace"], thing["name"]) if thing.get("namespace") else thing["name"]
    return "%s:%s" % (thing["cluster"], name) if thing.get("cluster") else name


def reference(ref):
    return "%s/%s" % (kind_of(ref, ref.get("group")), name_of(ref))


def wait_text(wait):
    return "%s:%s" % (wait["state"], reference(wait["on"])) + (" via %s" % wait["via"] if wait.get("via") else "")


def row_of(source, moment, item, expected=Expected()):
    listed = {"waits": ", ".join(map(wait_text, item.get("waits", ()))), "causes": ", ".join(map(reference, item.get("rootCauses", ())))}
    values = (listed[c] if c in listed else item.get(c) for c in VERDICT)
    kind = kind_of(item, item["apiVersion"].rpartition("/")[0])
    return Row(*map(cell, (source, moment, kind, name_of(item), *values, *expected)))


def empty_row(source, moment, kind, name, phase, **more):
    """Of an object that nothing is concluded of."""
    return Row(*map(cell, (source, moment, kind, name)), **{c: cell(more.get(c, phase if c == "phase" else "")) for c in COLUMNS[4:]})


def ask(*arguments, text=None):
    """What the program prints; Failure when it ends with an error."""
    done = subprocess.run([run_cases.PROGRAM, *arguments], input=text, capture_output=True, encoding="utf-8", errors="replace",
                          timeout=120, check=False)
    if done.returncode:
        raise run_cases.Failure("exit status %d: %s" % (done.returncode, done.stderr.strip()[:500]))
    return done.stdout


# -- files of objects -----------------------------------------------------------


def expectations(path):
    """Of a case: the object's name in it, and what is expected."""
    for word, rest in run_cases.read_case(path)[2]:
        pairs = [pair.partition("=") for pair in run_cases.words(rest)[1:]] if word == "expect" else ()
        wanted = {key.rstrip("~"): ("~" if key.endswith("~") else "") + run_cases.unquote(value) for key, _, value in pairs}
        if "phase" in wanted or "severity" in wanted:
            name = run_cases.words(rest)[0]
            yield re.sub("^CSV/", "ClusterServiceVersion/", name), Expected(wanted.get("phase", ""), wanted.get("severity", ""))


def case_rows(source, path):
    now, args, _ = run_cases.read_case(path)
    now = now or NOW
    items = json.loads(ask("-f", path, "--as-of", now, *args, "-o", "json"))["items"]
    rows = [row_of(source, now, item) for item in items]
    for name, wanted in expectations(path):
        found = [i for i, item in enumerate(items) if run_cases.same_ref(item, name)]
        for i in found:
            rows[i] = rows[i]._replace(**{c: cell(w) for c, w in zip(COLUMNS[-2:], wanted) if w})
        if not found:
            kind, _, rest = name.partition("/")
            rows.append(empty_row(source, now, kind, rest, NOT_SHOWN, expectedPhase=wanted.phase, expectedSeverity=wanted.severity))
    return rows


def object_rows(source, obj, now, expected):
    """Of an object that is alone in its world."""
    obj.setdefault("metadata", {}).setdefault("name", "object")
    items = json.loads(ask("-f", "-", "--as-of", now, "-o", "json", text=json.dumps(obj)))["items"]
    found = [i for i in items if (i["kind"], i["name"]) == (obj["kind"], obj["metadata"]["name"])][:1]
    return [row_of(source, now, item, expected) for item in found] or [
        empty_row(source, now, obj["kind"], obj["metadata"]["name"], NOT_SHOWN, expectedPhase=expected.phase,
                  expectedSeverity=expected.severity)]


def each_example(source, path):
    """The jobs of a file of rules: what read_example() in kube/family/rules/rules_file.c makes of each example."""
    with open(path, encoding="utf-8") as text:
        rules = yaml.load(text, Loader=run_stories.Loader)
    for example in rules.get("examples", ()):
        obj = example["object"]
        obj.setdefault("apiVersion", rules["groups"][0].removeprefix("*.") + "/v1")
        obj.setdefault("metadata", {"name": "example", "namespace": "default", "generation": 1, "creationTimestamp": "2026-11-20T08:00:00Z"})
        yield ("%s#%s" % (source, example["name"]), object_rows, obj, example.get("asOf", NOW),
               Expected(example["phase"], example.get("severity", "")))


def each_line(source, path):
    """The jobs of a file with an object in each line."""
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            entry = json.loads(line)
            phases = set(entry.get("phases") or score.SAME.get(entry.get("expected"), ()))
            if phases and entry["object"].get("metadata", {}).get("deletionTimestamp"):
                phases.add("Deleting")
            yield ("%s#%s" % (source, entry.get("id", number)), object_rows, entry["object"], entry.get("asOf", NOW),
                   Expected("|".join(sorted(phases)), "|".join(sorted(entry.get("severity", ())))))


def word_rows(source, row):
    items = json.loads(ask("-f", "-", "-A", "--as-of", NOW, "-o", "json", text=row.world))["items"]
    expected = Expected(row.meaning["phase"], row.meaning["severity"])
    return [row_of(source, NOW, i, expected if i["name"] == row.name else Expected()) for i in items]


def each_word(source, path):
    for row in run_reasons.read_table(path):
        yield "%s#%d" % (source, row.number), word_rows, row


# -- recordings -----------------------------------------------------------------

MARK = "Moment.verdicts.test"


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def time_text(time):
    return time.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def mark(time, moment, first):
    kind, _, group = MARK.partition(".")
    return json.dumps({"t": time_text(time), "type": "ADDED" if first else "MODIFIED", "object": {
        "apiVersion": group + "/v1", "kind": kind, "metadata": {"name": "now", "uid": "verdicts-test-now"},
        "status": {"conditions": [{"type": "Ready", "status": "True", "message": time_text(moment)}]}}}) + "\n"


def marked(lines):
    """
    A recording with a mark behind each of its moments.  --watch says what changed, but not when: the mark is an object of its own that
    changes a millisecond later, unless the next moment is there.
    """
    now, first = None, True
    for line in lines:
        text = json.loads(line).get("t")
        time = time_of(text) if text else now
        if now and time and time > now + datetime.timedelta(milliseconds=1):
            yield mark(now + datetime.timedelta(milliseconds=1), now, first)
            first = False
        now = time
        yield line
    if now:
        yield mark(now + datetime.timedelta(milliseconds=1), now, first)


def changes(lines):
    """(moment, items) of a recording: what was said anew at each of its moments."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as f:
        f.writelines(marked(lines))
        f.flush()
        told = ask("--replay", f.name, "-A", "-w", "-o", "json")
    group, moment = [], ""
    for line in told.splitlines():
        item = json.loads(line)
        if kind_of(item, item["apiVersion"].partition("/")[0]) == MARK:
            moment = item["conditions"][0]["message"]
            yield moment, group
            group = []
        else:
            group.append(item)
    yield moment, group     # what the end of the recording changes


def recording_rows(source, lines, truth=()):
    """A row for each moment from which on something else is concluded of an object; truth: judge.py's, of the end."""
    rows, last, items = [], {}, {}
    for moment, group in changes(lines):
        now = {}
        for item in group:
            row = row_of(source, moment, item)
            key = (row.kind, row.name)
            if item["event"] == "DELETED":
                items.pop(key, None)
                row = empty_row(source, moment, *key, GONE)
            else:
                items[key] = item
            now[key] = row
        for key, row in now.items():
            if key not in last or row[4:] != rows[last[key]][4:]:
                last[key] = len(rows)
                rows.append(row)
    for row in truth:
        for key, item in items.items() if row.phases != GONE else ():
            if judge.matches(item, row):
                rows[last[key]] = rows[last[key]]._replace(expectedPhase=row.phases, expectedSeverity=row.severities.strip("-"))
    return rows


def story_rows(source, path):
    return recording_rows(source, run_stories.record(run_stories.read_story(path)).splitlines(True))


def world_rows(source, path):
    with gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as lines:
        return recording_rows(source, lines, judge.rows(judge.pathlib.Path(path).with_name("truth.tsv"), judge.Truth))


# -- the table --------------------------------------------------------------------


def jobs_of(source, path):
    """(source, function, arguments): what makes the rows of a file; none where it holds no objects."""
    if path.endswith("reasons.tsv"):
        yield from each_word(source, path)
    elif path.endswith(".jsonl.gz"):
        yield source, world_rows, path
    elif path.endswith(".jsonl"):
        with open(path, encoding="utf-8") as lines:
            recorded = json.loads(lines.readline() or "{}").get("kind") == "Recording"
        yield from [(source, world_rows, path)] if recorded else each_line(source, path)
    elif path.endswith((".yaml", ".yml", ".json")):
        with open(path, encoding="utf-8") as text:
            head = text.read(65536)
        if re.search(r"^kind: Rules$", head, re.M):
            yield from each_example(source, path)
        elif re.search(r"^# at:", head, re.M):
            yield source, story_rows, path
        elif re.search(r"""\bkind["']?:""", head):
            yield source, case_rows, path


def files_below(path):
    if os.path.isfile(path):
        yield path
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names))


TREE = ("tests/family", "tests/stories", "tests/recordings", "demo", "kube/rules")


def source_of(file, path):
    """The name of a file below a path: from the top of the tree, elsewhere without what is above the path."""
    source = os.path.relpath(file, TOP)
    return os.path.relpath(file, os.path.dirname(os.path.abspath(path))) if source.startswith("..") else source


def all_jobs(paths, corpus):
    if not paths:
        paths = [os.path.join(TOP, p) for p in TREE] + [os.path.join(HERE, "operators", w, "recording.jsonl.gz") for w in judge.recorded()]
    for path in paths:
        for file in files_below(path):
            yield from jobs_of(source_of(file, path), file)
    for file in files_below(corpus) if corpus else ():
        yield from jobs_of(os.path.join("corpus", os.path.relpath(file, corpus)), file)


def rows_of(job):
    source, function, *arguments = job
    try:
        return function(source, *arguments)
    except (run_cases.Failure, subprocess.TimeoutExpired) as e:
        return [empty_row(source, "", "", "", NO_ANSWER, message=str(e))]


def make_table(paths, corpus):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return sorted(row for rows in pool.map(rows_of, all_jobs(paths, corpus)) for row in rows)


# -- what is expected -------------------------------------------------------------


def fits(value, expected):
    return not expected or (expected[1:] in value if expected.startswith("~") else value in expected.split("|"))


def verdict_on(row):
    """(the phase is right, the severity is, something broken is shown as Ready)"""
    broken = row.phase == "Ready" and not fits("Ready", row.expectedPhase)
    return fits(row.phase, row.expectedPhase), fits(row.severity, row.expectedSeverity), broken


def file_of(row):
    """The file of many objects, or the folder of files of one world each."""
    file, sign, _ = row.source.partition("#")
    return file if file.endswith((".gz", ".jsonl")) else os.path.dirname(file)


def summarize(rows):
    """What is expected and came out, by file."""
    sums = collections.defaultdict(collections.Counter)
    for row in rows:
        if row.expectedPhase or row.expectedSeverity:
            phase, severity, broken = verdict_on(row)
            for name in {file_of(row), "all of the corpus" if row.source.startswith("corpus/") else "all of the tests"}:
                sums[name].update(n=1, phase=phase, both=phase and severity, broken=broken)
    yield "%7s  %7s  %15s  %15s  %s" % ("objects", "phase", "phase, severity", "broken as Ready", "of")
    for name, s in sorted(sums.items(), key=lambda x: (x[0].startswith("all "), x[0])):
        yield "%7d  %7d  %15d  %15d  %s" % (s["n"], s["phase"], s["both"], s["broken"], name)
    yield "%d lines of %d files" % (len(rows), len({row.source.partition("#")[0] for row in rows}))


# -- the difference ---------------------------------------------------------------


def read_table(path):
    """{(source, kind, name): its rows by moment}"""
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            cells = line.rstrip("\n").split("\t")
            if len(cells) != len(COLUMNS):
                sys.exit("%s:%d: %d columns, not %d" % (path, number, len(cells), len(COLUMNS)))
            if not line.startswith("#"):
                row = Row(*cells)
                found[row.source, row.kind, row.name].append(row)
    if not found:
        sys.exit("%s: it has no lines" % path)
    return found


def differences(old, new, compared):
    """(moment, row before, row after) where they differ; None: the table does not have the object then."""
    for key in sorted({*old, *new}):
        before, after = old.get(key, []), new.get(key, [])
        twice = any(a.moment == b.moment for rows in (before, after) for a, b in zip(rows, rows[1:]))
        if twice:       # objects that cannot be told apart: by their place
            pairs = [(b and b.moment or a.moment, a, b) for a, b in zip(before + [None] * len(after), after + [None] * len(before)) if a or b]
        else:
            pairs = at_each_moment(before, after)
        yield from ((m, a, b) for m, a, b in pairs if not a or not b or any(getattr(a, c) != getattr(b, c) for c in compared))


def at_each_moment(before, after):
    """What the one and the other table say at each moment at which one of them says something new."""
    held = [None, None]
    tables = [{row.moment: row for row in rows} for rows in (before, after)]
    for moment in sorted({*tables[0], *tables[1]}):
        held = [table.get(moment, was) for table, was in zip(tables, held)]
        yield moment, *held


def short(text):
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"


def difference_text(moment, a, b, compared):
    row = b or a
    what = ["%s %s → %s" % (c, short(getattr(a, c)) or "-", short(getattr(b, c)) or "-")
            for c in compared if getattr(a, c) != getattr(b, c)] if a and b else [
                "%s: %s" % ("only in NEW" if b else "only in OLD", short(" ".join(filter(None, (row.phase, row.severity, row.reason, row.message)))))]
    expected = " ".join(filter(None, row[-2:]))
    return "%s %s %s %s: %s%s" % (row.source, moment, row.kind, row.name, "; ".join(what), " [expected %s]" % expected if expected else "")


def group_of(b):
    return re.sub(r"\d+", "N", b.rule) or "(no rule)" if b else "(only in OLD)"


def show_differences(old, new, without):
    compared = [c for c in VERDICT if c not in without]
    old, new = read_table(old), read_table(new)
    groups, columns, expected = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for moment, a, b in differences(old, new, compared):
        groups[group_of(b)].append(difference_text(moment, a, b, compared))
        columns.update((c for c in compared if getattr(a, c) != getattr(b, c)) if a and b else ["only in NEW" if b else "only in OLD"])
        if a and b and b.expectedPhase:
            was, now = verdict_on(a), verdict_on(b)
            expected["now right"] += now[0] > was[0]
            expected["now wrong"] += now[0] < was[0]
            expected["broken now shown as Ready"] += now[2] > was[2]
    print("%d changed of %d: %s" % (sum(map(len, groups.values())), sum(map(len, new.values())),
                                    ", ".join("%s %d" % x for x in columns.most_common()) or "nothing"))
    print("phase against what is expected: %s\n" % ", ".join(
        "%d %s" % (expected[x], x) for x in ("now right", "now wrong", "broken now shown as Ready")))
    by_size = sorted(groups.items(), key=lambda x: (-len(x[1]), x[0]))
    for rule, lines in by_size:
        print("%7d  %s" % (len(lines), short(rule)))
    for rule, lines in by_size:
        print("\n== %d: %s" % (len(lines), short(rule)))
        print("\n".join(lines))
    return 1 if groups else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", nargs="*", help="only these files and folders")
    parser.add_argument("--corpus", default=os.environ.get("VERDICTS_CORPUS"), help="a folder of more objects")
    parser.add_argument("--diff", nargs=2, metavar=("OLD", "NEW"), help="show what two tables say differently")
    parser.add_argument("--without", default="", metavar="COLUMN,...", help="columns that --diff does not compare")
    options = parser.parse_args()
    if options.diff:
        without = set(filter(None, options.without.split(",")))
        if without - set(VERDICT):
            parser.error("--without: the columns are %s" % ", ".join(VERDICT))
        return show_differences(*options.diff, without)
    if options.corpus and not os.path.isdir(options.corpus):
        parser.error("%s is no folder" % options.corpus)
    rows = make_table(options.path, options.corpus if not options.path else None)
    print("#" + "\t".join(COLUMNS))
    for row in rows:
        print("\t".join(row))
    print("\n".join(summarize(rows)), file=sys.stderr)
    bad = [row for row in rows if row.phase == NO_ANSWER]
    for row in bad:
        print("%s: %s" % (row.source, row.message), file=sys.stderr)
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
