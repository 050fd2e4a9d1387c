//! The topics that were published on: what is counted of each, whom it reaches, and what its subscribers have
//! seen.

use std::cell::Cell;

use hashbrown::HashMap;
use slab::Slab;

use super::{
    drops::Notices,
    session::{Session, TopicRef},
    visible_topics::VisibleTopicRef,
};
use crate::{
    ids::{ConnectionId, TopicName},
    rmp::{
        Kind,
        control::{self, FromBroker},
        dedupe::{Dedupe, Scope},
        outbox::Slot,
        routes::{Route, Routes},
        topic::{Class, Topic},
    },
    tap::entry::rmp::Dialect,
    time::Now,
};

/// Topics that are looked at together for whether they reach anybody.
const UNSUBSCRIBED_SCAN_MAX: usize = 4_096;
/// Subscriptions over all topics whose place is kept; beyond, all are looked up again.
const TARGETS_MAX: usize = 65_536;

/// The topics.
#[derive(Debug)]
pub(super) struct Topics {
    states: Slab<TopicState>,
    by_name: HashMap<TopicName, usize>,
    limit: usize,
    stamp: u64,
    /// The stamp of the topic that was added last, reserved ones aside.
    newest: u64,
    /// Subscriptions whose place is kept, over all topics.
    targets: usize,
    /// Topics that were used.
    pub(super) used: u64,
    found: Vec<Route>,
    /// The revision of the routes for which it is looked which topics reach nobody, and from which place on.
    unsubscribed_scan: (Option<u64>, usize),
}

/// One topic.
#[derive(Debug)]
pub(super) struct TopicState {
    pub(super) topic: Topic,
    pub(super) class: Class,
    pub(super) notices: Notices,
    pub(super) scope: Option<Scope>,
    /// The subscriptions that it reaches, those of a session behind one another.
    pub(super) targets: Vec<Target>,
    /// The revision of the routes that the targets are of.
    revision: Option<u64>,
    stamp: u64,
    /// Where it is shown, once something was told of it.
    pub(super) visible: Option<VisibleTopicRef>,
    /// When it was used last, by the stamps.
    used: u64,
}

/// A subscription that a topic reaches.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) session: usize,
    pub(super) id: ConnectionId,
    pub(super) sub: usize,
    pub(super) number: u64,
    pub(super) slot: Slot,
    pub(super) kind: Kind,
    pub(super) dialect: Dialect,
    /// Whether it may answer what the station asks on its topic.
    pub(super) serves: bool,
    /// The Deliver that is written before the message.
    pub(super) head: Box<[u8]>,
    /// Whether the message that is given out is queued for it.
    pub(super) is_queued: bool,
}

impl Target {
    /// The subscriptions that a topic reaches now, looked up; those of a session follow one another.
    pub(super) fn all(topic: &Topic, routes: &Routes, sessions: &Sessions) -> Vec<Self> {
        let mut found = Vec::new();
        routes.matches(topic, &mut found);
        let mut targets: Vec<_> =
            found.into_iter().filter_map(|route| target(route, topic, sessions)).collect();
        targets.sort_by_key(|target| target.session);
        targets
    }

    /// The Deliver of one message: what differs from the last one is written over it.
    pub(super) fn head(&mut self, created_at_ms: u64, trace_id: u128, msg_id: u64) -> &[u8] {
        /// Where the fields begin in a frame (rmp-v0 §1.1, its prefix included).
        const CREATED_AT_MS: usize = 24;
        const TRACE_ID: usize = 40;
        const MSG_ID: usize = 56;
        let mut put = |at: usize, bytes: &[u8]| {
            if let Some(place) = self.head.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        };
        put(CREATED_AT_MS, &created_at_ms.to_be_bytes());
        put(TRACE_ID, &trace_id.to_be_bytes());
        put(MSG_ID, &msg_id.to_be_bytes());
        &self.head
    }
}

impl TopicState {
    /// The subscriptions that it reaches, where they are known since the last subscription changed.
    pub(super) fn resolved_targets(&self, routes: &Routes) -> Option<&[Target]> {
        (self.revision == Some(routes.revision())).then_some(&self.targets)
    }
}

impl Topics {
    pub(super) fn new(topics_max: u64) -> Self {
        Self {
            states: Slab::new(),
            by_name: HashMap::new(),
            limit: usize::try_from(topics_max).unwrap_or(usize::MAX),
            stamp: 0,
            newest: 0,
            targets: 0,
            used: 0,
            found: Vec::new(),
            unsubscribed_scan: (None, 0),
        }
    }

    /// The topic of this name, if it is there.
    pub(super) fn find(&self, name: &str) -> Option<TopicRef> {
        let place = *self.by_name.get(name)?;
        Some(TopicRef { index: place, stamp: self.states.get(place)?.stamp })
    }

    /// Notes that a topic is used now.
    pub(super) fn touch(&mut self, at: TopicRef) {
        self.stamp += 1;
        let used = self.stamp;
        if let Some(state) = self.state(at) {
            state.used = used;
        }
    }

    /// Adds a topic that is not there.
    pub(super) fn insert(&mut self, topic: Topic) -> TopicRef {
        self.stamp += 1;
        let state = TopicState {
            class: Class::of(&topic),
            notices: Notices::default(),
            scope: None,
            targets: Vec::new(),
            revision: None,
            visible: None,
            stamp: self.stamp,
            used: self.stamp,
            topic,
        };
        if !state.class.is_reserved() {
            self.newest = self.stamp;
        }
        let name = state.topic.name().clone();
        let place = self.states.insert(state);
        self.by_name.insert(name, place);
        TopicRef { index: place, stamp: self.stamp }
    }

    /// Whether there are more than there is room for.
    pub(super) fn is_crowded(&self) -> bool {
        self.states.len() > self.limit
    }

    /// An eighth of the topics, to be forgotten: never reserved ones nor the one that was added last; first
    /// those of which nothing is remembered, last those whose drops were not told yet; of the same sort
    /// those used least recently.
    pub(super) fn evictable(&self, dedupe: &Dedupe) -> Vec<TopicRef> {
        let rank = |state: &TopicState| match state.scope {
            _ if state.notices.is_listed() => 2,
            Some(scope) if dedupe.metrics_of(scope).0 > 0 => 1,
            _ => 0,
        };
        let candidates =
            self.states.iter().filter(|(_, state)| !state.class.is_reserved() && state.stamp != self.newest);
        let mut ranked: Vec<_> = candidates
            .map(|(place, state)| (rank(state), state.used, TopicRef { index: place, stamp: state.stamp }))
            .collect();
        let forgotten = (self.states.len() / 8).max(1).min(ranked.len());
        if forgotten < ranked.len() {
            ranked.select_nth_unstable_by_key(forgotten, |(rank, used, _)| (*rank, *used));
        }
        ranked.into_iter().take(forgotten).map(|(.., at)| at).collect()
    }

    /// Forgets a topic.
    pub(super) fn forget(&mut self, at: TopicRef, now: Now, dedupe: &mut Dedupe) {
        if self.get(at).is_none() {
            return;
        }
        let state = self.states.remove(at.index);
        self.targets -= state.targets.len();
        self.by_name.remove(state.topic.as_str());
        if let Some(scope) = state.scope {
            dedupe.close_topic(scope, now.mono);
        }
    }

    /// Forgets what was seen on topics that reach nobody any more; looks at some of them each time.
    pub(super) fn forget_unsubscribed(&mut self, routes: &Routes, dedupe: &mut Dedupe) {
        let (of, from) = self.unsubscribed_scan;
        let from = if of == Some(routes.revision()) { from } else { 0 };
        let end = self.states.capacity().min(from.saturating_add(UNSUBSCRIBED_SCAN_MAX));
        for place in from..end {
            // What operators ask reaches the station alone.
            let Some(state) = self.states.get_mut(place).filter(|state| state.class != Class::Operator)
            else {
                continue;
            };
            let Some(scope) = state.scope else { continue };
            routes.matches(&state.topic, &mut self.found);
            if self.found.is_empty() {
                state.scope = None;
                dedupe.clear_topic(scope);
            }
        }
        self.unsubscribed_scan = (Some(routes.revision()), end);
    }

    /// A topic that was resolved before, if it is still the same.
    pub(super) fn state(&mut self, at: TopicRef) -> Option<&mut TopicState> {
        self.states.get_mut(at.index).filter(|state| state.stamp == at.stamp)
    }

    pub(super) fn get(&self, at: TopicRef) -> Option<&TopicState> {
        self.states.get(at.index).filter(|state| state.stamp == at.stamp)
    }

    pub(super) fn get_by_name(&self, name: &str) -> Option<&TopicState> {
        self.by_name.get(name).and_then(|place| self.states.get(*place))
    }

    /// The topic, with the subscriptions that it reaches now.
    pub(super) fn resolve_targets(
        &mut self,
        at: TopicRef,
        routes: &Routes,
        sessions: &Sessions,
    ) -> Option<&mut TopicState> {
        self.stamp += 1;
        let used = self.stamp;
        let state = self.states.get_mut(at.index).filter(|state| state.stamp == at.stamp)?;
        state.used = used;
        if state.revision == Some(routes.revision()) {
            return self.states.get_mut(at.index);
        }
        let before = state.targets.len();
        routes.matches(&state.topic, &mut self.found);
        if self.targets - before + self.found.len() > TARGETS_MAX {
            self.forget_targets();
        }
        let state = self.states.get_mut(at.index)?;
        self.targets -= state.targets.len();
        state.targets.clear();
        state.targets.extend(self.found.iter().filter_map(|route| target(*route, &state.topic, sessions)));
        state.targets.sort_by_key(|target| target.session);
        state.revision = Some(routes.revision());
        self.targets += state.targets.len();
        self.states.get_mut(at.index)
    }

    fn forget_targets(&mut self) {
        for (_, state) in &mut self.states {
            (state.targets, state.revision) = (Vec::new(), None);
        }
        self.targets = 0;
    }
}

/// Where a subscription is found, with the Deliver that its messages begin with.
fn target(route: Route, topic: &Topic, sessions: &Sessions) -> Option<Target> {
    let (session, held) = sessions.find(route.connection)?;
    let place = *held.sub_indexes.get(&route.sub)?;
    let sub = held.subs.get(place)?;
    let dialect = held.dialect();
    let mut deliver = Vec::new();
    if dialect == Dialect::Frames {
        let header = control::header(0, crate::ids::TraceId(uuid::Uuid::nil()), 0);
        control::append(
            &mut deliver,
            &header,
            &FromBroker::Deliver { sub: route.sub, topic: topic.as_str() },
        );
    }
    Some(Target {
        session,
        id: route.connection,
        sub: place,
        number: route.sub,
        slot: sub.slot,
        kind: held.kind(),
        dialect,
        serves: serves(held.kind(), sub.pattern.as_str(), topic.as_str()),
        head: deliver.into(),
        is_queued: false,
    })
}

/// Whether a subscription is of somebody who answers on a topic: an agent, by that topic alone. Whoever takes
/// more than one topic by a pattern watches (rmp-v0 §9.1: one topic per logical agent).
pub(super) fn serves(kind: Kind, pattern: &str, topic: &str) -> bool {
    kind == Kind::Agent && pattern == topic
}

/// The sessions, found by their places or by their numbers.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: Slab<Session>,
    by_id: HashMap<ConnectionId, usize>,
    /// The place found last: a busy session is looked for many times in a row.
    recent: Cell<usize>,
}

impl Sessions {
    pub(super) fn insert(&mut self, session: Session) {
        let id = session.id;
        let place = self.all.insert(session);
        self.by_id.insert(id, place);
    }

    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<Session> {
        self.by_id.remove(&id).and_then(|place| self.all.try_remove(place))
    }

    pub(super) fn find(&self, id: ConnectionId) -> Option<(usize, &Session)> {
        let place = self.index_of(id)?;
        self.all.get(place).map(|session| (place, session))
    }

    fn index_of(&self, id: ConnectionId) -> Option<usize> {
        let recent = self.recent.get();
        if self.all.get(recent).is_some_and(|session| session.id == id) {
            return Some(recent);
        }
        let place = *self.by_id.get(&id)?;
        self.recent.set(place);
        Some(place)
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<&Session> {
        self.find(id).map(|(_, session)| session)
    }

    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Session> {
        self.index_of(id).and_then(|place| self.all.get_mut(place))
    }

    /// The session at a place, if it is still that one.
    pub(super) fn at(&mut self, index: usize, id: ConnectionId) -> Option<&mut Session> {
        self.all.get_mut(index).filter(|session| session.id == id)
    }

    /// How many there are, closed ones that are not forgotten included.
    pub(super) fn len(&self) -> u64 {
        self.all.len() as u64
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Session> {
        self.all.iter().map(|(_, session)| session)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.all.iter_mut().map(|(_, session)| session)
    }
}
