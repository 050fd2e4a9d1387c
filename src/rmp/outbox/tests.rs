//! The queue by itself, and against a list of its units.

use std::collections::VecDeque;

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::limits;

pub(super) type Tagged = Outbox<u32>;

pub(super) fn delivery(message: &Bytes, expires_at_ms: u64, tag: u32) -> Delivery<'_, u32> {
    Delivery { head: b"head", message: Payload::Shared(message), expires_at_ms, tag }
}

pub(super) fn bytes(len: usize, fill: u8) -> Bytes {
    vec![fill; len].into()
}

pub(super) fn setup(limits: &limits::Rmp) -> (Tagged, Budget) {
    (Outbox::new(limits), Budget::new(limits))
}

/// All that is offered, and what expired, by tag.
pub(super) fn offered(outbox: &mut Tagged, budget: &mut Budget, now_ms: u64) -> (Vec<u8>, Vec<u32>) {
    let mut gone = Vec::new();
    let front = outbox.front(now_ms, budget, |expired| gone.push(expired.tag));
    (front.slices().concat(), gone)
}

#[test]
fn units_leave_in_order_small_ones_by_one_slice() {
    let (mut outbox, mut budget) = setup(&limits::Rmp::default());
    let slot = outbox.open();
    outbox.push_answer(b"ok").unwrap();
    outbox.push_delivery(slot, delivery(&Bytes::from_static(b"one"), 9, 1), &mut budget).unwrap();
    outbox.push_delivery(slot, delivery(&bytes(SHARED_BYTES_MIN, 2), 9, 2), &mut budget).unwrap();
    outbox.push_answer(b"ok").unwrap();
    let front = outbox.front(0, &mut budget, |_| {});
    let large = bytes(SHARED_BYTES_MIN, 2);
    assert_eq!(front.slices(), [b"okheadonehead", &large[..], b"ok"]);
    assert_eq!(outbox.advance(2 + 7 + 3, &mut budget), Sent { messages: 1, bytes: 7, answers: 1 });
    assert_eq!((outbox.messages(), outbox.bytes(), outbox.answer_bytes()), (1, 4 + 16_384, 2));
    let front = outbox.front(0, &mut budget, |_| {});
    assert_eq!(front.slices(), [b"d", &large[..], b"ok"]);
    assert_eq!(outbox.advance(1 + 16_384 + 2, &mut budget), Sent { messages: 1, bytes: 16_388, answers: 1 });
    assert!(outbox.is_empty() && budget.bytes() == 0);
    let account = outbox.queue_stats(slot);
    assert_eq!(
        (account.delivered, account.delivered_bytes, account.messages, account.bytes),
        (2, 7 + 16_388, 0, 0)
    );
}

#[test]
fn what_expired_is_taken_out_but_not_what_has_begun_to_leave() {
    let (mut outbox, mut budget) = setup(&limits::Rmp::default());
    let slot = outbox.open();
    for (tag, expires_at_ms) in [(1, 10), (2, 10), (3, 20), (4, 10), (5, 20)] {
        outbox
            .push_delivery(
                slot,
                delivery(&bytes(2, b'0' + u8::try_from(tag).unwrap()), expires_at_ms, tag),
                &mut budget,
            )
            .unwrap();
    }
    assert_eq!(offered(&mut outbox, &mut budget, 9).0, b"head11head22head33head44head55");
    outbox.advance(1, &mut budget);
    let mut bodies = Vec::new();
    let front = outbox
        .front(10, &mut budget, |gone| bodies.push((gone.tag, gone.message.to_vec(), gone.expires_at_ms)));
    assert_eq!(front.slices(), [&b"ead11"[..], b"head33", b"head55"]);
    assert_eq!(bodies, [(2, b"22".to_vec(), 10), (4, b"44".to_vec(), 10)]);
    assert_eq!(outbox.queue_stats(slot).expired, 2);
    assert_eq!((outbox.messages(), budget.bytes()), (3, 18));
    assert_eq!(outbox.advance(5 + 3, &mut budget).messages, 1);
    assert_eq!(offered(&mut outbox, &mut budget, 20), (b"d33".to_vec(), vec![5]));
    outbox.advance(3, &mut budget);
    assert!(outbox.is_empty() && budget.bytes() == 0);
}

#[test]
fn what_expired_behind_a_unit_that_does_not_leave_is_taken_out_too() {
    let (mut outbox, mut budget) = setup(&limits::Rmp::default());
    let slot = outbox.open();
    outbox.push_delivery(slot, delivery(&bytes(1 << 20, 1), 10, 1), &mut budget).unwrap();
    for tag in 2..40 {
        outbox.push_delivery(slot, delivery(&bytes(40_000, 2), 10, tag), &mut budget).unwrap();
    }
    offered(&mut outbox, &mut budget, 0);
    outbox.advance(1, &mut budget);
    assert_eq!(
        offered(&mut outbox, &mut budget, 10).1,
        [0_u32; 0],
        "only so much is looked at for one write"
    );
    let mut gone = Vec::new();
    outbox.expire(10, &mut budget, |expired| gone.push(expired.tag));
    assert_eq!((gone, outbox.messages(), budget.bytes()), ((2..40).collect(), 1, (1 << 20) + 4));
}

#[test]
fn a_queue_of_expired_messages_alone_is_empty_once_it_is_looked_at() {
    let (mut outbox, mut budget) = setup(&limits::Rmp::default());
    let slot = outbox.open();
    for tag in 0..1_000 {
        outbox.push_delivery(slot, delivery(&bytes(1_000, 0), 5, tag), &mut budget).unwrap();
    }
    let (bytes, gone) = offered(&mut outbox, &mut budget, 5);
    assert_eq!((bytes.len(), gone.len()), (0, 1_000));
    assert!(outbox.is_empty() && budget.bytes() == 0);
}

#[test]
fn an_empty_queue_takes_one_of_any_size_and_a_full_one_says_which_bound() {
    let limits = limits::Rmp {
        queue_messages_max: 3,
        queue_bytes_max: 100,
        queued_bytes_max: 500,
        ..limits::Rmp::default()
    };
    let (mut outbox, mut budget) = setup(&limits);
    let (first, second) = (outbox.open(), outbox.open());
    let mut push = |outbox: &mut Tagged, slot, len| {
        outbox.push_delivery(slot, delivery(&bytes(len, 0), 9, 0), &mut budget)
    };
    push(&mut outbox, first, 300).unwrap();
    assert_eq!(push(&mut outbox, first, 1), Err(Full::Bytes { bytes: 304, bytes_max: 100 }));
    push(&mut outbox, second, 10).unwrap();
    push(&mut outbox, second, 10).unwrap();
    push(&mut outbox, second, 10).unwrap();
    assert_eq!(push(&mut outbox, second, 1), Err(Full::Messages { messages_max: 3 }));
    let third = outbox.open();
    push(&mut outbox, third, 50).unwrap();
    push(&mut outbox, third, 1).unwrap();
    let fourth = outbox.open();
    push(&mut outbox, fourth, 300).unwrap();
    assert_eq!(push(&mut outbox, third, 1), Err(Full::Broker { bytes: 709 }));
    let mut other = Outbox::new(&limits);
    let alone = other.open();
    push(&mut other, alone, 8_000_000).unwrap();
    assert_eq!(
        outbox.queue_stats(first).refused
            + outbox.queue_stats(second).refused
            + outbox.queue_stats(third).refused,
        3
    );
    assert_eq!(outbox.messages(), 7);
    outbox.clear(&mut budget);
    other.clear(&mut budget);
    assert_eq!(budget.bytes(), 0);
}

#[test]
fn a_message_for_several_subscriptions_is_kept_once_and_leaves_behind_the_head_of_each() {
    for len in [2_000, SHARED_BYTES_MIN] {
        let (mut apart, mut apart_budget) = setup(&limits::Rmp::default());
        let (mut once, mut once_budget) = setup(&limits::Rmp::default());
        let message = bytes(len, 7);
        let slots: Vec<_> = (0..18).map(|_| (apart.open(), once.open())).collect();
        let heads: Vec<String> = (0..18).map(|sub| format!("head{sub}")).collect();
        for ((slot, _), head) in slots.iter().zip(&heads) {
            let (head, message) = (head.as_bytes(), Payload::Shared(&message));
            let delivery = Delivery { head, message, expires_at_ms: 9, tag: 1 };
            apart.push_delivery(*slot, delivery, &mut apart_budget).unwrap();
        }
        let to = slots.iter().zip(&heads).map(|((_, slot), head)| (*slot, head, 1));
        once.queue_fan_out(to, Payload::Shared(&message), 9, &mut once_budget);
        let heads_bytes: usize = heads.iter().map(String::len).sum();
        assert_eq!(once_budget.bytes(), (heads_bytes + len) as u64);
        assert_eq!((once.units(), once.messages()), (1, 18));
        let drain = |outbox: &mut Tagged, budget: &mut Budget| {
            let mut wire = Vec::new();
            while !outbox.is_empty() {
                let (bytes, _) = offered(outbox, budget, 0);
                let written = bytes.len().min(777);
                wire.extend_from_slice(&bytes[..written]);
                outbox.advance(written, budget);
            }
            wire
        };
        let wire = drain(&mut once, &mut once_budget);
        assert!(wire == drain(&mut apart, &mut apart_budget), "byte for byte");
        for (apart_slot, once_slot) in slots {
            assert_eq!(once.queue_stats(once_slot), apart.queue_stats(apart_slot));
        }
        assert_eq!(once_budget.bytes(), 0);
    }
}

#[test]
fn answers_have_a_bound_of_their_own() {
    let limits = limits::Rmp { answer_bytes_max: 10, ..limits::Rmp::default() };
    let (mut outbox, mut budget) = setup(&limits);
    outbox.push_answer(&[0; 50]).unwrap();
    assert_eq!(outbox.push_answer(b"x"), Err(NotReading { bytes: 50, bytes_max: 10 }));
    offered(&mut outbox, &mut budget, 0);
    outbox.advance(50, &mut budget);
    outbox.push_answer(b"x").unwrap();
}

#[test]
fn a_closed_subscription_keeps_what_is_queued_and_its_slot_until_then() {
    let (mut outbox, mut budget) = setup(&limits::Rmp::default());
    let first = outbox.open();
    outbox.push_delivery(first, delivery(&bytes(1, 1), 9, 1), &mut budget).unwrap();
    outbox.close(first);
    let second = outbox.open();
    assert_ne!(first, second);
    assert_eq!(offered(&mut outbox, &mut budget, 0).0, b"head\x01");
    outbox.advance(5, &mut budget);
    assert_eq!(outbox.open(), first);
    assert_eq!(outbox.queue_stats(first), QueueStats::default());
}

#[test]
fn an_idle_queue_holds_little_and_a_relaxed_one_next_to_nothing() {
    let (mut outbox, mut budget) = setup(&limits::Rmp::default());
    assert_eq!(outbox.held_bytes(), 0);
    let slot = outbox.open();
    for tag in 0..1_000 {
        outbox.push_delivery(slot, delivery(&bytes(8_000, 0), 9, tag), &mut budget).unwrap();
    }
    while !outbox.is_empty() {
        let (bytes, _) = offered(&mut outbox, &mut budget, 0);
        assert!(bytes.len() <= (256 << 10) + 8_004);
        outbox.advance(bytes.len(), &mut budget);
    }
    outbox.release_memory();
    assert!(outbox.held_bytes() < 1_024, "{}", outbox.held_bytes());
    outbox.push_answer(b"ok").unwrap();
    offered(&mut outbox, &mut budget, 0);
    outbox.advance(2, &mut budget);
    assert!(outbox.held_bytes() < 40 << 10, "{}", outbox.held_bytes());
}

#[derive(Clone, Debug)]
enum Op {
    Answer(usize),
    Deliver {
        sub: usize,
        len: usize,
        ttl_ms: u64,
    },
    /// To these of the three.
    FanOut {
        to: [bool; 3],
        len: usize,
        ttl_ms: u64,
    },
    Write {
        of_offered: u8,
    },
    Wait(u64),
    Expire,
    Cut,
}

fn op() -> impl Strategy<Value = Op> {
    let len = prop_oneof![8 => 0_usize..200, 2 => 8_000_usize..15_000, 1 => 16_380_usize..40_000];
    prop_oneof![
        2 => (0_usize..60).prop_map(Op::Answer),
        8 => (0_usize..3, len.clone(), 1_u64..50)
            .prop_map(|(sub, len, ttl_ms)| Op::Deliver { sub, len, ttl_ms }),
        4 => (any::<[bool; 3]>(), len, 1_u64..50)
            .prop_map(|(to, len, ttl_ms)| Op::FanOut { to, len, ttl_ms }),
        5 => any::<u8>().prop_map(|of_offered| Op::Write { of_offered }),
        2 => (1_u64..20).prop_map(Op::Wait),
        1 => Just(Op::Expire),
        3 => Just(Op::Cut),
    ]
}

/// One delivery or answer as the list has it.
#[derive(Debug)]
struct Listed {
    bytes: Vec<u8>,
    delivery: Option<(usize, u64, u32)>,
    /// Bytes that are kept for all that have the tag.
    kept: u64,
}

fn tag_of(unit: &Listed) -> Option<u32> {
    unit.delivery.map(|it| it.2)
}

/// The bytes that are kept for a list, those of a message for several subscriptions once.
fn kept(list: &VecDeque<Listed>) -> u64 {
    let of: std::collections::BTreeMap<_, _> =
        list.iter().filter_map(|unit| Some((tag_of(unit)?, unit.kept))).collect();
    of.values().sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn agrees_with_a_list_of_its_units(ops in proptest::collection::vec(op(), 1..200)) {
        let limits = limits::Rmp {
            queue_messages_max: 20,
            queue_bytes_max: 60_000,
            queued_bytes_max: 120_000,
            answer_bytes_max: 300,
            ..limits::Rmp::default()
        };
        let (mut outbox, mut budget) = setup(&limits);
        let slots = [outbox.open(), outbox.open(), outbox.open()];
        let mut list: VecDeque<Listed> = VecDeque::new();
        let (mut now_ms, mut begun, mut tag) = (0_u64, 0_usize, 0_u32);
        for op in ops {
            tag += 1;
            let fill = u8::try_from(tag % 251).unwrap();
            match op {
                Op::Answer(len) => {
                    let waiting: usize =
                        list.iter().filter(|unit| unit.delivery.is_none()).map(|unit| unit.bytes.len()).sum();
                    let fits = waiting == 0 || waiting + len <= 300;
                    prop_assert_eq!(outbox.push_answer(&vec![fill; len]).is_ok(), fits);
                    if fits && len > 0 {
                        list.push_back(Listed { bytes: vec![fill; len], delivery: None, kept: 0 });
                    }
                }
                Op::Deliver { sub, len, ttl_ms } => {
                    let message = bytes(len, fill);
                    let of_sub = list.iter().filter(|unit| unit.delivery.is_some_and(|it| it.0 == sub));
                    let (messages, queued) =
                        of_sub.fold((0, 0), |(n, sum), unit| (n + 1, sum + unit.bytes.len()));
                    let all = usize::try_from(kept(&list)).unwrap();
                    // An empty queue always takes one (ruling RMP 8).
                    let fits = messages < 20
                        && (messages == 0 || (queued + len + 4 <= 60_000 && all + len + 4 <= 120_000));
                    let pushed = outbox.push_delivery(
                        slots[sub],
                        delivery(&message, now_ms + ttl_ms, tag),
                        &mut budget,
                    );
                    prop_assert_eq!(pushed.is_ok(), fits, "{:?}", pushed);
                    if fits {
                        let bytes = [b"head", &message[..]].concat();
                        let kept = bytes.len() as u64;
                        list.push_back(Listed { bytes, delivery: Some((sub, now_ms + ttl_ms, tag)), kept });
                    }
                }
                Op::FanOut { to, len, ttl_ms } => {
                    let message = bytes(len, fill);
                    let queued = budget.queued(len as u64 + 15);
                    let needed = len as u64 + 5;
                    let has_room = |sub: usize| outbox.full(slots[sub], needed, (0, 0), &queued).is_none();
                    let to: Vec<usize> = (0..3).filter(|sub| to[*sub] && has_room(*sub)).collect();
                    let heads = to.iter().map(|sub| (slots[*sub], format!("head{sub}"), tag));
                    outbox.queue_fan_out(heads, Payload::Shared(&message), now_ms + ttl_ms, &mut budget);
                    let kept = (5 * to.len() + len) as u64;
                    for sub in to {
                        let bytes = [format!("head{sub}").as_bytes(), &message[..]].concat();
                        list.push_back(Listed { bytes, delivery: Some((sub, now_ms + ttl_ms, tag)), kept });
                    }
                }
                Op::Cut => {
                    let mut gone = Vec::new();
                    let was_cut = outbox.cut(&mut budget, |it| {
                        gone.push((it.tag, [it.head, it.message].concat()));
                    });
                    let begun_tag = list.front().filter(|_| begun > 0).and_then(tag_of);
                    let oldest = list.iter().filter_map(tag_of).find(|tag| Some(*tag) != begun_tag);
                    let (cut, left): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut list)
                        .into_iter()
                        .partition(|unit| oldest.is_some() && tag_of(unit) == oldest);
                    list = left;
                    let cut: Vec<_> =
                        cut.into_iter().map(|unit| (tag_of(&unit).unwrap(), unit.bytes)).collect();
                    prop_assert_eq!((was_cut, gone), (oldest.is_some(), cut));
                }
                Op::Write { of_offered } => {
                    let mut gone = Vec::new();
                    let front = outbox.front(now_ms, &mut budget, |it| {
                        gone.push((it.slot, it.expires_at_ms, it.tag, it.message.to_vec()));
                    });
                    let offered = front.slices().concat();
                    for (slot, expires_at_ms, tag, message) in gone {
                        let place = list.iter().position(|unit| tag_of(unit) == Some(tag)).unwrap();
                        let unit = list.remove(place).unwrap();
                        prop_assert!(now_ms >= expires_at_ms && (place > 0 || begun == 0));
                        prop_assert_eq!(
                            (slots[unit.delivery.unwrap().0], unit.delivery.unwrap().1),
                            (slot, expires_at_ms)
                        );
                        prop_assert!(unit.bytes.ends_with(&message));
                    }
                    let all: Vec<u8> =
                        list.iter().flat_map(|unit| unit.bytes.iter().copied()).skip(begun).collect();
                    prop_assert!(all.starts_with(&offered) && (offered.is_empty() == all.is_empty()));
                    // Nothing expired is offered unless it has begun to leave.
                    let mut end = 0;
                    let begun_tag = list.front().filter(|_| begun > 0).and_then(tag_of);
                    for unit in &list {
                        let is_offered = end < begun + offered.len();
                        let is_expired = unit.delivery.is_some_and(|it| now_ms >= it.1);
                        prop_assert!(!is_offered || !is_expired || tag_of(unit) == begun_tag);
                        end += unit.bytes.len();
                    }
                    let written = offered.len() * usize::from(of_offered) / 255;
                    let sent = outbox.advance(written, &mut budget);
                    begun += written;
                    let (mut messages, mut answers) = (0, 0);
                    while list.front().is_some_and(|unit| unit.bytes.len() <= begun) {
                        let unit = list.pop_front().unwrap();
                        begun -= unit.bytes.len();
                        *(if unit.delivery.is_some() { &mut messages } else { &mut answers }) += 1;
                    }
                    prop_assert_eq!((sent.messages, sent.answers), (messages, answers));
                }
                Op::Wait(ms) => now_ms += ms,
                Op::Expire => {
                    let mut gone = Vec::new();
                    outbox.expire(now_ms, &mut budget, |it| {
                        gone.push((it.tag, [it.head, it.message].concat()));
                    });
                    let begun_tag = list.front().filter(|_| begun > 0).and_then(tag_of);
                    let is_expired = |unit: &Listed| {
                        unit.delivery.is_some_and(|it| now_ms >= it.1) && tag_of(unit) != begun_tag
                    };
                    let (mut taken, mut left) = (Vec::new(), VecDeque::new());
                    for unit in std::mem::take(&mut list) {
                        match unit.delivery.filter(|_| is_expired(&unit)) {
                            Some((_, _, tag)) => taken.push((tag, unit.bytes)),
                            None => left.push_back(unit),
                        }
                    }
                    list = left;
                    prop_assert_eq!(gone, taken, "all of them, in order");
                }
            }
            let (mut messages, mut total) = ([0; 3], [0; 3]);
            for unit in &list {
                if let Some((sub, ..)) = unit.delivery {
                    messages[sub] += 1;
                    total[sub] += unit.bytes.len() as u64;
                }
            }
            for (sub, slot) in slots.into_iter().enumerate() {
                let account = outbox.queue_stats(slot);
                prop_assert_eq!((account.messages, account.bytes), (messages[sub], total[sub]));
            }
            prop_assert_eq!(
                (outbox.messages(), outbox.bytes()),
                (messages.iter().sum::<u64>(), kept(&list))
            );
            prop_assert_eq!(budget.bytes(), outbox.bytes());
            prop_assert_eq!(outbox.is_empty(), list.is_empty());
        }
    }
}
