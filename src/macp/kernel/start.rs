//! The payload of a `SessionStart`, of which no more is read than there is room for.

use bytes::Bytes;
use prost::{
    DecodeError, Message as _,
    bytes::Buf as _,
    encoding::{DecodeContext, decode_key, message, string},
};

use crate::macp::{
    modes::Participants,
    proto::v1::{Root, SessionStartPayload},
};

/// The field of those who may take part.
const PARTICIPANTS: u32 = 2;

/// The field of the roots. None is kept.
const ROOTS: u32 = 8;

/// A payload that was read.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    /// What it says beside its lists.
    pub(super) payload: Box<SessionStartPayload>,
    /// Who may take part, or how many they are where they are more than may be.
    pub(super) participants: Result<Participants, u64>,
}

/// Reads a payload as any decoder does; of a list of participants that is longer than allowed no more than
/// their number stays.
///
/// # Errors
/// It is none.
pub(super) fn read(payload: &Bytes, participants_max: u64) -> Result<Opening, DecodeError> {
    let (mut rest, context) = (payload.clone(), DecodeContext::default());
    let mut payload = Box::<SessionStartPayload>::default();
    let (mut listed, mut participants) = (Vec::new(), 0);
    while rest.has_remaining() {
        let (tag, wire_type) = decode_key(&mut rest)?;
        match tag {
            PARTICIPANTS => {
                let mut name = String::new();
                string::merge(wire_type, &mut name, &mut rest, context.clone())?;
                participants += 1;
                if participants <= participants_max {
                    listed.push(name);
                }
            }
            ROOTS => message::merge(wire_type, &mut Root::default(), &mut rest, context.clone())?,
            tag => payload.merge_field(tag, wire_type, &mut rest, context.clone())?,
        }
    }
    let participants =
        if participants <= participants_max { Ok(Participants::new(listed)) } else { Err(participants) };
    Ok(Opening { payload, participants })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_past_its_bound_is_counted_and_not_kept() {
        let of = |count| SessionStartPayload {
            participants: vec![String::new(); count],
            ttl_ms: 7,
            ..SessionStartPayload::default()
        };
        let read = |count| read(&of(count).encode_to_vec().into(), 16).unwrap();
        let Opening { payload, participants } = read(16);
        assert_eq!((payload.ttl_ms, participants.unwrap().listed().len()), (7, 16));
        let Opening { payload, participants } = read(17);
        assert_eq!((payload.ttl_ms, participants), (7, Err(17)));
        assert_eq!(read(1_000).participants, Err(1_000));
        assert!(super::read(&Bytes::from_static(&[0x12; 99]), 16).is_err());
    }

    #[test]
    fn a_payload_is_read_as_any_decoder_reads_it_however_many_it_lists() {
        let whole = SessionStartPayload {
            intent: "what".to_owned(),
            participants: ["a", "", "ä"].map(str::to_owned).into(),
            mode_version: "1".to_owned(),
            configuration_version: "2".to_owned(),
            policy_version: "3".to_owned(),
            ttl_ms: -4,
            context: Bytes::from_static(b"\xff"),
            roots: vec![Root { uri: "u".to_owned(), name: "n".to_owned() }, Root::default()],
        };
        // An unknown field behind all others.
        let bytes = [&whole.encode_to_vec()[..], b"\x98\x06\x07"].concat();
        let mut chance = fastrand::Rng::with_seed(7);
        for round in 0..20_000 {
            let mut bytes = bytes.clone();
            for _ in 0..round.min(3) {
                let at = chance.usize(..bytes.len());
                match chance.u8(..4) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes.insert(at, chance.u8(..)),
                    _ => bytes[at] ^= 1 << chance.u8(..8),
                }
            }
            let bytes = Bytes::from(bytes);
            let expected = SessionStartPayload::decode(bytes.clone()).map(|it| {
                let participants = Participants::new(it.participants);
                (SessionStartPayload { participants: Vec::new(), roots: Vec::new(), ..it }, participants)
            });
            let found = super::read(&bytes, 9).map(|it| (*it.payload, it.participants.unwrap()));
            assert_eq!(found.is_ok(), expected.is_ok(), "{bytes:?}");
            assert_eq!(found.ok(), expected.ok(), "{bytes:?}");
            assert_eq!(
                super::read(&bytes, 0).is_ok(),
                SessionStartPayload::decode(bytes.clone()).is_ok(),
                "{bytes:?}"
            );
        }
    }
}
