//! Which records of a session's log are in a recording: the start is the first, each message that was
//! accepted is one, and the end is the last.
//!
//! ```text
//! start          accepted …  │ entries that were lost │  accepted …          end
//!   1    counted from here ─▶│                        │◀─ counted back from the state's count
//! ```

use crate::{
    ids::Seq,
    macp::Transition,
    tap::{
        EntryRef,
        entry::{Transition as Any, What},
    },
};

/// What is recorded of a session.
#[derive(Debug)]
pub(super) struct Count<'a> {
    session: &'a str,
    /// Which of those with the id: the later of two.
    number: Option<u64>,
    is_fixed: bool,
    is_opened: bool,
    /// Messages that it accepted.
    messages: u64,
    /// Those of them behind the last gap.
    since_gap: u64,
    /// The first entry behind the last gap.
    gap: Option<Seq>,
    next: Option<Seq>,
}

impl<'a> Count<'a> {
    /// Of the session of an id, which is the one of this number where that is known.
    pub(super) const fn new(session: &'a str, number: Option<u64>) -> Self {
        Self {
            session,
            number,
            is_fixed: number.is_some(),
            is_opened: false,
            messages: 0,
            since_gap: 0,
            gap: None,
            next: None,
        }
    }

    /// The session's number, where it is known or anything of it is recorded.
    pub(super) const fn number(&self) -> Option<u64> {
        self.number
    }

    pub(super) fn take(&mut self, entry: EntryRef<'_>) {
        let seq = entry.entry.seq;
        let is_missing = self.next.is_some_and(|next| next != seq);
        if is_missing || matches!(entry.entry.what, What::Loss { .. }) {
            (self.gap, self.since_gap) = (Some(seq), 0);
        }
        self.next = Some(seq.next());
        let What::Transition(Any::Macp(transition)) = &entry.entry.what else { return };
        let Some(session) = transition.session().filter(|session| &*session.id == self.session) else {
            return;
        };
        if !self.is_fixed && self.number.is_none_or(|number| session.number > number) {
            let (gap, next) = (self.gap, self.next);
            *self = Self {
                gap,
                next,
                number: Some(session.number),
                is_fixed: false,
                ..Self::new(self.session, None)
            };
        }
        if self.number != Some(session.number) {
            return;
        }
        match transition {
            Transition::Opened { .. } => self.is_opened = true,
            Transition::Accepted { .. } => {
                self.messages += 1;
                self.since_gap += 1;
            }
            _ => {}
        }
    }
}

/// The numbers of the records, in their order.
#[derive(Debug)]
pub(super) struct Numbers {
    /// Messages before the first that is recorded.
    before: u64,
    /// Messages before the first behind the last gap.
    before_gap: u64,
    gap: Option<Seq>,
    messages: u64,
    since_gap: u64,
}

impl Numbers {
    /// Of a session that accepted so many messages, where that is known; else as if none but the recorded
    /// ones had come.
    pub(super) fn new(count: &Count<'_>, messages: Option<u64>) -> Self {
        let messages = messages.unwrap_or(count.messages);
        Self {
            before: if count.is_opened { 0 } else { messages.saturating_sub(count.messages) },
            before_gap: messages.saturating_sub(count.since_gap),
            gap: count.gap,
            messages: 0,
            since_gap: 0,
        }
    }

    /// The number of the next record, which follows from this.
    pub(super) fn of(&mut self, seq: Seq, transition: &Transition) -> u64 {
        let is_behind = self.gap.is_some_and(|gap| seq >= gap);
        if matches!(transition, Transition::Accepted { .. }) {
            self.messages += 1;
            self.since_gap += u64::from(is_behind);
        }
        let messages = if is_behind { self.before_gap + self.since_gap } else { self.before + self.messages };
        match transition {
            Transition::Opened { .. } => 1,
            Transition::Ended { .. } => messages + 2,
            _ => messages + 1,
        }
    }
}
