//! The bound of all queues together: past it whoever holds most loses its oldest (ruling RMP 8), which is
//! told within a second, summed by subscription.

use super::{core::Broker, drops::Loss, transmit::taken_out};
use crate::{ids::ConnectionId, rmp::Dialect, tap::entry::rmp::DropReason, time::Now};

impl Broker {
    /// Has those that hold most lose messages until no more is queued than may be, or each holds no more
    /// than it keeps.
    pub(super) fn enforce_bound(&mut self, now: Now) {
        while let Some(owner) = self.budget.holds_most() {
            if !self.cut(now, ConnectionId(owner)) {
                debug_assert!(false, "who is ranked has something to lose");
                break;
            }
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
