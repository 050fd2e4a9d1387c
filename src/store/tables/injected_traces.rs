//! The traces that have injected frames, in the order in which they were first known.

use rusqlite::{Connection, params};

use super::{int, values};
use crate::{ids::TraceId, tap::injected_traces::KNOWN_MAX};

/// Adds those that are not there; the oldest of too many go.
pub(in crate::store) fn add(conn: &Connection, traces: &[TraceId]) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached("INSERT OR IGNORE INTO injected_traces (trace) VALUES (?1)")?;
    for trace in traces {
        insert.execute([trace.0.as_bytes().as_slice()])?;
    }
    conn.prepare_cached(
        "DELETE FROM injected_traces WHERE number <= (SELECT max(number) FROM injected_traces) - ?1",
    )?
    .execute(params![int(KNOWN_MAX as u64)])?;
    Ok(())
}

/// All, the newest last.
pub(in crate::store) fn all(conn: &Connection) -> rusqlite::Result<Vec<TraceId>> {
    let mut select = conn.prepare_cached("SELECT trace FROM injected_traces ORDER BY number")?;
    select.query_map([], |row| values::trace(row, 0))?.collect()
}
