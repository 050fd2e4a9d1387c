//! What the runtime starts from: open sessions, and those that ended and were in memory, made of their logs.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use tokio::sync::oneshot;

use super::{journal::Journal, run::Setup};
use crate::{
    macp::{
        SessionState, Snapshot,
        kernel::{Kernel, Output, Settings},
        log::Record,
    },
    store::{
        macp::{MacpLeft, MacpOp},
        op::{Class, CommitError, Done, Op},
    },
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
    /// Sessions whose logs do not begin, with why.
    headless: BTreeMap<u64, String>,
}

/// Damages that are told of one by one.
const NOTICES_MAX: usize = 20;

/// Reads what the store has.
///
/// # Errors
/// The store cannot say.
pub(super) async fn restore(setup: &Setup) -> Result<Restored, CommitError> {
    let closed = || CommitError::Failed("the store is closed".to_owned());
    let kernel = Kernel::new(setup.clock.now(), Settings { limits: setup.limits, next_number: 1 });
    let restored = Restored { kernel, snapshot: Snapshot::default(), journal: Journal::new(1, 0), notices: Vec::new() };
    let replay = Arc::new(Mutex::new(Replay { restored, limits: setup.limits, headless: BTreeMap::new() }));
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
    let Replay { mut restored, headless, .. } = replay.into_inner().unwrap_or_else(PoisonError::into_inner);
    restored.kernel.replayed();
    if !headless.is_empty() {
        // Where they cannot be closed now, the next start does it.
        for (number, id) in close(setup, headless).await.unwrap_or_default() {
            restored.kernel.add_gone(&id, number, SessionState::Expired);
        }
    }
    Ok(restored)
}

/// Closes sessions in the store: those that are there, with their ids.
async fn close(setup: &Setup, sessions: BTreeMap<u64, String>) -> Option<Vec<(u64, String)>> {
    let op = Op::Macp(MacpOp::Damaged(sessions.into_iter().collect()));
    let (tell, told) = oneshot::channel();
    (setup.store)()?.commit(op, Class::Process, Box::new(move |done| drop(tell.send(done)))).ok()?;
    match told.await.ok()?.ok()? {
        Done::Macp(done) => Some(done.damaged),
        _ => None,
    }
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
            MacpLeft::Unreadable { segment } => {
                self.notice(format!("segment {segment} of the sessions' log cannot be read: what was accepted in it is lost"));
            }
            MacpLeft::Next { segment, segments, session } => {
                self.restored.journal = Journal::new(segment, segments);
                self.restored.kernel.number_from(session);
            }
        }
    }

    fn notice(&mut self, notice: String) {
        if self.restored.notices.len() < NOTICES_MAX {
            self.restored.notices.push(notice);
        } else {
            tracing::warn!("{notice}");
        }
    }

    fn replay(&mut self, session: u64, record: &Bytes) {
        if self.headless.contains_key(&session) {
            return;
        }
        if let Err(damage) = self.restored.kernel.replay(session, record) {
            self.notice(format!("session number {session} is expired: {damage}"));
            if !self.restored.kernel.has(session) {
                self.headless.insert(session, damage.to_string());
            }
        }
        let Restored { kernel, snapshot, .. } = &mut self.restored;
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
