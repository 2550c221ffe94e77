# SPDX-License-Identifier: Apache-2.0
"""What is taken from a program that is running, and given back: the right to read a
kind, and a kind itself.

The program tries again what was refused once a minute.  The tests take early and look
late, and do other things in between.
"""

import contextlib
import time

from controlplane import wait_until
from crds import CRDS, can_list
from faults import Proxy
from program import Run
from shapes import condition, orc_ready, orc_waiting
from watcher import Watcher

ORC = "/apis/openstack.k-orc.cloud/v1alpha1/namespaces/{}/{}"
GROUP = "loss.example.org"
COMES_BACK = 90                         # seconds: a minute, a quarter of it, and some
READ = ["get", "list", "watch"]


def make_namespace(cp, name):
    cp.post("/api/v1/namespaces", {"metadata": {"name": name}})


class Rights:
    """A user who watches networks and subnets, until the networks are forbidden.

    A dashboard runs beside: it has the notice.
    """

    namespace, user = "loss-right", "loser"
    role = "/apis/rbac.authorization.k8s.io/v1/namespaces/loss-right/roles/loser-networks"

    def __init__(self, cp, folder):
        self.cp, self.folder = cp, folder
        self.taken = False

    @contextlib.contextmanager
    def running(self):
        make_namespace(self.cp, self.namespace)
        self.cp.grant([{"apiGroups": ["openstack.k-orc.cloud"], "resources": ["subnets"],
                        "verbs": READ}], "loser", user=self.user, namespace=self.namespace)
        self.cp.grant([self._rule()], "loser-networks", user=self.user, namespace=self.namespace)
        self._object("Network", "networks", "net", {}, orc_ready("n"))
        self._object("Subnet", "subnets", "a", {"networkRef": "net"},
                     orc_waiting("Waiting for OpenStack resource to be ready"))
        types = "networks.openstack.k-orc.cloud,subnets.openstack.k-orc.cloud"
        with Proxy(self.cp.port) as proxy:
            self.proxy = proxy
            self.run = Run(self.folder, self.cp.kubeconfig(
                self.user, namespace=self.namespace, server=proxy.url))
            with Watcher(self.run, types) as self.watcher, self.run.screen(types) as self.screen:
                yield self

    @staticmethod
    def _rule(verbs=READ):
        return {"apiGroups": ["openstack.k-orc.cloud"], "resources": ["networks"], "verbs": verbs}

    def _object(self, kind, plural, name, resource, status):
        path = ORC.format(self.namespace, plural)
        self.cp.post(path, {
            "apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": kind, "metadata": {"name": name},
            "spec": {"managementPolicy": "managed", "resource": resource}})
        self.set_status(plural, name, status)

    def set_status(self, plural, name, status):
        self.cp.patch(ORC.format(self.namespace, plural) + f"/{name}/status", {"status": status})

    def take(self):
        """Running watches are not cut by the server: the line is."""
        self.taken = True
        self._set(["create"])
        self.proxy.reset_all()

    def give(self):
        self._set(READ)

    def _set(self, verbs):
        self.cp.patch(self.role, {"rules": [self._rule(verbs)]})
        review = {"spec": {"user": self.user, "resourceAttributes": {
            "namespace": self.namespace, "group": "openstack.k-orc.cloud",
            "resource": "networks", "verb": "list"}}}
        wait_until("the server's own knowledge", lambda: self.cp.post(
            "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            review)["status"]["allowed"] == ("list" in verbs), 10)


class Kind:
    """A kind that is deleted and created again, beside one that stays."""

    def __init__(self, cp, run, kind="Widget"):
        self.cp, self.run, self.kind, self.plural = cp, run, kind, kind.lower() + "s"
        self.namespace = "loss-" + self.plural
        self.path = f"/apis/{GROUP}/v1/namespaces/{self.namespace}/{self.plural}"
        self.definition = f"{CRDS}/{self.plural}.{GROUP}"
        self.taken_at = 0

    @contextlib.contextmanager
    def running(self):
        make_namespace(self.cp, self.namespace)
        self.define()
        self.make("one")
        with Watcher(self.run, "-n", self.namespace, f"{self.plural}.{GROUP},serviceaccounts") as watcher:
            self.watcher = watcher
            yield self

    def define(self):
        self.cp.post(CRDS, {
            "metadata": {"name": f"{self.plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced",
                     "names": {"kind": self.kind, "plural": self.plural, "singular": self.kind.lower()},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object",
                                       "x-kubernetes-preserve-unknown-fields": True}}}]}})
        wait_until("the kind", lambda: can_list(self.cp, self.path), 30)

    def make(self, name):
        self.cp.post(self.path, {"apiVersion": f"{GROUP}/v1", "kind": self.kind,
                               "metadata": {"name": name}, "spec": {}})
        self.cp.patch(f"{self.path}/{name}/status", {"status": {
            "conditions": [condition("Ready", "True", "Done")]}})

    def take(self):
        self.taken_at = time.time()
        self.cp.delete(self.definition)
        wait_until("its end", lambda: not self.cp.exists(self.definition), 30)
