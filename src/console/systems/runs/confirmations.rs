//! The questions before a run is cancelled, and before one of its own is answered.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    console::{
        draw::{class::Class, format, text, theme::Role},
        model::Model,
        overlays::{Answer, Answers, Confirm, detail::join_some},
        records::ManualPlace,
        settings::view::View,
        ui::{
            effect::{Effect, OutcomeText},
            state::Ui,
        },
    },
    ids::{ActionId, TraceId},
    port::{Command, Outcome},
    runs::{self, AskView, NodeState, RunState, RunView, openings::ASKS},
    words::counted,
};

/// Nodes that are named one by one.
const LISTED_MAX: usize = 6;
/// Lines of what a node would be given, beside which the rest of a question finds room on the smallest
/// screen.
const INPUT_LINES_MAX: usize = 5;
/// Columns of one of them.
const INPUT_COLUMNS_MAX: usize = 100;

/// End this run before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CancelRun {
    pub(crate) run: TraceId,
    pub(crate) name: String,
}

impl Confirm for CancelRun {
    fn title(&self) -> String {
        format!("Cancel {}?", self.name)
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        describe_cancel(model, self.run, &self.name)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("openings", ["Look at runs and control them", "rl-console run cancel"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("cancel run")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let Self { run, name } = self;
        match model
            .runs()
            .and_then(|runs| runs.run(*run))
            .map(|view| view.state)
            .filter(|state| !state.is_end())
        {
            None => Err(format!("not cancelled: {name} has already ended")),
            Some(RunState::Cancelling) => Err(format!("not cancelled: {name} is already being cancelled")),
            Some(_) => {
                let command = Command::Runs(runs::Command::Cancel { run: *run });
                Ok(vec![Effect::command(command, self.clone())])
            }
        }
    }
}

impl OutcomeText for CancelRun {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Runs(runs::Outcome::Cancelled { nodes }) = outcome else { return None };
        Some((format!("{} cancelled: {} not finished", self.name, counted(*nodes, "node")), false))
    }
}

/// Answer this question of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decide {
    pub(crate) action: ActionId,
    pub(crate) node: Arc<str>,
    pub(crate) approved: bool,
}

impl Confirm for Decide {
    fn title(&self) -> String {
        let verb = if self.approved { "Approve" } else { "Reject" };
        format!("{verb} {}?", self.node)
    }

    fn describe(&self, _refund: bool, model: &Model, view: &View) -> Vec<(String, Role)> {
        describe_decide(view, model, self.action, self.approved)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("openings", ["Approvals"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo(if self.approved { "approve" } else { "reject" })
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let (action, approved) = (self.action, self.approved);
        if pending_approval(model, action).is_none() {
            return Err("not answered: no longer pending".to_owned());
        }
        let command = Command::Runs(runs::Command::Decide { action, approved, note: None });
        let held = model.runs().is_some_and(|runs| runs.held);
        Ok(vec![Effect::command(command, Decided { approved, held })])
    }
}

/// An answer to a question of a run, while an operator's brake holds what it would begin or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(crate) approved: bool,
    pub(crate) held: bool,
}

impl OutcomeText for Decided {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Runs(runs::Outcome::Decided) = outcome else { return None };
        let text = match (self.approved, self.held) {
            (true, true) => "approved: the node starts once runs are resumed",
            (true, false) => "approved: the node starts",
            (false, _) => "rejected: the node fails",
        };
        Some((text.to_owned(), false))
    }
}

/// What hangs on a run.
fn describe_cancel(model: &Model, run: TraceId, name: &str) -> Vec<(String, Role)> {
    let Some(it) = model.runs().and_then(|runs| runs.run(run)).filter(|it| !it.state.is_end()) else {
        return vec![(format!("{name} has already ended: there is nothing to cancel."), Role::Warn)];
    };
    let short = run.short();
    let mut words = vec![(format!("{name} {short} stops now; its goals are not met."), Role::Text)];
    let ids = |wanted: fn(NodeState) -> bool| -> Vec<&str> {
        let all = it.plan.nodes.iter().zip(&it.nodes);
        all.filter(|(_, node)| wanted(node.state)).map(|(plan, _)| &*plan.id).collect()
    };
    let working = ids(|state| matches!(state, NodeState::Running));
    let waiting = ids(|state| !state.is_end() && state != NodeState::Running);
    let done = ids(|state| state == NodeState::Completed).len();
    if !working.is_empty() {
        let count = working.len();
        words.push((
            format!(
                "{} will be cancelled; late answers are ignored: {}.",
                counted(count, "running node"),
                join_some(working, LISTED_MAX)
            ),
            Role::Warn,
        ));
    }
    if !waiting.is_empty() {
        words.push((
            format!("{} will not start: {}.", waiting.len(), join_some(&waiting, LISTED_MAX)),
            Role::Warn,
        ));
    }
    let asks = model.runs().map_or(0, |runs| runs.asks.iter().filter(|ask| ask.run == run).count());
    if asks > 0 {
        words.push((format!("Withdrawn with it: {}.", counted(asks, "pending approval")), Role::Warn));
    }
    let given =
        model.mpp().map_or(0, |mpp| mpp.live.values().filter(|live| live.trace == Some(run)).count() as u64);
    if given > 0 {
        words.push((
            format!("{} of it stay in flight until the adapter answers.", format::many(given, "invocation")),
            Role::Warn,
        ));
    }
    if done > 0 {
        let artifacts = format::many(it.artifacts, "artifact");
        words.push((format!("{done} completed nodes and {artifacts} are kept."), Role::Muted));
    }
    words
}

/// What the node of a question would be given.
pub(crate) struct InputLine {
    /// `with`, or `input` for what feeds one of its ports.
    pub(crate) source: &'static str,
    /// In words, without what of it it is.
    pub(crate) text: String,
}

impl InputLine {
    /// All of it, line by line.
    pub(crate) fn of(ask: &AskView) -> Vec<Self> {
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut all = Vec::new();
        let takes = serde_json::from_str::<Value>(&ask.takes).unwrap_or_default();
        let of = |key: &str| takes.get(key).and_then(Value::as_object).into_iter().flatten();
        all.extend(
            of("with")
                .filter(|(key, _)| *key != ASKS)
                .map(|(key, value)| Self { source: "with", text: format!("{key}: {}", plain(value)) }),
        );
        all.extend(of("inputs").map(|(port, values)| {
            let values = values
                .as_array()
                .map_or_else(|| plain(values), |all| all.iter().map(plain).collect::<Vec<_>>().join(", "));
            Self { source: "input", text: format!("{port}: {values}") }
        }));
        all
    }
}

/// What would be done and what is asked, in one line: what tells questions of the same node apart comes
/// first.
pub(crate) fn ask_line(ask: &AskView) -> String {
    let takes = InputLine::of(ask);
    let parts: Vec<&str> =
        takes.iter().map(|takes| &*takes.text).chain(std::iter::once(&*ask.summary)).collect();
    parts.join("  ")
}

/// The question of this name, while it waits.
pub(crate) fn pending_approval(model: &Model, action: ActionId) -> Option<&AskView> {
    model.runs()?.asks.iter().find(|ask| ask.action == action)
}

/// Nodes that can have nothing to work on without this one.
fn downstream_nodes(run: &RunView, place: u32) -> usize {
    let mut reached = vec![false; run.plan.nodes.len()];
    let mut next = vec![place];
    while let Some(place) = next.pop() {
        for edge in run.plan.edges.iter().filter(|edge| edge.from == place) {
            if let Some(seen) = reached.get_mut(edge.to as usize).filter(|seen| !**seen) {
                *seen = true;
                next.push(edge.to);
            }
        }
    }
    reached.into_iter().filter(|is_behind| *is_behind).count()
}

/// The question, and what a yes or a no does.
fn describe_decide(view: &View, model: &Model, action: ActionId, approved: bool) -> Vec<(String, Role)> {
    let Some(ask) = pending_approval(model, action) else {
        return vec![(
            "It is no longer pending: it was decided, it expired, or its run ended.".to_owned(),
            Role::Warn,
        )];
    };
    let run = model.runs().and_then(|runs| runs.run(ask.run));
    let name = run.map_or_else(|| ask.run.short(), |run| format!("{} {}", run.name, ask.run.short()));
    let summary = if view.mask_policy.masks(Class::Payload) {
        view.glyphs.masked.to_owned()
    } else {
        ask.summary.to_string()
    };
    let mut words = vec![
        (format!("Run {name} needs approval for node {}:", ask.node.id), Role::Muted),
        (summary, Role::Accent),
    ];
    if !view.mask_policy.masks(Class::Payload) {
        let takes = InputLine::of(ask);
        words.extend(takes.iter().take(INPUT_LINES_MAX).map(|InputLine { source: of, text: words }| {
            (format!("{of} {}", text::truncate(words, INPUT_COLUMNS_MAX, view.glyphs.ellipsis)), Role::Text)
        }));
        if takes.len() > INPUT_LINES_MAX {
            words.push((format!("and {} more", takes.len() - INPUT_LINES_MAX), Role::Muted));
        }
    }
    if approved && model.runs().is_some_and(|runs| runs.held) {
        words.push((
            format!("Runs are held: on approval, {} starts once they are resumed.", ask.node.id),
            Role::Warn,
        ));
    } else if approved {
        words.push((format!("On approval, {} starts immediately.", ask.node.id), Role::Text));
    }
    if approved && let Some(failed) = run.and_then(RunView::failed_node) {
        let words_of = format!(
            "{failed} has failed: the run can succeed only if the opening's `success` does not need it."
        );
        words.push((words_of, Role::Warn));
    }
    if !approved {
        words.push((format!("On rejection, {} fails and is not retried.", ask.node.id), Role::Text));
        let behind = run.map_or(0, |run| downstream_nodes(run, ask.node.index));
        if behind > 0 {
            words.push((format!("{} may be blocked.", counted(behind, "downstream node")), Role::Warn));
        }
    }
    let left = ask.expires_at.since(view.clock.wall);
    words.push((format!("Auto-rejects in {}.", format::age(left)), Role::Muted));
    words
}
