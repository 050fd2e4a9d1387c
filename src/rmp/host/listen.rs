//! Accepts connections, of our own user alone.

use std::{cell::RefCell, rc::Rc, sync::atomic::Ordering, time::Duration};

use tokio::net::{UnixListener, UnixStream};

use super::{
    conn::Conn,
    run::{Host, serve},
};
use crate::{
    ids::{ConnectionId, Peer},
    rmp::broker::Input,
};

/// How long after a failure to accept the next attempt is made.
const RETRY: Duration = Duration::from_millis(500);
/// Connections that are on their way out beside those that may be open.
const LEAVING_MAX: u64 = 256;

/// Accepts for ever.
pub(super) async fn listen(host: Rc<RefCell<Host>>, listener: UnixListener, path: Rc<str>) {
    let mut is_failing = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                if std::mem::take(&mut is_failing) {
                    tell(&host, Input::Listening { path: &path });
                }
                accept(&host, stream);
            }
            Err(error) => {
                if !std::mem::replace(&mut is_failing, true) {
                    let why =
                        format!("no connection can be accepted: {error}; trying again (raise the limit of open files with `ulimit -n`)");
                    tell(&host, Input::NotListening { why: &why });
                }
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Hands the core something that concerns no connection.
pub(super) fn tell(host: &Rc<RefCell<Host>>, input: Input<'_>) {
    let mut host = host.borrow_mut();
    let now = host.clock.now();
    host.cause = None;
    host.broker.handle(now, input);
    host.drain(now, &[]);
    host.settle(now);
}

fn accept(shared: &Rc<RefCell<Host>>, stream: UnixStream) {
    let ours = rustix::process::geteuid().as_raw();
    let (uid, pid) = match stream.peer_cred() {
        Ok(cred) => (Some(cred.uid()), cred.pid()),
        Err(_) => (None, None),
    };
    let peer = match (uid, pid) {
        (Some(uid), Some(pid)) => Peer::new(&format!("uid {uid} pid {pid}")),
        (Some(uid), None) => Peer::new(&format!("uid {uid}")),
        _ => Peer::new("unknown"),
    };
    let mut host = shared.borrow_mut();
    let now = host.clock.now();
    let session = ConnectionId(host.next_session.fetch_add(1, Ordering::Relaxed));
    host.cause = None;
    if uid != Some(ours) {
        tracing::warn!("a connection of {peer} was refused: the bus is for uid {ours} alone");
        host.broker.handle(now, Input::Stranger { session, peer });
        host.drain(now, &[]);
        return;
    }
    if host.conns.len() as u64 >= host.limits.connections_max.saturating_add(LEAVING_MAX) {
        // Too many to tell even that.
        return;
    }
    let (read, write) = stream.into_split();
    host.conns.insert(session, Conn::new(peer.clone(), write));
    host.broker.handle(now, Input::Opened { session, peer });
    host.drain(now, &[]);
    host.settle(now);
    drop(host);
    tokio::task::spawn_local(serve(Rc::clone(shared), session, read));
}
