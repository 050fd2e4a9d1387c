//! What the body of a frame says, judged by its envelope (streamnook-plugin-v1, Transport; ruling Plugins 5).

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::{
    ID_BYTES_MAX, Incoming, Message, Params, PluginError, RawJson, Refused, RequestId, envelope::Envelope,
};
use crate::tap::entry::plugin::{Code, Lint};

/// Reads a body as far as its envelope. What it returns shares the body's buffer.
#[must_use]
pub fn read(body: &Bytes) -> Incoming {
    let mut lints = Vec::new();
    let message = envelope(body).and_then(|envelope| classify(body, &envelope, &mut lints));
    Incoming { message, lints }
}

fn envelope(body: &Bytes) -> Result<Envelope<'_>, Refused> {
    let text = std::str::from_utf8(body).map_err(|error| {
        refused(Code::ParseError, format!("the body is not UTF-8 at byte {}", error.valid_up_to()))
    })?;
    serde_json::from_str(text).map_err(|error| blame(text, &error))
}

/// Why a text is no envelope.
#[cold]
fn blame(text: &str, error: &serde_json::Error) -> Refused {
    if text.is_empty() {
        return refused(Code::ParseError, "the body is empty");
    }
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return refused(Code::ParseError, format!("the body is not JSON: {error}"));
    }
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'[') => refused(Code::InvalidRequest, "batches are not supported"),
        // A member's name that is no Unicode text.
        Some(b'{') => refused(Code::ParseError, format!("the body is not JSON: {error}")),
        _ => refused(Code::InvalidRequest, "the body is not an object"),
    }
}

/// A body that is answered with the id null.
fn refused(code: Code, what: impl Into<String>) -> Refused {
    Refused { code, id: None, method: None, is_answered: true, what: what.into() }
}

fn classify(body: &Bytes, envelope: &Envelope<'_>, lints: &mut Vec<Lint>) -> Result<Message, Refused> {
    if let Some(method) = envelope.method {
        return call(body, envelope, method);
    }
    let id = envelope.id.and_then(request_id);
    let number = id.as_ref().and_then(number);
    // With neither a result nor an error it is an answer by its id alone, if that is one of the host's.
    if envelope.result.is_none() && envelope.error.is_none() && number.is_none() {
        let what = "neither a request, a notification nor an answer";
        return Err(Refused { id, ..refused(Code::InvalidRequest, what) });
    }
    if !is_version_2(envelope) {
        lints.push(Lint::AnswerVersion);
    }
    let (outcome, is_well_formed) = outcome(body, envelope);
    if !is_well_formed {
        lints.push(Lint::AnswerShape);
    }
    Ok(Message::Answer { id: number, id_text: id, outcome })
}

/// A request or a notification.
fn call(body: &Bytes, envelope: &Envelope<'_>, method: &RawValue) -> Result<Message, Refused> {
    let id = envelope.id.map(|id| request_id(id).ok_or(id));
    let invalid = |id: Option<RequestId>, what: &str| Refused { id, ..refused(Code::InvalidRequest, what) };
    let Some(method) = string(method) else {
        return Err(invalid(id.and_then(Result::ok), "method is not a string"));
    };
    let method: Arc<str> = method.into();
    let id = match id {
        Some(Err(id)) if id.get().len() > ID_BYTES_MAX => {
            let what = format!("id is longer than {ID_BYTES_MAX} bytes");
            return Err(Refused { method: Some(method), ..invalid(None, &what) });
        }
        Some(Err(_)) => {
            let what = "id is not a string, a number or null";
            return Err(Refused { method: Some(method), ..invalid(None, what) });
        }
        Some(Ok(id)) => Some(id),
        None => None,
    };
    if !is_version_2(envelope) {
        // A notification gets no response, including no error response (Transport).
        let is_answered = id.is_some();
        let refused = invalid(id, "jsonrpc is not \"2.0\"");
        return Err(Refused { method: Some(method), is_answered, ..refused });
    }
    let params = match envelope.params.map(|params| RawJson::within(body, params)) {
        None => Params::Empty,
        Some(params) if params.is_null() => Params::Empty,
        Some(params) if params.is_object() => Params::Object(params),
        Some(params) => Params::Other(params),
    };
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

/// What an answer says, and whether it has exactly one of a result and an error, the latter as specified.
///
/// An error that is not null wins over a result: a plugin that failed is not taken for one that succeeded. An
/// error that is null beside a result is how JSON-RPC 1.0 writes a result; neither is the result null.
fn outcome(body: &Bytes, envelope: &Envelope<'_>) -> (Result<RawJson, PluginError>, bool) {
    let result = envelope.result.map(|result| RawJson::within(body, result));
    if let Some(error) = envelope.error.filter(|error| error.get() != "null") {
        let (error, is_well_formed) = plugin_error(body, error);
        return (Err(error), is_well_formed && result.is_none());
    }
    let is_well_formed = result.is_some() && envelope.error.is_none();
    (Ok(result.unwrap_or(RawJson::NULL)), is_well_formed)
}

/// The error object, and whether it has a code and a message of their types.
fn plugin_error(body: &Bytes, error: &RawValue) -> (PluginError, bool) {
    #[derive(Default, Deserialize)]
    struct Members<'a> {
        #[serde(borrow, default)]
        code: Option<&'a RawValue>,
        #[serde(borrow, default)]
        message: Option<&'a RawValue>,
        #[serde(borrow, default)]
        data: Option<&'a RawValue>,
    }

    let members: Members<'_> = serde_json::from_str(error.get()).unwrap_or_default();
    let code = members.code.and_then(|code| code.get().parse().ok());
    let message = members.message.and_then(string);
    let is_well_formed = code.is_some() && message.is_some();
    // Some write the message in place of the object.
    let message = message.or_else(|| string(error)).unwrap_or_default().into_owned();
    let data = members.data.map(|data| RawJson::within(body, data));
    (PluginError { code: code.unwrap_or(Code::InternalError.number()), message, data }, is_well_formed)
}

fn is_version_2(envelope: &Envelope<'_>) -> bool {
    envelope.jsonrpc.and_then(string).is_some_and(|version| version == "2.0")
}

/// A string, a number or null of at most [`ID_BYTES_MAX`] bytes.
fn request_id(id: &RawValue) -> Option<RequestId> {
    let text = id.get();
    let is_one = matches!(text.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9' | b'n'));
    (is_one && text.len() <= ID_BYTES_MAX).then(|| RequestId::of_text(text))
}

/// The whole number that an id is. Some encoders write it as `1.0`, which is the same number.
fn number(id: &RequestId) -> Option<u64> {
    let text = id.text();
    let whole = match text.split_once('.') {
        Some((whole, fraction)) => fraction.bytes().all(|digit| digit == b'0').then_some(whole)?,
        None => text,
    };
    whole.parse().ok()
}

/// The string that a JSON text is, borrowed unless it has escapes.
fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw.get()).ok().map(Cow::Owned)
}
