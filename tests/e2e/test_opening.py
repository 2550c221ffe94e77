# SPDX-License-Identifier: Apache-2.0
"""A context that does not answer: what was shown before goes on, and Esc returns to exactly there."""
import json
import os
import socket

import pytest

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from fakeapi import stall
from program import wait_for

BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full"}]}}


class Silent:
    """Takes connections, reads what comes, and says nothing."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(10)
        self.url = "https://127.0.0.1:%d" % self.socket.getsockname()[1]

    def accept(self):
        connection, _ = self.socket.accept()
        connection.settimeout(10)
        return connection

    @staticmethod
    def was_dropped(connection):
        """The other end hangs up."""
        while connection.recv(4096):
            pass
        return True


@pytest.fixture
def silent():
    server = Silent()
    yield server
    server.socket.close()


def add_context(run, name, server=None, user="u", **context):  # noqa: F811
    with open(run.env["KUBECONFIG"], encoding="utf-8") as f:
        config = json.load(f)
    if server:
        config["clusters"].append({"name": name, "cluster": {**config["clusters"][0]["cluster"], "server": server}})
    if not isinstance(user, str):
        config["users"].append({"name": name, "user": user})
    config["contexts"].append({"name": name, "context": {
        "cluster": name if server else "c", "user": user if isinstance(user, str) else name, **context}})
    with open(run.env["KUBECONFIG"], "w", encoding="utf-8") as f:
        json.dump(config, f)


def begin_with(run, name):  # noqa: F811
    with open(run.env["KUBECONFIG"], encoding="utf-8") as f:
        config = json.load(f)
    config["current-context"] = name
    with open(run.env["KUBECONFIG"], "w", encoding="utf-8") as f:
        json.dump(config, f)


def plugin(folder, script, mode="IfAvailable"):
    path = folder / "login"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(path), "interactiveMode": mode}}


@pytest.fixture
def world(fake, run, silent):  # noqa: F811
    for i in range(40):
        fake.put("widgets", "w%02d" % i, **({"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "R%d" % i}]}}))
    fake.put("widgets", "there", ns="other", **BAD)
    add_context(run, "silent", silent.url)
    add_context(run, "second", namespace="other")
    return run


def body(text):
    """The rows: neither what grows older above and below them."""
    return text.split("\n")[2:-2]


def test_esc_returns_to_the_place_left(world, fake, silent):  # noqa: F811
    with world.screen("widgets", rows=24, cols=140) as term:
        term.wait(lambda text: "R39" in text or "live" in text)
        term.keys("G\r2")
        term.wait("[Conditions")
        before = term.text().split("\n")[3:-2]
        term.keys(":ctx silent\r")
        connection = silent.accept()
        text = term.wait(lambda text: "connecting to silent since" in text and "Esc cancels" in text)
        assert text.split("\n")[3:-2] == before and "live" in text and " c ▸ default" in text
        requests = len(fake.requests)
        term.keys("\x1b")
        text = term.wait(lambda text: "connecting" not in text and "live" in text)
        assert text.split("\n")[3:-2] == before
        assert silent.was_dropped(connection)
        assert len(fake.requests) == requests, "its session went on: nothing is read again"
        term.keys("\x1b")
        term.wait("RESOURCE")
        fake.put("widgets", "w00", **BAD)
        term.keys("g/full\r")
        term.wait("w00")


def test_what_is_shown_goes_on(world, fake, silent):  # noqa: F811
    with world.screen("widgets", rows=24) as term:
        term.wait(lambda text: "widget" in text and "live" in text)
        term.keys(":ctx silent\r")
        term.wait("connecting to silent since")
        fake.put("widgets", "fresh", **BAD)
        term.keys("/fresh\r")
        term.wait(lambda text: "widget/fresh" in text and "disk is full" in text and "connecting to silent" in text)
        term.keys("q")
        assert os.waitstatus_to_exitcode(term.end()) == 0


def test_other_contexts_are_offered_meanwhile(world, silent):
    with world.screen("widgets", rows=24) as term:
        term.wait(lambda text: "widget" in text and "live" in text)
        term.keys(":ctx silent\r")
        connection = silent.accept()
        term.wait("connecting to silent since")
        term.keys(":ctx ")
        text = term.wait("context  second")
        assert "context  c\n" in text and "context  silent" not in text
        term.keys("sec\r")
        term.wait(lambda text: "widget/there" in text and "second ▸ other" in text and "connecting" not in text)
        assert silent.was_dropped(connection)
        term.keys(":ctx silent\r")
        term.wait("connecting to silent since")
        term.keys(":ctx second\r")  # where one still is
        term.wait(lambda text: "connecting" not in text and "second ▸ other" in text and "widget/there" in text)


def test_esc_is_for_the_prompt_first(world, silent):
    with world.screen("widgets", rows=24) as term:
        term.wait(lambda text: "widget" in text and "live" in text)
        term.keys(":ctx silent\r")
        term.wait("connecting to silent since")
        term.keys("/zz")
        term.wait("/zz")
        term.keys("\x1b")
        term.wait(lambda text: "/zz" not in text and "connecting to silent" in text)
        term.keys("\x1b")
        term.wait(lambda text: "connecting" not in text)


def test_one_that_is_known_from_the_cache(world, fake, serve):  # noqa: F811
    """What kinds it has is known at once, but it says nothing: it has not answered."""
    other = serve()
    other.put("widgets", "elsewhere", ns="default", **BAD)
    add_context(world, "third", other.url)
    with world.screen("widgets", "--context", "third") as term:
        term.wait(lambda text: "widget/elsewhere" in text and "live" in text)
    other.on("*", stall, times=0)
    with world.screen("widgets", rows=24) as term:
        term.wait(lambda text: "widget" in text and "live" in text)
        term.keys(":ctx third\r")
        term.wait(lambda text: "connecting to third since" in text and " c ▸ default" in text and "live" in text)
        term.keys("\x1b")
        term.wait(lambda text: "connecting" not in text and "live" in text)
        other.script.clear()
        term.keys(":ctx third\r")
        term.wait("widget/elsewhere")


def test_a_login_that_hangs(world, tmp_path):
    add_context(world, "login", user=plugin(tmp_path, "echo $$ >%s/pid; exec sleep 100\n" % tmp_path))
    with world.screen("widgets", rows=24, cols=160) as term:
        term.wait(lambda text: "widget" in text and "live" in text)
        term.keys(":ctx login\r")
        term.wait(lambda text: "connecting to login since" in text and "waits for " in text and "/login; Esc cancels" in text)
        number = wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        term.keys("\x1b")
        term.wait(lambda text: "connecting" not in text and "live" in text)
        wait_for(lambda: not os.path.exists("/proc/%s" % number.strip()))


@pytest.mark.parametrize("key", ["\x1b", "q", "\x03"])
@pytest.mark.parametrize("flags", [(), ("--contexts", "silent,c")])
def test_a_first_context_that_is_silent(world, key, flags):
    begin_with(world, "silent")
    with world.screen("widgets", *flags) as term:
        if flags:
            term.wait("connecting to")
        else:
            term.wait(lambda text: "connecting to silent since" in text and "Esc quits" in text)
        term.keys(key)
        assert os.waitstatus_to_exitcode(term.end()) == 0


def test_from_a_first_context_that_is_silent_to_another(world):
    begin_with(world, "silent")
    with world.screen("widgets") as term:
        term.wait("connecting to silent since")
        term.keys("?")
        term.wait("Look")
        term.keys("\x1b")  # leaves the help, not the program
        term.wait(lambda text: "Look" not in text and "connecting to silent" in text)
        term.keys(":ctx second\r")
        term.wait(lambda text: "widget/there" in text and "live" in text)
        term.keys("\x1b")
        term.wait("q quits")


def test_a_login_before_the_first_screen(world, tmp_path):
    """It may ask something: the terminal is its own, and C-c ends both."""
    add_context(world, "login", user=plugin(tmp_path, "echo $$ >%s/pid; echo 'Code: ' >&2; exec sleep 100\n" % tmp_path))
    begin_with(world, "login")
    with world.screen("widgets", cols=200) as term:
        term.wait("Code:")
        term.wait("waiting for the login to login: %s/login has not finished" % tmp_path)
        number = (tmp_path / "pid").read_text()
        term.keys("\x03")
        assert os.waitstatus_to_exitcode(term.end()) == -2
        wait_for(lambda: not os.path.exists("/proc/%s" % number.strip()))


def test_a_login_that_never_asks_is_no_reason_to_wait(world, tmp_path):
    """The screen opens at once and names it; its complaints do not reach the screen; q ends both."""
    script = "echo $$ >%s/pid; echo complains >&2; exec sleep 100\n" % tmp_path
    add_context(world, "login", user=plugin(tmp_path, script, mode="Never"))
    begin_with(world, "login")
    with world.screen("widgets", cols=160) as term:
        term.wait(lambda text: "connecting to login since" in text and "waits for %s/login; Esc quits" % tmp_path in text)
        number = wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        term.keys("?")
        term.wait("Look")
        assert b"complains" not in term.raw
        term.keys("qq")
        assert os.waitstatus_to_exitcode(term.end()) == 0
        wait_for(lambda: not os.path.exists("/proc/%s" % number.strip()))


def test_after_the_login_a_silent_server_has_a_screen(world, silent, tmp_path):
    credential = {"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "t0ken"}}
    add_context(world, "login", silent.url, user=plugin(tmp_path, "echo '%s'\n" % json.dumps(credential)))
    begin_with(world, "login")
    with world.screen("widgets") as term:
        term.wait(lambda text: "connecting to login since" in text and "Esc quits" in text)
        term.keys("\x1b")
        assert os.waitstatus_to_exitcode(term.end()) == 0
