use serde_json::{Value, json};

use super::*;
use crate::mplp::{Profile, scan};

const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";

#[test]
fn every_schema_is_compiled() {
    for id in SchemaId::ALL {
        assert!(compiled(id).is_ok(), "{id}: {:?}", compiled(id).err());
    }
}

#[test]
fn a_finding_says_where_what_and_by_which_rule() {
    let role = json!({"meta": {"protocol_version": "1.0", "schema_version": "2.0.0"}, "name": 7, "extra": [1], "role_id": ID});
    let found = judge(SchemaId::Role, &role, RecordContext::default(), 9).list;
    let found = serde_json::to_value(found).unwrap();
    let expected = json!([
        {"path": "$.role.extra", "rule": "additionalProperties", "requires": "no member of this name", "received": "[1]",
            "schema": "role"},
        {"path": "$.role.meta.protocol_version", "rule": "pattern",
            "requires": "the pattern ^[0-9]+\\.[0-9]+\\.[0-9]+$", "received": "\"1.0\"", "schema": "role"},
        {"path": "$.role.name", "rule": "type", "requires": "type string", "received": "7", "schema": "role"},
    ]);
    assert_eq!(found, expected);
}

#[test]
fn what_core_and_extension_both_find_is_found_once_and_schemas_come_before_rules() {
    let event = json!({"event_id": "x", "event_type": " ", "event_family": "graph_update", "timestamp": 1});
    let found = judge(SchemaId::GraphUpdateEvent, &event, RecordContext::default(), 99).list;
    let listed: Vec<_> = found.iter().map(|it| format!("{} {}", it.path, it.rule)).collect();
    let expected = [
        "$.event.edge_delta required",
        "$.event.event_id format",
        "$.event.graph_id required",
        "$.event.node_delta required",
        "$.event.timestamp type",
        "$.event.update_kind required",
        "$.event.event_id obs_event_id_is_uuid",
        "$.event.event_type obs_event_type_non_empty",
        "$.event.graph_id obs_graph_event_has_graph_id",
        "$.event.timestamp obs_timestamp_iso_format",
        "$.event.update_kind obs_graph_update_kind_valid",
    ];
    assert_eq!(listed, expected);
    let few = judge(SchemaId::GraphUpdateEvent, &event, RecordContext::default(), 2);
    assert!(few.is_cut && few.list[..] == found[..2]);
    assert!(!is_clean(SchemaId::GraphUpdateEvent, &event, RecordContext::default()));
}

#[test]
fn alternatives_of_types_are_one_finding() {
    let event = json!({"event_id": ID, "event_type": "a", "source": "", "timestamp": "2026-01-28T15:30:00Z", "data": 1});
    let found = judge(SchemaId::CommonEvent, &event, RecordContext::default(), 9).list;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].path.to_string().as_str(), found[0].rule.as_ref()), ("$.common_event.data", "type"));
    assert_eq!(found[0].requires, "type null or object");
}

#[test]
fn a_reference_needs_a_module_or_a_kind() {
    let mut role = json!({"meta": {"protocol_version": "1.0.0", "schema_version": "2.0.0"}, "name": "", "role_id": ID,
        "governance": {"lastConfirmRef": {"id": ID}}});
    let found = judge(SchemaId::Role, &role, RecordContext::default(), 9).list;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path.to_string(), "$.role.governance.lastConfirmRef");
    assert_eq!(
        (found[0].rule.as_ref(), found[0].requires.as_str()),
        ("anyOf", "at least one of the members module, kind")
    );
    for member in ["module", "kind"] {
        role["governance"]["lastConfirmRef"] = json!({"id": ID, member: "plan"});
        assert!(is_clean(SchemaId::Role, &role, RecordContext::default()), "{member}");
    }
}

#[test]
fn an_object_alone_is_judged_by_the_rules_of_a_profile_but_for_comparisons() {
    let context = json!({"context_id": ID, "status": "closed"});
    let record = RecordContext { profile: Some(Profile::Map), bundle: None };
    let found = judge(SchemaId::Context, &context, record, 99).list;
    let rules: Vec<_> =
        found.iter().filter(|it| it.rule.starts_with("sa_")).map(|it| it.rule.as_ref()).collect();
    assert_eq!(rules, ["sa_context_must_be_active"]);
    let plan = json!({"context_id": "x", "steps": [{}]});
    let found = judge(SchemaId::Plan, &plan, record, 99).list;
    assert!(found.iter().all(|it| it.rule != "sa_plan_context_binding"));
    assert!(found.iter().any(
        |it| it.path.to_string() == "$.plan.steps[0].agent_role" && it.rule == "sa_steps_have_agent_role"
    ));
}

#[test]
fn the_payload_of_an_external_integration_event_is_judged_by_its_own_schema_and_rules() {
    let event = |kind: &str, payload: Value| {
        json!({
            "event_id": ID, "event_type": kind, "event_family": "external_integration",
            "timestamp": "2026-01-01T00:00:00Z", "payload": payload,
        })
    };
    let found = |event: &Value| -> Vec<String> {
        let text = serde_json::to_vec(event).unwrap();
        assert!(!scan::is_clean(SchemaId::Event, &text, None, 64), "it is left to the judge");
        let found = judge(SchemaId::Event, event, RecordContext::default(), 99).list;
        found.iter().map(|it| format!("{} {} {}", it.schema, it.path, it.rule)).collect()
    };
    let tool = json!({"tool_id": "", "tool_kind": "nope", "invocation_id": "x"});
    let broken = found(&event("tool_execution", tool));
    for expected in [
        "tool-event $.event.payload.tool_kind enum",
        "tool-event $.event.payload.status required",
        "tool-event $.event.payload.tool_id integration_tool_event_id_non_empty",
    ] {
        assert!(broken.iter().any(|it| it == expected), "{expected}: {broken:#?}");
    }
    for (kind, schema) in
        [("file_update", "file-update-event"), ("git_operation", "git-event"), ("ci_pipeline", "ci-event")]
    {
        let broken = found(&event(kind, json!({})));
        assert!(!broken.is_empty() && broken.iter().all(|it| it.starts_with(schema)), "{broken:#?}");
    }
    assert_eq!(found(&event("webhook_received", json!({}))), [""; 0]);
}
