//! Every session that the store has, newest first, in pages.

use super::list::session_sign;
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        records::{
            row::{CellContext, PaneRecord},
            selection::RecordKey,
        },
    },
    field::Column,
    macp::{Ending, Phase, SessionRef},
    port::SessionRow,
};

/// Its columns.
pub(crate) const COLUMNS: &[(&str, Column)] = &[
    ("at", Column::fixed("at", 8)),
    ("session", Column::growing("session", 10, 2)),
    ("state", Column::fixed("stands", 12)),
    ("mode", Column::fixed("mode", 11).from(96)),
    ("messages", Column::fixed("msgs", 5).right().from(52)),
    ("by", Column::growing("by", 8, 1).from(84)),
    ("intent", Column::growing("about", 8, 3).from(52)),
    ("why", Column::growing("outcome", 8, 3).from(72)),
];

/// A session of the store, by its number and id.
pub(crate) fn session_of(row: &SessionRow) -> SessionRef {
    SessionRef { number: row.number, id: row.session.as_str().into() }
}

impl PaneRecord for SessionRow {
    fn key(&self) -> RecordKey {
        RecordKey::StoredSession(session_of(self))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (sign, role) = session_sign(self.ending, look.view.glyphs);
        Some(match field {
            "session" => Cell::new(self.session.clone(), Role::Text).cut_within(),
            "state" => {
                let round = || {
                    self.round
                        .map_or_else(|| "open".to_owned(), |round| format!("round {}", format::count(round)))
                };
                let open = || self.phase.map_or_else(round, |phase| Phase::name(phase).to_owned());
                Cell::new(
                    format!(
                        "{sign} {}",
                        self.ending.map_or_else(open, |ending| Ending::name(ending).to_owned())
                    ),
                    role,
                )
            }
            "by" => Cell::new(self.by.clone(), Role::Muted),
            "intent" => Cell::of_class(self.intent.clone(), Role::Muted, Class::Payload),
            "why" => Cell::of_class(self.why.clone().unwrap_or_default(), Role::Muted, Class::Payload),
            _ => return None,
        })
    }
}
