//! The state as a reader of the tap starts from it: figures as they were told last, so that the entries that follow carry it on.

use std::collections::BTreeMap;

use super::core::Broker;
use crate::rmp::snapshot::Snapshot;

impl Broker {
    /// What holds now, all outputs drained.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let peers = self.sessions.iter().filter(|session| !session.is_closed()).map(|session| (session.id, session.view()));
        let shown_max = usize::try_from(self.settings.limits.shown_topics_max).unwrap_or(usize::MAX);
        let mut topics: Vec<_> = self.topics.states().filter(|state| state.is_shown()).collect();
        if topics.len() > shown_max {
            topics.select_nth_unstable_by_key(shown_max, |state| std::cmp::Reverse(state.view.last_at.mono));
            topics.truncate(shown_max);
        }
        let topics: BTreeMap<_, _> = topics.into_iter().map(|state| (state.topic.name().clone(), state.view.clone())).collect();
        Snapshot { listener: self.listener.clone(), peers: peers.collect(), topics, drops: self.drops.clone(), totals: self.totals }
    }
}
