//! The store's promises, in memory.

use std::collections::{BTreeMap, VecDeque};

use rl_console::{
    ids::{InvocationId, ManifestHash, QueueName, RefundId, RequestId, StateKey, Ticket},
    schema::JsonText,
    store::{
        invocations::{Changed, Enqueued, Pending, Refund, Row},
        op::{Class, Done, Fetched, Op},
    },
    tap::entry::mpp::{Brake, RowState},
};

/// What a bridge asked of the store and was not answered yet, in order.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Persist { ticket: Ticket, class: Class, op: Op },
    Fetch { queue: QueueName, after: InvocationId, limit: u64, settled: bool },
    FetchInvocations { request: RequestId, ids: Vec<InvocationId> },
    FetchOthers { request: RequestId, after: InvocationId, limit: u64 },
}

/// Rows, refunds, brakes and pack state.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) rows: BTreeMap<InvocationId, Row>,
    pub(crate) refunds: Vec<Refund>,
    pub(crate) brakes: BTreeMap<QueueName, Brake>,
    pub(crate) state: BTreeMap<StateKey, (JsonText, Option<String>)>,
    pub(crate) waiting: VecDeque<Request>,
    /// What a read that need not be settled sees of rows: transitions of the past, maybe.
    folded: BTreeMap<InvocationId, (RowState, ManifestHash)>,
}

impl Store {
    pub(crate) fn apply(&mut self, op: &Op) -> Done {
        match op {
            Op::Enqueue { rows, lookups } => {
                let mut done: Vec<_> = rows.iter().map(|row| self.enqueue(row)).collect();
                done.extend(lookups.iter().map(|(kind, key)| match self.by_key(kind, key) {
                    Some(first) => Enqueued::Repeated(Box::new(first.clone())),
                    None => Enqueued::NotThere,
                }));
                Done::Enqueued(done)
            }
            Op::Move(moved) => {
                self.set(moved.id, moved.state, moved.result.clone(), moved.reason.clone());
                Done::Plain
            }
            Op::Refund { moved, refund } => {
                self.set(moved.id, moved.state, moved.result.clone(), moved.reason.clone());
                let id = RefundId(self.refunds.len() as u64 + 1);
                let (invocation_id, source, status, at_ms) =
                    (refund.invocation_id, refund.source.clone(), refund.status, refund.at);
                self.refunds.push(Refund { damage: None, id, invocation_id, source, status, at_ms });
                self.rows.get_mut(&invocation_id).unwrap().refund = Some(status);
                Done::Refunded(id, status)
            }
            Op::Change { ids, from, to, reason, refund, .. } => Done::Changed(
                ids.iter().map(|id| self.change(*id, *from, *to, reason.clone(), *refund)).collect(),
            ),
            Op::Migrate { rows, manifest_hash, .. } => {
                let (mut moved, mut failed) = (0, 0);
                for migration in rows {
                    let row = self.rows.get_mut(&migration.id).unwrap();
                    assert_eq!(row.state, RowState::Pending, "only pending rows are migrated");
                    if let Some(reason) = &migration.fails {
                        row.state = RowState::Failed;
                        row.reason = Some(reason.clone());
                        failed += 1;
                    } else {
                        row.manifest_hash = manifest_hash.clone();
                        moved += 1;
                    }
                }
                Done::Migrated { moved, failed }
            }
            Op::WriteState { key, value, scope, .. } => {
                self.state.insert(key.clone(), (value.clone(), scope.clone()));
                Done::Plain
            }
            Op::SetBrake { queue, brake } => {
                self.brakes.insert(queue.clone(), *brake);
                Done::Plain
            }
            Op::Alerts(_)
            | Op::InjectedTraces(_)
            | Op::Trigger { .. }
            | Op::Runs(_)
            | Op::Rate { .. }
            | Op::Macp(_)
            | Op::Plugins(_) => {
                panic!("the bridge keeps neither alerts nor runs, sessions or plugins")
            }
        }
    }

    pub(crate) fn insert(&mut self, row: Row) {
        self.folded.insert(row.id, (row.state, row.manifest_hash.clone()));
        self.rows.insert(row.id, row);
    }

    fn enqueue(&mut self, row: &Row) -> Enqueued {
        if let Some(first) = row.key.as_ref().and_then(|key| self.by_key(&row.source.kind, key)) {
            return Enqueued::Repeated(Box::new(first.clone()));
        }
        self.insert(row.clone());
        Enqueued::Inserted
    }

    fn by_key(&self, kind: &str, key: &str) -> Option<&Row> {
        self.rows.values().find(|row| row.key.as_deref() == Some(key) && row.source.kind == kind)
    }

    fn set(&mut self, id: InvocationId, state: RowState, result: Option<JsonText>, reason: Option<String>) {
        let row = self.rows.get_mut(&id).unwrap();
        assert!(
            !row.state.is_terminal() || row.state == state,
            "{id} goes from {:?} to {state:?}",
            row.state
        );
        row.state = state;
        row.result = result.or(row.result.take());
        row.reason = reason.or(row.reason.take());
    }

    fn change(
        &mut self,
        id: InvocationId,
        from: RowState,
        to: RowState,
        reason: Option<String>,
        refund: bool,
    ) -> Changed {
        let Some(row) = self.rows.get_mut(&id) else { return Changed::NoSuchRow };
        if row.state != from {
            return Changed::NotThere { state: row.state };
        }
        let before = Box::new(row.clone());
        row.state = to;
        row.reason = reason;
        let refund = refund.then(|| {
            let (id, status) = (RefundId(self.refunds.len() as u64 + 1), row.source.refund_status());
            self.refunds.push(Refund {
                damage: None,
                id,
                invocation_id: row.id,
                source: row.source.clone(),
                status,
                at_ms: row.enqueued_at_ms,
            });
            row.refund = Some(status);
            (id, status)
        });
        Changed::Changed { before, refund }
    }

    /// Pending rows of the manifest in force behind `after`. Unless it is settled, transitions since the last
    /// settled read may be unseen.
    pub(crate) fn fetch(
        &mut self,
        hash: &ManifestHash,
        queue: &QueueName,
        after: InvocationId,
        limit: u64,
        settled: bool,
    ) -> Fetched {
        if settled {
            self.folded =
                self.rows.iter().map(|(id, row)| (*id, (row.state, row.manifest_hash.clone()))).collect();
        }
        let pending = |row: &&Row| {
            self.folded.get(&row.id).is_some_and(|(state, held)| *state == RowState::Pending && held == hash)
        };
        let mut rows = self.rows.values().filter(|row| row.queue == *queue && row.id > after).filter(pending);
        let page: Vec<Pending> =
            rows.by_ref().take(usize::try_from(limit).unwrap()).map(pending_of).collect();
        Fetched { queue: queue.clone(), after, rows: page, more: rows.next().is_some() }
    }

    pub(crate) fn fetch_others(
        &self,
        hash: &ManifestHash,
        after: InvocationId,
        limit: u64,
    ) -> (Vec<(QueueName, Pending)>, bool) {
        let other =
            |row: &&Row| row.state == RowState::Pending && row.manifest_hash != *hash && row.id > after;
        let mut rows = self.rows.values().filter(other);
        let page = rows
            .by_ref()
            .take(usize::try_from(limit).unwrap())
            .map(|row| (row.queue.clone(), pending_of(row)))
            .collect();
        (page, rows.next().is_some())
    }
}

fn pending_of(row: &Row) -> Pending {
    Pending {
        damage: row.damage.clone(),
        bytes: row.bytes(),
        id: row.id,
        event: row.event.clone(),
        params: row.params.clone(),
        trace_id: row.trace_id,
        source: row.source.clone(),
        enqueued_at: row.enqueued_at_ms,
    }
}
