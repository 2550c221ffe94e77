# SPDX-License-Identifier: Apache-2.0
"""What a server serves, asked of servers of every kind."""
import json
import stat
import time

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import after, complains, GADGETS, names, READY, WIDGETS
from fakeapi import END, TYPES, answer, hang_up, status
from program import wait_for


def test_first_run_asks_twice_second_not_at_all(fake, run):
    fake.put("widgets", "a", **READY)
    for _ in range(2):
        assert names(run.json("widgets")) == ["a"]
    assert [r.path for r in fake.seen()] == ["/api", "/apis", WIDGETS, WIDGETS]


def test_workloads_are_shown_by_a_server_that_lists_no_subresources(fake, run):
    fake.put("pods", "p", status={"phase": "Running"})
    fake.put("secrets", "s")
    assert names(run.json()) == ["p"]


def test_watch_revalidates_the_cache(fake, run, watching):
    run.json("widgets")
    cache = run.home / ".kube/cache/kubectl-status"
    assert [stat.S_IMODE(p.stat().st_mode) for p in sorted(cache.rglob("*"))] == [0o700, 0o600, 0o600]
    watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    roots = fake.await_requests(2, "/apis")
    assert roots[1].headers["if-none-match"].startswith('"')


def test_new_type_is_found_by_one_refresh(fake, run):
    run.json("widgets")
    fake.types = TYPES + (("example.org", "v1", "sprockets", "Sprocket", True),)
    fake.put("sprockets", "s", **READY)
    assert names(run.json("sprockets")) == ["s"]
    assert len(fake.seen("/apis")) == 2
    complains(run("nonsense"), 'the server doesn\'t have a resource type "nonsense"')
    assert len(fake.seen("/apis")) == 3


@pytest.mark.parametrize("reply", [status(503, "ServiceUnavailable", "down"), hang_up, answer(b"{]")],
                         ids=["503", "hang-up", "garbage"])
def test_unknown_type_when_discovery_fails_is_an_error(fake, run, reply):
    run.json("widgets")
    fake.types = TYPES + (("example.org", "v1", "sprockets", "Sprocket", True),)
    fake.on("/apis", reply, times=0)
    complains(run.hurry()("sprockets"))


def test_discovery_is_repeated_when_the_connection_breaks(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on("/apis", hang_up, times=3)
    assert names(run.json("widgets")) == ["a"]


def test_discovery_is_repeated_when_the_server_says_when(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on("/api", status(503, "ServiceUnavailable", headers={"retry-after": "1"}))
    assert names(run.json("widgets")) == ["a"]


@pytest.mark.parametrize("code,reason", [(429, "TooManyRequests"), (503, "ServiceUnavailable")])
def test_legacy_discovery_is_repeated_when_the_server_says_when(fake, run, code, reason):
    fake.aggregated = False
    fake.put("widgets", "a", **READY)
    fake.on("/apis/example.org/v1", status(code, reason, headers={"retry-after": "1"}), times=2)
    doc = run.hurry().json("widgets")
    assert names(doc) == ["a"] and doc["notices"] == []


def test_legacy_discovery_without_a_group_that_is_never_ready(fake, run):
    fake.aggregated = False
    fake.types = TYPES + (("metrics.example", "v1", "loads", "Load", True),)
    fake.on("/apis/metrics.example/v1", status(429, "TooManyRequests", headers={"retry-after": "1"}), times=0)
    fake.put("widgets", "a", **READY)
    doc = run.hurry(20).json("widgets")
    assert names(doc) == ["a"] and "metrics.example/v1" in doc["notices"][0]["message"]


def test_refused_discovery_in_the_servers_words(fake, run):
    fake.on("/apis", status(403, "Forbidden", "not for you"), times=0)
    complains(run("widgets"), "Error from server (Forbidden): not for you")


def test_server_without_core(fake, run):
    fake.put("widgets", "a", **READY)
    fake.on("/api", status(404, "NotFound"), times=0)
    assert names(run.json("widgets")) == ["a"]


def test_legacy_discovery(fake, run):
    fake.aggregated = False
    fake.put("widgets", "a", **READY)
    assert names(run.json("widgets")) == ["a"]
    assert {r.path for r in fake.seen()} == {"/api", "/apis", "/api/v1", "/apis/example.org/v1", WIDGETS}


def test_legacy_discovery_with_a_broken_group(fake, run):
    fake.aggregated = False
    fake.types = TYPES + (("metrics.example", "v1", "loads", "Load", True),)
    fake.on("/apis/metrics.example/v1", answer(b"service unavailable", 503), times=0)
    fake.put("widgets", "a", **READY)
    doc = run.json("widgets")
    assert names(doc) == ["a"] and "metrics.example/v1" in doc["notices"][0]["message"]


@pytest.mark.parametrize("slow", ["v1", "v2"])
def test_legacy_discovery_asks_for_the_preferred_version(fake, run, slow):
    """Whichever answer comes first."""
    fake.aggregated = False
    fake.types = TYPES + (("example.org", "v2", "widgets", "Widget", True),)
    fake.preferred = {"example.org": "v2"}
    quick = "/apis/example.org/" + ("v2" if slow == "v1" else "v1")

    def late(request, stream):
        fake.await_requests(1, quick)
        time.sleep(0.1)
        fake.serve(request, stream)
    fake.on("/apis/example.org/" + slow, late)
    run.json("widgets")
    assert fake.seen(WIDGETS.replace("v1", "v2")) and not fake.seen(WIDGETS)


def test_stale_group_is_explained_and_others_work(fake, run):
    fake.types = TYPES + (("metrics.example", "v1", "loads", "Load", True),)
    fake.stale = {("metrics.example", "v1")}
    fake.put("widgets", "a", **READY)
    doc = run.json("widgets")
    assert names(doc) == ["a"] and "stale GroupVersion discovery" in doc["notices"][0]["message"]


def test_kinds_of_a_group_have_versions_of_their_own(fake, run):
    """operators.coreos.com prefers a version that serves few of its kinds."""
    g = "operators.coreos.com"
    fake.types = TYPES + ((g, "v2", "operatorconditions", "OperatorCondition", True),
                          (g, "v1alpha1", "subscriptions", "Subscription", True))
    for aggregated in (True, False):
        fake.aggregated = aggregated
        assert run("subscriptions", "--cache-dir", run.home / str(aggregated)).returncode == 0
    assert len(fake.seen("/apis/%s/v1alpha1/namespaces/default/subscriptions" % g)) == 2


@pytest.mark.parametrize("damage", ["nowhere", "head", "body", "empty"])
def test_cache_that_cannot_be_used(fake, run, damage):
    fake.put("widgets", "a", **READY)
    if damage == "nowhere":
        (run.home / "file").write_text("")
        assert names(run.json("widgets", "--cache-dir", run.home / "file")) == ["a"]
        return
    run.json("widgets")
    for path in (run.home / ".kube/cache/kubectl-status").rglob("*.json"):
        head, body = path.read_text().split("\n", 1)
        path.write_text({"head": "{nonsense\n" + body, "body": head + "\n" + body[:99], "empty": ""}[damage])
    assert names(run.json("widgets")) == ["a"]
    assert names(run.json("widgets")) == ["a"]
    assert len(fake.seen("/apis")) == 2, "it was repaired"



@pytest.mark.parametrize("reply, words", [(status(503, "ServiceUnavailable", "down"), "down"), (answer(b"{]"), "")],
                         ids=["503", "garbage"])
def test_first_discovery_that_fails_is_an_error(fake, run, reply, words):
    fake.on("/apis", reply, times=0)
    complains(run("widgets"), words)


# -- kinds that come and go ------------------------------------------------------------

CRDS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False)
SPROCKETS = ("example.org", "v1", "sprockets", "Sprocket", True)
SPROCKET = "/apis/example.org/v1/namespaces/default/sprockets"


def test_kind_that_comes_while_watching(serve, client, watching):
    """The definition is watched; the kind is asked for and shown, and the discovery costs nothing else."""
    fake = serve(types=TYPES + (CRDS,))
    fake.put("widgets", "a", **READY)
    w = watching(client(fake))
    w.wait(("ADDED", "a"))
    crds = fake.await_requests(1, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", watch=True)
    assert "PartialObjectMetadata" in crds[0].headers["accept"]
    n = len(fake.seen("/apis"))
    fake.types += (SPROCKETS,)
    fake.put("sprockets", "s", **READY)
    fake.put("customresourcedefinitions", "sprockets.example.org")
    w.wait(("ADDED", "s"))
    fake.put("sprockets", "t", **READY)
    w.wait(("ADDED", "t"))
    assert len(fake.seen("/apis")) - n <= 2 and fake.seen("/apis")[-1].headers["if-none-match"]


@pytest.mark.parametrize("more", [(), (("metrics.example", "v1", "loads", "Load", True),)], ids=["", "another group is stale"])
def test_kind_that_goes_while_watching_takes_its_objects_along(serve, client, watching, more):
    """Nobody shows them Ready for ever, and nobody calls them deleted, as an aggregated server may have them; and it may come back."""
    fake = serve(types=TYPES + (CRDS, SPROCKETS) + more)
    fake.stale = {(group, version) for group, version, *_ in more}
    fake.put("sprockets", "s", **READY)
    run = client(fake).hurry()
    w = watching(run, "sprockets,widgets")
    w.wait(("ADDED", "s"))
    fake.await_requests(1, SPROCKET, watch=True)
    with fake.changed:
        fake.types = TYPES + (CRDS,) + more
        fake.objects.pop(("sprockets", "default", "s"))
        fake.inject("sprockets", END)
    w.wait(("UNWATCHED", "s"))
    gone = time.monotonic()
    wait_for(lambda: run.passed(time.monotonic(), gone) > 4)
    assert len([r for r in fake.seen(SPROCKET) if r.time > gone]) <= 2, "it is known to be gone"
    fake.types += (SPROCKETS,)
    fake.put("sprockets", "back", **READY)
    fake.put("customresourcedefinitions", "sprockets.example.org")
    w.wait(("ADDED", "back"))


@pytest.mark.parametrize("named", [["sprockets,widgets"], []])
def test_objects_of_an_api_service_that_vanished_are_unread(serve, client, named):
    """The dashboard does not call them gone, says that they cannot be read, and has them again when it is back."""
    fake = serve(types=TYPES + (CRDS, SPROCKETS))
    fake.put("sprockets", "s", **READY)
    fake.put("widgets", "w", **READY)
    with client(fake).hurry().screen(*named, rows=24, cols=240) as term:
        term.wait(lambda text: "live ●" in text and "sprocket/s" in text)
        with fake.changed:
            fake.types = TYPES + (CRDS,)
            fake.inject("sprockets", END)
        text = term.wait(lambda text: "sprocket/s" not in text and "widget/w" in text and "is known to have failed" in text)
        assert "Gone" not in text and "gone" not in text
        term.keys("T")
        text = term.wait("timeline of all")
        assert "gone" not in text
        term.keys("\x1bp")
        term.wait("Unable to list")
        term.keys("\x1b")
        fake.types += (SPROCKETS,)
        fake.put("customresourcedefinitions", "sprockets.example.org")
        term.wait(lambda text: "sprocket/s" in text and "nothing has failed" in text)


def test_definitions_are_nobodys_business_when_a_type_was_asked_for(serve, client, watching):
    """One list and one watch, no more."""
    fake = serve(types=TYPES + (CRDS,))
    watching(client(fake), "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    end = time.monotonic() + 0.5
    wait_for(lambda: time.monotonic() > end)
    assert not [r for r in fake.seen() if "customresourcedefinitions" in r.path]


def test_definitions_that_may_not_be_read_are_not_asked_for_again(serve, client, watching):
    """A kind that goes is noticed all the same."""
    fake = serve(types=TYPES + (CRDS, SPROCKETS))
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    fake.on(path, status(403, "Forbidden", "no"), times=0)
    fake.put("sprockets", "s", **READY)
    w = watching(client(fake))
    w.wait(("ADDED", "s"))
    fake.await_requests(1, SPROCKET, watch=True)
    with fake.changed:
        fake.types = TYPES + (CRDS,)
        fake.inject("sprockets", END)
    w.wait(("UNWATCHED", "s"))
    assert len(fake.seen(path)) == 1


def test_outage_of_a_group_takes_nothing_away(fake, run, watching):
    """Stale is not gone."""
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets,gadgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(2, watch=True)
    fake.stale = {("example.org", "v1")}
    for path in (WIDGETS, GADGETS):
        fake.on(path, status(404, "NotFound", "the server could not find the requested resource"), times=0)
    n = len(fake.seen("/apis"))
    fake.inject("widgets", END)
    wait_for(lambda: len(fake.seen("/apis")) > n)
    end = time.monotonic() + 1
    wait_for(lambda: time.monotonic() > end)
    assert ("DELETED", "a") not in w.changes()


OLD = TYPES + tuple(("gone.example", "v1", "olds%d" % i, "Old%d" % i, True) for i in range(12)) + (
    ("moved.example", "v1beta1", "movers", "Mover", True),)


def test_version_that_was_named(serve, client):
    """TYPE.VERSION.GROUP is that version, also where the server prefers another one."""
    fake = serve(types=TYPES + (("example.org", "v1beta1", "widgets", "Widget", True),))
    run = client(fake)
    for name, version in (("widgets.v1beta1.example.org", "v1beta1"), ("widgets.v1.example.org", "v1"), ("widgets", "v1")):
        before = len(fake.seen())
        run(name)
        assert [r.path for r in fake.seen()[before:] if "widgets" in r.path] == [
            "/apis/example.org/%s/namespaces/default/widgets" % version], name


def test_cluster_that_was_replaced(serve, client):
    """A cache that is of another cluster: one fresh discovery, and not a word of each kind that is gone."""
    fake = serve(types=OLD)
    run = client(fake)
    run.json()
    fake.types = TYPES + (("moved.example", "v1", "movers", "Mover", True),)
    fake.put("movers", "m", **READY)
    fake.put("widgets", "w", **READY)
    before = len(fake.seen())
    done = run("-o", "json")
    doc = json.loads(done.stdout)
    asked = [r.path for r in fake.seen()[before:]]
    assert done.returncode == 0 and sorted(names(doc)) == ["m", "w"]
    assert doc["notices"] == [] and done.stderr == b""
    assert asked.count("/apis") == 1 and max(asked.count(p) for p in asked) == 1, asked


@pytest.mark.parametrize("args", [("-o", "json"), ("movers,shakers", "-o", "json")], ids=["all", "types"])
def test_list_of_a_version_that_went_may_be_answered_late(serve, client, args):
    """Its 404 comes when the fresh discovery is over, and is not shown: the kind is asked for in its new version."""
    moved = (("moved.example", "%s", "movers", "Mover", True), ("moved.example", "%s", "shakers", "Shaker", True))
    fake = serve(types=TYPES + tuple((g, v % "v1beta1", *rest) for g, v, *rest in moved))
    run = client(fake)
    run.json()
    fake.types = TYPES + tuple((g, v % "v1", *rest) for g, v, *rest in moved)
    fake.put("movers", "m", **READY)
    path = "/apis/moved.example/%s/namespaces/default/%s"

    def late(request, stream):
        fake.await_requests(1, path % ("v1", "shakers"))
        status(404, "NotFound", "the server could not find the requested resource")(request, stream)
    fake.on(path % ("v1beta1", "movers"), late)
    doc = run.json(*args[:-2])
    assert names(doc) == ["m"] and doc["notices"] == []
    assert len(fake.seen(path % ("v1", "movers"))) == 1


def test_version_that_goes_while_watching(serve, client, watching):
    """A kind that is served in another version now goes on in that one, and what is there stays."""
    fake = serve(types=TYPES + (("moved.example", "v1beta1", "movers", "Mover", True),))
    fake.put("movers", "m", **READY)
    w = watching(client(fake), "movers,widgets")
    w.wait(("ADDED", "m"))
    fake.await_requests(2, watch=True)
    with fake.changed:
        fake.types = TYPES + (("moved.example", "v1", "movers", "Mover", True),)
        fake.inject("movers", END)
    fake.await_requests(1, "/apis/moved.example/v1/namespaces/default/movers", watch=True)
    fake.put("movers", "n", **READY)
    w.wait(("ADDED", "n"))
    assert ("DELETED", "m") not in w.changes()


def test_type_of_a_cluster_that_was_replaced(serve, client):
    """Who names a type that is gone is told so."""
    fake = serve(types=OLD)
    run = client(fake)
    run.json()
    fake.types = TYPES
    complains(run("olds3"), "the server could not find the requested resource")


def test_unknown_type_of_a_stale_group_is_explained(fake, run):
    fake.stale = {("example.org", "v1")}
    complains(run("widgets"), 'the server doesn\'t have a resource type "widgets"', "example.org/v1", "stale GroupVersion")
    complains(run("pood"), 'did you mean "pod', "example.org/v1", "stale GroupVersion")


def test_unknown_type_is_not_the_verdict_when_nobody_could_be_asked(fake, run):
    """With a cache that is older than the type, and a server that fails."""
    run.json("widgets")
    fake.on("/apis", status(503, "ServiceUnavailable", "down"), times=0)
    text = complains(run("sprockets"), "down")
    assert "resource type" not in text


@pytest.mark.parametrize("kind", ["application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
                                  "application/json; as=APIGroupDiscoveryList; charset=utf-8; v=v2; g=apidiscovery.k8s.io"],
                         ids=["v2beta1", "reordered"])
def test_forms_of_aggregated_discovery(fake, run, kind):
    """In any order of the parameters."""
    fake.aggregated_as = kind
    fake.put("widgets", "a", **READY)
    assert names(run.json("widgets")) == ["a"] and len(fake.seen()) == 3


@pytest.mark.parametrize("root", ["/api", "/apis"])
def test_only_one_root_is_aggregated(fake, run, root):
    """Then all of it is read in the old form."""
    fake.aggregated = root
    fake.put("widgets", "a", **READY)
    assert names(run.json("widgets")) == ["a"]
    assert {"/api/v1", "/apis/example.org/v1"} <= {r.path for r in fake.seen()}


def test_base_path_of_a_gateway(fake, client):
    """It stands before every request; query and fragment of the server are left out."""
    run = client(fake, server=fake.url + "/k8s/clusters/c-abc/?x=1#f")
    run("widgets")
    assert {r.path for r in fake.seen()} and all(r.target.startswith("/k8s/clusters/c-abc/api") for r in fake.seen())
