//! The part of a message to a session that is worth a line.

use std::borrow::Cow;

use prost::Message as _;

use crate::{
    dissect::body_preview::LOOKED_AT_BYTES,
    macp::{
        Head,
        proto::v1::{SendRequest, SendResponse},
    },
    tap::entry::{Direction, Frame},
};

/// Of a message to a session: what it carries, where that is text; of an answer, why the message was
/// rejected.
pub(super) fn frame_preview<'a>(frame: &Frame, _: &Head, bytes: &'a [u8]) -> Cow<'a, str> {
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
