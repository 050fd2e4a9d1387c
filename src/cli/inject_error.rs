//! How injected frames end, as scripts and people read it.

use super::error::Exit;
use crate::{dissect::snippets::SnippetFault, words::counted};

/// The code of a snippet whose frames find something else than it needs.
pub(crate) const NOT_STAGED: &str = "not_staged";

/// Why `inject` does not exit with 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InjectError {
    /// Frames were refused, as was printed.
    #[error("{count} of {} refused, first: {why}", counted(*all, "frame"))]
    Refused {
        /// How many.
        count: u64,
        /// Of how many.
        all: u64,
        /// Why the first was.
        why: String,
    },
    /// Nothing was said of frames in time.
    #[error("{count} of {} without a verdict within {ms} ms", counted(*all, "frame"))]
    NoAnswer {
        /// How many.
        count: u64,
        /// Of how many.
        all: u64,
        /// How long was waited.
        ms: u64,
        /// How many of them the gate holds.
        held: u64,
    },
    /// Frames that were judged alone are not whole.
    #[error("{count} of {} is not whole", counted(*all, "frame"))]
    NotWhole {
        /// How many.
        count: u64,
        /// Of how many.
        all: u64,
    },
    /// Frames ended in another way than was expected.
    #[error("{count} of {} ended otherwise than by {expected}", counted(*all, "frame"))]
    Unexpected {
        /// How many.
        count: u64,
        /// Of how many.
        all: u64,
        /// What was expected.
        expected: String,
    },
    /// What a snippet needs is not there.
    #[error(
        "frame {frame} not sent: {foreseen} is foreseen, not what the snippet shows, which needs {needs}"
    )]
    NotStaged {
        /// The number of the frame.
        frame: u64,
        /// How it would end.
        foreseen: String,
        /// What must be there first.
        needs: String,
    },
    /// It would end the connection of the peer in whose place it goes, or may harm the one to which it goes.
    #[error("not sent: {}", harm(what, ends.as_deref(), effect.as_deref()))]
    NotAsked {
        /// What would end.
        what: &'static str,
        /// Why it would end it.
        ends: Option<String>,
        /// What hangs on it.
        effect: Option<String>,
    },
    /// It was ended by Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The JSON is none, or none of a frame.
    #[error("{what}: {message}")]
    NotAFrame {
        /// Where it is.
        what: String,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// There is none.
    #[error("no frame to inject")]
    NoFrame,
    /// The tap does not have the entry.
    #[error("the tap has no entry {seq}{}", if *seq < *oldest { format!(": the oldest that is kept is {oldest}") } else { String::new() })]
    NotKept {
        /// Its number.
        seq: u64,
        /// The oldest that there is.
        oldest: u64,
    },
    /// A captured frame has more bytes than a station sends of its past at once.
    #[error("frame {seq} has {bytes} bytes, more than a page of the past carries")]
    TooLongToFetch {
        /// Its number.
        seq: u64,
        /// Its length.
        bytes: u64,
    },
    /// There is no such snippet.
    #[error("{message}")]
    UnknownSnippet {
        /// What is not there.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A file is no snippet.
    #[error("{0}")]
    BadSnippet(SnippetFault),
}

/// Why it is asked first whether to send a frame.
fn harm(what: &str, ends: Option<&str>, effect: Option<&str>) -> String {
    let ends =
        ends.map_or_else(|| "it may harm the peer".to_owned(), |why| format!("it would end {what}: {why}"));
    effect.map(|effect| format!("{ends}; {effect}")).unwrap_or(ends)
}

impl InjectError {
    /// The exit code.
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Self::Refused { .. }
            | Self::NotAsked { .. }
            | Self::Interrupted
            | Self::NotKept { .. }
            | Self::TooLongToFetch { .. } => Exit::Refused,
            Self::NoAnswer { .. } | Self::NotWhole { .. } => Exit::TimedOut,
            Self::Unexpected { .. } | Self::NotStaged { .. } => Exit::OtherState,
            Self::NotAFrame { .. } | Self::NoFrame | Self::BadSnippet(_) => Exit::NotValid,
            Self::UnknownSnippet { .. } => Exit::Usage,
        }
    }

    /// The machine-readable code.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "refused",
            Self::NoAnswer { .. } | Self::NotWhole { .. } => "no_answer",
            Self::Unexpected { .. } => "unexpected",
            Self::NotStaged { .. } => NOT_STAGED,
            Self::NotAsked { .. } => "needs_yes",
            Self::Interrupted => "interrupted",
            Self::NotAFrame { .. } => "bad_input",
            Self::NoFrame => "no_frame",
            Self::NotKept { .. } => "not_kept",
            Self::TooLongToFetch { .. } => "too_long",
            Self::UnknownSnippet { .. } => "unknown_snippet",
            Self::BadSnippet(_) => "bad_snippet",
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> String {
        let hint = match self {
            Self::Refused { .. } => "`--dry-run --json` prints what is expected, and at which byte",
            Self::NoAnswer { held: 1.., .. } => {
                "`gate ls` lists the frames that the gate holds; let them pass with `gate pass`"
            }
            Self::NoAnswer { .. } => {
                "the frame may not be whole: `--dry-run` says what is awaited; or wait longer with --wait-ms"
            }
            Self::NotWhole { .. } => "add the bytes that are awaited, as the lines say",
            Self::Unexpected { .. } => "see the lines above",
            Self::NotStaged { .. } => "stage it, or add --yes to send it all the same",
            Self::NotAsked { .. } => "add --yes to send it all the same",
            Self::Interrupted => "what was printed was sent",
            Self::NoFrame => "give a JSON object, or bytes with --raw",
            Self::NotKept { .. } => "`trace RUN --json` prints the numbers of what is kept",
            Self::TooLongToFetch { .. } => "send it from the console of the station itself, with `e`",
            Self::NotAFrame { hint, .. } | Self::UnknownSnippet { hint, .. } => hint,
            Self::BadSnippet(fault) => &fault.hint,
        };
        hint.to_owned()
    }
}
