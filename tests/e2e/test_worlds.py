# SPDX-License-Identifier: Apache-2.0
"""The judge of the worlds (tests/operators) sees what is wrong, and what is known to be wrong."""
import gzip
import json
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "operators"))

import judge  # noqa: E402

PODS = [                        # seconds after 09:00, whether it is ready
    ("web", 0, False), ("web", 10, True), ("web", 20, False), ("web", 30, True), ("cart", 0, False)]


def pod(name, at, ready):
    status = "True" if ready else "False"
    return {"t": f"2026-11-20T09:00:{at:02d}.000Z", "type": "MODIFIED" if at else "ADDED", "object": {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": f"uid-{name}", "creationTimestamp": "2026-11-20T09:00:00Z"},
        "status": {"phase": "Running" if ready else "Pending", "conditions": [
            {"type": "Ready", "status": status, "lastTransitionTime": f"2026-11-20T09:00:{at:02d}Z"}]}}}


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Judges the recording of PODS with a truth, moments and what is known; the exit status."""
    monkeypatch.setattr(judge, "PROGRAM", os.environ["KUBECTL_STATUS"])
    monkeypatch.setattr(judge, "HERE", tmp_path)
    with gzip.open(tmp_path / "recording.jsonl.gz", "wt") as out:
        header = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "kinds": []}
        for line in [header, *(pod(*p) for p in PODS)]:
            out.write(json.dumps(line) + "\n")

    def run(truth, moments="", known=""):
        (tmp_path / "truth.tsv").write_text(truth)
        (tmp_path / "moments.tsv").write_text(moments)
        (tmp_path / "marks.tsv").write_text("# label\tseconds\nready\t10.0\n")
        (tmp_path / "known.tsv").write_text(known)
        return judge.report([judge.World("demo", tmp_path).judge()])
    return run


def test_what_agrees(world):
    assert world("Pod\tshop\tweb\tReady\tnone\tnone\t3\t\nPod\tshop\tc*\tProvisioning\tinfo\t-\t0\t\nPod\tshop\tgone\tgone\n",
                 "5\tPod\tshop\tweb\tProvisioning\tinfo\t\nready+2\tPod\tshop\tweb\tReady\tnone\t\n") == 0


@pytest.mark.parametrize("truth", [
    "Pod\tshop\tweb\tFailed\t-\t-\t-\t\n",
    "Pod\tshop\tweb\tReady\terror\t-\t-\t\n",
    "Pod\tshop\tweb\tReady\tnone\tPod/other\t-\t\n",
    "Pod\tshop\tweb\tReady\tnone\t-\t1\t\n",
    "Pod\tshop\tabsent\tReady\t-\t-\t-\t\n",
    "Pod\tshop\tcart\tgone\n"])
def test_what_disagrees(world, truth, capsys):
    assert world(truth) == 1
    assert "should be" in capsys.readouterr().out


def test_a_moment_disagrees(world):
    assert world("", "ready+2\tPod\tshop\tweb\tFailed\t-\t\n") == 1


def test_what_is_known_is_no_error_until_it_agrees(world, capsys):
    known = "demo\tPod\tshop\tweb\tphase\tis not Failed yet\n"
    assert world("Pod\tshop\tweb\tFailed\t-\t-\t-\t\n", known=known) == 0
    assert world("Pod\tshop\tweb\tReady\t-\t-\t-\t\n", known=known) == 1
    assert "agrees now" in capsys.readouterr().out
