//! The bound of all queues together: past it whoever holds most loses its oldest (ruling RMP 8), which is
//! told within a second, summed by subscription.

use std::time::Duration;

use super::{core::Broker, drops::Loss, session::Session, transmit::taken_out};
use crate::{
    ids::ConnectionId,
    rmp::Dialect,
    tap::entry::rmp::{CloseCause, DropReason},
    time::Now,
};

impl Broker {
    /// No more is queued, and no more topics are known, than may be. Each makes work for the other: what is
    /// told of a topic that is forgotten is queued, and what is lost for that names its topic again. For each
    /// topic that comes again a client's message was lost, so this ends.
    pub(super) fn enforce_bounds(&mut self, now: Now) {
        self.enforce_bound(now);
        while self.shrink(now) {
            self.enforce_bound(now);
        }
    }

    /// Has those that hold most lose messages until no more is queued than may be, or each holds no more
    /// than it keeps.
    fn enforce_bound(&mut self, now: Now) {
        while let Some(owner) = self.budget.holds_most() {
            if !self.cut(now, ConnectionId(owner)) {
                debug_assert!(false, "who is ranked has something to lose");
                break;
            }
        }
    }

    /// Closes connections that took nothing for `limits.rmp.full_ms_max` while more is queued than may be,
    /// though those that hold most lost what they could: all but what has begun to leave, and an only
    /// message.
    pub(super) fn end_stalled(&mut self, now: Now) {
        if !self.budget.is_over() {
            return;
        }
        let Self { sessions, budget, settings, .. } = self;
        let (floor, max) = (budget.floor(), Duration::from_millis(settings.limits.full_ms_max));
        let stalled = |session: &mut Session| {
            let holds_much = !session.is_closed() && session.outbox.bytes() > floor;
            (holds_much && session.is_stalled(now.mono, max)).then_some(session.id)
        };
        let ended: Vec<_> = sessions.iter_mut().filter_map(stalled).collect();
        for id in ended {
            self.end(id, CloseCause::NotReading);
        }
    }

    /// Takes the oldest message out of a connection's queue, for all its subscriptions there.
    fn cut(&mut self, now: Now, id: ConnectionId) -> bool {
        debug_assert!(self.losses.is_empty(), "what was lost before is told before");
        let Self { sessions, budget, losses, .. } = self;
        let Some(session) = sessions.get_mut(id) else { return false };
        let was_cut = session.outbox.cut(budget, |cut| {
            let reason = DropReason::BackpressureTimeout;
            losses.extend(
                taken_out(id, Dialect::Frames, 0, cut, reason).map(|it| Loss { is_held: true, ..it }),
            );
        });
        for loss in &*losses {
            if let Some(place) = loss.lost.to.and_then(|(_, sub)| session.sub_indexes.get(&sub)) {
                session.note_full(now.mono, *place);
            }
        }
        self.touch(id);
        self.emit_named_losses(now);
        was_cut
    }
}
