# SPDX-License-Identifier: Apache-2.0
"""Servers and proxies that lie, break and flood: bounded memory, one line that says so, and recovery."""
import json
import os
import signal
import subprocess
import sys
import time
import zlib

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import after, bare, complains, IDLE_CPU, is_watch, names, READY, sanitized, WIDGETS
from fakeapi import END, RESET, answer, broken, drip, event, stall, status
from program import MEASURE, PROGRAM, wait_for


ONCE = "--request-timeout=900ms"  # less than the second after which a list whose connection breaks is asked for again
DEEP = b'{"kind":"List","items":[{"metadata":{"name":"a"},"spec":' + b"[" * 10000 + b"]" * 10000 + b"}]}"


def raw(data):
    """These bytes instead of an answer, HTTP/1.1 head and all; then the connection ends."""
    def reply(_request, stream):
        stream.wire.send(data)
        stream.hang_up()
    return reply


def measured(run, *args):
    """The program's exit status, its words and the most memory it had, in MiB."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, PROGRAM, *map(str, args)], env=run.env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=True)
    status, _, peak = done.stdout.split()
    return os.waitstatus_to_exitcode(int(status)), done.stderr.decode(), 0 if sanitized() else float(peak)


@pytest.fixture
def plain(serve, client):
    """HTTP/1.1, so that raw bytes can be sent."""
    fake = serve(http2=False)
    fake.put("widgets", "a", **READY)
    return fake, client(fake)


@pytest.mark.parametrize("reply, words", [
    (answer(DEEP), ""),
    (answer(b'{"kind":"List","items":[{"metadata":{"name":"a"}},'), "unexpected end of JSON input"),
    (answer(b'{"kind":"List","metadata":{"resourceVersion":"1"},"items":[nonsense]}'), ""),
    (answer(b'{"kind":"List","items":[' + b'\xff\xfe' * 9 + b"]}"), ""),
    (answer({"kind": "List", "items": "many", "metadata": 7}), ""),
    (answer(b'{"kind":"List","items":[7,"x",null,[],{}]}'), ""),
    (answer(b"\x1f\x8b" + b"\0" * 30, headers={"content-encoding": "gzip"}), ""),
], ids=["deep", "half", "words", "not-utf8", "types", "scalars", "bad-gzip"])
def test_lists_that_are_none(fake, run, reply, words):
    """No crash, no hang; where it is an error, one line."""
    fake.on(WIDGETS, reply, times=0)
    done = run("widgets", "-o", "json")
    assert done.returncode in (0, 1)
    if words:
        complains(done, words)
    assert done.stderr.count(b"\n") <= 1


def test_items_that_are_no_objects(fake, run):
    """What cannot be shown is told, with its number."""
    good = bare(fake, "widgets", "good")
    odd = [7, "x", None, [], {}, {"metadata": {"namespace": "default"}}]
    fake.on(WIDGETS, answer({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": [odd[0], good, *odd[1:]]}), times=0)
    doc = run.json("widgets")
    assert names(doc) == ["good"]
    [notice] = doc["notices"]
    assert notice["kind"] == "unreadable" and notice["resource"] == "widgets.example.org"
    assert notice["message"].startswith("6 items of the server's answer are without a name, or no object at all")


def test_invalid_utf8_in_an_object(fake, run):
    """Shown with replacement characters, in valid JSON."""
    body = json.dumps({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": [bare(fake, "widgets", "a")]}).encode()
    body = body.replace(b'"status": "True"', b'"status": "False", "message": "caf\xe9 \xf0\x28"')
    fake.on(WIDGETS, answer(body))
    [item] = run.json("widgets")["items"]
    assert item["message"].startswith("caf")


def test_duplicate_keys(fake, run):
    """No crash; one of them counts."""
    body = b'{"kind":"List","kind":"List","items":[{"metadata":{"name":"a","name":"b"},"metadata":{"name":"c"}}],"items":[]}'
    fake.on(WIDGETS, answer(body))
    assert run("widgets", "-o", "json").returncode in (0, 1)


def test_gzip_bomb(fake, run):
    """A small answer that would become a gigabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = packer.compress(b'{"kind":"List","items":[{"x":"') + packer.flush(zlib.Z_FULL_FLUSH)
    data += 1024 * (packer.compress(b"y" * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH))  # it refers to nothing before it
    fake.on(WIDGETS, answer(data, headers={"content-encoding": "gzip"}), times=0)
    code, error, mib = measured(run, "widgets", "-o", "json")
    assert code == 1 and "larger than" in error and mib < 200


def test_endless_list(fake, run):
    """Items without end cost the time that they take, not memory; an interrupt ends it at once."""
    item = json.dumps(bare(fake, "widgets", "same")).encode() + b","

    def endless(_request, stream):
        stream.head(200, [("content-type", "application/json")])
        stream.body(b'{"kind":"List","items":[')
        while not stream.gone():
            stream.body(item * 500)
    fake.on(WIDGETS, endless, times=0)
    child = run.start("widgets", "-o", "json")
    fake.await_requests(1, WIDGETS)
    end = time.monotonic() + 2
    wait_for(lambda: time.monotonic() > end)
    child.send_signal(signal.SIGTERM)
    child.stdout.close()
    child.stderr.close()
    _, code, usage = os.wait4(child.pid, 0)
    child.returncode = code
    assert os.waitstatus_to_exitcode(code) == -signal.SIGTERM and (sanitized() or usage.ru_maxrss < 200 * 1024)


def test_endless_envelope(fake, run):
    """What stands around the items is bounded, too."""
    def endless(_request, stream):
        stream.head(200, [("content-type", "application/json")])
        stream.body(b'{"kind":"List","metadata":{"x":"')
        while not stream.gone():
            stream.body(b"y" * (1 << 16))
    fake.on(WIDGETS, endless, times=0)
    code, error, mib = measured(run, "widgets", "-o", "json")
    assert code == 1 and "larger than" in error and mib < 100


def test_endless_headers_and_errors(plain):
    """A head without end, and an error body without end."""
    fake, run = plain

    def head(_request, stream):
        stream.wire.send(b"HTTP/1.1 200 OK\r\n")
        for i in range(20000):
            stream.wire.send(b"x-%d: %s\r\n" % (i, b"y" * 500))
        stream.hang_up()

    def body(_request, stream):
        stream.head(500, [("content-type", "text/plain")])
        for _ in range(64):
            stream.body(b"z" * (1 << 20))
        stream.end()
    for reply in (head, body):
        fake.on(WIDGETS, reply, times=0)
        code, error, mib = measured(run, "widgets", "-o", "json", ONCE)
        assert code == 1 and error.count("\n") == 1 and len(error) < 1000 and mib < 100
        fake.script.clear()


BODY = b'{"kind":"List","metadata":{"resourceVersion":"1"},"items":[]}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "


@pytest.mark.parametrize("data", [
    HEAD + b"100000\r\n\r\n" + BODY, HEAD + b"-1\r\n\r\n" + BODY,
    HEAD + b"7\r\nContent-Length: 9\r\n\r\n" + BODY, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n" + BODY,
    b"HTTP/9.9 ??? no\r\n\r\n",
    b"SSH-2.0-nonsense\r\n", b"\0" * 100, b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + BODY,
    b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 50], ids=range(10))
def test_servers_that_lie_about_lengths(plain, data):
    """As for any broken answer."""
    fake, run = plain
    fake.on(WIDGETS, raw(data), times=0)
    done = run("widgets", "-o", "json", ONCE)
    assert done.returncode in (0, 1) and done.stderr.count(b"\n") <= 1 and len(fake.seen(WIDGETS)) <= 2


def test_watch_reset_at_every_byte(fake, run, watching):
    """Events are neither lost nor doubled, wherever the connection ends."""
    fake.put("widgets", "a", **READY)
    one = event("ADDED", bare(fake, "widgets", "x", 500))
    cuts = list(range(0, len(one), max(1, len(one) // 4)))
    for at in cuts:
        fake.on(WIDGETS, broken(event("BOOKMARK", {"metadata": {"resourceVersion": "300"}}) + one[:at], RESET), is_watch)
    w = watching(run, "widgets")
    fake.await_requests(len(cuts) // 2, WIDGETS, watch=True)
    fake.put("widgets", "b", **READY)
    assert w.changes() == [("ADDED", "a")], "half an event is none"


def test_list_reset_at_every_byte(serve, client):
    """Each is asked for again, ten times at most."""
    fake = serve(http2=False)
    body = json.dumps({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": [bare(fake, "widgets", "a")]}).encode()
    for at in (0, 1, len(body) // 2, len(body) - 1):
        fake.on(WIDGETS, broken(body[:at], RESET))
        fake.on(WIDGETS, answer(body))
        assert names(client(fake).json("widgets")) == ["a"]


def test_half_lines_and_blank_ones_in_a_watch(fake, run, watching):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    text = event("ADDED", bare(fake, "widgets", "a", 500))
    fake.inject("widgets", b"\r\n\r\n", text[:20], text[20:], b"  \n\t\n", event("ADDED", bare(fake, "widgets", "b", 501)))
    w.wait(("ADDED", "a"), ("ADDED", "b"))


def test_deep_event_of_a_watch(fake, run, watching):
    """Refused; what comes later is seen."""
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.inject("widgets", b'{"type":"ADDED","object":' + b"[" * 10000)
    fake.await_requests(2, WIDGETS, watch=True)
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))


def test_flood_of_events(fake, run, watching):
    """Ten thousand changes as fast as the server can: nothing lost, little memory, no time afterwards."""
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    w.wait(("ADDED", "a"))
    chunk = []
    for i in range(10000):
        body = bare(fake, "widgets", "w%d" % (i % 500), 1000 + i)
        body["status"]["conditions"][0].update(status="False" if i % 2 else "True", message="m%d" % i)
        chunk.append(event("ADDED" if i < 500 else "MODIFIED", body))
    for i in range(0, len(chunk), 250):
        fake.inject("widgets", b"".join(chunk[i:i + 250]))
    last = {}

    def complete():
        for e in list(w.events):
            last[e["name"]] = e
        return len(last) == 501 and last["w499"].get("message") == "m9999"
    wait_for(complete, 60)
    fake.inject("widgets", END)
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == "10999" and len(fake.seen(WIDGETS, watch=False)) == 1


def test_slow_drip_of_a_watch_is_no_busy_loop(fake, run, watching):
    fake.on(WIDGETS, drip(event("ADDED", bare(fake, "widgets", "slow", 500)) + b" " * 2000, every=0.005), is_watch)
    w = watching(run, "widgets")
    w.wait(("ADDED", "slow"))
    assert w.finish() < IDLE_CPU * 2 or sanitized()


@pytest.mark.parametrize("reply", [answer(b"<html>Log in</html>", headers={"content-type": "text/html"}), raw(b"\0" * 40),
                                   answer(b"", 302, {"location": "https://login.example/"}), answer(b"x", 511)],
                         ids=["login", "zeros", "redirect", "511"])
def test_login_page_in_between_and_then_the_server_again(plain, watching, reply):
    """A captive portal while watching: it is said, nothing is removed, and all goes on."""
    fake, run = plain
    run.hurry()
    w = watching(run, "widgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(1, WIDGETS, watch=True)
    fake.on("*", reply, times=2)
    fake.inject("widgets", END)
    wait_for(lambda: not fake.script, 30)
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert ("DELETED", "a") not in w.changes()


def test_hostile_name_vanishes_while_nobody_watches(fake, run, watching, tmp_path):
    """An object that a new list leaves out is removed from the recording, too, whatever characters its name has."""
    fake.put("widgets", "stays", **READY)
    fake.put("widgets", 'a"b\\c', **READY)
    path = tmp_path / "rec.jsonl"
    w = watching(run, "widgets", "--record", path)
    wait_for(lambda: len(w.events) == 2)
    fake.await_requests(1, WIDGETS, watch=True)
    del fake.objects["widgets", "default", 'a"b\\c']
    fake.compact()
    fake.inject("widgets", END)
    w.wait(("DELETED", 'a"b\\c'))
    w.finish()
    assert names(run.json("--replay", path)) == ["stays"]


def test_relist_with_an_older_version(fake, run, watching):
    """After a failover the list may be older than what was seen; the watch goes on from what the server has."""
    now = fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    then = {**now, "metadata": {**now["metadata"], "resourceVersion": "40"}}
    old = {"kind": "List", "metadata": {"resourceVersion": "50"}, "items": [then]}
    fake.compact()
    fake.on(WIDGETS, answer(old), lambda r: not r.watch)
    fake.inject("widgets", END)
    wait_for(lambda: [r for r in fake.seen(WIDGETS, watch=True) if after(r) == "50"])
    assert ("DELETED", "a") not in w.changes()


def test_versions_of_any_form(fake, run, watching):
    """The server's own business: 25 digits, or no number at all."""
    for version in ("1" * 25, "opaque/é+1", "0"):
        fake.on(WIDGETS, answer({"kind": "List", "metadata": {"resourceVersion": version}, "items": []}), lambda r: not r.watch)
        fake.on(WIDGETS, stall, is_watch)
        watching(run, "widgets")
    for version in ("1" * 25, "opaque/é+1", "0"):
        wait_for(lambda v=version: [r for r in fake.seen(WIDGETS, watch=True) if after(r) == v])
