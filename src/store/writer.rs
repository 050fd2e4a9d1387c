//! The one thread that writes rows.
//!
//! It takes what waits as one batch, of each system a bounded part, and makes it one transaction with a
//! savepoint a request: what queued while the last commit ran shares the next. Journalled operations are held
//! back until a request needs them or they have waited [`LINGER`]; they always go into the tables before a
//! request that was made after them.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode};

use super::{
    apply,
    counters::Shared,
    marks::Marks,
    op::{Class, CommitError, Done, Op},
    open::{DATABASE, LOG, LOG_BYTES_KEPT},
    pending_writes::{Effects, PendingWrites},
    read::Reads,
    reply::{Reply, failed},
    retention::Retention,
    segments::Segments,
    submission::{Item, LINGER, Request, SubmissionQueue, WakeReason},
    tables::{manifests, meta},
};
use crate::{
    ids::{ManifestHash, PackId},
    limits,
    time::Clock,
};

/// After so many changed rows the log is checkpointed even while work flows.
const CHECKPOINT_CHANGES: u64 = 8_192;
/// After about so many bytes too: what is copied at one time keeps commits waiting.
const CHECKPOINT_BYTES: usize = 4 << 20;
/// After so long without work it is checkpointed too.
const CHECKPOINT_IDLE: Duration = Duration::from_millis(500);
/// The first and the longest pause before held rows are tried again.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// What the writer is made of.
pub(super) struct Parts {
    pub(super) conn: Connection,
    pub(super) clock: Clock,
    pub(super) limits: limits::Store,
    pub(super) data: PathBuf,
    pub(super) pack_id: PackId,
    pub(super) manifest_hash: ManifestHash,
    pub(super) retention: Retention,
    pub(super) marks: Marks,
    pub(super) submission: Arc<SubmissionQueue>,
    pub(super) reads: Arc<Reads>,
    pub(super) shared: Arc<Shared>,
}

/// The writer's state.
pub(super) struct Writer {
    pub(super) parts: Parts,
    held: PendingWrites,
    segments: Segments,
    in_force: Option<i64>,
    effects: Effects,
    power: Option<bool>,
    retry: Option<Duration>,
    changes: u64,
    /// Bytes that went into the log since it was checkpointed, about.
    log_bytes: usize,
}

impl Writer {
    pub(super) fn new(parts: Parts) -> Self {
        Self {
            parts,
            held: PendingWrites::default(),
            segments: Segments::default(),
            in_force: None,
            effects: Effects::default(),
            power: None,
            retry: None,
            changes: 0,
            log_bytes: 0,
        }
    }

    /// Works until the store closes. What could not be folded, if anything, stays in the journal.
    ///
    /// # Errors
    /// Why rows are left in the journal.
    pub(super) fn run(mut self) -> Result<(), String> {
        let intake = Arc::clone(&self.parts.submission);
        let _refuse_what_is_left = Abandon(&intake);
        let mut items = Vec::new();
        loop {
            let (woken, bytes) = intake.take(self.patience(), &mut items);
            self.log_bytes += bytes;
            #[cfg(test)]
            if woken == WakeReason::Killed {
                return Ok(());
            }
            self.batch(&mut items, woken != WakeReason::Requests);
            if woken == WakeReason::Closing {
                return self.end();
            }
            self.tidy(woken == WakeReason::FoldDue);
        }
    }

    fn patience(&self) -> Option<Duration> {
        if self.retry.is_some() {
            self.retry
        } else if self.parts.retention.is_due(&self.parts.limits) {
            Some(Duration::ZERO)
        } else if self.held.rows() > 0 {
            Some(LINGER)
        } else {
            (self.changes > 0).then_some(CHECKPOINT_IDLE)
        }
    }

    /// Does all of a batch in one transaction and answers it.
    fn batch(&mut self, items: &mut Vec<Item>, fold_due: bool) {
        let power = items
            .iter()
            .any(|item| matches!(item, Item::Request(Request::Commit { class: Class::Power, .. })));
        let started = self.parts.clock.now().mono;
        let before = self.parts.conn.total_changes();
        let mut refused = None;
        let mut failure = self.begin(power).err();
        let mut replies = Vec::new();
        for item in items.drain(..) {
            match item {
                Item::Fold(ops) => {
                    self.segments.note(&ops);
                    self.held.absorb(ops);
                }
                Item::Request(request) => {
                    if failure.is_none() && needs_fold(&request) {
                        failure = self.write_out().err();
                    }
                    let (reply, error) = self.serve(request, failure.is_some());
                    replies.push(reply);
                    if self.parts.conn.is_autocommit() && failure.is_none() {
                        failure = Some(
                            error.clone().unwrap_or_else(|| "the transaction was rolled back".to_owned()),
                        );
                    }
                    refused = error.or(refused);
                }
            }
        }
        if fold_due && failure.is_none() {
            failure = self.write_out().err();
        }
        if failure.is_none() {
            failure = self.parts.conn.execute_batch("COMMIT").err().map(|error| error.to_string());
        }
        if failure.is_some() {
            self.rolled_back();
        } else {
            let changed = self.parts.conn.total_changes().saturating_sub(before);
            self.committed(changed);
            if changed > 0 {
                let us = self.parts.clock.now().mono.since(started).as_micros();
                self.parts
                    .shared
                    .last_commit_us
                    .store(u64::try_from(us).unwrap_or(u64::MAX), Ordering::Relaxed);
            }
        }
        self.report(failure.as_ref().or(refused.as_ref()));
        let failure = failure.map(|why| CommitError::Failed(format!("the database: {why}")));
        for reply in replies {
            reply.finish(&self.parts, self.in_force, failure.as_ref());
        }
    }

    /// Opens the transaction with the sync that its class asks for.
    fn begin(&mut self, power: bool) -> Result<(), String> {
        let shared = &self.parts.shared;
        if let Some(why) = shared.watch.blocked() {
            return Err(why);
        }
        let conn = &self.parts.conn;
        let begun = (|| {
            if self.power != Some(power) {
                conn.pragma_update(None, "synchronous", if power { "FULL" } else { "NORMAL" })?;
                self.power = Some(power);
            }
            conn.execute_batch("BEGIN IMMEDIATE")?;
            if self.retry.is_some() {
                // While writing fails, only a write can show that it works again.
                meta::raise(conn, meta::PROBED_AT_MS, self.parts.clock.now().wall.0)?;
            }
            Ok(())
        })();
        begun.map_err(|error: rusqlite::Error| error.to_string())
    }

    fn write_out(&mut self) -> Result<(), String> {
        self.held.write_out(&self.parts.conn, &mut self.effects).map_err(|error| error.to_string())
    }

    /// Does one request within the open transaction; its reply, and the error when the database refused an
    /// operation.
    fn serve(&mut self, request: Request, is_lost: bool) -> (Reply, Option<String>) {
        let mut refused = None;
        let reply = match request {
            Request::Commit { op, done, .. } => {
                let result = if is_lost {
                    Err(CommitError::Failed(String::new()))
                } else {
                    self.commit(op, &mut refused)
                };
                Reply::Commit { done, result }
            }
            Request::Fetch { ask, done } => {
                let in_force = self.in_force();
                let result = Reply::fetch(&self.parts.conn, &ask, in_force);
                Reply::Fetch { ask, done, result }
            }
            Request::FetchInvocations { ids, done } => {
                Reply::Invocations { done, result: Reply::invocations(&self.parts.conn, &ids) }
            }
            Request::FetchOthers { after, limit, done } => {
                Reply::Others { done, result: Reply::others(&self.parts, after, limit) }
            }
            Request::Flush { done } => Reply::Flush { done },
            Request::Backup { path, done } => Reply::Backup { path, done },
            #[cfg(test)]
            Request::Touch { with } => Reply::Touch { with },
        };
        (reply, refused)
    }

    /// Does one operation within the open transaction. `refused` is set when the fault is the database's and
    /// not the operation's.
    fn commit(&mut self, op: Op, refused: &mut Option<String>) -> Result<Done, CommitError> {
        if let Op::Enqueue { rows, .. } = &op
            && let Some(last) = rows.iter().map(|row| row.id.0).max()
        {
            self.parts.marks.mark(last).map_err(|error| {
                let why = format!("recording the used ids: {error}");
                *refused = Some(why.clone());
                CommitError::Failed(why)
            })?;
        }
        let effects = self.effects;
        let conn = &self.parts.conn;
        let applied = (|| {
            conn.prepare_cached("SAVEPOINT request")?.execute([])?;
            let done = apply::apply(conn, &self.parts.pack_id, op, &mut self.effects)?;
            conn.prepare_cached("RELEASE request")?.execute([])?;
            Ok(done)
        })();
        applied.map_err(|error: rusqlite::Error| {
            self.effects = effects;
            if !conn.is_autocommit() && conn.execute_batch("ROLLBACK TO request; RELEASE request").is_err() {
                // Only a transaction that is whole may be committed.
                let _ = conn.execute_batch("ROLLBACK");
            }
            if error.sqlite_error_code() != Some(ErrorCode::ConstraintViolation) {
                *refused = Some(error.to_string());
            }
            failed(&error)
        })
    }

    /// The number of the manifest in force, once a row has it.
    fn in_force(&mut self) -> Option<i64> {
        if self.in_force.is_none() {
            self.in_force = manifests::find(&self.parts.conn, &self.parts.pack_id, &self.parts.manifest_hash)
                .ok()
                .flatten();
        }
        self.in_force
    }

    fn committed(&mut self, changed: u64) {
        let effects = std::mem::take(&mut self.effects);
        self.parts.retention.ended += effects.ended;
        self.parts.retention.refunds += effects.refunds;
        self.parts.retention.alerts += effects.alerts;
        self.parts.retention.runs += effects.runs;
        self.parts.retention.answers += effects.answers;
        self.parts.retention.sessions += effects.sessions;
        self.parts.shared.set_retained(self.parts.retention.retained());
        if let Some(through) = self.held.committed() {
            let deleted = self.segments.delete_applied(&self.parts.data, through);
            self.parts.shared.journal_bytes.fetch_sub(deleted, Ordering::Relaxed);
        }
        self.changes += changed;
        self.parts.shared.commits.fetch_add(u64::from(changed > 0), Ordering::Relaxed);
    }

    fn rolled_back(&mut self) {
        if !self.parts.conn.is_autocommit() {
            let _ = self.parts.conn.execute_batch("ROLLBACK");
        }
        self.effects = Effects::default();
        // A number that was given in this transaction is gone with it.
        self.in_force = None;
        self.held.rolled_back();
    }

    /// Says whether writing fails, and when to try again.
    fn report(&mut self, failure: Option<&String>) {
        self.parts.submission.account(self.held.rows());
        match failure {
            Some(_) => {
                self.retry = Some(self.retry.map_or(RETRY.0, |pause| pause.saturating_mul(2).min(RETRY.1)));
            }
            None if self.retry.is_none() => return,
            None => self.retry = None,
        }
        self.parts.shared.set_rows_failing(failure.map(|why| format!("the database: {why}")));
    }

    /// Retention and checkpoints, between batches. `is_rested`: what there was to do was waited for.
    fn tidy(&mut self, is_rested: bool) {
        if self.retry.is_none() && self.parts.retention.is_due(&self.parts.limits) {
            self.retire();
        }
        let is_idle = is_rested && self.parts.submission.is_idle() && self.held.rows() == 0;
        if self.changes >= CHECKPOINT_CHANGES
            || self.is_log_long()
            || (is_idle && self.changes > 0 && self.has_nothing_to_tidy())
        {
            // A checkpoint that fails leaves all in the log; the next one tries again.
            let _ = self.parts.conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            self.changes = 0;
            self.log_bytes = 0;
        }
    }

    fn has_nothing_to_tidy(&self) -> bool {
        self.retry.is_none() && !self.parts.retention.is_due(&self.parts.limits)
    }

    /// Whether a checkpoint would soon keep a commit waiting, or the log is longer than what is kept of it:
    /// few rows can be long ones.
    fn is_log_long(&self) -> bool {
        if self.log_bytes >= CHECKPOINT_BYTES {
            return true;
        }
        if self.changes == 0 {
            return false;
        }
        let log = self.parts.conn.path().map(|path| format!("{path}-wal"));
        log.and_then(|log| std::fs::metadata(log).ok()).is_some_and(|log| log.len() > LOG_BYTES_KEPT)
    }

    fn retire(&mut self) {
        let in_force = self.in_force();
        let sliced = self.begin(false).and_then(|()| {
            let sliced = self.parts.retention.slice(&self.parts.conn, &self.parts.limits, in_force);
            let sliced = sliced.and_then(|sliced| self.parts.conn.execute_batch("COMMIT").map(|()| sliced));
            sliced.map_err(|error| error.to_string())
        });
        match sliced {
            Ok((retention, gone)) => {
                self.parts.retention = retention;
                self.parts.shared.set_retained(retention.retained());
                self.changes += gone;
                self.parts.shared.retired_rows.fetch_add(gone, Ordering::Relaxed);
            }
            Err(why) => {
                if !self.parts.conn.is_autocommit() {
                    let _ = self.parts.conn.execute_batch("ROLLBACK");
                }
                self.report(Some(&why));
            }
        }
    }

    /// The last things before the end.
    fn end(self) -> Result<(), String> {
        let (watch, data) = (&self.parts.shared.watch, &self.parts.data);
        watch.look();
        // What lies there now is not this store's to delete.
        let lost = watch.lost();
        if lost.is_none() {
            // With its last connection `SQLite` deletes the log, while others still write into the folder.
            watch.forget([DATABASE, LOG].map(|file| data.join(file)));
        }
        let left = self.held.rows();
        if left > 0 {
            let why = self.parts.shared.rows_failing().unwrap_or_default();
            return Err(format!("{left} rows waiting in it; {why}"));
        }
        if let Some(why) = lost {
            return Err(why);
        }
        // Without it, what the next start ends is taken to have ended earlier.
        let _ = meta::raise(&self.parts.conn, meta::CLOSED_AT_MS, self.parts.clock.now().wall.0);
        let _ = self.parts.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        if meta::read(&self.parts.conn, meta::APPLIED_THROUGH)
            .is_ok_and(|through| through >= self.segments.last_seq())
        {
            self.segments.delete_all(&self.parts.data);
        }
        Ok(())
    }
}

/// Whether a request must see all that was journalled before it.
fn needs_fold(request: &Request) -> bool {
    match request {
        Request::Fetch { ask, .. } => ask.settled,
        Request::Commit { .. }
        | Request::FetchInvocations { .. }
        | Request::FetchOthers { .. }
        | Request::Flush { .. }
        | Request::Backup { .. } => true,
        #[cfg(test)]
        Request::Touch { .. } => false,
    }
}

/// Refuses what waits when the writer ends, however it ends.
struct Abandon<'a>(&'a SubmissionQueue);

impl Drop for Abandon<'_> {
    fn drop(&mut self) {
        self.0.abandon(&CommitError::Failed("the store's writer has stopped".to_owned()));
    }
}
