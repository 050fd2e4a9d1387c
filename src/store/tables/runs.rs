//! Runs, their events and artifacts, and answers of the control plane.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::values::{Damage, broken, int, json, number, trace, wall, wall_or_null};
use super::{
    meta,
    mplp::{self, RATING_BYTES},
};
use crate::{
    ids::{OpeningId, TraceId},
    schema::JsonText,
    store::retention::Size,
    store::runs::{AnswerRow, ArtifactRow, EventRow, NewRun, OpenRun, RunDetail, RunFilter, RunOp, RunRow},
    tap::entry::{
        mplp::RatingVerdict,
        runs::{AskerKind, EventKind, RunState},
        station::Level,
    },
    time::Wall,
};

const COLUMNS: &str = "number, run, opening, name, by_kind, client, state, why, nodes, tokens, events, artifacts, submitted_at_ms, ended_at_ms, done,
    (SELECT verdict FROM run_ratings WHERE run_ratings.run = runs.number)";

/// The bytes that retention counts of a row of each table, without reading long values.
const RUN_BYTES: &str = "octet_length(name) + octet_length(client) + coalesce(octet_length(why), 0) + octet_length(yaml) + octet_length(plan) + coalesce(octet_length(traceparent), 0)";
const EVENT_BYTES: &str = "octet_length(message) + octet_length(meta)";
const ARTIFACT_BYTES: &str =
    "octet_length(node) + octet_length(port) + octet_length(kind) + octet_length(value)";
const ANSWER_BYTES: &str = "octet_length(variant) + octet_length(body)";

/// What an operation changed in the counts that retention goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct RunCounts {
    pub(in crate::store) ended: Size,
    pub(in crate::store) answers: Size,
}

pub(in crate::store) fn apply(conn: &Connection, op: &RunOp) -> rusqlite::Result<RunCounts> {
    let mut counted = RunCounts::default();
    match op {
        RunOp::Begin(run) => begin(conn, run)?,
        RunOp::Event { run, event } => insert_event(conn, *run, event)?,
        RunOp::Artifact { run, artifact } => insert_artifact(conn, *run, artifact)?,
        RunOp::Spent { run, tokens } => set_tokens(conn, *run, *tokens)?,
        RunOp::Done { run, nodes } => set_done_nodes(conn, *run, *nodes)?,
        RunOp::End { run, state, why, tokens, done, artifacts_missing, at } => {
            let ended = RunEnd {
                run: *run,
                state: *state,
                why: why.as_deref(),
                tokens: *tokens,
                done: *done,
                artifacts_missing: *artifacts_missing,
                at: *at,
            };
            counted.ended = end(conn, ended)?;
        }
        RunOp::Answer(answer) => counted.answers = insert_answer(conn, answer)?,
    }
    Ok(counted)
}

fn begin(conn: &Connection, run: &NewRun) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO runs (run, opening, name, by_kind, client, state, nodes, tokens, events, artifacts, submitted_at_ms, yaml, plan, traceparent)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, 0, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        bytes(run.run),
        run.opening.0.as_bytes().as_slice(),
        run.name,
        run.by.name(),
        run.client,
        RunState::Running.name(),
        int(run.nodes),
        int(run.at.0),
        run.yaml,
        run.plan.as_str(),
        run.traceparent.as_deref(),
    ])?;
    Ok(())
}

fn insert_event(conn: &Connection, run: TraceId, event: &EventRow) -> rusqlite::Result<()> {
    let inserted = conn
        .prepare_cached(
            "INSERT OR IGNORE INTO run_events (run, number, kind, level, message, meta, at_ms)
             SELECT number, ?2, ?3, ?4, ?5, ?6, ?7 FROM runs WHERE run = ?1",
        )?
        .execute(params![
            bytes(run),
            int(event.number),
            event.kind.name(),
            event.level.map(Level::name),
            event.message,
            event.meta.as_str(),
            int(event.at.0)
        ])?;
    conn.prepare_cached("UPDATE runs SET events = events + ?2 WHERE run = ?1")?
        .execute(params![bytes(run), count(inserted)])?;
    Ok(())
}

fn insert_artifact(conn: &Connection, run: TraceId, artifact: &ArtifactRow) -> rusqlite::Result<()> {
    let inserted = conn
        .prepare_cached(
            "INSERT OR IGNORE INTO run_artifacts (run, number, node, port, kind, schema_id, value, at_ms)
             SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM runs WHERE run = ?1",
        )?
        .execute(params![
            bytes(run),
            int(artifact.number),
            artifact.node,
            artifact.port,
            artifact.kind,
            artifact.schema_id,
            artifact.value.as_ref(),
            int(artifact.at.0)
        ])?;
    conn.prepare_cached("UPDATE runs SET artifacts = artifacts + ?2 WHERE run = ?1")?
        .execute(params![bytes(run), count(inserted)])?;
    Ok(())
}

fn set_tokens(conn: &Connection, run: TraceId, tokens: u64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE runs SET tokens = ?2 WHERE run = ?1 AND ended_at_ms IS NULL")?
        .execute(params![bytes(run), int(tokens)])?;
    Ok(())
}

fn set_done_nodes(conn: &Connection, run: TraceId, nodes: u64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE runs SET done = ?2 WHERE run = ?1 AND ended_at_ms IS NULL")?
        .execute(params![bytes(run), int(nodes)])?;
    Ok(())
}

/// How a run ended.
struct RunEnd<'a> {
    run: TraceId,
    state: RunState,
    why: Option<&'a str>,
    tokens: u64,
    done: u64,
    artifacts_missing: u64,
    at: Wall,
}

fn end(
    conn: &Connection,
    RunEnd { run, state, why, tokens, done, artifacts_missing, at }: RunEnd<'_>,
) -> rusqlite::Result<Size> {
    let ended = conn
        .prepare_cached(
            "UPDATE runs SET state = ?2, why = ?3, tokens = ?4, done = ?5, ended_at_ms = ?6, artifacts_missing = ?7 WHERE run = ?1 AND ended_at_ms IS NULL
             RETURNING number",
        )?
        .query_row(
            params![bytes(run), state.name(), why, int(tokens), int(done), int(at.0), int(artifacts_missing)],
            |row| row.get(0),
        )
        .optional()?;
    let Some(number): Option<i64> = ended else { return Ok(Size::default()) };
    let all = conn
        .prepare_cached(&format!(
            "SELECT {RUN_BYTES} + (SELECT coalesce(sum({EVENT_BYTES}), 0) FROM run_events WHERE run = ?1)
                + (SELECT coalesce(sum({ARTIFACT_BYTES}), 0) FROM run_artifacts WHERE run = ?1)
                + (SELECT coalesce(sum({RATING_BYTES}), 0) FROM run_ratings WHERE run = ?1)
             FROM runs WHERE number = ?1"
        ))?
        .query_row([number], |row| row.get(0))?;
    Ok(Size::one(all))
}

fn insert_answer(conn: &Connection, answer: &AnswerRow) -> rusqlite::Result<Size> {
    let inserted = conn
        .prepare_cached(
            "INSERT OR IGNORE INTO control_answers (request, variant, body, at_ms) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![bytes(answer.request), answer.variant, answer.body.as_ref(), int(answer.at.0)])?;
    let size = Size::one(i64::try_from(answer.variant.len() + answer.body.len()).unwrap_or(i64::MAX));
    Ok(if inserted == 1 { size } else { Size::default() })
}

/// A page, with one more than was asked for when there are further ones.
pub(in crate::store) fn page(conn: &Connection, filter: &RunFilter) -> rusqlite::Result<Vec<RunRow>> {
    let (beyond, direction, start) =
        if filter.oldest_first { ("number > ?1", "ASC", -1) } else { ("number < ?1", "DESC", i64::MAX) };
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM runs
         WHERE {beyond} AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR name = ?3)
         AND (?4 IS NULL OR submitted_at_ms >= ?4)
         ORDER BY number {direction} LIMIT ?5"
    ))?
    .query_map(
        params![
            filter.beyond.map_or(start, int),
            filter.state.map(RunState::name),
            filter.name,
            filter.since.map(|since| int(since.0)),
            int(filter.limit.saturating_add(1))
        ],
        run_row,
    )?
    .collect()
}

/// One run, with its opening's text and its plan.
pub(in crate::store) fn detail(conn: &Connection, run: TraceId) -> rusqlite::Result<Option<RunDetail>> {
    let rating = mplp::rating_of(conn, run)?;
    let more = "yaml, plan, traceparent, artifacts_missing";
    conn.prepare_cached(&format!("SELECT {COLUMNS}, {more} FROM runs WHERE run = ?1"))?
        .query_row([bytes(run)], |row| {
            let (mut damage, found) = (Damage::default(), run_row(row)?);
            let (yaml, plan) =
                (damage.text("yaml", row, 16), damage.or("plan", json(row, 17), JsonText::null()));
            let traceparent = damage.optional_text("traceparent", row, 18);
            let artifacts_missing = damage.or("artifacts_missing", number(row, 19), 0);
            let row = RunRow { why: damage.or_reason(found.why), ..found };
            Ok(RunDetail { row, yaml, plan, traceparent, artifacts_missing, rating })
        })
        .optional()
}

/// Events behind `after`, in their order, with one more than was asked for when there are further ones.
pub(in crate::store) fn events(
    conn: &Connection,
    run: TraceId,
    after: u64,
    limit: u64,
) -> rusqlite::Result<Vec<EventRow>> {
    conn.prepare_cached(
        "SELECT run_events.number, kind, level, message, meta, at_ms FROM run_events JOIN runs ON runs.number = run_events.run
         WHERE runs.run = ?1 AND run_events.number > ?2 ORDER BY run_events.number LIMIT ?3",
    )?
    .query_map(params![bytes(run), int(after), int(limit.saturating_add(1))], |row| {
        let mut damage = Damage::default();
        let level = damage.optional_named("level", row, 2, Level::from_name);
        let mut event = EventRow {
            number: number(row, 0)?,
            kind: damage.named("kind", row, 1, EventKind::from_name).unwrap_or(EventKind::Log),
            level,
            message: damage.text("message", row, 3),
            meta: damage.or("meta", json(row, 4), JsonText::null()),
            at: damage.or("at_ms", wall(row, 5), Wall(0)),
        };
        if let Some(damage) = damage.found() {
            event.message = format!("damaged: {damage}: {}", event.message);
            event.level = Some(Level::Error);
        }
        Ok(event)
    })?
    .collect()
}

/// A run's artifacts in their order.
pub(in crate::store) fn artifacts(
    conn: &Connection,
    run: TraceId,
    after: u64,
    limit: u64,
) -> rusqlite::Result<Vec<ArtifactRow>> {
    conn.prepare_cached(
        "SELECT run_artifacts.number, node, port, kind, schema_id, value, at_ms FROM run_artifacts JOIN runs ON runs.number = run_artifacts.run
         WHERE runs.run = ?1 AND run_artifacts.number > ?2 ORDER BY run_artifacts.number LIMIT ?3",
    )?
    .query_map(params![bytes(run), int(after), int(limit.saturating_add(1))], |row| {
        // An artifact has no place for what is wrong with it; its value, which is none, says so.
        let mut damage = Damage::default();
        Ok(ArtifactRow {
            number: number(row, 0)?,
            node: damage.text("node", row, 1),
            port: damage.text("port", row, 2),
            kind: damage.text("kind", row, 3),
            schema_id: damage.or("schema_id", row.get(4), 0),
            value: Bytes::from(damage.or("value", row.get::<_, Vec<u8>>(5), Vec::new())),
            at: damage.or("at_ms", wall(row, 6), Wall(0)),
        })
    })?
    .collect()
}

/// Runs that have not ended, oldest first.
pub(in crate::store) fn open(conn: &Connection, limit: u64) -> rusqlite::Result<Vec<OpenRun>> {
    let last =
        "(SELECT coalesce(max(run_events.number), 0) FROM run_events WHERE run_events.run = runs.number)";
    let closed_at = Wall(meta::read(conn, meta::CLOSED_AT_MS)?);
    let last_at = "(SELECT max(run_events.at_ms) FROM run_events WHERE run_events.run = runs.number)";
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS}, {last}, {last_at} FROM runs WHERE ended_at_ms IS NULL ORDER BY number LIMIT ?1"
    ))?
    .query_map([int(limit)], |row| {
        let (last_event, told_at, run) =
            (number(row, 16)?, wall_or_null(row, 17).ok().flatten(), run_row(row)?);
        let last_at = closed_at.max(told_at.unwrap_or_default()).max(run.submitted_at);
        Ok(OpenRun { row: run, last_event, last_at })
    })?
    .collect()
}

/// The newest runs that ended, oldest first.
pub(in crate::store) fn ended(conn: &Connection, limit: u64) -> rusqlite::Result<Vec<RunRow>> {
    let mut rows: Vec<_> = conn
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM runs WHERE ended_at_ms IS NOT NULL ORDER BY number DESC LIMIT ?1"
        ))?
        .query_map([int(limit)], run_row)?
        .collect::<rusqlite::Result<_>>()?;
    rows.reverse();
    Ok(rows)
}

/// The newest answers, oldest first, whose bodies have at most so many bytes together; and whether there may
/// be older ones.
pub(in crate::store) fn answers(
    conn: &Connection,
    limit: u64,
    bytes_max: u64,
) -> rusqlite::Result<(Vec<AnswerRow>, bool)> {
    let mut statement = conn.prepare_cached(
        "SELECT request, variant, body, at_ms FROM control_answers ORDER BY number DESC LIMIT ?1",
    )?;
    let mut rows = statement.query([int(limit)])?;
    let (mut found, mut bytes, mut read) = (Vec::new(), 0, 0);
    while let Some(row) = rows.next()? {
        let body = Bytes::from(row.get::<_, Vec<u8>>(2)?);
        read += 1;
        bytes += body.len() as u64;
        if bytes > bytes_max {
            break;
        }
        // One that cannot be read is no answer to any request.
        if let (Ok(request), Ok(variant), Ok(at)) = (trace(row, 0), row.get(1), wall(row, 3)) {
            found.push(AnswerRow { request, variant, body, at });
        }
    }
    found.reverse();
    let has_more = bytes > bytes_max || read >= limit;
    Ok((found, has_more))
}

/// How a request was answered.
pub(in crate::store) fn answer(
    conn: &Connection,
    request: TraceId,
    variant: &str,
) -> rusqlite::Result<Option<Bytes>> {
    conn.prepare_cached("SELECT body FROM control_answers WHERE request = ?1 AND variant = ?2")?
        .query_row(params![bytes(request), variant], |row| row.get::<_, Vec<u8>>(0).map(Bytes::from))
        .optional()
}

/// Runs that ended with all that they told and kept, and answers.
pub(in crate::store) fn counts(conn: &Connection) -> rusqlite::Result<RunCounts> {
    let mut ended = conn.query_row(
        &format!("SELECT count(*), coalesce(sum({RUN_BYTES}), 0) FROM runs WHERE ended_at_ms IS NOT NULL"),
        [],
        Size::read,
    )?;
    let tables =
        [("run_events", EVENT_BYTES), ("run_artifacts", ARTIFACT_BYTES), ("run_ratings", RATING_BYTES)];
    for (table, bytes) in tables {
        let of_ended = "SELECT number FROM runs WHERE ended_at_ms IS NOT NULL";
        let sum = format!("SELECT coalesce(sum({bytes}), 0) FROM {table} WHERE run IN ({of_ended})");
        ended.bytes += conn.query_row(&sum, [], |row| row.get::<_, i64>(0))?;
    }
    let count = format!("SELECT count(*), coalesce(sum({ANSWER_BYTES}), 0) FROM control_answers");
    Ok(RunCounts { ended, answers: conn.query_row(&count, [], Size::read)? })
}

/// Deletes the oldest ended run with all that it told and kept, its events first, at most `limit` of them;
/// says how many rows went, and of how many runs and bytes.
pub(in crate::store) fn delete_oldest(conn: &Connection, limit: u64) -> rusqlite::Result<(u64, Size)> {
    let oldest: Option<i64> = conn
        .prepare_cached("SELECT number FROM runs WHERE ended_at_ms IS NOT NULL ORDER BY number LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let mut gone = Size::default();
    let Some(oldest) = oldest else { return Ok((0, gone)) };
    for (table, bytes) in [("run_events", EVENT_BYTES), ("run_artifacts", ARTIFACT_BYTES)] {
        let left = int(limit).saturating_sub(gone.rows);
        let delete = format!(
            "DELETE FROM {table} WHERE run = ?1 AND number IN (SELECT number FROM {table} WHERE run = ?1 LIMIT ?2)
             RETURNING 1, {bytes}"
        );
        gone += conn
            .prepare_cached(&delete)?
            .query_map([oldest, left], Size::read)?
            .sum::<rusqlite::Result<Size>>()?;
        if gone.rows >= int(limit) {
            return Ok((limit, Size { rows: 0, ..gone }));
        }
    }
    let rating = format!("DELETE FROM run_ratings WHERE run = ?1 RETURNING 0, {RATING_BYTES}");
    gone += conn.prepare_cached(&rating)?.query_map([oldest], Size::read)?.sum::<rusqlite::Result<Size>>()?;
    let delete = format!("DELETE FROM runs WHERE number = ?1 RETURNING 1, {RUN_BYTES}");
    let run = conn.prepare_cached(&delete)?.query_row([oldest], Size::read)?;
    let rows = u64::try_from(gone.rows + run.rows).unwrap_or(0);
    Ok((rows, Size { rows: run.rows, bytes: gone.bytes + run.bytes }))
}

/// Deletes the oldest answers, at most `limit`; how much went.
pub(in crate::store) fn delete_answers(conn: &Connection, limit: u64) -> rusqlite::Result<Size> {
    conn.prepare_cached(&format!(
        "DELETE FROM control_answers WHERE number IN (SELECT number FROM control_answers ORDER BY number LIMIT ?1)
         RETURNING 1, {ANSWER_BYTES}"
    ))?
    .query_map([int(limit)], Size::read)?
    .sum()
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let mut damage = Damage::default();
    let nobody = TraceId(Uuid::nil());
    let opening = row
        .get_ref(2)
        .and_then(|id| Ok(id.as_blob()?))
        .and_then(|id| Uuid::from_slice(id).map_err(|error| broken(2, error)));
    let why = damage.optional_text("why", row, 7);
    Ok(RunRow {
        number: number(row, 0)?,
        run: damage.or("run", trace(row, 1), nobody),
        opening: OpeningId(damage.or("opening", opening, Uuid::nil())),
        name: damage.text("name", row, 3),
        by: damage.named("by_kind", row, 4, AskerKind::from_name).unwrap_or(AskerKind::Agent),
        client: damage.text("client", row, 5),
        state: damage.named("state", row, 6, RunState::from_name).unwrap_or(RunState::Failed),
        nodes: damage.or("nodes", number(row, 8), 0),
        done: damage.or("done", number(row, 14), 0),
        tokens: damage.or("tokens", number(row, 9), 0),
        events: damage.or("events", number(row, 10), 0),
        artifacts: damage.or("artifacts", number(row, 11), 0),
        submitted_at: damage.or("submitted_at_ms", wall(row, 12), Wall(0)),
        ended_at: damage.or("ended_at_ms", wall_or_null(row, 13), Some(Wall(0))),
        rated: damage.optional_named("verdict", row, 15, RatingVerdict::from_name),
        why: damage.or_reason(why),
    })
}

fn bytes(run: TraceId) -> [u8; 16] {
    run.0.into_bytes()
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
