//! Messages are written by hand as MsgPack, by the format's own tables.

use rmpv::Value;
use serde_json::json;

use super::*;
use crate::mplp::InputLimits;

const LIMITS: InputLimits = InputLimits { bytes_max: 100_000, depth_max: 16, findings_max: 50 };
const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";

fn packed(value: &serde_json::Value) -> Value {
    rmpv::ext::to_value(value).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, value).unwrap();
    out
}

/// The body of a message with this payload.
fn body(payload: Value) -> Vec<u8> {
    let kind = Value::from("observation.mplp.event.v1");
    bytes(&Value::Map(vec![(Value::from("type"), kind), (Value::from("payload"), payload)]))
}

fn linted(payload: &serde_json::Value) -> Lint {
    lint(&body(packed(payload)), LIMITS)
}

/// Each finding as item, schema, path and rule.
fn told(lint: &Lint) -> Vec<String> {
    let told = |it: &LintFinding| {
        let item = it.item.map_or("-".to_owned(), |item| item.to_string());
        format!("{item} {} {} {}", it.finding.schema, it.finding.path, it.finding.rule)
    };
    lint.findings.iter().map(told).collect()
}

fn base(id: &str) -> serde_json::Value {
    json!({ "trace_id": id, "span_id": ID })
}

#[test]
fn a_message_of_clean_objects_has_no_finding() {
    let item = json!({ "schema": "trace-base", "object": base(ID) });
    let by_path = json!({ "schema": "common/trace-base.schema.json", "object": base(ID), "more": 1 });
    let lint = linted(&json!({ "v": 1, "items": [item, by_path], "more": [] }));
    assert!(lint.is_clean(), "{lint:?}");
    assert_eq!(lint.judged, 2);
    assert!(linted(&json!({ "v": 1, "items": [] })).is_clean());
    assert!(linted(&json!({ "v": 1.0, "items": [] })).is_clean());
}

#[test]
fn each_finding_knows_its_item_and_what_came() {
    let good = json!({ "schema": "trace-base", "object": base(ID) });
    let bad = json!({ "schema": "trace-base", "object": base("5A") });
    let plan = json!({ "schema": "plan", "object": { "steps": [{ "step_id": 7 }] } });
    let lint = linted(&json!({ "v": 1, "items": [good, bad, plan] }));
    let all = told(&lint);
    assert_eq!(all[0], "1 trace-base $.trace_base.trace_id pattern");
    assert_eq!(lint.findings[0].finding.received.as_deref(), Some("\"5A\""));
    for expected in ["2 plan $.plan.plan_id required", "2 plan $.plan.steps[0].step_id type"] {
        assert!(all.iter().any(|it| it == expected), "{all:#?}");
    }
    assert_eq!((lint.judged, lint.not_judged, lint.is_cut), (3, 0, false));
}

#[test]
fn what_is_no_such_payload_is_a_finding_of_the_message() {
    let told = |payload| {
        let lint = linted(&payload);
        assert_eq!((lint.judged, lint.not_judged), (0, 0));
        told(&lint)
    };
    assert_eq!(told(json!(null)), ["- bus message $.payload type"]);
    assert_eq!(
        told(json!({})),
        ["- bus message $.payload.v required", "- bus message $.payload.items required"]
    );
    assert_eq!(told(json!({ "v": 2, "items": [] })), ["- bus message $.payload.v const"]);
    assert_eq!(told(json!({ "v": 1, "items": {} })), ["- bus message $.payload.items type"]);
    assert_eq!(told(json!({ "v": 1, "items": [7] })), ["0 bus message $.payload.items[0] type"]);
    let item = |item| told(json!({ "v": 1, "items": [item] }));
    assert_eq!(
        item(json!({})),
        [
            "0 bus message $.payload.items[0].schema required",
            "0 bus message $.payload.items[0].object required"
        ]
    );
    assert_eq!(
        item(json!({ "schema": "plans", "object": 1 })),
        ["0 bus message $.payload.items[0].schema enum"]
    );
    assert_eq!(item(json!({ "schema": 1, "object": {} })), ["0 bus message $.payload.items[0].schema type"]);
    let no_payload = lint(&bytes(&packed(&json!({ "type": "x" }))), LIMITS);
    assert_eq!(super::tests::told(&no_payload), ["- bus message $.payload required"]);
    for broken in [&[][..], &[0xc1], &[0x81, 0xa7]] {
        assert_eq!(super::tests::told(&lint(broken, LIMITS)), ["- bus message $.payload msgpack"]);
    }
}

#[test]
fn an_object_without_a_known_schema_is_judged_by_what_it_is() {
    let lint = linted(&json!({ "v": 1, "items": [{ "object": base("x") }] }));
    assert_eq!(
        told(&lint),
        ["0 bus message $.payload.items[0].schema required", "0 trace-base $.trace_base.trace_id pattern"]
            .map(str::to_owned)
    );
}

#[test]
fn a_value_that_json_does_not_have_is_found_where_it_is() {
    let object = Value::Map(vec![
        (Value::from("trace_id"), Value::Binary(vec![0x5a; 16])),
        (Value::from("span_id"), Value::from(ID)),
        (Value::from("attributes"), Value::Map(vec![(Value::from(7), Value::F64(f64::NAN))])),
    ]);
    let item =
        Value::Map(vec![(Value::from("schema"), "trace-base".into()), (Value::from("object"), object)]);
    let payload = Value::Map(vec![(Value::from("v"), 1.into()), ("items".into(), Value::Array(vec![item]))]);
    let lint = lint(&body(payload), LIMITS);
    let all = told(&lint);
    assert_eq!(all[0], "0 trace-base $.trace_base.trace_id json");
    assert_eq!(all[1], "0 trace-base $.trace_base.attributes json");
    assert_eq!(all[2], "0 trace-base $.trace_base.attributes[\"7\"] json".replace("[\"7\"]", ".7"));
    let digits = "5a".repeat(16);
    assert_eq!(lint.findings[0].finding.received, Some(format!("{{\"$bin\":\"{digits}\"}}")));
    assert!(all.contains(&"0 trace-base $.trace_base.trace_id type".to_owned()), "{all:?}");
}

#[test]
fn bounds_are_kept_and_told() {
    let bad = json!({ "schema": "trace-base", "object": base("x") });
    let many = json!({ "v": 1, "items": vec![bad.clone(); 9] });
    let few = lint(&body(packed(&many)), InputLimits { findings_max: 4, ..LIMITS });
    assert_eq!((few.findings.len(), few.is_cut, few.not_judged), (4, true, 5));
    let mut deep = json!(1);
    for _ in 0..16 {
        deep = json!([deep]);
    }
    let deep = json!({ "schema": "trace-base", "object": { "attributes": deep } });
    let lint_deep = linted(&json!({ "v": 1, "items": [deep, bad] }));
    assert_eq!((lint_deep.judged, lint_deep.not_judged), (1, 1));
    let long = json!({ "schema": "trace-base", "object": base(&"x".repeat(200)) });
    let payload = body(packed(&json!({ "v": 1, "items": [long] })));
    let short = lint(&payload, InputLimits { bytes_max: 100, ..LIMITS });
    assert_eq!((short.judged, short.not_judged, short.findings.len()), (0, 1, 0));
}

#[test]
fn no_bytes_bring_it_down() {
    let whole =
        body(packed(&json!({ "v": 1, "items": [{ "schema": "plan", "object": { "steps": [{}] } }] })));
    for end in 0..whole.len() {
        let _ = lint(&whole[..end], LIMITS);
        for byte in [0x00, 0x81, 0x92, 0xc1, 0xc4, 0xd9, 0xdd, 0xdf, 0xff] {
            let mut bytes = whole.clone();
            bytes[end] = byte;
            let _ = lint(&bytes, LIMITS);
        }
    }
    for nest in [0x81, 0x91] {
        let _ = lint(&vec![nest; 100_000], LIMITS);
    }
}
