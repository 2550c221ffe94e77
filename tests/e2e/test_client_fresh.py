# SPDX-License-Identifier: Apache-2.0
"""How fresh what is shown is, what is said when it is not, and how little is asked for it."""
import collections
import time

from client_world import READY, WIDGETS, GADGETS, complains, is_watch, names
from client_world import certificates, client, fake, run, serve, watching  # noqa: F401
from fakeapi import TYPES, stall, status
from program import wait_for

MANY = TYPES + tuple(("g%d.example.org" % i, "v1", "things%d" % i, "Thing%d" % i, True) for i in range(110))


def warned(watch):
    return [line for line in watch.errors.splitlines() if line]


def test_an_outage_is_told_once_and_its_end(fake, run, watching):
    fake.put("widgets", "a", **READY)
    watch = watching(run.hurry(), "widgets,gadgets")
    watch.wait(("ADDED", "a"))
    wait_for(lambda: [r for r in fake.seen(GADGETS) if is_watch(r)])
    fake.stop()
    lost = watch.child.stderr.readline().decode()
    assert lost.startswith("Warning: no connection to the server, changes may be missing: ") and "refused" in lost
    fake.start()
    fake.put("widgets", "b", **READY)
    watch.wait(("ADDED", "b"))
    assert watch.child.stderr.readline().startswith(b"All kinds are watched again, after ")
    watch.finish()
    assert warned(watch) == []


def test_a_short_loss_is_no_news(fake, run, watching):
    fake.put("widgets", "a", **READY)
    watch = watching(run, "widgets")
    watch.wait(("ADDED", "a"))
    fake.stop()
    fake.start()
    fake.put("widgets", "b", **READY)
    watch.wait(("ADDED", "b"))
    watch.finish()
    assert warned(watch) == []


def test_first_object_of_a_kind_among_many(serve, client, watching):
    server = serve(types=MANY)
    server.put("widgets", "a", **READY)
    watch = watching(client(server))
    watch.wait(("ADDED", "a"))
    wait_for(lambda: len({r.path for r in list(server.requests) if r.watch}) >= 112, 30)
    for i in (0, 50, 109):
        began = time.monotonic()
        server.put("things%d" % i, "first%d" % i, **READY)
        watch.wait(("ADDED", "first%d" % i))
        assert time.monotonic() - began < 1


def test_what_services_need_is_not_read_last(serve, client):
    """Until the EndpointSlices are read it is not known whether a Service answers, and a cluster may have hundreds of kinds."""
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    server = serve(types=(*MANY, ("", "v1", "services", "Service", True), ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True)))
    server.put("services", "web", spec={"selector": {"app": "web"}})
    client(server).text()
    lists = [r.path for r in server.seen(watch=False) if "/namespaces/default/" in r.path]
    assert len(lists) > 110 and slices in lists[:20]


def lists_of(server):
    return collections.Counter((r.path, r.query.get("fieldSelector", "")) for r in list(server.requests)
                               if not r.watch and not r.query.get("continue") and r.path not in ("/api", "/apis", "/version"))


def test_nothing_is_listed_twice(serve, client):
    core = (("", "v1", "nodes", "Node", False), ("apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                                "CustomResourceDefinition", False))
    server = serve(types=TYPES + core)
    for i in range(30):
        server.put("pods", "p%d" % i, spec={"nodeName": "n%d" % (i % 9), "containers": [
            {"name": "c", "envFrom": [{"secretRef": {"name": "s%d" % i}}]}]}, status={"phase": "Pending"})
    assert len(client(server).json("pods")["items"]) == 30
    asked = lists_of(server)
    assert max(asked.values()) == 1, asked
    whole = {path for path, selector in asked if not selector}
    assert not [a for a in asked if a[1] and a[0] in whole], asked


def test_requests_are_counted_at_the_end(fake, run):
    fake.put("widgets", "a", **READY)
    done = run("widgets", "-v", "6")
    assert done.stderr.decode().splitlines()[-1] == "%d requests were sent" % len(fake.requests)


def test_long_retry_after_is_told(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, status(429, "TooManyRequests", "busy", {"retry-after": "6"}))
    child = run.hurry().start("widgets")
    line = child.stderr.readline().decode()
    assert "Warning: the server asks to wait 6 s" in line and "(Retry-After)" in line
    assert child.wait(20) == 0
    assert b"Retry-After" not in child.stderr.read()
    child.stdout.close()
    child.stderr.close()


def test_forbidden_everywhere_is_known_soon(fake, run):
    for i in range(60):
        fake.put("namespaces", "n%d" % i, ns="")
    for path in ("/api/v1/secrets",) + tuple("/api/v1/namespaces/%s/secrets" % ns for ns in ["default"] + ["n%d" % i for i in range(60)]):
        fake.on(path, status(403, "Forbidden", "secrets is forbidden: User \"u\" cannot list resource \"secrets\""), times=0)
    text = complains(run("secrets", "-A"), "Error from server (Forbidden): secrets is forbidden")
    assert text.count("\n") <= 3
    assert len(fake.requests) <= 12


def test_timeout_is_a_promise(fake, run):
    fake.on(WIDGETS, stall, times=0)
    began = time.monotonic()
    done = run("widgets", "--for", "Ready", "--timeout", "1s")
    assert done.returncode == 3 and time.monotonic() - began < 3


def test_secrets_are_asked_for_as_metadata(fake, run):
    fake.put("secrets", "s", data={"password": "aHVudGVyMg=="})
    assert names(run.json("secrets")) == ["s"]
    for request in fake.seen("/api/v1/namespaces/default/secrets"):
        assert "PartialObjectMetadata" in request.headers["accept"]


def test_header_says_what_is_old(fake, run):
    fake.put("widgets", "a", **READY)
    with run.screen("widgets", rows=20, cols=120) as term:
        term.wait(lambda screen: "live ●" in screen)
        fake.stop()
        term.wait(lambda screen: "live ●" not in screen and "reconnecting" in screen and "this is " in screen)
        fake.start()
        term.wait(lambda screen: "live ●" in screen)


def test_progress_counts_objects(fake, run):
    """What the server says is left is part of the whole."""
    for i in range(1200):
        fake.put("widgets", "w%04d" % i, **READY)
    fake.on(WIDGETS, stall, when=lambda r: r.query.get("continue") or r.watch, times=0)
    with run.screen("widgets", rows=20, cols=120) as term:
        term.wait(lambda screen: "500 of 1 200 objects" in screen and "41 %" in screen)
