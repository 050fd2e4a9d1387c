//! The grammar of `alert`.

use clap::Subcommand;

/// What is done with alerts.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertWhat {
    /// Acknowledge alerts, for every console.
    Ack {
        /// Their ids, as `ls alerts` shows them.
        #[arg(value_name = "ID", required_unless_present = "all", value_parser = id)]
        ids: Vec<u64>,
        /// All that are active.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

fn id(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "give the id of an alert, as `rl-console ls alerts` shows it".to_owned())
}
