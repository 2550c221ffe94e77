# SPDX-License-Identifier: Apache-2.0
"""The archives as krew installs them: the real krew, an index of our own, nothing but loopback."""
import functools
import http.server
import os
import pathlib
import shutil
import subprocess
import threading

import pytest
import yaml

from optional import needs
from test_dist import dist, pytestmark  # noqa: F401 (a fixture, and when there are no archives)

TOP = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def krew():
    done = subprocess.run([TOP / "tests/tools/build.sh", "krew"], check=False, capture_output=True, text=True, timeout=300)
    if done.returncode == 2:
        pytest.skip("krew cannot be built here: it needs Go and its modules")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def shop(dist, krew, tmp_path):
    """An index in git with our manifest, the archives behind HTTP, and a user's krew."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=dist))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Shop(dist, krew, tmp_path, "http://127.0.0.1:%d/" % server.server_port)
    server.shutdown()


class Shop:
    def __init__(self, dist, krew, folder, base):
        self.manifest = yaml.safe_load((dist / "kubectl-status.yaml").read_text())
        for platform in self.manifest["spec"]["platforms"]:
            platform["uri"] = base + platform["uri"].rsplit("/", 1)[1]
        self.program, self.index, self.root = krew, folder / "index", folder / "krew"
        self.env = {"HOME": str(folder), "PATH": "%s:%s" % (self.root / "bin", os.environ["PATH"]), "KREW_ROOT": str(self.root),
                    "KREW_DEFAULT_INDEX_URI": "file://%s" % self.index, "GIT_CONFIG_GLOBAL": os.devnull,
                    "XDG_DATA_HOME": str(folder / "share"), "NO_PROXY": "127.0.0.1"}
        (self.index / "plugins").mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=self.index, env=self.env, check=True)

    def publish(self, version, name="status"):
        self.manifest["metadata"]["name"] = name
        self.manifest["spec"]["version"] = version
        (self.index / "plugins" / (name + ".yaml")).write_text(yaml.safe_dump(self.manifest))
        self.git("add", ".")
        self.git("commit", "-q", "-m", version)

    def krew(self, *words, **env):
        done = subprocess.run([self.program, *words], env={**self.env, **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    def run(self, *words):
        return subprocess.run(words, env=self.env, check=True, capture_output=True, text=True, timeout=60).stdout


def test_install_upgrade_uninstall(shop):
    shop.publish("v0.1.0")
    code, said = shop.krew("install", "status")
    assert code == 0 and "Installed plugin: status" in said, said
    assert shop.run("kubectl-status", "--version").startswith("kubectl-status v")
    shop.run("kubectl-status", "completion", "install")
    shop.publish("v0.1.1")
    code, said = shop.krew("upgrade", "status")
    assert code == 0 and "Upgraded plugin: status" in said, said
    assert shop.krew("list")[1].split() == ["status"]
    assert [p.name for p in (shop.root / "store/status").iterdir()] == ["v0.1.1"], "the old version is gone"
    assert "--output" in shop.run("kubectl_complete-status", "--out"), "completion survives an upgrade"
    shop.run("kubectl-status", "completion", "uninstall")
    code, said = shop.krew("uninstall", "status")
    assert code == 0, said
    assert not list((shop.root / "bin").iterdir())


def test_an_index_of_ones_own(shop):
    """As docs/install.md and docs/releasing.md say: a repository with plugins/status.yaml, beside the public index."""
    shop.publish("v0.1.0")
    own, public = shop.index, shop.index.with_name("public")
    shutil.copytree(own, public)
    shop.env["KREW_DEFAULT_INDEX_URI"] = "file://%s" % public
    assert shop.krew("index", "add", "own", "file://%s" % own)[0] == 0
    code, said = shop.krew("install", "own/status")
    assert code == 0 and "Installed plugin: status" in said, said
    assert shop.run("kubectl-status", "--version").startswith("kubectl-status v")
    shop.publish("v0.1.1")
    code, said = shop.krew("upgrade", "status")
    assert code == 0 and "Upgraded plugin: own/status" in said, said
    assert [p.name for p in (shop.root / "store/status").iterdir()] == ["v0.1.1"]
    assert shop.krew("list")[1].split() == ["own/status"]
    assert shop.krew("uninstall", "status")[0] == 0
    assert not (shop.root / "bin/kubectl-status").exists() and not list((shop.root / "store").glob("status/*"))
    assert shop.krew("index", "remove", "own")[0] == 0


@needs("kubectl")
def test_kubectl_runs_it(shop):
    shop.publish("v0.1.0")
    assert shop.krew("install", "status")[0] == 0
    assert "kubectl status [" in shop.run("kubectl", "status", "--help")


def test_an_index_may_call_it_otherwise(shop):
    shop.publish("v0.1.0", name="blocked-by")
    code, said = shop.krew("install", "blocked-by")
    assert code == 0, said
    shown = shop.run("kubectl-blocked_by", "--help")
    assert "kubectl blocked-by [" in shown and "kubectl status" not in shown


@pytest.mark.parametrize("system, machine", [("windows", "amd64"), ("linux", "s390x")])
def test_other_platforms_are_refused(shop, system, machine):
    shop.publish("v0.1.0")
    code, said = shop.krew("install", "status", KREW_OS=system, KREW_ARCH=machine)
    assert code != 0 and "does not offer installation for this platform" in said


def test_every_platform_is_offered_once(shop):
    shop.publish("v0.1.0")
    for platform in shop.manifest["spec"]["platforms"]:
        labels = platform["selector"]["matchLabels"]
        root = shop.root.with_name("krew-%(os)s-%(arch)s" % labels)
        code, said = shop.krew("install", "status", KREW_OS=labels["os"], KREW_ARCH=labels["arch"], KREW_ROOT=str(root))
        assert code == 0 and "Installed plugin: status" in said, said
        assert os.access(root / "bin/kubectl-status", os.X_OK)
