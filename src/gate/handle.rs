//! The gate as hosts and the station have it.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::sync::{Notify, oneshot};

use super::{
    failing::FailStore,
    offer::{Look, Offer, Offered, Release},
    rule::{NewRule, Owner, Rewrite, RuleView},
    sight::Sight,
    table::{ArmError, Decision, HeldView, LeftCounts, NotHeld, Table, bit},
};
use crate::{
    limits,
    tap::entry::{Direction, Link, station::OperatedBy},
    time::{Mono, Now},
};

/// The gate. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Gate(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    /// The ways that a rule covers ([`bit`]).
    armed: AtomicU32,
    table: Mutex<Table>,
    /// Counts what was armed.
    version: AtomicU64,
    /// Something is due earlier than before.
    changed: Notify,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows hosts what is armed now.
    fn publish(&self, table: &Table) {
        self.version.store(table.version(), Ordering::Relaxed);
        self.armed.store(table.armed(), Ordering::Relaxed);
        self.changed.notify_one();
    }
}

impl Gate {
    /// A gate that is never armed, for a host by itself.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// A gate without rules. Faults are for a rehearsal.
    #[must_use]
    pub fn new(limits: limits::Gate, is_rehearsal: bool) -> Self {
        Self(Some(Arc::new(Shared {
            armed: AtomicU32::new(0),
            version: AtomicU64::new(0),
            table: Mutex::new(Table::new(limits, is_rehearsal)),
            changed: Notify::new(),
        })))
    }

    /// Whether any rule covers this way. It may be late by a moment.
    #[inline]
    #[must_use]
    pub fn is_armed(&self, link: Link, direction: Direction) -> bool {
        self.0.as_ref().is_some_and(|shared| shared.armed.load(Ordering::Relaxed) & bit(link, direction) != 0)
    }

    /// Whether a rule that asks for what the core makes of a frame may match this one, by its class.
    #[must_use]
    pub fn asks_verdict(&self, now: Now, offer: &Offer<'_>, look: &dyn Look) -> bool {
        let Some(shared) = &self.0 else { return false };
        let covering = shared.lock().covering(now.mono, offer.link, offer.direction);
        let mut sight = Sight::new(now, offer, look);
        covering.iter().any(|rule| rule.asks_verdict && rule.may_match_class(&mut sight))
    }

    /// How the store is made to refuse commits until a moment, by the rule of a number
    /// ([`Then::FailStore`](super::Then::FailStore)).
    pub fn fail_store_by(&self, fail: impl Fn(Mono, u64) + Send + 'static) {
        let _ = self.change(|table| table.set_fail_store(FailStore(Box::new(fail))));
    }

    /// Which rules are armed, by a number that grows with each of them. It may be late by a moment.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        self.0.as_ref().map_or(0, |shared| shared.version.load(Ordering::Relaxed))
    }

    /// Stops a frame that a rule matches.
    #[cold]
    #[must_use]
    pub fn offer(&self, now: Now, offer: &Offer<'_>, look: &dyn Look) -> Offered {
        let Some(shared) = &self.0 else { return Offered::Passes };
        // Nothing else waits for what the rules ask of the frame and its core.
        let (covering, version) = {
            let table = shared.lock();
            (table.covering(now.mono, offer.link, offer.direction), table.version())
        };
        let mut sight = Sight::new(now, offer, look);
        let mut may_match_class = false;
        for rule in covering {
            if !rule.may_match_class(&mut sight) {
                continue;
            }
            may_match_class = true;
            if !rule.matches(&mut sight) {
                continue;
            }
            if look.is_secret() {
                return Offered::Passes;
            }
            if shared.lock().draws(rule.number) {
                let frame = sight.frame();
                let mut table = shared.lock();
                if let Some(taken) = table.take(now, rule.number, offer, &frame) {
                    shared.publish(&table);
                    return Offered::Taken(Box::new(taken));
                }
            }
        }
        if may_match_class { Offered::Passes } else { Offered::ClassPasses { version } }
    }

    /// Arms a rule; its number.
    ///
    /// # Errors
    /// [`ArmError`].
    pub fn arm(&self, now: Now, rule: NewRule) -> Result<u64, ArmError> {
        self.change(|table| table.arm(now, rule)).unwrap_or(Err(ArmError::Full { armed: 0 }))
    }

    /// Disarms a rule, and lets pass what it holds; whether there was one, or one by which the store failed
    /// still.
    #[must_use]
    pub fn disarm(&self, number: u64) -> bool {
        self.change(|table| table.disarm(number)).unwrap_or(false)
    }

    /// Disarms the rules of owners that go, and lets pass what they hold; which.
    #[must_use]
    pub fn disarm_of(&self, is_gone: impl Fn(Owner) -> bool) -> Vec<u64> {
        self.change(|table| table.disarm_of(&is_gone)).unwrap_or_default()
    }

    /// Disarms all rules, and lets all pass; which.
    pub fn disarm_all(&self) -> Vec<u64> {
        self.change(Table::disarm_all).unwrap_or_default()
    }

    /// Does with a held frame what an operator says. With `keeps`, the rule makes that edit of all that it
    /// matches from now on.
    ///
    /// # Errors
    /// [`NotHeld`].
    pub fn decide(
        &self,
        number: u64,
        decision: Decision,
        by: &OperatedBy,
        keeps: Option<Rewrite>,
    ) -> Result<(), NotHeld> {
        self.change(|table| table.decide(number, decision, by, keeps)).unwrap_or(Err(NotHeld { number }))
    }

    /// The rules that are armed, in their order.
    #[must_use]
    pub fn rules(&self, now: Now) -> Vec<RuleView> {
        self.0.as_ref().map(|shared| shared.lock().rules(now)).unwrap_or_default()
    }

    /// The frames that are held, in their order.
    #[must_use]
    pub fn held(&self) -> Vec<HeldView> {
        self.0.as_ref().map(|shared| shared.lock().held()).unwrap_or_default()
    }

    /// How many frames left, by how, and how many passed because too many were held.
    #[must_use]
    pub fn left_counts(&self) -> (LeftCounts, u64) {
        self.0.as_ref().map(|shared| shared.lock().left_counts()).unwrap_or_default()
    }

    /// Disarms rules and releases frames whose time is up; when there is more to do.
    #[must_use]
    pub fn expire(&self, now: Mono) -> Option<Mono> {
        let shared = self.0.as_ref()?;
        let mut table = shared.lock();
        table.expire(now);
        shared.armed.store(table.armed(), Ordering::Relaxed);
        table.timeout()
    }

    /// Waits until something may be due earlier than [`expire`](Self::expire) said.
    pub async fn changed(&self) {
        match &self.0 {
            Some(shared) => shared.changed.notified().await,
            None => std::future::pending().await,
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Table) -> T) -> Option<T> {
        let shared = self.0.as_ref()?;
        let mut table = shared.lock();
        let changed = change(&mut table);
        shared.publish(&table);
        Some(changed)
    }
}

/// A frame that is held: ready when it is released. One that is dropped is forgotten by the gate.
#[derive(Debug)]
pub struct Held(oneshot::Receiver<Release>);

impl Held {
    pub(super) const fn new(released: oneshot::Receiver<Release>) -> Self {
        Self(released)
    }

    /// Its release, where that has come.
    pub fn try_release(&mut self) -> Option<Release> {
        match self.0.try_recv() {
            Ok(release) => Some(release),
            Err(oneshot::error::TryRecvError::Closed) => Some(Release::as_it_was()),
            Err(oneshot::error::TryRecvError::Empty) => None,
        }
    }
}

impl Future for Held {
    type Output = Release;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Release> {
        Pin::new(&mut self.0).poll(cx).map(|release| release.unwrap_or_else(|_| Release::as_it_was()))
    }
}
