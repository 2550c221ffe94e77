# SPDX-License-Identifier: Apache-2.0
"""What fingers that know kubectl type: wait's goals, get's flags."""

import json
import pathlib

import pytest
import yaml

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import READY, WIDGETS
from fakeapi import TYPES

UNREADY = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Rolling",
                                      "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}


class Waiting:
    def __init__(self, run, *args):
        self.child = run.start(*args, "--timeout", "20s")

    def status(self):
        try:
            _, errors = self.child.communicate(timeout=60)
        finally:
            self.child.kill()
        return self.child.returncode, errors.decode()


def test_for_condition(fake, run):
    fake.put("widgets", "a", **UNREADY)
    done = run("widget/a", "--for=condition=Ready", "--timeout", "0")
    assert done.returncode == 3 and b"widget/a in namespace default has condition Ready=False" in done.stderr
    assert run("widget/a", "--for=condition=ready=false", "--timeout", "0").returncode == 0
    done = run("widget/a", "--for=condition=Shiny", "--timeout", "0")
    assert done.returncode == 3 and b"has no condition Shiny" in done.stderr
    waiting = Waiting(run, "widget/a", "--for=condition=Ready")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "a", **READY)
    assert waiting.status()[0] == 0


def test_a_condition_of_an_older_generation_does_not_count(fake, run):
    body = fake.put("widgets", "a", status={"conditions": [{**READY["status"]["conditions"][0], "observedGeneration": 1}]})
    body["metadata"]["generation"] = 2
    assert run("widget/a", "--for=condition=Ready", "--timeout", "0").returncode == 3
    body["metadata"]["generation"] = 1
    assert run("widget/a", "--for=condition=Ready", "--timeout", "0").returncode == 0


def test_for_delete_ends_with_the_object_that_was_there(fake, run):
    assert run("widget/a", "--for=delete", "--timeout", "5s").returncode == 0
    fake.put("widgets", "a", **READY)
    assert run("widget/a", "--for=delete", "--timeout", "0").returncode == 3
    waiting = Waiting(run, "widget/a", "--for=delete")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.delete("widgets", "a")
    fake.put("widgets", "a", **READY)
    assert waiting.status() == (0, "0 of 1; widget/a in namespace default is Ready\n")


def test_for_create(fake, run):
    done = run("widgets", "a", "b", "--for=create", "--timeout", "0")
    assert done.returncode == 3
    assert done.stderr == (b'error: timed out waiting: widgets.example.org "a", widgets.example.org "b" were not created\n')
    waiting = Waiting(run, "widget/a", "--for=create")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "a", **UNREADY)
    assert waiting.status()[0] == 0


def test_for_prints_how_it_ends(fake, run):
    """Without -o it is silent, as a script wants it."""
    fake.put("widgets", "a", **READY)
    fake.put("widgets", "b", **UNREADY)
    assert run.text("widget/a", "--for", "Ready") == ""
    assert run.text("widget/a", "--for", "Ready", "-o", "name") == "widget.example.org/a\n"
    assert [i["phase"] for i in run.json("widget/a", "--for", "Ready")["items"]] == ["Ready"]
    done = run("widgets", "--for", "Ready", "--timeout", "0", "-o", "json")
    assert done.returncode == 3 and json.loads(done.stdout)["summary"]["total"] == 2
    assert run.json("widget/c", "--for", "delete")["items"] == []


def test_a_watch_of_what_does_not_exist_ends(fake, run):
    done = run("widgets", "a", "-w")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b'Error from server (NotFound): widgets.example.org "a" not found\n'


def test_ignore_not_found(fake, run):
    done = run("widget/a", "--ignore-not-found")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = run("widgets", "--ignore-not-found")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    fake.put("widgets", "b", **READY)
    done = run("widgets", "a", "b", "--ignore-not-found", "-o", "name")
    assert (done.returncode, done.stdout) == (0, b"widget.example.org/b\n")


def test_label_columns(fake, run):
    for name, labels in (("a", {"app": "web", "example.org/tier": "front"}), ("b", {"app": ""}), ("c", None)):
        body = fake.put("widgets", name, **READY)
        body["metadata"].update(labels=labels, annotations={"note": "by hand"})
    table = run.text("widgets", "-L", "app,example.org/tier", "-L", "note", "--show-labels", "--columns", "name")
    assert table == ("NAME       APP      TIER     NOTE      LABELS\n"
                     "widget/a   web      front    by hand   app=web,example.org/tier=front\n"
                     "widget/b            <none>   by hand   app=\n"
                     "widget/c   <none>   <none>   by hand   <none>\n")
    assert run("widgets", "-L", "a,b,c,d,e,f,g,h,i").returncode == 2


def test_annotations_of_secrets_are_no_columns(fake, run):
    fake.put("secrets", "s")["metadata"].update(labels={"app": "web"}, annotations={"note": "hunter2"})
    table = run.text("secrets", "-L", "app,note", "--show-labels")
    assert "web" in table and "hunter2" not in table


def test_watch_only(fake, run):
    fake.put("widgets", "a", **READY)
    child = run.start("widgets", "--watch-only", "-o", "json")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "b", **READY)
    line = child.stdout.readline()
    child.terminate()
    child.communicate(timeout=60)
    assert b'"event":"ADDED"' in line and b'"name":"b"' in line


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_watch_ends_with_its_reader(fake, run, form):
    """At once, and not only when there is something to write: kubectl status -w | head -1"""
    fake.put("widgets", "a", **READY)
    child = run.start("widgets", "-w", "-o", form)
    assert child.stdout.readline()
    fake.await_requests(1, WIDGETS, watch=True)
    child.stdout.close()
    assert (child.wait(60), child.stderr.read()) == (0, b"")


@pytest.mark.parametrize("flags", [["--show-kind"], ["--sort-by", ".metadata.name"], ["--sort-by={.metadata.name}"]])
def test_flags_that_change_nothing_here(fake, run, flags):
    fake.put("widgets", "a", **READY)
    assert run.text("widgets", *flags) == run.text("widgets")


@pytest.fixture
def played(run, tmp_path):
    """What --replay -w prints of two widgets: b is Ready all the time, a heals and goes."""
    lines = ['{"kind":"Recording","apiVersion":"kubectl-status/v1","start":"2026-11-20T09:00:00Z"}']
    for at, kind, name, ready in ((0, "ADDED", "a", "False"), (0, "ADDED", "b", "True"), (5, "MODIFIED", "a", "True"),
                                  (9, "DELETED", "a", "True")):
        lines.append('{"t":"2026-11-20T09:00:0%d.000Z","type":"%s","object":{"apiVersion":"example.org/v1","kind":"Widget",'
                     '"metadata":{"name":"%s","namespace":"x"},"status":{"conditions":[{"type":"Ready","status":"%s"}]}}}'
                     % (at, kind, name, ready))
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return lambda *args: run.text("--replay", path, "-w", *args)


def test_a_recording_can_be_watched(played):
    events = [json.loads(line) for line in played("-o", "json").splitlines()]
    assert [(e["event"], e["name"]) for e in events] == [("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "a")]


def test_watch_as_yaml_is_a_document_for_each_change(played):
    text = played("-o", "yaml")
    assert [(e["event"], e["name"]) for e in yaml.safe_load_all(text)] == [
        ("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert text.startswith("---\nevent: ADDED\napiVersion: example.org/v1\n")


def test_what_is_gone_has_a_row_in_the_same_columns(played):
    last = played().splitlines()[-1]
    assert last.split() == ["widget/a", "DELETED"]
    assert played("-A").splitlines()[-1].split() == ["x", "widget/a", "DELETED"]
    assert played("--columns", "phase,age,name").splitlines()[-1].split() == ["DELETED", "widget/a"]


def test_watch_of_problems_leaves_out_what_was_ready_all_along(played):
    rows = [line.split()[:2] for line in played("--problems", "--no-headers").splitlines()]
    assert [r[0] for r in rows] == ["widget/a"] * 3 and rows[1][1] == "Ready" and rows[2][1] == "DELETED"


def orc(kind, name, *conditions):
    """An object as that operator writes it; conditions: (type, status, message)."""
    return {"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": kind,
            "metadata": {"name": name, "namespace": "x", "generation": 1, "creationTimestamp": "2026-11-20T09:00:00Z"},
            "status": {"conditions": [{"type": t, "status": s, "reason": "Success" if s == "True" and t == "Available" else "Progressing",
                                       "message": m, "observedGeneration": 1} for t, s, m in conditions]}}


def test_another_root_cause_is_a_change(run, tmp_path):
    """What the port waits for stays the same, what that waits for does not."""
    def waits(message):
        return ("Available", "False", message), ("Progressing", "True", message)

    told = [(0, "ADDED", orc("Network", "net", *waits("creating"))),
            (0, "ADDED", orc("Subnet", "sub", *waits("Waiting for Network/net to be ready"))),
            (0, "ADDED", orc("Port", "p", *waits("Waiting for Subnet/sub to be created"))),
            (5, "MODIFIED", orc("Network", "net", ("Available", "True", ""), ("Progressing", "False", "")))]
    path = tmp_path / "x.jsonl"
    path.write_text('{"kind":"Recording","apiVersion":"kubectl-status/v1","start":"2026-11-20T09:00:00Z"}\n' + "".join(
        json.dumps({"t": "2026-11-20T09:00:0%d.000Z" % at, "type": event, "object": o}) + "\n" for at, event, o in told))
    items = [json.loads(line) for line in run.text("--replay", path, "-w", "-o", "json").splitlines()]
    assert [(i["event"], [r["name"] for r in i["rootCauses"]]) for i in items if i["name"] == "p"] == [
        ("ADDED", ["net"]), ("MODIFIED", ["sub"])]


@pytest.mark.parametrize("types, text", [("nodes", "No resources found"), ("pods", "No resources found in prod namespace."),
                                         ("nodes,pods", "No resources found in prod namespace.")])
def test_nothing_of_a_type(run, tmp_path, types, text):
    """Kinds without a namespace are in none, as kubectl get says."""
    file = tmp_path / "one.yaml"
    file.write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod}}\n")
    done = run("-f", file, types, "-n", "prod")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", text + "\n")
