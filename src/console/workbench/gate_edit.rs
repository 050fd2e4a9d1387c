//! The held frame in whose place an edited one goes.

use crate::{console::draw::theme::Role, ids::Peer, port::Way, time::Wall};

/// A frame that the gate holds, while other bytes are written for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GateEdit {
    /// Its number.
    pub(crate) number: u64,
    /// The rule that holds it.
    pub(crate) rule: u64,
    /// Which way it goes.
    pub(crate) way: Way,
    /// Who is at the other end.
    pub(crate) peer: Peer,
    /// The frames that announce it, which stay as they are.
    pub(crate) before: Vec<u8>,
    /// When it goes by itself.
    pub(crate) until: Wall,
    /// Whether the rule makes the same change of all that it matches from then on.
    pub(crate) keeps: bool,
    /// Whether it is an answer of the runtime, which has no JSON of its own.
    pub(crate) is_answer: bool,
    /// Whether it was sent, and nothing was heard of that.
    pub(crate) is_sent: bool,
}

impl GateEdit {
    /// Which frame it is, and how long it is held still.
    pub(super) fn words(&self, now: Wall) -> (String, Role) {
        let way = match self.way {
            Way::In => "from",
            Way::Out => "to",
        };
        let left = self.until.0.saturating_sub(now.0).div_ceil(1_000);
        let frame = format!("rule {}, {way} {}", self.rule, self.peer);
        match left {
            0 => (format!("{frame}: its time is up, it went as it was"), Role::Bad),
            left => (format!("{frame}: its time is up in {}:{:02}", left / 60, left % 60), Role::Warn),
        }
    }
}
