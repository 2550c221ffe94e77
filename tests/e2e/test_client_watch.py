# SPDX-License-Identifier: Apache-2.0
"""Watches through the real program: how they begin, end, break and go on."""
import json
import re
import time

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import after, bare, GADGETS, IDLE_CPU, is_list, is_watch, READY, sanitized, WIDGETS
from fakeapi import END, HANG_UP, RESET, answer, broken, event, stall, status
from program import wait_for


def test_parameters_of_a_watch(fake, run, watching):
    fake.put("widgets", "a", **READY)
    watching(run, "widgets", "-l", "!x")
    [watch] = fake.await_requests(1, WIDGETS, watch=True)
    assert 300 <= int(watch.query.pop("timeoutSeconds")) <= 600
    assert watch.query == {"watch": "true", "resourceVersion": "101", "allowWatchBookmarks": "true", "labelSelector": "!x"}
    assert re.match(r".*\?allowWatchBookmarks=.*&labelSelector=%21x&resourceVersion=", watch.target)


def test_watch_of_one_object(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets", "a")
    [watch] = fake.await_requests(1, WIDGETS, watch=True)
    assert watch.query["fieldSelector"] == "metadata.name=a"
    w.wait(("ADDED", "a"))


def test_events_split_anywhere(fake, run, watching):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    body = bare(fake, "widgets", "a", 200)
    body["status"]["conditions"][0].update(status="False", message='Zürich \\ "€" 𝄞')
    text = json.dumps({"type": "ADDED", "object": body}, ensure_ascii=False).encode() + b"\n"
    fake.inject("widgets", *[text[i:i + 1] for i in range(len(text))])
    w.wait(("ADDED", "a"))
    assert w.events[0]["message"] == 'Zürich \\ "€" 𝄞'


def test_events_together_and_pretty_printed(fake, run, watching):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    one, two, three = [bare(fake, "widgets", n, 200 + i) for i, n in enumerate("abc")]
    pretty = json.dumps({"type": "ADDED", "object": three}, indent=2).encode()
    fake.inject("widgets", event("ADDED", one).strip() + event("ADDED", two) + pretty)
    w.wait(("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c"))


def test_bookmark_then_end_resumes_from_it(fake, run, watching):
    watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.bookmark("widgets")
    fake.inject("widgets", END)
    start = time.monotonic()
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == str(fake.version) and time.monotonic() - start < 0.7
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_end_after_an_event_resumes_at_once(fake, run, watching):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    for i in range(3):
        fake.put("widgets", "a%d" % i, **READY)
        w.wait(("ADDED", "a%d" % i))
        start = time.monotonic()
        fake.inject("widgets", END)
        watches = fake.await_requests(2 + i, WIDGETS, watch=True)
        assert time.monotonic() - start < 0.7 and after(watches[-1]) == str(fake.version)
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_watches_that_end_at_once_are_not_hammered(fake, run, watching):
    fake.on(WIDGETS, broken(b"", END), is_watch, times=0)
    w = watching(run, "widgets")
    requests = fake.await_requests(3, WIDGETS, watch=True)
    assert requests[1].time - requests[0].time > 0.7 and requests[2].time - requests[1].time > 1.4
    assert len(fake.seen(WIDGETS, watch=False)) >= 2, "listed anew, should the version be the reason"
    assert w.finish() < IDLE_CPU or sanitized()


@pytest.mark.parametrize("how", ["in the stream", "instead of it"])
def test_expired_version_relists_without_noise(fake, run, watching, how):
    for name in ("stays", "goes", "changes"):
        fake.put("widgets", name, **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    w.wait(("ADDED", "stays"), ("ADDED", "goes"), ("ADDED", "changes"))
    if how == "instead of it":
        fake.on(WIDGETS, status(410, "Expired", "too old resource version"), is_watch)
    fake.stop()
    fake.objects.pop(("widgets", "default", "goes"))
    fake.objects["widgets", "default", "changes"]["status"] = {"conditions": [{"type": "Ready", "status": "False"}]}
    fake.objects["widgets", "default", "changes"]["metadata"]["resourceVersion"] = str(fake.version + 1)
    fake.compact()
    fake.start()
    w.wait(("DELETED", "goes"), ("MODIFIED", "changes"))
    fake.put("widgets", "new", **READY)
    w.wait(("ADDED", "new"))
    assert len(w.changes()) == 6, w.changes()


def test_recreated_while_away(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(1, WIDGETS, watch=True)
    fake.on(WIDGETS, stall, is_list, times=0)
    fake.delete("widgets", "a")
    fake.put("widgets", "a", **READY)
    wait_for(lambda: w.changes() == [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")])


def waiting_for_gadget(reason):
    return {"spec": {"gadgetRef": {"apiVersion": "example.org/v1", "kind": "Gadget", "name": "g"}},
            "status": {"conditions": [{"type": "Ready", "status": "False", "reason": reason, "message": 'gadget "g" is not ready'}]}}


def test_expired_list_with_a_selector_keeps_what_was_looked_up(fake, run, watching):
    """Of another kind that the selector is for, too: without the label, found by its name."""
    fake.put("gadgets", "g", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Broken"}]})
    fake.put("widgets", "a", labels={"app": "x"}, **waiting_for_gadget("Pending"))
    w = watching(run, "widgets,gadgets", "-l", "app=x")
    wait_for(lambda: w.events and [c["name"] for c in w.events[-1].get("rootCauses", [])] == ["g"])
    by_name = {"fieldSelector": "metadata.name=g"}.items()
    wait_for(lambda: [r for r in fake.seen(GADGETS, watch=True) if "labelSelector" in r.query] and
             [r for r in fake.seen(GADGETS, watch=True) if by_name <= r.query.items()])
    fake.inject("gadgets", event("ERROR", {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"}), END)
    wait_for(lambda: len([r for r in fake.seen(GADGETS, watch=False) if "labelSelector" in r.query]) >= 2)
    fake.put("gadgets", "late", labels={"app": "x"}, **READY)
    w.wait(("ADDED", "late"))
    fake.put("widgets", "a", labels={"app": "x"}, **waiting_for_gadget("StillPending"))
    wait_for(lambda: w.events[-1].get("reason") == "StillPending")
    assert [c["name"] for c in w.events[-1]["rootCauses"]] == ["g"]
    assert {e["name"] for e in w.events} == {"a", "late"}, "what the selector does not choose is not shown"


@pytest.mark.parametrize("raw", [
    b"certainly no JSON\n", b'{"type":"ADDED","object":{"metadata"', b'{"type":"SURPRISE","object":{}}\n', b'{"type":"ADDED"}\n',
], ids=["garbage", "half", "type", "no-object"])
def test_watch_that_cannot_be_read_is_begun_anew(fake, run, watching, raw):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.inject("widgets", raw, END)
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == after(watches[0]) and watches[1].time - watches[0].time > 0.5
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert len(fake.seen(WIDGETS, watch=False)) == 1 and len(w.changes()) == 2


@pytest.mark.parametrize("raw", [
    b"{\n", b'{"type":"ADDED","object":{"metadata":{"name":"to\n', b'{"type":"ADDED","object":\n', b"\0\n",
    b'{"type":"ADDED","object":{"metadata":{"name":"\0","namespace":"default"}}}\n', b'{"object":{"metadata":{"name":"x"}}}\n',
], ids=["bracket", "string", "value", "nul", "nul-in-name", "no-type"])
def test_torn_event_ends_the_watch_at_once(fake, run, watching, raw):
    """The server does not end it, and has more to say: what it said behind is asked for again."""
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    [first] = fake.await_requests(1, WIDGETS, watch=True)
    fake.inject("widgets", raw)
    fake.put("widgets", "b", **READY)
    fake.put("widgets", "c", **READY)
    start = time.monotonic()
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == after(first) and time.monotonic() - start < 3
    w.wait(("ADDED", "b"), ("ADDED", "c"))
    assert len(fake.seen(WIDGETS, watch=False)) == 1 and len(w.changes()) == 3


@pytest.mark.parametrize("raw, name", [
    (b'{"type":"ADDED","object":{"metadata":{"namespace":"default"}}}\n', None),
    (b'{"type":"ADDED","object":{"metadata":{"name":"caf\xe9","namespace":"default"},"status":{}}}\n', "caf"),
    (b'{"type":"ADDED","object":{"metadata":{"name":"last","namespace":"default","resourceVersion":"150"}}}', "last"),
], ids=["no-name", "no-utf8", "no-newline"])
def test_odd_events_do_not_end_it(fake, run, watching, raw, name):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.inject("widgets", raw)
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert not name or [e for e in w.events if e["name"].startswith(name)]
    assert len(fake.seen(WIDGETS, watch=True)) == 1


@pytest.mark.parametrize("how", [RESET, HANG_UP], ids=["stream", "connection"])
def test_watch_that_breaks_resumes_from_its_version(fake, run, watching, how):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "a", **READY)
    w.wait(("ADDED", "a"))
    fake.inject("widgets", how)
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == str(fake.version)
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_the_probe_waits_as_told(fake, run, watching):
    """What asks whether the server is back asks no sooner than it said."""
    watching(run.hurry(), "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.on("*", status(429, "TooManyRequests", headers={"retry-after": "3"}), times=0)
    fake.inject("widgets", HANG_UP)
    probes = fake.await_requests(2, "/version")
    assert run.passed(probes[1].time, probes[0].time) >= 2.9


def test_throttled_watch_waits_as_told_and_keeps_its_version(fake, run, watching):
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, status(429, "TooManyRequests", headers={"retry-after": "2"}), is_watch)
    watching(run, "widgets")
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert watches[1].time - watches[0].time >= 2 and after(watches[1]) == after(watches[0])
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_throttled_in_the_stream_waits_as_told(fake, run, watching):
    busy = {"kind": "Status", "status": "Failure", "code": 429, "reason": "TooManyRequests", "details": {"retryAfterSeconds": 2}}
    fake.on(WIDGETS, answer(event("ERROR", busy)), is_watch)
    watching(run, "widgets")
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert watches[1].time - watches[0].time >= 2 and after(watches[1]) == after(watches[0])


def test_idle_watch_costs_nothing(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    n, end = len(fake.seen()), time.monotonic() + 2.5
    wait_for(lambda: time.monotonic() > end)
    assert len(fake.seen()) == n
    assert w.finish() < IDLE_CPU or sanitized()


def test_outage_costs_little_and_ends(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.stop()
    end = time.monotonic() + 3
    wait_for(lambda: time.monotonic() > end)
    fake.start()
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "a"), ("ADDED", "b"))
    assert len(w.changes()) == 2 and len(fake.seen(WIDGETS, watch=False)) == 1
    assert w.finish() < IDLE_CPU or sanitized()


def test_waits_for_a_phase(fake, run):
    fake.put("widgets", "a", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Creating"}]})
    child = run.start("widget/a", "--for", "Ready", "--timeout", "10s", "-v", "6")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "a", **READY)
    assert child.wait(20) == 0, child.stderr.read()
    child.stdout.close()
    child.stderr.close()


def test_object_that_stops_matching_a_selector_has_left_the_selection(fake, run, watching):
    """The server calls it DELETED, and does not tell whether it is; when it matches again it is new."""
    fake.put("widgets", "a", labels={"app": "x"}, **READY)
    w = watching(run, "widgets", "-l", "app=x")
    w.wait(("ADDED", "a"))
    fake.await_requests(1, WIDGETS, watch=True)
    gone = bare(fake, "widgets", "a", 500)
    gone["metadata"]["labels"] = {"app": "x"}
    gone["metadata"]["uid"] = fake.objects["widgets", "default", "a"]["metadata"]["uid"]
    fake.inject("widgets", event("DELETED", gone))
    w.wait(("DESELECTED", "a"))
    fake.inject("widgets", event("ADDED", {**gone, "metadata": {**gone["metadata"], "resourceVersion": "501"}}))
    wait_for(lambda: w.changes() == [("ADDED", "a"), ("DESELECTED", "a"), ("ADDED", "a")])


LEFT = "not in the selection any more (deleted, or its labels or fields changed)"


def test_what_left_the_selection_is_never_called_deleted(fake, run, tmp_path):
    """In rows, sentences and views; the recording tells it, too."""
    for name in "abc":
        fake.put("widgets", name, labels={"app": "x"}, **READY)
    recording = tmp_path / "r.jsonl"
    with run.hurry().screen("widgets", "-l", "app=x", "--record", recording, rows=24, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "widget/c" in text)
        fake.put("widgets", "a", labels={"app": "y"}, **READY)
        term.wait("left the selection, was Ready")
        with fake.changed:      # one that is not there when the list is read again
            del fake.objects["widgets", "default", "b"]
        fake.compact()
        term.wait(lambda text: re.search("widget/b .*left the selection, was Ready", text), seconds=90)
        term.keys("T")
        term.wait(lambda text: text.count("left the selection  was Ready") == 2)
        term.keys("\x1bC")
        text = term.wait("Ready → not in the selection")
        assert "gone" not in "\n".join(text.split("\n")[3:-2])
        term.keys("\x1b")
        term.wait("PHASE")
        term.keys("q")
        term.end()
    rows = run.text("--replay", recording, "-w")
    assert rows.count(LEFT) == 2 and "DELETED" not in rows
    events = [json.loads(line) for line in run.text("--replay", recording, "-w", "-o", "json").splitlines()]
    assert sorted((e["event"], e["name"]) for e in events[3:]) == [("DESELECTED", "a"), ("DESELECTED", "b")]


def test_what_is_known_to_exist_and_does_not_match_is_told(run, tmp_path):
    """In a recording of all objects: its labels were changed."""
    def line(second, kind, labels):
        return {"t": "2026-11-20T09:00:0%d.000Z" % second, "type": kind, "object": {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {
            "namespace": "shop", "name": "a", "uid": "u", "labels": labels, "creationTimestamp": "2026-11-19T09:00:00Z"}, **READY}}

    header = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "coverage": "recorded"}
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(x) + "\n" for x in (header, line(0, "ADDED", {"app": "x"}), line(1, "MODIFIED", {"app": "y"}),
                                                            line(2, "MODIFIED", {"app": "x"}), line(3, "DELETED", {"app": "x"}))))
    events = [json.loads(text)["event"] for text in run.text("--replay", path, "-A", "-l", "app=x", "-w", "-o", "json").splitlines()]
    assert events == ["ADDED", "DESELECTED", "ADDED", "DELETED"]
    assert "(its labels or fields changed)" in run.text("--replay", path, "-A", "-l", "app=x", "-w")


def test_a_label_alone_that_tells_the_owner_is_told(fake, run, watching):
    """Nothing else of the object has changed, and nothing of its verdict."""
    fake.put("widgets", "a", labels={"team": "red"}, **READY)
    w = watching(run, "widgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "a", labels={"team": "blue"}, **READY)
    w.wait(("MODIFIED", "a"))
    fake.put("widgets", "a", labels={"team": "blue", "size": "large"}, **READY)
    fake.put("widgets", "late", **READY)
    w.wait(("ADDED", "late"))
    assert [(e["name"], e.get("owner")) for e in w.events] == [("a", "red"), ("a", "blue"), ("late", None)]
