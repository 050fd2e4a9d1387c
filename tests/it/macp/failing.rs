//! A log that cannot be written, and a store that does not take what it is given, under the runtime: nothing
//! is said to be kept that is not, what is kept is not lost, and nothing is stuck.

use futures_util::{StreamExt as _, stream};
use rl_console::{
    limits,
    macp::proto::v1::{Envelope, SessionStartPayload, SessionState, StreamSessionRequest},
    store::{
        macp::MacpOp,
        op::{Class, Op},
    },
};
use tonic::Code;

use super::{
    test_runtime::{TestRuntime, is_unavailable},
    test_station::{TestStation, envelope},
};

#[test]
fn what_cannot_be_written_is_unavailable_and_counts_once_it_is() {
    let mut bare = TestRuntime::open(limits::Macp::default());
    bare.start("s").unwrap();
    bare.start("other").unwrap();
    bare.say("s", "Proposal", "m1", r#"{"proposal_id":"p"}"#).unwrap();
    bare.disk_full(true);
    is_unavailable(bare.say("s", "Vote", "m2", r#"{"proposal_id":"p","vote":"approve"}"#));
    is_unavailable(bare.say("s", "Vote", "m2", ""));
    is_unavailable(bare.start("t"));
    assert_eq!(bare.look("s"), Ok(SessionState::Open), "its start is kept");
    assert_eq!(bare.look("other"), Ok(SessionState::Open), "others go on");
    assert_eq!(bare.look("t"), Err(Code::Unavailable), "its start is not");
    let unversioned =
        |session: &str| Envelope { macp_version: "2".to_owned(), ..envelope(session, "Vote", "m3", "a", "") };
    assert_eq!(bare.try_send(unversioned("s")).unwrap().error.unwrap().code, "UNSUPPORTED_PROTOCOL_VERSION");
    assert!(bare.say("s", "Signal", "m3", "").unwrap().ok);
    for rejected in [bare.say("s", "Vote", "m3", "no json"), bare.try_send(unversioned("t"))] {
        let status = rejected.unwrap_err();
        assert_eq!(status.code(), Code::Unavailable, "it hangs on what is not kept");
        assert!(!status.message().contains("accepted"), "{}", status.message());
    }
    assert_eq!(bare.cancel("s").unwrap_err(), Code::Unavailable);
    assert_eq!(bare.look("s"), Err(Code::Unavailable), "it would tell of what is not kept");
    assert_eq!(bare.look("nowhere"), Err(Code::NotFound));
    let figures = bare.metrics();
    assert!(
        figures.log_failing.is_some() && figures.log_commit_failures > 0 && figures.log_unsaved_bytes > 0,
        "{figures:?}"
    );
    is_unavailable(bare.start("t"));
    assert!(bare.start("other").unwrap().duplicate, "its start is kept");
    bare.disk_full(false);
    bare.wait_saved("s");
    let again = bare.say("s", "Vote", "m2", "").unwrap();
    assert!(again.ok && again.duplicate, "it accepted then");
    assert_eq!(again.session_state(), SessionState::Expired, "and so was the cancellation");
    assert!(bare.start("t").unwrap().duplicate);
    let figures = bare.metrics();
    assert_eq!((figures.log_failing, figures.log_unsaved_bytes), (None, 0));
    bare.restart();
    assert_eq!((bare.look("s"), bare.look("t")), (Ok(SessionState::Expired), Ok(SessionState::Open)));
    assert!(bare.say("s", "Vote", "m2", "").unwrap().duplicate);
}

#[test]
fn past_its_bound_nothing_more_is_accepted_and_nothing_is_remembered() {
    let limits = limits::Macp { unsaved_bytes_max: 8 << 20, ..limits::Macp::default() };
    let bare = TestRuntime::open(limits);
    bare.start("s").unwrap();
    bare.disk_full(true);
    let long = "x".repeat(3 << 20);
    is_unavailable(bare.say("s", "Unheard", "m1", &long));
    is_unavailable(bare.say("s", "Unheard", "m2", &long));
    let status = bare.say("s", "Unheard", "m3", &long).unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("limits.macp.unsaved_bytes_max"), "{}", status.message());
    bare.disk_full(false);
    bare.wait_saved("s");
    let duplicates: Vec<_> =
        ["m1", "m2", "m3"].map(|id| bare.say("s", "Unheard", id, "").unwrap().duplicate).into();
    assert_eq!(duplicates, [true, true, false], "what was turned away was never there");
}

#[test]
fn a_stream_ends_with_what_cannot_be_kept_and_another_goes_on() {
    let bare = TestRuntime::open(limits::Macp::default());
    bare.start("s").unwrap();
    bare.disk_full(true);
    let messages = |ids: std::ops::Range<u32>| {
        ids.map(|n| StreamSessionRequest {
            envelope: Some(envelope("s", "Unheard", &format!("m{n}"), "a", "")),
        })
        .collect::<Vec<_>>()
    };
    let answers = |messages: Vec<_>| {
        let mut client = bare.client.clone();
        bare.runtime.block_on(async {
            client
                .stream_session(stream::iter(messages))
                .await
                .unwrap()
                .into_inner()
                .collect::<Vec<_>>()
                .await
        })
    };
    let refused = answers(messages(0..20));
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].as_ref().unwrap_err().code(), Code::Unavailable);
    bare.disk_full(false);
    bare.wait_saved("s");
    let accepted = answers(messages(0..20));
    assert!(accepted.len() == 20 && accepted.iter().all(Result::is_ok));
}

#[test]
fn a_session_that_is_in_the_store_alone_waits_for_it() {
    let bare = TestRuntime::open(limits::Macp { closed_max: 0, closed_ms_max: 0, ..limits::Macp::default() });
    bare.start("s").unwrap();
    bare.cancel("s").unwrap();
    let mut reads = 0;
    while reads == 0 {
        bare.look("s").unwrap();
        reads = bare.metrics().store_reads;
    }
    bare.no_store(true);
    assert_eq!(bare.look("s"), Err(Code::Unavailable));
    assert_eq!(bare.say("s", "Vote", "m1", "").unwrap_err().code(), Code::Unavailable);
    bare.no_store(false);
    assert_eq!(bare.look("s"), Ok(SessionState::Expired));
}

#[test]
fn a_database_that_another_holds_holds_nobody_up() {
    let fixture = TestStation::open();
    fixture.start("s", "", &SessionStartPayload::default());
    let held = rusqlite::Connection::open(fixture.data().join("station.db")).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(fixture.say("s", "Unheard", "m1", "a", "").ok);
    held.execute_batch("ROLLBACK").unwrap();
    drop(held);
    let again = fixture.say("s", "Unheard", "m1", "a", "");
    assert!(again.ok && again.duplicate);
}

#[test]
fn what_the_store_has_not_got_is_in_the_log_at_the_next_start() {
    let mut bare = TestRuntime::open(limits::Macp::default());
    bare.start("s").unwrap();
    bare.no_store(true);
    bare.start("t").unwrap();
    for n in 0..1_000 {
        assert!(bare.say("s", "Unheard", &format!("m{n}"), &"x".repeat(200)).unwrap().ok);
    }
    let logs = std::fs::read_dir(bare.folder.path()).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_str().unwrap().starts_with("sessions-")
    });
    assert!(logs.count() > 2, "one file after another");
    let mut killed = bare.killed();
    for started in ["killed", "ended in order", "stored"] {
        assert_eq!(killed.look("t"), Ok(SessionState::Open), "{started}");
        for n in [0, 1, 500, 999] {
            assert!(killed.say("s", "Unheard", &format!("m{n}"), "").unwrap().duplicate, "m{n} {started}");
        }
        killed.restart();
    }
    assert_eq!(killed.messages("s"), 1_000);
    bare.restart();
    assert!(
        bare.say("s", "Unheard", "m999", "").unwrap().duplicate,
        "what could not be stored at the end is taken up too"
    );
    assert_eq!(bare.messages("s"), 1_000);
}

#[test]
fn a_log_that_the_store_does_not_take_is_bounded_and_goes_on_when_it_does() {
    let bare = TestRuntime::open(limits::Macp { unsaved_bytes_max: 8 << 20, ..limits::Macp::default() });
    bare.start("s").unwrap();
    bare.no_store(true);
    let long = "x".repeat(3 << 20);
    for id in ["m1", "m2", "m3"] {
        assert!(bare.say("s", "Unheard", id, &long).unwrap().ok);
    }
    is_unavailable(bare.say("s", "Unheard", "m4", &long));
    let figures = bare.metrics();
    assert!(figures.log_unstored_bytes > 9 << 20 && figures.log_failing.is_some(), "{figures:?}");
    bare.no_store(false);
    bare.wait_saved("s");
    assert!(bare.say("s", "Unheard", "m4", "").unwrap().duplicate);
    assert_eq!(bare.messages("s"), 4);
    assert_eq!(bare.metrics().log_unstored_bytes, 0);
}

#[test]
fn a_store_that_dies_with_a_segment_in_hand_loses_nothing() {
    let mut bare = TestRuntime::open(limits::Macp::default());
    bare.start("s").unwrap();
    let handle = bare.store_handle();
    let nothing = || Op::Macp(MacpOp::Sessions(Vec::new()));
    let (go, gone) = std::sync::mpsc::sync_channel::<()>(1);
    handle.commit(nothing(), Class::Process, Box::new(move |_| assert!(gone.recv().is_err()))).unwrap();
    // What is answered behind this one is never answered.
    handle.commit(nothing(), Class::Process, Box::new(|_| std::panic::panic_any("on purpose"))).unwrap();
    assert!(bare.say("s", "Unheard", "m1", "").unwrap().ok);
    drop(go);
    bare.runtime.block_on(bare.handle.flush());
    assert!(bare.metrics().log_failing.is_some());
    bare.end();
    drop(bare.store.take());
    let killed = bare.killed();
    assert!(killed.say("s", "Unheard", "m1", "").unwrap().duplicate);
    assert_eq!(killed.messages("s"), 1);
}
