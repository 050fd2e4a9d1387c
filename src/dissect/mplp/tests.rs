//! Messages of MPLP in the tap: which are judged, how findings are grouped, where they are marked.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{entry_fields::EntryFindings, findings::Unjudged, *};
use crate::{
    dissect::decoder::{Subject, decode},
    field::{Class, Fields as _, Record as _, Value, index_of},
    filter::Filter,
    ids::{ConnectionId, Seq},
    limits,
    rmp::{Dialect, FrameKind, Head, RawFrame, RawHeader, Refusal, SchemaId, Verdict, broker::STATION},
    tap::entry::{Direction, Entry, Frame, Head as AnyHead, Link, Redaction, Verdict as AnyVerdict, What},
    time::Now,
};

const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";

fn packed(value: &Json) -> Vec<u8> {
    rmp_serde::to_vec_named(value).unwrap()
}

fn frame_of(schema_id: u16, body: &[u8]) -> Vec<u8> {
    let len = u32::try_from(body.len()).unwrap();
    let header = RawHeader {
        magic: crate::rmp::MAGIC,
        header_version: 0,
        header_len: 64,
        flags: 0,
        schema_id,
        reserved2: 0,
        body_len: len,
        created_at_ms: 1,
        ttl_ms: 60_000,
        trace_id: 7,
        msg_id: 1,
        reserved4: 0,
    };
    RawFrame { frame_len: len + 64, header, body }.encode()
}

fn body(payload: &Json) -> Vec<u8> {
    packed(&json!({ "type": "observation.mplp.event.v1", "payload": payload }))
}

/// A publication in a dialect, as the tap has it.
fn publication(dialect: Dialect, payload: &Json) -> Vec<u8> {
    let body = body(payload);
    match dialect {
        Dialect::Frames => {
            let publish = json!({ "Publish": { "topic": "a/b", "ack": true } });
            let control = packed(&json!({ "type": "intent.control.v1", "payload": publish }));
            [frame_of(9, &control), frame_of(131, &body)].concat()
        }
        Dialect::Json => {
            let message = json!({ "header": { "schema_id": 131 }, "body": body });
            let unit = json!({ "Publish": { "id": 1, "topic": "a/b", "message": message } }).to_string();
            [&u32::try_from(unit.len()).unwrap().to_be_bytes()[..], unit.as_bytes()].concat()
        }
    }
}

fn subject(seq: u64, dialect: Dialect, bytes: &[u8]) -> Subject {
    let head = Head {
        kind: Some(FrameKind::Publish),
        dialect,
        schema_id: Some(SchemaId::MPLP_EVENT.0),
        session: Some(ConnectionId(7)),
        ..Head::default()
    };
    let frame = Frame {
        direction: Direction::Inbound,
        peer: "uid 1000 pid 1".into(),
        head: AnyHead::Rmp(head),
        verdict: AnyVerdict::Rmp(Verdict::Published { subscribers: 0, dropped: 0 }),
        wire_bytes: u32::try_from(bytes.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    let entry = Entry {
        seq: Seq(seq),
        at: Now::at_ms(seq),
        link: Link::Rmp,
        trace: None,
        cause: None,
        what: What::Frame(frame),
    };
    Subject { entry, bytes: Arc::from(bytes) }
}

fn changed(mut subject: Subject, change: impl FnOnce(&mut Frame)) -> Subject {
    if let What::Frame(frame) = &mut subject.entry.what {
        change(frame);
    }
    subject
}

fn findings() -> MplpFindings {
    MplpFindings::new(FindingLimits::new(&limits::Mplp::default()))
}

/// Groups as rule, schema, path and count.
fn grouped(findings: &MplpFindings) -> Vec<String> {
    let told = |it: &FindingGroup| format!("{} {} {} {}", it.key.rule, it.key.schema, it.key.path, it.count);
    findings.groups().map(told).collect()
}

fn items(objects: &[Json]) -> Json {
    let item = |object: &Json| json!({ "schema": "trace-base", "object": object });
    json!({ "v": 1, "items": objects.iter().map(item).collect::<Vec<_>>() })
}

fn broken(id: &str) -> Json {
    items(&[json!({ "trace_id": id, "span_id": ID }), json!({ "span_id": id, "own": 1 })])
}

#[test]
fn findings_of_both_dialects_are_grouped_alike_and_the_last_is_told() {
    let mut found = findings();
    for seq in 1..=6 {
        let dialect = if seq % 2 == 0 { Dialect::Json } else { Dialect::Frames };
        let subject = subject(seq, dialect, &publication(dialect, &broken(&format!("x{seq}"))));
        assert!(found.fold(subject.entry_ref(), None));
    }
    assert_eq!((found.count, found.judged, found.is_pending()), (0, 0, true));
    found.judge_all();
    assert_eq!(
        grouped(&found),
        [
            "additionalProperties trace-base $.trace_base.* 6",
            "pattern trace-base $.trace_base.span_id 6",
            "pattern trace-base $.trace_base.trace_id 6",
            "required trace-base $.trace_base.trace_id 6",
        ]
    );
    let pattern = found.groups().nth(2).unwrap();
    assert_eq!((pattern.seq, pattern.at, pattern.first_at), (Seq(6), Now::at_ms(6), Now::at_ms(1)));
    assert_eq!((pattern.received.as_deref(), pattern.item), (Some("\"x6\""), Some(0)));
    assert_eq!(&*pattern.who, "session 7 (uid 1000 pid 1)");
    assert_eq!((found.count, found.judged, found.is_pending()), (24, 6, false));
}

#[test]
fn only_messages_that_the_broker_took_are_judged_and_the_station_is_named() {
    let bytes = publication(Dialect::Frames, &broken("x"));
    let of = |change: fn(&mut Frame)| {
        let mut found = findings();
        let subject = changed(subject(1, Dialect::Frames, &bytes), change);
        let is_noted = found.fold(subject.entry_ref(), None);
        found.judge_all();
        (is_noted, found)
    };
    assert!(of(|_| {}).0);
    assert!(!of(|frame| frame.direction = Direction::Outbound).0);
    assert!(!of(|frame| frame.verdict = AnyVerdict::Rmp(Verdict::Refused(Refusal::Forbidden))).0);
    assert!(!of(|frame| frame.verdict = AnyVerdict::Rmp(Verdict::TooLate)).0);
    let own = of(|frame| {
        if let AnyHead::Rmp(head) = &mut frame.head {
            head.session = Some(STATION);
        }
    });
    let group = own.1.groups().next().unwrap();
    assert_eq!((&*group.who, group.session), ("station", None));
    let other = of(|frame| {
        if let AnyHead::Rmp(head) = &mut frame.head {
            head.schema_id = Some(130);
        }
    });
    assert!(!other.0);
}

#[test]
fn what_is_not_judged_is_counted_by_why() {
    let bytes = publication(Dialect::Frames, &broken("x"));
    let limits = limits::Mplp { bus_bytes_max: bytes.len() as u64 + 300, ..limits::Mplp::default() };
    let mut found = MplpFindings::new(FindingLimits::new(&limits));
    let whole = subject(1, Dialect::Frames, &bytes);
    let cut = changed(subject(2, Dialect::Frames, &bytes), |frame| frame.wire_bytes += 1);
    let withheld = changed(subject(3, Dialect::Frames, &bytes), |it| it.redaction = Redaction::Withheld);
    for subject in [&whole, &cut, &withheld, &whole, &whole] {
        assert!(found.fold(subject.entry_ref(), None));
    }
    found.judge_all();
    let told = grouped(&found);
    assert!(told.contains(&"not_judged_cut bus message $.payload 2".to_owned()), "{told:?}");
    assert!(told.contains(&"not_judged_overflow bus message $.payload 2".to_owned()), "{told:?}");
    // There is room again.
    found.fold(whole.entry_ref(), None);
    found.judge_all();
    assert_eq!(found.judged, 2);
    let mut deep = json!(1);
    for _ in 0..70 {
        deep = json!([deep]);
    }
    let mut found = findings();
    let deep = publication(Dialect::Frames, &items(&[json!({ "span_id": deep })]));
    found.fold(subject(1, Dialect::Frames, &deep).entry_ref(), None);
    found.judge_all();
    assert_eq!(grouped(&found), ["not_judged_limit bus message $.payload 1"]);
    assert_eq!(found.count, 0);
    assert!(Unjudged::ALL.iter().all(|it| rule_text("bus message", it.rule()).section.is_none()));
}

#[test]
fn no_more_groups_are_made_than_the_limit() {
    let limits = limits::Mplp { bus_findings_max: 16, ..limits::Mplp::default() };
    let mut found = MplpFindings::new(FindingLimits::new(&limits));
    let plan = json!({ "steps": vec![json!({}); 3], "x": 1 });
    let objects: Vec<Json> =
        crate::mplp::SchemaId::ALL.iter().map(|id| json!({ "schema": id.name(), "object": plan })).collect();
    let bytes = publication(Dialect::Frames, &json!({ "v": 1, "items": objects }));
    found.fold(subject(1, Dialect::Frames, &bytes).entry_ref(), None);
    found.judge_all();
    assert_eq!(found.groups().count(), 16);
    assert!(found.evicted > 0, "{}", found.count);
    // The oldest went.
    let late = publication(Dialect::Frames, &json!({ "v": 2, "items": [] }));
    found.fold(subject(2, Dialect::Frames, &late).entry_ref(), None);
    found.judge_all();
    assert_eq!((found.groups().count(), found.groups().filter(|it| it.seq == Seq(2)).count()), (16, 1));
}

#[test]
fn indices_and_superfluous_names_are_alike() {
    let mut found = findings();
    let plan = |name: &str| json!({ "steps": [{ "step_id": 1 }, { "step_id": 2 }], name: 1 });
    let payload = json!({ "v": 1, "items": [{ "schema": "plan", "object": plan("viewer mail") }] });
    let bytes = publication(Dialect::Frames, &payload);
    found.fold(subject(1, Dialect::Frames, &bytes).entry_ref(), None);
    found.judge_all();
    let told = grouped(&found);
    assert!(told.contains(&"type plan $.plan.steps[*].step_id 2".to_owned()), "{told:?}");
    assert!(told.iter().all(|it| !it.contains("viewer")), "{told:?}");
    let binary = rmpv::Value::Map(vec![("viewer mail".into(), rmpv::Value::Binary(vec![1]))]);
    let mut object = rmpv::ext::to_value(json!({ "trace_id": ID, "span_id": ID })).unwrap();
    if let rmpv::Value::Map(members) = &mut object {
        members.push(("attributes".into(), binary));
    }
    let item = rmpv::Value::Map(vec![("schema".into(), "trace-base".into()), ("object".into(), object)]);
    let payload = rmpv::Value::Map(vec![("v".into(), 1.into()), ("items".into(), vec![item].into())]);
    let message = rmpv::Value::Map(vec![("type".into(), "x.y.v1".into()), ("payload".into(), payload)]);
    let mut body = Vec::new();
    rmpv::encode::write_value(&mut body, &message).unwrap();
    found.fold(subject(2, Dialect::Frames, &frame_of(131, &body)).entry_ref(), None);
    found.judge_all();
    let not_json = found.groups().find(|it| it.key.rule == "json").unwrap();
    assert_eq!((&*not_json.key.path, not_json.hides_path()), ("$.trace_base.**", true));
    assert_eq!(&*not_json.last_path, "$.trace_base.attributes[\"viewer mail\"]");
    let superfluous = found.groups().find(|it| it.key.rule == "additionalProperties").unwrap();
    assert!(superfluous.hides_path() && superfluous.last_path.contains("viewer mail"));
}

#[test]
fn frames_are_found_by_schema_rule_and_path_of_what_is_wrong() {
    use crate::dissect::EntryRecord;
    let bad = subject(1, Dialect::Json, &publication(Dialect::Json, &broken("x")));
    let good = items(&[json!({ "trace_id": ID, "span_id": ID })]);
    let good = subject(2, Dialect::Frames, &publication(Dialect::Frames, &good));
    let is_found = |subject: &Subject, filter: &str| {
        let filter = Filter::parse(filter, EntryRecord::SPECS).unwrap();
        filter.admits(&EntryRecord(subject.entry_ref()), Now::at_ms(9))
    };
    for filter in
        ["schema:trace-base rule:required", "path:span_id", "rule:pattern path:trace_id schema:mplp"]
    {
        assert!(is_found(&bad, filter), "{filter}");
        assert!(!is_found(&good, filter), "{filter}");
    }
    assert!(is_found(&good, "schema=CT_MPLP_EVENT"));
    let path = index_of(EntryRecord::SPECS, "path").unwrap();
    let record = EntryRecord(bad.entry_ref());
    let value = record.value(path, Now::at_ms(9));
    // The name of a superfluous member is the peer's own.
    assert_eq!(value, Value::text("$.trace_base.trace_id $.trace_base.* $.trace_base.span_id"));
    let cut = changed(bad, |frame| frame.wire_bytes += 1);
    assert!(EntryFindings::of(cut.entry_ref()).is_none());
}

#[test]
fn the_tree_marks_each_finding_at_its_value_in_both_dialects() {
    for dialect in [Dialect::Frames, Dialect::Json] {
        let subject = subject(1, dialect, &publication(dialect, &broken("x")));
        let tree = decode(&subject, 100_000);
        let marked: Vec<(String, String, Class)> = tree
            .nodes
            .iter()
            .filter(|node| node.note.as_ref().is_some_and(|note| note.is_wrong))
            .map(|node| {
                let name = node.name.read(&subject.bytes, 99).into_owned();
                (name, node.note.as_ref().unwrap().text.to_string(), node.class)
            })
            .collect();
        let names: Vec<&str> = marked.iter().map(|it| &*it.0).collect();
        assert_eq!(names, ["trace_id", "object", "own", "span_id"], "{dialect:?}: {marked:?}");
        assert!(marked[0].1.starts_with("pattern: requires "), "{marked:?}");
        assert!(marked[1].1.starts_with("`trace_id` required: requires "), "{marked:?}");
        assert!(marked.iter().all(|it| it.2 == Class::Payload));
        for node in &tree.nodes {
            let range = usize::try_from(node.range.end).unwrap();
            assert!(range <= subject.bytes.len(), "{node:?}");
        }
    }
}
