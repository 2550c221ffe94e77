# SPDX-License-Identifier: Apache-2.0
"""The table of all verdicts (tests/verdicts.py) has every kind of source, and its --diff misses no change."""
import gzip
import json
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import verdicts as table  # noqa: E402

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "verdicts.py")

CASE = """\
# now: 2026-11-20T09:00:00Z
# expect: Widget/w phase=Ready severity=none
apiVersion: widgets.example.org/v1
kind: Widget
metadata: {name: w, namespace: shop, creationTimestamp: "2026-11-20T08:00:00Z"}
status: {conditions: [{type: Ready, status: "%s", reason: Told, lastTransitionTime: "2026-11-20T08:10:00Z"}]}
"""
STORY = """\
# at: 09:00
apiVersion: widgets.example.org/v1
kind: Widget
metadata: {name: s, namespace: shop, uid: s, creationTimestamp: "@09:00"}
status: {phase: Running}
# at: %s
status: {phase: Failed}
kind: Widget
metadata: {name: s}
# at: 09:30
# delete: Widget/s
"""
RULES = """\
apiVersion: kubectl-status/v1
kind: Rules
groups: [widgets.example.org]
examples:
- {name: well, phase: Ready, object: {kind: Widget, status: {conditions: [{type: Ready, status: "True"}]}}}
"""
WORDS = """\
# columns: Ready -> phase, severity, waits, rule
# object: {apiVersion: widgets.example.org/v1, kind: Widget, metadata: {name: "{name}"}, status: {conditions: [{type: Ready, status: "{0}"}]}}
True\tReady\tnone\t-\t-
"""


def pod(time, ready, kind="MODIFIED"):
    return {"t": "2026-11-20T09:00:%sZ" % time, "type": kind, "object": {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "uid": "u", "creationTimestamp": "2026-11-20T09:00:00Z"},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": "2026-11-20T09:00:%sZ" % time[:2]}]}}}


def line(name, status, expected):
    return {"id": name, "expected": expected, "object": {"apiVersion": "widgets.example.org/v1", "kind": "Widget", "metadata": {"name": "o"},
                                                         "status": {"conditions": [{"type": "Ready", "status": status}]}}}


def write(folder, case="True", at="09:05", pods=(("00.000", "False", "ADDED"), ("10.250", "True"), ("10.251", "True"))):
    """A folder with one source of each kind."""
    folder.mkdir(parents=True)
    (folder / "case.yaml").write_text(CASE % case)
    (folder / "story.yaml").write_text(STORY % at)
    (folder / "rules.yaml").write_text(RULES)
    (folder / "reasons.tsv").write_text(WORDS)
    (folder / "no-objects.txt").write_text("nothing")
    (folder / "objects.jsonl").write_text("".join(json.dumps(o) + "\n" for o in (
        line("well", "True", "Healthy"), line("broken", "False", "Degraded"), line("hidden", "True", "Degraded"))))
    header = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "kinds": []}
    with gzip.open(folder / "recording.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(o) + "\n" for o in (header, *(pod(*p) for p in pods)))
    (folder / "truth.tsv").write_text("Pod\tshop\tweb\tReady\tnone\n")


def verdicts(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)


def rows(text):
    head, *lines = [line.split("\t") for line in text.removeprefix("#").splitlines()]
    return [dict(zip(head, cells)) for cells in lines]


@pytest.fixture
def diff(tmp_path, capsys):
    """What --diff prints of a folder as write() makes it, and of one with other arguments; and its exit status."""
    def run(change=str, without=(), **other):
        paths = []
        for name, arguments in (("old", {}), ("new", other)):
            write(tmp_path / name / "world", **arguments)
            made = "".join("\t".join(row) + "\n" for row in table.make_table([str(tmp_path / name / "world")], None))
            paths.append(tmp_path / (name + ".tsv"))
            paths[-1].write_text(made if name == "old" else change(made))
        status = table.show_differences(*paths, set(without))
        return capsys.readouterr().out, status
    return run


def test_each_kind_of_source(tmp_path):
    write(tmp_path / "world")
    first, again = verdicts(tmp_path / "world"), verdicts(tmp_path / "world")
    assert first.returncode == 0 and first.stdout == again.stdout
    lines = first.stdout.splitlines()
    assert lines[1:] == sorted(lines[1:])
    assert [(r["source"].removeprefix("world/"), r["moment"], r["name"], r["phase"]) for r in rows(first.stdout)] == [
        ("case.yaml", "2026-11-20T09:00:00Z", "shop/w", "Ready"),
        ("objects.jsonl#broken", "2026-11-20T09:00:00Z", "o", "Failed"),
        ("objects.jsonl#hidden", "2026-11-20T09:00:00Z", "o", "Ready"),
        ("objects.jsonl#well", "2026-11-20T09:00:00Z", "o", "Ready"),
        ("reasons.tsv#3", "2026-11-20T09:00:00Z", "row-3", "Ready"),
        ("recording.jsonl.gz", "2026-11-20T09:00:00.000Z", "shop/web", "Provisioning"),
        ("recording.jsonl.gz", "2026-11-20T09:00:10.251Z", "shop/web", "Ready"),
        ("rules.yaml#well", "2026-11-20T09:00:00Z", "default/example", "Ready"),
        ("story.yaml", "2026-11-20T09:00:00.000Z", "shop/s", "Ready"),
        ("story.yaml", "2026-11-20T09:05:00.000Z", "shop/s", "Failed"),
        ("story.yaml", "2026-11-20T09:30:00.000Z", "shop/s", "gone")]
    said = [line.split() for line in first.stderr.splitlines()]
    assert ["3", "2", "2", "1", "world/objects.jsonl"] in said
    assert ["1", "1", "1", "0", "world/recording.jsonl.gz"] in said
    assert ["7", "6", "6", "1", "all", "of", "the", "tests"] in said


def test_nothing_is_a_failure(tmp_path):
    assert verdicts(tmp_path).returncode == 1


def test_no_answer_is_a_failure(tmp_path):
    (tmp_path / "case.yaml").write_text("kind: [")
    done = verdicts(tmp_path)
    assert done.returncode == 1 and [r["phase"] for r in rows(done.stdout)] == ["no answer"]


def test_a_table_without_lines_is_no_table(tmp_path):
    (tmp_path / "empty").write_text("")
    done = verdicts("--diff", tmp_path / "empty", tmp_path / "empty")
    assert done.returncode == 1 and "no lines" in done.stderr


def test_the_same_is_no_difference(diff):
    text, status = diff()
    assert status == 0 and "0 changed of 11: nothing" in text


def test_a_changed_case(diff):
    text, status = diff(case="False")
    assert status == 1 and "1 changed of 11" in text
    assert "phase Ready → Failed; severity none → " in text and "world/case.yaml" in text
    assert "0 now right, 1 now wrong, 0 broken now shown as Ready" in text
    assert "\n== 1: " in text


def test_broken_as_ready(diff):
    text, _ = diff(change=lambda t: "".join(
        line.replace("\tFailed\t", "\tReady\t") if "#broken" in line else line for line in t.splitlines(True)))
    assert "0 now right, 1 now wrong, 1 broken now shown as Ready" in text


def test_a_later_moment(diff):
    """Between the two moments the tables say different things; afterwards the same."""
    text, status = diff(at="09:10")
    assert status == 1 and "story.yaml 2026-11-20T09:05:00.000Z Widget.widgets.example.org shop/s: phase Failed → Ready" in text
    assert "story.yaml 2026-11-20T09:30" not in text


def test_one_more_change_in_a_recording(diff):
    text, status = diff(pods=(("00.000", "False", "ADDED"), ("05.000", "True"), ("06.000", "False"), ("10.250", "True")))
    assert status == 1 and "recording.jsonl.gz 2026-11-20T09:00:05.000Z Pod shop/web: phase Provisioning → Ready" in text


def test_an_object_that_one_table_has_not(diff, tmp_path, capsys):
    text, status = diff(change=lambda t: "".join(line for line in t.splitlines(True) if "rules.yaml" not in line))
    assert status == 1 and "1 changed of 10: only in OLD 1" in text and "only in OLD: Ready none" in text
    assert table.show_differences(tmp_path / "new.tsv", tmp_path / "old.tsv", set()) == 1
    assert "1 changed of 11: only in NEW 1" in capsys.readouterr().out


def other_column(column):
    def change(text):
        cells = text.splitlines(True)[0].split("\t")
        cells[table.COLUMNS.index(column)] = "other"
        return "\t".join(cells) + "".join(text.splitlines(True)[1:])
    return change


@pytest.mark.parametrize("column", table.VERDICT)
def test_every_column_counts(diff, column):
    text, status = diff(change=other_column(column))
    assert status == 1 and "1 changed of 11: %s 1" % column in text


def test_columns_that_are_left_out(diff):
    text, status = diff(change=other_column("rule"), without=["rule"])
    assert status == 0 and "0 changed" in text
