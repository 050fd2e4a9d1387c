//! Sessions: what their view shows, what their chip says, what is asked for there.

use crossterm::event::KeyCode;

use super::{
    answers::{answered, asked_by},
    screens::at_three_sizes,
    test_console::{TestConsole, connected, fresh, show},
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        model::sessions::StatementKind,
        systems::sessions::keys::{SESSION, SESSION_RECORD, STATEMENT},
        ui::{effect::PanePage, event::Event, state::Focus},
    },
    macp::{Effect, Ending},
    port::{Page, Query},
};

use super::sessions_samples::{NAMES, RELEASE, decision, keys, over, session, sessions, with_sessions};

#[test]
fn open_sessions_come_first_then_those_that_ended_last() {
    let mut stage = sessions(160, 50);
    assert_eq!(stage.ui.view, ViewId::Sessions);
    let expected = |numbers: [u64; 5]| numbers.map(|number| SESSION.of(session(number)));
    assert_eq!(keys(&stage, PaneId::Sessions), expected([18, 17, 16, 15, 14]));
    stage.closed(NAMES, Ending::Resolved, "{}");
    let ended = expected([17, 18, 16, 15, 14]);
    assert_eq!(keys(&stage, PaneId::Sessions), ended, "what ended is below what is open at once");
}

#[test]
fn a_row_tells_the_mode_how_far_it_is_who_is_in_and_how_long_it_lasts_yet() {
    let mut stage = sessions(160, 50);
    stage.ui.zoomed = Some(PaneId::Sessions);
    let screen = stage.text();
    let line =
        |session: &str| screen.lines().find(|line| line.contains(session)).unwrap_or_default().to_owned();
    for wanted in ["decision", "voting", "2/3", "40s"] {
        assert!(line("▶ s-17").contains(wanted), "{wanted}: {screen}");
    }
    for wanted in ["multi_round", "round 3", "2/3", "6.7s"] {
        assert!(line("▶ s-18").contains(wanted), "{wanted}: {screen}");
    }
    assert!(line("✓ s-14").contains("resolved") && line("✓ s-14").contains("summon the dragon"), "{screen}");
    assert!(line("! s-15").contains("expired") && line("— s-16").contains("cancelled"), "{screen}");
}

#[test]
fn what_a_session_is_about_and_what_it_came_to_stand_apart_in_both_lists() {
    let mut stage = sessions(160, 50);
    let columns = |stage: &mut TestConsole, pane: PaneId| {
        stage.ui.zoomed = Some(pane);
        stage.ui.focus = Focus::Pane(pane);
        let effects = stage.event(Event::Tick);
        answered(stage, effects);
        let text = stage.text();
        let head = text.lines().find(|line| line.contains("intent")).unwrap_or_default().to_owned();
        let at = |word: &str| {
            head.find(word).map_or_else(|| panic!("{word}: {text}"), |at| head[..at].chars().count())
        };
        (at("intent"), at("outcome"), text)
    };
    let (about, outcome, text) = columns(&mut stage, PaneId::Sessions);
    let cell = |text: &str, line: &str, at: usize| -> String {
        let line = text.lines().find(|known| known.contains(line)).unwrap_or_default();
        line.chars().skip(at).take(8).collect()
    };
    let of = |line: &str| [cell(&text, line, about), cell(&text, line, outcome)];
    assert_eq!(of("✓ s-14"), ["which bo", "summon t"]);
    assert_eq!(of("— s-16"), ["ban a wo", "not whil"]);
    assert_eq!(of("▶ s-17"), ["deploy t", "        "]);
    let (about, outcome, text) = columns(&mut stage, PaneId::SessionHistory);
    assert!(about < outcome, "{text}");
}

#[test]
fn the_proposals_have_their_votes_evaluations_and_objections() {
    let mut stage = decision(160, 50);
    let screen = stage.text();
    for wanted in [
        "Proposals s-17",
        "Deploy to production",
        "2 approve",
        "1 high",
        "1 APPROVE",
        "1 REVIEW",
        "waiting for carol",
    ] {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    let voices: Vec<_> = keys(&stage, PaneId::Statements);
    assert_eq!(voices.len(), 5);
    assert_eq!(
        voices[0],
        STATEMENT.of((session(RELEASE), StatementKind::Votes, 0, "bob".into())),
        "the last first"
    );
    stage.votes(RELEASE, "bob", ("p2", "reject"), "on second thought");
    assert_eq!(keys(&stage, PaneId::Statements).len(), 5, "the last vote of a sender counts");
    assert!(stage.text().contains("1 reject"), "{}", stage.text());
}

#[test]
fn rounds_show_who_holds_what_and_how_many_agree() {
    let mut stage = sessions(160, 50);
    let screen = stage.text();
    for wanted in ["Contributions s-18", "Rounds s-18", "teal", "waiting for carol", "participant", "equal"] {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    // A session that was chosen stays in sight, wherever its row goes.
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Up);
    stage.takes(NAMES, "carol", Effect::Contributed { round: 4 }, "teal");
    stage.closed(NAMES, Ending::Resolved, r#"{"converged_value":"teal","round":4,"final_values":{}}"#);
    assert!(stage.text().contains("✓ resolved: teal"), "{}", stage.text());
}

#[test]
fn the_log_follows_its_end_and_numbers_what_was_heard_as_the_store_does() {
    let mut stage = decision(160, 50);
    let line = |number| SESSION_RECORD.of((session(RELEASE), number));
    assert_eq!(keys(&stage, PaneId::SessionLog), (1..=8).map(line).collect::<Vec<_>>());
    assert_eq!(stage.ui.selected(PaneId::SessionLog, &stage.model), Some(line(8)));
    stage.closed(RELEASE, Ending::TtlExpired, "");
    assert_eq!(stage.ui.selected(PaneId::SessionLog, &stage.model), Some(line(9)));
    let screen = stage.text();
    assert!(screen.contains("EXPIRED") && screen.contains("p1: high, security review"), "{screen}");
}

#[test]
fn a_session_of_the_store_is_read_from_there_log_and_all() {
    let mut stage = over(PaneId::SessionHistory);
    stage.pass(1_100);
    let effects = stage.key(KeyCode::Home);
    let (_, query) = asked_by(PaneId::SessionLog, &effects).unwrap();
    assert_eq!(query, Query::SessionLog { session: "s-5".to_owned(), after: 52, limit: 200 });
    assert_eq!(
        asked_by(PaneId::Positions, &effects).unwrap().1,
        Query::Session { session: "s-5".to_owned() }
    );
    answered(&mut stage, effects);
    let screen = stage.text();
    for wanted in ["Proposals s-5", "chess", "1 approve", "p9", "! EXPIRED", "for the 252th time"] {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    stage.ui.focus = Focus::Pane(PaneId::SessionLog);
    stage.pass(1_100);
    let effects = stage.key(KeyCode::Home);
    let (_, query) = asked_by(PaneId::SessionLog, &effects).unwrap();
    assert_eq!(query, Query::SessionLog { session: "s-5".to_owned(), after: 0, limit: 52 });
    answered(&mut stage, effects);
    assert_eq!(keys(&stage, PaneId::SessionLog).len(), 252);
    stage.ui.focus = Focus::Pane(PaneId::SessionHistory);
    stage.pass(1_100);
    let effects = stage.key(KeyCode::Down);
    answered(&mut stage, effects);
    assert!(stage.text().contains("✓ resolved: go"), "{}", stage.text());
}

#[test]
fn a_session_that_the_store_has_no_more_is_asked_for_once() {
    let mut stage = over(PaneId::SessionHistory);
    stage.pass(1_100);
    let effects = stage.key(KeyCode::Home);
    let (serial, _) = asked_by(PaneId::Positions, &effects).unwrap();
    let asked = PanePage { pane: PaneId::Positions, serial };
    stage.event(Event::QueryAnswered { on_page: Box::new(asked), page: Ok(Page::Session(None)) });
    for _ in 0..5 {
        stage.pass(1_100);
        let effects = stage.event(Event::Tick);
        assert_eq!(asked_by(PaneId::Positions, &effects), None);
        answered(&mut stage, effects);
    }
    assert!(stage.text().contains("no longer stored"), "{}", stage.text());
    stage.pass(1_100);
    let effects = stage.key(KeyCode::Down);
    assert!(asked_by(PaneId::Positions, &effects).is_some(), "another one is asked for");
}

#[test]
fn sessions_are_filtered_and_sorted_by_their_fields() {
    for (filter, wanted) in [
        ("state:open", vec![18, 17]),
        ("mode:decision and ending:cancelled", vec![16]),
        ("left<10s", vec![18]),
        ("phase:voting", vec![17]),
        ("round>=1 not in>=2", vec![15]),
    ] {
        let mut stage = sessions(160, 50);
        stage.char('/');
        stage.write(filter);
        stage.key(KeyCode::Enter);
        let wanted: Vec<_> = wanted.into_iter().map(|number| SESSION.of(session(number))).collect();
        assert_eq!(keys(&stage, PaneId::Sessions), wanted, "{filter}: {}", stage.text());
    }
}

#[test]
fn what_agents_wrote_is_masked_on_air() {
    let mut stage = decision(160, 50);
    stage.act(Action::OnAir);
    let screen = stage.text();
    for hidden in
        ["Deploy to production", "security review", "deploy tonight", "summon the dragon", "not while live"]
    {
        assert!(!screen.contains(hidden), "{hidden}: {screen}");
    }
    assert!(screen.contains("p1") && screen.contains("2 approve"), "{screen}");
}

#[test]
fn each_is_read_whole_and_its_entries_are_found() {
    for (pane, wanted) in [
        (PaneId::Sessions, vec!["Session s-17", "waiting for", "carol", "session show s-17"]),
        (PaneId::Positions, vec!["p1 of s-17", "2 approve", "1 high"]),
        (PaneId::Statements, vec!["bob vote", "looks good to me"]),
        (PaneId::SessionLog, vec!["Record 8 of s-17", "incoming", "session show s-17 --log"]),
    ] {
        let mut stage = decision(160, 50);
        stage.ui.focus = Focus::Pane(pane);
        stage.pass(10);
        stage.key(KeyCode::Enter);
        let screen = stage.text();
        for wanted in wanted {
            assert!(screen.contains(wanted), "{pane:?} {wanted}: {screen}");
        }
        stage.char('c');
        assert!(stage.text().contains("accepted"), "{pane:?}: {}", stage.text());
    }
}

#[test]
fn time_that_is_stopped_shows_sessions_as_they_were() {
    let mut stage = decision(160, 50);
    stage.char(' ');
    stage.closed(RELEASE, Ending::Cancelled, "late");
    assert!(stage.text().contains("▶ s-17") && !stage.text().contains("cancelled: late"), "{}", stage.text());
    stage.key(KeyCode::End);
    assert!(stage.text().contains("— s-17"), "{}", stage.text());
}

#[test]
fn the_chip_tells_how_many_are_open_and_which_expired_lately() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    assert!(stage.text().contains("MACP ● 0 open"), "{}", stage.text());
    let mut stage = with_sessions(stage);
    assert!(stage.text().contains("MACP ◐ 1 expired 2 open"), "{}", stage.text());
    stage.ui.focus = Focus::Chips(2);
    stage.key(KeyCode::Enter);
    let screen = stage.text();
    for wanted in [
        "MACP runtime",
        "s-15 expired in the last minute, unresolved at round 1",
        "5 started or already open, 1 resolved, 1 expired, 1 cancelled",
    ] {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    stage.key(KeyCode::Esc);
    stage.pass(70_000);
    assert!(stage.text().contains("MACP ● 2 open"), "{}", stage.text());
}

#[test]
fn the_log_of_all_tells_of_sessions_that_came_to_nothing() {
    let mut stage = with_sessions(show(160, 50));
    stage.char('9');
    let screen = stage.text();
    assert!(
        screen.contains("session s-15 expired without a resolution")
            && screen.contains("session s-16 was cancelled"),
        "{screen}"
    );
}

#[test]
fn a_station_without_sessions_says_so_in_every_pane() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(fresh());
    stage.char('5');
    let screen = stage.text();
    assert!(screen.contains("no sessions yet") && screen.contains("no session is selected"), "{screen}");
}

#[test]
fn the_decision_in_full_swing() {
    at_three_sizes("sessions", decision);
}

#[test]
fn the_rounds_in_full_swing() {
    at_three_sizes("session_rounds", sessions);
}

#[test]
fn the_deck_with_sessions() {
    at_three_sizes("deck_sessions", |columns, rows| with_sessions(show(columns, rows)));
}

#[test]
fn a_session_in_words() {
    at_three_sizes("session_facts", |columns, rows| {
        let mut stage = decision(columns, rows);
        stage.key(KeyCode::Enter);
        stage
    });
}
