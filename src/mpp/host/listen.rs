//! The listener: bound when it can be, rebound while it cannot, and patient when the process is out of file
//! descriptors.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    task::{Context, Poll},
    time::Duration,
};

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};

use super::conn::WRITE_STALL_MAX;
use crate::{
    admission::{describe_accept_error, is_of_one_connection},
    time::Mono,
};

/// How long after a failure to bind or accept the next attempt is made.
const RETRY: Duration = Duration::from_millis(500);

/// What a turn of the listener brought.
#[derive(Debug)]
pub(super) enum ListenerEvent {
    /// The port answers now.
    Bound(SocketAddr),
    /// It does not, or accepting fails: why, and what to do.
    Failed(String),
    /// A connection.
    Accepted(TcpStream, SocketAddr),
}

#[derive(Debug)]
pub(super) struct Listener {
    bind: IpAddr,
    port: u16,
    bound: Option<TcpListener>,
    announced: bool,
    retry_at: Option<Mono>,
    last_failure: Option<String>,
}

impl Listener {
    pub(super) fn new(bind: IpAddr, port: u16) -> Self {
        Self { bind, port, bound: None, announced: false, retry_at: None, last_failure: None }
    }

    /// When it wants to be polled again without an event.
    pub(super) fn deadline(&self) -> Option<Mono> {
        self.retry_at
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>, now: Mono) -> Poll<ListenerEvent> {
        if self.retry_at.is_some_and(|at| now < at) {
            return Poll::Pending;
        }
        self.retry_at = None;
        if self.bound.is_none() {
            match bind(SocketAddr::new(self.bind, self.port)) {
                Ok(listener) => self.bound = Some(listener),
                Err(error) => return self.fail(now, &error, true),
            }
        }
        let Some(listener) = &self.bound else { return Poll::Pending };
        if !self.announced {
            match listener.local_addr() {
                Ok(addr) => {
                    self.announced = true;
                    self.last_failure = None;
                    return Poll::Ready(ListenerEvent::Bound(addr));
                }
                Err(error) => return self.fail(now, &error, true),
            }
        }
        match listener.poll_accept(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok((stream, addr))) => {
                if self.last_failure.take().is_some() {
                    self.announced = false;
                    cx.waker().wake_by_ref();
                }
                configure(&stream);
                Poll::Ready(ListenerEvent::Accepted(stream, addr))
            }
            Poll::Ready(Err(error)) if is_of_one_connection(&error) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Ready(Err(error)) => self.fail(now, &error, false),
        }
    }

    /// Waits for the next attempt; says why once, not at every attempt.
    fn fail(&mut self, now: Mono, error: &io::Error, binding: bool) -> Poll<ListenerEvent> {
        self.retry_at = Some(now + RETRY);
        let why = explain(error, SocketAddr::new(self.bind, self.port), binding);
        if self.last_failure.as_deref() == Some(&why) {
            return Poll::Pending;
        }
        self.last_failure = Some(why.clone());
        Poll::Ready(ListenerEvent::Failed(why))
    }
}

fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket =
        if addr.is_ipv4() { tokio::net::TcpSocket::new_v4()? } else { tokio::net::TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(1_024)
}

/// Keepalive and user timeout of ruling MPP 16; what the system refuses is done without.
fn configure(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(15))
        .with_interval(Duration::from_secs(5))
        .with_retries(3);
    let _ = socket.set_tcp_keepalive(&keepalive);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(WRITE_STALL_MAX));
}

fn explain(error: &io::Error, addr: SocketAddr, binding: bool) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "port {} on {} is in use by another program: stop it, or choose another port with --port",
                addr.port(),
                addr.ip()
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!("no permission to bind port {}: choose one above 1023 with --port", addr.port())
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("{} is not an address of this machine: fix --bind", addr.ip())
        }
        _ if binding => format!("cannot bind {addr}: {error}; retrying"),
        _ => describe_accept_error(error),
    }
}
