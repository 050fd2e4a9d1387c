//! Routes against trying every pattern.

use proptest::prelude::*;

use super::*;
use crate::{
    ids::ConnectionId,
    limits,
    rmp::topic::{Pattern, Topic},
};

fn route(connection: u64, sub: u64) -> Route {
    Route { connection: ConnectionId(connection), sub }
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap()
}

fn matched(routes: &Routes, topic: &str) -> Vec<Route> {
    let mut found = vec![route(99, 99)];
    routes.matches(&Topic::parse(topic).unwrap(), &mut found);
    found.sort_unstable();
    found
}

fn routes() -> Routes {
    Routes::new(&limits::Rmp::default())
}

#[test]
fn every_subscription_that_matches_is_reached_once() {
    let mut routes = routes();
    for (sub, text) in ["a/b", "a/*", "a/**", "**", "*", "a/b", "a/c", "a/b/*"].iter().enumerate() {
        routes.insert(route(1, sub as u64), pattern(text)).unwrap();
    }
    routes.insert(route(2, 0), pattern("a/b")).unwrap();
    let subs =
        |topic: &str| matched(&routes, topic).iter().map(|it| (it.connection.0, it.sub)).collect::<Vec<_>>();
    assert_eq!(subs("a/b"), [(1, 0), (1, 1), (1, 2), (1, 3), (1, 5), (2, 0)]);
    assert_eq!(subs("a"), [(1, 3), (1, 4)]);
    assert_eq!(subs("a/b/c"), [(1, 2), (1, 3), (1, 7)]);
    assert_eq!(subs("x/y/z"), [(1, 3)]);
}

#[test]
fn a_number_in_use_is_refused_and_bounds_hold() {
    let limits = limits::Rmp { session_subscriptions_max: 2, subscriptions_max: 3, ..limits::Rmp::default() };
    let mut routes = Routes::new(&limits);
    routes.insert(route(1, 1), pattern("a")).unwrap();
    assert_eq!(routes.insert(route(1, 1), pattern("b")), Err(RouteFault::Taken { sub: 1 }));
    routes.insert(route(1, 2), pattern("b")).unwrap();
    assert_eq!(routes.insert(route(1, 3), pattern("c")), Err(RouteFault::SessionFull { max: 2 }));
    routes.insert(route(2, 1), pattern("c")).unwrap();
    assert_eq!(routes.insert(route(2, 2), pattern("d")), Err(RouteFault::Full { max: 3 }));
    assert_eq!(routes.remove(route(1, 1)).map(|it| it.to_string()), Some("a".to_owned()));
    routes.insert(route(2, 2), pattern("d")).unwrap();
    assert_eq!(routes.pattern(route(2, 2)).map(ToString::to_string), Some("d".to_owned()));
    assert_eq!(routes.remove(route(1, 1)), None);
}

#[test]
fn a_pattern_is_taken_once_a_session_and_patterns_have_a_bound_of_their_own() {
    let limits = limits::Rmp { session_patterns_max: 3, ..limits::Rmp::default() };
    let mut routes = Routes::new(&limits);
    for (sub, text) in ["**", "a/*", "a/**"].iter().enumerate() {
        routes.insert(route(1, sub as u64), pattern(text)).unwrap();
        assert_eq!(
            routes.insert(route(1, 9), pattern(text)),
            Err(RouteFault::Repeated { sub: sub as u64 }),
            "{text}"
        );
    }
    routes.insert(route(2, 0), pattern("**")).unwrap();
    assert_eq!(routes.insert(route(1, 3), pattern("b/*")), Err(RouteFault::PatternsFull { max: 3 }));
    routes.insert(route(1, 4), pattern("a/b")).unwrap();
    assert_eq!(
        routes.insert(route(1, 5), pattern("a/b")),
        Err(RouteFault::PatternsFull { max: 3 }),
        "a topic twice is as wide as a pattern"
    );
    assert_eq!(matched(&routes, "a/b").len(), 5);
    routes.remove(route(1, 0));
    routes.insert(route(1, 5), pattern("a/b")).unwrap();
    routes.remove(route(1, 4));
    assert_eq!(routes.insert(route(1, 3), pattern("**")), Err(RouteFault::PatternsFull { max: 3 }));
    routes.remove(route(1, 5));
    routes.insert(route(1, 3), pattern("**")).unwrap();
}

#[test]
fn the_revision_changes_with_every_subscription_and_with_nothing_else() {
    let mut routes = routes();
    let mut seen = vec![routes.revision()];
    routes.insert(route(1, 1), pattern("a")).unwrap();
    seen.push(routes.revision());
    routes.remove(route(1, 1));
    seen.push(routes.revision());
    routes.insert(route(1, 1), pattern("a")).unwrap();
    seen.push(routes.revision());
    routes.remove_all(ConnectionId(1));
    seen.push(routes.revision());
    assert!(seen.is_sorted_by(|earlier, later| earlier < later), "{seen:?}");
    routes.remove(route(1, 1));
    routes.remove_all(ConnectionId(1));
    matched(&routes, "a");
    assert_eq!(routes.revision(), seen[4]);
}

#[derive(Clone, Debug)]
enum Op {
    Insert(u64, u64, String),
    Remove(u64, u64),
    RemoveAll(u64),
    Match(String),
}

fn op() -> impl Strategy<Value = Op> {
    let topic = || proptest::string::string_regex("[ab](/[ab]){0,3}").unwrap();
    let asked = prop_oneof![
        3 => topic(),
        2 => topic().prop_map(|topic| format!("{topic}/*")),
        2 => topic().prop_map(|topic| format!("{topic}/**")),
        1 => Just("*".to_owned()),
        1 => Just("**".to_owned()),
    ];
    prop_oneof![
        6 => (0_u64..4, 0_u64..8, asked)
            .prop_map(|(connection, sub, text)| Op::Insert(connection, sub, text)),
        3 => (0_u64..4, 0_u64..8).prop_map(|(connection, sub)| Op::Remove(connection, sub)),
        1 => (0_u64..4).prop_map(Op::RemoveAll),
        6 => topic().prop_map(Op::Match),
    ]
}

proptest! {
    #[test]
    fn agrees_with_trying_every_pattern(ops in proptest::collection::vec(op(), 1..120)) {
        let mut routes = routes();
        let mut naive: Vec<(Route, Pattern)> = Vec::new();
        for op in ops {
            match op {
                Op::Insert(connection, sub, text) => {
                    let route = route(connection, sub);
                    let is_free = naive.iter().all(|(other, held)| {
                        // A topic may be asked for twice, a pattern may not.
                        let is_repeated = text.ends_with('*') && held.to_string() == text;
                        *other != route && !(other.connection == route.connection && is_repeated)
                    });
                    prop_assert_eq!(routes.insert(route, pattern(&text)).is_ok(), is_free);
                    if is_free {
                        naive.push((route, pattern(&text)));
                    }
                }
                Op::Remove(connection, sub) => {
                    let route = route(connection, sub);
                    let place = naive.iter().position(|(other, _)| *other == route);
                    prop_assert_eq!(routes.remove(route), place.map(|place| naive.swap_remove(place).1));
                }
                Op::RemoveAll(connection) => {
                    let before = naive.len();
                    naive.retain(|(route, _)| route.connection.0 != connection);
                    prop_assert_eq!(routes.remove_all(ConnectionId(connection)), before - naive.len());
                }
                Op::Match(text) => {
                    let topic = Topic::parse(&text).unwrap();
                    let mut expected: Vec<_> =
                        naive.iter().filter(|(_, it)| it.matches(&topic)).map(|(route, _)| *route).collect();
                    expected.sort_unstable();
                    prop_assert_eq!(matched(&routes, &text), expected);
                }
            }
            prop_assert_eq!(routes.len(), naive.len());
            for connection in 0..4 {
                let count = naive.iter().filter(|(route, _)| route.connection.0 == connection).count();
                prop_assert_eq!(routes.count_of(ConnectionId(connection)), count as u64);
            }
        }
    }
}
