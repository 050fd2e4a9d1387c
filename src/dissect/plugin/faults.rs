//! What plugins break.

use std::sync::Arc;

use crate::{
    dissect::{
        Breach,
        violations::{FRAME_CHARS_MAX, FaultDraft},
    },
    ids::{Peer, PluginId},
    plugin::{Transition as T, Verdict},
    tap::{
        EntryRef,
        entry::{Direction, Frame, Head, Redaction, Transition, Verdict as AnyVerdict, What},
    },
};

/// The breach that an entry tells of: a frame that ends its process, or a lint where it is told of.
pub(in crate::dissect) fn fault_of(entry: EntryRef<'_>) -> Option<FaultDraft> {
    let of = |breach, plugin: &PluginId| FaultDraft::new(breach, Peer::new(plugin.as_str()));
    match &entry.entry.what {
        What::Frame(Frame {
            direction: Direction::Inbound,
            head: Head::Plugin(head),
            verdict: AnyVerdict::Plugin(Verdict::Broken(violation)),
            redaction,
            ..
        }) => {
            let is_shown = *redaction != Redaction::Withheld;
            let excerpt: String = entry.text().chars().take(FRAME_CHARS_MAX).collect();
            Some(FaultDraft {
                excerpt: is_shown.then(|| Arc::from(excerpt)),
                full_frame: is_shown.then(|| Arc::from(entry.bytes)),
                ..of(Breach::Plugin(*violation), &head.plugin)
            })
        }
        What::Transition(Transition::Plugin(T::Linted { plugin, lint })) => {
            Some(of(Breach::PluginLint(*lint), plugin))
        }
        _ => None,
    }
}
