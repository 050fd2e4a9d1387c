//! The clauses of admission, and its invariants under any order of events.

use std::{collections::BTreeSet, net::IpAddr, time::Duration};

use proptest::prelude::*;

use super::{
    Admitted, Cut, Origin, Plan, Port, Receiving, Table, TableBounds, TableSize, Tally, TurnedAway,
    descriptors::RESERVED_DESCRIPTORS, fit_tables,
};
use crate::{ids::ConnectionId, time::Now};

const BOUNDS: TableBounds = TableBounds {
    connections_max: 8,
    peer_connections_max: 0,
    operators_max: 4,
    first_frame_max: Some(Duration::from_secs(10)),
    token_max: Some(Duration::from_secs(1)),
};

fn process(pid: i32) -> Origin {
    Origin::Process { uid: 1_000, pid }
}

fn table() -> (Table, Tally) {
    let tally = Tally::default();
    (Table::new(BOUNDS, tally.clone()), tally)
}

/// A table whose places are taken by `spoken` connections that spoke and others that did not.
fn filled(spoken: u64) -> (Table, Tally) {
    let (mut table, tally) = table();
    for id in 0..BOUNDS.connections_max {
        table.open(Now::at_ms(id), ConnectionId(id), Origin::Unknown);
        if id < spoken {
            table.establish(ConnectionId(id));
        }
    }
    (table, tally)
}

#[test]
fn the_oldest_that_has_not_spoken_makes_room() {
    let (mut table, tally) = filled(2);
    assert_eq!(table.plan(Origin::Unknown), Plan::Evicts(ConnectionId(2)));
    table.establish(ConnectionId(2));
    assert_eq!(table.plan(Origin::Unknown), Plan::Evicts(ConnectionId(3)), "who has just spoken stays");
    let admitted = table.open(Now::at_ms(10), ConnectionId(8), Origin::Unknown);
    assert_eq!(admitted, Admitted::Common { evicted: Some(ConnectionId(3)) });
    assert_eq!((tally.open(), tally.silent()), (8, 5));
    assert_eq!(tally.turned_away()[TurnedAway::MadeRoom.index()], 1);
}

#[test]
fn where_descriptors_are_scarce_newcomers_come_into_the_operators_room_alone() {
    let (mut table, _) = table();
    table.set_scarce(true);
    let open = |table: &mut Table, id| table.open(Now::at_ms(id), ConnectionId(id), Origin::Unknown);
    for id in 0..4 {
        assert_eq!(open(&mut table, id), Admitted::Operators { evicted: None });
        table.establish(ConnectionId(id));
    }
    assert_eq!(open(&mut table, 4), Admitted::Refused(TurnedAway::TableFull));
    table.set_scarce(false);
    assert_eq!(open(&mut table, 5), Admitted::Common { evicted: None });
}

#[test]
fn what_is_told_of_a_port_is_of_the_hosts_that_live() {
    let (mut old, tally) = filled(2);
    let mut receiving = Receiving::new(100, Duration::from_secs(1), tally.clone());
    receiving.begin(Now::at_ms(0), 1_u64, Origin::Unknown);
    receiving.grow(1, 60);
    let mut new = Table::new(BOUNDS, tally.clone());
    new.open(Now::at_ms(0), ConnectionId(0), Origin::Unknown);
    let told = || (tally.open(), tally.silent(), tally.receiving_bytes());
    assert_eq!(told(), (9, 7, 60), "who is there is there");
    old.close(ConnectionId(7));
    assert_eq!(told(), (8, 6, 60), "it takes nothing from the other");
    drop((old, receiving));
    assert_eq!(told(), (1, 1, 0));
}

#[test]
fn where_all_have_spoken_a_newcomer_must_show_a_token_or_is_refused() {
    let (mut table, tally) = filled(8);
    for id in 8..12 {
        assert_eq!(
            table.open(Now::at_ms(8), ConnectionId(id), Origin::Unknown),
            Admitted::Operators { evicted: None }
        );
        assert!(table.is_operators(ConnectionId(id)));
    }
    let newcomer = table.open(Now::at_ms(9), ConnectionId(12), Origin::Unknown);
    assert_eq!(newcomer, Admitted::Operators { evicted: Some(ConnectionId(8)) });
    for id in 9..=12 {
        table.establish(ConnectionId(id));
    }
    assert_eq!(table.plan(Origin::Unknown), Plan::Refuses(TurnedAway::TableFull));
    table.open(Now::at_ms(9), ConnectionId(13), Origin::Unknown);
    assert_eq!(tally.turned_away()[TurnedAway::TableFull.index()], 1);
    table.close(ConnectionId(0));
    assert_eq!(table.plan(Origin::Unknown), Plan::Fits, "the operators' room is no part of the table");
}

#[test]
fn a_port_without_operators_refuses_at_once() {
    let mut table = Table::new(TableBounds { operators_max: 0, ..BOUNDS }, Tally::default());
    for id in 0..8 {
        table.open(Now::at_ms(0), ConnectionId(id), Origin::Unknown);
        table.establish(ConnectionId(id));
    }
    let newcomer = table.open(Now::at_ms(0), ConnectionId(8), Origin::Unknown);
    assert_eq!(newcomer, Admitted::Refused(TurnedAway::TableFull));
}

#[test]
fn a_known_origin_has_a_quarter_and_makes_room_for_its_own() {
    let (mut table, _) = table();
    let open = |table: &mut Table, id, pid| table.open(Now::at_ms(0), ConnectionId(id), process(pid));
    open(&mut table, 0, 1);
    open(&mut table, 1, 7);
    open(&mut table, 2, 7);
    assert_eq!(open(&mut table, 3, 7), Admitted::Common { evicted: Some(ConnectionId(1)) });
    let told = TurnedAway::MadeRoom.text(Port::Rmp);
    assert!(told.contains("limits.rmp.connections_max") && told.contains("limits.rmp.peer_connections_max"));
    table.establish(ConnectionId(2));
    table.establish(ConnectionId(3));
    assert_eq!(open(&mut table, 4, 7), Admitted::Operators { evicted: None });
    assert_eq!(open(&mut table, 5, 7), Admitted::Operators { evicted: Some(ConnectionId(4)) });
    table.establish(ConnectionId(5));
    assert_eq!(open(&mut table, 6, 7), Admitted::Refused(TurnedAway::PeerShare));
    assert_eq!(open(&mut table, 7, 8), Admitted::Common { evicted: None }, "another has its own");
}

#[test]
fn who_does_not_speak_in_time_goes() {
    let (mut table, tally) = filled(7);
    table.establish(ConnectionId(6));
    assert_eq!(table.deadline(), Some(Now::at_ms(10_007).mono));
    assert_eq!((table.due(Now::at_ms(10_006)), table.overdue(Now::at_ms(10_006))), (vec![], None));
    assert_eq!(table.due(Now::at_ms(10_007)), [ConnectionId(7)], "whose host reads it once more");
    table.establish(ConnectionId(7));
    table.open(Now::at_ms(100), ConnectionId(8), Origin::Unknown);
    assert_eq!(table.deadline(), Some(Now::at_ms(1_100).mono));
    assert_eq!(table.due(Now::at_ms(1_100)), [ConnectionId(8)]);
    assert_eq!(table.overdue(Now::at_ms(1_100)), Some((ConnectionId(8), TurnedAway::NoToken)));
    assert_eq!(table.overdue(Now::at_ms(99_000)), None);
    table.close(ConnectionId(0));
    table.open(Now::at_ms(200), ConnectionId(9), Origin::Unknown);
    assert_eq!(table.overdue(Now::at_ms(10_200)), Some((ConnectionId(9), TurnedAway::FirstFrame)));
    let counts = tally.turned_away();
    assert_eq!((counts[TurnedAway::NoToken.index()], counts[TurnedAway::FirstFrame.index()]), (1, 1));
}

#[test]
fn where_there_is_no_deadline_the_silent_stay_and_make_room() {
    let bounds = TableBounds { connections_max: 1, first_frame_max: None, ..BOUNDS };
    let mut table = Table::new(bounds, Tally::default());
    table.open(Now::at_ms(0), ConnectionId(0), Origin::Unknown);
    let late = Now::at_ms(1 << 40);
    assert_eq!((table.deadline(), table.speak_by(ConnectionId(0))), (None, None));
    assert_eq!((table.due(late), table.overdue(late)), (vec![], None));
    assert_eq!(table.plan(Origin::Unknown), Plan::Evicts(ConnectionId(0)));
}

#[test]
fn an_origin_is_what_can_be_told_from_others() {
    let of = |addr: &str| Origin::of_address(addr.parse().unwrap());
    for loopback in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
        assert!(!of(loopback).is_known(), "{loopback}");
    }
    assert_eq!(of("::ffff:10.0.0.1"), Origin::Address(IpAddr::from([10, 0, 0, 1])));
    assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"), "a network is one");
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
}

#[test]
fn a_process_that_the_system_does_not_number_is_nobody_known() {
    assert_eq!(Origin::of_process(Some(1_000), Some(7)), process(7));
    for (uid, pid) in [(Some(1_000), Some(0)), (Some(1_000), Some(-1)), (Some(1_000), None), (None, Some(7))]
    {
        assert_eq!(Origin::of_process(uid, pid), Origin::Unknown, "{uid:?} {pid:?}");
    }
}

#[test]
fn a_frame_has_its_time_from_its_first_byte_to_its_last() {
    let tally = Tally::default();
    let mut receiving = Receiving::new(100, Duration::from_secs(30), tally.clone());
    receiving.begin(Now::at_ms(0), 'a', Origin::Unknown);
    receiving.begin(Now::at_ms(5_000), 'b', Origin::Unknown);
    assert_eq!(receiving.grow('a', 10), None);
    receiving.begin(Now::at_ms(20_000), 'a', Origin::Unknown);
    assert_eq!(receiving.overdue(Now::at_ms(34_999)), Vec::<char>::new(), "the first of a was whole");
    assert_eq!(receiving.deadline(), Some(Now::at_ms(35_000).mono));
    assert_eq!((receiving.due(Now::at_ms(34_999)), receiving.due(Now::at_ms(35_000))), (vec![], vec!['b']));
    assert_eq!(receiving.overdue(Now::at_ms(35_000)), ['b']);
    receiving.end('a');
    assert_eq!(receiving.overdue(Now::at_ms(99_000)), Vec::<char>::new());
    assert_eq!((receiving.deadline(), tally.receiving_bytes()), (None, 0));
    assert_eq!(tally.turned_away()[TurnedAway::FrameTime.index()], 1);
}

#[test]
fn the_largest_frame_ends_when_too_much_is_being_received() {
    let tally = Tally::default();
    let mut receiving = Receiving::new(100, Duration::from_secs(30), tally.clone());
    for (key, bytes) in [('a', 30), ('b', 50), ('c', 20)] {
        receiving.begin(Now::at_ms(0), key, Origin::Unknown);
        assert_eq!(receiving.grow(key, bytes), None);
    }
    assert_eq!(tally.receiving_bytes(), 100);
    assert_eq!(receiving.grow('c', 21), Some('b'));
    assert_eq!((receiving.overflow(), tally.receiving_bytes()), (None, 51));
    assert_eq!(receiving.grow('b', 60), None, "it is forgotten");
    assert_eq!(tally.turned_away()[TurnedAway::ReceivingBytes.index()], 1);
}

#[test]
fn tables_are_cut_alike_until_they_fit() {
    let mut tables = [64, 1_024, 1_024, 16].map(|count| TableSize { count, least: 4 });
    assert_eq!(fit_tables(&mut tables, 65_536), []);
    let cut = fit_tables(&mut tables, 1_024);
    assert_eq!(cut[1], Cut { index: 1, wanted: 1_024, left: 369 });
    assert!(tables.iter().map(|it| it.count).sum::<u64>() <= 1_024 - RESERVED_DESCRIPTORS, "{tables:?}");
    tables[0].least = 8;
    assert!(!fit_tables(&mut tables, 32).is_empty());
    assert_eq!(tables.map(|it| it.count)[0], 8);
    assert!(tables.iter().all(|it| it.count >= 4), "{tables:?}");
}

/// What happens to a table.
#[derive(Clone, Copy, Debug)]
enum Event {
    Open(i32),
    Spoke(usize),
    Close(usize),
    Pass(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..5_i32).prop_map(Event::Open),
        2 => (0..16_usize).prop_map(Event::Spoke),
        1 => (0..16_usize).prop_map(Event::Close),
        1 => (0..6_000_u64).prop_map(Event::Pass),
    ]
}

proptest! {
    #[test]
    fn a_table_holds_its_bounds_whatever_happens(events in prop::collection::vec(event(), 0..400)) {
        let (mut table, tally) = table();
        let mut now = Now::at_ms(0);
        // Number, origin, whether in the operators' room, whether it has spoken.
        let mut open: Vec<(u64, i32, bool, bool)> = Vec::new();
        let mut refused = 0;
        for (id, event) in (0..).zip(events) {
            match event {
                // 0 is nobody known.
                Event::Open(pid) => {
                    let origin = if pid == 0 { Origin::Unknown } else { process(pid) };
                    let plan = table.plan(origin);
                    let admitted = table.open(now, ConnectionId(id), origin);
                    let (in_room, evicted) = match admitted {
                        Admitted::Common { evicted } => (false, evicted),
                        Admitted::Operators { evicted } => (true, evicted),
                        Admitted::Refused(why) => {
                            prop_assert_eq!(plan, Plan::Refuses(why));
                            let mut common = open.iter().filter(|it| !it.2);
                            let is_of_peer = why == TurnedAway::PeerShare;
                            prop_assert!(common.all(|it| it.3 || (is_of_peer && it.1 != pid)));
                            refused += 1;
                            continue;
                        }
                    };
                    prop_assert_eq!(plan, evicted.map_or(Plan::Fits, Plan::Evicts));
                    if let Some(evicted) = evicted {
                        let place = open.iter().position(|it| it.0 == evicted.0).unwrap();
                        let (_, _, was_in_room, has_spoken) = open.remove(place);
                        prop_assert!(!has_spoken && was_in_room == in_room);
                        refused += 1;
                    }
                    open.push((id, pid, in_room, false));
                }
                Event::Spoke(_) | Event::Close(_) if open.is_empty() => {}
                Event::Spoke(at) => {
                    let at = at % open.len();
                    open[at].3 = true;
                    table.establish(ConnectionId(open[at].0));
                }
                Event::Close(at) => {
                    let gone = open.remove(at % open.len());
                    table.close(ConnectionId(gone.0));
                }
                Event::Pass(ms) => {
                    now = now.after(Duration::from_millis(ms));
                    while let Some((late, _)) = table.overdue(now) {
                        let place = open.iter().position(|it| it.0 == late.0 && !it.3).unwrap();
                        open.remove(place);
                        refused += 1;
                    }
                    prop_assert!(table.deadline().is_none_or(|at| at > now.mono));
                }
            }
            let common = open.iter().filter(|it| !it.2).count() as u64;
            prop_assert!(common <= BOUNDS.connections_max);
            prop_assert!(open.len() as u64 - common <= BOUNDS.operators_max);
            for (room, share) in [(false, 2), (true, 1)] {
                for pid in 1..5 {
                    prop_assert!(open.iter().filter(|it| it.1 == pid && it.2 == room).count() <= share);
                }
            }
            prop_assert_eq!(tally.open(), open.len() as u64);
            prop_assert_eq!(tally.silent(), open.iter().filter(|it| !it.3).count() as u64);
            prop_assert_eq!(tally.turned_away().iter().sum::<u64>(), refused);
        }
    }

    #[test]
    fn what_is_being_received_stays_within_its_bound(
        steps in prop::collection::vec((0..6_u8, 0..80_u64, 0..9_000_u64), 0..300),
    ) {
        let tally = Tally::default();
        let mut receiving = Receiving::new(100, Duration::from_secs(30), tally.clone());
        let mut begun: std::collections::BTreeMap<u8, (Now, u64)> = std::collections::BTreeMap::new();
        let mut now = Now::at_ms(0);
        for (key, bytes, ms) in steps {
            now = now.after(Duration::from_millis(ms));
            let late: BTreeSet<u8> = receiving.overdue(now).into_iter().collect();
            let is_late = |since: &Now| now.mono.since(since.mono) >= Duration::from_secs(30);
            let expected = begun.iter().filter(|(_, it)| is_late(&it.0)).map(|(key, _)| *key).collect();
            prop_assert_eq!(&late, &expected);
            begun.retain(|key, _| !late.contains(key));
            if bytes == 0 {
                receiving.end(key);
                begun.remove(&key);
                continue;
            }
            let frame = begun.entry(key).or_insert_with(|| {
                receiving.begin(now, key, Origin::Unknown);
                (now, 0)
            });
            frame.1 = bytes;
            let mut ended = receiving.grow(key, bytes);
            while let Some(largest) = ended {
                let max = begun.values().map(|it| it.1).max();
                prop_assert_eq!(begun.remove(&largest).map(|it| it.1), max);
                ended = receiving.overflow();
            }
            let sum: u64 = begun.values().map(|it| it.1).sum();
            prop_assert_eq!(tally.receiving_bytes(), sum);
            prop_assert!(sum <= 100);
            if !begun.is_empty() {
                prop_assert!(receiving.deadline().is_some());
            }
        }
    }
}

#[test]
fn what_is_kept_of_a_frame_begins_it_grows_it_and_ends_it() {
    let at = Now::at_ms;
    let tally = Tally::default();
    let mut receiving = Receiving::new(100, Duration::from_millis(10), tally.clone());
    assert_eq!(receiving.set_kept(at(0), 1_u64, Origin::Unknown, 60, false), None);
    assert_eq!(receiving.set_kept(at(5), 1, Origin::Unknown, 70, false), None);
    assert_eq!((receiving.due_at(1), tally.receiving_bytes()), (Some(at(10).mono), 70), "the same frame");
    assert_eq!(receiving.set_kept(at(7), 1, Origin::Unknown, 20, true), None);
    assert_eq!((receiving.due_at(1), tally.receiving_bytes()), (Some(at(17).mono), 20), "the next");
    assert_eq!(receiving.set_kept(at(8), 2, Origin::Unknown, 90, false), Some(2), "the largest");
    assert_eq!(receiving.set_kept(at(9), 1, Origin::Unknown, 0, true), None);
    assert_eq!((receiving.due_at(1), tally.receiving_bytes()), (None, 0), "it is whole");
}
