//! What a process did besides answering.

use std::time::Duration;

use super::{clause::Clause, findings::Findings};
use crate::{plugin::framing::Broken, time::Mono};

/// Calls in a second that are too many.
const CALLS_MAX: u64 = 1_000;
/// Examples of one fault that are kept.
const EXAMPLES_MAX: usize = 4;

/// The faults of one clause: the first ones, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Faults {
    examples: Vec<String>,
    count: u64,
}

impl Faults {
    pub(super) fn add(&mut self, fault: impl Into<String>) {
        self.count += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(fault.into());
        }
    }

    fn judge(&self, clause: Clause, findings: &mut Findings) {
        let examples = self.examples.join("; ");
        let more = self.count - self.examples.len() as u64;
        let seen = if more == 0 { examples } else { format!("{examples}; and {more} more") };
        findings.judge(clause, self.count == 0, seen);
    }
}

/// What a process did besides answering.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) outside_grant: Faults,
    pub(super) methods: Faults,
    pub(super) envelopes: Faults,
    pub(super) token: Faults,
    /// Answers to nothing.
    pub(super) unmatched: u64,
    pub(super) broken: Option<Broken>,
    pub(super) calls: u64,
    second: (Mono, u64),
    busiest: u64,
}

impl Seen {
    /// Counts a request or a notification.
    pub(super) fn on_call(&mut self, now: Mono) {
        self.calls += 1;
        if now.since(self.second.0) >= Duration::from_secs(1) {
            self.second = (now, 0);
        }
        self.second.1 += 1;
        self.busiest = self.busiest.max(self.second.1);
    }

    /// Says which clauses were kept.
    pub(super) fn judge(&self, grant: &str, findings: &mut Findings) {
        self.outside_grant.judge(Clause::Grant, findings);
        self.methods.judge(Clause::Methods, findings);
        self.envelopes.judge(Clause::Envelopes, findings);
        self.token.judge(Clause::Credential, findings);
        let busiest = format!("{} calls in one second, {grant} grant", self.busiest);
        findings.judge(Clause::Rate, self.busiest <= CALLS_MAX, busiest);
        match &self.broken {
            None => findings.judge(Clause::Stdout, true, ""),
            Some(broken) => {
                let seen = format!("{}: \"{}\"", broken.violation.text(), broken.seen);
                findings.judge(Clause::Stdout, false, seen);
            }
        }
    }
}
