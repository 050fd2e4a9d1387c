//! Hold and drain: what keys do, and what is seen of it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{
    bus_samples::with_drops,
    runs_samples::with_runs,
    steps::commands,
    test_console::{TestConsole, connected, enqueued, show},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        ui::{effect::Effect, event::Event, state::Focus},
    },
    mpp,
    port::Command,
    runs,
    tap::entry::{
        mpp::{Brake, CloseCause, Transition},
        station,
    },
};

fn held(stage: &mut TestConsole, queue: &str, held: bool, draining: bool) {
    stage.mpp(Transition::Braked { queue: queue.into(), brake: Brake { held, draining } }, "");
}

/// The station has the brake of the runs on.
fn runs_held(stage: &mut TestConsole) {
    let by = runs::Asker { kind: runs::AskerKind::Tui, client: "operator".into() };
    stage.runs(runs::Transition::Braked { held: true, by }, "");
}

fn of_runs(effects: &[Effect]) -> Vec<runs::Command> {
    let command = |effect: &Effect| match effect {
        Effect::Command { command: Command::Runs(command), .. } => Some(command.clone()),
        _ => None,
    };
    effects.iter().filter_map(command).collect()
}

#[test]
fn everything_is_held_and_resumed_with_the_attempts_of_runs_and_the_first_line_says_what_is() {
    let mut stage = show(160, 50);
    assert_eq!(of_runs(&stage.ctrl('x')), [runs::Command::Hold]);
    held(&mut stage, "boss", true, false);
    held(&mut stage, "default", true, false);
    assert!(stage.text().contains("‖ QUEUES HELD"), "{}", stage.text());
    assert_eq!(of_runs(&stage.ctrl('x')), [runs::Command::Hold], "runs go on yet");
    runs_held(&mut stage);
    assert!(stage.text().contains("‖ ALL HELD"), "{}", stage.text());
    assert_eq!(of_runs(&resumed(&mut stage)), [runs::Command::Release]);
    held(&mut stage, "boss", false, false);
    assert!(stage.text().contains("‖ RUNS HELD, 1 held"), "{}", stage.text());
}

fn ctrl_x(stage: &mut TestConsole) -> Vec<mpp::Command> {
    let key = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL);
    let effects = stage.event(Event::Key { key, at: crate::time::Mono(stage.ms * 1_000_000) });
    stage.pass(10);
    commands(effects)
}

/// What is sent once the question of `U` is answered with yes.
fn resumed(stage: &mut TestConsole) -> Vec<Effect> {
    assert_eq!(stage.char('U'), [], "it asks");
    stage.text();
    stage.char('y')
}

#[test]
fn the_brake_only_ever_holds() {
    let mut stage = show(80, 24);
    held(&mut stage, "boss", true, false);
    assert_eq!(ctrl_x(&mut stage), [mpp::Command::Hold { queue: None }], "default is not held");
    held(&mut stage, "default", true, false);
    runs_held(&mut stage);
    for _ in 0..3 {
        assert_eq!(ctrl_x(&mut stage), []);
        assert!(stage.text().contains("everything is already held; U resumes it"), "{}", stage.text());
    }
}

#[test]
fn resuming_asks_says_what_goes_on_and_leaves_a_drain() {
    let mut stage = show(80, 24);
    stage.char('U');
    assert!(stage.text().contains("nothing is held") && stage.ui.overlays.is_empty(), "{}", stage.text());
    held(&mut stage, "boss", true, true);
    stage.char('U');
    let text = stage.text();
    assert!(text.contains("boss will dispatch again, and stays draining: 0 pending."), "{text}");
    assert!(!text.contains("default dispatches") && !text.contains("Attempts"), "they are not held: {text}");
    stage.key(KeyCode::Esc);
    runs_held(&mut stage);
    let effects = resumed(&mut stage);
    assert_eq!(of_runs(&effects), [runs::Command::Release]);
    assert_eq!(commands(effects), [mpp::Command::Release { queue: None }], "a hold alone ends");
}

#[test]
fn what_was_resumed_while_the_question_was_open_is_not_resumed_again() {
    let mut stage = show(80, 24);
    held(&mut stage, "boss", true, false);
    stage.char('U');
    held(&mut stage, "boss", false, false);
    assert!(stage.text().contains("Already resumed."), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
    assert!(stage.text().contains("already resumed"), "{}", stage.text());
}

#[test]
fn releasing_one_queue_keeps_its_drain() {
    let mut stage = show(80, 24);
    held(&mut stage, "boss", true, true);
    assert_eq!(commands(stage.char('D')), []);
    assert!(stage.text().contains("boss is held: H resumes it first"), "{}", stage.text());
    assert_eq!(commands(stage.char('H')), [mpp::Command::Release { queue: Some("boss".into()) }]);
}

#[test]
fn an_empty_in_flight_names_the_operators_own_brakes_first() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    stage.mpp(enqueued(1, "boss"), "");
    held(&mut stage, "boss", true, false);
    assert!(stage.text().contains("none: all pending work is on held queues"), "{}", stage.text());
    held(&mut stage, "default", true, false);
    assert!(stage.text().contains("none: every queue is held (U resumes all)"), "{}", stage.text());
}

#[test]
fn a_drain_is_seen_in_the_first_line_and_on_the_chip() {
    let mut stage = show(80, 24);
    held(&mut stage, "boss", false, true);
    let text = stage.text();
    assert!(text.contains("↓ drain: boss") && text.contains("MPP ◐") && text.contains("loss 0"), "{text}");
    held(&mut stage, "default", false, true);
    assert!(stage.text().contains("↓ 2 draining"), "{}", stage.text());
}

#[test]
fn a_drain_that_has_come_to_its_end_is_said_in_every_view() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    stage.mpp(enqueued(1, "boss"), "");
    held(&mut stage, "boss", false, true);
    held(&mut stage, "default", false, true);
    for view in ['1', '2', '9'] {
        stage.char(view);
        let first = stage.text().lines().next().unwrap().to_owned();
        assert!(first.contains("↓ drain: boss") && first.contains("↓ drained: default"), "{first}");
    }
}

#[test]
fn brakes_say_where_they_work_and_rows_do_not_lead_out_of_their_pane() {
    let mut stage = show(80, 24);
    for _ in 0..5 {
        stage.key(KeyCode::Down);
    }
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Queues));
    for _ in 0..5 {
        stage.key(KeyCode::Up);
    }
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Queues));
    stage.key(KeyCode::Tab);
    stage.char('H');
    assert!(stage.text().contains("H needs a queue: tab to Queues"), "{}", stage.text());
    stage.char('M');
    assert!(stage.text().contains("the mouse is free"), "{}", stage.text());
}

#[test]
fn everything_is_held_from_wherever_the_keys_are() {
    let open = [
        ("the events", "n"),
        ("the alerts", "a"),
        ("help", "?"),
        ("the keys", "??"),
        ("the palette", ":"),
        ("a question", "K"),
        ("the palette over the events", "n:"),
    ];
    for (name, keys) in open {
        let mut stage = show(80, 24);
        stage.write(keys);
        assert!(!stage.ui.overlays.is_empty() || stage.ui.palette.is_some(), "{name}");
        assert_eq!(commands(stage.ctrl('x')), [mpp::Command::Hold { queue: None }], "{name}");
        assert!(!stage.ui.overlays.is_empty() || stage.ui.palette.is_some(), "{name} stays");
    }
}

#[test]
fn the_first_line_says_everything_that_matters_at_the_smallest_size() {
    let mut stage = show(80, 24);
    held(&mut stage, "boss", true, true);
    held(&mut stage, "default", true, true);
    runs_held(&mut stage);
    stage.mpp(
        Transition::Disconnected {
            peer: "127.0.0.1:50312".into(),
            active: true,
            cause: CloseCause::PeerClosed,
        },
        "",
    );
    stage.pass(6_000);
    stage.tick();
    let text = stage.text();
    let first = text.lines().next().unwrap_or_default();
    for words in ["● LIVE", "! 1 alert", "●REC", "‖ ALL HELD", "↓ 2 drain", "loss 0"] {
        assert!(first.contains(words), "{words}: {first}");
    }
    assert!(!first.contains('…'), "{first}");
    assert!(text.contains("MPP ◐ no adapter"), "{text}");
}

/// The last line of the screen.
fn footer(stage: &mut TestConsole) -> String {
    stage.text().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn where_everything_is_held_the_footer_offers_to_resume() {
    for (columns, rows) in [(80, 24), (160, 50)] {
        let mut stage = show(columns, rows);
        assert!(!footer(&mut stage).contains("resume all"), "{}", footer(&mut stage));
        held(&mut stage, "boss", true, false);
        held(&mut stage, "default", true, false);
        assert!(!footer(&mut stage).contains("resume all"), "runs are not: {}", footer(&mut stage));
        runs_held(&mut stage);
        let last = footer(&mut stage);
        assert!(last.contains("U resume all") && !last.contains("hold all"), "{last}");
    }
}

#[test]
fn the_footer_names_the_alerts_at_the_smallest_size_while_some_are_active() {
    let mut stage = show(80, 24);
    assert!(!footer(&mut stage).contains("a alerts"), "{}", footer(&mut stage));
    stage.station(station::Transition::DiskLow { free_bytes: 9 << 20 }, "");
    stage.tick();
    let last = footer(&mut stage);
    for words in ["a alerts", "? ", "q quit"] {
        assert!(last.contains(words), "{words}: {last}");
    }
}

#[test]
fn an_approval_is_said_before_what_is_held_and_reasons_before_counters() {
    let mut stage = with_drops(with_runs(show(80, 24)));
    runs_held(&mut stage);
    stage.mpp(
        Transition::Disconnected {
            peer: "127.0.0.1:50312".into(),
            active: true,
            cause: CloseCause::PeerClosed,
        },
        "",
    );
    stage.station(station::Transition::DiskLow { free_bytes: 9 << 20 }, "");
    for view in ['1', '2', '3', '4'] {
        stage.char(view);
        let text = stage.text();
        let chips = text.lines().nth(1).unwrap_or_default();
        for words in ["MPP ◐ no adapter", "RMP ◐ 17 drops/min", "RUNS ◐ 1 approval"] {
            assert!(chips.contains(words), "{view} {words}: {chips}");
        }
    }
}
