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
const END_SILENT: &str =
    "end the program that connects and says nothing (`ls clients` shows who is connected, and who is silent)";
const END_HOLDER: &str = "end the program that holds so many connections (`ls clients` shows who is connected), \
                          or raise the bound";

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
                text: "they said nothing, and others needed their places, of all or of the same peer's \
                       (limits.PORT.connections_max, limits.PORT.peer_connections_max)",
                remedy: END_SILENT,
            },
            Self::TableFull => Row {
                name: "table_full",
                text: "all places are taken (limits.PORT.connections_max)",
                remedy: END_HOLDER,
            },
            Self::PeerShare => Row {
                name: "peer_share",
                text: "one peer has its part of the places (limits.PORT.peer_connections_max)",
                remedy: END_HOLDER,
            },
            Self::FirstFrame => {
                Row { name: "first_frame", text: "no first frame came in time", remedy: END_SILENT }
            }
            Self::NoToken => Row {
                name: "no_token",
                text: "no place is left but for operators, and they showed no operator's token \
                       (limits.PORT.connections_max)",
                remedy: END_HOLDER,
            },
            Self::FrameTime => Row {
                name: "frame_time",
                text: "frames did not become whole in time (limits.PORT.frame_ms_max)",
                remedy: "end the program that hangs while it sends (`ls clients` shows who is connected), or \
                         raise the bound",
            },
            Self::ReceivingBytes => Row {
                name: "receiving_bytes",
                text: "too much was being received at one time (limits.PORT.receiving_bytes_max)",
                remedy: "have fewer large frames sent at one time (`ls clients` shows who is connected), or \
                         raise the bound",
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
