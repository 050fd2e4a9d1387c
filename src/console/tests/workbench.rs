//! The workbench: a frame that is edited, judged, broken, sent, and followed to what became of it.

use crossterm::event::KeyCode;

use super::{
    inspection::{emit, inspected},
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        draw::class::MaskPolicy,
        input::keymap::KeyScope,
        inspect,
        ui::{
            effect::{Effect, OnOutcome},
            event::Event,
        },
        workbench::Workbench,
    },
    judged::Doubt,
    port::{
        AnswerRow, Command, DoorSpec, JudgedRow, Outcome, Page, PageBytes, PortError, Query, SentFrame,
        Stand, ToldEntry, WorkbenchCommand, WorkbenchError, WorkbenchOutcome,
    },
    tap::entry::{Direction, Frame, Head, Redaction, Verdict, What, mpp as events},
};

pub(super) const PULL: &[u8] = b"{\"mpp\":2,\"type\":\"pull\",\"queue\":\"default\"}\n";

/// A verdict.
pub(super) fn row(verdict: &str) -> JudgedRow {
    JudgedRow {
        link: "mpp".to_owned(),
        kind: Some("pull".to_owned()),
        answers: vec![AnswerRow { kind: "invocation".to_owned(), hex: String::new() }],
        doubts: vec![Doubt::AnotherPeer],
        ..JudgedRow::of(verdict)
    }
}

/// The questions among effects.
fn asked(effects: &[Effect]) -> Vec<(&Stand, &[u8])> {
    let mut asked = Vec::new();
    for effect in effects {
        if let Effect::Query { query: Query::Judge { stand, bytes }, .. } = effect {
            asked.push((stand, bytes.0.as_slice()));
        }
    }
    asked
}

/// Answers the question among effects; what is asked then.
pub(super) fn answer(stage: &mut TestConsole, effects: Vec<Effect>, row: JudgedRow) -> Vec<Effect> {
    let question = |effect| match effect {
        Effect::Query { query: Query::Judge { .. }, on_page } => Some(on_page),
        _ => None,
    };
    let on_page = effects.into_iter().find_map(question).unwrap();
    stage.event(Event::QueryAnswered { on_page, page: Ok(Page::Judged(Box::new(row))) })
}

/// The only command among effects, and who is told of its outcome.
pub(super) fn command(effects: Vec<Effect>) -> (WorkbenchCommand, Box<dyn OnOutcome>) {
    let command = |effect| match effect {
        Effect::Command { command: Command::Workbench(command), on_outcome } => Some((command, on_outcome)),
        _ => None,
    };
    effects.into_iter().find_map(command).unwrap()
}

pub(super) fn ended(
    stage: &mut TestConsole,
    on_outcome: Box<dyn OnOutcome>,
    outcome: Result<WorkbenchOutcome, WorkbenchError>,
) -> Vec<Effect> {
    let outcome = outcome.map(Outcome::Workbench).map_err(PortError::Workbench);
    stage.event(Event::CommandAnswered { on_outcome, outcome })
}

pub(super) fn told(kind: &str, is_own: bool) -> ToldEntry {
    ToldEntry {
        is_own,
        direction: Some(if is_own { "in" } else { "out" }.to_owned()),
        outcome: Some("ok".to_owned()),
        peer: Some("127.0.0.1:4711".to_owned()),
        verdict: is_own.then(|| "accepted".to_owned()),
        line: format!("line of {kind}"),
        ..ToldEntry::of(kind)
    }
}

pub(super) fn sent(own: ToldEntry) -> WorkbenchOutcome {
    let told = vec![own, told("invocation", false)];
    WorkbenchOutcome::Sent(SentFrame { door: 3, bytes: 42, told, more: 0, lost: 0, closed: None })
}

/// The open workbench, the frame in it judged.
pub(super) fn opened(row: JudgedRow) -> TestConsole {
    let mut stage = show(160, 50);
    let effects = stage.char('i');
    answer(&mut stage, effects, row);
    stage
}

#[test]
fn it_opens_with_an_example_that_is_judged_at_once() {
    let mut stage = show(160, 50);
    let effects = stage.char('i');
    assert_eq!(stage.ui.key_scope(), KeyScope::Workbench);
    let stand = Stand::New(DoorSpec::Adapter { hello: true });
    assert_eq!(asked(&effects), [(&stand, PULL)]);
    let ends = Some("the adapter does not know 999".to_owned());
    let code = Some("INVALID_FRAME".to_owned());
    answer(&mut stage, effects, JudgedRow { code, ends, ..row("refused") });
    let text = stage.text();
    for wanted in [
        "Workbench",
        "\"queue\": \"default\"",
        "7b 22 6d 70 70",
        "pull: refused INVALID_FRAME",
        "would end the connection: the adapter does not know 999",
        "as of now; not known:",
        "- another peer may pull",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn one_question_is_in_flight_and_the_last_edit_is_asked_about() {
    let mut stage = show(160, 50);
    let first = stage.char('i');
    stage.key(KeyCode::End);
    assert!(asked(&stage.char(' ')).is_empty(), "one is in flight");
    assert!(asked(&stage.key(KeyCode::Backspace)).is_empty());
    let next = answer(&mut stage, first, row("accepted"));
    assert_eq!(asked(&next).len(), 1, "the latest is asked about then");
    assert!(answer(&mut stage, next, row("accepted")).is_empty());
    stage.tick();
}

#[test]
fn the_verdict_on_what_was_typed_is_painted_at_once() {
    let mut stage = opened(row("accepted"));
    assert!(stage.ui.is_answered, "a key opened it");
    stage.ui.is_answered = false;
    let awaits = |stage: &TestConsole| stage.ui.layer::<Workbench>().is_some_and(Workbench::awaits_verdict);
    let again = stage.event(Event::Tick);
    assert!(!awaits(&stage), "the same bytes are asked about again");
    answer(&mut stage, again, row("accepted"));
    assert!(!stage.ui.is_answered, "nobody typed");
    let typed = stage.char(' ');
    assert!(awaits(&stage), "what was typed is painted with it");
    answer(&mut stage, typed, row("accepted"));
    assert!(stage.ui.is_answered && !awaits(&stage));
}

#[test]
fn a_fault_is_shown_at_its_place_and_nothing_is_sent() {
    let mut stage = opened(row("accepted"));
    let effects = stage.char('x');
    assert!(asked(&effects).is_empty());
    let text = stage.text();
    assert!(text.contains("✗ line 1, column 1: expected value"), "{text}");
    assert!(stage.ctrl('s').is_empty());
    assert!(stage.text().contains("line 1, column 1"));
    stage.key(KeyCode::Backspace);
    assert!(!stage.text().contains("line 1, column 1: expected value"));
}

#[test]
fn edited_bytes_lead_until_the_json_is_made_of_them() {
    let mut stage = opened(row("accepted"));
    stage.key(KeyCode::Tab);
    // The 7 of `7b` becomes a 2: the object is none any more.
    let effects = stage.char('2');
    assert_eq!(asked(&effects)[0].1[0], 0x2b);
    assert!(stage.text().contains("the bytes were edited; f5 reads the JSON of them"), "{}", stage.text());
    stage.key(KeyCode::F(5));
    let text = stage.text();
    assert!(text.contains("body_bytes"), "what is no object is bytes: {text}");
    assert_eq!(stage.ui.key_scope(), KeyScope::Workbench);
}

#[test]
fn what_is_broken_shows_in_the_bytes_until_the_json_is_edited() {
    let mut stage = opened(row("accepted"));
    stage.key(KeyCode::F(6));
    assert_eq!(stage.ui.key_scope(), KeyScope::WorkbenchList);
    let text = stage.text();
    assert!(text.contains("no-lf") && !text.contains("ttl-zero"), "only what applies: {text}");
    let effects = stage.key(KeyCode::Enter);
    let broken = asked(&effects)[0].1.to_vec();
    assert_ne!(broken, PULL);
    assert!(stage.text().contains("broken: "), "{}", stage.text());
    answer(&mut stage, effects, row("refused"));
    let effects = stage.char(' ');
    assert_eq!(asked(&effects), [(&Stand::New(DoorSpec::Adapter { hello: true }), PULL)]);
    assert!(!stage.text().contains("broken: "));
}

#[test]
fn a_door_is_opened_once_and_what_became_of_the_frame_stands_next_to_what_was_foreseen() {
    let mut stage = opened(row("accepted"));
    let (open, on_outcome) = command(stage.ctrl('s'));
    assert_eq!(open, WorkbenchCommand::Open { door: DoorSpec::Adapter { hello: true } });
    let opened = WorkbenchOutcome::Opened { door: 3, peer: "127.0.0.1:9".to_owned() };
    let (send, on_outcome) = command(ended(&mut stage, on_outcome, Ok(opened)));
    let WorkbenchCommand::Send { door: 3, pieces, of: None, .. } = send else { panic!("{send:?}") };
    assert_eq!(pieces, [PageBytes(PULL.to_vec())]);
    assert!(stage.ctrl('s').is_empty(), "one at a time");
    ended(&mut stage, on_outcome, Ok(sent(told("pull", true))));
    let text = stage.text();
    for wanted in
        ["equal to what was foreseen", "●──▸ pull: line of pull", "◂──● invocation: line of invocation"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(!text.contains("●──▸  │"), "no other peer has a lane");
    // The door stays open, also while the workbench is closed.
    stage.key(KeyCode::Esc);
    assert!(stage.text().contains("draft of the frame kept"));
    stage.char('i');
    let (send, on_outcome) = command(stage.ctrl('s'));
    assert!(matches!(send, WorkbenchCommand::Send { door: 3, .. }), "{send:?}");
    // It idled out meanwhile: another takes its place.
    let gone = WorkbenchError::NoWorkbench { door: 3, why: None };
    let (open, on_outcome) = command(ended(&mut stage, on_outcome, Err(gone)));
    assert_eq!(open, WorkbenchCommand::Open { door: DoorSpec::Adapter { hello: true } });
    let full = WorkbenchError::WorkbenchFull { open: 16 };
    ended(&mut stage, on_outcome, Err(full));
    assert!(stage.text().contains("16 workbench connections are open"), "{}", stage.text());
}

#[test]
fn what_came_differently_is_said_and_the_frames_that_were_sent_are_listed() {
    let mut stage = opened(row("accepted"));
    let (_, on_outcome) = command(stage.ctrl('s'));
    let open = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
    let (_, on_outcome) = command(ended(&mut stage, on_outcome, Ok(open)));
    let own = ToldEntry { code: Some("QUEUE_UNKNOWN".to_owned()), ..told("pull", true) };
    ended(&mut stage, on_outcome, Ok(sent(own)));
    assert!(stage.text().contains("different: QUEUE_UNKNOWN instead of no fault"), "{}", stage.text());
    stage.ctrl('o');
    let text = stage.text();
    assert!(text.contains("Frames (1 of 1") && text.contains("as an adapter"), "{text}");
    assert!(text.contains("accepted QUEUE_UNKNOWN") && text.contains("different"), "{text}");
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("\"queue\": \"default\""));
    assert!(stage.ctrl('t').is_empty());
    assert!(stage.text().contains("it has no trace"), "{}", stage.text());
}

#[test]
fn what_came_to_others_than_was_foreseen_is_different_too() {
    let foreseen = |answers: &[&str]| {
        let answers = answers.iter().map(|kind| AnswerRow { kind: (*kind).to_owned(), hex: String::new() });
        JudgedRow { answers: answers.collect(), ..row("accepted") }
    };
    let became_of = |foreseen: JudgedRow, own: ToldEntry| {
        let mut stage = opened(foreseen);
        let (_, on_outcome) = command(stage.ctrl('s'));
        let open = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
        let (_, on_outcome) = command(ended(&mut stage, on_outcome, Ok(open)));
        ended(&mut stage, on_outcome, Ok(sent(own)));
        stage.text()
    };
    let became = |own: ToldEntry| became_of(foreseen(&["invocation"]), own);
    let to_two = became(ToldEntry { subscribers: Some(2), ..told("pull", true) });
    assert!(to_two.contains("different: delivered to 2 subscribers instead of 0"), "{to_two}");
    let to_none = became(ToldEntry { subscribers: Some(0), ..told("pull", true) });
    assert!(to_none.contains("equal to what was foreseen"), "{to_none}");
    let again = became(ToldEntry { verdict: Some("duplicate".to_owned()), ..told("pull", true) });
    assert!(again.contains("different: duplicate instead of accepted"), "{again}");
    let missing = became_of(foreseen(&["invocation", "Ok"]), told("pull", true));
    assert!(missing.contains("different: no Ok came"), "{missing}");
    let published = became_of(foreseen(&["invocation", "Publish"]), told("pull", true));
    assert!(
        published.contains("equal to what was foreseen"),
        "what is published comes to subscribers: {published}"
    );
}

#[test]
fn closing_it_for_good_closes_its_door_and_so_does_another_way() {
    let open = |stage: &mut TestConsole| {
        let (_, on_outcome) = command(stage.ctrl('s'));
        let open = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
        let (_, on_outcome) = command(ended(stage, on_outcome, Ok(open)));
        ended(stage, on_outcome, Ok(sent(told("pull", true))));
    };
    let mut stage = opened(row("accepted"));
    open(&mut stage);
    assert_eq!(command(stage.ctrl('c')).0, WorkbenchCommand::Close { door: 3 });
    assert!(stage.ui.overlays.is_empty());
    let mut stage = opened(row("accepted"));
    open(&mut stage);
    stage.key(KeyCode::BackTab);
    stage.key(KeyCode::Down);
    assert_eq!(command(stage.key(KeyCode::Right)).0, WorkbenchCommand::Close { door: 3 });
}

#[test]
fn a_frame_into_anothers_connection_is_asked_about_first() {
    let mut stage = show(160, 50);
    stage.char('i');
    stage.key(KeyCode::BackTab);
    stage.key(KeyCode::Down);
    for _ in 0..2 {
        stage.key(KeyCode::Right);
    }
    assert!(stage.text().contains("in the adapter's place"), "{}", stage.text());
    assert!(stage.ctrl('s').is_empty());
    let text = stage.text();
    assert!(text.contains("Send into this connection?") && text.contains("not known yet"), "{text}");
    let (open, _) = command(stage.char('y'));
    assert_eq!(open, WorkbenchCommand::Open { door: DoorSpec::AsAdapter });
}

#[test]
fn a_captured_frame_opens_with_the_door_of_its_peer_and_is_named_when_it_is_sent() {
    let mut stage = inspected(160, 50, |story| story.refused);
    let effects = stage.char('e');
    assert_eq!(
        asked(&effects),
        [(&Stand::New(DoorSpec::Adapter { hello: true }), &b"{\"mpp\":2,\"type\":\"done\",\"id\":7}\n"[..])]
    );
    let text = stage.text();
    assert!(text.contains("made of") && text.contains("\"id\": 7"), "{text}");
    // The cursor is at the field that was selected in the inspector: the one at fault.
    stage.char('x');
    assert!(stage.text().contains("x\"id\": 7"), "{}", stage.text());
    stage.key(KeyCode::Backspace);
    let (open, on_outcome) = command(stage.ctrl('s'));
    assert_eq!(open, WorkbenchCommand::Open { door: DoorSpec::Adapter { hello: true } });
    let open = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
    let (send, _) = command(ended(&mut stage, on_outcome, Ok(open)));
    assert!(matches!(send, WorkbenchCommand::Send { of: Some(_), .. }), "{send:?}");
    // What the station sent goes to the adapter.
    let mut stage = inspected(160, 50, |story| story.invocation);
    let effects = stage.char('e');
    assert_eq!(asked(&effects)[0].0, &Stand::New(DoorSpec::ToAdapter));
}

#[test]
fn a_frame_that_waits_at_the_gate_is_said_to_be_held() {
    let mut stage = opened(row("accepted"));
    let (_, on_outcome) = command(stage.ctrl('s'));
    let opened = WorkbenchOutcome::Opened { door: 3, peer: "127.0.0.1:9".to_owned() };
    let (_, on_outcome) = command(ended(&mut stage, on_outcome, Ok(opened)));
    let stopped = ToldEntry { direction: Some("in".to_owned()), peer: None, ..told("intercepted", false) };
    let held = SentFrame { door: 3, bytes: 42, told: vec![stopped.clone()], more: 0, lost: 0, closed: None };
    assert!(held.is_held() && held.answers().next().is_none());
    ended(&mut stage, on_outcome, Ok(WorkbenchOutcome::Sent(held.clone())));
    assert!(stage.text().contains("held at the gate"), "{}", stage.text());
    let passed = ToldEntry { direction: None, ..told("passed", false) };
    let gone = SentFrame { told: vec![stopped, passed], ..held };
    assert!(!gone.is_held());
}

#[test]
fn the_command_that_injects_a_frame_is_copied() {
    let mut stage = inspected(160, 50, |story| story.refused);
    stage.char('Y');
    let effects = stage.char('i');
    let [Effect::Copy(line)] = &effects[..] else { panic!("{effects:?}") };
    let digits = "7b226d7070223a322c2274797065223a22646f6e65222c226964223a377d0a";
    let expected = format!("rl-console --data ./friday inject mpp --as adapter --raw {digits}");
    assert_eq!(String::from_utf8_lossy(line), expected);
}

#[test]
fn a_frame_that_is_not_there_whole_says_why_it_cannot_be_opened() {
    let mut stage = inspected(160, 50, |story| story.failed);
    stage.char('e');
    assert!(stage.text().contains("this entry is not a frame"), "{}", stage.text());
    let edit = |redaction: Redaction, wire_bytes: u32| {
        let mut stage = show(160, 50);
        let frame = Frame {
            direction: Direction::Inbound,
            peer: "127.0.0.1:1".into(),
            head: Head::Mpp(events::Head::default()),
            verdict: Verdict::Mpp(events::Verdict::Accepted),
            wire_bytes,
            redaction,
            origin: None,
        };
        let seq = emit(&mut stage, What::Frame(frame), b"{}", None, false);
        inspect::inspect(&mut stage.ui, &stage.view, seq);
        stage.char('e');
        assert_eq!(stage.ui.key_scope(), KeyScope::Inspector);
        stage.text()
    };
    let text = edit(Redaction::None, 9);
    assert!(text.contains("the tap kept 2 of the frame's 9 bytes; raise limits.tap"), "{text}");
    let text = edit(Redaction::Withheld, 9);
    assert!(text.contains("the frame was withheld: it may contain a token"), "{text}");
}

#[test]
fn on_air_the_values_of_a_captured_frame_are_masked_until_their_line_is_edited() {
    let mut stage = inspected(160, 50, |story| story.failed_frame);
    stage.view.mask_policy = MaskPolicy { logins: true, payloads: true };
    stage.char('e');
    let text = stage.text();
    assert!(
        text.contains("\"reason\": ") && !text.contains("PREASON") && !text.contains("50 52 45"),
        "{text}"
    );
    stage.key(KeyCode::PageUp);
    for _ in 0..5 {
        stage.key(KeyCode::Down);
    }
    stage.key(KeyCode::End);
    stage.key(KeyCode::Backspace);
    let text = stage.text();
    assert!(text.contains("PREASON") && !text.contains("PUNKNOWN"), "only the line that is edited: {text}");
}

#[test]
fn a_large_frame_is_made_beside_the_screens_thread() {
    let mut stage = opened(row("accepted"));
    let long = "x".repeat(20_000);
    let json = format!("{{\"body\":{{\"type\":\"pull\",\"queue\":\"{long}\"}}}}");
    let effects = stage.event(Event::Paste(json));
    let [Effect::Frame(job)] = &effects[..] else { panic!("{effects:?}") };
    assert!(stage.ctrl('s').is_empty(), "its bytes are not made yet");
    let answer = Some(Box::new(job.run()));
    let effects = stage.event(Event::Frame { number: job.number, answer });
    assert!(asked(&effects)[0].1.len() > 20_000);
}
