//! Agents that take more than their share of the bus (rulings RMP 8 and 9).

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use rl_console::limits::{self, Limits};

use super::operator_bounds::{lists, stops_here};
use crate::rmp_bus::{Bus, Peer, frames};

fn bus(rmp: limits::Rmp) -> Bus {
    Bus::with(&Limits { rmp, ..Limits::default() })
}

/// A Publish and its message.
fn publish(topic: &str, msg_id: u64, bytes: usize) -> Vec<u8> {
    let publish = frames::control(9, "Publish", vec![("topic", topic.into()), ("ack", false.into())]);
    [publish, frames::message(msg_id, &"x".repeat(bytes))].concat()
}

/// Publishes to itself, as whoever keeps to the protocol can at any time.
#[track_caller]
fn works(peer: &mut Peer) {
    let name = peer.next_id();
    peer.subscribe(name, &format!("work/{name}"));
    let message = frames::message(name, "x");
    peer.publish(&format!("work/{name}"), false, &message);
    assert_eq!(peer.delivered().2.wire, message);
    let id = peer.say("Unsubscribe", vec![("sub", name.into())]);
    assert_eq!(peer.hear().number("re"), id);
}

/// Two agents that publish to `flood/x` all the time; they end with this.
struct Floods {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Floods {
    fn begin(bus: &Bus) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let begin = |thread: u64| {
            let (mut peer, is_over) = (bus.agent(), Arc::clone(&is_over));
            std::thread::spawn(move || {
                let messages = (0..).map(|number| publish("flood/x", thread << 32 | number, 100));
                for message in messages.take_while(|_| !is_over.load(Ordering::Relaxed)) {
                    // The station may end meanwhile.
                    if peer.stream.write_all(&message).is_err() {
                        break;
                    }
                }
            })
        };
        let threads = (0..2).map(begin).collect();
        Self { is_over, threads }
    }
}

impl Drop for Floods {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[test]
fn two_stalled_agents_cost_a_healthy_subscriber_nothing() {
    let mut bus = bus(limits::Rmp { queued_bytes_max: 1 << 20, ..limits::Rmp::default() });
    let mut stalled = [bus.agent(), bus.agent()];
    for peer in &mut stalled {
        peer.subscribe(1, "noise");
    }
    let (mut healthy, mut publisher, mut operator) = (bus.agent(), bus.agent(), bus.operator());
    healthy.subscribe(1, "news");
    operator.subscribe(1, "rlp/sys/drops");
    for round in 0..20_u64 {
        let noise = (0..10).map(|at| publish("noise", round * 10 + at, 20_000));
        let news = (0..20).map(|at| publish("news", round * 20 + at, 8_000));
        publisher.send(&noise.chain(news).collect::<Vec<_>>().concat());
        for at in 0..20 {
            assert_eq!(healthy.delivered().2.msg_id(), round * 20 + at, "each, and in order");
        }
    }
    lists(bus.folder.path());
    let notice = operator.delivered().2;
    assert_eq!(frames::field(&notice.payload(), "topic").as_str(), Some("noise"));
    // What is left to those that did not read is whole, the newest with it.
    for peer in &mut stalled {
        while peer.delivered().2.msg_id() != 199 {}
        works(peer);
    }
    stops_here(bus.folder.path(), bus.station.take().unwrap());
}

#[test]
fn forty_agents_with_many_patterns_stop_neither_the_bus_nor_the_operator() {
    let mut bus = bus(limits::Rmp { session_patterns_max: 8, ..limits::Rmp::default() });
    let subscribe = |sub: u64, topic: &str| {
        frames::control(100 + sub, "Subscribe", vec![("sub", sub.into()), ("topic", topic.into())])
    };
    let asked: Vec<u8> = (0..200)
        .flat_map(|sub| subscribe(sub, "flood/**"))
        .chain((200..400).flat_map(|sub| subscribe(sub, "flood/x")))
        .collect();
    let greedy: Vec<_> = (0..40)
        .map(|_| {
            let mut peer = bus.agent();
            peer.send(&asked);
            let taken = (0..400).filter(|_| peer.hear().name() == "Ok").count();
            assert_eq!(taken, 1 + 8, "the pattern once, and one topic 8 times");
            peer
        })
        .collect();
    let (mut healthy, mut publisher, mut operator) = (bus.agent(), bus.agent(), bus.operator());
    healthy.subscribe(1, "news");
    let floods = Floods::begin(&bus);
    for msg_id in 0..8 {
        publisher.send(&publish("news", msg_id, 100));
        assert_eq!(healthy.delivered().2.msg_id(), msg_id);
        works(&mut operator);
    }
    lists(bus.folder.path());
    drop(floods);
    works(&mut operator);
    let floods = Floods::begin(&bus);
    stops_here(bus.folder.path(), bus.station.take().unwrap());
    drop((floods, greedy));
}
