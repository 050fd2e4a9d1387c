//! The sessions that have something to write.

use std::collections::VecDeque;

use super::session::Session;
use crate::ids::ConnectionId;

/// The sessions that have something to write which they had not when they were taken last: operators' first,
/// and who came first before who came later.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    operators: VecDeque<ConnectionId>,
    others: VecDeque<ConnectionId>,
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
        list.push_back(session.id);
    }

    pub(super) fn pop(&mut self) -> Option<ConnectionId> {
        self.operators.pop_front().or_else(|| self.others.pop_front())
    }
}
