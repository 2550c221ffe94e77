# SPDX-License-Identifier: Apache-2.0
"""What is published: one static file that needs nothing of the system it runs on."""
import fcntl
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tarfile

import pytest
import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
STATIC = TOP / "packaging/static.sh"

pytestmark = [
    pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitized build is not published"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the program for amd64 is run"),
    pytest.mark.skipif(subprocess.run([STATIC, "--ready", "amd64"], check=False).returncode != 0,
                       reason="the static libraries are not built yet: make dist ARCHS=amd64"),
]


def make_dist(folder):
    """Makes the archives, one after the other where tests run beside each other, and copies them."""
    with open(TOP / "build/dist.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "dist", "ARCHS=amd64"], cwd=TOP, check=True, capture_output=True, timeout=300)
        shutil.copytree(TOP / "dist", folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    return make_dist(tmp_path_factory.mktemp("dist"))


@pytest.fixture
def root(dist, tmp_path):
    """A system with nothing in it but what was unpacked."""
    with tarfile.open(dist / "kubectl-status_linux_amd64.tar.gz") as tar:
        assert {m.type for m in tar} == {tarfile.REGTYPE}, "krew takes nothing else"
        tar.extractall(tmp_path)
    return tmp_path


def test_manifest_fits_the_archive(dist, root):
    spec = yaml.safe_load((dist / "kubectl-status.yaml").read_text())["spec"]
    [only] = spec["platforms"]
    archive = dist / only["uri"].rsplit("/", 1)[1]
    assert only["selector"]["matchLabels"] == {"os": "linux", "arch": "amd64"}
    assert only["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert f"{only['sha256']}  {archive.name}" in (dist / "SHA256SUMS").read_text()
    assert {f["from"] for f in only["files"]} == {p.name for p in root.iterdir()}
    assert os.access(root / only["bin"], os.X_OK)


def test_every_library_is_named_with_its_terms(dist, root):
    sbom = json.loads((dist / "kubectl-status_linux_amd64.spdx.json").read_text())
    names = {p["name"] for p in sbom["packages"]} - {"kubectl-status"}
    assert names == {"musl", "zlib", "openssl", "nghttp2", "curl", "ncurses", "cjson", "libyaml", "uthash"}
    linked = {r["relatedSpdxElement"] for r in sbom["relationships"] if r["relationshipType"] == "STATIC_LINK"}
    assert linked == {f"SPDXRef-{n}" for n in names}
    terms = (root / "LICENSE").read_text()
    for name in names:
        assert len(terms.split(f"======== {name} ========")[1].split("========")[0]) > 300, name
    digest = hashlib.sha256((root / "kubectl-status").read_bytes()).hexdigest()
    [program] = [p for p in sbom["packages"] if p["name"] == "kubectl-status"]
    assert program["checksums"][0]["checksumValue"] == digest


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("chroot", path="/usr/sbin:/usr/bin"), reason="chroot is root's")
def test_it_runs_where_nothing_is(root):
    shutil.copy(TOP / "demo/incident.jsonl.gz", root)
    chroot = [shutil.which("chroot", path="/usr/sbin:/usr/bin"), root, "/kubectl-status"]
    version = subprocess.run([*chroot, "--version"], env={}, check=True, capture_output=True, text=True).stdout
    assert version.startswith("kubectl-status v")
    shown = subprocess.run([*chroot, "--replay", "/incident.jsonl.gz", "-A", "-o", "table"], env={}, check=True,
                           capture_output=True, text=True).stdout
    assert "network/net" in shown and "Failed" in shown


@pytest.mark.skipif(not shutil.which("lintian"), reason="lintian is not installed")
def test_lintian_accepts_the_deb(dist):
    [deb] = dist.glob("*.deb")
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", deb], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_deb_has_what_make_install_installs(dist, tmp_path):
    [deb] = dist.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", deb, tmp_path], check=True)
    there = {p.name for p in tmp_path.glob("**/*")}
    assert {"kubectl-status", "kubectl_complete-status", "kubectl-status.1.gz", "_kubectl-status", "kubectl-status.fish",
            "rules.schema.json", "copyright"} <= there
    assert os.access(tmp_path / "usr/bin/kubectl-status", os.X_OK)


def test_two_builds_are_the_same(dist, tmp_path):
    assert (make_dist(tmp_path / "again") / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()


@pytest.mark.skipif(subprocess.run([STATIC, "--ready", "darwin-arm64"], check=False).returncode != 0,
                    reason="the libraries for macOS are not built yet: make dist ARCHS=darwin-arm64")
def test_it_compiles_for_macos():
    """What Linux alone has belongs in kube/base/system.c."""
    done = subprocess.run([STATIC, "darwin-arm64"], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "error" in line)
