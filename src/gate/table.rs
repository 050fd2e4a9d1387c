//! The rules that are armed and the frames that are held, without a clock of its own.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::sync::oneshot;

use super::{
    Then,
    failing::{FailStore, FailingRules},
    handle::Held,
    offer::{Offer, Release, Taken, Waits},
    rule::{Covering, KeptEdit, NewRule, OnTimeout, Owner, Rewrite, Rule, RuleView},
};
use crate::{
    limits,
    tap::entry::{
        Direction, Frame, Link,
        gate::{Intercepted, Passing},
        station::OperatedBy,
    },
    time::{Mono, Now},
};

/// Why a rule is not armed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmError {
    /// Too many are.
    #[error("{armed} rules are armed, the most there can be")]
    Full {
        /// How many.
        armed: u64,
    },
    /// It would be a fault, and the show is on.
    #[error("faults are for a station that was started with --rehearsal")]
    RehearsalOnly,
}

/// What an operator does with a held frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Lets it pass.
    Pass,
    /// Drops it.
    Drop,
    /// Lets these bytes pass in its place.
    Edit(Bytes),
}

/// The frame has passed, or was never held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("frame {number} is not held: it has passed, or never was")]
pub struct NotHeld {
    /// Its number.
    pub number: u64,
}

/// How many frames left the gate, by [`Passing::index`].
pub type LeftCounts = [u64; Passing::ALL.len()];

/// A held frame, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldView {
    /// Its number since the station's start.
    pub number: u64,
    /// The rule that holds it.
    pub rule: u64,
    /// Whose host has it.
    pub link: Link,
    /// What it is.
    pub frame: Frame,
    /// Since when it is held.
    pub since: Now,
    /// Until when.
    pub until: Now,
    /// What becomes of it then.
    pub on_timeout: OnTimeout,
    /// Its bytes.
    pub bytes: Bytes,
}

#[derive(Debug)]
struct HeldFrame {
    view: HeldView,
    /// With whom its rule goes.
    owner: Owner,
    /// How it goes when its time is up.
    then: Passing,
    release: oneshot::Sender<Release>,
}

/// Rules and held frames.
#[derive(Debug)]
pub(super) struct Table {
    limits: limits::Gate,
    is_rehearsal: bool,
    rules: BTreeMap<u64, Rule>,
    held: BTreeMap<u64, HeldFrame>,
    held_bytes: u64,
    last_rule: u64,
    last_frame: u64,
    left_counts: LeftCounts,
    passed_full: u64,
    /// The rules by which the store fails, also those that have taken all that they were to take.
    failing: FailingRules,
}

impl Table {
    pub(super) fn new(limits: limits::Gate, is_rehearsal: bool) -> Self {
        Self {
            limits,
            is_rehearsal,
            rules: BTreeMap::new(),
            held: BTreeMap::new(),
            held_bytes: 0,
            last_rule: 0,
            last_frame: 0,
            left_counts: [0; Passing::ALL.len()],
            passed_full: 0,
            failing: FailingRules::default(),
        }
    }

    pub(super) fn set_fail_store(&mut self, fail_store: FailStore) {
        self.failing.set_fail_store(fail_store);
    }

    pub(super) fn arm(&mut self, now: Now, new: NewRule) -> Result<u64, ArmError> {
        if new.then.is_fault() && !self.is_rehearsal {
            return Err(ArmError::RehearsalOnly);
        }
        let armed = self.rules.len() as u64;
        if armed >= self.limits.rules_max {
            return Err(ArmError::Full { armed });
        }
        self.last_rule += 1;
        let until = now.mono + Duration::from_millis(new.for_ms.min(self.limits.rule_ms_max));
        self.rules.insert(self.last_rule, Rule::new(now, new, until));
        Ok(self.last_rule)
    }

    /// Disarms a rule and lets pass what it holds. Whether there was one, or one by which the store failed
    /// still.
    pub(super) fn disarm(&mut self, number: u64) -> bool {
        let is_armed = self.rules.remove(&number).is_some();
        let is_failing = !self.failing.end(|rule, _| rule == number).is_empty();
        if is_armed {
            self.release_where(|held| held.view.rule == number, &Release::as_it_was());
        }
        is_armed || is_failing
    }

    /// Disarms all rules of some owners, and lets pass what they hold; also what a rule holds that was
    /// disarmed since it had taken all that it was to take. The store fails no longer by such a rule, which
    /// counts as disarmed now.
    pub(super) fn disarm_of(&mut self, is_gone: &dyn Fn(Owner) -> bool) -> Vec<u64> {
        let of = |(number, rule): (&u64, &Rule)| is_gone(rule.of.owner).then_some(*number);
        let mut numbers: Vec<u64> = self.rules.iter().filter_map(of).collect();
        for number in &numbers {
            self.disarm(*number);
        }
        self.release_where(|held| is_gone(held.owner), &Release::as_it_was());
        numbers.extend(self.failing.end(|_, owner| is_gone(owner)));
        numbers.sort_unstable();
        numbers
    }

    /// Disarms all rules, and lets all pass.
    pub(super) fn disarm_all(&mut self) -> Vec<u64> {
        self.disarm_of(&|_| true)
    }

    /// Which ways any rule covers, a bit each.
    pub(super) fn armed(&self) -> u32 {
        let mut armed = 0;
        for link in Link::ALL {
            for direction in [Direction::Inbound, Direction::Outbound] {
                if self.rules.values().any(|rule| rule.covers(link, direction)) {
                    armed |= bit(link, direction);
                }
            }
        }
        armed
    }

    /// Which rules are armed: it grows with each of them.
    pub(super) const fn version(&self) -> u64 {
        self.last_rule
    }

    /// The rules that cover a frame, in their order, to be asked without the table.
    pub(super) fn covering(&self, now: Mono, link: Link, direction: Direction) -> Vec<Covering> {
        let covers = |rule: &Rule| rule.covers(link, direction) && now < rule.until;
        let covering = self.rules.iter().filter(|(_, rule)| covers(rule));
        covering.map(|(number, rule)| Covering::of(*number, rule)).collect()
    }

    /// Whether a rule takes a frame that it matches; not where it was disarmed meanwhile.
    pub(super) fn draws(&mut self, number: u64) -> bool {
        self.rules.get_mut(&number).is_some_and(Rule::draws)
    }

    /// Has a rule take a frame that it matches and drew; not where it has no room, or was disarmed meanwhile.
    pub(super) fn take(&mut self, now: Now, number: u64, offer: &Offer<'_>, frame: &Frame) -> Option<Taken> {
        let rule = self.rules.get_mut(&number)?;
        let (then, owner) = (rule.of.then, rule.of.owner);
        let waits = match then {
            Then::Intercept => match rule.rewritten(offer.bytes) {
                Some(release) => Err(release),
                None => Ok((self.limits.hold_ms_max, Passing::TimedOut)),
            },
            Then::Delay { ms, jitter_ms } => {
                Ok((rule.delay_ms(ms, jitter_ms).min(self.limits.hold_ms_max), Passing::Delayed))
            }
            Then::Drop => Err(Release::dropped()),
            Then::Duplicate => Err(Release { how: Passing::Duplicated, ..Release::as_it_was() }),
            Then::Cut => Err(Release { how: Passing::Cut, ..Release::as_it_was() }),
            Then::FailStore { ms } => {
                let until = now.mono + Duration::from_millis(ms.min(self.limits.hold_ms_max));
                self.failing.expire(now.mono);
                self.failing.add(number, owner, until, self.limits.rules_max);
                Err(Release::as_it_was())
            }
        };
        if waits.is_ok() && !self.has_room(offer.bytes.len() as u64) {
            self.passed_full += 1;
            if let Some(rule) = self.rules.get_mut(&number) {
                rule.passed_full += 1;
            }
            return None;
        }
        self.last_frame += 1;
        let id = self.last_frame;
        let on_timeout = self.count_taken(number)?;
        let notice = |hold_ms| Intercepted { number: id, rule: number, hold_ms, frame: frame.clone() };
        match waits {
            Err(release) => {
                self.left_counts[release.how.index()] += 1;
                Some(Taken { notice: notice(None), waits: Waits::Not(release) })
            }
            Ok((ms, then)) => {
                let (release, released) = oneshot::channel();
                let view = HeldView {
                    number: id,
                    rule: number,
                    link: offer.link,
                    frame: frame.clone(),
                    since: now,
                    until: now.after(Duration::from_millis(ms)),
                    on_timeout,
                    bytes: Bytes::copy_from_slice(offer.bytes),
                };
                self.held_bytes += offer.bytes.len() as u64;
                self.held.insert(id, HeldFrame { view, owner, then, release });
                Some(Taken { notice: notice(Some(ms)), waits: Waits::Held(Held::new(released)) })
            }
        }
    }

    /// Counts a frame that a rule took; one that has taken all that it was to take is disarmed, and what it
    /// holds stays held.
    fn count_taken(&mut self, number: u64) -> Option<OnTimeout> {
        let rule = self.rules.get_mut(&number)?;
        rule.taken += 1;
        let on_timeout = rule.of.on_timeout;
        if rule.of.frames_max.is_some_and(|max| rule.taken >= max) {
            self.rules.remove(&number);
        }
        Some(on_timeout)
    }

    fn has_room(&mut self, bytes: u64) -> bool {
        self.forget_gone();
        (self.held.len() as u64) < self.limits.intercepted_max
            && self.held_bytes.saturating_add(bytes) <= self.limits.intercepted_bytes_max
    }

    /// Forgets frames whose connections are gone.
    fn forget_gone(&mut self) {
        let (bytes, left_counts) = (&mut self.held_bytes, &mut self.left_counts);
        self.held.retain(|_, held| {
            let is_there = !held.release.is_closed();
            if !is_there {
                *bytes = bytes.saturating_sub(held.view.bytes.len() as u64);
                left_counts[at_end(held.view.link, held.view.frame.direction).index()] += 1;
            }
            is_there
        });
    }

    /// Does with a held frame what an operator says. With `keeps`, the rule makes the same edit of all that
    /// it matches from now on.
    pub(super) fn decide(
        &mut self,
        number: u64,
        decision: Decision,
        by: &OperatedBy,
        keeps: Option<Rewrite>,
    ) -> Result<(), NotHeld> {
        let rule = self.held.get(&number).map(|held| held.view.rule);
        let (how, bytes) = match decision {
            Decision::Pass => (Passing::AsItWas, None),
            Decision::Drop => (Passing::Dropped, None),
            Decision::Edit(bytes) => (Passing::Edited, Some(bytes)),
        };
        if !self.release(number, Release { how, by: Some(by.clone()), bytes }) {
            return Err(NotHeld { number });
        }
        if let Some(rewrite) = keeps
            && let Some(rule) = rule.and_then(|rule| self.rules.get_mut(&rule))
        {
            rule.rewrite = Some(KeptEdit { rewrite, by: by.clone() });
        }
        Ok(())
    }

    /// Lets a frame go; whether it was held.
    fn release(&mut self, number: u64, release: Release) -> bool {
        let Some(held) = self.held.remove(&number) else { return false };
        self.held_bytes = self.held_bytes.saturating_sub(held.view.bytes.len() as u64);
        let how = release.how;
        let is_sent = held.release.send(release).is_ok();
        let how = if is_sent { how } else { at_end(held.view.link, held.view.frame.direction) };
        self.left_counts[how.index()] += 1;
        is_sent
    }

    fn release_where(&mut self, is: impl Fn(&HeldFrame) -> bool, release: &Release) {
        let numbers: Vec<u64> =
            self.held.iter().filter(|(_, held)| is(held)).map(|(number, _)| *number).collect();
        for number in numbers {
            self.release(number, release.clone());
        }
    }

    /// Disarms rules and releases frames whose time is up.
    pub(super) fn expire(&mut self, now: Mono) {
        self.failing.expire(now);
        let over: Vec<u64> =
            self.rules.iter().filter(|(_, rule)| now >= rule.until).map(|(number, _)| *number).collect();
        for number in over {
            self.disarm(number);
        }
        let due = |held: &&HeldFrame| now >= held.view.until.mono;
        let due: Vec<_> = self
            .held
            .values()
            .filter(due)
            .map(|held| match (held.then, held.view.on_timeout) {
                (Passing::TimedOut, OnTimeout::Drop) => (held.view.number, Passing::Dropped),
                (then, _) => (held.view.number, then),
            })
            .collect();
        for (number, how) in due {
            self.release(number, Release { how, ..Release::as_it_was() });
        }
        self.forget_gone();
    }

    /// When [`expire`](Self::expire) has something to do.
    pub(super) fn timeout(&self) -> Option<Mono> {
        let rules = self.rules.values().map(|rule| rule.until);
        let held = self.held.values().map(|held| held.view.until.mono);
        rules.chain(held).chain(self.failing.timeouts()).min()
    }

    pub(super) fn rules(&self, now: Now) -> Vec<RuleView> {
        let view = |(number, rule): (&u64, &Rule)| RuleView {
            number: *number,
            by: rule.of.by.clone(),
            filter: Arc::clone(&rule.of.filter),
            direction: rule.of.direction,
            then: rule.of.then,
            on_timeout: rule.of.on_timeout,
            since: rule.since,
            until: now.after(rule.until.since(now.mono)),
            taken: rule.taken,
            frames_max: rule.of.frames_max,
            passed_full: rule.passed_full,
            rewrites: rule.rewrite.is_some(),
        };
        self.rules.iter().map(view).collect()
    }

    pub(super) fn held(&mut self) -> Vec<HeldView> {
        self.forget_gone();
        self.held.values().map(|held| held.view.clone()).collect()
    }

    pub(super) fn left_counts(&mut self) -> (LeftCounts, u64) {
        self.forget_gone();
        (self.left_counts, self.passed_full)
    }
}

impl Rule {
    /// How a frame goes of which the kept edit makes another.
    fn rewritten(&self, bytes: &[u8]) -> Option<Release> {
        let kept = self.rewrite.as_ref()?;
        let bytes = (kept.rewrite)(bytes)?;
        Some(Release { how: Passing::Edited, by: Some(kept.by.clone()), bytes: Some(bytes) })
    }
}

/// What a host does with a held frame whose connection, call or process ends: there is nobody to answer a
/// call, or to read what goes to a plugin.
const fn at_end(link: Link, direction: Direction) -> Passing {
    match (link, direction) {
        (Link::Macp, _) | (Link::Plugin, Direction::Outbound) => Passing::Dropped,
        _ => Passing::AsItWas,
    }
}

/// The bit of a way.
pub(super) const fn bit(link: Link, direction: Direction) -> u32 {
    let direction = match direction {
        Direction::Inbound => 0,
        Direction::Outbound => 1,
    };
    1 << (link.index() * 2 + direction)
}
