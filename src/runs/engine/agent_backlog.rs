//! Requests that found no room: while an agent's queue on the bus is full, or the bus is down, one request of
//! that agent is offered at a time, the others wait behind it in order, and none of them is held as bytes
//! (ruling RMP 8).
//!
//! ```text
//! refused ─▶ last in the crowd ─▶ first ─pause, offered again─▶ taken: the next has its turn at once
//!                                   └─ the agent takes nothing for `limits.runs.offer_ms_max` ─▶ the attempt fails, the next is offered
//! ```

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use crate::{ids::TraceId, time::Mono};

/// An attempt: its run, and the place of its node.
pub(super) type AttemptKey = (TraceId, u32);

/// Those that wait for one agent.
#[derive(Debug)]
pub(super) struct AgentBacklog {
    /// Since when it takes nothing.
    pub(super) since: Mono,
    /// Why, as it was told last.
    pub(super) why: String,
    waiting: VecDeque<AttemptKey>,
}

/// All that wait, by agent; and the agents of which another has its turn.
#[derive(Debug, Default)]
pub(super) struct AgentBacklogs {
    backlogs: BTreeMap<Arc<str>, AgentBacklog>,
    turns: VecDeque<Arc<str>>,
}

impl AgentBacklogs {
    /// Why an agent takes nothing, where others wait for it.
    pub(super) fn of(&self, agent: &str) -> Option<&AgentBacklog> {
        self.backlogs.get(agent)
    }

    /// Lets an attempt wait behind the others, once. Whether it is the first of them, and since when its
    /// agent takes nothing.
    pub(super) fn join(
        &mut self,
        now: Mono,
        agent: &Arc<str>,
        attempt: AttemptKey,
        why: &str,
    ) -> (bool, Mono) {
        let empty = || AgentBacklog { since: now, why: String::new(), waiting: VecDeque::new() };
        let crowd = self.backlogs.entry(Arc::clone(agent)).or_insert_with(empty);
        why.clone_into(&mut crowd.why);
        if !crowd.waiting.contains(&attempt) {
            crowd.waiting.push_back(attempt);
        }
        (crowd.waiting.front() == Some(&attempt), crowd.since)
    }

    /// An agent has taken something.
    pub(super) fn took(&mut self, now: Mono, agent: &str) {
        if let Some(crowd) = self.backlogs.get_mut(agent) {
            crowd.since = now;
        }
    }

    /// An attempt waits no more. Where it was the first, the next has its turn.
    pub(super) fn leave(&mut self, agent: &Arc<str>, attempt: AttemptKey) {
        let Some(crowd) = self.backlogs.get_mut(agent) else { return };
        let Some(at) = crowd.waiting.iter().position(|it| *it == attempt) else { return };
        crowd.waiting.remove(at);
        if crowd.waiting.is_empty() {
            self.backlogs.remove(agent);
        } else if at == 0 {
            self.turns.push_back(Arc::clone(agent));
        }
    }

    /// The next that has its turn.
    pub(super) fn turn(&mut self) -> Option<AttemptKey> {
        while let Some(agent) = self.turns.pop_front() {
            if let Some(place) = self.backlogs.get(&agent).and_then(|crowd| crowd.waiting.front()) {
                return Some(*place);
            }
        }
        None
    }

    /// Whether nobody has a turn.
    pub(super) fn is_idle(&self) -> bool {
        self.turns.is_empty()
    }
}
