# SPDX-License-Identifier: Apache-2.0
"""A hundred watches on one HTTP/2 connection: what the server has sent is printed soon, however it is mixed.

Between two bursts the server is silent, so that nothing else wakes up the client where it has left something lying.
KUBECTL_STATUS_SOAK_EVENTS: how many events; KUBECTL_STATUS_SEED: repeats the choices of a run.
"""
import os
import random
import time

from client_world import certificates, client, serve, watching  # noqa: F401 (fixtures)
from client_world import READY
from fakeapi import TYPES
from program import wait_for

EVENTS = int(os.environ.get("KUBECTL_STATUS_SOAK_EVENTS", "4000"))
SEED = int(os.environ.get("KUBECTL_STATUS_SEED") or time.time())
KINDS = tuple(("many.example", "v1", "kinds%02d" % i, "Kind%02d" % i, True) for i in range(100))


def test_no_event_waits_for_the_next_one(serve, client, watching):
    print("KUBECTL_STATUS_SEED=%d" % SEED)
    choose = random.Random(SEED)
    fake = serve(types=TYPES + KINDS)
    w = watching(client(fake))
    wait_for(lambda: {t[2] for t in KINDS} <= fake.watched())
    sent, late = 0, []
    while sent < EVENTS:
        with fake.changed:  # all at once, so that they share frames and records
            for _ in range(choose.randint(1, 100)):
                sent += 1
                fake.put(choose.choice(KINDS)[2], "o%d" % sent, spec={"filler": "x" * choose.randint(10, 20000)}, **READY)
        began = time.monotonic()
        wait_for(lambda: len(w.events) >= sent, 60, 0.002)
        took = time.monotonic() - began
        late += [(sent, round(took, 1))] if took > 10 else []    # what was left lying waits for the next burst, or half a minute
    assert not late, "after so many events: seconds until the last one was there: %r" % late
