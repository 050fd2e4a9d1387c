//! What would be made of a frame that is not sent yet. The row is printed as it is by `inject --dry-run
//! --json`.

use serde::{Deserialize, Serialize};

use super::DoorSpec;
use crate::{
    judged::{Certainty, Doubt},
    time::Wall,
};

/// Where a frame would stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// Behind what went through a door of the workbench.
    Door(u64),
    /// The first one through a door that is not open.
    New(DoorSpec),
    /// In the place of the frame of this number that the gate holds.
    Intercepted(u64),
}

/// A judgement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedRow {
    /// Whose core judged it: `mpp`, `rmp`, `macp`, `plugin`.
    pub link: String,
    /// The frame's type, where that could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `accepted`, `refused`, `duplicate`, `answered`, `ignored`, `late`, `sent`, or `pending` while its end
    /// has not come.
    pub verdict: String,
    /// The name of the fault in its protocol's taxonomy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The clause that is broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// What is wrong, what is required there, and what to do, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
    /// What is wrong with the MPLP objects in it, each at its path; the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// What is expected at `byte`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// The byte, counted from the frame's first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// Bytes that are awaited, of a frame whose end has not come, as far as they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_bytes: Option<u64>,
    /// Why the gate does not let it pass in the place of the frame that it holds: it is not one whole frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_whole: Option<String>,
    /// What is made of it when the connection ends here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_cut: Option<String>,
    /// Frames that would go back, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<AnswerRow>,
    /// Why the connection, call or process would be ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// Who would receive it, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// How many would.
    #[serde(default)]
    pub to_count: u64,
    /// Who would be left out although it is meant for them, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<PassedOverRow>,
    /// How many would.
    #[serde(default)]
    pub passed_over_count: u64,
    /// What it would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Whether it may harm the peer that it goes to, as the effect says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_harmful: bool,
    /// Whether it was judged on a station for a rehearsal, whose store may fail on purpose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rehearsal: bool,
    /// Until when this holds if nothing else happens, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds_until_ms: Option<Wall>,
    /// Whose word it is.
    pub certainty: Certainty,
    /// What it cannot know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// Bytes of the frame that was judged; what lies behind them was not.
    pub taken_bytes: u64,
    /// When it was judged, in Unix milliseconds.
    pub at_ms: Wall,
}

#[cfg(test)]
impl JudgedRow {
    /// One of the bus of this verdict, and nothing else.
    pub(crate) fn of(verdict: &str) -> Self {
        let (link, verdict) = ("rmp".to_owned(), verdict.to_owned());
        Self { link, verdict, certainty: Certainty::AsOfNow, ..Self::default() }
    }
}

/// A frame that would go back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRow {
    /// Its type.
    pub kind: String,
    /// Its bytes in hex.
    pub hex: String,
}

/// One who would be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedOverRow {
    /// Who.
    pub name: String,
    /// Why.
    pub why: String,
}
