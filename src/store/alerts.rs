//! Alerts as the store keeps them.

use std::sync::Arc;

use crate::{
    tap::entry::alerts::{Alert, AlertState},
    time::Wall,
};

/// Which alerts to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertFilter {
    /// Only those in this state.
    pub state: Option<AlertState>,
    /// Only those that were raised at or after this.
    pub since: Option<Wall>,
    /// Only those beyond this id, in the direction of the order.
    pub beyond: Option<u64>,
    /// Oldest first; else newest first.
    pub oldest_first: bool,
    /// At most so many; cut to 10,000.
    pub limit: u64,
}

/// What a start takes up of alerts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoredAlerts {
    /// Those that held when the station ended, and the newest resolved ones, by their ids.
    pub alerts: Vec<Arc<Alert>>,
    /// The first id that none had.
    pub next: u64,
}
