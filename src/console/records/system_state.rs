//! What the systems keep on the screen, each for itself.

use std::fmt::Debug;

/// Declares what the systems keep: their table does, so that the floors below it hold that and hand it on
/// without knowing a system.
pub(crate) trait DeclareState {
    type State: Debug + Default;
}

/// The systems that there are.
pub(crate) enum Systems {}

/// What they keep.
pub(crate) type SystemState = <Systems as DeclareState>::State;
