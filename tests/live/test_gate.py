# SPDX-License-Identifier: Apache-2.0
"""The gates of docs/recipes.md on the real API server, by people with rights of their own and with mistakes."""
import json
import pathlib
import re
import shlex
import time
import uuid

import pytest

from program import Run

TOP = pathlib.Path(__file__).resolve().parents[2]
GATES = [shlex.split(line, comments=True)[2:]
         for line in re.findall(r"^kubectl status .*$", (TOP / "docs/recipes.md").read_text().partition("## Gates in CI")[2].partition("## ")[0], re.M)]


@pytest.fixture(scope="module")
def shop(cp):
    """A namespace in which a Deployment has what it wants, which is nothing."""
    name = "shop-" + uuid.uuid4().hex[:6]
    cp.kubectl("create", "namespace", name)
    cp.kubectl("create", "deployment", "web", "-n", name, "--image=web", "--replicas=0")
    cp.kubectl("patch", "deployment", "web", "-n", name, "--subresource=status", "--type=merge", "-p",
               '{"status": {"observedGeneration": 1, "conditions": [{"type": "Available", "status": "True"}]}}')
    return name


def gates(namespace):
    for words in GATES:
        words = [namespace if words[i - 1] == "-n" else w for i, w in enumerate(words)]
        yield words if "-n" in words else [*words, "-n", namespace]


@pytest.fixture
def nobody(cp, tmp_path):
    """Somebody who may log in, and nothing else."""
    return Run(tmp_path, cp.kubeconfig("nobody"))


def test_the_gates_for_a_user_without_rights(nobody, shop):
    for gate in gates(shop):
        done = nobody(*gate)
        text = done.stderr.decode()
        assert done.returncode == 1 and "(Forbidden)" in text and 'User "nobody" cannot' in text, text
        assert text.count("\n") == 1 and not done.stdout


@pytest.mark.parametrize("args", [[], ["--problems"], ["-o", "json"]])
def test_nothing_may_be_read(nobody, shop, args):
    done = nobody(*args, "-n", shop)
    assert done.returncode == 1 and b"nothing may be read in namespace " + shop.encode() in done.stderr
    assert b"othing has failed" not in done.stdout
    if "json" in args:
        doc = json.loads(done.stdout)
        assert doc["items"] == [] and {n["kind"] for n in doc["notices"]} == {"forbidden"}


def test_a_namespace_that_may_not_be_read_may_exist_or_not(nobody):
    """Nothing is said of it: the answer is the same."""
    done = nobody("--exit-code", "-n", "mistyped")
    assert done.returncode == 1 and b"not found" not in done.stderr and b"nothing may be read in namespace mistyped" in done.stderr


def test_the_gates_in_a_mistyped_namespace(oncall):
    for gate in gates("mistyped"):
        done = oncall(*gate)
        text = done.stderr.decode()
        assert done.returncode == 1 and text.count("\n") == 1 and not done.stdout, text
        assert ('namespaces "mistyped" not found' if gate[0] == "-n" else '(there is no namespace "mistyped")') in text


def test_the_gate_of_a_namespace_that_is_well(oncall, shop):
    assert oncall("deploy/web", "-n", shop, "--for", "Ready", "--timeout", "60s").returncode == 0
    done = oncall("-n", shop, "--exit-code", "-o", "name")
    assert done.returncode == 0 and b"deployment.apps/web" in done.stdout.splitlines()


def test_the_gate_of_an_empty_namespace(cp, oncall):
    name = "empty-" + uuid.uuid4().hex[:6]
    cp.kubectl("create", "namespace", name)
    done = oncall("-n", name, "--exit-code")
    assert (done.returncode, done.stderr.decode()) == (0, "No resources found in %s namespace.\n" % name)


def test_part_of_a_selection_may_be_read(cp, shop, tmp_path):
    """Named, it is an error, as for kubectl get; not named, the text says how much of it is unknown."""
    cp.grant_limited("deployer", shop, groups=("apps",))
    run = Run(tmp_path, cp.kubeconfig("deployer"))
    done = run("deployments,pods", "-n", shop, "--exit-code")
    assert done.returncode == 1 and b"deployment/web" in done.stdout
    assert done.stderr.startswith(b'Error from server (Forbidden): pods is forbidden: User "deployer" cannot list resource "pods"')
    done = run("-n", shop, "--exit-code")
    said = re.search(r"nothing that may be read has failed; (\d+) kinds may not be read", done.stderr.decode())
    assert done.returncode == 0 and said and int(said.group(1)) > 2
    assert "; %s kinds may not be read." % said.group(1) in run.text("-n", shop, "--problems")


def test_a_namespace_is_asked_for_only_where_nothing_was_found(cp, oncall, shop):
    """The audit log counts one request more."""
    def asked():
        return [e for e in cp.audit("oncall", since) if e.get("objectRef", {}).get("resource") == "namespaces"]
    since = time.time()
    oncall("deployments", "-n", shop, "--exit-code")
    assert not asked()
    since = time.time()
    oncall("deployments", "-n", "mistyped", "--exit-code")
    assert [e["verb"] for e in asked()] == ["list"]
