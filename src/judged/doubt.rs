//! How far a judgement holds.

use serde::{Deserialize, Serialize};

/// Whose word a verdict is, from the surest to the least sure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Nothing that happens meanwhile changes it: it hangs on the bytes alone.
    #[default]
    Certain,
    /// It hangs on the state that others change.
    AsOfNow,
    /// It hangs on what the store answers, which was not asked yet.
    AfterALook,
    /// It is not ours: the peer decides.
    ThePeers,
}

impl Certainty {
    /// It in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::AsOfNow => "as of now",
            Self::AfterALook => "after a look into the store",
            Self::ThePeers => "the peer's to decide",
        }
    }
}

/// What no judgement can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Another peer pulls, answers, leaves, or takes the last place first.
    AnotherPeer,
    /// Another message of the same id comes first.
    SameIdFirst,
    /// Its time runs out: a TTL, the end of a session, the wait for a hello.
    Time,
    /// The store does not commit it.
    Commit,
    /// The connection is refused, reset or stalled, or a client's deadline passes.
    Transport,
    /// What an adapter, agent or plugin makes of a frame of ours.
    Peer,
}

impl Doubt {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::AnotherPeer, Self::SameIdFirst, Self::Time, Self::Commit, Self::Transport, Self::Peer];

    /// It in words, of a frame of a link of this name.
    #[must_use]
    pub fn words(self, link: &str) -> &'static str {
        match self {
            Self::AnotherPeer => "another peer may pull, answer, leave or take the last place first",
            Self::SameIdFirst => "another message with the same id may come first",
            Self::Time => "its time may run out first",
            Self::Commit => "the store may not commit it",
            Self::Transport if link == "macp" => {
                "the call may be refused, reset or stalled, or its client's deadline may pass first"
            }
            Self::Transport if link == "plugin" => "the process may end, or stop reading",
            Self::Transport => "the connection may be refused, reset or stalled",
            Self::Peer => "the peer decides what it makes of the frame",
        }
    }
}
