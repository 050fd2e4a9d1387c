//! Which schema an object is of, where nobody named one (ruling MPLP 11).

use serde_json::{Map, Value};

use super::catalog::SchemaId;

/// Members that decide by being there, in their order; those of events and of sample families come first.
const BY_MEMBER: [(&str, SchemaId); 26] = [
    ("success_flag", SchemaId::CommonSample),
    ("sample_id", SchemaId::LearningSample),
    ("steps", SchemaId::Plan),
    ("root", SchemaId::Context),
    ("root_span", SchemaId::Trace),
    ("segments", SchemaId::Trace),
    ("confirm_id", SchemaId::Confirm),
    ("decisions", SchemaId::Confirm),
    ("collab_id", SchemaId::Collab),
    ("participants", SchemaId::Collab),
    ("dialog_id", SchemaId::Dialog),
    ("messages", SchemaId::Dialog),
    ("extension_id", SchemaId::Extension),
    ("core_id", SchemaId::Core),
    ("modules", SchemaId::Core),
    ("network_id", SchemaId::Network),
    ("tool_id", SchemaId::ToolEvent),
    ("file_path", SchemaId::FileUpdateEvent),
    ("repo_url", SchemaId::GitEvent),
    ("ci_provider", SchemaId::CiEvent),
    ("span_id", SchemaId::TraceBase),
    ("trace_id", SchemaId::Trace),
    ("plan_id", SchemaId::Plan),
    ("role_id", SchemaId::Role),
    ("protocol_version", SchemaId::Metadata),
    ("context_id", SchemaId::Context),
];

/// The schema that a value is judged by: the first member that is there decides, be it null; a text is an
/// identifier. Nothing where none decides.
#[must_use]
pub fn detect(value: &Value) -> Option<SchemaId> {
    match value {
        Value::String(_) => Some(SchemaId::Identifiers),
        Value::Object(members) => of_members(members),
        _ => None,
    }
}

/// The schema of an event of a bundle (ruling MPLP 12). What decides may be missing there: then the type of
/// the event does, and else it is an event of no family.
#[must_use]
pub fn detect_event(value: &Value) -> SchemaId {
    let Some(members) = value.as_object() else { return SchemaId::Event };
    if let Some(id) = of_event_ids(members) {
        return id;
    }
    match members.get("event_type").and_then(Value::as_str) {
        Some(kind) if kind.starts_with("SA") => SchemaId::SaEvent,
        Some(kind) if kind.starts_with("MAP") => SchemaId::MapEvent,
        _ => SchemaId::Event,
    }
}

fn of_members(members: &Map<String, Value>) -> Option<SchemaId> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    if let Some(id) = of_event_ids(members) {
        Some(id)
    } else if members.contains_key("event_type") {
        Some(SchemaId::CommonEvent)
    } else if members.contains_key("sample_family") {
        Some(match text("sample_family") {
            Some("intent_resolution") => SchemaId::IntentSample,
            Some("delta_impact") => SchemaId::DeltaSample,
            _ => SchemaId::LearningSample,
        })
    } else {
        BY_MEMBER.iter().find(|(name, _)| members.contains_key(*name)).map(|(_, id)| *id)
    }
}

fn of_event_ids(members: &Map<String, Value>) -> Option<SchemaId> {
    if let Some(family) = members.get("event_family") {
        Some(match family.as_str() {
            Some("pipeline_stage") => SchemaId::PipelineStageEvent,
            Some("graph_update") => SchemaId::GraphUpdateEvent,
            Some("runtime_execution") => SchemaId::RuntimeExecutionEvent,
            _ => SchemaId::Event,
        })
    } else if members.contains_key("sa_id") {
        Some(SchemaId::SaEvent)
    } else {
        members.contains_key("session_id").then_some(SchemaId::MapEvent)
    }
}

#[cfg(test)]
mod tests;
