# SPDX-License-Identifier: Apache-2.0
"""A real control plane, and the program run by people with rights of their own."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cluster"), os.path.join(HERE, "..", "e2e")]

from controlplane import ControlPlane, or_skip  # noqa: E402


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


@pytest.fixture(scope="session")
def right(cp, crds, tmp_path_factory):
    """See losses.py."""
    from losses import Rights
    with Rights(cp, tmp_path_factory.mktemp("right")).running() as loss:
        yield loss


@pytest.fixture(scope="session")
def kind(cp, crds, tmp_path_factory):
    """See losses.py."""
    from losses import Kind
    from program import Run
    cp.grant_oncall()
    run = Run(tmp_path_factory.mktemp("kind"), cp.kubeconfig("kindly", groups=("oncall",)))
    with Kind(cp, run).running() as loss:
        yield loss


@pytest.fixture
def oncall(cp, crds, tmp_path):
    """The program, run by somebody who may read everything."""
    from program import Run
    cp.grant_oncall()
    return Run(tmp_path, cp.kubeconfig("oncall", groups=("oncall",)))
