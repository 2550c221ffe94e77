# SPDX-License-Identifier: Apache-2.0
"""The program under test, without a cluster or before a fake API server."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

from program import Run  # noqa: E402


@pytest.fixture
def run(tmp_path):
    """Without any cluster."""
    return Run(tmp_path)
