# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 connections: how many there are, their limits, and how they end."""
import time

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import names, READY, WIDGETS
from fakeapi import END, HANG_UP, TYPES
from program import wait_for


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
    wait_for(lambda: len({r.path for r in fake.seen(watch=True) if "many" in r.path}) >= 250, 40)
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


def test_connections_of_http1_are_bounded(serve, client, watching):
    """Each watch is a connection there; beyond some of them kinds are polled."""
    fake = serve(types=MANY, http2=False)
    w = watching(client(fake), KINDS)
    wait_for(lambda: len(fake.seen(watch=False)) >= 22)
    wait_for(lambda: len(fake.seen(watch=True)) >= 16)
    end = time.monotonic() + 1
    wait_for(lambda: time.monotonic() > end)
    assert len(fake.seen(watch=True)) == 16 and len(fake.open) <= 16 + 8
    fake.put("kinds00", "x", **READY)
    w.wait(("ADDED", "x"))


def test_http2_can_be_switched_off(fake, run):
    """As with kubectl, DISABLE_HTTP2."""
    fake.put("widgets", "a", **READY)
    assert run.text("widgets", "-o", "name", DISABLE_HTTP2="1") and {r.protocol for r in fake.seen()} == {"http/1.1"}
