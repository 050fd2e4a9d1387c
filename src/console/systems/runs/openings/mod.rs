//! Openings that are written here and submitted: their params as a form, and what is kept of them for the
//! next start. What may wait for the disk is done by the [worker](crate::console::worker).
//!
//! - `params`: the params of a text, as fields over it.
//! - `drafts`: the draft, and the openings that were submitted lately.

mod drafts;
mod params;

pub(crate) use drafts::{Draft, OpeningDrafts, Recent};

pub(crate) use params::Params;
