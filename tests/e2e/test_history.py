# SPDX-License-Identifier: Apache-2.0
"""--history: a live dashboard that remembers what a flight recorder saw before it was opened."""
import json
import os
import re

import pytest

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY
from program import wait_for
from test_time import BAD, paused_at


def index_of(folder):
    with open(os.path.join(folder, "index.json")) as f:
        return json.load(f)


def fly(fake, run, folder):
    """A flight recorder, from the moment on at which it has the first lists in its file."""
    child = run.start("widgets", "--flight", folder)
    wait_for(lambda: os.path.exists(os.path.join(folder, "index.json")))
    return child


def recorded(run, folder, *words):
    """Waits until the recorder has written it."""
    wait_for(lambda: all(word in run.text("--replay", folder, "-o", "wide") for word in words))


def end(child):
    child.terminate()
    child.communicate()


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "flight")


def has_row(text, phase, name):
    return re.search(r"(?m)^ +\S %s +%s\b" % (phase, re.escape(name)), text)


def test_it_goes_on_before_the_session(fake, run, folder):
    fake.put("widgets", "one", **READY)
    fake.put("widgets", "two", **READY)
    child = fly(fake, run, folder)
    recorded(run, folder, "one", "two")
    fake.put("widgets", "one", **BAD)
    recorded(run, folder, "disk is full")
    fake.put("widgets", "one", spec={"size": 3}, **READY)
    recorded(run, folder, "Ready")
    fake.delete("widgets", "two")
    wait_for(lambda: "two" not in run.text("--replay", folder, "-o", "name"))
    with run.screen("widgets", "--history", folder, rows=30, cols=140) as term:
        text = term.wait(lambda text: "widget/one" in text and "live ●" in text and "history" in text)
        assert re.search(r"history \d+s \(flight\) ", text.split("\n")[0])
        term.keys("T")
        text = term.wait("widget/two")
        assert re.search(r"widget/one +Ready → Failed +Broken: disk is full +observed", text)
        assert re.search(r"widget/one +Failed → Ready", text) and re.search(r"widget/two +gone", text)
        term.keys("\033")
        term.wait("live ●")
        term.keys("[")
        text = term.wait(paused_at)
        assert not has_row(text, "Ready", "widget/two") and has_row(text, "Ready", "widget/one") and "1 ready" in text
        term.keys("[")
        text = term.wait(lambda text: paused_at(text) and has_row(text, "Ready", "widget/two"))
        assert "2 ready" in text
        term.keys("[")
        text = term.wait(lambda text: has_row(text, "Failed", "widget/one"))
        assert "disk is full" in text and "1 failed" in text and "1 ready" in text
        term.keys("C")
        text = term.wait("changed")
        assert "widget/one" in text and "widget/two" not in text
        term.keys("\033")
        term.wait(lambda text: has_row(text, "Failed", "widget/one"))
        term.keys("]]]")
        text = term.wait(lambda text: "live ●" in text)
        assert "1 ready" in text and not has_row(text, "Ready", "widget/two")
        term.keys("C")
        text = term.wait("gone")
        print(text)
    end(child)
