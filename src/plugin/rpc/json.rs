//! A JSON text that was found valid and is read when somebody asks for what is in it.

use bytes::Bytes;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{ParamsFault, path::fault};

/// One JSON value as its exact text; it shares the buffer of the body that it came in.
#[derive(Clone, PartialEq, Eq)]
pub struct RawJson(Bytes);

impl RawJson {
    /// A value within a body.
    pub(super) fn within(body: &Bytes, value: &RawValue) -> Self {
        Self(body.slice_ref(value.get().as_bytes()))
    }

    /// The value `null`.
    pub(super) const NULL: Self = Self(Bytes::from_static(b"null"));

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        // It is a part of a text that was read.
        std::str::from_utf8(&self.0).unwrap_or("null")
    }

    /// The text's bytes.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.0.starts_with(b"{")
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.0.starts_with(b"n")
    }

    /// Reads it as a type; `root` names it in the fault's path.
    ///
    /// # Errors
    ///
    /// Where and why it is none. Values nested deeper than 128 are not read.
    pub fn read<'a, T: Deserialize<'a>>(&'a self, root: &str) -> Result<T, ParamsFault> {
        let text = self.text();
        serde_json::from_str(text).map_err(|error| fault(root, text, &error))
    }
}

impl std::fmt::Debug for RawJson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.text()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}
