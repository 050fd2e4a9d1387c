//! What the runtime starts from: open sessions, and those that ended and were in memory, made of their logs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use tokio::sync::oneshot;

use super::{
    ended_before,
    journal::{Journal, RecordBatch},
    run::{RunError, Setup},
};
use crate::{
    macp::{
        SessionState, Snapshot, Totals,
        kernel::{Kernel, Output},
        log::{self, Record, What},
        proto::v1::Envelope,
    },
    store::{
        DamagedFile, SessionLog, append,
        macp::{MacpOp, RestoredMacpPart, readable, records},
        op::{Class, CommitError, Done, Op},
    },
    tap::{Tap, entry::station::Level},
    time::{Mono, Now, Wall},
    words::{counted, cut},
};

/// What was there before.
pub(super) struct Restored {
    pub(super) kernel: Kernel,
    pub(super) snapshot: Snapshot,
    pub(super) journal: Journal,
    pub(super) log: SessionLog,
    /// What a person should read.
    pub(super) notices: Vec<(Level, String)>,
}

struct Replay {
    kernel: Kernel,
    snapshot: Snapshot,
    journal: Journal,
    notices: Vec<(Level, String)>,
    limits: crate::limits::Macp,
    tap: Tap,
    /// Sessions whose logs do not begin, with why.
    headless: BTreeMap<u64, String>,
    /// Sessions that an earlier start ended for their logs, with why.
    damaged: Vec<(u64, String)>,
}

/// Damages that are told of one by one.
const NOTICES_MAX: usize = 20;

/// Reads what the store has, and what lies in the log behind it.
///
/// # Errors
/// The store cannot say, or the log cannot be read.
pub(super) async fn restore(setup: &Setup, make: append::FileFactory) -> Result<Restored, RunError> {
    let closed = || CommitError::Failed("the store is closed".to_owned());
    let replay = Arc::new(Mutex::new(Replay {
        kernel: Kernel::new(setup.clock.now(), setup.limits),
        snapshot: Snapshot::default(),
        journal: Journal::default(),
        notices: Vec::new(),
        limits: setup.limits,
        tap: setup.tap.clone(),
        headless: BTreeMap::new(),
        damaged: Vec::new(),
    }));
    let each = {
        let replay = Arc::clone(&replay);
        move |part| {
            replay.lock().unwrap_or_else(PoisonError::into_inner).take(part);
            true
        }
    };
    let store = (setup.store)().ok_or_else(closed)?;
    // What a runtime of before asked for is done first: its segments are not to come behind what is read now.
    let (tell, told) = oneshot::channel();
    store.flush(Box::new(move |done| drop(tell.send(done))))?;
    told.await.unwrap_or_else(|_| Err(closed()))?;
    let (tell, told) = oneshot::channel();
    store.restored_macp(each, Box::new(move |left| drop(tell.send(left))))?;
    told.await.unwrap_or_else(|_| Err(closed()))?;
    let mut replay =
        Arc::into_inner(replay).ok_or_else(closed)?.into_inner().unwrap_or_else(PoisonError::into_inner);
    let found = SessionLog::open(&setup.data, make, setup.log_file_bytes_max, replay.journal.last())?;
    found.torn.into_iter().for_each(|torn| replay.notice(Level::Warn, torn));
    found.notices.into_iter().for_each(|missing| replay.notice(Level::Error, missing));
    for (number, piece) in found.unstored {
        replay.piece(number, piece, setup.clock.now().wall);
    }
    // Behind all others: how a session ended that was told of stays.
    found.damaged.into_iter().for_each(|file| replay.damaged_file(&file));
    for (session, why) in std::mem::take(&mut replay.damaged) {
        if !replay.kernel.damage(session, &why) {
            replay.headless.entry(session).or_insert(why);
        }
    }
    replay.show(Wall(0));
    let Replay { mut kernel, mut snapshot, journal, mut notices, headless, .. } = replay;
    kernel.replayed();
    if !headless.is_empty() {
        // Where they cannot be closed now, the next start does it.
        for (number, id) in close(setup, headless).await.unwrap_or_default() {
            kernel.add_evicted(&id, number, SessionState::Expired);
        }
    }
    if let Err(error) = ended_before::add(setup, &store, &mut snapshot).await {
        let missing = format!("cannot show sessions that ended before this start: {error}");
        notices.push((Level::Warn, missing));
    }
    // What happened before is counted by no total of this start.
    let open = snapshot.totals.open;
    snapshot.totals = Totals { open, started: open, ..Totals::default() };
    Ok(Restored { kernel, snapshot, journal, log: found.log, notices })
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
    fn take(&mut self, part: RestoredMacpPart) {
        match part {
            RestoredMacpPart::Evicted(gone) => {
                for (number, id, state) in gone {
                    self.kernel.add_evicted(&id, number, state);
                }
            }
            RestoredMacpPart::Log { session, records } => {
                for record in &records {
                    self.replay(session, record);
                }
            }
            RestoredMacpPart::Records(records) => {
                for (session, record) in &records {
                    self.replay(*session, record);
                }
            }
            RestoredMacpPart::Damaged(damaged) => self.damaged.extend(damaged),
            RestoredMacpPart::Unreadable { segment, sessions } => self.unreadable(segment, sessions),
            RestoredMacpPart::End { through, segments, session } => {
                self.journal = Journal::new(through, segments);
                self.kernel.number_from(session);
            }
        }
    }

    /// Takes a piece of the log that the database lacks, on its way there.
    fn piece(&mut self, number: u64, piece: Bytes, at: Wall) {
        match records(&piece) {
            Some(records) => records.iter().for_each(|(session, record)| self.replay(*session, record)),
            None => self.notice(
                Level::Error,
                format!("piece {number} of the session log is unreadable: accepted messages in it are lost"),
            ),
        }
        self.journal.written(number, at, RecordBatch { bytes: piece.into(), ..RecordBatch::default() });
    }

    /// A segment is lost, and with it the sessions that have records in it.
    fn unreadable(&mut self, segment: u64, sessions: Option<Vec<u64>>) {
        let lost =
            format!("segment {segment} of the session log is unreadable: accepted messages in it are lost");
        let Some(sessions) = sessions else { return self.notice(Level::Error, lost) };
        let mut hit: u64 = 0;
        for session in sessions {
            self.kernel.number_from(session.saturating_add(1));
            let is_open = self.kernel.is_open(session);
            if !self.kernel.damage(session, &lost) && !self.kernel.is_evicted(session) {
                self.headless.entry(session).or_insert_with(|| lost.clone());
                hit += 1;
            }
            hit += u64::from(is_open);
        }
        self.show(Wall(0));
        self.notice(Level::Error, format!("{lost}; {} expired because of it", counted(hit, "session")));
    }

    /// What was accepted in a file of the log is lost, and with it the sessions that had records there and
    /// are open. They are known as far as what lies there can be read.
    fn damaged_file(&mut self, file: &DamagedFile) {
        let DamagedFile { what, lost, is_all } = file;
        if lost.is_empty() && *is_all {
            return self.notice(
                Level::Warn,
                format!("{what}: no data is lost, the database contains it; the file was moved aside"),
            );
        }
        let why = format!("{what}: accepted session messages in it are lost");
        let mut hit = BTreeSet::new();
        for (session, record) in lost.iter().flat_map(readable) {
            let Ok((_, What::Incoming(bytes))) = Record::read(&record) else { continue };
            let Ok(Envelope { session_id, .. }) = log::envelope(&bytes) else { continue };
            if self.kernel.is(session, &session_id) {
                self.kernel.damage(session, &why);
            }
            hit.insert(session_id);
        }
        self.show(Wall(0));
        let text = match named(&hit) {
            Some(sessions) => {
                format!("{why}, of {sessions} as far as it is readable; the file was moved aside")
            }
            None => format!("{why}; the file was moved aside"),
        };
        self.notice(Level::Error, text);
    }

    fn notice(&mut self, level: Level, notice: String) {
        if self.notices.len() < NOTICES_MAX {
            self.notices.push((level, notice));
        } else {
            tracing::warn!("{}", self.tap.text_without_tokens(&notice));
        }
    }

    fn replay(&mut self, session: u64, record: &Bytes) {
        if self.headless.contains_key(&session) {
            return;
        }
        if let Err(damage) = self.kernel.replay(session, record) {
            self.notice(Level::Error, format!("session number {session} expired: {damage}"));
            if !self.kernel.has(session) {
                // Its records stay: no later session is to go on from them.
                self.kernel.number_from(session.saturating_add(1));
                self.headless.insert(session, damage.to_string());
            }
        }
        self.show(Record::read(record).map_or(Wall(0), |(wall, _)| wall));
    }

    /// Shows what changed.
    fn show(&mut self, wall: Wall) {
        // Shown with the times of then, which the clock of this start does not know.
        let at = Now { mono: Mono(0), wall };
        while let Some(output) = self.kernel.poll_output() {
            if let Output::Transition { transition, trace, text } = output {
                self.snapshot.follow(&transition, trace, at, &text, &self.limits);
            }
        }
    }
}

/// Some of these names.
fn named(sessions: &BTreeSet<String>) -> Option<String> {
    const NAMES_MAX: usize = 16;
    const NAME_BYTES_MAX: u64 = 64;
    let names: Vec<_> = sessions.iter().take(NAMES_MAX).map(|name| cut(name, NAME_BYTES_MAX)).collect();
    let others = if sessions.len() > names.len() {
        format!(" and {} more", sessions.len() - names.len())
    } else {
        String::new()
    };
    (!names.is_empty()).then(|| format!("{}{others}", names.join(", ")))
}
