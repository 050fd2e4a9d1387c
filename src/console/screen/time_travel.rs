//! Stopping time, stepping through what is kept, and bookmarks.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    console::{
        draw::format,
        input::{action::Action, pane_id::PaneId},
        model::{Model, StepOutcome},
        records::{
            bookmarks::{AwaitedBookmark, Bookmark, BookmarkedRecord},
            places::Place,
            selection::{RecordKey, RowKeys as _},
        },
        settings::view::View,
        ui,
        ui::{
            act::{Act, Resolved, act_if},
            bookmark_file,
            effect::{Effect, OutcomeText},
            message::show_message,
            moving,
            pane::PaneContext,
            places,
            state::{Focus, Ui},
        },
        wire::ENTRY,
    },
    dissect::EntryRecord,
    ids::Seq,
    port::{Command, Outcome, ReplayAct, ReplayPlace},
    tap::EntryRef,
    time::{Mono, Now, Wall},
};

/// Rows among which the record of a bookmark is looked for that was read from a file.
const LABELLED_ROWS_MAX: usize = 100_000;

/// What an action of time does.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, .. } = *cx;
    let is_stopped = ui.time.is_stopped();
    let act = match action {
        Action::Bookmark => {
            return act_if(
                ui.time.entries().len() > 0,
                || Act::effects(|ui, cx| bookmark(ui, cx.live, cx.view, cx.now)),
                "no entries yet to mark",
            );
        }
        Action::Jump => {
            let jump = || Act::effects(|ui, cx| jump(ui, cx.live, cx.view, cx.now));
            return act_if(!ui.bookmarks.is_empty(), jump, "no bookmark is set");
        }
        Action::Pause | Action::Live if is_stopped => Act::change(|ui, cx| {
            ui.time.go_live();
            ui.reconcile(cx.live);
        }),
        Action::Live => return Ok(Act::change(|ui, cx| moving::go(ui, cx.model, Action::Last))),
        Action::ReplayFaster | Action::ReplaySlower => {
            return Err("only a recording has a speed; `rl-console replay FILE` replays one".into());
        }
        Action::Pause => Act::change(|ui, cx| ui.time.stop(cx.live, cx.now)),
        _ => Act::change(move |ui, cx| step(ui, cx.live, cx.view, action, cx.now)),
    };
    act_if(model.station_state.is_some() || action == Action::Live, || act, "the station is starting")
}

fn step(ui: &mut Ui, live: &Model, view: &View, action: Action, now: Now) {
    let stepped = moved(ui, live, action, now);
    let none = (action == Action::NoteForward || action == Action::NoteBack).then_some(
        "no further failure, fault, loss, drop, alert, command, mark or bookmark among the entries kept",
    );
    show_step(ui, live, view, stepped, none, now);
}

/// Steps through what is kept.
pub(super) fn moved(ui: &mut Ui, live: &Model, action: Action, now: Now) -> StepOutcome {
    let forward = matches!(
        action,
        Action::StepForward | Action::SecondForward | Action::TenSecondsForward | Action::NoteForward
    );
    match action {
        Action::StepBack | Action::StepForward => ui.time.step(forward, live, now),
        Action::NoteBack | Action::NoteForward => {
            let marked: BTreeSet<Seq> = ui.bookmarks.seqs().collect();
            let is_of_note =
                |entry: EntryRef<'_>| marked.contains(&entry.entry.seq) || EntryRecord(entry).is_of_note();
            ui.time.step_to_wanted(forward, live, now, is_of_note)
        }
        _ => {
            // From the entry that is selected, where one is.
            if let Some(seq) = selected_entry(ui, live) {
                ui.time.seek(seq, live);
            }
            let tens = matches!(action, Action::TenSecondsBack | Action::TenSecondsForward);
            let by = Duration::from_secs(if tens { 10 } else { 1 });
            ui.time.step_by(by, forward, live, now)
        }
    }
}

/// The entry that is selected in the focused list of entries.
pub(super) fn selected_entry(ui: &Ui, live: &Model) -> Option<Seq> {
    let Focus::Pane(pane) = ui.focus else { return None };
    let past = ui.time.visible_model();
    let key = ui.selected(pane, past.as_deref().unwrap_or(live)).filter(|_| ui.overlays.is_empty())?;
    ENTRY.id(&key).copied()
}

/// Shows the moment that a step led to, or why it led nowhere: `none` where nothing was found.
pub(super) fn show_step(
    ui: &mut Ui,
    live: &Model,
    view: &View,
    stepped: StepOutcome,
    none: Option<&str>,
    now: Now,
) {
    if matches!(stepped, StepOutcome::Moved { .. }) {
        // The wire ends at the moment that is shown, and what happened then is what is looked at.
        ui.selection_mut(PaneId::Wire).release();
    }
    ui.reconcile_visible(live);
    let (words, is_refused) = match (stepped, none) {
        (StepOutcome::Moved { lost: 0, gone: 0 }, _) => return,
        (StepOutcome::Moved { lost, gone: 0 }, _) => {
            (format!("lost here: {}; state resynchronised", format::many(lost, "entry")), false)
        }
        (StepOutcome::Moved { gone, .. }, _) => {
            let gone = format::many(gone, "entry");
            (format!("skipped {gone} no longer kept (limits.console.kept_entries_max)"), false)
        }
        (_, Some(none)) => (none.to_owned(), true),
        (StepOutcome::AtFirst, None) => {
            let oldest = "this is the oldest entry kept (limits.console.kept_entries_max)";
            (live.past.progress().unwrap_or_else(|| oldest.to_owned()), true)
        }
        (StepOutcome::AtLast, None) => {
            (format!("this is the newest entry; {} resumes live", view.key(Action::Live)), true)
        }
    };
    show_message(ui, words, is_refused, now);
}

/// Goes to a moment that was written.
pub(crate) fn go_to(ui: &mut Ui, live: &Model, view: &View, at: Wall, now: Now) {
    let stepped = ui.time.step_to_moment(at, live, now);
    show_step(ui, live, view, stepped, None, now);
}

/// Goes to the moment of an entry, where it is kept still.
pub(super) fn seek_entry(ui: &mut Ui, live: &Model, view: &View, seq: Seq, now: Now) {
    if ui.time.seek(seq, live) {
        show_step(ui, live, view, StepOutcome::Moved { lost: 0, gone: 0 }, None, now);
    } else {
        show_step(ui, live, view, StepOutcome::AtFirst, Some("the entry is no longer kept"), now);
    }
}

/// Goes to a moment among the kept entries: the last one until then, or the oldest.
pub(super) fn seek(ui: &mut Ui, live: &Model, view: &View, at: Mono, now: Now) {
    // With all of its millisecond.
    let until = (at + Duration::from_millis(1)).min(now.mono);
    let mut stepped = ui.time.step_to_mono(until, live, now);
    if stepped == StepOutcome::AtFirst
        && ui.time.entries().first_seq().is_some_and(|oldest| ui.time.seek(oldest, live))
    {
        stepped = StepOutcome::Moved { lost: 0, gone: 0 };
    }
    show_step(ui, live, view, stepped, None, now);
}

/// The moment of a bookmark is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bookmarked;

impl OutcomeText for Bookmarked {
    /// The bookmark says it.
    fn text(&self, _: &Outcome) -> Option<(String, bool)> {
        None
    }
}

/// Sets one here, and marks the moment for every console and for recordings, as far as this one may do that.
fn bookmark(ui: &mut Ui, live: &Model, view: &View, now: Now) -> Vec<Effect> {
    let Some(seq) = ui.time.current() else {
        show_message(ui, "this moment is no longer kept".to_owned(), true, now);
        return Vec::new();
    };
    let past = ui.time.visible_model();
    let model = past.as_deref().unwrap_or(live);
    let pane = match ui.focus {
        Focus::Pane(pane) => Some(pane),
        Focus::Chips(_) => None,
    };
    let key = pane.and_then(|pane| ui.selected(pane, model));
    let record = key.map(BookmarkedRecord::Key);
    let at = ui.time.instant().unwrap_or(now);
    let after = view.replay.as_ref().map(|replay| replay.passed_at(at));
    let bookmark = Bookmark { view: ui.view, pane, record, seq, at, after };
    let is_set = ui.bookmarks.toggle(bookmark, !ui.time.is_stopped(), ui.limits.console.bookmarks_max);
    let (when, all) = (view.time_of_day(at), ui.bookmarks.len());
    let words = if is_set {
        format!("bookmark {all} set at {when}; {} returns to it", view.key(Action::Jump))
    } else {
        format!("bookmark removed; {all} left")
    };
    show_message(ui, words, false, now);
    if view.replay.is_some() {
        // They are the recording's, and no station's.
        return vec![Effect::SaveBookmarks(bookmark_file::write(&ui.bookmarks))];
    }
    if live.read_only_reason().is_some() {
        // Who may only look keeps it here, and so does who has no station just now.
        return Vec::new();
    }
    let entry = ui.time.is_stopped().then_some(seq);
    let mark = || Effect::command(Command::Mark { text: String::new(), entry }, Bookmarked);
    is_set.then(mark).into_iter().collect()
}

/// To the bookmark before: its view and pane, its moment, its record.
fn jump(ui: &mut Ui, live: &Model, view: &View, now: Now) -> Vec<Effect> {
    let all = ui.bookmarks.len();
    let Some((number, bookmark)) = ui.bookmarks.before().map(|(number, known)| (number, known.clone()))
    else {
        return Vec::new();
    };
    let Bookmark { view: shown, pane, record, seq, at, .. } = bookmark.clone();
    let name = format!("bookmark {number} of {all}, {}", view.time_of_day(at));
    if view.replay.is_some() && !ui.time.seek(seq, live) {
        ui.overlays.clear();
        ui.show(shown);
        if let Some(pane) = pane {
            ui.focus = Focus::Pane(pane);
        }
        show_message(ui, name, false, now);
        ui.awaited = Some(AwaitedBookmark::new(bookmark));
        ui.time.go_live();
        return vec![Effect::Replay(ReplayAct::Seek(ReplayPlace::Seq(seq)))];
    }
    if !ui.time.seek(seq, live) {
        let words = format!("{name}: this moment is no longer kept (limits.console.kept_entries_max)");
        show_message(ui, words, true, now);
        return Vec::new();
    }
    ui.overlays.clear();
    ui.selection_mut(PaneId::Wire).release();
    let past = ui.time.visible_model();
    let model = past.as_deref().unwrap_or(live);
    let is_there = if let Some(pane) = pane {
        let place = Place { view: shown, pane, is_zoomed: false, key: None };
        // The rows are there once the pane is.
        places::show(&place, ui, model);
        let key = record.as_ref().and_then(|record| key_of(record, pane, ui, model));
        let is_listed = key.is_some() || record.is_none();
        places::show(&Place { key, ..place }, ui, model) && is_listed
    } else {
        ui.show(shown);
        ui.zoomed = None;
        true
    };
    let words = if is_there { name } else { format!("{name}: its record is no longer listed here") };
    show_message(ui, words, !is_there, now);
    Vec::new()
}

/// Selects the record of the bookmark whose place in a recording was gone to, as soon as it is listed.
pub(super) fn arrive(ui: &mut Ui, live: &Model) {
    if live.station_state.is_none() || ui.time.is_stopped() {
        return;
    }
    let Some(mut awaited) = ui.awaited.take_if(|awaited| awaited.has_left) else { return };
    let Bookmark { view, pane: Some(pane), record: Some(record), .. } = &awaited.bookmark else { return };
    let (view, pane) = (*view, *pane);
    if (ui.view, ui.focus) != (view, Focus::Pane(pane)) {
        return;
    }
    let key = key_of(record, pane, ui, live);
    let is_selected = key.is_some()
        && places::show(&Place { view, pane, is_zoomed: ui.zoomed == Some(pane), key }, ui, live);
    let looks_again = !is_selected && awaited.looks_again();
    ui.awaited = Some(awaited).filter(|_| looks_again);
}

/// The identity of a record that has a bookmark, as far as it is listed.
fn key_of(record: &BookmarkedRecord, pane: PaneId, ui: &Ui, model: &Model) -> Option<RecordKey> {
    if let BookmarkedRecord::Key(key) = record {
        return Some(key.clone());
    }
    let rows = ui::rows(pane, ui, model);
    (0..rows.len().min(LABELLED_ROWS_MAX)).filter_map(|index| rows.key(index)).find(|key| record.is_of(key))
}

/// Whether the selected record is there in the present, so that an action on it means what it seems to.
pub(crate) fn is_present(ui: &Ui, past: &Model, live: &Model) -> bool {
    let Focus::Pane(pane) = ui.focus else { return true };
    if !ui.overlays.is_empty() || ui.paged_lists.selection(pane).is_some() {
        return true;
    }
    ui.selected(pane, past).is_none_or(|key| ui::rows(pane, ui, live).row(&key).is_some())
}
