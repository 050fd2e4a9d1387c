//! The port, and the connections that come in by it.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::{Stream, stream};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tonic::transport::server::Connected;

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

/// A connection, with its room among all.
pub(super) struct Conn {
    stream: TcpStream,
    peer: Peer,
    _room: OwnedSemaphorePermit,
}

/// Connections as they come; one that finds no room is closed.
pub(super) fn incoming(listener: TcpListener, connections_max: u64) -> impl Stream<Item = io::Result<Conn>> {
    let room = Arc::new(Semaphore::new(usize::try_from(connections_max).unwrap_or(Semaphore::MAX_PERMITS)));
    stream::unfold((listener, room), |(listener, room)| async move {
        loop {
            match listener.accept().await {
                Ok((stream, addr)) => {
                    let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { continue };
                    // Without it answers only come later.
                    let _ = stream.set_nodelay(true);
                    return Some((
                        Ok(Conn { stream, peer: Peer::new(&addr.to_string()), _room: permit }),
                        (listener, room),
                    ));
                }
                // Of a connection that is gone, or the system's limits: the port stays.
                Err(_) => tokio::time::sleep(REST).await,
            }
        }
    })
}

impl Connected for Conn {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl AsyncRead for Conn {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Conn {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
