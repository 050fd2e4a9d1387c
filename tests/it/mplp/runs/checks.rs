//! What holds of the record of any run.

use std::{collections::BTreeMap, sync::Arc};

use rl_console::{
    mplp::{
        RecordContext, is_clean, judge_bundle,
        lifecycle::{Bundle, Item, learning, run::RunRecord},
    },
    runs::NodeState,
    store::runs::EventRow,
};
use serde_json::Value;

use super::{
    Run,
    attempts::check_attempts,
    begin,
    id_checks::{check_ids, check_sample_ids},
    is_event, sessions, settings,
};

pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whatever is not kept of the events, and wherever a stop cuts them, what is left is clean.
pub(super) fn check_losses(seed: u64, run: &Run) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let cut_at = rng.usize(..=run.events.len());
    let thin: Vec<&EventRow> = run.events.iter().filter(|_| rng.u8(..3) > 0).collect();
    let cut: Vec<&EventRow> = run.events.iter().take(cut_at).collect();
    for rows in [thin, cut, Vec::new()] {
        let (mut record, _) = RunRecord::begin(begin(&run.row), &settings());
        sessions::read(&mut record, &run.sessions);
        for event in rows {
            record.read(event);
        }
        let value = record.into_bundle(run.end.as_ref()).into_value();
        let findings = judge_bundle(&value, None, 9);
        assert!(findings.is_clean(), "seed {seed}: {findings:#?}");
        check_ids(seed, &value);
        for segment in list(&value["trace"], "segments") {
            assert_ne!(segment["status"], "running", "seed {seed}");
        }
        for step in list(&value["plan"], "steps") {
            let is_settled = !["pending", "in_progress"].contains(&step["status"].as_str().unwrap());
            assert!(is_settled, "seed {seed}: {step:#}");
        }
    }
}

/// What was told live and what is exported are the same: of the run's own, and of each of its sessions, the
/// events in one order, and the objects as they are at the end. The node that a session adds to the run's
/// graph is told when that is known, which may be behind the session's first turns.
pub(super) fn check_live(seed: u64, run: &Run, bundle: &Bundle) {
    let live: (Vec<Item>, Vec<Item>) = run.items.iter().cloned().partition(is_event);
    let exported: (Vec<Item>, Vec<Item>) = bundle.items().iter().cloned().partition(is_event);
    let whose = |events: Vec<Item>| {
        let mut by_session: BTreeMap<(Option<Arc<str>>, bool), Vec<Item>> = BTreeMap::new();
        for event in events {
            let is_node = event.session.is_some() && event.object["event_type"] == "session_added";
            by_session.entry((event.session.clone(), is_node)).or_default().push(event);
        }
        by_session
    };
    assert_eq!(live.1, exported.1, "seed {seed}: objects, live and exported");
    assert_eq!(whose(live.0), whose(exported.0), "seed {seed}: events, live and exported");
}

/// A bundle without the events of sessions.
fn without_sessions(bundle: &Bundle) -> Value {
    let mut value = bundle.value();
    let own = bundle.items().iter().filter(|it| is_event(it) && it.session.is_none());
    value["events"] = own.map(|it| it.object.clone()).collect();
    value
}

/// What is not kept of a run is counted, live and in the record, and no more is.
pub(super) fn check_missing(seed: u64, run: &Run, bundle: &Value) {
    if let Some(missing) = run.missing_told {
        assert_eq!(missing, run.events_missing(), "seed {seed}");
    }
    let attributes = &bundle["trace"]["root_span"]["attributes"];
    assert_eq!(attributes["events_missing"], run.events_missing(), "seed {seed}");
    let is_incomplete = list(&bundle["trace"]["meta"], "tags").contains(&"incomplete".into());
    assert_eq!(is_incomplete, !run.is_whole(), "seed {seed}");
}

/// Every step is as the engine left its node, whatever was not kept of the run.
pub(super) fn check_steps(seed: u64, run: &Run, bundle: &Value) {
    for (step, place) in list(&bundle["plan"], "steps").iter().zip(0..) {
        let expected = match run.states.get(&place) {
            Some(NodeState::Completed) => "completed",
            Some(NodeState::Failed) => "failed",
            Some(NodeState::Blocked) => "blocked",
            _ => "skipped",
        };
        assert_eq!(step["status"], expected, "seed {seed}: {step:#}");
    }
    for segment in list(&bundle["trace"], "segments") {
        assert_ne!(segment["status"], "running", "seed {seed}");
    }
}

/// Of a run of which all is kept, every attempt is a segment, and is begun and answered once.
pub(super) fn check_nodes(seed: u64, run: &Run, bundle: &Bundle) {
    let bundle = &without_sessions(bundle);
    check_attempts(seed, run, &bundle["trace"]);
    let segments = list(&bundle["trace"], "segments");
    let attempts = segments.iter().filter(|it| it.get("started_at").is_some());
    assert!(attempts.clone().all(|it| it.get("finished_at").is_some()));
    assert_eq!(attempts.count(), run.attempts, "seed {seed}");
    let told = |name: &str| list(bundle, "events").iter().filter(|it| it["event_type"] == name).count();
    let ended = ["attempt_completed", "attempt_failed", "attempt_cancelled"].map(told).iter().sum::<usize>();
    assert_eq!((told("attempt_started"), ended), (run.attempts, run.attempts), "seed {seed}");
    let turns = told("MAPTurnDispatched") + told("SAStepStarted");
    let answered = told("MAPTurnCompleted") + told("SAStepCompleted") + told("SAStepFailed");
    assert_eq!((turns, answered), (run.attempts, run.attempts), "seed {seed}");
}

pub(super) fn check_graph(seed: u64, run: &Run, bundle: &Value) {
    let sum = |name: &str| list(bundle, "events").iter().filter_map(|it| it[name].as_u64()).sum::<u64>();
    let steps = list(&bundle["plan"], "steps");
    let dependencies: usize = steps.iter().map(|step| list(step, "dependencies").len()).sum();
    let sessions = run.sessions.iter().filter(|it| it.has_collab()).count() as u64;
    let more = run.artifacts + list(bundle, "confirms").len() as u64 + sessions;
    let graph = (steps.len() as u64 + more, dependencies as u64 + more);
    assert_eq!((sum("node_delta"), sum("edge_delta")), graph, "seed {seed}");
}

pub(super) fn check_samples(seed: u64, bundle: &Bundle) {
    let samples = learning::samples(bundle, None);
    for item in &samples {
        assert!(is_clean(item.schema, &item.object, RecordContext::default()), "seed {seed}: {item:?}");
    }
    check_sample_ids(seed, &bundle.value(), &samples);
}
