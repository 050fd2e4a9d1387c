//! What waits to be written to a plugin (ruling Plugins 8).

use std::time::Duration;

use crate::{limits, time::Mono};

/// For how long a plugin may take no byte while something waits for it.
pub(in crate::plugin) const UNREAD_MAX: Duration = Duration::from_secs(30);

/// In which room a frame waits. The order of frames is that in which they were put out, whatever their rooms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// An event: dropped where it does not fit.
    Event,
    /// An answer, or a request of ours.
    Answer,
}

#[derive(Clone, Copy, Debug, Default)]
struct Room {
    messages: u64,
    bytes: u64,
}

/// How much waits for one plugin; the frames themselves are the host's.
#[derive(Clone, Debug)]
pub(in crate::plugin) struct Outbox {
    events: Room,
    answers: Room,
    /// When it last took a byte, or had nothing to take.
    moved_at: Mono,
}

impl Outbox {
    pub(in crate::plugin) const fn new(now: Mono) -> Self {
        let room = Room { messages: 0, bytes: 0 };
        Self { events: room, answers: room, moved_at: now }
    }

    const fn room(&mut self, lane: Lane) -> &mut Room {
        match lane {
            Lane::Event => &mut self.events,
            Lane::Answer => &mut self.answers,
        }
    }

    /// Whether an event has room; `all` is what waits for all plugins.
    pub(in crate::plugin) fn has_room(&self, bytes: u64, all: u64, limits: &limits::Plugin) -> bool {
        self.events.messages < limits.queue_messages_max
            && (self.events.bytes + bytes <= limits.queue_bytes_max || self.events.messages == 0)
            && all + bytes <= limits.queued_bytes_max
    }

    /// Whether what it sends could be answered: while not, nothing is read from it.
    pub(in crate::plugin) const fn can_answer(&self, limits: &limits::Plugin) -> bool {
        self.answers.messages < limits.answer_messages_max && self.answers.bytes < limits.answer_bytes_max
    }

    pub(in crate::plugin) fn push(&mut self, now: Mono, lane: Lane, bytes: u64) {
        if self.is_empty() {
            self.moved_at = now;
        }
        let room = self.room(lane);
        room.messages += 1;
        room.bytes += bytes;
    }

    /// It took bytes, and with them the last of these frames.
    pub(in crate::plugin) fn on_taken(&mut self, now: Mono, lane: Lane, messages: u64, bytes: u64) {
        self.moved_at = now;
        let room = self.room(lane);
        room.messages = room.messages.saturating_sub(messages);
        room.bytes = room.bytes.saturating_sub(bytes);
    }

    pub(in crate::plugin) const fn is_empty(&self) -> bool {
        self.events.messages == 0 && self.answers.messages == 0
    }

    pub(in crate::plugin) const fn bytes(&self) -> u64 {
        self.events.bytes + self.answers.bytes
    }

    /// When it has taken no byte for too long.
    pub(in crate::plugin) fn deadline(&self) -> Option<Mono> {
        (!self.is_empty()).then(|| self.moved_at + UNREAD_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    fn at(ms: u64) -> Mono {
        Now::at_ms(ms).mono
    }

    #[test]
    fn events_have_room_by_messages_by_bytes_and_over_all() {
        let limits = limits::Plugin { queue_messages_max: 16, queue_bytes_max: 65_536, ..Default::default() };
        let mut outbox = Outbox::new(at(0));
        assert!(outbox.has_room(100_000, 0, &limits), "an empty queue takes one of any size");
        outbox.push(at(0), Lane::Event, 60_000);
        assert!(outbox.has_room(5_536, 0, &limits) && !outbox.has_room(5_537, 0, &limits));
        assert!(!outbox.has_room(1, limits.queued_bytes_max, &limits));
        (1..16).for_each(|_| outbox.push(at(0), Lane::Event, 1));
        assert!(!outbox.has_room(1, 0, &limits) && outbox.can_answer(&limits));
    }

    #[test]
    fn a_byte_taken_moves_the_deadline_and_nothing_waiting_has_none() {
        let mut outbox = Outbox::new(at(0));
        assert_eq!(outbox.deadline(), None);
        outbox.push(at(10_000), Lane::Answer, 100);
        outbox.push(at(20_000), Lane::Event, 50);
        assert_eq!(outbox.deadline(), Some(at(40_000)));
        outbox.on_taken(at(25_000), Lane::Answer, 0, 0);
        assert_eq!((outbox.deadline(), outbox.bytes()), (Some(at(55_000)), 150));
        outbox.on_taken(at(26_000), Lane::Answer, 1, 100);
        outbox.on_taken(at(26_000), Lane::Event, 1, 50);
        assert_eq!(outbox.deadline(), None);
    }
}
