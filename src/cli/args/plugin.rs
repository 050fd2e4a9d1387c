//! The flags of `plugin`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `plugin`.
#[derive(Debug, Subcommand)]
pub(crate) enum PluginAction {
    /// Check the folder of a plugin; needs no station.
    ///
    /// With --run, also start the plugin and drive it through the specification: one line per clause. Exits 1
    /// when something is wrong.
    Check(PluginCheckArgs),
}

/// `plugin check`.
#[derive(Debug, Args)]
pub(crate) struct PluginCheckArgs {
    /// The folder with the plugin.toml.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// Start the plugin and check its side of the protocol.
    #[arg(long)]
    pub(crate) run: bool,

    /// Run this command line instead of the manifest's entry and args.
    #[arg(long, value_name = "LINE")]
    pub(crate) command: Option<String>,

    /// How long each answer may take, in milliseconds [default: as specified].
    #[arg(long, value_name = "MS", hide = true, requires = "run")]
    pub(crate) patience: Option<u64>,
}
