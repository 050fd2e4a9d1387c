//! The state as a reader of the tap starts from it: figures as they were told last, so that the entries that
//! follow carry it on.

use std::collections::BTreeMap;

use super::core::Broker;
use crate::rmp::snapshot::Snapshot;

impl Broker {
    /// Bytes of messages that are queued on all connections.
    #[must_use]
    pub fn queued_bytes(&self) -> u64 {
        self.budget.bytes()
    }

    /// What holds now, all outputs drained.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let peers = self
            .sessions
            .iter()
            .filter(|session| !session.is_closed())
            .map(|session| (session.id, session.view()));
        let mut found = Vec::new();
        let view = |shown: &super::visible_topics::VisibleTopic| {
            (shown.name().clone(), shown.current_view(&self.routes, &self.sessions, &mut found))
        };
        let topics: BTreeMap<_, _> = self.visible.iter().map(view).collect();
        Snapshot {
            listener: self.listener.clone(),
            peers: peers.collect(),
            topics,
            drops: self.drops.clone(),
            recent_drops: self.recent_drops.clone(),
            forgot_at: self.forgot_at,
            forgot_lost_at: self.forgot_lost_at,
            totals: self.totals,
        }
    }
}
