//! The flags of what speaks on the bus as a peer of it.

use std::{ffi::OsString, path::PathBuf};

use clap::Args;

use crate::{ids::TraceId, rmp::Kind};

/// As whom a session is opened.
#[derive(Debug, Args)]
pub(crate) struct PeerArgs {
    /// The kind of peer to connect as: agent, ui, tui, viewer or cue. Every kind except agent presents a
    /// token.
    #[arg(long = "as", value_name = "KIND", default_value = "agent", value_parser = kind())]
    pub(crate) kind: Kind,

    /// The token file [default: the token of that kind in the data folder].
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

/// `publish`.
#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// The topic, such as agent/writer.
    pub(crate) topic: String,

    /// The body as JSON (MsgPack values in the forms of `decode --json`): the payload with --type, otherwise
    /// the whole body. @FILE reads a file, - reads stdin.
    #[arg(long, value_name = "BODY", required_unless_present = "frame", conflicts_with = "frame")]
    pub(crate) body: Option<String>,

    /// Frames to publish unchanged, one after the other: hex digits, or @FILE containing hex digits or raw
    /// bytes.
    #[arg(long, value_name = "HEX|@FILE")]
    pub(crate) frame: Option<String>,

    /// The type of the body; it determines the frame's `schema_id`.
    #[arg(long = "type", value_name = "TYPE", conflicts_with = "frame")]
    pub(crate) of_type: Option<String>,

    /// Time to live of the message, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) ttl_ms: u64,

    /// The trace of the message [default: a new one].
    #[arg(long, value_name = "ID", conflicts_with = "frame")]
    pub(crate) trace: Option<TraceId>,

    /// Wait for the broker's answer (the default).
    #[arg(long, conflicts_with = "no_ack")]
    pub(crate) ack: bool,

    /// Do not wait for the broker's answer; refused messages are not reported.
    #[arg(long)]
    pub(crate) no_ack: bool,

    #[command(flatten)]
    pub(crate) peer: PeerArgs,
}

/// `tail`.
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Topics or patterns: agent/* matches one more segment, rlp/** everything below. A message that matches
    /// two of them is printed twice.
    #[arg(required = true, value_name = "TOPIC")]
    pub(crate) topics: Vec<String>,

    /// Also print the bodies, as JSON.
    #[arg(long)]
    pub(crate) decode: bool,

    /// Exit after this many messages; with --recording, print the last so many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,

    #[command(flatten)]
    pub(crate) peer: PeerArgs,
}

fn kind() -> impl clap::builder::TypedValueParser<Value = Kind> {
    use clap::builder::TypedValueParser as _;
    let names = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Station).map(Kind::name);
    clap::builder::PossibleValuesParser::new(names).try_map(|name| Kind::from_name(&name).ok_or("no kind"))
}

/// `publish TOPIC --json BODY` names the body, while `--json` alone is the flag of every subcommand: a value
/// that no topic begins with distinguishes them.
pub(crate) fn with_body(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = args.iter().position(|arg| arg == "publish") else { return args };
    for index in at + 1..args.len() {
        let Some(arg) = args.get(index) else { break };
        if arg == "--" {
            break;
        }
        let is_body =
            arg == "--json" && args.get(index + 1).is_some_and(|value| begins(value, &["{", "[", "@"]));
        let joined = arg
            .to_str()
            .and_then(|arg| arg.strip_prefix("--json="))
            .map(|value| OsString::from(format!("--body={value}")));
        if let (Some(place), Some(body)) =
            (args.get_mut(index), joined.or_else(|| is_body.then(|| "--body".into())))
        {
            *place = body;
        }
    }
    args
}

fn begins(arg: &OsString, with: &[&str]) -> bool {
    with.iter().any(|with| arg.as_encoded_bytes().starts_with(with.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(line: &[&str]) -> Vec<String> {
        let args = std::iter::once("rl-console").chain(line.iter().copied()).map(OsString::from).collect();
        with_body(args).into_iter().skip(1).map(|arg| arg.into_string().unwrap()).collect()
    }

    #[test]
    fn json_is_the_body_where_a_body_follows_it() {
        assert_eq!(
            rewritten(&["publish", "a", "--json", "{\"type\":1}"]),
            ["publish", "a", "--body", "{\"type\":1}"]
        );
        assert_eq!(
            rewritten(&["--json", "publish", "--json", "@f", "a"]),
            ["--json", "publish", "--body", "@f", "a"]
        );
        assert_eq!(rewritten(&["publish", "--json={}", "a"]), ["publish", "--body={}", "a"]);
        for untouched in [
            ["publish", "--json", "a", "--body", "{}"].as_slice(),
            &["publish", "a", "--body", "{}", "--json"],
            &["ls", "queues", "--json", "{"],
            &["tail", "a", "--json"],
        ] {
            assert_eq!(rewritten(untouched), untouched);
        }
    }
}
