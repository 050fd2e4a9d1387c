//! A call of the coordination runtime of the workbench's own: bytes of request messages, as they are.

use std::{
    future::{Ready, ready},
    io,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::{Buf as _, BufMut as _, Bytes};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::mpsc, task::JoinHandle};
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::{Service, http::Uri, http::uri::PathAndQuery, tokio_stream::wrappers::ReceiverStream},
    transport::{Channel, Endpoint},
};

use crate::macp::Rpc;

/// Messages of a stream that wait to leave.
const WAITING_MAX: usize = 16;
/// Bytes of a message in either direction, which the runtime bounds by itself.
const MESSAGE_BYTES_MAX: usize = 256 << 20;

/// A call, or a stream that stays open.
#[derive(Debug)]
pub(super) struct CallDoor {
    rpc: Rpc,
    client: Grpc<Channel>,
    /// The way into an open stream, and who reads what comes out of it.
    stream: Mutex<Option<(mpsc::Sender<Bytes>, JoinHandle<()>)>>,
    ended: Arc<Mutex<Option<String>>>,
}

impl CallDoor {
    /// Over a connection that is there.
    pub(super) async fn open(rpc: Rpc, stream: TcpStream) -> Result<Self, String> {
        let endpoint = Endpoint::from_static("http://127.0.0.1");
        let channel = endpoint.connect_with_connector(Once(Some(stream))).await.map_err(|error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            source.unwrap_or_else(|| error.to_string())
        })?;
        let client = Grpc::new(channel)
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(MESSAGE_BYTES_MAX);
        Ok(Self { rpc, client, stream: Mutex::new(None), ended: Arc::default() })
    }

    /// Why it is over, if it is.
    pub(super) fn ended(&self) -> Option<String> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends one message: as a call, or into the stream, which it opens. The status that the call ends with
    /// is in the tap; an error is the transport's.
    pub(super) async fn send(&self, message: Bytes) -> Result<(), String> {
        let mut client = self.client.clone();
        client.ready().await.map_err(|error| error.to_string())?;
        let path = PathAndQuery::try_from(format!("/macp.v1.MACPRuntimeService/{}", self.rpc.name()))
            .map_err(|error| error.to_string())?;
        if self.rpc != Rpc::StreamSession {
            // What it is answered with, the tap tells.
            let _ = client.unary(Request::new(message), path, Raw).await;
            return Ok(());
        }
        let way =
            self.stream.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(way, _)| way.clone());
        let way = way.unwrap_or_else(|| self.begin(client, path));
        way.send(message).await.map_err(|_| self.ended().unwrap_or_else(|| "the stream is over".to_owned()))
    }

    fn begin(&self, mut client: Grpc<Channel>, path: PathAndQuery) -> mpsc::Sender<Bytes> {
        let (way, messages) = mpsc::channel(WAITING_MAX);
        let ended = Arc::clone(&self.ended);
        let reading = tokio::spawn(async move {
            let request = Request::new(ReceiverStream::new(messages));
            let why = match client.streaming(request, path, Raw).await {
                Ok(answers) => read_away(answers.into_inner()).await,
                Err(status) => describe(&status),
            };
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        });
        let open = (way.clone(), reading);
        *self.stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(open);
        way
    }

    /// Ends the stream from this side.
    pub(super) fn shut(&self) {
        // Its end is sent as the last sender goes; the reader ends with the call.
        drop(self.stream.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Drop for CallDoor {
    fn drop(&mut self) {
        if let Some((_, reading)) = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take() {
            reading.abort();
        }
    }
}

async fn read_away(mut answers: tonic::Streaming<Bytes>) -> String {
    loop {
        match answers.message().await {
            Ok(Some(_)) => {}
            Ok(None) => return "the stream has ended".to_owned(),
            Err(status) => return describe(&status),
        }
    }
}

fn describe(status: &Status) -> String {
    format!("{:?}: {}", status.code(), status.message())
}

/// Hands out one connection.
struct Once(Option<TcpStream>);

impl Service<Uri> for Once {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let gone = || io::Error::new(io::ErrorKind::NotConnected, "the connection is closed");
        ready(self.0.take().map(TokioIo::new).ok_or_else(gone))
    }
}

/// A codec that passes bytes as they are.
#[derive(Clone, Copy, Debug)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, bytes: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(bytes);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
