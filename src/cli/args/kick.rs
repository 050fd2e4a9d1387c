//! The flags of `kick`.

use clap::{Args, Subcommand};

/// `kick`.
#[derive(Debug, Args)]
pub(crate) struct KickArgs {
    #[command(subcommand)]
    pub(crate) what: KickWhat,
}

/// What can be kicked.
#[derive(Debug, Subcommand)]
pub(crate) enum KickWhat {
    /// Close the active adapter's connection; what is in flight is requeued.
    Adapter,
    /// Close a connection of the bus.
    Peer {
        /// Its session, as `ls peers` shows it.
        #[arg(value_parser = session)]
        session: u64,
    },
}

fn session(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "give the number of a session, as `rl-console ls peers` shows it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_a_number_and_where_to_find_it_is_said() {
        assert_eq!(session("18"), Ok(18));
        assert!(session("writer").unwrap_err().contains("rl-console ls peers"));
    }
}
