# SPDX-License-Identifier: Apache-2.0
"""A terminal that takes no output: what is recorded beside it goes on, and the end does not wait for it."""
import json
import os
import select
import signal
import time

import pytest

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY
from program import wait_for


def is_full(terminal):
    poll = select.poll()
    poll.register(terminal, select.POLLOUT)
    return not poll.poll(0)


def stop_reading(term):
    """From here on nobody reads what the program draws; returns once the terminal has no room for more."""
    terminal = os.open(os.readlink("/proc/%d/fd/1" % term.pid), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        wait_for(lambda: is_full(terminal) or term.keys("\x0c"), seconds=60)
    finally:
        os.close(terminal)


def has_ended(term):
    with open("/proc/%d/stat" % term.pid, encoding="utf-8") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "Z"


def end_of(term):
    """The wait status, without a look at the terminal."""
    wait_for(lambda: has_ended(term))
    _, term.status = os.waitpid(term.pid, 0)
    return term.status


def has_mark_at_its_end(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    return json.loads(lines[-1])["type"] == "BOOKMARK"


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, "q"])
def test_what_is_recorded_goes_on(fake, run, tmp_path, end):
    fake.put("widgets", "early", **READY)
    path = tmp_path / "r.jsonl"
    with run.screen("widgets", "--record", path, rows=60, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "widget/early" in text)
        stop_reading(term)
        for i in range(50):
            fake.put("widgets", "late-%d" % i, **READY)
        wait_for(lambda: "late-49" in path.read_text())
        if end == "q":
            term.keys("qq")
        else:
            term.signal(end)
        assert end_of(term) == (0 if end == "q" else end)
    assert has_mark_at_its_end(path)
    names = run.text("--replay", path, "-o", "name")
    assert all("widget.example.org/late-%d\n" % i in names for i in range(50))


def test_it_is_drawn_once_there_is_room(fake, run):
    """What was not taken is not lost, and the picture is whole again."""
    fake.put("widgets", "early", **READY)
    with run.screen("widgets", rows=60, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "widget/early" in text)
        stop_reading(term)
        fake.put("widgets", "late", **READY)
        text = term.wait(lambda text: "live ●" in text and "widget/late" in text)
        assert text.count("widget/early") == 1 and text.count("RESOURCE") == 1


def processor(term):
    """Seconds of processor time so far."""
    with open("/proc/%d/stat" % term.pid, encoding="utf-8") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_terminal_that_takes_nothing_stops_nothing_but_pictures(fake, run, tmp_path):
    """Keys, the recording and the watches go on, it is left alone, and the picture is whole at once afterwards."""
    fake.put("widgets", "early", **READY)
    path = tmp_path / "r.jsonl"
    with run.screen("widgets", "--record", path, rows=60, cols=140) as term:
        term.wait(lambda text: "live ●" in text and "widget/early" in text)
        stop_reading(term)
        for i in range(300):
            fake.put("widgets", "passing-%d" % i, **READY)
            fake.delete("widgets", "passing-%d" % i)
        fake.put("widgets", "late-one", **READY)
        fake.put("widgets", "late-two", **READY)
        wait_for(lambda: "late-two" in path.read_text())
        used = processor(term)
        time.sleep(1)
        assert processor(term) - used < 0.3
        term.keys("/late-\r")
        wait_for(lambda: not select.select([], [], [], 0.5)[0])
        used = processor(term)
        text = term.wait(lambda text: "widget/late-one" in text and "widget/late-two" in text and "widget/early" not in text, whole=False)
        assert processor(term) - used < 0.5, "less than a second on a machine that has time"
        assert text.count("RESOURCE") == 1
        term.keys("\x1b")
        term.wait("widget/early")
    names = path.read_text()
    assert all('"passing-%d"' % i in names for i in range(300))
