//! The fixed header: 64 bytes, big-endian (rmp-v0 §1.1).

use super::{SchemaId, error::Error};
use crate::ids::TraceId;

/// What a header begins with (rmp-v0 §1.1).
pub const MAGIC: [u8; 4] = *b"RMP0";
/// Bytes of a header, and the value of `header_len` (rmp-v0 §1.1).
pub const HEADER_BYTES: usize = 64;
/// Bytes of `frame_len`, which it does not count itself (rmp-v0 §1).
pub const PREFIX_BYTES: usize = 4;

/// The twelve fields as they stand on the wire, whatever they say. For showing a frame that is refused, and
/// for making one on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawHeader {
    /// Offset 0: `RMP0`.
    pub magic: [u8; 4],
    /// Offset 4: 0.
    pub header_version: u16,
    /// Offset 6: 64.
    pub header_len: u16,
    /// Offset 8: 0 in v0.
    pub flags: u32,
    /// Offset 12: what the body is, see the registry.
    pub schema_id: u16,
    /// Offset 14: 0.
    pub reserved2: u16,
    /// Offset 16: bytes of the body.
    pub body_len: u32,
    /// Offset 20: milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// Offset 28: milliseconds that it is worth delivering; not 0.
    pub ttl_ms: u64,
    /// Offset 36: what correlates it with the rest of its work.
    pub trace_id: u128,
    /// Offset 52: the publisher's number of it.
    pub msg_id: u64,
    /// Offset 60: 0.
    pub reserved4: u32,
}

/// Offsets of the fields within the header, for what points at one.
pub(super) mod offset {
    pub(in crate::rmp) const MAGIC: usize = 0;
    pub(in crate::rmp) const HEADER_VERSION: usize = 4;
    pub(in crate::rmp) const HEADER_LEN: usize = 6;
    pub(in crate::rmp) const FLAGS: usize = 8;
    pub(in crate::rmp) const SCHEMA_ID: usize = 12;
    pub(in crate::rmp) const RESERVED2: usize = 14;
    pub(in crate::rmp) const BODY_LEN: usize = 16;
    pub(in crate::rmp) const CREATED_AT_MS: usize = 20;
    pub(in crate::rmp) const TTL_MS: usize = 28;
    pub(in crate::rmp) const TRACE_ID: usize = 36;
    pub(in crate::rmp) const RESERVED4: usize = 60;
}

impl RawHeader {
    /// Reads the fields; nothing is judged.
    #[must_use]
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Self {
        let mut rest: &[u8] = bytes;
        Self {
            magic: take(&mut rest),
            header_version: u16::from_be_bytes(take(&mut rest)),
            header_len: u16::from_be_bytes(take(&mut rest)),
            flags: u32::from_be_bytes(take(&mut rest)),
            schema_id: u16::from_be_bytes(take(&mut rest)),
            reserved2: u16::from_be_bytes(take(&mut rest)),
            body_len: u32::from_be_bytes(take(&mut rest)),
            created_at_ms: u64::from_be_bytes(take(&mut rest)),
            ttl_ms: u64::from_be_bytes(take(&mut rest)),
            trace_id: u128::from_be_bytes(take(&mut rest)),
            msg_id: u64::from_be_bytes(take(&mut rest)),
            reserved4: u32::from_be_bytes(take(&mut rest)),
        }
    }

    /// Appends the 64 bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.magic);
        out.extend_from_slice(&self.header_version.to_be_bytes());
        out.extend_from_slice(&self.header_len.to_be_bytes());
        out.extend_from_slice(&self.flags.to_be_bytes());
        out.extend_from_slice(&self.schema_id.to_be_bytes());
        out.extend_from_slice(&self.reserved2.to_be_bytes());
        out.extend_from_slice(&self.body_len.to_be_bytes());
        out.extend_from_slice(&self.created_at_ms.to_be_bytes());
        out.extend_from_slice(&self.ttl_ms.to_be_bytes());
        out.extend_from_slice(&self.trace_id.to_be_bytes());
        out.extend_from_slice(&self.msg_id.to_be_bytes());
        out.extend_from_slice(&self.reserved4.to_be_bytes());
    }

    /// The checks that end a stream when they fail: magic, then version and `header_len` (rmp-v0 §1.2, §3;
    /// ruling RMP 2).
    pub(super) fn check_identity(&self) -> Result<(), Error> {
        if self.magic != MAGIC {
            return Err(Error::InvalidMagic { got: self.magic });
        }
        let is_v0 = self.header_version == 0 && usize::from(self.header_len) == HEADER_BYTES;
        if is_v0 {
            Ok(())
        } else {
            Err(Error::UnsupportedVersion {
                header_version: self.header_version,
                header_len: self.header_len,
            })
        }
    }

    /// Flags and reserved fields are 0 in v0 (rmp-v0 §6).
    pub(super) fn check_reserved(&self) -> Result<(), Error> {
        let Self { flags, reserved2, reserved4, .. } = *self;
        if (flags, reserved2, reserved4) == (0, 0, 0) {
            Ok(())
        } else {
            Err(Error::InvalidHeaderFlags { flags, reserved2, reserved4 })
        }
    }
}

/// The next `N` bytes; what is not there is 0.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    match rest.split_first_chunk() {
        Some((chunk, behind)) => {
            *rest = behind;
            *chunk
        }
        None => [0; N],
    }
}

/// What a header of v0 can say; everything else of it is fixed or follows from the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the body is.
    pub schema_id: SchemaId,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// How long it is worth delivering, in milliseconds; not 0.
    pub ttl_ms: u64,
    /// What correlates it with the rest of its work.
    pub trace_id: TraceId,
    /// The publisher's number of it, monotonic (rmp-v0 §1.1).
    pub msg_id: u64,
}

impl Header {
    /// The fields on the wire before a body of so many bytes.
    #[must_use]
    pub fn raw(&self, body_len: u32) -> RawHeader {
        let Self { schema_id, created_at_ms, ttl_ms, trace_id, msg_id } = *self;
        RawHeader {
            magic: MAGIC,
            header_version: 0,
            header_len: 64,
            flags: 0,
            schema_id: schema_id.0,
            reserved2: 0,
            body_len,
            created_at_ms,
            ttl_ms,
            trace_id: trace_id.0.as_u128(),
            msg_id,
            reserved4: 0,
        }
    }
}

impl From<&RawHeader> for Header {
    /// What a header says, apart from what v0 fixes; nothing is judged.
    fn from(raw: &RawHeader) -> Self {
        Self {
            schema_id: SchemaId(raw.schema_id),
            created_at_ms: raw.created_at_ms,
            ttl_ms: raw.ttl_ms,
            trace_id: TraceId(uuid::Uuid::from_u128(raw.trace_id)),
            msg_id: raw.msg_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_stands_at_its_offset_big_endian() {
        let mut bytes = [0; HEADER_BYTES];
        for (at, byte) in (0_u8..).zip(&mut bytes) {
            *byte = at;
        }
        let header = RawHeader::decode(&bytes);
        assert_eq!(header.magic, [0, 1, 2, 3]);
        assert_eq!((header.header_version, header.header_len, header.flags), (0x0405, 0x0607, 0x0809_0a0b));
        assert_eq!((header.schema_id, header.reserved2, header.body_len), (0x0c0d, 0x0e0f, 0x1011_1213));
        assert_eq!((header.created_at_ms, header.ttl_ms), (0x1415_1617_1819_1a1b, 0x1c1d_1e1f_2021_2223));
        assert_eq!(header.trace_id, 0x2425_2627_2829_2a2b_2c2d_2e2f_3031_3233);
        assert_eq!((header.msg_id, header.reserved4), (0x3435_3637_3839_3a3b, 0x3c3d_3e3f));
        let mut again = Vec::new();
        header.encode(&mut again);
        assert_eq!(again, bytes);
    }
}
