//! Any body: what it says can be read as far as anybody asks, and its id can be answered.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use rl_console::{
    ids::PluginId,
    plugin::{
        Code,
        framing::Framer,
        rpc::{Message, Params, PluginError, Refused, RequestId, error, head, read, result},
    },
};
use serde_json::Value;

fuzz_target!(|body: &[u8]| {
    let body = Bytes::copy_from_slice(body);
    let incoming = read(&body);
    let head = head(PluginId::from("community.example"), &incoming, 128);
    for text in [head.id, head.method].into_iter().flatten() {
        assert!(text.len() <= 128);
    }
    match &incoming.message {
        Ok(Message::Request { id, params, .. }) => {
            assert!(
                params.object::<Value>().is_ok_and(|params| params.is_object()) || params != &Params::Empty
            );
            let frame = result(id, &Value::Null).expect("it is short");
            assert_eq!(answered(&frame), Ok(id.clone()));
            assert_eq!(answered(&error(Some(id), Code::RateLimited, "later", Some(1))), Err(id.clone()));
        }
        Ok(Message::Notification { params, .. }) => drop(params.object::<Value>()),
        Ok(Message::Answer { outcome: Ok(value), .. }) => drop(value.read::<Value>("result")),
        Ok(Message::Answer { outcome: Err(PluginError { data, .. }), .. }) => {
            drop(data.as_ref().map(|data| data.read::<Value>("data")));
        }
        Err(Refused { code, id, what, .. }) => {
            assert!(matches!(code, Code::ParseError | Code::InvalidRequest) && !what.is_empty());
            answered(&error(id.as_ref(), *code, what, None)).expect_err("it is an error");
        }
    }
});

/// The id of an answer of the host's, by whether it is a result.
fn answered(frame: &Bytes) -> Result<RequestId, RequestId> {
    let mut framer = Framer::new();
    framer.push(frame);
    let frame = framer.poll_frame().expect("a frame").expect("a whole one");
    let incoming = read(&frame.body());
    assert_eq!(incoming.lints, []);
    match incoming.message {
        Ok(Message::Answer { id_text: Some(id), outcome, .. }) => outcome.map(|_| id.clone()).map_err(|_| id),
        other => panic!("{other:?} is no answer"),
    }
}
