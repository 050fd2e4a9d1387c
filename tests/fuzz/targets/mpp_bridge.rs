//! Any lines from an adapter, a guest and newcomers, between what else happens to a bridge: each is handled
//! as it was judged before, and judging changes nothing.

#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use rl_console::{
    ids::ConnectionId,
    judged::Judged,
    mpp::{CloseCause, Stand, Verdict},
};

#[path = "../../it/harness/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
mod harness;

use harness::{
    HELLO, TestBridge,
    judged::{FRAMES, agrees, judge, newcomer, verdict},
};

/// What happens next, which frame and id it has, and the bytes that are put over it.
type Step = (u8, u8, u8, Vec<u8>);

/// A frame with bytes put over it, pairs of a position and a byte; past the last frame the bytes alone. What
/// is long is as long as no line may be.
fn line(frame: u8, id: u8, bytes: &[u8]) -> Vec<u8> {
    let mut wire = match FRAMES.get(usize::from(frame) % (FRAMES.len() + 2)) {
        None => bytes.to_vec(),
        Some(frame) => {
            let mut wire = frame.replace('#', &(id % 8).to_string()).into_bytes();
            for pair in bytes.chunks_exact(2).filter(|_| !frame.is_empty()) {
                let at = usize::from(pair[0]) % wire.len();
                wire[at] = pair[1];
            }
            wire
        }
    };
    wire.retain(|byte| *byte != b'\n');
    if frame == u8::MAX {
        wire.resize(65_536, b' ');
        return wire;
    }
    wire.push(b'\n');
    wire
}

struct Bridged {
    world: TestBridge,
    adapter: Option<ConnectionId>,
    guest: Option<ConnectionId>,
}

impl Bridged {
    /// Judges a line, and what it begins with, wherever it may come; nothing changes by that.
    fn judge_everywhere(&self, wire: &[u8], cut: u8) {
        let state = || cut.is_multiple_of(4).then(|| format!("{:?}", self.world.bridge));
        let before = state();
        let part = &wire[..usize::from(cut) % wire.len()];
        let of = |conn: ConnectionId| [Stand::Connection(conn), Stand::Towards(conn)];
        let there = self.adapter.into_iter().chain(self.guest).flat_map(of);
        for stand in there.chain([Stand::Newcomer, Stand::Greeted]) {
            let whole = judge(&self.world, &stand, wire);
            assert_eq!(whole.taken_bytes, wire.len());
            assert!(whole.verdict.is_ok(), "{whole:?}");
            assert!(judge(&self.world, &stand, part).verdict.is_err(), "it is not whole");
        }
        assert_eq!(state(), before, "judging changes nothing");
    }

    /// A line comes on a connection that there is; [`TestBridge::bytes`] judges it before.
    fn comes(&mut self, conn: ConnectionId, wire: &[u8]) {
        let is_accepted = self.world.bytes(conn, wire) == Verdict::Accepted;
        let is_closed = self.forget_closed(conn);
        if is_accepted && !is_closed && self.guest == Some(conn) {
            (self.adapter, self.guest) = (self.guest, None);
        }
    }

    fn forget_closed(&mut self, conn: ConnectionId) -> bool {
        let is_closed = self.world.closed.iter().any(|(closed, _)| *closed == conn);
        for left in [&mut self.adapter, &mut self.guest] {
            left.take_if(|left| is_closed && *left == conn);
        }
        is_closed
    }

    /// The first line of who connects, or the first one after its hello.
    fn connects(&mut self, wire: &[u8], is_greeted: bool) {
        if !is_greeted {
            let conn = newcomer(&mut self.world, wire);
            self.adapter = self.adapter.or(conn);
            return;
        }
        let judged = judge(&self.world, &Stand::Greeted, wire);
        let Some(conn) = newcomer(&mut self.world, format!("{HELLO}\n").as_bytes()) else {
            assert_eq!(self.world.received.last().map(|(verdict, _)| verdict), Some(&verdict(&judged)));
            return;
        };
        self.adapter = Some(conn);
        let handled = self.world.bytes(conn, wire);
        assert_eq!(handled, verdict(&judged));
        agrees_greeted(&self.world, conn, &handled, judged);
        self.forget_closed(conn);
    }

    /// What else happens.
    fn happens(&mut self, what: u8, how: u8) {
        match what % 6 {
            0 => self.world.enqueue_later(["free", "spawn", "give_item"][usize::from(how) % 3]),
            1 => {
                self.world.prompt = !self.world.prompt;
                self.world.run_until_idle();
            }
            2 => _ = self.world.answer_next(how.is_multiple_of(2)),
            3 => {
                self.world.pass(Duration::from_millis(u64::from(how) * 200));
                for conn in self.adapter.into_iter().chain(self.guest) {
                    self.forget_closed(conn);
                }
            }
            4 if self.guest.is_none() => self.guest = Some(self.world.open()),
            _ => {
                let left = if how.is_multiple_of(2) { self.adapter.take() } else { self.guest.take() };
                if let Some(conn) = left {
                    self.world.close(conn, CloseCause::PeerClosed);
                }
            }
        }
    }
}

/// [`agrees`], of a judgement that knows nothing of the connection.
fn agrees_greeted(world: &TestBridge, conn: ConnectionId, handled: &Verdict, mut judged: Judged) {
    judged.effect = None;
    agrees(world, conn, handled, &judged);
}

fuzz_target!(|steps: Vec<Step>| {
    let mut it = Bridged { world: TestBridge::new(), adapter: None, guest: None };
    for (what, frame, id, bytes) in steps.iter().take(64) {
        let wire = line(*frame, *id, bytes);
        match (what % 8, it.adapter, it.guest) {
            (0, ..) => it.happens(*frame, *id),
            (1, ..) => {
                it.judge_everywhere(&wire, *id);
                it.connects(&wire, false);
            }
            (2, ..) => it.connects(&wire, true),
            (3, _, Some(guest)) => {
                it.judge_everywhere(&wire, *id);
                it.comes(guest, &wire);
            }
            (_, Some(adapter), _) => {
                it.judge_everywhere(&wire, *id);
                it.comes(adapter, &wire);
            }
            _ => it.connects(&wire, false),
        }
    }
});
