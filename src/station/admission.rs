//! What the ports of the station count of who was turned away.

use crate::admission::Tally;

/// The counters of every port; they outlive a host that is started again.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    pub(super) mpp: Tally,
    pub(super) rmp: Tally,
    pub(super) macp: Tally,
    pub(super) metrics: Tally,
}
