//! Which control requests were answered, and how (ruling RMP 10).

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

use crate::ids::TraceId;

/// What a control request is, beside its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ControlVariant {
    /// `RunSubmit`.
    Submit,
    /// `RunCancel`.
    Cancel,
}

impl ControlVariant {
    /// The variant's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Submit => "RunSubmit",
            Self::Cancel => "RunCancel",
        }
    }

    /// The variant of this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Submit, Self::Cancel].into_iter().find(|variant| variant.name() == name)
    }
}

/// Two requests are one when their headers' traces and what they ask are the same.
pub(super) type Key = (TraceId, ControlVariant);

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordedAnswer {
    /// Its answer is on its way, and is for those that ask again too.
    Pending,
    /// It was answered so.
    Sent(Bytes),
}

impl RecordedAnswer {
    fn bytes(&self) -> u64 {
        match self {
            Self::Pending => 0,
            Self::Sent(body) => body.len() as u64,
        }
    }
}

/// The requests that are remembered, within bounds on their number and on the bytes of their answers; the
/// oldest go first.
#[derive(Debug, Default)]
pub(super) struct IdempotencyCache {
    answers: HashMap<Key, RecordedAnswer>,
    order: VecDeque<Key>,
    bytes: u64,
    /// Whether one may have been answered that is not among them.
    pub(super) has_forgotten: bool,
}

impl IdempotencyCache {
    pub(super) fn of(&self, key: Key) -> Option<&RecordedAnswer> {
        self.answers.get(&key)
    }

    pub(super) fn set(&mut self, key: Key, answered: RecordedAnswer, answers_max: u64, bytes_max: u64) {
        self.bytes += answered.bytes();
        match self.answers.insert(key, answered) {
            Some(before) => self.bytes -= before.bytes(),
            None => self.order.push_back(key),
        }
        while self.order.len() as u64 > answers_max || self.bytes > bytes_max {
            let Some(oldest) = self.order.pop_front() else { break };
            self.has_forgotten = true;
            self.bytes -= self.answers.remove(&oldest).map_or(0, |answered| answered.bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_bounded_in_number_and_in_bytes_and_the_oldest_go_first() {
        let key = |n: u128| (TraceId(uuid::Uuid::from_u128(n)), ControlVariant::Submit);
        let with = |bytes: usize| RecordedAnswer::Sent(vec![0; bytes].into());
        let mut remembered = IdempotencyCache::default();
        remembered.set(key(1), RecordedAnswer::Pending, 10, 100);
        remembered.set(key(1), with(40), 10, 100);
        remembered.set(key(2), with(60), 10, 100);
        assert!(remembered.of(key(1)).is_some());
        remembered.set(key(3), with(1), 10, 100);
        assert_eq!([1, 2, 3].map(|n| remembered.of(key(n)).is_some()), [false, true, true]);
        remembered.set(key(4), with(39), 10, 100);
        remembered.set(key(5), RecordedAnswer::Pending, 2, 100);
        assert_eq!([2, 3, 4, 5].map(|n| remembered.of(key(n)).is_some()), [false, false, true, true]);
    }
}
