"""What is dropped, and how that is told: duplicates, expiry, bodies, the rate of the notices."""

import time

from rmp_client import Differs, decode, encode, fresh_trace, holds, message, now_ms, same, same_bytes

from . import scenario

DROPS = "rlp/sys/drops"
BODIES = "rlp/sys/drops/bodies"


def notice(client, topic):
    """The next notice for a message dropped on this topic; the frame it came in and its payload."""
    while True:
        delivery = client.delivery()
        if delivery.topic != DROPS:
            continue
        frame = decode(delivery.raw, now=now_ms())
        if frame.payload["topic"] == topic:
            return frame, frame.payload


def check(frame, reason, dropped):
    """A notice says what the facts ask for."""
    payload, cause = frame.payload, decode(dropped)
    same("schema, type and TTL", (3007, "error.bus.drop.notice.v1", 5_000), (frame.schema_id, frame.body["type"], frame.ttl_ms))
    got = {key: payload.get(key) for key in ("v", "reason", "trace_id", "msg_id")}
    same("the notice", {"v": 1, "reason": reason, "trace_id": cause.trace_id, "msg_id": cause.msg_id}, got)
    if "expires_at_ms" in payload:
        same("expires_at_ms", cause.created_at_ms + cause.ttl_ms, payload["expires_at_ms"])
    holds("observed_at_ms is now", abs(now_ms() - payload["observed_at_ms"]) < 60_000, payload["observed_at_ms"])


def weight(payload):
    """How many drops a notice stands for."""
    return 1 + payload.get("suppressed", 0)


@scenario
def a_duplicate_is_ok_and_noticed(world):
    """Section 5, ruling 1."""
    with world.agent() as publisher, world.agent() as subscriber, world.agent() as watcher:
        watcher.subscribe(1, DROPS)
        subscriber.subscribe(1, "twice")
        raw = message({})
        publisher.published("twice", raw)
        publisher.published("twice", raw)
        again = encode(1, {"type": "observation.test.v1", "payload": "other"}, **ids(raw))
        publisher.published("twice", again)
        same("what is heard", [raw], [each.raw for each in subscriber.fence()])
        for copy in (raw, again):
            check(notice(watcher, "twice")[0], "duplicate", copy)


def ids(raw):
    frame = decode(raw)
    return {"trace_id": frame.trace_id, "msg_id": frame.msg_id}


@scenario
def a_duplicate_is_one_by_topic_and_key(world):
    """Section 5: (topic, subscriber) and (trace_id, msg_id); ruling 7: the concrete topic."""
    with world.agent() as publisher, world.agent() as subscriber:
        subscriber.subscribe(1, "key/*")
        raw = message({})
        trace, number = ids(raw).values()
        others = [message({}, trace_id=fresh_trace(), msg_id=number), message({}, trace_id=trace, msg_id=number + 1_000_000)]
        publisher.published("key/a", raw)
        publisher.published("key/b", raw)
        for other in others:
            publisher.published("key/a", other)
        publisher.published("key/a", raw)
        got = [(each.topic, each.raw) for each in subscriber.fence()]
        same("what is heard", [("key/a", raw), ("key/b", raw), ("key/a", others[0]), ("key/a", others[1])], got)


@scenario
def a_duplicate_is_one_by_subscription(world):
    """Section 5, ruling 7: a subscriber that came later has not seen it, nor has a new sub of the same connection."""
    with world.agent() as publisher, world.agent() as early, world.agent() as late:
        early.subscribe(1, "scope")
        raw = message({})
        publisher.published("scope", raw)
        late.subscribe(1, "scope")
        early.subscribe(2, "scope")
        publisher.published("scope", raw)
        same("the late one", [raw], [each.raw for each in late.fence()])
        same("the early one", [(1, raw), (2, raw)], [(each.sub, each.raw) for each in early.fence()])
        publisher.published("scope", raw)
        same("nobody else", ([], []), (late.fence(), early.fence()))


@scenario
def a_duplicate_from_another_connection_is_one(world):
    """Section 5: the key is the message's, not the publisher's."""
    with world.agent() as one, world.agent() as two, world.agent() as subscriber:
        subscriber.subscribe(1, "key/whose")
        raw = message({})
        one.published("key/whose", raw)
        two.published("key/whose", raw)
        same("what is heard", [raw], [each.raw for each in subscriber.fence()])


@scenario
def an_expired_message_is_an_error_and_noticed(world):
    """Section 4, ruling 1: now >= expires_at, heard by nobody."""
    with world.agent() as publisher, world.agent() as watcher:
        watcher.subscribe(1, DROPS).subscribe(2, "late")
        for created, ttl in [(1, 1), (now_ms() - 30_000, 29_000), (now_ms() - 1, 1)]:
            raw = message({}, created_at_ms=created, ttl_ms=ttl)
            publisher.error(publisher.publish("late", raw), "Expired")
            frame, payload = notice(watcher, "late")
            check(frame, "ttl_expired", raw)
            same("expires_at_ms", created + ttl, payload.get("expires_at_ms"))
        same("what is heard", [], [each for each in watcher.fence() if each.sub == 2])


@scenario
def an_expired_message_does_not_count_as_seen(world):
    """Ruling 3: expired comes before duplicate, so a retry with a new time goes through."""
    with world.agent() as client:
        client.subscribe(1, "late/retry")
        raw = message({}, created_at_ms=1)
        client.error(client.publish("late/retry", raw), "Expired")
        retry = message({}, **ids(raw))
        client.published("late/retry", retry)
        same("what is heard", [retry], [each.raw for each in client.fence()])


@scenario
def what_expires_in_a_queue_is_not_delivered(world):
    """Section 4: TTL is judged at delivery too. Takes about two seconds."""
    ttl_ms, count = 1_500, 100
    with world.agent() as publisher, world.agent() as subscriber, world.agent() as watcher:
        watcher.subscribe(1, DROPS)
        subscriber.subscribe(1, "aging")
        raws = [message(bytes(60_000), ttl_ms=ttl_ms, msg_id=n) for n in range(count)]
        for raw in raws:
            publisher.published("aging", raw)
        time.sleep(max(0, ttl_ms - (now_ms() - decode(raws[-1]).created_at_ms)) / 1_000 + 0.05)
        got = [each.raw for each in subscriber.fence()]
        holds("some had left before", got == raws[: len(got)] and len(got) < count, len(got))
        dropped = 0
        while dropped < count - len(got):
            frame, payload = notice(watcher, "aging")
            check(frame, "ttl_expired", raws[payload["msg_id"]])
            dropped += weight(payload)
        same("delivered and expired", count, len(got) + dropped)
        same("nothing more", [], watcher.fence())


@scenario
def bodies_of_drops_are_for_operators(world):
    """Rulings 6 and 9: the dropped message itself, for ui, tui and viewer, wildcards included."""
    with world.operator("tui") as tui, world.operator("ui") as ui, world.agent() as agent, world.agent() as publisher:
        same("the kinds", ("tui", "ui"), (tui.kind, ui.kind))
        tui.subscribe(1, BODIES)
        ui.subscribe(1, "rlp/sys/**")
        agent.subscribe(1, "rlp/**").subscribe(2, "rlp/sys/drops/*")
        agent.control("Subscribe", {"sub": 3, "topic": BODIES})
        holds("an answer", agent.answer()[0] in ("Ok", "Error"))
        agent.subscribe(4, "spilt")
        expired, twice = message("expired", created_at_ms=5), message("twice")
        publisher.error(publisher.publish("spilt", expired), "Expired")
        publisher.published("spilt", twice)
        publisher.published("spilt", twice)
        for operator in (tui, ui):
            got = [each.raw for each in operator.fence() if each.topic == BODIES]
            same("how many bodies", 2, len(got))
            same_bytes("the expired one", expired, got[0])
            same_bytes("the duplicate", twice, got[1])
        heard = [(each.sub, each.topic) for each in agent.fence()]
        holds("an agent hears of no body", all(topic != BODIES for _, topic in heard), heard)


@scenario
def drops_on_system_topics_are_not_noticed(world):
    """Ruling 9: counted, never noticed; here nothing may come of a watcher that watches its own notices."""
    with world.agent() as watcher, world.agent() as publisher:
        watcher.subscribe(1, "rlp/sys/**").subscribe(2, "rlp/sys/drops").subscribe(3, "**")
        publisher.error(publisher.publish("once", message({}, created_at_ms=1)), "Expired")
        got = [each for each in watcher.fence() if each.topic == DROPS and each.frame.payload["topic"] == "once"]
        same("one notice for each sub", [1, 2, 3], sorted(each.sub for each in got))
        same("the same for all", 1, len({each.raw for each in got}))


@scenario
def notices_are_limited_and_summed(world):
    """Section 5, ruling 9: at most 100 a second and topic, the rest in the next as `suppressed`. Takes over a second."""
    count = 1_000
    with world.agent() as publisher, world.agent() as subscriber, world.agent() as watcher:
        watcher.subscribe(1, DROPS)
        subscriber.subscribe(1, "storm")
        raw = message({})
        begun = time.monotonic()
        for _ in range(count + 1):
            publisher.publish("storm", raw, ack=False)
        publisher.fence()
        seconds = int(time.monotonic() - begun) + 1
        burst = [each.frame.payload for each in watcher.fence() if each.topic == DROPS]
        holds("the burst's notices are limited", 1 <= len(burst) <= 100 * seconds, len(burst))
        total = sum(weight(payload) for payload in burst)
        time.sleep(1.1)
        publisher.published("storm", raw)
        while total < count + 1:
            total += weight(notice(watcher, "storm")[1])
        same("all drops are told of", count + 1, total)
        same("nothing more", [], watcher.fence())


@scenario
def metrics_count_the_drops(world):
    """Section 5: drops_total{reason} goes up with each, in the snapshots of `rlp/sys/metrics`."""
    def drops(client):
        while True:
            delivery = client.delivery()
            if delivery.topic == "rlp/sys/metrics":
                counters = delivery.frame.payload["counters"]
                return {key: value for key, value in counters.items() if "drops_total" in key}

    with world.agent() as watcher, world.agent() as publisher:
        watcher.subscribe(1, "rlp/sys/metrics").subscribe(2, "counted")
        raw = message({})
        for _ in range(4):
            publisher.published("counted", raw)
        publisher.error(publisher.publish("counted", message({}, created_at_ms=1)), "Expired")
        watcher.fence()
        deadline = time.monotonic() + 5
        while True:
            found = drops(watcher)
            seen = {reason: sum(value for key, value in found.items() if reason in key) for reason in ("duplicate", "ttl_expired")}
            if seen["duplicate"] >= 3 and seen["ttl_expired"] >= 1:
                return
            if time.monotonic() > deadline:
                raise Differs(f"drops_total after 3 duplicates and 1 expired: {found!r}")
