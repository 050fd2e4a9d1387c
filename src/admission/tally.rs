//! What a port's admission counts, for metrics, `ls health` and alerts.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Why a connection or a frame was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TurnedAway {
    /// It had not spoken, was the oldest of those, and made room for a newcomer.
    MadeRoom,
    /// All places are taken, by connections that have spoken.
    TableFull,
    /// Its origin has its part of the table already.
    PeerShare,
    /// No first frame came in time.
    FirstFrame,
    /// It came into the operators' room and showed no operator's token in time.
    NoToken,
    /// A frame took too long from its first byte to its last.
    FrameTime,
    /// More was being received than the port may hold, and its frame was the largest.
    ReceivingBytes,
}

impl TurnedAway {
    /// All of them, in the order of their indexes.
    pub const ALL: [Self; 7] = [
        Self::MadeRoom,
        Self::TableFull,
        Self::PeerShare,
        Self::FirstFrame,
        Self::NoToken,
        Self::FrameTime,
        Self::ReceivingBytes,
    ];

    /// Its place in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name for metrics and scripts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MadeRoom => "made_room",
            Self::TableFull => "table_full",
            Self::PeerShare => "peer_share",
            Self::FirstFrame => "first_frame",
            Self::NoToken => "no_token",
            Self::FrameTime => "frame_time",
            Self::ReceivingBytes => "receiving_bytes",
        }
    }
}

/// The counters of one port. Clones are the same counters; they outlive a host that is started again.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    turned_away: [AtomicU64; TurnedAway::ALL.len()],
    open: AtomicU64,
    silent: AtomicU64,
    receiving_bytes: AtomicU64,
}

impl Tally {
    /// One more was turned away.
    pub fn count(&self, why: TurnedAway) {
        if let Some(count) = self.0.turned_away.get(why.index()) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// How many were turned away so far, by [`TurnedAway::index`].
    #[must_use]
    pub fn turned_away(&self) -> [u64; TurnedAway::ALL.len()] {
        self.0.turned_away.each_ref().map(|count| count.load(Relaxed))
    }

    /// Connections that have a place now.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.0.open.load(Relaxed)
    }

    /// Those of them that have not spoken.
    #[must_use]
    pub fn silent(&self) -> u64 {
        self.0.silent.load(Relaxed)
    }

    /// Bytes of frames that are not whole yet.
    #[must_use]
    pub fn receiving_bytes(&self) -> u64 {
        self.0.receiving_bytes.load(Relaxed)
    }

    pub(super) fn set_connections(&self, open: u64, silent: u64) {
        self.0.open.store(open, Relaxed);
        self.0.silent.store(silent, Relaxed);
    }

    pub(super) fn set_receiving_bytes(&self, bytes: u64) {
        self.0.receiving_bytes.store(bytes, Relaxed);
    }
}
