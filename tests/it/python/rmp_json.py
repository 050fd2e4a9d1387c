"""The JSON dialect that the tools in the field speak on the socket, from the facts' text alone."""

import json
from collections import deque

from rmp_client import HEADER, PREFIX, Differs, Wire, holds, message, same_bytes

UNIT_BYTES_MAX = 4 + 64 + 8 * 1024 * 1024
HEADER_KEYS = ["header_version", "header_len", "flags", "schema_id", "body_len", "created_at_ms", "ttl_ms", "trace_id", "msg_id"]


def unit(value):
    """One unit: a length and a JSON value, as compact as serde writes it."""
    text = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return PREFIX.pack(len(text)) + text


def as_json(raw):
    """The message of a frame as this dialect writes it, keys in the facts' order."""
    _, version, header_len, flags, schema_id, _, body_len, created, ttl, trace, msg_id, _ = HEADER.unpack_from(raw, 4)
    values = [version, header_len, flags, schema_id, body_len, created, ttl, int.from_bytes(trace, "big"), msg_id]
    return {"header": dict(zip(HEADER_KEYS, values)), "body": list(raw[68:])}


class JsonClient(Wire):
    """A client of the JSON dialect."""

    def __init__(self, path, kind="Agent"):
        super().__init__(path)
        self.ids = iter(range(1, 1 << 62))
        self.messages = deque()
        self.send(unit({"Hello": {"kind": kind}}))
        same_bytes("HelloAck", unit("HelloAck"), self.unit() or b"")

    def answer(self):
        """The next unit that is no Message, as its bytes; those go to `messages`."""
        while True:
            got = self.unit()
            if got is None or not got.startswith(b'{"Message":', 4):
                return got
            self.messages.append(got)

    def acked(self, what, number, result):
        same_bytes(what, unit({what: {"id": number, "result": result}}), self.answer() or b"")

    def publish(self, topic, said):
        number = next(self.ids)
        self.send(unit({"Publish": {"id": number, "topic": topic, "message": said}}))
        return number

    def published(self, topic, said):
        self.acked("PublishAck", self.publish(topic, said), {"Ok": None})

    def refused(self, topic, said, error):
        self.acked("PublishAck", self.publish(topic, said), {"Err": error})

    def forbidden(self, topic, said, name=None):
        """Refused by `{"Forbidden": "..."}`, with the name in front for what has no form of its own."""
        number = self.publish(topic, said)
        got = self.answer()
        holds("an answer comes", got is not None)
        value = json.loads(got[4:])
        error = value.get("PublishAck", {}).get("result", {}).get("Err", {})
        text = error.get("Forbidden") if isinstance(error, dict) else None
        if value["PublishAck"]["id"] != number or not isinstance(text, str) or name and not text.startswith(f"{name}: "):
            raise Differs(f"expected Forbidden {name or ''} for {number}, got {value!r}")

    def subscribe(self, sub, topic):
        number = next(self.ids)
        self.send(unit({"Subscribe": {"id": number, "topic": topic, "sub_id": sub}}))
        self.acked("SubscribeAck", number, {"Ok": None})
        return self

    def message(self, sub, raw):
        """The next message is this frame's, byte for byte."""
        got = self.messages.popleft() if self.messages else self.unit()
        expected = unit({"Message": {"sub_id": sub, "message": as_json(raw)}})
        same_bytes("the Message", expected, got or b"")

    def fence(self):
        """All messages that came before the answer to a publish of its own."""
        self.published("fence", as_json(message({})))
        taken, self.messages = list(self.messages), deque()
        return taken

