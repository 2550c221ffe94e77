# SPDX-License-Identifier: Apache-2.0
"""The user's own thresholds: ~/.kube/kubectl-status.yaml."""
import re

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
    (HEAD + "columns: [name, phaze]", 'line 3, column 1: unknown column "phaze" (did you mean "phase"?)'),
    (HEAD + "columns: []", "columns must be a list of names, such as [name, phase, message]"),
    (HEAD + "keys:\n  filter: p", 'line 4, column 3: the key "p" does something else: Show the root causes'),
    (HEAD + "keys:\n  flter: p", 'line 4, column 3: unknown action "flter" (did you mean "filter"?)'),
    (HEAD + "keys: {filter: Hyper}", 'unknown key "Hyper"'),
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
        term.wait("Waiting")
        term.keys("x")
        term.wait("CAUSE")
