//! What bytes and entries mean: of a frame the tree of its values, each with the range of its bytes and who
//! may see it; of any entry one line and the fields that a filter finds it by; of a fault the clause that was
//! broken and what to do about it.
//!
//! A folder for every link: [`mpp`], [`rmp`], [`macp`], [`plugin`], [`runs`] and [`station`], each with its
//! row in `table`. Nothing here knows of a screen: the console draws what is said here, the station and the
//! command line filter and print by it.

pub(crate) mod body_preview;
mod breach;
pub(crate) mod decoder;
mod differing;
pub(crate) mod frame_json;
mod frame_verdict;
pub(crate) mod gate;
mod given;
mod json;
pub(crate) mod macp;
pub(crate) mod mplp;
pub(crate) mod mpp;
mod outcome;
mod plugin;
mod record;
#[cfg(test)]
mod record_tests;
mod redact;
pub(crate) mod rmp;
mod runs;
pub(crate) mod snippets;
mod station;
mod summary;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod transitions;
pub(crate) mod tree;
pub(crate) mod verdict;
mod violations;
mod wire_field;

pub(crate) use body_preview::body_preview;
pub(crate) use breach::{Breach, clause_name, clause_text, clause_with_text};
pub(crate) use decoder::Subject;
pub(crate) use differing::differing;
pub(crate) use frame_verdict::{foreseen_verdict, frame_verdict};
pub(crate) use json::tree as json_tree;
pub(crate) use mplp::findings_in;
pub(crate) use outcome::EntryOutcome;
pub(crate) use record::EntryRecord;
#[cfg(test)]
pub(crate) use redact::redact_free_texts;
pub(crate) use redact::{RedactRules, Redactor};
pub(crate) use summary::{EntrySummary, describe, line as summary_line};
pub(crate) use table::{frame_line, kind_of};
pub(crate) use tree::Tree;
pub(crate) use verdict::{Tone, verdict};
pub(crate) use violations::{FaultGroup, Faults};
