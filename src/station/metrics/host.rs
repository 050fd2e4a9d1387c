//! HTTP for the metrics: `GET /metrics`, one request a connection. What a client can hold is bounded in
//! connections, bytes and time; the oldest whose request is not whole makes room for a newcomer.

use std::{
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
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::Semaphore,
};

use super::{
    EndpointState, collect,
    connections::{Connections, Counted, Slot, Stage},
    families::families,
    request::{PATH, Refusal, judge},
    text,
};
use crate::{
    admission::{Origin, describe_accept_error, is_of_one_connection},
    ids::Peer,
    station::{
        address_file::{AddressFile, METRICS_FILE},
        local::Inner,
        supervisor::Foundation,
    },
    tap::entry::station::Level,
};

/// Connections that are being told at one time that there is no place for them; one more is closed.
pub(in crate::station) const REFUSALS_MAX: u64 = 16;

/// How long an answer to who has no request of its own answered may take to leave.
const LEAVES: Duration = Duration::from_secs(1);

/// The status where all places are taken by requests that are being answered.
pub(super) const BUSY: &str = "503 Service Unavailable";

/// The status of a request that took longer than `limits.metrics.frame_ms_max`.
const TIMED_OUT: &str = "408 Request Timeout";

/// How long after a failure to bind the next attempt is made.
const BIND_RETRY: Duration = Duration::from_secs(2);

/// How long accepting rests after a failure.
const ACCEPT_RETRY: Duration = Duration::from_millis(200);

/// Binds the address and begins to answer. One that cannot be bound is told, and tried again; the station
/// goes on.
pub(in crate::station) fn start(inner: &Arc<Inner>, addr: SocketAddr, foundation: &Foundation) {
    if !addr.ip().is_loopback() {
        let open =
            "anyone who can reach the port can read them, unencrypted: bind to 127.0.0.1, or use a tunnel";
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
    let serves = inner.metrics.serves();
    let known = async move { Some(serves.await?.to_string()) };
    let addr_file = AddressFile::guarded_when(foundation, METRICS_FILE, "the metrics", &inner.status, known);
    let inner = Arc::clone(inner);
    foundation.runtime.spawn(async move {
        let _addr_file = addr_file;
        let (listener, bound) = match bound {
            Some(bound) => bound,
            None => bind_later(&inner, addr).await,
        };
        match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => serve(&listener, bound, &inner).await,
            Err(error) => inner.status.notice(Level::Error, &format!("metrics not served: {error}")),
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
            inner.status.notice(Level::Info, &format!("metrics served on http://{bound}{PATH}"));
            return (listener, bound);
        }
    }
}

/// Why an address could not be bound, and what to do.
fn explain(error: &io::Error, addr: SocketAddr) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "metrics not served: {addr} is in use by another program: stop it, or choose another \
                 address with --metrics; retrying"
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!(
                "metrics not served: no permission to bind {addr}: choose a port above 1023 with --metrics"
            )
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("metrics not served: {} is not an address of this machine: fix --metrics", addr.ip())
        }
        _ => format!("metrics not served: cannot bind {addr}: {error}; retrying"),
    }
}

/// Accepts until it is dropped.
async fn serve(listener: &tokio::net::TcpListener, bound: SocketAddr, inner: &Arc<Inner>) {
    let limits = inner.limits.metrics;
    let new = || Connections::new(&limits, inner.clock, inner.admission.metrics.clone());
    let connections = inner.metrics.connections.get_or_init(new).clone();
    let refusals =
        Arc::new(Semaphore::new(usize::try_from(limits.connections_max.min(REFUSALS_MAX)).unwrap_or(1)));
    let mut is_failing = false;
    loop {
        match listener.accept().await {
            Ok((stream, addr)) => {
                if std::mem::take(&mut is_failing) {
                    inner.metrics.set(EndpointState::Serving(bound));
                    inner
                        .status
                        .notice(Level::Info, &format!("metrics served again on http://{bound}{PATH}"));
                }
                let peer = Peer::new(&addr.to_string());
                let Some(slot) = connections.open(peer, Origin::of_address(addr.ip())) else {
                    if let Ok(permit) = Arc::clone(&refusals).try_acquire_owned() {
                        tokio::spawn(async move {
                            answer_briefly(stream, BUSY).await;
                            drop(permit);
                        });
                    }
                    continue;
                };
                let (id, inner) = (slot.id(), Arc::clone(inner));
                let task = tokio::spawn(async move { converse(stream, slot, bound, &inner).await });
                Slot::set_task(&connections, id, task.abort_handle());
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if !std::mem::replace(&mut is_failing, true) {
                    let why = format!("metrics not served: {}", describe_accept_error(&error));
                    inner.status.notice(Level::Error, &why);
                    inner.metrics.set(EndpointState::Down(why));
                }
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

/// Answers the one request of a connection, if it comes in time.
pub(super) async fn converse<S>(stream: S, slot: Slot, bound: SocketAddr, inner: &Arc<Inner>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let slot = Arc::new(slot);
    let of_service = &slot;
    let service = service_fn(move |request: Request<Incoming>| async move {
        of_service.on_whole();
        let response = respond(&request, bound, inner).await;
        inner.metrics.requests.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Infallible>(response)
    });
    let bytes_max = usize::try_from(inner.limits.metrics.request_bytes_max).unwrap_or(usize::MAX);
    let counted = Counted { stream, slot: Arc::clone(&slot) };
    let mut connection = http1::Builder::new()
        .keep_alive(false)
        .half_close(true)
        .max_buf_size(bytes_max)
        .serve_connection(TokioIo::new(counted), service);
    while let Some((before, time)) = slot.stage() {
        // What a client does wrong is its own affair.
        if tokio::time::timeout(time, &mut connection).await.is_ok() {
            return;
        }
        match slot.stage() {
            Some((stage, left)) if stage == before && left.is_zero() => {
                slot.count_late(stage);
                if stage == Stage::Begun {
                    answer_briefly(connection.into_parts().io.into_inner().stream, TIMED_OUT).await;
                }
                return;
            }
            _ => {}
        }
    }
}

/// Says why there is no answer, and waits a little for the peer to take it.
pub(super) async fn answer_briefly<S>(mut stream: S, status: &str)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let answer = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    let said = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // Closing with unread bytes would destroy it.
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await
    };
    let _ = tokio::time::timeout(LEAVES, said).await;
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
