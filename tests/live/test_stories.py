# SPDX-License-Identifier: Apache-2.0
"""Every story of the families on a real API server, before one program that watches all of it.

The stories have a control plane of their own: there is nothing else in it."""
import pathlib

import pytest

from cases import serve_kinds
from controlplane import ControlPlane, or_skip
from crds import apply_crds
from machine import Clock
from stories import MARKER, Story, run_stories
from watcher import Watcher

STORIES = sorted((pathlib.Path(__file__).resolve().parent.parent / "stories").glob("*/*.yaml"))


@pytest.fixture(scope="module")
def cp():
    with or_skip():
        control_plane = ControlPlane().start()
    yield control_plane
    control_plane.close()


@pytest.fixture(scope="module")
def kinds(cp):
    """The kinds of the stories; nobody but the test acts on their objects."""
    apply_crds(cp)
    cp.stop_controllers()
    yield serve_kinds(cp, STORIES, [MARKER])
    cp.start_controllers()


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return Clock(tmp_path_factory.mktemp("clock"))


@pytest.fixture(scope="module")
def watcher(cp, kinds, clock, tmp_path_factory):
    from program import Run
    cp.grant_oncall()
    run = Run(tmp_path_factory.mktemp("stories"), cp.kubeconfig("storyteller", groups=("oncall",)))
    clock.set("2026-11-19T00:00:00Z")
    with Watcher(run, "-A", **clock.env) as program:
        yield program


@pytest.fixture(scope="module")
def namespaces(cp):
    """Those of the stories."""
    for path in STORIES:
        for m in run_stories.read_story(path):
            for namespace in {d["metadata"].get("namespace") for d in m["documents"]} - {None}:
                if not cp.exists(f"/api/v1/namespaces/{namespace}"):
                    cp.post("/api/v1/namespaces", {"metadata": {"name": namespace}})


def play(cp, kinds, clock, watcher, number, day):
    try:
        with Story(cp, kinds, clock, watcher, STORIES[number], day) as story:
            return story.play()
    except TimeoutError as late:
        return [str(late)]


@pytest.mark.parametrize("number", range(len(STORIES)), ids=[f"{p.parent.name}/{p.stem}" for p in STORIES])
def test_story(cp, kinds, namespaces, clock, watcher, number):
    """What a busy machine delayed is played once more, on the day after: what is wrong is wrong again."""
    problems = play(cp, kinds, clock, watcher, number, 2 * number)
    if problems:
        print("played again after:\n" + "\n".join(problems))
        problems = play(cp, kinds, clock, watcher, number, 2 * number + 1)
    assert not problems, "\n" + "\n".join(problems)
