"""The operators' kinds: real names, versions, scopes, categories and printer
columns over schemas that accept everything.  `kubectl apply -f` takes the
files, too."""

import concurrent.futures
import pathlib

import yaml

from controlplane import ApiError, wait_until

HERE = pathlib.Path(__file__).resolve().parent
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def load_crds():
    """All definitions of all families."""
    return [crd for file in sorted(HERE.glob("*.yaml"))
            for crd in yaml.safe_load(file.read_text())["items"]]


def apply_crds(cp, timeout=30):
    """Create the definitions; return when discovery has every kind and lists work.

    For a moment the first is true without the second: lists are refused with
    429 "storage is (re)initializing".
    """
    crds = load_crds()
    served = {(crd["spec"]["group"], version["name"], crd["spec"]["names"]["plural"])
              for crd in crds for version in crd["spec"]["versions"] if version["served"]}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda crd: cp.post(CRDS, crd), crds))
        wait_until("discovery", lambda: served <= _discovered(cp), timeout, 0.1)
        list(pool.map(lambda kind: wait_until(
            f"list of {kind}", lambda: can_list(cp, "/apis/{}/{}/{}".format(*kind)), timeout, 0.1),
            served))


def _discovered(cp):
    return {(group["metadata"]["name"], version["version"], resource["resource"])
            for group in cp.get("/apis", accept=DISCOVERY)["items"]
            for version in group.get("versions", ())
            for resource in version.get("resources", ())}


def can_list(cp, path):
    """Whether a kind's lists work already."""
    try:
        return cp.get(f"{path}?limit=1")
    except ApiError as error:
        if error.status not in (404, 429):
            raise
        return False


def definition(kind):
    """One of the tests' own, of fresh.example.org/v1: it takes any fields."""
    name = kind.lower() + "s"
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name + ".fresh.example.org"}, "spec": {
                "group": "fresh.example.org", "scope": "Namespaced", "names": {"plural": name, "singular": kind.lower(), "kind": kind},
                "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}, "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
