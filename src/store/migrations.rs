//! The database's schema and its versions.
//!
//! `PRAGMA user_version` counts the steps taken. A step that has shipped is never edited: a change is a new
//! step at the end.

use rusqlite::Connection;

/// `RLCN`: says that the database is a station's.
pub(super) const APPLICATION_ID: i64 = 0x524c_434e;

/// One step.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// By these statements.
    Sql(&'static str),
    /// By what no statement says.
    With(fn(&Connection) -> rusqlite::Result<()>),
}

impl Step {
    pub(super) fn take(self, conn: &Connection) -> rusqlite::Result<()> {
        match self {
            Self::Sql(statements) => conn.execute_batch(statements),
            Self::With(step) => step(conn),
        }
    }
}

/// The steps; the schema's version is how many of them were taken.
pub(super) const STEPS: &[Step] = &[
    Step::Sql(
        "
    CREATE TABLE meta (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE manifests (
        manifest INTEGER PRIMARY KEY,
        pack_id TEXT NOT NULL,
        hash TEXT NOT NULL,
        rows INTEGER NOT NULL,
        UNIQUE (pack_id, hash)
    ) STRICT;
    CREATE TABLE invocations (
        id INTEGER PRIMARY KEY,
        state TEXT NOT NULL,
        manifest INTEGER NOT NULL,
        queue TEXT NOT NULL,
        event TEXT NOT NULL,
        enqueued_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL,
        trace BLOB NOT NULL,
        source_kind TEXT NOT NULL,
        redemption TEXT,
        user TEXT,
        key TEXT,
        params TEXT NOT NULL,
        result TEXT,
        reason TEXT
    ) STRICT;
    CREATE INDEX pending_of_queue ON invocations (queue, manifest, id) WHERE state = 'pending';
    CREATE INDEX pending_of_manifest ON invocations (manifest, id) WHERE state = 'pending';
    CREATE INDEX notable ON invocations (state, id) WHERE state <> 'pending' AND state <> 'done';
    CREATE UNIQUE INDEX keys ON invocations (source_kind, key) WHERE key IS NOT NULL;
    CREATE TABLE refunds (
        id INTEGER PRIMARY KEY,
        invocation_id INTEGER NOT NULL,
        source_kind TEXT NOT NULL,
        redemption TEXT,
        user TEXT,
        status TEXT NOT NULL,
        at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE state_values (
        pack_id TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        scope TEXT,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (pack_id, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE brakes (
        queue TEXT PRIMARY KEY,
        held INTEGER NOT NULL,
        draining INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    ),
    Step::Sql(
        "
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        run BLOB NOT NULL UNIQUE,
        opening BLOB NOT NULL,
        name TEXT NOT NULL,
        by_kind TEXT NOT NULL,
        client TEXT NOT NULL,
        state TEXT NOT NULL,
        why TEXT,
        nodes INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        events INTEGER NOT NULL,
        artifacts INTEGER NOT NULL,
        submitted_at_ms INTEGER NOT NULL,
        ended_at_ms INTEGER,
        yaml TEXT NOT NULL,
        plan TEXT NOT NULL
    ) STRICT;
    CREATE INDEX open_runs ON runs (number) WHERE ended_at_ms IS NULL;
    CREATE INDEX ended_runs ON runs (number) WHERE ended_at_ms IS NOT NULL;
    CREATE INDEX runs_by_name ON runs (name, number);
    CREATE TABLE run_events (
        run INTEGER NOT NULL,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        level TEXT,
        message TEXT NOT NULL,
        meta TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE run_artifacts (
        run INTEGER NOT NULL,
        number INTEGER NOT NULL,
        node TEXT NOT NULL,
        port TEXT NOT NULL,
        kind TEXT NOT NULL,
        schema_id INTEGER NOT NULL,
        value BLOB NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE control_answers (
        number INTEGER PRIMARY KEY,
        request BLOB NOT NULL,
        variant TEXT NOT NULL,
        body BLOB NOT NULL,
        at_ms INTEGER NOT NULL,
        UNIQUE (request, variant)
    ) STRICT;
",
    ),
    Step::Sql(
        "
    CREATE TABLE macp_sessions (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        mode TEXT NOT NULL,
        mode_name TEXT NOT NULL,
        ending TEXT,
        why TEXT,
        phase TEXT,
        round INTEGER,
        sender TEXT NOT NULL,
        intent TEXT NOT NULL,
        participants INTEGER NOT NULL,
        messages INTEGER NOT NULL,
        started_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL,
        ended_at_ms INTEGER,
        mode_version TEXT NOT NULL,
        configuration_version TEXT NOT NULL,
        policy_version TEXT NOT NULL,
        trace BLOB,
        seen BLOB
    ) STRICT;
    CREATE INDEX macp_sessions_by_id ON macp_sessions (id, number);
    CREATE INDEX macp_sessions_open ON macp_sessions (number) WHERE ending IS NULL;
    CREATE INDEX macp_sessions_held ON macp_sessions (number) WHERE seen IS NULL;
    CREATE INDEX macp_sessions_gone ON macp_sessions (number) WHERE seen IS NOT NULL;
    CREATE TABLE macp_segments (
        segment INTEGER PRIMARY KEY,
        at_ms INTEGER NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE macp_logs (
        session INTEGER NOT NULL,
        first INTEGER NOT NULL,
        records INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (session, first)
    ) STRICT, WITHOUT ROWID;
",
    ),
    Step::With(digests_to_rows),
    // A node has done its part where the last that was told of it says so.
    Step::Sql(
        "
    ALTER TABLE runs ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
    UPDATE runs SET done = (
        SELECT count(*) FROM (
            SELECT meta ->> 'state' AS state, max(number) FROM run_events
            WHERE run_events.run = runs.number AND kind = 'status' AND json_valid(meta) AND meta ->> 'node_id' IS NOT NULL
            GROUP BY meta ->> 'node_id'
        ) WHERE state IN ('completed', 'skipped')
    );
",
    ),
    Step::Sql(
        "
    CREATE TABLE alerts (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        system TEXT NOT NULL,
        subject TEXT NOT NULL,
        manner TEXT NOT NULL,
        text TEXT NOT NULL,
        last INTEGER,
        quiet INTEGER NOT NULL,
        since_ms INTEGER NOT NULL,
        raised_at_ms INTEGER NOT NULL,
        acknowledged_at_ms INTEGER,
        resolved_at_ms INTEGER
    ) STRICT;
    CREATE INDEX alerts_that_hold ON alerts (id) WHERE resolved_at_ms IS NULL;
",
    ),
    Step::Sql(
        "
    ALTER TABLE invocations ADD COLUMN refund TEXT;
    ALTER TABLE invocations ADD COLUMN requeued_from INTEGER;
    UPDATE invocations SET refund = refunds.status FROM refunds WHERE refunds.invocation_id = invocations.id;
",
    ),
    Step::Sql(
        "
    CREATE TABLE plugins (
        plugin TEXT PRIMARY KEY,
        place INTEGER NOT NULL,
        manifest TEXT NOT NULL,
        version TEXT NOT NULL,
        folder TEXT NOT NULL,
        command TEXT,
        installed_at_ms INTEGER NOT NULL,
        disable_cause TEXT,
        disable_text TEXT,
        exits TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE plugin_grants (
        plugin TEXT NOT NULL,
        capability TEXT NOT NULL,
        is_always INTEGER NOT NULL,
        PRIMARY KEY (plugin, capability)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE plugin_values (
        plugin TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (plugin, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE plugin_audit (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        plugin TEXT NOT NULL,
        nth INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        what TEXT NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (plugin, nth)
    ) STRICT;
    CREATE TABLE stream (
        part TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    ),
    // Whose command a row of a plugin's audit is of.
    Step::Sql("ALTER TABLE plugin_audit ADD COLUMN operator TEXT;"),
    // The trace context that a run or a session came with, what a run did not keep, what people think of
    // runs, and which sessions belong to one.
    Step::Sql(
        "
    ALTER TABLE runs ADD COLUMN traceparent TEXT;
    ALTER TABLE runs ADD COLUMN artifacts_missing INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE macp_sessions ADD COLUMN traceparent TEXT;
    CREATE TABLE run_ratings (
        run INTEGER PRIMARY KEY,
        verdict TEXT NOT NULL,
        note TEXT,
        operator TEXT NOT NULL,
        at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX macp_sessions_by_trace ON macp_sessions (trace, number) WHERE trace IS NOT NULL;
",
    ),
    Step::Sql(
        "
    CREATE TABLE injected_traces (
        number INTEGER PRIMARY KEY,
        trace BLOB NOT NULL UNIQUE
    ) STRICT;
",
    ),
    Step::Sql(
        "
    CREATE TABLE triggers (
        name TEXT PRIMARY KEY,
        spec TEXT NOT NULL
    ) STRICT;
",
    ),
    // Traces of invocations, runs and sessions are known longer than those of frames alone. What the earlier
    // ones are of is not known.
    Step::Sql(
        "
    ALTER TABLE injected_traces ADD COLUMN has_row INTEGER NOT NULL DEFAULT 0;
    UPDATE injected_traces SET has_row = 1;
    CREATE INDEX injected_traces_by_row ON injected_traces (has_row, number);
",
    ),
];

/// Digests of the ids of sessions' messages move from the sessions' rows to rows of their own, 40 of 24 bytes
/// in each; a session says that it is in the store alone; a segment says whose records it has.
fn digests_to_rows(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(
        "
    CREATE TABLE macp_seen (
        session INTEGER NOT NULL,
        first BLOB NOT NULL,
        items BLOB NOT NULL,
        PRIMARY KEY (session, first)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE macp_segments ADD COLUMN sessions BLOB;
    ALTER TABLE macp_sessions ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE macp_sessions ADD COLUMN swept INTEGER NOT NULL DEFAULT 0;
    UPDATE macp_sessions SET gone = seen IS NOT NULL, swept = CASE WHEN ending IS NULL THEN 0 ELSE 2 END;
",
    )?;
    {
        let mut sessions = conn.prepare("SELECT number, seen FROM macp_sessions WHERE length(seen) > 0")?;
        let mut put =
            conn.prepare("INSERT OR REPLACE INTO macp_seen (session, first, items) VALUES (?1, ?2, ?3)")?;
        let mut sessions = sessions.query([])?;
        while let Some(row) = sessions.next()? {
            let (session, seen): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
            for items in seen.chunks(40 * 24).filter(|items| items.len() >= 24) {
                put.execute(rusqlite::params![session, &items[..16], items])?;
            }
        }
    }
    conn.execute_batch(
        "
    DROP INDEX macp_sessions_held;
    DROP INDEX macp_sessions_gone;
    ALTER TABLE macp_sessions DROP COLUMN seen;
    CREATE INDEX macp_sessions_held ON macp_sessions (number) WHERE gone = 0;
    CREATE INDEX macp_sessions_gone ON macp_sessions (number) WHERE gone = 1;
    CREATE INDEX macp_sessions_damaged ON macp_sessions (number) WHERE gone = 0 AND ending = 'damaged';
",
    )
}

/// Whose a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatabaseOwner {
    /// Nobody's yet, or ours at a version that this program knows.
    Ours,
    /// Ours, but of a later program.
    Newer {
        /// Its version.
        found: i64,
        /// The latest that this program knows.
        known: i64,
    },
    /// Another program's.
    Foreign,
}

/// Looks at a database without changing it.
pub(super) fn inspect(conn: &Connection) -> rusqlite::Result<DatabaseOwner> {
    let application: i64 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found = version(conn)?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, tables) {
        (0, 0) => DatabaseOwner::Ours,
        (APPLICATION_ID, _) if found > known => DatabaseOwner::Newer { found, known },
        (APPLICATION_ID, _) => DatabaseOwner::Ours,
        _ => DatabaseOwner::Foreign,
    })
}

/// Takes the steps that are missing, all or none.
pub(super) fn run(conn: &Connection) -> rusqlite::Result<()> {
    let taken = usize::try_from(version(conn)?).unwrap_or(0);
    if taken == STEPS.len() {
        return Ok(());
    }
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let stepped = STEPS.iter().skip(taken).try_for_each(|step| step.take(conn)).and_then(|()| {
        conn.pragma_update(None, "application_id", APPLICATION_ID)?;
        conn.pragma_update(None, "user_version", i64::try_from(STEPS.len()).unwrap_or(i64::MAX))?;
        conn.execute_batch("COMMIT")
    });
    if stepped.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK")?;
    }
    stepped
}

pub(super) fn version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}
