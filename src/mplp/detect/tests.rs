use serde_json::json;

use super::*;

/// In the order of ruling MPLP 11: each decides over those behind it.
const DECIDES: [(&str, &str, &str); 32] = [
    ("event_family", "graph_update", "graph-update-event"),
    ("sa_id", "", "sa-event"),
    ("session_id", "", "map-event"),
    ("event_type", "", "events"),
    ("sample_family", "delta_impact", "learning-sample-delta"),
    ("success_flag", "", "learning-sample"),
    ("sample_id", "", "learning-sample-core"),
    ("steps", "", "plan"),
    ("root", "", "context"),
    ("root_span", "", "trace"),
    ("segments", "", "trace"),
    ("confirm_id", "", "confirm"),
    ("decisions", "", "confirm"),
    ("collab_id", "", "collab"),
    ("participants", "", "collab"),
    ("dialog_id", "", "dialog"),
    ("messages", "", "dialog"),
    ("extension_id", "", "extension"),
    ("core_id", "", "core"),
    ("modules", "", "core"),
    ("network_id", "", "network"),
    ("tool_id", "", "tool-event"),
    ("file_path", "", "file-update-event"),
    ("repo_url", "", "git-event"),
    ("ci_provider", "", "ci-event"),
    ("span_id", "", "trace-base"),
    ("trace_id", "", "trace"),
    ("plan_id", "", "plan"),
    ("role_id", "", "role"),
    ("protocol_version", "", "metadata"),
    ("context_id", "", "context"),
    ("meta", "", ""),
];

#[test]
fn the_first_member_that_is_there_decides() {
    for first in 0..DECIDES.len() {
        let members = DECIDES[first..].iter().map(|(name, text, _)| ((*name).to_owned(), json!(text)));
        let value = Value::Object(members.collect());
        let found = detect(&value).map_or("", SchemaId::name);
        assert_eq!(found, DECIDES[first].2, "{}", DECIDES[first].0);
    }
}

#[test]
fn families_decide_by_their_value_and_null_is_there() {
    let named = |value| detect(&value).map(SchemaId::name);
    assert_eq!(named(json!({"event_family": "pipeline_stage"})), Some("pipeline-stage-event"));
    assert_eq!(named(json!({"event_family": "runtime_execution"})), Some("runtime-execution-event"));
    assert_eq!(named(json!({"event_family": "intent"})), Some("event-core"));
    assert_eq!(named(json!({"event_family": null})), Some("event-core"));
    assert_eq!(named(json!({"sample_family": "intent_resolution"})), Some("learning-sample-intent"));
    assert_eq!(named(json!({"sample_family": 7})), Some("learning-sample-core"));
    assert_eq!(named(json!({"steps": null})), Some("plan"));
    assert_eq!(named(json!("text")), Some("identifiers"));
    for none in [json!({}), json!([]), json!(1), json!(null), json!({"name": "x"})] {
        assert_eq!(detect(&none), None, "{none}");
    }
}

#[test]
fn an_event_of_a_bundle_without_its_id_is_of_what_its_type_says() {
    let named = |value| detect_event(&value).name();
    assert_eq!(named(json!({"event_type": "SAStepStarted"})), "sa-event");
    assert_eq!(named(json!({"event_type": "MAPTurnDispatched"})), "map-event");
    assert_eq!(named(json!({"event_type": "step_started"})), "event-core");
    assert_eq!(named(json!({"event_type": "SAStepStarted", "session_id": "x"})), "map-event");
    assert_eq!(named(json!(null)), "event-core");
}
