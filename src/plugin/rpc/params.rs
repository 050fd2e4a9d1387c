//! The params of a request or notification.

use serde::Deserialize;

use super::RawJson;

/// What the params of a message are (ruling Plugins 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Params {
    /// None, or null: read as `{}`.
    Empty,
    /// An object.
    Object(RawJson),
    /// Another value, which no method takes.
    Other(RawJson),
}

/// Why params are not those of a method; its text is `path: what`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct ParamsFault {
    /// Where the fault is: `params.sections[0].title`.
    pub path: String,
    /// What is wrong there.
    pub what: String,
}

impl Params {
    /// Reads them as the params of a method; a type ignores the members that it does not know.
    ///
    /// # Errors
    ///
    /// Where and why they are not, also for what is no object: it is answered with
    /// [`Code::InvalidParams`](crate::plugin::Code::InvalidParams).
    pub fn object<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ParamsFault> {
        match self {
            Self::Empty => {
                serde_json::from_str("{}").map_err(|error| super::path::fault("params", "{}", &error))
            }
            Self::Object(object) => object.read("params"),
            Self::Other(_) => {
                Err(ParamsFault { path: "params".to_owned(), what: "expected an object".to_owned() })
            }
        }
    }

    /// The text of the object, `{}` where there is none; of another value, that value.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Empty => "{}",
            Self::Object(json) | Self::Other(json) => json.text(),
        }
    }
}
