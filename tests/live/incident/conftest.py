# SPDX-License-Identifier: Apache-2.0
"""One incident on the control plane, for the tests of this folder."""
import pytest

from program import Run


@pytest.fixture
def run(tmp_path):
    """Without any cluster."""
    return Run(tmp_path)


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
    """The program, run by somebody who may read everything and whose namespace is that of the incident."""
    return Run(tmp_path, cp.kubeconfig("oncall", groups=("oncall",), namespace="edge"))
