//! What of the bus is cause for an alert.

use std::time::Duration;

use super::{
    health::{host_remedy, socket_remedy},
    state::drop_groups,
};
use crate::{
    admission::{Port, RecentTurnAways},
    console::{
        draw::format,
        input::action::Action,
        model::{
            alerts::{CauseKind, Evidence, Findings, Watch, Watching},
            health::{ReportLine, command, instruction, key_hint},
            station::StationState,
        },
    },
    dissect::rmp::drop_word,
    port::Snapshot,
    rmp::{DropReason, Listener, Transition as T},
    tap::{
        EntryRef,
        entry::{Link, Transition, What},
    },
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Rmp, |_, _| host_remedy());
/// Connections of the bus are turned away for this reason, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::turned_away(Link::Rmp, Port::Rmp);
/// The bus's socket is not bound or accepts nothing.
pub(crate) static SOCKET_DOWN: CauseKind =
    CauseKind::new("socket_down", Link::Rmp, "rmp", |_, _| socket_remedy());
/// Messages of the bus do not reach their subscribers, and it goes on.
pub(crate) static DROPPING: CauseKind =
    CauseKind::new("dropping", Link::Rmp, "rmp", |_, state| dropping_remedy(state)).with_lasting_remedy();

/// Ten-second spans in a row in each of which something was dropped, before that is cause for an alert.
const DROPPING_BUCKETS: usize = 3;
const MINUTE: Duration = Duration::from_secs(60);

fn dropping_remedy(state: &StationState) -> Vec<ReportLine> {
    let mut lines = vec![
        instruction("see in the Drops whose they are; each says what to do:"),
        key_hint(Action::ViewBus, "shows the Bus"),
        command("ls subscriptions"),
    ];
    let mut drops = state.rmp.drops.iter().rev();
    let full = drops.find_map(|drop| drop.to.filter(|_| drop.reason == DropReason::BackpressureTimeout));
    if let Some((session, _)) = full.filter(|(session, _)| state.rmp.peers.contains_key(session)) {
        lines.extend([
            instruction("who hangs is disconnected, and may come again:"),
            command(format!("peer disconnect {session}")),
        ]);
    }
    lines
}

/// The bus's memory for its alerts; what it dropped is kept beside.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusWatch {
    turned_away: RecentTurnAways,
}

impl Watch for BusWatch {
    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        if let What::Transition(Transition::Rmp(T::Disconnected { session, cause })) = &entry.entry.what
            && let Some(why) = cause.turned_away()
            && !cx.is_in_snapshot
        {
            let known = cx.before.and_then(|before| before.rmp.peers.get(session));
            self.turned_away.record(entry.entry.at, why, 1, known.map(|known| (known.peer.clone(), 1)));
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        if findings.check_host(&HOST_DOWN, evidence) {
            return;
        }
        let Evidence { state, drops, now, .. } = *evidence;
        if let Listener::Down(why) = &state.rmp.listener {
            findings.add(SOCKET_DOWN.cause(), now, format!("the bus's socket does not answer: {why}"));
        }
        findings.add_turned_away(&TURNED_AWAY, Port::Rmp, &self.turned_away, now);
        let Some(since) = drops.steady_since(DROPPING_BUCKETS, now) else { return };
        let count =
            format::count(DropReason::ALL.iter().map(|reason| drops.per_minute(reason.index(), now)).sum());
        let recent = drop_groups(&state.rmp);
        let recent = recent.iter().filter(|group| now.mono.since(group.last.at.mono) < MINUTE);
        let whose = recent.max_by_key(|group| group.count).map_or_else(String::new, |group| {
            let session = group.key.culprit.session();
            let session = session.map_or_else(String::new, |session| format!(" (session {session})"));
            let reason = drop_word(group.key.reason).replace('_', " ");
            format!(", most: {reason} on {}, {}{session}", group.key.topic, group.culprit_label())
        });
        let text =
            format!("messages of the bus do not reach their subscribers: {count} in the last minute{whose}");
        findings.add(DROPPING.cause(), since, text);
    }
}
