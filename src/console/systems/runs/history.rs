//! Every run that the store has, newest first, in pages.

use super::list::run_sign;
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        records::{
            row::{CellContext, PaneRecord},
            selection::RecordKey,
        },
    },
    field::Column,
    port::RunRow,
};

/// Its columns.
pub(crate) const COLUMNS: &[(&str, Column)] = &[
    ("at", Column::fixed("at", 8)),
    ("name", Column::growing("run", 10, 2)),
    ("state", Column::fixed("state", 11)),
    ("took", Column::fixed("time", 6).right()),
    ("trace", Column::fixed("trace", 5)),
    ("done", Column::fixed("nodes", 7).right().from(70)),
    ("tokens", Column::fixed("tokens", 6).right().from(78)),
    ("by", Column::growing("by", 8, 1).from(64)),
    ("why", Column::growing("why", 8, 4).from(58)),
];

impl PaneRecord for RunRow {
    fn key(&self) -> RecordKey {
        RecordKey::StoredRun(self.number, self.run)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (sign, role) = run_sign(self.state, look.view.glyphs);
        Some(match field {
            "state" => Cell::new(format!("{sign} {}", self.state.name()), role),
            "took" => {
                let took = self.ended_at_ms.unwrap_or(look.view.now.wall).since(self.submitted_at_ms);
                Cell::new(format::age(took), Role::Text)
            }
            "trace" => Cell::new(self.run.short(), Role::Muted),
            "done" => {
                Cell::new(format!("{}/{}", format::count(self.done), format::count(self.nodes)), Role::Text)
            }
            "by" => Cell::new(self.client.clone(), Role::Muted),
            "why" => Cell::of_class(self.why.clone().unwrap_or_default(), role, Class::Payload),
            _ => return None,
        })
    }
}
