# SPDX-License-Identifier: Apache-2.0
"""Streaming jobs: Flink's operator, in Java, with JobManagers of which only the REST API exists."""

import http.server
import json
import pathlib
import re
import shutil
import subprocess
import threading
import time
import zipfile

import yaml

from lab import maven

TITLE = "Flink Kubernetes operator 1.7 (Java operator SDK 4.4)"
BUILD = [maven(["org.apache.flink:flink-kubernetes-operator:1.7.0"], name="flink-operator")]
SECONDS = 240
NS = "streams"
API = "flink.apache.org/v1beta1"
DEPLOYMENTS, SESSION_JOBS = "flinkdeployments.flink.apache.org", "flinksessionjobs.flink.apache.org"

CONFIGURATION = """
kubernetes.operator.reconcile.interval: 8 s
kubernetes.operator.observer.progress-check.interval: 2 s
kubernetes.operator.observer.rest-ready.delay: 2 s
kubernetes.operator.flink.client.timeout: 5 s
kubernetes.operator.health.probe.enabled: false
kubernetes.operator.resource.cleanup.timeout: 5 s
kubernetes.operator.retry.initial.interval: 2 s
kubernetes.operator.retry.max.attempts: 4
"""


def definitions(lab):
    """They are in the jar of the API."""
    jar = next(pathlib.Path(lab.binary("flink-operator")).glob("flink-kubernetes-operator-api-*.jar"))
    with zipfile.ZipFile(jar) as files:
        return [yaml.load(files.read(n), Loader=yaml.CSafeLoader) for n in files.namelist() if n.endswith("flink.apache.org-v1.yml")]


class JobManagers(http.server.ThreadingHTTPServer):
    """The REST API of every JobManager, one port each: what runs there, and in which state.

    An application's job has the identity that the operator gave it, a session's jobs those with which they were submitted.
    """

    def __init__(self, lab):
        super().__init__(("127.0.0.1", 0), Answer)
        self.lab, self.state, self.submitted, self.name, self.failure = lab, "RUNNING", {}, "", ""
        self.started = int(time.time() * 1000)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def jobs(self):
        """Identity and state of each job."""
        found = self.lab.get(DEPLOYMENTS, NS, self.name) or {}
        identity = found.get("status", {}).get("jobStatus", {}).get("jobId")
        jobs = dict(self.submitted)
        if identity and found["spec"].get("job"):
            jobs[identity] = self.state
        return jobs

    def die(self):
        """Nobody answers any more."""
        self.shutdown()
        self.server_close()


class Answer(http.server.BaseHTTPRequestHandler):
    """One request to a JobManager."""

    def do_GET(self):
        path = self.path.partition("?")[0].removeprefix("/v1")
        job = re.match(r"/jobs/([0-9a-f]{32})(/.*)?$", path)
        if path == "/jobs/overview":
            began = self.server.started
            self.reply({"jobs": [{"jid": i, "name": "stream", "start-time": began, "end-time": -1, "duration": 1000, "state": s,
                                  "last-modification": began, "tasks": {t: 0 for t in TASKS}} for i, s in self.server.jobs().items()]})
        elif path == "/config":
            self.reply({"refresh-interval": 3000, "timezone-name": "UTC", "timezone-offset": 0, "flink-version": "1.17.1",
                        "flink-revision": "2750d5c", "features": {"web-submit": True, "web-cancel": False, "web-history": False}})
        elif path == "/taskmanagers":
            self.reply({"taskmanagers": []})
        elif path.endswith(".jar"):
            self.reply({} if "no-such" in path else b"PK\5\6" + bytes(18), 404 if "no-such" in path else 200)
        elif job and job[2] == "/execution-result":
            state = self.server.jobs().get(job[1], "FAILED")
            failure = {"failure-cause": {"class": "java.lang.RuntimeException", "stack-trace": "", "serialized-throwable": self.server.failure}}
            self.reply({"status": {"id": "COMPLETED"}, "job-execution-result": {
                "id": job[1], "application-status": {"FINISHED": "SUCCEEDED"}.get(state, state), "accumulator-results": {}, "net-runtime": 1,
                **(failure if state == "FAILED" else {})}})
        elif job and job[2] == "/checkpoints":
            self.reply({"counts": {"restored": 0, "total": 0, "in_progress": 0, "completed": 0, "failed": 0}, "latest": {}, "history": []})
        else:
            self.reply({"errors": [f"no such thing: {path}"]}, 404)

    def do_POST(self):
        body = self.body()
        if self.path.removeprefix("/v1") == "/jars/upload":
            self.reply({"filename": "/tmp/web/1_stream.jar", "status": "success"})
        elif "/run" in self.path:
            identity = json.loads(body or b"{}").get("jobId") or re.search("jobId=([0-9a-f]{32})", self.path)[1]
            self.server.submitted[identity] = "RUNNING"
            self.reply({"jobid": identity})
        else:
            self.reply({"request-id": "0" * 32}, 202)

    def body(self):
        """All of it is read: an upload comes in chunks, and would be broken off by an early answer."""
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def do_PATCH(self):
        job = re.search("[0-9a-f]{32}", self.path)[0]
        if job in self.server.submitted:
            self.server.submitted[job] = "CANCELED"
        self.reply({}, 202)

    def do_DELETE(self):
        self.reply({})

    def reply(self, body, status=200):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


TASKS = ("total", "created", "scheduled", "deploying", "running", "finished", "canceling", "canceled", "failed", "reconciling", "initializing")


class Story:
    """The deployments, and the JobManagers behind them."""

    def __init__(self, lab):
        self.lab, self.managers = lab, {}
        self.failure = subprocess.run(["java", "-cp", f"{lab.binary('flink-operator')}/*", lab.home / "Failure.java"], check=True,
                                      stdout=subprocess.PIPE, text=True).stdout.strip()

    def deployment(self, name, image="flink:1.17", job=None, configuration=None, metadata=None, session=False, **spec):
        manager = self.managers.setdefault(name, JobManagers(self.lab))
        manager.name, manager.failure = name, self.failure
        size = {"resource": {"memory": "1024m", "cpu": 0.1}}
        about_job = {} if session else {"job": {"jarURI": "local:///opt/flink/usrlib/stream.jar", "parallelism": 2,
                                                "upgradeMode": "stateless", "state": "running", **(job or {})}}
        return {"apiVersion": API, "kind": "FlinkDeployment", "metadata": {"name": name, "namespace": NS, **(metadata or {})}, "spec": {
            "image": f"registry.example/{image}", "flinkVersion": "v1_17", "serviceAccount": "flink",
            "flinkConfiguration": {"taskmanager.numberOfTaskSlots": "2", "rest.port": str(manager.port), **(configuration or {})},
            "jobManager": size, "taskManager": size, **about_job, **spec}}

    def session_job(self, name, deployment, jar="stream.jar", state="running", **metadata):
        port = next(iter(self.managers.values())).port
        return {"apiVersion": API, "kind": "FlinkSessionJob", "metadata": {"name": name, "namespace": NS, **metadata}, "spec": {
            "deploymentName": deployment, "job": {"jarURI": f"http://127.0.0.1:{port}/{jar}", "parallelism": 1, "upgradeMode": "stateless", "state": state}}}

    def is_in(self, name, *states, resource=DEPLOYMENTS):
        """Whether an object's life has come to one of these states."""
        return (self.lab.get(resource, NS, name) or {}).get("status", {}).get("lifecycleState") in states

    def wait(self, name, *states, resource=DEPLOYMENTS, seconds=60):
        self.lab.wait(f"{name} is {' or '.join(states)}", lambda: self.is_in(name, *states, resource=resource), seconds)


def start_operator(lab):
    """The operator's clients read neither certificates with elliptic curves nor anything newer: it comes with a token."""
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "flink-operator"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
               "subjects": [{"kind": "ServiceAccount", "name": "flink-operator", "namespace": "flink-system"}]}
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "flink-system"}}, binding])
    token = lab.cp.service_account_token("flink-system", "flink-operator", 3600)
    configuration = lab.folder / "flink"
    configuration.mkdir()
    (configuration / "flink-conf.yaml").write_text(CONFIGURATION)
    jars = lab.binary("flink-operator")
    lab.binaries["java"] = shutil.which("java")
    lab.start("java", "-Xmx512m", "-cp", f"{jars}/*", "org.apache.flink.kubernetes.operator.FlinkOperator", alias="flink",
              env={"KUBECONFIG": lab.cp.kubeconfig("flink-operator", token=token), "OPERATOR_NAMESPACE": "flink-system",
                   "FLINK_CONF_DIR": str(configuration)})
    lab.wait("both controllers", lambda: lab.log("flink").count("controller started") == 2, 60)


def play(lab):
    lab.nodes(3)
    start_operator(lab)
    s = Story(lab)
    lab.apply([
        s.deployment("clicks"),
        s.deployment("no-image", image="missing-flink:1.17"),
        s.deployment("restless", image="crash-flink:1.17"),
        s.deployment("invalid", job={"parallelism": 0}),
        s.deployment("no-storage", job={"upgradeMode": "savepoint"}),
        s.deployment("parked", job={"state": "suspended"}),
        s.deployment("stopped"),
        s.deployment("failing"),
        s.deployment("batch"),
        s.deployment("unsteady"),
        s.deployment("upgraded"),
        s.deployment("bad-upgrade"),
        s.deployment("bad-image"),
        s.deployment("lost-manager", configuration={"kubernetes.operator.jm-deployment-recovery.enabled": "false"}),
        s.deployment("oversized", jobManager={"resource": {"memory": "1024m", "cpu": 64}}),
        s.deployment("leaving", metadata={"finalizers": ["example.org/archive"]}),
        s.deployment("shared", session=True),
        s.deployment("shared-no-image", image="missing-flink:1.17", session=True),
        s.session_job("report", "shared"), s.session_job("astray", "nowhere"), s.session_job("waiting", "shared-late"),
        s.session_job("no-jar", "shared", jar="no-such.jar"), s.session_job("idle", "shared", state="suspended"),
        s.session_job("on-no-image", "shared-no-image"), s.session_job("collapsing", "shared"),
    ])
    s.managers["restless"].die()
    lab.mark("created")
    for name in ("clicks", "stopped", "failing", "batch", "unsteady", "upgraded", "bad-upgrade", "bad-image", "lost-manager", "leaving", "shared"):
        s.wait(name, "STABLE", seconds=90)
    s.wait("report", "STABLE", resource=SESSION_JOBS)
    s.wait("collapsing", "STABLE", resource=SESSION_JOBS)
    lab.sleep(1)
    lab.mark("running")
    lab.sleep(0.5)
    change(lab, s)
    lab.sleep(25)
    lab.mark("settled")
    lab.apply([s.deployment("fresh")])
    lab.sleep(2)


def change(lab, s):
    """Jobs fail, finish and restart; specs change; a session cluster comes late; a JobManager is lost."""
    for name, state in (("failing", "FAILED"), ("batch", "FINISHED"), ("unsteady", "RESTARTING")):
        s.managers[name].state = state
    identity = lab.get(SESSION_JOBS, NS, "collapsing")["status"]["jobStatus"]["jobId"]
    s.managers["shared"].submitted[identity] = "FAILED"
    lab.patch(DEPLOYMENTS, NS, "stopped", {"spec": {"job": {"state": "suspended"}}})
    lab.patch(DEPLOYMENTS, NS, "upgraded", {"spec": {"image": "registry.example/flink:1.17.2"}})
    lab.patch(DEPLOYMENTS, NS, "bad-upgrade", {"spec": {"job": {"parallelism": -1}}})
    lab.patch(DEPLOYMENTS, NS, "bad-image", {"spec": {"image": "registry.example/missing-flink:1.18"}})
    s.managers["lost-manager"].die()
    lab.delete("deployments.apps", NS, "lost-manager")
    lab.delete(DEPLOYMENTS, NS, "leaving")
    lab.apply([s.deployment("shared-late", session=True)])
    s.wait("stopped", "SUSPENDED")
    s.wait("upgraded", "STABLE", seconds=90)
    s.wait("shared-late", "STABLE", seconds=60)
    s.wait("waiting", "STABLE", resource=SESSION_JOBS, seconds=60)
    lab.mark("changed")
