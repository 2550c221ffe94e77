#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py [ONE...]: builds the worlds' controllers, lets them run, records what they write, and judges the recording.

    --build    only build
    --keep     leave everything running until ^C, and say how to look at it
    --discard  do not replace the world's recording with the new one
"""
import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

import judge
from lab import Lab, builds, load, names

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", nargs="*")
    parser.add_argument("--build", action="store_true", help="only build")
    parser.add_argument("--keep", action="store_true", help="leave everything running until ^C, and say how to look at it")
    parser.add_argument("--discard", action="store_true", help="do not replace the recording with the new one")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    status = 0
    for name in options.world or names():
        if options.build:
            for b in [*load(name).BUILD, *builds.TOOLS]:
                builds.built(b, HERE if b in builds.TOOLS else HERE / name)
        else:
            status |= attempt(name, options)
    return status


def attempt(name, options):
    """One world, its logs kept when something is wrong; the exit status."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"kubectl-status-{name}-"))
    print(f"{name}: {load(name).TITLE}, logs in {folder}", flush=True)
    try:
        status = run(name, options, folder)
    except Exception:
        traceback.print_exc()
        return 1
    if status == 0:
        shutil.rmtree(folder, ignore_errors=True)
    return status


def run(name, options, folder):
    """From nothing to the judgement."""
    began = time.monotonic()
    with Lab(name, judge.PROGRAM, folder) as lab:
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(2 * lab.world.SECONDS)     # twice, as the machine may be busy
        lab.world.play(lab)
        signal.alarm(0)
        lab.check()
        time.sleep(2)               # what was written last is recorded, too
        live = lab.live()
        if options.keep:
            hold(lab)
        lab.end_recording()
        print(f"{name}: played for {time.monotonic() - began:.0f} s, {lab.recording.stat().st_size // 1024} KB", flush=True)
        different = judge.compare(name, live, (folder / "watch.jsonl").read_text(encoding="utf-8"), lab.recording)
        if not options.discard:
            lab.store()
    world = judge.World(name, HERE / name, None if not options.discard else lab.recording)
    return judge.report([world.judge()]) | different


def too_long(*_):
    raise TimeoutError("the world's play() takes longer than twice its SECONDS")


def hold(lab):
    print(f"KUBECONFIG={lab.kubeconfig} (administrator)\nKUBECONFIG={lab.reader} (may only read)\n^C ends it", flush=True)
    try:
        while True:
            time.sleep(1)
    except SystemExit:
        pass


if __name__ == "__main__":
    sys.exit(main())
