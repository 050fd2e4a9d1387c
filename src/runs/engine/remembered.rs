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
pub(super) enum Answered {
    /// Its answer is on its way, and is for those that ask again too.
    Soon,
    /// It was answered so.
    With(Bytes),
}

/// The requests that are remembered, at most a bound of them; the oldest go first.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    answers: HashMap<Key, Answered>,
    order: VecDeque<Key>,
}

impl Remembered {
    pub(super) fn of(&self, key: Key) -> Option<&Answered> {
        self.answers.get(&key)
    }

    /// Forgets a request that got no answer for good.
    pub(super) fn forget(&mut self, key: Key) {
        if self.answers.remove(&key).is_some() {
            self.order.retain(|other| *other != key);
        }
    }

    pub(super) fn set(&mut self, key: Key, answered: Answered, answers_max: u64) {
        if self.answers.insert(key, answered).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() as u64 > answers_max {
            let Some(oldest) = self.order.pop_front() else { break };
            self.answers.remove(&oldest);
        }
    }
}
