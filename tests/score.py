#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the verdicts against those of others.

    score.py OBJECTS.jsonl [--list] [--generic-only] [--hold-back GROUP,GROUP...]

Each line of the file is {"id", "expected", "object"} and perhaps {"asOf"}: an object as the
API server would return it, what its own project says of its health, and when.  Prints how
often the program agrees, how many broken objects it shows as Ready, and how many
healthy ones as broken.  Groups that are held back are counted on their own: rules
that were tuned on the others alone show there what they are worth.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("KUBECTL_STATUS", os.path.join(HERE, "..", "kubectl-status"))
UNDER_WAY = {"Waiting", "Provisioning", "Updating", "Scaling", "Maintenance"}
BROKEN = {"Failed", "Degraded"}
SAME = {"Healthy": {"Ready"}, "Progressing": UNDER_WAY, "Degraded": BROKEN,
        "Suspended": {"Suspended"}, "Unknown": {"Unknown"}, "Missing": {"Unknown"},
        "Terminating": {"Deleting"}}


def group_of(obj):
    return obj.get("apiVersion", "").rpartition("/")[0]


def judge(rows, as_of, hide=False, batch=200):
    """Adds to each row the item that the program makes of its object; a row's own asOf wins."""
    for moment in sorted({r.get("asOf", as_of) for r in rows}):
        judge_at([r for r in rows if r.get("asOf", as_of) == moment], moment, hide, batch)


def judge_at(rows, as_of, hide, batch):
    for start in range(0, len(rows), batch):
        items, by_name = [], {}
        for n, row in enumerate(rows[start:start + batch], start):
            obj = json.loads(json.dumps(row["object"]))
            # alone in its namespace: an object is judged by itself
            meta = obj.setdefault("metadata", {})
            meta["name"], meta["namespace"] = "object-%d" % n, "space-%d" % n
            by_name[meta["name"]] = row
            if hide:
                obj["apiVersion"] = "nobody.test/" + obj["apiVersion"].rpartition("/")[2]
            items.append(obj)
        world = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        done = subprocess.run([PROGRAM, "-f", "-", "-o", "json", "--as-of", as_of],
                              input=world.encode(), capture_output=True, timeout=120, check=False)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace")
            sys.exit("exit status %d: %s" % (done.returncode, said))
        for item in json.loads(done.stdout)["items"]:
            if item["name"] in by_name:
                by_name[item["name"]]["item"] = item


def agrees(row):
    phase = row["item"]["phase"]
    deleted = "deletionTimestamp" in row["object"].get("metadata", {})
    return phase in SAME[row["expected"]] or (phase == "Deleting" and deleted)


def share(part, whole):
    return "%5.1f %% (%d of %d)" % (100.0 * part / whole if whole else 0.0, part, whole)


def report(title, rows):
    broken = [r for r in rows if r["expected"] == "Degraded"]
    healthy = [r for r in rows if r["expected"] == "Healthy"]
    too_good = sum(r["item"]["phase"] == "Ready" for r in broken)
    too_bad = sum(r["item"]["phase"] in BROKEN for r in healthy)
    print("%-12s agrees            %s" % (title, share(sum(map(agrees, rows)), len(rows))))
    print("%-12s broken as Ready   %s" % ("", share(too_good, len(broken))))
    print("%-12s healthy as broken %s" % ("", share(too_bad, len(healthy))))


def show_disagreements(rows):
    for row in rows:
        if agrees(row):
            continue
        item = row["item"]
        print("%-11s %-12s %s" % (row["expected"], item["phase"], row["id"]))
        print("%12s%s %s: %s" % ("", item["family"], item.get("reason", "-"),
                                 item.get("message", "-")[:120]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("objects")
    parser.add_argument("--list", action="store_true",
                        help="show what the program sees differently")
    parser.add_argument("--generic-only", action="store_true",
                        help="only objects that no other family claims, their groups hidden: "
                             "what the general rules say without a row of any operator")
    parser.add_argument("--hold-back", default="",
                        help="groups to count on their own, comma-separated")
    parser.add_argument("--as-of", default="2026-11-20T09:00:00Z")
    args = parser.parse_args()

    with open(args.objects, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    judge(rows, args.as_of)
    lost = [r["id"] for r in rows if "item" not in r]
    if lost:
        sys.exit("no item for %s" % ", ".join(lost))
    if args.generic_only:
        rows = [r for r in rows if r["item"]["family"] == "generic"]
        judge(rows, args.as_of, hide=True)
    held = set(filter(None, args.hold_back.split(",")))
    parts = collections.OrderedDict([("all", rows)])
    if held:
        parts["open"] = [r for r in rows if group_of(r["object"]) not in held]
        parts["held back"] = [r for r in rows if group_of(r["object"]) in held]
    for family in sorted({r["item"]["family"] for r in rows}) if len(parts) == 1 else []:
        parts[family] = [r for r in rows if r["item"]["family"] == family]
    for title, part in parts.items():
        report(title, part)
    if args.list:
        show_disagreements(rows)


if __name__ == "__main__":
    main()
