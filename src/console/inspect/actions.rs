//! Looking at entries: which one a place speaks of, and from one to the next.

use crate::{
    console::{
        input::action::Action,
        inspect::{EnterTarget, InspectOptions, Inspector},
        model::{EntryBuffer, Model},
        records::entry_query::EntryQuery,
        settings::view::View,
        ui::{
            Target,
            act::{Act, Resolved, act_if},
            effect::Effect,
            layers::cast_mut,
            message::show_message,
            pane::PaneContext,
            state::{Focus, Ui},
        },
    },
    dissect::{Subject, describe},
    ids::{InvocationId, Seq},
    tap::{
        EntryRef,
        entry::{Entry, Frame, Head, What, mpp::FrameType},
    },
    time::Now,
};

/// Causes that are followed up to a frame.
const HOPS_MAX: usize = 16;

/// Why no entry is looked at: it was there, and is not kept any more.
const GONE: &str = "its entries are no longer kept (limits.console.kept_entries_max)";

/// Opens the inspector at an entry; nothing is opened, and it is said, where the entry is not kept.
pub(crate) fn open(ui: &mut Ui, view: &View, seq: Seq) -> Vec<Effect> {
    let Some(subject) = ui.time.entries().at(seq).map(Subject::of) else {
        show_message(
            ui,
            format!("entry {seq} is no longer kept (limits.console.kept_entries_max)"),
            true,
            ui.at,
        );
        return Vec::new();
    };
    let opening = opening(ui, view, &subject);
    let (inspector, effect) = Inspector::of(subject, opening);
    ui.push(inspector);
    effect.into_iter().collect()
}

fn opening(ui: &mut Ui, view: &View, subject: &Subject) -> InspectOptions {
    ui.inspect_count += 1;
    let at = subject.entry.at;
    InspectOptions {
        number: ui.inspect_count,
        time: format!("{}.{:03}", view.time_of_day(at), at.wall.0 % 1_000),
        limits: ui.limits.console,
    }
}

/// Goes on to another entry in an inspector.
fn go_to(inspector: &mut Inspector, ui: &mut Ui, view: &View, seq: Seq) -> Vec<Effect> {
    let Some(subject) = ui.time.entries().at(seq).map(Subject::of) else {
        show_message(
            ui,
            format!("entry {seq} is no longer kept (limits.console.kept_entries_max)"),
            true,
            ui.at,
        );
        return Vec::new();
    };
    let opening = opening(ui, view, &subject);
    inspector.go_to(subject, opening).into_iter().collect()
}

/// Takes the worker's answer.
pub(crate) fn decoded(ui: &mut Ui, number: u64, tree: Option<crate::dissect::Tree>) {
    let mut tree = Some(tree);
    for inspector in ui.layers_mut::<Inspector>().filter(|inspector| inspector.awaits(number)) {
        inspector.decoded(tree.take().flatten());
    }
}

/// What the inspector's own keys do.
pub(crate) fn act(inspector: &Inspector, action: Action) -> Option<Resolved> {
    let entry = &inspector.subject.entry;
    Some(match action {
        Action::Open => act_if(
            inspector.can_open(),
            || {
                Act::layer_effects(|inspector: &mut Inspector, ui, cx| match inspector.open() {
                    EnterTarget::Nowhere => Vec::new(),
                    EnterTarget::Entry(seq) => go_to(inspector, ui, cx.view, seq),
                })
            },
            "nothing to open here",
        ),
        Action::Cause => {
            let to = |seq| Act::layer_effects(move |inspector, ui, cx| go_to(inspector, ui, cx.view, seq));
            entry.cause.map(to).ok_or_else(|| "no cause recorded".into())
        }
        Action::Effect => act_if(
            !inspector.context.effects.is_empty(),
            || Act::layer_effects(|inspector, ui, cx| to_effect(inspector, ui, cx.view)),
            "no effects kept",
        ),
        Action::RelatedNext | Action::RelatedPrevious => {
            let is_forward = action == Action::RelatedNext;
            act_if(
                entry.trace.is_some() || entry.invocation().is_some(),
                || {
                    Act::layer_effects(move |inspector, ui, cx| {
                        to_related(inspector, ui, cx.view, is_forward)
                    })
                },
                "not part of an invocation or a trace",
            )
        }
        Action::Return => act_if(
            inspector.before().is_some(),
            || Act::layer_effects(|inspector, ui, cx| back(inspector, ui, cx.view)),
            "no previous entry",
        ),
        Action::Back | Action::Close if inspector.page.is_some() => {
            Ok(Act::layer(|inspector: &mut Inspector, _, _| inspector.page = None))
        }
        _ => return None,
    })
}

/// To the only entry that this one caused, or to the next of them in its list.
fn to_effect(inspector: &mut Inspector, ui: &mut Ui, view: &View) -> Vec<Effect> {
    let effects = &inspector.context.effects;
    if let [(only, _)] = effects.as_slice() {
        let only = *only;
        return go_to(inspector, ui, view, only);
    }
    let words = format!("{} effects: {} opens the selected one", effects.len(), view.key(Action::Open));
    inspector.next_effect();
    show_message(ui, words, false, ui.at);
    Vec::new()
}

/// To the next entry of the same work, or to the one before.
fn to_related(inspector: &mut Inspector, ui: &mut Ui, view: &View, is_forward: bool) -> Vec<Effect> {
    let seq = inspector.subject.seq();
    if let Some(next) = ui.time.entries().next_related(seq, is_forward).map(|found| found.entry.seq) {
        return go_to(inspector, ui, view, next);
    }
    let words = match (ui.time.entries().at(seq), is_forward) {
        (None, _) => GONE,
        (Some(_), true) => "this is the last entry of its trace so far",
        (Some(_), false) => "no earlier entry of its trace is kept",
    };
    show_message(ui, words.to_owned(), true, ui.at);
    Vec::new()
}

fn back(inspector: &mut Inspector, ui: &mut Ui, view: &View) -> Vec<Effect> {
    let Some(before) = inspector.before() else { return Vec::new() };
    let opening = opening(ui, view, before);
    inspector.go_back(opening).into_iter().collect()
}

/// From a pane or from details: to the entry that last told of what is selected, or to the first that did.
pub(crate) fn resolve(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let is_first = match action {
        Action::Cause => false,
        Action::Effect => true,
        _ => return Err("no entry is open".into()),
    };
    let traced = target(cx.ui, cx.model).ok_or_else(|| no_entry_text(cx.ui, cx.model))?;
    Ok(Act::effects(move |ui, cx| trace(ui, cx.view, &traced, is_first)))
}

fn trace(ui: &mut Ui, view: &View, traced: &EntryQuery, is_first: bool) -> Vec<Effect> {
    if let EntryQuery::Itself(seq) = traced {
        return from_entry(ui, view, *seq, is_first);
    }
    if let Some(seq) = find_entry(ui.time.entries(), traced, is_first) {
        return open(ui, view, seq);
    }
    show_message(ui, GONE.to_owned(), true, ui.at);
    Vec::new()
}

/// From an entry in a list: to its cause, or to what it caused. Where it caused several, they are listed in
/// the inspector.
fn from_entry(ui: &mut Ui, view: &View, seq: Seq, to_effect: bool) -> Vec<Effect> {
    let kept = ui.time.entries();
    let cause = kept.at(seq).map(|found| found.entry.cause);
    let effects: Vec<Seq> = if to_effect {
        kept.effects_of(seq).map(|found| found.entry.seq).take(2).collect()
    } else {
        Vec::new()
    };
    let words = match (cause, to_effect, effects.as_slice()) {
        (None, ..) => GONE,
        (Some(Some(cause)), false, _) => return open(ui, view, cause),
        (Some(None), false, _) => "no cause recorded",
        (Some(_), true, []) => "no effects kept",
        (Some(_), true, [only]) => return open(ui, view, *only),
        (Some(_), true, _) => {
            let effects = open(ui, view, seq);
            if let Some(inspector) = ui.overlays.last_mut().and_then(cast_mut::<Inspector>) {
                inspector.update_context(ui.time.entries(), ui.time.visible_until());
                inspector.next_effect();
            }
            return effects;
        }
    };
    show_message(ui, words.to_owned(), true, ui.at);
    Vec::new()
}

/// The entry that tells of the selected record, while it is kept.
pub(crate) fn target_record_entry<'a>(ui: &'a Ui, model: &Model) -> Option<EntryRef<'a>> {
    let kept = ui.time.entries();
    kept.at(find_entry(kept, &target(ui, model)?, false)?)
}

/// The entry that tells of a record: the first, or the last.
fn find_entry(kept: &EntryBuffer, traced: &EntryQuery, is_first: bool) -> Option<Seq> {
    let find = |is_it: &dyn Fn(EntryRef<'_>) -> bool| {
        let mut all = kept.iter().map(|(_, found)| found);
        let found = if is_first { all.find(|it| is_it(*it)) } else { all.rev().find(|it| is_it(*it)) };
        found.map(|found| found.entry.seq)
    };
    match traced {
        EntryQuery::Entry(entry) | EntryQuery::Itself(entry) => kept.at(*entry).map(|found| found.entry.seq),
        EntryQuery::Invocation(id) => {
            // What changed it comes before what was merely said of it: a frame is told by the change that it
            // caused.
            let tells = |entry: &Entry| is_first || matches!(entry.what, What::Transition(_));
            find(&|found| tells(found.entry) && found.entry.invocation() == Some(*id))
        }
        EntryQuery::Telling(tells) => find(tells),
    }
}

/// The frame that the selected record of this place speaks of, while it is kept: of work the one that gave it
/// to the adapter, of anything else the one that caused what tells of it.
pub(crate) fn target_frame<'a>(ui: &'a Ui, model: &Model) -> Option<EntryRef<'a>> {
    let kept = ui.time.entries();
    match target(ui, model)? {
        EntryQuery::Invocation(id) => {
            kept.iter().rev().map(|(_, found)| found).find(|found| is_dispatch_of(found.entry, id))
        }
        traced => {
            let told = kept.at(find_entry(kept, &traced, false)?)?;
            let up = |entry: &EntryRef<'a>| entry.entry.cause.and_then(|cause| kept.at(cause));
            std::iter::successors(Some(told), up)
                .take(HOPS_MAX)
                .find(|found| matches!(found.entry.what, What::Frame(_)))
        }
    }
}

fn is_dispatch_of(entry: &Entry, id: InvocationId) -> bool {
    let What::Frame(Frame { head: Head::Mpp(head), .. }) = &entry.what else { return false };
    head.kind == Some(FrameType::Invocation) && head.id == Some(id)
}

/// What the selected record of this place is found by.
fn target(ui: &Ui, model: &Model) -> Option<EntryQuery> {
    match ui.target(model) {
        Target::Record(record) => record.entry(),
        Target::Row(pane) => ui.selected_row(pane, model)?.entry().ok(),
        Target::Nothing | Target::Entry(_) | Target::Alert(_) | Target::Question(_) => None,
    }
}

fn no_entry_text(ui: &Ui, model: &Model) -> String {
    let selected = match (ui.overlays.is_empty(), ui.focus) {
        (true, Focus::Pane(pane)) => ui.selected_row(pane, model),
        _ => None,
    };
    selected.and_then(|row| row.entry().err()).unwrap_or_else(|| "the selected row has no entry".to_owned())
}

/// The kept entries that tell of an invocation, the oldest first, for its details: the place in the tap,
/// when, and what.
pub(crate) type InvocationEntry = (Seq, Now, String);

/// Those of `indexes`.
pub(crate) fn invocation_entries(
    kept: &EntryBuffer,
    id: InvocationId,
    indexes: std::ops::Range<u64>,
) -> impl Iterator<Item = InvocationEntry> {
    let concerning =
        kept.range(indexes).map(|(_, found)| found.entry).filter(move |entry| entry.invocation() == Some(id));
    concerning.map(|entry| (entry.seq, entry.at, describe(entry)))
}
