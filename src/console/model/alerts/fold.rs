//! The alerts there are, and how they come and go.

use std::{collections::VecDeque, sync::Arc};

use super::{
    alert::{Alert, AlertStatus, Cause},
    rules,
    rules::ActiveCause,
};
use crate::{
    console::{
        model::{
            bridge::{queue_head_age::QueueHeadAges, windowed_rates::WindowedRates},
            station::StationState,
        },
        settings::config::AlertRules,
    },
    ids::Peer,
    limits, mpp, runs,
    tap::{
        EntryRef,
        entry::{Link, Transition, What, station::Transition as Station},
    },
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
    queue_heads: QueueHeadAges,
    /// A recording that failed, until another one runs or it was put away.
    recording_failed: Option<(Now, Arc<str>)>,
    /// The last adapter that was seen, and since when a bridge that began anew misses it.
    adapter: Option<(Peer, Option<Now>)>,
    /// What became of the question of a run that was answered last.
    answered: Option<Arc<str>>,
    /// The station goes down: what ends now is no cause for alarm.
    is_stopping: bool,
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
            queue_heads: QueueHeadAges::default(),
            recording_failed: None,
            adapter: None,
            answered: None,
            is_stopping: false,
            next: 1,
            limit,
            cut: 0,
        }
    }

    /// Begins anew from a snapshot; alerts stay as they are until they are judged.
    pub(crate) fn seed(&mut self, mpp: &mpp::Snapshot, at: Now) {
        self.queue_heads.seed(mpp, at);
    }

    /// Takes one entry of the bridge that follows the snapshot.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>) {
        self.queue_heads.fold(entry);
    }

    /// Takes one entry of the station or the runs, whether or not the snapshot has it. `before` are the runs
    /// without that entry in them.
    pub(crate) fn observe(&mut self, entry: EntryRef<'_>, before: Option<&runs::Snapshot>) {
        match &entry.entry.what {
            What::Transition(Transition::Runs(runs::Transition::Decided { action, verdict, .. })) => {
                self.answered = before
                    .and_then(|runs| rules::describe_answer(runs, *action, *verdict))
                    .or_else(|| self.answered.take());
            }
            What::Transition(Transition::Station(Station::RecordingFailed)) => {
                self.recording_failed =
                    Some((entry.entry.at, format!("not recorded: {}", entry.text()).into()));
            }
            What::Transition(Transition::Station(Station::RecordingStarted)) => self.recording_failed = None,
            What::Transition(Transition::Station(Station::Stopping)) => self.is_stopping = true,
            _ => {}
        }
    }

    /// Holds the rules against what is, `drops` being what the bus dropped. To be called once a second.
    pub(crate) fn evaluate(
        &mut self,
        state: &StationState,
        drops: &WindowedRates,
        rules: &AlertRules,
        now: Now,
    ) -> AlertChanges {
        let mut judged = AlertChanges::default();
        if self.is_stopping {
            return judged;
        }
        let missed = self.missing_adapter(state, now);
        let mut found = rules::active_causes(state, drops, &self.queue_heads, missed, rules, now);
        let failed = self.recording_failed.iter();
        found.extend(failed.map(|(at, text)| ActiveCause {
            cause: Cause::RecordingFailed,
            since: *at,
            text: Arc::clone(text),
            last: None,
        }));
        let is_unknown = |cause: &Cause| rules::is_down(state) && cause.link() == Link::Mpp;
        for alert in self.all.iter_mut().filter(|alert| alert.holds()) {
            match found.iter().position(|found| found.cause == alert.cause).map(|at| found.swap_remove(at)) {
                Some(found) => {
                    // Questions are listed beside the alerts, and are not put away among them.
                    if found.last > alert.last
                        && (alert.status == AlertStatus::Acknowledged
                            || alert.cause == Cause::AwaitingApproval)
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
                None if is_unknown(&alert.cause) => {}
                None => {
                    if alert.cause == Cause::AwaitingApproval {
                        alert.text =
                            self.answered.take().unwrap_or_else(|| rules::NO_APPROVALS_PENDING.into());
                    }
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

    /// The adapter of a bridge that failed, of whose end the next one knows nothing.
    fn missing_adapter(&mut self, state: &StationState, now: Now) -> Option<(Peer, Now)> {
        if rules::is_down(state) {
            return None;
        }
        match (&state.mpp.adapter, &state.mpp.last_close, &mut self.adapter) {
            (Some(adapter), ..) => self.adapter = Some((adapter.peer.clone(), None)),
            (None, Some(_), _) => self.adapter = None,
            (None, None, Some((peer, since))) => return Some((peer.clone(), *since.get_or_insert(now))),
            (None, None, None) => {}
        }
        None
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
        if alert.cause == Cause::RecordingFailed {
            alert.status = AlertStatus::Resolved { at: now };
            self.recording_failed = None;
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

    /// How many wait to be seen. What runs ask is counted as questions.
    pub(crate) fn active_count(&self) -> usize {
        self.all
            .iter()
            .filter(|alert| alert.status == AlertStatus::Active && alert.cause != Cause::AwaitingApproval)
            .count()
    }

    /// Alerts that were cut to make room.
    pub(crate) fn cut(&self) -> u64 {
        self.cut
    }
}
