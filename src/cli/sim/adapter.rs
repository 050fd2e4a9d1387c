//! The adapter's side of MPP v2 as a state machine.
//!
//! ```text
//! Away ──Connected──▶ Greeting ──hello_ack──▶ Serving ──┐
//!  ▲                     │ refused                      │ protocol_error, a fault of the station's
//!  └──────Closed─────────┴──────────────────────────────┘
//!
//! a queue:       parked ──invocation──▶ working ──ready_after, or failed──▶ parked (by a pull)
//! an invocation: ack ──½ latency──▶ applied ──½ latency──▶ done
//!                    └─½ latency──▶ failed
//! ```

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use serde_json::json;

use super::{
    chance::{AdapterProfile, SimOutcome},
    event::Event,
    facts::Facts,
    flood::{Flood, Report},
    value,
};
use crate::{
    cli::env::Secret,
    ids::{InvocationId, QueueName},
    mpp::{
        Level, ReadyAfter,
        frame::{Outbound, Persisted, decode_outbound, encode},
    },
    schema::JsonText,
    time::{Mono, Now},
    words::counted,
};

/// Our heartbeat.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);

/// What the adapter says when it fails an invocation.
const FAILED: &str = "the simulated game could not do it";
/// What it says when it fails one with a refund.
const REFUNDED: &str = "the simulated game was in that state already";

/// One thing that happened to the adapter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    /// A connection stands.
    Connected,
    /// One line came.
    Line(&'a [u8]),
    /// The moment of [`Adapter::next_due`] has come.
    Timeout,
    /// The connection is gone.
    Closed,
}

/// One thing that the adapter wants done, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    /// A frame to be sent.
    Send(Vec<u8>),
    /// Something to be told.
    Tell(Event),
    /// The connection is to be closed, for this reason.
    End(End),
}

/// Why a connection is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The handshake was refused with this code.
    Refused(String),
    /// The station sent `protocol_error`.
    ProtocolError(String),
    /// The station broke the protocol.
    Fault(String),
}

/// A simulated adapter.
pub(crate) struct Adapter {
    facts: Facts,
    manner: AdapterProfile,
    token: Secret,
    phase: Phase,
    queues: BTreeMap<QueueName, Slot>,
    work: BTreeMap<InvocationId, Work>,
    due: BTreeMap<(Mono, u64), Due>,
    due_count: u64,
    /// How many values of each key were written, by the key's place among the facts.
    written: Vec<u64>,
    next_key: usize,
    tally: Tally,
    flood: Option<Flood>,
    out: VecDeque<Output>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Away,
    Greeting,
    Serving,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    ready_after: ReadyAfter,
    is_parked: bool,
}

#[derive(Clone, Debug)]
struct Work {
    queue: QueueName,
    fate: SimOutcome,
    is_applied: bool,
}

#[derive(Clone, Copy, Debug)]
enum Due {
    Step(InvocationId),
    Heartbeat,
    Flood,
}

/// What was done with all invocations so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    done: u64,
    failed: u64,
    refunded: u64,
}

impl Adapter {
    /// An adapter that is not connected yet.
    pub(crate) fn new(facts: Facts, manner: AdapterProfile, token: Secret) -> Self {
        let written = vec![0; facts.keys.len()];
        let flood = manner.logs_per_s.map(Flood::new);
        Self {
            facts,
            manner,
            token,
            phase: Phase::Away,
            queues: BTreeMap::new(),
            work: BTreeMap::new(),
            due: BTreeMap::new(),
            due_count: 0,
            written,
            next_key: 0,
            tally: Tally::default(),
            flood,
            out: VecDeque::new(),
        }
    }

    /// Takes one thing in; what it causes comes out of [`poll_output`](Self::poll_output).
    pub(crate) fn handle(&mut self, now: Now, input: Input<'_>) {
        match input {
            Input::Connected => {
                self.forget();
                self.phase = Phase::Greeting;
                let hello = encode::hello(
                    self.facts.pack_id.as_str(),
                    self.facts.manifest_hash.as_str(),
                    self.token.reveal(),
                );
                self.out.push_back(Output::Send(hello));
            }
            Input::Line(line) => self.on_line(now, line),
            Input::Timeout => {}
            Input::Closed => self.forget(),
        }
        self.do_what_is_due(now);
    }

    /// The next thing to be done.
    pub(crate) fn poll_output(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// When to hand in [`Input::Timeout`].
    pub(crate) fn next_due(&self) -> Option<Mono> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    /// Whether the handshake has succeeded on this connection.
    pub(crate) fn is_serving(&self) -> bool {
        self.phase == Phase::Serving
    }

    /// What was done so far.
    pub(crate) fn ended(&self) -> Event {
        let Tally { done, failed, refunded } = self.tally;
        Event::Ended { done, failed, refunded, logs: self.flood.as_ref().map(Flood::sent) }
    }

    /// What was dispatched on a connection that is gone will be requeued by the station, and comes anew.
    fn forget(&mut self) {
        self.phase = Phase::Away;
        self.queues.clear();
        self.work.clear();
        self.due.clear();
    }

    fn on_line(&mut self, now: Now, line: &[u8]) {
        let frame = match decode_outbound(line) {
            Ok(frame) => frame,
            Err(violation) => return self.refuse(violation.to_string()),
        };
        match (self.phase, frame) {
            (Phase::Away, _) => {}
            (_, Outbound::ProtocolError { code, message }) => {
                self.forget();
                self.emit(Event::ProtocolError { code: code.to_string(), message: message.to_string() });
                self.out.push_back(Output::End(End::ProtocolError(format!("{code}: {message}"))));
            }
            (Phase::Greeting, Outbound::HelloAck { broadcaster_login, session_id, persisted }) => {
                let broadcaster_login = broadcaster_login.into_owned();
                self.emit(Event::HelloAck { broadcaster_login, session_id, persisted: persisted.len() });
                self.on_taken(now, &persisted);
            }
            (Phase::Greeting, Outbound::HelloRefused { reason }) => {
                self.forget();
                self.emit(Event::HelloRefused { reason: reason.to_string() });
                self.out.push_back(Output::End(End::Refused(reason.into_owned())));
            }
            (Phase::Greeting, _) => self.refuse("a frame before hello_ack".to_owned()),
            (Phase::Serving, Outbound::Invocation { id, queue, event, .. }) => {
                self.on_invocation(now, id, &queue, &event);
            }
            (Phase::Serving, Outbound::Heartbeat) => self.emit(Event::HeardHeartbeat),
            (Phase::Serving, Outbound::HelloAck { .. } | Outbound::HelloRefused { .. }) => {
                self.refuse("a second hello_ack".to_owned());
            }
        }
    }

    /// Replayed values are applied before anything is written (mpp-v2, persisted).
    fn on_taken(&mut self, now: Now, persisted: &[Persisted<'_>]) {
        self.phase = Phase::Serving;
        let mut fresh = Vec::new();
        for (index, (key, _)) in self.facts.keys.iter().enumerate() {
            match persisted.iter().find(|row| row.key == key.as_str()) {
                Some(row) => {
                    if let (Ok(count), Some(written)) = (row.value.parse(), self.written.get_mut(index)) {
                        *written = count;
                    }
                }
                None => fresh.push(index),
            }
        }
        self.log(format!(
            "simulated adapter of {}: {}, {}",
            self.facts.pack_id,
            counted(self.facts.queues.len(), "queue"),
            counted(self.facts.keys.len(), "key"),
        ));
        for index in fresh {
            self.write_state(index);
        }
        for (queue, ready_after) in self.facts.queues.clone() {
            self.queues.insert(queue.clone(), Slot { ready_after, is_parked: false });
            self.pull(&queue);
        }
        self.plan(now.mono + HEARTBEAT_EVERY, Due::Heartbeat);
        if let Some(flood) = &mut self.flood {
            let due = flood.begin(now.mono);
            self.plan(due, Due::Flood);
        }
    }

    fn on_invocation(&mut self, now: Now, id: InvocationId, queue: &str, event: &str) {
        let queue = QueueName::new(queue);
        match self.queues.get_mut(&queue) {
            Some(slot) if slot.is_parked => slot.is_parked = false,
            Some(_) => return self.refuse(format!("received invocation {id} on {queue} without a pull")),
            None => {
                return self
                    .refuse(format!("received invocation {id} on {queue}, which the pack does not declare"));
            }
        }
        self.emit(Event::Invocation { id, queue: queue.clone(), name: event.to_owned() });
        self.out.push_back(Output::Send(encode::ack(id)));
        self.work.insert(id, Work { queue, fate: self.manner.outcome(id), is_applied: false });
        self.plan(now.mono + self.manner.latency / 2, Due::Step(id));
    }

    fn do_what_is_due(&mut self, now: Now) {
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 <= now.mono) {
            match entry.remove() {
                Due::Heartbeat => {
                    self.emit(Event::Heartbeat);
                    self.out.push_back(Output::Send(encode::heartbeat()));
                    self.plan(now.mono + HEARTBEAT_EVERY, Due::Heartbeat);
                }
                Due::Step(id) => self.step(now, id),
                Due::Flood => self.pour(now),
            }
        }
    }

    /// Moves an invocation on by one frame, and pulls again once its queue is ready.
    fn step(&mut self, now: Now, id: InvocationId) {
        let Some(work) = self.work.get_mut(&id) else { return };
        let queue = work.queue.clone();
        let ready_after = self.queues.get(&queue).map(|slot| slot.ready_after).unwrap_or_default();
        match (work.fate, work.is_applied) {
            (SimOutcome::Done, false) => {
                work.is_applied = true;
                self.emit(Event::Applied { id });
                let result = json!({ "by": "sim adapter" }).to_string();
                self.out.push_back(Output::Send(encode::applied(id, Some(&result))));
                self.plan(now.mono + self.manner.latency / 2, Due::Step(id));
                if ready_after == ReadyAfter::Applied {
                    self.pull(&queue);
                }
            }
            (SimOutcome::Done, true) => {
                self.work.remove(&id);
                self.tally.done += 1;
                self.emit(Event::Done { id });
                self.out.push_back(Output::Send(encode::done(id)));
                self.write_next_state();
                if ready_after == ReadyAfter::Done {
                    self.pull(&queue);
                }
            }
            (SimOutcome::Failed, _) => self.fail(id, &queue, FAILED, false),
            (SimOutcome::Refunded, _) => self.fail(id, &queue, REFUNDED, true),
        }
    }

    fn fail(&mut self, id: InvocationId, queue: &QueueName, reason: &'static str, refund: bool) {
        self.work.remove(&id);
        let count = if refund { &mut self.tally.refunded } else { &mut self.tally.failed };
        *count += 1;
        self.emit(Event::Failed { id, reason, refund });
        self.out.push_back(Output::Send(encode::failed(id, reason, refund)));
        self.pull(queue);
    }

    fn pull(&mut self, queue: &QueueName) {
        if let Some(slot) = self.queues.get_mut(queue) {
            slot.is_parked = true;
            self.emit(Event::Pull { queue: queue.clone() });
            self.out.push_back(Output::Send(encode::pull(queue.as_str())));
        }
    }

    /// Writes the next value of the next key, in turn.
    fn write_next_state(&mut self) {
        if let Some(index) = self.next_key.checked_rem(self.facts.keys.len()) {
            self.next_key = self.next_key.wrapping_add(1);
            self.write_state(index);
        }
    }

    fn write_state(&mut self, index: usize) {
        let (Some((key, decl)), Some(written)) = (self.facts.keys.get(index), self.written.get_mut(index))
        else {
            return;
        };
        let Some(text) = value::nth(decl, *written + 1) else { return };
        *written += 1;
        let scope = decl.persist.then(|| format!("sim:{}", self.manner.seed));
        let frame = encode::state_write(key.as_str(), &text, scope.as_deref());
        let key = key.clone();
        if let Ok(value) = JsonText::parse(&text) {
            self.emit(Event::StateWrite { key, value });
        }
        self.out.push_back(Output::Send(frame));
    }

    /// The log frames that are due.
    fn pour(&mut self, now: Now) {
        let Some(flood) = &mut self.flood else { return };
        let out = &mut self.out;
        let due =
            flood.pour(now.mono, |level, message| out.push_back(Output::Send(encode::log(level, message))));
        if let Some(Report { logs, asked, ms }) = flood.report(now.mono) {
            self.emit(Event::Flooded { logs, asked, ms });
        }
        self.plan(due, Due::Flood);
    }

    fn log(&mut self, message: String) {
        self.out.push_back(Output::Send(encode::log(Level::Info, &message)));
        self.emit(Event::Log { message });
    }

    /// The station broke the protocol: it is told so, and left.
    fn refuse(&mut self, message: String) {
        self.forget();
        self.emit(Event::Refused { message: message.clone() });
        self.out.push_back(Output::Send(encode::protocol_error("INVALID_FRAME", &message)));
        self.out.push_back(Output::End(End::Fault(message)));
    }

    fn emit(&mut self, event: Event) {
        self.out.push_back(Output::Tell(event));
    }

    fn plan(&mut self, at: Mono, due: Due) {
        self.due_count += 1;
        self.due.insert((at, self.due_count), due);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
