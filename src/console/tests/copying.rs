//! Copying: what goes to the clipboard, and what is said of it.

use crossterm::event::KeyCode;

use super::{
    gate::held,
    inspection::{self, Story, story},
    screens::at_both_sizes,
    test_console::{TestConsole, row, show},
};
use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        systems::bridge::pending::WholeInvocation,
        ui::{effect::Effect, event::Event, state::Focus},
    },
    ids::InvocationId,
    port::Page,
    tap::entry::{
        Direction, Frame, Head, Redaction, Verdict, What, mpp as events,
        mpp::{FrameType, Level, RowState, Transition},
    },
};

/// What was handed to the clipboard, as text.
fn copied(effects: &[Effect]) -> String {
    match effects {
        [Effect::Copy(bytes)] => String::from_utf8(bytes.clone()).unwrap(),
        other => panic!("not copied: {other:?}"),
    }
}

fn focused(pane: PaneId) -> TestConsole {
    let mut stage = show(160, 50);
    let view = ViewId::ALL.into_iter().find(|view| view.panes().contains(&pane)).unwrap();
    stage.ui.show(view);
    stage.ui.focus = Focus::Pane(pane);
    stage
}

#[test]
fn the_chosen_cell_is_copied_whole_and_only_its_size_is_said() {
    let mut stage = focused(PaneId::AdapterLog);
    stage.mpp(Transition::Logged { level: Level::Warn }, "ann says żółw");
    stage.act(Action::OnAir);
    for _ in 0..3 {
        stage.key(KeyCode::Right);
    }
    assert_eq!(copied(&stage.char('y')), "ann says żółw");
    let text = stage.text();
    assert!(text.contains("copied 16 B (cell)") && !text.contains("ann says"), "{text}");
    // Without a chosen cell it is the first.
    let mut stage = focused(PaneId::Recent);
    assert!(copied(&stage.char('y')).ends_with('Z'), "a moment");
}

#[test]
fn a_record_is_copied_in_every_form_that_it_has_and_says_why_not_in_others() {
    let mut stage = focused(PaneId::Recent);
    let json: serde_json::Value = {
        stage.char('Y');
        assert_eq!(stage.ui.key_scope(), KeyScope::CopyAs);
        serde_json::from_str(&copied(&stage.char('j'))).unwrap()
    };
    assert_eq!(
        (&json["id"], &json["state"], &json["event"]),
        (&41.into(), &"failed".into(), &"give_item".into())
    );
    assert!(stage.ui.overlays.is_empty() && stage.text().contains("(JSON)"), "{}", stage.text());
    stage.char('Y');
    let line = copied(&stage.char('l'));
    let words = shlex::split(&line).unwrap();
    assert_eq!(
        words,
        ["rl-console", "--data", "./friday", "ls", "invocations", "--filter", "id=41", "--json"]
    );
    stage.char('Y');
    assert_eq!(stage.char('f'), []);
    assert!(stage.text().contains("not copied as frame: no frame kept"), "{}", stage.text());
    assert_eq!(stage.ui.key_scope(), KeyScope::CopyAs, "another form may do");
    stage.key(KeyCode::Esc);
    // With its details open it can be given again, word for word.
    stage.key(KeyCode::Enter);
    let mut found = row(41);
    found.state = RowState::Failed;
    stage.event(Event::QueryAnswered {
        on_page: Box::new(WholeInvocation { id: InvocationId(41) }),
        page: Ok(Page::Invocation(Some(Box::new(found.clone())))),
    });
    stage.char('Y');
    let words = shlex::split(&copied(&stage.char('a'))).unwrap();
    assert_eq!(
        words[3..],
        ["invoke", "give_item", "--params", found.params.as_str(), "--user", "viewer\u{202e}"]
    );
    stage.char('Y');
    assert_eq!(copied(&stage.char('j')), serde_json::to_string(&found).unwrap());
    assert!(copied(&stage.char('y')).starts_with("Invocation 41\nstate: failed\n"));
}

#[test]
fn a_menu_copies_what_it_was_opened_for_whatever_has_gone_meanwhile() {
    let mut stage = focused(PaneId::InFlight);
    let before = {
        stage.char('Y');
        stage.ui.overlays.len()
    };
    let failed = Transition::Requeued { id: InvocationId(42), queue: "default".into() };
    stage.mpp(failed, "");
    assert_eq!(stage.ui.overlays.len(), before);
    assert!(copied(&stage.char('j')).contains("\"id\":42"));
}

#[test]
fn what_is_too_large_for_a_terminal_is_refused_with_its_size_and_the_limit() {
    let mut stage = focused(PaneId::AdapterLog);
    stage.ui.limits.console.copy_bytes_max = 1_024;
    for bytes in [1_024, 1_025] {
        stage.mpp(Transition::Logged { level: Level::Info }, &"x".repeat(bytes));
        stage.ui.table_settings_mut(PaneId::AdapterLog).cell = Some(2);
        stage.act(Action::First);
        let effects = stage.char('y');
        if bytes == 1_024 {
            assert_eq!(copied(&effects).len(), bytes);
        } else {
            assert_eq!(effects, []);
            let text = stage.text();
            assert!(
                text.contains("1025 B exceed 1024 B") && text.contains("limits.console.copy_bytes_max"),
                "{text}"
            );
        }
    }
}

#[test]
fn the_menu_tells_what_each_form_is_of_or_why_it_is_not_offered() {
    at_both_sizes("copy_as", |columns, rows| {
        let mut stage = show(columns, rows);
        inspection::focus(&mut stage, ViewId::Deck, PaneId::Recent);
        stage.char('Y');
        stage
    });
}

#[test]
fn in_the_inspector_the_selected_value_is_copied_as_it_was_meant_and_bytes_as_hex() {
    let Story { mut stage, invocation, failed_frame, .. } = story(160, 50);
    inspection::open(&mut stage, invocation);
    assert_eq!(copied(&stage.char('y')), "2");
    stage.key(KeyCode::Down);
    assert_eq!(copied(&stage.char('y')), "invocation", "a string without its quotes");
    stage.key(KeyCode::Tab);
    assert_eq!(
        copied(&stage.char('y')),
        "22 74 79 70 65 22 3a 22 69 6e 76 6f 63 61 74 69 6f 6e 22",
        "its key and its value"
    );
    assert!(stage.text().contains("copied 56 B (cell)"), "{}", stage.text());
    stage.key(KeyCode::End);
    assert_eq!(copied(&stage.char('y')), "0a", "no value has the line's end: it alone");
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Home);
    let whole: serde_json::Value = serde_json::from_str(&copied(&stage.char('y'))).unwrap();
    assert_eq!((&whole["id"], &whole["params"]["item_id"]), (&7.into(), &4.into()), "the frame itself");
    // What the console knows of it, and what it is.
    stage.char('Y');
    let entry: serde_json::Value = serde_json::from_str(&copied(&stage.char('j'))).unwrap();
    assert_eq!(
        (&entry["kind"], &entry["dir"], &entry["id"]),
        (&"invocation".into(), &"out".into(), &7.into()),
        "{entry}"
    );
    assert!(entry["text"].as_str().unwrap().contains("PPARAMS"), "{entry}");
    stage.char('Y');
    let frame = copied(&stage.char('f'));
    assert!(frame.starts_with("{\"mpp\":2,\"type\":\"invocation\"") && frame.ends_with("}\n"), "{frame}");
    stage.char('Y');
    assert!(copied(&stage.char('h')).starts_with("00000000  7b 22 6d 70 70"));
    stage.char('Y');
    let words = shlex::split(&copied(&stage.char('l'))).unwrap();
    assert_eq!(words[3..], ["ls", "invocations", "--filter", "id=7", "--json"], "the work that it tells of");
    // On air the true value goes to the clipboard, and only how much of it there was to the screen.
    stage.key(KeyCode::Esc);
    inspection::open(&mut stage, failed_frame);
    stage.act(Action::OnAir);
    let mut reasons = 0;
    for _ in 0..8 {
        let effects = stage.char('y');
        if matches!(&effects[..], [Effect::Copy(bytes)] if bytes == b"PREASON: no such item in the inventory")
        {
            reasons += 1;
            assert!(stage.text().contains("copied 38 B (cell)"), "{}", stage.text());
        }
        stage.char('Y');
        assert!(!stage.text().contains("PREASON"), "{}", stage.text());
        stage.key(KeyCode::Esc);
        stage.key(KeyCode::Down);
    }
    assert_eq!(reasons, 1);
}

#[test]
fn a_token_in_a_frame_is_copied_neither_as_value_nor_as_bytes_nor_within_another() {
    let mut stage = show(160, 50);
    let hello = "{\"mpp\":2,\"type\":\"hello\",\"pack_id\":\"demo\",\"bridge_token\":\"s3cret\"}\n";
    let seq = inspection::frame(
        &mut stage,
        Direction::Inbound,
        Verdict::Sent,
        (FrameType::Hello, None),
        hello,
        None,
    );
    inspection::open(&mut stage, seq);
    let hex = "s3cret".bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let mut refused = 0;
    stage.key(KeyCode::Home);
    for along in [KeyCode::Down, KeyCode::Right] {
        for _ in 0..hello.len() {
            match &stage.char('y')[..] {
                [Effect::Copy(bytes)] => {
                    let text = std::str::from_utf8(bytes).unwrap();
                    assert!(!text.contains("s3cret") && !text.contains(&hex), "{text}");
                }
                other => {
                    assert_eq!(other, [], "{}", stage.text());
                    refused += u32::from(stage.text().contains("secrets are never copied"));
                }
            }
            stage.key(along);
        }
        stage.key(KeyCode::Tab);
        stage.key(KeyCode::Home);
    }
    assert!(refused > 2, "{refused}");
}

#[test]
fn work_and_what_was_said_of_it_are_copied_with_their_frames_while_those_are_kept() {
    let Story { mut stage, .. } = story(160, 50);
    let logged = "{\"mpp\":2,\"type\":\"log\",\"level\":\"info\",\"message\":\"a slow ROM\"}\n";
    let accepted = Verdict::Mpp(crate::tap::entry::mpp::Verdict::Accepted);
    let log =
        inspection::frame(&mut stage, Direction::Inbound, accepted, (FrameType::Log, None), logged, None);
    inspection::changed(&mut stage, Transition::Logged { level: Level::Info }, "a slow ROM", Some(log));
    inspection::focus(&mut stage, ViewId::Bridge, PaneId::AdapterLog);
    stage.key(KeyCode::Home);
    stage.char('Y');
    assert_eq!(copied(&stage.char('f')), logged);
    inspection::focus(&mut stage, ViewId::Deck, PaneId::Recent);
    stage.key(KeyCode::Home);
    stage.char('Y');
    assert!(
        copied(&stage.char('f')).contains("\"type\":\"invocation\",\"id\":7,"),
        "the frame that gave it to the adapter"
    );
    stage.ui.time = crate::console::model::Timeline::new(&stage.ui.limits.console);
    stage.char('Y');
    assert_eq!(stage.char('f'), []);
    assert!(stage.text().contains("not copied as frame: no frame kept"), "{}", stage.text());
}

#[test]
fn a_frame_that_is_not_kept_whole_or_was_withheld_is_not_copied_as_if_it_were() {
    let mut stage = show(160, 50);
    let (bytes, limit) = (b"{\"mpp\":2,\"type\":\"log\"", 1_000_000);
    for redaction in [Redaction::None, Redaction::Withheld] {
        let frame = Frame {
            direction: Direction::Inbound,
            peer: "127.0.0.1:50312".into(),
            head: Head::Mpp(events::Head { kind: Some(FrameType::Log), ..events::Head::default() }),
            verdict: Verdict::Sent,
            wire_bytes: limit,
            redaction: redaction.clone(),
            origin: None,
        };
        let seq = inspection::emit(&mut stage, What::Frame(frame), bytes, None, false);
        inspection::open(&mut stage, seq);
        stage.char('Y');
        assert_eq!(stage.char('f'), []);
        if redaction == Redaction::Withheld {
            assert!(stage.text().contains("withheld at capture"), "{}", stage.text());
            assert_eq!(stage.char('h'), []);
        } else {
            assert!(stage.text().contains("only the beginning is kept"), "{}", stage.text());
            let missing = u64::from(limit) - bytes.len() as u64;
            assert!(copied(&stage.char('h')).ends_with(&format!("|\n{missing} more B not kept\n")));
        }
        (0..2).for_each(|_| drop(stage.key(KeyCode::Esc)));
    }
}

#[test]
fn the_line_that_injects_a_frame_is_also_that_of_one_that_the_gate_stopped() {
    let mut stage = held(160, 50);
    stage.key(KeyCode::Esc);
    inspection::focus(&mut stage, ViewId::Wire, PaneId::Wire);
    stage.key(KeyCode::End);
    stage.char('Y');
    let words = shlex::split(&copied(&stage.char('i'))).unwrap();
    assert_eq!(words[3..6], ["inject", "mpp", "--from"], "{words:?}");
    assert!(words.last().unwrap().starts_with("7b226d7070"), "{words:?}");
}
