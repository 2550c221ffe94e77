import os
import sys

import pytest

from controlplane import ControlPlane, or_skip

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))


@pytest.fixture(scope="session")
def cp():
    """One control plane for all tests; they keep to their own namespaces."""
    with or_skip():
        control_plane = ControlPlane().start()
    yield control_plane
    control_plane.close()


@pytest.fixture(scope="session")
def crds(cp):
    """The operators' kinds are served."""
    from crds import apply_crds
    apply_crds(cp)


@pytest.fixture
def oncall(cp, crds, tmp_path):
    """The program, run by somebody who may read everything."""
    from program import Run
    cp.grant_oncall()
    return Run(tmp_path, cp.kubeconfig("oncall", groups=("oncall",)))
