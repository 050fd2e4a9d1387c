//! The rows of plugins as lines of a table.

use std::time::Duration;

use super::rows::TableRow;
use crate::{
    cli::table::{Align, LocalClock},
    port::{PluginAuditRow, PluginLogRow, PluginRow},
    words::format,
};

const L: Align = Align::Left;
const R: Align = Align::Right;

impl TableRow for PluginRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("plugin", L),
        ("version", L),
        ("state", L),
        ("restarts", R),
        ("next", Align::Time),
        ("ping", R),
        ("memory", R),
        ("cpu", R),
        ("granted", R),
        ("reason", L),
    ];
    const SPARE: &'static [&'static str] = &["granted", "cpu", "memory", "next"];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let nothing = || "-".to_owned();
        let asking = self.asking.as_ref().map(|kind| format!("asks for {kind}"));
        vec![
            self.plugin.to_string(),
            self.version.clone(),
            self.state.clone(),
            format!("{}/3", self.restarts),
            self.restarts_at_ms.map_or_else(nothing, |at| clock.show(at)),
            self.ping_us.map_or_else(nothing, |us| format::fine(Duration::from_micros(us))),
            if self.memory_bytes == 0 { nothing() } else { format::bytes(self.memory_bytes) },
            format!("{}.{}%", self.cpu_permille / 10, self.cpu_permille % 10),
            format!("{}/{}", self.granted.len(), self.asks.len()),
            asking.or_else(|| self.reason.clone()).unwrap_or_else(nothing),
        ]
    }
}

impl TableRow for PluginLogRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("#", R), ("at", Align::Time), ("level", L), ("source", L), ("text", L)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.number.to_string(),
            clock.show(self.at_ms),
            self.level.name().to_owned(),
            self.source.name().to_owned(),
            self.text.clone(),
        ]
    }
}

impl TableRow for PluginAuditRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("#", R), ("at", Align::Time), ("what", L), ("by", L), ("text", L)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.number.to_string(),
            clock.show(self.at_ms),
            self.what.clone(),
            self.by.clone().unwrap_or_default(),
            self.text.clone(),
        ]
    }
}
