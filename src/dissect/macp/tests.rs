//! Messages of the coordination runtime in the inspector: bytes as the specification's field numbers make
//! them.

use crate::{
    dissect::{
        decoder::{Subject, decode},
        frame_json::{Format, Setup, codec},
        frame_verdict::frame_verdict,
        tree::{Kind, Tree},
        verdict::verdict,
    },
    field::Class,
    ids::{Peer, Seq},
    macp::{Answered, Code, Fault, Head, Rpc, Status, Verdict},
    tap::entry::{Direction, Entry, Frame, Head as AnyHead, Link, Redaction, Verdict as AnyVerdict, What},
    time::Now,
};

/// A field of length-delimited content (wire type 2).
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(content.len()).unwrap()][..], content].concat()
}

/// An envelope with this type and payload in a request (macp-v1, The Envelope; field numbers 1 to 8).
fn request(kind: &str, payload: &[u8]) -> Vec<u8> {
    let texts = ["1.0", "decision", kind, "m-1", "s-17", "ann"];
    let fields = texts.iter().zip(1..).flat_map(|(text, number)| field(number, text.as_bytes()));
    // 1,790,000,000,000 as a varint.
    let time = [7 << 3, 0x80, 0xd8, 0xc1, 0xa2, 0x8c, 0x34];
    let envelope: Vec<u8> = fields.chain(time).chain(field(8, payload)).collect();
    field(1, &envelope)
}

fn subject(
    rpc: Rpc,
    direction: Direction,
    verdict: AnyVerdict,
    answer: Option<Answered>,
    bytes: &[u8],
) -> Subject {
    let (session, message_type) = (Some("s-17".into()), Some("Vote".into()));
    let head = Head { session, message_type, message_id: Some("m-1".into()), answer, ..Head::new(rpc) };
    let frame = Frame {
        direction,
        peer: Peer::new("127.0.0.1:5"),
        head: AnyHead::Macp(head),
        verdict,
        wire_bytes: u32::try_from(bytes.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    let entry = Entry {
        seq: Seq(1),
        at: Now::at_ms(0),
        link: Link::Macp,
        trace: None,
        cause: None,
        what: What::Frame(frame),
    };
    Subject { entry, bytes: bytes.into() }
}

fn sent(bytes: &[u8]) -> Subject {
    subject(Rpc::Send, Direction::Inbound, AnyVerdict::Macp(Verdict::Accepted), None, bytes)
}

/// Each value with its name, and its note.
fn named_values(tree: &Tree, bytes: &[u8]) -> Vec<(String, String, String)> {
    let note = |node: &crate::dissect::tree::Node| {
        node.note.as_ref().map_or_else(String::new, |note| note.text.to_string())
    };
    let of = |node: &crate::dissect::tree::Node| {
        (node.name.read(bytes, 64).into_owned(), node.value.read(bytes, 64).into_owned(), note(node))
    };
    tree.nodes.iter().map(of).collect()
}

fn find<'a>(told: &'a [(String, String, String)], name: &str) -> &'a (String, String, String) {
    told.iter().find(|(known, ..)| known == name).unwrap_or_else(|| panic!("{name}: {told:?}"))
}

#[test]
fn an_envelope_is_read_field_by_field_with_its_tags_and_its_json_payload() {
    let bytes = request("Vote", br#"{"proposal_id":"p1","vote":"approve"}"#);
    let subject = sent(&bytes);
    let tree = decode(&subject, 1_000);
    let told = named_values(&tree, &bytes);
    assert_eq!(told[0].0, "SendRequest");
    let texts = [
        ("macp_version", "1.0", 1),
        ("mode", "decision", 2),
        ("message_type", "Vote", 3),
        ("session_id", "s-17", 5),
        ("sender", "ann", 6),
    ];
    for (name, value, tag) in texts {
        assert_eq!(find(&told, name), &(name.to_owned(), value.to_owned(), format!("tag {tag}, string")));
    }
    let time = find(&told, "timestamp_unix_ms");
    assert_eq!((time.1.as_str(), time.2.as_str()), ("1790000000000", "tag 7, int64: 2026-09-21T14:13:20Z"));
    assert_eq!(find(&told, "payload").2, "tag 8, bytes");
    assert_eq!(find(&told, "vote").1, "\"approve\"");
    // The value of a field and its bytes find each other.
    let at = bytes.windows(4).position(|it| it == b"s-17").unwrap();
    let node = &tree.nodes[tree.innermost(u32::try_from(at).unwrap()).unwrap()];
    assert_eq!(node.name.read(&bytes, 16), "session_id");
    assert_eq!(node.range.len(), 6, "its key and its length are its own");
    let payload = tree.nodes.iter().position(|node| node.name.read(&bytes, 16) == "payload").unwrap();
    assert!(
        tree.nodes[payload..].iter().all(|node| node.class == Class::Payload),
        "what agents say is masked on air"
    );
}

#[test]
fn a_start_is_a_message_of_its_own() {
    let start = [
        field(1, b"deploy?"),
        field(2, b"ann"),
        field(2, b"bob"),
        vec![6 << 3, 0xe8, 0x07],
        field(7, br#"{"trace_id":"7"}"#),
    ]
    .concat();
    let bytes = request("SessionStart", &start);
    let told = named_values(&decode(&sent(&bytes), 1_000), &bytes);
    assert_eq!(find(&told, "payload").1, "SessionStartPayload");
    assert_eq!((find(&told, "intent").1.as_str(), find(&told, "ttl_ms").1.as_str()), ("deploy?", "1000"));
    let participants: Vec<_> =
        told.iter().filter(|(name, ..)| name == "participants").map(|(_, value, _)| value.as_str()).collect();
    assert_eq!(participants, ["ann", "bob"]);
    assert_eq!(find(&told, "trace_id").1, "\"7\"", "a context that is JSON is read");
}

#[test]
fn other_payloads_are_text_or_hex_and_unknown_fields_are_told() {
    let bytes = request("Message", b"resolve");
    assert_eq!(find(&named_values(&decode(&sent(&bytes), 1_000), &bytes), "payload").1, "resolve");
    let bytes = request("Ping", &[0xff, 0x00]);
    assert_eq!(find(&named_values(&decode(&sent(&bytes), 1_000), &bytes), "payload").1, "ff 00");
    let bytes = field(15, b"x");
    let told = named_values(&decode(&sent(&bytes), 1_000), &bytes);
    assert_eq!(find(&told, "unknown").2, "tag 15: the protocol has no such field");
}

#[test]
fn an_answer_shows_its_ack_its_error_or_its_status() {
    let error = [field(1, b"SESSION_NOT_OPEN"), field(2, b"it has ended")].concat();
    let ack = [field(3, b"m-1"), field(4, b"s-17"), vec![6 << 3, 3], field(7, &error)].concat();
    let bytes = field(1, &ack);
    let answer =
        |answer, bytes: &[u8]| subject(Rpc::Send, Direction::Outbound, AnyVerdict::Sent, Some(answer), bytes);
    let told_of =
        named_values(&decode(&answer(Answered::Refused(Code::SessionNotOpen), &bytes), 1_000), &bytes);
    assert_eq!(told_of[0].0, "SendResponse");
    assert_eq!(find(&told_of, "session_state").1, "3 SESSION_STATE_EXPIRED");
    assert_eq!(find(&told_of, "code").1, "SESSION_NOT_OPEN");
    let told_of = named_values(&decode(&answer(Answered::Status(Status::Unavailable), &[]), 1_000), &[]);
    assert_eq!(told_of[0].1, "UNAVAILABLE");
}

#[test]
fn what_the_kernel_found_wrong_stands_at_its_field() {
    let bytes = request("Vote", b"{");
    for (fault, name) in [
        (Fault::InvalidMacpVersion, "macp_version"),
        (Fault::UnknownSession, "session_id"),
        (Fault::InvalidPayload, "payload"),
        (Fault::InvalidEnvelope, "sender"),
    ] {
        let tree = decode(
            &subject(Rpc::Send, Direction::Inbound, AnyVerdict::Macp(Verdict::Refused(fault)), None, &bytes),
            1_000,
        );
        let wrong = |node: &&crate::dissect::tree::Node| {
            node.note.as_ref().is_some_and(|note| note.text.contains(fault.name()))
        };
        let blamed = tree
            .nodes
            .iter()
            .find(wrong)
            .unwrap_or_else(|| panic!("{fault:?}: {:?}", named_values(&tree, &bytes)));
        assert_eq!(blamed.name.read(&bytes, 32), name, "{fault:?}");
    }
}

#[test]
fn bytes_that_are_no_message_are_told_where_they_break_whatever_they_are() {
    let whole = request("Vote", br#"{"vote":"approve"}"#);
    for end in 0..whole.len() {
        let tree = decode(&sent(&whole[..end]), 1_000);
        assert!(!tree.nodes.is_empty());
        if end > 2 {
            assert!(tree.nodes.iter().any(|node| node.kind == Kind::Broken), "cut at {end}");
        }
    }
    let mut seed = 7_u32;
    for _ in 0..2_000 {
        let mut bytes = whole.clone();
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let at = seed as usize % bytes.len();
        bytes[at] ^= 1 << (seed >> 28 & 7);
        let tree = decode(&sent(&bytes), 200);
        assert!(
            tree.nodes
                .iter()
                .all(|node| node.range.end as usize <= bytes.len() && node.range.start <= node.range.end)
        );
    }
}

#[test]
fn what_is_refused_has_one_clause_as_a_row_in_the_inspector_and_decoded() {
    let refused = Fault::ALL.map(Verdict::Refused).into_iter();
    for of in refused.chain(Status::ALL.map(Verdict::Declined)) {
        let call = subject(Rpc::Send, Direction::Inbound, AnyVerdict::Macp(of), None, b"");
        let clause = frame_verdict(&call.entry).unwrap().clause.unwrap_or_else(|| panic!("{of:?}"));
        let lines = verdict(&call);
        assert!(lines.iter().any(|(_, line)| line.starts_with(clause)), "{of:?}: {lines:?}");
        // The answer that is a status has the clause of its call.
        if let Verdict::Declined(status) = of {
            let answered = Some(Answered::Status(status));
            let answer = subject(Rpc::Send, Direction::Outbound, AnyVerdict::Sent, answered, b"");
            assert_eq!(frame_verdict(&answer.entry).unwrap().clause, Some(clause), "{of:?}");
        }
    }
    let (registry, limits) = (crate::rmp::Registry::default(), crate::limits::Limits::default());
    let setup = Setup { registry: &registry, limits: &limits, now_ms: None };
    let decoded = |rpc: Rpc, bytes: &[u8]| {
        let codec = codec(Format::Macp(rpc), setup);
        let mut decoder = codec.decoder();
        decoder.push(bytes);
        decoder.finish().unwrap().fault.unwrap()
    };
    let row = |rpc, verdict| {
        let subject = subject(rpc, Direction::Inbound, AnyVerdict::Macp(verdict), None, b"");
        frame_verdict(&subject.entry).unwrap().clause.unwrap()
    };
    for (rpc, bytes, verdict) in [
        (Rpc::Send, &b"\x0a\x05\x0a\x039.9"[..], Verdict::Refused(Fault::InvalidMacpVersion)),
        (Rpc::Send, b"\x0a\x05\x0a\x031.0", Verdict::Refused(Fault::InvalidEnvelope)),
        (Rpc::Send, b"", Verdict::Declined(Status::InvalidArgument)),
        (Rpc::Initialize, b"", Verdict::Declined(Status::InvalidArgument)),
        (Rpc::GetSession, b"\x0a\x09", Verdict::Declined(Status::Internal)),
    ] {
        assert_eq!(decoded(rpc, bytes).clause, row(rpc, verdict), "{verdict:?} of {}", rpc.name());
    }
}
