//! The verdict of the workbench at any size, and what became of a frame next to it.

use crossterm::event::KeyCode;

use super::{
    inspection::{PEER, emit, frame},
    sessions_samples,
    test_console::{TestConsole, show},
    workbench::{answer, command, ended, opened, row, sent, told},
};
use crate::{
    console::{input::view_id::ViewId, ui::effect::Effect, ui::event::Event, worker::FrameWork},
    dissect::frame_json::Breakage,
    judged::Doubt,
    port::{JudgedRow, SentFrame, ToldEntry, WorkbenchOutcome},
    tap::entry::{
        Direction, Door, Frame, FrameOrigin, Head, Redaction, Verdict, What,
        mpp::{self as events, FrameType},
        station::{self, OperatedBy},
    },
    time::Wall,
};

/// A verdict of which nothing is known for sure.
fn doubtful() -> JudgedRow {
    let findings = (0..4).map(|at| format!("object {at}: a finding of some length at a path of some length"));
    JudgedRow {
        ends: Some("the adapter does not know 999".to_owned()),
        effect: Some("2 in flight requeued".to_owned()),
        findings: findings.collect(),
        doubts: Doubt::ALL.to_vec(),
        ..row("accepted")
    }
}

fn judged(columns: u16, rows: u16, row: JudgedRow) -> TestConsole {
    let mut stage = show(columns, rows);
    let effects = stage.char('i');
    answer(&mut stage, effects, row);
    stage
}

#[test]
fn all_of_a_verdict_is_read_at_any_size() {
    for (columns, rows) in [(160, 50), (80, 24)] {
        let mut stage = judged(columns, rows, doubtful());
        let first = stage.text();
        let at = |words: &str| first.find(words).unwrap_or_else(|| panic!("{words}: {first}"));
        assert!(at("pull: accepted") < at("would end the connection"), "what matters most is first");
        assert!(first.contains(" more: "), "the rest is counted: {first}");
        // The bytes are before it, the way behind.
        stage.key(KeyCode::Tab);
        stage.key(KeyCode::Tab);
        let mut seen = first;
        for _ in 0..20 {
            stage.key(KeyCode::Down);
            seen.push_str(&stage.text());
        }
        for words in ["object 3", "requeued", "the peer decides"] {
            assert!(seen.contains(words), "{words} at {columns}: {seen}");
        }
        assert!(!stage.text().contains(" more: "), "this is its end: {}", stage.text());
        stage.key(KeyCode::Home);
        assert!(stage.text().contains("pull: accepted"));
        stage.key(KeyCode::Tab);
        stage.key(KeyCode::BackTab);
        stage.char('x');
        assert!(stage.text().contains("pull: accepted"), "nothing is typed there");
    }
}

#[test]
fn a_verdict_that_fits_is_no_stop_of_the_tab_key() {
    let mut stage = opened(row("accepted"));
    for _ in 0..3 {
        stage.key(KeyCode::Tab);
    }
    stage.char('x');
    assert!(stage.text().contains("line 1, column 1"), "the JSON again: {}", stage.text());
}

/// Sends what is in the workbench, of which this became.
fn became(stage: &mut TestConsole, sent: SentFrame) -> String {
    let (_, on_outcome) = command(stage.ctrl('s'));
    let open = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
    let (_, on_outcome) = command(ended(stage, on_outcome, Ok(open)));
    ended(stage, on_outcome, Ok(WorkbenchOutcome::Sent(sent)));
    stage.text()
}

#[test]
fn what_came_between_stands_with_what_is_different() {
    let mut stage = opened(JudgedRow { at_ms: Wall(0), ..row("accepted") });
    let accepted = || Verdict::Mpp(events::Verdict::Accepted);
    let pull = |stage: &mut TestConsole| {
        frame(stage, Direction::Inbound, accepted(), (FrameType::Pull, None), "{}", None)
    };
    pull(&mut stage);
    let seq = pull(&mut stage);
    let own = ToldEntry { seq, verdict: Some("duplicate".to_owned()), ..told("pull", true) };
    let text = became(&mut stage, SentFrame { door: 3, told: vec![own.clone()], ..SentFrame::default() });
    assert!(text.contains("different: duplicate instead of accepted"), "{text}");
    assert!(text.contains("came between: "), "{text}");
    let own = ToldEntry { verdict: Some("accepted".to_owned()), ..own };
    let ok = ToldEntry { differs: vec!["id".to_owned()], ..told("invocation", false) };
    let mut stage = opened(row("accepted"));
    let text = became(&mut stage, SentFrame { door: 3, told: vec![own, ok], ..SentFrame::default() });
    assert!(text.contains("but for invocation: id") && !text.contains("came between"), "{text}");
}

/// A line of the adapter's through a connection of the workbench's own.
fn through_own_door(stage: &mut TestConsole, kind: FrameType) -> crate::ids::Seq {
    let origin = FrameOrigin { by: OperatedBy::own_console(), door: Door::Own, number: 3, of: None };
    let frame = Frame {
        direction: Direction::Inbound,
        peer: PEER.into(),
        head: Head::Mpp(events::Head { kind: Some(kind), ..events::Head::default() }),
        verdict: Verdict::Mpp(events::Verdict::Accepted),
        wire_bytes: 2,
        redaction: Redaction::None,
        origin: Some(origin.into()),
    };
    emit(stage, What::Frame(frame), b"{}", None, false)
}

#[test]
fn a_door_of_ones_own_that_is_opened_is_nothing_that_came_between() {
    for (others, came) in [(0, false), (1, true)] {
        let mut stage = TestConsole::of_size(160, 50);
        let effects = stage.char('i');
        answer(&mut stage, effects, JudgedRow { at_ms: Wall(0), ..row("accepted") });
        let by = Some(OperatedBy::own_console());
        let operated = station::Transition::Operated { by, command: None };
        stage.station(operated, "open workbench connection: as an adapter");
        stage.mpp(events::Transition::Connected { peer: PEER.into() }, "");
        let hello = through_own_door(&mut stage, FrameType::Hello);
        let (ack, head) = (Verdict::Sent, (FrameType::HelloAck, None));
        frame(&mut stage, Direction::Outbound, ack, head, "{}", Some(hello));
        let session_id = crate::ids::SessionId(1);
        let handshaken = events::Transition::Handshaken { peer: PEER.into(), session_id, persisted: 0 };
        stage.mpp(handshaken, "");
        for _ in 0..others {
            stage.mpp(events::Transition::Connected { peer: "127.0.0.1:9".into() }, "");
        }
        let seq = through_own_door(&mut stage, FrameType::Pull);
        let own = ToldEntry { seq, verdict: Some("duplicate".to_owned()), ..told("pull", true) };
        let text = became(&mut stage, SentFrame { door: 3, told: vec![own], ..SentFrame::default() });
        assert!(text.contains("different: duplicate instead of accepted"), "{text}");
        assert_eq!(text.contains("came between: "), came, "{text}");
    }
}

#[test]
fn values_that_are_not_as_foreseen_are_named_where_the_rest_is_equal() {
    let answers = vec![crate::port::AnswerRow { kind: "invocation".to_owned(), hex: "7b7d".to_owned() }];
    let mut stage = opened(JudgedRow { answers: answers.clone(), ..row("accepted") });
    let (_, on_outcome) = command(stage.ctrl('s'));
    let open = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
    let (send, on_outcome) = command(ended(&mut stage, on_outcome, Ok(open)));
    let crate::port::WorkbenchCommand::Send { foreseen, .. } = send else { panic!("{send:?}") };
    assert_eq!(foreseen, answers, "the station compares them");
    let invocation = ToldEntry { differs: vec!["id".to_owned()], ..told("invocation", false) };
    let became = SentFrame { door: 3, told: vec![told("pull", true), invocation], ..SentFrame::default() };
    ended(&mut stage, on_outcome, Ok(WorkbenchOutcome::Sent(became)));
    let text = stage.text();
    assert!(text.contains("equal to what was foreseen") && text.contains("but for invocation: id"), "{text}");
}

#[test]
fn the_line_of_what_its_core_would_refuse_is_marked_in_the_json() {
    let at = super::workbench::PULL.windows(7).position(|part| part == b"default").unwrap();
    let (expected, got) = (Some("a queue".to_owned()), Some("default".to_owned()));
    let code = Some("QUEUE_UNKNOWN".to_owned());
    let mut stage = opened(JudgedRow { expected, got, byte: Some(at as u64), code, ..row("refused") });
    let text = stage.text();
    let line = text.lines().find(|line| line.contains("\"queue\": \"default\"")).unwrap();
    assert!(line.contains('✗'), "{text}");
    assert!(!text.lines().any(|line| line.contains("\"type\"") && line.contains('✗')), "{text}");
}

#[test]
fn much_is_refreshed_and_broken_beside_the_screens_thread() {
    let mut stage = opened(row("accepted"));
    let json = format!("{{\"body\":{{\"type\":\"pull\",\"queue\":\"{}\"}}}}", "x".repeat(20_000));
    let done = |stage: &mut TestConsole, effects: Vec<Effect>| {
        let job = effects.into_iter().find_map(|effect| match effect {
            Effect::Frame(job) => Some(job),
            _ => None,
        });
        let job = job.expect("work beside the screen's thread");
        let answer = Some(Box::new(job.run()));
        (job.work, stage.event(Event::Frame { number: job.number, answer }))
    };
    let pasted = stage.event(Event::Paste(json));
    let (_, placing) = done(&mut stage, pasted);
    done(&mut stage, placing);
    let refreshing = stage.key(KeyCode::F(5));
    assert!(stage.ctrl('s').is_empty(), "it is not made yet");
    let (work, encoding) = done(&mut stage, refreshing);
    assert!(matches!(work, FrameWork::Refresh { .. }), "{work:?}");
    let (work, _) = done(&mut stage, encoding);
    assert!(matches!(work, FrameWork::Encode { .. }), "{work:?}");
    // Edited bytes are broken as they are.
    stage.key(KeyCode::Tab);
    stage.char('7');
    stage.key(KeyCode::F(6));
    for _ in Breakage::ALL.iter().take_while(|it| **it != Breakage::NoLf) {
        stage.key(KeyCode::Down);
    }
    let breaking = stage.key(KeyCode::Enter);
    let (work, _) = done(&mut stage, breaking);
    assert!(matches!(work, FrameWork::Break { .. }), "{work:?}");
    assert!(stage.text().contains("the bytes were edited"), "{}", stage.text());
}

#[test]
fn while_time_is_stopped_it_is_judged_against_the_present() {
    let mut stage = opened(row("accepted"));
    assert!(!stage.text().contains("as of the present"));
    stage.key(KeyCode::Esc);
    stage.char(' ');
    stage.char('i');
    assert!(stage.text().contains("foreseen, as of the present"), "{}", stage.text());
}

#[test]
fn an_answer_is_shown_with_its_bytes_and_a_refusal_with_what_to_do() {
    let hex = |bytes: &[u8]| crate::words::hex(bytes);
    let answers = vec![
        crate::port::AnswerRow { kind: "hello_ack".to_owned(), hex: hex(b"{\"type\":\"hello_ack\"}\n") },
        crate::port::AnswerRow { kind: "Ok".to_owned(), hex: "82a1f0ff".to_owned() },
    ];
    let says = vec!["another adapter is connected".to_owned(), "To do: disconnect it".to_owned()];
    let code = Some("already_connected".to_owned());
    let mut stage = opened(JudgedRow { code, says, answers, ..row("refused") });
    let text = stage.text();
    for words in ["answer: hello_ack {\"type\":\"hello_ack\"}", "answer: Ok 82a1f0ff", "To do: disconnect it"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn what_hangs_on_a_frame_is_asked_about_again_where_it_changed_meanwhile() {
    let mut stage = opened(row("accepted"));
    stage.key(KeyCode::BackTab);
    stage.key(KeyCode::Down);
    let effects = stage.key(KeyCode::Right);
    answer(&mut stage, effects, row("accepted"));
    let effects = stage.key(KeyCode::Right);
    let asking = |stage: &mut TestConsole| {
        assert!(stage.ctrl('s').is_empty());
        assert!(stage.text().contains("Send into this connection?"), "{}", stage.text());
    };
    asking(&mut stage);
    let ends = Some("the adapter does not know 999".to_owned());
    answer(&mut stage, effects, JudgedRow { ends, ..row("refused") });
    assert!(stage.char('y').is_empty(), "it was not known when it was asked");
    assert!(stage.text().contains("has changed meanwhile"), "{}", stage.text());
    asking(&mut stage);
    assert!(stage.text().contains("It would end the connection"), "{}", stage.text());
    command(stage.char('y'));
}

/// The workbench once this became of its frame.
fn followed(mut stage: TestConsole, own: ToldEntry) -> TestConsole {
    let effects = stage.char('i');
    answer(&mut stage, effects, row("accepted"));
    let (_, on_outcome) = command(stage.ctrl('s'));
    let opened = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
    let (_, on_outcome) = command(ended(&mut stage, on_outcome, Ok(opened)));
    ended(&mut stage, on_outcome, Ok(sent(own)));
    stage.ctrl('t');
    stage
}

#[test]
fn the_trace_of_what_was_sent_is_gone_to() {
    let stage = show(160, 50);
    let trace = stage.model.mpp().unwrap().live.values().find_map(|live| live.trace).unwrap();
    let mut stage = followed(stage, ToldEntry { trace: Some(trace), ..told("pull", true) });
    assert_eq!((stage.ui.view, stage.ui.trace), (ViewId::Trace, Some(trace)));
    assert!(!stage.text().contains("Workbench"), "{}", stage.text());
}

#[test]
fn of_what_has_no_trace_its_session_is_gone_to() {
    let sample = || sessions_samples::with_sessions(show(160, 50));
    let of = |session: &str| ToldEntry { session: Some(session.to_owned()), ..told("Send", true) };
    let names = sessions_samples::session(sessions_samples::NAMES);
    let mut stage = followed(sample(), of(&names.id));
    assert_eq!(stage.ui.view, ViewId::Sessions);
    assert_eq!(stage.ui.detail_session(&stage.model), Some(names));
    assert!(!stage.text().contains("Workbench"), "{}", stage.text());
    let mut stage = followed(sample(), of("nowhere"));
    assert!(stage.text().contains("it has no trace, and session nowhere is not listed"), "{}", stage.text());
}
