# SPDX-License-Identifier: Apache-2.0
"""What is not the archives: recipes, workflows, scripts, the manual. Each is held against its own linter where there is one."""
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest
import yaml

from optional import needs

TOP = pathlib.Path(__file__).resolve().parents[2]
RECIPES = TOP / "packaging/recipes"
VERSION = re.search(r"^VERSION := (.*)", (TOP / "Makefile").read_text(), re.M)[1]
WORKFLOWS = sorted(TOP.glob(".github/workflows/*.yaml"))


def lint(*command, **kw):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120, check=False, **kw)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs("ruby")
def test_homebrew():
    assert "Syntax OK" in lint("ruby", "-wc", RECIPES / "kubectl-status.rb")


@needs("nix-instantiate")
def test_nix(tmp_path):
    lint("nix-instantiate", "--parse", RECIPES / "package.nix", env={**os.environ, "NIX_STATE_DIR": str(tmp_path)})


@needs("makepkg")
@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="makepkg does not run as root")
def test_arch(tmp_path):
    shutil.copy(RECIPES / "PKGBUILD", tmp_path)
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.owner() == tmp_path.owner() and folder.is_relative_to(tempfile.gettempdir()) and str(folder) != tempfile.gettempdir():
            folder.chmod(0o755)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    said = lint(*as_nobody, "makepkg", "--printsrcinfo", cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path), "PACMAN": "true"})
    assert "\tpkgver = %s\n" % VERSION in said


@pytest.mark.parametrize("recipe", ["kubectl-status.rb", "package.nix", "PKGBUILD"])
def test_recipes_are_of_this_version(recipe):
    text = (RECIPES / recipe).read_text()
    assert VERSION in text and set(re.findall(r"\bv?(\d+\.\d+\.\d+)\b", text)) == {VERSION}


LIBRARIES = {"libcurl": "curl", "libcrypto": "openssl", "ncursesw": "ncurses", "libcjson": "cjson", "yaml-0.1": "libyaml", "zlib": "zlib", "libarchive": "libarchive"}


@pytest.mark.parametrize("recipe", ["kubectl-status.rb", "package.nix", "PKGBUILD"])
def test_recipes_name_every_library(recipe):
    wanted = re.search(r"^PKGS := (.*)", (TOP / "Makefile").read_text(), re.M)[1].split()
    text = (RECIPES / recipe).read_text()
    for library in wanted:
        assert re.search(r"\b%s\b" % LIBRARIES[library], text), library


def test_krew_manifest():
    """krew's rules (internal/index/validation/validate.go), for the manifest in the tree; test_krew.py tries it with krew itself."""
    manifest = yaml.safe_load((TOP / "kubectl-status.yaml").read_text())
    spec = manifest["spec"]
    assert manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2" and manifest["kind"] == "Plugin"
    assert re.fullmatch(r"[\w-]+", manifest["metadata"]["name"])
    assert spec["version"] == "v" + VERSION
    assert spec["shortDescription"] and "\n" not in spec["shortDescription"]
    seen = set()
    for platform in spec["platforms"]:
        labels = platform["selector"]["matchLabels"]
        assert set(labels) == {"os", "arch"} and tuple(labels.values()) not in seen
        seen.add(tuple(labels.values()))
        assert re.fullmatch(r"[a-f0-9]{64}", platform["sha256"])
        assert platform["uri"].endswith("/releases/download/v%s/kubectl-status_%s_%s.tar.gz" % (VERSION, labels["os"], labels["arch"]))
        for move in platform["files"]:
            assert move["from"] and os.path.normpath(move["to"]) == move["to"]
        assert "LICENSE" in [move["from"] for move in platform["files"]]
    assert seen == {("linux", "amd64"), ("linux", "arm64"), ("darwin", "amd64"), ("darwin", "arm64")}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda p: p.name)
def test_workflows(workflow):
    built = subprocess.run([TOP / "tests/tools/build.sh", "actionlint"], capture_output=True, text=True, timeout=600, check=False)
    if built.returncode == 2:
        pytest.skip("no Go on this machine: actionlint cannot be built")
    assert built.returncode == 0, built.stderr
    lint(built.stdout.strip(), workflow)


def jobs():
    for workflow in WORKFLOWS:
        for name, job in yaml.safe_load(workflow.read_text())["jobs"].items():
            yield workflow.stem + "/" + name, job


def test_actions_are_pinned_by_the_hash_of_their_commit():
    for where, job in jobs():
        for step in [job, *job.get("steps", [])]:
            used = step.get("uses", "./")
            assert used.startswith("./") or re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", used), (where, used)


def test_a_release_waits_for_every_test():
    release = dict(jobs())
    assert release["release/test"]["uses"] == "./.github/workflows/ci.yaml"
    assert set(release["release/publish"]["needs"]) == {"test", "archives", "mac"}
    writing = [where for where, job in release.items() if "write" in str(job.get("permissions", ""))]
    assert writing == ["release/publish"], "only the job that publishes may write"


def test_workflows_call_targets_that_exist():
    targets = set(re.findall(r"^([a-z_.-]+):(?!=)", (TOP / "Makefile").read_text(), re.M))
    called = set()
    for _, job in jobs():
        for step in job.get("steps", []):
            for words in re.findall(r"^\s*make\b(.*)$", re.sub(r"\$\{\{.*?\}\}", "", step.get("run", "")), re.M):
                words = re.sub(r"\w+=(\"[^\"]*\"|\S*)", "", words)  # variables
                called |= {w for w in words.split() if re.fullmatch(r"[a-z_.][a-z_.-]*", w)}
    assert called and called <= targets, called - targets


def test_demo_without_a_terminal():
    """It prints, and says where the dashboard is and what comes next."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}  # not the flags of who runs the tests
    subprocess.run(["make", "-s", "kubectl-status"], cwd=TOP, env=env, capture_output=True, timeout=600, check=True)
    done = subprocess.run(["make", "-s", "demo"], cwd=TOP, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.startswith("This is no terminal: run make demo in one") and "network/net in edge  Failed" in done.stdout
    assert "Next: ./kubectl-status shows your own cluster" in done.stdout


# A compiler that makes empty files: what make does with files, without the time that compiling takes.
COMPILER = """#!/bin/sh
while [ $# -gt 0 ]; do
	[ "$1" != -o ] || case $2 in /dev/*) ;; *) echo >"$2" ;; esac
	shift
done
"""


@pytest.fixture
def sources():
    """The sources in a folder that every user can reach, and that compiler."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        for part in ("kube", "tui", "plugin", "packaging"):
            shutil.copytree(TOP / part, folder / part)
        (folder / "docs").mkdir()
        for part in ("Makefile", "packages.sh", "docs/rules.schema.json"):
            shutil.copy(TOP / part, folder / part)
        (folder / "compiler").write_text(COMPILER)
        (folder / "compiler").chmod(0o755)
        yield folder


def make(folder, *args):
    # nor what a make above has on its command line, as for the sanitizers
    above = ("MFLAGS", "B", "CC", "OPT", "HARDEN", "CFLAGS", "FUZZER")
    env = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k not in above}
    return subprocess.run(["make", "-s", "-C", folder, "AR=true", *args], env=env, capture_output=True, text=True, timeout=300, check=False)


def test_make_without_tools_names_make_deps(sources):
    done = make(sources, "CC=no-such-compiler")
    told = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode == 2 and len(told) == 1 and told[0].startswith("missing to build: no-such-compiler ") and "make deps" in told[0]
    assert make(sources, "CC=./compiler -g", "kubectl-status").returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can install for others")
def test_root_leaves_no_file_in_the_folder_of_another(sources):
    for path in [sources, *sources.rglob("*")]:
        os.chown(path, 65534, 65534)
    with tempfile.TemporaryDirectory() as target:
        for _ in range(2):
            done = make(sources, "CC=./compiler", "install", "DESTDIR=" + target)
            assert done.returncode == 0, done.stderr
            assert "run as user 65534, who owns this folder" in done.stderr
            assert (pathlib.Path(target) / "usr/local/bin/kubectl-status").exists()
            assert (sources / "build/kubectl-status").exists()
            assert not [path for path in [sources, *sources.rglob("*")] if path.lstat().st_uid != 65534]
            (sources / "plugin/help/help.c").touch()


def test_what_is_installed_is_announced(tmp_path):
    """Before it begins: what, and how much of the disk it takes."""
    for name, text in (("apt-get", 'echo "apt-get $*" >>%s/log\ncase $* in *--assume-no*) echo "Need to get 1,234 kB/56.1 MB of archives."\n'
                        'echo "After this operation, 223 MB of additional disk space will be used." ;; esac' % tmp_path),
                       ("apt-cache", "echo x"), ("sudo", 'exec "$@"')):
        (tmp_path / name).write_text("#!/bin/sh\n" + text + "\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([TOP / "packages.sh", "build"], env={**os.environ, "PATH": "%s:%s" % (tmp_path, os.environ["PATH"]), "CC": "no-such-compiler"},
                          capture_output=True, text=True, timeout=60, check=False)
    lines = done.stderr.splitlines()
    assert lines[0].startswith("installing what is missing: no-such-compiler")
    assert "(56.1 MB to download, 223 MB on the disk)" in lines[1] and "apt-get install -y --no-install-recommends gcc " in lines[1]
    assert (tmp_path / "log").read_text().splitlines()[-1].startswith("apt-get install -y ")


@needs("shellcheck")
def test_shell_scripts():
    scripts = [TOP / f for f in lint("git", "ls-files", "*.sh", cwd=TOP).split()]
    lint("shellcheck", *scripts)


@needs("mandoc")
def test_manual():
    """No warning of mandoc's but those that are about taste."""
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", TOP / "plugin/help/kubectl-status.1"], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0 and not done.stdout, done.stdout


@needs("dpkg-deb")
def test_sources_without_git(tmp_path):
    """As packagers have them; in the checkout of something else, which is not asked."""
    bin_, top = tmp_path / "bin", tmp_path / "sources"
    bin_.mkdir()
    (tmp_path / ".git").mkdir()
    (bin_ / "git").write_text("#!/bin/sh\necho 'git is asked' >&2\nexit 128\n")
    (bin_ / "git").chmod(0o755)
    for name in ("packaging", "plugin", "docs"):
        shutil.copytree(TOP / name, top / name)
    for name in ("Makefile", "LICENSE", "kubectl-status.yaml"):
        shutil.copy(TOP / name, top / name)
    (top / "packaging/commit.txt").write_text("$Format:%H %ct$\n")  # as it stands in the repository
    env = {k: v for k, v in os.environ.items() if k not in ("MAINTAINER", "SOURCE_DATE_EPOCH")}
    env["PATH"] = "%s:%s" % (bin_, env["PATH"])
    released = re.search(r"^RELEASED := (\S+)$", (TOP / "Makefile").read_text(), re.M).group(1)

    def ask(*command):
        done = subprocess.run(command, cwd=top, env=env, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0 and "git" not in done.stderr, done.stderr
        return done.stdout
    assert ask("packaging/commit.sh") == "\n", "the checkout that it is in is of something else"
    assert ask("packaging/epoch.sh") == "%d\n" % datetime.datetime.fromisoformat(released + "T00:00:00+00:00").timestamp()
    (top / "dist").mkdir()
    ask("packaging/deb.sh", "1.2.3", "amd64", "LICENSE", "LICENSE")
    about = ask("dpkg-deb", "-f", "dist/kubectl-status_1.2.3_amd64.deb")
    assert "Maintainer: The authors of kubectl-status <" in about and "Version: 1.2.3\n" in about
    (top / "packaging/commit.txt").write_text("0123456789" * 4 + " 1700000000\n")  # as git's archive has it
    assert ask("packaging/commit.sh") == "012345678901\n" and ask("packaging/epoch.sh") == "1700000000\n"


@pytest.mark.parametrize("remote, homepage", [
    ("https://forge.test/team/tool.git", "https://forge.test/team/tool"),
    ("https://me:word@forge.test/team/tool", "https://forge.test/team/tool"),
    ("git@forge.test:team/tool.git", "https://forge.test/team/tool"),
    ("ssh://git@forge.test:2222/team/tool.git", "https://forge.test/team/tool"),
    ("/srv/git/tool.git", "https://repository.invalid/kubectl-status"),
    (None, "https://repository.invalid/kubectl-status"),
])
def test_addresses_come_from_the_repository(tmp_path, remote, homepage):
    (tmp_path / "packaging").mkdir()
    script = shutil.copy(TOP / "packaging/homepage.sh", tmp_path / "packaging")
    env = {k: v for k, v in os.environ.items() if k not in ("HOMEPAGE", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL") and not k.startswith("GIT_")}
    subprocess.run(["git", "init", "-q", tmp_path], env=env, check=True)
    if remote:
        subprocess.run(["git", "remote", "add", "origin", remote], cwd=tmp_path, env=env, check=True)
    assert lint(script, env=env) == homepage + "\n"
    assert lint(script, env={**env, "GITHUB_REPOSITORY": "a/b"}) == "https://github.com/a/b\n"
    assert lint(script, env={**env, "GITHUB_REPOSITORY": "a/b", "HOMEPAGE": "https://own.test/x/"}) == "https://own.test/x\n"


def test_notes_are_the_section_of_the_version(tmp_path):
    (tmp_path / "packaging").mkdir()
    script = shutil.copy(TOP / "packaging/notes.sh", tmp_path / "packaging")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n* new\n\n## 1.2.0\n\nWords.\n\n* a\n  b\n\n\n## 1.2\n\n* old\n## 1.1\n")
    assert lint(script, "1.2.0") == "Words.\n\n* a\n  b\n"
    assert lint(script, "1.2") == "* old\n"
    for version in ("1.1", "9.9"):
        done = subprocess.run([script, version], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1 and done.stdout == "" and 'says nothing below "## %s"' % version in done.stderr


@pytest.fixture
def pinned(tmp_path):
    """packaging/sources.sh with pins of two files, and a folder that has them."""
    for name in ("packaging", "kept"):
        (tmp_path / name).mkdir()
    for name in ("sources.sh", "homepage.sh"):
        shutil.copy(TOP / "packaging" / name, tmp_path / "packaging")
    (tmp_path / "packaging/sources.txt").write_text("suite trixie\ndate 2026-01-02\nsmall  1.0-1  MIT  https://small.test\n")
    tree = tmp_path / "small-1.0"
    tree.mkdir()
    (tree / "small.h").write_text("/* small */\n")
    subprocess.run(["tar", "-czf", tmp_path / "kept/small_1.0.orig.tar.gz", "-C", tmp_path, tree.name], check=True)
    (tmp_path / "kept/small_1.0.orig.tar.gz.asc").write_text("signature\n")
    sums = lint("sha256sum", "small_1.0.orig.tar.gz", "small_1.0.orig.tar.gz.asc", cwd=tmp_path / "kept")
    (tmp_path / "packaging/sources.sha256").write_text(sums)
    return tmp_path


def test_sources_of_a_release_come_from_its_archive(pinned):
    script, env = pinned / "packaging/sources.sh", {**os.environ, "SOURCES": str(pinned / "kept")}
    lint(script, "fetch", pinned / "first", env=env)
    lint(script, "archive", pinned / "first", pinned / "a.tar")
    shutil.rmtree(pinned / "kept")
    lint(script, "fetch", pinned / "second", env={**os.environ, "SOURCES": str(pinned / "a.tar")})
    os.utime(pinned / "second/small_1.0.orig.tar.gz", (1, 1))
    lint(script, "archive", pinned / "second", pinned / "b.tar")
    assert (pinned / "a.tar").read_bytes() == (pinned / "b.tar").read_bytes()
    lint(script, "unpack", pinned / "second", cwd=pinned)
    assert (pinned / "small/small.h").read_text() == "/* small */\n"


def test_altered_sources_are_refused(pinned):
    script, archive = pinned / "packaging/sources.sh", pinned / "kept/small_1.0.orig.tar.gz"
    archive.write_bytes(archive.read_bytes()[:-1] + b"x")
    done = subprocess.run([script, "fetch", pinned / "first"], env={**os.environ, "SOURCES": str(pinned / "kept")}, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 1 and "is not what packaging/sources.sha256 pins" in done.stderr and not (pinned / "first").exists()
    done = subprocess.run([script, "unpack", pinned / "kept"], cwd=pinned, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and not (pinned / "small").exists()
