//! What the workbench keeps from one start to the next: the draft, and the frames that were sent.

use crossterm::event::KeyCode;

use super::{
    test_console::{TestConsole, show},
    workbench::{command, ended, opened, row, sent, told},
};
use crate::{
    console::{
        settings::SavedFrames,
        ui::{effect::Effect, event::Event},
        workbench,
    },
    port::{WorkbenchError, WorkbenchOutcome},
};

/// The draft that effects have written.
fn draft(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|effect| match effect {
        Effect::SaveFrameDraft(draft) => draft.text(),
        _ => None,
    })
}

/// The frames that effects have written.
fn sent_frames(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|effect| match effect {
        Effect::SaveSentFrames(sent) => sent.text(),
        _ => None,
    })
}

/// Another start with what was kept.
fn started(frames: SavedFrames) -> TestConsole {
    let mut stage = show(160, 50);
    let model = std::mem::replace(&mut stage.model, crate::console::model::Model::new(&stage.ui.limits));
    stage.model = workbench::restore(model, &mut stage.ui, frames, stage.view.clock);
    stage
}

/// Sends what is in the workbench; the effects of its end.
fn send(stage: &mut TestConsole, outcome: Result<WorkbenchOutcome, WorkbenchError>) -> Vec<Effect> {
    let (open, on_outcome) = command(stage.ctrl('s'));
    let on_outcome = if matches!(open, crate::port::WorkbenchCommand::Open { .. }) {
        let opened = WorkbenchOutcome::Opened { door: 3, peer: "127.0.0.1:9".to_owned() };
        command(ended(stage, on_outcome, Ok(opened))).1
    } else {
        on_outcome
    };
    ended(stage, on_outcome, outcome)
}

#[test]
fn a_draft_is_kept_every_second_that_it_changes_and_is_there_in_the_next_start() {
    let mut stage = opened(row("accepted"));
    assert_eq!(draft(&stage.event(Event::Tick)), None, "nobody wrote in it");
    stage.key(KeyCode::End);
    stage.char(' ');
    let text = draft(&stage.event(Event::Tick)).unwrap();
    assert_eq!(draft(&stage.event(Event::Tick)), None, "it is written once");
    let mut again = started(SavedFrames { draft: Some(text), ..SavedFrames::default() });
    again.char('i');
    assert!(again.text().contains("    1 { "), "{}", again.text());
    // Left, it is kept at once.
    again.char('x');
    let text = draft(&again.key(KeyCode::Esc)).unwrap();
    assert!(text.contains("x{") || text.contains("{x"), "{text}");
}

#[test]
fn a_draft_with_a_token_is_written_with_one_to_be_lent() {
    let mut stage = opened(row("accepted"));
    let json = r#"{"body":{"type":"hello","bridge_token":"s3cret-s3cret"}}"#;
    stage.event(Event::Paste(json.to_owned()));
    let text = draft(&stage.event(Event::Tick)).unwrap();
    assert!(!text.contains("s3cret") && text.contains("$TOKEN"), "{text}");
    let saved = sent_frames(&send(&mut stage, Ok(sent(told("hello", true))))).unwrap();
    assert!(!saved.contains("s3cret") && saved.contains("$TOKEN"), "{saved}");
}

#[test]
fn the_frames_that_were_sent_are_listed_again_with_what_became_of_each() {
    let mut stage = opened(row("accepted"));
    send(&mut stage, Ok(sent(told("pull", true))));
    stage.key(KeyCode::End);
    stage.char(' ');
    let full = WorkbenchError::WorkbenchFull { open: 16 };
    let text = sent_frames(&send(&mut stage, Err(full))).unwrap();
    stage.ctrl('o');
    let listed = stage.text();
    let mut again = started(SavedFrames { sent: Some(text), ..SavedFrames::default() });
    again.char('i');
    again.ctrl('o');
    let text = again.text();
    for line in listed.lines().filter(|line| line.contains("as an adapter")) {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.contains("16 workbench connections are open") && text.contains("equal"), "{text}");
    again.key(KeyCode::Enter);
    assert!(again.text().contains("    1 { "), "{}", again.text());
}

#[test]
fn the_list_and_what_is_written_of_it_have_bounds() {
    let mut stage = opened(row("accepted"));
    stage.ui.limits.console.sent_frames_max = 3;
    for _ in 0..5 {
        send(&mut stage, Ok(sent(told("pull", true))));
    }
    let text = sent_frames(&send(&mut stage, Ok(sent(told("pull", true))))).unwrap();
    assert_eq!(text.matches("\"length\":42").count(), 3, "{text}");
    stage.ui.limits.console.sent_frames_bytes_max = 10;
    let text = sent_frames(&send(&mut stage, Ok(sent(told("pull", true))))).unwrap();
    assert_eq!(text, "{\"version\":1,\"sent\":[]}");
}

#[test]
fn a_file_that_could_not_be_read_is_said() {
    let why = "workbench.sent.json: larger than 10 bytes; moved to workbench.sent.unreadable".to_owned();
    let mut stage = started(SavedFrames { troubles: vec![why.clone()], ..SavedFrames::default() });
    assert!(stage.text().contains(&why), "{}", stage.text());
}
