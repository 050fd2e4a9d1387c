//! The thread's work: takes what runs tell, reads their sessions, tells the bus.
//!
//! While a message waits for room on the bus nothing more is taken of the runs, so that the route to here
//! fills and their intake is held. What is asked is answered all the same.

use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::mpsc::{self, OwnedPermit},
    time::timeout,
};

use super::{
    counts::Counts,
    live::Live,
    open_runs::{News, OpenRuns},
    serve::Teller,
};
use crate::{
    ids::{TopicName, TraceId},
    mplp::lifecycle::{Batch, TOPIC_PART},
    port::{Page, PortError, Query, SessionDetail},
    rmp::{SchemaId, host::Request},
    runs::engine::{RunFeed, TTL_MS},
    station::{
        host::{Asking, Host as _},
        local::Inner,
    },
    time::{Clock, Mono, Wall},
};

/// Parts of runs that are taken at one time.
pub(super) const PARTS_MAX: usize = 64;
/// How long sessions rest between two reads, so that one that talks much is read in parts.
const SESSIONS_PAUSE: Duration = Duration::from_millis(20);
/// Records of a session's log that are asked for at once.
const PAGE_ROWS: u64 = 1_000;
/// How long what is left may take to leave at the end.
const FINISH_MAX: Duration = Duration::from_millis(300);

/// What tells runs on the bus.
pub(super) struct Outlet {
    pub(super) inner: Weak<Inner>,
    pub(super) clock: Clock,
    pub(super) live: Live,
    pub(super) counts: Arc<Counts>,
    pub(super) open_runs: Arc<OpenRuns>,
    /// Messages that wait for room on the bus, in order: what one turn of the loop made.
    outgoing: VecDeque<Batch>,
    /// Before this moment no session is read.
    sessions_from: Mono,
}

impl Outlet {
    pub(super) fn new(
        inner: Weak<Inner>,
        clock: Clock,
        live: Live,
        counts: Arc<Counts>,
        open_runs: Arc<OpenRuns>,
    ) -> Self {
        Self { inner, clock, live, counts, open_runs, outgoing: VecDeque::new(), sessions_from: Mono(0) }
    }

    /// Lets leave what is due, and tells what was withheld: whether the bus has to be waited for.
    pub(super) fn advance(&mut self, teller: &mut Teller) -> bool {
        let now = self.clock.now().mono;
        while let Some(batch) = self.live.poll(now) {
            self.outgoing.push_back(batch);
        }
        while let Some((transition, text)) = self.live.poll_withheld() {
            teller.tell(transition, &text, None);
        }
        !self.outgoing.is_empty()
    }

    /// When the next message is due.
    pub(super) fn until_due(&self) -> Option<Duration> {
        self.live.timeout().map(|at| self.clock.until(at))
    }

    /// Takes what runs told. The sessions of one that ended are read before.
    pub(super) async fn take(&mut self, feed: RunFeed) {
        if let RunFeed::Ended(ended) = &feed {
            let (run, at) = (ended.run, ended.at);
            while let Some(news) = self.open_runs.take(Some(run)) {
                let number = news.number;
                if self.read(&news, Some(at)).await.is_ok() {
                    self.live.tell_session(self.clock.now().mono, run, number);
                }
            }
        }
        self.live.take(self.clock.now().mono, feed);
    }

    /// Room for one message on the bus; none where it is down.
    pub(super) async fn room(inner: Weak<Inner>) -> Option<OwnedPermit<Request>> {
        let requests = inner.upgrade()?.hosts.bus.requests().ok()?;
        requests.reserve_owned().await.ok()
    }

    /// Sends the next message where there is room; without a bus, drops all that wait.
    pub(super) fn send(&mut self, room: Option<OwnedPermit<Request>>) {
        let Some(room) = room else {
            let items = self.outgoing.drain(..).map(|batch| batch.items).sum();
            return self.counts.count_bus_down(items);
        };
        let Some(Batch { run, body, .. }) = self.outgoing.pop_front() else { return };
        self.counts.count_batch(body.len());
        room.send(Request::Publish {
            topic: TopicName::new(&format!("rlp/runs/{run}/{TOPIC_PART}")),
            schema_id: SchemaId::MPLP_EVENT,
            trace: run,
            ttl_ms: TTL_MS,
            body: body.into(),
            report: None,
        });
    }

    /// Waits until sessions have news that may be read.
    pub(super) async fn session_news(open_runs: &OpenRuns, clock: Clock, from: Mono) {
        tokio::time::sleep(clock.until(from)).await;
        open_runs.wait().await;
    }

    /// From when on sessions are read again.
    pub(super) const fn sessions_from(&self) -> Mono {
        self.sessions_from
    }

    /// Reads the sessions that have news, and tells what is new.
    pub(super) async fn read_sessions(&mut self) {
        let mut unread = Vec::new();
        while let Some(news) = self.open_runs.take(None) {
            match self.read(&news, None).await {
                Ok(()) => self.live.tell_session(self.clock.now().mono, news.run, news.number),
                Err(error) => {
                    tracing::warn!("lifecycle records: session {} was not read: {error}", news.session);
                    unread.push(news);
                }
            }
        }
        for news in unread {
            self.open_runs.put_back(news);
        }
        self.sessions_from = self.clock.now().mono + SESSIONS_PAUSE;
    }

    /// Reads what is new of a session from the store, up to a moment.
    async fn read(&mut self, news: &News, until: Option<Wall>) -> Result<(), PortError> {
        let Some(inner) = self.inner.upgrade() else { return Ok(()) };
        let Some(running) = inner.hosts.running() else { return Ok(()) };
        let asking = Asking { inner: &inner, running: &running };
        let (run, number) = (news.run, news.number);
        if self.live.wants_session(run, number) {
            match detail(asking, news).await? {
                Some(detail) => self.live.begin_session(run, &detail),
                None => return Ok(()),
            }
        }
        let mut has_ended = false;
        while let Some(after) = self.live.session_read(run, number) {
            let query = Query::SessionLog { session: news.session.to_string(), after, limit: PAGE_ROWS };
            let Page::SessionLog { mut rows, more } = inner.hosts.sessions.answer(asking, query).await?
            else {
                break;
            };
            let read = rows.len();
            rows.retain(|row| until.is_none_or(|until| row.at_ms <= until));
            has_ended = self.live.session_log(run, number, &rows);
            if !more || rows.is_empty() || rows.len() < read {
                break;
            }
        }
        if has_ended && let Some(detail) = detail(asking, news).await? {
            self.live.end_session(run, &detail.row);
        }
        Ok(())
    }

    /// What was told before the end leaves, as long as that takes no longer than it may.
    pub(super) async fn finish(&mut self, feeds: Option<&mut mpsc::Receiver<RunFeed>>, teller: &mut Teller) {
        let until = self.clock.now().mono + FINISH_MAX;
        if let Some(feeds) = feeds {
            feeds.close();
            while let Some(feed) = feeds.recv().await {
                self.take(feed).await;
                if self.advance(teller) && !self.drain(until).await {
                    break;
                }
            }
        }
        self.live.close_all();
        self.advance(teller);
        self.drain(until).await;
    }

    /// Sends what waits: whether all of it left in time.
    async fn drain(&mut self, until: Mono) -> bool {
        while !self.outgoing.is_empty() {
            let waited = timeout(self.clock.until(until), Self::room(self.inner.clone())).await;
            let is_over = waited.is_err();
            self.send(waited.unwrap_or_default());
            if is_over {
                return false;
            }
        }
        true
    }

    /// The way to the station, for who waits for room on its bus.
    pub(super) fn inner(&self) -> Weak<Inner> {
        self.inner.clone()
    }
}

/// A session as it is; nothing where it is not there any more, or another has its id.
async fn detail(asking: Asking<'_>, news: &News) -> Result<Option<SessionDetail>, PortError> {
    let query = Query::Session { session: news.session.to_string() };
    let answer = asking.inner.hosts.sessions.answer(asking, query).await?;
    let Page::Session(found) = answer else { return Ok(None) };
    let is_it = |detail: &SessionDetail| detail.row.number == news.number && is_of(detail, news.run);
    Ok(found.map(|detail| *detail).filter(is_it))
}

fn is_of(detail: &SessionDetail, run: TraceId) -> bool {
    detail.row.trace_id == Some(run)
}
