//! How far the past has come, and what of it is on its way.

use crate::{
    console::model::Rebuild,
    ids::Seq,
    port::{Keyframe, PastPage, PortError},
};

/// What comes of it from the station.
#[derive(Debug)]
pub(crate) enum PastAnswer {
    /// Entries from before the console came up.
    Page(Result<PastPage, PortError>),
    /// A state from before it came up.
    Keyframe(Result<Option<Keyframe>, PortError>),
}

/// What is being done.
#[derive(Debug, Default)]
pub(super) enum Stage {
    /// It waits for the first snapshot.
    #[default]
    Idle,
    /// A page is on its way.
    Paging,
    /// It is asked again with the next second.
    Again,
    /// The oldest state is on its way, or the next one.
    Keyframe(Option<Box<Rebuild>>),
    /// Entries are folded.
    Folding(Box<Rebuild>),
    /// All that is to be had is there.
    Done,
}

/// The loading of the past.
#[derive(Debug, Default)]
pub(crate) struct PastLoader {
    pub(super) stage: Stage,
    /// Entries before this place are to be asked for.
    pub(super) before: Seq,
    pub(super) loaded: u64,
}
