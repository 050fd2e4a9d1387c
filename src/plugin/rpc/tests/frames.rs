//! The frames that the host sends.

use bytes::Bytes;
use serde_json::json;

use super::super::*;
use crate::{limits::PLUGIN_FRAME_BYTES_MAX, tap::entry::plugin::Code};

fn text(frame: &Bytes) -> &str {
    std::str::from_utf8(frame).unwrap()
}

#[test]
fn frames_of_the_host_are_exactly_these_bytes() {
    let frame = request(1, "ping", &json!({})).unwrap();
    assert_eq!(
        text(&frame),
        "Content-Length: 52\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}"
    );
    let frame = notification("exit", &json!({})).unwrap();
    assert_eq!(
        text(&frame),
        "Content-Length: 45\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\",\"params\":{}}"
    );
    let id = RequestId::of_text("\"\\u0041\"");
    let frame = result(&id, &json!({"a": "\u{e9}"})).unwrap();
    assert_eq!(
        text(&frame),
        "Content-Length: 51\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"result\":{\"a\":\"\u{e9}\"}}"
    );
}

#[test]
fn the_six_codes_of_the_host_carry_their_name_and_the_standard_ones_carry_nothing() {
    let id = RequestId::from(7);
    for (code, tail) in [
        (Code::ParseError, r#""code":-32700,"message":"m"}}"#),
        (Code::InvalidRequest, r#""code":-32600,"message":"m"}}"#),
        (Code::MethodNotFound, r#""code":-32601,"message":"m"}}"#),
        (Code::InvalidParams, r#""code":-32602,"message":"m"}}"#),
        (Code::InternalError, r#""code":-32603,"message":"m"}}"#),
        (
            Code::CapabilityDenied,
            r#""code":-32000,"message":"m","data":{"name":"capability_denied","retry_after_ms":null}}}"#,
        ),
        (
            Code::ConsentDenied,
            r#""code":-32001,"message":"m","data":{"name":"consent_denied","retry_after_ms":null}}}"#,
        ),
        (
            Code::UnknownStream,
            r#""code":-32002,"message":"m","data":{"name":"unknown_stream","retry_after_ms":null}}}"#,
        ),
        (
            Code::RateLimited,
            r#""code":-32003,"message":"m","data":{"name":"rate_limited","retry_after_ms":null}}}"#,
        ),
        (
            Code::ShuttingDown,
            r#""code":-32004,"message":"m","data":{"name":"shutting_down","retry_after_ms":null}}}"#,
        ),
        (
            Code::CredentialUnavailable,
            r#""code":-32005,"message":"m","data":{"name":"credential_unavailable","retry_after_ms":null}}}"#,
        ),
    ] {
        let frame = error(Some(&id), code, "m", None);
        let (_, body) = text(&frame).split_once("\r\n\r\n").unwrap();
        assert_eq!(body, format!(r#"{{"jsonrpc":"2.0","id":7,"error":{{{tail}"#));
    }
    let frame = error(None, Code::RateLimited, "m", Some(9_999));
    assert!(text(&frame).contains(r#""id":null"#) && text(&frame).contains(r#""retry_after_ms":9999"#));
}

#[test]
fn a_body_of_4194304_bytes_leaves_and_one_more_does_not() {
    let around = notification("x", "").unwrap().len() - "Content-Length: 44\r\n\r\n".len();
    let fill = "x".repeat(PLUGIN_FRAME_BYTES_MAX - around + 1);
    let frame = notification("x", &fill[1..]).unwrap();
    assert!(frame.starts_with(b"Content-Length: 4194304\r\n\r\n{"));
    let bytes = PLUGIN_FRAME_BYTES_MAX as u64 + 1;
    assert_eq!(notification("x", &fill), Err(TooLong { bytes }));
    let info = allocation_counter::measure(|| {
        let many = vec![&fill; 4];
        assert!(result(&RequestId::from(1), &many).unwrap_err().bytes > 4 * bytes - 1_000);
    });
    assert!(info.bytes_max < 9 << 20, "what is too long is not kept");
}

#[test]
fn what_cannot_be_written_is_no_frame() {
    let odd = std::collections::BTreeMap::from([([1, 2], 3)]);
    assert_eq!(notification("x", &odd), Err(TooLong { bytes: u64::MAX }));
}
