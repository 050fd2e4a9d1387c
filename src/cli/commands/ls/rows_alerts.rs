//! The rows of alerts as lines of a table.

use super::rows::TableRow;
use crate::{
    cli::table::{Align, LocalClock},
    port::AlertRow,
};

const L: Align = Align::Left;
const R: Align = Align::Right;

impl TableRow for AlertRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("id", R),
        ("state", L),
        ("alert", L),
        ("system", L),
        ("since", Align::Time),
        ("until", Align::Time),
        ("text", L),
    ];

    const ENDED: Option<&'static str> = Some("state=resolved");

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.id.to_string(),
            self.state.name().to_owned(),
            self.alert.clone(),
            self.system.name().to_owned(),
            clock.show(self.since_ms),
            self.resolved_at_ms.map_or_else(|| "-".to_owned(), |at| clock.show(at)),
            self.text.clone(),
        ]
    }
}
