# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy before the API server that can be told to misbehave.

It passes bytes on and knows nothing of TLS, so that what breaks is the connection
and never a message.
"""

import collections
import contextlib
import random
import select
import socket
import struct
import threading
import time

DRIP = 200                              # bytes at a time, of a slow connection
DRIP_PAUSE = 0.005
RESET = struct.pack("ii", 1, 0)         # SO_LINGER: close() sends RST


class Link:
    """One connection and its other half."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.go = threading.Event()
        self.go.set()
        self.drips = False
        self._broken = False
        self._left = 2                  # threads
        self._wake, self._waker = socket.socketpair()
        for pair in ((client, server), (server, client)):
            threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source, target):
        try:
            while data := self._receive(source):
                self._pass(data, target)
            self.go.wait()
            if not self._broken:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            self.reset()
        self.proxy.ended(self)

    def _receive(self, source):
        ready, _, _ = select.select([source, self._wake], [], [])
        return b"" if self._broken or source not in ready else source.recv(65536)

    def _pass(self, data, target):
        while data and not self._broken:
            self.go.wait()
            size = DRIP if self.drips else len(data)
            target.sendall(data[:size])
            data = data[size:]
            if data:
                time.sleep(DRIP_PAUSE)

    def stall(self, on=True):
        """Nothing passes; nobody is told."""
        (self.go.clear if on else self.go.set)()

    def half_close(self):
        """The server seems to have no more to say; it is still listened to."""
        with contextlib.suppress(OSError):
            self.client.shutdown(socket.SHUT_WR)

    def reset(self):
        self._broken = True
        self.go.set()
        with contextlib.suppress(OSError):
            self._waker.send(b"x")

    def end(self):
        """One of its threads is done: after the last one it is closed."""
        self._left -= 1
        if self._left:
            return False
        for s in (self.client, self.server):
            if self._broken:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            s.close()
        self._wake.close()
        self._waker.close()
        return True


class Proxy:
    """Listens on a port of its own; a context manager."""

    def __init__(self, port):
        self.target = port              # where new connections go
        self._lock = threading.Lock()
        self._links = set()
        self.accepted = 0               # connections, ever
        self._listener = None
        self.port = 0
        self.listen()

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.refuse()
        self.reset_all()

    def listen(self):
        """Take connections (again)."""
        if self._listener:
            return
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def refuse(self):
        """New connections are refused."""
        listener, self._listener = self._listener, None
        if listener:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                client.close()
                continue
            for s in (client, server):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self.accepted += 1
                self._links.add(Link(self, client, server))

    def links(self):
        with self._lock:
            return sorted(self._links, key=id)

    def ended(self, link):
        with self._lock:
            if link.end():
                self._links.discard(link)

    def reset_all(self):
        for link in self.links():
            link.reset()


class Chaos:
    """Random faults of a proxy, until told to stop; a context manager.

    What it did is in `faults`.  The same seed makes the same choices, though not at
    the same byte.
    """

    def __init__(self, proxy, seed, longest):
        self._proxy, self._random, self._longest = proxy, random.Random(seed), longest
        self.faults = collections.Counter()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self._proxy.listen()
        for link in self._proxy.links():
            link.drips = False
            link.stall(False)

    def _run(self):
        faults = (self._reset, self._half_close, self._stall, self._drip, self._refuse)
        while not self._stop.wait(self._random.uniform(0.1, self._longest)):
            fault, length = self._random.choice(faults), self._random.uniform(0.1, self._longest)
            self.faults[fault.__name__.strip("_")] += bool(fault(length))

    def _each(self, do):
        links = self._proxy.links()
        for link in links:
            do(link)
        return links

    def _reset(self, _):
        return self._each(Link.reset)

    def _half_close(self, _):
        return self._each(Link.half_close)

    def _stall(self, seconds):
        links = self._each(Link.stall)
        self._stop.wait(seconds)
        for link in links:
            link.stall(False)
        return links

    def _drip(self, seconds):
        def slow(link, on=True):
            link.drips = on
        links = self._each(slow)
        self._stop.wait(seconds)
        for link in links:
            slow(link, False)
        return links

    def _refuse(self, seconds):
        self._proxy.refuse()
        self._proxy.reset_all()
        self._stop.wait(seconds)
        self._proxy.listen()
        return True
