# SPDX-License-Identifier: Apache-2.0
"""Headers, credentials, TLS and connections, as a server sees them."""
import gzip
import json
import re
import ssl
import time

import pytest

from client_world import certificates, client, fake, mute, run, serve, watching  # noqa: F401 (fixtures)
from client_world import bare, complains, names, READY, WIDGETS
from fakeapi import END, answer, openssl, stall, status
from program import wait_for


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
    complains(run("widgets", "--request-timeout", "1s"), "context deadline exceeded")
    assert time.monotonic() - start < 4


def test_an_empty_request_timeout_is_none(fake, run):
    """As kubectl has it."""
    run.text("widgets", "--request-timeout=")
    assert "timeout" not in fake.seen(WIDGETS)[0].query


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


def test_tls_that_never_answers(client, fake, mute):
    """TCP is fine, so no firewall is to blame."""
    run = client(fake, server=mute)
    start = time.monotonic()
    complains(run("widgets", "--request-timeout", "1s"),
              "Unable to connect to the server: net/http: TLS handshake timeout")
    assert time.monotonic() - start < 5


def test_name_that_does_not_exist(client, fake):
    run = client(fake, server="https://nowhere.invalid:6443")
    complains(run("widgets"), "Unable to connect to the server: dial tcp: lookup nowhere.invalid", "no such host")


def old_tls(context):
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_tls_is_refused(serve, client):
    fake = serve(tune=old_tls)
    text = complains(client(fake)("widgets"), "Unable to connect to the server: ")
    assert "protocol version" in text and not fake.seen()


def test_intermediate_authority_is_enough(serve, client, certificates):
    """As Go has it: what is given is trusted, whoever signed it."""
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
    """Without a CA in the kubeconfig those of the system count, wherever they are said to be."""
    fake.put("widgets", "a", **READY)
    run = client(fake, **{"certificate-authority": None})
    assert run.text("widgets", "-o", "name", SSL_CERT_FILE=str(certificates / "ca.crt")) == "widget.example.org/a\n"


def test_tls_server_name_that_is_wrong(fake, client):
    complains(client(fake, **{"tls-server-name": "other.example"})("widgets"),
              "x509: certificate is valid for", "kubernetes", "not other.example")


def test_screen_and_keys_before_the_server_answers(fake, run):
    fake.on("/apis", stall, times=0)
    with run.screen("widgets") as term:
        term.wait("connecting")
        assert "nothing has failed" not in term.text() and "has not answered yet" in term.text()
        term.keys("?")
        term.wait("Look")
        term.keys("q")
        term.wait("connecting")
        term.keys("q")
        assert term.end() == 0


def test_timeout_of_for_counts_from_the_start(fake, run):
    """Also while nobody answers."""
    fake.on("/apis", stall, times=0)
    begun = time.monotonic()
    done = run("widgets", "--for", "Ready", "--timeout", "1s")
    assert done.returncode == 3 and b"timed out waiting" in done.stderr and time.monotonic() - begun < 10


def test_for_does_not_wait_for_a_name_that_is_not_there(fake, run):
    """As kubectl wait."""
    fake.put("widgets", "a", **READY)
    done = run("widget/a", "widget/b", "--for", "Ready")
    assert done.returncode == 1 and b'widgets.example.org "b" not found' in done.stderr
    assert run("widget/a", "--for", "Ready", "--timeout", "0").returncode == 0
    assert run("widget/a", "--for", "Failed", "--timeout", "0").returncode == 3
