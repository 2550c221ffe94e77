# SPDX-License-Identifier: Apache-2.0
"""--alert: from a page to the objects that it is about, as of when it began, with its runbook."""
import json
import pathlib

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import names, READY
from fakeapi import TYPES
from program import Run, wait_for

DEMO = pathlib.Path(__file__).resolve().parent.parent.parent / "demo" / "incident.jsonl.gz"
BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "no such store",
                                  "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
POD = "search-65cbb4988d-dqdsm"


def firing(runbook="https://runbooks.example/not-ready", starts="2026-11-21T05:02:30Z", **labels):
    return {"status": "firing", "labels": {"alertname": "NotReady", **labels}, "annotations": {"runbook_url": runbook}, "startsAt": starts}


def webhook(*alerts):
    return json.dumps({"version": "4", "groupKey": "x", "status": "firing", "alerts": alerts}).encode()


FORMS = {
    "webhook": webhook(firing(namespace="shop", pod=POD)),
    "api": json.dumps([{**firing(namespace="shop", pod=POD), "status": {"state": "active"}}]).encode(),
    "grafana": json.dumps({"receiver": "x", "status": "firing", "orgId": 1, "title": "[FIRING:1]", "state": "alerting",
                           "alerts": [{**firing(namespace="shop", pod=POD), "valueString": "[ var='A' labels={namespace=fin} value=1 ]", "fingerprint": "c"}]}).encode(),
    "pagerduty": json.dumps({"event": {"id": "1", "event_type": "incident.triggered", "data": {
        "type": "incident", "created_at": "2026-11-21T05:02:30Z", "service": {"id": "P", "summary": "shop"}, "body": {"details": {
            "firing": "Labels:\n - alertname = NotReady\n - namespace = shop\n - pod = %s\nAnnotations:\n - runbook_url = https://runbooks.example/not-ready\n"
                      "Source: http://prometheus.example/graph?g0.expr=x%%3D1\n" % POD}}}}}).encode(),
    "text": b'FIRING: {alertname="NotReady", namespace="shop", pod="%s"} runbook_url="https://runbooks.example/not-ready" startsAt="2026-11-21T05:02:30Z"\n' % POD.encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form(run, tmp_path, form):  # noqa: F811
    path = tmp_path / "alert"
    path.write_bytes(FORMS[form])
    document = json.loads(run("--replay", DEMO, "--alert", path, "-o", "json").stdout)
    assert names(document) == [POD] and document["items"][0]["namespace"] == "shop"
    if form != "pagerduty":   # which tells the time of the incident, and not of the alert
        assert document["asOf"] == "2026-11-21T05:02:30Z"
    done = run("--replay", DEMO, "--alert", "-", "-o", "why", stdin=FORMS[form])
    assert done.returncode == 0 and b"runbook    https://runbooks.example/not-ready" in done.stdout and b"alert NotReady" in done.stderr
    assert "`https://runbooks.example/not-ready`" in run("--replay", DEMO, "--alert", path, "-o", "brief").stdout.decode()


def test_as_of_wins(run):  # noqa: F811
    done = run("--replay", DEMO, "--alert", "-", "--as-of", "2026-11-21T05:03:00Z", "-o", "json", stdin=FORMS["webhook"])
    assert json.loads(done.stdout)["asOf"] == "2026-11-21T05:03:00Z"
    done = run("--replay", DEMO, "--alert", "-", "-o", "json", stdin=webhook(firing(starts="2020-01-01T00:00:00Z", namespace="shop", pod=POD)))
    assert json.loads(done.stdout)["asOf"].startswith("2026-11-21T05:03:1"), "the recording does not know that time"


def test_labels_that_name_nothing(fake, run):  # noqa: F811
    fake.put("namespaces", "shop")
    fake.put("widgets", "till", ns="shop", **BAD)
    fake.put("pods", "other", ns="shop", status={"phase": "Running"})
    alert = webhook(firing(namespace="shop", pod="gone", customresource_kind="Nonsense", name="x"))
    done = run("--alert", "-", "-o", "name", stdin=alert)
    assert (done.returncode, done.stdout) == (0, b"widget.example.org/till\npod/other\n"), done.stderr
    assert b'the label pod="gone" of the alert names nothing in namespace shop' in done.stderr and b'the label name="x"' in done.stderr
    assert b"all is shown of namespace shop" in done.stderr
    done = run("--alert", "-", "-o", "name", stdin=webhook(firing(namespace="shop", pod="other", deployment="gone")))
    assert done.stdout == b"pod/other\n" and b'the label deployment="gone"' in done.stderr and b"all is shown" not in done.stderr
    done = run("--alert", "-", "-o", "name", stdin=webhook(firing(namespace="nope", pod="a")))
    assert done.returncode == 1 and b'namespaces "nope" not found' in done.stderr


def test_many_alerts(run):  # noqa: F811
    """Of labels that name nothing the first are named, the others counted; so are alerts beyond a thousand."""
    alerts = [firing(namespace="shop", pod=POD)] + [firing(namespace="shop", pod="p%d" % n) for n in range(1500)]
    done = run("--replay", DEMO, "--alert", "-", "-o", "name", stdin=webhook(*alerts))
    assert done.stdout == b"pod/%s\n" % POD.encode() and done.stderr.count(b"\n") < 15
    assert b"989 more labels of the alerts name nothing" in done.stderr and b"1000 of 1501 alerts are read" in done.stderr


@pytest.mark.parametrize("starts", ["0001-01-01T00:00:00Z", "yesterday", 5])
def test_a_beginning_that_is_none(run, starts):  # noqa: F811
    done = run("--replay", DEMO, "--alert", "-", "-o", "name", stdin=webhook(firing(starts=starts, namespace="shop", pod=POD)))
    assert done.returncode == 0 and b"since" not in done.stderr
    done = run("--replay", DEMO, "--alert", "-", "-o", "name", stdin=b'namespace="shop" pod="%s"' % POD.encode())
    assert (done.returncode, done.stderr) == (0, b""), "nothing is known of it that could be said"


def test_in_all_namespaces(fake, run):  # noqa: F811
    """The label tells the namespace also where the flag asks for all; without the label a name is of no one namespace."""
    for ns in ("shop", "bank"):
        fake.put("pods", "a", ns=ns, status={"phase": "Running"})
    done = run("--alert", "-", "-A", "-o", "json", stdin=webhook(firing(namespace="shop", pod="a")))
    assert [(i["namespace"], i["name"]) for i in json.loads(done.stdout)["items"]] == [("shop", "a")] and b"names nothing" not in done.stderr
    done = run("--replay", DEMO, "--alert", "-", "-A", "-o", "name", stdin=webhook(firing(namespace="shop", pod=POD)))
    assert done.stdout == b"pod/%s\n" % POD.encode() and b"names nothing" not in done.stderr
    done = run("--alert", "-", "-A", "-o", "name", stdin=webhook(firing(pod="a")))
    assert b'the label pod="a" of the alert names nothing' in done.stderr


def test_several_are_one_selection(fake, run):  # noqa: F811
    for ns in ("shop", "bank"):
        fake.put("namespaces", ns)
        for name in ("a", "b"):
            fake.put("pods", name, ns=ns, status={"phase": "Running"})
    done = run("--alert", "-", "-o", "json", stdin=webhook(firing(namespace="shop", pod="a"), firing(namespace="bank", pod="b")))
    assert [(i["namespace"], i["name"]) for i in json.loads(done.stdout)["items"]] == [("bank", "b"), ("shop", "a")]
    assert not [r for r in fake.seen() if r.path.endswith("/widgets")], "nothing else is read"


def test_a_custom_resource(fake, run):  # noqa: F811
    fake.put("widgets", "till", ns="shop", **BAD)
    fake.put("widgets", "safe", ns="shop", **READY)
    alert = webhook(firing(exported_namespace="shop", namespace="monitoring", customresource_group="example.org", customresource_kind="Widget", name="till"))
    assert run("--alert", "-", "-o", "name", stdin=alert).stdout == b"widget.example.org/till\n"


def test_the_cluster(serve, run, tmp_path):  # noqa: F811
    """By the preference "clusters"; nothing is guessed."""
    other = serve()
    other.put("pods", "a", ns="shop", status={"phase": "Running"})
    config = json.loads(pathlib.Path(run.env["KUBECONFIG"]).read_text())
    config["contexts"].append({"name": "prod-eu", "context": {"cluster": "other", "user": "u"}})
    config["clusters"].append({"name": "other", "cluster": {**config["clusters"][0]["cluster"], "server": other.url}})
    pathlib.Path(run.env["KUBECONFIG"]).write_text(json.dumps(config))
    alert = webhook(firing(namespace="shop", pod="a", cluster="eu1"))
    done = run("--alert", "-", "-o", "name", stdin=alert)
    assert b'the alert is of cluster "eu1"' in done.stderr and not other.seen()
    (tmp_path / "p.yaml").write_text("apiVersion: kubectl-status/v1\nkind: Preferences\nclusters: {eu1: prod-eu}\n")
    done = run("--alert", "-", "-o", "name", stdin=alert, KUBECTL_STATUS_CONFIG=str(tmp_path / "p.yaml"))
    assert done.stdout == b"pod/a\n" and b"Warning" not in done.stderr
    done = run("--alert", "-", "-o", "name", "--context", "c", stdin=alert, KUBECTL_STATUS_CONFIG=str(tmp_path / "p.yaml"))
    assert done.stdout != b"pod/a\n", "a flag wins"


def test_a_history_that_knows_it(fake, run, tmp_path):  # noqa: F811
    """The state when the alert began; where the history begins later, the present."""
    fake.put("namespaces", "shop")
    fake.put("widgets", "till", ns="shop", **READY)
    folder = tmp_path / "flight"
    child = run.start("--flight", folder, "-n", "shop")
    try:
        wait_for(lambda: (folder / "metrics").exists())
    finally:
        child.terminate()
        child.wait(20)
    began = json.loads((folder / "index.json").read_text())["segments"][0]["last"]
    fake.put("widgets", "till", ns="shop", **BAD)
    labels = {"namespace": "shop", "kind": "Widget", "name": "till"}
    then = json.loads(run("--alert", "-", "--history", folder, "-o", "json", stdin=webhook(firing(starts=began, **labels))).stdout)
    assert [(i["name"], i["phase"]) for i in then["items"]] == [("till", "Ready")]
    done = run("--alert", "-", "--history", folder, "-o", "json", stdin=webhook(firing(starts="2020-01-01T00:00:00Z", **labels)))
    assert [(i["name"], i["phase"]) for i in json.loads(done.stdout)["items"]] != [("till", "Ready")] and done.returncode == 0


def test_the_dashboard(fake, run, tmp_path):  # noqa: F811
    fake.put("namespaces", "shop")
    fake.put("widgets", "till", ns="shop", **BAD)
    fake.put("pods", "other", ns="shop", status={"phase": "Failed"})
    path = tmp_path / "alert.json"
    path.write_bytes(webhook(firing(namespace="shop", kind="Widget", name="till")))
    with run.screen("--alert", path, rows=40, cols=120) as term:
        term.wait("widget/till")
        assert "pod/other" not in term.text()
        term.keys("w")
        term.wait("https://runbooks.example/not-ready")
    path.write_bytes(webhook(firing(namespace="shop", kind="Widget", name="gone")))
    with run.screen("--alert", path, rows=40, cols=120) as term:
        term.wait(lambda text: "widget/till" in text and "pod/other" in text)


def test_the_runbook_of_an_annotation(run, tmp_path):  # noqa: F811
    """Of the object or of what owns it; the preference names the annotations."""
    owner = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "till", "namespace": "shop", "uid": "1", "annotations": {
        "runbook_url": "https://runbooks.example/till", "example.org/what-to-do": "https://wiki.example/till"}}, "status": {"phase": "Failed", "reason": "Evicted"}}
    path = tmp_path / "w.json"
    path.write_text(json.dumps(owner))
    assert "runbook    https://runbooks.example/till" in run.text("-f", path, "-o", "why")
    assert "runbook: https://runbooks.example/till" in run.text("-f", path, "--problems")
    (tmp_path / "p.yaml").write_text("apiVersion: kubectl-status/v1\nkind: Preferences\nrunbook: [example.org/what-to-do]\n")
    assert "runbook    https://wiki.example/till" in run.text("-f", path, "-o", "why", KUBECTL_STATUS_CONFIG=str(tmp_path / "p.yaml"))
    (tmp_path / "p.yaml").write_text("apiVersion: kubectl-status/v1\nkind: Preferences\nrunbook: {a: b}\n")
    done = run("-f", path, KUBECTL_STATUS_CONFIG=str(tmp_path / "p.yaml"))
    assert done.returncode == 1 and b"runbook must be a list" in done.stderr and b"line 3" in done.stderr


@pytest.mark.parametrize("text, words", [(b"", b"it is empty"), (b"hello", b"it has no labels"), (b'{"alerts":', b"not JSON"), (b"[]", b"it has no labels"),
                                         (b"\x00" * 100, b"it has no labels"), (b"[" * 100000, b"")])
def test_what_is_no_alert(run, text, words):  # noqa: F811
    done = run("--replay", DEMO, "--alert", "-", "-o", "name", stdin=text)
    assert done.returncode == 1 and words in done.stderr and done.stderr.count(b"\n") == 1, done.stderr


def test_bad_usage(run, tmp_path):  # noqa: F811
    for args, status in ((["--alert", tmp_path / "none"], 1), (["--alert", tmp_path], 1), (["--alert", "-", "pods"], 2), (["--alert"], 2)):
        done = run(*args)
        assert done.returncode == status and done.stderr.count(b"\n") == 1, done.stderr


def test_hostile_labels(run):  # noqa: F811
    alert = webhook(firing(runbook="https://x.example/\x1b]0;evil\x07", namespace="../../secrets", pod="a\x1b[31m\nError: all is lost", cluster="\u202e"))
    done = run("--replay", DEMO, "--alert", "-", "-o", "why", stdin=alert)
    text = (done.stdout + done.stderr).decode()
    assert "\x1b" not in text and "\u202e" not in text and not any(line.startswith("Error: all") for line in text.split("\n"))


RULES = """\
apiVersion: kubectl-status/v1
kind: Rules
groups: [widgets.example.org]
kinds:
- kind: Widget
  where: {spec.kept: true}
  word: status.state
  words: {Broken: {phase: Failed, runbook: "https://rules.example/kept"}}
- kind: Widget
  word: status.state
  words: {Broken: Failed, Lost: {phase: Failed, runbook: "https://rules.example/lost"}}
  conditions: [{type: Full, status: "True", phase: Degraded, runbook: "https://rules.example/full"}]
  each: {path: status.parts, word: state, words: {Down: Failed}, some: {phase: Degraded, runbook: "https://rules.example/part"}}
  runbook: https://rules.example/widget
"""
OF_RULES = [({}, {"state": "Broken"}, "widget"), ({}, {"state": "Lost"}, "lost"), ({"kept": True}, {"state": "Broken"}, "kept"),
            ({}, {"conditions": [{"type": "Full", "status": "True"}]}, "full"), ({}, {"parts": [{"state": "Down"}, {"state": "Up"}]}, "part")]


def widget(name, spec, status, **meta):
    return {"apiVersion": "widgets.example.org/v1", "kind": "Widget", "spec": spec, "status": status, "metadata": {"name": name, "namespace": "shop", "uid": name, **meta}}


def test_the_runbook_of_rules(run, tmp_path):  # noqa: F811
    """Of the row that decides, else of the kind; an annotation counts more, and an alert most."""
    (tmp_path / "r.yaml").write_text(RULES)
    items = [widget("w%d" % n, spec, status) for n, (spec, status, _) in enumerate(OF_RULES)]
    items.append(widget("told", {}, {"state": "Broken"}, annotations={"runbook": "https://wiki.example/told"}))
    items.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "part", "namespace": "shop", "uid": "part", "ownerReferences": [
        {"apiVersion": "widgets.example.org/v1", "kind": "Widget", "name": "w0", "uid": "w0", "controller": True}]}, "status": {"phase": "Failed", "reason": "Evicted"}})
    (tmp_path / "w.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    args = ("-f", tmp_path / "w.json", "--rules", tmp_path / "r.yaml")
    document = run.json(*args)
    got = {i["name"]: i["runbook"] for i in document["items"]}
    assert got == {**{"w%d" % n: "https://rules.example/" + end for n, (_, _, end) in enumerate(OF_RULES)}, "told": "https://wiki.example/told",
                   "part": "https://rules.example/widget"}
    assert all(c["runbook"] == got[c["resource"]["name"]] for c in document["rootCauses"]) and len(document["rootCauses"]) >= len(OF_RULES)
    assert "runbook    https://rules.example/lost" in run.text(*args, "widget/w1", "-o", "why")
    assert "runbook: https://rules.example/full" in run.text(*args, "widget/w3", "--problems")
    assert "   runbook: `https://rules.example/part`\n" in run.text(*args, "widget/w4", "-o", "brief")
    alert = webhook(firing(namespace="shop", kind="Widget", name="told"))
    assert json.loads(run(*args, "--alert", "-", "-o", "json", stdin=alert).stdout)["items"][0]["runbook"] == "https://runbooks.example/not-ready"
    with run.screen(*map(str, args), "widget/w1", rows=40, cols=120) as term:
        term.wait("/w1")
        term.keys("\r")
        term.wait("https://rules.example/lost")


@pytest.mark.parametrize("row, words", [
    ('{kind: Widget, runbook: see the wiki}', '"see the wiki" is no address'), ("{kind: Widget, runbook: [a]}", "a text is wanted"),
    ('{kind: Widget, conditions: [{type: A, polarity: ignored, runbook: "https://a"}]}', "belong to a phase"),
    ('{kind: Widget, word: a, words: {B: {phase: Failed, runbook: "javascript:x"}}}', '"javascript:x" is no address')])
def test_what_is_no_runbook(run, tmp_path, row, words):  # noqa: F811
    (tmp_path / "r.yaml").write_text(RULES.partition("- kind")[0] + "- " + row + "\n")
    done = run("rules", "check", tmp_path / "r.yaml")
    assert done.returncode == 1 and words in (done.stdout + done.stderr).decode(), done
