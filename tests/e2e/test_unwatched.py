# SPDX-License-Identifier: Apache-2.0
"""What nobody looked at for a time has neither gone nor come, changed nor healed: that time is a gap, and marked as one."""
import json
import re
import time
from contextlib import contextmanager

import pytest

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from program import wait_for
from test_session import copied

BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full"}]}}
GAP = re.compile(r"not watched \d\d:\d\d:\d\d–\d\d:\d\d:\d\d")


def stamp(seconds=0):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


@contextmanager
def another_kind(run, fake, *args, seconds=4):  # noqa: F811
    """A dashboard in which gadgets were shown for some seconds: meanwhile w1 was deleted, w2 broke, w3 was changed, w9 was made."""
    for i in range(4):
        fake.put("widgets", "w%d" % i, spec={"size": 1}, **READY)
    fake.put("gadgets", "fine", **READY)
    run.hurry()
    with run.screen(*args, cols=180, rows=30) as term:
        term.wait(lambda text: "live ●" in text and "widget/w3" in text)
        fake.put("widgets", "w0", **BAD)
        term.wait("disk is full")
        fake.put("widgets", "w0", **READY)
        term.wait("✔ Ready, was Failed")
        term.keys(":kind gadget\r")
        term.wait(lambda text: "in this selection of gadgets" in text and "live ●" in text)
        began = time.monotonic()
        fake.delete("widgets", "w1")
        fake.put("widgets", "w2", **BAD)
        fake.put("widgets", "w3", spec={"size": 2}, **READY)
        fake.put("widgets", "w9", created=stamp(3600), **READY)
        wait_for(lambda: run.passed(time.monotonic(), began) > seconds, seconds=120)     # before a sanitizer time does not hurry
        term.keys("\x1b")
        term.wait(lambda text: "disk is full" in text and "widget/w9" in text and "live ●" in text)
        yield term


def view(term, key, what):
    term.keys(key)
    text = term.wait(what)
    rows = [line for line in term.lines()[3:-2] if line.strip()]
    term.keys("\x1b")
    term.wait("PHASE")
    return text, "\n".join(rows)


def test_another_kind_and_back_invents_nothing(fake, run):  # noqa: F811
    with another_kind(run, fake) as term:
        head = term.lines()[0]
        assert "new in 5m" not in head and "gone" not in term.text() and "was Ready" not in term.text()
        text, rows = view(term, "C", "changes · ")
        assert GAP.search(text) and "1 object changed" in text and "gone" not in rows and "new" not in rows
        assert "w0" in rows and not re.search("w1|w2|w3|w9", rows)
        text, rows = view(term, "T", "timeline of all")
        assert len(re.findall(r"observed", rows)) == 2 and not re.search(r"gone|appeared|w1|w9", rows)
        assert re.search(r"not watched +until \d\d:\d\d:\d\d: what happened is not known +gap", rows)
        term.raw = b""
        term.keys("M")
        markdown = wait_for(lambda: term.read() and copied(term))
        assert "widget/w2" in markdown and not re.search("deleted|created|w1|w9", markdown)
        # what happens while somebody looks is told again
        fake.delete("widgets", "w3")
        fake.put("widgets", "w7", created=stamp(3600), **READY)
        text, rows = view(term, "C", lambda text: "1 gone" in text and "1 new" in text)
        assert re.search("w3 .*gone", rows) and re.search("w7 .*new", rows) and not re.search("w1|w9", rows)


def test_the_way_back_in_time_marks_it(fake, run):  # noqa: F811
    with another_kind(run, fake) as term:
        term.keys("[")
        text = term.wait(lambda text: "paused" in text and "w0 Failed → Ready" in text)
        assert re.search(r"·{3,}▁*", term.lines()[1]) and "· not watched" in text
        fake.put("widgets", "w0", **BAD)
        term.keys("P")
        term.wait(lambda text: "live ●" in text and "widget/w0" in text)
        term.keys("[[")
        term.wait(lambda text: "paused" in text and "w0 Failed → Ready" in text)
        term.keys("]")
        text = term.wait("w0 Ready → Failed")
        assert "not watched then" not in text


def test_a_moment_in_which_nobody_watched_claims_nothing(fake, run):  # noqa: F811
    with another_kind(run, fake, seconds=62) as term:
        term.keys("{")  # a minute back from any moment of the next minute
        text = term.wait("paused")
        assert "not watched then" in text.split("\n")[0] and "nothing has failed" not in text
        term.keys("M")
        text = term.wait("opied")


def test_a_namespace_that_is_read_now_is_not_new(fake, run):  # noqa: F811
    fake.put("widgets", "a", **READY)
    with run.hurry().screen("widgets", cols=160) as term:
        term.wait("widget/a")
        began = time.monotonic()
        wait_for(lambda: run.passed(time.monotonic(), began) > 3)
        fake.put("widgets", "b", ns="other", created=stamp(3600), **READY)
        term.keys(":ns other\r")
        term.wait(lambda text: "widget/b" in text and "live ●" in text)
        text, rows = view(term, "C", "changes · ")
        assert "0 objects changed" in text and GAP.search(text) and "Nothing was seen to change" in rows
        text, rows = view(term, "T", "timeline of all")
        assert "appeared" not in rows and "not watched" in rows


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()][1:]


def test_a_recording_tells_what_was_not_watched(fake, run, tmp_path):  # noqa: F811
    path, page = tmp_path / "r.jsonl", tmp_path / "r.md"
    with another_kind(run, fake, "--record", path) as term:
        fake.put("widgets", "w0", spec={"size": 7}, **READY)
        view(term, "C", "spec.size")
        term.keys("q")
        term.end()
    all_of = records(path)
    assert [r["object"]["metadata"]["name"] for r in all_of if r.get("unwatched")] == ["w0", "w1", "w2", "w3"]
    assert sorted(r["object"]["metadata"]["name"] for r in all_of if r.get("met")) == ["w0", "w2", "w3", "w9"]
    assert not [r for r in all_of if r["type"] == "DELETED"]
    now = json.loads(run.text("--replay", path, "-o", "json"))
    assert sorted(i["name"] for i in now["items"]) == ["fine", "w0", "w2", "w3", "w9"]
    changed = {o["name"]: o for o in json.loads(run.text("--replay", path, "--diff", "1h,0s", "-o", "json"))}
    assert list(changed) == ["w0"] and changed["w0"]["change"] == "changed"
    assert re.fullmatch(r"Warning: not everything was watched from \S+ to \S+: what happened then is not known\n",
                        run("--replay", path, "--diff", "1h,0s").stderr.decode())
    steps = json.loads(run.text("--replay", path, "--from", "1h", "-o", "json"))
    assert {o["name"] for o in steps} == {"w0"}, "one by one"
    run.text("--replay", path, "--report", page)
    text = page.read_text()
    assert "A gap: not everything was watched from" in text and not re.search("w1.*(gone|deleted)|w9.*new", text)
    with run.screen("--replay", path, "--speed", "1000", cols=180, rows=30) as term:
        term.wait("ended")
        text, rows = view(term, "T", "timeline of all")
        assert not re.search("gone|appeared|w1|w9", rows) and "not watched" in rows
        text, rows = view(term, "C", "changes · ")
        assert GAP.search(text) and not re.search("gone|new|w1|w9", rows)


def test_an_older_program_passes_these_records_over(run, tmp_path):  # noqa: F811
    """Members that are not known are ignored, so that a recording of today is read as ever."""
    path = tmp_path / "r.jsonl"
    header = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "coverage": "recorded"}
    thing = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "shop"}, **READY}
    path.write_text("".join(json.dumps(line) + "\n" for line in (
        header, {"t": "2026-11-20T09:00:00.000Z", "type": "ADDED", "object": thing, "met": True},
        {"t": "2026-11-20T09:00:01.000Z", "type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}},
         "unwatched": True})))
    assert [i["name"] for i in json.loads(run.text("--replay", path, "-o", "json"))["items"]] == ["a"]


def test_a_capsule_tells_it_too(fake, run, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    with another_kind(run, fake) as term:
        term.keys("H")
        path = wait_for(lambda: next(tmp_path.glob("*.jsonl.gz"), None))
        term.keys("q")
        term.end()
    with run.screen("--replay", path, cols=180, rows=30) as term:
        term.wait(lambda text: "widget/w2" in text)
        text, rows = view(term, "C", "changes · ")
        assert not re.search("gone|new|w1|w9", rows) and GAP.search(text)
        text, rows = view(term, "T", "timeline of all")
        assert not re.search("gone|appeared", rows) and "not watched" in rows


@pytest.mark.parametrize("deleted", [True, False])
def test_what_the_server_says_is_deleted_is_told(fake, run, deleted):  # noqa: F811
    """Also where a watch has to begin anew: a list of a kind that is still looked at says what is gone."""
    fake.put("widgets", "a", **READY)
    fake.put("widgets", "b", **READY)
    with run.hurry().screen("widgets", cols=160) as term:
        term.wait(lambda text: "widget/b" in text and "live ●" in text)
        if deleted:
            fake.delete("widgets", "a")
        else:
            with fake.changed:
                del fake.objects["widgets", "default", "a"]
            fake.compact()
        term.wait("gone", seconds=90)
        text, rows = view(term, "C", "1 gone")
        assert re.search("widget/a .*gone", rows)


HEADER = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "coverage": "recorded"}
KIND = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"namespace": "shop"}}


def lines(tmp_path, back):
    """a breaks; nobody looks from 09:03 on; with back, a is Ready when somebody looks again at 09:06."""
    def thing(name, **fields):
        return {**KIND, "metadata": {"namespace": "shop", "name": name, "uid": name, "creationTimestamp": "2026-11-19T09:00:00Z"}, **fields}

    def bookmark(minute, **members):
        return {"t": "2026-11-20T09:%02d:00.000Z" % minute, "type": "BOOKMARK", "object": {}, **members}

    def event(minute, kind, obj, **members):
        return {"t": "2026-11-20T09:%02d:00.000Z" % minute, "type": kind, "object": obj, **members}

    all_of = [HEADER, event(0, "ADDED", thing("a", **READY)), bookmark(0, object=KIND, coverage="complete"),
              bookmark(0, object={"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}), event(1, "MODIFIED", thing("a", **BAD)),
              bookmark(2), bookmark(3, object=KIND, coverage="none"), bookmark(3, object=thing("a"), unwatched=True), bookmark(4), bookmark(5)]
    if back:
        all_of += [event(6, "ADDED", thing("a", **READY), met=True), bookmark(6, object=KIND, coverage="complete"), bookmark(7)]
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in all_of))
    return path


def test_a_cause_that_nobody_watches_any_more_has_not_healed(run, tmp_path):  # noqa: F811
    page = tmp_path / "page.md"
    run.text("--replay", lines(tmp_path, False), "--report", page)
    text = page.read_text()
    assert "Since 09:01:00, not watched any more from 09:03:00" in text and "not watched since" in text and "healed" not in text
    assert "A gap: not everything was watched from 09:03:00 to 09:05:00" in text


def test_what_healed_while_nobody_watched_is_no_change_to_failed(run, tmp_path):  # noqa: F811
    path = lines(tmp_path, True)
    done = run("--replay", path, "--diff", "1h,0s")
    assert done.stdout == b"" and b"Nothing was seen to change between these moments." in done.stderr


@pytest.mark.parametrize("form, rows", [
    (["-o", "wide"], ["Ready", "Failed", "Ready"]), (["-o", "json"], ["ADDED", "MODIFIED", "UNWATCHED", "ADDED"])])
def test_printed_changes_tell_of_the_gap_and_of_no_deletion(run, tmp_path, form, rows):  # noqa: F811
    done = run("--replay", lines(tmp_path, True), "-w", *form)
    said = done.stdout.decode()
    assert "DELETED" not in said and "deleted" not in said
    found = re.findall('"event":"([A-Z]+)"' if "json" in form else "Ready|Failed", said)
    assert found == rows
    assert done.stderr.decode().count("not everything was watched from 2026-11-20T09:03:00Z to 2026-11-20T09:06:00Z: what happened then is not known") == 1
    done = run("--replay", lines(tmp_path, False), "-w", *form)
    assert "DELETED" not in done.stdout.decode() and b"deleted" not in done.stdout
    assert b"not everything was watched from 2026-11-20T09:03:00Z to 2026-11-20T09:05:00Z" in done.stderr


def test_a_whole_recording_has_no_gap(run, tmp_path):  # noqa: F811
    path = lines(tmp_path, False)
    whole = [line for line in path.read_text().splitlines(True) if '"coverage": "none"' not in line and "unwatched" not in line]
    path.write_text("".join(whole))
    assert b"watched" not in run("--replay", path, "-w").stderr
