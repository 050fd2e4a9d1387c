//! The gate: what is held and for how long, a rule that is written, and what keys do with frames and rules.

use crossterm::event::KeyCode;

use super::{
    attached::{lost, viewer},
    inspection::{ENDED, at, emit},
    screens::at_both_sizes,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        draw::class::MaskPolicy,
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        ui::{
            effect::{Effect, OnOutcome},
            event::Event,
            state::Focus,
        },
    },
    filter::Filter,
    ids::Seq,
    port::{
        Arm, Command, GateCommand, GateError, GateOutcome, GateRuleRow, InterceptedFrame, InterceptedRow,
        OnTimeout, Outcome, Page, PageBytes, PortError, Query, Then, Way,
    },
    tap::entry::{
        Direction, Frame, Head, Link, Redaction, Verdict, What,
        gate::{Intercepted, Passed, Passing},
        mpp as events,
    },
    time::{Now, Wall},
};

const DONE: &[u8] = b"{\"mpp\":2,\"type\":\"done\",\"id\":7}\n";

fn stop(stage: &mut TestConsole, number: u64, hold_ms: u64, verdict: events::Verdict) -> Seq {
    let frame = Frame {
        direction: Direction::Inbound,
        peer: "127.0.0.1:50312".into(),
        head: Head::Mpp(events::Head { kind: Some(events::FrameType::Done), ..events::Head::default() }),
        verdict: Verdict::Mpp(verdict),
        wire_bytes: u32::try_from(DONE.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    let it = Intercepted { number, rule: 1, hold_ms: Some(hold_ms), frame };
    emit(stage, What::Intercepted(Box::new(it)), DONE, None, false)
}

pub(super) fn pass(stage: &mut TestConsole, number: u64) {
    emit(stage, What::Passed(Passed { number, how: Passing::AsItWas, by: None }), b"", None, false);
}

fn rule(rule: u64, stage: &TestConsole) -> GateRuleRow {
    GateRuleRow {
        rule,
        filter: "link:mpp kind:done \"secret word\"".to_owned(),
        way: Some(Way::In),
        then: Then::Intercept,
        on_timeout: OnTimeout::Pass,
        by: "operator (pid 4711)".to_owned(),
        since_ms: Wall(0),
        until_ms: Wall(Now::at_ms(stage.ms).wall.0 + 290_000),
        taken: 3,
        frames_max: None,
        passed_full: 0,
        rewrites: false,
    }
}

/// Answers the question for rules among effects.
fn answer(stage: &mut TestConsole, effects: Vec<Effect>, rules: Vec<GateRuleRow>) {
    let question = |effect| match effect {
        Effect::Query { query: Query::GateRules, on_page } => Some(on_page),
        _ => None,
    };
    let on_page = effects.into_iter().find_map(question).unwrap();
    stage.event(Event::QueryAnswered { on_page, page: Ok(Page::GateRules(rules)) });
}

/// The only command among effects, and who is told of its outcome.
fn command(effects: Vec<Effect>) -> (GateCommand, Box<dyn OnOutcome>) {
    let command = |effect| match effect {
        Effect::Command { command: Command::Gate(command), on_outcome } => Some((command, on_outcome)),
        _ => None,
    };
    effects.into_iter().find_map(command).unwrap()
}

fn ended(
    stage: &mut TestConsole,
    on_outcome: Box<dyn OnOutcome>,
    outcome: Result<GateOutcome, GateError>,
) -> Vec<Effect> {
    let outcome = outcome.map(Outcome::Gate).map_err(PortError::Gate);
    stage.event(Event::CommandAnswered { on_outcome, outcome })
}

/// Two frames are held, and the gate is open.
pub(super) fn held(columns: u16, rows: u16) -> TestConsole {
    let mut stage = show(columns, rows);
    stop(&mut stage, 1, 12_000, events::Verdict::Refused(ENDED));
    stop(&mut stage, 2, 60_000, events::Verdict::Accepted);
    let effects = stage.char('I');
    let rules = vec![rule(1, &stage)];
    answer(&mut stage, effects, rules);
    stage
}

fn header(stage: &mut TestConsole) -> String {
    stage.text().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn the_header_counts_what_is_held_and_down_to_the_first_that_goes() {
    let mut stage = show(160, 50);
    assert!(!header(&mut stage).contains("INTERCEPTED"));
    assert!(!stage.text().contains("I intercepted"), "its key is named only while something is held");
    stop(&mut stage, 1, 60_000, events::Verdict::Accepted);
    stop(&mut stage, 2, 12_000, events::Verdict::Accepted);
    assert!(header(&mut stage).contains("INTERCEPTED 2 0:12"), "{}", header(&mut stage));
    assert!(stage.text().contains("I intercepted"), "{}", stage.text());
    stage.pass(7_000);
    assert!(header(&mut stage).contains("INTERCEPTED 2 0:05"), "{}", header(&mut stage));
    pass(&mut stage, 2);
    assert!(header(&mut stage).contains("INTERCEPTED 1 0:53"), "{}", header(&mut stage));
    pass(&mut stage, 1);
    assert!(!header(&mut stage).contains("INTERCEPTED"));
}

#[test]
fn what_a_station_held_that_is_gone_is_not_said_to_be_held() {
    let mut stage = viewer(160, 50);
    stop(&mut stage, 1, 60_000, events::Verdict::Accepted);
    assert!(header(&mut stage).contains("INTERCEPTED 1"), "{}", header(&mut stage));
    let gone = lost(&stage);
    stage.model.set_attachment(Some(gone), Now::at_ms(stage.ms));
    assert!(!header(&mut stage).contains("INTERCEPTED"), "{}", header(&mut stage));
}

#[test]
fn a_rehearsal_offers_the_faults_and_arms_them() {
    let mut stage = show(80, 24);
    stage.model.station_state.as_mut().unwrap().station.is_rehearsal = true;
    let effects = stage.char('I');
    answer(&mut stage, effects, Vec::new());
    stage.write("kind:pull");
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Down);
    stage.char('f');
    let text = stage.text();
    let wanted = "what matches passes, and commits fail for 500 ms";
    assert!(text.contains(wanted) && !text.contains("on timeout"), "{text}");
    let (armed, _) = command(stage.ctrl('s'));
    let GateCommand::Arm(arm) = armed else { panic!("{armed:?}") };
    assert_eq!(arm.then, Then::FailStore { ms: 500 });
}

#[test]
fn a_station_for_a_rehearsal_says_so_with_its_folder() {
    let rehearsal = |columns, rows| {
        let mut stage = show(columns, rows);
        stage.model.station_state.as_mut().unwrap().station.is_rehearsal = true;
        stage
    };
    let wide = header(&mut rehearsal(220, 50));
    let folder = rehearsal(80, 24).model.station_state.unwrap().station.data;
    assert!(wide.contains(&format!("REHEARSAL {}", folder.display())), "{wide}");
    assert!(header(&mut rehearsal(80, 24)).contains("REHEARSAL"));
    assert!(!header(&mut show(160, 50)).contains("REHEARSAL"));
}

#[test]
fn a_rule_is_filled_in_of_the_focused_pane_and_armed() {
    let mut stage = show(160, 50);
    stage.ui.show(ViewId::Sessions);
    stage.ui.focus = Focus::Pane(PaneId::Sessions);
    let effects = stage.char('I');
    answer(&mut stage, effects, Vec::new());
    assert_eq!(stage.ui.key_scope(), KeyScope::GateRule);
    assert!(stage.text().contains("link:macp"), "{}", stage.text());
    assert!(stage.text().contains("no rule is armed: every frame passes"));
    stage.write("type:Vote");
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Right);
    stage.key(KeyCode::Down);
    stage.char('d');
    let (armed, on_outcome) = command(stage.ctrl('s'));
    let wanted = Arm {
        filter: "link:macp type:Vote".to_owned(),
        way: Some(Way::In),
        on_timeout: OnTimeout::Drop,
        ..Arm::default()
    };
    assert_eq!(armed, GateCommand::Arm(wanted));
    let effects = ended(&mut stage, on_outcome, Ok(GateOutcome::Armed { rule: 4 }));
    let rules = vec![rule(4, &stage)];
    answer(&mut stage, effects, rules);
    let text = stage.text();
    assert!(text.contains("rule 4 armed") && text.contains("Rules: 1 armed"), "{text}");
    assert_eq!(stage.ui.key_scope(), KeyScope::Gate, "the next keys are for what it holds");
}

#[test]
fn a_pane_of_its_own_fields_gives_its_link_alone_and_the_wire_its_filter() {
    let mut stage = show(160, 50);
    stage.ui.show(ViewId::Wire);
    stage.ui.focus = Focus::Pane(PaneId::Wire);
    stage.char('/');
    stage.write("kind:pull");
    stage.key(KeyCode::Enter);
    stage.char('I');
    let text = stage.text();
    assert!(text.contains("filter     kind:pull"), "{text}");
    stage.key(KeyCode::Esc);
    stage.ui.show(ViewId::Deck);
    stage.ui.focus = Focus::Pane(PaneId::InFlight);
    let of_rows = Filter::parse("age>2s state:dispatched", crate::console::ui::specs(PaneId::InFlight));
    assert!(of_rows.is_ok());
    stage.ui.table_settings_mut(PaneId::InFlight).set_filter(of_rows.ok());
    stage.char('I');
    let text = stage.text();
    assert!(text.contains("filter     link:mpp") && !text.contains("state:dispatched"), "{text}");
}

#[test]
fn a_fault_of_the_filter_is_shown_and_a_rule_without_one_is_refused() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Chips(0);
    let effects = stage.char('I');
    answer(&mut stage, effects, Vec::new());
    assert!(stage.ctrl('s').is_empty());
    assert!(stage.text().contains("a rule needs a filter"), "{}", stage.text());
    stage.write("nope:1");
    let text = stage.text();
    assert!(text.contains("✗ ") && text.contains("nope"), "{text}");
    assert!(stage.ctrl('s').is_empty());
    stage.key(KeyCode::Esc);
    assert!(stage.ui.overlays.is_empty());
}

#[test]
fn a_rule_is_bounded_by_the_numbers_that_are_written_and_wrong_ones_are_said() {
    let mut stage = show(80, 24);
    let effects = stage.char('I');
    answer(&mut stage, effects, Vec::new());
    stage.write("kind:pull");
    for text in ["", "", "12", "2.5", "200", "7"] {
        stage.key(KeyCode::Down);
        stage.write(text);
    }
    let text = stage.text();
    assert!(text.contains("percent: takes 0.1 to 100"), "{text}");
    assert!(stage.ctrl('s').is_empty());
    stage.key(KeyCode::Up);
    stage.key(KeyCode::Backspace);
    assert!(stage.text().contains("20 % of what matches is held"), "{}", stage.text());
    let GateCommand::Arm(arm) = command(stage.ctrl('s')).0 else { panic!("it is armed") };
    let bounds = (arm.frames_max, arm.for_ms, arm.per_mille, arm.seed);
    assert_eq!(bounds, (Some(12), Some(2_500), Some(200), Some(7)));
}

#[test]
fn the_keys_of_the_list_pass_drop_and_disarm() {
    let mut stage = held(160, 50);
    assert_eq!(stage.ui.key_scope(), KeyScope::Gate);
    let text = stage.text();
    for wanted in ["Gate: 2 frames held", "0:12", "refused", "Rules: 1 armed", "link:mpp kind:done"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert_eq!(command(stage.char('p')).0, GateCommand::Pass { frames: vec![1] });
    assert_eq!(command(stage.char('P')).0, GateCommand::Pass { frames: vec![1, 2] });
    stage.key(KeyCode::Down);
    let (dropped, on_outcome) = command(stage.char('x'));
    assert_eq!(dropped, GateCommand::Drop { frames: vec![2] });
    ended(&mut stage, on_outcome, Ok(GateOutcome::Released { frames: vec![2] }));
    assert!(stage.text().contains("frame 2 dropped: done from 127.0.0.1:50312"), "{}", stage.text());
    pass(&mut stage, 2);
    let (_, on_outcome) = command(stage.char('p'));
    ended(&mut stage, on_outcome, Err(GateError::NotIntercepted { frame: 1 }));
    assert!(stage.text().contains("frame 1 is not held: it has passed, or never was"), "{}", stage.text());
    assert!(stage.char('d').is_empty());
    assert!(stage.text().contains("Tab goes to the rules"), "{}", stage.text());
    stage.key(KeyCode::BackTab);
    assert_eq!(command(stage.key(KeyCode::Delete)).0, GateCommand::Disarm { rule: Some(1) });
}

#[test]
fn the_lifetime_of_a_held_message_is_shown_on_a_narrow_screen() {
    let mut stage = held(80, 24);
    let mut it = stage.model.station.intercepted.get(1).unwrap().clone();
    it.expires_at = Some(Wall(Now::at_ms(stage.ms).wall.0 + 42_000));
    stage.model.station.intercepted.put(it);
    let text = stage.text();
    assert!(text.contains(" ttl ") && text.contains(" 42s "), "{text}");
}

#[test]
fn a_call_is_dropped_after_a_question() {
    let mut stage = show(160, 50);
    let seq = stop(&mut stage, 3, 60_000, events::Verdict::Accepted);
    // As if it were a call of the runtime: what is asked hangs on the link alone.
    let mut it = stage.model.station.intercepted.get(3).unwrap().clone();
    it.link = Link::Macp;
    stage.model.station.intercepted.put(it);
    stage.char('I');
    assert!(stage.char('x').is_empty());
    let text = stage.text();
    assert!(text.contains("Drop frame 3?") && text.contains("That call is cancelled"), "{text}");
    assert_eq!(command(stage.char('y')).0, GateCommand::Drop { frames: vec![3] });
    assert!(seq > Seq(0));
}

#[test]
fn enter_reads_the_entry_that_says_it_was_stopped() {
    let mut stage = show(160, 50);
    let seq = stop(&mut stage, 1, 60_000, events::Verdict::Accepted);
    stage.char('I');
    stage.key(KeyCode::Enter);
    assert_eq!(at(&stage), Some(seq));
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Gate);
}

/// Opens the selected frame in the workbench; what is asked then.
pub(super) fn edit(stage: &mut TestConsole, number: u64) -> Vec<Effect> {
    let effects = stage.char('e');
    let question = |effect| match effect {
        Effect::Query { query: Query::InterceptedFrame { frame }, on_page } if frame == number => {
            Some(on_page)
        }
        _ => None,
    };
    let on_page = effects.into_iter().find_map(question).unwrap();
    let row = InterceptedRow {
        frame: number,
        rule: 1,
        link: Link::Mpp,
        way: Way::In,
        peer: "127.0.0.1:50312".into(),
        kind: "done".to_owned(),
        line: "done".to_owned(),
        bytes: DONE.len() as u64,
        verdict: "refused".to_owned(),
        clause: None,
        since_ms: Wall(0),
        until_ms: Wall(Now::at_ms(stage.ms).wall.0 + 12_000),
        on_timeout: OnTimeout::Pass,
        expires_at_ms: None,
        ttl_in_ms: None,
    };
    let frame = InterceptedFrame { row, bytes: PageBytes(DONE.to_vec()) };
    let page = Ok(Page::InterceptedFrame(Box::new(frame)));
    stage.event(Event::QueryAnswered { on_page, page })
}

#[test]
fn a_frame_is_edited_in_the_workbench_and_goes_in_its_place() {
    let mut stage = held(160, 50);
    edit(&mut stage, 1);
    assert_eq!(stage.ui.key_scope(), KeyScope::Workbench);
    let text = stage.text();
    for wanted in
        ["Workbench: frame 1 at the gate", "its time is up in 0:12", "this frame alone", "\"id\": 7"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // Left and opened again, it is as it was.
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::End);
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Gate);
    assert!(
        stage
            .char('e')
            .iter()
            .all(|effect| !matches!(effect, Effect::Query { query: Query::InterceptedFrame { .. }, .. }))
    );
    stage.key(KeyCode::F(4));
    assert!(stage.text().contains("the rule keeps this change"), "{}", stage.text());
    let (edited, on_outcome) = command(stage.ctrl('s'));
    let GateCommand::Edit { frame: 1, bytes, keeps: true } = edited else { panic!("{edited:?}") };
    assert_eq!(bytes, PageBytes(DONE.to_vec()));
    assert!(stage.ctrl('s').is_empty(), "once");
    let why = GateError::NotKept { why: "the id is another one each time".to_owned() };
    ended(&mut stage, on_outcome, Err(why));
    assert!(stage.text().contains("this change cannot be kept"), "{}", stage.text());
    stage.key(KeyCode::F(4));
    let (_, on_outcome) = command(stage.ctrl('s'));
    ended(&mut stage, on_outcome, Ok(GateOutcome::Released { frames: vec![1] }));
    assert_eq!(stage.ui.key_scope(), KeyScope::Gate);
    assert!(stage.text().contains("frame 1 passed, edited"), "{}", stage.text());
}

#[test]
fn an_edit_is_not_lost_when_another_held_frame_is_edited_and_goes_with_its_frame() {
    let mut stage = held(160, 50);
    edit(&mut stage, 1);
    stage.char('x');
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Down);
    edit(&mut stage, 2);
    stage.char('y');
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Up);
    let asks = |effects: &[Effect]| {
        effects.iter().any(|it| matches!(it, Effect::Query { query: Query::InterceptedFrame { .. }, .. }))
    };
    assert!(!asks(&stage.char('e')), "it is as it was left");
    assert!(stage.text().contains("frame 1 at the gate"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    pass(&mut stage, 1);
    stage.text();
    assert!(!asks(&stage.char('e')), "the other is too");
    assert!(stage.text().contains("frame 2 at the gate"), "{}", stage.text());
    let kept: Vec<u64> = stage.ui.systems.workbench.kept_edits.keys().copied().collect();
    assert_eq!(kept, [0_u64; 0], "of a frame that has passed nothing is kept");
}

#[test]
fn the_draft_of_the_workbench_is_no_edit_of_a_held_frame() {
    let mut stage = show(160, 50);
    stage.char('i');
    stage.key(KeyCode::Esc);
    stop(&mut stage, 1, 60_000, events::Verdict::Accepted);
    stage.char('I');
    edit(&mut stage, 1);
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Esc);
    stage.char('i');
    let text = stage.text();
    assert!(text.contains("Workbench") && !text.contains("at the gate"), "{text}");
    stage.key(KeyCode::F(4));
    assert!(stage.text().contains("only an edit at the gate"), "{}", stage.text());
}

#[test]
fn a_viewer_sees_the_gate_and_is_told_that_its_token_is_read_only() {
    let mut stage = viewer(160, 50);
    stop(&mut stage, 1, 60_000, events::Verdict::Accepted);
    stage.char('I');
    assert!(stage.text().contains("Gate: 1 frame held"), "{}", stage.text());
    for action in [Action::PassFrame, Action::DropFrame, Action::PassAllFrames, Action::EditFrame] {
        stage.ui.message = None;
        assert!(stage.act(action).is_empty());
        assert!(stage.ui.message.as_ref().unwrap().text.contains("read-only"), "{:?}", stage.ui.message);
    }
}

#[test]
fn on_air_the_values_of_rules_and_of_frames_are_masked() {
    let mut stage = held(160, 50);
    stage.view.mask_policy = MaskPolicy { logins: true, payloads: true };
    let text = stage.text();
    assert!(!text.contains("secret word") && text.contains("Gate: 2 frames held"), "{text}");
    edit(&mut stage, 1);
    let text = stage.text();
    assert!(text.contains("\"id\": ") && !text.contains("\"id\": 7") && !text.contains("7b 22"), "{text}");
}

#[test]
fn stopped_time_shows_what_was_held_in_the_wire_and_the_present_in_the_gate() {
    let mut stage = show(160, 50);
    stop(&mut stage, 1, 60_000, events::Verdict::Accepted);
    stage.char(' ');
    pass(&mut stage, 1);
    let past = stage.ui.time.visible_model().unwrap();
    assert!(past.station.intercepted.get(1).is_some(), "it was held then");
    drop(past);
    let text = header(&mut stage);
    assert!(text.contains("PAUSED") && !text.contains("INTERCEPTED"), "{text}");
}

#[test]
fn the_gate_on_the_screen() {
    at_both_sizes("gate", held);
    at_both_sizes("gate_new_rule", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.model.station_state.as_mut().unwrap().station.is_rehearsal = true;
        let effects = stage.char('I');
        answer(&mut stage, effects, Vec::new());
        stage.write("kind:done nope:1");
        stage
    });
    at_both_sizes("gate_edit", |columns, rows| {
        let mut stage = held(columns, rows);
        edit(&mut stage, 1);
        stage
    });
}
