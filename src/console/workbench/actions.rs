//! Opening the workbench: empty, as it was left, or with a captured frame.

use super::{Workbench, at_gate, way::Way};
use crate::{
    console::{
        copy::door_of,
        input::action::Action,
        inspect::{Inspector, actions::target_frame},
        model::Model,
        ui::{
            Target,
            act::{Act, Resolved},
            message::show_message,
            pane::PaneContext,
            state::Ui,
        },
    },
    dissect::frame_verdict,
    ids::Seq,
    port::{WorkbenchError, whole_frame},
    tap::{
        EntryRef,
        entry::{Entry, Head, Link, What},
    },
};

/// Whether an action opens it, or is one of its own.
pub(crate) const fn is_of_it(action: Action) -> bool {
    matches!(
        action,
        Action::Workbench
            | Action::EditFrame
            | Action::RefreshFrame
            | Action::BreakFrame
            | Action::SaveSnippet
            | Action::SentFrames
            | Action::SentTrace
            | Action::KeepEdit
    )
}

/// What opens it; its own actions are the layer's.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    match action {
        Action::Workbench => Ok(Act::change(|ui, _| open(ui))),
        Action::EditFrame => edit(cx),
        _ => Err("the workbench is not open".into()),
    }
}

/// Opens it as it was left, also in the start before.
fn open(ui: &mut Ui) {
    let (limits, at) = (ui.limits, ui.at.wall);
    let bench = ui.systems.workbench.take(&limits, at);
    ui.overlays.push(bench);
}

/// A captured frame, to be edited.
struct Captured {
    seq: Seq,
    /// The names of the value that is selected of it.
    field: Vec<String>,
    way: Way,
    bytes: Vec<u8>,
    /// What is no longer as it was captured, in words.
    refreshed: Option<String>,
}

impl Captured {
    fn of(entry: EntryRef<'_>, model: &Model) -> Result<Self, String> {
        let (frame, bytes) = whole_frame(entry).map_err(|why| error_text(&why))?;
        let (door, topic) = door_of(frame, model);
        let mut way = Way::through(&door, topic);
        if let Head::Rmp(head) = &frame.head {
            way = way.speaking(head.dialect);
        }
        let (seq, refreshed) = (entry.entry.seq, refreshed_words(entry.entry));
        Ok(Self { seq, field: Vec::new(), way, bytes: bytes.into_owned(), refreshed })
    }
}

/// What is made anew of a captured frame, and the fault that is gone with it; nothing on the links whose
/// frames have no such values.
fn refreshed_words(entry: &Entry) -> Option<String> {
    const REFRESHED: &str = "ids, times and TTL refreshed";
    if !matches!(entry.link, Link::Rmp | Link::Macp) {
        return None;
    }
    let found = frame_verdict(entry);
    let code = found.as_ref().and_then(|verdict| verdict.code);
    let fault = match (entry.link, code) {
        (
            Link::Rmp,
            Some(code @ ("Expired" | "MessageExpired" | "InvalidTtl" | "InvalidExpiry" | "Duplicate")),
        )
        | (Link::Macp, Some(code @ "DuplicateSession")) => Some(code),
        _ => found.as_ref().map(|verdict| verdict.word).filter(|word| *word == "duplicate"),
    };
    Some(fault.map_or_else(
        || REFRESHED.to_owned(),
        |fault| format!("{REFRESHED}: it was refused for them ({fault}), and that fault is gone"),
    ))
}

fn error_text(why: &WorkbenchError) -> String {
    format!("{why}; {}", why.hint())
}

/// Opens the frame that is at hand.
fn edit(cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, .. } = *cx;
    if let Target::Entry(subject) = ui.target(model)
        && let What::Intercepted(it) = &subject.entry.what
    {
        let number = it.number;
        if model.station.intercepted.get(number).is_none() {
            return Err(format!("frame {number} is no longer held; the Wire has what became of it").into());
        }
        let (seq, door) = (subject.entry.seq, door_of(&it.frame, model).0);
        return Ok(Act::effects(move |ui, cx| at_gate::edit(ui, cx.model, number, (Some(seq), Some(door)))));
    }
    let mut captured = match ui.target(model) {
        Target::Entry(subject) if matches!(subject.entry.what, What::Frame(_)) => {
            Captured::of(subject.entry_ref(), model)
        }
        Target::Entry(_) => Err("this entry is not a frame".to_owned()),
        _ => match target_frame(ui, model) {
            Some(entry) => Captured::of(entry, model),
            None => Err("no frame is kept for it; the Wire lists the frames that are".to_owned()),
        },
    }?;
    captured.field = ui.top::<Inspector>().map_or_else(Vec::new, Inspector::selected_names);
    Ok(Act::effects(move |ui, _| {
        let limits = ui.limits;
        let at = ui.at.wall;
        open(ui);
        // What was written before is listed with what was sent.
        let unsent = ui.top::<Workbench>().and_then(|bench| bench.unsent(&limits, at));
        let saved = unsent.map(|unsent| ui.systems.workbench.list(unsent.into(), &limits.console));
        if let Some(bench) = ui.top_mut::<Workbench>() {
            bench.load((captured.way, Some(captured.seq)), captured.bytes, &limits);
            bench.field = captured.field;
        }
        if let Some(words) = captured.refreshed {
            show_message(ui, words, false, ui.at);
        }
        saved.into_iter().collect()
    }))
}
