//! What the tests read bodies with.

use bytes::Bytes;
use serde::Deserialize;

use super::super::*;
use crate::tap::entry::plugin::{Code, Lint};

pub(super) fn incoming(body: impl AsRef<[u8]>) -> Incoming {
    read(&Bytes::copy_from_slice(body.as_ref()))
}

#[track_caller]
pub(super) fn message(body: impl AsRef<[u8]>) -> Message {
    let incoming = incoming(body);
    assert_eq!(incoming.lints, []);
    incoming.message.unwrap()
}

/// The code, the id and whether it is answered.
#[track_caller]
pub(super) fn refusal(body: impl AsRef<[u8]>) -> (Code, Option<String>, bool) {
    let incoming = incoming(&body);
    assert_eq!(incoming.lints, []);
    let refused = incoming.message.unwrap_err();
    assert!(!refused.what.is_empty());
    (refused.code, refused.id.map(|id| id.to_string()), refused.is_answered)
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "the fields are read for their types")]
pub(super) struct Panel {
    title: String,
    #[serde(default)]
    sections: Vec<Section>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "the fields are read for their types")]
pub(super) struct Section {
    title: String,
    #[serde(default)]
    fields: Vec<String>,
}

/// An answer's number, id and outcome as text, and its lints.
pub(super) type Read = (Option<u64>, Option<String>, Result<String, (i64, String)>, Vec<Lint>);

/// Reads an answer.
#[track_caller]
pub(super) fn answer(body: &str) -> Read {
    let incoming = incoming(body);
    let Message::Answer { id, id_text, outcome } = incoming.message.unwrap() else { panic!("an answer") };
    let outcome = outcome.map(|result| result.text().to_owned());
    let outcome = outcome.map_err(|error| (error.code, error.message));
    (id, id_text.map(|id| id.to_string()), outcome, incoming.lints)
}
