//! The lifecycle records, carried on entry by entry.

use super::journal;
use crate::{
    console::model::{
        station::StationState,
        systems::{Folding, NODE_BYTES, Resync, SystemModel},
    },
    limits,
    mplp::snapshot::WithheldView,
    tap::{
        EntryRef,
        entry::{Transition as Any, What, station::Level},
    },
};

/// What the model keeps of lifecycle records beside their state: nothing.
#[derive(Clone, Debug)]
pub(crate) struct Records;

impl SystemModel for Records {
    const STATION_LOG: Option<Level> = Some(Level::Error);

    fn new(_: &limits::Limits) -> Self {
        Self
    }

    fn reset(&mut self) {}

    fn resync(&mut self, _: &mut Resync<'_>) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        let What::Transition(Any::Mplp(transition)) = &entry.entry.what else { return };
        let text = entry.text();
        cx.note(entry, Some(journal::describe(transition, &text)));
        if let Some(StationState { mplp, .. }) = cx.carried() {
            mplp.follow(transition, entry.entry.at, &text);
        }
    }

    fn memory_bytes(&self, state: Option<&StationState>) -> usize {
        let of_view = |it: &WithheldView| {
            let texts = [&it.record.id, &it.schema, &it.rule, &it.path, &it.requires];
            size_of::<WithheldView>() + NODE_BYTES + texts.map(|text| text.len()).iter().sum::<usize>()
        };
        state.map_or(0, |state| state.mplp.recent.iter().map(of_view).sum())
    }
}
