//! A call as the tap tells of it.

use std::{
    hash::{Hash, Hasher},
    sync::OnceLock,
};

use bytes::Bytes;

use crate::{
    admission::Origin,
    ids::{ConnectionId, Peer, Seq, TraceId},
    limits,
    macp::{
        Answered, Head, Rpc,
        proto::v1::Envelope,
        request::{with_envelope, with_session},
    },
    tap::OriginCell,
};

/// Who calls. Whether it is the workbench makes nobody another one.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// From where: an address and a port, which others have once it is gone.
    pub(super) peer: Peer,
    /// Whose share of the port it has.
    pub(super) origin: Origin,
    /// By which connection; the station calls by none.
    pub(super) connection: Option<ConnectionId>,
    /// Whose it is, where it is the workbench's own.
    pub(super) by_hand: Option<OriginCell>,
    /// The entry that let its request pass at the gate.
    pub(super) passed: Option<Seq>,
}

impl Caller {
    const fn key(&self) -> (&Peer, Origin, Option<ConnectionId>) {
        (&self.peer, self.origin, self.connection)
    }
}

impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Caller {}

impl Hash for Caller {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
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
            cause: caller.passed,
            entry: OnceLock::new(),
        }
    }

    /// A call of the station's own.
    pub(super) fn of_station(rpc: Rpc, peer: &Peer, cause: Option<Seq>) -> Self {
        Self {
            head: Head::new(rpc),
            caller: Caller {
                peer: peer.clone(),
                origin: Origin::Unknown,
                connection: None,
                by_hand: None,
                passed: None,
            },
            bytes: &[],
            bytes_are_none: true,
            cause,
            entry: OnceLock::new(),
        }
    }

    /// Of a session.
    pub(super) fn about(mut self, session: &str, limits: &limits::Macp) -> Self {
        self.head = with_session(self.head, session, limits);
        self
    }

    /// With an envelope.
    pub(super) fn with(mut self, envelope: &Envelope, limits: &limits::Macp) -> Self {
        self.head = with_envelope(self.head.rpc, envelope, limits);
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
