//! Callers of MACP: each has sessions of its own, and reads a stream.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Report, Result, WrapErr, ensure, eyre};
use futures_util::future::join_all;
use prost::Message as _;
use rl_console_benches::{
    calls::{Answers, Client, Sender},
    v1::{Envelope, SessionStartPayload},
};
use tokio::{
    task::LocalSet,
    time::{sleep, timeout},
};

/// As the station has them when nothing is configured; the neighbour has one of each.
const CONNECTIONS_MAX: usize = 1_024;
const OPEN_MAX: usize = 100_000;

/// Calls of one connection that are under way: few, since it keeps room for as many streams as it once had
/// (with 98, the station took 160 MiB more).
const IN_FLIGHT: usize = 2;
const ANSWER_MAX: Duration = Duration::from_secs(10);
const SAY_EVERY: Duration = Duration::from_secs(1);

/// Connections with all sessions that may be open, in a thread of their own.
pub(super) struct Callers {
    pub(super) sessions: usize,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Result<u64>>,
}

impl Callers {
    /// Opens sessions that end at one moment.
    ///
    /// # Errors
    /// One is refused, or one more is not.
    pub(super) fn open(macp: SocketAddr, cycle: usize, ends_at: Instant) -> Result<Self> {
        let is_over = Arc::new(AtomicBool::new(false));
        let (tell, told) = sync_channel(1);
        let thread = {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                LocalSet::new().block_on(&runtime, call(macp, (cycle, ends_at), &tell, &is_over))
            })
        };
        match told.recv() {
            Ok(sessions) => Ok(Self { sessions, is_over, thread }),
            Err(_) => Err(joined(thread).err().unwrap_or_else(|| eyre!("the callers said nothing"))),
        }
    }

    /// They leave; how many messages came back on their streams.
    ///
    /// # Errors
    /// One was ended by the station, or nothing came.
    pub(super) fn leave(self) -> Result<u64> {
        self.is_over.store(true, Ordering::Relaxed);
        let answers = joined(self.thread)?;
        ensure!(answers > 0, "nothing came on the streams");
        Ok(answers)
    }
}

fn joined(thread: JoinHandle<Result<u64>>) -> Result<u64> {
    thread.join().map_err(|_| eyre!("the callers panicked"))?
}

async fn call(
    macp: SocketAddr,
    (cycle, ends_at): (usize, Instant),
    tell: &SyncSender<usize>,
    is_over: &AtomicBool,
) -> Result<u64> {
    let (callers, sessions) = (CONNECTIONS_MAX - 1, OPEN_MAX - 1);
    let mut streams = Vec::new();
    let mut connections = Vec::new();
    for caller in 0..callers {
        let mut client = timeout(ANSWER_MAX, Client::connect(macp)).await??;
        let names: Vec<String> =
            (caller..sessions).step_by(callers).map(|session| format!("bounds {cycle} {session}")).collect();
        for some in names.chunks(IN_FLIGHT) {
            let calls = some.iter().map(|name| {
                let (mut client, start) = (client.clone(), start(name, ends_at));
                async move { timeout(ANSWER_MAX, client.send(start)).await }
            });
            for ack in join_all(calls).await {
                let ack = ack?.wrap_err_with(|| format!("connection {caller}"))?;
                ensure!(ack.ok, "connection {caller}: refused: {:?}", ack.error);
            }
        }
        let first = names.into_iter().next().ok_or_else(|| eyre!("a connection without a session"))?;
        let (sender, answers) = client.stream().await?;
        streams.push((first, sender, answers));
        connections.push(client);
    }
    let one_more = match connections.first_mut() {
        Some(client) => {
            timeout(ANSWER_MAX, client.send(start(&format!("bounds {cycle} more"), ends_at))).await?
        }
        None => Err(eyre!("no connection")),
    };
    ensure!(one_more.is_err(), "one more session was opened: the runtime was not full");
    let _ = tell.send(sessions);
    let answers = speak(&mut streams, ends_at, is_over).await?;
    drop(connections);
    Ok(answers)
}

/// A message on each stream every second, and its way back, until shortly before the sessions end.
async fn speak(
    streams: &mut [(String, Sender, Answers)],
    ends_at: Instant,
    is_over: &AtomicBool,
) -> Result<u64> {
    let mut answers = 0;
    for number in 1_u64.. {
        if Instant::now() + ANSWER_MAX / 5 > ends_at {
            break;
        }
        for (session, sender, _) in &mut *streams {
            sender.send(message(session, number))?;
        }
        for (_, _, come) in &mut *streams {
            timeout(ANSWER_MAX, come.envelope()).await??;
            answers += 1;
        }
        sleep(SAY_EVERY).await;
    }
    while !is_over.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(10)).await;
    }
    Ok::<_, Report>(answers)
}

fn start(session: &str, ends_at: Instant) -> Envelope {
    let left = ends_at.saturating_duration_since(Instant::now()).as_millis();
    let ttl_ms = i64::try_from(left).unwrap_or(i64::MAX).max(1);
    let payload = SessionStartPayload { ttl_ms, ..SessionStartPayload::default() };
    envelope(session, "SessionStart", "start".to_owned(), payload.encode_to_vec())
}

/// A proposal, then evaluations.
fn message(session: &str, number: u64) -> Envelope {
    let (message_type, payload) = match number {
        1 => ("Proposal", br#"{"proposal_id":"p","option":"one"}"#.to_vec()),
        _ => ("Evaluation", br#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9}"#.to_vec()),
    };
    envelope(session, message_type, number.to_string(), payload)
}

fn envelope(session: &str, message_type: &str, message_id: String, payload: Vec<u8>) -> Envelope {
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: "macp.mode.decision.v1".to_owned(),
        message_type: message_type.to_owned(),
        message_id,
        session_id: session.to_owned(),
        sender: "bounds".to_owned(),
        payload: payload.into(),
        ..Envelope::default()
    }
}
