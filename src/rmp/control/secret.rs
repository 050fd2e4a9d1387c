//! Secrets in a control frame that is at fault: where a token lies in it, so that it can be
//! masked before anybody sees the frame, and whether a message follows it.

use std::ops::Range;

use crate::{
    msgpack::{Fault, Shape, Walk},
    rmp::{Body, HEADER_BYTES, PREFIX_BYTES, RawFrame, SchemaId, body::text},
};

/// Containers within containers that are looked into; the largest that `limits.rmp.body_depth_max` takes.
const DEPTH_MAX: usize = 512;
const KEY: &[u8] = b"token";

/// The bytes of a frame, from its prefix on, that hold the token of a Hello, whatever else is wrong with the
/// frame. Of a body that cannot be read, all that follows the word `token`.
#[must_use]
pub fn token_range(wire: &[u8]) -> Option<Range<usize>> {
    const BODY_AT: usize = PREFIX_BYTES + HEADER_BYTES;
    let bytes = RawFrame::split(wire)?.body;
    let found = match Body::decode(bytes, DEPTH_MAX) {
        Ok(body) => tokens(&body).ok()?,
        Err(_) => bytes.windows(KEY.len()).position(|word| word == KEY).map(|at| at + KEY.len()..bytes.len()),
    };
    found.map(|found| BODY_AT + found.start..BODY_AT + found.end)
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

/// From the first token to the last, should there be more.
fn tokens(body: &Body<'_>) -> Result<Option<Range<usize>>, Fault> {
    let mut walk = body.walk_payload();
    let mut found: Option<Range<usize>> = None;
    let mut note = |secret: Range<usize>| {
        let start = found.as_ref().map_or(secret.start, |found| found.start);
        found = Some(start..secret.end);
    };
    let Shape::Map(messages) = walk.head(1)? else { return Ok(None) };
    for _ in 0..messages {
        let name = walk.skip(2)?;
        if text(body.bytes(), &name) != Some("Hello") {
            walk.skip(2)?;
            continue;
        }
        let start = walk.at();
        let Shape::Map(fields) = walk.head(2)? else {
            // No map, so that nothing in it can be told from a token.
            walk = Walk::within(body.bytes(), start..body.bytes().len(), DEPTH_MAX);
            note(walk.skip(2)?);
            continue;
        };
        for _ in 0..fields {
            let key = walk.skip(3)?;
            let value = walk.skip(3)?;
            if text(body.bytes(), &key) == Some("token") {
                note(content(body.bytes(), value));
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
