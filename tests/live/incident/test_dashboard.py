# SPDX-License-Identifier: Apache-2.0
"""The dashboard in a terminal emulator, on files and on a real API server."""
import os
import re
import signal
import time

import pytest

from program import wait_for
from test_cluster import network, set_available  # noqa: F401 (a fixture)
from test_offline import FAILED, READY, WAITING

DEMO = os.path.join(os.path.dirname(__file__), "..", "..", "..", "demo", "incident.jsonl.gz")


@pytest.fixture
def world_file(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text("---\n".join([FAILED, WAITING, READY]))
    return path


@pytest.fixture
def screen(run, world_file):
    with run.screen("-f", world_file, "--as-of", "2026-11-20T09:00:00Z") as term:
        term.wait(lambda text: "OverQuota" in text and "? help" in text)
        yield term


def test_opens_and_quits(screen):
    text = screen.text()
    assert "Failed" in text and "subnet/a" in text and "OverQuota" in text
    screen.keys("q")
    assert os.waitstatus_to_exitcode(screen.end()) == 0
    assert b"\x1b[?1049l" in screen.raw, "the screen before is back"


def test_details_and_tabs(screen):
    screen.keys("\r")
    screen.wait("Conditions")
    for tab, says in (("Conditions", "InvalidConfiguration"), ("YAML", "openstack.k-orc.cloud/v1alpha1")):
        screen.open_tab(tab)
        screen.wait(says)
    screen.keys("\x1b")
    screen.wait("subnet/a")


def test_filter_as_you_type(screen):
    screen.keys("/subn")
    screen.wait(lambda text: "OverQuota" not in text and "subnet/a" in text)
    screen.keys("\x1b")
    screen.wait("router/gw")


def test_help(screen):
    screen.keys("?")
    screen.wait("filter")


def test_problems_and_tree(screen):
    screen.keys("p")
    screen.wait(lambda text: "CAUSE" in text and "network/net" in text)
    screen.keys("\x1b")
    screen.wait("PHASE")
    screen.keys("t")
    screen.wait("subnet/a")


@pytest.mark.parametrize("rows, cols", [(5, 20), (24, 80), (100, 300), (1, 1), (30, 100)])
def test_resize(screen, rows, cols):
    screen.resize(rows, cols)
    screen.read(0.3)
    screen.keys("jk")
    screen.resize(30, 100)
    screen.wait("network/net")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_restore_the_terminal(screen, number):
    screen.signal(number)
    assert os.waitstatus_to_exitcode(screen.end()) == -number
    assert b"\x1b[?1049l" in screen.raw


def test_crash_restores_the_terminal(screen):
    screen.signal(signal.SIGSEGV)
    screen.end()
    assert b"\x1b[?1049l" in screen.raw


def test_no_color(run, world_file):
    with run.screen("-f", world_file, NO_COLOR="1") as term:
        term.wait("network/net")
        assert not re.search(rb"\x1b\[[0-9;]*(3[0-7]|38;5;[0-9]+)(;[0-9]+)*m", term.raw)
        assert "Failed" in term.text()


def test_ascii_locale(run, world_file):
    with run.screen("-f", world_file, LC_ALL="C") as term:
        term.wait("network/net")
        assert term.text().isascii()


def test_unknown_terminal(run, world_file):
    with run.screen("-f", world_file, TERM="no-such-terminal") as term:
        term.wait("network/net")
    with run.screen("-f", world_file, TERM="dumb") as term:
        term.wait("network/net")
        assert os.waitstatus_to_exitcode(term.end()) == 0


def test_live_change_is_seen(cp, oncall, network):  # noqa: F811
    with oncall.screen("-n", "watch", "networks.openstack.k-orc.cloud") as term:
        term.wait("network/n")
        sent = time.monotonic()
        set_available(cp, network, False, "InvalidConfiguration", "seen on the screen")
        term.wait("seen on the screen")
        assert time.monotonic() - sent < 1
        set_available(cp, network, True, "Success", "fine again")
        term.wait(lambda text: "seen on the screen" not in text)


def test_whole_incident(oncall, world):
    with oncall.screen("-A", rows=40, cols=140) as term:
        term.wait(lambda text: "network/net" in text and "queue/orders" in text and "live ●" in text)
        term.keys("p")
        term.wait(lambda text: "secret/" in text and "installplan/install-x7" in text)
        term.keys("q")
        term.wait("PHASE")
        term.keys("q")
        assert os.waitstatus_to_exitcode(term.end()) == 0


def test_server_away_and_back_on_the_screen(cp, oncall, network):  # noqa: F811
    with oncall.screen("-n", "watch", "networks.openstack.k-orc.cloud") as term:
        term.wait("network/n")
        cp.stop_apiserver()
        try:
            term.wait("reconnecting")
            assert "network/n" in term.text(), "what was known stays"
        finally:
            cp.start_apiserver()
        set_available(cp, network, False, "InvalidConfiguration", "after it came back")
        term.wait("after it came back", 60)
        term.wait("live")


def test_demo_plays(run):
    with run.screen("--replay", DEMO, "--speed", "1000", rows=40, cols=140) as term:
        term.wait("network/net", 60)
        wait_for(lambda: term.read() and "Failed" in term.text())


def test_messages_go_at_the_end_of_a_recording(run):
    """They last by the clock of the person who looks, not by the recording's."""
    with run.screen("--replay", DEMO, "--speed", "100000") as term:
        term.wait(" ended")
        term.keys("y")
        term.wait("copied: ")
        term.wait(lambda text: "copied: " not in text and "w why" in text, seconds=10)


EVICTED = """apiVersion: v1
kind: Pod
metadata: {name: p-%d, namespace: shop, creationTimestamp: "2026-11-20T08:00:00Z"}
status: {phase: Failed, reason: Evicted, message: The node was low on resource}
"""


def test_a_timeline_says_what_it_leaves_out(run, tmp_path):
    path = tmp_path / "many.yaml"
    path.write_text("---\n".join(EVICTED % i for i in range(1100)))
    with run.screen("-f", path, "pods", "--as-of", "2026-11-20T09:00:00Z", cols=120) as term:
        term.wait(lambda text: "1 100" in text and "? help" in text)
        term.keys("T")
        term.wait("shown: the 1000 that changed last of 1 100 that are not well")
