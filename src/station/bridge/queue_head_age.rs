//! How long the head of each queue has waited.

use std::collections::BTreeMap;

use crate::{
    ids::QueueName,
    mpp,
    tap::{
        EntryRef,
        entry::{
            Transition, What,
            mpp::{RowState, Transition as T},
        },
    },
    time::Now,
};

/// One queue's head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct QueueHead {
    pending: u64,
    held: bool,
    /// Since when the row that is next has been next. Nothing when there is none, or when the queue is held.
    since: Option<Now>,
}

impl QueueHead {
    /// The row that is next became so at this moment.
    fn restart_age(&mut self, at: Now) {
        self.since = (self.pending > 0 && !self.held).then_some(at);
    }
}

/// The heads of the queues that the manifest in force declares. There are as many as it declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueHeadAges(BTreeMap<QueueName, QueueHead>);

impl QueueHeadAges {
    /// Begins anew from a snapshot. A head that waited before it waits on; how long one has waited that is
    /// seen for the first time nobody knows, and it counts from now.
    pub(crate) fn seed(&mut self, mpp: &mpp::Snapshot, at: Now) {
        let before = std::mem::take(&mut self.0);
        for (name, queue) in mpp.queues.iter().filter(|(_, queue)| queue.ready_after.is_some()) {
            let mut head = QueueHead { pending: queue.pending, held: queue.brake.held, since: None };
            head.restart_age(before.get(name.as_str()).and_then(|head| head.since).unwrap_or(at));
            self.0.insert(name.clone(), head);
        }
    }

    /// Takes one entry that follows the snapshot.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>) {
        let What::Transition(Transition::Mpp(transition)) = &entry.entry.what else { return };
        let (queue, at) = match transition {
            T::Enqueued { queue, .. }
            | T::Dispatched { queue, .. }
            | T::Requeued { queue, .. }
            | T::Migrated { queue, .. }
            | T::Braked { queue, .. }
            | T::Failed { queue, from: RowState::Pending, .. } => (queue, entry.entry.at),
            _ => return,
        };
        let Some(head) = self.0.get_mut(queue.as_str()) else { return };
        match transition {
            T::Enqueued { .. } => {
                head.pending += 1;
                head.restart_age(head.since.unwrap_or(at));
            }
            T::Migrated { rows, .. } => {
                head.pending += rows;
                head.restart_age(head.since.unwrap_or(at));
            }
            T::Dispatched { .. } => {
                head.pending = head.pending.saturating_sub(1);
                head.restart_age(at);
            }
            T::Requeued { .. } => {
                head.pending += 1;
                head.restart_age(at);
            }
            T::Failed { .. } => {
                head.pending = head.pending.saturating_sub(1);
                head.restart_age(head.since.unwrap_or(at));
            }
            T::Braked { brake, .. } => {
                head.held = brake.held;
                head.restart_age(head.since.unwrap_or(at));
            }
            _ => {}
        }
    }

    /// The heads that wait, each with the moment since which it does.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (&QueueName, Now)> {
        self.0.iter().filter_map(|(name, head)| Some((name, head.since?)))
    }
}
