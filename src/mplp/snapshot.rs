//! The state of lifecycle records as a reader of the tap starts from it, with a bounded window.

use std::{collections::VecDeque, sync::Arc};

use super::lifecycle::WITHHELD_TOO_LARGE;
use crate::{
    limits,
    tap::entry::{
        Entry, Transition as Any, What,
        mplp::{RecordRef, Transition},
    },
    time::Now,
};

/// How many of what was withheld are shown; the oldest go.
pub const RECENT_MAX: usize = 32;

/// What holds of lifecycle records at one moment. Counts are since the station started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Objects and events that were not clean and were not published.
    pub withheld: u64,
    /// Ratings of runs.
    pub rated: u64,
    /// Records that were exported.
    pub exported: u64,
    /// What was withheld last, the latest at the end; at most [`RECENT_MAX`].
    pub recent: VecDeque<WithheldView>,
}

/// An object or event that was withheld, with its first finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldView {
    /// When.
    pub at: Now,
    /// Of which record.
    pub record: RecordRef,
    /// By the name of its schema.
    pub schema: Arc<str>,
    /// The rule or keyword.
    pub rule: Arc<str>,
    /// The path.
    pub path: Arc<str>,
    /// What is required there.
    pub requires: Arc<str>,
    /// How many findings it has.
    pub findings: u32,
}

impl WithheldView {
    /// Whether it is too large for the bus, and otherwise as it should be.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        &*self.rule == WITHHELD_TOO_LARGE
    }
}

impl Snapshot {
    /// Takes in one entry that follows this snapshot; entries of other links change nothing. `text` is what
    /// lies beside a transition. No bound is needed: what is kept of them is few by itself.
    pub fn apply(&mut self, entry: &Entry, text: &str, _: &limits::Mplp) {
        if let What::Transition(Any::Mplp(transition)) = &entry.what {
            self.follow(transition, entry.at, text);
        }
    }

    /// Takes in one transition that follows this snapshot.
    pub fn follow(&mut self, transition: &Transition, at: Now, text: &str) {
        match transition {
            Transition::Withheld { record, schema, rule, path, findings } => {
                self.withheld += 1;
                if self.recent.len() >= RECENT_MAX {
                    // What is too large for the bus is no fault: it hides none.
                    let large = self.recent.iter().position(WithheldView::is_too_large);
                    self.recent.remove(large.unwrap_or_default());
                }
                self.recent.push_back(WithheldView {
                    at,
                    record: record.clone(),
                    schema: Arc::clone(schema),
                    rule: Arc::clone(rule),
                    path: Arc::clone(path),
                    requires: text.into(),
                    findings: *findings,
                });
            }
            Transition::Rated { .. } => self.rated += 1,
            Transition::Exported { .. } => self.exported += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::TraceId, mplp::RatingVerdict};

    fn withheld(place: u32) -> Transition {
        Transition::Withheld {
            record: RecordRef::session("s"),
            schema: "plan".into(),
            rule: "required".into(),
            path: "$.plan.title".into(),
            findings: place,
        }
    }

    #[test]
    fn what_was_withheld_last_is_kept_and_all_is_counted() {
        let mut snapshot = Snapshot::default();
        for place in 0..40 {
            snapshot.follow(&withheld(place), Now::at_ms(u64::from(place)), "it is required");
        }
        let run = TraceId(uuid::Uuid::from_u128(7));
        let rated = Transition::Rated { run, verdict: RatingVerdict::Approved, by: "operator".into() };
        snapshot.follow(&rated, Now::at_ms(50), "");
        let exported = Transition::Exported { record: RecordRef::run(run), items: 12, findings: 0 };
        snapshot.follow(&exported, Now::at_ms(51), "");
        assert_eq!((snapshot.withheld, snapshot.rated, snapshot.exported), (40, 1, 1));
        let places: Vec<u32> = snapshot.recent.iter().map(|view| view.findings).collect();
        assert_eq!(places, (8..40).collect::<Vec<_>>());
        assert_eq!(&*snapshot.recent[0].requires, "it is required");
        assert_eq!(rated.run(), Some(run));
        assert_eq!(exported.run(), Some(run));
        assert_eq!(withheld(1).run(), None);
    }
}
