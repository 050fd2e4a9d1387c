//! Answers that wait for their transaction's end.

use std::path::PathBuf;

use rusqlite::Connection;

use super::{
    Answer,
    backup::backup,
    op::{CommitError, Done, Fetched},
    open::DATABASE,
    read::{InvocationsById, OthersPage, PAGE_ROWS_MAX, Rows},
    submission::FetchRequest,
    tables::{invocations, manifests},
    writer::Parts,
};
use crate::ids::InvocationId;

/// An answer, given once it is known whether the transaction holds.
pub(super) enum Reply {
    Commit {
        done: Answer<Done>,
        result: Result<Done, CommitError>,
    },
    Fetch {
        ask: FetchRequest,
        done: Answer<Fetched>,
        result: Result<Fetched, CommitError>,
    },
    Invocations {
        done: Answer<InvocationsById>,
        result: Result<InvocationsById, CommitError>,
    },
    Others {
        done: Answer<OthersPage>,
        result: Result<OthersPage, CommitError>,
    },
    Flush {
        done: Answer<()>,
    },
    Backup {
        path: PathBuf,
        done: Answer<u64>,
    },
    #[cfg(test)]
    Touch {
        with: Box<dyn FnOnce(&Connection) + Send>,
    },
}

impl Reply {
    /// Reads pending rows ahead. Rows that the open transaction has changed are seen as it has them.
    pub(super) fn fetch(
        conn: &Connection,
        ask: &FetchRequest,
        in_force: Option<i64>,
    ) -> Result<Fetched, CommitError> {
        let limit = ask.limit.min(PAGE_ROWS_MAX);
        let rows = match in_force {
            None => Vec::new(),
            Some(manifest) => invocations::pending_after(conn, &ask.queue, manifest, ask.after, limit + 1)
                .map_err(|error| failed(&error))?,
        };
        let Rows { rows, more } = Rows::cut(rows, limit);
        Ok(Fetched { queue: ask.queue.clone(), after: ask.after, rows, more })
    }

    /// Reads rows by their ids.
    pub(super) fn invocations(
        conn: &Connection,
        ids: &[InvocationId],
    ) -> Result<InvocationsById, CommitError> {
        ids.iter()
            .map(|id| invocations::by_id(conn, *id))
            .collect::<Result<_, _>>()
            .map_err(|error| failed(&error))
    }

    /// Reads pending rows of the pack's other manifests.
    pub(super) fn others(parts: &Parts, after: InvocationId, limit: u64) -> Result<OthersPage, CommitError> {
        let limit = limit.min(PAGE_ROWS_MAX);
        let others = manifests::others(&parts.conn, &parts.pack_id, &parts.manifest_hash)
            .map_err(|error| failed(&error))?;
        let rows = invocations::pending_of_manifests(&parts.conn, &others, after, limit + 1)
            .map_err(|error| failed(&error))?;
        Ok(Rows::cut(rows, limit))
    }

    /// Answers. A read that needs nothing of a transaction that failed is made again without it.
    pub(super) fn finish(self, parts: &Parts, in_force: Option<i64>, failure: Option<&CommitError>) {
        match (self, failure) {
            (Self::Commit { done, .. }, Some(failure)) => done(Err(failure.clone())),
            (Self::Commit { done, result }, None) => done(result),
            (Self::Fetch { ask, done, .. }, Some(_)) if !ask.settled => {
                let in_force = in_force.or_else(|| {
                    manifests::find(&parts.conn, &parts.pack_id, &parts.manifest_hash).ok().flatten()
                });
                done(Self::fetch(&parts.conn, &ask, in_force));
            }
            (Self::Fetch { done, .. }, Some(failure)) => done(Err(failure.clone())),
            (Self::Fetch { done, result, .. }, None) => done(result),
            (Self::Invocations { done, .. }, Some(failure)) => done(Err(failure.clone())),
            (Self::Invocations { done, result }, None) => done(result),
            (Self::Others { done, .. }, Some(failure)) => done(Err(failure.clone())),
            (Self::Others { done, result }, None) => done(result),
            (Self::Flush { done }, failure) => done(failure.map_or(Ok(()), |failure| Err(failure.clone()))),
            (Self::Backup { done, .. }, Some(failure)) => done(Err(failure.clone())),
            (Self::Backup { path, done }, None) => hand_to_a_reader(parts, path, done),
            #[cfg(test)]
            (Self::Touch { with }, _) => with(&parts.conn),
        }
    }
}

/// Has a backup made from a read connection, so that nothing waits behind it.
fn hand_to_a_reader(parts: &Parts, path: PathBuf, done: Answer<u64>) {
    let database = parts.data.join(DATABASE);
    let slot = std::sync::Arc::new(std::sync::Mutex::new(Some(done)));
    let answer = std::sync::Arc::clone(&slot);
    let give = move |slot: &std::sync::Mutex<Option<Answer<u64>>>, result| {
        let done = slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(done) = done {
            done(result);
        }
    };
    let job = Box::new(move |_: &Connection| give(&answer, backup(&database, &path)));
    if let Err((_, error)) = parts.reads.push(job) {
        give(&slot, Err(error));
    }
}

/// What the database says, as a request is told.
pub(super) fn failed(error: &rusqlite::Error) -> CommitError {
    CommitError::Failed(format!("the database: {error}"))
}
