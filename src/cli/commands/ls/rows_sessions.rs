//! The rows of sessions as lines of a table.

use super::rows::TableRow;
use crate::{
    cli::table::{Align, LocalClock},
    macp::Phase,
    port::{SessionLogRow, SessionRow},
};

const L: Align = Align::Left;
const R: Align = Align::Right;

impl TableRow for SessionRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("session", L),
        ("mode", L),
        ("state", L),
        ("phase or round", L),
        ("messages", R),
        ("participants", R),
        ("by", L),
        ("started", Align::Time),
        ("ended", Align::Time),
        ("intent or outcome", L),
    ];
    const SPARE: &'static [&'static str] = &["started", "participants", "by", "mode"];
    const ENDED: Option<&'static str> = Some("not state=open");

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let nothing = || "-".to_owned();
        let round = || self.round.map(|round| format!("round {round}"));
        let why = self.why.as_deref().filter(|why| !why.is_empty());
        vec![
            self.session.clone(),
            self.mode.short().to_owned(),
            self.status().to_owned(),
            self.phase.map(Phase::name).map(str::to_owned).or_else(round).unwrap_or_else(nothing),
            self.messages.to_string(),
            if self.participants == 0 { "anyone".to_owned() } else { self.participants.to_string() },
            self.by.clone(),
            clock.show(self.started_at_ms),
            self.ended_at_ms.map_or_else(nothing, |end| clock.show(end)),
            why.unwrap_or(&self.intent).to_owned(),
        ]
    }
}

impl TableRow for SessionLogRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("#", R),
        ("at", Align::Time),
        ("kind", L),
        ("type", L),
        ("sender", L),
        ("message", L),
        ("payload", L),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let or_none =
            |text: &Option<String>| text.as_deref().filter(|text| !text.is_empty()).unwrap_or("-").to_owned();
        vec![
            self.number.to_string(),
            clock.show(self.at_ms),
            self.kind.name().to_owned(),
            or_none(&self.message_type),
            or_none(&self.sender),
            or_none(&self.message_id),
            self.payload.as_str().to_owned(),
        ]
    }
}
