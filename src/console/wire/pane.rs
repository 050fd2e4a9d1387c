//! Wire: every entry of the tap that is kept, in its order, the newest last.

use std::any::Any;

use ratatui::layout::{Margin, Rect};

use crate::{
    console::{
        copy::line,
        draw::{Cell, format, glyphs::Glyphs, theme::Role},
        input::{action::Action, pane_id::PaneId},
        inspect::{InspectOptions, Inspector},
        model::{EntryBuffer, Model},
        records::{
            EntryList,
            entry_query::EntryQuery,
            record_key::KeyKind,
            row::{CellContext, DetailsRecord, OPEN_FIRST, PaneRecord},
            row_list::{RowList, Rows},
            selection::{RecordKey, RowKeys, Selection},
            table_settings::TableSettings,
        },
        settings::view::{Canvas, View},
        ui::{
            layout::ViewSpec,
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    dissect::{EntryOutcome, EntryRecord, Subject, body_preview},
    field::{Fields as _, Spec},
    ids::{Seq, TraceId},
    port::InvocationRow,
    tap::{
        EntryRef,
        entry::{Direction, What},
    },
    time::{Mono, Now},
};

/// An entry of the tap.
pub(crate) const ENTRY: KeyKind<Seq> = KeyKind::new("entry");

/// The sign and colour of an outcome.
const fn outcome_sign(outcome: EntryOutcome, glyphs: &Glyphs) -> (&'static str, Role) {
    match outcome {
        EntryOutcome::Plain | EntryOutcome::Sent => (" ", Role::Muted),
        EntryOutcome::Ok => (glyphs.ok, Role::Ok),
        EntryOutcome::Late | EntryOutcome::Warn => (glyphs.warn, Role::Warn),
        EntryOutcome::Fault | EntryOutcome::Bad => (glyphs.bad, Role::Bad),
    }
}

impl PaneRecord for EntryRecord<'_> {
    fn key(&self) -> RecordKey {
        ENTRY.of(self.0.entry.seq)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (entry, glyphs) = (self.0.entry, look.view.glyphs);
        let standing = self.outcome();
        let (sign, role) = outcome_sign(standing, glyphs);
        let is_serious = !matches!(standing, EntryOutcome::Plain | EntryOutcome::Ok | EntryOutcome::Sent);
        Some(match field {
            "at" => Cell::new(format::time_of_day_ms(entry.at.wall, &look.view.zone), Role::Muted),
            "dir" => match self.direction() {
                Some(Direction::Inbound) => Cell::new(glyphs.into, Role::Text),
                Some(Direction::Outbound) => Cell::new(glyphs.out, Role::Text),
                None => Cell::new("", Role::Muted),
            },
            "link" => Cell::new(entry.link.name(), Role::of(entry.link)),
            "kind" => Cell::new(
                format!("{sign}{}{}", if self.is_by_hand() { glyphs.by_hand } else { " " }, self.kind()),
                if is_serious { role } else { Role::of(entry.link) },
            ),
            "verdict" => Cell::new(standing.name().unwrap_or_default(), role),
            // It begins with a topic, a path or an id where it names one.
            "what" => Cell::new(self.line(), if is_serious { role } else { Role::Text }).cut_in_first_word(),
            "text" => {
                let (words, class) = body_preview(self.0);
                Cell::of_class(words.into_owned(), Role::Muted, class)
            }
            "trace" => {
                Cell::new(entry.trace.map_or_else(String::new, crate::ids::TraceId::short), Role::Muted)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        None
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(EntryQuery::Itself(self.0.entry.seq))
    }

    fn trace(&self) -> Option<TraceId> {
        self.0.entry.trace
    }

    fn command(&self) -> Option<String> {
        self.0.entry.invocation().map(|id| line::list_command("invocations", &format!("id={id}")))
    }

    fn invocation(&self) -> Result<&InvocationRow, &'static str> {
        Err(OPEN_FIRST)
    }

    fn frame(&self) -> Option<&[u8]> {
        matches!(self.0.entry.what, What::Frame(_)).then_some(self.0.bytes)
    }

    fn tap_entry(&self) -> Option<EntryRef<'_>> {
        Some(self.0)
    }
}

/// The entries that the wire shows. None is made before it is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub(crate) list: &'a EntryList,
    pub(crate) buffer: &'a EntryBuffer,
}

impl<'a> Entries<'a> {
    /// One row, counted from the top.
    fn record(self, row: usize) -> Option<EntryRecord<'a>> {
        self.buffer.entry(self.list.index(row, self.buffer)?).map(EntryRecord)
    }
}

impl<'a> RowList<'a> for Entries<'a> {
    fn look(&self, at: usize, look: &mut dyn FnMut(&dyn PaneRecord)) {
        if let Some(row) = self.record(at) {
            look(&row);
        }
    }

    fn into_row(self: Box<Self>, at: usize) -> Option<Box<dyn PaneRecord + 'a>> {
        let row = self.record(at)?;
        Some(Box::new(row))
    }

    /// They keep the tap's order, and their list does its own filtering.
    fn arrange(&self, _settings: &TableSettings, _specs: &'static [Spec], _now: Now) -> Vec<usize> {
        (0..self.len()).collect()
    }

    fn follow_the_end(&mut self, _follows: bool) {}

    fn reorder(self: Box<Self>, _places: &[usize]) -> Box<dyn RowList<'a> + 'a> {
        self
    }
}

impl RowKeys for Entries<'_> {
    fn len(&self) -> usize {
        self.list.len(self.buffer)
    }

    fn key(&self, row: usize) -> Option<RecordKey> {
        self.record(row).map(|row| row.key())
    }

    fn row(&self, key: &RecordKey) -> Option<usize> {
        let index = self.buffer.index_of(*ENTRY.id(key)?)?;
        let row = self.list.row_from(index, self.buffer);
        (self.list.index(row, self.buffer) == Some(index)).then_some(row)
    }

    /// The next that is shown behind it; the oldest where it is kept no longer.
    fn neighbour(&self, gone: &RecordKey, row: usize) -> usize {
        let Some(seq) = ENTRY.id(gone) else { return row };
        match (self.buffer.index_of(*seq), self.buffer.first_seq()) {
            (Some(index), _) => self.list.row_from(index, self.buffer),
            (None, Some(first)) if *seq < first => 0,
            (None, _) => row,
        }
    }

    fn follows_its_end(&self) -> bool {
        true
    }
}

/// Marks the entry at whose moment time is stopped, in the margin before its row.
fn mark_instant(canvas: &mut Canvas<'_>, area: Rect, ui: &Ui) {
    let Some(until) = ui.time.visible_until() else { return };
    let entries = Entries { list: &ui.wire, buffer: ui.time.entries() };
    let offset = ui.selection(PaneId::Wire).map_or(0, Selection::offset);
    let line = entries.row(&ENTRY.of(until)).and_then(|row| row.checked_sub(offset));
    let Some(y) = line.and_then(|line| u16::try_from(line).ok()?.checked_add(area.y + 1)) else { return };
    if y < area.bottom() {
        canvas.put(area.x, y, 1, canvas.view.glyphs.held, Role::Warn);
    }
}

/// How many are shown, and how many come a second.
fn title(ui: &Ui, view: &View) -> String {
    let kept = ui.time.entries();
    let counts = ui.wire.counts(kept);
    let count = match (ui.wire.filter(), ui.wire.progress(kept)) {
        (None, _) => format!("{} kept", format::grouped(counts.kept)),
        (Some(_), None) => {
            format!("{} of {} kept", format::grouped(counts.visible), format::grouped(counts.kept))
        }
        (Some(_), Some(progress)) => format!("{} kept, filtering {progress} %", format::grouped(counts.kept)),
    };
    format!("Wire {count}, {}/s", format::count(rate(kept, view.now.mono)))
}

/// Entries of the last second.
fn rate(kept: &EntryBuffer, now: Mono) -> u64 {
    let until = |at: Mono| kept.last_until(at).map_or(kept.first(), |last| last + 1);
    until(now).saturating_sub(until(Mono(now.0.saturating_sub(1_000_000_000))))
}

/// Draws the selected entry whole: its tree, its bytes, what was wrong with it.
pub(crate) fn draw_preview(canvas: &mut Canvas<'_>, area: Rect, model: &Model, ui: &Ui) {
    if area.is_empty() {
        return;
    }
    let kept = ui.time.entries();
    let entry = ui.selected(PaneId::Wire, model).and_then(|key| kept.at(*ENTRY.id(&key)?));
    let Some(entry) = entry else {
        canvas.frame(area, "nothing selected", false);
        return;
    };
    if entry.bytes.len() as u64 > ui.limits.console.inspect_inline_bytes_max {
        let inner = canvas.frame(area, &format!("{}  {}", entry.entry.seq, EntryRecord(entry).kind()), false);
        let words = format!(
            "{} are too large for the preview; {} opens them",
            format::bytes(entry.bytes.len() as u64),
            canvas.view.key(Action::Open)
        );
        canvas.put(inner.x + 1, inner.y, inner.width.saturating_sub(1), &words, Role::Muted);
        return;
    }
    let time = format::time_of_day_ms(entry.entry.at.wall, &canvas.view.zone);
    let subject = Subject::of(entry);
    // What it caused is looked for in all that came since, so what was found is carried from frame to frame.
    let known = ui.glance.take().and_then(|known| (known as Box<dyn Any>).downcast::<Inspector>().ok());
    let known = known.filter(|known| known.shows(&subject, &time));
    // It is small: nothing is left to the worker.
    let mut inspector = known.unwrap_or_else(|| {
        Box::new(Inspector::of(subject, InspectOptions { number: 0, time, limits: ui.limits.console }).0)
    });
    inspector.update_context(kept, ui.time.visible_until());
    inspector.fit(area);
    inspector.draw(canvas, area, false);
    ui.glance.replace(Some(inspector));
}

/// The Wire: its one pane over the whole body.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[PaneId::Wire],
    occasional: |_, _| Vec::new(),
    arrange: |body, _| vec![(PaneId::Wire, body)],
    glance_from: Some(36),
};

/// Every kept entry of the tap, the newest last.
pub(crate) static PANE: Pane = Pane {
    specs: EntryRecord::SPECS,
    columns: Columns::Declared,
    source: Source::Tap { field: "at" },
    rows: |ui, _| Rows::of(Entries { list: &ui.wire, buffer: ui.time.entries() }),
    pages: Pages::None,
    filter: Some("routine:hidden"),
    title: Title::Of(|cx| title(cx.ui, cx.view)),
    empty: Empty::Past("no entries"),
    drawing: Drawing::Marked(|canvas, area, _, cx| {
        mark_instant(canvas, area.inner(Margin::new(1, 1)), cx.ui);
    }),
    chip: Some(|cx, _| PaneChip::new("wire", format::count(cx.ui.time.entries().len() as u64), Role::Text)),
    ledger: |ui, _, _| {
        let (kept, limits) = (ui.time.entries().ledger(), &ui.limits.console);
        let bound = if kept.bytes.saturating_mul(10) > limits.kept_bytes_max.saturating_mul(9) {
            LedgerBound::Limit("limits.console.kept_bytes_max", limits.kept_bytes_max)
        } else {
            LedgerBound::Limit("limits.console.kept_entries_max", limits.kept_entries_max)
        };
        let (came, evicted, lost) = (kept.received, kept.evicted, kept.lost);
        Some(Account { what: "entries of the tap", came, evicted, lost, bound })
    },
};
