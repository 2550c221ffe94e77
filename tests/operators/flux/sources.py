#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sources.py FOLDER PORT: the places that Flux fetches from, on the loopback address, over plain HTTP.

    /git/NAME.git        the repository FOLDER/git/NAME (a work tree), by git's own http-backend
    /charts/...          the files of FOLDER/charts: a Helm repository
    /v2/...              the artifacts of FOLDER/oci/NAME/TAG/layer.tar.gz: a read-only registry
    /NAME/...            the files of FOLDER/buckets/NAME, as S3 lists them
"""
import functools
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import urllib.parse

LAYER = "application/vnd.cncf.flux.content.v1.tar+gzip"
CONFIG = "application/vnd.cncf.flux.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Sources(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, folder, *args):
        self.folder = folder
        super().__init__(*args)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        parts = [urllib.parse.unquote(p) for p in url.path.split("/") if p]
        if ".." in parts or not parts:
            return self.answer(404)
        first = {"git": self.git, "charts": self.charts, "v2": self.registry}.get(parts[0])
        if first:
            return first(parts[1:], url.query)
        return self.bucket(parts, urllib.parse.parse_qs(url.query, keep_blank_values=True))

    do_HEAD = do_POST = do_GET

    def answer(self, status, body=b"", kind="text/plain", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def file(self, path):
        return self.answer(200, path.read_bytes(), "application/octet-stream") if path.is_file() else self.answer(404)

    # -- git ---------------------------------------------------------------------

    def git(self, parts, query):
        """Git's CGI program answers."""
        name = parts[0].removesuffix(".git")
        if not (self.folder / "git" / name / ".git").is_dir():
            return self.answer(404, b"not found\n")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROJECT_ROOT": str(self.folder / "git"), "PATH_INFO": "/" + "/".join([name, ".git", *parts[1:]]),
            "REQUEST_METHOD": self.command, "QUERY_STRING": query, "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)), "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        told = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True).stdout
        head, _, content = told.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
        return self.answer(int(headers.get("Status", "200").split()[0]), content, headers.get("Content-Type", "text/plain"))

    # -- Helm --------------------------------------------------------------------

    def charts(self, parts, _):
        return self.file(self.folder.joinpath("charts", *parts))

    # -- OCI ---------------------------------------------------------------------

    def registry(self, parts, _):
        if not parts:
            return self.answer(200, b"{}", "application/json")
        name, what, which = parts[0], parts[-2], parts[-1]
        tags = {p.parent.name: self.manifest(p.read_bytes()) for p in (self.folder / "oci" / name).glob("*/layer.tar.gz")}
        if which == "list":
            return self.answer(200, json.dumps({"name": name, "tags": sorted(tags)}).encode(), "application/json")
        for tag, (manifest, blobs) in tags.items():
            if what == "manifests" and which in (tag, digest(manifest)):
                return self.answer(200, manifest, MANIFEST, Docker_Content_Digest=digest(manifest))
            if what == "blobs" and which in blobs:
                return self.answer(200, blobs[which], "application/octet-stream", Docker_Content_Digest=which)
        wrong = {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}
        return self.answer(404, json.dumps(wrong).encode(), "application/json")

    def manifest(self, layer):
        """The manifest of an artifact of one layer, and its blobs."""
        config = b"{}"
        manifest = json.dumps({
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": {"mediaType": CONFIG, "size": len(config), "digest": digest(config)},
            "layers": [{"mediaType": LAYER, "size": len(layer), "digest": digest(layer)}],
            "annotations": {"org.opencontainers.image.revision": "main@sha1:0123456789abcdef0123456789abcdef01234567",
                            "org.opencontainers.image.source": "https://git.example.org/shop"}}).encode()
        return manifest, {digest(config): config, digest(layer): layer}

    # -- S3 ----------------------------------------------------------------------

    def bucket(self, parts, query):
        """What the MinIO client asks of a bucket: its place, its list, its objects."""
        top = self.folder / "buckets" / parts[0]
        if not top.is_dir():
            return self.answer(404, b"<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>",
                               "application/xml")
        if len(parts) > 1:
            return self.object(top.joinpath(*parts[1:]))
        if "location" in query:
            return self.answer(200, b"<LocationConstraint></LocationConstraint>", "application/xml")
        entries = "".join(
            f"<Contents><Key>{p.relative_to(top)}</Key><Size>{p.stat().st_size}</Size><ETag>&quot;{self.etag(p)}&quot;</ETag>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>" for p in sorted(top.rglob("*")) if p.is_file())
        text = f"<ListBucketResult><Name>{parts[0]}</Name><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"
        return self.answer(200, text.encode(), "application/xml")

    def object(self, path):
        if not path.is_file():
            return self.answer(404, b"<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>", "application/xml")
        return self.answer(200, path.read_bytes(), "application/octet-stream", ETag=f'"{self.etag(path)}"',
                           Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT")

    def etag(self, path):
        return hashlib.md5(path.read_bytes()).hexdigest()


def main():
    folder, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Sources, folder)).serve_forever()


if __name__ == "__main__":
    main()
