//! Sessions, the segments in which their records are written, and their logs.

use std::collections::BTreeMap;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    macp_seen, meta,
    values::{Damage, broken, int, number, wall, wall_or_null},
};
use crate::{
    ids::TraceId,
    store::{
        Rows,
        macp::{
            Digest, MacpDone, MacpOp, RestoredMacpPart, SessionFilter, SessionRow, numbers, push, readable,
            records, sessions_of,
        },
        retention::Size,
    },
    tap::entry::macp::{Ending, Mode, Phase, SessionState},
    time::Wall,
};

/// Segments of one slice.
const SORT_SEGMENTS: u64 = 256;
/// Bytes of one slice, past which it takes no further segment.
const SORT_BYTES: usize = 1 << 20;
/// Sessions of one slice, and the parts of their logs.
const RETIRE_ROWS: u64 = 64;
/// Rows of digests of one slice.
const RETIRE_SEEN_ROWS: u64 = 4_096;
/// Bytes of the texts of one page of sessions, past which it takes no further one.
const PAGE_BYTES: usize = 16 << 20;
/// Bytes of one page of a log, past which it takes no further record.
const LOG_BYTES: usize = 16 << 20;
/// Sessions of one part of what the runtime starts from.
const LEFT_ROWS: usize = 4_096;

const COLUMNS: &str = "number, id, mode, mode_name, ending, why, phase, round, sender, intent, participants, messages, started_at_ms, \
                       expires_at_ms, ended_at_ms, mode_version, configuration_version, policy_version, trace, gone, swept, traceparent";

/// How a session stands to the sweep; what is written later is never less.
const NOT_SWEPT: i64 = 0;
/// It was expired by the sweep, and nobody asked since.
const UNNOTICED: i64 = 1;
/// It ended, and whoever asks may be told so.
const NOTICED: i64 = 2;

pub(in crate::store) fn apply(conn: &Connection, op: MacpOp) -> rusqlite::Result<MacpDone> {
    match op {
        MacpOp::Segment { number, at, bytes } => {
            // It may be there already, and sorted: what was committed and not told of is written again.
            if meta::read(conn, meta::SESSIONS_THROUGH)? < number {
                conn.prepare_cached(
                    "INSERT INTO macp_segments (segment, at_ms, bytes, sessions) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![
                    int(number),
                    int(at.0),
                    bytes.as_ref(),
                    sessions_of(&bytes)
                ])?;
                meta::raise(conn, meta::SESSIONS_THROUGH, number)?;
            }
            Ok(MacpDone::default())
        }
        MacpOp::Seen(parts) => {
            parts.iter().try_for_each(|part| macp_seen::put(conn, part))?;
            Ok(MacpDone::default())
        }
        MacpOp::Noticed(sessions) => {
            let mut notice = conn
                .prepare_cached(&format!("UPDATE macp_sessions SET swept = {NOTICED} WHERE number = ?1"))?;
            sessions.into_iter().try_for_each(|session| notice.execute([int(session)]).map(drop))?;
            Ok(MacpDone::default())
        }
        MacpOp::Sessions(rows) => {
            rows.iter().try_for_each(|row| upsert(conn, row))?;
            Ok(MacpDone::default())
        }
        MacpOp::Damaged(sessions) => damaged(conn, sessions),
        MacpOp::Sort { through } => sort(conn, through),
        MacpOp::Retire { sessions, log_bytes } => retire(conn, sessions, log_bytes),
    }
}

fn upsert(conn: &Connection, row: &SessionRow) -> rusqlite::Result<()> {
    conn.prepare_cached(&format!(
        "INSERT INTO macp_sessions ({COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
         ?21, ?22)
         ON CONFLICT (number) DO UPDATE SET ending = ?5, why = ?6, phase = ?7, round = ?8, messages = ?12,
         ended_at_ms = ?15, gone = max(gone, ?20), swept = max(swept, ?21)"
    ))?
    .execute(params![
        int(row.number),
        row.id,
        row.mode.name(),
        row.mode_name,
        row.ending.map(Ending::name),
        row.why,
        row.phase.map(Phase::name),
        row.round.map(int),
        row.by,
        row.intent,
        int(row.participants),
        int(row.messages),
        int(row.started_at.0),
        int(row.expires_at.0),
        row.ended_at.map(|at| int(at.0)),
        row.mode_version,
        row.configuration_version,
        row.policy_version,
        row.trace.map(|trace| trace.0.as_bytes().to_vec()),
        row.is_evicted,
        match (row.ending, row.is_unnoticed) {
            (None, _) => NOT_SWEPT,
            (Some(_), true) => UNNOTICED,
            (Some(_), false) => NOTICED,
        },
        row.traceparent,
    ])?;
    Ok(())
}

/// Closes sessions whose logs do not begin.
fn damaged(conn: &Connection, sessions: Vec<(u64, String)>) -> rusqlite::Result<MacpDone> {
    let mut close = conn.prepare_cached(
        "UPDATE macp_sessions SET ending = ?2, why = ?3, ended_at_ms = coalesce(ended_at_ms, started_at_ms), gone = 1
         WHERE number = ?1 AND gone = 0 RETURNING id",
    )?;
    let mut damaged = Vec::new();
    for (session, why) in sessions {
        let id = close
            .query_row(params![int(session), Ending::LogDamaged.name(), why], |row| row.get(0))
            .optional()?;
        damaged.extend(id.map(|id| (session, id)));
    }
    Ok(MacpDone { damaged, ..MacpDone::default() })
}

/// Moves the records of the oldest segments to the logs of their sessions.
fn sort(conn: &Connection, through: u64) -> rusqlite::Result<MacpDone> {
    let mut of_sessions: BTreeMap<u64, (u64, Vec<u8>)> = BTreeMap::new();
    let (mut last, mut sorted) = (None, 0);
    {
        let mut oldest = conn.prepare_cached(
            "SELECT segment, bytes FROM macp_segments WHERE segment <= ?1 ORDER BY segment LIMIT ?2",
        )?;
        let mut oldest = oldest.query(params![int(through), int(SORT_SEGMENTS)])?;
        let mut taken = 0;
        while taken < SORT_BYTES
            && let Some(row) = oldest.next()?
        {
            let segment = Bytes::from(row.get::<_, Vec<u8>>(1)?);
            taken += segment.len();
            last = Some(number(row, 0)?);
            sorted += 1;
            // What is no segment is kept apart, for whoever looks into it: no session has the number 0.
            let records = records(&segment).unwrap_or_else(|| vec![(0, segment.clone())]);
            for (session, record) in records {
                let (count, log) = of_sessions.entry(session).or_default();
                *count += 1;
                push(log, session, &record);
            }
        }
    }
    let mut log_bytes = 0;
    for (session, (count, log)) in of_sessions {
        append(conn, session, count, &log)?;
        log_bytes += int(log.len() as u64);
    }
    if let Some(last) = last {
        conn.prepare_cached("DELETE FROM macp_segments WHERE segment <= ?1")?.execute([int(last)])?;
    }
    Ok(MacpDone { sorted, log_bytes, ..MacpDone::default() })
}

/// Puts a part behind a session's log.
fn append(conn: &Connection, session: u64, count: u64, log: &[u8]) -> rusqlite::Result<()> {
    let end = conn
        .prepare_cached(
            "SELECT first + records FROM macp_logs WHERE session = ?1 ORDER BY first DESC LIMIT 1",
        )?
        .query_row([int(session)], |row| number(row, 0))
        .optional()?;
    conn.prepare_cached("INSERT INTO macp_logs (session, first, records, bytes) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![int(session), int(end.unwrap_or(0)), int(count), log])?;
    Ok(())
}

fn retire(conn: &Connection, sessions: u64, log_bytes_over: u64) -> rusqlite::Result<MacpDone> {
    let limit = if log_bytes_over > 0 { RETIRE_ROWS } else { sessions.min(RETIRE_ROWS) };
    let oldest: Vec<u64> = conn
        .prepare_cached("SELECT number FROM macp_sessions WHERE gone = 1 ORDER BY number LIMIT ?1")?
        .query_map([int(limit)], |row| number(row, 0))?
        .collect::<rusqlite::Result<_>>()?;
    let (mut room, mut seen_room) = (RETIRE_ROWS, RETIRE_SEEN_ROWS);
    let (mut retired, mut log_bytes) = (Vec::new(), 0);
    for session in oldest {
        if retired.len() as u64 >= sessions
            && i64::try_from(log_bytes_over).is_ok_and(|over| -log_bytes >= over)
        {
            break;
        }
        let parts: Size = conn
            .prepare_cached(
                "DELETE FROM macp_logs WHERE session = ?1 AND first IN (SELECT first FROM macp_logs WHERE session = ?1 LIMIT ?2)
                 RETURNING 1, octet_length(bytes)",
            )?
            .query_map(params![int(session), int(room)], Size::read)?
            .sum::<rusqlite::Result<_>>()?;
        log_bytes -= parts.bytes;
        room = room.saturating_sub(u64::try_from(parts.rows).unwrap_or(u64::MAX));
        seen_room = seen_room.saturating_sub(macp_seen::delete(conn, session, seen_room)?);
        if room == 0 || seen_room == 0 {
            break;
        }
        conn.prepare_cached("DELETE FROM macp_sessions WHERE number = ?1")?.execute([int(session)])?;
        retired.push(session);
    }
    Ok(MacpDone { retired, is_more: room == 0 || seen_room == 0, log_bytes, ..MacpDone::default() })
}

/// Bytes of the logs of all sessions.
pub(in crate::store) fn log_bytes(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row("SELECT coalesce(sum(octet_length(bytes)), 0) FROM macp_logs", [], |row| row.get(0))
}

/// A page: as many rows as were asked for, fewer where their texts are long.
pub(in crate::store) fn page(
    conn: &Connection,
    filter: &SessionFilter,
) -> rusqlite::Result<Rows<SessionRow>> {
    let (beyond, direction, start) =
        if filter.oldest_first { ("number > ?1", "ASC", -1) } else { ("number < ?1", "DESC", i64::MAX) };
    let state = match filter.state {
        None => "1",
        Some(SessionState::Open) => "ending IS NULL",
        Some(SessionState::Resolved) => "ending = 'resolved'",
        Some(SessionState::Expired) => "ending <> 'resolved'",
    };
    let mut found = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM macp_sessions
         WHERE {beyond} AND {state} AND (?2 IS NULL OR mode = ?2) AND (?3 IS NULL OR started_at_ms >= ?3)
         ORDER BY number {direction} LIMIT ?4"
    ))?;
    let mut found = found.query(params![
        filter.beyond.map_or(start, int),
        filter.mode.map(Mode::name),
        filter.since.map(|since| int(since.0)),
        int(filter.limit.saturating_add(1))
    ])?;
    let mut page = Rows { rows: Vec::new(), more: false };
    let mut bytes = 0;
    while let Some(row) = found.next()? {
        page.more = page.rows.len() as u64 >= filter.limit || bytes >= PAGE_BYTES;
        if page.more {
            break;
        }
        let row = session_row(row)?;
        let texts = [
            &row.id,
            &row.by,
            &row.intent,
            &row.mode_version,
            &row.configuration_version,
            &row.policy_version,
        ];
        bytes += texts.into_iter().chain(&row.why).map(String::len).sum::<usize>();
        bytes += row.traceparent.as_ref().map_or(0, |header| header.len());
        page.rows.push(row);
    }
    Ok(page)
}

/// The session of an id; of two, the later.
pub(in crate::store) fn by_id(conn: &Connection, id: &str) -> rusqlite::Result<Option<SessionRow>> {
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM macp_sessions WHERE id = ?1 ORDER BY number DESC LIMIT 1"
    ))?
    .query_row([id], session_row)
    .optional()
}

/// The first sessions of a trace, in the order in which they began.
pub(in crate::store) fn of_trace(
    conn: &Connection,
    trace: TraceId,
    limit: u64,
) -> rusqlite::Result<Vec<SessionRow>> {
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM macp_sessions WHERE trace = ?1 ORDER BY number LIMIT ?2"
    ))?
    .query_map(params![&trace.0.as_bytes()[..], int(limit)], session_row)?
    .collect()
}

/// A session that is in the store alone, and when it accepted a message.
pub(in crate::store) fn by_id_and_message(
    conn: &Connection,
    id: &str,
    message: Option<&Digest>,
) -> rusqlite::Result<Option<(SessionRow, Option<u64>)>> {
    let Some(row) = by_id(conn, id)? else { return Ok(None) };
    let at = message.map_or(Ok(None), |message| macp_seen::at(conn, row.number, message))?;
    Ok(Some((row, at)))
}

/// A page of a session's log: its own rows, then what the segments have.
pub(in crate::store) fn log(
    conn: &Connection,
    session: u64,
    after: u64,
    limit: u64,
) -> rusqlite::Result<Rows<Bytes>> {
    // Rows and segments as they are at one moment: what is sorted meanwhile is not seen twice.
    let conn = conn.unchecked_transaction()?;
    let mut page =
        Page { session, skip: after, room: limit, bytes: 0, rows: Rows { rows: Vec::new(), more: false } };
    let mut parts =
        conn.prepare_cached("SELECT first, records, bytes FROM macp_logs WHERE session = ?1 AND first + records > ?2 ORDER BY first")?;
    let mut parts = parts.query(params![int(session), int(after)])?;
    let mut is_first = true;
    while let Some(row) = parts.next()? {
        if std::mem::take(&mut is_first) {
            page.skip = after.saturating_sub(number(row, 0)?);
        }
        if !page.take(&Bytes::from(row.get::<_, Vec<u8>>(2)?)) {
            return Ok(page.rows);
        }
    }
    if is_first {
        let sorted = conn
            .prepare_cached(
                "SELECT first + records FROM macp_logs WHERE session = ?1 ORDER BY first DESC LIMIT 1",
            )?
            .query_row([int(session)], |row| number(row, 0))
            .optional()?;
        page.skip = after.saturating_sub(sorted.unwrap_or(0));
    }
    let mut segments = conn.prepare_cached("SELECT bytes FROM macp_segments ORDER BY segment")?;
    let mut segments = segments.query([])?;
    while let Some(row) = segments.next()? {
        if !page.take(&Bytes::from(row.get::<_, Vec<u8>>(0)?)) {
            break;
        }
    }
    Ok(page.rows)
}

/// A page of a log as it fills.
struct Page {
    session: u64,
    skip: u64,
    room: u64,
    bytes: usize,
    rows: Rows<Bytes>,
}

impl Page {
    /// Takes the session's records out of a segment; whether there is room for more.
    fn take(&mut self, segment: &Bytes) -> bool {
        // What cannot be read of a log is told at a start; its page ends with what can.
        let records = records(segment).unwrap_or_else(|| readable(segment));
        for (_, record) in records.into_iter().filter(|(session, _)| *session == self.session) {
            if self.skip > 0 {
                self.skip -= 1;
            } else if self.room == 0 || self.bytes >= LOG_BYTES {
                self.rows.more = true;
                return false;
            } else {
                self.room -= 1;
                self.bytes += record.len();
                self.rows.rows.push(record);
            }
        }
        true
    }
}

/// What the runtime starts from.
pub(in crate::store) fn restored(
    conn: &Connection,
    each: &mut dyn FnMut(RestoredMacpPart) -> bool,
) -> rusqlite::Result<()> {
    let mut gone =
        conn.prepare("SELECT number, id, ending, swept FROM macp_sessions WHERE gone = 1 ORDER BY number")?;
    let mut gone = gone.query([])?;
    let mut part = Vec::new();
    while let Some(row) = gone.next()? {
        let mut damage = Damage::default();
        let swept: i64 = damage.or("swept", row.get(3), NOTICED);
        let ending = damage.or("ending", ending(row, 2), Some(Ending::LogDamaged));
        let told = ending.filter(|_| swept != UNNOTICED);
        let id = damage.text("id", row, 1);
        part.push((number(row, 0)?, id, told.map_or(SessionState::Open, Ending::state)));
        if part.len() >= LEFT_ROWS && !each(RestoredMacpPart::Evicted(std::mem::take(&mut part))) {
            return Ok(());
        }
    }
    if !each(RestoredMacpPart::Evicted(part)) {
        return Ok(());
    }
    // The name stands in the text, for that is what the index knows.
    let ended = Ending::LogDamaged.name();
    let mut damaged = conn.prepare(&format!(
        "SELECT number, coalesce(why, '') FROM macp_sessions WHERE gone = 0 AND ending = '{ended}'"
    ))?;
    let damaged: rusqlite::Result<Vec<_>> =
        damaged.query_map([], |row| Ok((number(row, 0)?, row.get(1)?)))?.collect();
    if !each(RestoredMacpPart::Damaged(damaged?)) {
        return Ok(());
    }
    let mut logs =
        conn.prepare("SELECT session, bytes FROM macp_sessions JOIN macp_logs ON session = number WHERE gone = 0 ORDER BY session, first")?;
    let mut logs = logs.query([])?;
    while let Some(row) = logs.next()? {
        let bytes = Bytes::from(row.get::<_, Vec<u8>>(1)?);
        let records = records(&bytes)
            .unwrap_or_else(|| vec![(0, Bytes::new())])
            .into_iter()
            .map(|(_, record)| record)
            .collect();
        if !each(RestoredMacpPart::Log { session: number(row, 0)?, records }) {
            return Ok(());
        }
    }
    let mut segments = conn.prepare("SELECT segment, bytes, sessions FROM macp_segments ORDER BY segment")?;
    let mut segments = segments.query([])?;
    let (mut count, mut last) = (0, 0);
    while let Some(row) = segments.next()? {
        (count, last) = (count + 1, number(row, 0)?);
        // What is no segment belongs to no session; sorting keeps it.
        let part = match records(&Bytes::from(row.get::<_, Vec<u8>>(1)?)) {
            Some(records) => RestoredMacpPart::Records(records),
            None => RestoredMacpPart::Unreadable {
                segment: last,
                sessions: row.get::<_, Option<Vec<u8>>>(2)?.and_then(|it| numbers(&it)),
            },
        };
        if !each(part) {
            return Ok(());
        }
    }
    // Logs of sessions without rows are nobody's: no later session is to take their numbers.
    let highest = "SELECT max(coalesce((SELECT max(number) FROM macp_sessions), 0), coalesce((SELECT max(session) FROM macp_logs), 0))";
    let session: u64 = conn.query_row(highest, [], |row| number(row, 0))?;
    let through = meta::read(conn, meta::SESSIONS_THROUGH)?.max(last);
    each(RestoredMacpPart::End { through, segments: count, session: session + 1 });
    Ok(())
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let mut damage = Damage::default();
    let why = damage.optional_text("why", row, 5);
    let trace: rusqlite::Result<Option<Vec<u8>>> = row.get(18);
    let trace = trace.and_then(|bytes| {
        bytes.map(|bytes| uuid::Uuid::from_slice(&bytes).map_err(|error| broken(18, error))).transpose()
    });
    let round: Option<i64> = damage.or("round", row.get(7), None);
    Ok(SessionRow {
        number: number(row, 0)?,
        id: damage.text("id", row, 1),
        mode: damage.named("mode", row, 2, Mode::from_name).unwrap_or(Mode::Decision),
        mode_name: damage.text("mode_name", row, 3),
        ending: damage.or("ending", ending(row, 4), Some(Ending::LogDamaged)),
        phase: damage.optional_named("phase", row, 6, Phase::from_name),
        round: round.and_then(|round| u64::try_from(round).ok()),
        by: damage.text("sender", row, 8),
        intent: damage.text("intent", row, 9),
        participants: damage.or("participants", number(row, 10), 0),
        messages: damage.or("messages", number(row, 11), 0),
        started_at: damage.or("started_at_ms", wall(row, 12), Wall(0)),
        expires_at: damage.or("expires_at_ms", wall(row, 13), Wall(0)),
        ended_at: damage.or("ended_at_ms", wall_or_null(row, 14), None),
        mode_version: damage.text("mode_version", row, 15),
        configuration_version: damage.text("configuration_version", row, 16),
        policy_version: damage.text("policy_version", row, 17),
        trace: damage.or("trace", trace, None).map(TraceId),
        is_evicted: damage.or("gone", row.get(19), true),
        is_unnoticed: damage.or("swept", row.get::<_, i64>(20), NOTICED) == UNNOTICED,
        traceparent: damage.optional_text("traceparent", row, 21).map(String::into_boxed_str),
        why: damage.or_reason(why),
    })
}

fn ending(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Ending>> {
    let name: Option<String> = row.get(column)?;
    name.map(|name| {
        Ending::from_name(&name)
            .ok_or_else(|| broken(column, format!("`{name}` is not an ending of a session")))
    })
    .transpose()
}
