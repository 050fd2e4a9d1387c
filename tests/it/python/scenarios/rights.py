"""Who may publish and hear what (ruling 6, section 11)."""

import uuid

from rmp_client import Client, control, fresh_trace, holds, message, read_control, same, same_bytes

from . import scenario

RUN = f"rlp/runs/trace:{uuid.UUID(int=7)}"
OBSERVATION = (1, "observation.test.v1")
DECISION = (3006, "toolresult.action.decision.v1")
CTRL_REQ = (2001, "intent.ctrl.request.v1")
CTRL_RESP = (2002, "toolresult.ctrl.response.v1")
OPERATOR_RESP = (0x81, "toolresult.operator.response.v1")
TAP_ENTRY = (0x82, "observation.tap.entry.v1")
RUN_EVENT = (8, "observation.run.event.v1")
NOTICE = (3007, "error.bus.drop.notice.v1")
METRICS = (3001, "observation.metrics.snapshot.v1")

STATION_ONLY = [
    ("rlp/sys/x", OBSERVATION),
    ("rlp/sys/drops", NOTICE),
    ("rlp/sys/drops/bodies", OBSERVATION),
    ("rlp/sys/metrics", METRICS),
    ("rlp/sys/tap", TAP_ENTRY),
    ("rlp/sys/a/b/c", OBSERVATION),
    ("rlp/ctrl", CTRL_RESP),
    ("anywhere", CTRL_RESP),
    ("rlp/operator", OPERATOR_RESP),
    ("anywhere", OPERATOR_RESP),
    ("anywhere", TAP_ENTRY),
    ("anywhere", RUN_EVENT),
    (f"{RUN}/events", RUN_EVENT),
    (f"{RUN}/events", OBSERVATION),
    (f"{RUN}/mplp", OBSERVATION),
]
DECISIONS = [("action.decision", DECISION), ("action.decision", OBSERVATION), ("anywhere", DECISION)]
FREE = [
    ("anywhere", OBSERVATION),
    ("agent/mailer", (4000, "intent.executor.agent.request.v1")),
    (f"{RUN}/agents/mailer/1", (4001, "toolresult.executor.agent.response.v1")),
    (f"{RUN}/agents/mailer/1/progress", (1, "observation.progress.v1")),
    ("rlp/ctrl", CTRL_REQ),
    ("rlp/sysx/y", OBSERVATION),
    ("sys/drops", OBSERVATION),
]


def sent(of):
    schema_id, kind = of
    return message({}, schema_id, kind)


def all_refused(client, cases):
    for topic, of in cases:
        try:
            client.error(client.publish(topic, sent(of)), "Forbidden")
        except Exception as error:
            raise type(error)(f"{client.kind} publishes {of} on {topic}: {error}") from error


def all_taken(client, cases):
    for topic, of in cases:
        try:
            client.published(topic, sent(of))
        except Exception as error:
            raise type(error)(f"{client.kind} publishes {of} on {topic}: {error}") from error


@scenario
def an_agent_may_not_publish_what_is_the_stations(world):
    with world.agent() as client, world.agent() as hearer:
        hearer.subscribe(1, "**")
        all_refused(client, STATION_ONLY)
        got = [each.topic for each in hearer.fence() if each.topic not in ("rlp/sys/metrics",)]
        same("what is heard", [], got)


@scenario
def an_agent_may_not_decide(world):
    """Section 11: action.decision is for ui and tui."""
    with world.agent() as client:
        all_refused(client, DECISIONS)


@scenario
def an_agent_may_publish_all_else(world):
    with world.agent() as client:
        all_taken(client, FREE)


@scenario
def an_operator_may_decide_and_is_no_station(world):
    """Ruling 6: ui and tui."""
    for kind in ("ui", "tui"):
        with world.operator(kind) as client:
            same("the kind", kind, client.kind)
            all_taken(client, DECISIONS)
            all_refused(client, STATION_ONLY)
            all_taken(client, FREE)


@scenario
def a_viewer_reads_only(world):
    """Ruling 6: the read-only token."""
    with Client(world.socket, kind="viewer", token=world.token("viewer")) as viewer, world.agent() as publisher:
        same("the kind", "viewer", viewer.kind)
        all_refused(viewer, STATION_ONLY + DECISIONS + FREE)
        viewer.subscribe(1, "seen").subscribe(2, "rlp/sys/drops/bodies")
        raw, late = message({}), message({}, created_at_ms=1)
        publisher.published("seen", raw)
        publisher.error(publisher.publish("seen", late), "Expired")
        got = viewer.fence()
        same("what is heard", [(1, raw), (2, late)], [(each.sub, each.raw) for each in got])


@scenario
def a_cue_submits_runs_only(world):
    """Ruling 6: the cue token may enqueue invocations and submit runs, nothing else."""
    with Client(world.socket, kind="cue", token=world.token("cue")) as cue:
        same("the kind", "cue", cue.kind)
        all_refused(cue, STATION_ONLY + DECISIONS + [("anywhere", OBSERVATION), ("agent/mailer", OBSERVATION)])
        trace = fresh_trace()
        run = {"RunSubmit": {"request_id": trace, "opening_yaml": "version: 0\nname: x\nnodes: []\nedges: []\n"}}
        cue.published("rlp/ctrl", message(run, *CTRL_REQ, trace_id=trace, ttl_ms=30_000))


@scenario
def a_token_decides_the_kind(world):
    """Ruling 6: with the operator token ui or tui as asked, with the others what they stand for."""
    for name, asked, kind in [
        ("operator", "ui", "ui"),
        ("operator", "tui", "tui"),
        ("viewer", "tui", "viewer"),
        ("cue", "tui", "cue"),
    ]:
        with Client(world.socket, kind=asked, token=world.token(name)) as client:
            same(f"the kind of the {name} token, {asked} asked", kind, client.kind)


@scenario
def nobody_becomes_a_station(world):
    """Ruling 6: a socket client is an agent without a token, whatever it asks for."""
    for asked in ("station", "viewer", "cue", "Station"):
        with world.wire() as wire:
            wire.send(control("Hello", {"v": 1, "client": "x", "kind": asked}))
            variant, fields = read_control(wire.unit())
            holds(f"{asked} is refused or an agent", variant == "Error" or fields["kind"] == "agent", (variant, fields))


@scenario
def the_tap_is_for_operators(world):
    """Ruling 6: `rlp/sys/tap` is delivered to ui, tui and viewer only, wildcards included; ruling 17 its form."""
    with world.operator() as operator, world.agent() as agent:
        operator.subscribe(1, "rlp/sys/tap")
        agent.subscribe(1, "rlp/sys/**").subscribe(2, "**")
        begun = operator.delivery().frame.payload
        agent.published("noise", message({}))
        at, seen = begun["first"] + begun["count"], b""
        while b"noise" not in seen:
            got = operator.delivery()
            same("the topic", "rlp/sys/tap", got.topic)
            frame, payload = got.frame, got.frame.payload
            same("the schema", (0x82, "observation.tap.entry.v1"), (frame.schema_id, frame.body["type"]))
            same("v and keys", (1, {"v", "first", "count", "entries"}), (payload["v"], set(payload)))
            same("one follows the other", at, payload["first"])
            same("a batch without entries holds nothing", payload["count"] == 0, payload["entries"] == b"")
            at, seen = payload["first"] + payload["count"], seen + payload["entries"]
        holds("an agent hears none", all(each.topic != "rlp/sys/tap" for each in agent.fence()))


@scenario
def a_token_is_not_in_the_tap(world):
    """Hello's token is masked in what is recorded and shown."""
    token = world.token("operator").encode()
    with world.operator() as reader:
        reader.subscribe(1, "rlp/sys/tap")
        reader.delivery()
        with world.operator() as another:
            another.published("noise", message("a mark of its own"))
        entries = b""
        while b"a mark of its own" not in entries:
            entries += reader.delivery().frame.payload["entries"]
        holds("the token is masked", token not in entries)


@scenario
def a_run_topics_reply_is_heard(world):
    """Section 9.1: a reply topic below a run's topics."""
    with world.agent() as executor, world.agent() as agent:
        topic = f"{RUN}/agents/mailer/{uuid.uuid4()}"
        executor.subscribe(1, topic)
        raw = message({"Failed": {"retryable": False, "reason": "timeout"}}, 4001, "toolresult.executor.agent.response.v1")
        agent.published(topic, raw)
        same_bytes("the reply", raw, executor.delivery().raw)
