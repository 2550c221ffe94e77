# SPDX-License-Identifier: Apache-2.0
"""The screen while nothing is in trouble: since when, what was changed last, and by whom."""
import re
from datetime import datetime, timedelta, timezone

import pytest
import yaml

from client_world import certificates, client, fake, run, serve  # noqa: F811, F401 (fixtures)
from fakeapi import TYPES, status

WIDGET = "/apis/example.org/v1/namespaces/default/widgets/a"


def ago(**parts):
    return (datetime.now(timezone.utc) - timedelta(**parts)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(word, since, **more):
    return {"status": {"conditions": [{"type": "Ready", "status": word, "lastTransitionTime": since, **more}]}}


def edit(server, name, generation, manager):
    """As kubectl apply of another spec, and the server's note of who did it."""
    with server.changed:
        body = server.objects["widgets", "default", name]
        server.version += 1
        body["metadata"].update(generation=generation, resourceVersion=str(server.version), managedFields=[
            {"manager": manager, "operation": "Update", "apiVersion": "example.org/v1", "time": ago(seconds=0), "fieldsType": "FieldsV1",
             "fieldsV1": {"f:spec": {"f:size": {}}}}])
        body["spec"] = {"size": generation}
        server._event("widgets", "MODIFIED", body)


@pytest.fixture
def all_well(fake):  # noqa: F811
    for name, since in ("a", ago(hours=3, minutes=10, seconds=5)), ("b", ago(days=2)):
        fake.put("widgets", name, **condition("True", since))["metadata"]["generation"] = 1
    return fake


def test_objects_prove_since_when(all_well, run):  # noqa: F811
    """The session has watched for a moment only; what became Ready last was Ready since."""
    with run.screen("widgets") as term:
        text = term.wait("all is well")
        assert re.search(r"all is well since 3h 10m in this selection of widgets · last: widget/a became Ready \d\d:\d\d", text)
        assert "widget/b" in text, "the rows stay"
        term.keys("p")
        term.wait(lambda text: "CAUSE" in text and "all is well since 3h 10m" in text)


def test_trouble_ends_it_and_its_end_begins_it_anew(all_well, run):  # noqa: F811
    with run.screen("widgets") as term:
        term.wait("all is well since 3h 10m")
        all_well.put("widgets", "b", **condition("False", ago(seconds=0), reason="Broken", message="disk is full"))
        term.wait(lambda text: "disk is full" in text and "all is well" not in text)
        all_well.delete("widgets", "b")
        text = term.wait("all is well")
        assert re.search(r"all is well since \d+s ", text), "its deletion is the end of the trouble"


def test_who_changed_last(all_well, run):  # noqa: F811
    """The managedFields are asked for once, of that object alone."""
    with run.screen("widgets", cols=140) as term:
        term.wait("all is well since 3h 10m")
        assert not all_well.seen(WIDGET)
        edit(all_well, "a", 2, "argocd-controller")
        term.wait(lambda text: re.search(r"all is well since 3h 10m in this selection of widgets · last: widget/a updated \d\d:\d\d by argocd-controller", text))
        assert len(all_well.seen(WIDGET)) == 1, all_well.seen(WIDGET)
        edit(all_well, "a", 3, "kubectl-edit")
        term.wait(lambda text: re.search(r"last: widget/a updated \d\d:\d\d by kubectl-edit", text))
        assert len(all_well.seen(WIDGET)) == 2


def test_it_is_not_said_of_what_is_not_known(serve, client):  # noqa: F811
    server = serve(types=TYPES)
    server.put("widgets", "a", **condition("True", ago(hours=1)))
    server.on("/apis/example.org/v1/namespaces/default/gadgets", status(403, "Forbidden", "gadgets.example.org is forbidden"), times=0)
    with client(server).screen() as term:
        text = term.wait("all that may be read is well since 1h 0m")
        assert "all is well" not in text and "nothing that may be read has failed" in text
        server.stop()
        term.wait(lambda text: "may be read is well" not in text)


def test_files_tell_who_changed_last(run, tmp_path):  # noqa: F811
    world = tmp_path / "world.yaml"
    deployment = {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "u", "generation": 2, "creationTimestamp": "2026-11-20T05:00:00Z", "managedFields": [
            {"manager": "argocd-controller", "operation": "Apply", "apiVersion": "apps/v1", "time": "2026-11-20T08:02:00Z",
             "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}}}}]},
        "spec": {"replicas": 1}, "status": {"observedGeneration": 2, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
                                            "conditions": [{"type": "Available", "status": "True", "lastTransitionTime": "2026-11-20T05:50:00Z"}]}}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "shop", "uid": "q"},
             "spec": {"hard": {"pods": "20"}}, "status": {"hard": {"pods": "20"}, "used": {"pods": "19"}}}
    world.write_text(yaml.safe_dump_all([deployment, quota]))
    with run.screen("-f", world, "--as-of", "2026-11-20T09:00:00Z") as term:
        term.wait("all is well since 3h 10m · last: deployment/web updated 08:02 by argocd-controller")
        text = term.wait("pods 19 of 20 used")
        assert text.index("all is well") < text.index("Runs out soon") < text.index("✔ Ready")
        term.keys("\r")  # the first row is the quota's
        term.wait(lambda text: "[Overview]" in text and "quota/team" in text)
        term.keys("\x1b")
        term.wait("Runs out soon")
    done = run("-f", world, "--as-of", "2026-11-20T09:00:00Z", "--problems", "--exit-code")
    assert done.returncode == 0
    assert done.stdout.decode() == "Nothing has failed, and nothing waits.\n\nRuns out soon:\nresourcequota/team in shop  pods 19 of 20 used\n"
