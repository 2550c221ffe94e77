# SPDX-License-Identifier: Apache-2.0
"""Something is taken from the running program; test_client_survives.py sees it return."""
import json

from controlplane import wait_until


def test_right_taken_away(right):
    wait_until("both", lambda: right.watcher.phase("Network", "net") == "Ready"
               and right.watcher.phase("Subnet", "a") == "Provisioning", 20)
    right.screen.wait("/net")
    right.take()
    right.screen.wait("1 kind forbidden", 30)
    right.screen.wait("unreadable now")
    done = right.run("networks.openstack.k-orc.cloud,subnets.openstack.k-orc.cloud", "-o", "json")
    assert done.returncode == 1, "a kind that was named may not be read"
    told = json.loads(done.stdout)
    assert [(n["kind"], n["resource"]) for n in told["notices"]] == [
        ("forbidden", "networks.openstack.k-orc.cloud")]
    [subnet] = told["items"]
    assert subnet["name"] == "a" and told["rootCauses"] == []
    assert_nothing_is_missing([subnet, *right.watcher.events])
    right.give()


def assert_nothing_is_missing(items):
    """What may not be read is not absent."""
    for item in items:
        assert not [w for w in item.get("waits", ()) if w["state"] == "missing"], item


def test_kind_taken_away(cp, kind):
    wait_until("its object", lambda: kind.watcher.phase("Widget", "one") == "Ready", 20)
    kind.take()
    wait_until("end of the row", lambda: not kind.watcher.named("Widget", "one"), 20)
    assert kind.watcher.named("ServiceAccount", "default")
    kind.define()
    kind.make("two")
