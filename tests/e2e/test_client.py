# SPDX-License-Identifier: Apache-2.0
"""The network client through the real program, against a server that can misbehave."""
import gzip
import json
import os
import re
import signal
import stat
import threading
import time

import pytest

from fakeapi import (END, HANG_UP, RESET, TYPES, FakeApi, answer, broken, drip, event, hang_up, make_certificates, stall,
                     status)
from program import Run, wait_for
from wire import Proxy

WIDGETS = "/apis/example.org/v1/namespaces/default/widgets"
GADGETS = "/apis/example.org/v1/namespaces/default/gadgets"
READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
IDLE_CPU = 0.3


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    make_certificates(folder)
    return folder


@pytest.fixture
def serve(certificates):
    started = []

    def start(**options):
        started.append(FakeApi(certificates, **options))
        return started[-1]
    yield start
    for server in started:
        server.stop()


@pytest.fixture
def fake(serve):
    return serve()


@pytest.fixture
def client(certificates, tmp_path):
    """client(fake, user={...}, cluster fields): a Run with a kubeconfig for that server."""
    def make(server, user=None, /, **cluster):
        fields = {"server": server.url, "certificate-authority": str(certificates / "ca.crt"), **cluster}
        fields = {k: v for k, v in fields.items() if v is not None}
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                  "clusters": [{"name": "c", "cluster": fields}],
                  "users": [{"name": "u", "user": user if user is not None else {"token": "t0ken"}}]}
        path = tmp_path / "config.json"
        path.write_text(json.dumps(config))
        return Run(tmp_path, path)
    return make


@pytest.fixture
def run(client, fake):
    return client(fake)


class Watching:
    """The program with -w -o json; its events; what it cost."""

    def __init__(self, run, *args):
        self.child = run.start(*args, "-w", "-o", "json")
        self.events = []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.child.stdout:
            self.events.append(json.loads(line))

    def told(self):
        return [(e["event"], e["name"]) for e in list(self.events)]

    def wait(self, *told):
        wait_for(lambda: all(t in self.told() for t in told))

    def finish(self):
        """Seconds of CPU that it took."""
        if self.child.returncode is None:
            self.child.send_signal(signal.SIGTERM)
            _, code, usage = os.wait4(self.child.pid, 0)
            self.child.returncode = code
            self.thread.join(5)
            self.cpu = usage.ru_utime + usage.ru_stime
            self.errors = self.child.stderr.read().decode()
            self.child.stdout.close()
            self.child.stderr.close()
        return self.cpu


@pytest.fixture
def watching():
    started = []

    def watch(run, *args):
        started.append(Watching(run, *args))
        return started[-1]
    yield watch
    for w in started:
        w.finish()
        assert "ERROR: AddressSanitizer" not in w.errors and "runtime error" not in w.errors, w.errors


def names(doc):
    return [i["name"] for i in doc["items"]]


def after(request):
    return request.query.get("resourceVersion")


def is_watch(request):
    return request.watch


def is_list(request):
    return not request.watch


def complains(done, *words):
    text = done.stderr.decode()
    assert done.returncode == 1, text
    for word in words:
        assert word in text, text
    return text


def bare(fake, plural, name, version=None):
    """An object as it is in a watch event that the store does not know of."""
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {
        "name": name, "namespace": "default", "uid": name, "resourceVersion": str(version or fake.version)},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]}}


# -- lists ---------------------------------------------------------------------------


def test_pages_and_their_token_verbatim(fake, run):
    for i in range(1200):
        fake.put("widgets", "w%04d" % i, **READY)
    assert len(set(names(run.json("widgets", "-l", "!x")))) == 1200
    pages = fake.seen(WIDGETS)
    assert [p.query.get("continue") for p in pages] == [None, "500 &=+/%?é", "1000 &=+/%?é"]
    assert all(p.query["limit"] == "500" and p.query["labelSelector"] == "!x" for p in pages)
    assert all("resourceVersion" not in p.query for p in pages)


def test_expired_page_starts_over_without_limit(fake, run):
    for i in range(600):
        fake.put("widgets", "w%04d" % i, **READY)
    fake.on(WIDGETS, status(410, "Expired", "The provided continue parameter is too old"), lambda r: "continue" in r.query)
    got = names(run.json("widgets"))
    assert len(got) == len(set(got)) == 600
    last = fake.seen(WIDGETS)[-1]
    assert "limit" not in last.query and "continue" not in last.query and len(fake.seen(WIDGETS)) == 3


def test_empty_page_with_a_token(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, answer({"kind": "List", "metadata": {"resourceVersion": "1", "continue": "0 x"}, "items": []}))
    assert names(run.json("widgets")) == ["a"]


def test_page_that_names_itself_is_no_endless_loop(fake, run):
    page = {"kind": "List", "metadata": {"resourceVersion": "1", "continue": "again"}, "items": []}
    fake.on(WIDGETS, answer(page), times=0)
    complains(run("widgets", "-o", "json", timeout=20), "continue")


def test_large_object_is_accepted(fake, run):
    fake.put("widgets", "big", data={"x": "y" * (5 << 20)}, **READY)
    assert names(run.json("widgets")) == ["big"]


def test_huge_object_is_refused_in_bounded_memory(fake, client, tmp_path):
    def huge(_request, stream):
        stream.head(200, [("content-type", "application/json")])
        stream.body(b'{"kind":"List","items":[{"x":"')
        for _ in range(64):
            stream.body(b"y" * (1 << 20))
        stream.body(b'"}]}')
        stream.end()
    fake.on(WIDGETS, huge)
    child = client(fake).start("widgets", "-o", "json")
    error = child.stderr.read().decode()
    _, code, usage = os.wait4(child.pid, 0)
    child.returncode = code
    child.stdout.close()
    child.stderr.close()
    assert os.waitstatus_to_exitcode(code) == 1 and "larger than 32 MiB" in error
    assert "asan" in os.environ.get("KUBECTL_STATUS", "") or usage.ru_maxrss < 160 * 1024


@pytest.mark.parametrize("reply, words", [
    (answer(b"<html>Login</html>", headers={"content-type": "text/html"}), "HTML instead of JSON"),
    (answer(b""), "unexpected end of JSON input"),
    (answer(b'{"kind":"List","items":[{"a":'), "unexpected end of JSON input"),
    (answer(b"hello", headers={"content-type": "text/plain"}), "text/plain instead of JSON"),
    (answer(b"[]"), "invalid JSON"),
    (answer({"kind": "Status", "status": "Failure", "message": "weird"}), "Error from server: weird"),
    (answer({"kind": "Widget", "metadata": {}}), "not a list"),
    (answer(b"", 500), "an error on the server"),
    (answer(b"<b>bad gateway</b>", 502, {"content-type": "text/html"}), "bad gateway"),
    (answer(b"", 503), "the server is currently unable to handle the request (get widgets.example.org)"),
    (status(404, "NotFound", "gone"), 'Unable to list "example.org/v1, Resource=widgets": gone'),
], ids=["html", "empty", "truncated", "text", "array", "failure", "object", "500", "502", "503", "404"])
def test_answers_that_are_no_list(fake, run, reply, words):
    fake.on(WIDGETS, reply, times=0)
    complains(run("widgets", "-o", "json"), words)


def test_slow_list_ends_at_once_when_interrupted(fake, run):
    fake.on(WIDGETS, drip(b'{"kind":"List","items":[' + b" " * 10000), times=0)
    child = run.start("widgets", "-o", "json")
    fake.await_requests(1, WIDGETS)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.wait(10) == -signal.SIGINT and time.monotonic() - start < 1
    child.stdout.close()
    child.stderr.close()


# -- watches -------------------------------------------------------------------------


def test_parameters_of_a_watch(fake, run, watching):
    fake.put("widgets", "a", **READY)
    watching(run, "widgets", "-l", "!x")
    [watch] = fake.await_requests(1, WIDGETS, watch=True)
    assert 300 <= int(watch.query.pop("timeoutSeconds")) <= 600
    assert watch.query == {"watch": "true", "resourceVersion": "101", "allowWatchBookmarks": "true", "labelSelector": "!x"}
    assert re.match(r".*\?allowWatchBookmarks=.*&labelSelector=%21x&resourceVersion=", watch.target)


def test_watch_of_one_object(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets", "a")
    [watch] = fake.await_requests(1, WIDGETS, watch=True)
    assert watch.query["fieldSelector"] == "metadata.name=a"
    w.wait(("ADDED", "a"))


def test_events_split_anywhere(fake, run, watching):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    body = bare(fake, "widgets", "a", 200)
    body["status"]["conditions"][0].update(status="False", message='Zürich \\ "€" 𝄞')
    text = json.dumps({"type": "ADDED", "object": body}, ensure_ascii=False).encode() + b"\n"
    fake.inject("widgets", *[text[i:i + 1] for i in range(len(text))])
    w.wait(("ADDED", "a"))
    assert w.events[0]["message"] == 'Zürich \\ "€" 𝄞'


def test_events_together_and_pretty_printed(fake, run, watching):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    one, two, three = [bare(fake, "widgets", n, 200 + i) for i, n in enumerate("abc")]
    pretty = json.dumps({"type": "ADDED", "object": three}, indent=2).encode()
    fake.inject("widgets", event("ADDED", one).strip() + event("ADDED", two) + pretty)
    w.wait(("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c"))


def test_bookmark_then_end_resumes_from_it(fake, run, watching):
    watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.bookmark("widgets")
    fake.inject("widgets", END)
    start = time.monotonic()
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == str(fake.version) and time.monotonic() - start < 0.7
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_end_after_an_event_resumes_at_once(fake, run, watching):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    for i in range(3):
        fake.put("widgets", "a%d" % i, **READY)
        w.wait(("ADDED", "a%d" % i))
        start = time.monotonic()
        fake.inject("widgets", END)
        watches = fake.await_requests(2 + i, WIDGETS, watch=True)
        assert time.monotonic() - start < 0.7 and after(watches[-1]) == str(fake.version)
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_watches_that_end_at_once_are_not_hammered(fake, run, watching):
    fake.on(WIDGETS, broken(b"", END), is_watch, times=0)
    w = watching(run, "widgets")
    requests = fake.await_requests(3, WIDGETS, watch=True)
    assert requests[1].time - requests[0].time > 0.7 and requests[2].time - requests[1].time > 1.4
    assert len(fake.seen(WIDGETS, watch=False)) >= 2, "listed anew, should the version be the reason"
    assert w.finish() < IDLE_CPU or sanitized()


@pytest.mark.parametrize("how", ["in the stream", "instead of it"])
def test_expired_version_relists_without_noise(fake, run, watching, how):
    for name in ("stays", "goes", "changes"):
        fake.put("widgets", name, **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    w.wait(("ADDED", "stays"), ("ADDED", "goes"), ("ADDED", "changes"))
    if how == "instead of it":
        fake.on(WIDGETS, status(410, "Expired", "too old resource version"), is_watch)
    fake.stop()
    fake.objects.pop(("widgets", "default", "goes"))
    fake.objects["widgets", "default", "changes"]["status"] = {"conditions": [{"type": "Ready", "status": "False"}]}
    fake.objects["widgets", "default", "changes"]["metadata"]["resourceVersion"] = str(fake.version + 1)
    fake.compact()
    fake.start()
    w.wait(("DELETED", "goes"), ("MODIFIED", "changes"))
    fake.put("widgets", "new", **READY)
    w.wait(("ADDED", "new"))
    assert len(w.told()) == 6, w.told()


def test_recreated_while_away(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(1, WIDGETS, watch=True)
    fake.on(WIDGETS, stall, is_list, times=0)
    fake.delete("widgets", "a")
    fake.put("widgets", "a", **READY)
    wait_for(lambda: w.told() == [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")])


@pytest.mark.parametrize("raw", [
    b"certainly no JSON\n", b'{"type":"ADDED","object":{"metadata"', b'{"type":"SURPRISE","object":{}}\n', b'{"type":"ADDED"}\n',
], ids=["garbage", "half", "type", "no-object"])
def test_watch_that_cannot_be_read_is_begun_anew(fake, run, watching, raw):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.inject("widgets", raw, END)
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == after(watches[0]) and watches[1].time - watches[0].time > 0.5
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert len(fake.seen(WIDGETS, watch=False)) == 1 and len(w.told()) == 2


@pytest.mark.parametrize("how", [RESET, HANG_UP], ids=["stream", "connection"])
def test_watch_that_breaks_resumes_from_its_version(fake, run, watching, how):
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "a", **READY)
    w.wait(("ADDED", "a"))
    fake.inject("widgets", how)
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert after(watches[1]) == str(fake.version)
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_throttled_watch_waits_as_told_and_keeps_its_version(fake, run, watching):
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, status(429, "TooManyRequests", headers={"retry-after": "2"}), is_watch)
    watching(run, "widgets")
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert watches[1].time - watches[0].time >= 2 and after(watches[1]) == after(watches[0])
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_throttled_in_the_stream_waits_as_told(fake, run, watching):
    busy = {"kind": "Status", "status": "Failure", "code": 429, "reason": "TooManyRequests", "details": {"retryAfterSeconds": 2}}
    fake.on(WIDGETS, answer(event("ERROR", busy)), is_watch)
    watching(run, "widgets")
    watches = fake.await_requests(2, WIDGETS, watch=True)
    assert watches[1].time - watches[0].time >= 2 and after(watches[1]) == after(watches[0])


def test_idle_watch_costs_nothing(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    n, end = len(fake.seen()), time.monotonic() + 2.5
    wait_for(lambda: time.monotonic() > end)
    assert len(fake.seen()) == n
    assert w.finish() < IDLE_CPU or sanitized()


def test_outage_costs_little_and_ends(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.stop()
    end = time.monotonic() + 3
    wait_for(lambda: time.monotonic() > end)
    fake.start()
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "a"), ("ADDED", "b"))
    assert len(w.told()) == 2 and len(fake.seen(WIDGETS, watch=False)) == 1
    assert w.finish() < IDLE_CPU or sanitized()


def test_waits_for_a_phase(fake, run):
    fake.put("widgets", "a", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Creating"}]})
    child = run.start("widget/a", "--for", "Ready", "--timeout", "10s", "-v", "6")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "a", **READY)
    assert child.wait(20) == 0, child.stderr.read()
    child.stdout.close()
    child.stderr.close()


# -- refusals and retries ------------------------------------------------------------


@pytest.mark.parametrize("code, reason", [(503, "ServiceUnavailable"), (429, "TooManyRequests")])
def test_list_is_repeated_when_the_server_says_when(fake, run, code, reason):
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, status(code, reason, headers={"retry-after": "1"}), times=2)
    assert names(run.json("widgets")) == ["a"]
    lists = fake.seen(WIDGETS)
    assert len(lists) == 3 and lists[2].time - lists[0].time >= 2


def test_repeats_are_bounded(fake, run):
    fake.on(WIDGETS, status(503, "ServiceUnavailable", "down", {"retry-after": "0"}), times=0)
    complains(run("widgets"), "Error from server (ServiceUnavailable): down")
    assert len(fake.seen(WIDGETS)) == 11


@pytest.mark.parametrize("headers", [{}, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}], ids=["none", "date"])
def test_throttled_without_a_time_is_an_error(fake, run, headers):
    fake.on(WIDGETS, status(429, "TooManyRequests", "slow down", headers), times=0)
    complains(run("widgets"), "slow down")
    assert len(fake.seen(WIDGETS)) == 1


@pytest.mark.parametrize("reply", [hang_up, broken(b'{"kind":"List","items":[', RESET)], ids=["no answer", "in the middle"])
def test_list_is_repeated_when_the_connection_breaks(fake, run, reply):
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, reply)
    assert names(run.json("widgets")) == ["a"]
    assert len(fake.seen(WIDGETS)) == 2


def test_many_lists_lost_with_one_connection(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on(GADGETS, stall)
    fake.on(WIDGETS, lambda r, s: (fake.await_requests(1, GADGETS), s.hang_up()))
    assert names(run.json("widgets,gadgets")) == ["a"]


def test_refused(fake, run):
    fake.stop()
    complains(run("widgets"), "The connection to the server 127.0.0.1:%d was refused" % fake.port)


def test_forbidden_type_in_the_servers_words(fake, run):
    words = 'widgets.example.org is forbidden: User "u" cannot list resource "widgets"'
    fake.on(WIDGETS, status(403, "Forbidden", words), times=0)
    complains(run("widgets"), "Error from server (Forbidden): " + words)


def test_forbidden_among_others_is_a_notice(fake, run):
    fake.put("gadgets", "g", **READY)
    fake.on(WIDGETS, status(403, "Forbidden", "no widgets for you"), times=0)
    doc = run.json("widgets,gadgets")
    assert names(doc) == ["g"]
    assert [n["message"] for n in doc["notices"]] == ["Error from server (Forbidden): no widgets for you"]


def test_object_that_may_be_got_but_not_listed(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, status(403, "Forbidden", "no lists"), times=0)
    assert names(run.json("widgets", "a")) == ["a"]
    assert fake.seen(WIDGETS + "/a")


def test_warnings_of_the_server(fake, run):
    fake.put("widgets", "a", **READY)
    warnings = ['299 - "v1 is \\"old\\"", 199 - "not this", 299 - "second\x1b[2J"', '299 - "v1 is \\"old\\""']
    fake.on(WIDGETS, answer({"kind": "List", "items": []}, headers={"warning": [w.replace("\x1b", "\\u001b") for w in warnings]}))
    done = run("widgets", "-o", "wide")
    lines = [x for x in done.stderr.decode().splitlines() if x.startswith("Warning: ")]
    assert lines[0] == 'Warning: v1 is "old"' and len(lines) == 2 and "not this" not in done.stderr.decode()


# -- discovery -----------------------------------------------------------------------


def test_first_run_asks_twice_second_not_at_all(fake, run):
    fake.put("widgets", "a", **READY)
    for _ in range(2):
        assert names(run.json("widgets")) == ["a"]
    assert [r.path for r in fake.seen()] == ["/api", "/apis", WIDGETS, WIDGETS]


def test_watch_revalidates_the_cache(fake, run, watching):
    run.json("widgets")
    watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    roots = fake.await_requests(2, "/apis")
    assert roots[1].headers["if-none-match"].startswith('"')
    cache = run.home / ".kube/cache/kubectl-status"
    assert [stat.S_IMODE(p.stat().st_mode) for p in sorted(cache.rglob("*"))] == [0o700, 0o600, 0o600]


def test_new_type_is_found_by_one_refresh(fake, run):
    run.json("widgets")
    fake.types = TYPES + (("example.org", "v1", "sprockets", "Sprocket", True),)
    fake.put("sprockets", "s", **READY)
    assert names(run.json("sprockets")) == ["s"]
    assert len(fake.seen("/apis")) == 2
    complains(run("nonsense"), 'the server doesn\'t have a resource type "nonsense"')
    assert len(fake.seen("/apis")) == 3


@pytest.mark.parametrize("reply", [status(503, "ServiceUnavailable", "down"), hang_up, answer(b"{]")],
                         ids=["503", "hang-up", "garbage"])
def test_unknown_type_when_discovery_fails_is_an_error(fake, run, reply):
    run.json("widgets")
    fake.types = TYPES + (("example.org", "v1", "sprockets", "Sprocket", True),)
    fake.on("/apis", reply, times=0)
    complains(run("sprockets", timeout=20))


def test_discovery_is_repeated_when_the_connection_breaks(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on("/apis", hang_up)
    assert names(run.json("widgets", timeout=20)) == ["a"]


def test_discovery_is_repeated_when_the_server_says_when(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on("/api", status(503, "ServiceUnavailable", headers={"retry-after": "1"}))
    assert names(run.json("widgets", timeout=20)) == ["a"]


def test_refused_discovery_in_the_servers_words(fake, run):
    fake.on("/apis", status(403, "Forbidden", "not for you"), times=0)
    complains(run("widgets"), "Error from server (Forbidden): not for you")


def test_server_without_core(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on("/api", status(404, "NotFound"), times=0)
    assert names(run.json("widgets")) == ["a"]


def test_legacy_discovery(fake, run):
    fake.aggregated = False
    fake.put("widgets", "a", **READY)
    assert names(run.json("widgets")) == ["a"]
    assert {r.path for r in fake.seen()} == {"/api", "/apis", "/api/v1", "/apis/example.org/v1", WIDGETS}


def test_legacy_discovery_with_a_broken_group(fake, run):
    fake.aggregated = False
    fake.types = TYPES + (("metrics.example", "v1", "loads", "Load", True),)
    fake.on("/apis/metrics.example/v1", answer(b"service unavailable", 503), times=0)
    fake.put("widgets", "a", **READY)
    doc = run.json("widgets")
    assert names(doc) == ["a"] and "metrics.example/v1" in doc["notices"][0]["message"]


@pytest.mark.parametrize("slow", ["v1", "v2"])
def test_legacy_discovery_asks_for_the_preferred_version(fake, run, slow):
    """Whichever answer comes first."""
    fake.aggregated = False
    fake.types = TYPES + (("example.org", "v2", "widgets", "Widget", True),)
    fake.preferred = {"example.org": "v2"}
    quick = "/apis/example.org/" + ("v2" if slow == "v1" else "v1")

    def late(request, stream):
        fake.await_requests(1, quick)
        time.sleep(0.1)
        fake.serve(request, stream)
    fake.on("/apis/example.org/" + slow, late)
    run.json("widgets")
    assert fake.seen(WIDGETS.replace("v1", "v2")) and not fake.seen(WIDGETS)


def test_stale_group_is_explained_and_others_work(fake, run):
    fake.types = TYPES + (("metrics.example", "v1", "loads", "Load", True),)
    fake.stale = {("metrics.example", "v1")}
    fake.put("widgets", "a", **READY)
    doc = run.json("widgets")
    assert names(doc) == ["a"] and "stale GroupVersion discovery" in doc["notices"][0]["message"]


def test_kinds_of_a_group_have_versions_of_their_own(fake, run):
    """operators.coreos.com prefers a version that serves few of its kinds."""
    g = "operators.coreos.com"
    fake.types = TYPES + ((g, "v2", "operatorconditions", "OperatorCondition", True),
                          (g, "v1alpha1", "subscriptions", "Subscription", True))
    for aggregated in (True, False):
        fake.aggregated = aggregated
        assert run("subscriptions", "--cache-dir", run.home / str(aggregated)).returncode == 0
    assert len(fake.seen("/apis/%s/v1alpha1/namespaces/default/subscriptions" % g)) == 2


@pytest.mark.parametrize("damage", ["nowhere", "head", "body", "empty"])
def test_cache_that_cannot_be_used(fake, run, damage):
    fake.put("widgets", "a", **READY)
    if damage == "nowhere":
        (run.home / "file").write_text("")
        assert names(run.json("widgets", "--cache-dir", run.home / "file")) == ["a"]
        return
    run.json("widgets")
    for path in (run.home / ".kube/cache/kubectl-status").rglob("*.json"):
        head, body = path.read_text().split("\n", 1)
        path.write_text({"head": "{nonsense\n" + body, "body": head + "\n" + body[:99], "empty": ""}[damage])
    assert names(run.json("widgets")) == ["a"]
    assert names(run.json("widgets")) == ["a"]
    assert len(fake.seen("/apis")) == 2, "it was repaired"


# -- what is sent --------------------------------------------------------------------


def test_headers(fake, run):
    run.json("widgets")
    root, listing = fake.seen("/apis")[0].headers, fake.seen(WIDGETS)[0].headers
    assert root["accept"].startswith("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,")
    assert listing["accept"] == "application/json" and listing["accept-encoding"] == "gzip"
    assert re.fullmatch(r"kubectl-status/v\S+ \(linux/\w+\)", listing["user-agent"])
    assert listing["kubectl-command"] == "kubectl status"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", listing["kubectl-session"])
    assert root["kubectl-session"] == listing["kubectl-session"] and listing["authorization"] == "Bearer t0ken"


@pytest.mark.parametrize("what", [["service/web"], ["services"]])
def test_endpoints_of_a_service_are_looked_up(serve, client, what):
    fake = serve(types=TYPES + (("", "v1", "services", "Service", True),
                                ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True)))
    fake.put("services", "web", spec={"clusterIP": "10.0.0.1", "selector": {"app": "web"}}, status={"loadBalancer": {}})
    fake.put("endpointslices", "web-x", endpoints=[{"addresses": ["10.1.0.1"], "conditions": {"ready": False}}],
             metadata={"name": "web-x", "namespace": "default", "uid": "x", "resourceVersion": "1",
                       "labels": {"kubernetes.io/service-name": "web"}})
    items = client(fake).json(*what)["items"]
    assert [(i["kind"], i["phase"]) for i in items] == [("Service", "Degraded")]


def test_contents_of_secrets_are_not_asked_for(fake, run):
    fake.put("widgets", "a", spec={"secretRef": {"name": "s"}}, status={"conditions": [{"type": "Ready", "status": "False"}]})
    run.json("widgets")
    for request in fake.seen("/api/v1/namespaces/default/secrets"):
        assert "PartialObjectMetadata" in request.headers["accept"]


def test_compressed_list(fake, run):
    items = [bare(fake, "widgets", "w%d" % i) for i in range(3000)]
    body = gzip.compress(json.dumps({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": items}).encode())
    fake.on(WIDGETS, answer(body, headers={"content-encoding": "gzip"}))
    assert len(names(run.json("widgets"))) == 3000
    run.json("widgets", "--disable-compression")
    assert "accept-encoding" not in fake.seen(WIDGETS)[-1].headers


def test_token_file_and_basic(fake, client, tmp_path):
    (tmp_path / "token").write_text("from-file\n")
    client(fake, {"tokenFile": str(tmp_path / "token")}).json("widgets")
    client(fake, {"username": "me", "password": "pa:ss"}).json("widgets")
    sent = [r.headers["authorization"] for r in fake.seen(WIDGETS)]
    assert sent == ["Bearer from-file", "Basic bWU6cGE6c3M="]


def test_impersonation(fake, run):
    run.json("widgets", "--as", "jane", "--as-group", "ops", "--as-uid", "7", "--as-user-extra", "scope=a/b")
    for request in fake.seen():
        assert request.headers["impersonate-user"] == "jane" and request.headers["impersonate-group"] == "ops"
        assert request.headers["impersonate-uid"] == "7" and request.headers["impersonate-extra-scope"] == "a/b"


def test_redirect_is_not_followed(fake, serve, run):
    other = serve(tls=False)
    fake.on(WIDGETS, answer(b"", 302, {"location": other.url + "/login"}), times=0)
    complains(run("widgets"), "unexpected redirect (HTTP 302)")
    assert not other.seen()


def test_nothing_secret_in_the_log(fake, client, certificates):
    run = client(fake, {"username": "me", "password": "hush-hush"})
    done = run("widgets", "-v", "9", "-o", "json")
    text = done.stderr.decode() + done.stdout.decode()
    assert "GET " + fake.url in text and "Authorization: Basic <masked>" in text
    assert "hush" not in text and "bWU6" not in text
    text = client(fake)("widgets", "-v", "9").stderr.decode()
    assert "Bearer <masked>" in text and "t0ken" not in text


def plugin(tmp_path, expiry="2099-01-01T00:00:00Z"):
    """A credential plugin that counts its runs in its tokens."""
    script = tmp_path / "plugin"
    script.write_text("""#!/bin/sh
echo run >> %s/runs
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"run-%%d","expirationTimestamp":"%s"}}' $(wc -l < %s/runs)
""" % (tmp_path, expiry, tmp_path))
    script.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}}


def test_credential_plugin_runs_once(fake, client, tmp_path):
    client(fake, plugin(tmp_path)).json("widgets,gadgets")
    assert {r.headers["authorization"] for r in fake.seen()} == {"Bearer run-1"}


def test_credential_plugin_runs_again_after_401(fake, client, watching, tmp_path):
    w = watching(client(fake, plugin(tmp_path)), "widgets,gadgets")
    first = fake.await_requests(2, watch=True)
    for path in (WIDGETS, GADGETS):
        fake.on(path, status(401, "Unauthorized", "Unauthorized"),
                lambda r: r.headers.get("authorization") == "Bearer run-1", times=0)
    wait_for(lambda: time.monotonic() > first[0].time + 1.2)  # a plugin runs once a second at most
    for plural in ("widgets", "gadgets"):
        fake.inject(plural, END)
    fake.await_requests(6, watch=True)
    fake.put("widgets", "a", **READY)
    w.wait(("ADDED", "a"))
    assert (tmp_path / "runs").read_text() == "run\nrun\n" and len(fake.seen(watch=False)) == 4


def test_401_to_the_end(fake, client, tmp_path):
    fake.on(WIDGETS, status(401, "Unauthorized", "Unauthorized"), times=0)
    complains(client(fake, plugin(tmp_path))("widgets", timeout=20), "You must be logged in to the server (Unauthorized)")
    assert len(fake.seen(WIDGETS)) == 2


# -- connections ---------------------------------------------------------------------


def test_http2_shares_one_connection(fake, run, watching):
    watching(run, "widgets,gadgets,pods")
    fake.await_requests(3, watch=True)
    assert {(r.connection, r.protocol) for r in fake.seen()} == {(1, "h2")}


def test_http1_only_server(serve, client, watching):
    fake = serve(http2=False)
    fake.put("widgets", "a", **READY)
    w = watching(client(fake), "widgets,gadgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(2, watch=True)
    fake.put("gadgets", "g", **READY)
    w.wait(("ADDED", "g"))
    assert {r.protocol for r in fake.seen()} == {"http/1.1"}
    fake.inject("widgets", END)
    fake.await_requests(3, watch=True)


def test_plain_http(serve, client):
    fake = serve(tls=False)
    fake.put("widgets", "a", **READY)
    assert names(client(fake, **{"certificate-authority": None}).json("widgets")) == ["a"]


def test_tls_server_name(serve, client):
    fake = serve(certificate="stranger")
    run = client(fake, **{"tls-server-name": "elsewhere.example"})
    run.json("widgets")
    request = fake.seen(WIDGETS)[0]
    assert request.sni == "elsewhere.example" and request.host == "127.0.0.1:%d" % fake.port


def test_no_name_is_sent_for_an_address(fake, run):
    run.json("widgets")
    assert fake.seen()[0].sni is None


def test_insecure(serve, client):
    fake = serve(certificate="expired")
    run = client(fake, **{"certificate-authority": None, "insecure-skip-tls-verify": True})
    assert run("widgets").returncode == 0


@pytest.mark.parametrize("certificate, ca, words", [
    ("server", "other.crt", "x509: certificate signed by unknown authority"),
    ("server", None, "x509: certificate signed by unknown authority"),
    ("expired", "ca.crt", "x509: certificate has expired or is not yet valid"),
    ("stranger", "ca.crt", "x509: certificate is valid for elsewhere.example, not 127.0.0.1"),
], ids=["unknown", "system", "expired", "name"])
def test_untrusted_server(serve, client, certificates, certificate, ca, words):
    fake = serve(certificate=certificate)
    run = client(fake, **{"certificate-authority": ca and str(certificates / ca)})
    complains(run("widgets"), "Unable to connect to the server: tls: failed to verify certificate: " + words)
    assert not fake.seen()


def test_empty_authority_trusts_nobody(fake, client, tmp_path, certificates):
    (tmp_path / "empty").write_text("")
    run = client(fake, **{"certificate-authority": str(tmp_path / "empty")})
    done = run("widgets", SSL_CERT_FILE=str(certificates / "ca.crt"))
    assert done.returncode == 1 and not fake.seen()


@pytest.mark.parametrize("reply, words", [(status(503, "ServiceUnavailable", "down"), "down"), (answer(b"{]"), "")],
                         ids=["503", "garbage"])
def test_first_discovery_that_fails_is_an_error(fake, run, reply, words):
    fake.on("/apis", reply, times=0)
    complains(run("widgets", timeout=20), words)


def test_server_that_is_no_tls(serve, client):
    fake = serve(tls=False)
    run = client(fake, server=fake.url.replace("http:", "https:"))
    complains(run("widgets"), "Unable to connect to the server: http: server gave HTTP response to HTTPS client")


@pytest.mark.parametrize("path", ["/apis", WIDGETS], ids=["discovery", "list"])
def test_server_that_never_answers(fake, run, path):
    fake.on(path, stall, times=0)
    start = time.monotonic()
    complains(run("widgets", "--request-timeout", "1s", timeout=20), "context deadline exceeded")
    assert time.monotonic() - start < 4


def test_request_timeout_is_not_for_watches(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets", "--request-timeout", "700ms")
    [watch] = fake.await_requests(1, WIDGETS, watch=True)
    assert "timeout" not in watch.query and fake.seen(WIDGETS, watch=False)[0].query["timeout"] == "700ms"
    end = time.monotonic() + 1.2
    wait_for(lambda: time.monotonic() > end)
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert len(fake.seen(WIDGETS, watch=True)) == 1


@pytest.fixture
def proxy():
    made = Proxy()
    yield made
    made.stop()


def test_proxy_of_the_environment_is_not_for_loopback(fake, run, proxy):
    address = "http://127.0.0.1:%d" % proxy.port
    assert run("widgets", HTTPS_PROXY=address, https_proxy=address, ALL_PROXY=address).returncode == 0
    assert not proxy.heads


def test_proxy_of_the_cluster(fake, client, proxy):
    fake.put("widgets", "a", **READY)
    run = client(fake, **{"proxy-url": "http://me:secret@127.0.0.1:%d" % proxy.port})
    done = run("widgets", "-o", "name", "-v", "9", NO_PROXY="*")
    assert done.stdout == b"widget.example.org/a\n" and b"secret" not in done.stderr
    [head] = proxy.heads
    assert head.startswith("CONNECT 127.0.0.1:%d " % fake.port)
    assert "\r\nProxy-Authorization: Basic " in head and "\r\nAuthorization:" not in head


def test_proxy_that_is_not_there(fake, client, proxy):
    run = client(fake, **{"proxy-url": "http://127.0.0.1:%d" % proxy.port})
    proxy.stop()
    complains(run("widgets", timeout=20), "127.0.0.1:%d" % proxy.port)


def sanitized():
    """A program with sanitizers may take its time."""
    return "asan" in os.environ.get("KUBECTL_STATUS", "")

