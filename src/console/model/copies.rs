//! What a copy of the model costs, and what of the present goes into one that shows the past.

use super::{Model, timeline::FrozenState};
use crate::time::Now;

impl Model {
    /// What a copy holds, in bytes: its windows, and their texts as if no other copy shared them.
    pub(crate) fn memory_bytes(&self) -> usize {
        let faults: usize = self.faults.groups().map(|group| 1_024 + group.offenders.len() * 64).sum();
        let systems = self.systems.memory_bytes(self.station_state.as_ref());
        let faults = faults + self.findings.memory_bytes() + self.injected.memory_bytes();
        size_of::<Self>() + faults + self.journal.memory_bytes() + systems
    }

    /// Takes over from the live model what is shown of the present whatever the moment: what this console
    /// lost and how well it keeps up, how the station is reached and whether it goes down.
    pub(crate) fn copy_live_state(&mut self, live: &Self, at: Now) {
        self.raised_alerts.clear();
        self.console_health = live.console_health;
        self.lost = live.lost;
        self.station = live.station.clone();
        self.attachment.clone_from(&live.attachment);
        self.past.clone_from(&live.past);
        self.frozen = Some(FrozenState { at });
    }
}
