//! What was asked of the station for the record that a pane shows.

use crate::{console::records::backfill::RequestSlot, time::Mono};

/// What there is of a record: how much was told of it, and whether it has ended.
pub(super) type Basis = (u64, bool);

/// What a question is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Asked {
    /// A state of the record from its begin.
    #[default]
    Anew,
    /// The next page.
    More,
    /// An object that is too large for a page, by its row.
    Object(usize),
}

/// What was asked for.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pub(super) slot: RequestSlot,
    /// What the question under way is for.
    pub(super) asked: Asked,
    /// When the state that is shown was begun, and what there was then.
    pub(super) begun: Option<(Mono, Option<Basis>)>,
    /// Whether the record went on while it was loaded, so that it is to be begun again.
    pub(super) is_stale: bool,
    /// Counts the objects that the worker was given.
    pub(super) jobs: u64,
    pub(super) bytes_max: u64,
}

impl Requests {
    /// Those of another record. Answers for the one before find no place.
    pub(super) fn reset(&self) -> Self {
        Self { slot: self.slot.reset(), jobs: self.jobs, ..Self::default() }
    }
}
