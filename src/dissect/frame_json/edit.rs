//! Frames as they are edited: JSON over several lines, without what is filled in when a frame is made of it.

use super::{
    codec::{Unit, UnitJson, indented},
    json::Json,
    json_dialect::message_bytes,
};
use crate::{
    dissect::rmp::frame_json::Fill,
    ids::TraceId,
    rmp::{
        HEADER_BYTES,
        control::{self, FromClient},
    },
    time::Wall,
};

/// Milliseconds that a message is worth delivering when nothing is said.
const TTL_MS: u64 = 30_000;
/// What `decode` says of a frame that `encode` does not take, or counts by itself.
pub(super) const OF_DECODE: [&str; 12] = [
    "frame",
    "offset",
    "bytes",
    "valid",
    "error",
    "type",
    "from",
    "schema",
    "expires_at_ms",
    "kind",
    "lints",
    "frame_len",
];
/// What is filled in of the header of a message.
const OF_HEADER: [&str; 5] = ["created_at_ms", "ttl_ms", "trace_id", "msg_id", "body_len"];

impl Fill {
    /// What a frame that is made at this moment lacks; `made` counts those of one maker.
    pub(crate) fn at(now: Wall, made: u64) -> Self {
        Self {
            created_at_ms: now.0,
            ttl_ms: TTL_MS,
            msg_id: now.0.saturating_mul(1_000).saturating_add(made),
            trace_id: TraceId(uuid::Uuid::now_v7()),
        }
    }

    /// What says on which topic a message behind it is, and asks for an answer.
    pub(crate) fn publish(&self, topic: &str) -> Vec<u8> {
        let header = control::header(self.created_at_ms, self.trace_id, self.msg_id.wrapping_add(1 << 40));
        let mut unit = Vec::new();
        control::append(&mut unit, &header, &FromClient::Publish { topic, ack: true });
        unit
    }
}

impl Unit {
    /// It as JSON that is edited: what is left out is filled in when a frame is made of it, so that ids,
    /// times and TTLs are those of that moment.
    pub(crate) fn to_edit(&self, now: Wall) -> String {
        let text = serde_json::to_string(&UnitJson(1, self)).unwrap_or_default();
        refreshed(&text, now).unwrap_or(text)
    }
}

/// The JSON of a frame without its ids, times and TTLs, over several lines.
///
/// # Errors
/// Why it is none.
pub(crate) fn refreshed(text: &str, now: Wall) -> Result<String, String> {
    let mut frame = Json::read(text)?;
    let broken = broken_lengths(&frame);
    for name in OF_DECODE {
        frame.remove(name);
    }
    leave_out(&mut frame, &OF_HEADER);
    for (path, length) in broken.into_iter().flatten() {
        frame.set(path, Json::Plain(length.to_string()))?;
    }
    renew_submission(&mut frame)?;
    // A header that says the length alone is counted again.
    if let Some(Json::Object(members)) = frame.member("header")
        && members.iter().all(|(name, _)| name == "Content-Length")
    {
        frame.remove("header");
    }
    if let Some(unit) = frame.member_mut("body") {
        for name in ["Publish", "Message"] {
            if let Some(message) = unit.member_mut(name).and_then(|unit| unit.member_mut("message")) {
                let broken = broken_body_len(message);
                leave_out(message, &OF_HEADER);
                if let Some(length) = broken {
                    message.set("header.body_len", Json::Plain(length.to_string()))?;
                }
                renew_submission(message)?;
            }
        }
        if let Some(envelope) = unit.member_mut("envelope") {
            // One that begins a session begins another; what is said in a session stays in it.
            if envelope.member("message_type").and_then(Json::as_text) == Some("SessionStart") {
                renew(envelope, "session_id", || Json::Text(uuid::Uuid::now_v7().to_string()));
            }
            renew(envelope, "message_id", || Json::Text(uuid::Uuid::now_v7().to_string()));
            renew(envelope, "timestamp_unix_ms", || Json::Plain(now.0.to_string()));
        }
    }
    Ok(indented(&frame.to_text()))
}

/// The lengths of a frame that says other ones than it has room for: they are its fault, and stay.
fn broken_lengths(frame: &Json) -> Option<[(&'static str, u64); 2]> {
    let length = |path| frame.at(path)?.as_plain()?.parse::<u64>().ok();
    let (frame_len, body_len) = (length("frame_len")?, length("header.body_len")?);
    let is_broken = frame_len != body_len.saturating_add(HEADER_BYTES as u64);
    is_broken.then_some([("frame_len", frame_len), ("header.body_len", body_len)])
}

/// The length that a message of the JSON dialect says where that is not its body's: it is its fault, and
/// stays.
fn broken_body_len(message: &Json) -> Option<u64> {
    let given = message.at("header.body_len")?.as_plain()?.parse::<u64>().ok()?;
    let body = message_bytes(message.member("body")?).ok()??;
    (given != body.len() as u64).then_some(given)
}

/// A run that is submitted again is another one: its request has the id of its trace (ruling RMP 10).
fn renew_submission(message: &mut Json) -> Result<(), String> {
    const REQUEST: &str = "body.payload.RunSubmit.request_id";
    if message.at(REQUEST).is_none() {
        return Ok(());
    }
    let trace = TraceId(uuid::Uuid::now_v7());
    message.set(REQUEST, Json::Text(trace.to_string()))?;
    message.set("header.trace_id", Json::Text(trace.0.to_string()))
}

/// Takes members out of a header, and the header where none is left.
fn leave_out(frame: &mut Json, names: &[&str]) {
    let Some(header) = frame.member_mut("header") else { return };
    for name in names {
        header.remove(name);
    }
    if matches!(header, Json::Object(members) if members.is_empty()) {
        frame.remove("header");
    }
}

/// Gives a member that is there another value.
fn renew(object: &mut Json, name: &str, value: impl FnOnce() -> Json) {
    if let Some(member) = object.member_mut(name) {
        *member = match (&*member, value()) {
            (Json::Text(_), Json::Plain(text)) => Json::Text(text),
            (_, value) => value,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_and_what_decode_alone_says_is_left_out() {
        let text = r#"{"frame":1,"offset":0,"bytes":9,"valid":true,"frame_len":68,"header":{"magic":"MAPL",
            "created_at_ms":1,"ttl_ms":2,"trace_id":"x","msg_id":3,"body_len":4},"body":{"type":"a"}}"#;
        let edited = refreshed(text, Wall(7)).unwrap();
        let expected =
            "{\n  \"header\": {\n    \"magic\": \"MAPL\"\n  },\n  \"body\": {\n    \"type\": \"a\"\n  }\n}";
        assert_eq!(edited, expected);
        let lengths = r#"{"frame_len":9,"header":{"body_len":4,"ttl_ms":2},"body":{"type":"a"}}"#;
        let edited = Json::read(&refreshed(lengths, Wall(7)).unwrap()).unwrap().to_text();
        assert_eq!(edited, r#"{"body":{"type":"a"},"frame_len":9,"header":{"body_len":4}}"#);
        let plugin = r#"{"header":{"Content-Length":4},"body":{"id":1}}"#;
        assert_eq!(refreshed(plugin, Wall(7)).unwrap(), "{\n  \"body\": {\n    \"id\": 1\n  }\n}");
        let call = r#"{"body":{"envelope":{"message_id":"m1","timestamp_unix_ms":"5"}}}"#;
        let edited = refreshed(call, Wall(7)).unwrap();
        assert!(!edited.contains("m1") && edited.contains(r#""timestamp_unix_ms": "7""#), "{edited}");
    }

    #[test]
    fn a_length_of_the_json_dialect_that_is_the_fault_stays() {
        let publish = |body_len: u64| {
            let header = format!(r#"{{"ttl_ms":2,"msg_id":3,"body_len":{body_len}}}"#);
            let message = format!(r#"{{"header":{header},"body":{{"type":"a"}}}}"#);
            let text = format!(r#"{{"length":9,"body":{{"Publish":{{"topic":"a","message":{message}}}}}}}"#);
            let edited = Json::read(&refreshed(&text, Wall(7)).unwrap()).unwrap();
            edited.at("body.Publish.message.header").map(Json::to_text)
        };
        // The map of one text to another.
        assert_eq!(publish(8), None, "it is filled in");
        assert_eq!(publish(9), Some(r#"{"body_len":9}"#.to_owned()));
    }

    #[test]
    fn another_session_begins_and_what_is_said_in_one_stays_in_it() {
        let edited = |message_type: &str| {
            let envelope =
                format!(r#"{{"message_type":"{message_type}","message_id":"m1","session_id":"s1"}}"#);
            refreshed(&format!(r#"{{"body":{{"envelope":{envelope}}}}}"#), Wall(7)).unwrap()
        };
        let (start, vote) = (edited("SessionStart"), edited("Vote"));
        assert!(!start.contains("s1") && start.contains("session_id"), "{start}");
        assert!(vote.contains(r#""session_id": "s1""#) && !vote.contains("m1"), "{vote}");
    }

    #[test]
    fn a_run_that_is_submitted_again_has_a_new_id_that_is_its_traces() {
        let submit = r#"{"header":{"trace_id":"3f0c8f3e-0000-4000-8000-000000000001"},"body":{"payload":{"RunSubmit":
            {"request_id":"trace:3f0c8f3e-0000-4000-8000-000000000001","opening_yaml":""}}}}"#;
        let published = format!(r#"{{"body":{{"Publish":{{"topic":"rlp/ctrl","message":{submit}}}}}}}"#);
        for (text, at) in [(submit, ""), (&published, "body.Publish.message.")] {
            let edited = Json::read(&refreshed(text, Wall(7)).unwrap()).unwrap();
            let text = |path: &str| edited.at(&format!("{at}{path}")).unwrap().as_text().unwrap().to_owned();
            let request: TraceId = text("body.payload.RunSubmit.request_id").parse().unwrap();
            assert_eq!(request.0.to_string(), text("header.trace_id"));
            assert!(!text("header.trace_id").starts_with("3f0c8f3e"), "{edited:?}");
        }
    }
}
