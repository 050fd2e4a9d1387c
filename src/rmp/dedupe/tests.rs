//! Against one set of keys for each topic and subscriber; and the caps.

use std::{collections::HashSet, time::Duration};

use proptest::{prelude::*, test_runner::FileFailurePersistence};

use super::{
    key_groups::{Bounds, KeyGroups},
    *,
};
use crate::{ids::TraceId, limits, time::Mono};

fn key(msg_id: u64) -> Key {
    Key::new(TraceId(uuid::Uuid::from_u128(u128::from(msg_id / 3))), msg_id)
}

fn at_ms(ms: u64) -> Mono {
    Mono(ms * 1_000_000)
}

/// Publishes to one subscriber that takes it, and tells whether it was one it had seen.
fn is_duplicate(
    dedupe: &mut Dedupe,
    scope: Scope,
    subscriber: &mut Subscriber,
    msg_id: u64,
    now: Mono,
) -> bool {
    let seen = dedupe.record_seen(scope, key(msg_id), now);
    let has_seen = dedupe.has_seen(&seen, subscriber);
    dedupe.record_delivered(subscriber);
    has_seen
}

#[test]
fn a_subscriber_sees_a_message_once_a_topic() {
    let mut dedupe = Dedupe::new(&limits::Rmp::default());
    let (a, b) = (dedupe.open_topic(), dedupe.open_topic());
    let mut first = dedupe.open_subscriber();
    let now = at_ms(0);
    assert!(!is_duplicate(&mut dedupe, a, &mut first, 1, now));
    assert!(is_duplicate(&mut dedupe, a, &mut first, 1, now));
    assert!(!is_duplicate(&mut dedupe, b, &mut first, 1, now), "the scope is the concrete topic");
    let late = dedupe.open_subscriber();
    let seen = dedupe.record_seen(a, key(1), now);
    assert!(dedupe.has_seen(&seen, &first) && !dedupe.has_seen(&seen, &late));
    let seen = dedupe.record_seen(a, key(1), now);
    assert!(dedupe.has_seen(&seen, &late), "it came to it the last time");
}

#[test]
fn what_was_lost_comes_by_a_retry() {
    let mut dedupe = Dedupe::new(&limits::Rmp::default());
    let scope = dedupe.open_topic();
    let (mut quick, mut slow) = (dedupe.open_subscriber(), dedupe.open_subscriber());
    let seen = dedupe.record_seen(scope, key(1), at_ms(0));
    dedupe.record_delivered(&mut quick);
    dedupe.record_lost(&seen, &mut slow);
    let retry = dedupe.record_seen(scope, key(1), at_ms(1));
    assert!(dedupe.has_seen(&retry, &quick) && !dedupe.has_seen(&retry, &slow));
    dedupe.record_lost(&retry, &mut slow);
    let retry = dedupe.record_seen(scope, key(1), at_ms(2));
    assert!(!dedupe.has_seen(&retry, &slow));
    dedupe.record_delivered(&mut slow);
    let retry = dedupe.record_seen(scope, key(1), at_ms(3));
    assert!(dedupe.has_seen(&retry, &slow));
}

#[test]
fn what_expires_on_its_way_comes_by_a_retry_too() {
    let mut dedupe = Dedupe::new(&limits::Rmp::default());
    let scope = dedupe.open_topic();
    let mut slow = dedupe.open_subscriber();
    for msg_id in 0..4 {
        dedupe.record_seen(scope, key(msg_id), at_ms(0));
        dedupe.record_delivered(&mut slow);
    }
    for msg_id in [1, 2, 2] {
        let expired = dedupe.lookup(scope, key(msg_id), at_ms(1));
        dedupe.record_lost(&expired, &mut slow);
    }
    assert_eq!(dedupe.metrics().lost_runs, 1);
    let has_seen = |msg_id| dedupe.has_seen(&dedupe.lookup(scope, key(msg_id), at_ms(2)), &slow);
    assert_eq!([0, 1, 2, 3].map(has_seen), [true, false, false, true]);
    let unknown = dedupe.lookup(scope, key(9), at_ms(1));
    dedupe.record_lost(&unknown, &mut slow);
    assert_eq!(dedupe.metrics().lost_runs, 1, "what the topic has forgotten is no duplicate anyway");
}

#[test]
fn who_does_not_read_costs_one_run_however_much_it_loses() {
    let mut dedupe = Dedupe::new(&limits::Rmp::default());
    let scope = dedupe.open_topic();
    let mut stalled = dedupe.open_subscriber();
    for msg_id in 0..5_000 {
        let seen = dedupe.record_seen(scope, key(msg_id), at_ms(0));
        dedupe.record_lost(&seen, &mut stalled);
    }
    assert_eq!(dedupe.metrics().lost_runs, 1);
    let retry = dedupe.record_seen(scope, key(17), at_ms(1));
    assert!(!dedupe.has_seen(&retry, &stalled));
    dedupe.close_subscriber(stalled);
    assert_eq!(dedupe.metrics().lost_runs, 0);
}

#[test]
fn what_it_had_before_is_no_part_of_what_it_loses_around_it() {
    let mut dedupe = Dedupe::new(&limits::Rmp::default());
    let scope = dedupe.open_topic();
    let mut subscriber = dedupe.open_subscriber();
    assert!(!is_duplicate(&mut dedupe, scope, &mut subscriber, 1, at_ms(0)));
    for msg_id in [2, 1, 3] {
        let seen = dedupe.record_seen(scope, key(msg_id), at_ms(1));
        if dedupe.has_seen(&seen, &subscriber) {
            dedupe.record_delivered(&mut subscriber);
        } else {
            dedupe.record_lost(&seen, &mut subscriber);
        }
    }
    let has_seen = |msg_id| dedupe.has_seen(&dedupe.lookup(scope, key(msg_id), at_ms(2)), &subscriber);
    assert_eq!([1, 2, 3].map(has_seen), [true, false, false]);
}

#[test]
fn a_key_is_remembered_for_the_longest_ttl_after_it_was_last_seen() {
    let mut dedupe = Dedupe::new(&limits::Rmp { ttl_ms_max: 1_000, ..limits::Rmp::default() });
    let scope = dedupe.open_topic();
    let mut subscriber = dedupe.open_subscriber();
    let mut is_duplicate = |msg_id, ms| is_duplicate(&mut dedupe, scope, &mut subscriber, msg_id, at_ms(ms));
    assert!(!is_duplicate(1, 0));
    assert!(is_duplicate(1, 1_000));
    assert!(is_duplicate(1, 2_000), "seen again at 1,000");
    assert!(!is_duplicate(1, 3_001));
    assert!(!is_duplicate(2, 3_001));
    dedupe.forget_old(at_ms(4_002), 1);
    assert_eq!(dedupe.metrics().keys, 1);
    dedupe.forget_old(at_ms(4_002), 100);
    assert_eq!(dedupe.metrics(), DedupeMetrics::default(), "age is no eviction");
}

#[test]
fn the_cap_of_a_topic_takes_what_was_not_seen_for_longest_and_counts_it() {
    let limits = limits::Rmp { topic_keys_max: 3, ttl_ms_max: 1_000, ..limits::Rmp::default() };
    let mut dedupe = Dedupe::new(&limits);
    let (scope, other) = (dedupe.open_topic(), dedupe.open_topic());
    let mut subscriber = dedupe.open_subscriber();
    let mut is_duplicate =
        |scope, msg_id| is_duplicate(&mut dedupe, scope, &mut subscriber, msg_id, at_ms(0));
    for msg_id in [1, 2, 3] {
        assert!(!is_duplicate(scope, msg_id));
    }
    assert!(is_duplicate(scope, 1), "which makes 2 the one not seen for longest");
    assert!(!is_duplicate(scope, 4));
    assert!(is_duplicate(scope, 1) && is_duplicate(scope, 3) && is_duplicate(scope, 4));
    assert!(!is_duplicate(other, 9));
    assert!(!is_duplicate(scope, 2));
    assert_eq!((dedupe.metrics_of(scope), dedupe.metrics_of(other)), ((3, 2), (1, 0)));
    assert_eq!(dedupe.metrics().evicted_young, 2);
}

#[test]
fn the_cap_of_the_broker_takes_from_whichever_topic_was_quiet_for_longest() {
    let mut dedupe = Dedupe::new(&limits::Rmp { keys_max: 4, ..limits::Rmp::default() });
    let (quiet, busy) = (dedupe.open_topic(), dedupe.open_topic());
    for msg_id in 0..2 {
        dedupe.record_seen(quiet, key(msg_id), at_ms(msg_id));
    }
    for msg_id in 2..5 {
        dedupe.record_seen(busy, key(msg_id), at_ms(msg_id));
    }
    assert_eq!((dedupe.metrics_of(quiet), dedupe.metrics_of(busy)), ((1, 1), (3, 0)));
    dedupe.close_topic(busy, at_ms(600_003));
    let figures = dedupe.metrics();
    assert_eq!(
        (figures.keys, figures.evicted_young),
        (1, 3),
        "one by the cap, two with the topic; the third was old"
    );
    assert!(dedupe.record_seen(busy, key(3), at_ms(9)).is_new(), "a closed topic keeps nothing");
    assert_eq!(dedupe.metrics().keys, 1);
    let next = dedupe.open_topic();
    assert!(next != busy && dedupe.metrics_of(next) == (0, 0));
}

/// Publishes a message that a subscriber loses, and one of another number that it gets.
fn lose(dedupe: &mut Dedupe, scope: Scope, subscriber: &mut Subscriber, msg_id: u64, now: Mono) {
    let seen = dedupe.record_seen(scope, key(msg_id), now);
    dedupe.record_lost(&seen, subscriber);
    dedupe.record_seen(scope, key(1_000 + msg_id), now);
    dedupe.record_delivered(subscriber);
}

#[test]
fn what_is_lost_is_capped_too() {
    let limits = limits::Rmp {
        subscriber_lost_runs_max: 2,
        lost_runs_max: 3,
        ttl_ms_max: 1_000,
        ..limits::Rmp::default()
    };
    let mut dedupe = Dedupe::new(&limits);
    let scope = dedupe.open_topic();
    let (mut one, mut two, mut three) =
        (dedupe.open_subscriber(), dedupe.open_subscriber(), dedupe.open_subscriber());
    for msg_id in 0..3 {
        lose(&mut dedupe, scope, &mut one, msg_id, at_ms(0));
    }
    let has_seen = |dedupe: &Dedupe, of: &Subscriber, msg_id| {
        dedupe.has_seen(&dedupe.lookup(scope, key(msg_id), at_ms(0)), of)
    };
    assert_eq!(
        [0, 1, 2].map(|msg_id| has_seen(&dedupe, &one, msg_id)),
        [true, false, false],
        "the oldest went"
    );
    for msg_id in 3..5 {
        lose(&mut dedupe, scope, &mut two, msg_id, at_ms(0));
    }
    assert_eq!(
        [3, 4].map(|msg_id| has_seen(&dedupe, &two, msg_id)),
        [true, false],
        "and its own, where all together are too many"
    );
    lose(&mut dedupe, scope, &mut three, 5, at_ms(0));
    assert!(has_seen(&dedupe, &three, 5), "and the new one, where all is others'");
    let DedupeMetrics { lost_runs, lost_evicted_young, .. } = dedupe.metrics();
    assert_eq!((lost_runs, lost_evicted_young), (3, 3));
    lose(&mut dedupe, scope, &mut one, 6, at_ms(1_001));
    let DedupeMetrics { lost_runs, lost_evicted_young, .. } = dedupe.metrics();
    assert_eq!((lost_runs, lost_evicted_young), (2, 3), "age is no eviction");
    dedupe.close_subscriber(two);
    assert_eq!(dedupe.metrics().lost_runs, 1);
}

#[derive(Clone, Debug)]
enum Op {
    Subscribe(usize),
    Unsubscribe(usize),
    Publish { topic: usize, msg_id: u64, lost_by: [bool; 3] },
    Wait(u64),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        1 => (0_usize..3).prop_map(Op::Subscribe),
        1 => (0_usize..3).prop_map(Op::Unsubscribe),
        10 => (0_usize..2, 0_u64..12, any::<[bool; 3]>())
            .prop_map(|(topic, msg_id, lost_by)| Op::Publish { topic, msg_id, lost_by }),
        1 => (0_u64..100).prop_map(Op::Wait),
    ]
}

/// Cases that failed once are tried again first; they are kept with the tests.
fn config() -> ProptestConfig {
    let persistence = FileFailurePersistence::SourceParallel("tests/proptest-regressions");
    ProptestConfig { failure_persistence: Some(Box::new(persistence)), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    /// Two topics; three subscribers of both that come and go. Nothing is evicted.
    #[test]
    fn agrees_with_a_set_for_each_topic_and_subscriber(ops in proptest::collection::vec(op(), 1..200)) {
        let mut dedupe = Dedupe::new(&limits::Rmp::default());
        let scopes = [dedupe.open_topic(), dedupe.open_topic()];
        let mut subscribers: [Option<Subscriber>; 3] = [const { None }; 3];
        let mut sets: [HashSet<(usize, u64)>; 3] = Default::default();
        let mut now = at_ms(0);
        for op in ops {
            match op {
                Op::Subscribe(at) if subscribers[at].is_none() => {
                    subscribers[at] = Some(dedupe.open_subscriber());
                }
                Op::Unsubscribe(at) => {
                    if let Some(subscriber) = subscribers[at].take() {
                        dedupe.close_subscriber(subscriber);
                        sets[at].clear();
                    }
                }
                Op::Publish { topic, msg_id, lost_by } if subscribers.iter().any(Option::is_some) => {
                    let seen = dedupe.record_seen(scopes[topic], key(msg_id), now);
                    for (at, subscriber) in subscribers.iter_mut().enumerate() {
                        let Some(subscriber) = subscriber else { continue };
                        let has_seen = sets[at].contains(&(topic, msg_id));
                        prop_assert_eq!(dedupe.has_seen(&seen, subscriber), has_seen);
                        match (has_seen, lost_by[at]) {
                            (true, _) => dedupe.record_delivered(subscriber),
                            (false, true) => dedupe.record_lost(&seen, subscriber),
                            (false, false) => {
                                dedupe.record_delivered(subscriber);
                                sets[at].insert((topic, msg_id));
                            }
                        }
                    }
                }
                Op::Wait(ms) => now = now + Duration::from_millis(ms),
                Op::Subscribe(_) | Op::Publish { .. } => {}
            }
        }
    }
}

/// What a ledger is to do, said without care for its cost: one list of all keys, the one seen last at its
/// end.
#[derive(Default)]
struct Plain {
    keys: Vec<(usize, u64, u64, Mono)>,
    evicted_young: u64,
}

impl Plain {
    fn see(&mut self, (group, key): (usize, u64), mark: u64, now: Mono, bounds: &Bounds) -> Option<u64> {
        let is_young = |at: Mono| now.since(at) <= bounds.age;
        for _ in 0..2 {
            if self.keys.first().is_some_and(|(.., at)| !is_young(*at)) {
                self.keys.remove(0);
            }
        }
        let found = self.keys.iter().position(|known| (known.0, known.1) == (group, key));
        let before = found.map(|found| self.keys.remove(found));
        self.keys.push((group, key, mark, now));
        let over_group = self.keys.iter().filter(|known| known.0 == group).count() as u64 > bounds.group_keys;
        let victim = if over_group {
            self.keys.iter().position(|known| known.0 == group)
        } else {
            (self.keys.len() as u64 > bounds.keys).then_some(0)
        };
        if let Some(victim) = victim {
            self.evicted_young += u64::from(is_young(self.keys.remove(victim).3));
        }
        before.filter(|(.., at)| is_young(*at)).map(|(.., mark, _)| mark)
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_ledger_forgets_as_one_list_of_all_keys_does(
        ops in proptest::collection::vec((0_usize..3, 0_u64..40, 0_u64..4, 0_u8..10), 1..600),
        caps in (1_u64..12, 1_u64..24),
    ) {
        let bounds = Bounds { group_keys: caps.0, keys: caps.1, age: Duration::from_millis(60) };
        let mut ledger = KeyGroups::new(bounds);
        let groups = [ledger.open(), ledger.open(), ledger.open()];
        let mut plain = Plain::default();
        let mut now = at_ms(0);
        for (mark, (group, key, ms, what)) in (1..).zip(ops) {
            // No two keys are seen at one moment, so that it is clear which was seen first.
            now = now + Duration::from_millis(ms) + Duration::from_nanos(1);
            match what {
                0 => {
                    ledger.remove(groups[group], &key);
                    plain.keys.retain(|known| (known.0, known.1) != (group, key));
                }
                1 => {
                    let old =
                        plain.keys.iter().take(3).filter(|(.., at)| now.since(*at) > bounds.age).count();
                    plain.keys.drain(..old);
                    prop_assert_eq!(ledger.forget_old(now, 3), old);
                }
                _ => prop_assert_eq!(
                    ledger.record_seen(groups[group], key, mark, now),
                    plain.see((group, key), mark, now, &bounds)
                ),
            }
            prop_assert_eq!((ledger.len(), ledger.evicted_young()), (plain.keys.len(), plain.evicted_young));
        }
        for (group, key, mark, at) in &plain.keys {
            let known = (now.since(*at) <= bounds.age).then_some(*mark);
            prop_assert_eq!(ledger.mark(groups[*group], key, now), known);
        }
        for (place, group) in groups.iter().enumerate() {
            prop_assert_eq!(
                ledger.len_of(*group),
                plain.keys.iter().filter(|known| known.0 == place).count() as u64
            );
        }
    }
}
