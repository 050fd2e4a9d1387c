//! Follows a run to its end.

use std::{sync::Arc, time::Duration};

use serde::Serialize;

use super::end::Ended;
use crate::{
    cli::{
        commands::confirmations,
        config::Settings,
        error::Error,
        operator,
        output::Output,
        run_error::RunError,
        table::{LocalClock, visible},
    },
    ids::TraceId,
    port::{Page, Query, StationPort},
    rmp::{
        HEADER_BYTES, PREFIX_BYTES, SchemaId,
        client::{Delivery, Subscription},
    },
    runs::{
        RunState,
        payload::{RunEvent, schema},
    },
    tap::entry::station::Level,
    time::Wall,
    words::counted,
};

/// After so long without an event the station is asked how the run stands: its last event may have been
/// dropped on the way.
const SILENT: Duration = Duration::from_secs(5);

/// Why a run is not followed any more that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// By a signal.
    Interrupted,
    /// After so many milliseconds.
    TimedOut(u64),
}

impl Unfinished {
    /// As it is told.
    pub(super) const fn error(self, run: TraceId) -> RunError {
        match self {
            Self::Interrupted => RunError::Left { run },
            Self::TimedOut(ms) => RunError::NotEnded { run, ms },
        }
    }
}

/// An event as scripts read it: the payload of rmp-v0 §10.
#[derive(Serialize)]
struct Row<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    message: &'a str,
    meta: serde_json::Value,
}

/// Events that this program had no room for.
#[derive(Serialize)]
#[serde(tag = "event", rename = "lost")]
struct Lost {
    messages: u64,
    lost: u64,
}

/// Who follows a run.
pub(super) struct Follower<'a> {
    run: TraceId,
    /// Whether events are printed.
    prints_events: bool,
    clock: LocalClock,
    settings: &'a Settings,
    out: &'a mut Output,
    /// Who is asked in silence; the one that the configuration names where it is not said.
    station: Option<Arc<dyn StationPort>>,
    lost: u64,
    /// Nodes that ask, and were not told of yet.
    asking: Vec<String>,
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        run: TraceId,
        prints_events: bool,
        clock: LocalClock,
        settings: &'a Settings,
        out: &'a mut Output,
    ) -> Self {
        Self { run, prints_events, clock, settings, out, station: None, lost: 0, asking: Vec::new() }
    }

    /// Has this station asked in silence.
    pub(super) fn of(self, station: Arc<dyn StationPort>) -> Self {
        Self { station: Some(station), ..self }
    }

    /// Reads events until the last one.
    pub(super) async fn follow(&mut self, mut events: Subscription) -> Result<Ended, Error> {
        let mut batch = Vec::new();
        loop {
            let Ok(came) = tokio::time::timeout(SILENT, events.next_batch(&mut batch)).await else {
                if let Some(ended) = self.asked().await {
                    return Ok(ended);
                }
                continue;
            };
            if came == 0 {
                return Err(RunError::Lost { run: self.run }.into());
            }
            for delivery in batch.drain(..) {
                if let Some(ended) = self.on_delivery(&delivery)? {
                    return Ok(ended);
                }
            }
            let lost = events.lost();
            if lost > self.lost && self.prints_events {
                let row = Lost { messages: lost - self.lost, lost };
                let run = self.run;
                self.out.row(&row, |row| {
                    let many = counted(row.messages, "event");
                    format!("… {many} skipped (output too slow); `rl-console run events {run}` shows them")
                })?;
            }
            self.lost = lost;
            self.out.flush()?;
            self.print_confirmations().await;
        }
    }

    /// Prints how the run ended. Where its events are printed for people the last of them has said so, and
    /// the error says it once more.
    pub(super) fn print_end(&mut self, ended: &Ended) -> Result<(), Error> {
        if self.prints_events && !self.out.is_json() && ended.state != RunState::Succeeded {
            return self.out.flush();
        }
        self.out.row(ended, Ended::line)?;
        self.out.flush()
    }

    /// Prints how the run ended, and makes an exit code of it.
    pub(super) fn end(&mut self, ended: Ended) -> Result<(), Error> {
        self.print_end(&ended)?;
        Ok(ended.verdict()?)
    }

    fn on_delivery(&mut self, delivery: &Delivery) -> Result<Option<Ended>, Error> {
        if delivery.header().schema_id != SchemaId(schema::RUN_EVENT) {
            return Ok(None);
        }
        let body = delivery.wire.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default();
        // The station alone publishes here; what a newer one says in other words is left to it.
        let Ok(event) = RunEvent::decode(body) else { return Ok(None) };
        if self.prints_events {
            let RunEvent { kind, level, message, meta } = &event;
            let row = Row { kind: kind.name(), level: level.map(Level::name), message, meta: meta.json() };
            self.asking.extend(confirmations::node_asking(&row.meta).map(str::to_owned));
            let at = self.clock.show(Wall(meta.ts_ms));
            self.out.row(&row, |row| {
                visible(&format!("{at}  {:<5}  {:<8}  {}", row.level.unwrap_or("-"), row.kind, row.message))
            })?;
        }
        Ok(Ended::of(self.run, &event))
    }

    /// Says how what waits for a person is answered: to people, who see that it waits, where the station that
    /// commands reach has the run.
    async fn print_confirmations(&mut self) {
        let asking = std::mem::take(&mut self.asking);
        if asking.is_empty() || self.out.is_json() || self.station.is_some() {
            return;
        }
        let Ok(station) = operator::connect(self.settings).await else { return };
        for node in asking {
            confirmations::print_hint(&station, self.run, &node).await;
        }
    }

    /// How the run ended as the station has it, where it did and where that may be asked.
    async fn asked(&self) -> Option<Ended> {
        let query = Query::Run { run: self.run };
        let page = match &self.station {
            Some(station) => station.query(query).await.ok()?,
            None => operator::query(&operator::connect(self.settings).await.ok()?, query).await.ok()?,
        };
        let Page::Run(Some(detail)) = page else { return None };
        let row = detail.row;
        let message = row.why.unwrap_or_else(|| format!("the run {}", row.state.name()));
        row.state.is_end().then_some(Ended { run: self.run, state: row.state, message })
    }
}
