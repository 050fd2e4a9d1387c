//! The flags of sessions in which agents decide together.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{commands::rows, ls::SessionLsArgs};
use crate::{ids::Peer, words::seconds};

/// How the mode of a session is named, for the help.
const MODES: &str = "Modes:
  decision     participants evaluate, object to and vote on proposals until one commits the decision: propose, evaluate, object, vote, commit
  multi_round  participants contribute values until all of them are equal: contribute

A message that its mode does not define is accepted and has no effect.";

/// What a stream takes, for the help.
const LINES: &str = "Each line is a message, in the syntax of `session send` or as a JSON object:
  vote p1 approve --reason 'fine by me'
  start --mode multi_round --participant alice --participant bob
  {\"session_id\":\"s1\",\"message_type\":\"Vote\",\"sender\":\"bob\",\"payload\":{\"proposal_id\":\"p1\",\"vote\":\"approve\"}}
An object may also have `message_id`, `mode`, `macp_version` and `timestamp_unix_ms`; instead of `payload`, `payload_text` takes text
and `payload_base64` bytes. The payload of a SessionStart is an object of its fields.";

/// `session`.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionAction {
    /// Start a session.
    #[command(after_long_help = MODES)]
    Start(SessionStartArgs),
    /// Send a message to a session.
    ///
    /// Exits 0 when it is accepted, also as a duplicate, and 1 when it is refused.
    #[command(after_long_help = MODES)]
    Send(SessionSendArgs),
    /// Hold a stream open: each line of stdin is sent as a message, and the answers are printed.
    ///
    /// Ends at the end of stdin, once every message is answered. Exits 1 when one was refused.
    #[command(after_long_help = LINES)]
    Stream(SessionStreamArgs),
    /// Cancel a session, or all sessions that a peer opened. Ended sessions are left unchanged.
    Cancel(SessionCancelArgs),
    /// Show the state of a session, or its log.
    ///
    /// A station on this machine returns everything it has stored, also for sessions that ended long ago;
    /// another runtime returns state and times only.
    Show(SessionShowArgs),
    /// Write what a session left as MPLP objects and events.
    ///
    /// The record is judged first, and written only if nothing is found in it: exits 1 otherwise. A file that
    /// exists is not overwritten. See `rl-console help mplp`.
    Export(SessionExportArgs),
    /// List sessions, newest first; the same as `ls sessions`.
    Ls(SessionLsArgs),
}

/// `session start`.
#[derive(Debug, Args)]
pub(crate) struct SessionStartArgs {
    /// The session's id [default: a generated one].
    #[arg(value_name = "ID")]
    pub(crate) session: Option<String>,

    #[command(flatten)]
    pub(crate) who: Who,

    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
}

/// Who says something, and as which message.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Who {
    /// The sender of the message.
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub(crate) sender: Option<String>,

    /// The message's id; a repeated id is a duplicate and is accepted once [default: a generated one].
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) id: Option<String>,
}

/// What a session begins with.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct OpeningArgs {
    /// The mode: `decision`, `multi_round`, or the full name of a mode [default: decision].
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,

    /// A participant; without any, everyone may take part. Repeatable. Required for `multi_round`.
    #[arg(long = "participant", value_name = "NAME")]
    pub(crate) participants: Vec<String>,

    /// The intent of the session.
    #[arg(long, value_name = "TEXT")]
    pub(crate) intent: Option<String>,

    /// Seconds until the session expires, at most 86400 [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = ttl)]
    pub(crate) ttl: Option<u64>,

    /// The context: text, or @FILE. A JSON object with a `trace_id` makes the session part of that trace.
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) context: Option<String>,

    /// The version of the mode.
    #[arg(long, value_name = "VERSION")]
    pub(crate) mode_version: Option<String>,

    /// The version of the configuration.
    #[arg(long, value_name = "VERSION")]
    pub(crate) configuration_version: Option<String>,

    /// The version of the policy.
    #[arg(long, value_name = "VERSION")]
    pub(crate) policy_version: Option<String>,

    /// A resource that the session concerns. Repeatable.
    #[arg(long = "root", value_name = "URI[=NAME]")]
    pub(crate) roots: Vec<String>,
}

/// `session send`.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "MESSAGE", subcommand_help_heading = "Messages")]
pub(crate) struct SessionSendArgs {
    /// The session's id, or at least its last four characters.
    #[arg(value_name = "ID")]
    pub(crate) session: String,

    #[command(flatten)]
    pub(crate) who: Who,

    /// Send a message of any type instead of one of the subcommands; `Signal` belongs to no session, and its
    /// ID may be ''.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) message_type: Option<String>,

    /// The payload of a --type message, sent unchanged: text, @FILE, or - for stdin.
    #[arg(long, value_name = "TEXT|@FILE|-", requires = "message_type")]
    pub(crate) payload: Option<String>,

    /// The message to send.
    #[command(subcommand)]
    pub(crate) say: Option<Say>,
}

/// A message of a mode.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub(crate) enum Say {
    /// Make a proposal, or replace the one with this id.
    Propose {
        /// The proposal's id.
        proposal: String,
        /// The proposed option.
        option: String,
        /// The rationale.
        #[arg(long, value_name = "TEXT")]
        rationale: Option<String>,
        /// Supporting data: text, or @FILE; sent as base64.
        #[arg(long, value_name = "TEXT|@FILE")]
        supporting_data: Option<String>,
    },
    /// Evaluate a proposal.
    Evaluate {
        /// The proposal's id.
        proposal: String,
        /// approve, review, block or reject; other values are sent unchanged.
        recommendation: String,
        /// The confidence, from 0 to 1.
        #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = confidence)]
        confidence: Option<f64>,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Object to a proposal.
    Object {
        /// The proposal's id.
        proposal: String,
        /// low, medium, high or critical; other values are sent unchanged.
        severity: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Vote on a proposal; the last vote of each participant counts.
    Vote {
        /// The proposal's id.
        proposal: String,
        /// approve, reject or abstain; other values are sent unchanged.
        vote: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Commit the decision, which resolves the session.
    Commit {
        /// The action to take.
        action: String,
        /// The commitment's id [default: a generated one].
        #[arg(long, value_name = "ID")]
        commitment: Option<String>,
        /// The scope of its authority.
        #[arg(long = "scope", value_name = "TEXT")]
        authority_scope: Option<String>,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// The version of the mode.
        #[arg(long, value_name = "VERSION")]
        mode_version: Option<String>,
        /// The version of the policy.
        #[arg(long, value_name = "VERSION")]
        policy_version: Option<String>,
        /// The version of the configuration.
        #[arg(long, value_name = "VERSION")]
        configuration_version: Option<String>,
    },
    /// Contribute a value; the session is resolved once all participants have the same value.
    Contribute {
        /// The value.
        value: String,
    },
}

/// How long a session may take, in milliseconds. On the wire 0 is none given.
fn ttl(text: &str) -> Result<u64, String> {
    let ms = seconds(text)?;
    if ms == 0 { Err("takes more than 0 seconds [default: 60]".to_owned()) } else { Ok(ms) }
}

/// `session stream`.
#[derive(Debug, Args)]
pub(crate) struct SessionStreamArgs {
    /// The session of lines that name none.
    #[arg(value_name = "ID")]
    pub(crate) session: Option<String>,

    /// The sender of lines that name none.
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) sender: Option<String>,
}

/// A line of `session stream` in words.
#[derive(Debug, clap::Parser)]
#[command(
    no_binary_name = true,
    name = "",
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true
)]
pub(crate) struct StreamLine {
    #[command(flatten)]
    pub(crate) who: Who,

    /// The session.
    #[arg(long = "session", global = true, value_name = "ID")]
    pub(crate) session: Option<String>,

    #[command(subcommand)]
    pub(crate) what: StreamWhat,
}

/// What a line says.
#[derive(Debug, Subcommand)]
pub(crate) enum StreamWhat {
    /// Start the session.
    Start(OpeningArgs),
    /// A message of its mode.
    #[command(flatten)]
    Say(Say),
}

/// `session cancel`.
#[derive(Debug, Args)]
pub(crate) struct SessionCancelArgs {
    /// The session's id, or at least its last four characters.
    #[arg(value_name = "ID", required_unless_present = "by")]
    pub(crate) session: Option<String>,

    /// Cancel all open sessions that this peer opened (as printed by `ls clients`) instead of one session;
    /// requires the operator token.
    #[arg(long, value_name = "PEER", conflicts_with_all = ["session", "sender"])]
    pub(crate) by: Option<Peer>,

    /// The reason; it is stored in the session's log.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,

    /// The sender of the cancellation, stored in the session's log.
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) sender: Option<String>,
}

/// `session show`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionShowArgs {
    /// The session's id, or at least its last four characters.
    #[arg(value_name = "ID")]
    pub(crate) session: String,

    /// Print the log instead: every accepted message, and how the session ended.
    #[arg(long)]
    pub(crate) log: bool,

    /// Only log records after this number.
    #[arg(long, value_name = "NR", requires = "log", default_value_t = 0)]
    pub(crate) after: u64,

    /// Print at most this many log records [default: all].
    #[arg(long, value_name = "N", requires = "log", allow_negative_numbers = true, value_parser = rows)]
    pub(crate) limit: Option<u64>,
}

/// `session export`.
#[derive(Debug, Args)]
pub(crate) struct SessionExportArgs {
    /// The session's id, or at least its last four characters.
    #[arg(value_name = "ID")]
    pub(crate) session: String,

    /// Write a bundle of its objects and events into this new file; - for stdout.
    #[arg(long, value_name = "OUT.json")]
    pub(crate) mplp: PathBuf,

    /// Write it although something is found in it.
    #[arg(long)]
    pub(crate) force: bool,
}

/// A file that a value of the command line names.
pub(crate) fn file_of(text: &str) -> Option<PathBuf> {
    text.strip_prefix('@').map(PathBuf::from)
}

fn confidence(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("takes a finite number: JSON has no other".to_owned()) }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Cli, Command};

    fn parse(args: &[&str]) -> Result<SessionAction, clap::Error> {
        let cli = Cli::try_parse_from(["rl-console", "session"].iter().chain(args))?;
        let Some(Command::Session(action)) = cli.command else { panic!("{args:?}") };
        Ok(action)
    }

    #[test]
    fn who_says_something_stands_before_or_behind_what_is_said() {
        for args in [
            ["send", "s1", "--as", "bob", "vote", "p1", "approve"],
            ["send", "s1", "vote", "p1", "approve", "--as", "bob"],
        ] {
            let SessionAction::Send(args) = parse(&args).unwrap() else { panic!() };
            assert_eq!((args.session.as_str(), args.who.sender.as_deref()), ("s1", Some("bob")));
            assert_eq!(
                args.say,
                Some(Say::Vote { proposal: "p1".into(), vote: "approve".into(), reason: None })
            );
        }
    }

    #[test]
    fn a_confidence_is_a_number_that_json_has() {
        let evaluate = |confidence| {
            parse(&["send", "s1", "--as", "a", "evaluate", "p", "approve", "--confidence", confidence])
        };
        let SessionAction::Send(args) = evaluate("-0.5").unwrap() else { panic!() };
        assert!(matches!(
            args.say,
            Some(Say::Evaluate { confidence: Some(it), .. }) if it.to_bits() == (-0.5_f64).to_bits()
        ));
        for wrong in ["NaN", "inf", "-infinity", "much"] {
            assert!(evaluate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_payload_needs_its_type() {
        assert!(parse(&["send", "s1", "--as", "a", "--payload", "{}"]).is_err());
        let SessionAction::Send(args) =
            parse(&["send", "", "--as", "a", "--type", "Signal", "--payload", "@f"]).unwrap()
        else {
            panic!()
        };
        assert_eq!(
            (args.session.as_str(), args.payload.as_deref().and_then(file_of)),
            ("", Some(PathBuf::from("f")))
        );
        assert!(
            parse(&["show", "s1", "--limit", "3"]).is_err()
                && parse(&["show", "s1", "--log", "--limit", "3"]).is_ok()
        );
    }
}
