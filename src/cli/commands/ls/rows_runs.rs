//! The rows of runs as lines of a table.

use super::rows::TableRow;
use crate::{
    cli::table::{Align, LocalClock},
    port::{ArtifactRow, ConfirmationRow, RunEventRow, RunRow},
    tap::entry::station::Level,
};

const L: Align = Align::Left;
const R: Align = Align::Right;

impl TableRow for RunRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("run", L),
        ("opening", L),
        ("state", L),
        ("submitted", Align::Time),
        ("took", R),
        ("nodes", R),
        ("events", R),
        ("artifacts", R),
        ("tokens", R),
        ("by", L),
        ("why", L),
    ];
    const SPARE: &'static [&'static str] = &["events", "artifacts", "tokens", "by", "submitted"];
    const ENDED: Option<&'static str> = Some("state=succeeded or state=failed or state=cancelled");

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let took =
            self.ended_at_ms.map(|end| format!("{:.1} s", end.since(self.submitted_at_ms).as_secs_f64()));
        vec![
            self.run.to_string(),
            self.name.clone(),
            self.status().to_owned(),
            clock.show(self.submitted_at_ms),
            took.unwrap_or_else(|| "-".to_owned()),
            format!("{}/{}", self.done, self.nodes),
            self.events.to_string(),
            self.artifacts.to_string(),
            self.tokens.to_string(),
            self.client.clone(),
            self.why.clone().unwrap_or_default(),
        ]
    }
}

impl TableRow for ConfirmationRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("action", L),
        ("run", L),
        ("asked", Align::Time),
        ("expires", Align::Time),
        ("question", L),
        ("inputs", L),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let run = self.run.short();
        let takes = self.takes.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        vec![
            self.action.to_string(),
            run,
            clock.show(self.asked_at_ms),
            clock.show(self.expires_at_ms),
            self.summary.clone(),
            takes,
        ]
    }
}

impl TableRow for RunEventRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("#", R), ("at", Align::Time), ("level", L), ("kind", L), ("message", L)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.number.to_string(),
            clock.show(self.at_ms),
            self.level.map_or("-", Level::name).to_owned(),
            self.kind.name().to_owned(),
            self.message.clone(),
        ]
    }
}

impl TableRow for ArtifactRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("#", R), ("at", Align::Time), ("node", L), ("port", L), ("type", L), ("bytes", R), ("value", L)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.number.to_string(),
            clock.show(self.at_ms),
            self.node.clone(),
            self.port.clone(),
            self.kind.clone(),
            self.bytes.to_string(),
            self.value.as_str().to_owned(),
        ]
    }
}
