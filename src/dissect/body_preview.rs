//! What peers and viewers wrote in an entry: of a frame, the part that is worth a line.

use crate::dissect::rmp::body_text;
use std::borrow::Cow;

use prost::Message as _;

use crate::{
    field::Class,
    macp::proto::v1::{SendRequest, SendResponse},
    mpp::frame::{Inbound, Outbound, Phase, decode, decode_outbound},
    tap::{
        EntryRef,
        entry::{Direction, Frame, Head, Redaction, Transition, What, macp, mpp, rmp},
    },
    words::counted,
};

/// Bytes of a text that are looked at on every paint: of a longer frame the beginning is shown as it is.
const LOOKED_AT_BYTES: usize = 4_096;

/// The part of an entry's text that is worth a line, and who may see it.
pub(crate) fn body_preview(entry: EntryRef<'_>) -> (Cow<'_, str>, Class) {
    match &entry.entry.what {
        What::Frame(frame) => (frame_preview(frame, entry), Class::Payload),
        What::Transition(transition) => (beginning(entry.bytes), class_of(transition)),
        What::Committed { .. } | What::Unsent { .. } | What::Loss { .. } => {
            (Cow::Borrowed(""), Class::Public)
        }
    }
}

/// Who may see the text beside a transition: what the station and its operator say, anybody; the rest quotes
/// peers and payloads.
const fn class_of(transition: &Transition) -> Class {
    match transition {
        Transition::Station(_)
        | Transition::Mpp(mpp::Transition::NotListening | mpp::Transition::CommitsFailing)
        | Transition::Rmp(rmp::Transition::NotListening)
        | Transition::Macp(macp::Transition::NotListening) => Class::Public,
        Transition::Mpp(_) | Transition::Rmp(_) | Transition::Runs(_) | Transition::Macp(_) => Class::Payload,
    }
}

fn frame_preview<'a>(frame: &Frame, entry: EntryRef<'a>) -> Cow<'a, str> {
    let head = match &frame.head {
        Head::Mpp(head) => head,
        Head::Rmp(_) => return bus_preview(frame, entry),
        Head::Macp(_) => return session_preview(frame, entry.bytes),
    };
    let Some(kind) = head.kind else { return beginning(entry.bytes) };
    if frame.redaction == Redaction::Withheld || entry.bytes.len() > LOOKED_AT_BYTES {
        return beginning(entry.bytes);
    }
    let part = match frame.direction {
        Direction::Inbound => {
            let phase = if kind == mpp::FrameType::Hello { Phase::First } else { Phase::Later };
            decode(entry.bytes, phase).ok().map(inbound)
        }
        Direction::Outbound => decode_outbound(entry.bytes).ok().map(outbound),
    };
    part.unwrap_or_else(|| beginning(entry.bytes))
}

/// Of a frame of the bus: the type of the message; of an error, what it says; of what has neither, as much of
/// it as is text.
fn bus_preview<'a>(frame: &Frame, entry: EntryRef<'a>) -> Cow<'a, str> {
    if frame.redaction == Redaction::Withheld {
        return beginning(entry.bytes);
    }
    let is_error = matches!(&frame.head, Head::Rmp(head) if head.refusal.is_some());
    if let Some(words) = is_error.then(|| body_text::error_message(entry.bytes)).flatten() {
        return words.into();
    }
    match body_text::message(&entry.bytes[..entry.bytes.len().min(LOOKED_AT_BYTES)]) {
        Some(Cow::Borrowed(body)) => body_text::type_of(body).map_or(Cow::Borrowed(""), Cow::Borrowed),
        Some(Cow::Owned(body)) => {
            body_text::type_of(&body).map_or(Cow::Borrowed(""), |kind| kind.to_owned().into())
        }
        None if body_text::is_json(entry.bytes) => beginning(&entry.bytes[4..]),
        None => Cow::Borrowed(""),
    }
}

/// Of a message to a session: what it carries, where that is text; of an answer, why the message was
/// rejected.
fn session_preview(frame: &Frame, bytes: &[u8]) -> Cow<'static, str> {
    let carried = match frame.direction {
        _ if bytes.len() > LOOKED_AT_BYTES => None,
        Direction::Inbound => {
            SendRequest::decode(bytes).ok().and_then(|request| Some(request.envelope?.payload))
        }
        Direction::Outbound => {
            let error = SendResponse::decode(bytes).ok().and_then(|response| response.ack?.error);
            error.map(|error| error.message.into())
        }
    };
    let text = carried.and_then(|carried| String::from_utf8(carried.to_vec()).ok());
    // A start is protobuf, and its head says that it is one.
    text.filter(|text| !text.chars().any(|letter| letter.is_control() && !letter.is_whitespace()))
        .map_or(Cow::Borrowed(""), Cow::Owned)
}

fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    String::from_utf8_lossy(&line[..line.len().min(LOOKED_AT_BYTES)])
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
        Outbound::HelloAck { persisted, .. } if persisted.is_empty() => Cow::Borrowed("taken"),
        Outbound::HelloAck { persisted, .. } => {
            format!("taken, {}", counted(persisted.len(), "state value")).into()
        }
        Outbound::HelloRefused { reason } => format!("refused: {reason}").into(),
        Outbound::Invocation { params, .. } => Cow::Borrowed(params.get()),
        Outbound::Heartbeat => Cow::Borrowed(""),
        Outbound::ProtocolError { code, message } => format!("{code}: {message}").into(),
    }
}
