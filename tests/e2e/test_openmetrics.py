# SPDX-License-Identifier: Apache-2.0
"""-o openmetrics, and the file that a flight recorder keeps of it: read by Prometheus' own parser."""
import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import READY
from optional import find, needs
from program import wait_for

RECIPES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/recipes.md"
DEMO = pathlib.Path(__file__).resolve().parent.parent.parent / "demo" / "incident.jsonl.gz"
BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "no such store",
                                  "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}


def read(text):
    """The samples by metric; a metric appears once."""
    families = list(text_string_to_metric_families(text))
    assert text.endswith("\n# EOF\n") and len({f.name for f in families}) == len(families)
    assert all(f.type == "gauge" and f.documentation and f.name.startswith("kubectl_status_") for f in families)
    return {f.name.removeprefix("kubectl_status_"): [(s.labels, s.value) for s in f.samples] for f in families}


def test_they_say_what_json_says(run):  # noqa: F811
    metrics = read(run.text("--replay", DEMO, "-A", "-o", "openmetrics"))
    document = run.json("--replay", DEMO, "-A")

    def labels(of, phase, severity):
        return {"cluster": of["cluster"], "namespace": of.get("namespace", ""), "kind": of["kind"], "name": of["name"], "phase": phase, "severity": severity}

    def without_group(samples):
        return [({k: v for k, v in of.items() if k != "group"}, value) for of, value in samples]
    bad = [i for i in document["items"] if i["phase"] != "Ready"]
    assert without_group(metrics["phase"]) == [(labels(i, i["phase"], i["severity"]), 1) for i in bad]
    assert all(set(of) == {"cluster", "namespace", "group", "kind", "name", "phase", "severity"} for of, _ in metrics["phase"])
    assert [of["name"] for of, _ in metrics["phase_since_seconds"]] == [i["name"] for i in bad if "since" in i]
    assert [(of["name"], of["group"], of["cause"], value) for of, value in metrics["root_cause"]] == \
        [(c["resource"]["name"], c["resource"]["group"], c["cause"], c["blocks"]) for c in document["rootCauses"]]
    assert [of for of, _ in metrics["root_cause"] if of["cause"] == "missing"][0]["phase"] == ""
    counts = {}
    for of, value in metrics["objects"]:
        counts[of["phase"]] = counts.get(of["phase"], 0) + value
    assert counts == document["summary"]["byPhase"] and all(set(of) == {"cluster", "group", "kind", "phase"} for of, _ in metrics["objects"])


def test_a_time_is_in_seconds(fake, run):  # noqa: F811
    fake.put("widgets", "a", **BAD)
    (of, since), = read(run.text("widgets", "-o", "openmetrics"))["phase_since_seconds"]
    assert of["name"] == "a" and since == 1767225600


@pytest.mark.parametrize("time, seconds", [("1969-12-31T23:59:59.500Z", -0.5), ("1960-01-01T00:00:00Z", -315619200), ("9999-01-01T00:00:00Z", 253370764800)])
def test_a_time_that_cannot_be(run, tmp_path, time, seconds):  # noqa: F811
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "n", "creationTimestamp": time}, "status": {
        "phase": "Failed", "reason": "Evicted", "startTime": time, "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": time}]}}))
    told = read(run.text("-f", path, "-o", "openmetrics", "--as-of", "2026-01-01T00:00:00Z"))["phase_since_seconds"]
    assert [value for _, value in told] == [seconds]


def test_nothing_is_bad(fake, run):  # noqa: F811
    fake.put("widgets", "a", **READY)
    metrics = read(run.text("widgets", "-o", "openmetrics"))
    assert metrics["phase"] == metrics["root_cause"] == [] and metrics["objects"][0][1] == 1
    assert read(run("gadgets", "-o", "openmetrics").stdout.decode())["objects"] == []


@pytest.mark.parametrize("name", ['a"} 1\nkubectl_status_phase{x="', "back\\slash\\", "\x1b[31m\u202e\u0085", "\udc80".encode("utf-8", "surrogateescape").decode("latin-1")])
def test_a_hostile_name(run, tmp_path, name):  # noqa: F811
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "n", "uid": "1"}, "status": {"phase": "Failed"}}))
    text = run.text("-f", path, "-o", "openmetrics")
    assert not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" or c == "\u202e" for c in text)
    (of, value), = read(text)["phase"]
    assert value == 1 and of["name"] == "".join("\ufffd" if c in "\x1b\u202e\u0085\u0080" else c for c in name)


def test_a_flight_recorder_keeps_them(fake, run, tmp_path):  # noqa: F811
    """Replaced as a whole, and again when nothing has changed."""
    run.hurry(10)
    fake.put("widgets", "a", **BAD)
    folder = tmp_path / "flight"
    child = run.start("widgets", "--flight", folder)
    metrics = folder / "metrics"
    try:
        wait_for(metrics.exists)
        assert [of["name"] for of, _ in read(metrics.read_text())["phase"]] == ["a"] and metrics.stat().st_mode & 0o777 == 0o600
        os.chmod(metrics, 0o644)
        fake.put("widgets", "b", **BAD)
        wait_for(lambda: [of["name"] for of, _ in read(metrics.read_text())["phase"]] == ["a", "b"])
        assert metrics.stat().st_mode & 0o777 == 0o644, "who reads it may be somebody else"
        before = metrics.stat().st_ino
        wait_for(lambda: metrics.stat().st_ino != before)
    finally:
        child.terminate()
        child.wait(20)
    assert sorted(p.name.partition("-")[0] for p in folder.iterdir()) == ["flight", "index.json", "metrics"]


# ---- what Prometheus' own tool says ------------------------------------------------


@needs("promtool")
def test_promtool_reads_the_metrics(run):  # noqa: F811
    text = run.text("--replay", DEMO, "-A", "-o", "openmetrics")
    done = subprocess.run([find("promtool"), "check", "metrics"], input=text.encode(), capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


OF = '{cluster="",namespace="shop",group="",kind="Pod",name="%s",phase="%s",severity="%s"%s}'
SERIES = [  # since the moment 0, a sample a minute
    ("kubectl_status_phase_since_seconds" + OF % ("till", "Failed", "error", ""), "0x60"), ("kubectl_status_phase_since_seconds" + OF % ("safe", "Failed", "warning", ""), "0x60"),
    ("kubectl_status_phase_since_seconds" + OF % ("gone", "Deleting", "info", ""), "0x60"), ("kubectl_status_phase_since_seconds" + OF % ("web", "Waiting", "info", ""), "0x60"),
    ("kubectl_status_root_cause" + OF % ("till", "Failed", "error", ',cause="failed"'), "6x60"), ("kubectl_status_root_cause" + OF % ("safe", "Failed", "warning", ',cause="failed"'), "5x60"),
    ("kubectl_status_root_cause" + OF % ("web", "Updating", "info", ',cause="not-ready"'), "9x60"), ("kubectl_status_as_of_seconds", "0+60x30 1800x30")]
FIRES = [("9m", "ObjectFailed", []), ("12m", "ObjectFailed", ["till"]), ("29m", "DeletionHangs", []), ("32m", "DeletionHangs", ["gone"]), ("4m", "RootCauseHoldsUpMany", []),
         ("7m", "RootCauseHoldsUpMany", ["till"]), ("34m", "StatusIsOld", []), ("37m", "StatusIsOld", [""])]


@needs("promtool")
def test_promtool_runs_the_rules(tmp_path):
    """The rules of docs/recipes.md: what they alert of, and when."""
    [block] = [b for b in re.findall(r"```yaml\n(.*?)```", RECIPES.read_text(), re.S) if "kind: PrometheusRule" in b]
    rules = yaml.safe_load(block)["spec"]
    (tmp_path / "rules.yml").write_text(yaml.safe_dump(rules))
    done = subprocess.run([find("promtool"), "check", "rules", str(tmp_path / "rules.yml")], capture_output=True)
    assert done.returncode == 0 and b"SUCCESS: 4 rules found" in done.stdout, done
    told = {r["alert"]: r for g in rules["groups"] for r in g["rules"]}
    assert {name for _, name, _ in FIRES} == set(told)

    def expected(alert, name):
        series = next((s for s, _ in SERIES if 'name="%s"' % name in s and (alert == "RootCauseHoldsUpMany") == ("root_cause" in s)), "")
        labels = dict(re.findall(r'(\w+)="([^"]*)"', series))
        words = re.sub(r"{{ \$labels\.(\w+) }}", lambda m: labels[m.group(1)], told[alert]["annotations"]["summary"]).replace("{{ $value }}", "6")
        return {"exp_labels": {**{k: v for k, v in labels.items() if v}, **told[alert]["labels"]}, "exp_annotations": {"summary": words}}
    tests = [{"eval_time": at, "alertname": alert, "exp_alerts": [expected(alert, name) for name in names]} for at, alert, names in FIRES]
    (tmp_path / "test.yml").write_text(yaml.safe_dump({"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [
        {"interval": "1m", "input_series": [{"series": s, "values": v} for s, v in SERIES], "alert_rule_test": tests}]}))
    done = subprocess.run([find("promtool"), "test", "rules", str(tmp_path / "test.yml")], capture_output=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
