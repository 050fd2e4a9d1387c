//! What peers of the bus are shown as.

use crate::rmp::{Kind, PeerView};

/// Whether a peer is a screen on this station, or a command to it.
pub(crate) fn is_console(peer: &PeerView) -> bool {
    let is_ours = |kind| matches!(kind, Kind::Ui | Kind::Tui | Kind::Viewer | Kind::Cue);
    peer.greeting
        .as_ref()
        .is_some_and(|greeting| is_ours(greeting.kind) && greeting.client.starts_with("rl-console"))
}

/// What a peer is shown as: its own name, but consoles, which all have one, by their processes.
pub(crate) fn peer_name(peer: &PeerView, is_own: bool) -> String {
    let process = peer.peer.as_str().split_once("pid ").map_or("", |(_, pid)| pid);
    match &peer.greeting {
        None => "no Hello yet".to_owned(),
        Some(_) if is_own => "this console".to_owned(),
        Some(_) if is_console(peer) && !process.is_empty() => format!("console {process}"),
        Some(greeting) if greeting.client.is_empty() => "(no name)".to_owned(),
        Some(greeting) => greeting.client.to_string(),
    }
}
