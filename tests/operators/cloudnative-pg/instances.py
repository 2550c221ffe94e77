# SPDX-License-Identifier: Apache-2.0
"""What stands in for the instance managers in CloudNativePG's pods, and for a provisioner of volumes.

The operator asks each pod at its own address, port 8000: pods have loopback addresses, and this
answers there with the certificate of the pod's cluster.  A cluster whose name begins with "silent" is not answered for.
"""

import base64
import hashlib
import http.server
import json
import ssl
import threading

GROUP = "postgresql.cnpg.io"
CLUSTERS, DATABASES = f"clusters.{GROUP}", f"databases.{GROUP}"
PORT = 8000
NO_ROLE = 'while creating database "clash": ERROR: role "app" does not exist (SQLSTATE 42704)'
PROGRAM = b"the instance manager"


def ready(pod):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod.get("status", {}).get("conditions", ()))


class Instances:
    """Answers for every instance that is ready, until it is stopped."""

    def __init__(self, lab):
        self.lab = lab
        self.servers = {}               # by the pod's uid
        self.primaries = {}             # cluster (namespace, name) -> the primary's name
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join(10)
        for server in self.servers.values():
            server.shutdown()

    def _run(self):
        while not self.ended.wait(0.5):
            try:
                self._volumes()
                pods = [p for p in self.lab.get("pods") if p["metadata"].get("labels", {}).get("cnpg.io/podRole") == "instance"]
                self._clusters(pods)
                self._databases()
                self._serve(pods)
            except Exception as error:      # gone or changed meanwhile: the next round sees it
                print("instances:", type(error).__name__, error, flush=True)

    # -- volumes ---------------------------------------------------------------

    def _volumes(self):
        for claim in self.lab.get("persistentvolumeclaims"):
            m = claim["metadata"]
            if claim.get("status", {}).get("phase") == "Pending" and not m.get("deletionTimestamp"):
                self.lab.apply([{
                    "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"pv-{m['uid'][:13]}"},
                    "spec": {"capacity": claim["spec"]["resources"]["requests"], "accessModes": claim["spec"]["accessModes"],
                             "persistentVolumeReclaimPolicy": "Delete", "hostPath": {"path": "/var/lib/nowhere"},
                             "claimRef": {"namespace": m["namespace"], "name": m["name"], "uid": m["uid"]}}}])

    # -- what instance managers write ------------------------------------------

    def _clusters(self, pods):
        """The pod that shall be the primary says so when it is ready."""
        for cluster in self.lab.get(CLUSTERS):
            m, status = cluster["metadata"], cluster.get("status", {})
            target = status.get("targetPrimary")
            pod = next((p for p in pods if (p["metadata"]["namespace"], p["metadata"]["name"]) == (m["namespace"], target)), None)
            if not target or target == "pending" or pod is None or not ready(pod):
                continue
            self.primaries[m["namespace"], m["name"]] = target
            if status.get("currentPrimary") != target:
                self.lab.status(CLUSTERS, m["namespace"], m["name"], {
                    "currentPrimary": target, "currentPrimaryTimestamp": status.get("targetPrimaryTimestamp")})

    def _databases(self):
        """The primary makes databases; a name with "clash" cannot be made."""
        for database in self.lab.get(DATABASES):
            m, spec, status = database["metadata"], database["spec"], database.get("status", {})
            if (m["namespace"], spec["cluster"]["name"]) not in self.primaries or status.get("applied") is not None:
                continue
            if "clash" in m["name"]:
                self.lab.status(DATABASES, m["namespace"], m["name"], {"applied": False, "message": NO_ROLE})
            else:
                self.lab.status(DATABASES, m["namespace"], m["name"], {"applied": True, "observedGeneration": m["generation"]})

    # -- what they answer --------------------------------------------------------

    def _serve(self, pods):
        wanted = {p["metadata"]["uid"]: p for p in pods if p["status"].get("podIP") and p["status"].get("phase") == "Running"
                  and not p["metadata"].get("deletionTimestamp") and not p["metadata"]["name"].startswith("silent")}
        for uid in set(self.servers) - set(wanted):
            server = self.servers.pop(uid)
            server.shutdown()
            server.server_close()
        for uid in set(wanted) - set(self.servers):
            self.servers[uid] = self._server(wanted[uid])

    def _server(self, pod):
        m = pod["metadata"]
        name = m["labels"]["cnpg.io/cluster"]
        instances = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(instances.status_of(m, name)).encode()
                self.send_response(200 if self.path == "/pg/status" else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer((pod["status"]["podIP"], PORT), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._certificate(m["namespace"], name))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def _certificate(self, namespace, name):
        """Files with the certificate and the key of a cluster's servers."""
        secret = self.lab.get("secrets", namespace, f"{name}-server")
        files = []
        for part in ("tls.crt", "tls.key"):
            path = self.lab.folder / f"{name}-{part}"
            path.write_bytes(base64.b64decode(secret["data"][part]))
            files.append(path)
        return files

    def status_of(self, m, name):
        return {"currentLsn": "0/4000060", "receivedLsn": "0/4000060", "replayLsn": "0/4000060",
                "systemID": str(int(hashlib.sha256(name.encode()).hexdigest()[:15], 16)),
                "isPrimary": self.primaries.get((m["namespace"], name)) == m["name"],
                "isWalReceiverActive": self.primaries.get((m["namespace"], name)) != m["name"],
                "replayPaused": False, "pendingRestart": False, "mightBeUnavailable": False, "timeLineID": 1,
                "currentWAL": "000000010000000000000004", "node": "", "pod": None,
                "executableHash": hashlib.sha256(PROGRAM).hexdigest(), "instanceManagerVersion": "1.28.0",
                "instanceArch": "amd64", "isInstanceManagerUpgrading": False, "isPodReady": False}
