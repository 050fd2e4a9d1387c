//! Sessions that ended: they leave memory for the store, by age and by count (ruling MACP 6).

use std::{
    collections::{BTreeMap, HashMap},
    hash::RandomState,
};

use super::{Eviction, Kernel, MessageIds, session::Session};
use crate::{
    ids::Ticket,
    macp::{SessionState, Transition},
    store::macp::SessionRow,
    time::Now,
};

/// Which sessions are in the store alone, by the hashes of their ids: who asks for another one need not wait
/// for the store.
#[derive(Debug)]
pub(super) struct EvictedIndex {
    pub(super) hasher: RandomState,
    by_hash: HashMap<u64, (u64, SessionState)>,
    by_number: BTreeMap<u64, u64>,
}

impl EvictedIndex {
    pub(super) fn new(hasher: RandomState) -> Self {
        Self { hasher, by_hash: HashMap::new(), by_number: BTreeMap::new() }
    }

    pub(super) fn insert(&mut self, hash: u64, number: u64, state: SessionState) {
        self.by_hash.insert(hash, (number, state));
        self.by_number.insert(number, hash);
    }

    pub(super) fn state(&self, hash: u64) -> Option<SessionState> {
        self.by_hash.get(&hash).map(|(_, state)| *state)
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.by_number.contains_key(&number)
    }

    /// Whether nobody was told yet that it is expired.
    pub(super) fn is_unnoticed(&self, number: u64) -> bool {
        self.known_state(number).is_some_and(|state| state == SessionState::Open)
    }

    fn known_state(&self, number: u64) -> Option<SessionState> {
        let hash = self.by_number.get(&number)?;
        self.by_hash.get(hash).filter(|(of, _)| *of == number).map(|(_, state)| *state)
    }

    /// Somebody is told that it is expired; whether that is new.
    pub(super) fn notice(&mut self, number: u64) -> bool {
        let is_new = self.is_unnoticed(number);
        if is_new && let Some(hash) = self.by_number.get(&number) {
            self.by_hash.insert(*hash, (number, SessionState::Expired));
        }
        is_new
    }

    pub(super) fn retire(&mut self, number: u64) {
        if let Some(hash) = self.by_number.remove(&number)
            && self.by_hash.get(&hash).is_some_and(|(of, _)| *of == number)
        {
            self.by_hash.remove(&hash);
        }
    }
}

impl Kernel {
    /// A session that is in the store alone since an earlier start.
    pub fn add_evicted(&mut self, id: &str, number: u64, state: SessionState) {
        let hash = self.hash(id);
        self.next_number = self.next_number.max(number.saturating_add(1));
        self.evicted_index.insert(hash, number, state);
    }

    /// How many are in the store alone.
    #[must_use]
    pub fn evicted_count(&self) -> u64 {
        self.evicted_index.by_number.len() as u64
    }

    /// How many rows are to be written.
    #[must_use]
    pub fn dirty(&self) -> usize {
        self.dirty.len()
    }

    /// Rows that are to be written, at most so many, the ones that changed first at the start. None tells of
    /// what is not durable.
    pub fn take_rows(&mut self, rows_max: usize) -> Vec<SessionRow> {
        let mut rows = Vec::new();
        for _ in 0..self.dirty.len() {
            if rows.len() == rows_max {
                break;
            }
            let Some(number) = self.dirty.pop_front() else { break };
            match self.sessions.get_mut(&number) {
                Some(session) if session.state_ticket > self.durable => self.dirty.push_back(number),
                Some(session) => {
                    session.is_dirty = false;
                    rows.push(session.row());
                }
                None => {}
            }
        }
        rows
    }

    /// Has rows written again that were not.
    pub fn put_back(&mut self, numbers: impl Iterator<Item = u64>) {
        for number in numbers {
            self.touch(number);
        }
    }

    /// Sessions of rows that are to say that somebody was told of their ends.
    pub fn take_noticed(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.noticed).into_iter().collect()
    }

    /// Has that written again that was not.
    pub fn put_back_noticed(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.noticed.extend(numbers);
    }

    /// Whether sessions that ended take room that others need.
    #[must_use]
    pub fn is_pressed(&self) -> bool {
        self.bytes > self.pressed_bytes() && !self.closed.is_empty()
    }

    const fn pressed_bytes(&self) -> u64 {
        self.limits.bytes_max / 4 * 3
    }

    /// Sessions that are to be in the store alone: ended, too old, too many or in the way of open ones, and
    /// with no record behind `through`; at most so many.
    /// [`Input::Evicted`](super::Input) says when they are there.
    pub fn evict(&mut self, now: Now, through: Ticket, sessions_max: usize) -> Vec<Eviction> {
        let at_ms = self.ms(now);
        let mut leaving = Vec::new();
        let mut bytes = self.bytes;
        while leaving.len() < sessions_max
            && let Some((ended_ms, number)) = self.closed.front().copied()
        {
            let is_old = at_ms > ended_ms.saturating_add(self.limits.closed_ms_max);
            // Room for what comes: an ended session is to turn no message away.
            let is_over = self.closed.len() as u64 > self.limits.closed_max || bytes > self.pressed_bytes();
            let Some(session) = self.sessions.get_mut(&number) else {
                self.closed.pop_front();
                continue;
            };
            if !(is_old || is_over) || session.last > through.min(self.durable) {
                break;
            }
            bytes = bytes.saturating_sub(session.bytes);
            self.closed.pop_front();
            self.evicting.insert(number);
            session.has_shared_ids = true;
            let seen = &mut session.seen;
            let ids = self
                .message_ids
                .entry(number)
                .or_insert_with(|| MessageIds::new(std::mem::take(seen)))
                .clone();
            leaving.push(Eviction { row: SessionRow { is_evicted: true, ..session.row() }, ids });
        }
        leaving
    }

    /// Keeps sessions in memory whose way to the store failed.
    pub fn cancel_eviction(&mut self, numbers: impl Iterator<Item = u64>) {
        for number in numbers {
            if let Some(session) = self.sessions.get(&number)
                && self.evicting.remove(&number)
            {
                let ended_ms = session.end.as_ref().map_or(0, |end| end.at_ms);
                self.closed.push_front((ended_ms, number));
            }
        }
    }

    pub(super) fn on_evicted(&mut self, numbers: &[u64]) {
        for number in numbers {
            if !self.evicting.remove(number) {
                continue;
            }
            let Some(session) = self.sessions.remove(number) else { continue };
            self.by_id.remove(&session.id);
            self.bytes = self.bytes.saturating_sub(session.bytes);
            self.closed_bytes = self.closed_bytes.saturating_sub(session.bytes);
            let hash = self.hash(&session.id);
            self.evicted_index.insert(hash, *number, session.reported_state());
            self.emit_transition(Transition::Evicted { session: session.session_ref() }, session.trace, "");
            self.evicted.0.push((session, self.message_ids.remove(number)));
        }
    }

    /// What left memory, to be dropped where nobody waits: of a long session that takes its time.
    pub fn take_evicted(&mut self) -> Evicted {
        std::mem::take(&mut self.evicted)
    }

    /// When a session in memory accepted a message.
    pub(super) fn accepted_ms(&self, session: &Session, message: &str) -> Option<u64> {
        match self.message_ids.get(&session.number).filter(|_| session.has_shared_ids) {
            Some(ids) => ids.at(message),
            None => session.seen.at(message),
        }
    }
}

/// Sessions that left memory.
#[derive(Debug, Default)]
pub struct Evicted(Vec<(Box<Session>, Option<MessageIds>)>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_sessions_of_one_hash_the_later_counts_and_stays_when_the_other_goes() {
        let mut gone = EvictedIndex::new(RandomState::new());
        gone.insert(7, 1, SessionState::Open);
        assert!(gone.is_unnoticed(1));
        gone.insert(7, 2, SessionState::Resolved);
        assert_eq!(
            (gone.state(7), gone.is_unnoticed(1), gone.notice(1)),
            (Some(SessionState::Resolved), false, false)
        );
        gone.retire(1);
        assert_eq!((gone.state(7), gone.has(1), gone.has(2)), (Some(SessionState::Resolved), false, true));
        gone.retire(2);
        assert_eq!((gone.state(7), gone.has(2)), (None, false));
    }
}
