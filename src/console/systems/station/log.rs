//! Log: notices of all origins, newest first; and the station's own log, those of the station, its bridge and
//! this console alone.

use std::{cmp::Reverse, collections::VecDeque};

use crate::{
    console::{
        draw::{Cell, theme::Role},
        input::pane_id::PaneId,
        model::{Notice, Origin},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::station::keys::NOTICE,
        ui::{
            ledger::{Account, LedgerBound},
            log_lines::{LEVELS, level_cell, warning_chip, with_cut},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    tap::entry::station::Level,
};

fields! {
    Notice {
        "at", Time, Public, "time", Column::fixed("at", 8) => |it, _| Value::Time(it.at.wall);
        "level", State(LEVELS), Public, "severity", Column::fixed("level", 7) => |it, _| Value::text(it.level.name());
        "who", State(&["station", "mpp", "rmp", "macp", "plugin", "adapter", "console", "runs", "mplp"]), Public, "source", Column::fixed("who", 7)
            => |it, _| Value::text(who(it.origin).0);
        "text", Text, Payload, "message", Column::growing("", 10, 1) => |it, _| Value::text(&*it.text);
        "age", Duration, Public, "time since it was logged" => |it, now| Value::Duration(crate::console::records::ms(it.at, now));
    }
}

const fn who(origin: Origin) -> (&'static str, Role) {
    match origin {
        Origin::System(link) => (link.name(), Role::of(link)),
        Origin::Adapter => ("adapter", Role::Accent),
        Origin::Console => ("console", Role::Muted),
    }
}

/// Why no entry is looked at of a notice that came from none.
const OWN_NOTICE: &str = "no entry: it is this console's own, or older than the entries kept";

impl PaneRecord for Notice {
    fn key(&self) -> RecordKey {
        NOTICE.of(self.number)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (level, role) = level_cell(self.level, look.view.glyphs);
        Some(match field {
            "level" => Cell::new(level, role),
            "who" => {
                let (who, role) = who(self.origin);
                Cell::new(who, role)
            }
            "text" => Cell::of_class(
                self.text.to_string(),
                if self.level >= Level::Warn { role } else { Role::Text },
                self.class,
            ),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        self.seq.map(EntryQuery::Entry).ok_or_else(|| OWN_NOTICE.to_owned())
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        None
    }
}

/// Notices of all origins.
pub(crate) static PANE: Pane = Pane {
    specs: Notice::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| notices(&model.journal.notices),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| with_cut(PaneId::Log, cx.model.journal.evicted)),
    empty: Empty::Past("no entries"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| warning_chip("log", cx.model.journal.serious, cx)),
    ledger: |ui, model, _| {
        let journal = &model.journal;
        Some(Account::cut("notices of all origins", journal.received, journal.evicted, journal_bound(ui)))
    },
};

/// What the station and this console say.
pub(crate) static STATION_PANE: Pane = Pane {
    specs: Notice::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| notices(&model.journal.station),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| with_cut(PaneId::StationLog, cx.model.journal.station_evicted)),
    empty: Empty::Past("no entries"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let is_serious = |notice: &&Notice| notice.level >= Level::Warn;
        warning_chip("station log", cx.model.journal.station.iter().filter(is_serious).count() as u64, cx)
    }),
    ledger: |ui, model, _| {
        let (came, evicted) = (model.journal.station_received, model.journal.station_evicted);
        let what = "notices of the station, its bridge and this console";
        Some(Account::cut(what, came, evicted, journal_bound(ui)))
    },
};

/// Notices, the latest first: one that was told of again stands where it was told last.
fn notices(notices: &VecDeque<Notice>) -> Rows<'_> {
    let mut latest: Vec<_> = notices.iter().rev().collect();
    latest.sort_by_key(|notice| Reverse(notice.at.mono));
    latest.into_iter().collect()
}

fn journal_bound(ui: &Ui) -> LedgerBound {
    LedgerBound::Limit("limits.console.journal_entries_max", ui.limits.console.journal_entries_max)
}
