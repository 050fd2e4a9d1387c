//! What of the coordination runtime is cause for an alert.

use crate::{
    admission::without_port,
    dissect::macp::describe_turn_away,
    macp::{Listener, Transition, TurnAways},
    port::Snapshot,
    station::alerts::{CauseKind, Evidence, Findings, Watch, Watching},
    tap::{
        EntryRef,
        entry::{Link, Transition as Any, What},
    },
    words::format,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Macp);
/// The port is not bound or accepts nothing.
pub(crate) static PORT_DOWN: CauseKind = CauseKind::new("port_down", Link::Macp, "macp");
/// Connections and calls are turned away for this bound, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::new("turned_away", Link::Macp, "macp");

/// The runtime's memory for its alerts.
#[derive(Debug, Default)]
pub(crate) struct SessionsWatch {
    turn_aways: TurnAways,
}

impl Watch for SessionsWatch {
    #[cfg(test)]
    const KINDS: &[&'static CauseKind] = &[&HOST_DOWN, &PORT_DOWN, &TURNED_AWAY];

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
            findings.add(PORT_DOWN.cause(), evidence.now, format!("the port is down: {why}"));
        }
        for span in self.turn_aways.current(evidence.now) {
            let (why, _) = describe_turn_away(span.why);
            let text =
                format!("the MACP port rejected {}: {why}{}", format::count(span.count), span.most_text());
            findings.add(TURNED_AWAY.of(span.why.name()), span.since, text);
        }
    }
}
