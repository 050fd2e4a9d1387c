//! Secrets in a control frame that is at fault: where a token lies in it, so that it can be
//! masked before anybody sees the frame, and whether a message follows it.

use std::ops::Range;

use crate::{
    msgpack::{Fault, Shape, Walk},
    rmp::{Body, HEADER_BYTES, PREFIX_BYTES, RawFrame, SchemaId, body::text},
    tap::redact,
};

/// Containers within containers that are looked into; the largest that `limits.rmp.body_depth_max` takes.
const DEPTH_MAX: usize = 512;
/// Where what cannot be read begins to be a secret.
const WORDS: [&[u8]; 2] = [b"Hello", b"token"];

/// The ranges of a frame, from its prefix on, that hold the token of a Hello, whatever else is wrong with the
/// frame: each value of the key `token`, and every other place of the same bytes. Of a body that cannot be
/// read, all that follows the first of the words `Hello` and `token`.
///
/// `None` when there are more tokens, or places of one, than are looked for: all of it is to be withheld.
#[must_use]
pub fn token_ranges(wire: &[u8]) -> Option<Vec<Range<u32>>> {
    const BODY_AT: usize = PREFIX_BYTES + HEADER_BYTES;
    let Some(RawFrame { body: bytes, .. }) = RawFrame::split(wire) else { return Some(Vec::new()) };
    let found = Body::decode(bytes, DEPTH_MAX).ok().and_then(|body| tokens(&body).ok());
    let Some(found) = found else {
        let word =
            WORDS.iter().filter_map(|word| Some(memchr::memmem::find(bytes, word)? + word.len())).min();
        return Some(word.and_then(|at| redact::range(BODY_AT + at, bytes.len() - at)).into_iter().collect());
    };
    if found.len() > redact::TOKENS_MAX {
        return None;
    }
    let mut ranges: Vec<_> =
        found.iter().filter_map(|at| redact::range(BODY_AT + at.start, at.len())).collect();
    for token in found {
        ranges.extend(redact::occurrences(wire, bytes.get(token).unwrap_or_default())?);
    }
    Some(redact::merged(ranges))
}

/// Whether a frame is a control frame whose payload begins as a `Publish`, whatever else is wrong with it:
/// its message follows.
#[must_use]
pub fn announces_message(wire: &[u8]) -> bool {
    let Some(RawFrame { header, body, .. }) = RawFrame::split(wire) else { return false };
    SchemaId(header.schema_id) == SchemaId::CONTROL && names_publish(body).unwrap_or(false)
}

/// As far as the name of the payload's message; what comes before it has to be readable.
fn names_publish(body: &[u8]) -> Result<bool, Fault> {
    let mut walk = Walk::within(body, 0..body.len(), DEPTH_MAX);
    let Shape::Map(entries) = walk.head(1)? else { return Ok(false) };
    for _ in 0..entries {
        let key = walk.skip(2)?;
        if text(body, &key) != Some("payload") {
            walk.skip(2)?;
            continue;
        }
        return Ok(matches!(walk.head(2)?, Shape::Map(1..)) && text(body, &walk.skip(3)?) == Some("Publish"));
    }
    Ok(false)
}

/// Each token of each Hello; of too many only the first that are.
fn tokens(body: &Body<'_>) -> Result<Vec<Range<usize>>, Fault> {
    let mut walk = body.walk_payload();
    let mut found = Vec::new();
    let Shape::Map(messages) = walk.head(1)? else { return Ok(found) };
    for _ in 0..messages {
        if found.len() > redact::TOKENS_MAX {
            return Ok(found);
        }
        let name = walk.skip(2)?;
        if text(body.bytes(), &name) != Some("Hello") {
            walk.skip(2)?;
            continue;
        }
        let start = walk.at();
        let Shape::Map(fields) = walk.head(2)? else {
            // No map, so that nothing in it can be told from a token.
            walk = Walk::within(body.bytes(), start..body.bytes().len(), DEPTH_MAX);
            found.push(content(body.bytes(), walk.skip(2)?));
            continue;
        };
        for _ in 0..fields {
            if found.len() > redact::TOKENS_MAX {
                return Ok(found);
            }
            let key = walk.skip(3)?;
            let value = walk.skip(3)?;
            if text(body.bytes(), &key) == Some("token") {
                found.push(content(body.bytes(), value));
            }
        }
    }
    Ok(found)
}

/// The characters of a text without what announces them; the whole of any other value.
fn content(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    match Walk::within(bytes, value.clone(), DEPTH_MAX).head(1) {
        Ok(Shape::Text(content)) => content,
        _ => value,
    }
}
