# SPDX-License-Identifier: Apache-2.0
"""deploy/clusterrole.yaml on the real API server: enough to read with, and for nothing else."""
import pathlib
import subprocess

import pytest

from program import Run

ROLE = pathlib.Path(__file__).resolve().parents[2] / "deploy/clusterrole.yaml"


@pytest.fixture(scope="module")
def reader(cp, tmp_path_factory):
    cp.kubectl("apply", "-f", str(ROLE))
    for role in ("kubectl-status", "kubectl-status-operators"):
        cp.kubectl("create", "clusterrolebinding", role + "-reader", "--clusterrole=" + role, "--user=reader")
    cp.kubectl("create", "namespace", "role")
    cp.kubectl("create", "deployment", "web", "-n", "role", "--image=web")
    return Run(tmp_path_factory.mktemp("role"), cp.kubeconfig("reader"))


def test_kubernetes_own_kinds_are_all_read(cp, crds, reader):
    doc = reader.json("-A")
    assert ("Deployment", "web") in [(i["kind"], i["name"]) for i in doc["items"]]
    refused = {n["resource"] for n in doc.get("notices", ()) if n["kind"] == "forbidden"}
    own = cp.kubectl("api-resources", "--namespaced", "-o", "name").split()
    own = {name for name in own if "." not in name or name.endswith((".apps", ".batch", ".k8s.io", ".policy", ".autoscaling"))}
    assert refused & own <= {"secrets"}, refused & own  # it is no role for those


def test_operators_that_it_names_are_read(crds, reader):
    done = reader("subnets.openstack.k-orc.cloud,subscriptions.operators.coreos.com", "-A")
    refused = [line for line in done.stderr.decode().splitlines() if "forbidden" in line.lower()]
    assert done.returncode == 0 and all("secrets" in line for line in refused), refused  # it is no role for those


@pytest.mark.parametrize("verb, what", [("create", "pods"), ("delete", "deployments.apps"), ("patch", "nodes"), ("get", "secrets"),
                                        ("list", "secrets"), ("create", "pods/exec")])
def test_it_is_good_for_nothing_else(cp, reader, verb, what):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        cp.kubectl("auth", "can-i", verb, what, "-A", "--as=reader")
    assert refused.value.stdout.strip() == "no"
