# SPDX-License-Identifier: Apache-2.0
"""Worlds of the families, which otherwise are read from files, on a real API server.

Chosen are cases whose every expectation holds in a whole world, too: where a file
leaves out what an object refers to, the real server would call it missing.
"""
import pathlib

import pytest

from cases import Case, serve_kinds
from controlplane import wait_until

FAMILY = pathlib.Path(__file__).resolve().parent.parent / "family"
CASES = {
    "orc": """
        waiting-to-be-created waiting-to-be-ready waiting-for-a-failure terminal-invalid
        delete-guarded delete-stuck-guard lost-wake-up import-waits-for-somebody
        never-reconciled openstack-error cycle update-rejected
    """,
    "osok": """
        mapper-failed mapper-attention delete-in-progress delete-failed-is-retried
        deleted-outside failed-tracker-keeps-progress history-update-swallowed
        secret-missing stale-after-ten-polls stale-delete ocid-of-a-failure
        at-rest-is-never-stale
    """,
    "aso": """
        v2-owner-failed-root-cause v2-owner-not-ready v2-ready v2-error v2-no-status
        v2-child-of-failed-owner v2-azure-resource-not-found v2-permanent-without-severity
        v2-credential-from v2-poller v2-info-overdue v2-owner-by-name-resource-group-first
    """,
    "olm": """
        csv-b-upgrade csv-upgrade-pair csv-stuck-upgrade csv-requirements-not-met
        csv-failed-component-unhealthy csv-installing-waits-for-deployment csv-copied
        sub-manual-approval-with-plan sub-approval-overdue sub-dead-plan-failed
        csv-deleting-replaced v1-extension
    """,
    "appcat": """
        row01-initial-pods-pending row03-all-ready row04-regression row06-deleting
        row08-never-ready-for-long row13-maintenance row15-scaling-up row16-two-of-three
        row18-settling-again row20-pods-not-seen explicit-ready-with-failing-pods
        unschedulable-since-first-deploy
    """,
    "crossplane": """
        release-failed-for-good release-upgrades release-pod-crashes object-wraps-failure
        claim-ready composite-part-missing composite-unsynced-parts composite-paused
        deletion-held-by-a-part provider-healthy claim-deleting-foreground
        release-secret-missing
    """,
}
FILES = [f"{family}/{name}.yaml" for family, names in CASES.items() for name in names.split()]


@pytest.fixture(scope="module")
def kinds(cp, crds):
    """The kinds of the cases; nobody but the test acts on their objects."""
    cp.stop_controllers()
    before = namespaces(cp)
    yield serve_kinds(cp, [FAMILY / file for file in FILES])
    cp.start_controllers()
    for name in namespaces(cp) - before:
        cp.delete(f"/api/v1/namespaces/{name}")
    wait_until("end of the cases' namespaces", lambda: namespaces(cp) <= before, 60, 0.1)


def namespaces(cp):
    return {item["metadata"]["name"] for item in cp.get("/api/v1/namespaces")["items"]}


@pytest.mark.parametrize("file", FILES)
def test_case(cp, kinds, oncall, tmp_path, file):
    with Case(cp, FAMILY / file, tmp_path, kinds) as case:
        problems = case.problems(oncall)
    assert not problems, "\n".join(problems)


def test_every_family_has_its_share():
    assert len(CASES) >= 6 and all(len(names.split()) >= 4 for names in CASES.values())
