//! The actions of the panes that show a record: folding, going to what a part was made of, copying and
//! writing.

use super::{
    confirmations::WriteRecord,
    folds::Values,
    going,
    keys::PART,
    lines::{Line, RowLineKind, Shown},
    pages::record_of,
    state::{PANES, PaneRecordState},
};
use crate::{
    console::model::Model,
    console::{
        input::{action::Action, pane_id::PaneId},
        overlays::{Details, copying},
        records::{row::PaneRecord as _, table},
        systems::mplp::part::Part,
        ui::{
            act::{Act, ActContext, Resolved},
            palette::Palette,
            pane::PaneContext,
            state::{Focus, Ui},
        },
    },
};

/// What an action does in one of these panes; nothing where it is none of theirs.
pub(super) fn act(action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
    let pane = focused(cx.ui)?;
    match action {
        Action::Open => Some(open(pane, cx)),
        Action::Left | Action::Right => turn(pane, action == Action::Right, cx).map(Ok),
        // Without a chosen cell it is the part itself that is copied.
        Action::Copy if cx.ui.table_settings(pane).cell.is_none() => Some(copying::act(Action::CopyJson, cx)),
        Action::WriteRecord => Some(write(pane, cx)),
        _ => None,
    }
}

/// Why a record is not written elsewhere.
pub(super) fn act_otherwise(action: Action, _: &PaneContext<'_>) -> Option<Resolved> {
    (action == Action::WriteRecord).then(|| Err("no Lifecycle pane focused; Tab moves to one".into()))
}

/// The one of these panes that has the keys.
fn focused(ui: &Ui) -> Option<PaneId> {
    let Focus::Pane(pane) = ui.focus else { return None };
    (ui.overlays.is_empty() && PANES.contains(&pane)).then_some(pane)
}

/// The selected line of a pane.
fn selected<'a>(pane: PaneId, cx: &PaneContext<'a>) -> Option<Part<'a>> {
    let shown = cx.ui.systems.mplp.of(pane).shown()?;
    let key = cx.ui.selected(pane, cx.model)?;
    Some(Part { shown, line: shown.line(PART.id(&key)?)? })
}

fn open(pane: PaneId, cx: &PaneContext<'_>) -> Resolved {
    let part = selected(pane, cx).ok_or("nothing here")?;
    if let Some(record) = part.details() {
        return Ok(Act::open(Details::of(record)));
    }
    match part.row() {
        Some(row) => Ok(going::to_origin(part.shown.record.of.clone(), row)),
        None if part.shown.is_narrowed => Err("every list is unfolded while the pane is filtered".into()),
        None => match part.shown.is_folded(part.line) {
            Some(is_folded) => Ok(fold(pane, part.line, !is_folded)),
            None => Err("these are not loaded yet: scroll on, or write the record".into()),
        },
    }
}

/// Unfolds a line or goes to the first one within it; folds it, or from what has nothing to be folded goes to
/// the line that it is within. A cell that was clicked on is chosen no longer: in a tree, these keys move
/// about in it. To the left of all of it is the pane on that side.
fn turn(pane: PaneId, unfolds: bool, cx: &PaneContext<'_>) -> Option<Act> {
    let part = selected(pane, cx)?;
    match (part.shown.is_folded(part.line), unfolds) {
        (Some(true), true) => Some(fold(pane, part.line, false)),
        (Some(false), false) if !(part.shown.is_narrowed && is_list(part.line)) => {
            Some(fold(pane, part.line, true))
        }
        (Some(false), true) => {
            Some(first_within(pane, part, cx).map_or_else(|| stay(pane), |line| go_to_line(pane, line)))
        }
        (None, true) => Some(stay(pane)),
        (_, false) => match part.shown.parent(part.line) {
            Some(line) => Some(go_to_line(pane, line)),
            None => cx.ui.table_settings(pane).cell.map(|_| stay(pane)),
        },
    }
}

/// Leaves the line selected, and no cell of it.
fn stay(pane: PaneId) -> Act {
    Act::change(move |ui, _| ui.table_settings_mut(pane).cell = None)
}

/// The line behind an unfolded one, where it is within that.
fn first_within(pane: PaneId, part: Part<'_>, cx: &PaneContext<'_>) -> Option<Line> {
    let lines = cx.ui.systems.mplp.of(pane).lines();
    let at = lines.binary_search(&part.line).ok()?;
    lines.get(at + 1).copied().filter(|next| part.shown.parent(*next) == Some(part.line))
}

const fn is_list(line: Line) -> bool {
    match line {
        Line::Bundle => true,
        Line::Of(line) => matches!(line.kind, RowLineKind::List),
        Line::BundleFinding(_) | Line::Rest => false,
    }
}

/// Folds a line or unfolds it; it stays selected.
fn fold(pane: PaneId, line: Line, folds: bool) -> Act {
    Act::change(move |ui, cx| {
        ui.table_settings_mut(pane).cell = None;
        set_folded(ui.systems.mplp.of_mut(pane), line, folds);
        ui.drop_arranged();
        select(ui, cx.model, pane, line);
    })
}

fn set_folded(state: &mut PaneRecordState, line: Line, folds: bool) {
    let Some(record) = &state.record else { return };
    match line {
        Line::Bundle => state.folds.set_bundle(!folds),
        Line::Of(at) => match at.kind {
            RowLineKind::List => {
                if let Some(member) = record.members.iter().find(|member| member.first == at.row) {
                    state.folds.set_list(&member.name, !folds);
                }
            }
            RowLineKind::Whole if folds => state.close(at.row),
            RowLineKind::Whole => state.open(at.row),
            RowLineKind::Value(index) => {
                if let Some(object) = state.folds.object_mut(at.row)
                    && matches!(object.values, Values::Read(_))
                {
                    if folds {
                        object.unfolded.remove(&index);
                    } else {
                        object.unfolded.insert(index);
                    }
                }
            }
            RowLineKind::Finding(_) | RowLineKind::Note => {}
        },
        Line::BundleFinding(_) | Line::Rest => {}
    }
    state.rebuild();
}

fn go_to_line(pane: PaneId, line: Line) -> Act {
    Act::change(move |ui, cx| {
        ui.table_settings_mut(pane).cell = None;
        select(ui, cx.model, pane, line);
    })
}

fn select(ui: &mut Ui, model: &Model, pane: PaneId, line: Line) {
    let Some(shown) = ui.systems.mplp.of(pane).shown() else { return };
    let key = PART.of(Shown::id(shown, line));
    let height = table::list_height(ui.layout(model).area_of(pane));
    ui.select_in(pane, model, |selection, keys| {
        if let Some(row) = keys.row(&key) {
            selection.select(row, keys, height);
        }
    });
}

/// Writes the command line into the palette that writes the record; of one that is not clean, asks first.
fn write(pane: PaneId, cx: &PaneContext<'_>) -> Resolved {
    let state = cx.ui.systems.mplp.of(pane);
    let Some(of) = record_of(pane, cx.ui, cx.model) else {
        return Err(
            if pane == PaneId::Lifecycle { "no run is selected" } else { "no session is selected" }.into()
        );
    };
    let record = state.record().ok_or_else(|| state.empty_text())?;
    let (name, findings, at) =
        (going::name_of(cx, pane), record.findings_text(), cx.view.time_of_day(cx.view.now));
    let written = WriteRecord { of, name, findings, at };
    if record.findings > 0 {
        return Ok(Act::confirm(written));
    }
    let line = written.command();
    Ok(Act::change(move |ui, cx| open_palette(ui, &line, cx)))
}

/// Opens the palette with a line that can be edited before it is run.
pub(super) fn open_palette(ui: &mut Ui, line: &str, cx: &ActContext<'_>) {
    let mut palette = Palette::over(ui.key_scope(), cx.view);
    palette.write(line, cx.view);
    ui.palette = Some(Box::new(palette));
}
