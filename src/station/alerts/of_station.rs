//! What of the station itself is cause for an alert: its store, its disk, a recording.

use super::{
    cause::{ActiveCause, Cause, CauseKind},
    watch::{Evidence, Findings, Watch, Watching},
};
use crate::{
    admission::{Port, RecentTurnAways},
    ids::{Peer, PluginId},
    port::Snapshot,
    station::plugins::alerts::TOKEN_SHOWN,
    tap::{
        EntryRef,
        entry::{
            Link, Transition, What,
            station::{Level, Transition as T},
        },
    },
    words::format,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Station);
/// The store refuses commits.
pub(crate) static STORE_FAILING: CauseKind = CauseKind::new("store_failing", Link::Station, "store");
/// The data folder's disk is nearly full.
pub(crate) static DISK_LOW: CauseKind = CauseKind::new("disk_low", Link::Station, "store");
/// Connections of the metrics' port are turned away for this reason, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::turned_away(Link::Station, Port::Metrics);
/// A recording could not be begun, or ended by an error.
pub(crate) static RECORDING_FAILED: CauseKind =
    CauseKind::new("recording_failed", Link::Station, "recording").once();
/// The same of the recording that the station keeps by itself.
fn always_failed() -> Cause {
    RECORDING_FAILED.of("always")
}

/// A trigger that is to raise an alert found something.
pub(crate) static TRIGGERED: CauseKind = CauseKind::new("trigger", Link::Station, "trigger").once();
/// The station told of an error: of damage that it found at its start, of a file that it cannot read.
pub(crate) static STATION_ERROR: CauseKind = CauseKind::new("station_error", Link::Station, "station").once();

/// The station's memory for its alerts.
#[derive(Debug, Default)]
pub(crate) struct StationWatch {
    /// Errors that it told of.
    errors: u64,
    /// By the metrics' port.
    turned_away: RecentTurnAways,
}

impl Watch for StationWatch {
    #[cfg(test)]
    const KINDS: &[&'static CauseKind] =
        &[&HOST_DOWN, &STORE_FAILING, &DISK_LOW, &TURNED_AWAY, &RECORDING_FAILED, &TRIGGERED, &STATION_ERROR];

    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        let What::Transition(Transition::Station(transition)) = &entry.entry.what else { return };
        match transition {
            T::RecordingFailed { is_always } => {
                let (cause, what) = if *is_always {
                    (always_failed(), "always recording")
                } else {
                    (RECORDING_FAILED.cause(), "recording")
                };
                let text = format!("{what} failed: {}", entry.text());
                cx.incidents.raise(ActiveCause::new(cause, entry.entry.at, text));
            }
            T::Triggered { name, is_alert: true, .. } => {
                let text = format!("trigger {name}: {}", entry.text());
                cx.incidents.raise(ActiveCause::new(TRIGGERED.of(name), entry.entry.at, text));
            }
            T::Notice { level: Level::Error } => {
                self.errors = self.errors.saturating_add(1);
                let text = match self.errors {
                    1 => entry.text().to_string(),
                    errors => format!("{} (last of {errors} errors; see the Journal)", entry.text()),
                };
                cx.incidents.raise(ActiveCause::new(STATION_ERROR.cause(), entry.entry.at, text));
            }
            T::TokenShown { plugin } => {
                let of = plugin.as_ref().map_or("plugin", PluginId::as_str);
                let cause = TOKEN_SHOWN.of(of);
                cx.incidents.raise(ActiveCause::new(cause, entry.entry.at, entry.text().to_string()));
            }
            T::RecordingStarted => cx.incidents.clear(&RECORDING_FAILED.cause()),
            T::AlwaysRecording if !entry.text().is_empty() => cx.incidents.clear(&always_failed()),
            T::TurnedAway { why, count } if !cx.is_in_snapshot => {
                let most = (!entry.text().is_empty()).then(|| (Peer::new(&entry.text()), *count));
                self.turned_away.record(entry.entry.at, *why, *count, most);
            }
            T::Stopping { .. } => cx.incidents.is_stopping = true,
            _ => {}
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        findings.check_host(&HOST_DOWN, evidence);
        let Evidence { state, now, .. } = *evidence;
        findings.add_turned_away(&TURNED_AWAY, Port::Metrics, &self.turned_away, now);
        if let Some(why) = state.station.store_failing.as_ref().or(state.mpp.commits_failing.as_ref()) {
            let text = format!("store commits are failing: {why}");
            findings.add(STORE_FAILING.cause(), evidence.now, text);
        }
        if let Some(free_bytes) = state.station.disk_low {
            let free = format::bytes(free_bytes);
            let text = format!("the data folder's disk is nearly full: {free} free");
            findings.add(DISK_LOW.cause(), evidence.now, text);
        }
    }
}
