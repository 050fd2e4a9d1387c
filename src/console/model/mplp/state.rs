//! The lifecycle records, carried on entry by entry.

use std::{collections::VecDeque, sync::Arc};

use super::journal;
use crate::{
    console::model::{
        station::StationState,
        systems::{Folding, NODE_BYTES, Resync, SystemModel},
    },
    ids::TraceId,
    limits,
    mplp::{RatingVerdict, Transition, snapshot::WithheldView},
    tap::{
        EntryRef,
        entry::{Transition as Any, What, station::Level},
    },
    words::cut,
};

/// Ratings that are remembered; the oldest go.
const RATINGS_MAX: usize = 256;
/// Bytes of the note of one that are.
const NOTE_BYTES_MAX: u64 = 512;

/// A rating of a run as it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownRating {
    pub(crate) run: TraceId,
    pub(crate) verdict: RatingVerdict,
    /// Cut where it is long.
    pub(crate) note: Arc<str>,
    pub(crate) by: Arc<str>,
}

/// What the model keeps of lifecycle records beside their state: the last ratings.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    ratings: VecDeque<KnownRating>,
}

impl Records {
    /// How a run was rated last, where this console was told.
    pub(crate) fn rating(&self, run: TraceId) -> Option<&KnownRating> {
        self.ratings.iter().rev().find(|rating| rating.run == run)
    }

    fn follow(&mut self, transition: &Transition, text: &str) {
        let Transition::Rated { run, verdict, by } = transition else { return };
        self.ratings.retain(|rating| rating.run != *run);
        if self.ratings.len() >= RATINGS_MAX {
            self.ratings.pop_front();
        }
        let note = cut(text, NOTE_BYTES_MAX).into();
        self.ratings.push_back(KnownRating { run: *run, verdict: *verdict, note, by: Arc::clone(by) });
    }
}

impl SystemModel for Records {
    const STATION_LOG: Option<Level> = Some(Level::Error);

    fn new(_: &limits::Limits) -> Self {
        Self { ratings: VecDeque::new() }
    }

    // A rating outlives the start of the station that kept it.
    fn reset(&mut self) {}

    fn resync(&mut self, _: &mut Resync<'_>) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        let What::Transition(Any::Mplp(transition)) = &entry.entry.what else { return };
        let text = entry.text();
        cx.note(entry, Some(journal::describe(transition, &text)));
        self.follow(transition, &text);
        if let Some(StationState { mplp, .. }) = cx.carried() {
            mplp.follow(transition, entry.entry.at, &text);
        }
    }

    fn memory_bytes(&self, state: Option<&StationState>) -> usize {
        let of_view = |it: &WithheldView| {
            let texts = [&it.record.id, &it.schema, &it.rule, &it.path, &it.requires];
            size_of::<WithheldView>() + NODE_BYTES + texts.map(|text| text.len()).iter().sum::<usize>()
        };
        let of_rating = |it: &KnownRating| size_of::<KnownRating>() + it.note.len() + it.by.len();
        let ratings: usize = self.ratings.iter().map(of_rating).sum();
        ratings + state.map_or(0, |state| state.mplp.recent.iter().map(of_view).sum())
    }
}
