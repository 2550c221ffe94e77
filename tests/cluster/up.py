#!/usr/bin/env python3
"""A real API server with the incident of the tests, to look at by hand.

    tests/cluster/up.py --play 1
    KUBECONFIG=... kubectl status -A

Prints kubeconfig files, drives the incident and holds everything until ^C.
"""

import argparse
import signal
import sys
import time

from controlplane import ControlPlane, ControlPlaneUnavailable
from crds import apply_crds
from incident import World
from load import make_pods


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    story = parser.add_mutually_exclusive_group()
    story.add_argument("--finish", action="store_true", help="go through the incident at once")
    story.add_argument("--play", type=float, metavar="SPEED",
                       help="go through it in four minutes divided by SPEED")
    parser.add_argument("--users", action="store_true",
                        help="more kubeconfigs: reads one namespace only; token for 30 s")
    parser.add_argument("--pods", type=int, metavar="N", help="add N running pods")
    parser.add_argument("--etcd", choices=("module", "debian"), default="module")
    options = parser.parse_args()
    # in the background SIGINT is ignored, and a terminal may go: the servers must go with this in any case
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        with ControlPlane(etcd=options.etcd) as cp:
            hold(cp, options)
    except ControlPlaneUnavailable as reason:
        sys.exit(str(reason))
    except KeyboardInterrupt:
        pass


def hold(cp, options):
    """Create, tell, drive, and then keep the pods running."""
    apply_crds(cp)
    world = World(cp)
    world.create()
    if options.pods:
        make_pods(cp, options.pods)
    cp.grant_oncall()
    tell("admin", cp.kubeconfig("admin", ["system:masters"]))
    tell("oncall (reads everything)", cp.kubeconfig("ann", ["oncall"]))
    if options.users:
        cp.grant_limited("lim", "shop")
        tell("limited (reads shop, no secrets)", cp.kubeconfig("lim", namespace="shop"))
        bot = "system:serviceaccount:default:bot"
        cp.grant_oncall(user=bot)
        token = cp.service_account_token("default", "bot", 30)
        tell("oncall for 30 s", cp.kubeconfig(bot, token=token))
    if options.finish:
        world.finish()
    if options.play:
        world.play(options.play, lambda name: tell(time.strftime("%H:%M:%S"), name))
    tell("holding", "^C ends it")
    while True:
        world.tend()
        time.sleep(0.5)


def tell(what, detail):
    print(f"{what}: {detail}", flush=True)


if __name__ == "__main__":
    main()
