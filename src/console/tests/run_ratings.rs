//! Rating a run.

use crossterm::event::KeyCode;

use super::{
    runs_samples::{GREET, run, stored, with_runs},
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::{keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        overlays::Details,
        records::selection::RowKeys as _,
        systems::runs::rating::Rated,
        ui::{
            effect::{Effect, OutcomeText as _},
            event::Event,
            state::{Focus, Ui},
        },
    },
    mplp::{self, RatingVerdict, Transition, command::NOTE_BYTES_MAX},
    port::{Command, Outcome, Page, Query, RunDetail, RunRow},
    schema::JsonText,
    store::mplp::Rating,
    tap::entry::Transition as Any,
    time::Wall,
};

/// A run that ended as the store has it.
fn stored_greet(rating: Option<Rating>) -> RunDetail {
    let row = RunRow { run: run(GREET), name: "greet".to_owned(), ..stored().remove(0) };
    let plan = JsonText::parse(r#"{"nodes":[],"edges":[]}"#).unwrap();
    RunDetail { row, yaml: String::new(), plan, traceparent: None, artifacts_missing: 0, rating }
}

/// The Runs, with the run that ended selected.
fn on_ended() -> TestConsole {
    let mut stage = with_runs(show(80, 24));
    stage.char('4');
    stage.ui.systems.runs.run = Some(run(GREET));
    stage.ui.focus = Focus::Pane(PaneId::Plan);
    stage
}

/// Answers what the key that rates asks the store for.
fn answer_rating(stage: &mut TestConsole, effects: Vec<Effect>, rating: Option<Rating>) {
    let asked = effects.into_iter().find_map(|effect| match effect {
        Effect::Query { query: Query::Run { run: of }, on_page } if of == run(GREET) => Some(on_page),
        _ => None,
    });
    let on_page = asked.expect("the store is asked");
    let page = Ok(Page::Run(Some(Box::new(stored_greet(rating)))));
    stage.event(Event::QueryAnswered { on_page, page });
    stage.painted();
}

/// The question about a run that ended.
fn asked_again(rating: Option<Rating>) -> TestConsole {
    let mut stage = on_ended();
    let effects = stage.char('V');
    answer_rating(&mut stage, effects, rating);
    assert_eq!(stage.ui.key_scope(), KeyScope::RateDialog, "{}", stage.text());
    stage
}

fn asked() -> TestConsole {
    asked_again(None)
}

fn rated(effects: &[Effect]) -> Option<(RatingVerdict, Option<String>)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Command {
            command: Command::Mplp(mplp::Command::Rate { run: of, verdict, note }), ..
        } => {
            assert_eq!(*of, run(GREET));
            Some((*verdict, note.clone()))
        }
        _ => None,
    })
}

#[test]
fn a_run_is_rated_by_another_key_than_the_one_that_asks() {
    let mut stage = asked();
    let text = stage.text();
    assert!(text.contains("Rate greet") && text.contains("Did the run do what it was for?"), "{text}");
    assert!(text.contains("note: none"), "{text}");
    assert!(text.contains("y approve") && text.contains("f reject") && text.contains("r note"), "{text}");
    assert!(stage.char('V').is_empty());
    assert_eq!(rated(&stage.char('y')), Some((RatingVerdict::Approved, None)));
    assert_eq!(rated(&asked().char('f')), Some((RatingVerdict::Rejected, None)));
    let mut back = asked();
    assert!(back.key(KeyCode::Esc).is_empty());
    assert_ne!(back.ui.key_scope(), KeyScope::RateDialog);
}

#[test]
fn a_rating_takes_a_note() {
    let mut stage = asked();
    stage.char('r');
    assert_eq!(stage.ui.key_scope(), KeyScope::Reason);
    stage.write("fly");
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("note: fly"), "{}", stage.text());
    assert_eq!(rated(&stage.char('f')), Some((RatingVerdict::Rejected, Some("fly".to_owned()))));
    let mut long = asked();
    long.char('r');
    long.event(Event::Paste("n".repeat(NOTE_BYTES_MAX + 1)));
    long.key(KeyCode::Enter);
    let (_, note) = rated(&long.char('y')).unwrap();
    assert_eq!(note.unwrap().len(), NOTE_BYTES_MAX, "no longer than is kept");
}

#[test]
fn a_rating_that_is_kept_says_the_one_before() {
    let rated = Rated { name: "chat_vote a41f".to_owned(), verdict: RatingVerdict::Approved };
    let says = |before| {
        let outcome = Outcome::Mplp(mplp::Outcome::Rated { before, keeps_note: false });
        rated.text(&outcome).unwrap()
    };
    assert_eq!(says(None), ("chat_vote a41f rated approved".to_owned(), false));
    let again = "chat_vote a41f rated approved (before: rejected)".to_owned();
    assert_eq!(says(Some(RatingVerdict::Rejected)), (again, false));
}

fn earlier() -> Rating {
    let note = Some("a warm welcome".to_owned());
    Rating { verdict: RatingVerdict::Approved, note, by: "console".to_owned(), at_ms: Wall(9) }
}

#[test]
fn a_run_that_is_rated_again_keeps_its_note_unless_it_is_deleted() {
    let mut stage = asked_again(Some(earlier()));
    let text = stage.text();
    assert!(text.contains("It is rated approved by console."), "{text}");
    assert!(text.contains("note: a warm welcome"), "{text}");
    let note = Some("a warm welcome".to_owned());
    assert_eq!(rated(&stage.char('f')), Some((RatingVerdict::Rejected, note)));
    let mut deleted = asked_again(Some(earlier()));
    deleted.char('r');
    for _ in 0.."a warm welcome".len() {
        deleted.key(KeyCode::Backspace);
    }
    deleted.key(KeyCode::Enter);
    assert_eq!(rated(&deleted.char('y')), Some((RatingVerdict::Approved, Some(String::new()))));
}

#[test]
fn an_open_run_is_not_rated_here_for_a_yes_could_be_read_as_its_approval() {
    let mut stage = with_runs(show(80, 24));
    stage.char('4');
    assert!(stage.char('V').is_empty());
    assert_ne!(stage.ui.key_scope(), KeyScope::RateDialog);
    assert!(stage.text().contains("chat_vote a41f has not ended: rate it then"), "{}", stage.text());
}

#[test]
fn the_run_that_is_shown_is_rated_in_every_pane_that_shows_it() {
    let mut stage = on_ended();
    stage.ui.focus = Focus::Pane(PaneId::Lifecycle);
    stage.ui.zoomed = Some(PaneId::Lifecycle);
    let effects = stage.char('V');
    answer_rating(&mut stage, effects, None);
    assert!(stage.text().contains("Rate greet b007"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.ui.trace = Some(run(GREET));
    stage.ui.show(ViewId::Trace);
    (stage.ui.zoomed, stage.ui.focus) = (None, Focus::Pane(PaneId::Trace));
    stage.event(Event::Tick);
    let effects = stage.char('V');
    answer_rating(&mut stage, effects, None);
    assert!(stage.text().contains("Rate greet b007"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.ui.show(ViewId::Sessions);
    let pane = PaneId::SessionLifecycle;
    (stage.ui.zoomed, stage.ui.focus) = (Some(pane), Focus::Pane(pane));
    stage.char('V');
    assert!(stage.text().contains("sessions are not rated"), "{}", stage.text());
}

#[test]
fn details_and_a_column_say_how_a_run_is_rated() {
    let mut stage = on_ended();
    stage.ui.push(Details::of(Ui::run_details(run(GREET))));
    let effects = stage.event(Event::Tick);
    let asked = effects.into_iter().find_map(|effect| match effect {
        Effect::Query { query: Query::Run { .. }, on_page } => Some(on_page),
        _ => None,
    });
    let page = Ok(Page::Run(Some(Box::new(stored_greet(Some(earlier()))))));
    stage.event(Event::QueryAnswered { on_page: asked.unwrap(), page });
    stage.event(Event::Tick);
    assert!(stage.text().contains("approved (console): a warm welcome"), "{}", stage.text());
    let verdict = RatingVerdict::Rejected;
    let told = Transition::Rated { run: run(GREET), verdict, by: "mod".into() };
    stage.emit(crate::tap::entry::Link::Mplp, Any::Mplp(told), "too late");
    assert!(stage.text().contains("rejected (mod): too late"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    let rows = crate::console::ui::rows(PaneId::Runs, &stage.ui, &stage.model);
    let field = crate::field::index_of(crate::console::ui::specs(PaneId::Runs), "rating").unwrap();
    let now = stage.view.now;
    let is_rejected = |at: &usize| {
        rows.with(*at, |row| row.value(field, now) == crate::field::Value::text("rejected")) == Some(true)
    };
    assert_eq!((0..rows.len()).filter(is_rejected).count(), 1);
}
