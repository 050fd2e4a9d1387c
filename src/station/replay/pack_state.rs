//! The pack-state values that were written until a place of a recording.
//!
//! Those that were written before the recording are not listed. Who may write a value, who wrote it, and its
//! scope are not recorded; a value that was cut is null.

use std::{collections::BTreeMap, ops::ControlFlow};

use super::{
    lists::ROWS_MAX,
    past::PastReader,
    shared::Shared,
    walk::{Place, each_entry_until},
};
use crate::{
    ids::StateKey,
    port::{Page, StateKeyRow},
    schema::JsonText,
    tap::entry::{Transition as Any, What, mpp::Transition},
};

/// The last value of each key, in the order of the keys.
pub(super) fn answer(shared: &Shared, past: &PastReader) -> Page {
    let place = Place::of(&shared.stage());
    let mut rows: BTreeMap<StateKey, StateKeyRow> = BTreeMap::new();
    each_entry_until(shared, past, place, &mut |entry| {
        if let What::Transition(Any::Mpp(Transition::StateWritten { key, persist })) = &entry.entry.what
            && ((rows.len() as u64) < ROWS_MAX || rows.contains_key(key))
        {
            let value = JsonText::parse(&entry.text()).unwrap_or_else(|_| JsonText::null());
            let row = StateKeyRow {
                key: key.clone(),
                value,
                scope: None,
                persist: *persist,
                writer: None,
                written_by: None,
                at_ms: Some(entry.entry.at.wall),
            };
            rows.insert(key.clone(), row);
        }
        ControlFlow::Continue(())
    });
    Page::State(rows.into_values().collect())
}
