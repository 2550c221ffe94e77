# SPDX-License-Identifier: Apache-2.0
"""Long recordings are read from the nearest state in their index: what is told is what is told without one."""
import json
import os
import random
import signal
import time
import zlib

import pytest

from test_cut import at, history
from test_time import counts, counts_of, paused_at

PAD = 1 << 17  # bytes of a line that tells nothing: what makes a recording long, and no state large
CLUSTERS = '"context":"a,b","contexts":["a","b"],'


def flushed(lines):
    """As the recorder writes it: a reader can begin behind each line."""
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join(pack.compress(line.encode()) + pack.flush(zlib.Z_FULL_FLUSH) for line in lines) + pack.flush()


def long_history(seed, path, clusters=False):
    rng, end = history(seed, path, records=280)
    lines = []
    for line in path.read_text().splitlines(True):
        record = json.loads(line)
        if "type" not in record:
            lines.append(line.replace('"startedAt"', CLUSTERS + '"startedAt"') if clusters else line)
            lines.append(json.dumps({"t": at(0), "type": "BOOKMARK", "object": {}}) + "\n")  # what comes was created since
            continue
        if clusters:
            record["cluster"] = rng.choice("ab")
        lines.append(json.dumps(record) + "\n")
        pad = rng.randbytes(PAD // 2).hex()
        lines.append(json.dumps({"t": record["t"], "type": "BOOKMARK", "object": {"pad": pad}}) + "\n")
    path.write_bytes(flushed(lines) if path.suffix == ".gz" else "".join(lines).encode())
    os.utime(path, (1, 1))
    return rng, end


def index_of(folder):
    """The file and its table."""
    (path,) = folder.glob("kubectl-status/*")
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    data = path.read_bytes()
    at_byte = int(data[data.rindex(b"}") + 1:].split()[0], 16)
    return path, json.loads(data[at_byte:data.rindex(b"}") + 1])


def shown(run, path, then, cache, form="json"):
    return run.text("--replay", path, "-A", "-o", form, "--as-of", at(then), "--cache-dir", cache)


@pytest.mark.parametrize("seed", range(4))
def test_an_index_changes_nothing(run, tmp_path, seed):
    path, cache = tmp_path / ("all.jsonl.gz" if seed % 2 else "all.jsonl"), tmp_path / "cache"
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    rng, end = long_history(seed, path, clusters=seed >= 2)
    shown(run, path, end / 2, cache)
    _, table = index_of(cache)
    assert len(table["states"]) > 20
    for then in [rng.uniform(0, end) for _ in range(4)] + [end, end + 3000]:
        for form in ("json", "why"):
            assert shown(run, path, then, cache, form) == shown(run, path, then, nowhere, form), (seed, then)
    for name, where in (("a", cache), ("b", nowhere)):
        run.text("--replay", path, "--from", at(end * 0.9), "--record", tmp_path / name, "-A", "--cache-dir", where)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("seed", range(2))
def test_what_changed_is_the_same_with_an_index(run, tmp_path, seed):
    path, cache, nowhere = tmp_path / ("all.jsonl.gz" if seed else "all.jsonl"), tmp_path / "cache", tmp_path / "file"
    nowhere.write_text("no folder")
    rng, end = long_history(seed + 10, path, clusters=bool(seed))
    for _ in range(4):
        first, last = sorted(at(rng.uniform(0, end)) for _ in range(2))
        for args in (["--diff", first + "," + last], ["--from", first, "--to", last]):
            told = [run.text("--replay", path, *args, "-A", "-o", "json", "--cache-dir", where) for where in (cache, nowhere)]
            assert told[0] == told[1] and json.loads(told[0]), (seed, args)
    args = ["--diff", at(end * 0.8) + "," + at(end)]
    told = run.text("--replay", path, *args, "-A", "--cache-dir", cache)
    spoil(path, 1 << 20, 1 << 21)
    assert run.text("--replay", path, *args, "-A", "--cache-dir", cache) == told, "what is before the first moment is not read"


def test_the_dashboard_begins_at_a_state_and_goes_back_before_it(run, tmp_path):
    """Each moment is that of -o json, though the world was made anew for it; the selected object stays selected."""
    path, cache = tmp_path / "all.jsonl", tmp_path / "cache"
    _, end = long_history(7, path)
    shown(run, path, end, cache)
    table = index_of(cache)[1]
    start = at(end * 0.8)
    with run.screen("--replay", path, "-A", "--as-of", start, "--cache-dir", cache, rows=60, cols=200) as term:
        text = term.wait(lambda text: paused_at(text) == start[11:19] and counts(text))
        for key in "[[{[[[{[[[":
            before = text
            term.keys(key)
            text = term.wait(lambda text, before=before: text != before and paused_at(text) and paused_at(text) <= paused_at(before) and counts(text))
            second = start[:11] + paused_at(text)
            documents = [json.loads(run.text("--replay", path, "-A", "-o", "json", "--as-of", t, "--cache-dir", cache))
                         for t in times_within(path, second)]
            assert counts(text) in [counts_of(d) for d in documents], (key, second, counts(text))
        passed = [s for s in table["states"] if at_ms(s[0]) > second and at_ms(s[0]) < start]
        assert len(passed) > 2, "it went back over several states"
        before = text
        term.keys("]")
        term.wait(lambda text: text != before and paused_at(text) and paused_at(text) >= second[11:19])


def at_ms(ms):
    """at() of a time since 1970."""
    return at(ms / 1000 - 1795165200)  # 2026-11-20T09:00:00Z


def times_within(path, second):
    """The times of its records within that second, and its end."""
    with open(path, encoding="utf-8") as lines:
        times = {line[7:31] for line in lines if line.startswith('{"t": "' + second)} | {second + ".000Z"}
    return sorted(times)


def spoil(path, offset, n=1):
    """The same file as far as anybody can see who does not read it."""
    info = path.stat()
    with open(path, "r+b") as f:
        f.seek(offset)
        old = f.read(n)
        f.seek(offset)
        f.write(bytes(b ^ 0xFF for b in old))
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_what_is_before_the_state_is_not_read(run, tmp_path, name):
    _, end = long_history(1, tmp_path / name)
    before = shown(run, tmp_path / name, end, tmp_path / "cache")
    spoil(tmp_path / name, 1 << 20, 1 << 23)
    assert shown(run, tmp_path / name, end, tmp_path / "cache") == before
    assert shown(run, tmp_path / name, end, tmp_path / "other") != before


def test_what_is_wrong_with_an_index_is_no_matter(run, tmp_path):
    path, cache = tmp_path / "all.jsonl", tmp_path / "cache"
    _, end = long_history(2, path)
    right = shown(run, path, end, cache)
    index, table = index_of(cache)
    whole, rng = index.read_bytes(), random.Random(3)
    last = table["states"][-1]
    for offset in [last[4] + 5, last[4] + last[5] - 1, len(whole) - 1, len(whole) - 50, len(whole) - 200] + [rng.randrange(len(whole)) for _ in range(3)]:
        index.write_bytes(whole)
        spoil(index, offset)
        assert shown(run, path, end, cache) == right, offset
        assert shown(run, path, end, cache) == right, offset
    for text in (b"", whole[:-10], whole[:len(whole) // 2], b"x" * 5000):
        index.write_bytes(text)
        assert shown(run, path, end, cache) == right
        assert len(index_of(cache)[1]["states"]) == len(table["states"])  # made again
    index.unlink()
    index.symlink_to("/dev/zero")
    assert shown(run, path, end, cache) == right


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_what_cannot_be_read_is_told_the_same(run, tmp_path, name):
    """Found while the index is made, or before the dashboard plays, or in the table of the index."""
    path, cache, nowhere = tmp_path / name, tmp_path / "cache", tmp_path / "file"
    nowhere.write_text("no folder")
    _, end = long_history(8, tmp_path / "right.jsonl")
    lines = (tmp_path / "right.jsonl").read_text().splitlines(True)
    for i, bad in ((5, "{\n"), (200, '{"t":"2026-11-20T09:00:00.000Z","type":"ADDED","object":{"kind":"Widget"}}\n'), (201, "\n"), (300, '{"t":"x"}\n')):
        lines.insert(i, bad)
    lines.append('{"t":"2026-11-20T23:00')
    path.write_bytes(flushed(lines) if path.suffix == ".gz" else "".join(lines).encode())
    os.utime(path, (1, 1))
    told = [run("--replay", str(path), "-A", "-o", "json", "--as-of", at(end), "--cache-dir", str(where)).stderr.decode()
            for where in (nowhere, cache, cache)]
    assert told[0] == told[1] == told[2] and "cut off; 3 records of the recording cannot be read, the first in line 6" in told[0]
    assert index_of(cache)[1]["bad"] == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_making_and_leaves_no_file(run, tmp_path, number):
    path, cache = tmp_path / "all.jsonl", tmp_path / "cache"
    long_history(9, path)
    with open(path, "ab") as f:  # long enough to be met amidst it
        f.write(b"".join(path.read_bytes().splitlines(True)[1:]) * 3)
    os.utime(path, (1, 1))
    child = run.start("--replay", path, "-A", "-o", "json", "--as-of", at(1), "--cache-dir", cache)
    deadline = time.monotonic() + 60
    while not list(cache.glob("kubectl-status/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert child.poll() is None
    child.send_signal(number)
    assert child.wait(60) == -number and not list(cache.glob("kubectl-status/*"))


def test_another_recording_has_another_index(run, tmp_path):
    path, cache = tmp_path / "all.jsonl", tmp_path / "cache"
    _, end = long_history(4, path)
    shown(run, path, end, cache)
    first, _ = index_of(cache)
    with open(path, "a", encoding="utf-8") as f:
        f.write(json.dumps({"t": at(end + 1), "type": "ADDED", "object": {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "late", "namespace": "a"}}}) + "\n")
    assert '"late"' in shown(run, path, end + 2, cache) and list(first.parent.iterdir()) == [first]  # it is still written
    os.utime(path, (1, 1))
    assert '"late"' in shown(run, path, end + 2, cache) and len(list(first.parent.iterdir())) == 2


def test_no_place_to_begin_no_index(run, tmp_path):
    path = tmp_path / "all.jsonl"
    _, end = long_history(5, path)
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    (tmp_path / "b.gz").write_bytes(pack.compress(path.read_bytes()) + pack.flush())
    os.utime(tmp_path / "b.gz", (1, 1))
    assert shown(run, tmp_path / "b.gz", end, tmp_path / "cache") == shown(run, path, end, tmp_path / "cache")


def test_a_part_that_was_cut_out_has_an_index_too(run, tmp_path):
    path, part = tmp_path / "all.jsonl.gz", tmp_path / "part.jsonl.gz"
    _, end = long_history(3, path, clusters=True)
    run.text("--replay", path, "--from", at(1), "--record", part, "-A", "--cache-dir", tmp_path / "cache")
    os.utime(part, (1, 1))
    assert shown(run, part, end, tmp_path / "other") == shown(run, path, end, tmp_path / "cache")
    assert len(index_of(tmp_path / "other")[1]["states"]) > 10


def test_short_ones_have_none(run, tmp_path):
    _, end = history(6, tmp_path / "all.jsonl")
    os.utime(tmp_path / "all.jsonl", (1, 1))
    shown(run, tmp_path / "all.jsonl", end, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
