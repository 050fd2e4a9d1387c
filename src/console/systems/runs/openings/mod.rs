//! Openings that are written here and submitted: what is found of their text, where they are read from, their
//! params as a form, and what is kept of them for the next start.
//!
//! - `found`: what is wrong with a text, and where.
//! - `shelf`: the files that there are, behind a trait: a console knows no folders.
//! - `desk`: the work on them that may wait for the disk, beside the screen's thread.
//! - `params`: the params of a text, as fields over it.
//! - `kept`: the draft, and the openings that were submitted lately.

mod drafts;
mod params;

pub(crate) use drafts::{Draft, OpeningDrafts, Recent};

pub(crate) use params::Params;
