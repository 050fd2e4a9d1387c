//! The flags of `snippet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `snippet`.
#[derive(Debug, Subcommand)]
pub(crate) enum SnippetAction {
    /// List the snippets: your own, and those that are shipped.
    Ls,

    /// Print a snippet, or every snippet that leads to an error.
    Show(SnippetShowArgs),

    /// Check a snippet of your own: read it, make its frames, and report what is wrong.
    ///
    /// Exits 0 when it is valid, 6 when it is not. A frame that its peer would refuse is valid: its fault is
    /// printed.
    Check(SnippetCheckArgs),
}

/// `snippet show`.
#[derive(Debug, Args)]
pub(crate) struct SnippetShowArgs {
    /// A snippet (`mpp/pull`, or `pull`), or an error: `UNKNOWN_INVOCATION_ID`, `InvalidTtl`, -32004.
    #[arg(value_name = "NAME", allow_negative_numbers = true)]
    pub(crate) name: String,
}

/// `snippet check`.
#[derive(Debug, Args)]
pub(crate) struct SnippetCheckArgs {
    /// A TOML file. Without it, every snippet of the configuration folder is checked.
    pub(crate) file: Option<PathBuf>,
}
