//! What the runtime starts from: open sessions, and those that ended and were in memory, made of their logs.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::oneshot;

use super::{journal::Journal, run::Setup};
use crate::{
    macp::{
        Snapshot,
        kernel::{Kernel, Output, Settings},
        log::Record,
    },
    store::{macp::MacpLeft, op::CommitError},
    time::{Mono, Now, Wall},
};

/// What was there before.
pub(super) struct Restored {
    pub(super) kernel: Kernel,
    pub(super) snapshot: Snapshot,
    pub(super) journal: Journal,
    /// What a person should read.
    pub(super) notices: Vec<String>,
}

struct Replay {
    restored: Restored,
    limits: crate::limits::Macp,
}

/// Damaged sessions that are told of one by one.
const NOTICES_MAX: usize = 20;

/// Reads what the store has.
///
/// # Errors
/// The store cannot say.
pub(super) async fn restore(setup: &Setup) -> Result<Restored, CommitError> {
    let closed = || CommitError::Failed("the store is closed".to_owned());
    let kernel = Kernel::new(setup.clock.now(), Settings { limits: setup.limits, next_number: 1 });
    let restored = Restored { kernel, snapshot: Snapshot::default(), journal: Journal::new(1, 0), notices: Vec::new() };
    let replay = Arc::new(Mutex::new(Replay { restored, limits: setup.limits }));
    let each = {
        let replay = Arc::clone(&replay);
        move |part| {
            replay.lock().unwrap_or_else(PoisonError::into_inner).take(part);
            true
        }
    };
    let (tell, told) = oneshot::channel();
    (setup.store)().ok_or_else(closed)?.macp_left(each, Box::new(move |left| drop(tell.send(left))))?;
    told.await.unwrap_or_else(|_| Err(closed()))?;
    let replay = Arc::into_inner(replay).ok_or_else(closed)?;
    let mut restored = replay.into_inner().unwrap_or_else(PoisonError::into_inner).restored;
    restored.kernel.replayed();
    Ok(restored)
}

impl Replay {
    fn take(&mut self, part: MacpLeft) {
        match part {
            MacpLeft::Gone(gone) => {
                for (number, id, state) in gone {
                    self.restored.kernel.add_gone(&id, number, state);
                }
            }
            MacpLeft::Log { session, records } => records.iter().for_each(|record| self.replay(session, record)),
            MacpLeft::Records(records) => records.iter().for_each(|(session, record)| self.replay(*session, record)),
            MacpLeft::Next { segment, segments, session } => {
                self.restored.journal = Journal::new(segment, segments);
                self.restored.kernel.number_from(session);
            }
        }
    }

    fn replay(&mut self, session: u64, record: &Bytes) {
        let Restored { kernel, snapshot, notices, .. } = &mut self.restored;
        if let Err(damage) = kernel.replay(session, record) {
            let notice = format!("session number {session} is expired: {damage}");
            if notices.len() < NOTICES_MAX {
                notices.push(notice);
            } else {
                tracing::warn!("{notice}");
            }
        }
        // Shown with the times of then, which the clock of this start does not know.
        let wall = Record::read(record).map_or(Wall(0), |(wall, _)| wall);
        let at = Now { mono: Mono(0), wall };
        while let Some(output) = kernel.poll_output() {
            if let Output::Transition { transition, trace, text } = output {
                snapshot.follow(&transition, trace, at, &text, &self.limits);
            }
        }
    }
}
