# SPDX-License-Identifier: Apache-2.0
"""Text that strangers write: whatever field it stands in, no output lets it reach a terminal as it is."""
import base64
import copy
import json
import os
import re
import subprocess
import unicodedata

import pytest
import yaml

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY, WIDGETS
from fakeapi import TYPES, status
from program import PROGRAM

NOW = "2026-11-20T09:00:00Z"
# NUL, OSC 52, CSI as one byte and as C1, backspace, DEL, right-to-left, isolate, zero-width, tag, a line of its own
HOSTILE = ("BEGIN\0\x1b]52;c;eA==\x07\x1b[2J\u009b31m\x08\x7f\u202e\u2066\u200b\u200d\ufeff\U000e0041\r"
           "\nFORGED deployment Ready\u2028FORGED\u0085FORGED END")
FORBIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                       "\U000e0000-\U000e0fff]")
OUTPUTS = [["-o", f] for f in ("table", "wide", "tree", "why", "name", "yaml", "kyaml", "json", "brief", "openmetrics")] + [
    ["--problems"], ["-o", "wide", "--color", "always"], ["-o", "why", "--absolute-time"], ["-o", "tree", "-A"],
    ["--for", "Ready", "--timeout", "0"], ["--for", "condition=Ready", "--timeout", "0"], ["-o", "name", "--exit-code"],
    ["-o", "wide", "-L", "app", "-L", "note", "--show-labels"], ["--sort-by", "name", "--no-headers"]]

CONDITION = {"type": "Ready", "status": "False", "reason": "Why", "message": "words", "lastTransitionTime": "2026-11-20T08:56:00Z"}
WORLD = [
    {"apiVersion": "v1", "kind": "Pod",
     "metadata": {"name": "pod", "namespace": "ns", "uid": "u", "labels": {"app": "x"}, "annotations": {"note": "x"},
                  "finalizers": ["example.org/f"], "deletionTimestamp": "2026-11-20T08:00:00Z", "generateName": "p-",
                  "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "r", "controller": True}]},
     "spec": {"nodeName": "node", "containers": [{"name": "c", "image": "image"}],
              "volumes": [{"name": "v", "configMap": {"name": "cm"}}]},
     "status": {"phase": "Pending", "reason": "Why", "message": "words", "conditions": [CONDITION], "containerStatuses": [
         {"name": "c", "ready": False, "restartCount": 3, "image": "image",
          "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}},
          "lastState": {"terminated": {"reason": "Error", "exitCode": 1, "message": "panic"}}}]}},
    {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "widget", "namespace": "ns", "generation": 2},
     "spec": {"secretRef": {"name": "s"}, "version": "1"},
     "status": {"phase": "Broken", "observedGeneration": 2, "conditions": [CONDITION, {**CONDITION, "type": "Synced"}]}},
    {"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": "Subnet", "metadata": {"name": "subnet", "namespace": "ns"},
     "spec": {"cloudCredentialsRef": {"secretName": "c", "cloudName": "c"}, "resource": {"networkRef": "net"}},
     "status": {"conditions": [{**CONDITION, "type": "Available", "reason": "Progressing", "message": "Waiting for Network/net to be ready"},
                               {**CONDITION, "type": "Progressing", "status": "True", "reason": "Progressing"}]}},
    {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "event", "namespace": "ns"}, "type": "Warning", "reason": "Why",
     "message": "words", "involvedObject": {"apiVersion": "example.org/v1", "kind": "Widget", "name": "widget", "namespace": "ns"},
     "source": {"component": "me"}, "lastTimestamp": "2026-11-20T08:59:00Z"},
]


def leaves(value, path=()):
    """Every text and every key of a map, as paths; a key's path ends with None."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if path and path[-1] in ("labels", "annotations"):
                yield (*path, key, None)
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    elif isinstance(value, str):
        yield path


def with_text(obj, path, text):
    """A copy with that text in that place."""
    obj = copy.deepcopy(obj)
    at = obj
    steps = path[:-2] if path[-1] is None else path[:-1]
    for step in steps:
        at = at[step]
    if path[-1] is None:
        at[text] = at.pop(path[-2])
    else:
        at[path[-1]] = text
    return obj


def every_field(text):
    """The world once for each of its fields, with that text in it."""
    world = []
    for obj in WORLD:
        for n, path in enumerate(leaves(obj)):
            changed = with_text(obj, path, text)
            if path != ("metadata", "name"):
                changed["metadata"]["name"] += "-%d" % n
            world.append(changed)
    return world


def assert_harmless(data, colored=False):
    text = data.decode("utf-8")  # nothing that is no UTF-8
    if colored:
        text = re.sub("\x1b\\[[0-9;]*m", "", text)
    assert not FORBIDDEN.findall(text), sorted({unicodedata.name(c, hex(ord(c))) for c in FORBIDDEN.findall(text)})
    # -o why has texts of several lines in the column right of its labels, where no line of ours begins; KYAML, as kubectl prints it,
    # within their quotes, each line but the last one with a backslash at its end
    forged = [line for line in text.split("\n") if line.lstrip(" |`-").startswith("FORGED") and not line.startswith(" " * 11) and not line.endswith("\\")]
    assert not forged, forged[:3]


@pytest.fixture(params=["json", "yaml"])
def hostile_file(request, tmp_path):
    path = tmp_path / ("world." + request.param)
    world = {"apiVersion": "v1", "kind": "List", "items": every_field(HOSTILE)}
    path.write_text(json.dumps(world) if request.param == "json" else yaml.safe_dump(world))
    return path


@pytest.mark.parametrize("args", OUTPUTS, ids=" ".join)
def test_no_output_lets_it_through(run, hostile_file, args):
    done = run("-f", hostile_file, "--as-of", NOW, *args)
    assert done.returncode in (0, 3, 4), done.stderr
    assert done.stdout or "--for" in args
    assert_harmless(done.stdout, "always" in args)
    assert_harmless(done.stderr)


def test_it_is_shown_and_not_cut(run, hostile_file):
    """Also behind a NUL; and both documents say the same."""
    doc = run.json("-f", hostile_file, "--as-of", NOW)
    shown = re.findall(r"BEGIN\\u0000.*?(?:END|\"|\n)", json.dumps(doc))
    assert len(shown) > 60 and all(s.endswith("END") for s in shown)
    assert HOSTILE in {i["name"] for i in doc["items"]} and HOSTILE in {i.get("message") for i in doc["items"]}
    as_yaml = yaml.safe_load(run.text("-f", hostile_file, "--as-of", NOW, "-o", "yaml"))
    assert [(i["kind"], i["name"], i.get("message")) for i in as_yaml["items"]] == [
        (i["kind"], i["name"], i.get("message")) for i in doc["items"]]
    names = run.text("-f", hostile_file, "-o", "name").splitlines()
    assert len(names) == len(doc["items"]) and any("BEGIN" in n and n.endswith("END") for n in names)


@pytest.mark.parametrize("args", OUTPUTS, ids=" ".join)
def test_what_is_no_utf8(run, tmp_path, args):
    path = tmp_path / "world.json"
    world = json.dumps({"apiVersion": "v1", "kind": "List", "items": every_field("a-BYTES-z")}).encode()
    path.write_bytes(world.replace(b"BYTES", b"\xff\xc0\xaf\xed\xa0\x80\x9b"))
    done = run("-f", path, "--as-of", NOW, *args)
    assert_harmless(done.stdout, "always" in args)
    assert_harmless(done.stderr)
    if "-o" in args:
        assert "\ufffd" in done.stdout.decode()


CHANGES = [["-o", f] for f in ("table", "wide", "name", "json", "yaml")] + [["-o", "wide", "-L", "app"]]


@pytest.mark.parametrize("args", CHANGES, ids=" ".join)
def test_changes_as_they_come(fake, run, args):
    """-w: what is added, changed and gone."""
    name = "x\x1b[2J\u202e\u200b"
    fake.put("widgets", name, status={"conditions": [{**CONDITION, "message": HOSTILE}]})
    child = run.start("widgets", "-w", *args)
    fake.await_requests(1, WIDGETS, watch=True)
    out = child.stdout.readline()       # what is there at first, once all that it refers to is known
    fake.put("widgets", name, status={"conditions": [{**CONDITION, "reason": HOSTILE}]})
    fake.delete("widgets", name)
    fake.put("widgets", "end", **READY)
    while b"end" not in out:
        out += child.stdout.readline()
    child.terminate()
    child.wait(10)
    assert_harmless(out)
    if args[1:2] not in (["name"], []):
        assert b"DELETED" in out
    child.stdout.close()
    child.stderr.close()


# ---- the screen ---------------------------------------------------------------------------------

# what ncurses and the clipboard write: CSI, character sets and the keypad, OSC with its end
SEQUENCE = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[()*+][0-9A-Z]|\x1b[=>78cDEHMNOZ]|\x1b\\\\|\x1b\\]([^\x07\x1b]*)(?:\x07|\x1b\\\\)")
KEYS = ["v", "z", "z", "z", "z", "z", "Y", "M", "y", "p", "\r", "\x1b\x1b", "C", "\x1b\x1b", "T", "\x1b\x1b", "t", "\x1b\x1b", "w",
        "\x1b\x1b", "\r", "\t", "\t", "\t", "\t", "\t", "\t", "M", "\x1b\x1b", "/BEGIN", "\r", ":BEGIN", "\x1b\x1b", "?"]


def assert_harmless_screen(term):
    """All that the terminal was sent: our own sequences aside, nothing that does more than print."""
    text = re.sub("[\n\r\x08\x0e\x0f\x07]", "", SEQUENCE.sub("", term.raw.decode("utf-8")))
    assert not FORBIDDEN.findall(text), sorted({hex(ord(c)) for c in FORBIDDEN.findall(text)})
    for osc in (m.group(1) for m in SEQUENCE.finditer(term.raw.decode("utf-8")) if m.group(1)):
        kind, _, rest = osc.partition(";")
        assert kind in ("2", "11", "52"), osc
        assert not FORBIDDEN.search(rest) and rest != "c;eA==", osc
        if kind == "52":
            assert_harmless(base64.b64decode(rest.partition(";")[2]))


@pytest.mark.parametrize("rows, cols", [(24, 80), (50, 200)])
def test_no_view_lets_it_through(run, hostile_file, rows, cols):
    with run.screen("-f", hostile_file, "-A", "--as-of", NOW, rows=rows, cols=cols) as term:
        term.wait("BEGIN", 40)
        for key in KEYS:
            term.keys(key)
            term.read(0.3)
            term._settle()
        term.keys("\x1b\x1b\x1b\x1bq")
        term.read(0.3)
    assert b"\x1b]52;" in term.raw and b"\x1b[?1049h" in term.raw
    assert_harmless_screen(term)


def test_title_log_and_events_on_the_screen(fake, run):
    """What is set while it runs, and what is read when it is looked at."""
    fake.put("widgets", "a", **READY)
    with run.screen("widgets", rows=40, cols=160) as term:
        term.wait(lambda text: "widget/a" in text and "live" in text)  # what the first lists bring is no alarm
        fake.await_requests(1, WIDGETS, watch=True)
        fake.put("widgets", "bad\x1b]2;owned\x07\u202e", status={"phase": "Failed", "conditions": [
            {**CONDITION, "reason": HOSTILE, "message": HOSTILE}]})
        term.wait("Failed")
        for key in ("\r", "\t", "\t", "\t", "\t", "\t", "\t", "\x1b\x1b"):
            term.keys(key)
            term.read(0.3)
            term._settle()
    assert b"\x1b]2;" in term.raw
    assert_harmless_screen(term)


# ---- what a server says ---------------------------------------------------------------------------


def test_names_of_kinds_groups_and_contexts(serve, client, tmp_path):
    """A server is a stranger, too; a kubeconfig was sent by somebody."""
    bad = "K\x1b[2J\u202e\nFORGED"
    server = serve(types=TYPES + (("g\x1b]0;x\x07.example", "v1", "kinds", bad, True),))
    server.put("kinds", "a", status={"conditions": [{**CONDITION, "message": HOSTILE}]})
    server.put("widgets", "b", status={"conditions": [{**CONDITION, "message": HOSTILE}]})
    run = client(server)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text())
    config["contexts"].append({"name": "c\x1b]0;x\x07\nFORGED", "context": {"cluster": "c", "user": "u"}})
    path.write_text(json.dumps(config))
    for args in OUTPUTS:
        for more in ([], ["--all-contexts"]):
            done = run(*args, *more)
            assert_harmless(done.stdout, "always" in args)
            assert_harmless(done.stderr)


@pytest.mark.parametrize("args", [[], ["-o", "json"], ["--for", "Ready", "--timeout", "2s"], ["-v", "9"]], ids=" ".join)
def test_errors_and_warnings_of_a_server(fake, run, args):
    for code, reason in ((403, "Forbidden"), (404, "NotFound"), (500, "InternalError"), (400, "BadRequest")):
        fake.script.clear()
        fake.on(WIDGETS, status(code, reason, HOSTILE, {"warning": '299 - "%s"' % "be\x9bware\u200b".encode().decode("latin-1")}), times=0)
        done = run("widgets", *args)
        assert done.returncode in (1, 3) and b"FORGED" in done.stderr
        assert_harmless(done.stdout)
        assert_harmless(done.stderr)


@pytest.mark.parametrize("args", [["x\x1b[2J\u202e"], ["widgets", "y\u200b\nFORGED"], ["-o", "\x1b[2J"], ["--for", "\u202e"], ["-f", "/\x1b[2J"],
                                  ["--context", "\x1b]0;x\x07"], ["--sort-by", "\u2066"], ["--contexts", "a\x9b"], ["--as-of", "\x1b"]])
def test_errors_about_arguments(fake, run, args):
    done = run(*args)
    assert done.returncode in (1, 2) and done.stderr
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)


def test_candidates_of_a_completion(fake, run, tmp_path):
    """What nobody could type is not offered."""
    link = tmp_path / "kubectl_complete-status"
    link.symlink_to(os.path.realpath(PROGRAM))
    for name in ("good", "go\x1b[2J", "go\nod", "go\u202ed"):
        fake.put("widgets", name)
    config = json.loads((tmp_path / "config.json").read_text())
    config["contexts"] += [{"name": "c\x1b]0;x\x07", "context": {"cluster": "c", "user": "u"}}]
    (tmp_path / "config.json").write_text(json.dumps(config))
    for words, expected in ((["widgets", "go"], b"good\n:4\n"), (["--context", ""], b"c\n:4\n")):
        done = subprocess.run([str(link), *words], env=run.env, capture_output=True, timeout=60, check=False)
        assert done.stdout == expected


def test_a_name_is_no_flag_of_the_command_that_is_shown(run, tmp_path):
    """It can be pasted as it is."""
    path = tmp_path / "world.json"
    path.write_text(json.dumps(with_text(WORLD[1], ("metadata", "name"), "--kubeconfig=/tmp/x")))
    text = run.text("-f", path, "-o", "why")
    [command] = [line for line in text.splitlines() if "kubectl " in line]
    assert command.endswith("kubectl describe -n ns -- widget.example.org '--kubeconfig=/tmp/x'")


def test_passwords_in_addresses(run, tmp_path):
    path = tmp_path / "world.json"
    message = "cannot fetch https://me:hunter2@git.example.org/repo"
    path.write_text(json.dumps(with_text(WORLD[1], ("status", "conditions", 0, "message"), message)))
    for args in OUTPUTS:
        done = run("-f", path, "--as-of", NOW, *args)
        assert b"hunter2" not in done.stdout + done.stderr
    assert "cannot fetch https://**********@git.example.org/repo" in run.text("-f", path, "-o", "json")
