//! The flags of `trigger`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::{cli::filter, port::ClipSpan};

/// `trigger`.
#[derive(Debug, Subcommand)]
pub(crate) enum TriggerAction {
    /// List the triggers: those of the configuration, and those that were added.
    Ls,
    /// Add a trigger to the running station; it is kept over restarts.
    #[command(after_long_help = filter::help_of_entries())]
    Add(TriggerAddArgs),
    /// Remove a trigger that was added.
    Rm {
        /// Its name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Print when triggers would have fired in a recording; needs no station.
    ///
    /// Without --when, those of the configuration are tried, and those that were added to the station that
    /// runs, if one does.
    Test(TriggerTestArgs),
}

/// `trigger add`.
#[derive(Debug, Args)]
pub(crate) struct TriggerAddArgs {
    /// What it is called: letters, digits, `-`, `_` and `.`.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) when: TriggerWhen,

    /// Mark what it finds, on every console and in recordings.
    #[arg(long)]
    pub(crate) mark: bool,

    /// Save so many seconds before, and after, as a recording.
    #[arg(long, value_name = "BEFORE[,AFTER]", value_parser = clip_span)]
    pub(crate) clip: Option<ClipSpan>,

    /// Raise an alert.
    #[arg(long)]
    pub(crate) alert: bool,

    /// Run a subcommand of rl-console for this station. The last flag: all that follows are its arguments.
    #[arg(long, value_name = "ARG", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) run: Vec<String>,
}

/// What a trigger looks for.
#[derive(Debug, Args)]
pub(crate) struct TriggerWhen {
    /// A filter over entries, as in the Wire.
    #[arg(long, value_name = "FILTER")]
    pub(crate) when: Option<String>,

    /// Seconds after it fired in which it does not fire again.
    #[arg(long = "cooldown", value_name = "SECONDS", default_value_t = 10)]
    pub(crate) cooldown_s: u64,

    /// How often it fires in an hour at most.
    #[arg(long = "per-hour", value_name = "N", default_value_t = 30)]
    pub(crate) per_hour_max: u64,
}

/// `trigger test`.
#[derive(Debug, Args)]
pub(crate) struct TriggerTestArgs {
    /// The recording, or a folder with recordings.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) when: TriggerWhen,
}

fn clip_span(text: &str) -> Result<ClipSpan, String> {
    let wrong = || format!("`{text}` is not BEFORE[,AFTER] in seconds, such as 30,5");
    let (before, after) = text.split_once(',').unwrap_or((text, "0"));
    let seconds = |text: &str| text.trim().parse().map_err(|_| wrong());
    Ok(ClipSpan { before_s: seconds(before)?, after_s: seconds(after)? })
}
