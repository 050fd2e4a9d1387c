//! Answers of the bus, in both dialects.

use std::{
    collections::BTreeSet,
    io::Read as _,
    path::{Path, PathBuf},
};

use rl_console::station::bus::{TokenKind, token};
use serde_json::Value;

use super::twins::{Looked, Sent, Twins};
use crate::{
    real::{json, plugins::until},
    rmp_bus::{Peer, frames},
    snippets::sent::{name, needs, of_link, were_all_sent},
};

/// What the moment of an answer follows in its text.
const NOW: &[u8] = b"the time is ";

/// What the number of a session follows in a `Welcome`.
const SESSION: &[u8] = b"\xa7session";

/// A frame or unit without its moment, its trace, its number and that of the session.
fn steady(wire: &[u8]) -> Vec<u8> {
    let mut wire = wire.to_vec();
    if let Some(at) = memchr::memmem::find(&wire, NOW) {
        let digits = wire[at + NOW.len()..].iter_mut().take_while(|byte| byte.is_ascii_digit());
        digits.for_each(|digit| *digit = b'0');
    }
    if let Some(at) = memchr::memmem::find(&wire, SESSION) {
        assert!(wire[at + SESSION.len()] < 0x80, "a number of one byte");
        wire[at + SESSION.len()] = 0;
    }
    if wire.get(4..8) == Some(b"RMP0") {
        for range in [24..32, 40..56, 56..64] {
            wire[range].fill(0);
        }
    }
    wire
}

fn path(looked: &Looked) -> PathBuf {
    looked.station.ready["rmp"].as_str().unwrap().into()
}

fn is_json(row: &Value) -> bool {
    name(row).starts_with("rmp/json-")
}

/// The sessions of the bus, but for those of operators.
fn agents(looked: &Looked) -> Vec<Value> {
    let mut peers = json(looked.data(), &["ls", "peers"]);
    peers.retain(|peer| peer["kind"] == "agent");
    peers
}

/// A unit of the JSON dialect.
fn unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

const HELLO: &str = r#"{"Hello":{"kind":"Agent"}}"#;

/// A client that has said its hello.
fn greeted(path: &Path, is_json: bool) -> Peer {
    if !is_json {
        return Peer::greeted(path, "agent", None);
    }
    let mut tool = Peer::connect(path);
    tool.send(&unit(HELLO));
    assert_eq!(&tool.hear().wire[4..], br#""HelloAck""#);
    tool
}

/// What is withheld from the tap, as it may have a token: a frame before the hello, here with the number that
/// its answer has, and a hello whose length is wrong.
fn withheld(row: &Value, sent: &Sent) -> Vec<u8> {
    match name(row) {
        "rmp/unauthorized" => {
            let answer = frames::Frame { wire: sent.answers[0].clone() };
            frames::control(answer.number("re"), "Ping", Vec::new())
        }
        "rmp/json-too-large" => [&u32::MAX.to_be_bytes()[..], HELLO.as_bytes()].concat(),
        other => panic!("{other} is withheld: {:#}", sent.row),
    }
}

/// Nothing more has come, or will.
fn is_over(client: &mut Peer, row: &Value, last: &Sent) {
    if last.foreseen.ends.is_some() {
        assert!(client.try_hear().is_none(), "{} ends it", name(row));
    } else if is_json(row) {
        client.send(&unit(r#"{"Subscribe":{"id":99,"topic":"quiet","sub_id":99}}"#));
        let read = String::from_utf8(client.hear().wire[4..].to_vec()).unwrap();
        assert!(read.starts_with(r#"{"SubscribeAck":{"id":99,"#), "{} has more: {read}", name(row));
    } else {
        client.say("Ping", Vec::new());
        assert_eq!(client.hear().name(), "Pong", "{} has more", name(row));
    }
}

/// What goes to the broker is sent to the other one as well, and answered alike.
fn answered(twins: &Twins, row: &Value) -> Vec<Sent> {
    let subscribed = |looked: &Looked| {
        let mut subscriber = greeted(&path(looked), false);
        subscriber.subscribe(1, "agent/twice");
        subscriber
    };
    let _subscribers = needs(row, "subscriber").then(|| twins.both().map(subscribed));
    let sent = twins.doors.sent(row, &[]);
    let to = path(&twins.plain);
    let is_first = row["door"] == "none" || row["expect"]["answer"] == "Welcome";
    let mut client = match name(row) {
        _ if is_first => Peer::connect(&to),
        "rmp/action-decision" => {
            let token = token(twins.plain.data(), TokenKind::Operator).unwrap();
            Peer::greeted(&to, "tui", Some(&token))
        }
        _ => greeted(&to, is_json(row)),
    };
    for frame in &sent {
        match frame.whole() {
            Some(bytes) => client.send(bytes),
            None => client.send(&withheld(row, frame)),
        }
        for answer in &frame.answers {
            let read = client.hear();
            assert_eq!(steady(&read.wire), steady(answer), "{}: {:#}", name(row), frame.row);
        }
        assert!(frame.agrees(steady), "{} is foreseen", name(row));
    }
    is_over(&mut client, row, sent.last().unwrap());
    sent
}

/// What goes to a session in the broker's place is what the session reads.
fn delivered(twins: &Twins, row: &Value) -> Vec<Sent> {
    let looked = &twins.doors;
    let mut peer = greeted(&path(looked), is_json(row));
    let session = agents(looked)[0]["session"].to_string();
    let sent = looked.sent(row, &["--to", &session]);
    for frame in &sent {
        let mut read = vec![0; frame.kept.len()];
        peer.stream.read_exact(&mut read).unwrap();
        assert_eq!(Some(&read[..]), frame.whole(), "{}: {:#}", name(row), frame.row);
        assert!(frame.agrees(steady) && frame.answers.is_empty(), "{}: {:#}", name(row), frame.row);
    }
    is_over(&mut peer, row, sent.last().unwrap());
    sent
}

#[test]
fn each_answer_of_the_bus_is_read_as_it_was_foreseen() {
    let twins = Twins::open("", true);
    let full = Twins::open("[limits.rmp]\nsession_subscriptions_max = 1\n", true);
    let rows = of_link(twins.doors.data(), "rmp");
    let (mut read, mut codes) = (BTreeSet::new(), BTreeSet::new());
    for row in &rows {
        let twins = if needs(row, "full_bus") { &full } else { &twins };
        let is_to_session = matches!(row["door"].as_str(), Some("to-peer" | "to-json"));
        let sent = if is_to_session { delivered(twins, row) } else { answered(twins, row) };
        codes.extend(sent.into_iter().filter_map(|frame| frame.foreseen.code));
        read.insert(name(row).to_owned());
        let gone = || agents(&twins.doors).is_empty().then_some(());
        until(|| format!("a peer stays after {}", name(row)), gone);
    }
    were_all_sent(&rows, &read, &[]);
    let all = "BodyDecodeError BodyTooLarge BodyTypeMismatch Busy Expired Forbidden InvalidExpiry \
               InvalidHeaderFlags InvalidMagic InvalidTopic InvalidTtl LengthMismatch NotSubscribed \
               TruncatedHeader Unauthorized UnknownSchema UnsupportedVersion";
    assert_eq!(codes.into_iter().collect::<Vec<_>>().join(" "), all);
}
