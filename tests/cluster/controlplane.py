"""A real Kubernetes control plane for the tests: etcd, kube-apiserver and
kube-controller-manager on free loopback ports, in a folder that goes away.

There is no scheduler and no kubelet: `incident.run_pods` stands in for both.
Everything must be started from a thread that lives as long as the control
plane: the kernel kills the servers when the thread that started them ends.
"""

import atexit
import base64
import contextlib
import ctypes
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time

import yaml

HERE = pathlib.Path(__file__).resolve().parent
BINARIES = ("kube-apiserver", "kube-controller-manager", "kubectl", "etcd")
DEBIAN_ETCD = "/usr/bin/etcd"
MERGE_PATCH = "application/merge-patch+json"
TO_KUBELETS = "kube-apiserver-kubelet-client"   # the name by which kubelets know the API server
START_TIMEOUT = 180

OPENSSL_CONF = """
[req]
distinguished_name = dn
[dn]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
subjectAltName = IP:127.0.0.1, DNS:localhost, DNS:kubernetes, DNS:kubernetes.default.svc
extendedKeyUsage = serverAuth
[client]
extendedKeyUsage = clientAuth
"""

# What the tests' own driver and the controllers do is not counted.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "users": ["admin", "system:apiserver",
                                    "system:kube-controller-manager"]},
        {"level": "Metadata"},
    ],
}

# Without these the node's own agents would be needed, and a metrics API.
CONTROLLERS_OFF = ("node-lifecycle-controller", "node-ipam-controller",
                   "node-route-controller", "service-lb-controller",
                   "cloud-node-lifecycle-controller", "horizontal-pod-autoscaler-controller")


class ControlPlaneUnavailable(RuntimeError):
    """This machine cannot run a control plane: tests that need one are skipped."""


class ApiError(Exception):
    """The API server refused a request of the driver."""

    def __init__(self, method, path, status, text):
        super().__init__(f"{method} {path}: {status} {text[:300]}")
        self.status = status


@contextlib.contextmanager
def or_skip():
    """A pytest skip for the block that finds no control plane on this machine.

    KUBECTL_STATUS_REQUIRE_CLUSTER=1 makes it an error.
    """
    import pytest
    try:
        yield
    except ControlPlaneUnavailable as reason:
        if os.environ.get("KUBECTL_STATUS_REQUIRE_CLUSTER") == "1":
            raise
        pytest.skip(str(reason))


def find_assets():
    """The folder with the binaries, built now if it has to be."""
    built = subprocess.run([HERE / "build.sh"], stdout=subprocess.PIPE, text=True)
    if built.returncode == 2:
        raise ControlPlaneUnavailable("the control plane cannot be built here: it needs Go and its modules")
    if built.returncode:
        raise RuntimeError(f"build.sh failed with exit status {built.returncode}")
    return pathlib.Path(built.stdout.strip())


def wait_until(what, condition, timeout, interval=0.02):
    """Poll until condition() is true and return its value; TimeoutError names `what`."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {timeout} s")
        time.sleep(interval)


def free_ports(count):
    """Loopback ports that nobody listens on; distinct, as all are held at once."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


_libc = ctypes.CDLL(None)


def die_with_parent():
    _libc.prctl(1, signal.SIGKILL)      # PR_SET_PDEATHSIG


def _b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class JsonClient:
    """JSON over HTTP(S) with one kept-alive connection per thread.

    Made for speed: a kubectl process per object would cost 50 ms each.
    """

    def __init__(self, connect):
        self._connect = connect
        self._local = threading.local()

    def request(self, method, path, body=None, content_type="application/json", accept=None):
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Accept": accept or "application/json"}
        if data is not None:
            headers["Content-Type"] = content_type
        for attempt in (1, 2):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connect()
            try:
                connection.request(method, path, data, headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (http.client.HTTPException, OSError):
                self.forget()           # closed while idle, or the server was restarted
                if attempt == 2:
                    raise
        if response.status >= 300:
            raise ApiError(method, path, response.status, text.decode(errors="replace"))
        if response.getheader("Content-Type", "").startswith("application/json"):
            return json.loads(text)
        return text.decode()

    def forget(self):
        """Drop this thread's connection."""
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            connection.close()


class ControlPlane:
    """One control plane; a context manager.

    etcd: "module" (the one built from the module proxy) or "debian"
    (/usr/bin/etcd, an old release without watch progress requests).
    flags: further flags for every start of the API server.
    """

    def __init__(self, etcd="module", flags=()):
        self.assets = find_assets()
        missing = [b for b in BINARIES if not (self.assets / b).exists()]
        if missing:
            raise ControlPlaneUnavailable(f"{self.assets} lacks {', '.join(missing)}")
        self.etcd_binary = self.assets / "etcd" if etcd == "module" else pathlib.Path(DEBIAN_ETCD)
        if not self.etcd_binary.exists():
            raise ControlPlaneUnavailable(f"there is no {self.etcd_binary}")
        self.flags = tuple(flags)
        self.dir = None
        self._processes = {}
        self._certificates = {}
        self._kubeconfigs = {}
        self._files = 0

    # -- life ----------------------------------------------------------------

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def start(self):
        """Start all three servers; return when the API can be used."""
        if self.dir:
            raise RuntimeError("this control plane was started already")
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-status-cluster-"))
        atexit.register(self.close)
        self.etcd_port, peer_port, self.port, self._hidden_port, self._manager_port = free_ports(5)
        self._port_in_use = self.port
        self.etcd = JsonClient(lambda: http.client.HTTPConnection(
            "127.0.0.1", self.etcd_port, timeout=60))
        self._client = JsonClient(lambda: http.client.HTTPSConnection(
            "127.0.0.1", self._port_in_use, timeout=60, context=self._tls))
        try:
            self._start_etcd(peer_port)
            self._make_certificates()
            self.start_apiserver(wait=False)
            self.start_controllers()
            self.wait_ready()
            wait_until("default namespace", lambda: self.exists("/api/v1/namespaces/default"),
                       START_TIMEOUT)
        except BaseException:
            self.close()
            raise
        return self

    def close(self):
        """Kill every server and remove the folder; may be called twice."""
        atexit.unregister(self.close)
        for name in list(self._processes):
            self._stop(name, signal.SIGKILL)
        if self.dir:
            shutil.rmtree(self.dir, ignore_errors=True)
            self.dir = None

    def stop_apiserver(self, kill=True):
        """Take the API server away: at once, or (kill=False) as a shutdown that
        lets watches drain for some seconds first."""
        self._stop("kube-apiserver", signal.SIGKILL if kill else signal.SIGTERM)

    def start_apiserver(self, extra_flags=(), hidden=False, wait=True):
        """Start the API server over the same data.

        hidden: on a port that no kubeconfig names.  The driver still reaches it,
        so that things change while clients see the server away.
        """
        self._port_in_use = self._hidden_port if hidden else self.port
        self._client.forget()
        self._spawn("kube-apiserver", self._apiserver_command(self._port_in_use, extra_flags))
        if wait:
            self.wait_ready()

    def start_second_apiserver(self):
        """One more over the same data; its port."""
        self._spawn("second kube-apiserver", self._apiserver_command(self._hidden_port))
        return self._hidden_port

    def stop_second_apiserver(self):
        """As a rolling restart does it."""
        self._stop("second kube-apiserver", signal.SIGTERM)

    def _apiserver_command(self, port, extra_flags=()):
        d = self.dir
        return [
            self.assets / "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
            f"--secure-port={port}",
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none",
            f"--cert-dir={d}", f"--client-ca-file={d}/ca.crt",
            f"--tls-cert-file={d}/server.crt", f"--tls-private-key-file={d}/server.key",
            f"--kubelet-client-certificate={d}/kubelet-client.crt", f"--kubelet-client-key={d}/kubelet-client.key",
            f"--service-account-key-file={d}/sa.pub",
            f"--service-account-signing-key-file={d}/sa.key",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.0.0.0/16",
            "--authorization-mode=RBAC", "--allow-privileged=true",
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            f"--audit-policy-file={d}/audit.yaml", f"--audit-log-path={d}/audit.log",
            *self.flags, *extra_flags]

    def restart_apiserver(self, extra_flags=(), kill=True):
        """Stop and start; extra_flags hold until the next restart."""
        self.stop_apiserver(kill)
        self.start_apiserver(extra_flags)

    def start_controllers(self):
        """Start kube-controller-manager: owners, garbage, namespaces, workloads."""
        off = ",".join("-" + name for name in CONTROLLERS_OFF)
        self._spawn("kube-controller-manager", [
            self.assets / "kube-controller-manager",
            "--kubeconfig", self.kubeconfig("system:kube-controller-manager", ["system:masters"]),
            f"--secure-port={self._manager_port}", "--bind-address=127.0.0.1",
            f"--cert-dir={self.dir}", "--leader-elect=false",
            f"--service-account-private-key-file={self.dir}/sa.key",
            f"--root-ca-file={self.dir}/ca.crt",
            "--kube-api-qps=200", "--kube-api-burst=400", f"--controllers=*,{off}"])

    def stop_controllers(self):
        """Take kube-controller-manager away."""
        self._stop("kube-controller-manager", signal.SIGKILL)

    def wait_ready(self, timeout=START_TIMEOUT):
        """Wait until /readyz says yes."""
        wait_until("kube-apiserver /readyz", self._is_ready, timeout)

    def compact(self):
        """Make etcd forget all but the present; returns the revision."""
        header = self.etcd.request("POST", "/v3/kv/range", {"key": "AA=="})["header"]
        self.etcd.request("POST", "/v3/kv/compaction",
                          {"revision": header["revision"], "physical": True})
        return int(header["revision"])

    def _is_ready(self):
        process, log = self._processes["kube-apiserver"]
        if process.poll() is not None:
            raise RuntimeError(f"kube-apiserver ended with {process.returncode}:\n" + tail(log))
        try:
            return self.get("/readyz") == "ok"
        except (ApiError, OSError, http.client.HTTPException):
            return False

    def _start_etcd(self, peer_port):
        client, peer = (f"http://127.0.0.1:{p}" for p in (self.etcd_port, peer_port))
        self._spawn("etcd", [
            self.etcd_binary, "--data-dir", self.dir / "etcd", "--unsafe-no-fsync",
            "--quota-backend-bytes", "4000000000",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}"])

    def _spawn(self, name, command):
        log = self.dir / f"{name}.log"
        with open(log, "ab") as out:
            process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=out, cwd=self.dir,
                                       preexec_fn=die_with_parent)
        self._processes[name] = process, log

    def _stop(self, name, how):
        process, _ = self._processes.pop(name, (None, None))
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    # -- certificates and kubeconfigs ----------------------------------------

    def _openssl(self, *args, **options):
        return subprocess.run(["openssl", *args], cwd=self.dir, check=True,
                              capture_output=True, **options).stdout

    def _certificate(self, name, subject, section):
        """Make NAME.crt and NAME.key, signed by the CA (which signs itself)."""
        signer = [] if section == "ca" else ["-CA", "ca.crt", "-CAkey", "ca.key"]
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                      "-nodes", "-days", "30", "-config", "openssl.cnf", "-extensions", section,
                      "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.crt", *signer)

    def _make_certificates(self):
        (self.dir / "openssl.cnf").write_text(OPENSSL_CONF)
        (self.dir / "audit.yaml").write_text(yaml.safe_dump(AUDIT_POLICY))
        self._certificate("ca", "/CN=test-ca", "ca")
        self._certificate("server", "/CN=kube-apiserver", "server")
        self._certificate("kubelet-client", f"/CN={TO_KUBELETS}", "client")
        self._openssl("genrsa", "-out", "sa.key", "2048")
        self._openssl("rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub")
        admin = self._user_certificate("admin", ["system:masters"])
        self._tls = ssl.create_default_context(cafile=self.dir / "ca.crt")
        self._tls.load_cert_chain(f"{admin}.crt", f"{admin}.key")
        self.kubeconfig("admin", ["system:masters"])

    def _user_certificate(self, user, groups):
        """The path, without suffix, of a client certificate and its key."""
        key = user, tuple(groups)
        if key not in self._certificates:
            name = f"user-{len(self._certificates)}"
            subject = "".join(f"/O={g}" for g in groups) + f"/CN={user}"
            self._certificate(name, subject, "client")
            self._certificates[key] = self.dir / name
        return self._certificates[key]

    def kubeconfig(self, user="admin", groups=(), namespace=None, context=None, *, token=None,
                   token_file=None, files=False, server=None, insecure=False):
        """Write a kubeconfig and return its path.

        By default `user` has a client certificate with the groups, embedded as
        data.  token, token_file: a bearer token instead of the certificate.
        files: name the files of CA, certificate and key.  server: another URL,
        such as a proxy's.  insecure: do not verify the server.
        """
        def pem(key, path):
            if files:
                return {key: str(path)}
            return {f"{key}-data": base64.b64encode(path.read_bytes()).decode()}

        cluster = {"server": server or f"https://127.0.0.1:{self.port}"}
        if insecure:
            cluster["insecure-skip-tls-verify"] = True
        else:
            cluster |= pem("certificate-authority", self.dir / "ca.crt")
        if token:
            credentials = {"token": token}
        elif token_file:
            credentials = {"tokenFile": str(token_file)}
        else:
            pair = self._user_certificate(user, groups)
            credentials = (pem("client-certificate", pair.with_suffix(".crt"))
                           | pem("client-key", pair.with_suffix(".key")))
        name = context or "test"
        where = {"cluster": name, "user": user}
        if namespace:
            where["namespace"] = namespace
        self._files += 1
        path = self.dir / f"kubeconfig-{self._files}"
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": name,
            "clusters": [{"name": name, "cluster": cluster}],
            "contexts": [{"name": name, "context": where}],
            "users": [{"name": user, "user": credentials}]}))
        path.chmod(0o600)
        self._kubeconfigs[user] = str(path)
        return str(path)

    def service_account_token(self, namespace, name, seconds):
        """A token of a service account (made if absent) that is good for `seconds`.

        Signed here, as the server's own tokens live for ten minutes or more.
        The server forgives 60 s and remembers a success for 10 s: it refuses the
        token between `seconds` and `seconds` + 10 from now.
        """
        accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        if not self.exists(f"{accounts}/{name}"):
            self.post(accounts, {"metadata": {"name": name}})
        uid = self.get(f"{accounts}/{name}")["metadata"]["uid"]
        now = int(time.time())
        issuer = "https://kubernetes.default.svc"
        claims = {
            "iss": issuer, "aud": [issuer], "sub": f"system:serviceaccount:{namespace}:{name}",
            "iat": now - 60, "nbf": now - 60, "exp": now + seconds - 60,
            "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}},
        }
        parts = [_b64url(json.dumps(p).encode()) for p in ({"alg": "RS256", "typ": "JWT"}, claims)]
        signed = ".".join(parts).encode()
        signature = self._openssl("dgst", "-sha256", "-sign", "sa.key", input=signed)
        return f"{signed.decode()}.{_b64url(signature)}"

    # -- requests ------------------------------------------------------------

    def kubectl(self, *args, user="admin", input=None):
        """Run kubectl with the user's latest kubeconfig and return its output.

        A failure is a CalledProcessError with .stderr.
        """
        config = self._kubeconfigs.get(user) or self.kubeconfig(user)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.dir), "KUBECONFIG": config}
        try:
            return subprocess.run([str(self.assets / "kubectl"), *args], env=environment,
                                  input=input, check=True, capture_output=True, text=True).stdout
        except subprocess.CalledProcessError as error:
            error.add_note(error.stderr)
            raise

    def get(self, path, accept=None):
        """GET as admin: parsed JSON, or text where the server sends text."""
        return self._client.request("GET", path, accept=accept)

    def post(self, path, body):
        return self._client.request("POST", path, body)

    def put(self, path, body):
        return self._client.request("PUT", path, body)

    def patch(self, path, body, content_type=MERGE_PATCH):
        return self._client.request("PATCH", path, body, content_type)

    def delete(self, path, body=None):
        return self._client.request("DELETE", path, body)

    def exists(self, path):
        try:
            self.get(path)
            return True
        except ApiError as error:
            if error.status != 404:
                raise
            return False

    # -- users ---------------------------------------------------------------

    def grant(self, rules, name, user=None, group=None, namespace=None):
        """Let a user or a group do what the RBAC rules say, in one namespace or
        everywhere.  Returns the path of the binding: delete it to revoke."""
        kind = "Role" if namespace else "ClusterRole"
        api = "rbac.authorization.k8s.io"
        base = f"/apis/{api}/v1" + (f"/namespaces/{namespace}" if namespace else "")
        roles, bindings = f"{base}/{kind.lower()}s", f"{base}/{kind.lower()}bindings"
        subject = {"kind": "User" if user else "Group", "name": user or group, "apiGroup": api}
        for path, body in (
                (roles, {"rules": rules}),
                (bindings, {"subjects": [subject],
                            "roleRef": {"apiGroup": api, "kind": kind, "name": name}})):
            if not self.exists(f"{path}/{name}"):
                self.post(path, {"metadata": {"name": name}, **body})
        return f"{bindings}/{name}"

    def grant_oncall(self, user=None, group="oncall"):
        """The people who are paged, or one user: may read everything, change nothing."""
        rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]
        return self.grant(rules, user or group, user=user, group=group)

    def grant_limited(self, user, namespace, groups=("", "apps", "batch"), secrets=False):
        """A user who may read one namespace only: the API groups named, of the
        core group the usual kinds, and Secrets only where asked for."""
        core = ["pods", "pods/log", "services", "configmaps", "events", "persistentvolumeclaims"]
        rules = [{"apiGroups": [g], "resources": ["*"] if g else core + ["secrets"] * secrets,
                  "verbs": ["get", "list", "watch"]} for g in groups]
        return self.grant(rules, user, user=user, namespace=namespace)

    def audit(self, user, since=0):
        """The user's requests since a time (as of time.time()), oldest first.

        One dict for each request, though a watch has a line when it begins and
        one when it ends: the later line wins.
        """
        start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(since)) + f"{since % 1:.6f}"[1:]
        requests = {}
        with open(self.dir / "audit.log") as log:
            for line in log:
                if not line.endswith("\n"):
                    break               # being written
                event = json.loads(line)
                if (event["user"].get("username") == user
                        and event["requestReceivedTimestamp"] >= start):
                    requests[event["auditID"]] = event
        return sorted(requests.values(), key=lambda e: e["requestReceivedTimestamp"])


def tail(path, size=2000):
    """The end of a log, for messages."""
    return pathlib.Path(path).read_text(errors="replace")[-size:]
