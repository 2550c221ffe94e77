# SPDX-License-Identifier: Apache-2.0
"""The Logs tab: of a pod's containers those that tell, and what the server says of them."""
import re

import pytest

from fakeapi import answer, hang_up, status
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

    def open_it(cols=100):
        screen = run.screen("pods", rows=24, cols=cols)
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
    screen = open_logs()
    screen.wait('cannot get resource "pods/log"')
    assert "==> cart (cannot be read) <==" in screen.text()


def test_nothing_started(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"waiting": {"reason": "ContainerCreating"}})))
    open_logs().wait("no container of it has started")
    assert not fake.seen(POD + "/log")


def kubelet_log(lines):
    """As a kubelet reads it: the last lines, and of these the first bytes."""
    def reply(request, stream):
        data = b"".join(lines[-int(request.query["tailLines"]):])[:int(request.query["limitBytes"])]
        return answer(data, headers=PLAIN)(request, stream)
    return reply


def test_the_newest_lines_are_there_also_when_lines_are_long(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}})))
    lines = [b"2026-11-20T08:00:00.%09dZ line %03d %s\n" % (i, i, b"x" * 3000) for i in range(300)]
    fake.on(POD + "/log", kubelet_log(lines), times=0)
    screen = open_logs()
    screen.wait("x" * 90)
    screen.keys("/line 299\r")
    screen.wait("08:00:00 line 299 xxx")
    screen.keys("g")
    text = screen.wait("==> cart (the last 20 lines) <==")
    assert "line 280" in text
    assert [r.query["tailLines"] for r in fake.seen(POD + "/log")][:2] == ["200", "20"]


def test_a_log_cannot_write_headings_nor_colours(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}})))
    text = b"2025-11-20T08:00:00.123456789Z \x1b[1;31mred\x1b[0m \x1b]0;title\x07 end\n==> other <==\nof the same\n"
    fake.on(POD + "/log", answer(text, headers=PLAIN), times=0)
    screen = open_logs()
    screen.wait("08:00:00 red \ufffd]0;title\ufffd end")
    assert "2025-11-20\n" in screen.text(), "another day is said"
    assert all("timestamps=true" in r.target for r in fake.seen(POD + "/log"))
    screen.keys(">")
    screen.wait("there is only one container")


def test_what_was_read_stays_when_the_pod_goes(fake, open_logs):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}})))
    fake.on(POD + "/log", answer(b"panic: no route\n", headers=PLAIN), times=0)
    screen = open_logs()
    screen.wait("panic: no route")
    fake.on(POD, status(503, "ServiceUnavailable", "etcd is slow"), times=0)
    screen.wait(lambda text: "panic: no route" in text and "cannot be read again (etcd is slow)" in text)
    fake.delete("pods", "cart-0")
    text = screen.wait(lambda text: "before it was deleted" in text and "Gone" in text)
    assert "panic: no route" in text and "following" not in text
    screen.keys("\x1b")
    screen.wait("RESOURCE")


def test_a_lost_connection_says_why_each_time(fake, open_logs):  # noqa: F811
    """What was read stays, with the reason in full, each time it cannot be read again."""
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}})))
    fake.on(POD + "/log", answer(b"panic: no route\n", headers=PLAIN), times=0)
    screen = open_logs(cols=200)
    screen.wait("panic: no route")
    fake.on(POD, hang_up, times=0)
    before = len(fake.seen(POD))
    for failed in range(2):
        wait_for(lambda failed=failed: screen.read() and len(fake.seen(POD)) > before + failed)
        # the reason is in libcurl's words, which are others from 8.0 on
        screen.wait(lambda text: "panic: no route" in text and re.search(r"cannot be read again \(Unable to connect to the server: (HTTP|EOF)", text))


@pytest.mark.parametrize("cols", [100, 80])
def test_in_a_narrow_title_the_reason_is_left_out_and_not_the_fact(fake, open_logs, cols):  # noqa: F811
    fake.put("pods", "cart-0", **pod(container("cart", {"running": {}})))
    fake.on(POD + "/log", answer(b"panic: no route\n", headers=PLAIN), times=0)
    screen = open_logs(cols=cols)
    screen.wait("panic: no route")
    fake.on(POD, status(503, "ServiceUnavailable", "the leader of etcd has been lost, and an election has not ended yet; try it later"), times=0)
    screen.wait(lambda text: "panic: no route" in text and "cannot be read again" in text)


def owned_by(kind, name):
    return {"ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}]}


def test_a_row_is_explained_by_its_log(fake, run, tmp_path):  # noqa: F811
    """l on a workload: its worst Pod, and of the container that crashed the run that ended."""
    crashed = pod(container("cart", {"waiting": {"reason": "CrashLoopBackOff"}}, lastState=ENDED))
    fake.put("pods", "well", **pod(container("cart", {"running": {}})))
    fake.put("pods", "cart-0", **crashed)
    fake.put("widgets", "w", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Refused"}]})
    fake.on(POD + "/log", answer(b"panic: no route\n", headers=PLAIN), times=0)
    record = tmp_path / "r.jsonl"
    with run.screen("pods,widgets", "--record", record) as term:
        term.wait(lambda text: "pod/cart-0" in text and "widget/w" in text)
        term.keys("/cart-0\rl")
        text = term.wait("panic: no route")
        assert "[Logs]" in text and "==> cart (the run that ended) <==" in text and "following" not in text
        assert all("previous=true" in r.target for r in fake.seen(POD + "/log"))
        for key in ("/ search", "Esc back"):
            assert key in term.lines()[-1]
        term.keys("\x1b")
        term.wait("pod/cart-0")
        term.keys("\x1b/widget\rl")
        term.wait("there is no log: no Pod")
        term.keys("q")
        term.end()
    with run.screen("--replay", record) as term:
        term.wait("pod/cart-0")
        term.keys("l")
        term.wait("there is no log: a recording contains none")
