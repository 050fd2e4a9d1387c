//! The grammar of `alert`.

use clap::Subcommand;

/// What is done with alerts.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertWhat {
    /// Acknowledge alerts, for every console.
    Ack {
        /// Alert ids, as listed by `ls alerts`.
        #[arg(value_name = "ID", required_unless_present = "all", value_parser = id)]
        ids: Vec<u64>,
        /// Acknowledge all active alerts.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

fn id(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "give the id of an alert, as listed by `rl-console ls alerts`".to_owned())
}
