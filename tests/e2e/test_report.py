# SPDX-License-Identifier: Apache-2.0
"""--report: the incident as one page, for who was not there."""
import html.parser
import json
import os
import re
import stat
import unicodedata

import pytest

from browser import Browser
from client_world import *  # noqa: F401,F403 (fixtures)
from optional import needs

HERE = os.path.dirname(os.path.abspath(__file__))
DEMO = os.path.join(HERE, "..", "..", "demo", "incident.jsonl.gz")
CAUSES = os.path.join(HERE, "..", "recordings", "causes.jsonl.gz")
HEADER = {"kind": "Recording", "apiVersion": "kubectl-status/v1", "startedAt": "2026-11-20T09:00:00Z", "context": "prod", "coverage": "recorded"}
HOSTILE = ("<script>alert(1)</script> ]]> --> `a` ```b``` \u202eevil\u202c \u200b\x1b[31m <img src=http://h.test/x onerror=1> &amp; &#60; \"q\" 's' "
           "[a](http://h.test) ![b](http://h.test)\n# heading\n| x |\U000e0041")


# ---- a page ---------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """Fails for tags that are not balanced, and for whatever could run, load or lead away."""

    VOID = {"meta", "rect", "line", "circle", "path"}
    ELEMENTS = VOID | set("html head title style body main section article figure div svg g defs pattern text desc h1 h2 h3 p dl dt dd ul ol li "
                          "pre code span bdi time".split())
    ATTRIBUTES = set("lang charset http-equiv content name class id role aria-labelledby aria-hidden width height x y x1 x2 y1 y2 cx cy r d dx "
                     "text-anchor patternunits datetime".split())

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.text, self.links = [], set(), [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in self.ELEMENTS, tag
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)) and set(names) <= self.ATTRIBUTES, (tag, attrs)
        for name, value in attrs:
            if name == "id":
                assert value not in self.ids
                self.ids.add(value)
            if name == "aria-labelledby":
                self.links += value.split()
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        assert tag in self.VOID

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_decl(self, decl):
        assert decl == "DOCTYPE html"

    def handle_comment(self, data):
        raise AssertionError("a comment: %s" % data)

    handle_pi = unknown_decl = handle_comment

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)

    def words(self):
        return " ".join(" ".join(self.text).split())


def page(run, path, *args, status=0):
    done = run(*args, "--report", path, timeout=timeout)
    assert done.returncode == status, done.stderr
    text = path.read_text(encoding="utf-8")
    assert re.fullmatch(r"%s: [0-9.]+ (bytes|KiB|MiB)\n" % re.escape(str(path)), done.stdout.decode())
    if str(path).endswith(".html"):
        parsed = Page(text)
        assert set(parsed.links) <= parsed.ids
        assert "default-src 'none'; style-src 'unsafe-inline'" in text and "@media print" in text and "prefers-color-scheme:dark" in text
        assert not re.search(r"https?://|@import|@font-face|url\((?!#)|<script|javascript:", re.sub(r">[^<]*<", "><", text))
        return parsed.words()
    return text


def write(path, records):
    lines = [HEADER, *records]
    path.write_text("".join(json.dumps(r) + "\n" for r in lines))
    return path


def at(seconds):
    return "2026-11-20T%02d:%02d:%02d.000Z" % (9 + seconds // 3600, seconds // 60 % 60, seconds % 60)


def record(seconds, obj, event="MODIFIED"):
    return {"t": at(seconds), "type": event, "object": obj}


def mark(seconds):
    return record(seconds, {}, "BOOKMARK")


LOADED = {"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}


def pod(name, broken=None, message="back-off", **metadata):
    """broken: since when it crashes, seconds."""
    state = {"waiting": {"reason": "CrashLoopBackOff", "message": message}} if broken is not None else {"running": {}}
    since = at(broken)[:19] + "Z" if broken is not None else "2026-11-20T08:00:05Z"
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-11-20T08:00:00Z", **metadata},
            "spec": {"containers": [{"name": "c", "image": "i:1"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True" if broken is None else "False",
                                                           "lastTransitionTime": since}],
                       "containerStatuses": [{"name": "c", "ready": broken is None, "restartCount": 0, "state": state}]}}


def healed(message="back-off", **metadata):
    """One pod that is broken from 09:05:00 to 09:20:00, and nothing recorded from 09:10:00 to 09:15:00."""
    marks = [mark(s) for s in range(30, 300, 30)], [mark(s) for s in [*range(330, 601, 30), *range(900, 1200, 30)]], [mark(s) for s in range(1230, 1501, 30)]
    return [record(0, pod("web", **metadata), "ADDED"), record(1, LOADED, "BOOKMARK"), *marks[0], record(300, pod("web", 300, message, **metadata)), *marks[1],
            record(1200, pod("web", **metadata)), *marks[2]]


# ---- what it says ---------------------------------------------------------------------


def test_what_happens_twice_to_one_object_is_not_two_objects(run, tmp_path):
    path = write(tmp_path / "a.jsonl", [record(0, pod("web"), "ADDED"), record(1, LOADED, "BOOKMARK"), record(100, pod("web", 100)), record(110, pod("web")),
                                        record(120, pod("web", 120)), record(121, pod("api", 121), "ADDED"), record(200, pod("web")), mark(210)])
    text = page(run, tmp_path / "a.md", "--replay", path)
    assert "web, web" not in text
    assert "* 09:01:40 `pod/web` `shop` Ready → " in text and "* 09:02:00 `pod/web` `shop` Ready → " in text


def test_the_demo(run, tmp_path):
    """The same facts in both forms."""
    for form in ("a.html", "a.md"):
        text = page(run, tmp_path / form, "--replay", DEMO)
        bare = text.replace("`", "").replace("*", "")
        for said in ("network/net and 6 more root causes blocked 20 objects", "prod-eu", "21 Nov 2026", "It has lasted since 05:00:04", "3 min 15 s",
                     "OverQuota: Quota exceeded for resources: ['network']", "kubectl describe network.openstack.k-orc.cloud net -n edge --context prod-eu",
                     "05:01:39, just before deployment/search", "image shop/search:8.0.3 → shop/search:8.1.0", "secret/ledger-admin", "missing",
                     "Provisioning until 05:00:04, Failed 05:00:04 to the end", "Timeline", "05:00:04 network/net edge Provisioning → ✖ Failed",
                     "Changes", "spec.replicas 2 → 3", "How this was seen", "The recording incident.jsonl.gz"):
            assert said in " ".join(bare.split()), said


def test_what_healed_is_in_it(run, tmp_path):
    path = write(tmp_path / "r.jsonl", healed())
    text = page(run, tmp_path / "r.html", "--replay", path)
    for said in ("pod/web", "Since 09:05:00 , healed at 09:20:00 , after 15 min", "09:05:00 to 09:20:00 (15 min), healed",
                 "Ready until 09:05:00, Failed 09:05:00 to 09:20:00, Ready 09:20:00 to the end", "nothing was recorded from 09:10:00 to 09:15:00 (5 min)"):
        assert said.replace(" ,", ",") in text.replace(" ,", ","), said
    assert "It has lasted" not in text


def test_a_part(run, tmp_path):
    path = write(tmp_path / "r.jsonl", healed())
    text = page(run, tmp_path / "a.md", "--replay", path, "--from", "09:04:00", "--to", "09:18:00")
    assert "09:04:00 to 09:18:00 UTC" in text and "It has lasted since 09:05:00, for 13 min" in text and "healed" not in text
    text = page(run, tmp_path / "b.md", "--replay", path, "--as-of", "09:18:00")
    assert "It has lasted since 09:05:00, for 13 min" in text
    text = page(run, tmp_path / "c.md", "--replay", path, "--from", "09:21:00")
    assert text.startswith("# Nothing has failed") and "Root causes" not in text
    done = run("--replay", path, "--report", tmp_path / "d.md", "--from", "2026-11-21T00:00:00Z")
    assert done.returncode == 1 and b"not in the recording" in done.stderr and not (tmp_path / "d.md").exists()


def test_words_of_a_row_are_apart(run, tmp_path):
    """Where a telephone shows the cells of a row as one text, and in what is copied."""
    page(run, tmp_path / "a.html", "--replay", DEMO)
    text = (tmp_path / "a.html").read_text()
    assert "<code>flexibleserver/ledger</code></span> <span><code>fin</code></span> <span>Provisioning" in text and "</span><span>" not in text


def test_a_phase_of_the_last_moment_alone(run, tmp_path):
    """It has no width in the chart, and is known."""
    text = page(run, tmp_path / "a.md", "--replay", CAUSES)
    assert "`subnet.openstack.k-orc.cloud/late` (`operator`): Waiting at the end\n" in text and "no phase is known" not in text


def test_a_name_that_nobody_met(run, tmp_path):
    """The page is written, as of a cluster, and the exit status tells."""
    path = write(tmp_path / "r.jsonl", healed() + [record(1510, pod("web"), "DELETED")])
    done = run("--replay", path, "--report", tmp_path / "a.md", "pod/nope", "-n", "shop")
    assert (done.returncode, done.stderr) == (1, b'error: pods "nope" not found\n')
    assert (tmp_path / "a.md").read_text().startswith("# Nothing is known to have failed; 1 name was not found.\n")
    assert "healed at 09:20:00" in page(run, tmp_path / "b.md", "--replay", path, "pod/web", "-n", "shop"), "it is gone at the end alone"
    page(run, tmp_path / "c.md", "--replay", path, "pod/nope", "--ignore-not-found")


def test_a_part_begins_with_what_was_then(run, tmp_path):
    """Also when the first thing that happens in it is that it heals."""
    quiet = [r for r in healed() if not at(600) < r["t"] < at(1200)]
    text = page(run, tmp_path / "a.md", "--replay", write(tmp_path / "r.jsonl", quiet), "--from", "09:19:00")
    assert "Since 09:05:00, healed at 09:20:00, after 15 min" in text
    text = page(run, tmp_path / "b.md", "--replay", tmp_path / "r.jsonl", "--from", "09:20:01")
    assert "Root causes" not in text


def test_twice_broken_is_one_cause(run, tmp_path):
    again = [record(1600, pod("web", 1600)), mark(1660)]
    text = page(run, tmp_path / "a.md", "--replay", write(tmp_path / "r.jsonl", healed() + again))
    assert "09:05:00 to 09:20:00 (15 min), since 09:26:40 (1 min), goes on" in text and text.count("### ") == 1


def test_equal_causes_are_one(run, tmp_path):
    """Whenever each of them began, as Problems folds them."""
    names = ["web-%d" % i for i in range(40)]
    records = [record(0, pod(n), "ADDED") for n in names] + [record(1, LOADED, "BOOKMARK")]
    records += [record(60 + i, pod(n, 60 + i)) for i, n in enumerate(names)] + [mark(120)]
    for one in records:
        if one["object"].get("kind") == "Pod":
            one["object"]["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "w", "controller": True}]
    text = page(run, tmp_path / "a.md", "--replay", write(tmp_path / "r.jsonl", records))
    assert text.startswith("# `replicaset/web ×40 pods`: Failed") and text.count("### ") == 1
    assert re.search(r"^\* 09:01:00–09:01:39 `pod ×40` `web-0, web-1, web-2, web-3, …` `shop` Ready → ", text, re.M)


def test_many_wait_for_one(run, tmp_path):
    """Each that waited counts, also in a long recording, where not every moment is looked at; they are one row."""
    def subnet(name):
        waits = {"type": "Available", "status": "False", "reason": "Progressing", "message": "Waiting for Network/net to be ready",
                 "observedGeneration": 1, "lastTransitionTime": at(360)}
        return {"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": "Subnet",
                "metadata": {"name": name, "namespace": "edge", "creationTimestamp": at(360), "generation": 1},
                "spec": {"resource": {"networkRef": "net"}}, "status": {"conditions": [waits, {**waits, "type": "Progressing", "status": "True"}]}}

    def network(ok):
        condition = {"status": "False", "reason": "Success" if ok else "InvalidConfiguration", "message": "quota", "observedGeneration": 1,
                     "lastTransitionTime": at(300)}
        return {"apiVersion": "openstack.k-orc.cloud/v1alpha1", "kind": "Network",
                "metadata": {"name": "net", "namespace": "edge", "creationTimestamp": "2026-11-20T08:00:00Z", "generation": 1}, "spec": {},
                "status": {"conditions": [{**condition, "type": "Available", "status": "True" if ok else "False"}, {**condition, "type": "Progressing"}]}}
    records = [record(0, network(True), "ADDED"), record(1, LOADED, "BOOKMARK"), record(300, network(False))]
    records += [record(360 + i // 10, subnet("s-%d" % i), "ADDED") for i in range(3000)]
    records += [record(800, network(True)), *(mark(s) for s in range(860, 40000, 60))]
    path = write(tmp_path / "r.jsonl", records)
    text = page(run, tmp_path / "a.md", "--replay", path)
    assert text.startswith("# `network/net` blocked 3 000 objects\n") and "Since 09:05:00, healed at 09:13:20, after 8 min 20 s" in text
    assert "  * `subnet ×3 000` (`edge`): Waiting 09:06:00 to " in text
    # the incident fills the chart, and not a corner of it, unless the part was chosen
    assert "From 09:03:47 to 09:14:32 UTC" in text
    assert "From 09:00:00 to 10:00:00 UTC" in page(run, tmp_path / "b.md", "--replay", path, "--to", "10:00:00")
    page(run, tmp_path / "a.html", "--replay", path)


def test_selected(run, tmp_path):
    """What was not asked for is not in it."""
    text = page(run, tmp_path / "a.md", "--replay", DEMO, "-n", "ops")
    assert "namespace `ops`" in text and "installplan/install-x7" in text and "network/net" not in text and "queue/orders" not in text
    text = page(run, tmp_path / "b.md", "--replay", DEMO, "queues", "-A")
    assert "queue/orders" in text and "only `queues`" in text and "installplan" not in text


def test_files(run, tmp_path):
    """Read once: the chart uses what the objects tell of since when."""
    (tmp_path / "pods.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [pod("web", 300), pod("api")]}))
    text = page(run, tmp_path / "a.md", "-f", tmp_path / "pods.json", "--as-of", at(900)[:19] + "Z")
    assert text.startswith("# `pod/web`: Failed") and "It has lasted since 09:05:00, for 10 min" in text
    assert "Failed 09:05:00 to the end" in text and "read once" in text and "api" not in text
    text = page(run, tmp_path / "a.html", "-f", tmp_path / "pods.json", "--as-of", at(900)[:19] + "Z")
    assert "Failed 09:05:00 to the end" in text


def widget(name, ready):
    return {"apiVersion": "example.org/v1", "kind": "Widget",
            "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-11-20T08:00:00Z"},
            "status": {"conditions": [{"type": "Ready", "status": "True" if ready else "False", "reason": "Up" if ready else "Broken"}]}}


def test_a_begin_that_nothing_tells(run, tmp_path):
    """What was broken when it was looked at first did not begin then."""
    (tmp_path / "w.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [widget("one", False), pod("web", 300)]}))
    text = page(run, tmp_path / "a.md", "-f", tmp_path / "w.json", "--as-of", at(900)[:19] + "Z", "widgets.example.org")
    assert "It lasts, and since when is not known\n" in text and "* when: nobody knows since when, goes on" in text
    assert "09:15:00, for" not in text and "since 09:15:00" not in text
    text = page(run, tmp_path / "b.md", "-f", tmp_path / "w.json", "--as-of", at(900)[:19] + "Z")
    assert "It has lasted since 09:05:00, for 10 min\n" in text, "when the other one began is not known"
    broken = write(tmp_path / "w.jsonl", [record(0, widget("one", False), "ADDED"), record(1, LOADED, "BOOKMARK"), mark(60)])
    text = page(run, tmp_path / "c.md", "--replay", broken)
    assert re.search(r"It has lasted since before 09:00:0[01], for more than (59 s|1 min)\n", text)
    assert re.search(r"when: since before 09:00:0[01] \(more than (59 s|1 min)\), goes on", text)
    more = [record(90, widget("one", True)), mark(120)]
    healed_one = write(tmp_path / "h.jsonl", [record(0, widget("one", False), "ADDED"), record(1, LOADED, "BOOKMARK"), mark(60), *more])
    text = page(run, tmp_path / "d.md", "--replay", healed_one)
    assert re.search(r"Since before 09:00:0[01], healed at 09:01:30, after more than 1 min( 29 s| 30 s)?\n", text)
    assert re.search(r"when: before 09:00:0[01] to 09:01:30 \(more than", text)


def test_a_cluster(fake, run, tmp_path):
    """As it is now, with one request for each list as without."""
    text = page(run, tmp_path / "a.md", "widgets")
    assert "Read once from the cluster" in text and "It has lasted" not in text and text.startswith("# Nothing has failed")


def test_forbidden_is_said(run, tmp_path):
    """What could not be read is not healthy."""
    records = [record(0, pod("web"), "ADDED"),
               {"t": at(1), "type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "shop"}}, "coverage": "forbidden"},
               record(2, LOADED, "BOOKMARK"), mark(30)]
    text = page(run, tmp_path / "a.md", "--replay", write(tmp_path / "r.jsonl", records), "secrets,pods", "-n", "shop", status=1)
    assert "1 kind" in text.split("\n", 1)[0] and "may not be read" in text.split("\n", 1)[0] and "No kind is known" not in text


# ---- hostile texts --------------------------------------------------------------------


def test_hostile_texts_in_html(run, tmp_path):
    path = write(tmp_path / "r.jsonl", healed(HOSTILE, labels={"team": HOSTILE}))
    text = page(run, tmp_path / "a.html", "--replay", path)  # the parser fails for what is no element of ours
    assert "<script>alert(1)</script> ]]> -->" in text, "it is shown as it is"
    for char in (tmp_path / "a.html").read_text(encoding="utf-8"):
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cf"), hex(ord(char))


def outside_code(line):
    """The line without its code spans, as CommonMark finds them."""
    out, i = "", 0
    while i < len(line):
        run_ = re.match("`+", line[i:])
        if not run_:
            out, i = out + line[i], i + 1
            continue
        close = re.search("(?<!`)%s(?!`)" % run_.group(), line[i + run_.end():])
        assert close, "a span that does not end: %s" % line
        i += run_.end() + close.end()
    return out


def test_hostile_texts_in_markdown(run, tmp_path):
    path = write(tmp_path / "r.jsonl", healed(HOSTILE, labels={"team": HOSTILE}))
    text = page(run, tmp_path / "a.md", "--replay", path)
    assert "<script>alert(1)</script>" in text
    for line in text.splitlines():
        own = outside_code(line)
        assert not re.search(r"[<\[\]!|`]|http|evil|alert", own), own
        assert all(unicodedata.category(c) not in ("Cc", "Cf") for c in line)


def test_nothing_secret(run, tmp_path):
    """As in recordings: values of Secrets, and credentials in texts."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop", "annotations": {"a": "c4nary"}}, "data": {"k": "YzRuYXJ5"}}
    other = {**secret, "data": {"k": "YzRuYXJ5Mg=="}, "metadata": {**secret["metadata"], "annotations": {"a": "c4nary2"}}}
    records = [record(0, secret, "ADDED"), *healed("https://user:c4nary@h.test/?token=c4nary&x=1")[0:12], record(310, other)]
    records.sort(key=lambda r: r["t"])
    path = write(tmp_path / "r.jsonl", records)
    for form in ("a.html", "a.md"):
        text = page(run, tmp_path / form, "--replay", path, "-A", "pods,secrets")
        assert "pod/web" in text and "h.test" in text
        assert "c4nary" not in text and "YzRuYXJ5" not in text


# ---- the file -------------------------------------------------------------------------


def test_endings(run, tmp_path):
    for name in ("a.txt", "a", "a.htm", ".html.gz"):
        done = run("--replay", DEMO, "--report", tmp_path / name)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b".html or .md" in done.stderr
        assert not (tmp_path / name).exists()


def test_what_does_not_go_together(run, tmp_path):
    for args in (["-o", "json"], ["--watch"], ["--for", "Ready"], ["--diff", "1m,0s"], ["--record", "x.jsonl", "--from", "1m"]):
        done = run("--replay", DEMO, "--report", tmp_path / "a.html", *args)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and not (tmp_path / "a.html").exists(), args


def test_whole_or_not_at_all(run, tmp_path):
    """It replaces an older one and keeps its mode; where it cannot be written nothing is left behind."""
    report = tmp_path / "a.html"
    page(run, report, "--replay", DEMO)
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    report.write_text("old")
    report.chmod(0o644)
    page(run, report, "--replay", DEMO)
    assert stat.S_IMODE(report.stat().st_mode) == 0o644
    (tmp_path / "folder.html").mkdir()
    for path in (tmp_path / "none" / "a.html", tmp_path / "folder.html", "/proc/a.html"):
        done = run("--replay", DEMO, "--report", path)
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and str(path).encode() in done.stderr and done.stdout == b""
    assert sorted(p.name for p in tmp_path.iterdir() if ".html" in p.name) == ["a.html", "folder.html"]


def test_the_exit_status(run, tmp_path):
    assert run("--replay", DEMO, "--report", tmp_path / "a.md").returncode == 0
    assert run("--replay", DEMO, "--report", tmp_path / "a.md", "--exit-code").returncode == 4


def test_no_more_than_five_megabytes(run, tmp_path):
    """Ten thousand objects that fail one after the other, each for a reason of its own, and heal."""
    def word(i):
        return "".join("abcdefghij"[int(c)] for c in str(i))
    names = range(10000)
    records = [record(0, pod("web-%d" % i), "ADDED") for i in names] + [record(1, LOADED, "BOOKMARK")]
    records += [record(60 + i // 20, pod("web-%d" % i, 60, "cannot %s, %s" % (word(i), "x" * 300))) for i in names]
    path = write(tmp_path / "r.jsonl", records)
    for form in ("a.html", "a.md"):
        text = page(run, tmp_path / form, "--replay", path, timeout=300)
        assert os.path.getsize(tmp_path / form) < 5 << 20
        assert "and 9 999 more root causes" in text and "more root causes have no lane" in text and "9 900 more root causes" in text


# ---- in a browser ----------------------------------------------------------------------

browser = needs("chromium")

# Every text, with its colours as they are painted: an element of HTML stands on the nearest background, one of SVG on the fill before it.
COLOURS = """[...document.querySelectorAll('body *')].filter(e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())
  && !e.closest('title, desc, style')).map(e => {
  let svg = e instanceof SVGElement, back = e.parentElement;
  let rect = svg && e.parentElement.querySelector('rect');
  if (rect)
    return [e.textContent, getComputedStyle(e).fill, getComputedStyle(rect).fill, +getComputedStyle(rect).opacity];
  for (back = e; back && getComputedStyle(back).backgroundColor == 'rgba(0, 0, 0, 0)'; back = back.parentElement);
  return [e.textContent, svg ? getComputedStyle(e).fill : getComputedStyle(e).color, back ? getComputedStyle(back).backgroundColor : 'rgb(255, 255, 255)', 1];
})"""


def parts_of(colour):
    return [int(p) / 255 for p in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups()]


def luminance(parts):
    r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(front, back, opacity, page_):
    """Of a text on a fill that lets the page shine through."""
    mixed = [opacity * b + (1 - opacity) * p for b, p in zip(parts_of(back), parts_of(page_))]
    high, low = sorted((luminance(parts_of(front)), luminance(mixed)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@browser
def test_in_a_browser(run, tmp_path):
    """Narrow and wide, light and dark: nothing scrolls sideways, all can be read, and nothing is asked for."""
    page(run, tmp_path / "demo.html", "--replay", DEMO)
    page(run, tmp_path / "causes.html", "--replay", CAUSES)
    page(run, tmp_path / "once.html", "-f", os.path.join(HERE, "..", "family", "core"), "--as-of", "2026-11-20T09:00:00Z")
    long = "x" * 240
    page(run, tmp_path / "long.html", "--replay", write(tmp_path / "r.jsonl", healed(long * 4 + HOSTILE, labels={"team": long})))
    with Browser(tmp_path / "chromium") as b:
        for name in ("demo", "causes", "once", "long"):
            for width in (400, 1400):
                for dark in (False, True):
                    b.look(width, dark)
                    b.open(tmp_path / (name + ".html"))
                    assert b.width() <= width, (name, width)
                    assert b.requests() == ["file://%s" % (tmp_path / (name + ".html"))] and b.complaints() == []
                    ground = b.value("getComputedStyle(document.body).backgroundColor")
                    assert ground == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
                    texts = b.value(COLOURS)
                    assert len(texts) > 30
                    for text, *colours in texts:
                        assert contrast(*colours, ground) >= 4.5, (name, dark, text, colours, contrast(*colours, ground))


@browser
def test_the_chart_has_names(run, tmp_path):
    """What the chart shows is there for who cannot see it, and a bar is where its time is."""
    page(run, tmp_path / "a.html", "--replay", write(tmp_path / "r.jsonl", healed()), "--from", "09:00:00", "--to", "09:25:00")
    with Browser(tmp_path / "chromium") as b:
        b.look(1400)
        b.open(tmp_path / "a.html")
        names = [" ".join(n) for n in b.names("image")]
        assert len(names) == 1 and "pod/web" in names[0] and "Failed 09:05:00 to 09:20:00" in names[0]
        bar = "document.querySelector('.row svg rect.f-failed').getBoundingClientRect()"
        row = "document.querySelector('.row svg').getBoundingClientRect()"
        x, wide, left, all_ = (b.value(e) for e in (bar + ".x", bar + ".width", row + ".x", row + ".width"))
        assert abs((x - left) / all_ - 0.2) < 0.01 and abs(wide / all_ - 0.6) < 0.01


@browser
def test_on_paper(run, tmp_path):
    """Light, also where the reader's screen is dark, and no wider than the paper."""
    page(run, tmp_path / "a.html", "--replay", DEMO)
    with Browser(tmp_path / "chromium") as b:
        b.look(700, dark=True)
        b.open(tmp_path / "a.html")
        b.ask("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        assert b.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)" and b.width() <= 700
