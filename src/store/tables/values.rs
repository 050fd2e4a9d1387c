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
    RowState::from_name(text).ok_or_else(|| broken(column, format!("`{text}` is no state")))
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
        .ok_or_else(|| broken(column, format!("`{text}` is no status of a refund")))
}

/// Reads the three columns of a source, the first of them at `column`.
pub(super) fn source(row: &Row<'_>, column: usize) -> rusqlite::Result<Source> {
    Ok(Source { kind: row.get(column)?, redemption: row.get(column + 1)?, user: row.get(column + 2)? })
}

pub(super) fn broken(
    column: usize,
    why: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into())
}
