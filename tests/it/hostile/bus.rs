//! Attacks on the bus's socket (rmp-v0 §12; rulings RMP 1 and 2).

use rl_console::limits::{self, Limits};

use super::operator_bounds::stops_here;
use crate::rmp_bus::{Bus, Peer, frames};

fn bus(rmp: limits::Rmp) -> Bus {
    Bus::with(&Limits { rmp, ..Limits::default() })
}

/// A bus of 8 connections, all of which one process may have.
fn small() -> limits::Rmp {
    limits::Rmp { connections_max: 8, peer_connections_max: 8, ..limits::Rmp::default() }
}

fn hello(kind: &str) -> Vec<u8> {
    frames::control(1, "Hello", vec![("v", 1.into()), ("client", "test".into()), ("kind", kind.into())])
}

/// An operator is answered, and ends the bus's station, while the attackers are there.
#[track_caller]
fn operated(mut bus: Bus) {
    stops_here(bus.folder.path(), bus.station.take().unwrap());
}

/// Whether a peer is told `Busy` for nothing it asked, and its connection ends.
#[track_caller]
fn is_turned_away(peer: &mut Peer) {
    assert_eq!(peer.hear().error(), (0, "Busy".to_owned()));
    assert!(peer.try_hear().is_none(), "it is closed");
}

/// Publishes to itself, as whoever keeps to the protocol can at any time.
#[track_caller]
fn works(peer: &mut Peer) {
    let name = peer.next_id();
    peer.subscribe(name, &format!("work/{name}"));
    let message = frames::message(name, "x");
    peer.publish(&format!("work/{name}"), false, &message);
    assert_eq!(peer.delivered().2.wire, message);
}

#[test]
fn connections_that_say_nothing_make_room() {
    let bus = bus(limits::Rmp { leaving_max: 8, ..small() });
    let mut silent: Vec<_> = (0..100).map(|_| Peer::connect(&bus.path())).collect();
    works(&mut bus.agent());
    works(&mut bus.operator());
    for peer in &mut silent[..90] {
        is_turned_away(peer);
    }
    operated(bus);
}

#[test]
fn who_has_said_hello_does_not_make_room_before_it_is_read() {
    let bus = bus(small());
    for _ in 0..20 {
        let mut coming = Peer::connect(&bus.path());
        coming.send(&hello("agent"));
        let crowd: Vec<_> = (0..16).map(|_| Peer::connect(&bus.path())).collect();
        assert_eq!(coming.hear().name(), "Welcome");
        works(&mut coming);
        drop(crowd);
    }
    operated(bus);
}

#[test]
fn idle_agents_do_not_keep_the_operator_out() {
    let bus = bus(small());
    let mut idle: Vec<_> = (0..8).map(|_| bus.agent()).collect();
    let mut operator = bus.operator();
    works(&mut operator);
    let mut one_more = Peer::connect(&bus.path());
    one_more.send(&hello("agent"));
    assert_eq!(
        one_more.hear().error(),
        (1, "Busy".to_owned()),
        "all places are taken, and it shows no token"
    );
    assert!(one_more.try_hear().is_none());
    is_turned_away(&mut Peer::connect(&bus.path()));
    works(&mut operator);
    works(&mut idle[0]);
    operated(bus);
}

#[test]
fn silent_connections_do_not_hold_the_operators_room() {
    let bus = bus(limits::Rmp { token_ms_max: 10_000, ..small() });
    let _idle: Vec<_> = (0..8).map(|_| bus.agent()).collect();
    let _silent: Vec<_> = (0..100).map(|_| Peer::connect(&bus.path())).collect();
    let mut operators: Vec<_> = (0..2).map(|_| bus.operator()).collect();
    operators.iter_mut().for_each(works);
    operated(bus);
}

#[test]
fn a_process_has_a_quarter_of_the_table() {
    let bus = bus(limits::Rmp { connections_max: 16, ..limits::Rmp::default() });
    let mut own: Vec<_> = (0..4).map(|_| bus.agent()).collect();
    let mut one_more = Peer::connect(&bus.path());
    one_more.send(&hello("agent"));
    assert_eq!(one_more.hear().error(), (1, "Busy".to_owned()));
    own.iter_mut().for_each(works);
    works(&mut bus.operator());
    drop(own.pop());
    // Its end may be read after the newcomer's hello.
    let greeted = || {
        let mut peer = Peer::connect(&bus.path());
        peer.send(&hello("agent"));
        peer.hear().name() == "Welcome"
    };
    assert!((0..1_000).any(|_| greeted()), "a place that is free again is given");
    operated(bus);
}

#[test]
fn a_frame_that_does_not_become_whole_in_time_ends_its_connection() {
    let bus = bus(limits::Rmp { frame_ms_max: 200, ..limits::Rmp::default() });
    let message = frames::message(1, &"x".repeat(200_000));
    let publish = frames::control(9, "Publish", vec![("topic", "a".into()), ("ack", false.into())]);
    let mut well = bus.agent();
    for begun in [&hello("agent")[..3], &publish, &publish[..40], &[&*publish, &message[..150_000]].concat()]
    {
        let mut slow = bus.agent();
        slow.send(begun);
        is_turned_away(&mut slow);
    }
    // Nor is a hello that does not become whole waited for any longer.
    let mut slow = Peer::connect(&bus.path());
    slow.send(&hello("agent")[..30]);
    is_turned_away(&mut slow);
    works(&mut well);
    operated(bus);
}

#[test]
fn a_unit_of_the_json_dialect_that_does_not_become_whole_ends_its_connection() {
    let bus = bus(limits::Rmp { frame_ms_max: 200, ..limits::Rmp::default() });
    let mut slow = Peer::connect(&bus.path());
    slow.send(b"\0\0\0\x40{\"Hello\"");
    assert!(slow.try_hear().is_none(), "it has no form for an error that nothing asked for (ruling RMP 16)");
    operated(bus);
}

#[test]
fn of_what_is_being_received_the_largest_ends_when_it_is_too_much() {
    let limits =
        limits::Rmp { body_bytes_max: 65_536, receiving_bytes_max: 200_000, ..limits::Rmp::default() };
    let bus = bus(limits);
    let mut subscriber = bus.agent();
    subscriber.subscribe(1, "a");
    let units: Vec<_> = (0..4_u64)
        .map(|id| {
            let publish = frames::control(9, "Publish", vec![("topic", "a".into()), ("ack", false.into())]);
            [publish, frames::message(id, &"x".repeat(64_000))].concat()
        })
        .collect();
    let mut senders: Vec<_> = (0..4).map(|_| bus.agent()).collect();
    for (sender, unit) in senders.iter_mut().zip(&units) {
        sender.send(&unit[..60_000]);
        sender.stream.set_read_timeout(Some(std::time::Duration::from_millis(20))).unwrap();
    }
    // Which one it is depends on what was read when it became too much.
    let is_ended = |peer: &mut Peer| std::io::Read::read(&mut peer.stream, &mut [0; 4]).is_ok();
    let ended = (0..1_000).find_map(|_| senders.iter_mut().position(is_ended)).unwrap();
    for (at, (sender, unit)) in senders.iter_mut().zip(&units).enumerate() {
        if at != ended {
            sender.send(&unit[60_000..]);
            assert_eq!(subscriber.delivered().1, "a", "the others fit");
        }
    }
    works(&mut bus.agent());
    operated(bus);
}
