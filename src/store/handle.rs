//! What the rest of the program holds of a store.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use bytes::Bytes;
use rusqlite::Connection;

use super::{
    Answer,
    alerts::{AlertFilter, RestoredAlerts},
    counters::{Counters, Shared},
    invocations::{Refund, Row},
    macp::{Digest, LogRequest, RestoredMacpPart, SessionFilter, SessionRow},
    mplp::Rating,
    op::{Class, CommitError, Done, Fetched, Op},
    pending_writes::JournalledOp,
    plugins::{AuditFilter, AuditRow, PluginRow, RestoredPlugins},
    read::{InvocationFilter, InvocationsById, OthersPage, PAGE_ROWS_MAX, Reads, RefundFilter, Rows},
    record::Record,
    reply::failed,
    runs::{ArtifactRow, EventRow, RestoredRuns, RunDetail, RunFilter, RunRow},
    submission::{FetchRequest, Request, SubmissionQueue},
    tables::{alerts, injected_traces, invocations, macp, macp_logs, mplp, plugins, refunds, runs, triggers},
};
use crate::{
    ids::{InvocationId, PluginId, QueueName, TraceId},
    schema::JsonText,
    tap::{InjectedTrace, entry::alerts::Alert},
    time::{Clock, Mono},
};

/// Sessions of one trace that are read.
const TRACE_SESSIONS_MAX: u64 = 1_000;

/// A store to be asked from any thread. Cloning costs three reference counts.
///
/// No call blocks. A request to the writer is done after all that its own system journalled and requested
/// before it ([`Self::flush`] and [`Self::backup`]: after all that any did), and its answer is given on the
/// writer's thread: an answer must be quick and must not wait for the store. When a call returns an error,
/// its answer is dropped unused.
#[derive(Clone)]
pub struct Handle {
    pub(super) submission: Arc<SubmissionQueue>,
    pub(super) reads: Arc<Reads>,
    pub(super) shared: Arc<Shared>,
    pub(super) unfolded_rows_max: u64,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handle").field("counters", &self.counters()).finish()
    }
}

impl Handle {
    /// Has the writer do an operation whose answer matters. [`Class::Power`] is answered after an fsync.
    ///
    /// # Errors
    /// [`CommitError::Busy`] when `limits.store.writer_requests_max` requests wait; [`CommitError::Failed`]
    /// when the store is closed.
    pub fn commit(&self, op: Op, class: Class, done: Answer<Done>) -> Result<(), CommitError> {
        self.submission.request(Request::Commit { op, class, done })
    }

    /// Has an operation written when convenient, unanswered and unjournalled ([`Class::WriteBehind`]). It
    /// takes an operation that [`Journal::takes`](super::Journal::takes).
    ///
    /// # Errors
    /// [`CommitError::Busy`] when `limits.store.unfolded_rows_max` rows wait; [`CommitError::Failed`] for any
    /// other operation or when the store is closed.
    pub fn write_behind(&self, op: Op) -> Result<(), CommitError> {
        let waiting = self.submission.unapplied();
        if waiting >= self.unfolded_rows_max {
            return Err(CommitError::Busy { waiting });
        }
        let record = Record::of(op).ok_or_else(|| {
            CommitError::Failed("this operation has an answer and cannot be deferred".to_owned())
        })?;
        self.submission.fold(vec![JournalledOp { position: None, record }])
    }

    /// Reads pending rows of the manifest in force with ids after `after`, oldest first, at most 10,000. It
    /// sees every request made before it; with `settled` also every journalled operation.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn fetch(
        &self,
        queue: QueueName,
        after: InvocationId,
        limit: u64,
        settled: bool,
        done: Answer<Fetched>,
    ) -> Result<(), CommitError> {
        self.submission.request(Request::Fetch { ask: FetchRequest { queue, after, limit, settled }, done })
    }

    /// Reads rows by their ids, at most 10,000, with all that came before folded.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn fetch_invocations(
        &self,
        mut ids: Vec<InvocationId>,
        done: Answer<InvocationsById>,
    ) -> Result<(), CommitError> {
        ids.truncate(usize::try_from(PAGE_ROWS_MAX).unwrap_or(usize::MAX));
        self.submission.request(Request::FetchInvocations { ids, done })
    }

    /// Reads pending rows of the pack's other manifests with ids after `after`, oldest first, at most 10,000,
    /// with all that came before folded.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn fetch_others(
        &self,
        after: InvocationId,
        limit: u64,
        done: Answer<OthersPage>,
    ) -> Result<(), CommitError> {
        self.submission.request(Request::FetchOthers { after, limit, done })
    }

    /// Has all that came before folded and made visible to the reads below.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn flush(&self, done: Answer<()>) -> Result<(), CommitError> {
        self.submission.request(Request::Flush { done })
    }

    /// Copies the database, with all that came before folded, into a new file; answered with its length in
    /// bytes. A file that is there already is refused. The copy is made beside the work that goes on.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn backup(&self, path: &Path, done: Answer<u64>) -> Result<(), CommitError> {
        self.submission.request(Request::Backup { path: path.to_owned(), done })
    }

    /// Reads a page of invocations as their tables have them: [`Self::flush`] first to see what was
    /// journalled lately.
    ///
    /// # Errors
    /// [`CommitError::Busy`] when `limits.store.read_requests_max` reads wait; [`CommitError::Failed`] when
    /// the store is closed.
    pub fn invocations(
        &self,
        mut filter: InvocationFilter,
        done: Answer<Rows<Row>>,
    ) -> Result<(), CommitError> {
        filter.limit = filter.limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| Ok(Rows::cut(invocations::page(conn, &filter)?, filter.limit)), done)
    }

    /// Reads one invocation as its table has it.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn invocation(&self, id: InvocationId, done: Answer<Option<Row>>) -> Result<(), CommitError> {
        self.read(move |conn| invocations::by_id(conn, id), done)
    }

    /// Reads rows that are in `applied`, oldest first, at most 10,000.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn left_applied(&self, limit: u64, done: Answer<Vec<Row>>) -> Result<(), CommitError> {
        self.read(move |conn| invocations::left_applied(conn, limit.min(PAGE_ROWS_MAX)), done)
    }

    /// Reads a page of refund records, newest first.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn refunds(&self, mut filter: RefundFilter, done: Answer<Rows<Refund>>) -> Result<(), CommitError> {
        filter.limit = filter.limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| Ok(Rows::cut(refunds::page(conn, &filter)?, filter.limit)), done)
    }

    /// Reads a page of alerts: what was committed.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn alerts(&self, mut filter: AlertFilter, done: Answer<Rows<Alert>>) -> Result<(), CommitError> {
        filter.limit = filter.limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| Ok(Rows::cut(alerts::page(conn, &filter)?, filter.limit)), done)
    }

    /// Reads what a start takes up of alerts: those that hold and the newest resolved ones, so many together.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn restored_alerts(&self, limit: u64, done: Answer<RestoredAlerts>) -> Result<(), CommitError> {
        self.read(move |conn| alerts::left(conn, limit), done)
    }

    /// Reads which traces have injected frames, the newest last.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn injected_traces(&self, done: Answer<Vec<InjectedTrace>>) -> Result<(), CommitError> {
        self.read(injected_traces::all, done)
    }

    /// Reads the triggers that were added, by their names, as JSON.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn triggers(&self, done: Answer<Vec<(String, String)>>) -> Result<(), CommitError> {
        self.read(triggers::all, done)
    }

    /// Reads a page of runs: what was committed.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn runs(&self, mut filter: RunFilter, done: Answer<Rows<RunRow>>) -> Result<(), CommitError> {
        filter.limit = filter.limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| Ok(Rows::cut(runs::page(conn, &filter)?, filter.limit)), done)
    }

    /// Reads one run with its opening's text and its plan.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn run(&self, run: TraceId, done: Answer<Option<RunDetail>>) -> Result<(), CommitError> {
        self.read(move |conn| runs::detail(conn, run), done)
    }

    /// Reads the rating of a run; none where there is no such run either.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn rating(&self, run: TraceId, done: Answer<Option<Rating>>) -> Result<(), CommitError> {
        self.read(move |conn| mplp::rating_of(conn, run), done)
    }

    /// Reads a run's events with greater numbers than `after`, in their order, at most 10,000.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn run_events(
        &self,
        run: TraceId,
        after: u64,
        limit: u64,
        done: Answer<Rows<EventRow>>,
    ) -> Result<(), CommitError> {
        let limit = limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| Ok(Rows::cut(runs::events(conn, run, after, limit)?, limit)), done)
    }

    /// Reads a run's artifacts with greater numbers than `after`, in their order, at most 10,000.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn run_artifacts(
        &self,
        run: TraceId,
        after: u64,
        limit: u64,
        done: Answer<Rows<ArtifactRow>>,
    ) -> Result<(), CommitError> {
        let limit = limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| Ok(Rows::cut(runs::artifacts(conn, run, after, limit)?, limit)), done)
    }

    /// Reads how a request of the control plane was answered.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn control_answer(
        &self,
        request: TraceId,
        variant: &'static str,
        done: Answer<Option<Bytes>>,
    ) -> Result<(), CommitError> {
        self.read(move |conn| runs::answer(conn, request, variant), done)
    }

    /// Reads what the control plane starts from: at most 10,000 open runs, and the newest answers, so many
    /// and of so many bytes together.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn restored_runs(
        &self,
        answers_max: u64,
        bytes_max: u64,
        ended_max: u64,
        done: Answer<RestoredRuns>,
    ) -> Result<(), CommitError> {
        let left = move |conn: &Connection| {
            let (answers, has_more_answers) = runs::answers(conn, answers_max, bytes_max)?;
            let open = runs::open(conn, PAGE_ROWS_MAX)?;
            Ok(RestoredRuns { open, ended: runs::ended(conn, ended_max)?, answers, has_more_answers })
        };
        self.read(left, done)
    }

    /// Reads a page of sessions: what was committed.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn sessions(
        &self,
        mut filter: SessionFilter,
        done: Answer<Rows<SessionRow>>,
    ) -> Result<(), CommitError> {
        filter.limit = filter.limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| macp::page(conn, &filter), done)
    }

    /// Reads the session of an id; of two, the later.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn session(&self, id: String, done: Answer<Option<SessionRow>>) -> Result<(), CommitError> {
        self.read(move |conn| macp::by_id(conn, &id), done)
    }

    /// Reads the first sessions of a trace, in the order in which they began, at most 1,000.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn sessions_of_trace(
        &self,
        trace: TraceId,
        done: Answer<Vec<SessionRow>>,
    ) -> Result<(), CommitError> {
        self.read(move |conn| macp::of_trace(conn, trace, TRACE_SESSIONS_MAX), done)
    }

    /// Reads the session of an id, and of one that is in the store alone when it accepted a message, in Unix
    /// milliseconds.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn session_and_message(
        &self,
        id: String,
        message: Option<Digest>,
        done: Answer<Option<(SessionRow, Option<u64>)>>,
    ) -> Result<(), CommitError> {
        self.read(move |conn| macp::by_id_and_message(conn, &id, message.as_ref()), done)
    }

    /// Reads a session's log behind its first `after` records, in its order, at most `limit` records and
    /// about 16 MiB. The records are as they were kept.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn session_log(
        &self,
        session: u64,
        after: u64,
        limit: u64,
        done: Answer<Rows<Bytes>>,
    ) -> Result<(), CommitError> {
        self.read(move |conn| macp::log(conn, session, after, limit), done)
    }

    /// Reads the logs of several sessions from their starts on, with one pass over what is not sorted. They
    /// have at most `bytes_max` bytes together: the longest are left out for it.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn session_logs(
        &self,
        sessions: Vec<LogRequest>,
        bytes_max: usize,
        done: Answer<BTreeMap<u64, Vec<Bytes>>>,
    ) -> Result<(), CommitError> {
        self.read(move |conn| macp_logs::logs(conn, &sessions, bytes_max), done)
    }

    /// Reads what the MACP runtime starts from, a part at a time; `each` takes one and says whether to go on.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn restored_macp(
        &self,
        mut each: impl FnMut(RestoredMacpPart) -> bool + Send + 'static,
        done: Answer<()>,
    ) -> Result<(), CommitError> {
        self.read(move |conn| macp::restored(conn, &mut each), done)
    }

    /// Reads what the plugin host starts from.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn restored_plugins(&self, done: Answer<RestoredPlugins>) -> Result<(), CommitError> {
        self.read(plugins::restored, done)
    }

    /// Reads the installed plugins, in the order in which they were installed first: what was committed.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn plugins(&self, done: Answer<Vec<PluginRow>>) -> Result<(), CommitError> {
        self.read(plugins::installed, done)
    }

    /// Reads the values of a plugin's panel, installed or not; those that cannot be read are left out.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn plugin_values(
        &self,
        plugin: PluginId,
        done: Answer<BTreeMap<String, JsonText>>,
    ) -> Result<(), CommitError> {
        self.read(move |conn| plugins::values(conn, &plugin, drop), done)
    }

    /// Reads a page of plugins' audit.
    ///
    /// # Errors
    /// As [`Self::invocations`].
    pub fn plugin_audit(
        &self,
        mut filter: AuditFilter,
        done: Answer<Rows<AuditRow>>,
    ) -> Result<(), CommitError> {
        filter.limit = filter.limit.min(PAGE_ROWS_MAX);
        self.read(move |conn| Ok(Rows::cut(plugins::audit(conn, &filter)?, filter.limit)), done)
    }

    /// Has what is to be written, of the sessions' log too, refused until a moment, by a rule of the gate: a
    /// fault of a rehearsal. Nothing that is journalled is lost by it.
    pub fn refuse_writes(&self, clock: Clock, until: Mono, rule: u64) {
        self.shared.watch.refuse(clock, until, rule);
    }

    /// The store's figures.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.shared.read(self.submission.unapplied(), self.submission.requests())
    }

    fn read<T: 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        done: Answer<T>,
    ) -> Result<(), CommitError> {
        let job = Box::new(move |conn: &Connection| done(read(conn).map_err(|error| failed(&error))));
        self.reads.push(job).map_err(|(_, error)| error)
    }

    /// Runs something on the writer's connection between two batches.
    #[cfg(test)]
    pub(super) fn touch(&self, with: impl FnOnce(&Connection) + Send + 'static) {
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let with = Box::new(move |conn: &Connection| {
            with(conn);
            tell.send(()).unwrap();
        });
        self.submission.request(Request::Touch { with }).unwrap();
        told.recv().unwrap();
    }
}
