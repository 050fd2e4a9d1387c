//! `submit --local`: a run without a station, in a private one inside this process (ruling RMP 14).
//!
//! ```text
//! private folder ▶ station ▶ socket is told ▶ agents come ▶ submit ▶ the run ends, or is cancelled ▶ station and folder go
//! ```

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

use serde::Serialize;

use super::{
    control::ask,
    end::Ended,
    follow::Follower,
    private::PrivateFolder,
    submission::{send, text},
};
use crate::{
    cli::{
        args::SubmitArgs,
        commands::{opening, run::artifacts},
        context::Context,
        error::Error,
        run_error::RunError,
        shutdown,
        signals::Signals,
        socket::{self, ClientIdentity},
    },
    ids::TraceId,
    plugin::host::HostSettings,
    port::{Operator, Page, PeerRow, Query, StationPort, SubscriptionRow},
    rmp::{
        Kind,
        client::{Client, Hello},
    },
    runs::{RunState, openings::Map, payload::ControlRequest},
    station::{Config, PackSource, RecordingSettings, Station},
};

/// How long agents are waited for where nothing else is said, in milliseconds.
const AGENTS_MS: u64 = 30_000;
/// How often it is looked whether they are there.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What scripts are told before the run is accepted.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    /// The private station answers here.
    Local { socket: &'a str },
    /// These agents are waited for.
    Waiting { agents: &'a [String] },
}

/// Runs an opening to its end, in a station that is there for this alone.
pub(super) fn run(context: &mut Context, args: &SubmitArgs) -> Result<(), Error> {
    let yaml = text(context, args)?;
    let folder = PrivateFolder::make(&context.env.temp_dir)?;
    let socket = context.flags.socket.clone().unwrap_or_else(|| folder.path().join("rmp.sock"));
    let config = Config {
        data: folder.path().join("data"),
        pack: PackSource::Sample,
        bind: std::net::Ipv4Addr::LOCALHOST.into(),
        port: 0,
        broadcaster_login: context.settings.broadcaster_login.clone(),
        socket: Some(socket),
        registry: context.settings.registry.clone(),
        grpc: None,
        metrics: None,
        openings: context.settings.openings().unwrap_or_else(|_| PathBuf::from("/nonexistent")),
        run_timeout_ms: context.settings.run_timeout_ms,
        agents_cancel: context.settings.agents_cancel,
        mplp_emit: context.settings.mplp_emit,
        alerts: context.settings.alert_thresholds,
        environment: context.settings.mplp_environment.clone(),
        limits: context.settings.limits,
        plugins: HostSettings::default(),
        record: None,
        recording: RecordingSettings::default(),
        triggers: Vec::new(),
        is_rehearsal: false,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(Error::io("the runtime"))?;
    let agents = agents(context, args, &yaml);
    let station = Station::start(config, context.clock)?;
    let done = runtime.block_on(serve(&station, context, args, yaml, agents));
    shutdown::stop(station);
    drop(folder);
    done
}

async fn serve(
    station: &Station,
    context: &mut Context,
    args: &SubmitArgs,
    yaml: String,
    agents: BTreeSet<String>,
) -> Result<(), Error> {
    let mut signals = Signals::listen()?;
    let socket = station.ready().await?.rmp.map_err(|message| Error::Unreachable {
        message,
        hint: "choose another path with --socket, or a writable temporary folder (TMPDIR)".to_owned(),
    })?;
    let told = socket.display().to_string();
    context
        .out
        .row(&Event::Local { socket: &told }, |_| format!("temporary station for this run on {told}"))?;
    context.out.flush()?;
    let port = station.port();
    let waited = async { wait(&*port, context, &agents, args.agents.unwrap_or(AGENTS_MS)).await };
    tokio::select! {
        waited = waited => waited?,
        () = signals.end() => return Err(RunError::NotSubmitted.into()),
    }
    let said = ClientIdentity { socket: Some(socket), ..ClientIdentity::default() };
    let client = socket::connect(&said, Hello::agent("submit"), context.settings.limits.client).await?;
    let ended = follow(&client, &port, context, args, yaml, &mut signals).await;
    client.close().await;
    ended
}

async fn follow(
    client: &Client,
    port: &Arc<dyn StationPort>,
    context: &mut Context,
    args: &SubmitArgs,
    yaml: String,
    signals: &mut Signals,
) -> Result<(), Error> {
    let (run, events) = send(client, &mut context.out, (yaml, args.traceparent.clone()), true).await?;
    let Some(events) = events else { return Err(Error::UnexpectedAnswer) };
    let clock = context.local_clock();
    let timeout = args.timeout;
    let timed_out = async {
        match timeout {
            Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            None => std::future::pending().await,
        }
    };
    let mut is_late = false;
    let mut follower =
        Follower::new(run, args.follow, context.local_clock(), &context.settings, &mut context.out)
            .of(Arc::clone(port));
    let ended = {
        let following = follower.follow(events);
        tokio::pin!(following);
        tokio::select! {
            ended = &mut following => ended?,
            left = async { tokio::select! { () = signals.end() => false, () = timed_out => true } } => {
                is_late = left;
                cancel(client, run).await?;
                // A second signal does not wait for the end.
                tokio::select! {
                    ended = &mut following => ended?,
                    () = signals.end() => {
                        let (state, why) = (RunState::Cancelled, "interrupted".to_owned());
                        return Err(RunError::Cut { state, is_late, why }.into());
                    }
                }
            }
        }
    };
    let verdict = follower.print_end(&ended);
    if let Some(folder) = &args.out {
        artifacts(&**port, run, Some(folder), &clock, &mut context.out).await?;
    }
    verdict?;
    let Ended { state, message: why, .. } = ended;
    if state == RunState::Succeeded { Ok(()) } else { Err(RunError::Cut { state, is_late, why }.into()) }
}

async fn cancel(client: &Client, run: TraceId) -> Result<(), Error> {
    match ask(client, TraceId(uuid::Uuid::now_v7()), &ControlRequest::RunCancel { trace_id: run }).await {
        // It has ended meanwhile.
        Ok(_) | Err(Error::Run(RunError::Rejected { .. })) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The topics of the agents that an opening gives work to; none where it cannot be read, which the station
/// tells.
fn agents(context: &Context, args: &SubmitArgs, yaml: &str) -> BTreeSet<String> {
    let opening = opening::load(&context.settings, &args.file, yaml, &Map::new());
    opening.ok().and_then(Result::ok).map_or_else(BTreeSet::new, |opening| opening.agents())
}

/// Waits until agents have subscribed, or for so long. Those that are missing then are told; the run tells
/// what becomes of their nodes.
async fn wait(
    port: &dyn Operator,
    context: &mut Context,
    agents: &BTreeSet<String>,
    within_ms: u64,
) -> Result<(), Error> {
    let mut missing = missing(port, agents).await?;
    if missing.is_empty() || within_ms == 0 {
        return Ok(());
    }
    context.out.row(&Event::Waiting { agents: &missing }, |_| {
        format!("waiting up to {} s for {}", within_ms.div_ceil(1_000), missing.join(", "))
    })?;
    context.out.flush()?;
    let look = async {
        while !missing.is_empty() {
            tokio::time::sleep(LOOK_EVERY).await;
            missing = self::missing(port, agents).await?;
        }
        Ok(())
    };
    tokio::time::timeout(Duration::from_millis(within_ms), look).await.unwrap_or(Ok(()))
}

/// Agents that nobody has subscribed for. Whoever takes their requests by a pattern watches, and an agent
/// alone answers (rmp-v0 §9.1).
async fn missing(port: &dyn Operator, agents: &BTreeSet<String>) -> Result<Vec<String>, Error> {
    let Page::Peers(peers) = port.query(Query::Peers).await? else { return Err(Error::UnexpectedAnswer) };
    let Page::Subscriptions(rows) = port.query(Query::Subscriptions).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    Ok(unserved(&peers, &rows, agents))
}

fn unserved(peers: &[PeerRow], rows: &[SubscriptionRow], agents: &BTreeSet<String>) -> Vec<String> {
    let of_agents: BTreeSet<_> =
        peers.iter().filter(|peer| peer.kind == Some(Kind::Agent)).map(|peer| peer.session).collect();
    let served: BTreeSet<&str> =
        rows.iter().filter(|row| of_agents.contains(&row.session)).map(|row| row.topic.as_str()).collect();
    agents.iter().filter(|agent| !served.contains(agent.as_str())).cloned().collect()
}
