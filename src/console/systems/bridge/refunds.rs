//! Refunds: what becomes of each, newest first, in pages.

use crate::{
    console::{
        draw::{Cell, class::Class, theme::Role},
        overlays::refund_word,
        records::{
            row::{CellContext, PaneRecord},
            selection::RecordKey,
        },
    },
    field::{Column, Value, fields},
    port::RefundRow,
    tap::entry::mpp::RefundStatus,
};

/// A refund record.
pub(crate) struct Refund<'a>(pub(crate) &'a RefundRow);

fields! {
    Refund<'_> {
        "id", Serial, Public, "its number", Column::fixed("id", 6).right() => |it, _| Value::Serial(it.0.id.0);
        "at", Time, Public, "when it was recorded", Column::fixed("at", 8) => |it, _| Value::Time(it.0.at_ms);
        "invocation", Serial, Public, "for which invocation", Column::fixed("of", 8).right() => |it, _| Value::Serial(it.0.invocation_id.0);
        "status", State(&["requested", "skipped", "manual"]), Public, "what becomes of it", Column::fixed("status", 11)
            => |it, _| Value::text(status(it.0.status));
        "source", Text, Public, "where the invocation came from", Column::growing("source", 8, 1)
            => |it, _| Value::text(it.0.source.kind.as_str());
        "user", Text, Login, "for whom", Column::growing("user", 8, 1).from(56) => |it, _| Value::maybe(it.0.source.user.as_deref());
        "redemption", Text, Payload, "what was redeemed", Column::growing("redemption", 8, 2).from(70)
            => |it, _| Value::maybe(it.0.source.redemption.as_deref());
        "age", Duration, Public, "how long ago it was recorded" => |it, now| Value::Duration(crate::console::records::wall_ms(it.0.at_ms, now));
    }
}

const fn status(status: RefundStatus) -> &'static str {
    match status {
        RefundStatus::Requested => "requested",
        RefundStatus::Skipped => "skipped",
        RefundStatus::Manual => "manual",
    }
}

impl PaneRecord for Refund<'_> {
    fn key(&self) -> RecordKey {
        RecordKey::Refund(self.0.id)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        Some(match field {
            "status" => {
                let (sign, role) = match self.0.status {
                    RefundStatus::Requested => (glyphs.refunded, Role::Text),
                    RefundStatus::Skipped => (glyphs.bad, Role::Warn),
                    RefundStatus::Manual => (glyphs.warn, Role::Warn),
                };
                Cell::new(format!("{sign} {}", refund_word(self.0.status)), role)
            }
            "source" => Cell::new(self.0.source.kind.clone(), Role::Muted),
            "redemption" => Cell::of_class(
                self.0.source.redemption.clone().unwrap_or_default(),
                Role::Muted,
                Class::Payload,
            ),
            _ => return None,
        })
    }
}
