# SPDX-License-Identifier: Apache-2.0
"""A real browser without a window, driven over a pipe: what a page looks like, what it asks for, what it is called."""
import json
import os
import select
import subprocess
import time

import optional

CHROMIUM = optional.find("chromium")


class Browser:
    """One page of a headless Chromium.  Use it with "with"; deadlines are generous, for machines that are busy."""

    def __init__(self, folder, deadline=120):
        self.deadline = time.monotonic() + deadline
        there, commands = os.pipe()
        answers, back = os.pipe()

        def give():
            os.dup2(there, 60)
            os.dup2(back, 61)
            os.dup2(60, 3)
            os.dup2(61, 4)

        self.child = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--user-data-dir=%s" % folder, "about:blank"],
            preexec_fn=give, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(back)
        self.commands, self.answers = commands, answers
        self.rest, self.number, self.events = b"", 0, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for what in ("Page", "Network", "Log", "Accessibility", "Runtime"):
            self.ask(what + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        os.close(self.commands)
        os.close(self.answers)

    def message(self):
        while b"\0" not in self.rest:
            left = self.deadline - time.monotonic()
            assert left > 0 and select.select([self.answers], [], [], left)[0], "the browser does not answer"
            more = os.read(self.answers, 1 << 16)
            assert more, "the browser has ended"
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if getattr(self, "session", None):
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def until(self, event):
        """Waits for an event that may have come already, since the last navigation."""
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.message())

    def look(self, width, dark=False, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        self.events.clear()
        self.ask("Page.navigate", url="file://%s" % path)
        self.until("Page.loadEventFired")

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        return [e["params"]["entry"]["text"] for e in self.events if e.get("method") == "Log.entryAdded"]

    def width(self):
        return self.ask("Page.getLayoutMetrics")["cssContentSize"]["width"]

    def value(self, expression):
        """What an expression is there.  It is the test that asks: the page itself has no script."""
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def names(self, role):
        """The accessible names and descriptions of what has that role."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [(n["name"]["value"], n.get("description", {}).get("value", "")) for n in nodes
                if not n.get("ignored") and n.get("role", {}).get("value") == role]
