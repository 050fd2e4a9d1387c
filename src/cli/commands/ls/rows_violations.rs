//! Violations as lines of a table.

use super::rows::{CountedOf, TableRow};
use crate::{
    cli::table::{Align, LocalClock},
    port::ViolationRow,
};

const L: Align = Align::Left;

impl TableRow for ViolationRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("clause", L), ("count", Align::Right), ("last", Align::Time), ("violation", L), ("who", L)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.clause.clone(),
            self.count.to_string(),
            clock.show(self.last_at_ms),
            self.violation.clone(),
            self.who.clone(),
        ]
    }

    /// How far back they are counted.
    fn note(rows: &[Self], clock: &LocalClock, of: CountedOf) -> Option<String> {
        let bounds = of.bounds();
        Some(match rows.first() {
            Some(row) => format!("violations since {}, {bounds}", clock.show(row.since_ms)),
            None => format!("no violations, {bounds}"),
        })
    }
}
