//! The port of a station in this process.

use std::sync::{Arc, Mutex, Weak};

use tokio::sync::{mpsc, oneshot, watch};

use super::{
    bridge,
    bus::Bus,
    metrics, pages,
    recorder::Recording,
    runs::RunsHandle,
    sessions::Sessions,
    status::StationStatus,
    supervisor::{self, Parts},
};
use crate::{
    ids::Seq,
    limits, macp,
    mpp::{self, host::Request, manifest::Pack},
    port::{Answer, AsOf, Command, Operator, Outcome, Page, PortError, Query, Snapshot, StationPort},
    runs,
    store::Handle,
    tap::{
        Reader, Tap,
        entry::{
            Link,
            station::{Level, Transition},
        },
    },
    time::Clock,
    words::counted,
};

/// How far the station's start has come.
#[derive(Clone, Debug)]
pub(super) enum Startup {
    /// The hosts are on their way.
    Starting,
    /// They run.
    Running(Arc<Running>),
    /// They will not: why.
    Failed(Arc<str>),
    /// It is over.
    Stopped,
}

/// What the port needs of a station that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) mpp: mpsc::Sender<Request>,
    pub(super) store: Handle,
    pub(super) pack: Arc<Pack>,
    pub(super) recording: Arc<Recording>,
}

/// What every use of the port shares.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) startup: watch::Receiver<Startup>,
    pub(super) status: StationStatus,
    pub(super) tap: Tap,
    pub(super) clock: Clock,
    pub(super) limits: limits::Limits,
    pub(super) waits: tokio::sync::Semaphore,
    pub(super) bus: Bus,
    pub(super) runs: RunsHandle,
    pub(super) sessions: Sessions,
    pub(super) metrics: metrics::Endpoint,
    /// Whether an operator wants the station to end.
    pub(super) stop_asked: watch::Sender<bool>,
    /// What has to be there for a host to be started again. The station owns it.
    pub(super) parts: Weak<Mutex<Option<Parts>>>,
}

impl Inner {
    /// What runs, once it does.
    pub(super) async fn running(&self) -> Result<Arc<Running>, PortError> {
        let mut startup = self.startup.clone();
        let reached = startup.wait_for(|startup| !matches!(startup, Startup::Starting)).await;
        match reached.as_deref() {
            Ok(Startup::Running(running)) => Ok(Arc::clone(running)),
            Ok(Startup::Failed(why)) => {
                Err(PortError::HostDown { host: "the station".to_owned(), why: why.to_string() })
            }
            Ok(Startup::Starting | Startup::Stopped) | Err(_) => Err(PortError::Stopping),
        }
    }
}

impl Running {
    fn ask(&self, request: Request) -> Result<(), PortError> {
        self.mpp.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => PortError::Busy {
                what: "the bridge's queue of commands (limits.port.commands_max)".to_owned(),
            },
            mpsc::error::TrySendError::Closed(_) => bridge_down(),
        })
    }

    /// The bridge's state, and up to which entry it speaks.
    pub(super) async fn snapshot(&self) -> Result<(Seq, mpp::Snapshot), PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Snapshot { answer })?;
        answered.await.map_err(|_| bridge_down())
    }

    /// Looks at the bridge's core, everything it decided so far handed to the store.
    pub(super) async fn with_bridge<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mpp::Bridge) -> T + Send + 'static,
    ) -> Result<T, PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Look(Box::new(move |bridge| {
            let _ = answer.send(look(bridge));
        })))?;
        answered.await.map_err(|_| bridge_down())
    }
}

fn bridge_down() -> PortError {
    PortError::HostDown { host: "the MPP bridge".to_owned(), why: "it has stopped".to_owned() }
}

/// The port of the station in this process.
#[derive(Clone, Debug)]
pub(super) struct LocalPort {
    pub(super) inner: Arc<Inner>,
}

impl Operator for LocalPort {
    fn command(&self, command: Command) -> Answer<Outcome> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            match command {
                Command::Restart { link } => return supervisor::restart(inner, link).await,
                // Also of a station whose bridge did not come up.
                Command::Stop => return Ok(stop(&inner)),
                _ => {}
            }
            let running = inner.running().await?;
            match command {
                Command::Restart { .. } | Command::Stop => Err(PortError::Stopping),
                Command::Mpp(command) => {
                    let what = describe(&command);
                    let cause = inner.status.report(Transition::Operated, &what);
                    let (answer, answered) = oneshot::channel();
                    running.ask(Request::Command { command, cause: Some(cause), answer })?;
                    let outcome = answered.await.map_err(|_| bridge_down())?;
                    if let Err(refusal) = &outcome {
                        inner.status.notice(Level::Warn, &format!("refused: {what}: {refusal}"));
                    }
                    if let Ok(mpp::Outcome::Enqueued(rows)) = &outcome
                        && let Some(Err(refusal)) = rows.iter().find(|row| row.is_err())
                    {
                        let refused = rows.iter().filter(|row| row.is_err()).count();
                        let of = if rows.len() > 1 {
                            format!("{refused} of {}, first: ", counted(rows.len(), "row"))
                        } else {
                            String::new()
                        };
                        inner.status.notice(Level::Warn, &format!("refused: {what}: {of}{refusal}"));
                    }
                    outcome.map(Outcome::Mpp).map_err(PortError::Refused)
                }
                Command::Runs(command) => {
                    let cause = inner.status.report(Transition::Operated, &describe_run(&command));
                    let outcome = inner.runs.command(command, cause).await;
                    if let Err(PortError::Run(refusal)) = &outcome {
                        inner.status.notice(Level::Warn, &format!("refused: {refusal}"));
                    }
                    outcome.map(Outcome::Runs)
                }
                Command::Macp(command) => {
                    let what = describe_session(&command);
                    let cause = inner.status.report(Transition::Operated, &what);
                    let outcome = inner.sessions.handle()?.command(command, Some(cause)).await;
                    if let Err(refusal) = &outcome {
                        inner.status.notice(Level::Warn, &format!("refused: {what}: {refusal}"));
                    }
                    outcome.map(Outcome::Macp).map_err(PortError::Session)
                }
                Command::RecordStart { path } => running.recording.start(&inner, path).await,
                Command::RecordStop => running.recording.stop().await,
                Command::KickPeer { session } => {
                    let what = format!("kick peer {session}");
                    let cause = inner.status.report(Transition::Operated, &what);
                    let kicked = inner.bus.kick(session, Some(cause)).await;
                    if let Err(error) = &kicked {
                        inner.status.notice(Level::Warn, &format!("refused: {what}: {error}"));
                    }
                    kicked
                }
                Command::Backup { path } => pages::backup(&running, path).await,
            }
        })
    }

    fn query(&self, query: Query) -> Answer<Page> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let running = inner.running().await?;
            match query {
                Query::InvocationWhen { id, state, timeout_ms } => {
                    bridge::until(&inner, &running, id, state, timeout_ms).await
                }
                query => pages::answer(&inner, &running, query).await,
            }
        })
    }
}

impl StationPort for LocalPort {
    fn snapshot(&self) -> Answer<Snapshot> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let running = inner.running().await?;
            let (mpp_seq, mpp) = running.snapshot().await?;
            let (rmp_seq, rmp) = inner.bus.snapshot().await;
            let (runs_seq, runs) = inner.runs.snapshot().await;
            let (macp_seq, macp) = inner.sessions.snapshot();
            let (station, station_seq, at) = inner.status.view();
            let mut as_of = AsOf::default();
            as_of.0[Link::Mpp.index()] = mpp_seq;
            as_of.0[Link::Rmp.index()] = rmp_seq;
            as_of.0[Link::Runs.index()] = runs_seq;
            as_of.0[Link::Macp.index()] = macp_seq;
            as_of.0[Link::Station.index()] = station_seq;
            Ok(Snapshot { as_of, at, station, mpp, rmp, runs, macp })
        })
    }

    fn entries(&self) -> Result<Reader, PortError> {
        self.inner.tap.reader().map_err(|error| PortError::Busy { what: error.to_string() })
    }
}

/// Has whoever owns the station end it.
fn stop(inner: &Inner) -> Outcome {
    inner.status.report(Transition::Operated, "stop");
    inner.stop_asked.send_replace(true);
    Outcome::Stopping { pid: std::process::id(), data: inner.status.view().0.data }
}

/// A command in the words of the journal.
fn describe(command: &mpp::Command) -> String {
    use mpp::Command;
    let of = |queue: &Option<crate::ids::QueueName>| {
        queue.as_ref().map_or_else(|| "every queue".to_owned(), |queue| format!("queue {queue}"))
    };
    match command {
        Command::Enqueue { rows } => match rows.as_slice() {
            [row] => format!("invoke {}", row.event),
            rows => format!("invoke {}", counted(rows.len(), "row")),
        },
        Command::Cancel { ids, refund, .. } => {
            let with = if *refund { ", with a refund" } else { "" };
            match ids.as_slice() {
                [id] => format!("cancel {id}{with}"),
                ids => format!("cancel {}{with}", counted(ids.len(), "invocation")),
            }
        }
        Command::Settle { id, to } => format!("settle {id} as {to:?}").to_lowercase(),
        Command::Hold { queue } => format!("hold {}", of(queue)),
        Command::Release { queue } => format!("end the hold of {}", of(queue)),
        Command::Resume { queue } => format!("resume {}", of(queue)),
        Command::Drain { queue } => format!("drain {}", of(queue)),
        Command::Kick => "kick the adapter".to_owned(),
        Command::Pair { .. } => "put a new bridge token in force".to_owned(),
        Command::Migrate => "migrate rows of another manifest".to_owned(),
    }
}

/// The same of runs.
fn describe_run(command: &runs::Command) -> String {
    use runs::Command;
    match command {
        Command::Submit { request, .. } => format!("submit {request}"),
        Command::Cancel { run } => format!("cancel run {run}"),
        Command::Hold => "hold the attempts of runs".to_owned(),
        Command::Release => "release the attempts of runs".to_owned(),
        Command::Decide { action, approved: true, .. } => format!("approve {action}"),
        Command::Decide { action, approved: false, .. } => format!("reject {action}"),
    }
}

/// The same of sessions.
fn describe_session(command: &macp::Command) -> String {
    match command {
        macp::Command::Cancel { session, reason } if reason.is_empty() => format!("cancel session {session}"),
        macp::Command::Cancel { session, reason } => format!("cancel session {session}: {reason}"),
    }
}
