//! The kernel: its sessions, and what it puts out.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use super::{
    Answer, Input, MessageIds, Output,
    evicted::{Evicted, EvictedIndex},
    session::{Image, Session},
};
use crate::{
    ids::{Ticket, TraceId},
    limits,
    macp::{SessionState, Transition, log::Record},
    time::{Mono, Now},
};

/// A wall clock that differs by more was set (ruling RMP 18).
const CLOCK_JUMP_MS: u64 = 1_000;

/// All sessions that are in memory, and which are in the store alone.
#[derive(Debug)]
pub struct Kernel {
    pub(super) limits: limits::Macp,
    /// Sessions by number.
    pub(super) sessions: HashMap<u64, Box<Session>>,
    pub(super) by_id: HashMap<Arc<str>, u64>,
    /// When the TTL of each open session is over, in Unix milliseconds.
    pub(super) expiry: BTreeSet<(u64, u64)>,
    /// Sessions that ended, in the order of their ends.
    pub(super) closed: VecDeque<(u64, u64)>,
    pub(super) evicting: BTreeSet<u64>,
    /// The ids of messages of sessions that are leaving, or were to leave before, in the place of their own.
    pub(super) message_ids: HashMap<u64, MessageIds>,
    pub(super) evicted: Evicted,
    pub(super) evicted_index: EvictedIndex,
    /// Sessions whose rows in the store do not say yet that somebody was told of their ends.
    pub(super) noticed: BTreeSet<u64>,
    /// The last record that says so of one that is in the store alone.
    pub(super) last_notice: Ticket,
    /// Sessions whose rows in the store are not what they are, in the order in which they changed.
    pub(super) dirty: VecDeque<u64>,
    pub(super) open: u64,
    /// Bytes that all sessions in memory take.
    pub(super) bytes: u64,
    /// Those of them that ended.
    pub(super) closed_bytes: u64,
    pub(super) next_number: u64,
    pub(super) ticket: Ticket,
    pub(super) durable: Ticket,
    pub(super) unsaved_bytes: u64,
    /// Whether nothing new is taken that would have to be kept.
    is_disk_low: bool,
    /// The wall clock's time and the monotonic one's at one moment: TTLs go on evenly when the wall clock is
    /// set.
    start: Now,
    pub(super) outputs: VecDeque<Output>,
}

impl Kernel {
    /// A kernel without sessions.
    #[must_use]
    pub fn new(now: Now, limits: limits::Macp) -> Self {
        Self {
            limits,
            sessions: HashMap::new(),
            by_id: HashMap::new(),
            expiry: BTreeSet::new(),
            closed: VecDeque::new(),
            evicting: BTreeSet::new(),
            message_ids: HashMap::new(),
            evicted: Evicted::default(),
            noticed: BTreeSet::new(),
            last_notice: Ticket(0),
            evicted_index: EvictedIndex::new(RandomState::new()),
            dirty: VecDeque::new(),
            open: 0,
            bytes: 0,
            closed_bytes: 0,
            next_number: 1,
            ticket: Ticket(0),
            durable: Ticket(0),
            unsaved_bytes: 0,
            is_disk_low: false,
            start: now,
            outputs: VecDeque::new(),
        }
    }

    /// This moment in Unix milliseconds, by the wall clock's offset that is in force.
    #[must_use]
    pub fn ms(&self, now: Now) -> u64 {
        if self.takes_offset(now) { now.wall.0 } else { self.ms_by_offset(now) }
    }

    fn ms_by_offset(&self, now: Now) -> u64 {
        let passed = now.mono.since(self.start.mono);
        self.start.wall.0.saturating_add(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX))
    }

    /// Whether the wall clock was set and no open session's TTL goes by how it was before (ruling RMP 18).
    fn takes_offset(&self, now: Now) -> bool {
        self.expiry.is_empty() && now.wall.0.abs_diff(self.ms_by_offset(now)) > CLOCK_JUMP_MS
    }

    /// Goes by the wall clock as it is now, where nothing hangs on how it was; sessions that ended are as old
    /// as before.
    fn take_offset(&mut self, now: Now) {
        if !self.takes_offset(now) {
            return;
        }
        let before_ms = self.ms_by_offset(now);
        for (ended_ms, _) in &mut self.closed {
            *ended_ms = now.wall.0.saturating_sub(before_ms.saturating_sub(*ended_ms));
        }
        self.start = now;
    }

    /// Takes an input; what it causes is to be polled before the next.
    pub fn handle(&mut self, now: Now, input: &Input<'_>) {
        self.take_offset(now);
        let at_ms = self.ms(now);
        match *input {
            Input::Timeout => self.sweep(at_ms),
            Input::Durable { through, bytes } => {
                self.durable = self.durable.max(through);
                self.unsaved_bytes = self.unsaved_bytes.saturating_sub(bytes);
            }
            Input::Evicted { numbers } => self.on_evicted(numbers),
            Input::Retired { numbers } => {
                for number in numbers {
                    self.evicted_index.retire(*number);
                }
            }
            Input::Message { .. } | Input::Cancel { .. } | Input::Look { .. } => {
                let heard = self.decide(at_ms, input);
                self.follow(at_ms, input, heard);
            }
        }
    }

    /// The next output to carry out.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Input::Timeout`] is due.
    #[must_use]
    pub fn timeout(&self) -> Option<Mono> {
        let due_ms = self.expiry.first().map(|(expires_ms, _)| expires_ms.saturating_add(1))?;
        Some(self.mono_at(due_ms))
    }

    /// The moment at which [`ms`](Self::ms) will be so many, as long as the wall clock is not taken anew.
    pub(super) fn mono_at(&self, ms: u64) -> Mono {
        self.start.mono + Duration::from_millis(ms.saturating_sub(self.start.wall.0))
    }

    /// The last record that was asked to be kept.
    #[must_use]
    pub const fn last_ticket(&self) -> Ticket {
        self.ticket
    }

    /// The data folder's disk is nearly full, or is not any more: while it is, sessions do not begin and take
    /// no messages; they can be cancelled.
    pub const fn set_disk_low(&mut self, is_low: bool) {
        self.is_disk_low = is_low;
    }

    pub(super) const fn is_disk_low(&self) -> bool {
        self.is_disk_low
    }

    /// Sessions that are open.
    #[cfg(test)]
    #[must_use]
    pub(crate) const fn open(&self) -> u64 {
        self.open
    }

    /// The number that the next session takes.
    #[cfg(test)]
    #[must_use]
    pub(crate) const fn next_number(&self) -> u64 {
        self.next_number
    }

    /// Sessions in memory, those that ended included.
    #[must_use]
    pub fn in_memory(&self) -> u64 {
        self.sessions.len() as u64
    }

    /// Whether a session is in memory.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.sessions.contains_key(&number)
    }

    /// Whether a session is in memory and open.
    #[must_use]
    pub fn is_open(&self, number: u64) -> bool {
        self.sessions.get(&number).is_some_and(|session| session.end.is_none())
    }

    /// Whether a session is in the store alone.
    #[must_use]
    pub fn is_evicted(&self, number: u64) -> bool {
        self.evicted_index.has(number)
    }

    /// Bytes that all sessions in memory take.
    #[must_use]
    pub const fn message_bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of records that are not durable.
    #[must_use]
    pub const fn unsaved_bytes(&self) -> u64 {
        self.unsaved_bytes
    }

    /// A session in memory, whole.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn image(&self, id: &str) -> Option<Image> {
        self.session(id).map(Session::image)
    }

    /// All sessions in memory, whole, by id.
    #[must_use]
    pub fn images(&self) -> BTreeMap<String, Image> {
        self.sessions.values().map(|session| (session.id.to_string(), session.image())).collect()
    }

    /// The number of a session that is in memory.
    #[must_use]
    pub fn number(&self, id: &str) -> Option<u64> {
        self.by_id.get(id).copied()
    }

    /// Whether a session of this id and number is in memory.
    #[must_use]
    pub fn is(&self, number: u64, id: &str) -> bool {
        self.by_id.get(id) == Some(&number)
    }

    pub(super) fn session(&self, id: &str) -> Option<&Session> {
        self.by_id.get(id).and_then(|number| self.sessions.get(number)).map(AsRef::as_ref)
    }

    pub(super) fn hash(&self, id: &str) -> u64 {
        self.evicted_index.hasher.hash_one(id)
    }

    /// How a session stands that may be in the store alone.
    pub(super) fn reported_state(&self, id: &str) -> Option<SessionState> {
        self.session(id).map(Session::reported_state).or_else(|| self.evicted_index.state(self.hash(id)))
    }

    pub(super) fn answer(&mut self, answer: Answer) {
        self.outputs.push_back(Output::Answer(answer));
    }

    pub(super) fn emit_transition(
        &mut self,
        transition: Transition,
        trace: Option<TraceId>,
        text: impl Into<String>,
    ) {
        self.outputs.push_back(Output::Transition { transition, trace, text: text.into() });
    }

    /// Has a record kept.
    pub(super) fn keep(&mut self, number: u64, record: &Record) {
        let record = bytes::Bytes::from(prost::Message::encode_to_vec(record));
        self.ticket = self.ticket.next();
        self.unsaved_bytes += record.len() as u64;
        if let Some(session) = self.sessions.get_mut(&number) {
            session.last = self.ticket;
        }
        self.outputs.push_back(Output::Persist { ticket: self.ticket, session: number, record });
    }

    /// Notes that a session's row is to be written.
    pub(super) fn touch(&mut self, number: u64) {
        if let Some(session) = self.sessions.get_mut(&number)
            && !session.is_dirty
        {
            session.is_dirty = true;
            self.dirty.push_back(number);
        }
    }
}
