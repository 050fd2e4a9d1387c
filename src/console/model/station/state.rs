//! The state that snapshots carry, as entries move it on, and what of the station no snapshot has.

use super::{InterceptedFrames, journal};
use crate::{
    console::model::systems::{Folding, Resync, SystemModel},
    limits,
    port::{HostState, Snapshot},
    tap::{
        EntryRef,
        entry::{
            Transition, What,
            station::{Level, Transition as T},
        },
    },
};

/// The state that snapshots carry, as entries move it on. `at` stays when the snapshot was taken.
pub(crate) type StationState = Snapshot;

/// What the model keeps of the station itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Station {
    /// The frames that the gate holds.
    pub(crate) intercepted: InterceptedFrames,
}

impl Station {
    /// Takes over what holds now from the live state.
    pub(in crate::console::model) fn keep_present(&mut self, live: Self) {
        self.intercepted.keep_present(live.intercepted);
    }
}

impl SystemModel for Station {
    const STATION_LOG: Option<Level> = Some(Level::Trace);

    fn new(_: &limits::Limits) -> Self {
        Self::default()
    }

    fn reset(&mut self) {
        *self = Self::default();
    }

    fn resync(&mut self, _: &mut Resync<'_>) {
        self.intercepted.resync();
    }

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        let What::Transition(Transition::Station(transition)) = &entry.entry.what else { return };
        let text = entry.text();
        if let Some(state) = cx.carried() {
            let begins_anew = matches!(transition, T::HostUp { link }
                if matches!(state.station.hosts[link.index()], HostState::Down(_)));
            state.station.apply(entry.entry.at, transition, &text);
            cx.is_void |= begins_anew;
        }
        cx.note(entry, journal::describe(transition, &text));
    }

    fn memory_bytes(&self, _: Option<&StationState>) -> usize {
        self.intercepted.memory_bytes()
    }
}
