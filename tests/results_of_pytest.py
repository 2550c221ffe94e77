# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest (-p results_of_pytest) that adds the results of pytest's tests to those of a run (results.py).

Tests that run beside each other on a busy machine may fail for want of time alone. What fails in at most so many files is run
once more, with nothing beside it: what passes then has passed, and its result says that it did so the second time only.
"""
import os
import subprocess
import sys

import pytest

import results

FILES_AGAIN = 3


def used():
    """Seconds of the processors that this process and its children that have ended took."""
    return sum(os.times()[:4])


class Cost:
    """In the process that runs the tests: each report says what it took of the processors."""

    def __init__(self):
        self.at = used()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self):
        outcome = yield
        at, self.at = self.at, used()
        outcome.get_result().cpu = self.at - at


class Reports:
    """In the process that prints: a test has a report of its fixtures, one of itself and one of the end of its fixtures, which together
    are one result."""

    def __init__(self, path, beside):
        self.path, self.beside, self.rows, self.failed = path, beside, {}, {}

    def pytest_runtest_logreport(self, report):
        row = self.rows.setdefault(report.nodeid, {"outcome": "passed", "seconds": 0, "cpu": 0, "reason": ""})
        row["seconds"] += report.duration
        row["cpu"] += getattr(report, "cpu", 0)     # the report of a worker that died has none
        if report.failed:
            row["outcome"] = "failed"
        elif report.skipped and row["outcome"] == "passed":
            row["outcome"], row["reason"] = "skipped", reason_of(report)
        if report.when == "teardown":
            self.end(report.nodeid)

    def end(self, test):
        row = self.rows.pop(test)
        if row["outcome"] == "failed":
            self.failed[test] = row
        else:
            results.add(test, **row, path=self.path)

    def pytest_collectreport(self, report):
        """A file that cannot be read is a failure of its own, and a file that skips itself is one skip."""
        if report.failed or report.skipped:
            results.add(report.nodeid, report.outcome, 0, reason=reason_of(report) if report.skipped else "", path=self.path)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_sessionfinish(self, session):
        yield
        for test in list(self.rows):        # what has no end, as its worker died
            self.rows[test]["outcome"] = "failed"
            self.end(test)
        passed = (self.beside and session.exitstatus == pytest.ExitCode.TESTS_FAILED
                  and passes_again(session.config, list(self.failed)))
        for test, row in self.failed.items():
            results.add(test, **{**row, **(AGAIN if passed else {})}, path=self.path)
        if passed:
            session.exitstatus = pytest.ExitCode.OK


AGAIN = {"outcome": "passed", "reason": "failed beside the others, and passed when it was run again alone"}


def passes_again(config, tests):
    """Whether all of them pass in one more run that runs nothing else. What cannot be collected has no test, and is not run again."""
    if not tests or len({test.partition("::")[0] for test in tests}) > FILES_AGAIN:
        return False
    print("\n== %d of the tests failed; they are run once more, with nothing beside them" % len(tests), flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], cwd=config.rootpath,
                          stdin=subprocess.DEVNULL, check=False).returncode == 0


def reason_of(report):
    """pytest.skip("why") arrives as (file, line, "Skipped: why")."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")


def pytest_configure(config):
    path = os.environ.pop(results.FILE, None)   # what the tests themselves run has no results of the run
    beside = config.getoption("numprocesses", None)
    if not beside:
        config.pluginmanager.register(Cost(), "cost of tests")
    if path or beside:
        config.pluginmanager.register(Reports(path, beside), "results of a run")
