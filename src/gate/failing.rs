//! The rules by which the store fails on purpose.

use std::{collections::BTreeMap, fmt};

use super::rule::Owner;
use crate::time::Mono;

/// Lets the store refuse commits until a moment, by the rule of this number.
pub(super) struct FailStore(pub(super) Box<dyn Fn(Mono, u64) + Send>);

impl fmt::Debug for FailStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FailStore")
    }
}

/// Every rule by which the store fails now. The store itself knows the one that ends last: where that is
/// ended, it is given the others again.
#[derive(Debug, Default)]
pub(super) struct FailingRules {
    fail_store: Option<FailStore>,
    rules: BTreeMap<u64, FailingRule>,
}

#[derive(Clone, Copy, Debug)]
struct FailingRule {
    /// With whom it goes.
    owner: Owner,
    until: Mono,
}

impl FailingRules {
    pub(super) fn set_fail_store(&mut self, fail_store: FailStore) {
        self.fail_store = Some(fail_store);
    }

    /// Has the store fail until a moment. Of more than so many rules, the one that ends first ends now.
    pub(super) fn add(&mut self, number: u64, owner: Owner, until: Mono, rules_max: u64) {
        self.rules.insert(number, FailingRule { owner, until });
        self.fail(number, until);
        let first = self.rules.iter().min_by_key(|(_, rule)| rule.until).map(|(number, _)| *number);
        if self.rules.len() as u64 > rules_max
            && let Some(first) = first
        {
            self.end(|number, _| number == first);
        }
    }

    /// Has the store fail no longer by such rules; which.
    pub(super) fn end(&mut self, is: impl Fn(u64, Owner) -> bool) -> Vec<u64> {
        let of = |(number, rule): (&u64, &FailingRule)| is(*number, rule.owner).then_some(*number);
        let ended: Vec<u64> = self.rules.iter().filter_map(of).collect();
        for number in &ended {
            self.rules.remove(number);
            self.fail(*number, Mono(0));
        }
        if !ended.is_empty() {
            for (number, rule) in &self.rules {
                self.fail(*number, rule.until);
            }
        }
        ended
    }

    /// Forgets rules whose time is up, by which the store fails no more.
    pub(super) fn expire(&mut self, now: Mono) {
        self.rules.retain(|_, rule| now < rule.until);
    }

    /// When each has its time up.
    pub(super) fn timeouts(&self) -> impl Iterator<Item = Mono> {
        self.rules.values().map(|rule| rule.until)
    }

    fn fail(&self, rule: u64, until: Mono) {
        if let Some(FailStore(fail)) = &self.fail_store {
            fail(until, rule);
        }
    }
}
