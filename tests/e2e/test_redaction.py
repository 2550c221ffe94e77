# SPDX-License-Identifier: Apache-2.0
"""What texts must not tell, on every way out; and that the names of objects are what they are."""
import base64
import json
import re
import signal

import pytest

from client_world import certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from client_world import WIDGETS
from fakeapi import TYPES, answer, status
from program import wait_for
from test_hostile import OUTPUTS

NOW = "2026-11-20T09:00:00Z"
CANARY = "c4nary"
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": CANARY}}
# a text, and what must be left of it
TEXTS = [
    ("cannot clone https://me:%s@git.example.org/x: denied" % CANARY, "@git.example.org/x: denied"),
    ("cannot clone HttpS://%s@git.example.org/x: denied" % CANARY, "@git.example.org/x: denied"),
    ("dial me:%s@db.example.org: refused" % CANARY, "@db.example.org: refused"),
    ("get https://h.example.org/b?sv=1&sig=%s&se=2: 403" % CANARY, "&se=2: 403"),
    ("get https://h.example.org/b?X-Amz-Signature=%s&X-Amz-Date=2: 403" % CANARY, "&X-Amz-Date=2: 403"),
    ("get https://h.example.org/b;TOKEN=%s;v=2#access_token=%s" % (CANARY, CANARY), ";v=2#access_token="),
    ('said {"url":"https:\\/\\/h.example.org?a=b\\u0026token=%s\\u0026c=d"}' % CANARY, "\\u0026c=d"),
    ("get https://h.example.org/?next=https%%3A%%2F%%2Fi%%3Fpassword%%3D%s%%26a=b" % CANARY, "%26a=b"),
    ("denied: " + json.dumps(SECRET), "it holds a Secret"),
    ("denied: " + json.dumps({"object": json.dumps(SECRET)}), "it holds a Secret"),
    ("denied:\napiVersion: v1\nkind: Secret\nstringData:\n  k: %s\n" % CANARY, "it holds a Secret"),
]


def widget(name, message, **metadata):
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "default", **metadata},
            "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": message,
                                       "lastTransitionTime": "2026-11-20T08:56:00Z"}]}}


def write(path, objects):
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return path


@pytest.mark.parametrize("text,left", TEXTS)
def test_no_output_tells_it(run, tmp_path, text, left):
    path = write(tmp_path / "world.json", [widget("a", text, annotations={"note": text, "name": text})])
    for args in OUTPUTS:
        done = run("-f", path, "--as-of", NOW, *args)
        assert CANARY.encode() not in done.stdout + done.stderr, args
    [item] = run.json("-f", path, "--as-of", NOW)["items"]
    assert left in item["message"] and left in item["conditions"][0]["message"]


def test_no_live_way_out_tells_it(fake, run, tmp_path):
    """Changes as lines, recordings and what they show, --for, -v, notices, events."""
    for n, (text, _) in enumerate(TEXTS):
        fake.put("widgets", "w%d" % n, status=widget("x", text)["status"], spec={"dsn": text, "env": [{"name": "A", "value": text}]})
    fake.on(WIDGETS, answer(b'{"kind":"Status","apiVersion":"v1","status":"Failure","code":503}', 503,
                        headers={"warning": '299 - "see https://me:%s@h.example.org"' % CANARY}), times=1)
    child = run.start("widgets", "-w", "-o", "table", "--record", tmp_path / "rec.jsonl", "-v", "9")
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "last", status=widget("x", TEXTS[0][0] + " last")["status"])
    wait_for(lambda: "last" in (tmp_path / "rec.jsonl").read_text())
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    recording = (tmp_path / "rec.jsonl").read_bytes()
    assert b"@git.example.org" in recording and b"sig=" in recording
    assert CANARY.encode() not in out + err + recording
    for args in OUTPUTS:
        done = run("--replay", tmp_path / "rec.jsonl", *args)
        assert CANARY.encode() not in done.stdout + done.stderr, args


def copied(term):
    """What was handed to the clipboard last."""
    found = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", term.raw)
    return base64.b64decode(found[-1]) if found else b""


def test_no_screen_tells_it(fake, run, tmp_path):
    """Table, details with their tabs, why, tree, problems, timeline, changes, what is copied and what is exported."""
    broken = widget("x", TEXTS[0][0])["status"]["conditions"][0]
    everything = {"conditions": [broken] + [{**broken, "type": "C%d" % n, "message": text} for n, (text, _) in enumerate(TEXTS)]}
    fake.put("widgets", "all", status=everything, spec={"texts": [text for text, _ in TEXTS]})
    for n, (text, _) in enumerate(TEXTS):
        fake.put("widgets", "w%d" % n, status=widget("x", text)["status"])
    with run.screen("widgets", rows=50, cols=200) as term:
        term.wait(lambda text: "widget/all" in text and "widget/w7" in text and "it holds a Secret" in text)
        term.keys("M")
        wait_for(lambda: term.read() and b"@git.example.org" in copied(term))
        assert CANARY.encode() not in copied(term)
        for key, shown in ("t", "git.example.org"), ("w", "git.example.org"), ("p", "git.example.org"), ("T", "git.example.org"):
            term.keys(key)
            term.wait(shown)
            term.keys("\x1b")
            term.wait("RESOURCE")
        fake.put("widgets", "all", status=everything, spec={"texts": [text for text, _ in TEXTS], "more": TEXTS[3][0]})
        term.keys("C")
        term.wait("widget/all")
        term.keys("\x1b")
        term.wait("RESOURCE")
        term.keys("/all\r\r")
        term.wait("Overview")
        for tab, shown in ("Conditions", "C3"), ("YAML", "&se=2"), ("Overview", "git.example.org"):
            term.open_tab(tab)
            term.wait(shown)
        term.keys("\x1b")
        term.wait("RESOURCE")
        term.keys("Te")
        term.wait("write to: ")
        term.keys("\x15%s\r" % (tmp_path / "timeline.txt"))
        term.wait("written to")
        assert CANARY.encode() not in term.raw
    text = (tmp_path / "timeline.txt").read_text()
    assert "@git.example.org" in text and CANARY not in text


def test_a_log_tells_nothing(fake, run):
    log = "start\nput %s\nget https://me:%s@h.example.org/?sig=%s\nend\n" % (json.dumps(SECRET), CANARY, CANARY)
    fake.put("pods", "cart-0", status={"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": [
        {"name": "cart", "image": "cart:1", "state": {"running": {"startedAt": NOW}}, "ready": False, "restartCount": 0}]})
    fake.on("/api/v1/namespaces/default/pods/cart-0/log", answer(log.encode(), headers={"content-type": "text/plain"}), times=0)
    with run.screen("pods", rows=30, cols=120) as term:
        term.wait("pod/cart-0")
        term.keys("\r")
        term.wait("Logs")
        term.keys("8")
        term.wait("it holds a Secret")
        term.wait("h.example.org/?sig=*")
        term.wait("end")
        assert CANARY.encode() not in term.raw


# -- errors ---------------------------------------------------------------------------


ERRORS = {
    "server": lambda fake, client, tmp_path: client(fake, server="https://me:%s@127.0.0.1:1" % CANARY),
    "bad server": lambda fake, client, tmp_path: client(fake, server="https://me:%s@bad host:x" % CANARY),
    "proxy": lambda fake, client, tmp_path: client(fake, **{"proxy-url": "http://me:%s@127.0.0.1:1" % CANARY}),
    "bad proxy": lambda fake, client, tmp_path: client(fake, **{"proxy-url": "http://me:%s@127.0.0.1:x" % CANARY}),
}


@pytest.mark.parametrize("what", ERRORS)
@pytest.mark.parametrize("args", [[], ["-v", "9"], ["--for", "Ready", "--timeout", "1s"], ["-w"], ["-o", "json"]], ids=" ".join)
def test_no_error_tells_it(fake, client, tmp_path, what, args):
    done = ERRORS[what](fake, client, tmp_path)("widgets", *args, "--request-timeout", "2s", timeout=60)
    assert done.returncode == 1 and done.stderr and CANARY.encode() not in done.stderr + done.stdout, done.stderr


@pytest.mark.parametrize("what", ERRORS)
def test_no_error_on_the_screen_tells_it(fake, client, tmp_path, what):
    with ERRORS[what](fake, client, tmp_path).screen("widgets", "--request-timeout", "2s", rows=24, cols=160) as term:
        wait_for(lambda: term.read(0.1) is None or b"error" in term.raw or b"failed" in term.raw or b"refused" in term.raw)
        assert term.raw and CANARY.encode() not in term.raw


def test_how_to_install_a_credential_plugin(fake, client):
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "/nonexistent/plugin", "interactiveMode": "Never",
                     "installHint": "get it at https://me:%s@dl.example.org/?token=%s" % (CANARY, CANARY)}}
    done = client(fake, user)("widgets")
    assert done.returncode == 1 and CANARY.encode() not in done.stderr and b"dl.example.org/?token=*" in done.stderr, done.stderr


@pytest.mark.parametrize("body", [
    {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "InternalError", "code": 500,
     "message": "failed calling webhook https://me:%s@h.example.org/?sig=%s" % (CANARY, CANARY)},
    "upstream https://me:%s@h.example.org is down" % CANARY])
def test_no_answer_of_a_server_tells_it(fake, run, body):
    fake.on(WIDGETS, answer(json.dumps(body).encode() if isinstance(body, dict) else body.encode(), 500), times=0)
    for args in ([], ["-o", "json"], ["-o", "yaml"], ["-v", "9"], ["--for", "Ready", "--timeout", "1s"]):
        done = run("widgets", *args)
        assert done.stderr and CANARY.encode() not in done.stdout + done.stderr, done.stderr


# -- names ------------------------------------------------------------------------------

ALICE, BOBBY, CAROL = "okta:alice@example.com", "okta:bobby@example.com", "admin:carol@example.com"
TYPED = (*TYPES, ("user.openshift.io", "v1", "identities", "Identity", False), ("user.openshift.io", "v1", "users", "User", False))


def named():
    rbac, user = "rbac.authorization.k8s.io", "user.openshift.io/v1"
    return [
        {"apiVersion": user, "kind": "Identity", "metadata": {"name": ALICE, "uid": "1"}, "providerName": "okta", "user": {"name": "alice"}},
        {"apiVersion": user, "kind": "Identity", "metadata": {"name": BOBBY, "uid": "2"}, "providerName": "okta", "user": {"name": "bobby"}},
        {"apiVersion": rbac + "/v1", "kind": "ClusterRoleBinding", "metadata": {"name": CAROL, "uid": "3"},
         "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": CAROL}, "subjects": [{"kind": "User", "name": CAROL}]},
        {**widget("a", "it waits", ownerReferences=[{"apiVersion": user, "kind": "Identity", "name": ALICE, "uid": "1"}]),
         "spec": {"partRef": {"apiVersion": "example.org/v1", "kind": "Part", "name": CAROL}}},
        {**widget(CAROL, "cannot clone https://me:%s@h.example.org" % CANARY), "kind": "Part"},
    ]


def test_names_are_never_rewritten(run, tmp_path):
    path = write(tmp_path / "world.json", named())
    doc = run.json("-f", path, "--as-of", NOW)
    assert sorted(i["name"] for i in doc["items"]) == sorted(["a", ALICE, BOBBY, CAROL, CAROL])
    [item] = [i for i in doc["items"] if i["name"] == "a"]
    assert {d["on"]["name"] for d in item["dependencies"] if d.get("found")} == {ALICE, CAROL}
    [cause] = [r for r in doc["rootCauses"] if r["resource"]["kind"] == "Part"]
    assert cause["resource"]["name"] == CAROL and "***" in cause["message"]
    for args in (["-o", "wide"], ["-o", "tree"], ["-o", "yaml"], ["-o", "name"]):
        text = run.text("-f", path, "--as-of", NOW, *args)
        assert ALICE in text and BOBBY in text and CAROL in text, args
    assert "kubectl describe part.example.org %s -n default" % CAROL in run.text("-f", path, "--as-of", NOW, "-o", "why")
    done = run("-f", path, "--for", "Ready", "--timeout", "0", "part")
    assert done.returncode == 3 or done.returncode == 4
    assert b"part/" + CAROL.encode() in done.stderr and CANARY.encode() not in done.stderr, done.stderr
    done = run("-f", path, "identity", "okta:erin@example.com")
    assert done.returncode == 1 and b'"okta:erin@example.com" not found' in done.stderr


def test_names_in_recordings(serve, client, tmp_path):
    """Two objects are two when they are played, too; and what is said of one that is not there names it."""
    fake = serve(types=TYPED)
    for name in ALICE, BOBBY:
        fake.put("identities", name, providerName="okta", user={"name": "x"})
    fake.put("users", "alice", identities=[ALICE, BOBBY])
    run = client(fake)
    text = run.text("identities", "--record", tmp_path / "rec.jsonl", "-o", "name")
    assert text.split() == ["identity.user.openshift.io/" + ALICE, "identity.user.openshift.io/" + BOBBY]
    assert run.text("--replay", tmp_path / "rec.jsonl", "identities", "-o", "name") == text
    run.text("users", "--record", tmp_path / "users.jsonl", "-o", "name")
    records = [json.loads(line) for line in (tmp_path / "users.jsonl").read_text().splitlines()]
    assert [ALICE, BOBBY] in [r.get("object", {}).get("identities") for r in records]
    done = run("identities", "okta:erin@example.com", "-v", "9")
    assert b'Error from server (NotFound): identities.user.openshift.io "okta:erin@example.com" not found' in done.stderr
    assert b"GET " + fake.url.encode() + b"/apis/user.openshift.io/v1/identities" in done.stderr


def test_a_named_kind_that_is_refused(serve, client):
    fake = serve(types=TYPED)
    fake.on("/apis/user.openshift.io/v1/identities", status(403, "Forbidden", "see https://me:%s@h.example.org" % CANARY), times=0)
    done = client(fake)("identities")
    assert done.returncode == 1 and b"@h.example.org" in done.stderr and CANARY.encode() not in done.stderr
