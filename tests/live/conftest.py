# SPDX-License-Identifier: Apache-2.0
"""A real control plane, and the program run by people with rights of their own."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cluster"), os.path.join(HERE, "..", "e2e")]

from controlplane import ControlPlane, or_skip  # noqa: E402

# Files that are run one after the other, before one control plane, also where groups are run at the same time (pytest
# -n 3 --dist loadgroup).  What test_loses.py takes away test_survives.py gives back, a minute later.
GROUPS = {"losses": ("test_loses", "test_outages", "test_requests", "test_role", "test_survives"),
          "incident": ("test_cluster", "test_dashboard"), "stories": ("test_stories",)}


def group_of(name):
    return next((group for group, names in GROUPS.items() if name in names), "others")


@pytest.hookimpl(tryfirst=True)  # before xdist looks for the marks
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item.path.stem)))


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
