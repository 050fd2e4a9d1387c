//! Rounds, however they end.

use super::{
    check::{list, sound, types},
    play::Play,
};
use crate::tap::entry::macp::{Ending, Mode};

#[test]
fn rounds_are_one_step_and_each_contribution_a_turn() {
    for (ending, step, collab) in [
        (None, "in_progress", "active"),
        (Some(Ending::Resolved), "completed", "completed"),
        (Some(Ending::TtlExpired), "skipped", "cancelled"),
        (Some(Ending::Cancelled), "skipped", "cancelled"),
    ] {
        let mut play = Play::new(Mode::MultiRound, &["alice", "bob"]);
        for round in 1..4 {
            play.contributes("alice", round);
            play.contributes("bob", round);
        }
        if let Some(ending) = ending {
            play.ends(ending);
        }
        let bundle = sound(&play);
        let steps = list(&bundle["plan"], "steps");
        assert_eq!((steps.len(), &steps[0]["status"]), (1, &step.into()));
        assert!(steps[0]["description"].as_str().unwrap().starts_with("rounds: "));
        let found = &bundle["collabs"][0];
        assert_eq!((&found["mode"], &found["status"]), (&"round_robin".into(), &collab.into()));
        assert_eq!(types(&bundle, |it| it["event_type"] == "MAPTurnCompleted").len(), 6);
    }
}

#[test]
fn rounds_of_one_are_of_the_profile_sa() {
    let mut play = Play::new(Mode::MultiRound, &["alice"]);
    play.contributes("alice", 1);
    play.ends(Ending::Resolved);
    assert_eq!(sound(&play)["profile"], "sa");
}
