# SPDX-License-Identifier: Apache-2.0
"""What cannot be read hides nothing else: the smallest thing is left out, it is named, and nobody is told that all is well."""
import gzip
import json

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import bare, GADGETS, is_list, is_watch, names, READY, WIDGETS
from fakeapi import END, RESET, answer, broken, event, status
from program import wait_for

LEVELS = 300


def nested(levels=LEVELS):
    return json.loads("[" * levels + "]" * levels)


def deep(fake, name="deep", **fields):
    """A custom resource that is Ready, and that the server takes, as it takes 10,000 levels."""
    return {**bare(fake, "widgets", name), "spec": nested(), **fields}


def lists(fake, *items, kind="WidgetList", version="100"):
    return answer({"kind": kind, "apiVersion": "example.org/v1", "metadata": {"resourceVersion": version}, "items": list(items)})


def late(body):
    """The same with its metadata at the end."""
    return {**{k: v for k, v in body.items() if k != "metadata"}, "metadata": body["metadata"]}


def not_json(body, **strange):
    """The object as text that only looks like JSON."""
    text = json.dumps({**body, "spec": "HERE"})
    return text.replace('"HERE"', strange["spec"])


UNREAD = {
    "deep": lambda fake: json.dumps(deep(fake)),
    "deep-metadata-late": lambda fake: json.dumps(late(deep(fake))),
    "very-deep": lambda fake: not_json(bare(fake, "widgets", "deep"), spec="[" * 9990 + "]" * 9990),
    "too-large": lambda fake: not_json(bare(fake, "widgets", "deep"), spec='"' + "x" * (33 << 20) + '"'),
    "half-a-surrogate": lambda fake: not_json(bare(fake, "widgets", "deep"), spec=r'"\ud800"'),
    "nul": lambda fake: not_json(bare(fake, "widgets", "deep"), spec='"a\0b"'),
    "no-word": lambda fake: not_json(bare(fake, "widgets", "deep"), spec="undefined"),
}


def is_named(done, words="Widget/deep in namespace default"):
    text = done.stderr.decode()
    assert words in text, text
    assert done.returncode == 1, text


@pytest.mark.parametrize("form", UNREAD)
def test_of_a_list_one_object(serve, client, form):
    fake = serve(http2=form != "too-large")  # whose Python would take long for so much
    run = client(fake)
    good, last = bare(fake, "widgets", "good"), bare(fake, "widgets", "last")
    body = '{"kind":"WidgetList","apiVersion":"example.org/v1","metadata":{"resourceVersion":"1"},"items":[%s,%s,%s]}' % (
        json.dumps(good), UNREAD[form](fake), json.dumps(last))
    fake.on(WIDGETS, answer(body.encode()), is_list, times=0)
    doc = run.json("widgets")
    assert {i["name"]: i["phase"] for i in doc["items"]} == {"deep": "Unknown", "good": "Ready", "last": "Ready"}
    [odd] = [i for i in doc["items"] if i["name"] == "deep"]
    assert odd["flags"] == ["unread"] and odd["message"].startswith("the object cannot be read: ")
    [notice] = doc["notices"]
    assert notice["kind"] == "unreadable" and "Widget/deep in namespace default" in notice["message"]
    for args in (["--exit-code"], ["--problems"], ["--problems", "-o", "json"]):
        is_named(run(*args))
    is_named(run("widgets", "--for", "Ready,Unknown", "--timeout", "20s"))


def test_others_are_not_touched(fake, run):
    """An object of a kind that was not asked for changes no exit status."""
    fake.put("gadgets", "a", **READY)
    fake.on(WIDGETS, lists(fake, deep(fake)), is_list, times=0)
    assert run("gadgets", "--exit-code").returncode == 0


@pytest.mark.parametrize("form", ["deep", "deep-metadata-late", "very-deep", "half-a-surrogate", "nul"])
def test_of_a_watch_one_event(fake, run, watching, form):
    """The watch goes on; the object is not Ready any more, and does not vanish; it is read again as soon as it can be."""
    fake.put("widgets", "deep", uid="deep", **READY)
    fake.put("widgets", "good", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    w.wait(("ADDED", "deep"), ("ADDED", "good"))
    text = '{"type":"MODIFIED","object":%s}' % UNREAD[form](fake)
    fake.inject("widgets", text.encode() + b"\n", event("ADDED", bare(fake, "widgets", "after", 200)))
    w.wait(("MODIFIED", "deep"), ("ADDED", "after"))
    assert [e["phase"] for e in w.events if e["name"] == "deep"] == ["Ready", "Unknown"]
    fake.inject("widgets", event("MODIFIED", bare(fake, "widgets", "deep", 201)))
    wait_for(lambda: [e["phase"] for e in w.events if e["name"] == "deep"] == ["Ready", "Unknown", "Ready"])
    gone = UNREAD[form](fake)
    fake.inject("widgets", ('{"type":"DELETED","object":%s}\n' % gone).encode())
    w.wait(("DELETED", "deep"))
    assert len(fake.seen(WIDGETS, watch=True)) == 1 and len(fake.seen(WIDGETS, watch=False)) == 1


def test_streaming_list(serve, client, watching):
    """The same where a long list comes as a watch."""
    fake = serve()
    fake.streaming = True
    for i in range(501):
        fake.put("widgets", "w%03d" % i, **READY)
    fake.put("widgets", "deep", spec=nested(), **READY)
    w = watching(client(fake), "widgets")
    w.wait(("ADDED", "w500"), ("ADDED", "deep"))
    assert [e["phase"] for e in w.events if e["name"] == "deep"] == ["Unknown"]


@pytest.mark.parametrize("name", ["list.json", "objects.json", "list.json.gz", "list.yaml", "objects.yaml"])
def test_files(run, fake, tmp_path, name):
    items = [bare(fake, "widgets", "good"), deep(fake), bare(fake, "widgets", "last")]
    text = ("\n---\n" if "yaml" in name else "").join(map(json.dumps, items))
    if name.startswith("list"):
        text = json.dumps({"kind": "List", "apiVersion": "v1", "items": items})
    text = "---\n" * ("yaml" in name) + text
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    doc = run.json("-f", path)
    assert {i["name"]: i["phase"] for i in doc["items"]} == {"deep": "Unknown", "good": "Ready", "last": "Ready"}
    is_named(run("-f", path, "--exit-code"))


def test_recordings(fake, run, tmp_path):
    """What was not read while it was recorded is not read when it is played."""
    fake.put("widgets", "good", **READY)
    fake.put("widgets", "deep", spec=nested(), **READY)
    path = tmp_path / "a.jsonl"
    run("widgets", "-o", "name", "--record", path)
    doc = run.json("--replay", path)
    assert {i["name"]: i["phase"] for i in doc["items"]} == {"deep": "Unknown", "good": "Ready"}
    is_named(run("--replay", path, "--exit-code"))


def test_recordings_of_others(fake, run, tmp_path):
    """An object that cannot be read is not as it was before."""
    def record(second, text):
        return '{"t":"2026-11-20T09:00:%02dZ","type":"MODIFIED","object":%s}\n' % (second, text)
    path = tmp_path / "a.jsonl"
    path.write_text('{"kind":"Recording","apiVersion":"kubectl-status/v1","startedAt":"2026-11-20T09:00:00Z","context":"c"}\n' +
                    record(1, json.dumps(bare(fake, "widgets", "good"))) + record(2, json.dumps(bare(fake, "widgets", "deep"))) +
                    record(3, UNREAD["half-a-surrogate"](fake)) + record(4, json.dumps(bare(fake, "widgets", "last"))))
    doc = run.json("--replay", path)
    assert {i["name"]: i["phase"] for i in doc["items"]} == {"deep": "Unknown", "good": "Ready", "last": "Ready"}


def test_header(fake, run):
    """It says so as long as it is so, and claims nothing of all objects."""
    fake.put("widgets", "good", **READY)
    fake.put("widgets", "deep", spec=nested(), **READY)
    with run.screen("widgets", rows=24, cols=140) as term:
        term.wait(lambda screen: "partly read" in screen and "it is nested deeper than 200" in screen)
        fake.put("widgets", "deep", spec={}, **READY)
        term.wait(lambda screen: "partly read" not in screen and "nested deeper" not in screen)


# -- answers that are something else ----------------------------------------------------

HTML = answer(b"<html>Please sign in</html>", headers={"content-type": "text/html"})
SOMETHING_ELSE = {
    "empty": answer(b""), "blank": answer(b" \n"), "null": answer(b"null"), "no-kind": answer({}), "array": answer([]),
    "status": answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "gone fishing"}),
    "another-list": answer({"kind": "ConfigMapList", "apiVersion": "v1", "items": []}),
    "html": HTML, "html-without-a-type": answer(b"<html>", headers={"content-type": ""}), "not-modified": answer(b"", 304),
}
CALM = ("Nothing has failed", "nothing has failed")


def says_no_well(done):
    text = (done.stdout + done.stderr).decode()
    assert done.returncode == 1 and done.stderr and not any(c in text for c in CALM), (done.returncode, text)


@pytest.mark.parametrize("answered", SOMETHING_ELSE)
@pytest.mark.parametrize("root", ["/api", "/apis"])
def test_discovery_is_not_believed(fake, run, root, answered):
    """A server whose kinds are not known has not nothing."""
    for aggregated in (True, False):
        fake.aggregated = aggregated
        fake.on(root, SOMETHING_ELSE[answered], times=0)
        for args in ([], ["--exit-code"], ["--problems"], ["widgets"], ["widgets/a", "--for", "delete", "--timeout", "0"]):
            done = run.hurry()(*args)
            if "--for" not in args:
                says_no_well(done)
            assert done.returncode in (1, 3), done.stderr


@pytest.mark.parametrize("answered", [a for a in SOMETHING_ELSE if a != "not-modified"])
def test_group_that_is_not_believed(fake, run, answered):
    """Of one group; the others are read."""
    fake.aggregated = False
    fake.types += (("other.example", "v1", "others", "Other", True),)
    fake.put("widgets", "a", **READY)
    fake.on("/apis/other.example/v1", SOMETHING_ELSE[answered], times=0)
    doc = run.json()
    assert names(doc) == ["a"] and "other.example/v1" in doc["notices"][0]["message"]
    for args in (["--exit-code"], ["--problems"]):
        done = run(*args)
        assert done.returncode == 1 and b"other.example/v1" in done.stderr, done.stderr
    assert run("widgets", "--exit-code").returncode == 0, "nobody asked for the other group"


@pytest.mark.parametrize("answered", SOMETHING_ELSE)
def test_list_is_not_believed(fake, run, answered):
    """It is no empty list."""
    fake.on(WIDGETS, SOMETHING_ELSE[answered], is_list, times=0)
    for args in (["widgets", "--exit-code"], ["widgets"], ["widgets", "--problems"]):
        says_no_well(run(*args))
    done = run("widgets/a", "--for", "delete", "--timeout", "1s")
    assert done.returncode in (1, 3), done.stderr
    assert run("widgets/a", "--for", "delete", "--timeout", "0").returncode in (1, 3)


def test_kind_that_cannot_be_read(fake, run):
    """Only what may not be read is no reason for another exit status."""
    fake.put("gadgets", "a", **READY)
    assert run("--exit-code").returncode == 0
    fake.on(WIDGETS, status(403, "Forbidden", "not for you"), times=0)
    assert run("--exit-code").returncode == 0
    fake.script.clear()
    fake.on(WIDGETS, status(500, "InternalError", "the storage is broken"), times=0)
    for args in (["--exit-code"], ["--problems"], ["--problems", "-o", "json"]):
        done = run(*args)
        assert done.returncode == 1 and b"the storage is broken" in done.stderr, done.stderr
        assert b"widgets" in done.stderr
    assert run("gadgets", "--exit-code").returncode == 0
    assert run("--for", "Ready", "--timeout", "1s").returncode in (1, 3)


def test_items_of_another_kind(fake, run):
    """They are no widgets, whatever the list says."""
    other = {**bare(fake, "widgets", "other"), "kind": "Gadget"}
    fake.on(WIDGETS, lists(fake, bare(fake, "widgets", "good"), other), is_list, times=0)
    doc = run.json("widgets")
    assert names(doc) == ["good"] and doc["notices"][0]["kind"] == "unreadable"
    assert run("widgets", "--exit-code").returncode == 1


# -- watches that are none ------------------------------------------------------------------


@pytest.mark.parametrize("how", [END, RESET], ids=["end", "reset"])
def test_no_watch_is_not_live(fake, run, how):
    """A proxy that ends each watch at once; what is shown is as old as it was last read, and not 0 s."""
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, broken(b"", how), is_watch, times=0)
    with run.screen("widgets", rows=20, cols=120) as term:
        fake.await_requests(3, WIDGETS, watch=True)
        looks = []

        def look(screen):
            looks.append("live ●" in screen)
            return "not watched, read 1" in screen or "is 1" in screen or "is 2s old" in screen or "read 2s" in screen
        term.wait(look)
        assert not any(looks)
        fake.script.clear()
        if how is RESET:  # a watch that is refused in this way is tried again soon
            term.wait(lambda screen: "live ●" in screen)
