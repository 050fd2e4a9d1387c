//! Each kind of row as a line of a table.

use crate::{
    cli::{
        error::Error,
        reach::Reach,
        table::{Align, LocalClock},
    },
    ids::{ConnectionId, TraceId},
    mpp::{ReadyAfter, WrittenBy, manifest::Writer},
    port::{AdapterRow, EventRow, HealthRow, HealthStatus, InvocationRow, QueueRow, RefundRow, StateKeyRow},
    store::invocations::Source,
};

const L: Align = Align::Left;
const R: Align = Align::Right;

/// A row that can be shown to people.
pub(in crate::cli::commands) trait TableRow {
    /// The table's columns.
    const COLUMNS: &'static [(&'static str, Align)];

    /// Columns that a narrow terminal goes without, the first one first.
    const SPARE: &'static [&'static str] = &[];

    /// The filter of those that have ended, which people see below those that are open; none where a list
    /// has no such two.
    const ENDED: Option<&'static str> = None;

    /// One cell a column.
    fn cells(&self, clock: &LocalClock) -> Vec<String>;

    /// The session of the bus that it is of.
    fn session(&self) -> Option<ConnectionId> {
        None
    }

    /// Has the commands that it names reach the same station.
    fn reach_station(&mut self) {}

    /// A note on a list beside its rows.
    fn note(_rows: &[Self], _clock: &LocalClock, _of: CountedOf) -> Option<String>
    where
        Self: Sized,
    {
        None
    }

    /// Why a list that was printed is no good news, for scripts that look at the exit code alone.
    fn fault(_rows: &[Self]) -> Option<Error>
    where
        Self: Sized,
    {
        None
    }
}

/// Of what something is counted that needs all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::commands) enum CountedOf {
    /// Of a station: its tap keeps so much and no more.
    Station,
    /// Of a recording.
    Recording,
}

impl CountedOf {
    /// How far back that is.
    pub(super) const fn bounds(self) -> &'static str {
        match self {
            Self::Station => "within the tap's ring (limits.tap.ring_entries_max, limits.tap.ring_bytes_max)",
            Self::Recording => "in the recording, until the moment that is asked about",
        }
    }
}

impl TableRow for QueueRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("queue", L),
        ("releases on", L),
        ("pending", R),
        ("stale", R),
        ("in flight", R),
        ("pull", L),
        ("brake", L),
    ];

    fn cells(&self, _clock: &LocalClock) -> Vec<String> {
        let ready_after = self.ready_after.map_or("not in the pack", |after| match after {
            ReadyAfter::Applied => "applied",
            ReadyAfter::Done => "done",
        });
        let brake = match (self.held, self.draining) {
            (true, true) => "held, draining",
            (true, false) => "held",
            (false, true) => "draining",
            (false, false) => "-",
        };
        vec![
            self.queue.to_string(),
            ready_after.to_owned(),
            self.pending.to_string(),
            self.other_manifest.to_string(),
            self.in_flight.map_or_else(|| "-".to_owned(), |id| id.to_string()),
            if self.parked { "parked" } else { "-" }.to_owned(),
            brake.to_owned(),
        ]
    }
}

impl TableRow for EventRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("event", L), ("queue", L), ("title", L), ("schema", L)];

    fn cells(&self, _clock: &LocalClock) -> Vec<String> {
        let schema = self.schema.as_ref().map_or_else(|| "any object".to_owned(), ToString::to_string);
        vec![self.event.to_string(), self.queue.to_string(), self.title.clone().unwrap_or_default(), schema]
    }
}

impl TableRow for InvocationRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("id", R),
        ("queue", L),
        ("event", L),
        ("state", L),
        ("source", L),
        ("enqueued", Align::Time),
        ("updated", Align::Time),
        ("trace", L),
        ("params", L),
        ("reason or result", L),
    ];
    const SPARE: &'static [&'static str] = &["updated", "params", "source"];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let other = if self.other_manifest.is_some() { " (stale manifest)" } else { "" };
        let from = self.requeued_from.map_or_else(String::new, |id| format!(" (requeued from {id})"));
        let told = self.reason.clone().or_else(|| self.result.as_ref().map(ToString::to_string));
        vec![
            self.id.to_string(),
            self.queue.to_string(),
            self.event.to_string(),
            format!("{}{from}{other}", self.state.name()),
            source(&self.source),
            self.enqueued_at().map_or_else(String::new, |at| clock.show(at)),
            clock.show(self.updated_at_ms),
            self.trace().map_or_else(String::new, TraceId::short),
            self.params.to_string(),
            told.unwrap_or_default(),
        ]
    }
}

impl TableRow for StateKeyRow {
    const COLUMNS: &'static [(&'static str, Align)] = &[
        ("key", L),
        ("value", L),
        ("scope", L),
        ("persisted", L),
        ("writer", L),
        ("written by", L),
        ("at", Align::Time),
    ];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        let nothing = || "-".to_owned();
        let writer = self.writer.map_or_else(nothing, |writer| match writer {
            Writer::Adapter => "adapter".to_owned(),
            Writer::Platform => "platform".to_owned(),
        });
        let written_by = self.written_by.as_ref().map_or_else(nothing, |by| match by {
            WrittenBy::Adapter { peer, session_id } => format!("{peer}, session {session_id}"),
            WrittenBy::Stored => "stored before the last start".to_owned(),
            WrittenBy::Replayed => "replayed from the store".to_owned(),
        });
        vec![
            self.key.to_string(),
            self.value.to_string(),
            self.scope.clone().unwrap_or_else(|| "-".to_owned()),
            if self.persist { "yes" } else { "no" }.to_owned(),
            writer,
            written_by,
            self.at_ms.map_or_else(nothing, |at| clock.show(at)),
        ]
    }
}

impl TableRow for RefundRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("id", R), ("invocation", R), ("source", L), ("status", L), ("at", Align::Time)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.id.to_string(),
            self.invocation_id.to_string(),
            source(&self.source),
            self.status.name().to_owned(),
            clock.show(self.at_ms),
        ]
    }
}

impl TableRow for AdapterRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("peer", L), ("connected", Align::Time), ("pack", L), ("last frame", Align::Time)];

    fn cells(&self, clock: &LocalClock) -> Vec<String> {
        vec![
            self.peer.to_string(),
            clock.show(self.connected_at_ms),
            self.pack_id.to_string(),
            clock.show(self.last_in_ms),
        ]
    }
}

impl TableRow for HealthRow {
    const COLUMNS: &'static [(&'static str, Align)] =
        &[("component", L), ("status", L), ("figures", L), ("detail", L)];

    fn cells(&self, _clock: &LocalClock) -> Vec<String> {
        let shown = |text: &str| if text.is_empty() { "-" } else { text }.to_owned();
        vec![self.component.clone(), self.status.name().to_owned(), shown(&self.figures), shown(&self.detail)]
    }

    fn reach_station(&mut self) {
        self.detail = Reach::own().text(&self.detail).into_owned();
    }

    fn fault(rows: &[Self]) -> Option<Error> {
        let is_down = |row: &&Self| row.status == HealthStatus::Down;
        let down: Vec<_> = rows.iter().filter(is_down).map(|row| row.component.as_str()).collect();
        (!down.is_empty()).then(|| Error::Down(down.join(", ")))
    }
}

fn source(source: &Source) -> String {
    match &source.user {
        Some(user) => format!("{} {user}", source.kind),
        None => source.kind.clone(),
    }
}
