//! A part of a frame as JSON, and as bytes where the JSON does not lead back to them.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// What turns a part of a frame into JSON, and back.
pub(super) trait PartCodec {
    /// The JSON of these bytes; nothing where they cannot be read as such.
    fn show(&self, bytes: &[u8]) -> Option<String>;

    /// The bytes that a JSON stands for.
    ///
    /// # Errors
    /// Why it stands for none.
    fn make(&self, json: &str) -> Result<Vec<u8>, String>;
}

/// The two forms of a part.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) json: Option<String>,
    /// Base64.
    pub(super) bytes: Option<String>,
}

impl Part {
    /// Both forms, the bytes where the JSON alone would become others.
    pub(super) fn of(bytes: &[u8], codec: &dyn PartCodec) -> Self {
        let shown = codec.show(bytes).and_then(|json| Some((codec.make(&json).ok()?, json)));
        let leads_back = shown.as_ref().is_some_and(|(made, _)| made == bytes);
        Self { json: shown.map(|(_, json)| json), bytes: (!leads_back).then(|| BASE64.encode(bytes)) }
    }

    /// The bytes of a part that is given in one form, or in both, which then have to agree: so a change of
    /// one is never lost. Nothing where it is given in neither.
    ///
    /// # Errors
    /// What keeps the part, whose member has this name, from being made.
    pub(super) fn join(
        name: &str,
        json: Option<&str>,
        bytes: Option<&str>,
        codec: &dyn PartCodec,
    ) -> Result<Option<Vec<u8>>, String> {
        let bytes = bytes.map(|text| decode_bytes(&format!("{name}_bytes"), text)).transpose()?;
        let Some(json) = json else { return Ok(bytes) };
        let made = codec.make(json).map_err(|error| format!("`{name}`: {error}"))?;
        let Some(bytes) = bytes else { return Ok(Some(made)) };
        let meant = codec.show(&bytes).and_then(|shown| codec.make(&shown).ok());
        if meant.as_ref() == Some(&made) {
            Ok(Some(bytes))
        } else {
            Err(format!("`{name}` and `{name}_bytes` differ: give only one of them"))
        }
    }
}

/// Bytes that are given as base64 in a member.
///
/// # Errors
/// They are not.
pub(super) fn decode_bytes(member: &str, text: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(text).map_err(|error| format!("`{member}` is not base64: {error}"))
}

/// Bytes as base64.
pub(super) fn encode_bytes(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// A member that is given, also where it is `null`.
///
/// # Errors
/// It is no JSON.
pub(super) fn some_json<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// A member that is given as JSON.
pub(super) fn text_of(raw: Option<&RawValue>) -> Option<&str> {
    raw.map(RawValue::get)
}
