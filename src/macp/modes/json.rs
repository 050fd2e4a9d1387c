//! Payloads that are JSON objects.

use serde::de::DeserializeOwned;

use super::Rejection;

/// A payload that is one JSON object with fields of the right types; fields that are not known are left out.
///
/// # Errors
/// `InvalidPayload` says what is wrong, as bytes that are no UTF-8 or no object are, and fields of another type, null among them.
pub(super) fn object<T: DeserializeOwned>(payload: &[u8]) -> Result<T, Rejection> {
    // What is derived would take the fields of an array too.
    let first = payload.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    if first != Some(&b'{') {
        return Err(Rejection::payload("the payload is not a JSON object"));
    }
    serde_json::from_slice(payload).map_err(|error| Rejection::payload(format!("the payload is not what its type carries: {error}")))
}
