# SPDX-License-Identifier: Apache-2.0
"""A session in the dashboard: switching, handing over, reading what changes."""
import base64
import json
import os
import re
import resource
import signal
import time


import pytest

from client_world import READY, certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from fakeapi import stall, status
from program import PROGRAM, wait_for
from terminal import Terminal

BAD = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "disk is full"}]}}


@pytest.fixture
def two_namespaces(fake):  # noqa: F811
    fake.put("widgets", "here", ns="default", **BAD)
    fake.put("widgets", "there", ns="other", **READY)
    return fake


def copied(term):
    """What was handed to the clipboard last."""
    found = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", term.raw)
    return base64.b64decode(found[-1]).decode() if found else ""


def stub(folder, name, script):
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return path


def test_namespaces_are_switched(two_namespaces, run):  # noqa: F811
    with run.screen("widgets") as term:
        term.wait("widget/here")
        assert "there" not in term.text()
        term.keys(":ns other\r")
        term.wait(lambda text: "widget/there" in text and "widget/here" not in text)
        term.keys("0")
        term.wait(lambda text: "widget/there" in text and "widget/here" in text and "all namespaces" in text)


def test_kinds_are_switched(two_namespaces, run):  # noqa: F811
    two_namespaces.put("pods", "web", **{"status": {"phase": "Running"}})
    with run.screen("widgets") as term:
        term.wait("widget/here")
        term.keys(":kind pod\r")
        term.wait(lambda text: "pod/web" in text and "widget/here" not in text)
        term.keys(":kind all\r")
        term.wait(lambda text: "widget/here" in text)


def test_a_kind_that_may_not_be_read_is_said(two_namespaces, run):  # noqa: F811
    """Named on the command line it is an error, as for kubectl; chosen in the dashboard it is said there."""
    words = 'gadgets.example.org is forbidden: User "u" cannot list resource "gadgets"'
    two_namespaces.on("*", status(403, "Forbidden", words), when=lambda r: "/gadgets" in r.path, times=0)
    with run.screen("gadgets", "-A") as term:
        assert os.waitstatus_to_exitcode(term.end()) == 1
        assert b"Error from server (Forbidden): " + words.encode() in term.raw.replace(b"\r\n", b"")
    with run.screen("widgets,gadgets", "-A") as term:
        term.wait(lambda text: "widget/here" in text and "1 kind forbidden" in text)
        term.keys(":kind gadget\r")
        text = term.wait("Nothing can be shown: 1 kind may not be read")
        assert "nothing has failed" not in text


def test_contexts_are_switched(two_namespaces, run):  # noqa: F811
    config = json.loads(open(run.env["KUBECONFIG"]).read())
    config["contexts"].append({"name": "second", "context": {"cluster": "c", "user": "u", "namespace": "other"}})
    open(run.env["KUBECONFIG"], "w").write(json.dumps(config))
    with run.screen("widgets") as term:
        term.wait("widget/here")
        term.keys(":ctx sec\r")
        term.wait(lambda text: "second" in text and "widget/there" in text and "widget/here" not in text)
        term.keys("\rY")
        wait_for(lambda: term.read() and "--context second" in copied(term))
        term.keys("q:ctx c\r")
        term.wait("widget/here")
        term.keys("\rY")
        wait_for(lambda: term.read() and copied(term).endswith("here -n default --context c"))


def test_a_context_that_is_not_served_is_said(two_namespaces, run):  # noqa: F811
    config = json.loads(open(run.env["KUBECONFIG"]).read())
    config["clusters"].append({"name": "gone", "cluster": {"server": "https://127.0.0.1:1"}})
    config["contexts"].append({"name": "gone", "context": {"cluster": "gone", "user": "u"}})
    config["contexts"].append({"name": "second", "context": {"cluster": "c", "user": "u", "namespace": "other"}})
    open(run.env["KUBECONFIG"], "w").write(json.dumps(config))
    with run.screen("widgets") as term:
        term.wait("widget/here")
        term.keys(":ctx gone\r")
        term.wait(lambda text: "refused" in text or "cannot switch" in text)
        term.wait(lambda text: "widget/here" in text, 40)
        term.keys(":ctx second\r")
        term.wait("widget/there")
        for _ in range(2):  # back to where one was is no context of the command line
            term.keys(":ctx gone\r")
            term.wait(lambda text: "refused" in text or "cannot switch" in text)
            term.wait(lambda text: "widget/there" in text and "second" in text, 40)
        term.keys("\rY")
        wait_for(lambda: term.read() and "--context second" in copied(term))


def test_a_kubeconfig_that_is_broken_meanwhile(two_namespaces, run):  # noqa: F811
    """What cannot be switched to is said before anything that is known goes."""
    config = json.loads(open(run.env["KUBECONFIG"]).read())
    config["contexts"].append({"name": "second", "context": {"cluster": "c", "user": "u", "namespace": "other"}})
    open(run.env["KUBECONFIG"], "w").write(json.dumps(config))
    with run.screen("widgets") as term:
        term.wait(lambda text: "widget/here" in text and "live" in text)
        open(run.env["KUBECONFIG"], "w").write("not: [yaml")
        term.keys(":ctx sec\r")
        text = term.wait("cannot switch: error loading config file")
        assert "widget/here" in text and "live" in text
        open(run.env["KUBECONFIG"], "w").write(json.dumps(config))
        term.keys(":ctx sec\r")
        term.wait("widget/there")


@pytest.mark.parametrize("view", ["\r", "w", "t"])
def test_another_one_of_that_name(two_namespaces, run, view):  # noqa: F811
    """A StatefulSet's pod comes back under its name: what is open is gone, and says that the other is there."""
    with run.screen("widgets") as term:
        term.wait(lambda text: "widget/here" in text and "live" in text)
        term.keys("g" + view)
        term.wait(lambda text: "widget/here · default" in text)
        two_namespaces.delete("widgets", "here")
        term.wait(lambda text: "⊖ Gone" in text and "It does not exist any more" in text)
        two_namespaces.put("widgets", "here", **READY)
        term.wait(lambda text: "⊖ Gone" in text and "Another one of that name is there: Enter shows it" in text)
        term.keys("\r")
        term.wait(lambda text: "widget/here · default" in text and "✔ Ready" in text and "Gone" not in text)
        term.keys("\x1b")
        term.wait("RESOURCE  ")


def test_several_contexts_are_come_back_to(two_namespaces, run):  # noqa: F811
    """--contexts A,B, then one of them, then both again: by name, and with the key for the context before."""
    config = json.loads(open(run.env["KUBECONFIG"]).read())
    config["contexts"].append({"name": "second", "context": {"cluster": "c", "user": "u", "namespace": "other"}})
    open(run.env["KUBECONFIG"], "w").write(json.dumps(config))

    def both(text):
        return "c,second" in text.split("\n")[0] and len(re.findall("Failed +widget/here", text)) == 2

    with run.screen("--contexts", "c,second", "widgets", cols=120) as term:
        term.wait(both)
        term.keys(":ctx second\r")
        term.wait(lambda text: "c,second" not in text and "widget/there" in text and "widget/here" not in text)
        term.keys(":ctx c,s\r")
        term.wait(both)
        term.keys(":ctx c\r")
        term.wait(lambda text: "c,second" not in text and "widget/here" in text and "widget/there" not in text)
        term.keys(":ctx c,s\r")
        term.wait(both)


def test_one_of_two_contexts_is_lost(two_namespaces, run, serve):  # noqa: F811
    """Which one, and why; what is known of the other stays in front."""
    other, dead = serve(), serve()
    other.put("widgets", "there", **BAD)
    dead.put("widgets", "late", **BAD)
    dead.stop()
    config = json.loads(open(run.env["KUBECONFIG"]).read())
    for name, server in (("second", other.url), ("dead", dead.url)):
        config["clusters"].append({"name": name, "cluster": {**config["clusters"][0]["cluster"], "server": server}})
        config["contexts"].append({"name": name, "context": {"cluster": name, "user": "u"}})
    open(run.env["KUBECONFIG"], "w").write(json.dumps(config))
    with run.screen("--contexts", "c,dead", "widgets", cols=120) as term:
        term.wait(lambda text: "widget/here" in text and "dead: reconnecting" in text and "1 root cause" in text)
        term.keys("p")
        term.wait(lambda text: re.search("Not known\n *dead: The connection to the server .* was refused", text))
        dead.start()
        term.wait(lambda text: "widget/late" in text and "live" in text and "Not known" not in text)
    with run.screen("--contexts", "c,second", "widgets", cols=120) as term:
        term.wait(lambda text: "widget/here" in text and "widget/there" in text and "live" in text)
        other.stop()
        term.wait(lambda text: re.search(r"second: reconnecting.*this is \d+s old\n.*root causes", text))
        term.keys("p")
        term.wait(lambda text: re.search("Not known\n *second: The connection to the server .* was refused", text))
        other.start()
        term.wait(lambda text: "live" in text and "Not known" not in text)


def test_markdown_for_a_chat(two_namespaces, run):  # noqa: F811
    with run.screen("widgets") as term:
        term.wait("widget/here")
        term.keys("M")
        term.wait("copied as Markdown")
        text = copied(term)
        assert text.startswith("*`c` `default`, ") and "1 root cause, nothing else waits for it" in text
        assert "*`widget/here`* (`default`) " in text and "`kubectl describe widget.example.org here -n default --context c`" in text
        term.keys("Y")
        wait_for(lambda: term.read() and copied(term) == "kubectl describe widget.example.org here -n default --context c")
        term.keys("w")
        text = term.wait("next step")
        assert "kubectl describe widget.example.org here -n default\n" in re.sub(" +\n", "\n", text), "c is the current context"


def test_the_look_command_in_the_pager(two_namespaces, run, tmp_path):  # noqa: F811
    stub(tmp_path, "kubectl", 'echo "ran: $*"\n')
    pager = stub(tmp_path, "pager", "tee %s/seen; read line </dev/tty\n" % tmp_path)
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"]), PAGER=str(pager)) as term:
        term.wait("widget/here")
        term.keys("!")
        term.wait("ran: describe widget.example.org here -n default")
        term.keys("\r")
        term.wait("widget/here")
        assert (tmp_path / "seen").read_text() == "ran: describe widget.example.org here -n default\n"


def test_the_look_command_of_one_of_several(fake, run, tmp_path):  # noqa: F811
    """What the pager shows may not name its object: it says which of the row's it is, without running anything in a name."""
    for name in ("a", "b", "c"):
        fake.put("widgets", name, ns="default", metadata={"name": name, "namespace": "default", "ownerReferences": [
            {"apiVersion": "example.org/v1", "kind": "Widget", "name": "all", "uid": "u", "controller": True}]}, **BAD)
    stub(tmp_path, "kubectl", 'echo "ran: $*"\n')
    pager = stub(tmp_path, "pager", "tee %s/seen; read line </dev/tty\n" % tmp_path)
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"]), PAGER=str(pager)) as term:
        term.wait("widget ×3")
        term.keys("!")
        term.wait("ran: describe widget.example.org a -n default")
        term.keys("\r")
        term.wait("widget ×3")
        assert (tmp_path / "seen").read_text() == \
            "1 of 3: kubectl describe widget.example.org a -n default\n\nran: describe widget.example.org a -n default\n"
        term.keys("w")
        term.wait("why of widget/a (1 of 3)")
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"])) as term:
        term.wait("widget ×3")
        term.keys("!")
        term.wait("$ kubectl describe widget.example.org a -n default · 1 of 3")


@pytest.mark.parametrize("pager, key", [("cat", "q"), ("/bin/cat", "\x1b"), ("less -R", "q"), ("less -FX", "q")])
def test_a_pager_that_does_not_wait(two_namespaces, run, tmp_path, pager, key):  # noqa: F811
    stub(tmp_path, "kubectl", 'echo "ran: $*"\n')
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"]), PAGER=pager) as term:
        term.wait("widget/here")
        term.keys("!")
        term.wait(lambda text: "ran: describe widget.example.org here -n default" in text and ("q: back" if "less" in pager else "(any key: back)") in text)
        term.keys(key)
        term.wait(lambda text: "widget/here" in text and "live" in text)
        term.keys("?")
        term.wait("Look")


@pytest.mark.parametrize("pager", ["", "no-such-pager"])
@pytest.mark.parametrize("back", ["\x1b", "q"])
def test_what_the_look_command_prints_without_a_pager(two_namespaces, run, tmp_path, pager, back):  # noqa: F811
    """In a view with search, from which Esc and q return; colours and what else steers a terminal do not reach it."""
    stub(tmp_path, "kubectl", 'echo >>$HOME/runs; echo "ran: $*"; seq 1 200 | sed "s/^/line /"; printf "\\033[31mred\\033[0m \\033]2;evil\\a end\\n"; echo oops >&2\n')
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"]), **({"PAGER": pager} if pager else {})) as term:
        term.wait("widget/here")
        term.keys("\r6")
        term.wait("[Events]")
        term.keys("!")
        text = term.wait(lambda text: "ran: describe widget.example.org here -n default" in text and "Esc back" in text)
        assert "$ kubectl describe widget.example.org here -n default" in text
        term.keys("/line 19\r")
        term.wait(lambda text: "line 19" in text and "ran:" not in text)
        term.keys("n")
        term.wait(lambda text: "line 190" in text and "line 19\n" not in text)
        term.keys("G")
        text = term.wait("oops")
        assert re.search(r"red \S+2;evil\S* end", text) and b"\x1b]2;evil" not in term.raw
        term.keys("Y")
        wait_for(lambda: term.read() and copied(term) == "kubectl describe widget.example.org here -n default --context c")
        term.keys("!")  # again, in its place
        wait_for(lambda: term.read() and (tmp_path / "runs").stat().st_size == 2)
        term.wait(lambda text: "oops" in text and "live" in text)
        if back == "\x1b":
            term.keys(back)  # drops the search first
            term.wait(lambda text: "/line 19" not in text and "oops" in text)
        term.keys(back)
        term.wait("[Events]")
        term.keys("q")
        term.wait("RESOURCE")


def test_a_look_command_that_asks_and_one_that_hangs(two_namespaces, run, tmp_path):  # noqa: F811
    path = {"PATH": "%s:%s" % (tmp_path, run.env["PATH"])}
    stub(tmp_path, "kubectl", 'printf "Password: " >&2; stty -echo; read x; stty echo; echo "got $x"\n')
    with run.screen("widgets", **path) as term:
        term.wait("widget/here")
        term.keys("!")
        term.wait("Password:")
        term.keys("sesame\r")
        term.wait(lambda text: "got sesame" in text and "Esc back" in text)
        stub(tmp_path, "kubectl", "echo begun; exec sleep 60\n")
        term.keys("!")
        wait_for(lambda: term.read() and (tmp_path / "kubectl").exists() and sleeps(term.pid))
        term.keys("\x03")
        term.wait(lambda text: "begun" in text and "Esc back" in text)
        term.keys("\x1b")
        term.wait("live")


def descendants(pid):
    children = [int(c) for t in os.listdir("/proc/%d/task" % pid) for c in open("/proc/%d/task/%s/children" % (pid, t)).read().split()]
    return children + [d for c in children for d in descendants(c)]


def sleeps(pid):
    """A descendant of that process runs sleep."""
    return any(open("/proc/%d/cmdline" % d).read().startswith("sleep") for d in descendants(pid))


def are_stopped(pid):
    """All descendants of that process; one that is not yet may still read the keys."""
    return all(open("/proc/%d/stat" % d).read().rpartition(")")[2].split()[0] == "T" for d in descendants(pid))


def test_only_the_last_of_very_much_is_kept(two_namespaces, run, tmp_path):  # noqa: F811
    stub(tmp_path, "kubectl", "seq 1 2000000; echo that was all\n")
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"])) as term:
        term.wait("widget/here")
        term.keys("!")
        text = term.wait("only its last MiB")
        assert re.search(r"^  1[89]\d{5}$", text, re.M), "whole lines"
        term.keys("G")
        term.wait(lambda text: "that was all" in text and "2000000" in text)


@pytest.mark.parametrize("pager", [None, "less"])
def test_a_look_command_is_suspended_with_the_program(two_namespaces, run, tmp_path, pager):  # noqa: F811
    """C-z: the shell has the keys; fg goes on where it was."""
    stub(tmp_path, "kubectl", "echo ran; read x </dev/tty; echo ended\n" if pager is None else "echo ran; seq 1 100\n")
    env = {**run.env, "PS1": "shell$ ", "PATH": "%s:%s" % (tmp_path, run.env["PATH"]), **({"PAGER": pager} if pager else {})}
    with Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], env, 24, 80) as term:
        term.wait("shell$")
        term.keys("%s widgets\r" % os.path.abspath(PROGRAM))
        term.wait(lambda text: "widget/here" in text and "live" in text)
        term.keys("!")
        term.wait("ran" if pager else "$ kubectl describe")
        term.raw = b""
        term.keys("\x1a")
        wait_for(lambda: term.read() and b"Stopped" in term.raw and are_stopped(term.pid))
        term.raw = b""
        term.keys("fg\r")
        wait_for(lambda: term.read() and b"widgets" in term.raw and (not pager or b"ran" in term.raw))
        term.keys("q" if pager else "\r")
        term.wait("live" if pager else "ended")
        term.keys("?")
        term.wait("Open the selected resource")


def yaml_is_read(text):
    """The words alone stand on the screen before the YAML does, too."""
    return re.search(r"read \d\d:\d\d:\d\d", text) and "disk is full" in text


def no_descriptors(term):
    used = set(os.listdir("/proc/%d/fd" % term.pid))
    free = next(n for n in range(1024) if str(n) not in used)
    resource.prlimit(term.pid, resource.RLIMIT_NOFILE, (free, 4096))


@pytest.mark.parametrize("pager, script, why", [
    ("", "echo no; exit 3", "failed with exit status 3: kubectl describe widget.example.org here"),
    ("cat", "echo no; exit 3", "failed with exit status 3: kubectl describe widget.example.org here"),
    ("{}/pager -x", "echo yes", "failed with exit status 2: {}/pager -x"),
    ("", None, "is not found: kubectl describe widget.example.org here"),
    ("no-such-pager -R", "echo yes", "shown here: $PAGER is not found: no-such-pager -R"),
])
def test_a_look_command_that_fails_is_said(two_namespaces, run, tmp_path, pager, script, why):  # noqa: F811
    path = "%s:/usr/bin:/bin" % tmp_path
    if script:
        stub(tmp_path, "kubectl", script + "\n")
    elif any(os.path.exists(os.path.join(p, "kubectl")) for p in ("/usr/bin", "/bin")):
        pytest.skip("kubectl is installed where the shell is")
    stub(tmp_path, "pager", "cat >/dev/null; exit 2\n")
    with run.screen("widgets", PATH=path, PAGER=pager.format(tmp_path), cols=160) as term:
        term.wait("widget/here")
        term.keys("!")
        if pager == "cat":
            term.wait("(any key: back)")
            term.keys("x")
        term.wait(why.format(tmp_path))


@pytest.mark.parametrize("pager", ["", "cat"])
def test_a_look_command_that_cannot_be_started_is_said(two_namespaces, run, tmp_path, pager):  # noqa: F811
    stub(tmp_path, "kubectl", "touch %s/ran\n" % tmp_path)
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"]), PAGER=pager, cols=160) as term:
        term.wait(lambda text: "widget/here" in text and "live" in text)
        no_descriptors(term)
        term.keys("!")
        text = term.wait("cannot be started: Too many open files: kubectl describe widget.example.org here")
        assert "widget/here" in text and not (tmp_path / "ran").exists()


def test_a_pager_that_is_left_early_is_no_failure(two_namespaces, run, tmp_path):  # noqa: F811
    stub(tmp_path, "kubectl", "seq 1 1000000\n")
    with run.screen("widgets", PATH="%s:%s" % (tmp_path, run.env["PATH"]), PAGER=str(stub(tmp_path, "pager", "head -n 1 >>%s/seen\n" % tmp_path))) as term:
        term.wait(lambda text: "widget/here" in text and "live" in text)
        for n in (1, 2):
            term.keys("!")
            wait_for(lambda n=n: term.read() and (tmp_path / "seen").exists() and len((tmp_path / "seen").read_text().splitlines()) == n)
            text = term.wait(lambda text: "widget/here" in text and "live" in text)
            assert "exit status" not in text and "signal" not in text


def test_what_is_read_once_is_dated_and_read_again(two_namespaces, run):  # noqa: F811
    with run.screen("widgets") as term:
        term.wait("widget/here")
        term.keys("\r7")
        term.wait(yaml_is_read)
        two_namespaces.put("widgets", "here", spec={"size": 3}, **BAD)
        term.wait("size: 3")


def test_a_new_root_cause_rings_and_heals_in_its_place(two_namespaces, run):  # noqa: F811
    with run.screen("widgets", "-A") as term:
        term.wait(lambda text: "live" in text and "1 root cause" in text)  # all is read: what fails from now on is new
        rung = term.raw.count(b"\x07")
        other = {"status": {"conditions": [{**BAD["status"]["conditions"][0], "message": "no route"}]}}
        two_namespaces.put("widgets", "there", ns="other", **other)
        wait_for(lambda: term.read() and term.raw.count(b"\x07") > rung and b"widget/there" in
                 b"".join(re.findall(rb"\x1b\]2;([^\x07]*)\x07", term.raw)))
        term.wait("1 newly broken in 5m")
        two_namespaces.put("widgets", "there", ns="other", **READY)
        term.wait(lambda text: re.search(r"widget/there.*✔ Ready, was \w+", text))


def alarms(term):
    """The titles that were set; each came with a bell."""
    titles = re.findall(rb"\x1b\]2;([^\x07]+)\x07", term.raw)
    assert re.sub(rb"\x1b\][^\x07\x1b]*(\x07|\x1b\\)", b"", term.raw).count(b"\x07") == len(titles)
    return titles


def test_what_comes_and_goes_rings_once(two_namespaces, run):  # noqa: F811
    other = {"status": {"conditions": [{**BAD["status"]["conditions"][0], "message": "no route"}]}}
    with run.screen("widgets", "-A") as term:
        term.wait(lambda text: "live" in text and "1 root cause" in text)
        for _ in range(3):
            two_namespaces.put("widgets", "there", ns="other", **other)
            term.wait("2 root causes")
            two_namespaces.put("widgets", "there", ns="other", **READY)
            term.wait("1 root cause,")
        assert len(alarms(term)) == 1
        assert term.raw.count(b"\x1b[23;0t") == 1, "what is over is no title"
        two_namespaces.put("widgets", "new", ns="other", **{"status": {"conditions": [
            {**BAD["status"]["conditions"][0], "message": "no disk"}]}})
        term.wait("2 root causes")
        assert len(alarms(term)) == 2 and b"widget/new" in alarms(term)[1]


@pytest.mark.parametrize("how", ["q", "SIGTERM", "SIGSEGV"])
def test_the_title_of_before_comes_back(two_namespaces, run, how):  # noqa: F811
    """Also after a crash; where the terminal keeps none, ours goes away."""
    hostile = {"status": {"conditions": [{**BAD["status"]["conditions"][0], "reason": "a\x1b]0;b", "message": "c\x07d"}]}}
    with run.screen("widgets", "-A") as term:
        term.wait(lambda text: "live" in text and "1 root cause" in text)
        two_namespaces.put("widgets", "new\x9d0;x\x07", ns="other", **hostile)
        wait_for(lambda: term.read() and b"root causes, new: " in term.raw)
        assert len(alarms(term)) == 1 and not re.search(rb"[\x00-\x1f\x7f]", alarms(term)[0])
        assert b"\xc2\x9d" not in term.raw
        if how == "q":
            term.keys("q")
        else:
            term.signal(getattr(signal, how))
        term.end()
        after = term.raw[term.raw.rindex(b"root causes, new: "):]
        assert after.count(b"\x1b]2;\x07\x1b[23;0t") == 1 and term.raw.count(b"\x1b[22;0t") == 1


def test_what_is_new_rings_while_a_kind_is_still_read(two_namespaces, run):  # noqa: F811
    """A list that hangs keeps nobody from hearing of the others; what their first lists brought is not new."""
    two_namespaces.on("/apis/example.org/v1/gadgets", stall, times=0)
    with run.screen("widgets,gadgets", "-A") as term:
        term.wait(lambda text: "reading" in text and "widget/here" in text)
        two_namespaces.await_requests(1, "/apis/example.org/v1/widgets", watch=True)
        assert not re.search(rb"\x1b\]2;[^\x07]*new: ", term.raw)
        two_namespaces.put("widgets", "third", ns="other", **{"status": {"conditions": [
            {**BAD["status"]["conditions"][0], "message": "no route"}]}})
        wait_for(lambda: term.read() and re.search(rb"\x1b\]2;[^\x07]*new: [^\x07]*widget/third", term.raw))
        assert "reading" in term.text()


def test_the_bell_can_be_turned_off(two_namespaces, run):  # noqa: F811
    (run.home / ".kube").mkdir(exist_ok=True)
    (run.home / ".kube/kubectl-status.yaml").write_text(
        "apiVersion: kubectl-status/v1\nkind: Preferences\nbell: false\n")
    with run.screen("widgets", "-A") as term:
        term.wait(lambda text: "live" in text and "1 root cause" in text)  # all is read: what fails from now on is new
        two_namespaces.put("widgets", "there", ns="other", **BAD)
        term.wait("1 newly broken in 5m")
        assert not re.sub(rb"\x1b\][^\x07\x1b]*(\x07|\x1b\\)", b"", term.raw).count(b"\x07")


def test_a_light_terminal_is_found(two_namespaces, run):  # noqa: F811
    """It answers late, among the keys; nothing of the answer is taken for one."""
    with run.screen("widgets") as term:
        term.wait("widget/here")
        assert b"\x1b]11;?" in term.raw
        before = len(term.raw)
        term.keys(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
        wait_for(lambda: term.read() and b"38;5;160" in term.raw[before:].replace(b"\x1b[1m", b""))
        term.wait("widget/here")


def test_columns_and_whom_to_call(two_namespaces, run):  # noqa: F811
    for name in "here", "third":  # equal ones are one row
        two_namespaces.put("widgets", name, **BAD)
        two_namespaces.objects["widgets", "default", name]["metadata"]["labels"] = {"example.org/team": "blue"}
    with run.screen("widgets", "-L", "example.org/team") as term:
        term.wait(lambda text: "TEAM" in text and re.search(r"widget/third.*blue", text))
        term.keys("p")
        term.wait(lambda text: "CAUSE" in text and "TEAM" in text)
        term.keys("M")
        wait_for(lambda: term.read() and "`example.org/team=blue` Failed" in copied(term))
    with run.screen("widgets", "--columns", "phase,name,age") as term:
        text = term.wait("widget/here")
        assert re.search(r"PHASE +RESOURCE +AGE", text) and "WHY" not in text


def test_a_terminal_without_a_clipboard_shows_the_text(two_namespaces, run):  # noqa: F811
    with run.screen("widgets", TERM="vt100") as term:
        term.wait("widget/here")
        term.keys("M")
        term.wait("`kubectl describe widget.example.org here -n default --context c`")
        assert b"\x1b]52" not in term.raw
        term.keys("q")
        term.wait("PHASE")


# ---- how many keys: the table in docs/views.md ------------------------------------------

def test_namespaces_and_contexts_take_few_keys(two_namespaces, run):  # noqa: F811
    config = json.loads(open(run.env["KUBECONFIG"]).read())
    config["contexts"].append({"name": "second", "context": {"cluster": "c", "user": "u", "namespace": "other"}})
    open(run.env["KUBECONFIG"], "w").write(json.dumps(config))
    with run.screen("widgets", "-A") as term:
        term.wait(lambda text: "widget/here" in text and "widget/there" in text)
        term.keys(":\r")
        term.wait(lambda text: "▸ default" in text and "widget/here" in text and "widget/there" not in text)
        term.keys("0")
        term.wait(lambda text: "widget/there" in text and "all namespaces" in text)
        term.keys(":\t\r")
        term.wait(lambda text: "second ▸ all namespaces" in text and "widget/there" in text)


def test_groups_take_one_key(two_namespaces, run):  # noqa: F811
    with run.screen("widgets", "-A") as term:
        term.wait("widget/there")
        for key, words in (("2", "grouped by namespace"), ("3", "grouped by application"), ("1", "grouped by root cause"),
                           ("4", "grouped by node"), ("4", "not grouped"), ("5", "nothing names an owner")):
            term.keys(key)
            term.wait(words)
        term.keys("6")
        term.wait("-L KEY")


def test_one_of_thousands_takes_its_letters(fake, run):  # noqa: F811
    for i in range(3000):
        fake.put("widgets", "w%04d" % i, **READY)
    with run.screen("widgets") as term:
        term.wait("3 000 ready")
        term.keys(":2417\r")
        term.wait(lambda text: "widget/w2417" in text and "[Overview]" in text)
        term.keys("\x1b")
        term.wait("3 000 ready")


@pytest.mark.parametrize("pager", ["", "cat"])
def test_the_look_command_runs_the_kubectl_that_started_the_plugin(two_namespaces, run, tmp_path, pager):  # noqa: F811
    """kubectl sets KUBECTL_PATH for its plugins; another one in $PATH may be too old for the cluster, or not there."""
    other = tmp_path / "it's other"
    other.mkdir()
    stub(tmp_path, "kubectl", 'echo "not this one"\n')
    stub(other, "kubectl-1.37", 'echo "ran: $*"\n')
    paths = {"PATH": "%s:%s" % (tmp_path, run.env["PATH"]), "KUBECTL_PATH": str(other / "kubectl-1.37"), "PAGER": pager}
    with run.screen("widgets", **paths) as term:
        term.wait("widget/here")
        term.keys("!")
        term.wait("ran: describe widget.example.org here -n default")


# ---- pins ----------------------------------------------------------------------------


def order_of(term):
    """The widgets of the table, from the top; a pinned one with its mark."""
    return [("*" if "*" in line.partition("widget/")[0] else "") + re.search(r"widget/(\w+)", line).group(1)
            for line in term.lines() if "widget/" in line and "root cause" not in line]


def pins_of(run):
    return run.home / ".kube/kubectl-status.pins.json"


def put_three(server):
    for name in "alpha", "beta", "gamma":
        server.put("widgets", name, status={"conditions": [{"type": "Ready", "status": "False", "reason": name, "message": "it says " + name}]})


def test_a_pin_is_there_in_the_next_session(two_namespaces, run):  # noqa: F811
    put_three(two_namespaces)
    with run.screen("widgets", cols=120) as term:
        term.wait(lambda text: all("widget/" + x in text for x in ("alpha", "beta", "gamma")) and "live" in text)
        first = order_of(term)
        term.keys("G*")
        term.wait("pinned to the top, marked with *")
        wait_for(lambda: term.read() and order_of(term) == ["*" + first[-1], *first[:-1]])
        term.keys("S")
        wait_for(lambda: term.read() and order_of(term)[0] == "*" + first[-1])
        term.keys("S")
        wait_for(lambda: pins_of(run).exists())
        assert pins_of(run).stat().st_mode & 0o777 == 0o600
    with run.screen("widgets", cols=120) as term:
        wait_for(lambda: term.read() and order_of(term) == ["*" + first[-1], *first[:-1]])
        term.keys("p")
        term.wait("CAUSE")
        wait_for(lambda: term.read() and order_of(term)[0] == "*" + first[-1])
        term.keys("pg*")
        term.wait("is not pinned any more")
        wait_for(lambda: term.read() and order_of(term) == first)
    wait_for(lambda: json.loads(pins_of(run).read_text())["contexts"][0]["pins"] == [])
    assert os.listdir(pins_of(run).parent).count(pins_of(run).name) == 1
    assert not [x for x in os.listdir(pins_of(run).parent) if x.startswith(pins_of(run).name + ".")], "nothing is left behind"


def test_a_namespace_is_pinned_in_its_group(two_namespaces, run):  # noqa: F811
    for ns in "one", "two", "three":
        two_namespaces.put("widgets", "in" + ns, ns=ns, **BAD)
    with run.screen("widgets", "-A", cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/" in text)
        term.keys("zz")
        text = term.wait(lambda text: "grouped by namespace" in text)
        term.keys("G")
        last = next(x for x in reversed(term.lines()) if re.search(r"✖ 1", x)).split()
        name = next(x for x in last if x in ("one", "two", "three", "default", "other"))
        term.keys("*")
        term.wait("pinned to the top")
        wait_for(lambda: term.read() and re.search(r"\*[▸ ]? ?%s" % name, "\n".join(term.lines())))
    assert json.loads(pins_of(run).read_text())["contexts"][0]["pins"] == [{"kind": "Namespace", "name": name}]
    with run.screen("widgets", "-A", cols=120) as term:
        term.wait(lambda text: "live" in text and "widget/" in text)
        first = next(x for x in term.lines() if "widget/" in x and "root cause" not in x)
        assert first.strip().startswith(("*", "▸*")) and name in first


@pytest.mark.parametrize("content", [b"", b"\xff\x00{", b"[" * 100000, b'{"kind":"Pins","contexts":7}', b"x" * 2000000,
                                     b'{"kind":"Pins","contexts":[{"context":"c","pins":[7,{"kind":"\\u001b]0;x\\u0007","name":"\\u001b[2J"},'
                                     b'{"kind":"Widget","group":"example.org","name":"' + b"n" * 5000 + b'"}' + b',{"kind":"A","name":"b"}' * 500 + b"]}]}",
                                     b'{"kind":"Pins","contexts":[{"context":"elsewhere","pins":[{"kind":"A","name":"b"}]}]}', None])
def test_pins_that_are_damaged(two_namespaces, run, content):  # noqa: F811
    """Nothing is pinned, a line says so, and the next pin makes the file anew; a folder stays one."""
    pins_of(run).parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        pins_of(run).mkdir()
    else:
        pins_of(run).write_bytes(content)
    damaged = content is None or (content and not content.startswith(b'{"kind"'))
    with run.screen("widgets", cols=120) as term:
        term.wait(lambda text: "widget/here" in text and ("nothing is pinned: what was pinned cannot be read" in text or not damaged))
        assert b"\x1b]0;x" not in term.raw and order_of(term) == ["here"]
        term.keys("*")
        if content is None:
            term.wait("what is pinned cannot be kept for later")
        elif b'"b"},{"kind":"A"' in content:
            term.wait("there is no room for more pins")
        else:
            term.wait("pinned to the top")
            wait_for(lambda: b'"here"' in pins_of(run).read_bytes())
            assert b"elsewhere" not in content or b"elsewhere" in pins_of(run).read_bytes()
        term.keys("q")
        assert os.waitstatus_to_exitcode(term.end()) == 0
