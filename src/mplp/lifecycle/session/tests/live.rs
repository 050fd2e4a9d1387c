//! What of a session is told live, and what the record of its trace's run takes of it.

use super::play::{Play, TRACE, begin};
use crate::{
    mplp::{
        Profile, SchemaId, judge_bundle,
        lifecycle::{
            Item,
            run::tests::play::{Play as Run, plan},
        },
    },
    tap::entry::{
        macp::{Ending, Mode},
        runs::RunState,
    },
};

fn events(items: Vec<Item>) -> Vec<Item> {
    items.into_iter().filter(|item| item.object.get("event_type").is_some()).collect()
}

/// A decision of the run's trace, and the events that were told of it live.
fn told(listed: &[&str], with_bob: bool) -> (Play, Vec<Item>) {
    let mut play = Play::of({
        let mut begin = begin(Mode::Decision, listed);
        begin.trace = Some(TRACE);
        begin
    });
    let mut told = play.record.poll_events();
    play.proposes("alice", "p1");
    told.extend(play.record.poll_events());
    play.objects(if with_bob { "bob" } else { "alice" }, "p1");
    told.extend(play.record.poll_events());
    told.extend(play.record.poll_events());
    play.votes("alice", "p1");
    play.commits("alice");
    told.extend(play.record.poll_events());
    play.ends(Ending::Resolved);
    told.extend(play.record.poll_events());
    assert_eq!(play.record.poll_events(), []);
    (play, told)
}

#[test]
fn what_is_told_live_is_what_the_record_has_at_last() {
    for (listed, with_bob) in
        [(&["alice", "bob"][..], true), (&[], true), (&[], false), (&["alice", "bob"], false)]
    {
        let (play, told) = told(listed, with_bob);
        assert!(!told.is_empty());
        let all = play.record.items_for_run();
        assert!(
            all.iter().chain(&told).all(|item| item.session.as_deref() == Some("map-vote-7")),
            "{listed:?}"
        );
        assert_eq!(told, events(all), "{listed:?}");
    }
}

#[test]
fn nothing_is_told_until_it_is_known_by_which_profile() {
    let mut play = Play::new(Mode::Decision, &[]);
    play.proposes("alice", "p1");
    assert_eq!(play.record.poll_events(), []);
    assert_eq!(events(play.record.items_for_run()), []);
    play.evaluates("bob", "p1");
    let schemas: Vec<_> = play.record.poll_events().iter().map(|item| item.schema).collect();
    assert_eq!(schemas.iter().filter(|it| **it == SchemaId::MapEvent).count(), 7);
}

#[test]
fn a_run_takes_the_sessions_of_its_trace() {
    for with_bob in [true, false] {
        let one = || plan(&[("a", "agent:echo", None)], &[]);
        let mut run = Run::new(one());
        run.node("a#1", "running", "");
        let (play, _) = told(&[], with_bob);
        run.record.add_session(play.record.items_for_run());
        run.node("a#1", "completed", "");
        run.ends(RunState::Succeeded, "");
        let profile = if with_bob { Profile::Map } else { Profile::Sa };
        assert_eq!(run.record.profile(), profile);
        let bundle = run.bundle().value();
        let findings = judge_bundle(&bundle, None, 9);
        assert!(findings.is_clean(), "{findings:#?}");
        assert_eq!(bundle["dialogs"].as_array().unwrap().len(), 2);
        let context_id = &bundle["context"]["context_id"];
        assert_eq!(&bundle["dialogs"][1]["context_id"], context_id);
        assert_eq!(bundle.get("collabs").is_some(), with_bob);
        let graph: i64 = bundle["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|event| event.get("node_delta")?.as_i64())
            .sum();
        assert_eq!(graph, 1 + i64::from(with_bob));
    }
}
