//! An opening that is written: its params as a form, the files and recent ones that it goes on from, what it
//! nests, and what is kept of it.

use crossterm::event::KeyCode;

use super::{
    run_actions::{send, writing},
    runs_samples::plan,
    screens::at_both_sizes,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::keymap::KeyScope,
        systems::runs::openings::OpeningDrafts,
        ui::{effect::Effect, event::Event},
        worker::{OpeningAnswer, OpeningFault, OpeningFile, OpeningJob, OpeningListing, ParsedOpening},
    },
    limits::Limits,
    runs,
    runs::Transition as T,
    time::Wall,
};

const POLL: &str = "version: 0
name: poll
params:
  # who asks
  user: bob
  rounds: 3
  loud: true
nodes:
  - id: ask
    use: agent:poll
    with: {text: \"{{params.user}} asks {{params.game}}\"}
edges: []
";

/// The editor with this text in it, from a file, beside a shelf.
fn editing(columns: u16, rows: u16, text: &str) -> TestConsole {
    let mut stage = show(columns, rows);
    stage.ui.systems.runs.opening_drafts = OpeningDrafts::new(None, None, true, &Limits::default().console);
    stage.char('s');
    let effects = stage.ctrl('o');
    assert_eq!(effects, [Effect::Opening(Box::new(OpeningJob::List))]);
    let file =
        OpeningFile { path: "/show/poll.yaml".into(), bytes: 200, changed_at: Some(Wall(1_790_000_000_000)) };
    stage.event(Event::Opening(Some(OpeningAnswer::Listed(OpeningListing {
        files: vec![file],
        ..OpeningListing::default()
    }))));
    let effects = stage.key(KeyCode::Enter);
    assert_eq!(effects, [Effect::Opening(Box::new(OpeningJob::Text("/show/poll.yaml".into())))]);
    stage.event(Event::Opening(Some(OpeningAnswer::Text("/show/poll.yaml".into(), Ok(text.to_owned())))));
    assert_eq!(stage.ui.key_scope(), KeyScope::Submit);
    stage
}

fn desk(effects: &[Effect]) -> Vec<&OpeningJob> {
    effects
        .iter()
        .filter_map(|effect| if let Effect::Opening(job) = effect { Some(&**job) } else { None })
        .collect()
}

fn kept(effects: &[Effect]) -> Option<&str> {
    effects
        .iter()
        .find_map(|effect| if let Effect::SaveDraft(text) = effect { Some(text.as_str()) } else { None })
}

#[test]
fn params_are_a_form_with_the_types_of_the_text_and_go_back_into_it_with_its_comments() {
    let mut stage = editing(160, 50, POLL);
    assert!(stage.text().contains("unknown param `game`"), "{}", stage.text());
    stage.ctrl('e');
    assert_eq!(stage.ui.key_scope(), KeyScope::SubmitParams);
    let text = stage.text();
    for wanted in
        ["Submit an opening: poll.yaml, its params", "user", "rounds", "[x] true", "game", "another"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.ctrl('u');
    stage.write("ann");
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Right);
    stage.key(KeyCode::Tab);
    stage.char(' ');
    stage.key(KeyCode::Tab);
    stage.write("chess");
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Submit);
    let text = stage.text();
    for wanted in ["# who asks", "user: ann", "rounds: 4", "loud: false", "game: chess", "✓ poll: 1 node"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn a_param_that_cannot_be_taken_holds_a_submission_back_at_its_row() {
    let mut stage = editing(160, 50, POLL);
    stage.ctrl('e');
    stage.key(KeyCode::Tab);
    stage.write("x");
    assert!(stage.text().contains("it is not a number"), "{}", stage.text());
    assert!(desk(&stage.ctrl('s')).is_empty());
    assert!(stage.text().contains("rounds: it is not a number"), "{}", stage.text());
}

#[test]
fn what_it_nests_is_looked_for_beside_the_screen_and_what_is_wrong_there_holds_nothing_back() {
    let text = POLL.replace("agent:poll", "opening:greet").replace("{{params.game}}", "x");
    let mut stage = editing(160, 50, &text);
    stage.key(KeyCode::End);
    let effects = stage.char('#');
    let jobs = desk(&effects);
    let [OpeningJob::Check { number, origin, .. }] = jobs[..] else { panic!("{effects:?}") };
    assert_eq!(origin.as_deref(), Some(std::path::Path::new("/show/poll.yaml")));
    let fault = OpeningFault {
        line: 3,
        column: 1,
        text: "/show/greet.yaml, 3:1: an opening has no key `nmae`".to_owned(),
        is_blocking: false,
        is_in_text: false,
    };
    let found = ParsedOpening { faults: vec![fault], ..ParsedOpening::default() };
    stage.event(Event::Opening(Some(OpeningAnswer::Checked { number: *number, found: found.clone() })));
    assert!(stage.text().contains("greet.yaml, 3:1"), "{}", stage.text());
    stage.event(Event::Opening(Some(OpeningAnswer::Checked {
        number: *number - 1,
        found: ParsedOpening::default(),
    })));
    assert!(
        stage.text().contains("greet.yaml, 3:1"),
        "an answer about an earlier text is let go: {}",
        stage.text()
    );
    let effects = stage.ctrl('s');
    let jobs = desk(&effects);
    let [OpeningJob::Bundle { request, .. }] = jobs[..] else { panic!("{effects:?}: {}", stage.text()) };
    let effects = stage.event(Event::Opening(Some(OpeningAnswer::Bundled {
        request: *request,
        text: Ok("whole".to_owned()),
    })));
    assert!(matches!(&effects[..], [Effect::Command { .. }]), "{effects:?}");
}

#[test]
fn a_draft_is_kept_while_it_is_written_and_is_there_again_after_a_restart() {
    let mut stage = editing(80, 24, POLL);
    stage.write("# mine");
    stage.pass(1_000);
    let written = kept(&stage.event(Event::Tick)).unwrap().to_owned();
    stage.pass(1_000);
    assert_eq!(kept(&stage.event(Event::Tick)), None, "it is written once");
    let mut again = show(80, 24);
    again.ui.systems.runs.opening_drafts =
        OpeningDrafts::new(Some(&written), None, true, &Limits::default().console);
    again.char('s');
    let text = again.text();
    assert!(text.contains("# mine") && text.contains("poll.yaml"), "{text}");
}

#[test]
fn what_was_submitted_and_what_was_left_for_another_is_listed_first() {
    let mut stage = writing();
    stage.ui.systems.runs.opening_drafts = OpeningDrafts::new(None, None, true, &Limits::default().console);
    stage.write("# first\n");
    let (request, _) = send(&mut stage);
    let by = runs::Asker { kind: runs::AskerKind::Tui, client: "console".into() };
    let effects = stage.runs(
        T::Submitted { run: request, name: "example".into(), by, nodes: 1 },
        &serde_json::to_string(&plan(&[("first", "agent:echo", None)], &[])).unwrap(),
    );
    assert!(effects.iter().any(|effect| matches!(effect, Effect::SaveRecent(_))), "{effects:?}");
    stage.char('s');
    stage.write("# second\n");
    stage.ctrl('o');
    let text = stage.text();
    assert!(text.contains("submitted example"), "{text}");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.contains("# first") && !text.contains("# second"), "{text}");
    stage.ctrl('o');
    assert!(stage.text().contains("draft"), "what was left is there: {}", stage.text());
}

#[test]
fn a_file_that_cannot_be_read_says_why_and_the_text_stays() {
    let mut stage = editing(80, 24, POLL);
    stage.ctrl('o');
    stage.event(Event::Opening(Some(OpeningAnswer::Text(
        "/show/x.yaml".into(),
        Err("it is not UTF-8".to_owned()),
    ))));
    assert!(stage.text().contains("/show/x.yaml: it is not UTF-8"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    assert!(stage.text().contains("name: poll"), "{}", stage.text());
}

#[test]
fn the_params_of_an_opening() {
    at_both_sizes("run_params", |columns, rows| {
        let mut stage = editing(columns, rows, POLL);
        stage.ctrl('e');
        stage
    });
}

#[test]
fn openings_to_go_on_with() {
    at_both_sizes("run_files", |columns, rows| {
        let mut stage = editing(columns, rows, POLL);
        stage.ctrl('o');
        let file = |name: &str| OpeningFile {
            path: format!("/show/{name}.yaml").into(),
            bytes: 2_000,
            changed_at: Some(Wall(1_790_000_000_000)),
        };
        let shelved = OpeningListing {
            files: vec![file("poll"), file("greet")],
            cut: 3,
            troubles: vec!["/x: permission denied".to_owned()],
        };
        stage.event(Event::Opening(Some(OpeningAnswer::Listed(shelved))));
        stage
    });
}
