//! Where a message to the runs would stand that is not published yet, and what would be made of it.

use serde::{Deserialize, Serialize};

use super::{Asker, AskerKind, RejectedFor, engine::Publish};
use crate::{
    ids::{ConnectionId, TraceId},
    judged::{Certainty, Doubt},
    time::Now,
};

/// On which topic a message to the runs comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlTopic {
    /// `rlp/ctrl`: submissions and cancels (rmp-v0 §9).
    Control,
    /// `action.decision`: what persons decide (ruling RMP 13). Who may decide is the bus's to judge.
    Decision,
}

impl ControlTopic {
    /// Its name on the bus.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Control => "rlp/ctrl",
            Self::Decision => "action.decision",
        }
    }
}

/// Where a message would stand. Its bytes are the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Stand {
    /// On which topic it comes.
    pub topic: ControlTopic,
    /// What its sender may do on the bus.
    pub kind: AskerKind,
    /// What the sender calls itself.
    pub client: String,
    /// The session in which it is published: an agent may be bound to the runs that it submitted there
    /// (`[runs] agents_cancel`). None of a session that there is not yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<ConnectionId>,
    /// The trace of its header: with the kind of request its name (ruling RMP 10).
    pub trace: TraceId,
    /// How long it is worth something from now on, in milliseconds (rmp-v0 §4).
    pub ttl_ms: u64,
}

impl Stand {
    /// Whose it is.
    pub(super) fn by(&self) -> Asker {
        Asker { kind: self.kind, client: self.client.as_str().into() }
    }
}

/// What becomes of a message to the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlVerdict {
    /// It is done.
    Accepted,
    /// It came before: it has the answer of then, or waits for it.
    Duplicate,
    /// It is not done.
    Rejected(RejectedFor),
    /// It is answered, and nothing offers what it asks.
    Unsupported,
}

/// What would be made of a message to the runs, if it came now.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedControl {
    /// What becomes of it.
    pub verdict: ControlVerdict,
    /// Why it is not done.
    pub why: Option<String>,
    /// What would be published on `rlp/ctrl` over it, in order. Ids that are made for it are nil.
    pub answers: Vec<Publish>,
    /// What would change, in a line: `run NAME begins: 5 nodes`.
    pub effect: Option<String>,
    /// Until when it holds if nothing else happens.
    pub holds_until: Option<Now>,
    /// How sure it is.
    pub certainty: Certainty,
    /// What it cannot know.
    pub doubts: Vec<Doubt>,
}
