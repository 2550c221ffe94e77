# SPDX-License-Identifier: Apache-2.0
"""ORC, the OpenStack resource controller, with an OpenStack in memory (openstack.py, which says what the words in names do)."""

from lab import go

TITLE = "OpenStack resource controller 2.6"
MODULE = "github.com/k-orc/openstack-resource-controller/v2"
BUILD = [go(MODULE, "v2.6.0", "./cmd/manager", name="orc", sum="h1:KKmdPiec2rzXv8NWWF01qQT6pIp4pILhDTnj45Nq7Uc=")]
CRDS = ["config/crd/bases"]
SECONDS = 200

NAMESPACE = "campus"


def made(kind, name, resource=None, secret="cloud-login", cloud="campus"):
    """A resource that ORC makes."""
    return resource_of(kind, name, {"managementPolicy": "managed", "resource": resource or {}}, secret, cloud)


def imported(kind, name, secret="cloud-login", **found_by):
    """A resource that exists already, by id or by filter."""
    return resource_of(kind, name, {"managementPolicy": "unmanaged", "import": found_by}, secret, "campus")


def resource_of(kind, name, spec, secret, cloud):
    return {
        "apiVersion": "openstack.k-orc.cloud/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"cloudCredentialsRef": {"cloudName": cloud, "secretName": secret}, **spec},
    }


def interface(name, router, subnet):
    return {
        "apiVersion": "openstack.k-orc.cloud/v1alpha1",
        "kind": "RouterInterface",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"type": "Subnet", "routerRef": router, "subnetRef": subnet},
    }


def login(name, url, password="right", project="campus"):
    text = f"""clouds:
  campus:
    auth: {{auth_url: "{url}", username: operator, password: {password}, project_name: {project},
           user_domain_name: Default, project_domain_name: Default}}
    region_name: north
    identity_api_version: 3
"""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "stringData": {"clouds.yaml": text},
    }


def subnet(name, network, part, **more):
    return made("Subnet", name, {"networkRef": network, "ipVersion": 4, "cidr": f"10.0.{part}.0/24"}, **more)


def port(name, network="hall", **more):
    return made("Port", name, {"networkRef": network, **more})


def server(name, image="debian", flavor="lean", **more):
    return made("Server", name, {"imageRef": image, "flavorRef": flavor, **more})


def objects(url):
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        login("cloud-login", url),
        login("cloud-locked-out", url, password="wrong"),
        login("cloud-unreachable", "http://127.0.0.1:1/v3"),
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "cloud-empty", "namespace": NAMESPACE},
            "stringData": {"other": "x"},
        },
        # What goes well.
        made("Network", "hall"),
        subnet("hall-v4", "hall", 0),
        made("SecurityGroup", "web"),
        made("Flavor", "lean", {"ram": 1024, "vcpus": 1, "disk": 10}),
        imported("Image", "debian", filter={"name": "debian-13"}),
        imported("Network", "internet", filter={"name": "internet"}),
        made("Router", "edge", {"externalGateways": [{"networkRef": "internet"}]}),
        interface("edge-hall", "edge", "hall-v4"),
        port("web-port", addresses=[{"subnetRef": "hall-v4"}], securityGroupRefs=["web"]),
        made("KeyPair", "ops", {"publicKey": "ssh-ed25519 AAAAC3Nz ops"}),
        server("web-1", ports=[{"portRef": "web-port"}], keypairRef="ops"),
        made("Volume", "data", {"size": 10}),
        server("web-2", volumes=[{"volumeRef": "data"}], ports=[{"portRef": "disk-port"}]),
        port("disk-port"),
        made("ServerGroup", "apart", {"policy": "anti-affinity"}),
        made("VolumeType", "fast", {}),
        # What the cloud refuses or breaks.
        made("Network", "overquota"),
        subnet("overquota-v4", "overquota", 1),
        port("overquota-port", "overquota"),
        made("Network", "clash"),
        subnet("clash-v4", "clash", 2),
        made("SecurityGroup", "malformed"),
        made("Router", "broken"),
        interface("broken-hall", "broken", "hall-v4"),
        made("Network", "broken-soon-well"),
        server("faulty", ports=[{"portRef": "spare-port"}]),
        port("spare-port"),
        made("Volume", "faulty-disk", {"size": 10}),
        server("on-bad-disk", volumes=[{"volumeRef": "faulty-disk"}], ports=[{"portRef": "other-port"}]),
        port("other-port"),
        # What takes its time.
        server("endless", ports=[{"portRef": "third-port"}]),
        port("third-port"),
        made("Volume", "endless-disk", {"size": 10}),
        server("on-slow-disk", volumes=[{"volumeRef": "endless-disk"}], ports=[{"portRef": "fourth-port"}]),
        port("fourth-port"),
        # What refers to something that is not there.
        subnet("homeless", "nowhere", 3),
        port("homeless-port", "nowhere"),
        server("no-flavor", flavor="giant", ports=[{"portRef": "web-port"}]),
        server("no-image", image="absent-image", ports=[{"portRef": "web-port"}]),
        made("Volume", "no-type", {"size": 1, "volumeTypeRef": "slow"}),
        interface("no-router", "absent-router", "hall-v4"),
        made("FloatingIP", "no-port", {"floatingNetworkRef": "internet", "portRef": "absent-port"}),
        made("Network", "no-secret", secret="cloud-absent"),
        made("Network", "no-cloud", cloud="elsewhere"),
        made("Network", "no-key", secret="cloud-empty"),
        made("Network", "locked-out", secret="cloud-locked-out"),
        made("Network", "unreachable", secret="cloud-unreachable"),
        subnet("unreachable-v4", "unreachable", 4),
        made("Network", "late-secret", secret="cloud-late"),
        subnet("late-v4", "late", 5),
        # Imports.
        imported("Network", "import-absent", filter={"name": "not-yet"}),
        subnet("import-absent-v4", "import-absent", 6),
        imported("Network", "import-double", filter={"name": "double"}),
        imported("Network", "import-unknown", id="0d9d1f0a-7f1c-4c43-9d6e-2b7c5a0e9b11"),
        # What will be changed or deleted.
        made("Network", "renamed"),
        made("Network", "stuck"),
        made("Network", "in-use"),
        subnet("in-use-v4", "in-use", 7),
        made("Network", "brief"),
        made("Network", "held"),
        made("Volume", "outlived", {"size": 1}),
    ]


def play(lab):
    cloud = lab.port()
    url = f"http://127.0.0.1:{cloud}/identity/v3"
    lab.start("openstack.py", cloud)
    lab.start("orc", "--kubeconfig", "{kubeconfig}", "--health-probe-bind-address", f"127.0.0.1:{lab.port()}")
    lab.mark("created")
    lab.apply(objects(url))

    def available(kind, name):
        return lambda: lab.condition(f"{kind}.openstack.k-orc.cloud", NAMESPACE, name, "Available")

    for kind, name in (
        ("servers", "web-1"),
        ("servers", "web-2"),
        ("volumes", "data"),
        ("subnets", "in-use-v4"),
        ("networks", "broken-soon-well"),
    ):
        lab.wait(f"{name} is available", available(kind, name), 90)
    lab.sleep(15)

    lab.mark("changed")
    lab.patch(
        "networks.openstack.k-orc.cloud",
        NAMESPACE,
        "renamed",
        {"spec": {"resource": {"description": "the network of the great hall"}}},
    )
    lab.patch(
        "networks.openstack.k-orc.cloud",
        NAMESPACE,
        "held",
        {"metadata": {"finalizers": ["openstack.k-orc.cloud/network", "audit.example.org/keep"]}},
    )
    lab.sleep(5)
    lab.mark("deleted")
    for name in ("stuck", "in-use", "brief", "held"):
        lab.delete("networks.openstack.k-orc.cloud", NAMESPACE, name)
    lab.apply([login("cloud-late", url), made("Network", "late")])
    lab.wait("late-v4 is available", available("subnets", "late-v4"), 60)
    lab.wait("late-secret is available", available("networks", "late-secret"), 90)
    lab.sleep(30)
    lab.mark("fresh")
    lab.apply([server("fresh", ports=[{"portRef": "web-port"}])])
    lab.sleep(3)
