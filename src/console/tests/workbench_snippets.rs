//! Snippets in the workbench: found by what is typed, opened with their door, sent frame by frame, saved.

use crossterm::event::KeyCode;

use super::{
    inspection::inspected,
    test_console::TestConsole,
    workbench::{answer, command, ended, opened, row, sent, told},
};
use crate::{
    console::{
        input::keymap::KeyScope,
        ui::{effect::Effect, event::Event},
        worker::{SnippetAnswer, SnippetJob, SnippetListing, list},
    },
    judged::Certainty,
    port::{DoorSpec, JudgedRow, WorkbenchCommand, WorkbenchOutcome},
};

/// The job on snippets among effects.
fn job(effects: &[Effect]) -> Option<&SnippetJob> {
    effects.iter().find_map(|effect| match effect {
        Effect::Snippet(job) => Some(&**job),
        _ => None,
    })
}

/// The list of frames with the shipped snippets and these, and what is typed in it.
fn found(own: SnippetListing, text: &str) -> TestConsole {
    let mut stage = opened(row("accepted"));
    let effects = stage.ctrl('o');
    assert_eq!((job(&effects), stage.ui.key_scope()), (Some(&SnippetJob::List), KeyScope::FrameList));
    assert!(stage.text().contains("loading snippets"));
    stage.event(Event::Snippets(Some(list(own))));
    stage.write(text);
    stage
}

#[test]
fn snippets_are_listed_with_door_and_expectation_and_found_by_what_is_typed() {
    let mut stage = found(SnippetListing::default(), "");
    let text = stage.text();
    assert!(text.contains("mpp/hello") && text.contains("hello_ack") | text.contains("accepted"), "{text}");
    stage.write("invalid-payload");
    let text = stage.text();
    let first = text.lines().find(|line| line.contains("shipped")).unwrap();
    for wanted in ["macp/invalid-payload", "call", "refused InvalidPayload", "a vote that is not JSON"] {
        assert!(first.contains(wanted), "{wanted}: {first}");
    }
    for _ in 0..40 {
        stage.char('q');
    }
    assert!(stage.text().contains("no matches"), "{}", stage.text());
    assert!(stage.key(KeyCode::Enter).is_empty());
    assert_eq!(stage.ui.key_scope(), KeyScope::FrameList);
}

#[test]
fn ones_own_snippets_go_first_and_files_that_are_none_are_said() {
    let text =
        "about = 'mine'\nlink = 'mpp'\ndoor = 'to-adapter'\njson = '{\"body\":{\"x\":1}}'\n".to_owned();
    let troubles = vec!["/c/snippets/mpp/wrong.toml: expected a value".to_owned()];
    let own = SnippetListing { files: vec![("mpp/pull".to_owned(), text)], troubles };
    let mut stage = found(own, "");
    let text = stage.text();
    let first = text.lines().find(|line| line.contains("mpp/pull")).unwrap();
    assert!(first.contains("own") && first.contains("mine"), "{first}");
    assert!(text.contains("wrong.toml: expected a value"), "{text}");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.contains("to the adapter") && text.contains("\"x\": 1"), "{text}");
}

#[test]
fn a_snippet_opens_with_its_door_and_its_frames_are_sent_one_after_the_other() {
    let mut stage = found(SnippetListing::default(), "invalid-payload");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in ["macp/invalid-payload, frame 1 of 2", "needs no session of this id", "SessionStart"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let (open, on_outcome) = command(stage.ctrl('s'));
    let WorkbenchCommand::Open { door: DoorSpec::Call { .. } } = open else { panic!("{open:?}") };
    let opened = WorkbenchOutcome::Opened { door: 3, peer: String::new() };
    let (_, on_outcome) = command(ended(&mut stage, on_outcome, Ok(opened)));
    ended(&mut stage, on_outcome, Ok(sent(told("Send", true))));
    let text = stage.text();
    for wanted in ["frame 2 of 2", "expected: refused InvalidPayload", "\"payload\": \"left\"", " sent "] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.ctrl('o');
    stage.event(Event::Snippets(Some(list(SnippetListing::default()))));
    stage.write("mpp/heartbeat");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.contains(" foreseen ") && !text.contains(" sent "), "nothing came of it yet: {text}");
}

#[test]
fn what_a_snippet_needs_is_said_where_its_end_is_foreseen_as_another_one() {
    let judged = |row| {
        let mut stage = found(SnippetListing::default(), "macp/cancel-session");
        let effects = stage.key(KeyCode::Enter);
        answer(&mut stage, effects, row);
        stage
    };
    let words = "not as the snippet shows, which needs";
    let refused = JudgedRow { code: Some("SessionNotFound".to_owned()), ..row("refused") };
    let mut stage = judged(refused.clone());
    assert!(stage.text().contains(words), "{}", stage.text());
    let mut stage = judged(JudgedRow { certainty: Certainty::AfterALook, ..refused });
    assert!(!stage.text().contains(words), "it is not known yet: {}", stage.text());
    assert!(!judged(row("accepted")).text().contains(words));
}

#[test]
fn a_snippet_shows_what_is_broken_of_it() {
    let mut stage = found(SnippetListing::default(), "mpp/not-json");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.contains("mpp/not-json") && text.contains("expected: refused"), "{text}");
}

#[test]
fn what_was_written_is_not_lost_by_another_frame() {
    let mut stage = opened(row("accepted"));
    stage.key(KeyCode::End);
    stage.char(' ');
    stage.ctrl('o');
    stage.event(Event::Snippets(Some(list(SnippetListing::default()))));
    stage.write("mpp/heartbeat");
    stage.key(KeyCode::Enter);
    stage.ctrl('o');
    assert!(stage.text().contains("not sent"), "{}", stage.text());
}

#[test]
fn what_was_written_in_a_captured_frame_is_not_lost_by_another_frame() {
    let listed = |write: bool| {
        let mut stage = inspected(160, 50, |story| story.refused);
        stage.char('e');
        if write {
            stage.char('x');
        }
        stage.key(KeyCode::Esc);
        stage.char('e');
        stage.ctrl('o');
        stage.event(Event::Snippets(Some(list(SnippetListing::default()))));
        stage.text()
    };
    let (written, unchanged) = (listed(true), listed(false));
    assert!(written.contains("not sent"), "{written}");
    assert!(!unchanged.contains("not sent"), "it can be opened again: {unchanged}");
}

#[test]
fn a_frame_is_saved_under_a_name() {
    let mut stage = opened(row("accepted"));
    stage.key(KeyCode::F(2));
    assert_eq!(stage.ui.key_scope(), KeyScope::SnippetName);
    stage.write("a b");
    assert!(stage.key(KeyCode::Enter).is_empty());
    assert!(stage.text().contains("letters, digits"), "{}", stage.text());
    stage.key(KeyCode::Backspace);
    stage.key(KeyCode::Backspace);
    let effects = stage.key(KeyCode::Enter);
    let Some(SnippetJob::Save { name, snippet }) = job(&effects) else { panic!("{effects:?}") };
    let text = snippet.text(name).unwrap();
    assert_eq!(name, "a");
    assert!(text.contains("door = \"adapter\"") && text.contains("verdict = \"accepted\""), "{text}");
    assert_eq!(stage.ui.key_scope(), KeyScope::Workbench);
    stage.event(Event::Snippets(Some(SnippetAnswer::Saved(Ok("/c/snippets/mpp/a.toml".into())))));
    assert!(stage.text().contains("snippet saved: /c/snippets/mpp/a.toml"));
    stage.event(Event::Snippets(Some(SnippetAnswer::Saved(Err("the disk is full".to_owned())))));
    assert!(stage.text().contains("snippet not saved: the disk is full"));
}
