//! The gate: rules that hold frames on their way, the frames that are held, and what is done with them.

use serde::{Deserialize, Serialize};

use super::PageBytes;
pub use crate::gate::{OnTimeout, Then};
use crate::{ids::Peer, tap::entry::Link, time::Wall};

/// Fields of an entry that a rule cannot ask for: a frame has them only once it has passed.
pub const NOT_KNOWN_YET: [&str; 4] = ["seq", "cause", "trace", "origin"];

/// Which way a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// At what comes.
    In,
    /// At what leaves.
    Out,
}

impl Way {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// What stands before the peer of a frame that goes this way.
    #[must_use]
    pub const fn preposition(self) -> &'static str {
        match self {
            Self::In => "from",
            Self::Out => "to",
        }
    }
}

/// A frame as people know it: its type, and who it is from or to.
#[must_use]
pub fn frame_words(kind: &str, way: Way, peer: &Peer) -> String {
    format!("{kind} {} {peer}", way.preposition())
}

/// A rule that is to be armed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm {
    /// Which frames, in the language of [`filter`](crate::filter) with the fields of the tap's entries.
    pub filter: String,
    /// Of which direction; of both without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// What it does with them.
    #[serde(default)]
    pub then: Then,
    /// What becomes of those that are held too long.
    #[serde(default)]
    pub on_timeout: OnTimeout,
    /// It is disarmed after so many frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames_max: Option<u64>,
    /// Of a thousand frames that match, so many are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_mille: Option<u16>,
    /// What its chance is drawn by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How long it is armed, in milliseconds; cut to `limits.gate.rule_ms_max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_ms: Option<u64>,
    /// Whether it stays when who arms it goes.
    #[serde(default)]
    pub stays: bool,
}

/// What is done at the gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateCommand {
    /// Arms a rule.
    Arm(Arm),
    /// Disarms a rule, or all, and lets pass what they hold.
    Disarm {
        /// Which.
        rule: Option<u64>,
    },
    /// Lets held frames pass.
    Pass {
        /// Which; all where none is named.
        frames: Vec<u64>,
    },
    /// Drops held frames.
    Drop {
        /// Which.
        frames: Vec<u64>,
    },
    /// Lets other bytes pass in the place of a held frame.
    Edit {
        /// Which.
        frame: u64,
        /// One whole frame.
        bytes: PageBytes,
        /// Whether the rule makes the same change of all that it matches from now on.
        #[serde(default)]
        keeps: bool,
    },
}

/// What was done at the gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// A rule is armed.
    Armed {
        /// Its number.
        rule: u64,
    },
    /// Rules are disarmed.
    Disarmed {
        /// Which.
        rules: Vec<u64>,
    },
    /// Held frames went.
    Released {
        /// Which.
        frames: Vec<u64>,
    },
}

/// Why nothing was done at the gate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateError {
    /// Too many rules are armed.
    #[error("{armed} rules are armed, the most there can be")]
    GateFull {
        /// How many.
        armed: u64,
    },
    /// The frame has passed, or was never held.
    #[error("frame {frame} is not held: it has passed, or never was")]
    NotIntercepted {
        /// Its number.
        frame: u64,
    },
    /// A filter asks for what is known only once the frame has passed.
    #[error("{field} is known only once a frame has passed the gate")]
    NotKnownYet {
        /// The field.
        field: String,
    },
    /// No frame that the rule asks for ever crosses the gate.
    #[error("no frame that crosses the gate is one of this rule's")]
    NothingToDo,
    /// A fault, of a station that is live.
    #[error("{what} needs a station that was started with --rehearsal")]
    RehearsalOnly {
        /// What was asked for.
        what: String,
    },
    /// A rule without a filter would hold everything.
    #[error("a rule needs a filter")]
    NoFilter,
    /// The filter cannot be read.
    #[error("the filter cannot be read: {why}")]
    BadFilter {
        /// Why, and where.
        why: String,
    },
    /// There is no such rule.
    #[error("no rule {rule} is armed")]
    NoRule {
        /// Its number.
        rule: u64,
    },
    /// What is to pass in a frame's place is not one whole frame.
    #[error("not one whole frame: {why}")]
    NotWhole {
        /// What is wrong.
        why: String,
        /// Whose frame it is not.
        #[serde(default)]
        link: Option<Link>,
    },
    /// The edit is none that can be made of other frames.
    #[error("this change cannot be kept: {why}")]
    NotKept {
        /// Why.
        why: String,
    },
}

impl GateError {
    /// The machine-readable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::GateFull { .. } => "gate_full",
            Self::NotIntercepted { .. } => "not_intercepted",
            Self::NotKnownYet { .. } => "not_known_yet",
            Self::NothingToDo => "nothing_to_do",
            Self::RehearsalOnly { .. } => "rehearsal_only",
            Self::NoFilter => "no_filter",
            Self::BadFilter { .. } => "bad_filter",
            Self::NoRule { .. } => "no_rule",
            Self::NotWhole { .. } => "not_whole",
            Self::NotKept { .. } => "not_kept",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::GateFull { .. } => "`rl-console gate disarm` ends one, or raise limits.gate.rules_max",
            Self::NotIntercepted { .. } => "`rl-console gate ls` lists what is held",
            Self::NotKnownYet { .. } => {
                "filter by what a frame says itself: link, kind, peer, topic, queue, event, verdict, clause"
            }
            Self::NothingToDo => {
                "no handshake is held, most types go one way only, and a MACP call is not duplicated: \
                 `rl-console help gate`"
            }
            Self::RehearsalOnly { .. } => "start a station with --rehearsal, in a data folder of its own",
            Self::NoFilter => "say which frames, such as `link:mpp kind:applied`",
            Self::BadFilter { .. } => "`rl-console help filter` has the language",
            Self::NoRule { .. } => "`rl-console gate ls` lists the rules",
            Self::NotWhole { link: Some(Link::Mpp), .. } => {
                "end the line with one LF and put nothing after it, or drop the frame"
            }
            Self::NotWhole { link: Some(Link::Plugin), .. } => {
                "edit the frame so that Content-Length is the length of its body, or drop it"
            }
            Self::NotWhole { .. } => "edit the frame so that its length fits, or drop it",
            Self::NotKept { .. } => "let this one pass without keeping the change",
        }
    }
}

/// `ls gate-rules`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRuleRow {
    /// Its number since the station's start.
    pub rule: u64,
    /// Which frames.
    pub filter: String,
    /// Of which direction; of both without.
    pub way: Option<Way>,
    /// What it does with them.
    pub then: Then,
    /// What becomes of those that are held too long.
    pub on_timeout: OnTimeout,
    /// Who armed it.
    pub by: String,
    /// Since when it is armed, in Unix milliseconds.
    pub since_ms: Wall,
    /// When it is disarmed, in Unix milliseconds.
    pub until_ms: Wall,
    /// Frames that it took.
    pub taken: u64,
    /// It is disarmed after so many.
    pub frames_max: Option<u64>,
    /// Frames that passed because too many were held.
    pub passed_full: u64,
    /// Whether an edit is made of all that it matches.
    pub rewrites: bool,
}

/// `ls intercepted`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterceptedRow {
    /// Its number since the station's start.
    pub frame: u64,
    /// The rule that holds it.
    pub rule: u64,
    /// Whose host has it.
    pub link: Link,
    /// Which way it goes.
    pub way: Way,
    /// Who is at the other end.
    pub peer: Peer,
    /// Its type.
    pub kind: String,
    /// What it is, in one line.
    pub line: String,
    /// Bytes of it.
    pub bytes: u64,
    /// What its core would make of it: `accepted`, `refused` and so on.
    pub verdict: String,
    /// The clause that it breaks.
    pub clause: Option<String>,
    /// Since when it is held, in Unix milliseconds.
    pub since_ms: Wall,
    /// Until when, in Unix milliseconds.
    pub until_ms: Wall,
    /// What becomes of it then.
    pub on_timeout: OnTimeout,
    /// When the message in it expires, or the open session of a call, in Unix milliseconds: that time runs
    /// on while it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<Wall>,
    /// Milliseconds until then, when the station was asked; 0 once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_in_ms: Option<u64>,
}

/// A held frame, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterceptedFrame {
    /// What `ls intercepted` says of it.
    pub row: InterceptedRow,
    /// Its bytes.
    pub bytes: PageBytes,
}
