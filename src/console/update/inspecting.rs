//! Looking at entries: which one a place speaks of, and from one to the next.

use super::dispatch::say;
use crate::{
    console::{
        action::{Action, Effect},
        inspect::{Goes, Inspector, Opening, Subject, summary},
        model::{DropKey, Kept, Model},
        overlays::{self, Overlay},
        pane_id::PaneId,
        panes,
        selection::RecordKey,
        ui::{Focus, Ui},
        view::View,
    },
    ids::{ConnectionId, InvocationId, Seq, StateKey, TopicName, TraceId},
    macp::SessionRef,
    mpp::LogView,
    tap::{
        EntryRef,
        entry::{
            Entry, Frame, Head, Transition, Verdict, What,
            mpp::{self, FrameType},
            rmp, runs,
        },
    },
    time::{Now, Wall},
};

/// What the entries of a place are found by.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Traced {
    Invocation(InvocationId),
    /// The entry that told of it.
    Entry(Seq),
    /// An entry itself: its cause, and what it caused.
    Itself(Seq),
    /// A line of the adapter's log: the entry of the same moment.
    Line(LogView),
    StateKey(StateKey),
    /// What was published on it.
    Topic(TopicName),
    /// The changes of state of a session of the bus.
    Session(ConnectionId),
    /// The notices of drops.
    Drop(DropKey),
    /// The changes of state of a run.
    Run(TraceId),
    /// Those of one of its nodes.
    Node(TraceId, u32),
    /// What it told with this number.
    RunEvent(TraceId, u64),
    /// The changes of state of a session of the runtime.
    Held(SessionRef),
    /// Those of this moment.
    HeldAt(SessionRef, Wall),
}

/// Causes that are followed up to a frame.
const HOPS_MAX: usize = 16;

/// Why no entry is looked at: it was there, and is not kept any more.
const GONE: &str = "its entries are no longer kept (limits.console.kept_entries_max)";

/// Opens the inspector at an entry; nothing is opened, and it is said, where the entry is not kept.
pub(crate) fn open(ui: &mut Ui, view: &View, seq: Seq) -> Vec<Effect> {
    let Some(subject) = ui.time.kept().at(seq).map(Subject::of) else {
        say(ui, format!("entry {seq} is no longer kept (limits.console.kept_entries_max)"), true, ui.at);
        return Vec::new();
    };
    let opening = opening(ui, view, &subject);
    let (inspector, effect) = Inspector::of(subject, opening);
    ui.overlays.push(Overlay::Inspector(Box::new(inspector)));
    effect.into_iter().collect()
}

fn opening(ui: &mut Ui, view: &View, subject: &Subject) -> Opening {
    ui.inspected += 1;
    let at = subject.entry.at;
    Opening {
        number: ui.inspected,
        time: format!("{}.{:03}", view.time_of_day(at), at.wall.0 % 1_000),
        limits: ui.limits.console,
    }
}

/// Goes on to another entry in the inspector that is open.
fn go_to(ui: &mut Ui, view: &View, seq: Seq) -> Vec<Effect> {
    let Some(subject) = ui.time.kept().at(seq).map(Subject::of) else {
        say(ui, format!("entry {seq} is no longer kept (limits.console.kept_entries_max)"), true, ui.at);
        return Vec::new();
    };
    let opening = opening(ui, view, &subject);
    let Some(Overlay::Inspector(inspector)) = ui.overlays.last_mut() else { return Vec::new() };
    inspector.go_to(subject, opening).into_iter().collect()
}

/// Takes the worker's answer.
pub(super) fn decoded(ui: &mut Ui, number: u64, tree: Option<crate::console::inspect::Tree>) {
    let mut tree = Some(tree);
    for overlay in &mut ui.overlays {
        if let Overlay::Inspector(inspector) = overlay
            && inspector.awaits(number)
        {
            inspector.decoded(tree.take().flatten());
        }
    }
}

/// What the inspector's own keys do, and those that lead into it.
pub(super) fn act(ui: &mut Ui, model: &Model, view: &View, action: Action) -> Vec<Effect> {
    let Some(Overlay::Inspector(inspector)) = ui.overlays.last_mut() else {
        return trace(ui, model, view, action);
    };
    let subject = inspector.subject.clone();
    match action {
        Action::Open => match inspector.open() {
            Goes::Nowhere => Vec::new(),
            Goes::Entry(seq) => go_to(ui, view, seq),
        },
        Action::Cause => subject.entry.cause.map_or_else(Vec::new, |cause| go_to(ui, view, cause)),
        Action::Effect => match inspector.around.effects.as_slice() {
            [(only, _)] => {
                let only = *only;
                go_to(ui, view, only)
            }
            all => {
                let words = format!(
                    "it caused {} entries: {} looks at the selected one",
                    all.len(),
                    view.key(Action::Open)
                );
                inspector.next_effect();
                say(ui, words, false, ui.at);
                Vec::new()
            }
        },
        Action::RelatedNext | Action::RelatedPrevious => {
            let is_forward = action == Action::RelatedNext;
            let next = ui.time.kept().next_related(subject.seq(), is_forward).map(|found| found.entry.seq);
            if let Some(seq) = next {
                return go_to(ui, view, seq);
            }
            let words = match (ui.time.kept().at(subject.seq()), is_forward) {
                (None, _) => GONE,
                (Some(_), true) => "this is the last entry of its work so far",
                (Some(_), false) => "no earlier entry of its work is kept",
            };
            say(ui, words.to_owned(), true, ui.at);
            Vec::new()
        }
        Action::Return => back(ui, view),
        _ => Vec::new(),
    }
}

fn back(ui: &mut Ui, view: &View) -> Vec<Effect> {
    let before = match ui.overlays.last() {
        Some(Overlay::Inspector(inspector)) => inspector.before().cloned(),
        _ => None,
    };
    let Some(before) = before else { return Vec::new() };
    let opening = opening(ui, view, &before);
    let Some(Overlay::Inspector(inspector)) = ui.overlays.last_mut() else { return Vec::new() };
    inspector.go_back(opening).into_iter().collect()
}

/// From a pane or from details: to the entry that last told of what is selected, or to the first that did.
fn trace(ui: &mut Ui, model: &Model, view: &View, action: Action) -> Vec<Effect> {
    let Some(traced) = at_hand(ui, model) else { return Vec::new() };
    let is_first = action == Action::Effect;
    if let Traced::Itself(seq) = traced {
        return from_entry(ui, view, seq, is_first);
    }
    if let Some(seq) = found(ui.time.kept(), &traced, is_first) {
        return open(ui, view, seq);
    }
    say(ui, GONE.to_owned(), true, ui.at);
    Vec::new()
}

/// From an entry in a list: to its cause, or to what it caused. Where it caused several, they are listed in
/// the inspector.
fn from_entry(ui: &mut Ui, view: &View, seq: Seq, to_effect: bool) -> Vec<Effect> {
    let kept = ui.time.kept();
    let cause = kept.at(seq).map(|found| found.entry.cause);
    let effects: Vec<Seq> = if to_effect {
        kept.effects_of(seq).map(|found| found.entry.seq).take(2).collect()
    } else {
        Vec::new()
    };
    let words = match (cause, to_effect, effects.as_slice()) {
        (None, ..) => GONE,
        (Some(Some(cause)), false, _) => return open(ui, view, cause),
        (Some(None), false, _) => "the tap knows no cause of it",
        (Some(_), true, []) => "it caused nothing that is kept",
        (Some(_), true, [only]) => return open(ui, view, *only),
        (Some(_), true, _) => {
            let effects = open(ui, view, seq);
            if let Some(Overlay::Inspector(inspector)) = ui.overlays.last_mut() {
                inspector.follow(ui.time.kept(), ui.time.until());
                inspector.next_effect();
            }
            return effects;
        }
    };
    say(ui, words.to_owned(), true, ui.at);
    Vec::new()
}

/// The entry that tells of the selected record, while it is kept.
pub(super) fn told_at_hand<'a>(ui: &'a Ui, model: &Model) -> Option<EntryRef<'a>> {
    let kept = ui.time.kept();
    kept.at(found(kept, &at_hand(ui, model)?, false)?)
}

/// The entry that tells of a record: the first, or the last.
fn found(kept: &Kept, traced: &Traced, is_first: bool) -> Option<Seq> {
    let find = |is_it: &dyn Fn(&Entry) -> bool| {
        let mut all = kept.iter().map(|(_, found)| found.entry);
        let found =
            if is_first { all.find(|entry| is_it(entry)) } else { all.rev().find(|entry| is_it(entry)) };
        found.map(|entry| entry.seq)
    };
    match traced {
        Traced::Entry(entry) | Traced::Itself(entry) => kept.at(*entry).map(|found| found.entry.seq),
        Traced::Invocation(id) => {
            // What changed it comes before what was merely said of it: a frame is told by the change that it
            // caused.
            let tells = |entry: &Entry| is_first || matches!(entry.what, What::Transition(_));
            find(&|entry| tells(entry) && entry.invocation() == Some(*id))
        }
        Traced::Line(line) => {
            let index = kept.last_until(line.at.mono)?;
            let of_then =
                kept.range(kept.first()..index + 1).rev().take_while(|(_, found)| found.entry.at == line.at);
            let is_it = |found: &crate::tap::EntryRef<'_>| {
                matches!(found.entry.what, What::Transition(Transition::Mpp(mpp::Transition::Logged { .. })))
                    && found.text().starts_with(line.text.as_ref())
            };
            of_then.map(|(_, found)| found).find(is_it).map(|found| found.entry.seq)
        }
        Traced::Topic(topic) => find(&|entry| match &entry.what {
            What::Frame(Frame {
                head: Head::Rmp(head),
                verdict: Verdict::Rmp(rmp::Verdict::Published { .. }),
                ..
            }) => head.topic.as_ref() == Some(topic),
            _ => false,
        }),
        Traced::Session(session) => find(&|entry| match &entry.what {
            What::Transition(Transition::Rmp(transition)) => transition.session() == Some(*session),
            _ => false,
        }),
        Traced::Drop(key) => find(&|entry| match &entry.what {
            What::Transition(Transition::Rmp(rmp::Transition::Dropped {
                reason, topic, to, from, ..
            })) => key.is_of(*reason, topic, *to, *from),
            _ => false,
        }),
        Traced::Run(_) | Traced::Node(..) | Traced::RunEvent(..) => find(&|entry| match &entry.what {
            What::Transition(Transition::Runs(transition)) => tells_of(traced, transition),
            _ => false,
        }),
        Traced::Held(session) | Traced::HeldAt(session, _) => find(&|entry| match &entry.what {
            What::Transition(Transition::Macp(transition)) => {
                let is_then = if let Traced::HeldAt(_, at) = traced { entry.at.wall == *at } else { true };
                is_then && transition.session() == Some(session)
            }
            _ => false,
        }),
        Traced::StateKey(key) => find(&|entry| match &entry.what {
            What::Transition(Transition::Mpp(mpp::Transition::StateWritten { key: written, .. })) => {
                written == key
            }
            _ => false,
        }),
    }
}

/// Whether a change of a run tells of a record of runs.
fn tells_of(traced: &Traced, transition: &runs::Transition) -> bool {
    use runs::Transition as T;
    match (traced, transition) {
        (Traced::Run(run), _) => transition.run() == Some(*run),
        (
            Traced::Node(run, place),
            T::Moved { node, .. }
            | T::Progressed { node, .. }
            | T::Asked { node, .. }
            | T::Saved { node, .. },
        ) => transition.run() == Some(*run) && node.place == *place,
        (Traced::RunEvent(run, number), T::Told { number: told, .. }) => {
            transition.run() == Some(*run) && told == number
        }
        _ => false,
    }
}

/// The frame that the selected record of this place speaks of, while it is kept: of work the one that gave it
/// to the adapter, of anything else the one that caused what tells of it.
pub(super) fn frame_at_hand<'a>(ui: &'a Ui, model: &Model) -> Option<EntryRef<'a>> {
    let kept = ui.time.kept();
    match at_hand(ui, model)? {
        Traced::Invocation(id) => {
            kept.iter().rev().map(|(_, found)| found).find(|found| gave(found.entry, id))
        }
        traced => {
            let told = kept.at(found(kept, &traced, false)?)?;
            let up = |entry: &EntryRef<'a>| entry.entry.cause.and_then(|cause| kept.at(cause));
            std::iter::successors(Some(told), up)
                .take(HOPS_MAX)
                .find(|found| matches!(found.entry.what, What::Frame(_)))
        }
    }
}

fn gave(entry: &Entry, id: InvocationId) -> bool {
    let What::Frame(Frame { head: Head::Mpp(head), .. }) = &entry.what else { return false };
    head.kind == Some(FrameType::Invocation) && head.id == Some(id)
}

/// What the selected record of this place is found by.
pub(super) fn at_hand(ui: &Ui, model: &Model) -> Option<Traced> {
    match (ui.overlays.last(), ui.focus) {
        (Some(Overlay::Pending(pending)), _) => pending.selected().map(|row| Traced::Invocation(row.id)),
        (Some(Overlay::Facts(facts)), _) => of_facts(&facts.subject),
        (Some(_), _) | (None, Focus::Chips(_)) => None,
        (None, Focus::Pane(pane)) => of_record(ui, model, pane, ui.selected(pane, model)?),
    }
}

fn of_facts(subject: &overlays::Subject) -> Option<Traced> {
    match subject {
        overlays::Subject::Invocation { id, .. } => Some(Traced::Invocation(*id)),
        overlays::Subject::Notice(notice) => notice.seq.map(Traced::Entry),
        overlays::Subject::Refund(refund) => Some(Traced::Invocation(refund.invocation_id)),
        overlays::Subject::State(value) => Some(Traced::StateKey(value.key.clone())),
        overlays::Subject::Line(line) => Some(Traced::Line((**line).clone())),
        overlays::Subject::Fault(group) => Some(Traced::Entry(group.seq)),
        overlays::Subject::Drop(group) => Some(Traced::Drop(group.key.clone())),
        overlays::Subject::Topic(topic) => Some(Traced::Topic(topic.clone())),
        overlays::Subject::BusPeer(session) => Some(Traced::Session(*session)),
        overlays::Subject::Run(run) | overlays::Subject::Artifact(run, _) => Some(Traced::Run(*run)),
        overlays::Subject::StoredRun(row) => Some(Traced::Run(row.run)),
        overlays::Subject::Node(run, place) => Some(Traced::Node(*run, *place)),
        overlays::Subject::RunLine(line) => Some(Traced::RunEvent(line.run, line.number)),
        overlays::Subject::Session(session) => Some(Traced::Held(session.clone())),
        overlays::Subject::StoredSession(row) => Some(Traced::Held(panes::session_of(row))),
        overlays::Subject::Stand(stand) => Some(held(&stand.session, stand.at)),
        overlays::Subject::Voice(voice) => Some(held(&voice.session, voice.at)),
        overlays::Subject::SessionLine(line) => Some(held(&line.session, Some(line.at))),
        overlays::Subject::Chip(_) | overlays::Subject::Alert(_) => None,
    }
}

/// What was said of a session at a moment.
fn held(session: &SessionRef, at: Option<Wall>) -> Traced {
    at.map_or_else(|| Traced::Held(session.clone()), |at| Traced::HeldAt(session.clone(), at))
}

fn of_record(ui: &Ui, model: &Model, pane: PaneId, record: RecordKey) -> Option<Traced> {
    match record {
        RecordKey::Invocation(id) => Some(Traced::Invocation(id)),
        RecordKey::Queue(queue) => model.mpp()?.queues.get(queue.as_str())?.in_flight.map(Traced::Invocation),
        RecordKey::Notice(number) => {
            let mut notices = model.journal.notices.iter().chain(&model.journal.station);
            notices.find(|notice| notice.number == number)?.seq.map(Traced::Entry)
        }
        RecordKey::Refund(_) if pane == PaneId::Refunds => {
            ui.pages.refunds.selected().map(|refund| Traced::Invocation(refund.invocation_id))
        }
        RecordKey::StateKey(key) => Some(Traced::StateKey(key)),
        RecordKey::Line(number) => model.line(number).cloned().map(Traced::Line),
        RecordKey::Fault(breach) => model.faults.group(breach).map(|group| Traced::Entry(group.seq)),
        RecordKey::Entry(seq) => Some(Traced::Itself(seq)),
        RecordKey::Topic(topic) => Some(Traced::Topic(topic)),
        RecordKey::Subscription(session, _) | RecordKey::BusPeer(session) => Some(Traced::Session(session)),
        RecordKey::Drop(key) => Some(Traced::Drop(*key)),
        RecordKey::Run(run) | RecordKey::StoredRun(_, run) | RecordKey::Artifact(run, _) => {
            Some(Traced::Run(run))
        }
        RecordKey::Node(run, place) => Some(Traced::Node(run, place)),
        RecordKey::RunEvent(run, number) => Some(Traced::RunEvent(run, number)),
        RecordKey::Session(session) | RecordKey::StoredSession(session) => Some(Traced::Held(session)),
        RecordKey::Stand(session, _) | RecordKey::Voice(session, ..) | RecordKey::SessionLine(session, _) => {
            match panes::rows(pane, ui, model).into_row(ui.selection(pane)?.index())? {
                panes::Row::Stand(stand) => Some(held(&session, stand.at)),
                panes::Row::Voice(voice) => Some(held(&session, voice.at)),
                panes::Row::SessionLine(line) => Some(held(&session, Some(line.at))),
                _ => None,
            }
        }
        RecordKey::Refund(_)
        | RecordKey::Event(_)
        | RecordKey::Alert(_)
        | RecordKey::Question(_)
        | RecordKey::Field(_)
        | RecordKey::Figure(_) => None,
    }
}

/// Why one of these actions would do nothing.
pub(super) fn hindrance(action: Action, ui: &Ui, model: &Model) -> Option<String> {
    let needs = |there: bool, why: &str| (!there).then(|| why.to_owned());
    let Some(Overlay::Inspector(inspector)) = ui.overlays.last() else {
        return match action {
            Action::Cause | Action::Effect if at_hand(ui, model).is_some() => None,
            Action::Cause | Action::Effect => Some(untraced(ui, model)),
            _ => Some("no entry is inspected".to_owned()),
        };
    };
    match action {
        Action::Open => needs(inspector.opens(), "there is nothing more to open here"),
        Action::Cause => needs(inspector.subject.entry.cause.is_some(), "the tap knows no cause of it"),
        Action::Effect => needs(!inspector.around.effects.is_empty(), "it caused nothing that is kept"),
        Action::RelatedNext | Action::RelatedPrevious => {
            let entry = &inspector.subject.entry;
            needs(
                entry.trace.is_some() || entry.invocation().is_some(),
                "it belongs to no invocation and to no trace",
            )
        }
        Action::Return => needs(inspector.before().is_some(), "no other entry was looked at before"),
        _ => None,
    }
}

fn untraced(ui: &Ui, model: &Model) -> String {
    let selected = match (ui.overlays.is_empty(), ui.focus) {
        (true, Focus::Pane(pane)) => ui.selected(pane, model),
        _ => None,
    };
    match selected {
        Some(RecordKey::Queue(queue)) => format!("nothing is in flight on {queue}"),
        Some(RecordKey::Notice(_)) => {
            "it is this console's own, or older than what it read: no entry tells of it".to_owned()
        }
        Some(_) => "no entry tells of it".to_owned(),
        None => "nothing is selected that an entry tells of".to_owned(),
    }
}

/// The kept entries that tell of an invocation, the oldest first, for its details: the place in the tap,
/// when, and what.
pub(crate) type ToldOf = (Seq, Now, String);

/// Those of `indexes`.
pub(crate) fn told_of(
    kept: &Kept,
    id: InvocationId,
    indexes: std::ops::Range<u64>,
) -> impl Iterator<Item = ToldOf> {
    let concerning =
        kept.range(indexes).map(|(_, found)| found.entry).filter(move |entry| entry.invocation() == Some(id));
    concerning.map(|entry| (entry.seq, entry.at, summary(entry)))
}
