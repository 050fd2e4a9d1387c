//! A store in a folder of its own, asked and answered in one line.

use std::{path::Path, sync::mpsc::sync_channel};

use uuid::Uuid;

use crate::{
    ids::{InvocationId, ManifestHash, PackId, QueueName, TraceId},
    limits,
    schema::JsonText,
    store::{
        Answer, Handle, InvocationFilter, Journal, OpenedStore, Store, StoreError,
        invocations::{Enqueued, Move, Row, Source},
        op::{Class, CommitError, Done, Fetched, Op},
    },
    tap::entry::mpp::RowState,
    time::{Clock, Wall},
};

pub(super) const PACK: &str = "dev.test";
pub(super) const HASH: &str = "sha256:aa";

pub(super) struct Kit {
    pub(super) store: Store,
    pub(super) handle: Handle,
    pub(super) journal: Journal,
    pub(super) opened: OpenedStore,
}

pub(super) fn try_open(data: &Path, hash: &str, limits: limits::Store) -> Result<Kit, StoreError> {
    let (mut store, opened) =
        Store::open(data, &PackId::new(PACK), &ManifestHash::new(hash), limits, Clock::start())?;
    let journal = store.journal().unwrap();
    Ok(Kit { handle: store.handle(), journal, store, opened })
}

pub(super) fn open(data: &Path) -> Kit {
    try_open(data, HASH, limits::Store::default()).unwrap()
}

/// Puts a question and waits for its answer.
pub(super) fn ask<T: Send + 'static>(
    put: impl FnOnce(Answer<T>) -> Result<(), CommitError>,
) -> Result<T, CommitError> {
    let (tell, told) = sync_channel(1);
    put(Box::new(move |answer| tell.send(answer).unwrap()))?;
    told.recv().unwrap()
}

impl Kit {
    pub(super) fn commit(&self, op: Op) -> Result<Done, CommitError> {
        ask(|done| self.handle.commit(op, Class::Power, done))
    }

    pub(super) fn enqueue(&self, rows: Vec<Row>) -> Vec<Enqueued> {
        match self.commit(Op::Enqueue { rows, lookups: Vec::new() }).unwrap() {
            Done::Enqueued(enqueued) => enqueued,
            other => unreachable!("{other:?}"),
        }
    }

    pub(super) fn journalled(&mut self, op: Op) {
        self.journal.append(op).unwrap();
        self.journal.commit().unwrap();
    }

    pub(super) fn fetch(&self, after: u64, limit: u64, settled: bool) -> Fetched {
        ask(|done| self.handle.fetch(QueueName::new("default"), InvocationId(after), limit, settled, done))
            .unwrap()
    }

    pub(super) fn flush(&self) {
        ask(|done| self.handle.flush(done)).unwrap();
    }

    pub(super) fn rows(&self, filter: InvocationFilter) -> Vec<Row> {
        self.flush();
        ask(|done| self.handle.invocations(filter, done)).unwrap().rows
    }

    pub(super) fn all(&self) -> Vec<Row> {
        self.rows(InvocationFilter { oldest_first: true, limit: 10_000, ..InvocationFilter::default() })
    }

    pub(super) fn states(&self) -> Vec<(u64, RowState)> {
        self.all().into_iter().map(|row| (row.id.0, row.state)).collect()
    }

    /// Ends it as SIGKILL would and starts it again.
    pub(super) fn kill_and_reopen(self, data: &Path) -> Self {
        self.store.kill();
        open(data)
    }
}

pub(in crate::store) fn row(id: u64) -> Row {
    Row {
        damage: None,
        refund: None,
        requeued_from: None,
        id: InvocationId(id),
        queue: QueueName::new("default"),
        event: "heal".into(),
        state: RowState::Pending,
        params: JsonText::parse(r#"{"count": 1.0}"#).unwrap(),
        result: None,
        reason: None,
        source: Source { kind: "manual".to_owned(), redemption: None, user: Some("ada".to_owned()) },
        key: None,
        trace_id: TraceId(Uuid::from_u128(id.into())),
        pack_id: PackId::new(PACK),
        manifest_hash: ManifestHash::new(HASH),
        enqueued_at_ms: Wall(1_000 + id),
        updated_at_ms: Wall(1_000 + id),
    }
}

pub(super) fn rows(ids: std::ops::RangeInclusive<u64>) -> Vec<Row> {
    ids.map(row).collect()
}

pub(super) fn keyed(id: u64, kind: &str, key: &str) -> Row {
    let mut row = row(id);
    row.source.kind = kind.to_owned();
    row.key = Some(key.to_owned());
    row
}

pub(super) fn moved(id: u64, state: RowState) -> Op {
    Op::Move(Move { id: InvocationId(id), state, result: None, reason: None, at: Wall(5_000 + id) })
}
