#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/rules-general.md from the tables in kube/evidence/rules.c and kube/graph/assess.c; --check: fails when it is not up to date."""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TOP, "docs", "rules-general.md")
INTRO = """# The general rules

Made from `kube/evidence/rules.c` and `kube/graph/assess.c` by `make generated`.

Every object that no family of operators judges, and every one that a [rules file](rules.md) says something of, is judged by these two
tables. What it says of itself is read as facts: conditions, words of fields, booleans, numbers, errors. First, facts that others explain
are left out; then the first row that holds decides. The name of the row is `rule` in the JSON, and stands behind "decided by" with
`-o why`; the facts that agree with it, and those that it overrules, are `because`.

Of several facts that a row means, the one that tells most decides and explains: a condition for the whole before others, a word that
something says before what follows of its silence, an error before a mere word.
"""
READING = """
## How a status is read

**Conditions.** The type of a condition tells what True means:

| type | True | what it is about |
|---|---|---|
%(roles)s
| any other type with a word for trouble, movement or a stop in it (`DiskPressure`, `Reconciling`, `Cordoned`) | trouble, under way, stopped | the whole, or a detail |
| any other type with a good word in it (`CertificateReady`, `DatabaseSynced`) | well | the whole, or a detail |
| any other | nothing | a detail |

Where there is a condition for the goal (the first line) or `Available`, all others but the second line are *details*, except for True of a type of
trouble or movement, which stays about the whole; else every condition is about *the whole*. Unknown is under way, and trouble where its message tells an error.
False of a good type says what its reason says, by the words below; a reason without such a word leaves it to the message; where neither says
anything it is under way for a part, a step and a type that is True only after some time, and else trouble "said by no word". A field
`severity` of the condition counts more than words: Error is trouble, Info under way. True of a good type is trouble when its reason says so.

**Fields.** These fields of the status have a word for *the whole*: %(summaries)s. A field that ends so
(`%(suffixes)s`) at any other place is about *a part* or *a detail*. An unknown word in -ing is under way, any other is "in no list".
A field with an error (`lastError`, `errorMessage`, `failureMessage` …) is trouble of a *detail*; `failureMessage` and `failureReason` are about
the whole, and nobody tries again. Such a field does not count once a goal condition is True.

**Numbers** are wanted and ready: `spec.replicas` and `status.readyReplicas`, and others of such names (`%(wanted)s`; `%(ready)s`).
**Members** are the entries of a list or map of the status with `ready: false`, or conditions and numbers that are too low; they speak only
against Ready. An entry with a word for trouble (`state: CrashLoopBackOff`) is *a part*. What happened *beside its goal* is the last backup,
restore, job or test that a field tells of. *A step on the way* is a condition that was met (%(steps)s), or an `observedGeneration`
that is current and beside which the status holds nothing else; beside any field that is not read it says nothing.

**Words** (first that fits; a * stands for any end; "not", "no", "un-" turn good into bad):

| says | some of the words |
|---|---|
%(words)s

## Which phase, which severity

* **Failed or Degraded**: Degraded when it *could be used at some time*: a condition for its goal or `Available` is True, or became False later than
  %(overdue)s after the creation, another one being True since before, or it tells of a success (%(success)s; a `notAfter` that is not over), or some of its replicas
  are ready; Failed otherwise, and for a run that has failed; a word for a part of it
  (`PartiallyFailed`, `Degraded`, `Unhealthy`) is Degraded.
* **error or warning** of these: error where nobody tries again (recovery `person`): a word Failed for the whole, `Stalled` or `Terminal`,
  `failureMessage`, a run that has failed, a reason (or the type of the condition) with one of: %(final)s, or a message that
  says what is wrong with the spec ("must be set", "is not supported", "invalid value"); "permission denied" in a message alone is a warning; warning where it is tried again. Numbers, members and
  what has only lasted too long are warnings.
* **Which movement**: scaling words: Scaling; maintenance, repair, backup: Maintenance; update, upgrade, rollout, restart, migrate: Updating; else Updating
  of what could be used before, and Provisioning of what could not. Its reason or message waits for others (`WaitingFor…` something that it does not make
  itself): Waiting.
* **info or warning** of a movement: info, and warning where an error is told beside it, or after %(overdue)s (*overdue*). *A moment ago*: %(start)s;
  *young*: %(young)s. *Perhaps only the first attempt*: it is young and was never ready, and what is said is no error in words: something is not there
  yet, or a phase says that it is being made.
* **Suspended**: `spec.suspend`, `paused`, `hibernate`, `disabled`, `enabled: false`, or an annotation of that kind asks for a pause; *it sleeps as it was asked to* only
  where hibernation is asked for and its word says so, with severity none, else info.
* **Unknown** is a warning. In the first %(young)s of an object nothing known is Provisioning, info. **Deleting** is info, and a warning after %(overdue)s or where it says that
  it fails. That its spec was changed and not seen has no time in the object: it is info for as long as nobody watched. A kind whose definition has no status, or of which no object has one, is Ready without one.
"""
NEIGHBOURS = """
## What its neighbours make of it

An object of a family of operators (the [families](operators.md)) has the row of its family's tables ([their rules](rules-families.md)) as its rule, and
one with a `metadata.deletionTimestamp` that no row speaks of has `it is being deleted`. A family may also claim an object of a group that is not known by its fields
(Crossplane: `spec.forProvider`, `spec.compositionRef`, or `Synced` with the reason `ReconcileSuccess`, `ReconcileError` or `ReconcilePaused`). Then, for every object, these rows are gone through in order; each that holds changes
the phase, and the last one that did is `rule`; one that finds the phase already there only adds what it found to `because`. At the end, what takes too long becomes a warning.
"""
OF = {"FACT_CONDITION": "condition", "FACT_WORD": "word for a state", "FACT_TRUTH": "boolean", "FACT_COUNT": "number", "FACT_ERROR": "error",
      "FACT_RECORD": "record of what was done", "FACT_PAUSE": "pause that was asked for", "FACT_HANDLER": "handler's record",
      "FACT_SPEC": "sign of how far the status follows the spec"}
ABOUT = {"ABOUT_WHOLE": "the whole", "ABOUT_PART": "a part", "ABOUT_DETAIL": "a detail", "ABOUT_STEP": "a step on the way",
         "ABOUT_NUMBERS": "its numbers", "ABOUT_MEMBER": "its members", "ABOUT_BESIDE": "something beside its goal",
         "ABOUT_RULED": "the whole, by a rules file", "ABOUT_SELF": "the whole, a part or a detail"}
SAYS = {"OK": "well", "PROGRESS": "under way", "BAD": "trouble", "SUSPENDED": "stopped", "NOTHING": "unknown"}
FLAGS = {"BY_DEFAULT": "said by no word", "BY_MESSAGE": "said by a message alone", "HINT": "of a type that may mean anything",
         "CAUTION": "a mere warning", "OF_MEMBER": "of one of several equal parts", "OF_EVERY": "the same of every part",
         "IS_CHANGE": "a change", "MOVES": "with a reason that tells of movement", "ONLY_ABSENT": "no more than that it is not there",
         "STOPPED": "stopped by a person", "OVER": "over", "LOOKS": "only looked at", "FIRST": "perhaps only the first attempt",
         "FAILED": "a failure by its word", "OVERDUE": "for longer than such a thing takes", "UNREAD": "in no list", "FAINT": "only where nothing else is said",
         "SAID_BY_OPERATOR": "by a rules file", "UNDER_MAINTENANCE": "while somebody works on it", "AS_ASKED": "as the spec asks",
         "COLOUR": "the colour red", "OF_SLEEP": "what follows of being asleep", "EXCUSED": "excused by a rules file",
         "AT_ONCE": "before other trouble"}
BEING = {"IS_AT_GOAL": "it says that it has reached its goal", "RUNS_ONCE": "it runs once", "LAGS": "its status is about an older spec",
         "IS_MOVING": "a change is under way", "KNOWS_NOT": "a field for a state says that nobody knows", "IS_PAUSED": "a pause was asked for",
         "IS_STATIC": "a rules file says that nobody reports its health", "IS_FRESH": "it was made a moment ago", "IS_GROWN": "it is older than it takes to make one",
         "WAS_USABLE": "it could be used at some time", "IS_HELD_BACK": "the strategy keeps the rest of it at the old state",
         "HAS_SOME": "some of its replicas are ready", "LACKS_FOR_LONG": "it lacks replicas for longer than a start takes",
         "IS_SILENT": "nobody has written a status"}
THEN = {"TROUBLE": "Failed or Degraded", "MOVEMENT": "Provisioning, Updating, Scaling, Maintenance or Waiting", "PAUSE": "Suspended",
        "READY": "Ready, unless something speaks against it", "READY_BUT": "Ready, with a warning", "SILENCE": "Provisioning, Unknown, or Ready of a kind without status",
        "UNKNOWN": "Unknown", "AS_RULED": "as the rules file says"}


def names(expression, words, what):
    """Splits "A | B" and puts each into words; a name without words is an error."""
    found = [n for n in re.findall(r"[A-Z_]+", expression or "") if n not in ("FACT_ANYTHING",)]
    missing = [n for n in found if n not in words]
    if missing:
        sys.exit("rules_page.py: %s has no words for %s" % (what, ", ".join(missing)))
    return [words[n] for n in found]


def members(text):
    """{"about": "ABOUT_WHOLE", ...} of the inside of a pattern."""
    return dict(re.findall(r"\.(\w+) = ([^,]+?)(?:,|$)", text.strip()))


def pattern(text):
    m = members(text)
    of = m.get("of", "")
    kind = "fact that is no condition" if "~" in of else " or ".join(names(of, OF, "of")) or "fact"
    about = " or ".join(names(m.get("about"), ABOUT, "about"))
    says = " or ".join(names(m.get("says"), SAYS, "says"))
    out = kind + (" about " + about if about else "") + (" that says: " + says if says else "")
    must, no = names(m.get("must"), FLAGS, "must"), names(m.get("not"), FLAGS, "not")
    out += "".join(", " + w for w in must) + "".join(", not " + w for w in no)
    return "a " + out if not out.startswith(("a ", "e")) else "an " + out


def flat(source, table):
    body = source.partition(table)[2].partition("\n};")[0]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    return [re.sub(r"\s+", " ", row) for row in re.findall(r'^\t(\{ "[^"]+".*?\}),\n(?=\t\{|\n|\Z)', body + "\n", re.M | re.S)]


def left_out(row):
    name = re.match(r'\{ "([^"]+)"', row).group(1)
    parts = re.findall(r"\{([^{}]*)\}", row)
    tail = row.rpartition("}, ")[2].rstrip(" }").split(", ")
    by = "" if parts[1].strip() == "0" else "beside " + pattern(parts[1])
    being = names(tail[0], BEING, "being") if tail[0] != "0" else []
    being += ["not: " + w for w in names(tail[1], BEING, "not_being")] if tail[1] != "0" else []
    return "| %s | %s | %s |" % (name, pattern(parts[0]), "; ".join(filter(None, [by] + being)))


def decides(row):
    name = re.match(r'\{ "([^"]+)"', row).group(1)
    part = {key: value for key, value in re.findall(r"\.(when|with|unless) = \{([^{}]*)\}", row)}
    rest = re.sub(r"\.(when|with|unless) = \{[^{}]*\}", "", row)
    plain = members(rest.partition('",')[2].rstrip(" }"))
    holds = [pattern(part["when"])] if "when" in part else []
    if plain.get("telling", "0") != "0":
        holds[0] += ", the one that tells most " + " and ".join(names(plain["telling"], FLAGS, "telling"))
    holds += ["beside " + pattern(part["with"])] if "with" in part else []
    holds += names(plain.get("being"), BEING, "being") + ["not: " + w for w in names(plain.get("not_being"), BEING, "not_being")]
    holds += ["not beside " + pattern(part["unless"])] if "unless" in part else []
    return "against" in plain, "| %s | %s | %s |" % (name, "; ".join(holds) or "always", THEN[plain["then"].replace("OUTCOME_", "")])


def text_of(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def words_of(name):
    body = re.search(r"(?:LIST|PHRASE)\(%s,(.*?)\)\n" % name, text_of("kube", "evidence", "word_lists.def"), re.S).group(1)
    return " ".join(re.findall(r'"([^"]*)"', body)).split()


def reading():
    """How facts come about: written by hand, with the words, types and times of the sources."""
    roles = {}
    for kind, role in re.findall(r'\{ "([^"]+)", ROLE_(\w+), \d+, \w+ \}', text_of("kube", "evidence", "conditions.c")):
        roles.setdefault(role, []).append("`%s`" % kind.replace("*", "…"))
    says = {"GOAL": ("well: its goal", "the whole"), "GATE": ("well", "the whole"), "PART": ("well", "a part"), "MILESTONE": ("a step was made", "a step on the way"),
            "NEGATIVE": ("trouble", "the whole, or a detail"), "HINT": ("trouble, unless its goal is reached", "a detail"),
            "TRANSITIONAL": ("under way", "the whole"), "ADVICE": ("nothing", "nothing")}
    rows = ["| %s | %s | %s |" % (", ".join(roles[r]), *says[r]) for r in says if r in roles]
    classes = {"BAD": "trouble", "PROGRESS": "under way", "SUSPENDED": "stopped", "STATE": "well", "QUALITY": "well, as a quality", "DONE": "well, once it is done"}
    senses = {}
    for line in text_of("kube", "status", "words.txt").splitlines():
        sense, _, rest = line.partition(" ")
        senses.setdefault(sense, []).extend(word for word in rest.split() if "+" not in word)
    times = dict(re.findall(r'THRESHOLD\(\w+, "(\w+)", (\w+\(\d+\))', text_of("kube", "status", "thresholds.def")))
    minutes = {name: re.sub(r"MINUTES\((\d+)\)", r"\1 minutes", value) for name, value in times.items()}
    return READING % {
        "roles": "\n".join(rows), "summaries": ", ".join("`%s`" % w for w in words_of("summaries")[:16]) + " …",
        "suffixes": "`, `".join(words_of("suffixes")), "wanted": "`, `".join(words_of("wanted_in_status")[:4]), "ready": "`, `".join(words_of("ready_names")[:4]),
        "steps": ", ".join(roles["MILESTONE"][:5]), "words": "\n".join("| %s | %s … |" % (classes[c], " ".join(senses[c][:40])) for c in classes),
        "final": " ".join(words_of("final")), "success": ", ".join("`%s`" % w for w in words_of("success") + [w + "…" for w in words_of("success_done")]), "overdue": minutes["overdue"], "young": minutes["young"], "start": minutes["podStartGrace"]}


def steps():
    """The rows of what neighbours make of an object: a name, and when it holds, in one or several C strings."""
    with open(os.path.join(TOP, "kube", "graph", "assess.c"), encoding="utf-8") as f:
        body = f.read().partition("} steps[] = {")[2].partition("\n};")[0]
    body = body.replace('GRAPH_ROW_FAMILY "', '"the rules of its operator say so')
    rows = re.findall(r'\{ "([^"]+)",\s*((?:"[^"]*"\s*)+),', body)
    for name, strings in rows:
        when, _, then = "".join(re.findall(r'"([^"]*)"', strings)).rpartition(": ")
        yield "| %s | %s | %s |" % (name, when, then)


def page():
    with open(os.path.join(TOP, "kube", "evidence", "rules.c"), encoding="utf-8") as f:
        source = f.read()
    rows = [decides(row) for row in flat(source, "struct rule rules[] = {")]
    last = [decides(row)[1] for row in flat(source, "struct rule nothing_known[] = {")]
    head = "\n| rule | it holds for | then |\n|---|---|---|\n"
    return (INTRO + reading() + "\n## What is left out\n\n| because | what | when |\n|---|---|---|\n" +
            "\n".join(left_out(row) for row in flat(source, "struct silenced silenced[] = {")) +
            "\n\n## What decides\n" + head + "\n".join(row for against, row in rows if not against) + "\n" + "\n".join(last) +
            "\n\n## What speaks against \"Ready\"\n" + head + "\n".join(row for against, row in rows if against) + "\n" + NEIGHBOURS + head + "\n".join(steps()) + "\n")


def main():
    text = page()
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text)
        return
    with open(PAGE, encoding="utf-8") as f:
        if f.read() != text:
            sys.exit("docs/rules-general.md is not what kube/evidence/rules.c says: make generated")


if __name__ == "__main__":
    main()
