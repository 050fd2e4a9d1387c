//! One record of the journal, as bytes: `len u32 | crc u32 | seq u64 | payload`, numbers little-endian. `len`
//! is the payload's, the CRC-32 is taken over `seq` and payload, and the payload is the operation in
//! `MessagePack`.

use serde::{Deserialize, Serialize};

use super::{invocations::Move, op::Op};
use crate::{
    ids::{PackId, QueueName, StateKey},
    schema::JsonText,
    tap::entry::mpp::Brake,
    time::Wall,
};

/// What comes before a payload.
pub(super) const HEAD_BYTES: usize = 16;

/// The longest payload that is believed; a result is at most a frame of 64 KiB.
const PAYLOAD_BYTES_MAX: usize = 1 << 20;

/// An operation that can be journalled: it tells nothing back and its effect does not depend on what is in
/// the tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Record {
    /// [`Op::Move`].
    Move(Move),
    /// [`Op::SetBrake`].
    SetBrake {
        /// Which queue.
        queue: QueueName,
        /// What holds from now on.
        brake: Brake,
    },
    /// [`Op::WriteState`].
    WriteState {
        /// Which pack's.
        pack_id: PackId,
        /// Which key.
        key: StateKey,
        /// The value.
        value: JsonText,
        /// The adapter's scope tag.
        scope: Option<String>,
        /// When.
        at: Wall,
    },
}

impl Record {
    /// The operation as a record, if it can be journalled.
    pub(super) fn of(op: Op) -> Option<Self> {
        match op {
            Op::Move(moved) => Some(Self::Move(moved)),
            Op::SetBrake { queue, brake } => Some(Self::SetBrake { queue, brake }),
            Op::WriteState { pack_id, key, value, scope, at } => {
                Some(Self::WriteState { pack_id, key, value, scope, at })
            }
            Op::Enqueue { .. }
            | Op::Refund { .. }
            | Op::Change { .. }
            | Op::Migrate { .. }
            | Op::Alerts(_)
            | Op::InjectedTraces(_)
            | Op::Trigger { .. }
            | Op::Rate { .. }
            | Op::Plugins(_)
            | Op::Runs(_)
            | Op::Macp(_) => None,
        }
    }
}

/// Appends a record's bytes.
///
/// # Errors
/// A payload that is too long; nothing is appended then.
pub(super) fn encode(into: &mut Vec<u8>, seq: u64, record: &Record) -> Result<(), String> {
    let payload =
        |into: &mut Vec<u8>| rmp_serde::encode::write(into, record).map_err(|error| error.to_string());
    frame(into, seq, PAYLOAD_BYTES_MAX, payload)
}

/// Reads the record at the start of `bytes`: its seq, itself and its length.
///
/// Nothing when it is not whole, does not match its checksum or is no record.
pub(super) fn decode(bytes: &[u8]) -> Option<(u64, Record, usize)> {
    let (seq, payload, len) = unframe(bytes, PAYLOAD_BYTES_MAX)?;
    Some((seq, rmp_serde::from_slice(payload).ok()?, len))
}

/// Appends a payload with what comes before it.
///
/// # Errors
/// A payload that is too long, or cannot be made; nothing is appended then.
pub(super) fn frame(
    into: &mut Vec<u8>,
    seq: u64,
    bytes_max: usize,
    payload: impl FnOnce(&mut Vec<u8>) -> Result<(), String>,
) -> Result<(), String> {
    let start = into.len();
    into.extend_from_slice(&[0; 8]);
    into.extend_from_slice(&seq.to_le_bytes());
    let written = payload(into);
    let bytes = into.len() - start - HEAD_BYTES;
    let len = u32::try_from(bytes).ok().filter(|_| bytes <= bytes_max);
    let (Ok(()), Some(len)) = (&written, len) else {
        into.truncate(start);
        return Err(written.err().unwrap_or_else(|| format!("a record of {bytes} bytes is too long")));
    };
    let crc = crc32fast::hash(&into[start + 8..]);
    into[start..start + 4].copy_from_slice(&len.to_le_bytes());
    into[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
    Ok(())
}

/// Reads what [`frame`] appended: the seq, the payload, and the length of all.
///
/// Nothing when it is not whole, too long or does not match its checksum.
pub(super) fn unframe(bytes: &[u8], bytes_max: usize) -> Option<(u64, &[u8], usize)> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (crc, rest) = rest.split_first_chunk::<4>()?;
    let len = usize::try_from(u32::from_le_bytes(*len)).ok().filter(|len| *len <= bytes_max)?;
    let checked = rest.get(..8_usize.checked_add(len)?)?;
    if crc32fast::hash(checked) != u32::from_le_bytes(*crc) {
        return None;
    }
    let (seq, payload) = checked.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*seq), payload, HEAD_BYTES + len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::InvocationId, tap::entry::mpp::RowState};

    fn records() -> Vec<Record> {
        vec![
            Record::Move(Move {
                id: InvocationId(7),
                state: RowState::Applied,
                result: Some(JsonText::parse(r#"{"n": 1.00}"#).unwrap()),
                reason: None,
                at: Wall(1),
            }),
            Record::SetBrake { queue: "default".into(), brake: Brake { held: true, draining: false } },
            Record::WriteState {
                pack_id: "dev.x".into(),
                key: "resets".into(),
                value: JsonText::null(),
                scope: Some("a".into()),
                at: Wall(2),
            },
        ]
    }

    #[test]
    fn a_record_reads_back_and_any_cut_or_flipped_byte_is_noticed() {
        for (seq, record) in (1..).zip(records()) {
            let mut bytes = Vec::new();
            encode(&mut bytes, seq, &record).unwrap();
            assert_eq!(decode(&bytes), Some((seq, record, bytes.len())));
            for at in 0..bytes.len() {
                assert_eq!(decode(&bytes[..at]), None, "cut at {at}");
                let mut flipped = bytes.clone();
                flipped[at] ^= 0x40;
                assert_eq!(decode(&flipped), None, "flipped at {at}");
            }
        }
        assert_eq!(decode(&[0; 64]), None);
    }
}
