# SPDX-License-Identifier: Apache-2.0
"""Recordings that can be trusted, and ends that are tidy whatever blocks."""
import contextlib
import datetime
import fcntl
import gzip
import hashlib
import json
import os
import resource
import signal
import subprocess
import termios
import threading
import time

import pytest

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY, WIDGETS, Watching
from program import PROGRAM, wait_for, wall_and_peak
from terminal import obey_interrupts

CANARY = "c4nary"
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "annotations": {"kapp.k14s.io/original": CANARY}},
          "data": {"k": CANARY}, "stringData": {"k": CANARY}}


def widget(name="a", **more):
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "default"}, **READY, **more}


def record(t, obj, event="ADDED"):
    return json.dumps({"t": t, "type": event, "object": obj}, separators=(",", ":")) + "\n"


HEADER = '{"kind":"Recording","apiVersion":"kubectl-status/v1","startedAt":"2026-11-20T09:00:00Z"}\n'


def at(seconds):
    return "2026-11-20T09:%02d:%02d.000Z" % divmod(seconds, 60)


def names(run, path, *args):
    return sorted(line.split("/")[1] for line in run.text("--replay", path, "-o", "name", *args).splitlines())


# ---- what is written ------------------------------------------------------------------


def test_a_file_of_its_own(fake, run, tmp_path):
    """Nobody else may read it, and nothing is overwritten."""
    run("widgets", "--record", tmp_path / "rec.jsonl", "-o", "name")
    assert os.stat(tmp_path / "rec.jsonl").st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for path in (tmp_path / "rec.jsonl", tmp_path / "link", "/dev/full"):
        done = run("widgets", "--record", path, "-o", "name")
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"exists" in done.stderr
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["rec.jsonl", "rec.jsonl.gz"])
def test_what_was_observed_a_second_ago_survives_any_death(fake, run, tmp_path, name):
    child = run.start("widgets", "--record", tmp_path / name, "-w", "-o", "name")
    fake.await_requests(1, WIDGETS, watch=True)
    for i in range(30):
        fake.put("widgets", "w%d" % i, **READY)
    for _ in range(30):
        child.stdout.readline()
    time.sleep(1)
    child.kill()
    child.communicate()
    assert len(names(run, tmp_path / name)) == 30


def test_what_changed_is_no_second_beginning(fake, run, tmp_path):
    """An object is ADDED once, and MODIFIED from then on, also where nothing that is shown has changed."""
    path = tmp_path / "rec.jsonl"
    child = run.start("widgets", "--record", path, "-w", "-o", "name")
    fake.await_requests(1, WIDGETS, watch=True)
    for size in range(4):
        fake.put("widgets", "a", data={"size": size}, **READY)
    fake.put("widgets", "end", **READY)
    while b"end" not in child.stdout.readline():
        pass
    child.terminate()
    child.communicate(timeout=10)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [r["type"] for r in lines if r.get("object", {}).get("metadata", {}).get("name") == "a"] == ["ADDED"] + ["MODIFIED"] * 3


@pytest.mark.parametrize("watch", [True, False])
def test_a_full_disk_is_told_when_it_happens(fake, run, tmp_path, watch):
    """It ends who has nothing else to do; what was written before can be read."""
    def limit():
        obey_interrupts()
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
    args = ["widgets", "--record", tmp_path / "rec.jsonl"] + (["-w", "-o", "name"] if watch else [])
    child = subprocess.Popen([PROGRAM, *map(str, args)], env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    fake.await_requests(1, WIDGETS, watch=True)
    for i in range(40):
        fake.put("widgets", "w%d" % i, **READY)
    line = child.stderr.readline()
    assert b"rec.jsonl" in line and b"File too large" in line
    if watch:
        assert child.poll() is None
        child.terminate()
    out, err = child.communicate(timeout=60)
    assert child.returncode == (-signal.SIGTERM if watch else 1)
    assert err == b""          # it was said once
    assert not watch or out.count(b"\n") == 40
    assert 10 < len(names(run, tmp_path / "rec.jsonl")) < 40


@pytest.mark.parametrize("name", ["rec.jsonl", "rec.jsonl.gz"])
@pytest.mark.parametrize("fmt", ["json", "yaml", "table"])
def test_what_is_printed_once_is_recorded(fake, run, tmp_path, name, fmt):
    """It ends as without, and plays to the same document."""
    fake.put("widgets", "a", **READY)
    fake.put("widgets", "b", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Why", "message": "words"}]})
    out = run.text("widgets", "--record", tmp_path / name, "-o", fmt)
    assert out and run.text("--replay", tmp_path / name, "-o", fmt) == out


def test_digit_for_digit(fake, run, tmp_path):
    fake.put("widgets", "a", spec={"n": [1763629200123456789, 9007199254740993, 0.1], "t": "a\0z"}, **READY)
    run.text("widgets", "--record", tmp_path / "rec.jsonl", "-o", "name")
    text = (tmp_path / "rec.jsonl").read_text()
    assert '"n":[1763629200123456789,9007199254740993,0.1],"t":"a\\u0000z"' in text
    with run.screen("--replay", tmp_path / "rec.jsonl") as term:
        term.wait("widget/a")
        term.keys("\r")
        term.open_tab("YAML")
        term.wait("1763629200123456789")
        term.wait("9007199254740993")
        term.wait("a\\0z")


def test_no_secret_leaves(fake, run, tmp_path):
    """Recordings, every -o, -v 9, the cache, the YAML tab; and a Secret within another object."""
    fake.put("secrets", "s", annotations={"kapp.k14s.io/original": CANARY}, data={"k": CANARY}, stringData={"k": CANARY})
    fake.put("widgets", "a", spec={"manifest": SECRET, "url": "https://me:%s@host/" % CANARY}, **READY)
    for i, fmt in enumerate(("table", "wide", "tree", "why", "json", "yaml", "name")):
        done = run("secrets,widgets", "-o", fmt, "-v", "9", "--record", tmp_path / ("rec%d.jsonl" % i))
        assert done.returncode == 0 and CANARY.encode() not in done.stdout + done.stderr
    for folder, _, files in os.walk(tmp_path):
        for file in files:
            with open(os.path.join(folder, file), "rb") as f:
                assert CANARY.encode() not in f.read(), file
    for kind in ("secret/s", "widget/a"):
        with run.screen("secrets,widgets", rows=60) as term:
            term.wait(kind)
            term.keys("/" + kind.split("/")[0] + "\r\r")
            term.open_tab("YAML")
            term.wait("apiVersion")
            assert CANARY not in term.text()


# ---- what is read ----------------------------------------------------------------------


def test_a_clock_that_is_set_back_loses_nothing(run, tmp_path):
    path = tmp_path / "rec.jsonl"
    path.write_text(HEADER + record(at(50), widget("a")) + record(at(10), widget("b")) + record(at(20), widget("c")))
    assert names(run, path) == ["a", "b", "c"]
    assert run.json("--replay", path)["asOf"] == "2026-11-20T09:00:50Z"


@pytest.mark.parametrize("line", ["{\"t\":\"2026-11-20T09:00:02.000Z\",\"type\":\"ADDED\",\"object\":{]}", "rubbish", "\0\0\0", "[]",
                                  '{"t":"2026-11-20T09:00:02Z","type":"ADDED","object":{"kind":"Widget","metadata":{"name":"x"}}}'])
def test_a_bad_record_is_told_and_the_rest_is_used(run, tmp_path, line):
    path = tmp_path / "rec.jsonl"
    path.write_text(HEADER + record(at(1), widget("a")) + line + "\n" + record(at(3), widget("b")))
    done = run("--replay", path, "-o", "json")
    doc = json.loads(done.stdout)
    assert [i["name"] for i in doc["items"]] == ["a", "b"]
    assert "1 record of the recording cannot be read, the first in line 3" in doc["notices"][0]["message"]
    assert b"in line 3" in done.stderr and done.stderr.count(b"\n") == 1


def test_bad_records_that_are_met_one_after_the_other_are_told_together(run, tmp_path):
    path = tmp_path / "rec.jsonl"
    path.write_text(HEADER + record(at(1), widget("a")) + "rubbish\n" + record(at(3), widget("b")) + "rubbish\n" + record(at(5), widget("c")))
    with run.screen("--replay", path, "--speed", "4", rows=30, cols=160) as term:
        term.keys("p")
        text = term.wait(lambda text: "2 records of the recording cannot be read, the first in line 3" in text)
        assert text.count("cannot be read, the first") == 1


def test_a_bad_checksum_is_told_and_all_is_used(run, tmp_path):
    path = tmp_path / "rec.jsonl.gz"
    data = gzip.compress((HEADER + record(at(1), widget("a")) + record(at(2), widget("b"))).encode())
    path.write_bytes(data[:-8] + b"\1\2\3\4" + data[-4:])
    done = run("--replay", path, "-o", "name")
    assert done.returncode == 0 and done.stdout.count(b"\n") == 2 and b"checksum" in done.stderr
    path.write_bytes(data[:-12])
    assert b"cut off" in run("--replay", path, "-o", "name").stderr


def test_a_break_in_the_middle_loses_only_its_part(fake, run, tmp_path):
    """Each flush is a place to begin again."""
    path = tmp_path / "rec.jsonl.gz"
    child = run.start("widgets", "--record", path, "-w", "-o", "name")
    fake.await_requests(1, WIDGETS, watch=True)
    sizes = []
    for i in range(3):
        fake.put("widgets", "w%d" % i, spec={"text": os.urandom(300).hex()}, **READY)
        wait_for(lambda: os.stat(path).st_size > (sizes[-1] if sizes else 0) + 100)
        time.sleep(0.7)
        sizes.append(os.stat(path).st_size)
    child.terminate()
    child.communicate()
    data = bytearray(path.read_bytes())
    middle = (sizes[0] + sizes[1]) // 2
    data[middle:middle + 40] = b"\xff" * 40
    path.write_bytes(data)
    done = run("--replay", path, "-o", "name")
    assert b"w0" in done.stdout and b"w2" in done.stdout and b"damaged" in done.stderr


def test_memory_is_that_of_what_is_alive(run, tmp_path):
    path = tmp_path / "rec.jsonl.gz"
    long = widget("a", spec={"text": "x" * 20000})
    with gzip.open(path, "wt", compresslevel=1) as f:
        f.write(HEADER)
        for i in range(10000):
            f.write(record(at(i // 10), long, "MODIFIED" if i else "ADDED"))
    assert run.text("--replay", path, "-o", "name") == "widget.example.org/a\n"
    _, peak = wall_and_peak([PROGRAM, "--replay", str(path), "-o", "name"], run.env)
    assert peak < (400 if "asan" in PROGRAM else 60), "200 MB of text"


def test_one_object_of_thousands_of_versions_plays(run, tmp_path):
    """Each version is judged again when its patience ends, from its text: the newest texts take turns in 8 MiB."""
    def when(i):
        return (datetime.datetime(2026, 10, 20, 9) + datetime.timedelta(minutes=10 * i)).strftime("%Y-%m-%dT%H:%M:%S")

    def pod(i):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default", "creationTimestamp": when(i) + "Z",
                                                                "annotations": {"version": str(i), "text": "x" * 5000}},
                "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"}}
    path = tmp_path / "rec.jsonl.gz"
    with gzip.open(path, "wt", compresslevel=1) as f:
        f.write(HEADER)
        for i in range(3200):
            f.write(record(when(i) + ".000Z", pod(i), "MODIFIED" if i else "ADDED"))
    whole = run("--replay", path, "-o", "name")
    assert (whole.returncode, whole.stdout, whole.stderr) == (0, b"pod/a\n", b"")


# ---- ends -------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("nonblocking", [False, True])
def test_a_pipe_that_nobody_reads(fake, run, tmp_path, number, nonblocking):
    """It waits without turning, its recording stays whole, and a signal ends it."""
    for i in range(300):
        fake.put("widgets", "w%d" % i, status={"conditions": [{"type": "Ready", "status": "False", "message": "x" * 2000}]})
    r, w = os.pipe()
    if nonblocking:
        fcntl.fcntl(w, fcntl.F_SETFL, os.O_NONBLOCK)
    child = subprocess.Popen([PROGRAM, "widgets", "-w", "-o", "json", "--record", str(tmp_path / "rec.jsonl.gz")], env=run.env,
                             stdout=w, stderr=subprocess.DEVNULL, preexec_fn=obey_interrupts)
    os.close(w)
    fake.await_requests(1, WIDGETS)
    wait_for(lambda: fcntl.ioctl(r, termios.FIONREAD, b"\0" * 4) != b"\0" * 4)
    time.sleep(1)
    start = time.monotonic()
    child.send_signal(number)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = -number
    os.close(r)
    assert time.monotonic() - start < 0.5 and os.WTERMSIG(status) == number
    assert usage.ru_utime + usage.ru_stime < 1
    assert len(names(run, tmp_path / "rec.jsonl.gz")) == 300


def test_a_hangup_that_is_ignored_stays_ignored(fake, run):
    """nohup; another signal still ends it."""
    fake.put("widgets", "a", **READY)
    child = subprocess.Popen([PROGRAM, "widgets", "-w", "-o", "name"], env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             preexec_fn=lambda: (obey_interrupts(), signal.signal(signal.SIGHUP, signal.SIG_IGN)))
    assert child.stdout.readline() == b"widget.example.org/a\n"
    child.send_signal(signal.SIGHUP)
    fake.await_requests(1, WIDGETS, watch=True)
    fake.put("widgets", "b", **READY)
    assert child.stdout.readline() == b"widget.example.org/b\n"
    child.terminate()
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGTERM


def test_a_terminal_that_nobody_reads(fake, run):
    for i in range(300):
        fake.put("widgets", "w%d" % i, **READY)
    term = run.screen("widgets", rows=300, cols=500)
    try:
        term.wait("widget/w1", whole=False)
        for i in range(20):
            term.resize(300 - i, 500)
            time.sleep(0.05)
        start = time.monotonic()
        term.signal(signal.SIGTERM)
        _, status = os.waitpid(term.pid, 0)
        term.status = status
        assert time.monotonic() - start < 10 and os.WTERMSIG(status) == signal.SIGTERM
    finally:
        term.close()


FATAL = ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "ALRM", "XCPU", "SYS", "TRAP", "VTALRM", "PROF", "IO", "PWR", "SEGV", "BUS",
         "FPE", "ILL", "ABRT", "RTMIN", "RTMAX"]


@pytest.mark.parametrize("name", FATAL)
def test_every_signal_restores_the_terminal(fake, run, name):
    number = getattr(signal, "SIG" + name)
    fake.put("widgets", "a", **READY)
    with run.screen("widgets") as term:
        term.wait("widget/a")
        term.signal(number)
        assert os.WTERMSIG(term.end()) == number
        assert b"\x1b[?1049l" in term.raw


# ---- what is concluded ------------------------------------------------------------------

def last_moment(path, seconds=0):
    """Of the last record; seconds: wait for one that is so much later than the last one now."""
    def last():
        record = json.loads([line for line in path.read_text().splitlines() if line.endswith("}")][-1])
        return record.get("t") or record["startedAt"]
    first = seconds_of(last())
    wait_for(lambda: seconds_of(last()) >= first + seconds)
    return last()


def seconds_of(t):
    return datetime.datetime.fromisoformat(t.replace("Z", "+00:00")).timestamp()


OPERATORS = (("", "v1", "namespaces", "Namespace", False), ("", "v1", "secrets", "Secret", True),
             ("", "v1", "configmaps", "ConfigMap", True), ("", "v1", "pods", "Pod", True),
             ("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False),
             ("operators.coreos.com", "v1alpha1", "subscriptions", "Subscription", True),
             ("operators.coreos.com", "v1alpha1", "clusterserviceversions", "ClusterServiceVersion", True),
             ("operators.coreos.com", "v1alpha1", "installplans", "InstallPlan", True),
             ("operators.coreos.com", "v1alpha1", "catalogsources", "CatalogSource", True),
             ("operators.coreos.com", "v1", "operatorgroups", "OperatorGroup", True),
             ("example.org", "v1", "widgets", "Widget", True))
SCHEMA = {"openAPIV3Schema": {"description": "LONG " * 1000, "properties": {
    "spec": {"description": "LONG"}, "status": {"properties": {"phase": {"type": "string", "enum": ["Up"], "description": "LONG"}}}}}}


@pytest.fixture
def operators(serve):
    """No OperatorGroup, a pod whose Secret is missing, a kind that may not be read."""
    fake = serve(types=OPERATORS)
    fake.put("namespaces", "default")
    fake.put("subscriptions", "web", spec={"channel": "stable", "name": "web", "source": "hub", "sourceNamespace": "olm"},
             status={"lastUpdated": "2026-01-01T00:00:05Z"})
    fake.put("pods", "app", spec={"containers": [{"name": "c", "envFrom": [{"secretRef": {"name": "gone"}}]}]},
             status={"phase": "Pending", "containerStatuses": [{"name": "c", "ready": False, "state": {
                 "waiting": {"reason": "CreateContainerConfigError", "message": 'secret "gone" not found'}}}]})
    fake.put("widgets", "a", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Why",
                                                     "lastTransitionTime": "2026-01-01T00:00:00Z"}]})
    fake.put("customresourcedefinitions", "widgets.example.org", spec={
        "group": "example.org", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": SCHEMA}]},
        status={"conditions": [{"type": "Established", "status": "True"}]})
    return fake


def without_times(doc):
    return {key: value for key, value in doc.items() if key not in ("asOf", "notices")}


def document(run, *args):
    return without_times(json.loads(run("-A", "-o", "json", *args).stdout))


@pytest.mark.parametrize("name", ["rec.jsonl", "rec.jsonl.gz", "flight"])
def test_a_replay_concludes_what_was_concluded_live(operators, client, tmp_path, name):
    """Also of what was listed completely and is not there; whether it printed once or was killed."""
    run, path = client(operators), tmp_path / name
    live = document(run)
    web = next(i for i in live["items"] if i["name"] == "web")
    assert (web["phase"], web["reason"]) == ("Failed", "NoOperatorGroup")
    assert any(c["resource"]["name"] == "gone" for c in live["rootCauses"])
    if name != "flight":
        assert document(run, "--record", tmp_path / ("once-" + name)) == live
        assert document(run, "--replay", tmp_path / ("once-" + name)) == live
    child = run.start("-A", "-w", "-o", "json", *(["--flight", path] if name == "flight" else ["--record", path]))
    wait_for(lambda: '"NoOperatorGroup"' in child.stdout.readline().decode())
    wait_for(lambda: document(run, "--replay", path) == live)
    child.kill()
    child.communicate()
    assert document(run, "--replay", path) == live


def test_a_group_that_comes_and_goes(operators, client, tmp_path):
    """At each moment of the recording that is concluded which was then."""
    run, path = client(operators), tmp_path / "rec.jsonl"
    seen, moments = Watching(run, "-n", "default", "--record", path), []

    def reasons(events):
        return [e.get("reason") == "NoOperatorGroup" for e in events if e["name"] == "web"]

    def await_reason(is_so):
        wait_for(lambda: reasons(seen.events)[-1:] == [is_so])
        moments.append((last_moment(path, 1.1), is_so))
    await_reason(True)
    operators.put("operatorgroups", "all", spec={}, status={"namespaces": [""], "lastUpdated": "2026-01-01T00:00:05Z"})
    await_reason(False)
    operators.delete("operatorgroups", "all")
    await_reason(True)
    seen.finish()
    for moment, is_so in moments:
        assert reasons(json.loads(run("-n", "default", "-o", "json", "--replay", path, "--as-of", moment).stdout)["items"]) == [is_so]


def test_schemas_of_definitions_are_left_out(operators, client, tmp_path):
    run, path = client(operators), tmp_path / "rec.jsonl"
    run.text("customresourcedefinitions", "--record", path, "-o", "json")
    text = path.read_text()
    assert "LONG" not in text and '"status":{"properties":{"phase":{"type":"string","enum":["Up"]}}}' in text
    assert '"Established"' in text


def feed(pipe, text, times):
    """Whatever becomes of the reader."""
    with contextlib.suppress(BrokenPipeError), open(pipe, "wb") as to:
        for _ in range(times):
            to.write(text)


def test_a_pipe_has_a_ceiling(run, tmp_path):
    """What comes through it is kept in memory: 256 MiB of it."""
    pipe, mib = tmp_path / "pipe", b"x" * ((1 << 20) - 1) + b"\n"
    os.mkfifo(pipe)
    for text, times in (mib, 300), ((HEADER + record(at(0), widget("a"))).encode(), 1):
        thread = threading.Thread(target=feed, args=(pipe, text, times), daemon=True)
        thread.start()
        child = run.start("--replay", pipe, "-o", "name")
        out, err = child.communicate(timeout=60)
        thread.join(10)
        if times > 1:
            assert child.returncode == 1 and out == b"" and err.count(b"\n") == 1
            assert b"more than 256 MiB cannot be read from a pipe" in err and b"write it to a file" in err
        else:
            assert child.returncode == 0 and out == b"widget.example.org/a\n", err


def test_a_pipe_that_finds_no_memory(run, tmp_path):
    """It is told: it is not played as if it ended there."""
    def limit():
        obey_interrupts()
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    text = (HEADER + "".join(record(at(i), widget("w%d" % i, spec={"t": "x" * 1000})) for i in range(400))).encode()
    child = subprocess.Popen([PROGRAM, "--replay", "/dev/stdin", "-o", "name"], env=run.env, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    out, err = child.communicate(text, timeout=60)
    assert child.returncode == 1 and out == b"" and err.count(b"\n") == 1
    assert b"/dev/stdin: File too large" in err


@pytest.mark.parametrize("name", ["rec.jsonl", "rec.jsonl.gz"])
def test_what_is_printed_once_and_cannot_be_recorded(fake, run, tmp_path, name):
    """The answer is printed, one line says what is missing and why, and the exit status is 1."""
    def limit():
        obey_interrupts()
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
    for i in range(1000):
        fake.put("widgets", "w%d" % i, spec={"t": hashlib.sha512(b"%d" % i).hexdigest()}, **READY)
    child = subprocess.Popen([PROGRAM, "widgets", "-o", "name", "--record", str(tmp_path / name)], env=run.env,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 1 and out.count(b"\n") == 1000
    assert err.count(b"\n") == 1 and name.encode() in err and b"File too large" in err
    done = run("--replay", tmp_path / name, "-o", "name")
    assert done.returncode == 0 and b"cut off" in done.stderr


# ---- until when -------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_quiet_end_is_known(fake, run, tmp_path, number):
    """To about a second where it was killed; else exactly.  Ages go on until then."""
    fake.put("widgets", "a", **READY)
    path = tmp_path / "rec.jsonl"
    child = run.start("widgets", "--record", path, "-w", "-o", "name")
    child.stdout.readline()
    began = time.time()
    wait_for(lambda: time.time() - began > 4)
    child.send_signal(number)
    ended = time.time()
    child.communicate()
    end = seconds_of(last_moment(path))
    assert ended - end < (2.5 if number == signal.SIGKILL else 0.3)
    doc = json.loads(run("--replay", path, "-o", "json").stdout)
    assert abs(seconds_of(doc["asOf"]) - end) < 1
    assert names(run, path) == ["a"]


def test_the_end_of_a_dashboard_is_known(fake, run, tmp_path):
    fake.put("widgets", "a", **READY)
    path = tmp_path / "rec.jsonl"
    with run.screen("widgets", "--record", str(path)) as term:
        term.wait("widget/a")
        last_moment(path, 1.5)
        before = time.time()
        term.keys("q")
        wait_for(lambda: term.read(0.05) or seconds_of(last_moment(path)) >= before - 0.01)
        wait_for(lambda: seconds_of(last_moment(path)) >= before - 0.01, 5)


def test_no_marks_while_nothing_is_seen(serve, client, tmp_path):
    fake, path = serve(), tmp_path / "rec.jsonl"
    fake.put("widgets", "a", **READY)
    child = client(fake).start("widgets", "--record", path, "-w", "-o", "name")
    child.stdout.readline()
    fake.stop()
    said = child.stderr.readline()
    began = time.time()
    assert b"lost" in said or b"refused" in said or b"connect" in said, said
    wait_for(lambda: time.time() - began > 3)
    assert seconds_of(last_moment(path)) < began + 1
    child.kill()
    child.communicate()


def test_a_part_ends_where_it_was_cut(run, tmp_path):
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    whole.write_text(HEADER + record(at(0), widget("a")) + record(at(50), widget("b")))
    run.text("--replay", whole, "--from", at(0), "--to", at(30), "--record", part)
    assert last_moment(part) == at(30) and names(run, part) == ["a"]
