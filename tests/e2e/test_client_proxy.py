# SPDX-License-Identifier: Apache-2.0
"""Proxies: which one, and what it may see."""
import ssl

import pytest

from client_world import certificates, client, fake, proxy, run, serve, socks, watching  # noqa: F401 (fixtures)
from client_world import complains, names, READY, WIDGETS
from wire import Proxy


def test_proxy_of_the_environment_is_not_for_loopback(fake, run, proxy):
    address = "http://127.0.0.1:%d" % proxy.port
    assert run("widgets", HTTPS_PROXY=address, https_proxy=address, ALL_PROXY=address).returncode == 0
    assert not proxy.heads


def test_proxy_of_the_cluster(fake, client, proxy):
    fake.put("widgets", "a", **READY)
    run = client(fake, **{"proxy-url": "http://me:secret@127.0.0.1:%d" % proxy.port})
    done = run("widgets", "-o", "name", "-v", "9", NO_PROXY="*")
    assert done.stdout == b"widget.example.org/a\n" and b"secret" not in done.stderr
    [head] = proxy.heads
    assert head.startswith("CONNECT 127.0.0.1:%d " % fake.port)
    assert "\r\nProxy-Authorization: Basic " in head and "\r\nAuthorization:" not in head


def test_proxy_that_is_not_there(fake, client, proxy):
    run = client(fake, **{"proxy-url": "http://127.0.0.1:%d" % proxy.port})
    proxy.stop()
    complains(run("widgets"), "127.0.0.1:%d" % proxy.port)


@pytest.mark.parametrize("url", ["http://me:hush-hush@:3128", "http://me:hush-hush@proxy.example:x", "http://me:hush-hush@bad host:1",
                                 "http://me:hush/hush@127.0.0.1:1", "ftp://me:hush-hush@proxy.example"])
def test_proxy_url_that_is_none(fake, client, url):
    """It is called what it is, and its password is nobody's business."""
    run = client(fake, server="https://api.example.invalid")
    text = complains(run("widgets", "-v", "9", HTTPS_PROXY=url), "HTTPS_PROXY")
    assert "no such host" not in text and "hush" not in text, text
    run = client(fake, **{"proxy-url": url})
    done = run("widgets", "-v", "9")
    assert done.returncode == 1 and b"hush" not in done.stderr and b"proxy-url" in done.stderr, done.stderr


def far_away(fake, proxy, name="api.example.invalid"):
    """A name that only the proxy can resolve; the fields of a cluster behind it."""
    proxy.names[name] = "127.0.0.1"
    return {"server": "https://%s:%d" % (name, fake.port), "tls-server-name": "kubernetes"}


def test_socks5_resolves_the_name_at_the_proxy(fake, client, socks):
    """Go's socks5 asks the proxy by name."""
    fake.put("widgets", "a", **READY)
    run = client(fake, **{"proxy-url": "socks5://127.0.0.1:%d" % socks.port, **far_away(fake, socks)})
    assert names(run.json("widgets", NO_PROXY="*")) == ["a"]
    assert set(socks.asked) == {("name", "api.example.invalid", fake.port)}
    assert {r.protocol for r in fake.seen()} == {"h2"} and fake.seen()[0].sni == "kubernetes"
    assert fake.seen()[0].host == "api.example.invalid:%d" % fake.port


def test_socks5_to_an_address_with_a_password(fake, client, socks):
    fake.put("widgets", "a", **READY)
    run = client(fake, **{"proxy-url": "socks5://me:hush@127.0.0.1:%d" % socks.port})
    done = run("widgets", "-o", "name", "-v", "9")
    assert done.stdout == b"widget.example.org/a\n" and b"hush" not in done.stderr
    assert socks.asked[0][1:] == ("127.0.0.1", fake.port) and socks.users[0] == ("me", "hush")


def test_watch_through_socks5_survives_the_proxy(fake, client, socks, watching):
    """The proxy goes away and comes back."""
    fake.put("widgets", "a", **READY)
    w = watching(client(fake, **{"proxy-url": "socks5://127.0.0.1:%d" % socks.port}), "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    socks.stop()
    fake.put("widgets", "b", **READY)
    socks.start()
    w.wait(("ADDED", "a"), ("ADDED", "b"))
    assert len(fake.seen(WIDGETS, watch=False)) == 1


def test_https_proxy(fake, client, certificates):
    """The way to the proxy is encrypted, too, and trusts whom the server's does, as Go has it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
    proxy = Proxy(context)
    fake.put("widgets", "a", **READY)
    run = client(fake, **{"proxy-url": "https://localhost:%d" % proxy.port})
    try:
        assert run.text("widgets", "-o", "name") == "widget.example.org/a\n"
        [head] = proxy.heads
        assert head.startswith("CONNECT ") and "\r\nAuthorization:" not in head
    finally:
        proxy.stop()


def test_https_proxy_that_is_not_trusted(fake, client, certificates):
    """The proxy is to blame, not the server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "expired.crt", certificates / "expired.key")
    proxy = Proxy(context)
    try:
        complains(client(fake, **{"proxy-url": "https://127.0.0.1:%d" % proxy.port})("widgets"),
                  "Unable to connect to the server: proxyconnect tcp: tls: failed to verify certificate: x509: certificate has expired")
        assert not proxy.heads and not fake.seen()
    finally:
        proxy.stop()


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
def test_proxy_of_the_environment(fake, client, proxy, name):
    """For what is not loopback."""
    fake.put("widgets", "a", **READY)
    run = client(fake, **far_away(fake, proxy))
    assert run.text("widgets", "-o", "name", **{name: "127.0.0.1:%d" % proxy.port}) == "widget.example.org/a\n"
    assert proxy.heads[0].startswith("CONNECT api.example.invalid:%d " % fake.port)


def test_socks5_of_the_environment(fake, client, socks):
    run = client(fake, **far_away(fake, socks))
    assert run("widgets", HTTPS_PROXY="socks5://127.0.0.1:%d" % socks.port).returncode == 0 and socks.asked


@pytest.mark.parametrize("exception", ["api.example.invalid", ".example.invalid", "*.example.invalid", "*", "invalid"])
def test_exceptions_of_the_environment(fake, client, proxy, exception):
    """Then the name is looked up here, where nobody knows it."""
    run = client(fake, **far_away(fake, proxy))
    complains(run("widgets", HTTPS_PROXY="http://127.0.0.1:%d" % proxy.port, NO_PROXY=exception),
              "lookup api.example.invalid", "no such host")
    assert not proxy.heads


def test_http_proxy_is_not_for_https(fake, client, proxy):
    run = client(fake, **far_away(fake, proxy))
    complains(run("widgets", HTTP_PROXY="http://127.0.0.1:%d" % proxy.port, ALL_PROXY="http://127.0.0.1:%d" % proxy.port,
                  timeout=60), "no such host")
    assert not proxy.heads


def test_proxy_of_a_kind_that_kubectl_does_not_know(fake, client):
    run = client(fake, **{"proxy-url": "ftp://127.0.0.1:1"})
    complains(run("widgets"), 'unsupported scheme "ftp", must be http, https, or socks5')


@pytest.mark.parametrize("reply, words", [
    (b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", "407"),
    (b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<html></html", "403"),
    (b"nonsense\r\n\r\n", ""), (b"", "")], ids=["407", "403", "garbage", "nothing"])
def test_proxy_that_refuses(fake, client, reply, words):
    """One line that says so, and no busy loop."""
    proxy = Proxy(reply=reply)
    try:
        text = complains(client(fake, **{"proxy-url": "http://127.0.0.1:%d" % proxy.port})("widgets"), words)
        assert text.startswith("Unable to connect to the server: ") and not fake.seen()
        assert len(proxy.heads) <= 2
    finally:
        proxy.stop()
