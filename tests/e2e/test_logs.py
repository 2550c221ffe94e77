# SPDX-License-Identifier: Apache-2.0
"""The Logs tab: of a pod's containers those that tell, and what the server says of them."""
import pytest

from fakeapi import answer, status
from client_world import certificates, client, fake, run, serve  # noqa: F401 (fixtures)

POD = "/api/v1/namespaces/default/pods/cart-0"
PLAIN = {"content-type": "text/plain"}
ENDED = {"terminated": {"exitCode": 1, "reason": "Error"}}


def container(name, state, **more):
    return {"name": name, "image": "cart:1", "state": state, "ready": "running" in state, "restartCount": 0, **more}


def pod(*containers, init=()):
    return {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}],
                       "containerStatuses": list(containers), "initContainerStatuses": list(init)}}


@pytest.fixture
def open_logs(run):  # noqa: F811
    screens = []

    def open_it():
        screen = run.screen("pods", rows=24, cols=100)
        screens.append(screen)
        screen.wait("pod/cart-0")
        screen.keys("\r")
        screen.wait("Logs")
        screen.keys("8")
        return screen
    yield open_it
    for screen in screens:
        screen.close()


def test_troubled_containers_first_and_the_run_that_ended(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(
        container("sidecar", {"running": {}}),
        container("cart", {"waiting": {"reason": "CrashLoopBackOff"}}, lastState=ENDED),
        init=[container("migrate", {"terminated": {"exitCode": 0}})]))
    fake.on(POD + "/log", answer(b"panic: no route to \x1b[31mdatabase\n", headers=PLAIN), when=lambda r: "container=cart" in r.target)
    fake.on(POD + "/log", answer(b"", headers=PLAIN), when=lambda r: "container=sidecar" in r.target)
    screen = open_logs()
    screen.wait("(nothing written)")
    text = screen.text()
    assert text.index("==> cart (the run that ended) <==") < text.index("panic: no route to") < text.index("==> sidecar")
    asked = [r.target for r in fake.seen(POD + "/log")]
    assert ["previous=true" in t for t in asked] == [True, False]
    assert all("tailLines=200" in t and "limitBytes=" in t for t in asked)


def test_refused_says_why(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}})))
    fake.on(POD + "/log", status(403, "Forbidden", 'pods "cart-0" is forbidden: cannot get resource "pods/log"'))
    open_logs().wait('cannot get resource "pods/log"')


def test_nothing_started(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"waiting": {"reason": "ContainerCreating"}})))
    open_logs().wait("no container of it has started")
    assert not fake.seen(POD + "/log")
