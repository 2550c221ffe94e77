# SPDX-License-Identifier: Apache-2.0
"""Rules for operators of one's own: --rules, ~/.kube/kubectl-status.d, and "rules check"."""
import json
import os
import random

import pytest
import yaml

from client_world import certificates, client, fake, serve  # noqa: F401 (fixtures)
from test_offline import NOW

RULES = """\
apiVersion: kubectl-status/v1
kind: Rules
title: Widget operator
groups: [widgets.example.org]
kinds:
- kind: Widget
  word: status.state
  words: {Running: Ready, Rolling: Updating, Broken: Failed, Parked: Suspended}
  conditions: [{type: Archiving, status: "False", phase: Degraded, severity: warning}]
  each: {path: status.members, word: state, words: {Up: Ready, Down: Failed}, some: Degraded, all: Failed}
  counts: {want: spec.size, have: status.readyMembers}
  suspended: spec.paused
  references: [{path: spec.storeRef, kind: Store, waits: true}]
- {kind: WidgetTemplate, static: true}
"""
CASES = [
    ({}, {"state": "Running"}, "Ready"),
    ({}, {"state": "Rolling"}, "Updating"),
    ({}, {"state": "Broken"}, "Failed"),
    ({}, {"state": "Parked"}, "Suspended"),
    ({"paused": True}, {"state": "Running"}, "Suspended"),
    ({}, {"state": "Running", "conditions": [{"type": "Archiving", "status": "False"}]}, "Degraded"),
    ({}, {"state": "Running", "members": [{"state": "Up"}, {"state": "Down"}]}, "Degraded"),
    ({}, {"state": "Running", "members": [{"state": "Down"}, {"state": "Down"}]}, "Failed"),
    ({}, {"members": [{"state": "Up"}]}, "Ready"),
    ({"size": 3}, {"state": "Running", "readyMembers": 2}, "Degraded"),
    ({"size": 3}, {"state": "Running", "readyMembers": 3}, "Ready"),
    ({}, {"state": "Quux"}, "Unknown"),
]


def widget(name, spec, status, kind="Widget"):
    return {"apiVersion": "widgets.example.org/v1", "kind": kind, "spec": spec, "status": status,
            "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-11-20T08:00:00Z"}}


@pytest.fixture
def world(tmp_path):
    def write(*objects):
        path = tmp_path / "world.yaml"
        path.write_text(yaml.safe_dump_all(objects))
        return path
    return write


@pytest.fixture
def rules(tmp_path):
    def write(text, name="widgets.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path
    return write


def phases(run, *args):
    return {i["name"]: i["phase"] for i in run.json(*args, "--as-of", NOW)["items"]}


def test_every_word_of_the_format(run, world, rules):
    objects = [widget("w%d" % n, spec, status) for n, (spec, status, _) in enumerate(CASES)]
    got = phases(run, "-f", world(*objects), "--rules", rules(RULES))
    assert got == {"w%d" % n: phase for n, (_, _, phase) in enumerate(CASES)}


LEFT_OUT = """\
apiVersion: kubectl-status/v1
kind: Rules
title: Widget operator
groups: [widgets.example.org]
kinds:
- kind: Widget
  word: status.state
  words: {Running: Ready}
  each: {path: status.members, word: state, words: {Up: Ready, Failed: Ready, Broken: Degraded}}
  ignored: [status.errors, "status.ports[].health", status.peers]
"""


def test_what_the_general_rules_leave_out(run, world, rules):
    """The words of parts that are well, and what says nothing of how it is; the rest counts."""
    cases = [({"state": "Running", "members": [{"state": "Failed"}]}, "Ready"),
             ({"state": "Running", "members": [{"state": "Broken"}]}, "Degraded"),
             ({"state": "Running", "members": [{"state": "Crashed"}]}, "Degraded"),
             ({"state": "Running", "errors": ["cannot connect"]}, "Ready"),
             ({"state": "Running", "error": "cannot connect"}, "Degraded"),
             ({"state": "Running", "ports": [{"health": "Failed"}]}, "Ready"),
             ({"state": "Running", "ports": [{"health": "Failed", "status": "Failed"}]}, "Degraded"),
             ({"state": "Running", "peers": {"a": {"health": "Failed", "conditions": [{"type": "Ready", "status": "False"}]}}}, "Ready")]
    objects = [widget("w%d" % n, {}, status) for n, (status, _) in enumerate(cases)]
    got = phases(run, "-f", world(*objects), "--rules", rules(LEFT_OUT))
    assert got == {"w%d" % n: phase for n, (_, phase) in enumerate(cases)}


def test_waits_for_what_it_refers_to(run, world, rules):
    store = widget("s", {}, {"phase": "Failed"}, kind="Store")
    path = world(store, widget("w", {"storeRef": {"name": "s"}}, {"state": "Rolling"}))
    [item] = [i for i in run.json("-f", path, "--rules", rules(RULES), "--as-of", NOW)["items"] if i["name"] == "w"]
    assert item["phase"] == "Waiting" and item["waits"][0]["on"]["name"] == "s"
    assert item["waits"][0]["via"] == "spec.storeRef"


def test_why_names_the_file_and_the_line(run, world, rules):
    path = rules(RULES)
    text = run.text("-f", world(widget("w", {}, {"state": "Broken"})), "--rules", path, "-o", "why")
    assert "widgets.yaml:6" in " ".join(text.split())


def test_the_folder_at_home_and_what_lies_over_it(run, world, rules):
    folder = run.home / ".kube/kubectl-status.d"
    folder.mkdir(parents=True)
    (folder / "10-widgets.yaml").write_text(RULES)
    path = world(widget("w", {}, {"state": "Parked"}), widget("x", {}, {"state": "Broken"}))
    assert phases(run, "-f", path) == {"w": "Suspended", "x": "Failed"}
    over = rules(RULES.split("kinds:")[0] + "kinds: [{kind: Widget, word: status.state, words: {Parked: Ready}}]\n")
    assert phases(run, "-f", path, "--rules", over) == {"w": "Ready", "x": "Failed"}, "the rest still holds"


def test_over_what_is_built_in(run, world, rules):
    app = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a", "namespace": "shop"},
           "status": {"health": {"status": "Healthy"}, "sync": {"status": "OutOfSync"}}}
    own = rules("apiVersion: kubectl-status/v1\nkind: Rules\ngroups: [argoproj.io]\nkinds:\n"
                "- {kind: Application, word: status.sync.status, words: {OutOfSync: Degraded}}\n")
    assert phases(run, "-f", world(app)) == {"a": "Ready"}
    assert phases(run, "-f", world(app), "--rules", own) == {"a": "Degraded"}


def test_a_bad_file_is_left_out_and_the_rest_goes_on(run, world, rules):
    bad = rules(RULES.replace("suspended:", "suspendet:"), "bad.yaml")
    done = run("-f", world(widget("w", {}, {"state": "Parked"})), "--rules", bad, "--rules", rules(RULES), "--as-of", NOW)
    assert done.returncode == 0 and b"Suspended" in done.stdout
    assert b"bad.yaml:12:3: unknown key \"suspendet\"" in done.stderr
    doc = run.json("-f", world(widget("w", {}, {"state": "Parked"})), "--rules", bad)
    assert [n["kind"] for n in doc["notices"]] == ["rules"]


def test_ceilings_of_a_file(run, rules, tmp_path):
    """1 MiB, and 500 entries in a list: what is beyond is never left out without a word."""
    line = "- {kind: Widget%04d, static: true}\n"
    head = RULES[:RULES.index("- kind: Widget\n")]
    at_most = rules(head + "".join(line % i for i in range(500)), "many.yaml")
    assert run("rules", "check", at_most).returncode == 0
    done = run("rules", "check", rules(head + "".join(line % i for i in range(501)), "many.yaml"))
    assert done.returncode == 1 and b"many.yaml:506:3: a list has 500 entries at most" in done.stderr
    for more in 0, 1:
        done = run("rules", "check", rules(RULES + "#" * ((1 << 20) - len(RULES) + more), "long.yaml"))
        assert done.returncode == more
    assert b"long.yaml is larger than 1 MiB" in done.stderr
    os.mkfifo(tmp_path / "pipe")
    done = run("rules", "check", tmp_path / "pipe")
    assert done.returncode == 1 and b"it is a pipe" in done.stderr
    assert run("rules", "check", "-", stdin=RULES.encode()).returncode == 0


def test_rules_that_are_not_there(run, world):
    done = run("-f", world(widget("w", {}, {})), "--rules", "/nowhere.yaml")
    assert done.returncode == 1 and b"/nowhere.yaml" in done.stderr


EXAMPLES = """\
examples:
- name: well
  phase: Ready
  object: {kind: Widget, status: {state: Running}}
- name: broken
  phase: %s
  object: {kind: Widget, status: {state: Broken}}
"""


def test_check_runs_the_examples(run, rules):
    done = run("rules", "check", rules(RULES + EXAMPLES % "Failed"))
    assert done.returncode == 0 and b"1 file, 2 examples, 0 failed" in done.stdout
    done = run("rules", "check", rules(RULES + EXAMPLES % "Ready"))
    assert done.returncode == 1
    assert b'widgets.yaml:19: example "broken": the phase is Failed, not Ready' in done.stderr


def test_check_tells_every_problem_with_its_place(run, rules):
    done = run("rules", "check", rules(RULES.replace("Rolling: Updating", "Rolling: Rolling").replace("true}", "7}", 1)))
    assert done.returncode == 1
    assert b"widgets.yaml:8:36: \"Rolling\" is not a phase" in done.stderr
    assert b"widgets.yaml:13:58: true or false" in done.stderr


def test_families_that_are_code_cannot_be_replaced(run, rules):
    done = run("rules", "check", rules(RULES.replace("widgets.example.org", "openstack.k-orc.cloud")))
    assert done.returncode == 1 and b"rules cannot replace" in done.stderr


def test_a_runbook_beside_what_is_built_in(run, tmp_path, rules):
    """A kind of a file of kube/rules: the address is said, what is built in decides as without it."""
    world = tmp_path / "world.yaml"
    world.write_text("""
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: c, namespace: a, uid: u1, creationTimestamp: "2026-11-20T08:00:00Z", generation: 1}
spec: {secretName: s, issuerRef: {name: le, kind: Issuer}}
status: {conditions: [{type: Issuing, status: "False", reason: Failed, message: it has failed, lastTransitionTime: "2026-11-20T08:00:00Z", observedGeneration: 1}]}
""")
    ours = rules("{apiVersion: kubectl-status/v1, kind: Rules, title: Ours, groups: [cert-manager.io], "
                 "kinds: [{kind: Certificate, runbook: 'https://wiki.example.org/certificate'}]}\n")
    args = ("-f", world, "--as-of", "2026-11-20T09:00:00Z")
    built_in, with_ours = run.json(*args), run.json(*args, "--rules", ours)
    assert [o.pop("runbook") for o in (with_ours["rootCauses"][0], with_ours["items"][0])] == 2 * ["https://wiki.example.org/certificate"]
    assert with_ours == built_in


def test_the_command_needs_files(run):
    assert run("rules").returncode == 2 and run("rules", "show").returncode == 2


# ---- never green by guess ------------------------------------------------------

BROKEN = [
    {"state": "Broken"},
    {"phase": "Failed"},
    {"conditions": [{"type": "Ready", "status": "False", "reason": "Error", "message": "it does not start"}]},
    {"conditions": [{"type": "Ready", "status": "True"}], "parts": [{"name": "a", "health": "Unhealthy"}]},
    {"lastError": "connection refused"},
    {"phase": "Running", "readyReplicas": 1},
]
NOISE = ["x-note", "zebra", "remark", "colour", "quux", "owner", "tier", "hint7"]
VALUES = ["a", 7, True, False, None, [], {}, ["b"], {"c": "d"}, 0.5, "", "blue"]


def noisy(value, rng):
    """The same with members that nobody knows, at every depth."""
    if isinstance(value, list):
        return [noisy(v, rng) for v in value]
    if not isinstance(value, dict):
        return value
    members = [(k, noisy(v, rng)) for k, v in value.items()]
    for name in rng.sample(NOISE, rng.randrange(4)):
        members.insert(rng.randrange(len(members) + 1), (name, rng.choice(VALUES)))
    return dict(members)


def test_unknown_fields_never_make_the_broken_ready(run, world, rules):
    rng = random.Random(20261120)
    objects = []
    for n in range(300):
        obj = widget("w%d" % n, {"replicas": 3}, BROKEN[n % len(BROKEN)])
        obj["spec"], obj["status"] = noisy(obj["spec"], rng), noisy(obj["status"], rng)
        objects.append(obj)
    for more in ([], ["--rules", rules(RULES)]):
        got = phases(run, "-f", world(*objects), *more)
        assert len(got) == len(objects)
        ready = [n for n, phase in got.items() if phase not in ("Failed", "Degraded")]
        assert not ready, "%s: %s" % (ready[0], objects[int(ready[0][1:])])


# ---- the schema -----------------------------------------------------------------

REPO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(REPO, "docs", "rules.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
# where an unknown key stands, and which map of the schema that is
MAPS = {
    "": [], "kinds: [{nokey: 1}]": ["kind"], "controllers: [{nokey: 1}]": ["controller"], "examples: [{nokey: 1}]": ["example"],
    "kinds: [{conditions: [{nokey: 1}]}]": ["condition"], "kinds: [{references: [{nokey: 1}]}]": ["reference"],
    "kinds: [{waits: [{nokey: 1}]}]": ["wait"], "kinds: [{each: {nokey: 1}}]": ["each"], "kinds: [{flags: [{nokey: 1}]}]": ["flag"],
    "kinds: [{waits: [{condition: {nokey: 1}}]}]": ["when"], "kinds: [{counts: {nokey: 1}}]": ["kind", "counts"],
    "kinds: [{version: {nokey: 1}}]": ["kind", "version"], "kinds: [{generation: {nokey: 1}}]": ["kind", "generation"],
    "kinds: [{partition: {nokey: 1}}]": ["kind", "partition"], "kinds: [{expires: {nokey: 1}}]": ["kind", "expires"],
}


@pytest.mark.parametrize("text", MAPS)
def test_the_schema_has_the_keys_that_the_program_knows(run, rules, text):
    done = run("rules", "check", rules("apiVersion: kubectl-status/v1\nkind: Rules\ngroups: [a.test]\n%s\n" % (text or "nokey: 1")))
    [line] = [l for l in done.stderr.decode().splitlines() if 'unknown key "nokey"' in l]
    where = SCHEMA["$defs"][MAPS[text][0]] if MAPS[text] else SCHEMA
    for name in MAPS[text][1:]:
        where = where["properties"][name]
    assert line.split("known: ")[1].split(", ") == list(where["properties"])
