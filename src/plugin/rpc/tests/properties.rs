//! Bodies of any JSON, written and read again, and mutated.

use bytes::Bytes;
use proptest::prelude::*;

use super::{super::*, kit::*};
use crate::{plugin::framing::Framer, tap::entry::plugin::Code};

/// JSON values with few leaves.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        ".{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let object = prop::collection::btree_map("[a-z\"\\\\.]{0,4}", inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Into::into),
            object.prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The body of a frame that was made here.
fn body(frame: &Bytes) -> Bytes {
    let mut framer = Framer::new();
    framer.push(frame);
    let found = framer.poll_frame().unwrap().unwrap();
    assert_eq!(framer.end(), Ok(()));
    found.body()
}

proptest! {
    #[test]
    fn what_was_written_is_read_again(id: u64, method in ".{0,12}", params in value()) {
        let Message::Request { id: read_id, method: read_method, params: read_params } =
            message(body(&request(id, &method, &params).unwrap())) else { panic!("a request") };
        prop_assert_eq!((&**read_id.text(), &*read_method), (&*id.to_string(), &*method));
        match (params.is_object(), params.is_null()) {
            (true, _) => prop_assert_eq!(read_params.object::<serde_json::Value>(), Ok(params.clone())),
            (_, true) => prop_assert_eq!(read_params, Params::Empty),
            _ => prop_assert!(read_params.object::<serde_json::Value>().is_err()),
        }
        let Message::Answer { id: number, outcome, .. } =
            message(body(&result(&read_id, &params).unwrap())) else { panic!("an answer") };
        prop_assert_eq!(number, Some(id));
        prop_assert_eq!(outcome.unwrap().read::<serde_json::Value>("result"), Ok(params));
    }

    #[test]
    fn a_mutated_body_is_read_or_refused_and_never_more(
        members in prop::collection::vec((0_usize..7, value()), 0..6),
        change in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let names = ["jsonrpc", "id", "method", "params", "result", "error", "other"];
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{}\":{value}", names[*name])).collect();
        let mut bytes = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"log\",{}}}", members.join(",")).into_bytes();
        if let Some((at, byte)) = change {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let incoming = incoming(&bytes);
        let call = incoming.message.as_ref().ok();
        let params = call.and_then(|call| match call {
            Message::Request { params, .. } | Message::Notification { params, .. } => Some(params),
            Message::Answer { .. } => None,
        });
        if let Some(fault) = params.and_then(|params| params.object::<Panel>().err()) {
            prop_assert!(fault.path.starts_with("params"));
        }
        if std::str::from_utf8(&bytes).is_err() {
            prop_assert_eq!(incoming.message.unwrap_err().code, Code::ParseError);
        }
    }

    #[test]
    fn a_path_leads_to_the_value_whose_end_is_named(value in value(), at: prop::sample::Index) {
        let text = value.to_string();
        let path = path::path_of("$", &text, at.index(text.len() + 1));
        prop_assert!(path.starts_with('$'));
    }
}
