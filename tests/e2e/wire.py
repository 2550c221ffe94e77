# SPDX-License-Identifier: Apache-2.0
"""Below the fake API server: sockets, TLS, and answers in HTTP/1.1 and HTTP/2; and a proxy."""
import select
import socket
import ssl
import struct
import threading
import time
import urllib.parse

import h2.config
import h2.connection
import h2.events
import h2.exceptions


class Request:
    def __init__(self, number, sni, protocol, fields):
        fields = [(name.lower(), value) for name, value in fields]
        self.connection, self.sni, self.protocol = number, sni, protocol
        self.headers = dict(fields)
        self.target = self.headers.pop(":path")
        self.host = self.headers.get("host") or self.headers.get(":authority")
        parts = urllib.parse.urlsplit(self.target)
        self.path = parts.path
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self.watch = self.query.get("watch") == "true"
        self.time = time.monotonic()

    def __repr__(self):
        return "<%s>" % self.target


class Wire:
    """A socket with TLS over memory, so that two threads may use it at once."""

    def __init__(self, sock, context):
        self.sock, self.sni, self.lock = sock, None, threading.RLock()
        self.tls = None
        if context:
            self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
            self.tls.wire = self
            self._step(self.tls.do_handshake)

    def _flush(self):
        self.sock.sendall(self.outgoing.read())

    def _step(self, what, *args):
        while True:
            try:
                with self.lock:
                    try:
                        return what(*args)
                    finally:
                        self._flush()
            except ssl.SSLWantReadError:
                data = self.sock.recv(65536)
                if not data:
                    raise ConnectionError("closed") from None
                self.incoming.write(data)

    def protocol(self):
        return self.tls.selected_alpn_protocol() if self.tls else None

    def recv(self):
        return self._step(self.tls.read, 65536) if self.tls else self.sock.recv(65536)

    def send(self, data):
        with self.lock:
            if self.tls and data:
                self.tls.write(data)
                self._flush()
            elif data:
                self.sock.sendall(data)

    def close(self, reset=False):
        if reset:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        try:
            self.sock.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()


class Stream1:
    """One HTTP/1.1 answer, in chunks."""

    def __init__(self, wire):
        self.wire, self.open, self.has_body = wire, True, True

    def head(self, code, headers):
        lines = ["HTTP/1.1 %d Because" % code] + ["%s: %s" % h for h in headers]
        self.has_body = code != 304
        lines += ["transfer-encoding: chunked"] if self.has_body else []
        self.wire.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def body(self, data):
        if data and self.has_body:
            self.wire.send(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self):
        self.open = False
        self.wire.send(b"0\r\n\r\n" if self.has_body else b"")

    def reset(self):
        self.open = False
        self.wire.close(reset=True)

    hang_up = reset

    def gone(self):
        if not self.open:
            return True
        try:
            return bool(select.select([self.wire.sock], [], [], 0)[0]) and not self.wire.recv()
        except (OSError, ValueError):
            return True


class Stream2:
    """One HTTP/2 answer, within the client's windows."""

    def __init__(self, connection, number):
        self.c, self.number, self.closed = connection, number, False

    def _call(self, what, *args, **options):
        with self.c.changed:
            if self.gone():
                raise ConnectionError("stream is gone")
            what(self.number, *args, **options)
            self.c.wire.send(self.c.h2.data_to_send())

    def head(self, code, headers):
        self._call(self.c.h2.send_headers, [(":status", str(code)), *headers])

    def body(self, data):
        while data:
            with self.c.changed:
                self.c.changed.wait_for(lambda: self.gone() or self.c.h2.local_flow_control_window(self.number) > 0, 20)
                size = 0 if self.gone() else self.c.h2.local_flow_control_window(self.number)
                size = min(size, self.c.h2.max_outbound_frame_size)
                self._call(self.c.h2.send_data, data[:size])
            data = data[size:]

    def end(self):
        self._call(self.c.h2.end_stream)
        self.closed = True

    def reset(self):
        self._call(self.c.h2.reset_stream, error_code=2)
        self.closed = True

    def hang_up(self):
        self.c.wire.close(reset=True)
        self.c.dead = True

    def gone(self):
        return self.closed or self.c.dead


class Connection2:
    def __init__(self, wire, serve):
        self.wire, self.serve, self.dead, self.streams = wire, serve, False, {}
        self.changed = threading.Condition(threading.RLock())
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))

    def run(self):
        try:
            self.h2.initiate_connection()
            self.wire.send(self.h2.data_to_send())
            while data := self.wire.recv():
                with self.changed:
                    for event in self.h2.receive_data(data):
                        self.take(event)
                    self.wire.send(self.h2.data_to_send())
                    self.changed.notify_all()
        finally:
            with self.changed:
                self.dead = True
                self.changed.notify_all()

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            stream = self.streams[event.stream_id] = Stream2(self, event.stream_id)
            threading.Thread(target=self.serve, args=(event.headers, stream), daemon=True).start()
        elif isinstance(event, h2.events.StreamReset):
            self.streams[event.stream_id].closed = True


class Listener:
    """Accepts on a loopback port, a thread for each connection; stop() and start() keep the port."""

    def __init__(self):
        self.port, self.socket, self.open, self.count = 0, None, set(), 0
        self.start()

    def start(self):
        self.socket = socket.create_server(("127.0.0.1", self.port), backlog=64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, args=(self.socket,), daemon=True).start()

    def _accept(self, listening):
        while True:
            try:
                sock = listening.accept()[0]
            except OSError:
                return
            self.count += 1
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(sock, self.count), daemon=True).start()

    def _serve(self, sock, number):
        self.open.add(sock)
        try:
            self.connection(sock, number)
        except (OSError, ssl.SSLError, h2.exceptions.H2Error, ValueError):
            pass
        finally:
            self.open.discard(sock)
            sock.close()

    def stop(self):
        if self.socket.fileno() >= 0:
            self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()
        for sock in list(self.open):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Proxy(Listener):
    """An HTTP proxy: CONNECT, or a request with a whole URL is refused; heads of what it was asked are kept."""

    def __init__(self):
        self.heads = []
        super().__init__()

    def connection(self, sock, number):
        head = b""
        while b"\r\n\r\n" not in head:
            head += sock.recv(4096)
        self.heads.append(head.decode())
        host, port = head.split()[1].decode().rsplit(":", 1)
        with socket.create_connection((host, int(port))) as far:
            sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            ends = {sock: far, far: sock}
            while True:
                for ready in select.select(list(ends), [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    ends[ready].sendall(data)
