"""Subscriptions and publishing: patterns, delivery byte for byte, order, answers."""

from msgpack import ExtType
from rmp_client import Delivery, control, encode, fresh_id, holds, message, now_ms, same, same_bytes

from . import scenario

RUN = "rlp/runs/trace:00112233-4455-6677-8899-aabbccddeeff"
TOPICS = ["p", "p/a", "p/b", "p/a/c", "p/a/c/d", "q/a", "q", "pp/a", "r.s:t_u-V/1"]


def heard(world, pattern):
    """Which of the topics a subscription to this pattern hears of."""
    with world.agent() as publisher, world.agent() as subscriber:
        subscriber.subscribe(5, pattern)
        sent = {topic: message({"on": topic}) for topic in TOPICS}
        for topic, raw in sent.items():
            publisher.published(topic, raw)
        got = [each for each in subscriber.fence() if not each.topic.startswith("rlp/sys/")]
        for each in got:
            same("the sub", 5, each.sub)
            same_bytes(f"the message on {each.topic}", sent[each.topic], each.raw)
        return [each.topic for each in got]


@scenario
def subscribe_to_one_topic(world):
    """Ruling 5."""
    same("p/a", ["p/a"], heard(world, "p/a"))
    same("p", ["p"], heard(world, "p"))
    same("r.s:t_u-V/1", ["r.s:t_u-V/1"], heard(world, "r.s:t_u-V/1"))
    same("nothing", [], heard(world, "p/a/c/d/e"))


@scenario
def subscribe_to_one_level(world):
    """Ruling 5: `/*` is one segment."""
    same("p/*", ["p/a", "p/b"], heard(world, "p/*"))
    same("p/a/*", ["p/a/c"], heard(world, "p/a/*"))


@scenario
def subscribe_to_all_below(world):
    """Ruling 5: `/**` is all below, not the prefix itself."""
    same("p/**", ["p/a", "p/b", "p/a/c", "p/a/c/d"], heard(world, "p/**"))
    same("p/a/**", ["p/a/c", "p/a/c/d"], heard(world, "p/a/**"))


@scenario
def subscribe_to_star_and_to_two(world):
    """Ruling 5: `*` and `**` alone."""
    same("*", ["p", "q"], heard(world, "*"))
    same("**", TOPICS, heard(world, "**"))


@scenario
def invalid_topics_are_refused(world):
    """Ruling 5: 1 to 16 segments of the allowed signs, at most 255 bytes; and each consumes its message."""
    segments = "/".join("s" * 16)
    bad = ["", "/", "/a", "a/", "a//b", "a b", "ä", "a\n", "a\0", "a/*", "a/**", "*", "**", "a+b", "a#", "a,b", "a\\b", "a@b"]
    bad += [segments + "/s", "x" * 256, "x" * 254 + "/x"]
    with world.agent() as client:
        client.subscribe(1, "**")
        for topic in bad:
            client.error(client.publish(topic, message({})), "InvalidTopic")
        for topic in [segments, "x" * 255, "x" * 253 + "/x", "A.z_0:-", "-", ".", ".."]:
            client.published(topic, message({}))
            # The station's own are of `**`, too.
            delivered = client.delivery().topic
            while delivered.startswith("rlp/"):
                delivered = client.delivery().topic
            same("the topic", topic, delivered)


@scenario
def invalid_patterns_are_refused(world):
    """Ruling 5: a wildcard is a pattern's last segment."""
    bad = ["", "/", "/*", "/**", "a/", "a//b", "a//*", "a/*/b", "a/**/b", "*/a", "**/a", "a*", "a/b*", "*a", "a/***", "***", "a b", "ä"]
    bad += ["/".join("s" * 17), "x" * 256]
    with world.agent() as client:
        for number, pattern in enumerate(bad):
            client.error(client.control("Subscribe", {"sub": number, "topic": pattern}), "InvalidTopic")
        client.error(client.control("Unsubscribe", {"sub": 0}), "NotSubscribed")
        client.subscribe(0, "a/*")


@scenario
def publish_with_and_without_ack(world):
    """Ruling 1: answered once when `ack`, else not at all."""
    with world.agent() as client:
        client.subscribe(1, "acked")
        quiet, loud = message({"n": 1}), message({"n": 2})
        client.publish("acked", quiet, ack=False)
        client.published("acked", loud)
        same("what is heard", [quiet, loud], [each.raw for each in client.fence()])


@scenario
def an_unheard_message_is_ok(world):
    """Ruling 1: nobody has to listen."""
    with world.agent() as client:
        client.published("nobody/listens", message({}))


@scenario
def a_refused_publish_consumes_its_message(world):
    """Ruling 1: what follows is read as what it is. A refusal is told without `ack` too."""
    with world.agent() as client:
        client.subscribe(1, "fine")
        after = message({})
        raws = {"InvalidTopic": ("not fine", message({})), "Forbidden": ("rlp/sys/mine", message({}))}
        for code, (topic, raw) in raws.items():
            first, second = client.publish(topic, raw), client.publish("fine", after)
            client.error(first, code)
            client.ok(second)
            same_bytes("the message after", after, client.delivery().raw)
            after = message({})
        for code, (topic, raw) in raws.items():
            client.error(client.publish(topic, raw, ack=False), code)
        client.published("fine", after)
        same("what is heard", [after], [each.raw for each in client.fence()])


@scenario
def a_delivery_is_what_was_published(world):
    """Section 1, ruling 1: byte for byte, with unusual MsgPack and unknown keys, header ids and all."""
    odd = b"\xde\x00\x03\xd9\x04meta\xc0\xdb\0\0\0\x04type\xda\0\x13observation.test.v1\xd9\x07payload\xdc\0\x01\xcd\0\x05"
    with world.agent() as publisher, world.agent() as subscriber:
        subscriber.subscribe(2**64 - 1, "same")
        raws = [
            message({}),
            message(b"\0\xff"),
            message(None),
            message([1, 2.5, "drei", {"vier": {5: None}}]),
            message({}, ttl_ms=600_000, msg_id=2**64 - 1, trace_id=b"\xff" * 16),
            message({}, msg_id=0, trace_id=bytes(16)),
            message({}, created_at_ms=1, ttl_ms=2**64 - 2),
            message({}, created_at_ms=now_ms() + 3_600_000),
            message([ExtType(5, b"ext"), float("nan"), -(2**63), 2**64 - 1]),
        ]
        raws.append(encode(1, odd, msg_id=fresh_id()))
        raws.append(encode(1, {"type": "observation.test.v1", "payload": {}, "meta": None, "more": 1}, msg_id=fresh_id()))
        raws.append(encode(221, {"type": "artifact.draft.email.v1", "payload": {}}, msg_id=fresh_id()))
        raws.append(encode(5, {"type": "artifact.many.dots.in.it.v12", "payload": {}}, msg_id=fresh_id()))
        for raw in raws:
            publisher.published("same", raw)
            got = subscriber.delivery()
            same("the sub and topic", (2**64 - 1, "same"), (got.sub, got.topic))
            same_bytes("the message", raw, got.raw)


@scenario
def many_topics_come_through_wildcards(world):
    """Ruling 5: each delivery names its concrete topic and its sub."""
    topics = [f"wide/{n % 17}/{n}" for n in range(400)]
    with world.agent() as publisher, world.agent() as subscriber:
        subscriber.subscribe(1, "wide/**").subscribe(2, "wide/3/*").subscribe(3, topics[-1])
        for turn in range(2):
            sent = [(topic, message({"turn": turn})) for topic in topics]
            for topic, raw in sent:
                publisher.publish(topic, raw, ack=False)
            publisher.fence()
            got = subscriber.fence()
            for sub, wanted in {1: sent, 2: [each for each in sent if each[0].startswith("wide/3/")], 3: sent[-1:]}.items():
                same(f"sub {sub}", wanted, [(each.topic, each.raw) for each in got if each.sub == sub])


@scenario
def order_is_kept(world):
    """Section 10: FIFO per publisher per topic, also to several subscribers and through wildcards."""
    with world.agent() as one, world.agent() as two, world.agent() as exact, world.agent() as wild:
        exact.subscribe(1, "order/x")
        wild.subscribe(1, "order/**")
        sent = {}
        for name, client in {"one": one, "two": two}.items():
            sent[name] = [message({"who": name, "n": n}) for n in range(300)]
        for n in range(300):
            one.publish("order/x", sent["one"][n], ack=False)
            two.publish("order/x", sent["two"][n], ack=False)
        one.fence()
        two.fence()
        for hearer in (exact, wild):
            got = hearer.fence()
            for name, raws in sent.items():
                same(f"{name}'s messages", raws, [each.raw for each in got if each.frame.payload["who"] == name])


@scenario
def an_unsubscribed_topic_is_not_heard(world):
    """Ruling 1: Unsubscribe, and NotSubscribed for what is none."""
    with world.agent() as client, world.agent() as other:
        client.error(client.control("Unsubscribe", {"sub": 3}), "NotSubscribed")
        client.subscribe(3, "left")
        other.error(other.control("Unsubscribe", {"sub": 3}), "NotSubscribed")
        client.published("left", message({}))
        same("one is heard", 1, len(client.fence()))
        client.unsubscribe(3)
        client.published("left", message({}))
        same("none is heard", 0, len(client.fence()))
        client.error(client.control("Unsubscribe", {"sub": 3}), "NotSubscribed")


@scenario
def a_sub_is_used_again(world):
    """Ruling 1: after Unsubscribe its number is free, for another topic too."""
    with world.agent() as client:
        for topic in ("again/a", "again/b", "again/*"):
            client.subscribe(3, topic)
            raw = message({})
            client.published(topic.replace("*", "c"), raw)
            same("what is heard", [(3, raw)], [(each.sub, each.raw) for each in client.fence()])
            client.unsubscribe(3)


@scenario
def two_subs_of_one_connection_both_match(world):
    """Ruling 7: each subscription has its own delivery."""
    with world.agent() as client:
        client.subscribe(1, "both/x").subscribe(2, "both/*").subscribe(3, "both/x").subscribe(4, "other")
        raw = message({})
        client.published("both/x", raw)
        got = client.fence()
        same("the subs", [1, 2, 3], sorted(each.sub for each in got))
        same("the bytes", {raw}, {each.raw for each in got})


@scenario
def ping_is_answered_by_pong(world):
    """Ruling 1."""
    with world.agent() as client:
        client.send(b"".join(control("Ping", {}) for _ in range(100)))
        for _ in range(100):
            same("the answer", ("Pong", {}), client.next())


@scenario
def a_publisher_hears_itself(world):
    """Ruling 1: a subscription is one, whoever publishes; the unit comes before or after its Ok, never within."""
    with world.agent() as client:
        client.subscribe(1, "self")
        raw = message({})
        re = client.publish("self", raw)
        units = [client.next(), client.next()]
        same("the Ok", [("Ok", {"re": re})], [unit for unit in units if not isinstance(unit, Delivery)])
        same("the message", [raw], [unit.raw for unit in units if isinstance(unit, Delivery)])


@scenario
def a_closed_subscriber_is_forgotten(world):
    """Ruling 1: a session's subscriptions end with it."""
    with world.agent() as publisher:
        for _ in range(20):
            with world.agent() as gone:
                gone.subscribe(1, "gone")
            publisher.published("gone", message({}))
        holds("the publisher goes on", publisher.fence() == [])
