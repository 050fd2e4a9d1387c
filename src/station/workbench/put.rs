//! Puts a frame into a peer's connection, at a frame's border.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::door::Door;
use crate::{
    mpp::host::Request as BridgeRequest,
    port::{DoorSpec, PortError, WorkbenchError},
    rmp::host::Request as BusRequest,
    station::{host::host_down, local::Inner},
    tap::{PutError, entry::Link},
};

/// How long a frame of the peer's own may take to end.
const BORDER_MAX: Duration = Duration::from_secs(1);
/// How often it is tried meanwhile.
const RETRY: Duration = Duration::from_millis(10);

/// Puts the bytes there, once no frame of the peer's own is on its way.
pub(super) async fn put(inner: &Inner, door: &Door, bytes: Bytes) -> Result<(), PortError> {
    let began = inner.clock.now().mono;
    loop {
        match once(inner, door, bytes.clone()).await? {
            Ok(()) => return Ok(()),
            Err(PutError::MidFrame { .. }) if inner.clock.now().mono.since(began) < BORDER_MAX => {
                tokio::time::sleep(RETRY).await;
            }
            Err(error) => return Err(PortError::Workbench(refused(&door.peer, error))),
        }
    }
}

async fn once(inner: &Inner, door: &Door, bytes: Bytes) -> Result<Result<(), PutError>, PortError> {
    let origin = door.origin.get();
    let direction = door.direction();
    match &door.spec {
        DoorSpec::AsAdapter | DoorSpec::ToAdapter => {
            let (answer, answered) = oneshot::channel();
            inner.running().await?.ask(BridgeRequest::Put { direction, bytes, origin, answer })?;
            answered.await.map_err(|_| host_down(Link::Mpp, "it has stopped"))
        }
        DoorSpec::ToPeer { session } => {
            let (answer, answered) = oneshot::channel();
            inner.hosts.bus.ask(BusRequest::Put { session: *session, bytes, origin, answer })?;
            answered.await.map_err(|_| host_down(Link::Rmp, "it has stopped"))
        }
        DoorSpec::AsPlugin { plugin } | DoorSpec::ToPlugin { plugin } => {
            let put = inner.hosts.plugins.handle()?.put(plugin, direction, bytes, origin).await;
            put.map_err(crate::station::plugins::not_asked)
        }
        DoorSpec::Adapter { .. } | DoorSpec::Peer { .. } | DoorSpec::Call { .. } => Ok(Ok(())),
    }
}

fn refused(peer: &str, error: PutError) -> WorkbenchError {
    let peer = peer.to_owned();
    match error {
        PutError::Gone => WorkbenchError::PeerGone { peer },
        PutError::MidFrame { bytes } => WorkbenchError::MidFrame { peer, bytes },
        PutError::NotWhole(why) => WorkbenchError::NotWhole { why },
        PutError::Full => WorkbenchError::PeerFull { peer },
    }
}
