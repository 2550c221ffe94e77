# SPDX-License-Identifier: Apache-2.0
"""The Logs tab: of a pod's containers those that tell, and what the server says of them."""
import pytest

from fakeapi import answer, status
from program import wait_for
from client_world import certificates, client, fake, run, serve  # noqa: F401 (fixtures)

POD = "/api/v1/namespaces/default/pods/cart-0"
PLAIN = {"content-type": "text/plain"}
ENDED = {"terminated": {"exitCode": 1, "reason": "Error"}}


def container(name, state, **more):
    return {"name": name, "image": "cart:1", "state": state, "ready": "running" in state, "restartCount": 0} | more


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


def test_what_runs_again_has_both_runs(fake, open_logs):  # noqa: F811
    """Not ready after a restart: the run that ended is in sight; it is asked for once, however long one follows."""
    ended = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-20T08:59:00Z"}}
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}}, lastState=ended, ready=False),
                                     container("proxy", {"running": {}}, lastState=ended)))
    fake.on(POD + "/log", answer(b"panic: no route\n", headers=PLAIN), times=0, when=lambda r: "previous=true" in r.target)
    fake.on(POD + "/log", answer(b"started anew\n", headers=PLAIN), times=0, when=lambda r: "previous=true" not in r.target)
    screen = open_logs()
    screen.wait("==> proxy (the run that ended) <==")
    text = screen.text()
    assert text.index("==> cart (the run that ended) <==") < text.index("==> cart <==") < text.index("==> proxy <==")
    wait_for(lambda: len([r for r in fake.seen(POD + "/log") if "previous=true" not in r.target]) >= 4)
    assert len([r for r in fake.seen(POD + "/log") if "previous=true" in r.target]) == 2
    screen.keys(">")
    screen.wait("container 1 of 4")
    screen.keys(">")
    screen.wait("container 2 of 4")
    assert "started anew" in screen.text() and "panic" not in screen.text()


def test_refused_says_why(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}})))
    fake.on(POD + "/log", status(403, "Forbidden", 'pods "cart-0" is forbidden: cannot get resource "pods/log"'))
    open_logs().wait('cannot get resource "pods/log"')


def test_nothing_started(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"waiting": {"reason": "ContainerCreating"}})))
    open_logs().wait("no container of it has started")
    assert not fake.seen(POD + "/log")
