//! What it costs that runs are told on the bus as lifecycle records (`[mplp] emit`): the same runs in a
//! station that tells them and in one that does not, in turn. Nobody subscribes to the records; the bus and
//! the tap have them all the same.

use std::time::Duration;

use rl_console::{
    ids::TraceId,
    limits::Limits,
    rmp::{
        Registry, SchemaId,
        client::{Client, Hello, Message, Subscription},
    },
    runs::payload::{ControlRequest, RunEvent, schema},
    station::{Config, PackSource, RUN_TIMEOUT_MS, Station},
    time::Clock,
};
use tempfile::TempDir;

use super::{NODES, NODES_EACH, RUNS, Result, answers, at, body, completed, opening};

/// How long an end may not be heard of before it counts as lost on its way.
const PATIENCE: Duration = Duration::from_secs(10);
/// More time that a node may take.
const NODE_MAX: Duration = Duration::from_micros(50);

/// A station, an agent of it, and a client that submits.
struct Side {
    station: Station,
    client: Client,
    agent: tokio::task::JoinHandle<()>,
    _folder: TempDir,
}

impl Side {
    async fn open(emits: bool) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("rmp.sock");
        let station = Station::start(config(&folder, emits), Clock::start())?;
        station.ready().await?.rmp?;
        let socket = path.clone();
        let agent = tokio::spawn(async move {
            // It ends with its station.
            let _ = answers(socket, "echo", completed(true)).await;
        });
        Ok(Self {
            station,
            client: Client::connect(&path, Hello::agent("bench")).await?,
            agent,
            _folder: folder,
        })
    }

    /// The time from the first request to the last event of so many runs.
    async fn time(&self, clock: &Clock, yaml: &str, runs: usize) -> Result<Duration> {
        let mut all: Vec<(TraceId, Subscription)> = Vec::with_capacity(runs);
        for _ in 0..runs {
            let run = TraceId(uuid::Uuid::now_v7());
            all.push((run, self.client.subscribe(&format!("rlp/runs/{run}/events")).await?));
        }
        let began = clock.now().mono;
        for (run, _) in &all {
            let request = ControlRequest::RunSubmit {
                request_id: *run,
                opening_yaml: yaml.to_owned(),
                traceparent: None,
            };
            let message = Message::new(SchemaId(schema::CTRL_REQ), request.encode()).in_trace(*run);
            self.client.post("rlp/ctrl", &message).await?;
        }
        for (_, events) in &mut all {
            tokio::time::timeout(PATIENCE, ended(events)).await??;
        }
        Ok(clock.now().mono.since(began))
    }
}

fn config(folder: &TempDir, emits: bool) -> Config {
    Config {
        data: folder.path().join("data"),
        pack: PackSource::Sample,
        bind: [127, 0, 0, 1].into(),
        port: 0,
        broadcaster_login: "local".to_owned(),
        socket: Some(folder.path().join("rmp.sock")),
        registry: Registry::default(),
        grpc: None,
        metrics: None,
        openings: folder.path().join("openings"),
        run_timeout_ms: RUN_TIMEOUT_MS,
        mplp_emit: emits,
        environment: "live".to_owned(),
        agents_cancel: rl_console::runs::engine::AgentsCancel::Any,
        alerts: rl_console::station::AlertThresholds::default(),
        limits: Limits::default(),
        plugins: rl_console::plugin::host::HostSettings::default(),
        record: None,
        recording: rl_console::station::RecordingSettings::default(),
        triggers: Vec::new(),
        is_rehearsal: false,
    }
}

/// Waits for the end of a run.
async fn ended(events: &mut Subscription) -> Result<()> {
    let mut batch = Vec::new();
    loop {
        if events.next_batch(&mut batch).await == 0 {
            return Err("the bus is gone".into());
        }
        for delivery in batch.drain(..) {
            match RunEvent::decode(body(&delivery)).ok().and_then(|event| event.meta.success) {
                Some(true) => return Ok(()),
                Some(false) => return Err("a run failed".into()),
                None => {}
            }
        }
    }
}

/// Measures both, and says whether the one that tells is within its bound.
pub(super) async fn emission(rounds: usize) -> Result<()> {
    let clock = Clock::start();
    let sides = [Side::open(false).await?, Side::open(true).await?];
    let cases = [
        ("one run of 1,000 nodes", opening(NODES, 50), 1, NODES),
        ("200 runs of 20 nodes", opening(NODES_EACH, 4), RUNS, RUNS * NODES_EACH),
    ];
    for (what, yaml, runs, nodes) in cases {
        let mut times = [Vec::new(), Vec::new()];
        // The first round warms up.
        for round in 0..=rounds {
            let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for side in order {
                let time = sides[side].time(&clock, &yaml, runs).await?;
                if round > 0 {
                    times[side].push(time);
                }
            }
        }
        for times in &mut times {
            times.sort();
        }
        let [without, with] = times.map(|times| at(&times, 0.5));
        let more = with.saturating_sub(without);
        let bound = (without / 10).max(NODE_MAX * u32::try_from(nodes).unwrap_or(u32::MAX));
        let each = more / u32::try_from(nodes).unwrap_or(u32::MAX);
        let verdict = if more <= bound { "within" } else { "OVER" };
        println!(
            "{what}, told as records: {with:.1?} beside {without:.1?}, {each:.1?} more a node ({verdict} {bound:.1?})"
        );
    }
    for Side { station, client, agent, _folder } in sides {
        client.close().await;
        agent.abort();
        tokio::task::spawn_blocking(move || station.stop()).await?;
    }
    Ok(())
}
