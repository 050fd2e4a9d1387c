//! Frames without what nobody but their receiver may read, so that they can be written to a file.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};

use super::{codec::indented, json::Json};
pub(crate) use crate::words::token::LENT_TOKEN;

/// What stands in the place of a secret.
const MASK: &str = "********";
/// The member of a hello for which a token is lent.
const BRIDGE_TOKEN: &str = "bridge_token";
/// What the name of a member with a secret has in it.
const WORDS: [&str; 5] = ["token", "secret", "password", "authorization", "api_key"];
/// Members that are bytes of a frame, in base64.
const BYTES: &str = "_bytes";

/// The JSON of a frame with its secrets masked: a bridge's token becomes one that is lent when the frame is
/// sent, others become stars. As it was where it has none; nothing where it cannot be said whether it has.
pub(crate) fn without_secrets(text: &str) -> Option<String> {
    if !may_hold_secret(text.as_bytes()) && !text.contains('\\') && !text.contains(BYTES) {
        return Some(text.to_owned());
    }
    let mut frame = Json::read(text).ok()?;
    mask(&mut frame, None).ok()?;
    let masked = frame.to_text();
    // Of members of one name only the last one is read: the others are left out, too.
    let is_same = squeezed(text).eq(squeezed(&masked));
    Some(if is_same { text.to_owned() } else { indented(&masked) })
}

/// A text without its blanks.
fn squeezed(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|character| !character.is_whitespace())
}

/// Whether bytes of any link may hold a secret: a word for one is in them, and no token to be lent after it.
pub(crate) fn may_hold_secret(bytes: &[u8]) -> bool {
    let lower = bytes.to_ascii_lowercase();
    WORDS.iter().any(|word| {
        let is_bare = |at: usize| {
            // The token to be lent is a word for one itself.
            let placeholder = at.checked_sub(1).and_then(|start| bytes.get(start..at + word.len()));
            placeholder != Some(LENT_TOKEN.as_bytes()) && !is_lent(bytes.get(at + word.len()..))
        };
        memchr::memmem::find_iter(&lower, word).any(is_bare)
    })
}

/// Whether what follows the name of a member is a token to be lent, and nothing else.
fn is_lent(after: Option<&[u8]>) -> bool {
    let after = after.unwrap_or_default();
    let is_text = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b':');
    let Some(start) = after.iter().position(is_text) else { return false };
    let rest = after.get(start..).and_then(|rest| rest.strip_prefix(LENT_TOKEN.as_bytes()));
    rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

/// There may be a secret where it cannot be masked.
struct Unclear;

/// Masks the texts below a member of this name.
fn mask(value: &mut Json, name: Option<&str>) -> Result<(), Unclear> {
    let is_secret = name.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        WORDS.iter().any(|word| name.contains(word))
    });
    match value {
        Json::Text(text) if is_secret && text != LENT_TOKEN && !text.is_empty() => {
            let mask = if name == Some(BRIDGE_TOKEN) { LENT_TOKEN } else { MASK };
            mask.clone_into(text);
        }
        Json::Text(text) if name.is_some_and(|name| name.ends_with(BYTES)) => {
            // What is no base64 is no frame either, but may become one.
            match BASE64.decode(text.as_bytes()) {
                Ok(bytes) if !may_hold_secret(&bytes) => {}
                _ => return Err(Unclear),
            }
        }
        Json::Text(_) | Json::Plain(_) => {}
        Json::Array(items) => {
            for item in items {
                mask(item, name.filter(|_| is_secret))?;
            }
        }
        Json::Object(members) => {
            for (member, value) in members {
                let inner = if is_secret { name } else { Some(member.as_str()) };
                mask(value, inner)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_masked_wherever_they_are_in_a_frame() {
        let hello =
            r#"{"body":{"type":"hello","bridge_token":"s3cret","nested":{"Access_Token":["s3cret"]}}}"#;
        let masked = without_secrets(hello).unwrap();
        assert!(!masked.contains("s3cret"), "{masked}");
        assert!(masked.contains(r#""bridge_token": "$TOKEN""#) && masked.contains(MASK), "{masked}");
        let twice = r#"{"body":{"bridge_token":"s3cret","bridge_token":"$TOKEN"}}"#;
        assert!(!without_secrets(twice).unwrap().contains("s3cret"));
        let escaped = r#"{"body":{"bridge\u005ftok\u0065n":"s3cret"}}"#;
        assert!(!without_secrets(escaped).unwrap().contains("s3cret"));
    }

    #[test]
    fn what_has_no_secret_is_as_it_was_written_also_while_it_is_no_json() {
        for text in [
            r#"{"body":{"bridge_token":"$TOKEN"}}"#,
            "{\"body\": {\"type\":  \"pull\"",
            r#"{"body":{"reason":"no \"such\" token is known"}}"#,
            r#"{"body_bytes":"e30K"}"#,
            r#"{ "body": {"tokens": 3} }"#,
        ] {
            assert_eq!(without_secrets(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_may_hold_a_secret_that_cannot_be_masked_is_not_given() {
        let bytes = BASE64.encode(r#"{"bridge_token":"s3cret"}"#);
        for text in [
            format!(r#"{{"body_bytes":"{bytes}"}}"#),
            r#"{"body":{"bridge_token":"s3cret""#.to_owned(),
            r#"{"body":{"bridge\u005ftoken":"s3cret""#.to_owned(),
        ] {
            assert_eq!(without_secrets(&text), None, "{text}");
        }
    }

    #[test]
    fn bytes_with_a_word_for_a_secret_may_hold_one_unless_a_token_is_lent_there() {
        assert!(may_hold_secret(br#"{"bridge_token":"s3cret"}"#));
        assert!(may_hold_secret(b"\x81\xa5token\xa6s3cret"));
        assert!(may_hold_secret(br#"{"bridge_token":"$TOKENs3cret"}"#));
        assert!(!may_hold_secret(br#"{"bridge_token": "$TOKEN"}"#));
        assert!(!may_hold_secret(b"\x81\xa5token\xa6$TOKEN"));
        assert!(!may_hold_secret(br#"{"type":"pull"}"#));
    }
}
