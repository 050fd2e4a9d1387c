//! The floor: a tonic server with the same messages that accepts whatever comes.
#![expect(clippy::print_stdout, reason = "whoever started it reads its address there")]

use std::{net::Ipv4Addr, pin::Pin};

use color_eyre::eyre::Result;
use futures_util::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming, transport::server::TcpIncoming};

use crate::v1::{
    self,
    macp_runtime_service_server::{MacpRuntimeService, MacpRuntimeServiceServer},
};

struct Echo;

type Out<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Serves on a spare loopback port, which it prints first, until it is killed.
///
/// # Errors
/// The runtime or the listener cannot be made.
pub(crate) fn serve() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{}", listener.local_addr()?);
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        tonic::transport::Server::builder()
            .add_service(MacpRuntimeServiceServer::new(Echo))
            .serve_with_incoming(incoming)
            .await?;
        Ok(())
    })
}

fn none<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("only what is measured is answered"))
}

#[tonic::async_trait]
impl MacpRuntimeService for Echo {
    type StreamSessionStream = Out<v1::StreamSessionResponse>;
    type WatchModeRegistryStream = Out<v1::WatchModeRegistryResponse>;
    type WatchRootsStream = Out<v1::WatchRootsResponse>;

    async fn send(&self, request: Request<v1::SendRequest>) -> Result<Response<v1::SendResponse>, Status> {
        let envelope = request.into_inner().envelope.unwrap_or_default();
        let ack = v1::Ack {
            ok: true,
            message_id: envelope.message_id,
            session_id: envelope.session_id,
            accepted_at_unix_ms: envelope.timestamp_unix_ms,
            session_state: v1::SessionState::Open.into(),
            ..v1::Ack::default()
        };
        Ok(Response::new(v1::SendResponse { ack: Some(ack) }))
    }

    async fn stream_session(
        &self,
        request: Request<Streaming<v1::StreamSessionRequest>>,
    ) -> Result<Response<Self::StreamSessionStream>, Status> {
        let answers = request.into_inner().map(|request| {
            let envelope = request?.envelope.unwrap_or_default();
            let (message_type, sender) = ("Ack".to_owned(), "_runtime".to_owned());
            let message_id = format!("ack-{}", envelope.message_id);
            let payload =
                bytes::Bytes::from_static(br#"{"duplicate":false,"ok":true,"session_state":"Open"}"#);
            let envelope = v1::Envelope { message_type, sender, message_id, payload, ..envelope };
            Ok(v1::StreamSessionResponse { envelope: Some(envelope) })
        });
        Ok(Response::new(Box::pin(answers)))
    }

    async fn initialize(
        &self,
        _: Request<v1::InitializeRequest>,
    ) -> Result<Response<v1::InitializeResponse>, Status> {
        none()
    }

    async fn get_session(
        &self,
        _: Request<v1::GetSessionRequest>,
    ) -> Result<Response<v1::GetSessionResponse>, Status> {
        none()
    }

    async fn cancel_session(
        &self,
        _: Request<v1::CancelSessionRequest>,
    ) -> Result<Response<v1::CancelSessionResponse>, Status> {
        none()
    }

    async fn get_manifest(
        &self,
        _: Request<v1::GetManifestRequest>,
    ) -> Result<Response<v1::GetManifestResponse>, Status> {
        none()
    }

    async fn list_modes(
        &self,
        _: Request<v1::ListModesRequest>,
    ) -> Result<Response<v1::ListModesResponse>, Status> {
        none()
    }

    async fn watch_mode_registry(
        &self,
        _: Request<v1::WatchModeRegistryRequest>,
    ) -> Result<Response<Self::WatchModeRegistryStream>, Status> {
        none()
    }

    async fn list_roots(
        &self,
        _: Request<v1::ListRootsRequest>,
    ) -> Result<Response<v1::ListRootsResponse>, Status> {
        none()
    }

    async fn watch_roots(
        &self,
        _: Request<v1::WatchRootsRequest>,
    ) -> Result<Response<Self::WatchRootsStream>, Status> {
        none()
    }
}
