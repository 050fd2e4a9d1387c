//! The nouns of one kind of record, each with its verbs: a noun in the singular comes first.

use clap::{
    Args, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

use super::invocations::{CancelInvocationsArgs, RequeueArgs, SettleArgs};
use crate::tap::entry::Link;

/// `invocation`.
#[derive(Debug, Subcommand)]
pub(crate) enum InvocationAction {
    /// Cancel pending invocations: they become `failed`, with the reason `cancelled: TEXT`.
    Cancel(CancelInvocationsArgs),
    /// Mark an orphaned invocation (`applied`, adapter lost) done or failed.
    Settle(SettleArgs),
    /// Requeue ended invocations as new ones with the same event, params, queue, source and user, without
    /// redemption and key.
    Requeue(RequeueArgs),
}

/// `adapter`.
#[derive(Debug, Subcommand)]
pub(crate) enum AdapterAction {
    /// Disconnect the active adapter; invocations in flight are requeued.
    Disconnect,
}

/// `peer`.
#[derive(Debug, Subcommand)]
pub(crate) enum PeerAction {
    /// Disconnect a bus peer.
    Disconnect(DisconnectPeerArgs),
}

/// `peer disconnect`.
#[derive(Debug, Args)]
pub(crate) struct DisconnectPeerArgs {
    /// The session number of the peer, as listed by `ls peers`.
    #[arg(value_parser = session)]
    pub(crate) session: u64,
}

/// `host`.
#[derive(Debug, Subcommand)]
pub(crate) enum HostAction {
    /// Restart a failed host of a running station.
    Restart(RestartArgs),
}

/// `host restart`.
#[derive(Debug, Args)]
pub(crate) struct RestartArgs {
    /// The host to restart.
    #[arg(value_parser = host())]
    pub(crate) host: Link,
}

/// What can be started again: every host but the station itself.
fn host() -> impl TypedValueParser<Value = Link> {
    let hosts = Link::ALL.into_iter().filter(|link| *link != Link::Station);
    PossibleValuesParser::new(hosts.map(|link| PossibleValue::new(link.name()).help(link.title())))
        .try_map(|name| Link::from_name(&name).ok_or("no host"))
}

fn session(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "give a session number, as listed by `rl-console ls peers`".to_owned())
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
