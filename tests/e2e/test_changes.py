# SPDX-License-Identifier: Apache-2.0
"""What changed between two moments of a recording: --diff."""
import json
import re
import time

import pytest
import yaml

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY
from fakeapi import TYPES

HEADER = '{"kind":"Recording","apiVersion":"kubectl-status/v1","startedAt":"2026-11-20T09:00:00Z"}\n'
HOSTILE = "x\u001b]52;c;aGk=\u0007\u202e\ny"


def at(seconds):
    return "2026-11-20T09:%02d:%02d.000Z" % divmod(seconds, 60)


def record(t, obj, event="ADDED"):
    return json.dumps({"t": at(t), "type": event, "object": obj}) + "\n"


def deployment(image="cart:41", ready=1, **more):
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "cart", "namespace": "shop", "uid": "1", "generation": 1, "resourceVersion": image + str(ready),
                         "creationTimestamp": "2026-11-19T09:00:00Z", **more},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "cart"}},
                     "template": {"metadata": {"labels": {"app": "cart"}}, "spec": {"containers": [{"name": "cart", "image": image}]}}},
            "status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": ready, "availableReplicas": ready,
                       "conditions": [{"type": "Available", "status": "True" if ready else "False", "reason": "R" if ready else "MinimumReplicasUnavailable",
                                       "lastTransitionTime": at(ready)}]}}


def config(value, name="settings", created="2026-11-19T09:00:00Z"):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop", "creationTimestamp": created}, "data": {"k": value}}


def secret(value):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop", "creationTimestamp": "2026-11-19T09:00:00Z"},
            "data": {"k": value}, "type": value}


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "rec.jsonl"
    path.write_text(HEADER + record(0, deployment()) + record(1, config("a")) + record(1, config("gone", "old")) + record(1, secret("c4nary")) +
                    record(60, deployment("cart:42", 0), "MODIFIED") + record(70, config("b"), "MODIFIED") +
                    record(80, config("gone", "old"), "DELETED") + record(90, config(HOSTILE, "fresh", at(90))) +
                    record(95, secret("c4nary2"), "MODIFIED") + record(120, deployment("cart:42", 1), "MODIFIED") +
                    record(130, deployment("cart:42", 1, resourceVersion="again"), "MODIFIED"))
    return path


def changes(run, path, *args):
    return json.loads(run.text("--replay", path, "-o", "json", "--diff", *args))


def diff(run, path, *args):
    return {o["name"]: o for o in changes(run, path, *args)}


def test_what_changed_is_new_gone_and_healed(run, recording):
    first = diff(run, recording, "%s,%s" % (at(2), at(100)))
    assert sorted(first) == ["cart", "fresh", "old", "s", "settings"]
    cart = first["cart"]
    assert (cart["kind"], cart["namespace"], cart["cluster"], cart["change"], cart["from"]) == ("Deployment", "shop", "", "changed", "Ready")
    assert cart["to"] not in ("Ready", "Unknown") and cart["time"] == at(60).replace(".000", "")
    assert {"path": "spec.template.spec.containers[0].image", "from": "cart:41", "to": "cart:42"} == cart["fields"][0]
    assert {"path": "status.conditions[type=Available].status", "from": "True", "to": "False"} in cart["fields"]
    assert not [f for f in cart["fields"] if "resourceVersion" in f["path"] or "lastTransition" in f["path"]]
    assert (cart["group"], first["settings"]["group"]) == ("apps", ""), "as in the references of -o json"
    assert first["settings"]["fields"] == [{"path": "data.k", "from": "a", "to": "b"}]
    assert (first["old"]["change"], first["old"].get("to")) == ("gone", None)
    assert (first["fresh"]["change"], first["fresh"].get("from")) == ("new", None)
    second = diff(run, recording, "%s,%s" % (at(100), at(121)))
    assert list(second) == ["cart"] and (second["cart"]["change"], second["cart"]["to"]) == ("healed", "Ready")
    assert diff(run, recording, "5s,0s") == {}          # another resourceVersion is no change


def test_a_line_for_each_object(run, recording):
    lines = run.text("--replay", recording, "--diff", "%s,0s" % at(2), "--no-headers").splitlines()
    assert len(lines) == 5
    assert any("deployment/cart" in line and "spec.template.spec.containers[0].image  cart:41 → cart:42" in line for line in lines)
    assert yaml.safe_load(run.text("--replay", recording, "--diff", "%s,0s" % at(2), "-o", "yaml")) == changes(run, recording, "%s,0s" % at(2))


@pytest.mark.parametrize("fmt", ["table", "json", "yaml"])
def test_nothing_hostile_and_no_secret(run, recording, fmt):
    done = run("--replay", recording, "--diff", "%s,0s" % at(2), "-o", fmt)
    assert done.returncode == 0 and b"\x1b" not in done.stdout and b"\x07" not in done.stdout
    assert "\u202e" not in done.stdout.decode() and b'"data"' not in done.stdout and b"data.k  c4" not in done.stdout
    assert not [line for line in done.stdout.decode().splitlines() if line.startswith("y")]


def test_types_and_namespaces(run, recording):
    span = "%s,0s" % at(2)
    assert sorted(o["name"] for o in changes(run, recording, span, "configmaps")) == ["fresh", "old", "settings"]
    assert [o["name"] for o in changes(run, recording, span, "deploy/cart")] == ["cart"]
    assert changes(run, recording, span, "-n", "elsewhere") == []


@pytest.mark.parametrize("args,words", [
    (["1m"], "two moments"), (["x,1m"], 'value "x"'), (["0s,1m"], "after the second"),
    (["2020-01-01T00:00:00Z,2020-01-02T00:00:00Z"], "that time is not in the recording"), (["2m,1m", "-o", "wide"], "not wide"), (["2m,1m", "-w"], "--watch")])
def test_bad_input_gets_one_line(run, recording, args, words):
    done = run("--replay", recording, "--diff", *args)
    assert done.returncode in (1, 2) and done.stderr.count(b"\n") <= 2 and words in done.stderr.decode()
    assert run("--diff", "2m,1m").returncode == 2


# ---- the dashboard ---------------------------------------------------------------------


def test_changes_of_a_recording_on_the_screen(run, recording):
    with run.screen("--replay", recording, "--speed", "1000", cols=140) as term:
        term.wait("ended")
        term.keys("C")
        term.wait("in the last 5 min · 3 objects changed, 1 new, 1 gone")
        term.wait("data.k  a → b")
        term.keys("G")
        term.keys("\r")
        term.wait("spec.template.spec.containers[0].image  cart:41 → cart:42")
        assert "c4nary" in term.text()          # Secret.type, which is no secret
        term.keys("C")
        term.wait("SINCE")


def test_changes_say_from_when_on_they_are_known(fake, run):
    """A session that has just begun does not say that nothing changed in an hour."""
    fake.put("widgets", "a", **READY)
    with run.screen("widgets", cols=140) as term:
        term.wait("live ●")
        term.keys("C3")
        text = term.wait("in the last 60 min")
        since = re.search(r"· 0 objects changed · known from (\d\d:\d\d:\d\d) on", text)
        assert since and "Nothing changed since %s" % since.group(1) in text


def test_windows(run, recording):
    with run.screen("--replay", recording, "--speed", "1000", cols=140) as term:
        term.wait("ended")
        term.keys("C2")
        term.wait("in the last 15 min")
        term.keys("3")
        term.wait("in the last 60 min")
        term.keys("1")
        term.wait("in the last 5 min")


def test_changes_live(fake, run):
    """What a watch tells: also of an object whose verdict stays as it is."""
    fake.put("widgets", "a", spec={"size": 1}, **READY)
    with run.screen("widgets", cols=140) as term:
        term.wait("widget/a")
        term.wait("live")
        term.keys("C")
        term.wait("0 objects changed")
        fake.put("widgets", "a", spec={"size": 2}, **READY)
        term.wait("spec.size  1 → 2")
        fake.put("widgets", "b", created=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), spec={"size": 1}, **READY)
        term.wait("new, Ready")
        fake.delete("widgets", "b")
        fake.delete("widgets", "a")
        term.wait("Ready → gone")
        term.wait("1 gone")
        assert "widget/b" not in term.text()          # it came and went


def test_files_do_not_change(run, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(deployment()))
    with run.screen("-f", tmp_path / "a.json") as term:
        term.wait("deployment/cart")
        term.keys("C")
        term.wait("files do not change")


def test_who_changed_it(fake, run):
    """managedFields are read when a row is unfolded; recordings have none."""
    fake.put("widgets", "a", spec={"size": 1}, **READY)
    with run.screen("widgets", cols=140) as term:
        term.wait("widget/a")
        term.wait("live")
        term.keys("C")
        term.wait("0 objects changed")
        body = fake.put("widgets", "a", spec={"size": 2}, **READY)
        body["metadata"]["managedFields"] = [
            {"manager": "kubectl-edit", "operation": "Update", "time": "2026-11-20T08:00:00Z", "fieldsV1": {"f:spec": {"f:size": {}}}},
            {"manager": "argocd", "operation": "Apply", "time": "2026-11-20T09:02:41Z", "fieldsV1": {"f:spec": {"f:size": {}}}},
            {"manager": "late", "operation": "Update", "time": "2026-11-20T10:00:00Z", "fieldsV1": {"f:status": {"f:size": {}}}}]
        term.wait("spec.size  1 → 2")
        term.keys("\r")
        term.wait("(argocd 2026-11-20 09:02:41)")


# ---- the timeline ------------------------------------------------------------------------


@pytest.mark.parametrize("fmt", ["table", "json"])
def test_the_timeline_of_a_part(run, recording, fmt):
    """Each change of a verdict, one by one: not only what differs at the end."""
    text = run.text("--replay", recording, "--from", at(2), "--to", at(125), "-o", fmt)
    assert "\x1b" not in text and "\u202e" not in text
    if fmt == "json":
        steps = [(o["name"], o["change"], o.get("from"), o.get("to")) for o in json.loads(text)]
        assert [s for s in steps if s[0] == "cart"][0][1:3] == ("changed", "Ready") and steps[-1] == ("cart", "healed", steps[-1][2], "Ready")
        assert ("old", "gone", "Ready", None) in steps and ("fresh", "new", None, "Ready") in steps
    else:
        assert text.index("new, Ready") < text.index("healed, was")


def test_what_a_timeline_does_not_go_with(run, recording):
    assert b"not wide" in run("--replay", recording, "--from", "1m", "-o", "wide").stderr
    for more in (["-w"], ["--problems"], ["--timeout", "5s"], ["--contexts", "a", "--all-contexts"]):
        done = run("--replay", recording, "--from", "1m", *more)
        assert done.returncode == 2 and done.stdout == b"" and done.stderr.count(b"\n") == 1, more


@pytest.mark.parametrize("part", [["--diff", at(2) + "," + at(100)], ["--from", at(2), "--to", at(100)]])
def test_names_and_health_of_a_part(run, recording, part):
    """As of what is printed at one moment: a name that nobody met is an error, and --exit-code tells how the part ends."""
    done = run("--replay", recording, *part, "deploy/nope")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b'error: deployments.apps "nope" not found\n')
    assert run("--replay", recording, *part, "deploy/nope", "--ignore-not-found").returncode == 0
    assert run("--replay", recording, *part, "configmap/old").returncode == 0, "it went in this part"
    done = run("--replay", recording, *part, "deploy/cart", "deploy/nope")
    assert done.returncode == 1 and b"deployment/cart" in done.stdout
    assert run("--replay", recording, *part, "deploy/cart", "--exit-code").returncode == 4
    assert run("--replay", recording, *part, "deploy/cart").returncode == 0


def test_a_part_without_a_change_says_so(run, recording):
    done = run("--replay", recording, "--from", at(126))
    assert (done.returncode, done.stdout) == (0, b"") and done.stderr == b"No phase, severity or cause changed between these moments.\n"
    assert run("--replay", recording, "--from", at(126), "--exit-code").returncode == 0, "it is Ready again"


def test_what_only_loads_is_no_change(serve, client, tmp_path):
    """A verdict that waits for a second list is not the one of before; the recording says from when on all was read."""
    fake = serve(types=TYPES + (("", "v1", "services", "Service", True),
                                ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True)))
    fake.put("services", "web", spec={"clusterIP": "10.0.0.1", "selector": {"app": "web"}}, status={"loadBalancer": {}})
    fake.put("endpointslices", "web-x", endpoints=[{"addresses": ["10.1.0.1"], "conditions": {"ready": False}}],
             metadata={"name": "web-x", "namespace": "default", "uid": "x", "resourceVersion": "1",
                       "labels": {"kubernetes.io/service-name": "web"}})

    def late(request, stream):
        time.sleep(0.5)
        fake.serve(request, stream)
    fake.on("*", late, lambda r: "endpointslices" in r.path, times=1)
    run = client(fake)
    child = run.start("services", "--record", tmp_path / "rec.jsonl", "-w", "-o", "json")
    while json.loads(child.stdout.readline())["phase"] != "Failed":
        pass
    wait_for(lambda: "k8s.io/initial-events-end" in (tmp_path / "rec.jsonl").read_text())
    began = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))
    child.terminate()
    child.communicate()
    lines = (tmp_path / "rec.jsonl").read_text().splitlines()
    loaded = [i for i, line in enumerate(lines) if "k8s.io/initial-events-end" in line]
    assert len(loaded) == 1 and all(json.loads(line)["type"] == "BOOKMARK" for line in lines[loaded[0]:])
    assert json.loads(run.text("--replay", tmp_path / "rec.jsonl", "--diff", "%s,%s" % (began, now), "-o", "json")) == []
    assert json.loads(run.text("--replay", tmp_path / "rec.jsonl", "--from", began, "-o", "json")) == []
