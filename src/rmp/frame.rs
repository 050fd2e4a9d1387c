//! One frame: `frame_len`, header and body, over the bytes that came (rmp-v0 §1).

use super::{
    Body, Header,
    header::{HEADER_BYTES, PREFIX_BYTES, RawHeader},
};

/// A frame that passed its checks. It borrows from the bytes that came, and they are what is forwarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// All bytes as they came, the prefix included.
    pub wire: &'a [u8],
    /// What its header says.
    pub header: Header,
    /// The moment from which it is expired, in milliseconds since the Unix epoch.
    pub expires_at_ms: u64,
    /// What its body says.
    pub body: Body<'a>,
}

/// A frame's parts as far as they are there, whatever they say. For showing one that is refused, and for
/// making one on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFrame<'a> {
    /// Bytes that follow the prefix, as it says.
    pub frame_len: u32,
    /// The header.
    pub header: RawHeader,
    /// All that follows the header.
    pub body: &'a [u8],
}

impl<'a> RawFrame<'a> {
    /// Cuts bytes into prefix, header and the rest; nothing is judged. Nothing comes of fewer than 68.
    #[must_use]
    pub fn split(wire: &'a [u8]) -> Option<Self> {
        let (prefix, rest) = wire.split_first_chunk::<PREFIX_BYTES>()?;
        let (header, body) = rest.split_first_chunk::<HEADER_BYTES>()?;
        Some(Self { frame_len: u32::from_be_bytes(*prefix), header: RawHeader::decode(header), body })
    }

    /// The bytes, exactly as the fields say.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(PREFIX_BYTES + HEADER_BYTES + self.body.len());
        out.extend_from_slice(&self.frame_len.to_be_bytes());
        self.header.encode(&mut out);
        out.extend_from_slice(self.body);
        out
    }
}
