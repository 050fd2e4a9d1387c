//! Drops: messages that did not reach their subscribers, by reason, topic and whose doing it is; the latest
//! first.

use super::entries;
use crate::{
    console::{
        copy::line,
        draw::{Cell, format, glyphs::Glyphs, theme::Role},
        input::pane_id::PaneId,
        model::{EntryBuffer, Model, ReportLine},
        records::{
            ManualPlace,
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
            system_state::SystemState,
        },
        settings::view::View,
        systems::bus::{
            details::{DroppedMessage, drop_details, find_message},
            keys::DROP,
        },
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, PaneContext, Source, Title},
        },
    },
    dissect::rmp::drop_word,
    field::{Column, Fields as _, Value, fields},
    ids::{Seq, TraceId},
    rmp::{DropGroup, DropReason, drop_groups},
};

/// The names of reasons, as notices and metrics have them.
const REASONS: &[&str] =
    &[DropReason::TtlExpired.name(), DropReason::Duplicate.name(), DropReason::BackpressureTimeout.name()];

/// Drops that are told together.
pub(crate) struct Drops(pub(crate) DropGroup);

fields! {
    Drops {
        "at", Time, Public, "last occurrence", Column::fixed("at", 8) => |it, _| Value::Time(it.0.last.at.wall);
        "reason", State(REASONS), Public, "reason", Column::fixed("reason", 11)
            => |it, _| Value::text(it.0.key.reason.name());
        "topic", Topic, Public, "topic", Column::growing("topic", 12, 3) => |it, _| Value::text(it.0.key.topic.as_str());
        "culprit" | "whose", Text, Public, "who caused it: the subscriber whose queue was full, or the publisher that was late or repeated itself", Column::growing("culprit", 8, 1)
            => |it, _| Value::text(it.0.culprit_label());
        "count" | "times", Number, Public, "messages dropped", Column::fixed("count", 6).right() => |it, _| Value::count(it.0.count);
        "role", State(&["subscriber", "publisher", "station"]), Public, "role of the culprit"
            => |it, _| Value::text(it.0.key.culprit.role());
        "session", Serial, Public, "session of the culprit" => |it, _| it.0.key.culprit.session().map_or(Value::None, |session| Value::Serial(session.0));
        "notices", Number, Public, "drop notices" => |it, _| Value::count(it.0.notices);
        "msg_id", Serial, Public, "msg_id of the last message" => |it, _| Value::Serial(it.0.last.msg_id);
        "trace", Id, Public, "trace of the last message"
            => |it, _| Value::maybe(it.0.last.trace.map(|trace| trace.0.hyphenated().to_string()));
        "first", Time, Public, "first occurrence kept" => |it, _| Value::Time(it.0.first_at.wall);
        "age", Duration, Public, "time since the last occurrence" => |it, now| Value::Duration(crate::console::records::ms(it.0.last.at, now));
    }
}

/// A sign and a colour for a reason.
fn reason_sign(reason: DropReason, glyphs: &Glyphs) -> (&'static str, Role) {
    match reason {
        DropReason::TtlExpired => (glyphs.warn, Role::Warn),
        DropReason::Duplicate => (glyphs.refunded, Role::Muted),
        DropReason::BackpressureTimeout => (glyphs.bad, Role::Bad),
    }
}

impl PaneRecord for Drops {
    fn key(&self) -> RecordKey {
        DROP.of(self.0.key.clone())
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (sign, role) = reason_sign(self.0.key.reason, look.view.glyphs);
        Some(match field {
            "reason" => Cell::new(format!("{sign} {}", drop_word(self.0.key.reason).replace('_', " ")), role),
            "topic" => Cell::new(self.0.key.topic.to_string(), Role::Text).cut_within(),
            "culprit" => Cell::new(self.0.culprit_label(), Role::Muted).cut_within(),
            "count" => {
                Cell::new(format!("{}{}", look.view.glyphs.times, format::count(self.0.count)), Role::Text)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(DropDetails::of(self.0.clone())))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_drop(self.0.key.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        self.0.last.trace
    }

    fn command(&self) -> Option<String> {
        let (key, culprit) = (&self.0.key, line::operand(&self.0.culprit_label()));
        let session = key.culprit.session().map_or_else(String::new, |session| format!(" session={session}"));
        let filter = format!(
            "reason={} topic={} culprit={culprit}{session}",
            key.reason.name(),
            line::operand(key.topic.as_str())
        );
        Some(line::list_command("drops", &filter))
    }

    fn manual_place(&self) -> Option<ManualPlace> {
        Some(ManualPlace::at("bus", ["Delivery and drops", self.0.key.reason.name()]))
    }
}

/// The drops whose notices are kept.
fn rows(model: &Model) -> Rows<'_> {
    model.rmp().map_or_else(Vec::new, drop_groups).into_iter().map(Drops).collect()
}

/// How many of the last minute, as the bus's chip has it.
fn dropped_last_minute(cx: &PaneContext<'_>) -> u64 {
    cx.model.rmp().map_or(0, |rmp| rmp.dropped_last_minute(cx.view.now).iter().sum())
}

/// Messages of the bus that did not reach their subscribers.
pub(crate) static PANE: Pane = Pane {
    specs: Drops::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| rows(model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| {
        let count = dropped_last_minute(cx);
        match count {
            0 => PaneId::Drops.name().to_owned(),
            count => format!("{} {}/m", PaneId::Drops.name(), format::count(count)),
        }
    }),
    empty: Empty::Text("no drops"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let dropped = dropped_last_minute(cx);
        let span = if dropped > 0 { "/m" } else { "" };
        PaneChip::warning("drops", format!("{}{span}", format::count(dropped)), dropped > 0)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.rmp.shown_drops_max", ui.limits.rmp.shown_drops_max);
        let what = "drops by reason, topic and culprit, from the notices kept";
        Some(Account::whole(what, all, bound))
    },
};

/// Messages that did not reach somebody, as they were.
#[derive(Debug)]
pub(crate) struct DropDetails {
    group: DropGroup,
    /// The last of them, where it is kept; absent until it was looked for.
    #[expect(clippy::option_option, reason = "not looked for yet, or looked for and not kept")]
    message: Option<Option<DroppedMessage>>,
}

impl DropDetails {
    /// Drops, before their message was looked for.
    pub(crate) const fn of(group: DropGroup) -> Self {
        Self { group, message: None }
    }
}

impl DetailsRecord for DropDetails {
    fn key(&self) -> RecordKey {
        DROP.of(self.group.key.clone())
    }

    fn title(&self, _model: &Model) -> String {
        "Dropped".to_owned()
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        drop_details(view, model, &self.group, self.message.as_ref().and_then(Option::as_ref))
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(Drops(self.group.clone())))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_drop(self.group.key.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn follow(&mut self, kept: &EntryBuffer, _systems: &SystemState) {
        self.message.get_or_insert_with(|| find_message(kept, &self.group.last));
    }

    fn quoted_entry(&self) -> Option<Seq> {
        Some(self.message.as_ref()?.as_ref()?.seq)
    }
}
