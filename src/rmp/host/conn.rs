//! One connection of the socket: what is kept of its stream between two reads, and its side for writing.

use std::task::Waker;

use bytes::BytesMut;
use tokio::net::unix::OwnedWriteHalf;

use super::gated::Gated;
use crate::{
    admission::Origin,
    ids::Peer,
    rmp::Dialect,
    tap::{OriginCell, entry::rmp::CloseCause},
};

/// From how many bytes on a frame is collected in a buffer of its own.
const LARGE_BYTES_MIN: usize = 64 << 10;

/// Bytes that are read at once of a connection that is new, and of one whose messages reach very many.
const READ_BYTES_FIRST: usize = 16 << 10;
const READ_BYTES_MIN: usize = 4 << 10;
/// Subscriptions that what is read at once is to reach, at most: a few milliseconds' worth.
const PLANNED_MAX: u64 = 16_384;

#[derive(Debug)]
pub(super) struct Conn {
    pub(super) peer: Peer,
    pub(super) origin: Origin,
    /// Nothing once what was to leave has left and the peer was told that nothing more comes.
    pub(super) write: Option<OwnedWriteHalf>,
    pub(super) phase: Phase,
    /// The socket takes no more for now; its task waits until it does.
    pub(super) is_full: bool,
    /// Wakes its task.
    pub(super) waker: Option<Waker>,
    pub(super) read_buffer: ReadBuffer,
    /// Bytes that are read at once: fewer where what comes reaches many.
    pub(super) read_bytes_max: usize,
    /// Its descriptor is one of those that are held for operators.
    pub(super) is_scarce: bool,
    /// Whose it is, where it is the workbench's own.
    pub(super) by_hand: Option<OriginCell>,
    /// What the gate holds of it.
    pub(super) gated: Gated,
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It is read from.
    Open,
    /// The core is done with it: what is queued leaves, then FIN.
    Closing(CloseCause),
}

/// What was read and not taken yet.
#[derive(Debug, Default)]
pub(super) struct ReadBuffer {
    /// Once the first five bytes were there.
    pub(super) dialect: Option<Dialect>,
    /// The unit begun: a frame, or a `Publish` and its message.
    pub(super) pending: Vec<u8>,
    /// A unit begun that is large, and how long it will be.
    pub(super) large: Option<(BytesMut, usize)>,
    /// Bytes at the front of what is kept that were handed in: a `Publish` whose message has not come.
    pub(super) handed: usize,
    /// Nothing that follows can be trusted.
    pub(super) is_broken: bool,
}

impl ReadBuffer {
    /// Keeps the unit begun, whose whole length is known or not.
    pub(super) fn set_pending(&mut self, rest: &[u8], whole: Option<usize>) {
        self.pending = Vec::new();
        match whole {
            Some(whole) if whole >= LARGE_BYTES_MIN => {
                let mut buffer = BytesMut::with_capacity(rest.len().max(LARGE_BYTES_MIN));
                buffer.extend_from_slice(rest);
                self.large = Some((buffer, whole));
            }
            _ => self.pending = rest.to_vec(),
        }
    }

    /// Makes room for more of a large unit: no more than as much again as has come.
    pub(super) fn make_room(&mut self) {
        if let Some((buffer, whole)) = &mut self.large
            && buffer.capacity() == buffer.len()
        {
            let lacking = whole.saturating_sub(buffer.len());
            buffer.reserve(lacking.min(buffer.len().max(LARGE_BYTES_MIN)));
        }
    }

    /// Bytes that the unit begun takes in memory, which is more than has come of a large one.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.large.as_ref().map_or(self.pending.capacity(), |(buffer, _)| buffer.capacity()) as u64
    }

    /// Forgets what is kept.
    pub(super) fn clear(&mut self) {
        (self.pending, self.large, self.handed) = (Vec::new(), None, 0);
    }
}

impl Conn {
    pub(super) fn new(peer: Peer, origin: Origin, write: OwnedWriteHalf) -> Self {
        Self {
            peer,
            origin,
            write: Some(write),
            phase: Phase::Open,
            is_full: false,
            waker: None,
            read_buffer: ReadBuffer::default(),
            read_bytes_max: READ_BYTES_FIRST,
            is_scarce: false,
            by_hand: None,
            gated: Gated::default(),
        }
    }

    /// Takes less at once of a connection that made much work, and more again of one that makes little, so
    /// that nobody else waits long for its turn.
    pub(super) fn adapt_reads(&mut self, planned: u64, read_bytes_max: usize) {
        if planned > PLANNED_MAX {
            self.read_bytes_max = (self.read_bytes_max / 2).max(READ_BYTES_MIN);
        } else if planned < PLANNED_MAX / 4 {
            self.read_bytes_max = self.read_bytes_max.saturating_mul(2).min(read_bytes_max);
        }
    }

    pub(super) fn wake(&self) {
        if let Some(waker) = &self.waker {
            waker.wake_by_ref();
        }
    }
}

/// Whether what is queued may still leave after a close for this reason.
pub(super) const fn lingers(cause: CloseCause) -> bool {
    match cause {
        CloseCause::ReadFailed | CloseCause::WriteFailed | CloseCause::NotReading => false,
        CloseCause::PeerClosed
        | CloseCause::HelloTimeout
        | CloseCause::Refused(_)
        | CloseCause::Kicked
        | CloseCause::TooManyConnections
        | CloseCause::MadeRoom
        | CloseCause::NoToken
        | CloseCause::TooManyOfPeer
        | CloseCause::FrameTimeout
        | CloseCause::ReceivingFull
        | CloseCause::Shutdown => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_counts_by_the_memory_that_it_takes() {
        let mut kept = ReadBuffer::default();
        assert_eq!(kept.kept_bytes(), 0);
        kept.set_pending(b"four", None);
        assert!(kept.kept_bytes() >= 4, "{}", kept.kept_bytes());
        kept.set_pending(b"four", Some(1 << 20));
        assert!(kept.kept_bytes() >= LARGE_BYTES_MIN as u64, "its buffer is there: {}", kept.kept_bytes());
        kept.clear();
        assert_eq!(kept.kept_bytes(), 0);
    }
}
