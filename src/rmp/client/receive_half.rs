//! What the broker says, out of the bytes that came.

use std::collections::HashMap;

use bytes::{Buf as _, Bytes, BytesMut};

use super::{
    delivery::Delivery,
    fault::{RefusalReply, Violation},
    hello::Welcome,
};
use crate::{
    ids::{ConnectionId, TopicName},
    rmp::{
        self, Body, HEADER_BYTES, Kind, PREFIX_BYTES, RawHeader, SchemaId, body::BodyFault,
        control::FromBroker, decode::check_prefix,
    },
};

/// Room for one read. What is read at once shares it.
pub(super) const CHUNK_BYTES: usize = 256 << 10;
/// Room below which a new piece is made rather than reading little.
const ROOM_BYTES_MIN: usize = 16 << 10;
/// Bodies of Delivers that are remembered with what they say; past it all are forgotten.
const CACHED_DELIVERS_MAX: usize = 1_024;
/// Containers within containers of a control frame's body.
const DEPTH_MAX: usize = 16;
/// Bytes before a body.
const HEAD_BYTES: usize = PREFIX_BYTES + HEADER_BYTES;
/// How the header of every frame begins: magic, `header_version`, `header_len`.
const IDENTITY: &[u8] = b"RMP0\x00\x00\x00\x40";

/// Something that the broker said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The session is open. It comes first, unless the session is refused.
    Welcome(Welcome),
    /// The answer to what had this number, 0 if it had none.
    Answer {
        /// The number.
        re: u64,
        /// Whether it was done.
        result: Result<(), RefusalReply>,
    },
    /// A message.
    Delivery(Delivery),
    /// The answer to the oldest Ping.
    Pong,
    /// The protocol was broken. Nothing follows.
    Broken(Violation),
}

/// Cuts what was read into events. Append to [`buffer`](Self::buffer), then take every event out with
/// [`next`](Self::next).
#[derive(Debug)]
pub struct ReceiveHalf {
    buffer: BytesMut,
    /// How often room was made: what was read into the same room is kept by any part of it.
    chunk: u64,
    body_bytes_max: u64,
    welcomed: bool,
    dead: bool,
    /// What Delivers say, by the bytes of their bodies.
    cached_delivers: HashMap<Box<[u8]>, (u64, TopicName)>,
    /// The last of them.
    last: Option<(Bytes, u64, TopicName)>,
}

/// A frame at the front of the buffer.
struct FrameBounds {
    /// Its bytes, the prefix included.
    bytes: usize,
    schema_id: SchemaId,
}

/// What a control frame says.
enum ControlEvent {
    Event(Event),
    Deliver(u64, TopicName),
}

impl ReceiveHalf {
    pub(super) fn new(body_bytes_max: u64) -> Self {
        let cached_delivers = HashMap::new();
        Self {
            buffer: BytesMut::new(),
            chunk: 0,
            body_bytes_max,
            welcomed: false,
            dead: false,
            cached_delivers,
            last: None,
        }
    }

    /// Where to append what was read. There is room for 16 KiB at least, and for 256 KiB in a new piece.
    #[must_use]
    pub fn buffer(&mut self) -> &mut BytesMut {
        if self.buffer.capacity() - self.buffer.len() < ROOM_BYTES_MIN {
            // A frame that is larger than a piece gets as much again as has come.
            self.buffer.reserve(CHUNK_BYTES.max(self.buffer.len()));
            self.chunk += 1;
        }
        &mut self.buffer
    }

    /// Which piece of room the last delivery lies in.
    pub(super) fn chunk(&self) -> u64 {
        self.chunk
    }

    /// Bytes of an event that has not come whole.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// The next event, if all of it is here.
    #[expect(clippy::should_implement_trait, reason = "nothing for now is not the end of a stream")]
    pub fn next(&mut self) -> Option<Event> {
        if self.dead {
            self.buffer.clear();
            return None;
        }
        match self.next_event() {
            Ok(event) => event,
            Err(fault) => {
                self.dead = true;
                Some(Event::Broken(fault))
            }
        }
    }

    fn next_event(&mut self) -> Result<Option<Event>, Violation> {
        let Some(control) = self.frame_at(0)? else { return Ok(None) };
        if control.schema_id != SchemaId::CONTROL {
            return Err(Violation::NotControl(control.schema_id));
        }
        let (sub, topic) = match self.cached_deliver(control.bytes) {
            Some(known) => known,
            None => match self.read(control.bytes)? {
                ControlEvent::Deliver(sub, topic) => (sub, topic),
                ControlEvent::Event(event) => {
                    self.buffer.advance(control.bytes);
                    return Ok(Some(event));
                }
            },
        };
        let Some(message) = self.frame_at(control.bytes)? else { return Ok(None) };
        let mut wire = self.buffer.split_to(control.bytes + message.bytes).freeze();
        wire.advance(control.bytes);
        Ok(Some(Event::Delivery(Delivery { sub, topic, wire })))
    }

    /// The frame that begins here, once all of it has come.
    fn frame_at(&self, at: usize) -> Result<Option<FrameBounds>, Violation> {
        let rest = self.buffer.get(at..).unwrap_or_default();
        let Some((prefix, rest)) = rest.split_first_chunk::<PREFIX_BYTES>() else { return Ok(None) };
        let frame_len = u32::from_be_bytes(*prefix);
        check_prefix(frame_len, self.body_bytes_max).map_err(Violation::Frame)?;
        let Some(header) = rest.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        if !header.starts_with(IDENTITY) {
            RawHeader::decode(header).check_identity().map_err(Violation::Frame)?;
        }
        let bytes = usize::try_from(frame_len).unwrap_or(usize::MAX);
        let schema_id = SchemaId(u16::from_be_bytes([header[12], header[13]]));
        Ok((rest.len() >= bytes).then_some(FrameBounds { bytes: PREFIX_BYTES + bytes, schema_id }))
    }

    /// What a Deliver says whose bytes came before.
    fn cached_deliver(&mut self, bytes: usize) -> Option<(u64, TopicName)> {
        let body = self.buffer.get(HEAD_BYTES..bytes)?;
        if let Some((known, sub, topic)) = &self.last
            && *known == *body
        {
            return Some((*sub, topic.clone()));
        }
        let (sub, topic) = self.cached_delivers.get(body)?.clone();
        self.last = Some((Bytes::copy_from_slice(body), sub, topic.clone()));
        Some((sub, topic))
    }

    /// Reads the control frame at the front.
    fn read(&mut self, bytes: usize) -> Result<ControlEvent, Violation> {
        let fault = |fault: BodyFault| Violation::Frame(rmp::Error::BodyDecodeError(fault));
        let bytes = self.buffer.get(HEAD_BYTES..bytes).unwrap_or_default();
        let body = Body::decode(bytes, DEPTH_MAX).map_err(fault)?;
        let message = FromBroker::decode(&body).map_err(fault)?;
        let is_greeting = matches!(message, FromBroker::Welcome { .. } | FromBroker::Error { .. });
        if !self.welcomed && !is_greeting {
            return Err(Violation::NotWelcomed(message.name()));
        }
        Ok(ControlEvent::Event(match message {
            FromBroker::Welcome { .. } if self.welcomed => return Err(Violation::WelcomedAgain),
            FromBroker::Welcome { session, kind, body_bytes_max, server } => {
                let welcome = Welcome {
                    session: ConnectionId(session),
                    kind: Kind::from_name(kind).ok_or_else(|| Violation::UnknownKind(kind.into()))?,
                    body_bytes_max,
                    server: server.into(),
                };
                self.welcomed = true;
                self.body_bytes_max = body_bytes_max;
                Event::Welcome(welcome)
            }
            FromBroker::Ok { re } => Event::Answer { re, result: Ok(()) },
            FromBroker::Error { re, code, message } => {
                Event::Answer { re, result: Err(RefusalReply { code: code.into(), message: message.into() }) }
            }
            FromBroker::Pong {} => Event::Pong,
            FromBroker::Deliver { sub, topic } => {
                let topic = TopicName::new(topic);
                if self.cached_delivers.len() >= CACHED_DELIVERS_MAX {
                    self.cached_delivers.clear();
                }
                self.cached_delivers.insert(bytes.into(), (sub, topic.clone()));
                return Ok(ControlEvent::Deliver(sub, topic));
            }
        }))
    }
}
