//! The plan of a run: its nodes layer by layer, the ways between them, and how each stands.

use super::entries;
use std::{sync::Arc, time::Duration};

use super::pages::{empty_run_text, run_chip, run_title, take_pages};
use crate::{
    console::{
        draw::{Cell, class::Class, dag_layout::DagLayout, format, glyphs::Glyphs, theme::Role},
        input::pane_id::PaneId,
        model::{
            Model,
            runs::{AWAITING, node_status},
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::{Collected, Rows},
            selection::RecordKey,
        },
        systems::runs::{
            details::{NodeDetails, node_time},
            keys::NODE,
        },
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    runs::{NodeState, NodeView, PlanNode, Progress, RunView},
    time::{Now, Wall},
};

/// The states of a node.
const STATES: &[&str] = &[
    "waiting",
    "ready",
    AWAITING,
    "running",
    "retrying",
    "completed",
    "failed",
    "skipped",
    "blocked",
    "cancelled",
];
/// Cells of the bar of an agent's progress.
const BAR: usize = 8;

/// A node of a run.
pub(crate) struct PlannedNode<'a> {
    run: &'a RunView,
    index: usize,
    plan: &'a PlanNode,
    node: &'a NodeView,
    dag_layout: Arc<DagLayout>,
    /// When its approval is rejected without an answer, where it needs one.
    expires_at: Option<Wall>,
    /// Its line in the picture.
    line: usize,
    /// Whether the lines stand as in the picture, so that the ways between them can be drawn.
    is_drawn: bool,
}

/// How far something is, of one, in so many cells.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "it lies between 0 and the bar's cells"
)]
pub(crate) fn bar_of(share: f64, cells: usize, glyphs: &Glyphs) -> String {
    let share = share.clamp(0.0, 1.0);
    let full = (share * cells as f64).round() as usize;
    format!("{}{} {:.0}%", glyphs.bar[0].repeat(full), glyphs.bar[1].repeat(cells - full), share * 100.0)
}

/// How far an agent is, of one.
fn bar(progress: Progress, glyphs: &Glyphs) -> String {
    match (progress.done, progress.total) {
        (Some(done), Some(total)) if total > 0.0 && done.is_finite() => bar_of(done / total, BAR, glyphs),
        (Some(done), _) => format!("{done:.0}"),
        _ => String::new(),
    }
}

/// How far an agent is, of 1, where it says of how much.
pub(crate) fn share_of(node: &NodeView) -> Option<f64> {
    let progress = node.progress?;
    Some(progress.done? / progress.total.filter(|total| *total > 0.0)?)
}

impl PlannedNode<'_> {
    /// How long a person has to answer yet, where one is asked.
    fn remaining(&self, now: Now) -> Option<Duration> {
        Some(self.expires_at?.since(now.wall))
    }

    /// Its place in the plan.
    fn place(&self) -> u32 {
        u32::try_from(self.index).unwrap_or(u32::MAX)
    }

    /// How much it is what one looks for, the least first; nothing for one that waits or ended well.
    pub(crate) fn rank(&self) -> Option<u8> {
        match self.node.state {
            NodeState::Asking => Some(0),
            NodeState::Running
                if !self.run.plan.nodes.iter().any(|node| node.parent == u32::try_from(self.index).ok()) =>
            {
                Some(1)
            }
            NodeState::Retrying => Some(2),
            NodeState::Failed => Some(3),
            _ => None,
        }
    }

    /// How far its agent is.
    fn bar(&self, glyphs: &Glyphs) -> String {
        self.node.progress.map_or_else(String::new, |progress| bar(progress, glyphs))
    }

    fn label(&self) -> &str {
        self.plan.id.rsplit('/').next().unwrap_or(&self.plan.id)
    }
}

fields! {
    PlannedNode<'_> {
        "node", Text, Public, "id", Column::growing("node", 20, 3) => |it, _| Value::text(&*it.plan.id);
        "state", State(STATES) reads (&[("asking", AWAITING)]), Public, "state", Column::fixed("state", 9) => |it, _| Value::text(node_status(it.node.state));
        "try", Number, Public, "attempts started", Column::fixed("try", 3).right() => |it, _| Value::count(u64::from(it.node.attempt));
        "took", Duration, Public, "duration since its first attempt", Column::fixed("time", 6).right()
            => |it, now| node_time(it.node, now)
                .map_or(Value::None, |took| {
                    Value::Duration(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
                });
        "progress", Number, Public, "progress reported by its agent, 0 to 1" => |it, _| share_of(it.node).map_or(Value::None, Value::Number);
        "use", Text, Public, "agent, event or mode that runs it", Column::growing("use", 10, 1).from(96) => |it, _| Value::text(&*it.plan.uses);
        "why", Text, Payload, "reason or detail, and its agent's progress", Column::growing("why", 14, 6).from(56)
            => |it, _| Value::maybe(it.node.why.as_deref());
        "layer", Number, Public, "length of the longest path to it"
            => |it, _| Value::count(it.dag_layout.lines.get(it.line).map_or(0, |line| line.layer) as u64);
        "since", Time, Public, "start of that state" => |it, _| Value::Time(it.node.since.wall);
    }
}

/// A sign and a colour for how a node stands.
pub(crate) const fn node_sign(state: NodeState, glyphs: &Glyphs) -> (&'static str, Role) {
    match state {
        NodeState::Waiting => (glyphs.down, Role::Muted),
        NodeState::Ready => (glyphs.parked, Role::Text),
        NodeState::Asking => (glyphs.warn, Role::Warn),
        NodeState::Running => (glyphs.flying, Role::Runs),
        NodeState::Retrying => (glyphs.refunded, Role::Warn),
        NodeState::Completed => (glyphs.ok, Role::Ok),
        NodeState::Failed => (glyphs.bad, Role::Bad),
        NodeState::Skipped | NodeState::Cancelled => (glyphs.none, Role::Muted),
        NodeState::Blocked => (glyphs.held, Role::Warn),
    }
}

impl PaneRecord for PlannedNode<'_> {
    fn key(&self) -> RecordKey {
        NODE.of((self.run.run, self.place()))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        let (sign, role) = node_sign(self.node.state, glyphs);
        Some(match field {
            "node" => match self.dag_layout.lines.get(self.line).filter(|_| self.is_drawn) {
                Some(line) => {
                    let gutter = line.gutter(glyphs, usize::from(look.width / 12).clamp(4, 16));
                    let gap = if gutter.is_empty() { "" } else { " " };
                    Cell::new(format!("{gutter}{gap}{sign} {}", self.label()), role)
                }
                None => Cell::new(format!("{sign} {}", self.plan.id), role),
            },
            "state" => Cell::new(node_status(self.node.state), role),
            "try" if self.node.attempt == 0 => Cell::new("", Role::Muted),
            "try" => Cell::new(
                self.node.attempt.to_string(),
                if self.node.attempt > 1 { Role::Warn } else { Role::Text },
            ),
            "took" if self.expires_at.is_some() => Cell::new(
                self.remaining(look.view.clock)
                    .map_or_else(String::new, |left| format!("-{}", format::age(left))),
                Role::Warn,
            ),
            "took" => Cell::new(
                node_time(self.node, look.view.now).map_or_else(String::new, format::age),
                Role::Text,
            ),
            "progress" if self.expires_at.is_some() => {
                let left = self.remaining(look.view.clock).unwrap_or_default();
                Cell::new(format!("{} left", format::age(left)), Role::Warn)
            }
            "progress" => Cell::new(self.bar(glyphs), Role::Runs),
            "use" => Cell::new(self.plan.uses.to_string(), Role::Muted),
            "why" if self.expires_at.is_some() => {
                let left = self.remaining(look.view.clock).unwrap_or_default();
                Cell::new(format!("awaiting approval, auto-reject in {}", format::age(left)), Role::Warn)
            }
            // What its agent says to it can quote viewers; how far it is does not.
            "why" if self.node.progress.is_some() && !self.node.state.is_end() => {
                match self.node.why.as_deref() {
                    Some(says) if !look.view.mask_policy.masks(Class::Payload) => {
                        Cell::of_class(format!("{} {says}", self.bar(glyphs)), role, Class::Payload)
                    }
                    _ => Cell::new(self.bar(glyphs), role),
                }
            }
            "why" => {
                Cell::of_class(self.node.why.as_deref().unwrap_or_default().to_owned(), role, Class::Payload)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(NodeDetails::of(self.run.run, self.place())))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_node(self.run.run, self.place()))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run.run)
    }

    fn command(&self) -> Option<String> {
        Some(format!("run show {} --json", self.run.run))
    }
}

/// The nodes of the run that is shown.
fn rows<'a>(model: &'a Model, ui: &'a Ui) -> Rows<'a> {
    let run = ui.detail_run(model).and_then(|run| ui.systems.runs.view_of(model, run));
    let Some(run) = run else { return Rows::none() };
    let picture = ui.systems.runs.dag_layout_of(run);
    let is_drawn = !ui.table_settings(PaneId::Plan).arranges();
    let asks: Vec<_> =
        model.runs().into_iter().flat_map(|runs| &runs.asks).filter(|ask| ask.run == run.run).collect();
    let row = |(line, place): (usize, usize)| {
        let (plan, node) = (run.plan.nodes.get(place)?, run.nodes.get(place)?);
        let asked = asks.iter().find(|ask| ask.node.index as usize == place);
        let expires_at = asked.filter(|_| node.state == NodeState::Asking).map(|ask| ask.expires_at);
        Some(PlannedNode {
            run,
            index: place,
            plan,
            node,
            dag_layout: Arc::clone(&picture),
            expires_at,
            line,
            is_drawn,
        })
    };
    let nodes = picture.lines.iter().map(|line| line.index).enumerate().filter_map(row);
    nodes.collect::<Collected<_>>().led_by(PlannedNode::rank).into()
}

/// The plan of a run, with the state of its nodes.
pub(crate) static PANE: Pane = Pane {
    specs: PlannedNode::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(model, ui),
    pages: Pages::Parts(take_pages),
    filter: None,
    title: Title::With(
        |cx| {
            let run = cx.model.runs().and_then(|_| cx.ui.detail_run(cx.model));
            let view = run.and_then(|run| cx.ui.systems.runs.view_of(cx.model, run));
            let title = run_title(PaneId::Plan, cx);
            match view.map_or(0, |view| cx.ui.systems.runs.dag_layout_of(view).hidden) {
                0 => title,
                hidden => format!("{title}, {} edges not drawn", format::count(hidden as u64)),
            }
        },
        |cx| {
            let run = cx.ui.detail_run(cx.model).and_then(|run| cx.ui.systems.runs.view_of(cx.model, run))?;
            run.why.as_deref().map(|why| (why.to_owned(), Role::Bad))
        },
    ),
    empty: Empty::Of(|cx| {
        empty_run_text(PaneId::Plan, cx, |run| match cx.ui.systems.runs.view_of(cx.model, run) {
            Some(view) if view.planned == 0 => "no nodes",
            _ if cx.ui.systems.runs.pages.is_unknown(run) => "no longer stored",
            _ => "loading",
        })
    }),
    drawing: Drawing::Table,
    chip: Some(|cx, _| run_chip("plan", cx, |view| u64::from(view.planned))),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.runs.nodes_max", ui.limits.runs.nodes_max);
        Some(Account::whole("nodes of the selected run", all, bound))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::draw::glyphs;

    #[test]
    fn a_bar_stays_within_its_cells_whatever_an_agent_says() {
        let drawn = |done, total| bar(Progress { done, total }, &glyphs::ASCII);
        assert_eq!(drawn(Some(2.0), Some(4.0)), "####.... 50%");
        assert_eq!(drawn(Some(9.0), Some(4.0)), "######## 100%");
        assert_eq!(drawn(Some(-9.0), Some(4.0)), "........ 0%");
        assert_eq!(drawn(Some(3.0), None), "3");
        assert_eq!(drawn(Some(3.0), Some(0.0)), "3");
        assert_eq!(drawn(Some(f64::NAN), Some(4.0)), "NaN");
        assert_eq!(drawn(None, Some(4.0)), "");
    }
}
