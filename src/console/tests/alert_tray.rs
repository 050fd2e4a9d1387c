//! The tray of alerts: the count that opens it, its keys and its rows.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use super::alerts::{back, comes_after_s, gone, holding, pass_s, well};
use super::runs_samples::with_runs;
use super::test_console::{AlertChanges, TestConsole, applied, dispatched, enqueued, show};
use crate::{
    console::{
        input::{keymap::KeyScope, pane_id::PaneId},
        systems::{
            bridge::keys::{INVOCATION, QUEUE},
            runs::keys::RUN,
            station::outcomes::StationCommand,
        },
        ui::{effect::Effect, event::Event},
    },
    ids::InvocationId,
    mpp,
    port::Command,
    runs,
    station::bridge::alerts::{HEAD_WAITING, ORPHANED},
    tap::entry::{mpp::Transition, station},
};

#[test]
fn the_count_is_in_the_first_line_of_every_view_and_counts_what_was_not_seen() {
    let mut stage = show(80, 24);
    stage.tick();
    stage.mpp(gone(), "");
    stage.station(station::Transition::DiskLow { free_bytes: 9 << 20 }, "");
    pass_s(&mut stage, 5);
    for key in ['1', '2', '9'] {
        stage.char(key);
        let text = stage.text();
        assert!(text.lines().next().unwrap().contains("! 2 alerts"), "{text}");
        assert!(text.lines().next().unwrap().contains("loss 0"), "{text}");
    }
    assert!(stage.text().contains("STORE ◐"), "{}", stage.text());
    stage.char('a');
    stage.char('A');
    assert!(stage.text().lines().next().unwrap().contains("! 1 alert "), "{}", stage.text());
    stage.char('A');
    assert!(!stage.text().lines().next().unwrap().contains("alert"), "{}", stage.text());
}

#[test]
fn nothing_opens_by_itself_and_no_key_goes_elsewhere_when_an_alert_comes() {
    let mut stage = show(80, 24);
    stage.char('q');
    stage.mpp(gone(), "");
    pass_s(&mut stage, 6);
    assert_eq!(stage.ui.key_scope(), KeyScope::QuitDialog);
    assert!(stage.text().contains("! 1 alert"), "{}", stage.text());
    assert_eq!(stage.char('s'), [Effect::Quit]);
}

#[test]
fn the_tray_is_walked_by_keys_says_what_to_do_and_puts_away() {
    let mut stage = well(160, 50);
    stage.mpp(enqueued(1, "default"), "");
    stage.mpp(gone(), "");
    pass_s(&mut stage, 31);
    stage.char('a');
    assert_eq!(stage.ui.key_scope(), KeyScope::Alerts);
    let text = stage.text();
    assert!(text.contains("Alerts: 2 active"), "{text}");
    let (head, adapter) = (
        text.find("oldest item in default is waiting").unwrap(),
        text.find("adapter 127.0.0.1:50312 disconnected").unwrap(),
    );
    assert!(head < adapter, "the latest is first");
    stage.key(KeyCode::Down);
    let text = stage.text();
    assert!(text.contains("restart the adapter") && text.contains("31s so far"), "{text}");
    let acknowledge = |id| Effect::command(Command::AcknowledgeAlerts { ids: vec![id] }, StationCommand);
    assert_eq!(stage.char('A'), [acknowledge(1)]);
    assert_eq!(stage.char('A'), [acknowledge(2)], "what is put away makes room for the next");
    assert_eq!(stage.char('A'), []);
    assert!(stage.text().contains("already acknowledged"), "{}", stage.text());
    stage.mpp(back(), "");
    stage.mpp(dispatched(1, "default"), "");
    pass_s(&mut stage, 1);
    assert!(stage.text().contains("✓ resolved"), "{}", stage.text());
    assert_eq!(stage.char('A'), []);
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
}

#[test]
fn a_click_on_the_count_opens_the_tray_and_one_on_a_row_selects_it() {
    let mut stage = show(80, 24);
    stage.mpp(gone(), "");
    stage.station(station::Transition::StoreFailing, "disk full");
    pass_s(&mut stage, 6);
    let line = stage.text().lines().next().unwrap().to_owned();
    let column = line.chars().take_while(|letter| *letter != '!').count();
    let click = |stage: &mut TestConsole, column: usize, row: u16| {
        let modifiers = crossterm::event::KeyModifiers::NONE;
        let kind = MouseEventKind::Down(MouseButton::Left);
        stage.event(Event::Mouse(MouseEvent {
            kind,
            column: u16::try_from(column).unwrap(),
            row,
            modifiers,
        }));
    };
    click(&mut stage, column - 1, 0);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
    click(&mut stage, column + 3, 0);
    assert_eq!(stage.ui.key_scope(), KeyScope::Alerts);
    let row = stage.text().lines().position(|line| line.contains("store commits are failing")).unwrap();
    click(&mut stage, 20, u16::try_from(row).unwrap());
    assert!(stage.text().contains("free disk space"), "{}", stage.text());
}

#[test]
fn a_recording_that_failed_is_over_once_it_was_seen() {
    let mut stage = well(80, 24);
    stage.station(station::Transition::RecordingFailed { is_always: false }, "/r/a.mcap: disk full");
    pass_s(&mut stage, 1);
    stage.char('a');
    stage.char('A');
    assert_eq!(pass_s(&mut stage, 3), vec![AlertChanges::default(); 3]);
    assert!(holding(&stage).is_empty());
    stage.station(station::Transition::RecordingFailed { is_always: false }, "/r/b.mcap: disk full");
    assert_eq!(pass_s(&mut stage, 1)[0].raised.len(), 1);
}

#[test]
fn the_tray_settles_what_it_says_was_left() {
    let mut stage = well(80, 24);
    stage.mpp(enqueued(5, "boss"), "");
    stage.mpp(dispatched(5, "boss"), "");
    stage.mpp(applied(5, "boss", false), "");
    stage.mpp(Transition::Orphaned { id: InvocationId(5), queue: "boss".into() }, "");
    comes_after_s(&mut stage, 1, &ORPHANED.cause());
    stage.char('a');
    stage.char('E');
    assert!(stage.text().contains("Settle 5?"), "{}", stage.text());
    let settle = mpp::Command::Settle { id: InvocationId(5), to: mpp::Settlement::Done };
    assert_eq!(super::steps::commands(stage.char('d')), [settle]);
    assert!(stage.text().contains("Alerts: 1 active"), "{}", stage.text());
}

#[test]
fn enter_leads_from_an_alert_to_what_it_is_about() {
    let selected = |stage: &TestConsole, pane| stage.ui.selected(pane, &stage.model);
    let mut stage = well(160, 50);
    stage.mpp(enqueued(4, "boss"), "");
    stage.mpp(enqueued(5, "default"), "");
    stage.mpp(dispatched(5, "default"), "");
    stage.mpp(applied(5, "default", false), "");
    comes_after_s(&mut stage, 30, &HEAD_WAITING.of("boss"));
    stage.char('9');
    stage.char('a');
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues), "{}", stage.text());
    assert_eq!(selected(&stage, PaneId::Queues), Some(QUEUE.of("boss".into())));
    stage.mpp(Transition::Orphaned { id: InvocationId(5), queue: "default".into() }, "");
    pass_s(&mut stage, 1);
    stage.char('9');
    stage.char('a');
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::InFlight), "{}", stage.text());
    assert_eq!(selected(&stage, PaneId::InFlight), Some(INVOCATION.of(InvocationId(5))));
    let mut stage = super::runs_samples::with_runs(well(160, 50));
    pass_s(&mut stage, 1);
    stage.runs(
        runs::Transition::Decided {
            run: super::runs_samples::run(super::runs_samples::VOTE),
            action: super::runs_samples::ASK,
            verdict: runs::Verdict::Approved,
            by: None,
        },
        "",
    );
    pass_s(&mut stage, 1);
    stage.char('a');
    assert!(stage.text().contains("mend dead failed"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Runs), "{}", stage.text());
    assert_eq!(selected(&stage, PaneId::Runs), Some(RUN.of(super::runs_samples::run(0xdead))));
}

#[test]
fn details_over_the_tray_are_told_once() {
    let mut stage = with_runs(show(160, 50));
    stage.tick();
    stage.char('a');
    let frames = |stage: &mut TestConsole| stage.text().matches("Node give of chat_vote").count();
    assert_eq!(frames(&mut stage), 1, "below the list: {}", stage.text());
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Details);
    assert_eq!(frames(&mut stage), 1, "{}", stage.text());
}
