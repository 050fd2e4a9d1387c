//! Entries as records: what is said of them, and by whom it may be seen.

use super::{EntryOutcome, EntryRecord};
use crate::{
    dissect::body_preview,
    field::{Class, Fields as _, Record as _, Value, index_of},
    ids::{InvocationId, Seq},
    limits::Limits,
    mpp::frame::encode,
    tap::{
        Draft, Reader, Tap,
        entry::{
            Direction, Frame, Head, Link, Redaction, Transition, Verdict, What, macp, mpp,
            mpp::{CloseCause, ErrorCode, FailedBy, Fault, FrameType, RowState, Violation},
            station,
            station::Level,
        },
    },
    time::Now,
};

/// Looks at one entry.
fn look<T>(link: Link, what: What, bytes: &[u8], look: impl FnOnce(EntryRecord<'_>) -> T) -> T {
    let tap = Tap::new(Limits::default().tap);
    let mut reader: Reader = tap.reader().unwrap();
    tap.emit(Draft { at: Now::at_ms(1_000), link, trace: None, cause: Some(Seq(7)), what, bytes });
    let batch = reader.read().unwrap();
    let found = batch.iter().next().map(|entry| look(EntryRecord(entry)));
    found.unwrap()
}

fn frame_of(direction: Direction, kind: Option<FrameType>, verdict: Verdict, bytes: &[u8]) -> What {
    let id = (kind != Some(FrameType::Log)).then_some(InvocationId(41));
    let head = mpp::Head { kind, id, queue: id.map(|_| "default".into()), event: None };
    let wire_bytes = u32::try_from(bytes.len()).unwrap();
    What::Frame(Frame {
        direction,
        peer: "127.0.0.1:1".into(),
        head: Head::Mpp(head),
        verdict,
        wire_bytes,
        redaction: Redaction::None,
        origin: None,
    })
}

fn field_text(record: &EntryRecord<'_>, field: &str) -> String {
    match record.value(index_of(EntryRecord::SPECS, field).unwrap(), Now::at_ms(3_500)) {
        Value::None => "-".to_owned(),
        Value::Text(text) => text.into_owned(),
        Value::Serial(number) | Value::Bytes(number) | Value::Duration(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn fields(record: &EntryRecord<'_>, names: &[&str]) -> String {
    names.iter().map(|name| field_text(record, name)).collect::<Vec<_>>().join(" | ")
}

#[test]
fn a_frame_says_which_way_it_went_what_it_is_and_what_was_made_of_it() {
    let bytes = b"{\"mpp\":2,\"type\":\"failed\",\"id\":41,\"reason\":\"no room\",\"refund\":true}\n";
    let what =
        frame_of(Direction::Inbound, Some(FrameType::Failed), Verdict::Mpp(mpp::Verdict::Accepted), bytes);
    look(Link::Mpp, what, bytes, |record| {
        let names = [
            "seq", "dir", "link", "kind", "verdict", "what", "id", "queue", "event", "peer", "clause",
            "bytes", "cause", "age",
        ];
        let text =
            "0 | in | mpp | failed | ok | 41 on default | 41 | default | - | 127.0.0.1:1 | - | 67 | 7 | 2500";
        assert_eq!(fields(&record, &names).split_once(" | ").unwrap().1, text.split_once(" | ").unwrap().1);
        // The whole line is found by its words; what a viewer or adapter wrote is worth the line's room.
        assert!(field_text(&record, "text").ends_with("\"refund\":true}"));
        assert_eq!(body_preview(record.0), ("refund: no room".into(), Class::Payload));
    });
}

#[test]
fn a_fault_names_the_breach_and_its_clause() {
    let fault = Fault::Protocol { code: ErrorCode::InvalidFrame, violation: Violation::NotJson };
    let what = frame_of(Direction::Inbound, None, Verdict::Mpp(mpp::Verdict::Refused(fault)), b"oops");
    look(Link::Mpp, what, b"oops", |record| {
        let names = ["kind", "verdict", "what", "clause", "text"];
        let text = "? | fault | INVALID_FRAME: the line is not JSON | mpp-v2, protocol_error codes | oops";
        assert_eq!(fields(&record, &names), text);
        assert_eq!(record.outcome(), EntryOutcome::Fault);
    });
    let cause = CloseCause::Fault(fault);
    let closed = mpp::Transition::Disconnected { peer: "127.0.0.1:1".into(), active: true, cause };
    look(Link::Mpp, What::Transition(Transition::Mpp(closed)), b"", |record| {
        let names = ["dir", "kind", "verdict", "what", "clause"];
        let text =
            "- | disconnected | bad | INVALID_FRAME: closed by the bridge | mpp-v2, protocol_error codes";
        assert_eq!(fields(&record, &names), text);
    });
}

#[test]
fn what_peers_wrote_is_not_in_the_line_and_is_masked_where_it_stands() {
    let failed = mpp::Transition::Failed {
        id: InvocationId(41),
        queue: "default".into(),
        event: "give_item".into(),
        from: RowState::Dispatched,
        cleared: true,
        by: FailedBy::Adapter,
    };
    look(Link::Mpp, What::Transition(Transition::Mpp(failed)), b"viewer_1 has no room", |record| {
        assert_eq!(record.line(), "41 give_item on default, from dispatched");
        assert_eq!(body_preview(record.0), ("viewer_1 has no room".into(), Class::Payload));
        assert_eq!(field_text(&record, "verdict"), "bad");
    });
    let notice = station::Transition::Notice { level: Level::Warn };
    look(Link::Station, What::Transition(Transition::Station(notice)), b"the clock jumped", |record| {
        assert_eq!(
            (record.line().as_ref(), body_preview(record.0)),
            ("warn", ("the clock jumped".into(), Class::Public))
        );
    });
}

#[test]
fn a_line_of_the_log_is_told_whole_and_a_long_frame_by_its_beginning() {
    let bytes = encode::log(mpp::Level::Info, "the boss \"Morpha\" is down");
    let what =
        frame_of(Direction::Inbound, Some(FrameType::Log), Verdict::Mpp(mpp::Verdict::Accepted), &bytes);
    look(Link::Mpp, what, &bytes, |record| {
        assert_eq!(body_preview(record.0).0, "the boss \"Morpha\" is down");
        assert_eq!(record.line(), "");
    });
    let bytes = encode::log(mpp::Level::Info, &"long ".repeat(4_000));
    let what =
        frame_of(Direction::Inbound, Some(FrameType::Log), Verdict::Mpp(mpp::Verdict::Accepted), &bytes);
    look(Link::Mpp, what, &bytes, |record| {
        let (words, _) = body_preview(record.0);
        assert!(words.starts_with('{') && words.len() == 4_096);
    });
}

#[test]
fn bytes_that_are_no_text_are_looked_at_all_the_same() {
    let bytes = [0xff, b'{', 0xf0, 0x9f];
    let what = frame_of(Direction::Inbound, None, Verdict::Mpp(mpp::Verdict::TooLate), &bytes);
    look(Link::Mpp, what, &bytes, |record| {
        assert_eq!(fields(&record, &["verdict", "what"]), "late | arrived after the close, ignored");
        assert_eq!(body_preview(record.0).0, "\u{fffd}{\u{fffd}");
    });
}

fn of_session(direction: Direction, verdict: Verdict, answer: Option<macp::Answered>, bytes: &[u8]) -> What {
    let head = macp::Head {
        session: Some("s-17".into()),
        message_type: Some("Vote".into()),
        message_id: Some("m-4".into()),
        sender: Some("ann".into()),
        answer,
        ..macp::Head::new(macp::Rpc::Send)
    };
    let wire_bytes = u32::try_from(bytes.len()).unwrap();
    What::Frame(Frame {
        direction,
        peer: "127.0.0.1:1".into(),
        head: Head::Macp(head),
        verdict,
        wire_bytes,
        redaction: Redaction::None,
        origin: None,
    })
}

#[test]
fn a_message_to_a_session_says_its_type_its_sender_its_session_and_why_it_was_rejected() {
    let names = ["dir", "kind", "verdict", "what", "session", "sender", "type", "message", "code"];
    let rest = "s-17 | ann | Vote | m-4";
    let refused = Verdict::Macp(macp::Verdict::Refused(macp::Fault::SessionNotOpen));
    for (direction, verdict, answer, wanted) in [
        (
            Direction::Inbound,
            Verdict::Macp(macp::Verdict::Accepted),
            None,
            format!("in | Send | ok | Vote by ann in s-17 | {rest} | -"),
        ),
        (
            Direction::Inbound,
            refused,
            None,
            format!(
                "in | Send | fault | SESSION_NOT_OPEN (SessionNotOpen): Vote by ann in s-17 | {rest} | SESSION_NOT_OPEN"
            ),
        ),
        (
            Direction::Outbound,
            Verdict::Sent,
            Some(macp::Answered::Refused(macp::Code::SessionNotOpen)),
            format!("out | Send | warn | SESSION_NOT_OPEN: Vote by ann in s-17 | {rest} | SESSION_NOT_OPEN"),
        ),
        (
            Direction::Outbound,
            Verdict::Sent,
            Some(macp::Answered::Ok),
            format!("out | Send | sent | ok: Vote by ann in s-17 | {rest} | -"),
        ),
    ] {
        look(Link::Macp, of_session(direction, verdict, answer, b""), b"", |record| {
            assert_eq!(fields(&record, &names), wanted);
        });
    }
    let transition = macp::Transition::Opened {
        session: macp::SessionRef { number: 1, id: "s-17".into() },
        mode: macp::Mode::Decision,
        by: "ann".into(),
        participants: 0,
        expires_at: Now::at_ms(0).wall,
        intent: "".into(),
        listed: [].into(),
    };
    look(Link::Macp, What::Transition(Transition::Macp(transition)), b"{}", |record| {
        assert_eq!(
            fields(&record, &["link", "kind", "session", "mode", "sender"]),
            "macp | opened | s-17 | decision | ann"
        );
    });
}

#[test]
fn what_a_message_to_a_session_carries_is_worth_its_line_and_masked() {
    let payload = br#"{"proposal_id":"p1"}"#;
    let envelope = [&[8 << 3 | 2, 20][..], payload].concat();
    let bytes = [&[1 << 3 | 2, 22][..], &envelope].concat();
    let what = of_session(Direction::Inbound, Verdict::Macp(macp::Verdict::Accepted), None, &bytes);
    look(Link::Macp, what, &bytes, |record| {
        assert_eq!(body_preview(record.0), (r#"{"proposal_id":"p1"}"#.into(), Class::Payload));
    });
    for bytes in [&b"\xff\xff"[..], b"", &[10, 3, 66, 1, 0]] {
        let what = of_session(Direction::Inbound, Verdict::Macp(macp::Verdict::Accepted), None, bytes);
        look(Link::Macp, what, bytes, |record| assert_eq!(body_preview(record.0).0, ""));
    }
}

#[test]
fn what_went_wrong_what_an_operator_did_and_a_mark_are_of_note() {
    let is_of_note = |transition| {
        let what = What::Transition(Transition::Station(transition));
        look(Link::Station, what, b"text", |record| record.is_of_note())
    };
    assert!(is_of_note(station::Transition::Operated { by: None, command: None }));
    assert!(is_of_note(station::Transition::Marked { by: None, entry: None }));
    assert!(is_of_note(station::Transition::Notice { level: Level::Error }));
    assert!(!is_of_note(station::Transition::Notice { level: Level::Info }));
    assert!(!is_of_note(station::Transition::Started));
}
