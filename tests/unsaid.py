# SPDX-License-Identifier: Apache-2.0
"""The reason is carried: whatever is not Ready has a message where a sentence in its own status, in its parts or in its
Events says why.  run_cases.py and run_stories.py ask this of every world."""
import re

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TEXTS = re.compile(r"(message|error|details?|reason|cause|description)s?$", re.IGNORECASE)
WORDS = 3               # so many make a sentence
# What says no more than that something is not ready.
EMPTY = re.compile(r"containers with unready status|does not have minimum availability|[Ww]aiting for controller|"
                   r"up to date$|is present$|are healthy$")

# World and object: why nothing is said although there is a text; "": that is still to be mended.
EXCEPTIONS = {
    "aso/v2-child-of-failed-owner.yaml VirtualNetwork/core": "its part waits for it, and says nothing of it",
    "core/node-worked-on.yaml Node/restarting": "who works on it restarts it: the kubelet's silence is no reason",
    "core/rollout-removes-an-old-pod.yaml ReplicaSet/held-old": "the rollout goes on without the pod that is held",
    "generic/steps-and-proposals.yaml TrainingJob/not-active": "the condition says that it is not suspended",
    "generic/steps-and-proposals.yaml TrainingJob/active": "the condition says that it is not suspended",
    "generic/lost-late.yaml Mirror/told-just-now": "",
    "generic/operators-of-platforms.yaml Kyma/warning": "",
    "generic/operators-of-platforms.yaml Kyma/processing": "",
    "generic/operators-with-workloads.yaml EtcdCluster/etcdcluster-partly": "",
    "generic/operators-with-workloads.yaml K8ssandraCluster/k8ssandracluster-partly": "",
    "generic/operators-with-workloads.yaml ZookeeperCluster/zookeepercluster-partly": "",
    "generic/run-that-stands-still.yaml PressUpgrade/held": "",
    "olm/catalog-bad-interval-without-connection.yaml CatalogSource/closed": "the text is about an interval, and not why it shut down",
    "olm/csv-owned-crd-missing.yaml ClusterServiceVersion/etcd.v1.0.0": "what is missing is named as a wait",
    "olm/csv-requirement-that-came.yaml ClusterServiceVersion/a.v1.0.0": "what was missing is there by now",
    "why/rollouts/package-revision.yaml Provider/x": "",
    "core/pod-with-a-new-volume.yaml StatefulSet/hay": "its pod waits for a volume that is being made",
    "generic/parts-that-wait-for-each-other.yaml Shop/main": "its parts are its own work, and wait for each other",
}


def problems(doc, objects, world):
    """doc: of -o json; objects: a function that returns what is in the world; world: its file."""
    silent = [i for i in doc["items"] if i["phase"] != "Ready" and i["severity"] != "none" and is_bare(i.get("message", ""))]
    if not silent:
        return
    there = [o for o in flat(objects()) if isinstance(o.get("metadata"), dict)]
    for item in silent:
        found = [text for o in there if names(o, item) for text in sentences(o.get("status"))]
        found += [text for o in there for text in told_by(o, item, doc)]
        found = [text for text in found if text != item.get("reason")]
        if found and not any(f"{world} {label(item)}".endswith("/" + e) for e in EXCEPTIONS):
            yield "%s is %s, and its message %r does not say: %s" % (
                label(item), item["phase"], item.get("message", ""), "; ".join(found[:3]))


def label(item):
    return "%s/%s" % (item["kind"], item["name"])


def is_bare(message):
    return not message or re.fullmatch(r"[A-Z]\w*", message) is not None


def is_sentence(text):
    return isinstance(text, str) and len(text.split()) >= WORDS and not EMPTY.search(text)


def flat(documents):
    for d in documents:
        if isinstance(d, dict) and isinstance(d.get("items"), list):
            yield from flat(d["items"])
        elif isinstance(d, dict):
            yield d


def names(about, item):
    meta = about.get("metadata", about)
    return (about.get("kind") == item["kind"] and meta.get("name") == item["name"] and
            meta.get("namespace") in (None, item.get("namespace")))


def sentences(status):
    """The texts in a status that may say what is wrong: not those of conditions that hold."""
    if isinstance(status, list):
        for entry in status:
            yield from sentences(entry)
    if not isinstance(status, dict) or ("type" in status and str(status.get("status")) == "True"):
        return
    for key, value in status.items():
        if is_sentence(value) and TEXTS.search(key):
            yield value
        else:
            yield from sentences(value)


def told_by(other, item, doc):
    """What an Event about the item says, or one of its parts that is not Ready."""
    about = other.get("involvedObject") or other.get("regarding")
    if other.get("kind") == "Event" and isinstance(about, dict) and names(about, item) and other.get("type") == "Warning":
        yield from filter(is_sentence, [other.get("message") or other.get("note")])
    owners = other["metadata"].get("ownerReferences")
    owners = [o for o in owners if isinstance(o, dict)] if isinstance(owners, list) else []
    if not any(names({"kind": o.get("kind"), "name": o.get("name")}, item) for o in owners):
        return
    for part in doc["items"]:
        unwell = part["phase"] != "Ready" and part["severity"] != "none"
        if unwell and names(other, part) and is_sentence(part.get("message")):
            yield "%s: %s" % (label(part), part["message"])
