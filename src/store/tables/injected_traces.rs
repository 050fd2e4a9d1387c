//! The traces that have injected frames, in the order in which they were first known, or known to have rows.

use rusqlite::{Connection, Row, params};

use super::{int, values};
use crate::tap::{
    InjectedTrace,
    injected_traces::{KNOWN_MAX, ROWS_MAX},
};

/// The oldest of too many are looked for once so many were added, or have become rows.
const PRUNED_EVERY: i64 = 256;

/// Adds those that are not there, and notes which have rows; the oldest of too many go from time to time.
pub(in crate::store) fn add(conn: &Connection, traces: &[InjectedTrace]) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO injected_traces (trace, has_row) VALUES (?1, ?2)
         ON CONFLICT (trace) DO UPDATE
         SET has_row = 1, number = (SELECT max(number) + 1 FROM injected_traces)
         WHERE excluded.has_row = 1 AND has_row = 0",
    )?;
    let before = last_number(conn)?;
    for it in traces {
        insert.execute(params![it.trace.0.as_bytes().as_slice(), it.has_row])?;
    }
    if before / PRUNED_EVERY == last_number(conn)? / PRUNED_EVERY {
        return Ok(());
    }
    let mut delete = conn.prepare_cached(
        "DELETE FROM injected_traces WHERE has_row = ?1 AND number <= (
             SELECT number FROM injected_traces WHERE has_row = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2
         )",
    )?;
    for (has_row, max) in [(false, KNOWN_MAX), (true, ROWS_MAX)] {
        delete.execute(params![has_row, int(max as u64)])?;
    }
    Ok(())
}

fn last_number(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT coalesce(max(number), 0) FROM injected_traces")?
        .query_row([], |row| row.get(0))
}

/// As many as are to be known, the newest last.
pub(in crate::store) fn all(conn: &Connection) -> rusqlite::Result<Vec<InjectedTrace>> {
    let mut select = conn.prepare_cached(
        "SELECT * FROM (
             SELECT trace, has_row, number FROM injected_traces WHERE has_row = 0
             ORDER BY number DESC LIMIT ?1
         )
         UNION ALL
         SELECT * FROM (
             SELECT trace, has_row, number FROM injected_traces WHERE has_row = 1
             ORDER BY number DESC LIMIT ?2
         )
         ORDER BY number",
    )?;
    let trace = |row: &Row<'_>| Ok(InjectedTrace { trace: values::trace(row, 0)?, has_row: row.get(1)? });
    select.query_map([int(KNOWN_MAX as u64), int(ROWS_MAX as u64)], trace)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::TraceId, store::migrations};

    fn of(number: usize, has_row: bool) -> InjectedTrace {
        InjectedTrace { trace: TraceId(uuid::Uuid::from_u128(number as u128)), has_row }
    }

    #[test]
    fn one_that_becomes_a_row_is_the_newest_and_the_oldest_of_too_many_go_in_time() {
        let conn = Connection::open_in_memory().unwrap();
        migrations::run(&conn).unwrap();
        add(&conn, &[of(1, false), of(2, false), of(3, true)]).unwrap();
        add(&conn, &[of(1, true)]).unwrap();
        assert_eq!(all(&conn).unwrap(), [of(2, false), of(3, true), of(1, true)]);
        let count = || conn.query_row("SELECT count(*) FROM injected_traces", [], |row| row.get(0));
        for number in 4..3 * KNOWN_MAX {
            add(&conn, &[of(number, false)]).unwrap();
            let stored: i64 = count().unwrap();
            assert!(stored < int(KNOWN_MAX as u64) + 2 + PRUNED_EVERY, "{number}: {stored}");
        }
        let rows: Vec<_> = (0..=ROWS_MAX).map(|number| of((1 << 20) + number, true)).collect();
        add(&conn, &rows).unwrap();
        let known = all(&conn).unwrap();
        assert_eq!(known.len(), KNOWN_MAX + ROWS_MAX);
        assert!(!known.contains(&of(1, true)) && !known.contains(&rows[0]), "the oldest of the rows");
        assert_eq!((known[0], known[KNOWN_MAX]), (of(2 * KNOWN_MAX, false), rows[1]));
    }
}
