//! The port, and the connections that come in by it.

use std::{io, net::SocketAddr, sync::Arc};

use futures_util::{Stream, stream};
use tokio::{net::TcpListener, sync::Semaphore};

use super::{conn::Conn, shared::Shared};
use crate::ids::Peer;

/// How long accepting rests when the system has no room for a connection.
const REST: std::time::Duration = std::time::Duration::from_millis(50);

/// Binds the port.
///
/// # Errors
/// What the system says, with the address.
pub(super) async fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(addr).await.map_err(|error| io::Error::new(error.kind(), format!("{addr}: {error}")))
}

/// Connections as they come; one that finds no room is closed.
pub(super) fn incoming(listener: TcpListener, shared: Arc<Shared>) -> impl Stream<Item = io::Result<Conn>> {
    let connections_max = usize::try_from(shared.limits.connections_max).unwrap_or(Semaphore::MAX_PERMITS);
    let room = Arc::new(Semaphore::new(connections_max));
    stream::unfold((listener, shared, room), |(listener, shared, room)| async move {
        loop {
            match listener.accept().await {
                Ok((stream, addr)) => {
                    let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { continue };
                    // Without it answers only come later.
                    let _ = stream.set_nodelay(true);
                    let conn = Conn::new(stream, Peer::new(&addr.to_string()), &shared, permit);
                    return Some((Ok(conn), (listener, shared, room)));
                }
                // Of a connection that is gone, or the system's limits: the port stays.
                Err(_) => tokio::time::sleep(REST).await,
            }
        }
    })
}
