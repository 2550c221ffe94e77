# SPDX-License-Identifier: Apache-2.0
"""What somebody who was paged reads first, on a recording of ten failures: the reason of each, in one order in all views."""
import gzip
import json
import pathlib
import re

import pytest

from program import Run

CAUSES = pathlib.Path(__file__).resolve().parents[1] / "recordings/causes.jsonl.gz"
MOMENT = "2026-11-22T18:30:54Z"
OPERATORS = sorted((pathlib.Path(__file__).resolve().parents[1] / "operators").glob("*/recording.jsonl.gz"))
# Of each failure a name, and what tells why it failed, as the row of the table says it.
FAILURES = [("vshnredis/cache", "exceeded quota"), ("network/net", "description is too long"), ("node  ", "node/rack-7 NodeStatusUnknown"),
            ("config  ", "CrashLoopBackOff: "), ("image  ", "CrashLoopBackOff: "), ("/other", "exceeded quota"),
            ("/db", "ImagePullBackOff: Back-off pulling image \"shop/db:2\""), ("webhook  ", "service/policy (missing)"),
            ("secret  ", "secret/db (missing)")]


def rows(screen):
    return [line for line in screen.text().split("\n") if re.match("[▸▾ ] [✖▲◷] ", line)]


@pytest.fixture
def screen(tmp_path):
    with Run(tmp_path).screen("--replay", CAUSES, "--as-of", MOMENT, rows=40, cols=120) as s:
        s.wait("/db")
        yield s


def test_each_row_says_why(screen):
    table = rows(screen)
    for name, reason in FAILURES:
        assert any(name in row and reason in row for row in table), (name, reason, screen.text())


def test_the_table_has_the_order_of_the_problems(screen):
    table = rows(screen)
    at = [next(i for i, row in enumerate(table) if name in row) for name in ("/rack-7", " config  ", "vshnredis/cache", " network/net",
                                                                             " stateful  ")]
    screen.keys("p")
    screen.wait("CAUSE")
    problems = rows(screen)
    there = [next(i for i, row in enumerate(problems) if name in row) for name in ("/rack-7", " · config ", "release/cache-x1",
                                                                                   " network/net", "/db · ")]
    assert at == sorted(at) and there == sorted(there), "\n".join(table + problems)


def test_what_blocks_others_does_not_look_well(screen):
    screen.keys("p")
    screen.wait("the controller is scaled to zero")
    assert not re.search("✔ deployment/o", screen.text()), screen.text()
    assert re.search("▲ deploy/o.*manager · orc-system +2 ", screen.text()), screen.text()


def test_on_a_wide_screen_the_reason_is_that_of_the_part_that_failed(tmp_path):
    with Run(tmp_path).screen("--replay", CAUSES, "--as-of", MOMENT, rows=40, cols=200) as s:
        s.wait("/db")
        assert re.search("deploy(ment)?/app ×2 pods +config .*CrashLoopBackOff: Error, exit 1", s.text()), s.text()
        assert "Deployment does not have minimum" not in "\n".join(r for r in rows(s) if " config " in r or " image " in r), s.text()


@pytest.mark.parametrize("recording", OPERATORS, ids=lambda path: path.parent.name)
def test_nothing_that_failed_is_silent(tmp_path, recording):
    """What real controllers wrote: each row of what failed or is degraded says why, if only by the condition that says so."""
    with gzip.open(recording, "rt") as lines:
        last = [line for line in lines][-1]
    with Run(tmp_path).screen("--replay", recording, "--as-of", json.loads(last)["t"], rows=90, cols=120) as s:
        s.wait("paused")
        s._settle(0.2)
        why = next(line for line in s.text().split("\n") if "  PHASE " in line).index("WHY")
        failed = [row for row in rows(s) if re.match("[▸▾ ] [✖▲] ", row)]
        assert failed, s.text()
        assert [row for row in failed if not row[why:].strip()] == []
