//! The topics as they are shown. What makes room for what is the fold's rule, so that both keep the same
//! ones; what the table remembers of a topic to route its messages may go sooner.

use hashbrown::HashMap;
use slab::Slab;

use super::{core::Broker, session::TopicRef, topics::Sessions};
use crate::{
    ids::TopicName,
    rmp::{
        SchemaId,
        routes::{Route, Routes},
        snapshot::{TopicView, evictable},
        topic::{Class, Topic},
    },
    time::Now,
};

/// The topics that are shown.
#[derive(Debug)]
pub(super) struct VisibleTopics {
    all: Slab<VisibleTopic>,
    by_name: HashMap<TopicName, usize>,
    limit: usize,
    stamp: u64,
}

/// One topic.
#[derive(Debug)]
pub(super) struct VisibleTopic {
    topic: Topic,
    pub(super) class: Class,
    pub(super) view: TopicView,
    /// Whether the station itself took the last message: 1 where it did.
    pub(super) station_receivers: u32,
    stamp: u64,
}

/// Where a topic is, as long as it is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisibleTopicRef {
    index: usize,
    stamp: u64,
}

impl VisibleTopics {
    pub(super) fn new(shown_topics_max: u64) -> Self {
        let limit = usize::try_from(shown_topics_max).unwrap_or(usize::MAX);
        Self { all: Slab::new(), by_name: HashMap::new(), limit, stamp: 0 }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &VisibleTopic> {
        self.all.iter().map(|(_, shown)| shown)
    }

    fn at(&mut self, at: VisibleTopicRef) -> Option<&mut VisibleTopic> {
        self.all.get_mut(at.index).filter(|shown| shown.stamp == at.stamp)
    }

    /// The place of a topic; one that is new takes that of others where there is no room.
    fn get_or_insert(
        &mut self,
        now: Now,
        topic: &Topic,
        routes: &Routes,
        sessions: &Sessions,
    ) -> VisibleTopicRef {
        if let Some(place) = self.by_name.get(topic.as_str()).copied()
            && let Some(shown) = self.all.get(place)
        {
            return VisibleTopicRef { index: place, stamp: shown.stamp };
        }
        if self.all.len() >= self.limit {
            let mut found = Vec::new();
            let ranked = self.iter().map(|shown| {
                (shown.current_view(routes, sessions, &mut found).rank(), shown.topic.name().clone())
            });
            for name in evictable(ranked.collect()) {
                if let Some(place) = self.by_name.remove(&name) {
                    self.all.try_remove(place);
                }
            }
        }
        self.stamp += 1;
        let stamp = self.stamp;
        let view = TopicView { last_at: now, ..TopicView::default() };
        let place = self.all.insert(VisibleTopic {
            topic: topic.clone(),
            class: Class::of(topic),
            view,
            station_receivers: 0,
            stamp,
        });
        self.by_name.insert(topic.name().clone(), place);
        VisibleTopicRef { index: place, stamp }
    }
}

impl VisibleTopic {
    pub(super) fn name(&self) -> &TopicName {
        self.topic.name()
    }

    /// The view, with the subscriptions that a message like the last one would be for now.
    pub(super) fn current_view(
        &self,
        routes: &Routes,
        sessions: &Sessions,
        found: &mut Vec<Route>,
    ) -> TopicView {
        let Some(schema_id) = self.view.schema_id.filter(|_| self.view.published > 0) else {
            return self.view.clone();
        };
        routes.matches(&self.topic, found);
        let gets = |route: &&Route| {
            let session = sessions.get(route.connection).filter(|session| session.is_open());
            session.is_some_and(|session| self.class.may_receive(session.kind(), SchemaId(schema_id)).is_ok())
        };
        let count = u32::try_from(found.iter().filter(gets).count()).unwrap_or(u32::MAX);
        TopicView { subscribers: count.saturating_add(self.station_receivers), ..self.view.clone() }
    }
}

impl Broker {
    /// The view of a topic of the table, of which something is told now.
    pub(super) fn visible_topic(&mut self, now: Now, at: TopicRef) -> Option<&mut VisibleTopic> {
        let Self { topics, visible: shown, routes, sessions, .. } = self;
        let state = topics.state(at)?;
        let place = match state.visible {
            Some(place) if shown.at(place).is_some() => place,
            before => {
                let place = shown.get_or_insert(now, &state.topic, routes, sessions);
                state.visible = Some(place);
                topics.used += u64::from(before.is_none());
                place
            }
        };
        shown.at(place)
    }
}
