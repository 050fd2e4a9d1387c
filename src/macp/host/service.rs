//! The ten calls.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use futures_util::Stream;
use prost::Message;
use tonic::{Code, Request, Response, Status as Grpc, Streaming, codegen::http};

use super::{
    call::{Call, Caller},
    codec::{Received, Reply},
    conn::ConnectInfo,
    generated::m_a_c_p_runtime_service_server::MACPRuntimeService,
    shared::{Ask, Shared, State, frame},
    stream::answers,
    trace_context::given,
};
use crate::{
    admission::Origin,
    ids::Peer,
    macp::{
        Answered, Rpc, SessionState, Status, Transition, Verdict, envelope,
        kernel::{Acked, Answer, Metadata},
        proto::v1::{
            Ack, CancelSessionRequest, CancelSessionResponse, GetManifestRequest, GetManifestResponse,
            GetSessionRequest, GetSessionResponse, InitializeRequest, InitializeResponse, ListModesRequest,
            ListModesResponse, ListRootsRequest, ListRootsResponse, MacpError, SendRequest, SendResponse,
            SessionMetadata, SessionState as WireState, StreamSessionRequest, WatchModeRegistryRequest,
            WatchRootsRequest,
        },
        registry,
    },
    tap::{
        Draft,
        entry::{Direction, Link, Verdict as AnyVerdict, What},
    },
    words,
};

/// The service. Clones are the same one.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) shared: Arc<Shared>,
}

/// Answers that come one after another.
type Replies = Pin<Box<dyn Stream<Item = Result<Reply, Grpc>> + Send>>;

/// What a call is answered with: its message, or a status with why.
pub(super) type CallResult<T> = Result<T, (Status, String)>;

#[tonic::async_trait]
impl MACPRuntimeService for Service {
    async fn initialize(
        &self,
        request: Request<Received<InitializeRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::Initialize, &caller, &received.bytes);
        let answer = decoded(received.message).and_then(|message| {
            if !message.supported_protocol_versions.iter().any(|version| version == registry::VERSION) {
                return Err((Status::InvalidArgument, no_version(&message.supported_protocol_versions)));
            }
            if let Some(client) = message.client_info.filter(|client| !client.name.is_empty()) {
                self.shared.introduce(&caller.peer, &client.name);
            }
            Ok(InitializeResponse {
                selected_protocol_version: registry::VERSION.to_owned(),
                runtime_info: Some(registry::runtime_info()),
                capabilities: Some(registry::capabilities()),
                supported_modes: registry::supported_modes(),
                instructions: registry::INSTRUCTIONS.to_owned(),
            })
        });
        self.plain(&call, answer)
    }

    async fn send(&self, request: Request<Received<SendRequest>>) -> Result<Response<Reply>, Grpc> {
        let given = given(request.metadata());
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::Send, &caller, &received.bytes);
        let message = match decoded(received.message) {
            Ok(message) => message,
            Err(error) => return Err(self.shared.decline_early(&call, error)),
        };
        let Some(envelope) = message.envelope else {
            return Err(self.shared.decline_early(&call, no_envelope()));
        };
        let call = call.with(&envelope, &self.shared.limits);
        let bytes = envelope::bytes_within(&received.bytes, &envelope);
        let answer = self.shared.ask(&call, Ask::Message(&envelope, &bytes, given.as_ref())).await;
        let answer = self.shared.acked(answer).await;
        self.reply(
            &call,
            answer.map(|it| {
                (it.answered(), SendResponse { ack: Some(ack(it, envelope.session_id, envelope.message_id)) })
            }),
        )
    }

    type StreamSessionStream = Replies;

    async fn stream_session(
        &self,
        request: Request<Streaming<Received<StreamSessionRequest>>>,
    ) -> Result<Response<Replies>, Grpc> {
        let caller = caller(request.extensions());
        let given = given(request.metadata());
        Ok(Response::new(Box::pin(answers(Arc::clone(&self.shared), caller, given, request.into_inner()))))
    }

    async fn get_session(
        &self,
        request: Request<Received<GetSessionRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::GetSession, &caller, &received.bytes);
        let message = match decoded(received.message) {
            Ok(message) => message,
            Err(error) => return Err(self.shared.decline_early(&call, error)),
        };
        let call = call.about(&message.session_id, &self.shared.limits);
        let answer = match self.shared.ask(&call, Ask::Look(&message.session_id)).await {
            Answer::Session { metadata, after } => {
                self.shared.wait_durable(after, false).await.map(|()| metadata)
            }
            Answer::Declined { status, why } => Err((status, why)),
            Answer::Acked(_) => Err((Status::Internal, "internal error in the runtime".to_owned())),
        };
        self.reply(
            &call,
            answer.map(|it| (Answered::Ok, GetSessionResponse { metadata: Some(metadata(it)) })),
        )
    }

    async fn cancel_session(
        &self,
        request: Request<Received<CancelSessionRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::CancelSession, &caller, &received.bytes);
        let message = match decoded(received.message) {
            Ok(message) => message,
            Err(error) => return Err(self.shared.decline_early(&call, error)),
        };
        let call = call.about(&message.session_id, &self.shared.limits);
        let by = self.shared.client_of(&caller.peer);
        let ask = Ask::Cancel { session: &message.session_id, reason: &message.reason, by: &by };
        let answer = self.shared.ask(&call, ask).await;
        let answer = self.shared.acked(answer).await;
        self.reply(
            &call,
            answer.map(|it| {
                (
                    it.answered(),
                    CancelSessionResponse { ack: Some(ack(it, message.session_id, String::new())) },
                )
            }),
        )
    }

    async fn get_manifest(
        &self,
        request: Request<Received<GetManifestRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::GetManifest, &caller, &received.bytes);
        self.plain(
            &call,
            decoded(received.message).map(|_| GetManifestResponse { manifest: Some(registry::manifest()) }),
        )
    }

    async fn list_modes(
        &self,
        request: Request<Received<ListModesRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::ListModes, &caller, &received.bytes);
        self.plain(
            &call,
            decoded(received.message).map(|_| ListModesResponse { modes: registry::descriptors() }),
        )
    }

    type WatchModeRegistryStream = Replies;

    async fn watch_mode_registry(
        &self,
        request: Request<Received<WatchModeRegistryRequest>>,
    ) -> Result<Response<Replies>, Grpc> {
        let (caller, received) = opened(request);
        Err(self.watch(&Call::new(Rpc::WatchModeRegistry, &caller, &received.bytes), "WatchModeRegistry"))
    }

    async fn list_roots(
        &self,
        request: Request<Received<ListRootsRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::ListRoots, &caller, &received.bytes);
        self.plain(&call, decoded(received.message).map(|_| ListRootsResponse { roots: Vec::new() }))
    }

    type WatchRootsStream = Replies;

    async fn watch_roots(
        &self,
        request: Request<Received<WatchRootsRequest>>,
    ) -> Result<Response<Replies>, Grpc> {
        let (caller, received) = opened(request);
        Err(self.watch(&Call::new(Rpc::WatchRoots, &caller, &received.bytes), "WatchRoots"))
    }
}

impl Service {
    /// Answers a call that concerns no session.
    fn plain<T: Message>(&self, call: &Call<'_>, answer: CallResult<T>) -> Result<Response<Reply>, Grpc> {
        let message = answer.map_err(|declined| self.shared.decline_early(call, declined))?;
        self.shared.report_call(call, Verdict::Accepted);
        Ok(Response::new(self.shared.reply(call, Answered::Ok, &message)))
    }

    fn reply<T: Message>(
        &self,
        call: &Call<'_>,
        answer: CallResult<(Answered, T)>,
    ) -> Result<Response<Reply>, Grpc> {
        let (told, message) = answer.map_err(|(status, why)| self.shared.declined(call, status, why))?;
        Ok(Response::new(self.shared.reply(call, told, &message)))
    }

    fn watch(&self, call: &Call<'_>, name: &str) -> Grpc {
        self.shared.decline_early(call, (Status::Unimplemented, format!("{name} is not implemented")))
    }
}

impl Shared {
    /// Reports a call that the kernel does not see.
    pub(super) fn report_call(&self, call: &Call<'_>, verdict: Verdict) {
        let now = self.clock.now();
        if let Some(mut state) = self.lock() {
            self.received(&mut state, now, call, verdict, None);
        }
    }

    /// Who a peer is: what it called itself last, and from where it calls.
    fn client_of(&self, peer: &Peer) -> String {
        let said = |state: &State| {
            state
                .snapshot
                .clients
                .iter()
                .rev()
                .find(|known| known.peer == *peer)
                .map(|known| Arc::clone(&known.client))
        };
        match self.lock().and_then(|state| said(&state)).filter(|client| !client.is_empty()) {
            Some(client) => format!("{client} ({peer})"),
            None => peer.to_string(),
        }
    }

    fn introduce(&self, peer: &Peer, client: &str) {
        let now = self.clock.now();
        let client = Arc::from(words::cut(client, self.limits.shown_text_bytes_max));
        if let Some(mut state) = self.lock() {
            self.emit_transition(
                &mut state,
                now,
                None,
                Transition::Introduced { peer: peer.clone(), client },
                None,
                "",
            );
        }
    }

    /// Waits for what must be durable before a call is answered; `is_accepted` where the answer says so.
    pub(super) async fn wait_durable(&self, after: crate::ids::Ticket, is_accepted: bool) -> CallResult<()> {
        let what = if is_accepted {
            "the message is accepted but not durable yet"
        } else {
            "an earlier message that the answer depends on is not durable yet"
        };
        self.durable(after)
            .await
            .map_err(|why| (Status::Unavailable, format!("{what}; send it again: {why}")))
    }

    /// Tells of what the transport turned away: the status that the call ends with.
    pub(super) fn rejected_by_transport(&self, rpc: Rpc, caller: &Caller, fault: Grpc) -> Grpc {
        // The connection failed, or the client gave up: nothing came, and nobody reads an answer.
        if fault.code() == Code::Cancelled || std::error::Error::source(&fault).is_some() {
            return fault;
        }
        let why = fault.message();
        let answer = match fault.code() {
            Code::OutOfRange => {
                let max = self.limits.payload_bytes_max;
                (
                    Status::ResourceExhausted,
                    format!("limits.macp.payload_bytes_max allows a payload of {max} bytes: {why}"),
                )
            }
            // Said where the call was ended.
            Code::DeadlineExceeded | Code::ResourceExhausted => return fault,
            Code::Unimplemented => (Status::Unimplemented, why.to_owned()),
            _ => (Status::Internal, why.to_owned()),
        };
        let none = Bytes::new();
        let call = Call::new(rpc, caller, &none);
        self.decline_early(&call, answer)
    }

    /// The acknowledgement of a message once it may be given.
    pub(super) async fn acked(&self, answer: Answer) -> CallResult<Acked> {
        match answer {
            Answer::Acked(acked) => {
                self.wait_durable(acked.after, acked.error.is_none()).await.map(|()| acked)
            }
            Answer::Declined { status, why } => Err((status, why)),
            Answer::Session { .. } => Err((Status::Internal, "internal error in the runtime".to_owned())),
        }
    }

    /// Ends a call with a status that the kernel does not see.
    pub(super) fn decline_early(&self, call: &Call<'_>, (status, why): (Status, String)) -> Grpc {
        self.report_call(call, Verdict::Declined(status));
        self.declined(call, status, why)
    }

    /// The bytes of an answer, told of.
    pub(super) fn reply<T: Message>(&self, call: &Call<'_>, told: Answered, message: &T) -> Reply {
        let bytes = Bytes::from(message.encode_to_vec());
        self.answered(call, told, &bytes);
        Reply(bytes)
    }

    /// The status that a call ends with, told of.
    pub(super) fn declined(&self, call: &Call<'_>, status: Status, why: String) -> Grpc {
        self.answered(call, Answered::Status(status), &[]);
        grpc(status, why)
    }

    fn answered(&self, call: &Call<'_>, told: Answered, bytes: &[u8]) {
        let what =
            What::Frame(frame(&call.answered(told), Direction::Outbound, AnyVerdict::Sent, bytes.len()));
        let (cause, trace) = call.entry.get().map_or((None, None), |(seq, trace)| (Some(*seq), *trace));
        self.tap.emit(Draft { at: self.clock.now(), link: Link::Macp, trace, cause, what, bytes });
    }
}

/// Who calls, and what came.
fn opened<T>(request: Request<Received<T>>) -> (Caller, Received<T>) {
    let caller = caller(request.extensions());
    (caller, request.into_inner())
}

/// Who is at the other end of the connection.
pub(super) fn caller(extensions: &http::Extensions) -> Caller {
    let unknown = || Caller { peer: Peer::new("unknown"), origin: Origin::Unknown, connection: None };
    extensions.get::<ConnectInfo>().map_or_else(unknown, |info| info.caller.clone())
}

/// A message, or what tonic answers to bytes that are none.
pub(super) fn decoded<T>(message: Result<T, prost::DecodeError>) -> CallResult<T> {
    message.map_err(|error| (Status::Internal, error.to_string()))
}

/// The message to a client of other versions: some of them, for it goes into a header.
fn no_version(versions: &[String]) -> String {
    const LISTED_MAX: usize = 8;
    const BYTES_MAX: u64 = 32;
    let said: Vec<_> =
        versions.iter().take(LISTED_MAX).map(|version| words::cut(version, BYTES_MAX)).collect();
    let more = versions.len() - said.len();
    let others = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("this runtime supports {} only; the client supports {said:?}{others}", registry::VERSION)
}

pub(super) fn no_envelope() -> (Status, String) {
    (Status::InvalidArgument, "the request has no envelope".to_owned())
}

pub(super) fn grpc(status: Status, why: String) -> Grpc {
    match status {
        Status::InvalidArgument => Grpc::invalid_argument(why),
        Status::NotFound => Grpc::not_found(why),
        Status::Unimplemented => Grpc::unimplemented(why),
        Status::ResourceExhausted => Grpc::resource_exhausted(why),
        Status::Unavailable => Grpc::unavailable(why),
        Status::Internal => Grpc::internal(why),
        Status::DeadlineExceeded => Grpc::deadline_exceeded(why),
    }
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

fn metadata(it: Metadata) -> SessionMetadata {
    SessionMetadata {
        session_id: it.id.to_string(),
        mode: it.mode.into_string(),
        state: wire_state(it.state) as i32,
        started_at_unix_ms: ms(it.started_ms),
        expires_at_unix_ms: ms(it.expires_ms),
        mode_version: it.mode_version.into_string(),
        configuration_version: it.configuration_version.into_string(),
        policy_version: it.policy_version.into_string(),
    }
}
