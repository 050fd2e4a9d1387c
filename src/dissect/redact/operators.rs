//! What operators ask the station and are answered, over the bus.

use std::ops::Range;

use super::{
    encoding::{MASK, leaves, part},
    find::may_have,
    lexer::is_json,
    quotes::content_of,
};
use crate::{dissect::rmp::body_text, rmp::SchemaId};

/// Where an answer has what the station knows, and a question what is asked.
const CONTENT: [&[u8]; 2] = [b"json", b"snapshot"];
/// What questions have that have frames in them, in whatever form.
const WITH_FRAMES: [&str; 2] = ["$.command.workbench", "$.command.gate"];

/// Masks what a question or an answer holds in a form of its own: pages of rows, snapshots, entries and
/// frames. What the station says by them is in the recording anyway. Where the body is cut, that is all from
/// there on.
pub(super) fn withhold(schema: Option<SchemaId>, body: &mut [u8]) {
    let schema = schema.or_else(|| body_text::type_of(body).and_then(SchemaId::shipped_for));
    let is_answer = match schema {
        Some(SchemaId::OPERATOR_RESP) => true,
        Some(SchemaId::OPERATOR_REQ) => false,
        _ => return,
    };
    let (mut of, mut is_next): (Vec<Range<usize>>, bool) = (Vec::new(), false);
    let end = leaves(body, |leaf| {
        let content = content_of(body, &leaf);
        let bytes = content.clone().and_then(|content| body.get(content)).unwrap_or_default();
        if leaf.is_name {
            is_next = CONTENT.contains(&bytes);
        } else if std::mem::take(&mut is_next)
            && (is_answer || (is_json(bytes) && may_have(bytes, &WITH_FRAMES)))
        {
            of.extend(content);
        }
    });
    for content in of {
        part(body, content).fill(MASK);
    }
    part(body, end..usize::MAX).fill(MASK);
}
