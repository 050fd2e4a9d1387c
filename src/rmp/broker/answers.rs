//! Answers: made without changing anything, so that a judgement has their very bytes, and queued apart.

use super::{
    core::Broker,
    io::Output,
    session::{RefusalDetail, Session},
};
use crate::{
    ids::{ConnectionId, TraceId},
    rmp::{
        control::{self, FromBroker},
        dialect::{self, JsonRefusal, RequestRef},
    },
    tap::entry::rmp::{CloseCause, Dialect, FrameKind, Head},
    time::Now,
    words::cut,
};

/// An answer that is made and not queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PreparedAnswer {
    pub(super) head: Head,
    /// The frame or unit. A frame has the number that is next.
    pub(super) bytes: Vec<u8>,
    pub(super) trace: Option<TraceId>,
}

impl Broker {
    /// An answer in frames.
    pub(super) fn prepare(
        &self,
        now_ms: u64,
        head: Head,
        answer: &FromBroker<'_>,
        trace: Option<TraceId>,
    ) -> PreparedAnswer {
        let nil = TraceId(uuid::Uuid::nil());
        let header = control::header(now_ms, trace.unwrap_or(nil), self.next_msg_id + 1);
        let mut bytes = Vec::with_capacity(192);
        control::append(&mut bytes, &header, answer);
        PreparedAnswer { head, bytes, trace }
    }

    /// The `Ok` of a frame of this number, or of a Publish of the JSON dialect.
    pub(super) fn prepare_ok(
        &self,
        now_ms: u64,
        dialect: Dialect,
        re: u64,
        trace: Option<TraceId>,
    ) -> PreparedAnswer {
        if dialect == Dialect::Json {
            return prepare_ack(RequestRef::Publish(re), Ok(()));
        }
        let head = Head { kind: Some(FrameKind::Ok), msg_id: Some(re), ..Head::default() };
        self.prepare(now_ms, head, &FromBroker::Ok { re }, trace)
    }

    /// The `Error` of a frame of this number, or of a Publish of the JSON dialect.
    pub(super) fn prepare_error(
        &self,
        now_ms: u64,
        dialect: Dialect,
        re: u64,
        refused: &RefusalDetail,
        trace: Option<TraceId>,
    ) -> PreparedAnswer {
        if dialect == Dialect::Json {
            return prepare_ack(RequestRef::Publish(re), Err(&self.json_refusal(refused)));
        }
        let message = cut(&refused.message, self.settings.limits.error_message_bytes_max);
        let answer = FromBroker::Error { re, code: refused.refusal.name(), message };
        let head = Head {
            kind: Some(FrameKind::Error),
            msg_id: Some(re),
            refusal: Some(refused.refusal),
            ..Head::default()
        };
        self.prepare(now_ms, head, &answer, trace)
    }

    pub(super) fn answer_ok(&mut self, now: Now, id: ConnectionId, re: u64, trace: Option<TraceId>) {
        let answer = self.prepare_ok(self.wall.now_ms(now), self.dialect_of(id), re, trace);
        self.queue_answer(id, answer);
    }

    pub(super) fn answer_error(
        &mut self,
        now: Now,
        id: ConnectionId,
        re: u64,
        refused: &RefusalDetail,
        trace: Option<TraceId>,
    ) {
        let answer = self.prepare_error(self.wall.now_ms(now), self.dialect_of(id), re, refused, trace);
        self.queue_answer(id, answer);
    }

    fn dialect_of(&self, id: ConnectionId) -> Dialect {
        self.sessions.get(id).map(Session::dialect).unwrap_or_default()
    }

    /// Queues an answer; a peer that lets too many pile up is closed.
    pub(super) fn queue_answer(&mut self, id: ConnectionId, answer: PreparedAnswer) {
        let PreparedAnswer { head, bytes, trace } = answer;
        if head.dialect == Dialect::Frames {
            self.next_msg_id += 1;
        }
        let Some(session) = self.sessions.get_mut(id).filter(|session| !session.is_closed()) else { return };
        if session.outbox.push_answer(&bytes).is_err() {
            self.end(id, CloseCause::NotReading);
            return;
        }
        self.waiting.add(session);
        self.outputs.push_back(Output::Answered { session: id, head, frame: bytes, trace });
    }
}

/// The answer to a request of the JSON dialect.
pub(super) fn prepare_ack(asked: RequestRef, result: Result<(), &JsonRefusal>) -> PreparedAnswer {
    let mut bytes = Vec::new();
    let request = match asked {
        RequestRef::Publish(request) => {
            dialect::append_publish_ack(&mut bytes, request, result);
            request
        }
        RequestRef::Subscribe(request) => {
            dialect::append_subscribe_ack(&mut bytes, request, result);
            request
        }
    };
    let kind = if result.is_ok() { FrameKind::Ok } else { FrameKind::Error };
    let head = Head { kind: Some(kind), dialect: Dialect::Json, msg_id: Some(request), ..Head::default() };
    PreparedAnswer { head, bytes, trace: None }
}

/// The answer to a Hello of the JSON dialect.
pub(super) fn prepare_hello_ack() -> PreparedAnswer {
    let mut bytes = Vec::new();
    dialect::append_hello_ack(&mut bytes);
    let head = Head { kind: Some(FrameKind::Welcome), dialect: Dialect::Json, ..Head::default() };
    PreparedAnswer { head, bytes, trace: None }
}
