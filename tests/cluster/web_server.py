# SPDX-License-Identifier: Apache-2.0
"""A web server that serves a directory read-only and answers range requests, as nginx does."""
import contextlib
import http.server
import os
import re
import socket
import threading


def host_address():
    """An address of this host that is not loopback, to which an EndpointSlice may lead; None: there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # nothing is sent
            return s.getsockname()[0]
        except OSError:
            return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name, wanted = self.path.split("?")[0].lstrip("/"), self.headers.get("Range")
        self.server.asked.append((name, wanted))
        if self.server.dies_at and name.startswith(self.server.dies_at):
            self.server.dies_at = None
            threading.Thread(target=self.server.shutdown).start()
            self.close_connection = True
            return
        try:
            with open(os.path.join(self.server.folder, os.path.basename(name)), "rb") as f:
                data = f.read()
        except OSError:
            self.send_error(404)
            return
        status, size = 200, len(data)
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", wanted or "") if self.server.ranges else None
        if found:
            first, last = int(found.group(1)), min(int(found.group(2)), size - 1)
            status = 206 if first < size else 416
            data = data[first:last + 1] if first < size else b""
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, size))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.server.sent += len(data)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def process_request(self, request, client_address):
        """Each connection is known before its thread begins: none outlives the end of the server."""
        self.connections.append(request)
        super().process_request(request, client_address)


class WebServer:
    """
    with WebServer(folder, address) as web: web.port, web.asked [(name, Range header)], web.sent bytes.  stop() and start() are a restart
    at the same port.
    """

    def __init__(self, folder, address, port=0, ranges=True):
        self.folder, self.address, self.port, self.ranges = folder, address, port, ranges
        self.thread = None
        self.start()

    def start(self, dies_at=None):
        """dies_at: it stops, without an answer, when a file is asked for whose name begins so."""
        self.server = Server((self.address, self.port), Handler)
        self.server.folder, self.server.asked, self.server.sent, self.server.ranges = self.folder, [], 0, self.ranges
        self.server.dies_at, self.server.connections = dies_at, []
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self._serve, args=(self.server,), daemon=True)
        self.thread.start()

    def _serve(self, server):
        server.serve_forever()
        server.server_close()
        for connection in server.connections:
            with contextlib.suppress(OSError):  # it was closed before
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def asked(self):
        return self.server.asked

    @property
    def sent(self):
        return self.server.sent

    @property
    def runs(self):
        return self.thread.is_alive()

    def stop(self):
        if self.runs:
            self.server.shutdown()
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
