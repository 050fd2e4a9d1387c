//! The alerts there are, and how they come and go.

use std::{collections::VecDeque, sync::Arc};

use super::{
    alert::{Alert, AlertStatus},
    cause::{ActiveCause, Cause},
    watch::{Evidence, Findings, Incidents, Watching},
};
use crate::{
    console::model::{
        health::{Condition, Report},
        station::StationState,
        table::Watches,
    },
    limits,
    port::Snapshot,
    tap::{EntryRef, entry::Link},
    time::Now,
};

/// What came of a judgement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AlertChanges {
    /// Alerts that wait to be seen since now, the oldest first.
    pub(crate) raised: Vec<u64>,
    /// Alerts whose cause is gone since now.
    pub(crate) resolved: Vec<u64>,
}

/// The alerts there are, at most `limits.console.alerts_max`.
#[derive(Clone, Debug)]
pub(crate) struct Alerts {
    all: VecDeque<Alert>,
    watches: Watches,
    incidents: Incidents,
    next: u64,
    limit: usize,
    /// Alerts that were cut.
    cut: u64,
}

impl Alerts {
    /// None yet.
    pub(crate) fn new(limits: limits::Console) -> Self {
        let limit = usize::try_from(limits.alerts_max).unwrap_or(usize::MAX);
        Self {
            all: VecDeque::new(),
            watches: Watches::default(),
            incidents: Incidents::default(),
            next: 1,
            limit,
            cut: 0,
        }
    }

    /// Begins anew from a snapshot; alerts stay as they are until they are judged.
    pub(crate) fn seed(&mut self, snapshot: &Snapshot) {
        self.watches.seed(snapshot);
    }

    /// Takes one entry, `before` being the state without it. What a snapshot has of the entry they have from
    /// there.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, before: Option<&StationState>, is_in_snapshot: bool) {
        let mut cx = Watching { before, is_in_snapshot, incidents: &mut self.incidents };
        self.watches.fold(entry, &mut cx);
    }

    /// Holds the rules against what is. To be called once a second.
    pub(crate) fn evaluate(&mut self, evidence: &Evidence<'_>) -> AlertChanges {
        if self.incidents.is_stopping {
            return AlertChanges::default();
        }
        let mut findings = Findings::default();
        self.watches.judge(evidence, &mut findings);
        findings.active.extend(self.incidents.active.iter().cloned());
        self.apply(findings, evidence.now)
    }

    fn apply(&mut self, findings: Findings, now: Now) -> AlertChanges {
        let mut judged = AlertChanges::default();
        let Findings { active: mut found, unknown, ended } = findings;
        let end_of =
            |cause: &Cause| ended.iter().find(|(kind, _)| cause.is(kind)).map(|(_, text)| Arc::clone(text));
        for alert in self.all.iter_mut().filter(|alert| alert.holds()) {
            match found.iter().position(|found| found.cause == alert.cause).map(|at| found.swap_remove(at)) {
                Some(found) => {
                    // Questions are listed beside the alerts, and are not put away among them.
                    if found.last > alert.last
                        && (alert.status == AlertStatus::Acknowledged || alert.cause.is_question())
                    {
                        alert.status = AlertStatus::Active;
                        judged.raised.push(alert.number);
                    }
                    if found.last.is_some() {
                        // It speaks of another record from now on, and of that one's time.
                        alert.since = found.since;
                    }
                    alert.last = found.last;
                    if alert.text != found.text {
                        alert.text = found.text;
                    }
                }
                None if unknown.contains(&alert.cause.link()) => {}
                None => {
                    let text = end_of(&alert.cause).or_else(|| alert.cause.resolved_text().map(Into::into));
                    alert.text = text.unwrap_or_else(|| Arc::clone(&alert.text));
                    alert.status = AlertStatus::Resolved { at: now };
                    judged.resolved.push(alert.number);
                }
            }
        }
        found.sort_by_key(|found| found.since.mono);
        for found in found {
            judged.raised.extend(self.raise(found));
        }
        judged
    }

    /// Keeps a new alert, if room can be made for it by letting go one that passed.
    fn raise(&mut self, found: ActiveCause) -> Option<u64> {
        if self.all.len() >= self.limit {
            let oldest = self.all.iter().position(|alert| !alert.holds())?;
            self.all.remove(oldest);
            self.cut = self.cut.saturating_add(1);
        }
        let ActiveCause { cause, since, text, last } = found;
        let number = self.next;
        self.next += 1;
        self.all.push_back(Alert { number, cause, since, text, status: AlertStatus::Active, last });
        Some(number)
    }

    /// Puts an alert away as seen. What happened once is over with that.
    pub(crate) fn acknowledge(&mut self, number: u64, now: Now) {
        let Some(alert) =
            self.all.iter_mut().find(|alert| alert.number == number && alert.status == AlertStatus::Active)
        else {
            return;
        };
        if alert.cause.is_over_when_seen() {
            alert.status = AlertStatus::Resolved { at: now };
            self.incidents.clear(&alert.cause);
        } else {
            alert.status = AlertStatus::Acknowledged;
        }
    }

    /// One by its number.
    pub(crate) fn get(&self, number: u64) -> Option<&Alert> {
        self.all.iter().find(|alert| alert.number == number)
    }

    /// Those that wait to be seen, the latest first; those that were seen; those that passed, the latest to
    /// pass first.
    pub(crate) fn listed(&self) -> Vec<&Alert> {
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_by_key(|alert| {
            let (rank, at) = match alert.status {
                AlertStatus::Active => (0, alert.number),
                AlertStatus::Acknowledged => (1, alert.number),
                AlertStatus::Resolved { at } => (2, at.mono.0),
            };
            (rank, std::cmp::Reverse(at), std::cmp::Reverse(alert.number))
        });
        all
    }

    /// Those whose cause holds, seen or not.
    pub(crate) fn unresolved(&self) -> impl Iterator<Item = &Alert> {
        self.all.iter().filter(|alert| alert.holds())
    }

    /// Adds to a system's report what only an alert knows of it, while it holds.
    pub(crate) fn report(&self, report: &mut Report, state: &StationState, link: Link) {
        let is_news = |alert: &&Alert| alert.cause.link() == link && alert.cause.is_news();
        for alert in self.unresolved().filter(is_news) {
            report.degrade(Condition::Degraded, alert.text.to_string(), alert.cause.remedy(state));
        }
    }

    /// How many wait to be seen. What runs ask is counted as questions.
    pub(crate) fn active_count(&self) -> usize {
        self.all
            .iter()
            .filter(|alert| alert.status == AlertStatus::Active && !alert.cause.is_question())
            .count()
    }

    /// Alerts that were cut to make room.
    pub(crate) fn cut(&self) -> u64 {
        self.cut
    }
}
