# SPDX-License-Identifier: Apache-2.0
"""H writes a capsule: a recording of what explains the screen, which --replay opens at that place."""
import gzip
import json
import os
import re
import resource
import signal
import stat
import time

import pytest

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY, WIDGETS
from fakeapi import stall
from program import HERE, PROGRAM, wait_for
from terminal import Terminal, obey_interrupts
from test_opening import add_context

INCIDENT = os.path.join(HERE, "..", "..", "demo", "incident.jsonl.gz")
CAUSES = os.path.join(HERE, "..", "recordings", "causes.jsonl.gz")
CANARY = "c4nary"
WRITTEN = re.compile(r"(kubectl-status-\S+\.jsonl\.gz) written: (\d+) objects, (\d+) KB")


def bad(message="disk is full", **more):
    return {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": message}], **more}}


def crashed(secret):
    state = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}
    return {"spec": {"containers": [{"name": "app", "envFrom": [{"secretRef": {"name": secret}}]}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
                       "containerStatuses": [{"name": "app", "ready": False, "restartCount": 9, "state": state}]}}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty current directory, which the program inherits."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def broken(fake):
    fake.put("secrets", "db", data={"password": CANARY}, stringData={"password": CANARY}, annotations={"note": CANARY})
    fake.put("pods", "web", **crashed("db"))
    fake.put("widgets", "bad", spec={"url": "https://u:%s@host/x?token=%s" % (CANARY, CANARY)}, **bad())
    fake.put("widgets", "worse", **bad("no quota"))
    for i in range(30):
        fake.put("widgets", "fine-%d" % i, ns="elsewhere", **READY)
    return fake


def hand_over(term, here):
    """Presses H; the file and what was said of it."""
    before = set(os.listdir(here))
    term.keys("H")
    said = WRITTEN.search(term.wait(WRITTEN.search))
    new = set(os.listdir(here)) - before
    assert new == {said.group(1)}
    path = here / said.group(1)
    assert int(said.group(3)) == -(-os.path.getsize(path) // 1000)
    return path, int(said.group(2))


def records(path):
    return [json.loads(line) for line in gzip.open(path).read().decode().splitlines()]


def objects(path):
    return {(r["object"]["kind"], r["object"]["metadata"]["name"]) for r in records(path) if r.get("type") in ("ADDED", "MODIFIED")}


def screen_of(path):
    """The record of the screen; it is the first one, and the only one."""
    found = [i for i, r in enumerate(records(path)) if "screen" in r]
    assert found == [1]
    return records(path)[1]["screen"]


def rows(text, first="CAUSE"):
    """The lines of the list, without what ages."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if first in line)
    end = max(i for i, line in enumerate(lines) if line.startswith("─"))
    return [re.sub(r" +\d+[smh](?=\s)", "", line).rstrip() for line in lines[at + 1:end]]


def is_open(text):
    return "replay" in text and "ended" in text


# ---- what is written ------------------------------------------------------------------


def test_of_a_cluster(broken, run, here):
    """What the causes need is in it, and nothing else; the name is made safe, and only its owner may read it."""
    with run.screen("-A", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        term.keys("p")
        term.wait("CAUSE")
        path, n = hand_over(term, here)
    assert re.fullmatch(r"kubectl-status-c-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.jsonl\.gz", path.name)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    held = objects(path)
    assert {("Widget", "bad"), ("Widget", "worse"), ("Pod", "web"), ("Secret", "db")} <= held and len(held) == n
    assert not [name for kind, name in held if name.startswith("fine-")]
    assert CANARY not in gzip.open(path).read().decode()
    assert [p["view"] for p in screen_of(path)["places"]] == ["table", "problems"]
    doc = run.json("--replay", path)
    assert {(r["resource"]["kind"], r["resource"]["name"]) for r in doc["rootCauses"]} == {
        ("Widget", "bad"), ("Widget", "worse"), ("Pod", "web")}


def test_it_opens_at_the_same_place(broken, run, here):
    """The view, the row, the filter, the order, the marks, and what was acknowledged."""
    with run.screen("-A", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        term.keys("ss/widget\r")
        term.wait(lambda text: "by since" in text and "32 of 33 match" in text)
        term.keys("/\x15bad\r*")
        term.wait("marked")
        term.keys("p")
        term.wait("CAUSE")
        term.keys("a")
        term.wait(lambda text: "acknowledged: " in text)
        before = rows(term.wait("acknowledged"))
        path, _ = hand_over(term, here)
    broken.stop()
    assert screen_of(path)["sort"] == "since" and screen_of(path)["marked"][0]["name"] == "bad"
    with run.screen("--replay", path, rows=30, cols=120) as term:
        text = term.wait(lambda text: is_open(text) and "CAUSE" in text)
        assert rows(text) == before and "acknowledged" in text and "bad" in text
        term.keys("\x1b")
        text = term.wait(lambda text: "RESOURCE" in text and "widget/bad" in text)
        assert "widget/worse" not in "".join(rows(text, "RESOURCE")) and "by since" in text
        term.keys("\x1b")
        term.wait("widget/worse")


@pytest.mark.parametrize("keys, first", [("pj", "CAUSE"), ("zj", "ROOT CAUSE"), ("jjj", "RESOURCE"), ("pjt", "tree"), ("pjw", "why")])
def test_a_replay_is_handed_over_too(run, here, keys, first):
    """The rows around the selected one are what they were."""
    with run.screen("--replay", INCIDENT, "--as-of", "2026-11-21T05:03:18Z", rows=40, cols=140) as term:
        term.wait("paused")
        for key in keys:
            term.keys(key)
            term.wait(lambda text: True)
        term.wait(lambda text: first in text)
        shown = term.text().splitlines()
        path, _ = hand_over(term, here)
    with run.screen("--replay", path, rows=40, cols=140) as term:
        term.wait(lambda text: is_open(text) and first in text)
        again = term.text().splitlines()
    def lines(screen):
        """Without how many are well: the capsule has few of these."""
        return {line for line in screen[3:-2] if "✔" not in line}
    assert lines(shown) == lines(again)
    assert [line for line in again if line in lines(shown)][0] == [line for line in shown if line in lines(shown)][0]


def test_what_is_concluded_is_the_same(run, here):
    """Each object of it, and each root cause, has the verdict that it had among all objects."""
    for recording in (INCIDENT, CAUSES):
        with run.screen("--replay", recording, "--as-of", "0s", rows=40, cols=140) as term:
            term.wait("paused")
            path, n = hand_over(term, here)
        whole, part = run.json("--replay", recording, "-A"), run.json("--replay", path)
        everything = {(i["kind"], i.get("namespace"), i["name"]): i for i in whole["items"]}
        assert 30 < len(part["items"]) < len(everything)
        for item in part["items"]:
            assert item == everything[item["kind"], item.get("namespace"), item["name"]]

        def causes(doc):
            return {(r["cause"], r["resource"]["kind"], r["resource"]["name"], r.get("phase"), r["severity"], r.get("since"), r["blocks"])
                    for r in doc["rootCauses"]}
        assert causes(part) == causes(whole)
        os.unlink(path)


def test_from_a_minute_before(broken, run, here):
    """What happened since then is in it, moment by moment, as far as it was seen."""
    with run.screen("-A", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        for message in ("first", "second", "third"):
            broken.put("widgets", "bad", **bad(message))
            term.wait(message)
        broken.delete("widgets", "worse")
        term.wait(lambda text: "widget/worse" not in text or "gone" in text)
        path, _ = hand_over(term, here)
    steps = [(r["type"], r["object"]["metadata"]["name"]) for r in records(path)[1:] if r["object"].get("kind") == "Widget" and "coverage" not in r and "lookup" not in r]
    assert steps == [("ADDED", "bad"), ("ADDED", "worse"), ("MODIFIED", "bad"), ("MODIFIED", "bad"), ("MODIFIED", "bad"), ("DELETED", "worse")]
    times = [r["t"] for r in records(path)[1:]]
    assert times == sorted(times)


def test_groups_by_a_label(broken, run, here):
    """The columns of -L come with it, and the group by one of them."""
    for name, zone in (("one", "a"), ("two", "a"), ("three", "b")):
        broken.put("widgets", name, labels={"zone": zone, "tier": "x"}, **bad())
    with run.screen("widgets", "-L", "tier", "-L", "zone", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/three" in text)
        term.keys("6")
        before = rows(term.wait("by zone"), "PHASES")
        path, _ = hand_over(term, here)
    broken.stop()
    assert screen_of(path)["labels"] == ["tier", "zone"] and screen_of(path)["label"] == "zone"
    with run.screen("--replay", path, rows=30, cols=120) as term:
        assert rows(term.wait(lambda text: is_open(text) and "PHASES" in text), "PHASES") == before


def test_of_two_clusters(broken, serve, certificates, run, here):
    """Objects of one name in both stay apart; the name of the file has both contexts, made safe."""
    other = serve()
    other.put("widgets", "bad", **bad("elsewhere"))
    config = json.loads(open(run.env["KUBECONFIG"]).read())
    config["contexts"].append({"name": "b/2", "context": {"cluster": "d", "user": "u"}})
    config["clusters"].append({"name": "d", "cluster": {"server": other.url, "certificate-authority": str(certificates / "ca.crt")}})
    open(run.env["KUBECONFIG"], "w").write(json.dumps(config))
    with run.screen("-A", "--contexts", "c,b/2", rows=30, cols=140) as term:
        term.wait(lambda text: "live" in text and "elsewhere" in text and "no quota" in text)
        term.keys("p")
        term.wait("CAUSE")
        term.keys("jj*")
        path, _ = hand_over(term, here)
    assert path.name.startswith("kubectl-status-c-b-2-20")
    assert screen_of(path)["marked"][0]["cluster"] in ("c", "b/2")
    roots = {(r["resource"]["cluster"], r["resource"]["name"], r.get("message")) for r in run.json("--replay", path)["rootCauses"] if r["resource"]["kind"] == "Widget"}
    assert roots == {("c", "bad", "disk is full"), ("c", "worse", "no quota"), ("b/2", "bad", "elsewhere")}


def put_owned(fake, name, owner):
    """A failing pod that a widget has made; of nobody without owner."""
    with fake.changed:
        body = fake.put("pods", name, **crashed("db"))
        if owner:
            body["metadata"]["ownerReferences"] = [{"apiVersion": "example.org/v1", "kind": "Widget", "name": owner, "uid": "1", "controller": True}]
        body["metadata"]["labels"] = {"seen": "twice"}
        fake._event("pods", "MODIFIED", body)


def test_a_part_that_came_and_went(broken, run, here):
    """A pod that was replaced while somebody looked is told, although it is neither there now nor was it at the beginning."""
    with run.screen("widgets,pods", "-A", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        for name, owner in (("first", "bad"), ("stranger", None)):
            put_owned(broken, name, owner)
            term.wait("✖ 4 failed")
            broken.delete("pods", name)
            term.wait("✖ 3 failed")
        term.keys("/widget/worse\rw")
        term.wait("recovery")
        path, _ = hand_over(term, here)
    steps = [(r["type"], r["object"]["metadata"]["name"]) for r in records(path)[1:] if r["object"].get("kind") == "Pod" and "coverage" not in r and "lookup" not in r]
    assert ("ADDED", "first") in steps and ("DELETED", "first") in steps
    assert "stranger" not in gzip.open(path).read().decode()


def test_an_earlier_moment(run, here):
    """Paused at 05:01:30, it opens paused at 05:01:30, and what came later is in it, too."""
    with run.screen("--replay", INCIDENT, "--as-of", "0s", rows=40, cols=140) as term:
        term.wait("paused 05:03:19")
        term.keys("p{{")
        before = rows(term.wait("paused 05:01:19"))
        path, _ = hand_over(term, here)
    assert screen_of(path)["at"].startswith("2026-11-21T05:01:19.")
    with run.screen("--replay", path, rows=40, cols=140) as term:
        text = term.wait(lambda text: "paused 05:01:19" in text and "CAUSE" in text)
        assert rows(text) == before
        term.keys("}}")
        term.wait(lambda text: "paused 05:03:19" in text and "search" in text)


def test_what_is_asked_for_is_asked_again(broken, run, here):
    """TYPE, selector and the namespace; the command line has the last word."""
    broken.put("widgets", "other", labels={"app": "web"}, **bad("of the web"))
    with run.screen("widgets", "-l", "app=web", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/other" in text and "widgets -l app=web" in text)
        path, _ = hand_over(term, here)
    broken.stop()
    assert screen_of(path)["args"] == ["widgets"]
    with run.screen("--replay", path, rows=30, cols=120) as term:
        text = term.wait(lambda text: is_open(text) and "widget/other" in text)
        assert "widgets -l app=web" in text and "c ▸ default" in text and "widget/worse" not in text
    with run.screen("pods", "--replay", path, rows=30, cols=120) as term:
        text = term.wait(is_open)
        assert "widget/other" not in text.split("──")[-2]


def test_an_object_of_very_many_is_read(fake, run, here):
    """Of a kind with thousands not every object is kept: what belongs to the incident is asked for then, and nothing else."""
    for i in range(1100):
        fake.put("widgets", "a%04d" % i, **READY)
    fake.put("widgets", "z", spec={"size": 77}, **bad())
    with run.screen("widgets", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/z" in text)
        term.keys("p")
        term.wait("CAUSE")
        before = len(fake.seen())
        path, n = hand_over(term, here)
    assert {r.path for r in fake.seen()[before:]} - {WIDGETS} <= {"/apis/example.org/v1/namespaces/default/widgets/z", "/version"}
    assert ("Widget", "z") in objects(path)
    assert run.json("--replay", path)["rootCauses"][0]["resource"]["name"] == "z"


@pytest.mark.parametrize("then", ["q", "{"])
def test_what_comes_before_it_is_written_does_not_cut_it(run, here, then):
    """It is written step by step; the end of the session, or another moment, waits for the rest."""
    with run.screen("--replay", INCIDENT, "--as-of", "2026-11-21T05:03:18Z", rows=40, cols=140) as term:
        term.wait("paused")
        path, n = hand_over(term, here)
        whole = objects(path)
        path.unlink()
        term.keys("H" + then)
        wait_for(lambda: os.listdir(here))
        if then == "q":
            assert os.waitstatus_to_exitcode(term.end()) == 0
        else:
            term.wait(WRITTEN.search)
    [name] = os.listdir(here)
    assert objects(here / name) == whole and run("--replay", name, "-o", "json").stderr == b""


def test_twice(broken, run, here):
    """A capsule of a capsule has the same objects."""
    with run.screen("-A", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        first, n = hand_over(term, here)
    first = first.rename(here / "first.jsonl.gz")
    with run.screen("--replay", first, rows=30, cols=120) as term:
        term.wait(is_open)
        second, m = hand_over(term, here)
    assert objects(first) == objects(second) and n == m


def test_a_hundred_objects_fit_in_a_megabyte(fake, run, here):
    """Also when each has changed often, and has much in it that does not compress well."""
    def filler(seed):
        return {"k%d" % i: "%032x" % (hash((seed, i)) & (1 << 128) - 1) for i in range(100)}
    for i in range(100):
        fake.put("widgets", "w%03d" % i, spec=filler(i), **bad("0"))
    with run.screen("widgets", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget" in text)
        for k in range(1, 12):
            for i in range(100):
                fake.put("widgets", "w%03d" % i, spec=filler(i * 1000 + k), **bad("%d" % k))
        term.keys("p")
        term.wait("CAUSE")
        path, n = hand_over(term, here)
    assert n == 100 and os.path.getsize(path) <= 1000000
    assert len(run.json("--replay", path)["items"]) == 100


# ---- what can go wrong ------------------------------------------------------------------


def test_a_directory_that_cannot_be_written(broken, run, here):
    here.chmod(0o500)
    if os.access(here, os.W_OK):
        pytest.skip("root may write everywhere")
    with run.screen("-A", rows=24, cols=80) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        term.keys("H")
        term.wait("no capsule was written: Permission denied: kubectl-status-c-")
    assert os.listdir(here) == []


def test_a_directory_that_is_gone(broken, run, here):
    with run.screen("-A", rows=24, cols=80) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        here.rmdir()
        term.keys("H")
        term.wait("no capsule was written: No such file or directory: kubectl-status-c-")


def test_a_full_disk_leaves_nothing(broken, run, here, monkeypatch):
    """It is said in one line, and there is no half file."""
    class Full(Terminal):
        @staticmethod
        def _become(command, env, rows, cols):
            resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
            Terminal._become(command, env, rows, cols)
    with Full([PROGRAM, "-A"], run.env, 24, 80) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        term.keys("H")
        term.wait("no capsule was written: File too large: kubectl-status-c-")
    assert os.listdir(here) == []


def test_nothing_is_replaced(broken, run, here):
    """Two in one second have one name: the second is refused, and the first stays."""
    with run.screen("-A", rows=24, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        for _ in range(50):
            term.keys("HHHH")
            text = term.wait(lambda text: "written: " in text)
            if "File exists" in text:
                break
        assert "no capsule was written: File exists: kubectl-status-c-" in text
    for name in os.listdir(here):
        assert "rootCauses" in run.json("--replay", here / name)


def test_files_are_handed_over_as_they_are(run, here):
    (here / "a.yaml").write_text("apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: a, namespace: x}\n")
    with run.screen("-f", "a.yaml", "-A") as term:
        term.wait("widget/a")
        term.keys("H")
        term.wait("files are handed over as they are")
    assert os.listdir(here) == ["a.yaml"]


def quits(term, _):
    term.keys("q")


def quits_twice(term, _):
    term.keys("qq")


def is_ended(term, _):
    term.signal(signal.SIGTERM)


def loses_its_terminal(term, _):
    term.signal(signal.SIGHUP)


@pytest.mark.parametrize("end", [quits, quits_twice, is_ended, loses_its_terminal])
@pytest.mark.parametrize("answers", [True, False])
def test_it_is_written_before_the_end(broken, run, here, end, answers):
    """Whatever ends the dashboard, and whether the cluster still answers: the file is there, and its name is said."""
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 300))
    broken.put("widgets", "bad", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full",
                                                         "lastTransitionTime": since}]})
    if not answers:
        broken.on(WIDGETS + "/bad", stall, times=0)
    with run.screen("-A", rows=24, cols=100) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        term.keys("H")
        if end in (is_ended, loses_its_terminal):
            wait_for(lambda: term.read() and broken.seen(WIDGETS + "/bad"))
        end(term, run)
        status = term.end()
        said = WRITTEN.search(term.text())
    assert status == (0 if end in (quits, quits_twice) else signal.SIGTERM if end == is_ended else signal.SIGHUP)
    assert said and os.listdir(here) == [said.group(1)]
    assert screen_of(here / said.group(1))["places"]
    assert {("Pod", "web"), ("Secret", "db"), ("Widget", "bad"), ("Widget", "worse")} <= objects(here / said.group(1))


@pytest.mark.parametrize("keys, head", [(":ctx second\r", "second ▸ elsewhere"), (":kind gadget\r", "▸ gadgets"), (":ns other\r", "c ▸ other")])
def test_it_is_written_before_another_view(broken, run, here, keys, head):
    """It has what was on the screen when H was pressed, and the other view is shown then."""
    add_context(run, "second", namespace="elsewhere")
    broken.put("gadgets", "gizmo", **READY)
    broken.put("pods", "web", ns="elsewhere", **READY)
    broken.put("widgets", "there", ns="other", **READY)
    with run.screen(rows=24, cols=100) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text and "gadget" in text)
        term.keys("H" + keys)
        said = WRITTEN.search(term.wait(WRITTEN.search))
        assert {("Pod", "web"), ("Secret", "db"), ("Widget", "bad"), ("Widget", "worse")} <= objects(here / said.group(1))
        term.wait(lambda text: head in text.split("\n")[0])


def edited(path, out, change):
    lines = gzip.open(path).read().decode().splitlines()
    record = json.loads(lines[1])
    lines[1] = json.dumps(change(record), separators=(",", ":"))
    gzip.open(out, "wb").write("\n".join(lines).encode() + b"\n")
    return out


def with_screen(**screen):
    return lambda record: {**record, "screen": {**record["screen"], **screen}}


NOWHERE = {"group": "g" * 5000, "kind": "\x1b]0;x\x07", "namespace": "../..", "name": "x" * 100000, "cluster": "c2"}

NOBODY = {"group": "example.org", "kind": "Widget", "name": "nobody"}


@pytest.mark.parametrize("change", [
    lambda record: {**record, "screen": "text"},
    lambda record: {**record, "screen": {}},
    with_screen(places="no list", marked=7, acknowledged={"a": 1}, folds=[[]], sort=["x"], group=-1, at="yesterday"),
    with_screen(places=[{"view": "nothing"}]),
    with_screen(places=[{"view": "details", "subject": NOWHERE}]),
    with_screen(places=[{"view": "table", "filter": "phase:nothing \x1b[2J" + "ü" * 5000, "row": 1 << 40, "top": -3}]),
    with_screen(places=[{"view": "table", "row": 999999, "top": 999999, "object": NOWHERE}] + [{"view": "problems", "row": 77}] * 500),
    with_screen(marked=[NOBODY] * 500, acknowledged=[NOBODY] * 500, folds=[{"row": i, "object": NOBODY} for i in range(500)]),
    with_screen(marked=[NOBODY] * 500000),
    with_screen(args=["nothing-is-called-this", "a/b/c", "-o", "json"], selector="((("),
    with_screen(args=["widgets"], selector="a in (b", at="2999-01-01T00:00:00Z", mark="1970-01-01T00:00:00Z", changesWindow=1 << 50),
    with_screen(at="1970-01-01T00:00:01Z", changesWindow=-5, preview="x", label="x" * 9999, group="label"),
])
def test_a_hostile_capsule_does_no_harm(broken, run, here, change):
    """What it says of the screen and makes no sense is left out."""
    with run.screen("-A", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        path, _ = hand_over(term, here)
    path = edited(path, here / "edited.jsonl.gz", change)
    assert len(run.json("--replay", path)["items"]) > 2
    with run.screen("--replay", path, rows=30, cols=120) as term:
        term.wait(lambda text: "replay" in text or "paused" in text)
        for key in ("p", "j", "\x1b", "\x1b", "\x1b", "/", "\x15", "\r", "?", "\x1b"):
            term.keys(key)
        term.wait(lambda text: "widget/" in text)
        assert b"\x1b]0;x" not in term.raw
        term.keys("\x03")
        term.end()
        assert term.status is not None


def test_no_cluster_is_asked(broken, run, here):
    """A capsule is a recording: the cluster that it is of may be there, and hears nothing."""
    with run.screen("-A", rows=30, cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/worse" in text)
        path, _ = hand_over(term, here)
    before = len(broken.seen())
    with run.screen("--replay", path, rows=30, cols=140) as term:
        term.wait(is_open)
        term.keys("p")
        term.wait("CAUSE")
    assert len(broken.seen()) == before


def test_a_part_of_a_replay_without_a_screen(run, here):
    """--record copies a part, which plays from its beginning; of a capsule, too."""
    with run.screen("--replay", INCIDENT, "--as-of", "0s", rows=40, cols=140) as term:
        term.wait("paused")
        path, _ = hand_over(term, here)
    run.text("--replay", path, "--from", "60s", "--to", "0s", "--record", here / "part.jsonl.gz")
    assert not [r for r in records(here / "part.jsonl.gz") if "screen" in r]
    whole, part = run.json("--replay", path), run.json("--replay", here / "part.jsonl.gz")
    assert [(i["kind"], i["name"], i["phase"]) for i in whole["items"]] == [(i["kind"], i["name"], i["phase"]) for i in part["items"]]
