//! Accepts connections, of our own user alone.

use std::{cell::RefCell, path::PathBuf, pin::pin, rc::Rc, sync::atomic::Ordering, time::Duration};

use tokio::net::{UnixListener, UnixStream};

use super::{
    conn::Conn,
    path::{Found, Identity, SocketFile, look},
    run::{Host, serve},
};
use crate::{
    ids::{ConnectionId, Peer},
    rmp::broker::Input,
};

/// How long after a failure to accept the next attempt is made.
const RETRY: Duration = Duration::from_millis(500);
/// How often it is looked whether the socket's path still leads here.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What is known of the ways to the socket, so that every change of it is told once.
#[derive(Debug, Default)]
struct Standing {
    /// Connections cannot be accepted.
    is_failing: bool,
    /// Why the path does not lead here, if it does not.
    lost: Option<String>,
}

impl Standing {
    fn is_well(&self) -> bool {
        !self.is_failing && self.lost.is_none()
    }
}

/// Accepts for ever, and sees to it that the socket's path leads here: who takes its file away, or puts another in its place, ends no
/// connection, and new ones find it again.
pub(super) async fn listen(host: Rc<RefCell<Host>>, mut listener: UnixListener, mut file: SocketFile) {
    let path: Rc<str> = file.path().display().to_string().into();
    let mut standing = Standing::default();
    let mut looking = pin!(look_after(file.path().to_owned(), file.identity()));
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    if std::mem::take(&mut standing.is_failing) && standing.is_well() {
                        tell(&host, Input::Listening { path: &path });
                    }
                    accept(&host, stream);
                }
                Err(error) => {
                    if !std::mem::replace(&mut standing.is_failing, true) {
                        let why =
                            format!("no connection can be accepted: {error}; trying again (raise the limit of open files with `ulimit -n`)");
                        tell(&host, Input::NotListening { why: &why });
                    }
                    tokio::time::sleep(RETRY).await;
                }
            },
            found = &mut looking => {
                let was_lost = standing.lost.is_some();
                match found.and_then(|found| adopt(found, &mut listener, &mut file)) {
                    Ok(true) => {
                        standing.lost = None;
                        tracing::warn!("the bus's socket {path} was taken away and is bound anew");
                        if !was_lost {
                            tell(&host, Input::NotListening { why: &format!("{path} was taken away; it is bound anew") });
                        }
                        if standing.is_well() {
                            tell(&host, Input::Listening { path: &path });
                        }
                    }
                    Ok(false) if standing.lost.take().is_some() && standing.is_well() => tell(&host, Input::Listening { path: &path }),
                    Ok(false) => {}
                    Err(why) => {
                        if standing.lost.as_ref() != Some(&why) {
                            let told = format!("its path does not lead here any more: {why}; connections there are stay, and it is tried again");
                            tell(&host, Input::NotListening { why: &told });
                        }
                        standing.lost = Some(why);
                    }
                }
                looking.set(look_after(file.path().to_owned(), file.identity()));
            }
        }
    }
}

/// Looks after a while, on a thread that may wait for the disk.
async fn look_after(path: PathBuf, identity: Option<Identity>) -> Result<Found, String> {
    tokio::time::sleep(LOOK_EVERY).await;
    tokio::task::spawn_blocking(move || look(&path, identity)).await.map_err(|error| error.to_string())
}

/// Takes the socket that was bound anew, if one was.
fn adopt(found: Found, listener: &mut UnixListener, file: &mut SocketFile) -> Result<bool, String> {
    match found {
        Found::Ours => Ok(false),
        Found::Failed(why) => Err(why),
        Found::Anew(bound) => {
            *listener = UnixListener::from_std(bound.listener).map_err(|error| error.to_string())?;
            *file = bound.file;
            Ok(true)
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
    if host.conns.len() as u64 >= host.limits.connections_max.saturating_add(host.limits.leaving_max) {
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
