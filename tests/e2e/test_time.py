# SPDX-License-Identifier: Apache-2.0
"""Standing still in the dashboard: what it shows of a moment is what was there then."""
import gzip
import json
import os
import re

import pytest

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)

DEMO = os.path.join(os.path.dirname(__file__), "../../demo/incident.jsonl.gz")
BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full"}]}}
WORDS = {"failed": ["Failed"], "deleting": ["Deleting"], "waiting": ["Waiting"], "degraded": ["Degraded"],
         "under way": ["Provisioning", "Updating", "Maintenance", "Scaling"], "ready": ["Ready"], "suspended": ["Suspended"],
         "unknown": ["Unknown"]}


def paused_at(text):
    found = re.search(r"paused (?:\d{4}-\d\d-\d\d )?(\d\d:\d\d:\d\d)", text)
    return found and found.group(1)


def counts(text):
    """The counts by phase in the head of the screen."""
    head = text.split("\n")[0]
    return {word: int(n) for n, word in re.findall(r"(\d+) (%s)\b" % "|".join(WORDS), head)}


def counts_of(document):
    by_phase = document["summary"]["byPhase"]
    out = {word: sum(by_phase.get(p, 0) for p in phases) for word, phases in WORDS.items()}
    return {word: n for word, n in out.items() if n}


@pytest.fixture(scope="module")
def moments():
    """The times of the demo's records, in order, each once."""
    with gzip.open(DEMO, "rt") as lines:
        times = [json.loads(line).get("t") for line in lines]
    return list(dict.fromkeys(t for t in times if t))


def document_at(run, time):  # noqa: F811
    return json.loads(run("--replay", DEMO, "--as-of", time, "-o", "json").stdout)


def rows_of(document):
    """What has failed and has a row of its own in the table: pods and their sets are folded into their workload."""
    return {(i["phase"], "%s/%s" % (i["kind"].lower(), i["name"])) for i in document["items"]
            if i["phase"] == "Failed" and i["kind"] not in ("Pod", "ReplicaSet")}


def test_the_incident_step_by_step(run, moments):  # noqa: F811
    """From the first failure to the end: each step shows the counts and the failures of -o json at that moment."""
    first = next(t for t in moments if document_at(run, t)["summary"]["byPhase"].get("Failed"))
    seen, by_second = [], {}
    for t in moments:
        by_second.setdefault(t[11:19], []).append(t)
    with run.screen("--replay", DEMO, "--as-of", first, rows=150, cols=200) as term:
        text = term.wait(lambda text: paused_at(text) == first[11:19] and counts(text))
        for _ in range(len(moments)):
            seen.append((paused_at(text), text))
            before = text
            term.keys("]")
            text = term.wait(lambda text, before=before: text != before and paused_at(text))
            if "the recording ends" in text:
                break
    times = [at for at, _ in seen]
    assert times == sorted(times) and len(set(times)) > 10
    for at, text in seen:
        documents = [document_at(run, t) for t in by_second[at]]
        assert counts(text) in [counts_of(d) for d in documents], (at, counts(text), [counts_of(d) for d in documents])
        fits = [d for d in documents if counts_of(d) == counts(text)]
        assert any(all(re.search("Failed +" + re.escape(name), text) for _, name in rows_of(d)) for d in fits), (at, [rows_of(d) for d in fits], text)
    assert any(re.search(r"↑ .*deployment/front Degraded → Ready", text) for _, text in seen), "what recovers"


def test_back_through_time_is_what_was_shown_forward(run, moments):  # noqa: F811
    """Every second shown while going back by minutes and steps is that of --as-of, though it was played to its end."""
    with run.screen("--replay", DEMO, "--as-of", moments[-1], rows=60, cols=200) as term:
        text = term.wait(lambda text: paused_at(text) == moments[-1][11:19] and counts(text))
        for key in "{[[{[{":
            before = paused_at(text)
            term.keys(key)
            text = term.wait(lambda text, before=before: paused_at(text) and paused_at(text) < before)
            day = moments[-1][:11]
            exact = [t for t in moments if t[11:19] == paused_at(text)]
            documents = [document_at(run, t) for t in exact or [day + paused_at(text) + moments[-1][19:]]]
            assert counts(text) in [counts_of(d) for d in documents], (key, paused_at(text))
        term.keys("{{{{{")
        term.wait("reaches back to " + moments[0][11:19])


def test_it_goes_on_from_where_it_stands(run, moments):  # noqa: F811
    with run.screen("--replay", DEMO, "--as-of", moments[len(moments) // 2], "--speed", "50", rows=40, cols=200) as term:
        term.wait(lambda text: paused_at(text) == moments[len(moments) // 2][11:19])
        term.keys("{P")
        term.wait(lambda text: re.search(r"replay \S+ ended", text))
        assert counts(term.text()) == counts_of(document_at(run, moments[-1]))


def test_live_it_stands_still_while_events_are_counted(fake, run):  # noqa: F811
    fake.put("widgets", "one", **READY)
    fake.put("widgets", "two", **READY)
    with run.screen("widgets", rows=24, cols=140) as term:
        term.wait(lambda text: "widget/one" in text and "live" in text)
        term.keys("P")
        term.wait(lambda text: re.search(r"paused \d\d:\d\d:\d\d ‖ now \d\d:\d\d:\d\d", text))
        fake.put("widgets", "one", **BAD)
        fake.put("widgets", "three", **BAD)
        text = term.wait("2 later changes")
        assert "disk is full" not in text and "widget/three" not in text and "2 ready" in text
        term.keys("P")
        text = term.wait(lambda text: "widget/three" in text and "live" in text and not paused_at(text))
        assert "1 ready" in text
        term.keys("[")
        term.wait(lambda text: paused_at(text) and "widget/three" in text)
        fake.put("widgets", "one", **READY)
        term.wait("1 later change")
        term.keys("\r")
        text = term.wait("widget/one · default")
        assert "Broken" in text, "the details are of then, too"
        term.keys("7")
        text = term.wait(lambda text: "not of the moment that is shown" in text and "apiVersion" in text)
        assert "Broken" not in text, "what is read is of now, and says so"
        term.keys("q")
        term.wait("widget/three")
        term.keys("]")
        term.wait(lambda text: paused_at(text) and "2 ready" in text)
        term.keys("]")
        term.wait(lambda text: not paused_at(text) and "live" in text)


@pytest.mark.parametrize("text,wanted", [
    ("2026-11-21T05:02:30Z", "05:02:30"), ("2026-11-21T06:02:30+01:00", "05:02:30"), ("2026-11-21T05:02:30.5Z", "05:02:30"),
    ("90s", "05:01:49"), ("1m30s", "05:01:49"), ("0s", "05:03:19"), ("05:02:30", "05:02:30"), ("05:02", "05:02:00"),
    ("2026-11-21T04:59:34Z", "04:59:34")])
def test_a_moment_is_written_as_a_time_or_how_long_before_the_end(run, text, wanted):  # noqa: F811
    assert document_at(run, text)["asOf"] == "2026-11-21T%sZ" % wanted


@pytest.mark.parametrize("flag", ["--as-of", "--from", "--diff"])
@pytest.mark.parametrize("text,status,words", [
    ("2026-11-21 05:02:30", 2, "not a time such as"), ("2026-02-30T00:00:00Z", 2, "not a time such as"), ("yesterday", 2, "not a time such as"),
    ("", 2, "not a time such as"), ("-5m", 2, "not a time such as"), ("25:00", 2, "not a time such as"), ("99999999999999999999h", 2, "not a time such as"),
    ("2019-01-01T00:00:00Z", 1, "not in the recording, which is from 2026-11-21T04:59:34Z to 2026-11-21T05:03:19Z"),
    ("23:59", 1, "not in the recording, which is from"), ("1h", 1, "not in the recording, which is from")])
def test_a_moment_that_is_none_gets_one_line(run, flag, text, status, words):  # noqa: F811
    """Also one before the recording: nothing is there, and that is not what it looked like then."""
    args = {"--as-of": [text], "--from": [text, "--to", text], "--diff": ["%s,%s" % (text, text)]}[flag]
    done = run("--replay", DEMO, "-A", "-o", "json", flag, *args)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (status, b"", 1) and words in done.stderr.decode()


def test_files_have_no_other_time(run, tmp_path):  # noqa: F811
    path = tmp_path / "pod.yaml"
    path.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nstatus: {phase: Pending}\n")
    with run.screen("-f", str(path)) as term:
        term.wait("pod/web")
        for key in "[]{}P":
            term.keys(key)
            term.wait("there is no other time to look at")


def test_a_click_on_the_line_of_changes(run, moments):  # noqa: F811
    with run.screen("--replay", DEMO, "--as-of", moments[-1], rows=40, cols=140) as term:
        text = term.wait(lambda text: paused_at(text) == moments[-1][11:19] and "│" in text.split("\n")[1])
        line = text.split("\n")[1]
        col = re.search("[▁▂▃▄▅▆▇█]{8}", line).start() + 10
        for _ in range(2):  # the first event of a mouse only tells curses that there is one
            term.keys("\x1b[<0;%d;2M\x1b[<0;%d;2m" % (col, col))
        text = term.wait(lambda text: paused_at(text) and paused_at(text) < moments[-1][11:19])
        assert text.split("\n")[1].index("│") < line.index("│")


def test_the_text_of_an_object_is_that_of_the_moment(run, tmp_path):  # noqa: F811
    """YAML: also where it changed afterwards, was gone for a while, or is another one of that name."""
    def widget(size, uid="1"):
        return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "a", "uid": uid}, "spec": {"size": "s%d" % size},
                "status": {"conditions": [{"type": "Ready", "status": "False" if size % 2 else "True"}]}}
    path = tmp_path / "r.jsonl"
    lines = [{"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "context": "c", "kinds": []}]
    for minute, kind, thing in [(0, "ADDED", widget(1)), (1, "MODIFIED", widget(2)), (2, "MODIFIED", widget(3)), (3, "DELETED", widget(3)), (4, "ADDED", widget(5, "2"))]:
        lines.append({"t": "2026-11-20T09:0%d:00.500Z" % minute, "type": kind, "object": thing})
        lines.append({"t": "2026-11-20T09:0%d:30.000Z" % minute, "type": "BOOKMARK", "object": {}})
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    with run.screen("--replay", str(path), "-A", "--as-of", "2026-11-20T09:04:30Z", rows=40, cols=120) as term:
        term.wait("paused 09:04:30")
        for key, when, size in [("", "04:30", 5), ("{{", "02:30", 3), ("{", "01:30", 2), ("{", "00:00", 1)]:
            term.keys(key)
            term.wait("paused 09:" + when)
            term.keys("\r")
            term.wait("widget/w · a")
            term.keys("7")
            text = term.wait(lambda text, size=size: "size: s%d" % size in text)
            assert sum("size: s" in line for line in text.split("\n")) == 1
            if when == "01:30":  # read again for each moment while it is open
                term.keys("]")
                term.wait(lambda text: "paused 09:02:00" in text and "size: s3" in text)
                term.keys("[")
                term.wait(lambda text: "paused 09:01:00" in text and "size: s2" in text)
            term.keys("q")
            term.wait("RESOURCE")


def test_what_was_seen_to_go_is_gone(run, tmp_path):  # noqa: F811
    """Not "whether it exists is not known": at the moment of its deletion, long after it, and again before it."""
    def widget(name):
        return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "a", "uid": name},
                "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken"}]}}
    path = tmp_path / "r.jsonl"
    lines = [{"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "context": "c", "kinds": []}]
    for minute, kind, name in [(0, "ADDED", "stays"), (0, "ADDED", "goes"), (2, "DELETED", "goes"), (9, "BOOKMARK", None)]:
        lines.append({"t": "2026-11-20T09:0%d:00.000Z" % minute, "type": kind, "object": widget(name) if name else {}})
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    with run.screen("--replay", str(path), "-A", "--as-of", "2026-11-20T09:02:00Z", rows=24, cols=120) as term:
        term.wait("paused 09:02:00")
        term.keys("T\r")
        term.wait(lambda text: "widget/goes · a" in text and "⊖ Gone" in text and "It does not exist any more" in text)
        for _ in range(7):
            term.keys("}")
        term.wait(lambda text: "09:09:00" in text and "⊖ Gone" in text and "not known" not in text)
        term.keys("[")
        term.wait(lambda text: paused_at(text) == "09:02:00" and "⊖ Gone" in text)
        term.keys("{")
        term.wait(lambda text: paused_at(text) == "09:01:00" and "✖ Failed" in text and "[Dependencies]" in text)


def test_the_timeline_goes_into_a_file(run, tmp_path):  # noqa: F811
    """As it is filtered and up to the moment that is shown; what exists is not overwritten."""
    with run.screen("--replay", DEMO, "--as-of", "2026-11-21T05:02:30Z", rows=50, cols=180) as term:
        term.wait("paused 05:02:30")
        term.keys("T/shop\r")
        text = term.wait(lambda text: "/shop" in text and re.search(r"\d entries match", text))
        shown = [line for line in text.split("\n") if re.match(r" *(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d ", line)]
        for said in ("entries written to", "exists already"):
            term.keys("e")
            term.wait("write to: ")
            term.keys("\x15%s\r" % (tmp_path / "t.txt"))  # C-u
            term.wait(said)
        term.keys("q")
    path = tmp_path / "t.txt"
    assert path.stat().st_mode & 0o777 == 0o600
    data = path.read_text()
    assert "shop" in data and "edge" not in data and "\x1b" not in data
    lines = [line for line in data.splitlines() if re.search(r"2026-11-21T\d\d:\d\d:\d\dZ", line)]
    times = [re.search(r"2026-11-21T\d\d:\d\d:\d\dZ", line).group() for line in lines]
    assert len(lines) >= len(shown) > 3 and times == sorted(times) and times[-1] <= "2026-11-21T05:02:30Z"


@pytest.fixture
def relabelled(tmp_path):
    """A widget that is given another team each minute, from 09:03 on as another object of that name."""
    def widget(team, uid="1"):
        return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "a", "uid": uid, "labels": {"team": team} if team else {}},
                "status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    path = tmp_path / "r.jsonl"
    lines = [{"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "context": "c", "kinds": []}]
    for minute, thing in enumerate([widget("red"), widget("blue"), widget(None), widget("green", "2"), widget("gold", "2")]):
        lines.append({"t": "2026-11-20T09:0%d:00.000Z" % minute, "type": "MODIFIED", "object": thing})
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return str(path)


def test_labels_are_those_of_the_moment(run, relabelled):  # noqa: F811
    """The column of -L and the filter by label, also of an object that another one of its name followed."""
    with run.screen("--replay", relabelled, "-A", "-L", "team", "--as-of", "2026-11-20T09:04:00Z", rows=20, cols=120) as term:
        for key, minute, team in [("", 4, "gold"), ("{", 3, "green"), ("{", 2, None), ("{", 1, "blue"), ("{", 0, "red"), ("}", 1, "blue")]:
            term.keys(key)
            text = term.wait(lambda text, minute=minute: paused_at(text) == "09:0%d:00" % minute and "widget/w" in text)
            row = next(line for line in text.split("\n")[2:] if "widget/w" in line)
            assert [t for t in ("red", "blue", "green", "gold") if t in row] == ([team] if team else []), (minute, row)
        term.keys("/label:team=blue\r")
        term.wait("1 match")
        term.keys("}")
        term.wait(lambda text: paused_at(text) == "09:02:00" and "widget/w" not in text)


def test_groups_by_label_are_those_of_the_moment(run, relabelled):  # noqa: F811
    with run.screen("--replay", relabelled, "-A", "-L", "team", "--as-of", "2026-11-20T09:04:00Z", rows=20, cols=120) as term:
        term.wait("widget/w")
        for _ in range(5):
            term.keys("z")
        term.wait("TEAM")
        for key, minute, team in [("", 4, "gold"), ("{", 3, "green"), ("{", 2, "without that label"), ("{", 1, "blue"), ("{", 0, "red"), ("}", 1, "blue")]:
            term.keys(key)
            text = term.wait(lambda text, minute=minute: paused_at(text) == "09:0%d:00" % minute and "widget" in text)
            rows = "\n".join(text.split("\n")[2:])
            assert [t for t in ("red", "blue", "green", "gold", "without that label") if t in rows] == [team], (minute, rows)


def test_the_selection_is_that_of_the_moment(run, relabelled):  # noqa: F811
    """-l: what matches only then is shown only then, as -o json --as-of has it."""
    args = ("--replay", relabelled, "-A", "-l", "team in (blue,gold)")
    with run.screen(*args, "--as-of", "2026-11-20T09:04:00Z", rows=20, cols=120) as term:
        for key, minute, there in [("", 4, True), ("{", 3, False), ("{", 2, False), ("{", 1, True), ("{", 0, False), ("}", 1, True), ("}", 2, False)]:
            term.keys(key)
            text = term.wait(lambda text, minute=minute: paused_at(text) == "09:0%d:00" % minute)
            text = term.wait(lambda text, there=there: any("widget/w" in line for line in text.split("\n")[3:]) == there)
            items = json.loads(run(*args, "--as-of", "2026-11-20T09:0%d:00Z" % minute, "-o", "json").stdout)["items"]
            assert bool(items) == there, minute


@pytest.fixture
def many(fake):  # noqa: F811
    """So many that another moment is announced before it is shown."""
    for i in range(5200):
        fake.put("widgets", "w%04d" % i, ns="blue" if i < 40 else "green", **READY)
    return fake


def test_of_thousands_of_objects_each_moment_has_its_own_counts(many, run):
    """Moments are told slot by slot there: nothing is counted twice or forgotten, whatever order they are asked for in."""
    with run.screen("widgets", "-A", rows=24, cols=140) as term:
        term.wait(lambda text: "5 200 ready" in text and "live" in text, seconds=60)
        for i in range(6):
            many.put("widgets", "w%04d" % (700 * i), ns="blue" if i == 0 else "green", **BAD)
            text = term.wait(lambda text, i=i: counts(text).get("failed") == i + 1)
            if i == 3:
                many.delete("widgets", "w5000", ns="green")
                term.wait(lambda text: "5 195 ready" in text)
        term.keys("P")
        term.wait(lambda text: paused_at(text) and counts(text).get("failed") == 6)
        for failed, ready in (6, 5193), (5, 5194), (4, 5195), (4, 5196), (3, 5197), (2, 5198), (1, 5199):
            words = "%d failed  ✔ 5 %d ready" % (failed, ready - 5000)
            term.keys("[")
            term.wait(lambda text, words=words: words in text and paused_at(text) and "going" not in text)
        term.keys("]]]")
        term.wait(lambda text: counts(text).get("failed") == 4 and paused_at(text))
        term.keys("[[P")  # the next key goes on from where the one before leads
        term.wait(lambda text: counts(text).get("failed") == 6 and "live" in text and "5 193 ready" in text)


def test_of_thousands_of_objects_another_scope_has_its_own_counts(many, run):
    many.put("widgets", "w0001", ns="blue", **BAD)
    with run.screen("widgets", "-A", rows=24, cols=140) as term:
        term.wait(lambda text: "5 199 ready" in text and "live" in text, seconds=60)
        for _ in range(3):
            term.keys(":ns blue\r")
            term.wait(lambda text: "▸ blue" in text and counts(text) == {"failed": 1, "ready": 39})
            term.keys("P")
            term.wait(lambda text: paused_at(text) and counts(text) == {"failed": 1, "ready": 39})
            term.keys("0")
            term.wait(lambda text: "all namespaces" in text and "5 199 ready" in text and paused_at(text))
            term.keys("PT")
            text = term.wait("timeline of all")
            assert "appeared" not in text
            term.keys("q0")
            term.wait(lambda text: "all namespaces" in text and "5 199 ready" in text and "live" in text)


def test_the_first_list_is_no_change(run):  # noqa: F811
    """What is older than the recording did not come with it: it is neither stepped to nor counted."""
    causes = os.path.join(os.path.dirname(__file__), "../recordings/causes.jsonl.gz")
    with run.screen("--replay", causes, "--as-of", "1s", cols=120) as term:
        text = term.wait("paused 18:30")
        assert re.search(r"18:29 ▁", text)
