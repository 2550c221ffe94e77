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
import h2.errors
import h2.events
import h2.exceptions
import h2.settings


class Request:
    def __init__(self, number, wire, protocol, fields):
        fields = [(name.lower(), value) for name, value in fields]
        self.connection, self.sni, self.protocol = number, wire.sni, protocol
        self.peer = wire.tls.getpeercert() if wire.tls else None
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
    """max_streams: SETTINGS_MAX_CONCURRENT_STREAMS; a client that opens more breaks the protocol.

    One that cannot know it yet has its streams refused, as Go's server does (x/net/http2, processHeaders)."""

    def __init__(self, wire, serve, max_streams=None):
        self.wire, self.serve, self.dead, self.streams, self.pings, self.pongs, self.most = wire, serve, False, {}, 0, 0, 0
        self.changed = threading.Condition(threading.RLock())
        self.max_streams, self.limit_known = max_streams, not max_streams
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        if max_streams:
            self.h2.local_settings = h2.settings.Settings(client=False, initial_values={
                h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: max_streams,
                h2.settings.SettingCodes.MAX_HEADER_LIST_SIZE: 1 << 20})

    def go_away(self):
        """No new requests here, says the server; those under way go on."""
        with self.changed:
            last = max(self.streams, default=0)
            self.wire.send(self.h2.data_to_send() + goaway_frame(last))

    def run(self):
        try:
            self.h2.initiate_connection()
            if self.max_streams:  # h2 would enforce it before the client can have read it
                self.h2.local_settings = h2.settings.Settings(client=False)
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
        if isinstance(event, h2.events.PingReceived):
            self.pings += 1
        elif isinstance(event, h2.events.PingAckReceived):
            self.pongs += 1
        elif isinstance(event, h2.events.SettingsAcknowledged):
            self.limit_known = True
        elif isinstance(event, h2.events.RequestReceived) and self.too_many():
            self.h2.reset_stream(event.stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
        elif isinstance(event, h2.events.RequestReceived):
            self.most = max(self.most, 1 + len([s for s in self.streams.values() if not s.closed]))
            stream = self.streams[event.stream_id] = Stream2(self, event.stream_id)
            threading.Thread(target=self.serve, args=(event.headers, stream), daemon=True).start()
        elif isinstance(event, h2.events.StreamReset):
            self.streams[event.stream_id].closed = True

    def too_many(self):
        """Whether this request is to be refused."""
        if not self.max_streams or self.h2.open_inbound_streams <= self.max_streams:
            return False
        if self.limit_known:
            raise ConnectionError("more streams than allowed")
        return True


def goaway_frame(last):
    """As h2 would send it, which then would refuse to go on with what is under way."""
    return struct.pack(">IBI", 8 << 8 | 7, 0, 0) + struct.pack(">II", last, 0)


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


def shovel(sock, far, first=b""):
    """Bytes in both directions until one side ends."""
    if first:
        far.sendall(first)
    ends = {sock: far, far: sock}
    while True:
        for ready in select.select(list(ends), [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            ends[ready].sendall(data)


def reach(names, host, port):
    """names: what the proxy alone can resolve."""
    return socket.create_connection((names.get(host, host), int(port)))


class Proxy(Listener):
    """An HTTP proxy with CONNECT; the heads of what it was asked are kept.  context: it is an https proxy."""

    def __init__(self, context=None, reply=b"HTTP/1.1 200 Connection established\r\n\r\n"):
        self.heads, self.names, self.context, self.reply = [], {}, context, reply
        super().__init__()

    def connection(self, sock, number):
        if self.context:
            with self.context.wrap_socket(sock, server_side=True) as tls:
                return self.tunnel(tls, True)
        return self.tunnel(sock, False)

    def tunnel(self, sock, tls):
        head = b""
        while b"\r\n\r\n" not in head:
            data = sock.recv(4096)
            if not data:
                return
            head += data
        self.heads.append(head.decode())
        host, port = head.split()[1].decode().rsplit(":", 1)
        with reach(self.names, host, port) as far:
            sock.sendall(self.reply)
            if self.reply.startswith(b"HTTP/1.1 200"):
                self.relay(sock, far) if tls else shovel(sock, far)

    @staticmethod
    def relay(sock, far):
        """As shovel(), but TLS may hold bytes that select() does not see; one thread for each direction."""
        def back():
            try:
                while data := far.recv(65536):
                    sock.sendall(data)
            except OSError:
                pass
            far.close()
        threading.Thread(target=back, daemon=True).start()
        while data := sock.recv(65536):
            far.sendall(data)


class Socks(Listener):
    """A SOCKS5 proxy; what it was asked for is kept as (kind of address, host, port)."""

    def __init__(self):
        self.asked, self.names, self.users = [], {}, []
        super().__init__()

    @staticmethod
    def take(sock, n):
        data = b""
        while len(data) < n:
            more = sock.recv(n - len(data))
            if not more:
                raise ConnectionError("closed")
            data += more
        return data

    def connection(self, sock, number):
        _, n = self.take(sock, 2)
        methods = self.take(sock, n)
        sock.sendall(b"\x05\x02" if 2 in methods else b"\x05\x00")
        if 2 in methods:
            user = self.take(sock, self.take(sock, 2)[1])
            self.users.append((user.decode(), self.take(sock, self.take(sock, 1)[0]).decode()))
            sock.sendall(b"\x01\x00")
        kind = self.take(sock, 4)[3]
        host = self.take(sock, self.take(sock, 1)[0]).decode() if kind == 3 else socket.inet_ntoa(self.take(sock, 4))
        port = struct.unpack(">H", self.take(sock, 2))[0]
        self.asked.append(({1: "address", 3: "name"}[kind], host, port))
        with reach(self.names, host, port) as far:
            sock.sendall(b"\x05\x00\x00\x01" + bytes(6))
            shovel(sock, far)
