//! Which schema an object is of, where nobody named one (ruling MPLP 11).

use serde_json::{Map, Value};

use super::catalog::SchemaId;

use Decides::{ByFamily, BySampleFamily, Schema};

/// What a member that is there decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decides {
    /// The schema.
    Schema(SchemaId),
    /// The schema of an event, by the text of the member.
    ByFamily,
    /// The schema of a sample, by the text of the member.
    BySampleFamily,
}

/// Members that decide by being there, in their order.
pub(super) const DECIDING: [(&str, Decides); 31] = [
    ("event_family", ByFamily),
    ("sa_id", Schema(SchemaId::SaEvent)),
    ("session_id", Schema(SchemaId::MapEvent)),
    ("event_type", Schema(SchemaId::CommonEvent)),
    ("sample_family", BySampleFamily),
    ("success_flag", Schema(SchemaId::CommonSample)),
    ("sample_id", Schema(SchemaId::LearningSample)),
    ("steps", Schema(SchemaId::Plan)),
    ("root", Schema(SchemaId::Context)),
    ("root_span", Schema(SchemaId::Trace)),
    ("segments", Schema(SchemaId::Trace)),
    ("confirm_id", Schema(SchemaId::Confirm)),
    ("decisions", Schema(SchemaId::Confirm)),
    ("collab_id", Schema(SchemaId::Collab)),
    ("participants", Schema(SchemaId::Collab)),
    ("dialog_id", Schema(SchemaId::Dialog)),
    ("messages", Schema(SchemaId::Dialog)),
    ("extension_id", Schema(SchemaId::Extension)),
    ("core_id", Schema(SchemaId::Core)),
    ("modules", Schema(SchemaId::Core)),
    ("network_id", Schema(SchemaId::Network)),
    ("tool_id", Schema(SchemaId::ToolEvent)),
    ("file_path", Schema(SchemaId::FileUpdateEvent)),
    ("repo_url", Schema(SchemaId::GitEvent)),
    ("ci_provider", Schema(SchemaId::CiEvent)),
    ("span_id", Schema(SchemaId::TraceBase)),
    ("trace_id", Schema(SchemaId::Trace)),
    ("plan_id", Schema(SchemaId::Plan)),
    ("role_id", Schema(SchemaId::Role)),
    ("protocol_version", Schema(SchemaId::Metadata)),
    ("context_id", Schema(SchemaId::Context)),
];

/// How many of them are those of events with an id of their own.
const OF_EVENT_IDS: usize = 3;

impl Decides {
    /// The schema, of a member with this text, or with another value.
    pub(super) fn schema(self, text: Option<&str>) -> SchemaId {
        match (self, text) {
            (Schema(id), _) => id,
            (ByFamily, Some("pipeline_stage")) => SchemaId::PipelineStageEvent,
            (ByFamily, Some("graph_update")) => SchemaId::GraphUpdateEvent,
            (ByFamily, Some("runtime_execution")) => SchemaId::RuntimeExecutionEvent,
            (ByFamily, _) => SchemaId::Event,
            (BySampleFamily, Some("intent_resolution")) => SchemaId::IntentSample,
            (BySampleFamily, Some("delta_impact")) => SchemaId::DeltaSample,
            (BySampleFamily, _) => SchemaId::LearningSample,
        }
    }
}

/// The schema that a value is judged by: the first member that is there decides, be it null; a text is an
/// identifier. Nothing where none decides.
#[must_use]
pub fn detect(value: &Value) -> Option<SchemaId> {
    match value {
        Value::String(_) => Some(SchemaId::Identifiers),
        Value::Object(members) => first_of(members, &DECIDING),
        _ => None,
    }
}

/// The schema of an event of a bundle (ruling MPLP 12). What decides may be missing there: then the type of
/// the event does, and else it is an event of no family.
#[must_use]
pub fn detect_event(value: &Value) -> SchemaId {
    let Some(members) = value.as_object() else { return SchemaId::Event };
    if let Some(id) = first_of(members, &DECIDING[..OF_EVENT_IDS]) {
        return id;
    }
    match members.get("event_type").and_then(Value::as_str) {
        Some(kind) if kind.starts_with("SA") => SchemaId::SaEvent,
        Some(kind) if kind.starts_with("MAP") => SchemaId::MapEvent,
        _ => SchemaId::Event,
    }
}

fn first_of(members: &Map<String, Value>, deciding: &[(&str, Decides)]) -> Option<SchemaId> {
    deciding.iter().find_map(|(name, decides)| Some(decides.schema(members.get(*name)?.as_str())))
}

#[cfg(test)]
mod tests;
