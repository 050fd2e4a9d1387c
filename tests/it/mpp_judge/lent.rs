//! Tokens that the station lends itself (ruling MPP 15).

use std::{net::SocketAddr, time::Duration};

use rl_console::{
    ids::ConnectionId,
    judged::Doubt,
    limits,
    mpp::{Fault, HelloReason, Input, LENT_TOKENS_MAX, LendError, LentCounts, Stand, TokenHash, Verdict},
    tap::entry::Redaction,
};

use crate::harness::{HELLO, Store, TestBridge, judged::verdict, pack};

const LENT: &str = "lent-for-one-hello";

fn unpaired() -> TestBridge {
    TestBridge::start(pack(), limits::Mpp::default(), Store::default(), None)
}

fn hello() -> String {
    HELLO.replace("<raw-token>", LENT)
}

/// The address of a connection of the harness.
fn address(conn: ConnectionId) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], u16::try_from(50_000 + conn.0).unwrap()))
}

fn lend(world: &mut TestBridge, to: SocketAddr, ms: u64) {
    let until = world.now.after(Duration::from_millis(ms)).mono;
    world.bridge.lend(world.now, TokenHash::of(LENT), to, until).unwrap();
    world.run_until_idle();
}

fn refused(reason: HelloReason) -> Verdict {
    Verdict::Refused(Fault::Hello(reason))
}

#[test]
fn a_lent_token_passes_once_from_its_address_and_is_masked() {
    for mut world in [unpaired(), TestBridge::new()] {
        let conn = world.open();
        lend(&mut world, address(conn), 60_000);
        let judged =
            world.bridge.judge(world.now, &Stand::Connection(conn), format!("{}\n", hello()).as_bytes());
        assert_eq!(judged.holds_until, Some(world.now.after(Duration::from_secs(10))));
        assert_eq!(world.line(conn, &hello()), Verdict::Accepted);
        assert!(matches!(world.received[0].1, Redaction::Masked(_)));
        assert!(world.bridge.is_lent(conn));
        assert_eq!(world.bridge.lent_tokens(), LentCounts { used: 1, ..LentCounts::default() });
        world.line(conn, &format!(r#"{{"mpp":2,"type":"log","level":"info","message":"{LENT}"}}"#));
        let logged = &world.bridge.snapshot().logs[0];
        assert_eq!(&*logged.text, "*".repeat(LENT.len()), "as any token is");
        world.close(conn, rl_console::mpp::CloseCause::PeerClosed);
        // The same address once more.
        let again = world.open();
        let peer = rl_console::ids::Peer::new(&address(conn).to_string());
        world.close(again, rl_console::mpp::CloseCause::PeerClosed);
        let twice = world.open_from(peer);
        assert_ne!(world.line(twice, &hello()), Verdict::Accepted, "twice");
        assert!(!world.bridge.is_lent(conn));
    }
}

#[test]
fn another_address_another_token_and_eleven_seconds_are_invalid_tokens() {
    let mut world = TestBridge::new();
    let (other, conn) = (world.open(), world.open());
    lend(&mut world, address(conn), 10_000);
    assert_eq!(world.line(other, &hello()), refused(HelloReason::InvalidToken), "another address");
    assert_eq!(world.bridge.lent_tokens().waiting, 1, "it is not used up by that");
    let wrong = hello().replace(LENT, "guessed");
    assert_eq!(world.line(conn, &wrong), refused(HelloReason::InvalidToken), "another token");

    let conn = world.open();
    lend(&mut world, address(conn), 2_000);
    world.pass(Duration::from_millis(1_999));
    assert_eq!(
        verdict(&world.bridge.judge(world.now, &Stand::Connection(conn), line().as_bytes())),
        Verdict::Accepted
    );
    world.pass(Duration::from_millis(1));
    assert_eq!(world.bridge.lent_tokens().expired, 1, "forgotten by the core's own deadline");
    assert_eq!(world.line(conn, &hello()), refused(HelloReason::InvalidToken), "later");
    let mut world = unpaired();
    let conn = world.open();
    assert_eq!(world.line(conn, &hello()), refused(HelloReason::Unpaired), "never lent");
}

fn line() -> String {
    format!("{}\n", hello())
}

#[test]
fn all_other_checks_of_a_hello_stay() {
    let cases = [
        ("com.example.mypack", "other", HelloReason::PackIdMismatch),
        ("sha256:abc123...", "sha256:0", HelloReason::ManifestHashMismatch),
        ("\"mpp\": 2", "\"mpp\": 1", HelloReason::UnsupportedMppVersion),
    ];
    for (from, to, reason) in cases {
        let mut world = unpaired();
        let conn = world.open();
        lend(&mut world, address(conn), 10_000);
        assert_eq!(world.line(conn, &hello().replace(from, to)), refused(reason));
        let shown = u64::from(reason != HelloReason::UnsupportedMppVersion);
        assert_eq!(world.bridge.lent_tokens().used, shown, "one hello uses it up, accepted or not");
    }
    let (mut world, adapter) = TestBridge::connected();
    let conn = world.open();
    lend(&mut world, address(conn), 10_000);
    let judged = world.bridge.judge(world.now, &Stand::Connection(conn), line().as_bytes());
    assert!(judged.doubts.contains(&Doubt::AnotherPeer));
    assert_eq!(world.line(conn, &hello()), refused(HelloReason::AlreadyConnected));
    assert!(world.bridge.snapshot().adapter.is_some(), "{adapter} stays");
}

#[test]
fn an_ipv4_address_in_ipv6_is_the_same_and_ten_seconds_are_the_most() {
    let mut world = unpaired();
    let conn = world.open();
    let mapped: SocketAddr = format!("[::ffff:127.0.0.1]:{}", address(conn).port()).parse().unwrap();
    lend(&mut world, mapped, 3_600_000);
    assert_eq!(world.line(conn, &hello()), Verdict::Accepted);
    let mut world = unpaired();
    lend(&mut world, mapped, 3_600_000);
    world.pass(Duration::from_secs(10));
    assert_eq!(world.bridge.lent_tokens(), LentCounts { expired: 1, ..LentCounts::default() });
}

#[test]
fn only_so_many_are_lent_at_one_time() {
    let mut world = unpaired();
    let conn = world.open();
    let until = world.now.after(Duration::from_secs(10)).mono;
    for n in 0..LENT_TOKENS_MAX {
        world.bridge.lend(world.now, TokenHash::of(&n.to_string()), address(conn), until).unwrap();
    }
    let more = world.bridge.lend(world.now, TokenHash::of(LENT), address(conn), until);
    assert_eq!(more, Err(LendError::TooMany));
    let counts = world.bridge.lent_tokens();
    assert_eq!((counts.waiting, counts.refused), (16, 1));
    world.handle(Input::Timeout);
    world.pass(Duration::from_secs(10));
    assert_eq!(world.bridge.lent_tokens().expired, 16);
    lend(&mut world, address(conn), 10_000);
}

#[test]
fn a_text_that_stands_for_a_token_to_be_lent_is_judged_as_one_and_lends_nothing() {
    for (world, is_free) in [(unpaired(), true), (TestBridge::connected().0, false)] {
        let judge =
            |lending| world.bridge.judge_lending(world.now, &Stand::Newcomer, line().as_bytes(), lending);
        let last = if is_free { Verdict::Accepted } else { refused(HelloReason::AlreadyConnected) };
        assert_eq!(verdict(&judge(Some(LENT))), last);
        assert_ne!(verdict(&judge(Some("another"))), last);
        assert_ne!(verdict(&judge(None)), last);
        assert_eq!(world.bridge.lent_tokens(), LentCounts::default());
    }
}
