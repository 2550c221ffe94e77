# SPDX-License-Identifier: Apache-2.0
"""Stories (tests/stories) on a real API server, before a program that watches it.

An object is written to etcd at once, so that nobody sees half of it, after the server has checked
and completed it; those of one moment come one after the other, as from an operator.  The program's clock shows the story's
time, and goes on from there: a story has a day of its own, later than the one before.
"""

import base64
import calendar
import contextlib
import pathlib
import re
import sys
import time
import uuid

from cases import FORMAT, completed, moved, run_cases, stored_as
from controlplane import wait_until

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import run_stories  # noqa: E402

DAY = 24 * 3600
ROUNDED = 5                 # s: what the program dates by its own clock is so much later at most
APART = 0.01                # s: each kind has a watch of its own, and these keep no order among them
SETTLES = 3                 # s: a moment's changes are told within
MARKER = {"apiVersion": "stories.example.org/v1", "kind": "Marker",
          "metadata": {"namespace": "default", "name": "marker"}}


def seconds(moment):
    """Of RFC 3339, since 1970."""
    return calendar.timegm(time.strptime(moment, FORMAT + "Z"))


def days_later(value, days):
    """A value with every time in it so much later."""
    if isinstance(value, dict):
        return {k: days_later(v, days) for k, v in value.items()}
    if isinstance(value, list):
        return [days_later(v, days) for v in value]
    return moved(value, days * DAY) if isinstance(value, str) else value


class Story:
    """One story; a context manager that removes its objects again.

    kinds: of cases.serve_kinds(); day: how many days after its own it is played.
    """

    def __init__(self, cp, kinds, clock, watcher, path, day):
        self.cp, self.kinds, self.clock, self.watcher, self.day = cp, kinds, clock, watcher, day
        self.moments = [days_later(m, day) for m in run_stories.read_story(path)]
        self.replayed = run_stories.replay(self.moments)
        self.world, self.known = {}, set()      # (kind, name): the object as it is stored

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._transaction([self._delete_operation(key) for key in list(self.world)])
        self._mark("none")

    # -- writing ---------------------------------------------------------------

    def _kind(self, made):
        return self.kinds[made["apiVersion"], made["kind"]]

    def _accepted(self, made):
        """The object as the server completes it, without storing it."""
        base, plural, namespaced = self._kind(made)
        where = f"/namespaces/{made['metadata'].setdefault('namespace', 'default')}" if namespaced else ""
        self._name_owners(made)
        meta = {k: v for k, v in made["metadata"].items()
                if k not in ("deletionTimestamp", "creationTimestamp", "generation")}
        return self.cp.post(f"{base}{where}/{plural}?dryRun=All", {**made, "metadata": meta})

    def _name_owners(self, made):
        for owner in made["metadata"].get("ownerReferences") or ():
            there = self.world.get((owner["kind"], owner["name"]))
            owner.setdefault("uid", there["metadata"]["uid"] if there else str(uuid.uuid4()))

    def _write(self, document):
        key = document["kind"], document["metadata"]["name"]
        self.known.add(key)
        if key in self.world:
            made = completed(run_stories.merged(self.world[key], document))
        else:
            told = completed(run_stories.without_nulls(document))
            made = run_stories.merged(self._accepted(told), told)
            for field in ("creationTimestamp", "generation"):
                if field not in told["metadata"]:
                    made["metadata"].pop(field, None)
        self.world[key] = made
        return {"requestPut": stored_as(self._kind(made), made)}

    def _delete_operation(self, key):
        made = self.world.pop(key)
        return {"requestDeleteRange": {"key": stored_as(self._kind(made), made)["key"]}}

    def _transaction(self, operations):
        if operations:
            self.cp.etcd.request("POST", "/v3/kv/txn", {"success": operations})

    def _mark(self, moment):
        """Return when the program has seen what was written before."""
        made = {**MARKER, "metadata": {**MARKER["metadata"], "uid": "0"},
                "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Marked", "message": moment}]}}
        self._transaction([{"requestPut": stored_as(self._kind(made), made)}])
        wait_until(f"marker of {moment}", lambda: (self.watcher.named("Marker", "marker") or {}).get("message") == moment,
                   20, 0.002)

    # -- checking --------------------------------------------------------------

    def _items(self):
        return [i for i in list(self.watcher.items.values()) if (i["kind"], i["name"]) in self.known]

    def _roots(self, wanted, items):
        """The causes that items name are those of the story; what only names itself has to be unwell."""
        wanted = {w.partition(":")[2] for w in wanted}
        named = {run_cases.label(r) for i in items for r in i.get("rootCauses", ())}
        unwell = {run_cases.label(i) for i in items
                  if i["severity"] in ("warning", "error") or i["phase"] in ("Waiting", "Deleting")}
        if not named <= wanted or not wanted <= named | unwell:
            yield f"root causes are {sorted(named)}, not {sorted(wanted)}"

    @staticmethod
    def _differences(items, replayed):
        """Live and from a recording the same has to be concluded."""
        told, wanted = ({(i["kind"], i["name"]): i for i in all} for all in (items, replayed))
        for key in sorted(told.keys() | wanted.keys()):
            live, other = told.get(key, {}), wanted.get(key, {})
            if live.get("phase") != other.get("phase"):
                shown = [[i.get(k) for k in ("phase", "reason", "message", "rule", "waits")] for i in (live, other)]
                yield "%s/%s is\n        %s, of a recording\n        %s" % (*key, *shown)

    def _problems(self, moment, replayed):
        items = self._items()
        doc = {"items": items, "rootCauses": []}
        yield from self._differences(items, replayed["items"])
        for line in moment["expect"]:
            try:
                self._check(line, doc)
            except run_cases.Failure as failure:
                yield f"{line}\n      {failure}"
        if moment["roots"] is not None:
            yield from self._roots(moment["roots"], items)

    def _check(self, line, doc):
        who, *pairs = run_cases.words(line)
        item = run_cases.find_item(doc, who)
        for pair in pairs:
            if pair.startswith("since="):
                self._check_since(item, pair[6:])
            elif not pair.startswith("root="):
                run_cases.check_pairs(item, doc, [pair])

    def _check_since(self, item, wanted):
        """What is older than the story may be as old as its beginning: then the program saw it in pieces."""
        wanted = days_later(run_stories.moment(wanted), self.day)
        since, begins = item.get("since", "1970-01-01T00:00:00Z"), self.moments[0]["at"]
        if not any(0 <= seconds(since) - seconds(t) <= ROUNDED for t in {wanted, max(wanted, begins)}):
            raise run_cases.Failure(f"since={wanted}, but it is {since}")

    def play(self):
        """What was wrong at the first moment at which anything was: the rest may follow from it."""
        for m, replayed in zip(self.moments, self.replayed):
            self.clock.set(m["at"])
            for document in m["documents"]:
                self._transaction([self._write(document)])
                time.sleep(APART)
            self._transaction([self._delete_operation(tuple(key.split("/"))) for key in m["delete"]])
            self._mark(m["at"])
            with contextlib.suppress(TimeoutError):
                wait_until("what the story expects", lambda m=m, r=replayed: not list(self._problems(m, r)), SETTLES, 0.005)
            problems = [f"{m['at'][11:19]} {problem}" for problem in self._problems(m, replayed)]
            if problems:
                return problems
        return []
