//! Who a client is, and what the broker says to it.

use std::fmt;

use crate::{ids::ConnectionId, rmp::Kind};

/// What a client says of itself (ruling RMP 1).
#[derive(Clone, PartialEq, Eq)]
pub struct Hello {
    /// What it calls itself.
    pub client: String,
    /// The kind that it asks for.
    pub kind: Kind,
    /// What it shows for that; an agent needs nothing.
    pub token: Option<String>,
    /// The process that alone is shown the token, 0 for one that cannot be seen from here; any of this
    /// user's, where none is named.
    pub only_to: Option<u32>,
}

impl Hello {
    /// An agent, which needs no token.
    #[must_use]
    pub fn agent(client: &str) -> Self {
        Self { client: client.to_owned(), kind: Kind::Agent, token: None, only_to: None }
    }

    /// Any other kind, by its token (ruling RMP 6).
    #[must_use]
    pub fn with_token(client: &str, kind: Kind, token: &str) -> Self {
        Self { client: client.to_owned(), kind, token: Some(token.to_owned()), only_to: None }
    }

    /// Shows the token to this process alone.
    #[must_use]
    pub fn only_to(self, process: u32) -> Self {
        Self { only_to: Some(process), ..self }
    }
}

impl fmt::Debug for Hello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token.as_ref().map(|_| "***");
        f.debug_struct("Hello")
            .field("client", &self.client)
            .field("kind", &self.kind)
            .field("token", &token)
            .field("only_to", &self.only_to)
            .finish()
    }
}

/// What an open session is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// Its number.
    pub session: ConnectionId,
    /// The kind that it was given.
    pub kind: Kind,
    /// Bytes of a body at most.
    pub body_bytes_max: u64,
    /// What the broker calls itself.
    pub server: Box<str>,
}
