# SPDX-License-Identifier: Apache-2.0
"""What is published: one static file that needs nothing of the system it runs on."""
import datetime
import fcntl
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile

import pytest
import yaml

from optional import needs

TOP = pathlib.Path(__file__).resolve().parents[2]
STATIC = TOP / "packaging/static.sh"
VERSION = re.search(r"^VERSION := (.*)", (TOP / "Makefile").read_text(), re.M)[1]
GIVEN = os.environ.get("KUBECTL_STATUS_DIST")  # what make release-check built
HOMEPAGE = (subprocess.run([TOP / "packaging/homepage.sh"], check=True, capture_output=True, text=True).stdout.strip() if GIVEN
            else "https://forge.test/team/kubectl-status")

pytestmark = [
    pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitized build is not published"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the program for amd64 is run"),
    pytest.mark.skipif(not GIVEN and subprocess.run([STATIC, "--ready", "amd64"], check=False).returncode != 0,
                       reason="the static libraries are not built yet: make dist ARCHS=amd64"),
]


def make_dist(folder):
    """Makes the archives into a folder, which is there already when another process of these tests has made them."""
    with open(TOP / "build/dist.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            subprocess.run(["make", "-s", "dist", "ARCHS=amd64"], cwd=TOP, env={**os.environ, "HOMEPAGE": HOMEPAGE}, check=True,
                           capture_output=True, timeout=1800)
            shutil.copytree(TOP / "dist", folder)
    return folder


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    """Of all processes of a run, whose own folders are below one folder."""
    own = tmp_path_factory.getbasetemp()
    return pathlib.Path(GIVEN) if GIVEN else make_dist((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "dist")


def pinned():
    """Name and version of each library, as packaging/sources.txt has them."""
    listed = subprocess.run([TOP / "packaging/sources.sh", "list"], check=True, capture_output=True, text=True).stdout
    return dict(line.split()[:2] for line in listed.splitlines())


@pytest.fixture
def root(dist, tmp_path):
    """A system with nothing in it but what was unpacked."""
    with tarfile.open(dist / "kubectl-status_linux_amd64.tar.gz") as tar:
        assert {m.type for m in tar} == {tarfile.REGTYPE}, "krew takes nothing else"
        tar.extractall(tmp_path)
    return tmp_path


def test_manifest_fits_the_archives(dist):
    spec = yaml.safe_load((dist / "kubectl-status.yaml").read_text())["spec"]
    assert spec["version"] == "v" + VERSION and ("linux", "amd64") in {tuple(p["selector"]["matchLabels"].values()) for p in spec["platforms"]}
    for one in spec["platforms"]:
        labels = one["selector"]["matchLabels"]
        archive = dist / one["uri"].rsplit("/", 1)[1]
        assert archive.name == "kubectl-status_%(os)s_%(arch)s.tar.gz" % labels
        assert one["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
        assert f"{one['sha256']}  {archive.name}" in (dist / "SHA256SUMS").read_text()
        with tarfile.open(archive) as tar:
            there = {m.name: m for m in tar}
        assert {f["from"] for f in one["files"]} == set(there) and there[one["bin"]].mode == 0o755
        assert {(m.uid, m.gid, m.uname, m.gname) for m in there.values()} == {(0, 0, "", "")}


MANIFESTS = ["kubectl-status.yaml", "kubectl-status.rb", "package.nix", "PKGBUILD"]


@pytest.mark.parametrize("name", MANIFESTS)
def test_addresses_are_those_of_the_releasing_repository(dist, name):
    text = (dist / name).read_text()
    addresses = re.findall(r"https?://[^\s\"';]+", text)
    assert HOMEPAGE in addresses and all(a == HOMEPAGE or a.startswith(HOMEPAGE + "/releases/download/v") for a in addresses), addresses
    assert "0" * 64 not in text


@pytest.mark.parametrize("name", MANIFESTS[1:])
def test_recipes_build_the_sources_of_the_release(dist, name):
    sources = dist / ("kubectl-status-%s.tar.gz" % VERSION)
    text = (dist / name).read_text()
    assert hashlib.sha256(sources.read_bytes()).hexdigest() in text
    expanded = text.replace("$pkgname", "kubectl-status").replace("$pkgver", VERSION).replace("$url", HOMEPAGE)
    assert "%s/releases/download/v%s/%s" % (HOMEPAGE, VERSION, sources.name) in expanded
    with tarfile.open(sources) as tar:
        names = tar.getnames()
        commit = tar.extractfile("kubectl-status-%s/packaging/commit.txt" % VERSION).read().split()
    assert "kubectl-status-%s/Makefile" % VERSION in names and re.fullmatch(rb"[0-9a-f]{40}", commit[0])


@needs("nix-instantiate")
def test_the_released_nix_expression_can_be_read(dist, tmp_path):
    done = subprocess.run(["nix-instantiate", "--parse", dist / "package.nix"], env={**os.environ, "NIX_STATE_DIR": str(tmp_path)},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "fetchurl" in done.stdout, done.stderr


def test_every_library_is_named_with_its_terms(dist, root):
    sbom = json.loads((dist / "kubectl-status_linux_amd64.spdx.json").read_text())
    libraries = {p["name"]: p for p in sbom["packages"] if p["name"] != "kubectl-status"}
    assert {name: p["versionInfo"] for name, p in libraries.items()} == pinned()
    sums = (TOP / "packaging/sources.sha256").read_text().splitlines()
    for name, package in libraries.items():
        [sum_] = package["checksums"]
        assert f"{sum_['checksumValue']}  {package['packageFileName']}" in sums, name
    linked = {r["relatedSpdxElement"] for r in sbom["relationships"] if r["relationshipType"] == "STATIC_LINK"}
    assert linked == {f"SPDXRef-{n}" for n in libraries}
    terms = (root / "LICENSE").read_text()
    for name in libraries:
        assert len(terms.split(f"======== {name} ========")[1].split("========")[0]) > 300, name
    digest = hashlib.sha256((root / "kubectl-status").read_bytes()).hexdigest()
    [program] = [p for p in sbom["packages"] if p["name"] == "kubectl-status"]
    assert program["checksums"][0]["checksumValue"] == digest
    assert "gcc" in sbom["creationInfo"]["comment"], "with which compiler it was built"


def test_the_program_contains_what_is_pinned(root):
    """What OpenSSL says of itself; no date but that of the pins, and no folder of this machine."""
    program = (root / "kubectl-status").read_bytes()
    assert b"OpenSSL %s " % re.match(r"[\d.]*\d", pinned()["openssl"])[0].encode() in program
    date = subprocess.run([TOP / "packaging/sources.sh", "value", "date"], check=True, capture_output=True, text=True).stdout
    built = datetime.datetime.fromisoformat(date.strip())
    assert re.findall(rb"built on: ([^\0]*)", program) == [built.strftime("%a %b %e 00:00:00 %Y UTC").encode()]
    assert b"/root/" not in program and b"/home/" not in program and str(TOP).encode() not in program


ABSENT = {  # where SECURITY.md says "not present": a function without which what it speaks of cannot happen
    "Digest": "Curl_output_digest", "netrc": "Curl_parsenetrc", "cookies": "Curl_cookie_add", "Negotiate": "Curl_output_negotiate",
    "WebSocket": "curl_ws_send", "SSH": "Curl_ssh_connect", "CMS": "CMS_decrypt", "OCSP": "OCSP_basic_verify", "QUIC": "ossl_quic_new",
    "CMP": "OSSL_CMP_CTX_new", "TS": "TS_RESP_verify_response", "SLH-DSA": "ossl_slh_dsa_sign", "ML-DSA": "ossl_ml_dsa_sign",
    "terminal descriptions in source form": "_nc_parse_entry", "crc32_combine64": "crc32_combine64", "RAR": "archive_read_support_format_rar5", "cJSON_Utils": "cJSONUtils_ApplyPatches",
}


@needs("nm")
def test_what_is_called_not_present_is_not(dist):
    unstripped = (dist.parent if GIVEN else TOP) / "build/static-amd64/kubectl-status"
    symbols = {line.split()[-1] for line in subprocess.run(["nm", unstripped], check=True, capture_output=True, text=True).stdout.splitlines()}
    assert {"SSL_connect", "inflate", "nghttp2_session_mem_recv2", "cJSON_PrintUnformatted", "yaml_parser_parse"} <= symbols, "nm sees the libraries"
    assert not {name: symbol for name, symbol in ABSENT.items() if symbol in symbols}


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("chroot", path="/usr/sbin:/usr/bin"), reason="chroot is root's")
def test_it_runs_where_nothing_is(root):
    shutil.copy(TOP / "demo/incident.jsonl.gz", root)
    chroot = [shutil.which("chroot", path="/usr/sbin:/usr/bin"), root, "/kubectl-status"]
    version = subprocess.run([*chroot, "--version"], env={}, check=True, capture_output=True, text=True).stdout
    assert version.startswith("kubectl-status v")
    shown = subprocess.run([*chroot, "--replay", "/incident.jsonl.gz", "-A", "-o", "table"], env={}, check=True,
                           capture_output=True, text=True).stdout
    assert "network/net" in shown and "Failed" in shown


@needs("lintian")
def test_lintian_accepts_the_deb(dist):
    [deb] = dist.glob("*_amd64.deb")
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", deb], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_deb_has_what_make_install_installs(dist, tmp_path):
    [deb] = dist.glob("*_amd64.deb")
    subprocess.run(["dpkg-deb", "-x", deb, tmp_path], check=True)
    there = {p.name for p in tmp_path.glob("**/*")}
    assert {"kubectl-status", "kubectl_complete-status", "kubectl-status.1.gz", "_kubectl-status", "kubectl-status.fish",
            "rules.schema.json", "copyright"} <= there
    assert os.access(tmp_path / "usr/bin/kubectl-status", os.X_OK)
    about = subprocess.run(["dpkg-deb", "-f", deb], check=True, capture_output=True, text=True).stdout
    assert "\nHomepage: %s\n" % HOMEPAGE in about and "example" not in about


@pytest.mark.skipif(bool(GIVEN), reason="make release-check has built it twice")
def test_two_builds_are_the_same(dist, tmp_path):
    assert (make_dist(tmp_path / "again") / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()


@pytest.mark.skipif(subprocess.run([STATIC, "--ready", "darwin-arm64"], check=False).returncode != 0,
                    reason="the libraries for macOS are not built yet: make dist ARCHS=darwin-arm64")
def test_it_compiles_for_macos():
    """What Linux alone has belongs in kube/base/system.c."""
    done = subprocess.run([STATIC, "darwin-arm64"], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "error" in line)
