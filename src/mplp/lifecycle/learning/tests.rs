use serde_json::{Value, json};

use super::{read::unix_ms, *};
use crate::{
    mplp::{
        RecordContext, SchemaId, judge,
        lifecycle::{
            Stamp,
            run::tests::play::{Play, plan},
        },
    },
    tap::entry::runs::{EventKind, RunState},
    time::Wall,
};

const ACTION: &str = "5a0e8400-e29b-41d4-a716-446655440000";

/// Two agents: the first is approved and answers, the second fails once, then answers or does not.
fn play(succeeds: bool) -> Play {
    let nodes = [("ask", "agent:echo", None), ("give", "agent:writer", None), ("end", "agent:echo", None)];
    let mut play = Play::new(plan(&nodes, &[(0, 1), (1, 2)]));
    play.node_with("ask", "asking", "", json!({ "action_id": ACTION }));
    let meta = json!({ "node_id": "ask", "verdict": "approved", "by": "al", "by_kind": "tui", "note": "ok" });
    play.tell(EventKind::Log, "ask: approved by al: ok", &meta);
    play.works("ask");
    play.node("give#1", "running", "");
    play.node("give#1", "retrying", "busy");
    play.node("give#2", "running", "");
    if succeeds {
        play.node("give#2", "completed", "");
        play.works("end");
        play.ends_with(RunState::Succeeded, "", 99, (0, 0));
    } else {
        play.node("give#2", "failed", "no luck");
        play.node("end", "blocked", "upstream give failed");
        play.ends(RunState::Failed, "node give failed: no luck");
    }
    play
}

fn made(succeeds: bool, rating: Option<&Rating>) -> Vec<Value> {
    let bundle = play(succeeds).bundle();
    let samples = samples(&bundle, rating);
    for item in &samples {
        let findings = judge(item.schema, &item.object, RecordContext::default(), 9);
        assert!(findings.is_clean(), "{findings:#?}");
    }
    let mut ids: Vec<_> = samples.iter().map(|item| item.object["sample_id"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), samples.len());
    samples.into_iter().map(|item| item.object).collect()
}

fn families(samples: &[Value]) -> Vec<&str> {
    samples.iter().map(|it| it["sample_family"].as_str().unwrap_or("common")).collect()
}

#[test]
fn a_run_gives_samples_of_each_family() {
    let samples = made(true, None);
    let expected = [
        "intent_resolution",
        "pipeline_outcome",
        "pipeline_outcome",
        "pipeline_outcome",
        "confirm_decision",
        "multi_agent_coordination",
        "common",
    ];
    assert_eq!(families(&samples), expected);
    let intent = &samples[0];
    assert_eq!(intent["input"]["raw_request_summary"], "ask the chat; show it");
    assert_eq!(intent["input"]["dialog_turns_count"], 4);
    assert_eq!(intent["output"]["plan_step_count"], 3);
    assert_eq!(intent["output"]["resolution_quality_label"], "unknown");
    assert_eq!(intent["state"]["psg_node_count"], 4, "three steps and a question");
    assert_eq!(intent["meta"]["human_feedback_label"], "not_reviewed");
    let give = &samples[2];
    assert_eq!(give["output"], json!({ "status": "completed", "duration_ms": 20 }));
    assert_eq!(give["state"]["attempts"], 2);
    assert_eq!(give["meta"]["source_event_ids"].as_array().unwrap().len(), 4);
    let decision = &samples[4];
    assert_eq!(decision["input"]["confirm_id"], ACTION);
    assert_eq!(
        decision["output"],
        json!({ "decision": "approve", "reasoning": "ok", "decided_by_role": "tui:al" })
    );
    assert_eq!(decision["meta"]["source_event_ids"].as_array().unwrap().len(), 2);
    let coordination = &samples[5];
    assert_eq!(coordination["input"]["participant_count"], 2);
    assert_eq!(coordination["input"]["initiator_role"], "tui:operator");
    let output = &coordination["output"];
    // ask, give, give, end: two of the three turns behind the first go to another.
    assert_eq!((&output["total_turns"], &output["handoffs_count"]), (&json!(4), &json!(2)));
    assert_eq!(output["outcome"], "partial");
    let flat = &samples[6];
    assert_eq!(flat["success_flag"], true);
    assert!(flat.get("error_info").is_none());
    assert_eq!(flat["token_usage"]["total_tokens"], 99);
    assert_eq!(flat["pipeline_path"], json!(["ask#1", "give#1", "give#2", "end#1"]));
    assert_eq!(flat["user_feedback"], json!({ "decision": "unknown" }));
}

#[test]
fn a_run_that_failed_says_why() {
    let samples = made(false, None);
    let end = &samples[3];
    assert_eq!(end["output"]["status"], "blocked");
    let error = json!({ "error_code": "blocked", "error_message": "upstream give failed" });
    assert_eq!(end["output"]["error_info"], error);
    let (coordination, flat) = (&samples[5], &samples[6]);
    assert_eq!(coordination["output"]["outcome"], "failed");
    assert_eq!(flat["success_flag"], false);
    let error = json!({ "error_code": "failed", "error_message": "node give failed: no luck" });
    assert_eq!(flat["error_info"], error);
    assert!(flat.get("token_usage").is_none());
}

#[test]
fn labels_are_those_of_the_rating() {
    let rated = |verdict, note: Option<&str>| {
        let rating = Rating { verdict, note: note.map(ToOwned::to_owned) };
        made(true, Some(&rating))
    };
    let good = rated(RatingVerdict::Approved, Some("nice"));
    assert!(good[..6].iter().all(|it| it["meta"]["human_feedback_label"] == "approved"));
    assert_eq!(good[0]["output"]["resolution_quality_label"], "good");
    assert_eq!(good[6]["user_feedback"], json!({ "decision": "approve", "comment": "nice" }));
    let bad = rated(RatingVerdict::Rejected, None);
    assert_eq!(bad[0]["output"]["resolution_quality_label"], "bad");
    assert_eq!(bad[6]["user_feedback"], json!({ "decision": "reject" }));
    assert!(bad[..6].iter().all(|it| it["meta"]["human_feedback_label"] == "rejected"));
}

/// Nobody answered: there is no sample of a person's decision.
#[test]
fn what_nobody_decided_is_no_sample() {
    let mut play = Play::new(plan(&[("ask", "agent:echo", None)], &[]));
    play.node("ask", "asking", "");
    assert_eq!(samples(&play.bundle(), None), [], "it has not ended");
    play.node("ask", "failed", "no decision in time");
    play.ends(RunState::Failed, "node ask failed: no decision in time");
    let samples = samples(&play.bundle(), None);
    assert!(samples.iter().all(|it| it.object["sample_family"] != "confirm_decision"));
    let schemas: Vec<_> = samples.iter().map(|it| it.schema).collect();
    assert_eq!(schemas, [SchemaId::IntentSample, SchemaId::LearningSample, SchemaId::CommonSample]);
}

#[test]
fn times_are_read_as_they_are_written() {
    // The ends of years and months, leap days, and the last time that can be written.
    let days = [0, 58, 59, 364, 365, 789, 790, 11_016, 11_017, 19_782, 20_000, 47_541, 47_542, 2_932_896];
    for ms in days.into_iter().flat_map(|day| [day * 86_400_000, day * 86_400_000 + 86_399_999]) {
        assert_eq!(unix_ms(&Stamp(Wall(ms)).to_string()), Some(ms));
    }
    let stamp = |ms| Stamp(Wall(ms)).to_string();
    assert_eq!(stamp(0), "1970-01-01T00:00:00.000Z");
    assert_eq!(stamp(951_782_400_123), "2000-02-29T00:00:00.123Z");
    assert_eq!(stamp(1_709_251_199_999), "2024-02-29T23:59:59.999Z");
    assert_eq!(stamp(u64::MAX), "9999-12-31T23:59:59.999Z");
    assert_eq!(unix_ms("yesterday"), None);
}
