//! What persons decide, and requests that came too late to be taken (rmp-v0 §4; ruling RMP 13).

use std::collections::BTreeSet;

use super::core::Engine;
use crate::{
    ids::{ActionId, TopicName, TraceId},
    runs::{
        RejectedFor,
        payload::{Decision, Fault},
    },
    tap::entry::{
        runs::{Asker, EventKind, Transition, Verdict},
        station::Level,
    },
    time::Now,
};

/// Runs that ask, and are told of a decision that names none of them.
const GARBLED_REPORTS_MAX: usize = 16;

impl Engine {
    /// A decision came. One that answers nothing is told of, and so is one that is not understood, where its
    /// sender looks too.
    pub(super) fn on_decision(&mut self, now: Now, by: Asker, trace: TraceId, body: &[u8]) {
        let says = match Decision::decode(body) {
            Ok(Decision { action_id, approved, note }) => {
                if self.decide(now, action_id, approved, note.as_deref().unwrap_or_default(), by.clone()) {
                    return;
                }
                not_awaited(action_id)
            }
            Err(fault) => {
                let says = invalid(&by, &fault);
                self.report_garbled(now, Decision::action_of(body), &says);
                says
            }
        };
        self.refuse(by, trace, RejectedFor::Decision, &says);
    }

    /// Tells of a decision that is not understood: by the run that it names, and otherwise by those that ask.
    fn report_garbled(&mut self, now: Now, action: Option<ActionId>, says: &str) {
        let warns = (EventKind::Log, Some(Level::Warn));
        if let Some((run, place)) = action.and_then(|action| self.shared.asks.get(&action)).copied() {
            return self.with(now, run, |run, to| run.event(to, now, Some(place), warns, says));
        }
        let asking: BTreeSet<_> = self.shared.asks.values().map(|(run, _)| *run).collect();
        for run in asking.into_iter().take(GARBLED_REPORTS_MAX) {
            self.with(now, run, |run, to| run.event(to, now, None, warns, says));
        }
    }

    pub(super) fn decide(
        &mut self,
        now: Now,
        action: ActionId,
        approved: bool,
        note: &str,
        by: Asker,
    ) -> bool {
        let Some((run, place)) = self.shared.asks.get(&action).copied() else { return false };
        let verdict = if approved { Verdict::Approved } else { Verdict::Rejected };
        self.with(now, run, |run, to| run.on_decided(to, now, place, verdict, Some(by), note));
        true
    }

    /// A request or a decision expired while it waited to be taken: whoever sent it has given up, and it is
    /// not done.
    pub(super) fn on_expired(&mut self, by: Asker, trace: TraceId, topic: &TopicName) {
        let says = expired(&by, topic.as_str());
        self.refuse(by, trace, RejectedFor::Expired, &says);
    }

    /// Tells of what is not done and not answered either.
    pub(super) fn refuse(&mut self, by: Asker, request: TraceId, why: RejectedFor, says: &str) {
        self.shared.metrics.reject(why);
        self.shared.emit_transition(Transition::Rejected { request, by }, says);
    }
}

/// A decision that answers no question, in words.
pub(super) fn not_awaited(action: ActionId) -> String {
    format!(
        "ignored a decision: {action} is not awaiting approval; it was decided, expired, or its run ended"
    )
}

/// A decision that cannot be read, in words.
pub(super) fn invalid(by: &Asker, fault: &Fault) -> String {
    format!("ignored an invalid decision from {}: {fault}", by.client)
}

/// A message that expired before it was taken, in words.
pub(super) fn expired(by: &Asker, topic: &str) -> String {
    format!("message from {} on {topic} expired before it was processed; ignored", by.client)
}
