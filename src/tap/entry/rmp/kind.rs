//! Who a session of the bus is (rmp-v0 §11; ruling RMP 6).

use crate::tap::entry::names::names;

names! {
    /// Who a session of the bus is: its rights follow from it.
    Kind {
        /// A client that showed no token.
        Agent = "agent",
        /// One with the operator token that calls itself so.
        Ui = "ui",
        /// A console, with the operator token.
        Tui = "tui",
        /// One with the read-only token.
        Viewer = "viewer",
        /// One with the cue token: it may enqueue invocations and submit runs, nothing else.
        Cue = "cue",
        /// The station itself; no client of the socket is.
        Station = "station",
    }
}

impl Kind {
    /// Whether it acts for an operator (rmp-v0 §11).
    #[must_use]
    pub const fn is_operator(self) -> bool {
        matches!(self, Self::Ui | Self::Tui)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_its_name_and_its_index() {
        for (index, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!((Kind::from_name(kind.name()), kind.index()), (Some(kind), index));
        }
        assert_eq!(Kind::from_name("Agent"), None, "names are lowercase");
    }
}
