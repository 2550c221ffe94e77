# SPDX-License-Identifier: Apache-2.0
"""What may not be read, what may be read only in part, and several clusters at once."""
import json
import os
import subprocess
import time

import pytest

from client_world import certificates, client, fake, mute, run, serve, watching  # noqa: F401 (fixtures)
from client_world import bare, complains, GADGETS, is_watch, names, READY, WIDGETS
from fakeapi import END, TYPES, stall, status
from program import Run, wait_for, PROGRAM


ALL = "/apis/example.org/v1/widgets"
FORBIDDEN = status(403, "Forbidden", 'widgets.example.org is forbidden: User "u" cannot list resource "widgets" in API group '
                   '"example.org" at the cluster scope')


def test_forbidden_cluster_wide_but_not_in_a_namespace(fake, run):
    """The context's own namespace, and those that may be listed; the notice says what was refused."""
    for ns in ("default", "shop"):
        fake.put("namespaces", ns, ns="")
        fake.put("widgets", "w-" + ns, ns=ns, **READY)
    fake.on(ALL, FORBIDDEN, times=0)
    doc = run.json("widgets", "-A")
    assert "w-default" in names(doc) and [n["kind"] for n in doc["notices"]] == ["forbidden"]
    assert "cannot list" in doc["notices"][0]["message"]


def test_what_may_be_read_stays_where_all_namespaces_may_not(fake, run):
    """`0` from a namespace: the lists of that namespace are those that answer, and the header does not say that all are looked into."""
    fake.put("namespaces", "shop", ns="")
    fake.put("widgets", "w-shop", ns="shop", **READY)
    fake.on(ALL, FORBIDDEN, times=0)
    fake.on(WIDGETS, FORBIDDEN, times=0)
    with run.screen("widgets", "-n", "shop", cols=140) as term:
        term.wait(lambda text: "widget/w-shop" in text and "live" in text)
        term.keys("0")
        text = term.wait(lambda text: "forbidden" in text and "live" in text)
        assert "widget/w-shop" in text
        assert "namespaces that may be read" in term.lines()[0]


def test_forbidden_is_unreadable_and_not_missing(fake, run):
    """Nobody is said to be missing where nobody may look."""
    fake.put("widgets", "a", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Waiting"}]},
             spec={"gadgetRef": {"name": "g", "kind": "Gadget", "apiVersion": "example.org/v1"}})
    for path in (GADGETS, GADGETS + "/g"):
        fake.on(path, status(403, "Forbidden", "no gadgets"), times=0)
    doc = run.json("widgets")
    assert not [w for i in doc["items"] for w in i.get("waits", []) if w["state"] == "missing"]


def test_everything_forbidden(fake, run):
    """The exit status is 1: without a TYPE with notices, with one with the server's words."""
    for path in (WIDGETS, GADGETS, "/api/v1/namespaces/default/pods"):
        fake.on(path, status(403, "Forbidden", "nothing for you"), times=0)
    done = run("-o", "json")
    assert done.returncode == 1 and {n["kind"] for n in json.loads(done.stdout)["notices"]} == {"forbidden"}
    complains(run("widgets"), "Error from server (Forbidden): nothing for you")


def test_many_forbidden_kinds_share_a_line(serve, client):
    """Whoever may read one namespace sees the table, and not a screen of refusals; the document has each."""
    kinds = ["kind%02d" % i for i in range(12)]
    fake = serve(types=TYPES + tuple(("many.example", "v1", k + "s", k.title(), True) for k in kinds))
    run = client(fake)
    fake.put("widgets", "a", **READY)
    for k in kinds:
        fake.on("/apis/many.example/v1/namespaces/default/%ss" % k, status(403, "Forbidden", k + " is not for you"), times=0)
    done = run()
    assert done.returncode == 0 and b"widget/a" in done.stdout
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1 and "forbidden: you may not read 12 kinds: kind00s.many.example, kind01s" in lines[0]
    assert lines[0].endswith("and 4 more (-o json has all)")
    assert [n["message"] for n in run.json()["notices"]] == [
        "Error from server (Forbidden): %s is not for you" % k for k in kinds]
    with run.screen(cols=100) as term:
        term.wait("widget/a")
        term.keys("p")
        text = term.wait(lambda text: "you may not read 12 kinds" in text)
        assert all(k + "s.many.example" in text for k in kinds) and text.count("many.example") == 12


def test_all_forbidden_kinds_are_counted(serve, client):
    """As many as an OpenShift cluster has."""
    kinds = ["kind%03d" % i for i in range(260)]
    fake = serve(types=TYPES + tuple(("many.example", "v1", k + "s", k.title(), True) for k in kinds))
    fake.put("widgets", "a", **READY)
    for k in kinds:
        fake.on("/apis/many.example/v1/namespaces/default/%ss" % k, status(403, "Forbidden", k + " is not for you"), times=0)
    assert b"forbidden: you may not read 260 kinds" in client(fake)().stderr


def test_equal_notices_are_one(fake, run):
    for path in (WIDGETS, GADGETS):
        fake.on(path, status(403, "Forbidden", "nothing for you"), times=0)
    line = "Error from server (Forbidden): nothing for you (×2: gadgets.example.org in default, widgets.example.org in default)"
    assert run().stderr.decode().splitlines()[1:] == ["notice: " + line]
    with run.screen(cols=160) as term:
        term.wait("kinds forbidden")
        term.keys("p")
        assert term.wait("nothing for you").count("nothing for you") == 1


def test_forbidden_is_said_by_every_mode(fake, run, watching):
    """What may not be read is no reason to wait, and none to say nothing."""
    fake.put("widgets", "a", **READY)
    fake.on(GADGETS, status(403, "Forbidden", "no gadgets for you"), times=0)
    done = run("widgets,gadgets", "--for", "Ready", "--timeout", "5s")
    assert done.returncode == 1 and b"no gadgets for you" in done.stderr
    w = watching(run, "widgets,gadgets")
    w.wait(("ADDED", "a"))
    w.finish()
    assert "no gadgets for you" in w.errors


def test_list_without_watch_is_polled(fake, run, watching):
    """The watch is refused; changes come with the next list, which is not long."""
    fake.on(WIDGETS, status(403, "Forbidden", "no watch"), is_watch, times=0)
    fake.put("widgets", "a", **READY)
    w = watching(run.hurry(), "widgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "b", **READY)
    wait_for(lambda: ("ADDED", "b") in w.changes())
    assert len(fake.seen(WIDGETS, watch=True)) <= 2  # once more after the first poll: a server that has just begun


def test_permission_that_is_taken_away_while_watching(fake, run, watching):
    """What was seen stays, nothing is hammered."""
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets,gadgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(2, watch=True)
    fake.on(WIDGETS, status(403, "Forbidden", "not any more"), times=0)
    fake.inject("widgets", END)
    fake.await_requests(3, WIDGETS)
    end = time.monotonic() + 2
    wait_for(lambda: time.monotonic() > end)
    assert len(fake.seen(WIDGETS)) <= 5 and w.changes() == [("ADDED", "a")]
    fake.put("gadgets", "g", **READY)
    w.wait(("ADDED", "g"))


def test_no_access_review_is_ever_posted(fake, run):
    """On purpose: rules that are incomplete prove nothing, and this program only reads."""
    fake.on(ALL, FORBIDDEN, times=0)
    run("widgets", "-A")
    assert not [r for r in fake.seen() if "access" in r.path] and {r.headers[":method"] for r in fake.seen()} == {"GET"}


def test_cluster_scoped_kinds_ignore_the_namespace(fake, run):
    fake.put("namespaces", "shop", ns="")
    run("namespaces", "-n", "elsewhere", "-o", "name")
    run("ns/shop", "-n", "elsewhere", "-o", "name")
    assert [r.path for r in fake.seen() if "namespaces" in r.path and not r.path.startswith("/apis/")][0] == "/api/v1/namespaces"
    assert not [r for r in fake.seen() if "elsewhere" in r.path]


def test_names_are_escaped(fake, run):
    fake.on(WIDGETS, status(403, "Forbidden", "no lists"), times=0)
    run("widgets", "system:a b?c#d")
    assert [r.target for r in fake.seen() if "system" in r.target][-1].endswith("/widgets/system:a%20b%3Fc%23d")
    complains(run("widgets", "a%2Fb"), 'may not contain \'%\'')


def test_metadata_that_an_aggregated_server_gives_in_full(fake, run):
    """What was asked for is judged by what came: the contents of a Secret go nowhere."""
    fake.put("secrets", "s", data={"k": "aHVzaA=="})
    fake.put("widgets", "a", spec={"secretRef": {"name": "s"}}, status={"conditions": [{"type": "Ready", "status": "False"}]})
    done = run("widgets", "-o", "json", "-v", "9")
    assert b"aHVzaA" not in done.stdout + done.stderr and b"hush" not in done.stdout + done.stderr


def test_no_tables_are_asked_for(fake, run, watching):
    """On purpose: verdicts need whole objects."""
    watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    assert not [r for r in fake.seen() if "as=Table" in r.headers["accept"]]


def test_files_ask_nothing_of_a_cluster(fake, run, tmp_path):
    """On purpose: the objects in the files are the world, in whatever namespace they say."""
    (tmp_path / "w.json").write_text(json.dumps(bare(fake, "widgets", "a")))
    assert names(run.json("-f", tmp_path / "w.json")) == ["a"] and not fake.seen()


# -- several clusters ----------------------------------------------------------------------


@pytest.fixture
def several(certificates, tmp_path):
    """several(a=fake, b=fake): a Run with a context for each."""
    def make(**servers):
        config = {"clusters": [], "contexts": [], "users": [{"name": "u", "user": {"token": "t0ken"}}], "current-context": "a"}
        for name, server in servers.items():
            url = server if isinstance(server, str) else server.url
            config["clusters"].append({"name": name, "cluster": {
                "server": url, "certificate-authority": str(certificates / "ca.crt")}})
            config["contexts"].append({"name": name, "context": {"cluster": name, "user": "u"}})
        (tmp_path / "config.json").write_text(json.dumps(config))
        return Run(tmp_path, tmp_path / "config.json")
    return make


def test_two_clusters_in_one_table(serve, several):
    """Each has its own connection and cache; items say where they are from."""
    a, b = serve(), serve()
    a.put("widgets", "wa", **READY)
    b.put("widgets", "wb", **READY)
    run = several(a=a, b=b)
    for args in (["--contexts", "a,b"], ["--all-contexts"]):
        assert {(i["cluster"], i["name"]) for i in run.json("widgets", *args)["items"]} == {("a", "wa"), ("b", "wb")}
    assert len(list((run.home / ".kube/cache/kubectl-status").iterdir())) == 2


def test_two_clusters_in_one_recording(serve, several, watching, tmp_path):
    """What has the same name in both stays two objects; played, it is what was printed."""
    a, b = serve(), serve()
    for server in (a, b):
        server.put("widgets", "w", **READY)
    run, path = several(a=a, b=b), tmp_path / "rec.jsonl.gz"

    def items(doc):
        return {(i["cluster"], i["name"], i["phase"]) for i in doc["items"]}
    told = run.json("widgets", "--contexts", "a,b", "--record", path)
    assert items(run.json("--replay", path)) == items(told) == {("a", "w", "Ready"), ("b", "w", "Ready")}
    later = tmp_path / "later.jsonl"
    w = watching(run, "widgets", "--contexts", "a,b", "--record", later)
    wait_for(lambda: len(w.events) == 2)
    wait_for(lambda: a.seen(WIDGETS, watch=True) and b.seen(WIDGETS, watch=True))
    a.delete("widgets", "w")
    w.wait(("DELETED", "w"))
    w.finish()
    assert items(run.json("--replay", later)) == {("b", "w", "Ready")}


def test_cluster_that_is_down_does_not_hide_the_other(serve, several):
    a, b = serve(), serve()
    a.put("widgets", "wa", **READY)
    b.stop()
    doc = several(a=a, b=b).json("widgets", "--contexts", "a,b", timeout=60)
    assert names(doc) == ["wa"] and "refused" in doc["notices"][0]["message"] and doc["notices"][0]["resource"] == "b"


def test_cluster_that_never_answers_does_not_slow_the_other(serve, several, watching):
    """Changes of one are told while the other's first list hangs."""
    a, b = serve(), serve()
    a.put("widgets", "wa", **READY)
    run = several(a=a, b=b)
    run.json("widgets", "--contexts", "a,b")
    b.on(WIDGETS, stall, times=0)
    w = watching(run, "widgets", "--contexts", "a,b")
    b.await_requests(2, WIDGETS)
    w.wait(("ADDED", "wa"))
    start = time.monotonic()
    a.put("widgets", "new", **READY)
    w.wait(("ADDED", "new"))
    assert time.monotonic() - start < 5


def test_cluster_that_hangs_at_the_start_is_left_behind(serve, several, mute, watching):
    """Not even TLS: the other one is shown within seconds, with a notice, and who watches goes on."""
    a = serve()
    a.put("widgets", "wa", **READY)
    run = several(a=a, b=mute).hurry(3)
    start = time.monotonic()
    w = watching(run, "widgets", "--contexts", "a,b")
    w.wait(("ADDED", "wa"))
    assert run.passed(time.monotonic(), start) < 10
    doc = run.json("widgets", "--contexts", "a,b")
    assert names(doc) == ["wa"] and doc["notices"][0]["resource"] == "b" and run.passed(time.monotonic(), start) < 25


def test_a_gate_over_several_clusters(serve, several):
    """It is green when each of them was read; without a gate the other clusters are shown, and a notice says which is missing."""
    a, b = serve(), serve()
    for server in (a, b):
        server.put("namespaces", "shop", ns="")
        server.put("widgets", "w", ns="shop", **READY)
    run = several(a=a, b=b)
    both = ("--contexts", "a,b", "-n", "shop")
    gate = (*both, "--exit-code")
    assert run(*gate).returncode == run("widgets", *both, "--for", "Ready", "--timeout", "20s").returncode == 0
    a.delete("widgets", "w", ns="shop")
    a.delete("namespaces", "shop", ns="")
    assert run(*gate).returncode == 0, "the namespace is in one of them"
    b.on("*", status(403, "Forbidden", "not in b"), when=lambda r: "/namespaces/shop/" in r.path, times=0)
    for args in ([], ["widgets"]):
        done = run(*args, *gate)
        assert done.returncode == 1 and b"not in b" in done.stderr
        assert args or b"nothing may be read in namespace shop of one of the clusters" in done.stderr
    b.stop()
    assert run("widgets", *both).returncode == 0
    for args in ([], ["widgets"]):
        done = run(*args, *gate)
        assert done.returncode == 1 and (b"not every cluster could be read: b" in done.stderr or b"refused" in done.stderr)
    done = run("widgets", *both, "--for", "Ready", "--timeout", "3s")
    assert done.returncode == 3 and b"timed out waiting: The connection to the server" in done.stderr


def test_clusters_with_different_kinds_and_versions(serve, several):
    """Each is asked for what it serves, in its own version."""
    older = tuple(t if t[2] != "widgets" else ("example.org", "v1beta1", "widgets", "Widget", True) for t in TYPES)
    a, b, c = serve(), serve(types=older), serve(types=TYPES[:3])
    a.put("widgets", "wa", **READY)
    b.put("widgets", "wb", **READY)
    doc = several(a=a, b=b, c=c).json("widgets", "--contexts", "a,b,c")
    assert sorted(names(doc)) == ["wa", "wb"]
    assert not [r for r in c.seen() if "widgets" in r.path] and not [r for r in b.seen() if r.path == WIDGETS]
    assert [n["message"] for n in doc["notices"]] == ['c: the server doesn\'t have a resource type "widgets"']


def test_clusters_come_and_go_on_their_own(serve, several, watching):
    """One restarts; the other's watch is not touched."""
    a, b = serve(), serve()
    run = several(a=a, b=b)
    w = watching(run, "widgets", "--contexts", "a,b")
    for fake in (a, b):
        fake.await_requests(1, WIDGETS, watch=True)
    b.stop()
    a.put("widgets", "wa", **READY)
    w.wait(("ADDED", "wa"))
    b.put("widgets", "wb", **READY)
    b.start()
    w.wait(("ADDED", "wb"))
    assert len(a.seen(WIDGETS)) == 2


# -- completion ------------------------------------------------------------------------------


@pytest.fixture
def complete(fake, run, tmp_path):
    """What kubectl runs for <TAB>."""
    link = tmp_path / "kubectl_complete-status"
    link.symlink_to(os.path.realpath(PROGRAM))

    def ask(*words):
        return subprocess.run([str(link), *words], env=run.env, capture_output=True, timeout=60, check=False)
    return ask


def test_completion(fake, run, complete):
    """Candidates, a directive, nothing on stderr; and exit status 0 also when the cluster is down."""
    fake.put("widgets", "alpha", **READY)
    run.json("widgets")
    done = complete("widg")
    assert done.returncode == 0 and b"widgets" in done.stdout and done.stdout.splitlines()[-1].startswith(b":") and not done.stderr
    fake.stop()
    done = complete("widg")
    assert done.returncode == 0 and not done.stderr and done.stdout.splitlines()[-1].startswith(b":")


@pytest.mark.parametrize("flag, directive", [("-f", b":0"), ("--replay", b":0"), ("--client-key", b":0"), ("--timeout", b":4"), ("-l", b":4")])
def test_completion_of_values(complete, flag, directive):
    """Files where a file is meant, and never types."""
    assert complete(flag, "").stdout.splitlines() == [directive]


def test_completion_of_names(fake, complete):
    """As kubectl: after a type, within TYPE/NAME, and namespaces; without looking at anything else."""
    for name in ("alpha", "alpine", "beta"):
        fake.put("widgets", name, **READY)
    fake.put("namespaces", "prod")
    fake.put("namespaces", "test")
    assert complete("widgets", "al").stdout.splitlines() == [b"alpha", b"alpine", b":4"]
    assert complete("widgets/al").stdout.splitlines() == [b"widgets/alpha", b"widgets/alpine", b":4"]
    assert complete("widgets", "alpha", "b").stdout.splitlines() == [b"beta", b":4"]
    assert complete("widgets", "-n", "pr").stdout.splitlines() == [b"prod", b":4"]
    assert not [r for r in fake.seen() if r.path.endswith(("pods", "secrets"))]


@pytest.mark.parametrize("words", [["widgets", "a"], ["widgets", "-n", "a"], ["nonsense", "a"], ["nonsense/"], ["-n", ""]])
def test_completion_without_a_server(fake, complete, words):
    fake.stop()
    done = complete(*words)
    assert done.returncode == 0 and not done.stderr and done.stdout.splitlines() == [b":4"]


def test_of_what_may_not_be_read_nobody_knows_whether_it_is_there(fake, run):
    """found is no member then; of what was looked for and is not there it is false."""
    waits = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Waiting", "message": "not yet"}]}}
    fake.put("widgets", "a", spec={"secretRef": {"name": "s"}, "gadgetRef": {"apiVersion": "example.org/v1", "kind": "Gadget", "name": "g"}}, **waits)
    fake.on("*", status(403, "Forbidden", "secrets is forbidden"), when=lambda r: "/secrets" in r.path, times=0)
    item = json.loads(run("widgets", "-o", "json").stdout)["items"][0]
    found = {d["on"]["kind"]: d.get("found") for d in item["dependencies"]}
    assert found == {"Secret": None, "Gadget": False}


def test_problems_say_how_many_kinds_may_not_be_read(fake, run, tmp_path):
    """Nothing is wrong in what may be read, which is not all."""
    fake.put("widgets", "a", **READY)
    assert run("--problems").stdout.decode() == "Nothing has failed, and nothing waits.\n"
    fake.on("*", status(403, "Forbidden", "gadgets is forbidden"), when=lambda r: r.path.endswith("/gadgets"), times=0)
    recording = str(tmp_path / "night.jsonl")
    for args in (("--problems", "--record", recording), ("--problems", "--replay", recording)):
        assert run(*args).stdout.decode() == "Nothing that may be read has failed; 1 kind may not be read.\n"
    with run.screen("--replay", recording, rows=20, cols=120) as term:
        term.wait(lambda text: "nothing that may be read has failed; 1 kind may not be read" in text and "1 kind forbidden" in text)
