//! What an operator has the MACP runtime do.

use super::handle::Sessions;
use crate::{
    macp::Command,
    port::{Outcome, PortError},
    station::local::Operating,
};

pub(in crate::station) async fn command(
    operating: Operating<'_>,
    sessions: &Sessions,
    command: Command,
) -> Result<Outcome, PortError> {
    let what = describe(&command);
    let cause = operating.report(&what);
    let outcome = sessions.handle()?.command(command, Some(cause)).await;
    if let Err(refusal) = &outcome {
        operating.refused(&format!("{what}: {refusal}"));
    }
    outcome.map(Outcome::Macp).map_err(PortError::Session)
}

/// A command in the words of the journal.
fn describe(command: &Command) -> String {
    match command {
        Command::Cancel { session, reason } if reason.is_empty() => format!("cancel session {session}"),
        Command::Cancel { session, reason } => format!("cancel session {session}: {reason}"),
        Command::CancelBy { peer, reason } if reason.is_empty() => format!("cancel the sessions of {peer}"),
        Command::CancelBy { peer, reason } => format!("cancel the sessions of {peer}: {reason}"),
    }
}
