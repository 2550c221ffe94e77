# SPDX-License-Identifier: Apache-2.0
"""A real control plane, and the program run by people with rights of their own."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cluster"), os.path.join(HERE, "..", "e2e")]

from controlplane import ControlPlane, or_skip  # noqa: E402

# With pytest -n 2 these files are run one after the other by one worker, the rest by the other: each has a control plane.
# What test_loses.py takes away test_survives.py gives back, a minute later; test_requests.py counts what is asked for
# where there are many objects.
TOGETHER = ("test_cases", "test_gate", "test_incidents", "test_loses", "test_outages", "test_requests", "test_role", "test_survives")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            name = os.path.splitext(os.path.basename(nodeid.partition("::")[0]))[0]
            return "together" if name in TOGETHER else "rest"
    return Groups(config, log)


@pytest.fixture(scope="session")
def cp():
    """One control plane for the tests of this folder; they keep to their own namespaces."""
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
