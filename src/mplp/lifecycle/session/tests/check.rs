//! What holds of every record of a session.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::play::{Play, settings};
use crate::mplp::{Profile, RecordContext, judge, judge_bundle, lifecycle::session::SessionRecord};

/// Checks a record, and gives its bundle.
pub(super) fn sound(play: &Play) -> Value {
    let bundle = play.record.bundle();
    let value = bundle.value();
    assert_eq!(value["profile"], play.record.profile().as_str());
    for profile in [None, Some(play.record.profile())] {
        let findings = judge_bundle(&value, profile, 20);
        assert!(findings.is_clean(), "{findings:#?}");
    }
    let context = RecordContext { profile: Some(bundle.profile()), bundle: value.as_object() };
    for item in bundle.items() {
        let findings = judge(item.schema, &item.object, context, 20);
        assert!(findings.is_clean(), "{findings:#?}");
    }
    is_the_same_again(play, &value);
    ids_are_unique(&value);
    deltas_sum(&value);
    turns_are_answered(play, &value);
    stages_agree_with_steps(&value);
    events_are_in_order(&value);
    value
}

/// The fold of the same again gives the same bytes.
fn is_the_same_again(play: &Play, value: &Value) {
    let mut again = SessionRecord::begin(play.begin.clone(), &settings());
    for message in &play.messages {
        again.message(message.clone());
    }
    if let Some(end) = &play.ended {
        again.end(end.clone());
    }
    let bytes = |value: &Value| serde_json::to_vec(value).unwrap();
    assert_eq!(bytes(&again.bundle().into_value()), bytes(value));
}

pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The types of the events that are so.
pub(super) fn types(bundle: &Value, is_meant: impl Fn(&Value) -> bool) -> Vec<&str> {
    let meant = list(bundle, "events").iter().filter(|event| is_meant(event));
    meant.map(|event| event["event_type"].as_str().unwrap()).collect()
}

/// The ids that name something of the record, each once.
fn ids_are_unique(bundle: &Value) {
    let mut seen = BTreeSet::new();
    let mut is_new = |value: &Value, name: &str| {
        let id = value[name].as_str().unwrap();
        assert!(seen.insert(id.to_owned()), "{name} {id} names two");
    };
    let ones = [("context", "context_id"), ("plan", "plan_id"), ("trace", "trace_id"), ("core", "core_id")];
    for (member, id) in ones.into_iter().chain([("network", "network_id")]) {
        is_new(&bundle[member], id);
    }
    is_new(&bundle["trace"]["root_span"], "span_id");
    let lists =
        [("roles", "role_id"), ("dialogs", "dialog_id"), ("collabs", "collab_id"), ("events", "event_id")];
    let nested = [
        (&bundle["plan"], ("steps", "step_id")),
        (&bundle["trace"], ("segments", "segment_id")),
        (&bundle["trace"], ("events", "event_id")),
        (&bundle["network"], ("nodes", "node_id")),
    ];
    for (object, (member, id)) in lists.map(|it| (bundle, it)).into_iter().chain(nested) {
        for it in list(object, member) {
            is_new(it, id);
        }
    }
}

/// The graph has the steps and their dependencies.
fn deltas_sum(bundle: &Value) {
    let sum = |name: &str| -> i64 {
        list(bundle, "events").iter().filter_map(|event| event.get(name)?.as_i64()).sum()
    };
    let steps = list(&bundle["plan"], "steps");
    let dependencies: usize = steps.iter().map(|step| list(step, "dependencies").len()).sum();
    assert_eq!(sum("node_delta"), i64::try_from(steps.len()).unwrap());
    assert_eq!(sum("edge_delta"), i64::try_from(dependencies).unwrap());
}

/// Each message is a segment, an event of the Trace, a message of the Dialog, and one turn or step that is
/// answered before the next begins; it is told by the profile's events alone.
fn turns_are_answered(play: &Play, bundle: &Value) {
    let messages = play.messages.len();
    let (segments, said) = (list(&bundle["trace"], "segments"), list(&bundle["dialogs"][0], "messages"));
    let ends = usize::from(play.ended.is_some());
    assert_eq!((segments.len(), said.len()), (messages, 1 + messages + ends));
    assert_eq!(list(&bundle["trace"], "events").len(), 1 + messages + ends);
    let is_map = play.record.profile() == Profile::Map;
    let (begins, completes) =
        if is_map { ("MAPTurnDispatched", "MAPTurnCompleted") } else { ("SAStepStarted", "SAStepCompleted") };
    let turns = types(bundle, |event| [begins, completes].contains(&event["event_type"].as_str().unwrap()));
    assert_eq!(turns, [begins, completes].repeat(messages));
    let other = if is_map { "SA" } else { "MAP" };
    assert!(types(bundle, |_| true).iter().all(|it| !it.starts_with(other)));
    assert_eq!(list(bundle, "collabs").len(), usize::from(is_map));
    for (segment, event) in
        segments.iter().zip(list(bundle, "events").iter().filter(|it| it["event_type"] == "turn_completed"))
    {
        assert_eq!(segment["segment_id"], event["execution_id"]);
    }
}

/// The last stage of each step and of the Plan is the one that it ends in.
fn stages_agree_with_steps(bundle: &Value) {
    let mut last: BTreeMap<&str, &str> = BTreeMap::new();
    for event in list(bundle, "events").iter().filter(|it| it["event_family"] == "pipeline_stage") {
        let (id, status) = (event["stage_id"].as_str().unwrap(), event["stage_status"].as_str().unwrap());
        assert_ne!(last.insert(id, status), Some(status), "{event:#}");
        assert_eq!(event["pipeline_id"], bundle["plan"]["plan_id"]);
    }
    let stage = |status: &str| match status {
        "in_progress" => "running".to_owned(),
        "cancelled" => "skipped".to_owned(),
        status => status.to_owned(),
    };
    let (plan, status) = (&bundle["plan"], |it: &Value| it["status"].as_str().unwrap().to_owned());
    assert_eq!(last[plan["plan_id"].as_str().unwrap()], stage(&status(plan)));
    for step in list(plan, "steps") {
        let found = last.get(step["step_id"].as_str().unwrap()).copied().unwrap_or("pending");
        assert_eq!(found, stage(&status(step)), "{step:#}");
    }
}

fn events_are_in_order(bundle: &Value) {
    let times: Vec<_> =
        list(bundle, "events").iter().map(|event| event["timestamp"].as_str().unwrap()).collect();
    assert!(times.is_sorted());
}
