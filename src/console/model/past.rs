//! What happened before this console came up, as far as the station keeps it.

use super::{
    past_loading::PastLoading,
    state::{Model, next_revision},
};
use crate::{port::Snapshot, time::Now};

impl Model {
    /// Notes how far the past has come.
    pub(crate) fn set_past(&mut self, past: PastLoading) {
        self.revision = next_revision();
        self.past = past;
    }

    /// Takes what a snapshot says of who is who, without beginning with it: it is of a later moment.
    pub(super) fn introduce(&mut self, snapshot: &Snapshot) {
        self.station_state = Some(snapshot.clone());
    }

    /// Takes the windows of a model that was folded over the same entries from before this one began: the
    /// journal, faults, rates. What holds now, and what was seen and done at this console, stays.
    pub(crate) fn adopt_past(&mut self, past: Self, since: Option<Now>) {
        let live = std::mem::replace(self, past);
        self.journal.adopt(&live.journal);
        self.systems.bridge.keep_present(live.systems.bridge);
        self.systems.runs.run_changes = live.systems.runs.run_changes;
        self.systems.runs.artifact_changes = live.systems.runs.artifact_changes;
        self.systems.station.keep_present(live.systems.station);
        self.known_since = since.or(live.known_since);
        (self.station_state, self.sync_basis) = (live.station_state, live.sync_basis);
        (self.raised_alerts, self.attachment) = (live.raised_alerts, live.attachment);
        (self.lost, self.console_health) = (live.lost, live.console_health);
        self.set_past(PastLoading::Complete);
    }
}
