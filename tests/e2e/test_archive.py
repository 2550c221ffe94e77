# SPDX-License-Identifier: Apache-2.0
"""-f with archives, and with files that are old: tar, zip, what is in them, what is damaged, hostile names; the time that is now then."""
import bz2
import gzip
import io
import json
import lzma
import os
import pathlib
import tarfile
import zipfile

import pytest
import yaml

from program import PROGRAM, wall_and_peak
from terminal import Terminal

OLD = "2022-03-01T09:00:00Z"


def pod(name, time=OLD, ns="shop", **status):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": ns, "uid": "uid-" + name, "creationTimestamp": "2022-03-01T07:00:00Z"},
            "status": {"phase": "Failed", "reason": "Evicted", "startTime": time, **status}}


FILES = {
    "must-gather/namespaces/shop/core/pods.yaml": yaml.safe_dump({"apiVersion": "v1", "kind": "PodList", "items": [pod("till"), pod("safe")]}).encode(),
    "must-gather/namespaces/shop/core/events.json": json.dumps({"apiVersion": "v1", "kind": "EventList", "items": [
        {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "shop", "uid": "e"}, "lastTimestamp": "2022-03-01T09:30:00Z",
         "involvedObject": {"kind": "Pod", "name": "till", "namespace": "shop"}, "reason": "Evicted", "message": "no memory", "type": "Warning"}]}, indent=2).encode(),
    "must-gather/namespaces/shop/core/more.json.gz": gzip.compress(json.dumps(pod("zipped")).encode()),
    "must-gather/namespaces/shop/pods/till/app.log": b"a line of a log\n" * 10000,
    "must-gather/version": b"4.99",
}
NAMES = ["Pod/safe", "Pod/till", "Pod/zipped"]


def tar(path, files=None, mode="w", fmt=tarfile.GNU_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=fmt) as t:
        folder = tarfile.TarInfo("must-gather")
        folder.type = tarfile.DIRTYPE
        t.addfile(folder)
        for name, text in (files or FILES).items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            t.addfile(info, io.BytesIO(text))
    path.write_bytes(out.getvalue())
    return path


def zipped(path, files=None, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as z:
        for name, text in (files or FILES).items():
            z.writestr(name, text)
    return path


FORMS = {
    "gnu.tar": tar, "pax.tar": lambda p: tar(p, fmt=tarfile.PAX_FORMAT), "ustar.tar": lambda p: tar(p, fmt=tarfile.USTAR_FORMAT),
    "x.tar.gz": lambda p: tar(p, mode="w:gz"), "X.TGZ": lambda p: tar(p, mode="w:gz"), "x.zip": zipped,
    "stored.zip": lambda p: zipped(p, method=zipfile.ZIP_STORED),
}


def named(doc):
    return sorted("%s/%s" % (i["kind"], i["name"]) for i in doc["items"])


@pytest.mark.parametrize("form", FORMS)
def test_each_form(run, tmp_path, form):
    path = FORMS[form](tmp_path / form)
    doc = run.json("-f", path)
    assert named(doc) == NAMES and doc["notices"] == []
    done = run("-f", "-", "-o", "json", stdin=path.read_bytes())
    assert named(json.loads(done.stdout)) == NAMES and done.returncode == 0
    nothing = tmp_path / "nothing"
    nothing.write_bytes(path.read_bytes())
    assert named(run.json("-f", nothing)) == NAMES, "it is known by its content, too"


def test_archives_in_archives(run, tmp_path):
    inner = tar(tmp_path / "inner.tgz", mode="w:gz").read_bytes()
    outer = zipped(tmp_path / "outer.zip", {"bundle/inner.tgz": inner, "bundle/one.json": json.dumps(pod("one")).encode()})
    assert named(run.json("-f", outer)) == sorted([*NAMES, "Pod/one"])
    deep = inner
    for i in range(5):
        deep = tar(tmp_path / "deep.tar", {"level.tgz": deep, "pod.json": json.dumps(pod("level-%d" % i)).encode()}).read_bytes()
    doc = run.json("-f", tmp_path / "deep.tar")
    assert "Pod/level-4" in named(doc) and "Pod/till" not in named(doc) and "archives in archives" in json.dumps(doc["notices"])


@pytest.mark.parametrize("form", ["x.tar.gz", "gnu.tar", "x.zip"])
def test_what_is_no_object_hides_nothing(run, tmp_path, form):
    files = {**FILES, "must-gather/namespaces/shop/core/broken.yaml": b"a: [1, 2\nb: }", "must-gather/namespaces/shop/core/other.json": b"[1"}
    path = zipped(tmp_path / form, files) if form.endswith("zip") else tar(tmp_path / form, files, mode="w:gz" if form.endswith("gz") else "w")
    doc = run.json("-f", path)
    assert named(doc) == NAMES
    [notice] = doc["notices"]
    assert "2 files were left out" in notice["message"] and form + "/must-gather/namespaces/shop/core/broken.yaml" in notice["message"]


@pytest.mark.parametrize("form", ["x.tar.gz", "gnu.tar", "x.zip"])
def test_one_that_is_cut_off(run, tmp_path, form):
    path = FORMS[form](tmp_path / form)
    whole = path.read_bytes()
    for share in (0.97, 0.6, 0.3, 0):
        path.write_bytes(whole[:int(len(whole) * share) or 100])
        done = run("-f", path, "-o", "json")
        lines = [line for line in done.stderr.decode().splitlines() if not line.startswith("the files are of")]
        assert len(lines) <= 1 and (done.returncode == 0 or path.name in lines[0]), done.stderr
        if done.returncode == 0 and share < 0.97:
            assert "left out" in json.dumps(json.loads(done.stdout)["notices"])
            for args in (["--exit-code"], ["--problems"], ["--for", "Failed"]):  # what could not be read is not healthy
                done = run("-f", path, *args)
                assert done.returncode == 1 and b"error: not everything could be read: " in done.stderr and b"left out" in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, b"\x1f\x8b\x08\x00", gzip.compress(b"", mtime=0), b"\0" * 1024, b"\xff" * 1024], ids=range(8))
@pytest.mark.parametrize("name", ["a.tar", "a.tgz", "a.zip"])
def test_what_is_none(run, tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    done = run("-f", path)
    assert done.returncode == 1 and not done.stdout and done.stderr.count(b"\n") == 1 and name.encode() in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["a.tar", "a.tar.xz", "a.json", "a.tar.bz2", "a.zip"])
@pytest.mark.parametrize("packed, by", [(lzma.compress, "xz"), (bz2.compress, "bzip2"), (lambda b: b"\x28\xb5\x2f\xfd" + b, "zstd")], ids=["xz", "bzip2", "zstd"])
def test_another_compression(run, tmp_path, name, packed, by):
    path = tmp_path / name
    path.write_bytes(packed(tar(tmp_path / "x.tar").read_bytes()))
    done = run("-f", path)
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"compressed by %s, which is not read: unpack it first" % by.encode() in done.stderr


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_zip64(run, tmp_path, monkeypatch, method):
    """Sizes and places that have no room in the usual fields."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    path = zipped(tmp_path / "a.zip", method=method)
    whole = bytearray(path.read_bytes())
    end = whole.rindex(b"PK\5\6")
    assert b"PK\6\6" in whole and b"\xff" * 8 in whole
    whole[end + 8:end + 20] = b"\xff" * 12
    path.write_bytes(whole)
    assert named(run.json("-f", path)) == NAMES
    for at, what in ((whole.index(b"PK\6\7"), b"PK\7\7"), (whole.index(b"PK\6\7") + 8, b"\xff" * 8), (whole.index(b"PK\6\6") + 40, b"\xff" * 8)):
        bad = bytearray(whole)
        bad[at:at + len(what)] = what
        path.write_bytes(bad)
        done = run("-f", path, "-o", "json")
        assert (done.returncode == 1 and done.stderr.count(b"\n") == 1) or named(json.loads(done.stdout)) == NAMES


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_damaged_file_of_a_zip_is_named_and_left_out(run, tmp_path, method):
    path = zipped(tmp_path / "a.zip", {"good.json": json.dumps(pod("good")).encode(), "bad.json": json.dumps(pod("bad")).encode()}, method)
    whole = bytearray(path.read_bytes())
    for mark, at in ((b"PK\1\2", 16), (b"PK\3\4", 14)):     # the checksum of the second one, in both places
        whole[whole.index(mark, whole.index(mark) + 4) + at] ^= 1
    path.write_bytes(whole)
    doc = run.json("-f", path)
    assert named(doc) == ["Pod/good"]
    [notice] = doc["notices"]
    assert "bad.json: ZIP bad CRC" in notice["message"]


def test_files_that_lie_over_each_other(run, tmp_path):
    """A hundred names of one file: it is unpacked once."""
    path = zipped(tmp_path / "a.zip", {"a.json": json.dumps(pod("a")).encode() + b" " * 100000})
    whole = path.read_bytes()
    first, end = whole.index(b"PK\1\2"), whole.rindex(b"PK\5\6")
    entries = whole[first:end] * 100
    path.write_bytes(whole[:first] + entries + whole[end:end + 12] + len(entries).to_bytes(4, "little") + whole[end + 16:])
    doc = run.json("-f", path)
    assert named(doc) == ["Pod/a"] and doc["notices"] == []


def test_a_recording(run, tmp_path):
    """One alone is shown at its end, as when -f names it."""
    demo = (pathlib.Path(__file__).resolve().parent.parent.parent / "demo" / "incident.jsonl.gz").read_bytes()
    for path in (tar(tmp_path / "a.tgz", {"x/incident.jsonl.gz": demo}, mode="w:gz"), zipped(tmp_path / "a.zip", {"incident.jsonl": gzip.decompress(demo)})):
        doc = run.json("-f", path, "-A")
        assert doc["asOf"] == "2026-11-21T05:03:19Z" and len(doc["rootCauses"]) == 7
    done = run("-f", tar(tmp_path / "b.tgz", {"a.jsonl.gz": b"{}", "b.txt": demo}, mode="w:gz"))
    assert done.returncode == 1 and b"nor a recording" in done.stderr and done.stderr.count(b"\n") == 1


def recorded(start, context, *names):
    """A recording of an hour's beginning, in which these pods exist and nothing else does."""
    def t(s):
        return start.replace(":00Z", ":%02d.000Z" % s)
    kind = {"group": "", "version": "v1", "kind": "Pod", "plural": "pods", "singular": "pod", "flags": 31, "shortNames": ["po"], "categories": ["all"]}
    lines = [{"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": start, "context": context, "namespace": "shop", "coverage": "recorded", "kinds": [kind]}]
    lines += [{"t": t(1), "type": "ADDED", "object": pod(n)} for n in names]
    lines += [{"t": t(2), "type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop"}}, "coverage": "complete"}]
    lines += [{"t": t(3), "type": "BOOKMARK", "object": {"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}}]
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()


NIGHTS = {"z.jsonl": recorded("2026-11-20T01:00:00Z", "prod", "old", "both"), "a.jsonl.gz": gzip.compress(recorded("2026-11-21T01:00:00Z", "prod", "both", "new"))}


@pytest.mark.parametrize("form", ["folder", "tgz", "zip", "two"])
def test_several_recordings(run, tmp_path, form):
    """They are one, in the order of their beginnings: what the later one does not have any more is gone."""
    for name, text in NIGHTS.items():
        (tmp_path / name).write_bytes(text)
    path = {"folder": tmp_path, "two": tmp_path / "a.jsonl.gz"}.get(form) or \
        (tar(tmp_path / "x.tgz", NIGHTS, mode="w:gz") if form == "tgz" else zipped(tmp_path / "x.zip", NIGHTS))
    args = ["-f", path, *(["-f", tmp_path / "z.jsonl"] if form == "two" else [])]
    doc = run.json(*args)
    assert named(doc) == ["Pod/both", "Pod/new"] and doc["asOf"] == "2026-11-21T01:00:03Z"
    assert named(run.json(*args, "--as-of", "2026-11-20T02:00:00Z")) == ["Pod/both", "Pod/old"]


def test_recordings_that_do_not_belong_together(run, tmp_path):
    files = {"a.jsonl": NIGHTS["z.jsonl"], "b.jsonl": recorded("2026-11-21T01:00:00Z", "staging", "a")}
    for name, text in files.items():
        (tmp_path / name).write_bytes(text)
    for path in (tar(tmp_path / "x.tgz", files, mode="w:gz"), tmp_path):
        done = run("-f", path)
        assert done.returncode == 1 and done.stderr == b"error: the recordings are of several contexts: name those of one\n"
    (tmp_path / "o.json").write_text(json.dumps(pod("a")))
    done = run("-f", tmp_path)
    assert done.returncode == 0 and b"notice: 2 recordings are not played, because files of objects are there, too" in done.stderr
    done = run("-f", zipped(tmp_path / "o.zip", {"d/o.json": json.dumps(pod("a")).encode(), "d/z.jsonl": NIGHTS["z.jsonl"],
                                                 "d/audit.jsonl": b'{"kind": "Event"}\n'}))
    assert done.returncode == 0 and done.stderr.count(b"\n") == 2
    assert b"1 recording is not played, because files of objects are there, too, the first: %s/o.zip/d/z.jsonl" % str(tmp_path).encode() in done.stderr
    done = run("-f", tmp_path / "a.jsonl", "-f", tmp_path / "o.json")
    assert done.returncode == 1 and b"cannot be read together with other files" in done.stderr and done.stderr.count(b"\n") == 1
    many = {"%d.jsonl" % n: NIGHTS["z.jsonl"] for n in range(300)}
    done = run("-f", tar(tmp_path / "y.tgz", many, mode="w:gz"))
    assert done.returncode == 1 and b"more than 256 recordings" in done.stderr and done.stderr.count(b"\n") == 1


def test_the_directory_of_a_flight(run, tmp_path):
    """And an archive of it: with its index and metrics beside the segments."""
    folder = tmp_path / "flight"
    folder.mkdir()
    for n, text in enumerate([NIGHTS["z.jsonl"], gzip.decompress(NIGHTS["a.jsonl.gz"])]):
        (folder / ("flight-2026-11-2%dT010000Z-0000%d.jsonl.gz" % (n, n + 1))).write_bytes(gzip.compress(text))
    (folder / "index.json").write_text(json.dumps({"kind": "RecordingIndex", "apiVersion": "kubectl-status/v1", "segments": []}))
    (folder / "metrics").write_text("# EOF\n")
    packed = tar(tmp_path / "x.tgz", {"flight/" + p.name: p.read_bytes() for p in sorted(folder.iterdir())}, mode="w:gz")
    for path in (folder, packed):
        assert named(run.json("-f", path)) == ["Pod/both", "Pod/new"], path


def test_what_is_not_there(run, tmp_path):
    done = run("-f", tmp_path / "none.tgz")
    assert done.returncode == 1 and done.stderr == b'error: %s/none.tgz cannot be read: the path "%s/none.tgz" does not exist\n' % (os.fsencode(tmp_path), os.fsencode(tmp_path))


def test_hostile_names_write_nothing(run, tmp_path):
    bad = b"a: ["
    files = {"../../evil.yaml": bad, "/etc/evil.yaml": bad, "a\x1b[2J\n.yaml": bad, "\u202egnp.yaml": bad, "x" * 3000 + ".yaml": bad, "ok.json": json.dumps(pod("ok")).encode()}
    for path in (tar(tmp_path / "a.tar", files, fmt=tarfile.PAX_FORMAT), zipped(tmp_path / "a.zip", files)):
        before = sorted(os.listdir(tmp_path))
        done = run("-f", path)
        assert done.returncode == 0 and b"pod/ok" in done.stdout
        assert not any(c in done.stderr.decode() for c in "\x1b\u202e") and done.stderr.count(b"\n") == 2
        assert sorted(os.listdir(tmp_path)) == before and not os.path.exists("/etc/evil.yaml")


def test_links_and_devices_are_passed_over(run, tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as t:
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "/etc/passwd"), (tarfile.CHRTYPE, ""), (tarfile.FIFOTYPE, "")):
            info = tarfile.TarInfo("link-%s.yaml" % kind.decode())
            info.type, info.linkname = kind, target
            t.addfile(info)
        info = tarfile.TarInfo("pod.json")
        info.size = len(json.dumps(pod("a")))
        t.addfile(info, io.BytesIO(json.dumps(pod("a")).encode()))
    doc = run.json("-f", path)
    assert named(doc) == ["Pod/a"] and doc["notices"] == []


def test_a_bomb_ends(run, tmp_path):
    """A file of 257 MB of zeros in 250 kB: it is left out, and named; what is beside it is read."""
    zeros = b"\0" * (257 << 20)
    path = zipped(tmp_path / "bomb.zip", {"zeros.yaml": zeros, "pod.json": json.dumps(pod("a")).encode()})
    wall, peak = wall_and_peak([PROGRAM, "-f", str(path), "-o", "name"], run.env)
    assert peak < 60
    doc = run.json("-f", path)
    assert named(doc) == ["Pod/a"] and "zeros.yaml: more than 256 MiB" in json.dumps(doc["notices"])


def test_what_would_be_passed_over_for_hours_ends_at_once(run, tmp_path):
    """A file that is larger than all files together may be."""
    info = tarfile.TarInfo("zeros.yaml")
    info.size = 17 << 30
    (tmp_path / "bomb.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"\0" * (1 << 20))
    done = run("-f", tmp_path / "bomb.tar")
    assert done.returncode == 1 and done.stderr.endswith(b"bomb.tar cannot be read: the archive holds more than 16384 MiB\n")


def test_100_mb_take_little_memory(run, tmp_path):
    rng = os.urandom(1 << 20).hex().encode()
    files = {"must-gather/namespaces/n%d/pods/log-%d.log" % (i % 50, i): rng for i in range(50)}
    for i in range(300):
        files["must-gather/namespaces/n%d/core/pods-%d.yaml" % (i % 50, i)] = yaml.safe_dump({"apiVersion": "v1", "kind": "PodList", "items": [
            {**pod("p-%d-%d" % (i, k), ns="n%d" % (i % 50)), "spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "V%d" % e, "value": "x" * 20} for e in range(20)]}]}}
            for k in range(5)]}).encode()
    path = tar(tmp_path / "a.tgz", files, mode="w:gz")
    wall, peak = wall_and_peak([PROGRAM, "-f", str(path), "-A", "--problems"], run.env)
    assert "asan" in PROGRAM or peak < 60, "%.0f MB" % peak


# ---- what is old ------------------------------------------------------------------


def test_the_time_of_old_files_is_now(run, tmp_path):
    """Also of plain files and folders; what tells a time to come does not count."""
    certificate = {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "c", "namespace": "shop", "uid": "c", "resourceVersion": "1"},
                   "status": {"notAfter": "2023-01-01T00:00:00Z", "renewalTime": "2022-12-01T00:00:00Z"}}
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, item in (("a", pod("till", "2022-03-01T09:30:00Z")), ("c", certificate)):
        (folder / (name + ".json")).write_text(json.dumps(item))
    for path in (folder, folder / "a.json", tar(tmp_path / "a.tar", {"a.json": json.dumps(pod("till", "2022-03-01T09:30:00Z")).encode(), "c.json": json.dumps(certificate).encode()})):
        done = run("-f", path, "-o", "json")
        assert json.loads(done.stdout)["asOf"] == "2022-03-01T09:30:00Z"
        assert done.stderr.startswith(b"the files are of 2022-03-01T09:30:00Z, ") and done.stderr.count(b"\n") == 1
        done = run("-f", path, "-o", "json", "--as-of", "2022-03-01T12:00:00Z")
        assert json.loads(done.stdout)["asOf"] == "2022-03-01T12:00:00Z" and not done.stderr


def test_what_was_never_in_a_cluster_has_no_time(run, tmp_path):
    manifest = pod("till")
    del manifest["metadata"]["uid"]
    (tmp_path / "a.json").write_text(json.dumps(manifest))
    done = run("-f", tmp_path / "a.json", "-o", "json")
    assert json.loads(done.stdout)["asOf"] > "2026" and b"the files are of" not in done.stderr


def test_what_is_new_is_read_as_of_now(run, tmp_path):
    import datetime
    time = (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=50)).strftime("%Y-%m-%dT%H:%M:%SZ")
    (tmp_path / "a.json").write_text(json.dumps(pod("till", time)))
    done = run("-f", tmp_path / "a.json", "-o", "json")
    assert json.loads(done.stdout)["asOf"] > time and not done.stderr


def test_the_dashboard_says_so(run, tmp_path):
    path = tar(tmp_path / "a.tgz", mode="w:gz")
    with Terminal([PROGRAM, "-f", str(path), "pod/till"], run.env, 30, 120) as term:
        term.wait(lambda text: "files as of 2022-03-01T09:30:00Z" in text and "pod/till" in text)
        term.keys("\r")
        term.open_tab("YAML")
        term.wait("reason: Evicted")
