//! The rows of the bus as lines of a table.

use super::rows::{CountedOf, TableRow};
use crate::{
    cli::table::{Align, LocalClock},
    ids::ConnectionId,
    port::{DropRow, Dropped, PeerRow, SubscriptionRow, TopicRow},
    rmp::{Dialect, Kind},
};

const L: Align = Align::Left;
const R: Align = Align::Right;

fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

/// Each reason apart, as an operator mends them apart.
fn dropped(dropped: &Dropped) -> [String; 3] {
    [dropped.ttl_expired.to_string(), dropped.duplicate.to_string(), dropped.backpressure_timeout.to_string()]
}

impl TableRow for TopicRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("topic", L),
        ("schema", R),
        ("published", R),
        ("bytes", R),
        ("subs", R),
        ("delivered", R),
        ("expired", R),
        ("duplicate", R),
        ("overflow", R),
        ("last", Align::Time),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let [expired, duplicate, no_room] = dropped(&self.dropped);
        vec![
            self.topic.to_string(),
            self.schema_id.map_or_else(|| "-".to_owned(), |id| id.to_string()),
            self.published.to_string(),
            self.bytes.to_string(),
            self.subscribers.to_string(),
            self.delivered.to_string(),
            expired,
            duplicate,
            no_room,
            clock.show(self.last_at_ms),
        ]
    }

    /// That there are topics which are not listed.
    fn note(rows: &[Self], _clock: &LocalClock, _of: CountedOf) -> Option<String> {
        let left_out = rows.first().map_or(0, |row| row.left_out);
        let all = left_out.saturating_add(rows.len() as u64);
        (left_out > 0).then(|| {
            format!(
                "showing {} of {all} topics; older ones were evicted (limits.rmp.shown_topics_max)",
                rows.len()
            )
        })
    }
}

impl TableRow for PeerRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("session", R),
        ("client", L),
        ("kind", L),
        ("protocol", L),
        ("process", L),
        ("since", Align::Time),
        ("subs", R),
        ("published", R),
        ("delivered", R),
        ("queued", R),
        ("dropped", R),
        ("refused", R),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.session.to_string(),
            or_dash(self.client.as_deref()),
            or_dash(self.kind.map(Kind::name)),
            or_dash(self.dialect.map(Dialect::name)),
            self.peer.to_string(),
            clock.show(self.connected_at_ms),
            self.subscriptions.to_string(),
            self.published.to_string(),
            self.delivered.to_string(),
            self.queued_messages.to_string(),
            self.dropped.total().to_string(),
            self.refused.to_string(),
        ]
    }

    fn session(&self) -> Option<ConnectionId> {
        Some(self.session)
    }
}

impl TableRow for SubscriptionRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("session", R),
        ("client", L),
        ("sub", R),
        ("pattern", L),
        ("since", Align::Time),
        ("delivered", R),
        ("queued", R),
        ("bytes", R),
        ("expired", R),
        ("duplicate", R),
        ("overflow", R),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let [expired, duplicate, no_room] = dropped(&self.dropped);
        vec![
            self.session.to_string(),
            or_dash(self.client.as_deref()),
            self.sub.to_string(),
            self.topic.to_string(),
            clock.show(self.since_ms),
            self.delivered.to_string(),
            self.queued_messages.to_string(),
            self.queued_bytes.to_string(),
            expired,
            duplicate,
            no_room,
        ]
    }

    fn session(&self) -> Option<ConnectionId> {
        Some(self.session)
    }
}

impl TableRow for DropRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("at", Align::Time), ("reason", L), ("topic", L), ("culprit", L), ("count", R)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            clock.show(self.at_ms),
            self.reason.clone(),
            self.topic.to_string(),
            self.culprit.clone(),
            self.count.to_string(),
        ]
    }

    /// How far back they go: the station keeps so many notices and no more.
    fn note(rows: &[Self], clock: &LocalClock, _of: CountedOf) -> Option<String> {
        let first = rows.iter().map(|row| row.first_at_ms).min()?;
        Some(format!(
            "drops since {}; older notices were evicted (limits.rmp.shown_drops_max)",
            clock.show(first)
        ))
    }
}
