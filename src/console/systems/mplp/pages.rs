//! Asks the station for the record that is shown: its objects at once, its events as they are unfolded and
//! scrolled to, and a later state of an open one at most every two seconds, all while its pane is on the
//! screen.

use std::time::Duration;

use super::{
    folds::Values,
    record::HeldRecord,
    requests::{Asked, Basis},
    state::{PANES, PaneRecordState},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        records::{
            backfill::NEAR_ROWS,
            paged_list::{error_text, unexpected_answer},
            system_state::SystemState,
        },
        ui::{
            effect::{Effect, OnTree, PanePage},
            layout::Layout,
            state::Ui,
        },
        worker::ObjectJob,
    },
    dissect::{Tree, mplp::object::object_tree},
    port::{LifecyclePage, Page, PortError, Query, RecordOf},
    schema::JsonText,
    time::Mono,
};

/// Rows asked for at once.
const PAGE_ROWS: u64 = 500;
/// The least time between two states of an open record.
const REFRESH_INTERVAL: Duration = Duration::from_secs(2);
/// Objects that are read at once on the screen's thread.
const INLINE_MAX: usize = 4;

/// The record that a pane shows.
pub(super) fn record_of(pane: PaneId, ui: &Ui, model: &Model) -> Option<RecordOf> {
    if pane == PaneId::SessionLifecycle {
        return ui.detail_session(model).map(|session| RecordOf::Session(session.id.to_string()));
    }
    ui.detail_run(model).map(RecordOf::Run)
}

/// What there is of it, as far as this console knows.
fn basis(pane: PaneId, ui: &Ui, model: &Model) -> Option<Basis> {
    if pane == PaneId::SessionLifecycle {
        let session = ui.detail_session(model)?;
        let view = model.macp()?.sessions.get(&session.number)?;
        return Some((view.messages, view.end.is_some()));
    }
    let view = model.runs()?.run(ui.detail_run(model)?)?;
    Some((view.events, view.state.is_end()))
}

/// Turns to the records of what is selected.
pub(super) fn follow(ui: &mut Ui, model: &Model, _layout: &Layout) {
    for pane in PANES {
        let of = record_of(pane, ui, model);
        let settings = ui.table_settings(pane);
        let is_narrowed = settings.filter().is_some() || settings.search().is_some();
        let state = ui.systems.mplp.of_mut(pane);
        if state.switch_to(of.as_ref()) {
            state.rebuild();
            ui.reset_panes([pane]);
        }
        if ui.systems.mplp.of_mut(pane).narrow(is_narrowed) {
            ui.drop_arranged();
        }
    }
}

/// The queries that are due, and the objects that are to be read.
pub(super) fn next(ui: &mut Ui, layout: &Layout, model: &Model, now: Mono) -> Vec<Effect> {
    let mut effects = Vec::new();
    let (is_stopped, limits) = (ui.time.is_stopped(), ui.limits.console);
    for pane in PANES.into_iter().filter(|pane| layout.has(*pane)) {
        let basis = basis(pane, ui, model);
        let near_end = ui
            .selection(pane)
            .is_some_and(|selection| selection.index() + NEAR_ROWS >= ui.systems.mplp.of(pane).lines().len());
        let state = ui.systems.mplp.of_mut(pane);
        state.requests.bytes_max = limits.lifecycle_bytes_max;
        effects.extend(ask(state, pane, basis, near_end, is_stopped, now));
        let nodes_max = usize::try_from(limits.inspect_nodes_max).unwrap_or(usize::MAX);
        let read = ObjectReading { pane, nodes_max, inline_bytes_max: limits.inspect_inline_bytes_max };
        effects.extend(read.begin(state));
    }
    effects
}

/// The page that is due.
fn ask(
    state: &mut PaneRecordState,
    pane: PaneId,
    basis: Option<Basis>,
    near_end: bool,
    is_stopped: bool,
    now: Mono,
) -> Option<Effect> {
    let of = state.of.clone()?;
    if let Some((row, _)) = state.folds.wanted().filter(|(_, bytes)| *bytes > state.requests.bytes_max) {
        let why = "larger than limits.console.lifecycle_bytes_max: write the record to read it";
        state.folds.object_mut(row)?.values = Values::Failed(why);
        state.rebuild();
    }
    if state.requests.slot.is_open() {
        return None;
    }
    let is_refresh_due = state.requests.begun.is_some_and(|(at, then)| {
        then != basis && !is_stopped && now.since(at) >= REFRESH_INTERVAL && state.next.is_none()
    });
    let is_free = state.requests.slot.is_free(now);
    let is_missing = state.record.is_none() && !state.is_unknown && is_free;
    let is_anew = is_missing || is_refresh_due || (state.requests.is_stale && is_free);
    let ask_rows = |asked, after| (asked, after, PAGE_ROWS, None);
    let (asked, after, limit, bytes) = match (&state.next, &state.record) {
        _ if is_anew => ask_rows(Asked::Anew, 0),
        _ if state.error.is_some() && !is_free => return None,
        (Some(next), _) => ask_rows(Asked::More, next.last()),
        (None, Some(record)) => match state.folds.wanted() {
            Some((row, bytes)) => {
                let before = record.rows.get(row)?.place.saturating_sub(1);
                (Asked::Object(row), before, 1, Some(bytes))
            }
            None if wants_more(record, state, near_end) => ask_rows(Asked::More, record.last()),
            None => return None,
        },
        (None, None) => return None,
    };
    if is_anew {
        (state.requests.begun, state.requests.is_stale) = (Some((now, basis)), false);
    }
    state.requests.asked = asked;
    let serial = state.requests.slot.ask(now);
    Some(Effect::query(Query::Lifecycle { of, after, limit, bytes }, PanePage { pane, serial }))
}

/// Whether more of a record is to be loaded: its objects; its events, where they are unfolded and nearly
/// all that is held was scrolled to, where they are filtered, or where something is wrong with one of them.
fn wants_more(record: &HeldRecord, state: &PaneRecordState, near_end: bool) -> bool {
    let is_unfolded = record.members.last().is_some_and(|member| state.folds.has_list(&member.name));
    record.has_more()
        && !record.is_full()
        && (!record.has_objects()
            || state.is_narrowed()
            || record.misses_findings()
            || (is_unfolded && near_end))
}

/// Where an answer for one of the panes goes.
pub(super) fn take_pages(
    systems: &mut SystemState,
    pane: PaneId,
    serial: u64,
    answer: Result<Page, PortError>,
) {
    let state = systems.mplp.of_mut(pane);
    if !state.requests.slot.accepts(serial) {
        return;
    }
    state.error = None;
    match answer {
        Ok(Page::Lifecycle(Some(part))) => take_page(state, *part),
        Ok(Page::Lifecycle(None)) => {
            (state.record, state.next, state.is_unknown) = (None, None, true);
            state.rebuild();
        }
        Ok(_) => fail(state, unexpected_answer()),
        Err(error) => fail(state, error_text(&error)),
    }
}

/// Takes note of why an answer did not come: what is shown stays, and what was to be begun anew is asked for
/// again.
fn fail(state: &mut PaneRecordState, why: String) {
    state.requests.is_stale |= state.requests.asked == Asked::Anew && state.record.is_some();
    state.error = Some(why);
}

fn take_page(state: &mut PaneRecordState, page: LifecyclePage) {
    let Some(of) = state.of.clone() else { return };
    state.is_unknown = false;
    if state.requests.asked == Asked::Anew {
        if state.record.as_ref().is_some_and(|record| record.version == page.version) {
            return;
        }
        let record = HeldRecord::begin(of, page, state.requests.bytes_max);
        state.next = Some(record);
    } else {
        let Some(record) = state.next.as_mut().or(state.record.as_mut()) else { return };
        if record.version != page.version {
            // It went on meanwhile: its pages are those of another state.
            (state.next, state.requests.is_stale) = (None, true);
            return;
        }
        match state.requests.asked {
            Asked::Object(row) => return take_object(state, row, page),
            Asked::Anew | Asked::More => record.add(page),
        }
    }
    let held = state.record.as_ref().map_or(0, |record| record.rows.len());
    let is_enough = |next: &HeldRecord| next.rows.len() >= held || !next.has_more() || next.is_full();
    match state.next.take_if(|next| is_enough(next)) {
        Some(next) => state.replace(next),
        None if state.next.is_none() => state.rebuild(),
        None => {}
    }
}

/// Takes an object that was too large for a page; it is let go once it is folded.
fn take_object(state: &mut PaneRecordState, row: usize, page: LifecyclePage) {
    let Some(place) = state.record.as_ref().and_then(|record| record.rows.get(row)).map(|row| row.place)
    else {
        return;
    };
    let object = page.rows.into_iter().next().filter(|it| it.place == place).and_then(|it| it.object);
    state.take_object(row, object);
    state.rebuild();
}

/// How objects are read that are unfolded: small ones at once, large ones by the worker.
struct ObjectReading {
    pane: PaneId,
    nodes_max: usize,
    inline_bytes_max: u64,
}

impl ObjectReading {
    fn begin(&self, state: &mut PaneRecordState) -> Option<Effect> {
        for _ in 0..INLINE_MAX {
            let row = state.folds.unread()?;
            let of = state.record.as_ref()?.rows.get(row)?;
            let (schema, object) = (of.schema.clone(), of.object.clone()?);
            if object.as_str().len() as u64 > self.inline_bytes_max {
                state.requests.jobs += 1;
                let number = state.requests.jobs;
                state.folds.object_mut(row)?.values = Values::Reading(number);
                let job = Box::new(ObjectJob { schema, object, nodes_max: self.nodes_max });
                return Some(Effect::ReadObject {
                    job,
                    on_tree: Box::new(ObjectTree { pane: self.pane, number }),
                });
            }
            let tree = object_tree(&schema, JsonText::as_str(&object), self.nodes_max);
            state.set_values(row, Some(tree), self.nodes_max);
        }
        None
    }
}

/// The values of an object that the worker was given, by the number of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectTree {
    pane: PaneId,
    number: u64,
}

impl OnTree for ObjectTree {
    fn on_tree(&self, ui: &mut Ui, tree: Option<Tree>) {
        let nodes_max = usize::try_from(ui.limits.console.inspect_nodes_max).unwrap_or(usize::MAX);
        ui.systems.mplp.of_mut(self.pane).take_values(self.number, tree, nodes_max);
        ui.drop_arranged();
    }
}
