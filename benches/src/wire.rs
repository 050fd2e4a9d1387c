//! The MPP v2 frames of one cycle, as an adapter writes them. The peers carry the same invocation as their
//! payload, the echo the same sizes.

use std::fmt::Write as _;

use rl_console_benches::paired::PARAMS;
use serde::Deserialize;

/// Appends `applied` for an invocation.
pub(crate) fn applied(out: &mut String, id: u64) {
    // Writing to a String does not fail; so below.
    let _ = writeln!(out, r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#);
}

/// Appends `done` for an invocation.
pub(crate) fn done(out: &mut String, id: u64) {
    let _ = writeln!(out, r#"{{"mpp":2,"type":"done","id":{id}}}"#);
}

/// Appends `pull` for a queue.
pub(crate) fn pull(out: &mut String, queue: &str) {
    let _ = writeln!(out, r#"{{"mpp":2,"type":"pull","queue":"{queue}"}}"#);
}

/// The `invocation` that the station sends, as long as the ones under the clock.
pub(crate) fn invocation() -> String {
    format!(r#"{{"mpp":2,"type":"invocation","id":123456,"queue":"q1","event":"e1","params":{PARAMS}}}"#)
        + "\n"
}

/// What the adapter sends for an invocation when it settles it and pulls in one write, as long as under the
/// clock.
pub(crate) fn settlement() -> String {
    let mut out = String::new();
    applied(&mut out, 123_456);
    done(&mut out, 123_456);
    pull(&mut out, "q1");
    out
}

/// A frame from the station, read as far as the adapter needs it.
#[derive(Debug, Deserialize)]
pub(crate) struct Inbound<'a> {
    /// The frame's type.
    #[serde(rename = "type")]
    pub(crate) kind: &'a str,
    /// The invocation's id.
    pub(crate) id: Option<u64>,
    /// The invocation's queue.
    #[serde(borrow)]
    pub(crate) queue: Option<&'a str>,
    /// Whether a `hello` was taken.
    pub(crate) ok: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_reads_back() {
        let text = invocation();
        let frame: Inbound<'_> = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (frame.kind, frame.id, frame.queue, frame.ok),
            ("invocation", Some(123_456), Some("q1"), None)
        );
    }

    #[test]
    fn a_settlement_is_three_lines() {
        let expected = "{\"mpp\":2,\"type\":\"applied\",\"id\":123456,\"result\":null}\n\
                        {\"mpp\":2,\"type\":\"done\",\"id\":123456}\n\
                        {\"mpp\":2,\"type\":\"pull\",\"queue\":\"q1\"}\n";
        assert_eq!(settlement(), expected);
    }
}
