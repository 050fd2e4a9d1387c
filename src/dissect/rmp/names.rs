//! Names and words for what a number or a kind of the bus stands for.

use std::borrow::Cow;

use crate::rmp::{DropReason, Kind, Registry, SchemaId};

/// A schema's constant, or its number where it has none.
pub(crate) fn schema_name(id: u16) -> Cow<'static, str> {
    let name = Registry::default().schema(SchemaId(id)).and_then(|schema| schema.name);
    name.map_or_else(|| Cow::Owned(id.to_string()), Cow::Borrowed)
}

/// A reason in a word.
pub(crate) const fn drop_word(reason: DropReason) -> &'static str {
    match reason {
        DropReason::TtlExpired => "expired",
        DropReason::Duplicate => "duplicate",
        DropReason::BackpressureTimeout => "no_room",
    }
}

/// What a kind may do (ruling RMP 6).
pub(crate) const fn rights(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => "publish and subscribe; no decisions or station topics",
        Kind::Ui | Kind::Tui => "all operator actions, including decisions",
        Kind::Viewer => "read everything, publish nothing",
        Kind::Cue => "enqueue invocations and submit runs, nothing else",
        Kind::Station => "the station's own topics",
    }
}
