//! What the store has of the run that is shown: what it told before what this console heard itself, and what it kept.

use std::{sync::Arc, time::Duration};

use super::{
    action::{Asked, Effect},
    layout::Layout,
    model::{Model, RunLine},
    pane_id::PaneId,
    stored_run::StoredRun,
    ui::Ui,
};
use crate::{
    ids::TraceId,
    port::{ArtifactRow, Page, PortError, Query},
    runs::RunView,
    time::Mono,
};

/// Rows asked for at once.
const PAGE_ROWS: u64 = 200;
/// Earlier events that are kept here; `run events` has all.
const OLDER_MAX: usize = 2_000;
/// Artifacts that are kept here; `run artifacts` has all.
const ARTIFACTS_MAX: usize = 1_000;
/// So near to the first row the ones before it are asked for.
const NEAR_ROWS: usize = 50;
/// Events asked for at once to see how the nodes of a stored run stand; the station may give fewer.
const STANDING_ROWS: u64 = 1_000;
/// The least time between two questions for the same.
const INTERVAL: Duration = Duration::from_secs(1);

/// A question that is under way, and the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Asking {
    serial: u64,
    is_open: bool,
    at: Option<Mono>,
}

impl Asking {
    fn is_free(self, now: Mono) -> bool {
        !self.is_open && self.at.is_none_or(|at| now.since(at) >= INTERVAL)
    }

    fn ask(&mut self, now: Mono) -> u64 {
        *self = Self { serial: self.serial + 1, is_open: true, at: Some(now) };
        self.serial
    }

    /// Whether an answer is to the last question.
    fn answers(&mut self, serial: u64) -> bool {
        self.is_open && self.serial == serial && std::mem::replace(&mut self.is_open, false)
    }
}

/// What the store has of the run that is shown.
#[derive(Debug, Default)]
pub(crate) struct RunPages {
    run: Option<TraceId>,
    older: Vec<RunLine>,
    /// Whether nothing was told before the first of those.
    is_whole: bool,
    events: Asking,
    artifacts: Vec<ArtifactRow>,
    kept: Asking,
    /// Artifacts that there were when they were asked for last.
    kept_then: Option<u64>,
    has_more: bool,
    /// The run with its plan, where those that are shown have it no more.
    stored: Option<Box<StoredRun>>,
    standing: Asking,
    /// What was put together of it so far.
    view: Option<Arc<RunView>>,
    /// Whether the store has no such run.
    is_unknown: bool,
    /// Why the last page did not come.
    trouble: Option<String>,
}

impl RunPages {
    /// What a run told that lies before an event of this number.
    pub(crate) fn older(&self, run: TraceId, before: u64) -> impl Iterator<Item = &RunLine> {
        let is_it = self.run == Some(run);
        self.older.iter().filter(move |line| is_it && line.number < before)
    }

    /// What a run kept.
    pub(crate) fn artifacts(&self, run: TraceId) -> &[ArtifactRow] {
        if self.run == Some(run) { &self.artifacts } else { &[] }
    }

    /// A run as the store has it, where it was asked for.
    pub(crate) fn view(&self, run: TraceId) -> Option<&Arc<RunView>> {
        self.view.as_ref().filter(|view| view.run == run)
    }

    /// Whether the store was asked for the run, and has it not.
    pub(crate) fn is_unknown(&self, run: TraceId) -> bool {
        self.run == Some(run) && self.is_unknown
    }

    /// Why the last page did not come.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    fn turn_to(&mut self, run: TraceId) {
        if self.run != Some(run) {
            let (events, kept, standing) = (self.events, self.kept, self.standing);
            // The serials go on, so that an answer for the run before finds no place here.
            let fresh = |asking: Asking| Asking { serial: asking.serial, ..Asking::default() };
            *self = Self { run: Some(run), events: fresh(events), kept: fresh(kept), standing: fresh(standing), ..Self::default() };
        }
    }

    /// The page of events before what is here: `first` is the number of the first event that this console heard itself without a gap to
    /// the last, `told` how many there are.
    fn ask_events(&mut self, run: TraceId, first: Option<u64>, told: u64, is_near: bool, now: Mono) -> Option<(u64, Query)> {
        let heard = first.unwrap_or(told + 1);
        if self.older.last().is_some_and(|last| last.number + 1 < heard) {
            // What was heard was let go of meanwhile.
            self.older.clear();
            self.is_whole = false;
        }
        let from = self.older.first().map_or(heard, |line| line.number);
        let is_wanted = self.older.is_empty() || (is_near && self.older.len() < OLDER_MAX);
        if from <= 1 || self.is_whole || !is_wanted || !self.events.is_free(now) {
            return None;
        }
        let limit = PAGE_ROWS.min(from - 1);
        Some((self.events.ask(now), Query::RunEvents { run, after: from - 1 - limit, limit }))
    }

    fn ask_artifacts(&mut self, run: TraceId, kept: Option<u64>, now: Mono) -> Option<(u64, Query)> {
        let is_due = self.has_more || self.kept_then.is_none() || self.kept_then != kept;
        if !is_due || self.artifacts.len() >= ARTIFACTS_MAX || !self.kept.is_free(now) {
            return None;
        }
        self.kept_then = kept.or(Some(0));
        let after = self.artifacts.last().map_or(0, |row| row.number);
        Some((self.kept.ask(now), Query::RunArtifacts { run, after, limit: PAGE_ROWS }))
    }

    /// The run itself, then what it told, until all is read.
    fn ask_standing(&mut self, run: TraceId, now: Mono) -> Option<(u64, Query)> {
        let query = match &self.stored {
            None if self.is_unknown || !self.standing.is_free(now) => return None,
            None => Query::Run { run },
            Some(stored) if stored.is_whole || self.standing.is_open => return None,
            Some(_) if self.trouble.is_some() && !self.standing.is_free(now) => return None,
            Some(stored) => Query::RunEvents { run, after: stored.read, limit: STANDING_ROWS },
        };
        Some((self.standing.ask(now), query))
    }

    fn take_standing(&mut self, answer: Result<Page, PortError>) {
        match answer {
            Ok(Page::Run(found)) => {
                self.is_unknown = found.is_none();
                self.stored = found.map(|detail| Box::new(StoredRun::of(detail)));
            }
            Ok(Page::RunEvents { rows, more }) => {
                if let Some(stored) = &mut self.stored {
                    stored.read(&rows, more);
                }
            }
            Ok(_) => self.trouble = Some("the station answered another question".to_owned()),
            Err(error) => self.trouble = Some(format!("{error}: {}", error.hint())),
        }
        self.view = self.stored.as_ref().map(|stored| Arc::new(stored.view()));
    }

    /// Takes the answer for a pane.
    pub(super) fn take(&mut self, pane: PaneId, serial: u64, answer: Result<Page, PortError>) {
        let asking = match pane {
            PaneId::RunEvents => &mut self.events,
            PaneId::Plan => &mut self.standing,
            _ => &mut self.kept,
        };
        if !asking.answers(serial) {
            return;
        }
        let Some(run) = self.run else { return };
        self.trouble = None;
        if pane == PaneId::Plan {
            return self.take_standing(answer);
        }
        match answer {
            Ok(Page::RunEvents { rows, .. }) => {
                let from = self.older.first().map(|line| line.number);
                let mut lines: Vec<RunLine> = rows.into_iter().map(|row| RunLine::of(run, row)).collect();
                lines.retain(|line| from.is_none_or(|from| line.number < from));
                self.is_whole = lines.first().is_none_or(|line| line.number <= 1);
                lines.append(&mut self.older);
                self.older = lines;
            }
            Ok(Page::RunArtifacts { rows, more }) => {
                self.has_more = more;
                let last = self.artifacts.last().map_or(0, |row| row.number);
                self.artifacts.extend(rows.into_iter().filter(|row| row.number > last));
            }
            Ok(_) => self.trouble = Some("the station answered another question".to_owned()),
            Err(error) => {
                self.kept_then = None;
                self.trouble = Some(format!("{error}: {}", error.hint()));
            }
        }
    }
}

/// What is to be asked for now of the run that is shown.
pub(crate) fn next(ui: &mut Ui, layout: &Layout, model: &Model, now: Mono) -> Vec<Effect> {
    let Some(run) = ui.run_shown(model) else { return Vec::new() };
    let view = model.runs().and_then(|runs| runs.run(run));
    let row = ui.pages.run_history.rows().iter().find(|row| row.run == run);
    let told = view.map(|view| view.events).or(row.map(|row| row.events)).unwrap_or(0);
    let kept = view.map(|view| view.artifacts).or(row.map(|row| row.artifacts));
    let is_near = ui.selection(PaneId::RunEvents).is_some_and(|selection| selection.offset() < NEAR_ROWS && !selection.is_untouched());
    let first = model.run_lines.of(run).next().map(|line| line.number);
    let pages = &mut ui.pages.runs;
    pages.turn_to(run);
    let mut effects = Vec::new();
    let mut ask = |pane, wanted: Option<(u64, Query)>| {
        effects.extend(wanted.map(|(serial, query)| Effect::Query { asked: Asked::Page { pane, serial }, query }));
    };
    if layout.has(PaneId::Plan) && view.is_none_or(|view| view.nodes.is_empty() && view.planned > 0) {
        ask(PaneId::Plan, pages.ask_standing(run, now));
    }
    if layout.has(PaneId::RunEvents) {
        ask(PaneId::RunEvents, pages.ask_events(run, first, told, is_near, now));
    }
    if layout.has(PaneId::Artifacts) && kept != Some(0) {
        ask(PaneId::Artifacts, pages.ask_artifacts(run, kept, now));
    }
    effects
}
