# SPDX-License-Identifier: Apache-2.0
"""-o kyaml: the same document as -o json, laid out as kubectl does it."""
import glob
import json
import os
import subprocess

import pytest
import yaml

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import READY
import optional

WORLD = {"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "till", "namespace": "shop", "uid": "1"},
     "status": {"phase": "Failed", "reason": "Evicted", "message": "first line\n  second, further in\n\nfourth \"quoted\" \\ é ü"}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "safe", "namespace": "shop", "uid": "2"},
     "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                                    "message": "0/3 nodes are available: 3 Insufficient cpu.",
                                                    "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}]}


def with_kyaml():
    """A kubectl that prints it; None: there is none here."""
    cached = glob.glob(os.path.expanduser("~/.cache/kubectl-status/control-plane-*/kubectl"))
    for kubectl in filter(None, [optional.find("kubectl"), *sorted(cached)]):
        done = subprocess.run([kubectl, "get", "--help"], capture_output=True, text=True, check=False)
        if "kyaml" in done.stdout:
            return kubectl
    return None


@pytest.fixture
def world(tmp_path):
    path = tmp_path / "world.json"
    path.write_text(json.dumps(WORLD))
    return path


def test_it_is_the_same_document(run, world):  # noqa: F811
    args = ("-f", world, "--as-of", "2026-02-01T00:00:00Z")
    printed = run(*args, "-o", "kyaml").stdout.decode()
    assert printed.startswith('---\n{\n  apiVersion: "kubectl-status/v1",\n  kind: "StatusList",\n') and printed.endswith("\n}\n")
    assert yaml.load(printed, yaml.BaseLoader) == yaml.load(run(*args, "-o", "json").stdout, yaml.BaseLoader)


def test_it_is_laid_out_as_kubectl_does_it(run, world, tmp_path):  # noqa: F811
    """kubectl sorts the keys, and prints no StatusList: the lines of the items are compared."""
    kubectl = with_kyaml()
    if not kubectl:
        pytest.skip("there is no kubectl that prints kyaml (1.35 or newer)")
    document = run.json("-f", world, "--as-of", "2026-02-01T00:00:00Z")
    probe = tmp_path / "probe.json"
    probe.write_text(json.dumps({"apiVersion": "example.org/v1", "kind": "Probe", "metadata": {"name": "a"}, "items of": document["items"]}))
    theirs = subprocess.run([kubectl, "annotate", "--local", "-f", probe, "a=b", "-o", "kyaml"], capture_output=True, text=True, check=True).stdout
    ours = run("-f", world, "--as-of", "2026-02-01T00:00:00Z", "-o", "kyaml").stdout.decode()

    def lines(text, key):
        return sorted(text.partition("  %s: [{\n" % key)[2].partition("\n  }],\n")[0].split("\n"))
    assert len(lines(ours, "items")) > 30 and lines(ours, "items") == lines(theirs, '"items of"')


def test_changes_and_the_version(fake, run):  # noqa: F811
    fake.put("widgets", "a", **READY)
    fake.put("widgets", "b", **READY)
    assert yaml.safe_load(run("version", "-o", "kyaml").stdout) == json.loads(run("version", "-o", "json").stdout)
    child = run.start("widgets", "-w", "-o", "kyaml")
    try:
        documents = [read_one(child.stdout) for _ in range(2)]
    finally:
        child.kill()
        child.wait()
    assert [(d["event"], d["name"]) for d in documents] == [("ADDED", "a"), ("ADDED", "b")]


def read_one(stream):
    text = ""
    while not text.endswith("\n}\n"):
        line = stream.readline()
        assert line
        text += line.decode() if isinstance(line, bytes) else line
    return yaml.safe_load(text)
