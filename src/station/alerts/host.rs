//! Judges once a second, tells what came of it, and takes what operators acknowledge.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    fold::{AlertChanges, Alerts, NotAcknowledged, transition},
    watch::{AlertThresholds, Evidence},
};
use crate::{
    ids::Seq,
    port::{Outcome, PortError, Snapshot, StationPort as _},
    station::{
        local::{Inner, LocalPort},
        pages::query_store,
        ticks::Ticks,
    },
    store::{
        RestoredAlerts,
        op::{Class, CommitError, Done, Op},
    },
    tap::{
        EntryRef, Reader,
        entry::{Link, Transition, What, alerts::AlertChange, station::Transition as T},
    },
};

/// How often the tap is read. A reader that is always at its heels would cut its segments short.
const READ_EVERY: Duration = Duration::from_millis(50);
/// How often it is judged.
const JUDGE_EVERY: Duration = Duration::from_secs(1);
/// How long a snapshot may take; without one, the last is judged by.
const SNAPSHOT_MAX: Duration = Duration::from_millis(500);

/// The alerts of a station, for those that judge and those that acknowledge.
#[derive(Debug)]
pub(in crate::station) struct AlertBoard(Mutex<Judge>);

#[derive(Debug)]
struct Judge {
    alerts: Alerts,
    thresholds: AlertThresholds,
    /// The state of the last snapshot, with what the station's own entries say since.
    state: Option<Snapshot>,
    /// The bridge's entries up to here are in what the alerts were seeded with.
    seeded: Option<Seq>,
    /// Something happened since the last snapshot.
    is_stale: bool,
    /// What earlier starts left is known.
    is_restored: bool,
    /// Alerts that are not in the store as they are now. They are among those that are listed.
    unsaved: BTreeSet<u64>,
}

impl AlertBoard {
    /// None yet.
    pub(in crate::station) fn new(thresholds: AlertThresholds, max: u64) -> Self {
        let alerts = Alerts::new(max);
        let judge = Judge {
            alerts,
            thresholds,
            state: None,
            seeded: None,
            is_stale: true,
            is_restored: false,
            unsaved: BTreeSet::new(),
        };
        Self(Mutex::new(judge))
    }

    fn lock(&self) -> MutexGuard<'_, Judge> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up what earlier starts left, before anybody is answered. Where the store cannot say it, ids go
    /// on behind all that there can be, and it is asked again.
    pub(in crate::station) fn restore(&self, inner: &Inner, left: Option<&RestoredAlerts>) {
        let mut judge = self.lock();
        let now = inner.clock.now();
        match left {
            Some(left) => {
                judge.is_restored = true;
                judge.alerts.restore(&left.alerts, left.next);
                inner.status.restore_alerts(judge.alerts.list());
            }
            None => judge.alerts.restore(&[], now.wall.0 / 1_000),
        }
    }

    /// Acknowledges alerts; all that wait where none is named.
    pub(in crate::station) fn acknowledge(
        &self,
        inner: &Arc<Inner>,
        ids: &[u64],
    ) -> Result<Outcome, PortError> {
        let mut judge = self.lock();
        let changes = judge.alerts.acknowledge(ids, inner.clock.now()).map_err(|error| match error {
            NotAcknowledged::Unknown(id) => PortError::NoAlert { id },
            NotAcknowledged::Question(id) => PortError::AlertAsks { id },
        })?;
        let ids: Vec<u64> = changes.iter().map(|(_, alert)| alert.id).collect();
        judge.tell(inner, changes);
        Ok(Outcome::AlertsAcknowledged { ids })
    }
}

impl Judge {
    /// Takes one entry.
    fn fold(&mut self, entry: EntryRef<'_>) {
        if let What::Transition(Transition::Station(station)) = &entry.entry.what {
            match station {
                T::Alert { .. } => return,
                // It begins anew from the store.
                T::HostUp { link: Link::Mpp } => self.seeded = None,
                _ => {}
            }
        }
        self.is_stale = true;
        let follows =
            entry.entry.link == Link::Mpp && self.seeded.is_some_and(|seeded| entry.entry.seq > seeded);
        self.alerts.fold(entry, self.state.as_ref(), !follows);
        // A bridge that is down gives no snapshot; that it is, the station says.
        if let (Some(state), What::Transition(Transition::Station(transition))) =
            (&mut self.state, &entry.entry.what)
            && !state.as_of.covers(entry.entry.link, entry.entry.seq)
        {
            state.station.apply(entry.entry.at, transition, &entry.text());
        }
    }

    fn take(&mut self, snapshot: Snapshot) {
        if self.seeded.is_none() {
            self.alerts.seed(&snapshot);
            self.seeded = Some(snapshot.as_of.0[Link::Mpp.index()]);
        }
        self.state = Some(snapshot);
        self.is_stale = false;
    }

    fn judge(&mut self, inner: &Arc<Inner>) {
        let Some(state) = &self.state else { return };
        let evidence = Evidence { state, thresholds: self.thresholds, now: inner.clock.now() };
        let changes = self.alerts.evaluate(&evidence);
        // Also what could not be kept before.
        self.tell(inner, changes);
    }

    /// Tells of changes in their order, and keeps them. That its text is another, an alert's end says.
    fn tell(&mut self, inner: &Arc<Inner>, changes: AlertChanges) {
        for (change, alert) in changes {
            if change != AlertChange::Updated {
                self.unsaved.insert(alert.id);
            }
            inner.status.report(transition((change, alert)), "");
        }
        self.save(inner);
    }

    /// Has the store keep what it does not have; what it cannot is tried again with the next judgement.
    fn save(&mut self, inner: &Arc<Inner>) {
        let Some(running) = inner.running_now().filter(|_| !self.unsaved.is_empty()) else { return };
        let unsaved = std::mem::take(&mut self.unsaved);
        let alerts = unsaved.iter().filter_map(|id| self.alerts.list().get(*id)).cloned().collect();
        let (shared, ids) = (Arc::clone(inner), unsaved.clone());
        let done = Box::new(move |done: Result<Done, CommitError>| {
            if done.is_err() {
                shared.alerts.lock().unsaved.extend(ids);
            }
        });
        if running.store.commit(Op::Alerts(alerts), Class::Process, done).is_err() {
            self.unsaved.extend(unsaved);
        }
    }
}

/// Judges for as long as the station runs.
pub(in crate::station) async fn run(inner: Arc<Inner>, mut reader: Reader) {
    let mut seconds = Ticks::every(JUDGE_EVERY, inner.clock);
    loop {
        tokio::select! {
            () = seconds.tick() => judge(&inner, &mut reader).await,
            () = reader.ready() => {
                tokio::time::sleep(READ_EVERY).await;
                read(&inner, &mut reader);
            }
        }
    }
}

fn read(inner: &Inner, reader: &mut Reader) {
    while let Some(batch) = reader.read() {
        let mut judge = inner.alerts.lock();
        if batch.lost > 0 {
            // What was counted is to be begun anew.
            (judge.seeded, judge.is_stale) = (None, true);
        }
        for entry in batch.iter() {
            judge.fold(entry);
        }
    }
}

async fn judge(inner: &Arc<Inner>, reader: &mut Reader) {
    read(inner, reader);
    if inner.alerts.lock().is_stale {
        let port = LocalPort::own(Arc::clone(inner));
        if let Ok(Ok(snapshot)) = tokio::time::timeout(SNAPSHOT_MAX, port.snapshot()).await {
            // What the snapshot has, the alerts are to have.
            read(inner, reader);
            inner.alerts.lock().take(snapshot);
        }
    }
    if !inner.alerts.lock().is_restored {
        restore(inner).await;
    }
    inner.alerts.lock().judge(inner);
}

/// Asks the store for what earlier starts left, once more.
async fn restore(inner: &Arc<Inner>) {
    let Some(running) = inner.running_now() else { return };
    let max = inner.limits.console.alerts_max;
    if let Ok(left) = query_store(|done| running.store.restored_alerts(max, done)).await {
        let mut judge = inner.alerts.lock();
        judge.is_restored = true;
        judge.alerts.restore(&left.alerts, left.next);
        let holding = left.alerts.into_iter().filter(|alert| alert.holds());
        judge.tell(inner, holding.map(|alert| (AlertChange::Updated, alert)).collect());
    }
}
