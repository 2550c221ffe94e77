# SPDX-License-Identifier: Apache-2.0
"""What --watch last told of each object is what -o json tells of it at that moment, whatever else has happened."""
import gzip
import json
import pathlib

import pytest

TESTS = pathlib.Path(__file__).resolve().parent.parent
RECORDINGS = [*sorted(TESTS.glob("operators/*/recording.jsonl.gz")), *sorted(TESTS.glob("recordings/*.jsonl.gz")),
              *sorted((TESTS.parent / "demo").glob("*.jsonl.gz"))]
BY_TIME = {"self", "unknown"}   # an object that makes no step ceases to recover by itself: time alone decides, and is not told


def key(item):
    return item.get("cluster"), item["apiVersion"].rpartition("/")[0], item["kind"], item.get("namespace"), item["name"]


def told(run, *args):
    """The last document of each object that is there at the end, and how many documents there were."""
    last, lines = {}, run.text("--watch", "-o", "json", *args).splitlines()
    for item in map(json.loads, lines):
        if item.pop("event") == "DELETED":
            del last[key(item)]
        else:
            last[key(item)] = item
    return last, len(lines)


def without_time(item):
    return {k: "by time" if k == "recovery" and v in BY_TIME else v for k, v in item.items()}


def moments(path, n):
    """n times between the first and the last of a recording."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        times = sorted({json.loads(line)["t"] for line in lines if line.startswith('{"t":')})
    return [times[len(times) * i // (n + 1)] for i in range(1, n + 1)]


def test_there_are_recordings():
    assert len(RECORDINGS) > 10


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda p: p.parent.name)
def test_what_was_last_told_holds(run, path):
    for at in [[], *(["--as-of", t] for t in moments(path, 3))]:
        args = "--replay", path, "-A", *at
        last, documents = told(run, *args)
        now = {key(item): item for item in run.json(*args)["items"]}
        assert {k: without_time(v) for k, v in last.items()} == {k: without_time(v) for k, v in now.items()}
        assert documents >= len(now) > 0


def record(second, obj, event="ADDED"):
    return json.dumps({"t": "2026-11-20T09:00:%02d.000Z" % second, "type": event, "object": obj}) + "\n"


def pod(name, node):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "shop", "uid": name, "creationTimestamp": "2026-11-20T08:00:00Z"},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}


def test_a_row_tells_what_a_row_shows(run, tmp_path):
    """That the node of a pod is met changes a document of the pod, and no row."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n"},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    path = tmp_path / "recording.jsonl"
    path.write_text('{"kind":"Recording","apiVersion":"kubectl-status/v1","startedAt":"2026-11-20T09:00:00Z","kinds":[]}\n'
                    + record(1, pod("web", "n")) + record(5, node))
    documents = [json.loads(line) for line in run.text("--replay", path, "-A", "-w", "-o", "json").splitlines()]
    found = [[d.get("found") for d in item["dependencies"] if d["on"]["kind"] == "Node"] for item in documents if item["name"] == "web"]
    assert found == [[None], [True]]
    assert run.text("--replay", path, "-A", "-w", "-o", "name").splitlines() == ["pod/web"]
