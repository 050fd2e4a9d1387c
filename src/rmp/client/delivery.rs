//! What a subscription is given.

use bytes::Bytes;

use crate::{
    ids::TopicName,
    limits,
    rmp::{self, Body, BodyFault, Checks, Frame, HEADER_BYTES, Header, PREFIX_BYTES, RawFrame, RawHeader},
};

/// Containers within containers of a body that are read; the largest that `limits.rmp.body_depth_max` takes.
const DEPTH_MAX: usize = 512;

/// A message for a subscription, byte for byte as it was published.
///
/// Its bytes are a part of what was read at once: a kept delivery keeps up to 256 KiB,
/// [`detached`](Self::detached) only itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The subscription that it is for.
    pub sub: u64,
    /// The concrete topic.
    pub topic: TopicName,
    /// The frame with its prefix. Prefix and header are there in any case, and belong to this version of the
    /// protocol.
    pub wire: Bytes,
}

impl Delivery {
    /// What its header says.
    #[must_use]
    pub fn header(&self) -> Header {
        const NOTHING: [u8; HEADER_BYTES] = [0; HEADER_BYTES];
        let bytes = self.wire.get(PREFIX_BYTES..).and_then(|rest| rest.first_chunk()).unwrap_or(&NOTHING);
        Header::from(&RawHeader::decode(bytes))
    }

    /// What its body says. The broker checked it before it was forwarded.
    ///
    /// # Errors
    /// A body that is no envelope, should the broker forward one.
    pub fn body(&self) -> Result<Body<'_>, BodyFault> {
        let body = RawFrame::split(&self.wire).map_or(&[][..], |raw| raw.body);
        Body::decode(body, DEPTH_MAX)
    }

    /// Judges the whole frame, as the broker did.
    ///
    /// # Errors
    /// The fault of the frame.
    pub fn decode(&self, registry: &rmp::Registry, limits: &limits::Rmp) -> Result<Frame<'_>, rmp::Error> {
        rmp::decode(&self.wire, &Checks::new(registry, limits))
    }

    /// This delivery with bytes of its own.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self { wire: Bytes::copy_from_slice(&self.wire), ..self.clone() }
    }
}
