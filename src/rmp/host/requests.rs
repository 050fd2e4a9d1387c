//! What the station asks of the bus.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::run::Host;
use crate::{
    ids::{ConnectionId, Seq, TopicName, TraceId},
    judged::Judged,
    rmp::{
        Header, RawFrame, SchemaId, Snapshot, Stand,
        broker::{AnswerError, DeliveryReport, StationMessage},
    },
    tap::{OriginCell, PutError, entry::FrameOrigin},
    time::Now,
};

/// What the station asks of the bus.
#[derive(Debug)]
pub enum Request {
    /// The state, and the last entry of this link that it includes.
    Snapshot {
        /// Where it goes.
        answer: oneshot::Sender<(Seq, Snapshot)>,
    },
    /// Ends a connection.
    Kick {
        /// Whose.
        session: ConnectionId,
        /// The operator's entry in the tap.
        cause: Option<Seq>,
        /// Whether there was one.
        answer: oneshot::Sender<bool>,
    },
    /// A message of the station's own on a topic. It never waits for a subscriber.
    Publish {
        /// The topic.
        topic: TopicName,
        /// What the body is.
        schema_id: SchemaId,
        /// What it belongs to.
        trace: TraceId,
        /// How long it is worth delivering, in milliseconds; not 0.
        ttl_ms: u64,
        /// The MsgPack envelope.
        body: Bytes,
        /// Told whom of those that may answer it reached.
        report: Option<oneshot::Sender<PublishReport>>,
    },
    /// A part of an answer to one operator's session alone.
    Answer {
        /// Whose.
        session: ConnectionId,
        /// The trace of what it asked.
        trace: TraceId,
        /// The MsgPack envelope.
        body: Bytes,
        /// Answered with true once it is in the session's queue, with false when the session is gone: who
        /// answers waits for room there.
        sent: oneshot::Sender<bool>,
    },
    /// Takes in a connection that the station made, whose other end is the workbench's.
    Adopt {
        /// Its host's end.
        stream: std::os::unix::net::UnixStream,
        /// Whose it is.
        origin: OriginCell,
        /// Told its session; dropped where there is no place for it.
        answer: oneshot::Sender<ConnectionId>,
    },
    /// Puts whole frames into a session's connection, as if the broker had sent them.
    Put {
        /// Whose.
        session: ConnectionId,
        /// The frames, or units of the JSON dialect.
        bytes: Bytes,
        /// Who made them.
        origin: Arc<FrameOrigin>,
        /// Told when they are in its queue.
        answer: oneshot::Sender<Result<(), PutError>>,
    },
    /// What would be made of bytes that are not sent yet.
    Judge {
        /// Where they would come in.
        stand: Stand,
        /// The bytes; the first frame in them is judged, or the first `Publish` with its message.
        bytes: Bytes,
        /// Where the judgement goes.
        answer: oneshot::Sender<Judged>,
    },
    /// Fails by a fault of ours.
    #[cfg(test)]
    Break,
    /// Ends the host once every connection was told.
    Stop {
        /// Answered when it is done.
        answer: oneshot::Sender<()>,
    },
}

/// What became of a message of the station's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishReport {
    /// Whom it reached of those that may answer it.
    pub delivery: DeliveryReport,
    /// Its number, by which [`BusEvent::Unread`](super::BusEvent::Unread) names it; 0 where it went to
    /// nobody.
    pub msg_id: u64,
}

/// A part of an answer that waits for room in its session's queue.
#[derive(Debug)]
pub(super) struct AnswerPart {
    trace: TraceId,
    body: Bytes,
    sent: oneshot::Sender<bool>,
}

impl Host {
    pub(super) fn on_request(&mut self, now: Now, request: Request) {
        self.cause = None;
        match request {
            Request::Snapshot { answer } => {
                let _ = answer.send((self.last_seq, self.broker.snapshot()));
            }
            Request::Kick { session, cause, answer } => {
                self.cause = cause;
                let _ = answer.send(self.broker.kick(now, session));
                self.drain(now, &[]);
            }
            Request::Publish { topic, schema_id, trace, ttl_ms, body, report: reached } => {
                let own = StationMessage { topic, schema_id, trace, ttl_ms, body };
                let frame = self.broker.publish(now, &own);
                // Whom it reached takes looking up where it is nobody.
                let told = reached.map(|reached| (reached, self.broker.delivery_report(own.topic.as_str())));
                self.drain(now, &frame);
                if let Some((reached, reach)) = told {
                    let msg_id = RawFrame::split(&frame).map_or(0, |raw| Header::from(&raw.header).msg_id);
                    let _ = reached.send(PublishReport { delivery: reach, msg_id });
                }
            }
            Request::Answer { session, trace, body, sent } => {
                let parts_max = self.limits.answer_parts_max;
                let parts = self.parts.entry(session).or_default();
                if (parts.len() as u64) < parts_max {
                    parts.push_back(AnswerPart { trace, body, sent });
                }
                self.answer_parts(now, session);
            }
            Request::Put { session, bytes, origin, answer } => {
                let _ = answer.send(self.put(now, session, &bytes, origin));
            }
            Request::Adopt { .. } => {}
            Request::Judge { stand, bytes, answer } => {
                if let Some(inbox) = &self.station_inbox {
                    self.broker.set_inbox_capacity(inbox.capacity());
                }
                let _ = answer.send(self.broker.judge(now, &stand, &bytes));
            }
            #[cfg(test)]
            Request::Break => std::panic::panic_any("on purpose"),
            Request::Stop { answer } => {
                let _ = answer.send(());
            }
        }
        self.finish_turn(now);
    }

    /// Puts as many parts into a session's queue as it takes.
    pub(super) fn answer_parts(&mut self, now: Now, session: ConnectionId) {
        let Some(parts) = self.parts.get_mut(&session) else { return };
        while let Some(part) = parts.front() {
            match self.broker.answer_operator(now, session, part.trace, &part.body) {
                Err(AnswerError::Full) => return,
                result => {
                    if let Some(part) = parts.pop_front() {
                        let _ = part.sent.send(result.is_ok());
                    }
                }
            }
        }
        self.parts.remove(&session);
    }
}
