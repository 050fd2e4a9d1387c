//! What an operator must not miss, as the station tells it.

use std::{sync::Arc, time::Duration};

use super::{Link, names::names, texts::Texts};
use crate::time::Now;

names! {
    /// How an alert comes and goes.
    AlertManner {
        /// Its cause holds until it holds no more.
        Lasting = "lasting",
        /// It happened, and is over once it was acknowledged.
        Once = "once",
        /// A person is asked: it is over with the answer, and is not acknowledged.
        Question = "question",
    }

    /// What became of an alert.
    AlertChange {
        /// It waits to be seen: a new one, or one that was acknowledged and is of something further now.
        Raised = "raised",
        /// Its text or its beginning is another; it stays as it is.
        Updated = "updated",
        /// An operator has seen it; its cause holds on.
        Acknowledged = "acknowledged",
        /// Its cause is gone.
        Resolved = "resolved",
    }

    /// Where an alert is between its beginning and its end.
    AlertState {
        /// It waits to be seen.
        Active = "active",
        /// It was seen, and its cause holds on.
        Acknowledged = "acknowledged",
        /// Its cause is gone.
        Resolved = "resolved",
    }
}

/// An alert: a cause that an operator must not miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// Its number, from 1; no later one has it, of a later start of the station neither.
    pub id: u64,
    /// The kind of its cause, as scripts know it.
    pub name: Arc<str>,
    /// The system whose it is.
    pub link: Link,
    /// Whom it concerns: a queue, a peer, a part of the station.
    pub subject: Arc<str>,
    /// How it comes and goes.
    pub manner: AlertManner,
    /// Since when its cause holds: before the rule was met. One of an earlier start of the station has the
    /// wall clock's time alone.
    pub since: Now,
    /// What is the matter, in a sentence; of one that is resolved, how it ended where that is known.
    pub text: Arc<str>,
    /// Which of several records it speaks of; it grows with each further one.
    pub last: Option<u64>,
    /// Whether it is what an operator did, so that no bell rings for it.
    pub is_quiet: bool,
    /// When it was raised, the last time.
    pub raised_at: Now,
    /// When it was acknowledged, if it was.
    pub acknowledged_at: Option<Now>,
    /// When its cause was gone, if it is.
    pub resolved_at: Option<Now>,
}

impl Alert {
    /// Where it is.
    #[must_use]
    pub const fn state(&self) -> AlertState {
        match (self.resolved_at, self.acknowledged_at) {
            (Some(_), _) => AlertState::Resolved,
            (None, Some(_)) => AlertState::Acknowledged,
            (None, None) => AlertState::Active,
        }
    }

    /// Whether its cause holds.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.resolved_at.is_none()
    }

    /// Whether a person is asked.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.manner == AlertManner::Question
    }

    /// Whether it waits to be seen; a question waits for its answer.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.state() == AlertState::Active && !self.is_question()
    }

    /// How long its cause has held, or did.
    #[must_use]
    pub fn duration(&self, now: Now) -> Duration {
        let until = self.resolved_at.unwrap_or(now);
        if self.since.mono.0 == 0 || until.mono.0 == 0 {
            until.wall.since(self.since.wall)
        } else {
            until.mono.since(self.since.mono)
        }
    }
}

impl Texts for Arc<Alert> {
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
        [&self.name, &self.subject, &self.text].into_iter().any(|text| is(text))
    }

    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
        let texts = [&self.name, &self.subject, &self.text];
        let masked = texts.map(|text| mask(text).map(Into::into));
        if masked.iter().any(Option::is_some) {
            let alert = Self::make_mut(self);
            for (text, masked) in
                [&mut alert.name, &mut alert.subject, &mut alert.text].into_iter().zip(masked)
            {
                if let Some(masked) = masked {
                    *text = masked;
                }
            }
        }
    }
}
