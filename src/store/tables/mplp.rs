//! Ratings of runs. A rating leaves with its run.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::values::{Damage, int, wall};
use crate::{
    ids::TraceId,
    store::{
        mplp::{Rated, Rating},
        retention::Size,
    },
    tap::entry::mplp::RatingVerdict,
    time::Wall,
};

/// The bytes that retention counts of a row.
pub(super) const RATING_BYTES: &str =
    "octet_length(verdict) + coalesce(octet_length(note), 0) + octet_length(operator)";

/// Rates a run, in place of what was said of it before; without a note of its own, the one that is kept holds
/// on, and an empty one takes it away. What happened, and by how much what retention counts
/// of ended runs grew.
pub(in crate::store) fn rate(
    conn: &Connection,
    run: TraceId,
    rating: &Rating,
) -> rusqlite::Result<(Rated, Size)> {
    let before = rating_of(conn, run)?;
    let (before, note_before) = before.map_or((None, None), |it| (Some(it.verdict), it.note));
    let note = rating.note.clone().or(note_before).filter(|note| !note.is_empty());
    let found: Option<(i64, bool, i64)> = conn
        .prepare_cached(&format!(
            "SELECT number, ended_at_ms IS NOT NULL,
                coalesce((SELECT {RATING_BYTES} FROM run_ratings WHERE run = number), 0)
             FROM runs WHERE run = ?1"
        ))?
        .query_row([run.0.into_bytes()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((number, has_ended, bytes_before)) = found else {
        return Ok((Rated::NoSuchRun, Size::default()));
    };
    let bytes: i64 = conn
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO run_ratings (run, verdict, note, operator, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5) RETURNING {RATING_BYTES}"
        ))?
        .query_row(params![number, rating.verdict.name(), note, rating.by, int(rating.at_ms.0)], |row| {
            row.get(0)
        })?;
    // Those of an open run are counted at its end.
    let grown = if has_ended { bytes - bytes_before } else { 0 };
    Ok((Rated::Kept { before, note }, Size { rows: 0, bytes: grown }))
}

/// The rating of a run. One that cannot be read is none: the run is not reviewed.
pub(in crate::store) fn rating_of(conn: &Connection, run: TraceId) -> rusqlite::Result<Option<Rating>> {
    conn.prepare_cached(
        "SELECT verdict, note, operator, at_ms FROM run_ratings
         WHERE run = (SELECT number FROM runs WHERE run = ?1)",
    )?
    .query_row([run.0.into_bytes()], |row| {
        let mut damage = Damage::default();
        let verdict = damage.named("verdict", row, 0, RatingVerdict::from_name);
        Ok(verdict.map(|verdict| Rating {
            verdict,
            note: damage.optional_text("note", row, 1),
            by: damage.text("operator", row, 2),
            at_ms: damage.or("at_ms", wall(row, 3), Wall(0)),
        }))
    })
    .optional()
    .map(Option::flatten)
}
