//! Peers of a station in this process.

use std::path::Path;

use rl_console::{
    limits::Limits,
    port::{Command, PortError},
    station::bus::TokenKind,
    tap::entry::Link,
};

use super::{Bus, Peer, frames};

#[test]
fn a_message_goes_from_one_peer_to_another_as_it_came() {
    let bus = Bus::open();
    let (mut publisher, mut subscriber) = (bus.agent(), bus.agent());
    subscriber.subscribe(7, "a/**");
    let message = frames::message(1, "hello");
    let id = publisher.publish("a/b", true, &message);
    let answer = publisher.hear();
    assert_eq!((answer.name(), answer.number("re")), ("Ok".to_owned(), id));
    let (sub, topic, frame) = subscriber.delivered();
    assert_eq!((sub, topic.as_str(), frame.wire), (7, "a/b", message));
}

#[test]
fn the_socket_is_recorded_in_the_data_folder_and_goes_with_the_station() {
    let mut bus = Bus::open();
    let recorded = std::fs::read_to_string(bus.folder.path().join("rmp.path")).unwrap();
    assert_eq!(Path::new(recorded.trim()), bus.path());
    let mut peer = bus.agent();
    bus.station.take().unwrap().stop();
    let told = peer.hear();
    assert_eq!(told.error(), (0, "Busy".to_owned()), "who is closed is told why");
    assert!(told.text("message").contains("bus is stopping"), "{told:?}");
    assert!(peer.try_hear().is_none());
    assert!(!bus.path().exists());
}

/// Reads the tap until the bus says that it listens, or that it does not.
fn until_listening(reader: &mut rl_console::tap::Reader, wanted: bool) -> String {
    use rl_console::tap::entry::{Transition, What, rmp};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    loop {
        while let Some(batch) = reader.read() {
            for entry in batch.iter() {
                let is_listening = match &entry.entry.what {
                    What::Transition(Transition::Rmp(rmp::Transition::Listening { .. })) => true,
                    What::Transition(Transition::Rmp(rmp::Transition::NotListening)) => false,
                    _ => continue,
                };
                if is_listening == wanted {
                    return entry.text().into_owned();
                }
            }
        }
        runtime.block_on(reader.ready());
    }
}

#[test]
fn a_socket_whose_file_was_taken_away_is_bound_anew_and_who_is_connected_stays() {
    let bus = Bus::open();
    let port = bus.station.as_ref().unwrap().port();
    let mut reader = port.entries().unwrap();
    let (mut old, runtime) =
        (bus.agent(), tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap());
    old.subscribe(1, "a");
    std::fs::remove_file(bus.path()).unwrap();
    until_listening(&mut reader, true);
    let message = frames::message(1, "x");
    bus.agent().publish("a", false, &message);
    assert_eq!(old.delivered().2.wire, message);
    // Another program's socket in its place is never taken away.
    std::fs::remove_file(bus.path()).unwrap();
    let other = std::os::unix::net::UnixListener::bind(bus.path()).unwrap();
    let why = until_listening(&mut reader, false);
    assert!(why.contains("is in use"), "{why}");
    let restarted = runtime.block_on(port.command(Command::Restart { link: Link::Rmp })).unwrap_err();
    assert!(
        matches!(&restarted, PortError::HostDown { why, .. } if why.contains("is in use")),
        "{restarted}"
    );
    old.say("Ping", vec![]);
    assert_eq!(old.hear().name(), "Pong");
    drop(other);
    until_listening(&mut reader, true);
    bus.agent();
}

#[test]
fn tokens_of_the_data_folder_make_kinds() {
    let bus = Bus::open();
    for (asked, kind, welcomed) in [
        ("tui", TokenKind::Operator, "tui"),
        ("ui", TokenKind::Operator, "ui"),
        ("tui", TokenKind::Viewer, "viewer"),
        ("ui", TokenKind::Cue, "cue"),
    ] {
        let mut peer = Peer::connect(&bus.path());
        let token = bus.token(kind);
        let fields = vec![
            ("v", 1.into()),
            ("client", "c".into()),
            ("kind", asked.into()),
            ("token", token.as_str().into()),
        ];
        peer.say("Hello", fields);
        assert_eq!(peer.hear().text("kind"), welcomed);
    }
}

#[test]
fn a_frame_comes_out_whole_however_it_is_cut_on_its_way() {
    let bus = Bus::open();
    let (mut publisher, mut subscriber) = (bus.agent(), bus.agent());
    subscriber.subscribe(1, "a");
    let message = frames::message(1, "cut");
    let publish = frames::control(9, "Publish", vec![("topic", "a".into()), ("ack", false.into())]);
    for byte in publish.iter().chain(&message) {
        publisher.send(&[*byte]);
    }
    assert_eq!(subscriber.delivered().2.wire, message);
}

#[test]
fn a_body_of_the_largest_size_goes_through() {
    let bus = Bus::open();
    let (mut publisher, mut subscriber) = (bus.agent(), bus.agent());
    subscriber.subscribe(1, "a");
    let envelope = frames::message(1, &"x".repeat(65_536)).len() - 65_536;
    let message = frames::message(1, &"x".repeat(68 + 8_388_608 - envelope));
    assert_eq!(message.len(), 68 + 8_388_608);
    let reader = std::thread::spawn(move || subscriber.delivered().2.wire);
    publisher.publish("a", false, &message);
    assert!(reader.join().unwrap() == message);
}

#[test]
fn messages_of_one_publisher_stay_in_order() {
    let bus = Bus::open();
    let (mut publisher, mut subscriber) = (bus.agent(), bus.agent());
    subscriber.subscribe(1, "a");
    let reader =
        std::thread::spawn(move || (0..1_000).map(|_| subscriber.delivered().2.msg_id()).collect::<Vec<_>>());
    for id in 0..1_000 {
        publisher.publish("a", true, &frames::message(id, "in order"));
        assert_eq!(publisher.hear().name(), "Ok");
    }
    assert_eq!(reader.join().unwrap(), (0..1_000).collect::<Vec<_>>());
}

#[test]
fn a_subscriber_that_never_reads_holds_nobody() {
    let bus = Bus::open();
    let (mut publisher, mut stalled, mut operator) = (bus.agent(), bus.agent(), bus.operator());
    stalled.subscribe(1, "a");
    operator.subscribe(1, "rlp/sys/drops");
    let text = "x".repeat(4_096);
    for id in 0..5_000 {
        publisher.publish("a", true, &frames::message(id, &text));
        assert_eq!(publisher.hear().name(), "Ok");
    }
    let (_, topic, notice) = operator.delivered();
    let reason = frames::field(&notice.payload(), "reason");
    assert_eq!(
        (topic.as_str(), notice.schema_id(), reason.as_str()),
        ("rlp/sys/drops", 3_007, Some("backpressure_timeout"))
    );
    drop(stalled);
    let mut reader = bus.agent();
    reader.subscribe(1, "a");
    publisher.publish("a", false, &frames::message(9_999, "after"));
    assert_eq!(reader.delivered().2.msg_id(), 9_999);
}

#[test]
fn what_is_refused_names_its_number_and_the_stream_goes_on() {
    let bus = Bus::open();
    let mut agent = bus.agent();
    let cases = [("rlp/sys/x", "Forbidden"), ("a//b", "InvalidTopic"), ("a/*", "InvalidTopic")];
    for (topic, code) in cases {
        let id = agent.publish(topic, false, &frames::message(1, "no"));
        assert_eq!(agent.hear().error(), (id, code.to_owned()), "{topic}");
    }
    let id = agent.say("Unsubscribe", vec![("sub", 5.into())]);
    assert_eq!(agent.hear().error(), (id, "NotSubscribed".to_owned()));
    agent.say("Ping", vec![]);
    assert_eq!(agent.hear().name(), "Pong");
    agent.send(b"\0\0\0\x40QQQQ");
    agent.send(&[0; 60]);
    assert_eq!(agent.hear().error(), (0, "InvalidMagic".to_owned()));
    assert!(agent.try_hear().is_none());
}

/// One message for each of the thirteen, in the order of rmp-v0 §7, and whether it ends the stream (ruling
/// RMP 2).
fn faults() -> Vec<(&'static str, Vec<u8>, bool)> {
    let good = frames::message(1, "x");
    let with = |at: usize, bytes: &[u8]| {
        let mut frame = good.clone();
        frame[at..at + bytes.len()].copy_from_slice(bytes);
        frame
    };
    let body_len = u32::try_from(good.len() - 68).unwrap();
    let mut fixtures = vec![
        ("InvalidMagic", with(4, b"RMP1"), true),
        ("UnsupportedVersion", with(8, &[0, 1]), true),
        ("TruncatedHeader", vec![0, 0, 0, 63], true),
        ("InvalidHeaderFlags", with(12, &[0, 0, 0, 1]), false),
        ("LengthMismatch", with(20, &(body_len - 1).to_be_bytes()), false),
        ("UnknownSchema", with(16, &[0, 0]), false),
        ("BodyTooLarge", with(20, &8_388_609_u32.to_be_bytes()), false),
        ("BodyTooLarge", (64 + 8_388_609_u32).to_be_bytes().to_vec(), true),
        ("InvalidTtl", with(32, &[0; 8]), false),
        ("InvalidExpiry", with(24, &u64::MAX.to_be_bytes()), false),
        ("Expired", with(32, &1_u64.to_be_bytes()), false),
    ];
    let mut broken = good.clone();
    broken[68] = 0xc1;
    fixtures.push(("BodyDecodeError", broken, false));
    // A header and nothing behind it is as short as a frame may be.
    let mut bare = [&64_u32.to_be_bytes(), &good[4..68]].concat();
    bare[20..24].fill(0);
    fixtures.push(("BodyDecodeError", bare, false));
    fixtures.push(("BodyTypeMismatch", with(16, &[0, 10]), false));
    fixtures
}

#[test]
fn each_error_of_the_taxonomy_is_told_by_name_and_keeps_or_ends_the_stream() {
    let bus = Bus::open();
    for (code, message, ends) in faults() {
        let mut agent = bus.agent();
        let id = agent.publish("a", true, &message);
        assert_eq!(agent.hear().error(), (id, code.to_owned()));
        if ends {
            assert!(agent.try_hear().is_none(), "{code} ends the stream");
        } else {
            agent.say("Ping", vec![]);
            assert_eq!(agent.hear().name(), "Pong", "{code} keeps the stream");
        }
    }
    let (mut agent, mut operator) = (bus.agent(), bus.operator());
    agent.subscribe(1, "a");
    operator.subscribe(1, "rlp/sys/drops");
    for _ in 0..2 {
        agent.publish("a", false, &frames::message(1, "x"));
    }
    let notice = operator.delivered().2;
    assert_eq!(
        frames::field(&notice.payload(), "reason").as_str(),
        Some("duplicate"),
        "Duplicate is a notice"
    );
}

#[test]
fn what_the_streams_end_cuts_off_is_told() {
    let bus = Bus::open();
    let mut agent = bus.agent();
    agent.send(&frames::message(1, "x")[..50]);
    agent.stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(agent.hear().error(), (0, "TruncatedHeader".to_owned()));
    assert!(agent.try_hear().is_none());
}

#[test]
fn a_peer_with_too_many_subscriptions_is_told_busy_and_the_others_go_on() {
    let mut limits = Limits::default();
    limits.rmp.session_subscriptions_max = 2;
    let bus = Bus::with(&limits);
    let (mut greedy, mut other) = (bus.agent(), bus.agent());
    greedy.subscribe(1, "a");
    greedy.subscribe(2, "b");
    let id = greedy.say("Subscribe", vec![("sub", 3.into()), ("topic", "c".into())]);
    assert_eq!(greedy.hear().error(), (id, "Busy".to_owned()));
    other.subscribe(1, "c");
    for topic in ["a", "c"] {
        let message = frames::message(1, topic);
        other.publish(topic, false, &message);
        let reader = if topic == "a" { &mut greedy } else { &mut other };
        assert_eq!(reader.delivered().2.wire, message);
    }
    greedy.say("Unsubscribe", vec![("sub", 2.into())]);
    assert_eq!(greedy.hear().name(), "Ok");
    greedy.subscribe(3, "c");
}
