//! The inspector on whole screens: from a record to its entries, from one entry to the next, on air, large
//! entries, entries that are gone.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use super::{
    bus_samples::bus,
    screens::at_both_sizes,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        draw::class::MaskPolicy,
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        inspect::Inspector,
        model::Timeline,
        systems::bridge::pending::WholeInvocation,
        ui::{effect::Effect, event::Event, state::Focus},
        wire::ENTRY,
        worker::decode_worker,
    },
    ids::{InvocationId, Seq},
    tap::entry::{mpp as events, station},
};

use super::inspection::{Story, at, changed, focus, inspected, open, story};

#[test]
fn a_frame_as_tree_and_bytes() {
    at_both_sizes("inspector_frame", |columns, rows| inspected(columns, rows, |story| story.invocation));
}

#[test]
fn a_frame_that_was_refused_says_the_clause_and_what_to_do() {
    at_both_sizes("inspector_refused", |columns, rows| inspected(columns, rows, |story| story.refused));
}

#[test]
fn a_transition_and_what_caused_it() {
    at_both_sizes("inspector_transition", |columns, rows| {
        let mut stage = inspected(columns, rows, |story| story.failed);
        stage.char('G');
        stage
    });
}

#[test]
fn the_cursor_in_the_bytes() {
    at_both_sizes("inspector_bytes", |columns, rows| {
        let mut stage = inspected(columns, rows, |story| story.invocation);
        stage.key(KeyCode::Tab);
        for _ in 0..4 {
            stage.key(KeyCode::Down);
        }
        stage
    });
}

#[test]
fn on_air_the_bytes_of_what_is_masked_are_masked_too() {
    at_both_sizes("inspector_on_air", |columns, rows| {
        let mut stage = inspected(columns, rows, |story| story.failed_frame);
        stage.view.mask_policy = MaskPolicy { logins: true, payloads: true };
        stage
    });
}

#[test]
fn details_list_the_entries_that_tell_of_an_invocation() {
    at_both_sizes("details_entries", |columns, rows| {
        let mut story = story(columns, rows);
        focus(&mut story.stage, ViewId::Deck, PaneId::Recent);
        story.stage.key(KeyCode::Enter);
        let row = super::test_console::row(7);
        let asked = WholeInvocation { id: InvocationId(7) };
        story.stage.event(Event::QueryAnswered {
            on_page: Box::new(asked),
            page: Ok(crate::port::Page::Invocation(Some(Box::new(row)))),
        });
        story.stage
    });
}

#[test]
fn nothing_of_a_payload_is_on_the_air_in_text_or_in_hex() {
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    for of in
        [|story: &Story| story.invocation, |story: &Story| story.failed_frame, |story: &Story| story.failed]
    {
        let mut stage = inspected(160, 50, of);
        stage.key(KeyCode::Home);
        let marks = ["PPARAMS", "PREASON", "PUNKNOWN", "mood", "item_id"];
        let seen: Vec<_> = marks.iter().filter(|mark| stage.text().contains(**mark)).copied().collect();
        assert!(!seen.is_empty());
        stage.view.mask_policy = MaskPolicy { logins: false, payloads: true };
        for keys in 0..40 {
            let text = stage.text();
            for mark in &seen {
                assert!(!text.contains(mark), "{mark} after {keys} keys:\n{text}");
                assert!(
                    mark.contains("it") || !text.contains(&hex(&mark[..4])),
                    "{mark} in hex after {keys} keys:\n{text}"
                );
            }
            stage.key([KeyCode::Down, KeyCode::Enter, KeyCode::Tab, KeyCode::Right, KeyCode::Esc][keys % 4]);
        }
    }
}

#[test]
fn what_caused_this_and_what_did_it_cause() {
    let Story { mut stage, pull, invocation, failed_frame, failed, refund, .. } = story(160, 50);
    open(&mut stage, invocation);
    stage.char('c');
    assert_eq!(at(&stage), Some(pull));
    stage.char('c');
    assert!(stage.text().contains("no cause recorded"));
    stage.char('n');
    assert!(stage.text().contains("not part of an invocation or a trace"));
    stage.key(KeyCode::Backspace);
    assert_eq!(at(&stage), Some(invocation));
    stage.char('n');
    assert_eq!(at(&stage), Some(failed_frame), "the next of the same trace");
    // It caused two: the keys choose among them.
    stage.char('C');
    assert_eq!(at(&stage), Some(failed_frame));
    assert!(stage.text().contains("2 effects"));
    stage.char('C');
    stage.key(KeyCode::Enter);
    assert_eq!(at(&stage), Some(refund));
    stage.char('N');
    assert_eq!(at(&stage), Some(failed));
    stage.char('c');
    assert_eq!(at(&stage), Some(failed_frame));
    for _ in 0..4 {
        stage.key(KeyCode::Backspace);
    }
    assert_eq!(at(&stage), Some(invocation));
    stage.key(KeyCode::Backspace);
    assert!(stage.text().contains("no previous entry"));
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
}

#[test]
fn every_record_leads_to_the_entries_that_tell_of_it() {
    let Story { mut stage, failed, refused, refund, .. } = story(160, 50);
    let first = refund.0 - 5;
    focus(&mut stage, ViewId::Deck, PaneId::Recent);
    stage.char('c');
    assert_eq!(at(&stage), Some(refund), "the last that changed it");
    stage.key(KeyCode::Esc);
    stage.char('C');
    assert_eq!(at(&stage), Some(Seq(first)), "the first that told of it");
    assert!(stage.text().contains("enqueued"));
    stage.key(KeyCode::Esc);
    // Its details list them all.
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Details);
    let text = stage.text();
    assert!(
        text.contains("enqueued 7") && text.contains("out invocation 7") && text.contains("refund 7"),
        "{text}"
    );
    for _ in 0..4 {
        stage.key(KeyCode::Down);
    }
    stage.key(KeyCode::Enter);
    assert_eq!(at(&stage), Some(failed));
    stage.key(KeyCode::Esc);
    stage.char('c');
    assert_eq!(at(&stage), Some(refund));
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Esc);
    focus(&mut stage, ViewId::Journal, PaneId::Violations);
    stage.char('c');
    assert_eq!(at(&stage), Some(refused));
    stage.key(KeyCode::Esc);
    focus(&mut stage, ViewId::Journal, PaneId::Log);
    stage.key(KeyCode::Home);
    stage.char('c');
    assert!(at(&stage).is_some_and(|seq| seq >= refund), "{:?}", at(&stage));
    stage.key(KeyCode::Esc);
    changed(&mut stage, events::Transition::Logged { level: events::Level::Info }, "one", None);
    let two = changed(&mut stage, events::Transition::Logged { level: events::Level::Info }, "two", None);
    focus(&mut stage, ViewId::Bridge, PaneId::AdapterLog);
    stage.key(KeyCode::Home);
    stage.char('c');
    assert_eq!(at(&stage), Some(two), "{}", stage.text());
}

#[test]
fn from_the_wire_an_entry_opens_and_leads_to_its_cause_and_its_effects() {
    let Story { mut stage, pull, invocation, failed_frame, failed, .. } = story(160, 50);
    stage.ui.show(ViewId::Wire);
    stage.ui.focus = Focus::Pane(PaneId::Wire);
    let row = |stage: &mut TestConsole, seq: Seq| {
        stage.buffer();
        let mut keys = 0;
        while stage.ui.selected(PaneId::Wire, &stage.model) != Some(ENTRY.of(seq)) {
            keys += 1;
            assert!(keys < 100, "{seq} is not listed");
            stage.key(KeyCode::Up);
        }
    };
    row(&mut stage, failed_frame);
    stage.key(KeyCode::Enter);
    assert_eq!(at(&stage), Some(failed_frame));
    stage.key(KeyCode::Esc);
    // It caused two: they are listed.
    stage.char('C');
    assert_eq!(at(&stage), Some(failed_frame));
    stage.key(KeyCode::Enter);
    assert_eq!(at(&stage), Some(failed));
    stage.key(KeyCode::Esc);
    stage.char('c');
    assert!(stage.text().contains("no cause recorded"));
    row(&mut stage, invocation);
    stage.char('c');
    assert_eq!(at(&stage), Some(pull));
    stage.key(KeyCode::Esc);
    stage.char('C');
    assert!(stage.text().contains("no effects kept"));
}

#[test]
fn what_is_no_longer_kept_says_so_and_what_is_looked_at_stays() {
    let Story { mut stage, invocation, failed_frame, .. } = story(160, 50);
    open(&mut stage, invocation);
    stage.char('n');
    stage.ui.time = Timeline::new(&stage.ui.limits.console);
    stage.station(station::Transition::Operated { by: None, command: None }, "much later");
    let text = stage.text();
    assert!(text.contains("PREASON") && text.contains("no longer kept; this is a copy"), "{text}");
    stage.char('n');
    assert!(stage.text().contains("its entries are no longer kept"));
    stage.key(KeyCode::Backspace);
    assert_eq!(at(&stage), Some(invocation), "it was copied, too");
    stage.char('c');
    assert!(stage.text().contains("is no longer kept"));
    stage.key(KeyCode::Esc);
    focus(&mut stage, ViewId::Deck, PaneId::Recent);
    stage.char('c');
    assert_eq!(at(&stage), None);
    assert!(stage.text().contains("its entries are no longer kept (limits.console.kept_entries_max)"));
    assert_ne!(failed_frame, invocation);
}

#[test]
fn tree_and_bytes_find_each_other_both_ways() {
    let Story { mut stage, invocation, .. } = story(160, 50);
    open(&mut stage, invocation);
    let lit = |stage: &TestConsole| match stage.ui.top::<Inspector>() {
        Some(inspector) => {
            let range = inspector.highlighted_bytes();
            String::from_utf8_lossy(&inspector.subject.bytes[range.start as usize..range.end as usize])
                .into_owned()
        }
        _ => String::new(),
    };
    assert_eq!(lit(&stage), "\"mpp\":2");
    stage.key(KeyCode::Down);
    assert_eq!(lit(&stage), "\"type\":\"invocation\"");
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::End);
    for _ in 0..6 {
        stage.key(KeyCode::Left);
    }
    assert_eq!(lit(&stage), "\"to\":\"PPARAMS\"");
    // Folded away, it is shown again when the cursor comes to it.
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Left);
    assert!(lit(&stage).starts_with("\"params\":{"), "{}", lit(&stage));
    stage.key(KeyCode::Left);
    assert!(!stage.text().contains("item_id  "), "{}", stage.text());
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Right);
    assert_eq!(lit(&stage).chars().next(), Some('"'));
    for _ in 0..12 {
        stage.key(KeyCode::Right);
    }
    assert_eq!(lit(&stage), "\"item_id\":4");
    // A click on a byte or on a row does the same.
    let text = stage.text();
    let (row, line) = text.lines().enumerate().find(|(_, line)| line.contains("0000  7b")).unwrap();
    let column = line.char_indices().position(|(at, _)| line[at..].starts_with("0000  7b")).unwrap();
    let click = |column: usize, row: usize| MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: u16::try_from(column).unwrap(),
        row: u16::try_from(row).unwrap(),
        modifiers: crossterm::event::KeyModifiers::NONE,
    };
    stage.event(Event::Mouse(click(column + 6 + 3 * 3, row)));
    assert_eq!(lit(&stage), "\"mpp\":2");
}

#[test]
fn a_large_entry_is_read_by_the_worker_and_an_answer_for_what_was_left_is_dropped() {
    let mut stage = show(160, 50);
    stage.ui.limits.console.inspect_inline_bytes_max = 16_384;
    let value = format!("[{}1]", "\"PSTATE\",".repeat(4_000));
    let key = || events::Transition::StateWritten { key: "party".into(), persist: false };
    let large = changed(&mut stage, key(), &value, None);
    let small = changed(&mut stage, key(), "[1]", Some(large));
    let effects = open(&mut stage, large);
    let [Effect::Decode(job)] = &effects[..] else { panic!("{effects:?}") };
    assert!(stage.text().contains("decoding"));
    stage.view.mask_policy = MaskPolicy { logins: false, payloads: true };
    assert!(!stage.text().contains("PSTA"), "what is not read yet may be anything");
    stage.view.mask_policy = MaskPolicy::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let tree = runtime.block_on(decode_worker().begin((**job).clone()));
    // Left and looked at again: the first answer is nobody's.
    assert!(stage.char('C').is_empty());
    assert_eq!(at(&stage), Some(small));
    let again = stage.key(KeyCode::Backspace);
    stage.event(Event::Decoded { number: job.number, tree: tree.clone() });
    assert!(stage.text().contains("decoding"));
    let [Effect::Decode(job)] = &again[..] else { panic!("{again:?}") };
    stage.event(Event::Decoded { number: job.number, tree });
    let text = stage.text();
    assert!(text.contains("4001 items") && !text.contains("decoding"), "{text}");
}

#[test]
fn a_long_value_is_opened_whole_and_paged() {
    let mut stage = show(80, 24);
    let line = (0..1_500).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ");
    let logged = changed(&mut stage, events::Transition::Logged { level: events::Level::Info }, &line, None);
    open(&mut stage, logged);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("word100 "), "{}", stage.text());
    for _ in 0..40 {
        stage.key(KeyCode::PageDown);
    }
    assert!(stage.text().contains("word1499"), "{}", stage.text());
    stage.key(KeyCode::Home);
    assert!(stage.text().contains("word0 "));
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Inspector);
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
}

#[test]
fn effects_later_than_the_moment_that_is_shown_are_marked_so() {
    const LATER: &str = "after the time shown";
    let Story { mut stage, failed_frame, .. } = story(160, 50);
    open(&mut stage, failed_frame);
    assert!(!stage.text().contains(LATER), "{}", stage.text());
    let mut marked = Vec::new();
    for _ in 0..6 {
        stage.char(',');
        let text = stage.text();
        marked.push(
            ["2 entries, 1 of", "2 entries, 2 of"]
                .into_iter()
                .position(|words| text.contains(&format!("{words} them {LATER}"))),
        );
    }
    assert_eq!(marked.iter().flatten().collect::<Vec<_>>(), [&0, &1, &1], "{marked:?}");
    stage.key(KeyCode::End);
    assert!(!stage.text().contains(LATER), "live, nothing is later");
}

#[test]
fn effects_that_come_while_an_entry_is_looked_at_are_told() {
    let Story { mut stage, failed, .. } = story(160, 50);
    open(&mut stage, failed);
    assert!(stage.text().contains("none kept"));
    assert!(!stage.act(Action::Effect).iter().any(|_| true));
    assert!(stage.text().contains("no effects kept"));
    let late = changed(
        &mut stage,
        events::Transition::Requeued { id: InvocationId(7), queue: "boss".into() },
        "",
        Some(failed),
    );
    assert!(stage.text().contains("1 entry"), "{}", stage.text());
    stage.char('C');
    assert_eq!(at(&stage), Some(late));
}

#[test]
fn a_message_opens_at_its_payload_with_its_header_in_one_line() {
    let mut stage = bus(160, 50);
    stage.publish("agent/writer", 77, 1, 0);
    let seq = stage.tap.last();
    open(&mut stage, seq);
    let selected = |stage: &TestConsole| {
        let inspector = stage.ui.top::<Inspector>().unwrap();
        let node = inspector.selected_node().unwrap();
        node.name.read(&inspector.subject.bytes, 16).into_owned()
    };
    let screen = stage.text();
    assert_eq!(selected(&stage), "payload", "{screen}");
    assert_eq!(screen.matches("12 fields").count(), 2, "of the control frame and of the message: {screen}");
    assert!(!screen.contains("reserved4") && screen.contains("step 77"), "{screen}");
    while selected(&stage) != "header" {
        stage.key(KeyCode::Up);
    }
    stage.key(KeyCode::Right);
    let screen = stage.text();
    assert_eq!(screen.matches("reserved4").count(), 1, "the usual key unfolds it: {screen}");
    stage.key(KeyCode::Left);
    assert!(!stage.text().contains("reserved4"));
}

#[test]
fn a_long_topic_keeps_its_end_in_the_inspector() {
    let mut stage = bus(80, 24);
    let topic = format!("agent/{}/the-end", "a-long-name/".repeat(8));
    stage.publish(&topic, 78, 1, 0);
    let seq = stage.tap.last();
    open(&mut stage, seq);
    (0..8).for_each(|_| drop(stage.key(KeyCode::Up)));
    let screen = stage.text();
    let line = screen.lines().find(|line| line.contains("topic "));
    assert!(line.is_some_and(|line| line.contains("…") && line.contains("/the-end")), "{screen}");
}
