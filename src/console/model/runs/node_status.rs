//! The state of a node, for people.

use crate::runs::NodeState;

/// The state of a node that awaits an approval.
pub(crate) const AWAITING: &str = "awaiting";

/// The state of a node, for people.
pub(crate) const fn node_status(state: NodeState) -> &'static str {
    match state {
        NodeState::Asking => AWAITING,
        state => state.name(),
    }
}
