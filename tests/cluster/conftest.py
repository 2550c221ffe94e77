import pytest

from controlplane import ControlPlane, or_skip


@pytest.fixture(scope="session")
def cp():
    """One control plane for all tests; they keep to their own namespaces."""
    with or_skip():
        control_plane = ControlPlane().start()
    yield control_plane
    control_plane.close()
