//! One identifier is one object, in a record and in the samples that are made of it (ruling MPLP 3).

use std::collections::{BTreeMap, BTreeSet};

use rl_console::mplp::lifecycle::Item;
use serde_json::Value;

use super::checks::list;

/// What a member names, by its name: an object's own id, or that of another.
fn kind_of(member: &str) -> &'static str {
    match member {
        "context_id" | "project_id" => "context",
        "plan_id" | "pipeline_id" => "plan",
        "trace_id" => "trace",
        "span_id" => "span",
        "segment_id" | "parent_segment_id" | "token_id" | "execution_id" => "segment",
        "step_id" | "dependencies" => "step",
        "event_id" => "event",
        "role_id" => "role",
        "confirm_id" | "action_id" => "confirm",
        "decision_id" => "decision",
        "dialog_id" => "dialog",
        "collab_id" | "session_id" => "collab",
        "network_id" => "network",
        "node_id" => "node",
        "core_id" => "core",
        "graph_id" => "graph",
        "sa_id" => "sa",
        _ => panic!("{member} names what?"),
    }
}

/// Whether a text is an identifier: other texts are of clients, who choose their own.
fn is_id(text: &str) -> bool {
    text.len() == 36 && text.parse::<uuid::Uuid>().is_ok()
}

/// What each id of a value names.
fn name_all(value: &Value, member: &str, named: &mut BTreeMap<String, BTreeSet<&'static str>>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                // What an event of the run carries is its own.
                if !(member == "data" && name == "meta") {
                    name_all(value, name, named);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| name_all(item, member, named)),
        // A stage is of a step, or of the whole plan; a target is what is to be confirmed.
        Value::String(text) if is_id(text) && !["stage_id", "target_id"].contains(&member) => {
            named.entry(text.clone()).or_default().insert(kind_of(member));
        }
        _ => {}
    }
}

/// The ids of all objects of a bundle, each as often as there is one.
fn of_objects(bundle: &Value) -> Vec<String> {
    let of = |it: &'static str| move |value: &'_ Value| value[it].as_str().unwrap().to_owned();
    let mut ids: Vec<String> = ["context", "plan", "trace", "core", "network"]
        .map(|it| bundle[it][&*format!("{it}_id")].as_str().unwrap().to_owned())
        .into();
    ids.push(of("span_id")(&bundle["trace"]["root_span"]));
    let many = [("roles", "role_id"), ("confirms", "confirm_id"), ("dialogs", "dialog_id")];
    for (member, id) in many.into_iter().chain([("collabs", "collab_id"), ("events", "event_id")]) {
        ids.extend(list(bundle, member).iter().map(of(id)));
    }
    ids.extend(list(&bundle["plan"], "steps").iter().map(of("step_id")));
    ids.extend(list(&bundle["trace"], "segments").iter().map(of("segment_id")));
    ids.extend(list(&bundle["network"], "nodes").iter().map(of("node_id")));
    for confirm in list(bundle, "confirms") {
        ids.extend(list(confirm, "decisions").iter().map(of("decision_id")));
    }
    // There is no object of these but what the events say: one graph, and at most one of SA.
    for id in ["graph_id", "sa_id"] {
        let told = list(bundle, "events").iter().filter_map(|it| it.get(id)?.as_str().map(str::to_owned));
        let told: BTreeSet<String> = told.collect();
        assert!(told.len() <= 1, "{id}: {told:?}");
        ids.extend(told);
    }
    ids
}

/// No two objects of a record have one id, nor has what is referred to as one thing that of another.
pub(super) fn check_ids(seed: u64, bundle: &Value) {
    let mut unique = BTreeSet::new();
    for id in of_objects(bundle) {
        assert!(unique.insert(id.clone()), "seed {seed}: {id} names two");
    }
    // The Trace's events are those of the run, each the first that its run event causes.
    let of_trace = list(&bundle["trace"], "events").iter().map(|it| it["event_id"].as_str().unwrap());
    for id in of_trace {
        assert!(unique.insert(id.to_owned()), "seed {seed}: {id} names two");
    }
    let mut named = BTreeMap::new();
    name_all(bundle, "", &mut named);
    for (id, kinds) in named {
        assert_eq!(kinds.len(), 1, "seed {seed}: {id} names {kinds:?}");
    }
}

/// No sample has the id of another, or of an object of its record.
pub(super) fn check_sample_ids(seed: u64, bundle: &Value, samples: &[Item]) {
    let mut unique: BTreeSet<String> = of_objects(bundle).into_iter().collect();
    for sample in samples {
        let id = sample.object["sample_id"].as_str().unwrap();
        assert!(unique.insert(id.to_owned()), "seed {seed}: {id} names two");
    }
}
