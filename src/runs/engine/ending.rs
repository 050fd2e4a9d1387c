//! How a run or a part of it ends before its time: cancelled, timed out, out of tokens; and questions to a
//! person (ruling RMP 13).

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    events::cut,
    io::Publish,
    run::{Ask, Run},
    shared::Shared,
    timers::Due,
};
use crate::{
    ids::{ActionId, TopicName},
    runs::{
        openings::Use,
        payload::{ActionRequest, QuestionMeta, schema},
    },
    tap::entry::{
        runs::{Asker, EventKind, NO_DECISION, NodeState, RunState, Transition, Verdict},
        station::Level,
    },
    time::{Mono, Now, Wall},
};

/// How long before the end of its run, or of an opening's time that it is within, a question expires at the
/// latest.
const BEFORE_END_MS: u64 = 1_000;

impl Run {
    /// Asks a person whether a node may go on.
    pub(super) fn ask(&mut self, to: &mut Shared, now: Now, position: u32) {
        // Silence rejects, and does not let the run's time pass instead (ruling RMP 13).
        let left_ms = u64::try_from(self.deadline(position).since(now.mono).as_millis()).unwrap_or(u64::MAX);
        let before_end_ms = left_ms.saturating_sub(BEFORE_END_MS).max(left_ms / 2).max(1);
        let confirm_ms = to.settings.limits.confirm_ms.min(before_end_ms);
        let (action, expires_at) = (ActionId(to.id()), Wall(now.wall.0.saturating_add(confirm_ms)));
        let timer = Some(to.timers.set(now.mono + Duration::from_millis(confirm_ms), Due::Ask(action)));
        to.asks.insert(action, (self.run, position));
        let node = self.node_ref(position);
        let does = match &self.def(position).action {
            Use::Agent(agent) => format!("agent {agent}"),
            Use::Opening { name, .. } => format!("opening {name}"),
        };
        let summary = format!("{}: run {does} for node {}?", self.name(), node.id);
        let asked = Ask { action, timer, summary: Arc::from(summary.as_str()), asked_at: now, expires_at };
        self.node(position).ask = Some(asked);
        self.node(position).asked = Some(Box::new(QuestionMeta {
            action,
            expires_at: Some(expires_at),
            verdict: None,
            by: None,
            note: None,
        }));
        let request = ActionRequest {
            action_id: action,
            trace_id: self.run,
            node_id: node.id.clone(),
            summary: summary.clone(),
            expires_at,
        };
        self.set_node_state(to, now, position, NodeState::Asking, "");
        let inputs = self.input_preview(position, to.settings.limits.shown_ask_bytes_max);
        let text = format!("{summary}\n{inputs}");
        let (question, inputs) = (Arc::from(summary), Arc::from(inputs));
        to.emit_transition(
            Transition::Asked { run: self.run, action, node, expires_at, question, inputs },
            &text,
        );
        to.publish(Publish {
            topic: TopicName::new("action.request"),
            schema_id: schema::ACTION_REQUEST,
            trace: self.run,
            ttl_ms: confirm_ms,
            body: Bytes::from(request.encode()),
            ticket: None,
        });
    }

    /// When the time of the run is over, or of the first of the nested openings that a node is within.
    fn deadline(&self, position: u32) -> Mono {
        let mut by = self.ends_by;
        let mut within = self.scopes[self.nodes[position as usize].scope as usize].parent;
        while let Some(node) = within.map(|place| &self.nodes[place as usize]) {
            by = node.timer.map_or(by, |(at, _)| at.min(by));
            within = self.scopes[node.scope as usize].parent;
        }
        by
    }

    /// A question of a node ended.
    pub(super) fn on_decided(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        verdict: Verdict,
        by: Option<Asker>,
        note: &str,
    ) {
        let words = match (&verdict, &by) {
            (Verdict::Expired, _) => NO_DECISION.to_owned(),
            (verdict, Some(by)) if note.is_empty() => format!("{} by {}", verdict.name(), by.client),
            (verdict, Some(by)) => format!("{} by {}: {note}", verdict.name(), by.client),
            (verdict, None) => verdict.name().to_owned(),
        };
        if !self.close_ask(to, position, verdict, by, note) {
            return;
        }
        if verdict == Verdict::Approved {
            self.node(position).is_approved = true;
            let says = format!("{}: {words}", self.nodes[position as usize].id);
            self.event(to, now, Some(position), (EventKind::Log, Some(Level::Info)), &says);
            self.enqueue(to, now, position);
        } else {
            let scope = self.nodes[position as usize].scope;
            self.scopes[scope as usize].is_denied = true;
            self.set_not_ok(position);
            self.end_node(to, now, position, NodeState::Failed, &words);
        }
    }

    fn close_ask(
        &mut self,
        to: &mut Shared,
        position: u32,
        verdict: Verdict,
        by: Option<Asker>,
        note: &str,
    ) -> bool {
        let Some(mut ask) = self.node(position).ask.take() else { return false };
        to.timers.clear(&mut ask.timer);
        to.asks.remove(&ask.action);
        let noted = cut(note, to.settings.limits.event_bytes_max);
        self.node(position).asked = Some(Box::new(QuestionMeta {
            action: ask.action,
            expires_at: None,
            verdict: Some(verdict),
            by: by.clone(),
            note: Some(noted).filter(|note| !note.is_empty()),
        }));
        to.emit_transition(Transition::Decided { run: self.run, action: ask.action, verdict, by }, note);
        true
    }

    /// Ends what has not ended of a scope, and of those within. `why` is told of each node, where there is
    /// something to say.
    pub(super) fn close_scope(&mut self, to: &mut Shared, now: Now, scope: u32, why: &str) {
        if !self.scopes[scope as usize].is_open {
            return;
        }
        self.scopes[scope as usize].is_open = false;
        // A worklist: openings within one another are few, but their depth is the author's.
        let mut scopes = vec![scope];
        while let Some(scope) = scopes.pop() {
            self.scopes[scope as usize].is_open = false;
            for place in self.positions(scope) {
                self.end_flight(to, now, place, true);
                self.close_ask(to, place, Verdict::Withdrawn, None, "");
                if !self.nodes[place as usize].state.is_end() {
                    self.set_node_state(to, now, place, NodeState::Cancelled, why);
                }
                let inner = self.nodes[place as usize].inner;
                scopes.extend(inner.filter(|scope| self.scopes[*scope as usize].is_open));
            }
        }
    }

    /// The run fails as a whole.
    pub(super) fn fail(&mut self, to: &mut Shared, now: Now, why: &str) {
        self.close_scope(to, now, 0, &format!("the run failed: {why}"));
        self.ended = Some((RunState::Failed, why.to_owned()));
    }

    /// The run is cancelled: how many of its nodes had not ended.
    pub(super) fn cancel(&mut self, to: &mut Shared, now: Now, by: &Asker) -> u64 {
        let left = self.nodes.iter().filter(|node| !node.state.is_end()).count() as u64;
        to.emit_transition(Transition::Cancelling { run: self.run, by: by.clone() }, "");
        self.close_scope(to, now, 0, "");
        self.ended = Some((RunState::Cancelled, format!("cancelled by {}", by.client)));
        left
    }
}
