# SPDX-License-Identifier: Apache-2.0
"""Causes that are not in the namespace that is looked at: found by name, within bounds, and quietly."""
import pytest

from client_world import certificates, client, run, serve  # noqa: F401 (fixtures)
from fakeapi import status

TYPES = (
    ("", "v1", "namespaces", "Namespace", False),
    ("", "v1", "pods", "Pod", True),
    ("apps", "v1", "deployments", "Deployment", True),
    ("apps", "v1", "replicasets", "ReplicaSet", True),
    ("openstack.k-orc.cloud", "v1alpha1", "networks", "Network", True),
    ("example.org", "v1", "widgets", "Widget", True),
)
HOME = "/apis/apps/v1/namespaces/orc-system/deployments"
OLD, NEW = "2026-01-01T00:00:00Z", "2026-11-20T08:50:00Z"


def condition(kind, value, reason, message=""):
    return {"type": kind, "status": value, "reason": reason, "message": message, "lastTransitionTime": NEW,
            "observedGeneration": 1}


@pytest.fixture
def fake(serve):
    return serve(types=TYPES)


def networks(fake, n):
    for i in range(n):
        fake.put("networks", "net-%d" % i, spec={"resource": {}}, status={"conditions": [
            condition("Available", "False", "Progressing", "Waiting for OpenStack resource to be ready"),
            condition("Progressing", "True", "Progressing", "Waiting for OpenStack resource to be ready")]})


def controller(fake, ready):
    fake.put("deployments", "orc-controller-manager", ns="orc-system", spec={"replicas": 1}, status={
        "replicas": 1, "updatedReplicas": 1, "readyReplicas": ready, "availableReplicas": ready,
        "conditions": [condition("Available", "True" if ready else "False", "MinimumReplicasAvailable"),
                       condition("Progressing", "True", "NewReplicaSetAvailable")]})


def test_dead_controller_elsewhere(fake, run):
    networks(fake, 20)
    controller(fake, 0)
    doc = run.json("networks", "--as-of", "2026-11-20T09:00:00Z")
    [cause] = doc["rootCauses"]
    assert (cause["cause"], cause["resource"]["kind"], cause["resource"]["namespace"]) == ("controller", "Deployment", "orc-system")
    assert cause["blocks"] == 20
    assert {i["kind"] for i in doc["items"]} == {"Network"}, "what was not asked for is no item"
    assert len(fake.seen(HOME)) == 1, "twenty objects, one question"


def test_the_pod_below_it(fake, run):
    networks(fake, 1)
    controller(fake, 0)
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "orc-controller-manager", "uid": "d", "controller": True}
    fake.put("replicasets", "orc-1", ns="orc-system", spec={"replicas": 1}, status={"replicas": 1, "observedGeneration": 1})
    fake.objects["replicasets", "orc-system", "orc-1"]["metadata"]["ownerReferences"] = [owner]
    fake.put("pods", "orc-1-x", ns="orc-system", spec={"nodeName": "n1", "containers": [{"name": "m", "image": "i"}]}, status={
        "phase": "Pending", "containerStatuses": [{"name": "m", "image": "i", "ready": False, "restartCount": 0,
                                                   "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no"}}}]})
    fake.objects["pods", "orc-system", "orc-1-x"]["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "orc-1", "uid": "r", "controller": True}]
    [cause] = run.json("networks", "--as-of", "2026-11-20T09:00:00Z")["rootCauses"]
    assert (cause["cause"], cause["resource"]["name"]) == ("failed", "orc-1-x")


def test_controller_that_runs(fake, run):
    networks(fake, 2)
    controller(fake, 1)
    doc = run.json("networks", "--as-of", "2026-11-20T09:00:00Z")
    assert doc["rootCauses"] == [] and {i["phase"] for i in doc["items"]} == {"Provisioning"}


@pytest.mark.parametrize("code,reason", [(403, "Forbidden"), (404, "NotFound")])
def test_forbidden_hop(fake, run, code, reason):
    """That a guess may not be read, or is wrong, is neither a cause nor news."""
    networks(fake, 2)
    fake.on(HOME, status(code, reason, "no"), times=0)
    doc = run.json("networks", "--as-of", "2026-11-20T09:00:00Z")
    assert doc["rootCauses"] == [] and doc["notices"] == []
    assert {i["phase"] for i in doc["items"]} == {"Provisioning"}


def test_what_is_well(fake, run):
    """What was named is told; of what was not, that it is well."""
    for name in "ab":
        fake.put("networks", name, spec={"resource": {}}, status={"conditions": [condition("Available", "True", "Success"), condition("Progressing", "False", "Success")]})
    text = run.text("networks", "a", "b", "-o", "why")
    assert "network/a · default   ✔ Ready" in text and "network/b · default   ✔ Ready" in text
    assert run.text("networks", "-o", "why") == "Nothing has failed, and nothing waits.\n"


def test_nothing_is_asked_for_what_is_well(fake, run):
    fake.put("networks", "net", spec={"resource": {}}, status={"conditions": [
        condition("Available", "True", "Success"), condition("Progressing", "False", "Success")]})
    run.json("networks")
    assert fake.seen(HOME) == []


def test_namespace_that_does_not_go(fake, run):
    """The kinds that its status names are listed, and what is held there is the cause."""
    fake.put("namespaces", "shop", spec={"finalizers": ["kubernetes"]}, status={"phase": "Terminating", "conditions": [
        condition("NamespaceContentRemaining", "True", "SomeResourcesRemain",
                  "Some resources are remaining: widgets.example.org has 1 resource instances")]})
    fake.objects["namespaces", "", "shop"]["metadata"]["deletionTimestamp"] = NEW
    fake.put("widgets", "w", ns="shop", status={"conditions": [condition("Ready", "True", "Ok")]})
    fake.objects["widgets", "shop", "w"]["metadata"].update(deletionTimestamp=NEW, finalizers=["example.org/cleanup"])
    doc = run.json("namespace/shop", "--as-of", "2026-11-20T09:40:00Z")
    [item] = doc["items"]
    assert [(w["state"], w["on"]["kind"], w["on"]["name"]) for w in item["waits"]] == [("deleting", "Widget", "w")]
    assert [(c["cause"], c["resource"]["name"]) for c in doc["rootCauses"]] == [("finalizer", "w")]
