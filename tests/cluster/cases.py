# SPDX-License-Identifier: Apache-2.0
"""Case files (tests/family) on a real API server: their objects are created as a
controller would, and their expectations checked against what the program then sees.

All times are moved as one, so that the case's `now` is the present.  What the server
sets itself (generation, creationTimestamp, deletionTimestamp) is corrected in etcd
at the end; uids are the server's, and references to them follow.
"""

import base64
import calendar
import json
import os
import pathlib
import re
import sys
import time

import yaml

from controlplane import ApiError, wait_until
from crds import CRDS, DISCOVERY, can_list

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import run_cases  # noqa: E402

TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
FORMAT = "%Y-%m-%dT%H:%M:%S"
SET_BY_SERVER = ("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
                 "managedFields", "selfLink")
CORRECTED = ("generation", "creationTimestamp", "deletionTimestamp")
SECRET_FIELDS = ("spec.cloudCredentialsRef.secretName",)


class Loader(yaml.SafeLoader):
    """Times stay text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def read_objects(text):
    return list(flat(yaml.load_all(text, Loader)))


def flat(documents):
    for document in documents:
        if isinstance(document, dict) and isinstance(document.get("items"), list):
            yield from flat(document["items"])
        elif document:
            yield document


def moved(text, seconds):
    """The text with every time in it so much later."""
    def later(match):
        at = calendar.timegm(time.strptime(match.group(), FORMAT))
        return time.strftime(FORMAT, time.gmtime(at + seconds))
    return TIME.sub(later, text)


def renamed(value, uids):
    """The value with other uids in it."""
    if isinstance(value, dict):
        return {k: renamed(v, uids) for k, v in value.items()}
    if isinstance(value, list):
        return [renamed(v, uids) for v in value]
    if isinstance(value, str):
        for old, new in uids.items():
            value = value.replace(old, new)
    return value


def owners_first(objects):
    """In an order in which every owner's new uid is known when it is named."""
    left, known = list(objects), set()
    while left:
        unknown = {o["metadata"].get("uid") for o in left}
        ready = [o for o in left if not any(
            r.get("uid") in unknown for r in o["metadata"].get("ownerReferences") or ())] or left
        yield from ready
        left = [o for o in left if not any(o is r for r in ready)]


# -- kinds ----------------------------------------------------------------------

def discover(cp):
    """{(apiVersion, kind): (path of the version, plural, namespaced)}"""
    kinds = {}
    for root in ("/api", "/apis"):
        for group in cp.get(root, accept=DISCOVERY)["items"]:
            name = group["metadata"].get("name", "")
            for version in group.get("versions", ()):
                api = f"{name}/{version['version']}" if name else version["version"]
                for r in version.get("resources", ()):
                    kinds[api, r["responseKind"]["kind"]] = (
                        f"{root}/{api}", r["resource"], r["scope"] == "Namespaced")
    return kinds


def serve_kinds(cp, paths, more=()):
    """Make the server know every kind of the case files, and of `more` objects; returns what discover() does."""
    kinds, missing = discover(cp), {}
    objects = [o for path in paths for o in read_objects(pathlib.Path(path).read_text(encoding="utf-8"))]
    for o in [*objects, *more]:
        if (o["apiVersion"], o["kind"]) not in kinds:
            missing[o["apiVersion"], o["kind"]] = "namespace" in o["metadata"]
    for (api, kind), namespaced in sorted(missing.items()):
        group, _, version = api.partition("/")
        plurals = [plural for (other, k), (_, plural, _) in kinds.items()
                   if k == kind and other.startswith(group + "/")]
        _serve(cp, group, version, kind, plurals[0] if plurals else kind.lower() + "s", namespaced)
    wait_until("discovery", lambda: missing.keys() <= discover(cp).keys(), 30, 0.1)
    kinds = discover(cp)
    for key in missing:
        wait_until(f"list of {key}", lambda k=kinds[key]: can_list(cp, f"{k[0]}/{k[1]}"), 30, 0.1)
    return kinds


def _serve(cp, group, version, kind, plural, namespaced):
    served = {"name": version, "served": True, "storage": True, "subresources": {"status": {}},
              "schema": {"openAPIV3Schema": {
                  "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
    path = f"{CRDS}/{plural}.{group}"
    if cp.exists(path):
        definition = cp.get(path)
        definition["spec"]["versions"].append({**served, "storage": False})
        cp.put(path, definition)
        return
    cp.post(CRDS, {
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced" if namespaced else "Cluster",
                 "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                 "versions": [served]}})


def stored_as(kind, made):
    """The key and the value of an object in etcd.  kind: of serve_kinds()."""
    group, meta = made["apiVersion"].rpartition("/")[0], made["metadata"]
    parts = ["/registry", kind[1], meta.get("namespace"), meta["name"]]
    if "." in group and (not group.endswith(".k8s.io") or made["kind"] == "CustomResourceDefinition"):
        parts.insert(1, group)          # built-in kinds have no group there
    return {k: base64.b64encode(v.encode()).decode()
            for k, v in (("key", "/".join(p for p in parts if p)), ("value", json.dumps(made)))}


# -- what the server insists on, and no rule reads ---------------------------------

def completed(made):
    """Core objects with the fields that validation wants."""
    spec = made.get("spec")
    if made["kind"] in ("StatefulSet", "Deployment", "ReplicaSet", "DaemonSet"):
        labels = {"case": made["metadata"]["name"]}
        spec = made.setdefault("spec", {})
        selector = spec.setdefault("selector", {}).setdefault("matchLabels", labels)
        _complete_template(spec, selector)
    elif made["kind"] == "Job":
        _complete_template(made.setdefault("spec", {}), {}, "Never")
    elif made["kind"] == "CronJob":
        spec = made.setdefault("spec", {})
        spec.setdefault("schedule", "@daily")
        _complete_template(spec.setdefault("jobTemplate", {}).setdefault("spec", {}), {}, "Never")
    elif made["kind"] == "Pod":
        _complete_containers(made.setdefault("spec", {}))
    elif made["kind"] == "PersistentVolumeClaim":
        spec = made.setdefault("spec", {})
        spec.setdefault("accessModes", ["ReadWriteOnce"])
        spec.setdefault("resources", {}).setdefault("requests", {}).setdefault("storage", "1Gi")
    return made


def _complete_template(spec, labels, restart=None):
    template = spec.setdefault("template", {})
    template.setdefault("metadata", {}).setdefault("labels", {}).update(labels)
    pod = _complete_containers(template.setdefault("spec", {}))
    if restart:
        pod.setdefault("restartPolicy", restart)


def _complete_containers(spec):
    for number, container in enumerate(spec.setdefault("containers", [{}])):
        container.setdefault("name", f"c{number}")
        container.setdefault("image", "example/image:1")
    return spec


class Case:
    """One case file in a cluster without controllers; a context manager that removes
    it again.  folder: for a copy of the file.  kinds: of serve_kinds()."""

    def __init__(self, cp, path, folder, kinds):
        self.cp, self.kinds = cp, kinds
        with open(path, encoding="utf-8") as file:
            text = file.read()
        then, _, _ = run_cases.read_case(path)
        text = moved(text, int(time.time()) - calendar.timegm(time.strptime(then, FORMAT + "Z")))
        copy = folder / os.path.basename(path)
        copy.write_text(text)
        self.now, self.args, self.expectations = run_cases.read_case(copy)
        self.objects = [completed(self._placed(o)) for o in read_objects(text)]
        self.objects += self._taken_for_granted()
        self.made = []                  # (path, object of the file)
        self.uids = {}                  # of the file: the server's

    def _kind(self, made):
        return self.kinds[made["apiVersion"], made["kind"]]

    def _placed(self, made):
        if self._kind(made)[2]:
            made["metadata"].setdefault("namespace", "default")
        return made

    def _taken_for_granted(self):
        """Of a file the program knows that it is not the whole world.  Here what a case
        leaves out has to exist: a Secret that is named in passing, an OperatorGroup."""
        return [*self._secrets(), *self._operator_groups()]

    def _operator_groups(self):
        api = "operators.coreos.com/"
        there = {(o["kind"], o["metadata"].get("namespace")) for o in self.objects
                 if o["apiVersion"].startswith(api)}
        for kind, namespace in sorted(there):
            if kind == "Subscription" and ("OperatorGroup", namespace) not in there:
                yield {"apiVersion": api + "v1", "kind": "OperatorGroup",
                       "metadata": {"namespace": namespace, "name": "case"},
                       "spec": {"targetNamespaces": [namespace]},
                       "status": {"namespaces": [namespace], "lastUpdated": self.now}}

    def _secrets(self):
        told = {(o["kind"], o["metadata"]["name"]) for o in self.objects}
        named = {(o["metadata"]["namespace"], run_cases.dig(o, field))
                 for o in self.objects for field in SECRET_FIELDS
                 if isinstance(run_cases.dig(o, field), str)}
        for namespace, name in sorted(named):
            if ("Secret", name) not in told and not any(
                    f"Secret/{name}" in rest for _, rest in self.expectations):
                yield {"apiVersion": "v1", "kind": "Secret",
                       "metadata": {"namespace": namespace, "name": name}}

    def namespaces(self):
        return {o["metadata"]["namespace"] for o in self.objects if "namespace" in o["metadata"]}

    def scope(self):
        """The arguments that show all of it."""
        everywhere = any("namespace" not in o["metadata"] for o in self.objects)
        return ("-A",) if everywhere or len(self.namespaces()) != 1 else ("-n", *self.namespaces())

    # -- creating ------------------------------------------------------------

    def __enter__(self):
        try:
            for name in sorted(self.namespaces()):
                if not self.cp.exists(f"/api/v1/namespaces/{name}"):
                    self.cp.post("/api/v1/namespaces", {"metadata": {"name": name}})
            for wanted in owners_first(self.objects):
                self._create(wanted)
            for path, wanted in self.made:
                self._write_status(path, wanted)
            for path, wanted in self.made:
                if "deletionTimestamp" in wanted["metadata"]:
                    self.cp.delete(path)
                self._correct(path, wanted)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _path(self, made):
        base, plural, namespaced = self._kind(made)
        where = f"/namespaces/{made['metadata']['namespace']}" if namespaced else ""
        return f"{base}{where}/{plural}", made["metadata"]["name"]

    def _create(self, wanted):
        collection, name = self._path(wanted)
        path = f"{collection}/{name}"
        meta = {k: v for k, v in wanted["metadata"].items() if k not in SET_BY_SERVER}
        body = renamed({**wanted, "metadata": meta}, self.uids)
        if wanted["kind"] == "Namespace" and self.cp.exists(path):
            made = self.cp.patch(path, {"metadata": body["metadata"]})
        else:
            made = self.cp.post(collection, body)
        self.made.append((path, wanted))
        if wanted["metadata"].get("uid"):
            self.uids[wanted["metadata"]["uid"]] = made["metadata"]["uid"]

    def _write_status(self, path, wanted):
        if wanted.get("status") is None:
            return
        try:
            self.cp.patch(f"{path}/status", {"status": renamed(wanted["status"], self.uids)})
        except ApiError as error:
            if error.status != 404:     # its status is an ordinary field
                raise

    def _correct(self, path, wanted):
        """Write the times of the case where only etcd lets us."""
        stored = renamed(self.cp.get(path), self.uids)
        for field in CORRECTED:
            if field in stored["metadata"] and field in wanted["metadata"]:
                stored["metadata"][field] = wanted["metadata"][field]
        self.cp.etcd.request("POST", "/v3/kv/put", stored_as(self._kind(wanted), stored))

    # -- removing ------------------------------------------------------------

    def __exit__(self, *_):
        for path, wanted in reversed(self.made):
            self._remove(path, wanted)
        for path, wanted in self.made:
            if wanted["kind"] != "Namespace":
                wait_until(f"end of {path}", lambda p=path: not self.cp.exists(p), 20)

    def _remove(self, path, wanted):
        meta = wanted["metadata"]
        try:
            if wanted["kind"] == "Namespace":   # nobody would finish its deletion
                self.cp.patch(path, {"metadata": {field: {k: None for k in meta.get(field) or ()}
                                                  for field in ("labels", "annotations")}})
                return
            self.cp.patch(path, {"metadata": {"finalizers": None}})
            self.cp.delete(path, {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})
        except ApiError as error:
            if error.status != 404:
                raise

    # -- checking ------------------------------------------------------------

    def problems(self, run):
        """The expectations that do not hold.  run: of the program (program.Run)."""
        document = run.json(*self.scope(), "--as-of", self.now, *self.args)
        found = []
        for word, rest in self.expectations:
            try:
                run_cases.check(word, rest, document)
            except run_cases.Failure as failure:
                found.append(f"{word}: {rest}\n    {failure}")
        return found
