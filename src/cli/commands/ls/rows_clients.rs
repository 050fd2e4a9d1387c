//! The rows of clients as lines of a table.

use super::rows::TableRow;
use crate::{
    cli::table::{Align, LocalClock},
    port::ClientRow,
};

const L: Align = Align::Left;
const R: Align = Align::Right;

impl TableRow for ClientRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("link", L),
        ("peer", L),
        ("client", L),
        ("since", Align::Time),
        ("silent", R),
        ("sessions", R),
        ("subs", R),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.link.name().to_owned(),
            self.peer.to_string(),
            self.client.as_deref().unwrap_or("-").to_owned(),
            self.connected_at_ms.map_or_else(|| "gone".to_owned(), |at| clock.show(at)),
            self.silent_ms.map_or_else(|| "-".to_owned(), |ms| format!("{} s", ms / 1_000)),
            self.sessions.to_string(),
            self.subscriptions.to_string(),
        ]
    }
}
