//! What a client says, as bytes.

use super::{fault::SendError, hello::Hello, message::Message, session::Start};
use crate::{
    ids::TraceId,
    rmp::{
        Header, PREFIX_BYTES, RawFrame,
        control::{self, FromClient, Message as _, Token},
        topic::{Pattern, Topic},
    },
};

/// Topics whose Publish is remembered as bytes; beyond, the one used least recently goes.
const CACHED_PUBLISHES_MAX: usize = 16;
/// The capacity kept of a buffer that grew for something large.
const RETAINED_BYTES_MAX: usize = 1 << 20;

/// Gathers frames until they are taken and written. Numbers rise from frame to frame; a Publish and its
/// message have the same one.
#[derive(Debug)]
pub struct SendHalf {
    out: Vec<u8>,
    next_id: u64,
    next_sub: u64,
    /// The trace of control frames that belong to no message.
    trace: TraceId,
    body_bytes_max: u64,
    /// The last one used first.
    cached_publishes: Vec<CachedPublish>,
}

/// The body of a Publish for a topic that is one.
#[derive(Debug)]
struct CachedPublish {
    topic: Box<str>,
    ack: bool,
    body: Box<[u8]>,
}

impl SendHalf {
    /// Begins with a Hello.
    #[must_use]
    pub(super) fn new(hello: &Hello, start: Start, body_bytes_max: u64) -> Self {
        let Start { now_ms, first_id, trace } = start;
        let mut sending = Self {
            out: Vec::new(),
            next_id: first_id.max(1),
            next_sub: 1,
            trace,
            body_bytes_max,
            cached_publishes: Vec::new(),
        };
        let token = hello.token.as_deref().map(Token);
        sending.control(
            now_ms,
            &FromClient::Hello { v: control::VERSION, client: &hello.client, kind: hello.kind.name(), token },
        );
        sending
    }

    /// From now on, bodies of so many bytes at most are sent.
    pub fn limit_bodies(&mut self, body_bytes_max: u64) {
        self.body_bytes_max = body_bytes_max;
    }

    /// Asks for the messages of topics. Says the number of the request and that of the subscription.
    ///
    /// # Errors
    /// [`SendError::Topic`].
    pub fn subscribe(&mut self, now_ms: u64, pattern: &str) -> Result<(u64, u64), SendError> {
        Pattern::parse(pattern).map_err(|fault| SendError::Topic { topic: pattern.into(), fault })?;
        let sub = self.next_sub;
        self.next_sub += 1;
        Ok((self.control(now_ms, &FromClient::Subscribe { sub, topic: pattern }), sub))
    }

    /// Ends a subscription. Says the number of the request.
    pub fn unsubscribe(&mut self, now_ms: u64, sub: u64) -> u64 {
        self.control(now_ms, &FromClient::Unsubscribe { sub })
    }

    /// Asks for a Pong. Pongs come in the order of their Pings.
    pub fn ping(&mut self, now_ms: u64) {
        self.control(now_ms, &FromClient::Ping {});
    }

    /// Publishes a message. Says its number, by which it is answered when `ack` asks for that.
    ///
    /// # Errors
    /// [`SendError::Topic`], [`SendError::TooLarge`]. Nothing is sent then.
    pub fn publish(
        &mut self,
        now_ms: u64,
        topic: &str,
        message: &Message,
        ack: bool,
    ) -> Result<u64, SendError> {
        self.check_body(message.body.len())?;
        let id = self.announce(now_ms, topic, message.trace_id, ack)?;
        let Message { schema_id, trace_id, ttl_ms, ref body } = *message;
        control::append_body(
            &mut self.out,
            &Header { schema_id, created_at_ms: now_ms, ttl_ms, trace_id, msg_id: id },
            body,
        );
        Ok(id)
    }

    /// Publishes a frame byte for byte, whatever it says, as long as its `frame_len` is its length. Says the
    /// number of the request.
    ///
    /// # Errors
    /// [`SendError::NotOneFrame`], [`SendError::Topic`]. Nothing is sent then.
    pub fn publish_frame(
        &mut self,
        now_ms: u64,
        topic: &str,
        frame: &[u8],
        ack: bool,
    ) -> Result<u64, SendError> {
        let not_one = SendError::NotOneFrame { bytes: frame.len() };
        let Some((prefix, rest)) = frame.split_first_chunk::<PREFIX_BYTES>() else { return Err(not_one) };
        if usize::try_from(u32::from_be_bytes(*prefix)).ok() != Some(rest.len()) {
            return Err(not_one);
        }
        let trace = RawFrame::split(frame).map_or(self.trace, |raw| Header::from(&raw.header).trace_id);
        let id = self.announce(now_ms, topic, trace, ack)?;
        self.out.extend_from_slice(frame);
        Ok(id)
    }

    /// Bytes that wait to be taken.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.out.len()
    }

    /// Takes what waits and leaves the room of `spare`, which is emptied.
    pub fn take(&mut self, spare: &mut Vec<u8>) {
        spare.clear();
        spare.shrink_to(RETAINED_BYTES_MAX);
        std::mem::swap(&mut self.out, spare);
    }

    fn check_body(&self, bytes: usize) -> Result<(), SendError> {
        let (bytes, bytes_max) = (bytes as u64, self.body_bytes_max);
        if bytes > bytes_max { Err(SendError::TooLarge { bytes, bytes_max }) } else { Ok(()) }
    }

    fn id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    fn control(&mut self, now_ms: u64, message: &FromClient<'_>) -> u64 {
        let id = self.id();
        control::append(&mut self.out, &control::header(now_ms, self.trace, id), message);
        id
    }

    /// The Publish before a message.
    fn announce(&mut self, now_ms: u64, topic: &str, trace: TraceId, ack: bool) -> Result<u64, SendError> {
        self.cache_publish(topic, ack)?;
        let id = self.id();
        if let Some(CachedPublish { body, .. }) = self.cached_publishes.first() {
            control::append_body(&mut self.out, &control::header(now_ms, trace, id), body);
        }
        Ok(id)
    }

    /// Brings the Publish for a topic to the front.
    fn cache_publish(&mut self, topic: &str, ack: bool) -> Result<(), SendError> {
        match self.cached_publishes.iter().position(|known| known.ack == ack && *known.topic == *topic) {
            Some(0) => {}
            Some(at) => self.cached_publishes.get_mut(..=at).unwrap_or_default().rotate_right(1),
            None => {
                Topic::check(topic).map_err(|fault| SendError::Topic { topic: topic.into(), fault })?;
                let body = FromClient::Publish { topic, ack }.body().into();
                self.cached_publishes.truncate(CACHED_PUBLISHES_MAX - 1);
                self.cached_publishes.insert(0, CachedPublish { topic: topic.into(), ack, body });
            }
        }
        Ok(())
    }
}
