//! Frames made by hand: the ways they take into the station or out of it, and what came of them.

use serde::{Deserialize, Serialize};

use super::{AnswerRow, PageBytes};
use crate::{
    ids::{ConnectionId, PluginId, Seq},
    macp::Rpc,
    rmp::{Dialect, Kind},
    tap::entry::{Door, Link},
    time::Wall,
};

/// The way of a frame: a connection of its own, or one that is there already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoorSpec {
    /// A TCP connection to the bridge, whose hello shows a token that the station lends.
    Adapter {
        /// Whether the station says that hello; otherwise `$TOKEN` in what is sent first stands for the
        /// token.
        hello: bool,
    },
    /// A session of the bus.
    Peer {
        /// The dialect that it speaks.
        dialect: Dialect,
        /// The kind whose `Hello` the station says for it; nothing where what is sent begins with one.
        kind: Option<Kind>,
        /// What it calls itself there.
        client: String,
    },
    /// A call of the coordination runtime.
    Call {
        /// Which.
        rpc: Rpc,
    },
    /// Into the adapter's connection, as if the adapter had sent it.
    AsAdapter,
    /// Into the adapter's connection, as if the bridge had sent it.
    ToAdapter,
    /// To one session of the bus, as if the broker had sent it.
    ToPeer {
        /// Which.
        session: ConnectionId,
    },
    /// As if a plugin had written it.
    AsPlugin {
        /// Which.
        plugin: PluginId,
    },
    /// To a plugin, as if the host had written it.
    ToPlugin {
        /// Which.
        plugin: PluginId,
    },
}

impl DoorSpec {
    /// Whose host it leads to.
    #[must_use]
    pub const fn link(&self) -> Link {
        match self {
            Self::Adapter { .. } | Self::AsAdapter | Self::ToAdapter => Link::Mpp,
            Self::Peer { .. } | Self::ToPeer { .. } => Link::Rmp,
            Self::Call { .. } => Link::Macp,
            Self::AsPlugin { .. } | Self::ToPlugin { .. } => Link::Plugin,
        }
    }

    /// It for a frame that is the first through it: one that is a hello itself, or a broken one, takes the
    /// place of the station's. What is longer than so many bytes is not decoded: any `"type":"hello"` in it
    /// counts.
    #[must_use]
    pub fn for_first(self, frame: &[u8], decoded_bytes_max: usize) -> Self {
        #[derive(Deserialize)]
        struct Typed<'a> {
            #[serde(rename = "type")]
            kind: &'a str,
        }
        if self != (Self::Adapter { hello: true }) {
            return self;
        }
        let frame = frame.get(..HELLO_BYTES_MAX).unwrap_or(frame);
        // It is asked with each key. What has no such word is not read: an escaped one never counted.
        if memchr::memmem::find(frame, b"hello").is_none() {
            return self;
        }
        let typed = (frame.len() <= decoded_bytes_max).then(|| serde_json::from_slice::<Typed<'_>>(frame));
        let is_hello = match typed {
            Some(Ok(typed)) => typed.kind == "hello",
            _ => memchr::memmem::find(frame, br#""type":"hello""#).is_some(),
        };
        Self::Adapter { hello: !is_hello }
    }

    /// As whom a frame goes through it.
    #[must_use]
    pub const fn way(&self) -> Door {
        match self {
            Self::Adapter { .. } | Self::Peer { .. } | Self::Call { .. } => Door::Own,
            Self::AsAdapter | Self::AsPlugin { .. } => Door::AsPeer,
            Self::ToAdapter | Self::ToPeer { .. } | Self::ToPlugin { .. } => Door::AsStation,
        }
    }

    /// Whether it leads into a connection that is another's.
    #[must_use]
    pub const fn is_in_place(&self) -> bool {
        !matches!(self.way(), Door::Own)
    }

    /// Which way, in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Adapter { .. } => "as an adapter".to_owned(),
            Self::Peer { dialect: Dialect::Json, .. } => "as an agent, in JSON".to_owned(),
            Self::Peer { kind: None, .. } => "to the bus".to_owned(),
            Self::Peer { kind: Some(kind), client, .. } => format!("as {} {client}", kind.name()),
            Self::Call { rpc } => format!("call {}", rpc.name()),
            Self::AsAdapter => "in the adapter's place".to_owned(),
            Self::ToAdapter => "to the adapter".to_owned(),
            Self::ToPeer { session } => format!("to session {session}"),
            Self::AsPlugin { plugin } => format!("in the place of plugin {plugin}"),
            Self::ToPlugin { plugin } => format!("to plugin {plugin}"),
        }
    }
}

/// What the journal says of a door that is opened, before its [`words`](DoorSpec::words).
pub const DOOR_OPENS: &str = "open workbench connection: ";

/// Bytes of a frame in which its type is looked for: a line of the bridge at most.
const HELLO_BYTES_MAX: usize = crate::limits::MPP_FRAME_BYTES_MAX;

/// What the workbench does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkbenchCommand {
    /// Opens a door.
    Open {
        /// Which way.
        door: DoorSpec,
    },
    /// Sends bytes through it, and waits for what becomes of them.
    Send {
        /// The door's number.
        door: u64,
        /// The bytes, in the pieces in which they are written; at most `limits.workbench.send_bytes_max`.
        pieces: Vec<PageBytes>,
        /// The captured frame that they were made of.
        of: Option<Seq>,
        /// How long to wait for a verdict and answers, in milliseconds; cut to 30,000.
        wait_ms: u64,
        /// After how many answers nothing more is waited for, once the verdict is there; where nothing is
        /// said, until nothing more has come for 40 ms. A frame that is refused is waited for like that too,
        /// unless so many answers came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<u64>,
        /// The answers that were foreseen: the values in which those that come are different are said.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        foreseen: Vec<AnswerRow>,
    },
    /// Sends whole frames through a connection of its own, one behind the other, without a pause for what
    /// becomes of each.
    SendAll {
        /// The door's number.
        door: u64,
        /// The frames, or units of the bus with their `Publish`; at most `limits.workbench.send_bytes_max`,
        /// and 1,024 of them.
        frames: Vec<PageBytes>,
        /// How long to wait for the next verdict, in milliseconds; cut to 30,000.
        wait_ms: u64,
        /// As in [`Send`](Self::Send), of the last of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<u64>,
    },
    /// Closes it.
    Close {
        /// Its number.
        door: u64,
    },
}

/// What the workbench did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkbenchOutcome {
    /// A door is open.
    Opened {
        /// Its number.
        door: u64,
        /// Who it is to the host: an address, a session, a plugin.
        peer: String,
    },
    /// Bytes went through it.
    Sent(SentFrame),
    /// Frames went through it: what became of those that have a verdict or were stopped at the gate, in their
    /// order. Those behind the one that ended the connection had no effect, and are not in it.
    SentAll(Vec<SentFrame>),
    /// It is closed.
    Closed {
        /// Its number.
        door: u64,
    },
}

/// What became of bytes that were sent through a door.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentFrame {
    /// The door.
    pub door: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// The entries that tell of it, in their order: the frame with its verdict, what answered it, what it
    /// caused.
    pub told: Vec<ToldEntry>,
    /// Entries that are not listed.
    pub more: u64,
    /// Entries of the tap that were lost before they were looked at: what is missing may be among them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// Why the door is closed now, where it is.
    pub closed: Option<String>,
}

impl SentFrame {
    /// The entry of the frame itself; of several frames that were sent at once, that of the first that was
    /// not taken, or of the last.
    #[must_use]
    pub fn own(&self) -> Option<&ToldEntry> {
        self.own_entries().find(|told| told.is_refused()).or_else(|| self.own_entries().last())
    }

    /// The entries of all frames that were sent at once, in their order.
    pub fn own_entries(&self) -> impl Iterator<Item = &ToldEntry> {
        self.told.iter().filter(|told| told.is_own)
    }

    /// How the frame ended: by its verdict, but `refused` where it was accepted and is answered with an error
    /// all the same, such as by a store that fails.
    #[must_use]
    pub fn verdict(&self) -> Option<&str> {
        let verdict = self.own()?.verdict.as_deref()?;
        let is_answered_with_an_error =
            || self.own().is_some_and(|own| own.code.is_none()) && self.code().is_some();
        Some(if verdict == "accepted" && is_answered_with_an_error() { "refused" } else { verdict })
    }

    /// The name of its fault, or of the error that answers it.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        let own = self.own()?.code.as_deref();
        own.or_else(|| self.answers().find_map(|answer| answer.code.as_deref()))
    }

    /// The clause that it broke, or by which it is answered with that error.
    #[must_use]
    pub fn clause(&self) -> Option<&str> {
        let own = self.own()?.clause.as_deref();
        own.or_else(|| self.answers().find_map(|answer| answer.clause.as_deref()))
    }

    /// The frames that answered, in their order: those to the same peer that it caused. A frame of which no
    /// entry is there has none.
    pub fn answers(&self) -> impl Iterator<Item = &ToldEntry> {
        let peer = self.own().and_then(|own| own.peer.as_deref());
        let is_answer = move |told: &&ToldEntry| {
            !told.is_own && told.direction.is_some() && peer.is_some() && told.peer.as_deref() == peer
        };
        self.told.iter().filter(is_answer)
    }

    /// Whether the gate holds it, as far as was waited.
    #[must_use]
    pub fn is_held(&self) -> bool {
        let at_gate = |told: &&ToldEntry| told.kind == "intercepted" || told.kind == "passed";
        self.own().is_none() && self.told.iter().rfind(at_gate).is_some_and(|told| told.kind == "intercepted")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An entry of the tap that tells of an injected frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldEntry {
    /// Its place in the tap.
    pub seq: Seq,
    /// When, in Unix milliseconds.
    pub at_ms: Wall,
    /// Whether it is the frame that was sent.
    pub is_own: bool,
    /// Whether it is the status that ends a call, in place of a message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_status: bool,
    /// `in` or `out`; nothing of a change of state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The frame's type, or the name of the change.
    pub kind: String,
    /// `ok`, `sent`, `fault`, `late`, `warn` or `bad`; nothing of a change in the course of things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The session of the coordination runtime that a frame is of, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who is at the other end of a frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The verdict of a frame: `accepted`, `refused`, `duplicate`, `answered`, `ignored`, `late` or `sent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The name of the fault in its protocol's taxonomy; of an answer, of the error that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The clause that it broke; of an answer that is an error, the one by which it is answered so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// Who a message of the bus was delivered to, counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribers: Option<u64>,
    /// Of an answer, the values in which it is not as was foreseen, by their names; of the moment's ids and
    /// times, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
    /// What happened, in one line.
    pub line: String,
    /// The trace that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<crate::ids::TraceId>,
    /// The frame's bytes as the tap keeps them, secrets masked; of a change, its text.
    pub payload: PageBytes,
}

#[cfg(test)]
impl ToldEntry {
    /// One of a frame of this type that answers a session of the bus.
    pub(crate) fn of(kind: &str) -> Self {
        let (direction, peer) = (Some("out".to_owned()), Some("session 3".to_owned()));
        Self { seq: Seq(7), direction, kind: kind.to_owned(), peer, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_of_ones_own_takes_the_place_of_the_stations() {
        let adapter = |hello| DoorSpec::Adapter { hello };
        let first = |frame: &str| adapter(true).for_first(frame.as_bytes(), usize::MAX);
        assert_eq!(first("{\"mpp\":2,\"type\":\"pull\",\"queue\":\"hello\"}\n"), adapter(true));
        assert_eq!(first("{\"mpp\":2,\"type\":\"hello\"}\n"), adapter(false));
        assert_eq!(first("{\"mpp\":2,\"type\":\"hello\",}\n"), adapter(false), "a broken one too");
        assert_eq!(first("{\"mpp\":2,\"type\":\"\\u0068ello\"}\n"), adapter(true), "none that is escaped");
        assert_eq!(DoorSpec::AsAdapter.for_first(b"{\"type\":\"hello\"}\n", usize::MAX), DoorSpec::AsAdapter);
        let nested = b"{\"type\":\"log\",\"fields\":{\"type\":\"hello\"}}\n";
        assert_eq!(adapter(true).for_first(nested, nested.len()), adapter(true));
        assert_eq!(adapter(true).for_first(nested, nested.len() - 1), adapter(false), "it is not decoded");
    }

    #[test]
    fn a_door_is_ones_own_or_in_somebodys_place() {
        let plugin = || PluginId::new("com.example.clock");
        for (door, way) in [
            (DoorSpec::Adapter { hello: true }, Door::Own),
            (DoorSpec::Call { rpc: Rpc::Send }, Door::Own),
            (DoorSpec::AsAdapter, Door::AsPeer),
            (DoorSpec::AsPlugin { plugin: plugin() }, Door::AsPeer),
            (DoorSpec::ToPeer { session: ConnectionId(7) }, Door::AsStation),
            (DoorSpec::ToPlugin { plugin: plugin() }, Door::AsStation),
        ] {
            assert_eq!((door.way(), door.is_in_place()), (way, way != Door::Own), "{door:?}");
        }
    }
}
