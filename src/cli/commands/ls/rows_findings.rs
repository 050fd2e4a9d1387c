//! Findings as lines of a table.

use super::rows::TableRow;
use crate::{
    cli::table::{Align, LocalClock},
    port::FindingRow,
};

const L: Align = Align::Left;

impl TableRow for FindingRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("rule", L),
        ("schema", L),
        ("path", L),
        ("count", Align::Right),
        ("last", Align::Time),
        ("who", L),
        ("requires", L),
    ];

    const SPARE: &'static [&'static str] = &["requires", "schema"];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.rule.clone(),
            self.schema.clone(),
            self.path.clone(),
            self.count.to_string(),
            clock.show(self.last_at_ms),
            self.who.clone(),
            self.requires.clone(),
        ]
    }

    /// How far back they are counted: the tap keeps so much and no more.
    fn note(rows: &[Self], clock: &LocalClock) -> Option<String> {
        let bounds = "within the tap's ring (limits.tap.ring_entries_max, limits.tap.ring_bytes_max)";
        Some(match rows.first() {
            Some(row) => format!("findings since {}, {bounds}", clock.show(row.since_ms)),
            None => format!("no findings, {bounds}"),
        })
    }
}
