//! Judging beside handling, on random lines; and that it changes nothing.

use rl_console::{
    judged::Certainty,
    mpp::{Stand, Verdict},
};

use crate::harness::{
    HELLO, TestBridge,
    judged::{FRAMES, judge, newcomer},
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

#[test]
fn what_is_judged_is_what_is_handled_for_every_stand() {
    let mut accepted = 0;
    for seed in 0..24 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let mut world = TestBridge::new();
        let (mut adapter, mut rows) = (None, 1);
        for step in 0..120 {
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
                if rng.bool() {
                    wire = format!("{HELLO}\n").into_bytes();
                }
                adapter = newcomer(&mut world, &wire);
            }
            if adapter.is_some() && rng.u8(..20) == 0 {
                assert_eq!(newcomer(&mut world, format!("{HELLO}\n").as_bytes()), None);
            }
        }
    }
    assert!(accepted > 150, "{accepted} accepted");
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
        let stand = match rng.u8(..4) {
            0 => Stand::Connection(conn),
            1 => Stand::Connection(guest),
            2 => Stand::Newcomer,
            _ => Stand::Towards(conn),
        };
        let judged = judge(&world, &stand, &wire);
        seen[judged.certainty as usize] += 1;
    }
    assert_eq!(format!("{:?}", world.bridge), before);
    assert!(world.bridge.poll_output().is_none());
    assert!(seen[Certainty::Certain as usize] > 100 && seen[Certainty::ThePeers as usize] > 100, "{seen:?}");
}
