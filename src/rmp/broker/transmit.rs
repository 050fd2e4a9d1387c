//! What leaves on a connection.

use super::{
    core::Broker,
    drops::{Loss, LostMessage},
    session::{JsonDeliveryInfo, Phase, Session, Tag, TopicRef},
};
use crate::{
    ids::{ConnectionId, TopicName},
    rmp::{
        Body, Dialect, Header, RawFrame,
        control::FromBroker,
        dialect::tail_bytes_max,
        outbox::{Front, TakenOut},
    },
    tap::entry::rmp::DropReason,
    time::Now,
};

/// Containers of a Deliver: the envelope, the payload and its fields.
const DELIVER_DEPTH: usize = 3;
const EXPIRED: DropReason = DropReason::TtlExpired;

/// What a write left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteProgress {
    /// Nothing waits.
    Drained,
    /// There is more to write.
    Pending,
}

impl Broker {
    /// Offers what may leave on a connection now to `write`, which tells how many bytes of it left. What
    /// expired meanwhile is taken out, and told by the outputs that follow.
    ///
    /// # Errors
    /// What `write` fails with.
    pub fn transmit<E>(
        &mut self,
        now: Now,
        id: ConnectionId,
        write: impl FnOnce(Front<'_>) -> Result<usize, E>,
    ) -> Result<WriteProgress, E> {
        let now_ms = self.wall.now_ms(now);
        let Self { sessions, budget, losses, settings, .. } = self;
        let Some(session) = sessions.get_mut(id) else { return Ok(WriteProgress::Drained) };
        let dialect = session.dialect();
        let body_bytes_max = body_bytes_max(dialect, settings.limits.drop_body_bytes_max);
        let front = session
            .outbox
            .front(now_ms, budget, |it| losses.extend(taken_out(id, dialect, body_bytes_max, it, EXPIRED)));
        let taken = if front.slices().is_empty() { Ok(0) } else { write(front) };
        let left = taken.map(|bytes| {
            session.outbox.advance(bytes, budget);
            if session.outbox.is_empty() { WriteProgress::Drained } else { WriteProgress::Pending }
        });
        note_expired(session, losses);
        session.outbox.release_spare(budget);
        if !matches!(session.phase, Phase::Open(_)) {
            session.outbox.release_memory();
        } else if !session.is_dirty {
            session.is_dirty = true;
            self.dirty.push(id);
        }
        self.emit_expired_notices(now);
        // What has begun to leave now, another connection may have to lose.
        self.enforce_bounds(now);
        self.arm(now);
        left
    }

    /// Takes what expired out of a connection's queue, whether anything leaves it or not.
    pub(super) fn expire(&mut self, now: Now, id: ConnectionId) {
        let now_ms = self.wall.now_ms(now);
        let Self { sessions, budget, losses, settings, dirty, .. } = self;
        let Some(session) = sessions.get_mut(id) else { return };
        let dialect = session.dialect();
        let body_bytes_max = body_bytes_max(dialect, settings.limits.drop_body_bytes_max);
        session
            .outbox
            .expire(now_ms, budget, |it| losses.extend(taken_out(id, dialect, body_bytes_max, it, EXPIRED)));
        note_expired(session, losses);
        if !losses.is_empty() && !session.is_dirty {
            session.is_dirty = true;
            dirty.push(id);
        }
        self.arm(now);
        self.emit_expired_notices(now);
    }

    fn emit_expired_notices(&mut self, now: Now) {
        if !self.losses.is_empty() {
            self.emit_named_losses(now);
            self.enforce_bounds(now);
        }
    }

    /// Tells of losses that each name their topic.
    pub(super) fn emit_named_losses(&mut self, now: Now) {
        self.emit_notices(now, TopicRef { index: usize::MAX, stamp: 0 }, None);
    }
}

/// Subscriptions of a session that lost something by expiry are not full any more.
fn note_expired(session: &mut Session, losses: &[Loss]) {
    for (_, number) in losses.iter().filter_map(|loss| loss.lost.to) {
        session.note_room(number);
    }
}

/// Bytes of a message in this dialect at most that are shown when it is lost.
fn body_bytes_max(dialect: Dialect, drop_body_bytes_max: u64) -> u64 {
    match dialect {
        Dialect::Frames => drop_body_bytes_max,
        Dialect::Json => tail_bytes_max(drop_body_bytes_max),
    }
}

/// The loss of a message that was taken out of a connection's queue.
pub(super) fn taken_out(
    id: ConnectionId,
    dialect: Dialect,
    body_bytes_max: u64,
    it: TakenOut<'_, Tag>,
    reason: DropReason,
) -> Option<Loss> {
    let TakenOut { head, message, expires_at_ms, tag, .. } = it;
    let told = delivery_info(tag, head, message)?;
    let (to, from) = (Some((id, told.sub)), Some(told.from));
    let lost = LostMessage { to, from, trace: told.trace, msg_id: told.msg_id, expires_at_ms };
    let body = (message.len() as u64 <= body_bytes_max).then(|| bytes::Bytes::copy_from_slice(message));
    Some(Loss { topic: Some(told.topic), reason, body, dialect, ..Loss::of(lost) })
}

/// The delivery of a message that was taken out: by its tag, or by the Deliver and the header that were made
/// or judged here.
fn delivery_info(tag: Tag, head: &[u8], message: &[u8]) -> Option<JsonDeliveryInfo> {
    let from = match tag {
        Tag::Json(told) => return Some(*told),
        Tag::Frames { from } => from,
    };
    let Header { trace_id: trace, msg_id, .. } = Header::from(&RawFrame::split(message)?.header);
    let body = Body::decode(RawFrame::split(head)?.body, DELIVER_DEPTH).ok()?;
    let Ok(FromBroker::Deliver { sub, topic }) = FromBroker::decode(&body) else { return None };
    Some(JsonDeliveryInfo { topic: TopicName::new(topic), from, sub, trace, msg_id })
}
