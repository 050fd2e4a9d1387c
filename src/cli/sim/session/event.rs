//! What simulated participants tell of themselves, a line an event.

use serde::Serialize;

use crate::{
    cli::table::visible,
    macp::{Mode, SessionState},
    words::counted,
};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The runtime answers.
    Connected { addr: String },
    /// A session began.
    Opened { session: String, mode: &'static str, intent: &'static str },
    /// A message was accepted.
    Said { session: String, sender: String, message_type: &'static str, says: String, duplicate: bool },
    /// A message was not.
    Refused { session: String, sender: String, message_type: &'static str, code: String, why: String },
    /// A session has ended, or nobody goes on with it.
    Over { session: String, state: &'static str, messages: u64 },
    /// The connection is gone.
    Disconnected { why: String },
    /// The message is sent again.
    Reconnecting { in_ms: u64 },
    /// That was all.
    Ended { sessions: u64, messages: u64, resolved: u64, cancelled: u64, left: u64, refused: u64 },
}

impl Event {
    /// A session began.
    pub(crate) fn opened(session: &str, mode: Mode, intent: &'static str) -> Self {
        Self::Opened { session: session.to_owned(), mode: mode.short(), intent }
    }

    /// The line for people.
    pub(crate) fn line(&self) -> String {
        visible(&match self {
            Self::Connected { addr } => format!("connected to {addr}"),
            Self::Opened { session, mode, intent } => format!("{session}  opened      {mode}: {intent}"),
            Self::Said { session, sender, message_type, says, duplicate } => {
                let again = if *duplicate { " (duplicate)" } else { "" };
                format!("{session}  {message_type:<10}  {sender}: {says}{again}")
            }
            Self::Refused { session, sender, message_type, code, why } => {
                format!("{session}  {message_type:<10}  {sender}: refused: {code}: {why}")
            }
            Self::Over { session, state, messages } => {
                let over = if *state == SessionState::Open.name() { "left" } else { state };
                format!("{session}  {over:<10}  after {}", counted(*messages, "message"))
            }
            Self::Disconnected { why } => format!("disconnected: {why}"),
            Self::Reconnecting { in_ms } => format!("reconnecting in {in_ms} ms"),
            Self::Ended { sessions, messages, resolved, cancelled, left, refused } => format!(
                "ended: {}, {}; {resolved} resolved, {cancelled} cancelled, {left} abandoned, {refused} \
                 refused",
                counted(*sessions, "session"),
                counted(*messages, "message")
            ),
        })
    }
}
