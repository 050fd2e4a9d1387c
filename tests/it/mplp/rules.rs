//! Each of the 61 rules: an object or bundle that holds it, and one that breaks it, by its id.

use std::collections::BTreeSet;

use rl_console::mplp::{Findings, Profile, RULES, RecordContext, SchemaId, judge, judge_bundle, rule_named};
use serde_json::{Value, json};

use super::generate::{Amount, clean, uuid};

/// A rule of one object alone, where its value is, and a text that breaks it. The second of an id that is
/// there only with a family has the schema of that family.
const OF_OBJECTS: [(&str, &str, &str, &str); 43] = [
    ("obs_event_id_is_uuid", "event-core", "/event_id", "123e4567-e89b-12d3-a456-426614174000"),
    ("obs_event_type_non_empty", "event-core", "/event_type", " \t"),
    ("obs_event_family_valid", "event-core", "/event_family", "Intent"),
    ("obs_timestamp_iso_format", "event-core", "/timestamp", "2026-01-28 15:30:00Z"),
    ("obs_pipeline_event_has_pipeline_id", "pipeline-stage-event", "/pipeline_id", "p"),
    ("obs_pipeline_stage_id_non_empty", "pipeline-stage-event", "/stage_id", ""),
    ("obs_pipeline_stage_status_valid", "pipeline-stage-event", "/stage_status", "done"),
    ("obs_graph_event_has_graph_id", "graph-update-event", "/graph_id", "g"),
    ("obs_graph_update_kind_valid", "graph-update-event", "/update_kind", "node_added"),
    ("obs_runtime_event_has_execution_id", "runtime-execution-event", "/execution_id", "e"),
    ("obs_runtime_executor_kind_valid", "runtime-execution-event", "/executor_kind", "human"),
    ("obs_runtime_status_valid", "runtime-execution-event", "/status", "succeeded"),
    ("integration_tool_event_id_non_empty", "tool-event", "/tool_id", ""),
    ("integration_tool_kind_valid", "tool-event", "/tool_kind", "compiler"),
    ("integration_tool_invocation_id_uuid", "tool-event", "/invocation_id", "i"),
    ("integration_tool_status_valid", "tool-event", "/status", "completed"),
    ("integration_tool_started_at_iso", "tool-event", "/started_at", "1769614200"),
    ("integration_file_path_non_empty", "file-update-event", "/file_path", " "),
    ("integration_file_change_type_valid", "file-update-event", "/change_type", "moved"),
    ("integration_file_timestamp_iso", "file-update-event", "/timestamp", "2026-01-28"),
    ("integration_git_repo_url_non_empty", "git-event", "/repo_url", ""),
    ("integration_git_commit_id_non_empty", "git-event", "/commit_id", ""),
    ("integration_git_ref_name_non_empty", "git-event", "/ref_name", ""),
    ("integration_git_event_kind_valid", "git-event", "/event_kind", "pull"),
    ("integration_git_timestamp_iso", "git-event", "/timestamp", "yesterday"),
    ("integration_ci_provider_non_empty", "ci-event", "/ci_provider", ""),
    ("integration_ci_pipeline_id_non_empty", "ci-event", "/pipeline_id", ""),
    ("integration_ci_run_id_non_empty", "ci-event", "/run_id", ""),
    ("integration_ci_status_valid", "ci-event", "/status", "passed"),
    ("integration_ci_started_at_iso", "ci-event", "/started_at", "2026-01-28T15:30:00+0100"),
    ("integration_ci_completed_at_iso", "ci-event", "/completed_at", "2026-01-28T15:30:00"),
    ("learning_sample_id_is_uuid", "learning-sample-core", "/sample_id", "s"),
    ("learning_sample_family_non_empty", "learning-sample-core", "/sample_family", ""),
    ("learning_sample_created_at_iso", "learning-sample-core", "/created_at", "now"),
    ("learning_sample_has_input_section", "learning-sample-core", "/input", ""),
    ("learning_sample_has_output_section", "learning-sample-core", "/output", ""),
    ("learning_sample_feedback_label_valid", "learning-sample-core", "/meta/human_feedback_label", "good"),
    ("learning_sample_source_flow_non_empty", "learning-sample-core", "/meta/source_flow_id", "\n"),
    ("learning_intent_has_intent_id", "learning-sample-intent", "/input/intent_id", ""),
    (
        "learning_intent_quality_label_valid",
        "learning-sample-intent",
        "/output/resolution_quality_label",
        "fine",
    ),
    ("learning_delta_has_delta_id", "learning-sample-delta", "/input/delta_id", ""),
    ("learning_delta_scope_valid", "learning-sample-delta", "/output/impact_scope", "world"),
    ("learning_delta_risk_valid", "learning-sample-delta", "/state/risk_level", "none"),
];

/// A rule of a record, where its value is in a bundle, and a value that breaks it.
const OF_BUNDLES: [(&str, &str, &str); 16] = [
    ("sa_requires_context", "/context/context_id", "\"c\""),
    ("sa_context_must_be_active", "/context/status", "\"closed\""),
    ("sa_plan_context_binding", "/plan/context_id", "\"5a0e8400-e29b-41d4-a716-446655440000\""),
    ("sa_plan_has_steps", "/plan/steps", "[]"),
    ("sa_steps_have_valid_ids", "/plan/steps/1/step_id", "\"s\""),
    ("sa_steps_have_agent_role", "/plan/steps/1/agent_role", "\"\""),
    ("sa_trace_not_empty", "/trace/events", "[]"),
    ("sa_trace_context_binding", "/trace/context_id", "\"5a0e8400-e29b-41d4-a716-446655440000\""),
    ("sa_trace_plan_binding", "/trace/plan_id", "\"5a0e8400-e29b-41d4-a716-446655440000\""),
    ("map_session_requires_multiple_participants", "/collabs/0/participants", "[{\"role_id\": 1}]"),
    ("map_collab_mode_valid", "/collabs/0/mode", "\"duel\""),
    ("map_session_id_is_uuid", "/collabs/0/collab_id", "\"c\""),
    ("map_participants_have_role_ids", "/collabs/0/participants/1/role_id", "\" \""),
    ("map_role_ids_are_uuids", "/collabs/0/participants/1/role_id", "\"r\""),
    ("map_participant_ids_are_non_empty", "/collabs/0/participants/1/participant_id", "\"\""),
    ("map_participant_kind_valid", "/collabs/0/participants/1/kind", "\"robot\""),
];

/// A bundle of the profile map that is clean.
pub(crate) fn bundle() -> Value {
    let object = |id| clean(id, Amount::Full);
    let (context_id, plan_id) = (json!(uuid(1)), json!(uuid(2)));
    let mut context = object(SchemaId::Context);
    context["context_id"] = context_id.clone();
    context["status"] = json!("active");
    let mut plan = object(SchemaId::Plan);
    (plan["context_id"], plan["plan_id"]) = (context_id.clone(), plan_id.clone());
    let mut trace = object(SchemaId::Trace);
    (trace["context_id"], trace["plan_id"]) = (context_id, plan_id);
    let mut collab = object(SchemaId::Collab);
    for (index, role) in [uuid(3), uuid(4)].into_iter().enumerate() {
        collab["participants"][index]["role_id"] = json!(role);
    }
    let map = |kind: &str, payload: Value| {
        json!({"event_id": uuid(9), "event_type": kind, "timestamp": "2026-01-28T15:30:00Z", "session_id": uuid(5),
            "payload": payload})
    };
    json!({
        "mplp": "1.0.0", "profile": "map", "context": context, "plan": plan, "trace": trace,
        "core": object(SchemaId::Core), "network": object(SchemaId::Network),
        "roles": [object(SchemaId::Role)], "extensions": [object(SchemaId::Extension)],
        "confirms": [object(SchemaId::Confirm)], "dialogs": [object(SchemaId::Dialog)], "collabs": [collab],
        "events": [
            object(SchemaId::SaEvent),
            object(SchemaId::PipelineStageEvent),
            object(SchemaId::GraphUpdateEvent),
            map("MAPTurnDispatched", json!({"role_id": uuid(3), "turn_number": 1})),
            map("MAPBroadcastSent", json!({})),
            object(SchemaId::RuntimeExecutionEvent),
            map("MAPTurnCompleted", json!({"role_id": uuid(3), "turn_number": 1})),
            map("MAPBroadcastReceived", json!({})),
            map("MAPSessionCompleted", json!({})),
        ],
    })
}

/// The rules that findings are of, each with its path.
fn rules_of(findings: &Findings) -> BTreeSet<(String, String)> {
    let of_rules = findings.list.iter().filter(|it| rule_named(&it.rule).is_some());
    of_rules.map(|it| (it.rule.to_string(), it.path.to_string())).collect()
}

/// `/plan/steps/1/step_id` as a path.
fn path_of(start: &str, pointer: &str) -> String {
    let step = |it: &str| if it.parse::<usize>().is_ok() { format!("[{it}]") } else { format!(".{it}") };
    let steps: String = pointer.split('/').skip(1).map(step).collect();
    if start.is_empty() { format!("${steps}") } else { format!("$.{start}{steps}") }
}

fn remove(value: &mut Value, pointer: &str) {
    let (object, name) = pointer.rsplit_once('/').unwrap();
    value.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(name).unwrap();
}

#[test]
fn each_rule_of_an_object_is_broken_by_a_value_by_null_and_where_it_must_be_by_nothing() {
    for (id, schema, at, text) in OF_OBJECTS {
        let schema = SchemaId::named(schema).unwrap();
        let whole = clean(schema, Amount::Full);
        let judged = |object: &Value| rules_of(&judge(schema, object, RecordContext::default(), 99));
        assert!(whole.pointer(at).is_some(), "{id}");
        assert_eq!(judged(&whole), BTreeSet::new(), "{id}");
        let fault = BTreeSet::from([(id.to_owned(), path_of(schema.start(), at))]);
        let mut object = whole.clone();
        // `exists` is broken by nothing but null.
        *object.pointer_mut(at).unwrap() =
            if id.contains("_has_") && id.ends_with("_section") { json!(null) } else { json!(text) };
        assert!(judged(&object).is_superset(&fault), "{id}: {text:?}");
        *object.pointer_mut(at).unwrap() = json!(null);
        assert!(judged(&object).is_superset(&fault), "{id}: null");
        remove(&mut object, at);
        let is_needed = !rule_named(id).unwrap().condition.is_present;
        assert_eq!(judged(&object).is_superset(&fault), is_needed, "{id}: missing");
    }
}

#[test]
fn each_rule_of_a_record_is_broken_by_a_value_and_by_nothing_with_its_profile_alone() {
    let whole = bundle();
    let found = judge_bundle(&whole, None, 99);
    assert!(found.is_clean(), "{found:?}");
    for (id, at, json) in OF_BUNDLES {
        let fault = (id.to_owned(), path_of("", at));
        let has = |bundle: &Value, profile| rules_of(&judge_bundle(bundle, profile, 999)).contains(&fault);
        let mut broken = whole.clone();
        *broken.pointer_mut(at).unwrap() = serde_json::from_str(json).unwrap();
        assert!(has(&broken, None), "{id}: {json}");
        assert_eq!(has(&broken, Some(Profile::Sa)), id.starts_with("sa_"), "{id} with sa");
        broken.as_object_mut().unwrap().remove("profile");
        assert!(!has(&broken, None) && has(&broken, Some(Profile::Map)), "{id} without a profile");
        let mut fewer = whole.clone();
        remove(&mut fewer, at);
        assert!(has(&fewer, None), "{id}: missing");
    }
}

#[test]
fn the_pairs_are_broken_at_the_event_that_nothing_answers() {
    let rules = ["map_turn_completion_matches_dispatch", "map_broadcast_has_receivers"];
    for ((answer, asked), id) in [(6, 3), (7, 4)].into_iter().zip(rules) {
        let mut bundle = bundle();
        bundle["events"].as_array_mut().unwrap().remove(answer);
        let fault = BTreeSet::from([(id.to_owned(), format!("$.events[{asked}]"))]);
        assert_eq!(rules_of(&judge_bundle(&bundle, None, 99)), fault);
        assert_eq!(rules_of(&judge_bundle(&bundle, Some(Profile::Sa), 99)), BTreeSet::new());
        bundle.as_object_mut().unwrap().remove("trace");
        assert_eq!(rules_of(&judge_bundle(&bundle, None, 99)), BTreeSet::new());
    }
}

#[test]
fn a_comparison_needs_both_texts() {
    let mut bundle = bundle();
    bundle.as_object_mut().unwrap().remove("plan");
    let fault = BTreeSet::from([("sa_trace_plan_binding".to_owned(), "$.trace.plan_id".to_owned())]);
    assert_eq!(rules_of(&judge_bundle(&bundle, None, 99)), fault);
}

#[test]
fn a_rule_is_not_applied_where_its_condition_does_not_hold() {
    let families =
        [("event_family", "event-core", "intent"), ("sample_family", "learning-sample-core", "other")];
    for (member, schema, family) in families {
        let schema = SchemaId::named(schema).unwrap();
        let mut object = clean(schema, Amount::Minimal);
        object[member] = json!(family);
        let found = judge(schema, &object, RecordContext::default(), 99);
        assert!(found.is_clean(), "{found:?}");
        // The rules look at the value, whatever the schema is that the object is judged by.
        for rule in RULES {
            if let Some((name, text)) = rule.condition.member.filter(|it| it.0 == member) {
                object[name] = json!(text);
                let broken = rules_of(&judge(schema, &object, RecordContext::default(), 99));
                let is_broken = broken.iter().any(|it| it.0 == rule.id);
                assert_eq!(is_broken, !rule.condition.is_present, "{}", rule.id);
            }
        }
    }
}

#[test]
fn an_array_that_is_not_there_breaks_no_rule_of_its_items() {
    let mut bundle = bundle();
    bundle["plan"]["steps"] = json!({"0": {}});
    let broken = rules_of(&judge_bundle(&bundle, None, 99));
    let ids: Vec<&str> = broken.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(ids, ["sa_plan_has_steps"]);
    bundle["plan"]["steps"] = json!([7]);
    let broken = rules_of(&judge_bundle(&bundle, None, 99));
    let paths: Vec<&str> = broken.iter().map(|it| it.1.as_str()).collect();
    assert_eq!(paths, ["$.plan.steps[0].agent_role", "$.plan.steps[0].step_id"]);
}

#[test]
fn every_rule_is_broken_here() {
    let pairs = ["map_turn_completion_matches_dispatch", "map_broadcast_has_receivers"];
    let objects = OF_OBJECTS.iter().map(|it| it.0);
    let tested: BTreeSet<&str> = objects.chain(OF_BUNDLES.iter().map(|it| it.0)).chain(pairs).collect();
    assert_eq!(tested, RULES.iter().map(|it| it.id).collect());
    assert_eq!(tested.len(), 61);
}
