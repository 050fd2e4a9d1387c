//! Drops grouped by reason, topic and culprit, as the console's pane and `ls drops` list them.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use super::{DropReason, DropView, Snapshot};
use crate::{
    ids::{ConnectionId, TopicName},
    time::Now,
};

/// Whose doing a drop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Culprit {
    /// Who did not read fast enough: a subscription of a session.
    Subscriber(ConnectionId, u64),
    /// Who sent it too late, or again.
    Publisher(ConnectionId),
    /// The station itself published it.
    Station,
}

impl Culprit {
    /// What it is in this.
    pub(crate) const fn role(self) -> &'static str {
        match self {
            Self::Subscriber(..) => "subscriber",
            Self::Publisher(_) => "publisher",
            Self::Station => "station",
        }
    }

    /// Its session; none of the station.
    pub(crate) const fn session(self) -> Option<ConnectionId> {
        match self {
            Self::Subscriber(session, _) | Self::Publisher(session) => Some(session),
            Self::Station => None,
        }
    }

    /// Whose doing this drop is: of a message sent again or too late its publisher's, otherwise the
    /// subscription's that had no room.
    pub(crate) fn of(drop: &DropView) -> Self {
        Self::attribute(drop.reason, drop.to, drop.from)
    }

    fn attribute(reason: DropReason, to: Option<(ConnectionId, u64)>, from: Option<ConnectionId>) -> Self {
        match (reason, to, from) {
            (DropReason::BackpressureTimeout | DropReason::TtlExpired, Some((session, sub)), _) => {
                Self::Subscriber(session, sub)
            }
            (_, _, Some(session)) => Self::Publisher(session),
            (_, _, None) => Self::Station,
        }
    }
}

/// What drops are told together by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DropKey {
    pub(crate) reason: DropReason,
    pub(crate) topic: TopicName,
    pub(crate) culprit: Culprit,
}

impl DropKey {
    /// That of a drop.
    pub(crate) fn of(drop: &DropView) -> Self {
        Self { reason: drop.reason, topic: drop.topic.clone(), culprit: Culprit::of(drop) }
    }

    /// Whether a notice with these belongs to it.
    pub(crate) fn is_of(
        &self,
        reason: DropReason,
        topic: &TopicName,
        to: Option<(ConnectionId, u64)>,
        from: Option<ConnectionId>,
    ) -> bool {
        self.reason == reason && self.topic == *topic && self.culprit == Culprit::attribute(reason, to, from)
    }
}

/// Drops of one reason, topic and culprit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DropGroup {
    pub(crate) key: DropKey,
    /// Messages.
    pub(crate) count: u64,
    /// Notices that told of them.
    pub(crate) notices: u64,
    pub(crate) first_at: Now,
    /// The last of them.
    pub(crate) last: DropView,
    /// Another subscription of the same session lost messages of the topic for the same reason.
    pub(crate) is_one_of_several: bool,
}

impl DropGroup {
    /// What the culprit calls itself; its subscription too, where it is one of several.
    pub(crate) fn culprit_label(&self) -> String {
        let named = |name: &Option<Arc<str>>, session: ConnectionId| match name {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => format!("session {session}"),
        };
        match self.key.culprit {
            Culprit::Subscriber(session, sub) if self.is_one_of_several => {
                format!("{}, sub {sub}", named(&self.last.to_client, session))
            }
            Culprit::Subscriber(session, _) => named(&self.last.to_client, session),
            Culprit::Publisher(session) => named(&self.last.from_client, session),
            Culprit::Station => "the station".to_owned(),
        }
    }
}

/// The drops whose notices are kept, told together, the latest first.
pub(crate) fn drop_groups(rmp: &Snapshot) -> Vec<DropGroup> {
    let mut groups: BTreeMap<DropKey, (usize, DropGroup)> = BTreeMap::new();
    for (place, drop) in rmp.drops.iter().enumerate() {
        let key = DropKey::of(drop);
        let fresh = || {
            let (first_at, last) = (drop.first_at, drop.clone());
            (
                place,
                DropGroup {
                    key: key.clone(),
                    count: 0,
                    notices: 0,
                    first_at,
                    last,
                    is_one_of_several: false,
                },
            )
        };
        let (at, group) = groups.entry(key.clone()).or_insert_with(fresh);
        group.count = group.count.saturating_add(drop.count);
        group.notices = group.notices.saturating_add(drop.notices);
        if drop.first_at.mono < group.first_at.mono {
            group.first_at = drop.first_at;
        }
        (*at, group.last) = (place, drop.clone());
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    // By their keys, the subscriptions of one session stand beside each other.
    let are_alike = |one: &DropKey, other: &DropKey| {
        let subscriber = |key: &DropKey| {
            if let Culprit::Subscriber(session, _) = key.culprit { Some(session) } else { None }
        };
        (one.reason, &one.topic) == (other.reason, &other.topic)
            && subscriber(one).is_some_and(|it| subscriber(other) == Some(it))
    };
    for at in 1..groups.len() {
        if are_alike(&groups[at - 1].1.key, &groups[at].1.key) {
            groups[at - 1].1.is_one_of_several = true;
            groups[at].1.is_one_of_several = true;
        }
    }
    groups.sort_by_key(|(place, _)| Reverse(*place));
    groups.into_iter().map(|(_, group)| group).collect()
}
