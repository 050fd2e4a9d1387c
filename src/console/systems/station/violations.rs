//! Violations: faults of peers, one row a fault, by clause.

use crate::{
    console::{
        copy::line,
        draw::{Cell, format, theme::Role},
        records::{
            ManualPlace,
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            selection::RecordKey,
        },
        systems::station::keys::BREACH,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
        },
    },
    dissect::{FaultGroup, clause_name},
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
};

fields! {
    FaultGroup {
        "clause", Text, Public, "violated clause of the specification", Column::growing("clause", 14, 1)
            => |it, _| Value::text(it.clause());
        "count" | "times", Number, Public, "count", Column::fixed("count", 5).right() => |it, _| Value::count(it.count);
        "last", Time, Public, "last occurrence", Column::fixed("last", 8) => |it, _| Value::Time(it.at.wall);
        "violation" | "what", Text, Public, "violation", Column::growing("violation", 12, 5) => |it, _| Value::text(it.breach.text());
        "who", Text, Public, "peer of the last occurrence", Column::growing("who", 12, 1).from(70) => |it, _| Value::text(&*it.offender);
        "session", Serial, Public, "bus session" => |it, _| it.session.map_or(Value::None, |session| Value::Serial(session.0));
        "peer", Text, Public, "process or address" => |it, _| Value::text(it.peer.as_str());
        "frame", Text, Public, "type of the offending frame" => |it, _| Value::maybe(it.frame);
        "reply" | "told", Text, Payload, "reply sent to the peer" => |it, _| Value::maybe(it.reply.as_deref());
        "age", Duration, Public, "time since the last occurrence" => |it, now| Value::Duration(crate::console::records::ms(it.at, now));
    }
}

impl PaneRecord for FaultGroup {
    fn key(&self) -> RecordKey {
        BREACH.of(self.breach)
    }

    fn cell(&self, field: &str, _look: &CellContext<'_>) -> Option<Cell> {
        Some(match field {
            "clause" => Cell::new(short(self.clause()), Role::Text),
            "count" => Cell::new(format::count(self.count), Role::Warn),
            "who" => Cell::new(self.offender.to_string(), Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(EntryQuery::Entry(self.seq))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        let (clause, violation) = (line::operand(self.clause()), line::operand(&self.breach.text()));
        Some(line::list_command("violations", &format!("clause={clause} violation={violation}")))
    }

    fn manual_place(&self) -> Option<ManualPlace> {
        Some(ManualPlace::at("frames", ["Errors".to_owned(), self.breach.heading()]))
    }

    fn is_by_hand(&self) -> bool {
        self.is_by_hand
    }

    fn frame(&self) -> Option<&[u8]> {
        self.full_frame.as_deref()
    }
}

/// A clause without the name of the specification, which all but a few have.
fn short(clause: &'static str) -> &'static str {
    let clause = clause_name(clause);
    clause.strip_prefix("mpp-v2").map_or(clause, |rest| rest.trim_start_matches([',', ' ']))
}

/// Faults of peers, by clause.
pub(crate) static PANE: Pane = Pane {
    specs: FaultGroup::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| model.faults.groups().collect(),
    pages: Pages::None,
    filter: None,
    title: Title::Name,
    empty: Empty::Past("no protocol violations"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let faults = cx.model.faults.count;
        PaneChip::warning("violations", format::count(faults), faults > 0)
    }),
    ledger: |_, _, all| {
        let bound = LedgerBound::Text("one row for each kind of violation");
        Some(Account::whole("protocol violations by peers, by clause", all, bound))
    },
};
