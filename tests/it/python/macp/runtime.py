"""A client of the MACP runtime, with stubs that are generated from its protos when it starts."""

import importlib
import importlib.resources
import itertools
import json
import sys
import tempfile
from pathlib import Path

import grpc
from grpc_tools import protoc

PROTOS = Path(__file__).resolve().parents[4] / "src" / "macp" / "proto"
FILES = ("macp/v1/envelope.proto", "macp/v1/core.proto", "macp/modes/decision/v1/decision.proto")
PATIENCE_S = 60


class Differs(Exception):
    """Something is not as it must be."""


def same(what, found, expected):
    if found != expected:
        raise Differs(f"{what}: {found!r}, not {expected!r}")


def holds(what, truth):
    if not truth:
        raise Differs(what)


def generate():
    """The modules of the messages and of the service."""
    folder = tempfile.mkdtemp(prefix="macp-stubs-")
    include = importlib.resources.files("grpc_tools") / "_proto"
    args = ["protoc", f"-I{PROTOS}", f"-I{include}", f"--python_out={folder}", f"--grpc_python_out={folder}", *FILES]
    if protoc.main(args) != 0:
        raise Differs("the protos do not compile")
    # A package of this name would hide what is generated.
    sys.path.insert(0, folder)
    names = ("macp.v1.envelope_pb2", "macp.v1.core_pb2", "macp.v1.core_pb2_grpc", "macp.modes.decision.v1.decision_pb2")
    return folder, [importlib.import_module(name) for name in names]


class Runtime:
    """One channel to a runtime."""

    def __init__(self, addr, stubs):
        self.envelopes, self.core, service, self.decision = stubs
        options = [("grpc.max_send_message_length", 64 << 20), ("grpc.use_local_subchannel_pool", 1)]
        self.channel = grpc.insecure_channel(addr, options=options)
        self.stub = service.MACPRuntimeServiceStub(self.channel)
        self.ids = itertools.count(1)

    def close(self):
        self.channel.close()

    def envelope(self, session, message_type, sender, payload=b"", **fields):
        """An envelope; a payload that is no bytes goes as JSON."""
        if not isinstance(payload, bytes):
            payload = json.dumps(payload).encode()
        fields.setdefault("message_id", f"m{next(self.ids)}")
        fields.setdefault("macp_version", "1.0")
        return self.envelopes.Envelope(
            session_id=session, message_type=message_type, sender=sender, payload=payload, timestamp_unix_ms=7, **fields
        )

    def send(self, *args, **fields):
        return self.send_envelope(self.envelope(*args, **fields))

    def send_envelope(self, envelope):
        return self.stub.Send(self.core.SendRequest(envelope=envelope), timeout=PATIENCE_S).ack

    def start(self, session, mode="", participants=(), **fields):
        payload = self.core.SessionStartPayload(participants=participants, **fields)
        return self.send(session, "SessionStart", "alice", payload.SerializeToString(), mode=mode)

    def cancel(self, session, reason=""):
        request = self.core.CancelSessionRequest(session_id=session, reason=reason)
        return self.stub.CancelSession(request, timeout=PATIENCE_S).ack

    def session(self, session):
        return self.stub.GetSession(self.core.GetSessionRequest(session_id=session), timeout=PATIENCE_S).metadata

    def stream(self, envelopes):
        """What is answered to envelopes, as (type, id, session, payload)."""
        requests = (self.core.StreamSessionRequest(envelope=envelope) for envelope in envelopes)
        for answer in self.stub.StreamSession(requests, timeout=PATIENCE_S):
            it = answer.envelope
            same("the sender of an answer", (it.macp_version, it.sender), ("1.0", "_runtime"))
            yield it.message_type, it.message_id, it.session_id, json.loads(it.payload)

    def state(self, name):
        return self.envelopes.SessionState.Value(f"SESSION_STATE_{name}")

    def accepted(self, ack, state="OPEN", duplicate=False):
        holds(f"it is refused: {ack.error.code}: {ack.error.message}", ack.ok)
        same("duplicate", ack.duplicate, duplicate)
        same("session_state", ack.session_state, self.state(state))
        holds("an accepted message has an error", not ack.HasField("error"))
        return ack

    def refused(self, ack, code, state="UNSPECIFIED"):
        same("ok", ack.ok, False)
        same("code", ack.error.code, code)
        same("session_state", ack.session_state, self.state(state))
        same("the ids of the error", (ack.error.session_id, ack.error.message_id), (ack.session_id, ack.message_id))
        holds("it says nothing", ack.error.message != "")
        return ack

    @staticmethod
    def ends_with(status, call):
        """A call that ends with a status, and what it says."""
        try:
            call()
        except grpc.RpcError as error:
            same("the status", error.code(), status)
            return error.details()
        raise Differs(f"it does not end with {status}")
