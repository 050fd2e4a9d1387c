//! How the session that is shown stands: its proposals with what is thought of each, or its participants with
//! what they hold.

use super::entries;
use std::{cmp::Ordering, sync::Arc};

use super::{
    list::{empty_text, session_title, title_suffix},
    pages::take_pages,
};
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::{
            Model,
            sessions::{PositionRow, tally_text},
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::sessions::{keys::POSITION, show_command},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    macp::{Mode, Tally},
};

/// Its columns for a decision.
pub(crate) const PROPOSALS: &[(&str, Column)] = &[
    ("subject", Column::growing("proposal", 9, 1)),
    ("value", Column::growing("option", 16, 4)),
    ("by", Column::growing("by", 7, 1).from(84)),
    ("votes", Column::growing("votes", 14, 2)),
    ("objections", Column::growing("objections", 10, 1)),
    ("evaluations", Column::growing("evaluations", 12, 2).from(72)),
];

/// Its columns for rounds.
pub(crate) const CONTRIBUTIONS: &[(&str, Column)] = &[
    ("subject", Column::growing("participant", 11, 1)),
    ("value", Column::growing("value", 16, 4)),
    ("equal", Column::fixed("equal", 6).right()),
    ("round", Column::fixed("round", 5).right()),
    ("at", Column::fixed("at", 8).from(60)),
];

fields! {
    PositionRow {
        "subject" | "what" | "proposal" | "participant", Text, Public, "proposal id, or the participant" => |it, _| Value::text(&*it.subject);
        "value" | "says" | "option", Text, Payload, "proposed option, or the value" => |it, _| Value::maybe(it.value.as_deref());
        "by", Text, Public, "proposer" => |it, _| Value::maybe(it.by.as_deref());
        "votes", Text, Public, "counted votes for it" => |it, _| Value::text(tally_text(&it.votes));
        "evaluations", Text, Public, "evaluations by recommendation" => |it, _| Value::text(tally_text(&it.evaluations));
        "objections", Text, Public, "objections by severity" => |it, _| Value::text(tally_text(&it.objections));
        "approve", Number, Public, "votes to approve" => |it, _| Value::count(it.votes.of("approve"));
        "round", Number, Public, "round in which the value was accepted" => |it, _| it.round.map_or(Value::None, Value::count);
        "equal", Number, Public, "participants with the same value" => |it, _| it.equal.map_or(Value::None, Value::count);
        "at", Time, Public, "time of the contribution" => |it, _| it.at.map_or(Value::None, Value::Time);
    }
}

/// The colour of objections: the gravest counts.
pub(crate) fn severity_role(objections: &Tally) -> Role {
    match objections {
        it if it.of("critical") + it.of("high") > 0 => Role::Bad,
        it if it.total() > 0 => Role::Warn,
        _ => Role::Muted,
    }
}

fn votes_role(votes: &Tally) -> Role {
    match votes.of("approve").cmp(&votes.of("reject")) {
        _ if votes.total() == 0 => Role::Muted,
        Ordering::Greater => Role::Ok,
        Ordering::Less => Role::Bad,
        Ordering::Equal => Role::Text,
    }
}

impl PaneRecord for PositionRow {
    fn key(&self) -> RecordKey {
        POSITION.of((self.session.clone(), Arc::clone(&self.subject)))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let none = look.view.glyphs.none;
        let or_none = |words: String| if words.is_empty() { none.to_owned() } else { words };
        Some(match field {
            "subject" => Cell::new(self.subject.to_string(), Role::Macp),
            "value" => match &self.value {
                Some(says) => Cell::of_class(says.to_string(), Role::Text, Class::Payload),
                None => Cell::new(none, Role::Muted),
            },
            "by" => Cell::new(self.by.as_deref().unwrap_or_default().to_owned(), Role::Muted),
            "votes" => Cell::new(or_none(tally_text(&self.votes)), votes_role(&self.votes)),
            "objections" => Cell::new(or_none(tally_text(&self.objections)), severity_role(&self.objections)),
            "evaluations" => Cell::new(or_none(tally_text(&self.evaluations)), Role::Text),
            "equal" => {
                let role = if self.equal.is_some_and(|equal| equal > 1) { Role::Ok } else { Role::Muted };
                Cell::new(self.equal.map_or_else(String::new, format::count), role)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_session(self.session.clone(), self.at))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(show_command(&self.session))
    }
}

/// How the session that is shown stands.
fn rows<'a>(model: &Model, ui: &Ui) -> Rows<'a> {
    ui.detail_positions(model).into_owned().into_iter().collect()
}

/// The columns for the mode of the session that is shown.
pub(crate) const fn columns(mode: Option<Mode>) -> &'static [(&'static str, Column)] {
    match mode {
        Some(Mode::MultiRound) => CONTRIBUTIONS,
        Some(Mode::Decision) | None => PROPOSALS,
    }
}

/// The positions of a session: its proposals, or what its participants hold.
pub(crate) static PANE: Pane = Pane {
    specs: PositionRow::SPECS,
    columns: Columns::Of(|ui| columns(ui.systems.sessions.mode)),
    source: Source::Model,
    rows: |ui, model| rows(model, ui),
    pages: Pages::Parts(take_pages),
    filter: None,
    title: Title::With(
        |cx| {
            let is_multi_round = cx.ui.systems.sessions.mode == Some(Mode::MultiRound);
            session_title(PaneId::Positions, if is_multi_round { "Contributions" } else { "Proposals" }, cx)
        },
        |cx| title_suffix(PaneId::Positions, cx.model, cx.ui, cx.view.glyphs),
    ),
    empty: Empty::Of(|cx| empty_text(PaneId::Positions, cx)),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let count = cx.ui.detail_positions(cx.model).len();
        PaneChip::new("positions", format::count(count as u64), Role::Text)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.macp.shown_proposals_max", ui.limits.macp.shown_proposals_max);
        Some(Account::whole("proposals or participants of the selected session", all, bound))
    },
};
