//! The records of open runs, folded as the runs tell them, and what of it leaves on the bus (rulings MPLP 13
//! to 17). No I/O: the thread beside it reads the sessions, and publishes.
//!
//! ```text
//! Begun ──▶ its objects and first events ┐
//! Event ──▶ events alone                 ├─▶ validated ─▶ gathered ─▶ rlp/runs/<trace>/mplp
//! session ▶ events of its turns          │
//! Ended ──▶ its last events and objects  ┘
//! ```
//!
//! A run whose beginning was not told to this thread has no record here: half of one is not told. What a
//! record holds is bounded by the run's plan and by `limits.runs.events_kept_max`: an event that the store
//! does not keep is told, and not held. What is held of the sessions of all open runs is bounded by
//! `limits.mplp.bundle_bytes_max`; a record says how many messages it lacks.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::{
    counts::Counts,
    open_runs::OpenRuns,
    run::{beginning_told, end_told},
    session::LiveSession,
};
use crate::{
    ids::TraceId,
    limits,
    mplp::{
        Profile, RecordRef, Transition,
        bundle::{BundleMember, member_of},
        lifecycle::{
            Batch, BatchLimits, Batches, Item, RecordSettings, WITHHELD_TOO_LARGE, Withheld, run::RunRecord,
        },
    },
    port::{SessionDetail, SessionLogRow, SessionRow},
    runs::engine::{RunBegun, RunEnded, RunFeed},
    time::Mono,
};

/// Sessions of one run that are told; those that began last are not.
pub(super) const SESSIONS_MAX: usize = 1_000;

/// The records of open runs.
#[derive(Debug)]
pub(super) struct Live {
    settings: RecordSettings,
    limits: limits::Runs,
    text_bytes_max: u64,
    /// Bytes of messages that the sessions of all open runs may hold.
    sessions_bytes_max: u64,
    open: BTreeMap<TraceId, OpenRecord>,
    batches: Batches,
    withheld: VecDeque<(Transition, String)>,
    counts: Arc<Counts>,
    /// Which they are, for those who tell of sessions.
    open_runs: Arc<OpenRuns>,
}

#[derive(Debug)]
struct OpenRecord {
    record: RunRecord,
    /// Sessions of its trace, by their numbers: in the order in which they began.
    sessions: BTreeMap<u64, LiveSession>,
}

impl Live {
    pub(super) fn new(
        settings: RecordSettings,
        limits: &limits::Limits,
        counts: Arc<Counts>,
        open_runs: Arc<OpenRuns>,
    ) -> Self {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let batches = Batches::new(BatchLimits {
            batch_bytes_max: size(limits.mplp.batch_bytes_max),
            body_bytes_max: size(limits.rmp.body_bytes_max),
            depth_max: size(limits.mplp.depth_max),
        });
        counts.set_open(0);
        open_runs.reset(true);
        Self {
            settings,
            limits: limits.runs,
            text_bytes_max: limits.macp.shown_text_bytes_max,
            sessions_bytes_max: limits.mplp.bundle_bytes_max,
            open: BTreeMap::new(),
            batches,
            withheld: VecDeque::new(),
            counts,
            open_runs,
        }
    }

    /// Takes what a run tells.
    pub(super) fn take(&mut self, now: Mono, feed: RunFeed) {
        match feed {
            RunFeed::Started => self.forget_all(),
            RunFeed::Begun(begun) => self.begin(now, *begun),
            RunFeed::Event { run, event, is_kept } => {
                let Some(open) = self.open.get_mut(&run) else { return };
                let record = &mut open.record;
                let items = if is_kept { record.event(&event) } else { record.event_not_kept(&event) };
                let profile = record.profile();
                self.send(now, run, profile, &RecordOf::Run(run), &items);
            }
            RunFeed::Ended(ended) => self.end(now, ended),
        }
    }

    fn forget_all(&mut self) {
        for run in std::mem::take(&mut self.open).into_keys() {
            self.batches.end(run);
        }
        self.open_runs.clear();
        self.counts.set_open(0);
    }

    fn begin(&mut self, now: Mono, begun: RunBegun) {
        let run = begun.run;
        let (mut record, items) = RunRecord::begin(beginning_told(begun, &self.limits), &self.settings);
        record.forget_events();
        let profile = record.profile();
        self.open.insert(run, OpenRecord { record, sessions: BTreeMap::new() });
        self.open_runs.insert(run);
        self.counts.set_open(self.open.len());
        self.send(now, run, profile, &RecordOf::Run(run), &items);
    }

    fn end(&mut self, now: Mono, ended: RunEnded) {
        let run = ended.run;
        let Some(OpenRecord { mut record, mut sessions }) = self.open.remove(&run) else { return };
        self.open_runs.remove(run);
        self.counts.set_open(self.open.len());
        let added = add_sessions(&mut record, &mut sessions, true);
        let items = record.end(&end_told(ended));
        let profile = record.profile();
        self.send(now, run, profile, &RecordOf::Run(run), &added);
        self.send(now, run, profile, &RecordOf::Run(run), &items);
        self.batches.end(run);
    }

    /// Whether a session of a run is to be read from its start on: it is told, and nothing of it is known.
    pub(super) fn wants_session(&self, run: TraceId, number: u64) -> bool {
        let Some(open) = self.open.get(&run) else { return false };
        !open.sessions.contains_key(&number) && open.sessions.len() < SESSIONS_MAX
    }

    /// A session of a run began.
    pub(super) fn begin_session(&mut self, run: TraceId, detail: &SessionDetail) {
        if let Some(open) = self.open.get_mut(&run)
            && detail.row.trace_id == Some(run)
        {
            let session = LiveSession::new(detail, self.text_bytes_max, &self.settings);
            open.sessions.entry(detail.row.number).or_insert(session);
        }
    }

    /// How many records of a session's log are known; nothing of one that is not told.
    pub(super) fn session_read(&self, run: TraceId, number: u64) -> Option<u64> {
        Some(self.open.get(&run)?.sessions.get(&number)?.read())
    }

    /// Takes records of a session's log that follow those: whether it ended by one of them.
    pub(super) fn session_log(&mut self, run: TraceId, number: u64, rows: &[SessionLogRow]) -> bool {
        let held: u64 =
            self.open.values().flat_map(|open| open.sessions.values()).map(LiveSession::bytes).sum();
        let room = self.sessions_bytes_max.saturating_sub(held);
        let session = self.open.get_mut(&run).and_then(|open| open.sessions.get_mut(&number));
        session.is_some_and(|session| session.log(rows, room))
    }

    /// A session ended as its row says.
    pub(super) fn end_session(&mut self, run: TraceId, row: &SessionRow) {
        let session = self.open.get_mut(&run).and_then(|open| open.sessions.get_mut(&row.number));
        if let Some(session) = session {
            session.end(row);
        }
    }

    /// Tells what is new of a session.
    pub(super) fn tell_session(&mut self, now: Mono, run: TraceId, number: u64) {
        let Some(open) = self.open.get_mut(&run) else { return };
        let Some(session) = open.sessions.get_mut(&number) else { return };
        let (items, id, of) = (session.poll_events(), session.id(), session.profile());
        let added = add_sessions(&mut open.record, &mut open.sessions, false);
        let profile = open.record.profile();
        self.send(now, run, profile, &RecordOf::Run(run), &added);
        self.send(now, run, of, &RecordOf::Session(id), &items);
    }

    /// The next message that leaves by now.
    pub(super) fn poll(&mut self, now: Mono) -> Option<Batch> {
        self.batches.poll(now)
    }

    /// When the next one leaves.
    pub(super) fn timeout(&self) -> Option<Mono> {
        self.batches.timeout()
    }

    /// Lets leave all that gathered.
    pub(super) fn close_all(&mut self) {
        self.batches.close_all();
    }

    /// What was withheld, with the text beside it.
    pub(super) fn poll_withheld(&mut self) -> Option<(Transition, String)> {
        self.withheld.pop_front()
    }

    fn send(&mut self, now: Mono, run: TraceId, profile: Profile, of: &RecordOf, items: &[Item]) {
        for item in items {
            match self.batches.add(now, run, profile, item) {
                Ok(()) if matches!(member_of(item.schema), Some((_, BundleMember::Events))) => {
                    self.counts.count_event();
                }
                Ok(()) => self.counts.count_object(),
                Err(withheld) => self.withheld.push_back(told(of, withheld, &self.counts)),
            }
        }
    }
}

/// Adds the sessions that the record has not yet, in the order in which they began, as far as it is known
/// what they add: all of them at the run's end.
fn add_sessions(
    record: &mut RunRecord,
    sessions: &mut BTreeMap<u64, LiveSession>,
    is_end: bool,
) -> Vec<Item> {
    let mut made = Vec::new();
    for session in sessions.values_mut() {
        if is_end || !session.is_added() && session.is_settled() {
            made.extend(record.add_session(session.objects()));
        } else if !session.is_added() {
            break;
        }
    }
    made
}

/// Whose an item is.
enum RecordOf {
    Run(TraceId),
    Session(Arc<str>),
}

fn told(of: &RecordOf, withheld: Withheld, counts: &Counts) -> (Transition, String) {
    let Withheld { schema, rule, path, requires, findings, by_family } = withheld;
    counts.count_findings(by_family);
    if rule == WITHHELD_TOO_LARGE {
        counts.count_too_large();
    }
    let record = match of {
        RecordOf::Run(run) => RecordRef::run(*run),
        RecordOf::Session(id) => RecordRef::session(id),
    };
    let (schema, rule, path) = (schema.name().into(), rule.into(), path.into());
    (Transition::Withheld { record, schema, rule, path, findings }, requires)
}

#[cfg(test)]
mod tests;
