//! What an operator has the runs do.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::handle::{Runs, down};
use crate::{
    ids::Seq,
    port::{Outcome, PortError},
    runs::{self, Asker, AskerKind, Command, host::Request},
    station::local::Operating,
};

pub(in crate::station) async fn command(
    operating: Operating<'_>,
    runs: &Runs,
    command: Command,
) -> Result<Outcome, PortError> {
    let cause = operating.report(&describe(&command));
    let outcome = carry_out(runs, command, cause).await;
    if let Err(PortError::Run(refusal)) = &outcome {
        operating.refused(&format!("{refusal}"));
    }
    outcome.map(Outcome::Runs)
}

async fn carry_out(runs: &Runs, command: Command, cause: Seq) -> Result<runs::Outcome, PortError> {
    let (answer, answered) = oneshot::channel();
    let by = Asker { kind: AskerKind::Tui, client: Arc::from("operator") };
    runs.ask(Request::Command { command, by, cause: Some(cause), answer })?;
    answered.await.map_err(|_| down())?.map_err(PortError::Run)
}

/// A command in the words of the journal.
fn describe(command: &Command) -> String {
    match command {
        Command::Submit { request, .. } => format!("submit {request}"),
        Command::Cancel { run } => format!("cancel run {run}"),
        Command::Hold => "hold the attempts of runs".to_owned(),
        Command::Release => "release the attempts of runs".to_owned(),
        Command::Decide { action, approved: true, .. } => format!("approve {action}"),
        Command::Decide { action, approved: false, .. } => format!("reject {action}"),
    }
}
