//! Our values in `SQLite`'s types and back.

use rusqlite::{Row, types::Type};
use uuid::Uuid;

use crate::{
    ids::TraceId,
    schema::JsonText,
    store::invocations::Source,
    tap::entry::mpp::{RefundStatus, RowState},
    time::Wall,
};

/// An unsigned number as `SQLite` stores it; ids and times never come near the cap.
pub(in crate::store) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let stored: i64 = row.get(column)?;
    u64::try_from(stored)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(error)))
}

pub(super) fn wall(row: &Row<'_>, column: usize) -> rusqlite::Result<Wall> {
    number(row, column).map(Wall)
}

pub(super) fn wall_or_null(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Wall>> {
    row.get::<_, Option<i64>>(column)?.map(|_| wall(row, column)).transpose()
}

pub(super) fn number_or_null(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    row.get::<_, Option<i64>>(column)?.map(|_| number(row, column)).transpose()
}

pub(super) fn json(row: &Row<'_>, column: usize) -> rusqlite::Result<JsonText> {
    let text = row.get_ref(column)?.as_str()?;
    JsonText::parse(text).map_err(|error| broken(column, error))
}

pub(super) fn json_or_null(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<JsonText>> {
    let text = row.get_ref(column)?.as_str_or_null()?;
    text.map(JsonText::parse).transpose().map_err(|error| broken(column, error))
}

pub(super) fn trace(row: &Row<'_>, column: usize) -> rusqlite::Result<TraceId> {
    let bytes = row.get_ref(column)?.as_blob()?;
    Uuid::from_slice(bytes).map(TraceId).map_err(|error| broken(column, error))
}

pub(super) fn row_state(row: &Row<'_>, column: usize) -> rusqlite::Result<RowState> {
    let text = row.get_ref(column)?.as_str()?;
    RowState::from_name(text).ok_or_else(|| broken(column, format!("`{text}` is not a state")))
}

pub(super) const fn status_name(status: RefundStatus) -> &'static str {
    match status {
        RefundStatus::Requested => "requested",
        RefundStatus::Skipped => "skipped",
        RefundStatus::Manual => "manual",
    }
}

pub(super) fn refund_status(row: &Row<'_>, column: usize) -> rusqlite::Result<RefundStatus> {
    let text = row.get_ref(column)?.as_str()?;
    [RefundStatus::Requested, RefundStatus::Skipped, RefundStatus::Manual]
        .into_iter()
        .find(|status| status_name(*status) == text)
        .ok_or_else(|| broken(column, format!("`{text}` is not a refund status")))
}

pub(super) fn refund_status_or_null(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<RefundStatus>> {
    row.get_ref(column)?.as_str_or_null()?.map(|_| refund_status(row, column)).transpose()
}

/// Reads the three columns of a source, the first of them at `column`.
pub(super) fn source(row: &Row<'_>, column: usize, damage: &mut Damage) -> Source {
    Source {
        kind: damage.text("source_kind", row, column),
        redemption: damage.optional_text("redemption", row, column + 1),
        user: damage.optional_text("user", row, column + 2),
    }
}

/// What of a row cannot be read. A stand-in takes the place of each such value, so that a damaged row is
/// shown and fails alone.
#[derive(Debug, Default)]
pub(super) struct Damage(Option<String>);

impl Damage {
    /// The value of a column, or its stand-in.
    pub(super) fn or<T>(&mut self, column: &str, read: rusqlite::Result<T>, stand_in: T) -> T {
        read.unwrap_or_else(|error| {
            self.0.get_or_insert_with(|| format!("{column} is unreadable: {}", reason(&error)));
            stand_in
        })
    }

    /// A text as far as it can be read.
    pub(super) fn text(&mut self, name: &str, row: &Row<'_>, column: usize) -> String {
        let text = self.optional_text(name, row, column);
        self.or(name, text.ok_or_else(|| broken(column, "missing")), String::new())
    }

    /// A text as far as it can be read, if there is one.
    pub(super) fn optional_text(&mut self, name: &str, row: &Row<'_>, column: usize) -> Option<String> {
        let read = row.get_ref(column).and_then(|value| Ok(value.as_bytes_or_null()?));
        let bytes = self.or(name, read, None)?;
        Some(match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                self.or(name, Err(broken(column, error)), String::from_utf8_lossy(bytes).into_owned())
            }
        })
    }

    /// The value that a text names.
    pub(super) fn named<T>(
        &mut self,
        name: &str,
        row: &Row<'_>,
        column: usize,
        from_name: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name, row, column);
        self.or(name, from_name(&text).map(Some).ok_or_else(|| unknown(column, &text)), None)
    }

    /// The value that a text names, if there is one.
    pub(super) fn optional_named<T>(
        &mut self,
        name: &str,
        row: &Row<'_>,
        column: usize,
        from_name: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.optional_text(name, row, column)?;
        self.or(name, from_name(&text).map(Some).ok_or_else(|| unknown(column, &text)), None)
    }

    /// Which column it is first, and why; nothing of a row that is whole.
    pub(super) fn found(self) -> Option<String> {
        self.0
    }

    /// As [`Self::found`], for a row that has a place for a reason: what is there stays.
    pub(super) fn or_reason(self, reason: Option<String>) -> Option<String> {
        reason.or_else(|| self.0.map(|damage| format!("damaged: {damage}")))
    }
}

fn unknown(column: usize, text: &str) -> rusqlite::Error {
    broken(column, format!("`{text}` is unknown"))
}

/// What a conversion says, without its column's number.
fn reason(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, why) => why.to_string(),
        error => error.to_string(),
    }
}

pub(super) fn broken(
    column: usize,
    why: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into())
}
