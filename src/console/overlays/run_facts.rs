//! Details of runs in words: a run, a node, an event, an artifact.

use std::collections::BTreeMap;

use super::{
    fact::{at, fact, payload},
    run_questions::Takes,
};
use crate::{
    console::{
        action::Action,
        format,
        model::{Model, RunLine, Sentence},
        panes::node_time,
        view::View,
    },
    ids::TraceId,
    port::{ArtifactRow, RunRow},
    runs::{AskView, NodeState, PlanEdge, RunState, RunView},
    words::counted,
};

/// Nodes and edges that are named one by one.
const NAMED: usize = 12;

/// The title of a run's details.
pub(super) fn run_title(it: Option<&RunView>, run: TraceId) -> String {
    format!("Run {} {}", it.map_or("", |view| &*view.name), run.short())
}

/// The title of a node's details.
pub(super) fn node_title(it: Option<&RunView>, run: TraceId, place: u32) -> String {
    let node = it.and_then(|it| it.plan.nodes.get(place as usize)).map_or("", |node| &*node.id);
    format!("Node {node} of {} {}", it.map_or("", |it| &*it.name), run.short())
}

fn questions(model: &Model, run: TraceId) -> impl Iterator<Item = &AskView> {
    model.runs().into_iter().flat_map(|runs| &runs.asks).filter(move |ask| ask.run == run)
}

/// How a run stands, what is the matter with it, and where its nodes are.
pub(super) fn run_facts(view: &View, model: &Model, run: TraceId, it: Option<&RunView>) -> Vec<Sentence> {
    let Some(it) = it else {
        return vec![
            fact("", "it is listed here no longer; the store has it:"),
            Sentence::Run(format!("run show {run}").into()),
        ];
    };
    let asks = it.state == RunState::Running && questions(model, run).next().is_some();
    let mut facts = vec![fact("state", if asks { RunRow::ASKS } else { it.state.name() })];
    facts.extend(it.why.as_deref().map(|why| payload("why", why)));
    for (at, ask) in questions(model, run).enumerate() {
        facts.extend(ask_facts(view, ask, at == 0));
    }
    let took = it.ended_at.unwrap_or(view.now).mono.since(it.submitted_at.mono);
    let ended =
        it.ended_at.map_or_else(|| "so far".to_owned(), |ended| format!("until {}", view.time_of_day(ended)));
    facts
        .push(fact("since", format!("{}, {} {ended}", view.time_of_day(it.submitted_at), format::age(took))));
    facts.push(fact("by", format!("{} ({})", it.by.client, it.by.kind.name())));
    facts.push(fact("nodes", count_nodes(it)));
    let counts = [("tokens", it.tokens), ("events", it.events), ("artifacts", it.artifacts)];
    facts.push(fact(
        "so far",
        counts.map(|(what, count)| format!("{} {what}", format::count(count))).join(", "),
    ));
    let is_bad = |state| matches!(state, NodeState::Failed | NodeState::Blocked | NodeState::Retrying);
    let all = it.plan.nodes.iter().zip(&it.nodes);
    let mut bad = all.filter(|(_, node)| is_bad(node.state));
    for (plan, node) in bad.by_ref().take(NAMED) {
        let why = node.why.as_deref().unwrap_or_default();
        facts.push(payload(node.state.name(), &format!("{}, attempt {}: {why}", plan.id, node.attempt)));
    }
    let more = bad.count();
    if more > 0 {
        facts.push(fact("", format!("and {} that did not succeed", format::many(more as u64, "more node"))));
    }
    facts.push(fact("trace", run.to_string()));
    facts.push(Sentence::Run(format!("run events {run}").into()));
    facts
}

/// How many nodes stand how.
fn count_nodes(run: &RunView) -> String {
    if run.nodes.is_empty() {
        let planned = format::count(run.planned.into());
        return match run.done_nodes() {
            Some(done) => format!("{} of {planned} completed or were skipped", format::count(done.into())),
            None => planned,
        };
    }
    let mut counts: BTreeMap<NodeState, usize> = BTreeMap::new();
    for node in &run.nodes {
        *counts.entry(node.state).or_default() += 1;
    }
    let each: Vec<String> = counts.iter().map(|(state, count)| format!("{count} {}", state.name())).collect();
    format!("{}: {}", format::count(run.planned.into()), each.join(", "))
}

/// A question that waits, and what is done about it: here, where it is the one that the keys answer.
fn ask_facts(view: &View, ask: &AskView, is_at_hand: bool) -> Vec<Sentence> {
    let left = format::age(ask.expires_at.since(view.clock.wall));
    let mut facts = vec![
        Sentence::Why(format!("it asks whether {} may go on", ask.node.id)),
        payload("question", &ask.summary),
    ];
    facts.extend(Takes::of(ask).iter().map(|Takes { of, words }| payload(of, words)));
    facts.push(fact(
        "answer by",
        format!(
            "{}: without an answer it is a no in {left}",
            format::time_of_day(ask.expires_at, &view.zone)
        ),
    ));
    if is_at_hand {
        facts.push(Sentence::Press(Action::Approve, "approves it".into()));
        facts.push(Sentence::Press(Action::Reject, "rejects it".into()));
    } else {
        facts
            .push(Sentence::Press(Action::Tray, "has it among the first: approve or reject it there".into()));
    }
    facts
}

/// A run as the store has it.
pub(super) fn stored_facts(view: &View, row: &RunRow) -> Vec<Sentence> {
    let mut facts = vec![fact("state", row.state.name())];
    facts.extend(row.why.as_deref().map(|why| payload("why", why)));
    facts.push(fact("submitted", at(view, row.submitted_at_ms)));
    facts.extend(row.ended_at_ms.map(|ended| {
        fact("ended", format!("{}, after {}", at(view, ended), format::age(ended.since(row.submitted_at_ms))))
    }));
    facts.push(fact("by", format!("{} ({})", row.client, row.by.name())));
    facts.push(fact(
        "nodes",
        format!("{} of {} completed or were skipped", format::count(row.done), format::count(row.nodes)),
    ));
    let counts = [("tokens", row.tokens), ("events", row.events), ("artifacts", row.artifacts)];
    facts
        .push(fact("had", counts.map(|(what, count)| format!("{} {what}", format::count(count))).join(", ")));
    facts.push(fact("opening", row.opening.to_string()));
    facts.push(fact("trace", row.run.to_string()));
    facts.push(Sentence::Run(format!("run show {}", row.run).into()));
    facts
}

/// How a node stands, what feeds it, and what it feeds.
pub(super) fn node_facts(
    view: &View,
    model: &Model,
    (run, place): (TraceId, u32),
    it: Option<&RunView>,
) -> Vec<Sentence> {
    let found =
        it.and_then(|it| Some((it, it.plan.nodes.get(place as usize)?, it.nodes.get(place as usize)?)));
    let Some((it, plan, node)) = found else {
        return vec![
            fact("", "its plan is listed here no longer; the store has it:"),
            Sentence::Run(format!("run show {run}").into()),
        ];
    };
    let mut facts = vec![fact("state", node.state.name())];
    if let Some(why) = &node.why {
        let is_bad = matches!(node.state, NodeState::Failed | NodeState::Blocked | NodeState::Retrying);
        facts.push(payload(if is_bad { "why" } else { "says" }, why));
    }
    for ask in questions(model, run).filter(|ask| ask.node.place == place) {
        facts.extend(ask_facts(view, ask, true));
    }
    facts.push(fact("use", plan.uses.to_string()));
    facts.push(fact("attempts", node.attempt.to_string()));
    facts.push(fact("since", view.time_of_day(node.since)));
    facts.extend(node_time(node, view.now).map(|took| fact("took", format::age(took))));
    if let Some(progress) = node.progress {
        let words = match (progress.done, progress.total) {
            (Some(done), Some(total)) => format!("{done} of {total}"),
            (Some(done), None) => done.to_string(),
            (None, _) => "it said something, and no figure".to_owned(),
        };
        facts.push(fact("progress", words));
    }
    let id =
        |place: u32| it.plan.nodes.get(place as usize).map_or_else(String::new, |node| node.id.to_string());
    let when =
        |edge: &PlanEdge| edge.when.as_ref().map_or_else(String::new, |when| format!(", when it is {when}"));
    let state = |place: u32| it.nodes.get(place as usize).map_or("", |node| node.state.name());
    let fed: Vec<_> = it.plan.edges.iter().filter(|edge| edge.to == place).collect();
    for edge in fed.iter().take(NAMED) {
        facts.push(fact(
            "takes",
            format!(
                "{} from {}.{} ({}){}",
                edge.to_port,
                id(edge.from),
                edge.from_port,
                state(edge.from),
                when(edge)
            ),
        ));
    }
    let feeds: Vec<_> = it.plan.edges.iter().filter(|edge| edge.from == place).collect();
    for edge in feeds.iter().take(NAMED) {
        facts.push(fact(
            "gives",
            format!(
                "{} to {}.{} ({}){}",
                edge.from_port,
                id(edge.to),
                edge.to_port,
                state(edge.to),
                when(edge)
            ),
        ));
    }
    let more = fed.len().saturating_sub(NAMED) + feeds.len().saturating_sub(NAMED);
    if more > 0 {
        facts.push(fact("", format!("and {}", counted(more, "more edge"))));
    }
    if let Some(parent) = plan.parent {
        facts.push(fact("within", id(parent)));
    }
    facts.push(fact("trace", run.to_string()));
    facts
}

/// An event.
pub(super) fn line_facts(view: &View, line: &RunLine) -> Vec<Sentence> {
    let mut facts = vec![fact("at", at(view, line.at)), fact("kind", line.kind.name())];
    facts.extend(line.level.map(|level| fact("level", level.name())));
    facts.extend(line.node.as_deref().map(|node| fact("node", node)));
    facts.push(payload("message", &line.message));
    facts.extend(line.meta.as_deref().map(|meta| payload("meta", meta)));
    facts.push(fact("trace", line.run.to_string()));
    facts
}

/// An artifact.
pub(super) fn artifact_facts(view: &View, run: TraceId, row: &ArtifactRow) -> Vec<Sentence> {
    vec![
        fact("from", format!("{}.{}", row.node, row.port)),
        fact("type", format!("{}, schema {}", row.kind, row.schema_id)),
        fact("at", at(view, row.at_ms)),
        fact("bytes", format!("{} as MsgPack", format::bytes(row.bytes))),
        payload("value", row.value.as_str()),
        fact("trace", run.to_string()),
        Sentence::Run(format!("run artifacts {run}").into()),
    ]
}
