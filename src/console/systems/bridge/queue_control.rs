//! The show's brakes: hold and drain, of one queue and of all. Resuming leaves a drain as it is.

use crate::{
    console::{
        draw::{format, theme::Role},
        input::{action::Action, pane_id::PaneId},
        model::Model,
        overlays::{Answer, Answers, Confirm},
        records::ManualPlace,
        settings::view::View,
        systems::bridge::{Pending, keys::QUEUE, outcomes::bridge_command},
        ui::{
            Target,
            act::{Act, Resolved, Unavailable},
            effect::{Effect, OutcomeText},
            pane::PaneContext,
            state::{Focus, Ui},
        },
    },
    ids::QueueName,
    mpp,
    port::{Command, HostState, Outcome},
    runs,
    tap::entry::{Link, mpp::Brake},
};

/// The message once everything is held.
const ALL_HELD: &str = "everything held: no new dispatches; work in progress continues";

/// Why nothing is held or resumed yet.
const STARTING: &str = "the station is starting";

/// One command of several that hold or release together: the last one's text says what all of them did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch(pub(crate) Option<String>);

impl OutcomeText for Batch {
    fn text(&self, _outcome: &Outcome) -> Option<(String, bool)> {
        Some((self.0.clone()?, false))
    }
}

/// The queue that an action would brake, and its brake as it is.
fn target_queue(action: Action, cx: &PaneContext<'_>) -> Result<(QueueName, Brake), Unavailable> {
    let PaneContext { model, ui, view } = *cx;
    let name = match ui.target(model) {
        Target::Row(PaneId::Pending) => ui.top::<Pending>().map(|list| list.queue.clone()),
        Target::Row(PaneId::Queues) => {
            ui.selected(PaneId::Queues, model).and_then(|key| QUEUE.id(&key).cloned())
        }
        _ => None,
    };
    if let Some(name) = name {
        let queue = model.mpp().and_then(|mpp| mpp.queues.get(name.as_str()));
        let brake = queue.map(|queue| queue.brake).unwrap_or_default();
        return Ok((name, brake));
    }
    let (key, next, back) = (view.key(action), view.key(Action::FocusNext), view.key(Action::Back));
    Err(match (ui.focus, ui.zoomed) {
        (Focus::Pane(PaneId::Queues), _) => "no queue is selected".into(),
        _ if !ui.view.panes().contains(&PaneId::Queues) => {
            format!("{key} needs a queue: {} shows them", view.key(Action::ViewDeck)).into()
        }
        (_, Some(_)) => format!("{key} needs a queue: {back}, then {next} to Queues").into(),
        (_, None) => format!("{key} needs a queue: {next} to Queues").into(),
    })
}

/// Holds the queue at hand, or releases it; a drain stays.
pub(super) fn hold(cx: &PaneContext<'_>) -> Resolved {
    let (name, brake) = target_queue(Action::Hold, cx)?;
    if brake.held && ShowBrakes::of(cx.model).is_some_and(|brakes| brakes.hold_all()) {
        return Ok(Act::confirm(ReleaseQueue(name)));
    }
    let queue = Some(name);
    let command = if brake.held { mpp::Command::Release { queue } } else { mpp::Command::Hold { queue } };
    Ok(Act::Do(vec![bridge_command(command)]))
}

/// Drains the queue at hand, or takes new work there again.
pub(super) fn drain(cx: &PaneContext<'_>) -> Resolved {
    let (name, brake) = target_queue(Action::Drain, cx)?;
    // Only resuming ends a drain, and for a moment it would dispatch from a queue that is to stay held.
    if brake.held && brake.draining {
        let (hold, drain) = (cx.view.key(Action::Hold), cx.view.key(Action::Drain));
        return Err(format!("{name} is held: {hold} resumes it first, then {drain} ends the drain").into());
    }
    let queue = Some(name);
    let command = if brake.draining { mpp::Command::Resume { queue } } else { mpp::Command::Drain { queue } };
    Ok(Act::Do(vec![bridge_command(command)]))
}

/// What of the show is held and what is not: queues of the manifest, and attempts of runs where they can be.
struct ShowBrakes {
    held: Vec<(QueueName, Brake)>,
    free: usize,
    are_runs_held: Option<bool>,
}

impl ShowBrakes {
    fn of(model: &Model) -> Option<Self> {
        let state = model.station_state.as_ref()?;
        let declared = state.mpp.queues.iter().filter(|(_, queue)| queue.ready_after.is_some());
        let (held, free): (Vec<_>, Vec<_>) =
            declared.map(|(name, queue)| (name.clone(), queue.brake)).partition(|(_, brake)| brake.held);
        let is_up = state.station.hosts[Link::Runs.index()] == HostState::Up;
        Some(Self { held, free: free.len(), are_runs_held: is_up.then_some(state.runs.held) })
    }

    /// Whether nothing is dispatched at all: the brake was pulled.
    fn hold_all(&self) -> bool {
        self.free == 0 && self.held.len() > 1 && self.are_runs_held != Some(false)
    }
}

/// Let one queue dispatch while everything else stays held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReleaseQueue(QueueName);

impl Confirm for ReleaseQueue {
    fn title(&self) -> String {
        format!("Resume only {}?", self.0)
    }

    fn describe(&self, _refund: bool, model: &Model, view: &View) -> Vec<(String, Role)> {
        let pending = model.mpp().and_then(|mpp| mpp.queues.get(self.0.as_str())).map_or(0, |it| it.pending);
        let line = format!(
            "Everything is held. {} will dispatch again: {} pending.",
            self.0,
            format::count(pending)
        );
        let all = format!("{} resumes everything.", view.key(Action::ResumeAll));
        vec![(line, Role::Text), (all, Role::Muted)]
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("glossary", ["held"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("resume")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let queue = model.mpp().and_then(|mpp| mpp.queues.get(self.0.as_str()));
        if !queue.is_some_and(|queue| queue.brake.held) {
            return Err("already resumed".to_owned());
        }
        Ok(vec![bridge_command(mpp::Command::Release { queue: Some(self.0.clone()) })])
    }
}

/// Commands that hold or resume together: whichever answer comes last, one text says what all of them did.
fn together(queues: Option<mpp::Command>, runs: Option<runs::Command>, words: String) -> Vec<Effect> {
    let all = queues.map(Command::Mpp).into_iter().chain(runs.map(Command::Runs));
    let mut effects: Vec<Effect> = all.map(|command| Effect::command(command, Batch(None))).collect();
    if let Some(Effect::Command { on_outcome, .. }) = effects.last_mut() {
        *on_outcome = Box::new(Batch(Some(words)));
    }
    effects
}

/// Holds everything that is not held: the queues and the attempts of runs.
pub(super) fn hold_all(cx: &PaneContext<'_>) -> Resolved {
    let brakes = ShowBrakes::of(cx.model).ok_or(STARTING)?;
    let queues = (brakes.free > 0).then_some(mpp::Command::Hold { queue: None });
    let runs = (brakes.are_runs_held == Some(false)).then_some(runs::Command::Hold);
    if queues.is_none() && runs.is_none() {
        return Err(
            format!("everything is already held; {} resumes it", cx.view.key(Action::ResumeAll)).into()
        );
    }
    Ok(Act::Do(together(queues, runs, ALL_HELD.to_owned())))
}

/// Asks whether everything that is held is to go on.
pub(super) fn resume_all(cx: &PaneContext<'_>) -> Resolved {
    let brakes = ShowBrakes::of(cx.model).ok_or(STARTING)?;
    if brakes.held.is_empty() && brakes.are_runs_held != Some(true) {
        return Err("nothing is held".into());
    }
    Ok(Act::confirm(ResumeAll))
}

/// Resume everything that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResumeAll;

impl Confirm for ResumeAll {
    fn title(&self) -> String {
        "Resume everything?".to_owned()
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        let Some(brakes) = ShowBrakes::of(model) else { return Vec::new() };
        let pending = |name: &QueueName| {
            let queue = model.mpp().and_then(|mpp| mpp.queues.get(name.as_str()));
            queue.map_or(0, |queue| queue.pending)
        };
        let queue = |(name, brake): &(QueueName, Brake)| {
            let drains = if brake.draining { ", and stays draining" } else { "" };
            format!("{name} will dispatch again{drains}: {} pending.", format::count(pending(name)))
        };
        let runs = (brakes.are_runs_held == Some(true)).then(|| "Runs start new attempts again.".to_owned());
        let lines: Vec<_> = brakes.held.iter().map(queue).chain(runs).collect();
        if lines.is_empty() {
            return vec![("Already resumed.".to_owned(), Role::Warn)];
        }
        lines.into_iter().map(|line| (line, Role::Text)).collect()
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("glossary", ["held"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("resume all")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let brakes = ShowBrakes::of(model).ok_or(STARTING)?;
        let queues = (!brakes.held.is_empty()).then_some(mpp::Command::Release { queue: None });
        let runs = (brakes.are_runs_held == Some(true)).then_some(runs::Command::Release);
        let queue = |(name, brake): &(QueueName, Brake)| {
            format!("{name} {}", if brake.draining { "draining" } else { "resumed" })
        };
        let begun = runs.is_some().then(|| "runs resumed".to_owned());
        let words: Vec<_> = brakes.held.iter().map(queue).chain(begun).collect();
        if words.is_empty() {
            return Err("already resumed".to_owned());
        }
        Ok(together(queues, runs, format!("resumed: {}", words.join(", "))))
    }
}
