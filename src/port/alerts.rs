//! The alerts of a station: the list that snapshots carry, and the rows that the store keeps.

use std::{cmp::Reverse, collections::VecDeque, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    tap::entry::{
        Link,
        alerts::{Alert, AlertState},
    },
    time::{Now, Wall},
};

/// The alerts there are: those that hold, and the last that are resolved, at most
/// `limits.console.alerts_max` together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertList {
    /// In the order in which they came.
    pub(super) all: VecDeque<Arc<Alert>>,
    /// Resolved ones that were left out.
    pub(super) cut: u64,
    /// How many there may be. None of a station, or a recording, of a version that told of no alerts.
    pub(super) max: u64,
}

impl AlertList {
    /// That of a station of which nothing is known.
    pub const NONE: Self = Self { all: VecDeque::new(), cut: 0, max: 0 };

    /// None yet, and so many at most.
    #[must_use]
    pub fn new(max: u64) -> Self {
        Self { max, ..Self::default() }
    }

    /// Whether the station tells of alerts: earlier versions leave that to the consoles.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.max > 0
    }

    /// Takes an alert as it is now.
    pub fn apply(&mut self, alert: &Arc<Alert>) {
        if let Some(known) = self.all.iter_mut().find(|known| known.id == alert.id) {
            *known = Arc::clone(alert);
            return;
        }
        if !self.has_room()
            && let Some(oldest) = self.all.iter().position(|known| !known.holds())
        {
            self.all.remove(oldest);
            self.cut = self.cut.saturating_add(1);
        }
        self.all.push_back(Arc::clone(alert));
    }

    fn has_room(&self) -> bool {
        (self.all.len() as u64) < self.max
    }

    /// Whether one more can be listed, a resolved one being left out for it where that must be.
    #[must_use]
    pub fn takes_one(&self) -> bool {
        self.has_room() || self.all.iter().any(|alert| !alert.holds())
    }

    /// All, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Alert>> {
        self.all.iter()
    }

    /// The one of this id.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<&Arc<Alert>> {
        self.all.iter().find(|alert| alert.id == id)
    }

    /// Those that wait to be seen, the latest first; those that were seen; those that are resolved, the last
    /// first.
    #[must_use]
    pub fn listed(&self) -> Vec<&Alert> {
        let mut all: Vec<&Alert> = self.all.iter().map(AsRef::as_ref).collect();
        all.sort_by_key(|alert| {
            let at = alert.resolved_at.map_or(alert.id, |at| at.wall.0);
            (alert.state(), Reverse(at), Reverse(alert.id))
        });
        all
    }

    /// Those whose cause holds, acknowledged or not.
    pub fn unresolved(&self) -> impl Iterator<Item = &Alert> {
        self.all.iter().map(AsRef::as_ref).filter(|alert| alert.holds())
    }

    /// How many wait to be seen. Questions are counted by themselves.
    #[must_use]
    pub fn active_count(&self) -> usize {
        self.all.iter().filter(|alert| alert.is_waiting()).count()
    }

    /// Resolved ones that were left out.
    #[must_use]
    pub const fn cut(&self) -> u64 {
        self.cut
    }
}

/// `ls alerts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertRow {
    /// Its number.
    pub id: u64,
    /// Where it is.
    pub state: AlertState,
    /// The kind of its cause.
    pub alert: String,
    /// The system whose it is.
    pub system: Link,
    /// Whom it concerns.
    pub subject: String,
    /// What is the matter.
    pub text: String,
    /// Since when its cause holds, in Unix milliseconds.
    pub since_ms: Wall,
    /// When it was raised, the last time, in Unix milliseconds.
    pub raised_at_ms: Wall,
    /// When it was acknowledged, in Unix milliseconds.
    pub acknowledged_at_ms: Option<Wall>,
    /// When its cause was gone, in Unix milliseconds.
    pub resolved_at_ms: Option<Wall>,
}

impl From<&Alert> for AlertRow {
    fn from(alert: &Alert) -> Self {
        let wall = |at: Option<Now>| at.map(|at| at.wall);
        Self {
            id: alert.id,
            state: alert.state(),
            alert: alert.name.to_string(),
            system: alert.link,
            subject: alert.subject.to_string(),
            text: alert.text.to_string(),
            since_ms: alert.since.wall,
            raised_at_ms: alert.raised_at.wall,
            acknowledged_at_ms: wall(alert.acknowledged_at),
            resolved_at_ms: wall(alert.resolved_at),
        }
    }
}
