//! The payload of a `SessionStart`, of which no more is read than there is room for.

use bytes::Bytes;
use prost::{
    DecodeError, Message as _,
    bytes::Buf as _,
    encoding::{DecodeContext, decode_key, skip_field},
};

use crate::macp::{modes::Participants, proto::v1::SessionStartPayload};

/// The field of those who may take part.
const PARTICIPANTS: u32 = 2;

/// A payload that was read.
#[derive(Clone, Debug)]
pub(super) enum Opening {
    /// All of it, and who may take part.
    Payload(Box<SessionStartPayload>, Participants),
    /// It lists more participants than may be.
    TooMany {
        /// How many.
        participants: u64,
        ttl_ms: i64,
    },
}

/// What a payload says beside who may take part.
#[derive(Clone, PartialEq, prost::Message)]
struct Unlisted {
    #[prost(int64, tag = "6")]
    ttl_ms: i64,
}

impl Opening {
    pub(super) fn ttl_ms(&self) -> i64 {
        match self {
            Self::Payload(payload, _) => payload.ttl_ms,
            Self::TooMany { ttl_ms, .. } => *ttl_ms,
        }
    }
}

/// Reads a payload; a list that is longer than allowed is counted alone.
///
/// # Errors
/// It is none.
pub(super) fn read(payload: &Bytes, participants_max: u64) -> Result<Opening, DecodeError> {
    // Each takes two bytes at least.
    if payload.len() as u64 > participants_max.saturating_mul(2) {
        let participants = count(payload.clone())?;
        if participants > participants_max {
            return Ok(Opening::TooMany { participants, ttl_ms: Unlisted::decode(payload.clone())?.ttl_ms });
        }
    }
    let mut payload = SessionStartPayload::decode(payload.clone())?;
    let participants = Participants::new(std::mem::take(&mut payload.participants));
    Ok(Opening::Payload(Box::new(payload), participants))
}

fn count(mut payload: Bytes) -> Result<u64, DecodeError> {
    let mut participants = 0;
    while payload.has_remaining() {
        let (tag, wire_type) = decode_key(&mut payload)?;
        skip_field(wire_type, tag, &mut payload, DecodeContext::default())?;
        participants += u64::from(tag == PARTICIPANTS);
    }
    Ok(participants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_past_its_bound_is_counted_and_not_read() {
        let of = |count| SessionStartPayload { participants: vec![String::new(); count], ttl_ms: 7, ..SessionStartPayload::default() };
        let read = |count| read(&of(count).encode_to_vec().into(), 16).unwrap();
        assert!(matches!(read(16), Opening::Payload(payload, listed) if payload.ttl_ms == 7 && listed.listed().len() == 16));
        let Opening::TooMany { participants, ttl_ms } = read(17) else { panic!() };
        assert_eq!((participants, ttl_ms, read(1_000).ttl_ms()), (17, 7, 7));
        assert!(super::read(&Bytes::from_static(&[0x12; 99]), 16).is_err());
    }
}
