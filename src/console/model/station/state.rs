//! The state that snapshots carry, as entries move it on.

use crate::{
    macp, mpp,
    port::{AsOf, Snapshot, StationView},
    rmp, runs,
};

/// The state that snapshots carry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StationState {
    pub(crate) as_of: AsOf,
    pub(crate) station: StationView,
    pub(crate) mpp: mpp::Snapshot,
    pub(crate) rmp: rmp::Snapshot,
    pub(crate) runs: runs::Snapshot,
    pub(crate) macp: macp::Snapshot,
}

impl StationState {
    /// The state of a snapshot.
    pub(crate) fn of(Snapshot { as_of, at: _, station, mpp, rmp, runs, macp }: Snapshot) -> Self {
        Self { as_of, station, mpp, rmp, runs, macp }
    }
}
