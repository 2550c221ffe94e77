# SPDX-License-Identifier: Apache-2.0
"""Who we say that we are: tokens, plugins, certificates, impersonation; and who must never learn it."""
import base64
import json
import os
import re
import signal
import ssl
import time

import pytest

from client_world import certificates, client, fake, run, serve, watching  # noqa: F401 (fixtures)
from client_world import complains, GADGETS, READY, WIDGETS
from fakeapi import END, answer, openssl, status
from program import wait_for


def test_token_file_and_basic(fake, client, tmp_path):
    (tmp_path / "token").write_text("from-file\n")
    client(fake, {"tokenFile": str(tmp_path / "token")}).json("widgets")
    client(fake, {"username": "me", "password": "pa:ss"}).json("widgets")
    sent = [r.headers["authorization"] for r in fake.seen(WIDGETS)]
    assert sent == ["Bearer from-file", "Basic bWU6cGE6c3M="]


def test_what_comes_through_a_pipe(fake, client, certificates, tmp_path):
    """A kubeconfig and its certificates may, as with kubectl; a token is read again and again, so it may not, and nobody waits."""
    run = client(fake)
    config = (tmp_path / "config.json").read_bytes()
    assert run("widgets", "-o", "name", "--kubeconfig", "/dev/stdin", stdin=config).returncode == 0
    done = run("widgets", "-o", "name", "--certificate-authority", "/dev/stdin", stdin=(certificates / "ca.crt").read_bytes())
    assert done.returncode == 0, done.stderr.decode()
    os.mkfifo(tmp_path / "token")
    done = client(fake, {"tokenFile": str(tmp_path / "token")})("widgets")
    assert done.returncode == 1 and b"it is a pipe" in done.stderr and done.stderr.count(b"\n") == 1


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


def test_first_credential_is_refused(fake, client, tmp_path):
    """The plugin had an old one; run again, it gives a good one."""
    fake.put("widgets", "a", **READY)
    fake.on("*", status(401, "Unauthorized", "Unauthorized"), lambda r: r.headers["authorization"] == "Bearer run-1", times=0)
    assert client(fake, plugin(tmp_path)).json("widgets")["items"][0]["name"] == "a"
    assert {r.headers["authorization"] for r in fake.seen()} == {"Bearer run-1", "Bearer run-2"}


def test_expired_credentials_are_told(fake, client, tmp_path):
    """Whoever wrote the plugin should know."""
    done = client(fake, plugin(tmp_path, "2020-01-01T00:00:00Z"))("widgets")
    assert done.returncode == 0 and b"the credential plugin returns expired credentials" in done.stderr


def hanging(tmp_path):
    """A plugin that waits for somebody, until there is a file "go"; its process is in the file "pid"."""
    user = plugin(tmp_path)
    script = tmp_path / "plugin"
    lines = script.read_text().split("\n", 1)
    script.write_text("%s\ntest -f %s/go || { echo $$ > %s/pid.new; mv %s/pid.new %s/pid; until test -f %s/go; do sleep 0.1; done; }\n%s" % (
        lines[0], *[tmp_path] * 5, lines[1]))
    return user


def is_running(tmp_path):
    try:
        os.kill(int((tmp_path / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("warm", [False, True])
def test_request_timeout_is_for_logins_too(fake, client, tmp_path, warm):
    """What is printed once ends, and leaves no plugin behind."""
    run = client(fake, hanging(tmp_path))
    if warm:
        (tmp_path / "go").touch()
        run.json("widgets")
        (tmp_path / "go").unlink()
    began = time.monotonic()
    complains(run("widgets", "--request-timeout", "2s"), "getting credentials", "has not finished", "--request-timeout")
    assert 1.9 < time.monotonic() - began < 15
    assert not is_running(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("args", [(), ("-w",)])
def test_signal_while_a_login_hangs(fake, client, tmp_path, number, args):
    """The plugin dies with us."""
    child = client(fake, hanging(tmp_path)).start("widgets", *args)
    wait_for((tmp_path / "pid").exists)
    child.send_signal(number)
    assert child.wait(5) == -number
    wait_for(lambda: not is_running(tmp_path), 5)
    child.communicate()


def test_token_that_is_refused_while_it_watches(fake, run, watching):
    """One line says at once that changes may be missing, and why; one watch every 10 s asks again for all."""
    w = watching(run.hurry(3), "widgets,gadgets")
    fake.await_requests(2, watch=True)
    before = len(fake.seen())
    fake.on("*", status(401, "Unauthorized", "Unauthorized"), times=0)
    for plural in ("widgets", "gadgets"):
        fake.inject(plural, END)
    refused = fake.await_requests(before + 2)[-1]
    line = w.child.stderr.readline().decode()
    assert time.monotonic() - refused.time < 1.5
    assert line.startswith("Warning: no valid credentials, changes may be missing: ") and "Unauthorized" in line
    again = fake.await_requests(before + 3)[-1]
    assert 8 < run.passed(again.time, refused.time) < 14
    fake.script.clear()
    fake.put("widgets", "a", **READY)
    fake.put("gadgets", "b", **READY)
    w.wait(("ADDED", "a"), ("ADDED", "b"))
    assert w.child.stderr.readline().startswith(b"All kinds are watched again, after ")
    w.finish()
    assert w.errors == ""


def test_login_that_takes_its_time(fake, client, tmp_path):
    """Without a limit a plugin may take as long as it needs."""
    fake.put("widgets", "a", **READY)
    run = client(fake, hanging(tmp_path)).hurry()
    child = run.start("widgets", "-o", "name")
    wait_for((tmp_path / "pid").exists)
    began = time.monotonic()
    wait_for(lambda: run.passed(time.monotonic(), began) > 2)
    assert child.poll() is None
    (tmp_path / "go").touch()
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0 and out == b"widget.example.org/a\n" and err == b""


@pytest.mark.parametrize("args", [("-o", "name"), ("-w",), ("--for", "Ready")])
def test_login_that_takes_long_is_told(fake, client, tmp_path, args):
    """One line says what is waited for, at 10 s: where a busy machine has let more of them pass, it is looked at again."""
    fake.put("widgets", "a", **READY)
    for _ in range(5):
        run, began = client(fake, hanging(tmp_path)).hurry(), time.monotonic()
        child = run.start("widgets", *args)
        line = child.stderr.readline().decode()
        told = re.fullmatch("Warning: a login is pending for ([0-9]+) s: %s has not finished\n" % re.escape(str(tmp_path / "plugin")), line)
        assert told and 10 <= int(told[1]) <= run.passed(time.monotonic(), began)
        if told[1] == "10":
            break
        child.terminate()
        child.communicate()
    assert told[1] == "10"
    (tmp_path / "go").touch()
    if args == ("-w",):
        wait_for(lambda: b"widget/a" in child.stdout.readline(), 20)
        child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert b"login" not in err and b"watched again" not in err


def test_credential_plugin_runs_again_after_401(fake, client, watching, tmp_path):
    w = watching(client(fake, plugin(tmp_path)), "widgets,gadgets")
    first = fake.await_requests(2, watch=True)
    for path in (WIDGETS, GADGETS):
        fake.on(path, status(401, "Unauthorized", "Unauthorized"),
                lambda r: r.headers.get("authorization") == "Bearer run-1", times=0)
    wait_for(lambda: time.monotonic() > first[0].time + 1.2)  # a plugin runs once a second at most
    for plural in ("widgets", "gadgets"):
        fake.inject(plural, END)
    wait_for(lambda: len([r for r in fake.seen(watch=True) if r.headers["authorization"] == "Bearer run-2"]) == 2)
    fake.put("widgets", "a", **READY)
    w.wait(("ADDED", "a"))
    assert (tmp_path / "runs").read_text() == "run\nrun\n" and len(fake.seen(watch=False)) == 4


def test_401_to_the_end(fake, client, tmp_path):
    fake.on(WIDGETS, status(401, "Unauthorized", "Unauthorized"), times=0)
    complains(client(fake, plugin(tmp_path))("widgets"), "You must be logged in to the server (Unauthorized)")
    assert len(fake.seen(WIDGETS)) == 2


def test_rotated_token_file_is_read_again_after_401(fake, client, watching, tmp_path):
    """At once, and the request is repeated once."""
    token = tmp_path / "token"
    token.write_text("old\n")
    fake.put("widgets", "a", **READY)
    w = watching(client(fake, {"tokenFile": str(token)}), "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    token.write_text("new\n")
    fake.on(WIDGETS, status(401, "Unauthorized", "Unauthorized"), lambda r: r.headers["authorization"] == "Bearer old", times=0)
    fake.inject("widgets", END)
    wait_for(lambda: [r for r in fake.seen(WIDGETS) if r.headers["authorization"] == "Bearer new"])
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "b"))
    assert len([r for r in fake.seen(WIDGETS) if r.headers["authorization"] == "Bearer old"]) == 3


def test_401_for_ever_while_watching(fake, client, watching, tmp_path):
    """Objects stay, requests are few, and it goes on when the server accepts us again."""
    w = watching(client(fake, plugin(tmp_path)), "widgets")
    fake.put("widgets", "a", **READY)
    w.wait(("ADDED", "a"))
    fake.await_requests(1, WIDGETS, watch=True)
    fake.on(WIDGETS, status(401, "Unauthorized", "Unauthorized"), times=0)
    fake.inject("widgets", END)
    fake.await_requests(3, WIDGETS)
    end = time.monotonic() + 3
    wait_for(lambda: time.monotonic() > end)
    assert len(fake.seen(WIDGETS)) <= 6 and w.changes() == [("ADDED", "a")]
    assert len((tmp_path / "runs").read_text().split()) <= 6


def test_words_of_a_plugin_reach_the_user(fake, client, tmp_path):
    """Device codes and the like, before anything is on the screen; not on standard output."""
    user = plugin(tmp_path)
    script = tmp_path / "plugin"
    script.write_text(script.read_text().replace("#!/bin/sh\n", "#!/bin/sh\necho 'enter the code ABCD' >&2\n"))
    user["exec"]["interactiveMode"] = "IfAvailable"
    fake.put("widgets", "a", **READY)
    done = client(fake, user)("widgets", "-o", "name")
    assert b"enter the code ABCD" in done.stderr and done.stdout == b"widget.example.org/a\n"


def test_words_of_a_plugin_stay_off_the_screen(fake, client, tmp_path):
    """It speaks before the dashboard opens, and nobody's cursor is moved afterwards."""
    user = plugin(tmp_path)
    script = tmp_path / "plugin"
    script.write_text(script.read_text().replace("#!/bin/sh\n", "#!/bin/sh\nprintf '\\033[5;5Henter ABCD\\n' >&2\n"))
    fake.put("widgets", "a", **READY)
    with client(fake, user).screen("widgets") as term:
        term.wait("widget/a")
        raw = bytes(term.raw)
        if b"enter ABCD" in raw:
            assert raw.index(b"enter ABCD") < raw.index(b"\x1b[?1049h")


def test_plugin_that_is_missing_shows_its_hint(fake, client):
    """Kubectl's words, the hint on lines of its own, without control characters."""
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin", "interactiveMode": "Never",
                     "installHint": "brew install \x1b[31mit"}}
    done = client(fake, user)("widgets")
    text = complains(done, "exec: executable no-such-plugin not found", "brew install", "U+001B")
    assert "\x1b" not in text and not fake.seen()


def test_no_core_file_and_nobody_may_look(fake, run, watching):
    """Neither a core file nor another process of the user gets at the credentials."""
    w = watching(run, "widgets")
    fake.await_requests(1, WIDGETS, watch=True)
    with open("/proc/%d/limits" % w.child.pid, encoding="ascii") as f:
        [line] = [x for x in f if x.startswith("Max core file size")]
    assert line.split()[4:6] == ["0", "0"]
    assert os.stat("/proc/%d/environ" % w.child.pid).st_uid == 0, "not dumpable: root's"


def test_recordings_hold_no_credentials(fake, client, tmp_path):
    fake.put("widgets", "a", **READY)
    run = client(fake, {"username": "me", "password": "hush-hush"})
    child = run.start("widgets", "--record", str(tmp_path / "rec.jsonl"))
    fake.await_requests(1, WIDGETS, watch=True)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)
    text = (tmp_path / "rec.jsonl").read_text()
    assert "Recording" in text and "hush" not in text and "bWU6" not in text


def test_credentials_do_not_leave_over_plain_http(serve, client, tmp_path):
    """No token, no plugin, no certificate."""
    fake = serve(tls=False)
    client(fake, plugin(tmp_path), **{"certificate-authority": None})("widgets")
    client(fake, {"token": "t0ken"}, **{"certificate-authority": None})("widgets")
    assert fake.seen() and not [r for r in fake.seen() if "authorization" in r.headers]
    assert not (tmp_path / "runs").exists()


# -- the server's certificate -----------------------------------------------------------


def der_pem(der, type="CERTIFICATE"):
    return "-----BEGIN %s-----\n%s-----END %s-----\n" % (type, base64.encodebytes(der).decode(), type)


def test_a_bundle_with_damaged_certificates(fake, client, certificates, tmp_path):
    """As Go's AppendCertsFromPEM: they are left out.  Where no good one is left, it is an error, once."""
    good = (certificates / "ca.crt").read_text()
    der = ssl.PEM_cert_to_DER_cert(good)
    bad = [der_pem(der[:-9]), der_pem(b"\x30\x82\xff\xff"), der_pem(b"rubbish", "EC PRIVATE KEY"), der_pem(der + b"\0"),
           good.replace("M", "*", 1), good[:200], "# a remark\n", "-----BEGIN CERTIFICATE-----\n"]
    bundle = tmp_path / "bundle.crt"
    fake.put("widgets", "a", **READY)
    for text in ("".join(bad) + good, good + "".join(bad), "".join(b + good for b in bad), good.replace("\n", " \n\t")):
        bundle.write_text(text)
        assert client(fake, **{"certificate-authority": str(bundle)}).text("widgets", "-o", "name") == "widget.example.org/a\n"
    bundle.write_text(bad[0] + bad[1])
    done = client(fake, **{"certificate-authority": str(bundle)})("widgets")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done.stderr


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
    """Of every kind of key, from files and from the kubeconfig itself."""
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
    """Said plainly, before anything is sent."""
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


def test_certificate_that_was_renewed(serve, client, certificates, watching, tmp_path):
    """A plugin gives another one: watches go on where they were, on a connection with the new one."""
    pair = {}
    for name in ("old", "new"):
        openssl(tmp_path, "req", *KEYS["ec"], "-nodes", "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr")
        openssl(tmp_path, "x509", "-req", "-in", name + ".csr", "-CA", certificates / "ca.crt", "-CAkey",
                certificates / "ca.key", "-CAcreateserial", "-days", "30", "-out", name + ".crt")
        pair[name] = {"clientCertificateData": (tmp_path / (name + ".crt")).read_text(),
                      "clientKeyData": (tmp_path / (name + ".key")).read_text()}
        (tmp_path / name).write_text(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                                                 "status": pair[name]}))
    user = plugin(tmp_path)
    (tmp_path / "plugin").write_text("#!/bin/sh\ncd %s; echo run >> runs\ntest $(wc -l < runs) = 1 && cat old || cat new\n" % tmp_path)
    fake = serve(tune=ask_for_certificates(certificates))
    fake.put("widgets", "a", **READY)
    w = watching(client(fake, user), "widgets,gadgets,pods")
    fake.await_requests(3, watch=True)
    version = str(fake.version)
    fake.on(GADGETS, status(401, "Unauthorized", "Unauthorized"), lambda r: name_of(r) == "old", times=0)
    end = time.monotonic() + 1.2
    wait_for(lambda: time.monotonic() > end)  # a plugin runs once a second at most
    fake.inject("gadgets", END)  # the first to notice; the others need not be refused
    wait_for(lambda: len([r for r in fake.seen(watch=True) if name_of(r) == "new"]) == 3)
    moved = [r for r in fake.seen(watch=True) if name_of(r) == "new"]
    assert {r.query["resourceVersion"] for r in moved} == {version} and len({r.connection for r in moved}) == 1
    assert len(fake.seen(WIDGETS, watch=False)) == 1
    fake.put("widgets", "b", **READY)
    w.wait(("ADDED", "a"), ("ADDED", "b"))


def name_of(request):
    """The common name of the client's certificate."""
    return dict(x[0] for x in request.peer["subject"])["commonName"]
