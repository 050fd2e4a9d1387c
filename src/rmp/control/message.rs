//! What control frames say (ruling RMP 1).

use std::fmt;

use super::fields::{Fields, message};
use crate::rmp::{
    Body,
    body::{BodyFault, Breach},
};

/// `v` of a Hello.
pub const VERSION: u64 = 1;

/// What a client says. Every frame but the first is of an open session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromClient<'a> {
    /// The first frame, within 10 s.
    Hello {
        /// The version of the session layer, [`VERSION`].
        v: u64,
        /// What the client calls itself.
        client: &'a str,
        /// The kind that it asks for, by its name.
        kind: &'a str,
        /// What it shows for it.
        token: Option<Token<'a>>,
    },
    /// Asks for the messages of topics.
    Subscribe {
        /// The client's number of the subscription.
        sub: u64,
        /// A pattern.
        topic: &'a str,
    },
    /// Ends a subscription.
    Unsubscribe {
        /// Its number.
        sub: u64,
    },
    /// The next frame is a message for a topic.
    Publish {
        /// The topic.
        topic: &'a str,
        /// Whether it is answered.
        ack: bool,
    },
    /// Asks for a Pong.
    Ping {},
}

/// What the broker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromBroker<'a> {
    /// The session is open.
    Welcome {
        /// The session's number.
        session: u64,
        /// The kind that it was given, by its name.
        kind: &'a str,
        /// Bytes of a body at most.
        body_bytes_max: u64,
        /// What the broker calls itself.
        server: &'a str,
    },
    /// Something asked for is done.
    Ok {
        /// The `msg_id` answered.
        re: u64,
    },
    /// Something was refused.
    Error {
        /// The `msg_id` answered, 0 if none was read.
        re: u64,
        /// A name of the taxonomy, or one of ruling RMP 1.
        code: &'a str,
        /// The reason, for people.
        message: &'a str,
    },
    /// The next frame is a message; the two were written as one.
    Deliver {
        /// The subscription that it is for.
        sub: u64,
        /// The concrete topic.
        topic: &'a str,
    },
    /// Answers a Ping.
    Pong {},
}

/// A token as a client shows it. It is never shown to people.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token<'a>(pub &'a str);

impl fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

impl<'a> FromClient<'a> {
    /// Reads what the payload of a control frame says.
    ///
    /// # Errors
    /// The first [`BodyFault`], with its place in the body: an unknown message, a field that is missing,
    /// there twice or mistyped.
    pub fn decode(body: &Body<'a>) -> Result<Self, BodyFault> {
        let (name, mut walk) = message(body)?;
        Ok(match name.text {
            "Hello" => {
                let fields = Fields::read("Hello", &mut walk, body, ["v", "client", "kind", "token"])?;
                Self::Hello {
                    v: fields.number("v")?,
                    client: fields.text("client")?,
                    kind: fields.text("kind")?,
                    token: fields.text_if_any("token")?.map(Token),
                }
            }
            "Subscribe" => {
                let fields = Fields::read("Subscribe", &mut walk, body, ["sub", "topic"])?;
                Self::Subscribe { sub: fields.number("sub")?, topic: fields.text("topic")? }
            }
            "Unsubscribe" => Self::Unsubscribe {
                sub: Fields::read("Unsubscribe", &mut walk, body, ["sub"])?.number("sub")?,
            },
            "Publish" => {
                let fields = Fields::read("Publish", &mut walk, body, ["topic", "ack"])?;
                Self::Publish { topic: fields.text("topic")?, ack: fields.flag("ack")? }
            }
            "Ping" => {
                Fields::read("Ping", &mut walk, body, [])?;
                Self::Ping {}
            }
            _ => return Err(BodyFault { at: name.at, breach: Breach::UnknownMessage }),
        })
    }

    /// The message's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "Hello",
            Self::Subscribe { .. } => "Subscribe",
            Self::Unsubscribe { .. } => "Unsubscribe",
            Self::Publish { .. } => "Publish",
            Self::Ping {} => "Ping",
        }
    }
}

impl<'a> FromBroker<'a> {
    /// Reads what the payload of a control frame says.
    ///
    /// # Errors
    /// The first [`BodyFault`], as with [`FromClient::decode`].
    pub fn decode(body: &Body<'a>) -> Result<Self, BodyFault> {
        let (name, mut walk) = message(body)?;
        Ok(match name.text {
            "Welcome" => {
                let fields = Fields::read(
                    "Welcome",
                    &mut walk,
                    body,
                    ["session", "kind", "body_bytes_max", "server"],
                )?;
                Self::Welcome {
                    session: fields.number("session")?,
                    kind: fields.text("kind")?,
                    body_bytes_max: fields.number("body_bytes_max")?,
                    server: fields.text("server")?,
                }
            }
            "Ok" => Self::Ok { re: Fields::read("Ok", &mut walk, body, ["re"])?.number("re")? },
            "Error" => {
                let fields = Fields::read("Error", &mut walk, body, ["re", "code", "message"])?;
                Self::Error {
                    re: fields.number("re")?,
                    code: fields.text("code")?,
                    message: fields.text("message")?,
                }
            }
            "Deliver" => {
                let fields = Fields::read("Deliver", &mut walk, body, ["sub", "topic"])?;
                Self::Deliver { sub: fields.number("sub")?, topic: fields.text("topic")? }
            }
            "Pong" => {
                Fields::read("Pong", &mut walk, body, [])?;
                Self::Pong {}
            }
            _ => return Err(BodyFault { at: name.at, breach: Breach::UnknownMessage }),
        })
    }

    /// The message's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Welcome { .. } => "Welcome",
            Self::Ok { .. } => "Ok",
            Self::Error { .. } => "Error",
            Self::Deliver { .. } => "Deliver",
            Self::Pong {} => "Pong",
        }
    }
}
