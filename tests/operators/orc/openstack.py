#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""openstack.py PORT: the parts of Keystone, Neutron, Nova, Glance and Cinder that ORC asks, in memory on the loopback address.

Words in a resource's name decide what happens to it:

    overquota   409 of type OverQuota        clash     409, something like it exists
    malformed   400                          broken    500, for the first 30 s where the name has "soon", too
    faulty      ends in ERROR after 5 s      endless   never becomes usable
    stuck       cannot be deleted: 409

The password "wrong" is refused; a request for the project "nobody" as well.
"""

import json
import re
import sys
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATE = "2026-11-20T08:00:00Z"
SERVICES = {
    "identity": "/identity/v3",
    "network": "/network",
    "compute": "/compute/v2.1",
    "image": "/image",
    "block-storage": "/volume/v3",
}
ALIASES = {"volumev3": "block-storage"}
PROJECT = "5e1f7c0e6d8b4d0c9a3b2f1e0d9c8b7a"
STARTED = time.time()

SINGULAR = {
    "security-groups": "security_group",
    "security-group-rules": "security_group_rule",
    "os-keypairs": "keypair",
    "os-server-groups": "server_group",
    "types": "volume_type",
    "address-scopes": "address_scope",
}
PLURAL = {"os-keypairs": "keypairs", "os-server-groups": "server_groups", "types": "volume_types"}
REFUSED = {
    "overquota": (409, "OverQuota", "Quota exceeded for resources: ['{kind}']."),
    "clash": (409, "InvalidInput", "Unable to complete operation for {kind} {name}: another one like it exists."),
    "malformed": (400, "BadRequest", "Invalid input for {kind}: the request cannot be understood."),
    "broken": (500, "HTTPInternalServerError", "Request Failed: internal server error while processing your request."),
}
DEFAULTS = {
    "networks": {"subnets": [], "mtu": 1450, "admin_state_up": True, "shared": False, "router:external": False},
    "subnets": {
        "gateway_ip": "10.0.0.1",
        "enable_dhcp": True,
        "allocation_pools": [],
        "host_routes": [],
        "dns_nameservers": [],
    },
    "ports": {
        "fixed_ips": [],
        "security_groups": [],
        "mac_address": "fa:16:3e:00:00:01",
        "device_id": "",
        "device_owner": "",
        "admin_state_up": True,
        "allowed_address_pairs": [],
    },
    "routers": {"admin_state_up": True, "external_gateway_info": None},
    "trunks": {"sub_ports": [], "admin_state_up": True},
    "security-groups": {"security_group_rules": []},
    "floatingips": {"floating_ip_address": "203.0.113.7", "router_id": None, "fixed_ip_address": None, "port_id": None},
    "servers": {"addresses": {}, "created": DATE, "updated": DATE},
    "volumes": {"attachments": [], "bootable": "false", "encrypted": False, "multiattach": False, "metadata": {}},
    "images": {
        "visibility": "private",
        "disk_format": "qcow2",
        "container_format": "bare",
        "protected": False,
        "min_disk": 0,
        "min_ram": 0,
        "os_hidden": False,
        "file": "",
        "schema": "",
        "size": 1,
    },
}

resources = {}  # collection -> {id: resource}


def born(collection, **fields):
    """A new resource; _born is when it was made."""
    resource = {
        "id": uuid.uuid4().hex,
        "tags": [],
        "description": "",
        "project_id": PROJECT,
        "tenant_id": PROJECT,
        "created_at": DATE,
        "updated_at": DATE,
        "revision_number": 1,
        **DEFAULTS.get(collection, {}),
        **fields,
        "_born": time.time(),
    }
    if collection == "os-keypairs":
        resource["id"] = resource["name"]
    resources.setdefault(collection, {})[resource["id"]] = resource
    return resource


def seen(collection, resource):
    """The resource as a client sees it now."""
    shown = {key: value for key, value in resource.items() if key != "_born"}
    age, name = time.time() - resource["_born"], resource.get("name") or ""
    bad, busy = "faulty" in name and age > 5, "endless" in name or age < 5
    if collection in ("networks", "routers", "floatingips", "trunks"):
        shown["status"] = "ACTIVE"
    elif collection == "ports":
        shown["status"] = "ACTIVE" if resource["device_owner"] else "DOWN"
    elif collection == "images":
        shown["status"] = "active" if "content" not in name else "queued"
    elif collection == "servers":
        shown["status"] = "ERROR" if bad else "BUILD" if busy else "ACTIVE"
        if bad:
            shown["fault"] = {
                "code": 500,
                "created": DATE,
                "message": "No valid host was found. There are not enough hosts available.",
            }
    elif collection == "volumes":
        shown["status"] = "error" if bad else "creating" if busy else "available"
        shown["created_at"] = shown["updated_at"] = "2026-11-20T08:00:00.000000"
    return shown


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
        self.wfile.write(data)

    def refuse(self, status, kind, message):
        """An error in Neutron's form; the other services' clients only look at the status."""
        self.reply(status, {"NeutronError": {"type": kind, "message": message, "detail": ""}})

    def answer(self):
        url = urllib.parse.urlsplit(self.path)
        query = {key: values[0] for key, values in urllib.parse.parse_qs(url.query).items()}
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(data) if data[:1] in (b"{", b"[") else {}
        path = url.path.rstrip("/")
        if path == "/identity/v3/auth/tokens":
            return self.token(data.decode(errors="replace"))
        for service, base in SERVICES.items():
            rest = path.removeprefix(base)
            if path != rest and (not rest or re.fullmatch(r"/v[0-9.]+", rest)):
                return self.versions(service, base)
            if path != rest:
                parts = re.sub(r"^/(v[0-9.]+/)?(%s/)?" % PROJECT, "", rest).split("/")
                return self.resource(parts, query, body)
        if path == "/identity":
            return self.versions("identity", "/identity/v3", status=300)
        self.refuse(404, "NotFound", "There is no such service.")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def base(self):
        return f"http://{self.headers['Host']}"

    def versions(self, service, base, status=200):
        name = {"network": "v2.0", "image": "v2.9", "compute": "v2.1", "block-storage": "v3.0"}.get(service, "v3.14")
        path = base + {"network": "/v2.0/", "image": "/v2/"}.get(service, "/")
        version = {
            "id": name,
            "status": "stable" if service == "identity" else "CURRENT",
            "version": "2.95",
            "min_version": "2.1",
            "links": [{"rel": "self", "href": self.base() + path}],
        }
        self.reply(status, {"version": version, "versions": {"values": [version]} if status == 300 else [version]})

    def token(self, asked):
        if '"wrong"' in asked or '"nobody"' in asked:
            return self.reply(
                401,
                {
                    "error": {
                        "code": 401,
                        "title": "Unauthorized",
                        "message": "The request you have made requires authentication.",
                    }
                },
            )
        catalog = [
            {
                "type": kind,
                "name": kind,
                "id": kind,
                "endpoints": [
                    {
                        "id": kind + interface,
                        "interface": interface,
                        "region": "north",
                        "region_id": "north",
                        "url": self.base() + SERVICES[ALIASES.get(kind, kind)],
                    }
                    for interface in ("public", "internal", "admin")
                ],
            }
            for kind in (*SERVICES, *ALIASES)
        ]
        domain = {"id": "default", "name": "Default"}
        self.reply(
            201 if self.command == "POST" else 200,
            {
                "token": {
                    "methods": ["password"],
                    "issued_at": "2026-01-01T00:00:00.000000Z",
                    "expires_at": "2099-01-01T00:00:00.000000Z",
                    "user": {"id": "operator", "name": "operator", "domain": domain},
                    "roles": [{"id": "admin", "name": "admin"}],
                    "project": {"id": PROJECT, "name": "campus", "domain": domain},
                    "catalog": catalog,
                }
            },
            X_Subject_Token="token",
        )

    def resource(self, parts, query, body):
        if parts[-1] == "detail":
            parts = parts[:-1]
        collection = parts[0]
        kind = SINGULAR.get(collection, collection.removesuffix("s"))
        known = resources.setdefault(collection, {})
        bare = collection == "images"  # Glance puts no envelope around a resource
        if len(parts) == 1:
            if self.command == "POST":
                return self.create(collection, kind, body if bare else body.get(kind, body), bare)
            found = [seen(collection, r) for r in known.values() if matches(r, query)]
            if collection == "os-keypairs":
                found = [{"keypair": r} for r in found]
            return self.reply(200, {PLURAL.get(collection, collection.replace("-", "_")): found})
        one = known.get(parts[1])
        if one is None:
            return self.refuse(404, "NotFound", f"{kind} {parts[1]} could not be found.")
        if len(parts) > 2:
            return self.part(one, parts[2], body)
        if self.command == "DELETE":
            if "stuck" in (one.get("name") or ""):
                return self.refuse(
                    409,
                    "InUse",
                    f"Unable to complete operation on {kind} {one['id']}. There are one or more ports still in use.",
                )
            del known[parts[1]]
            return self.reply(204)
        if self.command in ("PUT", "PATCH"):
            one |= body.get(kind, {}) if isinstance(body, dict) else {}
            one["revision_number"] += 1
        shown = seen(collection, one)
        self.reply(200, shown if bare else {kind: shown})

    def create(self, collection, kind, asked, bare):
        name = asked.get("name") or ""
        for word, (status, type_, message) in REFUSED.items():
            if word in name and not ("soon" in name and time.time() - STARTED > 30):
                return self.refuse(status, type_, message.format(kind=kind, name=name))
        asked = {key: value for key, value in asked.items() if value is not None}
        if collection == "servers":
            asked |= {"flavor": {"id": asked.get("flavorRef")}, "image": {"id": asked.get("imageRef")}}
            asked.setdefault("metadata", {})
        made = seen(collection, born(collection, **asked))
        status = {
            "servers": 202,
            "volumes": 202,
            "flavors": 200,
            "os-keypairs": 201,
            "os-server-groups": 200,
            "types": 200,
        }.get(collection, 201)
        self.reply(status, made if bare else {kind: made})

    def part(self, one, part, body):
        """What hangs on a resource."""
        if part == "tags":
            one["tags"] = body.get("tags", []) if isinstance(body, dict) else []
            return self.reply(200, {"tags": one["tags"]})
        if part == "add_router_interface":
            port = born(
                "ports",
                name="",
                device_id=one["id"],
                device_owner="network:router_interface",
                network_id="",
                fixed_ips=[{"subnet_id": body.get("subnet_id"), "ip_address": "10.0.0.1"}],
            )
            return self.reply(
                200, {"id": one["id"], "subnet_id": body.get("subnet_id"), "port_id": port["id"], "tenant_id": PROJECT}
            )
        if part in ("add_subports", "remove_subports", "get_subports"):
            return self.reply(200, one)
        if part == "os-interface":
            return self.reply(
                200,
                {
                    "interfaceAttachments": [
                        {
                            "port_id": network.get("port"),
                            "net_id": "",
                            "mac_addr": "",
                            "fixed_ips": [],
                            "port_state": "ACTIVE",
                        }
                        for network in one.get("networks") or []
                        if isinstance(network, dict)
                    ]
                },
            )
        if part == "os-volume_attachments":
            asked = body.get("volumeAttachment", {})
            one["os-extended-volumes:volumes_attached"] = [
                *one.get("os-extended-volumes:volumes_attached", []),
                {"id": asked.get("volumeId")},
            ]
            return self.reply(200, {"volumeAttachment": {**asked, "id": asked.get("volumeId"), "serverId": one["id"]}})
        self.reply(200, {"extra_specs": {}})


def matches(resource, query):
    """Whether a list with this query has the resource: only what this world needs is compared."""
    for key in ("id", "name", "network_id", "device_id", "floating_network_id", "port_id"):
        if key in query and key in resource and str(resource[key]) != query[key].strip("^$"):
            return False
    return True


if __name__ == "__main__":
    born("images", name="debian-13", visibility="public")
    born("networks", name="internet", **{"router:external": True})
    born("networks", name="double")
    born("networks", name="double")
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    server.daemon_threads = True
    server.serve_forever()
