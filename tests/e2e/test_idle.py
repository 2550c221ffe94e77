# SPDX-License-Identifier: Apache-2.0
"""Who waits for nothing but keys costs no processor, whatever was open before."""
import os
import time

import pytest

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from fakeapi import answer

HERE = os.path.dirname(os.path.abspath(__file__))
FOLLOW = 2.2  # seconds between two looks at a log that is followed
LOG = "/api/v1/namespaces/default/pods/web/log"


def asked_for(pid):
    """Seconds for which it had a processor or waited for one, and how often it slept."""
    with open("/proc/%d/schedstat" % pid, encoding="ascii") as f:
        ran, waited = map(int, f.read().split()[:2])
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        slept = next(int(line.split()[1]) for line in f if line.startswith("voluntary_ctxt_switches"))
    return (ran + waited) / 1e9, slept


def is_idle(term, seconds=0.5):
    """It computes for less than a third of the time, however busy the machine is, and sleeps long."""
    before, began = asked_for(term.pid), time.monotonic()
    while time.monotonic() < began + seconds:
        assert term.read(0.1)
    after = asked_for(term.pid)
    return after[0] - before[0] < 0.33 * seconds and after[1] - before[1] < 60 * seconds


def comes_to_rest(term, tries=4):
    """Work that goes on for a moment is no fault."""
    return any(is_idle(term) for _ in range(tries))


@pytest.fixture
def pod(fake):  # noqa: F811
    fake.put("pods", "web", status={"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": [
        {"name": "web", "image": "web:1", "state": {"running": {}}, "ready": True, "restartCount": 0}]})
    fake.on(LOG, answer(b"listening\n", headers={"content-type": "text/plain"}), times=0)
    return fake


@pytest.mark.parametrize("way_out", ["\x1b", "1", "t", "f"])
def test_a_log_that_was_left(pod, run, way_out):  # noqa: F811
    with run.screen("pods") as term:
        term.wait(lambda text: "pod/web" in text and "live" in text)
        term.keys("\r8")
        term.wait("listening")
        pod.await_requests(2, LOG)  # it is followed
        term.keys(way_out)
        term.wait("not following" if way_out == "f" else lambda text: "listening" not in text)
        is_idle(term, FOLLOW)  # until it would have been read again
        assert comes_to_rest(term)


VIEWS = ("w", "t", "p", "T", "C", "?", ":", "/w", "\r", "\r2", "\r6", "\r7", "\r8", "v", "M", "[", "P", "P", "!", "0")


@pytest.mark.parametrize("views", [VIEWS[i:i + 5] for i in range(0, len(VIEWS), 5)])
def test_every_view_that_was_open(pod, run, views):  # noqa: F811
    pod.put("widgets", "one", **READY)
    with run.screen("pods,widgets", PAGER="") as term:
        term.wait(lambda text: "pod/web" in text and "live" in text)
        for keys in views:
            term.keys(keys)
            assert comes_to_rest(term), "in " + keys
            term.keys("\x1b\x1b")
            term.wait("RESOURCE")
            assert comes_to_rest(term), "after " + keys


@pytest.mark.parametrize("keys", ["", "P", "["])
def test_a_recording_at_its_end(run, keys):  # noqa: F811
    """Its clock stands: nothing comes to be due by it, however fast it played."""
    with run.screen("--replay", os.path.join(HERE, "..", "recordings", "causes.jsonl.gz"), "--speed", "100000") as term:
        term.wait("ended")
        term.keys(keys)
        assert comes_to_rest(term)


def test_a_moment_of_the_past_is_idle(pod, run):  # noqa: F811
    with run.screen("pods", "--as-of", "10m") as term:
        term.wait("pod/web")
        assert comes_to_rest(term)
