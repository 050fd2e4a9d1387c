//! What an operator does about lifecycle records.

use super::handle::Records;
use crate::{
    mplp::{Command, Outcome as Done, RecordRef, Refusal, Transition, command::NOTE_BYTES_MAX},
    port::{Outcome, PortError},
    station::{bridge::Running, local::Operating},
};

pub(in crate::station) async fn command(
    operating: Operating<'_>,
    records: &Records,
    _: &Running,
    command: Command,
) -> Result<Outcome, PortError> {
    let what = describe(&command);
    let cause = operating.report(&what);
    let outcome = match command {
        Command::TellExport { kind, id, items, findings } => {
            let record = RecordRef { kind, id: id.into() };
            let told = Transition::Exported { record, items, findings };
            records.tell(told, String::new(), Some(cause)).await.map(|()| Done::Told)
        }
        Command::Rate { note: Some(note), .. } if note.len() > NOTE_BYTES_MAX => {
            let (bytes, max) = (note.len() as u64, NOTE_BYTES_MAX as u64);
            Err(PortError::Record(Refusal::NoteTooLong { bytes, max }))
        }
        Command::Rate { .. } => {
            Err(PortError::Record(Refusal::NotNow("the store keeps no ratings yet".to_owned())))
        }
    };
    if let Err(refusal) = &outcome {
        operating.refused(&format!("{what}: {refusal}"));
    }
    outcome.map(Outcome::Mplp)
}

/// A command in the words of the journal: without notes.
fn describe(command: &Command) -> String {
    match command {
        Command::Rate { run, verdict, .. } => format!("rate run {run} {}", verdict.name()),
        Command::TellExport { kind, id, .. } => format!("export {} {id}", kind.name()).trim_end().to_owned(),
    }
}
