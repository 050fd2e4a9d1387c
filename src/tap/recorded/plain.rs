//! Values that every message is made of, and enumerations without content.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
};

use super::{error::DecodeError, wire};
use crate::{
    ids::TraceId,
    tap::entry::{self, macp, mpp, rmp, runs, station},
    time::{Mono, Now, Wall},
};

/// Names of fields that one process takes from recordings.
const FIELD_NAMES_MAX: usize = 256;

/// The length of such a name in bytes.
const FIELD_NAME_BYTES_MAX: usize = 64;

pub(crate) fn moment(at: Now) -> wire::Moment {
    wire::Moment { mono_ns: at.mono.0, wall_ms: at.wall.0 }
}

pub(crate) fn now(at: Option<wire::Moment>, field: &'static str) -> Result<Now, DecodeError> {
    let at = at.ok_or(DecodeError::Missing(field))?;
    Ok(Now { mono: Mono(at.mono_ns), wall: Wall(at.wall_ms) })
}

pub(crate) fn trace_bytes(trace: Option<TraceId>) -> Option<Vec<u8>> {
    trace.map(|trace| trace.0.as_bytes().to_vec())
}

pub(crate) fn trace(bytes: Option<&[u8]>) -> Result<Option<TraceId>, DecodeError> {
    bytes
        .map(|bytes| uuid::Uuid::from_slice(bytes).map(TraceId).map_err(|_| DecodeError::Invalid("trace")))
        .transpose()
}

pub(crate) fn addr(text: &str, field: &'static str) -> Result<SocketAddr, DecodeError> {
    text.parse().map_err(|_| DecodeError::Invalid(field))
}

/// The name of a frame's field. Live names are part of the program; those of a recording are kept for as long
/// as the process lives, in a set with a bound.
pub(super) fn field_name(name: &str) -> Result<&'static str, DecodeError> {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if name.len() > FIELD_NAME_BYTES_MAX {
        return Err(DecodeError::Invalid("field"));
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Ok(known);
    }
    if names.len() >= FIELD_NAMES_MAX {
        return Err(DecodeError::Invalid("field"));
    }
    let name: &'static str = Box::leak(Box::from(name));
    names.insert(name);
    Ok(name)
}

macro_rules! mirror {
    ($( $to:ident, $back:ident: $live:path = $wire:ident { $($variant:ident),* $(,)? } )*) => {
        $(
            pub(crate) fn $to(value: $live) -> i32 {
                use $live as Live;
                match value { $( Live::$variant => wire::$wire::$variant as i32, )* }
            }

            pub(crate) fn $back(value: i32, field: &'static str) -> Result<$live, DecodeError> {
                use $live as Live;
                match wire::$wire::try_from(value) {
                    $( Ok(wire::$wire::$variant) => Ok(Live::$variant), )*
                    Ok(wire::$wire::Unspecified) | Err(_) => Err(DecodeError::Unknown { field, value }),
                }
            }
        )*
    };
}

mirror! {
    to_link, link: entry::Link = Link { Station, Mpp, Rmp, Runs, Macp }
    to_direction, direction: entry::Direction = Direction { Inbound, Outbound }
    to_level, level: station::Level = Level { Trace, Debug, Info, Warn, Error }
    to_frame_type, frame_type: mpp::FrameType = FrameType {
        Hello, HelloAck, Pull, Invocation, Ack, Applied, Done, Failed, Heartbeat, Log, StateWrite, ProtocolError,
    }
    to_hello_reason, hello_reason: mpp::HelloReason = HelloReason {
        UnsupportedMppVersion, Unpaired, InvalidToken, PackIdMismatch, ManifestHashMismatch, AlreadyConnected,
    }
    to_error_code, error_code: mpp::ErrorCode = ErrorCode {
        InvalidFrame, UnknownInvocationId, UnknownQueue, SchemaViolation, UnexpectedStateTransition, FrameTooLarge,
    }
    to_row_state, row_state: mpp::RowState = RowState { Pending, Dispatched, Applied, Done, Failed, Refunded }
    to_refund_status, refund_status: mpp::RefundStatus = RefundStatus { Requested, Skipped, Manual }
    to_rmp_frame_kind, rmp_frame_kind: rmp::FrameKind = RmpFrameKind {
        Hello, Subscribe, Unsubscribe, Publish, Ping, Welcome, Ok, Error, Deliver, Pong,
    }
    to_rmp_dialect, rmp_dialect: rmp::Dialect = RmpDialect { Frames, Json }
    to_rmp_kind, rmp_kind: rmp::Kind = RmpKind { Agent, Ui, Tui, Viewer, Cue, Station }
    to_rmp_drop_reason, rmp_drop_reason: rmp::DropReason = RmpDropReason { TtlExpired, Duplicate, BackpressureTimeout }
    to_run_state, run_state: runs::RunState = RunState { Running, Cancelling, Succeeded, Failed, Cancelled }
    to_node_state, node_state: runs::NodeState = NodeState {
        Waiting, Ready, Asking, Running, Retrying, Completed, Failed, Skipped, Blocked, Cancelled,
    }
    to_event_kind, event_kind: runs::EventKind = EventKind { Log, Status, Plan, Trace, Artifact, Progress }
    to_run_verdict, run_verdict: runs::Verdict = RunVerdict { Approved, Rejected, Expired, Withdrawn }
    to_asker_kind, asker_kind: runs::AskerKind = AskerKind { Agent, Ui, Tui, Cue, Station }
    to_macp_rpc, macp_rpc: macp::Rpc = MacpRpc {
        Initialize, Send, StreamSession, GetSession, CancelSession, GetManifest, ListModes, WatchModeRegistry, ListRoots, WatchRoots,
    }
    to_macp_status, macp_status: macp::Status = MacpStatus {
        InvalidArgument, NotFound, Unimplemented, ResourceExhausted, Unavailable, Internal,
    }
    to_macp_code, macp_code: macp::Code = MacpCode {
        UnsupportedProtocolVersion, InvalidEnvelope, SessionNotFound, SessionNotOpen, ModeNotSupported, Forbidden, Unauthenticated,
        DuplicateMessage, PayloadTooLarge, RateLimited,
    }
    to_macp_fault, macp_fault: macp::Fault = MacpFault {
        InvalidMacpVersion, InvalidEnvelope, DuplicateSession, InvalidTtl, InvalidModeState, InvalidPayload, UnknownSession, SessionNotOpen,
        TtlExpired, UnknownMode, Forbidden, Unauthenticated, DuplicateMessage, PayloadTooLarge, RateLimited,
    }
    to_macp_mode, macp_mode: macp::Mode = MacpMode { Decision, MultiRound }
    to_macp_ending, macp_ending: macp::Ending = MacpEnding { Resolved, TtlExpired, Cancelled, LogDamaged }
    to_macp_phase, macp_phase: macp::Phase = MacpPhase { Proposal, Evaluation, Voting, Committed }
    to_failed_by, failed_by: mpp::FailedBy = FailedBy { Adapter, UnknownQueue, Schema, Cancelled, Settled }
}
