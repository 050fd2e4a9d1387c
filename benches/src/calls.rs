//! A client of MACP's service that takes as little of the processor as it can, so that the servers are what
//! is measured: one HTTP/2 connection, requests made once and copied, no layers in between.

use std::{future::poll_fn, net::SocketAddr};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use color_eyre::eyre::{Report, Result, WrapErr, bail, ensure, eyre};
use h2::{RecvStream, SendStream, client};
use http::{HeaderMap, Request, header};
use prost::Message;
use tokio::net::TcpStream;

use crate::v1::{Ack, Envelope, SendRequest, SendResponse, StreamSessionRequest, StreamSessionResponse};

/// The bytes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// What a server may send before it is read.
const WINDOW: u32 = 1 << 20;
/// The longest answer that is read.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// One connection, and one caller on it; a clone is another caller.
#[derive(Clone)]
pub struct Client {
    h2: client::SendRequest<Bytes>,
    send: Request<()>,
    stream: Request<()>,
}

impl Client {
    /// Connects from within a [`LocalSet`](tokio::task::LocalSet).
    ///
    /// # Errors
    /// Nobody speaks HTTP/2 there.
    pub async fn connect(addr: SocketAddr) -> Result<Self> {
        let socket = TcpStream::connect(addr).await?;
        socket.set_nodelay(true)?;
        let mut builder = client::Builder::new();
        builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
        let (h2, connection) = builder.handshake(socket).await?;
        // An end of it is told to every call.
        tokio::task::spawn_local(async move { drop(connection.await) });
        let request = |method: &str| {
            Request::post(format!("http://{addr}/macp.v1.MACPRuntimeService/{method}"))
                .header(header::CONTENT_TYPE, "application/grpc")
                .header(header::TE, "trailers")
                .body(())
        };
        Ok(Self { h2, send: request("Send")?, stream: request("StreamSession")? })
    }

    /// One `Send`, and its answer.
    ///
    /// # Errors
    /// The call fails.
    pub async fn send(&mut self, envelope: Envelope) -> Result<Ack> {
        let request = self.send.clone();
        let (mut sender, mut answers) = self.call(request).await?;
        sender.0.send_data(framed(&SendRequest { envelope: Some(envelope) })?, true)?;
        let answer: Option<SendResponse> = answers.next().await?;
        ensure!(answers.next::<SendResponse>().await?.is_none(), "two answers to one call");
        answer.and_then(|answer| answer.ack).ok_or_else(|| eyre!("an answer without an Ack"))
    }

    /// A `StreamSession`, to send on and to read from.
    ///
    /// # Errors
    /// The call cannot be made.
    pub async fn stream(&mut self) -> Result<(Sender, Answers)> {
        let request = self.stream.clone();
        self.call(request).await
    }

    async fn call(&mut self, request: Request<()>) -> Result<(Sender, Answers)> {
        poll_fn(|context| self.h2.poll_ready(context)).await?;
        let (answer, body) = self.h2.send_request(request, false)?;
        Ok((Sender(body), Answers { answer: Some(answer), body: None, read: BytesMut::new() }))
    }
}

/// The half of a call that is sent.
pub struct Sender(SendStream<Bytes>);

impl Sender {
    /// Sends one more message.
    ///
    /// # Errors
    /// The call has ended.
    pub fn send(&mut self, envelope: Envelope) -> Result<()> {
        Ok(self.0.send_data(framed(&StreamSessionRequest { envelope: Some(envelope) })?, false)?)
    }
}

/// The half of a call that is read.
pub struct Answers {
    answer: Option<client::ResponseFuture>,
    body: Option<RecvStream>,
    read: BytesMut,
}

impl Answers {
    /// The envelope of the next answer of a stream.
    ///
    /// # Errors
    /// The stream has ended.
    pub async fn envelope(&mut self) -> Result<Envelope> {
        let answer: Option<StreamSessionResponse> = self.next().await?;
        answer
            .and_then(|answer| answer.envelope)
            .ok_or_else(|| eyre!("the stream ended, or an answer without an envelope"))
    }

    async fn next<M: Message + Default>(&mut self) -> Result<Option<M>> {
        if let Some(answer) = self.answer.take() {
            let (head, body) = answer.await?.into_parts();
            judge(&head.headers)?;
            self.body = Some(body);
        }
        let Some(body) = &mut self.body else { bail!("the call failed before") };
        loop {
            if let Some(message) = unframed(&mut self.read)? {
                return Ok(Some(M::decode(message)?));
            }
            let Some(bytes) = body.data().await.transpose()? else { break };
            body.flow_control().release_capacity(bytes.len())?;
            self.read.extend_from_slice(&bytes);
        }
        ensure!(self.read.is_empty(), "the answer ends in the middle of a message");
        let trailers = body.trailers().await?.ok_or_else(|| eyre!("an answer without a status"))?;
        ensure!(trailers.contains_key("grpc-status"), "an answer without a status");
        judge(&trailers).map(|()| None)
    }
}

/// # Errors
/// These headers have a status, and it is not OK.
fn judge(headers: &HeaderMap) -> Result<()> {
    match headers.get("grpc-status") {
        Some(status) if status != "0" => Err(eyre!("status {status:?}: {:?}", headers.get("grpc-message"))),
        _ => Ok(()),
    }
}

fn framed(message: &impl Message) -> Result<Bytes> {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).wrap_err("a message that is too long")?);
    message.encode(&mut bytes)?;
    Ok(bytes.freeze())
}

/// The first whole message of what was read.
fn unframed(read: &mut BytesMut) -> Result<Option<Bytes>, Report> {
    let Some((prefix, _)) = read.split_first_chunk::<PREFIX>() else { return Ok(None) };
    let [compressed, length @ ..] = *prefix;
    let length = usize::try_from(u32::from_be_bytes(length))?;
    ensure!(compressed == 0 && length <= ANSWER_BYTES_MAX, "an answer of {length} bytes, or compressed");
    if read.len() < PREFIX + length {
        return Ok(None);
    }
    read.advance(PREFIX);
    Ok(Some(read.split_to(length).freeze()))
}
