//! The ladder of a trace: beside the plan of a run, in a view of its own, and to and fro between it and the
//! Wire.

use crossterm::event::KeyCode;

use super::{
    bus_samples::{AGENT, frame, publication},
    runs_samples::{VOTE, run, runs},
    screens::at_both_sizes,
    test_console::TestConsole,
};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        records::selection::RowKeys as _,
        ui,
        ui::{effect::Effect, state::Focus},
        wire::ENTRY,
    },
    ids::{ConnectionId, OpeningId, Seq},
    rmp::{Dialect, FrameKind, Head, Kind, Verdict, broker::STATION},
    tap::entry::{Direction, Verdict as AnyVerdict},
};

/// A message of the run that waits, as a publication of a session.
fn say(stage: &mut TestConsole, session: ConnectionId, topic: &str, schema_id: u16, reached: (u32, u32)) {
    let head = Head {
        kind: Some(FrameKind::Publish),
        topic: Some(topic.into()),
        schema_id: Some(schema_id),
        msg_id: Some(VOTE),
        session: Some(session),
        ..Head::default()
    };
    let agent = topic.rsplit('/').next().unwrap_or_default();
    let (id, nil) = (run(VOTE), OpeningId(uuid::Uuid::nil()));
    let message = frame(
        schema_id,
        VOTE,
        &format!(
            r#"{{"type":"intent.executor.agent.request.v1","payload":{{"node":{{"id":"{agent}","use":"agent:{agent}"}},"inputs":{{}},
            "trace_id":"{id}","opening_id":"{nil}","attempt":1,"reply_topic":"rlp/runs/{id}/agents/{agent}/1"}},"meta":null}}"#
        ),
    );
    let bytes = if session == STATION { message } else { publication(topic, VOTE, "{}") };
    let verdict = Verdict::Published { subscribers: reached.0, dropped: reached.1 };
    stage.rmp_frame(Direction::Inbound, &head, AnyVerdict::Rmp(verdict), &bytes);
}

/// The Runs, with messages of the run that waits.
pub(super) fn with_messages(columns: u16, rows: u16) -> TestConsole {
    let mut stage = runs(columns, rows);
    stage.join(ConnectionId(9), "ann", Kind::Tui, Dialect::Frames);
    let reply = |agent: &str, number: u32| format!("rlp/runs/{}/agents/{agent}/{number}", run(VOTE));
    let events = format!("rlp/runs/{}/events", run(VOTE));
    say(&mut stage, ConnectionId(9), "rlp/ctrl", 2001, (1, 0));
    stage.pass(4);
    say(&mut stage, STATION, "rlp/ctrl", 2002, (1, 0));
    say(&mut stage, STATION, &events, 8, (1, 0));
    stage.pass(20);
    say(&mut stage, STATION, "agent/poll", 4000, (1, 0));
    say(&mut stage, STATION, "agent/writer", 4000, (0, 0));
    stage.pass(250);
    say(&mut stage, AGENT, &reply("poll", 1), 4001, (1, 0));
    say(&mut stage, STATION, &events, 8, (0, 1));
    stage
}

fn entries(stage: &TestConsole) -> Vec<Seq> {
    let rows = ui::rows(PaneId::Trace, &stage.ui, &stage.model);
    let seq = |row| *rows.key(row).as_ref().and_then(|key| ENTRY.id(key)).unwrap();
    (0..rows.len()).map(seq).collect()
}

#[test]
fn a_ladder_is_copied_as_a_sequence_diagram_and_other_records_are_not() {
    let mut stage = with_messages(160, 50);
    stage.char('Y');
    assert!(!stage.text().contains("m   sequence diagram"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.char('t');
    stage.char('Y');
    assert!(stage.text().contains("m   sequence diagram"), "{}", stage.text());
    let effects = stage.char('m');
    let [Effect::Copy(bytes)] = effects.as_slice() else { panic!("not copied: {effects:?}") };
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.starts_with("sequenceDiagram\n    participant p0 as ") && text.ends_with('\n'), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("->>")).count(), 7, "{text}");
    assert!(stage.text().contains("(sequence diagram)"), "only its size is said:\n{}", stage.text());
}

#[test]
fn the_messages_of_a_run_stand_in_a_ladder_with_their_ends_lengths_and_times() {
    let mut stage = with_messages(160, 50);
    stage.char('t');
    assert_eq!(stage.ui.view, ViewId::Trace);
    assert_eq!(entries(&stage).len(), 7, "{}", stage.text());
    let text = stage.text();
    for wanted in [
        "Trace chat_vote a41f",
        "ann (9)",
        "station",
        "agent/poll",
        "EXECUTOR_AGENT",
        "/agents/po",
        "250 ms",
        "4.0 ms",
        "no receiver",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.char('/');
    stage.write("events:hidden");
    stage.key(KeyCode::Enter);
    assert_eq!(entries(&stage).len(), 5, "what only tells how it stands is filtered off: {}", stage.text());
}

#[test]
fn the_filter_of_a_pane_is_taken_off_and_on_by_its_key_and_left_alone_by_esc() {
    let mut stage = with_messages(160, 50);
    stage.char('t');
    stage.char('F');
    assert_eq!(entries(&stage).len(), 5, "{}", stage.text());
    assert!(stage.text().contains("run events hidden, F shows them"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    assert_eq!(entries(&stage).len(), 5, "esc leaves it: {}", stage.text());
    // What the operator filters by is taken off by Esc alone, and what the pane hides by its key alone.
    stage.char('/');
    stage.write(" agent");
    stage.key(KeyCode::Enter);
    let both = entries(&stage).len();
    assert!(both < 5, "{}", stage.text());
    stage.char('F');
    assert!(stage.text().contains("agent"), "{}", stage.text());
    stage.char('F');
    assert_eq!(entries(&stage).len(), both);
    stage.key(KeyCode::Esc);
    assert_eq!(entries(&stage).len(), 5, "{}", stage.text());
    stage.char('F');
    assert_eq!(entries(&stage).len(), 7, "{}", stage.text());
}

#[test]
fn from_a_message_to_its_entry_in_the_wire_and_back() {
    let mut stage = with_messages(160, 50);
    stage.char('t');
    stage.key(KeyCode::Home);
    let first = entries(&stage)[0];
    stage.char('t');
    assert_eq!(stage.ui.view, ViewId::Wire);
    assert_eq!(stage.ui.selected(PaneId::Wire, &stage.model), Some(ENTRY.of(first)));
    stage.char('t');
    assert_eq!((stage.ui.view, stage.ui.trace), (ViewId::Trace, Some(run(VOTE))));
    assert_eq!(stage.ui.selected(PaneId::Trace, &stage.model), Some(ENTRY.of(first)));
}

#[test]
fn a_message_that_the_wires_filter_leaves_out_is_shown_all_the_same() {
    let mut stage = with_messages(160, 50);
    stage.char('8');
    stage.char('/');
    stage.write("link:mpp");
    stage.key(KeyCode::Enter);
    stage.char('4');
    stage.ui.focus = Focus::Pane(PaneId::Trace);
    stage.key(KeyCode::Home);
    let first = entries(&stage)[0];
    stage.char('t');
    assert_eq!(stage.ui.selected(PaneId::Wire, &stage.model), Some(ENTRY.of(first)));
    assert!(stage.text().contains("Wire filter cleared"), "{}", stage.text());
}

#[test]
fn a_message_is_inspected_and_from_there_its_ladder_is_found() {
    let mut stage = with_messages(160, 50);
    stage.char('t');
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("frame_len"), "{}", stage.text());
    stage.char('t');
    assert!(stage.ui.overlays.is_empty() && stage.ui.view == ViewId::Trace);
}

#[test]
fn the_ladder_is_that_of_the_moment_that_is_shown_and_goes_on_when_it_is_live_again() {
    let mut stage = with_messages(160, 50);
    stage.char('t');
    stage.char(' ');
    let before = entries(&stage).len();
    say(&mut stage, STATION, "agent/counter", 4000, (1, 0));
    assert_eq!(entries(&stage).len(), before, "time is stopped");
    stage.key(KeyCode::End);
    assert_eq!(entries(&stage).len(), before + 1);
}

#[test]
fn what_belongs_to_no_piece_of_work_says_so() {
    let mut stage = runs(160, 50);
    stage.char('7');
    assert!(stage.text().contains("are kept here: they predate"), "{}", stage.text());
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(super::test_console::connected());
    stage.char('7');
    assert!(stage.text().contains("no trace selected"), "{}", stage.text());
    stage.char('t');
    assert!(stage.text().contains("no message is selected"), "{}", stage.text());
}

#[test]
fn a_ladder_of_which_only_the_end_is_kept_says_where_the_rest_is() {
    let mut stage = runs(160, 50);
    let events = format!("rlp/runs/{}/events", run(VOTE));
    say(&mut stage, STATION, &events, 8, (1, 0));
    stage.char('t');
    stage.char('/');
    stage.write("events:hidden");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    let command = "trace a41f` reads a run";
    for wanted in ["0 of 1", "only run events", command] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.key(KeyCode::Enter);
    assert!(!stage.text().contains("here yet"), "{}", stage.text());
}

#[test]
fn the_ladder_of_a_run() {
    at_both_sizes("trace", |columns, rows| {
        let mut stage = with_messages(columns, rows);
        stage.char('t');
        stage
    });
}
