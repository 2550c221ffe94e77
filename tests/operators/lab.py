# SPDX-License-Identifier: Apache-2.0
"""A laboratory for one world: the control plane of tests/cluster with kube-scheduler and kwok, the
world's controllers as processes, and a recorder that sees all that they write."""

import contextlib
import gzip
import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cluster"))

import kubelet                                                                  # noqa: E402
from controlplane import ApiError, ControlPlane, die_with_parent, free_ports, tail, wait_until  # noqa: E402

import builds                                                                   # noqa: E402
import judge                                                                    # noqa: E402
from builds import go, go_here, maven, pip, source                              # noqa: E402,F401

APPLY = "application/apply-patch+yaml"
READER = "ann", ["oncall"]


def load(name):
    """The module NAME/world.py."""
    path = HERE / name / "world.py"
    if not path.exists():
        raise SystemExit(f"there is no world {name}: {path} is missing; there are {', '.join(names())}")
    spec = importlib.util.spec_from_file_location(f"world_{name.replace('-', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names():
    """All worlds."""
    return sorted(p.parent.name for p in HERE.glob("*/world.py"))


class Lab:
    """One world's laboratory; a context manager.

    folder: where logs and the new recording are.
    program: the kubectl-status that records.
    """

    def __init__(self, name, program, folder):
        self.name, self.program = name, str(program)
        self.home, self.folder = HERE / name, pathlib.Path(folder)
        self.world = load(name)
        self.recording = self.folder / "recording.jsonl.gz"
        self.marks = []
        self._processes, self._kinds, self._groups = {}, {}, {}

    # -- life ------------------------------------------------------------------

    def build(self):
        """All programs of this world: {name: path}."""
        self.binaries = {b.name: builds.built(b, self.home) for b in self.world.BUILD}
        self.binaries |= {name: builds.tool(name) for name in ("kwok", "kube-scheduler")}

    def __enter__(self):
        self.build()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.cp = ControlPlane().start()
        try:
            self.kubeconfig = self.cp.kubeconfig("admin", ["system:masters"])
            self._start_scheduler_and_kwok()
            self._apply_definitions()
            self._start_recorder()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End every process and remove the control plane."""
        for name in list(self._processes):
            self.stop(name, signal.SIGKILL)
        self.cp.close()

    def _start_scheduler_and_kwok(self):
        self.start("kube-scheduler", "--kubeconfig={kubeconfig}", "--leader-elect=false", "--bind-address=127.0.0.1",
                   f"--secure-port={self.port()}", f"--cert-dir={self.folder}",
                   "--authentication-kubeconfig={kubeconfig}", "--authorization-kubeconfig={kubeconfig}")
        self.start("kwok", "--kubeconfig={kubeconfig}", "--manage-all-nodes", f"--config={HERE / 'stages.yaml'}",
                   f"--cidr={getattr(self.world, 'PODS', '10.2.0.0/16')}", "--node-ip=192.0.2.1", "--node-lease-duration-seconds=0")

    def _apply_definitions(self):
        """The world's CRDS: folders or files; "module:path" of a module, "./path" of the world, else of its first module.

        A module without such files has a program that prints them: the world's definitions(lab) returns what it printed.
        """
        paths = []
        for entry in getattr(self.world, "CRDS", ()):
            if entry.startswith("./"):
                where = self.home / entry
            else:
                module, colon, path = entry.partition(":")
                where = self.module(module) / path if colon else self.module(self.world.BUILD[0].module) / entry
            paths += sorted(where.glob("**/*.y*ml")) if where.is_dir() else [where]
        documents = [d for p in paths for d in yaml.load_all(p.read_text(), Loader=yaml.CSafeLoader)
                     if isinstance(d, dict) and d.get("kind") == "CustomResourceDefinition"]
        more = getattr(self.world, "definitions", None)
        self.definitions(documents + (more(self) if more else []))

    def definitions(self, documents):
        """Create definitions, without conversion webhooks, and wait until they serve."""
        for d in documents:
            d["spec"].pop("conversion", None)
            d.pop("status", None)
        self.apply(documents)
        for d in documents:
            name = d["metadata"]["name"]
            self.wait(f"definition {name} serves", lambda name=name: self.condition(
                "customresourcedefinitions.apiextensions.k8s.io", None, name, "Established"), 60)

    def _start_recorder(self):
        """Someone who may only read records from before the first object."""
        self.cp.grant_oncall()
        self.reader = self.cp.kubeconfig(*READER)
        self.recording.unlink(missing_ok=True)
        log = open(self.folder / "recorder.log", "wb")
        out = open(self.folder / "watch.jsonl", "wb")
        recorder = subprocess.Popen([self.program, "-A", "-w", "-o", "json", "--record", str(self.recording)],
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=log, env=self._reader_environment(),
                                    preexec_fn=die_with_parent)
        self._processes["recorder"] = recorder, self.folder / "recorder.log"
        self.wait("the recorder's first object", lambda: self._alive("recorder")
                  and self.recording.exists() and (self.folder / "watch.jsonl").stat().st_size > 0, 60)
        self.started = time.time()

    def _reader_environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KUBECONFIG": self.reader, "LC_ALL": "C.UTF-8"}

    def live(self):
        """What the program says of the cluster now."""
        told = subprocess.run([self.program, "-A", "-o", "json"], env=self._reader_environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        if told.returncode:
            raise RuntimeError(f"{self.program} -A -o json: exit status {told.returncode}\n{told.stderr}")
        return told.stdout

    # -- processes -------------------------------------------------------------

    def start(self, name, *args, env=None, alias=None):
        """Start a built program, or a Python program of the world's folder (NAME.py); it dies with the lab.

        {kubeconfig} in args is the administrator's.  Its log is folder/NAME.log; alias: another name for it.
        """
        known = alias or name.removesuffix(".py")
        if known in self._processes:
            raise RuntimeError(f"{known} runs already")
        command = [sys.executable, str(self.home / name)] if name.endswith(".py") else [str(self.binaries[name])]
        command += [str(a).replace("{kubeconfig}", self.kubeconfig) for a in args]
        log = self.folder / f"{known}.log"
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KUBECONFIG": self.kubeconfig, **(env or {})}
        with open(log, "ab") as out:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=self.folder,
                                       env=environment, preexec_fn=die_with_parent)
        self._processes[known] = process, log
        return process

    def stop(self, name, how=signal.SIGTERM):
        """End one of them."""
        process, _ = self._processes.pop(name)
        if process.poll() is None:
            process.send_signal(how)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _alive(self, name):
        process, log = self._processes[name]
        if process.poll() is not None:
            raise RuntimeError(f"{name} ended with {process.returncode}:\n{tail(log)}")
        return True

    def check(self):
        """Raise when a program that should run has ended."""
        for name in self._processes:
            self._alive(name)

    def log(self, name):
        """What it has written."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def binary(self, name):
        return self.binaries[name]

    def module(self, module):
        """The folder with a module's sources."""
        return builds.module_folder(module, self.world.BUILD, self.home)

    def port(self):
        """A port of the loopback address that nobody listens on."""
        return free_ports(1)[0]

    # -- objects ---------------------------------------------------------------

    def _kind(self, group_version, matching):
        """The base path and the entry of discovery that matches; a definition that is new is served soon."""
        base = f"/apis/{group_version}" if "/" in group_version else f"/api/{group_version}"

        def look():
            for entry in self._groups.get(base, ()):
                if "/" not in entry["name"] and matching(entry):
                    return entry
            with contextlib.suppress(ApiError):
                self._groups[base] = self.cp.get(base)["resources"]
            return None
        return base, self.wait(f"{group_version} serves this kind", look, 10)

    def path(self, resource, namespace=None, name=None):
        """The path of "plural.group", "plural" or "plural.version.group"."""
        if resource not in self._kinds:
            plural, _, group = resource.partition(".")
            version = self._version(group) if group else "v1"
            if version is None:
                version, _, group = group.partition(".")
            base, _ = self._kind(f"{group}/{version}" if group else version, lambda e: e["name"] == plural)
            self._kinds[resource] = base, plural
        base, plural = self._kinds[resource]
        return base + (f"/namespaces/{namespace}" if namespace else "") + f"/{plural}" + (f"/{name}" if name else "")

    def _version(self, group):
        for g in self.cp.get("/apis")["groups"]:
            if g["name"] == group:
                return g["preferredVersion"]["version"]
        return None

    def _path_of(self, document):
        """Where a document is, and whether its namespace must exist."""
        base, kind = self._kind(document["apiVersion"], lambda e: e["kind"] == document["kind"])
        namespace = document["metadata"].setdefault("namespace", "default") if kind["namespaced"] else None
        return base + (f"/namespaces/{namespace}" if namespace else "") + f"/{kind['name']}/{document['metadata']['name']}", namespace

    def apply(self, documents):
        """Create or update objects: YAML text or a list of dicts; namespaces come first and are made where they are missing."""
        if isinstance(documents, str):
            documents = [d for d in yaml.safe_load_all(documents) if d]
        namespaces = [d for d in documents if d["kind"] == "Namespace"]
        for d in namespaces + [d for d in documents if d["kind"] != "Namespace"]:
            path, namespace = self._path_of(d)
            if namespace and not self.cp.exists(f"/api/v1/namespaces/{namespace}"):
                self.cp.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
            try:
                self.cp.patch(path + "?fieldManager=person&force=true", d, APPLY)
            except ApiError as error:
                raise RuntimeError(f"{d['kind']} {d['metadata']['name']}: {error}") from None

    def get(self, resource, namespace=None, name=None):
        """The object, None where there is none; without a name the list of all (of the namespace)."""
        try:
            got = self.cp.get(self.path(resource, namespace, name))
        except ApiError as error:
            if error.status == 404 and name:
                return None
            raise
        return got if name else got["items"]

    def patch(self, resource, namespace, name, change):
        """Merge patch."""
        return self.cp.patch(self.path(resource, namespace, name), change)

    def status(self, resource, namespace, name, status):
        """Merge patch of the status, for what somebody else would write."""
        return self.cp.patch(self.path(resource, namespace, name) + "/status", {"status": status})

    def delete(self, resource, namespace, name):
        """Delete, and do not wait for its end."""
        return self.cp.delete(self.path(resource, namespace, name))

    def nodes(self, count):
        """Nodes that are Ready."""
        kubelet.add_nodes(self.cp, [f"worker-{n}" for n in range(1, count + 1)])

    def condition(self, resource, namespace, name, kind, status="True"):
        """The condition of that type, when it has that status."""
        found = self.get(resource, namespace, name)
        for c in ((found or {}).get("status") or {}).get("conditions") or ():
            if c["type"] == kind and c["status"] == status:
                return c
        return None

    # -- time ------------------------------------------------------------------

    def wait(self, what, predicate, seconds):
        """Bounded wait; what: said when the time is over.  What the predicate returns."""
        with contextlib.suppress(TimeoutError):
            return wait_until(what, predicate, seconds, 0.2)
        self.check()
        raise TimeoutError(f"{self.name}: {what}: not within {seconds} s")

    def sleep(self, seconds):
        """For stories in which time itself is the point."""
        time.sleep(seconds)
        self.check()

    def mark(self, label):
        """Remember this moment."""
        self.marks.append((label, time.time()))

    def end_recording(self):
        """Close the recording."""
        self._alive("recorder")
        self.stop("recorder", signal.SIGINT)

    def store(self):
        """Keep the new recording, and its marks, in the world's folder.

        It is compressed anew, as a whole: the recorder flushes twice a second, which costs a third more.
        """
        with gzip.open(self.recording) as new, open(self.home / "recording.jsonl.gz", "wb") as out:
            with gzip.GzipFile("", "wb", 9, out, mtime=0) as kept:
                shutil.copyfileobj(new, kept)
        began = judge.beginning(self.recording)
        with open(self.home / "marks.tsv", "w", encoding="utf-8") as out:
            out.write("# label\tseconds since the recording's beginning\n")
            out.writelines(f"{label}\t{when - began:.1f}\n" for label, when in self.marks)
