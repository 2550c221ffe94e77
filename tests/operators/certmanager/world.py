# SPDX-License-Identifier: Apache-2.0
"""cert-manager: issuers that work, lack something or cannot be reached, and certificates on each of them."""
import base64
import subprocess

from lab import go_here

TITLE = "cert-manager 1.21.2"
BUILD = [go_here(".", ".", "certmanager")]
CRDS = ["github.com/cert-manager/cert-manager:deploy/crds"]
SECONDS = 200

HOME, API = "web", "cert-manager.io/v1"
CERTIFICATES, ISSUERS = "certificates.cert-manager.io", "issuers.cert-manager.io"
REQUESTS = "certificaterequests.cert-manager.io"


def issuer(name, kind="Issuer", **spec):
    place = {} if kind == "ClusterIssuer" else {"namespace": HOME}
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, **place}, "spec": spec}


def certificate(name, of, kind="Issuer", group="cert-manager.io", **spec):
    return {"apiVersion": API, "kind": "Certificate", "metadata": {"name": name, "namespace": HOME}, "spec": {
        "secretName": f"{name}-tls", "dnsNames": [f"{name}.example.org"], "issuerRef": {"name": of, "kind": kind, "group": group},
        "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"}, **spec}}


def request(name, of, csr, **annotations):
    return {"apiVersion": API, "kind": "CertificateRequest", "metadata": {
        "name": name, "namespace": HOME, "annotations": annotations}, "spec": {
        "request": base64.b64encode(csr).decode(), "issuerRef": {"name": of, "kind": "Issuer", "group": "cert-manager.io"}}}


def secret(name, namespace=HOME, kind="Opaque", **data):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "type": kind, "stringData": data}


def ingress(name, of):
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {
        "name": name, "namespace": HOME, "annotations": {"cert-manager.io/issuer": of}}, "spec": {
        "tls": [{"hosts": [f"{name}.example.org"], "secretName": f"{name}-tls"}],
        "rules": [{"host": f"{name}.example.org", "http": {"paths": [{
            "path": "/", "pathType": "Prefix", "backend": {"service": {"name": name, "port": {"number": 80}}}}]}}]}}


def signing_request():
    return subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                           "-keyout", "/dev/null", "-subj", "/CN=by-hand.example.org"], check=True, capture_output=True).stdout


def vault(server, secret_name):
    return {"server": server, "path": "pki/sign/web", "auth": {"tokenSecretRef": {"name": secret_name, "key": "token"}}}


def acme(server):
    solver = {"http01": {"ingress": {"ingressClassName": "nginx"}}}
    return {"server": server, "email": "ops@example.org", "privateKeySecretRef": {"name": "acme-account"}, "solvers": [solver]}


def issuers(refused):
    return [
        secret("rubbish", kind="kubernetes.io/tls", **{"tls.crt": "no certificate", "tls.key": "no key"}),
        secret("vault-login", token="s.0123456789"),
        issuer("selfsigned", selfSigned={}),
        issuer("selfsigned-all", "ClusterIssuer", selfSigned={}),
        issuer("internal", ca={"secretName": "root-tls"}),
        issuer("nosecret", ca={"secretName": "nowhere"}),
        issuer("nosecret-all", "ClusterIssuer", ca={"secretName": "nowhere-at-all"}),
        issuer("rubbish", ca={"secretName": "rubbish"}),
        issuer("late-secret", ca={"secretName": "late-ca-tls"}),
        issuer("acme-refused", acme=acme(f"https://{refused}/directory")),
        issuer("vault-refused", vault=vault(f"http://{refused}", "vault-login")),
        issuer("vault-nologin", vault=vault(f"http://{refused}", "no-vault-login")),
    ]


def certificates():
    return [
        certificate("root", "selfsigned", isCA=True, commonName="web root"),
        certificate("site", "internal"),
        certificate("site-all", "selfsigned-all", "ClusterIssuer"),
        certificate("changed", "internal"),
        certificate("moved", "internal"),
        certificate("robbed", "internal"),
        certificate("hasty", "internal", duration="1h", renewBefore="59m"),
        certificate("pair-a", "internal", secretName="pair-tls"),
        certificate("pair-b", "internal", secretName="pair-tls"),
        certificate("on-nosecret", "nosecret"),
        certificate("on-nosecret-all", "nosecret-all", "ClusterIssuer"),
        certificate("on-rubbish", "rubbish"),
        certificate("on-late-secret", "late-secret"),
        certificate("on-acme-refused", "acme-refused"),
        certificate("on-vault-nologin", "vault-nologin"),
        certificate("on-nobody", "nobody"),
        certificate("on-late-issuer", "late-issuer"),
        certificate("outside", "elsewhere", "RemoteIssuer", "pki.example.org"),
        certificate("outside-refused", "elsewhere", "RemoteIssuer", "pki.example.org"),
        {**certificate("held", "internal"), "metadata": {
            "name": "held", "namespace": HOME, "finalizers": ["backup.example.org/keep"]}},
    ]


def requests(csr):
    return [
        request("rubbish-by-hand", "internal", b"no request"),
        request("by-hand", "internal", csr),
        request("nokey-by-hand", "selfsigned", csr),
        request("lostkey-by-hand", "selfsigned", csr, **{"cert-manager.io/private-key-secret-name": "lost-key"}),
        ingress("shop", "internal"),
        ingress("shop-nobody", "nobody"),
    ]


def refuse(lab, certificate_name):
    """As a controller of another group does it that gives up on a request."""
    mine = [r for r in lab.get(REQUESTS, HOME)
            if r["metadata"].get("annotations", {}).get("cert-manager.io/certificate-name") == certificate_name]
    if not mine:
        return False
    known = mine[0].get("status", {}).get("conditions", [])
    now = next((c["lastTransitionTime"] for c in known if c["type"] == "Approved"), None)
    if not now:
        return False
    lab.status(REQUESTS, HOME, mine[0]["metadata"]["name"], {"failureTime": now, "conditions": [c for c in known if c["type"] != "Ready"] + [{
        "type": "Ready", "status": "False", "reason": "Failed", "lastTransitionTime": now,
        "message": "the authority refused to sign: policy forbids outside-refused.example.org"}]})
    return True


def play(lab):
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in ("cert-manager", HOME)])
    lab.start("certmanager", "{kubeconfig}")
    lab.sleep(3)
    lab.mark("created")
    lab.apply(issuers(f"127.0.0.1:{lab.port()}"))
    lab.apply(certificates())
    lab.apply(requests(signing_request()))
    lab.wait("the outside authority refuses", lambda: refuse(lab, "outside-refused"), 60)
    for name in ("root", "site", "site-all", "changed", "moved", "robbed", "hasty", "pair-a", "held", "shop-tls"):
        lab.wait(f"Certificate {name} is ready", lambda name=name: lab.condition(CERTIFICATES, HOME, name, "Ready"), 60)
    lab.mark("settled")
    lab.sleep(20)

    lab.mark("changed")
    lab.apply([certificate("late-ca", "selfsigned", isCA=True, commonName="late root"), issuer("late-issuer", selfSigned={})])
    lab.patch(CERTIFICATES, HOME, "changed", {"spec": {"dnsNames": ["changed.example.org", "www.changed.example.org"]}})
    lab.patch(CERTIFICATES, HOME, "moved", {"spec": {"issuerRef": {"name": "nosecret"}}})
    lab.delete("secrets", HOME, "robbed-tls")
    lab.delete(CERTIFICATES, HOME, "held")
    for name in ("on-late-issuer", "on-late-secret", "robbed", "changed"):
        lab.wait(f"Certificate {name} is ready again", lambda name=name: lab.condition(CERTIFICATES, HOME, name, "Ready"), 90)
    lab.mark("healed")
    lab.sleep(60)

    lab.mark("restarted")
    lab.stop("certmanager")
    lab.start("certmanager", "{kubeconfig}")
    lab.sleep(25)
