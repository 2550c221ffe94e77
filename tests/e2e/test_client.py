# SPDX-License-Identifier: Apache-2.0
"""The network client through the real program: lists, refusals and retries, against a server that can misbehave."""
import json
import os
import signal
import subprocess
import time

import pytest

from client_world import certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from client_world import after, complains, GADGETS, names, READY, WIDGETS
from program import PROGRAM
from fakeapi import RESET, TYPES, answer, broken, drip, hang_up, stall, status


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
    complains(run("widgets", "-o", "json"), "continue")


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
    child = client(fake).start("widgets", "-o", "json", "--exit-code")
    error = child.stderr.read().decode()
    _, code, usage = os.wait4(child.pid, 0)
    child.returncode = code
    child.stdout.close()
    child.stderr.close()
    assert os.waitstatus_to_exitcode(code) == 1 and "1 item of the server's answer is without a name" in error
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
    (answer(b"go away", 403, {"content-type": "text/plain"}), "go away"),
    (answer(b"who?", 401, {"content-type": "text/plain"}),
     "You must be logged in to the server (the server has asked for the client to provide credentials"),
    (answer(b"", 504), "the server was unable to return a response in the time allotted"),
    (status(404, "NotFound", "gone"), 'Unable to list "example.org/v1, Resource=widgets": gone'),
], ids=["html", "empty", "truncated", "text", "array", "failure", "object", "500", "502", "503", "403", "401", "504", "404"])
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
    complains(run.hurry()("widgets"), "Error from server (ServiceUnavailable): down")
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


def test_list_is_repeated_while_connections_break(fake, run):
    """Ten times at most, and then it is told."""
    run.hurry()
    fake.put("widgets", "a", **READY)
    fake.on(WIDGETS, hang_up, times=3)
    assert names(run.json("widgets")) == ["a"]
    assert len(fake.seen(WIDGETS)) == 4
    fake.on(WIDGETS, hang_up, times=0)
    complains(run("widgets"), "Unable to connect to the server: ")
    assert len(fake.seen(WIDGETS)) == 4 + 11


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
    """The exit status is kubectl's."""
    fake.put("gadgets", "g", **READY)
    fake.on(WIDGETS, status(403, "Forbidden", "no widgets for you"), times=0)
    done = run("widgets,gadgets", "-o", "json")
    doc = json.loads(done.stdout)
    assert done.returncode == 1
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


def test_events_are_asked_for_only_of_a_deletion_that_they_explain(fake, run):
    group, about = "queue.oracle.com", {"apiVersion": "queue.oracle.com/v1beta1", "kind": "Queue", "name": "a", "namespace": "default"}
    fake.types = TYPES + (("", "v1", "events", "Event", True), (group, "v1beta1", "queues", "Queue", True))
    queue = fake.put("queues", "a", status={"status": {"reason": "Active"}})
    assert run.json("queues")["items"][0]["phase"] == "Ready"
    assert not fake.seen("/api/v1/namespaces/default/events")
    queue["metadata"].update(deletionTimestamp="2026-01-01T01:00:00Z", finalizers=["finalizers.oci.oracle.com/oci-resources"])
    fake.put("events", "a.1", involvedObject=about, type="Normal", reason="DeleteBlocked", message="409",
             lastTimestamp="2026-01-01T01:01:00Z")
    item = run.json("queues")["items"][0]
    assert (item["reason"], item["message"], item["severity"]) == ("DeleteBlocked", "409", "warning")
    asked = fake.seen("/api/v1/namespaces/default/events")
    assert len(asked) == 1 and asked[0].query["fieldSelector"] == "reason=DeleteBlocked"


def test_volumes_that_a_claim_could_have_are_looked_up(fake, run):
    fake.types = TYPES + (("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", True),
                          ("", "v1", "persistentvolumes", "PersistentVolume", False))
    fake.put("persistentvolumes", "disk", spec={"storageClassName": "", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]},
             status={"phase": "Available"})
    fake.put("persistentvolumeclaims", "bound", spec={"volumeName": "other"}, status={"phase": "Bound"})
    run.json("persistentvolumeclaim/bound")
    assert all("fieldSelector" in r.query for r in fake.seen("/api/v1/persistentvolumes"))  # its own one
    fake.put("persistentvolumeclaims", "large", spec={"storageClassName": "", "accessModes": ["ReadWriteOnce"],
                                                      "resources": {"requests": {"storage": "5Gi"}}}, status={"phase": "Pending"})
    item = run.json("persistentvolumeclaim/large")["items"][0]
    assert (item["phase"], item["message"]) == ("Failed", "it asks 5Gi, persistentvolume/disk has 1Gi")


def test_nodes_that_have_a_taint_are_looked_up(fake, run):
    fake.types = TYPES + (("", "v1", "nodes", "Node", False),)
    fake.put("nodes", "rack-1", spec={"taints": [{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]},
             status={"conditions": [{"type": "DiskPressure", "status": "True", "reason": "KubeletHasDiskPressure"},
                                    {"type": "Ready", "status": "True"}]})
    words = "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }."
    fake.put("pods", "late", spec={}, status={"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": words}]})
    item = run.json("pod/late")["items"][0]
    assert [(w["state"], w["on"]["kind"], w["on"]["name"]) for w in item["waits"]] == [("not-ready", "Node", "rack-1")]


@pytest.mark.parametrize("what", [["service/web"], ["services"]])
def test_endpoints_of_a_service_are_looked_up(serve, client, what):
    fake = serve(types=TYPES + (("", "v1", "services", "Service", True),
                                ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True)))
    fake.put("services", "web", spec={"clusterIP": "10.0.0.1", "selector": {"app": "web"}}, status={"loadBalancer": {}})
    fake.put("endpointslices", "web-x", endpoints=[{"addresses": ["10.1.0.1"], "conditions": {"ready": False}}],
             metadata={"name": "web-x", "namespace": "default", "uid": "x", "resourceVersion": "1",
                       "labels": {"kubernetes.io/service-name": "web"}})
    items = client(fake).json(*what)["items"]
    assert [(i["kind"], i["phase"]) for i in items] == [("Service", "Failed")]


def test_a_service_is_not_ready_before_its_endpoints_are_read(serve, client):
    fake = serve(types=TYPES + (("", "v1", "services", "Service", True),
                                ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True)))
    fake.put("services", "web", spec={"clusterIP": "10.0.0.1", "selector": {"app": "web"}}, status={"loadBalancer": {}})
    fake.on("*", stall, lambda r: "endpointslices" in r.path, times=0)
    with client(fake).screen("services") as term:
        text = term.wait("service/web")
        assert "Unknown" in text and "Ready" not in text, text


def many_lists(serve, client, n, reply, speed=1):
    """n lists of a server that answers like that: reply(fake, how many were under way when each came).  Returns
    the most of that, and when they came."""
    many = TYPES + tuple(("many.example", "v1", "kinds%03d" % i, "Kind%03d" % i, True) for i in range(n))
    fake = serve(types=many)
    now, counts = [], []

    def counted(request, stream):
        with fake.changed:
            now.append(request)
            counts.append(len(now))
            fake.changed.notify_all()
        reply(fake, counts)
        with fake.changed:
            now.remove(request)
        fake.serve(request, stream)
    fake.on("*", counted, lambda r: "many.example" in r.path, times=0)
    client(fake).hurry(speed).json(",".join(t[2] for t in many[5:]))
    times = [r.time for r in fake.seen() if "many.example" in r.path]
    assert len(times) == n
    return max(counts), times


def test_requests_at_once_are_bounded(serve, client):
    """A server that answers gets many lists at once, but no more than a hundred."""
    def together(fake, counts):
        """The first ones are answered when there are forty; all others a moment after they came, so that there could be too many."""
        with fake.changed:
            assert fake.changed.wait_for(lambda: max(counts) >= 40, 20), max(counts)
        time.sleep(0.2)
    # By its clock no answer is late, however busy this machine is: a late one would be a reason to ask for less.
    most, _ = many_lists(serve, client, 250, together, speed=0.05)
    assert 40 <= most <= 100, most


def test_slow_server_gets_fewer_requests(serve, client):
    """The more there are the slower it is: as one that is in trouble."""
    started = []

    def slower(_fake, _counts):
        started.append(1)
        time.sleep(0.05 if len(started) < 10 else 0.9)
    _, times = many_lists(serve, client, 250, slower)
    assert len([t for t in times if t > times[-1] - 0.8]) <= 40


def test_rate_of_requests_is_bounded(serve, client):
    """A burst of four hundred, then fifty a second; that all are asked for is a matter of the machine's speed, too."""
    _, times = many_lists(serve, client, 480, lambda fake, counts: None)
    assert 1.2 < times[-1] - times[0]


def test_redirects_while_listing_reach_nobody(fake, serve, run):
    """Neither another host nor the same one."""
    other = serve()
    for code in (301, 302, 303, 307, 308):
        fake.on(WIDGETS, answer(b"", code, {"location": other.url + WIDGETS}))
        complains(run("widgets"), "unexpected redirect (HTTP %d)" % code)
    assert not other.seen() and len(fake.seen(WIDGETS)) == 5


APPS = (("apps", "v1", "statefulsets", "StatefulSet", True), ("", "v1", "events", "Event", True))
SET = {"spec": {"replicas": 3, "selector": {"matchLabels": {"app": "db"}}},
       "status": {"replicas": 0, "readyReplicas": 0, "observedGeneration": 1}}


def test_events_say_why_when_the_status_is_silent(serve, client):
    """A StatefulSet that gets no pods tells of it in Events alone."""
    fake = serve(types=TYPES + APPS)
    fake.put("statefulsets", "db", **SET)
    refused = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: exceeded quota: small'
    seen = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    fake.put("events", "db.1", type="Warning", reason="FailedCreate", message=refused, lastTimestamp=seen,
             involvedObject={"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "namespace": "default"})
    item = client(fake).json("statefulsets")["items"][0]
    assert (item["reason"], item["message"]) == ("FailedCreate", refused)
    assert len(fake.seen("/api/v1/namespaces/default/events")) == 1


def test_events_are_not_asked_for_what_is_well(serve, client):
    fake = serve(types=TYPES + APPS)
    fake.put("statefulsets", "db", spec=SET["spec"], status={"replicas": 3, "readyReplicas": 3, "availableReplicas": 3,
                                                            "updatedReplicas": 3, "observedGeneration": 1})
    assert client(fake).json("statefulsets")["items"][0]["phase"] == "Ready"
    assert not fake.seen("/api/v1/namespaces/default/events")


FORMATS = ["table", "wide", "tree", "why", "json", "yaml", "name"]
MODES = [["-o", f] for f in FORMATS] + [["-w", "-o", "json"], ["-w", "-o", "table"], ["--problems"], ["--for", "Failed,Degraded,Provisioning", "-o", "json"]]


def redirected(run, redirection, *args):
    return subprocess.run(["bash", "-c", 'exec "$0" "$@" ' + redirection, PROGRAM, *args], env=run.env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("args", MODES)
def test_standard_output_that_takes_nothing(fake, run, args):
    """A closed one, whose number the next socket would get, and a full disk: one line, and not a byte elsewhere."""
    fake.put("widgets", "w", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Broken"}]})
    for redirection, why in ((">&-", "Bad file descriptor"), ("<&- >&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
        done = redirected(run, redirection, "widgets", *args)
        assert done.returncode == 1 and done.stdout == b""
        assert done.stderr.decode() == "error: write standard output: %s\n" % why
    assert redirected(run, "<&- >&- 2>&-", "widgets", *args).returncode == 1


def test_standard_input_and_error_that_are_closed(fake, run):
    fake.put("widgets", "w", **READY)
    for redirection in ("<&-", "2>&-", "<&- 2>&-"):
        done = redirected(run, redirection, "widgets", "-o", "json")
        assert done.returncode == 0 and names(json.loads(done.stdout)) == ["w"]
    done = redirected(run, "<&-", "-f", "-", "-o", "json")
    assert done.returncode == 1 and done.stdout == b"" and done.stderr == b"error: read -: Bad file descriptor\n"
