"""Frames: the golden vector, the session's first frame, the error taxonomy, the order of the checks, partial and broken input."""

import itertools
import random
import socket
import time

import rmp_client
from rmp_client import BODY_BYTES_MAX, U64_MAX, Client, Fault, Wire, control, decode, encode, holds, message, same, same_bytes

from . import scenario

# rmp-v0 section 8, with the last four bytes that ruling 4 counts.
GOLDEN = bytes.fromhex(
    "000000a0524d5030000000400000000000 0a00000000006000000193 23645c7b"
    "000000000000ea60112233445566778899aabbccddeeff00000000000000002a"
    "0000000083a474797065af6572726f722e7265706f72742e7631a77061796c6f"
    "616482a4636f6465b0746f6f6c2e756e617661696c61626c65a76d657373616765"
    "ae6d61696c6572206f66666c696e65a46d65746181aa6f70656e696e675f6964cd04d2"
)
GOLDEN_BODY = {
    "type": "error.report.v1",
    "payload": {"code": "tool.unavailable", "message": "mailer offline"},
    "meta": {"opening_id": 1234},
}
GOLDEN_IDS = {
    "created_at_ms": 0x0193_2364_5C7B,
    "ttl_ms": 60_000,
    "trace_id": bytes.fromhex("112233445566778899aabbccddeeff00"),
    "msg_id": 42,
}

# Ruling 3: what is checked in which order, each as what it takes to provoke it.
FAULTS = {
    "InvalidMagic": {"magic": b"RMP1"},
    "UnsupportedVersion": {"header_version": 1},
    "InvalidHeaderFlags": {"flags": 1},
    "BodyTooLarge": {"body_len": BODY_BYTES_MAX + 1},
    "LengthMismatch": {"body_len": 3},
    "UnknownSchema": {"schema_id": 0},
    "InvalidTtl": {"ttl_ms": 0},
    "InvalidExpiry": {"created_at_ms": U64_MAX},
    "BodyDecodeError": {"body": b"\xc1"},
    "BodyTypeMismatch": {"body": {"type": "artifact.test.v1", "payload": {}}},
    "Expired": {"created_at_ms": 1},
}
# A body up to its payload's value.
HEAD = b"\x82\xa4type\xb3observation.test.v1\xa7payload"
CLOSING = ("InvalidMagic", "UnsupportedVersion")
OTHER_WAYS = [
    ("UnsupportedVersion", {"header_len": 65}),
    ("InvalidHeaderFlags", {"flags": 0x8000_0000}),
    ("InvalidHeaderFlags", {"reserved2": 1}),
    ("InvalidHeaderFlags", {"reserved4": 0x0100_0000}),
    ("LengthMismatch", {"body_len": 0}),
    ("UnknownSchema", {"schema_id": 11}),
    ("UnknownSchema", {"schema_id": 65_535}),
    ("InvalidExpiry", {"ttl_ms": U64_MAX}),
    ("BodyDecodeError", {"body": b""}),
    ("BodyDecodeError", {"body": b"\x90"}),
    ("BodyDecodeError", {"body": {"payload": {}}}),
    ("BodyDecodeError", {"body": {"type": "observation.test.v1"}}),
    ("BodyDecodeError", {"body": {"type": 7, "payload": {}}}),
    ("BodyDecodeError", {"body": HEAD + b"\x80\x00"}),
    ("BodyDecodeError", {"body": HEAD + b"\x81"}),
    ("BodyDecodeError", {"body": HEAD + b"\x91" * 100_000 + b"\xc0"}),
    ("BodyDecodeError", {"body": HEAD + b"\xdd\xff\xff\xff\xff"}),
    ("BodyDecodeError", {"body": HEAD + b"\xdf\xff\xff\xff\xff"}),
    ("BodyDecodeError", {"body": HEAD + b"\xc6\xff\xff\xff\xff"}),
    ("BodyTypeMismatch", {"body": {"type": "observation.test", "payload": {}}}),
    ("BodyTypeMismatch", {"body": {"type": "observation.test.1", "payload": {}}}),
    ("BodyTypeMismatch", {"body": {"type": "observation.test.v", "payload": {}}}),
    ("BodyTypeMismatch", {"body": {"type": "observation.v1", "payload": {}}}),
    ("BodyTypeMismatch", {"body": {"type": "", "payload": {}}}),
    ("BodyTypeMismatch", {"schema_id": 221, "body": {"type": "artifact.draft.email.v2", "payload": {}}}),
]


def faulty(*faults, **ids):
    """A frame with all these faults at once."""
    fields = {"schema_id": 1, "body": {"type": "observation.test.v1", "payload": {}}} | ids
    for fault in faults:
        fields |= fault
    return encode(fields.pop("schema_id"), fields.pop("body"), **fields)


def fault_of(raw):
    try:
        decode(raw, now=rmp_client.now_ms())
    except Fault as fault:
        return fault.code
    return None


@scenario
def golden_vector(world):
    """Section 8, ruling 4: decoded, encoded, and expired since 2024 on the wire."""
    same("the golden vector's size", 164, len(GOLDEN))
    frame = decode(GOLDEN)
    got = {"created_at_ms": frame.created_at_ms, "ttl_ms": frame.ttl_ms, "trace_id": frame.trace_id, "msg_id": frame.msg_id}
    same("the header", GOLDEN_IDS, got)
    same("the body", GOLDEN_BODY, frame.body)
    same_bytes("the golden vector encoded", GOLDEN, encode(10, GOLDEN_BODY, **GOLDEN_IDS))
    with world.agent() as client:
        client.error(client.publish("golden", GOLDEN), "Expired")
        client.subscribe(1, "golden")
        fresh = encode(10, GOLDEN_BODY, **GOLDEN_IDS | {"created_at_ms": rmp_client.now_ms()})
        client.published("golden", fresh)
        same_bytes("the golden vector with another time", fresh, client.delivery().raw)


@scenario
def this_client_names_each_fault(world):
    """Ruling 3 on this side, so that what it expects of the broker is what it does itself."""
    for code, fault in [*FAULTS.items(), *OTHER_WAYS]:
        same(f"the fault of {fault}", code, fault_of(faulty(fault)))
    for first, second in pairs():
        same(f"{first} before {second}", first, fault_of(faulty(FAULTS[second], FAULTS[first])))
    same("63 bytes", "TruncatedHeader", fault_of(b"\0\0\0\x3f" + bytes(63)))


@scenario
def hello_is_answered_by_welcome(world):
    """Ruling 1: Welcome{session, kind, body_bytes_max, server}; ruling 6: agent without a token, whatever is asked for."""
    with world.agent() as first, Client(world.socket, kind="tui") as second, Client(world.socket, kind="ui") as third:
        for client in (first, second, third):
            same("the kind", "agent", client.kind)
            same("the body limit", BODY_BYTES_MAX, client.welcome["body_bytes_max"])
            holds("the server says its name", isinstance(client.welcome["server"], str) and client.welcome["server"])
        sessions = {client.welcome["session"] for client in (first, second, third)}
        same("each session has its number", 3, len(sessions))


@scenario
def a_wrong_token_is_unauthorized(world):
    """Rulings 1 and 6."""
    with world.wire() as wire:
        wire.send(control("Hello", {"v": 1, "client": "x", "kind": "tui", "token": "not-a-token"}, msg_id=7))
        answer = rmp_client.read_control(wire.unit())
        same("the answer", ("Error", 7, "Unauthorized"), (answer[0], answer[1].get("re"), answer[1].get("code")))
        wire.closed()


@scenario
def a_first_frame_other_than_hello_closes(world):
    """Ruling 1: Hello first."""
    firsts = {
        "Ping": control("Ping", {}, msg_id=9),
        "Subscribe": control("Subscribe", {"sub": 1, "topic": "a"}, msg_id=9),
        "Publish": control("Publish", {"topic": "a", "ack": True}, msg_id=9) + message({}),
        "a message": message({}, msg_id=9),
    }
    for name, first in firsts.items():
        with world.wire() as wire:
            wire.send(first)
            unit = wire.unit()
            holds(f"{name} first is answered", unit is not None)
            variant, fields = rmp_client.read_control(unit)
            same(f"{name} first", ("Error", 9), (variant, fields.get("re")))
            wire.closed()


@scenario
def no_hello_within_ten_seconds_closes(world):
    """Ruling 1. Takes ten seconds."""
    hello = control("Hello", {"v": 1, "client": "x", "kind": "agent"})
    with world.wire() as silent, world.wire() as half:
        begun = time.monotonic()
        half.send(hello[:70])
        for name, wire in {"silent": silent, "half a Hello": half}.items():
            unit = wire.unit()
            if unit is not None:
                variant, fields = rmp_client.read_control(unit)
                same(f"{name}: what it says", ("Error", 0), (variant, fields.get("re")))
                wire.closed()
            took = time.monotonic() - begun
            holds(f"{name}: closed after 10 s", 9.5 < took < 14, took)


@scenario
def each_error_of_a_control_frame(world):
    """Ruling 2: which faults keep the stream and which close it; `re` is the frame's msg_id, 0 if none was read."""
    for code, fault in [*FAULTS.items(), *OTHER_WAYS]:
        if code == "Expired" or "ttl_ms" not in fault and fault.get("schema_id") == 221:
            continue
        raw = faulty({"schema_id": 9, "body": {"type": "intent.control.v1", "payload": {"Ping": {}}}}, fault, msg_id=77)
        with world.agent() as client:
            client.send(raw)
            if code in CLOSING:
                client.error(0, code)
                client.closed()
            else:
                client.error(77, code)
                client.fence()


@scenario
def each_error_of_a_message(world):
    """Section 7, ruling 2: the Publish is answered by its message's fault, and nobody hears of the message."""
    with world.agent() as hearer:
        hearer.subscribe(1, "errors")
        for code, fault in [*FAULTS.items(), *OTHER_WAYS]:
            with world.agent() as client:
                client.error(client.publish("errors", faulty(fault, msg_id=78)), code)
                if code in CLOSING:
                    client.closed()
                else:
                    client.fence()
        same("what is heard", [], hearer.fence())


@scenario
def a_frame_without_a_header_is_truncated_and_closes(world):
    """Ruling 2: frame_len below 64."""
    for frame_len in (0, 1, 63):
        for publish in (False, True):
            with world.agent() as client:
                raw = frame_len.to_bytes(4, "big") + b"RMPX".ljust(frame_len, b"\0")[:frame_len]
                if publish:
                    client.error(client.publish("errors", raw), "TruncatedHeader")
                else:
                    client.send(raw)
                    client.error(0, "TruncatedHeader")
                client.closed()


@scenario
def control_frames_are_never_expired_or_duplicate(world):
    """Ruling 1."""
    with world.agent() as client:
        for _ in range(2):
            client.send(control("Ping", {}, created_at_ms=1, ttl_ms=1, msg_id=5, trace_id=bytes(16)))
            same("the answer", ("Pong", {}), client.answer())


def pairs():
    """Two faults of one frame that can be had at once, the one that is checked first in front."""
    for first, second in itertools.combinations(FAULTS, 2):
        clash = set(FAULTS[first]) & set(FAULTS[second])
        if not clash or (first, second) == ("BodyTooLarge", "LengthMismatch"):
            yield first, second


@scenario
def the_first_of_two_faults_is_told(world):
    """Ruling 3: the order of the checks, for every pair of faults that one frame can have."""
    with world.agent() as client:
        for first, second in pairs():
            raw = faulty(FAULTS[second], FAULTS[first])
            talker = client
            if first in CLOSING:
                talker = world.agent()
            try:
                talker.error(talker.publish("errors", raw), first)
            except rmp_client.Differs as differs:
                raise rmp_client.Differs(f"{first} and {second}: {differs}") from differs
            if talker is not client:
                talker.closed()
                talker.__exit__()
        client.fence()


@scenario
def expired_is_told_before_duplicate(world):
    """Ruling 3's last two: a copy that has expired meanwhile."""
    with world.agent() as client:
        client.subscribe(1, "errors/last")
        raw = message({}, msg_id=4)
        trace = decode(raw).trace_id
        client.published("errors/last", raw)
        client.error(client.publish("errors/last", faulty({"created_at_ms": 1}, trace_id=trace, msg_id=4)), "Expired")
        same("what is heard", [raw], [each.raw for each in client.fence()])


@scenario
def a_length_mismatch_skips_frame_len_bytes(world):
    """Ruling 2: the prefix says where the next frame begins, whatever the header says."""
    with world.agent() as client:
        for more in (1, 5, 64):
            long = message({"more": more}, msg_id=30)
            long = (len(long) - 4 + more).to_bytes(4, "big") + long[4:] + b"\xaa" * more
            client.error(client.publish("errors", long), "LengthMismatch")
            client.send(long)
            client.error(30, "LengthMismatch")
            client.fence()


@scenario
def a_control_frame_is_judged_whatever_came_before(world):
    """Rulings 1 to 3: a body that was fine once does not make the next header fine."""
    with world.agent() as client:
        client.subscribe(1, "memo")
        body = {"type": "intent.control.v1", "payload": {"Publish": {"topic": "memo", "ack": True}}}
        for code, fault in FAULTS.items():
            raws = [message({"n": n}) for n in range(3)]
            for raw in raws:
                client.published("memo", raw)
            same("what is heard", raws, [each.raw for each in client.fence()])
            if code in CLOSING or code == "Expired":
                continue
            announces = not {"schema_id", "body"} & set(fault)
            client.send(faulty({"schema_id": 9, "body": body}, fault, msg_id=31) + (message({}) if announces else b""))
            client.error(31, code)
            client.fence()
        client.send(faulty({"body": body}, msg_id=32))
        client.error(32, "BodyTypeMismatch")
        client.fence()


@scenario
def what_follows_a_publish_is_its_message(world):
    """Ruling 1: exactly one frame, whatever it is; a control frame there is no control frame."""
    with world.agent() as client:
        re = client.publish("odd", control("Ping", {}))
        variant, fields = client.answer()
        holds("the Publish is answered", variant in ("Ok", "Error") and fields["re"] == re, (variant, fields))
        client.fence()


@scenario
def a_message_cut_off_is_not_delivered(world):
    """Section 1: frames are not partially replayed."""
    raw = message({"n": 1})
    with world.agent() as hearer:
        hearer.subscribe(1, "cut")
        whole = control("Publish", {"topic": "cut", "ack": False}) + raw
        for end in (*range(1, len(whole), 23), len(whole) - 1):
            with world.agent() as talker:
                talker.send(whole[:end])
        world.alive()
        same("what is heard", [], hearer.fence())
        with world.agent() as talker:
            talker.send(whole)
            talker.fence()
        same("what is heard of the whole", [raw], [each.raw for each in hearer.fence()])


@scenario
def an_unknown_control_variant_is_refused(world):
    """Ruling 1: the variants there are, with their fields."""
    with world.agent() as client:
        for variant, fields in [
            ("Shout", {}),
            ("Subscribe", {"sub": 1}),
            ("Subscribe", {"sub": "one", "topic": "a"}),
            ("Subscribe", {"sub": -1, "topic": "a"}),
            ("Unsubscribe", {}),
        ]:
            client.error(client.control(variant, fields), "BodyDecodeError")
        client.subscribe(1, "a")


@scenario
def a_publish_at_fault_consumes_its_message(world):
    """Ruling 1: a refused Publish still consumes its message frame, and is answered once."""
    with world.agent() as client:
        for fields, header in [
            ({"ack": True}, {}),
            ({"topic": "a"}, {}),
            ({"topic": 1, "ack": True}, {}),
            ({"topic": "a", "ack": True}, {"ttl_ms": 0}),
            ({"topic": "a", "ack": True}, {"flags": 1}),
        ]:
            re = client.control("Publish", fields, **header)
            client.send(control("Subscribe", {"sub": 1, "topic": "a"}, msg_id=33))
            client.error(re, "InvalidTtl" if "ttl_ms" in header else "InvalidHeaderFlags" if header else "BodyDecodeError")
            client.fence()
            client.published("a", message({}))
            same("what is heard", [], client.fence())


@scenario
def a_message_where_a_control_frame_belongs_is_refused(world):
    """Ruling 1: a message follows its Publish, else it is no control frame."""
    with world.agent() as client, world.agent() as hearer:
        hearer.subscribe(1, "**")
        client.send(message({}, msg_id=66))
        answer = client.answer()
        same("the answer", ("Error", 66), (answer[0], answer[1].get("re")))
        client.fence()
        heard = [each for each in hearer.fence() if not each.topic.startswith("rlp/sys/")]
        same("what is heard", [], heard)


@scenario
def frames_come_byte_by_byte(world):
    """Section 1: a stream has no edges of its own."""
    with Wire(world.socket) as wire, world.agent() as hearer:
        hearer.subscribe(1, "split")
        raw = message({"n": list(range(20))})
        sent = (
            control("Hello", {"v": 1, "client": "x", "kind": "agent"}, msg_id=1)
            + control("Subscribe", {"sub": 3, "topic": "split"}, msg_id=2)
            + control("Publish", {"topic": "split", "ack": True}, msg_id=3)
            + raw
            + faulty(FAULTS["UnknownSchema"], msg_id=4)
            + control("Ping", {}, msg_id=5)
        )
        for byte in sent:
            wire.send(bytes([byte]))
        same("the first answer", "Welcome", rmp_client.read_control(wire.unit())[0])
        same("the second answer", ("Ok", {"re": 2}), rmp_client.read_control(wire.unit()))
        rest = [wire.unit() for _ in range(5)]
        same_bytes("the message", raw, rest[1 + [rmp_client.read_control(x)[0] for x in rest if x != raw].index("Deliver")])
        same_bytes("the message elsewhere", raw, hearer.delivery().raw)


@scenario
def many_frames_come_in_one_write(world):
    """Section 1: as before, the other way round."""
    with world.agent() as client:
        client.subscribe(1, "joined")
        raws = [message({"n": n}) for n in range(500)]
        ids = []
        sent = bytearray()
        for raw in raws:
            ids.append(rmp_client.fresh_id())
            sent += control("Publish", {"topic": "joined", "ack": True}, msg_id=ids[-1]) + raw
        client.send(sent)
        for re in ids:
            client.ok(re)
        same("what is heard", raws, [each.raw for each in client.fence()])


@scenario
def garbage_ends_its_own_connection_only(world):
    """Rulings 1 and 2: whatever comes, the others go on."""
    noise = random.Random(4)
    with world.agent() as other:
        for turn in range(200):
            talker = world.wire() if turn % 2 else world.agent()
            with talker:
                head = [b"", b"\0\0\1\0", b"\0\0\0\x60RMP0", b"\0\0\0\x20{", b'\0\0\0\x20"'][turn % 5]
                try:
                    talker.send(head + noise.randbytes(noise.randrange(1, 2_000)))
                    talker.socket.shutdown(socket.SHUT_WR)
                    while talker.fill():
                        pass
                except (BrokenPipeError, ConnectionResetError):
                    pass
        other.fence()
    world.alive()


@scenario
def a_body_of_the_limit_goes_through(world):
    """Section 6: 8 MiB, byte for byte."""
    head = len(message(b"")) - 68 + 3
    raw = message(random.Random(8).randbytes(BODY_BYTES_MAX - head))
    same("the body's size", BODY_BYTES_MAX, len(raw) - 68)
    with world.agent() as publisher, world.agent() as subscriber:
        subscriber.subscribe(1, "large")
        for turn in range(3):
            raw = raw[:56] + turn.to_bytes(8, "big") + raw[64:]
            publisher.published("large", raw)
            same_bytes("the large message", raw, subscriber.delivery().raw)


@scenario
def a_body_over_the_limit_closes(world):
    """Rulings 2 and 3: refused by its prefix, before its bytes are there."""
    for publish in (False, True):
        with world.agent() as client:
            prefix = (64 + BODY_BYTES_MAX + 1).to_bytes(4, "big")
            head = faulty({"body_len": BODY_BYTES_MAX + 1}, msg_id=12)[4:68]
            if publish:
                client.error(client.publish("large", prefix + head), "BodyTooLarge")
            else:
                client.send(prefix + head)
                answer = client.answer()
                same("the answer", ("Error", "BodyTooLarge"), (answer[0], answer[1].get("code")))
                holds("re is 0 or what was read", answer[1]["re"] in (0, 12), answer[1])
            client.closed()
    with world.agent() as client:
        client.send((64 + BODY_BYTES_MAX + 1).to_bytes(4, "big") + b"R")
        client.error(0, "BodyTooLarge")
        client.closed()
