# SPDX-License-Identifier: Apache-2.0
"""--report with --history: the incident of a cluster with what a flight recorder saw of it."""
import os
import re

import pytest
import test_report

from client_world import *  # noqa: F401,F403 (fixtures)
from client_world import READY
from test_history import BAD, HOUR, ago, behind_a_service, folder, live_one, now, segment, widget, yesterday  # noqa: F401 (fixtures)


def clock(seconds):
    return ago(seconds)[11:19]


def page(*args):
    """The page without dates, which stand before times of another day than the end."""
    return re.sub(r"\d{4}-\d\d-\d\d (?=\d\d:)", "", test_report.page(*args))


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
    assert "It has lasted since %s" % clock(1800) in text and "spec" in text and "widget/two" not in text
    text = page(run, tmp_path / "a.md", *args, "--to", "2h30m")
    assert "`widget/two`" in text and "healed at" in text and "gone" in text
    text = page(run, tmp_path / "a.md", *args, "--as-of", "25m")
    assert re.search(r"It has lasted since %s, for \d+ min" % clock(1800), text) and "+ {" not in text
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


# ---- a cluster, with what was seen before -------------------------------------------------


def incident(folder):
    """
    In the last hour "two" failed and healed, and "one" failed shortly after its spec was changed; "two" was deleted, and the
    recorder ended a quarter of an hour ago.  It was restarted in between, so that there are two segments.
    """
    one, two = widget("one", **READY), widget("two", **READY)
    changed = widget("one", 2, spec={"a": 1}, **READY)
    segment(folder, 1, 2 * HOUR, [one, two], [(3000, "MODIFIED", widget("two", **BAD)), (2500, "MODIFIED", two)], 1900)
    segment(folder, 2, 1890, [one, two], [(1800, "MODIFIED", changed), (1790, "MODIFIED", widget("one", 2, spec={"a": 1}, **BAD)),
                                          (1500, "DELETED", two)], 900)


@pytest.mark.parametrize("name", ["folder", "ops/flight"])
def test_a_cluster_with_it(fake, run, folder, tmp_path, name):
    """What healed before, since when the others last, what was changed; and what is so now."""
    incident(folder)
    if name != "folder":
        behind_a_service(fake, folder)
    fake.put("widgets", "one", uid="uid-one", spec={"a": 1}, **BAD)
    args = ["widgets", "--history", folder if name == "folder" else name]
    text = page(run, tmp_path / "a.md", *args)
    assert text.startswith("# `widget/one` and 1 more root cause\n")
    assert re.search(r"It has lasted since %s, for \d+ min" % clock(1790), text) and "began at %s; 1 of 2 root causes healed" % clock(3000) in text
    assert "when: %s to %s (8 min 20 s), healed" % (clock(3000), clock(2500)) in text
    assert "* `widget/one` (`default`): Ready until %s, Failed %s to the end" % (clock(1790), clock(1790)) in text
    assert re.search(r"\* changed: `.*10s before  widget/one  spec set to {\"a\":1}`", text)
    assert "* %s `widget/two` `default` Ready → gone" % clock(1500) in text
    assert "* %s `widget/one` `default` changed `spec  + {\"a\":1}`" % clock(1800) in text
    assert "of the time before it from the history in `%s`" % (os.path.basename(folder) if name == "folder" else name) in text
    assert "nothing was recorded from %s to " % clock(900) in text
    assert "widget/one and 1 more root cause" in page(run, tmp_path / "a.html", *args)


@pytest.mark.parametrize("told", [True, False])
def test_what_healed_while_nobody_recorded(fake, run, folder, tmp_path, told):
    """When it healed is known where the object tells it."""
    incident(folder)
    ready = {"type": "Ready", "status": "True", **({"lastTransitionTime": ago(500)[:19] + "Z"} if told else {})}
    fake.put("widgets", "one", uid="uid-one", spec={"a": 1}, status={"conditions": [ready]})
    text = page(run, tmp_path / "a.md", "widgets", "--history", folder)
    assert "goes on" not in text and "when: %s to " % clock(1790) in text
    found = re.search(r"Since %s, healed at ([0-9:]+)" % clock(3000), text)
    if told:
        assert found.group(1) == clock(500)
        assert "* `widget/one` (`default`): Ready until %s, Failed %s to %s, Ready %s to the end" % (clock(1790), clock(1790), clock(500), clock(500)) in text
    else:
        assert found.group(1) not in (clock(500), clock(1790)), "by now"


def test_a_cluster_with_one_that_cannot_be_used(fake, run, folder, tmp_path):
    """It is told why, and the report is that of the cluster alone."""
    incident(folder)
    fake.put("widgets", "one", uid="another", created="2026-02-02T00:00:00Z", **BAD)
    text = page(run, tmp_path / "a.md", "widgets", "--history", folder)
    assert "is of another cluster" in text and "This was read once" in text and "widget/two" not in text
