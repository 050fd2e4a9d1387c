//! The state as a reader of the tap starts from it: figures as they were told last, so that the entries that follow carry it on.

use std::collections::BTreeMap;

use super::{core::Broker, topics::TopicState};
use crate::rmp::{
    SchemaId,
    routes::Route,
    snapshot::{Snapshot, TopicView},
};

impl Broker {
    /// What holds now, all outputs drained.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let peers = self.sessions.iter().filter(|session| !session.is_closed()).map(|session| (session.id, session.view()));
        let shown_max = usize::try_from(self.settings.limits.shown_topics_max).unwrap_or(usize::MAX);
        let mut topics: Vec<_> = self.topics.states().filter(|state| state.is_shown()).collect();
        if topics.len() > shown_max {
            topics.select_nth_unstable_by_key(shown_max, |state| std::cmp::Reverse(state.view.rank()));
            topics.truncate(shown_max);
        }
        let mut found = Vec::new();
        let topics: BTreeMap<_, _> =
            topics.into_iter().map(|state| (state.topic.name().clone(), self.view_of(state, &mut found))).collect();
        Snapshot { listener: self.listener.clone(), peers: peers.collect(), topics, drops: self.drops.clone(), totals: self.totals }
    }

    /// A topic with the subscriptions that a message like the last one would be for.
    fn view_of(&self, state: &TopicState, found: &mut Vec<Route>) -> TopicView {
        let Some(schema_id) = state.view.schema_id.filter(|_| state.view.published > 0) else { return state.view.clone() };
        self.routes.matches(&state.topic, found);
        let gets = |route: &&Route| {
            let session = self.sessions.get(route.connection).filter(|session| session.is_open());
            session.is_some_and(|session| state.class.may_receive(session.kind(), SchemaId(schema_id)).is_ok())
        };
        let count = u32::try_from(found.iter().filter(gets).count()).unwrap_or(u32::MAX);
        TopicView { subscribers: count.saturating_add(state.heard), ..state.view.clone() }
    }
}
