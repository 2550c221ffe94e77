# SPDX-License-Identifier: Apache-2.0
"""Worlds that other tools have written: cluster-info dump, must-gather, lists, patterns of files."""
import gzip
import json
import os

import pytest
import yaml

from program import PROGRAM
from terminal import Terminal

POD = {"metadata": {"name": "web-1", "namespace": "shop", "uid": "p1"}, "spec": {"containers": [{"name": "c", "image": "i"}]},
       "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                                      "message": "0/3 nodes are available"}]}}
NODE = {"metadata": {"name": "n1"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
THING = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "t", "namespace": "shop"},
         "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "no luck"}]}}
LOG = "==== START logs for container c of pod shop/web-1 ====\n{\"level\": \"info\"}\nnot json: [\n" \
      "==== END logs for container c of pod shop/web-1 ====\n"


def typed(kind, *items):
    """A list as kubectl writes it from its own types: the items do not say what they are."""
    version = "apps/v1" if kind in ("Deployment", "ReplicaSet", "DaemonSet") else "v1"
    return {"kind": kind + "List", "apiVersion": version, "metadata": {"resourceVersion": ""}, "items": list(items)}


def put(folder, path, data):
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, dict):
        data = yaml.safe_dump(data, explicit_start=True) if path.endswith(".yaml") else json.dumps(data, indent=4)
    (target.write_bytes if isinstance(data, bytes) else target.write_text)(data)


def named(doc):
    return sorted("%s/%s" % (i["kind"], i["name"]) for i in doc["items"])


@pytest.fixture
def dump(tmp_path):
    """kubectl cluster-info dump --output-directory"""
    folder = tmp_path / "dump"
    put(folder, "nodes.json", typed("Node", NODE))
    for ns in ("default", "shop"):
        for kind, name in (("Event", "events"), ("ReplicationController", "replication-controllers"), ("Service", "services"),
                           ("DaemonSet", "daemonsets"), ("Deployment", "deployments"), ("ReplicaSet", "replicasets")):
            put(folder, "%s/%s.json" % (ns, name), typed(kind))
        put(folder, ns + "/pods.json", typed("Pod", *([POD] if ns == "shop" else [])))
    put(folder, "shop/web-1/logs.txt", "panic: everything\n" * 100)
    return folder


@pytest.mark.parametrize("args", [["-R"], []], ids=["recursive", "recognised"])
def test_cluster_info_dump(run, dump, args):
    doc = run.json("-f", dump, *args)
    assert named(doc) == ["Node/n1", "Pod/web-1"] and "notices" not in doc or not doc["notices"]
    [pod] = [i for i in doc["items"] if i["kind"] == "Pod"]
    assert pod["family"] == "core" and pod["phase"] != "Ready"


def test_cluster_info_dump_on_standard_output(run):
    """Lists one after the other, and the logs of containers between them."""
    text = json.dumps(typed("Node", NODE), indent=4) + "\n" + json.dumps(typed("Pod", POD), indent=4) + "\n" + LOG + \
        json.dumps(typed("Event"), indent=4) + "\n" + LOG
    assert named(run.json("-f", "-", stdin=text.encode())) == ["Node/n1", "Pod/web-1"]
    text = "\n---\n".join(yaml.safe_dump(t) for t in (typed("Node", NODE), typed("Pod", POD))) + LOG
    assert named(run.json("-f", "-", stdin=text.encode())) == ["Node/n1", "Pod/web-1"]


@pytest.fixture
def must_gather(tmp_path):
    root = tmp_path / "must-gather.local.123"
    image = root / "quay-io-example-must-gather-sha256-0123"
    put(root, "timestamp", "2026-11-20 09:00:00 +0000\n")
    put(root, "event-filter.html", "<html></html>")
    put(image, "version", "must-gather\n4.20\n")
    put(image, "cluster-scoped-resources/core/nodes/n1.yaml", {"apiVersion": "v1", "kind": "Node", **NODE})
    put(image, "namespaces/shop/core/pods.yaml", typed("Pod", {"apiVersion": "v1", "kind": "Pod", **POD}))
    put(image, "namespaces/shop/pods/web-1/web-1.yaml", {"apiVersion": "v1", "kind": "Pod", **POD})
    put(image, "namespaces/shop/pods/web-1/c/c/logs/current.log", "kind: Pod\n" * 50)
    put(image, "namespaces/shop/example.org/things/t.yaml", THING)
    put(image, "audit_logs/audit.log.gz", gzip.compress(b'{"kind":"Event"}'))
    return root


def test_must_gather(run, must_gather):
    """The same Pod stands in two files, and is one object."""
    doc = run.json("-f", must_gather)
    assert named(doc) == ["Node/n1", "Pod/web-1", "Thing/t"] and not doc.get("notices")
    assert named(run.json("-R", "-f", must_gather)) == named(doc)


BROKEN = {"empty.yaml": "", "half.json": '{"kind": "Pod", "metadata": {"name": ', "binary.yaml": "\0\1\2", "text.yaml": "no luck\n",
          "tabs.yaml": "a:\n\tb: c\n", "nothing.yaml": "a: 1\n", "cut.yaml": "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {na",
          "list.json": "[1, 2, 3]"}


def test_broken_files_of_a_dump_are_one_notice(run, must_gather):
    for name, text in BROKEN.items():
        put(must_gather, "broken/" + name, text)
    (must_gather / "broken/gone.yaml").symlink_to("nowhere")
    (must_gather / "broken/circle").symlink_to(must_gather)
    doc = run.json("-f", must_gather)
    assert named(doc) == ["Node/n1", "Pod/web-1", "Thing/t"]
    [notice] = doc["notices"]
    assert "files were left out, the first: error parsing " in notice["message"] and "broken/" in notice["message"]
    done = run("-f", must_gather)
    assert done.returncode == 0 and done.stderr.count(b"\n") == 1


def test_dump_without_a_single_object_is_an_error(run, tmp_path):
    put(tmp_path / "d", "namespaces/a/core/pods.yaml", "no: object\n")
    done = run("-f", tmp_path / "d", "-o", "json")
    assert done.returncode == 1 and done.stdout == b"" and b"'Kind' is missing" in done.stderr


def test_broken_file_of_a_plain_folder_is_an_error(run, tmp_path):
    """As with kubectl: somebody wrote these files to be objects."""
    put(tmp_path / "d", "good.yaml", THING)
    put(tmp_path / "d", "bad.yaml", "a: 1\n")
    assert run("-f", tmp_path / "d", "-o", "json").returncode == 1


def test_thousands_of_files(run, tmp_path):
    for i in range(3000):
        thing = {**THING, "metadata": {"name": "t%d" % i, "namespace": "ns%d" % (i % 50)}}
        put(tmp_path / "g", "namespaces/ns%d/example.org/things/t%d.json" % (i % 50, i), thing)
    assert run.json("-f", tmp_path / "g")["summary"]["total"] == 3000


def test_links_in_circles_end(run, tmp_path):
    """Two links to the folder itself are 2^32 paths; each file is read once, whatever number of names it has."""
    put(tmp_path / "d", "namespaces/a/core/things.yaml", THING)
    for link, to in ("a", "."), ("b", "."), ("namespaces/up", ".."), ("namespaces/again", "a"):
        (tmp_path / "d" / link).symlink_to(to)
    (tmp_path / "d" / "one.yaml").symlink_to("namespaces/a/core/things.yaml")
    (tmp_path / "d" / "bad.yaml").write_text("no: object\n")
    (tmp_path / "d" / "bad-too.yaml").symlink_to("bad.yaml")
    for args in ("-f",), ("-R", "-f"):
        doc = run.json(*args, tmp_path / "d")
        assert named(doc) == ["Thing/t"]
        assert [n["message"][:22] for n in doc["notices"]] == ["1 file was left out, t"]


def test_patterns_and_what_is_not_there(run, tmp_path):
    """A pattern counts only when nothing has that very name."""
    put(tmp_path, "a1.yaml", THING)
    put(tmp_path, "a2.json", {**THING, "metadata": {"name": "u", "namespace": "shop"}})
    put(tmp_path, "[b].yaml", {**THING, "metadata": {"name": "v", "namespace": "shop"}})
    assert named(run.json("-f", tmp_path / "a*.*")) == ["Thing/t", "Thing/u"]
    assert named(run.json("-f", tmp_path / "[b].yaml")) == ["Thing/v"]
    for name in ("c*.yaml", "none.yaml"):
        done = run("-f", tmp_path / name)
        assert done.returncode == 1 and b'does not exist' in done.stderr and done.stderr.count(b"\n") == 1
    (tmp_path / "empty").mkdir()
    done = run("-f", tmp_path / "empty")
    assert b"recognized file extensions are [.json .yaml .yml]" in done.stderr
    put(tmp_path, "empty/below/a.yaml", THING)
    done = run("-f", tmp_path / "empty")
    assert done.returncode == 1 and b"-R" in done.stderr
    assert named(run.json("-R", "-f", tmp_path / "empty")) == ["Thing/t"]


def test_urls_are_not_fetched(run):
    """On purpose; who reads a dump offline does not want to be surprised by the network."""
    done = run("-f", "https://example.invalid/a.yaml")
    assert done.returncode == 1 and b"does not exist" in done.stderr and b"curl" in done.stderr


def test_get_output_and_pipes(run, tmp_path):
    """kubectl get -o yaml and -o json, also through a pipe with a name."""
    items = {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", **POD}, THING]}
    for text in (yaml.safe_dump(items), json.dumps(items)):
        assert named(run.json("-f", "-", stdin=text.encode())) == ["Pod/web-1", "Thing/t"]
    put(tmp_path, "a.yaml", THING)
    assert named(run.json("-f", "/dev/stdin", stdin=json.dumps(items).encode())) == ["Pod/web-1", "Thing/t"]


def test_standard_input_and_a_keyboard(run, tmp_path):
    """The world comes through the pipe, the keys from the terminal."""
    put(tmp_path, "a.yaml", THING)
    command = ["/bin/sh", "-c", 'cat "$1" | "$0" -f -', PROGRAM, str(tmp_path / "a.yaml")]
    with Terminal(command, run.env, 30, 100) as term:
        term.wait("thing/t")
        term.keys("q")
        assert os.waitstatus_to_exitcode(term.end()) == 0
