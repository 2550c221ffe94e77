# SPDX-License-Identifier: Apache-2.0
"""Parts of recordings conclude what the whole does: cut out, or begun in the middle."""
import json
import os
import random

import pytest

START = 9 * 3600
HEADER = '{"kind":"Recording","apiVersion":"kubectl-status/v1","startedAt":"2026-11-20T09:00:00Z"}\n'
DEMO = os.path.join(os.path.dirname(__file__), "..", "..", "demo", "incident.jsonl.gz")


def at(seconds):
    return "2026-11-20T%02d:%02d:%06.3fZ" % (9 + seconds // 3600, seconds % 3600 // 60, seconds % 60)


def condition(rng, t):
    # attempts at what has failed, and looks at what is well, end one way or the other
    if rng.random() < 0.3:
        return {"type": "Ready", "status": "Unknown", "reason": "Progressing", "message": "in progress", "lastTransitionTime": at(t)[:-5] + "Z"}
    ok = rng.random() < 0.5
    return {"type": rng.choice(["Ready", "Ready", "Synced", "Available"]), "status": "True" if ok else "False", "reason": rng.choice(["Fine", "Broken", "Waits"]),
            "message": rng.choice(["", "secret \"k%d\" not found" % rng.randrange(4), "retrying"]),
            "lastTransitionTime": at(rng.uniform(max(0, t - 300), t))[:-5] + "Z"}


def thing(rng, t, name):
    kind = rng.choice(["Widget", "Pod", "Deployment", "ConfigMap", "Secret"]) if name is None else name.split("-")[0]
    name = name or "%s-%d" % (kind, rng.randrange(6))
    meta = {"name": name.lower(), "namespace": rng.choice("ab"), "uid": name + str(rng.randrange(2)), "generation": rng.randrange(1, 3),
            "creationTimestamp": at(rng.uniform(0, t / 2))[:-5] + "Z"}
    if rng.random() < 0.1:
        meta["deletionTimestamp"] = at(t)[:-5] + "Z"
        meta["finalizers"] = ["example.org/x"]
    if rng.random() < 0.3:
        meta["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "deployment-%d" % rng.randrange(6), "uid": "x", "controller": True}]
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": meta,
                "spec": {"containers": [{"name": "c", "env": [{"name": "e", "valueFrom": {"secretKeyRef": {"name": "secret-%d" % rng.randrange(6), "key": "k"}}}]}]},
                "status": {"phase": rng.choice(["Pending", "Running", "Failed"]), "conditions": [condition(rng, t)]}}
    if kind == "Deployment":
        return {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}},
                "status": {"replicas": 2, "readyReplicas": rng.randrange(3), "updatedReplicas": rng.randrange(3), "observedGeneration": rng.randrange(1, 3),
                           "conditions": [condition(rng, t)]}}
    if kind == "Widget":
        return {"apiVersion": "example.org/v1", "kind": kind, "metadata": meta, "spec": {"secretRef": {"name": "secret-%d" % rng.randrange(6)}},
                "status": {"conditions": [condition(rng, t)], "observedGeneration": rng.randrange(1, 3)}}
    return {"apiVersion": "v1", "kind": kind, "metadata": meta, "data": {"k": "v"}}


def history(seed, path, records=150, seconds=2400):
    rng = random.Random(seed)
    t, alive, lines = 0.0, {}, [HEADER]
    for _ in range(records):
        t += rng.choice([0, 0.01, 1, 20]) * rng.random() * 2 * seconds / records / 10
        if alive and rng.random() < 0.15:
            obj, event = alive.pop(rng.choice(sorted(alive))), "DELETED"
        else:
            obj = thing(rng, t, None)
            key = obj["kind"] + obj["metadata"]["namespace"] + obj["metadata"]["name"]
            event = "MODIFIED" if key in alive else "ADDED"
            alive[key] = obj
        lines.append(json.dumps({"t": at(t), "type": event, "object": obj}) + "\n")
    path.write_text("".join(lines))
    return rng, t


def leave_out_values_before(document, moment):
    """A part does not hold the versions before its beginning: it says that an object was changed then, and not which fields."""
    for cause in document["rootCauses"]:
        for change in cause.get("changed", []):
            if change["time"][:19] <= moment[:19]:
                change.pop("fields", None)
                change.pop("moreFields", None)


@pytest.mark.parametrize("seed", range(16))
def test_a_part_concludes_what_the_whole_does(run, tmp_path, seed):
    rng, end = history(seed, tmp_path / "all.jsonl")
    for i, name in enumerate(["part.jsonl", "part.jsonl.gz"]):
        first = rng.uniform(0, end)
        run.text("--replay", tmp_path / "all.jsonl", "--from", at(first), "--record", tmp_path / name, "-A")
        for then in [first] + [rng.uniform(first, end + 3000) for _ in range(3)] + [end]:
            whole, part = (run.json("--replay", tmp_path / f, "-A", "--as-of", at(then)) for f in ("all.jsonl", name))
            for document in (whole, part):
                leave_out_values_before(document, at(first))
            assert part == whole, (seed, at(first), at(then))


def test_a_part_of_a_part(run, tmp_path):
    run.text("--replay", DEMO, "--from", "3m", "--record", tmp_path / "a.jsonl.gz")
    run.text("--replay", tmp_path / "a.jsonl.gz", "--from", "2m", "--to", "10s", "--record", tmp_path / "b.jsonl")
    for then in ("2026-11-21T05:01:20Z", "2026-11-21T05:02:30Z", "2026-11-21T05:03:09Z"):
        assert run.text("--replay", DEMO, "-A", "-o", "json", "--as-of", then) == run.text("--replay", tmp_path / "b.jsonl", "-A", "-o", "json", "--as-of", then)
    lines = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert lines[0]["kind"] == "Recording" and lines[0]["startedAt"] == "2026-11-21T05:01:19Z"
    added = [line for line in lines if line.get("type") == "ADDED"]
    assert len(added) > 100 and added[0]["t"].startswith("2026-11-21T05:01:19")
    assert lines[-1]["t"] <= "2026-11-21T05:03:09.9"
    assert os.stat(tmp_path / "b.jsonl").st_mode & 0o777 == 0o600


def test_a_part_of_what_others_wrote_holds_no_secret(run, tmp_path):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "a"}, "data": {"k": "c4nary"}}
    (tmp_path / "all.jsonl").write_text(HEADER + "".join(json.dumps({"t": at(t), "type": "ADDED", "object": secret}) + "\n" for t in (0, 10, 20)))
    run.text("--replay", tmp_path / "all.jsonl", "--from", at(5), "--record", tmp_path / "part.jsonl")
    text = (tmp_path / "part.jsonl").read_text()
    assert "c4nary" not in text and text.count('"type":"ADDED"') == 3


@pytest.mark.parametrize("form", ["edits", "managedFields"])
def test_a_part_tells_who_changed_an_object(run, tmp_path, form):
    """Also what was told of it before the part begins, and also a part of the part."""
    def failed(name, edited):
        fields = [{"manager": "terraform", "operation": "Update", "time": at(edited)[:-5] + "Z", "fieldsV1": {"f:spec": {"f:size": {}}}}]
        ready = {"type": "Ready", "status": "False", "reason": "Broken", "lastTransitionTime": at(edited + 5)[:-5] + "Z"}
        return {"apiVersion": "example.org/v1", "kind": "Widget", "spec": {"size": 1}, "status": {"conditions": [ready]},
                "metadata": {"name": name, "namespace": "a", "uid": name, **({"managedFields": fields} if form == "managedFields" else {})}}

    def told(name, t):
        """That this object failed then, and who had changed it ten seconds before."""
        about = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "a"}}
        edits = [{"time": (1795165200 + t - 10) * 1000, "manager": "terraform", "person": "ada", "fields": ["spec.size"]}]
        records = [{"t": at(t), "type": "ADDED", "object": failed(name, t - 10)}]
        return records + ([{"t": at(t), "type": "BOOKMARK", "object": about, "edits": edits}] if form == "edits" else [])
    records = told("early", 100) + told("late", 300)
    (tmp_path / "all.jsonl").write_text(HEADER + "".join(json.dumps(r) + "\n" for r in records + [{"t": at(400), "type": "BOOKMARK", "object": {}}]))
    run.text("--replay", tmp_path / "all.jsonl", "--from", at(200), "--record", tmp_path / "a.jsonl", "-A")
    run.text("--replay", tmp_path / "a.jsonl", "--from", at(350), "--record", tmp_path / "b.jsonl", "-A")
    whole, *parts = [run.json("--replay", tmp_path / name, "-A")["rootCauses"] for name in ("all.jsonl", "a.jsonl", "b.jsonl")]
    assert sorted((c["resource"]["name"], [e["by"] for e in c["changed"]]) for c in whole) == [("early", ["terraform"]), ("late", ["terraform"])]
    assert parts == [whole, whole] and "managedFields" not in (tmp_path / "a.jsonl").read_text()


@pytest.mark.parametrize("args,words", [
    (["--from", "x"], 'invalid --from value "x"'), (["--from", "1m", "--to", "2m"], "--from is after --to"),
    (["--from", "2020-01-01T00:00:00Z", "--to", "2020-01-02T00:00:00Z"], "that time is not in the recording"),
    (["--from", "2030-01-01T00:00:00Z"], "--from: that time is not in"), (["--to", "2020-01-01T00:00:00Z"], "--to: that time is not in"),
    (["--from", "1m", "-o", "json"], "--record")])
def test_bad_input_gets_one_line(run, tmp_path, args, words):
    done = run("--replay", DEMO, "--record", tmp_path / "g.jsonl", *args)
    assert done.returncode in (1, 2) and words in done.stderr.decode() and not (tmp_path / "g.jsonl").exists()
    assert run("--from", "1m").returncode == 2
    assert run("--replay", DEMO, "--record", tmp_path / "g.jsonl").returncode == 2
