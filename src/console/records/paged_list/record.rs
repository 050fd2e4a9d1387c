//! What lists are made of.

use crate::{
    console::{
        records::selection::RecordKey,
        systems::{
            bridge::keys::{INVOCATION, QUEUE, REFUND, STATE_KEY},
            runs::keys::STORED_RUN,
            sessions::{keys::STORED_SESSION, session_of},
        },
    },
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
        INVOCATION.of(self.id)
    }

    fn number(&self) -> u64 {
        self.id.0
    }
}

impl Record for RefundRow {
    fn key(&self) -> RecordKey {
        REFUND.of(self.id)
    }

    fn number(&self) -> u64 {
        self.id.0
    }
}

impl Record for RunRow {
    fn key(&self) -> RecordKey {
        STORED_RUN.of((self.number, self.run))
    }

    fn number(&self) -> u64 {
        self.number
    }
}

impl Record for SessionRow {
    fn key(&self) -> RecordKey {
        STORED_SESSION.of(session_of(self))
    }

    fn number(&self) -> u64 {
        self.number
    }
}

impl Record for StateKeyRow {
    fn key(&self) -> RecordKey {
        STATE_KEY.of(self.key.clone())
    }
}

impl Record for QueueRow {
    fn key(&self) -> RecordKey {
        QUEUE.of(self.queue.clone())
    }
}
