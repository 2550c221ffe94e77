# SPDX-License-Identifier: Apache-2.0
"""--history: a live dashboard that remembers what a flight recorder saw before it was opened."""
import datetime
import gzip
import json
import os
import re
import struct
import threading
import time

import pytest

import machine
from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY, WIDGETS
from fakeapi import answer, stall
from program import Run, wait_for
from test_time import BAD, paused_at


def index_of(folder):
    with open(os.path.join(folder, "index.json")) as f:
        return json.load(f)


def fly(fake, run, folder):
    """A flight recorder, from the moment on at which it has the first lists in its file."""
    child = run.start("widgets", "--flight", folder)
    wait_for(lambda: os.path.exists(os.path.join(folder, "index.json")))
    return child


def recorded(run, folder, *words):
    """Waits until the recorder has written it."""
    wait_for(lambda: all(word in run.text("--replay", folder, "-o", "wide") for word in words))


def end(child):
    child.terminate()
    child.communicate()


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "flight")


def has_row(text, phase, name):
    """A narrow table has the phase's glyph alone."""
    glyph = {"Ready": "✔", "Failed": "✖", "Degraded": "▲"}[phase]
    return re.search(r"(?m)^ +%s (?:%s +)?%s\b" % (glyph, phase, re.escape(name)), text)


def test_it_goes_on_before_the_session(fake, run, folder):
    fake.put("widgets", "one", **READY)
    fake.put("widgets", "two", **READY)
    child = fly(fake, run, folder)
    recorded(run, folder, "one", "two")
    fake.put("widgets", "one", **BAD)
    recorded(run, folder, "disk is full")
    fake.put("widgets", "one", spec={"size": 3}, **READY)
    recorded(run, folder, "Ready")
    fake.delete("widgets", "two")
    wait_for(lambda: "two" not in run.text("--replay", folder, "-o", "name"))
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        text = term.wait(lambda text: "widget/one" in text and "live ●" in text and "history" in text)
        assert re.search(r"history \d+s \(flight\) ", text.split("\n")[0])
        term.keys("T")
        text = term.wait("widget/two")
        assert re.search(r"widget/one +Ready → Failed +Broken: disk is full +observed", text)
        assert re.search(r"widget/one +Failed → Ready", text) and re.search(r"widget/two +gone", text)
        term.keys("\033")
        term.wait("live ●")
        term.keys("[")
        text = term.wait(paused_at)
        assert not has_row(text, "Ready", "widget/two") and has_row(text, "Ready", "widget/one") and "1 ready" in text
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) and has_row(text, "Ready", "widget/two"))
        assert "2 ready" in text
        term.keys("[")
        text = term.wait(lambda text: has_row(text, "Failed", "widget/one"))
        assert "disk is full" in text and "1 failed" in text and "1 ready" in text
        term.keys("C")
        text = term.wait("changed")
        assert "widget/one" in text and "widget/two" not in text
        term.keys("\033")
        term.wait(lambda text: has_row(text, "Failed", "widget/one"))
        term.keys("]]]")
        text = term.wait(lambda text: "live ●" in text)
        assert "1 ready" in text and not has_row(text, "Ready", "widget/two")
        term.keys("C")
        text = term.wait("gone")
        assert re.search(r"widget/one .* spec +\+ {\"size\":3}", text) and re.search(r"widget/two .*Ready → gone", text)
    end(child)


# Keys, and what is shown then: the steps are "one fails", "one is ready again", "two is deleted"; { leads to the beginning.
STEPS = [
    ("[", [("Ready", "widget/one")], ["widget/two"]),
    ("[[", [("Ready", "widget/one"), ("Ready", "widget/two")], []),
    ("[[[", [("Failed", "widget/one"), ("Ready", "widget/two")], []),
    ("[[[]", [("Ready", "widget/one"), ("Ready", "widget/two")], []),
    ("[[[[]]", [("Ready", "widget/one")], ["widget/two"]),
    ("{", [], ["widget/one", "widget/two"]),
    ("{]", [("Failed", "widget/one"), ("Ready", "widget/two")], []),
]


@pytest.mark.parametrize("keys, rows, gone", STEPS)
def test_keys_count_while_it_is_read(fake, run, folder, keys, rows, gone):
    """Pressed as soon as the first row is there, before anything of the history is known."""
    fake.put("widgets", "one", **READY)
    fake.put("widgets", "two", **READY)
    child = fly(fake, run, folder)
    recorded(run, folder, "one", "two")
    fake.put("widgets", "one", **BAD)
    recorded(run, folder, "disk is full")
    fake.put("widgets", "one", spec={"size": 3}, **READY)
    wait_for(lambda: "disk is full" not in run.text("--replay", folder, "-o", "wide"))
    fake.delete("widgets", "two")
    wait_for(lambda: "two" not in run.text("--replay", folder, "-o", "name"))
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait("widget/one", whole=False)
        term.keys(keys)
        text = term.wait(lambda text: paused_at(text) and "→" not in text.split("\n")[0] and all(has_row(text, *row) for row in rows))
        assert not any(has_row(text, "Ready", name) for name in gone)
    end(child)


def test_a_printed_moment_is_that_of_the_history(fake, run, folder):
    fake.put("widgets", "one", **READY)
    child = fly(fake, run, folder)
    recorded(run, folder, "one")
    before = index_of(folder)["segments"][0]["first"]
    fake.put("widgets", "one", spec={"size": 3}, **BAD)
    recorded(run, folder, "disk is full")
    fake.put("widgets", "late", **READY)
    recorded(run, folder, "late")
    end(child)
    asked = len(fake.requests)
    segments = index_of(folder)["segments"]
    assert len(segments) == 1 and segments[0]["last"] > segments[0]["first"] == before
    texts = {}
    for back in ("0s", segments[0]["last"]):
        texts[back] = run.text("widgets", "--history", folder, "--as-of", back, "-o", "json")
        names = {i["name"]: i["phase"] for i in json.loads(texts[back])["items"]}
        assert names == {"one": "Failed", "late": "Ready"}
    changes = json.loads(run.text("widgets", "--history", folder, "--diff", before + ",0s", "-o", "json"))
    assert [(c["name"], c["from"], c["to"]) for c in changes] == [("one", "Ready", "Failed")]
    timeline = run.text("widgets", "--history", folder, "--from", before)
    assert re.search(r"widget/one +default +Ready → Failed +Broken: disk is full", timeline)
    assert len(fake.requests) == asked, "nothing is asked of the cluster"
    early = run("widgets", "--history", folder, "--as-of", "48h", "-o", "json")
    assert early.returncode == 1 and early.stderr.count(b"\n") == 1 and b"begins at" in early.stderr
    assert run("widgets", "--history", folder, "-o", "name").stdout.split() == [b"widget.example.org/one", b"widget.example.org/late"]


@pytest.mark.parametrize("args", [(), ("--as-of", "1m", "-o", "json"), ("-o", "name")])
def test_a_directory_that_is_not_there(fake, run, tmp_path, args):
    done = run("widgets", "--history", tmp_path / "nowhere", *args) if args else None
    if not args:
        with run.screen("widgets", "--history", str(tmp_path / "nowhere"), rows=24, cols=100) as term:
            assert os.waitstatus_to_exitcode(term.end()) == 1 and "not exist" in term.text().replace("\n", "")
        return
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"does not exist" in done.stderr


# ---- recordings that are made for a test ----------------------------------------------

KINDS = [{"group": "example.org", "version": "v1", "kind": "Widget", "plural": "widgets", "singular": "widget", "flags": 127}]
NOW = time.time()


@pytest.fixture(autouse=True)
def now():
    """Ages count from the test: other tests may have run since this file was read."""
    global NOW
    NOW = time.time()


def ago(seconds):
    return datetime.datetime.fromtimestamp(NOW - seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:23] + "Z"


def widget(name, generation=1, **fields):
    meta = {"name": name, "namespace": "default", "uid": "uid-" + name, "generation": generation,
            "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": meta, **fields}


def segment(folder, number, seconds, state, changes, last, context="c"):
    """A segment that begins so many seconds ago with a state, then has changes [(seconds ago, type, object)], until last."""
    first = ago(seconds)
    lines = [{"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": first[:19] + "Z", "context": context,
              "namespace": "default", "coverage": "recorded", "kinds": KINDS}]
    lines += [{"t": first, "type": "ADDED", "object": o, "observed": {}} for o in state]
    lines.append({"t": first, "type": "BOOKMARK", "object": {}})
    lines += [{"t": ago(t), "type": kind, "object": o} for t, kind, o in changes]
    lines.append({"t": ago(last), "type": "BOOKMARK", "object": {}})
    os.makedirs(folder, exist_ok=True)
    name = "flight-%s-%06d.jsonl.gz" % ((first[:19] + "Z").replace(":", "-"), number)
    with gzip.open(os.path.join(folder, name), "wt") as f:
        f.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return name


HOUR = 3600


def yesterday(folder, **options):
    """A recorder from 26 hours ago to 5 minutes ago, in three segments; it was restarted after a gap of four minutes."""
    one, two = widget("one", **READY), widget("two", **READY)
    segment(folder, 1, 26 * HOUR, [one, two], [(25 * HOUR, "MODIFIED", widget("two", **BAD)), (24 * HOUR, "MODIFIED", two)], 9 * HOUR,
            **options)
    segment(folder, 1, 9 * HOUR - 240, [one, two], [(3 * HOUR, "DELETED", two)], 2 * HOUR, **options)
    segment(folder, 2, 2 * HOUR, [one], [(1800, "MODIFIED", widget("one", **BAD)), (1200, "MODIFIED", widget("one", spec={"a": 1}, **BAD))],
            10, **options)


def live_one(fake):
    fake.put("widgets", "one", uid="uid-one", spec={"a": 1}, **BAD)


def test_yesterday(fake, run, folder):
    yesterday(folder)
    live_one(fake)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        text = term.wait(lambda text: "widget/one" in text and "live ●" in text and "history" in text)
        head = text.split("\n")[0]
        found = re.search(r"history 26h \(flight\), gap (\d\d:\d\d)–(\d\d:\d\d) ", head)
        assert found and found.groups() == (ago(9 * HOUR)[11:16], ago(9 * HOUR - 240)[11:16])
        text = term.wait(lambda text: re.search(r"Failed +widget/one +30m", text))
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) == ago(1800)[11:19])
        assert "1 failed" in text
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(3 * HOUR)[11:19] and has_row(text, "Ready", "widget/one") and "1 ready" in text)
        term.keys("[")
        text = term.wait(lambda text: "paused " + ago(24 * HOUR)[:10] in text and "2 ready" in text)
        term.keys("[")
        text = term.wait(lambda text: has_row(text, "Failed", "widget/two"))
        term.keys("[")
        term.wait("reaches back to " + ago(26 * HOUR)[11:19])
        term.keys("{")
        term.wait(lambda text: has_row(text, "Ready", "widget/two"))
        term.keys("P")
        term.wait(lambda text: has_row(text, "Failed", "widget/one") and "live ●" in text)
        term.keys("T")
        text = term.wait("widget/two")
        assert re.search(r"widget/two +Ready → Failed", text) and re.search(r"widget/two +gone", text)


def mark_of_lists(seconds):
    return {"t": ago(seconds), "type": "BOOKMARK", "object": {"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}}


def begin_anew(folder, seconds, first_lists, **options):
    """A recorder is started anew: its segment has no state, and the first lists until a second later."""
    name = segment(folder, 1, seconds, [], [(seconds, "ADDED", o) for o in first_lists], 10, **options)
    with gzip.open(os.path.join(folder, name), "rt") as f:
        lines = f.read().splitlines(True)
    lines.insert(len(lines) - 1, json.dumps(mark_of_lists(seconds - 1), separators=(",", ":")) + "\n")
    with gzip.open(os.path.join(folder, name), "wt") as f:
        f.write("".join(lines))


def test_changes_before_a_recorder_was_started_anew(run, folder):
    """A part that begins with the state of a segment has the changes of that segment, too."""
    segment(folder, 2, 600, [widget("one", **READY)], [(500, "MODIFIED", widget("one", **BAD))], 400)
    begin_anew(folder, 300, [widget("one", **BAD)])
    for flag, part in (("--diff", [ago(550) + "," + ago(250)]), ("--from", [ago(550), "--to", ago(250)])):
        changes = json.loads(run.text("--replay", folder, "widgets", flag, *part, "-o", "json"))
        assert [(c["name"], c["from"], c["to"]) for c in changes] == [("one", "Ready", "Failed")], flag


def test_before_a_recorder_had_read_anything(fake, run, folder):
    """Nothing is claimed of that moment."""
    segment(folder, 1, 120, [], [(100, "ADDED", widget("one", **READY))], 10)
    live_one(fake)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 2m" in text)
        term.keys("{{{")
        text = term.wait("Nothing is known yet.")
        assert paused_at(text) == ago(120)[11:19]
    with run.screen("--replay", folder, "--as-of", ago(120)[:19] + "Z", rows=30, cols=140) as term:
        term.wait("Nothing is known yet.")
    for args in (["--problems"], ["--exit-code"], ["--problems", "-o", "json"], ["--report", folder + "/a.md"]):
        done = run("--replay", folder, "--as-of", ago(110)[:19] + "Z", *args)
        assert done.returncode == 1 and b"Nothing has failed" not in done.stdout and done.stderr.count(b"\n") == 1, args
        assert b"had not read anything yet" in done.stderr
    with open(folder + "/a.md") as f:
        assert f.readline() == "# Nothing is known to have failed; nothing had been read yet.\n"


def test_a_segment_that_begins_while_something_happens(fake, run, folder):
    """What a recorder knows of the changes before it, also of the same moment, is no change of its segment."""
    name = segment(folder, 1, 600, [widget("one", **READY)], [(300, "MODIFIED", widget("one", **BAD))], 5)
    with gzip.open(os.path.join(folder, name), "rt") as f:
        lines = f.read().splitlines(True)
    at = int(datetime.datetime.fromisoformat(ago(600)).timestamp() * 1000)
    changes = [[at, 0, 3, 2, False, "example.org", "Widget", "default", "one"], [at, 0, 3, 2, True, "", "", "", ""]]
    lines.insert(2, json.dumps({"t": ago(600), "type": "BOOKMARK", "object": {}, "changes": changes}) + "\n")
    with gzip.open(os.path.join(folder, name), "wt") as f:
        f.write("".join(lines))
    live_one(fake)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 10m" in text and re.search(r"Failed +widget/one +5m", text))
        term.keys("T")
        text = term.wait("Ready → Failed")
        assert text.count("observed") == 1, text


def test_two_recorders_that_begin_within_a_second(fake, run, folder):
    """What the first one saw until the second one began is in the history."""
    global NOW
    NOW = int(NOW) + 0.95
    one = widget("one", **READY)
    segment(folder, 1, 1200, [one], [(900, "MODIFIED", widget("one", **BAD))], 601.5)
    segment(folder, 1, 600.9, [widget("one", **BAD)], [(600.5, "MODIFIED", one)], 600.3)
    segment(folder, 2, 600.1, [one], [(300, "MODIFIED", widget("one", **BAD))], 5)
    live_one(fake)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 20m" in text and re.search(r"Failed +widget/one +5m", text))
        term.keys("[[")
        text = term.wait(lambda text: paused_at(text) == ago(600.5)[11:19])
        assert has_row(text, "Ready", "widget/one")
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) == ago(900)[11:19])
        assert has_row(text, "Failed", "widget/one")


def test_yesterday_as_of(fake, run, folder):
    yesterday(folder)
    live_one(fake)
    moments = {25 * HOUR - 60: {"one": "Ready", "two": "Failed"}, 8 * HOUR: {"one": "Ready", "two": "Ready"},
               9 * HOUR - 60: {"one": "Ready", "two": "Ready"}, HOUR: {"one": "Ready"}, 60: {"one": "Failed"}}
    for back, phases in moments.items():
        document = run.json("widgets", "--history", folder, "--as-of", "%ds" % back, "-o", "json")
        assert {i["name"]: i["phase"] for i in document["items"]} == phases, back
    with run.screen("widgets", "--history", folder, "--as-of", "%ds" % (25 * HOUR - 60), rows=30, cols=140) as term:
        term.wait(lambda text: "paused" in text and has_row(text, "Failed", "widget/two"))
        term.keys("\r")
        term.wait("disk is full")
        term.open_tab("YAML")
        text = term.wait("uid-two")
        term.keys("P")
        term.wait(lambda text: has_row(text, "Failed", "widget/one") and "live ●" in text)


def test_what_changed_before_a_failure(fake, run, folder):
    first = widget("one", spec={"image": "8.0.3"}, **READY)
    segment(folder, 1, HOUR, [first], [(600, "MODIFIED", widget("one", 2, spec={"image": "8.1.0"}, **READY)),
                                       (588, "MODIFIED", widget("one", 2, spec={"image": "8.1.0"}, **BAD))], 5)
    fake.put("widgets", "one", uid="uid-one", spec={"image": "8.1.0"}, **BAD)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait(lambda text: re.search(r"Failed +widget/one +(9m|10m)", text))
        term.keys("w")
        text = term.wait("8.0.3")
        assert re.search(r"8\.0\.3 → 8\.1\.0", text)


def test_a_history_of_another_cluster_is_not_mixed(fake, run, folder):
    yesterday(folder)
    fake.put("widgets", "one", uid="another", created="2026-02-02T00:00:00Z", **READY)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        text = term.wait(lambda text: "is of another cluster" in text)
        assert "history 26h" not in text.split("\n")[0]
        term.keys("{")
        term.wait("no further back")
        term.keys("Pp")
        term.wait(lambda text: "Not known" in text and "is of another cluster" in text)


def test_a_history_that_may_be_of_another_cluster(fake, run, folder):
    yesterday(folder, context="staging")
    fake.put("widgets", "three", **READY)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        text = term.wait(lambda text: 'is of context "staging"' in text and "history" in text.split("\n")[0])
    done = run("widgets", "--history", folder, "--as-of", "1h", "-o", "name")
    assert done.returncode == 0 and b'of context "staging", not of "c"' in done.stderr


def test_files_that_are_none(fake, run, folder):
    yesterday(folder)
    with open(os.path.join(folder, "flight-2020-01-01T00-00-00Z-000001.jsonl.gz"), "w") as f:
        f.write("this is no recording")
    with open(os.path.join(folder, "notes.txt"), "w") as f:
        f.write("nor is this")
    live_one(fake)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        text = term.wait(lambda text: "1 file that cannot be read" in text and "history 26h" in text.split("\n")[0])
    os.makedirs(folder + "2")
    with run.screen("widgets", "--history", folder + "2", rows=30, cols=140) as term:
        term.wait(lambda text: "no recording from before this session" in text and has_row(text, "Failed", "widget/one"))


def test_a_report_and_a_history_tell_the_same_gaps(fake, run, folder, tmp_path):
    """An outage within a segment, and half a minute between two recorders; a segment that follows another is none."""
    def marks(first, last):
        return [(t, "BOOKMARK", {}) for t in range(first, last, -50)]
    segment(folder, 1, 900, [widget("one", **READY)], marks(890, 700), 700)
    segment(folder, 2, 690, [widget("one", **READY)], marks(680, 600), 600)
    last = segment(folder, 1, 570, [widget("one", **READY)], marks(560, 400) + marks(200, 5), 5)
    write_index(folder)
    with open(os.path.join(folder, "index.json"), "r+") as f:
        index = json.load(f)
        assert index["segments"][-1]["name"] == last
        index["segments"][-1]["gaps"] = [{"from": ago(410), "to": ago(200)}]
        f.seek(0)
        json.dump(index, f)
    fake.put("widgets", "one", uid="uid-one", **READY)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        text = term.wait(lambda text: "live ●" in text and "history 15m" in text)
        assert "gap %s–%s and 1 more" % (ago(410)[11:16], ago(200)[11:16]) in text
    run.text("widgets", "--replay", folder, "--report", str(tmp_path / "report.md"))
    told = re.findall(r"A gap: nothing was recorded from .*", (tmp_path / "report.md").read_text())
    assert [re.findall(r"\d\d:\d\d:\d\d", line)[:2] for line in told] == [[ago(a)[11:19], ago(b)[11:19]] for a, b in ((600, 570), (410, 200))]


def test_segments_that_vanish(fake, run, folder):
    yesterday(folder)
    live_one(fake)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 26h" in text and re.search(r"Failed +widget/one +3\dm", text))
        for name in sorted(os.listdir(folder))[:2]:
            os.unlink(os.path.join(folder, name))
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(1800)[11:19])
        term.keys("[")
        term.wait(lambda text: any(words in text for words in ("reaches back to", "nothing more is kept", "not read")))
        term.keys("P")
        term.wait(lambda text: "live ●" in text and has_row(text, "Failed", "widget/one"))


# ---- behind a service ------------------------------------------------------------------

PROXY = "/api/v1/namespaces/ops/services/%s/proxy/"


def write_index(folder):
    """As a recorder writes it."""
    segments = []
    for name in sorted(n for n in os.listdir(folder) if n.startswith("flight-")):
        with gzip.open(os.path.join(folder, name), "rt") as f:
            times = [json.loads(line).get("t") for line in f]
        times = [t for t in times if t]
        segments.append({"name": name, "first": times[0], "last": times[-1], "size": os.path.getsize(os.path.join(folder, name))})
    with open(os.path.join(folder, "index.json"), "w") as f:
        json.dump({"kind": "FlightIndex", "apiVersion": "kubectl-status/v1", "segments": segments}, f)


def part(data, first, last):
    """The answer of a web server to a request for a range."""
    some = data[first:last + 1]
    return some, 206, {"content-type": "application/octet-stream",
                       "content-range": "bytes %d-%d/%d" % (first, first + len(some) - 1, len(data))}


def behind_a_service(fake, folder, name="flight", ranges=True):
    """Returns the list to which each request adds (file, Range header)."""
    asked, path = [], PROXY % name
    write_index(folder)

    def reply(request, stream):
        wanted = request.headers.get("range")
        asked.append((request.path[len(path):], wanted))
        with open(os.path.join(folder, request.path[len(path):]), "rb") as f:
            data = f.read()
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", wanted or "")
        if not found or not ranges:
            answer(data, 200, {"content-type": "application/octet-stream"})(request, stream)
        elif int(found.group(1)) >= len(data):
            answer(b"", 416)(request, stream)
        else:
            answer(*part(data, int(found.group(1)), int(found.group(2))))(request, stream)
    fake.on("*", reply, when=lambda r: r.path.startswith(path), times=0)
    return asked


def member(lines, mark=False):
    """A member of gzip; with the mark by which keyframes are found."""
    data = gzip.compress("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode(), mtime=0)
    if not mark:
        return data
    extra = b"KS" + struct.pack("<H", len(MARK)) + MARK
    return data[:3] + b"\x04" + data[4:10] + struct.pack("<H", len(extra)) + extra + data[10:]


MARK = b"kubectl-status/keyframe"


def keyframe(line, then, state):
    records = [{"t": then, "type": "ADDED", "object": o, "observed": {}} for o in state]
    return [{"t": then, "type": "BOOKMARK", "object": {}, "keyframe": k} for k in ({"line": line}, *records, {"records": len(records)})]


def with_keyframes(folder):
    """A segment in which widget/one has a size that says when it changed: two keyframes, and times between all changes."""
    name = segment(folder, 1, 5 * HOUR, [widget("one", spec={"size": 5}, **READY)], [], 5 * HOUR)
    path, lines, keyframes, times = os.path.join(folder, name), 4, [], []
    for hours in (4.5, 4, 3.5, 3, 2.5, 2):
        then, now = ago(hours * HOUR), widget("one", int(10 - hours), spec={"size": hours}, **(BAD if hours * 2 % 2 else READY))
        new = [{"t": then, "type": "MODIFIED", "object": now}]
        if hours in (4, 3):
            new = keyframe(lines, ago(hours * HOUR + 600), [widget("one", spec={"size": hours + 0.5}, **BAD)]) + new
            keyframes.append({"time": new[0]["t"], "at": os.path.getsize(path), "line": lines})
        with open(path, "ab") as f:
            f.write(member(new, hours in (4, 3)))
            times.append({"time": then, "at": f.tell()})
        lines += len(new)
    with open(path, "ab") as f:
        f.write(member([{"t": ago(60), "type": "BOOKMARK", "object": {}}]))
    return keyframes, times


@pytest.mark.parametrize("told", ["keyframes", "keyframes and times"])
def test_only_what_tells_of_a_moment_is_asked_for(fake, run, folder, told):
    """And what comes after it when that is asked for, not what the part that was read ends with."""
    keyframes, times = with_keyframes(folder)
    fake.put("widgets", "one", uid="uid-one", spec={"size": 2}, **READY)
    asked = behind_a_service(fake, folder)
    with open(os.path.join(folder, "index.json")) as f:
        index = json.load(f)
    index["segments"][0]["keyframes"] = keyframes
    if "times" in told:
        index["segments"][0]["times"] = times
    with open(os.path.join(folder, "index.json"), "w") as f:
        json.dump(index, f)
    for hours, size in ((4.75, 5), (4.25, 4.5), (3.9, 4), (3.25, 3.5), (2.9, 3), (2.4, 2.5), (1, 2)):
        document = run.json("widgets", "--history", "ops/flight", "--as-of", "%ds" % (hours * HOUR), "-o", "json")
        assert document["items"][0]["phase"] == ("Failed" if size * 2 % 2 else "Ready"), hours
        to = max(int(wanted.split("-")[1]) for _, wanted in asked if wanted) + 1
        ends = keyframes + (times if "times" in told else [])
        ends = [end["at"] for end in ends if end["time"] > ago(hours * HOUR)]
        assert to == min(ends) if ends else to >= index["segments"][0]["size"]
        del asked[:]
    with run.screen("widgets", "--history", "ops/flight", "--as-of", "%ds" % (4.9 * HOUR), rows=30, cols=140) as term:
        term.wait(lambda text: "paused" in text and has_row(text, "Ready", "widget/one"))
        for hours in (4.5, 4, 3.5, 3, 2.5, 2):
            term.keys("]")
            term.wait(lambda text: paused_at(text) == ago(hours * HOUR)[11:19] and
                      has_row(text, "Failed" if hours * 2 % 2 else "Ready", "widget/one"))
        for hours in (2.5, 3, 3.5, 4, 4.5):
            term.keys("[")
            term.wait(lambda text: paused_at(text) == ago(hours * HOUR)[11:19] and
                      has_row(text, "Failed" if hours * 2 % 2 else "Ready", "widget/one"))


@pytest.mark.parametrize("name", ["ops/flight", "ops/flight:http"])
def test_behind_a_service(fake, run, folder, name):
    yesterday(folder)
    live_one(fake)
    asked = behind_a_service(fake, folder, name.partition("/")[2])
    with run.screen("widgets", "--history", name, rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 26h (%s), gap" % name in text and re.search(r"Failed +widget/one +3\dm", text))
        newest = sorted(os.listdir(folder))[-2]
        assert asked[0] == ("index.json", None) and {file for file, _ in asked[1:]} == {newest}, "what is needed only"
        assert all(wanted for _, wanted in asked[1:])
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(1800)[11:19])
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(3 * HOUR)[11:19] and has_row(text, "Ready", "widget/one"))
        term.keys("[")
        term.wait(lambda text: "paused " + ago(24 * HOUR)[:10] in text and "2 ready" in text)
        term.keys("P")
        term.wait(lambda text: has_row(text, "Failed", "widget/one") and "live ●" in text)
    for back, phases in {25 * HOUR - 60: {"one": "Ready", "two": "Failed"}, HOUR: {"one": "Ready"}, 60: {"one": "Failed"}}.items():
        document = run.json("widgets", "--history", name, "--as-of", "%ds" % back, "-o", "json")
        assert {i["name"]: i["phase"] for i in document["items"]} == phases
    timeline = run.text("widgets", "--history", name, "--from", "25h30m", "--to", "2h")
    assert re.search(r"widget/two +default +Ready → Failed", timeline) and re.search(r"widget/two .*gone", timeline)


@pytest.mark.skipif(not machine.can_be_another(), reason="the machine cannot be another")
def test_on_a_system_without_files_in_memory(fake, run, folder, tmp_path):
    """What is read of a service is kept in files that have no name."""
    (tmp_path / "tmp").mkdir()
    run.env.update(machine.without_memory_files(), TMPDIR=str(tmp_path / "tmp"))
    yesterday(folder)
    live_one(fake)
    behind_a_service(fake, folder)
    with run.screen("widgets", "--history", "ops/flight", rows=30, cols=140) as term:
        term.wait(lambda text: "history 26h (ops/flight)" in text and re.search(r"Failed +widget/one +3\dm", text))
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(1800)[11:19])
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(3 * HOUR)[11:19] and has_row(text, "Ready", "widget/one"))
        assert os.listdir(tmp_path / "tmp") == []
    document = run.json("widgets", "--history", "ops/flight", "--as-of", "1h", "-o", "json")
    assert {i["name"]: i["phase"] for i in document["items"]} == {"one": "Ready"}
    newest = sorted(os.listdir(folder))[-2]
    with open(os.path.join(folder, newest), "rb") as f:
        assert run.text("--replay", "/dev/stdin", "-o", "name", stdin=f.read()) == "widget.example.org/one\n"
    run.env["TMPDIR"] = str(tmp_path / "nowhere")
    done = run("widgets", "--history", "ops/flight", "--as-of", "1h", "-o", "name")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"keep a part of the history" in done.stderr


def test_a_service_of_the_preferences(fake, run, folder):
    yesterday(folder)
    live_one(fake)
    behind_a_service(fake, folder)
    os.makedirs(os.path.join(run.home, ".kube"), exist_ok=True)
    with open(os.path.join(run.home, ".kube", "kubectl-status.yaml"), "w") as f:
        f.write("apiVersion: kubectl-status/v1\nkind: Preferences\nflights:\n  other: /nowhere\n  c: ops/flight\n")
    with run.screen("widgets", rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 26h (ops/flight)" in text)
    with run.screen("widgets", "--as-of", "%ds" % (25 * HOUR - 60), rows=30, cols=140) as term:
        term.wait(lambda text: "paused" in text and has_row(text, "Failed", "widget/two"))
    document = run.json("widgets", "--as-of", "%ds" % (25 * HOUR - 60), "-o", "json")
    assert {i["name"]: i["phase"] for i in document["items"]} == {"one": "Ready", "two": "Failed"}
    with open(os.path.join(run.home, ".kube", "kubectl-status.yaml"), "w") as f:
        f.write("apiVersion: kubectl-status/v1\nkind: Preferences\nflights:\n  c: /nowhere\n")
    with run.screen("widgets", rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and has_row(text, "Failed", "widget/one"))
        term.keys("p")
        term.wait('the path "/nowhere" does not exist')
    with open(os.path.join(run.home, ".kube", "kubectl-status.yaml"), "w") as f:
        f.write("apiVersion: kubectl-status/v1\nkind: Preferences\nflights:\n  c: [a]\n")
    done = run("widgets", "-o", "name")
    assert done.returncode == 1 and b"line 4, column 3" in done.stderr


@pytest.mark.parametrize("code,words", [(403, "may not"), (404, "not found"), (503, "no endpoints available")])
def test_a_service_that_cannot_be_read(fake, run, code, words):
    live_one(fake)
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": words, "reason": "x", "code": code}
    fake.on("*", answer(body, code), when=lambda r: "/proxy/" in r.path, times=0)
    with run.screen("widgets", "--history", "ops/flight", rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and has_row(text, "Failed", "widget/one") and "cannot be read" in text)
        term.keys("p")
        text = term.wait("Not known")
        assert text.count(words) == 1
        term.keys("\033{")
        term.wait("no further back")
    done = run("widgets", "--history", "ops/flight", "--as-of", "1h", "-o", "name")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and words.encode() in done.stderr
    done = run("widgets", "--history", "ops/flight", "-o", "name")
    assert done.returncode == 0 and done.stdout == b"widget.example.org/one\n"


@pytest.mark.parametrize("away", ["index.json", "flight-"])
def test_a_web_server_that_comes_again(fake, run, folder, away):
    """Whatever of it cannot be read at first: that is said once, and the history is read when it can be."""
    yesterday(folder)
    live_one(fake)
    behind_a_service(fake, folder)
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no endpoints available", "code": 503}
    asked = []
    fake.script.insert(0, ["*", lambda r: "/proxy/" + away in r.path and not asked.append(r.path), answer(body, 503), 0])
    with run.hurry().screen("widgets", "--history", "ops/flight", rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "cannot be read" in text and has_row(text, "Failed", "widget/one"))
        term.keys("[")
        term.wait(lambda text: "cannot be read" in text.strip().split("\n")[-1])
        term.keys("p")
        text = term.wait("Not known")
        term.wait(lambda _: len(asked) > 2)
        assert term.text().count("no endpoints available") == 1
        fake.script.pop(0)
        term.wait(lambda text: "Not known" not in text and "history 26h (ops/flight)" in text)
        term.keys("\033[")
        term.wait(lambda text: paused_at(text) == ago(1800)[11:19])


def test_a_segment_that_is_gone_when_it_is_asked_for(fake, run, folder):
    """The recorder has deleted it since the list was read: what is left is read, and that is no trouble."""
    yesterday(folder)
    live_one(fake)
    behind_a_service(fake, folder)
    names = sorted(n for n in os.listdir(folder) if n.startswith("flight-"))
    gone = answer(b"404 page not found", 404)
    with run.screen("widgets", "--history", "ops/flight", rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 26h" in text and re.search(r"Failed +widget/one +3\dm", text))
        os.unlink(os.path.join(folder, names[0]))
        write_index(folder)
        fake.script.insert(0, ["*", lambda r: r.path.endswith(names[0]), gone, 0])
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(1800)[11:19])
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(3 * HOUR)[11:19])
        term.keys("[")
        term.wait(lambda text: "history 8h" in text.split("\n")[0])
        term.keys("Pp")
        text = term.wait(lambda text: "live ●" in text)
        assert "cannot be read" not in text


# ---- several contexts ----------------------------------------------------------------------

@pytest.fixture
def two(serve, certificates, tmp_path):
    """Two clusters and a Run that knows them as the contexts a and b."""
    servers = {"a": serve(), "b": serve()}
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "a", "users": [{"name": "u", "user": {"token": "t0ken"}}],
              "contexts": [{"name": name, "context": {"cluster": name, "user": "u"}} for name in servers],
              "clusters": [{"name": name, "cluster": {"server": server.url, "certificate-authority": str(certificates / "ca.crt")}}
                           for name, server in servers.items()]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    for server in servers.values():
        live_one(server)
    return Run(tmp_path, tmp_path / "config.json"), servers


def absent(fake, words='services "flight" not found', code=404):
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": words, "code": code}
    fake.on("*", answer(body, code), when=lambda r: "/proxy/" in r.path, times=0)


def clusters(text):
    """Of the rows in their order."""
    return re.findall(r"(?m)^ +\S (?:\w+ +)?widget/one +(\w)\b", text)


def test_the_service_is_looked_for_in_each_context(two, folder):
    run, servers = two
    yesterday(folder, context="in-cluster-of-b")
    absent(servers["a"])
    behind_a_service(servers["b"], folder)
    with run.screen("widgets", "--contexts", "a,b", "--history", "ops/flight", rows=30, cols=150) as term:
        text = term.wait(lambda text: "live ●" in text and "history 26h (ops/flight in b)" in text and "cannot be read" not in text)
        text = term.wait(lambda text: re.search(r"✖ (Failed +)?widget/one +b +3\dm", text))
        assert clusters(text) == ["a", "b"]
        term.keys("j\r")
        term.wait("Conditions")
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(1800)[11:19] and "Conditions" in text)  # of the same object
        term.keys("\033")
        text = term.wait(lambda text: "SINCE" in text)
        assert clusters(text) == ["b"], "what was recorded is of b"
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) == ago(3 * HOUR)[11:19])
        term.keys("P")
        text = term.wait(lambda text: "live ●" in text)
        assert clusters(text) == ["a", "b"]
    document = run.json("widgets", "--contexts", "a,b", "--history", "ops/flight", "--as-of", "1h")
    assert {i["name"]: i["phase"] for i in document["items"]} == {"one": "Ready"}


def test_a_service_in_no_context_is_one_notice(two, folder):
    run, servers = two
    absent(servers["a"])
    absent(servers["b"], 'services "flight" is forbidden', 403)
    with run.screen("widgets", "--contexts", "a,b", "--history", "ops/flight", rows=30, cols=150) as term:
        term.wait(lambda text: "live ●" in text and "cannot be read" in text)
        term.keys("p")
        text = term.wait("Not known")
        assert text.count("cannot be read") == 1 and 'context "b": services "flight" is forbidden' in text
    done = run("widgets", "--contexts", "a,b", "--history", "ops/flight", "--as-of", "1h", "-o", "name")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"forbidden" in done.stderr


def test_the_dashboard_is_left_while_the_first_context_is_asked(two):
    """No other one is asked then."""
    run, servers = two
    servers["a"].on("*", stall, when=lambda r: "/proxy/" in r.path, times=0)
    with run.screen("widgets", "--contexts", "a,b", "--history", "ops/flight", rows=30, cols=150) as term:
        term.wait("live ●")
        wait_for(lambda: [r for r in servers["a"].seen() if "/proxy/" in r.path])
        term.keys("q")
        assert os.waitstatus_to_exitcode(term.end()) == 0
    assert not [r for r in servers["b"].seen() if "/proxy/" in r.path]


def test_a_directory_is_of_the_context_that_it_names(two, folder):
    run, _ = two
    yesterday(folder, context="b")
    with run.screen("widgets", "--contexts", "a,b", "--history", folder, rows=30, cols=150) as term:
        term.wait(lambda text: "live ●" in text and "history 26h (flight)" in text and re.search(r"✖ (Failed +)?widget/one +b +3\dm", text))
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) == ago(1800)[11:19])
        assert clusters(text) == ["b"]
        assert "nothing tells" not in text


def test_a_change_of_one_context_does_not_hide_that_of_the_other(two, folder):
    """Both change while the session reads its lists: of a it sees the change itself, of b only the recorder does."""
    run, servers = two
    for server in servers.values():
        server.put("widgets", "one", uid="uid-one", **READY)
        server.put("widgets", "two", uid="uid-two", **READY)
    child = run.start("widgets", "--contexts", "a,b", "--flight", folder)
    wait_for(lambda: os.path.exists(os.path.join(folder, "index.json")))
    wait_for(lambda: run.text("--replay", folder, "-o", "name").count("two") == 2)
    go_on = threading.Event()

    def held(request, stream):
        go_on.wait(60)
        servers["b"].serve(request, stream)

    servers["b"].on(WIDGETS, held, times=0)
    with run.screen("widgets", "--contexts", "a,b", "--history", folder, rows=30, cols=150) as term:
        term.wait(lambda text: clusters(text) == ["a"] and has_row(text, "Ready", "widget/two"))
        servers["a"].await_requests(2, WIDGETS, watch=True)
        for server in servers.values():
            server.put("widgets", "one", uid="uid-one", **BAD)
            server.delete("widgets", "two")
        term.wait(lambda text: has_row(text, "Failed", "widget/one") and not has_row(text, "Ready", "widget/two"))
        wait_for(lambda: run.text("--replay", folder, "-o", "wide").count("disk is full") == 2 and
                 "two" not in run.text("--replay", folder, "-o", "name"))
        go_on.set()
        term.wait(lambda text: "live ●" in text and "history" in text and sorted(clusters(text)) == ["a", "b"])
        term.keys("T")
        text = term.wait(lambda text: len(re.findall(r"widget/one.* Ready → Failed", text)) == 2)
        assert sorted(re.findall(r"widget/two +(\w) +gone", text)) == ["a", "b"]
    end(child)


@pytest.mark.parametrize("index", [b"", b"<html>", b'{"kind":"FlightIndex"}', b'{"kind":"FlightIndex","apiVersion":"kubectl-status/v1","segments":[]}',
                                   b'{"kind":"FlightIndex","apiVersion":"kubectl-status/v1","segments":[{"name":"flight-a.jsonl.gz",'
                                   b'"first":"2026-01-01T00:00:00Z","last":"2026-01-01T00:00:00Z","size":99999999999}]}'])
def test_a_service_that_is_none(fake, run, index):
    live_one(fake)
    fake.on("*", answer(index, 200, {"content-type": "text/html"}), when=lambda r: r.path.endswith("index.json"), times=0)
    fake.on("*", answer(b"\x1f\x8bno recording", 206), when=lambda r: "/proxy/flight-" in r.path, times=0)
    with run.screen("widgets", "--history", "ops/flight", rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and has_row(text, "Failed", "widget/one") and "the history in ops/flight" in text)


def test_a_server_without_ranges(fake, run, folder):
    """What is small comes as a whole; a large segment cannot be read."""
    yesterday(folder)
    live_one(fake)
    behind_a_service(fake, folder, ranges=False)
    with run.screen("widgets", "--history", "ops/flight", rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history 26h" in text and re.search(r"Failed +widget/one +3\dm", text))


def test_a_recorder_that_is_restarted_saw_nothing_happen(fake, run, folder):
    fake.put("widgets", "one", **READY)
    fake.put("widgets", "two", **BAD)
    for _ in range(2):
        child = fly(fake, run, folder)
        wait_for(lambda: len(run.text("--replay", folder, "-o", "name").split()) == 2 if os.listdir(folder) else False)
        time.sleep(1.2)
        end(child)
    assert len(index_of(folder)["segments"]) == 2
    for args in (["--replay", folder, "--from", "1h"], ["--replay", folder, "--diff", "4s,0s"], ["--history", folder, "--from", "1h"]):
        done = run("widgets", *args)
        assert done.returncode == 0 and b"widget/" not in done.stdout, (args, done.stdout.decode())


# ---- what is printed once ---------------------------------------------------------------


def shopped(folder):
    """Twelve seconds after its image was changed, ten minutes ago, the widget failed; the recorder goes on until five seconds ago."""
    first = widget("one", spec={"image": "8.0.3"}, **READY)
    segment(folder, 1, HOUR, [first], [(600, "MODIFIED", widget("one", 2, spec={"image": "8.1.0"}, **READY)),
                                       (588, "MODIFIED", widget("one", 2, spec={"image": "8.1.0"}, **BAD))], 5)


@pytest.mark.parametrize("name", ["folder", "ops/flight"])
def test_what_is_printed_once_tells_it(fake, run, folder, name):
    """Since when something is so, and what was changed before, as in the dashboard."""
    shopped(folder)
    asked = behind_a_service(fake, folder) if name != "folder" else None
    fake.put("widgets", "one", uid="uid-one", spec={"image": "8.1.0"}, **BAD)
    args = ["widgets", "--history", folder if name == "folder" else name]
    for more in ((), ("--for", "failed", "--timeout", "60s")):
        done = run(*args, *more, "-o", "json")
        document = json.loads(done.stdout)
        item, cause = document["items"][0], document["rootCauses"][0]
        assert item["since"] == cause["since"] == ago(588)[:19] + "Z" and document["notices"] == [] and not done.stderr.count(b"notice")
        assert [(c["resource"]["name"], c["fields"]) for c in cause["changed"]] == [("one", [{"path": "spec.image", "from": "8.0.3", "to": "8.1.0"}])]
    assert re.search(r"widget/one +Failed +(9|1\d)m\d*s? ", run.text(*args, "-o", "table"))
    for form in (["-o", "why"], ["--problems"]):
        assert "8.0.3 → 8.1.0" in run.text(*args, *form)
    before = len(fake.requests)
    assert "8.0.3" not in run.text("widgets", "-o", "why") and run.text(*args, "-o", "name") == "widget.example.org/one\n"
    assert not [r for r in fake.requests[before:] if "/proxy/" in r.path], "names alone need no history"
    assert asked is None or {file for file, _ in asked} == {n for n in os.listdir(folder)}


@pytest.mark.parametrize("name", ["folder", "ops/flight"])
def test_a_watch_tells_since_when(fake, run, watching, folder, name):
    """With each line, as what is printed once; of what changes now it is from now on."""
    shopped(folder)
    if name != "folder":
        behind_a_service(fake, folder)
    fake.put("widgets", "one", uid="uid-one", spec={"image": "8.1.0"}, **BAD)
    w = watching(run, "widgets", "--history", folder if name == "folder" else name)
    w.wait(("ADDED", "one"))
    fake.put("widgets", "one", uid="uid-one", spec={"image": "8.1.1"}, status={"conditions": [
        {"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is still full"}]})
    w.wait(("MODIFIED", "one"))
    fake.put("widgets", "one", uid="uid-one", spec={"image": "8.1.1"}, **READY)
    wait_for(lambda: len(w.events) == 3)
    assert [e["phase"] for e in w.events] == ["Failed", "Failed", "Ready"]
    assert [e["since"] for e in w.events[:2]] == [ago(588)[:19] + "Z"] * 2 and w.events[2]["since"] >= ago(5)[:19]
    w.finish()
    assert not w.errors


def test_a_watch_says_once_why_there_is_no_history(fake, run, watching, folder):
    live_one(fake)
    os.makedirs(folder)
    w = watching(run, "widgets", "--history", folder)
    w.wait(("ADDED", "one"))
    w.finish()
    assert w.errors.count("no recording from before this session") == 1


def prefer(run, name):
    os.makedirs(os.path.join(run.home, ".kube"), exist_ok=True)
    with open(os.path.join(run.home, ".kube", "kubectl-status.yaml"), "w") as f:
        f.write("apiVersion: kubectl-status/v1\nkind: Preferences\nflights:\n  c: %s\n" % name)


def test_only_the_newest_hour_is_read_for_it(fake, run, folder):
    yesterday(folder)
    asked = behind_a_service(fake, folder)
    live_one(fake)
    assert run.json("widgets", "--history", "ops/flight", "-o", "json")["items"][0]["since"] == ago(1800)[:19] + "Z"
    assert {file for file, _ in asked} == {"index.json", sorted(os.listdir(folder))[-2]}


def test_a_preference_makes_no_answer_slower(fake, run, folder):
    """It is read for moments and for the report."""
    yesterday(folder)
    asked = behind_a_service(fake, folder)
    live_one(fake)
    prefer(run, "ops/flight")
    assert "since" not in run.json("widgets", "-o", "json")["items"][0] and not asked
    assert run.json("widgets", "-o", "json", "--as-of", "1h")["items"][0]["phase"] == "Ready" and asked
    del asked[:]
    assert run("widgets", "--report", os.path.join(run.home, "r.md")).returncode == 0 and asked


def test_it_is_printed_without_a_history_that_cannot_be_used(fake, run, folder):
    live_one(fake)
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "may not", "reason": "x", "code": 403}
    fake.on("*", answer(body, 403), when=lambda r: "/proxy/" in r.path, times=0)
    os.makedirs(folder + "-empty")
    segment(folder, 1, HOUR, [{**widget("one", **BAD), "metadata": {**widget("one")["metadata"], "uid": "another"}}], [], 5)
    for name, words in (("ops/flight", "the history in ops/flight cannot be read: may not"), (folder + "-empty", "no recording from before"),
                        (folder, "is of another cluster")):
        done = run("widgets", "--history", name, "-o", "json")
        document = json.loads(done.stdout)
        assert done.returncode == 0 and "since" not in document["items"][0] and done.stderr.count(b"\n") == 1
        assert [words in n["message"] for n in document["notices"]] == [True] and words in done.stderr.decode()
        done = run("widgets", "--history", name, "-o", "wide")
        assert done.returncode == 0 and done.stderr.decode().startswith("notice: the history in ") and done.stderr.count(b"\n") == 1
        assert run("widgets", "--history", name, "--problems", "--exit-code").returncode == 4


def test_a_preference_that_leads_nowhere_is_a_notice(fake, run):
    live_one(fake)
    prefer(run, "/nowhere")
    done = run("widgets", "--report", os.path.join(run.home, "r.md"))
    assert done.returncode == 0 and b'notice: the path "/nowhere" does not exist' in done.stderr
    assert run("widgets", "-o", "wide").stderr == b""


def test_a_service_that_does_not_answer_is_not_waited_for(fake, run):
    live_one(fake)
    fake.on("*", stall, when=lambda r: "/proxy/" in r.path, times=0)
    run.hurry()
    done = run("widgets", "--history", "ops/flight", "-o", "wide")
    assert done.returncode == 0 and b"widget/one" in done.stdout and b"did not answer in time" in done.stderr


# ---- folds -----------------------------------------------------------------------------


def owned(name, owner=None, **fields):
    thing = widget(name, **fields)
    if owner:
        thing["metadata"]["ownerReferences"] = [{"apiVersion": "example.org/v1", "kind": "Widget", "name": owner, "uid": "uid-" + owner,
                                                 "controller": True}]
    return thing


def lines_of(text):
    """The names in the rows of the table, from the top on."""
    return [name or several for name, several in re.findall(r"(?m)^..? \S (?:Failed|Ready) +widget(?:/(\S+)| (×\d))", text)]


def test_folds_stay(fake, run, folder):
    """What was unfolded is so in a recorded moment, too, and again in the present; also what did not exist then."""
    lately = {"status": {"conditions": [{**BAD["status"]["conditions"][0], "lastTransitionTime": ago(-HOUR)}]}}     # the owner may say so yet
    parts = [("d", None, READY), ("d1", "d", lately), ("a", None, READY), ("a1", "a", READY), ("a2", "a", lately), ("b", None, READY),
             ("b1", "b", lately), ("c1", "c", lately), ("c2", "c", lately), ("c3", "c", lately)]
    for name, owner, state in parts:
        meta = owned(name, owner)["metadata"]
        fake.put("widgets", name, metadata=meta, **state)
    before = [owned(name, owner, **state) for name, owner, state in reversed(parts) if name[0] != "d"]
    segment(folder, 1, HOUR, [widget("other%d" % i, **READY) for i in range(3)] + before, [(1800, "MODIFIED", widget("other0", spec={"a": 1}, **BAD))], 5)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history" in text and "widget/d1" in text and "×3" in text)
        for row, n in (("×3", 10), ("a", 12), ("d", 13)):
            term.keys("g" + "j" * lines_of(term.text()).index(row) + " ")
            shown = lines_of(term.wait(lambda text: len(lines_of(text)) == n))
        assert {"c1", "c2", "c3", "a1"} < set(shown) and shown.count("a2") == shown.count("d1") == 2
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) == ago(1800)[11:19] and "widget/other0" in text)
        then = lines_of(text)
        assert then.count("a2") == 2 and then.count("b1") == 1 and "a1" in then and not [name for name in then if name[0] == "d"]
        term.keys("g" + "j" * then.index("a") + " ")
        term.wait(lambda text: lines_of(text).count("a2") == 1)
        term.keys("P")
        text = term.wait(lambda text: "live ●" in text and "widget/d1" in text and "other0" not in text)
        assert lines_of(text).count("d1") == 2 and lines_of(text).count("a2") == lines_of(text).count("b1") == 1
        assert {"c1", "c2", "c3"} < set(lines_of(text))


def test_folds_of_problems_stay(fake, run, folder):
    """What equal objects have in common is unfolded also when others stand for it: those that wait, and those that are the cause."""
    waiting = {"spec": {"widgetRef": {"name": "none"}},
               "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Waits", "message": 'widget "none" not found'}]}}
    calm = {"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "Progressing", "message": "in progress"}]}}

    def those(numbers):
        return [owned(c + n, "of-" + c, **state) for c, state in (("f", BAD), ("w", waiting), ("p", calm)) for n in numbers]

    def names(text):
        """The members of groups that are unfolded."""
        return re.findall(r"(?m)^(?:. )? +\S widget/([fwp]\d)(?: · default)?$", "\n".join(line.rstrip() for line in text.split("\n")))
    for thing in those("345"):
        fake.put("widgets", thing["metadata"]["name"], **{key: thing[key] for key in ("metadata", "spec", "status") if key in thing})
    segment(folder, 1, HOUR, those("1234") + [widget("other", **BAD)], [(1800, "MODIFIED", widget("other", **READY))] +
            [(900, "DELETED", thing) for thing in those("12")] + [(900, "ADDED", thing) for thing in those("5")], 5)
    fake.put("widgets", "other", **READY)
    with run.screen("widgets", "--history", folder, rows=40, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history" in text and "×3" in text)
        term.keys("p")
        term.wait("CAUSE")
        for keys, last in (("g ", "f5"), ("gjjjj ", "w5"), ("j ", "w5"), ("G ", "p5")):
            term.keys(keys)
            text = term.wait(lambda text: last in text)
        assert names(text) == ["f3", "f4", "f5", "w3", "w4", "w5", "p3", "p4", "p5"]
        term.keys("[")
        term.wait(lambda text: paused_at(text) == ago(900)[11:19] and "CAUSE" in text)
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) == ago(1800)[11:19] and "CAUSE" in text)
        assert names(text) == [c + n for c in "fwp" for n in "1234"]
        term.keys("P")
        text = term.wait(lambda text: "live ●" in text and "CAUSE" in text)
        assert names(text) == ["f3", "f4", "f5", "w3", "w4", "w5", "p3", "p4", "p5"]


def test_folds_of_a_tree_stay(fake, run, folder):
    parts = [("z", None, READY), ("a", None, READY), ("a2", "a", BAD), ("a3", "a2", BAD), ("b", None, READY)]
    for name, owner, state in parts:
        fake.put("widgets", name, metadata=owned(name, owner)["metadata"], **state)
    before = [owned(name, owner, **state) for name, owner, state in reversed(parts) if name != "z"]
    segment(folder, 1, HOUR, before, [(1800, "MODIFIED", widget("b", spec={"a": 1}, **BAD))], 5)

    def is_closed(text):
        return "tree of widget/a3" in text and re.search(r"▸ └─ widget/a2 ", text) and not re.search(r"└─ widget/a ", text)
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "history" in text and "widget/a2" in text)
        term.keys("/widget/a\r")
        term.wait("3 of 5 match")
        term.keys("t")
        term.wait(lambda text: re.search(r"▾ └─ widget/a2 ", text))
        term.keys("j ")
        term.wait(is_closed)
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) == ago(1800)[11:19])
        assert is_closed(text)
        term.keys("P")
        assert is_closed(term.wait(lambda text: "live ●" in text))


# ---- what cannot be read ------------------------------------------------------------------

def marks(first, last, every=50):
    return [(t, "BOOKMARK", {}) for t in range(first, last, -every)]


def with_a_gap(folder):
    """The widget was well until half an hour ago; nobody recorded for twenty minutes; then it has failed."""
    segment(folder, 1, HOUR, [widget("one", **READY)], marks(HOUR - 10, 1800), 1800)
    segment(folder, 1, 600, [widget("one", **BAD)], marks(590, 5), 5)
    write_index(folder)


@pytest.mark.parametrize("source", ["--history", "--replay", "service"])
def test_in_a_gap_nothing_is_known(fake, run, folder, source):
    """What was known before is shown, and every form says that it is that; no exit status says that all is well."""
    with_a_gap(folder)
    if source == "service":
        behind_a_service(fake, folder)
    where = ["widgets", *(["--history", "ops/flight"] if source == "service" else [source, folder])]
    inside, before = ["--as-of", ago(1200)], ["--as-of", ago(2000)]
    words = "nothing was recorded from %sZ to %sZ" % (ago(1800)[:19], ago(600)[:19])
    for form in (["-o", "wide"], ["--problems"], ["-o", "why"], ["-o", "tree"]):
        done = run(*where, *inside, *form)
        assert words in done.stderr.decode() and b"Nothing has failed" not in done.stdout, form
        assert b"othing was recorded" not in run(*where, *before, *form).stderr
    notices = json.loads(run(*where, *inside, "-o", "json").stdout)["notices"]
    assert [words in n["message"] for n in notices] == [True]
    assert json.loads(run(*where, *before, "-o", "json").stdout)["notices"] == []
    for form in ([], ["--problems"]):
        assert run(*where, *inside, "--exit-code", *form).returncode == 1
        assert run(*where, *before, "--exit-code", *form).returncode == 0
        assert run(*where, "--as-of", ago(100), "--exit-code", *form).returncode == 4
    within = "%s,%s" % (ago(1500), ago(1000))
    done = run(*where, "--diff", within)
    assert words in done.stderr.decode() and b"Nothing changed" not in done.stderr + done.stdout
    assert run(*where, "--diff", within, "--exit-code").returncode == 1
    done = run(*where, "--from", ago(1500), "--to", ago(1000))
    assert words in done.stderr.decode() and b"No phase" not in done.stderr + done.stdout
    done = run(*where, "--diff", "%s,%s" % (ago(3000), ago(2000)))
    assert b"Nothing changed" in done.stderr and b"othing was recorded" not in done.stderr


def test_a_moment_in_a_gap_is_shown_as_one(fake, run, folder):
    with_a_gap(folder)
    fake.put("widgets", "one", uid="uid-one", **BAD)
    with run.screen("widgets", "--history", folder, "--as-of", ago(1200), rows=30, cols=170) as term:
        text = term.wait(lambda text: "paused" in text and has_row(text, "Ready", "widget/one"))
        assert "gap %s–%s: what was known before" % (ago(1800)[11:16], ago(600)[11:16]) in text.split("\n")[0]
        term.keys("p")
        term.wait(lambda text: "othing is known to have failed" in text and "nothing was recorded then" in text and "Nothing has failed" not in text)
        term.keys("P")
        term.wait(lambda text: "live ●" in text and "nothing was recorded then" not in text)


def test_a_recording_that_is_played_tells_the_same_gap(run, folder):
    """Of a recorder that does not say what it watches: that are the kinds of the objects that it has."""
    with_a_gap(folder)
    done = run("--replay", folder, "-w")
    assert "not everything was watched from %sZ to %sZ" % (ago(1800)[:19], ago(600)[:19]) in done.stderr.decode()
    with run.screen("--replay", folder, "--as-of", ago(1200), rows=30, cols=170) as term:
        text = term.wait(lambda text: has_row(text, "Ready", "widget/one") and paused_at(text))
        assert "not watched then" in text.split("\n")[0]
        term.keys("p")
        term.wait(lambda text: "othing is known to have failed" in text and "nothing was recorded then" in text)
    with run.screen("--replay", folder, "--speed", "100000", rows=30, cols=170) as term:
        term.wait("ended")
        term.keys("T")
        text = term.wait("timeline of all")
        assert re.search(r"%s +not watched +until %s: what happened is not known" % (ago(1800)[11:19], ago(600)[11:19]), text)


def test_while_a_recording_plays_through_a_gap_nothing_is_known(run, folder):
    segment(folder, 1, HOUR, [widget("one", **READY)], marks(HOUR - 3, HOUR - 4), 5)
    with run.screen("--replay", folder, "--speed", "10", rows=30, cols=170) as term:
        term.wait(lambda text: "nothing is known to have failed" in text and "nothing was recorded then" in text)


def test_after_its_end_nothing_is_known(fake, run, folder):
    segment(folder, 1, HOUR, [widget("one", **READY)], marks(HOUR - 10, 1800), 1800)
    done = run("widgets", "--history", folder, "--as-of", "1m", "--problems", "--exit-code")
    assert done.returncode == 1 and "nothing was recorded after %sZ" % ago(1800)[:19] in done.stderr.decode()
    assert b"Nothing has failed" not in done.stdout


def three(folder, until=5):
    """Three segments without a gap between them."""
    names = []
    for number, (first, last) in enumerate(((3 * HOUR, 2 * HOUR), (2 * HOUR, HOUR), (HOUR, until)), 1):
        names.append(segment(folder, number, first, [widget("one", **READY)],
                             [(last + 600, "MODIFIED", widget("one", number, spec={"a": number}, **BAD))] + marks(last + 590, last), last))
    write_index(folder)
    return names


def scramble(path):
    with open(path, "r+b") as f:
        f.write(b"this is no recording")


def damage(path):
    """Some bytes in the middle are others; decompression can go on behind them."""
    with gzip.open(path, "rt") as f:
        lines = [json.loads(line) for line in f]
    members = [member(lines[:5]), member(lines[5:15]), member(lines[15:])]
    at = len(members[1]) // 2
    members[1] = members[1][:at] + b"\x55" * 20 + members[1][at + 20:]
    with open(path, "wb") as f:
        f.write(b"".join(members))


@pytest.mark.parametrize("name", ["folder", "ops/flight"])
@pytest.mark.parametrize("how,words", [(scramble, "1 file that cannot"), (damage, "is not whole")])
def test_an_older_segment_that_cannot_be_read(fake, run, folder, name, how, words):
    """It is named, and those before it are read."""
    names = three(folder)
    live_one(fake)
    if name != "folder":
        behind_a_service(fake, folder)
    how(os.path.join(folder, names[1]))
    with open(os.path.join(folder, "index.json"), "r+") as f:
        index = json.load(f)
        index["segments"][1]["size"] = os.path.getsize(os.path.join(folder, names[1]))
        f.seek(0)
        f.truncate()
        json.dump(index, f)
    with run.screen("widgets", "--history", folder if name == "folder" else name, rows=30, cols=170) as term:
        term.wait(lambda text: "live ●" in text and "history 3h" in text)
        # back and back again, until that segment is read
        term.wait(lambda text: "1 part not whole" in text.split("\n")[0] or term.keys("["))
        term.keys("p")
        text = term.wait(lambda text: words in text)
        assert how is damage or names[1] in text


def bytes_of(how):
    """Answers to a request for a range of the file that has these bytes, which are no answers."""
    def reply(data, first, last):
        some, code, headers = part(data, first, last)
        zeros = b"\0" * len(some)
        return {
            "beginning": (data[:len(some)], 206, {**headers, "content-range": "bytes 0-%d/%d" % (len(some) - 1, len(data))}),
            "nameless": (some, 206, {"content-type": headers["content-type"]}),
            "shorter": (some[:-1], 206, headers),
            "encoded": (some, 206, {**headers, "content-encoding": "br"}),
            "page": (zeros, 206, {**headers, "content-type": "text/html"}),
            "parts": (zeros, 206, {**headers, "content-type": "multipart/byteranges; boundary=x"}),
        }[how]
    return reply


@pytest.mark.parametrize("how", ["beginning", "nameless", "shorter", "encoded", "page", "parts"])
def test_bytes_that_were_not_asked_for(fake, run, folder, how):
    """A cache or a proxy answers with something else: nothing of it is believed."""
    segment(folder, 1, HOUR, [widget("one", **READY)], marks(HOUR - 10, 5), 5)
    with open(os.path.join(folder, "index.json"), "w") as f:
        name = os.listdir(folder)[0] if not os.listdir(folder)[0].startswith("index") else os.listdir(folder)[1]
        size = os.path.getsize(os.path.join(folder, name))
        json.dump({"kind": "FlightIndex", "apiVersion": "kubectl-status/v1", "segments": [
            {"name": name, "first": ago(HOUR), "last": ago(5), "size": size,
             "keyframes": [{"time": ago(HOUR - 100), "at": size // 2, "line": 5}]}]}, f)
    with open(os.path.join(folder, name), "rb") as f:
        data = f.read()
    wrong = bytes_of(how)

    def reply(request, stream):
        if request.path.endswith("index.json"):
            with open(os.path.join(folder, "index.json"), "rb") as f:
                return answer(f.read())(request, stream)
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers["range"]).groups())
        return answer(*wrong(data, first, min(last, len(data) - 1)))(request, stream)
    fake.on("*", reply, when=lambda r: "/proxy/" in r.path, times=0)
    done = run("widgets", "--history", "ops/flight", "--as-of", "1m", "-o", "name")
    assert done.returncode == 1 and done.stdout == b"" and done.stderr.count(b"\n") == 1
    assert b"the web server " in done.stderr and b"no recording" not in done.stderr, done.stderr


@pytest.mark.parametrize("size", [10 ** 15, 9 * 10 ** 18])
def test_a_segment_that_is_too_large(fake, run, folder, size):
    """What an index says takes no memory: that segment is left out, and named, the others are read."""
    names = three(folder)
    asked = behind_a_service(fake, folder)
    with open(os.path.join(folder, "index.json"), "r+") as f:
        index = json.load(f)
        index["segments"][1]["size"] = size
        f.seek(0)
        f.truncate()
        json.dump(index, f)
    done = run("widgets", "--history", "ops/flight", "--from", "170m")
    assert done.returncode == 0 and names[1].encode() in done.stderr and b"widget/one" in done.stdout
    assert names[1] not in {file for file, _ in asked}
    assert run("widgets", "--history", "ops/flight", "--from", "170m", "--exit-code").returncode == 1


def test_a_segment_without_an_end(fake, run, folder):
    """The last one has always more: at a ceiling it is left out."""
    names = three(folder)
    behind_a_service(fake, folder)
    megabytes = []

    def endless(request, stream):
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers["range"]).groups())
        megabytes.append((last - first + 1) >> 20)
        answer(b"\0" * (last - first + 1), 206, {"content-type": "x/y", "content-range": "bytes %d-%d/*" % (first, last)})(request, stream)
    fake.script.insert(0, ["*", lambda r: "/proxy/" + names[2] in r.path, endless, 0])
    done = run("widgets", "--history", "ops/flight", "--from", "170m", timeout=300)
    assert done.returncode == 0 and names[2].encode() in done.stderr and b"widget/one" in done.stdout
    assert sum(megabytes) <= 256


def test_one_segment_that_may_not_be_read(fake, run, folder):
    """The web server refuses one file: the others are read."""
    names = three(folder)
    behind_a_service(fake, folder)
    live_one(fake)
    fake.script.insert(0, ["*", lambda r: "/proxy/" + names[2] in r.path, answer(b"no", 403, {"content-type": "text/plain"}), 0])
    with run.hurry().screen("widgets", "--history", "ops/flight", rows=30, cols=170) as term:
        term.wait(lambda text: "history 3h" in text.split("\n")[0] and "1 part not whole" in text.split("\n")[0])
    done = run("widgets", "--history", "ops/flight", "--from", "170m")
    assert done.returncode == 0 and names[2].encode() in done.stderr and b"widget/one" in done.stdout


@pytest.mark.parametrize("how", ["mode", "fifo", "empty"])
def test_a_directory_of_which_not_all_can_be_read(run, folder, how):
    """The state before is not shown as the end without a word, and nothing is waited for."""
    names = three(folder)
    path = os.path.join(folder, names[2 if how != "empty" else 0])
    if how == "mode":
        if os.geteuid() == 0:
            os.unlink(path)
            os.symlink("/proc/self/mem/", path)     # ENOTDIR for everybody
        else:
            os.chmod(path, 0)
    else:
        os.unlink(path)
        if how == "fifo":
            os.mkfifo(path)
        else:
            open(path, "wb").close()
    done = run("widgets", "--replay", folder, "-o", "wide")
    assert done.returncode == 0 and os.path.basename(path).encode() in done.stderr and done.stderr.count(b"\n") == 1
    assert b"widget/one" in done.stdout
    assert run("widgets", "--replay", folder, "--exit-code").returncode == 1
    notices = json.loads(run("widgets", "--replay", folder, "-o", "json").stdout)["notices"]
    assert [os.path.basename(path) in n["message"] for n in notices] == [True]
    with run.screen("widgets", "--replay", folder, rows=30, cols=140) as term:
        term.wait("widget/one")
        term.keys("p")
        term.wait(lambda text: "1 segment of the recording cannot be read" in text)
