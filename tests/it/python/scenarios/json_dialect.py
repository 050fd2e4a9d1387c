"""The JSON dialect of the facts (ruling 16), alone and beside the binary one."""

import json
import random
import socket

from rmp_client import PREFIX, U64_MAX, encode, holds, message, same, same_bytes
from rmp_json import UNIT_BYTES_MAX, JsonClient, as_json, unit

from . import scenario
from .drops import DROPS, check, notice


def changed(raw, **header):
    """A message with single fields of its header set otherwise."""
    said = as_json(raw)
    said["header"] |= header
    return said


@scenario
def json_hello_is_answered_by_helloack(world):
    """The facts: `"HelloAck"`, for each kind."""
    for kind in ("Agent", "Ui", "Tui"):
        with JsonClient(world.socket, kind) as client:
            client.published("json/hello", as_json(message({})))


@scenario
def json_publish_is_acked_and_delivered(world):
    """The facts: units byte for byte, keys in their order."""
    with JsonClient(world.socket) as publisher, JsonClient(world.socket) as subscriber:
        subscriber.subscribe(7, "json/a")
        for payload in ({}, {"n": 1}, b"\0\xff", [None, "ü"]):
            raw = message(payload)
            publisher.published("json/a", as_json(raw))
            subscriber.message(7, raw)


@scenario
def json_patterns_and_subs(world):
    """Rulings 5 and 16: as in the other dialect; Unsubscribe has no answer."""
    with JsonClient(world.socket) as client:
        client.subscribe(1, "json/p/*").subscribe(2, "json/**").subscribe(3, "json/p")
        raw = message({})
        client.published("json/p/x", as_json(raw))
        same("how many", 2, len(client.fence()))
        client.send(unit({"Unsubscribe": {"sub_id": 2}}))
        raw = message({})
        client.published("json/p/x", as_json(raw))
        got = client.fence()
        same("how many are left", 1, len(got))
        same_bytes("the Message", unit({"Message": {"sub_id": 1, "message": as_json(raw)}}), got[0])
        number = next(client.ids)
        client.send(unit({"Subscribe": {"id": number, "topic": "json/*/x", "sub_id": 9}}))
        value = json.loads(client.answer()[4:])
        text = value["SubscribeAck"]["result"]["Err"]["Forbidden"]
        holds("ruling 16's form", value["SubscribeAck"]["id"] == number and text.startswith("InvalidTopic: "), value)


@scenario
def json_errors_have_their_forms(world):
    """The facts' E, byte for byte."""
    with JsonClient(world.socket) as client:
        client.subscribe(1, "json/errors")
        raw = message({})
        body = len(raw) - 68
        client.refused("json/errors", changed(raw, ttl_ms=0), {"InvalidTtl": 0})
        for other in (body + 1, 0, body - 1):
            client.refused("json/errors", changed(raw, body_len=other), {"BodyLengthMismatch": {"expected": other, "actual": body}})
        client.refused("json/errors", changed(raw, schema_id=0), {"UnknownSchema": 0})
        client.refused("json/errors", changed(raw, schema_id=999), {"UnknownSchema": 999})
        mismatch = {"BodyTypeMismatch": {"expected": 5, "actual": "observation.test.v1"}}
        client.refused("json/errors", changed(raw, schema_id=5), mismatch)
        expiry = {"InvalidExpiry": {"created_at_ms": U64_MAX, "ttl_ms": 30_000}}
        client.refused("json/errors", changed(raw, created_at_ms=U64_MAX), expiry)
        client.refused("json/errors", changed(raw, created_at_ms=1), "MessageExpired")
        same("what is heard", [], client.fence())
        client.published("json/errors", as_json(raw))
        client.message(1, raw)


@scenario
def json_errors_without_a_form_are_forbidden_by_name(world):
    """Ruling 16: `{"Forbidden":"<Name>: ..."}`."""
    with JsonClient(world.socket) as client:
        raw = message({})
        client.forbidden("json/errors", changed(raw, header_version=1), "UnsupportedVersion")
        client.forbidden("json/errors", changed(raw, header_len=65), "UnsupportedVersion")
        client.forbidden("json/errors", changed(raw, flags=1), "InvalidHeaderFlags")
        client.forbidden("json/errors", as_json(encode(1, b"\xc1")), "BodyDecodeError")
        client.forbidden("json/errors", as_json(encode(1, b"")), "BodyDecodeError")
        client.forbidden("json/errors", changed(raw, body_len=8 * 1024 * 1024 + 1), "BodyTooLarge")
        client.forbidden("json//errors", as_json(raw), "InvalidTopic")
        client.published("json/errors", as_json(raw))


@scenario
def json_kind_is_always_agent(world):
    """The facts and ruling 16: whatever it says of itself."""
    for kind in ("Agent", "Ui", "Tui"):
        with JsonClient(world.socket, kind) as client:
            client.forbidden("action.decision", as_json(message({}, 3006, "toolresult.action.decision.v1")))
            client.forbidden("anywhere", as_json(message({}, 3006, "toolresult.action.decision.v1")))
            client.forbidden("rlp/sys/x", as_json(message({})))
            client.forbidden("rlp/ctrl", as_json(message({}, 2002, "toolresult.ctrl.response.v1")))
            client.published("rlp/ctrl", as_json(message({}, 2001, "intent.ctrl.request.v1")))


@scenario
def json_duplicates_are_ok_and_noticed(world):
    """Section 5 in this dialect."""
    with JsonClient(world.socket) as client, world.agent() as watcher:
        watcher.subscribe(1, DROPS)
        client.subscribe(1, "json/twice")
        raw = message({})
        client.published("json/twice", as_json(raw))
        client.published("json/twice", as_json(raw))
        same("how many are heard", 1, len(client.fence()))
        check(notice(watcher, "json/twice")[0], "duplicate", raw)


@scenario
def a_trace_id_is_a_number_of_128_bits(world):
    """Ruling 16."""
    with JsonClient(world.socket) as client, world.agent() as binary:
        client.subscribe(1, "json/trace")
        binary.subscribe(1, "json/trace")
        for trace in (0, 1, 2**53 + 1, 2**63, 2**64 - 1, 2**64, 2**127 + 12_345, 2**128 - 1):
            raw = message({}, trace_id=trace.to_bytes(16, "big"))
            client.published("json/trace", as_json(raw))
            client.message(1, raw)
            same_bytes("the frame", raw, binary.delivery().raw)


@scenario
def a_message_crosses_from_json_to_binary(world):
    """Ruling 16: a Publish becomes the frame that its header and body say."""
    with JsonClient(world.socket) as publisher, world.agent() as subscriber:
        subscriber.subscribe(2, "cross/*")
        for size in (0, 1, 300, 70_000):
            raw = message(random.Random(size).randbytes(size), ttl_ms=600_000)
            publisher.published("cross/a", as_json(raw))
            got = subscriber.delivery()
            same("sub and topic", (2, "cross/a"), (got.sub, got.topic))
            same_bytes("the frame", raw, got.raw)


@scenario
def a_message_crosses_from_binary_to_json(world):
    """Ruling 16, the other way."""
    with world.agent() as publisher, JsonClient(world.socket) as subscriber:
        subscriber.subscribe(2, "cross/*")
        for size in (0, 1, 300, 70_000):
            raw = message(random.Random(size).randbytes(size), ttl_ms=600_000)
            publisher.published("cross/b", raw)
            subscriber.message(2, raw)


@scenario
def a_message_that_does_not_fit_one_unit_is_dropped_for_that_subscriber(world):
    """Ruling 16: 4 MiB of bytes are some 16 MiB of JSON."""
    with world.agent() as publisher, JsonClient(world.socket) as narrow, world.agent() as wide:
        narrow.subscribe(1, "cross/large")
        wide.subscribe(1, "cross/large")
        large, small = message(b"\xff" * 4 * 1024 * 1024), message({})
        for raw in (large, small):
            publisher.published("cross/large", raw)
            same_bytes("the frame", raw, wide.delivery().raw)
        narrow.message(1, small)


@scenario
def a_json_unit_may_be_as_long_as_the_facts_say(world):
    """The facts: 4 + 64 + 8 MiB, and one byte more ends the connection."""
    with JsonClient(world.socket) as client:
        client.subscribe(1, "json/long")
        raw = message({})
        text = unit({"Publish": {"id": 900, "topic": "json/long", "message": as_json(raw)}})[4:]
        client.send(unit(text.ljust(UNIT_BYTES_MAX)))
        client.acked("PublishAck", 900, {"Ok": None})
        client.message(1, raw)
        try:
            client.send(PREFIX.pack(UNIT_BYTES_MAX + 1) + b'{"Publish"')
            client.socket.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass
        client.closed()
    with world.wire() as wire:
        wire.send(PREFIX.pack(UNIT_BYTES_MAX + 1) + b'{"Hello"')
        while wire.fill():
            pass
    world.alive()


@scenario
def json_comes_byte_by_byte(world):
    """A stream has no edges of its own."""
    raw = message({})
    with world.wire() as wire:
        said = {"Publish": {"id": 2, "topic": "json/split", "message": as_json(raw)}}
        for byte in (
            unit({"Hello": {"kind": "Agent"}}) + unit({"Subscribe": {"id": 1, "topic": "json/split", "sub_id": 4}}) + unit(said)
        ):
            wire.send(bytes([byte]))
        same_bytes("HelloAck", unit("HelloAck"), wire.unit())
        same_bytes("SubscribeAck", unit({"SubscribeAck": {"id": 1, "result": {"Ok": None}}}), wire.unit())
        expected = {unit({"PublishAck": {"id": 2, "result": {"Ok": None}}}), unit({"Message": {"sub_id": 4, "message": as_json(raw)}})}
        same("the rest", expected, {wire.unit(), wire.unit()})


@scenario
def json_in_other_spellings_is_read(world):
    """JSON is a value, not its bytes: spaces, order of keys, escapes."""
    raw = message({})
    with JsonClient(world.socket) as client:
        client.send(unit(b'{ "Subscribe" : { "sub_id" : 4 , "topic" : "json\\/sp\\u0065lt" , "id" : 70 } }'))
        client.acked("SubscribeAck", 70, {"Ok": None})
        said = as_json(raw)
        header = dict(reversed(list(said["header"].items())))
        text = json.dumps({"Publish": {"message": {"body": said["body"], "header": header}, "topic": "json/spelt", "id": 71}}, indent=2)
        client.send(unit(text.encode()))
        client.acked("PublishAck", 71, {"Ok": None})
        client.message(4, raw)


@scenario
def json_that_is_none_ends_its_connection_only(world):
    """Whatever comes, nothing is delivered and the others go on."""
    raw = message({})
    bad = [
        b'{"Publish":',
        b"{}",
        b'{"Shout":{}}',
        b'"HelloAck"',
        b'{"Subscribe":{"id":1}}',
        json.dumps({"Publish": {"id": 1, "topic": "json/bad", "message": changed(raw, trace_id=2**128)}}).encode(),
        json.dumps({"Publish": {"id": 1, "topic": "json/bad", "message": changed(raw, msg_id=-1)}}).encode(),
        json.dumps({"Publish": {"id": 1, "topic": "json/bad", "message": as_json(raw) | {"body": [256]}}}).encode(),
        b'{"Publish":' * 2_000,
        b"[" * 100_000,
        b'{"\xff":1}',
    ]
    with world.agent() as hearer:
        hearer.subscribe(1, "json/bad")
        for text in bad:
            for first in (True, False):
                with world.wire() if first else JsonClient(world.socket) as wire:
                    try:
                        wire.send(unit(text))
                        wire.socket.shutdown(socket.SHUT_WR)
                        while wire.fill():
                            pass
                    except (BrokenPipeError, ConnectionResetError):
                        pass
        same("what is heard", [], hearer.fence())
    world.alive()


@scenario
def a_connection_keeps_its_dialect_apart(world):
    """The facts: the first byte after the length tells; two connections of both kinds at once do not mix."""
    with JsonClient(world.socket) as one, world.agent() as two:
        one.subscribe(1, "apart")
        two.subscribe(1, "apart")
        raws = [message({"n": n}) for n in range(200)]
        for n, raw in enumerate(raws):
            if n % 2:
                one.published("apart", as_json(raw))
            else:
                two.published("apart", raw)
        same("the binary one's", raws, [each.raw for each in two.fence()])
        for raw in raws:
            one.message(1, raw)


@scenario
def json_first_unit_must_be_hello(world):
    """The facts: Hello first; what comes instead ends the connection without effect."""
    raw = message({})
    with world.agent() as hearer:
        hearer.subscribe(1, "json/first")
        for first in (
            {"Publish": {"id": 1, "topic": "json/first", "message": as_json(raw)}},
            {"Subscribe": {"id": 1, "topic": "json/first", "sub_id": 1}},
        ):
            with world.wire() as wire:
                wire.send(unit(first))
                wire.socket.shutdown(socket.SHUT_WR)
                while wire.fill():
                    pass
        same("what is heard", [], hearer.fence())
