//! What the entries that tell of records of plugins are found by.

use crate::{
    console::records::entry_query::EntryQuery,
    ids::PluginId,
    tap::entry::{Head, Transition, What},
    time::Wall,
};

/// The messages and changes of state of a plugin, at a moment where that is known.
pub(super) fn of_plugin(plugin: PluginId, at: Option<Wall>) -> EntryQuery {
    EntryQuery::telling(move |found| {
        let of = match &found.entry.what {
            What::Frame(frame) => match &frame.head {
                Head::Plugin(head) => Some(&head.plugin),
                _ => None,
            },
            What::Transition(Transition::Plugin(it)) => it.plugin(),
            _ => None,
        };
        of == Some(&plugin) && at.is_none_or(|at| found.entry.at.wall == at)
    })
}
