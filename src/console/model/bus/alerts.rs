//! What to do about the alerts of the bus.

use super::health::{host_remedy, socket_remedy};
use crate::{
    console::{
        input::action::Action,
        model::{
            alerts::AlertKind,
            health::{ReportLine, command, instruction, key_hint},
            station::StationState,
        },
    },
    rmp::DropReason,
};

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| host_remedy()),
    AlertKind::TURNED_AWAY,
    AlertKind::new("socket_down", |_, _| socket_remedy()),
    AlertKind::new("dropping", |_, state| dropping_remedy(state)).with_lasting_remedy(),
];

fn dropping_remedy(state: &StationState) -> Vec<ReportLine> {
    let mut lines = vec![
        instruction("see the Drops for the culprits and their remedies:"),
        key_hint(Action::ViewBus, "shows the Bus"),
        command("ls subscriptions"),
    ];
    let mut drops = state.rmp.drops.iter().rev();
    let full = drops.find_map(|drop| drop.to.filter(|_| drop.reason == DropReason::BackpressureTimeout));
    if let Some((session, _)) = full.filter(|(session, _)| state.rmp.peers.contains_key(session)) {
        lines.extend([
            instruction("disconnect a peer that hangs; it may reconnect:"),
            command(format!("peer disconnect {session}")),
        ]);
    }
    lines
}
