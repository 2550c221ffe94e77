# SPDX-License-Identifier: Apache-2.0
"""What is published: it runs where none of its libraries is installed."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest
import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitized build is not published")
@pytest.mark.skipif(sys.platform != "linux", reason="libraries come along on Linux only")
def test_package_brings_its_libraries(tmp_path):
    subprocess.run(["make", "-s", "dist"], cwd=TOP, check=True, capture_output=True, timeout=120)
    [archive] = (TOP / "dist").glob("*.tar.gz")
    [platform] = yaml.safe_load((TOP / "dist/kubectl-status.yaml").read_text())["spec"]["platforms"]
    assert platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert platform["uri"].endswith("/" + archive.name)
    store, bin_dir = tmp_path / "store", tmp_path / "bin"
    with tarfile.open(archive) as tar:
        assert {m.type for m in tar} <= {tarfile.REGTYPE, tarfile.DIRTYPE}, "krew takes nothing else"
        tar.extractall(store)
    for wanted in platform["files"]:
        assert list(store.glob(wanted["from"])), wanted
    # as krew does it: a link to where it was unpacked
    bin_dir.mkdir()
    (bin_dir / "kubectl-status").symlink_to(store / platform["bin"])
    done = subprocess.run([bin_dir / "kubectl-status", "--version"], env={}, check=True, capture_output=True)
    assert done.stdout.startswith(b"kubectl-status v")
    loaded = subprocess.run([bin_dir / "kubectl-status"], env={"LD_TRACE_LOADED_OBJECTS": "1"}, check=True,
                            capture_output=True, text=True).stdout
    own = [line.split()[2] for line in loaded.splitlines() if "=>" in line and "libc.so" not in line and "libm.so" not in line
           and "libresolv.so" not in line]
    assert len(own) > 4 and all(path.startswith(str(store)) for path in own), own
