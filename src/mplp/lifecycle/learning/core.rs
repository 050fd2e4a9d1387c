//! Samples of the run's intent, of its steps, and of what persons decided.

use serde_json::{Value, json};

use super::{
    super::item::{Item, Origin},
    RatingVerdict,
    read::{Record, Sample, duration_ms, list, object, text},
};
use crate::mplp::SchemaId;

/// The run as an intent that was resolved.
pub(super) fn intent(record: &Record<'_>) -> Item {
    let (context, plan) = (record.context, record.plan);
    let dialog_turns: usize =
        record.objects(SchemaId::Dialog).map(|item| list(&item.object, "messages").len()).sum();
    let nodes: i64 = record
        .objects(SchemaId::GraphUpdateEvent)
        .filter_map(|item| item.object["node_delta"].as_i64())
        .sum();
    let quality = match record.rating.map(|rating| rating.verdict) {
        None => "unknown",
        Some(RatingVerdict::Approved) => "good",
        Some(RatingVerdict::Rejected) => "bad",
    };
    let policy = context.get("constraints").filter(|it| it.as_object().is_some_and(|it| !it.is_empty()));
    let sample = Sample {
        family: "intent_resolution",
        place: 0,
        input: object([
            ("intent_id", Some(context["context_id"].clone())),
            ("raw_request_summary", Some(plan["objective"].clone())),
            ("constraints_summary", policy.map(|it| it.to_string().into())),
            ("dialog_turns_count", Some(dialog_turns.into())),
        ]),
        state: json!({
            "project_phase": plan["status"],
            "psg_node_count": nodes.max(0),
            "existing_plan_count": 1,
        }),
        output: json!({
            "final_intent_summary": plan["objective"],
            "plan_id": plan["plan_id"],
            "plan_step_count": list(plan, "steps").len(),
            "resolution_quality_label": quality,
        }),
        sources: text(plan, "plan_id").map_or_else(Vec::new, |id| event_ids(record.stage(id))),
    };
    let mut item = record.sample(SchemaId::IntentSample, sample, Origin::Beginning);
    item.object["meta"]["clarification_rounds"] = record.objects(SchemaId::Confirm).count().into();
    item
}

/// Each step, and how it ended.
pub(super) fn steps(record: &Record<'_>) -> Vec<Item> {
    let mut attempts: std::collections::HashMap<&str, Vec<&Value>> = std::collections::HashMap::new();
    for segment in list(record.trace, "segments") {
        if let Some(node) = text(&segment["attributes"], "node") {
            attempts.entry(node).or_default().push(segment);
        }
    }
    let sample = |(place, step): (usize, &Value)| {
        let id = text(step, "step_id").unwrap_or_default();
        let events = record.stage(id);
        let name = events.last().and_then(|event| text(event, "stage_name")).unwrap_or_default();
        let tried = attempts.get(name).map_or(&[][..], Vec::as_slice);
        let durations = tried.iter().filter_map(|it| duration_ms(it, "started_at", "finished_at"));
        let status = text(step, "status").unwrap_or_default();
        let is_bad = matches!(status, "failed" | "blocked");
        let error = record.why(id).filter(|_| is_bad);
        let sample = Sample {
            family: "pipeline_outcome",
            place,
            input: json!({
                "pipeline_id": record.plan["plan_id"],
                "stage_id": step["step_id"],
                "stage_config": {
                    "description": step["description"],
                    "agent_role": step["agent_role"],
                    "dependencies": step["dependencies"],
                    "order_index": step["order_index"],
                },
            }),
            state: json!({
                "attempts": tried.iter().filter(|it| it.get("started_at").is_some()).count(),
            }),
            output: object([
                ("status", Some(status.into())),
                ("duration_ms", Some(durations.sum::<u64>().into())),
                ("error_info", error.map(|why| json!({ "error_code": status, "error_message": why }))),
            ]),
            sources: event_ids(events),
        };
        record.sample(SchemaId::LearningSample, sample, Origin::End)
    };
    list(record.plan, "steps").iter().enumerate().map(sample).collect()
}

/// Each question that a person answered; of those that nobody did, there is nothing to learn of a person.
pub(super) fn decisions(record: &Record<'_>) -> Vec<Item> {
    let answered = record.objects(SchemaId::Confirm).filter_map(|item| {
        let decision = list(&item.object, "decisions").last()?;
        let by = text(decision, "decided_by_role").filter(|by| *by != "station")?;
        let verdict = match text(decision, "status")? {
            "approved" => "approve",
            "rejected" => "reject",
            _ => return None,
        };
        Some((item, decision, by, verdict))
    });
    let sample = |(place, (item, decision, by, verdict)): (usize, (&Item, &Value, &str, &str))| {
        let confirm = &item.object;
        let sample = Sample {
            family: "confirm_decision",
            place,
            input: object([
                ("confirm_id", Some(confirm["confirm_id"].clone())),
                ("target_type", Some(confirm["target_type"].clone())),
                ("target_id", Some(confirm["target_id"].clone())),
                ("risk_label", Some("unknown".into())),
                ("request_summary", confirm.get("reason").cloned()),
            ]),
            state: Value::Null,
            output: object([
                ("decision", Some(verdict.into())),
                ("reasoning", decision.get("reason").cloned()),
                ("decided_by_role", Some(by.into())),
            ]),
            sources: record
                .objects(SchemaId::GraphUpdateEvent)
                .filter(|event| event.object["payload"]["confirm_id"] == confirm["confirm_id"])
                .map(|event| &event.object["event_id"])
                .collect(),
        };
        record.sample(SchemaId::LearningSample, sample, item.origin)
    };
    answered.enumerate().map(sample).collect()
}

fn event_ids<'a>(events: &[&'a Value]) -> Vec<&'a Value> {
    events.iter().map(|event| &event["event_id"]).collect()
}
