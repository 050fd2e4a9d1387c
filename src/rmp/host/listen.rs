//! Accepts connections, of our own user alone.

use std::{cell::RefCell, io, pin::pin, rc::Rc, sync::atomic::Ordering, time::Duration};

use tokio::net::{UnixListener, UnixStream};

use super::{
    conn::Conn,
    path::{PathCheck, SocketClaim, SocketFile, check_path},
    run::{Host, serve},
};
use crate::{
    admission::{Origin, describe_accept_error, read_before_evicting},
    ids::{ConnectionId, Peer},
    rmp::broker::Input,
    tap::OriginCell,
};

/// How long after a failure to accept the next attempt is made.
const RETRY: Duration = Duration::from_millis(500);
/// How often it is looked whether the socket's path still leads here.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Why no connection but operators' is accepted.
const SCARCE: &str = "accepting operator connections only: the system's limit of open files is reached \
                      (raise it with `ulimit -n`)";

/// The state of the ways to the socket, so that every change of it is told once.
#[derive(Debug, Default)]
struct ListenerStatus {
    /// Connections cannot be accepted.
    is_failing: bool,
    /// Why the path does not lead here, if it does not.
    lost: Option<String>,
}

impl ListenerStatus {
    fn is_ok(&self) -> bool {
        !self.is_failing && self.lost.is_none()
    }

    /// Connections cannot be accepted: why is told once.
    fn fail(&mut self, host: &Rc<RefCell<Host>>, why: &str) {
        if !std::mem::replace(&mut self.is_failing, true) {
            dispatch_input(host, Input::NotListening { why });
        }
    }
}

/// The next connection; with whether it has a descriptor of those that are held for operators.
async fn next(host: &Rc<RefCell<Host>>, listener: &UnixListener) -> io::Result<(UnixStream, bool)> {
    loop {
        match listener.accept().await {
            Err(error) if host.borrow_mut().spares.give_up_for(&error) => {}
            accepted => return accepted.map(|(stream, _)| (stream, !host.borrow_mut().spares.refill())),
        }
    }
}

/// Accepts for ever, and sees to it that the socket's path leads here: who takes its file away, or puts
/// another in its place, ends no connection, and new ones find it again.
pub(super) async fn listen(host: Rc<RefCell<Host>>, mut listener: UnixListener, mut file: SocketFile) {
    let path: Rc<str> = file.path().display().to_string().into();
    let mut status = ListenerStatus::default();
    let mut looking = pin!(check_later(file.claim()));
    loop {
        tokio::select! {
            accepted = next(&host, &listener) => match accepted {
                Ok((stream, true)) => {
                    status.fail(&host, SCARCE);
                    accept(&host, stream, true, None);
                }
                Ok((stream, false)) => {
                    if std::mem::take(&mut status.is_failing) && status.is_ok() {
                        dispatch_input(&host, Input::Listening { path: &path });
                    }
                    accept(&host, stream, false, None);
                }
                Err(error) => {
                    status.fail(&host, &describe_accept_error(&error));
                    tokio::time::sleep(RETRY).await;
                }
            },
            found = &mut looking => {
                let was_lost = status.lost.is_some();
                match found.and_then(|found| adopt(found, &mut listener, &mut file)) {
                    Ok(true) => {
                        status.lost = None;
                        tracing::warn!("the bus socket {path} was removed; bound it again");
                        if !was_lost {
                            dispatch_input(&host, Input::NotListening { why: &format!("{path} was removed; bound it again") });
                        }
                        if status.is_ok() {
                            dispatch_input(&host, Input::Listening { path: &path });
                        }
                    }
                    Ok(false) if status.lost.take().is_some() && status.is_ok() => {
                        dispatch_input(&host, Input::Listening { path: &path });
                    }
                    Ok(false) => {}
                    Err(why) => {
                        if status.lost.as_ref() != Some(&why) {
                            let told = format!("its path no longer leads here: {why}; existing connections continue, retrying");
                            dispatch_input(&host, Input::NotListening { why: &told });
                        }
                        status.lost = Some(why);
                    }
                }
                looking.set(check_later(file.claim()));
            }
        }
    }
}

/// Looks after a while, on a thread that may wait for the disk.
async fn check_later(held: SocketClaim) -> Result<PathCheck, String> {
    tokio::time::sleep(CHECK_INTERVAL).await;
    tokio::task::spawn_blocking(move || check_path(&held)).await.map_err(|error| error.to_string())
}

/// Takes the socket that was bound anew, if one was.
fn adopt(found: PathCheck, listener: &mut UnixListener, file: &mut SocketFile) -> Result<bool, String> {
    match found {
        PathCheck::Ours => Ok(false),
        PathCheck::Failed(why) => Err(why),
        PathCheck::Rebound(bound) => {
            *listener = UnixListener::from_std(bound.listener).map_err(|error| error.to_string())?;
            *file = bound.file;
            Ok(true)
        }
    }
}

/// Hands the core something that concerns no connection.
pub(super) fn dispatch_input(host: &Rc<RefCell<Host>>, input: Input<'_>) {
    let mut host = host.borrow_mut();
    let now = host.clock.now();
    host.cause = None;
    host.broker.handle(now, input);
    host.drain(now, &[]);
    host.finish_turn(now);
}

/// Takes a connection in; where it has a descriptor that was held, an operator's alone. Its session, of one
/// of our own user.
pub(super) fn accept(
    shared: &Rc<RefCell<Host>>,
    stream: UnixStream,
    is_scarce: bool,
    by_hand: Option<OriginCell>,
) -> Option<ConnectionId> {
    let (uid, pid) = match stream.peer_cred() {
        Ok(cred) => (Some(cred.uid()), cred.pid()),
        Err(_) => (None, None),
    };
    let peer = match (uid, pid) {
        (Some(uid), Some(pid @ 1..)) => Peer::new(&format!("uid {uid} pid {pid}")),
        (Some(uid), _) => Peer::new(&format!("uid {uid}")),
        _ => Peer::new("unknown"),
    };
    let mut host = shared.borrow_mut();
    let ours = host.uid;
    let now = host.clock.now();
    let session = ConnectionId(host.next_session.fetch_add(1, Ordering::Relaxed));
    host.cause = None;
    if uid != Some(ours) {
        tracing::warn!("refused a connection from {peer}: only uid {ours} may use the bus");
        host.broker.handle(now, Input::ForeignUser { session, peer });
        host.drain(now, &[]);
        return None;
    }
    let (read, write) = stream.into_split();
    let origin = Origin::of_process(uid, pid);
    host.broker.set_scarce(is_scarce);
    let plan = |host: &Host| host.broker.admission_plan(origin);
    read_before_evicting(&mut *host, plan, |host, oldest| host.read_once_more(now, oldest));
    host.cause = None;
    host.conns.insert(session, Conn { is_scarce, by_hand, ..Conn::new(peer.clone(), origin, write) });
    host.broker.handle(now, Input::Opened { session, peer, origin });
    let pid = pid.and_then(|pid| u32::try_from(pid).ok());
    if pid.is_some_and(|pid| (host.confinement.applies_to)(pid)) {
        host.broker.confine(session);
    }
    host.drain(now, &[]);
    host.finish_turn(now);
    drop(host);
    tokio::task::spawn_local(serve(Rc::clone(shared), session, read));
    Some(session)
}

#[cfg(test)]
mod tests {
    use std::{
        io::Read as _,
        sync::{Arc, atomic::AtomicU64},
    };

    use crate::{
        ids::ConnectionId,
        rmp::{
            CloseCause, Refusal, Transition,
            host::{Request, Setup, run, test_setup::test_setup},
        },
        tap::entry::{Transition as Any, What},
    };

    #[test]
    fn processes_of_another_user_are_told_of_and_closed_without_a_word() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        let (setup, requests) = test_setup(&path);
        let setup = Setup {
            next_session: Arc::new(AtomicU64::new(7)),
            uid: rustix::process::geteuid().as_raw() + 1,
            ..setup
        };
        let mut reader = setup.tap.reader().unwrap();
        let peer = std::thread::spawn(move || {
            let mut stream = std::os::unix::net::UnixStream::connect(&path).unwrap();
            let mut heard = Vec::new();
            stream.read_to_end(&mut heard).map(|_| heard)
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let told = runtime.block_on(async {
            let look = async {
                let mut told = Vec::new();
                while told.len() < 3 {
                    reader.ready().await;
                    while let Some(batch) = reader.read() {
                        let transitions = batch.iter().filter_map(|entry| match &entry.entry.what {
                            What::Transition(Any::Rmp(transition)) => Some(transition.clone()),
                            _ => None,
                        });
                        told.extend(transitions);
                    }
                }
                let (answer, stopped) = tokio::sync::oneshot::channel();
                requests.send(Request::Stop { answer }).await.unwrap();
                stopped.await.unwrap();
                told
            };
            tokio::join!(run(setup), look).1
        });
        let session = ConnectionId(7);
        assert!(matches!(told[1], Transition::Connected { session: of, .. } if of == session), "{told:?}");
        assert_eq!(
            told[2..],
            [Transition::Disconnected { session, cause: CloseCause::Refused(Refusal::Unauthorized) }]
        );
        assert_eq!(peer.join().unwrap().unwrap(), b"");
    }
}
