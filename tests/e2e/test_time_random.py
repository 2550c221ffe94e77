# SPDX-License-Identifier: Apache-2.0
"""Whatever happened, what is shown of a moment is what was there then: random recordings of real kinds, with labels, Events, objects that
are made anew under their name, and two clusters.  A seed of one's own: TEST_SEED=n."""
import datetime
import json
import os
import random
import re

import pytest

from client_world import certificates, client, fake, run, serve  # noqa: F401 (fixtures)

from test_time import paused_at

START = datetime.datetime(2026, 11, 20, 9, 0, 0)
MINUTES = 12
CLUSTERS, SPACES = ("east", "west"), ("a", "b")
ORC = "openstack.k-orc.cloud/v1alpha1"
HEADER = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "context": "east,west",
          "contexts": CLUSTERS, "kinds": []}


def at(seconds, millis=True):
    return (START + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S") + (".%03dZ" % (seconds * 1000 % 1000) if millis else "Z")


class History:
    """Random changes of a small world, as a recording has them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.there, self.lines, self.made = {}, [], 0
        names = [("Widget", "w%d"), ("Network", "net%d"), ("Subnet", "sub%d"), ("Pod", "p%d"), ("Deployment", "d%d")]
        self.all = [(c, ns, kind, name % i) for c in CLUSTERS for ns in SPACES for kind, name in names for i in range(2)]
        for key in self.all[::2]:
            self.put(0, key)
        for second in sorted(self.random.sample(range(1, MINUTES * 60), 150)):
            self.change(second)
        self.lines.append((MINUTES * 60, {"t": at(MINUTES * 60), "type": "BOOKMARK", "object": {}}))

    def change(self, second):
        key, what = self.random.choice(self.all), self.random.random()
        if key in self.there and what < 0.15:
            self.write(second, "DELETED", key, self.there.pop(key))
        elif key in self.there and what < 0.25:     # another one of that name, whose end nobody saw
            del self.there[key]
            self.put(second, key)
        elif key in self.there and what < 0.4:
            self.event(second, key)
        else:
            self.put(second, key)

    def write(self, second, kind, key, thing):
        self.lines.append((second, {"t": at(second), "type": kind, "cluster": key[0], "object": thing}))

    def put(self, second, key):
        _, ns, kind, name = key
        if key in self.there:
            made, meta = "MODIFIED", dict(self.there[key]["metadata"])
        else:
            self.made += 1
            made, meta = "ADDED", {"name": name, "namespace": ns, "uid": "uid-%d" % self.made, "generation": 1,
                                   "creationTimestamp": at(max(second - 5, 0), False)}
        meta["labels"] = {"team": self.random.choice(("red", "blue"))}
        if kind == "Network" and "deletionTimestamp" not in meta and self.random.random() < 0.1:
            meta |= {"deletionTimestamp": at(second, False), "finalizers": ["openstack.k-orc.cloud/network"]}
        thing = {"metadata": meta, **getattr(self, kind.lower())(second, meta)}
        self.there[key] = thing
        self.write(second, made, key, thing)

    def event(self, second, key):
        _, ns, kind, name = key
        involved = self.there[key]
        self.made += 1
        thing = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "%s.%d" % (name, self.made), "namespace": ns, "uid": "uid-%d" % self.made},
                 "involvedObject": {"apiVersion": involved["apiVersion"], "kind": kind, "name": name, "namespace": ns, "uid": involved["metadata"]["uid"]},
                 "type": "Warning", "reason": self.random.choice(("FailedScheduling", "BackOff", "FailedMount")), "message": "said at %d" % second,
                 "count": 1, "firstTimestamp": at(second, False), "lastTimestamp": at(second, False)}
        self.write(second, "ADDED", (key[0], ns, "Event", thing["metadata"]["name"]), thing)

    def condition(self, second, type_="Ready", **more):
        status = self.random.choice(("True", "False", "Unknown"))
        return {"type": type_, "status": status, "reason": self.random.choice(("Fine", "Broken", "Progressing")), "message": "since %d" % second,
                "lastTransitionTime": at(second, False), **more}

    def widget(self, second, meta):
        meta["generation"] += self.random.randrange(2)
        return {"apiVersion": "example.org/v1", "kind": "Widget", "spec": {"size": meta["generation"]},
                "status": {"observedGeneration": meta["generation"] - self.random.randrange(2), "conditions": [self.condition(second)]}}

    def network(self, second, meta):
        return {"apiVersion": ORC, "kind": "Network", "spec": {"managementPolicy": "managed", "resource": {}},
                "status": {"conditions": [self.condition(second, t, observedGeneration=1) for t in ("Available", "Progressing")]}}

    def subnet(self, second, meta):
        net = "net%d" % self.random.randrange(3)
        waits = {"type": "Available", "status": "False", "reason": "Progressing", "message": "Waiting for Network/%s to be ready" % net,
                 "lastTransitionTime": at(second, False), "observedGeneration": 1}
        return {"apiVersion": ORC, "kind": "Subnet", "spec": {"managementPolicy": "managed", "resource": {"networkRef": net}},
                "status": {"conditions": [waits, {**waits, "type": "Progressing", "status": "True"}]}}

    def pod(self, second, meta):
        state = self.random.choice((None, None, "CrashLoopBackOff", "ImagePullBackOff"))
        container = {"name": "c", "ready": not state, "restartCount": 3 if state else 0,
                     "state": {"waiting": {"reason": state, "message": "see there"}} if state else {"running": {"startedAt": at(second, False)}}}
        return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "c", "image": "i"}], "nodeName": "n"},
                "status": {"phase": "Running", "containerStatuses": [container],
                           "conditions": [{"type": "Ready", "status": "False" if state else "True", "lastTransitionTime": at(second, False)}]}}

    def deployment(self, second, meta):
        meta["generation"] += self.random.randrange(2)
        ready = self.random.randrange(3)
        return {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 2, "selector": {"matchLabels": {"app": meta["name"]}}},
                "status": {"observedGeneration": meta["generation"], "replicas": 2, "updatedReplicas": 2, "readyReplicas": ready, "availableReplicas": ready,
                           "conditions": [{"type": "Available", "status": "True" if ready else "False", "reason": "R", "lastTransitionTime": at(second, False)}]}}

    def text(self, until=MINUTES * 60):
        lines = [HEADER] + [line for second, line in self.lines if second <= until]
        return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


SEEDS = [1, 2, 3] + [int(s) for s in [os.environ.get("TEST_SEED")] if s]
COLUMNS = ("PHASE", "RESOURCE", "CLUSTER", "NAMESPACE", "SINCE", "WHY", "WAITS ON", "REASON", "MESSAGE")


def rows_of(text):
    """[{column: words}] of the table, without the row that folds what is Ready; and how many that is."""
    lines = text.split("\n")
    head = next(i for i, line in enumerate(lines) if "PHASE" in line and "RESOURCE" in line)
    starts = {c: lines[head].index(c) for c in COLUMNS if c in lines[head]}
    starts = dict(sorted(starts.items(), key=lambda column: column[1]))
    ends = dict(zip(starts, [*list(starts.values())[1:], None]))
    rows, ready = [], 0
    for line in lines[head + 1:]:
        if line.startswith("──"):
            break
        folded = re.search(r"✔ Ready +(\d+) resources", line)
        if folded:
            ready += int(folded.group(1))
        elif "✔ Ready" in line:
            ready += 1
        elif line.strip():
            rows.append({c: line[starts[c]:ends[c]].strip() for c in starts})
    return rows, ready


def age(item, now):
    """As the column SINCE has it."""
    if "since" not in item:
        return ""
    seconds = int((now - datetime.datetime.strptime(item["since"], "%Y-%m-%dT%H:%M:%SZ")).total_seconds())
    return "%ds" % seconds if seconds < 60 else "%dm" % (seconds // 60)


def as_rows(items, now):
    """What a row shows of an item."""
    return sorted((i["phase"], "%s/%s" % (i["kind"].lower(), i["name"]), i["cluster"], i["namespace"], age(i, now), i.get("reason") or i.get("operatorPhase", ""))
                  for i in items if i["phase"] != "Ready")


def shown_rows(rows):
    return sorted((r["PHASE"].split()[-1], r["RESOURCE"], r["CLUSTER"], r["NAMESPACE"], r["SINCE"], r["REASON"]) for r in rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_moment_of_the_whole_is_the_end_of_its_part(run, tmp_path, seed):  # noqa: F811
    """-o json of the whole recording as of a moment is that of the part up to it, byte for byte."""
    history = History(seed)
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    whole.write_text(history.text())
    for second in sorted(random.Random(seed).sample(range(0, MINUTES * 60), 12)):
        part.write_text(history.text(second))
        args = ("-A", "--as-of", at(second), "-o", "json")
        assert run.text("--replay", whole, *args) == run.text("--replay", part, *args), second


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rows_of_a_moment_are_its_items(run, tmp_path, seed):  # noqa: F811
    """Standing still, also far back after all was played: a row for each item of -o json that is not Ready, and the number of all others."""
    whole, rand = tmp_path / "whole.jsonl", random.Random(seed)
    whole.write_text(History(seed).text())
    with run.screen("--replay", whole, "-A", "--as-of", at(MINUTES * 60), rows=60, cols=250) as term:
        term.wait("paused 09:%02d:00" % MINUTES)
        term.keys("v")  # without the preview beside the table
        text, looked = term.wait("MESSAGE"), set()
        for key in "{{{[[{[" + "".join(rand.choice("{[]}") for _ in range(8)):
            before = paused_at(text)
            term.keys(key)
            text = term.wait(lambda text, before=before: paused_at(text) not in (before, None))
            looked.add(paused_at(text))
            moment = "2026-11-20T%sZ" % paused_at(text)
            items = run.json("--replay", whole, "-A", "--as-of", moment)["items"]
            rows, ready = rows_of(text)
            assert shown_rows(rows) == as_rows(items, datetime.datetime.strptime(moment, "%Y-%m-%dT%H:%M:%SZ")), moment
            assert ready + len(rows) == len(items)
        assert len(looked) > 8
