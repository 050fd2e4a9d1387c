//! From a path to an open session.

use std::{io, path::Path, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
};

use super::{
    super::{
        hello::{Hello, Welcome},
        receive_half::Event,
        session::{Session, Start},
    },
    error::{CloseReason, Error},
    shared::Shared,
    tasks,
};
use crate::{ids::TraceId, limits, time::Clock};

/// How long the station has to say Welcome: as long as it gives a client to say Hello (ruling RMP 1).
const GREETING: Duration = Duration::from_secs(10);
/// How long to wait before another try when as many connections wait to be taken as the system lets.
const BACKLOG_WAIT: Duration = Duration::from_millis(10);
/// The user who may do all.
const ROOT: u32 = 0;
/// Microseconds in a millisecond.
const US_A_MS: u64 = 1_000;

/// Connects, says Hello, hears Welcome, and starts both tasks.
pub(super) async fn connect(
    path: &Path,
    hello: &Hello,
    limits: limits::Client,
) -> Result<Arc<Shared>, Error> {
    let clock = Clock::start();
    let greeting = async {
        let mut stream = reach(path).await?;
        if hello.token.is_some() {
            check_listener(path, &stream, hello.only_to)?;
        }
        let now_ms = clock.now().wall.0;
        // Numbers of two runs do not meet, nor do those of two clients that start together.
        let first_id = now_ms.saturating_mul(US_A_MS).saturating_add(fastrand::u64(..US_A_MS));
        let mut session =
            Session::new(hello, Start { now_ms, first_id, trace: TraceId(uuid::Uuid::now_v7()) });
        let welcome = greet(&mut stream, &mut session).await?;
        Ok::<_, Error>((stream, session, welcome))
    };
    let too_long = |_| Error::TimedOut { ms: u64::try_from(GREETING.as_millis()).unwrap_or(u64::MAX) };
    let (stream, session, welcome) = tokio::time::timeout(GREETING, greeting).await.map_err(too_long)??;
    let Session { sending, receiving } = session;
    let shared = Arc::new(Shared::new(welcome, sending, clock, limits));
    let (reading, writing) = stream.into_split();
    tokio::spawn(tasks::read(Arc::clone(&shared), reading, receiving));
    tokio::spawn(tasks::write(Arc::clone(&shared), writing));
    Ok(shared)
}

async fn reach(path: &Path) -> Result<UnixStream, Error> {
    loop {
        match UnixStream::connect(path).await {
            Ok(stream) => return Ok(stream),
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => tokio::time::sleep(BACKLOG_WAIT).await,
            Err(why) => return Err(Error::Unreachable { path: path.to_owned(), why }),
        }
    }
}

/// Who listens there is this user or root, and the process that is named: nobody else is shown a token.
fn check_listener(path: &Path, stream: &UnixStream, only_to: Option<u32>) -> Result<(), Error> {
    let unreachable = |why| Error::Unreachable { path: path.to_owned(), why };
    let peer = stream.peer_cred().map_err(unreachable)?;
    let uid = peer.uid();
    if uid != ROOT && uid != rustix::process::geteuid().as_raw() {
        return Err(Error::OfAnother { path: path.to_owned(), uid });
    }
    // A process of another namespace has no number here.
    let listener = peer.pid().and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid != 0);
    match (only_to, listener) {
        (Some(wanted), Some(process)) if wanted != process => {
            Err(Error::OfAnotherProcess { path: path.to_owned(), process })
        }
        _ => Ok(()),
    }
}

async fn greet(stream: &mut UnixStream, session: &mut Session) -> Result<Welcome, Error> {
    let failed = |why: io::Error| Error::Closed(CloseReason::Failed(Arc::new(why)));
    let mut bytes = Vec::new();
    session.sending.take(&mut bytes);
    stream.write_all(&bytes).await.map_err(failed)?;
    loop {
        match session.receiving.next() {
            Some(Event::Welcome(welcome)) => {
                session.on_welcome(&welcome);
                return Ok(welcome);
            }
            Some(Event::Answer { result: Err(refused), .. }) => return Err(Error::SessionRefused(refused)),
            Some(Event::Broken(fault)) => return Err(CloseReason::Broken(fault).into()),
            // Whatever else comes first is broken already.
            Some(_) => {}
            None => {
                if stream.read_buf(session.receiving.buffer()).await.map_err(failed)? == 0 {
                    return Err(CloseReason::ByStation(None).into());
                }
            }
        }
    }
}
