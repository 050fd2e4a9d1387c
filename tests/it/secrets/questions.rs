//! Everything that a viewer may ask of a station.

use std::collections::HashSet;

use rl_console::{
    ids::{Seq, TraceId},
    port::{DoorSpec, PageBytes, Query, RecordOf, Stand},
};
use serde_json::{Value, json};

/// Every question about what peers said, and how many kinds of them there are.
pub(super) fn questions(sessions: &[String], runs: &[TraceId], traces: &[TraceId]) -> (Vec<Query>, usize) {
    let ask = |question: Value| serde_json::from_value::<Query>(question).unwrap();
    let mut all: Vec<Query> = [
        "queues",
        "events",
        "state",
        "adapters",
        "health",
        "clients",
        "gate_rules",
        "intercepted",
        "topics",
        "peers",
        "subscriptions",
        "drops",
        "violations",
        "findings",
        "confirmations",
        "plugins",
        "stream",
    ]
    .map(|name| ask(json!(name)))
    .into();
    all.extend([
        ask(
            json!({ "invocations": { "state": null, "queue": null, "beyond": null, "oldest_first": false, "limit": 999 } }),
        ),
        ask(json!({ "refunds": { "status": null, "before": null, "limit": 999 } })),
        ask(json!({ "runs": { "limit": 999 } })),
        ask(json!({ "sessions": { "limit": 999 } })),
        ask(json!({ "alerts": { "limit": 999 } })),
        ask(json!({ "entries": { "limit": 99_999 } })),
        ask(json!({ "keyframe": { "from": 0 } })),
        ask(json!({ "clip_head": { "seconds": 60 } })),
        ask(json!({ "clip_entries": { "from": 0, "until": 99_999 } })),
        ask(json!({ "lifecycle": { "of": "station", "limit": 999, "bytes": 1_000_000 } })),
        ask(json!({ "plugin": { "plugin": "org.example.a" } })),
        ask(json!({ "plugin_log": { "plugin": "org.example.a", "limit": 999 } })),
        ask(json!({ "plugin_audit": { "plugin": "org.example.a", "limit": 999 } })),
        ask(json!({ "invocation": { "id": 1 } })),
        ask(json!({ "invocation_when": { "id": 1, "state": "pending", "timeout_ms": 1 } })),
    ]);
    for session in sessions {
        all.push(Query::Session { session: session.clone() });
        all.push(Query::Lifecycle {
            of: RecordOf::Session(session.clone()),
            after: 0,
            limit: 999,
            bytes: None,
        });
        all.push(Query::SessionLog { session: session.clone(), after: 0, limit: 999 });
    }
    for &run in runs {
        all.push(Query::Run { run });
        all.push(Query::Lifecycle { of: RecordOf::Run(run), after: 0, limit: 999, bytes: None });
        all.push(Query::RunEvents { run, after: 0, limit: 999 });
        all.push(Query::RunArtifacts { run, after: 0, limit: 999 });
    }
    let trace = |trace| Query::Trace { trace, after: Seq(0), events: true, limit: 999 };
    all.extend(traces.iter().copied().map(trace));
    let (door, bytes) = (DoorSpec::Adapter { hello: false }, PageBytes(b"{}\n".to_vec()));
    all.push(Query::Judge { stand: Stand::New(door), bytes });
    all.push(Query::InterceptedFrame { frame: 1 });
    all.push(Query::Triggers);
    let kinds: HashSet<_> = all.iter().map(std::mem::discriminant).collect();
    (all, kinds.len())
}

/// Which kind of question it is: a new one is to be asked here too.
pub(super) const fn kind_of(query: &Query) -> usize {
    match query {
        Query::Queues => 1,
        Query::Events => 2,
        Query::State => 3,
        Query::Adapters => 4,
        Query::Health => 5,
        Query::Clients => 6,
        Query::Topics => 7,
        Query::Peers => 8,
        Query::Subscriptions => 9,
        Query::Confirmations => 10,
        Query::Invocations { .. } => 11,
        Query::Refunds { .. } => 12,
        Query::Runs { .. } => 13,
        Query::Sessions { .. } => 14,
        Query::Invocation { .. } => 15,
        Query::InvocationWhen { .. } => 16,
        Query::Run { .. } => 17,
        Query::RunEvents { .. } => 18,
        Query::RunArtifacts { .. } => 19,
        Query::Session { .. } => 20,
        Query::SessionLog { .. } => 21,
        Query::Trace { .. } => 22,
        Query::Alerts { .. } => 23,
        Query::Entries { .. } => 24,
        Query::Keyframe { .. } => 25,
        Query::Drops => 26,
        Query::Violations => 27,
        Query::Plugins => 28,
        Query::Plugin { .. } => 29,
        Query::PluginLog { .. } => 30,
        Query::PluginAudit { .. } => 31,
        Query::Stream => 32,
        Query::Lifecycle { .. } => 33,
        Query::Findings => 34,
        Query::Judge { .. } => 35,
        Query::GateRules => 36,
        Query::Intercepted => 37,
        Query::InterceptedFrame { .. } => 38,
        Query::Triggers => 39,
        Query::ClipHead { .. } => 40,
        Query::ClipEntries { .. } => 41,
    }
}
