#!/usr/bin/env python3
"""Records demo/incident.jsonl.gz: the incident as this program sees it on a real control plane.

    record_demo.py [FILE [SPEED]]
"""
import os
import signal
import subprocess
import sys

from controlplane import ControlPlane, wait_until
from crds import apply_crds
from incident import World

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "demo", "incident.jsonl.gz")
    speed = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    with ControlPlane() as cp:
        apply_crds(cp)
        world = World(cp)
        world.create()
        cp.grant_oncall()
        config = cp.kubeconfig("oncall", groups=("oncall",), namespace="edge", context="prod-eu")
        program = subprocess.Popen([os.path.join(ROOT, "kubectl-status"), "-A", "--record", path],
                                   env={**os.environ, "KUBECONFIG": config})
        wait_until("the recording to begin", lambda: os.path.exists(path), 20)
        world.play(speed)
        program.send_signal(signal.SIGINT)
        program.wait(20)
    print("%s: %d bytes" % (path, os.path.getsize(path)))


if __name__ == "__main__":
    main()
