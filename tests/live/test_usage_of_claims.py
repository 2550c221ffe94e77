# SPDX-License-Identifier: Apache-2.0
"""The column used: what kubelets tell of volumes through the proxy of the real API server, and what is said where they do not."""
import re

import pytest

from controlplane import wait_until
from kubelet import listening
from program import Run
from web_server import host_address

NODE, NAMESPACE = "storage-1", "volumes"
GI = 1 << 30
USED = ("persistentvolumeclaims", "-n", NAMESPACE, "--columns", "name,used", "-o", "table")
READS = [{"apiGroups": [""], "resources": ["persistentvolumeclaims", "persistentvolumes", "pods", "nodes"], "verbs": ["get", "list", "watch"]}]
SUMMARY = {"node": {"nodeName": NODE}, "pods": [{
    "podRef": {"name": "db", "namespace": NAMESPACE, "uid": "1"},
    "volume": [{"name": "data", "usedBytes": 9 * GI, "capacityBytes": 10 * GI, "availableBytes": GI,
                "pvcRef": {"name": "data", "namespace": NAMESPACE}}]}]}


@pytest.fixture(scope="module")
def kubelet(cp):
    """A pod with a claim on a node of its own, whose kubelet tells how full that is; yields the paths that it is asked."""
    address = host_address()
    if not address:
        pytest.skip("this machine has no address but loopback")
    cp.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    cp.post(f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims", {"metadata": {"name": "data"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": "pv-data", "resources": {"requests": {"storage": "10Gi"}}}})
    cp.post(f"/api/v1/namespaces/{NAMESPACE}/pods", {"metadata": {"name": "db"}, "spec": {
        "nodeName": NODE, "containers": [{"name": "db", "image": "db"}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}})
    with listening(cp, NODE, address, {"/stats/summary": SUMMARY}) as asked:
        yield asked
    cp.delete(f"/api/v1/nodes/{NODE}")


def seen_by(cp, tmp_path, user, rules):
    cp.grant(rules, user, user=user)
    run = Run(tmp_path, cp.kubeconfig(user))
    return lambda: run(*USED)


def used(done):
    found = re.search(r"/data +(.+)", done.stdout.decode())
    return found and found.group(1).strip()


def test_the_api_server_asks_the_kubelet(cp, kubelet, tmp_path):
    look = seen_by(cp, tmp_path, "storage", READS + [{"apiGroups": [""], "resources": ["nodes/proxy"], "verbs": ["get"]}])
    done = look()
    assert done.returncode == 0 and used(done) == "9.0Gi 90%" and done.stderr == b""
    assert set(kubelet) == {"/stats/summary"}


def test_without_the_right_it_is_said(cp, kubelet, tmp_path):
    before = len(kubelet)
    done = seen_by(cp, tmp_path, "no-storage", READS)()
    assert done.returncode == 0 and used(done) == "-"
    assert done.stderr.decode() == (f'notice: the column used has no values of node {NODE}: nodes "{NODE}" is forbidden: User "no-storage" cannot '
                                    'get resource "nodes/proxy" in API group "" at the cluster scope\n')
    assert len(kubelet) == before, "nobody asked the kubelet"


def test_a_kubelet_that_does_not_answer_is_said(cp, kubelet, tmp_path):
    """The last address of the node is one where nobody listens any more."""
    with listening(cp, "storage-2", host_address(), {}):
        pass
    gone = cp.get("/api/v1/nodes/storage-2")["status"]["daemonEndpoints"]
    there = cp.get(f"/api/v1/nodes/{NODE}")["status"]["daemonEndpoints"]
    cp.patch(f"/api/v1/nodes/{NODE}/status", {"status": {"daemonEndpoints": gone}})
    look = seen_by(cp, tmp_path, "storage", READS)
    try:
        done = wait_until("the API server asks the other port", lambda: (one := look()) and used(one) == "-" and one, 60)
    finally:
        cp.patch(f"/api/v1/nodes/{NODE}/status", {"status": {"daemonEndpoints": there}})
        cp.delete("/api/v1/nodes/storage-2")
    assert done.returncode == 0
    assert re.fullmatch(rf"notice: the column used has no values of node {NODE}: nodes/proxy: .*dial tcp .*:\d+: connect: connection refused\n",
                        done.stderr.decode())
