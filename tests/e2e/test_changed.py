# SPDX-License-Identifier: Apache-2.0
"""What was changed before a failure, and by whom: from files, recordings and a server's managedFields."""
import base64
import copy
import gzip
import json
import re
import time

import pytest

from client_world import *  # noqa: F401,F403 (fixtures)
from fakeapi import TYPES, answer, stall, status
from program import wait_for
from test_redaction import copied

T = "2026-11-20T08:%02d:%02dZ"
QUOTAS = TYPES + (("", "v1", "resourcequotas", "ResourceQuota", True), ("", "v1", "configmaps", "ConfigMap", True),
                  ("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False))
IMAGE = {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"search"}': {".": {}, "f:image": {}}}}}}}
SIZE = {"f:spec": {"f:size": {}}}


def wrote(manager, minute, second, fields, **more):
    return {"manager": manager, "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "time": T % (minute, second),
            "fieldsV1": fields, **more}


def deployment(managed=None, image="search:8.1.0", gen=2, failed=True, **meta):
    conditions = [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "it takes too long",
                   "lastTransitionTime": T % (54, 24)}] if failed else []
    out = {"apiVersion": "apps/v1", "kind": "Deployment",
           "metadata": {"name": "search", "namespace": "shop", "uid": "d", "generation": gen, "creationTimestamp": T % (0, 0), **meta},
           "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "search"}},
                    "template": {"metadata": {"labels": {"app": "search"}},
                                 "spec": {"containers": [{"name": "search", "image": image}]}}},
           "status": {"observedGeneration": gen, "replicas": 1, "updatedReplicas": 1, **({} if failed else {"readyReplicas": 1,
                                                                                                         "availableReplicas": 1}),
                      "conditions": [{"type": "Available", "status": "False" if failed else "True", "reason": "R",
                                      "lastTransitionTime": T % (54, 20)}] + conditions}}
    if managed is not None:
        out["metadata"]["managedFields"] = managed
    return out


def of_files(run, tmp_path, *objects, form="json", at=T % (59, 0)):
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    if form == "json":
        return run.json("-f", path, "-A", "--as-of", at)["rootCauses"]
    return run.text("-f", path, "-A", "--as-of", at, "-o", form)


def changed(causes):
    """[(kind/name, what, by, paths)] of the only cause."""
    assert len(causes) == 1
    return [(c["resource"]["kind"] + "/" + c["resource"]["name"], c["what"], c.get("by"),
             [(f["path"], f.get("from"), f.get("to")) for f in c.get("fields", [])]) for c in causes[0].get("changed", [])]


PATH = "spec.template.spec.containers[name=search].image"


# ---- files -------------------------------------------------------------------------------


def test_a_dump_tells_who(run, tmp_path):
    thing = deployment([wrote("argocd-controller", 54, 12, IMAGE), wrote("kube-controller-manager", 54, 20, {"f:status": {}}, subresource="status")],
                       annotations={"argocd.argoproj.io/tracking-id": "shop:apps/Deployment:shop/search"})
    causes = of_files(run, tmp_path, thing)
    assert changed(causes) == [("Deployment/search", "changed", "argocd-controller", [(PATH, None, None)])]
    assert (causes[0]["changed"][0]["tool"], causes[0]["changed"][0]["source"]) == ("Argo CD", "application/shop")
    assert "\nchanged    12s before  deployment/search  image  by argocd-controller (application/shop)\n" in of_files(run, tmp_path, thing, form="why")


@pytest.mark.parametrize("how", ["one", "list", "yaml", "stdin"])
def test_every_form_of_a_file(run, tmp_path, how):
    thing = deployment([wrote("kubectl-set", 54, 12, IMAGE)])
    text, name = json.dumps(thing), tmp_path / "a.json"
    if how == "list":
        text = json.dumps({"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [thing]})
    elif how == "yaml":
        text = "---\n" + text.replace("{", "{ ", 1)
    name.write_text(text)
    args = ("-f", "-" if how == "stdin" else name, "-A", "--as-of", T % (59, 0), "-o", "json")
    done = run(*args, stdin=text.encode() if how == "stdin" else b"")
    assert changed(json.loads(done.stdout)["rootCauses"]) == [("Deployment/search", "changed", "kubectl-set", [(PATH, None, None)])]


# Entries, and who may be told of for them: nothing that came later, was earlier than ten minutes, or is no change.
@pytest.mark.parametrize("entry, told", [
    (wrote("m", 54, 24, IMAGE), True), (wrote("m", 54, 26, IMAGE), False), (wrote("m", 44, 30, IMAGE), True), (wrote("m", 44, 10, IMAGE), False),
    (wrote("m", 54, 12, IMAGE, subresource="status"), False), (wrote("m", 54, 12, IMAGE, subresource="scale"), True),
    (wrote("m", 54, 12, {"f:status": {"f:replicas": {}}}), False),
    (wrote("m", 54, 12, {"f:metadata": {"f:annotations": {"f:reconcile.fluxcd.io/requestedAt": {}}}}), False),
    (wrote("m", 54, 12, "broken"), False), (wrote("m", 54, 12, {"f:spec": 7}), True), ("broken", False), (None, False),
])
def test_what_is_told(run, tmp_path, entry, told):
    assert bool(changed(of_files(run, tmp_path, deployment([entry])))) == told


def test_damage_takes_nothing_else(run, tmp_path):
    for broken in ("x", 7, {}, [[]], [{"manager": "\u001b]0;x\u0007" * 1000, "time": T % (54, 12), "fieldsV1": IMAGE}]):
        causes = of_files(run, tmp_path, deployment(broken))
        assert causes[0]["reason"] == "ProgressDeadlineExceeded"
    assert len(causes[0]["changed"][0]["by"]) < 1000 and "\x1b" not in of_files(run, tmp_path, deployment(broken), form="why")


def test_many_fields_are_not_all_told(run, tmp_path):
    """Which of them changed nobody can tell; the program does not guess."""
    fields = {"f:spec": {"f:a%d" % i: {} for i in range(100)}}
    thing = deployment([wrote("kubectl-client-side-apply", 54, 12, fields)])
    cause = of_files(run, tmp_path, thing)[0]["changed"][0]
    assert len(cause["fields"]) == 32 and cause["moreFields"] == 68
    assert "12s before  deployment/search  some of 100 fields  by kubectl-client-side-apply" in of_files(run, tmp_path, thing, form="why")


def test_a_person(run, tmp_path):
    thing = deployment([wrote("kubectl-edit", 54, 12, IMAGE)], annotations={"example.org/last-modified-by": "ada"})
    assert "by kubectl-edit (ada)" in of_files(run, tmp_path, thing, form="why")
    assert of_files(run, tmp_path, thing)[0]["changed"][0]["person"] == "ada"


def test_what_all_depend_on(run, tmp_path):
    """A quota of the namespace and a webhook are further away than the thing itself; another namespace's quota does not count."""
    def other(kind, name, ns, second, api="v1"):
        meta = {"name": name, "creationTimestamp": T % (0, 0), "managedFields": [wrote("terraform", 54, second, {"f:spec": {"f:hard": {}}})]}
        return {"apiVersion": api, "kind": kind, "metadata": {**meta, **({"namespace": ns} if ns else {})}}
    found = changed(of_files(run, tmp_path, deployment([wrote("kubectl-set", 50, 12, IMAGE)]), other("ResourceQuota", "team", "shop", 14),
                             other("ResourceQuota", "theirs", "elsewhere", 15),
                             other("ValidatingWebhookConfiguration", "policy", None, 16, "admissionregistration.k8s.io/v1")))
    assert [who for who, *_ in found] == ["Deployment/search", "ValidatingWebhookConfiguration/policy", "ResourceQuota/team"]


RULES = [  # apiGroups and resources of a webhook's rule, and whether it is asked about the Deployment or what it makes
    (["apps"], ["deployments"], True), (["*"], ["*"], True), (["apps"], ["*/*"], True), ([""], ["pods"], True), (["", "apps"], ["secrets", "deployments"], True),
    ([""], ["deployments"], False), (["batch"], ["*"], False), (["apps"], ["statefulsets", "deployments/scale"], False), (["*"], ["pods/exec"], False)]


def webhooks(groups, resources):
    return [{"name": "check.example.org", "rules": [{"apiGroups": groups, "apiVersions": ["*"], "operations": ["CREATE"], "resources": resources}]}]


@pytest.mark.parametrize("groups, resources, told", RULES)
def test_a_webhook_that_is_not_asked_about_it_is_no_lead(run, tmp_path, groups, resources, told):
    thing = deployment([wrote("kubectl-set", 50, 12, IMAGE)])
    hook = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "webhooks": webhooks(groups, resources),
            "metadata": {"name": "policy", "creationTimestamp": T % (0, 0), "managedFields": [wrote("helm", 54, 16, {"f:webhooks": {}})]}}
    names = [c["resource"]["kind"] for cause in of_files(run, tmp_path, thing, hook) for c in cause.get("changed", [])]
    assert "Deployment" in names and ("MutatingWebhookConfiguration" in names) == told


def test_of_a_secret_only_that_it_changed(run, tmp_path):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "creationTimestamp": T % (0, 0)},
           "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "s", "secret": {"secretName": "db"}}]},
           "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": T % (54, 24)}],
                      "containerStatuses": [{"name": "c", "ready": False, "restartCount": 4,
                                             "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}}]}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop", "creationTimestamp": T % (0, 0),
                                                                "managedFields": [wrote("vault", 54, 12, {"f:data": {"f:hush": {}}})]}}
    causes = of_files(run, tmp_path, pod, secret)
    assert changed(causes) == [("Secret/db", "changed", "vault", [])] and "hush" not in json.dumps(causes)
    assert "before  secret/db  was changed  by vault" in of_files(run, tmp_path, pod, secret, form="why")


# ---- recordings --------------------------------------------------------------------------


def recording(path, *moments):
    lines = [{"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": T % (0, 0), "context": "c", "kinds": []}]
    lines += [{"t": t, "type": "MODIFIED", "object": copy.deepcopy(thing)} for t, thing in moments]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("managed", [None, [wrote("argocd-controller", 54, 12, IMAGE)]])
def test_a_recording_tells_from_and_to(run, tmp_path, managed):
    """And who, where it has managedFields: other programs may write them."""
    path = recording(tmp_path / "r.jsonl", (T % (50, 0), deployment(image="search:8.0.3", gen=1, failed=False)),
                     (T % (54, 12), deployment(managed, failed=False)), (T % (54, 24), deployment(managed)))
    by = "argocd-controller" if managed else None
    causes = run.json("--replay", path, "-A")["rootCauses"]
    assert changed(causes) == [("Deployment/search", "changed", by, [(PATH, "search:8.0.3", "search:8.1.0")])]
    line = "12s before  deployment/search  image search:8.0.3 → search:8.1.0" + ("  by argocd-controller" if managed else "")
    assert "changed    " + line + "\n" in run.text("--replay", path, "-A", "-o", "why")
    assert "changed " + line + "\n" in run.text("--replay", path, "-A", "--problems")
    with run.screen("--replay", path, "-A", "--speed", "1000", cols=140, rows=40) as term:
        term.wait("Failed")
        term.keys("p")
        term.wait("1 root cause")
        term.keys(" ")
        term.wait("changed " + line)


def with_credentials(value, gen, failed):
    thing = deployment(gen=gen, failed=failed, annotations={"example.org/api-token": "n" + value})
    container = thing["spec"]["template"]["spec"]["containers"][0]
    container["env"] = [{"name": "MODE", "value": "m" + value[-1]}, {"name": "DB_PASSWORD", "value": value},
                        {"name": "PULL", "valueFrom": {"secretKeyRef": {"name": "db" + value[-1], "key": "password"}}}]
    container["args"] = ["--level=" + value[-1], "--db-password=" + value, "--token", value]
    thing["spec"]["auth"] = {"password": value, "passwordSecretRef": "ref-" + value[-1], "clientSecret": {"value": value}}
    if gen > 1:
        container["env"].append({"name": "API_TOKEN", "value": value})
        thing["spec"]["proxy"] = {"secretName": "named", "privateKey": value, "note": "-----BEGIN PRIVATE KEY-----" + value}
    return thing


def test_a_credential_is_not_told_by_its_change(run, tmp_path):
    """The name of its field, or of the entry that it stands in, says what it is; that it changed is told, on every way out."""
    path = recording(tmp_path / "r.jsonl", (T % (50, 0), with_credentials("hunter2", 1, False)),
                     (T % (54, 12), with_credentials("hunter3", 2, False)), (T % (54, 24), with_credentials("hunter3", 2, True)))
    fields = {f["path"]: f for f in run.json("--replay", path, "-A")["rootCauses"][0]["changed"][0]["fields"]}
    container = "spec.template.spec.containers[name=search]."
    for name in "spec.auth.password", "spec.auth.clientSecret.value", container + "env[name=DB_PASSWORD].value":
        assert fields[name] == {"path": name}
    assert fields[container + "env[name=MODE].value"]["to"] == "m3" and fields["spec.auth.passwordSecretRef"]["to"] == "ref-3"
    assert fields[container + "env[name=PULL].valueFrom.secretKeyRef.name"]["to"] == "db3"
    assert json.loads(fields[container + "args"]["to"]) == ["--level=3", "--db-password=(hidden)", "--token", "(hidden)"]
    assert json.loads(fields[container + "env[name=API_TOKEN]"]["to"]) == {"name": "API_TOKEN", "value": "(hidden)"}
    assert json.loads(fields["spec.proxy"]["to"]) == {"secretName": "named", "privateKey": "(hidden)", "note": "(hidden)"}
    outputs = [("-o", form) for form in ("why", "json", "table")] + [("--problems",)] + [("--report", tmp_path / ("r" + e)) for e in (".md", ".html")]
    for args in outputs + [("--diff", "8m,0s", "-o", form) for form in ("table", "json", "yaml")]:
        done = run("--replay", path, "-A", *args)
        assert done.returncode == 0 and b"hunter" not in done.stdout + done.stderr, args
    for end in ".md", ".html":
        text = (tmp_path / ("r" + end)).read_text()
        assert "spec.auth.password" in text and "hunter" not in text
    assert "spec.auth.password  (hidden) → (hidden)" in run.text("--replay", path, "-A", "--diff", "8m,0s")


def test_no_screen_tells_a_credential(fake, run):
    fake.put("widgets", "a", spec={"size": 1, "password": "hunter2"}, **READY)
    with run.screen("widgets", rows=40, cols=160) as term:
        term.wait("Ready")
        fake.put("widgets", "a", spec={"size": 2, "password": "hunter3", "secretRef": {"name": "x"}}, **FAILED)
        term.wait("Failed")
        term.keys("C")
        term.wait("widget/a")
        term.keys(" ")
        term.wait("spec.password")
        term.wait("(hidden)")
        term.keys("\x1b")
        term.wait("RESOURCE")
        term.keys("\r")
        term.wait("Overview")
        term.open_tab("YAML")
        term.wait("password: (hidden)")
        assert "secretRef" in term.text() and b"hunter" not in term.raw


def test_no_recording_capsule_or_copy_has_a_credential(serve, client, tmp_path, monkeypatch):
    """By the name of a field or an entry, behind a flag, within a text; what refers to one stays, as does a count of that name."""
    monkeypatch.chdir(tmp_path)
    fake = serve(types=QUOTAS)

    def spec(size, value):
        return {"size": size, "password": value, "auth": {"token": value, "env": [{"name": "DB_PASSWORD", "value": value}]}, "secretRef": {"name": "kept"},
                "args": ["--token", value, "--db-password=" + value]}

    def put(generation, state):
        meta = {"name": "a", "namespace": "default", "uid": "u", "generation": generation, "creationTimestamp": T % (0, 0)}
        status = {**state["status"], "summary": {"pass": 7, "adminPassword": "hunter2"}}
        fake.put("widgets", "a", metadata=meta, spec=spec(generation, "hunter%d" % generation), status=status)

    put(1, READY)
    fake.put("configmaps", "c", data={"settings.yaml": "user: me\npassword: hunter2\n", "apiKey": "hunter2"})
    with client(fake).screen("widgets,configmaps", "--record", tmp_path / "r.jsonl", rows=40, cols=160) as term:
        term.wait(lambda text: "Ready" in text and "live ●" in text)
        put(2, READY)
        wait_for(lambda: '"size":2' in (tmp_path / "r.jsonl").read_text())
        put(2, FAILED)
        term.wait("Failed")
        term.keys("p")
        term.wait("root cause")
        term.keys(" ")
        term.wait("spec.password")
        term.keys("M")
        text = wait_for(lambda: term.read() and copied(term)).decode()
        assert "spec.password" in text and "spec.size 1 → 2" in text and "hunter" not in text
        term.keys("\x1b")
        term.wait("RESOURCE")
        term.keys("H")
        capsule = wait_for(lambda: next(tmp_path.glob("*.jsonl.gz"), None))
        term.wait("written")
        term.keys("q")
        term.end()
        assert b"hunter" not in term.raw
    for text in (tmp_path / "r.jsonl").read_text(), gzip.open(capsule, "rt").read():
        assert "hunter" not in text and text.count("(hidden)") >= 5
        assert '"secretRef":{"name":"kept"}' in text and '"pass":7' in text


def test_values_are_bounded(run, tmp_path):
    def config(value):
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop", "creationTimestamp": T % (0, 0),
                                                                      "resourceVersion": str(len(value))},
                "data": {"k": value}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "uid": "p", "creationTimestamp": T % (0, 0)},
           "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "s", "configMap": {"name": "settings"}}]},
           "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": T % (1, 0)}]}}
    bad = copy.deepcopy(pod)
    bad["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": T % (54, 24)}],
                     "containerStatuses": [{"name": "c", "ready": False, "restartCount": 4,
                                            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}}]}
    path = recording(tmp_path / "r.jsonl", (T % (50, 0), config("a\nb")), (T % (50, 0), pod), (T % (54, 12), config("ü" * 100000)), (T % (54, 24), bad))
    field = run.json("--replay", path, "-A")["rootCauses"][0]["changed"][0]["fields"][0]
    assert field["path"] == "data.k" and field["from"] == "a\nb" and field["to"] == "ü" * 500
    assert max(len(line) for line in run.text("--replay", path, "-A", "-o", "why").split("\n")) < 300


# ---- a server ----------------------------------------------------------------------------


FAILED = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "it broke", "lastTransitionTime": T % (54, 24)}]}}


def put(fake, plural, name, managed, **fields):
    body = fake.put(plural, name, created=T % (0, 0), **fields)
    body["metadata"]["managedFields"] = managed
    return body


@pytest.fixture
def fake(serve):
    return serve(types=QUOTAS)


@pytest.fixture
def broken(fake):
    """A widget that fails 12 s after somebody has edited it, and 20 s after somebody has edited a quota."""
    put(fake, "widgets", "a", [wrote("kubectl-edit", 54, 12, SIZE), wrote("widget-operator", 54, 24, {"f:status": {}}, subresource="status")],
        spec={"size": 1}, **FAILED)
    put(fake, "resourcequotas", "team", [wrote("terraform", 54, 4, {"f:spec": {"f:hard": {}}})], spec={"hard": {"pods": "1"}})
    return fake


def metadata_requests(fake):
    return [r for r in fake.seen() if "PartialObjectMetadata" in r.headers.get("accept", "") and not r.watch]


def test_once(broken, run):
    causes = run.json("widgets")["rootCauses"]
    assert changed(causes) == [("Widget/a", "changed", "kubectl-edit", [("spec.size", None, None)]),
                               ("ResourceQuota/team", "changed", "terraform", [("spec.hard", None, None)])]
    asked = metadata_requests(broken)
    assert 0 < len(asked) <= 20 and len({r.target for r in asked}) == len(asked)
    assert "12s before  widget/a  spec.size  by kubectl-edit" in run.text("widgets", "-o", "why")
    assert "12s before  widget/a  spec.size  by kubectl-edit" in run.text("widgets", "--problems")


def test_webhooks_of_a_server(serve, client):
    """Their rules are read where it is asked for who changed them."""
    fake = serve(types=QUOTAS + (("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", False),))
    put(fake, "widgets", "a", [], spec={"size": 1}, **FAILED)
    for name, group in (("mine", "example.org"), ("theirs", "batch")):
        put(fake, "validatingwebhookconfigurations", name, [wrote("helm", 54, 16, {"f:webhooks": {}})], webhooks=webhooks([group], ["*"]))
    done = client(fake)("widgets", "-o", "json")
    assert [who for who, *_ in changed(json.loads(done.stdout)["rootCauses"])] == ["ValidatingWebhookConfiguration/mine"]


@pytest.mark.parametrize("args", [("widgets",), ("widgets", "-o", "wide"), ("-o", "name"), ("widgets", "-o", "tree")])
def test_nothing_is_asked_unless_it_is_shown(broken, run, args):
    run.text(*args)
    assert not [r for r in metadata_requests(broken) if "/a" in r.path or "quota" in r.path]


def test_nothing_is_asked_when_nothing_fails(fake, run):
    put(fake, "widgets", "a", [], spec={}, status={"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": T % (0, 0)}]})
    run.json("widgets")
    assert not [r for r in metadata_requests(fake) if r.path.endswith("/widgets/a")]


@pytest.mark.parametrize("reply", [status(403, "Forbidden"), status(500, "InternalError"), answer(b"{"), answer(b"[]"), answer(b"x" * 100)])
def test_what_may_not_be_read(broken, run, reply):
    """The rest stands, and nothing is said of it."""
    broken.on("*", reply, when=lambda r: "PartialObjectMetadata" in r.headers.get("accept", ""), times=0)
    done = run("widgets", "-o", "json")
    assert done.returncode == 0 and json.loads(done.stdout)["rootCauses"][0]["reason"] == "Broken"


def test_no_more_than_twenty(fake, run):
    """Also of many causes."""
    for i in range(60):
        put(fake, "widgets", "w%02d" % i, [wrote("kubectl-edit", 54, 12, SIZE)], spec={"size": i + 1},
            status={"conditions": [{"type": "Ready", "status": "False", "reason": "R%d" % i, "message": "m%d" % i, "lastTransitionTime": T % (54, 24)}]})
    causes = run.json("widgets")["rootCauses"]
    assert len(causes) == 60 and 5 <= sum("changed" in c for c in causes) <= 20
    assert len(metadata_requests(fake)) <= 20


def test_a_server_that_does_not_answer_that(broken, run):
    """What prints once waits some seconds for it, and no longer."""
    broken.on("*", stall, when=lambda r: "PartialObjectMetadata" in r.headers.get("accept", ""), times=0)
    assert json.loads(run("widgets", "-o", "json").stdout)["rootCauses"][0]["reason"] == "Broken"


# ---- the dashboard -----------------------------------------------------------------------


def test_why_asks(broken, run):
    with run.screen("widgets", cols=120) as term:
        term.wait("widget/a")
        term.wait("live")
        assert not metadata_requests(broken)
        term.keys("w")
        term.wait("by kubectl-edit")
        n = len(metadata_requests(broken))
        assert 0 < n <= 20
        term.keys("\x1b")
        term.wait("PHASE")
        term.keys("w")
        term.wait("by kubectl-edit")
        assert len(metadata_requests(broken)) == n      # known already


def test_problems_asks_when_unfolded(broken, run):
    with run.screen("widgets", cols=120) as term:
        term.wait("live")
        term.keys("p")
        term.wait("1 root cause")
        assert not metadata_requests(broken)
        term.keys(" ")
        term.wait("before  widget/a  spec.size  by kubectl-edit")


def test_a_copy_waits_for_it(broken, run):
    with run.screen("widgets", cols=120) as term:
        term.wait("live")
        term.wait("widget/a")
        term.keys("M")
        term.wait("copied as Markdown")
        wait_for(lambda: term.read() and re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", term.raw))
        copied = base64.b64decode(re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", term.raw)[-1]).decode()
    assert "  changed `12s before  widget/a  spec.size  by kubectl-edit`\n" in copied


def test_a_copy_does_not_wait_for_long(broken, run):
    broken.on("*", stall, when=lambda r: "PartialObjectMetadata" in r.headers.get("accept", ""), times=0)
    with run.screen("widgets", cols=120) as term:
        term.wait("live")
        term.wait("widget/a")
        term.keys("M")
        wait_for(lambda: term.read() and re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", term.raw), seconds=20)
        term.keys("M")
        term.keys("y")      # any key ends the waiting
        term.wait("copied: a")


def test_live_with_values(fake, run):
    """What the dashboard has seen itself has its values, and who made it is asked for."""
    def written(generation, managed, **condition):
        meta = {"name": "a", "namespace": "default", "uid": "u", "creationTimestamp": T % (0, 0), "generation": generation,
                "resourceVersion": str(fake.version + 1), "managedFields": managed}
        fake.put("widgets", "a", metadata=meta, spec={"size": generation},
                 status={"observedGeneration": generation, "conditions": [{"type": "Ready", **condition}]})

    def now():
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    good = {"status": "True", "reason": "Ok", "lastTransitionTime": T % (0, 0)}
    written(1, [], **good)
    with run.screen("widgets", cols=120) as term:
        term.wait("widget/a")
        term.wait("live")
        managed = [{"manager": "ada", "operation": "Update", "time": now(), "fieldsV1": SIZE}]
        written(2, managed, **good)
        time.sleep(2.1)
        written(2, managed, status="False", reason="Broken", message="it broke", lastTransitionTime=now())
        term.wait("it broke")
        term.keys("w")
        term.wait("before  widget/a  spec.size 1 → 2  by ada")


# ---- capsules ----------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["", "w"])
def test_a_capsule_tells_who(broken, run, tmp_path, monkeypatch, view):
    """As the dashboard did when H was pressed, also where nothing had asked for it before; without what is secret, and without managedFields."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    fields = {"f:spec": {"f:size": {}, "f:urls": {'k:{"url":"https://me:c4nary@h.test/"}': {"f:a": {}}}}}
    meta = put(broken, "widgets", "a", [wrote("kubectl-edit", 54, 12, fields), wrote("vim", 4, 12, SIZE)], spec={"size": 1}, **FAILED)["metadata"]
    meta["annotations"] = {"example.org/last-modified-by": "ada", "example.org/token": "c4nary"}
    with run.screen("widgets", cols=160, rows=30) as term:
        term.wait(lambda text: "live" in text and "widget/a" in text)
        if view:
            term.keys(view)
            term.wait("by kubectl-edit (ada)")
        term.keys("H")
        name = re.search(r"(kubectl-status-\S+\.jsonl\.gz) written", term.wait("written")).group(1)
    records = [json.loads(line) for line in gzip.open(name).read().decode().splitlines()]
    assert "managedFields" not in json.dumps(records) and "c4nary" not in json.dumps(records) and "vim" not in json.dumps(records)
    causes = run.json("--replay", name, "-o", "json")["rootCauses"]
    assert [(what, who) for what, _, who, _ in changed(causes)] == [("Widget/a", "kubectl-edit"), ("ResourceQuota/team", "terraform")]
    assert causes[0]["changed"][0]["person"] == "ada" and "spec.size" in [f["path"] for f in causes[0]["changed"][0]["fields"]]
    text = run.text("--replay", name, "-o", "why")
    assert re.search(r"changed +12s before +widget/a .* by kubectl-edit \(ada\)", text) and "by terraform" in text
    with run.screen("--replay", name, cols=160, rows=30) as term:
        term.wait("widget/a")
        term.keys("" if view else "w")
        term.wait("by kubectl-edit (ada)")


@pytest.mark.parametrize("edits", ["x", [7], [{"time": T % (54, 12), "manager": "m"}], [{"time": 1, "manager": 7}], [{"time": 1, "manager": "m", "fields": [7]}],
                                   [{"time": -1, "manager": "m"}], [{"manager": "m"}], [{"time": 1, "manager": "m" * 2000}]])
def test_edits_that_are_none(run, tmp_path, edits):
    """The line is left out and told, and the rest is read."""
    at = "2026-11-20T08:59:00Z"
    path = tmp_path / "a.jsonl"
    header = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": at}
    about = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "shop", "name": "search"}}
    path.write_text("".join(json.dumps(r) + "\n" for r in (header, {"t": at, "type": "BOOKMARK", "object": about, "edits": edits},
                                                         {"t": at, "type": "ADDED", "object": deployment()})))
    done = run("--replay", path, "-A", "-o", "json")
    assert b"the first in line 2" in done.stderr and not changed(json.loads(done.stdout)["rootCauses"])
