# SPDX-License-Identifier: Apache-2.0
"""Long lists: pages that are asked for ahead of time, and lists as streams."""
import json
import threading
import time

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import after, bare, is_watch, names, READY, WIDGETS
from fakeapi import END, RESET, answer, broken, event, hang_up, status
from program import wait_for


def page(items, token="", first="metadata"):
    """A page as kube-apiserver writes it, metadata before the items, or the other way round."""
    meta = {"metadata": {"resourceVersion": "7", **({"continue": token} if token else {})}}
    order = [meta, {"items": items}] if first == "metadata" else [{"items": items}, meta]
    return json.dumps({"kind": "List", **order[0], **order[1]}).encode()


def in_two(fake, data, token):
    """Half of an answer; the rest only after the page with that token was asked for."""
    def reply(_request, stream):
        stream.head(200, [("content-type", "application/json")])
        stream.body(data[:len(data) // 2])
        with fake.changed:
            fake.changed.wait_for(lambda: [r for r in fake.seen(WIDGETS) if r.query.get("continue") == token], 10)
        stream.body(data[len(data) // 2:])
        stream.end()
    return reply


def widgets(fake, prefix, n=50):
    return [bare(fake, "widgets", "%s%d" % (prefix, i)) for i in range(n)]


@pytest.fixture(params=[True, False], ids=["http2", "http1"])
def either(serve, request):
    return serve(http2=request.param)


def test_next_page_is_asked_for_while_one_arrives(either, client):
    """The first page ends only once the second one was asked for."""
    either.on(WIDGETS, in_two(either, page(widgets(either, "a"), "next"), "next"))
    either.on(WIDGETS, in_two(either, page(widgets(either, "b"), "last"), "last"))
    either.on(WIDGETS, answer(page(widgets(either, "c"))))
    start = time.monotonic()
    assert len(set(names(client(either).json("widgets")))) == 150
    assert time.monotonic() - start < 9, "nobody had to give up"
    assert [r.query.get("continue") for r in either.seen(WIDGETS)] == [None, "next", "last"]


def test_second_page_before_the_first(fake, run):
    """What comes too early waits for its turn."""
    def late(_request, stream):
        data = page(widgets(fake, "a"), "next")
        stream.head(200, [("content-type", "application/json")])
        stream.body(data[:-2])
        fake.await_requests(2, WIDGETS)
        time.sleep(0.3)
        stream.body(data[-2:])
        stream.end()
    fake.on(WIDGETS, late)
    fake.on(WIDGETS, answer(page(widgets(fake, "b"))))
    assert len(set(names(run.json("widgets")))) == 100


def test_never_more_than_one_page_ahead(fake, run):
    """Pages 2 and 3 are known to be wanted, but only one is asked for."""
    def slow(_request, stream):
        stream.head(200, [("content-type", "application/json")])
        data = page(widgets(fake, "a"), "p2")
        stream.body(data[:-1])
        fake.await_requests(2, WIDGETS)
        time.sleep(0.3)
        assert len(fake.seen(WIDGETS)) == 2
        stream.body(data[-1:])
        stream.end()
    fake.on(WIDGETS, slow)
    fake.on(WIDGETS, answer(page(widgets(fake, "b"), "p3")))
    fake.on(WIDGETS, answer(page(widgets(fake, "c"))))
    assert len(set(names(run.json("widgets")))) == 150 and len(fake.seen(WIDGETS)) == 3


def test_metadata_behind_the_items(fake, run):
    """The token does not have to come first."""
    fake.on(WIDGETS, answer(page(widgets(fake, "a"), "next", first="items")))
    fake.on(WIDGETS, answer(page(widgets(fake, "b"), first="items")))
    assert len(names(run.json("widgets"))) == 100


def test_page_ahead_that_is_too_large_is_asked_for_again(fake, run):
    """20 MiB come while the first page is still read."""
    fat = widgets(fake, "b", 20)
    for item in fat:
        item["spec"] = {"fat": "x" * (1 << 20)}
    sent = threading.Event()

    def early(request, stream):
        try:
            answer(page(fat))(request, stream)
        finally:
            sent.set()

    def late(_request, stream):
        data = page(widgets(fake, "a"), "next")
        stream.head(200, [("content-type", "application/json")])
        stream.body(data[:-2])
        assert sent.wait(900)
        stream.body(data[-2:])
        stream.end()
    fake.on(WIDGETS, late)
    fake.on(WIDGETS, early)
    fake.on(WIDGETS, answer(page(fat)), times=0)
    assert len(names(run.json("widgets", "--request-timeout=900s", timeout=900))) == 70  # so much takes the tests' server long
    assert len(fake.seen(WIDGETS)) == 3


@pytest.mark.parametrize("reply, requests", [
    (status(503, "ServiceUnavailable", headers={"retry-after": "1"}), 3), (hang_up, 3),
    (status(410, "Expired", "The provided continue parameter is too old"), 3),
], ids=["503", "hang-up", "410"])
def test_page_ahead_that_fails(serve, client, reply, requests):
    """It is the failure of that page, once its turn has come."""
    fake = serve(http2=False)
    for i in range(600):
        fake.put("widgets", "w%d" % i, **READY)
    fake.on(WIDGETS, reply, lambda r: "continue" in r.query)
    assert len(set(names(client(fake).json("widgets")))) == 600
    assert len(fake.seen(WIDGETS)) == requests


# -- streaming lists -----------------------------------------------------------------


@pytest.fixture
def large(fake):
    for i in range(600):
        fake.put("widgets", "w%03d" % i, **READY)
    return fake


def streams(fake):
    return [r for r in fake.seen(WIDGETS) if "sendInitialEvents" in r.query]


def test_long_list_is_streamed_and_goes_on_as_a_watch(large, run, watching):
    """One stream, no second page, no second watch."""
    large.streaming = True
    w = watching(run, "widgets")
    wait_for(lambda: len(w.events) == 600)
    [stream] = streams(large)
    assert stream.query.pop("timeoutSeconds") and stream.query == {
        "watch": "true", "sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    large.put("widgets", "new", **READY)
    large.delete("widgets", "w007")
    w.wait(("ADDED", "new"), ("DELETED", "w007"))
    assert len(large.seen(WIDGETS)) == 2 and len(w.events) == 602


def test_stream_that_ends_resumes_from_its_marker(large, run, watching):
    large.streaming = True
    w = watching(run, "widgets")
    wait_for(lambda: len(w.events) == 600)
    large.inject("widgets", END)
    watches = large.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == "700" and len(large.seen(WIDGETS, watch=False)) == 1
    large.put("widgets", "new", **READY)
    w.wait(("ADDED", "new"))


def test_relist_by_stream_removes_what_is_gone(large, run, watching):
    """410, then a stream that does not name one object any more."""
    large.streaming = True
    w = watching(run, "widgets")
    wait_for(lambda: len(w.events) == 600)
    large.stop()
    large.objects.pop(("widgets", "default", "w007"))
    large.compact()
    large.start()
    w.wait(("DELETED", "w007"))
    large.put("widgets", "new", **READY)
    w.wait(("ADDED", "new"))
    assert len(w.events) == 602


def test_refused_stream_falls_back_to_pages_and_is_not_tried_again(large, run, watching):
    """422 of a server without them."""
    w = watching(run, "widgets")
    wait_for(lambda: len(w.events) == 600)
    large.await_requests(2, WIDGETS, watch=True)
    assert len(streams(large)) == 1
    large.compact()
    large.inject("widgets", END)
    wait_for(lambda: len([r for r in large.seen(WIDGETS) if "continue" in r.query]) == 2)
    assert len(streams(large)) == 1
    large.put("widgets", "new", **READY)
    w.wait(("ADDED", "new"))


def test_stream_that_breaks_before_its_marker(large, run, watching):
    """Half of it counts for nothing."""
    large.streaming = True
    large.on(WIDGETS, broken(event("ADDED", bare(large, "widgets", "w000")), RESET), is_watch)
    w = watching(run, "widgets")
    wait_for(lambda: len(w.events) == 600)
    assert not [e for e in w.events if e["event"] != "ADDED"]


def test_error_instead_of_the_stream(large, run, watching):
    """An ERROR event."""
    error = {"kind": "Status", "status": "Failure", "code": 500, "message": "no"}
    large.on(WIDGETS, answer(event("ERROR", error)), is_watch)
    w = watching(run, "widgets")
    wait_for(lambda: len(w.events) == 600)
    large.await_requests(2, WIDGETS, watch=True)


def test_stream_without_a_marker(large, run, watching):
    """A server that does not know of it never says that the list is complete: pages after 10 s."""
    large.streaming = "unmarked"
    w = watching(run.hurry(), "widgets")
    wait_for(lambda: len([r for r in large.seen(WIDGETS) if "continue" in r.query]) == 1, 25)
    wait_for(lambda: len(w.events) == 600)
    large.await_requests(2, WIDGETS, watch=True)
    large.put("widgets", "new", **READY)
    w.wait(("ADDED", "new"))


def test_streams_can_be_switched_off(large, run, watching):
    """By the variable that kubectl knows."""
    large.streaming = True
    run.env["KUBE_FEATURE_WatchListClient"] = "false"
    watching(run, "widgets")
    large.await_requests(1, WIDGETS, watch=True)
    assert not streams(large) and len(large.seen(WIDGETS, watch=False)) == 2
