# SPDX-License-Identifier: Apache-2.0
"""A capsule of a real cluster: written in the dashboard by somebody on call, and opened."""
import os
import re

from test_who_changed import FAILS, WORKS, write_status

NAMESPACE = "capsule"
WRITTEN = re.compile(r"(kubectl-status-\S+\.jsonl\.gz) written: (\d+) objects")


def test_handed_over(cp, crds, oncall, tmp_path, monkeypatch):
    """The failing pod with what it needs."""
    monkeypatch.chdir(tmp_path)
    cp.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    cp.post(f"/api/v1/namespaces/{NAMESPACE}/configmaps", {"metadata": {"name": "settings"}, "data": {"a": "b"}})
    for name in ("search", "works"):
        container = {"name": "search", "image": "search:8.1.0", "envFrom": [{"configMapRef": {"name": "settings"}}]}
        cp.post(f"/api/v1/namespaces/{NAMESPACE}/pods", {"metadata": {"name": name}, "spec": {"containers": [container]}})
        cp.patch(f"/api/v1/namespaces/{NAMESPACE}/pods/{name}/status", {"status": FAILS if name == "search" else WORKS})
    with oncall.screen("-n", NAMESPACE, rows=30, cols=140) as term:
        term.wait(lambda text: "live" in text and "pod/search" in text, seconds=60)
        term.keys("p")
        term.wait("CAUSE")
        term.keys("H")
        name, n = WRITTEN.search(term.wait(WRITTEN.search)).groups()
    assert os.stat(name).st_mode & 0o777 == 0o600
    document = oncall.json("--replay", name)
    assert [r["resource"]["name"] for r in document["rootCauses"]] == ["search"]
    assert [i["name"] for i in document["items"] if i["kind"] == "Pod"] == ["search"]
    with oncall.screen("--replay", name, rows=30, cols=140) as term:
        text = term.wait("CAUSE", seconds=30)
        assert "pod/search" in text and "ImagePullBackOff" in text
