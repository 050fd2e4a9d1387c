//! The port, and the connections that come in by it.

use std::{
    io::{self, Write as _},
    net::{Shutdown, SocketAddr},
    sync::{Arc, PoisonError},
};

use futures_util::{Stream, stream};
use tokio::net::{TcpListener, TcpStream};

use super::{call::Caller, conn::Conn, shared::Shared};
use crate::{
    admission::{Origin, TurnedAway, describe_accept_error, is_of_one_connection},
    ids::Peer,
    macp::{Transition, TurnAwayCause},
};

/// How long accepting rests when the system has no room for a connection.
const REST: std::time::Duration = std::time::Duration::from_millis(50);

/// Binds the port.
///
/// # Errors
/// What the system says, with the address.
pub(super) async fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(addr).await.map_err(|error| io::Error::new(error.kind(), format!("{addr}: {error}")))
}

/// Connections as they come, each with its place; one that finds none is told why and closed. That none can
/// be accepted is told once, and so is that they can again.
pub(super) fn incoming(listener: TcpListener, shared: Arc<Shared>) -> impl Stream<Item = io::Result<Conn>> {
    stream::unfold((listener, shared, false), |(listener, shared, mut is_failing)| async move {
        loop {
            match listener.accept().await {
                Ok((stream, addr)) => {
                    if std::mem::take(&mut is_failing)
                        && let Ok(addr) = listener.local_addr()
                    {
                        shared.emit_host_transition(Transition::Listening { addr }, "");
                    }
                    if let Some(conn) = admit(&shared, stream, addr).await {
                        return Some((Ok(conn), (listener, shared, is_failing)));
                    }
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        let why = describe_accept_error(&error);
                        shared.emit_host_transition(Transition::NotListening, &why);
                    }
                    tokio::time::sleep(REST).await;
                }
            }
        }
    })
}

async fn admit(shared: &Arc<Shared>, stream: TcpStream, addr: SocketAddr) -> Option<Conn> {
    // Without it answers only come later.
    let _ = stream.set_nodelay(true);
    let (peer, origin) = (Peer::new(&addr.to_string()), Origin::of_address(addr.ip()));
    let now = shared.clock.now();
    let by_hand = shared.expected.lock().unwrap_or_else(PoisonError::into_inner).take(now.mono, addr);
    match shared.connections.admit(now, &peer, origin).await {
        Ok(place) => {
            let caller = Caller { peer, origin, connection: Some(place.id()), by_hand, passed: None };
            Some(Conn::new(stream, caller, shared, place))
        }
        Err(why) => {
            let (cause, text) = match why {
                TurnedAway::PeerShare => {
                    (TurnAwayCause::TooManyOfPeer, "too many connections from this address")
                }
                _ => (TurnAwayCause::TooManyConnections, "too many connections"),
            };
            // It may be gone already.
            let _ = refuse(stream, text);
            shared
                .turned_away(&Caller { peer, origin, connection: None, by_hand: None, passed: None }, cause);
            None
        }
    }
}

/// Closes a connection with empty SETTINGS, the first that a server says, and `GOAWAY` of no stream for
/// `ENHANCE_YOUR_CALM` (RFC 9113 §3.4, §6.8, §7). Clients of gRPC take it for `RESOURCE_EXHAUSTED`.
fn refuse(stream: TcpStream, text: &str) -> io::Result<()> {
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const LAST_STREAM_AND_CODE: [u8; 8] = [0, 0, 0, 0, 0, 0, 0, 0xb];
    let length = u8::try_from(LAST_STREAM_AND_CODE.len() + text.len()).unwrap_or(u8::MAX);
    let goaway = [0, 0, length, 7, 0, 0, 0, 0, 0];
    let mut stream = stream.into_std()?;
    // What fits into the buffer of a socket that nothing was sent by.
    stream.write_all(&[&SETTINGS[..], &goaway, &LAST_STREAM_AND_CODE, text.as_bytes()].concat())?;
    stream.shutdown(Shutdown::Write)
}
