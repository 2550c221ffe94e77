#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arm.py PORT: the part of Azure Resource Manager that the Azure service operator needs, in memory, over plain HTTP.

A resource is what was last put under its path. The words in a resource's own name decide how the service behaves:

    slow        the operation to create it never ends             sluggish   it takes 12 s
    bad         400, a request that can never succeed             taken      409, the name belongs to somebody else
    forbidden   403, the role assignment is missing               policy     403, disallowed by policy
    busy        409 another operation, for the first 40 s         throttled  429
    boom        500                                               collapse   the operation is accepted and fails after 6 s
    locked      cannot be deleted: 409 ScopeLocked                lingering  the operation to delete it never ends

A body that names the place "atlantis" is refused, in updates too.  POST /set?path=...&state=... changes a resource's state
as somebody does who uses the portal.
"""

import itertools
import json
import re
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOCK = threading.Lock()
RESOURCES = {}  # lower-case path -> body
ASKED = {}  # lower-case path -> what was last put there
OPERATIONS = {}  # number -> {end, path, error, deletes}
FIRST = {}  # lower-case path -> when it was first asked for
NUMBERS = itertools.count(1)

REFUSED = {
    "bad": (400, "InvalidParameterValue", "The value of parameter 'name' is invalid."),
    "taken": (409, "StorageAccountAlreadyTaken", "The storage account named '%s' is already taken."),
    "forbidden": (
        403,
        "AuthorizationFailed",
        "The client 'operator' does not have authorization to perform the write action over scope '%s'.",
    ),
    "policy": (403, "RequestDisallowedByPolicy", "Resource '%s' was disallowed by policy."),
    "throttled": (
        429,
        "TooManyRequests",
        "The request is being throttled as the limit has been reached for the operation type.",
    ),
    "boom": (500, "InternalServerError", "Encountered internal server error."),
}
LASTING = ("/flexibleservers/", "/privatednszones/", "/storageaccounts/")  # kinds whose creation is an operation


def refusal(path, body):
    """(HTTP status, code, message) of a request to create or update that is refused, else None."""
    name = path.rpartition("/")[2]
    for word, (status, code, message) in REFUSED.items():
        if word in name:
            return status, code, message % name if "%s" in message else message
    if "busy" in name and time.time() - FIRST.setdefault(path, time.time()) < 40:
        return 409, "AnotherOperationInProgress", "Another operation on this or a dependent resource is in progress."
    if body.get("location") == "atlantis":
        return (
            400,
            "LocationNotAvailableForResourceType",
            "The provided location 'atlantis' is not available for resource type.",
        )
    parent = re.match(r"(/subscriptions(?:/[^/]+){7})/", path)
    if parent and RESOURCES.get(parent[1], {}).get("properties", {}).get("provisioningState") != "Succeeded":
        return (
            404,
            "ParentResourceNotFound",
            f"Failed to perform 'write' on resource: the parent resource '{parent[1].rpartition('/')[2]}' could not be found.",
        )
    group = re.match(r"(/subscriptions/[^/]+/resourcegroups/[^/]+)/", path)
    if group and group[1] not in RESOURCES:
        return 404, "ResourceGroupNotFound", f"Resource group '{group[1].rpartition('/')[2]}' could not be found."
    return None


def lasts(path):
    """How many seconds it takes to create or update; 0: it is done at once, None: for ever."""
    name = path.rpartition("/")[2]
    if "slow" in name:
        return None
    if "sluggish" in name:
        return 12
    if "collapse" in name:
        return 6
    return 5 if path.count("/") == 8 and any(kind in path for kind in LASTING) else 0


def settled(operation):
    return operation["end"] is not None and time.time() >= operation["end"]


def status_of(operation):
    """What a poll of an operation answers; what it does when it ends happens here."""
    if not settled(operation):
        return {"status": "InProgress"}
    if operation["error"]:
        return {"status": "Failed", "error": {"code": "ServerProvisioningFailed", "message": operation["error"]}}
    if operation["deletes"]:
        RESOURCES.pop(operation["path"], None)
    elif operation["path"] in RESOURCES:
        finish(operation["path"])
    return {"status": "Succeeded"}


def finish(path):
    properties = RESOURCES[path].setdefault("properties", {})
    properties["provisioningState"] = "Succeeded"
    if "/flexibleservers/" in path and path.count("/") == 8:
        properties.setdefault("state", "Ready")
        properties["fullyQualifiedDomainName"] = path.rpartition("/")[2] + ".postgres.database.example.org"
    if "/userassignedidentities/" in path and path.count("/") == 8:
        properties |= {
            "principalId": "11111111-0000-4000-8000-000000000001",
            "clientId": "11111111-0000-4000-8000-000000000002",
            "tenantId": "11111111-0000-4000-8000-000000000003",
        }
    if "/storageaccounts/" in path and path.count("/") == 8:
        properties["primaryEndpoints"] = {"blob": f"https://{path.rpartition('/')[2]}.blob.example.org/"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def refuse(self, status, code, message):
        self.reply(status, {"error": {"code": code, "message": message}})

    def ask(self):
        """The path in lower case, as Resource Manager compares it, and the body."""
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        return urllib.parse.urlsplit(self.path).path.lower(), body

    def operation(self, path, seconds, error=None, deletes=False):
        number = next(NUMBERS)
        end = None if seconds is None else time.time() + seconds
        OPERATIONS[number] = {"end": end, "path": path, "error": error, "deletes": deletes}
        return f"https://{self.headers['Host']}/operations/{number}"

    def do_PUT(self):
        path, body = self.ask()
        with LOCK:
            refused = refusal(path, body)
            if refused:
                return self.refuse(*refused)
            new, name = path not in RESOURCES, path.rpartition("/")[2]
            if (
                not new
                and ASKED.get(path) == body
                and RESOURCES[path]["properties"]["provisioningState"] == "Succeeded"
            ):
                return self.reply(200, RESOURCES[path])
            ASKED[path] = body
            kept = RESOURCES.get(path, {}).get("properties", {})
            RESOURCES[path] = {"id": urllib.parse.urlsplit(self.path).path, "name": name} | body
            RESOURCES[path]["properties"] = (
                (body.get("properties") or {})
                | {"provisioningState": "Updating"}
                | {key: value for key, value in kept.items() if key in ("state", "fullyQualifiedDomainName")}
            )
            seconds = lasts(path)
            if seconds == 0:
                finish(path)
                return self.reply(201 if new else 200, RESOURCES[path])
            error = "The server could not be provisioned in this zone." if "collapse" in name else None
            link = self.operation(path, seconds, error)
            if "/storageaccounts/" in path:  # the older protocol: a place to ask that answers 202 until it is done
                return self.reply(202, None, Location=link + "/result", Retry_After="2")
            self.reply(201, RESOURCES[path], Azure_AsyncOperation=link, Retry_After="2")

    def do_GET(self):
        path, _ = self.ask()
        with LOCK:
            asked = re.fullmatch(r"/operations/(\d+)(/result)?", path)
            if asked:
                operation = OPERATIONS[int(asked[1])]
                told = status_of(operation)
                if asked[2]:
                    done = told["status"] == "Succeeded"
                    return self.reply(
                        200 if done else 202,
                        RESOURCES.get(operation["path"]) if done else None,
                        Location=f"https://{self.headers['Host']}{path}",
                        Retry_After="2",
                    )
                return self.reply(200, told, Retry_After="2")
            if path in RESOURCES:
                return self.reply(200, RESOURCES[path])
            self.refuse(404, "ResourceNotFound", f"The Resource '{path.rpartition('/')[2]}' was not found.")

    do_HEAD = do_GET

    def do_DELETE(self):
        path, _ = self.ask()
        with LOCK:
            name = path.rpartition("/")[2]
            if path not in RESOURCES:
                return self.reply(204)
            if "locked" in name:
                return self.refuse(
                    409,
                    "ScopeLocked",
                    f"The scope '{path}' cannot perform delete operation because following scope(s) are locked: '{path}'.",
                )
            if "lingering" in name:
                return self.reply(
                    202, None, Location=self.operation(path, None, deletes=True) + "/result", Retry_After="5"
                )
            for inner in [p for p in RESOURCES if p == path or p.startswith(path + "/")]:
                del RESOURCES[inner]
            self.reply(200)

    def do_POST(self):
        path, _ = self.ask()
        with LOCK:
            if path == "/set":
                asked = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                RESOURCES[asked["path"][0].lower()]["properties"]["state"] = asked["state"][0]
                return self.reply(200, {})
            if path.endswith("/listkeys"):
                return self.reply(
                    200, {"keys": [{"keyName": "key1", "value": "a2V5"}, {"keyName": "key2", "value": "a2V5"}]}
                )
            self.refuse(404, "NotFound", "There is no such action.")


if __name__ == "__main__":
    # What existed before anybody used the operator.
    RESOURCES["/subscriptions/00000000-0000-4000-8000-000000000000/resourcegroups/rg-adopted"] = {
        "id": "/subscriptions/00000000-0000-4000-8000-000000000000/resourceGroups/rg-adopted",
        "name": "rg-adopted",
        "location": "westeurope",
        "properties": {"provisioningState": "Succeeded"},
    }
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    server.daemon_threads = True
    server.serve_forever()
