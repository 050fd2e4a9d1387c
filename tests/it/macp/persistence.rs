//! What outlives the process, and what the port tells of sessions.

use std::time::Duration;

use rl_console::{
    limits::{self, Limits},
    macp::{self, Ending, Mode, Phase, SessionView, proto::v1::SessionStartPayload, proto::v1::SessionState},
    port::{Command, LogKind, Outcome, Page, PortError, Query, SessionDetail, SessionLogRow, SessionRow},
};
use serde_json::{Value, json};
use tonic::Code;

use super::test_station::{TestStation, participants};

impl TestStation {
    fn rows(&self, state: Option<macp::SessionState>, filter: Option<&str>) -> Vec<SessionRow> {
        let filter = filter.map(str::to_owned);
        let query = Query::Sessions {
            state,
            mode: None,
            since_ms: None,
            beyond: None,
            oldest_first: true,
            filter,
            limit: 100,
        };
        let Page::Sessions { rows, more: false, .. } = self.query(query) else { panic!() };
        rows
    }

    fn detail(&self, session: &str) -> SessionDetail {
        let Page::Session(Some(detail)) = self.query(Query::Session { session: session.to_owned() }) else {
            panic!()
        };
        *detail
    }

    fn log(&self, session: &str, after: u64, limit: u64) -> (Vec<SessionLogRow>, bool) {
        let Page::SessionLog { rows, more } =
            self.query(Query::SessionLog { session: session.to_owned(), after, limit })
        else {
            panic!()
        };
        (rows, more)
    }
}

/// A decision with a proposal and two votes.
fn decide(fixture: &TestStation, session: &str) {
    let payload = SessionStartPayload {
        intent: "what to do".to_owned(),
        ttl_ms: 86_400_000,
        ..participants(&["alice", "bob"])
    };
    assert!(fixture.start(session, "decision", &payload).ok);
    assert!(fixture.say(session, "Proposal", "m1", "alice", r#"{"proposal_id":"p1","option":"go"}"#).ok);
    assert!(fixture.say(session, "Vote", "m2", "alice", r#"{"proposal_id":"p1","vote":"approve"}"#).ok);
    assert!(fixture.say(session, "Vote", "m3", "bob", r#"{"proposal_id":"p1","vote":"reject"}"#).ok);
}

#[test]
fn sessions_are_listed_shown_and_their_logs_read() {
    let fixture = TestStation::open();
    decide(&fixture, "s");
    fixture.start("t", "multi_round", &participants(&["alice"]));
    fixture.say("t", "Contribute", "m1", "alice", r#"{"value":"x"}"#);
    let rows = fixture.rows(None, None);
    let row = &rows[0];
    assert_eq!(
        (row.session.as_str(), row.mode, row.phase, row.messages, row.participants),
        ("s", Mode::Decision, Some(Phase::Voting), 3, 2)
    );
    assert_eq!(
        (row.mode_name.as_str(), row.intent.as_str(), row.by.as_str()),
        ("decision", "what to do", "alice")
    );
    assert_eq!((rows[1].ending, rows[1].round), (Some(Ending::Resolved), Some(1)));
    assert_eq!(fixture.rows(Some(macp::SessionState::Open), None).len(), 1);
    assert_eq!(fixture.rows(None, Some("mode:multi_round")).len(), 1);
    let detail = fixture.detail("s");
    let progress: Value = serde_json::from_str(detail.progress.as_str()).unwrap();
    assert_eq!((&progress["phase"], &progress["votes"]["bob"]["vote"]), (&json!("voting"), &json!("reject")));
    assert_eq!(
        (detail.listed.as_slice(), detail.resolution),
        (&["alice".to_owned(), "bob".to_owned()][..], None)
    );
    let resolution = fixture.detail("t").resolution.unwrap();
    assert_eq!(resolution.as_str(), r#"{"converged_value":"x","final_values":{"alice":"x"},"round":1}"#);
    let (log, more) = fixture.log("t", 0, 10);
    let kinds: Vec<_> = log.iter().map(|row| (row.number, row.kind)).collect();
    assert_eq!(
        (kinds, more),
        (vec![(1, LogKind::Incoming), (2, LogKind::Incoming), (3, LogKind::Resolution)], false)
    );
    assert_eq!(log[0].message_type.as_deref(), Some("SessionStart"));
    let (log, more) = fixture.log("s", 1, 2);
    assert_eq!((log.iter().map(|row| row.number).collect::<Vec<_>>(), more), (vec![2, 3], true));
    assert_eq!(log[0].payload.as_str(), r#"{"option":"go","proposal_id":"p1"}"#);
    assert_eq!(fixture.query(Query::Session { session: "nowhere".to_owned() }), Page::Session(None));
}

#[test]
fn an_operator_cancels_a_session_with_a_reason() {
    let fixture = TestStation::open();
    let cancel = |session: &str| {
        fixture.command(Command::Macp(macp::Command::Cancel {
            session: session.to_owned(),
            reason: "it goes wrong".to_owned(),
        }))
    };
    assert!(matches!(cancel("s"), Err(PortError::Session(macp::Refusal::UnknownSession(_)))));
    decide(&fixture, "s");
    let expired = Outcome::Macp(macp::Outcome::Cancelled { state: macp::SessionState::Expired });
    assert_eq!((cancel("s"), cancel("s")), (Ok(expired.clone()), Ok(expired)));
    let row = &fixture.rows(None, None)[0];
    assert_eq!((row.ending, row.why.as_deref()), (Some(Ending::Cancelled), Some("it goes wrong")));
    let (log, _) = fixture.log("s", 4, 10);
    assert_eq!(
        (log[0].kind, log[0].payload.as_str()),
        (LogKind::SessionCancel, r#"{"reason":"it goes wrong"}"#)
    );
}

#[test]
fn open_sessions_go_on_after_a_restart_as_they_were() {
    let mut fixture = TestStation::open();
    decide(&fixture, "s");
    fixture.cancel("s", "");
    decide(&fixture, "t");
    let (before, rows) = (fixture.detail("t"), fixture.rows(None, None));
    fixture.restart();
    assert_eq!((fixture.detail("t"), fixture.rows(None, None)), (before, rows));
    let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp;
    assert_eq!((snapshot.totals.open, snapshot.session("t").unwrap().messages), (1, 3));
    let again = fixture.say("t", "Vote", "m3", "bob", "");
    assert!(again.ok && again.duplicate);
    let committed = fixture.say("t", "Commitment", "m4", "alice", r#"{"commitment_id":"c","action":"go"}"#);
    assert_eq!((committed.ok, committed.session_state()), (true, SessionState::Resolved));
    assert_eq!(fixture.session("s").unwrap().state(), SessionState::Expired);
    // Numbers go on.
    fixture.start("u", "", &participants(&[]));
    assert_eq!(fixture.rows(None, None).iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn sessions_that_left_memory_answer_from_the_store_also_after_a_restart() {
    let limits = Limits {
        macp: limits::Macp { closed_max: 0, closed_ms_max: 0, ..limits::Macp::default() },
        ..Limits::default()
    };
    let mut fixture = TestStation::with(&limits);
    decide(&fixture, "s");
    fixture.say("s", "Commitment", "m4", "alice", r#"{"commitment_id":"c","action":"go"}"#);
    fixture.until("the eviction", || {
        let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp;
        snapshot.session("s").is_some_and(|view| view.end.as_ref().is_some_and(|end| end.evicted))
    });
    for _ in 0..2 {
        let told = fixture.session("s").unwrap();
        assert_eq!((told.state(), told.mode.as_str()), (SessionState::Resolved, "decision"));
        let again = fixture.say("s", "Vote", "m3", "bob", "");
        assert!(again.ok && again.duplicate);
        let late = fixture.say("s", "Vote", "m9", "bob", "");
        assert_eq!(late.error.unwrap().code, "SESSION_NOT_OPEN");
        let start = fixture.start("s", "decision", &participants(&[]));
        assert!(start.duplicate, "its start had this id");
        let ack = fixture.cancel("s", "");
        assert_eq!((ack.ok, ack.session_state()), (true, SessionState::Resolved));
        assert_eq!(fixture.log("s", 0, 100).0.len(), 6);
        assert_eq!(
            fixture.detail("s").resolution.unwrap().as_str(),
            r#"{"action":"go","commitment_id":"c"}"#
        );
        fixture.restart();
    }
}

#[test]
fn sessions_that_left_memory_are_shown_after_a_restart_as_they_were() {
    let limits = Limits {
        macp: limits::Macp { closed_max: 0, closed_ms_max: 0, shown_max: 16, ..limits::Macp::default() },
        ..Limits::default()
    };
    let mut fixture = TestStation::with(&limits);
    let names: Vec<String> = (0..20).map(|n| format!("s{n}")).collect();
    for name in &names {
        decide(&fixture, name);
        fixture.say(name, "Commitment", "m4", "alice", r#"{"commitment_id":"c","action":"go"}"#);
    }
    fixture.start("open", "", &participants(&[]));
    let shown = |fixture: &TestStation| fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp;
    fixture.until("the evictions", || {
        let macp = shown(&fixture);
        macp.sessions.len() == 16
            && macp.sessions.values().all(|view| view.end.as_ref().is_none_or(|end| end.evicted))
    });
    let before = shown(&fixture);
    fixture.restart();
    let after = shown(&fixture);
    assert_eq!(after.ended, before.ended);
    // Those that ended before are shown, and are none of this start's.
    assert_eq!(after.totals, macp::Totals { open: 1, started: 1, ..macp::Totals::default() });
    assert_eq!(after.ended_before(), 15);
    for (number, view) in &before.sessions {
        let again = &after.sessions[number];
        let of = |view: &SessionView| {
            let end = view.end.as_ref().map(|end| (end.ending, end.text.clone(), end.evicted));
            (view.session.clone(), view.messages, view.phase(), end)
        };
        assert_eq!(of(again), of(view));
        assert_eq!((again.votes(), again.participants_in()), (view.votes(), view.participants_in()));
    }
    assert_eq!(after.sessions.len(), before.sessions.len());
}

#[test]
fn a_duplicate_is_told_when_it_was_accepted_also_from_the_store_and_after_a_restart() {
    let limits = Limits {
        macp: limits::Macp { closed_max: 0, closed_ms_max: 0, ..limits::Macp::default() },
        ..Limits::default()
    };
    let mut fixture = TestStation::with(&limits);
    let start = fixture.start("s", "", &participants(&[]));
    let first = fixture.say("s", "Unheard", "m1", "a", "");
    let ended = fixture.say("s", "Message", "m2", "a", "resolve");
    // Time goes on.
    while fixture.say("s", "Unheard", "late", "a", "").accepted_at_unix_ms <= ended.accepted_at_unix_ms {}
    for round in 0..3 {
        if round == 1 {
            fixture.until("the eviction", || {
                let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp;
                snapshot.session("s").is_some_and(|view| view.end.as_ref().is_some_and(|end| end.evicted))
            });
        } else if round == 2 {
            fixture.restart();
        }
        let again = [
            (fixture.start("s", "", &participants(&[])), &start),
            (fixture.say("s", "Unheard", "m1", "a", ""), &first),
            (fixture.say("s", "Message", "m2", "a", ""), &ended),
        ];
        for (again, first) in again {
            assert!(again.ok && again.duplicate, "{round}: {again:?}");
            assert_eq!(
                (again.accepted_at_unix_ms, again.session_state()),
                (first.accepted_at_unix_ms, SessionState::Resolved),
                "{round}"
            );
        }
    }
}

#[test]
fn past_the_bytes_of_logs_the_oldest_sessions_that_ended_go() {
    let limits = Limits {
        macp: limits::Macp { closed_max: 0, closed_ms_max: 0, ..limits::Macp::default() },
        store: limits::Store { ended_sessions_bytes_max: 65_536, ..limits::Store::default() },
        ..Limits::default()
    };
    let mut fixture = TestStation::with(&limits);
    assert!(fixture.start("open", "", &participants(&[])).ok);
    assert!(fixture.say("open", "Unheard", "m1", "a", &"x".repeat(30_000)).ok);
    for n in 0..8 {
        let session = format!("s{n}");
        assert!(fixture.start(&session, "", &participants(&[])).ok);
        assert!(fixture.say(&session, "Unheard", "m1", "a", &"x".repeat(30_000)).ok);
        assert!(fixture.say(&session, "Message", "m2", "a", "resolve").ok);
    }
    let is_there = |fixture: &TestStation, n: u32| fixture.session(&format!("s{n}")).is_ok();
    // Of 270 KB that are written in the order of their sessions, some 180 KB may go at least.
    let have_left = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        !(0..6).any(|n| is_there(&fixture, n))
    });
    assert!(have_left, "{:?}", fixture.rows(None, None));
    assert_eq!(fixture.session("s0").unwrap_err(), Code::NotFound);
    assert!(is_there(&fixture, 7), "what fits stays");
    fixture.restart();
    assert!(!is_there(&fixture, 5) && is_there(&fixture, 7));
    assert_eq!(fixture.session("open").unwrap().state(), SessionState::Open, "what is open stays");
    assert!(fixture.start("s0", "", &participants(&[])).ok, "its name is free again");
}

#[test]
fn a_session_whose_log_does_not_begin_is_closed_for_good() {
    let mut fixture = TestStation::open();
    decide(&fixture, "s");
    decide(&fixture, "t");
    assert_eq!(fixture.rows(None, None).len(), 2);
    fixture.restart_after(|folder| {
        let store = rusqlite::Connection::open(folder.join("station.db")).unwrap();
        // The log of the first: one record of three bytes that are none.
        let broken = "DELETE FROM macp_logs WHERE session = 1;
                      INSERT INTO macp_logs (session, first, records, bytes) VALUES (1, 0, 1, x'0103ffffff');";
        store.execute_batch(broken).unwrap();
    });
    for _ in 0..2 {
        assert_eq!(fixture.session("s").unwrap().state(), SessionState::Expired);
        let late = fixture.say("s", "Vote", "m9", "bob", "");
        assert_eq!(late.error.unwrap().code, "SESSION_NOT_OPEN");
        let row = &fixture.rows(Some(macp::SessionState::Expired), None)[0];
        assert_eq!((row.session.as_str(), row.ending), ("s", Some(Ending::LogDamaged)));
        assert!(row.why.as_deref().is_some_and(|why| why.contains("unreadable log record")), "{row:?}");
        fixture.restart();
    }
}
