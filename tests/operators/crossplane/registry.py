#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""registry.py PORT: a container registry with Crossplane packages, made from packages() when they are asked for.

A package is an image whose only layer holds package.yaml. What it does not have is answered with 404, "torn" has a layer
that is no package, "closed" asks for a login.
"""

import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

IMAGE = "application/vnd.docker.distribution.manifest.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
META = "meta.pkg.crossplane.io/v1"


def packages(host):
    """{repository: {tag: documents}}."""

    def meta(kind, name, needs=(), **more):
        depends = [{kind_of(n): f"{host}/shop/{n}", "version": ">=v1.0.0"} for n in needs]
        return {
            "apiVersion": META,
            "kind": kind,
            "metadata": {"name": name},
            "spec": {**({"dependsOn": depends} if depends else {}), **more},
        }

    def definition(kind):
        plural = kind.lower() + "s"
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.store.example.org"},
            "spec": {
                "group": "store.example.org",
                "scope": "Cluster",
                "names": {
                    "kind": kind,
                    "plural": plural,
                    "singular": kind.lower(),
                    "listKind": kind + "List",
                    "categories": ["crossplane", "managed", "store"],
                },
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "subresources": {"status": {}},
                        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                    }
                ],
            },
        }

    def provider(name, *kinds, **more):
        return [meta("Provider", name, **more), *map(definition, kinds)]

    composite = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xshelves.store.example.org"},
        "spec": {
            "group": "store.example.org",
            "names": {"kind": "XShelf", "plural": "xshelves"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "referenceable": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                        }
                    },
                }
            ],
        },
    }
    return {
        "shop/provider-shelf": {"v1.0.0": provider("provider-shelf", "Shelf")},
        "shop/provider-rack": {
            "v1.0.0": provider("provider-rack", "Rack"),
            "v1.1.0": provider("provider-rack", "Rack", "Ladder"),
        },
        "shop/provider-missing": {"v1.0.0": provider("provider-missing", "Crate")},
        "shop/provider-crash": {"v1.0.0": provider("provider-crash", "Basket")},
        "shop/provider-clashing": {"v1.0.0": provider("provider-clashing", "Shelf")},
        "shop/provider-manual": {"v1.0.0": provider("provider-manual", "Drawer")},
        "shop/provider-paused": {"v1.0.0": provider("provider-paused", "Tray")},
        "shop/function-sorting": {"v1.0.0": [meta("Function", "function-sorting")]},
        "shop/function-missing": {"v1.0.0": [meta("Function", "function-missing")]},
        "shop/configuration-store": {
            "v1.0.0": [meta("Configuration", "configuration-store", ["provider-shelf"]), composite]
        },
        "shop/configuration-orphan": {"v1.0.0": [meta("Configuration", "configuration-orphan", ["provider-nowhere"])]},
        "shop/configuration-old": {
            "v1.0.0": [meta("Configuration", "configuration-old", crossplane={"version": ">=v9.0.0"})]
        },
        "shop/configuration-torn": {"v1.0.0": None},
    }


def kind_of(name):
    return name.partition("-")[0]


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def image(documents):
    """(manifest, {digest: blob}) of a package."""
    text = "\n---\n".join(json.dumps(d) for d in documents) if documents else "this: is: no package"
    data, tar = text.encode(), io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        entry = tarfile.TarInfo("package.yaml")
        entry.size, entry.mode = len(data), 0o644
        archive.addfile(entry, io.BytesIO(data))
    layer = gzip.compress(tar.getvalue(), mtime=0)
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [digest(tar.getvalue())]},
            "history": [{"created": "2026-01-01T00:00:00Z"}],
        }
    ).encode()
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": IMAGE,
            "config": {"mediaType": CONFIG, "size": len(config), "digest": digest(config)},
            "layers": [
                {
                    "mediaType": LAYER,
                    "size": len(layer),
                    "digest": digest(layer),
                    "annotations": {"io.crossplane.xpkg": "base"},
                }
            ],
        }
    ).encode()
    return manifest, {digest(config): config, digest(layer): layer}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, data=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def refuse(self, status, code, message):
        self.reply(status, json.dumps({"errors": [{"code": code, "message": message}]}).encode())

    def do_GET(self):
        if self.path == "/v2/":
            return self.reply(200, b"{}")
        asked = re.fullmatch(r"/v2/(.+)/(manifests|blobs|tags)/([^/?]+)(\?.*)?", self.path)
        if not asked:
            return self.refuse(404, "UNSUPPORTED", "no such path")
        repository, what, name = asked[1], asked[2], asked[3]
        if "closed" in repository:
            return self.refuse(401, "UNAUTHORIZED", "authentication required")
        tags = packages(self.headers["Host"]).get(repository)
        if tags is None:
            return self.refuse(404, "NAME_UNKNOWN", f"repository {repository} is not known to the registry")
        if what == "tags":
            return self.reply(200, json.dumps({"name": repository, "tags": sorted(tags)}).encode())
        for tag, documents in tags.items():
            manifest, blobs = image(documents)
            if what == "manifests" and name in (tag, digest(manifest)):
                return self.reply(200, manifest, IMAGE, Docker_Content_Digest=digest(manifest))
            if what == "blobs" and name in blobs:
                return self.reply(200, blobs[name], "application/octet-stream", Docker_Content_Digest=name)
        self.refuse(404, "MANIFEST_UNKNOWN", f"manifest {name} is not known to the registry")

    do_HEAD = do_GET


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    server.daemon_threads = True
    server.serve_forever()
