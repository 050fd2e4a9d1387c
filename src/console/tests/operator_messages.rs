//! What the operator is told: of rows that wait to be settled, refusals, refunds, and what was before.

use crossterm::event::KeyCode;

use super::{
    steps::{commands, pending_list},
    test_console::{TestConsole, fresh, row, show},
};
use crate::{
    console::{input::keymap::KeyScope, systems::bridge::pending::WholeInvocation, ui::event::Event},
    ids::InvocationId,
    mpp,
    port::Page,
    tap::entry::mpp::Transition,
    time::Now,
};

/// In flight is focused, and its one row was left in applied.
fn left_applied() -> TestConsole {
    let mut stage = show(160, 50);
    stage.mpp(Transition::Requeued { id: InvocationId(42), queue: "default".into() }, "");
    stage.mpp(Transition::Orphaned { id: InvocationId(46), queue: "boss".into() }, "");
    stage.key(KeyCode::Tab);
    stage
}

#[test]
fn a_row_left_in_applied_is_settled_where_it_is_seen() {
    let mut stage = left_applied();
    assert_eq!(stage.char('x'), []);
    assert!(stage.text().contains("can only be settled: E"), "{}", stage.text());
    stage.char('E');
    assert_eq!(stage.ui.key_scope(), KeyScope::SettleDialog);
    assert!(stage.text().contains("Mark 46 as done (d) or as failed (f)?"), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
    let settle = mpp::Command::Settle { id: InvocationId(46), to: mpp::Settlement::Failed };
    assert_eq!(commands(stage.char('f')), [settle]);
    stage.key(KeyCode::Enter);
    let mut found = row(46);
    found.state = crate::tap::entry::mpp::RowState::Applied;
    stage.event(Event::QueryAnswered {
        on_page: Box::new(WholeInvocation { id: InvocationId(46) }),
        page: Ok(Page::Invocation(Some(Box::new(found)))),
    });
    assert!(
        stage.text().contains("rl-console --data ./friday invocation settle 46 done"),
        "{}",
        stage.text()
    );
}

#[test]
fn what_waits_to_be_settled_degrades_the_bridge_and_every_figure_agrees() {
    let mut stage = left_applied();
    let text = stage.text();
    assert!(text.contains("MPP ◐ 1 orphaned sample 2q 0▶"), "{text}");
    assert!(text.contains("In flight 0, 1 awaiting done"), "{text}");
    stage.key(KeyCode::BackTab);
    stage.key(KeyCode::BackTab);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.contains("settle them: 46") && text.contains("settle 46 done"), "{text}");
    assert!(text.contains("0 in flight, 1 applied and not done"), "{text}");
}

#[test]
fn only_the_question_of_cancelling_offers_a_refund() {
    let mut stage = show(80, 24);
    for key in ['q', 'K'] {
        stage.char(key);
        assert!(!stage.text().contains("refund"), "{}", stage.text());
        stage.char('n');
    }
    let mut stage = pending_list(43..=45, false);
    stage.char('x');
    assert!(stage.text().contains("refund"));
}

#[test]
fn dropping_the_adapter_tells_what_goes_back_from_what_stays_applied() {
    let mut stage = show(80, 24);
    stage.char('K');
    let text = stage.text();
    assert!(
        text.contains("1 dispatched will be requeued")
            && text.contains("1 applied will be orphaned, to be settled manually: 46."),
        "{text}"
    );
}

#[test]
fn the_log_says_what_the_adapter_was_told_and_what_to_do() {
    use crate::tap::entry::{
        Direction as Way, Frame, Head, Link, Redaction, Verdict, What,
        mpp::{self as events, CloseCause, ErrorCode, Fault, FrameType, HelloReason, Violation},
    };
    let mut stage = show(160, 50);
    let frame = Frame {
        direction: Way::Outbound,
        peer: "127.0.0.1:50312".into(),
        head: Head::Mpp(events::Head { kind: Some(FrameType::ProtocolError), ..events::Head::default() }),
        verdict: Verdict::Sent,
        wire_bytes: 0,
        redaction: Redaction::None,
        origin: None,
    };
    let bytes = br#"{"mpp":2,"type":"protocol_error","code":"UNKNOWN_QUEUE","message":"the manifest has no queue 'bos'"}"#;
    stage.tap.emit(crate::tap::Draft {
        at: Now::at_ms(stage.ms),
        link: Link::Mpp,
        trace: None,
        cause: None,
        what: What::Frame(frame),
        bytes,
    });
    let cause = CloseCause::Fault(Fault::Protocol {
        code: ErrorCode::UnknownQueue,
        violation: Violation::NoSuchQueue,
    });
    stage.mpp(Transition::Disconnected { peer: "127.0.0.1:50312".into(), active: true, cause }, "");
    let last = |stage: &TestConsole| stage.model.journal.notices.back().unwrap().text.to_string();
    assert_eq!(
        last(&stage),
        "adapter 127.0.0.1:50312 disconnected: UNKNOWN_QUEUE: the manifest has no queue 'bos' (mpp-v2, pull)"
    );
    let cause = CloseCause::Fault(Fault::Hello(HelloReason::InvalidToken));
    stage.mpp(Transition::Disconnected { peer: "127.0.0.1:50313".into(), active: false, cause }, "");
    for key in
        [KeyCode::Tab, KeyCode::Tab, KeyCode::Tab, KeyCode::Tab, KeyCode::Tab, KeyCode::Home, KeyCode::Enter]
    {
        stage.key(key);
    }
    assert!(stage.text().contains("pair --rotate"), "{}", stage.text());
}

#[test]
fn refunds_of_a_burst_are_one_line_with_a_count() {
    use crate::tap::entry::mpp::RefundStatus;
    let mut stage = show(160, 50);
    let before = stage.model.journal.notices.len();
    for id in 1..=12 {
        let (refund, id) = (crate::ids::RefundId(id), InvocationId(id));
        stage.mpp(Transition::RefundRecorded { refund, id, status: RefundStatus::Manual }, "");
    }
    assert_eq!(stage.model.journal.notices.len(), before + 1);
    assert!(stage.text().contains("refund of 12 must be made manually (×12)"), "{}", stage.text());
}

#[test]
fn what_ended_before_the_station_started_is_listed_and_teaches_nobody() {
    let mut stage = TestConsole::of_size(160, 50);
    let mut snapshot = fresh();
    snapshot.mpp.paired = true;
    snapshot.station.started_at = Now::at_ms(60_000);
    stage.resync(snapshot);
    assert!(stage.text().contains("no ended invocations since start"), "{}", stage.text());
    let mut ended = row(7);
    ended.state = crate::tap::entry::mpp::RowState::Done;
    stage.model.set_history(vec![row(8), ended]);
    let text = stage.text();
    assert!(!text.contains("Getting started") && text.contains("7 ✓ done"), "{text}");

    let mut stage = TestConsole::of_size(160, 50);
    let mut snapshot = fresh();
    snapshot.mpp.paired = true;
    stage.resync(snapshot);
    stage.model.set_history(Vec::new());
    assert!(stage.text().contains("Getting started"), "nothing was ever recorded");
}

#[test]
fn the_age_of_what_an_earlier_start_left_is_that_of_the_wall_clock() {
    let mut stage = show(160, 50);
    let since =
        Now { mono: crate::time::Mono(0), wall: crate::time::Wall(stage.view.now.wall.0 - 7_200_000) };
    assert_eq!(stage.view.age(since), "2h00m");
    stage.buffer();
}

#[test]
fn every_chip_has_room_on_the_smallest_screen() {
    let mut stage = show(80, 24);
    stage.mpp(Transition::Orphaned { id: InvocationId(46), queue: "boss".into() }, "");
    stage.char('z');
    let text = stage.text();
    assert!(text.lines().nth(1).is_some_and(|chips| chips.ends_with("log 2!")), "{text}");
}

#[test]
fn what_is_too_long_for_a_line_is_said_to_its_end() {
    use crate::console::{settings::config_watcher::Fault, ui::event::Event};
    let mut stage = show(80, 24);
    let fault = Fault {
        place: "~/a/folder/with/a/long/name/.config/rl-console/config.toml:12:9".to_owned(),
        what: "there is no theme `daylihgt`".to_owned(),
        hint:
            "did you mean `daylight`? there are midnight, daylight, high-contrast, colour-blind-safe and mono"
                .to_owned(),
    };
    stage.event(Event::Reloaded { faults: vec![fault], later: Vec::new(), on_air: None });
    let text = stage.text();
    let last: Vec<&str> = text.lines().rev().skip(1).take(3).collect();
    assert!(last[0].contains("and mono") && last[2].contains("config.toml:12:9"), "{text}");
    assert!(text.contains("did you mean"), "{text}");
    // With nothing to say the body has all its lines again.
    stage.key(crossterm::event::KeyCode::Esc);
    assert!(!stage.text().contains("config.toml"), "{}", stage.text());
}
