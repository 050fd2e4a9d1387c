//! What a body says.

use std::{fmt, sync::Arc};

use super::{Params, RawJson};
use crate::{
    ids::PluginId,
    tap::entry::plugin::{Code, Head, Lint},
    words::cut_marked,
};

/// The cap on the JSON text of an id, in bytes: every answer that echoes one fits a frame.
pub const ID_BYTES_MAX: usize = 65_536;

/// The id of a plugin's request: a string, a number or null, as the exact JSON text that came.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The id of this JSON text, which is a string, a number or null.
    pub(super) fn of_text(text: &str) -> Self {
        Self(text.into())
    }

    /// The JSON text.
    #[must_use]
    pub const fn text(&self) -> &Arc<str> {
        &self.0
    }
}

impl From<u64> for RequestId {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A body that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// What it says, or why it says nothing.
    pub message: Result<Message, Refused>,
    /// What departs from the specification without spoiling it.
    pub lints: Vec<Lint>,
}

/// What a body says. Members that are not listed are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A call that is answered once.
    Request {
        /// Its id, echoed by the answer.
        id: RequestId,
        /// What is called.
        method: Arc<str>,
        /// With what.
        params: Params,
    },
    /// A call that is never answered.
    Notification {
        /// What is called.
        method: Arc<str>,
        /// With what.
        params: Params,
    },
    /// The answer to a request of the host. It is never answered.
    Answer {
        /// The number that its id is, if it is one that the host could have sent.
        id: Option<u64>,
        /// Its id as it came; none where it has none, or one that is no string, number or null.
        id_text: Option<RequestId>,
        /// The result, or the error.
        outcome: Result<RawJson, PluginError>,
    },
}

/// The error that a plugin answered with. What it lacks is filled in, and the answer linted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginError {
    /// Its code; -32603 where it has none that fits 64 bits.
    pub code: i64,
    /// Its message; empty where it has none.
    pub message: String,
    /// What else it carries.
    pub data: Option<RawJson>,
}

/// A body that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// [`Code::ParseError`] or [`Code::InvalidRequest`].
    pub code: Code,
    /// The id to answer with; none for null.
    pub id: Option<RequestId>,
    /// Its method, if that could be read.
    pub method: Option<Arc<str>>,
    /// Whether it is answered: a notification is not, also where it is not valid.
    pub is_answered: bool,
    /// What is wrong with it.
    pub what: String,
}

/// The head of a body for the tap; method and id are cut at `id_bytes_max` (`limits.plugin.id_bytes_max`).
/// The method of an answer is for the caller to add, who knows the request.
#[must_use]
pub fn head(plugin: PluginId, incoming: &Incoming, id_bytes_max: u64) -> Head {
    let mut head = Head::new(plugin);
    let (method, id) = match &incoming.message {
        Ok(Message::Request { id, method, .. }) => (Some(method), Some(id)),
        Ok(Message::Notification { method, .. }) => (Some(method), None),
        Ok(Message::Answer { id_text, outcome, .. }) => {
            head.is_answer = true;
            head.code = outcome.as_ref().err().map(|error| error.code);
            (None, id_text.as_ref())
        }
        Err(refused) => (refused.method.as_ref(), refused.id.as_ref()),
    };
    head.method = method.map(|method| cut_shared(method, id_bytes_max));
    head.id = id.map(|id| cut_shared(id.text(), id_bytes_max));
    head
}

fn cut_shared(text: &Arc<str>, bytes_max: u64) -> Arc<str> {
    if text.len() as u64 <= bytes_max { Arc::clone(text) } else { cut_marked(text, bytes_max).into() }
}
