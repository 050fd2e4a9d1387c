//! Requests, notifications and what is refused, by bodies written from the specification.

use bytes::Bytes;
use serde_json::json;

use super::{super::*, kit::*};
use crate::{ids::PluginId, tap::entry::plugin::Code};

#[test]
fn requests_are_read_with_their_ids_as_they_came() {
    for id in [
        "1",
        "0",
        "-7",
        "1.50",
        "1e3",
        "123456789012345678901234567890",
        "\"a\"",
        "\"\\u0041\\n\"",
        "\"\"",
        "null",
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"notify","params":{{"level":"info"}},"extra":[1]}}"#
        );
        let Message::Request { id: read_id, method, params } = message(&body) else { panic!("a request") };
        assert_eq!((&**read_id.text(), &*method, params.text()), (id, "notify", r#"{"level":"info"}"#));
    }
}

#[test]
fn notifications_have_no_id() {
    let body = r#" { "jsonrpc" : "2.0" , "method" : "l\u006fg" , "params" : { "level" : "info" } } "#;
    let Message::Notification { method, params } = message(body) else { panic!("a notification") };
    assert_eq!((&*method, params.text()), ("log", r#"{ "level" : "info" }"#));
}

#[test]
fn absent_and_null_params_are_an_empty_object() {
    for params in ["", r#","params":null"#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"get_followed_live"{params}}}"#);
        let Message::Request { params, .. } = message(body) else { panic!("a request") };
        assert_eq!((&params, params.text()), (&Params::Empty, "{}"));
        assert_eq!(params.object(), Ok(json!({})));
    }
}

#[test]
fn params_that_are_no_object_are_a_fault_of_theirs() {
    for value in ["[1]", "\"x\"", "7", "true"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"notify","params":{value}}}"#);
        let Message::Request { params, .. } = message(body) else { panic!("a request") };
        let fault = params.object::<serde_json::Value>().unwrap_err();
        assert_eq!((fault.path.as_str(), params.text()), ("params", value));
    }
}

#[test]
fn a_fault_of_params_names_its_path() {
    let faults = [
        (r#"{"title":5}"#, "params.title", "invalid type: integer `5`, expected a string"),
        (r#"{ "title" : [1, {"a":2}] }"#, "params.title", "invalid type: sequence, expected a string"),
        (r#"{"sections":[]}"#, "params", "missing field `title`"),
        (r#"{"title":"a","title":"b"}"#, "params.title", "duplicate field `title`"),
        (
            r#"{"x":{"y":[1,"]}\""]},"sections":[{"title":"a"},{}]}"#,
            "params.sections[1]",
            "missing field `title`",
        ),
        (
            "{\n \"sections\": [\n{\"title\":\"a\",\n\"fields\":[\"a\", \"b\",\n true]}]}",
            "params.sections[0].fields[2]",
            "invalid type: boolean `true`, expected a string",
        ),
        (r#"{"a-b \"c":1,"title":null}"#, "params.title", "invalid type: null, expected a string"),
        (r#"{"title":"\ud800"}"#, "params.title", "unexpected end of hex escape"),
    ];
    for (params, path, what) in faults {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"register_panel","params":{params}}}"#);
        let Message::Request { params, .. } = message(&body) else { panic!("a request") };
        let fault = params.object::<Panel>().unwrap_err();
        assert_eq!((fault.path.as_str(), fault.what.as_str()), (path, what), "{body}");
        assert_eq!(fault.to_string(), format!("{path}: {what}"));
    }
}

#[test]
fn what_is_nested_deeper_than_128_is_a_fault_and_no_crash() {
    for depth in [127, 128, 1_000_000] {
        let value = [&"[".repeat(depth)[..], &"]".repeat(depth)].concat();
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"notify","params":{{"a":{value}}}}}"#);
        let Message::Request { params, .. } = message(body) else { panic!("a request") };
        let read = params.object::<serde_json::Value>();
        assert_eq!(read.is_ok(), depth < 127, "{depth}");
        assert!(read.unwrap_err().path.starts_with("params.a[0][0]"));
    }
}

#[test]
fn a_body_that_is_no_json_is_a_parse_error_with_id_null() {
    let bodies: [&[u8]; 10] = [
        b"",
        b" ",
        b"{",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"log\"",
        b"{\"id\":1}x",
        b"{\"id\":01}",
        b"{\"id\":1,}",
        b"\xef\xbb\xbf{\"id\":1}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
        b"{\"\\ud800\":1}",
    ];
    for body in bodies {
        assert_eq!(refusal(body), (Code::ParseError, None, true), "{}", body.escape_ascii());
    }
}

#[test]
fn a_json_that_is_no_envelope_is_an_invalid_request_with_its_id() {
    let invalid = |id: Option<&str>| (Code::InvalidRequest, id.map(str::to_owned), true);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"log"}"#;
    for body in [&format!("[{call}]"), "[]", "7", "\"log\"", "null", "true", "{}", r#"{"jsonrpc":"2.0"}"#] {
        assert_eq!(refusal(body), invalid(None), "{body}");
    }
    for (body, id) in [
        (r#"{"id":1,"method":"log"}"#, Some("1")),
        (r#"{"jsonrpc":"1.0","id":"a","method":"log"}"#, Some("\"a\"")),
        (r#"{"jsonrpc":2.0,"id":null,"method":"log"}"#, Some("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","method":[]}"#, None),
        (r#"{"jsonrpc":"2.0","id":true,"method":"log"}"#, None),
        (r#"{"jsonrpc":"2.0","id":{},"method":"log"}"#, None),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"log"}"#, None),
        (r#"{"jsonrpc":"2.0","id":"q1","metod":"log"}"#, Some("\"q1\"")),
        (r#"{"jsonrpc":"2.0","id":true}"#, None),
    ] {
        assert_eq!(refusal(body), invalid(id), "{body}");
    }
}

#[test]
fn an_invalid_notification_is_not_answered() {
    assert_eq!(refusal(r#"{"jsonrpc":"1.0","method":"log"}"#), (Code::InvalidRequest, None, false));
    assert_eq!(refusal(r#"{"method":"log"}"#), (Code::InvalidRequest, None, false));
}

#[test]
fn an_id_is_echoed_up_to_its_cap() {
    let call = |bytes: usize| {
        let id = format!("\"{}\"", "x".repeat(bytes - 2));
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"log"}}"#)
    };
    let Message::Request { id, .. } = message(call(ID_BYTES_MAX)) else { panic!("a request") };
    assert_eq!(id.text().len(), ID_BYTES_MAX);
    assert!(!error(Some(&id), Code::InternalError, &"\0".repeat(9_999), None).is_empty());
    assert_eq!(refusal(call(ID_BYTES_MAX + 1)), (Code::InvalidRequest, None, true));
}

#[test]
fn of_members_that_come_twice_the_last_one_counts() {
    let body = r#"{"jsonrpc":"1.0","jsonrpc":"2.0","id":true,"id":2,"method":7,"method":"log","params":[],"params":{}}"#;
    let Message::Request { id, method, params } = message(body) else { panic!("a request") };
    assert_eq!((&**id.text(), &*method, params.text()), ("2", "log", "{}"));
}

#[test]
fn a_method_makes_a_call_of_what_also_looks_like_an_answer() {
    let body = r#"{"jsonrpc":"2.0","id":2,"method":"log","result":1,"error":{}}"#;
    assert!(matches!(message(body), Message::Request { .. }));
}

#[test]
fn what_is_read_shares_the_bodys_buffer() {
    let body = Bytes::from(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"notify","params":{{"message":"{}"}}}}"#,
        "x".repeat(100_000)
    ));
    let info = allocation_counter::measure(|| std::mem::forget(read(&body)));
    assert!(info.bytes_total < 256, "{info:?}");
}

#[test]
fn a_head_names_what_a_frame_is_about_and_is_cut() {
    let plugin = PluginId::from("community.example");
    let about = |body: &str| head(plugin.clone(), &incoming(body), 32);
    let long = "x".repeat(100);
    let call = about(&format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"{long}"}}"#));
    assert!(call.id.unwrap().len() <= 32 && call.method.unwrap().len() <= 32 && !call.is_answer);
    let answer = about(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-5,"message":""}}"#);
    assert_eq!(
        (answer.id.as_deref(), answer.method, answer.code, answer.is_answer),
        (Some("7"), None, Some(-5), true)
    );
    let notification = about(r#"{"jsonrpc":"2.0","method":"log"}"#);
    assert_eq!((notification.id, notification.method.as_deref()), (None, Some("log")));
    let refused = about(r#"{"jsonrpc":"1.0","id":7,"method":"log"}"#);
    assert_eq!((refused.id.as_deref(), refused.method.as_deref()), (Some("7"), Some("log")));
    assert_eq!(about("{").id, None);
}
