//! Something that is amiss with a system.

use super::HealthStatus;
use crate::{
    port::alerts::AlertList,
    tap::entry::{Link, alerts::Alert},
};

/// Something that is amiss, of the kinds `C` that its system knows. Those of a system come in the order of
/// their weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem<C> {
    /// How the system is for it, at best.
    pub(crate) status: HealthStatus,
    /// The reason in two or three words, for a chip.
    pub(crate) word: String,
    /// The reason in a sentence.
    pub(crate) reason: String,
    /// What it is, for what to do about it.
    pub(crate) cause: C,
}

impl<C> Problem<C> {
    pub(super) fn down(cause: C, word: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { status: HealthStatus::Down, word: word.into(), reason: reason.into(), cause }
    }

    pub(super) fn degraded(cause: C, word: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { status: HealthStatus::Degraded, ..Self::down(cause, word, reason) }
    }

    /// The one that a chip names: the first of the gravest.
    pub(crate) fn gravest(problems: &[Self]) -> Option<&Self> {
        problems.iter().rev().max_by_key(|problem| problem.status)
    }
}

/// Why a port or a host does not answer, in two words.
pub(super) fn down_word(why: &str, otherwise: &'static str) -> &'static str {
    if why.contains("taken") || why.contains("in use") { "port taken" } else { otherwise }
}

/// Alerts that tell of something that no judgement finds in the state.
const UNJUDGED: &[&str] =
    &["turned_away", "head_waiting", "damaged_rows", "recording_failed", "station_error", "events_dropped"];

/// What alerts alone know to be amiss with a system.
pub(crate) fn unjudged(alerts: &AlertList, link: Link) -> impl Iterator<Item = &Alert> {
    alerts.unresolved().filter(move |alert| alert.link == link && UNJUDGED.contains(&&*alert.name))
}

/// An alert in two words, for a chip.
pub(crate) fn word(alert: &Alert) -> String {
    alert.name.replace('_', " ")
}
