//! Databases of earlier versions.

use rusqlite::Connection;

use crate::{
    ids::TraceId,
    store::{
        migrations::{APPLICATION_ID, DatabaseOwner, STEPS, inspect, run, run as run_steps, version},
        mplp::{Rated, Rating},
        plugins::{AuditFilter, RestoredPlugins},
        tables,
    },
    tap::{InjectedTrace, entry::mplp::RatingVerdict},
    time::Wall,
};

#[test]
fn takes_each_step_once() {
    let conn = Connection::open_in_memory().unwrap();
    assert_eq!(inspect(&conn).unwrap(), DatabaseOwner::Ours);
    run(&conn).unwrap();
    run(&conn).unwrap();
    assert_eq!(inspect(&conn).unwrap(), DatabaseOwner::Ours);
}

#[test]
fn a_database_of_an_earlier_version_is_brought_up_with_what_it_holds() {
    let conn = Connection::open_in_memory().unwrap();
    STEPS[0].take(&conn).unwrap();
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 1).unwrap();
    conn.execute("INSERT INTO brakes VALUES ('boss', 1, 0)", []).unwrap();
    run(&conn).unwrap();
    let brakes: i64 = conn.query_row("SELECT count(*) FROM brakes", [], |row| row.get(0)).unwrap();
    let runs: i64 = conn.query_row("SELECT count(*) FROM runs", [], |row| row.get(0)).unwrap();
    let sessions: i64 = conn.query_row("SELECT count(*) FROM macp_sessions", [], |row| row.get(0)).unwrap();
    assert_eq!((brakes, runs, sessions, version(&conn).unwrap()), (1, 0, 0, 13));
}

#[test]
fn sessions_of_an_earlier_version_keep_which_messages_they_accepted() {
    let conn = Connection::open_in_memory().unwrap();
    for step in &STEPS[..3] {
        step.take(&conn).unwrap();
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 3).unwrap();
    let item = |n: u8| [&[n; 16][..], &u64::from(n).to_be_bytes()].concat();
    let of = |count: u8| Some((0..count).flat_map(item).collect::<Vec<u8>>());
    let sessions = [
        (1, None, None),
        (2, Some("resolved"), None),
        (3, Some("resolved"), of(0)),
        (4, Some("expired"), of(100)),
    ];
    for (number, ending, seen) in sessions {
        conn.execute(
            "INSERT INTO macp_sessions VALUES (?1, 's', 'macp.mode.decision.v1', '', ?2, NULL, NULL, NULL, 'a', '', 0, 0, 1, 2, 3, '', '', '', NULL, ?3)",
            rusqlite::params![number, ending, seen],
        )
        .unwrap();
    }
    run(&conn).unwrap();
    let mut rows = conn.prepare("SELECT gone, swept FROM macp_sessions ORDER BY number").unwrap();
    let rows: Vec<(i64, i64)> = rows
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(rows, [(0, 0), (0, 2), (1, 2), (1, 2)]);
    for n in 0..100 {
        let (session, at) = tables::macp::by_id_and_message(&conn, "s", Some(&[n; 16])).unwrap().unwrap();
        assert_eq!((session.number, at), (4, Some(u64::from(n))));
    }
    let none = tables::macp::by_id_and_message(&conn, "s", Some(&[100; 16])).unwrap().unwrap();
    assert_eq!(none.1, None);
}

#[test]
fn runs_of_an_earlier_version_say_how_many_of_their_nodes_were_done() {
    let conn = Connection::open_in_memory().unwrap();
    for step in &STEPS[..4] {
        step.take(&conn).unwrap();
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 4).unwrap();
    for run in [1_u8, 2] {
        let insert = "INSERT INTO runs VALUES (?1, ?2, x'00', 'n', 'tui', 'c', 'running', NULL, 5, 0, 0, 0, 1, NULL, '', '{}')";
        conn.execute(insert, rusqlite::params![run, [run; 16]]).unwrap();
    }
    let told = [
        ("status", r#"{"state":"running"}"#),
        ("status", r#"{"node_id":"a","state":"running"}"#),
        ("status", r#"{"node_id":"a","state":"completed"}"#),
        ("status", r#"{"node_id":"b","state":"completed"}"#),
        ("status", r#"{"node_id":"b","state":"waiting"}"#),
        ("status", r#"{"node_id":"c","state":"skipped"}"#),
        ("status", r#"{"node_id":"d","state":"failed"}"#),
        ("trace", r#"{"node_id":"e","state":"completed"}"#),
        ("status", "no json"),
    ];
    for (number, (kind, meta)) in (1_u32..).zip(told) {
        conn.execute(
            "INSERT INTO run_events VALUES (1, ?1, ?2, NULL, '', ?3, 0)",
            rusqlite::params![number, kind, meta],
        )
        .unwrap();
    }
    run(&conn).unwrap();
    let mut rows = conn.prepare("SELECT done FROM runs ORDER BY number").unwrap();
    let done: Vec<i64> =
        rows.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap();
    assert_eq!(done, [2, 0]);
}

#[test]
fn invocations_of_an_earlier_version_say_which_refund_was_recorded_for_them() {
    let conn = Connection::open_in_memory().unwrap();
    for step in &STEPS[..6] {
        step.take(&conn).unwrap();
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 6).unwrap();
    for id in [1, 2] {
        let insert = "INSERT INTO invocations (id, state, manifest, queue, event, enqueued_at_ms,
            updated_at_ms, trace, source_kind, params) VALUES (?1, 'failed', 1, 'q', 'e', 1, 1, x'', 'bits', '{}')";
        conn.execute(insert, [id]).unwrap();
    }
    let refund =
        "INSERT INTO refunds (invocation_id, source_kind, status, at_ms) VALUES (2, 'bits', 'skipped', 1)";
    conn.execute(refund, []).unwrap();
    run(&conn).unwrap();
    let mut rows = conn.prepare("SELECT refund, requeued_from FROM invocations ORDER BY id").unwrap();
    let rows: Vec<(Option<String>, Option<i64>)> = rows
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(rows, [(None, None), (Some("skipped".to_owned()), None)]);
}

#[test]
fn runs_and_sessions_of_before_have_no_trace_context_miss_nothing_and_can_be_rated() {
    let conn = Connection::open_in_memory().unwrap();
    for step in &STEPS[..9] {
        step.take(&conn).unwrap();
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 9).unwrap();
    let run = "INSERT INTO runs (number, run, opening, name, by_kind, client, state, nodes, tokens, events,
        artifacts, submitted_at_ms, ended_at_ms, yaml, plan, done)
        VALUES (1, ?1, ?1, 'n', 'tui', 'c', 'failed', 5, 0, 0, 0, 1, 2, 'y', '{}', 0)";
    conn.execute(run, [[7_u8; 16]]).unwrap();
    let session =
        "INSERT INTO macp_sessions (number, id, mode, mode_name, sender, intent, participants, messages,
        started_at_ms, expires_at_ms, mode_version, configuration_version, policy_version)
        VALUES (1, 's', 'macp.mode.decision.v1', '', 'a', '', 0, 0, 1, 2, '', '', '')";
    conn.execute(session, []).unwrap();
    run_steps(&conn).unwrap();
    assert_eq!(version(&conn).unwrap(), 13);
    let run = TraceId(uuid::Uuid::from_bytes([7; 16]));
    let detail = tables::runs::detail(&conn, run).unwrap().unwrap();
    assert_eq!((detail.row.why, detail.yaml.as_str()), (None, "y"));
    assert_eq!((detail.traceparent, detail.artifacts_missing, detail.rating), (None, 0, None));
    let session = tables::macp::by_id(&conn, "s").unwrap().unwrap();
    assert_eq!((session.number, session.why, session.traceparent), (1, None, None));
    let rating = Rating { verdict: RatingVerdict::Approved, note: None, by: "me".to_owned(), at_ms: Wall(3) };
    let (rated, _) = tables::mplp::rate(&conn, run, &rating).unwrap();
    assert_eq!(rated, Rated::Kept { before: None, note: None });
    assert_eq!(tables::mplp::rating_of(&conn, run).unwrap(), Some(rating));
}

#[test]
fn injected_traces_of_before_are_known_as_long_as_rows_are() {
    let conn = Connection::open_in_memory().unwrap();
    for step in &STEPS[..12] {
        step.take(&conn).unwrap();
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 12).unwrap();
    conn.execute("INSERT INTO injected_traces (trace) VALUES (?1)", [[7_u8; 16]]).unwrap();
    run_steps(&conn).unwrap();
    let trace = TraceId(uuid::Uuid::from_bytes([7; 16]));
    let known = tables::injected_traces::all(&conn).unwrap();
    assert_eq!(known, [InjectedTrace { trace, has_row: true }]);
}

#[test]
fn tells_a_later_schema_and_another_programs_database() {
    let conn = Connection::open_in_memory().unwrap();
    run(&conn).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(inspect(&conn).unwrap(), DatabaseOwner::Newer { found: 99, .. }));
    let other = Connection::open_in_memory().unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    assert_eq!(inspect(&other).unwrap(), DatabaseOwner::Foreign);
}

#[test]
fn a_database_of_before_the_plugins_keeps_what_it_holds_and_can_hold_them() {
    let conn = Connection::open_in_memory().unwrap();
    for step in &STEPS[..7] {
        step.take(&conn).unwrap();
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 7).unwrap();
    conn.execute("INSERT INTO brakes VALUES ('boss', 1, 0)", []).unwrap();
    run(&conn).unwrap();
    let brakes: i64 = conn.query_row("SELECT count(*) FROM brakes", [], |row| row.get(0)).unwrap();
    assert_eq!((brakes, version(&conn).unwrap()), (1, 13));
    assert_eq!(tables::plugins::restored(&conn).unwrap(), RestoredPlugins::default());
}

#[test]
fn rows_of_an_audit_of_before_say_nothing_of_who_caused_them() {
    let conn = Connection::open_in_memory().unwrap();
    for step in &STEPS[..8] {
        step.take(&conn).unwrap();
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", 8).unwrap();
    let insert =
        "INSERT INTO plugin_audit (plugin, nth, at_ms, what, text) VALUES ('a.b', 1, 5, 'granted', 'log')";
    conn.execute(insert, []).unwrap();
    run(&conn).unwrap();
    let filter = AuditFilter { oldest_first: true, limit: 10, ..AuditFilter::default() };
    let rows = tables::plugins::audit(&conn, &filter).unwrap();
    assert_eq!(rows.iter().map(|row| (row.text.as_str(), &row.by)).collect::<Vec<_>>(), [("log", &None)]);
}
