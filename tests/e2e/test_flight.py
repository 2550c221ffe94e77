# SPDX-License-Identifier: Apache-2.0
"""--flight: a recording that is always on, in segments within a size."""
import gzip
import json
import os
import random
import shutil
import subprocess
import time

import pytest

import program
from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY, WIDGETS
from program import PROGRAM, wait_for
from terminal import background


def segments(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("flight-"))


def text_of(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def names(run, path):
    return sorted(line.split("/")[1] for line in run.text("--replay", path, "-o", "name").splitlines())


def noise(rng):
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(20000))


def fly(fake, run, folder, *args):
    child = run.start("widgets", "--flight", folder, "--flight-size", "1Mi", *args)
    wait_for(lambda: os.path.isdir(folder) and segments(folder))
    return child


def test_segments_stay_within_the_size(fake, run, tmp_path):
    rng = random.Random(1)
    for name in ("still", "moving"):
        fake.put("widgets", name, **READY)
    child = fly(fake, run, tmp_path / "f")
    fake.await_requests(1, WIDGETS, watch=True)
    first = segments(tmp_path / "f")[0]
    for i in range(150):
        fake.put("widgets", "moving", spec={"text": noise(rng)}, status={"n": i, **READY["status"]})
        time.sleep(0.01)
    wait_for(lambda: first not in segments(tmp_path / "f"))
    time.sleep(1)
    child.kill()
    child.communicate()
    all_of_it = segments(tmp_path / "f")
    assert len(all_of_it) > 2 and sum(map(os.path.getsize, all_of_it)) < 1 << 20
    assert os.stat(tmp_path / "f").st_mode & 0o777 == 0o700
    assert all(os.stat(path).st_mode & 0o777 == 0o600 for path in all_of_it)
    assert names(run, tmp_path / "f") == ["moving", "still"]
    assert all(names(run, path) == ["moving", "still"] for path in all_of_it)          # each is whole


def test_a_segment_tells_a_uid_once(fake, run, tmp_path):
    """What no compression makes smaller is in the record that says that an object is there, and in every state; who reads it has it always."""
    uid = fake.put("widgets", "a", **READY)["metadata"]["uid"]
    child = fly(fake, run, tmp_path / "f", "--record", tmp_path / "r.jsonl")
    fake.await_requests(1, WIDGETS, watch=True)
    for n in (1, 2):
        fake.put("widgets", "a", status={"n": n, **READY["status"]})
        wait_for(lambda n=n: '"n":%d' % n in text_of(tmp_path / "r.jsonl"))
    child.terminate()
    child.communicate()
    whole = [json.loads(line) for line in text_of(tmp_path / "r.jsonl").splitlines()]
    short = [json.loads(line) for path in segments(tmp_path / "f") for line in gzip.open(path, "rt", encoding="utf-8")]
    assert [uid] * 3 == [record["object"]["metadata"]["uid"] for record in whole if record.get("type") in ("ADDED", "MODIFIED")]
    assert [uid, None, None] == [record["object"]["metadata"].get("uid") for record in short if record.get("type") in ("ADDED", "MODIFIED")]
    for source in (tmp_path / "f", tmp_path / "r.jsonl"):
        assert json.loads(run.text("--replay", source, "-o", "json"))["items"][0]["uid"] == uid
    cut = tmp_path / "cut.jsonl"
    run.text("--replay", tmp_path / "f", "--from", "1h", "--record", cut)
    assert {record["object"]["metadata"]["uid"] for record in map(json.loads, text_of(cut).splitlines()) if record.get("type") in ("ADDED", "MODIFIED")} == {uid}


def test_a_dashboard_that_is_killed_leaves_its_segments(fake, run, tmp_path):
    """What was seen up to a second before can be played, in the dashboard, too."""
    rng, folder = random.Random(2), tmp_path / "f"
    fake.put("widgets", "still", **READY)
    with run.screen("widgets", "--flight", str(folder), "--flight-size", "1Mi", rows=24, cols=100) as term:
        term.wait(lambda text: "widget/still" in text and "live" in text)
        first = segments(folder)[0]
        for i in range(150):
            fake.put("widgets", "moving", spec={"text": noise(rng)}, status={"n": i, **READY["status"]})
            time.sleep(0.01)
        wait_for(lambda: term.read(0.05) and first not in segments(folder))
        fake.put("widgets", "late", **READY)
        term.wait("widget/late")
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            term.read(0.1)
        term.signal(9)
    assert sum(map(os.path.getsize, segments(folder))) < 1 << 20
    assert names(run, folder) == ["late", "moving", "still"]
    with run.screen("--replay", str(folder), "--speed", "1000", rows=24, cols=100) as term:
        term.wait(lambda text: "widget/late" in text and "ended" in text)


def test_what_went_between_two_flights_is_gone(fake, run, tmp_path):
    for name in ("a", "b"):
        fake.put("widgets", name, **READY)
    child = fly(fake, run, tmp_path / "f", "-w", "-o", "name")
    for _ in range(2):
        child.stdout.readline()
    time.sleep(1.2)
    child.kill()
    child.communicate()
    assert names(run, tmp_path / "f") == ["a", "b"]
    fake.delete("widgets", "a")
    child = run.start("widgets", "--flight", tmp_path / "f", "-w", "-o", "name")
    child.stdout.readline()
    fake.put("widgets", "c", **READY)
    child.stdout.readline()
    child.terminate()
    child.communicate()
    assert len(segments(tmp_path / "f")) == 2
    assert names(run, segments(tmp_path / "f")[1]) == ["b", "c"]


def can_mount():
    return subprocess.run(["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("size", ["2Mi", "256Mi"])
def test_a_full_disk(fake, run, tmp_path, size):
    """The oldest segments go and nothing else, also where the disk has less than the size that was asked for."""
    if not shutil.which("unshare") or not can_mount():
        pytest.skip("a small disk cannot be mounted here")
    rng, disk = random.Random(3), tmp_path / "disk"
    disk.mkdir()
    fake.put("widgets", "still", **READY)
    line = "mount -t tmpfs -o size=1m none %s; echo mine > %s/notes; exec %s widgets --flight %s/f --flight-size %s" % (
        disk, disk, program.PROGRAM, disk, size)
    child = subprocess.Popen(["unshare", "-Urm", "sh", "-c", line], env=run.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    seen = "/proc/%d/root%s" % (child.pid, disk)
    wait_for(lambda: os.path.exists(seen + "/f/index.json"))
    first = os.listdir(seen + "/f")
    for i in range(200):
        fake.put("widgets", "moving", spec={"text": noise(rng)}, status={"n": i, **READY["status"]})
        time.sleep(0.01)
    wait_for(lambda: child.poll() is not None or not set(first) & set(os.listdir(seen + "/f")) - {"index.json", "metrics"})
    assert child.poll() is None, child.communicate()
    fake.put("widgets", "late", **READY)
    wait_for(lambda: any(b"late" in run("--replay", path, "-o", "name").stdout for path in segments(seen + "/f")))
    assert child.poll() is None and open(seen + "/notes").read() == "mine\n"
    assert names(run, seen + "/f") == ["late", "moving", "still"]
    child.terminate()
    assert child.communicate()[1] == b""


@pytest.mark.parametrize("args,words", [
    (["--flight-size", "1Mi"], "needs --flight"), (["--flight", "x", "--flight-size", "big"], 'value "big"'),
    (["--flight", "x", "--flight-size", "5"], "at least 1Mi"), (["--flight", "x", "-f", "y"], "needs a cluster")])
def test_bad_input_gets_one_line(run, args, words):
    done = run(*args)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and words in done.stderr.decode()


def test_a_folder_that_is_none(fake, run, tmp_path):
    (tmp_path / "file").write_text("")
    done = run("widgets", "--flight", tmp_path / "file")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1
    (tmp_path / "empty").mkdir()
    done = run("--replay", tmp_path / "empty", "-o", "name")
    assert done.returncode == 1 and b"no recording" in done.stderr


def test_in_the_background_of_a_shell_a_flight_is_recorded(fake, run, tmp_path):
    """As docs/recipes.md has it: kubectl status -A --flight DIR &"""
    fake.put("widgets", "a", status={"conditions": [{"type": "Ready", "status": "True"}]})
    flight = tmp_path / "flight"
    with background([PROGRAM, "-A", "--flight", flight], run.env) as shell:
        wait_for(lambda: shell.read(0.02) and flight.is_dir() and "widget" in
                 subprocess.run([PROGRAM, "--replay", flight, "-A", "-o", "name"], env=run.env, capture_output=True, text=True, check=False).stdout)
        shell.keys("jobs; kill %1; wait; echo en\"\"ded\n")
        text = shell.wait("ended")
        assert "Running" in text and "Stopped" not in text


def test_one_directory_is_for_one_recorder(fake, run, tmp_path):
    """A second one is refused; one that was killed stands in nobody's way."""
    fake.put("widgets", "a", **READY)
    child = fly(fake, run, tmp_path / "f")
    before = segments(tmp_path / "f")
    done = run("widgets", "--flight", tmp_path / "f")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"another recorder writes to" in done.stderr
    assert segments(tmp_path / "f") == before
    child.kill()
    child.communicate()
    child = run.start("widgets", "--flight", tmp_path / "f")
    wait_for(lambda: len(segments(tmp_path / "f")) > len(before) and b"widget/a" in run("--replay", segments(tmp_path / "f")[-1], "-o", "wide").stdout)
    child.terminate()
    child.communicate()
    assert names(run, tmp_path / "f") == ["a"]
