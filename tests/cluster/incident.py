"""An incident on a real API server: five operator families and plain workloads
in a handful of namespaces, first as they are on a quiet day with some work
under way, then driven through four minutes in which several things go wrong
and two get well."""

import concurrent.futures
import time

from controlplane import wait_until
from crds import load_crds
from kubelet import add_nodes, crash_pod, pod_path, run_pods
from shapes import (HOUR, ago, aso_not_ready, aso_ready, condition, crossplane_ready,
                    csv_succeeded, now, ocid, orc_ready, orc_terminal, orc_waiting,
                    osok_status, osok_tracker)

BILLING, CACHE = "billing-7xk2p", "cache-m4q9d"           # the composites of the claims
BILLING_NS, CACHE_NS = f"vshn-postgresql-{BILLING}", f"vshn-redis-{CACHE}"
SUBNETS = "abcdef"
MISSING_IMAGE = "shop/search:8.1.0"

OPERATORS = {                           # namespace: Deployment of what OLM did not install
    "orc-system": "orc-controller-manager",
    "azureserviceoperator-system": "azureserviceoperator-controller-manager",
    "crossplane-system": "crossplane",
}

ORC, ORC_FINALIZER = "openstack.k-orc.cloud/v1alpha1", "openstack.k-orc.cloud/"
OLM = "operators.coreos.com/v1alpha1"
APPCAT = "vshn.appcat.vshn.io/v1"
RELEASE, OBJECT = "helm.crossplane.io/v1beta1", "kubernetes.crossplane.io/v1alpha2"
OSOK_FINALIZER = "finalizers.oci.oracle.com/oci-resources"
ASO_FINALIZER = "serviceoperator.azure.com/finalizer"

CORE_KINDS = {                          # (group, kind): (plural, namespaced)
    ("", "Namespace"): ("namespaces", False),
    ("", "PersistentVolume"): ("persistentvolumes", False),
    ("", "ConfigMap"): ("configmaps", True),
    ("", "Event"): ("events", True),
    ("", "PersistentVolumeClaim"): ("persistentvolumeclaims", True),
    ("", "ResourceQuota"): ("resourcequotas", True),
    ("", "Secret"): ("secrets", True),
    ("", "Service"): ("services", True),
    ("", "ServiceAccount"): ("serviceaccounts", True),
    ("apps", "Deployment"): ("deployments", True),
    ("apps", "StatefulSet"): ("statefulsets", True),
    ("batch", "CronJob"): ("cronjobs", True),
    ("batch", "Job"): ("jobs", True),
    ("networking.k8s.io", "NetworkPolicy"): ("networkpolicies", True),
}


def make(api, kind, namespace, name, spec=None, status=None, **metadata):
    """An object.  Its status, or the function that returns it, is for later: it is
    written separately, as a controller would."""
    made = {"apiVersion": api, "kind": kind, "metadata": {"name": name, **metadata}}
    if namespace:
        made["metadata"]["namespace"] = namespace
    if spec is not None:
        made["spec"] = spec
    if status is not None:
        made["status"] = status
    return made


class World:
    """The objects and their story.

    create() makes the quiet day; then either play() or finish() goes through
    `steps`, a list of (seconds after the start, name, function).
    """

    def __init__(self, cp):
        self.cp = cp
        self._kinds = dict(CORE_KINDS)
        for crd in load_crds():
            spec = crd["spec"]
            self._kinds[spec["group"], spec["names"]["kind"]] = (
                spec["names"]["plural"], spec["scope"] == "Namespaced")
        self._made = {}                 # (kind, namespace, name): (path, object as created)
        self._pod_age = 0
        self.steps = [
            (8, "queue at 40 %", self._queue_moves),
            (20, "stream active", self._stream_recovers),
            (30, "network over quota", self._network_fails),
            (45, "admin secret missing", self._secret_missing),
            (60, "queue at 62 %", self._queue_moves_on),
            (75, "upgrade needs approval", self._upgrade_waits),
            (95, "subnet held by a guard", self._subnet_deleted),
            (110, "database at 52 %", self._database_moves),
            (125, "image missing", self._image_missing),
            (150, "queue failed", self._queue_fails),
            (170, "postgres pod crashes", self._postgres_crashes),
            (190, "volume ready", self._volume_recovers),
            (210, "front scaled up", self._front_scales),
            (225, "postgres pod crashes again", self._postgres_crashes_again),
        ]

    # -- running -------------------------------------------------------------

    def create(self):
        """Make the world of before the incident; all healthy workloads run on return.

        What is at rest claims to be so for hours, older than its creation.
        """
        self._pod_age = 3 * HOUR
        add_nodes(self.cp)
        self._put(self._namespaces())
        self._put(self._roots())
        self._put(self._owned())
        self._until("workloads", lambda: all([
            *(self._ready(kind, namespace, name) for kind, namespace, name in self._made
              if kind in ("Deployment", "StatefulSet")),
            self._get("Job", "shop", "migrate")["status"].get("succeeded"),
            self._get("PersistentVolumeClaim", "shop", "cart-data")["status"]["phase"] == "Bound"]))
        self._pod_age = 0

    def play(self, speed=1.0, tell=lambda name: None):
        """Go through the story in real time times speed; tell(name) at each step."""
        start = time.monotonic()
        for offset, name, step in self.steps:
            while (left := start + offset / speed - time.monotonic()) > 0:
                self.tend()
                time.sleep(min(left, 0.5))
            tell(name)
            step()

    def finish(self):
        """Go through the story at once."""
        for _, _, step in self.steps:
            step()

    def tend(self):
        """What nodes do all the time, in the world's namespaces."""
        namespaces = [name for kind, _, name in self._made if kind == "Namespace"]
        return run_pods(self.cp, namespaces, {MISSING_IMAGE}, self._pod_age)

    def made(self):
        """The (kind, namespace, name) of everything that was created so far, apart
        from what controllers made of it."""
        return self._made.keys()

    def pod_without_image(self):
        """The one whose image cannot be pulled."""
        [pod] = [pod for pod in self.cp.get("/api/v1/namespaces/shop/pods")["items"]
                 if pod["spec"]["containers"][0]["image"] == MISSING_IMAGE]
        return pod

    # -- tools ---------------------------------------------------------------

    def _collection(self, api, kind, namespace):
        group, _, version = api.rpartition("/")
        plural, namespaced = self._kinds[group, kind]
        base = f"/apis/{api}" if group else f"/api/{version}"
        return base + (f"/namespaces/{namespace}" if namespaced else "") + f"/{plural}"

    def _put(self, objects):
        """Create objects, some at a time, each with its status."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(self._put_one, objects))

    def _put_one(self, wanted):
        meta = wanted["metadata"]
        namespace = meta.get("namespace", "")
        collection = self._collection(wanted["apiVersion"], wanted["kind"], namespace)
        path = f"{collection}/{meta['name']}"
        made = self.cp.post(collection, {k: v for k, v in wanted.items() if k != "status"})
        self._made[wanted["kind"], namespace, meta["name"]] = path, made
        status = wanted.get("status")
        if status is not None:
            self.cp.patch(f"{path}/status", {"status": status() if callable(status) else status})

    def _get(self, kind, namespace, name):
        return self.cp.get(self._made[kind, namespace, name][0])

    def _set_status(self, kind, namespace, name, status):
        self.cp.patch(self._made[kind, namespace, name][0] + "/status", {"status": status})

    def _owner(self, kind, namespace, name, controller=True):
        """A list with the ownerReference to an object made before."""
        _, made = self._made[kind, namespace, name]
        return [{"apiVersion": made["apiVersion"], "kind": kind, "name": name,
                 "uid": made["metadata"]["uid"], "controller": controller,
                 "blockOwnerDeletion": controller}]

    def _warn(self, involved, reason, message, source):
        """Write an Event of type Warning about an object."""
        meta, moment = involved["metadata"], now()
        self.cp.post(self._collection("v1", "Event", meta["namespace"]), {
            "metadata": {"generateName": f"{meta['name']}."}, "type": "Warning",
            "reason": reason, "message": message, "source": {"component": source},
            "count": 1, "firstTimestamp": moment, "lastTimestamp": moment,
            "involvedObject": {"apiVersion": involved["apiVersion"], "kind": involved["kind"],
                               **{k: meta[k] for k in ("name", "namespace", "uid")}}})

    def _until(self, what, condition):
        """Wait for the controllers, and meanwhile run the pods that they make."""
        wait_until(what, lambda: self.tend() == 0 and condition(), 90, 0.1)

    def _ready(self, kind, namespace, name):
        workload = self._get(kind, namespace, name)
        status = workload["status"]
        return (status.get("observedGeneration") == workload["metadata"]["generation"]
                and status.get("readyReplicas") == status.get("updatedReplicas")
                == workload["spec"]["replicas"])

    # -- the quiet day: objects that need nothing else first -------------------

    def _namespaces(self):
        for name in ("edge", "fin", "shop", "ops", "apps", *OPERATORS):
            yield make("v1", "Namespace", "", name)
        for name, claim, service in ((BILLING_NS, "billing", "postgresql"),
                                     (CACHE_NS, "cache", "redis")):
            yield make("v1", "Namespace", "", name, labels={
                "appcat.vshn.io/claim-namespace": "apps", "appcat.vshn.io/claim-name": claim,
                "appcat.vshn.io/servicename": f"{service}-standalone"})

    def _roots(self):
        yield from self._workloads()
        yield from self._orc()
        yield from self._osok()
        yield from self._olm()
        yield from self._appcat()
        yield make("resources.azure.com/v1api20200601", "ResourceGroup", "fin", "rg-fin",
                   {"location": "westeurope", "azureName": "rg-fin"}, aso_ready(),
                   **self._aso_metadata())
        yield make("azure.microsoft.com/v1alpha1", "EventhubNamespace", "fin", "events",
                   {"location": "westeurope", "resourceGroup": "rg-fin"},
                   {"provisioned": True, "provisioning": False, "failedProvisioning": False,
                    "message": "successfully provisioned"})
        yield make("v1", "ConfigMap", "fin", "ledger-settings") | {"data": {"currency": "EUR"}}

    def _workloads(self):
        for namespace, name in OPERATORS.items():
            yield self._deployment(namespace, name, f"operators/{name}:v2.0.0", 1,
                                   labels={"control-plane": "controller-manager"})
        yield make("v1", "ConfigMap", "shop", "front-config") | {"data": {"theme": "winter"}}
        yield make("v1", "Secret", "shop", "cart-key") | {"stringData": {"key": "not-a-secret"}}
        for app, version, replicas in (("cart", "1.4.2", 3), ("front", "3.0.1", 2),
                                       ("search", "8.0.3", 2)):
            yield self._deployment("shop", app, f"shop/{app}:{version}", replicas)
            yield make("v1", "Service", "shop", app, {
                "selector": {"app": app}, "ports": [{"port": 80, "targetPort": 8080}]})
        for namespace, name, image in ((BILLING_NS, "postgresql", "appcat/postgresql:16.4"),
                                       (CACHE_NS, "redis", "appcat/redis:7.2.5")):
            yield make("apps/v1", "StatefulSet", namespace, name, {
                "replicas": 3, "serviceName": name, "podManagementPolicy": "Parallel",
                "selector": {"matchLabels": {"app": name}},
                "template": self._template(name, image)})
            yield make("networking.k8s.io/v1", "NetworkPolicy", namespace, "allow", {
                "podSelector": {}, "policyTypes": ["Ingress"],
                "ingress": [{"from": [{"namespaceSelector": {"matchLabels": {
                    "kubernetes.io/metadata.name": "apps"}}}]}]})
        yield make("batch/v1", "Job", "shop", "migrate", {
            "template": {"spec": self._template("migrate", "shop/migrate:1.4.2")["spec"]
                         | {"restartPolicy": "Never"}}})
        yield make("batch/v1", "CronJob", "shop", "report", {
            "schedule": "0 4 * * *", "suspend": True, "jobTemplate": {"spec": {
                "template": {"spec": self._template("report", "shop/report:1.0.0")["spec"]
                             | {"restartPolicy": "Never"}}}}})
        size = {"storage": "10Gi"}
        yield make("v1", "PersistentVolume", "", "cart-data", {
            "capacity": size, "accessModes": ["ReadWriteOnce"], "storageClassName": "manual",
            "hostPath": {"path": "/data/cart"},
            "claimRef": {"namespace": "shop", "name": "cart-data"}})
        for name, more in (("cart-data", {"storageClassName": "manual", "volumeName": "cart-data"}),
                           ("scratch", {"storageClassName": "fast"})):
            yield make("v1", "PersistentVolumeClaim", "shop", name, {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": size}, **more})

    def _deployment(self, namespace, app, image, replicas, **metadata):
        return make("apps/v1", "Deployment", namespace, app, {
            "replicas": replicas, "selector": {"matchLabels": {"app": app}},
            "template": self._template(app, image)}, **metadata)

    @staticmethod
    def _template(app, image):
        return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{
            "name": app, "image": image,
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}]}}

    # -- OpenStack: edge -------------------------------------------------------

    def _orc(self):
        def orc(kind, name, resource, status, guards=(), **spec):
            credentials = {"secretName": "openstack-clouds", "cloudName": "edge"}
            own = ORC_FINALIZER + kind.lower()
            if resource is not None:
                spec = {"managementPolicy": "managed", "resource": resource}
            return make(ORC, kind, "edge", name, {"cloudCredentialsRef": credentials, **spec},
                        status, finalizers=[*(ORC_FINALIZER + g for g in guards), own])

        def external(name):
            return {"managementPolicy": "unmanaged", "import": {"filter": {"name": name}}}

        def uuid(number):
            return f"6f1d0c1e-0000-4000-8000-{number:012d}"

        clouds = "clouds: {edge: {auth: {auth_url: 'https://identity.example.test/v3'}}}"
        yield make("v1", "Secret", "edge", "openstack-clouds", finalizers=[
            ORC_FINALIZER + kind for kind in ("network", "port", "server", "subnet")]) | {
                "stringData": {"clouds.yaml": clouds}}
        yield orc("Project", "edge", None, orc_ready(uuid(1), name="edge"), **external("edge"))
        yield orc("Flavor", "small", None, orc_ready(uuid(2), vcpus=2), **external("m1.small"))
        yield orc("Image", "debian", None, orc_ready(uuid(3), status="active"), ["server"],
                  **external("debian-12"))
        yield orc("KeyPair", "ops", {"publicKey": "ssh-ed25519 AAAA ops"}, orc_ready("ops"))
        yield orc("Network", "uplink", None, orc_ready(uuid(4), status="ACTIVE"), ["router"],
                  **external("public"))
        yield orc("Router", "gw", {"externalGateways": [{"networkRef": "uplink"}]},
                  orc_ready(uuid(5), status="ACTIVE"), ["routerinterface"])
        yield orc("Network", "lan", {"projectRef": "edge"}, orc_ready(uuid(6), status="ACTIVE"),
                  ["port", "subnet"])
        yield orc("Subnet", "lan", {"networkRef": "lan", "ipVersion": 4, "cidr": "10.20.0.0/24"},
                  orc_ready(uuid(7), cidr="10.20.0.0/24"), ["routerinterface"])
        yield make(ORC, "RouterInterface", "edge", "gw-lan",
                   {"type": "Subnet", "routerRef": "gw", "subnetRef": "lan"}, orc_ready(uuid(8)),
                   finalizers=[ORC_FINALIZER + "routerinterface"])
        yield orc("SecurityGroup", "web", {"rules": []}, orc_ready(uuid(9)), ["port"])
        yield orc("Subnet", "old", {"networkRef": "lan", "ipVersion": 4, "cidr": "10.20.9.0/24"},
                  orc_ready(uuid(10), cidr="10.20.9.0/24"), ["port"])
        yield orc("Port", "legacy", {"networkRef": "lan", "addresses": [{"subnetRef": "old"}]},
                  orc_ready(uuid(11), status="ACTIVE", fixedIPs=[{"ip": "10.20.9.4"}]))
        yield orc("Network", "net", {"projectRef": "edge"},
                  orc_waiting("Resource status will be refreshed"))
        for number, name in enumerate(SUBNETS):
            cidr = f"10.21.{number}.0/24"
            yield orc("Subnet", name, {"networkRef": "net", "ipVersion": 4, "cidr": cidr},
                      orc_waiting("Waiting for Network/net to be ready"))
        for name, subnet in (("web-0", "a"), ("web-1", "b")):
            yield orc("Port", name, {"networkRef": "net", "addresses": [{"subnetRef": subnet}],
                                     "securityGroupRefs": ["web"]},
                      orc_waiting("Waiting for Network/net to be ready",
                                  f"Waiting for Subnet/{subnet} to be ready"))
            yield orc("Server", name, {"imageRef": "debian", "flavorRef": "small",
                                       "keypairRef": "ops", "ports": [{"portRef": name}]},
                      orc_waiting(f"Waiting for Port/{name} to be ready"))
        yield orc("FloatingIP", "web", {"floatingNetworkRef": "uplink", "portRef": "web-0"},
                  orc_waiting("Waiting for Port/web-0 to be ready"))
        yield orc("Volume", "data", {"size": 100}, {
            "id": uuid(12), "resource": {"status": "creating"},
            **orc_waiting("Waiting for OpenStack resource to be ready")})

    # -- OCI: shop -------------------------------------------------------------

    def _osok(self):
        def osok(service, kind, name, spec, inner, **mirror):
            def status():               # its times must not be older than the spec's
                made = inner()
                identity = {"id": made["ocid"], "displayName": name} if "ocid" in made else {}
                return {"status": made, **identity, **mirror}

            spec = {"compartmentId": ocid("compartment", 1), "displayName": name, **spec}
            return make(f"{service}.oracle.com/v1beta1", kind, "shop", name, spec, status,
                        finalizers=[OSOK_FINALIZER])

        def active(service, kind, name, number, **spec):
            return osok(service, kind, name, spec, lambda: osok_status(
                "Active", f"{kind} {name} is active", ocid=ocid(kind.lower(), number),
                createdAt=now(), opcRequestId=f"3C1A{number:04d}/5E2B/77AA"),
                lifecycleState="ACTIVE")

        yield active("core", "Vcn", "core", 1, cidrBlocks=["10.30.0.0/16"])
        yield active("core", "Subnet", "app", 2, vcnId=ocid("vcn", 1), cidrBlock="10.30.1.0/24")
        yield active("core", "Instance", "jump", 3, subnetId=ocid("subnet", 2))
        yield active("mysql", "DbSystem", "stock", 4, subnetId=ocid("subnet", 2))
        yield active("objectstorage", "Bucket", "receipts", 5)
        yield active("ons", "Subscription", "alerts", 6, protocol="EMAIL")
        yield osok("streaming", "Stream", "clicks", {"name": "clicks", "partitions": 2},
                   lambda: osok_status("Provisioning", "OCI create is in progress",
                                       tracker=osok_tracker("create", raw="CREATING"),
                                       createdAt=now(), ocid=ocid("stream", 7)),
                   lifecycleState="CREATING")
        yield osok("database", "AutonomousDatabase", "main", {"computeCount": 8},
                   lambda: osok_status("Updating", "OCI update is in progress",
                                       osok_status("Active", "AutonomousDatabase main is active"),
                                       self._database_tracker(20), createdAt=now(),
                                       ocid=ocid("autonomousdatabase", 8)),
                   lifecycleState="UPDATING")
        yield osok("queue", "Queue", "orders", {"retentionInSeconds": 86400},
                   lambda: osok_status("Provisioning", "OCI create is in progress",
                                       tracker=self._queue_tracker(10)),
                   createWorkRequestId=ocid("queueworkrequest", 9))

    @staticmethod
    def _queue_tracker(percent, **more):
        return osok_tracker("create", percent, ocid("queueworkrequest", 9), "CREATE_QUEUE", **more)

    @staticmethod
    def _database_tracker(percent):
        return osok_tracker("update", percent, ocid("coreservicesworkrequest", 10),
                            "UPDATE_AUTONOMOUS_DATABASE")

    def _osok_moves(self, kind, name, type, message, tracker, mirror=None, **facts):
        before = self._get(kind, "shop", name)["status"]["status"]
        inner = osok_status(type, message, before, tracker, **facts)
        self._set_status(kind, "shop", name, {"status": inner, **(mirror or {})})

    # -- OLM: ops --------------------------------------------------------------

    def _olm(self):
        yield make("operators.coreos.com/v1", "OperatorGroup", "ops", "ops",
                   {"targetNamespaces": ["ops", "shop"]},
                   {"namespaces": ["ops", "shop"], "lastUpdated": ago(3 * HOUR)})
        yield make(OLM, "CatalogSource", "ops", "community",
                   {"sourceType": "grpc", "image": "community/catalog:v1",
                    "displayName": "Community", "publisher": "Community"},
                   {"connectionState": {
                       "address": "community.ops.svc:50051", "lastObservedState": "READY",
                       "lastConnect": ago(3 * HOUR)}})
        for package, version, crds in (("shell", "1.5.1", ()),
                                       ("queues", "2.0.0", ("queues.queue.oracle.com",))):
            csv, account = f"{package}.v{version}", f"{package}-operator"
            yield make("v1", "ServiceAccount", "ops", account)
            met = [{"group": "", "version": "v1", "kind": "ServiceAccount", "name": account,
                    "status": "Present"}]
            met += [{"group": "apiextensions.k8s.io", "version": "v1", "name": crd,
                     "kind": "CustomResourceDefinition", "status": "Present"} for crd in crds]
            spec = {
                "displayName": package, "version": version, "cleanup": {"enabled": False},
                "installModes": [{"type": "MultiNamespace", "supported": True}],
                "customresourcedefinitions": {"owned": [
                    {"name": crd, "kind": "Queue", "version": "v1beta1"} for crd in crds]},
                "install": {"strategy": "deployment", "spec": {
                    "permissions": [{"serviceAccountName": account, "rules": []}],
                    "deployments": [{"name": account, "spec": {}}]}}}
            group = {"olm.operatorGroup": "ops", "olm.operatorNamespace": "ops"}
            yield make(OLM, "ClusterServiceVersion", "ops", csv, spec,
                       csv_succeeded() | {"requirementStatus": met},
                       annotations=group | {"olm.targetNamespaces": "ops,shop"})
            yield make(OLM, "ClusterServiceVersion", "shop", csv, spec,
                       csv_succeeded() | {"reason": "Copied", "message": "The operator is running "
                                          "in ops but is managing this namespace"},
                       annotations=group, labels={"olm.copiedFrom": "ops"})
            yield self._subscription(package, csv)
        catalog = {"type": "Image", "image": {"ref": "community/hub:v1"}}
        yield make("olm.operatorframework.io/v1", "ClusterCatalog", "", "hub",
                   {"source": catalog}, {
                       "conditions": [
                           condition("Progressing", "True", "Succeeded", "Unpacked", HOUR),
                           condition("Serving", "True", "Available", "Serving content", HOUR)],
                       "lastUnpacked": ago(HOUR), "resolvedSource": catalog})
        yield make("olm.operatorframework.io/v1", "ClusterExtension", "", "logs", {
            "namespace": "ops", "serviceAccount": {"name": "shell-operator"},
            "source": {"sourceType": "Catalog", "catalog": {"packageName": "logs"}}}, {
                "conditions": [
                    condition("Installed", "True", "Succeeded", "Installed bundle logs", HOUR),
                    condition("Progressing", "True", "Succeeded", "Desired state reached", HOUR)],
                "install": {"bundle": {"name": "logs.v0.3.0", "version": "0.3.0"}}})

    @staticmethod
    def _subscription(package, csv):
        return make(OLM, "Subscription", "ops", package, {
            "name": package, "channel": "stable", "source": "community", "sourceNamespace": "ops",
            "installPlanApproval": "Manual" if package == "shell" else "Automatic"}, {
                "state": "AtLatestKnown", "installedCSV": csv, "currentCSV": csv,
                "lastUpdated": ago(HOUR), "installPlanRef": World._plan_ref(f"install-{package}"),
                "conditions": [condition("CatalogSourcesUnhealthy", "False",
                                         "AllCatalogSourcesHealthy",
                                         "all available catalogsources are healthy", HOUR)]})

    @staticmethod
    def _plan_ref(name):
        return {"apiVersion": OLM, "kind": "InstallPlan", "namespace": "ops", "name": name}

    def _install_plan(self, package, name, csv, approval, phase):
        installed = phase == "Complete"
        return make(OLM, "InstallPlan", "ops", name, {
            "approval": approval, "approved": installed, "generation": 1 if installed else 2,
            "clusterServiceVersionNames": [csv]}, {
                "phase": phase, "catalogSources": ["community"], "plan": [{
                    "resolving": csv, "status": "Created" if installed else "Unknown",
                    "resource": {"group": "operators.coreos.com", "version": "v1alpha1",
                                 "kind": "ClusterServiceVersion", "name": csv,
                                 "sourceName": "community", "sourceNamespace": "ops"}}],
                "conditions": [{"type": "Installed", "status": "True",
                                "lastTransitionTime": ago(3 * HOUR)}] if installed else []},
            ownerReferences=self._owner("Subscription", "ops", package, controller=False))

    # -- AppCat and Crossplane: apps -------------------------------------------

    def _appcat(self):
        for provider in ("provider-helm", "provider-kubernetes"):
            yield make("pkg.crossplane.io/v1", "Provider", "", provider,
                       {"package": f"crossplane-contrib/{provider}:v1.2.0"}, {
                           "conditions": [
                               condition("Installed", "True", "ActivePackageRevision", since=HOUR),
                               condition("Healthy", "True", "HealthyPackageRevision", since=HOUR)]})
        for kind, claim, composite, namespace, composition, plural in (
                ("VSHNPostgreSQL", "billing", BILLING, BILLING_NS,
                 "vshnpostgrescnpg.vshn.appcat.vshn.io", "vshnpostgresqls"),
                ("VSHNRedis", "cache", CACHE, CACHE_NS,
                 "vshnredis.vshn.appcat.vshn.io", "vshnredis")):
            definition = f"x{plural}.vshn.appcat.vshn.io"
            yield make("apiextensions.crossplane.io/v1", "CompositeResourceDefinition", "",
                       definition, {
                           "group": "vshn.appcat.vshn.io",
                           "names": {"kind": f"X{kind}", "plural": f"x{plural}"},
                           "claimNames": {"kind": kind, "plural": plural},
                           "versions": [{"name": "v1", "served": True, "referenceable": True}]},
                       {"conditions": [
                           condition("Established", "True", "WatchingCompositeResource"),
                           condition("Offered", "True", "WatchingCompositeResourceClaim")]})
            yield make("apiextensions.crossplane.io/v1", "Composition", "", composition, {
                "mode": "Pipeline", "pipeline": [],
                "compositeTypeRef": {"apiVersion": APPCAT, "kind": f"X{kind}"}})
            parameters = {"instances": 3, "size": {"plan": "standard-4"},
                          "security": {"deletionProtection": True}}
            common = {"compositionRef": {"name": composition}, "compositionUpdatePolicy": "Manual",
                      "parameters": parameters}
            # The claim's connection details show that it was ready before.
            yield make(APPCAT, kind, "apps", claim, common | {
                "compositeDeletePolicy": "Background",
                "resourceRef": {"apiVersion": APPCAT, "kind": f"X{kind}", "name": composite},
                "writeConnectionSecretToRef": {"name": f"{claim}-creds"}}, {
                    "conditions": crossplane_ready(), "instanceNamespace": namespace,
                    "connectionDetails": {"lastPublishedTime": ago(3 * HOUR)}},
                finalizers=["finalizer.apiextensions.crossplane.io"])
            yield make("v1", "Secret", "apps", f"{claim}-creds") | {
                "stringData": {"password": "not-a-secret"}}
            yield make(APPCAT, f"X{kind}", "", composite, common | {
                "claimRef": {"apiVersion": APPCAT, "kind": kind, "namespace": "apps",
                             "name": claim},
                "resourceRefs": [
                    {"apiVersion": RELEASE, "kind": "Release", "name": composite},
                    *({"apiVersion": OBJECT, "kind": "Object", "name": f"{composite}-{part}"}
                      for part in ("ns", "netpol"))]},
                {"conditions": crossplane_ready(), "instanceNamespace": namespace},
                labels=self._composed(claim, composite),
                finalizers=["composite.apiextensions.crossplane.io"])

    @staticmethod
    def _composed(claim, composite):
        return {"crossplane.io/claim-namespace": "apps", "crossplane.io/claim-name": claim,
                "crossplane.io/composite": composite}

    def _managed(self):
        for kind, claim, composite, namespace in (
                ("XVSHNPostgreSQL", "billing", BILLING, BILLING_NS),
                ("XVSHNRedis", "cache", CACHE, CACHE_NS)):
            owners = self._owner(kind, "", composite)

            def managed(api, kind, part, name, for_provider, status):
                return make(api, kind, "", name,
                            {"forProvider": for_provider, "deletionPolicy": "Delete",
                             "providerConfigRef": {"name": api.partition(".")[0]}},
                            status | {"conditions": crossplane_ready()}, ownerReferences=owners,
                            labels=self._composed(claim, composite),
                            annotations={"crossplane.io/external-name": name,
                                         "crossplane.io/composition-resource-name": part},
                            finalizers=["finalizer.managedresource.crossplane.io"])

            yield managed(RELEASE, "Release", "release", composite,
                          {"namespace": namespace,
                           "chart": {"name": kind[5:].lower(), "version": "1.2.3"}},
                          {"atProvider": {"state": "deployed", "revision": 1,
                                          "releaseDescription": "Install complete"},
                           "synced": True})
            for part, manifest in (
                    ("ns", {"apiVersion": "v1", "kind": "Namespace",
                            "metadata": {"name": namespace}}),
                    ("netpol", {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
                                "metadata": {"name": "allow", "namespace": namespace}})):
                yield managed(OBJECT, "Object", part,
                              f"{composite}-{part}", {"manifest": manifest},
                              {"atProvider": {"manifest": manifest}})

    # -- the quiet day: objects that name their owner's uid --------------------

    def _owned(self):
        for package, version in (("shell", "1.5.1"), ("queues", "2.0.0")):
            csv = f"{package}.v{version}"
            owners = self._owner("ClusterServiceVersion", "ops", csv)
            image = f"community/{package}:{version}"
            yield self._deployment("ops", f"{package}-operator", image, 1, ownerReferences=owners)
            yield make("operators.coreos.com/v2", "OperatorCondition", "ops", csv,
                       {"deployments": [f"{package}-operator"], "conditions": []},
                       {"conditions": []}, ownerReferences=owners)
            yield self._install_plan(package, f"install-{package}", csv, "Automatic", "Complete")
        yield from self._managed()
        # Each of these owns the next, so that their order matters.
        group = "ResourceGroup", "fin", "rg-fin"
        self._put_one(self._aso("network", "VirtualNetwork", "vnet", group, aso_ready(),
                                addressSpace={"addressPrefixes": ["10.40.0.0/16"]}))
        self._put_one(self._aso(
            "dbforpostgresql", "FlexibleServer", "ledger", group,
            aso_not_ready("Info", "Reconciling", "The resource is being reconciled"),
            administratorLogin="ledger",
            administratorLoginPassword={"name": "ledger-admin", "key": "password"},
            network={"delegatedSubnetResourceReference": {
                "group": "network.azure.com", "kind": "VirtualNetworksSubnet", "name": "db"}}))
        yield self._aso("storage", "StorageAccount", "ledgerfiles", group, aso_ready())
        yield self._aso("network", "VirtualNetworksSubnet", "db", ("VirtualNetwork", "fin", "vnet"),
                        aso_ready(), addressPrefix="10.40.1.0/24")
        for name in ("books", "audit"):
            yield self._aso("dbforpostgresql", "FlexibleServersDatabase", name,
                            ("FlexibleServer", "fin", "ledger"), aso_not_ready(
                                "Warning", "WaitingForOwner",
                                'Owner "fin/ledger, dbforpostgresql.azure.com/FlexibleServer" '
                                "is not ready. Progress is blocked until the owner is ready."))

    def _aso(self, service, kind, name, owner, status, **spec):
        version = {"network": "v1api20201101", "dbforpostgresql": "v1api20221201",
                   "storage": "v1api20230101"}[service]
        ready = status["conditions"][0]["status"] == "True"
        return make(f"{service}.azure.com/{version}", kind, "fin", name,
                    {"azureName": name, "owner": {"name": owner[2]}, **spec}, status,
                    ownerReferences=self._owner(*owner, controller=False),
                    **self._aso_metadata(f"{service}/{name}" if ready else None))

    @staticmethod
    def _aso_metadata(id=""):
        """id: the rest of the resource's ARM id, None if it was never created."""
        arm = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg-fin/"
        annotations = {} if id is None else {"serviceoperator.azure.com/resource-id": arm + id}
        return {"finalizers": [ASO_FINALIZER], "annotations": annotations}

    # -- the story -------------------------------------------------------------

    def _queue_moves(self):
        self._osok_moves("Queue", "orders", "Provisioning", "OCI create is in progress",
                         self._queue_tracker(40))

    def _queue_moves_on(self):
        self._osok_moves("Queue", "orders", "Provisioning", "CREATE_QUEUE is in progress",
                         self._queue_tracker(62))

    def _queue_fails(self):
        message = "CREATE_QUEUE failed: the service limit queue-count of the tenancy is reached"
        self._osok_moves("Queue", "orders", "Failed", message,
                         self._queue_tracker(62, raw="FAILED", state="failed", message=message),
                         opcRequestId="9F4D7C21/0A55/B3E8")
        self._warn(self._get("Queue", "shop", "orders"), "Failed",
                   f"Failed to create or update resource: {message}", "queue-controller")

    def _stream_recovers(self):
        self._osok_moves("Stream", "clicks", "Active", "Stream clicks is active", None,
                         {"lifecycleState": "ACTIVE"})

    def _database_moves(self):
        self._osok_moves("AutonomousDatabase", "main", "Updating", "OCI update is in progress",
                         self._database_tracker(52))

    def _network_fails(self):
        self._set_status("Network", "edge", "net", orc_terminal(
            "InvalidConfiguration",
            "invalid configuration creating resource: Expected HTTP response code [201] when "
            "accessing [POST https://network.example.test/v2.0/networks], but got 409 instead: "
            '{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: '
            '[\'network\']."}}'))

    def _secret_missing(self):
        self._set_status("FlexibleServer", "fin", "ledger", aso_not_ready(
            "Warning", "SecretNotFound", 'failed resolving secret references: secret '
            '"fin/ledger-admin" not found'))

    def _upgrade_waits(self):
        self._put([self._install_plan("shell", "install-x7", "shell.v1.6.0", "Manual",
                                      "RequiresApproval")])
        before = self._get("Subscription", "ops", "shell")["status"]["conditions"]
        self._set_status("Subscription", "ops", "shell", {
            "state": "UpgradePending", "currentCSV": "shell.v1.6.0",
            "installPlanRef": self._plan_ref("install-x7"), "lastUpdated": now(),
            "conditions": before + [condition("InstallPlanPending", "True", "RequiresApproval")]})

    def _subnet_deleted(self):
        deleted = self.cp.delete(self._made["Subnet", "edge", "old"][0])
        self._set_status("Subnet", "edge", "old", orc_waiting(
            f"Waiting for finalizer {ORC_FINALIZER}port to be removed", available=True,
            generation=deleted["metadata"]["generation"]))

    def _volume_recovers(self):
        self._set_status("Volume", "edge", "data", orc_ready(
            self._get("Volume", "edge", "data")["status"]["id"], since=0, status="available"))

    def _image_missing(self):
        path, _ = self._made["Deployment", "shop", "search"]
        self.cp.patch(path, {"spec": {"template": self._template("search", MISSING_IMAGE)}})

        def stuck():
            status = self.cp.get(path)["status"]
            return status.get("updatedReplicas") == status.get("unavailableReplicas") == 1

        self._until("a pod without image", stuck)

    def _front_scales(self):
        path, _ = self._made["Deployment", "shop", "front"]
        self.cp.patch(path, {"spec": {"replicas": 3}})
        self._until("the third pod", lambda: self._ready("Deployment", "shop", "front"))

    def _postgres_crashes(self, restarts=1):
        crash_pod(self.cp, BILLING_NS, "postgresql-1", restarts,
                  "FATAL: could not write to file: No space left on device")
        self._warn(self.cp.get(pod_path(BILLING_NS, "postgresql-1")), "BackOff",
                   "Back-off restarting failed container postgresql", "kubelet")
        self._until("a replica less", lambda: self._get(
            "StatefulSet", BILLING_NS, "postgresql")["status"].get("readyReplicas") == 2)

    def _postgres_crashes_again(self):
        self._postgres_crashes(restarts=4)


def expected(world):
    """{(kind, namespace, name): phase} after finish(), for the objects whose
    phase the product's words settle.  Cluster-scoped ones have namespace ""."""
    phases = {
        "Failed": [("Network", "edge", "net"), ("Queue", "shop", "orders")],
        "Waiting": [
            *(("Subnet", "edge", name) for name in SUBNETS),
            *((kind, "edge", name) for kind in ("Port", "Server") for name in ("web-0", "web-1")),
            ("FloatingIP", "edge", "web"),
            ("FlexibleServer", "fin", "ledger"),
            ("FlexibleServersDatabase", "fin", "books"),
            ("FlexibleServersDatabase", "fin", "audit"),
            ("Subscription", "ops", "shell"), ("InstallPlan", "ops", "install-x7")],
        "Deleting": [("Subnet", "edge", "old")],
        "Updating": [("AutonomousDatabase", "shop", "main")],
        "Degraded": [("VSHNPostgreSQL", "apps", "billing"), ("XVSHNPostgreSQL", "", BILLING),
                     ("StatefulSet", BILLING_NS, "postgresql")],
        "Suspended": [("CronJob", "shop", "report")],
        "Ready": [
            ("Project", "edge", "edge"), ("Network", "edge", "lan"), ("Router", "edge", "gw"),
            ("RouterInterface", "edge", "gw-lan"), ("Port", "edge", "legacy"),
            ("Volume", "edge", "data"),
            ("Stream", "shop", "clicks"), ("Vcn", "shop", "core"), ("Subnet", "shop", "app"),
            ("Bucket", "shop", "receipts"), ("Subscription", "shop", "alerts"),
            ("ResourceGroup", "fin", "rg-fin"), ("StorageAccount", "fin", "ledgerfiles"),
            ("VirtualNetworksSubnet", "fin", "db"), ("EventhubNamespace", "fin", "events"),
            ("ClusterServiceVersion", "ops", "shell.v1.5.1"),
            ("ClusterServiceVersion", "ops", "queues.v2.0.0"),
            ("Subscription", "ops", "queues"), ("InstallPlan", "ops", "install-queues"),
            ("CatalogSource", "ops", "community"),
            ("ClusterExtension", "", "logs"), ("ClusterCatalog", "", "hub"),
            ("VSHNRedis", "apps", "cache"), ("XVSHNRedis", "", CACHE),
            ("Release", "", BILLING), ("Object", "", f"{BILLING}-ns"),
            ("Provider", "", "provider-helm"),
            ("Deployment", "shop", "cart"), ("Deployment", "shop", "front"),
            ("StatefulSet", CACHE_NS, "redis"), ("Job", "shop", "migrate"),
            ("PersistentVolumeClaim", "shop", "cart-data")],
    }
    settled = {key: phase for phase, keys in phases.items() for key in keys}
    untold = settled.keys() - world.made()
    if untold:
        raise ValueError(f"the story has not made these yet: {sorted(untold)}")
    return settled


def expected_causes(world):
    """{(cause, kind, namespace, name): {(kind, name) of what it holds up}} after
    finish(): all of them."""
    image = world.pod_without_image()
    replicas = image["metadata"]["ownerReferences"][0]["name"]
    return {
        ("failed", "Network", "edge", "net"): {
            *(("Subnet", name) for name in SUBNETS),
            *((kind, name) for kind in ("Port", "Server") for name in ("web-0", "web-1")),
            ("FloatingIP", "web")},
        ("failed", "Queue", "shop", "orders"): set(),
        ("missing", "Secret", "fin", "ledger-admin"): {
            ("FlexibleServer", "ledger"),
            ("FlexibleServersDatabase", "books"), ("FlexibleServersDatabase", "audit")},
        ("missing", "StorageClass", "", "fast"): {("PersistentVolumeClaim", "scratch")},
        ("approval", "InstallPlan", "ops", "install-x7"): {("Subscription", "shell")},
        ("finalizer", "Subnet", "edge", "old"): set(),
        ("failed", "Pod", "shop", image["metadata"]["name"]): {
            ("ReplicaSet", replicas), ("Deployment", "search")},
        ("failed", "Pod", BILLING_NS, "postgresql-1"): {
            ("StatefulSet", "postgresql"), ("XVSHNPostgreSQL", BILLING),
            ("VSHNPostgreSQL", "billing")},
    }
