//! Sessions, the segments in which their records are written, and their logs.

use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::kit::{Kit, ask, open};
use crate::{
    ids::TraceId,
    store::{
        macp::{
            Digest, LogRequest, MacpDone, MacpOp, RestoredMacpPart, SEEN_PART_BYTES, SeenPart, SessionFilter,
            SessionRow, push,
        },
        op::{Class, Done, Op},
        tables::macp_logs,
    },
    tap::entry::macp::{Ending, Mode, Phase, SessionState},
    time::Wall,
};

fn row(number: u64) -> SessionRow {
    SessionRow {
        number,
        id: format!("s{number}"),
        mode: if number.is_multiple_of(2) { Mode::Decision } else { Mode::MultiRound },
        mode_name: "decision".to_owned(),
        ending: None,
        why: None,
        phase: Some(Phase::Voting),
        round: Some(3),
        by: "alice".to_owned(),
        intent: "what to do".to_owned(),
        participants: 2,
        messages: 7,
        started_at: Wall(1_000 + number),
        expires_at: Wall(2_000),
        ended_at: None,
        mode_version: "1".to_owned(),
        configuration_version: "2".to_owned(),
        policy_version: "3".to_owned(),
        trace: Some("0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap()),
        traceparent: number
            .is_multiple_of(2)
            .then(|| Box::from("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")),
        is_evicted: false,
        is_unnoticed: false,
    }
}

fn ended(number: u64, ending: Ending) -> SessionRow {
    SessionRow {
        ending: Some(ending),
        why: Some("because".to_owned()),
        ended_at: Some(Wall(9)),
        ..row(number)
    }
}

fn evicted(number: u64) -> SessionRow {
    SessionRow { is_evicted: true, ..ended(number, Ending::Resolved) }
}

impl Kit {
    /// How many segments were sorted, and how many are left.
    fn sort(&self, through: u64) -> (u64, u64) {
        let sorted = self.macp(MacpOp::Sort { through }).sorted;
        let Some(RestoredMacpPart::End { segments, .. }) = self.restored_macp().pop() else { panic!() };
        (sorted, segments)
    }

    fn macp(&self, op: MacpOp) -> MacpDone {
        let Done::Macp(done) = ask(|done| self.handle.commit(Op::Macp(op), Class::Process, done)).unwrap()
        else {
            panic!()
        };
        done
    }

    /// Writes records as a segment.
    fn segment(&self, number: u64, records: &[(u64, &'static str)]) {
        let mut bytes = Vec::new();
        for (session, record) in records {
            push(&mut bytes, *session, record.as_bytes());
        }
        self.macp(MacpOp::Segment { number, at: Wall(5), bytes: bytes.into() });
    }

    fn log(&self, session: u64, after: u64, limit: u64) -> (Vec<String>, bool) {
        let page = ask(|done| self.handle.session_log(session, after, limit, done)).unwrap();
        (page.rows.iter().map(|record| String::from_utf8(record.to_vec()).unwrap()).collect(), page.more)
    }

    fn sessions(&self, filter: SessionFilter) -> (Vec<u64>, bool) {
        let page = ask(|done| self.handle.sessions(filter, done)).unwrap();
        (page.rows.iter().map(|row| row.number).collect(), page.more)
    }

    fn restored_macp(&self) -> Vec<RestoredMacpPart> {
        let parts = Arc::new(Mutex::new(Vec::new()));
        let each = Arc::clone(&parts);
        let take = move |part| {
            each.lock().unwrap().push(part);
            true
        };
        ask(|done| self.handle.restored_macp(take, done)).unwrap();
        let parts = parts.lock().unwrap();
        parts.clone()
    }
}

#[test]
fn a_session_is_read_back_as_it_was_written_last() {
    let folder = tempfile::tempdir().unwrap();
    {
        let kit = open(folder.path());
        kit.macp(MacpOp::Sessions(vec![row(1), row(2)]));
        kit.macp(MacpOp::Sessions(vec![ended(2, Ending::Cancelled)]));
    }
    let kit = open(folder.path());
    let of = |id: &str| ask(|done| kit.handle.session(id.to_owned(), done)).unwrap();
    assert_eq!((of("s1"), of("s2"), of("s3")), (Some(row(1)), Some(ended(2, Ending::Cancelled)), None));
    kit.macp(MacpOp::Sessions(vec![evicted(2), ended(2, Ending::Cancelled)]));
    assert!(of("s2").unwrap().is_evicted, "a row that comes late does not bring it back to memory");
    // A later session of the same id is the one that is meant.
    kit.macp(MacpOp::Sessions(vec![SessionRow { id: "s1".to_owned(), ..row(9) }]));
    assert_eq!(of("s1").unwrap().number, 9);
}

#[test]
fn sessions_are_listed_by_state_mode_and_time_a_page_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let rows = vec![
        row(1),
        ended(2, Ending::Resolved),
        ended(3, Ending::TtlExpired),
        ended(4, Ending::Cancelled),
        evicted(5),
    ];
    kit.macp(MacpOp::Sessions(rows));
    let all = SessionFilter { limit: 10, ..SessionFilter::default() };
    assert_eq!(kit.sessions(all.clone()), (vec![5, 4, 3, 2, 1], false));
    let of = |state| kit.sessions(SessionFilter { state: Some(state), ..all.clone() }).0;
    assert_eq!(
        (of(SessionState::Open), of(SessionState::Resolved), of(SessionState::Expired)),
        (vec![1], vec![5, 2], vec![4, 3])
    );
    assert_eq!(kit.sessions(SessionFilter { mode: Some(Mode::Decision), ..all.clone() }).0, [4, 2]);
    assert_eq!(kit.sessions(SessionFilter { since: Some(Wall(1_004)), ..all.clone() }).0, [5, 4]);
    let first = SessionFilter { oldest_first: true, limit: 2, ..SessionFilter::default() };
    assert_eq!(kit.sessions(first.clone()), (vec![1, 2], true));
    assert_eq!(kit.sessions(SessionFilter { beyond: Some(4), ..first }), (vec![5], false));
}

#[test]
fn sessions_of_a_trace_are_read_in_the_order_in_which_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let of = |number, trace| SessionRow { trace, ..row(number) };
    let (one, other) = (TraceId(uuid::Uuid::from_u128(1)), TraceId(uuid::Uuid::from_u128(2)));
    kit.macp(MacpOp::Sessions(vec![of(1, Some(one)), of(2, None), of(3, Some(other)), of(4, Some(one))]));
    let read = |trace| ask(|done| kit.handle.sessions_of_trace(trace, done)).unwrap();
    let numbers = |trace| read(trace).iter().map(|row| row.number).collect::<Vec<_>>();
    assert_eq!((numbers(one), numbers(other)), (vec![1, 4], vec![3]));
    assert_eq!(numbers(TraceId(uuid::Uuid::from_u128(3))), [0; 0]);
}

#[test]
fn a_log_is_the_same_before_and_after_its_segments_are_sorted() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.segment(1, &[(1, "a1"), (2, "b1"), (1, "a2")]);
    kit.segment(2, &[(2, "b2")]);
    kit.segment(3, &[(1, "a3"), (1, "a4")]);
    let whole = |kit: &Kit| {
        let pages = [
            kit.log(1, 0, 9),
            kit.log(1, 1, 2),
            kit.log(1, 3, 9),
            kit.log(1, 4, 9),
            kit.log(2, 0, 1),
            kit.log(3, 0, 9),
        ];
        pages.map(|(records, more)| (records.join(" "), more))
    };
    let expected =
        [("a1 a2 a3 a4", false), ("a2 a3", true), ("a4", false), ("", false), ("b1", true), ("", false)];
    let expected = expected.map(|(records, more)| (records.to_owned(), more));
    assert_eq!(whole(&kit), expected);
    assert_eq!(kit.sort(1), (1, 2));
    assert_eq!(whole(&kit), expected);
    assert_eq!(kit.sort(9), (2, 0));
    assert_eq!(whole(&kit), expected);
    kit.segment(4, &[(2, "b3"), (1, "a5")]);
    assert_eq!(kit.log(1, 3, 9).0, ["a4", "a5"]);
    assert_eq!(kit.log(1, 4, 9).0, ["a5"]);
    assert_eq!(kit.sort(9), (1, 0));
    assert_eq!((kit.log(1, 4, 9).0, kit.log(2, 0, 9).0.len()), (vec!["a5".to_owned()], 3));
}

#[test]
fn many_segments_are_sorted_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    for number in 1..=300 {
        kit.segment(number, &[(1, "x")]);
    }
    assert_eq!(kit.sort(290), (256, 44));
    kit.segment(301, &[(2, "y")]);
    assert_eq!(kit.sort(290), (34, 11), "what came meanwhile is not taken for what was sorted");
    assert_eq!(kit.sort(290), (0, 11));
    assert_eq!(kit.sort(u64::MAX), (11, 0));
    assert_eq!(kit.log(1, 250, 100).0.len(), 50);
}

#[test]
fn what_a_runtime_starts_from_is_what_is_not_in_the_store_alone() {
    let folder = tempfile::tempdir().unwrap();
    {
        let kit = open(folder.path());
        assert_eq!(
            kit.restored_macp(),
            [
                RestoredMacpPart::Evicted(Vec::new()),
                RestoredMacpPart::Damaged(Vec::new()),
                RestoredMacpPart::End { through: 0, segments: 0, session: 1 }
            ]
        );
        kit.macp(MacpOp::Sessions(vec![row(1), evicted(2), ended(3, Ending::TtlExpired)]));
        kit.segment(1, &[(1, "a1"), (2, "b1"), (3, "c1")]);
        kit.macp(MacpOp::Sort { through: 9 });
        kit.segment(2, &[(1, "a2"), (4, "d1")]);
    }
    let kit = open(folder.path());
    let bytes = |text: &'static str| Bytes::from_static(text.as_bytes());
    let expected = [
        RestoredMacpPart::Evicted(vec![(2, "s2".to_owned(), SessionState::Resolved)]),
        RestoredMacpPart::Damaged(Vec::new()),
        RestoredMacpPart::Log { session: 1, records: vec![bytes("a1")] },
        RestoredMacpPart::Log { session: 3, records: vec![bytes("c1")] },
        RestoredMacpPart::Records(vec![(1, bytes("a2")), (4, bytes("d1"))]),
        RestoredMacpPart::End { through: 2, segments: 1, session: 4 },
    ];
    assert_eq!(kit.restored_macp(), expected);
}

#[test]
fn the_oldest_sessions_in_the_store_alone_go_with_their_logs() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.macp(MacpOp::Sessions(vec![evicted(1), row(2), evicted(3), evicted(4)]));
    kit.segment(1, &[(1, "a"), (2, "b"), (3, "c"), (4, "d")]);
    kit.macp(MacpOp::Sort { through: 1 });
    let retire = |sessions, log_bytes| kit.macp(MacpOp::Retire { sessions, log_bytes });
    assert!(retire(0, 0).retired.is_empty());
    assert_eq!(retire(2, 0).retired, [1, 3]);
    assert_eq!(kit.sessions(SessionFilter { limit: 9, ..SessionFilter::default() }).0, [4, 2]);
    assert_eq!((kit.log(1, 0, 9).0.len(), kit.log(2, 0, 9).0.len(), kit.log(4, 0, 9).0.len()), (0, 1, 1));
}

#[test]
fn the_logs_of_many_sessions_take_one_pass_over_what_is_not_sorted() {
    const SESSIONS: u64 = 40;
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    for (number, record) in (1..).zip(["a", "b", "c", "d", "e"]) {
        let records: Vec<_> = (1..=SESSIONS).map(|session| (session, record)).collect();
        kit.segment(number, &records);
    }
    kit.macp(MacpOp::Sort { through: 2 });
    let wanted = |records| (1..=SESSIONS).map(|session| LogRequest { session, records }).collect::<Vec<_>>();
    let logs = |wanted: Vec<_>, bytes_max| {
        let logs = ask(|done| kit.handle.session_logs(wanted, bytes_max, done)).unwrap();
        logs.into_iter().map(|(session, log)| (session, log.concat())).collect::<Vec<_>>()
    };
    let all = |log: &[u8]| (1..=SESSIONS).map(|session| (session, log.to_vec())).collect::<Vec<_>>();
    assert_eq!(logs(wanted(9), 1 << 20), all(b"abcde"));
    assert_eq!(logs(wanted(3), 1 << 20), all(b"abc"));
    assert_eq!(logs(wanted(0), 1 << 20), all(b""));
    // What does not fit is left out whole, and makes room for others.
    assert_eq!(logs(wanted(9)[..3].to_vec(), 12), [(1, b"abcde".to_vec()), (2, b"abcde".to_vec())]);
    kit.handle.touch(move |conn| {
        macp_logs::logs(conn, &wanted(9), 1 << 20).unwrap();
        let segments = conn.prepare_cached(macp_logs::SEGMENTS).unwrap();
        let read = segments.get_status(rusqlite::StatementStatus::FullscanStep);
        assert!((1..=3).contains(&read), "{read} steps for the 3 segments that are not sorted");
    });
}

#[test]
fn no_more_sessions_go_for_their_bytes_than_must() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.macp(MacpOp::Sessions((1..=5).map(evicted).collect()));
    kit.segment(1, &[(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")]);
    kit.macp(MacpOp::Sort { through: 1 });
    let each = kit.handle.counters().session_log_bytes() / 5;
    let retire = |sessions, log_bytes| kit.macp(MacpOp::Retire { sessions, log_bytes });
    assert_eq!(retire(0, each + 1).retired, [1, 2]);
    assert_eq!(retire(1, 1).retired, [3]);
    assert_eq!(retire(0, 1 << 40).retired, [4, 5]);
    assert_eq!(kit.handle.counters().session_log_bytes(), 0);
}

#[test]
fn what_is_no_segment_is_kept_apart_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.macp(MacpOp::Segment { number: 1, at: Wall(5), bytes: Bytes::from_static(&[0xff; 3]) });
    kit.segment(2, &[(1, "a")]);
    assert_eq!(kit.sort(2), (2, 0));
    assert_eq!(kit.log(1, 0, 9).0, ["a"]);
    let page = ask(|done| kit.handle.session_log(0, 0, 9, done)).unwrap();
    assert_eq!(page.rows, [Bytes::from_static(&[0xff; 3])]);
}

#[test]
fn a_page_of_sessions_ends_where_their_texts_are_long() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let long = |number| SessionRow { why: Some("x".repeat(9 << 20)), ..ended(number, Ending::Cancelled) };
    kit.macp(MacpOp::Sessions((1..=4).map(long).collect()));
    let all = SessionFilter { limit: 10, ..SessionFilter::default() };
    assert_eq!(kit.sessions(all.clone()), (vec![4, 3], true));
    assert_eq!(kit.sessions(SessionFilter { beyond: Some(3), ..all.clone() }), (vec![2, 1], false));
}

#[test]
fn a_segment_that_was_committed_and_not_told_of_may_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.segment(1, &[(7, "a")]);
    kit.segment(1, &[(7, "a")]);
    kit.macp(MacpOp::Sort { through: 1 });
    kit.segment(1, &[(7, "a")]);
    kit.segment(2, &[(7, "b")]);
    assert_eq!(kit.log(7, 0, 10), (vec!["a".to_owned(), "b".to_owned()], false));
}

#[test]
fn a_session_whose_log_does_not_begin_is_closed_once_and_a_segment_that_cannot_be_read_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.macp(MacpOp::Sessions(vec![row(1), evicted(2), row(3)]));
    let damaged = || {
        kit.macp(MacpOp::Damaged([1, 2, 9].map(|number| (number, "it is broken".to_owned())).into())).damaged
    };
    assert_eq!((damaged(), damaged()), (vec![(1, "s1".to_owned())], Vec::new()));
    let found = ask(|done| kit.handle.session("s1".to_owned(), done)).unwrap().unwrap();
    assert_eq!(
        (found.ending, found.why.as_deref(), found.ended_at),
        (Some(Ending::LogDamaged), Some("it is broken"), Some(Wall(1_001)))
    );
    assert!(found.is_evicted);
    kit.macp(MacpOp::Segment { number: 4, at: Wall(5), bytes: Bytes::from_static(&[0xff; 3]) });
    assert!(kit.restored_macp().contains(&RestoredMacpPart::Unreadable { segment: 4, sessions: None }));
    kit.segment(5, &[(3, "a"), (1, "b"), (3, "c")]);
    kit.handle.touch(|conn| {
        assert_eq!(conn.execute("UPDATE macp_segments SET bytes = x'ff' WHERE segment = 5", []), Ok(1));
    });
    assert!(
        kit.restored_macp()
            .contains(&RestoredMacpPart::Unreadable { segment: 5, sessions: Some(vec![1, 3]) })
    );
}

/// Digests of so many messages, accepted at 1,000 and behind: the first two bytes of each are its number.
fn digests(count: u64) -> Vec<u8> {
    (0..count).flat_map(|n| [&digest_of(n)[..], &(1_000 + n).to_be_bytes()].concat()).collect()
}

fn digest_of(n: u64) -> Digest {
    let mut digest = [7; 16];
    digest[..8].copy_from_slice(&n.to_be_bytes());
    digest
}

#[test]
fn a_message_that_a_long_session_accepted_is_found_alone() {
    const COUNT: u64 = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let all = Bytes::from(digests(COUNT));
    let parts: Vec<_> = (0..all.len())
        .step_by(SEEN_PART_BYTES)
        .map(|at| all.slice(at..all.len().min(at + SEEN_PART_BYTES)))
        .collect();
    assert!(parts.len() > 1);
    // What an attempt before has left is written again.
    for part in parts.iter().take(1).chain(&parts) {
        kit.macp(MacpOp::Seen(vec![SeenPart { session: 1, items: part.clone() }]));
    }
    kit.macp(MacpOp::Seen(vec![SeenPart { session: 2, items: digests(1).into() }]));
    kit.macp(MacpOp::Sessions(vec![evicted(1), evicted(2), evicted(3)]));
    let at = |id: &str, n| {
        ask(|done| kit.handle.session_and_message(id.to_owned(), Some(digest_of(n)), done))
            .unwrap()
            .unwrap()
            .1
    };
    for n in [0, 1, 39, 40, 41, 50_000, COUNT - 1] {
        assert_eq!(at("s1", n), Some(1_000 + n));
    }
    assert_eq!((at("s1", COUNT), at("s2", 0), at("s2", 1), at("s3", 0)), (None, Some(1_000), None, None));
    let longest = Arc::new(Mutex::new((0, 0)));
    let told = Arc::clone(&longest);
    kit.handle.touch(move |conn| {
        let measured = conn.query_row("SELECT max(length(items)), count(*) FROM macp_seen", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        });
        *told.lock().unwrap() = measured.unwrap();
    });
    assert_eq!(*longest.lock().unwrap(), (40 * 24_i64, 2_501_i64), "whoever looks one up reads one row");
    // It leaves the store in slices.
    let mut slices = 0;
    while kit.macp(MacpOp::Retire { sessions: 1, log_bytes: 0 }).is_more {
        slices += 1;
    }
    assert_eq!(
        (slices, kit.sessions(SessionFilter { limit: 9, ..SessionFilter::default() }).0),
        (0, vec![3, 2])
    );
    assert_eq!(
        ask(|done| kit.handle.session_and_message("s1".to_owned(), Some(digest_of(5)), done)).unwrap(),
        None
    );
    kit.handle.touch(|conn| {
        let left: i64 = conn.query_row("SELECT count(*) FROM macp_seen", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 1);
    });
}

#[test]
fn what_was_told_of_a_session_that_the_sweep_expired_stays_told() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let swept =
        |number| SessionRow { is_evicted: true, is_unnoticed: true, ..ended(number, Ending::TtlExpired) };
    kit.macp(MacpOp::Sessions(vec![row(1), row(2)]));
    kit.macp(MacpOp::Sessions(vec![swept(1), swept(2)]));
    kit.macp(MacpOp::Noticed(vec![2]));
    // A row that was on its way.
    kit.macp(MacpOp::Sessions(vec![swept(2)]));
    let Some(RestoredMacpPart::Evicted(gone)) = kit.restored_macp().into_iter().next() else { panic!() };
    let expected = [(1, "s1".to_owned(), SessionState::Open), (2, "s2".to_owned(), SessionState::Expired)];
    assert_eq!(gone, expected);
    let found = ask(|done| kit.handle.session("s1".to_owned(), done)).unwrap().unwrap();
    assert_eq!(
        (found.is_unnoticed, found.state()),
        (true, SessionState::Expired),
        "operators are told what is"
    );
}
