#!/usr/bin/env python3
"""Runs scenarios of a second MACP client against a runtime: `scenarios.py ADDR SCENARIO`; `--list` names the scenarios.

Exit status 0 if all holds, 1 with what differs.
"""

import faulthandler
import shutil
import sys
import threading
import traceback
import uuid

sys.dont_write_bytecode = True

import grpc  # noqa: E402
from runtime import Differs, Runtime, generate, holds, same  # noqa: E402

SCENARIOS = {}
DECISION, ROUNDS = "macp.mode.decision.v1", "macp.mode.multi_round.v1"


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


def fresh():
    return f"py-{uuid.uuid4()}"


@scenario
def the_handshake_and_what_the_runtime_tells_of_itself(it):
    def initialize(versions):
        client = it.core.ClientInfo(name="python", version="1")
        return it.stub.Initialize(it.core.InitializeRequest(supported_protocol_versions=versions, client_info=client))

    answer = initialize(["0.9", "1.0"])
    same("the version", answer.selected_protocol_version, "1.0")
    same("the runtime", (answer.runtime_info.name, answer.runtime_info.version), ("macp-runtime", "0.2.0"))
    same("the modes", list(answer.supported_modes), [DECISION, ROUNDS])
    can = answer.capabilities
    told = (can.sessions.stream, can.cancellation.cancel_session, can.progress.progress, can.manifest.get_manifest)
    same("what it can", told, (True,) * 4)
    told = (can.mode_registry.list_modes, can.mode_registry.list_changed, can.roots.list_roots, can.roots.list_changed)
    same("what it lists", told, (True,) * 4)
    holds("there are no instructions", answer.instructions != "")
    for versions in ([], ["0.9"], ["v1"]):
        it.ends_with(grpc.StatusCode.INVALID_ARGUMENT, lambda versions=versions: initialize(versions))
    manifest = it.stub.GetManifest(it.core.GetManifestRequest()).manifest
    same("the manifest", (manifest.agent_id, manifest.title), ("macp-runtime", "MACP Coordination Runtime"))
    same("the manifest's modes", list(manifest.supported_modes), [DECISION, ROUNDS])
    decision, rounds = it.stub.ListModes(it.core.ListModesRequest()).modes
    same("the decision", (decision.mode, decision.mode_version, decision.participant_model), (DECISION, "1.0.0", "open"))
    same("its messages", list(decision.message_types), ["Proposal", "Evaluation", "Objection", "Vote", "Commitment"])
    same("its last", list(decision.terminal_message_types), ["Commitment"])
    same("the rounds", (rounds.mode, rounds.participant_model, list(rounds.message_types)), (ROUNDS, "closed", ["Contribute"]))
    same("the roots", len(it.stub.ListRoots(it.core.ListRootsRequest()).roots), 0)
    for watch in (
        lambda: list(it.stub.WatchModeRegistry(it.core.WatchModeRegistryRequest())),
        lambda: list(it.stub.WatchRoots(it.core.WatchRootsRequest())),
    ):
        it.ends_with(grpc.StatusCode.UNIMPLEMENTED, watch)


@scenario
def a_decision_from_its_start_to_its_commitment(it):
    session = fresh()
    versions = {"mode_version": "1", "configuration_version": "2", "policy_version": "3"}
    start = it.accepted(it.start(session, "decision", ["alice", "bob", "carol"], intent="deploy?", ttl_ms=600_000, **versions))
    # The decision's payloads are what its messages say, in the JSON of their fields.
    proposal = it.decision.ProposalPayload(proposal_id="p1", option="Deploy to production", rationale="All tests pass")
    fields = {field.name: value for field, value in proposal.ListFields()}
    it.accepted(it.send(session, "Proposal", "alice", fields))
    it.accepted(it.send(session, "Evaluation", "bob", {"proposal_id": "p1", "recommendation": "APPROVE", "confidence": 0.95}))
    it.accepted(it.send(session, "Objection", "carol", {"proposal_id": "p1", "severity": "high", "reason": "no review"}))
    vote = it.envelope(session, "Vote", "bob", {"proposal_id": "p1", "vote": "reject"})
    first = it.accepted(it.send_envelope(vote))
    again = it.accepted(it.send_envelope(vote), duplicate=True)
    same("the time of a duplicate", again.accepted_at_unix_ms, first.accepted_at_unix_ms)
    it.accepted(it.send(session, "Vote", "bob", {"proposal_id": "p1", "vote": "approve"}))
    metadata = it.session(session)
    same("it stands", (metadata.state, metadata.mode), (it.state("OPEN"), "decision"))
    same("its versions", (metadata.mode_version, metadata.configuration_version, metadata.policy_version), ("1", "2", "3"))
    same("it began", metadata.started_at_unix_ms, start.accepted_at_unix_ms)
    same("it may take", metadata.expires_at_unix_ms - metadata.started_at_unix_ms, 600_000)
    commitment = {"commitment_id": "c1", "action": "deploy-v2.1", "authority_scope": "team-alpha", "reason": "Unanimous"}
    it.accepted(it.send(session, "Commitment", "alice", commitment), "RESOLVED")
    it.refused(it.send(session, "Vote", "bob", {"vote": "approve"}), "SESSION_NOT_OPEN", "RESOLVED")
    it.accepted(it.send_envelope(vote), "RESOLVED", duplicate=True)
    it.accepted(it.cancel(session), "RESOLVED")
    same("it stands at last", it.session(session).state, it.state("RESOLVED"))


@scenario
def rounds_over_a_stream_until_all_agree(it):
    session, other = fresh(), fresh()
    payload = it.core.SessionStartPayload(participants=["alice", "bob"]).SerializeToString()
    say = lambda sender, value, **fields: it.envelope(session, "Contribute", sender, {"value": value}, **fields)  # noqa: E731
    envelopes = [
        it.envelope(session, "SessionStart", "alice", payload, mode="multi_round", message_id="start"),
        say("alice", "a", message_id="m1"),
        say("bob", "b", message_id="m2"),
        say("mallory", "a", message_id="m3"),
        say("bob", "b", message_id="m2"),
        it.envelope(other, "Contribute", "bob", {"value": "a"}, message_id="m4"),
        say("bob", "a", message_id="m5"),
        say("bob", "c", message_id="m6"),
    ]
    answers = list(it.stream(envelopes))
    ack = lambda state, duplicate=False: {"ok": True, "duplicate": duplicate, "session_state": state}  # noqa: E731
    expected = [
        ("Ack", "ack-start", session, ack("Open")),
        ("Ack", "ack-m1", session, ack("Open")),
        ("Ack", "ack-m2", session, ack("Open")),
        ("Error", "err-m3", session, "INVALID_ENVELOPE"),
        ("Ack", "ack-m2", session, ack("Open", True)),
        ("Error", "err-m4", other, "SESSION_NOT_FOUND"),
        ("Ack", "ack-m5", session, ack("Resolved")),
        ("Error", "err-m6", session, "SESSION_NOT_OPEN"),
    ]
    code = lambda answer: answer[:3] + (answer[3]["code"] if answer[0] == "Error" else answer[3],)  # noqa: E731
    same("the answers", [code(answer) for answer in answers], expected)
    same("it stands", it.session(session).state, it.state("RESOLVED"))


@scenario
def each_error_that_a_client_can_meet(it):
    session = fresh()
    it.refused(it.send(session, "Vote", "a", macp_version="v1"), "UNSUPPORTED_PROTOCOL_VERSION")
    it.refused(it.send_envelope(it.envelopes.Envelope()), "UNSUPPORTED_PROTOCOL_VERSION")
    it.refused(it.send("", "Vote", "a"), "INVALID_ENVELOPE")
    it.refused(it.send(session, "Vote", "a", message_id=""), "INVALID_ENVELOPE")
    it.refused(it.send("", "Signal", "a", message_id=""), "INVALID_ENVELOPE")
    it.accepted(it.send("", "Signal", "a", b"\xff\x00"))
    it.refused(it.send(session, "Vote", "a"), "SESSION_NOT_FOUND")
    it.refused(it.cancel(session), "SESSION_NOT_FOUND")
    it.refused(it.start(session, "macp.mode.task.v1"), "MODE_NOT_SUPPORTED")
    it.refused(it.start(session, ttl_ms=-1), "INVALID_ENVELOPE")
    it.refused(it.start(session, ttl_ms=86_400_001), "INVALID_ENVELOPE")
    it.refused(it.start(session, "multi_round"), "INVALID_ENVELOPE")
    it.refused(it.send(session, "SessionStart", "a", b"\xff"), "INVALID_ENVELOPE")
    it.accepted(it.start(session, participants=["alice"]))
    it.refused(it.start(session), "INVALID_ENVELOPE", "OPEN")
    it.refused(it.send(session, "Proposal", "bob", {"proposal_id": "p"}), "INVALID_ENVELOPE", "OPEN")
    for message_type, payload in (
        ("Proposal", {"proposal_id": ""}),
        ("Proposal", [1]),
        ("Proposal", b"\xff\xfe"),
        ("Evaluation", {"proposal_id": "nowhere"}),
        ("Vote", {"proposal_id": "p"}),
        ("Commitment", {"action": "go"}),
    ):
        it.refused(it.send(session, message_type, "alice", payload), "INVALID_ENVELOPE", "OPEN")
    it.accepted(it.send(session, "Proposal", "alice", {"proposal_id": "p"}))
    for confidence in ("NaN", "Infinity", "-Infinity", "1e999", '"0.5"', "null"):
        payload = f'{{"proposal_id":"p","confidence":{confidence}}}'.encode()
        it.refused(it.send(session, "Evaluation", "alice", payload), "INVALID_ENVELOPE", "OPEN")
    it.refused(it.send(session, "Vote", "alice", bytes(4_194_305)), "PAYLOAD_TOO_LARGE", "OPEN")
    it.accepted(it.send(session, "Unheard", "alice", bytes(4_194_304)))
    it.accepted(it.cancel(session, "enough"), "EXPIRED")
    it.accepted(it.cancel(session, "again"), "EXPIRED")
    it.refused(it.send(session, "Vote", "alice", {}), "SESSION_NOT_OPEN", "EXPIRED")


@scenario
def each_status_that_a_call_can_end_with(it):
    status = grpc.StatusCode
    it.ends_with(status.INVALID_ARGUMENT, lambda: it.stub.Send(it.core.SendRequest()))
    it.ends_with(status.NOT_FOUND, lambda: it.session(fresh()))
    long = "s" * 100_000
    ack = it.start(long)
    it.refused(ack, "INVALID_ENVELOPE")
    holds(f"it does not say what bounds it: {ack}", "limits.macp.id_bytes_max" in ack.error.message)
    # No session has such an id.
    it.ends_with(status.NOT_FOUND, lambda: it.session(long))
    it.refused(it.cancel(long), "SESSION_NOT_FOUND")
    for path in ("Send", "GetSession", "StreamSession"):
        call = it.channel.stream_stream(f"/macp.v1.MACPRuntimeService/{path}")
        # No message begins like this: a text that is cut short.
        it.ends_with(status.INTERNAL, lambda call=call: list(call(iter([b"\x0a\x7f\x01"]), timeout=60)))
    empty = [it.core.StreamSessionRequest()]
    it.ends_with(status.INVALID_ARGUMENT, lambda: list(it.stub.StreamSession(iter(empty), timeout=60)))
    session = fresh()
    it.accepted(it.start(session))


@scenario
def the_time_of_a_session_runs_out(it):
    session = fresh()
    it.accepted(it.start(session, ttl_ms=1))
    metadata = it.session(session)
    while metadata.state == it.state("OPEN"):
        metadata = it.session(session)
    same("it stands", metadata.state, it.state("EXPIRED"))
    it.refused(it.send(session, "Vote", "alice", {}), "SESSION_NOT_OPEN", "EXPIRED")


@scenario
def reflection_and_health_need_no_protos(it):
    health = it.channel.unary_unary("/grpc.health.v1.Health/Check")
    same("the health of all", health(b"", timeout=60), b"\x08\x01")
    name = b"macp.v1.MACPRuntimeService"
    same("the health of the service", health(b"\x0a" + bytes([len(name)]) + name, timeout=60), b"\x08\x01")
    for version in ("v1", "v1alpha"):
        reflection = it.channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
        services = list(reflection(iter([b"\x3a\x00"]), timeout=60))
        holds("the service is not listed", len(services) == 1 and name in services[0])


@scenario
def many_callers_vote_at_the_same_time(it):
    session, callers, votes = fresh(), 16, 50
    it.accepted(it.start(session))
    it.accepted(it.send(session, "Proposal", "alice", {"proposal_id": "p"}))
    wrong = []

    def call(who):
        try:
            for n in range(votes):
                vote = {"proposal_id": "p", "vote": "approve" if n % 2 else "reject"}
                it.accepted(it.send(session, "Vote", f"a{who}", vote, message_id=f"{who}-{n}"))
        except (Differs, grpc.RpcError) as error:
            wrong.append(error)

    threads = [threading.Thread(target=call, args=(who,)) for who in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same("what went wrong", wrong, [])
    for who in range(callers):
        it.accepted(it.send(session, "Vote", f"a{who}", message_id=f"{who}-{votes - 1}"), duplicate=True)
    it.accepted(it.send(session, "Commitment", "alice", {"action": "go"}), "RESOLVED")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(SCENARIOS))
        return 0
    addr, name = sys.argv[1:]
    faulthandler.dump_traceback_later(300, exit=True)
    folder, stubs = generate()
    runtime = Runtime(addr, stubs)
    try:
        SCENARIOS[name](runtime)
    except (Differs, grpc.RpcError) as error:
        steps = " < ".join(f"{step.name}:{step.lineno}" for step in reversed(traceback.extract_tb(error.__traceback__)))
        print(f"DIFFERS {name}: {error}\n  at {steps}")
        return 1
    finally:
        runtime.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
