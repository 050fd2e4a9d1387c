//! A manifest that has no fault.

use std::sync::Arc;

use super::{Fault, Note, read};
use crate::{
    ids::PluginId,
    limits,
    plugin::{
        About,
        capability::{CapabilitySet, Granted},
    },
    words,
};

/// The tier that a plugin claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// "A".
    A,
    /// "B".
    B,
    /// "C".
    C,
}

/// A manifest that has no fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Its reverse-DNS identifier, which is also the name of a folder: small letters, digits, `-` and single
    /// dots.
    pub id: PluginId,
    /// Its name for people, at most 40 characters, not blank.
    pub name: Arc<str>,
    /// Its version.
    pub version: semver::Version,
    /// Who wrote it, not blank.
    pub author: Arc<str>,
    /// Its tier.
    pub tier: Tier,
    /// What it says it does, at most 200 characters.
    pub description: Arc<str>,
    /// Its page, an https URL.
    pub homepage: Option<Arc<str>>,
    /// The oldest host that it runs on.
    pub host_min: semver::Version,
    /// What runs: a path inside its folder, without `..`.
    pub entry: Arc<str>,
    /// Its arguments.
    pub args: Arc<[Arc<str>]>,
    /// What it asks for.
    pub asks: CapabilitySet,
    /// Whether it says that it makes network connections of its own: `network = "external"`.
    pub is_networked: bool,
    /// The actions that it declares, each once, `feature.name`.
    pub actions: Arc<[Arc<str>]>,
    /// The status slots that it declares, each once, `feature.name`.
    pub slots: Arc<[Arc<str>]>,
    /// What it provides, each once, `feature.name`.
    pub provides: Arc<[Arc<str>]>,
    /// The line and column of `runtime.entry`.
    pub(super) entry_at: (usize, usize),
}

/// What was found in the text of a manifest, in the order of the places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The manifest; none when there is a fault.
    pub manifest: Option<Manifest>,
    /// Why it is refused.
    pub faults: Vec<Fault>,
    /// What is passed over.
    pub notes: Vec<Note>,
}

impl Manifest {
    /// Reads the text of a `plugin.toml`. `host_version` is the host's (`plugins.host_version`, ruling
    /// Plugins 3). A text over `manifest_bytes_max` is not parsed.
    #[must_use]
    pub fn parse(text: &str, host_version: &semver::Version, limits: &limits::Plugin) -> Checked {
        read::manifest(text, host_version, limits)
    }

    /// What a process of it may use, of what the operator granted.
    #[must_use]
    pub fn granted(&self, granted: CapabilitySet) -> Granted {
        Granted::new(self.asks, granted, !self.slots.is_empty())
    }

    /// What is shown of it: texts and lists are cut as `limits` says. `folder` is where it is served from
    /// when it is not installed, `command` what runs in place of its entry.
    #[must_use]
    pub fn about(&self, folder: Option<&str>, command: Option<&str>, limits: &limits::Plugin) -> About {
        let cut = |text: &str| Arc::<str>::from(words::cut_marked(text, limits.shown_text_bytes_max));
        let most = usize::try_from(limits.shown_names_max).unwrap_or(usize::MAX);
        let list = |names: &[Arc<str>]| names.iter().take(most).map(|name| cut(name)).collect();
        About {
            name: cut(&self.name),
            version: cut(&self.version.to_string()),
            author: cut(&self.author),
            description: cut(&self.description),
            folder: folder.map(cut),
            command: command.map(cut),
            asks: self.asks.names().map(Arc::from).collect(),
            is_networked: self.is_networked,
            actions: list(&self.actions),
            slots: list(&self.slots),
            provides: list(&self.provides),
        }
    }
}

impl Tier {
    /// The letter.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }
}
