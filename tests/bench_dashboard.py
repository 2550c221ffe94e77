#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dashboard with many objects: memory, and how long a key takes.  Prints figures; judges nothing.

    bench_dashboard.py [--pods N] [--events PER_SECOND] [--rounds N] [--minutes N] [--only CASE]

The case "recorder" is the same without a screen: a flight recorder (--flight), with a tenth of the events.

An API server of its own lists N pods, one in a hundred of which crashes, and then
tells changes of them; the program runs on a pty.  From key to screen is from
writing the key until the bytes that answer it were read.  Which these are is found
afterwards, by giving what was read to a terminal emulator, piece by piece.  On a busy
machine much of that is waiting for a processor: the second pair of figures is how long
the program computed in that time.  Where there is a goal, it stands behind the figure.
"""
import argparse
import json
import multiprocessing
import os
import random
import re
import resource
import select
import socket
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "e2e"), os.path.join(HERE, "cluster")]

from fakeapi import FakeApi, answer  # noqa: E402
from load import objects  # noqa: E402
from program import PROGRAM, Run, wall_and_peak  # noqa: E402

TYPES = (("", "v1", "namespaces", "Namespace", False), ("", "v1", "nodes", "Node", False), ("", "v1", "pods", "Pod", True),
         ("apps", "v1", "deployments", "Deployment", True), ("apps", "v1", "replicasets", "ReplicaSet", True))
KEYS = {"minions": "nodes"}  # as etcd's keys call them
CRASH = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}


# ---- the server, a process of its own ------------------------------------------------

def is_crashing(number):
    return number % 100 == 0


def changed(pod, version, crashes):
    """The same pod, well or crashing, at that resourceVersion: bytes."""
    pod["metadata"]["resourceVersion"] = str(version)
    status = pod["status"]
    for condition in status["conditions"]:
        if condition["type"] in ("Ready", "ContainersReady"):
            condition["status"] = "False" if crashes else "True"
    container = status["containerStatuses"][0]
    container.update(ready=not crashes, started=not crashes, restartCount=version % 100 if crashes else 0)
    container["state"] = CRASH if crashes else {"running": {"startedAt": status["startTime"]}}
    return json.dumps(pod).encode()


def read_world(count):
    """Objects by plural, as bytes; pods parsed besides, for their changes: one in fifty."""
    world, changing = {plural: [] for _, _, plural, *_ in TYPES}, []
    for key, value in objects(count, "load"):
        plural = key.split("/")[2]
        plural = KEYS.get(plural, plural)
        if plural == "pods" and is_crashing(len(world["pods"])):
            changing.append(json.loads(value))
            value = changed(changing[-1], 1, True)
        elif plural == "pods" and len(world["pods"]) % 50 == 1:
            changing.append(json.loads(value))
        world[plural].append(value if isinstance(value, bytes) else value.encode())
    return world, changing


def lists(items, kind):
    """Pages as a real server has them."""
    def reply(request, stream):
        limit, start = int(request.query.get("limit", 0)) or len(items), int(request.query.get("continue", 0))
        meta = {"resourceVersion": "100"}
        if start + limit < len(items):
            meta.update({"continue": str(start + limit), "remainingItemCount": len(items) - start - limit})
        head = {"kind": kind + "List", "apiVersion": "v1", "metadata": meta}
        answer(json.dumps(head)[:-1].encode() + b', "items": [' + b",".join(items[start:start + limit]) + b"]}")(request, stream)
    return reply


def serve(count, events, pipe):
    """Tells its address; at "one" a change is told, from the next other word on very many are, until the pipe is closed."""
    world, changing = read_world(count)
    server = FakeApi(None, types=TYPES, tls=False, http2=False)
    for group, version, plural, kind, _ in TYPES:
        path = "/%s/%s/%s" % ("apis/" + group if group else "api", version, plural)
        server.on(path, lists(world[plural], kind), when=lambda request: not request.watch, times=0)
    pipe.send(server.url)
    version = 200
    while pipe.recv() == "one":
        version += 1
        server.inject("pods", b'{"type":"MODIFIED","object":%s}\n' % changed(changing[0], version, True))
    version, began, sent = 1000, time.monotonic(), 0
    choose = random.Random(1)
    while not pipe.poll(0.01):
        news = []
        while sent < (time.monotonic() - began) * events:
            version += 1
            sent += 1
            news.append(b'{"type":"MODIFIED","object":%s}\n' % changed(choose.choice(changing), version, choose.random() < 0.5))
        if news:
            server.inject("pods", b"".join(news))
    server.stop()


# ---- keys ----------------------------------------------------------------------------------

def computed(pid):
    """Seconds that a process had a processor."""
    with open("/proc/%d/schedstat" % pid, encoding="ascii") as f:
        return int(f.read().split()[0]) / 1e9


class Keys:
    def __init__(self, term):
        self.term, self.took, self.cpu = term, {}, {}
        self.whole, self.whole_cpu = {}, {}  # where the answer is announced first

    def now(self):
        """The time, and how long the program has computed."""
        return time.monotonic(), computed(self.term.pid)

    def selected(self):
        """The row that stands out: its cells have another background."""
        screen = self.term.screen
        for row in range(2, screen.lines):
            line = screen.buffer[row]
            if line[4].reverse or line[4].bg != "default":
                return row, screen.display[row]
        return None

    def pieces(self, until):
        """What is written in that time, with when it was read; nothing is looked at meanwhile."""
        out = []
        while (left := until - time.monotonic()) > 0:
            if select.select([self.term.fd], [], [], left)[0]:
                data = os.read(self.term.fd, 65536)
                out.append((self.now(), data))
        return out

    def press(self, name, key, holds, seconds=0.25, whole=None):
        """One key; holds() tells its answer on the emulated screen, given what was there before; whole(), that nothing is to come."""
        self.measure(name, lambda: self.term.keys(key), holds, seconds, whole)

    def measure(self, name, act, holds, seconds=0.25, whole=None):
        """From act() on; the same."""
        before = self.selected(), self.term.text()
        began = self.now()
        act()
        read, answers = self.pieces(began[0] + seconds), {}
        for when, data in read:
            self.feed(data, when, before, answers, holds, whole)
        while not (answers.get("first") and answers.get("whole")) and time.monotonic() < began[0] + 10:
            if select.select([self.term.fd], [], [], 0.1)[0]:
                data = os.read(self.term.fd, 65536)
                self.feed(data, self.now(), before, answers, holds, whole)
        if not answers.get("first"):  # not within ten seconds
            print("no answer to %s:\n%s" % (name, self.term.text()), file=sys.stderr)
            answers["first"] = self.now()
        self.note(self.took, self.cpu, name, began, answers["first"])
        if whole:
            self.note(self.whole, self.whole_cpu, name, began, answers.get("whole") or self.now())

    def feed(self, data, when, before, answers, holds, whole):
        self.term.stream.feed(data)
        if not answers.get("first") and holds(before):
            answers["first"] = when
        if answers.get("first") and not answers.get("whole") and (whole is None or whole(before)):
            answers["whole"] = when

    @staticmethod
    def note(took, cpu, name, began, ended):
        took.setdefault(name, []).append((ended[0] - began[0]) * 1000)
        cpu.setdefault(name, []).append((ended[1] - began[1]) * 1000)

    def moves(self, before):
        """Another object is selected: the row on the screen says little, because rows come and go above it."""
        return self.selected() and before[0] and self.name(self.selected()) != self.name(before[0])

    @staticmethod
    def name(selected):
        """Name and namespace of the row; a group is called as its kind."""
        found = re.search(r"(pod(?:/\S+)?)(?: ×\d+)? +(\S+)", selected[1])
        return found.groups() if found else selected[1]

    def at_top(self):
        above = self.term.screen.display[self.selected()[0] - 1] if self.selected() else ""
        return "PHASE" in above and "RESOURCE" in above

    def in_table(self, _before):
        return "PHASE" in self.term.text() and "RESOURCE" in self.term.text()

    def shows(self, *words):
        return lambda _: any(w in self.term.text() for w in words)

    def foot(self, *words):
        return lambda _: any(w in self.term.screen.display[-1] for w in words)

    def settle(self, seconds=0.4):
        """What the last key asked for is done: the list is whole."""
        for _, data in self.pieces(time.monotonic() + seconds):
            self.term.stream.feed(data)

    def quietly(self, key):
        self.term.keys(key)
        self.settle()


def press_all(keys, rounds):
    for i in range(rounds):
        for _ in range(4):
            keys.press("down", "j", keys.moves)
        for _ in range(4):
            if not keys.at_top():  # what stood above may have gone
                keys.press("up", "k", keys.moves)
        keys.press("filter: /", "/", lambda _: keys.term.screen.display[-1].startswith(("/", " /")) or "filter" in keys.term.screen.display[-1])
        word = ("api-", "load", "crash", "7c9f")[i % 4]
        for n in range(1, len(word) + 1):
            keys.press("filter: a letter", word[n - 1], lambda _, n=n: word[:n] in keys.term.screen.display[-1])
        keys.press("filter: down", b"\x1bOB", lambda before: keys.moves(before))
        for n in range(len(word) - 1, 0, -1):
            keys.press("filter: Backspace", b"\x7f", lambda _, n=n: word[:n + 1] not in keys.term.screen.display[-1])
        keys.press("filter: Esc", b"\x1b", lambda _: not keys.term.screen.display[-1].lstrip().startswith("/"))
        for name in SORTS:
            keys.press("sort", "s", keys.foot("sorted by: " + name))
        keys.press("reverse", "S", keys.foot("revers"))
        keys.press("reverse", "S", keys.foot("usual order"))
        keys.press("problems", "p", keys.shows("BLOCKS"))
        keys.press("back to the table", b"\x1b", keys.in_table)
        for name in GROUPS:
            keys.press("group", "z", keys.foot(name))
            keys.settle()
        for name, key, words in (("tree", "t", "tree of"), ("timeline", "T", "timeline of"), ("changes", "C", "last 5 min")):
            keys.press(name, key, keys.shows(words))
            keys.press("back to the table", b"\x1b", keys.in_table)
        keys.press("palette: :", ":", lambda _: keys.term.screen.display[-1].startswith((":", " :")))
        for n in range(1, 6):
            keys.press("palette: a letter", "load-"[n - 1], lambda _, n=n: "load-"[:n] in keys.term.screen.display[-1])
        keys.press("palette: Esc", b"\x1b", keys.in_table)
        press_one_row(keys)
        press_fields(keys)
        press_time(keys)
        press_scope(keys)
        press_ends(keys)


SORTS = ("newest", "since", "name", "namespace", "kind", "phase", "age", "severity")
GROUPS = ("grouped by root cause", "grouped by namespace", "grouped by application", "grouped by node", "grouped by owner", "not grouped")


def press_one_row(keys):
    """What concerns the selected row, and its views."""
    keys.quietly("G")  # a pod that never changes, not a row that stands for several
    keys.press("why", "w", keys.shows("why of"))
    keys.press("back to the table", b"\x1b", keys.in_table)
    keys.press("timeline of one", "T", keys.shows("timeline of"))
    keys.press("back to the table", b"\x1b", keys.in_table)
    keys.press("details", "\r", keys.shows("[Overview"))
    for _ in range(5):
        tabs = keys.term.tab()
        keys.press("details: next tab", "\t", lambda _, tabs=tabs: keys.term.tab() != tabs)
    keys.press("back to the table", b"\x1b", keys.in_table)
    keys.press("next problem", "n", keys.moves)
    keys.press("previous problem", "N", keys.moves)
    keys.press("mark", "*", keys.foot("mark"))
    keys.press("next mark", "'", lambda before: keys.moves(before) or keys.foot("mark")(before))
    if "[Overview" in keys.term.text():  # it is folded into a group by now
        keys.quietly(b"\x1b")
    keys.press("copy: y", "y", keys.foot("copied"))
    keys.press("copy: Y", "Y", keys.foot("kubectl "))
    keys.press("copy: M", "M", keys.foot("Markdown"))
    for _ in range(2):
        keys.press("acknowledge", "a", keys.foot("acknowledged", "select a root cause"))
    keys.press("help", "?", keys.shows("Hand over"))
    keys.press("back to the table", b"\x1b", keys.in_table)


def press_fields(keys):
    for text in "phase:failed", "ns:load-7", "kind:pod", "since:<10m", "cause:api":
        keys.quietly("/")
        for n in range(1, len(text) + 1):
            keys.press("filter: a letter of a field", text[n - 1], keys.foot(text[:n]), 0.15)
        keys.press("filter: Enter", "\r", lambda _: keys.term.screen.cursor.hidden or not keys.foot("Esc drops")(None))
        keys.quietly(b"\x1b")


def press_time(keys):
    def head(word, before=None):
        found = re.search(word + r" (\d\d:\d\d:\d\d|now)", (before or keys.term.text()).split("\n")[0])
        return found.group(1) if found else ""

    def says(before):
        """Where it goes; or another moment stands there already, or a line at the foot tells why none does."""
        foot = keys.term.screen.display[-1]
        return head("going to") or head("paused") != head("paused", before[1]) or (
            foot.strip() not in before[1] and any(word in foot for word in ("reaches back", "it is now")))

    def arrived(_):
        return not head("going to")

    for name, key in (("pause: P", "P"), ("go on: P", "P"), ("pause: P", "P"), ("a change back: [", "["), ("a change back: [", "["),
                      ("a minute back: {", "{"), ("a minute forward: }", "}"), ("a minute back: {", "{"), ("go on: P", "P")):
        keys.press(name, key, says, 0.4, arrived)


def press_scope(keys):
    keys.quietly(":")
    keys.quietly("ns load-7")
    keys.press("another namespace", "\r", lambda _: "▸ load-7" in keys.term.screen.display[0], 1)
    keys.press("all namespaces: 0", "0", lambda _: "▸ all namespaces" in keys.term.screen.display[0], 1,
               lambda _: "▸ all namespaces" in keys.term.screen.display[0] and "ready" in keys.term.screen.display[0])
    keys.term.wait(lambda text: "reading" not in text, 60)
    keys.quietly("g")
    keys.measure("another size of the terminal", lambda: keys.term.resize(50, 160),
                 lambda _: keys.term.screen.display[-1].strip() and keys.in_table(_), 0.5)
    keys.measure("another size of the terminal", lambda: keys.term.resize(40, 120),
                 lambda _: keys.term.screen.display[-1].strip() and keys.in_table(_), 0.5)


def press_ends(keys):
    keys.press("the last row", "G", keys.moves)
    keys.press("the first row", "g", keys.moves)
    keys.press("a page down", b"\x06", keys.moves)
    keys.press("the first row", "g", keys.moves)


def press_while_reading(keys):
    """From the first row on, until all lists are read."""
    until = time.monotonic() + 60
    while not keys.selected() and time.monotonic() < until:
        keys.settle(0.02)
    while "reading" in keys.term.text() and time.monotonic() < until:
        keys.press("while lists are read: down", "j", keys.moves, 0.1)
        keys.press("while lists are read: up", "k", lambda before: keys.moves(before) or keys.at_top(), 0.1)


def say(figure, value):
    print("%-66s %s" % (figure, value), flush=True)


def figures(keys, *kinds, whole=False):
    out = []
    for took in (keys.whole, keys.whole_cpu) if whole else (keys.took, keys.cpu):
        all_of_it = [t for kind in kinds for t in took[kind]]
        out.append("%.1f, %.1f" % (statistics.median(all_of_it), max(all_of_it)))
    return "; ".join(out)


def resident(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        fields = dict(line.split(":", 1) for line in f)
    return int(fields["VmRSS"].split()[0]) / 1024, int(fields["VmHWM"].split()[0]) / 1024


def at_rest(keys, seconds=10):
    """Live, and nothing happens: percent of a processor."""
    began = keys.now()
    keys.pieces(began[0] + seconds)
    ended = keys.now()
    return 100 * (ended[1] - began[1]) / (ended[0] - began[0])


def bytes_of_a_change(keys, pipe, times=5):
    """What one more restart of one pod writes to the terminal, until the row flashes no more."""
    written = []
    for _ in range(times):
        pipe.send("one")
        written.append(sum(len(data) for _, data in keys.pieces(time.monotonic() + 6)))
    return statistics.median(written)


def under_load(keys, seconds):
    """Nobody presses a key: percent of a processor, pictures and bytes per second."""
    began, pictures, written, last = keys.now(), 0, 0, 0
    for (when, _), data in keys.pieces(began[0] + seconds):
        pictures += when - last > 0.005  # what was written at once may be read in pieces
        last = when
        written += len(data)
    ended = keys.now()
    return 100 * (ended[1] - began[1]) / (ended[0] - began[0]), pictures / seconds, written / seconds


def bench_screen(run, pipe, options, once=None):
    bench_reading(run)
    with run.screen("-A", "pods", rows=40, cols=120) as term:
        name = "status -A pods"
        began = time.monotonic()
        term.wait(lambda text: "reading" not in text and "live ●" in text, 300)
        say("%s: until live (s)" % name, "%.1f" % (time.monotonic() - began))
        if once:
            say("%s: CPU until live, of the one-shot's (at most 1.5)" % name, "%.2f" % (computed(term.pid) / once))
        keys = Keys(term)
        keys.pieces(time.monotonic() + 5)
        say("%s: memory now (at most 100), peak (MB)" % name, "%.0f, %.0f" % resident(term.pid))
        say("%s: at rest, percent of a CPU (below 1)" % name, "%.2f" % at_rest(keys))
        say("%s: bytes written for a changed row of 120 columns" % name, "%.0f" % bytes_of_a_change(keys, pipe))
        pipe.send("go")
        say("%s: %d events/s: percent of a CPU; pictures (at most 30), bytes per s" % (name, options.events),
            "%.0f; %.1f, %.0f" % under_load(keys, 20))
        press_all(keys, options.rounds)
        for kind in keys.took:
            say("  %s (%d): median, worst; computed (ms)" % (kind, len(keys.took[kind])), figures(keys, kind))
            if kind in keys.whole:
                say("    and until the world of that answer stands on the screen", figures(keys, kind, whole=True))
        say("%s: key to screen, %d events/s (at most 16, 33): the same" % (name, options.events), figures(keys, *keys.took))
        for minute in range(options.minutes):
            keys.pieces(time.monotonic() + 60)
            say("%s: memory after %d min more of it (at most 64 of it what was before), peak (MB)" % (name, minute + 1),
                "%.0f, %.0f" % resident(term.pid))
        term.keys("\x1b\x1b\x1bq")
        term.signal(15)


def bench_reading(run):
    with run.screen("-A", "pods", rows=40, cols=120) as term:
        keys = Keys(term)
        press_while_reading(keys)
        for kind in keys.took:
            say("  %s (%d): median, worst; computed (ms)" % (kind, len(keys.took[kind])), figures(keys, kind))
        term.keys("\x1b\x1b\x1bq")
        term.signal(15)


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def kubeconfig(home, url, contexts=("c",)):
    config = {"apiVersion": "v1", "kind": "Config", "current-context": contexts[0],
              "contexts": [{"name": name, "context": {"cluster": name, "user": "u"}} for name in contexts],
              "clusters": [{"name": name, "cluster": {"server": url}} for name in contexts], "users": [{"name": "u", "user": {}}]}
    path = os.path.join(home, "config.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(config, f)
    return path


def with_server(options, use):
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(options.pods, options.events, there), daemon=True)
    server.start()
    there.close()
    with tempfile.TemporaryDirectory() as home:
        try:
            use(Run(home, kubeconfig(home, here.recv())), here)
        finally:
            server.terminate()
            server.join()


def bytes_in(folder):
    """Of segments: the file of metrics beside them is replaced, and grows with what is not Ready."""
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if name.startswith("flight-"))


def bench_recorder(run, pipe, options):
    """A recorder that runs for a minute: what it takes, and what it would write in a day, with a state for each eighth of that."""
    events, day, seconds = options.events, 24 * 3600, 60
    folder = os.path.join(run.home, "flight")
    recorder = run.start("-A", "--flight", folder)
    try:
        before = -1
        while before != computed(recorder.pid):  # until all is read and written
            before = computed(recorder.pid)
            time.sleep(3)
        state = bytes_in(folder)
        pipe.send("go")
        time.sleep(5)
        began, used, written = time.monotonic(), computed(recorder.pid), bytes_in(folder)
        time.sleep(seconds)
        took, used, written = time.monotonic() - began, computed(recorder.pid) - used, bytes_in(folder) - written
        say("recorder, %d events/s: memory now (at most 120), peak (MB)" % events, "%.0f, %.0f" % resident(recorder.pid))
        say("recorder: percent of a CPU (at most 3)", "%.1f" % (100 * used / took))
        say("recorder: bytes of a change, of a state in MB", "%.0f, %.1f" % (written / took / events, state / 1e6))
        say("recorder: changes, and all with keyframes and 8 segments, in GB a day (at most 1)",
            "%.2f, %.2f" % (written / took * day / 1e9, (written / took * day * 9 / 8 + 8 * state) / 1e9))
    finally:
        recorder.terminate()
        recorder.communicate()


def serve_kinds(kinds, each, pipe):
    types = [("g%d.example.com" % (i % 20), "v1", "things%d" % i, "Thing%d" % i, True) for i in range(kinds)]
    server = FakeApi(None, types=types, tls=False, http2=False)
    for i, (_, _, plural, _, _) in enumerate(types):
        for k in range(each + (i < 178 - kinds * each)):
            server.put(plural, "o%d" % k, status={"conditions": [{"type": "Ready", "status": "True"}]})
    pipe.send(server.url)
    pipe.recv()
    server.stop()


def bench_contexts():
    """One cluster by many names: what a context costs must not grow with how many there are."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve_kinds, args=(119, 1, there), daemon=True)
    server.start()
    url = here.recv()
    for n, goal in ((5, 0.15), (20, 0.5), (50, 1.2)):
        with tempfile.TemporaryDirectory() as home:
            run = Run(home, kubeconfig(home, url, ["c%d" % i for i in range(n)]))
            wall_and_peak([PROGRAM, "-A", "--all-contexts", "-o", "name"], run.env)  # discovery is cached now
            before = cpu_of_children()
            wall, peak = wall_and_peak([PROGRAM, "-A", "--all-contexts", "-o", "name"], run.env)
            say("%d contexts, 119 kinds, 178 objects each: CPU (s, at most %.2f); wall, MB" % (n, goal),
                "%.2f; %.1f, %.1f" % (cpu_of_children() - before, wall, peak))
    server.terminate()
    server.join()


def serve_small(pipe):
    server = FakeApi(None, types=TYPES, tls=False, http2=False)
    for i in range(50):
        server.put("pods", "p%d" % i, status={"phase": "Failed", "reason": "R%d" % i})
    pipe.send(server.url)
    pipe.recv()
    server.stop()


def bench_cancel(rounds=10):
    """A context that takes the connection and says nothing: from Esc until the screen is that of the former one alone."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve_small, args=(there,), daemon=True)
    server.start()
    silent = socket.create_server(("127.0.0.1", 0))
    with tempfile.TemporaryDirectory() as home:
        path = kubeconfig(home, here.recv(), ("c", "silent"))
        with open(path, encoding="utf-8") as f:
            config = json.load(f)
        for name, url in (("silent", "http://127.0.0.1:%d"), ("silent over TLS", "https://127.0.0.1:%d")):
            config["clusters"][1]["cluster"]["server"] = url % silent.getsockname()[1]
            with open(path, "w", encoding="utf-8") as f:
                json.dump(config, f)
            with Run(home, path).screen("pods", rows=40, cols=120) as term:
                term.wait(lambda text: "R0" in text and "live" in text)
                keys = Keys(term)
                for _ in range(rounds):
                    term.keys(":ctx silent\r")
                    term.wait("connecting to silent")
                    keys.press(name, "\x1b", lambda _: "connecting" not in term.text() and "R0" in term.text())
                say("Esc while a context is %s (at most 50): median, worst; computed (ms)" % name, figures(keys, name))
                term.keys("q")
    silent.close()
    server.terminate()
    server.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pods", type=int, default=100000)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--minutes", type=int, default=5, help="of load after the keys: does memory grow?")
    parser.add_argument("--only", choices=("once", "screen", "recorder", "contexts", "cancel"))
    options = parser.parse_args()
    used = []

    def once(run, _):
        before = cpu_of_children()
        wall, peak = wall_and_peak([PROGRAM, "-A", "pods", "-o", "name"], run.env)
        used.append(cpu_of_children() - before)
        say("%d pods -A -o name: seconds, of CPU; peak memory (MB, at most 85)" % options.pods,
            "%.2f, %.2f; %.1f" % (wall, used[0], peak))

    say("load of the machine (1, 5, 15 min), its processors", "%.1f, %.1f, %.1f; %d" % (*os.getloadavg(), os.cpu_count()))
    if options.only in (None, "contexts"):
        bench_contexts()
    if options.only in (None, "cancel"):
        bench_cancel()
    if options.only in (None, "once"):
        with_server(options, once)
    if options.only in (None, "screen"):
        with_server(options, lambda run, pipe: bench_screen(run, pipe, options, used[0] if used else None))
    if options.only in (None, "recorder"):
        few = argparse.Namespace(**{**vars(options), "events": options.events // 10})
        with_server(few, lambda run, pipe: bench_recorder(run, pipe, few))
    say("load of the machine afterwards", "%.1f, %.1f, %.1f" % os.getloadavg())


if __name__ == "__main__":
    main()
