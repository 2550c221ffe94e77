# SPDX-License-Identifier: Apache-2.0
"""The tab Events: of the resource and of its parts, from a server and from files."""
import json
import urllib.parse

from fakeapi import answer, hang_up, status
from client_world import certificates, client, fake, run, serve  # noqa: F401 (fixtures)
from program import wait_for

EVENTS = "/api/v1/namespaces/default/events"


def event(kind, name, reason, time, namespace="default"):
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "%s.%s" % (name, reason), "namespace": namespace},
            "involvedObject": {"apiVersion": "example.org/v1", "kind": kind, "name": name, "namespace": namespace},
            "type": "Warning", "reason": reason, "message": "of %s" % name, "lastTimestamp": time, "count": 1}


def about(request):
    selector = urllib.parse.parse_qs(urllib.parse.urlsplit(request.target).query).get("fieldSelector", [""])[0]
    return dict(part.split("=") for part in selector.split(",") if part).get("involvedObject.name")


def test_of_the_parts_too(fake, run):  # noqa: F811
    uid = fake.put("gadgets", "shop")["metadata"]["uid"]
    for i in range(12):
        part = fake.put("widgets", "part-%02d" % i,
                        status={"conditions": [{"type": "Ready", "status": "False" if i == 7 else "True", "reason": "Broken"}]})
        part["metadata"]["ownerReferences"] = [{"apiVersion": "example.org/v1", "kind": "Gadget", "name": "shop",
                                                "uid": uid, "controller": True}]
    for name in ["shop"] + ["part-%02d" % i for i in range(12)]:
        body = json.dumps({"items": [event("Gadget" if name == "shop" else "Widget", name, "Pulled", "2026-11-20T08:59:00Z")]})
        fake.on(EVENTS, answer(body.encode()), times=0, when=lambda r, name=name: about(r) == name)
    with run.screen("gadgets,widgets", rows=30, cols=120) as screen:
        screen.wait("gadget/shop")
        screen.keys("/gadget/shop\r\r6")
        screen.wait("with those of 8 parts, the worst of 12")
        screen.wait(lambda text: text.count("widget/part-") >= 8)
        assert "gadget/shop" in screen.text() and "of part-07" in screen.text(), "the one that is broken"
        wait_for(lambda: len(fake.seen(EVENTS)) >= 9)
        assert len(fake.seen(EVENTS)) == 9, "a request for each, and no more"


def test_a_part_whose_events_are_forbidden(fake, run):  # noqa: F811
    uid = fake.put("gadgets", "shop")["metadata"]["uid"]
    part = fake.put("widgets", "part", status={"conditions": [{"type": "Ready", "status": "False", "reason": "Broken"}]})
    part["metadata"]["ownerReferences"] = [{"apiVersion": "example.org/v1", "kind": "Gadget", "name": "shop",
                                            "uid": uid, "controller": True}]
    own = json.dumps({"items": [event("Gadget", "shop", "Pulled", "2026-11-20T08:59:00Z")]})
    fake.on(EVENTS, answer(own.encode()), times=0, when=lambda r: about(r) == "shop")
    fake.on(EVENTS, status(403, "Forbidden", "events is forbidden"), times=0, when=lambda r: about(r) == "part")
    with run.screen("gadgets,widgets", rows=30, cols=120) as screen:
        screen.wait("gadget/shop")
        screen.keys("/gadget/shop\r\r6")
        screen.wait("Pulled")
        wait_for(lambda: len(fake.seen(EVENTS)) >= 2)
        screen.wait(lambda text: "of shop" in text and "forbidden" not in text)


def test_read_again_in_vain(fake, run):  # noqa: F811
    """Each time the reason is shown; with the address sanitizer, that Events which were freed are not looked at."""
    fake.put("widgets", "one")
    lost = []
    fake.on(EVENTS, hang_up, times=0, when=lambda _: lost)
    fake.on(EVENTS, answer(json.dumps({"items": [event("Widget", "one", "Pulled", "2026-11-20T08:59:00Z")]}).encode()), times=0)
    with run.screen("widgets", rows=30, cols=160) as screen:
        screen.wait("widget/one")
        screen.keys("\r6")
        screen.wait("of one")
        lost.append(True)
        for size in range(3):
            before = len(fake.seen(EVENTS))
            fake.put("widgets", "one", spec={"size": size})
            wait_for(lambda before=before: screen.read() and len(fake.seen(EVENTS)) > before)
            screen.wait("Unable to connect to the server")
        lost.clear()
        fake.put("widgets", "one", spec={"size": 9})
        screen.wait("of one")


def test_in_files_of_that_namespace_alone(run, tmp_path):  # noqa: F811
    world = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": ns},
              "status": {"phase": "Pending"}} for ns in ("shop", "edge")]
    for e in (event("Pod", "web", "Mine", "2026-11-20T08:59:00Z", "shop"),
              event("Pod", "web", "Other", "2026-11-20T08:59:00Z", "edge")):
        e["involvedObject"]["apiVersion"] = "v1"
        world.append(e)
    path = tmp_path / "world.yaml"
    path.write_text("---\n".join(json.dumps(o) + "\n" for o in world))
    with run.screen("-f", path, "pods", "--as-of", "2026-11-20T09:00:00Z", rows=24, cols=100) as screen:
        screen.wait("pod/web")
        screen.keys("/ns:shop\r\r6")
        screen.wait("Mine")
        assert "Other" not in screen.text()


def test_files_are_not_read_again_for_them(run, tmp_path):  # noqa: F811
    """On a wide screen each row that is selected asks for its Events, and a dump may have hundreds of megabytes."""
    world = tmp_path / "world.json"
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop", "uid": name}, "status": {"phase": "Pending"}}
            for name in ("a", "b")]
    events = [event("Pod", name, reason + name.upper(), "2026-11-20T08:5%d:00Z" % i, "shop") for name in "ab" for i, reason in enumerate(("Pulled", "Tried"))]
    for e in events:
        e["involvedObject"]["apiVersion"], e["message"] = "v1", "it is " + e["reason"]
    world.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods + events}))
    with run.screen("-f", world, "pods", rows=40, cols=200) as screen:
        screen.wait("PulledA")
        world.unlink()
        screen.keys("j")
        screen.wait("PulledB")


def test_of_all_in_files(run, tmp_path):  # noqa: F811
    world = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": ns},
              "status": {"phase": "Pending"}} for ns in ("shop", "edge")]
    for e in (event("Pod", "web", "Mine", "2026-11-20T08:59:00Z", "shop"), event("Pod", "gone", "Other", "2026-11-20T08:58:00Z", "edge")):
        e["involvedObject"]["apiVersion"] = "v1"
        world.append(e)
    path = tmp_path / "world.yaml"
    path.write_text("---\n".join(json.dumps(o) + "\n" for o in world))
    with run.screen("-f", path, "pods", "-A", "--as-of", "2026-11-20T09:00:00Z", rows=24, cols=120) as screen:
        screen.wait("pod/web")
        screen.keys("T")
        screen.wait(lambda text: "Mine: of web" in text and "Other: of gone" in text and text.count("  event") == 2)
    with run.screen("-f", path, "pods", "-n", "shop", "--as-of", "2026-11-20T09:00:00Z", rows=24, cols=120) as screen:
        screen.wait("pod/web")
        screen.keys("T")
        screen.wait(lambda text: "Mine: of web" in text and "Other" not in text)


def test_of_all_page_by_page_the_newest(fake, run):  # noqa: F811
    """A server lists them by name: the newest may stand on the last page."""
    fake.put("widgets", "a")
    pages = [[event("Widget", "a", "Old%d" % i, "2026-11-20T01:%02d:%02dZ" % (i // 60, i % 60)) for i in range(500)],
             [event("Widget", "a", "New%d" % i, "2026-11-20T08:%02d:%02dZ" % (i // 60, i % 60)) for i in range(400)]]
    fake.on(EVENTS, answer(json.dumps({"metadata": {"continue": "a b&c"}, "items": pages[0]}).encode()), times=0,
            when=lambda r: not r.query.get("continue"))
    fake.on(EVENTS, answer(json.dumps({"metadata": {}, "items": pages[1]}).encode()), times=0,
            when=lambda r: r.query.get("continue") == "a b&c")
    with run.screen("widgets", rows=30, cols=120) as screen:
        screen.wait("widget/a")
        screen.keys("T")
        screen.wait(lambda text: "New399" in text and "500 Events, there are more" in text)
        screen.keys("/Old499\r")
        screen.wait(" 1 entry matches")
        screen.keys("\x1b/Old399\r")
        screen.wait(" 0 entries match")
