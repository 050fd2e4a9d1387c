//! Records on their way to the store. What it refuses is the supervisor's to offer again; what it has no room
//! for waits here.

use std::sync::{Arc, PoisonError};

use super::{records, shared::Host};
use crate::{
    ids::Ticket,
    plugin::supervisor::{Input, Record},
    store::op::{CommitError, Op},
    tap::entry::station::Level,
    time::Now,
    words,
};

/// Records that may wait for room in the store.
const UNSAVED_MAX: usize = 4_096;

impl Host {
    /// Has the store keep a record.
    pub(super) fn persist(&mut self, now: Now, ticket: Ticket, record: Record) {
        if self.unsaved.is_empty() {
            self.save(now, ticket, record);
        } else if self.unsaved.len() < UNSAVED_MAX {
            self.unsaved.push_back((ticket, record));
        } else {
            let _ = self.committed.try_send((ticket, Err("too many records wait for the store".to_owned())));
        }
    }

    /// Whether the store took it, or will not.
    fn save(&mut self, now: Now, ticket: Ticket, record: Record) -> bool {
        let told = self.committed.clone();
        let done = Box::new(move |result: Result<_, CommitError>| {
            let _ = told.try_send((ticket, result.map(|_| ()).map_err(|error| error.to_string())));
        });
        let op = records::op(now, self.masked(record.clone()), &self.limits);
        let class = op.class();
        let taken = match (self.store)() {
            Some(store) => store.commit(Op::Plugins(vec![op]), class, done),
            None => Err(CommitError::Failed("the store is closed".to_owned())),
        };
        match taken {
            Ok(()) => true,
            Err(CommitError::Busy { .. }) if self.unsaved.len() < UNSAVED_MAX => {
                self.unsaved.push_front((ticket, record));
                false
            }
            Err(error) => {
                let _ = self.committed.try_send((ticket, Err(error.to_string())));
                true
            }
        }
    }

    /// A record without secrets that a plugin may have brought back.
    fn masked(&self, record: Record) -> Record {
        match record {
            Record::Disabled { plugin, cause: Some((cause, why)) } => {
                let why = self.tap.text_without_tokens(&why);
                let why = words::cut(&why, self.limits.shown_text_bytes_max).to_owned();
                Record::Disabled { plugin, cause: Some((cause, why)) }
            }
            record => record,
        }
    }

    /// Offers the store again what it had no room for.
    pub(super) fn retry(&mut self) {
        let now = self.clock.now();
        while let Some((ticket, record)) = self.unsaved.pop_front() {
            if !self.save(now, ticket, record) {
                break;
            }
        }
    }

    /// A record is kept, or is not. That it is not is said once, until all is kept again.
    pub(super) fn on_committed(&mut self, ticket: Ticket, result: Result<(), String>) {
        self.input(match result {
            Ok(()) => Input::Committed { ticket },
            Err(error) => Input::CommitFailed { ticket, error },
        });
        let impaired = self.core.unsaved().map(|error| {
            Arc::from(format!("it cannot record what plugins may use and how they ended: {error}"))
        });
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.impaired.is_none()
            && let Some(why) = &impaired
        {
            (self.notice)(Level::Error, &format!("the plugin host: {why}"));
        }
        state.impaired = impaired;
    }
}
