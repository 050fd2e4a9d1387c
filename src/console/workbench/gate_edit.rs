//! The held frame in whose place an edited one goes.

use crate::{
    console::{draw::theme::Role, model::Model},
    ids::Peer,
    port::{OnTimeout, Way},
    time::Wall,
};

/// So long before its time a frame that has gone went by itself, in milliseconds: clocks are not read at one
/// moment.
const TIME_SLACK_MS: u64 = 1_000;

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
    /// What becomes of it then.
    pub(crate) on_timeout: OnTimeout,
    /// How it went while other bytes were written for it, once that is known.
    pub(crate) gone: Option<&'static str>,
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
        let frame = format!("rule {}, {} {}", self.rule, self.way.preposition(), self.peer);
        if let Some(gone) = self.gone {
            return (format!("{frame}: {}", self.gone_words(gone)), Role::Bad);
        }
        let left = self.until.0.saturating_sub(now.0).div_ceil(1_000);
        (format!("{frame}: its time is up in {}:{:02}", left / 60, left % 60), Role::Warn)
    }

    /// How the frame went, where it was not held any longer before the edit was sent.
    pub(super) fn found_gone(&self, live: &Model, now: Wall) -> Option<&'static str> {
        if self.is_sent || self.gone.is_some() {
            return None;
        }
        let may_be_held = live.station.intercepted.may_hold(self.number);
        let slack = if may_be_held { 0 } else { TIME_SLACK_MS };
        let is_time_up = self.until.0 <= now.0.saturating_add(slack);
        match (is_time_up, self.on_timeout) {
            (true, OnTimeout::Pass) => Some("'s time was up: it passed as it was"),
            (true, OnTimeout::Drop) => Some("'s time was up: it was dropped"),
            (false, _) => (!may_be_held).then_some(" is held no longer: this edit was not sent"),
        }
    }

    /// That in words.
    pub(super) fn gone_words(&self, gone: &str) -> String {
        format!("frame {}{gone}", self.number)
    }
}
