//! What the station says itself on the bus, and what it answers to an operator alone.

use bytes::Bytes;

use super::{
    core::Broker,
    deliver::Message,
    io::{Output, STATION, StationMessage, Wire},
    session::{Tag, TopicRef},
};
use crate::{
    ids::{ConnectionId, TraceId},
    rmp::{
        Header, SchemaId,
        control::{self, FromBroker},
        encode,
        outbox::{Delivery, Payload},
        topic::{OPERATOR, TAP},
    },
    tap::entry::{
        Redaction,
        rmp::{FrameKind, Head},
    },
    time::Now,
};

/// How long an answer to an operator is worth delivering.
const ANSWER_TTL_MS: u64 = 30_000;
/// Bytes of answers that wait for one operator before the next part has to.
const ANSWERED_BYTES_MAX: u64 = 1 << 20;

/// Why an operator does not get an answer now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// It is gone, or does not subscribe to `rlp/operator`.
    Gone,
    /// It has not read what it was sent: try again when something of it has left.
    Full,
}

impl Broker {
    /// Publishes a message of the station's own, and returns its frame. It is tapped as one that came in,
    /// except the tap's own entries (ruling RMP 17). A body that no client would take reaches nobody.
    pub fn publish(&mut self, now: Now, own: &StationMessage) -> Bytes {
        self.check_clock(now);
        let StationMessage { topic, schema_id, trace, ttl_ms, body } = own;
        self.responders.clear();
        if body.len() as u64 > self.settings.limits.body_bytes_max {
            self.responders.refuse();
            return Bytes::new();
        }
        let Ok(at) = self.topic_at(topic.as_str()) else { return Bytes::new() };
        let Some((frame, header)) = self.frame(now, *schema_id, *trace, *ttl_ms, body) else {
            return Bytes::new();
        };
        let message = station_message(&frame, header);
        let reached = self.deliver(now, at, &message);
        self.watch_responders(now, *ttl_ms);
        if topic.as_str() != TAP {
            let head = Head {
                kind: Some(FrameKind::Publish),
                topic: Some(topic.clone()),
                schema_id: Some(schema_id.0),
                msg_id: Some(header.msg_id),
                ..Head::default()
            };
            let verdict = reached.verdict();
            let redaction = Redaction::None;
            self.outputs.push_back(Output::Received {
                session: STATION,
                head,
                verdict,
                redaction,
                trace: Some(*trace),
            });
            self.count(now, at, STATION, &message, reached, frame.len() as u64);
        }
        self.emit_notices(now, at, None);
        self.enforce_bounds(now);
        frame
    }

    /// Publishes what is told in the tap in another way.
    pub(super) fn publish_untapped(
        &mut self,
        now: Now,
        topic: &str,
        schema_id: SchemaId,
        trace: TraceId,
        ttl_ms: u64,
        body: &[u8],
    ) {
        let Ok(at) = self.topic_at(topic) else { return };
        if !self.has_subscribers(at) {
            return;
        }
        let Some((frame, header)) = self.frame(now, schema_id, trace, ttl_ms, body) else { return };
        let before = self.losses.len();
        self.deliver(now, at, &station_message(&frame, header));
        self.suppress_losses(now, at, before);
    }

    fn has_subscribers(&mut self, at: TopicRef) -> bool {
        let Self { topics, routes, sessions, .. } = self;
        topics.resolve_targets(at, routes, sessions).is_some_and(|state| !state.targets.is_empty())
    }

    fn frame(
        &mut self,
        now: Now,
        schema_id: SchemaId,
        trace: TraceId,
        ttl_ms: u64,
        body: &[u8],
    ) -> Option<(Bytes, Header)> {
        let header = Header {
            schema_id,
            created_at_ms: self.wall.now_ms(now),
            ttl_ms,
            trace_id: trace,
            msg_id: self.msg_id(),
        };
        encode::frame(&header, body).ok().map(|frame| (Bytes::from(frame), header))
    }

    /// Gives one session an answer on `rlp/operator`; nobody else gets it, and it is not tapped (ruling RMP
    /// 6).
    ///
    /// # Errors
    /// [`AnswerError`]; nothing is changed.
    pub fn answer_operator(
        &mut self,
        now: Now,
        id: ConnectionId,
        trace: TraceId,
        body: &[u8],
    ) -> Result<(), AnswerError> {
        let (frame, header) =
            self.frame(now, SchemaId::OPERATOR_RESP, trace, ANSWER_TTL_MS, body).ok_or(AnswerError::Gone)?;
        let session =
            self.sessions.get_mut(id).filter(|session| session.is_open()).ok_or(AnswerError::Gone)?;
        let topic = crate::rmp::topic::Topic::parse(OPERATOR).map_err(|_| AnswerError::Gone)?;
        let mine = session.subs.iter().find(|(_, sub)| sub.pattern.matches(&topic));
        let (number, slot) = mine.map(|(_, sub)| (sub.number, sub.slot)).ok_or(AnswerError::Gone)?;
        let account = session.outbox.queue_stats(slot);
        let room = self.settings.limits.queue_bytes_max.min(ANSWERED_BYTES_MAX);
        let is_full = account.messages >= self.settings.limits.queue_messages_max / 2
            || account.bytes + frame.len() as u64 > room;
        if account.messages > 0 && is_full {
            return Err(AnswerError::Full);
        }
        let mut head = Vec::new();
        let deliver = control::header(header.created_at_ms, trace, header.msg_id);
        control::append(&mut head, &deliver, &FromBroker::Deliver { sub: number, topic: OPERATOR });
        let expires_at_ms = header.created_at_ms.saturating_add(ANSWER_TTL_MS);
        let tag = Tag::Frames { from: STATION };
        // What is tried again is not lost, and not counted as that.
        let bytes = (head.len() + frame.len()) as u64;
        if session.outbox.full(slot, bytes, (bytes, bytes), &self.budget.queued(bytes)).is_some() {
            return Err(AnswerError::Full);
        }
        let delivery = Delivery { head: &head, message: Payload::Shared(&frame), expires_at_ms, tag };
        session.outbox.queue_delivery(slot, delivery, &mut self.budget);
        self.waiting.add(session);
        self.touch(id);
        self.enforce_bounds(now);
        Ok(())
    }
}

fn station_message(frame: &Bytes, header: Header) -> Message<'_> {
    let Header { schema_id, created_at_ms, ttl_ms, trace_id, msg_id } = header;
    let expires_at_ms = created_at_ms.saturating_add(ttl_ms);
    Message {
        frame: Wire::Owned(frame),
        trace: trace_id,
        msg_id,
        schema_id,
        expires_at_ms,
        from: STATION,
        is_counted: false,
    }
}
