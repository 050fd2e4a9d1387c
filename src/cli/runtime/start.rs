//! The payload of a `SessionStart`, from flags and from JSON.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use prost::Message as _;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bytes_of;
use crate::{
    cli::{args::OpeningArgs, error::Error},
    macp::proto::v1::{Root, SessionStartPayload},
};

/// The fields as JSON has them; what is absent is the default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Fields<'a> {
    intent: String,
    participants: Vec<String>,
    mode_version: String,
    configuration_version: String,
    policy_version: String,
    ttl_ms: i64,
    /// Any JSON, which goes as it stands; a text as the text itself.
    #[serde(borrow)]
    context: Option<&'a RawValue>,
    context_base64: Option<String>,
    roots: Vec<RootFields>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RootFields {
    uri: String,
    name: String,
}

/// The payload that flags make.
///
/// # Errors
/// The file of the context cannot be read.
pub(crate) fn payload(opening: &OpeningArgs, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let root = |said: &String| {
        let (uri, name) = said.rsplit_once('=').unwrap_or((said, ""));
        Root { uri: uri.to_owned(), name: name.to_owned() }
    };
    let payload = SessionStartPayload {
        intent: text(&opening.intent),
        participants: opening.participants.clone(),
        mode_version: text(&opening.mode_version),
        configuration_version: text(&opening.configuration_version),
        policy_version: text(&opening.policy_version),
        ttl_ms: opening.ttl.map_or(0, |ms| i64::try_from(ms).unwrap_or(i64::MAX)),
        context: opening
            .context
            .as_deref()
            .map(|said| bytes_of(said, bytes_max))
            .transpose()?
            .unwrap_or_default()
            .into(),
        roots: opening.roots.iter().map(root).collect(),
    };
    Ok(payload.encode_to_vec())
}

/// The payload that fields of JSON make.
///
/// # Errors
/// The context is no base64, or there are two of them.
pub(crate) fn fields(fields: Fields<'_>) -> Result<Vec<u8>, String> {
    let context = match (fields.context, fields.context_base64) {
        (Some(_), Some(_)) => {
            return Err("both `context` and `context_base64` are given: remove one of them".to_owned());
        }
        (Some(value), None) => match serde_json::from_str::<String>(value.get()) {
            Ok(text) => text.into_bytes(),
            Err(_) if value.get() == "null" => Vec::new(),
            Err(_) => value.get().as_bytes().to_vec(),
        },
        (None, Some(base64)) => {
            BASE64.decode(base64).map_err(|error| format!("`context_base64` is not base64: {error}"))?
        }
        (None, None) => Vec::new(),
    };
    let payload = SessionStartPayload {
        intent: fields.intent,
        participants: fields.participants,
        mode_version: fields.mode_version,
        configuration_version: fields.configuration_version,
        policy_version: fields.policy_version,
        ttl_ms: fields.ttl_ms,
        context: context.into(),
        roots: fields.roots.into_iter().map(|RootFields { uri, name }| Root { uri, name }).collect(),
    };
    Ok(payload.encode_to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_fields_make_the_same_payload() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let opening = OpeningArgs {
            mode: None,
            participants: texts(&["alice", "bob"]),
            intent: Some("which map".to_owned()),
            ttl: Some(90_000),
            context: Some(r#"{"trace_id":"x"}"#.to_owned()),
            mode_version: Some("1".to_owned()),
            configuration_version: Some("2".to_owned()),
            policy_version: Some("3".to_owned()),
            roots: texts(&["file:///a=b=shelf", "file:///c"]),
        };
        let json = r#"{"intent":"which map","participants":["alice","bob"],"mode_version":"1","configuration_version":"2","policy_version":"3",
            "ttl_ms":90000,"context":{"trace_id":"x"},"roots":[{"uri":"file:///a=b","name":"shelf"},{"uri":"file:///c"}]}"#;
        let of_flags = SessionStartPayload::decode(payload(&opening, 1_024).unwrap().as_slice()).unwrap();
        let of_json =
            SessionStartPayload::decode(fields(serde_json::from_str(json).unwrap()).unwrap().as_slice())
                .unwrap();
        assert_eq!(of_flags, of_json);
        assert_eq!(
            (of_flags.ttl_ms, of_flags.roots[0].name.as_str(), of_flags.participants.len()),
            (90_000, "shelf", 2)
        );
        assert!(payload(&OpeningArgs::default(), 1).unwrap().is_empty(), "all defaults are no bytes");
    }

    #[test]
    fn a_context_is_json_a_text_or_bytes() {
        let context = |json: &str| {
            let bytes = fields(serde_json::from_str(json).map_err(|error| error.to_string())?)?;
            Ok::<_, String>(SessionStartPayload::decode(bytes.as_slice()).unwrap().context.to_vec())
        };
        assert_eq!(context(r#"{"context":"plain"}"#).unwrap(), b"plain");
        assert_eq!(context(r#"{"context":[1, 2]}"#).unwrap(), b"[1, 2]");
        assert_eq!(context(r#"{"context_base64":"/w=="}"#).unwrap(), [0xff]);
        for wrong in [r#"{"context":1,"context_base64":""}"#, r#"{"context_base64":"?"}"#, r#"{"ttl":1}"#] {
            assert!(context(wrong).is_err(), "{wrong}");
        }
    }
}
