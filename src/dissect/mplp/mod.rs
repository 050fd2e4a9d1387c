//! MPLP: the transitions of lifecycle records, and what is found in messages of the bus (schema id 0x0083):
//! by field for the inspector, by rule for the Journal and `ls findings`, and as fields of an entry for
//! filters. What is judged there, and how, is in [`mod@crate::mplp::lint`]. Of the objects of records, the
//! values with who may see them.

mod entry_fields;
mod findings;
mod group;
mod marks;
mod message;
pub(crate) mod object;
mod row;
mod rule_text;
mod summary;
#[cfg(test)]
mod tests;
mod transitions;

pub(super) use entry_fields::EntryFindings;
pub(crate) use entry_fields::findings_in;
pub(crate) use findings::{FindingLimits, MplpFindings};
pub(crate) use group::{FindingGroup, FindingKey};
pub(crate) use marks::findings_text;
pub(super) use marks::mark;
pub(crate) use message::{Published, published};
pub(crate) use rule_text::rule_text;
