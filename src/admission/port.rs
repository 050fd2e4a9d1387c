//! The ports that admit connections.

/// A port that admits connections, in the order of [`ALL`](Self::ALL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// The bridge's.
    Mpp,
    /// The bus's socket.
    Rmp,
    /// The coordination runtime's.
    Macp,
    /// That of the metrics.
    Metrics,
}

impl Port {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Mpp, Self::Rmp, Self::Macp, Self::Metrics];

    /// Its name, which is that of its group of limits too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mpp => "mpp",
            Self::Rmp => "rmp",
            Self::Macp => "macp",
            Self::Metrics => "metrics",
        }
    }

    /// It as a sentence names it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Mpp => "the bridge port",
            Self::Rmp => "the bus",
            Self::Macp => "the MACP port",
            Self::Metrics => "the metrics port",
        }
    }

    /// The port of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|port| port.name() == name)
    }
}
