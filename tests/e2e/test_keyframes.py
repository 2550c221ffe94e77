# SPDX-License-Identifier: Apache-2.0
"""Long recordings have keyframes: a moment that is read from the one before it is what it is when all before it is played."""
import gzip
import json
import random
import re

import pytest

from test_cut import at, history
from test_time import counts, counts_of, paused_at

PAD = 100 << 10  # bytes of a line that tells nothing: what makes a recording long, and no state large
CLUSTERS = '"context":"a,b","contexts":["a","b"],'
HEAD = re.compile(rb'\{"t":"[^"]{24}","type":"BOOKMARK","object":\{\},"keyframe":')
BEGIN = re.compile(HEAD.pattern + rb'\{"line":')


def plain_bytes(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def keyframes_of_lines(lines):
    """The number of the line at which each begins, from 0."""
    return [i for i, line in enumerate(lines) if BEGIN.match(line)]


def keyframes_of(path):
    return keyframes_of_lines(plain_bytes(path).splitlines())


def without_keyframes(path, to):
    to.write_bytes(b"".join(line for line in plain_bytes(path).splitlines(True) if not HEAD.match(line)))
    return to


def long_history(run, seed, path, clusters=False):
    """At path; beside it, as "old", the same without keyframes."""
    old = path.with_name("old.jsonl")
    rng, end = history(seed, old, records=280)
    lines = []
    for line in old.read_text().splitlines(True):
        record = json.loads(line)
        if "type" not in record:
            lines.append(line.replace('"startedAt"', CLUSTERS + '"startedAt"') if clusters else line)
            lines.append(json.dumps({"t": at(0), "type": "BOOKMARK", "object": {}}) + "\n")  # what comes was created since
            continue
        if clusters:
            record["cluster"] = rng.choice("ab")
        lines.append(json.dumps(record) + "\n")
        pad = rng.randbytes(64).hex() * (PAD // 128)
        lines.append(json.dumps({"t": record["t"], "type": "BOOKMARK", "object": {"pad": pad}}) + "\n")
    old.write_text("".join(lines))
    assert run("--replay", str(old), "--from", at(0), "--record", str(path), "-A").returncode == 0
    without_keyframes(path, old)
    return rng, end


def shown(run, path, then, form="json"):
    return run.text("--replay", path, "-A", "-o", form, "--as-of", at(then))


@pytest.mark.parametrize("seed", range(4))
def test_a_keyframe_changes_nothing(run, tmp_path, seed):
    path, old = tmp_path / ("all.jsonl.gz" if seed % 2 else "all.jsonl"), tmp_path / "old.jsonl"
    rng, end = long_history(run, seed, path, clusters=seed >= 2)
    assert len(keyframes_of(path)) >= 2 and not keyframes_of(old)
    for then in [rng.uniform(0, end) for _ in range(4)] + [end, end + 3000]:
        for form in ("json", "why"):
            assert shown(run, path, then, form) == shown(run, old, then, form), (seed, then)
    first, last = at(rng.uniform(0, end * 0.4)), at(rng.uniform(end * 0.6, end))
    for args in (["--diff", first + "," + last], ["--from", first, "--to", last]):
        told = [run.text("--replay", each, *args, "-A", "-o", "json") for each in (path, old)]
        assert told[0] == told[1] and json.loads(told[0]), (seed, args)
    told = [run.text("--replay", each, "-A", "-w", "-o", "json") for each in (path, old)]
    assert told[0] == told[1], "who plays on passes them over"


def test_a_part_is_the_same_wherever_it_is_cut_from(run, tmp_path):
    path, old = tmp_path / "all.jsonl.gz", tmp_path / "old.jsonl"
    _, end = long_history(run, 3, path, clusters=True)
    for name, each in (("a", path), ("b", old)):
        run.text("--replay", each, "--from", at(end * 0.9), "--record", tmp_path / name, "-A")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_what_is_before_the_keyframe_is_not_read(run, tmp_path, name):
    path = tmp_path / name
    _, end = long_history(run, 1, path)
    args = ["--diff", at(end * 0.9) + "," + at(end)]
    before = shown(run, path, end), run.text("--replay", path, *args, "-A")
    data = bytearray(path.read_bytes())
    lines = plain_bytes(path).splitlines()
    for i in range(len(data) // 20, len(data) // 10):
        data[i] = ord('"')
    path.write_bytes(data)
    assert (shown(run, path, end), run.text("--replay", path, *args, "-A")) == before
    done = run("--replay", str(path), "-A", "-o", "json", "--as-of", json.loads(lines[keyframes_of_lines(lines)[0] - 6])["t"])
    assert b"damaged" in done.stderr or b"cannot be read" in done.stderr, "what is read is told"


def test_the_dashboard_begins_at_a_keyframe_and_goes_back_before_it(run, tmp_path):
    """Each moment is that of -o json, though the world was made anew for it; the selected object stays selected."""
    path, old = tmp_path / "all.jsonl", tmp_path / "old.jsonl"
    _, end = long_history(run, 7, path)
    times = [line[6:30].decode() for line in plain_bytes(path).splitlines() if BEGIN.match(line)]
    start = at(end * 0.8)
    with run.screen("--replay", path, "-A", "--as-of", start, rows=60, cols=200) as term:
        text = term.wait(lambda text: paused_at(text) == start[11:19] and counts(text))
        while second_of(start, text) > times[0]:
            before = text
            term.keys("[[{["[len(before) % 4] * 3)
            text = term.wait(lambda text, before=before: text != before and paused_at(text) and paused_at(text) <= paused_at(before) and counts(text))
        second = second_of(start, text)
        documents = [json.loads(run.text("--replay", old, "-A", "-o", "json", "--as-of", t)) for t in times_within(old, second)]
        assert counts(text) in [counts_of(d) for d in documents], (second, counts(text))
        assert len([t for t in times if second < t < start]) >= 1, "it went back over keyframes"
        before = text
        term.keys("]")
        term.wait(lambda text: text != before and paused_at(text) and paused_at(text) >= second[11:19])


def second_of(start, text):
    return start[:11] + paused_at(text)


def times_within(path, second):
    """The times of its records within that second, and its end."""
    times = {line[6:30].decode() for line in plain_bytes(path).splitlines() if line.startswith(b'{"t":"' + second.encode())}
    return sorted(times | {second + ".000Z"})


def test_the_segments_of_a_flight(run, tmp_path):
    path, old = tmp_path / "all.jsonl", tmp_path / "old.jsonl"
    rng, end = long_history(run, 9, path)
    folders = {each: tmp_path / each.stem for each in (path, old)}
    for each, folder in folders.items():
        folder.mkdir()
        for n, part in enumerate((["--from", at(0), "--to", at(end / 2)], ["--from", at(end / 2)])):
            segment = folder / ("flight-2026-11-20T09-00-0%dZ-00000%d.jsonl.gz" % (n, n))
            run.text("--replay", old, *part, "--record", segment, "-A")
            if each == old:
                segment.write_bytes(gzip.compress(without_keyframes(segment, tmp_path / "part").read_bytes(), 1))
    assert any(keyframes_of(segment) for segment in folders[path].iterdir())
    for then in [rng.uniform(0, end) for _ in range(4)] + [end]:
        assert shown(run, folders[path], then) == shown(run, folders[old], then), then


def test_what_is_before_a_segment_is_not_read(run, tmp_path):
    """Each segment begins with the state: a later moment takes only its own."""
    path, folder = tmp_path / "all.jsonl", tmp_path / "flight"
    rng, end = long_history(run, 10, path)
    old = tmp_path / "old.jsonl"
    folder.mkdir()
    for n, part in enumerate((["--from", at(0), "--to", at(end / 3)], ["--from", at(end / 3), "--to", at(end / 2)], ["--from", at(end / 2)])):
        segment = folder / ("flight-2026-11-20T09-00-0%dZ-00000%d.jsonl.gz" % (n, n))
        run.text("--replay", old, *part, "--record", segment, "-A")
        segment.write_bytes(gzip.compress(without_keyframes(segment, tmp_path / "part").read_bytes(), 1))
    for then in [rng.uniform(end / 2 + 11, end) for _ in range(4)] + [end]:
        assert shown(run, folder, then) == shown(run, old, then), then
    first = sorted(folder.iterdir())[0]
    lines = plain_bytes(first).splitlines(True)
    first.write_bytes(gzip.compress(b"".join(lines[:-5] + [b"{\n"] + lines[-5:]), 1))
    words = [run("--replay", folder, "-A", "-o", "name", "--as-of", at(then)).stderr.decode() for then in (end / 3 - 0.5, end / 2 + 11, end)]
    assert "1 record of the recording cannot be read" in words[0] and words[1:] == ["", ""]


# ---- what is wrong with them -------------------------------------------------------


def rewritten(path, change):
    """change gets the lines and the numbers of those at which keyframes begin."""
    lines = plain_bytes(path).splitlines(True)
    change(lines, keyframes_of(path))
    path.write_bytes(b"".join(lines))


def drop_a_record(lines, begins):
    del lines[begins[-1] + 2]


def spoil_a_record(lines, begins):
    lines[begins[-1] + 2] = lines[begins[-1] + 2].replace(b'"type":"ADDED"', b'"type":"GONE"').replace(b'"names"', b'"names":7,"x"')


def cut_within(lines, begins):
    del lines[begins[-1] + 3:]


def cut_amidst_a_line(lines, begins):
    del lines[begins[-1] + 3:]
    lines[-1] = lines[-1][:60]


def lie_about_lines(lines, begins):
    for i in begins:
        lines[i] = re.sub(rb'"line":\d+', b'"line":99999999999999', lines[i])


def lie_about_times(lines, begins):
    lines[begins[-1]] = b'{"t":"2099-01-01T00:00:00.000Z"' + lines[begins[-1]][31:]


def repeat_the_beginning(lines, begins):
    lines[begins[-1]:begins[-1]] = [lines[begins[-1]]] * 5000


def hide_one_in_an_object(lines, begins):
    inner = json.loads(lines[begins[0]])
    lines.insert(begins[-1] - 1, json.dumps({"t": inner["t"], "type": "BOOKMARK", "object": {"x": lines[begins[0]].decode(), "y": inner}},
                                            separators=(",", ":")).encode() + b"\n")


WRONG = [drop_a_record, spoil_a_record, cut_within, cut_amidst_a_line, lie_about_lines, lie_about_times,
         repeat_the_beginning, hide_one_in_an_object]


@pytest.mark.parametrize("change", WRONG, ids=lambda change: change.__name__)
def test_one_that_is_not_whole_is_not_used(run, tmp_path, change):
    path = tmp_path / "all.jsonl"
    rng, end = long_history(run, 2, path)
    rewritten(path, change)
    old = without_keyframes(path, tmp_path / "old.jsonl")
    for then in [end, end * 0.95, rng.uniform(0, end), rng.uniform(0, end)]:
        assert shown(run, path, then) == shown(run, old, then), then


def test_lines_that_were_taken_out(run, tmp_path):
    """Nothing in a file tells at which byte a keyframe is: it may be edited."""
    path = tmp_path / "all.jsonl"
    _, end = long_history(run, 6, path)
    before = shown(run, path, end)

    def lose_lines(lines, begins):
        del lines[begins[0] - 8:begins[0] - 1]
    rewritten(path, lose_lines)
    assert shown(run, path, end) == before


@pytest.mark.parametrize("share", [0.3, 0.62, 0.9, 0.999])
def test_a_file_that_is_cut_off(run, tmp_path, share):
    """As by a death: what is there can be read, though the end of the gzip is missing."""
    path, part = tmp_path / "all.jsonl.gz", tmp_path / "part.jsonl.gz"
    _, end = long_history(run, 4, path)
    data = path.read_bytes()
    part.write_bytes(data[:int(len(data) * share)])
    lines = []
    try:
        with gzip.open(part) as f:
            for line in f:
                lines.append(line)
    except EOFError:
        pass
    (tmp_path / "plain.jsonl").write_bytes(b"".join(line for line in lines if not HEAD.match(line)))
    last = json.loads([line for line in lines if line.endswith(b"\n")][-2])["t"]
    told = [run("--replay", str(each), "-A", "-o", "json", "--as-of", last) for each in (part, tmp_path / "plain.jsonl")]
    documents = [json.loads(t.stdout) for t in told]
    assert documents[0]["items"] == documents[1]["items"] and b"cut off" in told[0].stderr


def test_what_cannot_be_read_is_told(run, tmp_path):
    """What was played: with the number of its line."""
    path = tmp_path / "all.jsonl"
    _, end = long_history(run, 8, path)
    begins = keyframes_of(path)

    def insert(lines, _):
        lines.insert(begins[0] + 40, b"{\n")
        lines.insert(begins[-1] + 60, b'{"t":"2026-11-20T09:00:00.000Z","type":"ADDED","object":{"kind":"Widget"}}\n')
        lines.append(b'{"t":"2026-11-20T23:00')
    rewritten(path, insert)
    then = json.loads(plain_bytes(path).splitlines()[begins[0] + 44])["t"]
    words = {t: run("--replay", str(path), "-A", "-o", "json", "--as-of", t).stderr.decode() for t in (then, at(end))}
    assert "cut off; 1 record of the recording cannot be read" in words[at(end)]
    assert "cut off; 1 record of the recording cannot be read, the first in line %d;" % (begins[0] + 41) in words[then]
    with run.screen("--replay", path, "-A", "--as-of", then, rows=30, cols=200) as term:
        term.wait("paused")
        term.keys("p")
        term.wait("1 record of the recording cannot be read")


def test_old_recordings_are_read_from_their_beginning(run, tmp_path):
    path = tmp_path / "all.jsonl"
    _, end = long_history(run, 5, path)
    (tmp_path / "b.gz").write_bytes(gzip.compress((tmp_path / "old.jsonl").read_bytes(), 1))
    assert shown(run, tmp_path / "b.gz", end) == shown(run, path, end)


def test_short_ones_have_none(run, tmp_path):
    _, end = history(6, tmp_path / "all.jsonl")
    run.text("--replay", tmp_path / "all.jsonl", "--from", at(0), "--record", tmp_path / "b.jsonl", "-A")
    assert not keyframes_of(tmp_path / "b.jsonl") and shown(run, tmp_path / "b.jsonl", end)
