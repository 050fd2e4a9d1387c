//! The station's end of the operator socket.

use std::{io, os::unix::fs::PermissionsExt, path::Path, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::Semaphore,
};

use super::wire::{Request, Response, SOCKET_PATH_BYTES_MAX};
use crate::{
    limits,
    port::{Operator, PortError},
};

/// How long accepting rests after a failure.
const ACCEPT_RETRY: Duration = Duration::from_millis(200);

/// How long a client may take to read an answer.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// What serves every connection.
pub(in crate::station) struct Sharing {
    pub(in crate::station) port: Arc<dyn Operator>,
    pub(in crate::station) limits: limits::Port,
}

/// Binds the socket for its owner alone; a stale one of a station that is gone is replaced, since the caller holds the folder's lock.
pub(in crate::station) fn bind(path: &Path) -> io::Result<std::os::unix::net::UnixListener> {
    let bytes = path.as_os_str().len();
    if bytes > SOCKET_PATH_BYTES_MAX {
        let why = format!("the path has {bytes} bytes and a socket's takes {SOCKET_PATH_BYTES_MAX}: choose a shorter --data");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = std::os::unix::net::UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Accepts until it is dropped.
pub(in crate::station) async fn serve(listener: UnixListener, sharing: Sharing) {
    let room = Arc::new(Semaphore::new(usize::try_from(sharing.limits.connections_max).unwrap_or(usize::MAX)));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                if !is_same_user(&stream) {
                    continue;
                }
                let (port, limits) = (Arc::clone(&sharing.port), sharing.limits);
                let permit = Arc::clone(&room).try_acquire_owned();
                tokio::spawn(async move {
                    match permit {
                        Ok(_permit) => converse(stream, port, limits).await,
                        Err(_) => turn_away(stream).await,
                    }
                });
            }
            Err(error) => {
                tracing::warn!("operator socket: {error}");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

fn is_same_user(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|cred| cred.uid() == rustix::process::getuid().as_raw())
}

async fn turn_away(mut stream: UnixStream) {
    let busy = Response::Error(PortError::Busy { what: "the operator socket (limits.port.connections_max)".to_owned() });
    let _ = tokio::time::timeout(ANSWER_MAX, answer(&mut stream, &busy)).await;
}

/// Answers one request after the other until the client goes, or sends what cannot be read on.
async fn converse(stream: UnixStream, port: Arc<dyn Operator>, limits: limits::Port) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut stream).take(limits.request_bytes_max).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(bytes) if bytes > 0) {
            return;
        }
        let whole = line.ends_with(b"\n");
        let response = if whole {
            respond(&line, port.as_ref()).await
        } else if line.len() as u64 >= limits.request_bytes_max {
            Response::Error(PortError::BadRequest(format!("a request takes at most {} bytes", limits.request_bytes_max)))
        } else {
            return;
        };
        let sent = tokio::time::timeout(ANSWER_MAX, answer(stream.get_mut(), &response)).await;
        if !whole || !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

async fn respond(line: &[u8], port: &dyn Operator) -> Response {
    let result = match serde_json::from_slice(line) {
        Ok(Request::Command(command)) => port.command(command).await.map(Response::Outcome),
        Ok(Request::Query(query)) => port.query(query).await.map(Response::Page),
        Err(error) => Err(PortError::BadRequest(error.to_string())),
    };
    result.unwrap_or_else(Response::Error)
}

async fn answer(stream: &mut UnixStream, response: &Response) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(response)?;
    bytes.push(b'\n');
    stream.write_all(&bytes).await
}
