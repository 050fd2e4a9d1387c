//! What an operator has the bridge do.

use tokio::{runtime::Handle, sync::oneshot};

use super::handle::{Running, down};
use crate::{
    mpp::{self, Command, host::Request},
    port::{Outcome, PortError},
    station::{local::Operating, status::AskedToken},
    words::counted,
};

/// What the bridge answers.
type Answered = Result<mpp::Outcome, mpp::Refusal>;

pub(in crate::station) async fn command(
    operating: Operating<'_>,
    running: &Running,
    command: Command,
) -> Result<Outcome, PortError> {
    let what = describe(&command);
    let cause = operating.report(&what);
    let paired = match &command {
        Command::Pair { token_sha256 } => mpp::TokenHash::from_hex(token_sha256),
        _ => None,
    };
    let asked = paired.map(|hash| operating.status.mask_asked_bridge_token(hash));
    let (answer, answered) = oneshot::channel();
    running.ask(Request::Command { command, cause: Some(cause), answer })?;
    let outcome = match (asked, Handle::try_current()) {
        // The token may come into force although nobody waits for the answer any more: it stays masked.
        (Some(asked), Ok(runtime)) => {
            runtime.spawn(pairing(asked, answered)).await.unwrap_or_else(|_| Err(down()))
        }
        (Some(asked), Err(_)) => pairing(asked, answered).await,
        (None, _) => answered.await.map_err(|_| down()),
    }?;
    if let Err(refusal) = &outcome {
        operating.refused(&format!("{what}: {refusal}"));
    }
    if let Ok(mpp::Outcome::Enqueued(rows) | mpp::Outcome::Requeued(rows)) = &outcome
        && let Some(Err(refusal)) = rows.iter().find(|row| row.is_err())
    {
        let refused = rows.iter().filter(|row| row.is_err()).count();
        let of = if rows.len() > 1 {
            format!("{refused} of {}, first: ", counted(rows.len(), "row"))
        } else {
            String::new()
        };
        operating.refused(&format!("{what}: {of}{refusal}"));
    }
    outcome.map(Outcome::Mpp).map_err(PortError::Refused)
}

/// Waits until it is known whether a token is in force.
async fn pairing(asked: AskedToken, answered: oneshot::Receiver<Answered>) -> Result<Answered, PortError> {
    let outcome = answered.await.map_err(|_| down())?;
    if outcome.is_ok() {
        asked.enforce();
    }
    Ok(outcome)
}

/// A command in the words of the journal.
fn describe(command: &Command) -> String {
    let of = |queue: &Option<crate::ids::QueueName>| {
        queue.as_ref().map_or_else(|| "all queues".to_owned(), |queue| format!("queue {queue}"))
    };
    match command {
        Command::Enqueue { rows } => match rows.as_slice() {
            [row] => format!("invoke {}", row.event),
            rows => format!("invoke {}", counted(rows.len(), "row")),
        },
        Command::Cancel { ids, refund, .. } => {
            let with = if *refund { ", with a refund" } else { "" };
            match ids.as_slice() {
                [id] => format!("cancel {id}{with}"),
                ids => format!("cancel {}{with}", counted(ids.len(), "invocation")),
            }
        }
        Command::Requeue { ids, even_if_refunded } => {
            let with = if *even_if_refunded { ", even if refunded" } else { "" };
            match ids.as_slice() {
                [id] => format!("requeue {id}{with}"),
                ids => format!("requeue {}{with}", counted(ids.len(), "invocation")),
            }
        }
        Command::Settle { id, to } => format!("settle {id} as {to:?}").to_lowercase(),
        Command::Hold { queue } => format!("hold {}", of(queue)),
        Command::Release { queue } => format!("end the hold of {}", of(queue)),
        Command::Resume { queue } => format!("resume {}", of(queue)),
        Command::Drain { queue } => format!("drain {}", of(queue)),
        Command::Kick => "disconnect the adapter".to_owned(),
        Command::Pair { .. } => "bridge token rotated".to_owned(),
        Command::Migrate => "migrate rows of another manifest".to_owned(),
    }
}
