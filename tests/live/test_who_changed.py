# SPDX-License-Identifier: Apache-2.0
"""Who changed what before a failure, as a real API server notes it for clients with field managers of their own."""
import gzip
import json
import re
import time

import pytest

from controlplane import wait_until
from watcher import Watcher

PODS = "/api/v1/namespaces/changed/pods"
PATH = "spec.containers[name=search].image"
WORKS = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}],
         "containerStatuses": [{"name": "search", "ready": True, "restartCount": 0, "image": "search:8.0.3", "imageID": "",
                                "state": {"running": {}}}]}
FAILS = {"phase": "Pending", "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
         "containerStatuses": [{"name": "search", "ready": False, "restartCount": 0, "image": "search:8.1.0", "imageID": "",
                                "state": {"running": None, "waiting": {"reason": "ImagePullBackOff",
                                                                       "message": 'Back-off pulling image "search:8.1.0"'}}}]}


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def write_status(cp, name, status):
    """As a kubelet does: by the subresource."""
    status = json.loads(json.dumps(status))
    status["conditions"][0]["lastTransitionTime"] = now()
    cp.patch(f"{PODS}/{name}/status", {"status": status})


def apply(cp, name, image, manager, annotations=None):
    """kubectl's server-side apply; it takes over the fields of others."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "changed", "annotations": annotations or {}},
           "spec": {"containers": [{"name": "search", "image": image}]}}
    cp.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager", manager, "-f", "-", input=json.dumps(pod))


@pytest.fixture(scope="module")
def broken(cp, crds, tmp_path_factory):
    """Two pods that fail two seconds after somebody has changed their image, and the recording of it."""
    from program import Run
    cp.grant_oncall()
    cp.post("/api/v1/namespaces", {"metadata": {"name": "changed"}})
    for name in ("by-argo", "by-hand"):
        apply(cp, name, "search:8.0.3", "installer")
        write_status(cp, name, WORKS)
    run = Run(tmp_path_factory.mktemp("changed"), cp.kubeconfig("recorder", groups=("oncall",), namespace="changed"))
    recording = run.home / "r.jsonl"
    with Watcher(run, "pods", "--record", recording) as program:
        wait_until("both work", lambda: [program.phase("Pod", n) for n in ("by-argo", "by-hand")] == ["Ready"] * 2, 20)
        time.sleep(2)           # managedFields have whole seconds
        apply(cp, "by-argo", "search:8.1.0", "argocd-controller",
              {"argocd.argoproj.io/tracking-id": "shop:/Pod:changed/by-argo"})
        cp.kubectl("set", "image", "pod/by-hand", "search=search:8.1.0", "-n", "changed")
        time.sleep(2)
        for name in ("by-argo", "by-hand"):
            write_status(cp, name, FAILS)
        wait_until("both fail", lambda: [program.phase("Pod", n) for n in ("by-argo", "by-hand")] == ["Failed"] * 2, 20)
        time.sleep(1.5)         # until it is in the file
    return recording


def first_change(document, name):
    """(by, tool, source, {path: (from, to)}) of what was changed first in the list of that cause."""
    cause = next(c for c in document["rootCauses"] if c["resource"]["name"] == name)
    change = cause["changed"][0]
    assert change["resource"]["name"] == name and change["time"] < cause["since"]
    return (change.get("by"), change.get("tool"), change.get("source"),
            {f["path"]: (f.get("from"), f.get("to")) for f in change["fields"]})


def test_once(cp, broken, oncall):
    document = oncall.json("pods", "-n", "changed")
    by, tool, source, fields = first_change(document, "by-argo")
    assert (by, tool, source) == ("argocd-controller", "Argo CD", "application/shop") and fields[PATH] == (None, None)
    assert first_change(document, "by-hand") == ("kubectl-set", "kubectl", None, {PATH: (None, None)})
    text = oncall.text("pods", "-n", "changed", "-o", "why")
    assert "s before  pod/by-hand  image  by kubectl-set" in text and "by argocd-controller (application/shop)" in text


def test_what_it_asks_for(cp, broken, oncall):
    """Twenty requests at most, of metadata alone; nothing for a table."""
    oncall.text("pods", "-n", "changed")
    since = time.time()
    oncall.text("pods", "-n", "changed")
    plain = len(cp.audit("oncall", since))
    since = time.time()
    oncall.json("pods", "-n", "changed")
    wait_until("the audit log", lambda: len(cp.audit("oncall", since)) > plain, 5)
    asked = [r["requestURI"] for r in cp.audit("oncall", since)]
    assert len(asked) <= plain + 20 and len(set(asked)) == len(asked), asked


def test_a_dump(cp, broken, oncall, tmp_path):
    dump = tmp_path / "dump.yaml"
    dump.write_text(cp.kubectl("get", "pods", "-n", "changed", "-o", "yaml", "--show-managed-fields"))
    document = oncall.json("-f", dump)
    assert first_change(document, "by-argo")[:3] == ("argocd-controller", "Argo CD", "application/shop")
    assert first_change(document, "by-hand")[0] == "kubectl-set"


def test_the_recording(broken, oncall):
    """It has no managedFields, but both versions."""
    document = oncall.json("--replay", broken)
    for name in ("by-argo", "by-hand"):
        by, _, _, fields = first_change(document, name)
        assert by is None and fields[PATH] == ("search:8.0.3", "search:8.1.0")
    assert "s before  pod/by-hand  image search:8.0.3 → search:8.1.0\n" in oncall.text("--replay", broken, "-o", "why")


def test_the_dashboard(cp, broken, oncall):
    with oncall.screen("pods", "-n", "changed", cols=140) as term:
        term.wait("pod")
        term.wait("live")
        term.keys("p")
        term.wait("root cause")
        term.keys(" ")
        term.wait("by argocd-controller (application/shop)")


def test_a_capsule(broken, oncall, tmp_path, monkeypatch):
    """It tells by whom when it is replayed."""
    monkeypatch.chdir(tmp_path)
    with oncall.screen("pods", "-n", "changed", cols=140) as term:
        term.wait(lambda text: "live" in text and "pod/by-hand" in text, seconds=60)
        term.keys("H")
        name = re.search(r"(kubectl-status-\S+\.jsonl\.gz) written", term.wait("written")).group(1)
    assert b"managedFields" not in gzip.open(name).read()
    document = oncall.json("--replay", name)
    by, tool, source, fields = first_change(document, "by-argo")
    assert (by, tool, source) == ("argocd-controller", "Argo CD", "application/shop") and PATH in fields
    assert first_change(document, "by-hand") == ("kubectl-set", "kubectl", None, {PATH: (None, None)})
