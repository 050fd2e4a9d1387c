//! Findings as lines of a table.

use super::rows::{CountedOf, TableRow};
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

    /// How far back they are counted.
    fn note(rows: &[Self], clock: &LocalClock, of: CountedOf) -> Option<String> {
        let bounds = of.bounds();
        Some(match rows.first() {
            Some(row) => format!("findings since {}, {bounds}", clock.show(row.since_ms)),
            None => format!("no findings, {bounds}"),
        })
    }
}
