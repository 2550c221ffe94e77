# SPDX-License-Identifier: Apache-2.0
"""One incident on a control plane of its own, for the tests of this folder."""
import pytest

from controlplane import ControlPlane, or_skip
from crds import apply_crds
from incident import World
from program import Run


@pytest.fixture
def run(tmp_path):
    """Without any cluster."""
    return Run(tmp_path)


@pytest.fixture(scope="session")
def cp():
    with or_skip():
        control_plane = ControlPlane().start()
    yield control_plane
    control_plane.close()


@pytest.fixture(scope="session")
def world(cp):
    """The incident, at its end."""
    apply_crds(cp)
    made = World(cp)
    made.create()
    made.finish()
    cp.grant_oncall()
    return made


@pytest.fixture
def oncall(cp, world, tmp_path):
    """The program, run by somebody who may read everything and whose namespace is that of the incident."""
    return Run(tmp_path, cp.kubeconfig("oncall", groups=("oncall",), namespace="edge"))
