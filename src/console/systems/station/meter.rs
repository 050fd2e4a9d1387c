//! Meter: what this console costs and how well it keeps up, against what bounds it.

use std::{borrow::Cow, time::Duration};

use crate::{
    console::{
        draw::{Cell, format, theme::Role},
        model::{Model, station::Measured},
        records::{
            details_record::DetailsRecord,
            entry_query::EntryQuery,
            row::{CellContext, NO_ENTRY, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::station::keys::METRIC,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
};

/// An amount, as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    None,
    Time(Duration),
    Count(u64),
    CountPerS(u64),
    Bytes(u64),
    BytesPerS(u64),
    /// Thousandths.
    Share(u64),
}

impl Amount {
    fn text(self) -> Cow<'static, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Time(time) => Cow::Owned(format::fine(time)),
            Self::Count(count) => Cow::Owned(format::count(count)),
            Self::CountPerS(count) => Cow::Owned(format!("{}/s", format::count(count))),
            Self::Bytes(bytes) => Cow::Owned(format::bytes(bytes)),
            Self::BytesPerS(bytes) => Cow::Owned(format!("{}/s", format::bytes(bytes))),
            Self::Share(thousandths) => Cow::Owned(format!("{}.{}%", thousandths / 10, thousandths % 10)),
        }
    }

    fn time(time: Option<Duration>) -> Self {
        time.map_or(Self::None, Self::Time)
    }
}

/// One figure.
pub(crate) struct MetricRow {
    name: &'static str,
    last: Amount,
    minute: Amount,
    limit: Amount,
    about: &'static str,
    /// It says that the console does not keep up.
    is_bad: bool,
}

fields! {
    MetricRow {
        "figure", Text, Public, "what is measured", Column::fixed("figure", 14) => |it, _| Value::text(it.name);
        "last", Text, Public, "now, or in the last whole second", Column::fixed("now", 10).right() => |it, _| Value::text(it.last.text());
        "minute", Text, Public, "over the last minute: the most, or the percentile", Column::fixed("minute", 10).right()
            => |it, _| Value::text(it.minute.text());
        "limit", Text, Public, "what bounds it", Column::fixed("limit", 8).right() => |it, _| Value::text(it.limit.text());
        "about", Text, Public, "what it means", Column::growing("what it is", 20, 1).from(68) => |it, _| Value::text(it.about);
    }
}

impl PaneRecord for MetricRow {
    fn key(&self) -> RecordKey {
        METRIC.of(self.name)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let role = if self.is_bad { Role::Warn } else { Role::Text };
        Some(match field {
            // What it says is not told by colour alone.
            "figure" if self.is_bad => Cell::new(format!("{} {}", look.view.glyphs.warn, self.name), role),
            "last" => Cell::new(self.last.text(), role),
            "limit" => Cell::new(self.limit.text(), Role::Muted),
            "about" => Cell::new(self.about, Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        None
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Err(NO_ENTRY.to_owned())
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        None
    }
}

/// All figures. They are of the present, whatever moment is shown.
fn rows<'a>(ui: &Ui, model: &Model) -> Rows<'a> {
    let (meter, limits, kept) = (model.console_health, &ui.limits, ui.time.entries().ledger());
    let figures = meter.metrics;
    let is_slow = meter.frames_per_s.is_some();
    let reading =
        |name, last, minute, limit, about| MetricRow { name, last, minute, limit, about, is_bad: false };
    let frame = |name, time: Measured<Option<Duration>>, limit, about| {
        reading(name, Amount::time(time.last), Amount::time(time.minute), limit, about)
    };
    let per_s = |name, it: Measured<u64>, unit: fn(u64) -> Amount, limit, about| {
        reading(name, unit(it.last), unit(it.minute), limit, about)
    };
    // A frame that takes so long is followed by so long a rest that there are half as many.
    let frame_max = Amount::Time(Duration::from_millis(1_000 / limits.console.frames_per_s_max.max(1) / 2));
    let frames = figures.frames;
    let allowed = Amount::CountPerS(limits.console.frames_per_s_max);
    let all = [
        frame(
            "frame p50",
            figures.p50,
            Amount::None,
            "half of all frames were drawn and handed over so fast",
        ),
        frame("frame p95", figures.p95, Amount::None, "95 of 100 were"),
        frame("frame longest", figures.longest, frame_max, "above the limit, frames become fewer"),
        MetricRow {
            is_bad: is_slow,
            ..per_s(
                "frames",
                frames,
                Amount::CountPerS,
                allowed,
                "fewer while it is behind or drawing is slow",
            )
        },
        per_s("frame bytes", figures.bytes, Amount::BytesPerS, Amount::None, "written to the terminal"),
        MetricRow {
            is_bad: is_slow && meter.lag > 0,
            ..reading(
                "behind",
                Amount::Count(meter.lag),
                Amount::Count(figures.lag.minute.max(meter.lag)),
                Amount::Count(limits.tap.ring_entries_max),
                "entries that were not taken in yet; beyond the limit they are lost",
            )
        },
        per_s("folded", figures.processed, Amount::CountPerS, Amount::None, "entries that were taken in"),
        per_s("folding", figures.processing_ms, Amount::Share, Amount::None, "of the time, taking them in"),
        reading(
            "kept entries",
            Amount::Count(kept.kept),
            Amount::None,
            Amount::Count(limits.console.kept_entries_max),
            "to look back at",
        ),
        reading(
            "kept bytes",
            Amount::Bytes(kept.bytes),
            Amount::None,
            Amount::Bytes(limits.console.kept_bytes_max),
            "what they hold",
        ),
        reading(
            "checkpoints",
            Amount::Bytes(ui.time.checkpoint_bytes() as u64),
            Amount::None,
            Amount::Bytes(limits.console.checkpoint_bytes_max),
            "states to step back from",
        ),
        MetricRow {
            is_bad: model.lost > 0,
            ..reading("lost", Amount::Count(model.lost), Amount::None, Amount::None, "since it came up")
        },
    ];
    all.into_iter().collect()
}

/// What this console costs, and how well it keeps up.
pub(crate) static PANE: Pane = Pane {
    specs: MetricRow::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(ui, model),
    pages: Pages::None,
    filter: None,
    title: Title::Name,
    empty: Empty::Text(""),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let health = &cx.model.console_health;
        let p95 = health.metrics.p95.minute.map_or_else(|| cx.view.glyphs.none.to_owned(), format::fine);
        let slowed = health.frames_per_s.map(|frames| format!("~{frames} fps"));
        let warns = slowed.is_some();
        PaneChip::warning("METER", slowed.unwrap_or(p95), warns)
    }),
    ledger: |_, _, all| {
        let bound = LedgerBound::Text("they tell of the last minute, and always fit");
        Some(Account::whole("figures of this console itself", all, bound))
    },
};
