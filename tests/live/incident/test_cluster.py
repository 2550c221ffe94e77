# SPDX-License-Identifier: Apache-2.0
"""The program against a real kube-apiserver with the incident in it."""
import json
import os
import signal
import threading
import time
import urllib.parse

import pytest

from program import Run, wait_for

ORC = "/apis/openstack.k-orc.cloud/v1alpha1/namespaces/%s/%s"


def items_by_key(doc):
    return {(i["kind"], i.get("namespace", ""), i["name"]): i for i in doc["items"]}


def test_verdicts_of_the_incident(oncall, world):
    from incident import expected
    items = items_by_key(oncall.json("-A"))
    wrong = {k: (v, items.get(k, {}).get("phase")) for k, v in expected(world).items()
             if items.get(k, {}).get("phase") != v}
    assert not wrong


def test_every_family_is_recognised(oncall, world):
    families = {i["family"] for i in oncall.json("-A")["items"]}
    assert {"osok", "orc", "aso", "olm", "appcat", "crossplane", "core"} <= families


def test_root_causes_of_the_incident(oncall, world):
    """Each of them once, with all that it holds up; and nothing else."""
    from incident import expected_causes
    told = [(cause_key(c), {(b["kind"], b["name"]) for b in c.get("blocked", ())}, c["blocks"])
            for c in oncall.json("-A")["rootCauses"]]
    assert sorted(told) == sorted((key, blocked, len(blocked))
                                  for key, blocked in expected_causes(world).items())


def cause_key(cause):
    where = cause["resource"]
    return cause["cause"], where["kind"], where.get("namespace", ""), where["name"]


def test_every_blocked_object_names_its_cause(oncall, world):
    """The other way round: who waits is told for whom, in the end."""
    from incident import expected_causes
    items = items_by_key(oncall.json("-A"))
    named = {}
    for (kind, _, name), item in items.items():
        for root in item.get("rootCauses", ()):
            named.setdefault((root["kind"], root.get("namespace", ""), root["name"]), set()).add((kind, name))
    assert named == {key[1:]: blocked for key, blocked in expected_causes(world).items() if blocked}


@pytest.mark.parametrize("kind, name, last", [
    ("server", "web-1", "net"), ("floatingip", "web", "net"), ("flexibleserversdatabase", "books", "ledger-admin"),
    ("deployment", "search", "ImagePullBackOff"), ("vshnpostgresql", "billing", "CrashLoopBackOff"),
    ("subscription.operators.coreos.com", "shell", "install-x7"), ("subnet.openstack.k-orc.cloud", "old", "legacy")])
def test_why(oncall, world, kind, name, last):
    """A chain of waits ends with its cause, wherever one looks from."""
    namespaces = {"flexibleserversdatabase": "fin", "deployment": "shop", "vshnpostgresql": "apps"}
    namespace = namespaces.get(kind, "ops" if "operators" in kind else "edge")
    text = oncall.text("-n", namespace, f"{kind}/{name}", "-o", "why")
    assert last in text and name in text


def test_three_hops(oncall, world):
    server = oncall.json("server/web-0")["items"][0]
    assert server["phase"] == "Waiting"
    assert [r["name"] for r in server["rootCauses"]] == ["net"]
    why = oncall.text("server/web-0", "-o", "why")
    for name in ("port/web-0", "network/net", "OverQuota"):
        assert name.lower() in why.lower()


def test_async_operation_that_failed(oncall, world):
    queue = oncall.json("-n", "shop", "queue/orders")["items"][0]
    assert (queue["phase"], queue["severity"]) == ("Failed", "error")
    assert queue["async"]["class"] == "failed" and queue["async"]["percent"] == 62
    assert queue["async"]["workRequestId"].startswith("ocid1.")


def test_deletion_held_by_a_guard(oncall, world):
    subnet = oncall.json("subnet.openstack.k-orc.cloud/old")["items"][0]
    states = {f["name"]: f["state"] for f in subnet["deletion"]["finalizers"]}
    assert states["openstack.k-orc.cloud/port"] == "in-use"
    assert [b["name"] for b in subnet["deletion"]["blockedBy"]] == ["legacy"]


def test_service_degraded_by_its_pods(oncall, world):
    claim = oncall.json("-n", "apps", "vshnpostgresql/billing")["items"][0]
    assert claim["phase"] == "Degraded"
    assert any(w["on"]["kind"] == "Pod" for w in claim["waits"])


def test_names_as_kubectl(oncall, cp, world):
    for args in (["pods", "-n", "shop"], ["deploy", "-n", "shop"], ["csv", "-n", "ops"]):
        ours = sorted(oncall.text(*args, "-o", "name").split())
        assert ours == sorted(cp.kubectl("get", *args, "-o", "name").split()) and ours


def test_categories_and_kinds(oncall, world):
    kinds = {i["kind"] for i in oncall.json("openstack")["items"]}
    assert {"Network", "Subnet", "Port", "Server"} <= kinds
    assert {i["kind"] for i in oncall.json("-n", "ops", "olm")["items"]} >= {"ClusterServiceVersion", "Subscription"}


def test_unknown_type_and_name(oncall, world):
    done = oncall("foos")
    assert done.returncode == 1 and b'the server doesn\'t have a resource type "foos"' in done.stderr
    done = oncall("pods", "nope")
    assert done.returncode == 1 and b'Error from server (NotFound): pods "nope" not found' in done.stderr
    done = oncall("networks.openstack.k-orc.cloud", "-n", "nowhere")
    assert done.returncode == 1 and b'Error from server (NotFound): namespaces "nowhere" not found' in done.stderr


@pytest.fixture
def limited(cp, world, tmp_path):
    cp.grant_limited("lim", "shop")
    return Run(tmp_path, cp.kubeconfig("lim", namespace="shop"))


def test_limited_user(limited):
    doc = limited.json()
    assert doc["summary"]["total"] > 0 and {i.get("namespace") for i in doc["items"]} == {"shop"}
    assert any(n["kind"] == "forbidden" for n in doc["notices"])
    done = limited("secrets")
    assert done.returncode == 1 and b"forbidden" in done.stderr and b'"lim"' in done.stderr
    assert limited("pods", "-A", "-o", "name").returncode == 0, "what may be read is shown"


def test_forbidden_is_not_missing(limited):
    doc = limited.json("deploy,pods")
    assert not [w for i in doc["items"] for w in i.get("waits", [])
                if w["state"] == "missing" and w["on"]["kind"] in ("Secret", "ConfigMap")]


def test_wrong_credentials(cp, world, tmp_path):
    config = open(cp.kubeconfig("oncall", groups=("oncall",))).read()
    path = tmp_path / "config"
    path.write_text(config)
    run = Run(tmp_path, path)
    done = run("pods", "--server", "https://127.0.0.1:1")
    assert done.returncode == 1 and b"was refused - did you specify the right host or port?" in done.stderr
    done = run("pods", "--tls-server-name", "other.example")
    assert done.returncode == 1 and b"certificate is valid for" in done.stderr
    token = Run(tmp_path, cp.kubeconfig("nobody", token="wrong"))
    done = token("pods")
    assert done.returncode == 1 and b"must be logged in" in done.stderr


def test_only_reads(cp, oncall, world):
    start = time.time()
    oncall.json("-A")
    verbs = {e["verb"] for e in cp.audit("oncall", start)}
    assert verbs and verbs <= {"get", "list", "watch"}


def asked_lists(cp, since):
    """(path, name or "") of every list that was begun; the pages behind the first do not count."""
    asked = []
    for entry in cp.audit("oncall", since):
        path, _, query = entry["requestURI"].partition("?")
        query = dict(urllib.parse.parse_qsl(query))
        if entry["verb"] == "list" and "continue" not in query and "watch" not in query:
            asked.append((path, query.get("fieldSelector", "")))
    return asked


@pytest.mark.parametrize("args", [("-A",), ("-n", "edge"), ("-n", "ops")], ids=" ".join)
@pytest.mark.parametrize("live", [False, True], ids=["once", "live"])
def test_nothing_is_listed_twice(cp, oncall, world, watching, args, live):
    start = time.time()
    if live:
        _, events = watching(*args)
        wait_for(lambda: len(events) > 3)
        time.sleep(3)
    else:
        oncall.json(*args)
    asked = asked_lists(cp, start)
    # with who wrote them, which is not kept of what is listed, for "what changed before it"
    twice = [a for a in set(asked) if asked.count(a) > 1 and not a[0].endswith("webhookconfigurations")]
    assert not twice
    whole = {path for path, name in asked if not name}
    assert not [a for a in asked if a[1] and a[0] in whole], "by name beside the list that holds it"
    print(len(asked), "lists")


def read_lines(stream, into):
    for line in stream:
        into.append((time.monotonic(), json.loads(line)))


@pytest.fixture
def watching(oncall):
    started = []

    def watch(*args):
        child = oncall.start(*args, "-w", "-o", "json")
        events = []
        thread = threading.Thread(target=read_lines, args=(child.stdout, events), daemon=True)
        thread.start()
        started.append((child, thread))
        return child, events
    yield watch
    for child, thread in started:
        child.kill()
        child.wait()
        thread.join(5)
        child.stderr.close()


def set_available(cp, name, ok, reason, message):
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    cp.patch(ORC % ("watch", "networks") + "/" + name + "/status", {"status": {"conditions": [
        {"type": "Available", "status": str(ok), "reason": reason, "message": message, "lastTransitionTime": stamp},
        {"type": "Progressing", "status": "False", "reason": reason, "message": message, "lastTransitionTime": stamp}]}})


@pytest.fixture
def network(cp, world):
    """A network of the test's own."""
    if not cp.exists("/api/v1/namespaces/watch"):
        cp.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "watch"}})
    cp.post(ORC % ("watch", "networks"), {"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": "Network",
            "metadata": {"name": "n"}, "spec": {"cloudCredentialsRef": {"secretName": "c", "cloudName": "c"}, "resource": {}}})
    yield "n"
    if cp.exists(ORC % ("watch", "networks") + "/n"):
        cp.delete(ORC % ("watch", "networks") + "/n")


def test_watch_tells_changes_within_a_second(cp, watching, network):
    _, events = watching("-n", "watch", "networks.openstack.k-orc.cloud")
    wait_for(lambda: events and events[0][1]["event"] == "ADDED")
    for ok, reason, phase in ((True, "Success", "Ready"), (False, "InvalidConfiguration", "Failed")):
        sent = time.monotonic()
        set_available(cp, network, ok, reason, "x")
        at, event = wait_for(lambda: next(((t, e) for t, e in events if e["phase"] == phase), None))
        assert event["event"] == "MODIFIED" and at - sent < 1
    cp.delete(ORC % ("watch", "networks") + "/" + network)
    wait_for(lambda: events[-1][1]["event"] == "DELETED")
    assert events[-1][1]["name"] == network


def test_interrupted_watch_ends_tidily(watching, network):
    child, events = watching("-n", "watch", "networks.openstack.k-orc.cloud")
    wait_for(lambda: events)
    child.send_signal(signal.SIGTERM)
    assert child.wait(10) == -signal.SIGTERM


def test_for(cp, oncall, network):
    args = ("-n", "watch", "network.openstack.k-orc.cloud/" + network, "--for")
    done = oncall(*args, "Ready", "--timeout", "300ms")
    assert done.returncode == 3 and b"timed out" in done.stderr
    child = oncall.start(*args, "Ready", "--timeout", "30s")
    set_available(cp, network, True, "Success", "OpenStack resource is available")
    assert child.wait(30) == 0
    set_available(cp, network, False, "InvalidConfiguration", "no such thing")
    done = oncall(*args, "Ready", "--timeout", "30s")
    assert done.returncode == 4 and b"no such thing" in done.stderr
    child.stdout.close()
    child.stderr.close()


def test_record_and_replay(cp, oncall, network, tmp_path):
    path = tmp_path / "rec.jsonl.gz"
    child = oncall.start("-n", "watch", "networks.openstack.k-orc.cloud", "--record", path, "-w", "-o", "name")
    wait_for(lambda: child.stdout.readline())
    set_available(cp, network, True, "Success", "fine")
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    assert child.wait(10) == -signal.SIGINT
    child.stdout.close()
    child.stderr.close()
    [item] = oncall.json("--replay", path)["items"]
    assert (item["kind"], item["name"], item["phase"]) == ("Network", network, "Ready")


def test_recordings_hold_no_secrets(cp, oncall, world, tmp_path):
    path = tmp_path / "rec.jsonl"
    cp.post("/api/v1/namespaces/shop/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "top",
            "annotations": {"example.org/token": "hush-annotation"}}, "stringData": {"password": "hush-hush"}})
    try:
        child = oncall.start("-n", "shop", "secrets", "--record", path, "-w", "-o", "name")
        wait_for(lambda: child.stdout.readline() == b"secret/top\n")
        child.send_signal(signal.SIGINT)
        child.wait(10)
        child.stdout.close()
        child.stderr.close()
    finally:
        cp.delete("/api/v1/namespaces/shop/secrets/top")
    text = path.read_text()
    assert '"top"' in text and "hush" not in text and "aHVzaC1odXNo" not in text


def test_api_server_away_and_back(cp, watching, network):
    _, events = watching("-n", "watch", "networks.openstack.k-orc.cloud")
    wait_for(lambda: events)
    cp.stop_apiserver()
    cp.start_apiserver()
    set_available(cp, network, True, "Success", "after the restart")
    wait_for(lambda: any(e["message"] == "after the restart" for _, e in events if "message" in e), 60)
    assert sum(e["event"] == "ADDED" for _, e in events) == 1, "what was there did not come again"


def test_http2_shares_one_connection(cp, watching, world):
    child, events = watching("-A", "openstack")
    wait_for(lambda: len(events) > 5)
    sockets = [os.readlink(p.path) for p in os.scandir("/proc/%d/fd" % child.pid) if os.path.islink(p.path)]
    inodes = {s[8:-1] for s in sockets if s.startswith("socket:[")}
    with open("/proc/net/tcp") as table:
        tcp = [line.split() for line in table][1:]
    assert sum(row[9] in inodes and row[3] == "01" for row in tcp) == 1
