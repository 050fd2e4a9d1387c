//! All subscriptions of a broker.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::prefix_bucket::PrefixBucket;
use crate::{
    ids::ConnectionId,
    limits,
    rmp::topic::{Pattern, Tail, Topic},
};

/// One subscription: a connection's number of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route {
    /// The session.
    pub connection: ConnectionId,
    /// Its number of the subscription (ruling RMP 1).
    pub sub: u64,
}

/// Why a subscription was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteFault {
    /// The session has one of this number.
    #[error("subscription {sub} already exists")]
    Taken {
        /// The number.
        sub: u64,
    },
    /// The session asks for the same pattern already.
    #[error("subscription {sub} of this session already has this pattern")]
    Repeated {
        /// The number of that one.
        sub: u64,
    },
    /// The session has as many patterns as it may.
    #[error(
        "a session may have at most {max} patterns and repeated topics (limits.rmp.session_patterns_max)"
    )]
    PatternsFull {
        /// The limit in force.
        max: u64,
    },
    /// The session has as many as it may.
    #[error("a session may have at most {max} subscriptions (limits.rmp.session_subscriptions_max)")]
    SessionFull {
        /// The limit in force.
        max: u64,
    },
    /// The broker has as many as it may.
    #[error("the bus may have at most {max} subscriptions (limits.rmp.subscriptions_max)")]
    Full {
        /// The limit in force.
        max: u64,
    },
}

/// All subscriptions, found by topic and by session.
#[derive(Debug)]
pub struct Routes {
    exact: PrefixBucket,
    one: PrefixBucket,
    below: PrefixBucket,
    entries: BTreeMap<Route, Entry>,
    by_connection: HashMap<ConnectionId, SessionRoutes>,
    session_max: u64,
    patterns_max: u64,
    total_max: u64,
    revision: u64,
}

#[derive(Debug)]
struct Entry {
    pattern: Pattern,
    /// Where it lies on its shelf.
    index: usize,
    is_wide: bool,
}

/// How many subscriptions a session has.
#[derive(Clone, Copy, Debug, Default)]
struct SessionRoutes {
    subs: u64,
    /// Those by which one message reaches the session more than once: patterns, and a topic's second
    /// subscription and further ones.
    wide: u64,
}

impl Routes {
    /// None yet.
    #[must_use]
    pub fn new(limits: &limits::Rmp) -> Self {
        Self {
            exact: PrefixBucket::default(),
            one: PrefixBucket::default(),
            below: PrefixBucket::default(),
            entries: BTreeMap::new(),
            by_connection: HashMap::new(),
            session_max: limits.session_subscriptions_max,
            patterns_max: limits.session_patterns_max,
            total_max: limits.subscriptions_max,
            revision: 0,
        }
    }

    /// Takes a subscription.
    ///
    /// # Errors
    /// [`RouteFault`], and nothing is changed.
    pub fn insert(&mut self, route: Route, pattern: Pattern) -> Result<(), RouteFault> {
        let is_wide = self.check(route, &pattern)?;
        let place = self.bucket_mut(pattern.tail()).put(pattern.prefix(), route);
        self.entries.insert(route, Entry { pattern, index: place, is_wide });
        let counts = self.by_connection.entry(route.connection).or_default();
        (counts.subs, counts.wide) = (counts.subs + 1, counts.wide + u64::from(is_wide));
        self.revision += 1;
        Ok(())
    }

    /// Whether a subscription would be taken, and is then one of those by which a message reaches the session
    /// more than once.
    ///
    /// # Errors
    /// [`RouteFault`], as [`insert`](Self::insert) has it.
    pub fn check(&self, route: Route, pattern: &Pattern) -> Result<bool, RouteFault> {
        if self.entries.contains_key(&route) {
            return Err(RouteFault::Taken { sub: route.sub });
        }
        if self.count_of(route.connection) >= self.session_max {
            return Err(RouteFault::SessionFull { max: self.session_max });
        }
        if self.entries.len() as u64 >= self.total_max {
            return Err(RouteFault::Full { max: self.total_max });
        }
        self.is_wide(route, pattern)
    }

    fn is_wide(&self, route: Route, pattern: &Pattern) -> Result<bool, RouteFault> {
        let others = self.bucket(pattern.tail()).at(pattern.prefix());
        let held = others.iter().find(|other| other.connection == route.connection).copied();
        let is_pattern = pattern.tail() != Tail::Exact;
        if let Some(Route { sub, .. }) = held.filter(|_| is_pattern) {
            return Err(RouteFault::Repeated { sub });
        }
        let is_wide = is_pattern || held.is_some();
        let wide = self.by_connection.get(&route.connection).map_or(0, |counts| counts.wide);
        if is_wide && wide >= self.patterns_max {
            return Err(RouteFault::PatternsFull { max: self.patterns_max });
        }
        Ok(is_wide)
    }

    /// Ends a subscription and tells what it asked for; nothing where there is none.
    pub fn remove(&mut self, route: Route) -> Option<Pattern> {
        let Entry { pattern, index: place, is_wide } = self.entries.remove(&route)?;
        if let Some(moved) = self.bucket_mut(pattern.tail()).take(pattern.prefix(), place)
            && let Some(entry) = self.entries.get_mut(&moved)
        {
            entry.index = place;
        }
        if let Some(counts) = self.by_connection.get_mut(&route.connection) {
            (counts.subs, counts.wide) = (counts.subs - 1, counts.wide - u64::from(is_wide));
            if counts.subs == 0 {
                self.by_connection.remove(&route.connection);
            }
        }
        self.revision += 1;
        Some(pattern)
    }

    /// Ends all subscriptions of a session and tells how many there were.
    pub fn remove_all(&mut self, connection: ConnectionId) -> usize {
        let subs: Vec<u64> = self.of(connection).map(|(sub, _)| sub).collect();
        for sub in &subs {
            self.remove(Route { connection, sub: *sub });
        }
        subs.len()
    }

    /// Puts every subscription that a topic reaches into `found`, which is emptied before; several of one
    /// session where several match. The same subscriptions give the same order.
    pub fn matches(&self, topic: &Topic, found: &mut Vec<Route>) {
        found.clear();
        let text = topic.as_str();
        found.extend_from_slice(self.exact.at(text));
        let depth = text.bytes().filter(|byte| *byte == b'/').count();
        if self.one.has_depth(depth) {
            found.extend_from_slice(self.one.at(text.rsplit_once('/').map_or("", |(parent, _)| parent)));
        }
        let mut prefix = text;
        for depth in (0..=depth).rev() {
            prefix = prefix.rsplit_once('/').map_or("", |(parent, _)| parent);
            if self.below.has_depth(depth) {
                found.extend_from_slice(self.below.at(prefix));
            }
        }
    }

    /// A number that is another one after every change: while it stays, so does what any topic matches.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What a subscription asks for.
    #[must_use]
    pub fn pattern(&self, route: Route) -> Option<&Pattern> {
        self.entries.get(&route).map(|entry| &entry.pattern)
    }

    /// The subscriptions of a session, by their numbers.
    pub fn of(&self, connection: ConnectionId) -> impl Iterator<Item = (u64, &Pattern)> {
        let all = Route { connection, sub: 0 }..=Route { connection, sub: u64::MAX };
        self.entries.range(all).map(|(route, entry)| (route.sub, &entry.pattern))
    }

    /// How many a session has.
    #[must_use]
    pub fn count_of(&self, connection: ConnectionId) -> u64 {
        self.by_connection.get(&connection).map_or(0, |counts| counts.subs)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn bucket(&self, tail: Tail) -> &PrefixBucket {
        match tail {
            Tail::Exact => &self.exact,
            Tail::One => &self.one,
            Tail::Below => &self.below,
        }
    }

    fn bucket_mut(&mut self, tail: Tail) -> &mut PrefixBucket {
        match tail {
            Tail::Exact => &mut self.exact,
            Tail::One => &mut self.one,
            Tail::Below => &mut self.below,
        }
    }
}
