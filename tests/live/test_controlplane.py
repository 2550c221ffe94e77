"""The harness itself: what the end-to-end tests rely on."""

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

from controlplane import (DEBIAN_ETCD, HERE, ApiError, ControlPlane, ControlPlaneUnavailable, or_skip,
                          wait_until)
from crds import load_crds
from incident import BILLING_NS, World, expected
from load import make_pods

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def world(cp, crds):
    """The incident at its end; its controllers have not met the outages of the tests before."""
    cp.stop_controllers()
    cp.start_controllers()
    made = World(cp)
    made.create()
    made.finish()
    return made


def refused(cp, *args, user):
    with pytest.raises(subprocess.CalledProcessError) as failure:
        cp.kubectl(*args, user=user)
    return failure.value.stderr


# -- with a control plane of their own, before the shared one runs -------------

def test_killed_test_run_leaves_no_server():
    """After SIGKILL nothing but the kernel can clean up."""
    with or_skip():
        ControlPlane()
    script = ("import sys, time; sys.path.insert(0, sys.argv[1])\n"
              "from controlplane import ControlPlane\n"
              "cp = ControlPlane().start()\n"
              "print(*(p.pid for p, _ in cp._processes.values()), cp.dir, flush=True)\n"
              "time.sleep(60)")
    run = subprocess.Popen([sys.executable, "-c", script, str(HERE)],
                           stdout=subprocess.PIPE, text=True)
    *pids, folder = run.stdout.readline().split()
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    assert len(pids) == 3
    for pid in pids:
        wait_until(f"end of {pid}", lambda: _is_gone(pid), 5)
    shutil.rmtree(folder)


def _is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return ") Z " in stat.read()
    except FileNotFoundError:
        return True


def test_machine_without_binaries(monkeypatch, tmp_path):
    for name in ("kube-apiserver", "kubectl", "etcd"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    monkeypatch.delenv("KUBECTL_STATUS_REQUIRE_CLUSTER", raising=False)
    with pytest.raises(ControlPlaneUnavailable, match="kube-controller-manager"):
        ControlPlane()
    with pytest.raises(pytest.skip.Exception), or_skip():
        ControlPlane()
    monkeypatch.setenv("KUBECTL_STATUS_REQUIRE_CLUSTER", "1")
    with pytest.raises(ControlPlaneUnavailable), or_skip():
        ControlPlane()


def test_second_etcd():
    """An old release; only where Debian's package is installed, as CI does."""
    if not pathlib.Path(DEBIAN_ETCD).exists():
        pytest.skip(f"no {DEBIAN_ETCD}: Debian has it in etcd-server")
    with or_skip(), ControlPlane(etcd="debian") as other:
        other.post(CONFIGMAPS, {"metadata": {"name": "a"}})
        assert other.compact() > 0


# -- with the shared one --------------------------------------------------------

def test_kubectl_as_admin(cp):
    assert "default" in cp.kubectl("get", "namespaces", "-o", "name")
    made = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stdin"}})
    assert "created" in cp.kubectl("create", "-f", "-", input=made)


def test_refused_request_is_an_error(cp):
    with pytest.raises(ApiError) as failure:
        cp.get(f"{CONFIGMAPS}/absent")
    assert failure.value.status == 404


def test_oncall_reads_everything_and_changes_nothing(cp):
    cp.grant_oncall()
    cp.kubeconfig("ann", ["oncall"])
    assert "kube-system" in cp.kubectl("get", "namespaces", user="ann")
    assert "forbidden" in refused(cp, "delete", "namespace", "default", user="ann").lower()


def test_limited_user_sees_one_namespace_without_secrets(cp):
    cp.grant_limited("lim", "default")
    cp.kubeconfig("lim", namespace="default")
    cp.kubectl("get", "pods", user="lim")
    assert "forbidden" in refused(cp, "get", "secrets", user="lim").lower()
    assert "forbidden" in refused(cp, "get", "pods", "-n", "kube-system", user="lim").lower()


def test_revoked_user_sees_nothing(cp):
    binding = cp.grant_limited("tmp", "default")
    cp.kubectl("get", "pods", "-n", "default", user="tmp")
    cp.delete(binding)
    wait_until("revocation", lambda: "orbidden" in refused(
        cp, "get", "pods", "-n", "default", user="tmp"), 10)


def test_kubeconfig_variants(cp, tmp_path):
    cp.grant_oncall()
    token = cp.service_account_token("default", "bot", 300)
    file = tmp_path / "token"
    file.write_text(token)
    bot = "system:serviceaccount:default:bot"
    cp.grant_oncall(user=bot)
    for variant in ({"token": token}, {"token_file": file}, {"token": token, "insecure": True},
                    {"token": token, "namespace": "kube-system", "context": "other"}):
        cp.kubeconfig(bot, **variant)
        cp.kubectl("get", "pods", user=bot)
    cp.kubeconfig("ann", ["oncall"], files=True)
    cp.kubectl("get", "pods", user="ann")


def test_token_expires(cp):
    bot = "system:serviceaccount:default:short"
    cp.grant_oncall(user=bot)
    cp.kubeconfig(bot, token=cp.service_account_token("default", "short", 2))
    time.sleep(3)
    assert "Unauthorized" in refused(cp, "get", "pods", user=bot)


def test_audit_counts_each_request_once(cp):
    cp.grant_oncall()
    cp.kubeconfig("counted", ["oncall"])
    cp.kubectl("get", "configmaps", "-n", "default", user="counted")
    since = time.time()
    cp.kubectl("get", "configmaps", "-n", "default", user="counted")
    cp.kubectl("get", "configmaps", "-n", "default", "--watch", "--request-timeout=1s",
               user="counted")
    requests = [(r["verb"], r["objectRef"]["resource"]) for r in cp.audit("counted", since)
                if "objectRef" in r]
    assert requests == [("list", "configmaps"), ("list", "configmaps"), ("watch", "configmaps")]
    assert cp.audit("admin") == []


def test_restart_keeps_the_data(cp):
    cp.post(CONFIGMAPS, {"metadata": {"name": "kept"}})
    revision = cp.compact()
    cp.restart_apiserver()
    assert cp.get(f"{CONFIGMAPS}/kept")["metadata"]["name"] == "kept"
    assert cp.compact() > revision


def test_changes_behind_a_client_that_sees_the_server_away(cp):
    cp.stop_apiserver()
    cp.start_apiserver(hidden=True)
    cp.post(CONFIGMAPS, {"metadata": {"name": "unseen"}})
    assert "refused" in refused(cp, "get", "configmaps", user="admin")
    cp.stop_apiserver(kill=False)
    cp.start_apiserver()
    assert "unseen" in cp.kubectl("get", "configmaps", "-n", "default")


def test_every_served_version_can_be_listed(cp, world):
    for crd in load_crds():
        spec = crd["spec"]
        for version in spec["versions"]:
            cp.get(f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}?limit=1")
    assert "InstallPlan" in cp.kubectl("api-resources", "--categories=olm")


def test_the_world_has_what_is_expected_of_it(cp, world):
    assert len(world.made()) >= 70
    phases = expected(world)
    assert {"Failed", "Waiting", "Deleting", "Updating", "Degraded", "Suspended",
            "Ready"} == set(phases.values())
    old = json.loads(cp.kubectl("get", "subnets.openstack.k-orc.cloud", "old", "-n", "edge",
                                "-o", "json"))
    assert old["metadata"]["deletionTimestamp"]
    queue = json.loads(cp.kubectl("get", "queue.queue.oracle.com", "orders", "-n", "shop",
                                  "-o", "json"))["status"]["status"]
    assert queue["async"]["current"]["percentComplete"] == 62
    assert [c["type"] for c in queue["conditions"]] == ["Provisioning", "Provisioning", "Failed"]


def test_pods_of_the_world_are_run(cp, world):
    table = cp.kubectl("get", "pods", "-A", "--no-headers")
    for word in ("ImagePullBackOff", "CrashLoopBackOff", "Completed"):
        assert word in table     # other tests may have pods of the kind there, too
    before = cp.get(f"/api/v1/namespaces/{BILLING_NS}/pods/postgresql-0")["metadata"]["uid"]
    cp.kubectl("delete", "pod", "postgresql-0", "-n", BILLING_NS, "--wait=false")

    def replaced():
        world.tend()
        pods = cp.get(f"/api/v1/namespaces/{BILLING_NS}/pods")["items"]
        return [p for p in pods if p["metadata"]["name"] == "postgresql-0"
                and p["metadata"]["uid"] != before and p["status"]["phase"] == "Running"]

    wait_until("a new pod", replaced, 20, 0.1)


def test_many_pods(cp):
    namespaces = make_pods(cp, 620)
    assert namespaces == ["load-0", "load-1"]
    pods = cp.get("/api/v1/namespaces/load-1/pods")["items"]
    assert len(pods) == 120
    size = len(json.dumps(pods[0], separators=(",", ":")))
    assert 3000 < size < 5000
    # The controllers, back again, are content with what they find.
    wait_until("controllers", lambda: cp.exists(
        "/api/v1/namespaces/load-1/serviceaccounts/default"), 20)
    time.sleep(1)
    assert len(cp.get("/api/v1/namespaces/load-1/pods")["items"]) == 120
