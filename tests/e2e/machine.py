# SPDX-License-Identifier: Apache-2.0
"""The machine as the program under test sees it: what it waits for need not take as long, its day may be another one, and nobody listens
where the default server of kubectl is.

Certificates go by the machine's own clock, and so do the program's children.
"""
import atexit
import calendar
import functools
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent / "machine.c"


@functools.cache
def library():
    """What has to be loaded before the C library, made once in a process of the tests."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-status-machine-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", folder / "machine.so", SOURCE], check=True)
    return str(folder / "machine.so")


def can_be_another():
    """Only on Linux, and not before a sanitizer, which wants to be the first library."""
    return sys.platform == "linux" and "ASAN_OPTIONS" not in os.environ


def passing(speed):
    """What the environment of a program must have for its time to pass so many times as fast."""
    return {"LD_PRELOAD": library(), "TEST_CLOCK": "%g %d %d" % (speed, time.time_ns(), time.clock_gettime_ns(time.CLOCK_MONOTONIC))}


def without_default_server():
    """What the environment of a program must have for nobody to listen at localhost:8080."""
    return {"LD_PRELOAD": library(), "TEST_REFUSED": "8080"}


def without_memory_files():
    """What the environment of a program must have for its system to have no files in memory, and no paths for descriptors."""
    return {"LD_PRELOAD": library(), "TEST_NO_MEMORY_FILES": "1"}


class Clock:
    """A clock whose time of day is set while the program runs.  env: what the environment of the program must have."""

    def __init__(self, folder):
        offset = folder / "clock"
        offset.write_bytes(bytes(8))
        with open(offset, "r+b") as file:
            self._later = mmap.mmap(file.fileno(), 8)
        self.env = {**passing(1), "TEST_CLOCK_LATER": str(offset)}

    def set(self, moment):
        """moment: RFC 3339."""
        at = calendar.timegm(time.strptime(moment, "%Y-%m-%dT%H:%M:%SZ"))
        self._later[:] = struct.pack("=q", at - int(time.time()))
