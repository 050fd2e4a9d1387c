//! The closed words of a snippet: its link, its door, and what must be there first.

use serde::{Deserialize, Serialize};

/// Declares words by their texts.
macro_rules! words {
    ($(
        $(#[doc = $about:literal])+
        $Name:ident { $( $(#[doc = $doc:literal])+ $Word:ident = $text:literal, )* }
    )*) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
            pub(crate) enum $Name {
                $( $(#[doc = $doc])+ #[serde(rename = $text)] $Word, )*
            }

            impl $Name {
                /// All of them.
                pub(crate) const ALL: &'static [Self] = &[ $( Self::$Word, )* ];

                /// The word.
                pub(crate) const fn name(self) -> &'static str {
                    match self { $( Self::$Word => $text, )* }
                }
            }
        )*
    };
}

words! {
    /// The link of a snippet, and its folder.
    SnippetLink {
        /// The bridge and its adapter.
        Mpp = "mpp",
        /// The bus.
        Rmp = "rmp",
        /// The coordination runtime.
        Macp = "macp",
        /// A plugin and its host.
        Plugin = "plugin",
    }
    /// The way that a snippet's frames take.
    SnippetDoor {
        /// A connection to the bridge of its own, whose hello the station sends.
        Adapter = "adapter",
        /// A connection of its own without a hello, to the bridge or the bus.
        None = "none",
        /// In the adapter's place.
        FromAdapter = "from-adapter",
        /// In the bridge's place, to the adapter.
        ToAdapter = "to-adapter",
        /// A session of the bus.
        Peer = "peer",
        /// A session of the bus in the JSON dialect.
        Json = "json",
        /// In the broker's place, to a session.
        ToPeer = "to-peer",
        /// In the broker's place, to a session in the JSON dialect.
        ToJson = "to-json",
        /// A call of the coordination runtime.
        Call = "call",
        /// In a plugin's place.
        FromPlugin = "from-plugin",
        /// In the host's place, to a plugin.
        ToPlugin = "to-plugin",
    }
    /// What must be there before a snippet's frames are sent.
    Stage {
        /// A token for adapters exists.
        Paired = "paired",
        /// No token for adapters exists.
        Unpaired = "unpaired",
        /// An adapter is connected.
        Adapter = "adapter",
        /// No adapter is connected.
        NoAdapter = "no_adapter",
        /// Row 1 waits in the queue `default` of the sample pack.
        RowWaiting = "row_waiting",
        /// A queue of the sample pack has no rows.
        EmptyQueue = "empty_queue",
        /// No session of the coordination runtime has the snippet's id.
        NewSession = "new_session",
        /// A session of the coordination runtime has the snippet's id.
        Session = "session",
        /// A subscriber of the topic.
        Subscriber = "subscriber",
        /// The bus has no room for what is asked for.
        FullBus = "full_bus",
        /// A session of the bus is there that the frame goes to.
        Peer = "peer",
        /// A session of the bus in the JSON dialect is there that the frame goes to.
        JsonPeer = "json_peer",
        /// The plugin runs.
        Plugin = "plugin",
        /// The plugin was not granted what it asks for.
        NotGranted = "not_granted",
        /// Someone declined what the plugin asks for.
        Declined = "declined",
        /// There is nothing to hand over for what the plugin asks for.
        NoCredential = "no_credential",
        /// The plugin is being stopped.
        Stopping = "stopping",
        /// A channel of the stream is active.
        Stream = "stream",
        /// There is something to hand over for what the plugin asks for.
        Credential = "credential",
        /// Nothing can be written.
        FailingStore = "failing_store",
    }
}

impl SnippetDoor {
    /// Whether frames of a link go through it.
    pub(crate) const fn is_of(self, link: SnippetLink) -> bool {
        match link {
            SnippetLink::Mpp => {
                matches!(self, Self::Adapter | Self::None | Self::FromAdapter | Self::ToAdapter)
            }
            SnippetLink::Rmp => {
                matches!(self, Self::None | Self::Peer | Self::Json | Self::ToPeer | Self::ToJson)
            }
            SnippetLink::Macp => matches!(self, Self::Call),
            SnippetLink::Plugin => matches!(self, Self::FromPlugin | Self::ToPlugin),
        }
    }
}

impl Stage {
    /// What must be there, in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Paired => "a token for adapters (`rl-console pair`)",
            Self::Unpaired => "no token for adapters",
            Self::Adapter => "a connected adapter (`rl-console sim adapter --token-file FILE`)",
            Self::NoAdapter => "no connected adapter",
            Self::RowWaiting => "row 1 waiting in the queue default (`--set body.id=N` for another row)",
            Self::EmptyQueue => "no rows in the queue",
            Self::NewSession => "no session of this id (`--set body.envelope.session_id=ID` for another)",
            Self::FullBus => "a limit of the bus that is reached",
            Self::Session => "a session of this id (`--set body.session_id=ID` for another)",
            Self::Subscriber => "a subscriber of the topic",
            Self::Peer => "a session of the bus (`--to N`; `rl-console sim agent NAME` starts one)",
            Self::JsonPeer => "a session of the bus in the JSON dialect (`--to N`)",
            Self::Plugin => {
                "a running plugin (`rl-console sim plugin --into DIR`, `rl-console plugin dev DIR`)"
            }
            Self::NotGranted => "a plugin without the grant",
            Self::Declined => "a plugin whose request was declined",
            Self::NoCredential => "no source of the credential",
            Self::Stopping => "a plugin that is being stopped",
            Self::Stream => "an active channel of the stream",
            Self::Credential => "a credential that is allowed",
            Self::FailingStore => {
                "a store that cannot write (`gate arm FILTER --then fail-store=30000ms`, `--rehearsal` alone)"
            }
        }
    }
}
