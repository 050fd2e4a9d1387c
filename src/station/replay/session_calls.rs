//! The calls that what a session reports is caused by.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use bytes::Bytes;

use crate::{
    ids::{Peer, Seq},
    limits,
    macp::{self, ClientView, Head, Request, Rpc, Transition, log},
    port,
    tap::{
        EntryRef,
        entry::{Direction, Frame, Head as AnyHead, Transition as Any, Verdict, What, station},
    },
    words,
};

/// Commands whose sessions may end; the oldest go first.
const COMMANDS_MAX: usize = 64;
/// How a command that is one of these begins, as JSON.
const OF_SESSIONS: &str = r#"{"macp":"#;
/// Who cancelled a session by a command.
const OPERATOR: &str = "operator";

/// A call that a session accepted.
#[derive(Debug)]
pub(super) struct AcceptedCall {
    pub(super) head: Head,
    /// The envelope's bytes, where the call is whole and has one.
    pub(super) envelope: Option<Bytes>,
    peer: Peer,
    /// Why it cancels the session, where it does.
    reason: Option<String>,
}

impl AcceptedCall {
    /// What its message carries.
    pub(super) fn payload(&self) -> Option<Bytes> {
        Some(log::envelope(self.envelope.as_ref()?).ok()?.payload)
    }
}

/// What calls and commands say of a session.
#[derive(Debug)]
pub(super) struct SessionCalls<'a> {
    session: &'a str,
    limits: &'a limits::Macp,
    /// The last one: what it causes comes before the next.
    last: Option<(Seq, AcceptedCall)>,
    /// Commands of operators, and why they cancel sessions.
    commands: BTreeMap<Seq, String>,
    /// Who the clients are.
    clients: macp::Snapshot,
    /// Whether all of them are known.
    knows_clients: bool,
}

impl<'a> SessionCalls<'a> {
    /// Of the session of an id. `clients` are those of before the recording, where they are known.
    pub(super) fn new(
        session: &'a str,
        clients: Option<VecDeque<ClientView>>,
        limits: &'a limits::Macp,
    ) -> Self {
        let knows_clients = clients.is_some();
        let clients = macp::Snapshot { clients: clients.unwrap_or_default(), ..macp::Snapshot::default() };
        Self { session, limits, last: None, commands: BTreeMap::new(), clients, knows_clients }
    }

    /// Takes in the next entry.
    pub(super) fn take(&mut self, entry: EntryRef<'_>) {
        let seq = entry.entry.seq;
        match &entry.entry.what {
            What::Frame(frame) => {
                if let Some(call) = self.accepted(frame, entry.bytes) {
                    self.last = Some((seq, call));
                }
            }
            What::Transition(Any::Macp(Transition::Introduced { .. })) => {
                self.clients.apply(entry.entry, "", self.limits);
            }
            What::Transition(Any::Station(station::Transition::Operated {
                command: Some(command), ..
            })) if command.starts_with(OF_SESSIONS) => {
                self.command(seq, command);
            }
            _ => {}
        }
    }

    fn accepted(&self, frame: &Frame, bytes: &[u8]) -> Option<AcceptedCall> {
        let AnyHead::Macp(head) = &frame.head else { return None };
        let is_accepted = frame.verdict == Verdict::Macp(macp::Verdict::Accepted);
        let is_of_session = head.session.as_deref() == Some(self.session);
        if frame.direction != Direction::Inbound || !is_accepted || !is_of_session {
            return None;
        }
        let takes_any = matches!(head.rpc, Rpc::Send | Rpc::StreamSession | Rpc::CancelSession);
        let is_whole = bytes.len() as u64 == u64::from(frame.wire_bytes);
        let read = || Request::read(head.rpc, &Bytes::copy_from_slice(bytes), self.limits).ok();
        let (mut envelope, mut reason) = (None, None);
        match read().filter(|_| takes_any && is_whole) {
            Some(Request::Message { bytes, .. }) => envelope = Some(bytes),
            Some(Request::Cancel { reason: why, .. }) => reason = Some(why),
            _ => {}
        }
        takes_any.then(|| AcceptedCall { head: head.clone(), envelope, peer: frame.peer.clone(), reason })
    }

    fn command(&mut self, seq: Seq, command: &Arc<str>) {
        let Ok(port::Command::Macp(command)) = serde_json::from_str(command) else { return };
        let (macp::Command::Cancel { reason, .. } | macp::Command::CancelBy { reason, .. }) = command;
        if self.commands.len() >= COMMANDS_MAX {
            self.commands.pop_first();
        }
        self.commands.insert(seq, reason);
    }

    /// The message of the call with this entry.
    pub(super) fn message(&self, call: Seq) -> Option<&AcceptedCall> {
        self.last.as_ref().filter(|(seq, _)| *seq == call).map(|(_, call)| call)
    }

    /// Why a session was cancelled and by whom, of which so much is shown; empty where that is not known.
    pub(super) fn cancellation(&self, cause: Option<Seq>, shown: &str) -> (String, String) {
        let why = |reason: Option<&String>| {
            let is_it = |reason: &&String| words::cut(reason, self.limits.shown_text_bytes_max) == shown;
            reason.filter(is_it).map_or_else(|| shown.to_owned(), Clone::clone)
        };
        if let Some(call) = cause.and_then(|cause| self.message(cause)) {
            return (why(call.reason.as_ref()), self.client(&call.peer));
        }
        match cause.and_then(|cause| self.commands.get(&cause)) {
            Some(reason) => (why(Some(reason)), OPERATOR.to_owned()),
            None => (shown.to_owned(), String::new()),
        }
    }

    /// Who a peer is, as the log has it.
    fn client(&self, peer: &Peer) -> String {
        let known = self.clients.clients.iter().rev().find(|known| known.peer == *peer);
        match known.filter(|known| !known.client.is_empty()) {
            Some(known) => format!("{} ({peer})", known.client),
            None if self.knows_clients => peer.to_string(),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::{
        limits::Limits,
        macp::proto::v1::CancelSessionRequest,
        tap::entry::{Entry, Link, Redaction},
        time::Now,
    };

    fn entry(seq: u64, what: What) -> Entry {
        Entry { seq: Seq(seq), at: Now::at_ms(seq), link: Link::Macp, trace: None, cause: None, what }
    }

    fn cancels(session: &str, reason: &str, verdict: macp::Verdict) -> (What, Vec<u8>) {
        let request = CancelSessionRequest { session_id: session.to_owned(), reason: reason.to_owned() };
        let bytes = request.encode_to_vec();
        let frame = Frame {
            direction: Direction::Inbound,
            peer: "127.0.0.1:9".into(),
            head: AnyHead::Macp(Head { session: Some(session.into()), ..Head::new(Rpc::CancelSession) }),
            verdict: Verdict::Macp(verdict),
            wire_bytes: u32::try_from(bytes.len()).unwrap(),
            redaction: Redaction::None,
            origin: None,
        };
        (What::Frame(frame), bytes)
    }

    #[test]
    fn who_cancelled_a_session_and_why_is_what_the_call_or_the_command_says() {
        let limits = Limits::default().macp;
        let long = "no time ".repeat(100);
        let shown = words::cut(&long, limits.shown_text_bytes_max);
        let of = |clients| {
            let mut calls = SessionCalls::new("s1", clients, &limits);
            for (seq, session, reason, verdict) in [
                (2, "s1", long.as_str(), macp::Verdict::Accepted),
                (3, "s2", "of another", macp::Verdict::Accepted),
                (4, "s1", "refused", macp::Verdict::Declined(macp::Status::NotFound)),
            ] {
                let (what, bytes) = cancels(session, reason, verdict);
                calls.take(EntryRef { entry: &entry(seq, what), bytes: &bytes });
            }
            let command =
                port::Command::Macp(macp::Command::Cancel { session: "s1".to_owned(), reason: long.clone() });
            let command = serde_json::to_string(&command).unwrap();
            let operated = station::Transition::Operated { by: None, command: Some(command.into()) };
            let what = What::Transition(Any::Station(operated));
            calls.take(EntryRef { entry: &entry(5, what), bytes: &[] });
            calls
        };
        let client = ClientView { peer: "127.0.0.1:9".into(), client: "sim".into(), at: Now::at_ms(0) };
        let calls = of(Some([client].into()));
        let said = |calls: &SessionCalls<'_>, cause| calls.cancellation(Some(Seq(cause)), shown);
        assert_eq!(said(&calls, 2), (long.clone(), "sim (127.0.0.1:9)".to_owned()));
        assert_eq!(said(&calls, 5), (long.clone(), "operator".to_owned()));
        assert_eq!(said(&calls, 4), (shown.to_owned(), String::new()), "it was not by this call");
        assert_eq!(said(&of(Some(VecDeque::new())), 2).1, "127.0.0.1:9");
        assert_eq!(said(&of(None), 2).1, "", "who the clients were is not known");
    }
}
