//! What of the coordination runtime is cause for an alert.

use super::health::host_remedy;
use crate::{
    console::{
        draw::format,
        model::{
            alerts::{CauseKind, Evidence, Findings, Watch, Watching},
            health::{command, instruction},
        },
    },
    dissect::macp::describe_close,
    macp::{CloseCause, Closings, Transition},
    port::Snapshot,
    tap::{
        EntryRef,
        entry::{Link, Transition as Any, What},
    },
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Macp, |_, _| host_remedy());
/// Connections of the port are closed for this bound, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::new("turned_away", Link::Macp, "macp", |cause, _| {
    let cause = CloseCause::from_name(cause.subject());
    let remedy = cause.map(|cause| instruction(describe_close(cause).1));
    remedy.into_iter().chain([command("ls health")]).collect()
})
.news();

/// The runtime's memory for its alerts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SessionsWatch {
    closings: Closings,
}

impl Watch for SessionsWatch {
    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        if let What::Transition(Any::Macp(Transition::Closed { cause, .. })) = &entry.entry.what
            && !cx.is_in_snapshot
        {
            self.closings.record(entry.entry.at, *cause);
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        if findings.check_host(&HOST_DOWN, evidence) {
            return;
        }
        for closing in self.closings.current(evidence.now) {
            let (why, _) = describe_close(closing.cause);
            let text = format!("{} connections of the MACP port closed: {why}", format::count(closing.count));
            findings.add(TURNED_AWAY.of(closing.cause.name()), closing.since, text);
        }
    }
}
