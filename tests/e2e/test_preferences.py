# SPDX-License-Identifier: Apache-2.0
"""The user's own thresholds: ~/.kube/kubectl-status.yaml."""
import re

import os

import pytest
import yaml

from test_offline import NOW, WAITING

HEAD = "apiVersion: kubectl-status/v1\nkind: Preferences\n"


@pytest.fixture
def severity(run, tmp_path):
    """Of what waits for 4 minutes (it is 20 minutes old), with those preferences."""
    def judge(thresholds):
        (run.home / ".kube").mkdir(exist_ok=True)
        (run.home / ".kube/kubectl-status.yaml").write_text(HEAD + "thresholds: {%s}\n" % thresholds)
        world = tmp_path / "world.yaml"
        world.write_text(WAITING)
        [item] = run.json("-f", world, "--as-of", NOW)["items"]
        return item["phase"], item["severity"]
    return judge


def test_patience_is_the_users(severity):
    usual = severity("")
    assert usual == ("Waiting", "info")
    assert severity("overdue: 1h") == usual
    assert severity("overdue: 90s") == (usual[0], "warning")
    assert severity("overdue: 60") == (usual[0], "warning"), "a bare number is one of seconds"


@pytest.mark.parametrize("columns", ["[message, NAME]", "message, name"])
def test_columns(run, tmp_path, columns):
    """Those of the table that is printed; what the command line says comes first."""
    (run.home / ".kube").mkdir(exist_ok=True)
    (run.home / ".kube/kubectl-status.yaml").write_text(HEAD + "columns: %s\n" % columns)
    world = tmp_path / "world.yaml"
    world.write_text(WAITING)
    head = lambda *args: run("-f", world, *args).stdout.decode().splitlines()[0].split()
    assert head() == head("-o", "table") == ["MESSAGE", "NAME"]
    assert head("--columns", "phase") == ["PHASE"]
    assert len(head("-o", "wide")) > 2


OWNED = """
apiVersion: example.org/v1
kind: Widget
metadata: {name: w, namespace: a, labels: {team: blue, app.kubernetes.io/part-of: shop}, annotations: {example.org/pager: "+41"}}
status: {conditions: [{type: Ready, status: "False", reason: Broken}]}
"""


@pytest.mark.parametrize("preference, owner", [
    ("", "blue"),  # of the defaults, the first that it has
    ("owner: [app.kubernetes.io/part-of, team]", "shop"),
    ("owner: example.org/pager", "+41"),
    ("owner: [nobody]", None),
    ("owner: []", None),
    ("owner:", "blue"),
])
def test_owner(run, tmp_path, preference, owner):
    (run.home / ".kube").mkdir(exist_ok=True)
    (run.home / ".kube/kubectl-status.yaml").write_text(HEAD + preference + "\n")
    world = tmp_path / "world.yaml"
    world.write_text(OWNED)
    doc = run.json("-f", world)
    assert [doc["items"][0].get("owner"), doc["rootCauses"][0].get("owner")] == [owner, owner]
    assert run("-f", world, "--columns", "owner", "--no-headers").stdout.decode().strip() == (owner or "")


def test_another_file_by_its_name(run, tmp_path):
    named = tmp_path / "mine.yaml"
    named.write_text(HEAD + "thresholds: {overdue: nonsense}")
    done = run("-f", "/dev/null", KUBECTL_STATUS_CONFIG=str(named))
    assert done.returncode == 1 and b"mine.yaml" in done.stderr
    assert run("-f", "/dev/null", KUBECTL_STATUS_CONFIG="/dev/null").returncode == 0
    done = run("-f", "/dev/null", KUBECTL_STATUS_CONFIG=str(tmp_path / "absent"))
    assert done.returncode == 1 and b"KUBECTL_STATUS_CONFIG" in done.stderr


@pytest.mark.parametrize("text, words", [
    (HEAD + "thresholds: {overdu: 3m}", 'unknown threshold "overdu" (known: overdue, '),
    (HEAD + "thresholds: {overdue: never}", '"never" is not a duration (such as'),
    (HEAD + "thresholds: {overdue: -5m}", "is not a duration"),
    (HEAD + "thresholds: {overdue: 99999999h}", "a year at most"),
    (HEAD + "thresholds: {overdue: [3m]}", "is not a duration"),
    (HEAD + "thresholds: {stalePolls: 0}", '"0" is not a count (a number from 1 to 1000)'),
    (HEAD + "thresholds: [overdue]", "thresholds must be a map"),
    (HEAD + "threshold: {}", 'unknown field "threshold" (did you mean "thresholds"?)'),
    (HEAD + "thresholds:\n  overdue: 1m\n  overdu: 3m", 'line 5, column 3: unknown threshold "overdu"'),
    (HEAD + "theme: pink", 'line 3, column 1: unknown theme "pink"; known: auto, dark, light, '),
    (HEAD + "bell: loud", "line 3, column 1: bell must be true or false"),
    (HEAD + "columns: [name, phaze]", 'line 3, column 17: unknown column "phaze" (did you mean "phase"?)'),
    (HEAD + 'owner: [team, "my owner"]', 'line 3, column 15: "my owner" cannot be a label or an annotation'),
    (HEAD + "owner:\n- team\n- a/b/c\n", 'line 5, column 3: "a/b/c" cannot be a label or an annotation'),
    (HEAD + "owner: -team", 'line 3, column 1: "-team" cannot be a label or an annotation'),
    (HEAD + "owner: {team: yes}", "line 3, column 1: owner must be a list of labels or annotations, such as [team, contact]"),
    (HEAD + "ownr: [team]", 'line 3, column 1: unknown field "ownr" (did you mean "owner"?)'),
    (HEAD + "owner: [%s]" % ", ".join("k%d.example.org/%s" % (i, "n" * 60) for i in range(20)), "too many labels that tell the owner"),
    (HEAD + "columns: []", "columns must be a list of names, such as [name, phase, message]"),
    (HEAD + "keys:\n  filter: p", 'line 4, column 3: the key "p" does something else: Show the root causes'),
    (HEAD + "keys:\n  flter: p", 'line 4, column 3: unknown action "flter" (did you mean "filter"?)'),
    (HEAD + "keys: {filter: Hyper}", 'unknown key "Hyper"'),
    (HEAD + "keys: {filter: F9, sort: F9}", 'line 3, column 8: the key "F9" does something else: Sort by'),
    (HEAD + "keys: {sort: [F8, F9]}", "line 3, column 8: one key or several, separated by blanks"),
    (HEAD + "columns:\n- name\n- phaze\n", 'line 5, column 3: unknown column "phaze"'),
    (HEAD + "theme: [dark]", "line 3, column 1: theme must be one of: auto, dark, light, "),
    (HEAD + "theme: dark\ntheme: light\n", 'line 4, column 1: "theme" stands here twice'),
    (HEAD + "keys: {filter: F9, filter: F8}", 'line 3, column 20: "filter" stands here twice'),
    (HEAD + "# bell: true\nbell: 3\n", "line 4, column 1: bell must be true or false"),
    (HEAD + "thresholds:\n  overdue: 3m\noverdue: 3m\n", 'line 5, column 1: unknown field "overdue"'),
    (HEAD.replace("\n", "\r\n") + "bell: 3\r\n", "line 3, column 1: bell must be true or false"),
    ("\ufeff" + HEAD + "bell: 3\n", "line 3, column 1: bell must be true or false"),
    (HEAD + "keys:\n\tfilter: F9\n", "yaml: line 4: found character that cannot start any token at column 1"),
    (HEAD + "theme: da\0rk\n", "yaml: line 3: control characters are not allowed at column 10"),
    ("apiVersion: kubectl-status/v1\nkind: Rules\n", "line 2, column 1: this version of Preferences is not known"),
    (HEAD + "thresholds: {overdue: 45m", "yaml: line 4: did not find expected ',' or '}' at column 1"),
    ("thresholds: {overdue: 45m}", "begin it with apiVersion: kubectl-status/v1"),
    ("[]", "must be a map"),
])
def test_what_is_wrong_is_named(run, text, words):
    (run.home / ".kube").mkdir(exist_ok=True)
    (run.home / ".kube/kubectl-status.yaml").write_text(text)
    done = run("-f", "/dev/null")
    said = done.stderr.decode()
    assert done.returncode == 1 and done.stdout == b""
    assert said.startswith("error: %s/.kube/kubectl-status.yaml: " % run.home) and words in said
    assert said.count("\n") == 1
    assert run("--help").returncode == 0, "help never fails"


@pytest.mark.parametrize("text", [
    "", "# nothing yet\n", HEAD, "\ufeff" + HEAD, HEAD.replace("\n", "\r\n"),
    HEAD + "keys:\n#  filter: F9\nthresholds:\ntheme:\n",  # what is in comments is not there
    HEAD + "keys: {sort: z, group: s}\n",  # swapped
    HEAD + "keys: {sort: 7, filter: y, copy: n F9, next-problem: F8}\n",  # no numbers, no booleans
    HEAD + "theme: dark\n---\ntheme: pink\n",  # the first document alone
])
def test_what_is_taken(run, text):
    (run.home / ".kube").mkdir(exist_ok=True)
    (run.home / ".kube/kubectl-status.yaml").write_bytes(text.encode())
    done = run("-f", "/dev/null")
    assert done.returncode == 0, done.stderr.decode()


def test_what_is_no_file_is_not_waited_for(run, tmp_path):
    """A named pipe has no end until somebody writes it, and a device may have none."""
    os.mkfifo(tmp_path / "pipe")
    for path, what in (tmp_path / "pipe", b"it is a pipe"), ("/dev/zero", b"it is a device"):
        done = run("-f", "/dev/null", KUBECTL_STATUS_CONFIG=str(path))
        assert done.returncode == 1 and what in done.stderr and done.stderr.count(b"\n") == 1
        assert b"KUBECTL_STATUS_CONFIG names that file" in done.stderr


def test_a_file_that_cannot_be_read_is_named(run):
    preferences = run.home / ".kube/kubectl-status.yaml"
    preferences.mkdir(parents=True)
    done = run("-f", "/dev/null")
    assert done.returncode == 1 and b"kubectl-status.yaml: is a directory (your preferences)" in done.stderr
    preferences.rmdir()
    preferences.symlink_to(preferences)
    done = run("-f", "/dev/null")
    assert done.returncode == 1 and b"symbolic links (your preferences)" in done.stderr
    preferences.unlink()
    (run.home / "mine.yaml").write_text(HEAD + "theme: pink\n")
    preferences.symlink_to(run.home / "mine.yaml")
    assert b"line 3, column 1" in run("-f", "/dev/null").stderr


def test_manual_lists_each_with_its_default(run):
    text = run.text("completion", "man").replace("\\-", "-")
    listed = dict(re.findall(r"^  (\w+): (\S+) +# \S", text[text.index("thresholds:"):], re.M))
    assert listed["overdue"] == "30m" and listed["stalePolls"] == "10" and len(listed) >= 10
    for name, value in listed.items():
        (run.home / ".kube").mkdir(exist_ok=True)
        (run.home / ".kube/kubectl-status.yaml").write_text(HEAD + "thresholds: {%s: %s}" % (name, value))
        assert run("-f", "/dev/null").returncode == 0, "what the manual shows is taken"


def test_the_example_of_the_manual_is_read(run):
    """As a whole; and each name that KEYS has is that of an action."""
    text = run.text("completion", "man").replace("\\-", "-").replace("\\e", "\\")
    example = text[text.index(HEAD):].partition(".fi")[0]
    assert yaml.safe_load(example).keys() >= {"theme", "bell", "history", "columns", "keys", "thresholds"}
    (run.home / ".kube").mkdir(exist_ok=True)
    preferences = run.home / ".kube/kubectl-status.yaml"
    preferences.write_text(example)
    assert run("-f", "/dev/null").returncode == 0
    names = re.findall(r"^\.B \S.*\\fR\(([a-z0-9-]+)\)$", text, re.M)
    assert {"open", "next-problem", "filter", "copy"} < set(names)
    for name in names:
        preferences.write_text(HEAD + "keys: {%s: F9}" % name)
        assert run("-f", "/dev/null").returncode == 0, name


def test_keys_and_theme_of_the_user(run, tmp_path):
    (run.home / ".kube").mkdir(exist_ok=True)
    (run.home / ".kube/kubectl-status.yaml").write_text(HEAD + "theme: light\nkeys: {problems: x}\n")
    world = tmp_path / "world.yaml"
    world.write_text(WAITING)
    with run.screen("-f", world, "--as-of", NOW) as term:
        term.wait("◷")
        term.keys("x")
        term.wait("CAUSE")


def test_the_dashboard_goes_on_with_defaults(run):
    """The first line says what is wrong, until a key is pressed; what prints ends with the same words."""
    world = run.home / "world.yaml"
    world.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n")
    preferences = run.home / ".kube/kubectl-status.yaml"
    preferences.parent.mkdir(exist_ok=True)
    preferences.write_text(HEAD + "keys: {problems: x}\ntheme: \"\\e]0;purple\\a\"\n")
    done = run("-f", world, "-o", "table")
    assert done.returncode == 1 and b"line 4, column 1: unknown theme" in done.stderr
    with run.screen("-f", world, cols=240) as term:
        first = term.wait("kubectl-status.yaml: line 4, column 1: unknown theme").splitlines()[0]
        assert "known: auto, dark, light" in first and b"\x1b]0;purple" not in term.raw
        beginning = first.partition("; known")[0]
        term.resize(24, len(beginning) + 10)
        term.wait(lambda text: text.splitlines()[0].startswith(beginning))      # what is cut is the end
        term.keys("p")
        term.wait(lambda text: "unknown theme" not in text and "help" in text)
