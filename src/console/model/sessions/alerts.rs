//! What of the coordination runtime is cause for an alert.

use super::health::{host_remedy, port_remedy};
use crate::{
    admission::without_port,
    console::{
        draw::format,
        model::{
            alerts::{CauseKind, Evidence, Findings, Watch, Watching},
            health::{command, instruction},
        },
    },
    dissect::macp::describe_turn_away,
    macp::{Listener, Transition, TurnAwayCause, TurnAways},
    port::Snapshot,
    tap::{
        EntryRef,
        entry::{Link, Transition as Any, What},
    },
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Macp, |_, _| host_remedy());
/// The port is not bound or accepts nothing.
pub(crate) static PORT_DOWN: CauseKind =
    CauseKind::new("port_down", Link::Macp, "macp", |_, _| port_remedy());
/// Connections and calls are turned away for this bound, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::new("turned_away", Link::Macp, "macp", |cause, _| {
    let cause = TurnAwayCause::from_name(cause.subject());
    let remedy = cause.map(|cause| instruction(describe_turn_away(cause).1));
    remedy.into_iter().chain(["ls clients", "ls health"].map(command)).collect()
})
.news();

/// The runtime's memory for its alerts.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionsWatch {
    turn_aways: TurnAways,
}

impl Watch for SessionsWatch {
    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        if let What::Transition(Any::Macp(Transition::TurnedAway { peer, cause })) = &entry.entry.what
            && !cx.is_in_snapshot
        {
            self.turn_aways.record(entry.entry.at, *cause, 1, [(without_port(peer), 1)]);
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        if findings.check_host(&HOST_DOWN, evidence) {
            return;
        }
        if let Listener::Down(why) = &evidence.state.macp.listener {
            findings.add(PORT_DOWN.cause(), evidence.now, format!("the port does not answer: {why}"));
        }
        for span in self.turn_aways.current(evidence.now) {
            let (why, _) = describe_turn_away(span.why);
            let text =
                format!("the MACP port turned {} away: {why}{}", format::count(span.count), span.most_text());
            findings.add(TURNED_AWAY.of(span.why.name()), span.since, text);
        }
    }
}
