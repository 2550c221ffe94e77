# SPDX-License-Identifier: Apache-2.0
"""deploy/flight.yaml on the real API server: a recorder with its ServiceAccount's token, and its history through the Service's proxy."""
import json
import pathlib
import re
import time

import pytest

from controlplane import ApiError
from program import Run, wait_for
from web_server import WebServer, host_address

FLIGHT = pathlib.Path(__file__).resolve().parents[2] / "deploy/flight.yaml"
NS = "history"
SERVICE = "kubectl-status/flight"
PROXY = "/api/v1/namespaces/kubectl-status/services/flight"
NETS = "/apis/openstack.k-orc.cloud/v1alpha1/namespaces/%s/networks" % NS


def set_net(cp, ready, message):
    """What the controller of the Network writes."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    conditions = [{"type": "Available", "status": "True" if ready else "False", "reason": "Success" if ready else "InvalidConfiguration",
                   "message": message, "lastTransitionTime": now, "observedGeneration": 1},
                  {"type": "Progressing", "status": "False", "reason": "Success" if ready else "InvalidConfiguration",
                   "message": message, "lastTransitionTime": now, "observedGeneration": 1}]
    cp.patch(NETS + "/net/status", {"status": {"conditions": conditions}})


@pytest.fixture(scope="module")
def address():
    found = host_address()
    if not found:
        pytest.skip("this host has no address but loopback, to which no Service may lead")
    return found


class Recorder:
    def __init__(self, cp, home, folder):
        token = cp.service_account_token("kubectl-status", "flight", 3600)
        self.run, self.folder, self.child = Run(home, cp.kubeconfig("flight", token=token)), folder, None

    def start(self):
        self.child = self.run.start("--flight", self.folder, "-A")

    def stop(self):
        self.child.terminate()
        self.child.communicate()

    def index(self):
        path = pathlib.Path(self.folder) / "index.json"
        return json.loads(path.read_text()) if path.exists() else {"segments": []}

    def has(self, *words):
        path = sorted(pathlib.Path(self.folder).glob("flight-*"))[-1:]
        text = self.run("--replay", path[0], "-n", NS, "networks.openstack.k-orc.cloud", "-o", "wide").stdout.decode() if path else ""
        return all(word in text for word in words)


def lead_service_to(cp, address, port):
    """A pod that is at that address, as its kubelet would say: the Service of flight.yaml chooses it, the controllers do the rest."""
    pods = "/api/v1/namespaces/kubectl-status/pods"
    secure = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    if cp.exists(pods + "/web"):
        cp.delete(pods + "/web", {"gracePeriodSeconds": 0})
        wait_for(lambda: not cp.exists(pods + "/web"))
    cp.post(pods, {"metadata": {"name": "web", "labels": {"app": "flight"}}, "spec": {
        "nodeName": "nowhere", "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [{"name": "web", "image": "web", "ports": [{"name": "http", "containerPort": port}], "securityContext": secure}]}})
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    cp.patch(pods + "/web/status", {"status": {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "conditions": [ready]}})
    wait_for(lambda: '"port":%d' % port in json.dumps(cp.get("/api/v1/namespaces/kubectl-status/endpoints/flight"), separators=(",", ":")))


@pytest.fixture(scope="module")
def recorder(cp, crds, tmp_path_factory):
    cp.kubectl("apply", "-f", str(FLIGHT))
    cp.kubectl("create", "namespace", NS)
    cp.post(NETS, {"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": "Network", "metadata": {"name": "net"},
                   "spec": {"cloudCredentialsRef": {"cloudName": "c", "secretName": "s"}, "managementPolicy": "managed", "resource": {}}})
    set_net(cp, 1, "all is well")
    recorder = Recorder(cp, tmp_path_factory.mktemp("recorder"), str(tmp_path_factory.mktemp("history")))
    recorder.start()
    wait_for(lambda: recorder.has("network/net", "Ready"), seconds=180)
    yield recorder
    recorder.stop()


@pytest.fixture(scope="module")
def web(cp, address, recorder):
    with WebServer(recorder.folder, address) as server:
        lead_service_to(cp, address, server.port)
        try:
            wait_for(lambda: answers(cp))
        except AssertionError:
            print(cp.kubectl("get", "service,endpoints,endpointslices", "-n", "kubectl-status", "-o", "yaml"))
            raise
        yield server


@pytest.fixture(scope="module")
def reader(cp, tmp_path_factory):
    """Somebody who may read the history, and the workloads of the namespace."""
    config = cp.kubeconfig("reader-of-history", namespace=NS)
    cp.grant([{"apiGroups": ["", "openstack.k-orc.cloud"], "resources": ["*"], "verbs": ["get", "list", "watch"]}], "workloads-history", user="reader-of-history", namespace=NS)
    cp.kubectl("create", "rolebinding", "reader", "-n", "kubectl-status", "--role=flight-reader", "--user=reader-of-history")
    return Run(tmp_path_factory.mktemp("reader"), config)


def answers(cp):
    try:
        return cp.get(PROXY + "/proxy/index.json")
    except ApiError as error:
        print(error)
        return None


def paused(text):
    return "paused" in text.split("\n")[0]


def test_it_is_read_through_the_proxy(cp, recorder, web, reader):
    set_net(cp, 0, "the image cannot be pulled")
    wait_for(lambda: recorder.has("cannot be pulled"), seconds=180)
    set_net(cp, 1, "all is well again")
    wait_for(lambda: recorder.has("network/net") and not recorder.has("cannot be pulled"), seconds=180)
    wait_for(lambda: recorder.index()["segments"])
    for name in (SERVICE, SERVICE + ":80"):
        with reader.screen("networks.openstack.k-orc.cloud", "--history", name, rows=24, cols=150) as term:
            text = term.wait(lambda text: re.search(r"history \d+\S+ \(%s\)" % name, text) or "the history in" in text, seconds=180)
            assert "the history in" not in text
            term.wait("network/net")
            term.keys("T")
            text = term.wait("cannot be pulled")
            assert re.search(r"network/net +Ready → (Failed|Degraded)", text)
            term.keys("\033")
            term.wait("live ●")
            term.keys("[[")
            text = term.wait(lambda text: paused(text) and re.search(r"(Failed|Degraded) +network/net", text))
            term.keys("P")
            term.wait(lambda text: "live ●" in text and re.search(r"Ready +network/net", text))
    assert web.asked and {name == "index.json" for name, wanted in web.asked if not wanted} == {True}
    assert all(wanted for name, wanted in web.asked if name != "index.json")
    now = reader.json("networks.openstack.k-orc.cloud", "--history", SERVICE, "--as-of", "0s")
    assert [i["phase"] for i in now["items"]] == ["Ready"]


def test_what_is_printed_tells_it(cp, recorder, web, reader, tmp_path):
    """The report has what healed, which the cluster does not tell any more."""
    set_net(cp, 0, "it fails in between")
    wait_for(lambda: recorder.has("fails in between"), seconds=180)
    set_net(cp, 1, "and works again")
    wait_for(lambda: recorder.has("network/net", "Ready"), seconds=180)
    done = reader("networks.openstack.k-orc.cloud", "--history", SERVICE, "-o", "json")
    assert b"history" not in done.stderr and [i["phase"] for i in json.loads(done.stdout)["items"]] == ["Ready"]
    for args in ([], ["--from", "1h"]):
        reader("networks.openstack.k-orc.cloud", "--history", SERVICE, "--report", tmp_path / "r.md", *args)
        text = (tmp_path / "r.md").read_text()
        assert re.search("it fails in between|cannot be pulled", text) and "healed" in text and "Ready → **✖ Failed**" in text and "the history in `%s`" % SERVICE in text.replace("The history", "the history")


def test_without_the_right_there_is_one_notice(cp, recorder, web, tmp_path):
    config = cp.kubeconfig("stranger-to-history", namespace=NS)
    cp.grant([{"apiGroups": ["", "openstack.k-orc.cloud"], "resources": ["*"], "verbs": ["get", "list", "watch"]}], "workloads-stranger", user="stranger-to-history", namespace=NS)
    run = Run(tmp_path, config)
    with run.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and "live ●" in text and "cannot be read" in text, seconds=180)
        term.keys("p")
        text = term.wait("Not known")
        assert text.count("forbidden") == 1 and "services" in text
    done = run("networks.openstack.k-orc.cloud", "--history", SERVICE, "--as-of", "1m", "-o", "name")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"forbidden" in done.stderr
    done = run("networks.openstack.k-orc.cloud", "--history", SERVICE, "-o", "wide")
    assert done.returncode == 0 and b"network/net" in done.stdout and done.stderr.count(b"\n") == 1 and b"forbidden" in done.stderr


def test_a_service_that_is_not_there(cp, reader):
    with reader.screen("networks.openstack.k-orc.cloud", "--history", "kubectl-status/nothing", rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and "cannot be read" in text, seconds=180)


def test_a_server_without_ranges(cp, recorder, web, reader, address):
    with WebServer(recorder.folder, address, ranges=False) as server:
        lead_service_to(cp, address, server.port)
        with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
            term.wait(lambda text: "network/net" in text and "history" in text, seconds=180)
    lead_service_to(cp, address, web.port)


def test_each_is_restarted(cp, recorder, web, reader, address):
    """The recorder, whose absence is a gap; the web server, during which nothing can be read; the API server."""
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and re.search(r"history \d", text), seconds=180)
        lead_service_to(cp, address, 1)
        term.keys("{")
        term.wait("not read", seconds=180)
        lead_service_to(cp, address, web.port)
        term.wait("live ●")
    recorder.stop()
    ended = recorder.index()["segments"][-1]["last"]
    set_net(cp, 0, "nobody has seen this begin")
    wait_for(lambda: reader.text("networks.openstack.k-orc.cloud", "--history", SERVICE, "--as-of", "0s", "-o", "wide").count("network/net"))
    time.sleep(3)
    recorder.start()
    wait_for(lambda: len(recorder.index()["segments"]) == 2 and recorder.has("nobody has seen"), seconds=180)
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=170) as term:
        text = term.wait(lambda text: re.search(r"history \d+\S+ \(\S+\), gap ", text), seconds=180)
        assert "gap " + ended[11:19] in text
    cp.restart_apiserver()
    set_net(cp, 1, "after the restart")
    wait_for(lambda: recorder.has("network/net", "Ready"), seconds=180)
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and re.search(r"history \d", text), seconds=180)
        term.keys("T")
        term.wait("network/net")
