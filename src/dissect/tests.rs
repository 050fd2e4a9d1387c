//! Decoders: exact ranges, broken and cut bytes, classes.

use std::sync::Arc;

use proptest::prelude::*;

use super::{
    decoder::{Subject, decode},
    tree::{Kind, Node, Tree, TreeBuilder, slice},
};
use crate::{
    field::Class,
    ids::Seq,
    tap::entry::{
        Direction, Entry, Frame, Head, Link, Redaction, Transition, Verdict, What, mpp,
        mpp::{ErrorCode, Fault, FrameType, HelloReason, Violation},
    },
    time::Now,
};

const NODES_MAX: usize = 20_000;

/// A frame with its bytes.
pub(crate) fn framed(bytes: &[u8], direction: Direction, verdict: Verdict) -> Subject {
    let kind = FrameType::ALL
        .into_iter()
        .find(|kind| bytes.windows(kind.name().len()).any(|part| part == kind.name().as_bytes()));
    let frame = Frame {
        direction,
        peer: "127.0.0.1:50312".into(),
        head: Head::Mpp(mpp::Head { kind, ..mpp::Head::default() }),
        verdict,
        wire_bytes: u32::try_from(bytes.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    transition(What::Frame(frame), bytes)
}

fn transition(what: What, bytes: &[u8]) -> Subject {
    let entry = Entry { seq: Seq(7), at: Now::at_ms(0), link: Link::Mpp, trace: None, cause: None, what };
    Subject { entry, bytes: Arc::from(bytes) }
}

fn read_accepted(bytes: &[u8]) -> (Subject, Tree) {
    read(framed(bytes, Direction::Inbound, Verdict::Mpp(mpp::Verdict::Accepted)))
}

fn read_refused(bytes: &[u8], violation: Violation) -> (Subject, Tree) {
    let fault = Fault::Protocol { code: ErrorCode::InvalidFrame, violation };
    read(framed(bytes, Direction::Inbound, Verdict::Mpp(mpp::Verdict::Refused(fault))))
}

fn read(subject: Subject) -> (Subject, Tree) {
    let tree = decode(&subject, NODES_MAX);
    sound(&subject.bytes, &tree);
    (subject, tree)
}

/// Ranges lie within the bytes and within those of the node above; the nodes of one node follow each other.
pub(crate) fn sound(bytes: &[u8], tree: &Tree) {
    let mut above: Vec<usize> = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        assert!(node.range.start <= node.range.end && node.range.end as usize <= bytes.len(), "{node:?}");
        assert!(node.end > index && node.end <= tree.nodes.len(), "{node:?}");
        above.retain(|holder| tree.nodes[*holder].end > index);
        assert_eq!(above.len(), usize::from(node.depth), "{node:?}");
        if let Some(holder) = above.last().map(|holder| &tree.nodes[*holder]) {
            assert!(node.end <= holder.end);
            let has_bytes = holder.kind != Kind::Group;
            assert!(
                !has_bytes || (holder.range.start <= node.range.start && node.range.end <= holder.range.end),
                "{node:?} in {holder:?}"
            );
        }
        let before: Vec<_> = above.last().map_or_else(Vec::new, |holder| tree.children(*holder).collect());
        if let Some(place) = before.iter().position(|at| *at == index).filter(|place| *place > 0) {
            let sibling = &tree.nodes[before[place - 1]];
            assert!(
                sibling.range.is_empty() || node.range.is_empty() || sibling.range.end <= node.range.start,
                "{sibling:?} {node:?}"
            );
        }
        above.push(index);
    }
}

/// Every byte lies in a value's range, or is punctuation between values, a blank or the line's end.
fn covered(bytes: &[u8], tree: &Tree) {
    for (at, byte) in bytes.iter().enumerate() {
        let at = u32::try_from(at).unwrap();
        let Some(index) = tree.innermost(at) else {
            assert!(b" \t\r\n".contains(byte), "{at}: {:?} lies in no value", char::from(*byte));
            continue;
        };
        let node = &tree.nodes[index];
        if !matches!(node.kind, Kind::Object | Kind::Array)
            || node.note.as_ref().is_some_and(|note| note.text.contains("so deep"))
        {
            continue;
        }
        let super::tree::Text::Bytes(value) = &node.value else { panic!("{node:?}") };
        let is_key = at < value.start;
        assert!(
            is_key || b"{}[],: \t\r\n".contains(byte),
            "{at}: {:?} is no punctuation of {node:?}",
            char::from(*byte)
        );
    }
}

pub(crate) fn find<'a>(subject: &Subject, tree: &'a Tree, name: &str) -> &'a Node {
    let found = tree.nodes.iter().find(|node| node.name.read(&subject.bytes, 100) == name);
    found.unwrap_or_else(|| panic!("no {name} in {tree:?}"))
}

pub(crate) fn note(node: &Node) -> &str {
    node.note.as_ref().map_or("", |note| &note.text)
}

#[test]
fn a_field_has_the_exact_bytes_of_its_key_and_value() {
    let bytes = b"{\"mpp\": 2, \"type\": \"failed\", \"id\": 123, \"reason\": \"item not found\", \"refund\": true}\n";
    let (subject, tree) = read_accepted(bytes);
    let of = |name| {
        let node = find(&subject, &tree, name);
        (
            std::str::from_utf8(slice(bytes, &node.range)).unwrap(),
            node.value.read(bytes, 100).into_owned(),
            node.kind,
        )
    };
    assert_eq!(of("mpp"), ("\"mpp\": 2", "2".to_owned(), Kind::Number));
    assert_eq!(of("id"), ("\"id\": 123", "123".to_owned(), Kind::Number));
    assert_eq!(of("reason"), ("\"reason\": \"item not found\"", "\"item not found\"".to_owned(), Kind::Text));
    assert_eq!(find(&subject, &tree, "failed").range, 0..u32::try_from(bytes.len() - 1).unwrap());
    covered(bytes, &tree);
}

#[test]
fn what_a_viewer_may_see_is_told_field_by_field() {
    let (subject, tree) =
        read_accepted(br#"{"mpp":2,"type":"failed","id":1,"reason":"x","extra":{"who":"y"}}"#);
    let class = |name| (find(&subject, &tree, name).class, find(&subject, &tree, name).hides_name);
    assert_eq!(class("id"), (Class::Public, false));
    assert_eq!(class("reason"), (Class::Payload, false));
    assert_eq!(class("extra"), (Class::Payload, true), "nobody knows what it is");
    assert_eq!(class("who"), (Class::Payload, true));
    let (subject, tree) = read(framed(
        br#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"streamer","session_id":42,"persisted":[{"key":"resets","value":3,"scope":"trainer:42"}]}"#,
        Direction::Outbound,
        Verdict::Sent,
    ));
    let class = |name| find(&subject, &tree, name).class;
    assert_eq!((class("broadcaster_login"), class("session_id")), (Class::Login, Class::Public));
    assert_eq!(
        (class("key"), class("value"), class("scope")),
        (Class::Public, Class::Payload, Class::Payload)
    );
}

#[test]
fn names_in_a_frame_that_was_not_taken_may_be_anything() {
    let pull = br#"{"mpp":2,"type":"pull","queue":"my password"}"#;
    let (subject, tree) = read_refused(pull, Violation::NoSuchQueue);
    let queue = find(&subject, &tree, "queue");
    assert_eq!(queue.class, Class::Payload);
    assert_eq!(note(queue), "the manifest has no such queue");
    let (subject, tree) = read_accepted(pull);
    assert_eq!(find(&subject, &tree, "queue").class, Class::Public);
    let (subject, tree) = read_refused(br#"{"mpp":2,"type":"my password"}"#, Violation::UnknownType);
    assert_eq!(find(&subject, &tree, "type").class, Class::Payload);
    assert_eq!(tree.class_of(20), Some(Class::Payload));
}

#[test]
fn a_token_is_secret_wherever_it_was_overwritten() {
    let bytes = br#"{"mpp":2,"type":"hello","pack_id":"com.***","manifest_hash":"x","bridge_token":"***"}"#;
    let mut subject = framed(
        bytes,
        Direction::Inbound,
        Verdict::Mpp(mpp::Verdict::Refused(Fault::Hello(HelloReason::InvalidToken))),
    );
    if let What::Frame(frame) = &mut subject.entry.what {
        frame.redaction = Redaction::Masked(Arc::from([39..42, 80..83]));
    }
    let (subject, tree) = read(subject);
    assert_eq!(find(&subject, &tree, "pack_id").class, Class::Secret);
    let token = find(&subject, &tree, "bridge_token");
    assert_eq!((token.class, note(token)), (Class::Secret, "refused: invalid_token"));
    assert_eq!(tree.class_of(81), Some(Class::Secret));
}

#[test]
fn says_what_is_missing_mistyped_unknown_and_given_twice() {
    let (subject, tree) = read_refused(
        br#"{"mpp":1,"type":"invocation","id":"7","id":-1,"params":[],"colour":1}"#,
        Violation::Version,
    );
    let wrong = |name| find(&subject, &tree, name).note.as_ref().is_some_and(|note| note.is_wrong);
    assert!(wrong("mpp") && wrong("params"));
    let ids: Vec<_> =
        tree.nodes.iter().filter(|node| node.name.read(&subject.bytes, 9) == "id").map(note).collect();
    assert_eq!(ids, ["expected an unsigned integer", "expected an unsigned integer"]);
    for name in ["queue", "event"] {
        let node = find(&subject, &tree, name);
        assert_eq!((node.kind, note(node)), (Kind::Missing, "required, missing"));
    }
    assert_eq!(note(find(&subject, &tree, "colour")), "not a field of this frame; ignored");
    let (subject, tree) =
        read_accepted(br#"{"mpp":2,"type":"done","id":7,"id":8,"pack_id":"x","queue":"q"}"#);
    assert_eq!(note(find(&subject, &tree, "id")), "repeated later; the last one counts");
    assert!(note(find(&subject, &tree, "pack_id")).starts_with("ignored"));
}

#[test]
fn a_key_with_escapes_is_the_key_that_the_bridge_reads() {
    let (subject, tree) = read_accepted(br#"{"mpp":2,"ty\u0070e":"d\u006fne","id":7}"#);
    assert_eq!(find(&subject, &tree, "done").kind, Kind::Object);
    assert!(!tree.nodes.iter().any(|node| node.kind == Kind::Missing));
}

#[test]
fn broken_json_is_read_as_far_as_it_can_be_and_on_behind_the_break() {
    let (subject, tree) =
        read_refused(br#"{"mpp":2,,"type":"done" "id":tru,"a":,"b" 1,[1,2}x"#, Violation::NotJson);
    assert_eq!(find(&subject, &tree, "type").value.read(&subject.bytes, 9), "\"done\"");
    assert_eq!(note(find(&subject, &tree, "a")), "a value is expected after it");
    assert!(tree.nodes.iter().any(|node| note(node) == "not a JSON value"));
    assert!(
        tree.nodes.iter().filter(|node| node.note.as_ref().is_some_and(|note| note.is_wrong)).count() > 3
    );
    covered(&subject.bytes, &tree);
    for bytes in [
        &b""[..],
        b" \n",
        b"\xff\xfe",
        b"nonsense",
        b"[1]",
        b"1 2",
        b"\"a",
        b"}{",
        b"{]}",
        b"[}]",
        b"{\"a\":]}",
    ] {
        let (subject, tree) = read_refused(bytes, Violation::NotJson);
        assert!(
            tree.nodes.iter().any(|node| node.note.as_ref().is_some_and(|note| note.is_wrong)),
            "{bytes:?}"
        );
        covered(&subject.bytes, &tree);
    }
}

#[test]
fn a_frame_cut_at_any_byte_is_read_up_to_there() {
    let bytes =
        br#"{"mpp":2,"type":"invocation","id":123,"queue":"default","event":"give","params":{"a":[1,{"b":"\u00e9\n"}],"c":-1.5e3}}"#;
    for end in 0..bytes.len() {
        let mut subject = framed(&bytes[..end], Direction::Outbound, Verdict::Sent);
        if let What::Frame(frame) = &mut subject.entry.what {
            frame.wire_bytes = u32::try_from(bytes.len()).unwrap();
        }
        let (subject, tree) = read(subject);
        covered(&subject.bytes, &tree);
        let words = note(&tree.nodes[0]);
        assert!(words.starts_with(&format!("cut: {} more bytes", bytes.len() - end)), "{end}: {words}");
        if end > 60 {
            assert_eq!(find(&subject, &tree, "id").value.read(&subject.bytes, 9), "123");
        }
    }
}

#[test]
fn what_lies_too_deep_or_is_too_much_stays_bounded() {
    let deep = format!("{{\"params\":{}}}", "[".repeat(60_000));
    let (_, tree) = read_refused(deep.as_bytes(), Violation::NotJson);
    assert!(tree.nodes.len() < 100);
    let many = format!("{{\"secret\":1{}}}", ",\"id\":1".repeat(9_000));
    let subject = framed(many.as_bytes(), Direction::Inbound, Verdict::Mpp(mpp::Verdict::Accepted));
    let tree = decode(&subject, 1_000);
    sound(&subject.bytes, &tree);
    assert!(tree.is_cut && tree.nodes.len() < 1_010);
    assert_eq!(tree.class_of(60_000), Some(Class::Payload), "what no node tells of may be anything");
}

#[test]
fn withheld_bytes_are_told_as_the_stations_note() {
    let mut subject = framed(
        br#"{"withheld":{"bytes":31,"sha256":"ab"}}"#,
        Direction::Inbound,
        Verdict::Mpp(mpp::Verdict::TooLate),
    );
    if let What::Frame(frame) = &mut subject.entry.what {
        (frame.redaction, frame.wire_bytes) = (Redaction::Withheld, 3_100);
    }
    let (subject, tree) = read(subject);
    assert!(note(&tree.nodes[0]).starts_with("withheld"));
    assert_eq!(subject.cut_bytes(), 0);
}

#[test]
fn a_transition_is_told_by_its_fields_and_its_text() {
    let written = Transition::Mpp(mpp::Transition::StateWritten { key: "party".into(), persist: true });
    let (subject, tree) = read(transition(What::Transition(written), br#"["pikachu",{"level":5}]"#));
    assert_eq!(find(&subject, &tree, "key").value.read(&subject.bytes, 9), "party");
    let value = find(&subject, &tree, "value");
    assert_eq!((value.kind, value.class, value.range.clone()), (Kind::Array, Class::Payload, 0..23));
    assert_eq!(find(&subject, &tree, "level").class, Class::Payload);
    let logged = Transition::Mpp(mpp::Transition::Logged { level: mpp::Level::Warn });
    let (subject, tree) = read(transition(What::Transition(logged), b"{not json"));
    assert_eq!(
        (find(&subject, &tree, "line").class, tree.class_of(3)),
        (Class::Payload, Some(Class::Payload))
    );
}

fn json(depth: u32) -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(depth, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::vec((".{0,6}", inner), 0..5)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

fn read_json(bytes: &[u8]) -> Tree {
    let mut builder = TreeBuilder::new(NODES_MAX);
    super::json::read(bytes, "value", &mut builder);
    builder.finish()
}

/// The value that a node stands for, read from its own range alone.
fn rebuilt(bytes: &[u8], tree: &Tree, index: usize) -> serde_json::Value {
    let node = &tree.nodes[index];
    let key = |at: usize| {
        serde_json::from_str::<String>(&format!("\"{}\"", tree.nodes[at].name.read(bytes, 1_000))).unwrap()
    };
    match node.kind {
        Kind::Object => serde_json::Value::Object(
            tree.children(index).map(|at| (key(at), rebuilt(bytes, tree, at))).collect(),
        ),
        Kind::Array => tree.children(index).map(|at| rebuilt(bytes, tree, at)).collect(),
        _ => serde_json::from_str(&node.value.read(bytes, 10_000)).unwrap(),
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (subject, tree) = read_refused(&bytes, Violation::NotJson);
        covered(&subject.bytes, &tree);
    }

    #[test]
    fn anything_that_looks_like_json_is_read(text in "[\\[\\]{}\",:0-9a-z\\\\ .-]{0,200}") {
        let (subject, tree) = read_accepted(text.as_bytes());
        covered(&subject.bytes, &tree);
    }

    #[test]
    fn valid_json_is_read_whole_and_every_value_from_its_own_bytes(
        value in json(4),
        pretty in any::<bool>(),
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let tree = read_json(text.as_bytes());
        sound(text.as_bytes(), &tree);
        covered(text.as_bytes(), &tree);
        prop_assert!(tree.nodes.iter().all(|node| node.note.is_none()), "{tree:?}");
        prop_assert_eq!(rebuilt(text.as_bytes(), &tree, 0), value);
    }

    #[test]
    fn valid_json_cut_anywhere_says_so(value in json(3), cut in any::<prop::sample::Index>()) {
        let text = serde_json::Value::Array(vec![value]).to_string();
        let end = cut.index(text.len());
        let tree = read_json(&text.as_bytes()[..end]);
        sound(&text.as_bytes()[..end], &tree);
        covered(&text.as_bytes()[..end], &tree);
        prop_assert!(tree.nodes.iter().any(|node| node.note.as_ref().is_some_and(|note| note.is_wrong)));
    }
}
