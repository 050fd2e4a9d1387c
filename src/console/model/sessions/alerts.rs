//! What of the coordination runtime is cause for an alert.

use super::health::host_remedy;
use crate::{
    console::model::alerts::{CauseKind, Evidence, Findings, Watch, Watching},
    port::Snapshot,
    tap::{EntryRef, entry::Link},
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Macp, |_, _| host_remedy());

/// The runtime's memory for its alerts: nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SessionsWatch;

impl Watch for SessionsWatch {
    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, _: EntryRef<'_>, _: &mut Watching<'_>) {}

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        findings.check_host(&HOST_DOWN, evidence);
    }
}
