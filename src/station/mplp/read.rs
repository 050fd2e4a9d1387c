//! Runs and sessions as the store has them, read a part at a time and folded beside the thread that asks; the
//! station as it is.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;

use super::{RunTranslation, SessionTranslation, facts::facts};
use crate::{
    ids::TraceId,
    macp::log::Damaged,
    mplp::{
        Refusal, SchemaId,
        lifecycle::{Bundle, Item, RecordSettings, StationFacts, station_record},
    },
    port::{self, PortError, SessionRow},
    station::{
        bridge::Running,
        host::Asking,
        local::Inner,
        pages::{flush_store, query_store},
        past::beside,
        sessions::{as_it_began, flush, log_row, row},
    },
    store::{macp, runs::RunDetail},
    time::Wall,
};

/// Events of a run, and records of a session's log, that are read at one time.
const PART_ROWS: u64 = 2_000;

/// Bytes that an event of a run has in its record, at least.
const EVENT_BYTES_LEAST: u64 = 256;
/// Bytes that a message of a session has in a record, at least.
const MESSAGE_BYTES_LEAST: u64 = 768;

/// A run or session as it was found, before anything that it told is read; the station whole.
pub(super) enum Found {
    /// A run, and the sessions of its trace.
    Run(Box<RunDetail>, Vec<macp::SessionRow>),
    /// A session, and the run of its trace.
    Session(Box<macp::SessionRow>, Option<Box<RunDetail>>),
    /// The station.
    Station(Box<StationFacts>),
}

/// Finds a run.
pub(super) async fn find_run(asking: Asking<'_>, run: TraceId) -> Result<Option<Found>, PortError> {
    let Asking { inner, running } = asking;
    flush_store(&running.store).await?;
    let Some(detail) = query_store(|done| running.store.run(run, done)).await? else { return Ok(None) };
    flush(inner).await;
    let mut sessions = query_store(|done| running.store.sessions_of_trace(run, done)).await?;
    if let Some(end) = detail.row.ended_at {
        sessions.retain(|session| session.started_at <= end);
    }
    Ok(Some(Found::Run(Box::new(detail), sessions)))
}

/// Finds a session.
pub(super) async fn find_session(asking: Asking<'_>, session: String) -> Result<Option<Found>, PortError> {
    let Asking { inner, running } = asking;
    flush(inner).await;
    let Some(row) = query_store(|done| running.store.session(session, done)).await? else { return Ok(None) };
    let run = match row.trace {
        Some(run) => {
            flush_store(&running.store).await?;
            query_store(|done| running.store.run(run, done)).await?
        }
        None => None,
    };
    Ok(Some(Found::Session(Box::new(row), run.map(Box::new))))
}

/// What the station is now.
pub(super) async fn look_at_station(asking: Asking<'_>) -> Result<Found, PortError> {
    let snapshot = asking.inner.snapshot().await?;
    let clients = asking.inner.hosts.sessions.handle().ok().and_then(|runtime| runtime.clients());
    let there = clients.into_iter().flatten().filter(|client| client.since.is_some());
    let connected = there.map(|client| client.peer).collect();
    Ok(Found::Station(Box::new(facts(&snapshot, &connected))))
}

impl Found {
    /// A number that is another one when the record is.
    pub(super) fn version(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self {
            Self::Run(detail, sessions) => {
                format!("{:?}", detail.row).hash(&mut hasher);
                for session in sessions {
                    format!("{session:?}").hash(&mut hasher);
                }
            }
            Self::Session(session, run) => {
                let run = run.as_ref().map(|detail| &detail.row);
                format!("{session:?} {run:?}").hash(&mut hasher);
            }
            Self::Station(facts) => format!("{facts:?}").hash(&mut hasher),
        }
        // What every reader of JSON takes as a whole number.
        hasher.finish() >> 11
    }

    /// Reads all of it. What it tells meanwhile may be in the record.
    pub(super) async fn bundle(
        self,
        Asking { inner, running }: Asking<'_>,
        settings: RecordSettings,
    ) -> Result<Bundle, PortError> {
        let bytes_left = AtomicU64::new(inner.limits.mplp.bundle_bytes_max);
        let reader = Reader { inner, running, settings, bytes_left };
        match self {
            Self::Run(detail, sessions) => reader.run(*detail, sessions).await,
            Self::Session(row, run) => reader.session(*row, run.map(|run| *run)).await,
            Self::Station(facts) => beside(move || station_record(&facts, &reader.settings)).await,
        }
    }
}

struct Reader<'a> {
    inner: &'a Inner,
    running: &'a Running,
    settings: RecordSettings,
    /// Bytes that the record may still grow by.
    bytes_left: AtomicU64,
}

impl Reader<'_> {
    /// Refuses a record that is certain to be larger than one may be, before it is made.
    fn grow(&self, rows: usize, bytes_least: u64) -> Result<(), PortError> {
        let (more, max) = (rows as u64 * bytes_least, self.inner.limits.mplp.bundle_bytes_max);
        let left = self.bytes_left.fetch_sub(more, Ordering::Relaxed);
        let too_large = || PortError::Record(Refusal::TooLarge { bytes: max + (more - left), max });
        if more > left { Err(too_large()) } else { Ok(()) }
    }

    async fn run(&self, detail: RunDetail, sessions: Vec<macp::SessionRow>) -> Result<Bundle, PortError> {
        let (run, detail) = (detail.row.run, Arc::new(port::RunDetail::from(detail)));
        let (limits, settings, begun) = (self.inner.limits.runs, self.settings.clone(), Arc::clone(&detail));
        let mut translation = beside(move || RunTranslation::new(&begun, &limits, &settings)).await?;
        for session in sessions {
            // Of a session whose log does not begin nothing is known.
            if let Some(items) = self.items_of(session, detail.row.ended_at_ms).await? {
                translation.session(items);
            }
        }
        let mut after = 0;
        loop {
            let store = &self.running.store;
            let page = query_store(|done| store.run_events(run, after, PART_ROWS, done)).await?;
            self.grow(page.rows.len(), EVENT_BYTES_LEAST)?;
            after = page.rows.last().map_or(after, |event| event.number);
            let is_last = page.rows.is_empty() || !page.more;
            translation = beside(move || {
                for event in page.rows {
                    translation.event(event.into());
                }
                translation
            })
            .await?;
            if is_last {
                return beside(move || translation.finish(&detail)).await;
            }
        }
    }

    async fn session(&self, found: macp::SessionRow, run: Option<RunDetail>) -> Result<Bundle, PortError> {
        let row = row(found.clone());
        let context = match run {
            Some(detail) => {
                let bundle = self.run(detail, Vec::new()).await?;
                bundle.items().iter().find(|it| it.schema == SchemaId::Context).map(|it| it.object.clone())
            }
            None => None,
        };
        let begun = self.translated(context, found, None).await?;
        let translation = begun.map_err(|damage| PortError::Store(damage.to_string()))?;
        beside(move || translation.finish(&row)).await
    }

    /// What the record of a run takes of a session, up to the run's end.
    async fn items_of(
        &self,
        found: macp::SessionRow,
        until: Option<Wall>,
    ) -> Result<Option<Vec<Item>>, PortError> {
        let mut row: SessionRow = row(found.clone());
        if until.is_some_and(|until| row.ended_at_ms.is_some_and(|end| end > until)) {
            (row.ending, row.ended_at_ms) = (None, None);
        }
        let Ok(translation) = self.translated(None, found, until).await? else { return Ok(None) };
        beside(move || Some(translation.items_for_run(&row))).await
    }

    /// A session whose log was read, up to a moment.
    async fn translated(
        &self,
        context: Option<Value>,
        found: macp::SessionRow,
        until: Option<Wall>,
    ) -> Result<Result<SessionTranslation, Damaged>, PortError> {
        let number = found.number;
        let detail = match as_it_began(self.running, found).await? {
            Ok(detail) => detail,
            Err(damage) => return Ok(Err(damage)),
        };
        let text_bytes_max = self.inner.limits.macp.shown_text_bytes_max;
        let settings = &self.settings;
        let mut translation = SessionTranslation::within(context, &detail, text_bytes_max, settings);
        let mut after = 0;
        loop {
            let store = &self.running.store;
            let page = query_store(|done| store.session_log(number, after, PART_ROWS, done)).await?;
            self.grow(page.rows.len(), MESSAGE_BYTES_LEAST)?;
            let is_last = page.rows.is_empty() || !page.more;
            let first = after + 1;
            after += page.rows.len() as u64;
            translation = beside(move || {
                let rows = page.rows.iter().zip(first..).map(|(record, number)| log_row(number, record));
                for row in rows.filter(|row| until.is_none_or(|until| row.at_ms <= until)) {
                    translation.log(&row);
                }
                translation
            })
            .await?;
            if is_last {
                return Ok(Ok(translation));
            }
        }
    }
}
