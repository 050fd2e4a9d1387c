//! What the store has of the run that is shown: what it told before what this console heard itself, and what
//! it kept.

use std::{collections::BTreeMap, sync::Arc};

use super::{keys::run_of, stored_run::StoredRun};
use crate::{
    console::{
        draw::{format, theme::Role},
        input::pane_id::PaneId,
        model::{Model, runs::RunLine},
        overlays::Details,
        records::{
            backfill::{Backfill, NEAR_ROWS, PAGE_ROWS, PageRequest, RequestSlot},
            paged_list::{error_text, unexpected_answer},
            system_state::SystemState,
        },
        ui::{
            effect::{Effect, PanePage},
            layout::Layout,
            pane::{PaneChip, PaneContext},
            state::Ui,
        },
    },
    ids::TraceId,
    port::{ArtifactRow, Page, PortError, Query, RunRow},
    runs::RunView,
    store::mplp::Rating,
    time::Mono,
};

/// Artifacts that are kept here; `run artifacts` has all.
const ARTIFACTS_MAX: usize = 1_000;
/// Events asked for at once to see how the nodes of a stored run stand; the station may give fewer.
const DETAIL_EVENT_ROWS: u64 = 1_000;

/// What the store has of the run that is shown.
#[derive(Debug, Default)]
pub(crate) struct RunPages {
    run: Option<TraceId>,
    events: Backfill<RunLine>,
    artifacts: Vec<ArtifactRow>,
    artifacts_request: RequestSlot,
    /// Artifacts that there were when they were asked for last.
    artifact_count_then: Option<u64>,
    has_more: bool,
    /// The run with its plan, where those that are shown have it no more.
    stored: Option<Box<StoredRun>>,
    detail_request: RequestSlot,
    /// What was put together of it so far.
    view: Option<Arc<RunView>>,
    /// Whether the store has no such run.
    is_unknown: bool,
    /// Why the last page for a pane did not come.
    errors: BTreeMap<PaneId, String>,
}

impl RunPages {
    /// What a run told that lies before an event of this number.
    pub(crate) fn older(&self, run: TraceId, before: u64) -> impl Iterator<Item = &RunLine> {
        self.events.before(if self.run == Some(run) { before } else { 0 })
    }

    /// What a run kept.
    pub(crate) fn artifacts(&self, run: TraceId) -> &[ArtifactRow] {
        if self.run == Some(run) { &self.artifacts } else { &[] }
    }

    /// A run as the store has it, where it was asked for.
    pub(crate) fn view(&self, run: TraceId) -> Option<&Arc<RunView>> {
        self.view.as_ref().filter(|view| view.run == run)
    }

    /// How the store says that a run is rated, where it was asked.
    pub(crate) fn rating(&self, run: TraceId) -> Option<&Rating> {
        self.stored.as_ref().filter(|_| self.run == Some(run))?.rating()
    }

    /// Whether the store was asked for the run, and has it not.
    pub(crate) fn is_unknown(&self, run: TraceId) -> bool {
        self.run == Some(run) && self.is_unknown
    }

    /// Why the last page for a pane did not come.
    pub(crate) fn error(&self, pane: PaneId) -> Option<&str> {
        self.errors.get(&pane).map(String::as_str)
    }

    fn switch_to(&mut self, run: TraceId) {
        if self.run != Some(run) {
            self.forget();
            self.run = Some(run);
        }
    }

    /// Nothing is known of any run; answers to what was asked find no place.
    pub(super) fn forget(&mut self) {
        let (events, kept, standing) =
            (self.events.reset(), self.artifacts_request.reset(), self.detail_request.reset());
        *self = Self { events, artifacts_request: kept, detail_request: standing, ..Self::default() };
    }

    fn ask_artifacts(&mut self, run: TraceId, kept: Option<u64>, now: Mono) -> Option<(u64, Query)> {
        let is_due = self.has_more || self.artifact_count_then.is_none() || self.artifact_count_then != kept;
        if !is_due || self.artifacts.len() >= ARTIFACTS_MAX || !self.artifacts_request.is_free(now) {
            return None;
        }
        self.artifact_count_then = kept.or(Some(0));
        let after = self.artifacts.last().map_or(0, |row| row.number);
        Some((self.artifacts_request.ask(now), Query::RunArtifacts { run, after, limit: PAGE_ROWS }))
    }

    /// The run itself, then, where its nodes are drawn by it, what it told, until all is read.
    fn ask_detail(&mut self, run: TraceId, draws_nodes: bool, now: Mono) -> Option<(u64, Query)> {
        let query = match &self.stored {
            Some(_) if !draws_nodes => return None,
            None if self.is_unknown || !self.detail_request.is_free(now) => return None,
            None => Query::Run { run },
            Some(stored) if stored.is_whole || self.detail_request.is_open() => return None,
            Some(_) if self.errors.contains_key(&PaneId::Plan) && !self.detail_request.is_free(now) => {
                return None;
            }
            Some(stored) => Query::RunEvents { run, after: stored.read_up_to, limit: DETAIL_EVENT_ROWS },
        };
        Some((self.detail_request.ask(now), query))
    }

    fn take_detail(&mut self, answer: Result<Page, PortError>) {
        match answer {
            Ok(Page::Run(found)) => {
                self.is_unknown = found.is_none();
                self.stored = found.map(|detail| Box::new(StoredRun::of(*detail)));
            }
            Ok(Page::RunEvents { rows, more }) => {
                if let Some(stored) = &mut self.stored {
                    stored.apply_events(&rows, more);
                }
            }
            Ok(_) => drop(self.errors.insert(PaneId::Plan, unexpected_answer())),
            Err(error) => drop(self.errors.insert(PaneId::Plan, error_text(&error))),
        }
        self.view = self.stored.as_ref().map(|stored| Arc::new(stored.view()));
    }

    /// Takes the answer for a pane.
    pub(crate) fn take(&mut self, pane: PaneId, serial: u64, answer: Result<Page, PortError>) {
        let answers = match pane {
            PaneId::RunEvents => self.events.accepts(serial),
            PaneId::Plan => self.detail_request.accepts(serial),
            _ => self.artifacts_request.accepts(serial),
        };
        let Some(run) = self.run.filter(|_| answers) else { return };
        self.errors.remove(&pane);
        if pane == PaneId::Plan {
            return self.take_detail(answer);
        }
        match answer {
            Ok(Page::RunEvents { rows, .. }) => {
                self.events.take(rows.into_iter().map(|row| RunLine::of(run, row)).collect());
            }
            Ok(Page::RunArtifacts { rows, more }) => {
                self.has_more = more;
                let last = self.artifacts.last().map_or(0, |row| row.number);
                self.artifacts.extend(rows.into_iter().filter(|row| row.number > last));
            }
            Ok(_) => drop(self.errors.insert(pane, unexpected_answer())),
            Err(error) => {
                self.artifact_count_then = None;
                self.errors.insert(pane, error_text(&error));
            }
        }
    }
}

/// The queries that are due of the run that is shown.
pub(crate) fn next(ui: &mut Ui, layout: &Layout, model: &Model, now: Mono) -> Vec<Effect> {
    let Some(run) = ui.detail_run(model) else { return Vec::new() };
    let view = model.runs().and_then(|runs| runs.run(run));
    let row = stored_row(ui, run);
    let told = view.map(|view| view.events).or(row.map(|row| row.events)).unwrap_or(0);
    let kept = view.map(|view| view.artifacts).or(row.map(|row| row.artifacts));
    let is_near = ui
        .selection(PaneId::RunEvents)
        .is_some_and(|selection| selection.offset() < NEAR_ROWS && !selection.is_untouched());
    let first = model.recent_run_events(run).next().map(|line| line.number);
    // Its details say how it is rated.
    let is_read = ui.layers_mut::<Details>().any(|it| run_of(&it.record.key()) == Some(run));
    let pages = &mut ui.systems.runs.pages;
    pages.switch_to(run);
    let mut effects = Vec::new();
    let mut ask = |pane, wanted: Option<(u64, Query)>| {
        effects.extend(wanted.map(|(serial, query)| Effect::query(query, PanePage { pane, serial })));
    };
    let draws_nodes =
        layout.has(PaneId::Plan) && view.is_none_or(|view| view.nodes.is_empty() && view.planned > 0);
    if draws_nodes || is_read {
        ask(PaneId::Plan, pages.ask_detail(run, draws_nodes, now));
    }
    if layout.has(PaneId::RunEvents) {
        let part = pages.events.ask(first, told, is_near, now);
        ask(
            PaneId::RunEvents,
            part.map(|PageRequest { serial, after, limit }| (serial, Query::RunEvents { run, after, limit })),
        );
    }
    if layout.has(PaneId::Artifacts) && kept != Some(0) {
        ask(PaneId::Artifacts, pages.ask_artifacts(run, kept, now));
    }
    effects
}

/// Where an answer for a pane of the run that is shown goes.
pub(crate) fn take_pages(
    systems: &mut SystemState,
    pane: PaneId,
    serial: u64,
    answer: Result<Page, PortError>,
) {
    systems.runs.pages.take(pane, serial, answer);
}

/// The title of a pane of the run that is shown.
pub(crate) fn run_title(pane: PaneId, cx: &PaneContext<'_>) -> String {
    let run = cx.model.runs().and_then(|_| cx.ui.detail_run(cx.model));
    let Some(run) = run else { return pane.name().to_owned() };
    let stored = || stored_row(cx.ui, run).map(|row| row.name.clone());
    let shown = cx.ui.systems.runs.view_of(cx.model, run).map(|view| view.name.to_string());
    format!("{} {} {}", pane.name(), shown.or_else(stored).unwrap_or_default(), run.short())
}

/// Why a pane of the run that is shown is empty: what is wrong, or what its pane says of the run.
pub(crate) fn empty_run_text(
    pane: PaneId,
    cx: &PaneContext<'_>,
    text: impl Fn(TraceId) -> &'static str,
) -> String {
    let Some(run) = cx.ui.detail_run(cx.model) else { return "no run is selected".to_owned() };
    cx.ui.systems.runs.pages.error(pane).unwrap_or_else(|| text(run)).to_owned()
}

/// The chip of a pane of the run that is shown, with a count of it.
pub(crate) fn run_chip(
    name: &'static str,
    cx: &PaneContext<'_>,
    count: impl Fn(&RunView) -> u64,
) -> PaneChip {
    let view = cx.ui.detail_run(cx.model).and_then(|run| cx.ui.systems.runs.view_of(cx.model, run));
    PaneChip::new(name, format::count(view.map_or(0, count)), Role::Text)
}

/// A run of the list of the store, as far as it is loaded.
pub(crate) fn stored_row(ui: &Ui, run: TraceId) -> Option<&RunRow> {
    ui.paged_lists.rows::<RunRow>(PaneId::RunHistory).iter().find(|row| row.run == run)
}
