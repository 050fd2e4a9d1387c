//! The loop.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::{
    FutureExt as _,
    stream::{FuturesUnordered, StreamExt as _},
};
use tokio::sync::{mpsc, oneshot};

use super::{
    bus::{Bus, BusInput, Incoming, Message, NotSent, ReachFuture},
    judge::{self, Looked},
    records::Records,
    request::{Question, Request},
};
use crate::{
    ids::{Seq, Ticket, TraceId},
    runs::{
        Asker, Command, Outcome, Refusal, Snapshot,
        engine::{ControlLookups, Engine, Input, Output, Publish, Reach, RunFeed, Settings},
        openings::{Library, Map, Opening},
    },
    store::{
        self,
        op::{Class, CommitError, Op},
        runs::{RestoredRuns, RunDetail, RunOp},
    },
    tap::{
        Draft, Tap,
        entry::{Link, Transition as Any, What},
    },
    time::{Clock, Mono, Now},
};

/// How long a message waits before it is offered to a full bus again.
const RETRY_AFTER: Duration = Duration::from_millis(2);
/// How long parts of records may wait for room once the runs stop; what is left then is lost.
const STOP_RECORDS_MAX: Duration = Duration::from_millis(200);
/// How long what the store has no room for waits in its turn; then the engine is told, and goes on.
const SAVE_TIMEOUT: Duration = Duration::from_secs(5);
/// Commits that the store has not answered at one time, past which nothing more is taken in.
const COMMITS_MAX: usize = 1_024;
/// Their answers that may wait; one input causes far fewer commits than are between the two.
const ANSWERS_MAX: usize = 16_384;
/// Runs whose rows were read and wait to be taken; the engine asks for fewer at one time.
const RECALLED_MAX: usize = 1_024;
/// Questions that are told at one time.
const ASKS_MAX: usize = 10_000;

/// What the host is made of.
pub struct Setup {
    /// The engine's bounds and defaults.
    pub settings: Settings,
    /// Where everything is reported.
    pub tap: Tap,
    /// The clock.
    pub clock: Clock,
    /// What runs leave behind; nothing while the store is opened again.
    pub store: Box<dyn Fn() -> Option<store::Handle> + Send>,
    /// Answers of the control plane that are remembered from earlier starts.
    pub answers_max: u64,
    /// Where nested openings are found.
    pub library: Box<dyn Library + Send>,
    /// The way to agents and clients.
    pub bus: Box<dyn Bus>,
    /// Who makes records of runs; asked only where [`Settings::tells_records`] says so.
    pub records: Box<dyn Records>,
    /// What the station asks.
    pub requests: mpsc::Receiver<Request>,
    /// Whether the data folder's disk is nearly full (`limits.store.disk_free_bytes_min`).
    pub disk_low: Arc<AtomicBool>,
}

struct Host {
    engine: Engine,
    tap: Tap,
    clock: Clock,
    store: Box<dyn Fn() -> Option<store::Handle> + Send>,
    /// What the store had no room for, in order, with when it is given up.
    unsaved: VecDeque<(Mono, Ticket, Arc<[RunOp]>)>,
    library: Box<dyn Library + Send>,
    bus: Box<dyn Bus>,
    records: Box<dyn Records>,
    /// Parts of records for which there was no room, in order.
    unrecorded: VecDeque<RunFeed>,
    disk_low: Arc<AtomicBool>,
    limits: crate::limits::Runs,
    /// What was told so far, as whoever looks begins from it.
    snapshot: Snapshot,
    last_seq: Seq,
    cause: Option<Seq>,
    /// Messages that the bus had no room for, in order.
    waiting: VecDeque<(Option<Ticket>, Message)>,
    reaching: FuturesUnordered<TicketReachFuture>,
    committed: mpsc::Sender<(Ticket, Result<(), CommitError>)>,
    commits: usize,
    /// What the store read for the engine.
    recalled: mpsc::Sender<Input>,
    /// What it read for judgements.
    looked: mpsc::Sender<Looked>,
}

type TicketReachFuture = std::pin::Pin<Box<dyn Future<Output = (Ticket, Reach)> + Send>>;

/// Serves runs until the station stops it or its requests end. What is left in `heard` then was not taken.
///
/// # Errors
/// [`CommitError`] when the store cannot say what it has of earlier starts.
pub async fn run(setup: Setup, heard: &mut mpsc::Receiver<BusInput>) -> Result<(), CommitError> {
    let Setup { settings, tap, clock, store, answers_max, library, bus, records, mut requests, disk_low } =
        setup;
    let left = restore(&*store, answers_max, &settings.limits).await?;
    let snapshot = Snapshot::restored(&left.ended, &settings.limits);
    let (committed, mut commits) = mpsc::channel(ANSWERS_MAX);
    let (recalled, mut recalls) = mpsc::channel(RECALLED_MAX);
    let (looked, mut looks) = mpsc::channel(judge::LOOKS_MAX);
    // What the start ends, it ends at one moment in list and history.
    let started = clock.now();
    let mut host = Host {
        engine: Engine::new(started, settings, left, Box::new(uuid::Uuid::new_v4)),
        last_seq: tap.last(),
        tap,
        clock,
        store,
        unsaved: VecDeque::new(),
        library,
        bus,
        records,
        unrecorded: VecDeque::new(),
        disk_low,
        limits: settings.limits,
        snapshot,
        cause: None,
        waiting: VecDeque::new(),
        reaching: FuturesUnordered::new(),
        committed,
        commits: 0,
        recalled,
        looked,
    };
    if settings.tells_records {
        host.record(RunFeed::Started);
    }
    host.drain(started);
    loop {
        let now = host.clock.now();
        host.drain(now);
        let takes = host.takes_input();
        let due = host.engine.timeout();
        let until_due = due.map_or(Duration::MAX, |at| host.clock.until(at));
        tokio::select! {
            biased;
            Some((ticket, result)) = commits.recv() => host.on_committed(ticket, result),
            Some(recalled) = recalls.recv() => host.input(recalled),
            Some((ticket, reach)) = host.reaching.next() => host.input(Input::Reached { ticket, reach }),
            () = tokio::time::sleep(RETRY_AFTER), if host.is_waiting() => host.retry(),
            () = tokio::time::sleep(until_due), if due.is_some() => host.input(Input::Timeout),
            Some((question, answered)) = looks.recv() => {
                host.judge(question, ControlLookups { answer: Some(answered), opening: None });
            },
            request = requests.recv() => match request {
                Some(Request::Stop { answer }) => {
                    host.input(Input::Stopping);
                    host.finish_records().await;
                    let _ = answer.send(());
                    return Ok(());
                }
                Some(request) => host.on_request(request),
                None => return Ok(()),
            },
            Some(heard) = heard.recv(), if takes => host.on_bus_input(heard),
        }
    }
}

/// What earlier starts left.
async fn restore(
    store: &(dyn Fn() -> Option<store::Handle> + Send),
    answers_max: u64,
    limits: &crate::limits::Runs,
) -> Result<RestoredRuns, CommitError> {
    let closed = || CommitError::Failed("the store is closed".to_owned());
    let (tell, told) = oneshot::channel();
    store().ok_or_else(closed)?.restored_runs(
        answers_max,
        limits.answers_bytes_max,
        limits.shown_max,
        Box::new(move |left| drop(tell.send(left))),
    )?;
    told.await.unwrap_or_else(|_| Err(closed()))
}

impl Host {
    /// Whether more may be taken in: what was decided is on its way to the disk.
    fn takes_input(&self) -> bool {
        self.engine.accepts_input() && !self.is_waiting() && self.commits < COMMITS_MAX
    }

    /// Whether something waits for room that is to be offered again.
    fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.unsaved.is_empty() || !self.unrecorded.is_empty()
    }

    fn input(&mut self, input: Input) {
        self.cause = None;
        self.engine.set_disk_low(self.disk_low.load(Ordering::Relaxed));
        let now = self.clock.now();
        self.engine.handle(now, input);
        self.drain(now);
    }

    fn on_request(&mut self, request: Request) {
        match request {
            Request::Command { command, by, cause, answer } => self.on_command(command, by, cause, answer),
            Request::Snapshot { answer } => {
                let _ = answer.send((self.last_seq, self.snapshot.clone()));
            }
            Request::Asks { answer } => {
                let _ = answer.send(self.engine.asks(ASKS_MAX));
            }
            Request::Metrics { answer } => {
                let _ = answer.send(self.engine.metrics());
            }
            Request::Judge(question) => self.judge(question, ControlLookups::default()),
            #[cfg(test)]
            Request::Break => std::panic::panic_any("on purpose"),
            // The loop ends by it.
            Request::Stop { answer } => drop(answer),
        }
    }

    /// Judges a message.
    fn judge(&mut self, question: Question, lookups: ControlLookups) {
        self.engine.set_disk_low(self.disk_low.load(Ordering::Relaxed));
        let how = (&*self.library as &dyn Library, &self.limits);
        let (judged, need) = judge::judge(&self.engine, self.clock.now(), &question, lookups, how);
        let question = match need {
            Some(need) => judge::look_up((self.store)().as_ref(), &self.looked, &need, question),
            None => Some(question),
        };
        if let Some(Question { answer, .. }) = question {
            let _ = answer.send(judged);
        }
    }

    fn on_command(
        &mut self,
        command: Command,
        by: Asker,
        cause: Option<Seq>,
        answer: oneshot::Sender<Result<Outcome, Refusal>>,
    ) {
        self.cause = cause;
        let now = self.clock.now();
        let outcome = self.engine.command(now, by, command);
        self.drain(now);
        let _ = answer.send(outcome);
    }

    fn on_bus_input(&mut self, heard: BusInput) {
        let Incoming { topic, by, session, trace, expires_at, body, room } = match heard {
            BusInput::Message(message) => message,
            BusInput::SessionOver(peer) => {
                self.take_reached();
                return self.input(Input::SessionOver { peer });
            }
            BusInput::Unread { peer, msg_id } => {
                self.take_reached();
                return self.input(Input::Unread { peer, msg_id });
            }
            BusInput::Down => return self.input(Input::BusDown),
        };
        // An answer is taken all the same: the bus had it in time, and what it tells is done.
        let is_expired = self.clock.now().mono >= expires_at;
        match topic.as_str() {
            "rlp/ctrl" | "action.decision" if is_expired => self.input(Input::Expired { by, trace, topic }),
            "rlp/ctrl" => self.input(Input::Control { by, session, trace, body }),
            "action.decision" => self.input(Input::Decided { by, trace, body }),
            text if text.ends_with("/progress") && is_expired => {}
            text if text.ends_with("/progress") => self.input(Input::Progress { topic, body }),
            _ => self.input(Input::Answer { topic, body }),
        }
        drop(room);
    }

    /// Whom messages reached that were sent before what comes next was told.
    fn take_reached(&mut self) {
        while let Some(Some((ticket, reach))) = self.reaching.next().now_or_never() {
            self.input(Input::Reached { ticket, reach });
        }
    }

    fn on_committed(&mut self, ticket: Ticket, result: Result<(), CommitError>) {
        self.commits = self.commits.saturating_sub(1);
        self.input(match result {
            Ok(()) => Input::Committed { ticket },
            Err(error) => Input::CommitFailed { ticket, error: error.to_string() },
        });
    }

    /// Does what the engine asks for, until it asks for nothing more.
    fn drain(&mut self, now: Now) {
        while let Some(output) = self.engine.poll_output() {
            match output {
                Output::Transition { transition, text } => {
                    self.snapshot.follow(&transition, now, &text, &self.limits);
                    let trace = transition.run();
                    let what = What::Transition(Any::Runs(transition));
                    let draft = Draft {
                        at: now,
                        link: Link::Runs,
                        trace,
                        cause: self.cause,
                        what,
                        bytes: text.as_bytes(),
                    };
                    self.last_seq = self.tap.emit(draft);
                }
                Output::Publish(publish) => self.publish(publish),
                Output::Record(feed) => self.record(feed),
                // The bus hears all of these topics all the time.
                Output::Listen { .. } | Output::Unlisten { .. } => {}
                Output::Persist { ticket, ops } => self.persist(now, ticket, ops),
                Output::Recall { run } => self.recall(now, run),
                Output::RecallAnswer { request, variant } => self.recall_answer(now, request, variant),
                Output::Load { ticket, yaml } => {
                    let loaded = Opening::load(&yaml, None, &Map::new(), &*self.library, &self.limits);
                    let opening = loaded.map(Arc::new).map_err(|faults| faults.to_string());
                    self.engine.handle(now, Input::Loaded { ticket, opening });
                }
            }
        }
    }

    fn publish(&mut self, publish: Publish) {
        let Publish { topic, schema_id, trace, ttl_ms, body, ticket } = publish;
        let message = Message { topic, schema_id, trace, ttl_ms, body, asks_reach: ticket.is_some() };
        if self.waiting.is_empty() {
            self.offer(ticket, message);
        } else {
            self.waiting.push_back((ticket, message));
        }
    }

    /// Whether the bus took a message, or never will.
    fn offer(&mut self, ticket: Option<Ticket>, message: Message) -> bool {
        let reaching: Option<ReachFuture> = match self.bus.publish(message) {
            Ok(reaching) => reaching,
            Err(NotSent::Down) => Some(Box::pin(std::future::ready(Reach::Down))),
            Err(NotSent::Full(message)) => {
                self.waiting.push_front((ticket, message));
                return false;
            }
        };
        if let Some((ticket, reaching)) = ticket.zip(reaching) {
            self.reaching.push(Box::pin(async move { (ticket, reaching.await) }));
        }
        true
    }

    fn record(&mut self, feed: RunFeed) {
        if !self.unrecorded.is_empty() {
            self.unrecorded.push_back(feed);
        } else if let Err(feed) = self.records.offer(feed) {
            self.unrecorded.push_back(feed);
        }
    }

    /// Offers again the parts of records for which there was no room.
    fn retry_records(&mut self) {
        while let Some(feed) = self.unrecorded.pop_front() {
            if let Err(feed) = self.records.offer(feed) {
                self.unrecorded.push_front(feed);
                break;
            }
        }
    }

    /// What was told before a stop is in the records, where those take it in time.
    async fn finish_records(&mut self) {
        let until = self.clock.now().after(STOP_RECORDS_MAX).mono;
        while !self.unrecorded.is_empty() && self.clock.now().mono < until {
            self.retry_records();
            tokio::time::sleep(RETRY_AFTER).await;
        }
    }

    /// Has the store read a run. One that it has no room to read now is not found.
    fn recall(&mut self, now: Now, run: TraceId) {
        let told = self.recalled.clone();
        let done = Box::new(move |result: Result<Option<RunDetail>, CommitError>| {
            // There is room: fewer runs are asked for at one time.
            let row = result.ok().flatten().map(|detail| Box::new(detail.row));
            let _ = told.try_send(Input::Recalled { run, row });
        });
        let is_asked = (self.store)().is_some_and(|store| store.run(run, done).is_ok());
        if !is_asked {
            self.engine.handle(now, Input::Recalled { run, row: None });
        }
    }

    /// Has the store read how a request was answered.
    fn recall_answer(&mut self, now: Now, request: TraceId, variant: &'static str) {
        let told = self.recalled.clone();
        let done = Box::new(move |result: Result<Option<Bytes>, CommitError>| {
            // There is room: few requests are looked up at one time.
            let _ = told.try_send(Input::AnswerRecalled { request, variant, body: result.ok().flatten() });
        });
        let is_asked =
            (self.store)().is_some_and(|store| store.control_answer(request, variant, done).is_ok());
        if !is_asked {
            self.engine.handle(now, Input::AnswerRecalled { request, variant, body: None });
        }
    }

    fn retry(&mut self) {
        let now = self.clock.now();
        self.retry_records();
        while let Some((ticket, message)) = self.waiting.pop_front() {
            if !self.offer(ticket, message) {
                break;
            }
        }
        while let Some((until, ticket, ops)) = self.unsaved.pop_front() {
            if !self.save(now, until, ticket, ops) {
                break;
            }
        }
        self.drain(now);
    }

    fn persist(&mut self, now: Now, ticket: Ticket, ops: Arc<[RunOp]>) {
        let until = now.after(SAVE_TIMEOUT).mono;
        if self.unsaved.is_empty() {
            self.save(now, until, ticket, ops);
        } else {
            self.unsaved.push_back((until, ticket, ops));
        }
    }

    /// Whether the store took it, or will not.
    fn save(&mut self, now: Now, until: Mono, ticket: Ticket, ops: Arc<[RunOp]>) -> bool {
        let told = self.committed.clone();
        let done = Box::new(move |result: Result<_, CommitError>| {
            // There is room: fewer commits are under way than answers may wait.
            let _ = told.try_send((ticket, result.map(|_| ())));
        });
        let error = match (self.store)() {
            None => CommitError::Failed("the store is being opened again".to_owned()),
            Some(store) => match store.commit(Op::Runs(Arc::clone(&ops)), Class::Process, done) {
                Ok(()) => {
                    self.commits += 1;
                    return true;
                }
                Err(error) => error,
            },
        };
        if now.mono < until {
            self.unsaved.push_front((until, ticket, ops));
            return false;
        }
        self.engine.handle(now, Input::CommitFailed { ticket, error: error.to_string() });
        true
    }
}
