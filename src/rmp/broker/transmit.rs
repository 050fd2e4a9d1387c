//! What leaves on a connection.

use super::{
    core::Broker,
    drops::{Loss, Lost},
    session::{Phase, TopicRef},
};
use crate::{
    ids::ConnectionId,
    rmp::{
        Dialect,
        dialect::tail_bytes_max,
        outbox::{Expired, Front},
    },
    tap::entry::rmp::DropReason,
    time::Now,
};

/// What a write left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing waits.
    Nothing,
    /// There is more to write.
    More,
}

impl Broker {
    /// Offers what may leave on a connection now to `write`, which tells how many bytes of it left. What expired meanwhile is taken out,
    /// and told by the outputs that follow.
    ///
    /// # Errors
    /// What `write` fails with.
    pub fn transmit<E>(&mut self, now: Now, id: ConnectionId, write: impl FnOnce(&Front<'_>) -> Result<usize, E>) -> Result<Left, E> {
        let now_ms = self.wall.now_ms(now);
        let Self { sessions, budget, losses, settings, .. } = self;
        let Some(session) = sessions.get_mut(id) else { return Ok(Left::Nothing) };
        let dialect = session.dialect();
        let body_bytes_max = match dialect {
            Dialect::Frames => settings.limits.drop_body_bytes_max,
            Dialect::Json => tail_bytes_max(settings.limits.drop_body_bytes_max),
        };
        let front = session.outbox.front(now_ms, budget, |expired: Expired<'_, _>| {
            let Expired { message, expires_at_ms, tag, .. } = expired;
            let (to, from) = (Some((id, tag.sub)), Some(tag.from));
            let lost = Lost { to, from, trace: tag.trace, msg_id: tag.msg_id, expires_at_ms };
            let body = (message.len() as u64 <= body_bytes_max).then(|| bytes::Bytes::copy_from_slice(message));
            losses.push(Loss { topic: Some(tag.topic), reason: DropReason::TtlExpired, lost, body, dialect });
        });
        let taken = if front.slices().is_empty() { Ok(0) } else { write(&front) };
        let left = taken.map(|bytes| {
            session.outbox.advance(bytes, budget);
            if session.outbox.is_empty() { Left::Nothing } else { Left::More }
        });
        session.outbox.lend(budget);
        if !matches!(session.phase, Phase::Open(_)) {
            session.outbox.relax();
        } else if !session.is_dirty {
            session.is_dirty = true;
            self.dirty.push(id);
        }
        self.arm(now);
        if !self.losses.is_empty() {
            // Each loss names its topic.
            self.tell_losses(now, TopicRef { place: usize::MAX, stamp: 0 }, None);
        }
        left
    }
}
