#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judge.py [ONE...]: plays the recordings of the worlds and compares with what is true of them.

Three questions are asked of each world (README.md has the tables' columns):
  truth.tsv     what is concluded at the recording's end,
  moments.tsv   what was concluded at moments in between (--as-of),
  changes       of truth.tsv: how often an object's phase changes, event by event.
A disagreement that known.tsv lists is known; any other is an error, and so is a line of known.tsv that agrees meanwhile.

    --renew-known  writes known.tsv: lines that agree now go, new ones come with what is said and what it should be
    --events       prints each object's sequence of phases
"""
import argparse
import collections
import concurrent.futures
import datetime
import fnmatch
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import results  # noqa: E402

PROGRAM = os.environ.get("KUBECTL_STATUS") or str(HERE.parents[1] / "build" / "kubectl-status")

Truth = collections.namedtuple("Truth", "kind namespace name phases severities cause changes why")
Moment = collections.namedtuple("Moment", "when kind namespace name phases severities why")
Known = collections.namedtuple("Known", "world kind namespace name what why")
Wrong = collections.namedtuple("Wrong", "world kind namespace name what said should seen")


def rows(path, row):
    """The lines of a table; what a line lacks at its end is "-"."""
    if not path.exists():
        return []
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) > len(row._fields) or len(cells) < 4:
                raise SystemExit(f"{path}:{number}: {len(cells)} columns, not {len(row._fields)} ({', '.join(row._fields)})")
            found.append(row(*cells, *["-"] * (len(row._fields) - len(cells))))
    return found


def beginning(recording):
    """When a recording began, in seconds since 1970."""
    with gzip.open(recording, "rt") as lines:
        text = json.loads(next(lines))["startedAt"]
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def play(recording, *more):
    """What the program prints of a recording."""
    done = subprocess.run([PROGRAM, "--replay", str(recording), "-A", "-o", "json", *more],
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"{recording} {' '.join(more)}: exit status {done.returncode}: {done.stderr.strip()[:500]}")
    return done.stdout


def is_kind(item, kind):
    return kind in (item["kind"], item["kind"] + "." + item.get("apiVersion", "").rpartition("/")[0])


def matches(item, row):
    return (is_kind(item, row.kind) and (item.get("namespace") or "-") == row.namespace
            and fnmatch.fnmatchcase(item["name"], row.name))


def seen(item):
    """Why the program says so, for people."""
    return f"{item.get('rule', '')}; {item.get('reason') or ''}: {(item.get('message') or '')[:160]!r}"


class World:
    """The judgement of one world."""

    def __init__(self, name, folder, recording=None):
        self.name, self.folder = name, pathlib.Path(folder)
        self.recording = pathlib.Path(recording or self.folder / "recording.jsonl.gz")
        self.truth = rows(self.folder / "truth.tsv", Truth)
        self.moments = rows(self.folder / "moments.tsv", Moment)
        self.wrong, self.asked = [], collections.Counter()
        self.green = self.alarms = 0
        self.seconds = 0    # that the judgement took

    def judge(self):
        began = time.monotonic()
        self.judge_end()
        self.judge_moments()
        self.judge_changes()
        self.seconds = time.monotonic() - began
        return self

    def disagree(self, row, name, what, said, should, item):
        self.wrong.append(Wrong(self.name, row.kind, row.namespace, name, what, said, should, seen(item) if item else ""))

    # -- the end ---------------------------------------------------------------

    def judge_end(self):
        items = json.loads(play(self.recording))["items"]
        for row in self.truth:
            found = [i for i in items if matches(i, row)]
            if row.phases == "gone":
                self.asked["objects"] += 1
                for item in found:
                    self.disagree(row, item["name"], "phase", item["phase"], "gone", item)
                continue
            if not found:
                self.asked["objects"] += 1
                self.disagree(row, row.name, "phase", "not in items", row.phases, None)
            for item in found:
                self.asked["objects"] += 1
                self.judge_item(row, item, "")
                self.judge_cause(row, item)

    def judge_item(self, row, item, at):
        """Phase and severity; at: " at MOMENT", or nothing at the end."""
        severity = item.get("severity", "none")
        if item["phase"] not in row.phases.split("|"):
            self.green += item["phase"] == "Ready"
            self.disagree(row, item["name"], "phase" + at, item["phase"], row.phases, item)
        if row.severities != "-" and severity not in row.severities.split("|"):
            self.alarms += row.severities == "none"
            self.disagree(row, item["name"], "severity" + at, severity, row.severities, item)

    def judge_cause(self, row, item):
        causes = [f"{c.get('kind')}/{c.get('name')}" for c in item.get("rootCauses", ())]
        if row.cause == "none" and causes:
            self.disagree(row, item["name"], "cause", ", ".join(causes), "none", item)
        elif row.cause not in ("-", "none") and not any(fnmatch.fnmatchcase(c, p) for c in causes for p in row.cause.split("|")):
            self.disagree(row, item["name"], "cause", ", ".join(causes) or "none", row.cause, item)

    # -- moments ---------------------------------------------------------------

    def marks(self):
        path = self.folder / "marks.tsv"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
        return {label: float(at) for label, at in (line.split("\t") for line in lines if not line.startswith("#"))}

    def time_of(self, when):
        """A moment as RFC 3339: seconds since the beginning, or a label with +N or -N."""
        marks = self.marks()
        label, sign, offset = when, "", "0"
        for one in "+-":
            if one in when[1:]:
                label, sign, offset = when.rpartition(one)
                break
        if label in marks:
            seconds = marks[label] + float(sign + offset)
        else:
            try:
                seconds = float(when)
            except ValueError:
                raise SystemExit(f"{self.folder}/moments.tsv: {when}: no number, and marks.tsv has no such label") from None
        at = datetime.datetime.fromtimestamp(beginning(self.recording) + seconds, datetime.timezone.utc)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def judge_moments(self):
        played = {}
        for row in self.moments:
            if row.when not in played:
                played[row.when] = json.loads(play(self.recording, "--as-of", self.time_of(row.when)))["items"]
            found = [i for i in played[row.when] if matches(i, row)]
            self.asked["moments"] += 1
            at = f" at {row.when}"
            if row.phases == "gone":
                for item in found:
                    self.disagree(row, item["name"], "phase" + at, item["phase"], "gone", item)
            elif not found:
                self.disagree(row, row.name, "phase" + at, "not in items", row.phases, None)
            else:
                for item in found:
                    self.judge_item(row, item, at)

    # -- event by event --------------------------------------------------------

    def sequences(self):
        """Each object's phases one after the other, as (item, phases)."""
        found = {}
        for line in play(self.recording, "-w").splitlines():
            item = json.loads(line)
            key = item.get("uid") or (item["apiVersion"], item["kind"], item.get("namespace"), item["name"])
            phases = found.setdefault(key, (item, []))[1]
            if item["event"] != "DELETED" and (not phases or phases[-1] != item["phase"]):
                phases.append(item["phase"])
        return list(found.values())

    def judge_changes(self):
        sequences = self.sequences()
        for row in self.truth:
            if row.changes == "-":
                continue
            for item, phases in sequences:
                if matches(item, row):
                    self.asked["sequences"] += 1
                    if len(phases) - 1 > int(row.changes):
                        self.disagree(row, item["name"], "changes", f"{len(phases) - 1} ({shortened(phases)})",
                                      f"at most {row.changes}", None)

    def summary(self):
        asked = ", ".join(f"{count} {what}" for what, count in self.asked.items())
        return (f"{self.name}: {len(self.wrong)} disagreements of {asked}; broken shown as Ready {self.green}, "
                f"healthy with a severity {self.alarms}")


def shortened(phases, most=8):
    text = " → ".join(phases[:most])
    return text + (" → …" if len(phases) > most else "")


def known():
    """What is known to disagree."""
    return rows(HERE / "known.tsv", Known)


def is_known(line, wrong):
    return (line.world, line.kind, line.namespace, line.what) == (wrong.world, wrong.kind, wrong.namespace, wrong.what) \
        and fnmatch.fnmatchcase(wrong.name, line.name)


def renew_known(worlds):
    """Write known.tsv for these worlds; what it says of others, and of what still disagrees, stays."""
    path, judged = HERE / "known.tsv", {w.name: w for w in worlds}
    comments = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    lines = [line for line in known() if line.world not in judged or any(is_known(line, w) for w in judged[line.world].wrong)]
    for world in worlds:
        lines += [Known(w.world, w.kind, w.namespace, w.name, w.what, f"{w.said}, should be {w.should}")
                  for w in world.wrong if not any(is_known(line, w) for line in lines)]
    path.write_text("\n".join(comments + ["\t".join(line) for line in sorted(lines)]) + "\n", encoding="utf-8")


def report(worlds):
    """Print what disagrees; the exit status."""
    lines, all_bad = known(), 0
    for world in worlds:
        bad = 0
        here = [line for line in lines if line.world == world.name]
        for w in world.wrong:
            if any(is_known(line, w) for line in here):
                continue
            bad += 1
            where = "" if w.namespace == "-" else f" -n {w.namespace}"
            print(f"{w.world}: {w.kind}/{w.name}{where}: {w.what} {w.said}, should be {w.should}" + (f" [{w.seen}]" if w.seen else ""))
        for line in here:
            if not any(is_known(line, w) for w in world.wrong):
                bad += 1
                print(f"{world.name}: known.tsv lists {line.kind}/{line.name} {line.what}, which agrees now: remove the line")
        print(world.summary())
        results.add(world.name, "failed" if bad else "passed", world.seconds)
        all_bad += bad
    return 1 if all_bad else 0


def said_last(stream):
    """What -w -o json said last of each object that is still there, by its uid."""
    last = {}
    for line in stream.splitlines():
        item = json.loads(line)
        last.pop(item["uid"], None)
        if item.pop("event") != "DELETED":
            last[item["uid"]] = item
    return last


def tell_differences(name, what, live, replayed):
    """Prints how the items by uid differ from those of the recording; 1 when they do."""
    different = 0
    for uid in {**live, **replayed}:
        a, b = live.get(uid), replayed.get(uid)
        if a == b:
            continue
        different = 1
        differ = [k for k in {**(a or {}), **(b or {})} if (a or {}).get(k) != (b or {}).get(k)]
        print(f"{name}: {(a or b)['kind']}/{(a or b)['name']}: {what} and the recording differ in "
              + (", ".join(f"{k} ({json.dumps(a.get(k))[:120]} and {json.dumps(b.get(k))[:120]})" for k in differ)
                 if a and b else f"being there: only {what if a else 'the recording'} has it"))
    return different


def compare(name, live, watch, recording):
    """The recorder's words, the document of the cluster, and what the recording says: 1 when they differ.

    What the recorder said last of each object (watch) is what the recording says last of it, times and all.  A document
    that is made of the cluster at the end (live) may say other things of an object, as only who was there knows that it
    was ready before, or how its last attempt ended; but it has the same objects, and the same notices.
    """
    live, replayed = json.loads(live), json.loads(play(recording))
    items, there = ({i["uid"]: i for i in d["items"]} for d in (replayed, live))
    different = tell_differences(name, "the recorder", said_last(watch), said_last(play(recording, "-w")))
    different |= tell_differences(name, "the cluster", {uid: there[uid] for uid in there if uid not in items},
                                  {uid: items[uid] for uid in items if uid not in there})
    if live["notices"] != replayed["notices"]:
        print(f"{name}: the cluster says {json.dumps(live['notices'])[:300]}, the recording {json.dumps(replayed['notices'])[:300]}")
        different = 1
    return different


def recorded():
    """All worlds that have a recording."""
    return sorted(p.parent.name for p in HERE.glob("*/recording.jsonl.gz"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", nargs="*")
    parser.add_argument("--renew-known", action="store_true", help="write known.tsv")
    parser.add_argument("--events", action="store_true", help="print each object's sequence of phases")
    parser.add_argument("--recording", help="another recording of the one world that is named")
    options = parser.parse_args()
    chosen = options.world or recorded()
    if not chosen:
        sys.exit("no world has a recording")
    worlds = [World(name, HERE / name, options.recording) for name in chosen]
    if options.events:
        for world in worlds:
            for item, phases in world.sequences():
                print(f"{world.name}: {item['kind']}/{item['name']}: {shortened(phases, 40)}")
        return 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:     # the program itself does the work
        list(pool.map(World.judge, worlds))
    if options.renew_known:
        renew_known(worlds)
    return report(worlds)


if __name__ == "__main__":
    sys.exit(main())
