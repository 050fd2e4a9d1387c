//! Frames of the bus in the inspector: exact ranges, what was found wrong at its field, classes, broken and
//! cut bytes.

use std::sync::Arc;

use proptest::prelude::*;

use crate::{
    dissect::{
        decoder::{Subject, decode},
        tests::{find, note, sound},
        tree::{Node, Tree, slice},
        verdict,
    },
    field::Class,
    ids::Seq,
    rmp::{Code, Dialect, FrameKind, Head, Refusal, Verdict},
    tap::entry::{Direction, Entry, Frame, Head as AnyHead, Link, Redaction, Verdict as AnyVerdict, What},
    time::Now,
};

/// The frame of rmp-v0 §8.
const GOLDEN: &str = "000000a0524d50300000004000000000000a0000000000600000019323645c7b000000000000ea60112233445566778899aabbccddeeff00\
                      000000000000002a0000000083a474797065af6572726f722e7265706f72742e7631a77061796c6f616482a4636f6465b0746f6f6c2e756e\
                      617661696c61626c65a76d657373616765ae6d61696c6572206f66666c696e65a46d65746181aa6f70656e696e675f6964cd04d2";

fn golden() -> Vec<u8> {
    crate::rmp::json::unhex(GOLDEN).unwrap()
}

/// `Publish{topic: "a/b", ack: true}` as ruling RMP 1 has it.
fn control() -> Vec<u8> {
    let body = crate::rmp::json::parse(
        r#"{"type":"intent.control.v1","payload":{"Publish":{"topic":"a/b","ack":true}}}"#,
    )
    .unwrap();
    let mut packed = Vec::new();
    rmpv::encode::write_value(&mut packed, &body).unwrap();
    let mut frame = golden()[..68].to_vec();
    frame[..4].copy_from_slice(&u32::try_from(64 + packed.len()).unwrap().to_be_bytes());
    frame[16..18].copy_from_slice(&9_u16.to_be_bytes());
    frame[20..24].copy_from_slice(&u32::try_from(packed.len()).unwrap().to_be_bytes());
    frame.extend(packed);
    frame
}

fn subject(bytes: &[u8], verdict: Verdict, wire_bytes: usize) -> Subject {
    let frame = Frame {
        direction: Direction::Inbound,
        peer: "uid 1000 pid 1".into(),
        head: AnyHead::Rmp(Head {
            kind: Some(FrameKind::Publish),
            dialect: Dialect::Frames,
            ..Head::default()
        }),
        verdict: AnyVerdict::Rmp(verdict),
        wire_bytes: u32::try_from(wire_bytes).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    let entry = Entry {
        seq: Seq(7),
        at: Now::at_ms(0),
        link: Link::Rmp,
        trace: None,
        cause: None,
        what: What::Frame(frame),
    };
    Subject { entry, bytes: Arc::from(bytes) }
}

fn read(bytes: &[u8], verdict: Verdict) -> (Subject, Tree) {
    let subject = subject(bytes, verdict, bytes.len());
    let tree = decode(&subject, 20_000);
    sound(&subject.bytes, &tree);
    (subject, tree)
}

fn published() -> (Subject, Tree) {
    read(&[control(), golden()].concat(), Verdict::Published { subscribers: 1, dropped: 0 })
}

fn last<'a>(subject: &Subject, tree: &'a Tree, name: &str) -> &'a Node {
    tree.nodes
        .iter()
        .rev()
        .find(|node| node.name.read(&subject.bytes, 100) == name)
        .unwrap_or_else(|| panic!("no {name} in {tree:?}"))
}

#[test]
fn every_field_of_the_golden_vector_has_its_bytes() {
    let (subject, tree) = published();
    let base = control().len();
    let of = |name: &str| {
        let node = last(&subject, &tree, name);
        let range = node.range.start as usize - base..node.range.end as usize - base;
        (range, node.value.read(&subject.bytes, 100).into_owned())
    };
    assert_eq!(of("frame_len"), (0..4, "160".to_owned()));
    assert_eq!(of("magic"), (4..8, "RMP0".to_owned()));
    assert_eq!(of("schema_id"), (16..18, "10".to_owned()));
    assert_eq!(of("body_len"), (20..24, "96".to_owned()));
    assert_eq!(of("created_at_ms"), (24..32, "1731465600123".to_owned()));
    assert_eq!(of("ttl_ms"), (32..40, "60000".to_owned()));
    assert_eq!(of("trace_id"), (40..56, "11223344-5566-7788-99aa-bbccddeeff00".to_owned()));
    assert_eq!(of("msg_id"), (56..64, "42".to_owned()));
    assert_eq!(of("header").0, 4..68);
    assert_eq!(of("body").0, 68..164);
    assert_eq!(of("code").1, "tool.unavailable");
    assert_eq!(of("opening_id"), (150..164, "1234".to_owned()));
    assert_eq!(note(last(&subject, &tree, "schema_id")), "CT_ERROR_REPORT");
    assert_eq!(
        tree.innermost(u32::try_from(base + 57).unwrap())
            .map(|at| tree.nodes[at].name.read(&subject.bytes, 9).into_owned()),
        Some("msg_id".to_owned())
    );
}

#[test]
fn what_a_message_says_is_its_publishers_and_where_it_goes_is_anybodys() {
    let (subject, tree) = published();
    assert_eq!(find(&subject, &tree, "topic").class, Class::Public);
    assert_eq!(find(&subject, &tree, "topic").value.read(&subject.bytes, 9), "a/b");
    for name in ["code", "message", "opening_id"] {
        let node = last(&subject, &tree, name);
        assert!(node.class == Class::Payload && node.hides_name, "{node:?}");
    }
    let kind = last(&subject, &tree, "type");
    assert!(kind.class == Class::Payload && !kind.hides_name);
    assert_eq!(last(&subject, &tree, "msg_id").class, Class::Public);
}

#[test]
fn what_was_found_wrong_stands_at_its_field_with_what_belongs_there() {
    let change = |at: usize, byte: u8| {
        let mut bytes = golden();
        bytes[at] = byte;
        [control(), bytes].concat()
    };
    for (bytes, code, field, words) in [
        (change(17, 0x77), Code::UnknownSchema, "schema_id", "the registry has no schema_id"),
        (change(12, 1), Code::InvalidHeaderFlags, "flags", "flags are 0x01000000"),
        (change(24, 0xff), Code::InvalidExpiry, "created_at_ms", "exceeds 64 bits"),
        (change(17, 6), Code::BodyTypeMismatch, "type", "the body's type is \"error.report.v1\""),
        (change(163, 0xd2), Code::Duplicate, "trace_id", "is a duplicate"),
        (change(68, 0xc1), Code::BodyDecodeError, "broken", "no MsgPack value starts with c1"),
        (change(4, b'X'), Code::InvalidMagic, "magic", "the header begins with"),
    ] {
        let bytes = if code == Code::InvalidExpiry {
            let mut bytes = bytes;
            let at = control().len() + 32;
            bytes[at..at + 8].fill(0xff);
            bytes
        } else {
            bytes
        };
        let (subject, tree) = read(&bytes, Verdict::Refused(Refusal::Fault(code)));
        let blamed: Vec<_> =
            tree.nodes.iter().filter(|node| node.note.as_ref().is_some_and(|note| note.is_wrong)).collect();
        assert_eq!(blamed.len(), 1, "{code:?}: {blamed:?}");
        assert_eq!(blamed[0].name.read(&subject.bytes, 20), field, "{code:?}");
        assert!(note(blamed[0]).contains(words), "{code:?}: {}", note(blamed[0]));
        let lines = verdict(&subject);
        assert!(lines[0].1.starts_with(code.name()), "{lines:?}");
        assert!(
            lines[1].1.contains("expected") && lines.iter().any(|(_, line)| line.starts_with("To do: ")),
            "{lines:?}"
        );
    }
}

#[test]
fn a_refusal_that_no_field_tells_stands_at_the_message() {
    let (_, tree) = read(&[control(), golden()].concat(), Verdict::Refused(Refusal::Forbidden));
    let blamed = tree.nodes.iter().find(|node| node.note.as_ref().is_some_and(|note| note.is_wrong)).unwrap();
    assert_eq!((note(blamed), blamed.depth, blamed.range.start as usize), ("Forbidden", 0, control().len()));
}

#[test]
fn a_unit_of_the_json_dialect_is_a_length_and_json() {
    let json = br#"{"Publish":{"id":1,"topic":"a/b","message":{"header":{"msg_id":7},"body":[1,2]}}}"#;
    let bytes = [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json].concat();
    let (subject, tree) = read(&bytes, Verdict::Published { subscribers: 0, dropped: 0 });
    assert_eq!(find(&subject, &tree, "length").range, 0..4);
    let topic = find(&subject, &tree, "topic");
    assert_eq!(slice(&bytes, &topic.range), br#""topic":"a/b""#);
    assert_eq!((topic.class, find(&subject, &tree, "body").class), (Class::Public, Class::Payload));
}

#[test]
fn what_was_cut_is_no_fault_of_the_peer() {
    let bytes = [control(), golden()].concat();
    for end in control().len() + 68..bytes.len() {
        let subject = subject(&bytes[..end], Verdict::Published { subscribers: 1, dropped: 0 }, bytes.len());
        let tree = decode(&subject, 20_000);
        sound(&subject.bytes, &tree);
        assert!(
            tree.nodes.iter().all(|node| node.note.as_ref().is_none_or(|note| !note.is_wrong)),
            "{end}: {tree:?}"
        );
        assert!(note(&tree.nodes[0]).contains("were not kept"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_bytes_are_the_tree_is_sound(
        mutations in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
        random in prop::collection::vec(any::<u8>(), 0..200),
        is_random in any::<bool>(),
        code in 0..Code::ALL.len(),
    ) {
        let mut bytes = [control(), golden()].concat();
        for (at, byte) in mutations {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(end.index(bytes.len() + 1));
        let bytes = if is_random { random } else { bytes };
        for verdict in [Verdict::Accepted, Verdict::Refused(Refusal::Fault(Code::ALL[code]))] {
            let (subject, _) = read(&bytes, verdict);
            let _ = super::super::verdict(&subject);
        }
    }
}
