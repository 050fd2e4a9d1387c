//! Subcommands under their earlier names, which go on working and which no help lists.

use clap::{Args, Subcommand};

use super::{
    Command,
    invocations::CancelInvocationsArgs,
    records::{AdapterAction, DisconnectPeerArgs, HostAction, InvocationAction, PeerAction},
    runs::{CancelRunArgs, RunAction},
};

/// `cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    #[command(subcommand)]
    what: CancelWhat,
}

/// What is cancelled.
#[derive(Debug, Subcommand)]
enum CancelWhat {
    /// `invocation cancel`.
    Invocation(CancelInvocationsArgs),
    /// `run cancel`.
    Run(CancelRunArgs),
}

/// The earlier name of `adapter disconnect` and `peer disconnect`.
#[derive(Debug, Args)]
pub(crate) struct KickArgs {
    #[command(subcommand)]
    what: KickWhat,
}

/// What is disconnected.
#[derive(Debug, Subcommand)]
enum KickWhat {
    /// `adapter disconnect`.
    Adapter,
    /// `peer disconnect`.
    Peer(DisconnectPeerArgs),
}

impl Command {
    /// The subcommand by the name that it has now.
    pub(crate) fn current(self) -> Self {
        match self {
            Self::Cancel(CancelArgs { what: CancelWhat::Invocation(args) }) => {
                Self::Invocation(InvocationAction::Cancel(args))
            }
            Self::Cancel(CancelArgs { what: CancelWhat::Run(args) }) => Self::Run(RunAction::Cancel(args)),
            Self::Settle(args) => Self::Invocation(InvocationAction::Settle(args)),
            Self::Approve(args) => Self::Run(RunAction::Approve(args)),
            Self::Reject(args) => Self::Run(RunAction::Reject(args)),
            Self::Kick(KickArgs { what: KickWhat::Adapter }) => Self::Adapter(AdapterAction::Disconnect),
            Self::Kick(KickArgs { what: KickWhat::Peer(args) }) => Self::Peer(PeerAction::Disconnect(args)),
            Self::Restart(args) => Self::Host(HostAction::Restart(args)),
            current => current,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use crate::cli::args::Cli;

    /// What was said before, and what says it now.
    const RENAMED: [(&str, &str); 8] = [
        ("cancel invocation 1 2 --reason late --refund", "invocation cancel 1 2 --reason late --refund"),
        ("cancel run a41f --as ui", "run cancel a41f --as ui"),
        ("settle 4 done", "invocation settle 4 done"),
        ("approve a41f --note yes", "run approve a41f --note yes"),
        ("reject a41f", "run reject a41f"),
        ("kick adapter", "adapter disconnect"),
        ("kick peer 18", "peer disconnect 18"),
        ("restart mpp", "host restart mpp"),
    ];

    #[test]
    fn an_earlier_name_goes_on_meaning_what_it_meant() {
        let parse = |line: &str| {
            let cli = Cli::try_parse_from(std::iter::once("rl-console").chain(line.split(' '))).unwrap();
            format!("{:?}", cli.command.unwrap().current())
        };
        for (earlier, now) in RENAMED {
            assert_eq!(parse(earlier), parse(now), "{earlier}");
        }
    }

    #[test]
    fn no_help_lists_an_earlier_name() {
        let cli = Cli::command();
        for (earlier, now) in RENAMED {
            let first = |line: &'static str| cli.find_subcommand(line.split(' ').next().unwrap()).unwrap();
            assert!(first(earlier).is_hide_set() && !first(now).is_hide_set(), "{earlier}");
        }
    }
}
