//! A kernel with what tests ask of it.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use prost::Message as _;

use crate::{
    ids::Ticket,
    limits,
    macp::{
        Code, Fault, SessionState, Status, Transition, Verdict,
        kernel::{Acked, Answer, Digests, Input, Kernel, Lookup, Output, StoredSession},
        proto::v1::{Envelope, SessionStartPayload},
    },
    store::macp::SessionRow,
    time::{Now, Wall},
};

/// A kernel, its clock, and all that it put out.
pub(super) struct TestKernel {
    pub(super) kernel: Kernel,
    pub(super) ms: u64,
    /// Sessions that the peer of each message has open.
    pub(super) peer_sessions: u64,
    /// The header of the calls.
    pub(super) traceparent: Option<&'static str>,
    /// How far the wall clock was set ahead.
    pub(super) wall_ahead_ms: u64,
    pub(super) transitions: Vec<(Transition, String)>,
    pub(super) log: Vec<(u64, Bytes)>,
    pub(super) tickets: Vec<Ticket>,
    pub(super) verdicts: Vec<Verdict>,
    /// Sessions in the store alone, by their ids.
    pub(super) store: HashMap<String, EvictedSession>,
}

/// A session in the store alone.
#[derive(Clone)]
pub(super) struct EvictedSession {
    pub(super) row: SessionRow,
    digests: Digests,
}

impl EvictedSession {
    /// What is found of it by who asks with a message, or with none.
    pub(super) fn stored_session(&self, message: &str) -> StoredSession {
        StoredSession::of(&self.row, self.digests.at(message)).unwrap()
    }
}

/// An envelope of the current version.
pub(super) fn envelope(
    session: &str,
    message_type: &str,
    id: &str,
    sender: &str,
    payload: impl Into<Bytes>,
) -> Envelope {
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: String::new(),
        message_type: message_type.to_owned(),
        message_id: id.to_owned(),
        session_id: session.to_owned(),
        sender: sender.to_owned(),
        timestamp_unix_ms: 1,
        payload: payload.into(),
    }
}

/// A start of the decision mode with these fields.
pub(super) fn start(session: &str, id: &str, payload: &SessionStartPayload) -> Envelope {
    envelope(session, "SessionStart", id, "alice", payload.encode_to_vec())
}

pub(super) fn participants(names: &[&str]) -> SessionStartPayload {
    SessionStartPayload {
        participants: names.iter().map(ToString::to_string).collect(),
        ..SessionStartPayload::default()
    }
}

pub(super) fn rounds(session: &str, id: &str, names: &[&str]) -> Envelope {
    Envelope { mode: "macp.mode.multi_round.v1".to_owned(), ..start(session, id, &participants(names)) }
}

impl TestKernel {
    pub(super) fn new() -> Self {
        Self::with(limits::Macp::default())
    }

    pub(super) fn with(limits: limits::Macp) -> Self {
        let kernel = Kernel::new(Now::at_ms(0), limits);
        Self {
            kernel,
            ms: 0,
            peer_sessions: 0,
            traceparent: None,
            wall_ahead_ms: 0,
            transitions: Vec::new(),
            log: Vec::new(),
            tickets: Vec::new(),
            verdicts: Vec::new(),
            store: HashMap::new(),
        }
    }

    pub(super) fn now(&self) -> Now {
        let now = Now::at_ms(self.ms);
        Now { wall: Wall(now.wall.0 + self.wall_ahead_ms), ..now }
    }

    /// This moment in Unix milliseconds.
    pub(super) fn unix_ms(&self) -> u64 {
        self.now().wall.0
    }

    /// The answer; [`Output::Load`] as it is.
    #[expect(clippy::needless_pass_by_value, reason = "what is asked is made for the call")]
    pub(super) fn input(&mut self, input: Input<'_>) -> Option<Result<Answer, Arc<str>>> {
        let now = self.now();
        let judged = self.kernel.judge_input(now, &input);
        self.kernel.handle(now, &input);
        let before = self.log.len();
        let mut answer = None;
        let mut received = None;
        while let Some(output) = self.kernel.poll_output() {
            match output {
                Output::Received { verdict, .. } => {
                    assert!(answer.is_none() && received.is_none(), "the verdict comes first");
                    received = Some(verdict);
                    self.verdicts.push(verdict);
                }
                Output::Transition { transition, text, .. } => self.transitions.push((transition, text)),
                Output::Persist { ticket, session, record } => {
                    assert!(self.tickets.last().is_none_or(|last| *last < ticket));
                    self.tickets.push(ticket);
                    self.log.push((session, record));
                }
                Output::Load { session } => answer = Some(Err(session)),
                Output::Answer(it) => answer = Some(Ok(it)),
            }
        }
        if let Some(answer) = &answer {
            let verdict = Some(judged.verdict).filter(|_| judged.load.is_none());
            assert_eq!(verdict, received, "a judgement is what is done");
            let foreseen = match &judged.load {
                Some(session) => Err(Arc::clone(session)),
                None => Ok(undated(judged.answer.clone().unwrap())),
            };
            assert_eq!(foreseen, answer.clone().map(undated), "and so is its answer");
            let changes = self.log.len() > before;
            assert_eq!(judged.effect.is_some(), changes, "{judged:?}");
        }
        answer
    }

    /// What a message is answered with; the store is asked where it must be.
    pub(super) fn receive(&mut self, envelope: &Envelope) -> Answer {
        let bytes = Bytes::from(envelope.encode_to_vec());
        match self
            .input(Input::Message {
                envelope,
                bytes,
                parsed: None,
                peer_sessions: self.peer_sessions,
                traceparent: self.traceparent,
                lookup: Lookup::NotAsked,
            })
            .unwrap()
        {
            Ok(answer) => answer,
            Err(session) => {
                let kept = self.store.get(&*session).map(|moved| moved.stored_session(&envelope.message_id));
                self.receive_with(envelope, Lookup::Found(kept.as_ref()))
            }
        }
    }

    pub(super) fn receive_with(&mut self, envelope: &Envelope, lookup: Lookup<'_>) -> Answer {
        let bytes = Bytes::from(envelope.encode_to_vec());
        self.input(Input::Message {
            envelope,
            bytes,
            parsed: None,
            peer_sessions: self.peer_sessions,
            traceparent: self.traceparent,
            lookup,
        })
        .unwrap()
        .unwrap()
    }

    /// The acknowledgement of a message.
    pub(super) fn send(&mut self, envelope: &Envelope) -> Acked {
        acked(self.receive(envelope))
    }

    pub(super) fn send_text(
        &mut self,
        session: &str,
        message_type: &str,
        id: &str,
        sender: &str,
        payload: &str,
    ) -> Acked {
        self.send(&envelope(session, message_type, id, sender, payload.to_owned()))
    }

    pub(super) fn cancel(&mut self, session: &str, reason: &str) -> Acked {
        let asked = self.input(Input::Cancel { session, reason, by: "", lookup: Lookup::NotAsked }).unwrap();
        acked(asked.unwrap_or_else(|_| {
            let kept = self.store.get(session).map(|moved| moved.stored_session(""));
            let lookup = Lookup::Found(kept.as_ref());
            self.input(Input::Cancel { session, reason, by: "", lookup }).unwrap().unwrap()
        }))
    }

    /// How a session stands, or the status.
    pub(super) fn state_of(&mut self, session: &str) -> Result<SessionState, Status> {
        match self.input(Input::Look { session, lookup: Lookup::NotAsked }).unwrap().unwrap() {
            Answer::Session { metadata, .. } => Ok(metadata.state),
            Answer::Declined { status, .. } => Err(status),
            answer @ Answer::Acked(_) => panic!("{answer:?}"),
        }
    }

    /// Everything that was put out is durable.
    pub(super) fn durable(&mut self) {
        let through = self.tickets.last().copied().unwrap_or_default();
        let bytes = self.log.iter().map(|(_, record)| record.len() as u64).sum();
        assert!(self.input(Input::Durable { through, bytes }).is_none());
    }

    /// Puts into the store what is to be there.
    pub(super) fn evict(&mut self) -> Vec<EvictedSession> {
        let moved = self.kernel.evict(self.now(), Ticket(u64::MAX), usize::MAX);
        let moved: Vec<EvictedSession> =
            moved.into_iter().map(|it| EvictedSession { row: it.row, digests: it.ids.digests() }).collect();
        let numbers: Vec<u64> = moved.iter().map(|it| it.row.number).collect();
        assert!(self.input(Input::Evicted { numbers: &numbers }).is_none());
        drop(self.kernel.take_evicted());
        self.store.extend(moved.iter().map(|it| (it.row.id.clone(), it.clone())));
        moved
    }

    /// The kernel that the log makes.
    pub(super) fn replayed(&self) -> Kernel {
        self.replayed_to(self.log.len())
    }

    /// The kernel that the log's first records make.
    pub(super) fn replayed_to(&self, records: usize) -> Kernel {
        let mut kernel = Kernel::new(Now::at_ms(0), limits::Macp::default());
        for (number, record) in &self.log[..records] {
            kernel.replay(*number, record).unwrap();
        }
        kernel
    }
}

/// An answer without what must be durable before it.
fn undated(answer: Answer) -> Answer {
    match answer {
        Answer::Acked(acked) => Answer::Acked(Acked { after: Ticket(0), ..acked }),
        Answer::Session { metadata, .. } => Answer::Session { metadata, after: Ticket(0) },
        declined @ Answer::Declined { .. } => declined,
    }
}

pub(super) fn acked(answer: Answer) -> Acked {
    match answer {
        Answer::Acked(acked) => acked,
        answer => panic!("{answer:?}"),
    }
}

#[track_caller]
pub(super) fn accepted(acked: &Acked) {
    assert_eq!((&acked.error, acked.is_duplicate), (&None, false), "{acked:?}");
}

#[track_caller]
pub(super) fn refused(acked: &Acked, fault: Fault, code: Code) {
    let error = acked.error.as_ref().map(|(fault, _)| *fault);
    assert_eq!((error, fault.code()), (Some(fault), code), "{acked:?}");
    assert!(!acked.is_duplicate && acked.error.as_ref().is_some_and(|(_, why)| !why.is_empty()));
}
