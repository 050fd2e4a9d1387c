//! Triggers: what the station does by itself when something it was told to look for happens.

use serde::{Deserialize, Serialize};

use crate::{ids::Seq, time::Wall};

/// What is looked for, and what is done then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerSpec {
    /// What it is called; 64 bytes at most.
    pub name: String,
    /// A filter over the entries of the tap, as in the Wire.
    pub when: String,
    /// Marks the entry.
    #[serde(default)]
    pub mark: bool,
    /// Saves what was before and after it as a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<ClipSpan>,
    /// Raises an alert.
    #[serde(default)]
    pub alert: bool,
    /// Runs a subcommand of rl-console for this station: its arguments. No shell reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<String>,
    /// Seconds after it fired in which it does not fire again; what comes meanwhile is counted.
    #[serde(default = "cooldown_s")]
    pub cooldown_s: u64,
    /// How often it fires in an hour at most.
    #[serde(default = "per_hour_max")]
    pub per_hour_max: u64,
}

/// The seconds of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipSpan {
    /// Before the entry, as far as the tap keeps them.
    pub before_s: u64,
    /// After it.
    #[serde(default)]
    pub after_s: u64,
}

const fn cooldown_s() -> u64 {
    10
}

const fn per_hour_max() -> u64 {
    30
}

impl TriggerSpec {
    /// One that looks for this and does nothing yet.
    #[must_use]
    pub fn new(name: &str, when: &str) -> Self {
        Self {
            name: name.to_owned(),
            when: when.to_owned(),
            mark: false,
            clip: None,
            alert: false,
            run: Vec::new(),
            cooldown_s: cooldown_s(),
            per_hour_max: per_hour_max(),
        }
    }
}

/// A trigger as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerRow {
    /// It.
    #[serde(flatten)]
    pub spec: TriggerSpec,
    /// Whether the configuration has it; others were added while the station ran.
    pub is_configured: bool,
    /// How often it fired.
    pub fired: u64,
    /// Entries that it found and did not fire for: too soon, or too often.
    pub coalesced: u64,
    /// Entries that were lost before it could look at them; 0 from a station that does not count them.
    #[serde(default)]
    pub missed: u64,
    /// When it fired last, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<Wall>,
    /// Until when it rests, or rested, because it had fired as often as it may in an hour, in Unix
    /// milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_until_ms: Option<Wall>,
}

/// Something done to triggers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerCommand {
    /// Adds one, which is kept over restarts.
    Add(TriggerSpec),
    /// Removes one that was added.
    Remove {
        /// Its name.
        name: String,
    },
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerOutcome {
    /// It is looked for from now on.
    Added {
        /// From this entry on.
        after: Seq,
    },
    /// It is not looked for any longer.
    Removed,
}
