//! Keys and answers, and what they do.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use super::test_console::{TestConsole, applied, connected, dispatched, done, enqueued, fresh, row, show};
use crate::{
    console::{
        input::{direction::Direction, keymap::KeyScope, pane_id::PaneId},
        model::Model,
        systems::bridge::{Pending, keys::INVOCATION, outcomes::BridgeCommand, pending::PendingPage},
        ui::{effect::Effect, event::Event, state::Focus},
    },
    ids::InvocationId,
    limits::Limits,
    mpp,
    port::{Command, Page, PortError, Query},
    tap::{
        Tap,
        entry::mpp::{Brake, Transition},
    },
    time::Now,
};

pub(super) fn commands(effects: Vec<Effect>) -> Vec<mpp::Command> {
    effects
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Command { command: Command::Mpp(command), .. } => Some(command),
            _ => None,
        })
        .collect()
}

/// A pending list of the default queue with these rows.
pub(super) fn pending_list(rows: impl Iterator<Item = u64>, more: bool) -> TestConsole {
    let mut stage = show(80, 24);
    stage.key(KeyCode::Down);
    let effects = stage.key(KeyCode::Enter);
    assert!(matches!(
        &effects[..],
        [Effect::Query { query: Query::Invocations { queue: Some(queue), oldest_first: true, beyond: None, .. }, .. }] if queue.as_str() == "default"
    ));
    let asked = PendingPage { queue: "default".into(), direction: Direction::Initial, serial: 1 };
    stage.event(Event::QueryAnswered {
        on_page: Box::new(asked),
        page: Ok(Page::Invocations { rows: rows.map(row).collect(), more, beyond: None }),
    });
    stage
}

#[test]
fn quits_at_once_when_nothing_is_in_flight() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    assert_eq!(stage.char('q'), [Effect::Quit]);
}

#[test]
fn leaving_offers_to_detach_and_to_stop() {
    let mut stage = show(160, 50);
    stage.char('q');
    let text = stage.text();
    assert!(text.contains("d detach") && text.contains("s stop the station"), "{text}");
    assert!(text.contains("A restart requeues"), "{text}");
    assert_eq!(stage.char('y'), [], "no answer here is a yes");
    assert_eq!(stage.char('d'), [Effect::Detach]);
    // From the palette, whatever goes on or not.
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    assert_eq!(stage.act(crate::console::input::action::Action::Detach), [Effect::Detach]);
}

#[test]
fn leaving_asks_while_anything_is_pending() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    stage.mpp(
        Transition::Enqueued {
            id: InvocationId(9),
            queue: "default".into(),
            event: "give_item".into(),
            requeued_from: None,
        },
        "",
    );
    assert_eq!(stage.char('q'), []);
    assert!(stage.text().contains("1 pending stay as they are."), "{}", stage.text());
}

#[test]
fn quitting_asks_while_runs_go_on_questions_wait_or_sessions_are_open() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let mut stage = super::runs_samples::with_runs(stage);
    assert_eq!(stage.char('q'), []);
    let text = stage.text();
    assert!(text.contains("as failed and cannot be resumed: ") && text.contains("chat_vote a41f"), "{text}");
    assert!(text.contains("1 approval is pending, and will be lost."), "{text}");
    assert_eq!(stage.char('s'), [Effect::Quit]);
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let mut stage = super::sessions_samples::with_sessions(stage);
    assert_eq!(stage.char('q'), []);
    assert!(
        stage.text().contains("2 sessions stay open, but unreachable until the next"),
        "{}",
        stage.text()
    );
}

#[test]
fn keys_typed_before_a_question_was_drawn_do_not_answer_it() {
    let mut stage = show(80, 24);
    assert_eq!(stage.burst(&[KeyCode::Char('q'), KeyCode::Char('s'), KeyCode::Char('s')]), []);
    assert_eq!(stage.ui.key_scope(), KeyScope::QuitDialog);
    assert!(stage.burst(&[KeyCode::Esc]).is_empty());
    assert_eq!(stage.ui.key_scope(), KeyScope::QuitDialog, "nor does a key that declines");
}

#[test]
fn a_question_is_answered_by_its_own_keys_and_never_by_the_key_that_opened_it() {
    let mut stage = show(80, 24);
    stage.char('q');
    assert_eq!(stage.char('q'), []);
    assert_eq!(stage.ui.key_scope(), KeyScope::QuitDialog);
    stage.char('n');
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
    stage.char('q');
    assert_eq!(stage.char('s'), [Effect::Quit]);
}

#[test]
fn ctrl_c_closes_what_is_open_and_ends_the_console_only_where_nothing_is() {
    let form = |stage| super::pack_events::opened(stage, super::pack_events::events(), "give_item");
    let mut stage = form(show(80, 24));
    stage.write("4");
    assert_eq!(stage.ctrl('c'), []);
    assert_eq!(stage.ui.key_scope(), KeyScope::Events);
    assert!(stage.text().contains("draft for give_item kept"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    stage.ctrl('e');
    assert_eq!((stage.ui.key_scope(), stage.text().contains("\"item_id\": 4")), (KeyScope::FormJson, true));
    for below in [KeyScope::Events, KeyScope::Pane(PaneId::Queues)] {
        assert_eq!(stage.ctrl('c'), []);
        assert_eq!(stage.ui.key_scope(), below);
    }
    stage.char(':');
    stage.write("hold");
    assert_eq!(stage.ctrl('c'), []);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
    stage.char('?');
    stage.char('?');
    for below in [KeyScope::Help, KeyScope::Pane(PaneId::Queues)] {
        assert_eq!(stage.ctrl('c'), []);
        assert_eq!(stage.ui.key_scope(), below);
    }
    stage.ctrl('c');
    assert!(stage.text().contains("Quit?"), "work is in flight\n{}", stage.text());
    assert_eq!(stage.ctrl('c'), []);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
}

#[test]
fn holds_resumes_and_drains_the_selected_queue() {
    let mut stage = show(80, 24);
    let boss = || Some("boss".into());
    assert_eq!(commands(stage.char('H')), [mpp::Command::Hold { queue: boss() }]);
    stage.mpp(Transition::Braked { queue: "boss".into(), brake: Brake { held: true, draining: false } }, "");
    assert!(stage.text().contains("1 held"), "{}", stage.text());
    assert_eq!(commands(stage.char('H')), [mpp::Command::Release { queue: boss() }]);
    assert_eq!(commands(stage.char('D')), [mpp::Command::Drain { queue: boss() }]);
}

#[test]
fn a_refused_command_is_said_with_its_hint_until_its_time_is_over() {
    let mut stage = show(80, 24);
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(BridgeCommand),
        outcome: Err(PortError::Refused(mpp::Refusal::NoAdapter)),
    });
    let text = stage.text();
    let message = "✗ no adapter connected: `rl-console --data ./friday pair` prints a token";
    assert!(text.contains(message), "{text}");
    stage.pass(11_000);
    stage.event(Event::Tick);
    assert!(!stage.text().contains("prints a token"));
}

#[test]
fn what_cannot_be_cancelled_says_why() {
    let mut stage = show(160, 50);
    stage.key(KeyCode::Tab);
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::InFlight));
    assert_eq!(stage.char('x'), []);
    assert!(stage.text().contains("rows in flight cannot be cancelled"));
}

#[test]
fn cancelling_is_bound_to_the_row_whatever_happens_behind_the_dialog() {
    let mut stage = pending_list(43..=45, false);
    stage.key(KeyCode::Down);
    stage.char('x');
    assert!(stage.text().contains("Cancel 44?"));
    stage.mpp(dispatched(43, "default"), "");
    stage.char('r');
    let cancel = commands(stage.char('y'));
    assert_eq!(
        cancel,
        [mpp::Command::Cancel {
            ids: vec![InvocationId(44)],
            reason: "by the operator".to_owned(),
            refund: true
        }]
    );
}

#[test]
fn a_row_that_was_dispatched_meanwhile_is_shown_as_such_and_not_cancelled() {
    let mut stage = pending_list(43..=45, false);
    stage.mpp(dispatched(43, "default"), "");
    assert!(stage.text().contains("▶ dispatched"), "{}", stage.text());
    stage.char('x');
    assert!(stage.text().contains("43 is dispatched"), "{}", stage.text());
}

#[test]
fn a_pending_list_pages_both_ways_within_its_bound() {
    let mut stage = pending_list(1..=200, true);
    let mut next = 201;
    let mut effects = stage.key(KeyCode::End);
    while next <= 1_600 {
        let Some(Effect::Query { on_page, query: Query::Invocations { beyond, .. } }) = effects.pop() else {
            panic!("{effects:?}")
        };
        assert_eq!(effects, []);
        assert_eq!(beyond, Some(InvocationId(next - 1)));
        let page =
            Page::Invocations { rows: (next..next + 200).map(row).collect(), more: true, beyond: None };
        stage.event(Event::QueryAnswered { on_page, page: Ok(page) });
        next += 200;
        effects = stage.key(KeyCode::End);
    }
    let list = stage.ui.top::<Pending>().unwrap();
    assert_eq!((list.window.rows().len(), list.window.rows()[0].id), (1_000, InvocationId(601)));
    assert_eq!(list.selected().unwrap().id, InvocationId(1_600));
    let Effect::Query { on_page, .. } = effects.remove(0) else { panic!() };
    stage.event(Event::QueryAnswered {
        on_page,
        page: Ok(Page::Invocations { rows: Vec::new(), more: false, beyond: None }),
    });
    let mut effects = stage.key(KeyCode::Home);
    let Some(Effect::Query { query: Query::Invocations { beyond, oldest_first, .. }, on_page }) =
        effects.pop()
    else {
        panic!("{effects:?}")
    };
    assert_eq!(effects, []);
    assert_eq!((beyond, oldest_first), (Some(InvocationId(601)), false));
    let page = Page::Invocations { rows: (401..=600).rev().map(row).collect(), more: true, beyond: None };
    stage.event(Event::QueryAnswered { on_page, page: Ok(page) });
    let list = stage.ui.top::<Pending>().unwrap();
    assert_eq!((list.window.rows().len(), list.window.rows()[0].id), (1_000, InvocationId(401)));
    assert_eq!(list.selected().unwrap().id, InvocationId(601), "the selection is the record, not the row");
}

#[test]
fn an_answer_for_a_list_that_was_closed_is_let_go() {
    let mut stage = pending_list(43..=45, true);
    stage.key(KeyCode::Esc);
    let asked = PendingPage { queue: "default".into(), direction: Direction::Forward, serial: 2 };
    stage.event(Event::QueryAnswered {
        on_page: Box::new(asked),
        page: Err(PortError::Store("gone".to_owned())),
    });
    assert_eq!((stage.ui.key_scope(), stage.ui.message), (KeyScope::Pane(PaneId::Queues), None));
}

#[test]
fn the_selection_survives_the_eviction_of_its_record() {
    let mut stage = show(160, 50);
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::End);
    assert_eq!(stage.ui.selected(PaneId::Recent, &stage.model), Some(INVOCATION.of(InvocationId(1))));
    for id in 100..400 {
        stage.mpp(enqueued(id, "boss"), "");
        stage.mpp(done(id, "boss"), "");
    }
    let selected = stage.ui.selected(PaneId::Recent, &stage.model);
    assert_eq!(selected, Some(INVOCATION.of(stage.model.mpp().unwrap().recent.front().unwrap().id)));
    stage.buffer();
}

#[test]
fn the_first_steps_tick_off_and_go_away() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(fresh());
    let text = stage.text();
    for words in [
        "○ 1 pair",
        "rl-console --data ./friday pair",
        "sim adapter",
        "127.0.0.1:7777",
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "invoke give_item --params",
        "'{\"item_id\":4,\"count\":1}'",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    stage.mpp(Transition::Paired, "");
    assert!(stage.text().contains("✓ 1 pair"));
    let handshaken = Transition::Handshaken {
        peer: "127.0.0.1:1".into(),
        session_id: crate::ids::SessionId(1),
        persisted: 0,
    };
    stage.mpp(handshaken, "");
    assert!(stage.text().contains("✓ 2 connect"));
    stage.mpp(enqueued(1, "default"), "");
    let text = stage.text();
    assert!(!text.contains("Getting started"), "the screen is for the work: {text}");
    assert!(!text.contains("you are live"), "nothing was done yet: {text}");
    stage.mpp(dispatched(1, "default"), "");
    stage.mpp(applied(1, "default", false), "");
    assert!(!stage.text().contains("you are live"), "nor now: {}", stage.text());
    stage.mpp(done(1, "default"), "");
    assert!(stage.text().contains("done: you are live"), "{}", stage.text());
}

#[test]
fn esc_puts_the_first_steps_away() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(fresh());
    stage.key(KeyCode::Esc);
    assert!(!stage.text().contains("Getting started"));
    assert!(stage.text().contains("In flight"));
}

#[test]
fn tab_goes_round_and_enter_on_a_chip_says_why() {
    let mut stage = TestConsole::of_size(80, 24);
    let mut snapshot = connected();
    snapshot.mpp.adapter = None;
    stage.resync(snapshot);
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::BackTab);
    assert_eq!(stage.ui.focus, Focus::Chips(0));
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("no adapter has connected yet"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Tab);
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Queues));
}

#[test]
fn a_pane_without_room_opens_from_its_chip() {
    let mut stage = show(80, 24);
    for key in [
        KeyCode::BackTab,
        KeyCode::Right,
        KeyCode::Right,
        KeyCode::Right,
        KeyCode::Right,
        KeyCode::Right,
        KeyCode::Right,
        KeyCode::Right,
        KeyCode::Enter,
    ] {
        stage.key(key);
    }
    assert!(stage.text().contains("▸ Recent"), "{}", stage.text());
    assert!(stage.text().contains("item not found"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    assert!(stage.text().contains("▸ Queues"));
}

#[test]
fn a_click_focuses_and_selects_and_the_wheel_scrolls() {
    let mut stage = show(80, 24);
    let mouse = |kind, column, row| {
        Event::Mouse(MouseEvent { kind, column, row, modifiers: crossterm::event::KeyModifiers::NONE })
    };
    let (_, area) = stage.ui.layout(&stage.model).panes[1];
    stage.event(mouse(MouseEventKind::Down(MouseButton::Left), area.x + 3, area.y + 3));
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::InFlight));
    assert_eq!(stage.ui.selected(PaneId::InFlight, &stage.model), Some(INVOCATION.of(InvocationId(46))));
    stage.event(mouse(MouseEventKind::ScrollUp, area.x + 3, area.y + 3));
    assert_eq!(stage.ui.selected(PaneId::InFlight, &stage.model), Some(INVOCATION.of(InvocationId(42))));
}

#[test]
fn text_from_peers_cannot_move_the_cursor_or_turn_a_line_round() {
    let mut stage = pending_list(43..=45, false);
    stage.ui.columns = 160;
    for cell in stage.buffer().content() {
        assert!(
            !cell
                .symbol()
                .chars()
                .any(|character| character.is_control() || ('\u{202a}'..='\u{202e}').contains(&character))
        );
    }
    assert!(stage.text().contains("viewer<202e>"));
}

#[test]
fn entries_that_a_snapshot_covers_are_folded_once() {
    let tap = Tap::new(Limits::default().tap);
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    stage.mpp(enqueued(1, "default"), "");
    let mut snapshot = connected();
    snapshot.mpp = stage.model.mpp().unwrap().clone();
    snapshot.as_of.0[crate::tap::entry::Link::Mpp.index()] = stage.tap.last();
    let mut late = Model::new(&Limits::default());
    let mut reader = tap.reader().unwrap();
    let draft = crate::tap::Draft {
        at: Now::at_ms(0),
        link: crate::tap::entry::Link::Mpp,
        trace: None,
        cause: None,
        what: crate::tap::entry::What::Transition(crate::tap::entry::Transition::Mpp(enqueued(1, "default"))),
        bytes: b"",
    };
    tap.emit(draft);
    late.resync(snapshot);
    for entry in reader.read().unwrap().iter() {
        late.fold(entry, false);
    }
    assert_eq!(late.mpp(), stage.model.mpp());
}
