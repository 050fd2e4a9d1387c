//! What the pass says.

use std::str;

use crate::mplp::{SchemaId, rule::Profile};

use super::{sniff::sniff, table::Table, walk::is_clean_by};

/// Levels that the parser takes.
const PARSER_LEVELS_MAX: usize = 127;

/// Whether bytes are certainly JSON, nested `depth_max` levels deep at most, in which
/// [`judge`](fn@crate::mplp::judge) finds nothing by this schema and, of an object alone in a record of this
/// profile, by the rules.
#[must_use]
pub fn is_clean(schema: SchemaId, bytes: &[u8], profile: Option<Profile>, depth_max: usize) -> bool {
    let text = str::from_utf8(bytes);
    text.is_ok_and(|text| is_clean_by(Table::of(schema, profile), text, depth_max.min(PARSER_LEVELS_MAX)))
}

/// The schema that an object is of by [`detect`](fn@crate::mplp::detect), if it is certainly clean by that as
/// [`is_clean`] says.
#[must_use]
pub fn is_clean_of_some_schema(bytes: &[u8], profile: Option<Profile>, depth_max: usize) -> Option<SchemaId> {
    let text = str::from_utf8(bytes).ok()?;
    let schema = sniff(text)?;
    let table = Table::of(schema, profile);
    is_clean_by(table, text, depth_max.min(PARSER_LEVELS_MAX)).then_some(schema)
}

/// Whether anything is made of the schemas and rules.
#[cfg(test)]
pub(in crate::mplp) fn is_used() -> bool {
    Table::is_used() || super::sniff::is_used()
}
