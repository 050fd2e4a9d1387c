//! Details of runs in words: a run, a node, an event, an artifact.

use super::entries;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::confirmations::InputLine;
use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{
            EntryBuffer, Model, ReportLine,
            runs::{RunLine, node_status},
        },
        overlays::detail::{at, detail, payload},
        records::{
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{DetailsRecord, PaneRecord},
            system_state::SystemState,
        },
        settings::view::View,
        systems::runs::keys::{NODE, RUN, RUN_EVENT, STORED_RUN},
    },
    ids::TraceId,
    port::{ArtifactRow, RunRow},
    runs::{AskView, NodeState, NodeView, PlanEdge, RunState, RunView},
    store::mplp::Rating,
    time::Now,
    words::counted,
};

/// Nodes and edges that are named one by one.
const LISTED_MAX: usize = 12;

/// A run: as it is shown, or as the store has it where its plan is shown no more.
#[derive(Debug)]
pub(crate) struct RunDetails {
    run: TraceId,
    stored: Option<Arc<RunView>>,
    /// How it was rated when the store was asked.
    rating: Option<Rating>,
}

impl RunDetails {
    /// A run, before the store was asked.
    pub(crate) const fn of(run: TraceId) -> Self {
        Self { run, stored: None, rating: None }
    }

    /// How it is rated: as this console was told, or else as the store has it.
    fn rating_line(&self, model: &Model) -> Option<ReportLine> {
        let (verdict, by, note) = match (model.mplp.rating(self.run), &self.rating) {
            (Some(told), _) => (told.verdict, &*told.by, &*told.note),
            (None, Some(it)) => (it.verdict, &*it.by, it.note.as_deref().unwrap_or_default()),
            (None, None) => return None,
        };
        let rated = format!("{} ({by})", verdict.name());
        Some(if note.is_empty() {
            detail("rating", rated)
        } else {
            payload("rating", &format!("{rated}: {note}"))
        })
    }

    fn view<'a>(&'a self, model: &'a Model) -> Option<&'a RunView> {
        let shown = model.runs().and_then(|runs| runs.run(self.run));
        shown.filter(|view| !view.nodes.is_empty()).or(self.stored.as_deref()).or(shown)
    }
}

impl DetailsRecord for RunDetails {
    fn key(&self) -> RecordKey {
        RUN.of(self.run)
    }

    fn title(&self, model: &Model) -> String {
        run_title(self.view(model), self.run)
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        let mut lines = run_details(view, model, self.run, self.view(model));
        let at = lines.len().min(1);
        lines.splice(at..at, self.rating_line(model));
        lines
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_run(self.run))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run)
    }

    fn follow(&mut self, _kept: &EntryBuffer, systems: &SystemState) {
        self.stored = systems.runs.pages.view(self.run).cloned().or(self.stored.take());
        self.rating = systems.runs.pages.rating(self.run).cloned().or(self.rating.take());
    }
}

/// A node of a run, by its place in the plan.
#[derive(Debug)]
pub(crate) struct NodeDetails {
    run: RunDetails,
    index: u32,
}

impl NodeDetails {
    /// A node, before the store was asked for its run.
    pub(crate) const fn of(run: TraceId, index: u32) -> Self {
        Self { run: RunDetails::of(run), index }
    }
}

impl DetailsRecord for NodeDetails {
    fn key(&self) -> RecordKey {
        NODE.of((self.run.run, self.index))
    }

    fn title(&self, model: &Model) -> String {
        node_title(self.run.view(model), self.run.run, self.index)
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        node_details(view, model, (self.run.run, self.index), self.run.view(model))
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_node(self.run.run, self.index))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run.run)
    }

    fn follow(&mut self, kept: &EntryBuffer, systems: &SystemState) {
        self.run.follow(kept, systems);
    }
}

impl DetailsRecord for RunRow {
    fn key(&self) -> RecordKey {
        STORED_RUN.of((self.number, self.run))
    }

    fn title(&self, _model: &Model) -> String {
        format!("Run {} {}", self.name, self.run.short())
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        stored_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_run(self.run))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run)
    }
}

impl DetailsRecord for RunLine {
    fn key(&self) -> RecordKey {
        RUN_EVENT.of((self.run, self.number))
    }

    fn title(&self, _model: &Model) -> String {
        format!("Event {} of {}", self.number, self.run.short())
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        event_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_event(self.run, self.number))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run)
    }
}

/// The title of a run's details.
fn run_title(it: Option<&RunView>, run: TraceId) -> String {
    format!("Run {} {}", it.map_or("", |view| &*view.name), run.short())
}

/// The title of a node's details.
fn node_title(it: Option<&RunView>, run: TraceId, place: u32) -> String {
    let node = it.and_then(|it| it.plan.nodes.get(place as usize)).map_or("", |node| &*node.id);
    format!("Node {node} of {} {}", it.map_or("", |it| &*it.name), run.short())
}

fn approvals(model: &Model, run: TraceId) -> impl Iterator<Item = &AskView> {
    model.runs().into_iter().flat_map(|runs| &runs.asks).filter(move |ask| ask.run == run)
}

/// How a run stands, what is the matter with it, and where its nodes are.
fn run_details(view: &View, model: &Model, run: TraceId, it: Option<&RunView>) -> Vec<ReportLine> {
    let Some(it) = it else {
        return vec![
            detail("", "no longer listed here; the store has it:"),
            ReportLine::Command(format!("run show {run}").into()),
        ];
    };
    let asks = it.state == RunState::Running && approvals(model, run).next().is_some();
    let mut facts = vec![detail("state", if asks { RunRow::AWAITING } else { it.state.name() })];
    facts.extend(it.why.as_deref().map(|why| payload("why", why)));
    for (at, ask) in approvals(model, run).enumerate() {
        facts.extend(approval_details(view, ask, at == 0));
    }
    let took = it.duration(view.now);
    let ended =
        it.ended_at.map_or_else(|| "so far".to_owned(), |ended| format!("until {}", view.time_of_day(ended)));
    facts.push(detail(
        "since",
        format!("{}, {} {ended}", view.time_of_day(it.submitted_at), format::age(took)),
    ));
    facts.push(detail("by", format!("{} ({})", it.by.client, it.by.kind.name())));
    facts.push(detail("nodes", count_nodes(it)));
    let counts = [("tokens", it.tokens), ("events", it.events), ("artifacts", it.artifacts)];
    facts.push(detail(
        "so far",
        counts.map(|(what, count)| format!("{} {what}", format::count(count))).join(", "),
    ));
    let is_bad = |state| matches!(state, NodeState::Failed | NodeState::Blocked | NodeState::Retrying);
    let all = it.plan.nodes.iter().zip(&it.nodes);
    let mut bad = all.filter(|(_, node)| is_bad(node.state));
    for (plan, node) in bad.by_ref().take(LISTED_MAX) {
        let why = node.why.as_deref().unwrap_or_default();
        facts
            .push(payload(node_status(node.state), &format!("{}, attempt {}: {why}", plan.id, node.attempt)));
    }
    let more = bad.count();
    if more > 0 {
        facts
            .push(detail("", format!("and {} that did not succeed", format::many(more as u64, "more node"))));
    }
    facts.push(detail("trace", run.to_string()));
    facts.push(ReportLine::Command(format!("run events {run}").into()));
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
    let each: Vec<String> =
        counts.iter().map(|(state, count)| format!("{count} {}", node_status(*state))).collect();
    format!("{}: {}", format::count(run.planned.into()), each.join(", "))
}

/// A question that waits, and what is done about it: here, where it is the one that the keys answer.
fn approval_details(view: &View, ask: &AskView, is_at_hand: bool) -> Vec<ReportLine> {
    let left = format::age(ask.expires_at.since(view.clock.wall));
    let mut facts = vec![
        ReportLine::Reason(format!("node {} needs approval", ask.node.id)),
        payload("question", &ask.summary),
    ];
    facts.extend(InputLine::of(ask).iter().map(|InputLine { source: of, text: words }| payload(of, words)));
    facts.push(detail(
        "answer by",
        format!("{}: auto-rejects in {left}", format::time_of_day(ask.expires_at, &view.zone)),
    ));
    if is_at_hand {
        facts.push(ReportLine::KeyHint(Action::Approve, "approves it".into()));
        facts.push(ReportLine::KeyHint(Action::Reject, "rejects it".into()));
    } else {
        facts.push(ReportLine::KeyHint(
            Action::Alerts,
            "lists it at the top: approve or reject it there".into(),
        ));
    }
    facts
}

/// A run as the store has it.
fn stored_details(view: &View, row: &RunRow) -> Vec<ReportLine> {
    let mut facts = vec![detail("state", row.state.name())];
    facts.extend(row.why.as_deref().map(|why| payload("why", why)));
    facts.push(detail("submitted", at(view, row.submitted_at_ms)));
    facts.extend(row.ended_at_ms.map(|ended| {
        detail(
            "ended",
            format!("{}, after {}", at(view, ended), format::age(ended.since(row.submitted_at_ms))),
        )
    }));
    facts.push(detail("by", format!("{} ({})", row.client, row.by.name())));
    facts.push(detail(
        "nodes",
        format!("{} of {} completed or were skipped", format::count(row.done), format::count(row.nodes)),
    ));
    let counts = [("tokens", row.tokens), ("events", row.events), ("artifacts", row.artifacts)];
    facts.push(detail(
        "results",
        counts.map(|(what, count)| format!("{} {what}", format::count(count))).join(", "),
    ));
    facts.push(detail("opening", row.opening.to_string()));
    facts.push(detail("trace", row.run.to_string()));
    facts.push(ReportLine::Command(format!("run show {}", row.run).into()));
    facts
}

/// How a node stands, what feeds it, and what it feeds.
fn node_details(
    view: &View,
    model: &Model,
    (run, place): (TraceId, u32),
    it: Option<&RunView>,
) -> Vec<ReportLine> {
    let found =
        it.and_then(|it| Some((it, it.plan.nodes.get(place as usize)?, it.nodes.get(place as usize)?)));
    let Some((it, plan, node)) = found else {
        return vec![
            detail("", "its plan is no longer listed here; the store has it:"),
            ReportLine::Command(format!("run show {run}").into()),
        ];
    };
    let mut facts = vec![detail("state", node_status(node.state))];
    if let Some(why) = &node.why {
        let is_bad = matches!(node.state, NodeState::Failed | NodeState::Blocked | NodeState::Retrying);
        facts.push(payload(if is_bad { "why" } else { "says" }, why));
    }
    for ask in approvals(model, run).filter(|ask| ask.node.index == place) {
        facts.extend(approval_details(view, ask, true));
    }
    facts.push(detail("use", plan.uses.to_string()));
    facts.push(detail("attempts", node.attempt.to_string()));
    facts.push(detail("since", view.time_of_day(node.since)));
    facts.extend(node_time(node, view.now).map(|took| detail("took", format::age(took))));
    if let Some(progress) = node.progress {
        let words = match (progress.done, progress.total) {
            (Some(done), Some(total)) => format!("{done} of {total}"),
            (Some(done), None) => done.to_string(),
            (None, _) => "reported without a figure".to_owned(),
        };
        facts.push(detail("progress", words));
    }
    facts.extend(edge_details(it, place));
    if let Some(parent) = plan.parent {
        let parent = it.plan.nodes.get(parent as usize).map_or_else(String::new, |node| node.id.to_string());
        facts.push(detail("within", parent));
    }
    facts.push(detail("trace", run.to_string()));
    facts
}

/// What feeds a node, and what it feeds.
fn edge_details(it: &RunView, place: u32) -> Vec<ReportLine> {
    let mut facts = Vec::new();
    let id =
        |place: u32| it.plan.nodes.get(place as usize).map_or_else(String::new, |node| node.id.to_string());
    let when =
        |edge: &PlanEdge| edge.when.as_ref().map_or_else(String::new, |when| format!(", when it is {when}"));
    let state = |place: u32| it.nodes.get(place as usize).map_or("", |node| node_status(node.state));
    let fed: Vec<_> = it.plan.edges.iter().filter(|edge| edge.to == place).collect();
    for edge in fed.iter().take(LISTED_MAX) {
        facts.push(detail(
            "input",
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
    for edge in feeds.iter().take(LISTED_MAX) {
        facts.push(detail(
            "output",
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
    let more = fed.len().saturating_sub(LISTED_MAX) + feeds.len().saturating_sub(LISTED_MAX);
    if more > 0 {
        facts.push(detail("", format!("and {}", counted(more, "more edge"))));
    }
    facts
}

/// An event.
fn event_details(view: &View, line: &RunLine) -> Vec<ReportLine> {
    let mut facts = vec![detail("at", at(view, line.at)), detail("kind", line.kind.name())];
    facts.extend(line.level.map(|level| detail("level", level.name())));
    facts.extend(line.node.as_deref().map(|node| detail("node", node)));
    facts.push(payload("message", &line.message));
    facts.extend(line.meta.as_deref().map(|meta| payload("meta", meta)));
    facts.push(detail("trace", line.run.to_string()));
    facts
}

/// An artifact.
pub(super) fn artifact_details(view: &View, run: TraceId, row: &ArtifactRow) -> Vec<ReportLine> {
    vec![
        detail("from", format!("{}.{}", row.node, row.port)),
        detail("type", format!("{}, schema {}", row.kind, row.schema_id)),
        detail("at", at(view, row.at_ms)),
        detail("bytes", format!("{} as MsgPack", format::bytes(row.bytes))),
        payload("value", row.value.as_str()),
        detail("trace", run.to_string()),
        ReportLine::Command(format!("run artifacts {run}").into()),
    ]
}

/// How long a node has worked, or did: from its first attempt on.
pub(crate) fn node_time(node: &NodeView, now: Now) -> Option<Duration> {
    let end = if node.state.is_end() { node.since } else { now };
    node.ran_at.map(|ran_at| end.mono.since(ran_at.mono))
}
