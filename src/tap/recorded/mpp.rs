//! What the bridge makes of frames: heads, verdicts, faults, causes of a close.

use super::{error::DecodeError, plain, wire};
use crate::{
    ids::{EventName, InvocationId, QueueName},
    tap::entry::mpp::{CloseCause, Fault, Head, Verdict, Violation},
};

const NOTHING: wire::Nothing = wire::Nothing {};

pub(super) fn recorded_head(head: &Head) -> wire::MppHead {
    let Head { kind, id, queue, event } = head;
    wire::MppHead {
        kind: kind.map_or(0, plain::to_frame_type),
        id: id.map(|id| id.0),
        queue: queue.as_ref().map(|queue| queue.as_str().to_owned()),
        event: event.as_ref().map(|event| event.as_str().to_owned()),
    }
}

pub(super) fn live_head(head: &wire::MppHead) -> Result<Head, DecodeError> {
    let kind = if head.kind == 0 { None } else { Some(plain::frame_type(head.kind, "mpp_head.kind")?) };
    Ok(Head {
        kind,
        id: head.id.map(InvocationId),
        queue: head.queue.as_deref().map(QueueName::new),
        event: head.event.as_deref().map(EventName::new),
    })
}

pub(super) fn recorded_verdict(verdict: &Verdict) -> wire::MppVerdict {
    use wire::mpp_verdict::Kind;
    let kind = match verdict {
        Verdict::Accepted => Kind::Accepted(NOTHING),
        Verdict::Refused(fault) => Kind::Refused(recorded_fault(*fault)),
        Verdict::TooLate => Kind::TooLate(NOTHING),
    };
    wire::MppVerdict { kind: Some(kind) }
}

pub(super) fn live_verdict(verdict: wire::MppVerdict) -> Result<Verdict, DecodeError> {
    use wire::mpp_verdict::Kind;
    Ok(match verdict.kind.ok_or(DecodeError::Missing("mpp_verdict.kind"))? {
        Kind::Accepted(_) => Verdict::Accepted,
        Kind::Refused(fault) => Verdict::Refused(live_fault(fault)?),
        Kind::TooLate(_) => Verdict::TooLate,
    })
}

fn recorded_fault(fault: Fault) -> wire::Fault {
    use wire::fault::Kind;
    let kind = match fault {
        Fault::Hello(reason) => Kind::Hello(plain::to_hello_reason(reason)),
        Fault::Protocol { code, violation } => {
            let (violation, field) = recorded_violation(violation);
            let violation = violation as i32;
            Kind::Protocol(wire::ProtocolFault {
                code: plain::to_error_code(code),
                violation,
                field: field.to_owned(),
            })
        }
        Fault::ByAdapter => Kind::ByAdapter(NOTHING),
    };
    wire::Fault { kind: Some(kind) }
}

fn live_fault(fault: wire::Fault) -> Result<Fault, DecodeError> {
    use wire::fault::Kind;
    Ok(match fault.kind.ok_or(DecodeError::Missing("fault.kind"))? {
        Kind::Hello(reason) => Fault::Hello(plain::hello_reason(reason, "fault.hello")?),
        Kind::Protocol(protocol) => Fault::Protocol {
            code: plain::error_code(protocol.code, "fault.code")?,
            violation: live_violation(protocol.violation, &protocol.field)?,
        },
        Kind::ByAdapter(_) => Fault::ByAdapter,
    })
}

fn recorded_violation(violation: Violation) -> (wire::Violation, &'static str) {
    use wire::Violation as Wire;
    let plain = match violation {
        Violation::NotUtf8 => Wire::NotUtf8,
        Violation::NotJson => Wire::NotJson,
        Violation::NotObject => Wire::NotObject,
        Violation::Version => Wire::Version,
        Violation::NoType => Wire::NoType,
        Violation::UnknownType => Wire::UnknownType,
        Violation::HelloFirst => Wire::HelloFirst,
        Violation::SecondHello => Wire::SecondHello,
        Violation::WrongDirection => Wire::WrongDirection,
        Violation::Missing(field) => return (Wire::Missing, field),
        Violation::Mistyped(field) => return (Wire::Mistyped, field),
        Violation::AlreadyParked => Wire::AlreadyParked,
        Violation::StillInFlight => Wire::StillInFlight,
        Violation::NoSuchQueue => Wire::NoSuchQueue,
        Violation::NotDispatchedHere => Wire::NotDispatchedHere,
        Violation::AlreadyEnded => Wire::AlreadyEnded,
        Violation::NotApplied => Wire::NotApplied,
        Violation::AlreadyApplied => Wire::AlreadyApplied,
        Violation::RefundAfterApplied => Wire::RefundAfterApplied,
        Violation::UndeclaredKey => Wire::UndeclaredKey,
        Violation::NotTheWriter => Wire::NotTheWriter,
        Violation::StateSchema => Wire::StateSchema,
        Violation::StateTooLarge => Wire::StateTooLarge,
        Violation::TooLarge => Wire::TooLarge,
    };
    (plain, "")
}

fn live_violation(value: i32, field: &str) -> Result<Violation, DecodeError> {
    use wire::Violation as Wire;
    Ok(match Wire::try_from(value) {
        Ok(Wire::NotUtf8) => Violation::NotUtf8,
        Ok(Wire::NotJson) => Violation::NotJson,
        Ok(Wire::NotObject) => Violation::NotObject,
        Ok(Wire::Version) => Violation::Version,
        Ok(Wire::NoType) => Violation::NoType,
        Ok(Wire::UnknownType) => Violation::UnknownType,
        Ok(Wire::HelloFirst) => Violation::HelloFirst,
        Ok(Wire::SecondHello) => Violation::SecondHello,
        Ok(Wire::WrongDirection) => Violation::WrongDirection,
        Ok(Wire::Missing) => Violation::Missing(plain::field_name(field)?),
        Ok(Wire::Mistyped) => Violation::Mistyped(plain::field_name(field)?),
        Ok(Wire::AlreadyParked) => Violation::AlreadyParked,
        Ok(Wire::StillInFlight) => Violation::StillInFlight,
        Ok(Wire::NoSuchQueue) => Violation::NoSuchQueue,
        Ok(Wire::NotDispatchedHere) => Violation::NotDispatchedHere,
        Ok(Wire::AlreadyEnded) => Violation::AlreadyEnded,
        Ok(Wire::NotApplied) => Violation::NotApplied,
        Ok(Wire::AlreadyApplied) => Violation::AlreadyApplied,
        Ok(Wire::RefundAfterApplied) => Violation::RefundAfterApplied,
        Ok(Wire::UndeclaredKey) => Violation::UndeclaredKey,
        Ok(Wire::NotTheWriter) => Violation::NotTheWriter,
        Ok(Wire::StateSchema) => Violation::StateSchema,
        Ok(Wire::StateTooLarge) => Violation::StateTooLarge,
        Ok(Wire::TooLarge) => Violation::TooLarge,
        Ok(Wire::Unspecified) | Err(_) => {
            return Err(DecodeError::Unknown { field: "fault.violation", value });
        }
    })
}

pub(crate) fn recorded_close(cause: CloseCause) -> wire::CloseCause {
    use wire::close_cause::Kind;
    let kind = match cause {
        CloseCause::PeerClosed => Kind::PeerClosed(NOTHING),
        CloseCause::ReadFailed => Kind::ReadFailed(NOTHING),
        CloseCause::WriteFailed => Kind::WriteFailed(NOTHING),
        CloseCause::HelloTimeout => Kind::HelloTimeout(NOTHING),
        CloseCause::Fault(fault) => Kind::Fault(recorded_fault(fault)),
        CloseCause::NotReading => Kind::NotReading(NOTHING),
        CloseCause::WriteStalled => Kind::WriteStalled(NOTHING),
        CloseCause::Kicked => Kind::Kicked(NOTHING),
        CloseCause::TooManyConnections => Kind::TooManyConnections(NOTHING),
        CloseCause::Shutdown => Kind::Shutdown(NOTHING),
    };
    wire::CloseCause { kind: Some(kind) }
}

pub(crate) fn live_close(cause: Option<wire::CloseCause>) -> Result<CloseCause, DecodeError> {
    use wire::close_cause::Kind;
    Ok(match cause.and_then(|cause| cause.kind).ok_or(DecodeError::Missing("cause"))? {
        Kind::PeerClosed(_) => CloseCause::PeerClosed,
        Kind::ReadFailed(_) => CloseCause::ReadFailed,
        Kind::WriteFailed(_) => CloseCause::WriteFailed,
        Kind::HelloTimeout(_) => CloseCause::HelloTimeout,
        Kind::Fault(fault) => CloseCause::Fault(live_fault(fault)?),
        Kind::NotReading(_) => CloseCause::NotReading,
        Kind::WriteStalled(_) => CloseCause::WriteStalled,
        Kind::Kicked(_) => CloseCause::Kicked,
        Kind::TooManyConnections(_) => CloseCause::TooManyConnections,
        Kind::Shutdown(_) => CloseCause::Shutdown,
    })
}
