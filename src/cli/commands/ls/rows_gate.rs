//! The rows of the gate as lines of a table.

use super::rows::TableRow;
use crate::{
    cli::table::{Align, LocalClock},
    port::{GateRuleRow, InterceptedRow, Way},
    words::format,
};

const L: Align = Align::Left;
const R: Align = Align::Right;

impl TableRow for GateRuleRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("rule", R),
        ("way", L),
        ("then", L),
        ("timeout", L),
        ("taken", R),
        ("full", R),
        ("until", Align::Time),
        ("by", L),
        ("filter", L),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.rule.to_string(),
            self.way.map_or("both", Way::name).to_owned(),
            format!("{}{}", self.then.words(), if self.rewrites { ", edits" } else { "" }),
            self.on_timeout.name().to_owned(),
            self.taken.to_string(),
            self.passed_full.to_string(),
            clock.show(self.until_ms),
            self.by.clone(),
            self.filter.clone(),
        ]
    }
}

impl TableRow for InterceptedRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("frame", R),
        ("rule", R),
        ("link", L),
        ("way", L),
        ("peer", L),
        ("kind", L),
        ("bytes", R),
        ("verdict", L),
        ("clause", L),
        ("until", Align::Time),
        ("ttl", R),
        ("what", L),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.frame.to_string(),
            self.rule.to_string(),
            self.link.name().to_owned(),
            self.way.name().to_owned(),
            self.peer.to_string(),
            self.kind.clone(),
            format::bytes(self.bytes),
            self.verdict.clone(),
            self.clause.as_deref().unwrap_or("-").to_owned(),
            clock.show(self.until_ms),
            self.ttl_in_ms.map_or_else(|| "-".to_owned(), format::ttl),
            self.line.clone(),
        ]
    }
}
