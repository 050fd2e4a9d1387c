//! What holds of every record of a run that ended.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::play::{Play, is_event, settings};
use crate::mplp::{
    RecordContext, judge, judge_bundle,
    lifecycle::run::{RunBegin, RunRecord},
};

/// Checks a run that ended, and gives its bundle.
pub(super) fn sound(play: &Play, begin: RunBegin) -> Value {
    let bundle = play.bundle();
    let value = bundle.value();
    let findings = judge_bundle(&value, None, 20);
    assert!(findings.is_clean(), "{findings:#?}");
    for item in play.first.iter().chain(&play.events).chain(&play.last) {
        let findings = judge(item.schema, &item.object, RecordContext::default(), 20);
        assert!(findings.is_clean(), "{findings:#?}");
    }
    live_is_exported(play, begin);
    ids_are_unique(&value);
    deltas_sum(&value);
    attempts_are_answered(&value);
    segments_are_closed(&value);
    value
}

/// The fold of the same events again makes the same, and the bundle has what was returned.
fn live_is_exported(play: &Play, begin: RunBegin) {
    let bundle = play.bundle();
    let again_of = begin.clone();
    let (mut again, _) = RunRecord::begin(begin, &settings());
    for row in &play.rows {
        again.event(row);
    }
    again.end(play.ended.as_ref().unwrap());
    assert_eq!(again.bundle(), bundle);
    let (mut exported, _) = RunRecord::begin(again_of, &settings());
    for row in &play.rows {
        exported.read(row);
    }
    assert_eq!(exported.into_bundle(play.ended.as_ref()), bundle);
    let (events, objects): (Vec<_>, Vec<_>) = bundle.items().iter().cloned().partition(is_event);
    assert_eq!(events, play.events);
    assert_eq!(objects, play.last);
    assert_eq!(
        serde_json::to_vec(&again.bundle().value()).unwrap(),
        serde_json::to_vec(&bundle.value()).unwrap()
    );
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The ids that name something of the record, each once.
fn ids_are_unique(bundle: &Value) {
    let mut seen = BTreeSet::new();
    let mut is_new = |value: &Value, name: &str| {
        let id = value[name].as_str().unwrap();
        assert!(seen.insert(id.to_owned()), "{name} {id} names two");
    };
    is_new(&bundle["context"], "context_id");
    is_new(&bundle["plan"], "plan_id");
    is_new(&bundle["trace"], "trace_id");
    is_new(&bundle["trace"]["root_span"], "span_id");
    is_new(&bundle["core"], "core_id");
    is_new(&bundle["network"], "network_id");
    let named = [("roles", "role_id"), ("confirms", "confirm_id"), ("dialogs", "dialog_id")];
    for (member, id) in named.into_iter().chain([("collabs", "collab_id"), ("events", "event_id")]) {
        for it in list(bundle, member) {
            is_new(it, id);
        }
    }
    for it in list(&bundle["plan"], "steps") {
        is_new(it, "step_id");
    }
    for it in list(&bundle["trace"], "segments") {
        is_new(it, "segment_id");
    }
    for it in list(&bundle["trace"], "events") {
        is_new(it, "event_id");
    }
    for it in list(&bundle["network"], "nodes") {
        is_new(it, "node_id");
    }
    for confirm in list(bundle, "confirms") {
        for it in list(confirm, "decisions") {
            is_new(it, "decision_id");
        }
    }
}

/// The graph has the steps, the dependencies, and a node and an edge for each artifact, question and session.
fn deltas_sum(bundle: &Value) {
    let (mut nodes, mut edges) = (0, 0);
    for event in list(bundle, "events") {
        nodes += event.get("node_delta").and_then(Value::as_i64).unwrap_or(0);
        edges += event.get("edge_delta").and_then(Value::as_i64).unwrap_or(0);
    }
    let steps = list(&bundle["plan"], "steps");
    let dependencies: usize = steps.iter().map(|step| list(step, "dependencies").len()).sum();
    let artifacts =
        list(&bundle["trace"], "events").iter().filter(|event| event["event_type"] == "run.artifact").count();
    let own = bundle["trace"]["plan_id"].clone();
    let collabs = list(bundle, "collabs").len() - usize::from(has_own_collab(bundle));
    let more = artifacts + list(bundle, "confirms").len() + collabs;
    assert_eq!(nodes, i64::try_from(steps.len() + more).unwrap(), "{own}");
    assert_eq!(edges, i64::try_from(dependencies + more).unwrap());
}

fn has_own_collab(bundle: &Value) -> bool {
    let uses: BTreeSet<_> = list(&bundle["plan"], "steps")
        .iter()
        .filter_map(|step| step["agent_role"].as_str().filter(|uses| uses.starts_with("agent:")))
        .collect();
    uses.len() > 1
}

/// Each attempt begins and ends once, by all that tell of it, and agrees with its segment.
fn attempts_are_answered(bundle: &Value) {
    let mut open: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut ended: HashMap<String, String> = HashMap::new();
    let mut turns = BTreeSet::new();
    for event in list(bundle, "events") {
        let payload = &event["payload"];
        let turn = || format!("{}#{}", payload["role_id"], payload["turn_number"]);
        let step = || payload["step_id"].to_string();
        let execution = || event["execution_id"].as_str().unwrap().to_owned();
        let (key, delta) = match event["event_type"].as_str().unwrap() {
            "MAPTurnDispatched" => {
                assert!(turns.insert(payload["turn_number"].as_u64().unwrap()), "a turn twice");
                (("turn", turn()), 1)
            }
            "MAPTurnCompleted" => (("turn", turn()), -1),
            "SAStepStarted" => (("step", step()), 1),
            "SAStepCompleted" | "SAStepFailed" => (("step", step()), -1),
            "attempt_started" => (("attempt", execution()), 1),
            "attempt_completed" | "attempt_failed" | "attempt_cancelled" => {
                ended.insert(execution(), event["status"].as_str().unwrap().to_owned());
                (("attempt", execution()), -1)
            }
            _ => continue,
        };
        let count = open.entry((key.0.to_owned(), key.1)).or_default();
        *count += delta;
        assert!((0..=1).contains(count), "{event:#}");
    }
    assert!(open.values().all(|count| *count == 0), "{open:?}");
    for segment in list(&bundle["trace"], "segments") {
        let id = segment["segment_id"].as_str().unwrap();
        let status = segment["status"].as_str().unwrap();
        assert_eq!(segment.get("started_at").is_some(), ended.contains_key(id), "{segment:#}");
        if let Some(ended) = ended.get(id) {
            assert_eq!(ended, status);
        }
    }
}

/// No segment is open, its parent came before it, and the last of each step agrees with the step.
fn segments_are_closed(bundle: &Value) {
    let mut last: HashMap<&str, &str> = HashMap::new();
    let mut before = BTreeSet::new();
    let trace = &bundle["trace"];
    for segment in list(trace, "segments") {
        let status = segment["status"].as_str().unwrap();
        assert!(["completed", "failed", "skipped", "cancelled"].contains(&status), "{segment:#}");
        assert_eq!(segment.get("started_at").is_some(), segment.get("finished_at").is_some());
        if let Some(parent) = segment.get("parent_segment_id") {
            assert!(before.contains(&parent.to_string()), "{segment:#}");
        }
        before.insert(segment["segment_id"].to_string());
        let attributes = &segment["attributes"];
        last.insert(attributes["node"].as_str().unwrap(), status);
        let id = segment["segment_id"].as_str().unwrap().replace('-', "");
        let trace_id = trace["trace_id"].as_str().unwrap().replace('-', "");
        assert_eq!(attributes["traceparent"], format!("00-{trace_id}-{}-01", &id[16..]));
    }
    for step in list(&bundle["plan"], "steps") {
        let (node, status) = (step["description"].as_str().unwrap(), step["status"].as_str().unwrap());
        let node = node.split(": ").next().unwrap();
        let expected: &[&str] = match last[node] {
            "completed" => &["completed"],
            "failed" => &["failed"],
            "skipped" => &["skipped", "blocked"],
            _ => &["skipped"],
        };
        assert!(expected.contains(&status), "{node} {status} {}", last[node]);
    }
}
