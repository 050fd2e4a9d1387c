//! Runs: those that ask first, the one that silence answers first before the others, then the others that are
//! open, then the newest.

use super::entries;
use std::{cmp::Reverse, collections::HashMap};

use super::plan::{bar_of, share_of};
use crate::{
    console::{
        draw::{Cell, class::Class, format, glyphs::Glyphs, theme::Role},
        input::pane_id::PaneId,
        model::Model,
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::{Collected, Rows},
            selection::RecordKey,
        },
        systems::runs::{details::RunDetails, keys::RUN},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Source, Title},
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    mplp::RatingVerdict,
    port::RunRow,
    runs::{NodeState, NodeView, RunState, RunView},
    time::{Now, Wall},
};

/// The words for how a run stands.
pub(crate) const STATES: &[&str] =
    &[RunRow::AWAITING, "running", "cancelling", "succeeded", "failed", "cancelled"];

/// Cells of the bar of a run's progress.
const BAR: usize = 8;

/// A run.
pub(crate) struct Run<'a> {
    pub(crate) view: &'a RunView,
    /// Questions of it that wait.
    pub(crate) asks: usize,
    /// When the first of them is rejected without an answer.
    pub(crate) expires_at: Option<Wall>,
    /// Whether an operator holds what it would begin.
    pub(crate) held: bool,
    /// How a person rated it, where this console was told.
    pub(crate) rating: Option<RatingVerdict>,
}

impl Run<'_> {
    /// How much of it is done, of 1: nodes that ended, and of the others what their agents say.
    fn share(&self) -> Option<f64> {
        let of = |node: &NodeView| {
            if node.state.is_end() {
                1.0
            } else {
                share_of(node).filter(|share| share.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0)
            }
        };
        (!self.view.nodes.is_empty())
            .then(|| self.view.nodes.iter().map(of).sum::<f64>() / f64::from(self.view.planned.max(1)))
    }

    /// How it stands in a word: what it waits for says more than that it goes on.
    fn status_text(&self) -> &'static str {
        if self.asks > 0 && self.view.state == RunState::Running {
            RunRow::AWAITING
        } else {
            self.view.state.name()
        }
    }

    fn remaining(&self, now: Now) -> Option<String> {
        Some(format!("auto-reject in {}", format::age(self.expires_at?.since(now.wall))))
    }
}

fields! {
    Run<'_> {
        "name", Text, Public, "opening name", Column::growing("name", 12, 3) => |it, _| Value::text(&*it.view.name);
        "state", State(STATES) reads (&[(RunRow::ASKS, RunRow::AWAITING)]), Public, "state", Column::fixed("state", 10).from(96) => |it, _| Value::text(it.status_text());
        "trace", Id, Public, "trace", Column::fixed("trace", 5)
            => |it, _| Value::text(it.view.run.0.hyphenated().to_string());
        "done", Number, Public, "nodes completed or skipped", Column::fixed("done", 9).right() => |it, _| it.view.done_nodes().map_or(Value::None, Value::count);
        "progress", Number, Public, "progress, 0 to 1: ended nodes, plus the progress that agents report" => |it, _| it.share().map_or(Value::None, Value::Number);
        "took", Duration, Public, "duration so far", Column::fixed("time", 7).right()
            => |it, now| {
                let took = it.view.duration(now).as_millis();
                Value::Duration(u64::try_from(took).unwrap_or(u64::MAX))
            };
        "tokens", Number, Public, "tokens used by its agents", Column::fixed("tokens", 6).right().from(90)
            => |it, _| Value::count(it.view.tokens);
        "by", Text, Public, "who submitted it", Column::growing("by", 8, 1).from(110) => |it, _| Value::text(&*it.view.by.client);
        "why", Text, Payload, "why it did not succeed; while open, its progress", Column::growing("why", 14, 6).from(56)
            => |it, _| Value::maybe(it.view.why.as_deref());
        "nodes", Number, Public, "nodes of its plan" => |it, _| Value::count(u64::from(it.view.planned));
        "events", Number, Public, "events" => |it, _| Value::count(it.view.events);
        "artifacts", Number, Public, "artifacts" => |it, _| Value::count(it.view.artifacts);
        "asks", Number, Public, "pending approvals" => |it, _| Value::count(it.asks as u64);
        "rating", State(&["approved", "rejected"]), Public, "last rating since this console came up" => |it, _| Value::maybe(it.rating.map(RatingVerdict::name));
        "kind", State(&["agent", "ui", "tui", "cue", "station"]), Public, "kind of the submitter"
            => |it, _| Value::text(it.view.by.kind.name());
        "at", Time, Public, "when it was submitted" => |it, _| Value::Time(it.view.submitted_at.wall);
        "ended", Time, Public, "when it ended" => |it, _| it.view.ended_at.map_or(Value::None, |at| Value::Time(at.wall));
        "age", Duration, Public, "time since it was submitted" => |it, now| Value::Duration(crate::console::records::ms(it.view.submitted_at, now));
    }
}

impl Run<'_> {
    /// How far an open run is.
    fn bar(&self, glyphs: &Glyphs) -> String {
        let share = self.share().filter(|_| !self.view.state.is_end());
        share.map_or_else(String::new, |share| bar_of(share, BAR, glyphs))
    }
}

/// A sign and a colour for how a run stands.
pub(crate) const fn run_sign(state: RunState, glyphs: &Glyphs) -> (&'static str, Role) {
    match state {
        RunState::Running => (glyphs.flying, Role::Runs),
        RunState::Cancelling => (glyphs.draining, Role::Warn),
        RunState::Succeeded => (glyphs.ok, Role::Ok),
        RunState::Failed => (glyphs.bad, Role::Bad),
        RunState::Cancelled => (glyphs.none, Role::Muted),
    }
}

impl PaneRecord for Run<'_> {
    fn key(&self) -> RecordKey {
        RUN.of(self.view.run)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        let (sign, role) = run_sign(self.view.state, glyphs);
        let text = if self.view.state.is_end() { Role::Muted } else { Role::Text };
        Some(match field {
            "name" if self.asks > 0 => {
                Cell::new(format!("{sign} {} {}", glyphs.warn, self.view.name), Role::Warn)
            }
            "name" => Cell::new(format!("{sign} {}", self.view.name), role),
            "state" => Cell::new(self.status_text(), if self.asks > 0 { Role::Warn } else { role }),
            "trace" => Cell::new(self.view.run.short(), Role::Muted),
            "done" => {
                let done =
                    self.view.done_nodes().map_or_else(|| "?".to_owned(), |done| format::count(done.into()));
                Cell::new(format!("{done}/{}", format::count(self.view.planned.into())), text)
            }
            "progress" => Cell::new(self.bar(glyphs), Role::Runs),
            "took" => Cell::new(format::age(self.view.duration(look.view.now)), text),
            "tokens" => Cell::new(format::count(self.view.tokens), text),
            "by" => Cell::new(self.view.by.client.to_string(), Role::Muted),
            "why" if self.asks > 0 => {
                let more = if self.asks > 1 {
                    format!(", the first of {} approvals", self.asks)
                } else {
                    ", awaiting approval".to_owned()
                };
                let failed =
                    self.view.failed_node().map_or_else(String::new, |node| format!("; {node} failed"));
                Cell::new(
                    format!("{}{more}{failed}", self.remaining(look.view.clock).unwrap_or_default()),
                    Role::Warn,
                )
            }
            "why" if self.held && self.view.nodes.iter().any(|node| node.state == NodeState::Ready) => {
                Cell::new(format!("{} held {}", glyphs.held, self.bar(glyphs)), Role::Warn)
            }
            "why" if !self.view.state.is_end() => Cell::new(self.bar(glyphs), Role::Runs),
            "why" => {
                Cell::of_class(self.view.why.as_deref().unwrap_or_default().to_owned(), role, Class::Payload)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(RunDetails::of(self.view.run)))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_run(self.view.run))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.view.run)
    }

    fn command(&self) -> Option<String> {
        Some(format!("run show {} --json", self.view.run))
    }
}

/// The runs that are shown.
fn rows(model: &Model) -> Rows<'_> {
    let Some(runs) = model.runs() else { return Rows::none() };
    // How many questions a run has, and when the first of them becomes a no.
    let mut asked: HashMap<TraceId, (usize, Wall)> = HashMap::new();
    for ask in &runs.asks {
        let (count, expires_at) = asked.entry(ask.run).or_insert((0, ask.expires_at));
        (*count, *expires_at) = (*count + 1, ask.expires_at.min(*expires_at));
    }
    let made = runs.runs.iter().enumerate().map(|(place, view)| {
        let (asks, expires_at) =
            asked.get(&view.run).map_or((0, None), |(count, expires_at)| (*count, Some(*expires_at)));
        let rating = model.mplp.rating(view.run).map(|rating| rating.verdict);
        (place, Run { view, asks, expires_at, held: runs.held, rating })
    });
    let mut all: Vec<_> = made.collect();
    all.sort_by_key(|(place, run)| (run.view.state.is_end(), run.asks == 0, run.expires_at, Reverse(*place)));
    let runs = all.into_iter().map(|(_, run)| run);
    runs.collect::<Collected<_>>().pinning(|run| !run.view.state.is_end()).into()
}

/// Runs of openings: those that are open first, then the newest.
pub(crate) static PANE: Pane = Pane {
    specs: Run::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| rows(model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| match cx.model.runs().map_or(0, |runs| runs.open().count()) {
        0 => PaneId::Runs.name().to_owned(),
        open => format!("{} {open} open", PaneId::Runs.name()),
    }),
    empty: Empty::Text("no runs yet"),
    drawing: Drawing::Table,
    chip: None,
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.runs.shown_max", ui.limits.runs.shown_max);
        Some(Account::whole("open and recently ended runs", all, bound))
    },
};
