# SPDX-License-Identifier: Apache-2.0
"""One kind of many whose server does not do its part: it is named, everything else is live, and it is asked for again."""
import json
import re

import pytest

from client_world import GADGETS, READY, is_list
from client_world import certificates, client, fake, run, serve, watching  # noqa: F401
from fakeapi import END, answer, broken, event, stall, status

FAILING = {
    "500": (status(500, "InternalError", "conversion webhook for example.org/v1, Kind=Gadget failed: EOF"), "conversion webhook"),
    "503": (status(503, "ServiceUnavailable", "the aggregated server is down"), "the aggregated server is down"),
    "404": (status(404, "NotFound", "no gadgets here"), "no gadgets here"),
    "405": (status(405, "MethodNotAllowed", "gadgets cannot be listed"), "gadgets cannot be listed"),
    "html": (answer(b"<html>login</html>", headers={"content-type": "text/html"}), "HTML instead of JSON"),
    "garbage": (answer(b"certainly not JSON"), "invalid JSON"),
    "half": (broken(b'{"kind":"List","items":[', END), "unexpected end of JSON input"),
    "no list": (answer({"kind": "Table", "rows": []}), "not a list"),
    "endless": (answer({"kind": "List", "metadata": {"resourceVersion": "1", "continue": "again"}, "items": []}), "continue token"),
}


@pytest.mark.parametrize("how", list(FAILING))
def test_a_kind_that_fails_from_the_start(fake, run, how):
    """The dashboard names it, shows the rest as it changes, and forgets the notice when it answers."""
    reply, words = FAILING[how]
    fake.put("widgets", "a", **READY)
    fake.put("gadgets", "g", **READY)
    fake.on(GADGETS, reply, is_list, times=0)
    with run.screen("widgets,gadgets", rows=24, cols=160) as term:
        term.wait("gadgets cannot be read")
        assert "live ●" not in term.text() and "reading …" not in term.text()
        term.wait("nothing is known to have failed in this selection of widgets,gadgets; gadgets cannot be read")
        fake.put("widgets", "b", **READY)
        term.wait("widget/b")
        term.keys("p")
        term.wait(lambda text: words in text and "gadgets" in text[text.index("Not known"):])
        if how in ("404", "405", "endless"):  # asked for again once a minute
            return
        fake.script.clear()
        term.wait(lambda text: words not in text and "live ●" in text, 40)
        term.keys("\x1b")
        term.wait("gadget/g")


def test_a_kind_that_is_asked_for_again_is_not_known_meanwhile(fake, run):
    """Discovery still names it: its list is requested again at once, and no picture until the answer says that all is known."""
    fake.put("widgets", "a", **READY)
    fake.on(GADGETS, FAILING["404"][0], is_list, times=0)
    with run.screen("widgets,gadgets", rows=24, cols=160) as term:
        term.wait("gadgets cannot be read", whole=False)
        while len(fake.seen(GADGETS, watch=False)) < 2:
            assert term.read() and "live ●" not in term.text()
        for _ in range(20):
            assert term.read() and "live ●" not in term.text()
        term.wait("gadgets cannot be read")


def test_a_kind_that_never_answers(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on(GADGETS, stall, is_list, times=0)
    with run.hurry().screen("widgets,gadgets", rows=24, cols=160) as term:
        term.wait("gadgets cannot be read", 25)
        fake.put("widgets", "b", **READY)
        term.wait("widget/b")
        term.keys("p")
        term.wait(lambda text: re.search(r"gadgets\.example\.org: the server has not answered its list for 1\d s", text))


def test_a_failing_kind_holds_up_no_stream(fake, run, watching):
    """-w goes on with what can be read, and says what cannot; the kind comes when it answers."""
    fake.put("widgets", "a", **READY)
    fake.put("gadgets", "g", **READY)
    fake.on(GADGETS, FAILING["500"][0], is_list, times=0)
    w = watching(run, "widgets,gadgets")
    w.wait(("ADDED", "a"))
    fake.script.clear()
    w.wait(("ADDED", "g"))
    w.finish()
    assert "conversion webhook" in w.errors


def test_for_does_not_judge_what_it_cannot_read(fake, run):
    """Neither "not found" nor reached: it waits, and says why at the end."""
    fake.put("gadgets", "g", **READY)
    fake.on(GADGETS, FAILING["500"][0], is_list, times=0)
    done = run("gadgets/g", "--for", "Ready", "--timeout", "6s")
    assert done.returncode == 3 and b"conversion webhook" in done.stderr, done
    fake.script.clear()
    assert run("gadgets/g", "--for", "Ready", "--timeout", "20s").returncode == 0


def test_a_kind_that_fails_later(fake, run):
    """Listed once, then its watch expires and its list fails: what is shown of it is old, and it is named."""
    fake.put("gadgets", "g", **READY)
    fake.put("widgets", "a", **READY)
    with run.screen("widgets,gadgets", rows=24, cols=160) as term:
        term.wait(lambda text: "live ●" in text and "gadget/g" in text)
        fake.on(GADGETS, FAILING["503"][0], is_list, times=0)
        fake.inject("gadgets", event("ERROR", {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"}))
        term.wait(lambda text: "1 kind is " in text and "gadget/g" in text)
        term.keys("p")
        term.wait("the aggregated server is down")
        fake.script.clear()
        term.wait(lambda text: "live ●" in text and "the aggregated server is down" not in text, 40)


@pytest.mark.parametrize("reply, found", [
    (None, True), (answer({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": []}), False),
    (status(403, "Forbidden", "gadgets is forbidden"), None), (FAILING["500"][0], None), (FAILING["404"][0], None),
    (FAILING["half"][0], None), (FAILING["endless"][0], None),
], ids=["there", "missing", "forbidden", "500", "404", "half", "endless"])
@pytest.mark.parametrize("listed", [False, True], ids=["by name", "listed"])
def test_only_a_complete_answer_says_that_something_is_missing(fake, run, reply, found, listed):
    """Of what could not be read it is not known whether it is there: no found, and no wait for something missing."""
    fake.put("gadgets", "g", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Broken"}]})
    fake.put("widgets", "a", spec={"gadgetRef": {"apiVersion": "example.org/v1", "kind": "Gadget", "name": "g"}}, status={
        "conditions": [{"type": "Ready", "status": "False", "reason": "Pending", "message": 'gadget "g" is not ready'}]})
    if reply:
        fake.on("*", reply, lambda r: r.path.startswith(GADGETS), times=0)
    done = run("widgets,gadgets" if listed else "widgets", "-o", "json")
    [item] = [i for i in json.loads(done.stdout)["items"] if i["kind"] == "Widget"]
    [gadget] = [d for d in item["dependencies"] if d["on"]["kind"] == "Gadget"]
    assert gadget.get("found") is found
    assert found is False or "missing" not in [w["state"] for w in item.get("waits", [])]
