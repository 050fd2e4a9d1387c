"""A client of the bus, written from the specification's text alone: rmp-v0, the registry's facts and the rulings on RMP.

It shares no code with the crate. Frames are checked in the order of ruling 3, and whatever the broker sends must itself pass.
"""

import hashlib
import itertools
import os
import socket
import struct
import time
from collections import deque
from dataclasses import dataclass, field

import msgpack

HEADER = struct.Struct(">4sHHIHHIQQ16sQI")
PREFIX = struct.Struct(">I")
MAGIC = b"RMP0"
BODY_BYTES_MAX = 8 * 1024 * 1024
U64_MAX = 2**64 - 1

CONTROL = 9
CONTROL_TYPE = "intent.control.v1"
CONTROL_TTL_MS = 30_000
PATIENCE_S = 60.0

# The registry: ids that leave kind and version open, by family, and ids that fix the whole type.
GENERIC = {1: "observation", 2: "intent", 4: "toolresult", 5: "artifact", 6: "critique", 7: "statedelta", 10: "error"}
FIXED = {
    3: "intent.tool_call.v1",
    8: "observation.run.event.v1",
    9: CONTROL_TYPE,
    100: "observation.agent.hello.v1",
    101: "observation.runtime.hello.v1",
    102: "intent.init.v1",
    110: "intent.hostcall.request.v1",
    111: "toolresult.hostcall.response.v1",
    0x80: "intent.operator.request.v1",
    0x81: "toolresult.operator.response.v1",
    0x82: "observation.tap.entry.v1",
    0x83: "observation.mplp.event.v1",
    200: "intent.contacts.resolve.v1",
    201: "toolresult.contacts.resolved.v1",
    210: "intent.context.gather.v1",
    211: "observation.context.bundle.v1",
    220: "intent.draft.write.v1",
    221: "artifact.draft.email.v1",
    230: "intent.review.draft.v1",
    231: "critique.review.v1",
    240: "intent.send.mail.v1",
    241: "toolresult.mail.result.v1",
    2001: "intent.ctrl.request.v1",
    2002: "toolresult.ctrl.response.v1",
    3001: "observation.metrics.snapshot.v1",
    3002: "observation.opening.event.v1",
    3003: "observation.trace.line.v1",
    3004: "observation.agent.log.v1",
    3005: "intent.action.request.v1",
    3006: "toolresult.action.decision.v1",
    3007: "error.bus.drop.notice.v1",
    4000: "intent.executor.agent.request.v1",
    4001: "toolresult.executor.agent.response.v1",
}

CONTROL_FIELDS = {
    "Welcome": {"session", "kind", "body_bytes_max", "server"},
    "Ok": {"re"},
    "Error": {"re", "code", "message"},
    "Deliver": {"sub", "topic"},
    "Pong": set(),
}


class Fault(Exception):
    """A frame is not what the specification asks for; `code` is a name of section 7."""

    def __init__(self, code, detail=""):
        super().__init__(f"{code}: {detail}")
        self.code = code


class Differs(Exception):
    """The broker did something else than the specification says."""


def now_ms():
    return time.time_ns() // 1_000_000


@dataclass
class Frame:
    """One frame as it crossed the wire: its bytes with the prefix, its header's fields and its body."""

    raw: bytes
    schema_id: int
    created_at_ms: int
    ttl_ms: int
    trace_id: bytes
    msg_id: int
    body: dict = field(repr=False)

    @property
    def payload(self):
        return self.body["payload"]


def encode(schema_id, body, *, created_at_ms=None, ttl_ms=30_000, trace_id=bytes(16), msg_id=0, **raw):
    """One frame. `body` is a map or the bytes of one; `raw` sets single fields to what they must not be."""
    if not isinstance(body, bytes):
        body = msgpack.packb(body, use_bin_type=True)
    header = HEADER.pack(
        raw.get("magic", MAGIC),
        raw.get("header_version", 0),
        raw.get("header_len", 64),
        raw.get("flags", 0),
        schema_id,
        raw.get("reserved2", 0),
        raw.get("body_len", len(body)),
        now_ms() if created_at_ms is None else created_at_ms,
        ttl_ms,
        trace_id,
        msg_id,
        raw.get("reserved4", 0),
    )
    return PREFIX.pack(raw.get("frame_len", len(header) + len(body))) + header + body


def decode(raw, now=None, body_bytes_max=BODY_BYTES_MAX):
    """Reads one frame with its prefix; the checks are in the order of ruling 3. Expiry is judged when `now` is given."""
    (frame_len,) = PREFIX.unpack_from(raw)
    frame = raw[4:]
    if frame_len < 64 or len(frame) < 64:
        raise Fault("TruncatedHeader", f"{min(frame_len, len(frame))} of 64 bytes")
    magic, version, header_len, flags, schema_id, reserved2, body_len, created, ttl, trace_id, msg_id, reserved4 = (
        HEADER.unpack_from(frame)
    )
    if magic != MAGIC:
        raise Fault("InvalidMagic", magic.hex())
    if (version, header_len) != (0, 64):
        raise Fault("UnsupportedVersion", f"version {version}, header_len {header_len}")
    if flags or reserved2 or reserved4:
        raise Fault("InvalidHeaderFlags", f"{flags:#x} {reserved2:#x} {reserved4:#x}")
    if body_len > body_bytes_max:
        raise Fault("BodyTooLarge", str(body_len))
    if frame_len != header_len + body_len or len(frame) != frame_len:
        raise Fault("LengthMismatch", f"frame_len {frame_len}, header_len {header_len}, body_len {body_len}")
    if schema_id not in GENERIC and schema_id not in FIXED:
        raise Fault("UnknownSchema", str(schema_id))
    if ttl == 0:
        raise Fault("InvalidTtl")
    if created + ttl > U64_MAX:
        raise Fault("InvalidExpiry", f"{created} + {ttl}")
    body = decode_body(frame[64:])
    if not fits(schema_id, body["type"]):
        raise Fault("BodyTypeMismatch", f"schema {schema_id}, type {body['type']!r}")
    if now is not None and now >= created + ttl:
        raise Fault("Expired", f"{now} >= {created + ttl}")
    return Frame(raw, schema_id, created, ttl, trace_id, msg_id, body)


def decode_body(data):
    """The envelope. A payload may hold what Python's dictionaries and strings do not: that is no fault."""

    def as_map(pairs):
        return {key: value for key, value in pairs if not isinstance(key, (dict, list))}

    try:
        body = msgpack.unpackb(
            data,
            raw=False,
            strict_map_key=False,
            unicode_errors="surrogateescape",
            object_pairs_hook=as_map,
            ext_hook=lambda code, content: (code, content),
        )
    except Exception as error:
        raise Fault("BodyDecodeError", repr(error)) from error
    if not isinstance(body, dict) or "payload" not in body or not isinstance(body.get("type"), str):
        raise Fault("BodyDecodeError", "not a map with type and payload")
    if any("\ud800" <= sign <= "\udfff" for sign in body["type"]):
        raise Fault("BodyDecodeError", "type is not UTF-8")
    return body


def fits(schema_id, name):
    """Whether the registry allows this type for the id."""
    labels = name.split(".")
    version = labels[-1]
    parses = len(labels) >= 3 and all(labels) and version[0] == "v" and version[1:].isdigit() and version.isascii()
    if schema_id in FIXED:
        return name == FIXED[schema_id]
    return parses and labels[0] == GENERIC[schema_id]


def hexdump(data, at, span=16):
    start = max(0, at - span)
    return f"[{start:#06x}..] {data[start : at + span].hex(' ')}"


def same_bytes(what, expected, got):
    """Both are equal, or the message says where they part."""
    if expected == got:
        return
    at = next((i for i, (a, b) in enumerate(zip(expected, got)) if a != b), min(len(expected), len(got)))
    raise Differs(
        f"{what}: bytes differ at {at:#x} (expected {len(expected)}, got {len(got)} bytes)\n"
        f"  expected {hexdump(expected, at)}\n  got      {hexdump(got, at)}"
    )


def same(what, expected, got):
    if expected != got:
        raise Differs(f"{what}: expected {expected!r}, got {got!r}")


def holds(what, condition, got=None):
    if not condition:
        raise Differs(f"{what}: does not hold" + ("" if got is None else f", got {got!r}"))


@dataclass
class Delivery:
    """One message as the broker delivered it."""

    sub: int
    topic: str
    raw: bytes

    @property
    def frame(self):
        return decode(self.raw)


_ids = itertools.count(int.from_bytes(os.urandom(4), "big") + 1)


def fresh_id():
    """A msg_id that no other message of this process has."""
    return next(_ids)


def fresh_trace():
    return hashlib.sha256(os.urandom(16)).digest()[:16]


def message(payload, schema_id=1, kind="observation.test.v1", **header):
    """A message's frame, by default an observation with ids of its own."""
    header.setdefault("msg_id", fresh_id())
    header.setdefault("trace_id", fresh_trace())
    return encode(schema_id, {"type": kind, "payload": payload}, **header)


def control(variant, fields, **header):
    """A control frame of ruling 1."""
    header.setdefault("ttl_ms", CONTROL_TTL_MS)
    header.setdefault("msg_id", fresh_id())
    return encode(CONTROL, {"type": CONTROL_TYPE, "payload": {variant: fields}}, **header)


class Wire:
    """A connection to the socket, without a word said."""

    def __init__(self, path, patience_s=PATIENCE_S):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(patience_s)
        self.socket.connect(path)
        self.buffer = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def fill(self):
        """Reads what is there; false at the end of the stream."""
        try:
            data = self.socket.recv(1 << 18)
        except ConnectionResetError:
            return False
        except TimeoutError as error:
            raise Differs(f"nothing came, and {len(self.buffer)} bytes wait: {bytes(self.buffer[:64]).hex(' ')}") from error
        self.buffer += data
        return bool(data)

    def unit(self):
        """The next unit with its prefix; nothing at the end of the stream."""
        while len(self.buffer) < 4 or len(self.buffer) < 4 + PREFIX.unpack_from(self.buffer)[0]:
            if not self.fill():
                if self.buffer:
                    raise Differs(f"the stream ends within a unit: {bytes(self.buffer[:64]).hex(' ')}")
                return None
        end = 4 + PREFIX.unpack_from(self.buffer)[0]
        unit = bytes(self.buffer[:end])
        del self.buffer[:end]
        return unit

    def closed(self):
        """The broker closes, and says nothing more."""
        unit = self.unit()
        holds("the broker closes", unit is None, unit and unit[:200])


class Client(Wire):
    """A client of the binary dialect."""

    def __init__(self, path, kind="agent", token=None, patience_s=PATIENCE_S):
        super().__init__(path, patience_s)
        self.deliveries = deque()
        fields = {"v": 1, "client": "rmp_client.py", "kind": kind}
        if token is not None:
            fields["token"] = token
        self.control("Hello", fields)
        self.welcome = self.expect("Welcome")
        self.kind = self.welcome["kind"]

    def control(self, variant, fields, **header):
        """Sends a control frame; its msg_id."""
        msg_id = header.setdefault("msg_id", fresh_id())
        self.send(control(variant, fields, **header))
        return msg_id

    def publish(self, topic, raw, ack=True):
        """Sends a Publish with its message; the msg_id that is answered."""
        msg_id = fresh_id()
        self.send(control("Publish", {"topic": topic, "ack": ack}, msg_id=msg_id) + raw)
        return msg_id

    def next(self):
        """The next control frame as (variant, fields), or a delivery; nothing at the end of the stream."""
        raw = self.unit()
        if raw is None:
            return None
        variant, fields = read_control(raw)
        if variant != "Deliver":
            return variant, fields
        raw = self.unit()
        holds("a Deliver is followed by its frame", raw is not None)
        return Delivery(fields["sub"], fields["topic"], raw)

    def answer(self):
        """The next control frame that is no delivery; those go to `deliveries`."""
        while True:
            unit = self.next()
            if not isinstance(unit, Delivery):
                return unit
            self.deliveries.append(unit)

    def expect(self, variant):
        answer = self.answer()
        if answer is None or answer[0] != variant:
            raise Differs(f"expected {variant}, got {answer!r}")
        return answer[1]

    def ok(self, re):
        answer = self.answer()
        same("the answer", ("Ok", {"re": re}), answer)

    def error(self, re, code):
        answer = self.answer()
        if answer is None or answer[0] != "Error":
            raise Differs(f"expected Error {code} re {re}, got {answer!r}")
        same("the error's re and code", (re, code), (answer[1]["re"], answer[1]["code"]))

    def delivery(self):
        """The next delivery; no answer may come before it."""
        if self.deliveries:
            return self.deliveries.popleft()
        unit = self.next()
        holds("a delivery comes", isinstance(unit, Delivery), unit)
        return unit

    def subscribe(self, sub, topic):
        self.ok(self.control("Subscribe", {"sub": sub, "topic": topic}))
        return self

    def unsubscribe(self, sub):
        self.ok(self.control("Unsubscribe", {"sub": sub}))

    def published(self, topic, raw):
        """Publishes and sees the Ok."""
        self.ok(self.publish(topic, raw))

    def fence(self):
        """Everything that was delivered before a Pong, station topics apart from what was asked for."""
        self.control("Ping", {})
        same("the answer to a Ping", ("Pong", {}), self.answer())
        taken, self.deliveries = list(self.deliveries), deque()
        return taken


def read_control(raw):
    """The variant and fields of a broker's control frame, which must be sound itself."""
    try:
        frame = decode(raw, now=now_ms())
    except Fault as fault:
        raise Differs(f"a frame of the broker is not sound: {fault}\n  {raw[:200].hex(' ')}") from fault
    same("the schema of a control frame", CONTROL, frame.schema_id)
    payload = frame.payload
    holds("the payload is externally tagged", isinstance(payload, dict) and len(payload) == 1, payload)
    ((variant, fields),) = payload.items()
    holds("a control frame of the broker", variant in CONTROL_FIELDS, variant)
    same(f"the fields of {variant}", CONTROL_FIELDS[variant], set(fields))
    return variant, fields
