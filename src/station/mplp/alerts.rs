//! What of lifecycle records is cause for an alert.

use crate::{
    port::{Snapshot, health},
    station::alerts::{CauseKind, Evidence, Findings, Watch, Watching},
    tap::{EntryRef, entry::Link},
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Mplp);
/// Objects or events of ours were not clean, in the last ten minutes.
pub(crate) static WITHHELD: CauseKind = CauseKind::new("withheld", Link::Mplp, "records");

/// The memory of lifecycle records for their alerts: the snapshot has all of it.
#[derive(Debug, Default)]
pub(crate) struct RecordsWatch;

impl Watch for RecordsWatch {
    #[cfg(test)]
    const KINDS: &[&'static CauseKind] = &[&HOST_DOWN, &WITHHELD];

    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, _: EntryRef<'_>, _: &mut Watching<'_>) {}

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        if findings.check_host(&HOST_DOWN, evidence) {
            return;
        }
        let problems = health::mplp::problems(evidence.state, evidence.now);
        for problem in problems {
            let first = health::mplp::withheld_lately(evidence.state, evidence.now).next();
            let since = first.map_or(evidence.now, |view| view.at);
            findings.add(WITHHELD.of("records"), since, problem.reason);
        }
    }
}
