# SPDX-License-Identifier: Apache-2.0
"""The command line without a cluster: files, formats, exit statuses, bad input."""
import gzip
import json
import os
import pathlib
import random
import re
import signal
import subprocess

import pytest
import yaml

from program import PROGRAM, listens_by_default
from terminal import obey_interrupts

NOW = "2026-11-20T09:00:00Z"

ORC = """\
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: %s
metadata: {name: %s, namespace: edge, creationTimestamp: "2026-11-20T08:40:00Z", labels: {app: %s}}
spec: {cloudCredentialsRef: {secretName: c, cloudName: c}, resource: {%s}}
status:
  conditions:
  - {type: Available, status: "%s", reason: %s, message: "%s", lastTransitionTime: "2026-11-20T08:56:00Z"}
  - {type: Progressing, status: "%s", reason: %s, message: "%s", lastTransitionTime: "2026-11-20T08:56:00Z"}
"""


def orc(kind, name, reason, message, resource="", ready=False, progressing="True"):
    return ORC % (kind, name, name, resource, ready, reason, message, progressing, reason, message)


FAILED = orc("Network", "net", "InvalidConfiguration", "OverQuota: no more networks", progressing="False")
WAITING = orc("Subnet", "a", "Progressing", "Waiting for Network/net to be ready", "networkRef: net")
READY = orc("Router", "gw", "Success", "OpenStack resource is up to date", ready=True, progressing="False")


@pytest.fixture
def world_file(tmp_path):
    def write(*objects, name="world.yaml"):
        path = tmp_path / name
        path.write_text("---\n".join(objects))
        return path
    return write


@pytest.mark.parametrize("typed", ["csv", "csvs", "olm", "csv/a", "clusterserviceversions"])
def test_short_names_of_a_dump(run, world_file, typed):
    """Nobody tells them there."""
    dump = world_file("{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a}}\n", READY)
    assert run.text("-f", dump, typed, "-o", "name") == "clusterserviceversion.operators.coreos.com/a\n"
    assert run.text("-f", dump, "openstack", "-o", "name") == "router.openstack.k-orc.cloud/gw\n"


def test_compressed_files(run, world_file, tmp_path):
    plain = world_file(FAILED, READY)
    packed = gzip.compress(plain.read_bytes())
    half = len(plain.read_bytes()) // 2
    members = gzip.compress(plain.read_bytes()[:half]) + gzip.compress(plain.read_bytes()[half:]) + bytes(512)
    (tmp_path / "dump").mkdir()
    path = tmp_path / "dump" / "world.yaml.gz"
    path.write_bytes(packed)
    for source, stdin in ((path, b""), (path.parent, b""), ("-", packed), ("-", members)):
        assert run.text("-f", source, "-o", "name", stdin=stdin) == run.text("-f", plain, "-o", "name")
    path.write_bytes(packed[:-20])
    done = run("-f", path)
    assert done.returncode == 1 and done.stderr == b"error: error reading %s: gzip: unexpected end of file\n" % str(path).encode()
    path.write_bytes(packed[:20] + b"damaged" + packed[27:])
    done = run("-f", path)
    assert done.returncode == 1 and b"gzip: damaged" in done.stderr


def test_json_document(run, world_file):
    doc = run.json("-f", world_file(FAILED, WAITING, READY), "--as-of", NOW)
    assert doc["apiVersion"] == "kubectl-status/v1" and doc["kind"] == "StatusList" and doc["asOf"] == NOW
    assert doc["summary"] == {"total": 3, "byPhase": {"Failed": 1, "Waiting": 1, "Ready": 1},
                              "bySeverity": {"error": 1, "info": 1, "none": 1}}
    assert [i["name"] for i in doc["items"]] == ["net", "a", "gw"], "worst first"
    [cause] = doc["rootCauses"]
    assert cause["resource"] == {"group": "openstack.k-orc.cloud", "kind": "Network", "namespace": "edge",
                                 "name": "net", "cluster": ""}
    assert (cause["cause"], cause["severity"], cause["blocks"]) == ("failed", "error", 1)
    assert doc["items"][1]["waits"][0]["via"] == "spec.resource.networkRef"
    assert doc["items"][1]["since"] == "2026-11-20T08:56:00Z"
    assert "async" not in doc["items"][1] and "deletion" not in doc["items"][1], "absent facts are absent keys"


def test_yaml_is_the_same_document(run, world_file):
    path = world_file(FAILED, WAITING)
    doc = yaml.safe_load(run.text("-f", path, "-o", "yaml", "--as-of", NOW))
    expected = run.json("-f", path, "--as-of", NOW)
    assert json.loads(json.dumps(doc, default=lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ"))) == expected


def test_name_format(run, world_file):
    assert run.text("-f", world_file(FAILED, WAITING), "-o", "name").split() == [
        "network.openstack.k-orc.cloud/net", "subnet.openstack.k-orc.cloud/a"]


def test_table_in_a_pipe(run, world_file):
    lines = run.text("-f", world_file(FAILED, WAITING, READY), "--as-of", NOW).splitlines()
    assert "PHASE" in lines[0] and "MESSAGE" in lines[0]
    assert "network/net" in lines[1] and "Failed" in lines[1] and "OverQuota" in lines[1]
    assert "subnet/a" in lines[2] and "network/net" in lines[2]
    assert not any(line != line.rstrip() for line in lines), "no blanks at the ends"


def test_no_headers_and_problems(run, world_file):
    path = world_file(FAILED, WAITING, READY)
    assert "PHASE" not in run.text("-f", path, "--no-headers")
    out = run.text("-f", path, "--problems", "--as-of", NOW)
    assert "net" in out and "OverQuota" in out and "gw" not in out


@pytest.mark.parametrize("fmt", ["table", "wide", "tree", "why", "json", "yaml", "name"])
def test_every_format_prints(run, world_file, fmt):
    assert "net" in run.text("-f", world_file(FAILED, WAITING), "-o", fmt)


def test_namespace_type_and_selector(run, world_file):
    path = world_file(FAILED, WAITING, READY.replace("namespace: edge", "namespace: core"))
    assert [i["name"] for i in run.json("-f", path, "-n", "core")["items"]] == ["gw"]
    assert [i["name"] for i in run.json("-f", path, "subnets.openstack.k-orc.cloud")["items"]] == ["a"]
    assert [i["name"] for i in run.json("-f", path, "-l", "app in (gw, net)")["items"]] == ["net", "gw"]
    assert [i["name"] for i in run.json("-f", path, "--field-selector", "metadata.name!=net")["items"]] == ["a", "gw"]


def test_request_timeout_in_kubectls_words(run):
    done = run("--request-timeout", "abc")
    assert done.stderr.decode() == ("error: Invalid timeout value. Timeout must be a single integer in seconds, or an integer "
                                    "followed by a corresponding time unit (e.g. 1s | 2m | 3h)\n")


def test_stdin_folders_and_lists(run, tmp_path, world_file):
    assert run.json("-f", "-", stdin=(FAILED + "---\n" + WAITING).encode())["summary"]["total"] == 2
    docs = [yaml.safe_load(t) for t in (FAILED, WAITING)]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "list.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": docs}))
    (tmp_path / "sub" / "notes.txt").write_text("not an object")
    assert run.json("-f", tmp_path / "sub")["summary"]["total"] == 2
    world_file(READY, name="top.yaml")
    assert run.json("-f", tmp_path)["summary"]["total"] == 1
    assert run.json("-R", "-f", tmp_path)["summary"]["total"] == 3


def test_yaml_may_begin_with_a_brace(run):
    """A flow mapping is YAML, with names that are not quoted."""
    made = yaml.safe_load(READY)
    text = yaml.safe_dump(made, default_flow_style=True, width=10**6)
    assert text.startswith("{apiVersion:")
    for form in (text, "\n  " + text, json.dumps(made), json.dumps(made, indent=1)):
        doc = run.json("-f", "-", "--as-of", NOW, stdin=form.encode())
        assert [(i["kind"], i["phase"]) for i in doc["items"]] == [("Router", "Ready")]


JSON_OBJECT = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"uid": "1", "name": "a", "name": "b"}, "status": {"phase": "Failed"}, "status": {}}'


@pytest.mark.parametrize("text", [JSON_OBJECT, "apiVersion: v1\nkind: Pod\nmetadata: {uid: u, name: b}\n"], ids=["json", "yaml"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(run, tmp_path, text, encoding):
    """Without a mark UTF-16 is refused, as kubectl does; but the way out is named.  Of JSON's equal keys the last counts."""
    path = tmp_path / "a"
    path.write_bytes(text.encode(encoding))
    done = run("-f", path, "-o", "name")
    if encoding.endswith("e"):
        assert done.returncode == 1 and b"it looks like UTF-16: save it as UTF-8" in done.stderr
    else:
        assert (done.stdout, done.stderr, done.returncode) == (b"pod/b\n", b"", 0)


def test_a_bad_document_behind_good_ones(run, tmp_path):
    """In a dump the file is a notice, and its first documents count; alone it is the error."""
    path = tmp_path / "namespaces/x/bad.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(READY + "---\na: [\n")
    (path.parent / "good.yaml").write_text(WAITING + "---\n" + FAILED)
    done = run("-f", tmp_path, "-o", "name", "-A")
    assert sorted(done.stdout.split()) == [b"network.openstack.k-orc.cloud/net", b"router.openstack.k-orc.cloud/gw",
                                           b"subnet.openstack.k-orc.cloud/a"]
    assert b"1 file was left out" in done.stderr and b"bad.yaml" in done.stderr
    assert run("-f", path).returncode == 1


def test_answer_of_a_server_is_no_object(run):
    answer = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "pods is forbidden", "code": 403}
    done = run("-f", "-", "-o", "json", stdin=json.dumps(answer).encode())
    assert done.returncode == 1 and done.stdout == b"" and b"pods is forbidden" in done.stderr


def test_typed_list_without_kinds(run):
    pods = {"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "a", "namespace": "x"},
            "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"}}]}
    [item] = run.json("-f", "-", stdin=json.dumps(pods).encode())["items"]
    assert (item["kind"], item["family"]) == ("Pod", "core")


@pytest.mark.parametrize("objects, status", [([READY], 0), ([READY, WAITING], 3), ([WAITING, FAILED], 4)])
def test_exit_code(run, world_file, objects, status):
    path = world_file(*objects)
    assert run("-f", path, "-o", "name", "--exit-code").returncode == status
    assert run("-f", path, "-o", "name").returncode == 0


def test_a_name_that_is_not_there(run, world_file):
    done = run("-f", world_file(FAILED), "-n", "edge", "networks", "nope")
    assert done.returncode == 1 and done.stdout == b""
    assert done.stderr.decode() == 'error: networks.openstack.k-orc.cloud "nope" not found\n'


def test_overdue_by_as_of(run, world_file):
    path = world_file(WAITING)
    assert run.json("-f", path, "--as-of", NOW)["items"][0]["severity"] == "info"
    assert run.json("-f", path, "--as-of", "2026-11-20T09:30:00Z")["items"][0]["severity"] == "warning"


def test_hostile_text_stays_in_the_program(run, world_file):
    evil = orc("Subnet", "b", "Progressing", "a\\u001b]52;c;aGk=\\u0007b\\u202Ec\\u009b31m\\nd")
    for fmt in ("table", "wide", "why", "tree", "json"):
        out = run("-f", world_file(evil), "-o", fmt).stdout
        assert b"\x1b" not in out and b"\x07" not in out and "\u202e".encode() not in out
        assert "\u009b".encode() not in out


def test_colour_only_when_asked(run, world_file):
    path = world_file(FAILED)
    assert "\x1b[" not in run.text("-f", path)
    assert "\x1b[" in run.text("-f", path, "--color", "always")


USAGE = [["--nonsense"], ["-o", "xml"], ["-Z"], ["--namespace"], ["--for", "Fine"], ["--as-of", "yesterday"],
         ["--color", "maybe"], ["--timeout", "5s"], ["--speed", "fast"], ["--speed", "2"], ["--all-namespaces=perhaps"],
         ["--request-timeout", "abc"], ["--context", "a", "--all-contexts"], ["--context", "a", "--contexts", "b"], ["--for", ""], ["--columns", ""], ["completion"], ["completion", "ksh"]]


@pytest.mark.parametrize("args", USAGE, ids=" ".join)
def test_usage_errors(run, args):
    done = run(*args)
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.startswith(b"error: ") and done.stderr.count(b"\n") == 1


SUGGESTED = {
    "--prolems": "(did you mean --problems?)",
    "--for Redy": "unknown phase \"Redy\" for --for (did you mean \"Ready\"?)",
    "--columns name,mesage": "(did you mean \"message\"?)",
    "--columns waits": "(did you mean \"waits-on\"?)",
    "--columns nothing-like-it": "(known: cluster, namespace, name, phase,",
    "--sort-by sinse": "(did you mean \"since\"?)",
    "--sort-by zzzz": "(known: severity, newest, since,",
    "--color alwys": "(did you mean \"always\"?)",
    "-o jsno": "(did you mean \"json\"?)",
    "-o jsonpath={.items[0]}": "use -o json and jq",
    "-o go-template={{.}}": "use -o json and jq",
    "-o custom-columns=NAME:.metadata.name": "--columns",
}


@pytest.mark.parametrize("args", SUGGESTED)
def test_a_mistyped_word_is_answered_with_the_nearest(run, args):
    done = run(*args.split(" "))
    assert done.returncode == 2 and done.stdout == b""
    assert SUGGESTED[args] in done.stderr.decode() and done.stderr.count(b"\n") == 1


TIMES = """apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: prod, creationTimestamp: "%s"}
status: {phase: Running, conditions: [{type: Ready, status: "True"%s}]}
---
"""


def test_unknown_times_come_last(run, world_file):
    path = world_file(TIMES % ("unknown", "2026-11-20T07:00:00Z", "")
                      + TIMES % ("late", "2026-11-20T06:00:00Z", ", lastTransitionTime: 2026-11-20T08:30:00Z")
                      + TIMES % ("early", "2026-11-20T05:00:00Z", ", lastTransitionTime: 2026-11-20T08:00:00Z"))

    def names(key):
        rows = run.json("-f", path, "--as-of", "2026-11-20T09:00:00Z", "--sort-by", key)["items"]
        return [r["name"] for r in rows], ["since" in r for r in rows]

    assert names("since") == (["early", "late", "unknown"], [True, True, False])
    assert names("newest")[0] == ["late", "early", "unknown"]
    assert names("age")[0] == names(".metadata.creationTimestamp")[0] == ["early", "late", "unknown"]
    assert names("{.metadata.name}")[0] == ["early", "late", "unknown"]


BROKEN = {
    "no such file": (None, "does not exist"),
    "tabs": ("kind: A\n\tb: c\n", "line 2"),
    "half json": ('{"kind": "Pod", "metadata": {"name": ', ""),
    "a scalar": ("42\n", "not a Kubernetes object"),
    "no kind": ("metadata: {name: a}\n", "'Kind' is missing"),
    "no apiVersion": ("kind: Pod\nmetadata: {name: a}\n", "'apiVersion' is missing"),
    "an alias bomb": ("a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        "%s: &%s [%s]\n" % (c, c, ",".join(["*" + p] * 10)) for p, c in zip("abcdefgh", "bcdefghi")), ""),
    "deep": ("[" * 5000 + "]" * 5000, ""),
    "binary": ("\0\1\2\3", ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(run, tmp_path, name):
    text, says = BROKEN[name]
    path = tmp_path / "broken.yaml"
    if text is not None:
        path.write_text(text)
    done = run("-f", path, "-o", "json")
    assert done.returncode == 1 and done.stdout == b""
    assert done.stderr.count(b"\n") == 1 and says in done.stderr.decode()


def test_objects_without_a_name_are_never_ready(run, world_file):
    nameless = "apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}\n"
    doc = run.json("-f", world_file(READY, nameless, nameless))
    assert {i["name"]: i["phase"] for i in doc["items"]} == {"gw": "Ready", "unnamed": "Unknown", "unnamed-2": "Unknown"}
    [notice] = doc["notices"]
    assert "2 objects have no metadata.name" in notice["message"] and "ConfigMap in" in notice["message"]


def test_what_was_never_in_a_cluster_is_told_once(run, world_file):
    """Nobody can say of a manifest that it is well; a dump of the same kind is what it was."""
    manifests = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {}} for name in "abc"]
    dumped = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d", "uid": "7"}, "data": {}}
    path = world_file(*("\n%s\n" % json.dumps(o) for o in [*manifests, dumped]))
    doc = run.json("-f", path)
    assert [i["phase"] for i in doc["items"]] == ["Unknown"] * 3 + ["Ready"]
    [notice] = doc["notices"]
    assert notice["message"] == "3 objects were never in a cluster"
    done = run("-f", path, "--exit-code")
    assert done.returncode == 3 and done.stderr.count(b"never in a cluster") == 1
    with run.screen("-f", path, cols=160) as term:
        term.wait("never in a cluster")
        term.wait("Unknown")
    alone = run("-f", world_file(json.dumps(dumped)), "--exit-code")
    assert alone.returncode == 0 and b"never" not in alone.stderr


@pytest.mark.parametrize("status", ["a string", 7, [], {"conditions": {"a": 1}}, {"conditions": ["x", 3, None]},
                                    {"phase": 5, "replicas": "three"}, {"conditions": [{"type": 1, "status": True}]},
                                    {"status": {"async": {"current": []}, "conditions": "no"}}])
def test_wrong_types_everywhere(run, status):
    kinds = [("v1", "Pod"), ("apps/v1", "Deployment"), ("openstack.k-orc.cloud/v1alpha1", "Port"),
             ("queue.oracle.com/v1beta1", "Queue"), ("dbforpostgresql.azure.com/v1", "FlexibleServer"),
             ("operators.coreos.com/v1alpha1", "ClusterServiceVersion"), ("vshn.appcat.vshn.io/v1", "VSHNRedis"),
             ("helm.crossplane.io/v1beta1", "Release"), ("example.org/v1", "Thing")]
    objects = [{"apiVersion": a, "kind": k, "metadata": {"name": "x", "labels": 3, "ownerReferences": "me",
                "finalizers": {"a": 1}}, "spec": ["wrong"], "status": status} for a, k in kinds]
    doc = run.json("-f", "-", stdin="\n".join(map(json.dumps, objects)).encode())
    assert doc["summary"]["total"] == len(kinds)
    assert all(i["phase"] != "Ready" for i in doc["items"] if i["family"] != "core"), "never green by guess"


def test_ten_thousand_conditions(run):
    obj = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "x"},
           "status": {"conditions": [{"type": "T%d" % i, "status": "True", "message": "m" * 200} for i in range(10000)]}}
    assert run.json("-f", "-", stdin=json.dumps(obj).encode())["summary"]["total"] == 1


def test_missing_name_still_gets_a_verdict(run):
    [item] = run.json("-f", "-", stdin=b"apiVersion: v1\nkind: Pod\nmetadata: {}\nstatus: {phase: Pending}\n")["items"]
    assert item["phase"] not in ("Ready", "Unknown")


@pytest.mark.parametrize("name", ["wolves", "wolf", "wf", "Wolf", "wolves.shop.test"])
def test_names_of_a_definition_among_the_files(run, world_file, name):
    """As the server would call them; and a plural is English where none is told."""
    path = world_file("""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wolves.shop.test}
spec: {group: shop.test, scope: Namespaced, names: {kind: Wolf, plural: wolves, singular: wolf, shortNames: [wf, 3, ""]}}
---
apiVersion: shop.test/v1
kind: Wolf
metadata: {name: w, namespace: p}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: p}
""")
    assert run.text("-f", path, name, "-o", "name") == "wolf.shop.test/w\n"
    assert run.text("-f", path, "gateways", "-o", "name") == "gateway.gateway.networking.k8s.io/g\n"


VERSIONS = """
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: p}
---
apiVersion: shop.test/v1beta1
kind: Thing
metadata: {name: old, namespace: p}
---
apiVersion: shop.test/v1
kind: Thing
metadata: {name: new, namespace: p}
"""


def test_versions_are_the_objects_own(run, world_file):
    path = world_file(VERSIONS)
    doc = run.json("-f", path)
    assert {i["name"]: i["apiVersion"] for i in doc["items"]} == {
        "web": "autoscaling/v1", "old": "shop.test/v1beta1", "new": "shop.test/v1"}
    for name in ("things.v1.shop.test", "thing.v1beta1.shop.test", "things.shop.test"):
        assert len(run.text("-f", path, name, "-o", "name").split()) == 2
    assert run.text("-f", path, "hpa.v1.autoscaling", "-o", "name") == "horizontalpodautoscaler.autoscaling/web\n"
    with run.screen("-f", path) as term:
        term.wait("thing/old")
        term.keys("/old\r\r")
        term.open_tab("YAML")
        term.wait("shop.test/v1beta1")


LABELS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: p, labels: {app: web, weight: "5", x.example/tier: front}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, namespace: p, labels: {app: db, weight: heavy}}
"""


@pytest.mark.parametrize("selector, names", [
    ("app=web", "a"), ("app==web", "a"), ("app!=web", "b"), ("app", "ab"), ("!app", ""), ("! app", ""), ("app in(web)", "a"),
    ("app in (web, db)", "ab"), ("app notin(web)", "b"), ("weight>3", "a"), ("weight<3", ""), ("x.example/tier=front", "a"),
    ("app=web,weight", "a"), (" app = web , weight > 4 ", "a"), ("app=", ""), ("nope notin (x)", "ab")])
def test_label_selectors(run, world_file, selector, names):
    """As k8s.io/apimachinery/pkg/labels reads them."""
    done = run("-f", world_file(LABELS), "configmaps", "-l", selector, "-o", "name")
    assert done.returncode == 0 and done.stdout.decode().split() == ["configmap/" + name for name in names]


@pytest.mark.parametrize("flag, selector", [("-l", s) for s in (
    "app===web", "app=we b", "app=web)", "app>x", "x/y/z=1", "-bad=1", "a=b=c", "a,", ",a", "=b", "app in ()", "app in web", "app in (web",
    "a" * 64, "app=" + "a" * 64, "!", "a b")] + [("--field-selector", s) for s in ("a=b=c", "a", "=b")])
def test_what_is_no_selector(run, world_file, flag, selector):
    done = run("-f", world_file(LABELS), "configmaps", flag, selector, "-o", "name")
    assert done.returncode == 2 and done.stdout == b"" and done.stderr.count(b"\n") == 1


def test_several_files_in_one_flag(run, world_file, tmp_path):
    """As kubectl: a list; and what a folder holds counts also when its name begins with a dot."""
    (tmp_path / "one.yaml").write_text(FAILED)
    (tmp_path / ".two.yaml").write_text(WAITING)
    both = run.json("-f", "%s,%s" % (tmp_path / "one.yaml", tmp_path / ".two.yaml"))
    assert both["summary"]["total"] == 2 and both["items"] == run.json("-f", tmp_path)["items"]


def test_all_namespaces_tells_them(run, world_file):
    """Also when there is but one."""
    path = world_file(LABELS)
    assert "NAMESPACE" not in run.text("-f", path, "cm", "-o", "table")
    assert run.text("-f", path, "cm", "-A", "-o", "table").split()[0] == "NAMESPACE"
    assert "configmap/a · p" in run.text("-f", path, "cm", "-A", "-o", "tree")
    path = world_file(FAILED)
    assert re.search(r"T\d\d:\d\d:\d\dZ", run.text("-f", path, "--absolute-time", "-o", "tree"))
    for how in (["--problems"], ["-o", "why"]):
        assert re.search(r"T\d\d:\d\d:\d\dZ", run.text("-f", path, "--absolute-time", *how))


def test_flags_of_the_table_hold_on_the_screen(run, world_file):
    with run.screen("-f", world_file(FAILED, WAITING), "--sort-by", "name", "--absolute-time") as term:
        text = term.wait("subnet/a").partition("PHASE")[2]
        assert text.index("Waiting") < text.index("Failed")
        assert re.search(r"T\d\d:\d\d:\d\dZ", text)


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["completion", "bash"]])
def test_help_into_a_full_disk(run, args):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, *args], env=run.env, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1 and b"No space left" in done.stderr


def test_unknown_name_and_type(run, world_file):
    path = world_file(FAILED)
    done = run("-f", path, "networks.openstack.k-orc.cloud", "nope", "-o", "name")
    assert done.returncode == 1 and b'"nope" not found' in done.stderr
    done = run("-f", path, "foos")
    assert done.returncode == 1 and b'the files don\'t have a resource type "foos"' in done.stderr
    assert b"server" not in done.stderr and b"api-resources" not in done.stderr


def test_a_type_with_another_group(run, world_file):
    path = world_file("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: x}\n")
    for typed, nearest in (("pods.v1", "pods"), ("pod.apps", "pods"), ("deployments.v1beta1.apps", "deployments.apps")):
        done = run("-f", path, typed)
        assert done.returncode == 1 and b'(did you mean "%s"?)' % nearest.encode() in done.stderr, done.stderr


def test_closed_pipe_ends_quietly(run, world_file):
    path = world_file(*[WAITING.replace("name: a,", "name: a%d," % i) for i in range(2000)])
    done = subprocess.run(["sh", "-c", '"$0" -f "$1" -o json | head -c 100; exit 0', PROGRAM, str(path)],
                          env=run.env, capture_output=True, timeout=60, check=False)
    assert done.stderr == b""


def test_full_disk_is_said(run, world_file):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, "-f", str(world_file(FAILED)), "-o", "json"], env=run.env, stdout=full,
                              stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1 and b"No space left" in done.stderr


def test_for_on_files(run, world_file):
    assert run("-f", world_file(READY), "--for", "Ready").returncode == 0
    assert run("-f", world_file(WAITING), "--for", "Ready").returncode == 3
    done = run("-f", world_file(FAILED), "--for", "Ready")
    assert done.returncode == 4 and b"OverQuota" in done.stderr
    degraded = """apiVersion: example.org/v1
kind: Widget
metadata: {name: w, namespace: prod}
status: {conditions: [{type: Ready, status: "True"}, {type: Synced, status: "False", reason: Refused}]}
"""
    done = run("-f", world_file(degraded), "--for", "Ready")
    assert done.returncode == 4 and b"is Degraded" in done.stderr
    assert run("-f", world_file(degraded), "--for", "condition=Synced").returncode == 4
    assert run("-f", world_file(degraded), "--for", "delete").returncode == 3
    assert run("-f", world_file(degraded), "--for", "Degraded").returncode == 0
    done = run("-f", world_file(degraded), "widget/none", "--for", "Ready")
    assert done.returncode == 1 and b'"none" not found' in done.stderr
    done = run("-f", world_file(degraded), "widget/none", "--for", "Ready", "--ignore-not-found")
    assert done.returncode == 0 and done.stdout + done.stderr == b""


def test_help_version_and_generated(run):
    assert "Usage:" in run.text("--help") and "kubectl status" in run.text("--help")
    assert run.text("--version").startswith("kubectl-status v")
    options = [line.split("\t")[0] for line in run.text("__complete", "-").splitlines() if line.startswith("-")]
    manual = run.text("completion", "man").replace("\\-", "-")
    assert len(options) > 40
    for option in options:
        assert option in run.text("--help") and option in run.text("options") and option in manual
    for section in ("OPTIONS", "COMMANDS", "PHASES", "COLUMNS", "JSON", "KEYS", "FILES", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES"):
        assert ".SH %s\n" % section in manual


def test_no_kubeconfig(run):
    done = run("pods", "-o", "name")
    assert done.returncode == 1 and done.stdout == b"" and done.stderr.count(b"\n") == 1
    assert b"there is no kubeconfig: set KUBECONFIG" in done.stderr
    assert b"localhost:8080 was refused" in done.stderr or listens_by_default()


@pytest.mark.parametrize("text, words", [
    (None, "KUBECONFIG names %s, which does not exist"),
    ("", "no cluster is configured in %s, which KUBECONFIG names"),
    ("contexts: [{name: prod, context: {cluster: a}}]", "has no current-context: choose one, such as --context prod"),
], ids=["absent", "empty", "no choice"])
def test_kubeconfig_that_names_no_cluster(run, tmp_path, text, words):
    config = tmp_path / "config"
    if text is not None:
        config.write_text(text)
    done = run("pods", "-o", "name", KUBECONFIG=str(config))
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1
    assert (words % config if "%s" in words else words) in done.stderr.decode()


@pytest.mark.parametrize("names, says", [("," * 20000, "names no context"), ("," * 40 + "nope", "context: nope"),
                                         ("nope," * 20000, "context: nope")], ids=["commas", "one", "often"])
def test_contexts_of_any_length(run, tmp_path, names, says):
    config = tmp_path / "config"
    config.write_text("{}")
    done = run("pods", "--kubeconfig", config, "--contexts", names)
    assert done.returncode in (1, 2) and done.stderr.count(b"\n") == 1 and says in done.stderr.decode()


def test_unknown_context(run, tmp_path):
    config = tmp_path / "config"
    config.write_text("{}")
    done = run("pods", "--kubeconfig", config, "--context", "nope")
    assert done.returncode == 1
    assert b"context was not found for specified context: nope" in done.stderr


def test_interrupt_dies_of_the_signal(run, world_file):
    child = subprocess.Popen([PROGRAM, "-f", "-"], env=run.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             preexec_fn=obey_interrupts)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == -signal.SIGINT
    child.stdin.close()
    child.stdout.close()


def test_recording_bad_input(run, tmp_path):
    for name, text in {"empty": "", "objects": '{"kind":"Pod"}\n', "other": '{"kind":"Recording","apiVersion":"v9"}\n'}.items():
        path = tmp_path / name
        path.write_text(text)
        done = run("--replay", path, "-o", "json")
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1


def recording(tmp_path, *records):
    path = tmp_path / "rec.jsonl"
    head = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": NOW}
    path.write_text("".join(json.dumps(r) + "\n" for r in (head, *records)))
    return path


def test_replay_at_its_end_and_as_of(run, tmp_path):
    net, sub = yaml.safe_load(FAILED), yaml.safe_load(WAITING)
    path = recording(tmp_path, {"t": "2026-11-20T09:00:01.000Z", "type": "ADDED", "object": net},
                     {"t": "2026-11-20T09:00:02.000Z", "type": "ADDED", "object": sub},
                     {"t": "2026-11-20T09:00:03.500Z", "type": "DELETED", "object": sub})
    assert run.json("--replay", path)["summary"]["total"] == 1
    assert run.json("--replay", path, "--as-of", "2026-11-20T09:00:02Z")["summary"]["total"] == 2
    for how in ("--replay", "-f"):
        assert run.text(how, path, "-l", "app=net", "-o", "name") == "network.openstack.k-orc.cloud/net\n"
        assert run.text(how, path, "-l", "app!=net", "-o", "name") == ""
    with open(path, "a", encoding="utf-8") as f:
        f.write('{"t":"2026-11-20T09:00:04.000Z","type":"ADD')
    done = run("--replay", path, "-o", "name")
    assert done.returncode == 0 and done.stdout == b"network.openstack.k-orc.cloud/net\n"
    assert b"cut off" in done.stderr


@pytest.mark.parametrize("name", ["rec.jsonl", "rec.jsonl.gz"])
def test_recording_as_a_file(run, tmp_path, name):
    """-f: its end is the world, and its last moment the time."""
    net, sub = yaml.safe_load(FAILED), yaml.safe_load(WAITING)
    plain = recording(tmp_path, {"t": "2026-11-20T09:00:01.000Z", "type": "ADDED", "object": net},
                      {"t": "2026-11-20T09:00:02.000Z", "type": "ADDED", "object": sub})
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(plain.read_bytes()))
    doc = run.json("-f", path)
    assert doc == run.json("--replay", path)
    assert doc["asOf"] == "2026-11-20T09:00:02Z" and doc["summary"]["total"] == 2
    assert run.json("-f", path, "--as-of", "2026-11-20T09:00:01Z")["summary"]["total"] == 1
    with run.screen("-f", path) as term:
        term.wait("subnet/a")
        term.keys("\r")
        term.open_tab("YAML")
        term.wait("apiVersion")


def test_fast_replay_passes_over_nothing(run, tmp_path):
    """The timeline has every moment, at its own time."""
    net = yaml.safe_load(FAILED)
    ready = json.loads(json.dumps(net))
    for c in ready["status"]["conditions"]:
        c["status"] = "True" if c["type"] == "Available" else "False"
        c["reason"] = "Success"
    lines = [{"t": "2026-11-20T09:%02d:00.000Z" % m, "type": "MODIFIED" if m else "ADDED", "object": ready if m % 2 else net}
             for m in range(6)]
    with run.screen("--replay", recording(tmp_path, *lines), "--speed", "100000") as term:
        term.wait("ended")
        term.keys("T")
        term.wait(lambda text: all("09:0%d:00" % m in text for m in range(1, 6)))


@pytest.mark.parametrize("message", ["quota exceeded", "quota exceeded: " + "ä" * 200])
def test_the_timeline_tells_it_once(run, tmp_path, message):
    """Two conditions and what was seen of them, in one second: what was seen says most.  Later on it is told again."""
    def network(status, reason, text, at):
        doc = yaml.safe_load(FAILED)
        doc["status"]["conditions"] = [{"type": "Available", "status": status, "reason": reason, "message": text, "lastTransitionTime": at,
                                        "observedGeneration": 1},
                                       {"type": "Progressing", "status": "False", "reason": reason, "message": text, "lastTransitionTime": at,
                                        "observedGeneration": 1}]
        return doc

    path = recording(tmp_path, {"t": "2026-11-20T09:00:00.000Z", "type": "ADDED", "object": network("True", "Success", "up", "2026-11-20T09:00:00Z")},
                     {"t": "2026-11-20T09:05:00.700Z", "type": "MODIFIED",
                      "object": network("False", "InvalidConfiguration", message, "2026-11-20T09:05:00Z")},
                     {"t": "2026-11-20T09:09:00.000Z", "type": "MODIFIED", "object": network("True", "Success", "up", "2026-11-20T09:09:00Z")},
                     {"t": "2026-11-20T09:10:00.000Z", "type": "MODIFIED",
                      "object": network("False", "InvalidConfiguration", message, "2026-11-20T09:05:00Z")})
    for at, times in (("09:06:00", 1), ("09:11:00", 2)):
        with run.screen("--replay", path, "--as-of", "2026-11-20T%sZ" % at, rows=40, cols=160) as term:
            term.wait("paused")
            term.keys("T")
            text = term.wait(lambda text, times=times: text.count("quota exceeded") >= times and "09:05:00" in text)
            assert text.count("InvalidConfiguration: quota exceeded") == times, text
            assert re.search(r"09:05:00 .*Ready → Failed  InvalidConf", text), text


def test_recording_stands_alone(run, tmp_path, world_file):
    path = recording(tmp_path, {"t": "2026-11-20T09:00:01.000Z", "type": "ADDED", "object": yaml.safe_load(FAILED)})
    for args, stdin in ((["-f", path, "-f", world_file(READY)], b""), (["-f", "-"], path.read_bytes())):
        done = run(*args, "-o", "name", stdin=stdin)
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"together with other files" in done.stderr


def test_a_cause_is_named_at_80_columns(run):
    """What healed and what is new make room for the first root cause."""
    with run.screen("--replay", os.path.join(os.path.dirname(__file__), "../../demo/incident.jsonl.gz"), "--speed", "4000", rows=24, cols=80) as term:
        term.wait(lambda text: "ended" in text and re.search(r"7 root causes block 20: +network/net 11 +deploy/search 2 +\+5 more", text))


FAMILIES = pathlib.Path(__file__).parent.parent / "family"
WORLDS = sorted(FAMILIES.rglob("*.yaml"))


# Several that are alike in the way of one, and kinds whose definition may come late.
ALIKE = ["appcat/row21-crashing-since-first-deploy", "core/job-pod-fails", "olm/operator-group-several",
         "olm/sub-approval-beside-another-error", "orc/guards-of-volume", "generic/cluster-twin-with-a-namespace"]


def prints_the_same(run, world, formats):
    objects = [text for text in re.split(r"(?m)^---.*$", world.read_text()) if re.search(r"(?m)^[^#\s]", text)]
    names = [(o.get("kind"), o["metadata"].get("namespace"), o["metadata"]["name"]) for o in map(yaml.safe_load, objects)
             if o.get("kind") != "List" and "name" in o.get("metadata", {})]
    if len(set(names)) < len(names):  # one that changes
        return
    for output in formats:
        documents = [run("-A", "-f", "-", "-o", output, "--as-of", "2026-11-22T16:00:00Z", stdin="\n---\n".join(order).encode())
                     for order in (objects, objects[::-1])]
        assert documents[0].stdout == documents[1].stdout, (world, output)


@pytest.mark.parametrize("part", range(4))
def test_order_of_the_objects_does_not_matter(run, part):
    """A cluster's lists come in any order: what is printed is the same, every fifth world of the families."""
    for world in WORLDS[part * 5::20]:
        prints_the_same(run, world, ["json"])


OWNED = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u-web", "controller": True}


def hundred(kind):
    """More than are listed of one object: pods of one owner; of one claim; objects of one definition."""
    gone = {"deletionTimestamp": "2026-11-22T12:00:00Z"}
    if kind == "parts":
        yield {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "x", "uid": "u-web", "generation": 1},
               "spec": {"replicas": 100}, "status": {"replicas": 100, "readyReplicas": 0, "observedGeneration": 1}}
    elif kind == "claim":
        yield {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
               "metadata": {"name": "data", "namespace": "x", "finalizers": ["kubernetes.io/pvc-protection"], **gone}, "status": {"phase": "Bound"}}
    else:
        yield {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
               "metadata": {"name": "widgets.example.org", "finalizers": ["customresourcecleanup.apiextensions.k8s.io"], **gone},
               "spec": {"group": "example.org", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
                        "versions": [{"name": "v1", "served": True, "storage": True}]}}
    for i in range(100):
        meta = {"name": "pod-%03d" % (i * 37 % 100), "namespace": "x", "creationTimestamp": "2026-11-22T12:00:00Z"}
        if kind == "instances":
            yield {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": meta}
        elif kind == "claim":
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "status": {"phase": "Running"},
                   "spec": {"nodeName": "node", "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}}
        else:
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": meta | {"ownerReferences": [OWNED]}, "spec": {},
                   "status": {"phase": "Failed", "reason": "Evicted"}}


@pytest.mark.parametrize("kind", ["parts", "claim", "instances"])
def test_order_of_more_than_are_listed(run, kind):
    def printed(objects):
        done = run("-A", "-f", "-", "-o", "json", "--as-of", "2026-11-22T16:00:00Z", stdin="\n---\n".join(map(json.dumps, objects)).encode())
        return json.loads(done.stdout)

    objects = list(hundred(kind))
    doc = printed(objects)
    waits = next(i for i in doc["items"] if i["name"] in ("web", "data", "widgets.example.org"))["waits"]
    assert len(waits) == 64 and waits[0]["on"]["name"] == "pod-000"
    for seed in range(4):
        random.Random(seed).shuffle(objects)
        assert printed(objects) == doc


@pytest.mark.parametrize("name", ALIKE)
def test_order_of_those_that_are_alike(run, name):
    prints_the_same(run, FAMILIES / (name + ".yaml"), ["json", "why", "tree"])
