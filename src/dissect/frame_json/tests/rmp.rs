//! Frames of the bus, its session layer and the JSON dialect.

use serde_json::{Value, json};

use super::kit::{comes_back, every_edit_shows, made, not_made, printed, shown, units, units_in};
use crate::{
    dissect::frame_json::{Format, RmpUnits},
    ids::TraceId,
    rmp::{
        control::{self, FromBroker, FromClient, Token},
        dialect, json,
    },
};

const FRAMES: Format = Format::Rmp(RmpUnits::Frames);
const SESSION: Format = Format::Rmp(RmpUnits::Session);
const JSON: Format = Format::Rmp(RmpUnits::Json);

/// The frame of rmp-v0 §8.
fn golden() -> Vec<u8> {
    let hex = "000000a0524d50300000004000000000000a0000000000600000019323645c7b000000000000ea60\
               112233445566778899aabbccddeeff00000000000000002a0000000083a474797065af6572726f722e7265\
               706f72742e7631a77061796c6f616482a4636f6465b0746f6f6c2e756e617661696c61626c65a76d657373\
               616765ae6d61696c6572206f66666c696e65a46d65746181aa6f70656e696e675f6964cd04d2";
    json::unhex(hex).unwrap()
}

fn control(message: &impl control::Message) -> Vec<u8> {
    let mut out = Vec::new();
    control::append(&mut out, &control::header(5, TraceId(uuid::Uuid::from_u128(9)), 3), message);
    out
}

#[test]
fn the_golden_vector_comes_back() {
    let row = &comes_back(FRAMES, &golden())[0];
    assert_eq!((&row["header"]["msg_id"], &row["body"]["meta"]["opening_id"]), (&json!(42), &json!(1234)));
    assert_eq!((row.get("unit"), row.get("body_bytes")), (None, None));
    every_edit_shows(FRAMES, &golden());
}

#[test]
fn every_control_frame_comes_back_by_its_name() {
    let token = Some(Token("secret"));
    let from_client = [
        FromClient::Hello { v: 1, client: "c", kind: "agent", token },
        FromClient::Subscribe { sub: 1, topic: "a/*" },
        FromClient::Unsubscribe { sub: 1 },
        FromClient::Ping {},
    ];
    let from_broker = [
        FromBroker::Welcome { session: 1, kind: "agent", body_bytes_max: 8, server: "s" },
        FromBroker::Ok { re: 1 },
        FromBroker::Error { re: 1, code: "Expired", message: "late" },
        FromBroker::Pong {},
    ];
    let frames = from_client.iter().map(|it| (it.name(), control(it)));
    for (name, wire) in frames.chain(from_broker.iter().map(|it| (it.name(), control(it)))) {
        let row = &comes_back(SESSION, &wire)[0];
        assert_eq!((&row["unit"], &row["valid"]), (&json!(name), &json!(true)));
        assert!(row["body"]["payload"][name].is_object() && row.get("body_bytes").is_none());
        // The message alone makes the same body.
        let json = printed(&units(SESSION, &wire)[0]);
        let (_, payload) = json.split_once(r#""payload":"#).unwrap();
        let message = payload.strip_suffix("}}").unwrap();
        let alone = format!(r#"{{"header":{},"control":{message}}}"#, row["header"]);
        assert_eq!(made(SESSION, &alone), (wire, None));
    }
    let both = r#"{"control":{"Ping":{}},"body":{}}"#;
    assert_eq!(not_made(SESSION, both), "give `control` or a body, not both");
}

#[test]
fn a_message_follows_what_announces_it() {
    let publish = control(&FromClient::Publish { topic: "a", ack: true });
    let deliver = control(&FromBroker::Deliver { sub: 1, topic: "a" });
    let ping = control(&FromClient::Ping {});
    let stream = [&publish[..], &golden(), &ping, &deliver, &golden(), &ping].concat();
    let rows = comes_back(SESSION, &stream);
    let found: Vec<_> =
        rows.iter().map(|row| (row["unit"].as_str().unwrap(), row["valid"] == true)).collect();
    let expected = ["Publish", "message", "Ping", "Deliver", "message", "Ping"];
    assert_eq!(found, expected.map(|unit| (unit, true)));
    // A control frame may be a message, a message no control frame.
    assert_eq!(comes_back(SESSION, &[publish, ping].concat())[1]["unit"], "message");
    let stray = &comes_back(SESSION, &golden())[0];
    assert_eq!((&stray["error"]["name"], stray.get("unit")), (&json!("BodyTypeMismatch"), None));
}

#[test]
fn a_control_frame_is_judged_by_the_session_layer() {
    for (message, what) in [
        (r#"{"Bang":{}}"#, "no control message of this direction has this name"),
        (r#"{"Ping":1}"#, "`Ping` is not a map of its fields"),
        (r#"{"Subscribe":{"sub":1}}"#, "`topic` is missing"),
        (r#"{"Welcome":{"session":1}}"#, "`kind` is missing"),
        ("4", "the payload is not a map of one control message"),
    ] {
        let json = format!(r#"{{"control":{message}}}"#);
        let (wire, fault) = made(SESSION, &json);
        let fault = fault.unwrap();
        assert_eq!(fault.name, "BodyDecodeError", "{json}");
        assert!(fault.message.starts_with(what), "{}", fault.message);
        assert_eq!(made(FRAMES, &json).1, None, "as a frame it is valid");
        assert_eq!(units(SESSION, &wire)[0].fault, Some(fault));
    }
}

fn unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

/// The golden vector as a message of the dialect.
fn message() -> String {
    let mut out = Vec::new();
    let golden = golden();
    let raw = crate::rmp::RawFrame::split(&golden).unwrap();
    let tail = dialect::message_tail(&raw, 8_388_608).unwrap();
    dialect::append_message_head(&mut out, 4, tail.len());
    let text = String::from_utf8([&out[4..], &tail].concat()).unwrap();
    text.strip_prefix(r#"{"Message":{"sub_id":4,"message":"#).unwrap().strip_suffix("}}").unwrap().to_owned()
}

#[test]
fn the_units_of_the_dialect_come_back() {
    let message = message();
    for (json, name) in [
        (r#"{"Hello":{"kind":"Agent"}}"#.to_owned(), "Hello"),
        (format!(r#"{{"Publish":{{"id":1,"topic":"a","message":{message}}}}}"#), "Publish"),
        (r#"{"Subscribe":{"id":2,"topic":"a/é","sub_id":1}}"#.to_owned(), "Subscribe"),
        (r#"{"Unsubscribe":{"sub_id":1}}"#.to_owned(), "Unsubscribe"),
        (r#""HelloAck""#.to_owned(), "HelloAck"),
        (r#"{"PublishAck":{"id":1,"result":{"Ok":null}}}"#.to_owned(), "PublishAck"),
        (r#"{"SubscribeAck":{"id":1,"result":{"Err":"Closed"}}}"#.to_owned(), "SubscribeAck"),
        (format!(r#"{{"Message":{{"sub_id":4,"message":{message}}}}}"#), "Message"),
    ] {
        let wire = unit(&json);
        let row = &comes_back(JSON, &wire)[0];
        assert_eq!((&row["unit"], &row["error"]), (&json!(name), &Value::Null), "{json}");
        assert_eq!((row.get("body_bytes"), &row["length"]), (None, &json!(json.len())), "{json}");
        if json.contains("body") {
            let shown = &row["body"][name]["message"];
            assert_eq!(shown["body"]["payload"]["code"], "tool.unavailable");
            assert!(
                printed(&units(JSON, &wire)[0]).contains("22774453838368691933757882222884355840"),
                "all 128 bits"
            );
        }
        every_edit_shows(JSON, &wire);
        assert_eq!(
            comes_back(JSON, &unit(&json.replacen(':', ": ", 1)))[0].get("body_bytes").is_some(),
            json.contains(':')
        );
    }
}

#[test]
fn faults_of_the_dialect_have_their_names() {
    let expired = format!(r#"{{"Publish":{{"id":1,"topic":"a","message":{}}}}}"#, message())
        .replace("\"ttl_ms\":60000", "\"ttl_ms\":0");
    for (wire, name, ends) in [
        (unit(r#"{"Hello":{}}"#), "BodyDecodeError", false),
        (unit("{"), "BodyDecodeError", false),
        (unit(""), "BodyDecodeError", false),
        (unit(&expired), "InvalidTtl", false),
        (b"\0\0\0\x09{}".to_vec(), "LengthMismatch", true),
        (b"\0\0".to_vec(), "LengthMismatch", true),
        (b"\x0f\0\0\0".to_vec(), "BodyTooLarge", true),
    ] {
        let rows = comes_back(JSON, &wire);
        assert_eq!(
            (&rows[0]["error"]["name"], &rows[0]["error"]["ends_stream"]),
            (&json!(name), &json!(ends))
        );
    }
    let stream = [unit("[]"), unit(r#""HelloAck""#)].concat();
    for piece in [1, 5, 100] {
        let units = units_in(JSON, &stream, piece);
        assert_eq!((units.len(), units[1].offset, units[1].fault.is_none()), (2, 6, true));
    }
}

#[test]
fn what_a_message_of_the_dialect_lacks_is_filled_in() {
    let json = r#"{"body":{"Publish":{"id":1,"topic":"a","message":{"body":{"type":"error.report.v1","payload":{}}}}}}"#;
    let (wire, fault) = made(JSON, json);
    assert_eq!(fault, None);
    let header = &shown(JSON, &wire)["body"]["Publish"]["message"]["header"];
    assert_eq!(
        (&header["schema_id"], &header["ttl_ms"], &header["trace_id"]),
        (&json!(10), &json!(30_000), &json!(9))
    );
    let untyped = json.replace("error.report.v1", "x");
    assert!(not_made(JSON, &untyped).contains("no schema has the type"));
}

#[test]
fn a_unit_of_more_values_than_are_shown_is_given_as_bytes() {
    let list = format!("[0{}]", ",0".repeat(1_000_001));
    let row = &comes_back(JSON, &unit(&list))[0];
    assert_eq!((row.get("body"), row["body_bytes"].is_string()), (None, true));
}
