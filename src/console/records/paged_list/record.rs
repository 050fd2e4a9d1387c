//! What lists are made of.

use crate::{
    console::{records::selection::RecordKey, systems::sessions::session_of},
    port::{InvocationRow, QueueRow, RefundRow, RunRow, SessionRow, StateKeyRow},
};

/// A row of a list that the station has.
pub(crate) trait Record {
    /// Its identity.
    fn key(&self) -> RecordKey;

    /// Its place in the order of the store, which pages go by. Lists that come whole have none.
    fn number(&self) -> u64 {
        0
    }
}

impl Record for InvocationRow {
    fn key(&self) -> RecordKey {
        RecordKey::Invocation(self.id)
    }

    fn number(&self) -> u64 {
        self.id.0
    }
}

impl Record for RefundRow {
    fn key(&self) -> RecordKey {
        RecordKey::Refund(self.id)
    }

    fn number(&self) -> u64 {
        self.id.0
    }
}

impl Record for RunRow {
    fn key(&self) -> RecordKey {
        RecordKey::StoredRun(self.number, self.run)
    }

    fn number(&self) -> u64 {
        self.number
    }
}

impl Record for SessionRow {
    fn key(&self) -> RecordKey {
        RecordKey::StoredSession(session_of(self))
    }

    fn number(&self) -> u64 {
        self.number
    }
}

impl Record for StateKeyRow {
    fn key(&self) -> RecordKey {
        RecordKey::StateKey(self.key.clone())
    }
}

impl Record for QueueRow {
    fn key(&self) -> RecordKey {
        RecordKey::Queue(self.queue.clone())
    }
}
