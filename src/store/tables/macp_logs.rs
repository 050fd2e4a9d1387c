//! The logs of several sessions, read with one pass over the segments.

use std::collections::BTreeMap;

use bytes::Bytes;
use rusqlite::{Connection, params};

use super::values::int;
use crate::store::macp::{LogRequest, readable, records};

/// Reads the segments, each once.
pub(in crate::store) const SEGMENTS: &str = "SELECT bytes FROM macp_segments ORDER BY segment";

/// Logs of these sessions, as far as they fit into `bytes_max` together: the longest is left out, and so on.
pub(in crate::store) fn logs(
    conn: &Connection,
    sessions: &[LogRequest],
    bytes_max: usize,
) -> rusqlite::Result<BTreeMap<u64, Vec<Bytes>>> {
    // Rows and segments as they are at one moment: what is sorted meanwhile is not seen twice.
    let conn = conn.unchecked_transaction()?;
    let mut logs = Logs { room: bytes_max, unfinished: 0, of: BTreeMap::new() };
    for request in sessions {
        logs.begin(request);
        let mut parts =
            conn.prepare_cached("SELECT bytes FROM macp_logs WHERE session = ?1 ORDER BY first")?;
        let mut parts = parts.query(params![int(request.session)])?;
        while logs.wants(request.session)
            && let Some(row) = parts.next()?
        {
            logs.take(&Bytes::from(row.get::<_, Vec<u8>>(0)?), Some(request.session));
        }
    }
    let mut segments = conn.prepare_cached(SEGMENTS)?;
    let mut segments = segments.query([])?;
    while logs.unfinished > 0
        && let Some(row) = segments.next()?
    {
        logs.take(&Bytes::from(row.get::<_, Vec<u8>>(0)?), None);
    }
    Ok(logs.of.into_iter().map(|(session, log)| (session, log.records)).collect())
}

/// Logs as they fill.
struct Logs {
    /// Bytes that may still be taken.
    room: usize,
    /// Logs that want further records.
    unfinished: usize,
    of: BTreeMap<u64, Log>,
}

struct Log {
    /// How many were asked for before it.
    position: usize,
    wanted: u64,
    bytes: usize,
    records: Vec<Bytes>,
}

impl Logs {
    fn begin(&mut self, request: &LogRequest) {
        let log = Log { position: self.of.len(), wanted: request.records, bytes: 0, records: Vec::new() };
        if self.of.insert(request.session, log).is_none() && request.records > 0 {
            self.unfinished += 1;
        }
    }

    fn wants(&self, session: u64) -> bool {
        self.of.get(&session).is_some_and(|log| log.wanted > 0)
    }

    /// Takes what is wanted out of a part of one session's log, or out of a segment.
    fn take(&mut self, part: &Bytes, only: Option<u64>) {
        // What cannot be read of a log is told at a start; it ends with what can.
        for (session, record) in records(part).unwrap_or_else(|| readable(part)) {
            if only.is_none_or(|only| only == session) {
                self.record(session, &record);
            }
        }
    }

    /// Makes room; of logs of one length the one goes that was asked for last.
    fn leave_out_longest(&mut self) {
        let longest = self.of.iter().max_by_key(|(_, log)| (log.bytes, log.position)).map(|(it, _)| *it);
        if let Some(log) = longest.and_then(|session| self.of.remove(&session)) {
            self.room += log.bytes;
            self.unfinished -= usize::from(log.wanted > 0);
        }
    }

    fn record(&mut self, session: u64, record: &Bytes) {
        while self.wants(session) && record.len() > self.room {
            self.leave_out_longest();
        }
        let Some(log) = self.of.get_mut(&session).filter(|log| log.wanted > 0) else { return };
        self.room -= record.len();
        log.bytes += record.len();
        // Copied: a slice would keep all of its segment.
        log.records.push(Bytes::copy_from_slice(record));
        log.wanted -= 1;
        self.unfinished -= usize::from(log.wanted == 0);
    }
}
