# SPDX-License-Identifier: Apache-2.0
"""The program with --watch -o json, and what it has told so far."""

import json
import os
import signal
import threading
import time


class Watcher:
    """Runs it in the background; a context manager.

    lines: all it printed; events: those that are documents, times: when they came;
    items: the last of each object, by uid.
    """

    def __init__(self, run, *args, watch=("-w", "-o", "json"), **env):
        self.lines, self.events, self.items, self.times = [], [], {}, []
        self.child = run.start(*args, *watch, **env)
        self.errors = b""
        self._threads = [threading.Thread(target=read, daemon=True)
                         for read in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.append(line.rstrip(b"\n"))
            if line.startswith(b"{"):
                self._take(json.loads(line))

    def _take(self, item):
        if item["event"] == "DELETED":
            self.items.pop(item["uid"], None)
        else:
            self.items[item["uid"]] = item
        self.times.append(time.monotonic())
        self.events.append(item)

    def _read_errors(self):
        for line in self.child.stderr:
            self.errors += line

    @property
    def pid(self):
        return self.child.pid

    def named(self, kind, name):
        """The item as last told, None when there is none."""
        return next((i for i in list(self.items.values())
                     if (i["kind"], i["name"]) == (kind, name)), None)

    def phase(self, kind, name):
        item = self.named(kind, name)
        return item and item["phase"]

    def memory(self):
        """Resident, in KiB."""
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def cpu(self):
        """Seconds that it has computed."""
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connections(self):
        """Established TCP connections of its own."""
        links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{self.pid}/fd")]
        inodes = {link[8:-1] for link in links if link.startswith("socket:[")}
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table][1:]
        return sum(row[9] in inodes and row[3] == "01" for row in rows)

    def end(self, number=signal.SIGINT):
        """Interrupt it; its exit status, as Popen tells it."""
        if self.child.poll() is None:
            self.child.send_signal(number)
        return self.child.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        for thread in self._threads:
            thread.join(5)
        self.child.stdout.close()
        self.child.stderr.close()
