//! HTTP for the metrics: `GET /metrics`, one request a connection. What a client can hold is bounded in
//! connections, bytes and time, and whoever comes when all are taken gets the place of the oldest.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Request, Response, StatusCode,
    body::Incoming,
    header::{self, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::Runtime,
    task::AbortHandle,
};

use super::{
    EndpointState, collect,
    families::families,
    request::{PATH, Refusal, judge},
    text,
};
use crate::{limits, station::local::Inner, tap::entry::station::Level};

/// How long a connection may take from its first byte to its last.
pub(super) const CONNECTION_MAX: Duration = Duration::from_secs(10);

/// How long after a failure to bind the next attempt is made.
const BIND_RETRY: Duration = Duration::from_secs(2);

/// How long accepting rests after a failure.
const ACCEPT_RETRY: Duration = Duration::from_millis(200);

/// Binds the address and begins to answer. One that cannot be bound is told, and tried again; the station
/// goes on.
pub(in crate::station) fn start(inner: &Arc<Inner>, addr: SocketAddr, hosts: &Runtime) {
    if !addr.ip().is_loopback() {
        let open =
            "anyone who reaches it can read them, and nothing is encrypted: bind to 127.0.0.1, or tunnel it";
        inner.status.notice(Level::Warn, &format!("the metrics are bound to {}: {open}", addr.ip()));
    }
    let bound = match bind(addr) {
        Ok(bound) => {
            inner.metrics.set(EndpointState::Serving(bound.1));
            Some(bound)
        }
        Err(error) => {
            let why = explain(&error, addr);
            inner.status.notice(Level::Error, &why);
            inner.metrics.set(EndpointState::Down(why));
            None
        }
    };
    let inner = Arc::clone(inner);
    hosts.spawn(async move {
        let (listener, bound) = match bound {
            Some(bound) => bound,
            None => bind_later(&inner, addr).await,
        };
        match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => serve(&listener, bound, &inner).await,
            Err(error) => inner.status.notice(Level::Error, &format!("no metrics: {error}")),
        }
    });
}

fn bind(addr: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(addr)?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

async fn bind_later(inner: &Inner, addr: SocketAddr) -> (TcpListener, SocketAddr) {
    loop {
        tokio::time::sleep(BIND_RETRY).await;
        if let Ok((listener, bound)) = bind(addr) {
            inner.metrics.set(EndpointState::Serving(bound));
            inner.status.notice(Level::Info, &format!("the metrics answer on http://{bound}{PATH}"));
            return (listener, bound);
        }
    }
}

/// Why an address could not be bound, and what to do.
fn explain(error: &io::Error, addr: SocketAddr) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "no metrics: {addr} is taken by another program: stop that one, or choose another with --metrics; trying again"
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!("no metrics: {addr} may not be bound: choose a port above 1023 with --metrics")
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("no metrics: {} is no address of this machine: mend --metrics", addr.ip())
        }
        _ => format!("no metrics: {addr} cannot be bound: {error}; trying again"),
    }
}

/// Accepts until it is dropped.
async fn serve(listener: &tokio::net::TcpListener, bound: SocketAddr, inner: &Arc<Inner>) {
    let limits = inner.limits.metrics;
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                open.retain(|connection| !connection.is_finished());
                while open.len() as u64 >= limits.connections_max {
                    if let Some(oldest) = open.pop_front() {
                        oldest.abort();
                        inner.metrics.cut.fetch_add(1, Ordering::Relaxed);
                    }
                }
                let inner = Arc::clone(inner);
                let connection =
                    tokio::spawn(
                        async move { converse(stream, bound, &inner, limits, CONNECTION_MAX).await },
                    );
                open.push_back(connection.abort_handle());
            }
            Err(error) => {
                tracing::warn!("metrics: {error}");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

/// Answers the one request of a connection, if it comes in time.
pub(super) async fn converse<S>(
    stream: S,
    bound: SocketAddr,
    inner: &Arc<Inner>,
    limits: limits::Metrics,
    time_max: Duration,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let service = service_fn(|request: Request<Incoming>| async move {
        let response = respond(&request, bound, inner).await;
        inner.metrics.requests.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Infallible>(response)
    });
    let bytes_max = usize::try_from(limits.request_bytes_max).unwrap_or(usize::MAX);
    let connection = http1::Builder::new()
        .keep_alive(false)
        .half_close(true)
        .max_buf_size(bytes_max)
        .serve_connection(TokioIo::new(stream), service);
    // What a client does wrong is its own affair.
    let _ = tokio::time::timeout(time_max, connection).await;
}

async fn respond(request: &Request<Incoming>, bound: SocketAddr, inner: &Inner) -> Response<Full<Bytes>> {
    let (status, kind, text) = match judge(request.method(), request.uri(), request.headers(), bound) {
        Ok(()) => (StatusCode::OK, text::CONTENT_TYPE, text::text(families(&collect(inner).await))),
        Err(refusal) => (refusal.status(), "text/plain; charset=utf-8", format!("{refusal}\n")),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if status == Refusal::Method.status() {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}
