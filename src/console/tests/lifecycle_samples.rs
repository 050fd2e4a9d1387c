//! The lifecycle records of a run and of a session, as a station gives them page by page.

use serde_json::{Value, json};

use super::runs_samples::{GREET, run};
use crate::{
    mplp::{Finding, Path, Profile, lifecycle::Origin},
    port::{LifecyclePage, LifecycleRow, Page, RecordOf},
    schema::JsonText,
};

/// Events of the record of the run that asks.
pub(super) const EVENTS: u64 = 1_200;

fn row(place: u64, schema: &str, path: &str, origin: Origin, object: &Value) -> LifecycleRow {
    LifecycleRow {
        place,
        schema: schema.to_owned(),
        path: path.to_owned(),
        origin,
        session: None,
        object: Some(JsonText::from_value(object)),
        omitted_bytes: None,
        findings: Vec::new(),
    }
}

pub(super) fn finding(schema: &'static str, path: &str, rule: &'static str, requires: &str) -> Finding {
    Finding {
        schema: schema.into(),
        path: Path::parse(path).unwrap(),
        rule: rule.into(),
        requires: requires.to_owned(),
        received: Some("\"give ann\"".to_owned()),
    }
}

fn event(place: u64, number: u64) -> LifecycleRow {
    let object = json!({
        "event_id": format!("0191-{number:04}"),
        "event_type": "step_started",
        "event_family": "pipeline_stage",
        "timestamp": "2026-09-21T14:13:20.007Z",
        "stage_id": "5-7",
        "stage_name": "poll",
        "stage_status": "running",
        "stage_order": 0,
        "payload": { "state": "running", "why": "ann said hello", "attempt": 1 },
    });
    let origin = if number <= 5 { Origin::Number(number) } else { Origin::Number(900) };
    row(place, "pipeline-stage-event", &format!("events[{}]", number - 1), origin, &object)
}

/// The objects of a record, without its events.
pub(super) fn objects(title: &str) -> Vec<LifecycleRow> {
    let meta = json!({ "protocol_version": "1.0.0", "schema_version": "2.0.0", "tags": ["run"] });
    let step = |id: &str, node: &str, status: &str| {
        json!({ "step_id": id, "description": format!("{node}: agent:{node}"), "status": status,
            "dependencies": [], "agent_role": format!("agent:{node}") })
    };
    let root = json!({ "domain": "stream", "entry_point": "chat_vote", "client": "ann" });
    let context =
        json!({ "meta": meta, "context_id": "c-1", "root": root, "title": title, "status": "active" });
    let plan = json!({ "meta": meta, "plan_id": "p-1", "title": title, "objective": "give ann an item",
        "status": "in_progress", "steps": [step("s-1", "poll", "completed"), step("s-2", "count", "running")] });
    let attributes = json!({ "node": "poll", "use": "agent:poll", "attempt": 1, "why": "ann said hello" });
    let trace = json!({ "meta": meta, "trace_id": "t-1", "status": "running",
        "segments": [{ "segment_id": "g-1", "label": "poll#1", "status": "completed", "attributes": attributes }],
        "events": [{ "event_id": "e-1", "event_type": "run.log", "source": "runs",
            "data": { "number": 2, "level": "info", "message": "ann won", "meta": { "level": "ann" } } }] });
    let role =
        |name: &str| json!({ "meta": meta, "role_id": "r-1", "name": name, "description": "writes to ann" });
    let confirm = json!({ "meta": meta, "confirm_id": "q-1", "status": "pending",
        "reason": "give item 4 to viewer ann?", "requested_by_role": "agent:giver" });
    let begin = Origin::Beginning;
    vec![
        row(1, "context", "context", begin, &context),
        row(2, "plan", "plan", begin, &plan),
        row(3, "trace", "trace", begin, &trace),
        row(4, "role", "roles[0]", begin, &role("agent:poll")),
        row(5, "role", "roles[1]", begin, &role("tui:ann")),
        row(6, "confirm", "confirms[0]", Origin::Number(4), &confirm),
    ]
}

/// All rows of a record.
pub(super) fn rows(of: &RecordOf) -> Vec<LifecycleRow> {
    let is_broken = *of != RecordOf::Run(run(GREET));
    let mut rows = objects("night of ann");
    if is_broken {
        rows[1].findings = vec![finding(
            "plan",
            "$.plan.steps[1].agent_role",
            "sa_steps_have_agent_role",
            "a text with content",
        )];
    }
    let events = if matches!(of, RecordOf::Run(_)) { EVENTS } else { 12 };
    rows.extend((1..=events).map(|number| event(number + 6, number)));
    rows
}

/// A page of a record.
pub(super) fn page(of: &RecordOf, after: u64, limit: u64) -> Page {
    Page::Lifecycle(Some(Box::new(page_of(rows(of), 1, after, limit))))
}

/// A page of these rows, in a state of the record.
pub(super) fn page_of(all: Vec<LifecycleRow>, version: u64, after: u64, limit: u64) -> LifecyclePage {
    let total = all.len() as u64;
    let is_broken = all.iter().any(|row| !row.findings.is_empty());
    let turn =
        finding("bundle", "$.events[3]", "map_turn_completion_matches_dispatch", "an answer to each turn");
    let of_bundle = if is_broken && after == 0 { vec![turn] } else { Vec::new() };
    let findings =
        if is_broken { 1 + all.iter().map(|row| row.findings.len() as u64).sum::<u64>() } else { 0 };
    let rows: Vec<_> =
        all.into_iter().filter(|row| row.place > after).take(usize::try_from(limit).unwrap()).collect();
    let more = rows.last().is_some_and(|row| row.place < total);
    let (profile, more_findings) = (Profile::Map, false);
    LifecyclePage { profile, version, total, findings, more_findings, of_bundle, rows, more }
}
