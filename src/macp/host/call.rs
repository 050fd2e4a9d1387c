//! A call as the tap tells of it.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::{
    admission::Origin,
    ids::{ConnectionId, Peer, Seq, TraceId},
    limits,
    macp::{Answered, Head, Rpc, proto::v1::Envelope},
    words::cut,
};

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Caller {
    /// From where: an address and a port, which others have once it is gone.
    pub(super) peer: Peer,
    /// Whose share of the port it has.
    pub(super) origin: Origin,
    /// By which connection; the station calls by none.
    pub(super) connection: Option<ConnectionId>,
}

/// A call that is worked on.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    pub(super) head: Head,
    pub(super) caller: Caller,
    pub(super) bytes: &'a [u8],
    /// Whether it came by no wire: the station's own.
    pub(super) bytes_are_none: bool,
    /// What caused it, where that is no frame.
    pub(super) cause: Option<Seq>,
    /// Its place in the tap and what it belongs to, once it was told of: its answer follows it.
    pub(super) entry: OnceLock<(Seq, Option<TraceId>)>,
}

impl<'a> Call<'a> {
    /// A call of a client.
    pub(super) fn new(rpc: Rpc, caller: &Caller, bytes: &'a Bytes) -> Self {
        Self {
            head: Head::new(rpc),
            caller: caller.clone(),
            bytes,
            bytes_are_none: false,
            cause: None,
            entry: OnceLock::new(),
        }
    }

    /// A call of the station's own.
    pub(super) fn of_station(rpc: Rpc, peer: &Peer, cause: Option<Seq>) -> Self {
        Self {
            head: Head::new(rpc),
            caller: Caller { peer: peer.clone(), origin: Origin::Unknown, connection: None },
            bytes: &[],
            bytes_are_none: true,
            cause,
            entry: OnceLock::new(),
        }
    }

    /// Of a session.
    pub(super) fn about(mut self, session: &str, limits: &limits::Macp) -> Self {
        self.head.session = bounded_text(session, limits);
        self
    }

    /// With an envelope.
    pub(super) fn with(mut self, envelope: &Envelope, limits: &limits::Macp) -> Self {
        self.head.session = bounded_text(&envelope.session_id, limits);
        self.head.message_type = bounded_text(&envelope.message_type, limits);
        self.head.message_id = bounded_text(&envelope.message_id, limits);
        self.head.sender = bounded_text(&envelope.sender, limits);
        self
    }

    /// Its answer.
    pub(super) fn answered(&self, answer: Answered) -> Call<'static> {
        let head = Head { answer: Some(answer), ..self.head.clone() };
        Call {
            head,
            caller: self.caller.clone(),
            bytes: &[],
            bytes_are_none: false,
            cause: None,
            entry: self.entry.clone(),
        }
    }
}

fn bounded_text(text: &str, limits: &limits::Macp) -> Option<Arc<str>> {
    (!text.is_empty()).then(|| Arc::from(cut(text, limits.id_bytes_max)))
}
