//! Who a session of the bus is (rmp-v0 §11; ruling RMP 6).

/// Who a session of the bus is: its rights follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A client that showed no token.
    Agent,
    /// One with the operator token that calls itself so.
    Ui,
    /// A console, with the operator token.
    Tui,
    /// One with the read-only token.
    Viewer,
    /// One with the cue token: it may enqueue invocations and submit runs, nothing else.
    Cue,
    /// The station itself; no client of the socket is.
    Station,
}

impl Kind {
    /// Every kind, in the order of their index.
    pub const ALL: [Self; 6] = [Self::Agent, Self::Ui, Self::Tui, Self::Viewer, Self::Cue, Self::Station];

    /// The place of this kind in arrays that hold one item a kind.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Agent => 0,
            Self::Ui => 1,
            Self::Tui => 2,
            Self::Viewer => 3,
            Self::Cue => 4,
            Self::Station => 5,
        }
    }

    /// The name on the wire and before people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Ui => "ui",
            Self::Tui => "tui",
            Self::Viewer => "viewer",
            Self::Cue => "cue",
            Self::Station => "station",
        }
    }

    /// Whether it acts for an operator (rmp-v0 §11).
    #[must_use]
    pub const fn is_operator(self) -> bool {
        matches!(self, Self::Ui | Self::Tui)
    }

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
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
