//! Connections and calls that the port turned away lately: what is said of them while it lasts.

use super::TurnAwayCause;
use crate::admission::{Reason, RecentTurnAways, Span};

/// Connections and calls that were turned away lately, by bound.
pub type TurnAways = RecentTurnAways<TurnAwayCause, { TurnAwayCause::ALL.len() }>;
/// Connections or calls that were turned away for one bound.
pub type TurnAwaySpan = Span<TurnAwayCause>;

impl Reason for TurnAwayCause {
    fn index(self) -> usize {
        self.index()
    }

    /// As at the other ports.
    fn worth_saying(self) -> u64 {
        match self {
            Self::TooManyConnections | Self::TooManyOfPeer | Self::SessionsFull | Self::PeerSessions => 1,
            _ => 5,
        }
    }
}
