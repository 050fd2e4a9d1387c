//! A line of `session stream` as a message.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use clap::{Parser as _, error::ErrorKind};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    cli::{
        args::{StreamLine, StreamWhat, Who},
        runtime::{self, Fields, Message, new_id},
    },
    macp::{envelope::SESSION_START, proto::v1::Envelope},
    time::Wall,
};

/// What stands for what a line leaves out.
#[derive(Clone, Debug, Default)]
pub(super) struct Defaults {
    /// The session.
    pub(super) session: Option<String>,
    /// Who says it.
    pub(super) sender: Option<String>,
}

/// A message as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineInput<'a> {
    macp_version: Option<String>,
    mode: Option<String>,
    message_type: String,
    message_id: Option<String>,
    session_id: Option<String>,
    sender: Option<String>,
    timestamp_unix_ms: Option<i64>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    payload_text: Option<String>,
    payload_base64: Option<String>,
}

/// The message of a line; nothing for one that is blank.
///
/// # Errors
/// The fault of the line.
pub(super) fn read(
    line: &str,
    defaults: &Defaults,
    now: Wall,
    bytes_max: u64,
) -> Result<Option<Envelope>, String> {
    match line.trim_start().chars().next() {
        None => Ok(None),
        Some('{') => object(line, defaults, now).map(Some),
        Some(_) => parse_words(line, defaults, now, bytes_max).map(Some),
    }
}

fn parse_words(line: &str, defaults: &Defaults, now: Wall, bytes_max: u64) -> Result<Envelope, String> {
    let words = shlex::split(line).ok_or("unclosed quote")?;
    if words.first().is_some_and(|word| word == "help") {
        return Err(format!("{WORDS}; see `rl-console help session stream`"));
    }
    let StreamLine { who: Who { sender, id }, session, what } =
        StreamLine::try_parse_from(words).map_err(|error| parse_error_text(&error))?;
    let (mode, message_type, payload) = match &what {
        StreamWhat::Start(opening) => {
            let payload = runtime::payload(opening, bytes_max).map_err(|error| error.to_string())?;
            (opening.mode.clone().unwrap_or_default(), SESSION_START, payload)
        }
        StreamWhat::Say(say) => {
            let (message_type, payload) =
                runtime::encode_payload(say, bytes_max).map_err(|error| error.to_string())?;
            (String::new(), message_type, payload)
        }
    };
    let session = session
        .or_else(|| defaults.session.clone())
        .ok_or("no session: add --session ID, or use `session stream ID`")?;
    let sender = sender.or_else(|| defaults.sender.clone()).ok_or("no sender: add --as NAME")?;
    let id = id.unwrap_or_else(new_id);
    Ok(Message { mode, of_type: message_type.to_owned(), id, session, sender, payload }.envelope(now))
}

fn object(line: &str, defaults: &Defaults, now: Wall) -> Result<Envelope, String> {
    let given: LineInput<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let payload = match (given.payload, given.payload_text, given.payload_base64) {
        (None, None, None) => Vec::new(),
        (Some(value), None, None) if given.message_type == SESSION_START => {
            let fields: Fields<'_> =
                serde_json::from_str(value.get()).map_err(|error| format!("`payload`: {error}"))?;
            runtime::fields(fields).map_err(|why| format!("`payload`: {why}"))?
        }
        (Some(value), None, None) => value.get().as_bytes().to_vec(),
        (None, Some(text), None) => text.into_bytes(),
        (None, None, Some(base64)) => {
            BASE64.decode(base64).map_err(|error| format!("`payload_base64` is not base64: {error}"))?
        }
        _ => {
            return Err("more than one of `payload`, `payload_text` and `payload_base64`".to_owned());
        }
    };
    let message = Message {
        mode: given.mode.unwrap_or_default(),
        of_type: given.message_type,
        id: given.message_id.unwrap_or_else(new_id),
        session: given.session_id.or_else(|| defaults.session.clone()).unwrap_or_default(),
        sender: given.sender.or_else(|| defaults.sender.clone()).unwrap_or_default(),
        payload,
    };
    let mut envelope = message.envelope(now);
    envelope.macp_version = given.macp_version.unwrap_or(envelope.macp_version);
    envelope.timestamp_unix_ms = given.timestamp_unix_ms.unwrap_or(envelope.timestamp_unix_ms);
    Ok(envelope)
}

/// What a line in words begins with.
const WORDS: &str = "a line starts with start, propose, evaluate, object, vote, commit or contribute";

/// What the grammar has against a line, with what it takes.
fn parse_error_text(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let paragraph =
        rendered.lines().take_while(|line| !line.is_empty()).map(str::trim).collect::<Vec<_>>().join(" ");
    let why = paragraph.strip_prefix("error: ").unwrap_or(&paragraph).to_owned();
    if error.kind() == ErrorKind::InvalidSubcommand {
        return format!("{why}; {WORDS}");
    }
    match rendered.lines().find_map(|line| line.strip_prefix("Usage:")).map(str::trim) {
        Some(usage) if !usage.is_empty() => format!("{why}; usage: {usage}"),
        _ => why,
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::macp::proto::v1::SessionStartPayload;

    fn defaults() -> Defaults {
        Defaults { session: Some("s1".to_owned()), sender: Some("alice".to_owned()) }
    }

    fn message(line: &str) -> Envelope {
        read(line, &defaults(), Wall(7), 1_024).unwrap().unwrap()
    }

    #[test]
    fn words_and_objects_are_the_same_messages() {
        let spoken = message("vote p1 approve --reason 'fine by me' --as bob --session s2 --id m1");
        let given = message(
            r#"{"session_id":"s2","message_type":"Vote","message_id":"m1","sender":"bob",
                "payload":{"proposal_id":"p1","vote":"approve","reason":"fine by me"}}"#,
        );
        assert_eq!(spoken, given);
        assert_eq!((spoken.macp_version.as_str(), spoken.timestamp_unix_ms), ("1.0", 7));
        let started = message("start --mode multi_round --participant a --participant b --ttl 5");
        assert_eq!(
            (started.mode.as_str(), started.session_id.as_str(), started.sender.as_str()),
            ("multi_round", "s1", "alice")
        );
        let given = message(
            r#"{"message_type":"SessionStart","mode":"multi_round","payload":{"participants":["a","b"],"ttl_ms":5000}}"#,
        );
        assert_eq!(started.payload, given.payload);
        assert_eq!(SessionStartPayload::decode(given.payload).unwrap().participants, ["a", "b"]);
    }

    #[test]
    fn an_object_can_say_what_no_words_can() {
        let odd = message(
            r#"{"message_type":"Message","macp_version":"v1","sender":"","timestamp_unix_ms":-1,"payload_text":"resolve"}"#,
        );
        assert_eq!((odd.macp_version.as_str(), odd.sender.as_str(), odd.timestamp_unix_ms), ("v1", "", -1));
        assert_eq!((odd.payload.as_ref(), odd.message_id.is_empty()), (&b"resolve"[..], false));
        assert_eq!(message(r#"{"message_type":"Vote","payload_base64":"/w=="}"#).payload.as_ref(), [0xff]);
        assert_eq!(
            message(r#"{"message_type":"Vote","payload":[1,  2]}"#).payload.as_ref(),
            b"[1,  2]",
            "byte for byte"
        );
    }

    #[test]
    fn a_line_that_is_no_message_says_why() {
        let wrong = |line: &str| read(line, &Defaults::default(), Wall(0), 1_024).unwrap_err();
        assert_eq!(wrong("vote p1 'yes"), "unclosed quote");
        assert!(
            wrong("vote").starts_with("the following required arguments were not provided"),
            "{}",
            wrong("vote")
        );
        assert!(
            wrong("vote").contains("; usage: ") && wrong("vote").contains("<PROPOSAL> <VOTE>"),
            "{}",
            wrong("vote")
        );
        assert!(wrong("veto p1").contains("unrecognized subcommand 'veto'"), "{}", wrong("veto p1"));
        for line in ["veto p1", "help", "help vote"] {
            assert!(
                wrong(line).contains("propose, evaluate, object, vote, commit or contribute"),
                "{}",
                wrong(line)
            );
        }
        assert!(
            wrong("vote p1 approve").contains("--session") && wrong("vote p1 a --session s").contains("--as")
        );
        assert!(
            wrong("{}").contains("message_type")
                && wrong(r#"{"message_type":"V","payloda":1}"#).contains("payloda")
        );
        assert!(wrong(r#"{"message_type":"V","payload":1,"payload_text":""}"#).contains("more than one"));
        assert_eq!(read("  \t", &Defaults::default(), Wall(0), 0), Ok(None));
    }
}
