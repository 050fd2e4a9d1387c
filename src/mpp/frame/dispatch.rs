//! `pull` and `invocation` (mpp-v2, invocation, pull).

use std::io;

use super::{
    envelope::{Fields, Key},
    inbound::Inbound,
    outbound::Outbound,
    write::Line,
};
use crate::{
    ids::InvocationId,
    tap::entry::mpp::{FrameType, Violation},
};

pub(super) fn read_pull<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    Ok(Inbound::Pull { queue: fields.text(Key::Queue)? })
}

pub(super) fn read_invocation<'a>(fields: &Fields<'a>) -> Result<Outbound<'a>, Violation> {
    Ok(Outbound::Invocation {
        id: InvocationId(fields.number(Key::Id)?),
        queue: fields.text(Key::Queue)?,
        event: fields.text(Key::Event)?,
        params: fields.object(Key::Params)?,
    })
}

/// `pull`.
#[must_use]
pub fn pull(queue: &str) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Pull);
    line.text("queue", queue);
    line.end()
}

/// `invocation`. `params` is the JSON text of an object; it is put in as it is, but for line breaks.
#[must_use]
pub fn invocation(id: InvocationId, queue: &str, event: &str, params: &str) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Invocation);
    write_invocation(&mut line, id, queue, event, params);
    line.end()
}

/// The length of [`invocation`]'s frame in bytes with its LF, without making it (ruling MPP 4).
#[must_use]
pub fn invocation_len(id: InvocationId, queue: &str, event: &str, params: &str) -> usize {
    let mut line = Line::count(FrameType::Invocation);
    write_invocation(&mut line, id, queue, event, params);
    line.end().bytes()
}

fn write_invocation<W: io::Write>(
    line: &mut Line<W>,
    id: InvocationId,
    queue: &str,
    event: &str,
    params: &str,
) {
    line.number("id", id.0);
    line.text("queue", queue);
    line.text("event", event);
    line.json("params", params);
}
