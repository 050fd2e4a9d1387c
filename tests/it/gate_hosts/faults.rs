//! Under random rules and faults of a rehearsal (held frames, delays, drops, copies), and random passes, the
//! broker gets on every connection what was sent on it, in its order: what was dropped is missing, and a copy
//! is next to its frame.

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use rl_console::{
    gate::Then,
    port::{Arm, GateCommand, Way},
    tap::{
        entry::{Direction, What, gate::Passing},
        recorded::OwnedEntry,
    },
};

use super::{
    Gated,
    meddler::Heard,
    order_bus::{publish, said},
};
use crate::rmp_bus::Peer;

/// Sessions that publish. They are known by the trace of what they send.
const PUBLISHERS: u64 = 3;

/// Messages of each, before one that says `end` on a topic that no rule covers.
const MESSAGES: u64 = 20;

const FILTERS: [&str; 4] = ["topic:a", "topic:b", "topic:a or topic:b", "topic:a verdict:ok"];

/// A rule, and of a thousand frames how many it takes.
fn any_rule() -> impl Strategy<Value = Arm> {
    let then = prop_oneof![
        Just(Then::Intercept),
        (1..10_u64).prop_map(|ms| Then::Delay { ms, jitter_ms: ms }),
        Just(Then::Drop),
        Just(Then::Duplicate),
    ];
    (0..FILTERS.len(), then, 100..1_000_u16, any::<u64>()).prop_map(|(filter, then, per_mille, seed)| Arm {
        filter: FILTERS[filter].to_owned(),
        way: Some(Way::In),
        then,
        per_mille: Some(per_mille),
        seed: Some(seed),
        ..Arm::default()
    })
}

/// Publishes all, session by session in turn, and waits until the broker has the last of each.
fn publish_all(mut publishers: Vec<Peer>) {
    for n in 1..=MESSAGES {
        for (who, publisher) in (1..).zip(&mut publishers) {
            let topic = ["a", "b"][usize::from((n + who).is_multiple_of(2))];
            publisher.send(&publish(who, who * 1_000 + n, topic, &format!("{n} of {who}")));
        }
    }
    for (who, publisher) in (1..).zip(&mut publishers) {
        publisher.send(&publish(who, who * 1_000 + MESSAGES + 1, "c", &format!("end of {who}")));
    }
    // Who answers this has taken all that was sent before it.
    for publisher in &mut publishers {
        publisher.say("Ping", Vec::new());
        assert_eq!(publisher.hear().name(), "Pong");
    }
}

/// What is sent, by session.
fn sent() -> Heard {
    let of = |who: u64| {
        let topic = |n: u64| ["a", "b"][usize::from((n + who).is_multiple_of(2))];
        let says = |n: u64| format!("{} {} {n} of {who}", topic(n), who * 1_000 + n);
        let end = format!("c {} end of {who}", who * 1_000 + MESSAGES + 1);
        (who.to_string(), (1..=MESSAGES).map(says).chain([end]).collect())
    };
    (1..=PUBLISHERS).map(of).collect()
}

/// What the broker got, by session.
fn heard(entries: &[OwnedEntry]) -> Heard {
    let mut heard = Heard::new();
    for it in entries {
        let What::Frame(frame) = &it.entry.what else { continue };
        if frame.direction == Direction::Inbound
            && let Some((who, says)) = said(&it.bytes).filter(|(_, says)| says.contains(" of "))
        {
            heard.entry(who.to_string()).or_default().push(says);
        }
    }
    heard
}

/// How often each message that was stopped went on, by its session and what it says.
fn copies(entries: &[OwnedEntry]) -> BTreeMap<(String, String), usize> {
    let mut stopped = BTreeMap::new();
    let mut copies = BTreeMap::new();
    for it in entries {
        match &it.entry.what {
            What::Intercepted(frame) => {
                let (who, says) = said(&it.bytes).unwrap();
                stopped.insert(frame.number, (who.to_string(), says));
            }
            What::Passed(passed) => {
                let count = match passed.how {
                    Passing::Dropped => 0,
                    Passing::Duplicated => 2,
                    _ => 1,
                };
                copies.insert(stopped[&passed.number].clone(), count);
            }
            _ => {}
        }
    }
    copies
}

fn play(rules: &[Arm], passes: u64) {
    let gated = Gated::open();
    let path = gated.ready.rmp.clone().unwrap();
    let publishers: Vec<_> = (0..PUBLISHERS).map(|_| Peer::greeted(&path, "agent", None)).collect();
    for rule in rules {
        gated.command(GateCommand::Arm(rule.clone())).unwrap();
    }
    let mut reader = gated.tap();
    let chance = &mut fastrand::Rng::with_seed(passes);
    std::thread::scope(|scope| {
        let publishing = scope.spawn(|| publish_all(publishers));
        while !publishing.is_finished() {
            let held = gated.held();
            if let Some(row) = chance.choice(&held) {
                let frames = if chance.u8(..4) == 0 { Vec::new() } else { vec![row.frame] };
                // Those that are delayed may have passed meanwhile.
                let _ = gated.command(GateCommand::Pass { frames });
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        publishing.join().unwrap();
    });
    let is_over = |entries: &[OwnedEntry]| {
        let ends = |says: &Vec<String>| says.last().is_some_and(|last| last.contains("end of"));
        heard(entries).values().filter(|says| ends(says)).count() == usize::try_from(PUBLISHERS).unwrap()
    };
    let entries = gated.read_until(&mut reader, is_over);
    let copies = copies(&entries);
    let expected: Heard = sent()
        .into_iter()
        .map(|(who, all)| {
            let times = |says: &String| copies.get(&(who.clone(), says.clone())).copied().unwrap_or(1);
            let all = all.into_iter().flat_map(|says| vec![says.clone(); times(&says)]).collect();
            (who, all)
        })
        .collect();
    assert_eq!(heard(&entries), expected, "{rules:?}");
}

/// Some rules, and what the random passes begin with; so many times, whatever the environment asks for: each
/// takes long.
#[test]
fn the_broker_gets_all_in_its_order_but_for_what_faults_drop_and_double() {
    let config = ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() };
    let played = TestRunner::new(config).run(&(vec(any_rule(), 1..4), any::<u64>()), |(rules, passes)| {
        play(&rules, passes);
        Ok(())
    });
    played.unwrap();
}
