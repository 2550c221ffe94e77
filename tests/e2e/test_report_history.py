# SPDX-License-Identifier: Apache-2.0
"""--report with --history: the incident of a cluster with what a flight recorder saw of it."""
import os

import pytest

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY
from test_history import BAD, HOUR, ago, behind_a_service, folder, live_one, segment, widget, yesterday  # noqa: F401 (fixtures)
from test_report import page


def clock(seconds):
    return ago(seconds)[11:19]


# ---- a part of the history --------------------------------------------------------------


@pytest.mark.parametrize("name", ["folder", "ops/flight"])
def test_a_part_of_it(fake, run, folder, tmp_path, name):
    """--from and --to choose it, and --as-of its end; durations count back from now, and nothing is asked of the cluster."""
    yesterday(folder)
    live_one(fake)
    if name != "folder":
        behind_a_service(fake, folder)
    args = ["widgets", "--history", folder if name == "folder" else name]
    text = page(run, tmp_path / "a.html", *args, "--from", "25h30m", "--to", "23h")
    assert "widget/two: Failed" in text and "Since %s" % clock(25 * HOUR) in text and "healed at" in text and "after 1 h" in text
    assert "Broken: disk is full" in text and "Ready → ✖ Failed" in text and "widget/one" not in text
    assert "The history in %s of c" % (os.path.basename(folder) if name == "folder" else name) in text
    text = page(run, tmp_path / "a.md", *args, "--from", "1h")
    assert "Goes on, since %s" % clock(1800) in text and "spec" in text and "widget/two" not in text
    text = page(run, tmp_path / "a.md", *args, "--to", "2h30m")
    assert "`widget/two`" in text and "healed at" in text and "gone" in text
    text = page(run, tmp_path / "a.md", *args, "--as-of", "25m")
    assert "Goes on, since %s" % clock(1800) in text and "for 5 min" in text and "+ {" not in text
    assert not [r for r in fake.requests if r.path.endswith("/widgets")]


def test_a_gap_up_to_now(fake, run, folder, tmp_path):
    """The recorder has ended; what has happened since nobody knows."""
    segment(folder, 1, HOUR, [widget("one", **READY)], [(2400, "MODIFIED", widget("one", **BAD))], 1200)
    text = page(run, tmp_path / "a.md", "widgets", "--history", folder, "--from", "1h", "--to", "0s")
    assert "nothing was recorded from %s" % clock(1200) in text
    done = run("widgets", "--history", folder, "--from", "10m", "--report", tmp_path / "b.md")
    assert done.returncode == 1 and b"not in the recording" in done.stderr and not (tmp_path / "b.md").exists()
    done = run("widgets", "--history", folder, "--from", "10m", "--to", "20m", "--report", tmp_path / "b.md")
    assert done.returncode in (1, 2) and not (tmp_path / "b.md").exists()
