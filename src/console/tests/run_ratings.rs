//! Rating a run.

use crossterm::event::KeyCode;

use super::{
    runs_samples::{VOTE, run, with_runs},
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::keymap::KeyScope,
        systems::runs::rating::Rated,
        ui::{
            effect::{Effect, OutcomeText as _},
            event::Event,
        },
    },
    mplp::{self, RatingVerdict, command::NOTE_BYTES_MAX},
    port::{Command, Outcome},
};

/// The question about the run that is selected first.
fn asked() -> TestConsole {
    let mut stage = with_runs(show(80, 24));
    stage.char('4');
    stage.char('V');
    assert_eq!(stage.ui.key_scope(), KeyScope::RateDialog, "{}", stage.text());
    stage
}

fn rated(effects: &[Effect]) -> Option<(RatingVerdict, Option<String>)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Command {
            command: Command::Mplp(mplp::Command::Rate { run: of, verdict, note }), ..
        } => {
            assert_eq!(*of, run(VOTE));
            Some((*verdict, note.clone()))
        }
        _ => None,
    })
}

#[test]
fn a_run_is_rated_by_another_key_than_the_one_that_asks() {
    let mut stage = asked();
    let text = stage.text();
    assert!(text.contains("Rate chat_vote") && text.contains("Did the run do what it was for?"), "{text}");
    assert!(text.contains("It has not ended.") && text.contains("note: none"), "{text}");
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
        let outcome = Outcome::Mplp(mplp::Outcome::Rated { before });
        rated.text(&outcome).unwrap()
    };
    assert_eq!(says(None), ("chat_vote a41f rated approved".to_owned(), false));
    let again = "chat_vote a41f rated approved (before: rejected)".to_owned();
    assert_eq!(says(Some(RatingVerdict::Rejected)), (again, false));
}
