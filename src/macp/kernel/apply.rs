//! Makes what was decided, and tells of it.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    Input, Kernel, Output,
    decide::{Decided, Decision, Start, message_bytes, session_bytes},
    message_ids::SeenIds,
    session::{End, Session},
};
use crate::{
    ids::{Ticket, TraceId},
    macp::{
        Ending, OpenedText, Transition, Verdict,
        log::{Record, TtlExpired, What},
        modes::{Delta, Response},
        proto::v1::{Envelope, SessionCancelPayload},
    },
    time::Wall,
    words::cut,
};

/// Bytes that the JSON of who may take part may have beside a session's opening.
const LISTED_BYTES_MAX: usize = 4_096;

impl Kernel {
    pub(super) fn follow(&mut self, at_ms: u64, input: &Input<'_>, decided: Decided) {
        let Decided { decision, state, trace, after } = decided;
        let (verdict, answer) = (decision.verdict(), decision.answer(at_ms, state, after));
        let record = match (decision, input) {
            (Decision::Load(session), _) => return self.outputs.push_back(Output::Load { session }),
            (Decision::Start(start), Input::Message { envelope, bytes, traceparent, .. }) => {
                let start = Start { traceparent: traceparent.map(Box::from), ..*start };
                let session = self.new_session(at_ms, envelope, bytes, start);
                self.received(verdict, session.trace);
                self.start(at_ms, session, bytes);
                self.ticket
            }
            (decision, input) => {
                self.received(verdict, trace);
                self.carry_out(at_ms, input, decision).unwrap_or(after)
            }
        };
        if let Some(answer) = answer {
            self.answer(answer.behind(record));
        }
    }

    /// Makes what was decided about a session that is there: the record that must be durable before it is
    /// told, where that is a new one.
    fn carry_out(&mut self, at_ms: u64, input: &Input<'_>, decision: Decision) -> Option<Ticket> {
        match (decision, input) {
            (Decision::Expire(number, _) | Decision::Look(_, Some(number)), _) => {
                Some(self.expire(number, at_ms, true))
            }
            (Decision::Accept(number, response), Input::Message { envelope, bytes, .. }) => {
                self.keep(number, &Record::new(at_ms, What::Incoming(bytes.clone())));
                if let Some(resolution) = self.accept(number, at_ms, envelope, bytes, response) {
                    self.keep(number, &Record::new(at_ms, What::Resolution(resolution.clone())));
                    self.resolve(number, at_ms, resolution);
                }
                Some(self.ticket)
            }
            (Decision::Cancel(number), Input::Cancel { reason, by, .. }) => {
                let is_over = self.sessions.get(&number).is_none_or(|session| session.is_over(at_ms));
                Some(if is_over {
                    self.expire(number, at_ms, true)
                } else {
                    self.cancel(number, at_ms, reason, by)
                })
            }
            // They change nothing.
            _ => None,
        }
    }

    fn received(&mut self, verdict: Verdict, trace: Option<TraceId>) {
        self.outputs.push_back(Output::Received { verdict, trace });
    }

    /// A session as it begins.
    fn new_session(&mut self, at_ms: u64, envelope: &Envelope, bytes: &Bytes, start: Start) -> Box<Session> {
        let number = self.next_number;
        self.next_number += 1;
        begin(number, at_ms, envelope, bytes, start, self.limits.shown_text_bytes_max)
    }

    /// Begins a session, with the message that does so as the first record of its log.
    fn start(&mut self, at_ms: u64, session: Box<Session>, bytes: &Bytes) {
        let number = session.number;
        let traceparent = session.traceparent.as_deref().map(str::to_owned);
        self.emit_opened(&session);
        self.insert(session);
        self.keep(number, &Record { traceparent, ..Record::new(at_ms, What::Incoming(bytes.clone())) });
        if let Some(session) = self.sessions.get_mut(&number) {
            session.state_ticket = session.last;
        }
    }

    /// Puts a session among the others.
    pub(super) fn insert(&mut self, session: Box<Session>) {
        let number = session.number;
        self.next_number = self.next_number.max(number.saturating_add(1));
        self.by_id.insert(Arc::clone(&session.id), number);
        self.bytes += session.bytes;
        match &session.end {
            None => {
                self.open += 1;
                self.expiry.insert((session.expires_ms, number));
            }
            Some(end) => {
                self.closed_bytes += session.bytes;
                self.closed.push_back((end.at_ms, number));
            }
        }
        self.sessions.insert(number, session);
        self.touch(number);
    }

    /// Tells of a session that began.
    pub(super) fn emit_opened(&mut self, session: &Session) {
        let intent = session.intent.to_string();
        let mut room = LISTED_BYTES_MAX;
        let shown = session
            .participants
            .listed()
            .take(usize::try_from(self.limits.shown_senders_max).unwrap_or(usize::MAX));
        let fits = |name: &&str| {
            let taken = name.len() + 3;
            let has_room = taken <= room;
            room = room.saturating_sub(taken);
            has_room
        };
        let participants: Vec<String> = shown.take_while(fits).map(str::to_owned).collect();
        let listed = participants.iter().map(|name| Arc::from(name.as_str())).collect();
        let said = OpenedText { intent, participants };
        let text = serde_json::to_string(&said).unwrap_or_default();
        let opened = Transition::Opened {
            session: session.session_ref(),
            mode: session.mode,
            by: Arc::from(&*session.by),
            participants: session.participants.listed().len() as u64,
            expires_at: Wall(session.expires_ms),
            intent: Arc::from(said.intent),
            listed,
        };
        self.emit_transition(opened, session.trace, text);
    }

    /// Takes a message into a session: what that is to resolve with, if it is.
    pub(super) fn accept(
        &mut self,
        number: u64,
        at_ms: u64,
        envelope: &Envelope,
        bytes: &Bytes,
        response: Response<Delta>,
    ) -> Option<Bytes> {
        let session = self.sessions.get_mut(&number)?;
        let (effect, text) = response.effect(self.limits.shown_text_bytes_max);
        let text = text.into_owned();
        let accepted = Transition::Accepted {
            session: session.session_ref(),
            by: Arc::from(envelope.sender.as_str()),
            effect,
        };
        let trace = session.trace;
        self.bytes += message_bytes(bytes);
        let resolution = session.take(at_ms, envelope, bytes, response);
        self.touch(number);
        self.emit_transition(accepted, trace, text);
        resolution
    }

    pub(super) fn resolve(&mut self, number: u64, at_ms: u64, resolution: Bytes) {
        self.end(number, End { ending: Ending::Resolved, at_ms, why: Box::default(), resolution });
    }

    fn cancel(&mut self, number: u64, at_ms: u64, reason: &str, by: &str) -> Ticket {
        let what = What::SessionCancel(SessionCancelPayload {
            reason: reason.to_owned(),
            cancelled_by: by.to_owned(),
        });
        self.keep(number, &Record::new(at_ms, what));
        self.end(
            number,
            End { ending: Ending::Cancelled, at_ms, why: Box::from(reason), resolution: Bytes::new() },
        );
        self.ticket
    }

    /// Expires a session; `is_noticed` where somebody asked. The record that says so.
    pub(super) fn expire(&mut self, number: u64, at_ms: u64, is_noticed: bool) -> Ticket {
        let Some(session) = self.sessions.get_mut(&number) else { return self.notice_evicted(number, at_ms) };
        let was_unnoticed = std::mem::replace(&mut session.is_unnoticed, !is_noticed);
        let expired = Record::new(at_ms, What::TtlExpired(TtlExpired { is_swept: !is_noticed }));
        if session.end.is_some() {
            if was_unnoticed && is_noticed {
                // What was told on the wire is told after a restart too.
                self.keep(number, &expired);
                self.note(number);
            }
            return self.sessions.get(&number).map_or(Ticket(0), |session| session.last);
        }
        self.keep(number, &expired);
        self.end(
            number,
            End { ending: Ending::TtlExpired, at_ms, why: Box::default(), resolution: Bytes::new() },
        );
        self.ticket
    }

    fn note(&mut self, number: u64) {
        if let Some(session) = self.sessions.get_mut(&number) {
            session.state_ticket = session.last;
        }
        self.touch(number);
        // Its row may be on its way as it was.
        if self.evicting.contains(&number) {
            self.noticed.insert(number);
        }
    }

    /// Somebody asks for a session that the sweep expired, and that is in the store alone. The record that
    /// says so.
    fn notice_evicted(&mut self, number: u64, at_ms: u64) -> Ticket {
        if self.evicted_index.notice(number) {
            self.noticed.insert(number);
            self.keep(number, &Record::new(at_ms, What::TtlExpired(TtlExpired { is_swept: false })));
            self.last_notice = self.ticket;
        }
        self.last_notice
    }

    /// Ends a session, once.
    pub(super) fn end(&mut self, number: u64, end: End) {
        let Some(session) = self.sessions.get_mut(&number) else { return };
        if session.end.is_some() {
            return;
        }
        self.expiry.remove(&(session.expires_ms, number));
        self.open = self.open.saturating_sub(1);
        self.closed.push_back((end.at_ms, number));
        let (session_ref, trace, ending) = (session.session_ref(), session.trace, end.ending);
        let text = match ending {
            Ending::Resolved => String::from_utf8_lossy(&end.resolution).into_owned(),
            Ending::TtlExpired | Ending::Cancelled | Ending::LogDamaged => end.why.to_string(),
        };
        self.bytes += session.finish(end);
        self.closed_bytes += session.bytes;
        session.state_ticket = session.last;
        self.touch(number);
        let text = cut(&text, self.limits.shown_text_bytes_max).to_owned();
        self.emit_transition(Transition::Ended { session: session_ref, ending }, trace, text);
    }

    /// Expires sessions whose TTL is over, and nobody asked.
    pub(super) fn sweep(&mut self, at_ms: u64) {
        /// Sessions of one sweep; the rest are due at once again.
        const SWEEP_MAX: usize = 1_024;
        for _ in 0..SWEEP_MAX {
            match self.expiry.first() {
                Some((expires_ms, number)) if at_ms > *expires_ms => drop(self.expire(*number, at_ms, false)),
                _ => break,
            }
        }
    }
}

/// A session as its start makes it.
pub(super) fn begin(
    number: u64,
    at_ms: u64,
    envelope: &Envelope,
    bytes: &Bytes,
    start: Start,
    text_bytes_max: u64,
) -> Box<Session> {
    let Start { mode_name, mode, payload, participants, ttl_ms, state, traceparent } = start;
    let bytes = session_bytes(envelope, bytes, &participants);
    Box::new(Session {
        number,
        id: Arc::from(envelope.session_id.as_str()),
        mode,
        mode_name,
        started_ms: at_ms,
        expires_ms: at_ms.saturating_add(ttl_ms),
        mode_version: payload.mode_version.into_boxed_str(),
        configuration_version: payload.configuration_version.into_boxed_str(),
        policy_version: payload.policy_version.into_boxed_str(),
        by: Box::from(envelope.sender.as_str()),
        intent: Box::from(cut(&payload.intent, text_bytes_max)),
        participants,
        seen: SeenIds::of(&envelope.message_id, at_ms),
        messages: 0,
        bytes,
        state,
        end: None,
        trace: trace_of(&payload.context),
        traceparent,
        last: Ticket(0),
        state_ticket: Ticket(0),
        is_unnoticed: false,
        is_dirty: false,
        has_shared_ids: false,
    })
}

impl Session {
    /// Takes in a message that its mode has an answer to: what it resolves with, if it does.
    pub(super) fn take(
        &mut self,
        at_ms: u64,
        envelope: &Envelope,
        bytes: &Bytes,
        response: Response<Delta>,
    ) -> Option<Bytes> {
        self.seen.insert(&envelope.message_id, at_ms);
        self.messages += 1;
        self.bytes += message_bytes(bytes);
        match response {
            Response::NoOp => None,
            Response::Persist(delta) => {
                self.state.apply(delta);
                None
            }
            Response::Resolve(resolution) => Some(resolution),
            Response::PersistAndResolve { delta, resolution } => {
                self.state.apply(delta);
                Some(resolution)
            }
        }
    }
}

/// What a session's context says that it belongs to: the key `trace_id` of a JSON object. Anything else
/// belongs to nothing.
pub(super) fn trace_of(context: &[u8]) -> Option<TraceId> {
    const CONTEXT_BYTES_MAX: usize = 65_536;
    #[derive(serde::Deserialize)]
    struct Context {
        trace_id: TraceId,
    }
    let is_object = context.len() <= CONTEXT_BYTES_MAX && context.trim_ascii_start().starts_with(b"{");
    is_object
        .then(|| serde_json::from_slice::<Context>(context).ok())
        .flatten()
        .map(|context| context.trace_id)
}
