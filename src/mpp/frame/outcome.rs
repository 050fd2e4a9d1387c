//! What an adapter says of an invocation: `ack`, `applied`, `done`, `failed` (mpp-v2, ack to failed).

use super::{
    envelope::{Fields, Key},
    inbound::Inbound,
    write::Line,
};
use crate::{
    ids::InvocationId,
    tap::entry::mpp::{FrameType, Violation},
};

pub(super) fn read_ack<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    Ok(Inbound::Ack { id: id(fields)? })
}

pub(super) fn read_applied<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    let id = id(fields)?;
    // Ruling MPP 3: an absent `result` reads as null.
    let result = match fields.raw(Key::Result) {
        None => None,
        Some(raw) if raw.get() == "null" => None,
        Some(_) => Some(fields.object(Key::Result)?),
    };
    Ok(Inbound::Applied { id, result })
}

pub(super) fn read_done<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    Ok(Inbound::Done { id: id(fields)? })
}

pub(super) fn read_failed<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    let id = id(fields)?;
    let reason = fields.text(Key::Reason)?;
    // Ruling MPP 3: an absent `refund` reads as false.
    let refund = match fields.raw(Key::Refund) {
        None => false,
        Some(_) => fields.boolean(Key::Refund)?,
    };
    Ok(Inbound::Failed { id, reason, refund })
}

fn id(fields: &Fields<'_>) -> Result<InvocationId, Violation> {
    fields.number(Key::Id).map(InvocationId)
}

/// `ack`.
#[must_use]
pub fn ack(id: InvocationId) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Ack);
    line.number("id", id.0);
    line.end()
}

/// `applied`. `result` is the JSON text of an object; without one `null` is sent.
#[must_use]
pub fn applied(id: InvocationId, result: Option<&str>) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Applied);
    line.number("id", id.0);
    line.json("result", result.unwrap_or("null"));
    line.end()
}

/// `done`.
#[must_use]
pub fn done(id: InvocationId) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Done);
    line.number("id", id.0);
    line.end()
}

/// `failed`. `refund` is left out when false.
#[must_use]
pub fn failed(id: InvocationId, reason: &str, refund: bool) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Failed);
    line.number("id", id.0);
    line.text("reason", reason);
    if refund {
        line.json("refund", "true");
    }
    line.end()
}
