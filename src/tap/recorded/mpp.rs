//! The bridge: heads, verdicts, faults, causes of a close, transitions.

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    plain, wire,
};
use crate::{
    tap::entry::mpp::{
        Brake, CloseCause, ErrorCode, FailedBy, Fault, FrameType, Head, HelloReason, RefundStatus, RowState,
        Transition, Verdict, Violation,
    },
    time::ClockShift,
};

recorded! {
    codes FrameType = FrameType {
        Hello, HelloAck, Pull, Invocation, Ack, Applied, Done, Failed, Heartbeat, Log, StateWrite,
        ProtocolError,
    }
    codes HelloReason = HelloReason {
        UnsupportedMppVersion, Unpaired, InvalidToken, PackIdMismatch, ManifestHashMismatch, AlreadyConnected,
    }
    codes ErrorCode = ErrorCode {
        InvalidFrame, UnknownInvocationId, UnknownQueue, SchemaViolation, UnexpectedStateTransition,
        FrameTooLarge,
    }
    codes RowState = RowState { Pending, Dispatched, Applied, Done, Failed, Refunded }
    codes RefundStatus = RefundStatus { Requested, Skipped, Manual }
    codes FailedBy = FailedBy { Adapter, UnknownQueue, Schema, Cancelled, Settled, Damage }
    struct Head = MppHead "mpp_head" { kind, id, queue, event }
    enum Verdict = mpp_verdict::Kind, "mpp_verdict" in MppVerdict.kind {
        Accepted = Accepted,
        Refused(fault) = Refused(fault),
        TooLate = TooLate,
    }
    enum CloseCause = close_cause::Kind, "cause" in CloseCause.kind {
        PeerClosed = PeerClosed,
        ReadFailed = ReadFailed,
        WriteFailed = WriteFailed,
        HelloTimeout = HelloTimeout,
        Fault(fault) = Fault(fault),
        NotReading = NotReading,
        WriteStalled = WriteStalled,
        Kicked = Kicked,
        TooManyConnections = TooManyConnections,
        MadeRoom = MadeRoom,
        TooManyOfPeer = TooManyOfPeer,
        ReceivingFull = ReceivingFull,
        Shutdown = Shutdown,
    }
    default struct Brake = Brake "brake" { held, draining }
    enum Transition = mpp_transition::Kind, "mpp" in MppTransition.kind {
        Listening { addr } = Listening(addr),
        NotListening = NotListening,
        Paired = Paired,
        Connected { peer } = Connected(peer),
        Handshaken { peer, session_id, persisted } =
            Handshaken(wire::Handshaken { peer, session_id, persisted }),
        Disconnected { peer, active, cause } = Disconnected(wire::Disconnected { peer, active, cause }),
        Stale { silent_s } = StaleSilentS(silent_s),
        Parked { queue } = Parked(queue),
        Enqueued { id, queue, event, requeued_from } =
            Enqueued(wire::Row { id, queue, event, requeued_from, .. }),
        Dispatched { id, queue, event } = Dispatched(wire::Row { id, queue, event, .. }),
        Acked { id, queue } = Acked(wire::Row { id, queue, .. }),
        Applied { id, queue, cleared } = Applied(wire::Row { id, queue, cleared, .. }),
        Done { id, queue, event, cleared, settled } =
            Done(wire::Row { id, queue, event, cleared, settled, .. }),
        Failed { id, queue, event, from, cleared, by } = Failed(wire::RowFailed {
            row: Some(wire::Row { id, queue, event, cleared, settled: false, requeued_from: None }),
            from,
            by,
        }) else Kind::Failed(_),
        Refunded { id, queue, event } = Refunded(wire::Row { id, queue, event, .. }),
        Requeued { id, queue } = Requeued(wire::Row { id, queue, .. }),
        Orphaned { id, queue } = LeftApplied(wire::Row { id, queue, .. }),
        RefundRecorded { refund, id, status } = RefundRecorded(wire::RefundRecorded { refund, id, status }),
        OtherCancelled { id, queue } = OtherCancelled(wire::Row { id, queue, .. }),
        Migrated { queue, rows, failed } = Migrated(wire::Migrated { queue, rows, failed }),
        Braked { queue, brake } = Braked(wire::Braked { queue, brake }),
        Drained { queue } = Drained(queue),
        Logged { level } = Logged(level),
        StateWritten { key, persist } = StateWritten(wire::StateWritten { key, persist }),
        PersistedLeftOut { key } = PersistedLeftOut(key),
        CommitsFailing = CommitsFailing,
        CommitsOk = CommitsWell,
        ReadsFailing = ReadsFailing,
        ReadsOk = ReadsOk,
        PackLoaded { pack_id, manifest_hash } = PackLoaded(wire::PackLoaded { pack_id, manifest_hash }),
    }
}

recorded! { @holder Fault = Fault.kind "fault" }

impl Recorded<Option<wire::fault::Kind>> for Fault {
    fn recorded(&self) -> Option<wire::fault::Kind> {
        use wire::fault::Kind;
        Some(match self {
            Self::Hello(reason) => Kind::Hello(reason.recorded()),
            Self::Protocol { code, violation } => {
                let (violation, field) = recorded_violation(*violation);
                Kind::Protocol(wire::ProtocolFault {
                    code: code.recorded(),
                    violation: violation as i32,
                    field,
                })
            }
            Self::ByAdapter => Kind::ByAdapter(wire::Nothing {}),
        })
    }

    fn live(
        it: Option<wire::fault::Kind>,
        field: &'static str,
        shift: ClockShift,
    ) -> Result<Self, DecodeError> {
        use wire::fault::Kind;
        Ok(match it.ok_or(DecodeError::Missing(field))? {
            Kind::Hello(reason) => Self::Hello(Recorded::live(reason, "fault.hello", shift)?),
            Kind::Protocol(it) => Self::Protocol {
                code: Recorded::live(it.code, "fault.code", shift)?,
                violation: live_violation(it.violation, &it.field)?,
            },
            Kind::ByAdapter(_) => Self::ByAdapter,
        })
    }
}

/// The number of a violation and the field that it names, both ways.
macro_rules! violations {
    ($( $Variant:ident $(($field:ident))? ),* $(,)?) => {
        fn recorded_violation(violation: Violation) -> (wire::Violation, String) {
            match violation {
                $( Violation::$Variant $(($field))? => {
                    (wire::Violation::$Variant, [$($field,)? ""][0].to_owned())
                } )*
            }
        }

        fn live_violation(value: i32, name: &str) -> Result<Violation, DecodeError> {
            match wire::Violation::try_from(value) {
                $( Ok(wire::Violation::$Variant) => {
                    $( let $field = plain::field_name(name)?; )?
                    Ok(Violation::$Variant $(($field))?)
                } )*
                Ok(wire::Violation::Unspecified) | Err(_) => {
                    Err(DecodeError::Unknown { field: "fault.violation", value })
                }
            }
        }
    };
}

violations! {
    NotUtf8, NotJson, NotObject, Version, NoType, UnknownType, HelloFirst, SecondHello, WrongDirection,
    Missing(field), Mistyped(field), AlreadyParked, StillInFlight, NoSuchQueue, NotDispatchedHere,
    AlreadyEnded, NotApplied, AlreadyApplied, RefundAfterApplied, UndeclaredKey, NotTheWriter, StateSchema,
    StateTooLarge, TooLarge, TooSlow,
}
