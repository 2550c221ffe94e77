# SPDX-License-Identifier: Apache-2.0
"""Events as evidence: they are asked for where a status has only a general reason; and what is left over counts as nothing."""
import json
import time

from client_world import certificates, client, run, serve  # noqa: F401 (fixtures)
from fakeapi import TYPES

import pytest

EVENTS = "/api/v1/namespaces/default/events"


def at(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


@pytest.fixture
def fake(serve):  # noqa: F811
    return serve(types=TYPES + (("", "v1", "events", "Event", True),))


def crashing():
    last = {"exitCode": 137, "reason": "Error", "startedAt": at(200), "finishedAt": at(100)}
    return {"spec": {"nodeName": "n", "containers": [{"name": "app", "image": "registry.test/app:1"}]},
            "status": {"phase": "Running", "startTime": at(3600),
                       "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": at(100)}],
                       "containerStatuses": [{"name": "app", "ready": False, "restartCount": 9, "lastState": {"terminated": last},
                                              "state": {"waiting": {"reason": "CrashLoopBackOff",
                                                                    "message": "back-off 5m0s restarting failed container"}}}]}}


def test_a_probe_is_asked_about(fake, run):  # noqa: F811
    fake.put("pods", "web", created=at(3600), **crashing())
    fake.put("events", "web.1", created=at(120), involvedObject={"apiVersion": "v1", "kind": "Pod", "name": "web", "namespace": "default"},
             type="Warning", reason="Unhealthy", message="Liveness probe failed: HTTP probe failed with statuscode: 500", count=12,
             firstTimestamp=at(3000), lastTimestamp=at(110))
    done = run("pod/web", "-o", "json")
    item = json.loads(done.stdout)["items"][0]
    assert (item["phase"], item["reason"]) == ("Failed", "Unhealthy"), item
    assert item["message"] == "Liveness probe failed: HTTP probe failed with statuscode: 500"
    assert {"Event Unhealthy"} <= {b.get("from") for b in item["because"]}, item["because"]
    assert item["recovery"] == "retried"
    assert len([r for r in fake.seen() if r.path.startswith(EVENTS)]) <= 2, "one list, and not one for each pod"


def test_a_healthy_pod_asks_for_no_events(fake, run):  # noqa: F811
    fake.put("pods", "web", created=at(3600), spec={"nodeName": "n", "containers": [{"name": "app", "image": "registry.test/app:1"}]},
             status={"phase": "Running", "startTime": at(3600), "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": at(3000)}],
                     "containerStatuses": [{"name": "app", "ready": True, "restartCount": 3, "state": {"running": {"startedAt": at(3000)}},
                                            "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": at(3010)}}}]})
    assert json.loads(run("pod/web", "-o", "json").stdout)["items"][0]["phase"] == "Ready"
    assert not [r for r in fake.seen() if r.path.startswith(EVENTS)]


def test_leftovers_count_as_nothing(run, tmp_path):  # noqa: F811
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "sum", "uid": "j", "controller": True}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum", "namespace": "shop", "uid": "j"},
           "status": {"startTime": "2026-11-20T08:00:00Z", "failed": 1, "succeeded": 1,
                      "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": "2026-11-20T08:30:00Z"}]}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "sum-a", "namespace": "shop", "uid": "p", "ownerReferences": [owner]},
           "spec": {"nodeName": "n", "restartPolicy": "Never", "containers": [{"name": "app", "image": "x"}]},
           "status": {"phase": "Failed", "containerStatuses": [{"name": "app", "ready": False, "restartCount": 0,
                                                                "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}}
    path = tmp_path / "world.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [job, pod]}))
    args = ("-f", path, "--as-of", "2026-11-20T09:00:00Z")
    assert run(*args, "--exit-code").returncode == 0
    assert run(*args, "--problems").stdout.rstrip().endswith(b"Left over, nothing uses it any more: pod/sum-a")
    with run.screen(*args, rows=24, cols=100) as screen:
        screen.wait("1 ready")
        assert "failed" not in screen.text().splitlines()[0]
        screen.keys("p")
        screen.wait("Left over, nothing uses it any more: pod/sum-a")
