"""Peers that do not read, that flood, that ask for too much: what it costs the others."""

import threading
import time

from rmp_client import PREFIX, Delivery, control, decode, fresh_id, fresh_trace, holds, message, same, same_bytes

from . import scenario
from .drops import DROPS, notice, weight
from .frames import FAULTS, faulty

BROKEN = [code for code in FAULTS if code not in ("InvalidMagic", "UnsupportedVersion")]


class Beside(threading.Thread):
    """A part of a scenario that runs beside the others; `join` raises what it raised."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.error = work, None
        self.start()

    def run(self):
        try:
            self.work()
        except BaseException as error:  # handed to whoever joins
            self.error = error

    def join(self, timeout=240):
        super().join(timeout)
        holds("it ends", not self.is_alive())
        if self.error is not None:
            raise self.error


@scenario
def a_slow_subscriber_holds_nobody(world):
    """Ruling 8: 1,024 messages or 8 MiB wait, the rest is dropped, counted and noticed; publisher and others go on."""
    count = 5_000
    with world.agent() as slow, world.agent() as quick, world.agent() as publisher, world.agent() as watcher:
        watcher.subscribe(1, DROPS)
        slow.subscribe(1, "slow/x")
        quick.subscribe(1, "slow/*")
        raws = [message(bytes(4_096), ttl_ms=600_000) for _ in range(count)]
        got = []

        def read():
            while len(got) < count:
                got.append(quick.delivery().raw)

        def drain():
            while True:
                frame, payload = notice(watcher, "slow/x")
                notices.append((frame, payload))
                if payload["msg_id"] == mark[0] or sum(weight(each) for _, each in notices) >= mark[1]:
                    return

        notices, mark = [], [None, count]
        reading, draining = Beside(read), Beside(drain)
        begun = longest = time.monotonic()
        longest = 0.0
        for at in range(0, count, 50):
            last = time.monotonic()
            ids = [publisher.publish("slow/x", raw) for raw in raws[at : at + 50]]
            for re in ids:
                publisher.ok(re)
            longest = max(longest, time.monotonic() - last)
        took = time.monotonic() - begun
        reading.join()
        same("what the quick one hears", count, len(got))
        same("in which order", raws, got)
        holds("50 messages never take 2 s", longest < 2.0, longest)
        time.sleep(1.1)
        last = message(bytes(4_096), ttl_ms=600_000)
        mark[0] = decode(last).msg_id
        publisher.published("slow/x", last)
        draining.join()
        for frame, payload in notices:
            same("the reason", "backpressure_timeout", payload["reason"])
            same("the notice's TTL", 5_000, frame.ttl_ms)
        kept = [each.raw for each in slow.fence()]
        same("kept are the first ones", raws[: len(kept)], kept)
        holds("1,024 wait", 1_024 <= len(kept) < 2_000, len(kept))
        dropped = sum(weight(payload) for _, payload in notices)
        same(f"kept and dropped ({len(kept)} + {dropped} in {took:.2f} s)", count + 1, len(kept) + dropped)


@scenario
def a_slow_subscriber_gets_a_retry(world):
    """Ruling 7: what was lost to back-pressure was not seen, so a publisher's retry reaches it."""
    with world.agent() as slow, world.agent() as publisher:
        slow.subscribe(1, "retry")
        raws = [message(bytes(4_096), ttl_ms=600_000) for _ in range(3_000)]
        for raw in raws:
            publisher.publish("retry", raw, ack=False)
        publisher.fence()
        kept = len(slow.fence())
        holds("some were lost", kept < len(raws), kept)
        publisher.published("retry", raws[-1])
        same_bytes("the retry", raws[-1], slow.delivery().raw)
        publisher.published("retry", raws[0])
        same("a duplicate is one still", [], slow.fence())


@scenario
def an_empty_queue_takes_one_message_of_any_size(world):
    """Ruling 8: 8 MiB wait at most, but one always fits."""
    with world.agent() as slow, world.agent() as publisher, world.agent() as watcher:
        watcher.subscribe(1, DROPS)
        slow.subscribe(1, "large/slow")
        raws = [message(bytes(8 * 1024 * 1024 - 100), msg_id=n) for n in range(4)]
        for raw in raws:
            publisher.published("large/slow", raw)
        kept = [each.raw for each in slow.fence()]
        holds("one or two are kept", kept == raws[: len(kept)] and 1 <= len(kept) <= 2, len(kept))
        for raw in raws[len(kept) :]:
            _, payload = notice(watcher, "large/slow")
            same("the notice", ("backpressure_timeout", decode(raw).msg_id), (payload["reason"], payload["msg_id"]))
        after = message({})
        publisher.published("large/slow", after)
        same_bytes("the message after", after, slow.delivery().raw)


@scenario
def a_flood_of_malformed_frames_harms_nobody_else(world):
    """Ruling 2: 10,000 of them from one connection while others exchange at full rate, without a loss."""
    count, window = 10_000, 256
    done = threading.Event()
    with world.agent() as bad, world.agent() as publisher, world.agent() as subscriber:
        subscriber.subscribe(1, "busy")
        told = []

        def flood():
            frames = [faulty(FAULTS[code], msg_id=n) for n, code in enumerate(BROKEN)]
            codes = [None if code == "Expired" else code for code in BROKEN]
            try:
                for at in range(0, count, 100):
                    expected = []
                    burst = bytearray()
                    for n in range(at, at + 100):
                        number = n % len(BROKEN)
                        if codes[number] is None:
                            expected.append((bad_publish(burst, frames[number]), "Expired"))
                        else:
                            burst += frames[number]
                            expected.append((number, codes[number]))
                    bad.send(burst)
                    for re, code in expected:
                        bad.error(re, code)
                        told.append(code)
            finally:
                done.set()

        def bad_publish(burst, frame):
            re = fresh_id()
            burst += control("Publish", {"topic": "broken", "ack": True}, msg_id=re) + frame
            return re

        flooding = Beside(flood)
        trace, sent, received = fresh_trace(), 0, 0
        template = message({"n": 1}, trace_id=trace)
        head = control("Publish", {"topic": "busy", "ack": False})
        while not done.is_set() or sent < 20_000:
            burst = bytearray()
            for _ in range(window):
                sent += 1
                burst += head + template[:56] + sent.to_bytes(8, "big") + template[64:]
            publisher.send(burst)
            while received < sent:
                got = subscriber.delivery()
                received += 1
                same("the next message", received, int.from_bytes(got.raw[56:64], "big"))
        flooding.join()
        same("each malformed frame is told of", count, len(told))
        bad.fence()
        same("the publisher is told of nothing", [], publisher.fence())


@scenario
def one_that_floods_and_does_not_read_is_bounded(world):
    """Ruling 8's sense for answers: they wait up to a bound of their own; the others do not notice."""
    with world.agent() as other, world.agent() as bad:
        bad.socket.settimeout(0.5)
        burst = b"".join(faulty(FAULTS["UnknownSchema"], msg_id=n) for n in range(200))
        ended = ""
        for _ in range(1_000):
            try:
                bad.send(burst)
            except TimeoutError:
                ended = "held"
                break
            except (BrokenPipeError, ConnectionResetError):
                ended = "closed"
                break
        holds("the flooder is held or closed", ended, ended)
        other.subscribe(1, "beside")
        raw = message({})
        other.published("beside", raw)
        same_bytes("the message", raw, other.delivery().raw)
    world.alive()


@scenario
def five_thousand_subscriptions_are_busy_beyond_the_limit(world):
    """Ruling 1: Busy; what was taken stays, and one given back makes room for another."""
    count = 5_000
    with world.agent() as client, world.agent() as other:
        taken, busy = [], []
        for at in range(0, count, 250):
            asked = [(sub, client.control("Subscribe", {"sub": sub, "topic": f"many/{sub}"})) for sub in range(at, at + 250)]
            for sub, re in asked:
                variant, fields = client.answer()
                same("what is answered", re, fields["re"])
                if variant == "Ok":
                    taken.append(sub)
                else:
                    same("the code", "Busy", fields["code"])
                    busy.append(sub)
        holds("some are taken, and some are not", taken and busy, (len(taken), len(busy)))
        same("the first are taken", list(range(len(taken))), taken)
        other.published(f"many/{taken[-1]}", message({}))
        same("the last one taken hears", taken[-1], client.delivery().sub)
        other.published(f"many/{busy[0]}", message({}))
        same("one refused does not", [], client.fence())
        other.subscribe(1, "many/other")
        client.unsubscribe(taken[0])
        client.subscribe(busy[0], f"many/{busy[0]}")


@scenario
def a_reader_of_single_bytes_gets_whole_units(world):
    """Ruling 1: a Deliver and its frame are one unit; here through a reader that takes little at a time."""
    with world.agent() as slow, world.agent() as publisher:
        slow.subscribe(1, "bit/by/bit")
        raws = [message(bytes([n % 256]) * (n * 7)) for n in range(200)]
        for raw in raws:
            publisher.publish("bit/by/bit", raw, ack=False)
        publisher.fence()
        got, pieces = [], iter(lambda: slow.socket.recv(311), b"")
        while len(got) < len(raws):
            slow.buffer += next(pieces)
            while len(slow.buffer) >= 4 and len(slow.buffer) >= 4 + PREFIX.unpack_from(slow.buffer)[0]:
                got.append(slow.unit())
            if len(got) >= 2 * len(raws):
                break
        while len(got) < 2 * len(raws):
            got.append(slow.unit())
        same("the messages", raws, got[1::2])


@scenario
def two_hundred_subscribers_hear_the_same(world):
    """Ruling 7: each connection is a subscriber of its own."""
    with world.agent() as publisher:
        clients = [world.agent().subscribe(1, "fan/out") for _ in range(200)]
        raws = [message({"n": n}) for n in range(20)]
        for raw in raws:
            publisher.publish("fan/out", raw, ack=False)
        publisher.fence()
        for client in clients:
            with client:
                same("what is heard", raws, [each.raw for each in client.fence()])


@scenario
def subscribers_come_and_go_under_load(world):
    """Ruling 7: state is made on first use and ends with its owner; a steady pair loses nothing meanwhile."""
    stop = threading.Event()

    def churn():
        turn = 0
        while not stop.is_set():
            with world.agent() as client:
                client.subscribe(1, "churn").subscribe(2, "churn/**").subscribe(3, f"other/{turn}")
                client.unsubscribe(2)
            turn += 1

    with world.agent() as publisher, world.agent() as subscriber:
        subscriber.subscribe(1, "churn")
        churning = [Beside(churn) for _ in range(2)]
        try:
            for _ in range(40):
                raws = [message({}) for _ in range(100)]
                for raw in raws:
                    publisher.publish("churn", raw, ack=False)
                same("the next hundred", raws, [subscriber.delivery().raw for _ in raws])
        finally:
            stop.set()
        for each in churning:
            each.join()
        holds("no answer is left over", not isinstance(publisher.fence(), Delivery))
