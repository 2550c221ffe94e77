# SPDX-License-Identifier: Apache-2.0
"""Completion in the shells themselves, and through kubectl; its installation."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest
import yaml

from client_world import certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from client_world import READY
from optional import needs
from program import PROGRAM, wait_for
from terminal import Terminal


@pytest.fixture
def home(run, tmp_path):
    """A user who has the program in $PATH and typed "completion install"."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "kubectl-status").symlink_to(os.path.realpath(PROGRAM))
    run.env["PATH"] = "%s:%s" % (folder, run.env["PATH"])
    done = subprocess.run(["kubectl-status", "completion", "install"], env=run.env, check=True, capture_output=True)
    assert done.stdout.count(b"installed ") == 5
    return run


def in_bash(home, line):
    script = """source ~/.local/share/bash-completion/completions/kubectl-status
    compopt() { :; }
    COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=(kubectl-status)
    _kubectl_status kubectl-status "${1##* }"; printf '%s\n' "${COMPREPLY[@]}" """
    done = subprocess.run(["bash", "-c", script, "bash", line], env=home.env, cwd=home.home, check=True, capture_output=True, timeout=60)
    assert not done.stderr
    return done.stdout.decode().split("\n")[:-1]


def in_fish(home, line):
    done = subprocess.run(["fish", "-c", "complete -C '%s'" % line], env=home.env, cwd=home.home, check=True, capture_output=True,
                          timeout=60)
    return [row.split("\t")[0] for row in done.stdout.decode().split("\n")[:-1]]


def in_kubectl(home, line):
    words = line.split(" ")[1:]
    done = subprocess.run(["kubectl", "__complete", "status", *words], env=home.env, cwd=home.home, check=True, capture_output=True,
                          timeout=60)
    return [row.split("\t")[0] for row in done.stdout.decode().split("\n")[:-2]]


SHELLS = [pytest.param(in_bash, marks=needs("bash")), pytest.param(in_fish, marks=needs("fish")),
          pytest.param(in_kubectl, marks=needs("kubectl"))]


@pytest.mark.parametrize("shell", SHELLS)
def test_words_and_values(fake, home, shell):
    for name in ("alpha", "alpine", "beta"):
        fake.put("widgets", name, **READY)
    fake.put("namespaces", "prod")
    home.json("widgets")
    assert "--output" in shell(home, "kubectl-status --out")
    assert sorted(shell(home, "kubectl-status -o ")) == ["brief", "json", "kyaml", "name", "openmetrics", "table", "tree", "why", "wide", "yaml"]
    assert shell(home, "kubectl-status --for Ready,Fa") == ["Ready,Failed"]
    assert shell(home, "kubectl-status --columns name,operator") == ["name,operator-phase"]
    assert shell(home, "kubectl-status widg") == ["widgets"]
    assert shell(home, "kubectl-status pods,widg") == ["pods,widgets"]
    assert sorted(shell(home, "kubectl-status widgets al")) == ["alpha", "alpine"]
    assert sorted(shell(home, "kubectl-status widgets/al")) == ["widgets/alpha", "widgets/alpine"]
    assert shell(home, "kubectl-status -n pr") == ["prod"]
    assert sorted(shell(home, "kubectl-status help ")) == ["completion", "help", "options", "rules", "version"]
    assert sorted(shell(home, "kubectl-status completion ")) == ["bash", "fish", "install", "man", "uninstall", "zsh"]


@pytest.mark.parametrize("shell", SHELLS)
def test_words_after_rules(home, shell):
    assert shell(home, "kubectl-status rules ") == ["check"]


@pytest.mark.parametrize("words", [["-f", "world.yaml", ""], ["-f", "-", "pods", ""], ["--replay", "a.jsonl", "pods", ""]], ids=range(3))
def test_of_files_nothing_is_asked(fake, run, words):
    """Neither the cluster, which does not have what is in them, nor standard input."""
    child = subprocess.Popen([PROGRAM, "__complete", *words], env=run.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.read() == b":4\n" and child.wait(20) == 0
    child.stdin.close()
    assert not fake.seen()


def test_files_after_rules_check(run):
    for words, last in ((["check", ""], ":0"), (["check", "a.yaml", ""], ":0")):
        assert run("__complete", "rules", *words).stdout.decode().strip() == last


@pytest.mark.parametrize("shell", SHELLS)
def test_a_value_after_an_equals_sign(home, shell):
    found = shell(home, "kubectl-status --output=js")
    assert found in (["json"], ["--output=json"])


def test_names_of_files(home, typing):
    for name, before in (("dump.yaml", "du"), ("$(touch pwned1).yaml", ""), ("a b", "a")):
        folder = pathlib.Path(home.home, "files")
        folder.mkdir()
        (folder / name).write_text("")
        assert typing("-f files/%s" % before) == ["-f", "files/" + name]
        shutil.rmtree(folder)


# ---- what is completed is called exactly, and nothing of it runs --------------------------------------------------

RECORDER = """#!/bin/sh
[ "$1" != __complete ] || exec '%s' "$@"
printf '%%s\\0' "$@" >"$HOME/called.new" && mv "$HOME/called.new" "$HOME/called"
"""

START = {
    "bash": (["--rcfile", ".rc", "-i"], ".rc", "PS1='> '; source ~/.local/share/bash-completion/completions/kubectl-status"),
    "zsh": (["-i"], ".zshrc", "PS1='> ' fpath=(~/.local/share/zsh/site-functions $fpath)\nautoload -U compinit; compinit -u -D"),
    "fish": (["-i"], ".config/fish/config.fish", "function fish_prompt; printf '> '; end; set -g fish_greeting; set -g fish_autosuggestion_enabled 0"),
}


@pytest.fixture(params=[pytest.param(s, marks=needs(s)) for s in START])
def typing(home, tmp_path, request):
    """typing(words): types them after "kubectl-status", Tab and Enter; the arguments that the program then gets."""
    command, name, text = START[request.param]
    (tmp_path / ".local/share/fish/generated_completions").mkdir(parents=True)  # else fish makes them of all manuals
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text + "\n")
    program = tmp_path / "bin" / "kubectl-status"
    program.unlink()
    program.write_text(RECORDER % os.path.realpath(PROGRAM))
    program.chmod(0o755)
    called = tmp_path / "called"
    term = Terminal(["/bin/sh", "-c", 'cd && exec "$@"', "sh", shutil.which(request.param), *command],
                    {**home.env, "ZDOTDIR": str(tmp_path)}, 24, 100)

    def ask(words, keys="\t\r"):
        called.unlink(missing_ok=True)
        term.keys("kubectl-status " + words + keys)
        wait_for(lambda: called.exists() or not term.read(0.01))
        return called.read_text().split("\0")[:-1]
    ask.term = term
    ask.shell = request.param
    term.wait(">")
    yield ask
    term.close()
    assert not list(tmp_path.rglob("pwned*"))


HOSTILE = ["$(touch pwned1)", "x;touch pwned2;", "`touch pwned3`", "a&touch pwned4", "a|touch pwned5", "a>pwned6", "a\" $(touch pwned7)\"",
           "a' $(touch pwned8)'", "a b", " a  b ", "a'b", 'a"b', "'", '"', "a'", 'a"', "a\\b", "a\\", "\\", "!x", "a!!b", "a!", "!!", "~", "~root", "a=~",
           "a~", "*", "a?", "[a]", "{a,b}", "#a", "a#b", "$HOME", "${HOME}", "$'a'", "(a)", "<(touch pwned9)", "^a^b", "a=b", "a:b:c", "a@b", "%1", "%s",
           "ä", "名前", "a,b", "+x", "=ls", "a\u00a0b", "a$", "a`", "x\\$(touch pwned10)"]


def only(fake, *names):
    """The cluster has the widgets of these names and no others."""
    for name in getattr(fake, "only", []):
        fake.delete("widgets", name)
    for name in names:
        fake.put("widgets", name, **READY)
    fake.only = names


@pytest.mark.parametrize("name", ["TYPE NAME", "TYPE/NAME", "context", "context="])
def test_the_program_gets_what_was_completed(fake, home, typing, name):
    """Whatever an object or a context is called."""
    for text in HOSTILE:
        if name.startswith("context"):
            pathlib.Path(home.home, "k.json").write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "contexts": [{"name": text, "context": {}}]}))
            words = ["--kubeconfig", "k.json", *(["--context=" + text] if name[-1] == "=" else ["--context", text])]
            typed = "--kubeconfig k.json --" + name.rstrip("=") + name[-1].replace("t", " ")
        else:
            only(fake, text)
            words = ["widgets/" + text] if "/" in name else ["widgets", text]
            typed = "widgets/" if "/" in name else "widgets "
        if typing.shell == "fish" and text.startswith("~") and "/" not in typed and name[-1] != "=":
            words.pop()  # fish would insert the name of a home directory: not offered
        assert typing(typed) == words


@pytest.mark.parametrize("quote", ["'", '"'])
def test_within_quotes(fake, typing, quote):
    for text in HOSTILE:
        if typing.shell == "fish" and text.startswith("~"):
            continue  # it is not offered there
        only(fake, text)
        assert typing("widgets " + quote) == ["widgets", text]


def test_behind_a_quoted_part(fake, typing):
    for text in ("a b c", "a$(touch pwned1)", "a;touch pwned2;", "a  b"):
        only(fake, text)
        for part in ("'%s'" % text[:3], "'" + text[:3], '"a ' if text[1] == " " else "a", re.sub(r"(\W)", r"\\\1", text[:3])):
            assert typing("widgets " + part) == ["widgets", text]


def test_one_of_several(fake, typing):
    """What they have in common is quoted, too; the list of them runs nothing."""
    only(fake, "a$(touch pwned1)x", "a$(touch pwned1)y", "b;touch pwned2;", "b c", "-x", "--record=pwned3")
    assert typing("widgets a\t" + ("" if typing.shell == "fish" else "\t"), "y\t\r") == ["widgets", "a$(touch pwned1)y"]


def test_controls_make_no_candidate(fake, typing):
    """A newline makes no second one, and no escape sequence reaches the terminal."""
    for text in ("a\nwidget-evil", "a\x1b]0;evil\x07", "a\tevil", "\x9d0;evil\x9c", "a\x00evil", "a\u202eevil", "-x", "--record=evil"):
        only(fake, text)
        assert "evil" not in " ".join(typing("widgets "))
    assert b"]0;evil" not in typing.term.raw and "\x9d0;evil".encode() not in typing.term.raw


@needs("kubectl")
@needs("bash")
def test_through_kubectls_own_script(fake, home, tmp_path):
    """It expands the candidates that it gets: only what a shell takes as it stands may reach it."""
    script = """source <(kubectl completion bash); compopt() { :; }
    COMP_TYPE=9 COMP_LINE=$1 words=($1 '') cword=3 cur=
    __start_kubectl() { :; }
    words=(kubectl status widgets ''); local_out() { local out directive; __kubectl_get_completion_results; __kubectl_process_completion_results; }
    local_out; printf '%s\n' "${COMPREPLY[@]}" """
    only(fake, "alpha", *HOSTILE)
    done = subprocess.run(["bash", "-c", script, "bash", "kubectl status widgets "], env=home.env, cwd=home.home, check=True,
                          capture_output=True, timeout=60)
    assert sorted(done.stdout.decode().split("\n")[:-1]) == ["%1", "%s", "+x", "a,b", "a:b:c", "a@b", "alpha"]
    assert not list(tmp_path.rglob("pwned*"))


def test_a_list_offers_no_value_with_a_comma(run, tmp_path):
    (tmp_path / "k.json").write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "contexts": [{"name": n, "context": {}} for n in ("a,b", "c")]}))
    assert run("__complete", "--kubeconfig", tmp_path / "k.json", "--contexts", "").stdout == b"c\n:4\n"
    assert run("__complete", "--kubeconfig", tmp_path / "k.json", "--context", "").stdout == b"a,b\nc\n:4\n"


@needs("zsh")
def test_zsh(fake, home, tmp_path):
    fake.put("widgets", "alpha", **READY)
    home.json("widgets")
    (tmp_path / ".zshrc").write_text("PS1='%% ' fpath=(~/.local/share/zsh/site-functions $fpath)\n"
                                     "autoload -U compinit; compinit -u -D\n")
    term = Terminal([shutil.which("zsh"), "-i"], {**home.env, "ZDOTDIR": str(tmp_path)}, 24, 100)
    try:
        for typed, shown in (("kubectl-status --outp\t", "% kubectl-status --output"), ("json widg\t", "--output json widgets"), ("alp\t", "json widgets alpha"),
                             ("--for=Ready,Fai\t", "--for=Ready,Failed")):
            term.keys(typed)
            term.wait(shown)
    finally:
        term.close()


def test_uninstall_removes_what_was_installed(home, tmp_path):
    before = {p for p in tmp_path.rglob("*") if p.is_file() or p.is_symlink()}
    assert tmp_path / "bin" / "kubectl_complete-status" in before
    done = subprocess.run(["kubectl-status", "completion", "uninstall"], env=home.env, check=True, capture_output=True)
    left = {p for p in tmp_path.rglob("*") if p.is_file() or p.is_symlink()}
    assert done.stdout.count(b"removed ") == 5 and len(before - left) == 5
    again = subprocess.run(["kubectl-status", "completion", "uninstall"], env=home.env, check=True, capture_output=True)
    assert again.stdout == b""


def test_the_name_follows_the_files_name(run, tmp_path):
    other = tmp_path / "kubectl-why_blocked"
    other.symlink_to(os.path.realpath(PROGRAM))

    def ask(*args):
        return subprocess.run([str(other), *args], env=run.env, capture_output=True, timeout=60, check=False)
    assert b"kubectl why-blocked -A --problems" in ask("--help").stdout
    assert b"see 'kubectl why-blocked --help'" in ask("--zzzzzz").stderr
    assert b"complete -F _kubectl_why_blocked kubectl-why_blocked" in ask("completion", "bash").stdout


@pytest.mark.parametrize("words, shows", [
    (["version"], b"kubectl-status v"), (["options"], b"--all-namespaces"), (["help"], b"-o, --output"),
    (["help", "rules"], b"kubectl status rules check FILE"), (["rules", "check", "--help"], b"kubectl status rules check FILE"),
    (["completion", "-h"], b"kubectl status completion uninstall"), (["pods", "--help"], b"-o, --output")])
def test_words(run, words, shows):
    done = run(*words)
    assert done.returncode == 0 and shows in done.stdout


@pytest.mark.parametrize("words", [["version"], ["--version"]])
def test_version_as_a_document(run, words):
    """A script that reads `kubectl version -o json` reads this, too."""
    text = run(*words).stdout.decode()
    client = json.loads(run(*words, "-o", "json").stdout)["clientVersion"]
    assert text.startswith("kubectl-status " + client["gitVersion"]) and text.rstrip().endswith(client.get("gitCommit", ""))
    assert client["gitVersion"].startswith("v%s.%s." % (client["major"], client["minor"]))
    assert yaml.safe_load(run(*words, "-o", "yaml").stdout)["clientVersion"] == client
    done = run(*words, "-o", "wide")
    assert done.returncode == 2 and done.stdout == b"" and b"-o json, yaml or kyaml" in done.stderr


def test_help_on_what_is_no_command(run):
    done = run("help", "ruls")
    assert done.returncode == 2 and b'unknown command "ruls" (did you mean "rules"?)' in done.stderr


@pytest.mark.parametrize("login", ["", 'exec: {apiVersion: client.authentication.k8s.io/v1, command: sleep, args: ["60"], interactiveMode: Never}'])
def test_it_ends_when_the_cluster_does_not_answer(run, tmp_path, login):
    """A server that accepts connections and says nothing; a login that never ends."""
    run.hurry()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config = tmp_path / "silent"
        config.write_text("apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
                          "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:%d'}}]\nusers: [{name: u, user: {%s}}]\n"
                          % (silent.getsockname()[1], login))
        for words, some in ((["po"], "pods"), (["pods", ""], ":4"), (["-n", ""], ":4")):
            done = subprocess.run([PROGRAM, "__complete", *words], env={**run.env, "KUBECONFIG": str(config)}, capture_output=True,
                                  text=True, timeout=60, check=True)
            assert some in done.stdout.split("\n") and not done.stderr


def test_a_mistyped_word_of_completion(run):
    done = run("completion", "instal")
    assert done.returncode == 2 and b'did you mean "install"?' in done.stderr


def test_the_manual_follows_the_files_name(run, tmp_path):
    other = tmp_path / "kubectl-why_blocked"
    other.symlink_to(os.path.realpath(PROGRAM))
    manual = subprocess.run([other, "completion", "man"], env=run.env, check=True, capture_output=True, text=True).stdout.replace("\\", "")
    assert "kubectl why-blocked -A --problems" in manual and "kubectl-why_blocked - what is broken" in manual
    assert "kubectl status -" not in manual and ".B kubectl status" not in manual


@needs("man")
def test_the_manual_is_found_by_man(run, tmp_path):
    """Beside a program that is in the PATH, as README installs it, man looks without being told."""
    folder = tmp_path / ".local/bin"
    folder.mkdir(parents=True)
    shutil.copy(os.path.realpath(PROGRAM), folder / "kubectl-status")
    env = {**run.env, "PATH": "%s:%s" % (folder, run.env["PATH"]), "MANPAGER": "cat"}
    subprocess.run(["kubectl-status", "completion", "install"], env=env, check=True, capture_output=True)
    done = subprocess.run(["man", "--warnings", "kubectl-status"], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert "kubectl-status - what is broken" in done.stdout
