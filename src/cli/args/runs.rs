//! The flags of openings and their runs.

use std::{path::PathBuf, str::FromStr};

use clap::{Args, Subcommand, ValueEnum};

use super::bus::PeerArgs;
use crate::{
    ids::{ActionId, TraceId},
    mplp::{RatingVerdict, command::NOTE_BYTES_MAX},
    runs::EventKind,
    tap::entry::station::Level,
    w3c::GivenTraceParent,
    words::seconds,
};

/// Params that are set over those of an opening.
#[derive(Debug, Default, Args)]
pub(crate) struct ParamsArgs {
    /// Set a param, overriding the opening's own: a JSON value, otherwise text. Repeatable.
    #[arg(short = 'p', long = "param", value_name = "NAME=VALUE", value_parser = param)]
    pub(crate) each: Vec<(String, serde_json::Value)>,

    /// Set params from a JSON object, overriding the opening's own. --param takes precedence.
    #[arg(long, value_name = "JSON")]
    pub(crate) params: Option<String>,
}

/// `submit`.
#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The opening, a YAML file; - for stdin.
    pub(crate) file: String,

    #[command(flatten)]
    pub(crate) params: ParamsArgs,

    /// Print the run's events until it ends. Ctrl-C stops following; the run continues.
    #[arg(long)]
    pub(crate) follow: bool,

    /// Wait until the run has ended, and print its outcome.
    #[arg(long)]
    pub(crate) wait: bool,

    /// Stop following or waiting after this many seconds, with exit code 4; the run continues, unless it is
    /// --local.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,

    /// Run it in a temporary station in this process, which ends with the run. The socket for its agents is
    /// printed first; --socket sets it. Ctrl-C cancels the run.
    #[arg(long, conflicts_with_all = ["kind", "token_file"])]
    pub(crate) local: bool,

    /// With --local: seconds to wait for the agents that the opening names, 0 not to wait [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "local")]
    pub(crate) agents: Option<u64>,

    /// With --local: write the run's artifacts into new files in this folder, as `run artifacts` does.
    #[arg(long, value_name = "DIR", requires = "local")]
    pub(crate) out: Option<PathBuf>,

    /// The W3C trace context that the run belongs to, a traceparent header. It is stored with the run and
    /// written into its lifecycle record.
    #[arg(long, value_name = "TEXT", value_parser = traceparent)]
    pub(crate) traceparent: Option<GivenTraceParent>,

    #[command(flatten)]
    pub(crate) peer: PeerArgs,
}

/// `run cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelRunArgs {
    /// The run: its trace, or at least its last four hex digits.
    #[arg(value_name = "ID")]
    pub(crate) run: RunName,

    #[command(flatten)]
    pub(crate) peer: PeerArgs,
}

/// `run`.
#[derive(Debug, Subcommand)]
pub(crate) enum RunAction {
    /// Print the status and the plan of a run.
    Show {
        /// The run: its trace, or at least its last four hex digits.
        #[arg(value_name = "ID")]
        run: RunName,

        /// Print the submitted YAML instead.
        #[arg(long)]
        yaml: bool,

        /// Print the W3C traceparent header to hand on to what the run calls, instead.
        #[arg(long, conflicts_with = "yaml")]
        traceparent: bool,
    },
    /// Print the events of a run, in order.
    Events {
        /// The run: its trace, or at least its last four hex digits.
        #[arg(value_name = "ID")]
        run: RunName,

        /// Only events of at least this level: info, warn or error.
        #[arg(long, value_name = "LEVEL", value_parser = level())]
        level: Option<Level>,

        /// Only events of this kind: log, status, plan, trace, artifact or progress. Repeatable.
        #[arg(long, value_name = "KIND", value_parser = kind())]
        kind: Vec<EventKind>,

        /// Print new events until the run has ended, or until Ctrl-C.
        #[arg(long)]
        follow: bool,
    },
    /// Print the artifacts of a run, or write them to files.
    Artifacts {
        /// The run: its trace, or at least its last four hex digits.
        #[arg(value_name = "ID")]
        run: RunName,

        /// Write each value as JSON into a new file in a subfolder for this run:
        /// `DIR/greeting-a41f/1-draft-out.json`.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Write the lifecycle record of a run as MPLP objects, or the learning samples of one that ended.
    ///
    /// The record is judged first, and written only if nothing is found in it: exits 1 otherwise. A file that
    /// exists is not overwritten. See `rl-console help mplp`.
    Export(RunExportArgs),
    /// Rate a run: whether it did what it was for. The last rating holds, and labels the run's learning
    /// samples.
    Rate(RateArgs),
    /// Cancel a run: running agents receive a cancel request, and their answers are ignored.
    Cancel(CancelRunArgs),
    /// Approve a node that awaits approval; `ls confirmations` lists them.
    Approve(DecideArgs),
    /// Reject a node that awaits approval; the node fails.
    Reject(DecideArgs),
}

/// `run export`.
#[derive(Debug, Args)]
pub(crate) struct RunExportArgs {
    /// The run: its trace, or at least its last four hex digits.
    #[arg(value_name = "ID")]
    pub(crate) run: RunName,

    /// Write a bundle of its objects and events into this new file; - for stdout.
    #[arg(long, value_name = "OUT.json", required_unless_present = "learning")]
    pub(crate) mplp: Option<PathBuf>,

    /// With --mplp: write one object per line instead of a bundle.
    #[arg(long, conflicts_with = "learning")]
    pub(crate) ndjson: bool,

    /// Write its learning samples into this new file, one per line; - for stdout.
    #[arg(long, value_name = "OUT.ndjson", conflicts_with = "mplp")]
    pub(crate) learning: Option<PathBuf>,

    /// Write it although something is found in it.
    #[arg(long)]
    pub(crate) force: bool,
}

/// `run rate`.
#[derive(Debug, Args)]
pub(crate) struct RateArgs {
    /// The run: its trace, or at least its last four hex digits.
    #[arg(value_name = "ID")]
    pub(crate) run: RunName,

    /// The rating.
    #[arg(value_name = "VERDICT", value_parser = verdict())]
    pub(crate) verdict: RatingVerdict,

    /// Why: a note of at most 4096 bytes, stored with the rating. Without it the note of an earlier rating is
    /// kept; an empty one deletes it.
    #[arg(long, value_name = "TEXT", value_parser = rating_note)]
    pub(crate) note: Option<String>,
}

/// `run approve` and `run reject`.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The approval: its action, or at least the last four hex digits of the action or of its run.
    #[arg(value_name = "ID")]
    pub(crate) action: ActionName,

    /// A note, added to the run's events.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// `trace`.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// A trace, or what a screen shows for it: at least the last four hex digits, an invocation's number, a
    /// session's id or both ends of one (`vote…7f3a`).
    #[arg(value_name = "ID")]
    pub(crate) trace: TraceName,

    /// Also print the events that a run publishes.
    #[arg(long)]
    pub(crate) events: bool,

    /// How: a table, or JSON with --json; or a sequence diagram in Mermaid's language, of 1,000 hops at most.
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: TraceFormat,
}

/// How a ladder is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// A line per hop.
    Table,
    /// A sequence diagram in Mermaid's language.
    Mermaid,
}

/// `opening`.
#[derive(Debug, Subcommand)]
pub(crate) enum OpeningAction {
    /// List the openings in the folder `runs.openings`, with their contents or the number of errors in each.
    Ls,
    /// Check openings: print every error with its line and a fix. Exits 6 when one is not valid.
    ///
    /// Nested openings are looked up next to the file, then in the folder `runs.openings`.
    Check {
        /// The files; - for stdin.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        #[command(flatten)]
        params: ParamsArgs,
    },
    /// Draw an opening: each node after its inputs, with its rank. Nodes of the same rank can run in
    /// parallel.
    Graph {
        /// The file; - for stdin.
        file: String,

        /// Draw a Mermaid flowchart.
        #[arg(long)]
        mermaid: bool,

        #[command(flatten)]
        params: ParamsArgs,
    },
}

/// A run as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunName {
    /// By its whole name.
    Whole(TraceId),
    /// By its last hex digits, small letters.
    Tail(String),
}

/// The trace of a run, an invocation or a session as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TraceName {
    /// By its whole name.
    Whole(TraceId),
    /// As a screen names it, or what it is of.
    Short(ShortName),
}

/// What a screen shows of a record's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShortName {
    text: String,
    /// The last hex digits, where it may be those.
    tail: Option<String>,
    /// The number, where it may be one.
    number: Option<u64>,
}

impl ShortName {
    fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            tail: tail(text.strip_prefix(TraceId::PREFIX).unwrap_or(text)),
            number: text.strip_prefix('#').unwrap_or(text).parse().ok(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The last hex digits of an id, small letters.
    pub(crate) fn tail(&self) -> Option<&str> {
        self.tail.as_deref()
    }

    /// Whether it names a record of this number.
    pub(crate) fn is_number(&self, number: u64) -> bool {
        self.number == Some(number)
    }

    /// Whether a trace ends so.
    pub(crate) fn ends(&self, trace: TraceId) -> bool {
        self.tail.as_ref().is_some_and(|tail| trace.0.simple().to_string().ends_with(tail.as_str()))
    }
}

impl FromStr for TraceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("takes a trace, or its short form as shown on screens".to_owned());
        }
        Ok(text.parse().map_or_else(|_| Self::Short(ShortName::of(text)), Self::Whole))
    }
}

/// An approval as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ActionName {
    /// By its whole name.
    Whole(ActionId),
    /// By its last hex digits, small letters.
    Tail(String),
}

impl FromStr for ActionName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = text.parse().map(Self::Whole).ok();
        let digits = text.strip_prefix(ActionId::PREFIX).or_else(|| text.strip_prefix(TraceId::PREFIX));
        let of_run = || Some(Self::Tail(text.parse::<TraceId>().ok()?.0.simple().to_string()));
        let tail = || tail(digits.unwrap_or(text)).map(Self::Tail);
        whole
            .or_else(of_run)
            .or_else(tail)
            .ok_or_else(|| "takes an action, or at least its last 4 hex digits".to_owned())
    }
}

/// The last hex digits of an id, at least four and not all.
fn tail(text: &str) -> Option<String> {
    let digits = text.replace('-', "").to_ascii_lowercase();
    ((4..32).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
}

impl FromStr for RunName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = text.parse().map(Self::Whole).ok();
        let tail = || tail(text.strip_prefix(TraceId::PREFIX).unwrap_or(text)).map(Self::Tail);
        whole.or_else(tail).ok_or_else(|| "takes a trace, or at least its last 4 hex digits".to_owned())
    }
}

/// `name=value`: JSON where it is, else a text.
fn param(text: &str) -> Result<(String, serde_json::Value), String> {
    let (name, value) =
        text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("takes NAME=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((name.to_owned(), value))
}

/// How long ago, as in 90s, 10m, 1h30m or 2d, in milliseconds.
pub(super) fn ago(text: &str) -> Result<u64, String> {
    const TAKES: &str = "takes a duration, such as 90s, 10m, 1h30m or 2d";
    let span: jiff::Span = text.parse().map_err(|_| TAKES.to_owned())?;
    let ago = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).map_err(|_| TAKES.to_owned())?;
    u64::try_from(ago.as_millis()).map_err(|_| TAKES.to_owned())
}

fn verdict() -> impl clap::builder::TypedValueParser<Value = RatingVerdict> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(RatingVerdict::NAMES)
        .try_map(|name| RatingVerdict::from_name(&name).ok_or("no verdict"))
}

fn rating_note(text: &str) -> Result<String, String> {
    if text.len() > NOTE_BYTES_MAX {
        return Err(format!("has {} bytes; takes at most {NOTE_BYTES_MAX}", text.len()));
    }
    Ok(text.to_owned())
}

/// A `traceparent` that is kept as it is.
fn traceparent(text: &str) -> Result<GivenTraceParent, String> {
    match GivenTraceParent::read(text) {
        GivenTraceParent::LeftOut(why) => Err(why),
        valid @ GivenTraceParent::Valid(_) => Ok(valid),
    }
}

fn level() -> impl clap::builder::TypedValueParser<Value = Level> {
    use clap::builder::TypedValueParser as _;
    let names = [Level::Info, Level::Warn, Level::Error].map(Level::name);
    clap::builder::PossibleValuesParser::new(names).try_map(|name| Level::from_name(&name).ok_or("no level"))
}

fn kind() -> impl clap::builder::TypedValueParser<Value = EventKind> {
    use clap::builder::TypedValueParser as _;
    let names = EventKind::ALL.iter().map(|kind| kind.name());
    clap::builder::PossibleValuesParser::new(names)
        .try_map(|name| EventKind::from_name(&name).ok_or("no kind"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_named_by_its_trace_or_its_last_digits() {
        let bare = "0191d3c2-7a41-7f00-8000-00000000a41f";
        let whole = RunName::Whole(bare.parse().unwrap());
        assert_eq!(bare.parse(), Ok(whole.clone()));
        assert_eq!(format!("trace:{bare}").parse(), Ok(whole));
        assert_eq!("A41f".parse(), Ok(RunName::Tail("a41f".to_owned())));
        assert_eq!("8000-00000000a41f".parse(), Ok(RunName::Tail("800000000000a41f".to_owned())));
        for wrong in ["", "41f", "a41g", "trace:"] {
            assert!(wrong.parse::<RunName>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_param_is_json_where_it_can_be_and_a_text_else() {
        let read = |text: &str| param(text).map(|(name, value)| format!("{name} {value}"));
        assert_eq!(read("n=3"), Ok("n 3".to_owned()));
        assert_eq!(read("n=[1,true]"), Ok("n [1,true]".to_owned()));
        assert_eq!(param("who=bob=b").unwrap().1, json!("bob=b"));
        assert_eq!(param("id=\"3\"").unwrap().1, json!("3"));
        assert_eq!(param("empty=").unwrap().1, json!(""));
        assert!(param("=3").is_err() && param("n").is_err());
    }

    #[test]
    fn how_long_ago_is_told_in_units() {
        assert_eq!(
            ["90s", "10m", "1h30m", "2d"].map(|text| ago(text).unwrap()),
            [90_000, 600_000, 5_400_000, 172_800_000]
        );
        for wrong in ["", "soon", "-5s", "1y"] {
            assert!(ago(wrong).is_err(), "{wrong}");
        }
    }
}
