//! What messages are rejected for, and what calls are declined for: the clause, and when that occurs.

use crate::macp::{Fault, Rpc, Status};

/// The clause that a message breaks, or the session of a call.
pub(in crate::dissect) const fn fault_clause(fault: Fault, rpc: Rpc) -> &'static str {
    match fault {
        Fault::InvalidMacpVersion => "macp-v1, Validation Rules 1",
        Fault::InvalidEnvelope => "macp-v1, Validation Rules 2, 4 and 10",
        Fault::UnknownMode => "macp-v1, Validation Rules 3",
        Fault::InvalidTtl => "macp-v1, Validation Rules 4",
        Fault::DuplicateSession => "macp-v1, Validation Rules 5",
        Fault::UnknownSession if matches!(rpc, Rpc::CancelSession) => "macp-v1, RPC: CancelSession",
        Fault::UnknownSession => "macp-v1, Validation Rules 6",
        Fault::TtlExpired => "macp-v1, Validation Rules 8",
        Fault::SessionNotOpen => "macp-v1, Validation Rules 9",
        Fault::InvalidPayload | Fault::InvalidModeState => "macp-v1, Validation Rules 11",
        Fault::PayloadTooLarge => "ruling MACP 8",
        Fault::Forbidden | Fault::Unauthenticated | Fault::DuplicateMessage | Fault::RateLimited => {
            "macp-v1, Error Codes"
        }
    }
}

/// The clause by which a call ends with a status; of what the station or the transport cannot take, the
/// transport's.
pub(in crate::dissect) const fn status_clause(status: Status, rpc: Rpc) -> &'static str {
    match (status, rpc) {
        (Status::InvalidArgument, Rpc::Initialize) => "macp-v1, RPC: Initialize",
        (Status::InvalidArgument, Rpc::StreamSession) => "ruling MACP 3",
        (Status::InvalidArgument, _) => "macp-v1, RPC: Send",
        (Status::NotFound, _) => "macp-v1, RPC: GetSession",
        (Status::Unimplemented, Rpc::WatchModeRegistry | Rpc::WatchRoots) => {
            "macp-v1, RPC: ListRoots, WatchModeRegistry, WatchRoots"
        }
        (
            Status::Unimplemented
            | Status::Internal
            | Status::ResourceExhausted
            | Status::Unavailable
            | Status::DeadlineExceeded,
            _,
        ) => "macp-v1, Transport",
    }
}

/// When a fault occurs, as the protocol's table has it (macp-v1, Error Codes).
pub(in crate::dissect) const fn occurs(fault: Fault) -> &'static str {
    match fault {
        Fault::InvalidMacpVersion => "macp_version is not \"1.0\"",
        Fault::InvalidEnvelope => {
            "a required field is missing, the payload does not decode as its type, or the sender is not a participant"
        }
        Fault::DuplicateSession => "a SessionStart for a session that exists, with another message_id",
        Fault::InvalidTtl => "the TTL is out of its range: 0 to 24 h",
        Fault::InvalidModeState => "the mode's state cannot be read",
        Fault::InvalidPayload => "the payload does not match what the mode expects",
        Fault::UnknownSession => "a message for a session that does not exist",
        Fault::SessionNotOpen => "a message to a session that is resolved or expired",
        Fault::TtlExpired => "the session's TTL has elapsed",
        Fault::UnknownMode => "the mode is not registered",
        Fault::Forbidden => "the operation is not permitted",
        Fault::Unauthenticated => "authentication is required",
        Fault::DuplicateMessage => "an explicit duplicate",
        Fault::PayloadTooLarge => "the payload exceeds limits.macp.payload_bytes_max",
        Fault::RateLimited => "too many requests",
    }
}
