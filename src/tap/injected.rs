//! What hosts know of frames that are made by hand: whose connections are the workbench's, and why a frame is
//! not put into a peer's connection.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::entry::FrameOrigin;
use crate::{ids::Seq, time::Mono};

/// The origin of what crosses a connection of the workbench's own, which its host learns as it is accepted.
#[derive(Clone, Debug)]
pub struct OriginCell(Arc<Mutex<Arc<FrameOrigin>>>);

impl OriginCell {
    /// Of a connection that is about to be made.
    #[must_use]
    pub fn new(origin: FrameOrigin) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(origin))))
    }

    /// That of the next frame.
    #[must_use]
    pub fn get(&self) -> Arc<FrameOrigin> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes which captured frame the next ones are made of.
    pub fn set_of(&self, of: Option<Seq>) {
        let mut origin = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if origin.of != of {
            *origin = Arc::new(FrameOrigin { of, ..FrameOrigin::clone(&origin) });
        }
    }
}

/// Connections that are about to come at one time; the oldest is forgotten.
const EXPECTED_MAX: usize = 64;

/// How long one may take to come; a later one from there is somebody else's.
const EXPECTED_FOR: Duration = Duration::from_secs(10);

/// Connections of the workbench's own that are about to come, by where they come from.
#[derive(Debug, Default)]
pub struct ExpectedConnections(VecDeque<(SocketAddr, Mono, OriginCell)>);

impl ExpectedConnections {
    /// Notes whose the connection from there will be.
    pub fn add(&mut self, now: Mono, from: SocketAddr, origin: OriginCell) {
        if self.0.len() >= EXPECTED_MAX {
            self.0.pop_front();
        }
        self.0.push_back((canonical(from), now + EXPECTED_FOR, origin));
    }

    /// Whose a connection is that came from there, once.
    pub fn take(&mut self, now: Mono, from: SocketAddr) -> Option<OriginCell> {
        if self.0.is_empty() {
            return None;
        }
        self.0.retain(|(_, until, _)| now < *until);
        let from = canonical(from);
        let at = self.0.iter().position(|(addr, ..)| *addr == from)?;
        self.0.remove(at).map(|(.., origin)| origin)
    }
}

/// An address as the other end names it: one of IPv4 is no IPv6 address that stands for it.
fn canonical(addr: SocketAddr) -> SocketAddr {
    SocketAddr::new(addr.ip().to_canonical(), addr.port())
}

/// Why a frame is not put into a peer's connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PutError {
    /// The peer is not there.
    #[error("it is not connected")]
    Gone,
    /// A frame of its own is on its way.
    #[error("it is in the middle of a frame: {bytes} bytes have come")]
    MidFrame {
        /// Bytes of that which have come.
        bytes: u64,
    },
    /// The bytes are not one whole frame.
    #[error("{0}")]
    NotWhole(String),
    /// Its send buffer has no room.
    #[error("its send buffer is full")]
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tap::entry::{Door, station::OperatedBy};

    #[test]
    fn what_a_frame_was_made_of_is_noted_for_those_that_follow() {
        let origin = FrameOrigin { by: OperatedBy::own_console(), door: Door::Own, number: 2, of: None };
        let cell = OriginCell::new(origin);
        let (host, before) = (cell.clone(), cell.get());
        cell.set_of(Some(Seq(7)));
        assert_eq!((before.of, host.get().of, host.get().number), (None, Some(Seq(7)), 2));
        let same = host.get();
        cell.set_of(Some(Seq(7)));
        assert!(Arc::ptr_eq(&same, &host.get()), "it is made anew where it differs alone");
    }

    #[test]
    fn a_connection_is_expected_once_and_so_many_at_one_time() {
        let cell = |number| {
            let by = OperatedBy::own_console();
            OriginCell::new(FrameOrigin { by, door: Door::Own, number, of: None })
        };
        let from = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let mut expected = ExpectedConnections::default();
        let at = |ms| crate::time::Now::at_ms(ms).mono;
        (1..=65).for_each(|number| expected.add(at(0), from(number), cell(u64::from(number))));
        let mut take = |ms, from| expected.take(at(ms), from).map(|cell| cell.get().number);
        assert_eq!(take(1, from(1)), None, "the oldest of 65 is forgotten");
        assert_eq!((take(1, from(65)), take(1, from(65))), (Some(65), None));
        let mapped: SocketAddr = "[::ffff:127.0.0.1]:64".parse().unwrap();
        assert_eq!(take(1, mapped), Some(64), "a port of both families names it so");
        assert_eq!(take(10_000, from(63)), None, "after 10 s it is somebody else's");
    }
}
