//! Where a bridge token lies in a line, so that it can be masked (DESIGN, redaction).

use std::{fmt, ops::Range};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::envelope::{Key, KnownKey, string};
use crate::tap::entry::mpp::FrameType;

/// The places to mask in a connection's first line: every value of the key `bridge_token` (the inside of a string, all of anything else),
/// and every other place where one of these tokens stands verbatim. Sorted, without overlaps.
///
/// `None` when the line is no `hello` object with at least one `bridge_token`: what it holds is unknown, and all of it is to be withheld.
#[must_use]
pub fn token_ranges(wire: &[u8]) -> Option<Vec<Range<u32>>> {
    let text = std::str::from_utf8(wire).ok()?;
    let Secrets { kind, tokens } = serde_json::from_str(text).ok()?;
    let is_hello = kind.and_then(string).is_some_and(|name| name == FrameType::Hello.name());
    if !is_hello || tokens.is_empty() {
        return None;
    }
    let mut ranges = Vec::new();
    for token in tokens {
        let inner = token.get().strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(token.get());
        // The value is a part of the line that it was read from.
        let start = inner.as_ptr().addr().checked_sub(wire.as_ptr().addr())?;
        ranges.extend(range(start, inner.len()));
        ranges.extend(mask_occurrences(wire, inner));
        if let Some(decoded) = string(token) {
            ranges.extend(mask_occurrences(wire, &decoded));
        }
    }
    Some(merged(ranges))
}

/// Every place where a token stands verbatim in a line. An empty token stands nowhere.
#[must_use]
pub fn mask_occurrences(wire: &[u8], token: &str) -> Vec<Range<u32>> {
    if token.is_empty() {
        return Vec::new();
    }
    memchr::memmem::find_iter(wire, token).filter_map(|start| range(start, token.len())).collect()
}

fn range(start: usize, length: usize) -> Option<Range<u32>> {
    let end = start.checked_add(length)?;
    Some(u32::try_from(start).ok()?..u32::try_from(end).ok()?)
}

fn merged(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
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
