"""What the station itself publishes and answers: metrics and operator requests."""

import json

from rmp_client import decode, fresh_trace, holds, message, now_ms, same

from . import scenario

OPERATOR = "rlp/operator"
REQUEST = (0x80, "intent.operator.request.v1")


@scenario
def metrics_come_each_second(world):
    """The facts' CT_METRICS_SNAPSHOT on `rlp/sys/metrics`, for anybody. Takes over three seconds."""
    with world.agent() as client:
        client.subscribe(1, "rlp/sys/metrics")
        seen = []
        while len(seen) < 4:
            delivery = client.delivery()
            frame = decode(delivery.raw, now=now_ms())
            same("schema and type", (3001, "observation.metrics.snapshot.v1"), (frame.schema_id, frame.body["type"]))
            keys = {"v", "scope", "ts_ms", "interval_ms", "labels", "gauges", "counters"}
            same("the keys", keys, set(frame.payload))
            same("v and scope", (1, "system"), (frame.payload["v"], frame.payload["scope"]))
            holds("maps", all(isinstance(frame.payload[key], dict) for key in ("labels", "gauges", "counters")), frame.payload)
            seen.append(frame.payload)
        for before, after in zip(seen, seen[1:]):
            holds("a second apart", 500 < after["ts_ms"] - before["ts_ms"] < 2_500, after["ts_ms"] - before["ts_ms"])
            same("the counters", set(before["counters"]), set(before["counters"]) & set(after["counters"]))
            for key, value in before["counters"].items():
                holds(f"{key} does not go down", after["counters"][key] >= value, (value, after["counters"][key]))
        numbers = [*seen[-1]["gauges"].values(), *seen[-1]["counters"].values()]
        holds("figures are numbers", numbers and all(isinstance(each, (int, float)) for each in numbers), numbers)


def ask(client, request):
    """Asks over the bus, and gathers the answer's parts."""
    trace = fresh_trace()
    raw = message({"v": 1, "json": json.dumps(request)}, *REQUEST, trace_id=trace)
    client.published(OPERATOR, raw)
    parts = []
    while True:
        delivery = client.delivery()
        same("the topic", OPERATOR, delivery.topic)
        frame = decode(delivery.raw, now=now_ms())
        same("schema and type", (0x81, "toolresult.operator.response.v1"), (frame.schema_id, frame.body["type"]))
        same("the trace", trace, frame.trace_id)
        payload = frame.payload
        same("v and part", (1, len(parts)), (payload["v"], payload["part"]))
        holds("at most 256 KiB a part", len(delivery.raw) <= 256 * 1024 + 1_024, len(delivery.raw))
        parts.append(payload.get("json", payload.get("snapshot")))
        if len(parts) == payload["parts"]:
            joiner = "" if isinstance(parts[0], str) else b""
            return payload, joiner.join(parts)


@scenario
def an_operator_asks_over_the_bus(world):
    """Rulings 6 and 17: asked and answered on `rlp/operator`, to the asking session alone."""
    with world.operator() as asking, world.operator("ui") as other, world.agent() as agent:
        for client in (asking, other, agent):
            client.control("Subscribe", {"sub": 1, "topic": OPERATOR})
            variant, fields = client.answer()
            holds("an operator may subscribe", variant == "Ok" or client is agent, fields)
        agent.subscribe(2, "**")
        payload, whole = ask(asking, "snapshot")
        holds("a snapshot comes", "snapshot" in payload and len(whole) > 0, payload.keys())
        for client in (other, agent):
            heard = [each.topic for each in client.fence() if each.topic == OPERATOR]
            same(f"what a {client.kind} hears of it", [], heard)
        payload, whole = ask(asking, {"no such": "request"})
        holds("a request that is none is answered", "json" in payload and isinstance(json.loads(whole), (dict, str)), whole)


@scenario
def a_request_that_is_repeated_is_asked_once(world):
    """Section 5: a duplicate is answered Ok and not delivered to the station again."""
    with world.operator() as asking:
        asking.subscribe(1, OPERATOR)
        raw = message({"v": 1, "json": '"snapshot"'}, *REQUEST, trace_id=fresh_trace())
        asking.published(OPERATOR, raw)
        payload = {"part": 0, "parts": 2}
        while payload["part"] + 1 < payload["parts"]:
            payload = asking.delivery().frame.payload
        for _ in range(3):
            asking.published(OPERATOR, raw)
        same("answers to the copies", [], [each.topic for each in asking.fence() if each.topic == OPERATOR])


@scenario
def an_agent_may_not_ask(world):
    """Ruling 6: what an operator may."""
    with world.agent() as agent:
        agent.error(agent.publish(OPERATOR, message({"v": 1, "json": '"snapshot"'}, *REQUEST)), "Forbidden")


@scenario
def the_stations_ids_never_meet_a_clients(world):
    """Ruling 7: msg_ids of the station start at start-up time in microseconds, and go up."""
    with world.agent() as client:
        client.subscribe(1, "rlp/sys/metrics")
        ids = [client.delivery().frame.msg_id for _ in range(2)]
        holds("about now in microseconds", abs(ids[0] / 1_000 - now_ms()) < 7 * 86_400_000, ids[0])
        holds("they go up", ids[1] > ids[0], ids)
