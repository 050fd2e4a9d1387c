//! Decisions, however they end.

use serde_json::json;

use super::{
    check::{list, sound, types},
    play::{Play, TRACE, begin},
};
use crate::{
    mplp::{Derived, Profile},
    tap::entry::macp::{Effect, Ending, Mode},
};

fn statuses(bundle: &serde_json::Value) -> Vec<&str> {
    list(&bundle["plan"], "steps").iter().map(|step| step["status"].as_str().unwrap()).collect()
}

fn is_map(event: &serde_json::Value) -> bool {
    event["event_type"].as_str().unwrap().starts_with("MAP")
}

#[test]
fn a_decision_of_two_is_a_swarm_whose_messages_are_turns() {
    let mut play = Play::new(Mode::Decision, &["alice", "bob"]);
    sound(&play);
    play.debates();
    let open = sound(&play);
    assert_eq!(statuses(&open), ["completed", "completed", "in_progress", "pending"]);
    assert_eq!(open["trace"]["status"], "running");
    play.commits("alice");
    assert_eq!(statuses(&sound(&play)), ["completed"; 4]);
    play.ends(Ending::Resolved);
    let bundle = sound(&play);
    assert_eq!(bundle["profile"], "map");
    assert_eq!(bundle["collabs"][0]["mode"], "swarm");
    assert_eq!(bundle["collabs"][0]["status"], "completed");
    assert_eq!(bundle["plan"]["status"], "completed");
    assert_eq!(bundle["context"]["root"]["session"], "map-vote-7");
    assert_eq!(bundle["dialogs"][0]["status"], "completed");
    let map = types(&bundle, is_map);
    assert_eq!(map[..2], ["MAPSessionStarted", "MAPRolesAssigned"]);
    assert_eq!(map[map.len() - 1], "MAPSessionCompleted");
    assert_eq!(map.iter().filter(|it| **it == "MAPConflictDetected").count(), 1);
    assert_eq!(map[map.len() - 3..map.len() - 1], ["MAPConflictResolved", "MAPTurnCompleted"]);
    let trace = types(&bundle["trace"], |_| true);
    assert_eq!((trace[0], trace[trace.len() - 1]), ("session.started", "session.resolved"));
}

#[test]
fn steps_move_back_with_the_phase() {
    let mut play = Play::new(Mode::Decision, &["alice", "bob"]);
    play.debates();
    let bundle = sound(&play);
    let voting = bundle["plan"]["steps"][2]["step_id"].clone();
    let moved = types(&bundle, |event| event.get("stage_id") == Some(&voting));
    assert_eq!(moved, ["step_started", "step_pending", "step_started"]);
}

#[test]
fn what_is_open_at_an_end_ends_with_it() {
    for ending in [Ending::TtlExpired, Ending::Cancelled, Ending::LogDamaged] {
        let mut play = Play::new(Mode::Decision, &["alice", "bob"]);
        play.debates();
        play.ends(ending);
        let bundle = sound(&play);
        assert_eq!(statuses(&bundle), ["completed", "completed", "skipped", "skipped"]);
        assert_eq!(bundle["plan"]["status"], "cancelled");
        assert_eq!(bundle["trace"]["status"], "cancelled");
        assert_eq!(bundle["collabs"][0]["status"], "cancelled");
        assert!(!types(&bundle, is_map).contains(&"MAPConflictResolved"), "{ending:?}");
        assert_eq!(types(&bundle, |it| it["event_type"] == "session_cancelled").len(), 1);
    }
    let mut play = Play::new(Mode::Decision, &["alice", "bob"]);
    play.ends(Ending::TtlExpired);
    assert_eq!(statuses(&sound(&play)), ["skipped"; 4]);
}

#[test]
fn the_old_form_resolves_the_step_that_is_open() {
    let mut play = Play::new(Mode::Decision, &[]);
    play.proposes("alice", "p1");
    play.says("bob", "Message", Effect::LegacyResolved, "");
    play.ends(Ending::Resolved);
    assert_eq!(statuses(&sound(&play)), ["completed", "completed", "skipped", "skipped"]);
}

#[test]
fn where_nobody_is_listed_they_take_part_who_speak() {
    let mut play = Play::new(Mode::Decision, &[]);
    play.proposes("alice", "p1");
    assert_eq!(sound(&play)["profile"], "sa");
    play.evaluates("carol", "p1");
    play.says("dave", "Chat", Effect::Nothing, "hello");
    play.votes("carol", "p1");
    play.commits("alice");
    play.ends(Ending::Resolved);
    let bundle = sound(&play);
    let names: Vec<_> =
        list(&bundle["collabs"][0], "participants").iter().map(|it| &it["participant_id"]).collect();
    assert_eq!(names, ["macp:alice", "macp:carol", "macp:dave"]);
    assert_eq!(types(&bundle, |it| it["event_type"] == "MAPRolesAssigned").len(), 3);
    let started = list(&bundle, "events").iter().find(|it| it["event_type"] == "MAPSessionStarted").unwrap();
    assert_eq!(started["payload"]["participants"], 1, "who began it takes part");
    let created: Vec<_> =
        list(&bundle, "roles").iter().map(|role| role["meta"]["created_at"].as_str()).collect();
    assert!(created.is_sorted() && created[0] < created[3], "{created:?}");
}

#[test]
fn fewer_than_two_are_of_the_profile_sa() {
    for ending in [Ending::Resolved, Ending::TtlExpired, Ending::Cancelled] {
        for listed in [&[][..], &["alice"], &["alice", "alice"]] {
            let mut play = Play::new(Mode::Decision, listed);
            play.proposes("alice", "p1");
            play.objects("alice", "p1");
            play.votes("alice", "p1");
            if ending == Ending::Resolved {
                play.commits("alice");
            }
            play.ends(ending);
            assert_eq!(play.record.profile(), Profile::Sa);
            let bundle = sound(&play);
            let sa = types(&bundle, |event| event["event_type"].as_str().unwrap().starts_with("SA"));
            assert_eq!(sa[..3], ["SAInitialized", "SAContextLoaded", "SAPlanEvaluated"]);
            assert_eq!(sa[sa.len() - 2..], ["SATraceEmitted", "SACompleted"]);
        }
    }
    let play = Play::new(Mode::Decision, &[]);
    sound(&play);
}

#[test]
fn who_began_it_and_is_not_listed_is_a_role_alone() {
    let mut play = Play::new(Mode::Decision, &["bob", "carol"]);
    play.proposes("bob", "p1");
    let bundle = sound(&play);
    let roles: Vec<_> = list(&bundle, "roles").iter().map(|it| &it["name"]).collect();
    assert_eq!(roles, ["station", "macp:alice", "macp:bob", "macp:carol"]);
    assert_eq!(list(&bundle["collabs"][0], "participants").len(), 2);
    assert_eq!(bundle["plan"]["steps"][0]["agent_role"], "macp:alice");
    let nodes: Vec<_> = list(&bundle["network"], "nodes").iter().map(|it| &it["status"]).collect();
    assert_eq!(nodes, ["active", "active", "inactive"]);
}

#[test]
fn a_session_has_the_context_of_its_trace_and_keeps_an_id_that_can_be_one() {
    let session = "6b0e8400-e29b-41d4-a716-446655440000";
    let mut begin = begin(Mode::Decision, &["alice", "bob"]);
    begin.session = session.to_owned();
    begin.trace = Some(TRACE);
    let mut play = Play::of(begin.clone());
    play.debates();
    let bundle = sound(&play);
    let context_id = Derived::Context("0192f0c1-2b3a-7c4d-8e5f-60718293a4b5").id().to_string();
    assert_eq!(bundle["collabs"][0]["collab_id"], session);
    assert_eq!(bundle["trace"]["trace_id"], Derived::Trace(session).id().to_string());
    assert_eq!(bundle["context"]["context_id"], context_id.as_str());
    assert_eq!(bundle["context"]["root"]["trace"], TRACE.to_string());
    // That of the run, where it is at hand.
    let mut of_run = bundle["context"].clone();
    of_run["title"] = "the run".into();
    of_run["owner_role"] = "agent:submit".into();
    begin.context = Some(of_run.clone());
    let within = sound(&Play::of(begin.clone()));
    assert_eq!(within["context"]["title"], "the run");
    assert!(list(&within, "roles").iter().any(|role| role["name"] == "agent:submit"), "its owner is a Role");
    of_run["context_id"] = Derived::Context("another").id().to_string().into();
    begin.context = Some(of_run);
    assert_eq!(sound(&Play::of(begin))["context"]["title"], "which map?");
}

#[test]
fn what_is_missing_is_counted() {
    let mut play = Play::new(Mode::Decision, &["alice", "bob"]);
    play.proposes("alice", "p1");
    play.ends(Ending::LogDamaged);
    let mut end = play.ended.take().unwrap();
    end.messages_missing = 3;
    let mut play = Play::new(Mode::Decision, &["alice", "bob"]);
    play.proposes("alice", "p1");
    play.ends_with(end);
    let bundle = sound(&play);
    assert_eq!(bundle["trace"]["root_span"]["attributes"]["messages_missing"], 3);
    assert_eq!(bundle["trace"]["meta"]["tags"], json!(["session", "incomplete"]));
}

#[test]
fn texts_of_clients_may_be_blank() {
    let mut begin = begin(Mode::Decision, &["", " "]);
    begin.intent = " ".to_owned();
    begin.by = String::new();
    begin.mode_name = String::new();
    let mut play = Play::of(begin);
    play.says("", "", Effect::Nothing, "");
    play.ends(Ending::Cancelled);
    let bundle = sound(&play);
    assert_eq!(bundle["plan"]["title"], "Session map-vote-7");
}

#[test]
fn what_comes_twice_or_behind_the_end_is_left_out() {
    let mut play = Play::new(Mode::Decision, &["alice", "bob"]);
    play.proposes("alice", "p1");
    let before = play.record.bundle();
    play.record.message(play.messages[0].clone());
    assert_eq!(play.record.bundle(), before);
    play.ends(Ending::Cancelled);
    let before = play.record.bundle();
    let mut late = play.messages[0].clone();
    late.number = 99;
    play.record.message(late);
    let mut again = play.ended.clone().unwrap();
    again.ending = Ending::Resolved;
    play.record.end(again);
    assert_eq!(play.record.bundle(), before);
}
