//! The alerts there are, and how they come and go.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{
    cause::ActiveCause,
    watch::{Evidence, Findings, Incidents, Watching},
};
use crate::{
    port::{AlertList, Snapshot},
    station::hosts::Watches,
    tap::{
        EntryRef,
        entry::{
            alerts::{Alert, AlertChange, AlertManner, AlertState},
            station::Transition,
        },
    },
    time::{Mono, Now},
};

/// How often an alert's text changes, at most, while it speaks of the same record.
const UPDATE_INTERVAL_MIN: Duration = Duration::from_secs(5);

/// How much longer than the longest rule takes an alert of an earlier start holds that is not found.
const LEFT_MARGIN: Duration = Duration::from_secs(3);

/// What became of alerts, in its order.
pub(crate) type AlertChanges = Vec<(AlertChange, Arc<Alert>)>;

/// Why alerts are not acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotAcknowledged {
    /// There is none of this id.
    Unknown(u64),
    /// It is a question: it waits for its answer.
    Question(u64),
}

/// The alerts there are, at most `limits.console.alerts_max`.
#[derive(Debug)]
pub(crate) struct Alerts {
    list: AlertList,
    watches: Watches,
    incidents: Incidents,
    next: u64,
    /// When an alert was told of last, of those that hold.
    told_at: BTreeMap<u64, Mono>,
    /// When it was judged first.
    judged_first: Option<Mono>,
}

impl Alerts {
    /// None yet, and so many at most.
    pub(crate) fn new(max: u64) -> Self {
        Self {
            list: AlertList::new(max),
            watches: Watches::default(),
            incidents: Incidents::default(),
            next: 1,
            told_at: BTreeMap::new(),
            judged_first: None,
        }
    }

    /// Takes up what an earlier start left: those that hold are judged anew, and go on with their ids. `next`
    /// is the first id that none had.
    pub(crate) fn restore(&mut self, left: &[Arc<Alert>], next: u64) {
        self.next = self.next.max(next);
        for alert in left {
            self.list.apply(alert);
        }
    }

    /// Begins anew from a snapshot; alerts stay as they are until they are judged.
    pub(crate) fn seed(&mut self, snapshot: &Snapshot) {
        self.watches.seed(snapshot);
    }

    /// Takes one entry, `before` being the state without it. What a snapshot has of the entry they have from
    /// there.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, before: Option<&Snapshot>, is_in_snapshot: bool) {
        let mut cx = Watching { before, is_in_snapshot, incidents: &mut self.incidents };
        self.watches.fold(entry, &mut cx);
    }

    /// Holds the rules against what is; what became of alerts. To be called once a second.
    pub(crate) fn evaluate(&mut self, evidence: &Evidence<'_>) -> AlertChanges {
        if self.incidents.is_stopping {
            return AlertChanges::new();
        }
        let mut findings = Findings::default();
        self.watches.judge(evidence, &mut findings);
        findings.active.extend(self.incidents.active.iter().cloned());
        let first = *self.judged_first.get_or_insert(evidence.now.mono);
        let is_early = evidence.now.mono.since(first) < evidence.thresholds.longest() + LEFT_MARGIN;
        self.apply(findings, is_early, evidence.now)
    }

    fn apply(&mut self, findings: Findings, is_early: bool, now: Now) -> AlertChanges {
        let mut changes = AlertChanges::new();
        let Findings { active: mut found, unknown, ended } = findings;
        let holding: Vec<_> = self.list.iter().filter(|alert| alert.holds()).cloned().collect();
        for alert in holding {
            match found.iter().position(|found| found.cause.is_of(&alert)).map(|at| found.swap_remove(at)) {
                Some(found) => changes.extend(self.carry_on(&alert, found, now)),
                None if unknown.contains(&alert.link) => {}
                None if self.is_left(&alert) && (alert.manner == AlertManner::Once || is_early) => {}
                None => {
                    let how = ended.iter().find(|it| it.is_of(&alert));
                    let text = how.map(|it| Arc::clone(&it.text));
                    changes.push(self.resolve(&alert, text, now));
                }
            }
        }
        found.sort_by_key(|found| found.since.mono);
        changes.extend(found.into_iter().filter_map(|found| self.raise(found, now)));
        changes
    }

    /// Whether an alert was left by an earlier start, and this one has not found it: what happened holds
    /// until it is seen, and what lasts has some time to show.
    fn is_left(&self, alert: &Alert) -> bool {
        !self.told_at.contains_key(&alert.id)
    }

    /// Its cause holds on, and may speak of a further record now.
    fn carry_on(
        &mut self,
        alert: &Arc<Alert>,
        found: ActiveCause,
        now: Now,
    ) -> Option<(AlertChange, Arc<Alert>)> {
        let ActiveCause { since, text, last, is_quiet, .. } = found;
        // Questions are listed beside the alerts, and are not acknowledged among them.
        let is_raised =
            last > alert.last && (alert.state() == AlertState::Acknowledged || alert.is_question());
        let told_at = self.told_at.get(&alert.id);
        let is_due = told_at.is_none_or(|at| now.mono.since(*at) >= UPDATE_INTERVAL_MIN);
        let speaks_of_another = last.is_some() && last != alert.last;
        if !is_raised && !speaks_of_another && (alert.text == text || !is_due) {
            self.told_at.entry(alert.id).or_insert(Mono(0));
            return None;
        }
        let mut changed = Alert::clone(alert);
        if last.is_some() {
            // It speaks of another record from now on, and of that one's time.
            changed.since = since;
        }
        (changed.text, changed.last) = (text, last);
        if is_raised {
            (changed.acknowledged_at, changed.raised_at, changed.is_quiet) = (None, now, is_quiet);
        }
        let change = if is_raised { AlertChange::Raised } else { AlertChange::Updated };
        Some(self.changed(change, changed, now))
    }

    fn resolve(&mut self, alert: &Alert, text: Option<Arc<str>>, now: Now) -> (AlertChange, Arc<Alert>) {
        let text = text.unwrap_or_else(|| Arc::clone(&alert.text));
        let changed = Alert { resolved_at: Some(now), text, ..alert.clone() };
        let told = self.changed(AlertChange::Resolved, changed, now);
        self.told_at.remove(&alert.id);
        told
    }

    /// Keeps a new alert, if room can be made for it by letting go one that is resolved.
    fn raise(&mut self, found: ActiveCause, now: Now) -> Option<(AlertChange, Arc<Alert>)> {
        if !self.list.takes_one() {
            return None;
        }
        let ActiveCause { cause, since, text, last, is_quiet } = found;
        let alert = Alert {
            id: self.next,
            name: cause.name().into(),
            link: cause.link(),
            subject: cause.subject().into(),
            manner: cause.manner(),
            since,
            text,
            last,
            is_quiet,
            raised_at: now,
            acknowledged_at: None,
            resolved_at: None,
        };
        self.next += 1;
        Some(self.changed(AlertChange::Raised, alert, now))
    }

    fn changed(&mut self, change: AlertChange, alert: Alert, now: Now) -> (AlertChange, Arc<Alert>) {
        self.told_at.insert(alert.id, now.mono);
        let alert = Arc::new(alert);
        self.list.apply(&alert);
        (change, alert)
    }

    /// Acknowledges alerts; all that wait where none is named. What happened once is over with that. What is
    /// acknowledged or resolved already stays as it is.
    ///
    /// # Errors
    /// The first of which it is not possible; then none is.
    pub(crate) fn acknowledge(&mut self, ids: &[u64], now: Now) -> Result<AlertChanges, NotAcknowledged> {
        let named: Vec<Arc<Alert>> = if ids.is_empty() {
            self.list.iter().filter(|alert| alert.is_waiting()).cloned().collect()
        } else {
            let of = |id: &u64| match self.list.get(*id) {
                None => Err(NotAcknowledged::Unknown(*id)),
                Some(alert) if alert.holds() && alert.is_question() => Err(NotAcknowledged::Question(*id)),
                Some(alert) => Ok(Arc::clone(alert)),
            };
            ids.iter().map(of).collect::<Result<_, _>>()?
        };
        let mut changes = AlertChanges::new();
        for alert in named.into_iter().filter(|alert| alert.is_waiting()) {
            let seen = Alert { acknowledged_at: Some(now), ..Alert::clone(&alert) };
            if alert.manner == AlertManner::Once {
                self.incidents.active.retain(|incident| !incident.cause.is_of(&alert));
                changes.push(self.resolve(&seen, None, now));
            } else {
                changes.push(self.changed(AlertChange::Acknowledged, seen, now));
            }
        }
        Ok(changes)
    }

    /// The alerts there are.
    pub(crate) const fn list(&self) -> &AlertList {
        &self.list
    }
}

/// The transition that tells of a change.
pub(crate) fn transition((change, alert): (AlertChange, Arc<Alert>)) -> Transition {
    Transition::Alert { change, alert }
}

/// The kinds of alerts that are judged, by their systems and names.
#[cfg(test)]
pub(crate) fn kinds() -> Vec<(crate::tap::entry::Link, &'static str)> {
    Watches::kinds()
}

/// Whether an alert is of a cause.
#[cfg(test)]
impl PartialEq<super::Cause> for Alert {
    fn eq(&self, cause: &super::Cause) -> bool {
        cause.is_of(self)
    }
}
