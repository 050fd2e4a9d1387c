//! What calls are answered, as messages: made here for the wire and for judgements alike.

use bytes::Bytes;
use serde::Serialize;

use super::{
    SessionState,
    kernel::{Acked, Metadata},
    proto::v1::{
        Ack, CancelSessionResponse, Envelope, GetManifestResponse, GetSessionResponse, InitializeRequest,
        InitializeResponse, ListModesResponse, ListRootsResponse, MacpError, SendResponse, SessionMetadata,
        SessionState as WireState, StreamSessionResponse,
    },
    registry,
    request::Declined,
};
use crate::{macp::Status, words::cut};

/// Who answers on a stream.
const RUNTIME: &str = "_runtime";

/// The payload of a stream's `Ack` (ruling MACP 3).
#[derive(Serialize)]
struct AckPayload {
    duplicate: bool,
    ok: bool,
    session_state: &'static str,
}

/// The payload of a stream's `Error` (ruling MACP 3).
#[derive(Serialize)]
struct ErrorPayload<'a> {
    code: &'a str,
    message: &'a str,
}

/// The answer to `Initialize`.
///
/// # Errors
/// The client does not speak our version.
pub(super) fn initialize(request: &InitializeRequest) -> Result<InitializeResponse, Declined> {
    if !request.supported_protocol_versions.iter().any(|version| version == registry::VERSION) {
        return Err((Status::InvalidArgument, no_version(&request.supported_protocol_versions)));
    }
    Ok(InitializeResponse {
        selected_protocol_version: registry::VERSION.to_owned(),
        runtime_info: Some(registry::runtime_info()),
        capabilities: Some(registry::capabilities()),
        supported_modes: registry::supported_modes(),
        instructions: registry::INSTRUCTIONS.to_owned(),
    })
}

/// What a client that agrees on a version calls itself.
pub(super) fn client_name(request: &InitializeRequest) -> Option<&str> {
    request.client_info.as_ref().map(|client| client.name.as_str()).filter(|name| !name.is_empty())
}

/// The message to a client of other versions: some of them, for it goes into a header.
fn no_version(versions: &[String]) -> String {
    const LISTED_MAX: usize = 8;
    const BYTES_MAX: u64 = 32;
    let said: Vec<_> = versions.iter().take(LISTED_MAX).map(|version| cut(version, BYTES_MAX)).collect();
    let more = versions.len() - said.len();
    let others = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("this runtime supports {} only; the client supports {said:?}{others}", registry::VERSION)
}

pub(super) fn sent(acked: Acked, session_id: String, message_id: String) -> SendResponse {
    SendResponse { ack: Some(ack(acked, session_id, message_id)) }
}

pub(super) fn cancelled(acked: Acked, session_id: String) -> CancelSessionResponse {
    CancelSessionResponse { ack: Some(ack(acked, session_id, String::new())) }
}

pub(super) fn streamed(request: Envelope, acked: &Acked) -> StreamSessionResponse {
    StreamSessionResponse { envelope: Some(answer_envelope(request, acked)) }
}

pub(super) fn session(it: Metadata) -> GetSessionResponse {
    GetSessionResponse {
        metadata: Some(SessionMetadata {
            session_id: it.id.to_string(),
            mode: it.mode.into_string(),
            state: wire_state(it.state) as i32,
            started_at_unix_ms: ms(it.started_ms),
            expires_at_unix_ms: ms(it.expires_ms),
            mode_version: it.mode_version.into_string(),
            configuration_version: it.configuration_version.into_string(),
            policy_version: it.policy_version.into_string(),
        }),
    }
}

pub(super) fn manifest() -> GetManifestResponse {
    GetManifestResponse { manifest: Some(registry::manifest()) }
}

pub(super) fn modes() -> ListModesResponse {
    ListModesResponse { modes: registry::descriptors() }
}

pub(super) const fn roots() -> ListRootsResponse {
    ListRootsResponse { roots: Vec::new() }
}

fn ack(acked: Acked, session_id: String, message_id: String) -> Ack {
    let Acked { is_duplicate, at_ms, state, error, after: _ } = acked;
    Ack {
        ok: error.is_none(),
        duplicate: is_duplicate,
        accepted_at_unix_ms: ms(at_ms),
        session_state: state.map_or(WireState::Unspecified, wire_state) as i32,
        error: error.map(|(fault, why)| MacpError {
            code: fault.code().name().to_owned(),
            message: why,
            session_id: session_id.clone(),
            message_id: message_id.clone(),
            details: Bytes::new(),
        }),
        message_id,
        session_id,
    }
}

fn answer_envelope(request: Envelope, acked: &Acked) -> Envelope {
    let (message_type, prefix, payload) = match &acked.error {
        None => {
            let session_state = acked.state.map_or("Open", state_name);
            let payload = AckPayload { duplicate: acked.is_duplicate, ok: true, session_state };
            ("Ack", "ack", serde_json::to_vec(&payload))
        }
        Some((fault, why)) => {
            ("Error", "err", serde_json::to_vec(&ErrorPayload { code: fault.code().name(), message: why }))
        }
    };
    Envelope {
        macp_version: registry::VERSION.to_owned(),
        mode: request.mode,
        message_type: message_type.to_owned(),
        message_id: format!("{prefix}-{}", request.message_id),
        session_id: request.session_id,
        sender: RUNTIME.to_owned(),
        timestamp_unix_ms: ms(acked.at_ms),
        payload: payload.unwrap_or_default().into(),
    }
}

const fn state_name(state: SessionState) -> &'static str {
    match state {
        SessionState::Open => "Open",
        SessionState::Resolved => "Resolved",
        SessionState::Expired => "Expired",
    }
}

pub(super) const fn wire_state(state: SessionState) -> WireState {
    match state {
        SessionState::Open => WireState::Open,
        SessionState::Resolved => WireState::Resolved,
        SessionState::Expired => WireState::Expired,
    }
}

/// Unix milliseconds as the messages have them.
pub(super) fn ms(at_ms: u64) -> i64 {
    i64::try_from(at_ms).unwrap_or(i64::MAX)
}
