# SPDX-License-Identifier: Apache-2.0
"""Proxies: which one, and what it may see."""
from client_world import certificates, client, fake, proxy, run, serve  # noqa: F401 (fixtures)
from client_world import complains, READY


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
    complains(run("widgets", timeout=20), "127.0.0.1:%d" % proxy.port)
