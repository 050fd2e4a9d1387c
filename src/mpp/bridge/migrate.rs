//! Moving pending rows of another manifest to the one in force, a page at a time (rulings MPP 5 and 11).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commits::TicketPurpose,
    core::Bridge,
    dispatch::{check_row, unknown_queue},
};
use crate::{
    ids::{InvocationId, QueueName, RequestId},
    mpp::{Outcome, Refusal, io::Output},
    store::{
        invocations::Pending,
        op::{self, Class, CommitError, Op},
    },
    tap::entry::mpp::Transition,
    time::Now,
};

/// The migration that runs.
#[derive(Debug)]
pub(super) struct Migration {
    request: RequestId,
    moved: u64,
    failed: u64,
    remaining: u64,
    /// Rows that were cancelled while a page was being read.
    pub(super) gone: BTreeSet<InvocationId>,
}

/// A page that waits for its commit.
#[derive(Debug)]
pub(super) struct PageWait {
    /// By queue: rows that move, rows that fail.
    queues: BTreeMap<QueueName, (u64, u64)>,
    /// Bytes of the rows that fail.
    failed_bytes: u64,
    /// Where the next page begins, if there is one.
    next: Option<InvocationId>,
}

impl Bridge {
    pub(super) fn migrate(&mut self, request: RequestId) -> Result<Option<Outcome>, Refusal> {
        if self.migration.is_some() {
            return Err(Refusal::MigrationRunning);
        }
        self.not_stored()?;
        self.migration =
            Some(Migration { request, moved: 0, failed: 0, remaining: 0, gone: BTreeSet::new() });
        self.next_page(InvocationId(0));
        Ok(None)
    }

    fn next_page(&mut self, after: InvocationId) {
        let Some(migration) = &mut self.migration else { return };
        migration.gone.clear();
        let request = migration.request;
        self.put(Output::FetchOthers { request, after, limit: self.settings.limits.command_rows_max });
    }

    pub(super) fn on_fetched_others(
        &mut self,
        now: Now,
        request: RequestId,
        rows: Result<Vec<(QueueName, Pending)>, CommitError>,
        more: bool,
    ) {
        let Some(migration) = self.migration.as_mut().filter(|migration| migration.request == request) else {
            return;
        };
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => return self.on_migrate_failed(&error),
        };
        let next = rows.last().map(|(_, row)| row.id).filter(|_| more);
        let mut queues: BTreeMap<QueueName, (u64, u64)> = BTreeMap::new();
        let (mut decided, mut failed_bytes) = (Vec::new(), 0);
        let pack = &self.settings.pack;
        for (queue, row) in rows {
            if migration.gone.contains(&row.id) || self.cancelling.contains_key(&row.id) {
                continue;
            }
            if !pack.queues.contains_key(&queue) {
                decided.push(op::Migration { id: row.id, fails: Some(unknown_queue(&queue)) });
                queues.entry(queue).or_default().1 += 1;
                failed_bytes += row.bytes;
            } else if check_row(pack, &queue, &row).is_ok() {
                decided.push(op::Migration { id: row.id, fails: None });
                queues.entry(queue).or_default().0 += 1;
            } else {
                migration.remaining += 1;
            }
        }
        let wait = PageWait { queues, failed_bytes, next };
        if decided.is_empty() {
            return self.page_done(&wait);
        }
        let op = Op::Migrate { rows: decided, manifest_hash: pack.hash.clone(), at: now.wall };
        self.persist_for(Class::Process, op, None, TicketPurpose::Migrate(wait));
    }

    pub(super) fn on_migrated(&mut self, now: Now, wait: &PageWait) {
        self.pending_bytes = self.pending_bytes.saturating_sub(wait.failed_bytes);
        for (name, (rows, failed)) in &wait.queues {
            let (rows, failed) = (*rows, *failed);
            if let Some(migration) = &mut self.migration {
                migration.moved += rows;
                migration.failed += failed;
            }
            if let Some(queue) = self.queues.get_mut(name) {
                queue.other_manifest = queue.other_manifest.saturating_sub(rows + failed);
                queue.add_pending(rows);
                queue.failed += failed;
                if rows > 0 {
                    // They may be older than what is held. Rows that the store does not show as pending yet
                    // are kept.
                    queue.head.reset(|id| self.commits.dirty.contains_key(&id));
                }
            }
            self.emit_transition(Transition::Migrated { queue: name.clone(), rows, failed }, None, None);
            self.forget_if_empty(name);
        }
        self.page_done(wait);
        for name in wait.queues.keys() {
            self.pump(now, name);
        }
    }

    fn page_done(&mut self, wait: &PageWait) {
        if let Some(next) = wait.next {
            return self.next_page(next);
        }
        if let Some(Migration { request, moved, failed, remaining: left, .. }) = self.migration.take() {
            self.answer(request, Ok(Outcome::Migrated { moved, failed, left }));
        }
    }

    pub(super) fn on_migrate_failed(&mut self, error: &CommitError) {
        if let Some(migration) = self.migration.take() {
            self.answer(migration.request, Err(Refusal::NotStored { why: error.to_string() }));
        }
    }
}
