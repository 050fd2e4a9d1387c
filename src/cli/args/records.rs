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
    /// Make pending invocations `failed`, with the reason `cancelled: TEXT`.
    Cancel(CancelInvocationsArgs),
    /// Mark an invocation done or failed by hand that a vanished adapter left in `applied`.
    Settle(SettleArgs),
    /// Record ended invocations once more: new ones of the same event, params, queue, source and user,
    /// without redemption and key.
    Requeue(RequeueArgs),
}

/// `adapter`.
#[derive(Debug, Subcommand)]
pub(crate) enum AdapterAction {
    /// Close the active adapter's connection; what is in flight is requeued.
    Disconnect,
}

/// `peer`.
#[derive(Debug, Subcommand)]
pub(crate) enum PeerAction {
    /// Close a connection of the bus.
    Disconnect(DisconnectPeerArgs),
}

/// `peer disconnect`.
#[derive(Debug, Args)]
pub(crate) struct DisconnectPeerArgs {
    /// Its session, as `ls peers` shows it.
    #[arg(value_parser = session)]
    pub(crate) session: u64,
}

/// `host`.
#[derive(Debug, Subcommand)]
pub(crate) enum HostAction {
    /// Start a host of a running station again that failed.
    Restart(RestartArgs),
}

/// `host restart`.
#[derive(Debug, Args)]
pub(crate) struct RestartArgs {
    /// Which host.
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
