//! Whom a message of the station's own reached of those that may answer it (rmp-v0 §9.1).

use std::{collections::BTreeSet, sync::Arc};

use super::core::Broker;
use crate::{ids::ConnectionId, tap::entry::rmp::Kind};

/// Agents that are named where the one that is asked is not there.
const AGENTS_NAMED_MAX: usize = 8;
/// The topics of agents begin so.
const AGENTS: &str = "agent/";

/// Whom a message of the station's own reached. Only agents answer, and of them those that subscribe to its
/// very topic; who else got the message watches, and does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryReport {
    /// These sessions have it in their queues, each once.
    Queued(Vec<ConnectionId>),
    /// Nobody that may answer subscribes to the topic.
    Nobody {
        /// Agents that are there, by their names, at most 8.
        agents: Vec<Arc<str>>,
        /// How many more there are.
        more: u64,
    },
    /// All queues of those that may answer are full, or the broker's memory for queues is.
    Full,
    /// It is longer than a body may be, or than what a unit of the JSON dialect holds.
    TooLong,
}

impl DeliveryReport {
    /// Nobody, and no agent is there.
    pub(super) const NOBODY: Self = Self::Nobody { agents: Vec::new(), more: 0 };
}

/// What became of a message with those that may answer it.
#[derive(Debug, Default)]
pub(super) struct ResponderTally {
    queued: Vec<ConnectionId>,
    full: u64,
    too_long: u64,
}

impl ResponderTally {
    pub(super) fn clear(&mut self) {
        self.queued.clear();
        (self.full, self.too_long) = (0, 0);
    }

    /// No client would take it, however few there are.
    pub(super) fn refuse(&mut self) {
        self.too_long += 1;
    }

    /// Those that have it.
    pub(super) fn queued(&self) -> &[ConnectionId] {
        &self.queued
    }

    pub(super) fn note(&mut self, session: ConnectionId, took: bool, is_too_long: bool) {
        if took {
            self.queued.push(session);
        } else if is_too_long {
            self.too_long += 1;
        } else {
            self.full += 1;
        }
    }
}

/// The agents that are there, while no subscription changes.
#[derive(Debug, Default)]
pub(super) struct AgentNames {
    /// The revision of the routes that they are of.
    revision: Option<u64>,
    agents: Vec<Arc<str>>,
    more: u64,
}

impl Broker {
    /// Whom the message of the station's own that was published last, on this topic, reached. It is told
    /// once.
    pub fn delivery_report(&mut self, topic: &str) -> DeliveryReport {
        let ResponderTally { queued: took, full, too_long } = &mut self.responders;
        if !took.is_empty() {
            took.sort_unstable();
            took.dedup();
            return DeliveryReport::Queued(std::mem::take(took));
        }
        match (*full, *too_long) {
            (0, 0) if topic.starts_with(AGENTS) => self.nobody(),
            (0, 0) => DeliveryReport::NOBODY,
            (0, _) => DeliveryReport::TooLong,
            _ => DeliveryReport::Full,
        }
    }

    fn nobody(&mut self) -> DeliveryReport {
        let revision = Some(self.routes.revision());
        if self.agent_names.revision != revision {
            self.agent_names = AgentNames { revision, ..self.connected_agents() };
        }
        DeliveryReport::Nobody { agents: self.agent_names.agents.clone(), more: self.agent_names.more }
    }

    fn connected_agents(&self) -> AgentNames {
        let agents =
            self.sessions.iter().filter(|session| session.is_open() && session.kind() == Kind::Agent);
        let topics = agents.flat_map(|session| session.subs.iter().map(|(_, sub)| sub.pattern.as_str()));
        let names: BTreeSet<&str> = topics
            .filter_map(|topic| topic.strip_prefix(AGENTS))
            .filter(|name| !name.contains(['/', '*']))
            .collect();
        let more = names.len().saturating_sub(AGENTS_NAMED_MAX) as u64;
        AgentNames {
            revision: None,
            agents: names.into_iter().take(AGENTS_NAMED_MAX).map(Arc::from).collect(),
            more,
        }
    }
}
