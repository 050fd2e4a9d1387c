//! What an operator does about lifecycle records.

use super::handle::Records;
use crate::{
    ids::{Seq, TraceId},
    mplp::{
        Command, Outcome as Done, RatingVerdict, RecordRef, Refusal, Transition, command::NOTE_BYTES_MAX,
    },
    port::{Outcome, PortError},
    station::{bridge::Running, local::Operating, pages::query_store},
    store::{
        mplp::{Rated, Rating},
        op::{self, Class, Op},
    },
    tap::entry::station::Level,
};

pub(in crate::station) async fn command(
    operating: Operating<'_>,
    records: &Records,
    running: &Running,
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
        Command::Rate { run, verdict, note } => {
            rate(operating, records, running, (run, verdict, note), cause).await
        }
    };
    if let Err(refusal) = &outcome {
        operating.refused(&format!("{what}: {refusal}"));
    }
    outcome.map(Outcome::Mplp)
}

/// Keeps a rating, and tells of it once it is durable, with the note that holds then.
async fn rate(
    operating: Operating<'_>,
    records: &Records,
    running: &Running,
    (run, verdict, note): (TraceId, RatingVerdict, Option<String>),
    cause: Seq,
) -> Result<Done, PortError> {
    let note = note.map(|note| note.trim().to_owned());
    let is_given = note.is_some();
    let by = operating.by.client.to_string();
    let rating = Rating { verdict, note, by: by.clone(), at_ms: operating.status.now().wall };
    let op = Op::Rate { run, rating };
    let kept = query_store(|done| running.store.commit(op, Class::Process, done)).await;
    let (before, note) = match kept {
        Ok(op::Done::Rated(Rated::Kept { before, note })) => (before, note),
        Ok(op::Done::Rated(Rated::NoSuchRun)) => return Err(PortError::Record(Refusal::UnknownRun(run))),
        Err(PortError::Store(why)) => return Err(PortError::Record(Refusal::NotNow(why))),
        Err(error) => return Err(error),
        Ok(_) => {
            return Err(PortError::Record(Refusal::NotNow("the store answered something else".to_owned())));
        }
    };
    let told = Transition::Rated { run, verdict, by: by.into() };
    let keeps_note = note.is_some() && !is_given;
    if let Err(error) = records.tell(told, note.unwrap_or_default(), Some(cause)).await {
        operating.status.notice(Level::Warn, &format!("run {run} is rated, but not shown as rated: {error}"));
    }
    Ok(Done::Rated { before, keeps_note })
}

/// A command in the words of the journal: without notes.
fn describe(command: &Command) -> String {
    match command {
        Command::Rate { run, verdict, .. } => format!("rate run {run} {}", verdict.name()),
        Command::TellExport { kind, id, .. } => format!("export {} {id}", kind.name()).trim_end().to_owned(),
    }
}
