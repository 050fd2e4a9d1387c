//! The sessions that have something to write.

use super::session::Session;
use crate::ids::ConnectionId;

/// The sessions that have something to write which they had not when they were taken last: operators' first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    operators: Vec<ConnectionId>,
    others: Vec<ConnectionId>,
}

impl Waiting {
    /// Notes that a session has something to write.
    #[inline]
    pub(super) fn add(&mut self, session: &mut Session) {
        if session.is_waiting {
            return;
        }
        session.is_waiting = true;
        let list = if session.kind().is_operator() { &mut self.operators } else { &mut self.others };
        list.push(session.id);
    }

    pub(super) fn pop(&mut self) -> Option<ConnectionId> {
        self.operators.pop().or_else(|| self.others.pop())
    }
}
