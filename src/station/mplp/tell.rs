//! The thread's work: takes what runs tell, reads their sessions, tells the bus.
//!
//! While a message waits for room on the bus nothing more is taken of the runs, so that the route to here
//! fills and their intake is held. What is asked is answered all the same, and between any two pages of a
//! session's log.

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
    port::PortError,
    rmp::{SchemaId, host::Request},
    runs::engine::{RunFeed, TTL_MS},
    station::{
        bridge::Running,
        local::Inner,
        pages::query_store,
        sessions::{as_it_began, flush, log_row, row},
    },
    store::macp::SessionRow,
    time::{Clock, Mono, Wall},
};

/// Parts of runs that are taken at one time.
pub(super) const PARTS_MAX: usize = 64;
/// How long sessions rest between two reads, so that one that talks much is read in parts.
const SESSIONS_PAUSE: Duration = Duration::from_millis(20);
/// How long sessions rest after one that could not be read.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// How often a session is tried that cannot be read; then its news are in no record.
const READ_TRIES_MAX: u32 = 5;
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
    /// Parts of runs that were taken from the route and are in no record yet; at most [`PARTS_MAX`].
    parts: VecDeque<RunFeed>,
    /// Sessions of the run whose end is the next part, which are read before it; nothing before their turn.
    before_end: Option<VecDeque<News>>,
    /// Sessions that are being read, a page at a time.
    reading: VecDeque<News>,
    /// Those that could not be read, and are tried again.
    unread: Vec<News>,
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
        Self {
            inner,
            clock,
            live,
            counts,
            open_runs,
            outgoing: VecDeque::new(),
            parts: VecDeque::new(),
            before_end: None,
            reading: VecDeque::new(),
            unread: Vec::new(),
            sessions_from: Mono(0),
        }
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

    /// Takes over what was taken from the route.
    pub(super) fn push(&mut self, parts: &mut Vec<RunFeed>) {
        self.parts.extend(parts.drain(..));
    }

    /// Whether [`Self::work`] has something to do.
    pub(super) fn has_work(&self) -> bool {
        !self.parts.is_empty() || !self.reading.is_empty()
    }

    /// Whether parts wait that are in no record yet.
    pub(super) fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Does a piece of it: takes parts of runs up to the next end of one, or reads a page of a session. The
    /// sessions of a run that ended are read before its end is taken.
    pub(super) async fn work(&mut self) {
        if self.parts.is_empty() {
            if let Some(news) = self.reading.pop_front() {
                self.read_part(news, None).await;
            }
            return;
        }
        while let Some(feed) = self.parts.pop_front() {
            if let RunFeed::Ended(ended) = &feed {
                let (run, at) = (ended.run, ended.at);
                if let Some(news) = self.next_before_end(run) {
                    self.parts.push_front(feed);
                    return self.read_part(news, Some(at)).await;
                }
                self.before_end = None;
            }
            self.live.take(self.clock.now().mono, feed);
        }
    }

    /// The next session that is read before a run's end is taken. What it says later is behind that end.
    fn next_before_end(&mut self, run: TraceId) -> Option<News> {
        let Self { before_end, reading, unread, open_runs, .. } = self;
        let sessions = before_end.get_or_insert_with(|| {
            let known = reading.drain(..).chain(unread.drain(..));
            let (mut sessions, others): (VecDeque<_>, _) = known.partition(|news| news.run == run);
            *reading = others;
            sessions.extend(open_runs.take_all(Some(run)));
            sessions
        });
        sessions.pop_front()
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

    /// Waits until sessions have news that may be read; those that could not be read are news.
    pub(super) async fn session_news(open_runs: &OpenRuns, clock: Clock, from: Mono, has_unread: bool) {
        tokio::time::sleep(clock.until(from)).await;
        if !has_unread {
            open_runs.wait().await;
        }
    }

    /// From when on sessions are read again, and whether some could not be read before.
    pub(super) fn sessions_due(&self) -> (Mono, bool) {
        (self.sessions_from, !self.unread.is_empty())
    }

    /// Takes over the sessions that have news, each once: they are read by [`Self::work`].
    pub(super) fn take_sessions(&mut self) {
        self.reading.extend(self.unread.drain(..));
        for news in self.open_runs.take_all(None) {
            if self.reading.iter().all(|read| read.number != news.number) {
                self.reading.push_back(news);
            }
        }
        self.sessions_from = self.clock.now().mono + SESSIONS_PAUSE;
    }

    /// Reads a page of a session and tells what is new of it; one that has more comes again behind the
    /// others.
    async fn read_part(&mut self, news: News, until: Option<Wall>) {
        let read = self.read(&news, until).await;
        self.live.tell_session(self.clock.now().mono, news.run, news.number);
        match (read, &mut self.before_end) {
            (Ok(false), _) => {}
            (Ok(true), Some(sessions)) if until.is_some() => sessions.push_front(news),
            (Ok(true), _) => self.reading.push_back(news),
            (Err(error), _) => self.not_read(news, until.is_some(), &error),
        }
    }

    /// A session could not be read: it is tried again, but not behind its run's end.
    fn not_read(&mut self, mut news: News, is_end: bool, error: &PortError) {
        news.tries += 1;
        if news.tries == 1 {
            tracing::warn!("lifecycle records: session {} was not read: {error}", news.session);
        }
        if is_end || news.tries >= READ_TRIES_MAX {
            tracing::warn!("lifecycle records: what session {} said last is in no record", news.session);
            return self.counts.count_not_taken(1);
        }
        self.sessions_from = self.clock.now().mono + RETRY_PAUSE;
        self.unread.push(news);
    }

    /// Reads the next page of what is new of a session from the store, up to a moment: whether there is more.
    async fn read(&mut self, news: &News, until: Option<Wall>) -> Result<bool, PortError> {
        let inner = self.inner.upgrade().ok_or(PortError::Stopping)?;
        let running = inner.hosts.running().ok_or(PortError::Stopping)?;
        let (run, number) = (news.run, news.number);
        flush(&inner).await;
        if self.live.wants_session(run, number) {
            let Some(found) = find(&running, news).await? else { return Ok(false) };
            let detail = as_it_began(&running, found).await?;
            self.live.begin_session(run, &detail.map_err(|it| PortError::Store(it.to_string()))?);
        }
        let Some(after) = self.live.session_read(run, number) else { return Ok(false) };
        let page = query_store(|done| running.store.session_log(number, after, PAGE_ROWS, done)).await?;
        let records = page.rows.iter().zip(after + 1..).map(|(record, number)| log_row(number, record));
        let rows: Vec<_> = records.filter(|row| until.is_none_or(|until| row.at_ms <= until)).collect();
        let has_ended = self.live.session_log(run, number, &rows);
        if has_ended && let Some(found) = find(&running, news).await? {
            self.live.end_session(run, &row(found));
        }
        Ok(page.more && !rows.is_empty() && rows.len() == page.rows.len())
    }

    /// What was told before the end leaves, as long as that takes no longer than it may; the rest is counted.
    pub(super) async fn finish(&mut self, mut feeds: Option<mpsc::Receiver<RunFeed>>, teller: &mut Teller) {
        if let Some(feeds) = &mut feeds {
            feeds.close();
        }
        // One that is late leaves nothing out but what is counted below.
        let _ = timeout(FINISH_MAX, self.finish_all(feeds.as_mut(), teller)).await;
        while feeds.as_mut().is_some_and(|feeds| feeds.try_recv().is_ok()) {
            self.counts.count_not_taken(1);
        }
        self.counts.count_not_taken(self.parts.len());
        self.send(None);
    }

    async fn finish_all(&mut self, mut feeds: Option<&mut mpsc::Receiver<RunFeed>>, teller: &mut Teller) {
        loop {
            while self.has_parts() {
                self.work().await;
                self.advance(teller);
                self.drain().await;
            }
            match feeds.as_mut() {
                Some(feeds) => match feeds.recv().await {
                    Some(feed) => self.parts.push_back(feed),
                    None => break,
                },
                None => break,
            }
        }
        self.live.close_all();
        self.advance(teller);
        self.drain().await;
    }

    /// Sends what waits.
    async fn drain(&mut self) {
        while !self.outgoing.is_empty() {
            let room = Self::room(self.inner.clone()).await;
            self.send(room);
        }
    }

    /// The way to the station, for who waits for room on its bus.
    pub(super) fn inner(&self) -> Weak<Inner> {
        self.inner.clone()
    }
}

/// A session as the store has it; nothing where it is not there any more, or another has its id.
async fn find(running: &Running, news: &News) -> Result<Option<SessionRow>, PortError> {
    let id = news.session.to_string();
    let found = query_store(|done| running.store.session(id, done)).await?;
    Ok(found.filter(|row| row.number == news.number && row.trace == Some(news.run)))
}
