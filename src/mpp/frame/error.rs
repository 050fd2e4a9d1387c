//! `protocol_error`, both ways (mpp-v2, `protocol_error`).

use std::borrow::Cow;

use super::{
    envelope::{Fields, Key},
    inbound::Inbound,
    outbound::Outbound,
    write::Line,
};
use crate::tap::entry::mpp::{FrameType, Violation};

pub(super) fn read_inbound<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    let (code, message) = read(fields)?;
    Ok(Inbound::ProtocolError { code, message })
}

pub(super) fn read_outbound<'a>(fields: &Fields<'a>) -> Result<Outbound<'a>, Violation> {
    let (code, message) = read(fields)?;
    Ok(Outbound::ProtocolError { code, message })
}

fn read<'a>(fields: &Fields<'a>) -> Result<(Cow<'a, str>, Cow<'a, str>), Violation> {
    Ok((fields.text(Key::Code)?, fields.text(Key::Message)?))
}

/// `protocol_error`. The bridge's codes are [`ErrorCode::code`](crate::tap::entry::mpp::ErrorCode::code)'s;
/// an adapter may send its own.
#[must_use]
pub fn protocol_error(code: &str, message: &str) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::ProtocolError);
    line.text("code", code);
    line.text("message", message);
    line.end()
}
