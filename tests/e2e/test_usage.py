# SPDX-License-Identifier: Apache-2.0
"""The columns mem and cpu, whose values come from the metrics API while they are shown, and used, of which the kubelets tell."""
import os
import re
import time

import pytest
import yaml

import machine
from client_world import certificates, client, fake, run, serve  # noqa: F811, F401 (fixtures)
from fakeapi import TYPES, answer, stall, status
from program import wait_for

CORE = TYPES + (("", "v1", "nodes", "Node", False),)
V1BETA1 = (("metrics.k8s.io", "v1beta1", "pods", "PodMetrics", True), ("metrics.k8s.io", "v1beta1", "nodes", "NodeMetrics", False))
V1 = tuple((group, "v1", *rest) for group, _, *rest in V1BETA1)
PODS = "/apis/metrics.k8s.io/%s/namespaces/default/pods"
READY = {"conditions": [{"type": "Ready", "status": "True"}]}
COLUMNS = ("--columns", "name,mem,cpu")
PATIENT = ("--request-timeout", "1h")   # where a minute of the program's time is a second: the tests' server is no faster


def usage(cpu, memory):
    return {"cpu": cpu, "memory": memory}


def listed(*items, version="v1beta1"):
    return answer({"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/" + version, "metadata": {}, "items": list(items)})


def pod_metrics(name, *containers, ns="default"):
    return {"metadata": {"name": name, "namespace": ns}, "timestamp": "2026-11-20T09:00:00Z", "window": "15s",
            "containers": [{"name": "c%d" % i, "usage": one} for i, one in enumerate(containers)]}


def pod(name, *limits, **spec):
    containers = [{"name": "c%d" % i, "resources": {"limits": one} if one else {}} for i, one in enumerate(limits)]
    return {"spec": {"containers": containers, **spec}, "status": {"phase": "Running", **READY, "containerStatuses": [
        {"name": c["name"], "ready": True, "restartCount": 0, "state": {"running": {}}} for c in containers]}}


@pytest.fixture
def measured(serve):  # noqa: F811
    server = serve(types=CORE + V1BETA1)
    server.put("pods", "web", **pod("web", usage("1", "200Mi"), usage("100m", "56Mi")))
    server.put("pods", "bare", **pod("bare", usage("1", "200Mi"), None))
    server.put("pods", "idle", **pod("idle", usage("1", "200Mi")))
    server.on(PODS % "v1beta1", listed(pod_metrics("web", usage("250000001n", "250Mi"), usage("20m", "1048576")),
                                       pod_metrics("bare", usage("3m", "70000Ki"), usage("0", "0"))), times=0)
    return server


def of_metrics(server):
    return [r.path for r in server.seen() if "metrics.k8s.io" in r.path]


def rows(text):
    return [re.split(r"  +", line) for line in text.strip().splitlines()[1:]]


def test_use_and_share_of_the_limit(measured, client):  # noqa: F811
    """The sums of the containers, as kubectl top rounds them; a share only where each container has a limit."""
    text = client(measured).text("pods", *COLUMNS, "-o", "table")
    assert rows(text) == [["pod/bare", "68Mi", "3m"], ["pod/idle", "-", "-"], ["pod/web", "251Mi 98%", "271m 24%"]]
    assert of_metrics(measured) == [PODS % "v1beta1"], "one list, and none of nodes"


def test_sidecars_and_limits_of_the_whole_pod_count(measured, client):  # noqa: F811
    sidecar = [{"name": "s", "restartPolicy": "Always", "resources": {"limits": usage("1", "256Mi")}}, {"name": "once"}]
    measured.put("pods", "web", **pod("web", usage("1", "256Mi"), initContainers=sidecar))
    measured.put("pods", "bare", **pod("bare", None, resources={"limits": {"memory": "100Mi"}}))
    text = client(measured).text("pods", "--columns", "name,mem", "-o", "table")
    assert rows(text) == [["pod/bare", "68Mi 68%"], ["pod/idle", "-"], ["pod/web", "251Mi 49%"]]


def test_nodes_have_the_share_of_what_can_be_allocated(measured, client):  # noqa: F811
    measured.put("nodes", "n1", status={"allocatable": usage("1930m", "1Gi"), **READY})
    measured.on("/apis/metrics.k8s.io/v1beta1/nodes", listed({"metadata": {"name": "n1"}, "usage": usage("1896m", "512Mi")}))
    assert rows(client(measured).text("nodes", *COLUMNS, "-o", "table")) == [["node/n1", "512Mi 50%", "1896m 98%"]]
    assert of_metrics(measured) == ["/apis/metrics.k8s.io/v1beta1/nodes"]


def test_the_first_version_is_preferred(serve, client):  # noqa: F811
    """Whatever the server prefers; the next one serves where that answers with 404, as after a downgrade."""
    server = serve(types=CORE + V1BETA1 + V1)
    server.put("pods", "web", **pod("web", None))
    server.on(PODS % "v1", listed(pod_metrics("web", usage("1m", "2Mi")), version="v1"))
    assert rows(client(server).text("pods", *COLUMNS, "-o", "table")) == [["pod/web", "2Mi", "1m"]]
    server.on(PODS % "v1", status(404, "NotFound", "the server could not find the requested resource"))
    server.on(PODS % "v1beta1", listed(pod_metrics("web", usage("3m", "4Mi"))))
    assert rows(client(server).text("pods", *COLUMNS, "-o", "table")) == [["pod/web", "4Mi", "3m"]]
    assert of_metrics(server) == [PODS % "v1", PODS % "v1", PODS % "v1beta1"]


@pytest.mark.parametrize("args", [("-o", "table"), ("-o", "wide"), ("-o", "json"), (*COLUMNS, "-o", "json"), (*COLUMNS, "--problems")])
def test_without_the_column_there_is_no_request(measured, client, args):  # noqa: F811
    assert client(measured)("pods", *args).returncode == 0
    assert of_metrics(measured) == []


def test_forbidden_is_said_and_is_no_failure(measured, client):  # noqa: F811
    why = 'pods.metrics.k8s.io is forbidden: User "u" cannot list resource "pods" in API group "metrics.k8s.io" in the namespace "default"'
    measured.script.clear()
    measured.on(PODS % "v1beta1", status(403, "Forbidden", why), times=0)
    done = client(measured)("pods", *COLUMNS, "-o", "table")
    assert done.returncode == 0
    assert rows(done.stdout.decode()) == [["pod/bare", "-", "-"], ["pod/idle", "-", "-"], ["pod/web", "-", "-"]]
    assert done.stderr.decode() == "notice: the columns mem and cpu have no values: %s\n" % why


def test_no_metrics_api_is_said_once(serve, client):  # noqa: F811
    server = serve(types=CORE)
    server.put("pods", "web", **pod("web", None))
    done = client(server)("-A", *COLUMNS, "-o", "table", "--exit-code")
    assert done.returncode == 0 and rows(done.stdout.decode()) == [["pod/web", "-", "-"]]
    assert done.stderr.decode().count("the server has no metrics API (metrics.k8s.io)") == 1
    assert of_metrics(server) == []


def test_a_silent_metrics_api_holds_nobody_up(measured, client):  # noqa: F811
    measured.script.clear()
    measured.on(PODS % "v1beta1", stall, times=0)
    run = client(measured).hurry()  # noqa: F811
    began = time.monotonic()
    done = run("pods", *COLUMNS, "-o", "table")
    assert done.returncode == 0 and run.passed(time.monotonic(), began) >= 4 * run.speed / 5
    assert "pods.metrics.k8s.io: the server has not answered its list" in done.stderr.decode()
    assert rows(done.stdout.decode())[0] == ["pod/bare", "-", "-"]


@pytest.mark.parametrize("body", [b"[1,2]", b"{", b'{"kind":"PodMetricsList","items":[{"metadata":{"name":"web","namespace":"default"},"containers":[{"usage":{"memory":"x"}}]},7]}'])
def test_nonsense_is_no_value(measured, client, body):  # noqa: F811
    measured.script.clear()
    measured.on(PODS % "v1beta1", answer(body, 200, {"content-type": "application/json"}), times=0)
    assert ["pod/web", "-", "-"] in rows(client(measured).text("pods", *COLUMNS, "-o", "table"))


def test_a_large_list_is_read_whole(measured, client):  # noqa: F811
    """In parts, of which none is left out."""
    many = [pod_metrics("other-%05d" % i, usage("1m", "1Mi")) for i in range(12000)]
    measured.script.clear()
    measured.on(PODS % "v1beta1", listed(pod_metrics("idle", usage("7m", "9Mi")), *many, pod_metrics("web", usage("250m", "128Mi"), usage("0", "0"))))
    text = client(measured).text("pods", *COLUMNS, "-o", "table")
    assert rows(text) == [["pod/bare", "-", "-"], ["pod/idle", "9Mi 4%", "7m 0%"], ["pod/web", "128Mi 50%", "250m 22%"]]


def test_the_column_is_a_sort_key(measured, client):  # noqa: F811
    run = client(measured)  # noqa: F811
    assert [row[0] for row in rows(run.text("pods", *COLUMNS, "-o", "table", "--sort-by", "mem"))] == ["pod/web", "pod/bare", "pod/idle"]
    done = run("pods", "-o", "table", "--sort-by", "mem")
    assert done.returncode == 2 and done.stderr == b"error: --sort-by mem needs its column: --columns name,mem\n"


@pytest.mark.skipif(not machine.can_be_another(), reason="the machine cannot be another")
def test_watched_it_is_read_once_a_minute(measured, client):  # noqa: F811
    run = client(measured).hurry(60)  # noqa: F811
    child = run.start("pods", *COLUMNS, *PATIENT, "-w")
    try:
        began = time.monotonic()
        measured.await_requests(3, PODS % "v1beta1", seconds=60)
        assert run.passed(time.monotonic(), began) >= 110 * run.speed / 60
        measured.put("pods", "web", **{**pod("web", usage("1", "502Mi")), "status": {"phase": "Failed", "reason": "Evicted"}})
        os.set_blocking(child.stdout.fileno(), False)
        text = ""

        def told(what):
            nonlocal text
            text += (child.stdout.read() or b"").decode()
            return re.search(what, text)
        wait_for(lambda: told(r"pod/web +251Mi 50% +271m 27%"))
        assert re.search(r"pod/web +251Mi 98% +271m 24%", text), "the first rows have it already"
    finally:
        child.kill()
        child.communicate()


@pytest.mark.skipif(not machine.can_be_another(), reason="the machine cannot be another")
def test_on_the_screen_only_while_the_table_is_open(measured, client):  # noqa: F811
    run = client(measured).hurry(60)  # noqa: F811
    with run.screen("pods", *COLUMNS, *PATIENT) as term:
        term.wait(lambda text: re.search(r"pod/web +251Mi 98% +271m 24%", text))
        term.keys("s" * 9)
        term.wait("  by cpu  ")    # at the foot as long as it is so; the message that says so ends after some seconds
        term.wait(lambda text: 0 < text.find("pod/web") < text.find("pod/bare"))
        term.keys("C")  # changes
        term.wait("changes")
        before = len(of_metrics(measured))
        end = time.monotonic() + 3  # three minutes
        while time.monotonic() < end:
            term.read()
        assert len(of_metrics(measured)) <= before + 1, "one may have been due just then"
        before = len(of_metrics(measured))
        measured.script.clear()
        measured.on(PODS % "v1beta1", listed(pod_metrics("web", usage("1m", "64Mi"), usage("1m", "64Mi"))), times=0)
        term.keys("\x1b")
        term.wait(lambda text: re.search(r"pod/web +128Mi 50% +2m 0%", text) and re.search(r"pod/bare +- +-", text))
        assert len(of_metrics(measured)) > before
        measured.script.clear()
        measured.on(PODS % "v1beta1", status(503, "ServiceUnavailable", "the server is currently unable to handle the request"), times=0)
        term.wait(lambda text: re.search(r"pod/web +- +-", text))
        term.keys("p")
        term.wait("the columns mem and cpu have no values")


def test_files_that_have_metrics_show_them(run, tmp_path):  # noqa: F811
    world = tmp_path / "world.yaml"
    meta = {"name": "web", "namespace": "default"}
    world.write_text(yaml.safe_dump_all([
        {"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics", **pod_metrics("web", usage("250m", "250Mi"))},
        {"apiVersion": "v1", "kind": "Pod", "metadata": meta, **pod("web", usage("1", "256Mi"))},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {**meta, "name": "other"}, **pod("other", None)}]))
    text = run.text("-f", world, *COLUMNS, "-o", "table")
    assert rows(text) == [["pod/other", "-", "-"], ["pod/web", "250Mi 97%", "250m 25%"]]
    doc = run.json("-f", world)
    assert [(item["kind"], item["name"]) for item in doc["items"]] == [("Pod", "other"), ("Pod", "web")]
    assert doc["summary"]["byPhase"] == {"Ready": 2}
    assert "PodMetrics" in [item["kind"] for item in run.json("-f", world, "podmetrics")["items"]]


def test_the_preference_names_it(measured, client):  # noqa: F811
    run = client(measured)  # noqa: F811
    (run.home / ".kube").mkdir()
    (run.home / ".kube/kubectl-status.yaml").write_text("apiVersion: kubectl-status/v1\nkind: Preferences\ncolumns: [name, mem]\n")
    assert rows(run.text("pods"))[-1] == ["pod/web", "251Mi 98%"]
    wait_for(lambda: of_metrics(measured) == [PODS % "v1beta1"])


# ---- the volumes of claims ----------------------------------------------------------------

WITH_CLAIMS = CORE + (("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", True),)
SUMMARY = "/api/v1/nodes/%s/proxy/stats/summary"
GI = 1 << 30


def volume(claim, used, capacity, **more):
    return {"name": "v", "usedBytes": used, "capacityBytes": capacity, "availableBytes": capacity - used, "pvcRef": {"name": claim, "namespace": "default"}, **more}


def summary(*volumes):
    return answer({"node": {"nodeName": "n"}, "pods": [
        {"podRef": {"name": "p", "namespace": "default", "uid": "1"}, "volume": [{"name": "kube-api-access", "usedBytes": 1, "capacityBytes": 2}, one]}
        for one in volumes]})


def put_claims(server, *names, node="n1"):
    for name in names:
        server.put("persistentvolumeclaims", name, spec={"accessModes": ["ReadWriteOnce"], "volumeName": "pv-" + name}, status={"phase": "Bound"})
        server.put("pods", "uses-" + name, **pod("uses-" + name, None, nodeName=node,
                                                 volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": name}}]))


def of_kubelets(server):
    return [r.path for r in server.seen() if "/proxy/" in r.path]


@pytest.fixture
def filled(serve):  # noqa: F811
    server = serve(types=WITH_CLAIMS)
    put_claims(server, "data", "logs", "idle")
    put_claims(server, "small", node="n2")
    server.put("persistentvolumeclaims", "unused", status={"phase": "Bound"})
    server.on(SUMMARY % "n1", summary(volume("data", 9.11 * GI, 10 * GI), volume("logs", 100 << 20, 1 << 30, inodesUsed=64000, inodes=65536),
                                      {"name": "v", "capacityBytes": GI, "pvcRef": {"name": "idle", "namespace": "default"}}), times=0)
    server.on(SUMMARY % "n2", summary(volume("small", 51 << 20, 100 << 20)), times=0)
    return server


USED = ("--columns", "name,used")
FILLED = [["persistentvolumeclaim/data", "9.1Gi 91%"], ["persistentvolumeclaim/idle", "-"], ["persistentvolumeclaim/logs", "inodes 97%"],
          ["persistentvolumeclaim/small", "51Mi 51%"], ["persistentvolumeclaim/unused", "-"]]


def test_claims_have_what_the_kubelets_of_their_pods_tell(filled, client):  # noqa: F811
    """Each node that has one of their pods is asked once; of bytes and inodes the share is shown of which less is left."""
    run = client(filled)  # noqa: F811
    assert rows(run.text("persistentvolumeclaims", *USED, "-o", "table")) == FILLED
    assert sorted(of_kubelets(filled)) == [SUMMARY % "n1", SUMMARY % "n2"] and of_metrics(filled) == []
    order = [row[0] for row in rows(run.text("persistentvolumeclaims", *USED, "-o", "table", "--sort-by", "used"))]
    assert order[:3] == ["persistentvolumeclaim/" + name for name in ("logs", "data", "small")]


def test_one_claim_needs_its_node_alone(filled, client):  # noqa: F811
    assert rows(client(filled).text("persistentvolumeclaim/small", *USED, "-o", "table")) == [FILLED[3]]
    assert of_kubelets(filled) == [SUMMARY % "n2"]


@pytest.mark.parametrize("args", [("-o", "wide"), ("-o", "json"), (*COLUMNS, "-o", "table"), (*USED, "--problems")])
def test_without_that_column_no_kubelet_is_asked(filled, client, args):  # noqa: F811
    assert client(filled)("persistentvolumeclaims", *args).returncode == 0
    assert of_kubelets(filled) == [] and "/api/v1/namespaces/default/pods" not in [r.path for r in filled.seen()]


def test_forbidden_kubelets_are_said_once(filled, client):  # noqa: F811
    why = 'nodes "%s" is forbidden: User "u" cannot get resource "nodes/proxy" in API group "" at the cluster scope'
    filled.script.clear()
    for node in ("n1", "n2"):
        filled.on(SUMMARY % node, status(403, "Forbidden", why % node), times=0)
    done = client(filled)("persistentvolumeclaims", *USED, "-o", "table", "--exit-code")
    assert done.returncode == 0 and [row[1] for row in rows(done.stdout.decode())] == ["-"] * 5
    assert re.fullmatch(r'notice: the column used has no values of node (n[12]): nodes "\1" is forbidden: .*"nodes/proxy".*\n', done.stderr.decode())


@pytest.mark.parametrize("reply", [answer(b"404 page not found\n", 404, {"content-type": "text/plain"}), answer({"pods": [7, {"volume": [1, {"pvcRef": 3}]}]}),
                                   answer({"pods": [{"volume": [volume("small", -1, 5), volume("small", 1, 0), volume("small", 1e300, 1e301)]}]}), answer(b"{")])
def test_a_kubelet_that_tells_nothing_leaves_the_others(filled, client, reply):  # noqa: F811
    filled.script.clear()
    filled.on(SUMMARY % "n1", summary(volume("data", 9.11 * GI, 10 * GI)), times=0)
    filled.on(SUMMARY % "n2", reply, times=0)
    shown = rows(client(filled).text("persistentvolumeclaims", *USED, "-o", "table"))
    assert FILLED[0] in shown and ["persistentvolumeclaim/small", "-"] in shown


def test_a_silent_kubelet_holds_nobody_up(filled, client):  # noqa: F811
    filled.script.clear()
    filled.on(SUMMARY % "n1", stall, times=0)
    filled.on(SUMMARY % "n2", summary(volume("small", 51 << 20, 100 << 20)), times=0)
    done = client(filled).hurry()("persistentvolumeclaims", *USED, "-o", "table")
    assert done.returncode == 0 and FILLED[3] in rows(done.stdout.decode())
    assert done.stderr.decode() == "notice: the column used has no values of node n1: nodes/proxy: its kubelet has not answered\n"


def test_twenty_nodes_are_asked_at_most(serve, client):  # noqa: F811
    server = serve(types=WITH_CLAIMS)
    for i in range(23):
        put_claims(server, "c%02d" % i, node="n%02d" % i)
        server.on(SUMMARY % ("n%02d" % i), summary(volume("c%02d" % i, GI, 2 * GI)), times=0)
    done = client(server)("persistentvolumeclaims", *USED, "-o", "table")
    assert [row[1] for row in rows(done.stdout.decode())] == ["1.0Gi 50%"] * 20 + ["-"] * 3
    assert len(of_kubelets(server)) == 20
    assert done.stderr.decode() == "notice: the column used has values of 20 of 23 nodes\n"


@pytest.mark.skipif(not machine.can_be_another(), reason="the machine cannot be another")
def test_full_volumes_run_out_soon_in_problems(filled, client):  # noqa: F811
    """What the column has read is known there, too; and it is read once a minute, the nodes in turn, while the table is open."""
    for i in range(30):
        put_claims(filled, "m%02d" % i, node="x%02d" % i)
        filled.on(SUMMARY % ("x%02d" % i), summary(volume("m%02d" % i, GI, 2 * GI)), times=0)
    run = client(filled).hurry(60)  # noqa: F811
    with run.screen("persistentvolumeclaims", *USED, *PATIENT, rows=50, cols=120) as term:
        term.wait(lambda _: set(of_kubelets(filled)) >= {SUMMARY % ("x%02d" % i) for i in range(30)} | {SUMMARY % "n1", SUMMARY % "n2"})
        term.keys("p")
        term.wait(lambda text: "Runs out soon" in text and re.search(r"/data .*9\.1Gi of 10\.0Gi used", text)
                  and re.search(r"/logs .*64 000 of 65 536 inodes used", text))
        assert "m00" not in term.text() and "small" not in term.text()
