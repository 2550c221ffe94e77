# SPDX-License-Identifier: Apache-2.0
"""A fake API server for what a real one does only on a bad day.

It speaks TLS, HTTP/1.1 and HTTP/2, answers discovery, lists (in pages) and
watches from a small store, logs every request, and follows a script:

    fake.on("/api/v1/pods", status(503, "ServiceUnavailable", headers={"retry-after": "1"}))

makes the next request of that path fail; `when=` narrows it, `times=` repeats it.
A reply is a function of (request, stream), see the end of this file.
"""
import hashlib
import json
import ssl
import subprocess
import threading
import time
import urllib.parse

import h2.exceptions

from wire import Connection2, Listener, Request, Stream1, Wire

END, RESET, HANG_UP = object(), object(), object()  # for inject(): how a watch ends
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
TYPES = (  # group, version, plural, kind, namespaced
    ("", "v1", "namespaces", "Namespace", False),
    ("", "v1", "secrets", "Secret", True),
    ("", "v1", "pods", "Pod", True),
    ("example.org", "v1", "widgets", "Widget", True),
    ("example.org", "v1", "gadgets", "Gadget", True),
)


def openssl(folder, *args):
    subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    """ca.crt, other.crt (another authority), and server, expired and stranger with their keys."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for ca in ("ca", "other"):
        openssl(folder, "req", "-x509", *key, "-days", "30", "-subj", "/CN=" + ca,
                "-keyout", ca + ".key", "-out", ca + ".crt")
    for name, san, days in (("server", "IP:127.0.0.1,DNS:localhost,DNS:kubernetes", "30"),
                            ("expired", "IP:127.0.0.1", "0"), ("stranger", "DNS:elsewhere.example", "30")):
        openssl(folder, "req", *key, "-subj", "/CN=" + name, "-addext", "subjectAltName=" + san,
                "-keyout", name + ".key", "-out", name + ".csr")
        openssl(folder, "x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                "-CAcreateserial", "-copy_extensions", "copy", "-days", days, "-out", name + ".crt")


class FakeApi(Listener):
    def __init__(self, folder, types=TYPES, certificate="server", tls=True, http2=True, max_streams=None, tune=None):
        self.folder, self.types, self.certificate, self.http2, self.tls = folder, types, certificate, http2, tls
        self.max_streams, self.tune, self.connections = max_streams, tune, []  # tune: of the TLS context
        self.aggregated, self.stale, self.preferred = True, set(), {}  # aggregated: also the one root that is
        self.aggregated_as = AGGREGATED
        self.streaming = False  # streaming lists: False: refused; "unmarked": as a server that does not know of them
        self.requests, self.script, self.objects, self.log = [], [], {}, []
        self.watches = []  # those that were answered, and their streams
        self.version, self.forgotten = 100, 0
        self.changed = threading.Condition(threading.RLock())
        self.context = self._context() if tls else None
        super().__init__()
        self.url = "%s://127.0.0.1:%d" % ("https" if tls else "http", self.port)

    def _context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("%s/%s.crt" % (self.folder, self.certificate), "%s/%s.key" % (self.folder, self.certificate))
        context.set_alpn_protocols((["h2"] if self.http2 else []) + ["http/1.1"])

        def remember(tls, name, _context):
            tls.wire.sni = name
        context.sni_callback = remember
        if self.tune:
            self.tune(context)
        return context

    def connection(self, sock, number):
        wire = Wire(sock, self.context)
        if wire.protocol() == "h2":
            def serve(fields, stream):
                self._answer(Request(number, wire, "h2", fields), stream)
            self.connections.append(Connection2(wire, serve, self.max_streams))
            self.connections[-1].run()
            return None
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = wire.recv()
                if not more:
                    return None
                data += more
                if data[0] == 0x16:  # a TLS hello to a server without: as Go answers
                    return wire.send(b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTPS request to an HTTP server.\n")
            head, data = data.split(b"\r\n\r\n", 1)
            lines = head.decode().split("\r\n")
            fields = [(":path", lines[0].split()[1])] + [tuple(x.split(": ", 1)) for x in lines[1:]]
            self._answer(Request(number, wire, "http/1.1", fields), Stream1(wire))

    # -- the script --------------------------------------------------------------

    def on(self, path, reply, when=None, times=1):
        """The next requests of that path (or that match when) get this reply; times=0: all of them."""
        with self.changed:
            self.script.append([path, when, reply, times])

    def _scripted(self, request):
        with self.changed:
            request.log_at = len(self.log)  # who saw the request may inject into its watch from now on
            self.requests.append(request)
            self.changed.notify_all()
            for row in self.script:
                path, when, reply, times = row
                if path in ("*", request.path) and (not when or when(request)):
                    if times == 1:
                        self.script.remove(row)
                    row[3] -= 1
                    return reply
        return None

    def _answer(self, request, stream):
        reply = self._scripted(request)
        try:
            (reply or self.serve)(request, stream)
        except (OSError, ssl.SSLError, h2.exceptions.H2Error):
            pass

    def seen(self, path=None, watch=None):
        with self.changed:
            return [r for r in self.requests if path in (None, r.path) and watch in (None, r.watch)]

    def watched(self):
        """The plurals whose watch is open now."""
        self.watches = [(request, stream) for request, stream in self.watches if not stream.gone()]
        return {request.path.rpartition("/")[2] for request, stream in self.watches}

    def await_requests(self, n, path=None, watch=None, seconds=60):
        with self.changed:
            done = self.changed.wait_for(lambda: len(self.seen(path, watch)) >= n, seconds)
        assert done, "only %r" % self.requests
        return self.seen(path, watch)

    # -- the store ---------------------------------------------------------------

    def put(self, plural, name, ns="default", labels=None, **fields):
        group, version, _, kind, namespaced = next(t for t in self.types if t[2] == plural)
        with self.changed:
            self.version += 1
            key = plural, ns if namespaced else "", name
            old = self.objects.get(key)
            uid = fields.pop("uid", "uid-%d" % self.version)
            meta = {"name": name, "uid": old["metadata"]["uid"] if old else uid,
                    "resourceVersion": str(self.version), "creationTimestamp": fields.pop("created", "2026-01-01T00:00:00Z")}
            if namespaced:
                meta["namespace"] = ns
            if labels:
                meta["labels"] = labels
            body = {"apiVersion": group + "/" + version if group else version, "kind": kind, "metadata": meta, **fields}
            self.objects[key] = body
            self._event(plural, "MODIFIED" if old else "ADDED", body)
        return body

    def delete(self, plural, name, ns="default"):
        with self.changed:
            self.version += 1
            body = self.objects.pop((plural, ns, name))
            body = {**body, "metadata": {**body["metadata"], "resourceVersion": str(self.version)}}
            self._event(plural, "DELETED", body)

    def bookmark(self, plural):
        with self.changed:
            self.version += 1
            kind = next(t[3] for t in self.types if t[2] == plural)
            self._event(plural, "BOOKMARK", {"kind": kind, "metadata": {"resourceVersion": str(self.version)}})

    def inject(self, plural, *raw):
        """Bytes as they are, or END, RESET, HANG_UP, to the watches that are open now."""
        with self.changed:
            for piece in raw:
                self.log.append((None, plural, piece))
            self.changed.notify_all()

    def compact(self):
        """Watches from before now get ERROR 410."""
        with self.changed:
            self.version += 1
            self.forgotten = self.version

    def _event(self, plural, kind, body):
        self.log.append((self.version, plural, json.dumps({"type": kind, "object": body}, ensure_ascii=False).encode() + b"\n"))
        self.changed.notify_all()

    # -- answers -----------------------------------------------------------------

    def serve(self, request, stream):
        parts = [urllib.parse.unquote(p) for p in request.path.strip("/").split("/")]
        if request.path == "/version":
            return answer({"major": "1", "gitVersion": "v1.36.0"})(request, stream)
        if request.path in ("/api", "/apis"):
            return self._roots(request, stream)
        if parts[0] == "api":
            parts[0:1] = ["apis", ""]
        if len(parts) < 3:
            return status(404, "NotFound", "the server could not find the requested resource")(request, stream)
        group, version, rest = parts[1], parts[2], parts[3:]
        if not rest:
            return self._resources(group, version)(request, stream)
        ns = rest[1] if rest[0] == "namespaces" and len(rest) > 2 else ""
        rest = rest[2:] if ns else rest
        if (group, version, rest[0]) not in [t[:3] for t in self.types]:
            return status(404, "NotFound", "the server could not find the requested resource")(request, stream)
        if len(rest) > 1:
            body = self.objects.get((rest[0], ns, rest[1]))
            return (answer(body) if body else status(404, "NotFound", "not found"))(request, stream)
        return self._watch(rest[0], ns, request, stream) if request.watch else self._list(rest[0], ns)(request, stream)

    def _groups(self, core):
        return {g: [v for x, v, *_ in self.types if x == g] for g, *_ in self.types if (g == "") == core}

    def _roots(self, request, stream):
        core = request.path == "/api"
        if self.aggregated not in (True, request.path):
            doc = {"kind": "APIVersions", "versions": ["v1"]} if core else {"kind": "APIGroupList", "groups": [
                {"name": g, "versions": [{"groupVersion": g + "/" + v, "version": v} for v in dict.fromkeys(vs)],
                 "preferredVersion": {"groupVersion": g + "/" + self.preferred.get(g, vs[0])}}
                for g, vs in self._groups(core).items()]}
            return answer(doc)(request, stream)
        items = [{"metadata": {"name": g}, "versions": [
            {"version": v, "freshness": "Stale" if (g, v) in self.stale else "Current", "resources": [
                {"resource": plural, "responseKind": {"kind": kind}, "scope": "Namespaced" if namespaced else "Cluster",
                 "singularResource": kind.lower(), "verbs": ["get", "list", "watch"]}
                for x, y, plural, kind, namespaced in self.types if (x, y) == (g, v) and (g, v) not in self.stale]}
            for v in dict.fromkeys(vs)]} for g, vs in self._groups(core).items()]
        body = json.dumps({"kind": "APIGroupDiscoveryList", "items": items}).encode()
        etag = '"%s"' % hashlib.sha256(body).hexdigest()[:16].upper()
        if request.headers.get("if-none-match") == etag:
            return answer(b"", 304, {"etag": etag})(request, stream)
        return answer(body, 200, {"etag": etag, "content-type": self.aggregated_as})(request, stream)

    def _resources(self, group, version):
        found = [{"name": plural, "singularName": kind.lower(), "namespaced": namespaced, "kind": kind,
                  "verbs": ["get", "list", "watch"]} for g, v, plural, kind, namespaced in self.types if (g, v) == (group, version)]
        return answer({"kind": "APIResourceList", "groupVersion": group + "/" + version if group else version, "resources": found})

    @staticmethod
    def _chosen(body, request):
        """By the selectors: a name, and labels by k=v."""
        meta = body["metadata"]
        name = request.query.get("fieldSelector", "").partition("metadata.name=")[2]
        labels = [x.split("=") for x in request.query.get("labelSelector", "").split(",") if "=" in x]
        return name in ("", meta["name"]) and all(meta.get("labels", {}).get(k) == v for k, v in labels)

    def _items(self, plural, ns, request):
        """Each as an object of the group and version that the path names."""
        parts = request.path.split("/")
        api = "/".join(parts[2:4]) if parts[1] == "apis" else parts[2]
        return [o if o["apiVersion"] == api else {**o, "apiVersion": api} for (p, n, _), o in sorted(self.objects.items())
                if p == plural and ns in ("", n) and self._chosen(o, request)]

    def _left(self, piece, ns, request):
        """The event as a watch of a namespace and with a selector sends it; None when it is of nobody whom these ever chose."""
        change = json.loads(piece)
        if change["type"] != "BOOKMARK" and ns not in ("", change["object"]["metadata"].get("namespace", "")):
            return None
        if change["type"] == "BOOKMARK" or self._chosen(change["object"], request):
            return piece
        return None if change["type"] == "ADDED" else event("DELETED", change["object"])

    def _list(self, plural, ns):
        def reply(request, stream):
            with self.changed:
                items, version = self._items(plural, ns, request), str(self.version)
            start = int(request.query.get("continue", "0").partition(" ")[0])
            limit = int(request.query.get("limit", 0)) or len(items)
            meta = {"resourceVersion": version}
            if start + limit < len(items):
                meta.update({"continue": "%d &=+/%%?é" % (start + limit), "remainingItemCount": len(items) - start - limit})
            answer({"kind": "List", "metadata": meta, "items": items[start:start + limit]})(request, stream)
        return reply

    def _initial(self, items, version, stream):
        """What there is, and the marker behind it."""
        for item in items:
            stream.body(event("ADDED", item))
        if self.streaming != "unmarked":
            stream.body(event("BOOKMARK", {"kind": "Marker", "metadata": {
                "resourceVersion": str(version), "annotations": {"k8s.io/initial-events-end": "true"}}}))

    def _watch(self, plural, ns, request, stream):
        initial = request.query.get("sendInitialEvents") == "true"
        with self.changed:
            items, version = self._items(plural, ns, request), self.version
            since = version if initial else int(request.query["resourceVersion"])
            start, at = request.log_at, 0
            expired = since < self.forgotten
        if initial and not self.streaming:
            return status(422, "Invalid", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch "
                          "unless the WatchList feature gate is enabled")(request, stream)
        stream.head(200, [("content-type", "application/json")])
        self.watches.append((request, stream))
        if initial:
            self._initial(items, version, stream)
        if expired:
            stream.body(event("ERROR", {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired",
                                        "message": "too old resource version"}))
            return stream.end()
        while not stream.gone():
            with self.changed:
                self.changed.wait_for(lambda: at < len(self.log), 0.05)
                news, at, old = self.log[at:], len(self.log), max(0, start - at)
            for i, (version, kind, piece) in enumerate(news):
                if kind != plural or (version is None and i < old) or (version is not None and version <= since):
                    continue
                piece = self._left(piece, ns, request) if version is not None else piece
                if piece is None:
                    continue
                if piece in (END, RESET, HANG_UP):
                    return {END: stream.end, RESET: stream.reset, HANG_UP: stream.hang_up}[piece]()
                stream.body(piece)
        return None


# -- replies -----------------------------------------------------------------------


def event(kind, body):
    return json.dumps({"type": kind, "object": body}).encode() + b"\n"


def answer(body, code=200, headers=None):
    """A whole answer; body: bytes, or what becomes JSON."""
    def reply(_request, stream):
        fields = {"content-type": "application/json", **(headers or {})}
        stream.head(code, [(k, v) for k, value in fields.items() for v in ([value] if isinstance(value, str) else value)])
        stream.body(body if isinstance(body, bytes) else json.dumps(body).encode())
        stream.end()
    return reply


def status(code, reason, message="", headers=None):
    return answer({"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}, code, headers)


def broken(data, how):
    """The beginning of a JSON answer, and then END, RESET or HANG_UP."""
    def reply(_request, stream):
        stream.head(200, [("content-type", "application/json")])
        stream.body(data)
        {END: stream.end, RESET: stream.reset, HANG_UP: stream.hang_up}[how]()
    return reply


def hang_up(_request, stream):
    """The connection ends without an answer."""
    stream.hang_up()


def stall(_request, stream):
    """No answer at all."""
    while not stream.gone():
        time.sleep(0.02)


def drip(data, every=0.05):
    """A byte now and then, for ever when the client waits."""
    def reply(_request, stream):
        stream.head(200, [("content-type", "application/json")])
        for i in range(len(data)):
            if stream.gone():
                return
            stream.body(data[i:i + 1])
            time.sleep(every)
        stream.end()
    return reply
