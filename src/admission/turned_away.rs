//! Why a port turns somebody away, and what is said of it.

use super::Port;

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

/// What is said of a reason.
struct Row {
    /// Its name for metrics and scripts.
    name: &'static str,
    /// Why, for a person; `PORT` stands for the port's group of limits.
    text: &'static str,
    /// What to do about it.
    remedy: &'static str,
}

/// What to do about programs that say nothing, or that hold too many connections.
const END_SILENT: &str = "stop the client that connects without sending anything (`ls clients` lists clients, including silent ones)";
const END_HOLDER: &str =
    "stop the client that holds too many connections (`ls clients` lists clients), or raise the limit";

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

    const fn row(self) -> Row {
        match self {
            Self::MadeRoom => Row {
                name: "made_room",
                text: "idle connections closed to make room for new ones (limits.PORT.connections_max, \
                       limits.PORT.peer_connections_max)",
                remedy: END_SILENT,
            },
            Self::TableFull => Row {
                name: "table_full",
                text: "too many connections (limits.PORT.connections_max)",
                remedy: END_HOLDER,
            },
            Self::PeerShare => Row {
                name: "peer_share",
                text: "too many connections from one peer (limits.PORT.peer_connections_max)",
                remedy: END_HOLDER,
            },
            Self::FirstFrame => {
                Row { name: "first_frame", text: "no first frame within the time limit", remedy: END_SILENT }
            }
            Self::NoToken => Row {
                name: "no_token",
                text: "too many connections, and no operator token for a reserved one \
                       (limits.PORT.connections_max)",
                remedy: END_HOLDER,
            },
            Self::FrameTime => Row {
                name: "frame_time",
                text: "incomplete frames timed out (limits.PORT.frame_ms_max)",
                remedy: "stop the client that hangs while sending (`ls clients` lists clients), or raise the limit",
            },
            Self::ReceivingBytes => Row {
                name: "receiving_bytes",
                text: "too many bytes of incomplete frames (limits.PORT.receiving_bytes_max)",
                remedy: "send fewer large frames at a time (`ls clients` lists clients), or raise the limit",
            },
        }
    }

    /// Its place in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name for metrics and scripts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The reason of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.name() == name)
    }

    /// Why, for a person.
    #[must_use]
    pub fn text(self, port: Port) -> String {
        self.row().text.replace("PORT", port.name())
    }

    /// What to do about it.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        self.row().remedy
    }
}
