//! The log of a plugin at a place of a recording.
//!
//! The last lines are in the state there, with their numbers. Those before them are in the entries, and are
//! numbered back from there: where entries were lost they have later numbers than at the station. Texts are
//! cut at `limits.plugin.shown_text_bytes_max`, as everywhere but in the log's files.

use std::{collections::VecDeque, ops::ControlFlow};

use super::{
    numbered::{NumberedPage, NumberedPaging},
    past::PastReader,
    shared::Shared,
    walk::{Place, each_entry_until},
};
use crate::{
    ids::{PluginId, Seq},
    limits,
    plugin::snapshot::LogView,
    port::{Page, PluginLogRow},
    tap::{
        EntryRef,
        entry::{Transition as Any, What, plugin::Transition},
    },
    words,
};

/// The lines behind a number. A plugin that was removed has none, as at a station.
pub(super) fn answer(
    shared: &Shared,
    past: &PastReader,
    plugin: &PluginId,
    (after, limit): (u64, u64),
) -> Page {
    let (place, shown) = {
        let stage = shared.stage();
        let view = stage.state.state().plugin.plugins.get(plugin);
        let mut shown = view.map(|view| view.log.clone()).unwrap_or_default();
        // Behind a loss the state may be of later.
        shown.retain(|line| line.at.mono <= stage.state.at().mono);
        (Place::of(&stage), shown)
    };
    let bytes_max = shared.limits.port.answer_bytes_max;
    let page = NumberedPage::new(NumberedPaging { after, limit, bytes_max });
    let mut lines = Lines { plugin, limits: &shared.limits.plugin, shown: &shown, page };
    let first_shown = shown.front().map_or(u64::MAX, |line| line.number);
    if after.saturating_add(1) < first_shown {
        let mut older = Older::default();
        each_entry_until(shared, past, place, &mut |entry| lines.count(&mut older, entry));
        let first = if shown.is_empty() { 1 } else { first_shown.saturating_sub(older.lines).max(1) };
        let mut next = first;
        each_entry_until(shared, past, place, &mut |entry| {
            let is_before = entry.entry.seq <= older.behind;
            if is_before { ControlFlow::Continue(()) } else { lines.take(&mut next, entry) }
        });
    }
    for line in &shown {
        let row = || PluginLogRow::new(plugin, line);
        if lines.page.take(line.number, line.text.len(), row).is_break() {
            break;
        }
    }
    let (rows, more) = lines.page.finish();
    Page::PluginLog { rows, more }
}

/// Lines that are in the entries alone.
#[derive(Debug, Default)]
struct Older {
    lines: u64,
    /// The entry that the plugin was removed by last: its log begins behind it.
    behind: Seq,
}

/// The page, and what it is made of.
struct Lines<'a> {
    plugin: &'a PluginId,
    limits: &'a limits::Plugin,
    /// The last lines, which the state has.
    shown: &'a VecDeque<LogView>,
    page: NumberedPage<PluginLogRow>,
}

impl Lines<'_> {
    /// Counts what is logged before the lines that the state has.
    fn count(&self, older: &mut Older, entry: EntryRef<'_>) -> ControlFlow<()> {
        match self.of(entry) {
            Some(Transition::Removed { .. }) => *older = Older { lines: 0, behind: entry.entry.seq },
            Some(Transition::Logged { .. }) if self.is_shown(entry) => return ControlFlow::Break(()),
            Some(Transition::Logged { .. }) => older.lines += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, next: &mut u64, entry: EntryRef<'_>) -> ControlFlow<()> {
        let Some(Transition::Logged { level, source, .. }) = self.of(entry) else {
            return ControlFlow::Continue(());
        };
        let number = *next;
        if self.is_shown(entry) || self.shown.front().is_some_and(|first| number >= first.number) {
            return ControlFlow::Break(());
        }
        *next += 1;
        let (plugin, text_bytes_max) = (self.plugin, self.limits.shown_text_bytes_max);
        self.page.take(number, entry.bytes.len(), || PluginLogRow {
            number,
            at_ms: entry.entry.at.wall,
            plugin: plugin.clone(),
            level: *level,
            source: *source,
            text: words::cut(&entry.text(), text_bytes_max).to_owned(),
        })
    }

    /// What happened to the plugin.
    fn of<'e>(&self, entry: EntryRef<'e>) -> Option<&'e Transition> {
        match &entry.entry.what {
            What::Transition(Any::Plugin(of)) if of.plugin() == Some(self.plugin) => Some(of),
            _ => None,
        }
    }

    /// Whether the state has what is logged from this moment on.
    fn is_shown(&self, entry: EntryRef<'_>) -> bool {
        self.shown.front().is_some_and(|first| entry.entry.at.mono >= first.at.mono)
    }
}
