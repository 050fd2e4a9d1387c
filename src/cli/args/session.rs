//! The flags of sessions in which agents decide together.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{
    commands::{rows, seconds},
    ls::SessionLsArgs,
};
use crate::ids::Peer;

/// What the mode of a session is told by, for the help.
const MODES: &str = "\
Modes:
  decision     proposals are evaluated, objected to and voted on, until one commits the decision: propose, evaluate, object, vote, commit
  multi_round  participants contribute values until all of them are equal: contribute

Where nothing of a message is understood by its mode, it is accepted and changes nothing.";

/// What a stream takes, for the help.
const LINES: &str = "\
A line is a message, in the words of `session send` or as a JSON object:
  vote p1 approve --reason 'fine by me'
  start --mode multi_round --participant alice --participant bob
  {\"session_id\":\"s1\",\"message_type\":\"Vote\",\"sender\":\"bob\",\"payload\":{\"proposal_id\":\"p1\",\"vote\":\"approve\"}}
An object may also have `message_id`, `mode`, `macp_version` and `timestamp_unix_ms`; in the place of `payload`, `payload_text` is a text
and `payload_base64` are bytes. The payload of a SessionStart is an object of its fields.";

/// `session`.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionAction {
    /// Begin a session.
    #[command(after_long_help = MODES)]
    Start(SessionStartArgs),
    /// Send a message into a session.
    ///
    /// Exits 0 when it is accepted, also when it had been before, 1 when it is refused.
    #[command(after_long_help = MODES)]
    Send(SessionSendArgs),
    /// Hold a stream open: lines of stdin are messages, and what answers them is printed.
    ///
    /// Ends with stdin, once every message is answered. Exits 1 when one was refused.
    #[command(after_long_help = LINES)]
    Stream(SessionStreamArgs),
    /// End a session before its time, or all that a peer opened. One that has ended is left as it is.
    Cancel(SessionCancelArgs),
    /// Print how a session stands, or its log.
    ///
    /// A station of this machine is asked for all that it keeps, also of sessions that ended long ago;
    /// another runtime tells no more than state and times.
    Show(SessionShowArgs),
    /// List sessions, newest first; as `ls sessions` does.
    Ls(SessionLsArgs),
}

/// `session start`.
#[derive(Debug, Args)]
pub(crate) struct SessionStartArgs {
    /// Its id [default: one that is made up].
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
    /// Who says it.
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub(crate) sender: Option<String>,

    /// The message's id: the same id again is the same message, and is accepted once [default: one that is
    /// made up].
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) id: Option<String>,
}

/// What a session begins with.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct OpeningArgs {
    /// How it is coordinated: `decision`, `multi_round`, or a mode by its whole name [default: decision].
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,

    /// Who may take part; without any, anybody. Once for each. A `multi_round` session needs them.
    #[arg(long = "participant", value_name = "NAME")]
    pub(crate) participants: Vec<String>,

    /// What it is for.
    #[arg(long, value_name = "TEXT")]
    pub(crate) intent: Option<String>,

    /// How many seconds it may take, at most 86400 [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = ttl)]
    pub(crate) ttl: Option<u64>,

    /// What goes with it: a text, or @FILE. A JSON object whose `trace_id` is a trace belongs to that trace.
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

    /// A resource that it is about. Once for each.
    #[arg(long = "root", value_name = "URI[=NAME]")]
    pub(crate) roots: Vec<String>,
}

/// `session send`.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "MESSAGE", subcommand_help_heading = "Messages")]
pub(crate) struct SessionSendArgs {
    /// The session, or the last four characters of its id or more.
    #[arg(value_name = "ID")]
    pub(crate) session: String,

    #[command(flatten)]
    pub(crate) who: Who,

    /// A message of any type, in the place of the words that say one; `Signal` is one that belongs to no
    /// session, whose ID may be ''.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) message_type: Option<String>,

    /// What a message of --type carries, byte for byte: a text, @FILE, or - for stdin.
    #[arg(long, value_name = "TEXT|@FILE|-", requires = "message_type")]
    pub(crate) payload: Option<String>,

    /// What is said.
    #[command(subcommand)]
    pub(crate) say: Option<Say>,
}

/// A message of a mode.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub(crate) enum Say {
    /// Make a proposal, or replace the one of this id.
    Propose {
        /// Its id.
        proposal: String,
        /// What is proposed.
        option: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        rationale: Option<String>,
        /// What it rests on: a text, or @FILE; it goes as base64.
        #[arg(long, value_name = "TEXT|@FILE")]
        supporting_data: Option<String>,
    },
    /// Evaluate a proposal.
    Evaluate {
        /// Which.
        proposal: String,
        /// approve, review, block or reject; anything else goes as it is.
        recommendation: String,
        /// How surely.
        #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = confidence)]
        confidence: Option<f64>,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Object to a proposal.
    Object {
        /// Which.
        proposal: String,
        /// low, medium, high or critical; anything else goes as it is.
        severity: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Vote; the last vote of each counts.
    Vote {
        /// For which proposal.
        proposal: String,
        /// approve, reject or abstain; anything else goes as it is.
        vote: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Commit the decision, which resolves the session.
    Commit {
        /// What is to be done.
        action: String,
        /// The commitment's id [default: one that is made up].
        #[arg(long, value_name = "ID")]
        commitment: Option<String>,
        /// Who answers for it.
        #[arg(long = "scope", value_name = "TEXT")]
        authority_scope: Option<String>,
        /// Why.
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
    /// Contribute a value; once all participants have the same, the session is resolved.
    Contribute {
        /// The value.
        value: String,
    },
}

/// How long a session may take, in milliseconds. On the wire 0 is none given.
fn ttl(text: &str) -> Result<u64, String> {
    let ms = seconds(text)?;
    if ms == 0 {
        Err("takes more than 0 seconds; without it the runtime takes 60".to_owned())
    } else {
        Ok(ms)
    }
}

/// `session stream`.
#[derive(Debug, Args)]
pub(crate) struct SessionStreamArgs {
    /// The session of lines that name none.
    #[arg(value_name = "ID")]
    pub(crate) session: Option<String>,

    /// Who says what lines say that name nobody.
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
    /// Begin the session.
    Start(OpeningArgs),
    /// A message of its mode.
    #[command(flatten)]
    Say(Say),
}

/// `session cancel`.
#[derive(Debug, Args)]
pub(crate) struct SessionCancelArgs {
    /// The session, or the last four characters of its id or more.
    #[arg(value_name = "ID", required_unless_present = "by")]
    pub(crate) session: Option<String>,

    /// Cancel the open sessions that this peer opened, as `ls clients` prints it, in the place of one; asks
    /// the station, as its operator.
    #[arg(long, value_name = "PEER", conflicts_with_all = ["session", "sender"])]
    pub(crate) by: Option<Peer>,

    /// Why; it stays in the session's log.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,

    /// Who cancels it; the session's log says so.
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) sender: Option<String>,
}

/// `session show`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionShowArgs {
    /// The session, or the last four characters of its id or more.
    #[arg(value_name = "ID")]
    pub(crate) session: String,

    /// Print its log instead: every message that it accepted, and how it ended.
    #[arg(long)]
    pub(crate) log: bool,

    /// Only what stands behind this number of the log.
    #[arg(long, value_name = "NR", requires = "log", default_value_t = 0)]
    pub(crate) after: u64,

    /// At most so many records of the log [default: all].
    #[arg(long, value_name = "N", requires = "log", allow_negative_numbers = true, value_parser = rows)]
    pub(crate) limit: Option<u64>,
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
