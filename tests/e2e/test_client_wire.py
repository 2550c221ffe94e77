# SPDX-License-Identifier: Apache-2.0
"""Headers, credentials, TLS and connections, as a server sees them."""
import base64
import gzip
import json
import os
import re
import ssl
import time

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import bare, complains, GADGETS, names, READY, WIDGETS
from fakeapi import END, answer, openssl, stall, status
from program import wait_for
from wire import Listener


def test_headers(fake, run):
    run.json("widgets")
    root, listing = fake.seen("/apis")[0].headers, fake.seen(WIDGETS)[0].headers
    assert root["accept"].startswith("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,")
    assert listing["accept"] == "application/json" and listing["accept-encoding"] == "gzip"
    assert re.fullmatch(r"kubectl-status/v\S+ \(linux/\w+\)", listing["user-agent"])
    assert listing["kubectl-command"] == "kubectl status"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", listing["kubectl-session"])
    assert root["kubectl-session"] == listing["kubectl-session"] and listing["authorization"] == "Bearer t0ken"


def test_contents_of_secrets_are_not_asked_for(fake, run):
    fake.put("widgets", "a", spec={"secretRef": {"name": "s"}}, status={"conditions": [{"type": "Ready", "status": "False"}]})
    run.json("widgets")
    for request in fake.seen("/api/v1/namespaces/default/secrets"):
        assert "PartialObjectMetadata" in request.headers["accept"]


def test_compressed_list(fake, run):
    items = [bare(fake, "widgets", "w%d" % i) for i in range(3000)]
    body = gzip.compress(json.dumps({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": items}).encode())
    fake.on(WIDGETS, answer(body, headers={"content-encoding": "gzip"}))
    assert len(names(run.json("widgets"))) == 3000
    run.json("widgets", "--disable-compression")
    assert "accept-encoding" not in fake.seen(WIDGETS)[-1].headers


def test_token_file_and_basic(fake, client, tmp_path):
    (tmp_path / "token").write_text("from-file\n")
    client(fake, {"tokenFile": str(tmp_path / "token")}).json("widgets")
    client(fake, {"username": "me", "password": "pa:ss"}).json("widgets")
    sent = [r.headers["authorization"] for r in fake.seen(WIDGETS)]
    assert sent == ["Bearer from-file", "Basic bWU6cGE6c3M="]


def test_impersonation(fake, run):
    run.json("widgets", "--as", "jane", "--as-group", "ops", "--as-uid", "7", "--as-user-extra", "scope=a/b")
    for request in fake.seen():
        assert request.headers["impersonate-user"] == "jane" and request.headers["impersonate-group"] == "ops"
        assert request.headers["impersonate-uid"] == "7" and request.headers["impersonate-extra-scope"] == "a/b"


def test_redirect_is_not_followed(fake, serve, run):
    other = serve(tls=False)
    fake.on(WIDGETS, answer(b"", 302, {"location": other.url + "/login"}), times=0)
    complains(run("widgets"), "unexpected redirect (HTTP 302)")
    assert not other.seen()


def test_nothing_secret_in_the_log(fake, client, certificates):
    run = client(fake, {"username": "me", "password": "hush-hush"})
    done = run("widgets", "-v", "9", "-o", "json")
    text = done.stderr.decode() + done.stdout.decode()
    assert "GET " + fake.url in text and "Authorization: Basic <masked>" in text
    assert "hush" not in text and "bWU6" not in text
    text = client(fake)("widgets", "-v", "9").stderr.decode()
    assert "Bearer <masked>" in text and "t0ken" not in text


def plugin(tmp_path, expiry="2099-01-01T00:00:00Z"):
    """A credential plugin that counts its runs in its tokens."""
    script = tmp_path / "plugin"
    script.write_text("""#!/bin/sh
echo run >> %s/runs
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"run-%%d","expirationTimestamp":"%s"}}' $(wc -l < %s/runs)
""" % (tmp_path, expiry, tmp_path))
    script.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}}


def test_credential_plugin_runs_once(fake, client, tmp_path):
    client(fake, plugin(tmp_path)).json("widgets,gadgets")
    assert {r.headers["authorization"] for r in fake.seen()} == {"Bearer run-1"}


def test_credential_plugin_runs_again_after_401(fake, client, watching, tmp_path):
    w = watching(client(fake, plugin(tmp_path)), "widgets,gadgets")
    first = fake.await_requests(2, watch=True)
    for path in (WIDGETS, GADGETS):
        fake.on(path, status(401, "Unauthorized", "Unauthorized"),
                lambda r: r.headers.get("authorization") == "Bearer run-1", times=0)
    wait_for(lambda: time.monotonic() > first[0].time + 1.2)  # a plugin runs once a second at most
    for plural in ("widgets", "gadgets"):
        fake.inject(plural, END)
    fake.await_requests(6, watch=True)
    fake.put("widgets", "a", **READY)
    w.wait(("ADDED", "a"))
    assert (tmp_path / "runs").read_text() == "run\nrun\n" and len(fake.seen(watch=False)) == 4


def test_401_to_the_end(fake, client, tmp_path):
    fake.on(WIDGETS, status(401, "Unauthorized", "Unauthorized"), times=0)
    complains(client(fake, plugin(tmp_path))("widgets", timeout=20), "You must be logged in to the server (Unauthorized)")
    assert len(fake.seen(WIDGETS)) == 2



# -- connections ---------------------------------------------------------------------



def test_http2_shares_one_connection(fake, run, watching):
    watching(run, "widgets,gadgets,pods")
    fake.await_requests(3, watch=True)
    assert {(r.connection, r.protocol) for r in fake.seen()} == {(1, "h2")}


def test_http1_only_server(serve, client, watching):
    fake = serve(http2=False)
    fake.put("widgets", "a", **READY)
    w = watching(client(fake), "widgets,gadgets")
    w.wait(("ADDED", "a"))
    fake.await_requests(2, watch=True)
    fake.put("gadgets", "g", **READY)
    w.wait(("ADDED", "g"))
    assert {r.protocol for r in fake.seen()} == {"http/1.1"}
    fake.inject("widgets", END)
    fake.await_requests(3, watch=True)


def test_plain_http(serve, client):
    fake = serve(tls=False)
    fake.put("widgets", "a", **READY)
    assert names(client(fake, **{"certificate-authority": None}).json("widgets")) == ["a"]


def test_tls_server_name(serve, client):
    fake = serve(certificate="stranger")
    run = client(fake, **{"tls-server-name": "elsewhere.example"})
    run.json("widgets")
    request = fake.seen(WIDGETS)[0]
    assert request.sni == "elsewhere.example" and request.host == "127.0.0.1:%d" % fake.port


def test_no_name_is_sent_for_an_address(fake, run):
    run.json("widgets")
    assert fake.seen()[0].sni is None


def test_insecure(serve, client):
    fake = serve(certificate="expired")
    run = client(fake, **{"certificate-authority": None, "insecure-skip-tls-verify": True})
    assert run("widgets").returncode == 0


@pytest.mark.parametrize("certificate, ca, words", [
    ("server", "other.crt", "x509: certificate signed by unknown authority"),
    ("server", None, "x509: certificate signed by unknown authority"),
    ("expired", "ca.crt", "x509: certificate has expired or is not yet valid"),
    ("stranger", "ca.crt", "x509: certificate is valid for elsewhere.example, not 127.0.0.1"),
], ids=["unknown", "system", "expired", "name"])
def test_untrusted_server(serve, client, certificates, certificate, ca, words):
    fake = serve(certificate=certificate)
    run = client(fake, **{"certificate-authority": ca and str(certificates / ca)})
    complains(run("widgets"), "Unable to connect to the server: tls: failed to verify certificate: " + words)
    assert not fake.seen()


def test_empty_authority_trusts_nobody(fake, client, tmp_path, certificates):
    (tmp_path / "empty").write_text("")
    run = client(fake, **{"certificate-authority": str(tmp_path / "empty")})
    done = run("widgets", SSL_CERT_FILE=str(certificates / "ca.crt"))
    assert done.returncode == 1 and not fake.seen()


def test_server_that_is_no_tls(serve, client):
    fake = serve(tls=False)
    run = client(fake, server=fake.url.replace("http:", "https:"))
    complains(run("widgets"), "Unable to connect to the server: http: server gave HTTP response to HTTPS client")


@pytest.mark.parametrize("path", ["/apis", WIDGETS], ids=["discovery", "list"])
def test_server_that_never_answers(fake, run, path):
    fake.on(path, stall, times=0)
    start = time.monotonic()
    complains(run("widgets", "--request-timeout", "1s", timeout=20), "context deadline exceeded")
    assert time.monotonic() - start < 4


def test_request_timeout_is_not_for_watches(fake, run, watching):
    fake.put("widgets", "a", **READY)
    w = watching(run, "widgets", "--request-timeout", "700ms")
    [watch] = fake.await_requests(1, WIDGETS, watch=True)
    assert "timeout" not in watch.query and fake.seen(WIDGETS, watch=False)[0].query["timeout"] == "700ms"
    end = time.monotonic() + 1.2
    wait_for(lambda: time.monotonic() > end)
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert len(fake.seen(WIDGETS, watch=True)) == 1


@pytest.fixture
def mute():
    """Accepts connections and never says a word."""
    class Mute(Listener):
        def connection(self, sock, number):
            while sock.recv(4096):
                pass
    made = Mute()
    yield made
    made.stop()


def test_tls_that_never_answers(client, fake, mute):
    """H25: TCP is fine, so no firewall is to blame."""
    run = client(fake, server="https://127.0.0.1:%d" % mute.port)
    start = time.monotonic()
    complains(run("widgets", "--request-timeout", "1s", timeout=20),
              "Unable to connect to the server: net/http: TLS handshake timeout")
    assert time.monotonic() - start < 5


def test_name_that_does_not_exist(client, fake):
    """H25."""
    run = client(fake, server="https://nowhere.invalid:6443")
    complains(run("widgets", timeout=30), "Unable to connect to the server: dial tcp: lookup nowhere.invalid", "no such host")


def old_tls(context):
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_tls_is_refused(serve, client):
    """H7."""
    fake = serve(tune=old_tls)
    text = complains(client(fake)("widgets", timeout=30), "Unable to connect to the server: ")
    assert "protocol version" in text and not fake.seen()


def test_intermediate_authority_is_enough(serve, client, certificates):
    """H4: as Go has it: what is given is trusted, whoever signed it."""
    folder = certificates
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(folder, "req", *key, "-subj", "/CN=between", "-addext", "basicConstraints=critical,CA:TRUE",
            "-keyout", "between.key", "-out", "between.csr")
    openssl(folder, "x509", "-req", "-in", "between.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
            "-copy_extensions", "copy", "-days", "30", "-out", "between.crt")
    openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "between.crt", "-CAkey", "between.key", "-CAcreateserial",
            "-copy_extensions", "copy", "-days", "30", "-out", "below.crt")
    (folder / "below.key").write_bytes((folder / "server.key").read_bytes())
    fake = serve(certificate="below")
    fake.put("widgets", "a", **READY)
    assert names(client(fake, **{"certificate-authority": str(folder / "between.crt")}).json("widgets")) == ["a"]


def test_system_authorities(fake, client, certificates):
    """H6: without a CA in the kubeconfig those of the system count, wherever they are said to be."""
    fake.put("widgets", "a", **READY)
    run = client(fake, **{"certificate-authority": None})
    assert run.text("widgets", "-o", "name", SSL_CERT_FILE=str(certificates / "ca.crt")) == "widget.example.org/a\n"


def test_tls_server_name_that_is_wrong(fake, client):
    """K33."""
    complains(client(fake, **{"tls-server-name": "other.example"})("widgets"),
              "x509: certificate is valid for", "kubernetes", "not other.example")


# -- client certificates ----------------------------------------------------------------


def ask_for_certificates(certificates):
    def tune(context):
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(certificates / "ca.crt")
    return tune


KEYS = {"ec": ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"), "rsa": ("-newkey", "rsa:2048"),
        "ed25519": ("-newkey", "ed25519")}


@pytest.mark.parametrize("kind, form", [("ec", "pkcs8"), ("ec", "sec1"), ("rsa", "pkcs8"), ("rsa", "pkcs1"), ("ed25519", "pkcs8")])
@pytest.mark.parametrize("data", [True, False], ids=["data", "files"])
def test_client_certificates(serve, client, certificates, tmp_path, kind, form, data):
    """A7, A9: of every kind of key, from files and from the kubeconfig itself."""
    openssl(tmp_path, "req", *KEYS[kind], "-nodes", "-subj", "/O=grp/CN=alice", "-keyout", "u.key", "-out", "u.csr")
    openssl(tmp_path, "x509", "-req", "-in", "u.csr", "-CA", certificates / "ca.crt", "-CAkey", certificates / "ca.key",
            "-CAcreateserial", "-days", "30", "-out", "u.crt")
    if form != "pkcs8":
        openssl(tmp_path, "pkey", "-in", "u.key", "-traditional", "-out", "old.key")
        os.replace(tmp_path / "old.key", tmp_path / "u.key")
    with open(tmp_path / "u.crt", "ab") as f:  # a chain
        f.write((certificates / "ca.crt").read_bytes())
    user = {"client-certificate": "u.crt", "client-key": "u.key"}
    if data:
        user = {k + "-data": base64.b64encode((tmp_path / v).read_bytes()).decode() for k, v in user.items()}
    fake = serve(tune=ask_for_certificates(certificates))
    client(fake, user).json("widgets")
    subject = dict(x[0] for x in fake.seen(WIDGETS)[0].peer["subject"])
    assert subject == {"organizationName": "grp", "commonName": "alice"}


@pytest.mark.parametrize("damage, words", [
    ("encrypted", "tls: failed to parse private key (the key is encrypted"),
    ("old encrypted", "tls: failed to parse private key"), ("swapped", "private key does not match public key"), ("garbage", "failed to find any PEM data")])
def test_client_keys_that_cannot_be_used(serve, client, certificates, tmp_path, damage, words):
    """A8: said plainly, before anything is sent."""
    for name in "uv":
        openssl(tmp_path, "req", *KEYS["rsa"], "-nodes", "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr")
        openssl(tmp_path, "x509", "-req", "-in", name + ".csr", "-CA", certificates / "ca.crt", "-CAkey",
                certificates / "ca.key", "-CAcreateserial", "-days", "30", "-out", name + ".crt")
    if damage == "encrypted":
        openssl(tmp_path, "pkey", "-in", "u.key", "-aes128", "-passout", "pass:x", "-out", "v.key")
    elif damage == "old encrypted":
        openssl(tmp_path, "rsa", "-in", "u.key", "-aes128", "-traditional", "-passout", "pass:x", "-out", "v.key")
    elif damage == "garbage":
        (tmp_path / "v.key").write_text("no key at all\n")
    fake = serve()
    text = complains(client(fake, {"client-certificate": str(tmp_path / "u.crt"), "client-key": str(tmp_path / "v.key")})("widgets"),
                     words)
    assert not fake.seen() and text.count("\n") == 1
