//! Judging beside handling, on random lines; and that it changes nothing.

use std::cell::Cell;

use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use rl_console::{
    ids::ConnectionId,
    judged::Certainty,
    mpp::{Stand, Verdict},
};

use crate::harness::{
    HELLO, TestBridge,
    judged::{FRAMES, agrees, judge, newcomer},
};

/// A frame, often as it is, else with a byte changed, put in or taken out.
fn wire(rng: &mut fastrand::Rng, next_id: u64) -> Vec<u8> {
    let id = rng.u64(next_id.saturating_sub(4)..next_id + 2);
    let mut wire = rng.choice(FRAMES).unwrap().replace('#', &id.to_string()).into_bytes();
    if rng.u8(..4) == 0 && !wire.is_empty() {
        let at = rng.usize(..wire.len());
        match rng.u8(..3) {
            0 => wire[at] = rng.u8(..),
            1 => _ = wire.remove(at),
            _ => wire.insert(at, rng.u8(..)),
        }
    }
    wire.retain(|byte| *byte != b'\n');
    wire.push(b'\n');
    wire
}

/// Plays some steps, whose choices follow from their numbers; how many lines were accepted.
fn play(steps: &[u64]) -> u64 {
    let mut accepted = 0;
    let mut world = TestBridge::new();
    let (mut adapter, mut rows) = (None, 1);
    for step in steps {
        let rng = &mut fastrand::Rng::with_seed(*step);
        world.prompt = rng.u8(..4) > 0;
        if world.prompt {
            world.run_until_idle();
        }
        if rng.bool() {
            world.enqueue_later(if rng.bool() { "free" } else { "spawn" });
            rows += 1;
        }
        let mut wire = wire(rng, rows);
        if let Some(conn) = adapter {
            judge(&world, &Stand::Towards(conn), &wire);
            let cut = &wire[..rng.usize(..wire.len())];
            assert!(judge(&world, &Stand::Connection(conn), cut).verdict.is_err(), "{step}");
            let verdict = world.bytes(conn, &wire);
            accepted += u64::from(verdict == Verdict::Accepted);
            if world.closed.iter().any(|(closed, _)| *closed == conn) {
                adapter = None;
            }
        } else {
            let stand = rng.u8(..4);
            if stand == 0 {
                (adapter, accepted) = greeted(&mut world, &wire, accepted);
            } else {
                if stand == 1 {
                    wire = format!("{HELLO}\n").into_bytes();
                }
                adapter = newcomer(&mut world, &wire);
            }
        }
        if adapter.is_some() && rng.u8(..20) == 0 {
            assert_eq!(newcomer(&mut world, format!("{HELLO}\n").as_bytes()), None);
        }
    }
    accepted
}

/// What becomes of the line behind a newcomer's hello is what was judged before it came.
fn greeted(world: &mut TestBridge, wire: &[u8], accepted: u64) -> (Option<ConnectionId>, u64) {
    // A hello that waits for the store tells only that a line behind it is too early.
    world.run_until_idle();
    let judged = judge(world, &Stand::Greeted, wire);
    let Some(conn) = newcomer(world, format!("{HELLO}\n").as_bytes()) else { return (None, accepted) };
    let verdict = world.bytes(conn, wire);
    agrees(world, conn, &verdict, &judged);
    let is_closed = world.closed.iter().any(|(closed, _)| *closed == conn);
    (Some(conn).filter(|_| !is_closed), accepted + u64::from(verdict == Verdict::Accepted))
}

#[test]
fn what_is_judged_is_what_is_handled_for_every_stand() {
    let accepted = Cell::new(0);
    let config = ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() };
    let played = TestRunner::new(config).run(&vec(any::<u64>(), 1..160), |steps| {
        accepted.set(accepted.get() + play(&steps));
        Ok(())
    });
    played.unwrap();
    assert!(accepted.get() > 100, "{} accepted", accepted.get());
}

#[test]
fn judging_changes_nothing() {
    let (mut world, conn) = TestBridge::connected();
    let guest = world.open();
    for event in ["free", "spawn", "free"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, FRAMES[1]);
    let before = format!("{:?}", world.bridge);
    let rng = &mut fastrand::Rng::with_seed(1);
    let mut seen = [0; 4];
    for _ in 0..10_000 {
        let mut wire = wire(rng, 4);
        wire.truncate(if rng.u8(..8) == 0 { rng.usize(..wire.len()) } else { wire.len() });
        let stand = match rng.u8(..5) {
            0 => Stand::Connection(conn),
            1 => Stand::Connection(guest),
            2 => Stand::Newcomer,
            3 => Stand::Greeted,
            _ => Stand::Towards(conn),
        };
        let judged = judge(&world, &stand, &wire);
        seen[judged.certainty as usize] += 1;
    }
    assert_eq!(format!("{:?}", world.bridge), before);
    assert!(world.bridge.poll_output().is_none());
    assert!(seen[Certainty::Certain as usize] > 100 && seen[Certainty::ThePeers as usize] > 100, "{seen:?}");
}
