# SPDX-License-Identifier: Apache-2.0
"""--plain: what a screen reader reads aloud."""
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from program import PROGRAM, wait_for
from terminal import Terminal

TOP = pathlib.Path(__file__).resolve().parents[2]
DEMO, WORLD = TOP / "demo/incident.jsonl.gz", TOP / "tests/screen/worlds/night.yaml"


def bad(message):
    return {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": message}]}}


class Heard:
    """What is printed, line by line."""

    def __init__(self, run, *args):  # noqa: F811
        self.process = run.start(*args, "--plain")
        self.text = ""
        os.set_blocking(self.process.stdout.fileno(), False)

    def read(self):
        self.text += (self.process.stdout.read() or b"").decode()
        return self.text

    def wait(self, what):
        wait_for(lambda: what in self.read())
        return self.text

    def changes(self):
        return self.read().partition("\nChanges:\n")[2].splitlines()

    def __enter__(self):
        self.wait("\nChanges:\n")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def sentences(run, *args):  # noqa: F811
    head, mark, changes = run.text("--replay", DEMO, "--plain", *args).partition("\nChanges:\n")
    assert mark
    return head, changes.splitlines()


def test_a_recording_is_told_once(run):  # noqa: F811
    """What was there at first is no change, and what sounds the same is not told again."""
    head, changes = sentences(run)
    assert head.startswith("15 failed or blocked by 2 root causes\n") and "pod/cart" not in head
    assert not [line for line in changes if "cart" in line], "nothing has happened to these"
    assert not re.search("[^ -~\n]", head + "".join(changes)), "no arrows, no dots"
    by_object = {}
    for line in changes:
        assert "  " not in line and not re.search(r"waits on waits|, (\w+), \1,", line), line
        name = ", ".join(line.split(", ")[:2])
        told = re.sub(r", for [0-9smhd]+", "", line)
        assert by_object.get(name) != told, "told twice"
        by_object[name] = told


def test_a_recording_tells_causes_and_what_heals(run):  # noqa: F811
    _, changes = sentences(run)
    assert "ops, installplan/install-x7, Waiting, for 0s, waits for a person to approve" in changes
    assert "edge, volume/data, Ready, was Provisioning, for 0s, Success, OpenStack resource is available" in changes
    assert [line for line in changes if re.match(
        r"fin, flexibleserversdatabase/audit, Waiting, for \d+s, waits on flexibleserver/ledger because of secret/ledger-admin \(missing\), ", line)]


def test_absolute_times_are_read_as_such(run):  # noqa: F811
    head, changes = sentences(run, "--absolute-time")
    assert " since 20" in head and [line for line in changes if ", since 2026-11-21T05:" in line]
    assert ", for 2" not in head + "".join(changes)


@pytest.mark.parametrize("args", [["-f", WORLD], ["-f", WORLD, "--exit-code"], ["--replay", DEMO, "--exit-code"]])
def test_what_does_not_change_is_told_once(run, args):  # noqa: F811
    done = run(*args, "--plain")
    text = done.stdout.decode()
    assert done.returncode in (0, 4) and re.match(r"\d+ failed or blocked by \d+ root causes?\n", text) and "Changes:" not in text
    assert "  next step: kubectl " in text and "NAME " not in text


def test_with_a_format_it_prints_that_once(run):  # noqa: F811
    """As an alias has it."""
    for how in (["-o", "why"], ["-o", "json"], ["-o", "table"], ["--diff", "5m,1m"]):
        assert run.text("--replay", DEMO, *how, "--plain") == run.text("--replay", DEMO, *how)


def test_changes_of_one_second_are_told_together(fake, run):  # noqa: F811
    """However often and whatever changes, nobody has to listen to more than 21 sentences a second; the worst come first."""
    for i in range(400):
        fake.put("widgets", "w%03d" % i, **READY)
    fake.put("widgets", "last", **READY)
    with Heard(run, "widgets") as heard:
        began = time.monotonic()
        fake.put("widgets", "last", **bad("first"))
        heard.wait("widget/last, Failed")
        for i in range(400):
            fake.put("widgets", "w%03d" % i, **bad("disk %d" % i))
            fake.put("widgets", "w%03d" % i, **(bad("still") if i >= 390 else {"status": {"conditions": [
                {"type": "Ready", "status": "True", "reason": "Other", "message": "fine"}]}}))
        fake.put("widgets", "last", **bad("last"))
        heard.wait("Broken, last")
        took = time.monotonic() - began
        time.sleep(1.2)
        changes = heard.changes()
        assert len(changes) <= 1 + 22 * (took + 2)
        rest = [re.match(r"and (\d+) more: ((?:\d+ \w+(?:, )?)+)$", line) for line in changes if line.startswith("and ")]
        assert rest and all(rest), changes
        for told in re.split(r"^and .*$", "\n".join(changes), flags=re.M)[:-1]:
            phases = re.findall(r"widget/\w+, (\w+)", told)[-20:]
            assert phases == sorted(phases), "Failed before Ready"


def test_what_heals_and_goes_is_told(fake, run):  # noqa: F811
    fake.put("widgets", "here", **bad("disk is full"))
    with Heard(run, "widgets") as heard:
        fake.put("widgets", "here", **READY)
        heard.wait("widget/here, Ready, was Failed")
        fake.delete("widgets", "here")
        heard.wait("widget/here, deleted\n")
        fake.put("widgets", "here", **READY)
        wait_for(lambda: len(heard.changes()) == 3)
        assert heard.changes()[2].startswith("widget/here, Ready") and "was" not in heard.changes()[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_by_the_signal(fake, run, number):  # noqa: F811
    fake.put("widgets", "here", **READY)
    with Heard(run, "widgets") as heard:
        heard.process.send_signal(number)
        assert heard.process.wait(5) == -number
        assert heard.process.stderr.read() == b""


@pytest.mark.parametrize("flag", ["--plain", "-w", "--for=Failed"])
def test_it_can_be_suspended(fake, run, flag):  # noqa: F811
    """By the job control of a shell; it goes on with what happened meanwhile."""
    fake.put("widgets", "here", **READY)
    with Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], {**run.env, "PS1": "shell$ "}, 24, 100) as s:
        s.wait("shell$")
        s.keys("%s widgets %s\r" % (os.path.abspath(PROGRAM), flag))
        s.wait("widget/here" if flag != "--plain" else "Changes:")
        s.keys("\x1a")
        s.wait("Stopped")
        fake.put("widgets", "here", **bad("disk is full"))
        s.keys("fg\r")
        s.wait("Failed" if flag == "--for=Failed" else "disk is full")


def test_it_ends_with_its_reader(fake, run):  # noqa: F811
    fake.put("widgets", "here", **bad("disk is full"))
    process = subprocess.Popen([PROGRAM, "widgets", "--plain"], env=run.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    end = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < end:
        fake.put("widgets", "here", **bad("at %f" % time.monotonic()))
        time.sleep(0.2)
    ended = process.poll()
    process.kill()
    assert ended in (0, -signal.SIGPIPE) and process.communicate()[1] == b""
