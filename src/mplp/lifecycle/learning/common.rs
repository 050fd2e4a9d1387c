//! The flat sample of a run (`common/learning-sample`).

use serde_json::{Value, json};

use super::{
    super::item::{Item, Origin},
    RatingVerdict,
    read::{Record, duration_ms, list, text},
};
use crate::mplp::SchemaId;

/// The run: whether it succeeded, why not, what it used, how long it took, and how it was rated.
pub(super) fn of_run(record: &Record<'_>) -> Item {
    let (trace, plan) = (record.trace, record.plan);
    let status = text(trace, "status").unwrap_or_default();
    let path: Vec<&Value> = list(trace, "segments")
        .iter()
        .filter(|segment| segment.get("started_at").is_some())
        .map(|segment| &segment["label"])
        .collect();
    let decision = match record.rating.map(|rating| rating.verdict) {
        None => "unknown",
        Some(RatingVerdict::Approved) => "approve",
        Some(RatingVerdict::Rejected) => "reject",
    };
    let mut feedback = json!({ "decision": decision });
    if let Some(note) = record.rating.and_then(|rating| rating.note.as_ref()) {
        feedback["comment"] = note.as_str().into();
    }
    let decisions: Vec<Value> =
        record.objects(SchemaId::Confirm).flat_map(|item| list(&item.object, "decisions")).cloned().collect();
    let mut sample = json!({
        "sample_id": record.sample_id(COMMON, 0),
        "project_id": record.context["context_id"],
        "intent_before": { "summary": plan["objective"] },
        "plan": { "plan_id": plan["plan_id"], "title": plan["title"], "status": plan["status"] },
        "pipeline_path": path,
        "success_flag": status == "completed",
        "user_feedback": feedback,
        "governance_decisions": decisions,
        "timestamps": { "started_at": trace["started_at"], "completed_at": trace["finished_at"] },
        "metadata": {
            "trace_id": trace["trace_id"],
            "status": status,
            "human_feedback_label": record.label(),
        },
    });
    if status != "completed" {
        let why = text(plan, "plan_id").and_then(|id| record.why(id)).unwrap_or(status);
        sample["error_info"] = json!({ "error_code": status, "error_message": why });
    }
    if let Some(tokens) = record.tokens() {
        sample["token_usage"] = json!({ "total_tokens": tokens });
    }
    if let Some(ms) = duration_ms(trace, "started_at", "finished_at") {
        sample["execution_time_ms"] = ms.into();
    }
    Item::new(SchemaId::CommonSample, sample, Origin::End)
}

/// What stands for a family in the id of the flat sample.
const COMMON: &str = "common";
