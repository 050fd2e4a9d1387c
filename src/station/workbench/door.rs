//! An open door.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use super::{call::CallDoor, stream::StreamDoor};
use crate::{
    ids::ConnectionId,
    port::{DoorSpec, HostState, WorkbenchError},
    station::status::StationStatus,
    tap::{
        OriginCell,
        entry::{Direction, Door as Way, FrameOrigin, station::OperatedBy},
    },
    time::Mono,
};

/// What a door leads to.
#[derive(Debug)]
pub(super) enum Leads {
    /// A connection of its own.
    Stream(StreamDoor),
    /// A call of its own.
    Call(CallDoor),
    /// A peer's connection.
    Place,
}

/// An open door.
#[derive(Debug)]
pub(super) struct Door {
    pub(super) number: u64,
    pub(super) spec: DoorSpec,
    /// Who it is to the host.
    pub(super) peer: String,
    pub(super) origin: OriginCell,
    pub(super) leads: Leads,
    /// How often its host had come up when it was opened.
    host_starts: u64,
    /// One frame after the other.
    pub(super) sending: tokio::sync::Mutex<()>,
    /// When it was used last, in nanoseconds.
    used: AtomicU64,
    /// What was sent over its connection and is no whole frame yet.
    unfinished: Mutex<Vec<u8>>,
    /// Why it is closed.
    closed: Mutex<Option<String>>,
}

impl Door {
    pub(super) fn new(
        origin: OriginCell,
        spec: DoorSpec,
        (peer, leads): (String, Leads),
        host_starts: u64,
        now: Mono,
    ) -> Self {
        let of = origin.get();
        Self {
            number: of.number,
            spec,
            peer,
            origin,
            leads,
            host_starts,
            sending: tokio::sync::Mutex::new(()),
            used: AtomicU64::new(now.0),
            unfinished: Mutex::default(),
            closed: Mutex::new(None),
        }
    }

    /// Notes that it was used.
    pub(super) fn touch(&self, now: Mono) {
        self.used.fetch_max(now.0, Ordering::Relaxed);
    }

    /// When anything went through it last, in either direction.
    pub(super) fn used(&self) -> Mono {
        let sent = Mono(self.used.load(Ordering::Relaxed));
        match &self.leads {
            Leads::Stream(stream) => sent.max(stream.heard()),
            Leads::Call(_) | Leads::Place => sent,
        }
    }

    /// Bytes that were sent and are no whole frame yet.
    pub(super) fn unfinished(&self) -> Vec<u8> {
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what was sent, and how much of all became frames.
    pub(super) fn note_sent(&self, bytes: &[u8], taken: u64, bytes_max: u64) {
        let mut left = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        left.extend_from_slice(bytes);
        let taken = usize::try_from(taken).unwrap_or(usize::MAX).min(left.len());
        left.drain(..taken);
        if left.len() as u64 > bytes_max {
            left.clear();
        }
    }

    /// Notes why it is closed; the first reason stays.
    pub(super) fn close(&self, why: &str) {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.to_owned());
    }

    /// Why it is closed, if it is.
    pub(super) fn closed(&self) -> Option<String> {
        let closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        closed.or_else(|| match &self.leads {
            Leads::Stream(stream) => stream.ended(),
            Leads::Call(call) => call.ended(),
            Leads::Place => None,
        })
    }

    /// Why its host is no longer the one that it was opened at, if that is so.
    pub(super) fn host_gone(&self, status: &StationStatus) -> Option<String> {
        let link = self.spec.link();
        match status.host(link) {
            (_, HostState::Down(_)) => Some(format!("{} is down", link.title())),
            (starts, _) if starts != self.host_starts => Some(format!("{} was restarted", link.title())),
            _ => None,
        }
    }

    /// Which way frames go through it.
    pub(super) const fn direction(&self) -> Direction {
        match self.spec.way() {
            Way::AsStation => Direction::Outbound,
            Way::Own | Way::AsPeer | Way::Gate => Direction::Inbound,
        }
    }

    /// Whether a frame came through it: frames that were edited at the gate have numbers of their own.
    pub(super) fn is_of(&self, origin: &FrameOrigin) -> bool {
        (origin.number, origin.door) == (self.number, self.spec.way())
    }

    /// Its session of the bus, of a connection of its own there.
    pub(super) fn session(&self) -> Option<ConnectionId> {
        let number = self.peer.strip_prefix("session ")?.parse().ok()?;
        matches!(self.spec, DoorSpec::Peer { .. }).then_some(ConnectionId(number))
    }

    /// The error of who uses it although it is closed.
    pub(super) fn gone(&self) -> WorkbenchError {
        WorkbenchError::NoWorkbench { door: self.number, why: self.closed() }
    }
}

/// The origin of what goes through a door.
pub(super) fn origin(spec: &DoorSpec, number: u64, by: OperatedBy) -> OriginCell {
    OriginCell::new(FrameOrigin { by, door: spec.way(), number, of: None })
}
