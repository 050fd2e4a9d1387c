//! The alerts there are, and how they come and go.

use std::{collections::VecDeque, sync::Arc};

use super::{
    alert::{Alert, Cause, Standing},
    heads::Heads,
    rules::{self, Found},
};
use crate::{
    console::{
        config::AlertRules,
        model::{World, flow::Flow},
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
pub(crate) struct Judged {
    /// Alerts that wait to be seen since now, the oldest first.
    pub(crate) raised: Vec<u64>,
    /// Alerts whose cause is gone since now.
    pub(crate) passed: Vec<u64>,
}

/// The alerts there are, at most `limits.console.alerts_max`.
#[derive(Clone, Debug)]
pub(crate) struct Alerts {
    all: VecDeque<Alert>,
    heads: Heads,
    /// A recording that failed, until another one runs or it was put away.
    recording_failed: Option<(Now, Arc<str>)>,
    /// The last adapter that was seen, and since when a bridge that began anew misses it.
    adapter: Option<(Peer, Option<Now>)>,
    /// What became of the question of a run that was answered last.
    answered: Option<Arc<str>>,
    /// The station goes down: what ends now is no cause for alarm.
    is_over: bool,
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
            heads: Heads::default(),
            recording_failed: None,
            adapter: None,
            answered: None,
            is_over: false,
            next: 1,
            limit,
            cut: 0,
        }
    }

    /// Begins anew from a snapshot; alerts stay as they are until they are judged.
    pub(crate) fn seed(&mut self, mpp: &mpp::Snapshot, at: Now) {
        self.heads.seed(mpp, at);
    }

    /// Takes one entry of the bridge that follows the snapshot.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>) {
        self.heads.fold(entry);
    }

    /// Takes one entry of the station or the runs, whether or not the snapshot has it. `before` are the runs
    /// without that entry in them.
    pub(crate) fn hear(&mut self, entry: EntryRef<'_>, before: Option<&runs::Snapshot>) {
        match &entry.entry.what {
            What::Transition(Transition::Runs(runs::Transition::Decided { action, verdict, .. })) => {
                self.answered = before
                    .and_then(|runs| rules::answered(runs, *action, *verdict))
                    .or_else(|| self.answered.take());
            }
            What::Transition(Transition::Station(Station::RecordingFailed)) => {
                self.recording_failed =
                    Some((entry.entry.at, format!("not recorded: {}", entry.text()).into()));
            }
            What::Transition(Transition::Station(Station::RecordingStarted)) => self.recording_failed = None,
            What::Transition(Transition::Station(Station::Stopping)) => self.is_over = true,
            _ => {}
        }
    }

    /// Holds the rules against what is, `drops` being what the bus dropped. To be called once a second.
    pub(crate) fn judge(&mut self, world: &World, drops: &Flow, rules: &AlertRules, now: Now) -> Judged {
        let mut judged = Judged::default();
        if self.is_over {
            return judged;
        }
        let missed = self.miss(world, now);
        let mut found = rules::found(world, drops, &self.heads, missed, rules, now);
        let failed = self.recording_failed.iter();
        found.extend(failed.map(|(at, text)| Found {
            cause: Cause::RecordingFailed,
            since: *at,
            text: Arc::clone(text),
            last: None,
        }));
        let is_unknown = |cause: &Cause| rules::is_down(world) && cause.link() == Link::Mpp;
        for alert in self.all.iter_mut().filter(|alert| alert.holds()) {
            match found.iter().position(|found| found.cause == alert.cause).map(|at| found.swap_remove(at)) {
                Some(found) => {
                    // Questions are listed beside the alerts, and are not put away among them.
                    if found.last > alert.last
                        && (alert.standing == Standing::Seen || alert.cause == Cause::Asking)
                    {
                        alert.standing = Standing::Waiting;
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
                    if alert.cause == Cause::Asking {
                        alert.text = self.answered.take().unwrap_or_else(|| rules::NOBODY_ASKS.into());
                    }
                    alert.standing = Standing::Passed { at: now };
                    judged.passed.push(alert.number);
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
    fn miss(&mut self, world: &World, now: Now) -> Option<(Peer, Now)> {
        if rules::is_down(world) {
            return None;
        }
        match (&world.mpp.adapter, &world.mpp.last_close, &mut self.adapter) {
            (Some(adapter), ..) => self.adapter = Some((adapter.peer.clone(), None)),
            (None, Some(_), _) => self.adapter = None,
            (None, None, Some((peer, since))) => return Some((peer.clone(), *since.get_or_insert(now))),
            (None, None, None) => {}
        }
        None
    }

    /// Keeps a new alert, if room can be made for it by letting go one that passed.
    fn raise(&mut self, found: Found) -> Option<u64> {
        if self.all.len() >= self.limit {
            let oldest = self.all.iter().position(|alert| !alert.holds())?;
            self.all.remove(oldest);
            self.cut = self.cut.saturating_add(1);
        }
        let Found { cause, since, text, last } = found;
        let number = self.next;
        self.next += 1;
        self.all.push_back(Alert { number, cause, since, text, standing: Standing::Waiting, last });
        Some(number)
    }

    /// Puts an alert away as seen. What happened once is over with that.
    pub(crate) fn acknowledge(&mut self, number: u64, now: Now) {
        let Some(alert) =
            self.all.iter_mut().find(|alert| alert.number == number && alert.standing == Standing::Waiting)
        else {
            return;
        };
        if alert.cause == Cause::RecordingFailed {
            alert.standing = Standing::Passed { at: now };
            self.recording_failed = None;
        } else {
            alert.standing = Standing::Seen;
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
            let (rank, at) = match alert.standing {
                Standing::Waiting => (0, alert.number),
                Standing::Seen => (1, alert.number),
                Standing::Passed { at } => (2, at.mono.0),
            };
            (rank, std::cmp::Reverse(at), std::cmp::Reverse(alert.number))
        });
        all
    }

    /// Those whose cause holds, seen or not.
    pub(crate) fn standing(&self) -> impl Iterator<Item = &Alert> {
        self.all.iter().filter(|alert| alert.holds())
    }

    /// How many wait to be seen. What runs ask is counted as questions.
    pub(crate) fn waiting(&self) -> usize {
        self.all
            .iter()
            .filter(|alert| alert.standing == Standing::Waiting && alert.cause != Cause::Asking)
            .count()
    }

    /// Alerts that were cut to make room.
    pub(crate) fn cut(&self) -> u64 {
        self.cut
    }
}
