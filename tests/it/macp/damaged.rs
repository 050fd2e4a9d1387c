//! A log of which records cannot be read: it names the sessions that lose some, ends those that are open, and
//! harms no others.

use rl_console::{limits, macp::proto::v1::SessionState};
use tonic::Code;

use super::test_runtime::TestRuntime;

#[test]
fn a_segment_that_cannot_be_read_ends_the_sessions_that_it_has_records_of_and_no_others() {
    let mut bare = TestRuntime::open(limits::Macp::default());
    for session in ["hit", "well", "ended"] {
        bare.start(session).unwrap();
        bare.say(session, "Unheard", "m1", "").unwrap();
    }
    bare.cancel("ended").unwrap();
    // Its last message is in a segment of its own, which is damaged; a session begins in it too.
    bare.restart_after(|store| {
        let damaged = "INSERT INTO macp_segments (segment, at_ms, bytes, sessions)
                       SELECT coalesce(max(segment), 0) + 1, 5, x'ff', x'010304' FROM macp_segments";
        store.execute_batch(damaged).unwrap();
    });
    let notices = std::mem::take(&mut *bare.notices.lock().unwrap());
    let [notice] = &notices[..] else { panic!("{notices:?}") };
    assert!(
        notice.contains("is unreadable") && notice.ends_with("2 sessions expired because of it"),
        "{notice}"
    );
    for _ in 0..2 {
        assert_eq!(
            (bare.look("hit"), bare.look("well"), bare.look("ended")),
            (Ok(SessionState::Expired), Ok(SessionState::Open), Ok(SessionState::Expired))
        );
        assert!(
            bare.say("hit", "Unheard", "m1", "").unwrap().duplicate,
            "what the rest of its log has is known"
        );
        assert_eq!(bare.say("hit", "Unheard", "m2", "").unwrap().error.unwrap().code, "SESSION_NOT_OPEN");
        assert!(bare.say("well", "Unheard", "m1", "").unwrap().duplicate);
        // Until it is sorted, and the segment is no more among the others.
        while bare.metrics().log_segments > 0 {
            bare.look("well").unwrap();
        }
        bare.restart();
    }
    let handle = bare.store_handle();
    let (tell, told) = std::sync::mpsc::sync_channel(1);
    handle.session("hit".to_owned(), Box::new(move |row| tell.send(row).unwrap())).unwrap();
    let row = told.recv().unwrap().unwrap().unwrap();
    assert_eq!(row.ending.map(rl_console::macp::Ending::name), Some("damaged"));
    assert!(row.why.is_some_and(|why| why.contains("segment")));
}

#[test]
fn a_damaged_file_of_the_log_names_the_sessions_that_lose_records_and_ends_those_that_are_open() {
    let bare = TestRuntime::open(limits::Macp::default());
    // What is written is in the log alone.
    bare.no_store(true);
    for session in ["hit", "well", "resolved"] {
        bare.start(session).unwrap();
        bare.say(session, "Unheard", "m1", &format!("{session} m1")).unwrap();
    }
    for session in ["hit", "well"] {
        bare.say(session, "Unheard", "m2", "").unwrap();
    }
    bare.say("resolved", "Message", "m2", "resolve").unwrap();
    let mut killed = bare.killed_before(|data| {
        let path = data.join("sessions-1.log");
        let mut bytes = std::fs::read(&path).unwrap();
        for lost in [&b"hit m1"[..], b"resolved m1"] {
            let at = bytes.windows(lost.len()).position(|it| it == lost).unwrap();
            bytes[at] ^= 1;
        }
        std::fs::write(path, bytes).unwrap();
    });
    let notices = std::mem::take(&mut *killed.notices.lock().unwrap());
    let [notice] = &notices[..] else { panic!("{notices:?}") };
    assert!(
        notice.contains("sessions-1.log is damaged")
            && notice.contains("are lost, of hit, resolved as far as"),
        "{notice}"
    );
    for _ in 0..2 {
        assert_eq!(
            (killed.look("hit"), killed.look("well"), killed.look("resolved")),
            (Ok(SessionState::Expired), Ok(SessionState::Open), Ok(SessionState::Resolved)),
            "how one ended that was told of stays"
        );
        assert_eq!(
            killed.say("hit", "Unheard", "m1", "").unwrap().error.unwrap().code,
            "SESSION_NOT_OPEN",
            "it is lost"
        );
        assert!(killed.say("hit", "Unheard", "m2", "").unwrap().duplicate);
        assert!(killed.say("well", "Unheard", "m1", "").unwrap().duplicate);
        killed.wait_saved("hit");
        killed.restart();
    }
    assert!(killed.notices.lock().unwrap().is_empty(), "it is said once");
}

#[test]
fn the_number_of_a_session_whose_start_is_lost_is_given_to_no_other() {
    let bare = TestRuntime::open(limits::Macp::default());
    bare.no_store(true);
    bare.start("well").unwrap();
    bare.start("begun").unwrap();
    bare.say("begun", "Unheard", "m1", "").unwrap();
    let mut killed = bare.killed_before(|data| {
        let path = data.join("sessions-1.log");
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(5).position(|it| it == b"begun").unwrap();
        bytes[at] ^= 1;
        std::fs::write(path, bytes).unwrap();
    });
    assert_eq!((killed.look("well"), killed.look("begun")), (Ok(SessionState::Open), Err(Code::NotFound)));
    killed.start("new").unwrap();
    killed.say("new", "Unheard", "m1", "").unwrap();
    for _ in 0..2 {
        killed.wait_saved("new");
        killed.restart();
        assert_eq!(
            (killed.look("well"), killed.look("new")),
            (Ok(SessionState::Open), Ok(SessionState::Open))
        );
        assert!(killed.say("new", "Unheard", "m1", "").unwrap().duplicate);
    }
}
