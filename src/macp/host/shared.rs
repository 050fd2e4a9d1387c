//! The kernel under its lock, with all that goes with it.

use std::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use tokio::sync::{Notify, Semaphore, oneshot};

use super::{
    call::Call,
    connections::Connections,
    journal::{Journal, RecordBatch},
    metrics::Counters,
    open_calls::OpenCalls,
    openers::Openers,
    run::StoreWay,
    stream_sessions::Streams,
    trace_context::LeftOutNotices,
    unfinished::Unfinished,
    watch::SessionWatch,
};
use crate::{
    admission::Tally,
    gate::Gate,
    ids::{Seq, Ticket, TraceId},
    limits,
    macp::{
        Snapshot, Status, Transition, TurnAwayCause,
        envelope::SESSION_START,
        kernel::{Answer, Input, Kernel, Lookup, Output, StoredSession, digest, parse_ahead},
        modes::Parsed,
    },
    store::{SessionLog, op::CommitError},
    tap::{
        Draft, ExpectedConnections, OriginCell, Tap,
        entry::{
            Direction, Frame, Head as AnyHead, Link, Redaction, Transition as AnyTransition,
            Verdict as AnyVerdict, What,
        },
    },
    time::{Clock, Now},
    w3c::GivenTraceParent,
};

/// What a message may have beside its payload.
pub(super) const ENVELOPE_OVERHEAD_BYTES: u64 = crate::macp::envelope::OVERHEAD_BYTES;

/// A call of the runtime, as [`Input`] has it, to be asked again with what the store has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ask<'a> {
    /// The envelope, its bytes, and the `traceparent` of the call.
    Message(&'a crate::macp::proto::v1::Envelope, &'a bytes::Bytes, Option<&'a GivenTraceParent>),
    Cancel {
        session: &'a str,
        reason: &'a str,
        by: &'a str,
    },
    Look(&'a str),
}

impl<'a> Ask<'a> {
    fn input(self, parsed: Option<&'a Parsed>, peer_sessions: u64, lookup: Lookup<'a>) -> Input<'a> {
        match self {
            Self::Message(envelope, bytes, given) => Input::Message {
                envelope,
                bytes: bytes.clone(),
                parsed,
                traceparent: given.and_then(GivenTraceParent::valid),
                peer_sessions,
                lookup,
            },
            Self::Cancel { session, reason, by } => Input::Cancel { session, reason, by, lookup },
            Self::Look(session) => Input::Look { session, lookup },
        }
    }

    /// Whether a session is to begin.
    fn is_start(self) -> bool {
        matches!(self, Self::Message(envelope, ..) if envelope.message_type == SESSION_START)
    }

    /// The id of the message that asks.
    fn message(self) -> Option<&'a str> {
        match self {
            Self::Message(envelope, ..) => Some(&envelope.message_id),
            Self::Cancel { .. } | Self::Look(_) => None,
        }
    }
}

/// What the lock guards.
pub(super) struct State {
    pub(super) kernel: Kernel,
    pub(super) snapshot: Snapshot,
    pub(super) last_seq: Seq,
    pub(super) journal: Journal,
    pub(super) counters: Counters,
    pub(super) streams: Streams,
    pub(super) openers: Openers,
}

/// The runtime, as every call of it has it.
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// The ticket up to which all is in the log.
    pub(super) durable: AtomicU64,
    /// Held while the log is written, and never while the state is locked.
    pub(super) log: tokio::sync::Mutex<SessionLog>,
    /// The database took something, or refused it.
    pub(super) stored: Notify,
    pub(super) tap: Tap,
    pub(super) clock: Clock,
    pub(super) limits: limits::Macp,
    /// What may stop calls.
    pub(super) gate: Gate,
    pub(super) ended_sessions_max: u64,
    pub(super) ended_sessions_bytes_max: u64,
    /// Whether the data folder's disk is nearly full.
    pub(super) disk_low: Arc<AtomicBool>,
    pub(super) store: StoreWay,
    pub(super) watch: Arc<dyn SessionWatch>,
    pub(super) loading: Semaphore,
    /// Judgements for the workbench that look into the store.
    pub(super) judging: Semaphore,
    /// Looks into the store for rules of the gate.
    pub(super) gate_looks: Semaphore,
    /// Tells of what is left out of a call.
    pub(super) left_out: LeftOutNotices,
    /// Held by the long message that is decided next.
    pub(super) long_turn: tokio::sync::Mutex<()>,
    /// The connections of the port.
    pub(super) connections: Connections,
    /// Those of the workbench's own that are about to come.
    pub(super) expected: Mutex<ExpectedConnections>,
    /// What is being received and is not whole.
    pub(super) unfinished: Unfinished,
    /// The calls that are open.
    pub(super) calls: OpenCalls,
    /// What was turned away.
    pub(super) tally: Tally,
    /// Held while rows are written: who waits for it finds those written that another has taken.
    pub(super) rows_turn: tokio::sync::Mutex<()>,
    /// Wakes the housekeeping.
    pub(super) wake: Notify,
    /// A call failed by a fault of ours while it held the lock.
    pub(super) broken: Notify,
}

/// What was put out for one input.
pub(super) enum StepResult {
    Answer(Answer),
    Load(Arc<str>),
    Nothing,
}

impl Shared {
    /// Bytes of a message, with all that is not its payload.
    pub(super) fn message_bytes_max(&self) -> usize {
        let max = self.limits.payload_bytes_max.saturating_add(ENVELOPE_OVERHEAD_BYTES);
        usize::try_from(max).unwrap_or(usize::MAX)
    }

    /// The state; nothing once a call has failed while it held it.
    pub(super) fn lock(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.state.lock().ok();
        if state.is_none() {
            self.broken.notify_one();
        }
        state
    }

    /// Asks the kernel, and the store where it must be. The answer is not to be given before its ticket is
    /// durable.
    pub(super) async fn ask(&self, call: &Call<'_>, ask: Ask<'_>) -> Answer {
        let answer = self.decide(call, ask).await;
        if let Ask::Message(envelope, _, Some(given)) = ask
            && ask.is_start()
            && let Some(why) = given.left_out()
            && matches!(&answer, Answer::Acked(acked) if acked.error.is_none() && !acked.is_duplicate)
        {
            self.left_out.report(self.clock.now(), &envelope.session_id, why);
        }
        answer
    }

    async fn decide(&self, call: &Call<'_>, ask: Ask<'_>) -> Answer {
        if let Err(answer) = self.turn_of(call).await {
            return answer;
        }
        let parsed = match ask {
            Ask::Message(envelope, ..) => parse_ahead(envelope, &self.limits),
            Ask::Cancel { .. } | Ask::Look(_) => None,
        };
        match self.step(call, ask, parsed.as_ref(), Lookup::NotAsked) {
            StepResult::Answer(answer) => answer,
            StepResult::Nothing => down(),
            StepResult::Load(session) => {
                let Ok(_permit) = self.loading.try_acquire() else {
                    return declined(
                        Status::ResourceExhausted,
                        "too many calls are waiting for sessions from the store (limits.macp.loading_max)",
                    );
                };
                let kept = match self.read(&session, ask.message()).await {
                    Ok(kept) => kept,
                    Err(error) => return declined(Status::Unavailable, &error.to_string()),
                };
                match self.step(call, ask, parsed.as_ref(), Lookup::Found(kept.as_ref())) {
                    StepResult::Answer(answer) => answer,
                    StepResult::Load(_) | StepResult::Nothing => down(),
                }
            }
        }
    }

    async fn read(&self, session: &str, message: Option<&str>) -> Result<Option<StoredSession>, CommitError> {
        if let Some(mut state) = self.lock() {
            state.counters.count_read();
        }
        self.look_up(session, message).await
    }

    /// What the store has of a session.
    pub(super) async fn look_up(
        &self,
        session: &str,
        message: Option<&str>,
    ) -> Result<Option<StoredSession>, CommitError> {
        let closed = || CommitError::Failed("the store is closed".to_owned());
        let (tell, told) = oneshot::channel();
        let store = (self.store)().ok_or_else(closed)?;
        store.session_and_message(
            session.to_owned(),
            message.map(digest),
            Box::new(move |row| drop(tell.send(row))),
        )?;
        let found = told.await.unwrap_or_else(|_| Err(closed()))?;
        Ok(found.and_then(|(row, accepted_ms)| StoredSession::of(&row, accepted_ms)))
    }

    fn step(&self, call: &Call<'_>, ask: Ask<'_>, parsed: Option<&Parsed>, lookup: Lookup<'_>) -> StepResult {
        let now = self.clock.now();
        let Some(mut state) = self.lock() else { return StepResult::Nothing };
        state.kernel.set_disk_low(self.disk_low.load(Ordering::Relaxed));
        let peer_sessions = if ask.is_start() { state.openers.count(&call.caller) } else { 0 };
        state.kernel.handle(now, &ask.input(parsed, peer_sessions, lookup));
        let drained = self.drain(&mut state, now, Some(call));
        if ask.is_start()
            && let StepResult::Answer(Answer::Declined { status: Status::ResourceExhausted, .. }) = &drained
            && let Some(cause) = self.full(&state, peer_sessions)
        {
            self.count_turned_away(&mut state, now, &call.caller, cause);
        }
        drained
    }

    /// The bound of open sessions that is reached for somebody who has so many.
    fn full(&self, state: &State, peer_sessions: u64) -> Option<TurnAwayCause> {
        if state.snapshot.totals.open >= self.limits.open_max {
            return Some(TurnAwayCause::SessionsFull);
        }
        (peer_sessions >= self.limits.peer_sessions_max).then_some(TurnAwayCause::PeerSessions)
    }

    /// Takes all that the kernel puts out.
    pub(super) fn drain(&self, state: &mut State, now: Now, call: Option<&Call<'_>>) -> StepResult {
        let mut cause = call.and_then(|call| call.cause);
        let mut drained = StepResult::Nothing;
        while let Some(output) = state.kernel.poll_output() {
            match output {
                Output::Received { verdict, trace } => {
                    if let Some(call) = call.filter(|call| !call.bytes_are_none) {
                        cause = Some(self.received(state, now, call, verdict, trace));
                    }
                }
                Output::Transition { transition, trace, text } => {
                    state.openers.follow(&transition, call.map(|call| &call.caller));
                    if let Some((trace, session)) = trace.zip(transition.session()) {
                        self.watch.changed(trace, session);
                    }
                    self.emit_transition(state, now, cause, transition, trace, &text);
                }
                Output::Persist { ticket, session, record } => state.journal.push(ticket, session, &record),
                Output::Load { session } => drained = StepResult::Load(session),
                Output::Answer(answer) => drained = StepResult::Answer(answer),
            }
        }
        drained
    }

    /// Reports a call that came.
    pub(super) fn received(
        &self,
        state: &mut State,
        now: Now,
        call: &Call<'_>,
        verdict: crate::macp::Verdict,
        trace: Option<TraceId>,
    ) -> Seq {
        state.snapshot.record_call(&call.head, verdict);
        state.counters.count_call(call.head.rpc, verdict);
        let frame = frame(call, Direction::Inbound, AnyVerdict::Macp(verdict), call.bytes.len());
        state.last_seq = self.tap.emit(Draft {
            at: now,
            link: Link::Macp,
            trace,
            cause: call.caller.passed,
            what: What::Frame(frame),
            bytes: call.bytes,
        });
        let _ = call.entry.set((state.last_seq, trace));
        state.last_seq
    }

    /// Reports a change.
    pub(super) fn emit_transition(
        &self,
        state: &mut State,
        now: Now,
        cause: Option<Seq>,
        transition: Transition,
        trace: Option<TraceId>,
        text: &str,
    ) {
        state.snapshot.follow(&transition, trace, now, text, &self.limits);
        let what = What::Transition(AnyTransition::Macp(transition));
        state.last_seq =
            self.tap.emit(Draft { at: now, link: Link::Macp, trace, cause, what, bytes: text.as_bytes() });
    }

    /// Waits until all up to a ticket is in the log. Whoever is ready says something first: it is written
    /// together.
    ///
    /// # Errors
    /// Why it is not; it is tried again.
    pub(super) async fn durable(&self, after: Ticket) -> Result<(), Arc<str>> {
        if self.is_durable(after) {
            return Ok(());
        }
        tokio::task::yield_now().await;
        if self.is_durable(after) {
            return Ok(());
        }
        self.write().await
    }

    fn is_durable(&self, after: Ticket) -> bool {
        self.durable.load(Ordering::Acquire) >= after.0
    }

    /// Writes what gathered into the log, once there is room. While that fails, it does not try.
    ///
    /// # Errors
    /// Why it is not written; it is kept.
    pub(super) async fn write(&self) -> Result<(), Arc<str>> {
        self.room().await?;
        let failing = self.lock().ok_or_else(|| Arc::<str>::from(FAILED))?.journal.failing.clone();
        failing.map_or(Ok(()), Err)?;
        self.write_out().await
    }

    /// Writes what gathered into the log.
    ///
    /// # Errors
    /// Why it is not written; it is kept.
    pub(super) async fn write_out(&self) -> Result<(), Arc<str>> {
        let mut log = self.log.lock().await;
        let failed = || Arc::<str>::from(FAILED);
        // What gathers meanwhile is for who waits for it.
        let batches = self.lock().ok_or_else(failed)?.journal.batches();
        for _ in 0..batches {
            let gathered = self.lock().ok_or_else(failed)?.journal.take_batch();
            let Some(gathered) = gathered else { break };
            let written = log.append(&gathered.bytes);
            self.on_written(written, gathered)?;
        }
        Ok(())
    }

    fn on_written(&self, written: std::io::Result<u64>, gathered: RecordBatch) -> Result<(), Arc<str>> {
        let now = self.clock.now();
        let mut state = self.lock().ok_or_else(|| Arc::<str>::from(FAILED))?;
        match written {
            Ok(number) => {
                let (through, bytes) = (gathered.through, gathered.record_bytes);
                state.counters.count_write(bytes);
                state.journal.written(number, now.wall, gathered);
                state.kernel.handle(now, &Input::Durable { through, bytes });
                self.durable.store(through.0, Ordering::Release);
                if state.journal.is_much() || state.kernel.is_pressed() {
                    self.wake.notify_one();
                }
                Ok(())
            }
            Err(error) => {
                let why = Arc::<str>::from(format!("the log of sessions: {error}"));
                state.counters.count_failure();
                state.journal.put_back(gathered, Arc::clone(&why));
                self.wake.notify_one();
                Err(why)
            }
        }
    }

    /// Waits while too much is in the log that the database does not have.
    ///
    /// # Errors
    /// The database does not take it.
    async fn room(&self) -> Result<(), Arc<str>> {
        loop {
            let stored = self.stored.notified();
            {
                let state = self.lock().ok_or_else(|| Arc::<str>::from(FAILED))?;
                if state.journal.unstored_bytes() < self.limits.unsaved_bytes_max {
                    return Ok(());
                }
                if let Some(why) = &state.journal.behind {
                    return Err(Arc::clone(why));
                }
            }
            self.wake.notify_one();
            stored.await;
        }
    }
}

/// A call, or its answer, as the tap has it.
pub(super) fn frame(call: &Call<'_>, direction: Direction, verdict: AnyVerdict, bytes: usize) -> Frame {
    Frame {
        direction,
        peer: call.caller.peer.clone(),
        head: AnyHead::Macp(call.head.clone()),
        verdict,
        wire_bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        redaction: Redaction::None,
        origin: call.caller.by_hand.as_ref().map(OriginCell::get),
    }
}

pub(super) fn declined(status: Status, why: &str) -> Answer {
    Answer::Declined { status, why: why.to_owned() }
}

fn down() -> Answer {
    declined(Status::Unavailable, FAILED)
}

/// The answer once a call has failed while it held the state.
pub(super) const FAILED: &str = "internal error in the runtime";
