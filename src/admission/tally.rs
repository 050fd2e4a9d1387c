//! What a port's admission counts, for metrics, `ls health` and alerts.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Why a connection or a frame was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TurnedAway {
    /// It had not spoken, was the oldest of those, and made room for a newcomer: of all where the table is
    /// full, of its origin where that has its part.
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

impl TurnedAway {
    /// The reason of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.name() == name)
    }

    /// Why, for a person; `group` is the port's group of limits.
    #[must_use]
    pub fn text(self, group: &str) -> String {
        match self {
            Self::MadeRoom => {
                format!(
                    "they said nothing, and others needed their places, of all or of the same peer's \
                     (limits.{group}.connections_max, limits.{group}.peer_connections_max)"
                )
            }
            Self::TableFull => format!("all places are taken (limits.{group}.connections_max)"),
            Self::NoToken => {
                format!(
                    "no place is left but for operators, and they showed no operator's token (limits.{group}.connections_max)"
                )
            }
            Self::PeerShare => {
                format!("one peer has its part of the places (limits.{group}.peer_connections_max)")
            }
            Self::FirstFrame => "no first frame came in time".to_owned(),
            Self::FrameTime => format!("frames did not become whole in time (limits.{group}.frame_ms_max)"),
            Self::ReceivingBytes => {
                format!("too much was being received at one time (limits.{group}.receiving_bytes_max)")
            }
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::MadeRoom | Self::FirstFrame => "end the program that connects and says nothing",
            Self::TableFull | Self::NoToken | Self::PeerShare => {
                "end the program that holds so many connections, or raise the bound"
            }
            Self::FrameTime => "end the program that hangs while it sends, or raise the bound",
            Self::ReceivingBytes => "have fewer large frames sent at one time, or raise the bound",
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

    /// A part of [`open`](Self::open).
    pub(super) fn open_gauge(&self) -> Gauge {
        Gauge::new(self, |counters| &counters.open)
    }

    /// A part of [`silent`](Self::silent).
    pub(super) fn silent_gauge(&self) -> Gauge {
        Gauge::new(self, |counters| &counters.silent)
    }

    /// A part of [`receiving_bytes`](Self::receiving_bytes).
    pub(super) fn receiving_gauge(&self) -> Gauge {
        Gauge::new(self, |counters| &counters.receiving_bytes)
    }
}

/// What one table, or one set of frames, adds to a number of the port for as long as it lives: a host that
/// ends beside its successor takes nothing of the successor's with it.
#[derive(Debug)]
pub(super) struct Gauge {
    tally: Tally,
    of: fn(&Counters) -> &AtomicU64,
    value: u64,
}

impl Gauge {
    fn new(tally: &Tally, of: fn(&Counters) -> &AtomicU64) -> Self {
        Self { tally: tally.clone(), of, value: 0 }
    }

    pub(super) fn get(&self) -> u64 {
        self.value
    }

    pub(super) fn set(&mut self, value: u64) {
        let total = (self.of)(&self.tally.0);
        // The sum wraps as the difference does.
        total.fetch_add(value.wrapping_sub(self.value), Relaxed);
        self.value = value;
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.set(0);
    }
}
