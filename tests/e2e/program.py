# SPDX-License-Identifier: Apache-2.0
"""The program under test, run as a user would."""
import json
import os
import resource
import socket
import subprocess
import sys
import time

import machine
from terminal import Terminal, obey_interrupts

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import schema  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("KUBECTL_STATUS", os.path.join(HERE, "..", "..", "kubectl-status"))


# In a small process of its own: a child's peak counts that of the process it was forked from.
MEASURE = """
import os, sys, time
start = time.monotonic()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
_, status, usage = os.wait4(pid, 0)
print(status, time.monotonic() - start, usage.ru_maxrss / 1024)
"""


def wall_and_peak(command, env):
    """Seconds, and the peak resident size in MB, of one run."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, *command], env=env, capture_output=True,
                          text=True, check=True)
    status, wall, peak = done.stdout.split()
    assert status == "0", "%s: status %s: %s" % (command, status, done.stderr)
    return float(wall), float(peak)


def listens_by_default():
    """Something has the port of kubectl's default server, and the program sees it: what it says there is not known."""
    if machine.can_be_another():
        return False
    try:
        socket.create_connection(("localhost", 8080), 5).close()
    except OSError:
        return False
    return True


class Run:
    """Runs the program with an environment of its own, never longer than it should take."""

    def __init__(self, home, kubeconfig=None):
        self.home = home
        self.files = None  # that it may have open
        self.speed = 1  # of its time
        keep = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
        self.env = {k: os.environ[k] for k in keep if k in os.environ}
        self.env.update(HOME=str(home), LC_ALL="C.UTF-8", TERM="xterm-256color")
        if kubeconfig:
            self.env["KUBECONFIG"] = str(kubeconfig)
        elif machine.can_be_another():
            self.env.update(machine.without_default_server())

    def hurry(self, speed=5):
        """The time of the program passes so many times as fast from now on, as far as that can be: .speed is how fast it is."""
        if machine.can_be_another():
            self.speed = speed
            self.env.update(machine.passing(speed))
        return self

    def passed(self, later, earlier=0):
        """Seconds of the program's time between two of the tests' times."""
        return (later - earlier) * self.speed

    def __call__(self, *args, stdin=b"", timeout=120, **env):
        return subprocess.run([PROGRAM, *map(str, args)], env={**self.env, **env}, input=stdin,
                              capture_output=True, timeout=timeout, check=False)

    def text(self, *args, **kw):
        done = self(*args, **kw)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def json(self, *args, **kw):
        doc = json.loads(self.text(*args, "-o", "json", **kw))
        assert list(schema.problems(doc)) == []
        return doc

    def start(self, *args, **env):
        """In the background; the caller ends it."""
        return subprocess.Popen([PROGRAM, *map(str, args)], env={**self.env, **env}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=self._prepare)

    def _prepare(self):
        obey_interrupts()
        if self.files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))

    def screen(self, *args, rows=30, cols=100, **env):
        return Terminal([PROGRAM, *map(str, args)], {**self.env, **env}, rows, cols)


def wait_for(what, seconds=60, step=0.02):
    """Polls until what() is true; its last answer comes with the failure."""
    end = time.monotonic() + seconds
    while True:
        answer = what()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError("did not come true within %s s: %r" % (seconds, answer))
        time.sleep(step)
