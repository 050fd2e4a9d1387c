//! The plugins, carried on entry by entry.

use super::journal;
use crate::{
    console::model::{
        Model,
        station::StationState,
        systems::{Folding, NODE_BYTES, Resync, SystemModel},
    },
    limits,
    plugin::{self, PluginView},
    tap::{
        EntryRef,
        entry::{Transition as Any, What, station::Level},
    },
};

impl Model {
    /// The plugins, once there is a snapshot.
    pub(crate) fn plugins(&self) -> Option<&plugin::Snapshot> {
        self.station_state.as_ref().map(|state| &state.plugin)
    }
}

/// What the model keeps of plugins beside their state.
#[derive(Clone, Debug)]
pub(crate) struct Plugins {
    limits: limits::Plugin,
}

impl SystemModel for Plugins {
    const STATION_LOG: Option<Level> = None;

    fn new(limits: &limits::Limits) -> Self {
        Self { limits: limits.plugin }
    }

    fn reset(&mut self) {}

    fn resync(&mut self, _: &mut Resync<'_>) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        if let What::Transition(Any::Plugin(transition)) = &entry.entry.what {
            cx.note(entry, journal::describe(transition, &entry.text()));
        }
        if let Some(StationState { plugin, .. }) = cx.carried() {
            // What lies beside a frame is not read.
            match &entry.entry.what {
                What::Transition(_) => plugin.apply(entry.entry, &entry.text(), &self.limits),
                _ => plugin.apply(entry.entry, "", &self.limits),
            }
        }
    }

    fn memory_bytes(&self, state: Option<&StationState>) -> usize {
        let of_view = |view: &PluginView| view.memory_of_view() + NODE_BYTES;
        state.map_or(0, |state| state.plugin.plugins.values().map(of_view).sum())
    }
}
