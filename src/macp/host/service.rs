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
    ids::{Peer, Seq},
    macp::{
        Answered, Rpc, Status, Transition, Verdict, envelope,
        kernel::{Acked, Answer},
        proto::v1::{
            CancelSessionRequest, GetManifestRequest, GetSessionRequest, InitializeRequest, ListModesRequest,
            ListRootsRequest, SendRequest, StreamSessionRequest, WatchModeRegistryRequest, WatchRootsRequest,
        },
        reply,
        request::{Declined, decoded, envelope_of, not_implemented, too_long},
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
pub(super) type CallResult<T> = Result<T, Declined>;

#[tonic::async_trait]
impl MACPRuntimeService for Service {
    async fn initialize(
        &self,
        request: Request<Received<InitializeRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = opened(request);
        let call = Call::new(Rpc::Initialize, &caller, &received.bytes);
        let answer = decoded(received.message).and_then(|message| {
            let answer = reply::initialize(&message)?;
            if let Some(name) = reply::client_name(&message) {
                self.shared.introduce(&caller.peer, name);
            }
            Ok(answer)
        });
        self.plain(&call, answer).await
    }

    async fn send(&self, request: Request<Received<SendRequest>>) -> Result<Response<Reply>, Grpc> {
        let given = given(request.metadata());
        let (caller, received) = self.opened(Rpc::Send, request).await?;
        let call = Call::new(Rpc::Send, &caller, &received.bytes);
        let envelope = decoded(received.message).and_then(|message| envelope_of(message.envelope));
        let envelope = match envelope {
            Ok(envelope) => envelope,
            Err(error) => return Err(self.shared.decline_early(&call, error)),
        };
        let call = call.with(&envelope, &self.shared.limits);
        let bytes = envelope::bytes_within(&received.bytes, &envelope);
        let answer = self.shared.ask(&call, Ask::Message(&envelope, &bytes, given.as_ref())).await;
        let answer = self.shared.acked(answer).await;
        self.reply(
            &call,
            answer.map(|it| (it.answered(), reply::sent(it, envelope.session_id, envelope.message_id))),
        )
        .await
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
        let (caller, received) = self.opened(Rpc::GetSession, request).await?;
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
        self.reply(&call, answer.map(|it| (Answered::Ok, reply::session(it)))).await
    }

    async fn cancel_session(
        &self,
        request: Request<Received<CancelSessionRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = self.opened(Rpc::CancelSession, request).await?;
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
        self.reply(&call, answer.map(|it| (it.answered(), reply::cancelled(it, message.session_id)))).await
    }

    async fn get_manifest(
        &self,
        request: Request<Received<GetManifestRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = self.opened(Rpc::GetManifest, request).await?;
        let call = Call::new(Rpc::GetManifest, &caller, &received.bytes);
        self.plain(&call, decoded(received.message).map(|_| reply::manifest())).await
    }

    async fn list_modes(
        &self,
        request: Request<Received<ListModesRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = self.opened(Rpc::ListModes, request).await?;
        let call = Call::new(Rpc::ListModes, &caller, &received.bytes);
        self.plain(&call, decoded(received.message).map(|_| reply::modes())).await
    }

    type WatchModeRegistryStream = Replies;

    async fn watch_mode_registry(
        &self,
        request: Request<Received<WatchModeRegistryRequest>>,
    ) -> Result<Response<Replies>, Grpc> {
        let (caller, received) = self.opened(Rpc::WatchModeRegistry, request).await?;
        Err(self.watch(&Call::new(Rpc::WatchModeRegistry, &caller, &received.bytes)))
    }

    async fn list_roots(
        &self,
        request: Request<Received<ListRootsRequest>>,
    ) -> Result<Response<Reply>, Grpc> {
        let (caller, received) = self.opened(Rpc::ListRoots, request).await?;
        let call = Call::new(Rpc::ListRoots, &caller, &received.bytes);
        self.plain(&call, decoded(received.message).map(|_| reply::roots())).await
    }

    type WatchRootsStream = Replies;

    async fn watch_roots(
        &self,
        request: Request<Received<WatchRootsRequest>>,
    ) -> Result<Response<Replies>, Grpc> {
        let (caller, received) = self.opened(Rpc::WatchRoots, request).await?;
        Err(self.watch(&Call::new(Rpc::WatchRoots, &caller, &received.bytes)))
    }
}

impl Service {
    /// Who calls, and what came, once the gate lets it go.
    async fn opened<T: Message + Default>(
        &self,
        rpc: Rpc,
        request: Request<Received<T>>,
    ) -> Result<(Caller, Received<T>), Grpc> {
        let (caller, received) = opened(request);
        self.shared.gated(rpc, caller, received).await
    }

    /// Answers a call that concerns no session.
    async fn plain<T: Message>(
        &self,
        call: &Call<'_>,
        answer: CallResult<T>,
    ) -> Result<Response<Reply>, Grpc> {
        let message = answer.map_err(|declined| self.shared.decline_early(call, declined))?;
        self.shared.report_call(call, Verdict::Accepted);
        Ok(Response::new(self.shared.reply(call, Answered::Ok, &message).await?))
    }

    async fn reply<T: Message>(
        &self,
        call: &Call<'_>,
        answer: CallResult<(Answered, T)>,
    ) -> Result<Response<Reply>, Grpc> {
        let (told, message) = answer.map_err(|(status, why)| self.shared.declined(call, status, why))?;
        Ok(Response::new(self.shared.reply(call, told, &message).await?))
    }

    fn watch(&self, call: &Call<'_>) -> Grpc {
        self.shared.decline_early(call, not_implemented(call.head.rpc))
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
            Code::OutOfRange => too_long(why, &self.limits),
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
    pub(super) fn decline_early(&self, call: &Call<'_>, (status, why): Declined) -> Grpc {
        self.report_call(call, Verdict::Declined(status));
        self.declined(call, status, why)
    }

    /// The bytes of an answer, told of, once the gate lets it go.
    pub(super) async fn reply<T: Message>(
        &self,
        call: &Call<'_>,
        told: Answered,
        message: &T,
    ) -> Result<Reply, Grpc> {
        let bytes = Bytes::from(message.encode_to_vec());
        if !self.gate.is_armed(Link::Macp, Direction::Outbound) || call.head.rpc == Rpc::Initialize {
            self.answered(call, told, &bytes);
            return Ok(Reply(bytes));
        }
        self.reply_gated(&call.answered(told), bytes).await.map(Reply)
    }

    /// The status that a call ends with, told of.
    pub(super) fn declined(&self, call: &Call<'_>, status: Status, why: String) -> Grpc {
        self.answered(call, Answered::Status(status), &[]);
        grpc(status, why)
    }

    fn answered(&self, call: &Call<'_>, told: Answered, bytes: &[u8]) {
        let cause = call.entry.get().map(|(seq, _)| *seq);
        self.tell_answer(&call.answered(told), bytes, cause);
    }

    /// Tells of an answer that leaves.
    pub(super) fn tell_answer(&self, answer: &Call<'_>, bytes: &[u8], cause: Option<Seq>) {
        let what = What::Frame(frame(answer, Direction::Outbound, AnyVerdict::Sent, bytes.len()));
        let trace = answer.entry.get().and_then(|(_, trace)| *trace);
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
    let unknown = || Caller {
        peer: Peer::new("unknown"),
        origin: Origin::Unknown,
        connection: None,
        by_hand: None,
        passed: None,
    };
    extensions.get::<ConnectInfo>().map_or_else(unknown, |info| info.caller.clone())
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
