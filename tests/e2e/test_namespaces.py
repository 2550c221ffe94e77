# SPDX-License-Identifier: Apache-2.0
"""-n A,B,C: the objects of several namespaces, and of no others."""
import json

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import names, READY
from fakeapi import status
from program import wait_for

BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "no such store"}]}}


@pytest.fixture
def three(fake):  # noqa: F811
    for ns in ("red", "green", "blue"):
        fake.put("namespaces", ns)
        fake.put("widgets", "of-" + ns, ns=ns, **READY)
    return fake


def test_only_these_are_read(three, run):  # noqa: F811
    assert names(run.json("widgets", "-n", "red,blue")) == ["of-blue", "of-red"]
    assert {r.path.split("/")[5] for r in three.seen() if r.path.endswith("/widgets")} == {"red", "blue"}
    assert run("-n", "red,blue", "--namespace=green", "-o", "name").stdout == b"widget.example.org/of-green\n", "the last flag counts, as in kubectl"
    assert names(run.json("-n", "red,red")) == ["of-red"]
    assert names(run.json("widget/of-red", "widget/of-blue", "-n", "red,blue")) == ["of-blue", "of-red"]
    done = run("widget/of-green", "-n", "red,blue")
    assert (done.returncode, done.stderr) == (1, b'Error from server (NotFound): widgets.example.org "of-green" not found\n')


def test_one_that_does_not_exist(three, run):  # noqa: F811
    done = run("widgets", "-n", "red,grean")
    assert done.returncode == 1 and b"of-red" in done.stdout
    assert done.stderr.startswith(b'Error from server (NotFound): namespaces "grean" not found') and done.stderr.count(b"\n") <= 2
    done = run("widgets", "-n", "rad,grean")
    assert done.returncode == 1 and not done.stdout
    assert [line.partition(" (kubectl")[0] for line in done.stderr.decode().splitlines()] == [
        'Error from server (NotFound): namespaces "rad" not found', 'Error from server (NotFound): namespaces "grean" not found']
    assert run("widgets", "-n", "red,grean", "--exit-code").returncode == 1


@pytest.mark.parametrize("args", [[], ["--exit-code"], ["--problems"], ["-o", "json"], ["--for", "Ready"]])
def test_one_that_may_not_be_read(three, run, tmp_path, args):  # noqa: F811
    """What could not be read is not healthy, in one of several namespaces as in one alone."""
    three.on("/apis/example.org/v1/namespaces/green/widgets", status(403, "Forbidden", "widgets.example.org is forbidden in green"), times=0)
    done = run("widgets", "-n", "red,green", *args)
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, b"Error from server (Forbidden): widgets.example.org is forbidden in green")
    assert b"of-red" in done.stdout or "--problems" in args or "--for" in args
    assert run("widgets", "-n", "red,blue", *args).returncode == 0


@pytest.mark.parametrize("args", [["-o", "name"], ["--exit-code"], ["--problems"]])
def test_one_of_which_nothing_may_be_read(three, run, args):  # noqa: F811
    for kind in ("/api/v1/namespaces/green/pods", "/apis/example.org/v1/namespaces/green/widgets", "/apis/example.org/v1/namespaces/green/gadgets"):
        three.on(kind, status(403, "Forbidden", "no"), times=0)
    done = run("-n", "red,green", *args)
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, b"error: nothing may be read in namespace green")
    assert b"of-red" in done.stdout or "--problems" in args


@pytest.mark.parametrize("value, words", [("a,", "behind the last comma"), (",a", "a name is missing"), ("a,,b", "a name is missing")])
def test_a_list_with_a_hole(run, value, words):  # noqa: F811
    done = run("widgets", "-n", value)
    assert done.returncode == 2 and words in done.stderr.decode() and done.stderr.count(b"\n") == 1


def test_changes(three, run, watching):  # noqa: F811
    watch = watching(run, "widgets", "-n", "red,green")
    watch.wait(("ADDED", "of-red"), ("ADDED", "of-green"))
    three.put("widgets", "of-blue", ns="blue", **BAD)
    three.put("widgets", "of-green", ns="green", **BAD)
    watch.wait(("MODIFIED", "of-green"))
    assert "of-blue" not in [name for _, name in watch.changes()]


def test_waiting(three, run):  # noqa: F811
    child = run.start("widgets", "-n", "red,green", "--for", "Failed,Degraded", "--timeout", "20s")
    try:
        wait_for(lambda: len([r for r in three.seen(watch=True) if r.path.endswith("/widgets")]) >= 2)
        three.put("widgets", "of-red", ns="red", **BAD)
        three.put("widgets", "of-blue", ns="blue", **BAD)
        three.put("widgets", "of-green", ns="green", **BAD)
        assert child.wait(30) == 0, child.stderr.read()
    finally:
        child.kill()


def test_the_dashboard(three, run):  # noqa: F811
    with run.screen("widgets", "-n", "red,green") as term:
        term.wait(lambda text: "of-red" in text and "of-green" in text and "red,green" in text)
        assert "of-blue" not in term.text()
        three.put("widgets", "late", ns="green", **BAD)
        three.put("widgets", "never", ns="blue", **BAD)
        term.wait("widget/late")
        assert "never" not in term.text()


def test_a_recording_of_several(three, run, tmp_path):  # noqa: F811
    record = tmp_path / "r.jsonl"
    assert run("widgets", "-n", "red,green", "-o", "name", "--record", record).returncode == 0
    assert names(json.loads(run("--replay", record, "-o", "json").stdout)) == ["of-green", "of-red"]
    assert names(json.loads(run("--replay", record, "-n", "red,blue", "-o", "json").stdout)) == ["of-red"]


def test_files(run, tmp_path):  # noqa: F811
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "of-" + ns, "namespace": ns}, "status": {"phase": "Failed"}}
        for ns in ("red", "green", "blue")]}))
    assert names(run.json("-f", path, "-n", "red,blue")) == ["of-blue", "of-red"]
    done = run("-f", path, "-n", "red,rad")
    assert done.returncode == 1 and b"of-red" in done.stdout and done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b'error: the files have no namespace "rad"')


def test_completion(three, run):  # noqa: F811
    three.put("namespaces", "grey")
    assert run.text("__complete", "-n", "red,gre").splitlines()[:2] == ["red,green", "red,grey"]
    assert run.text("__complete", "--namespace=green,gre").splitlines()[0].startswith("green,grey")
