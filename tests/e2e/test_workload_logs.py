# SPDX-License-Identifier: Apache-2.0
"""The logs of all Pods of a workload in one stream."""
import pytest

from fakeapi import TYPES, answer, status
from program import wait_for
from test_logs import ENDED, PLAIN, container, pod
from client_world import certificates, client, serve  # noqa: F401 (fixtures)

APPS = (("apps", "v1", "deployments", "Deployment", True), ("apps", "v1", "replicasets", "ReplicaSet", True),
        ("batch", "v1", "jobs", "Job", True), ("batch", "v1", "cronjobs", "CronJob", True))
PODS = "/api/v1/namespaces/default/pods/"


@pytest.fixture
def fake(serve):  # noqa: F811
    return serve(types=TYPES + APPS)


@pytest.fixture
def run(client, fake):  # noqa: F811
    return client(fake)


def owned_by(owner):
    return [{"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
             "uid": owner["metadata"]["uid"], "controller": True}]


def put(fake, plural, name, owner=None, **fields):
    """As fake.put(), with an owner; the event of it comes with the owner at once."""
    stored = fake._event
    with fake.changed:
        def event(kind, what, body):
            if owner:
                body["metadata"]["ownerReferences"] = owned_by(owner)
            stored(kind, what, body)
        fake._event = event
        try:
            return fake.put(plural, name, **fields)
        finally:
            fake._event = stored


def deployment(fake, name="cart", replicas=2):
    selector = {"matchLabels": {"app": name}}
    top = fake.put("deployments", name, spec={"replicas": replicas, "selector": selector},
                   status={"replicas": replicas, "updatedReplicas": replicas, "unavailableReplicas": 1,
                           "conditions": [{"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable"}]})
    return put(fake, "replicasets", name + "-7d9", top, spec={"replicas": replicas, "selector": selector},
               status={"replicas": replicas})


RUNS = pod(container("cart", {"running": {}}))
CRASHED = pod(container("cart", {"waiting": {"reason": "CrashLoopBackOff"}}, lastState={
    "terminated": {**ENDED["terminated"], "finishedAt": "2026-11-20T08:59:00Z"}}))


class Log:
    """What a pod has written; it is read as a kubelet reads it, and can get longer."""

    def __init__(self, fake, name, *lines, previous=False):
        self.lines = list(lines)
        self.path = PODS + name + "/log"
        fake.on(self.path, self.reply, times=0, when=lambda r: ("previous=true" in r.target) == previous)

    def reply(self, request, stream):
        since = request.query.get("sinceTime", "")[:19]
        lines = [x for x in self.lines if x[:19] >= since][-int(request.query["tailLines"]):]
        answer("".join(x + "\n" for x in lines).encode(), headers=PLAIN)(request, stream)


def test_one_stream_by_time_with_each_lines_pod(fake, run):  # noqa: F811
    owner = deployment(fake)
    for name, at in (("cart-7d9-aaaaa", (1, 3)), ("cart-7d9-bbbbb", (2, 4))):
        put(fake, "pods", name, owner, **RUNS)
        Log(fake, name, *("2026-11-20T09:00:0%d.5Z line %d" % (n, n) for n in at))
    with run.screen("deployments,pods", rows=24, cols=100) as term:
        term.wait("deployment/cart")
        term.keys("/deployment\rl")
        text = term.wait(lambda text: "line 4" in text and "line 3" in text)
        found = [x for x in term.lines() if "line " in x]
        assert [x.split()[1:] for x in found] == [["aaaaa", "line", "1"], ["bbbbb", "line", "2"], ["aaaaa", "line", "3"], ["bbbbb", "line", "4"]]
        assert found[0].split()[0] == "09:00:01" and "==> 2 pods <==" in text and "deployment/cart" in text
        term.wait("following")
        term.keys("/bbbbb\r")
        term.wait("next match")
        term.keys("\x1b>")
        term.wait(lambda text: "only aaaaa, 1 of 2" in text and "line 2" not in text)
        term.keys("<<")
        term.wait(lambda text: "only bbbbb, 2 of 2" in text and "line 1" not in text)


def test_what_is_new_is_read_and_nothing_twice(fake, run):  # noqa: F811
    owner = deployment(fake)
    put(fake, "pods", "cart-7d9-aaaaa", owner, **RUNS)
    log = Log(fake, "cart-7d9-aaaaa", "2026-11-20T09:00:01.1Z one", "2026-11-20T09:00:01.2Z same", "2026-11-20T09:00:01.2Z same")
    with run.hurry().screen("deployments,pods", rows=24, cols=100) as term:
        term.wait("deployment/cart")
        term.keys("/deployment\rl")
        term.wait("aaaaa same")
        log.lines += ["2026-11-20T09:00:01.21Z same", "2026-11-20T09:00:09.25Z two"]
        text = term.wait("aaaaa two")
        assert text.count("aaaaa same") == 3 and text.count("aaaaa one") == 1
        # after which more may have been asked already, from the newest line on
        since = [r.target.partition("sinceTime=")[2].partition("&")[0] for r in fake.seen(log.path)]
        assert "2026-11-20T09%3A00%3A01.2Z" in since and set(since[since.index("2026-11-20T09%3A00%3A01.2Z"):]) <= {
            "2026-11-20T09%3A00%3A01.2Z", "2026-11-20T09%3A00%3A09.25Z"}
        put(fake, "pods", "cart-7d9-bbbbb", owner, **RUNS)
        Log(fake, "cart-7d9-bbbbb", "2026-11-20T09:00:10Z I have joined")
        term.wait(lambda text: "bbbbb I have joined" in text and "==> 2 pods <==" in text)
        fake.delete("pods", "cart-7d9-aaaaa")
        text = term.wait("==> cart-7d9-aaaaa is gone <==")
        assert text.index("aaaaa two") < text.index("is gone") and "==> 1 pod <==" in text
        before = len(fake.seen(log.path))
        seen = len(fake.seen(PODS + "cart-7d9-bbbbb/log"))
        wait_for(lambda: term.read() and len(fake.seen(PODS + "cart-7d9-bbbbb/log")) > seen + 2)
        assert len(fake.seen(log.path)) == before, "nobody asks for the log of a pod that is gone"


def test_the_run_that_crashed_is_seen_first(fake, run):  # noqa: F811
    owner = deployment(fake)
    put(fake, "pods", "cart-7d9-aaaaa", owner, **RUNS)
    put(fake, "pods", "cart-7d9-bbbbb", owner, **CRASHED)
    Log(fake, "cart-7d9-aaaaa", *("2026-11-20T09:00:%02dZ served %d" % (n, n) for n in range(40)))
    Log(fake, "cart-7d9-bbbbb", *("2026-11-20T08:58:%02dZ step %d" % (n, n) for n in range(40)),
        "2026-11-20T08:59:00Z panic: no route to database", previous=True)
    with run.screen("deployments,pods", rows=24, cols=100) as term:
        term.wait("deployment/cart")
        term.keys("/deployment\rl")
        text = term.wait("panic: no route to database")
        assert "following" not in text and "served" not in text and "2 pods, > shows one" in text
        term.keys("G")
        term.wait(lambda text: "aaaaa served 39" in text and "following" in text)
        term.keys("g")
        term.wait("==> cart-7d9-bbbbb · cart (the run that ended) <==")
        term.keys(">")
        term.wait(lambda text: "the run that ended, 1 of 3" in text and "panic: no route" in text)


def test_a_log_that_cannot_be_read_is_one_line(fake, run):  # noqa: F811
    owner = deployment(fake)
    for name in ("aaaaa", "bbbbb"):
        put(fake, "pods", "cart-7d9-" + name, owner, **RUNS)
    Log(fake, "cart-7d9-aaaaa", "2026-11-20T09:00:01Z fine\x1b]0;title\x07", "==> forged <==")
    fake.on(PODS + "cart-7d9-bbbbb/log", status(403, "Forbidden", 'cannot get "pods/log"\nsecond line'), times=0)
    with run.screen("deployments,pods", rows=24, cols=100) as term:
        term.wait("deployment/cart")
        term.keys("/deployment\rl")
        text = term.wait(lambda text: '==> cart-7d9-bbbbb cannot be read: cannot get "pods/log" <==' in text and "aaaaa fine" in text)
        assert "second line" not in text and "aaaaa  ==> forged <==" in text and "aaaaa fine\ufffd]0;title\ufffd" in text
        term.wait("following")


def test_of_many_pods_some_are_followed_and_the_others_named(fake, run):  # noqa: F811
    owner = deployment(fake, replicas=15)
    for n in range(15):
        put(fake, "pods", "cart-7d9-%02d" % n, owner, **RUNS)
        Log(fake, "cart-7d9-%02d" % n, "2026-11-20T09:00:%02dZ line of %d" % (n, n))
    with run.screen("deployments,pods", rows=40, cols=100) as term:
        term.wait("deployment/cart")
        term.keys("/deployment\rl")
        text = term.wait(lambda text: "12 of 15 pods are followed" in text and "==> not followed: cart-7d9-12, cart-7d9-13, cart-7d9-14 <==" in text
                         and "11 line of 11" in text)
        assert "line of 12" not in text
        assert not fake.seen(PODS + "cart-7d9-12/log")


def test_a_cron_jobs_newest_job(fake, run):  # noqa: F811
    top = fake.put("cronjobs", "report", spec={"schedule": "* * * * *"}, status={})
    for name, created in (("report-1", "2026-11-20T08:00:00Z"), ("report-2", "2026-11-20T08:01:00Z")):
        job = put(fake, "jobs", name, top, created=created, spec={"backoffLimit": 0},
                  status={"failed": 1, "conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]})
        put(fake, "pods", name + "-x", job, status={"phase": "Failed", "containerStatuses": [container("run", {"terminated": {"exitCode": 1}})]})
        Log(fake, name + "-x", created + " failed: " + name)
    with run.screen("cronjobs,jobs,pods", rows=24, cols=100) as term:
        term.wait("cronjob/report")
        term.keys("/kind:cronjob\r")
        term.wait("1 of")
        term.keys("l")
        text = term.wait("failed: report-2")
        assert "failed: report-1" not in text and "following" not in text
