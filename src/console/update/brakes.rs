//! The show's brakes: hold and drain, of one queue and of all. Releasing puts back what was there before.

use super::{acting::ask, hindrance::queue_at_hand};
use crate::{
    console::{
        action::{Asked, Effect},
        model::Model,
        overlays::Bound,
        ui::Ui,
    },
    ids::QueueName,
    mpp,
    port::Command,
    tap::entry::mpp::Brake,
};

fn brake(command: mpp::Command) -> Effect {
    Effect::Command { asked: Asked::Brake, command: Command::Mpp(command) }
}

fn brake_of(model: &Model, queue: &QueueName) -> Option<Brake> {
    Some(model.mpp()?.queues.get(queue.as_str())?.brake)
}

/// Holds the queue at hand, or releases it; a drain stays.
pub(super) fn hold(ui: &mut Ui, model: &Model) -> Option<Vec<Effect>> {
    let name = queue_at_hand(ui, model)?;
    let now = brake_of(model, &name)?;
    // Held or released by hand, it is no longer what was held with all the others.
    ui.held_here.remove(name.as_str());
    let queue = Some(name.clone());
    Some(match now {
        Brake { held: true, draining: true } => release(ui, model, &[name], &[]),
        Brake { held: true, draining: false } => vec![brake(mpp::Command::Resume { queue })],
        Brake { held: false, .. } => vec![brake(mpp::Command::Hold { queue })],
    })
}

/// Drains the queue at hand, or takes new work there again.
pub(super) fn drain(ui: &Ui, model: &Model) -> Option<Effect> {
    let name = queue_at_hand(ui, model)?;
    let is_draining = brake_of(model, &name)?.draining;
    let queue = Some(name);
    Some(brake(if is_draining { mpp::Command::Resume { queue } } else { mpp::Command::Drain { queue } }))
}

/// Holds everything, or releases what this console held so. A console that does not know what it was, releases what is held and not
/// draining, and asks for the rest.
pub(super) fn hold_all(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    let declared: Vec<(&QueueName, Brake)> =
        mpp.queues.iter().filter(|(_, queue)| queue.ready_after.is_some()).map(|(name, queue)| (name, queue.brake)).collect();
    if declared.iter().any(|(_, brake)| !brake.held) {
        ui.held_here.retain(|name| mpp.queues.get(name.as_str()).is_some_and(|queue| queue.brake.held));
        ui.held_here.extend(declared.iter().filter(|(_, brake)| !brake.held).map(|(name, _)| (*name).clone()));
        return vec![brake(mpp::Command::Hold { queue: None })];
    }
    let is_known = declared.iter().any(|(name, _)| ui.held_here.contains(name.as_str()));
    let held_here = std::mem::take(&mut ui.held_here);
    let is_released = |name: &QueueName, brake: Brake| if is_known { held_here.contains(name.as_str()) } else { !brake.draining };
    let (released, rest): (Vec<_>, Vec<_>) = declared.into_iter().partition(|(name, brake)| is_released(name, *brake));
    let names = |queues: Vec<(&QueueName, Brake)>| queues.into_iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (released, rest) = (names(released), names(rest));
    let effects = release(ui, model, &released, &rest);
    if !is_known && !rest.is_empty() {
        ask(ui, Some(Bound::Release { queues: rest }));
    }
    effects
}

/// Ends the hold of these queues; those that drain go on draining, for resuming ends both. The rest stay held, and are named.
pub(super) fn release(ui: &mut Ui, model: &Model, queues: &[QueueName], rest: &[QueueName]) -> Vec<Effect> {
    let is_plain = rest.is_empty() && queues.iter().all(|name| brake_of(model, name).is_some_and(|brake| !brake.draining));
    let is_all = model.mpp().is_some_and(|mpp| mpp.queues.values().filter(|queue| queue.ready_after.is_some()).count() == queues.len());
    if is_plain && is_all {
        ui.held_here.clear();
        return vec![brake(mpp::Command::Resume { queue: None })];
    }
    let mut commands = Vec::new();
    let mut words = Vec::new();
    for name in queues {
        let Some(now) = brake_of(model, name).filter(|brake| brake.held) else { continue };
        ui.held_here.remove(name.as_str());
        commands.push(mpp::Command::Resume { queue: Some(name.clone()) });
        if now.draining {
            commands.push(mpp::Command::Drain { queue: Some(name.clone()) });
        }
        words.push(format!("{name} {}", if now.draining { "drains on" } else { "runs" }));
    }
    words.extend(rest.iter().map(|name| format!("{name} stays held (H)")));
    let last = commands.len().saturating_sub(1);
    let release = |(index, command)| Effect::Command {
        asked: Asked::Release { words: (index == last).then(|| words.join(", ")) },
        command: Command::Mpp(command),
    };
    commands.into_iter().enumerate().map(release).collect()
}
