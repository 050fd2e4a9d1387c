//! What others are shown of the bridge.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::core::Bridge;
use crate::{
    ids::{InvocationId, Peer, QueueName, SessionId, StateKey},
    mpp::{manifest::Writer, snapshot::Snapshot},
    schema::JsonText,
    tap::entry::mpp::RowState,
    time::Wall,
};

/// A pack-state value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateValue {
    /// Its key.
    pub key: StateKey,
    /// The JSON text that came.
    pub value: JsonText,
    /// The adapter's scope tag.
    pub scope: Option<String>,
    /// Whether it is stored and replayed.
    pub persist: bool,
    /// Who may write it, as the manifest declares.
    pub writer: Option<Writer>,
    /// Who wrote it.
    pub written_by: WrittenBy,
    /// When.
    pub at: Wall,
}

/// Who wrote a pack-state value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WrittenBy {
    /// An adapter of this start of the station.
    Adapter {
        /// From where.
        peer: Peer,
        /// The `session_id` it was told.
        session_id: SessionId,
    },
    /// An adapter of an earlier start: it is stored, and no adapter was given it yet.
    Stored,
    /// An adapter of an earlier start; one was given it again in `persisted[]`.
    Replayed,
}

/// Where a row stands whose latest transition the store may not show yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncommittedRow {
    /// Its state.
    pub state: RowState,
    /// What `applied` reported; absent keeps what the store has.
    pub result: Option<JsonText>,
    /// Why it failed; absent keeps what the store has.
    pub reason: Option<String>,
    /// When its state changed.
    pub at: Wall,
}

impl Bridge {
    /// What holds now. Taken when every output was drained, it continues by the entries that follow
    /// ([`Snapshot::apply`]).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            listener: self.listener.clone(),
            paired: self.settings.token_sha256.is_some(),
            pack: self.settings.pack.facts(),
            adapter: self.active.as_ref().map(|active| active.view(self.settings.session_id)),
            last_close: self.last_close.clone(),
            queues: self.queues.iter().map(|(name, queue)| (name.clone(), queue.view())).collect(),
            live: self.live.iter().map(|(id, live)| (*id, live.view())).collect(),
            recent: self.recent.clone(),
            logs: self.logs.clone(),
            commits_failing: self.commits.failing.clone(),
            reads_failing: self.reads_failing.as_ref().map(|(_, why)| Arc::clone(why)),
        }
    }

    /// Bytes of the texts of pending rows (`limits.mpp.pending_bytes_max`).
    #[must_use]
    pub const fn pending_bytes(&self) -> u64 {
        self.pending_bytes
    }

    /// Every pack-state value, by key.
    #[must_use]
    pub fn state_rows(&self) -> Vec<StateValue> {
        let values = self.pack_state.values.iter();
        values
            .map(|(key, kept)| StateValue {
                key: key.clone(),
                value: kept.json.clone(),
                scope: kept.scope.clone(),
                persist: kept.persist,
                writer: self.settings.pack.state.get(key).map(|declared| declared.writer),
                written_by: kept.written_by.clone(),
                at: kept.at,
            })
            .collect()
    }

    /// When the oldest pending row of each queue was enqueued, where the read-ahead knows it.
    #[must_use]
    pub fn heads(&self) -> BTreeMap<QueueName, Wall> {
        let heads = self
            .queues
            .iter()
            .filter_map(|(name, queue)| Some((name.clone(), queue.head.front()?.enqueued_at)));
        heads.collect()
    }

    /// Rows whose state the store may not show yet, to be laid over what it shows; at most
    /// `limits.mpp.dirty_rows_max` and those that are live.
    #[must_use]
    pub fn dirty(&self) -> BTreeMap<InvocationId, UncommittedRow> {
        // A dispatch is written behind and never reported as committed.
        let dispatched =
            self.live.iter().filter(|(_, live)| live.state == RowState::Dispatched).map(|(id, live)| {
                (*id, UncommittedRow { state: live.state, result: None, reason: None, at: live.since.wall })
            });
        let mut rows: BTreeMap<_, _> = dispatched.collect();
        for (id, dirty) in &self.commits.dirty {
            let row = UncommittedRow {
                state: dirty.moved.state,
                result: dirty.moved.result.clone(),
                reason: dirty.moved.reason.clone(),
                at: dirty.at,
            };
            rows.insert(*id, row);
        }
        rows
    }
}
