# SPDX-License-Identifier: Apache-2.0
"""What is shown may be a part of all: every claim says of what, and the way out is short."""
import os
import re

import pytest

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from fakeapi import stall
from program import wait_for
from test_session import copied

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "demo", "incident.jsonl.gz")
BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full"}]}}


@pytest.fixture
def world(fake):  # noqa: F811
    for i in range(30):
        fake.put("widgets", "w%02d" % i, status={"conditions": [{"type": "Ready", "status": "False", "reason": "R%d" % i}]})
    fake.put("gadgets", "fine", status={"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]})
    fake.put("widgets", "elsewhere", ns="other", **BAD)
    return fake


def is_whole(text):
    return "live" in text and "30 root causes" in text


def markdown(term):
    term.raw = b""
    term.keys("M")
    return wait_for(lambda: term.read() and copied(term))


@pytest.mark.parametrize("args", [(), ("widgets,gadgets",)])
@pytest.mark.parametrize("way_out", ["\x1b", "0", ":kind all\r"])
def test_a_kind_names_itself_and_is_left(world, run, args, way_out):  # noqa: F811
    with run.screen(*args, cols=120, rows=24) as term:
        term.wait(is_whole)
        term.keys("G")
        term.wait(lambda text: re.search(r"(\d\d)/\1 ", text))
        place = term.lines()[3:-2]
        term.keys(":kind gadget\r")
        text = term.wait(lambda text: "nothing has failed, nothing waits in this selection of gadgets" in text and "Esc back" in text)
        assert "default ▸ gadgets" in text
        assert "nothing has failed, nothing waits in this selection of gadgets\n" in markdown(term)
        term.keys("p")
        term.wait(lambda text: re.search(r"all is well since \d+d \d+h in this selection of gadgets", text))
        term.keys("p" + way_out)
        text = term.wait(lambda text: is_whole(text) or (way_out == "0" and "31 root causes" in text))
        assert "gadgets" not in text.split("\n")[0] or args
        if way_out == "\x1b":
            assert term.lines()[3:-2] == place, "the row that was left"
            term.wait(lambda text: "Esc back" not in text)
            term.keys("\x1b")
            term.wait("q quits")
        if way_out == "0":
            term.wait("all namespaces")


def test_all_offers_namespaces_and_kinds(world, run):  # noqa: F811
    with run.screen(rows=24) as term:
        term.wait(is_whole)
        term.keys(":kind gadget\r")
        term.wait("in this selection of gadgets")
        term.keys(":all")
        term.wait(lambda text: "kind       all kinds" in text.replace("namespace", "") or ("all kinds" in text and "all namespaces" in text))
        term.keys("\x1b")
        term.wait("in this selection of gadgets")


def test_levels_of_namespaces_and_kinds(world, run):  # noqa: F811
    """Esc goes back through what was chosen, to the open view and its tab."""
    with run.screen("widgets,gadgets", rows=24, cols=120) as term:
        term.wait(is_whole)
        term.keys("Gk\r2")
        term.wait("[Conditions")
        term.keys(":ns other\r")
        term.wait(lambda text: "widget/elsewhere" in text and "c ▸ other" in text)
        term.keys(":kind gadget\r")
        term.wait("in this selection of gadgets")
        term.keys("\x1b")
        term.wait(lambda text: "widget/elsewhere" in text and "c ▸ other" in text)
        term.keys("\x1b")
        term.wait(lambda text: "[Conditions" in text and "R29" in text and "c ▸ default" in text)
        term.keys("\x1b")
        term.wait(is_whole)


def test_a_namespace_that_is_slow_is_left(world, run):  # noqa: F811
    with run.screen("widgets", rows=24, cols=120) as term:
        term.wait(is_whole)
        term.keys("G")
        term.wait(lambda text: re.search(r"(\d\d)/\1 ", text))
        place = term.lines()[3:-2]
        world.on("/apis/example.org/v1/namespaces/other/widgets", stall, times=0)
        term.keys(":ns other\r")
        term.wait(lambda text: "c ▸ other" in text and "Reading" in text)
        term.keys("\x1b")
        term.wait(lambda text: is_whole(text) and term.lines()[3:-2] == place)


@pytest.mark.parametrize("args, words", [
    (("gadgets",), "gadgets"),
    (("gadgets/fine",), "gadgets/fine"),
    (("gadgets", "-l", "app=db"), "gadgets -l app=db"),
])
def test_what_the_command_line_asks_for_is_named(world, run, args, words):  # noqa: F811
    with run.screen(*args, cols=140, rows=24) as term:
        text = term.wait(lambda text: "nothing has failed, nothing waits in this selection of " + words in text and "live" in text)
        assert "default ▸ " + words in text
        assert "nothing has failed, nothing waits in this selection of %s\n" % words in markdown(term)


def test_a_filter_is_no_scope_of_claims(world, run):  # noqa: F811
    """The line of causes and M count also what does not pass it."""
    with run.screen(cols=120, rows=24) as term:
        term.wait(is_whole)
        term.keys("/fine\r")
        text = term.wait(lambda text: "1 of 31 match" in text or "0 of 31 match" in text)
        assert "30 root causes" in text
        assert "30 root causes" in markdown(term)


def test_the_header_counts_the_root_causes_of_the_scope(run):  # noqa: F811
    """At once, also in a recording that has ended, where time stands still."""
    with run.screen("--replay", DEMO, "--speed", "1000", cols=120, rows=24) as term:
        term.wait("ended")
        term.wait("7 root causes block 20")
        term.keys(":ns edge\r")
        term.wait("2 root causes block 11")
        term.keys("0")
        assert "7 root causes block 20" in term.wait(lambda text: "all namespaces" in text and "✔ 92" in text)
