"""Frames made by chance: both sides must judge each alike, whatever is in it."""

import random

from msgpack import ExtType, Timestamp, packb
from rmp_client import FIXED, GENERIC, Differs, Fault, decode, encode, now_ms

from . import scenario
from .frames import FAULTS, GOLDEN, OTHER_WAYS, faulty

COUNT = 6_000
STATION_ONLY = (8, 2002, 0x81, 0x82, 3006)
IDS = [*GENERIC, *FIXED, 0, 11, 12, 15, 16, 999, 65_535]
TYPES = [family + ".x.v1" for family in GENERIC.values()] + list(FIXED.values())
TYPES += ["observation.v1", "observation.a.b.c.v12", "observation..v1", ".observation.x.v1", "observation.x.v1 ", "observation.x.V1"]
TYPES += ["observation.x.v", "observation.x.v01", "observation.x.v1a", "observation.x.v１", "Observation.x.v1", "error.ü.v1", "error.x.v0"]
TYPES += ["error.x.v" + "9" * 20, "", ".", "..", "...", "error...v1", "error.x..v1", "error.x.v+1", "error.X_y-z.v3", "error.x.v1."]


def a_value(noise, depth=0):
    kinds = [
        lambda: None,
        lambda: True,
        lambda: noise.randrange(-(2**63), 2**64),
        noise.random,
        lambda: "ü" * noise.randrange(40),
        lambda: noise.randbytes(noise.randrange(300)),
        lambda: ExtType(noise.randrange(128), noise.randbytes(noise.choice([1, 2, 4, 5, 8, 16, 300]))),
        lambda: Timestamp(noise.randrange(2**34), noise.randrange(10**9)),
        lambda: [a_value(noise, depth + 1) for _ in range(noise.randrange(20))],
        lambda: {noise.choice(["a", "b", 1, None, b"x", 2.5]): a_value(noise, depth + 1) for _ in range(noise.randrange(9))},
    ]
    return noise.choice(kinds[: 8 if depth > 3 else 10])()


def a_body(noise):
    body = {"type": noise.choice(TYPES), "payload": a_value(noise)}
    chance = noise.random()
    if chance < 0.1:
        del body[noise.choice(["type", "payload"])]
    elif chance < 0.15:
        body["type"] = a_value(noise)
    if noise.random() < 0.3:
        body[noise.choice(["meta", "x", 1])] = a_value(noise)
    entries = list(body.items())
    noise.shuffle(entries)
    return packb(dict(entries))


def mangle(noise, data):
    for _ in range(noise.randrange(1, 4)):
        at = noise.randrange(len(data))
        how = noise.randrange(4)
        if how < 2:
            data[at] = noise.randrange(256)
        elif how == 2:
            data.insert(at, noise.randrange(256))
        elif len(data) > 1:
            del data[at]
    return bytes(data)


def a_frame(noise):
    chance = noise.random()
    if chance < 0.1:
        raw = bytearray(GOLDEN)
        raw[noise.randrange(12, 164)] = noise.randrange(256)
    elif chance < 0.7:
        body = a_body(noise)
        if noise.random() < 0.3:
            body = mangle(noise, bytearray(body))
        created = noise.choice([1_000, 2**64 - 1, 2**63, now_ms(), now_ms(), now_ms()])
        raw = bytearray(encode(noise.choice(IDS), body, created_at_ms=created, ttl_ms=noise.choice([0, 30_000, 600_000, 2**63])))
    elif chance < 0.8:
        raw = bytearray(faulty(noise.choice(list(FAULTS.values())), noise.choice([fault for _, fault in OTHER_WAYS])))
    else:
        schema_id = noise.choice([*GENERIC, *FIXED])
        kind = FIXED.get(schema_id) or GENERIC[schema_id] + noise.choice([".x.v1", ".a.b.v2"])
        raw = bytearray(encode(schema_id, {"type": kind, "payload": a_value(noise)}, ttl_ms=600_000))
    if noise.random() < 0.1:
        raw[noise.randrange(12, 68)] ^= 1 << noise.randrange(8)
    keeps_the_stream = raw[4:12] == b"RMP0\0\0\0\x40" and int.from_bytes(raw[:4], "big") == len(raw) - 4
    return bytes(raw) if keeps_the_stream else a_frame(noise)


@scenario
def mangled_frames_are_judged_alike(world):
    """Rulings 2 and 3: the first fault by the ruled order, or none."""
    noise = random.Random(0x524D5030)
    with world.agent() as client:
        for number in range(COUNT):
            raw = a_frame(noise)
            try:
                expected, schema_id = {"Ok"}, decode(raw, now=now_ms()).schema_id
                expected = {"Forbidden"} if schema_id in STATION_ONLY else expected
            except Fault as fault:
                expected = {fault.code, "Forbidden"} if fault.code == "Expired" else {fault.code}
            re = client.publish("mangled", raw)
            variant, fields = client.answer()
            got = fields.get("code", variant)
            if got not in expected or fields["re"] != re:
                raise Differs(f"frame {number}: expected {expected}, got {variant} {fields}\n  {raw[:400].hex(' ')}")
        client.fence()
