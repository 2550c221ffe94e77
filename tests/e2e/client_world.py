# SPDX-License-Identifier: Apache-2.0
"""What the tests of the network client share: the fake server, the program, what it printed."""
import json
import os
import signal
import threading

import pytest

from fakeapi import FakeApi, make_certificates
from program import Run, schema, wait_for
from wire import Listener, Proxy, Socks

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
def mute():
    """The URL of a server that accepts connections and never answers."""
    class Mute(Listener):
        def connection(self, sock, number):
            while sock.recv(4096):
                pass
    made = Mute()
    yield "https://127.0.0.1:%d" % made.port
    made.stop()


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
            event = json.loads(line)
            assert list(schema.problems(event, {"$ref": "#/$defs/item"})) == []
            self.events.append(event)

    def changes(self):
        return [(e["event"], e["name"]) for e in list(self.events)]

    def wait(self, *changes, seconds=60):
        wait_for(lambda: all(c in self.changes() for c in changes), seconds)

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


@pytest.fixture
def proxy():
    made = Proxy()
    yield made
    made.stop()


@pytest.fixture
def socks():
    made = Socks()
    yield made
    made.stop()


def sanitized():
    """A program with sanitizers may take its time."""
    return "asan" in os.environ.get("KUBECTL_STATUS", "")
