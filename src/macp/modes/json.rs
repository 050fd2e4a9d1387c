//! Payloads that are JSON objects.

use std::{any::Any, sync::Arc};

use serde::de::DeserializeOwned;

use super::{Message, Rejection};
use crate::words::cut;

/// Bytes of what is said of a payload that is none.
const REASON_BYTES_MAX: u64 = 256;

/// What a payload was found to be before anybody waited for it: a value of the type that its message's type
/// carries, or why it is none.
#[derive(Clone, Debug)]
pub struct Parsed(Arc<dyn Any + Send + Sync>);

impl Parsed {
    /// A value that [`Self::get`] gives to who asks for its type.
    pub(in crate::macp) fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The value, if it is of this type.
    pub(in crate::macp) fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }

    /// A payload of a mode's message.
    pub(super) fn object<T: DeserializeOwned + Send + Sync + 'static>(payload: &[u8]) -> Self {
        Self::new(parse::<T>(payload))
    }
}

/// The payload of a message; what was found before is not looked for again.
///
/// # Errors
/// As [`parse`].
pub(super) fn object<T: DeserializeOwned + Clone + 'static>(message: &Message<'_>) -> Result<T, Rejection> {
    match message.parsed.and_then(Parsed::get::<Result<T, Rejection>>) {
        Some(found) => found.clone(),
        None => parse(message.payload),
    }
}

/// A payload that is one JSON object with fields of the right types; fields that are not known are left out.
///
/// # Errors
/// `InvalidPayload` says what is wrong, as bytes that are no UTF-8 or no object are, and fields of another
/// type, null among them.
fn parse<T: DeserializeOwned>(payload: &[u8]) -> Result<T, Rejection> {
    // What is derived would take the fields of an array too.
    let first = payload.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    if first != Some(&b'{') {
        return Err(Rejection::payload("the payload is not a JSON object"));
    }
    serde_json::from_slice(payload).map_err(|error| {
        // It says again what it found, however long that is.
        let error = error.to_string();
        Rejection::payload(format!("the payload does not match its type: {}", cut(&error, REASON_BYTES_MAX)))
    })
}
