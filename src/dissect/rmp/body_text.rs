//! What an entry of the bus is made of: one frame, or a control frame with the message behind it; in the JSON
//! dialect one unit. Nothing is judged here, and no length is believed that the bytes do not back.

use std::{borrow::Cow, ops::Range};

use rmpv::Value;

use crate::{
    msgpack::{Shape, Walk},
    rmp::{Body, HEADER_BYTES, PREFIX_BYTES},
};

/// Frames that an entry holds at most.
const UNITS_MAX: usize = 2;
/// Containers within containers that are gone into.
const DEPTH_MAX: usize = 512;
/// Values of a body that are decoded to be shown in words.
const VALUES_MAX: u64 = 10_000;

/// Where the units of an entry lie, their prefixes included. What is behind the second, or does not end,
/// belongs to the last.
pub(crate) fn units(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::with_capacity(UNITS_MAX);
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..]
            .first_chunk::<PREFIX_BYTES>()
            .map_or(usize::MAX, |prefix| u32::from_be_bytes(*prefix) as usize);
        let end = at.saturating_add(PREFIX_BYTES).saturating_add(length);
        if found.len() + 1 == UNITS_MAX || end >= bytes.len() {
            found.push(at..bytes.len());
            break;
        }
        found.push(at..end);
        at = end;
    }
    found
}

/// Whether a unit is of the JSON dialect: the first byte behind the length tells (ruling RMP 16).
pub(crate) fn is_json(unit: &[u8]) -> bool {
    matches!(unit.get(PREFIX_BYTES), Some(b'{' | b'"'))
}

/// The body of a frame, as far as it is there.
pub(crate) fn body_of(unit: &[u8]) -> Option<&[u8]> {
    unit.get(PREFIX_BYTES + HEADER_BYTES..)
}

/// The body of the message that an entry carries: of a publication the message's, of any other the frame's
/// own.
pub(crate) fn message(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let last = units(bytes).pop()?;
    let unit = &bytes[last];
    if is_json(unit) {
        return json_body(unit).map(Cow::Owned);
    }
    body_of(unit).map(Cow::Borrowed)
}

/// The body within a publication of the JSON dialect: a list of byte values.
fn json_body(unit: &[u8]) -> Option<Vec<u8>> {
    #[derive(serde::Deserialize)]
    enum Unit {
        Publish { message: Message },
        Message { message: Message },
    }
    #[derive(serde::Deserialize)]
    struct Message {
        body: Vec<u8>,
    }
    match serde_json::from_slice(unit.get(PREFIX_BYTES..)?).ok()? {
        Unit::Publish { message } | Unit::Message { message } => Some(message.body),
    }
}

/// The type that a body says it has, also where the rest of it is cut or broken.
pub(crate) fn type_of(body: &[u8]) -> Option<&str> {
    let mut walk = Walk::new(body, DEPTH_MAX);
    let Shape::Map(pairs) = walk.head(1).ok()? else { return None };
    for _ in 0..pairs {
        let is_type =
            matches!(walk.head(2).ok()?, Shape::Text(key) if body.get(key.clone()) == Some(b"type"));
        if !is_type {
            walk.skip(2).ok()?;
            continue;
        }
        let Shape::Text(text) = walk.head(2).ok()? else { return None };
        return std::str::from_utf8(body.get(text)?).ok();
    }
    None
}

/// What a body says, as JSON; nothing for what is no envelope or holds too much to be read.
pub(crate) fn json_text(body: &[u8]) -> Option<String> {
    let value = Body::decode(body, DEPTH_MAX).ok()?.value(VALUES_MAX)?;
    serde_json::to_string(&crate::rmp::json::JsonView(&value)).ok()
}

/// What an `Error` of the broker says beside its code.
pub(crate) fn error_message(bytes: &[u8]) -> Option<String> {
    let unit = units(bytes).into_iter().next()?;
    let body = Body::decode(body_of(&bytes[unit])?, DEPTH_MAX).ok()?.payload_value(VALUES_MAX)?;
    let error = entry(&body, "Error")?;
    entry(error, "message")?.as_str().map(ToOwned::to_owned)
}

fn entry<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    map.as_map()?.iter().find(|(known, _)| known.as_str() == Some(key)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frame of rmp-v0 §8.
    fn golden() -> Vec<u8> {
        let hex = "000000a0524d50300000004000000000000a00000000006000000193 23645c7b000000000000ea60112233445566778899aabbccddeeff00\
                   000000000000002a0000000083a474797065af6572726f722e7265706f72742e7631a77061796c6f616482a4636f6465b0746f6f6c2e756e\
                   617661696c61626c65a76d657373616765ae6d61696c6572206f66666c696e65a46d65746181aa6f70656e696e675f6964cd04d2";
        crate::rmp::json::unhex(&hex.replace(' ', "")).unwrap()
    }

    #[test]
    fn a_message_is_found_alone_and_behind_another_frame() {
        let one = golden();
        let two = [one.clone(), one.clone()].concat();
        assert_eq!((units(&one), units(&two)), (std::iter::once(0..164).collect(), vec![0..164, 164..328]));
        for bytes in [&one, &two] {
            let body = message(bytes).unwrap();
            assert_eq!(type_of(&body), Some("error.report.v1"));
            assert!(json_text(&body).unwrap().contains("mailer offline"));
        }
    }

    #[test]
    fn what_does_not_end_is_one_unit_to_its_end() {
        let bytes = golden();
        for end in 0..bytes.len() {
            let found = units(&bytes[..end]);
            assert_eq!(found.last().map_or(0, |last| last.end), end);
            let _ = message(&bytes[..end]).and_then(|body| json_text(&body));
        }
    }

    #[test]
    fn a_publication_of_the_json_dialect_has_its_body_as_a_list_of_bytes() {
        let body: Vec<String> = golden()[68..].iter().map(ToString::to_string).collect();
        let json = format!(
            r#"{{"Publish":{{"id":1,"topic":"a/b","message":{{"header":{{}},"body":[{}]}}}}}}"#,
            body.join(",")
        );
        let unit = [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat();
        assert!(is_json(&unit));
        assert_eq!(type_of(&message(&unit).unwrap()), Some("error.report.v1"));
        assert_eq!(message(&[&5_u32.to_be_bytes()[..], b"\"abc\""].concat()), None);
    }
}
