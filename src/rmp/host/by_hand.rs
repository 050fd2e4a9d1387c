//! What is made by hand on the bus: connections of the workbench's own, and frames put into a session's.

use std::{cell::RefCell, os::unix::net::UnixStream as StdStream, rc::Rc, sync::Arc};

use tokio::{net::UnixStream, sync::oneshot};

use super::{listen::accept, run::Host};
use crate::{
    ids::ConnectionId,
    tap::{
        OriginCell, PutError,
        entry::{Direction, FrameOrigin},
    },
    time::Now,
};

/// Takes a connection in that the station made itself, and says which session it is; nothing is said of one
/// for which there is no place.
pub(super) fn adopt(
    host: &Rc<RefCell<Host>>,
    stream: StdStream,
    origin: OriginCell,
    answer: oneshot::Sender<ConnectionId>,
) {
    let session =
        UnixStream::from_std(stream).ok().and_then(|stream| accept(host, stream, false, Some(origin)));
    if let Some(session) = session {
        let _ = answer.send(session);
    }
}

impl Host {
    /// Puts whole frames into a session's connection, as if the broker had sent them: what leaves to it is
    /// always at a border.
    pub(super) fn put(
        &mut self,
        now: Now,
        session: ConnectionId,
        frames: &[u8],
        origin: Arc<FrameOrigin>,
    ) -> Result<(), PutError> {
        self.broker.put(now, session, frames)?;
        self.putting = Some((Direction::Outbound, origin));
        self.drain(now, &[]);
        self.putting = None;
        Ok(())
    }
}
