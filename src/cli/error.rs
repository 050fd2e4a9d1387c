//! Why a subcommand did not do its work: one match to the exit code, one to the machine-readable code, one to
//! what can be done.

use std::io;

pub(crate) use super::exit::Exit;
use super::{
    bus_error, commands::event_schemas::UnfitParams, config::ConfigError, filter::FilterError,
    inject_error::InjectError, mplp_error::MplpError, recording_error::RecordingError, run_error::RunError,
    session_error::SessionError, start_error,
};
use crate::{
    console::settings::ConsoleError,
    dissect::frame_json::FrameFault,
    ids::InvocationId,
    plugin,
    port::{PortError, WorkbenchError},
    rmp::client,
    station::{StartError, pairing::PairError},
    tap::entry::mpp::RowState,
};

/// Why a subcommand did not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Flags or arguments do not fit.
    #[error("{message}")]
    Usage {
        /// The fault.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A filter cannot be read.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The station refused, or did not answer.
    #[error(transparent)]
    Port(#[from] PortError),
    /// A station could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The console could not run.
    #[error(transparent)]
    Console(#[from] ConsoleError),
    /// No screen can be drawn without a terminal, where there is something else to do.
    #[error("{what} is not a terminal")]
    NoScreen {
        /// Which stream is none.
        what: &'static str,
        /// What to do.
        hint: String,
    },
    /// No token was made.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// A pack has errors.
    #[error("{}", pack_text(path, *.errors, first))]
    Pack {
        /// The manifest's path.
        path: String,
        /// How many.
        errors: usize,
        /// Where the first is and what it says, and how to mend it; empty when every one was printed.
        first: String,
    },
    /// A line of `--from`, or a row that came from it.
    #[error("line {line}: {cause}{}", and_more(*also))]
    Line {
        /// Its number, from 1.
        line: u64,
        /// The fault.
        cause: Box<Error>,
        /// How many more lines of its batch were refused.
        also: usize,
    },
    /// Lines of `--from` that were refused, while the others were recorded.
    #[error("{recorded} rows recorded, {} {}{}: {}", refused.len() + *also, if refused.len() + *also == 1 { "line refused" } else { "lines refused" }, if *is_cut_short { "; the rest was not sent" } else { "" }, listed(refused, *also))]
    Lines {
        /// Rows that are recorded, repeated ones included.
        recorded: u64,
        /// The first ones that are not, each an [`Error::Line`]; there is one at least.
        refused: Vec<Error>,
        /// How many more there were.
        also: usize,
        /// Whether the stream was not read to its end.
        is_cut_short: bool,
    },
    /// A line that is not what is asked for.
    #[error("{0}")]
    NotAnInvocation(String),
    /// Some of several rows were refused; the first one's reason.
    #[error("{first}{}", and_more(*also))]
    Some {
        /// The first refusal.
        first: PortError,
        /// How many more there were.
        also: usize,
    },
    /// The state that was waited for did not come in time.
    #[error("invocation {id} is still {} after {ms} ms", .state.name())]
    WaitedTooLong {
        /// Which.
        id: InvocationId,
        /// Where it stands.
        state: RowState,
        /// How long was waited.
        ms: u64,
    },
    /// It ended otherwise.
    #[error("invocation {id} ended {}, not {}{}", .state.name(), .wanted.name(), .reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    EndedOtherwise {
        /// Which.
        id: InvocationId,
        /// How.
        state: RowState,
        /// What was waited for.
        wanted: RowState,
        /// Why, where it says so.
        reason: Option<String>,
    },
    /// Frames that `decode` printed are not valid.
    #[error("{}", frames_text(*invalid, *all, first))]
    Frames {
        /// How many.
        invalid: u64,
        /// Of how many.
        all: u64,
        /// What the first one is refused for.
        first: Box<FrameFault>,
    },
    /// A frame that `encode` was asked for would not be valid.
    #[error("frame {number} would be invalid: {error}")]
    FrameRefused {
        /// Its number, from 1.
        number: u64,
        /// What it would be refused for.
        error: Box<FrameFault>,
    },
    /// An input that holds no frame.
    #[error("{what}: {message}")]
    Input {
        /// The file.
        what: String,
        /// The fault.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A check of `doctor` found something.
    #[error("{failed} of {all} checks failed")]
    Doctor {
        /// How many.
        failed: usize,
        /// Of how many.
        all: usize,
    },
    /// A plugin does not keep clauses of the specification.
    #[error("{failed} of {all} clauses failed")]
    PluginCheck {
        /// How many.
        failed: usize,
        /// Of how many.
        all: usize,
    },
    /// Components of the station that are down, as `ls health` lists them.
    #[error("down: {0}")]
    Down(String),
    /// No page of the manual has these words.
    #[error("no page of the manual has {0:?}")]
    NoHits(String),
    /// The station refused the simulated adapter, or broke the protocol.
    #[error("{message}")]
    Adapter {
        /// What happened.
        message: String,
        /// What to do.
        hint: String,
    },
    /// Nothing listens at an address, or it hung up.
    #[error("{message}")]
    Unreachable {
        /// What happened.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The bus.
    #[error(transparent)]
    Bus(#[from] client::Error),
    /// Openings and their runs.
    #[error(transparent)]
    Run(#[from] RunError),
    /// MPLP objects.
    #[error(transparent)]
    Mplp(#[from] MplpError),
    /// Injected frames did not end as they were to.
    #[error(transparent)]
    Inject(#[from] InjectError),
    /// A recording is not read or written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Sessions in which agents decide.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Nobody has said that it is to be done all the same.
    #[error("{message}")]
    Declined {
        /// What hangs on it.
        message: String,
        /// What to do.
        hint: String,
    },
    /// Params that fail the schema of their event, and were to be checked.
    #[error(transparent)]
    Unfit(UnfitParams),
    /// A file or the system.
    #[error("{what}: {why}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system says.
        why: io::Error,
    },
    /// The station answered something else than was asked.
    #[error("unexpected answer from the station")]
    UnexpectedAnswer,
    /// Stdout cannot be written to.
    #[error("stdout: {0}")]
    Output(io::Error),
}

/// The lines that were refused, in one sentence.
fn listed(refused: &[Error], also: usize) -> String {
    let told: Vec<_> = refused.iter().map(ToString::to_string).collect();
    format!("{}{}", told.join("; "), and_more(also))
}

/// A single error is told itself, unless it was printed already.
fn pack_text(path: &str, errors: usize, first: &str) -> String {
    match errors {
        1 if !first.is_empty() => first.to_owned(),
        1 => format!("{path} has 1 error"),
        _ => format!("{path} has {errors} errors"),
    }
}

fn frames_text(invalid: u64, all: u64, first: &FrameFault) -> String {
    let of = if all == 1 {
        "invalid frame".to_owned()
    } else {
        format!("{invalid} of {all} frames are invalid, the first")
    };
    format!("{of}: {first}")
}

fn and_more(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " (and 1 more refused)".to_owned(),
        count => format!(" (and {count} more refused)"),
    }
}

impl Error {
    /// Something wrong with the flags, with what to do.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// Something that the system refused.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |why| Self::Io { what, why }
    }

    /// Whether whoever read stdout has gone: no error, and nobody to tell.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::Filter(_) | Self::Config(_) => Exit::Usage,
            Self::Port(error) | Self::Some { first: error, .. } => port_exit(error),
            Self::Start(error) => start_error::exit(error),
            Self::Line { cause, .. } => cause.exit(),
            Self::Lines { refused, is_cut_short: true, .. } => {
                refused.last().map_or(Exit::Refused, Self::exit)
            }
            Self::Unreachable { .. } => Exit::NoStation,
            Self::Bus(error) => bus_error::exit(error),
            Self::Run(error) => error.exit(),
            Self::Mplp(error) => error.exit(),
            Self::Inject(error) => error.exit(),
            Self::Recording(error) => error.exit(),
            Self::Session(error) => error.exit(),
            Self::WaitedTooLong { .. } => Exit::TimedOut,
            Self::EndedOtherwise { .. } => Exit::OtherState,
            Self::Frames { .. } | Self::FrameRefused { .. } => Exit::NotValid,
            Self::Output(_) if self.is_broken_pipe() => Exit::Done,
            Self::Console(_)
            | Self::NoScreen { .. }
            | Self::Pair(_)
            | Self::Pack { .. }
            | Self::Lines { .. }
            | Self::NotAnInvocation(_)
            | Self::Doctor { .. }
            | Self::PluginCheck { .. }
            | Self::Down(_)
            | Self::NoHits(_)
            | Self::Adapter { .. }
            | Self::Input { .. }
            | Self::Declined { .. }
            | Self::Unfit(_)
            | Self::Io { .. }
            | Self::UnexpectedAnswer
            | Self::Output(_) => Exit::Refused,
        }
    }

    /// Whether it concerns one line of a stream, whose next line can be read.
    pub(crate) fn is_of_one_line(&self) -> bool {
        matches!(self, Self::Line { cause, .. } if matches!(**cause, Self::NotAnInvocation(_)))
    }

    /// The machine-readable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Usage { .. } => "usage",
            Self::Filter(_) => "filter",
            Self::Config(_) => "config",
            Self::Port(error) | Self::Some { first: error, .. } => error.code(),
            Self::Start(error) => start_error::code(error),
            Self::Console(_) | Self::NoScreen { .. } => "console",
            Self::Pair(PairError::AlreadyPaired) => "already_paired",
            Self::Pair(PairError::Random(_)) => "random",
            Self::Pair(PairError::Damaged(_)) => "damaged",
            Self::Pair(PairError::File { .. }) | Self::Io { .. } => "file",
            Self::Pack { .. } => "bad_pack",
            Self::Line { cause, .. } => cause.code(),
            Self::Lines { refused, is_cut_short: true, .. } => {
                refused.last().map_or("lines_refused", Self::code)
            }
            Self::Lines { .. } => "lines_refused",
            Self::NotAnInvocation(_) => "bad_line",
            Self::WaitedTooLong { .. } => "timed_out",
            Self::EndedOtherwise { .. } => "other_state",
            Self::Frames { .. } | Self::FrameRefused { .. } => "invalid_frame",
            Self::Input { .. } => "bad_input",
            Self::Doctor { .. } => "doctor",
            Self::PluginCheck { .. } => "plugin_check",
            Self::Declined { .. } => "declined",
            Self::Unfit(_) => UnfitParams::CODE,
            Self::Down(_) => "down",
            Self::NoHits(_) => "no_such_page",
            Self::Adapter { .. } => "adapter_refused",
            Self::Unreachable { .. } => "unreachable",
            Self::Bus(error) => bus_error::code(error),
            Self::Run(error) => error.code(),
            Self::Mplp(error) => error.code(),
            Self::Inject(error) => error.code(),
            Self::Recording(error) => error.code(),
            Self::Session(error) => error.code(),
            Self::UnexpectedAnswer => "bad_answer",
            Self::Output(_) => "output",
        }
    }

    /// What to do about it; empty when nothing can be said.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Usage { hint, .. }
            | Self::Adapter { hint, .. }
            | Self::Declined { hint, .. }
            | Self::Unreachable { hint, .. }
            | Self::NoScreen { hint, .. }
            | Self::Input { hint, .. } => hint.clone(),
            Self::Frames { .. } => "see the errors above, with their byte offsets".to_owned(),
            Self::FrameRefused { error, .. } => {
                let what = error.hint.map_or_else(|| format!("expected {}", error.expected), str::to_owned);
                format!("{what}; --broken encodes the frame unchanged")
            }
            Self::Bus(error) => bus_error::hint(error),
            Self::Run(error) => error.hint(),
            Self::Mplp(error) => error.hint(),
            Self::Inject(error) => error.hint(),
            Self::Recording(error) => error.hint(),
            Self::Session(error) => error.hint(),
            Self::Filter(_) => "`rl-console help filter` describes the syntax".to_owned(),
            Self::Config(error) => error.hint(),
            Self::Port(error) | Self::Some { first: error, .. } => error.hint(),
            Self::Start(error) => start_error::hint(error),
            Self::Console(_) => "check the terminal with `rl-console doctor`".to_owned(),
            Self::Pair(PairError::AlreadyPaired) => {
                "replace the token with `rl-console pair --rotate`; adapters then need the new one".to_owned()
            }
            Self::Pair(PairError::Damaged(_)) => {
                "create a new token with `rl-console pair --rotate`".to_owned()
            }
            Self::Pair(PairError::File { .. } | PairError::Random(_)) => {
                "check the data folder with `rl-console doctor`".to_owned()
            }
            Self::Pack { first, .. } if first.is_empty() => "see the errors above".to_owned(),
            Self::Pack { errors: 1, .. } => {
                "check the path, or fix the file and run `rl-console pack check`".to_owned()
            }
            Self::Pack { first, .. } => first.clone(),
            Self::Line { cause, .. } => cause.hint(),
            Self::Lines { refused, .. } => refused.first().map(Self::hint).unwrap_or_default(),
            Self::NotAnInvocation(_) => {
                "write each line as an object such as {\"event\":\"give_item\",\"params\":{}}; the lines \
                 before it are recorded"
                    .to_owned()
            }
            Self::WaitedTooLong { .. } => {
                "the invocation continues; `rl-console ls invocations` shows it".to_owned()
            }
            Self::EndedOtherwise { .. } => "`rl-console ls invocations` shows it".to_owned(),
            Self::Unfit(unfit) => unfit.hint(),
            Self::PluginCheck { .. } => "see the failed lines above".to_owned(),
            Self::Doctor { .. } => "see the ✗ lines above for fixes".to_owned(),
            Self::NoHits(_) => "search for fewer words; `rl-console help` lists the pages".to_owned(),
            Self::Down(_) => "see the detail column for fixes, and run `rl-console doctor`".to_owned(),
            Self::Io { why, .. } if why.kind() == io::ErrorKind::NotFound => "check the path".to_owned(),
            Self::Io { why, .. } if why.kind() == io::ErrorKind::PermissionDenied => {
                "check the permissions of the file and its folder".to_owned()
            }
            Self::Io { why, .. } if why.kind() == io::ErrorKind::AlreadyExists => {
                "choose another path, or move the existing file away".to_owned()
            }
            Self::Io { why, .. } if why.kind() == io::ErrorKind::IsADirectory => {
                "the path is a folder: give a file in it".to_owned()
            }
            Self::Io { .. } | Self::Output(_) => "free space, or choose another path".to_owned(),
            Self::UnexpectedAnswer => "use the same version of rl-console as the station".to_owned(),
        }
    }
}

fn port_exit(error: &PortError) -> Exit {
    match error {
        PortError::NoStation { .. } | PortError::Unreached { .. } | PortError::Stopping => Exit::NoStation,
        PortError::TimedOut { .. } | PortError::Plugin(plugin::Refusal::TimedOut { .. }) => Exit::TimedOut,
        PortError::Workbench(WorkbenchError::FrameCut { .. } | WorkbenchError::Withheld)
        | PortError::Damaged(_)
        | PortError::NoKeyframe(_) => Exit::NotValid,
        PortError::Refused(_)
        | PortError::Workbench(_)
        | PortError::Gate(_)
        | PortError::Plugin(_)
        | PortError::Run(_)
        | PortError::Session(_)
        | PortError::Record(_)
        | PortError::Busy { .. }
        | PortError::HostDown { .. }
        | PortError::HostUp { .. }
        | PortError::File { .. }
        | PortError::Recording(_)
        | PortError::Trigger(_)
        | PortError::BadRequest(_)
        | PortError::OlderStation { .. }
        | PortError::NoSession { .. }
        | PortError::NoEntry { .. }
        | PortError::NoAlert { .. }
        | PortError::AlertAsks { .. }
        | PortError::Forbidden { .. }
        | PortError::Stranger
        | PortError::OtherStation { .. }
        | PortError::NotRecorded { .. }
        | PortError::NotOnScreen { .. }
        | PortError::Replayed
        | PortError::Store(_) => Exit::Refused,
    }
}

#[cfg(test)]
mod tests;
