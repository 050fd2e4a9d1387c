//! Where a bridge token lies in a line, so that it can be masked (DESIGN, redaction).

use std::{borrow::Cow, fmt, ops::Range};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::envelope::{Key, KnownKey, string};
use crate::tap::{entry::mpp::FrameType, redact};

/// The places to mask in a connection's first line: every value of the key `bridge_token` (the inside of a
/// string, all of anything else), and every other place where one of these tokens stands verbatim. Sorted,
/// without overlaps.
///
/// `None` when the line is no `hello` object with at least one `bridge_token`: what it holds is unknown, and
/// all of it is to be withheld. So it is with more tokens, or places of one, than are looked for.
#[must_use]
pub fn token_ranges(wire: &[u8]) -> Option<Vec<Range<u32>>> {
    let text = std::str::from_utf8(wire).ok()?;
    let Secrets { kind, tokens } = serde_json::from_str(text).ok()?;
    let is_hello = kind.and_then(string).is_some_and(|name| name == FrameType::Hello.name());
    if !is_hello || tokens.is_empty() || tokens.len() > redact::TOKENS_MAX {
        return None;
    }
    let mut ranges = Vec::new();
    let mut said = Vec::new();
    for token in tokens {
        let inner =
            token.get().strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(token.get());
        // The value is a part of the line that it was read from.
        let start = inner.as_ptr().addr().checked_sub(wire.as_ptr().addr())?;
        ranges.extend(redact::range(start, inner.len()));
        ranges.extend(redact::occurrences(wire, inner.as_bytes())?);
        if let Some(decoded) = string(token) {
            ranges.extend(redact::occurrences(wire, decoded.as_bytes())?);
            said.push(decoded);
        }
    }
    let ranges = redact::merged(ranges);
    if hides_beside(wire, &ranges, &said) { None } else { Some(ranges) }
}

/// Whether a line says a token by escapes where it is not masked.
fn hides_beside(wire: &[u8], ranges: &[Range<u32>], tokens: &[Cow<'_, str>]) -> bool {
    let mut shown = wire.to_vec();
    for range in ranges {
        let (start, end) = (
            usize::try_from(range.start).unwrap_or(usize::MAX),
            usize::try_from(range.end).unwrap_or(usize::MAX),
        );
        if let Some(place) = shown.get_mut(start..end) {
            place.fill(b'*');
        }
    }
    let Some(plain) = unescaped(&shown) else { return false };
    tokens.iter().any(|token| !token.is_empty() && memchr::memmem::find(&plain, token.as_bytes()).is_some())
}

/// A line with the escapes of JSON strings undone wherever they stand, JSON or not; `None` when it has no
/// backslash. What is no escape is taken as it is; one that the line's end cuts is left out.
pub(in crate::mpp) fn unescaped(wire: &[u8]) -> Option<Vec<u8>> {
    let mut at = memchr::memchr(b'\\', wire)?;
    let mut plain = Vec::with_capacity(wire.len());
    plain.extend_from_slice(&wire[..at]);
    while let Some((&byte, rest)) = wire.get(at..).and_then(<[u8]>::split_first) {
        if byte != b'\\' {
            plain.push(byte);
            at += 1;
            continue;
        }
        at += 2;
        match rest.first() {
            None => {}
            Some(b'u') => at += code_point(rest, &mut plain),
            Some(b'b') => plain.push(8),
            Some(b'f') => plain.push(12),
            Some(b'n') => plain.push(b'\n'),
            Some(b'r') => plain.push(b'\r'),
            Some(b't') => plain.push(b'\t'),
            Some(other) => plain.push(*other),
        }
    }
    Some(plain)
}

/// Writes the character of an escape that begins with its `u`; yields how many bytes behind the `u` it takes.
fn code_point(escape: &[u8], plain: &mut Vec<u8>) -> usize {
    let unit = |from: usize| {
        let digits = std::str::from_utf8(escape.get(from..from + 4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(high) = unit(1) else { return if escape.len() < 5 { escape.len() } else { 0 } };
    let low = unit(7).filter(|low| {
        (0xD800..0xDC00).contains(&high) && escape.get(5..7) == Some(b"\\u") && (0xDC00..0xE000).contains(low)
    });
    let (code, taken) = match low {
        Some(low) => (0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), 10),
        None => (high, 4),
    };
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    taken
}

/// The type of a line, and every token in it.
struct Secrets<'a> {
    kind: Option<&'a RawValue>,
    tokens: Vec<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Secrets<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SecretsVisitor)
    }
}

struct SecretsVisitor;

impl<'de> Visitor<'de> for SecretsVisitor {
    type Value = Secrets<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut secrets = Secrets { kind: None, tokens: Vec::new() };
        while let Some(KnownKey(key)) = map.next_key()? {
            match key {
                Some(Key::Type) => secrets.kind = Some(map.next_value()?),
                Some(Key::BridgeToken) => secrets.tokens.push(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(secrets)
    }
}
