//! What is made by hand at the bridge: connections of the workbench's own, and frames put into the adapter's.

use std::sync::Arc;

use super::run::Host;
use crate::{
    ids::ConnectionId,
    mpp::{
        Input, Stand,
        framing::{Framed, first},
    },
    tap::{
        ExpectedConnections, PutError,
        entry::{Direction, FrameOrigin, Head},
    },
    time::Now,
};

/// What is made by hand.
#[derive(Debug, Default)]
pub(super) struct ByHand {
    /// Connections of the workbench's own that are about to come.
    pub(super) expected: ExpectedConnections,
    /// Which way goes what is put into a connection now, and who made it.
    pub(super) putting: Option<(Direction, Arc<FrameOrigin>)>,
}

impl ByHand {
    /// Who made what goes this way now, and how; nobody where it is the peer's or the bridge's own.
    pub(super) fn origin(&self, direction: Direction) -> Option<Arc<FrameOrigin>> {
        self.putting.as_ref().filter(|(way, _)| *way == direction).map(|(_, origin)| Arc::clone(origin))
    }
}

impl Host {
    /// Puts one whole frame into the adapter's connection, where no frame of its own is on its way.
    pub(super) fn put(
        &mut self,
        now: Now,
        direction: Direction,
        bytes: &[u8],
        origin: Arc<FrameOrigin>,
    ) -> Result<(), PutError> {
        let id = self.bridge.adapter().ok_or(PutError::Gone)?;
        self.cause = None;
        self.by_hand.putting = Some((direction, origin));
        let done = match direction {
            Direction::Inbound => self.put_in(now, id, bytes),
            Direction::Outbound => self.put_out(now, id, bytes),
        };
        self.by_hand.putting = None;
        done
    }

    fn put_in(&mut self, now: Now, id: ConnectionId, bytes: &[u8]) -> Result<(), PutError> {
        let conn = self.conns.get(&id).ok_or(PutError::Gone)?;
        let pending = conn.framer.pending_bytes();
        if pending > 0 || conn.gated.holds_line() {
            return Err(PutError::MidFrame { bytes: pending as u64 });
        }
        match first(bytes) {
            Some(Framed::Line(wire)) if wire.len() == bytes.len() => {
                // Where the gate stops it, it waits as a line of the adapter does.
                self.take_line(now, id, wire);
            }
            Some(Framed::TooLarge(wire)) => {
                self.bridge.handle(now, Input::TooLarge { conn: id, wire });
                self.drain_line(now, wire);
            }
            Some(Framed::Line(wire)) => {
                let more = bytes.len() - wire.len();
                return Err(PutError::NotWhole(format!("{more} bytes follow the first line")));
            }
            None => return Err(PutError::NotWhole("the line has no LF".to_owned())),
        }
        Ok(())
    }

    fn put_out(&mut self, now: Now, id: ConnectionId, bytes: &[u8]) -> Result<(), PutError> {
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        if lines != 1 || !bytes.ends_with(b"\n") {
            return Err(PutError::NotWhole("a frame is one line with its LF at its end".to_owned()));
        }
        let Head::Mpp(head) = self.bridge.judge(now, &Stand::Towards(id), bytes).head else {
            return Err(PutError::NotWhole("no frame of the bridge".to_owned()));
        };
        let conn = self.conns.get(&id).ok_or(PutError::Gone)?;
        if !conn.has_room(bytes.len()) {
            return Err(PutError::Full);
        }
        self.transmit(now, id, head, bytes, None);
        Ok(())
    }
}
