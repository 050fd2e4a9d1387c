//! Brakes of queues; a queue without one has no row.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::values::Damage;
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

/// All brakes, by queue; of one that cannot be read `damaged` is told which and why.
pub(in crate::store) fn all(
    conn: &Connection,
    mut damaged: impl FnMut(String),
) -> rusqlite::Result<BTreeMap<QueueName, Brake>> {
    conn.prepare("SELECT queue, held, draining FROM brakes")?
        .query_map([], |row| {
            let mut damage = Damage::default();
            let queue = QueueName::new(&damage.text("queue", row, 0));
            // What cannot be read holds: a person sees that and lets go.
            let held = damage.or("held", row.get(1), true);
            let brake = Brake { held, draining: damage.or("draining", row.get(2), true) };
            if let Some(why) = damage.found() {
                let put = "check the queue and resume it (`rl-console resume`)";
                damaged(format!(
                    "the stored brake of queue `{queue}` is damaged ({why}); the queue is held: {put}"
                ));
            }
            Ok((queue, brake))
        })?
        .collect()
}
