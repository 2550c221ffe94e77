# SPDX-License-Identifier: Apache-2.0
"""Argo Rollouts: rollouts that go on, stand still and fail, analyses and experiments.

What analyses ask by HTTP is answered by a small server here.
"""

import http.server
import json
import threading

from lab import go

TITLE = "Argo Rollouts 1.8"
BUILD = [go("github.com/argoproj/argo-rollouts", "v1.8.3", "./cmd/rollouts-controller", name="argo-rollouts",
            sum="h1:blbtQva4IK9r6gFh+dWkCrLnFdPOWiv9ubQYu36qeaA=")]
CRDS = ["manifests/crds"]
SECONDS = 180

NAMESPACE = "web"
API = "argoproj.io/v1alpha1"
ROLLOUTS, RUNS, EXPERIMENTS = (f"{kind}.argoproj.io" for kind in ("rollouts", "analysisruns", "experiments"))
OLD, NEW, BAD = "example.org/front:1", "example.org/front:2", "example.org/missing-front:2"


class Answers(http.server.BaseHTTPRequestHandler):
    """/good says 99 per cent of success, /bad 12."""

    def do_GET(self):
        body = json.dumps({"success": 99 if self.path == "/good" else 12}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def thing(kind, name, spec, api=API, **metadata):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE, **metadata}, "spec": spec}


def template(labels, image):
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "front", "image": image}]}}


def rollout(name, strategy, image=OLD, replicas=2, **spec):
    labels = {"app": name}
    return thing("Rollout", name, {
        "replicas": replicas, "selector": {"matchLabels": labels}, "template": template(labels, image),
        "revisionHistoryLimit": 2, "strategy": strategy, **spec})


def canary(*steps):
    return {"canary": {"steps": list(steps)}}


def pause(duration=None):
    return {"pause": {"duration": duration} if duration else {}}


def service(name, app=None):
    return thing("Service", name, {"selector": {"app": app or name}, "ports": [{"port": 80}]}, api="v1")


def first_rollouts():
    """They come up before anything is changed."""
    wait, half = pause(), {"setWeight": 50}
    return [
        rollout("steady", canary()),
        rollout("halted", canary(half, wait)),
        rollout("timed", canary(half, pause("1h"))),
        rollout("brief", canary(half, pause("4s"))),
        rollout("overdue", canary(half, wait), progressDeadlineSeconds=12),
        rollout("aborting", canary(half, wait), progressDeadlineSeconds=12, progressDeadlineAbort=True),
        rollout("analysed", canary(half, {"analysis": {"templates": [{"templateName": "web-bad"}]}})),
        rollout("approved", canary(half, {"analysis": {"templates": [{"templateName": "web-good"}]}})),
        rollout("probing", canary({"experiment": {"templates": [{"name": "probe", "specRef": "canary"}]}})),
        rollout("growing", canary(half, wait)),
        rollout("leaving", canary()),
        service("green-active", "green"), service("green-preview", "green"),
        rollout("green", {"blueGreen": {"activeService": "green-active", "previewService": "green-preview",
                                        "autoPromotionEnabled": False}}),
        service("blue-active", "blue"),
        rollout("blue", {"blueGreen": {"activeService": "blue-active", "scaleDownDelaySeconds": 3}}),
    ]


def other_rollouts():
    lost = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "absent"}
    return [
        rollout("unpulled", canary(), BAD, progressDeadlineSeconds=15),
        rollout("slow", canary(), BAD),
        rollout("mistaken", canary({"setWeight": 150})),
        rollout("unmatched", canary(), selector={"matchLabels": {"app": "another"}}),
        rollout("unserved", {"blueGreen": {"activeService": "absent"}}),
        rollout("untemplated", canary({"analysis": {"templates": [{"templateName": "absent"}]}})),
        rollout("empty", canary(), replicas=0),
        rollout("parked", canary(), paused=True),
        thing("Rollout", "borrowed", {"replicas": 1, "workloadRef": lost, "strategy": canary()}),
    ]


def analysis_templates(port):
    def web(name, path, where):
        return thing("AnalysisTemplate", name, {"metrics": [web_metric(path, where)]})

    return [web("web-good", "good", port), web("web-bad", "bad", port), web("web-dead", "good", 1)]


def web_metric(path, port, **more):
    return {"name": "success", "successCondition": "result >= 95", "provider": {"web": {
        "url": f"http://127.0.0.1:{port}/{path}", "jsonPath": "{$.success}"}}, **more}


def job_metric(image):
    return {"name": "check", "provider": {"job": {"spec": {"backoffLimit": 0, "template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "check", "image": image}]}}}}}}


def runs(port):
    def run(name, *metrics, **spec):
        return thing("AnalysisRun", name, {"metrics": list(metrics), **spec})

    return [
        run("job-good", job_metric("example.org/check:1")), run("job-bad", job_metric("example.org/crash-check:1")),
        run("job-unpulled", job_metric("example.org/missing-check:1")),
        run("web-good", web_metric("good", port)), run("web-bad", web_metric("bad", port)),
        run("web-dead", web_metric("good", 1, consecutiveErrorLimit=0)),
        run("doubtful", web_metric("bad", port, failureCondition="result < 5")),
        run("watching", web_metric("good", port, interval="20s")),
        run("stopped", web_metric("good", port, interval="20s"), terminate=True),
        run("mistaken", {**web_metric("good", port), "provider": {}}),
    ]


def experiments():
    def experiment(name, image, analyses=(), **spec):
        labels = {"app": name}
        return thing("Experiment", name, {
            "templates": [{"name": "one", "replicas": 1, "selector": {"matchLabels": labels}, "template": template(labels, image)}],
            "analyses": [{"name": a, "templateName": a} for a in analyses], **spec})

    return [
        experiment("short", OLD, duration="8s"), experiment("endless", OLD),
        experiment("unpulled", BAD, progressDeadlineSeconds=12),
        experiment("disproved", OLD, ["web-bad"], duration="1h"), experiment("untemplated", OLD, ["absent"]),
    ]


def phase(lab, name, resource=ROLLOUTS):
    found = lab.get(resource, NAMESPACE, name) or {}
    return found.get("status", {}).get("phase")


def play(lab):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    lab.nodes(3)
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (NAMESPACE, "argo-rollouts")])
    lab.apply(analysis_templates(port))
    lab.apply(first_rollouts() + runs(port)[:1] + experiments()[:1])
    lab.mark("before the controller")
    lab.sleep(6)
    lab.start("argo-rollouts", "--leader-elect=false", f"--metricsport={lab.port()}", f"--healthzPort={lab.port()}")
    lab.mark("controller")
    for made in first_rollouts():
        name = made["metadata"]["name"]
        if made["kind"] == "Rollout":
            lab.wait(f"{name} is healthy", lambda name=name: phase(lab, name) == "Healthy", 60)
    lab.mark("healthy")
    lab.apply(other_rollouts() + runs(port)[1:] + experiments()[1:])
    lab.sleep(5)
    change(lab)
    lab.sleep(35)
    lab.apply([rollout("fresh", canary())])
    lab.mark("fresh")
    lab.sleep(5)
    server.shutdown()


def change(lab):
    lab.mark("changes")
    images = dict.fromkeys(("halted", "timed", "brief", "analysed", "approved", "probing", "green", "blue"), NEW)
    images |= dict.fromkeys(("overdue", "aborting"), BAD)
    for name, image in images.items():
        lab.patch(ROLLOUTS, NAMESPACE, name, {"spec": {"template": template({"app": name}, image)}})
    lab.patch(ROLLOUTS, NAMESPACE, "growing", {"spec": {"replicas": 4}})
    lab.patch(ROLLOUTS, NAMESPACE, "leaving", {"metadata": {"finalizers": ["example.org/audit"]}})
    lab.delete(ROLLOUTS, NAMESPACE, "leaving")
