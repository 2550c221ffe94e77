# SPDX-License-Identifier: Apache-2.0
"""What each test of a run came to, for what tests/run.py prints at the end: the parts of "make test" add a line of JSON for each of
their tests to the file that KUBECTL_STATUS_RESULTS names. Without that nothing is written."""
import json
import os

FILE = "KUBECTL_STATUS_RESULTS"


def add(test, outcome, seconds, cpu=None, reason="", path=None):
    """test: its name within the part; outcome: passed, failed or skipped; cpu: seconds of the processors, where known."""
    path = path or os.environ.get(FILE)
    if not path:
        return
    row = {"test": test, "outcome": outcome, "seconds": round(seconds, 3), "cpu": cpu if cpu is None else round(cpu, 3), "reason": reason}
    with open(path, "ab", buffering=0) as file:     # a line is written at once: other processes add theirs
        file.write(json.dumps(row).encode() + b"\n")
