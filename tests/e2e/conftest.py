# SPDX-License-Identifier: Apache-2.0
"""The program under test, and one incident on a real control plane."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cluster")]

from program import Run  # noqa: E402


@pytest.fixture
def run(tmp_path):
    """Without any cluster."""
    return Run(tmp_path)


@pytest.fixture(scope="session")
def cp():
    from controlplane import ControlPlane, or_skip
    with or_skip():
        plane = ControlPlane().start()
    yield plane
    plane.close()


@pytest.fixture(scope="session")
def world(cp):
    """The incident, at its end."""
    from crds import apply_crds
    from incident import World
    apply_crds(cp)
    made = World(cp)
    made.create()
    made.finish()
    cp.grant_oncall()
    return made


@pytest.fixture
def oncall(cp, world, tmp_path):
    """Who may read everything."""
    return Run(tmp_path, cp.kubeconfig("oncall", groups=("oncall",), namespace="edge"))
