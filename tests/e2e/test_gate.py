# SPDX-License-Identifier: Apache-2.0
"""What could not be read is not healthy: exit status and words where nothing, or not everything, may be read."""
import json
import pathlib
import re
import shlex

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import GADGETS, names, READY, WIDGETS
from fakeapi import status

TOP = pathlib.Path(__file__).resolve().parents[2]
PODS = "/api/v1/namespaces/default/pods"
NO_GADGETS = 'gadgets.example.org is forbidden: User "u" cannot list resource "gadgets"'
BROKEN = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Terminal", "message": "it broke"}]}}

# How a gate may be written, for a whole namespace and for a type.
UNNAMED = ([], ["--exit-code"], ["--problems"], ["--exit-code", "-o", "name"], ["-o", "json"], ["-o", "yaml"], ["-o", "why"], ["-o", "tree"],
           ["--problems", "--exit-code"], ["--for", "Ready", "--timeout", "5s"])
NAMED = (["widgets"], ["widgets", "--exit-code"], ["widgets", "--problems"], ["widgets", "--for", "Ready", "--timeout", "5s"],
         ["widgets", "-o", "json"])


def ids(args):
    return " ".join(args) or "table"


def forbid(fake, *paths):
    for path in paths:
        fake.on(path, status(403, "Forbidden", '%s is forbidden: User "u" cannot list it' % path.rpartition("/")[2]), times=0)


def recipes():
    """The gates that docs/recipes.md recommends, as words."""
    text = (TOP / "docs/recipes.md").read_text().partition("## Gates in CI")[2].partition("## ")[0]
    gates = [shlex.split(line, comments=True)[2:] for line in re.findall(r"^kubectl status .*$", text, re.M)]
    assert len(gates) >= 3
    return gates


@pytest.fixture
def nobody(fake):  # noqa: F811
    """A server that refuses everything that this user asks for but the names of the kinds."""
    def is_content(request):
        return "/namespaces" in request.path or request.path.rpartition("/")[2] in ("widgets", "gadgets", "pods", "secrets", "namespaces")
    fake.put("namespaces", "shop", ns="")
    fake.put("widgets", "a", ns="shop", **BROKEN)
    fake.on("*", status(403, "Forbidden", 'User "u" may do nothing here'), is_content, times=0)
    return fake


# -- nothing may be read ---------------------------------------------------------------------


@pytest.mark.parametrize("args", UNNAMED, ids=ids)
def test_nothing_may_be_read(nobody, run, args):  # noqa: F811
    for where in (["-n", "shop"], ["-A"]):
        done = run(*args, *where)
        text = done.stderr.decode()
        assert done.returncode == 1 and text.count("\n") == 1, text
        assert "nothing may be read" in text and "orbidden" in text and 'User "u" may do nothing here' in text
        assert b"Nothing has failed" not in done.stdout and b"No resources" not in done.stderr
        if "json" in args:
            doc = json.loads(done.stdout)
            assert doc["items"] == [] and {n["kind"] for n in doc["notices"]} == {"forbidden"}
        elif "yaml" not in args:
            assert done.stdout == b""


@pytest.mark.parametrize("args", NAMED, ids=ids)
def test_a_named_type_may_not_be_read(nobody, run, args):  # noqa: F811
    done = run(*args, "-n", "shop")
    assert (done.returncode, done.stderr.decode()) == (1, 'Error from server (Forbidden): User "u" may do nothing here\n')
    assert b"Nothing has failed" not in done.stdout


@pytest.mark.parametrize("gate", recipes(), ids=ids)
def test_the_gates_of_the_recipes_for_a_user_without_rights(nobody, run, gate):  # noqa: F811
    words = ["widgets/a" if w == "deploy/web" else w for w in gate]
    assert run(*words, *([] if "-n" in words else ["-n", "shop"])).returncode == 1


@pytest.mark.parametrize("gate", recipes(), ids=ids)
def test_the_gates_of_the_recipes_in_a_mistyped_namespace(fake, run, gate):  # noqa: F811
    fake.put("namespaces", "shop", ns="")
    fake.put("widgets", "a", ns="shop", **READY)
    words = ["widgets/a" if w == "deploy/web" else w for w in gate]
    words = [w for i, w in enumerate(words) if "-n" not in (w, words[i - 1])]
    if "--for" in ids(words):
        words += ["--timeout", "5s"]
    assert run(*words, "-n", "shop").returncode == (0 if "Ready" in words or "--exit-code" in words else 3)
    assert run(*words, "-n", "shoop").returncode == 1


def test_nothing_may_be_read_while_watching(nobody, run):  # noqa: F811
    done = run("-n", "shop", "-w", "-o", "json")
    assert done.returncode == 1 and b"nothing may be read" in done.stderr and not done.stdout


def test_a_server_that_fails_for_everything(fake, run):  # noqa: F811
    """Some kinds are refused and the others fail: then the failure is the reason."""
    forbid(fake, WIDGETS, GADGETS)
    fake.on(PODS, status(500, "InternalError", "the pods are burning"), times=0)
    done = run("--exit-code")
    assert done.returncode == 1 and b"the pods are burning" in done.stderr and not done.stdout


# -- some of it may be read -------------------------------------------------------------------


@pytest.mark.parametrize("args", [[], ["--exit-code"], ["--problems"], ["--for", "Ready", "--timeout", "5s"], ["-o", "json"], ["--ignore-not-found"]], ids=ids)
def test_one_of_two_named_types(fake, run, args):  # noqa: F811
    """As kubectl get: what can be read is printed, the server's words tell of the other, and the exit status is 1."""
    fake.put("widgets", "a", **READY)
    fake.on(GADGETS, status(403, "Forbidden", NO_GADGETS), times=0)
    done = run("widgets,gadgets", *args)
    assert (done.returncode, done.stderr.decode().splitlines()[:1]) == (1, ["Error from server (Forbidden): " + NO_GADGETS])
    assert done.stderr.count(b"forbidden") == 1
    if args == ["--problems"]:
        assert done.stdout.decode() == "Nothing that may be read has failed; 1 kind may not be read.\n"
    elif args == ["-o", "json"]:
        doc = json.loads(done.stdout)
        assert names(doc) == ["a"] and [n["message"] for n in doc["notices"]] == ["Error from server (Forbidden): " + NO_GADGETS]
    elif "--for" not in args:
        assert b"widget/a" in done.stdout


def test_one_of_two_named_types_fails(fake, run):  # noqa: F811
    """A failing server is no better than one that refuses."""
    fake.put("widgets", "a", **READY)
    fake.on(GADGETS, status(500, "InternalError", "the gadgets are burning"), times=0)
    done = run("widgets,gadgets", "--exit-code")
    assert done.returncode == 1 and b"widget/a" in done.stdout and done.stderr.count(b"the gadgets are burning") == 1


def test_one_of_two_named_objects(fake, run):  # noqa: F811
    fake.put("widgets", "a", **READY)
    fake.put("widgets", "b", **READY)
    forbid(fake, WIDGETS, WIDGETS + "/b")
    done = run("widgets", "a", "b", "--exit-code")
    assert done.returncode == 1 and b"widget/a" in done.stdout and done.stderr.decode() == \
        'Error from server (Forbidden): b is forbidden: User "u" cannot list it\n'


def test_some_kinds_of_an_unnamed_selection(fake, run):  # noqa: F811
    """The text says so in every mode, and what may be read decides."""
    fake.put("widgets", "a", **READY)
    forbid(fake, GADGETS, PODS)
    said = "othing that may be read has failed; 2 kinds may not be read"
    done = run()
    assert done.returncode == 0 and done.stderr.count(b"notice: Error from server (Forbidden)") == 2
    for args in (["--problems"], ["--problems", "--exit-code"]):
        done = run(*args)
        assert done.returncode == 0 and done.stdout.decode() == "N" + said + ".\n"
    for args in (["--exit-code"], ["--exit-code", "-o", "name"], ["--exit-code", "-o", "json"], ["--for", "Ready", "--timeout", "5s"]):
        done = run(*args)
        assert done.returncode == 0 and "n" + said in done.stderr.decode(), args
    assert len(run.json()["notices"]) == 2
    fake.put("widgets", "b", **BROKEN)
    done = run("--exit-code")
    assert done.returncode == 4 and said not in done.stderr.decode()


def test_nothing_is_found_in_what_may_be_read(fake, run):  # noqa: F811
    forbid(fake, GADGETS)
    done = run("--exit-code")
    assert done.returncode == 0 and done.stderr.decode().splitlines()[0] == \
        "No resources found in default namespace; 1 kind may not be read."


def test_a_type_that_may_be_read_in_one_namespace_only(fake, run):  # noqa: F811
    """It is not forbidden everywhere: what may be read is shown, with a notice."""
    fake.put("widgets", "a", **READY)
    forbid(fake, "/apis/example.org/v1/widgets")
    done = run("widgets", "-A", "--exit-code")
    assert done.returncode == 0 and b"widget/a" in done.stdout and b"notice: Error from server (Forbidden)" in done.stderr


def test_a_recording_of_what_may_not_be_read(nobody, run, tmp_path):  # noqa: F811
    """It knows no more than the user who recorded it."""
    path = tmp_path / "nothing.jsonl"
    assert run("-n", "shop", "--problems", "--record", path).returncode == 1
    for args in (["--exit-code"], ["--problems"], ["widgets"], ["widgets", "--exit-code"]):
        done = run("--replay", path, *args)
        assert done.returncode == 1 and b"may not be read" in done.stderr and not done.stdout, args


def test_a_recording_of_a_mistyped_namespace(fake, run, tmp_path):  # noqa: F811
    path = tmp_path / "nowhere.jsonl"
    fake.put("namespaces", "shop", ns="")
    assert run("-n", "shoop", "--record", path, "-o", "name").returncode == 1
    done = run("--replay", path, "--exit-code")
    assert done.returncode == 1 and b'namespaces "shoop" not found' in done.stderr


@pytest.mark.parametrize("flag", ["-f", "--replay"])
def test_a_namespace_that_a_recording_has_nothing_of(run, flag):  # noqa: F811
    demo = TOP / "demo/incident.jsonl.gz"
    for args in ([], ["--exit-code"], ["--problems"], ["--for", "Ready"], ["-o", "json"], ["pods"]):
        done = run(flag, demo, *args, "-n", "shp")
        assert (done.returncode, done.stderr.decode()) == (1, 'error: the recording has nothing of namespace "shp" (did you mean "shop"?)\n')
        assert not done.stdout or json.loads(done.stdout)["notices"][0]["kind"] == "missing"
    done = run(flag, demo, "-n", "shop,shp", "-o", "name")
    assert done.returncode == 1 and b"deployment.apps/search" in done.stdout and b'"shp"' in done.stderr
    for args in (["nodes", "-n", "shp"], ["-n", "shp", "--ignore-not-found"]):
        assert run(flag, demo, *args).returncode == 0


def test_a_recording_of_an_empty_namespace(shop, run, tmp_path):  # noqa: F811
    """Somebody looked: it is well."""
    path = tmp_path / "empty.jsonl"
    assert run("-n", "empty", "--record", path, "-o", "name").returncode == 0
    assert run("--replay", path, "--exit-code").returncode == run("--replay", path, "-n", "empty", "--exit-code").returncode == 0


# -- a namespace that does not exist -----------------------------------------------------------


@pytest.fixture
def shop(fake):  # noqa: F811
    """A namespace with one well object."""
    for ns in ("shop", "stock", "empty"):
        fake.put("namespaces", ns, ns="")
    fake.put("widgets", "a", ns="shop", **READY)
    return fake


@pytest.mark.parametrize("args", (*UNNAMED, *NAMED), ids=ids)
def test_a_mistyped_namespace(shop, run, args):  # noqa: F811
    done = run(*args, "-n", "shoop")
    assert (done.returncode, done.stderr.decode()) == (1, 'Error from server (NotFound): namespaces "shoop" not found (kubectl get namespaces lists those that exist)\n')
    if "json" in args:
        assert json.loads(done.stdout)["notices"] == [{"kind": "missing", "resource": "namespaces", "namespace": "shoop",
                                                       "message": 'Error from server (NotFound): namespaces "shoop" not found'}]
    elif "yaml" not in args:
        assert done.stdout == b""


def test_a_mistyped_namespace_costs_one_request_more(shop, run):  # noqa: F811
    def asked():
        shop.requests.clear()
        run("-n", ns, "--exit-code")
        return [r.target for r in shop.seen() if r.path.startswith("/api/v1/namespaces") and "shop/" not in r.path and ns + "/" not in r.path]
    for ns, n in (("shop", 0), ("empty", 1), ("shoop", 1)):
        assert len(asked()) == n


def test_an_empty_namespace_is_well(shop, run):  # noqa: F811
    done = run("-n", "empty", "--exit-code")
    assert (done.returncode, done.stderr.decode()) == (0, "No resources found in empty namespace.\n")
    assert run.text("-n", "empty", "--problems") == "Nothing has failed, and nothing waits.\n"


@pytest.mark.parametrize("may_get", [True, False])
def test_namespaces_may_not_be_listed(shop, run, may_get):  # noqa: F811
    """Who may get a namespace knows that it is missing; who may not is told nothing wrong."""
    forbid(shop, "/api/v1/namespaces", *([] if may_get else ["/api/v1/namespaces/shoop"]))
    done = run("-n", "shoop", "--exit-code")
    if may_get:
        assert (done.returncode, done.stderr.decode()) == (1, 'Error from server (NotFound): namespaces "shoop" not found (kubectl get namespaces lists those that exist)\n')
    else:
        assert (done.returncode, done.stderr.decode()) == (0, "No resources found in shoop namespace.\n")


def test_a_named_object_in_a_mistyped_namespace(shop, run):  # noqa: F811
    done = run("widgets/a", "-n", "shoop")
    assert (done.returncode, done.stderr.decode()) == (
        1, 'Error from server (NotFound): widgets.example.org "a" not found (there is no namespace "shoop")\n')
    done = run("widgets/a", "-n", "empty")
    assert (done.returncode, done.stderr.decode()) == (1, 'Error from server (NotFound): widgets.example.org "a" not found\n')
    assert run("widgets/a", "-n", "shoop", "--ignore-not-found").returncode == 0


def test_for_delete_in_a_namespace_that_is_gone(shop, run):  # noqa: F811
    """What is deleted together with its namespace is deleted."""
    assert run("widgets/a", "-n", "gone", "--for=delete", "--timeout", "5s").returncode == 0


def test_for_create_waits_for_the_namespace_too(shop, run):  # noqa: F811
    child = run.start("widgets/b", "-n", "new", "--for=create", "--timeout", "20s")
    shop.await_requests(1, "/apis/example.org/v1/namespaces/new/widgets", watch=True)
    shop.put("namespaces", "new", ns="")
    shop.put("widgets", "b", ns="new", **READY)
    assert child.wait(20) == 0
    child.communicate()


def test_watching_a_namespace_that_does_not_exist_yet(shop, run, watching):  # noqa: F811
    """It says so, and goes on: the namespace may come."""
    w = watching(run, "widgets", "-n", "new")
    assert b'namespaces "new" not found' in w.child.stderr.readline()
    shop.put("widgets", "b", ns="new", **READY)
    w.wait(("ADDED", "b"))


# -- files -----------------------------------------------------------------------------------------


def test_a_mistyped_namespace_in_files(run, tmp_path):  # noqa: F811
    """The files are the world: what they have nothing of does not exist."""
    (tmp_path / "dump.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop", "uid": "a"}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "empty"}, "status": {"phase": "Active"}}]}))
    for args in ([], ["--exit-code"], ["--problems"], ["--for", "Ready"], ["-o", "json"], ["configmaps"]):
        done = run("-f", tmp_path / "dump.json", *args, "-n", "shoop")
        assert (done.returncode, done.stderr.decode()) == (1, 'error: the files have no namespace "shoop" (did you mean "shop"?)\n')
        assert not done.stdout or json.loads(done.stdout)["notices"][0]["kind"] == "missing"
    for args in (["-n", "empty"], ["namespaces", "-n", "shoop"], ["-n", "shoop", "--ignore-not-found"], ["-n", "shop"]):
        assert run("-f", tmp_path / "dump.json", *args, "--exit-code").returncode == 0
    with run.screen("-f", tmp_path / "dump.json", "-n", "shoop") as term:
        term.wait('There is no namespace "shoop"')


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_empty_input(run, tmp_path, text):  # noqa: F811
    """As of a pipe whose first program failed: kubectl get … | kubectl status -f -"""
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(text)
    done = run("-f", "-", "--exit-code", stdin=text.encode())
    assert (done.returncode, done.stderr) == (1, b"error: no objects passed to status: - is empty\n")
    done = run("-f", tmp_path / "a.yaml", "-f", tmp_path / "b.yaml", "-o", "json")
    assert (done.returncode, done.stderr, done.stdout) == (1, b"error: no objects passed to status: all files are empty\n", b"")
    assert run("-f", "/dev/null", "--exit-code").returncode == 0  # somebody wants it empty
    (tmp_path / "b.yaml").write_text("{kind: List, apiVersion: v1, items: []}")
    assert run("-f", tmp_path / "a.yaml", "-f", tmp_path / "b.yaml", "--exit-code").returncode == 0  # there is nothing: somebody looked


@pytest.mark.parametrize("form", [["-o", "json"], ["-o", "yaml"], ["-w", "-o", "json"]], ids=ids)
def test_what_this_program_printed_is_no_input(run, tmp_path, form):  # noqa: F811
    printed = run.text("--replay", TOP / "demo/incident.jsonl.gz", *form)
    (tmp_path / "printed.yaml").write_text(printed)
    for args in ([], ["--problems"], ["-o", "json"]):
        for source in (["-f", tmp_path / "printed.yaml"], ["-f", "-"]):
            done = run(*source, *args, stdin=printed.encode())
            assert done.returncode == 1 and done.stdout == b"" and done.stderr.count(b"\n") == 1
            assert b"this is what kubectl status prints (kind: StatusList)" in done.stderr


def test_rules_and_preferences_are_no_input(run, tmp_path):  # noqa: F811
    for kind in ("Rules", "Preferences"):
        (tmp_path / "own.yaml").write_text("{apiVersion: kubectl-status/v1, kind: %s}" % kind)
        done = run("-f", tmp_path / "own.yaml")
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"objects" in done.stderr


# -- the first screen ---------------------------------------------------------------------------


def test_the_first_screen_of_a_mistyped_namespace(shop, run):  # noqa: F811
    with run.screen("-n", "shoop", cols=120) as term:
        text = term.wait('There is no namespace "shoop"')
        assert "othing has failed" not in text and "othing here has a status" not in text
        term.keys("p")
        term.wait('namespaces "shoop" not found')
        term.keys("q")
        shop.put("namespaces", "shoop", ns="")
        term.wait(lambda text: "Nothing here has a status" in text and "There is no namespace" not in text)


def test_the_first_screen_without_rights(nobody, run):  # noqa: F811
    with run.screen("-n", "shop", cols=120) as term:
        text = term.wait("kinds may not be read")
        assert "othing has failed" not in text and "othing that may be read has failed" not in text


def test_a_namespace_that_is_chosen_in_the_dashboard(shop, run):  # noqa: F811
    """The first one is missing, the next one is not."""
    with run.screen("-n", "shoop", cols=120) as term:
        term.wait('There is no namespace "shoop"')
        term.keys("0")
        term.wait("widget/a")
