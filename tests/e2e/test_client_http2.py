# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 connections: how many there are, their limits, and how they end."""
import re
import time

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import names, READY, WIDGETS
from fakeapi import END, HANG_UP, TYPES
from program import wait_for


BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full"}]}}
MANY = TYPES + tuple(("many.example", "v1", "kinds%02d" % i, "Kind%02d" % i, True) for i in range(20))
KINDS = ",".join(t[2] for t in MANY if t[0] == "many.example")


def path(i):
    return "/apis/many.example/v1/namespaces/default/kinds%02d" % i


def await_watches(fake, n):
    wait_for(lambda: len({r.path for r in fake.seen(watch=True)}) >= n)


def test_twenty_watches_share_one_connection(serve, client, watching):
    fake = serve(types=MANY)
    watching(client(fake), KINDS)
    await_watches(fake, 20)
    assert {r.connection for r in fake.seen()} == {1}


def test_limit_of_streams(serve, client, watching):
    """More watches than streams: further connections, and room for lists besides."""
    fake = serve(types=MANY, max_streams=10)
    w = watching(client(fake), KINDS)
    await_watches(fake, 20)
    # how many is libcurl's affair, and depends on how fast the first of them are there: not one for each
    assert 2 <= len({r.connection for r in fake.seen()}) < 20
    assert max(c.most for c in fake.connections) <= 10
    for i in (0, 19):
        fake.put("kinds%02d" % i, "x", **READY)
    wait_for(lambda: len([e for e in w.events if e["name"] == "x"]) == 2)
    fake.compact()
    fake.inject("kinds05", END)
    fake.await_requests(2, path(5), watch=False)


def test_more_kinds_than_a_connection_carries(serve, client, watching):
    """Each kind is watched, also the empty ones, and lists find room beside the watches."""
    many = tuple(("many.example", "v1", "kinds%03d" % i, "Kind%03d" % i, True) for i in range(250))
    fake = serve(types=TYPES + many, max_streams=100)
    w = watching(client(fake))
    wait_for(lambda: len({r.path for r in fake.seen(watch=True) if "many" in r.path}) >= 250)
    assert max(c.most for c in fake.connections) <= 100
    assert 3 <= len(fake.connections) <= 4
    for i in (0, 120, 249):
        fake.put("kinds%03d" % i, "x", **READY)
    wait_for(lambda: len([e for e in w.events if e["name"] == "x"]) == 3)
    watches = {r.path: len(fake.seen(r.path, watch=True)) for r in fake.seen(watch=True)}
    assert max(watches.values()) == 1, watches
    assert len(fake.seen(watch=False)) <= 250 + len(TYPES) + 10
    fake.compact()
    fake.inject("kinds005", END)
    fake.await_requests(2, "/apis/many.example/v1/namespaces/default/kinds005", watch=False)


def test_server_that_allows_one_stream(serve, client):
    """A lone stream is enough for who prints once."""
    fake = serve(types=MANY, max_streams=1)
    fake.put("kinds07", "x", **READY)
    assert names(client(fake).json(KINDS)) == ["x"]


def test_goaway_leaves_watches_alone_and_moves_new_requests(serve, client, watching):
    """What is under way goes on; what is new goes to a new connection; nothing is listed anew."""
    fake = serve(types=MANY)
    w = watching(client(fake), "kinds00,kinds01")
    await_watches(fake, 2)
    fake.connections[0].go_away()
    for i in (0, 1):
        fake.put("kinds%02d" % i, "before%d" % i, **READY)
    w.wait(("ADDED", "before0"), ("ADDED", "before1"))
    fake.inject("kinds01", END)
    watches = fake.await_requests(2, path(1), watch=True)
    assert watches[1].connection == 2
    fake.put("kinds01", "after", **READY)
    fake.put("kinds00", "later", **READY)
    w.wait(("ADDED", "after"), ("ADDED", "later"))
    assert len(fake.seen(path(0))) == 2 and len(fake.seen(path(1), watch=False)) == 1


def test_goaway_and_the_end_of_the_connection(serve, client, watching):
    """An API server that is shut down; resumed from their versions."""
    fake = serve(types=MANY)
    w = watching(client(fake), "kinds00,kinds01")
    await_watches(fake, 2)
    fake.put("kinds00", "a", **READY)
    w.wait(("ADDED", "a"))
    fake.connections[0].go_away()
    fake.inject("kinds00", HANG_UP)
    for i in (0, 1):
        fake.await_requests(2, path(i), watch=True)
        assert len(fake.seen(path(i), watch=False)) == 1
    fake.put("kinds01", "b", **READY)
    w.wait(("ADDED", "b"))


def test_goaway_before_the_answer(serve, client):
    """As --goaway-chance does it: the list that comes next still succeeds."""
    fake = serve()
    fake.put("widgets", "a", **READY)

    def shed(request, stream):
        fake.connections[-1].go_away()
        fake.serve(request, stream)
    fake.on("/apis", shed)
    assert names(client(fake).json("widgets")) == ["a"]


def test_pings_of_the_server_are_answered(fake, run, watching):
    """A server or load balancer that pings finds us alive, also while nothing happens."""
    watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    connection = fake.connections[0]
    with connection.changed:
        connection.h2.ping(b"12345678")
        connection.wire.send(connection.h2.data_to_send())
        assert connection.changed.wait_for(lambda: connection.pongs == 1, 10)


def kinds(n):
    return tuple(("many.example", "v1", "kinds%03d" % i, "Kind%03d" % i, True) for i in range(n))


def test_each_kind_is_watched_over_http1(serve, client, watching):
    """There a watch is a connection of its own; lists share a few others, and no connection is opened twice."""
    fake = serve(types=TYPES + kinds(40), http2=False)
    w = watching(client(fake), ",".join("kinds%03d" % i for i in range(40)))
    wait_for(lambda: len(fake.watched()) == 40)
    assert fake.count <= 40 + 8
    for i in range(40):
        fake.put("kinds%03d" % i, "x", **READY)
    began = time.monotonic()
    wait_for(lambda: len([e for e in w.events if e["name"] == "x"]) == 40)
    assert time.monotonic() - began < 2
    assert len(fake.seen(watch=False)) <= 40 + 10 and len(fake.seen(watch=True)) == 40


def test_proxy_that_cuts_idle_connections(serve, client, watching):
    """The watch goes on from its version, the others are left alone, and what was idle is not waited for."""
    fake = serve(types=TYPES + kinds(20), http2=False)
    w = watching(client(fake), ",".join("kinds%03d" % i for i in range(20)))
    wait_for(lambda: len(fake.watched()) == 20)
    fake.inject("kinds003", HANG_UP)
    fake.await_requests(2, "/apis/many.example/v1/namespaces/default/kinds003", watch=True)
    fake.put("kinds003", "x", **READY)
    fake.put("kinds004", "x", **READY)
    w.wait(("ADDED", "x"), ("ADDED", "x"))
    assert len(fake.seen(watch=False)) <= 20 + 10 and len(fake.seen(watch=True)) == 21


def test_beyond_256_connections_the_rest_is_polled(serve, client, watching):
    """What has objects is watched before what has none, and what is polled is listed every 15 s."""
    fake = serve(types=TYPES + kinds(300), http2=False)
    for i in range(290, 300):
        fake.put("kinds%03d" % i, "old", **READY)
    w = watching(client(fake))
    full = {"kinds%03d" % i for i in range(290, 300)}
    wait_for(lambda: len(fake.watched()) == 256 and full <= fake.watched(), 60)
    for i in (290, 299):
        fake.put("kinds%03d" % i, "new", **READY)
    wait_for(lambda: len([e for e in w.events if e["name"] == "new"]) == 2)
    polled = sorted(t[2] for t in kinds(300) if t[2] not in fake.watched())
    assert len(polled) >= 300 - 256
    fake.put(polled[0], "late", **READY)
    w.wait(("ADDED", "late"))
    # it has an object now: it is watched, and one without is not
    wait_for(lambda: polled[0] in fake.watched() and len(fake.watched()) == 256)
    # the server closes its end of a connection a moment after the client's
    wait_for(lambda: len(fake.open) <= 256 + 8)
    fake.delete(polled[0], "late")
    w.wait(("DELETED", "late"))


def test_kinds_on_the_screen_have_the_connections(serve, client):
    """Whichever rows are shown, also after a jump to the end, their kinds are watched; the header counts the others."""
    fake = serve(types=TYPES + kinds(300), http2=False)
    for i in range(300):
        fake.put("kinds%03d" % i, "x", **BAD)

    def shown_are_watched(text):
        shown = {"kinds" + n for n in re.findall(r"kind(\d{3})/x", text)}
        return len(shown) > 10 and shown <= fake.watched() and len(fake.watched()) == 256
    with client(fake).screen() as term:
        term.wait(lambda text: "300 failed" in text and re.search(r"\d+ kinds not watched", text) and shown_are_watched(text), 60)
        term.keys("G")
        term.wait(lambda text: "kind299/x" in text and shown_are_watched(text))
        term.keys("gg")
        term.wait(lambda text: "kind000/x" in text and shown_are_watched(text))
        polled = sorted(t[2] for t in kinds(300) if t[2] not in fake.watched())[0]
        term.keys(":kind %s\r" % polled.replace("kinds", "kind"))
        term.wait(lambda text: polled in fake.watched() and "live" in text)


def test_fewer_files_than_watches(serve, client, watching):
    """Where the system allows few open files the rest is polled; nothing fails."""
    fake = serve(types=TYPES + kinds(60), http2=False)
    run = client(fake)
    run.files = 160
    w = watching(run)
    wait_for(lambda: len(fake.watched()) == 40, 60)
    fake.put("kinds059", "x", **READY)
    w.wait(("ADDED", "x"))


def test_http2_can_be_switched_off(fake, run):
    """As with kubectl, DISABLE_HTTP2."""
    fake.put("widgets", "a", **READY)
    assert run.text("widgets", "-o", "name", DISABLE_HTTP2="1") and {r.protocol for r in fake.seen()} == {"http/1.1"}
