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
            station::{Level, OperatedBy, Transition as T},
        },
    },
    time::Now,
};

/// The state that snapshots carry, as entries move it on. `at` stays when the snapshot was taken.
pub(crate) type StationState = Snapshot;

/// What the model keeps of the station itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Station {
    /// Since when it is going down, and who asked for it; none while it goes on.
    pub(crate) stopping: Option<Stopping>,
    /// The frames that the gate holds.
    pub(crate) intercepted: InterceptedFrames,
}

/// An orderly stop.
#[derive(Clone, Debug)]
pub(crate) struct Stopping {
    /// The operator that asked for it; none where a signal did.
    pub(crate) by: Option<OperatedBy>,
    /// When it began.
    pub(crate) at: Now,
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
        if let T::Stopping { by } = transition {
            self.stopping = Some(Stopping { by: by.clone(), at: entry.entry.at });
        }
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
