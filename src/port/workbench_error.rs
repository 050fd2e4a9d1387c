//! Why the workbench did not do something, and what to do about it.

use serde::{Deserialize, Serialize};

/// Why the workbench did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkbenchError {
    /// Too many doors are open.
    #[error("{open} workbench connections are open, the most there can be")]
    WorkbenchFull {
        /// How many.
        open: u64,
    },
    /// There is no such door, or it is closed.
    #[error("the workbench has no connection {door}{}", why.as_ref().map_or_else(String::new, |why| format!(": {why}")))]
    NoWorkbench {
        /// Its number.
        door: u64,
        /// Why it is closed.
        why: Option<String>,
    },
    /// A frame of the peer's own is on its way, and did not end in time.
    #[error("{peer} is in the middle of a frame ({bytes} bytes of it have come)")]
    MidFrame {
        /// Whose connection.
        peer: String,
        /// Bytes of it that have come.
        bytes: u64,
    },
    /// The peer is not there.
    #[error("{peer} is not connected")]
    PeerGone {
        /// Which.
        peer: String,
    },
    /// The tap kept a part of the frame.
    #[error("the tap kept {kept} of the frame's {bytes} bytes")]
    FrameCut {
        /// Bytes that are kept.
        kept: u64,
        /// Bytes of the frame.
        bytes: u64,
    },
    /// The tap withheld the frame, for it may hold a token.
    #[error("the frame was withheld: it may contain a token")]
    Withheld,
    /// An answer of the coordination runtime, which nothing but its call leads to.
    #[error("it is an answer of the runtime, which is not sent by itself")]
    AnAnswer,
    /// What is put into another's connection is not one whole frame.
    #[error("not one whole frame: {why}")]
    NotWhole {
        /// What is wrong.
        why: String,
    },
    /// More bytes than are sent at once.
    #[error("{bytes} bytes are too many to send at once (at most {max})")]
    TooLong {
        /// How many.
        bytes: u64,
        /// The most.
        max: u64,
    },
    /// The host could not be reached, or refused the connection.
    #[error("no connection to {to}: {why}")]
    NotConnected {
        /// To what.
        to: String,
        /// Why.
        why: String,
    },
    /// An adapter is connected, and the bridge has one at a time.
    #[error("an adapter is connected already: the hello was refused as already_connected")]
    AlreadyConnected,
    /// The peer's connection has no room.
    #[error("the send buffer of {peer} is full")]
    PeerFull {
        /// Whose.
        peer: String,
    },
}

impl WorkbenchError {
    /// The machine-readable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::WorkbenchFull { .. } => "workbench_full",
            Self::NoWorkbench { .. } => "no_workbench",
            Self::MidFrame { .. } => "mid_frame",
            Self::PeerGone { .. } => "peer_gone",
            Self::FrameCut { .. } => "frame_cut",
            Self::Withheld => "withheld",
            Self::AnAnswer => "an_answer",
            Self::NotWhole { .. } => "not_whole",
            Self::TooLong { .. } => "too_long",
            Self::NotConnected { .. } => "not_connected",
            Self::AlreadyConnected => "already_connected",
            Self::PeerFull { .. } => "peer_full",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::WorkbenchFull { .. } => "close one, or raise limits.workbench.doors_max",
            Self::NoWorkbench { .. } => "open another one",
            Self::MidFrame { .. } => "try again once its frame has ended, or disconnect it",
            Self::PeerGone { .. } => {
                "`rl-console ls adapters`, `ls peers` and `ls plugins` list who is there; to simulate one, \
                 use `sim adapter --token-file FILE`, `sim agent NAME`, or `sim plugin --into DIR` and \
                 `plugin dev DIR`"
            }
            Self::FrameCut { .. } => "raise limits.tap.frame_bytes_max, and capture it again",
            Self::AnAnswer => "send its call; the gate holds answers: `rl-console gate arm link:macp --out`",
            Self::Withheld => "make a handshake of its own: inject it from JSON",
            Self::NotWhole { .. } => {
                "send one whole frame, or open a connection of its own, which takes any bytes"
            }
            Self::TooLong { .. } => "send less, or raise limits.workbench.send_bytes_max",
            Self::NotConnected { .. } => "`rl-console ls health` shows whether it is up",
            Self::AlreadyConnected => {
                "--from adapter sends it in that adapter's place; `rl-console adapter disconnect` disconnects it"
            }
            Self::PeerFull { .. } => "wait until it reads, or disconnect it",
        }
    }
}
