//! The part of a bridge's frame that is worth a line.

use std::borrow::Cow;

use crate::{
    dissect::body_preview::{LOOKED_AT_BYTES, beginning},
    mpp::frame::{Inbound, Outbound, Phase, decode, decode_outbound},
    tap::entry::{
        Direction, Frame, Redaction,
        mpp::{FrameType, Head},
    },
    words::counted,
};

/// What its peer wrote in it; of what cannot be read, the beginning.
pub(super) fn frame_preview<'a>(frame: &Frame, head: &Head, bytes: &'a [u8]) -> Cow<'a, str> {
    let Some(kind) = head.kind else { return beginning(bytes) };
    if frame.redaction == Redaction::Withheld || bytes.len() > LOOKED_AT_BYTES {
        return beginning(bytes);
    }
    let part = match frame.direction {
        Direction::Inbound => {
            let phase = if kind == FrameType::Hello { Phase::First } else { Phase::Later };
            decode(bytes, phase).ok().map(inbound)
        }
        Direction::Outbound => decode_outbound(bytes).ok().map(outbound),
    };
    part.unwrap_or_else(|| beginning(bytes))
}

fn inbound(frame: Inbound<'_>) -> Cow<'_, str> {
    match frame {
        Inbound::Hello { pack_id, .. } => pack_id,
        Inbound::Pull { .. } | Inbound::Ack { .. } | Inbound::Done { .. } | Inbound::Heartbeat => {
            Cow::Borrowed("")
        }
        Inbound::Applied { result, .. } => {
            result.map_or(Cow::Borrowed(""), |result| Cow::Borrowed(result.get()))
        }
        Inbound::Failed { reason, refund: false, .. } => reason,
        Inbound::Failed { reason, refund: true, .. } => format!("refund: {reason}").into(),
        Inbound::Log { message, .. } => message,
        Inbound::StateWrite { key, value, .. } => format!("{key} = {}", value.get()).into(),
        Inbound::ProtocolError { code, message } => format!("{code}: {message}").into(),
    }
}

fn outbound(frame: Outbound<'_>) -> Cow<'_, str> {
    match frame {
        Outbound::HelloAck { persisted, .. } if persisted.is_empty() => Cow::Borrowed("accepted"),
        Outbound::HelloAck { persisted, .. } => {
            format!("accepted, {}", counted(persisted.len(), "state value")).into()
        }
        Outbound::HelloRefused { reason } => format!("refused: {reason}").into(),
        Outbound::Invocation { params, .. } => Cow::Borrowed(params.get()),
        Outbound::Heartbeat => Cow::Borrowed(""),
        Outbound::ProtocolError { code, message } => format!("{code}: {message}").into(),
    }
}
