//! A client over gRPC.

use std::{error::Error as _, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::stream;
use tokio::sync::mpsc;
use tonic::{
    Response, Status, Streaming,
    transport::{Channel, Endpoint},
};

use super::endpoints;
use crate::{
    cli::{config::Settings, error::Error, report, session_error::SessionError},
    macp::{
        proto::v1::{
            Ack, CancelSessionRequest, ClientInfo, Envelope, GetSessionRequest, InitializeRequest,
            SendRequest, SessionMetadata, StreamSessionRequest, StreamSessionResponse,
            macp_runtime_service_client::MacpRuntimeServiceClient,
        },
        registry,
    },
};

/// After how long it is told that a runtime is silent.
const SILENCE_NOTE_AFTER: Duration = Duration::from_secs(3);
/// How long connecting may take.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// A runtime that is connected to. Clones share the connection, which is made again when it is lost.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    client: MacpRuntimeServiceClient<Channel>,
    addr: SocketAddr,
    answer_ms_max: u64,
    /// Clones have the same.
    connection: Arc<()>,
}

/// What a stream answers.
pub(crate) struct Answers {
    stream: Streaming<StreamSessionResponse>,
    addr: SocketAddr,
}

impl Runtime {
    /// Connects to the first place where a runtime answers, and says what this is.
    ///
    /// # Errors
    /// [`SessionError::Unreachable`] with every place that was tried, or what the runtime has against it.
    pub(crate) async fn connect(settings: &Settings, what: &str) -> Result<Self, Error> {
        if settings.discovery.token_file.is_some() {
            // Who shows a token means to be held to it.
            let hint =
                "remove --token-file: the port has no access control; `macp.grpc` decides who can reach it";
            return Err(Error::usage(
                "the MACP port does not support tokens: its clients are anonymous",
                hint,
            ));
        }
        let mut failed = Vec::new();
        for addr in endpoints(settings)? {
            match Self::connect_to(addr, settings.limits.client.answer_ms_max).await {
                Ok(mut runtime) => {
                    runtime.initialize(what).await?;
                    return Ok(runtime);
                }
                Err(why) => failed.push((addr, why)),
            }
        }
        Err(SessionError::Unreachable { tried: failed }.into())
    }

    async fn connect_to(addr: SocketAddr, answer_ms_max: u64) -> Result<Self, String> {
        let endpoint = Endpoint::new(format!("http://{addr}"))
            .map_err(|error| error.to_string())?
            .connect_timeout(CONNECT_MAX);
        let channel = endpoint.connect().await.map_err(|error| innermost(&error))?;
        Ok(Self {
            client: MacpRuntimeServiceClient::new(channel),
            addr,
            answer_ms_max,
            connection: Arc::default(),
        })
    }

    /// Whether it is the same connection.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.connection, &other.connection)
    }

    /// Where it is.
    pub(crate) const fn addr(&self) -> SocketAddr {
        self.addr
    }

    async fn initialize(&mut self, what: &str) -> Result<(), Error> {
        let client_info = ClientInfo {
            name: format!("rl-console {what}"),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..ClientInfo::default()
        };
        let supported_protocol_versions = vec![registry::VERSION.to_owned()];
        let request = InitializeRequest {
            supported_protocol_versions,
            client_info: Some(client_info),
            capabilities: None,
        };
        let mut client = self.client.clone();
        self.answered(client.initialize(request)).await.map(drop)
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The call ended otherwise than with an acknowledgement.
    pub(crate) async fn send(&self, envelope: Envelope) -> Result<Ack, Error> {
        let mut client = self.client.clone();
        let response = self.answered(client.send(SendRequest { envelope: Some(envelope) })).await?;
        response.ack.ok_or(Error::UnexpectedAnswer)
    }

    /// Ends a session before its time.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub(crate) async fn cancel(&self, session: &str, reason: &str) -> Result<Ack, Error> {
        let request = CancelSessionRequest { session_id: session.to_owned(), reason: reason.to_owned() };
        let mut client = self.client.clone();
        self.answered(client.cancel_session(request)).await?.ack.ok_or(Error::UnexpectedAnswer)
    }

    /// How a session stands.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], or the call ended otherwise.
    pub(crate) async fn session(&self, session: &str) -> Result<SessionMetadata, Error> {
        let mut client = self.client.clone();
        let asked =
            self.answered(client.get_session(GetSessionRequest { session_id: session.to_owned() })).await;
        match asked {
            Err(Error::Session(SessionError::Declined { status: tonic::Code::NotFound, .. })) => {
                Err(SessionError::Unknown { session: session.to_owned() }.into())
            }
            asked => asked?.metadata.ok_or(Error::UnexpectedAnswer),
        }
    }

    /// Opens a stream of the messages that come from `messages`; it ends when nobody can send there any more.
    ///
    /// # Errors
    /// The call ended.
    pub(crate) async fn stream(&self, messages: mpsc::Receiver<Envelope>) -> Result<Answers, Error> {
        let requests = stream::unfold(messages, |mut messages| async move {
            let envelope = messages.recv().await?;
            Some((StreamSessionRequest { envelope: Some(envelope) }, messages))
        });
        let mut client = self.client.clone();
        let stream = self.answered(client.stream_session(requests)).await?;
        Ok(Answers { stream, addr: self.addr })
    }

    /// What a call answers, in time.
    async fn answered<T>(&self, call: impl Future<Output = Result<Response<T>, Status>>) -> Result<T, Error> {
        let ms = self.answer_ms_max;
        let patience = async {
            tokio::time::sleep(SILENCE_NOTE_AFTER).await;
            report::print_note(&format!(
                "no answer from the runtime at {} yet; waiting for up to {ms} ms",
                self.addr
            ));
            std::future::pending::<()>().await;
        };
        let call = async {
            tokio::select! {
                answer = call => answer,
                () = patience => Err(Status::cancelled("")),
            }
        };
        match tokio::time::timeout(Duration::from_millis(ms), call).await {
            Err(_) => Err(SessionError::TimedOut { ms }.into()),
            Ok(answer) => answer.map(Response::into_inner).map_err(|status| ended(self.addr, &status).into()),
        }
    }
}

impl Answers {
    /// The next answer; nothing once all are given. Safe to be dropped while it waits.
    ///
    /// # Errors
    /// The stream ended otherwise.
    pub(crate) async fn next(&mut self) -> Result<Option<Envelope>, Error> {
        let answer = self.stream.message().await.map_err(|status| ended(self.addr, &status))?;
        answer.map(|answer| answer.envelope.ok_or(Error::UnexpectedAnswer)).transpose()
    }
}

/// Why a call ended: what the runtime says, or that it is gone.
fn ended(addr: SocketAddr, status: &Status) -> SessionError {
    match status.source() {
        // Nothing that the runtime said: the connection broke.
        Some(why) => SessionError::Lost { addr, why: innermost(why) },
        None => SessionError::Declined { status: status.code(), why: status.message().to_owned() },
    }
}

/// What lies beneath an error; the ones around it only say that there was one.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(beneath) = error.source() {
        error = beneath;
    }
    error.to_string()
}
