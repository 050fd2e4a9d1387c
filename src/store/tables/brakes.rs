//! Brakes of queues; a queue without one has no row.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use crate::{ids::QueueName, tap::entry::mpp::Brake};

pub(in crate::store) fn set(conn: &Connection, queue: &QueueName, brake: Brake) -> rusqlite::Result<()> {
    if brake == Brake::default() {
        conn.prepare_cached("DELETE FROM brakes WHERE queue = ?1")?.execute([queue.as_str()])?;
    } else {
        conn.prepare_cached("INSERT OR REPLACE INTO brakes (queue, held, draining) VALUES (?1, ?2, ?3)")?
            .execute(params![queue.as_str(), brake.held, brake.draining])?;
    }
    Ok(())
}

pub(in crate::store) fn all(conn: &Connection) -> rusqlite::Result<BTreeMap<QueueName, Brake>> {
    conn.prepare("SELECT queue, held, draining FROM brakes")?
        .query_map([], |row| {
            let queue = QueueName::new(row.get_ref(0)?.as_str()?);
            Ok((queue, Brake { held: row.get(1)?, draining: row.get(2)? }))
        })?
        .collect()
}
