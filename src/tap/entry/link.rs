//! Whose boundary an entry tells of.

/// Whose boundary an entry tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// The station itself: hosts coming and going, store, recordings, notices.
    Station,
    /// The MPP bridge.
    Mpp,
    /// The RMP broker.
    Rmp,
    /// The runs of openings.
    Runs,
    /// The MACP runtime.
    Macp,
}

impl Link {
    /// Every link, in the order of their index.
    pub const ALL: [Self; 5] = [Self::Station, Self::Mpp, Self::Rmp, Self::Runs, Self::Macp];

    /// Their names, in this order.
    pub const NAMES: [&'static str; 5] =
        [Self::Station.name(), Self::Mpp.name(), Self::Rmp.name(), Self::Runs.name(), Self::Macp.name()];

    /// The link of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|link| link.name() == name)
    }

    /// The place of this link in arrays that hold one item a link.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Station => 0,
            Self::Mpp => 1,
            Self::Rmp => 2,
            Self::Runs => 3,
            Self::Macp => 4,
        }
    }

    /// What serves the link, as a sentence names it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Station => "the station",
            Self::Mpp => "the MPP bridge",
            Self::Rmp => "the bus",
            Self::Runs => "the control plane",
            Self::Macp => "the MACP runtime",
        }
    }

    /// The name shown to people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Station => "station",
            Self::Mpp => "mpp",
            Self::Rmp => "rmp",
            Self::Runs => "runs",
            Self::Macp => "macp",
        }
    }
}
