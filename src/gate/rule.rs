//! What a rule stops, and what it does with it.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Then, sight::Sight};
use crate::{
    ids::ConnectionId,
    tap::{
        EntryRef,
        entry::{Direction, Link, station::OperatedBy},
    },
    time::{Mono, Now},
};

/// Whether a frame, as an entry of the tap that is not emitted, is one of a rule's.
pub type Matcher = Arc<dyn Fn(EntryRef<'_>, Now) -> bool + Send + Sync>;

/// What an operator's edit makes of another frame like the one that was edited; nothing where it cannot.
pub type Rewrite = Arc<dyn Fn(&[u8]) -> Option<Bytes> + Send + Sync>;

/// What becomes of a frame that nobody decided on in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// It passes.
    #[default]
    Pass,
    /// It is dropped.
    Drop,
}

/// With whom a rule goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// With nobody: until its time is up.
    Nobody,
    /// With the console in the station's process.
    OwnConsole,
    /// With a session of the bus.
    Session(ConnectionId),
}

/// A rule before it has its number.
#[derive(Clone)]
pub struct NewRule {
    /// Who arms it.
    pub by: OperatedBy,
    /// With whom it goes.
    pub owner: Owner,
    /// Its filter, for people.
    pub filter: Arc<str>,
    /// The links whose frames may match.
    pub links: Vec<Link>,
    /// The direction of what it matches; both where there is none.
    pub direction: Option<Direction>,
    /// Whether it asks for what the core makes of a frame.
    pub asks_verdict: bool,
    /// Finds what it matches.
    pub matcher: Matcher,
    /// Finds some of what it does not match by what frames of a [class](super::Cleared) have in common.
    pub class_matcher: Option<Matcher>,
    /// What it does.
    pub then: Then,
    /// What becomes of what it holds too long.
    pub on_timeout: OnTimeout,
    /// It is disarmed after so many frames.
    pub frames_max: Option<u64>,
    /// Of a thousand frames that match, so many are taken.
    pub per_mille: u16,
    /// What its chance and jitter are drawn by.
    pub seed: u64,
    /// How long it is armed, in milliseconds; cut to `limits.gate.rule_ms_max`.
    pub for_ms: u64,
}

impl fmt::Debug for NewRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, owner, filter, links, direction, then, .. } = self;
        f.debug_struct("NewRule")
            .field("by", by)
            .field("owner", owner)
            .field("filter", filter)
            .field("links", links)
            .field("direction", direction)
            .field("then", then)
            .finish_non_exhaustive()
    }
}

/// An armed rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) of: NewRule,
    /// When it is disarmed.
    pub(super) until: Mono,
    pub(super) since: Now,
    /// Frames that it took.
    pub(super) taken: u64,
    /// Frames that passed because too many were held.
    pub(super) passed_full: u64,
    pub(super) chance: fastrand::Rng,
    pub(super) rewrite: Option<KeptEdit>,
}

/// A rule that covers a frame, as far as it is asked whether it matches.
pub(super) struct Covering {
    pub(super) number: u64,
    pub(super) asks_verdict: bool,
    matcher: Matcher,
    class_matcher: Option<Matcher>,
}

impl Covering {
    pub(super) fn of(number: u64, rule: &Rule) -> Self {
        let NewRule { asks_verdict, matcher, class_matcher, .. } = &rule.of;
        let (matcher, class_matcher) = (Arc::clone(matcher), class_matcher.clone());
        Self { number, asks_verdict: *asks_verdict, matcher, class_matcher }
    }

    /// Whether it may match what is of the frame's class.
    pub(super) fn may_match_class(&self, sight: &mut Sight<'_>) -> bool {
        self.class_matcher.as_ref().is_none_or(|matcher| sight.fits(matcher, false))
    }

    pub(super) fn matches(&self, sight: &mut Sight<'_>) -> bool {
        sight.fits(&self.matcher, self.asks_verdict)
    }
}

/// An edit that is made of all that a rule matches.
#[derive(Clone)]
pub(super) struct KeptEdit {
    pub(super) rewrite: Rewrite,
    pub(super) by: OperatedBy,
}

impl fmt::Debug for KeptEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptEdit").field("by", &self.by).finish_non_exhaustive()
    }
}

impl Rule {
    pub(super) fn new(now: Now, of: NewRule, until: Mono) -> Self {
        let chance = fastrand::Rng::with_seed(of.seed);
        Self { of, until, since: now, taken: 0, passed_full: 0, chance, rewrite: None }
    }

    /// Whether it may stop what goes this way.
    pub(super) fn covers(&self, link: Link, direction: Direction) -> bool {
        self.of.links.contains(&link) && self.of.direction.is_none_or(|of| of == direction)
    }

    /// Whether it takes a frame that matches: by its chance.
    pub(super) fn draws(&mut self) -> bool {
        self.of.per_mille >= 1_000 || self.chance.u16(..1_000) < self.of.per_mille
    }

    /// How late a delayed frame goes, in milliseconds.
    pub(super) fn delay_ms(&mut self, ms: u64, jitter_ms: u64) -> u64 {
        let jitter = self.chance.u64(0..=jitter_ms.saturating_mul(2));
        ms.saturating_add(jitter).saturating_sub(jitter_ms)
    }
}

/// A rule, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleView {
    /// Its number since the station's start.
    pub number: u64,
    /// Who armed it.
    pub by: OperatedBy,
    /// Its filter.
    pub filter: Arc<str>,
    /// The direction of what it matches; both where there is none.
    pub direction: Option<Direction>,
    /// What it does.
    pub then: Then,
    /// What becomes of what it holds too long.
    pub on_timeout: OnTimeout,
    /// Since when it is armed.
    pub since: Now,
    /// When it is disarmed.
    pub until: Now,
    /// Frames that it took.
    pub taken: u64,
    /// It is disarmed after so many.
    pub frames_max: Option<u64>,
    /// Frames that passed because too many were held.
    pub passed_full: u64,
    /// Whether an edit is made of all that it matches.
    pub rewrites: bool,
}
