//! The show's brakes: hold and drain, of one queue and of all. Releasing a hold leaves a drain as it is.

use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        model::Model,
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
const ALL_HELD: &str =
    "all is held: nothing is dispatched, and no attempt of a run is begun; what is worked on goes on";

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
            format!("{key} works on a queue: {} shows them", view.key(Action::ViewDeck)).into()
        }
        (_, Some(_)) => format!("{key} works on a queue: {back}, then {next} to Queues").into(),
        (_, None) => format!("{key} works on a queue: {next} to Queues").into(),
    })
}

/// Holds the queue at hand, or releases it; a drain stays.
pub(super) fn hold(cx: &PaneContext<'_>) -> Resolved {
    let (name, brake) = target_queue(Action::Hold, cx)?;
    Ok(Act::effects(move |ui, _| {
        // Held or released by hand, it is no longer what was held with all the others.
        ui.systems.bridge.held_here.remove(name.as_str());
        let queue = Some(name);
        let command = if brake.held { mpp::Command::Release { queue } } else { mpp::Command::Hold { queue } };
        vec![bridge_command(command)]
    }))
}

/// Drains the queue at hand, or takes new work there again.
pub(super) fn drain(cx: &PaneContext<'_>) -> Resolved {
    let (name, brake) = target_queue(Action::Drain, cx)?;
    // Only resuming ends a drain, and for a moment it would dispatch from a queue that is to stay held.
    if brake.held && brake.draining {
        let (hold, drain) = (cx.view.key(Action::Hold), cx.view.key(Action::Drain));
        return Err(format!("{name} is held: {hold} releases it first, then {drain} ends the drain").into());
    }
    let queue = Some(name);
    let command = if brake.draining { mpp::Command::Resume { queue } } else { mpp::Command::Drain { queue } };
    Ok(Act::Do(vec![bridge_command(command)]))
}

/// Holds everything, the queues and the attempts of runs, or releases what this console held so. A console
/// that does not know what it held releases everything.
pub(super) fn hold_all(ui: &mut Ui, model: &Model, view: &View) -> Vec<Effect> {
    let are_held = model.runs().is_some_and(|runs| runs.held);
    let is_up = model
        .station_state
        .as_ref()
        .is_some_and(|world| world.station.hosts[Link::Runs.index()] == HostState::Up);
    let (mut effects, released) = hold_queues(ui, model, view, are_held || !is_up);
    let holds = released.is_none() && !effects.is_empty();
    let command = match (holds || effects.is_empty(), are_held) {
        (true, false) => Some((ALL_HELD.to_owned(), runs::Command::Hold)),
        (false, true) => {
            let queues = released.map_or_else(String::new, |queues| format!("{queues}, "));
            Some((format!("released: {queues}attempts of runs are begun again"), runs::Command::Release))
        }
        _ => None,
    };
    if let Some((words, command)) = command.filter(|_| is_up) {
        // Whichever answer comes last, what the queues do is not all that is to be said.
        for effect in &mut effects {
            if let Effect::Command { on_outcome, .. } = effect {
                *on_outcome = Box::new(Batch(None));
            }
        }
        effects.push(Effect::command(Command::Runs(command), Batch(Some(words))));
    }
    effects
}

/// The queues' part, with what becomes of each where they are released. While runs go on, queues that are all
/// held stay so.
fn hold_queues(
    ui: &mut Ui,
    model: &Model,
    view: &View,
    are_runs_held: bool,
) -> (Vec<Effect>, Option<String>) {
    let Some(mpp) = model.mpp() else { return (Vec::new(), None) };
    let declared: Vec<(&QueueName, Brake)> = mpp
        .queues
        .iter()
        .filter(|(_, queue)| queue.ready_after.is_some())
        .map(|(name, queue)| (name, queue.brake))
        .collect();
    if declared.iter().any(|(_, brake)| !brake.held) {
        let held_here = &mut ui.systems.bridge.held_here;
        held_here.retain(|name| mpp.queues.get(name.as_str()).is_some_and(|queue| queue.brake.held));
        held_here.extend(declared.iter().filter(|(_, brake)| !brake.held).map(|(name, _)| (*name).clone()));
        return (vec![bridge_command(mpp::Command::Hold { queue: None })], None);
    }
    if !are_runs_held {
        return (Vec::new(), None);
    }
    let held_here = std::mem::take(&mut ui.systems.bridge.held_here);
    let (released, rest): (Vec<_>, Vec<_>) =
        declared.into_iter().partition(|(name, _)| held_here.contains(name.as_str()));
    let runs = |(name, brake): &(&QueueName, Brake)| {
        format!("{name} {}", if brake.draining { "drains on" } else { "runs" })
    };
    if released.is_empty() || rest.is_empty() {
        let words: Vec<String> = released.iter().chain(&rest).map(runs).collect();
        return (vec![bridge_command(mpp::Command::Release { queue: None })], Some(words.join(", ")));
    }
    let key = view.key(Action::Hold);
    let stays = |(name, _): &(&QueueName, Brake)| format!("{name} stays held ({key})");
    let words = released.iter().map(runs).chain(rest.iter().map(stays)).collect::<Vec<_>>().join(", ");
    let last = released.len() - 1;
    let release = |(index, (name, _)): (usize, (&QueueName, Brake))| {
        let command = mpp::Command::Release { queue: Some(name.clone()) };
        Effect::command(Command::Mpp(command), Batch((index == last).then(|| words.clone())))
    };
    let effects = released.into_iter().enumerate().map(release).collect();
    (effects, Some(words))
}
