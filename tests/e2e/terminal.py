# SPDX-License-Identifier: Apache-2.0
"""A program in a terminal emulator."""
import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import termios
import time

import pyte

OPEN_TAB = re.compile(r"^ .*\[([A-Z]\w+)[^\]\n]*\]", re.M)


class Screen(pyte.Screen):
    """As xterm scrolls (CSI S and CSI T), which pyte does not know."""

    def _margins(self):
        return self.margins or pyte.screens.Margins(0, self.lines - 1)

    def scroll_up(self, count=1):
        top, bottom = self._margins()
        for row in range(top, bottom + 1):
            self.buffer[row] = self.buffer.pop(row + count) if row + count <= bottom and row + count in self.buffer else self._blank()
        self.dirty.update(range(self.lines))

    def scroll_down(self, count=1):
        top, bottom = self._margins()
        for row in range(bottom, top - 1, -1):
            self.buffer[row] = self.buffer.pop(row - count) if row - count >= top and row - count in self.buffer else self._blank()
        self.dirty.update(range(self.lines))

    def _blank(self):
        return pyte.screens.StaticDefaultDict(self.default_char)


class Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "S": "scroll_up", "T": "scroll_down"}
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}


def obey_interrupts():
    """In a child: a test run in the background, or with nohup, has these ignored, and would hand that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Terminal:
    """Starts it at once; text() is what a person would see."""

    def __init__(self, command, env, rows, cols):
        self.screen = Screen(cols, rows)
        self.stream = Stream(self.screen)
        self.raw = b""
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            self._become(command, env, rows, cols)
        self._size(rows, cols)

    @staticmethod
    def _become(command, env, rows, cols):
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        obey_interrupts()
        try:
            os.execve(command[0], command, env)
        finally:
            os._exit(127)

    def _size(self, rows, cols):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def read(self, seconds=0.05):
        """Takes in what was written; False at the end."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def wait(self, what, seconds=60, whole=True, quiet=0.05):
        """Until the text is there (or what(text) is true), and the drawing that brought it is whole: quiet seconds without output."""
        holds = what if callable(what) else lambda text: what in text
        end = time.monotonic() + seconds
        while not holds(self.text()):
            if time.monotonic() > end or not self.read():
                raise AssertionError("not on the screen: %r\n%s" % (what, self.text()))
        if whole:
            self._settle(quiet)
        return self.text()

    def _settle(self, quiet=0.05, seconds=1):
        """A screen comes in pieces, a pty's buffer each: what was seen may stand in half a picture."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and select.select([self.fd], [], [], quiet)[0]:
            if not self.read(0):
                break

    def keys(self, text):
        os.write(self.fd, text if isinstance(text, bytes) else text.encode())

    def tab(self):
        """The name of the open tab, None when no tabs are on the screen."""
        found = OPEN_TAB.search(self.text())
        return found and found.group(1)

    def open_tab(self, name, most=10):
        """Tab by tab, never a key before the answer to the last one is on the screen."""
        self.wait(lambda _: self.tab())
        for _ in range(most):
            here = self.tab()
            if here == name:
                return
            self.keys("\t")
            self.wait(lambda _, here=here: self.tab() not in (None, here))
        raise AssertionError("no tab %r\n%s" % (name, self.text()))

    def resize(self, rows, cols):
        self._size(rows, cols)
        self.screen.resize(rows, cols)
        os.kill(self.pid, signal.SIGWINCH)

    def signal(self, number):
        os.kill(self.pid, number)

    def end(self, seconds=60):
        """Waits for its end; the wait status as os.waitpid gives it."""
        limit = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                while self.read(0) and select.select([self.fd], [], [], 0)[0]:
                    pass
            elif time.monotonic() > limit:
                raise AssertionError("does not end\n" + self.text())
            else:
                self.read(0.02)
        return self.status

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        os.close(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def background(command, env):
    """The terminal of an interactive shell that has just begun the command in its background."""
    shell = Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], {**env, "PS1": "shell> ", "TERM": "xterm-256color"}, 40, 200)
    shell.wait("shell>")
    shell.keys("%s & echo be\"\"gun\n" % " ".join(shlex.quote(str(word)) for word in command))
    shell.wait("begun")
    return shell
