//! The traces that have injected frames, in the order in which they were first known.

use rusqlite::{Connection, params};

use super::{int, values};
use crate::tap::{
    InjectedTrace,
    injected_traces::{KNOWN_MAX, ROWS_MAX},
};

/// Adds those that are not there, and notes which have rows; the oldest of too many go.
pub(in crate::store) fn add(conn: &Connection, traces: &[InjectedTrace]) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO injected_traces (trace, has_row) VALUES (?1, ?2)
         ON CONFLICT (trace) DO UPDATE SET has_row = 1 WHERE excluded.has_row = 1 AND has_row = 0",
    )?;
    for it in traces {
        insert.execute(params![it.trace.0.as_bytes().as_slice(), it.has_row])?;
    }
    let mut delete = conn.prepare_cached(
        "DELETE FROM injected_traces WHERE number IN (
             SELECT number FROM injected_traces WHERE has_row = ?1 ORDER BY number DESC LIMIT -1 OFFSET ?2
         )",
    )?;
    for (has_row, max) in [(false, KNOWN_MAX), (true, ROWS_MAX)] {
        if traces.iter().any(|it| it.has_row == has_row) {
            delete.execute(params![has_row, int(max as u64)])?;
        }
    }
    Ok(())
}

/// All, the newest last.
pub(in crate::store) fn all(conn: &Connection) -> rusqlite::Result<Vec<InjectedTrace>> {
    let mut select = conn.prepare_cached("SELECT trace, has_row FROM injected_traces ORDER BY number")?;
    select
        .query_map([], |row| Ok(InjectedTrace { trace: values::trace(row, 0)?, has_row: row.get(1)? }))?
        .collect()
}
