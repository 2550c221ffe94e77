# SPDX-License-Identifier: Apache-2.0
"""deploy/flight.yaml on the real API server: a recorder with its ServiceAccount's token, and its history through the Service's proxy."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import time

import pytest

import machine
from controlplane import ApiError
from program import PROGRAM, Run, wait_for
from test_flight import can_mount
from web_server import WebServer, host_address

FLIGHT = pathlib.Path(__file__).resolve().parents[2] / "deploy/flight.yaml"
NS = "history"
SERVICE = "kubectl-status/flight"
NODE = "node-of-the-web-server"
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
    """env: more of its environment; disk: the MB of a disk of its own, which is mounted at folder."""

    def __init__(self, cp, home, folder, env=None, disk=0):
        token = cp.service_account_token("kubectl-status", "flight", 3600)
        self.run, self.folder, self.child, self.disk = Run(home, cp.kubeconfig("flight", token=token)), str(folder), None, disk
        self.env = env or {}

    def start(self):
        if not self.disk:
            self.child = self.run.start("--flight", self.folder, "-A", **self.env)
            return
        line = "mount -t tmpfs -o size=%dm none %s; echo mine > %s/notes; exec %s --flight %s --flight-size 256Mi -A" % (
            self.disk, self.folder, self.folder, PROGRAM, self.folder)
        self.child = subprocess.Popen(["unshare", "-Urm", "sh", "-c", line], env=self.run.env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.folder = "/proc/%d/root%s" % (self.child.pid, self.folder)

    @property
    def segments(self):
        return sorted(path.name for path in pathlib.Path(self.folder).glob("flight-*"))

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
        "nodeName": NODE, "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [{"name": "web", "image": "web", "ports": [{"name": "http", "containerPort": port}], "securityContext": secure}]}})
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    cp.patch(pods + "/web/status", {"status": {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "conditions": [ready]}})
    endpoints = "/api/v1/namespaces/kubectl-status/endpoints/flight"
    wait_for(lambda: cp.exists(endpoints) and '"port":%d' % port in json.dumps(cp.get(endpoints), separators=(",", ":")))


@pytest.fixture(scope="module")
def recorder(cp, crds, tmp_path_factory):
    cp.kubectl("apply", "-f", str(FLIGHT))
    cp.kubectl("create", "namespace", NS)
    cp.post(NETS, {"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": "Network", "metadata": {"name": "net"},
                   "spec": {"cloudCredentialsRef": {"cloudName": "c", "secretName": "s"}, "managementPolicy": "managed", "resource": {}}})
    set_net(cp, 1, "all is well")
    recorder = Recorder(cp, tmp_path_factory.mktemp("recorder"), str(tmp_path_factory.mktemp("history")))
    recorder.start()
    wait_for(lambda: recorder.has("network/net", "Ready"), seconds=60)
    yield recorder
    recorder.stop()


@pytest.fixture(scope="module")
def node(cp):
    """The node of the pod: one that names a node that is not there is deleted after a minute."""
    cp.post("/api/v1/nodes", {"metadata": {"name": NODE}})
    yield
    cp.delete("/api/v1/nodes/" + NODE)


@pytest.fixture(scope="module")
def web(cp, address, recorder, node):
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
    wait_for(lambda: recorder.has("cannot be pulled"), seconds=60)
    set_net(cp, 1, "all is well again")
    wait_for(lambda: recorder.has("network/net") and not recorder.has("cannot be pulled"), seconds=60)
    wait_for(lambda: recorder.index()["segments"])
    for name in (SERVICE, SERVICE + ":80"):
        with reader.screen("networks.openstack.k-orc.cloud", "--history", name, rows=24, cols=150) as term:
            text = term.wait(lambda text: re.search(r"history \d+\S+ \(%s\)" % name, text) or "the history in" in text, seconds=60)
            assert "the history in" not in text
            term.wait("network/net")
            term.keys("T")
            text = term.wait("cannot be pulled")
            assert re.search(r"network/net +Ready → (Failed|Degraded)", text)
            term.keys("\033")
            term.wait("live ●")
            term.keys("[[")
            text = term.wait(lambda text: paused(text) and re.search(r"[✖▲] (Failed +|Degraded +)?network/net", text))
            term.keys("P")
            term.wait(lambda text: "live ●" in text and re.search(r"✔ (Ready +)?network/net", text))
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
        term.wait(lambda text: "network/net" in text and "live ●" in text and "cannot be read" in text, seconds=60)
        term.keys("p")
        text = term.wait("Not known")
        assert text.count("forbidden") == 1 and "services" in text
    done = run("networks.openstack.k-orc.cloud", "--history", SERVICE, "--as-of", "1m", "-o", "name")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"forbidden" in done.stderr
    done = run("networks.openstack.k-orc.cloud", "--history", SERVICE, "-o", "wide")
    assert done.returncode == 0 and b"network/net" in done.stdout and done.stderr.count(b"\n") == 1 and b"forbidden" in done.stderr


def test_a_service_that_is_not_there(cp, reader):
    with reader.screen("networks.openstack.k-orc.cloud", "--history", "kubectl-status/nothing", rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and "cannot be read" in text, seconds=60)


def test_a_server_without_ranges(cp, recorder, web, reader, address):
    with WebServer(recorder.folder, address, ranges=False) as server:
        lead_service_to(cp, address, server.port)
        with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
            term.wait(lambda text: "network/net" in text and "history" in text, seconds=60)
    lead_service_to(cp, address, web.port)


def restart(recorder):
    """One more segment, at the beginning of which the network is known.  Segments say in whole seconds when they begin."""
    had, began = len(recorder.index()["segments"]), time.time() // 1
    recorder.stop()
    wait_for(lambda: time.time() // 1 > began)
    recorder.start()
    wait_for(lambda: len(recorder.index()["segments"]) > had and recorder.has("network/net"), seconds=60)


def notices(text):
    return text.count("cannot be read")


def test_the_web_server_is_restarted(cp, recorder, web, reader):
    """The dashboard says once that nothing can be read, is live meanwhile, and reads on when the web server is there again."""
    web.stop()
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and "live ●" in text and notices(text), seconds=60)
        term.keys("p")
        term.wait("Not known")
        set_net(cp, 0, "broken while the web server is away")
        term.wait(lambda text: "broken while" in text and notices(text) == 1 and "live ●" in text)
        web.start()
        term.wait(lambda text: re.search(r"history \d", text) and not notices(text) and "Not known" not in text, seconds=60)
        set_net(cp, 1, "all is well again")
        term.keys("\033")
        term.wait(lambda text: re.search(r"✔ (Ready +)?network/net", text))
        term.keys("T")
        term.wait(lambda text: "cannot be pulled" in text)


def test_the_web_server_dies_while_it_is_read(recorder, web, reader):
    web.stop()
    web.start(dies_at="flight-")
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and "live ●" in text and notices(text), seconds=60)
        assert not web.runs
        web.start()
        term.wait(lambda text: re.search(r"history \d", text) and not notices(text), seconds=60)
        term.keys("T")
        term.wait("cannot be pulled")


def test_the_web_server_is_away_when_a_moment_is_looked_for(cp, recorder, web, reader):
    """With more segments than the program keeps."""
    for _ in range(4):
        restart(recorder)
    set_net(cp, 0, "the newest trouble")
    wait_for(lambda: recorder.has("the newest trouble"), seconds=60)
    web.asked.clear()
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and "live ●" in text and re.search(r"history \d", text), seconds=60)
        term.wait(lambda _: len({name for name, _ in web.asked}) > 5, seconds=60)
        web.stop()
        term.keys("[")
        term.wait(lambda text: "not read" in text, seconds=60)
        text = term.wait(lambda text: "live ●" in text and notices(text) == 1, seconds=60)
        web.start()
        term.wait(lambda text: "live ●" in text and not notices(text), seconds=60)
        term.keys("[")
        term.wait(lambda text: paused(text) and "the newest trouble" in text, seconds=60)
    set_net(cp, 1, "all is well again")
    wait_for(lambda: not recorder.has("trouble"), seconds=60)


def test_the_api_server_is_restarted_while_it_is_read(cp, recorder, web, reader):
    """Both are reached through it: the recorder records on, and the dashboard reads on."""
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and "live ●" in text and re.search(r"history \d", text), seconds=60)
        cp.stop_apiserver()
        term.wait(lambda text: "live ●" not in text, seconds=60)
        term.keys("[")
        if paused(term.wait(lambda text: notices(text) or "not read" in text or paused(text), seconds=60)):
            term.keys("P")
        cp.start_apiserver()
        term.wait(lambda text: "live ●" in text and not notices(text), seconds=60)
        set_net(cp, 0, "after the restart of the API server")
        wait_for(lambda: recorder.has("after the restart"), seconds=60)
        term.wait("after the restart")
        set_net(cp, 1, "all is well again")
        term.keys("[[[")
        term.wait(lambda text: paused(text) and "network/net" in text, seconds=60)
    wait_for(lambda: not recorder.has("after the restart"), seconds=60)


def noise():
    """Words that cannot be compressed much, and look like no token."""
    return " ".join("%05d" % random.randrange(100000) for _ in range(3000))


def test_a_full_disk(cp, recorder, web, reader, address, tmp_path):
    """The oldest segments go, and nothing else: the history can be read all the time."""
    if not shutil.which("unshare") or not can_mount():
        pytest.skip("a small disk cannot be mounted here")
    (tmp_path / "disk").mkdir()
    full = Recorder(cp, tmp_path, tmp_path / "disk", disk=1)
    full.start()
    wait_for(lambda: full.index()["segments"], seconds=60)
    first = full.segments[0]
    with WebServer(full.folder, address) as server:
        lead_service_to(cp, address, server.port)
        with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
            term.wait(lambda text: "network/net" in text and re.search(r"history \d", text), seconds=60)
            for i in range(400):
                set_net(cp, i % 2, noise())
                term.read(0)
                if first not in full.segments:
                    break
            wait_for(lambda: first not in full.segments, seconds=60)
            set_net(cp, 0, "after the disk was full")
            wait_for(lambda: full.has("after the disk was full"), seconds=60)
            term.wait("after the disk was full", seconds=60)
            set_net(cp, 1, "with room again")
            wait_for(lambda: full.has("with room again"), seconds=60)
        with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
            term.wait(lambda text: "network/net" in text and re.search(r"history \d", text) and not notices(text), seconds=60)
            term.keys("T")
            term.wait(lambda text: re.search(r"network/net +Failed → Ready +Success: with room again", text))
    lead_service_to(cp, address, web.port)
    assert full.child.poll() is None and pathlib.Path(full.folder, "notes").read_text() == "mine\n"
    full.child.terminate()
    assert b"Warning" not in full.child.communicate()[1]


@pytest.mark.skipif(not machine.can_be_another(), reason="the machine cannot be another")
def test_a_clock_that_jumps(cp, recorder, web, reader, address, tmp_path):
    """The recorder's clock is two hours ahead for a while: what happens once it is right again is in the history at once."""
    clock = machine.Clock(tmp_path)
    other = Recorder(cp, tmp_path, tmp_path / "history", env=clock.env)
    other.start()
    wait_for(lambda: other.has("network/net"), seconds=60)
    clock.set(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200)))
    set_net(cp, 0, "while the clock was ahead")
    wait_for(lambda: other.has("while the clock was ahead"), seconds=60)
    clock.set(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    set_net(cp, 1, "while the clock was right again")
    wait_for(lambda: other.has("while the clock was right again"), seconds=60)
    set_net(cp, 0, "the last trouble")
    wait_for(lambda: other.has("the last trouble"), seconds=60)
    with WebServer(other.folder, address) as server:
        lead_service_to(cp, address, server.port)
        with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
            text = term.wait(lambda text: "network/net" in text and re.search(r"history \d", text), seconds=60)
            term.keys("T")
            term.wait(lambda text: re.search(r"network/net +Ready → Failed +InvalidConfiguration: the last trouble", text))
            term.keys("\033")
            term.wait("live ●")
            term.keys("[")
            term.wait(lambda text: paused(text) and "the last trouble" in text)
            term.keys("[")
            term.wait(lambda text: paused(text) and "while the clock was right again" in text)
    lead_service_to(cp, address, web.port)
    other.stop()
    set_net(cp, 1, "all is well again")


def test_the_recorder_and_the_api_server_are_restarted(cp, recorder, web, reader, address):
    """The absence of the recorder is a gap."""
    had = len(recorder.index()["segments"])
    recorder.stop()
    ended = recorder.index()["segments"][-1]["last"]
    set_net(cp, 0, "nobody has seen this begin")
    wait_for(lambda: reader.text("networks.openstack.k-orc.cloud", "--history", SERVICE, "--as-of", "0s", "-o", "wide").count("network/net"))
    time.sleep(3)
    recorder.start()
    wait_for(lambda: len(recorder.index()["segments"]) > had and recorder.has("nobody has seen"), seconds=60)
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=170) as term:
        text = term.wait(lambda text: re.search(r"history \d+\S+ \(\S+\), gap ", text), seconds=60)
        assert "gap " + ended[11:19] in text
    cp.restart_apiserver()
    set_net(cp, 1, "after the restart")
    wait_for(lambda: recorder.has("network/net", "Ready"), seconds=60)
    with reader.screen("networks.openstack.k-orc.cloud", "--history", SERVICE, rows=24, cols=150) as term:
        term.wait(lambda text: "network/net" in text and re.search(r"history \d", text), seconds=60)
        term.keys("T")
        term.wait("network/net")
