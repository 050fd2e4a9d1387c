//! Recent: what ended, newest first.

use super::queues::state_sign;
use crate::{
    console::{
        draw::{Cell, theme::Role},
        records::{
            row::{CellContext, PaneRecord},
            selection::RecordKey,
        },
    },
    field::{Column, Value, fields},
    ids::TraceId,
    mpp::EndedView,
};

fields! {
    EndedView {
        "at", Time, Public, "when it ended", Column::fixed("at", 8) => |it, _| Value::Time(it.at.wall);
        "id", Serial, Public, "its number", Column::fixed("id", 7).right() => |it, _| Value::Serial(it.id.0);
        "state", State(&["done", "failed", "refunded"]), Public, "how it ended", Column::fixed("state", 10)
            => |it, _| Value::text(it.state.name());
        "queue", Text, Public, "its queue", Column::growing("queue", 8, 1) => |it, _| Value::text(it.queue.as_str());
        "event", Text, Public, "what it was to do", Column::growing("event", 10, 1) => |it, _| Value::text(it.event.as_str());
        "reason", Text, Payload, "why it failed", Column::growing("reason", 8, 8).from(60) => |it, _| Value::maybe(it.reason.as_deref());
        "trace", Id, Public, "what it belongs to", Column::fixed("trace", 5).from(72)
            => |it, _| Value::maybe(it.trace.map(|trace| trace.0.hyphenated().to_string()));
        "age", Duration, Public, "how long ago it ended" => |it, now| Value::Duration(crate::console::records::ms(it.at, now));
    }
}

impl PaneRecord for EndedView {
    fn key(&self) -> RecordKey {
        RecordKey::Invocation(self.id)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        Some(match field {
            "state" => {
                let (sign, role) = state_sign(self.state, look.view.glyphs);
                Cell::new(format!("{sign} {}", self.state.name()), role)
            }
            "queue" => Cell::new(self.queue.to_string(), Role::Muted),
            "trace" => Cell::new(self.trace.map_or_else(String::new, TraceId::short), Role::Muted),
            _ => return None,
        })
    }
}
