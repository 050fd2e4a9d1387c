//! Makes a door's connection, and says its hello where that is asked of it.

use std::{
    net::{Ipv6Addr, SocketAddr},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use tokio::{
    net::{TcpSocket, TcpStream, UnixStream},
    sync::oneshot,
};

use super::{
    call::CallDoor,
    door::{Door, Leads},
    stream::StreamDoor,
    told::Watch,
};
use crate::{
    dissect::frame_json::LENT_TOKEN,
    ids::TraceId,
    mpp::{TokenHash, frame::encode, host::Request as BridgeRequest},
    port::{DoorSpec, PortError, WorkbenchError},
    rmp::{
        Dialect, Kind,
        client::{Hello, Session, Start},
        host::Request as BusRequest,
    },
    station::{
        bridge::Running,
        bus::{TokenKind, token},
        host::host_down,
        local::Inner,
    },
    tap::{OriginCell, entry::Link},
};

/// What stands for a lent token in what an adapter of the workbench's own sends.
const TOKEN: &[u8] = LENT_TOKEN.as_bytes();
/// How long a connection and its hello may take.
const OPEN_MAX: Duration = Duration::from_secs(5);
/// How long it is masked wherever it is met: beyond all that may still hold it.
const MASKED_FOR: Duration = Duration::from_secs(60);
/// How long the bridge may take to accept a connection, and how often it is looked.
const ACCEPT_MAX: Duration = Duration::from_secs(1);
const ACCEPT_RETRY: Duration = Duration::from_millis(2);
/// How long a lent token is good for (ruling MPP 15).
const LENT_FOR: Duration = Duration::from_secs(10);

/// Makes the connection: who it is to its host, and what it leads to.
pub(super) async fn connect(
    inner: &Inner,
    spec: &DoorSpec,
    origin: &OriginCell,
) -> Result<(String, Leads), PortError> {
    match spec {
        DoorSpec::Adapter { .. } => adapter(inner, origin).await,
        DoorSpec::Peer { .. } => peer(inner, origin).await,
        DoorSpec::Call { rpc } => {
            let addr = inner.hosts.sessions.addr().map_err(|why| host_down(Link::Macp, &why))?;
            let runtime = inner.hosts.sessions.handle()?;
            let (stream, from) = tcp(addr, async |from| {
                runtime.expect(from, origin.clone());
                Ok(())
            })
            .await?;
            let call = within(&addr.to_string(), CallDoor::open(*rpc, stream)).await?;
            Ok((from.to_string(), Leads::Call(call)))
        }
        DoorSpec::AsAdapter | DoorSpec::ToAdapter => Ok(("adapter".to_owned(), Leads::Place)),
        DoorSpec::ToPeer { session } => Ok((format!("session {session}"), Leads::Place)),
        DoorSpec::AsPlugin { plugin } | DoorSpec::ToPlugin { plugin } => {
            Ok((plugin.to_string(), Leads::Place))
        }
    }
}

async fn adapter(inner: &Inner, origin: &OriginCell) -> Result<(String, Leads), PortError> {
    let running = inner.running().await?;
    let listening = running.with_bridge(crate::mpp::Bridge::listening_at).await?;
    let addr = listening.ok_or_else(|| host_down(Link::Mpp, "it does not listen"))?;
    let announce = async |from: SocketAddr| {
        let (answer, answered) = oneshot::channel();
        running.ask(BridgeRequest::Expect { from, origin: origin.clone(), answer })?;
        answered.await.map_err(|_| host_down(Link::Mpp, "it has stopped"))
    };
    let (stream, from) = tcp(addr, announce).await?;
    accepted(inner, &running, from).await?;
    let (reader, writer) = stream.into_split();
    let stream = StreamDoor::new(inner.clock, reader, writer, Some(from));
    Ok((from.to_string(), Leads::Stream(stream)))
}

/// Waits until the bridge has taken a connection in, so that it is judged as one that there is; one that it
/// closed at once is left to who uses it.
async fn accepted(inner: &Inner, running: &Running, from: SocketAddr) -> Result<(), PortError> {
    let until = inner.clock.now().mono + ACCEPT_MAX;
    let peer = from.to_string();
    while inner.clock.now().mono < until {
        let looked = peer.clone();
        if running.with_bridge(move |bridge| bridge.connection_of(&looked).is_some()).await? {
            return Ok(());
        }
        tokio::time::sleep(ACCEPT_RETRY).await;
    }
    Ok(())
}

async fn peer(inner: &Inner, origin: &OriginCell) -> Result<(String, Leads), PortError> {
    let failed = |error: std::io::Error| not_connected("the bus", &error.to_string());
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let (answer, answered) = oneshot::channel();
    let stream = theirs.into_std().map_err(failed)?;
    inner.hosts.bus.ask(BusRequest::Adopt { stream, origin: origin.clone(), answer })?;
    let session = answered.await.map_err(|_| host_down(Link::Rmp, "it has stopped"))?;
    let (reader, writer) = ours.into_split();
    let stream = StreamDoor::new(inner.clock, reader, writer, None);
    Ok((format!("session {session}"), Leads::Stream(stream)))
}

/// Connects from an address that the host is told of before.
async fn tcp(
    to: SocketAddr,
    announce: impl AsyncFnOnce(SocketAddr) -> Result<(), PortError>,
) -> Result<(TcpStream, SocketAddr), PortError> {
    let failed = |error: std::io::Error| not_connected(&to.to_string(), &error.to_string());
    let to = match to {
        SocketAddr::V4(_) if to.ip().is_unspecified() => SocketAddr::from(([127, 0, 0, 1], to.port())),
        SocketAddr::V6(_) if to.ip().is_unspecified() => {
            SocketAddr::new(Ipv6Addr::LOCALHOST.into(), to.port())
        }
        to => to,
    };
    let socket = if to.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.map_err(failed)?;
    socket.bind(SocketAddr::new(to.ip(), 0)).map_err(failed)?;
    let from = socket.local_addr().map_err(failed)?;
    announce(from).await?;
    let stream =
        within(&to.to_string(), async { socket.connect(to).await.map_err(|it| it.to_string()) }).await?;
    let _ = stream.set_nodelay(true);
    Ok((stream, from))
}

/// Says the hello that the station says for a door; a refusal is its error.
pub(super) async fn greet(inner: &Inner, door: &Door) -> Result<(), PortError> {
    let bytes = match &door.spec {
        DoorSpec::Adapter { hello: true } => {
            let pack = inner.running().await?.pack.clone();
            let token = String::from_utf8_lossy(TOKEN);
            with_token(inner, door, encode::hello(pack.id.as_str(), pack.hash.as_str(), &token).into())
                .await?
        }
        DoorSpec::Peer { dialect, kind: Some(kind), client } => hello(inner, *dialect, *kind, client).await?,
        _ => return Ok(()),
    };
    let Leads::Stream(stream) = &door.leads else { return Ok(()) };
    let reader = inner.tap.reader().map_err(|error| PortError::Busy { what: error.to_string() })?;
    // A hello is answered once.
    let mut watch = Watch::new(reader, door, inner.limits.workbench.told_bytes_max).for_answers(Some(1));
    stream.write(&bytes).await.map_err(|why| not_connected(&door.peer, &why))?;
    watch.until(OPEN_MAX).await;
    let own = watch.told.iter().find(|told| told.is_own);
    match own.map(|told| (told.verdict.as_deref(), &told.text)) {
        Some((Some("accepted"), _)) => Ok(()),
        Some((_, text)) => {
            let why = text.as_deref().unwrap_or("its hello was refused");
            // Another door leads into the adapter's connection.
            let is_taken = own.is_some_and(|told| told.code.as_deref() == Some("already_connected"));
            Err(PortError::Workbench(if is_taken {
                WorkbenchError::AlreadyConnected
            } else {
                WorkbenchError::NotConnected { to: door.peer.clone(), why: why.to_owned() }
            }))
        }
        None if watch.lost > 0 => {
            Err(not_connected(&door.peer, "the tap was too busy to see what became of its hello"))
        }
        None => Err(not_connected(&door.peer, "its hello was not answered")),
    }
}

async fn hello(inner: &Inner, dialect: Dialect, kind: Kind, client: &str) -> Result<Bytes, PortError> {
    if dialect == Dialect::Json {
        let json = format!(r#"{{"Hello":{{"kind":"{kind:?}"}}}}"#);
        let length = u32::try_from(json.len()).unwrap_or(u32::MAX).to_be_bytes();
        return Ok([&length[..], json.as_bytes()].concat().into());
    }
    let of = match kind {
        Kind::Agent | Kind::Station => None,
        Kind::Ui | Kind::Tui => Some(TokenKind::Operator),
        Kind::Viewer => Some(TokenKind::Viewer),
        Kind::Cue => Some(TokenKind::Cue),
    };
    let shown = match of {
        None => Hello { kind, ..Hello::agent(client) },
        Some(of) => {
            let data = inner.status.view().0.data;
            let found = tokio::task::spawn_blocking(move || token(&data, of)).await;
            let found =
                found.map_err(|error| error.to_string()).and_then(|it| it.map_err(|it| it.to_string()));
            let token = found.map_err(|why| not_connected("the bus", &why))?;
            Hello::with_token(client, kind, &token)
        }
    };
    let now_ms = inner.clock.now().wall.0;
    let start =
        Start { now_ms, first_id: now_ms.saturating_mul(1_000), trace: TraceId(uuid::Uuid::now_v7()) };
    let mut session = Session::new(&shown, start);
    let mut bytes = Vec::new();
    session.sending.take(&mut bytes);
    Ok(bytes.into())
}

/// What an adapter of the workbench's own sends, with a token that is lent to it now wherever one is meant.
pub(super) async fn with_token(inner: &Inner, door: &Door, piece: Bytes) -> Result<Bytes, PortError> {
    let Leads::Stream(StreamDoor { lent_to: Some(to), .. }) = &door.leads else { return Ok(piece) };
    if memchr::memmem::find(&piece, TOKEN).is_none() {
        return Ok(piece);
    }
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| not_connected(&door.peer, &error.to_string()))?;
    let token = URL_SAFE_NO_PAD.encode(random);
    let running = inner.running().await?;
    let (answer, answered) = oneshot::channel();
    let until = inner.clock.now().mono + LENT_FOR;
    let token_sha256 = TokenHash::of(&token);
    // It is worth nothing later.
    let (tap, hash) = (inner.tap.clone(), token_sha256.bytes());
    tap.mask_asked_token(hash);
    tokio::spawn(async move {
        tokio::time::sleep(MASKED_FOR).await;
        tap.unmask_asked_token(hash);
    });
    running.ask(BridgeRequest::Lend { token_sha256, to: *to, until, answer })?;
    match answered.await {
        Ok(Ok(())) => Ok(replace(&piece, token.as_bytes())),
        Ok(Err(error)) => Err(PortError::Busy { what: error.to_string() }),
        Err(_) => Err(host_down(Link::Mpp, "it has stopped")),
    }
}

fn replace(piece: &[u8], token: &[u8]) -> Bytes {
    let mut whole = Vec::with_capacity(piece.len() + token.len());
    let mut from = 0;
    for at in memchr::memmem::find_iter(piece, TOKEN) {
        whole.extend_from_slice(&piece[from..at]);
        whole.extend_from_slice(token);
        from = at + TOKEN.len();
    }
    whole.extend_from_slice(&piece[from..]);
    whole.into()
}

async fn within<T>(to: &str, done: impl Future<Output = Result<T, String>>) -> Result<T, PortError> {
    match tokio::time::timeout(OPEN_MAX, done).await {
        Ok(done) => done.map_err(|why| not_connected(to, &why)),
        Err(_) => Err(not_connected(to, "it does not answer")),
    }
}

fn not_connected(to: &str, why: &str) -> PortError {
    PortError::Workbench(WorkbenchError::NotConnected { to: to.to_owned(), why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_put_wherever_one_is_meant() {
        assert_eq!(&*replace(br#"{"bridge_token":"$TOKEN"}"#, b"abc"), br#"{"bridge_token":"abc"}"#);
        assert_eq!(&*replace(b"$TOKEN$TOKEN!", b"a"), b"aa!");
    }
}
