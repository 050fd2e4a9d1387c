//! A call's request as it was read, and the judgement of it as all protocols give theirs.

use bytes::Bytes;
use prost::Message;

use super::{Answer, Input, Judgement, Lookup, parse_ahead};
use crate::{
    judged::{self, Judged, Shortfall},
    limits,
    macp::{
        Answered, Declined, Head, Request, Rpc, Stand, Status, Verdict, envelope::SESSION_START, malformed,
        modes::Parsed, reply,
    },
    tap::entry::{Head as AnyHead, Verdict as AnyVerdict},
    words::cut,
};

/// Bytes of a name that an effect says.
const NAME_BYTES_MAX: u64 = 64;

/// A request that was read and is to be judged. Making it and giving the judgement take no kernel.
#[derive(Clone, Debug)]
pub struct Reading {
    rpc: Rpc,
    head: Head,
    request: Result<Request, Declined>,
    parsed: Option<Parsed>,
    bytes: Bytes,
}

impl Reading {
    /// Reads a request.
    #[must_use]
    pub fn new(stand: &Stand, bytes: &Bytes, limits: &limits::Macp) -> Self {
        let rpc = stand.rpc;
        let request = Request::read(rpc, bytes, limits);
        let head = request.as_ref().map_or(Head::new(rpc), |request| request.head(rpc, limits));
        let parsed = match &request {
            Ok(Request::Message { envelope, .. }) => parse_ahead(envelope, limits),
            _ => None,
        };
        Self { rpc, head, request, parsed, bytes: bytes.clone() }
    }

    /// What the kernel is asked; nothing of a call that it does not see.
    #[must_use]
    pub fn input<'a>(&'a self, peer_sessions: u64, lookup: Lookup<'a>) -> Option<Input<'a>> {
        match self.request.as_ref().ok()? {
            Request::Message { envelope, bytes } => Some(Input::Message {
                envelope,
                bytes: bytes.clone(),
                parsed: self.parsed.as_ref(),
                traceparent: None,
                peer_sessions,
                lookup,
            }),
            Request::Look { session } => Some(Input::Look { session, lookup }),
            Request::Cancel { session, reason } => Some(Input::Cancel { session, reason, by: "", lookup }),
            Request::Initialize(_) | Request::Manifest | Request::Modes | Request::Roots => None,
        }
    }

    /// What the request is, as far as it could be read.
    #[must_use]
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Whether a session is to begin.
    #[must_use]
    pub fn is_start(&self) -> bool {
        let Ok(Request::Message { envelope, .. }) = &self.request else { return false };
        envelope.message_type == SESSION_START
    }

    /// The id of the message that asks.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        match &self.request {
            Ok(Request::Message { envelope, .. }) => Some(&envelope.message_id),
            _ => None,
        }
    }

    /// The judgement; `judgement` is the kernel's of [`input`](Self::input).
    #[must_use]
    pub fn judged(self, judgement: Option<Judgement>) -> Judged {
        let Self { rpc, head, request, bytes, .. } = self;
        let taken_bytes = bytes.len();
        let of = |verdict| Judged {
            taken_bytes,
            ..Judged::certain(AnyHead::Macp(head.clone()), AnyVerdict::Macp(verdict))
        };
        let request = match request {
            Ok(request) => request,
            Err(declined) => {
                let shortfall = malformed::find(rpc, &bytes).filter(|_| declined.0 == Status::Internal);
                let shortfall = shortfall.map(|(expected, byte)| Shortfall {
                    expected: expected.to_owned(),
                    got: declined.1.clone(),
                    byte,
                });
                return Judged { shortfall, ..declined_with(of, declined) };
            }
        };
        let Some(judgement) = judgement else {
            let mut judged = of(Verdict::Accepted);
            if let Request::Initialize(message) = &request {
                judged.effect = reply::client_name(message)
                    .map(|name| format!("client {} introduced", cut(name, NAME_BYTES_MAX)));
            }
            return answered(judged, &head, plain(&request));
        };
        let Judgement { verdict, answer, effect, watched, holds_until, certainty, doubts, .. } = judgement;
        let mut judged = Judged { effect, holds_until, certainty, doubts, ..of(verdict) };
        if let Some(trace) = watched {
            judged.receiver(|| format!("watchers of {trace}"));
        }
        match answer {
            Some(answer) => answered(judged, &head, told(rpc, request, answer)),
            None => judged,
        }
    }
}

/// A judgement by which the call ends with a status.
fn declined_with(of: impl FnOnce(Verdict) -> Judged, (status, why): Declined) -> Judged {
    Judged { ends: Some(ends(status, &why)), ..of(Verdict::Declined(status)) }
}

/// How a call's end with a status is put.
fn ends(status: Status, why: &str) -> String {
    format!("{}: {why}", status.name())
}

/// A judgement with its answer, or with the status in its place.
fn answered(judged: Judged, head: &Head, answer: Result<(Answered, Vec<u8>), Declined>) -> Judged {
    match answer {
        Ok((says, bytes)) => {
            let head = AnyHead::Macp(Head { answer: Some(says), ..head.clone() });
            Judged { answers: vec![judged::Answer { head, bytes }], ..judged }
        }
        Err(declined) => declined_with(
            |verdict| Judged { verdict: Ok(AnyVerdict::Macp(verdict)), effect: None, ..judged },
            declined,
        ),
    }
}

/// The answer to a request that the kernel does not see.
fn plain(request: &Request) -> Result<(Answered, Vec<u8>), Declined> {
    let bytes = match request {
        Request::Initialize(message) => reply::initialize(message)?.encode_to_vec(),
        Request::Manifest => reply::manifest().encode_to_vec(),
        Request::Modes => reply::modes().encode_to_vec(),
        Request::Roots => reply::roots().encode_to_vec(),
        Request::Message { .. } | Request::Look { .. } | Request::Cancel { .. } => Vec::new(),
    };
    Ok((Answered::Ok, bytes))
}

/// The answer of the kernel to a request, as the service gives it.
fn told(rpc: Rpc, request: Request, answer: Answer) -> Result<(Answered, Vec<u8>), Declined> {
    let acked = match answer {
        Answer::Declined { status, why } => return Err((status, why)),
        Answer::Session { metadata, .. } => {
            return Ok((Answered::Ok, reply::session(metadata).encode_to_vec()));
        }
        Answer::Acked(acked) => acked,
    };
    let says = acked.answered();
    let bytes = match request {
        Request::Message { envelope, .. } if rpc == Rpc::StreamSession => {
            reply::streamed(*envelope, &acked).encode_to_vec()
        }
        Request::Message { envelope, .. } => {
            reply::sent(acked, envelope.session_id, envelope.message_id).encode_to_vec()
        }
        Request::Cancel { session, .. } => reply::cancelled(acked, session).encode_to_vec(),
        _ => Vec::new(),
    };
    Ok((says, bytes))
}
