//! The palette, the list of keys and help, by keys and clicks.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{
    steps::commands,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::{
            action::Action,
            keymap::{KeyScope, Keymap},
            pane_id::PaneId,
        },
        settings::shell::{Runnable, Subcommand, SubcommandEnd, SubcommandResult},
        systems::bridge::Pending,
        ui::{effect::Effect, event::Event, history::History, palette::Hit, state::Focus},
    },
    ids::Seq,
    mpp,
    port::{Command, Outcome, TriggerCommand, TriggerOutcome},
    time::Mono,
};

fn types(stage: &mut TestConsole, text: &str) -> Vec<Effect> {
    text.chars().flat_map(|character| stage.char(character)).collect()
}

fn ctrl(stage: &mut TestConsole, character: char) -> Vec<Effect> {
    let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::CONTROL);
    stage.event(Event::Key { key, at: Mono(stage.ms * 1_000_000) })
}

fn click(stage: &mut TestConsole, column: u16, row: u16) -> Vec<Effect> {
    let kind = MouseEventKind::Down(MouseButton::Left);
    stage.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

fn ran(output: &str, end: SubcommandEnd) -> SubcommandResult {
    SubcommandResult { output: output.to_owned(), cut: false, end }
}

/// The palette with these letters typed.
fn palette(text: &str) -> TestConsole {
    let mut stage = show(100, 30);
    stage.char(':');
    types(&mut stage, text);
    stage
}

fn first_hit(stage: &TestConsole) -> Hit {
    stage.ui.palette.as_ref().unwrap().hit().unwrap().clone()
}

#[test]
fn an_action_is_done_by_a_few_letters_of_its_name() {
    let mut stage = palette("hlal");
    assert_eq!(first_hit(&stage), Hit::Action(Action::HoldAll));
    assert!(stage.text().contains("ctrl-x"), "its key stands beside it: {}", stage.text());
    let mut effects = stage.key(KeyCode::Enter);
    assert_eq!(effects[0], Effect::Remember("hold-all".to_owned()));
    assert_eq!(commands(effects.split_off(1)), [mpp::Command::Hold { queue: None }]);
    assert!(stage.ui.palette.is_none());
}

#[test]
fn letters_are_letters_while_the_palette_is_open() {
    let mut stage = palette("q");
    assert_eq!((stage.ui.key_scope(), stage.ui.overlays.len()), (KeyScope::Palette, 0));
    stage.char('H');
    assert_eq!(stage.ui.palette.as_ref().unwrap().text(), "qH");
    ctrl(&mut stage, 'c');
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues), "Ctrl-C closes the layer");
}

#[test]
fn a_question_that_the_palette_opens_is_not_answered_by_what_was_typed_before_it_was_seen() {
    let mut stage = palette("kick");
    stage.burst(&[KeyCode::Enter, KeyCode::Char('y')]);
    assert_eq!(stage.ui.key_scope(), KeyScope::Dialog);
    stage.key(KeyCode::F(9));
    assert_eq!(commands(stage.char('y')), [mpp::Command::Kick]);
}

#[test]
fn what_would_do_nothing_says_why_and_stays() {
    let mut stage = show(100, 30);
    stage.key(KeyCode::Tab);
    stage.char(':');
    types(&mut stage, "drain");
    assert!(stage.text().contains("needs a queue"), "{}", stage.text());
    assert_eq!(stage.key(KeyCode::Enter), []);
    assert!(stage.ui.palette.is_some());
    assert!(stage.ui.message.as_ref().unwrap().text.contains("needs a queue"));
    types(&mut stage, "zzz");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.message.as_ref().unwrap().text, "there is no command `drainzzz`");
}

#[test]
fn only_what_works_below_is_offered_and_help_always() {
    let mut stage = show(100, 30);
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Pending));
    stage.char(':');
    types(&mut stage, "zoom");
    assert_ne!(stage.ui.palette.as_ref().unwrap().hit(), Some(&Hit::Action(Action::Zoom)));
    ctrl(&mut stage, 'u');
    types(&mut stage, "keys");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Keys);
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Pending));
}

#[test]
fn a_subcommand_runs_and_shows_what_it_printed_with_its_exit_code() {
    let mut stage = palette("invocation cancel 99 --reason 'too late'");
    let words = ["invocation", "cancel", "99", "--reason", "too late"].map(str::to_owned).to_vec();
    assert_eq!(first_hit(&stage), Hit::Typed(words.clone()));
    let effects = stage.key(KeyCode::Enter);
    assert_eq!(effects[1], Effect::Run { number: 1, words });
    assert!(stage.text().contains("running; esc stops it"), "{}", stage.text());
    stage.event(Event::SubcommandEnded { number: 7, ran: ran("of another", SubcommandEnd::Exited(0)) });
    assert!(stage.text().contains("running"));
    let printed = "error: 99 is done\n  hint: \u{1b}[2J\u{202e}nothing to do\r\n";
    stage.event(Event::SubcommandEnded { number: 1, ran: ran(printed, SubcommandEnd::Exited(1)) });
    let text = stage.text();
    assert!(
        text.contains("✗ exit 1") && text.contains("error: 99 is done") && text.contains("␛[2J<202e>nothing"),
        "{text}"
    );
    assert_eq!(stage.key(KeyCode::Esc), [], "nothing runs that could be ended");
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
}

#[test]
fn a_filter_behind_trigger_adds_one_and_says_how_it_is_removed() {
    let mut stage = palette("trigger kind:(");
    assert!(stage.text().contains("kind:("), "{}", stage.text());
    assert_eq!(stage.key(KeyCode::Enter), [], "it cannot be read");
    assert!(stage.ui.palette.is_some() && stage.ui.message.is_some());
    ctrl(&mut stage, 'u');
    types(&mut stage, "trigger kind:dispatch what:refused");
    let effects = stage.key(KeyCode::Enter);
    assert!(stage.ui.palette.is_none());
    assert_eq!(effects[0], Effect::Remember("trigger kind:dispatch what:refused".to_owned()));
    let mut commands = effects.into_iter().filter_map(|effect| match effect {
        Effect::Command { command, on_outcome } => Some((command, on_outcome)),
        _ => None,
    });
    let Some((Command::Trigger(TriggerCommand::Add(spec)), on_outcome)) = commands.next() else {
        panic!("no trigger was added")
    };
    assert_eq!(spec.name, "kind-dispatch-what-refused");
    assert_eq!(spec.when, "kind:dispatch what:refused");
    assert!(spec.mark && spec.alert && spec.clip.is_none() && spec.run.is_empty());
    let outcome = Ok(Outcome::Trigger(TriggerOutcome::Added { after: Seq(7) }));
    stage.event(Event::CommandAnswered { on_outcome, outcome });
    let said = stage.ui.message.as_ref().unwrap().text.as_str();
    assert!(said.contains("trigger kind-dispatch-what-refused added"), "{said}");
    assert!(said.contains("`:trigger rm kind-dispatch-what-refused`"), "{said}");
}

#[test]
fn a_recording_is_opened_over_the_station_and_its_lines_are_a_subcommand() {
    let opened = |line: &str| {
        let mut stage = show(100, 30);
        stage.view.subcommands = Arc::new([Subcommand {
            name: "replay".to_owned(),
            about: "Replay a recording".to_owned(),
            usage: "replay FILE".to_owned(),
            needs_more: true,
            runnable: Runnable::Over { or_with: "--plain" },
            is_earlier: false,
        }]);
        stage.char(':');
        types(&mut stage, line);
        let mut effects = stage.key(KeyCode::Enter);
        (effects.len() > 1).then(|| effects.swap_remove(1))
    };
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    let line = "replay night.mcap --at +9s";
    assert_eq!(opened(line), Some(Effect::OpenRecording { words: words(line) }));
    let line = "replay night.mcap --plain";
    assert_eq!(opened(line), Some(Effect::Run { number: 1, words: words(line) }));
    assert_eq!(opened("replay"), None, "it is completed");
}

#[test]
fn trigger_alone_is_completed_and_offered_with_its_usage() {
    let mut stage = palette("trigger");
    assert_eq!(first_hit(&stage), Hit::Trigger(None));
    assert!(stage.text().contains("trigger FILTER"), "{}", stage.text());
    assert_eq!(stage.key(KeyCode::Enter), []);
    assert_eq!(stage.ui.palette.as_ref().unwrap().text(), "trigger ");
}

#[test]
fn going_back_ends_a_subcommand_that_runs() {
    let mut stage = palette("doctor");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.key(KeyCode::Esc), [Effect::StopRun { number: 1 }]);
    stage.event(Event::SubcommandEnded { number: 1, ran: ran("", SubcommandEnd::Killed) });
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
}

#[test]
fn a_subcommand_that_needs_more_is_completed_first() {
    let mut stage = palette("invstl");
    assert_eq!(stage.key(KeyCode::Enter), []);
    assert_eq!(stage.ui.palette.as_ref().unwrap().text(), "invocation settle ");
    types(&mut stage, "12 done");
    let effects = stage.key(KeyCode::Enter);
    assert_eq!(
        effects[1],
        Effect::Run { number: 1, words: ["invocation", "settle", "12", "done"].map(str::to_owned).to_vec() }
    );
    let mut stage = palette("dctr");
    stage.key(KeyCode::Tab);
    assert_eq!(stage.ui.palette.as_ref().unwrap().text(), "doctor ");
}

#[test]
fn what_cannot_run_here_says_why_and_how_it_is_typed_elsewhere() {
    let mut stage = palette("serve");
    assert_eq!(stage.key(KeyCode::Enter), [Effect::Remember("serve".to_owned())]);
    let text = stage.text();
    assert!(
        text.contains("it needs a terminal of its own") && text.contains("rl-console --data ./friday serve"),
        "{text}"
    );
    let mut stage = palette("pair --rotate");
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("it prints the token"), "no screen shows a token: {}", stage.text());
    let mut stage = palette("pair --out token");
    assert!(matches!(&stage.key(KeyCode::Enter)[..], [_, Effect::Run { .. }]));
}

#[test]
fn up_in_an_empty_line_walks_what_was_run_before() {
    let mut stage = show(100, 30);
    stage.ui.history = History::new(["settle 1 done", "hold-all"].map(str::to_owned), 10);
    stage.char(':');
    let typed = |stage: &TestConsole| stage.ui.palette.as_ref().unwrap().text().to_owned();
    let walk = |stage: &mut TestConsole, key| {
        stage.key(key);
        typed(stage)
    };
    assert_eq!(walk(&mut stage, KeyCode::Up), "hold-all");
    assert_eq!(walk(&mut stage, KeyCode::Up), "settle 1 done");
    assert_eq!(walk(&mut stage, KeyCode::Up), "settle 1 done");
    assert_eq!(walk(&mut stage, KeyCode::Down), "hold-all");
    assert_eq!(walk(&mut stage, KeyCode::Down), "");
    types(&mut stage, "se");
    assert_eq!(walk(&mut stage, KeyCode::Up), "se", "what is being written is not lost");
}

#[test]
fn pasted_lines_do_not_run_by_themselves() {
    let mut stage = palette("");
    assert_eq!(stage.event(Event::Paste("settle 1 done\nquit\n".to_owned())), []);
    assert_eq!(stage.ui.palette.as_ref().unwrap().text(), "settle 1 done quit ");
}

#[test]
fn a_click_selects_and_a_second_one_runs() {
    let mut stage = palette("");
    assert_eq!(click(&mut stage, 20, 10), []);
    let chosen = first_hit(&stage);
    assert_eq!(chosen, Hit::Action(Action::Drain), "{}", stage.text());
    assert_eq!(
        commands(click(&mut stage, 20, 10).split_off(1)),
        [mpp::Command::Drain { queue: Some("boss".into()) }]
    );
    let mut stage = show(100, 30);
    click(&mut stage, 10, 5);
    assert!(stage.ui.overlays.is_empty());
    click(&mut stage, 10, 5);
    assert!(stage.ui.top::<Pending>().is_some_and(|pending| pending.queue.as_str() == "default"));
}

#[test]
fn the_list_of_keys_is_found_by_name_key_and_place_and_says_whose_they_are() {
    let mut stage = show(100, 30);
    let keys = ["f8".to_owned()];
    stage.view.keymap = Keymap::with([("hold-all", &keys[..])]).unwrap();
    stage.char('?');
    assert!(stage.text().contains("f8             hold all"), "{}", stage.text());
    stage.char('?');
    assert_eq!(stage.ui.key_scope(), KeyScope::Keys);
    types(&mut stage, "f8");
    let text = stage.text();
    assert!(
        text.contains("hold-all")
            && text.contains("custom")
            && text.contains("console.keys.hold-all (custom)"),
        "{text}"
    );
    assert!(!text.contains("settle-done"));
    types(&mut stage, "zzz");
    assert!(stage.text().contains("no matches"));
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Esc);
    assert_eq!(
        (stage.ui.focus, stage.ui.overlays.len()),
        (Focus::Pane(crate::console::input::pane_id::PaneId::Queues), 0)
    );
}

#[test]
fn a_click_and_the_wheel_move_within_the_list_of_keys() {
    let mut stage = show(80, 24);
    types(&mut stage, "??");
    click(&mut stage, 10, 6);
    assert!(stage.text().contains("console.keys.keys "), "{}", stage.text());
    let wheel =
        MouseEvent { kind: MouseEventKind::ScrollDown, column: 10, row: 6, modifiers: KeyModifiers::NONE };
    stage.event(Event::Mouse(wheel));
    assert!(stage.text().contains("console.keys.back "), "{}", stage.text());
}

#[test]
fn details_go_back_at_once_after_scrolling_past_their_end() {
    let mut stage = show(80, 24);
    for key in [KeyCode::BackTab, KeyCode::Enter] {
        stage.key(key);
    }
    stage.ui.rows = 24;
    let before = stage.text();
    for _ in 0..5 {
        stage.key(KeyCode::PageDown);
    }
    stage.key(KeyCode::Home);
    assert_eq!(stage.text(), before);
}

#[test]
fn help_and_the_list_of_keys_scroll_to_their_last_line_and_back() {
    let mut stage = show(80, 24);
    for opened in ["?", "??"] {
        types(&mut stage, opened);
        for key in [KeyCode::PageDown; 12] {
            stage.key(key);
        }
        let last = stage.text();
        stage.key(KeyCode::Up);
        if opened == "??" {
            assert!(last.contains("as-json"), "{last}");
            assert_ne!(stage.text(), last, "one step back is seen at once");
        }
        stage.key(KeyCode::Esc);
        stage.key(KeyCode::Esc);
    }
}

#[test]
fn every_layer_is_drawn_in_ascii_and_at_every_size() {
    for opened in ["?", "??", ":", ":set", ":zzz", ":serve\n", ":doctor\n"] {
        for (columns, rows) in [(80, 24), (119, 60), (300, 100), (20, 5), (1, 1)] {
            let mut stage = show(100, 30);
            stage.view.glyphs = crate::console::draw::glyphs::Glyphs::of(true);
            for character in opened.chars() {
                stage.key(if character == '\n' { KeyCode::Enter } else { KeyCode::Char(character) });
            }
            stage.event(Event::SubcommandEnded {
                number: 1,
                ran: ran(&"żółw 日本 ".repeat(5_000), SubcommandEnd::TimedOut(10)),
            });
            stage.event(Event::Resize { columns, rows });
            assert!(stage.text().is_ascii(), "{opened} {}", stage.text());
            stage.key(KeyCode::Right);
            stage.buffer();
        }
    }
}
