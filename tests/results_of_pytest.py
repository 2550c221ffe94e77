# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest (-p results_of_pytest) that adds the results of pytest's tests to those of a run (results.py)."""
import os

import pytest

import results


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

    def __init__(self, path):
        self.path, self.rows = path, {}

    def pytest_runtest_logreport(self, report):
        row = self.rows.setdefault(report.nodeid, {"outcome": "passed", "seconds": 0, "cpu": 0, "reason": ""})
        row["seconds"] += report.duration
        row["cpu"] += getattr(report, "cpu", 0)     # the report of a worker that died has none
        if report.failed:
            row["outcome"] = "failed"
        elif report.skipped and row["outcome"] == "passed":
            row["outcome"], row["reason"] = "skipped", reason_of(report)
        if report.when == "teardown":
            results.add(report.nodeid, **self.rows.pop(report.nodeid), path=self.path)

    def pytest_collectreport(self, report):
        """A file that cannot be read is a failure of its own, and a file that skips itself is one skip."""
        if report.failed or report.skipped:
            results.add(report.nodeid, report.outcome, 0, reason=reason_of(report) if report.skipped else "", path=self.path)

    def pytest_sessionfinish(self):
        """What has no end, as its worker died."""
        for test, row in self.rows.items():
            results.add(test, **{**row, "outcome": "failed"}, path=self.path)


def reason_of(report):
    """pytest.skip("why") arrives as (file, line, "Skipped: why")."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")


def pytest_configure(config):
    path = os.environ.pop(results.FILE, None)   # what the tests themselves run has no results of the run
    if not config.getoption("numprocesses", None):
        config.pluginmanager.register(Cost(), "cost of tests")
    if path:
        config.pluginmanager.register(Reports(path), "results of a run")
