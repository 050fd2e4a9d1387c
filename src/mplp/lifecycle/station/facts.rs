//! What a station is made of, as it is said to be, and what MPLP calls it.

use serde_json::{Map, Value};

use super::super::emit::AGENT;
use crate::time::Wall;

/// What a station is at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct StationFacts {
    /// What tells it from others, and stays the same: all its identifiers are derived of it.
    pub id: String,
    /// What it is called; by its id where that is blank.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// What is hosted and connected. Of two of one kind and name the first counts.
    pub parts: Vec<StationPart>,
    /// What extends it. Of two of one sort and id the first counts.
    pub extensions: Vec<StationExtension>,
    /// When it started.
    pub started_at: Wall,
    /// When it is as it is said to be.
    pub at: Wall,
}

/// A part of a station: a node of its Network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StationPart {
    /// What it is.
    pub kind: PartKind,
    /// What it is called among those of its kind; of a kind of which there is one it may be empty.
    pub name: String,
    /// How it is.
    pub status: PartStatus,
}

/// What a part of a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// The broker.
    Bus,
    /// The database.
    Store,
    /// A queue of invocations.
    Queue,
    /// The bridge's adapter.
    Adapter,
    /// An agent on the bus, by its name.
    Agent,
    /// A client of the MACP runtime, by what it calls itself.
    MacpClient,
    /// A plugin.
    Plugin,
}

/// How a part of a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartStatus {
    /// It works.
    Active,
    /// It is not connected, or not started.
    Inactive,
    /// It works, and something about it is wrong.
    Degraded,
    /// It is down.
    Unreachable,
}

/// What extends a station: an Extension.
#[derive(Clone, Debug, PartialEq)]
pub struct StationExtension {
    /// What it is.
    pub sort: ExtensionSort,
    /// What tells it from others of its sort.
    pub id: String,
    /// What it is called; by its id where that is empty.
    pub name: String,
    /// Its version as it says. One that is no semantic version is written as 0.0.0, and as it is in `config`.
    pub version: String,
    /// Whether it is in use.
    pub status: ExtensionStatus,
    /// What else is known of it.
    pub config: Map<String, Value>,
}

/// What an Extension is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtensionSort {
    /// The pack of the bridge.
    Pack,
    /// A coordination mode of MACP.
    Mode,
    /// A plugin.
    Plugin,
}

/// Whether an Extension is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtensionStatus {
    /// It is known, and was not used.
    Registered,
    /// It is in use.
    Active,
    /// It is not in use.
    Inactive,
}

impl StationPart {
    /// Its name among all nodes: that of its Role where it has one.
    pub(super) fn node_name(&self) -> String {
        let kind = match self.kind {
            PartKind::Bus => "bus",
            PartKind::Store => "store",
            PartKind::Queue => "queue",
            PartKind::Adapter => "adapter",
            PartKind::Agent => return format!("{AGENT}{}", self.name),
            PartKind::MacpClient => return format!("macp:{}", self.name),
            PartKind::Plugin => "plugin",
        };
        if self.name.is_empty() { kind.to_owned() } else { format!("{kind}:{}", self.name) }
    }
}

impl PartKind {
    /// What MPLP calls it.
    pub(super) const fn node_kind(self) -> &'static str {
        match self {
            Self::Bus | Self::Plugin => "service",
            Self::Store => "database",
            Self::Queue => "queue",
            Self::Adapter => "external",
            Self::Agent | Self::MacpClient => "agent",
        }
    }

    /// Whether it acts under a Role of its own (ruling MPLP 14).
    pub(super) const fn has_role(self) -> bool {
        matches!(self, Self::Agent | Self::MacpClient)
    }
}

impl PartStatus {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Degraded => "degraded",
            Self::Unreachable => "unreachable",
        }
    }
}

impl ExtensionSort {
    /// Its name, of which identifiers are derived.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Mode => "mode",
            Self::Plugin => "plugin",
        }
    }

    /// What MPLP calls it.
    pub(super) const fn extension_type(self) -> &'static str {
        match self {
            Self::Pack | Self::Plugin => "integration",
            Self::Mode => "capability",
        }
    }
}

impl ExtensionStatus {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }
}
