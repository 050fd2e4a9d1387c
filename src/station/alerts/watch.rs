//! What the alerts ask of a system.

use std::{sync::Arc, time::Duration};

use super::cause::{ActiveCause, Cause, CauseKind};
use crate::{
    admission::{Port, RecentTurnAways},
    port::{HostState, Snapshot},
    tap::{
        EntryRef,
        entry::{Link, alerts::Alert},
    },
    time::Now,
    words::{counted_as, format},
};

/// What a system remembers for its alerts, and its rules.
pub(crate) trait Watch {
    /// The kinds of alerts that it raises.
    #[cfg(test)]
    const KINDS: &[&'static CauseKind];

    /// Begins anew from a snapshot.
    fn seed(&mut self, snapshot: &Snapshot);

    /// Takes one entry of its link.
    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>);

    /// Finds what is the matter now.
    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings);
}

/// What an entry is taken in with.
pub(crate) struct Watching<'a> {
    /// The state without the entry in it.
    pub(crate) before: Option<&'a Snapshot>,
    /// Whether the snapshot that the watch was seeded with has the entry.
    pub(crate) is_in_snapshot: bool,
    pub(crate) incidents: &'a mut Incidents,
}

/// What happened, and is not to be seen in the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incidents {
    /// Until they are over or were acknowledged.
    pub(super) active: Vec<ActiveCause>,
    /// The station goes down: what ends now is no cause for alarm.
    pub(crate) is_stopping: bool,
}

impl Incidents {
    /// It happened, again where it had before.
    pub(crate) fn raise(&mut self, incident: ActiveCause) {
        self.clear(&incident.cause);
        self.active.push(incident);
    }

    /// It is over.
    pub(crate) fn clear(&mut self, cause: &Cause) {
        self.active.retain(|known| known.cause != *cause);
    }
}

/// After how long what lasts is cause for an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertThresholds {
    /// No adapter is connected for so long, in seconds, after one was; 0 turns the rule off.
    pub adapter_gone_s: u64,
    /// The head of a queue waits for so long, in seconds, while the operator does not hold it; 0 turns the
    /// rule off.
    pub head_waiting_s: u64,
}

impl AlertThresholds {
    /// After how long the slowest rule is met.
    pub(super) fn longest(self) -> Duration {
        Duration::from_secs(self.adapter_gone_s.max(self.head_waiting_s))
    }
}

impl Default for AlertThresholds {
    fn default() -> Self {
        Self { adapter_gone_s: 5, head_waiting_s: 30 }
    }
}

/// What the rules are held against.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub(crate) state: &'a Snapshot,
    pub(crate) thresholds: AlertThresholds,
    pub(crate) now: Now,
}

impl Evidence<'_> {
    /// Whether a rule of so many seconds is met; one of 0 is off.
    pub(crate) fn has_lasted(&self, since: Now, s: u64) -> bool {
        s > 0 && self.now.mono.since(since.mono) >= Duration::from_secs(s)
    }
}

/// What is the matter.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(super) active: Vec<ActiveCause>,
    /// Systems of which nothing is known: what held of them goes on to hold.
    pub(crate) unknown: Vec<Link>,
    /// How it ended what is found no longer; the first that is of an alert says so.
    pub(crate) ended: Vec<EndedCause>,
}

/// How a cause ended.
#[derive(Debug)]
pub(crate) struct EndedCause {
    kind: &'static CauseKind,
    /// Whom it concerned; all of its kind where there is none.
    subject: Option<Arc<str>>,
    pub(super) text: Arc<str>,
}

impl EndedCause {
    /// How the one of this subject ended.
    pub(crate) const fn of(kind: &'static CauseKind, subject: Arc<str>, text: Arc<str>) -> Self {
        Self { kind, subject: Some(subject), text }
    }

    /// How all others of the kind ended.
    pub(crate) fn of_others(kind: &'static CauseKind, text: &str) -> Self {
        Self { kind, subject: None, text: text.into() }
    }

    /// Whether an alert is of it.
    pub(super) fn is_of(&self, alert: &Alert) -> bool {
        self.kind.has(alert) && self.subject.as_ref().is_none_or(|subject| *subject == alert.subject)
    }
}

impl Findings {
    /// Adds a cause.
    pub(crate) fn add(&mut self, cause: Cause, since: Now, text: impl Into<Arc<str>>) {
        self.active.push(ActiveCause::new(cause, since, text));
    }

    /// Adds a cause that may be of several records; `last` grows with each further one.
    pub(crate) fn add_of_several(&mut self, cause: Cause, since: Now, text: impl Into<Arc<str>>, last: u64) {
        self.active.push(ActiveCause { last: Some(last), ..ActiveCause::new(cause, since, text) });
    }

    /// Adds what an operator did himself: it is listed, and rings no bell.
    pub(crate) fn add_quietly(&mut self, cause: Cause, since: Now, text: impl Into<Arc<str>>) {
        self.active.push(ActiveCause { is_quiet: true, ..ActiveCause::new(cause, since, text) });
    }

    /// Adds whom a port turns away, by reason, where it is worth saying.
    pub(crate) fn add_turned_away(
        &mut self,
        kind: &'static CauseKind,
        port: Port,
        turned_away: &RecentTurnAways,
        now: Now,
    ) {
        for span in turned_away.current(now) {
            let (count, why) =
                (counted_as(span.count, format::count(span.count), "connection"), span.why.text(port));
            let (of, most) = (port.title(), span.most_text());
            let text = format!("{count} to {of} rejected: {why}{most}");
            self.add(kind.of(span.why.name()), span.since, text);
        }
    }

    /// Adds that a host does not answer; whether that is so.
    pub(crate) fn check_host(&mut self, down: &'static CauseKind, evidence: &Evidence<'_>) -> bool {
        let cause = down.cause();
        let HostState::Down(why) = &evidence.state.station.hosts[cause.link().index()] else { return false };
        let text = format!("{} is down: {why}", cause.link().name());
        self.add(cause, evidence.now, text);
        true
    }
}
